#include "pliant/report.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// All numbers of a result folder as arrays of one NumPy file: tables/NAME/COLUMN of the CSV files,
// figures/ANALYSIS/KEY of summary.json, motions/NAME of the frames of PVD files, shapes/NAME of
// single VTU files; summary and scene are texts.

enum { PATH_SIZE = 4096, FILES_MOST = 100000, DEPTH_MOST = 16, DIMS = 3 };

typedef struct packing {
  pl_env *env;
  const char *folder;
  pl_npz *z;
  int n, cap, left; // left: files that are not packed
  char **name;      // [n] of the folder's files, sorted
} packing;

static const char *path_of(const packing *p, const char *name, char path[PATH_SIZE]) {
  snprintf(path, PATH_SIZE, "%s/%s", p->folder, name);
  return path;
}

// the length of a name without this ending, 0: it has another one
static int stem(const char *name, const char *ending) {
  size_t n = strlen(name), e = strlen(ending);
  return n > e && n < 500 && strcmp(name + n - e, ending) == 0 ? (int)(n - e) : 0;
}

// ---- tables -------------------------------------------------------------------------------------

// cells of a CSV file, terminated in place
typedef struct grid {
  pl_env *env;
  const char *path;
  char *data;
  int nrow, ncol, n, cap;
  char **cell; // [nrow][ncol], the first row is the header
} grid;

// the cell at *at, which is moved behind it; returns what ended it: ',', '\n' or 0
static char cut_cell(char **at, char **cell) {
  char *p = *at, *to = p, end;
  *cell = p;
  if (*p == '"') {
    for (p++; *p && !(p[0] == '"' && p[1] != '"'); p++) {
      p += *p == '"';
      *to++ = *p;
    }
    p += *p == '"';
    while (*p && *p != ',' && *p != '\n') p++;
  } else {
    while (*p && *p != ',' && *p != '\n') p++;
    to = p > *cell && p[-1] == '\r' ? p - 1 : p;
  }
  end = *p;
  *at = end ? p + 1 : p;
  *to = 0;
  return end;
}

static pl_status cut_cells(grid *g) {
  char *at = g->data, end = 0;
  int line = 1, col = 0;
  // remarks stand before the header
  while (at[0] == '#' && at[1] == ' ') {
    char *stop = strchr(at, '\n');
    at = stop ? stop + 1 : at + strlen(at);
    line++;
  }
  for (; *at; line++, g->nrow++, col = 0) {
    do {
      PL_TRY(pl_grow(g->env, &g->cell, g->n, &g->cap, sizeof *g->cell));
      end = cut_cell(&at, &g->cell[g->n++]);
      col++;
    } while (end == ',');
    if (g->nrow == 0) g->ncol = col;
    if (col != g->ncol)
      return pl_fail_at(g->env, PL_E_INPUT, g->path, line, 0, NULL,
                        "%d cells in a table of %d columns", col, g->ncol);
  }
  return PL_OK;
}

// one column: numbers, empty ones are NaN, or texts where one cell is none
static pl_status put_column(packing *p, const grid *g, int col, const char *name) {
  int n = g->nrow - 1, numbers = 1;
  double *x = pl_alloc(p->env, (size_t)n, sizeof *x);
  const char **text = pl_alloc(p->env, (size_t)n, sizeof *text);
  pl_status s = x && text ? PL_OK : PL_E_NOMEM;
  for (int i = 0; i < n && s == PL_OK; i++) {
    text[i] = g->cell[(size_t)(i + 1) * (size_t)g->ncol + (size_t)col];
    x[i] = NAN;
    if (text[i][0]) numbers &= pl_number_word(text[i], strlen(text[i]), &x[i]);
  }
  if (s == PL_OK)
    s = numbers ? pl_npz_put(p->z, name, "f8", 1, (int64_t[]){n}, x)
                : pl_npz_text(p->z, name, n, text);
  pl_free(p->env, x);
  pl_free(p->env, text);
  return s;
}

static pl_status put_table(packing *p, const char *file, int length) {
  char path[PATH_SIZE], name[1000];
  size_t size;
  grid g = {.env = p->env, .path = path_of(p, file, path)};
  PL_TRY(pl_file_read(p->env, path, 0, &g.data, &size));
  pl_status s = cut_cells(&g);
  for (int c = 0; c < g.ncol && s == PL_OK; c++) {
    int before = 0;
    for (int i = 0; i < c; i++) before += strcmp(g.cell[i], g.cell[c]) == 0;
    int n = snprintf(name, sizeof name, "tables/%.*s/%.400s", length, file, g.cell[c]);
    // of one name in a table, the later ones are numbered
    if (before > 0) snprintf(name + n, sizeof name - (size_t)n, "_%d", before + 1);
    s = put_column(p, &g, c, name);
  }
  pl_free(p->env, g.cell);
  pl_free(p->env, g.data);
  return s;
}

