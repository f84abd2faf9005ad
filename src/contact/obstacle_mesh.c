// Signed distance to a closed mesh: its size from the nearest triangle, its sign from the
// pseudo-normal of the face, edge or vertex that is nearest (Baerentzen and Aanaes 2005).
#include "contact_impl.h"

#include "pliant/mesh.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// Directions from points this close, over the size of the mesh, are rounding.
static const double CLOSE = 1e-9;
// Faces whose normals differ less are one plane.
static const double FLAT = 1e-8;

typedef struct pseudo {
  double n[3];
  int flat; // all faces there have this normal
} pseudo;

struct pl_obstacle_surface {
  pl_env *env;
  int nvert, ntri;
  double *x; // [nvert][3]
  int *tri;  // [ntri][3], outward
  double size;
  pl_bvh *bvh;
  double (*face)[3]; // [ntri] unit normals
  pseudo *edge;      // [ntri][3] opposite to each corner
  pseudo *vert;      // [nvert]
};

static const double *corner(const pl_obstacle_surface *m, int t, int k) {
  return m->x + 3 * (size_t)m->tri[3 * (size_t)t + (size_t)k];
}

// ---- checks -----------------------------------------------------------------------------------

// one side of a triangle
typedef struct side {
  int lo, hi, up; // vertices; up: it runs from lo to hi
  int at;         // 3 triangle + opposite corner
} side;

static int compare_sides(const void *a, const void *b) {
  const side *p = a, *q = b;
  if (p->lo != q->lo) return p->lo < q->lo ? -1 : 1;
  if (p->hi != q->hi) return p->hi < q->hi ? -1 : 1;
  return (p->at > q->at) - (p->at < q->at);
}

static pl_status check_edge(pl_env *env, int n, const side *s) {
  int a = s->lo + 1, b = s->hi + 1;
  if (n == 1)
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0,
                      "close the hole there, or merge vertices that stand on each other",
                      "the surface is not closed: the edge of vertices %d and %d belongs to "
                      "triangle %d only",
                      a, b, s->at / 3 + 1);
  if (n > 2)
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "separate the parts that meet there",
                      "the edge of vertices %d and %d has %d triangles: %d, %d, %d%s", a, b, n,
                      s[0].at / 3 + 1, s[1].at / 3 + 1, s[2].at / 3 + 1, n > 3 ? ", ..." : "");
  if (s[0].up == s[1].up)
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "turn one of them around",
                      "triangles %d and %d both run from vertex %d to %d: one is inside out",
                      s[0].at / 3 + 1, s[1].at / 3 + 1, s->up ? a : b, s->up ? b : a);
  return PL_OK;
}

static pl_status check_vertices(pl_env *env, int nvert, const double *x, int ntri, const int *tri) {
  if (nvert < 0 || ntri < 0 || nvert > INT_MAX / 3 || ntri > INT_MAX / 9)
    return pl_fail(env, PL_E_ARG, "mesh of an obstacle: %d vertices, %d triangles", nvert, ntri);
  if (ntri == 0) return pl_fail(env, PL_E_INPUT, "the surface has no triangles");
  for (int i = 0; i < nvert; i++)
    if (!pl_all_finite(3, x + 3 * (size_t)i))
      return pl_fail(env, PL_E_INPUT, "vertex %d is not finite", i + 1);
  for (int i = 0; i < 3 * ntri; i++)
    if (tri[i] < 0 || tri[i] >= nvert)
      return pl_fail(env, PL_E_INPUT, "triangle %d names vertex %d, which is not in 1..%d",
                     i / 3 + 1, tri[i] + 1, nvert);
  return PL_OK;
}

// ---- normals ----------------------------------------------------------------------------------

static pl_status face_normals(pl_obstacle_surface *m) {
  for (int t = 0; t < m->ntri; t++) {
    double e[3], f[3], *n = m->face[t];
    pl_sub3(corner(m, t, 1), corner(m, t, 0), e);
    pl_sub3(corner(m, t, 2), corner(m, t, 0), f);
    pl_cross3(e, f, n);
    double size = pl_norm3(n);
    if (!(size > 1e-12 * pl_norm3(e) * pl_norm3(f)))
      return pl_fail_at(m->env, PL_E_INPUT, NULL, 0, 0, "remove it, or merge its vertices",
                        "triangle %d has no area", t + 1);
    for (int c = 0; c < 3; c++) n[c] /= size;
  }
  return PL_OK;
}

