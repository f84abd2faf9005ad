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

struct pl_obstacle_mesh {
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

static const double *corner(const pl_obstacle_mesh *m, int t, int k) {
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

static pl_status face_normals(pl_obstacle_mesh *m) {
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

static double angle_at(const pl_obstacle_mesh *m, int t, int k) {
  double e[3], f[3], n[3];
  pl_sub3(corner(m, t, (k + 1) % 3), corner(m, t, k), e);
  pl_sub3(corner(m, t, (k + 2) % 3), corner(m, t, k), f);
  pl_cross3(e, f, n);
  return atan2(pl_norm3(n), pl_dot3(e, f));
}

static void vertex_normals(pl_obstacle_mesh *m) {
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
static void edge_normals(pl_obstacle_mesh *m, const side *s) {
  for (int i = 0; i < 3 * m->ntri; i += 2) {
    const double *a = m->face[s[i].at / 3], *b = m->face[s[i + 1].at / 3];
    pseudo p = {.n = {a[0] + b[0], a[1] + b[1], a[2] + b[2]}};
    finish(&p, a);
    bend(&p, a);
    m->edge[s[i].at] = m->edge[s[i + 1].at] = p;
  }
}

// ---- making -----------------------------------------------------------------------------------

static pl_status sort_sides(const pl_obstacle_mesh *m, side *s) {
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
static pl_status orient_outward(pl_obstacle_mesh *m, int *turned) {
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
  *turned = volume < 0;
  for (int t = 0; *turned && t < m->ntri; t++) {
    int *v = m->tri + 3 * (size_t)t, swap = v[1];
    v[1] = v[2];
    v[2] = swap;
  }
  return PL_OK;
}

static pl_status build(pl_obstacle_mesh *m, side *s) {
  int turned;
  PL_TRY(sort_sides(m, s));
  PL_TRY(face_normals(m));
  PL_TRY(orient_outward(m, &turned));
  if (turned) {
    PL_TRY(sort_sides(m, s));
    PL_TRY(face_normals(m));
  }
  vertex_normals(m);
  edge_normals(m, s);
  return pl_bvh_create(m->env, m->ntri, m->tri, m->x, &m->bvh);
}

pl_status pl_obstacle_mesh_create(pl_env *env, int nvert, const double *x, int ntri, const int *tri,
                                  pl_obstacle_mesh **out) {
  *out = NULL;
  PL_TRY(check_vertices(env, nvert, x, ntri, tri));
  pl_obstacle_mesh *m = pl_alloc(env, 1, sizeof *m);
  if (!m) return PL_E_NOMEM;
  *m = (pl_obstacle_mesh){.env = env, .nvert = nvert, .ntri = ntri};
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
    pl_obstacle_mesh_free(m);
  return st;
}

void pl_obstacle_mesh_free(pl_obstacle_mesh *m) {
  if (!m) return;
  pl_bvh_free(m->bvh);
  pl_free(m->env, m->x);
  pl_free(m->env, m->tri);
  pl_free(m->env, m->face);
  pl_free(m->env, m->edge);
  pl_free(m->env, m->vert);
  pl_free(m->env, m);
}

int pl_obstacle_mesh_ntri(const pl_obstacle_mesh *m) {
  return m->ntri;
}

void pl_obstacle_mesh_corners(const pl_obstacle_mesh *m, int tri, const double *at[3]) {
  for (int k = 0; k < 3; k++) at[k] = corner(m, tri, k);
}

// ---- distance ---------------------------------------------------------------------------------

double obstacle_mesh_gap(const pl_obstacle_mesh *m, const double *x, double *n) {
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