// ---- figures ------------------------------------------------------------------------------------

// numbers in nested lists of equal length; 0: it is something else
static int shape_of(const json_t *j, int dim, int64_t *shape, int *ndim) {
  if (json_is_number(j) || json_is_null(j)) {
    if (*ndim < 0) *ndim = dim;
    return *ndim == dim;
  }
  if (!json_is_array(j) || dim == DIMS) return 0;
  int64_t n = (int64_t)json_array_size(j);
  if (shape[dim] < 0) shape[dim] = n;
  if (shape[dim] != n) return 0;
  for (size_t i = 0; i < json_array_size(j); i++)
    if (!shape_of(json_array_get(j, i), dim + 1, shape, ndim)) return 0;
  return n > 0;
}

static double *flatten(const json_t *j, double *to) {
  if (!json_is_array(j)) {
    *to = json_is_number(j) ? json_number_value(j) : NAN;
    return to + 1;
  }
  for (size_t i = 0; i < json_array_size(j); i++) to = flatten(json_array_get(j, i), to);
  return to;
}

static pl_status put_numbers(packing *p, const char *name, const json_t *j, int ndim,
                             const int64_t *shape) {
  int64_t n = 1;
  for (int k = 0; k < ndim; k++) n *= shape[k];
  double *x = pl_alloc(p->env, (size_t)n, sizeof *x);
  if (!x) return PL_E_NOMEM;
  flatten(j, x);
  pl_status s = pl_npz_put(p->z, name, "f8", ndim, shape, x);
  pl_free(p->env, x);
  return s;
}

static pl_status put_figures(packing *p, const char *name, const json_t *j, int depth) {
  int64_t shape[DIMS] = {-1, -1, -1};
  int ndim = -1;
  char below[1200];
  if (shape_of(j, 0, shape, &ndim)) return put_numbers(p, name, j, ndim, shape);
  if (json_is_boolean(j)) {
    unsigned char is = json_is_true(j);
    return pl_npz_put(p->z, name, "u1", 0, NULL, &is);
  }
  const char *text = json_string_value(j);
  if (text) return pl_npz_text(p->z, name, -1, &text);
  if (depth == DEPTH_MOST) return PL_OK;
  for (size_t i = 0; i < json_array_size(j); i++) {
    snprintf(below, sizeof below, "%.900s/%zu", name, i);
    PL_TRY(put_figures(p, below, json_array_get(j, i), depth + 1));
  }
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)j, key, value) {
    snprintf(below, sizeof below, "%.800s/%.200s", name, key);
    PL_TRY(put_figures(p, below, value, depth + 1));
  }
  return PL_OK;
}

static pl_status put_summary(packing *p, const json_t *summary) {
  char name[600];
  const json_t *all = json_object_get(summary, "analyses");
  for (size_t k = 0; k < json_array_size(all); k++) {
    const json_t *one = json_array_get(all, k);
    const char *title = json_string_value(json_object_get(one, "name"));
    snprintf(name, sizeof name, "figures/%.500s", title ? title : "analysis");
    PL_TRY(put_figures(p, name, one, 0));
  }
  return put_figures(p, "figures/model", json_object_get(summary, "model"), 0);
}

static pl_status put_text(packing *p, const char *file, const char *name, char **kept) {
  char path[PATH_SIZE], *data;
  size_t size;
  *kept = NULL;
  PL_TRY(pl_file_read(p->env, path_of(p, file, path), 0, &data, &size));
  pl_status s = pl_npz_text(p->z, name, -1, (const char *[]){data});
  *kept = data;
  return s;
}

static pl_status put_texts(packing *p) {
  char *text, path[PATH_SIZE];
  json_error_t e;
  PL_TRY(put_text(p, "summary.json", "summary", &text));
  json_t *summary = json_loads(text, 0, &e);
  pl_free(p->env, text);
  if (!summary)
    return pl_fail_at(p->env, PL_E_INPUT, path_of(p, "summary.json", path), e.line, e.column, NULL,
                      "%s", e.text);
  pl_status s = put_summary(p, summary);
  json_decref(summary);
  for (int k = 0; k < p->n && s == PL_OK; k++)
    if (strcmp(p->name[k], "scene.yaml") == 0) {
      s = put_text(p, "scene.yaml", "scene", &text);
      pl_free(p->env, text);
    }
  return s;
}