// p->n is a sum of normals, of which one is given
static void finish(pseudo *p, const double *one) {
  double size = pl_norm3(p->n);
  // faces back to back leave no direction: any of them
  for (int c = 0; c < 3; c++) p->n[c] = size > FLAT ? p->n[c] / size : one[c];
  p->flat = 1;
}

static void bend(pseudo *p, const double *face) {
  double d[3];
  pl_sub3(face, p->n, d);
  if (pl_norm3(d) > FLAT) p->flat = 0;
}

static double angle_at(const pl_obstacle_surface *m, int t, int k) {
  double e[3], f[3], n[3];
  pl_sub3(corner(m, t, (k + 1) % 3), corner(m, t, k), e);
  pl_sub3(corner(m, t, (k + 2) % 3), corner(m, t, k), f);
  pl_cross3(e, f, n);
  return atan2(pl_norm3(n), pl_dot3(e, f));
}

static void vertex_normals(pl_obstacle_surface *m) {
  for (int i = 0; i < 3 * m->ntri; i++) {
    double angle = angle_at(m, i / 3, i % 3);
    for (int c = 0; c < 3; c++) m->vert[m->tri[i]].n[c] += angle * m->face[i / 3][c];
  }
  // `flat` marks those that are done
  for (int i = 0; i < 3 * m->ntri; i++)
    if (!m->vert[m->tri[i]].flat) finish(&m->vert[m->tri[i]], m->face[i / 3]);
  for (int i = 0; i < 3 * m->ntri; i++) bend(&m->vert[m->tri[i]], m->face[i / 3]);
}

// sides[3 ntri], sorted: every edge twice in a row
static void edge_normals(pl_obstacle_surface *m, const side *s) {
  for (int i = 0; i < 3 * m->ntri; i += 2) {
    const double *a = m->face[s[i].at / 3], *b = m->face[s[i + 1].at / 3];
    pseudo p = {.n = {a[0] + b[0], a[1] + b[1], a[2] + b[2]}};
    finish(&p, a);
    bend(&p, a);
    m->edge[s[i].at] = m->edge[s[i + 1].at] = p;
  }
}

// ---- making -----------------------------------------------------------------------------------

static pl_status sort_sides(const pl_obstacle_surface *m, side *s) {
  int n = 3 * m->ntri;
  for (int i = 0; i < n; i++) {
    const int *v = m->tri + i / 3 * 3;
    int a = v[(i + 1) % 3], b = v[(i + 2) % 3];
    if (a == b)
      return pl_fail_at(m->env, PL_E_INPUT, NULL, 0, 0, "remove it",
                        "triangle %d names vertex %d twice", i / 3 + 1, a + 1);
    s[i] = (side){a < b ? a : b, a < b ? b : a, a < b, i};
  }
  qsort(s, (size_t)n, sizeof *s, compare_sides);
  for (int i = 0, k; i < n; i = k) {
    for (k = i + 1; k < n && s[k].lo == s[i].lo && s[k].hi == s[i].hi; k++) continue;
    PL_TRY(check_edge(m->env, k - i, s + i));
  }
  return PL_OK;
}

// the volume inside, from the middle of the box; turns all triangles when it is negative
static pl_status orient_outward(pl_obstacle_surface *m, int *flipped) {
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
  double volume = 0, A[3][3], d[3];
  for (int i = 0; i < 9 * m->ntri; i++) {
    double at = corner(m, i / 9, i / 3 % 3)[i % 3];
    lo[i % 3] = fmin(lo[i % 3], at);
    hi[i % 3] = fmax(hi[i % 3], at);
  }
  for (int t = 0; t < m->ntri; t++) {
    for (int i = 0; i < 9; i++)
      A[i / 3][i % 3] = corner(m, t, i / 3)[i % 3] - 0.5 * (lo[i % 3] + hi[i % 3]);
    volume += pl_det3(A[0]) / 6;
  }
  pl_sub3(hi, lo, d);
  m->size = pl_norm3(d);
  if (!(fabs(volume) > 1e-12 * m->size * m->size * m->size))
    return pl_fail(m->env, PL_E_INPUT, "the surface encloses no volume");
  *flipped = volume < 0;
  for (int t = 0; *flipped && t < m->ntri; t++) {
    int *v = m->tri + 3 * (size_t)t, swap = v[1];
    v[1] = v[2];
    v[2] = swap;
  }
  return PL_OK;
}

