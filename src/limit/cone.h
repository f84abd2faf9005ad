#ifndef LIMIT_CONE_H
#define LIMIT_CONE_H

// The cone Q = {a0 >= |(a1, a2)|}: Jordan product, Nesterov-Todd scaling, steps to the boundary.
// W is the symmetric map with W z = W^-1 s = lambda; k[4] holds it: (w0, w1, w2, eta).
// A num is a double or, where CONE_LANES is defined, one number of several cones: no branches here.
#include "lanes.h"

#include <math.h>
#include <string.h>

// inlined, so that every copy of a pass has its own
#define CONE static inline __attribute__((always_inline, unused))

#ifdef CONE_LANES
typedef lanes num;
typedef lane_mask truth;

CONE num num_pick(truth t, num a, num b) {
  return (num)((t & (truth)a) | (~t & (truth)b));
}

CONE num num_sqrt(num a) {
  double v[LANES];
  memcpy(v, &a, sizeof v);
  for (int l = 0; l < LANES; l++) v[l] = sqrt(v[l]);
  memcpy(&a, v, sizeof v);
  return a;
}

CONE num num_all(double a) {
  return (num){0} + a;
}
#else
typedef double num;
typedef int truth;

CONE num num_pick(truth t, num a, num b) {
  return t ? a : b;
}

CONE num num_sqrt(num a) {
  return sqrt(a);
}

CONE num num_all(double a) {
  return a;
}
#endif

CONE truth is_less(num a, num b) {
  return (truth)(a < b);
}

CONE num num_min(num a, num b) {
  return num_pick(is_less(a, b), a, b);
}

CONE num num_max(num a, num b) {
  return num_pick(is_less(b, a), a, b);
}

CONE num num_abs(num a) {
  return num_max(a, -a);
}

CONE num cone_norm(const num a[3]) {
  return num_sqrt(a[1] * a[1] + a[2] * a[2]);
}

// a0^2 - |a1|^2 without cancellation near the boundary
CONE num cone_det(const num a[3]) {
  num r = cone_norm(a);
  return (a[0] - r) * (a[0] + r);
}

