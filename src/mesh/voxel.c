// Boxes of voxels: which are filled, and the mesh that they make.
#include "voxel_impl.h"

#include "pliant/math.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// voxels that a part gets when no size is given, at least and at most
static const double FEW = 2000, MANY = 100000;
// part of a voxel from which on it is filled to join two that meet in an edge
static const float JOIN_LEAST = 0.1f;

double voxel_choose(double volume, double area) {
  double thick = 2 * volume / area;
  return fmax(cbrt(volume / MANY), fmin(cbrt(volume / FEW), thick));
}

pl_status voxels_open(voxels *g, pl_env *env, const char *source, const double lo[3],
                      const double hi[3], double size) {
  double count = 1, nodes = 1;
  int cells[3];
  *g = (voxels){.env = env, .source = source};
  for (int d = 0; d < 3; d++) {
    double n = fmax(1, rint((hi[d] - lo[d]) / size));
    if (!(hi[d] - lo[d] >= 0.5 * size))
      return pl_fail_at(env, PL_E_INPUT, source, 0, 0, "use a smaller size",
                        "along %c the part is %.4g mm long, less than half a voxel of %.4g mm",
                        "xyz"[d], 1e3 * (hi[d] - lo[d]), 1e3 * size);
    count *= n;
    nodes *= n + 1;
    cells[d] = (int)fmin(n, INT_MAX / 2);
  }
  if (!(count <= VOXELS_MOST) || !(nodes < INT_MAX)) {
    char hint[PL_TEXT];
    snprintf(hint, sizeof hint, "use a size of at least %.3g mm",
             1e3 * size * cbrt(count / VOXELS_MOST) * 1.01);
    return pl_fail_at(env, PL_E_INPUT, source, 0, 0, hint,
                      "a box of %.3g voxels of %.4g mm is too large, the limit is %.3g", count,
                      1e3 * size, VOXELS_MOST);
  }
  return voxels_open_cells(g, env, source, lo, hi, cells);
}

pl_status voxels_open_cells(voxels *g, pl_env *env, const char *source, const double lo[3],
                            const double hi[3], const int n[3]) {
  *g = (voxels){.env = env, .source = source};
  for (int d = 0; d < 3; d++) {
    g->n[d] = n[d];
    g->lo[d] = lo[d];
    g->hi[d] = hi[d];
    g->h[d] = (hi[d] - lo[d]) / n[d];
  }
  g->part = pl_alloc(env, voxel_count(g), sizeof *g->part);
  g->full = pl_alloc(env, voxel_count(g), 1);
  return g->part && g->full ? PL_OK : PL_E_NOMEM;
}

void voxels_close(voxels *g) {
  pl_free(g->env, g->part);
  pl_free(g->env, g->full);
  g->part = NULL;
  g->full = NULL;
}

// ---- neighbours -------------------------------------------------------------------------------

static int is_outside(const voxels *g, int x, int y, int z) {
  return x < 0 || y < 0 || z < 0 || x >= g->n[0] || y >= g->n[1] || z >= g->n[2];
}

// corner c of the eight voxels around a lattice vertex lies on the far side in x, y, z by its bits
static int voxel_pieces(unsigned mask, int *piece) {
  int n = 0;
  for (int c = 0; c < 8; c++) piece[c] = -1;
  for (int c = 0; c < 8; c++) {
    if (!(mask >> c & 1) || piece[c] >= 0) continue;
    int stack[8], top = 0;
    piece[c] = n;
    stack[top++] = c;
    while (top > 0) {
      int at = stack[--top];
      for (int d = 0; d < 3; d++) {
        int to = at ^ 1 << d;
        if (!(mask >> to & 1) || piece[to] >= 0) continue;
        piece[to] = n;
        stack[top++] = to;
      }
    }
    n++;
  }
  return n;
}

