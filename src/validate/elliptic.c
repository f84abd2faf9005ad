// Legendre's integrals by Carlson's duplication: F = s R_F(c^2, 1 - k^2 s^2, 1) and
// D = s^3/3 R_D(c^2, 1 - k^2 s^2, 1).
#include "validate_impl.h"

// both forms at once; the truncated series errs by the sixth power of the spread
static void carlson(double x, double y, double z, double *rf, double *rd) {
  double sum = 0, fac = 1;
  for (int it = 0; it < 60; it++) {
    double spread = fmax(fabs(x - z), fabs(y - z));
    if (spread < 1e-3 * z) break;
    double sx = sqrt(x), sy = sqrt(y), sz = sqrt(z), l = sx * sy + sy * sz + sz * sx;
    sum += fac / (sz * (z + l));
    fac *= 0.25;
    x = 0.25 * (x + l);
    y = 0.25 * (y + l);
    z = 0.25 * (z + l);
  }
  // R_F: mean of three, symmetric functions of the deviations
  double m = (x + y + z) / 3, X = 1 - x / m, Y = 1 - y / m, Z = -(X + Y);
  double e2 = X * Y - Z * Z, e3 = X * Y * Z;
  *rf = (1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44) / sqrt(m);

  // R_D: z counts three times
  m = (x + y + 3 * z) / 5;
  X = 1 - x / m;
  Y = 1 - y / m;
  Z = -(X + Y) / 3;
  double a = X * Y, b = Z * Z;
  e2 = a - 6 * b;
  e3 = (3 * a - 8 * b) * Z;
  double e4 = 3 * (a - b) * b, e5 = a * b * Z;
  double series =
      1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52 + 3 * e5 / 26;
  *rd = 3 * sum + fac * series / (m * sqrt(m));
}

void elliptic(double s, double k, double *F, double *D) {
  double rf, rd;
  carlson((1 - s) * (1 + s), (1 - k * s) * (1 + k * s), 1, &rf, &rd);
  *F = s * rf;
  *D = s * s * s / 3 * rd;
}
