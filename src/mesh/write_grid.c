#include "grid_impl.h"
#include "mesh_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// What formats hold, and writing a grid as one of them.

typedef struct format {
  const char *ending, *title;
  int flat; // faces with straight edges and lines alone
  int no_lines;
  int vertex_sets, cell_sets, fields;
  int single; // coordinates of 24 bits
} format;

static const format formats[] = {
    {.ending = "obj", .title = "OBJ", .flat = 1, .cell_sets = 1},
    {.ending = "stl", .title = "STL", .flat = 1, .no_lines = 1, .single = 1},
    {.ending = "ply", .title = "PLY", .flat = 1},
    {.ending = "glb", .title = "GLB", .flat = 1, .single = 1},
    {.ending = "msh", .title = "MSH", .vertex_sets = 1, .cell_sets = 1, .fields = 1},
    {.ending = "vtu", .title = "VTU", .vertex_sets = 1, .cell_sets = 1, .fields = 1},
    {.ending = "inp", .title = "INP", .vertex_sets = 1, .cell_sets = 1},
    {.ending = "npz", .title = "NPZ", .vertex_sets = 1, .cell_sets = 1, .fields = 1},
};
enum { NFORMAT = sizeof formats / sizeof formats[0] };
const char pl_grid_endings[] = "obj stl ply glb msh vtu inp npz";

void grid_lost(const pl_grid *g, const char *path, const char *hint, const char *fmt, ...) {
  char text[PL_TEXT], clean[PL_TEXT];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  pl_report(g->env, PL_WARNING, path, 0, 0, hint, "%s", pl_printable(text, clean, sizeof clean));
}

size_t grid_first(const pl_grid *g, int type) {
  size_t first = 0;
  for (int t = 0; t < type; t++) first += (size_t)g->cell[t].n;
  return first;
}

// ---- names --------------------------------------------------------------------------------------

static int taken(const pl_grid *g, const grid_names *n, int k, int any_case, const char *name) {
  for (int i = 0; i < k; i++) {
    int same = any_case ? strcasecmp(n->other[i], name) == 0 : strcmp(n->other[i], name) == 0;
    if (same && strcmp(g->set[i].name, g->set[k].name) != 0) return 1;
  }
  return 0;
}

static char *new_name(const pl_grid *g, const grid_names *n, int k, int (*odd)(char c),
                      int any_case, size_t most) {
  char *name = pl_strdup(g->env, g->set[k].name);
  if (!name) return NULL;
  for (char *p = name; *p; p++)
    if (odd(*p)) *p = '_';
  // never in the middle of a letter
  size_t length = strlen(name);
  while (length > most || (length < strlen(name) && (name[length] & 0xc0) == 0x80)) length--;
  name[length] = 0;
  for (int i = 2; taken(g, n, k, any_case, name) && i < 100000; i++) {
    char *longer = pl_realloc(g->env, name, length + 8, 1);
    if (!longer) {
      pl_free(g->env, name);
      return NULL;
    }
    name = longer;
    if (length + 7 > most && length > 7) length = most - 7;
    snprintf(name + length, 8, "_%d", i);
  }
  return name;
}

void grid_names_free(const pl_grid *g, grid_names *n) {
  for (int k = 0; n->other && k < g->nset; k++) pl_free(g->env, n->other[k]);
  pl_free(g->env, n->other);
}

pl_status grid_names_make(const pl_grid *g, const char *path, int (*odd)(char c), int any_case,
                          size_t most, grid_names *out) {
  out->other = pl_alloc(g->env, (size_t)g->nset, sizeof *out->other);
  if (!out->other) return PL_E_NOMEM;
  for (int k = 0; k < g->nset; k++) {
    int before = -1;
    for (int i = 0; i < k && before < 0; i++)
      if (strcmp(g->set[i].name, g->set[k].name) == 0) before = i;
    out->other[k] = before >= 0 ? pl_strdup(g->env, out->other[before])
                                : new_name(g, out, k, odd, any_case, most);
    if (!out->other[k]) return PL_E_NOMEM;
    if (before < 0 && strcmp(out->other[k], g->set[k].name) != 0)
      grid_lost(g, path, NULL, "the set '%.200s' is called '%.200s' there", g->set[k].name,
                out->other[k]);
  }
  return PL_OK;
}

// ---- losses -------------------------------------------------------------------------------------

// names of what is lost, cut where there is no room
static void add_name(char *text, size_t size, int n, const char *name) {
  size_t at = strlen(text);
  if (at + strlen(name) + 8 < size)
    snprintf(text + at, size - at, "%s'%s'", n ? ", " : "", name);
  else if (at + 4 < size && strcmp(text + at - 3, "...") != 0)
    snprintf(text + at, size - at, " ...");
}

