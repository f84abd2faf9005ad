#include "mesh_impl.h"

#include "pliant/math.h"

#include <limits.h>
#include <string.h>

// position i of n along a length; both ends exact
static double place(double l, int i, int n) {
  return i == n ? l : l * ((double)i / n);
}

static pl_status check_sizes(pl_env *env, const char *what, int dim, const int *n,
                             const double *l) {
  for (int d = 0; d < dim; d++) {
    if (n[d] < 1) return pl_fail(env, PL_E_INPUT, "%s: counts must be >= 1, got %d", what, n[d]);
    if (!(l[d] > 0) || !isfinite(l[d]))
      return pl_fail(env, PL_E_INPUT, "%s: lengths must be > 0 m, got %g m", what, l[d]);
  }
  return PL_OK;
}

// a mesh with nvert vertices and ncell cells of one type, counts checked before they become int
static pl_status start(pl_env *env, const char *what, double nvert, pl_cell_type type, double ncell,
                       pl_mesh **out) {
  *out = NULL;
  if (nvert > MESH_VERT_MAX || ncell > INT_MAX / pl_cell_nvert[type])
    return pl_fail(env, PL_E_INPUT, "%s: %.0f vertices and %.0f %ss are too many", what, nvert,
                   ncell, pl_cell_name[type]);
  PL_TRY(pl_mesh_create(env, what, (int)nvert, out));
  pl_status s = pl_mesh_set_cells(*out, type, (int)ncell);
  if (s == PL_OK) return PL_OK;
  pl_mesh_free(*out);
  *out = NULL;
  return s;
}

static pl_status finish(pl_status s, pl_mesh *m, pl_mesh **out) {
  if (s == PL_OK)
    *out = m;
  else
    pl_mesh_free(m);
  return s;
}

// adds the vertices with coordinate d equal to x as a set
static pl_status add_plane(pl_mesh *m, const char *name, int d, double x) {
  int *list = pl_alloc(m->env, (size_t)m->nvert, sizeof *list), n = 0;
  if (!list) return PL_E_NOMEM;
  for (int i = 0; i < m->nvert; i++)
    if (m->X[3 * i + d] == x) list[n++] = i;
  pl_status s = pl_mesh_add_set(m, name, -1, n, list);
  pl_free(m->env, list);
  return s;
}

static void set_vertex(pl_mesh *m, int i, double x, double y, double z) {
  m->X[3 * i] = x;
  m->X[3 * i + 1] = y;
  m->X[3 * i + 2] = z;
}

static int *put3(int *t, int a, int b, int c) {
  t[0] = a;
  t[1] = b;
  t[2] = c;
  return t + 3;
}

// ---- chain ------------------------------------------------------------------------------------

static pl_status chain_sets(pl_mesh *m) {
  int end = m->nvert - 1;
  PL_TRY(pl_mesh_add_set(m, "start", -1, 1, &(int){0}));
  return pl_mesh_add_set(m, "end", -1, 1, &end);
}

pl_status pl_gen_chain(pl_env *env, int n, const double a[3], const double b[3], pl_mesh **out) {
  *out = NULL;
  double d[3];
  pl_sub3(b, a, d);
  double length = pl_norm3(d);
  PL_TRY(check_sizes(env, "chain", 1, &n, &length));
  pl_mesh *m;
  PL_TRY(start(env, "chain", n + 1.0, PL_SEG2, n, &m));
  for (int i = 0; i <= n; i++)
    for (int k = 0; k < 3; k++) m->X[3 * i + k] = i == n ? b[k] : a[k] + d[k] * ((double)i / n);
  for (int i = 0; i < 2 * n; i++) m->cell[PL_SEG2].v[i] = i / 2 + i % 2;
  return finish(chain_sets(m), m, out);
}

// ---- grids ------------------------------------------------------------------------------------

static pl_status grid_sets(pl_mesh *m, double lx, double ly) {
  PL_TRY(add_plane(m, "left", 0, 0));
  PL_TRY(add_plane(m, "right", 0, lx));
  PL_TRY(add_plane(m, "bottom", 1, 0));
  return add_plane(m, "top", 1, ly);
}

static void lattice_vertices(pl_mesh *m, int nx, int ny, double lx, double ly) {
  for (int j = 0; j <= ny; j++)
    for (int i = 0; i <= nx; i++)
      set_vertex(m, (nx + 1) * j + i, place(lx, i, nx), place(ly, j, ny), 0);
}

