#include "interlock_impl.h"

#include "pliant/mesh.h"

#include <math.h>
#include <string.h>

// A patch as a sheet: every element has the part of the plane that is nearest to its origin, fanned
// from there, so that areas are those of the lattice and elements are at vertices of the mesh.

enum { CORNERS = 32, AROUND = 12, SPAN = 4 };
static const double SAME = 1e-6; // over the lattice: what is nearer is one place

typedef struct polygon {
  int n;
  double p[CORNERS][2];
} polygon;

// what is nearer to the origin than to q
static void clip(polygon *g, const double q[2]) {
  polygon out = {0};
  double half = pl_dot(2, q, q) / 2;
  for (int i = 0; i < g->n; i++) {
    const double *a = g->p[i], *b = g->p[(i + 1) % g->n];
    double u = half - pl_dot(2, a, q), v = half - pl_dot(2, b, q);
    if (u >= 0 && out.n < CORNERS) memcpy(out.p[out.n++], a, sizeof out.p[0]);
    if ((u > 0) != (v > 0) && u != v && out.n < CORNERS) {
      double t = u / (u - v);
      for (int d = 0; d < 2; d++) out.p[out.n][d] = a[d] + t * (b[d] - a[d]);
      out.n++;
    }
  }
  *g = out;
}

// two short vectors of the same lattice
static void reduce(double L[2][2]) {
  for (int round = 0; round < 64; round++) {
    int small = pl_norm(2, L[0]) <= pl_norm(2, L[1]) ? 0 : 1;
    double *a = L[small], *b = L[1 - small], k = rint(pl_dot(2, a, b) / pl_dot(2, a, a));
    if (k == 0) return;
    for (int d = 0; d < 2; d++) b[d] -= k * a[d];
  }
}

// corners that differ
static void tidy(polygon *g, double tol) {
  int n = 0;
  for (int i = 0; i < g->n; i++) {
    const double *a = g->p[(i + g->n - 1) % g->n], *b = g->p[i];
    if (hypot(b[0] - a[0], b[1] - a[1]) > tol) memmove(g->p[n++], b, sizeof g->p[0]);
  }
  g->n = n;
}

// The cell of an element of the lattice, about its origin. PL_DOMAIN: another one is above it.
static pl_status cell_of(const pl_mail *m, int k, polygon *out) {
  double L[2][2];
  memcpy(L, m->lattice, sizeof L);
  reduce(L);
  double far = 4 * (pl_norm(2, L[0]) + pl_norm(2, L[1])), tol = SAME * far;
  double area = L[0][0] * L[1][1] - L[0][1] * L[1][0];
  *out = (polygon){4, {{-far, -far}, {far, -far}, {far, far}, {-far, far}}};
  for (int e = 0; e < m->nelem; e++) {
    const double from[2] = {m->pose[e].x[0] - m->pose[k].x[0], m->pose[e].x[1] - m->pose[k].x[1]};
    // into the cell about the origin
    double a = rint((from[0] * L[1][1] - from[1] * L[1][0]) / area);
    double b = rint((from[1] * L[0][0] - from[0] * L[0][1]) / area);
    for (int i = -SPAN; i <= SPAN; i++)
      for (int j = -SPAN; j <= SPAN; j++) {
        double q[2];
        for (int d = 0; d < 2; d++) q[d] = from[d] + (i - a) * L[0][d] + (j - b) * L[1][d];
        if (pl_norm(2, q) > tol)
          clip(out, q);
        else if (e != k)
          return PL_DOMAIN;
      }
  }
  tidy(out, tol);
  return PL_OK;
}

// ---- the mesh -----------------------------------------------------------------------------------

// fans one after the other, whose corners are then shared; elements are the first vertices
static pl_status fan(const polygon *cell, double tol, int n, const pl_cut_element *e,
                     pl_mesh *out) {
  int *t = out->cell[PL_TRI3].v, v = n;
  for (int i = 0; i < n; i++) {
    const polygon *g = &cell[e[i].elem];
    memcpy(out->X + 3 * i, e[i].pose.x, 2 * sizeof(double));
    for (int c = 0; c < g->n; c++, t += 3) {
      for (int d = 0; d < 2; d++) out->X[3 * (v + c) + d] = e[i].pose.x[d] + g->p[c][d];
      t[0] = i, t[1] = v + c, t[2] = v + (c + 1) % g->n;
    }
    v += g->n;
  }
  return pl_mesh_weld(out, tol, &(int){0});
}