static void tell_sets(const pl_grid *g, const format *f, const char *path, int cells) {
  char names[PL_TEXT / 2] = "";
  int n = 0;
  for (int k = 0; k < g->nset; k++) {
    int line = g->set[k].type >= 0 && pl_grid_dim(g->set[k].type) == 1;
    if ((g->set[k].type >= 0) != cells) continue;
    if (cells && f->cell_sets && !(line && f->no_lines)) continue;
    int seen = 0;
    for (int i = 0; i < k; i++)
      seen |= (g->set[i].type >= 0) == cells && strcmp(g->set[i].name, g->set[k].name) == 0;
    if (!seen) add_name(names, sizeof names, n++, g->set[k].name);
  }
  if (n > 0)
    grid_lost(g, path, "MSH, VTU, INP and NPZ hold all sets", "%s holds no sets of %s: lost %s %s",
              f->title, cells ? "cells" : "vertices", pl_plural(n, "is", "are"), names);
}

static void tell_cells(const pl_grid *g, const format *f, const char *path) {
  int solids = 0, curved = 0, lines = 0;
  for (int t = 0; t < PL_GRID_TYPES; t++) {
    int corners = t < PL_CELL_COUNT ? pl_grid_nvert(pl_cell_corners[t])
                                    : (t == PL_GRID_WEDGE15     ? 6
                                       : t == PL_GRID_PYRAMID13 ? 5
                                                                : pl_grid_nvert(t));
    if (pl_grid_dim(t) == 3) solids += g->cell[t].n;
    if (pl_grid_dim(t) == 1) lines += g->cell[t].n;
    if (pl_grid_nvert(t) > corners) curved += g->cell[t].n;
  }
  if (solids > 0)
    grid_lost(g, path, NULL, "%s holds no solids: of %d %s the surface is written", f->title,
              solids, pl_plural(solids, "solid", "solids"));
  if (curved > 0)
    grid_lost(g, path, NULL, "%s holds no cells of second order: %d %s cut at the vertices on %s",
              f->title, curved, pl_plural(curved, "is", "are"),
              pl_plural(curved, "its edges", "their edges"));
  if (lines > 0 && f->no_lines)
    grid_lost(g, path, NULL, "%s holds no lines: %d %s left out", f->title, lines,
              pl_plural(lines, "is", "are"));
}

static void tell_fields(const pl_grid *g, const format *f, const char *path) {
  char names[PL_TEXT / 2] = "";
  for (int k = 0; k < g->nfield; k++) add_name(names, sizeof names, k, g->field[k].name);
  if (g->nfield > 0)
    grid_lost(g, path, "VTU, MSH and NPZ hold fields", "%s holds no fields: lost %s %s", f->title,
              pl_plural(g->nfield, "is", "are"), names);
}

static void tell_precision(const pl_grid *g, const format *f, const char *path) {
  for (int i = 0; i < 3 * g->nvert; i++)
    if ((double)(float)g->X[i] != g->X[i]) {
      grid_lost(g, path, NULL, "%s holds coordinates of 7 digits: they are rounded", f->title);
      return;
    }
}

static void tell(const pl_grid *g, const format *f, const char *path, int text) {
  if (f->flat) tell_cells(g, f, path);
  if (!f->vertex_sets) tell_sets(g, f, path, 0);
  tell_sets(g, f, path, 1);
  if (!f->fields) tell_fields(g, f, path);
  if (f->single && !text) tell_precision(g, f, path);
}

// ---- writing ------------------------------------------------------------------------------------

static pl_status write_mesh(const pl_grid *g, const char *ending, const char *path,
                            const pl_grid_opts *o) {
  pl_mesh *m;
  PL_TRY(pl_grid_mesh(g, &m));
  pl_status s = strcmp(ending, "obj") == 0   ? pl_mesh_write_obj(m, path)
                : strcmp(ending, "stl") == 0 ? mesh_write_stl(m, path, o->text)
                : strcmp(ending, "ply") == 0
                    ? mesh_write_ply(m, path, o->text)
                    : pl_glb_write(m, NULL, 0, NULL, 0, NULL, NULL, NULL, path);
  pl_mesh_free(m);
  return s;
}

static pl_status write_npz(const pl_grid *g, const char *path, const pl_grid_opts *o) {
  pl_npz *z;
  PL_TRY(pl_npz_create(g->env, path, &z));
  pl_status s = pl_npz_put_grid(z, "", g, o->length), end = pl_npz_close(z, s == PL_OK);
  return s == PL_OK ? end : s;
}

pl_status pl_grid_write(const pl_grid *g, const char *path, const char *ending,
                        const pl_grid_opts *o) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
  const format *f = NULL;
  if (!ending) ending = dot ? dot + 1 : "";
  for (int k = 0; k < NFORMAT; k++)
    if (strcasecmp(formats[k].ending, ending) == 0) f = &formats[k];
  if (!f) {
    char hint[PL_TEXT];
    snprintf(hint, sizeof hint, "meshes are written as %s", pl_grid_endings);
    return pl_fail_at(g->env, PL_E_INPUT, path, 0, 0, hint, "'%.40s' is no format of meshes",
                      ending);
  }
  tell(g, f, path, o->text);
  if (f->flat) return write_mesh(g, f->ending, path, o);
  if (strcmp(f->ending, "msh") == 0) return grid_write_msh(g, path, o);
  if (strcmp(f->ending, "vtu") == 0) return grid_write_vtu(g, path);
  if (strcmp(f->ending, "inp") == 0) return grid_write_inp(g, path);
  return write_npz(g, path, o);
}
