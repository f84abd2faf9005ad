#include "taut_impl.h"

#include <string.h>

// Disks of elements whose origins lie on a paraboloid: z = (kxx x^2 + kyy y^2) / 2 + kxy x y.

static pl_pose disk_home(const pl_cell *c, int i) {
  return c->ref[i];
}

// curvature along all directions at once is bounded by that along any
static double disk_most(const taut *t) {
  return fold_curvature(t->c, (double[]){cos(t->g->angle), sin(t->g->angle)}) / t->unit;
}

static void curvature_of(const taut *t, const double *e, double k[3]) {
  goal_stretch(t->g, e, k);
  for (int c = 0; c < 3; c++) k[c] *= t->unit;
}

static void disk_shape(const taut *t, const double *e, double stretch[3], double curvature[3]) {
  memset(stretch, 0, 3 * sizeof *stretch);
  curvature_of(t, e, curvature);
}

static double height(const double k[3], const double *x) {
  return (k[0] * x[0] * x[0] + k[1] * x[1] * x[1]) / 2 + k[2] * x[0] * x[1];
}

static void disk_settle(const taut *t, state *s) {
  double k[3];
  curvature_of(t, s->e, k);
  for (int i = 0; i < t->c->nelem; i++)
    s->pose[i].x[2] = t->c->ref[i].x[2] + height(k, s->pose[i].x);
}

static int disk_image(const taut *t, const state *s, const pair *p, pl_pose *out) {
  (void)t;
  *out = s->pose[p->j];
  return 1;
}

// z by x, y and by curvatures
static void disk_carry(const taut *t, const state *s, const pair *p, int which, const double g[6],
                       carried *out) {
  const double *x = s->pose[which ? p->j : p->i].x;
  double k[3], by[3];
  out->own = out->sheet = out->curved = 1;
  memset(out->A, 0, sizeof out->A);
  memset(out->G, 0, sizeof out->G);
  memset(out->K, 0, sizeof out->K);
  curvature_of(t, s->e, k);
  for (int i = 0; i < 6; i++) out->A[i][i] = i != 2;
  apply_strain(k, x, by);
  for (int i = 0; i < 2; i++) {
    out->A[2][i] = by[i];
    for (int j = 0; j < 2; j++) out->K[i][j] = g[2] * (i == j ? k[i] : k[2]);
  }
  for (int e = 0; e < t->g->n; e++) {
    const double *B = t->g->basis[e];
    out->G[2][e] = t->unit * height(B, x);
    apply_strain(B, x, by);
    for (int i = 0; i < 2; i++) out->K[i][6 + e] = out->K[6 + e][i] = t->unit * g[2] * by[i];
  }
}

static double steepest(const double k[3]) {
  return fabs(k[0] + k[1]) / 2 + hypot((k[0] - k[1]) / 2, k[2]);
}

// most that z changes: |k| r dx + |k| dx^2 / 2 + |dk| (r + dx)^2 / 2
static double rise(const taut *t, int i, double k, double dk) {
  const double *x = t->now.pose[i].x;
  double r = hypot(x[0], x[1]), dx = hypot(step_of(t, i, 0), step_of(t, i, 1));
  return k * dx * (r + dx / 2) + dk * (r + dx) * (r + dx) / 2;
}

static double disk_travel(const taut *t, const pair *p) {
  double k[3], dk[3] = {0};
  curvature_of(t, t->now.e, k);
  for (int c = 0; c < 3; c++)
    for (int e = 0; e < t->g->n; e++)
      dk[c] += t->unit * t->step[t->nz - t->nfree + e] * t->g->basis[e][c];
  double size = steepest(k), grow = steepest(dk);
  return rise(t, p->i, size, grow) + rise(t, p->j, size, grow);
}

const placing placing_disk = {disk_home,  disk_most,  disk_shape, disk_settle,
                              disk_image, disk_carry, disk_travel};