// The voxels around a lattice vertex as a mask: bit c of the one that lies on the far side in x, y,
// z by the bits of c.
static unsigned voxel_around(const voxels *g, const unsigned char *full, int i, int j, int k) {
  unsigned mask = 0;
  for (int c = 0; c < 8; c++) {
    int x = i - 1 + (c & 1), y = j - 1 + (c >> 1 & 1), z = k - 1 + (c >> 2 & 1);
    if (is_outside(g, x, y, z)) continue;
    mask |= (unsigned)full[voxel_at(g, x, y, z)] << c;
  }
  return mask;
}

// fills the best of the empty voxels around a vertex; 0: none has enough inside
static int join_at(voxels *g, int i, int j, int k, unsigned mask) {
  size_t best = 0;
  float most = 0;
  for (int c = 0; c < 8; c++) {
    int x = i - 1 + (c & 1), y = j - 1 + (c >> 1 & 1), z = k - 1 + (c >> 2 & 1);
    if (mask >> c & 1 || is_outside(g, x, y, z)) continue;
    size_t at = voxel_at(g, x, y, z);
    if (g->part[at] <= most) continue;
    most = g->part[at];
    best = at;
  }
  if (!(most >= JOIN_LEAST)) return 0;
  g->full[best] = 1;
  return 1;
}

// where filled voxels meet in an edge or a corner alone; a filled one may make new such places
static pl_status join(voxels *g, int *njoined) {
  int piece[8], changed = 1;
  while (changed) {
    changed = 0;
    for (int k = 0; k <= g->n[2]; k++) {
      PL_TRY(pl_report_progress(g->env, NULL, -1, NULL));
      for (int j = 0; j <= g->n[1]; j++)
        for (int i = 0; i <= g->n[0]; i++) {
          unsigned mask = voxel_around(g, g->full, i, j, k);
          while (voxel_pieces(mask, piece) > 1 && join_at(g, i, j, k, mask)) {
            changed = 1;
            ++*njoined;
            mask = voxel_around(g, g->full, i, j, k);
          }
        }
    }
  }
  return PL_OK;
}

// ---- thin places ------------------------------------------------------------------------------

// a flood over voxels of a mark: how many, and the box around them
typedef struct flood {
  int n, lo[3], hi[3];
  double part; // sum
  int cap;
  size_t *stack;
} flood;

static pl_status flood_from(const voxels *g, size_t start, unsigned char *mark, int far, flood *f) {
  int top = 0;
  f->n = 0;
  f->part = 0;
  voxel_place(g, start, f->lo);
  voxel_place(g, start, f->hi);
  mark[start] = 0;
  PL_TRY(pl_grow(g->env, &f->stack, top, &f->cap, sizeof *f->stack));
  f->stack[top++] = start;
  while (top > 0) {
    size_t at = f->stack[--top];
    int p[3];
    voxel_place(g, at, p);
    f->n++;
    f->part += (double)g->part[at];
    for (int d = 0; d < 3; d++) {
      if (p[d] < f->lo[d]) f->lo[d] = p[d];
      if (p[d] > f->hi[d]) f->hi[d] = p[d];
    }
    for (int c = 0; c < 27; c++) {
      int x = c % 3 - 1, y = c / 3 % 3 - 1, z = c / 9 - 1;
      if (abs(x) + abs(y) + abs(z) > far) continue;
      if (is_outside(g, p[0] + x, p[1] + y, p[2] + z)) continue;
      size_t to = voxel_at(g, p[0] + x, p[1] + y, p[2] + z);
      if (!mark[to]) continue;
      mark[to] = 0;
      PL_TRY(pl_grow(g->env, &f->stack, top, &f->cap, sizeof *f->stack));
      f->stack[top++] = to;
    }
  }
  return PL_OK;
}

// middle of a flood, for messages
static const char *flood_middle(const voxels *g, const flood *f, char *out) {
  double x[3];
  for (int d = 0; d < 3; d++) x[d] = g->lo[d] + g->h[d] * 0.5 * (f->lo[d] + f->hi[d] + 1);
  snprintf(out, 120, "(%.4g, %.4g, %.4g) mm", 1e3 * x[0], 1e3 * x[1], 1e3 * x[2]);
  return out;
}

