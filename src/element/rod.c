// Frames of rods outside of kernels: the rule for directors at rest, anchors and how they move.
#include "rod_impl.h"

#include <string.h>

static void normalise(double *x) {
  double l = pl_norm3(x);
  for (int i = 0; i < 3; i++) x[i] /= l;
}

// the part of x across t
static void across(const double *t, double *x) {
  double along = pl_dot3(t, x);
  for (int i = 0; i < 3; i++) x[i] -= along * t[i];
  normalise(x);
}

// as FN(director) in rod.inc
void pl_rod_director(const double *t, double *d1) {
  static const double axis[2][3] = {{0, 0, 1}, {0, 1, 0}};
  pl_cross3(axis[t[2] * t[2] > 0.98], t, d1);
  normalise(d1);
}

double pl_rod_angle(const double *t, const double *m1) {
  double d1[3], d2[3];
  pl_rod_director(t, d1);
  pl_cross3(t, d1, d2);
  return atan2(pl_dot3(m1, d2), pl_dot3(m1, d1));
}

void pl_rod_transport(const double *t0, const double *t1, const double *m1, double *out) {
  double k = pl_dot3(m1, t1) / (1 + pl_dot3(t0, t1)), m[3];
  for (int i = 0; i < 3; i++) m[i] = m1[i] - k * (t0[i] + t1[i]);
  across(t1, m);
  memcpy(out, m, sizeof m);
}

int rod_carried(const double *e, const double *anchor, double *t, double *u) {
  double l = pl_norm3(e);
  if (!(l > 0)) return 1;
  for (int i = 0; i < 3; i++) t[i] = e[i] / l;
  if (!(1 + pl_dot3(anchor, t) > 1e-9)) return 1;
  pl_rod_transport(anchor, t, anchor + 3, u);
  return 0;
}

void rod_move_anchor(const double *e, double *anchor) {
  double t[3], u[3];
  if (rod_carried(e, anchor, t, u)) return;
  memcpy(anchor, t, sizeof t);
  memcpy(anchor + 3, u, sizeof u);
}

static void apply(const double *R, const double *x, double *y) {
  for (int i = 0; i < 3; i++) y[i] = R ? pl_dot3(R + 3 * i, x) : x[i];
}

double rod_turned(const double *R, const double *e, double theta, const double *from,
                  const double *to) {
  double t[3], u[3], w[3], m[3], e1[3], m1[3], t1[3], u1[3];
  if (rod_carried(e, from, t, u)) return theta;
  pl_cross3(t, u, w);
  for (int i = 0; i < 3; i++) m[i] = cos(theta) * u[i] + sin(theta) * w[i];
  apply(R, e, e1);
  apply(R, m, m1);
  if (rod_carried(e1, to, t1, u1)) return theta;
  pl_cross3(t1, u1, w);
  return theta + remainder(atan2(pl_dot3(m1, w), pl_dot3(m1, u1)) - theta, 2 * PL_PI);
}

void rod_sample_section(unsigned seed, double *par) {
  pl_rng r;
  pl_rng_seed(&r, seed + 2000);
  par[0] = pl_rng_uniform(&r, 10, 20);
  par[1] = pl_rng_uniform(&r, -0.2, 0.4);
  par[2] = pl_rng_uniform(&r, 0.5, 2);
  par[3] = pl_rng_uniform(&r, 0.5, 1);
  par[4] = pl_rng_uniform(&r, 0.5, 1);
  par[5] = pl_rng_uniform(&r, 0.1, 0.6);
  par[6] = seed % 2;
}

void rod_sample_angle(pl_rng *r, int i, double *X, double *q, double *v) {
  X[i] = pl_rng_uniform(r, -1, 1);
  q[i] = X[i] + pl_rng_uniform(r, -1, 1);
  v[i] = pl_rng_uniform(r, -1, 1);
}
