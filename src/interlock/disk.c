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
  for (int c = 0; c < 3; c++) stretch[c] = e[0] * t->unit * t->g->strain[c];
  curvature_of(t, e, curvature);
}

static double height(const double k[3], const double *x) {
  return (k[0] * x[0] * x[0] + k[1] * x[1] * x[1]) / 2 + k[2] * x[0] * x[1];
}

// ---- the mean strain ----------------------------------------------------------------------------

int disk_is_strained(const taut *t) {
  const double *S = t->g->strain;
  return t->g->shape == PL_TAUT_PARABOLOID && (S[0] != 0 || S[1] != 0 || S[2] != 0);
}

// A B A of symmetric ones (xx, yy, xy)
static void sandwich(const double A[3], const double B[3], double out[3]) {
  double p = A[0] * B[0] + A[2] * B[2], q = A[0] * B[2] + A[2] * B[1];
  double r = A[2] * B[0] + A[1] * B[2], s = A[2] * B[2] + A[1] * B[1];
  out[0] = p * A[0] + q * A[2];
  out[1] = r * A[2] + s * A[1];
  out[2] = p * A[2] + q * A[1];
}

// the square root of a symmetric positive one: (A + sqrt(det) I) / sqrt(trace + 2 sqrt(det))
static void root(const double A[3], double out[3]) {
  double det = sqrt(fmax(A[0] * A[1] - A[2] * A[2], 1e-12));
  double trace = sqrt(fmax(A[0] + A[1] + 2 * det, 1e-12));
  out[0] = (A[0] + det) / trace;
  out[1] = (A[1] + det) / trace;
  out[2] = A[2] / trace;
}

// mean of X X'
static void spread_of(const pl_cell *c, double M[3]) {
  memset(M, 0, 3 * sizeof *M);
  for (int i = 0; i < c->nelem; i++) {
    const double *X = c->ref[i].x;
    M[0] += X[0] * X[0] / c->nelem;
    M[1] += X[1] * X[1] / c->nelem;
    M[2] += X[0] * X[1] / c->nelem;
  }
}

static double steepest(const double k[3]) {
  return fabs(k[0] + k[1]) / 2 + hypot((k[0] - k[1]) / 2, k[2]);
}

// (I + S)^2 = G^2 + K (G M G) K: slopes K x at x = G X. Part of what is left is added to G^2, so
// that it becomes less by c / (2 + c) at least, c the largest square of slopes.
void disk_gradient(const taut *t, const double *e, double G[3]) {
  enum { REPEATS = 200 };
  static const double one[3] = {1, 1, 0};
  double k[3], M[3], U[3], metric[3], square[3];
  curvature_of(t, e, k);
  spread_of(t->c, M);
  for (int c = 0; c < 3; c++) U[c] = one[c] + e[0] * t->unit * t->g->strain[c];
  sandwich(U, one, metric);
  memcpy(G, U, sizeof U);
  memcpy(square, metric, sizeof square);
  double part = 2 / (2 + pow(steepest(k), 2) * (M[0] + M[1]));
  for (int r = 0; r < REPEATS; r++) {
    double x[3], slope[3], most = 0;
    sandwich(G, M, x);
    sandwich(k, x, slope);
    for (int c = 0; c < 3; c++) {
      double left = metric[c] - slope[c] - square[c];
      square[c] += part * left;
      most = fmax(most, fabs(left));
    }
    root(square, G);
    if (most < 1e-13) break;
  }
}

// moves all elements by a linear map, so that their mean gradient is the one of e
static void strain_to(const taut *t, state *s) {
  double G[3], M[3], now[4] = {0};
  const pl_cell *c = t->c;
  disk_gradient(t, s->e, G);
  spread_of(c, M);
  double det = M[0] * M[1] - M[2] * M[2];
  for (int i = 0; i < c->nelem; i++)
    for (int a = 0; a < 2; a++)
      for (int b = 0; b < 2; b++) now[2 * a + b] += s->pose[i].x[a] * c->ref[i].x[b] / c->nelem;
  // G - now M^-1
  const double inverse[4] = {M[1] / det, -M[2] / det, -M[2] / det, M[0] / det};
  double more[4] = {G[0], G[2], G[2], G[1]};
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++)
      for (int d = 0; d < 2; d++) more[2 * a + b] -= now[2 * a + d] * inverse[2 * d + b];
  for (int i = 0; i < c->nelem; i++)
    for (int a = 0; a < 2; a++)
      s->pose[i].x[a] += more[2 * a] * c->ref[i].x[0] + more[2 * a + 1] * c->ref[i].x[1];
}

static void disk_settle(const taut *t, state *s) {
  double k[3];
  if (disk_is_strained(t)) strain_to(t, s);
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
static void disk_transport(const taut *t, const state *s, const pair *p, int which,
                           const double g[6], motion_map *out) {
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

// most that z changes: |k| r dx + |k| dx^2 / 2 + |dk| (r + dx)^2 / 2
static double rise(const taut *t, int i, double k, double dk) {
  const double *x = t->now.pose[i].x;
  double r = hypot(x[0], x[1]), dx = hypot(step_of(t, i, 0), step_of(t, i, 1));
  return k * dx * (r + dx / 2) + dk * (r + dx) * (r + dx) / 2;
}

// most that elements are moved further than along the step, a unit of distance from the middle:
// what the mean gradient is not linear by
double disk_bow(const taut *t) {
  const double *step = t->step + t->nz - t->nfree;
  double to[3][PL_TAUT_FREE], G[3][3], sum = 0;
  for (int k = 0; k < 3; k++) {
    for (int e = 0; e < PL_TAUT_FREE; e++)
      to[k][e] = t->now.e[e] + (e < t->nfree ? (k - 1) * step[e] : 0);
    disk_gradient(t, to[k], G[k]);
  }
  for (int c = 0; c < 3; c++) sum += fabs(G[2][c] - 2 * G[1][c] + G[0][c]);
  return sum;
}

static double disk_travel(const taut *t, const pair *p) {
  double k[3], dk[3] = {0};
  curvature_of(t, t->now.e, k);
  for (int c = 0; c < 3; c++)
    for (int e = 0; e < t->g->n; e++)
      dk[c] += t->unit * t->step[t->nz - t->nfree + e] * t->g->basis[e][c];
  double size = steepest(k), grow = steepest(dk), more = 0;
  if (disk_is_strained(t)) more = 2 * t->bow * t->c->disk;
  return rise(t, p->i, size, grow) + rise(t, p->j, size, grow) + more;
}

const placing placing_disk = {disk_home,  disk_most,      disk_shape,  disk_settle,
                              disk_image, disk_transport, disk_travel, NULL};