// what a mesher makes of a rectangle: no two triangles alike, four to eight of them at a vertex
static void scatter_vertices(pl_mesh *m, int nx, int ny, double lx, double ly) {
  static const double most = 0.2; // of a square; at 0.25 a triangle could lose its area
  pl_rng rng;
  pl_rng_seed(&rng, 1);
  for (int j = 0; j <= ny; j++)
    for (int i = 0; i <= nx; i++) {
      double *x = m->X + 3 * (size_t)((nx + 1) * j + i);
      double dx = pl_rng_uniform(&rng, -most, most), dy = pl_rng_uniform(&rng, -most, most);
      if (i > 0 && i < nx) x[0] += dx * lx / nx;
      if (j > 0 && j < ny) x[1] += dy * ly / ny;
    }
}

static int is_shorter(const pl_mesh *m, int a, int b, int c, int d) {
  double ab[3], cd[3];
  pl_sub3(m->X + 3 * (size_t)b, m->X + 3 * (size_t)a, ab);
  pl_sub3(m->X + 3 * (size_t)d, m->X + 3 * (size_t)c, cd);
  return pl_dot3(ab, ab) < pl_dot3(cd, cd);
}

static void cut_squares(pl_mesh *m, int nx, int ny, pl_pattern pattern) {
  int *t = m->cell[PL_TRI3].v;
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      int a = (nx + 1) * j + i, b = a + 1, c = b + nx + 1, d = c - 1;
      int left = pattern == PL_LEFT || (pattern == PL_ALTERNATING && (i + j) % 2 == 1) ||
                 (pattern == PL_IRREGULAR && is_shorter(m, b, d, a, c));
      t = put3(t, a, b, left ? d : c);
      t = left ? put3(t, b, c, d) : put3(t, a, c, d);
    }
}

static void cross_squares(pl_mesh *m, int nx, int ny, double lx, double ly) {
  int *t = m->cell[PL_TRI3].v, centre = (nx + 1) * (ny + 1);
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++, centre++) {
      int a = (nx + 1) * j + i, b = a + 1, c = b + nx + 1, d = c - 1;
      set_vertex(m, centre, lx * ((i + 0.5) / nx), ly * ((j + 0.5) / ny), 0);
      t = put3(t, a, b, centre);
      t = put3(t, b, c, centre);
      t = put3(t, c, d, centre);
      t = put3(t, d, a, centre);
    }
}

// odd rows are shifted by half a width and have one vertex more, so that both sides are straight
static void stagger_rows(pl_mesh *m, int nx, int ny, double lx, double ly) {
  int *t = m->cell[PL_TRI3].v, first = 0;
  for (int j = 0; j <= ny; j++) {
    int odd = j % 2, last = nx + odd, next = first + last + 1;
    for (int i = 0; i <= last; i++) {
      double x = i == 0 ? 0 : i == last ? lx : lx * ((i - 0.5 * odd) / nx);
      set_vertex(m, first + i, x, place(ly, j, ny), 0);
    }

    // every vertex of the short row has a triangle to the long one, and the reverse, by turns
    for (int i = 0; j < ny && i <= nx; i++) {
      int low = first + i, up = next + i;
      t = odd ? put3(t, low, low + 1, up) : put3(t, low, up + 1, up);
      if (i == nx) continue;
      t = odd ? put3(t, low + 1, up + 1, up) : put3(t, low, low + 1, up + 1);
    }
    first = next;
  }
}

pl_status pl_gen_grid(pl_env *env, int nx, int ny, double lx, double ly, pl_pattern pattern,
                      pl_mesh **out) {
  *out = NULL;
  PL_TRY(check_sizes(env, "grid", 2, (int[]){nx, ny}, (double[]){lx, ly}));
  double nvert = (nx + 1.0) * (ny + 1.0), ntri = 2.0 * nx * ny;
  if (pattern == PL_CROSSED) {
    nvert += (double)nx * ny;
    ntri *= 2;
  } else if (pattern == PL_EQUILATERAL) {
    nvert += floor((ny + 1.0) / 2);
    ntri += ny;
  }
  pl_mesh *m;
  PL_TRY(start(env, "grid", nvert, PL_TRI3, ntri, &m));
  if (pattern == PL_EQUILATERAL) {
    stagger_rows(m, nx, ny, lx, ly);
  } else {
    lattice_vertices(m, nx, ny, lx, ly);
    if (pattern == PL_IRREGULAR) scatter_vertices(m, nx, ny, lx, ly);
    if (pattern == PL_CROSSED)
      cross_squares(m, nx, ny, lx, ly);
    else
      cut_squares(m, nx, ny, pattern);
  }
  return finish(grid_sets(m, lx, ly), m, out);
}

