#include "pliant/math.h"

void pl_quat_from_axis(const double *axis, double angle, double *q) {
  double len = pl_norm(3, axis);
  double s = len > 0 ? sin(0.5 * angle) / len : 0;
  q[0] = len > 0 ? cos(0.5 * angle) : 1;
  for (int i = 0; i < 3; i++) q[i + 1] = s * axis[i];
}

void pl_quat_mul(const double *a, const double *b, double *c) {
  double r[4] = {
      a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
      a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
      a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
      a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  };
  for (int i = 0; i < 4; i++) c[i] = r[i];
}

void pl_quat_rotate(const double *q, const double *v, double *w) {
  // w = v + 2/|q|^2 (q0 (u x v) + u x (u x v)), u the vector part
  double scale = 2 / (q[0] * q[0] + pl_dot3(q + 1, q + 1)), c[3], d[3];
  pl_cross3(q + 1, v, c);
  pl_cross3(q + 1, c, d);
  for (int i = 0; i < 3; i++) w[i] = v[i] + scale * (q[0] * c[i] + d[i]);
}

void pl_quat_to_mat(const double *q, double *R) {
  // the columns are the rotated axes
  for (int j = 0; j < 3; j++) {
    double e[3] = {j == 0, j == 1, j == 2}, w[3];
    pl_quat_rotate(q, e, w);
    for (int i = 0; i < 3; i++) R[3 * i + j] = w[i];
  }
}
