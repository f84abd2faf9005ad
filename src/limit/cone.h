#ifndef LIMIT_CONE_H
#define LIMIT_CONE_H

// The cone Q = {a0 >= |(a1, a2)|}: Jordan product, Nesterov-Todd scaling, steps to the boundary.
// W is the symmetric map with W z = W^-1 s = lambda.
#include <math.h>
#include <string.h>

// inlined, so that every copy of a pass has its own
#define CONE static inline __attribute__((always_inline, unused))

CONE double cone_norm(const double a[3]) {
  return sqrt(a[1] * a[1] + a[2] * a[2]);
}

// a0^2 - |a1|^2 without cancellation near the boundary
CONE double cone_det(const double a[3]) {
  double r = cone_norm(a);
  return (a[0] - r) * (a[0] + r);
}

CONE double cone_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

CONE void cone_product(const double a[3], const double b[3], double out[3]) {
  double p = cone_dot(a, b), q = a[0] * b[1] + b[0] * a[1], r = a[0] * b[2] + b[0] * a[2];
  out[0] = p, out[1] = q, out[2] = r;
}

// u with lambda o u = r
CONE void cone_divide(const double lam[3], const double r[3], double u[3]) {
  double u0 = (lam[0] * r[0] - lam[1] * r[1] - lam[2] * r[2]) / cone_det(lam);
  u[1] = (r[1] - u0 * lam[1]) / lam[0];
  u[2] = (r[2] - u0 * lam[2]) / lam[0];
  u[0] = u0;
}

typedef struct cone_scale {
  double w[3], eta;
} cone_scale;

CONE void cone_scaling(const double s[3], const double z[3], cone_scale *k) {
  double ds = sqrt(cone_det(s)), dz = sqrt(cone_det(z));
  double a[3] = {s[0] / ds, s[1] / ds, s[2] / ds}, b[3] = {z[0] / dz, z[1] / dz, z[2] / dz};
  double gam = sqrt((1 + cone_dot(a, b)) / 2);
  k->w[1] = (a[1] - b[1]) / (2 * gam);
  k->w[2] = (a[2] - b[2]) / (2 * gam);
  k->w[0] = sqrt(1 + k->w[1] * k->w[1] + k->w[2] * k->w[2]);
  k->eta = sqrt(ds / dz);
}

// W v (sign 1) or W^-1 v (sign -1)
CONE void cone_scaled(const cone_scale *k, double sign, const double v[3], double out[3]) {
  double a = sign * k->w[1], b = sign * k->w[2], eta = sign > 0 ? k->eta : 1 / k->eta;
  double d = a * v[1] + b * v[2], f = v[0] + d / (1 + k->w[0]), v0 = v[0];
  out[0] = eta * (k->w[0] * v0 + d);
  out[1] = eta * (v[1] + f * a);
  out[2] = eta * (v[2] + f * b);
}

// W^-2 v
CONE void cone_inverse_square(const cone_scale *k, const double v[3], double out[3]) {
  double e = 1 / (k->eta * k->eta), w0 = k->w[0], w1 = -k->w[1], w2 = -k->w[2];
  double d = 2 * (w0 * v[0] + w1 * v[1] + w2 * v[2]);
  double a = e * (d * w0 - v[0]), b = e * (d * w1 + v[1]), c = e * (d * w2 + v[2]);
  out[0] = a, out[1] = b, out[2] = c;
}

// W^-2 as a symmetric matrix (00, 01, 02, 11, 12, 22)
CONE void cone_inverse_matrix(const cone_scale *k, double m[6]) {
  double e = 1 / (k->eta * k->eta), w0 = k->w[0], w1 = -k->w[1], w2 = -k->w[2];
  m[0] = e * (2 * w0 * w0 - 1), m[1] = e * 2 * w0 * w1, m[2] = e * 2 * w0 * w2;
  m[3] = e * (2 * w1 * w1 + 1), m[4] = e * 2 * w1 * w2, m[5] = e * (2 * w2 * w2 + 1);
}

// largest a with s + a d in the cone
CONE double cone_step(const double s[3], const double d[3]) {
  double A = cone_det(d), B = s[0] * d[0] - s[1] * d[1] - s[2] * d[2], C = cone_det(s);
  double disc = B * B - A * C;
  if (disc < 0) return INFINITY;
  // away from the boundary nearby: out on the other side
  if (B > 0) return A < 0 ? (B + sqrt(disc)) / -A : INFINITY;
  double q = -B + sqrt(disc);
  // within rounding of the boundary already
  if (!(C > 0)) return q > 0 ? 0 : INFINITY;
  return q > 0 ? C / q : INFINITY;
}

// eigenvalues a0 -+ |a1| moved into [lo, hi]
CONE void cone_clip(const double a[3], double lo, double hi, double out[3]) {
  double r = cone_norm(a), l = fmin(fmax(a[0] - r, lo), hi), h = fmin(fmax(a[0] + r, lo), hi);
  double f = r > 0 ? (h - l) / (2 * r) : 0;
  out[0] = (l + h) / 2, out[1] = f * a[1], out[2] = f * a[2];
}

// ---- parts of the interior-point method ---------------------------------------------------------

CONE double flat_step(double s, double d) {
  return d < 0 ? -s / d : INFINITY;
}

CONE void start_cone(const double c[3], double margin, double level, int warm, double s[3],
                     double z[3]) {
  double r = cone_norm(c);
  if (warm) {
    cone_clip(c, 0.1 * margin, INFINITY, s);
    cone_clip(z, 0.3 * level, INFINITY, z);
    return;
  }
  memcpy(s, c, 3 * sizeof *s);
  s[0] = fmax(c[0], r + margin);
  z[0] = level, z[1] = z[2] = 0;
}

CONE void start_flat(double c, double margin, double level, int warm, double *s, double *z) {
  *s = fmax(c, warm ? 0.1 * margin : margin);
  *z = warm ? fmax(*z, 0.3 * level) : level;
}

// what takes the products of eigenvalues back into [0.1, 10] sigma mu
CONE void back_inside(double level, const double v[3], double t[3]) {
  double clipped[3], d[3];
  cone_clip(v, 0.1 * level, 10 * level, clipped);
  for (int a = 0; a < 3; a++) d[a] = clipped[a] - v[a];
  cone_clip(d, -10 * level, INFINITY, t);
}

CONE double back_inside_1(double level, double v) {
  return fmax(fmin(fmax(v, 0.1 * level), 10 * level) - v, -10 * level);
}

CONE void trial_product(const cone_scale *k, double at, const double *s, const double *ds,
                        const double *z, const double *dz, double v[3]) {
  double a[3], b[3];
  for (int e = 0; e < 3; e++) {
    a[e] = s[e] + at * ds[e];
    b[e] = z[e] + at * dz[e];
  }
  cone_scaled(k, -1, a, a);
  cone_scaled(k, 1, b, b);
  cone_product(a, b, v);
}

CONE double dot_after(int n, double a, const double *s, const double *ds, const double *z,
                      const double *dz) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += (s[k] + a * ds[k]) * (z[k] + a * dz[k]);
  return sum;
}

CONE void move_cone(double a, const double *ds, const double *dz, double *s, double *z) {
  for (int e = 0; e < 3; e++) {
    s[e] += a * ds[e];
    z[e] += a * dz[e];
  }
}

#endif