static pl_status complain(const voxels *g, const pl_voxel_opts *o, const char *hint,
                          const char *text) {
  if (!o->allow_thin) return pl_fail_at(g->env, PL_E_INPUT, g->source, 0, 0, hint, "%s", text);
  pl_report(g->env, PL_WARNING, g->source, 0, 0, NULL, "%s", text);
  return PL_OK;
}

// 1: some material, not filled, and nothing filled around it
static int is_lost(const voxels *g, size_t at) {
  int p[3];
  if (g->full[at] || g->part[at] < 0.01f) return 0;
  voxel_place(g, at, p);
  for (int c = 0; c < 27; c++) {
    int x = p[0] + c % 3 - 1, y = p[1] + c / 3 % 3 - 1, z = p[2] + c / 9 - 1;
    if (!is_outside(g, x, y, z) && g->full[voxel_at(g, x, y, z)]) return 0;
  }
  return 1;
}

// how thick what was flooded is, as a wall or as a strut
static double flood_thickness(const voxels *g, const flood *f) {
  double side[3], volume = f->part * g->h[0] * g->h[1] * g->h[2];
  for (int d = 0; d < 3; d++) side[d] = g->h[d] * (f->hi[d] - f->lo[d] + 1);
  double longest = fmax(side[0], fmax(side[1], side[2]));
  double shortest = fmin(side[0], fmin(side[1], side[2]));
  double wall = volume * shortest / (side[0] * side[1] * side[2]);
  return fmin(wall, sqrt(volume / longest));
}

// struts and walls that have vanished: three voxels or more in a row
static pl_status check_lost(const voxels *g, const pl_voxel_opts *o, unsigned char *mark,
                            pl_voxel_info *info) {
  flood f = {0}, worst = {0};
  size_t n = voxel_count(g);
  pl_status s = PL_OK;
  double cell = g->h[0] * g->h[1] * g->h[2];
  for (size_t at = 0; at < n; at++) mark[at] = (unsigned char)is_lost(g, at);
  for (size_t at = 0; s == PL_OK && at < n; at++) {
    if (!mark[at]) continue;
    s = flood_from(g, at, mark, 3, &f);
    int across = 0;
    for (int d = 0; d < 3; d++) across = across > f.hi[d] - f.lo[d] ? across : f.hi[d] - f.lo[d];
    info->lost += f.part * cell;
    if (across >= 2 && f.part > worst.part) worst = f;
  }
  pl_free(g->env, f.stack);
  if (s != PL_OK || !(worst.part > 0)) return s;
  char text[PL_TEXT], hint[PL_TEXT], place[120];
  snprintf(hint, sizeof hint, "it is about %.2g mm thick there: use a size of that, or thin: allow",
           1e3 * flood_thickness(g, &worst));
  snprintf(text, sizeof text,
           "the part is thinner than a voxel about %s: %.3g mm^3 of its %.4g would vanish",
           flood_middle(g, &worst, place), 1e9 * info->lost, 1e9 * info->exact);
  return complain(g, o, hint, text);
}

// pieces of the filled voxels by their faces; least: the smallest one
static pl_status count_pieces(const voxels *g, unsigned char *mark, flood *least, int *count) {
  flood f = {0};
  size_t n = voxel_count(g);
  pl_status s = PL_OK;
  *count = 0;
  *least = (flood){.n = INT_MAX};
  memcpy(mark, g->full, n);
  for (size_t at = 0; s == PL_OK && at < n; at++) {
    if (!mark[at]) continue;
    s = flood_from(g, at, mark, 1, &f);
    if (f.n < least->n) *least = f;
    ++*count;
  }
  pl_free(g->env, f.stack);
  return s;
}