static pl_status make_mesh(pl_env *env, const pl_mail *m, int n, const pl_cut_element *e,
                           pl_mesh **out) {
  int total = 0;
  *out = NULL;
  polygon *cell = pl_alloc(env, (size_t)m->nelem, sizeof *cell);
  pl_status s = cell ? PL_OK : PL_E_NOMEM;
  for (int k = 0; s == PL_OK && k < m->nelem; k++) s = cell_of(m, k, &cell[k]);
  for (int i = 0; s == PL_OK && i < n; i++) total += cell[e[i].elem].n;
  if (s == PL_OK) s = pl_mesh_create(env, "patch", n + total, out);
  if (s == PL_OK) s = pl_mesh_set_cells(*out, PL_TRI3, total);
  double tol = 10 * SAME * (pl_norm(2, m->lattice[0]) + pl_norm(2, m->lattice[1]));
  if (s == PL_OK) s = fan(cell, tol, n, e, *out);
  pl_free(env, cell);
  return s;
}

// ---- what is held -------------------------------------------------------------------------------

// Corners of cells: the elements around, and whether these are all.
typedef struct corner {
  int n, whole, elem[AROUND];
} corner;

static void add_to(corner *c, int elem) {
  for (int i = 0; i < c->n; i++)
    if (c->elem[i] == elem) return;
  if (c->n < AROUND) c->elem[c->n++] = elem;
}

static pl_status find_corners(const pl_mesh *m, corner *c) {
  const pl_cells *t = &m->cell[PL_TRI3];
  pl_topology *top;
  PL_TRY(pl_topology_create(m, &top));
  for (int v = 0; v < m->nvert; v++) c[v].whole = 1;
  for (int k = 0; k < 3 * t->n; k++)
    if (k % 3 > 0) add_to(&c[t->v[k]], t->v[k - k % 3]);
  for (int k = 0; k < top->nboundary; k++)
    for (int i = 0; i < 2; i++) c[top->edge[2 * top->boundary[k] + i]].whole = 0;
  pl_topology_free(top);
  return PL_OK;
}

// place x between the elements a and b: how far along, and how far from the line
static double from_line(const double *a, const double *b, const double *x, double *t) {
  double d[2] = {b[0] - a[0], b[1] - a[1]}, w[2] = {x[0] - a[0], x[1] - a[1]};
  *t = pl_dot(2, w, d) / pl_dot(2, d, d);
  *t = fmin(fmax(*t, 0), 1);
  return hypot(w[0] - *t * d[0], w[1] - *t * d[1]);
}

// Is x within the polygon of the elements about a corner? They are in any order, and convex.
static int is_within(const pl_mesh *m, const corner *c, const double *x, double tol) {
  for (int i = 0; i < c->n; i++)
    for (int k = 0; k < c->n; k++) {
      const double *a = m->X + 3 * c->elem[i], *b = m->X + 3 * c->elem[k];
      double l = hypot(b[0] - a[0], b[1] - a[1]), least = INFINITY;
      if (i == k) continue;
      for (int o = 0; o < c->n; o++) {
        const double *y = m->X + 3 * c->elem[o];
        double side = ((b[0] - a[0]) * (y[1] - a[1]) - (b[1] - a[1]) * (y[0] - a[0])) / l;
        least = fmin(least, side);
      }
      // an edge of the polygon: all are on its left
      double side = ((b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0])) / l;
      if (least > -tol && side < -tol) return 0;
    }
  return 1;
}

// A place follows the elements that it is between: on the line of two of them, within those about a
// corner, or, out at the boundary, the nearest of these. It is held where all of them are.
static int is_held(const pl_mesh *m, const corner *c, const int *tri, const char *held,
                   const double *x, double tol) {
  int own = tri[0], best[2] = {own, own};
  double least = INFINITY, t;
  for (int v = 1; v < 3; v++)
    for (int i = 0; i < c[tri[v]].n; i++) {
      int other = c[tri[v]].elem[i];
      double d = other == own ? hypot(x[0] - m->X[3 * own], x[1] - m->X[3 * own + 1])
                              : from_line(m->X + 3 * own, m->X + 3 * other, x, &t);
      if (d >= least - tol) continue;
      least = d;
      best[0] = other != own && t >= 1 - SAME ? other : own;
      best[1] = other == own || t <= SAME ? own : other;
    }
  if (least <= tol) return held[best[0]] && held[best[1]];
  for (int v = 1; v < 3; v++) {
    const corner *k = &c[tri[v]];
    if (!k->whole || !is_within(m, k, x, tol)) continue;
    int all = 1;
    for (int i = 0; i < k->n; i++) all &= held[k->elem[i]] != 0;
    return all;
  }
  return held[best[0]] && held[best[1]];
}

// An element that is held does not turn: where nothing about its origin is held besides, the
// triangles that meet there stay.
static pl_status hold_directions(pl_env *env, const pl_cells *t, const char *held,
                                 pl_patch_sheet *s) {
  char *has = pl_alloc(env, (size_t)s->n, sizeof *has);
  if (!has) return PL_E_NOMEM;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < 3 * t->n; k++) {
      int own = t->v[k], *v = t->v + k - k % 3;
      if (own >= s->n || !held[own]) continue;
      for (int i = 0; i < 3; i++) {
        if (pass == 0 && v[i] != own) has[own] |= s->held[v[i]];
        if (pass == 1 && !has[own]) s->held[v[i]] = 1;
      }
    }
  pl_free(env, has);
  return PL_OK;
}

