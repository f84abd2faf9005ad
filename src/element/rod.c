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

int rod_transport(const double *e, const double *anchor, double *t, double *u) {
  double l = pl_norm3(e);
  if (!(l > 0)) return 1;
  for (int i = 0; i < 3; i++) t[i] = e[i] / l;
  if (!(1 + pl_dot3(anchor, t) > 1e-9)) return 1;
  pl_rod_transport(anchor, t, anchor + 3, u);
  return 0;
}

void rod_move_anchor(const double *e, double *anchor) {
  double t[3], u[3];
  if (rod_transport(e, anchor, t, u)) return;
  memcpy(anchor, t, sizeof t);
  memcpy(anchor + 3, u, sizeof u);
}

static void apply(const double *R, const double *x, double *y) {
  for (int i = 0; i < 3; i++) y[i] = R ? pl_dot3(R + 3 * i, x) : x[i];
}

double rod_rotated(const double *R, const double *e, double theta, const double *from,
                   const double *to) {
  double t[3], u[3], w[3], m[3], e1[3], m1[3], t1[3], u1[3];
  if (rod_transport(e, from, t, u)) return theta;
  pl_cross3(t, u, w);
  for (int i = 0; i < 3; i++) m[i] = cos(theta) * u[i] + sin(theta) * w[i];
  apply(R, e, e1);
  apply(R, m, m1);
  if (rod_transport(e1, to, t1, u1)) return theta;
  pl_cross3(t1, u1, w);
  return theta + remainder(atan2(pl_dot3(m1, w), pl_dot3(m1, u1)) - theta, 2 * PL_PI);
}

// J/(a b^3) of a full rectangle, as FN(torsion) in section.inc
static double torsion_of_rectangle(double ratio) {
  double sum = 0;
  for (int n = 1; n <= 19; n += 2) sum += tanh(n * PL_PI * ratio / 2) / pow(n, 5);
  return 1. / 3 - 64 / pow(PL_PI, 5) / ratio * sum;
}

// Saint-Venant's largest shear of a rectangle a >= b under unit torque: G theta b (1 - 8/pi^2 sum
// 1/(n^2 cosh(n pi a/2b))) over odd n, with theta = 1/(G J)
static double shear_of_rectangle(double a, double b, double J) {
  double sum = 0;
  for (int n = 1; n <= 9; n += 2) sum += 1 / (n * n * cosh(n * PL_PI * a / (2 * b)));
  return b * (1 - 8 / (PL_PI * PL_PI) * sum) / J;
}

void pl_rod_stress(const double *par, const double *force, double *normal, double *shear) {
  double w = par[3], h = par[4], k = par[5], kk = k * k, twist = fabs(force[3]);
  int box = par[6] > 0.5;
  double A = (box ? 1 : PL_PI / 4) * w * h * (1 - kk);
  double c = (box ? 1. / 12 : PL_PI / 64) * w * h * (1 - kk * kk);
  // at a corner, or on an ellipse
  double s1 = fabs(force[1]) / (2 * c * w), s2 = fabs(force[2]) / (2 * c * h);
  double bent = box ? s1 + s2 : hypot(s1, s2), pulled = force[0] / A;
  *normal = pulled < 0 ? pulled - bent : pulled + bent;
  double a = fmax(w, h), b = fmin(w, h);
  if (!box) {
    // on the shorter axis; a = b: a round bar
    *shear = twist * 16 / (PL_PI * a * b * b * (1 - kk * kk));
  } else if (k == 0) {
    double J = a * b * b * b * torsion_of_rectangle(a / b);
    *shear = twist * shear_of_rectangle(a, b, J);
  } else {
    // Bredt: T/(2 area within the middle line, thinner wall)
    *shear = twist / (2 * w * h * (1 + k) * (1 + k) / 4 * b * (1 - k) / 2);
  }
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
