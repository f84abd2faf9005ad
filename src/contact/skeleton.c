// Corners and edges of obstacles.
#include "contact_impl.h"

#include <stdlib.h>
#include <string.h>

static const double FLAT = 1e-6; // sine of the angle between faces whose edge is none

// ---- told by kinds ------------------------------------------------------------------------------

int pl_skeleton_place(pl_skeleton *s, const double x[3]) {
  if (s->failed == PL_OK) s->failed = pl_grow(s->env, &s->x, s->nx, &s->capx, sizeof *s->x);
  if (s->failed != PL_OK) return 0;
  memcpy(s->x[s->nx], x, sizeof *s->x);
  return s->nx++;
}

void pl_skeleton_side(pl_skeleton *s, int a, int b, int third) {
  if (s->failed == PL_OK)
    s->failed = pl_grow(s->env, &s->side, s->nside, &s->capside, sizeof *s->side);
  if (s->failed == PL_OK)
    s->side[s->nside++] = (skeleton_side){a < b ? a : b, a < b ? b : a, a < b, third};
}

void pl_skeleton_face(pl_skeleton *s, int n, const int *corner) {
  for (int i = 0; i < n; i++)
    pl_skeleton_side(s, corner[i], corner[(i + 1) % n], corner[(i + 2) % n]);
}

static void add_point(pl_skeleton *s, skeleton_point p) {
  if (s->failed == PL_OK)
    s->failed = pl_grow(s->env, &s->point, s->npoint, &s->cappoint, sizeof *s->point);
  if (s->failed == PL_OK) s->point[s->npoint++] = p;
}

static void add_edge(pl_skeleton *s, skeleton_edge e) {
  if (s->failed == PL_OK)
    s->failed = pl_grow(s->env, &s->edge, s->nedge, &s->capedge, sizeof *s->edge);
  if (s->failed == PL_OK) s->edge[s->nedge++] = e;
}

void pl_skeleton_ball(pl_skeleton *s, int a, double radius) {
  add_point(s, (skeleton_point){.v = a, .radius = radius});
}

void pl_skeleton_bar(pl_skeleton *s, int a, int b, double radius) {
  add_edge(s, (skeleton_edge){.v = {a, b}, .third = {-1, -1}, .radius = radius});
}

// ---- of faces -----------------------------------------------------------------------------------

static int compare_sides(const void *a, const void *b) {
  const skeleton_side *p = a, *q = b;
  if (p->lo != q->lo) return p->lo < q->lo ? -1 : 1;
  if (p->hi != q->hi) return p->hi < q->hi ? -1 : 1;
  return q->up - p->up;
}

// the faces of two sides of one edge bend away from each other
static int is_convex(const pl_skeleton *s, const skeleton_side *p, const skeleton_side *q) {
  double e[3], m[3], n[3], d[3];
  const double *a = s->x[p->up ? p->lo : p->hi], *b = s->x[p->up ? p->hi : p->lo];
  pl_sub3(b, a, e);
  pl_sub3(s->x[p->third], a, m);
  pl_cross3(e, m, n);
  pl_sub3(s->x[q->third], a, d);
  return pl_dot3(n, d) < -FLAT * pl_norm3(n) * pl_norm3(d);
}

static void find_edges(pl_skeleton *s, char *corner) {
  for (int i = 0; i + 1 < s->nside; i++) {
    const skeleton_side *p = &s->side[i], *q = p + 1;
    if (p->lo != q->lo || p->hi != q->hi || p->up == q->up || !is_convex(s, p, q)) continue;
    add_edge(s, (skeleton_edge){.v = {p->lo, p->hi}, .third = {p->third, q->third}, .sharp = 1});
    corner[p->lo] = corner[p->hi] = 1;
  }
  for (int i = 0; i < s->nx; i++)
    if (corner[i]) add_point(s, (skeleton_point){.v = i, .sharp = 1});
}

static void add_near(pl_skeleton *s, int v, int near) {
  double d[3];
  s->near[--s->first[v + 1]] = near;
  pl_sub3(s->x[v], s->x[near], d);
  double size = pl_norm3(d);
  for (int c = 0; c < 3 && size > 0; c++) s->out[v][c] += d[c] / size;
}