pl_status pl_gen_quads(pl_env *env, int nx, int ny, double lx, double ly, pl_mesh **out) {
  *out = NULL;
  PL_TRY(check_sizes(env, "quads", 2, (int[]){nx, ny}, (double[]){lx, ly}));
  pl_mesh *m;
  PL_TRY(start(env, "quads", (nx + 1.0) * (ny + 1.0), PL_QUAD4, (double)nx * ny, &m));
  lattice_vertices(m, nx, ny, lx, ly);
  int *q = m->cell[PL_QUAD4].v;
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++, q += 4) {
      int a = (nx + 1) * j + i;
      q[0] = a;
      q[1] = a + 1;
      q[2] = a + nx + 2;
      q[3] = a + nx + 1;
    }
  return finish(grid_sets(m, lx, ly), m, out);
}

// ---- disk -------------------------------------------------------------------------------------

// ring k has 6 k vertices and starts at number 1 + 3 k (k - 1); place i counts round it
static int ring_vertex(int k, int i) {
  return k == 0 ? 0 : 1 + 3 * k * (k - 1) + i % (6 * k);
}

// in each of six sectors, k + 1 triangles stand on the outer ring and k on the inner one
static int *fill_ring(int *t, int k) {
  for (int s = 0; s < 6; s++)
    for (int j = 0; j <= k; j++) {
      int inner = ring_vertex(k, s * k + j), outer = s * (k + 1) + j;
      t = put3(t, inner, ring_vertex(k + 1, outer), ring_vertex(k + 1, outer + 1));
      if (j < k) t = put3(t, inner, ring_vertex(k + 1, outer + 1), ring_vertex(k, s * k + j + 1));
    }
  return t;
}

static pl_status disk_sets(pl_mesh *m, int n) {
  PL_TRY(pl_mesh_add_set(m, "centre", -1, 1, &(int){0}));
  int *rim = pl_alloc(m->env, (size_t)(6 * n), sizeof *rim);
  if (!rim) return PL_E_NOMEM;
  for (int i = 0; i < 6 * n; i++) rim[i] = ring_vertex(n, i);
  pl_status s = pl_mesh_add_set(m, "rim", -1, 6 * n, rim);
  pl_free(m->env, rim);
  return s;
}

pl_status pl_gen_disk(pl_env *env, int n, double r, pl_mesh **out) {
  *out = NULL;
  PL_TRY(check_sizes(env, "disk", 1, &n, &r));
  pl_mesh *m;
  PL_TRY(start(env, "disk", 1 + 3.0 * n * (n + 1.0), PL_TRI3, 6.0 * n * n, &m));
  for (int k = 1; k <= n; k++)
    for (int i = 0; i < 6 * k; i++) {
      double angle = 2 * PL_PI * i / (6 * k);
      set_vertex(m, ring_vertex(k, i), place(r, k, n) * cos(angle), place(r, k, n) * sin(angle), 0);
    }
  int *t = m->cell[PL_TRI3].v;
  for (int k = 0; k < n; k++) t = fill_ring(t, k);
  return finish(disk_sets(m, n), m, out);
}

// ---- boxes ------------------------------------------------------------------------------------

static pl_status box_sets(pl_mesh *m, const double l[3]) {
  static const char *const low[3] = {"left", "front", "bottom"};
  static const char *const high[3] = {"right", "back", "top"};
  for (int d = 0; d < 3; d++) {
    PL_TRY(add_plane(m, low[d], d, 0));
    PL_TRY(add_plane(m, high[d], d, l[d]));
  }
  return PL_OK;
}

static void box_vertices(pl_mesh *m, const int n[3], const double l[3]) {
  int at = 0;
  for (int k = 0; k <= n[2]; k++)
    for (int j = 0; j <= n[1]; j++)
      for (int i = 0; i <= n[0]; i++)
        set_vertex(m, at++, place(l[0], i, n[0]), place(l[1], j, n[1]), place(l[2], k, n[2]));
}

// corner c of box cell (i, j, k), bit d of c set: the far side in direction d
static int box_corner(const int n[3], int i, int j, int k, int c) {
  int x = i + (c & 1), y = j + (c >> 1 & 1), z = k + (c >> 2 & 1);
  return (z * (n[1] + 1) + y) * (n[0] + 1) + x;
}