static pl_status build(pl_obstacle_surface *m, side *s) {
  int flipped;
  PL_TRY(sort_sides(m, s));
  PL_TRY(face_normals(m));
  PL_TRY(orient_outward(m, &flipped));
  if (flipped) {
    PL_TRY(sort_sides(m, s));
    PL_TRY(face_normals(m));
  }
  vertex_normals(m);
  edge_normals(m, s);
  return pl_bvh_create(m->env, m->ntri, m->tri, m->x, &m->bvh);
}

pl_status pl_obstacle_surface_create(pl_env *env, int nvert, const double *x, int ntri,
                                     const int *tri, pl_obstacle_surface **out) {
  *out = NULL;
  PL_TRY(check_vertices(env, nvert, x, ntri, tri));
  pl_obstacle_surface *m = pl_alloc(env, 1, sizeof *m);
  if (!m) return PL_E_NOMEM;
  *m = (pl_obstacle_surface){.env = env, .nvert = nvert, .ntri = ntri};
  m->x = pl_alloc(env, (size_t)nvert, 3 * sizeof *m->x);
  m->tri = pl_alloc(env, (size_t)ntri, 3 * sizeof *m->tri);
  m->face = pl_alloc(env, (size_t)ntri, sizeof *m->face);
  m->edge = pl_alloc(env, (size_t)ntri, 3 * sizeof *m->edge);
  m->vert = pl_alloc(env, (size_t)nvert, sizeof *m->vert);
  side *s = pl_alloc(env, (size_t)ntri, 3 * sizeof *s);
  pl_status st = m->x && m->tri && m->face && m->edge && m->vert && s ? PL_OK : PL_E_NOMEM;
  if (st == PL_OK) {
    memcpy(m->x, x, 3 * (size_t)nvert * sizeof *x);
    memcpy(m->tri, tri, 3 * (size_t)ntri * sizeof *tri);
    st = build(m, s);
  }
  pl_free(env, s);
  if (st == PL_OK)
    *out = m;
  else
    pl_obstacle_surface_free(m);
  return st;
}

void pl_obstacle_surface_free(pl_obstacle_surface *m) {
  if (!m) return;
  pl_bvh_free(m->bvh);
  pl_free(m->env, m->x);
  pl_free(m->env, m->tri);
  pl_free(m->env, m->face);
  pl_free(m->env, m->edge);
  pl_free(m->env, m->vert);
  pl_free(m->env, m);
}

int pl_obstacle_surface_ntri(const pl_obstacle_surface *m) {
  return m->ntri;
}

void pl_obstacle_surface_corners(const pl_obstacle_surface *m, int tri, const double *at[3]) {
  for (int k = 0; k < 3; k++) at[k] = corner(m, tri, k);
}

// ---- distance ---------------------------------------------------------------------------------

static double distance(const pl_obstacle *o, int dim, const double *x, double *n) {
  const pl_obstacle_surface *m = o->data;
  (void)dim;
  pl_hit hit = pl_bvh_nearest(m->bvh, x);
  int zero = -1, corners = 0, last = 0;
  double d[3];
  for (int k = 0; k < 3; k++) {
    if (hit.bary[k] > 0) {
      corners++;
      last = k;
    } else {
      zero = k;
    }
  }
  const int *v = m->tri + 3 * (size_t)hit.tri;
  const pseudo *p = corners == 1   ? &m->vert[v[last]]
                    : corners == 2 ? &m->edge[3 * (size_t)hit.tri + (size_t)zero]
                                   : NULL;
  memcpy(n, p ? p->n : m->face[hit.tri], 3 * sizeof *n);
  pl_sub3(x, hit.point, d);
  double along = pl_dot3(d, n);
  if (!p || p->flat) return along;
  if (hit.dist > CLOSE * m->size)
    for (int c = 0; c < 3; c++) n[c] = d[c] / copysign(hit.dist, along);
  return copysign(hit.dist, along);
}

typedef struct near_triangles {
  const pl_obstacle_surface *m;
  const double *x;
  double within;
  pl_obstacle_part *each;
  void *ctx;
} near_triangles;