static pl_status hold(pl_env *env, const pl_mesh *coarse, int refine, const char *held,
                      pl_patch_sheet *s) {
  const pl_cells *t = &s->mesh->cell[PL_TRI3];
  double lo[3], hi[3];
  pl_mesh_bounds(coarse, lo, hi);
  double tol = SAME * hypot(hi[0] - lo[0], hi[1] - lo[1]);
  corner *c = pl_alloc(env, (size_t)coarse->nvert, sizeof *c);
  s->held = pl_alloc(env, (size_t)s->mesh->nvert, sizeof *s->held);
  pl_status st = c && s->held ? find_corners(coarse, c) : PL_E_NOMEM;
  // triangles of a coarse one follow each other
  for (int k = 0; st == PL_OK && k < t->n; k++)
    for (int i = 0; i < 3; i++) {
      int v = t->v[3 * k + i];
      const int *own = coarse->cell[PL_TRI3].v + 3 * (k >> 2 * refine);
      s->held[v] = (char)is_held(coarse, c, own, held, s->mesh->X + 3 * v, tol);
    }
  if (st == PL_OK) st = hold_directions(env, t, held, s);
  pl_free(env, c);
  return st;
}

pl_status pl_patch_sheet_make(pl_env *env, const pl_mail *m, int n, const pl_cut_element *e,
                              const char *held, int refine, pl_patch_sheet *out) {
  pl_mesh *coarse;
  *out = (pl_patch_sheet){.n = n};
  for (int k = 0; k < m->nelem; k++) out->z += m->pose[k].x[2] / m->nelem;
  pl_status s = make_mesh(env, m, n, e, &coarse);
  if (s == PL_OK) s = pl_mesh_copy(coarse, &out->mesh);
  for (int k = 0; s == PL_OK && k < refine; k++) {
    pl_mesh *fine;
    s = pl_mesh_refine(out->mesh, &fine);
    if (s != PL_OK) break;
    pl_mesh_free(out->mesh);
    out->mesh = fine;
  }
  if (s == PL_OK) s = hold(env, coarse, refine, held, out);
  pl_mesh_free(coarse);
  if (s != PL_OK) pl_patch_sheet_free(env, out);
  return s;
}

void pl_patch_sheet_free(pl_env *env, pl_patch_sheet *s) {
  pl_mesh_free(s->mesh);
  pl_free(env, s->held);
  *s = (pl_patch_sheet){0};
}

// ---- elements on it -----------------------------------------------------------------------------

// adds a triangle's share of the gradients of x by the plane, and of the normal
static void add_gradient(const pl_mesh *m, const int *v, const double *x, double *F) {
  const double *a = m->X + 3 * v[0], *b = m->X + 3 * v[1], *c = m->X + 3 * v[2];
  const double e[2] = {b[0] - a[0], b[1] - a[1]}, f[2] = {c[0] - a[0], c[1] - a[1]};
  double p[3], q[3], n[3];
  pl_sub3(x + 3 * v[1], x + 3 * v[0], p);
  pl_sub3(x + 3 * v[2], x + 3 * v[0], q);
  pl_cross3(p, q, n);
  // times twice the area
  for (int d = 0; d < 3; d++) {
    F[3 * d] += p[d] * f[1] - q[d] * e[1];
    F[3 * d + 1] += q[d] * e[0] - p[d] * f[0];
    F[3 * d + 2] += n[d];
  }
}

pl_status pl_patch_sheet_poses(pl_env *env, const pl_patch_sheet *s, const double *x,
                               const pl_cut_element *e, pl_pose *out) {
  const pl_cells *t = &s->mesh->cell[PL_TRI3];
  double(*F)[9] = pl_alloc(env, (size_t)s->n, sizeof *F);
  if (!F) return PL_E_NOMEM;
  for (int k = 0; k < 3 * t->n; k++)
    if (t->v[k] < s->n) add_gradient(s->mesh, t->v + k - k % 3, x, F[t->v[k]]);
  for (int i = 0; i < s->n; i++) {
    double S[9], R[9], n[3] = {F[i][2], F[i][5], F[i][8]}, up = e[i].pose.x[2] - s->z;
    // gradients have the size of the area, and so has the normal
    pl_polar3(F[i], R, S);
    pl_mul3(R, e[i].pose.Q, out[i].Q);
    double l = pl_norm3(n);
    for (int d = 0; d < 3; d++) out[i].x[d] = x[3 * i + d] + (l > 0 ? up * n[d] / l : 0);
  }
  pl_free(env, F);
  return PL_OK;
}