// cells of nv vertices, ncut to each box, corners by bits
static pl_status gen_box(pl_env *env, const char *what, pl_cell_type type, int ncut,
                         const int *corner, const int n[3], const double l[3], pl_mesh **out) {
  *out = NULL;
  PL_TRY(check_sizes(env, what, 3, n, l));
  pl_mesh *m;
  double nvert = (n[0] + 1.0) * (n[1] + 1.0) * (n[2] + 1.0);
  PL_TRY(start(env, what, nvert, type, (double)n[0] * n[1] * n[2] * ncut, &m));
  box_vertices(m, n, l);
  int *v = m->cell[type].v;
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++)
        for (int c = 0; c < ncut * pl_cell_nvert[type]; c++)
          *v++ = box_corner(n, i, j, k, corner[c]);
  return finish(box_sets(m, l), m, out);
}

pl_status pl_gen_hex_box(pl_env *env, const int n[3], const double l[3], pl_mesh **out) {
  static const int corner[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  return gen_box(env, "hex box", PL_HEX8, 1, corner, n, l, out);
}

// Kuhn's cut: the six monotone paths from corner 0 to corner 7; odd ones with two vertices
// exchanged
pl_status pl_gen_tet_box(pl_env *env, const int n[3], const double l[3], pl_mesh **out) {
  static const int corner[24] = {0, 1, 3, 7, 0, 3, 2, 7, 0, 2, 6, 7,
                                 0, 6, 4, 7, 0, 4, 5, 7, 0, 5, 1, 7};
  return gen_box(env, "tet box", PL_TET4, 6, corner, n, l, out);
}

// ---- spheres ------------------------------------------------------------------------------------

pl_status pl_gen_icosphere(pl_env *env, int level, pl_mesh **out) {
  enum { CORNERS = 12, FACES = 20 };
  static const int face[FACES][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                     {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                     {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                     {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  const double g = (1 + sqrt(5)) / 2;
  const double corner[CORNERS][3] = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                                     {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                                     {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
  PL_TRY(pl_mesh_create(env, "sphere", CORNERS, out));
  memcpy((*out)->X, corner, sizeof corner);
  pl_status s = pl_mesh_set_cells(*out, PL_TRI3, FACES);
  if (s == PL_OK) memcpy((*out)->cell[PL_TRI3].v, face, sizeof face);
  for (int k = 1; s == PL_OK && k < level; k++) {
    pl_mesh *fine;
    s = pl_mesh_refine(*out, &fine);
    if (s != PL_OK) break;
    pl_mesh_free(*out);
    *out = fine;
  }
  for (int i = 0; s == PL_OK && i < (*out)->nvert; i++) {
    double *x = (*out)->X + 3 * i, length = pl_norm3(x);
    for (int c = 0; c < 3; c++) x[c] /= length;
  }
  if (s != PL_OK) {
    pl_mesh_free(*out);
    *out = NULL;
  }
  return s;
}

// ---- cylinders ----------------------------------------------------------------------------------

pl_status pl_gen_cylinder(pl_env *env, int sides, double radius, double length, pl_mesh **out) {
  const int n[3] = {sides, 1, 1};
  const double l[3] = {radius, length, length};
  pl_mesh *m;
  *out = NULL;
  PL_TRY(check_sizes(env, "cylinder", 2, n, l));
  if (sides < 3) return pl_fail(env, PL_E_INPUT, "cylinder: needs 3 sides or more, got %d", sides);
  PL_TRY(start(env, "cylinder", 2.0 * sides + 2, PL_TRI3, 4.0 * sides, &m));
  int *v = m->cell[PL_TRI3].v, low = 2 * sides, high = low + 1;
  set_vertex(m, low, 0, 0, 0);
  set_vertex(m, high, 0, 0, length);
  for (int i = 0; i < sides; i++) {
    double angle = 2 * PL_PI * i / sides, x = radius * cos(angle), y = radius * sin(angle);
    int next = (i + 1) % sides, far = sides + i, far_next = sides + next;
    const int tri[12] = {i, next, far, next, far_next, far, low, next, i, high, far, far_next};
    set_vertex(m, i, x, y, 0);
    set_vertex(m, far, x, y, length);
    memcpy(v + 12 * i, tri, sizeof tri);
  }
  pl_status s = add_plane(m, "bottom", 2, 0);
  if (s == PL_OK) s = add_plane(m, "top", 2, length);
  return finish(s, m, out);
}
