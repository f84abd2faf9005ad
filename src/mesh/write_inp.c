#include "grid_impl.h"
#include "inp_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Input files of CalculiX and Abaqus: *NODE, *ELEMENT by types, *NSET, *ELSET.

enum {
  FIELD_MOST = 20, // letters of a number that CalculiX reads; what follows it ignores
  NAME_MOST = 80,
  A_LINE = 16, // numbers on a line
};

// the shortest text that reads back the same, or as many digits as there is room for; 0: it does
// not read back
static int put_number(char *out, double x) {
  for (int digits = 15; digits <= 17; digits++) {
    int n = snprintf(out, 40, "%.*g", digits, x);
    if (n <= FIELD_MOST && strtod(out, NULL) == x) return 1;
  }
  for (int digits = 17; snprintf(out, 40, "%.*g", digits, x) > FIELD_MOST;) digits--;
  return 0;
}

static char *put_whole(char *p, long v) {
  char digit[24];
  int n = 0;
  do digit[n++] = (char)('0' + v % 10);
  while ((v /= 10) > 0);
  while (n > 0) *p++ = digit[--n];
  return p;
}

static void put_nodes(const pl_grid *g, const char *path, pl_text *t) {
  int rounded = 0;
  pl_text_add(t, "*NODE\n");
  for (int i = 0; i < g->nvert; i++) {
    char line[160], *p = put_whole(line, i + 1L);
    for (int c = 0; c < 3; c++) {
      *p++ = ',';
      *p++ = ' ';
      rounded += !put_number(p, g->X[3 * i + c]);
      p += strlen(p);
    }
    *p++ = '\n';
    pl_text_put(t, line, (size_t)(p - line));
  }
  if (rounded > 0)
    grid_lost(g, path, "NPZ, VTU, MSH and PLY hold all digits",
              "INP has room for %d letters of a number: %d %s rounded to 13 digits or more",
              FIELD_MOST, rounded, pl_plural(rounded, "coordinate is", "coordinates are"));
}

// numbers in lines of A_LINE; of an element a comma behind a line tells that it goes on
static void put_numbers(pl_text *t, int n, const long *v) {
  for (int at = 0; at < n; at += A_LINE) {
    char line[A_LINE * 24], *p = line;
    for (int k = at; k < n && k < at + A_LINE; k++) {
      p = put_whole(p, v[k]);
      if (k + 1 < n) *p++ = ',';
    }
    *p++ = '\n';
    pl_text_put(t, line, (size_t)(p - line));
  }
}

static void put_elements(const pl_grid *g, int all, pl_text *t) {
  long id = 0;
  for (int type = 0; type < PL_GRID_TYPES; type++) {
    int nv = pl_grid_nvert(type);
    if (g->cell[type].n == 0) continue;
    pl_text_add(t, "*ELEMENT, TYPE=%s%s\n", inp_cell_name[type], all ? ", ELSET=EALL" : "");
    for (int i = 0; i < g->cell[type].n; i++) {
      const int *v = g->cell[type].v + (size_t)i * (size_t)nv;
      long row[1 + PL_CELL_VERT_MAX] = {++id};
      for (int k = 0; k < nv; k++) row[1 + k] = v[k] + 1L;
      // of lines of second order the middle stands second
      if (type == PL_SEG3) {
        row[2] = v[2] + 1L;
        row[3] = v[1] + 1L;
      }
      put_numbers(t, nv + 1, row);
    }
  }
}

static void put_set(const pl_grid *g, const pl_set *s, const char *name, int begin, pl_text *t) {
  long first = s->type < 0 ? 1 : (long)grid_first(g, s->type) + 1;
  if (begin) pl_text_add(t, s->type < 0 ? "*NSET, NSET=%s\n" : "*ELSET, ELSET=%s\n", name);
  for (int i = 0; i < s->n; i += A_LINE) {
    char line[A_LINE * 24], *p = line;
    for (int k = i; k < s->n && k < i + A_LINE; k++) {
      p = put_whole(p, first + s->index[k]);
      *p++ = ',';
    }
    *p++ = '\n';
    pl_text_put(t, line, (size_t)(p - line));
  }
}

// sets of one name of cells of several types are one
static void put_sets(const pl_grid *g, const grid_names *n, pl_text *t) {
  for (int k = 0; k < g->nset; k++) {
    int cells = g->set[k].type >= 0, seen = 0;
    for (int i = 0; i < k; i++)
      seen |= (g->set[i].type >= 0) == cells && strcmp(n->other[i], n->other[k]) == 0;
    for (int i = k; i < g->nset && !seen; i++)
      if ((g->set[i].type >= 0) == cells && strcmp(n->other[i], n->other[k]) == 0)
        put_set(g, &g->set[i], n->other[k], i == k, t);
  }
}

// is an element in no set, and "EALL" free? CalculiX gives materials to sets
static pl_status wants_all(const pl_grid *g, const grid_names *n, int *all) {
  char *in = pl_alloc(g->env, (size_t)pl_grid_ncell(g), 1);
  if (!in) return PL_E_NOMEM;
  for (int k = 0; k < g->nset; k++)
    for (int i = 0; g->set[k].type >= 0 && i < g->set[k].n; i++)
      in[grid_first(g, g->set[k].type) + (size_t)g->set[k].index[i]] = 1;
  *all = memchr(in, 0, (size_t)pl_grid_ncell(g)) != NULL;
  for (int k = 0; k < g->nset; k++)
    if (g->set[k].type >= 0 && strcasecmp(n->other[k], "EALL") == 0) *all = 0;
  pl_free(g->env, in);
  return PL_OK;
}

static int is_odd(char c) {
  return (unsigned char)c <= ' ' || strchr(",=\"'*", c);
}

static void tell_cells(const pl_grid *g, const char *path) {
  int dims = 0, n[4] = {0};
  for (int t = 0; t < PL_GRID_TYPES; t++) n[pl_grid_dim(t)] += g->cell[t].n;
  for (int d = 1; d < 4; d++) dims += n[d] > 0;
  if (g->cell[PL_GRID_PYRAMID5].n + g->cell[PL_GRID_PYRAMID13].n > 0)
    grid_lost(g, path, NULL,
              "CalculiX does not know pyramids (C3D5, C3D13), Abaqus those of "
              "second order (C3D13)");
  if (dims > 1)
    pl_report(g->env, PL_NOTE, path, 0, 0,
              n[3] > 0 ? "--dim 3 keeps the solids, and sets of the vertices of the others"
                       : "--dim 2 keeps the faces, and sets of the vertices of the lines",
              "faces are written as shells and lines as trusses, and CalculiX wants a section for "
              "all of them");
}

pl_status grid_write_inp(const pl_grid *g, const char *path) {
  grid_names names = {NULL};
  int all = 0;
  pl_text t;
  pl_text_init(&t, g->env);
  tell_cells(g, path);
  pl_status s = grid_names_make(g, path, is_odd, 1, NAME_MOST, &names);
  if (s == PL_OK) s = wants_all(g, &names, &all);
  if (s == PL_OK) {
    if (all)
      pl_report(g->env, PL_NOTE, path, 0, 0, NULL,
                "the set EALL of all elements is added, as some are in none");
    pl_text_add(&t, "** written by pliant\n");
    put_nodes(g, path, &t);
    put_elements(g, all, &t);
    put_sets(g, &names, &t);
    s = t.failed ? PL_E_NOMEM : pl_file_write(g->env, path, t.s, t.n);
  }
  grid_names_free(g, &names);
  pl_text_free(&t);
  return s;
}
