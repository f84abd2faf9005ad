#include "pliant/math.h"

#include <float.h>

enum { SWEEPS = 40 }; // Jacobi converges in under ten; the rest is for NaN

double pl_det3(const double *A) {
  return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
         A[2] * (A[3] * A[7] - A[4] * A[6]);
}

void pl_mul3(const double *A, const double *B, double *C) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

void pl_inv3(const double *A, double *B) {
  double C[9]; // columns of the inverse are cross products of rows over det
  pl_cross3(A + 3, A + 6, C);
  pl_cross3(A + 6, A, C + 3);
  pl_cross3(A, A + 3, C + 6);
  double d = pl_dot3(A, C);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) B[3 * i + j] = C[3 * j + i] / d;
}

void pl_rotation3(const double *axis, double angle, double *R) {
  double len = pl_norm(3, axis), u[3] = {0, 0, 0};
  double c = 1, s = 0;
  if (len > 0) {
    for (int i = 0; i < 3; i++) u[i] = axis[i] / len;
    c = cos(angle);
    s = sin(angle);
  }
  // R = c I + s [u]x + (1 - c) u u'; 1 - c = 2 sin^2(angle/2) keeps small angles exact
  double h = len > 0 ? sin(0.5 * angle) : 0, v = 2 * h * h;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) R[3 * i + j] = v * u[i] * u[j] + (i == j ? c : 0);
  R[1] -= s * u[2];
  R[2] += s * u[1];
  R[3] += s * u[2];
  R[5] -= s * u[0];
  R[6] -= s * u[1];
  R[7] += s * u[0];
}

// ---- one-sided Jacobi -------------------------------------------------------------------------

// the columns of A (3 rows) and the columns of V stand in rows here, so that a column is contiguous
static void rotate_pair(int len, double *a, double *b, double c, double s) {
  for (int i = 0; i < len; i++) {
    double x = a[i], y = b[i];
    a[i] = c * x - s * y;
    b[i] = s * x + c * y;
  }
}

// tangent of the smaller angle that diagonalises [alpha gamma; gamma beta]
static double jacobi_tangent(double alpha, double beta, double gamma) {
  double z = 0.5 * (beta - alpha) / gamma;
  double t = 1 / (fabs(z) + sqrt(1 + z * z));
  return z < 0 ? -t : t;
}

// rotates columns until they are orthogonal to rounding relative to their own lengths (Hestenes)
static void orthogonalise(int ncol, double (*a)[3], double (*v)[3]) {
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    int displaced = 0;
    for (int p = 0; p < ncol; p++)
      for (int q = p + 1; q < ncol; q++) {
        double alpha = pl_dot3(a[p], a[p]), beta = pl_dot3(a[q], a[q]);
        double gamma = pl_dot3(a[p], a[q]);
        if (!(fabs(gamma) > DBL_EPSILON * sqrt(alpha) * sqrt(beta)) || fabs(gamma) < 1e-290)
          continue;
        double t = jacobi_tangent(alpha, beta, gamma), c = 1 / sqrt(1 + t * t);
        rotate_pair(3, a[p], a[q], c, c * t);
        rotate_pair(ncol, v[p], v[q], c, c * t);
        displaced = 1;
      }
    if (!displaced) return;
  }
}

// swaps two columns and negates one, a rotation by a right angle
static void swap_columns(double *a, double *b) {
  for (int i = 0; i < 3; i++) {
    double x = a[i];
    a[i] = b[i];
    b[i] = -x;
  }
}

static void sort_columns(int ncol, double (*a)[3], double (*v)[3]) {
  for (int p = 0; p < ncol; p++)
    for (int q = ncol - 1; q > p; q--)
      if (pl_dot3(a[q], a[q]) > pl_dot3(a[q - 1], a[q - 1])) {
        swap_columns(a[q - 1], a[q]);
        swap_columns(v[q - 1], v[q]);
      }
}

// any unit vector orthogonal to the unit vector u
static void orthogonal_to(const double *u, double *w) {
  int k = 0; // axis least aligned with u
  for (int i = 1; i < 3; i++)
    if (fabs(u[i]) < fabs(u[k])) k = i;
  for (int i = 0; i < 3; i++) w[i] = (i == k) - u[k] * u[i];
  double len = pl_norm3(w);
  for (int i = 0; i < 3; i++) w[i] /= len;
}

