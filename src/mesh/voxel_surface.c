// Closed surfaces: are they, and what is inside them along lines.
#include "voxel_impl.h"

#include "pliant/math.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// vertices nearer than this part of the size are one: exporters round
static const double SAME = 1e-6;

// ---- the triangles ----------------------------------------------------------------------------

static int has_solids(const pl_mesh *m) {
  for (int t = 0; t < PL_CELL_COUNT; t++)
    if (pl_cell_dim[t] == 3 && m->cell[t].n > 0) return 1;
  return 0;
}

static pl_status copy_cells(const pl_mesh *m, int type, const pl_set *set, pl_mesh *to) {
  int nv = pl_cell_nvert[type], n = set ? set->n : m->cell[type].n;
  PL_TRY(pl_mesh_set_cells(to, type, n));
  for (int e = 0; e < n; e++)
    memcpy(to->cell[type].v + (size_t)nv * (size_t)e,
           m->cell[type].v + (size_t)nv * (size_t)(set ? set->index[e] : e),
           (size_t)nv * sizeof(int));
  return PL_OK;
}

// the cells that make the surface: solids or faces; of a set only its own
static pl_status pick_cells(const pl_mesh *m, const char *set, int dim, pl_mesh *to) {
  memcpy(to->X, m->X, 3 * (size_t)m->nvert * sizeof *m->X);
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    if (pl_cell_dim[t] != dim) continue;
    if (!set) PL_TRY(copy_cells(m, t, NULL, to));
    for (int k = 0; set && k < m->nset; k++)
      if (m->set[k].type == t && strcmp(m->set[k].name, set) == 0)
        PL_TRY(copy_cells(m, t, &m->set[k], to));
  }
  return PL_OK;
}

// triangles with three different corners
static void drop_flat(hull *s) {
  int n = 0;
  for (int e = 0; e < s->ntri; e++) {
    int *v = s->tri + 3 * (size_t)e;
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
    memmove(s->tri + 3 * (size_t)n++, v, 3 * sizeof *v);
  }
  s->ntri = n;
}

static pl_status collect_triangles(const pl_mesh *m, const char *set, int dim, hull *s) {
  pl_mesh *own;
  double lo[3], hi[3], d[3];
  PL_TRY(pl_mesh_create(m->env, m->source, m->nvert, &own));
  pl_status st = pick_cells(m, set, dim, own);
  pl_mesh_bounds(m, lo, hi);
  pl_sub3(hi, lo, d);
  if (st == PL_OK && dim == 2) st = pl_mesh_weld(own, SAME * pl_norm3(d), NULL);
  if (st == PL_OK) st = pl_mesh_surface(own, &s->ntri, &s->tri, NULL);
  if (st == PL_OK) {
    s->nvert = own->nvert;
    s->X = pl_alloc(m->env, (size_t)own->nvert, 3 * sizeof *s->X);
    if (s->X) memcpy(s->X, own->X, 3 * (size_t)own->nvert * sizeof *s->X);
    if (!s->X) st = PL_E_NOMEM;
    drop_flat(s);
  }
  pl_mesh_free(own);
  return st;
}

// ---- is it closed? ----------------------------------------------------------------------------

// edges of all triangles in groups of equal ones
typedef struct edges {
  int n, ngroup;
  int *key, *order, *id; // [n][2], [n], [n]
} edges;

static void edges_free(pl_env *env, edges *e) {
  pl_free(env, e->key);
  pl_free(env, e->order);
  pl_free(env, e->id);
}

static pl_status edges_find(const hull *s, edges *e) {
  *e = (edges){.n = 3 * s->ntri};
  e->key = pl_alloc(s->env, (size_t)e->n, 2 * sizeof *e->key);
  e->order = pl_alloc(s->env, (size_t)e->n, sizeof *e->order);
  e->id = pl_alloc(s->env, (size_t)e->n, sizeof *e->id);
  if (!e->key || !e->order || !e->id) return PL_E_NOMEM;
  for (int i = 0; i < e->n; i++) {
    const int *v = s->tri + 3 * (size_t)(i / 3);
    e->key[2 * i] = v[i % 3];
    e->key[2 * i + 1] = v[(i % 3 + 1) % 3];
    mesh_sort_row(2, e->key + 2 * i);
  }
  return mesh_group(s->env, s->nvert, 2, e->n, e->key, e->order, e->id, &e->ngroup);
}

// what is wrong with the edges
typedef struct faults {
  int open, many; // edges of one triangle; of three, five, ...
  int first_many; // an edge of the latter, -1: none
  int uneven;     // edges that triangles pass the same way
  int *up;        // [nvert] vertices of open edges in loops
} faults;