CONE num cone_dot(const num a[3], const num b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

CONE void cone_product(const num a[3], const num b[3], num out[3]) {
  num p = cone_dot(a, b), q = a[0] * b[1] + b[0] * a[1], r = a[0] * b[2] + b[0] * a[2];
  out[0] = p, out[1] = q, out[2] = r;
}

// u with lambda o u = r
CONE void cone_divide(const num lam[3], num det, const num r[3], num u[3]) {
  num u0 = (lam[0] * r[0] - lam[1] * r[1] - lam[2] * r[2]) / det;
  u[1] = (r[1] - u0 * lam[1]) / lam[0];
  u[2] = (r[2] - u0 * lam[2]) / lam[0];
  u[0] = u0;
}

// det: of s, z and lambda
CONE void cone_scaling(const num s[3], const num z[3], num k[4], num det[3]) {
  det[0] = cone_det(s), det[1] = cone_det(z);
  num ds = num_sqrt(det[0]), dz = num_sqrt(det[1]);
  det[2] = ds * dz;
  num a[3] = {s[0] / ds, s[1] / ds, s[2] / ds}, b[3] = {z[0] / dz, z[1] / dz, z[2] / dz};
  num gam = num_sqrt((1 + cone_dot(a, b)) / 2);
  k[1] = (a[1] - b[1]) / (2 * gam);
  k[2] = (a[2] - b[2]) / (2 * gam);
  k[0] = num_sqrt(1 + k[1] * k[1] + k[2] * k[2]);
  k[3] = num_sqrt(ds / dz);
}

// W v (sign 1) or W^-1 v (sign -1)
CONE void cone_scaled(const num k[4], double sign, const num v[3], num out[3]) {
  num a = sign * k[1], b = sign * k[2], eta = k[3];
  if (sign < 0) eta = 1 / eta;
  num d = a * v[1] + b * v[2], f = v[0] + d / (1 + k[0]), v0 = v[0];
  out[0] = eta * (k[0] * v0 + d);
  out[1] = eta * (v[1] + f * a);
  out[2] = eta * (v[2] + f * b);
}

// W^-2 v
CONE void cone_inverse_square(const num k[4], const num v[3], num out[3]) {
  num e = 1 / (k[3] * k[3]), w0 = k[0], w1 = -k[1], w2 = -k[2];
  num d = 2 * (w0 * v[0] + w1 * v[1] + w2 * v[2]);
  num a = e * (d * w0 - v[0]), b = e * (d * w1 + v[1]), c = e * (d * w2 + v[2]);
  out[0] = a, out[1] = b, out[2] = c;
}

// W^-2 as a symmetric matrix (00, 01, 02, 11, 12, 22)
CONE void cone_inverse_matrix(const num k[4], num m[6]) {
  num e = 1 / (k[3] * k[3]), w0 = k[0], w1 = -k[1], w2 = -k[2];
  m[0] = e * (2 * w0 * w0 - 1), m[1] = e * 2 * w0 * w1, m[2] = e * 2 * w0 * w2;
  m[3] = e * (2 * w1 * w1 + 1), m[4] = e * 2 * w1 * w2, m[5] = e * (2 * w2 * w2 + 1);
}

// largest a with s + a d in the cone; C: det of s
CONE num cone_step(const num s[3], num C, const num d[3]) {
  const num none = num_all(INFINITY), zero = num_all(0);
  num A = cone_det(d), B = s[0] * d[0] - s[1] * d[1] - s[2] * d[2];
  num disc = B * B - A * C, root = num_sqrt(num_max(disc, zero)), q = root - B;
  // away from the boundary nearby: out on the other side
  num other = num_pick(is_less(A, zero), (B + root) / -A, none);
  // no way at all where s is within rounding of the boundary already
  num near = num_pick(is_less(zero, q), num_pick(is_less(zero, C), C, zero) / q, none);
  return num_pick(is_less(disc, zero), none, num_pick(is_less(zero, B), other, near));
}

CONE num num_clip(num a, double lo, double hi) {
  return num_min(num_max(a, num_all(lo)), num_all(hi));
}

// eigenvalues a0 -+ |a1| moved into [lo, hi]
CONE void cone_clip(const num a[3], double lo, double hi, num out[3]) {
  num r = cone_norm(a), l = num_clip(a[0] - r, lo, hi), h = num_clip(a[0] + r, lo, hi);
  num f = num_pick(is_less(num_all(0), r), (h - l) / (2 * r), num_all(0));
  out[0] = (l + h) / 2, out[1] = f * a[1], out[2] = f * a[2];
}

// ---- parts of the interior-point method ---------------------------------------------------------

CONE num flat_step(num s, num d) {
  return num_pick(is_less(d, num_all(0)), -s / d, num_all(INFINITY));
}

CONE void start_cone(const num c[3], double margin, double level, int warm_start, num s[3],
                     num z[3]) {
  num r = cone_norm(c);
  if (warm_start) {
    cone_clip(c, 0.1 * margin, INFINITY, s);
    cone_clip(z, level, INFINITY, z);
    return;
  }
  memcpy(s, c, 3 * sizeof *s);
  s[0] = num_max(c[0], r + margin);
  z[0] = num_all(level), z[1] = z[2] = num_all(0);
}

CONE void start_flat(num c, double margin, double level, int warm_start, num *s, num *z) {
  *s = num_max(c, num_all(warm_start ? 0.1 * margin : margin));
  *z = warm_start ? num_max(*z, num_all(level)) : num_all(level);
}

// what takes the products of eigenvalues back into [0.1, 10] sigma mu
CONE void back_inside(double level, const num v[3], num t[3]) {
  num clipped[3], d[3];
  cone_clip(v, 0.1 * level, 10 * level, clipped);
  for (int a = 0; a < 3; a++) d[a] = clipped[a] - v[a];
  cone_clip(d, -10 * level, INFINITY, t);
}

CONE num back_inside_1(double level, num v) {
  return num_max(num_clip(v, 0.1 * level, 10 * level) - v, num_all(-10 * level));
}

CONE void trial_product(const num k[4], double at, const num *s, const num *ds, const num *z,
                        const num *dz, num v[3]) {
  num a[3], b[3];
  for (int e = 0; e < 3; e++) {
    a[e] = s[e] + at * ds[e];
    b[e] = z[e] + at * dz[e];
  }
  cone_scaled(k, -1, a, a);
  cone_scaled(k, 1, b, b);
  cone_product(a, b, v);
}

CONE void move_cone(double a, const num *ds, const num *dz, num *s, num *z) {
  for (int e = 0; e < 3; e++) {
    s[e] += a * ds[e];
    z[e] += a * dz[e];
  }
}

#endif