// the first two left vectors from two orthogonal columns, the longer first; zero columns are filled
static void left_pair(double (*a)[3], double *s, double (*u)[3]) {
  const double tiny = 1e-140; // below this, squares are lost (entries are scaled to 1)
  s[0] = pl_norm3(a[0]);
  s[1] = pl_norm3(a[1]);
  for (int i = 0; i < 3; i++) u[0][i] = s[0] > tiny ? a[0][i] / s[0] : (i == 0);
  if (!(s[0] > tiny)) s[0] = 0;
  double d = pl_dot3(u[0], a[1]), len = 0;
  for (int i = 0; i < 3; i++) u[1][i] = a[1][i] - d * u[0][i];
  len = pl_norm3(u[1]);
  if (s[1] > tiny && len > 0.5 * s[1]) {
    for (int i = 0; i < 3; i++) u[1][i] /= len;
  } else {
    orthogonal_to(u[0], u[1]);
    s[1] = 0;
  }
}

// a power of two near the largest entry: scaling by it is exact
static double scale_of(int n, const double *A) {
  double m = pl_max_abs(n, A);
  if (!(m > 0) || !isfinite(m)) return 1;
  int e;
  frexp(m, &e);
  return ldexp(1, e < -1000 ? -1000 : e);
}

void pl_svd3(const double *A, double *U, double *s, double *V) {
  double a[3][3], v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, u[3][3];
  double scale = scale_of(9, A);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a[j][i] = A[3 * i + j] / scale;
  orthogonalise(3, a, v);
  sort_columns(3, a, v);
  left_pair(a, s, u);

  // V is a rotation, so the third left vector completes U to one and its value takes the sign
  pl_cross3(u[0], u[1], u[2]);
  s[2] = pl_dot3(u[2], a[2]);
  for (int i = 0; i < 3; i++) {
    s[i] *= scale;
    for (int j = 0; j < 3; j++) {
      U[3 * i + j] = u[j][i];
      V[3 * i + j] = v[j][i];
    }
  }
}

void pl_svd32(const double *A, double *U, double *s, double *V) {
  double a[2][3], v[2][3] = {{1, 0, 0}, {0, 1, 0}}, u[2][3];
  double scale = scale_of(6, A);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++) a[j][i] = A[2 * i + j] / scale;
  orthogonalise(2, a, v);
  sort_columns(2, a, v);
  left_pair(a, s, u);
  for (int j = 0; j < 2; j++) {
    s[j] *= scale;
    for (int i = 0; i < 3; i++) U[2 * i + j] = u[j][i];
    for (int i = 0; i < 2; i++) V[2 * i + j] = v[j][i];
  }
}

void pl_polar3(const double *A, double *R, double *S) {
  double U[9], s[3], V[9];
  pl_svd3(A, U, s, V);
  // R = U V', S = V diag(s) V'
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      R[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) R[3 * i + j] += U[3 * i + k] * V[3 * j + k];
    }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) sum += V[3 * i + k] * s[k] * V[3 * j + k];
      S[3 * i + j] = S[3 * j + i] = sum;
    }
}

// ---- symmetric eigenvalues --------------------------------------------------------------------

// one Jacobi rotation of the symmetric B in the plane (p, q); rows of v are the eigenvectors
static void rotate_symmetric(double (*B)[3], double (*v)[3], int p, int q) {
  double t = jacobi_tangent(B[p][p], B[q][q], B[p][q]), c = 1 / sqrt(1 + t * t), s = c * t;
  int r = 3 - p - q;
  double rp = B[r][p], rq = B[r][q];
  B[p][p] -= t * B[p][q];
  B[q][q] += t * B[p][q];
  B[p][q] = B[q][p] = 0;
  B[r][p] = B[p][r] = c * rp - s * rq;
  B[r][q] = B[q][r] = s * rp + c * rq;
  rotate_pair(3, v[p], v[q], c, s);
}

void pl_eig3(const double *A, double *lambda, double *V) {
  double B[3][3], v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double scale = scale_of(9, A);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) B[i][j] = A[3 * i + j] / scale;

  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    int displaced = 0;
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++)
        if (fabs(B[p][q]) > 1e-18 * (fabs(B[p][p]) + fabs(B[q][q])) && fabs(B[p][q]) > 1e-290) {
          rotate_symmetric(B, v, p, q);
          displaced = 1;
        }
    if (!displaced) break;
  }

  int order[3] = {0, 1, 2};
  for (int p = 0; p < 3; p++)
    for (int q = 2; q > p; q--)
      if (B[order[q]][order[q]] < B[order[q - 1]][order[q - 1]]) {
        int k = order[q];
        order[q] = order[q - 1];
        order[q - 1] = k;
      }
  for (int j = 0; j < 3; j++) {
    lambda[j] = B[order[j]][order[j]] * scale;
    for (int i = 0; i < 3; i++) V[3 * i + j] = v[order[j]][i];
  }
}