static void describe_triangle(void *ctx, int t) {
  const near_triangles *k = ctx;
  pl_hit hit = pl_bvh_nearest_in(k->m->bvh, t, k->x);
  double n[3];
  if (!(hit.dist < k->within)) return;
  pl_sub3(k->x, hit.point, n);
  for (int c = 0; c < 3; c++)
    n[c] = hit.dist > CLOSE * k->m->size ? n[c] / hit.dist : k->m->face[t][c];
  k->each(k->ctx, hit.dist, n);
}

static void around(const pl_obstacle *o, const double *x, double within, pl_obstacle_part *each,
                   void *ctx) {
  near_triangles k = {o->data, x, within, each, ctx};
  double lo[3], hi[3];
  for (int c = 0; c < 3; c++) {
    lo[c] = x[c] - within;
    hi[c] = x[c] + within;
  }
  pl_bvh_overlaps(k.m->bvh, lo, hi, describe_triangle, &k);
}

static void bounds(const pl_obstacle *o, double lo[3], double hi[3]) {
  const pl_obstacle_surface *m = o->data;
  for (int c = 0; c < 3; c++) {
    lo[c] = INFINITY;
    hi[c] = -INFINITY;
  }
  for (int i = 0; i < 9 * m->ntri; i++) {
    double at = corner(m, i / 9, i / 3 % 3)[i % 3];
    lo[i % 3] = fmin(lo[i % 3], at - o->radius);
    hi[i % 3] = fmax(hi[i % 3], at + o->radius);
  }
}

// ---- lines --------------------------------------------------------------------------------------

enum { LINES = 2400, COARSE = 300, LEVELS = 9 }; // lines of it; triangles of a coarse one; sections
static const double SMOOTH = 0.996; // cosine: edges that bend less are not drawn, 5 degrees

// the edges of a coarse mesh that bend
static void draw_net(const pl_obstacle_surface *m, const pl_pen *p) {
  int pieces = 3 * m->ntri / 2 * 16 <= LINES;
  for (int t = 0; t < m->ntri; t++)
    for (int u = t + 1; u < m->ntri; u++) {
      if (pl_dot3(m->face[t], m->face[u]) > SMOOTH) continue;
      // the neighbour runs along the edge the other way
      const int *v = m->tri + 3 * (size_t)t, *w = m->tri + 3 * (size_t)u;
      for (int i = 0; i < 9; i++) {
        int a = i / 3, b = (a + 1) % 3, c = i % 3;
        if (v[a] != w[(c + 1) % 3] || v[b] != w[c]) continue;
        (pieces ? pl_pen_edge : pl_pen_line)(p, corner(m, t, a), corner(m, t, b));
      }
    }
}

// a section of a triangle; returns 0 when there is none. p NULL: it is not drawn
static int draw_cut(const pl_obstacle_surface *m, const pl_pen *p, int t, int axis, double level) {
  double end[3][3];
  int cuts = 0;
  for (int a = 0; a < 3; a++) {
    const double *from = corner(m, t, a), *to = corner(m, t, (a + 1) % 3);
    if ((from[axis] < level) == (to[axis] < level)) continue;
    double s = (level - from[axis]) / (to[axis] - from[axis]);
    for (int c = 0; c < 3; c++) end[cuts][c] = from[c] + s * (to[c] - from[c]);
    cuts++;
  }
  if (cuts == 2 && p) pl_pen_line(p, end[0], end[1]);
  return cuts == 2;
}

// n sections across each axis; returns of how many lines they are
static long draw_cuts(const pl_obstacle_surface *m, const pl_pen *p, const double *lo,
                      const double *hi, int n) {
  long count = 0;
  for (int t = 0; t < m->ntri; t++)
    for (int i = 0; i < 3 * n; i++) {
      int c = i % 3;
      count += draw_cut(m, p, t, c, lo[c] + (hi[c] - lo[c]) * (i / 3 + 0.5) / n);
    }
  return count;
}

// a fine mesh by as many sections as there is room for
static void draw(const pl_obstacle *o, pl_pen *p) {
  const pl_obstacle_surface *m = o->data;
  const pl_obstacle bare = {.data = m};
  double lo[3], hi[3];
  int levels = LEVELS;
  if (m->ntri <= COARSE) {
    draw_net(m, p);
    return;
  }
  bounds(&bare, lo, hi);
  while (levels > 0 && draw_cuts(m, NULL, lo, hi, levels) > LINES) levels--;
  if (levels > 0) draw_cuts(m, p, lo, hi, levels);
}