// ---- shapes and motions -------------------------------------------------------------------------

static pl_status put_shape(packing *p, const char *file, int length) {
  char path[PATH_SIZE], front[600];
  pl_grid *g;
  PL_TRY(pl_grid_read(p->env, path_of(p, file, path), NULL, &g));
  snprintf(front, sizeof front, "shapes/%.*s/", length, file);
  pl_status s = pl_npz_put_grid(p->z, front, g, "m");
  pl_grid_free(g);
  return s;
}

typedef struct motion {
  packing *p;
  char name[512];
  int n, cap, cap_file, cap_time;
  double *time;
  char **file;
  pl_grid **frame;
} motion;

// a frame of a PVD file: time and name
static pl_status add_frame(motion *m, const char *tag, const char *stop) {
  const char *time = memmem(tag, (size_t)(stop - tag), "timestep=\"", 10),
             *file = memmem(tag, (size_t)(stop - tag), "file=\"", 6),
             *end = file ? memchr(file + 6, '"', (size_t)(stop - file - 6)) : NULL;
  if (!time || !end || end - file > 400) return PL_OK;
  PL_TRY(pl_grow(m->p->env, &m->time, m->n, &m->cap_time, sizeof *m->time));
  PL_TRY(pl_grow(m->p->env, &m->file, m->n, &m->cap_file, sizeof *m->file));
  m->time[m->n] = NAN;
  pl_number_scan(time + 10, (size_t)(stop - time - 10), &m->time[m->n]);
  m->file[m->n] = pl_alloc(m->p->env, (size_t)(end - file), 1);
  if (!m->file[m->n]) return PL_E_NOMEM;
  memcpy(m->file[m->n++], file + 6, (size_t)(end - file - 6));
  return PL_OK;
}

static pl_status list_frames(motion *m, const char *pvd) {
  char path[PATH_SIZE], *data;
  size_t size;
  PL_TRY(pl_file_read(m->p->env, path_of(m->p, pvd, path), 0, &data, &size));
  pl_status s = PL_OK;
  for (const char *p = data; s == PL_OK && (p = strstr(p, "<DataSet")) != NULL;) {
    const char *stop = strchr(p, '>');
    if (!stop) break;
    s = add_frame(m, p, stop);
    p = stop;
  }
  pl_free(m->p->env, data);
  return s;
}

// frames share cells, vertices and fields
static int same_cells(const pl_grid *a, const pl_grid *b) {
  int same = a->nvert == b->nvert && a->nfield == b->nfield;
  for (int t = 0; t < PL_GRID_TYPES; t++) same &= a->cell[t].n == b->cell[t].n;
  for (int k = 0; k < a->nfield && same; k++)
    same = a->field[k].on_cells == b->field[k].on_cells && a->field[k].ncomp == b->field[k].ncomp &&
           strcmp(a->field[k].name, b->field[k].name) == 0;
  return same;
}

static pl_status read_frames(motion *m) {
  pl_env *env = m->p->env;
  m->frame = pl_alloc(env, (size_t)m->n, sizeof *m->frame);
  if (!m->frame) return PL_E_NOMEM;
  for (int k = 0; k < m->n; k++) {
    char path[PATH_SIZE];
    PL_TRY(pl_grid_read(env, path_of(m->p, m->file[k], path), NULL, &m->frame[k]));
    pl_grid *g = m->frame[k];
    if (k == 0) continue;
    if (!same_cells(m->frame[0], g))
      return pl_fail_at(env, PL_E_INPUT, path, 0, 0, NULL,
                        "it has other cells or fields than the first frame of the motion");
    for (int t = 0; t < PL_GRID_TYPES; t++) {
      pl_free(env, g->cell[t].v);
      g->cell[t].v = NULL;
    }
    PL_TRY(pl_report_progress(env, "pack", (double)k / m->n, m->name));
  }
  return PL_OK;
}

// field of all frames, -1: places; rows are those of all vertices, or of a type of cells
static pl_status put_moments(motion *m, const char *name, int field, int ncomp, size_t first,
                             int rows) {
  PL_TRY(pl_npz_begin(m->p->z, name, "f8", ncomp > 1 ? 3 : 2, (int64_t[]){m->n, rows, ncomp}));
  for (int k = 0; k < m->n; k++) {
    const double *data = field < 0 ? m->frame[k]->X : m->frame[k]->field[field].data;
    PL_TRY(pl_npz_add(m->p->z, data + first * (size_t)ncomp,
                      (size_t)rows * (size_t)ncomp * sizeof *data));
  }
  return pl_npz_end(m->p->z);
}