static int edge_way(const hull *s, const edges *e, int i) {
  return s->tri[3 * (size_t)(i / 3) + (size_t)(i % 3)] == e->key[2 * i] ? 1 : -1;
}

static void judge_edges(const hull *s, const edges *e, faults *f) {
  f->first_many = -1;
  for (int i = 0; i < s->nvert; i++) f->up[i] = i;
  for (int a = 0, b; a < e->n; a = b) {
    int sum = 0, first = e->order[a];
    for (b = a; b < e->n && e->id[e->order[b]] == e->id[first]; b++)
      sum += edge_way(s, e, e->order[b]);
    f->uneven += sum != 0;
    if ((b - a) % 2 == 0) continue;
    if (b - a == 1) {
      f->open++;
      pl_unite(f->up, e->key[2 * first], e->key[2 * first + 1]);
    } else if (f->many++ == 0) {
      f->first_many = first;
    }
  }
}

// the loop of open edges of most vertices, and how many there are
static pl_status open_message(const hull *s, const faults *f, char *text, size_t size) {
  int *count = pl_alloc(s->env, (size_t)s->nvert, sizeof *count), loops = 0, best = 0;
  if (!count) return PL_E_NOMEM;
  for (int i = 0; i < s->nvert; i++) count[pl_root(f->up, i)]++;
  for (int i = 0; i < s->nvert; i++) {
    loops += count[i] > 1;
    if (count[i] > count[best]) best = i;
  }
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, d[3];
  for (int i = 0; i < s->nvert; i++)
    for (int c = 0; c < 3 && pl_root(f->up, i) == best; c++) {
      lo[c] = fmin(lo[c], s->X[3 * (size_t)i + (size_t)c]);
      hi[c] = fmax(hi[c], s->X[3 * (size_t)i + (size_t)c]);
    }
  pl_sub3(hi, lo, d);
  snprintf(text, size,
           "the surface is open: %d %s, %d edges without a second triangle; the largest has %d "
           "edges, is %.3g mm across and lies about (%.4g, %.4g, %.4g) mm",
           loops, pl_plural(loops, "hole", "holes"), f->open, count[best], 1e3 * pl_norm3(d),
           500 * (lo[0] + hi[0]), 500 * (lo[1] + hi[1]), 500 * (lo[2] + hi[2]));
  pl_free(s->env, count);
  return PL_OK;
}

static pl_status report_faults(const hull *s, const edges *e, const faults *f) {
  char text[PL_TEXT];
  if (f->open > 0) {
    PL_TRY(open_message(s, f, text, sizeof text));
    return pl_fail_at(s->env, PL_E_INPUT, s->source, 0, 0,
                      "close it where it was made (e.g. Blender: Mesh, Clean Up, Fill Holes); "
                      "corners that are nearly one are joined by merge: 0.01 mm",
                      "%s", text);
  }
  const double *a = s->X + 3 * (size_t)e->key[2 * f->first_many];
  const double *b = s->X + 3 * (size_t)e->key[2 * f->first_many + 1];
  return pl_fail_at(s->env, PL_E_INPUT, s->source, 0, 0,
                    "take out walls inside the part (e.g. Blender: Select, All by Trait, "
                    "Non Manifold)",
                    "%d %s of the surface %s three triangles or another odd number, one of them "
                    "about (%.4g, %.4g, %.4g) mm: what is inside is not known",
                    f->many, pl_plural(f->many, "edge", "edges"), pl_plural(f->many, "has", "have"),
                    500 * (a[0] + b[0]), 500 * (a[1] + b[1]), 500 * (a[2] + b[2]));
}

// ---- measures ---------------------------------------------------------------------------------

// volume, area, and pieces that are not hollows in others
static pl_status measure(hull *s, int *up) {
  double *volume = pl_alloc(s->env, (size_t)s->nvert, sizeof *volume);
  if (!volume) return PL_E_NOMEM;
  for (int i = 0; i < s->nvert; i++) up[i] = i;
  for (int e = 0; e < s->ntri; e++) {
    const int *v = s->tri + 3 * (size_t)e;
    pl_unite(up, v[0], v[1]);
    pl_unite(up, v[0], v[2]);
  }
  s->volume = s->area = 0;
  for (int e = 0; e < s->ntri; e++) {
    const int *v = s->tri + 3 * (size_t)e;
    double a[3], b[3], c[3], n[3];
    // about a vertex: far from the origin nothing must cancel
    pl_sub3(s->X + 3 * (size_t)v[0], s->X, c);
    pl_sub3(s->X + 3 * (size_t)v[1], s->X + 3 * (size_t)v[0], a);
    pl_sub3(s->X + 3 * (size_t)v[2], s->X + 3 * (size_t)v[0], b);
    pl_cross3(a, b, n);
    volume[pl_root(up, v[0])] += pl_dot3(c, n) / 6;
    s->volume += pl_dot3(c, n) / 6;
    s->area += 0.5 * pl_norm3(n);
  }
  for (int i = 0; i < s->nvert; i++)
    s->npiece += s->oriented ? volume[i] * s->volume > 0 : volume[i] != 0;
  s->volume = fabs(s->volume);
  pl_free(s->env, volume);
  return PL_OK;
}

