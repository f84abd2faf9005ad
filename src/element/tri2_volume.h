// area over that at rest
static double volume(const double *q, const double *rest) {
  double x[6], F[4];
  transpose_d(3, 2, q, x);
  gradient_d(3, 2, 2, x, rest, F);
  return F[0] * F[3] - F[1] * F[2];
}