// places of its faces around a corner, and the direction out of the shape, which they lie behind
static void find_near(pl_skeleton *s) {
  for (int i = 0; i < s->nside; i++) {
    s->first[s->side[i].lo + 1] += 2;
    s->first[s->side[i].hi + 1] += 2;
  }
  for (int i = 0; i < s->nx; i++) s->first[i + 1] += s->first[i];
  for (int i = s->nside - 1; i >= 0; i--) {
    const skeleton_side *p = &s->side[i];
    add_near(s, p->lo, p->hi);
    add_near(s, p->lo, p->third);
    add_near(s, p->hi, p->lo);
    add_near(s, p->hi, p->third);
  }
  // counting down has left the first of i at i + 1
  for (int i = 0; i < s->nx; i++) s->first[i] = s->first[i + 1];
  s->first[s->nx] = 4 * s->nside;
}

static void find_bounds(pl_skeleton *s, double more) {
  for (int c = 0; c < 3; c++) {
    s->lo[c] = INFINITY;
    s->hi[c] = -INFINITY;
  }
  for (int i = 0; i < s->npoint + 2 * s->nedge; i++) {
    int edge = i - s->npoint;
    const skeleton_edge *e = edge >= 0 ? &s->edge[edge / 2] : NULL;
    double radius = more + (e ? e->radius : s->point[i].radius);
    const double *x = s->x[e ? e->v[edge % 2] : s->point[i].v];
    s->most = fmax(s->most, radius);
    for (int c = 0; c < 3; c++) {
      s->lo[c] = fmin(s->lo[c], x[c] - radius);
      s->hi[c] = fmax(s->hi[c], x[c] + radius);
    }
  }
}

static pl_status make_trees(pl_skeleton *s) {
  s->index = pl_alloc(s->env, 3 * (size_t)(s->npoint + s->nedge), sizeof *s->index);
  if (!s->index) return PL_E_NOMEM;
  for (int i = 0; i < 3 * s->npoint; i++) s->index[i] = s->point[i / 3].v;
  int *at = s->index + 3 * s->npoint;
  for (int i = 0; i < 3 * s->nedge; i++) at[i] = s->edge[i / 3].v[i % 3 > 0];
  if (s->npoint > 0) PL_TRY(pl_bvh_create(s->env, s->npoint, s->index, s->x[0], &s->points));
  return s->nedge > 0 ? pl_bvh_create(s->env, s->nedge, at, s->x[0], &s->edges) : PL_OK;
}

static pl_status finish(pl_skeleton *s, const pl_obstacle *o) {
  size_t nx = (size_t)s->nx;
  PL_TRY(s->failed);
  char *corner = pl_alloc(s->env, nx, 1);
  s->first = pl_alloc(s->env, nx + 1, sizeof *s->first);
  s->near = pl_alloc(s->env, 4 * (size_t)s->nside, sizeof *s->near);
  s->out = pl_alloc(s->env, nx, sizeof *s->out);
  s->failed = corner && s->first && s->near && s->out ? PL_OK : PL_E_NOMEM;
  if (s->failed == PL_OK) {
    if (s->nside > 0) qsort(s->side, (size_t)s->nside, sizeof *s->side, compare_sides);
    find_edges(s, corner);
    find_near(s);
    find_bounds(s, o->radius);
  }
  pl_free(s->env, corner);
  PL_TRY(s->failed);
  return make_trees(s);
}

pl_status skeleton_create(pl_env *env, const pl_obstacle *o, int dim, pl_skeleton **out) {
  *out = NULL;
  if (!o->kind->skeleton) return PL_OK;
  pl_skeleton *s = pl_alloc(env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  s->env = env;
  o->kind->skeleton(o, dim, s);
  pl_status status = finish(s, o);
  if (status == PL_OK && s->npoint + s->nedge > 0) {
    *out = s;
    return PL_OK;
  }
  skeleton_free(s);
  return status;
}

void skeleton_free(pl_skeleton *s) {
  if (!s) return;
  pl_bvh_free(s->points);
  pl_bvh_free(s->edges);
  void *all[] = {s->x, s->side, s->point, s->edge, s->first, s->near, s->out, s->index};
  for (size_t i = 0; i < COUNT(all); i++) pl_free(s->env, all[i]);
  pl_free(s->env, s);
}