static pl_status examine(hull *s, int quiet) {
  faults f = {0};
  edges e = {0};
  f.up = pl_alloc(s->env, (size_t)s->nvert + 1, sizeof *f.up);
  pl_status st = f.up ? edges_find(s, &e) : PL_E_NOMEM;
  if (st == PL_OK) {
    judge_edges(s, &e, &f);
    s->oriented = f.uneven == 0;
    if (f.open + f.many > 0) st = quiet ? PL_DOMAIN : report_faults(s, &e, &f);
  }
  if (st == PL_OK) st = measure(s, f.up);
  edges_free(s->env, &e);
  pl_free(s->env, f.up);
  return st;
}

pl_status hull_create(const pl_mesh *m, const char *set, int dim, int quiet, hull *out) {
  *out = (hull){.env = m->env, .source = m->source, .solid = has_solids(m)};
  if (dim == 0) dim = out->solid ? 3 : 2;
  PL_TRY(mesh_check_indices(m));
  PL_TRY(collect_triangles(m, set, dim, out));
  if (out->ntri == 0)
    return quiet ? PL_DOMAIN
                 : pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0, "save the faces of the part",
                              "there is no surface to fill: no triangles, quads or solids");
  if (out->ntri > INT_MAX / 6)
    return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0, NULL, "%d triangles are too many",
                      out->ntri);
  return examine(out, quiet);
}

void hull_free(hull *s) {
  pl_free(s->env, s->X);
  pl_free(s->env, s->tri);
  *s = (hull){0};
}

// ---- what is inside ---------------------------------------------------------------------------

enum { LINES = 8 }; // along z through a voxel, in x and in y

// where a line along z passes a triangle
typedef struct crossing {
  int line; // along x
  int way;  // 1: from below
  double z;
} crossing;

typedef struct raster {
  const hull *s;
  const voxels *g;
  int evenodd, overlaps;
  int n, cap;
  crossing *at;
  int *first, *list; // triangles that touch each row of voxels
  float *part;
} raster;

static double line_x(const voxels *g, int i) {
  return g->lo[0] + g->h[0] * ((i + 0.5) / LINES);
}

// where an edge passes the plane of a y; the same for all triangles that share it
static void edge_at(const hull *s, int a, int b, double y, double *x, double *z) {
  const double *p = s->X + 3 * (size_t)(a < b ? a : b), *q = s->X + 3 * (size_t)(a < b ? b : a);
  double t = (y - p[1]) / (q[1] - p[1]);
  *x = p[0] + t * (q[0] - p[0]);
  *z = p[2] + t * (q[2] - p[2]);
}

// the lines at y that a triangle meets: those between its two edges there, counted half-open, so
// that where triangles share an edge exactly one is met
static pl_status meet(raster *r, const int *v, double y) {
  double x[2], z[2];
  int n = 0, way[2];
  for (int k = 0; k < 3; k++) {
    int a = v[k], b = v[(k + 1) % 3];
    int from = r->s->X[3 * (size_t)a + 1] <= y, to = r->s->X[3 * (size_t)b + 1] <= y;
    if (from == to) continue;
    edge_at(r->s, a, b, y, &x[n], &z[n]);
    way[n++] = from ? 1 : -1;
  }
  if (n != 2 || x[0] == x[1]) return PL_OK;
  int high = x[1] > x[0], low = 1 - high, most = LINES * r->g->n[0];
  int i = pl_floor_int((x[low] - r->g->lo[0]) / r->g->h[0] * LINES - 0.5);
  if (i < 0) i = 0;
  while (i < most && line_x(r->g, i) < x[low]) i++;
  for (; i < most && line_x(r->g, i) < x[high]; i++) {
    double t = (line_x(r->g, i) - x[low]) / (x[high] - x[low]);
    PL_TRY(pl_grow(r->s->env, &r->at, r->n, &r->cap, sizeof *r->at));
    r->at[r->n++] = (crossing){i, way[high], z[low] + t * (z[high] - z[low])};
  }
  return PL_OK;
}