static void skeleton(const pl_obstacle *o, int dim, pl_skeleton *s) {
  const pl_obstacle_surface *m = o->data;
  (void)dim;
  for (int i = 0; i < m->nvert; i++) pl_skeleton_place(s, m->x + 3 * (size_t)i);
  for (int t = 0; t < m->ntri; t++) pl_skeleton_face(s, 3, m->tri + 3 * (size_t)t);
}

// ---- the kind -----------------------------------------------------------------------------------

enum { SCALE, MERGE }; // values

static const pl_key keys[] = {
    {.name = "file",
     .type = PL_KEY_FILE,
     .need = 1,
     .text = "file beside the scene (any of" PL_MESH_ENDINGS ") with a closed surface"},
    {.name = "mesh_units",
     .type = PL_KEY_FILE_UNIT,
     .text = "length unit of the mesh file; the scene's when left out"},
    {.name = "scale",
     .value = 1,
     .hi = 1e12,
     .lo_open = 1,
     .unit = "",
     .text = "factor on all coordinates, first"},
    {.name = "rotate", .type = PL_KEY_ROTATION, .text = "turn, second"},
    {.name = "translate", .type = PL_KEY_CENTRE, .unit = "m", .text = "shift, third"},
    {.name = "merge",
     .hi = 1e9,
     .unit = "m",
     .text = "merge vertices of the mesh that are not farther apart than this; equal ones when "
             "left out"},
    {.name = "round",
     .type = PL_KEY_RADIUS,
     .hi = 1e9,
     .unit = "m",
     .text = "how far it is rounded outwards"},
};

static pl_status make_surface(pl_mesh *mesh, const pl_shape_source *in, pl_obstacle_surface **out) {
  int ntri, *tri = NULL;
  if (in->file_unit != 1) pl_mesh_transform(mesh, in->file_unit, NULL, NULL);
  PL_TRY(pl_mesh_weld(mesh, in->value[MERGE], NULL));
  PL_TRY(pl_mesh_check(mesh));
  pl_mesh_transform(mesh, in->value[SCALE], NULL, NULL);
  PL_TRY(pl_mesh_surface(mesh, &ntri, &tri, NULL));
  pl_status s = pl_obstacle_surface_create(mesh->env, mesh->nvert, mesh->X, ntri, tri, out);
  pl_free(mesh->env, tri);
  return s;
}

static pl_status make(pl_env *env, const pl_shape_source *in, pl_obstacle *o) {
  pl_mesh *mesh;
  pl_obstacle_surface *surface = NULL;
  PL_TRY(pl_mesh_read_most(env, in->file, in->file_most, &mesh));
  pl_status s = make_surface(mesh, in, &surface);
  pl_mesh_free(mesh);
  o->data = surface;
  return s;
}

static int check(const pl_obstacle *o, int dim, pl_shape_fault *fault) {
  (void)dim;
  *fault = (pl_shape_fault){"file", "it has no mesh", NULL};
  return !o->data;
}

static void digest(const void *data, void (*add)(void *ctx, int n, const double *x), void *ctx) {
  const pl_obstacle_surface *m = data;
  for (int i = 0; i < 3 * m->ntri; i++) add(ctx, 3, corner(m, i / 3, i % 3));
}

static void free_data(void *data) {
  pl_obstacle_surface_free(data);
}

// an octahedron, drawn out
static pl_status sample(pl_env *env, unsigned seed, int dim, pl_obstacle *o) {
  static const int tri[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                              2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
  pl_obstacle_surface *surface;
  double x[18] = {0};
  (void)dim;
  for (unsigned k = 0; k < 6; k++) x[3 * k + k / 2] = (k % 2 ? -0.1 : 0.1) * (5 + (seed + k) % 4);
  pl_status s = pl_obstacle_surface_create(env, 6, x, 8, tri, &surface);
  o->data = surface;
  return s;
}

const pl_obstacle_kind pl_obstacle_mesh = {
    .name = "mesh",
    .brief = "closed surface of a file",
    .text = "What a closed surface of triangles encloses (dimension 3). Every edge belongs to two "
            "triangles; which way they are turned does not matter as long as they agree.",
    .dim = 3,
    .nkey = COUNT(keys),
    .key = keys,
    .make = make,
    .check = check,
    .distance = distance,
    .around = around,
    .skeleton = skeleton,
    .bounds = bounds,
    .draw = draw,
    .digest = digest,
    .free = free_data,
    .sample = sample,
};
