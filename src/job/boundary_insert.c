// Triangles of a boundary. Further rays: triangles are cut where they come, and edges turned until
// no ray lies within the circle of another triangle (Delaunay on the sphere of directions). Ridges:
// edges that run across them, so that they look like the teeth of a saw, are turned along them.
#include "job_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

static const double SAME = 1e-3; // rays nearer than this are one

static double det(const double *a, const double *b, const double *c) {
  double n[3];
  pl_cross3(b, c, n);
  return pl_dot3(a, n);
}

// the triangle that a direction meets, -1: none
static int face_at(const pl_boundary *b, const double d[3]) {
  for (int f = 0; f < b->nface; f++) {
    const double *x[3];
    for (int k = 0; k < 3; k++) x[k] = b->ray[b->face[f][k]];
    if (det(d, x[1], x[2]) >= 0 && det(x[0], d, x[2]) >= 0 && det(x[0], x[1], d) >= 0) return f;
  }
  return -1;
}

// the triangle beyond the edge from u to v, and its corner there
static int beyond(const pl_boundary *b, int u, int v, int *corner) {
  for (int f = 0; f < b->nface; f++)
    for (int k = 0; k < 3; k++)
      if (b->face[f][k] == v && b->face[f][(k + 1) % 3] == u) {
        *corner = b->face[f][(k + 2) % 3];
        return f;
      }
  return -1;
}

static void put(pl_boundary *b, int f, int u, int v, int w) {
  b->face[f][0] = u, b->face[f][1] = v, b->face[f][2] = w;
}

// 1: the direction of e is above the plane of the corners of a triangle: within its circle
static int within(const pl_boundary *b, int u, int v, int w, int e) {
  double p[3], q[3], r[3];
  pl_sub3(b->ray[v], b->ray[u], p);
  pl_sub3(b->ray[w], b->ray[u], q);
  pl_sub3(b->ray[e], b->ray[u], r);
  return det(p, q, r) > 1e-12;
}

// triangle f has the new ray n and the edge from u to v
static void flip_edges(pl_boundary *b, int f, int n, int u, int v) {
  int e, g = beyond(b, u, v, &e);
  if (g < 0 || !within(b, n, u, v, e)) return;
  put(b, f, n, u, e);
  put(b, g, n, e, v);
  flip_edges(b, f, n, u, e);
  flip_edges(b, g, n, e, v);
}

static pl_status reserve(pl_env *env, pl_boundary *b) {
  pl_boundary more;
  PL_TRY(pl_boundary_alloc(env, b->n + 1, b->nface + 2, &more));
  memcpy(more.centre, b->centre, sizeof b->centre);
  memcpy(more.ray, b->ray, (size_t)b->n * sizeof *b->ray);
  memcpy(more.distance, b->distance, (size_t)b->n * sizeof *b->distance);
  memcpy(more.left, b->left, (size_t)b->n * sizeof *b->left);
  memcpy(more.open, b->open, (size_t)b->n * sizeof *b->open);
  memcpy(more.face, b->face, (size_t)b->nface * sizeof *b->face);
  pl_boundary_free(env, b);
  *b = more;
  return PL_OK;
}

pl_status job_boundary_insert(pl_env *env, const double p[3], double left, pl_boundary *b) {
  double d[3], length;
  pl_sub3(p, b->centre, d);
  length = pl_norm3(d);
  if (!(length > 0)) return PL_OK;
  for (int c = 0; c < 3; c++) d[c] /= length;
  for (int i = 0; i < b->n; i++)
    if (pl_dot3(d, b->ray[i]) > 1 - SAME * SAME / 2) {
      if (length > b->distance[i]) b->open[i] = 0;
      b->distance[i] = fmax(b->distance[i], length);
      return PL_OK;
    }
  int f = face_at(b, d), n = b->n, old[3];
  if (f < 0) return PL_OK;
  PL_TRY(reserve(env, b));
  memcpy(old, b->face[f], sizeof old);
  memcpy(b->ray[n], d, sizeof d);
  b->distance[n] = length;
  b->left[n] = left;
  const int own[3] = {f, b->nface - 2, b->nface - 1};
  for (int k = 0; k < 3; k++) put(b, own[k], n, old[k], old[(k + 1) % 3]);
  for (int k = 0; k < 3; k++) flip_edges(b, own[k], n, old[k], old[(k + 1) % 3]);
  return PL_OK;
}

static void place(const pl_boundary *b, int i, double p[3]) {
  for (int c = 0; c < 3; c++) p[c] = b->distance[i] * b->ray[i][c];
}

// the edge from u to v of triangle f, if its other diagonal lies further out
static int flip_all_outwards(pl_boundary *b, int f, int u, int v, int w) {
  int e, g = beyond(b, u, v, &e);
  double p[4][3], x[3], y[3], z[3], n[3];
  if (g < 0 || e == w) return 0;
  place(b, u, p[0]), place(b, v, p[1]), place(b, w, p[2]), place(b, e, p[3]);
  pl_sub3(p[1], p[0], x);
  pl_sub3(p[2], p[0], y);
  pl_sub3(p[3], p[0], z);
  pl_cross3(x, y, n);
  // e is above the plane of the triangle, and both new triangles look outwards
  if (!(pl_dot3(n, z) > 1e-6 * pl_norm3(n) * pl_norm3(z))) return 0;
  if (!(det(b->ray[w], b->ray[u], b->ray[e]) > 1e-6)) return 0;
  if (!(det(b->ray[e], b->ray[v], b->ray[w]) > 1e-6)) return 0;
  put(b, f, w, u, e);
  put(b, g, e, v, w);
  return 1;
}

void job_boundary_ridges(pl_boundary *b) {
  enum { SWEEPS = 50 };
  int any = 1;
  for (int sweep = 0; any && sweep < SWEEPS; sweep++) {
    any = 0;
    for (int f = 0; f < b->nface; f++)
      for (int k = 0; k < 3; k++)
        any |= flip_all_outwards(b, f, b->face[f][k], b->face[f][(k + 1) % 3],
                                 b->face[f][(k + 2) % 3]);
  }
}