pl_status voxels_pieces(const voxels *g, int *count) {
  flood least;
  unsigned char *mark = pl_alloc(g->env, voxel_count(g), 1);
  if (!mark) return PL_E_NOMEM;
  pl_status s = count_pieces(g, mark, &least, count);
  pl_free(g->env, mark);
  return s;
}

static pl_status check_pieces(const voxels *g, const pl_voxel_opts *o, int npiece,
                              unsigned char *mark) {
  flood least;
  int count;
  PL_TRY(count_pieces(g, mark, &least, &count));
  if (count <= npiece) return PL_OK;
  char text[PL_TEXT], place[120];
  snprintf(text, sizeof text,
           "voxels of %.4g mm fall apart into %d pieces where the part has %d; the smallest has %d "
           "%s, about %s",
           1e3 * g->h[0], count, npiece, least.n, pl_plural(least.n, "voxel", "voxels"),
           flood_middle(g, &least, place));
  return complain(g, o,
                  "use a size no larger than what joins them is thick (pieces that meet in an edge "
                  "alone are not joined), or thin: allow",
                  text);
}

pl_status voxels_fill(voxels *g, const pl_voxel_opts *o, int npiece, pl_voxel_info *info) {
  size_t n = voxel_count(g);
  // rounding must not decide about voxels that are filled just so far
  float least = (float)((o->fraction > 0 ? o->fraction : 0.5) - 1e-6);
  double cell = g->h[0] * g->h[1] * g->h[2];
  for (size_t at = 0; at < n; at++) g->full[at] = g->part[at] >= least;
  info->njoined = 0;
  PL_TRY(join(g, &info->njoined));
  size_t count = 0;
  for (size_t at = 0; at < n; at++) count += g->full[at];
  info->nvoxel = (int)count;
  info->volume = (double)count * cell;
  info->lost = 0;
  memcpy(info->edge, g->h, sizeof g->h);
  memcpy(info->grid, g->n, sizeof g->n);
  if (o->most > 0 && count > (size_t)o->most)
    return pl_fail_at(g->env, PL_E_INPUT, g->source, 0, 0, "use a larger size",
                      "%zu voxels of %.4g mm are filled, more than the limit of %d", count,
                      1e3 * g->h[0], o->most);
  if (count == 0)
    return pl_fail_at(g->env, PL_E_INPUT, g->source, 0, 0, "use a smaller size",
                      "no voxel of %.4g x %.4g x %.4g mm is filled to %.3g: the part is thinner "
                      "than that",
                      1e3 * g->h[0], 1e3 * g->h[1], 1e3 * g->h[2],
                      o->fraction > 0 ? o->fraction : 0.5);
  unsigned char *mark = pl_alloc(g->env, n, 1);
  if (!mark) return PL_E_NOMEM;
  pl_status s = check_lost(g, o, mark, info);
  if (s == PL_OK) s = check_pieces(g, o, npiece, mark);
  pl_free(g->env, mark);
  return s;
}

// ---- the mesh ---------------------------------------------------------------------------------

// corners of a hexahedron in VTK's order, by bits
static const int hex_corner[8] = {0, 1, 3, 2, 4, 5, 7, 6};

// the nodes at a lattice vertex, one for every piece of the voxels around it; cell: numbers of the
// filled voxels. v NULL: they are counted only
static int vertex_nodes(const voxels *g, const int *cell, int i, int j, int k, int first, int *v) {
  int piece[8];
  unsigned mask = voxel_around(g, g->full, i, j, k);
  int n = mask ? voxel_pieces(mask, piece) : 0;
  for (int c = 0; v && n > 0 && c < 8; c++) {
    if (piece[c] < 0) continue;
    size_t at = voxel_at(g, i - 1 + (c & 1), j - 1 + (c >> 1 & 1), k - 1 + (c >> 2 & 1));
    // this vertex is the opposite corner of that voxel
    int bits = 7 - c, local = 0;
    while (hex_corner[local] != bits) local++;
    v[8 * (size_t)cell[at] + (size_t)local] = first + piece[c];
  }
  return n;
}