static int compare_crossing(const void *a, const void *b) {
  const crossing *p = a, *q = b;
  if (p->line != q->line) return p->line < q->line ? -1 : 1;
  if (p->z != q->z) return p->z < q->z ? -1 : 1;
  return p->way - q->way;
}

// a stretch of a line inside
static void fill_stretch(const raster *r, int i, int j, double from, double to) {
  const voxels *g = r->g;
  double a = (from - g->lo[2]) / g->h[2], b = (to - g->lo[2]) / g->h[2];
  a = fmax(a, 0);
  b = fmin(b, g->n[2]);
  for (int k = pl_floor_int(a); k < g->n[2] && k < b; k++) {
    double part = fmin(b, k + 1) - fmax(a, k);
    r->part[voxel_at(g, i, j, k)] += (float)(part / (LINES * LINES));
  }
}

static void fill_lines(raster *r, int j) {
  int wind = 0;
  if (r->n > 0) qsort(r->at, (size_t)r->n, sizeof *r->at, compare_crossing);
  for (int k = 0; k + 1 < r->n; k++) {
    if (k == 0 || r->at[k].line != r->at[k - 1].line) wind = 0;
    wind += r->evenodd ? 1 - 2 * wind : r->at[k].way;
    r->overlaps |= wind > 1 || wind < -1;
    if (wind != 0 && r->at[k + 1].line == r->at[k].line)
      fill_stretch(r, r->at[k].line / LINES, j, r->at[k].z, r->at[k + 1].z);
  }
}

static pl_status fill_row(raster *r, int j) {
  for (int l = 0; l < LINES; l++) {
    double y = r->g->lo[1] + r->g->h[1] * (j + (l + 0.5) / LINES);
    r->n = 0;
    for (int k = r->first[j]; k < r->first[j + 1]; k++)
      PL_TRY(meet(r, r->s->tri + 3 * (size_t)r->list[k], y));
    fill_lines(r, j);
  }
  return pl_report_progress(r->s->env, "voxels", (j + 1.0) / r->g->n[1], NULL);
}

static void rows_of(const raster *r, int e, int *from, int *to) {
  const int *v = r->s->tri + 3 * (size_t)e;
  double lo = INFINITY, hi = -INFINITY;
  for (int k = 0; k < 3; k++) {
    lo = fmin(lo, r->s->X[3 * (size_t)v[k] + 1]);
    hi = fmax(hi, r->s->X[3 * (size_t)v[k] + 1]);
  }
  int last = r->g->n[1] - 1;
  *from = pl_floor_int((lo - r->g->lo[1]) / r->g->h[1] - 1e-9);
  *to = pl_floor_int((hi - r->g->lo[1]) / r->g->h[1] + 1e-9);
  if (*from < 0) *from = 0;
  if (*to > last) *to = last;
}

// which triangles each row of voxels has to look at
static pl_status sort_rows(raster *r) {
  int from, to, ny = r->g->n[1];
  long long total = 0;
  r->first = pl_alloc(r->s->env, (size_t)ny + 2, sizeof *r->first);
  if (!r->first) return PL_E_NOMEM;
  for (int e = 0; e < r->s->ntri; e++) {
    rows_of(r, e, &from, &to);
    for (int j = from; j <= to; j++) r->first[j + 2]++;
    total += to >= from ? to - from + 1 : 0;
  }
  if (total > INT_MAX)
    return pl_fail_at(r->s->env, PL_E_INPUT, r->s->source, 0, 0, "use a larger size",
                      "%d triangles in %d rows of voxels are too many", r->s->ntri, ny);
  r->list = pl_alloc(r->s->env, (size_t)total + 1, sizeof *r->list);
  if (!r->list) return PL_E_NOMEM;
  for (int j = 0; j < ny; j++) r->first[j + 2] += r->first[j + 1];
  for (int e = 0; e < r->s->ntri; e++) {
    rows_of(r, e, &from, &to);
    for (int j = from; j <= to; j++) r->list[r->first[j + 1]++] = e;
  }
  return PL_OK;
}

pl_status hull_raster(const hull *s, pl_fill_rule rule, const voxels *g, float *part,
                      int *overlaps) {
  raster r = {.s = s, .g = g, .part = part};
  r.evenodd = rule == PL_FILL_EVENODD || (rule == PL_FILL_AUTO && !s->oriented);
  pl_status st = sort_rows(&r);
  for (int j = 0; st == PL_OK && j < g->n[1]; j++) st = fill_row(&r, j);
  pl_free(s->env, r.at);
  pl_free(s->env, r.first);
  pl_free(s->env, r.list);
  if (overlaps) *overlaps = r.overlaps;
  return st;
}