static pl_status put_field(motion *m, int k) {
  const pl_grid *g = m->frame[0];
  const pl_grid_field *f = &g->field[k];
  char name[1200];
  size_t first = 0;
  if (!f->on_cells) {
    snprintf(name, sizeof name, "motions/%s/point_data/%.300s", m->name, f->name);
    return put_moments(m, name, k, f->ncomp, 0, g->nvert);
  }
  for (int t = 0; t < PL_GRID_TYPES; t++) {
    if (g->cell[t].n == 0) continue;
    snprintf(name, sizeof name, "motions/%s/cell_data/%.300s/%s", m->name, f->name,
             pl_grid_name[t]);
    PL_TRY(put_moments(m, name, k, f->ncomp, first, g->cell[t].n));
    first += (size_t)g->cell[t].n;
  }
  return PL_OK;
}

static pl_status put_motion(motion *m) {
  char name[1200];
  const pl_grid *g = m->frame[0];
  snprintf(name, sizeof name, "motions/%s/time_s", m->name);
  PL_TRY(pl_npz_put(m->p->z, name, "f8", 1, (int64_t[]){m->n}, m->time));
  for (int t = 0; t < PL_GRID_TYPES; t++) {
    if (g->cell[t].n == 0) continue;
    snprintf(name, sizeof name, "motions/%s/cells/%s", m->name, pl_grid_name[t]);
    PL_TRY(pl_npz_put(m->p->z, name, "i4", 2, (int64_t[]){g->cell[t].n, pl_grid_nvert(t)},
                      g->cell[t].v));
  }
  snprintf(name, sizeof name, "motions/%s/points", m->name);
  PL_TRY(put_moments(m, name, -1, 3, 0, g->nvert));
  for (int k = 0; k < g->nfield; k++) PL_TRY(put_field(m, k));
  return PL_OK;
}

static pl_status pack_motion(packing *p, const char *pvd, int length) {
  motion m = {.p = p};
  snprintf(m.name, sizeof m.name, "%.*s", length, pvd);
  pl_status s = list_frames(&m, pvd);
  if (s == PL_OK && m.n > 0) s = read_frames(&m);
  if (s == PL_OK && m.n > 0) s = put_motion(&m);
  for (int k = 0; k < m.n; k++) {
    if (m.frame) pl_grid_free(m.frame[k]);
    pl_free(p->env, m.file[k]);
  }
  pl_free(p->env, m.frame);
  pl_free(p->env, m.file);
  pl_free(p->env, m.time);
  return s;
}

// ---- the folder ---------------------------------------------------------------------------------

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static pl_status list_files(packing *p) {
  DIR *dir = opendir(p->folder);
  if (!dir)
    return pl_fail_at(p->env, PL_E_IO, p->folder, 0, 0, NULL, "cannot open: %s", strerror(errno));
  pl_status s = PL_OK;
  for (struct dirent *e; s == PL_OK && p->n < FILES_MOST && (e = readdir(dir));) {
    if (e->d_name[0] == '.') continue;
    s = pl_grow(p->env, &p->name, p->n, &p->cap, sizeof *p->name);
    if (s == PL_OK && !(p->name[p->n] = pl_strdup(p->env, e->d_name))) s = PL_E_NOMEM;
    if (s == PL_OK) p->n++;
  }
  closedir(dir);
  if (p->n > 1) qsort(p->name, (size_t)p->n, sizeof *p->name, compare_names);
  return s;
}

static pl_status put_all(packing *p) {
  PL_TRY(pl_npz_put(p->z, "pliant_arrays", "i4", 0, NULL, &(int){1}));
  PL_TRY(put_texts(p));
  for (int k = 0; k < p->n; k++) {
    const char *name = p->name[k];
    int csv = stem(name, ".csv"), vtu = stem(name, ".vtu"), pvd = stem(name, ".pvd");
    if (csv) PL_TRY(put_table(p, name, csv));
    if (vtu) PL_TRY(put_shape(p, name, vtu));
    if (pvd) PL_TRY(pack_motion(p, name, pvd));
  }
  return PL_OK;
}

pl_status pl_results_pack(pl_env *env, const char *folder, const char *path) {
  packing p = {.env = env, .folder = folder};
  pl_status s = list_files(&p), end;
  if (s == PL_OK) s = pl_npz_create(env, path, &p.z);
  if (s == PL_OK) s = put_all(&p);
  end = pl_npz_close(p.z, s == PL_OK);
  for (int k = 0; k < p.n; k++) pl_free(env, p.name[k]);
  pl_free(env, p.name);
  return s == PL_OK ? end : s;
}