static pl_status number_nodes(const voxels *g, const int *cell, int *v, double *X, int *count) {
  int n = 0;
  for (int k = 0; k <= g->n[2]; k++) {
    PL_TRY(pl_report_progress(g->env, NULL, -1, NULL));
    for (int j = 0; j <= g->n[1]; j++)
      for (int i = 0; i <= g->n[0]; i++) {
        int more = vertex_nodes(g, cell, i, j, k, n, v);
        for (int p = 0; X && p < more; p++) {
          X[3 * (size_t)(n + p)] = voxel_plane(g, 0, i);
          X[3 * (size_t)(n + p) + 1] = voxel_plane(g, 1, j);
          X[3 * (size_t)(n + p) + 2] = voxel_plane(g, 2, k);
        }
        n += more;
      }
  }
  *count = n;
  return PL_OK;
}

static pl_status side_sets(pl_mesh *m, const pl_mesh *taken) {
  static const char *const name[6] = {"left", "right", "front", "back", "bottom", "top"};
  double bound[2][3];
  pl_mesh_bounds(m, bound[0], bound[1]);
  int *list = pl_alloc(m->env, (size_t)m->nvert, sizeof *list);
  if (!list) return PL_E_NOMEM;
  pl_status s = PL_OK;
  for (int side = 0; s == PL_OK && side < 6; side++) {
    int n = 0, d = side / 2;
    if (taken && pl_mesh_find_set(taken, name[side])) continue;
    for (int i = 0; i < m->nvert; i++)
      if (m->X[3 * (size_t)i + (size_t)d] == bound[side % 2][d]) list[n++] = i;
    s = pl_mesh_add_set(m, name[side], -1, n, list);
  }
  pl_free(m->env, list);
  return s;
}

static pl_status make_mesh(const voxels *g, int *cell, const pl_mesh *taken, pl_mesh **out) {
  int ncell = 0, nvert;
  for (size_t at = 0; at < voxel_count(g); at++) cell[at] = g->full[at] ? ncell++ : -1;
  PL_TRY(number_nodes(g, cell, NULL, NULL, &nvert));
  PL_TRY(pl_mesh_create(g->env, g->source, nvert, out));
  PL_TRY(pl_mesh_set_cells(*out, PL_HEX8, ncell));
  PL_TRY(number_nodes(g, cell, (*out)->cell[PL_HEX8].v, (*out)->X, &nvert));
  return side_sets(*out, taken);
}

pl_status voxels_mesh(const voxels *g, const pl_mesh *taken, pl_mesh **out) {
  *out = NULL;
  int *cell = pl_alloc(g->env, voxel_count(g), sizeof *cell);
  if (!cell) return PL_E_NOMEM;
  pl_status s = make_mesh(g, cell, taken, out);
  pl_free(g->env, cell);
  if (s == PL_OK) return PL_OK;
  pl_mesh_free(*out);
  *out = NULL;
  return s;
}

pl_status voxels_label(const voxels *g, const float *label, const char *name, pl_mesh *m) {
  int *list = pl_alloc(g->env, (size_t)m->cell[PL_HEX8].n, sizeof *list), n = 0, cell = 0;
  if (!list) return PL_E_NOMEM;
  for (size_t at = 0; at < voxel_count(g); at++) {
    if (!g->full[at]) continue;
    if (label[at] > 0 && (double)label[at] >= (0.5 - 1e-6) * (double)g->part[at]) list[n++] = cell;
    cell++;
  }
  pl_status s = n > 0 ? pl_mesh_add_set(m, name, PL_HEX8, n, list) : PL_OK;
  if (n == 0)
    pl_report(g->env, PL_WARNING, g->source, 0, 0, "use a smaller size",
              "no voxel lies in the group '%s' by half or more: it is left out", name);
  pl_free(g->env, list);
  return s;
}
