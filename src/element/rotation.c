#include "rotation_impl.h"

#include <math.h>
#include <string.h>

int rotation_shorten(double *s, double *v, double *a) {
  double ss = pl_dot3(s, s), sv = pl_dot3(s, v), rate = pl_dot3(v, v) + pl_dot3(s, a);
  for (int i = 0; ss > 1 && i < 3; i++) {
    double by = 2 * rate / (ss * ss) - 8 * sv * sv / (ss * ss * ss);
    a[i] = -a[i] / ss + 4 * v[i] * sv / (ss * ss) + by * s[i];
    v[i] = -v[i] / ss + 2 * s[i] * sv / (ss * ss);
    s[i] = -s[i] / ss;
  }
  return ss > 1;
}

// by the quaternion (x, y, z, w) from its largest part (Shepperd 1978)
void rotation_vector(const double *R, double *s) {
  double q[4], most = R[0] + R[4] + R[8];
  int big = 3;
  for (int i = 0; i < 3; i++)
    if (R[4 * i] > most) {
      most = R[4 * i];
      big = i;
    }
  if (big == 3) {
    q[3] = 1 + most;
    for (int i = 0; i < 3; i++)
      q[i] = R[3 * ((i + 2) % 3) + (i + 1) % 3] - R[3 * ((i + 1) % 3) + (i + 2) % 3];
  } else {
    int j = (big + 1) % 3, k = (big + 2) % 3;
    q[big] = 1 + R[4 * big] - R[4 * j] - R[4 * k];
    q[j] = R[3 * j + big] + R[3 * big + j];
    q[k] = R[3 * k + big] + R[3 * big + k];
    q[3] = R[3 * k + j] - R[3 * j + k];
  }
  double l = sqrt(pl_dot(4, q, q)), w = fabs(q[3]) / l;
  for (int i = 0; i < 3; i++) s[i] = (q[3] < 0 ? -q[i] : q[i]) / (l * (1 + w));
}

// R = 1 + 4 ((1 - s.s) [s]x + 2 [s]x [s]x)/(1 + s.s)^2
static void rot(const double *s, const double *x, double *y) {
  double ss = pl_dot3(s, s), k = 4 / ((1 + ss) * (1 + ss)), a[3], b[3];
  pl_cross3(s, x, a);
  pl_cross3(s, a, b);
  for (int i = 0; i < 3; i++) y[i] = x[i] + k * ((1 - ss) * a[i] + 2 * b[i]);
}

void rotation_after(const double *R, const double *s, double *out) {
  double S[9];
  memcpy(out, s, 3 * sizeof *out);
  for (int c = 0; R && c < 3; c++) {
    double unit[3] = {c == 0, c == 1, c == 2}, y[3];
    rot(s, unit, y);
    for (int i = 0; i < 3; i++) S[3 * i + c] = pl_dot3(R + 3 * i, y);
  }
  if (R) rotation_vector(S, out);
}
