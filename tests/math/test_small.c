#include "check.h"
#include "pliant/math.h"

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// C [r][c] = A [r][k] B' with B [c][k]
static void mul_transposed(int r, int c, int k, const double *A, const double *B, double *C) {
  for (int i = 0; i < r; i++)
    for (int j = 0; j < c; j++) {
      C[c * i + j] = 0;
      for (int l = 0; l < k; l++) C[c * i + j] += A[k * i + l] * B[k * j + l];
    }
}

// columns of A [r][c] orthonormal
static void check_orthonormal(int r, int c, const double *A, double tol) {
  for (int p = 0; p < c; p++)
    for (int q = 0; q < c; q++) {
      double d = 0;
      for (int i = 0; i < r; i++) d += A[c * i + p] * A[c * i + q];
      check_close(d, p == q, tol);
    }
}

// the largest entry, or 1 for a zero matrix: what tolerances are relative to
static double size_of(int n, const double *A) {
  double m = pl_max_abs(n, A);
  return m > 0 ? m : 1;
}

static void check_svd3(const double *A) {
  double U[9], s[3], V[9], US[9], back[9], R[9], S[9], size = size_of(9, A);
  pl_svd3(A, U, s, V);
  check_orthonormal(3, 3, U, 1e-14);
  check_orthonormal(3, 3, V, 1e-14);
  check_close(pl_det3(U), 1, 1e-14);
  check_close(pl_det3(V), 1, 1e-14);
  assert_true(s[0] >= s[1] && s[1] >= fabs(s[2]) - 1e-15 * size && s[1] >= 0);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) US[3 * i + j] = U[3 * i + j] * (s[j] / size);
  mul_transposed(3, 3, 3, US, V, back);
  double scaled[9];
  for (int i = 0; i < 9; i++) scaled[i] = A[i] / size;
  check_array(9, back, scaled, 1e-14);

  pl_polar3(A, R, S);
  check_orthonormal(3, 3, R, 1e-14);
  check_close(pl_det3(R), 1, 1e-14);
  for (int i = 0; i < 9; i++) S[i] /= size;
  pl_mul3(R, S, back);
  check_array(9, back, scaled, 1e-14);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) assert_true(S[3 * i + j] == S[3 * j + i]);
}

static void check_svd32(const double *A) {
  double U[6], s[2], V[4], US[6], back[6], scaled[6], size = size_of(6, A);
  pl_svd32(A, U, s, V);
  check_orthonormal(3, 2, U, 1e-14);
  check_orthonormal(2, 2, V, 1e-14);
  assert_true(s[0] >= s[1] && s[1] >= 0);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++) US[2 * i + j] = U[2 * i + j] * (s[j] / size);
  mul_transposed(3, 2, 2, US, V, back);
  for (int i = 0; i < 6; i++) scaled[i] = A[i] / size;
  check_array(6, back, scaled, 1e-14);
}

// A V = V diag(lambda), ascending
static void check_eig3(const double *A) {
  double lambda[3], V[9], VL[9], back[9], scaled[9], size = size_of(9, A);
  pl_eig3(A, lambda, V);
  check_orthonormal(3, 3, V, 1e-14);
  assert_true(lambda[0] <= lambda[1] && lambda[1] <= lambda[2]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) VL[3 * i + j] = V[3 * i + j] * (lambda[j] / size);
  mul_transposed(3, 3, 3, VL, V, back);
  for (int i = 0; i < 9; i++) scaled[i] = A[i] / size;
  check_array(9, back, scaled, 1e-14);
}

static void random_matrix(pl_rng *r, int n, double *A) {
  for (int i = 0; i < n; i++) A[i] = pl_rng_uniform(r, -1, 1);
}

static void random_matrices(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 1);
  for (int k = 0; k < 20000; k++) {
    double A[9];
    random_matrix(&r, 9, A);
    check_svd3(A);
    check_svd32(A);
    A[3] = A[1];
    A[6] = A[2];
    A[7] = A[5];
    check_eig3(A);
  }
}

// A = B diag(d) C with rotations B, C: any singular values, repeated, zero, tiny or huge
static void degenerate_matrices(void **state) {
  (void)state;
  const double d[][3] = {
      {1, 1, 1},     {2, 1, 1},         {1, 1, 0},          {1, 0, 0},
      {0, 0, 0},     {1, 1, -1},        {1, 1e-8, 0},       {1, 1e-16, 1e-16},
      {1, 1e-12, 1}, {1, 1e-9, 1e-18},  {-1, -1, -1},       {3, -3, 1e-200},
      {5, 5, 1e-14}, {1e150, 1e140, 1}, {1e-160, 0, 0},     {1e-300, 1e-300, 1e-305},
      {1e300, 1, 1}, {1, 1, 1 + 1e-15}, {1e-306, 1e-306, 0}};
  pl_rng r;
  pl_rng_seed(&r, 2);
  for (size_t c = 0; c < sizeof d / sizeof d[0]; c++)
    for (int k = 0; k < 300; k++) {
      double B[9], C[9], axis[3], BD[9], A[9];
      random_matrix(&r, 3, axis);
      pl_rotation3(k ? axis : identity, k ? pl_rng_uniform(&r, -4, 4) : 0, B);
      random_matrix(&r, 3, axis);
      pl_rotation3(axis, k ? pl_rng_uniform(&r, -4, 4) : 0, C);
      for (int i = 0; i < 9; i++) BD[i] = B[i] * d[c][i % 3];
      pl_mul3(BD, C, A);
      check_svd3(A);
      check_svd32(A);
      mul_transposed(3, 3, 3, BD, B, A);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++) A[3 * i + j] = A[3 * j + i];
      check_eig3(A);
    }
}

// singular values, sign of the last one, and the polar factor of a known product
static void known_values(void **state) {
  (void)state;
  const double axis[3] = {1, -2, 3}, other[3] = {-1, 0.5, 0.25};
  double B[9], C[9], BD[9], A[9], U[9], s[3], V[9];
  pl_rotation3(axis, 0.7, B);
  pl_rotation3(other, -1.9, C);
  const double d[3] = {4, 0.5, -3};
  for (int i = 0; i < 9; i++) BD[i] = B[i] * d[i % 3];
  pl_mul3(BD, C, A);
  pl_svd3(A, U, s, V);
  const double want[3] = {4, 3, -0.5};
  check_array(3, s, want, 1e-14);

  // A = R S with S positive definite: the polar factor is R
  double S[9], R[9], P[9];
  const double e[3] = {2, 1, 0.1};
  for (int i = 0; i < 9; i++) BD[i] = B[i] * e[i % 3];
  mul_transposed(3, 3, 3, BD, B, S);
  pl_mul3(C, S, A);
  pl_polar3(A, R, P);
  check_array(9, R, C, 1e-14);
  check_array(9, P, S, 1e-14);

  // eigenvalues of a matrix with eigenvectors B
  double lambda[3];
  pl_eig3(S, lambda, V);
  const double ascending[3] = {0.1, 1, 2};
  check_array(3, lambda, ascending, 1e-14);

  // a rank-one pair of columns: singular values sqrt(1 + 4) |a| and 0
  const double a[6] = {1, 2, -2, -4, 2, 4};
  pl_svd32(a, U, s, V);
  check_close(s[0], sqrt(45), 1e-14);
  check_close(s[1], 0, 1e-15);
}

static void not_a_number_ends(void **state) {
  (void)state;
  double A[9] = {1, 2, 3, 4, NAN, 6, 7, 8, INFINITY}, U[9], s[3], V[9];
  pl_svd3(A, U, s, V);
  pl_svd32(A, U, s, V);
  pl_polar3(A, U, V);
  pl_eig3(A, s, V);
  assert_true(isnan(pl_max_abs(9, A)));
  assert_false(pl_all_finite(9, A));
}

static void inverse_and_rotation(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 3);
  for (int k = 0; k < 1000; k++) {
    double A[9], B[9], C[9], axis[3], R[9], q[4], p[4], pq[4], Q[9], P[9], w[3];
    random_matrix(&r, 9, A);
    if (fabs(pl_det3(A)) > 0.05) {
      pl_inv3(A, B);
      pl_mul3(A, B, C);
      check_array(9, C, identity, 1e-12);
    }
    random_matrix(&r, 3, axis);
    double angle = pl_rng_uniform(&r, -7, 7);
    pl_rotation3(axis, angle, R);
    check_orthonormal(3, 3, R, 1e-14);
    check_close(R[0] + R[4] + R[8], 1 + 2 * cos(angle), 1e-14);
    for (int i = 0; i < 3; i++) w[i] = pl_dot3(R + 3 * i, axis);
    check_array(3, w, axis, 1e-14);

    // quaternions against matrices: same rotation, product, and action
    pl_quat_from_axis(axis, angle, q);
    pl_quat_to_mat(q, Q);
    check_array(9, Q, R, 1e-14);
    random_matrix(&r, 3, w);
    pl_quat_from_axis(w, 1 - angle, p);
    pl_quat_to_mat(p, P);
    pl_quat_mul(p, q, pq);
    pl_quat_to_mat(pq, A);
    pl_mul3(P, Q, B);
    check_array(9, A, B, 1e-14);
    double v[3], Rv[3];
    random_matrix(&r, 3, v);
    for (int i = 0; i < 3; i++) Rv[i] = pl_dot3(R + 3 * i, v);
    pl_quat_rotate(q, v, w);
    check_array(3, w, Rv, 1e-14);
  }
  // right-handed: a quarter turn about z takes x to y
  const double z[3] = {0, 0, 2}, zero[3] = {0};
  double R[9], q[4];
  pl_rotation3(z, PL_PI / 2, R);
  const double want[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
  check_array(9, R, want, 1e-15);
  pl_rotation3(zero, 1, R);
  check_array(9, R, identity, 0);
  pl_quat_from_axis(zero, 1, q);
  assert_true(q[0] == 1 && q[1] == 0);
}

// numbers that differ by multiples of 7
static void united(void **state) {
  (void)state;
  int up[40];
  for (int i = 0; i < 40; i++) up[i] = i;
  for (int i = 39; i >= 7; i--) pl_unite(up, i, i - 7);
  for (int i = 0; i < 40; i++) assert_int_equal(pl_root(up, i), i % 7);
  pl_unite(up, 33, 39);
  assert_int_equal(pl_root(up, 19), 4);
  assert_int_equal(pl_root(up, 25), 4);
  assert_int_equal(pl_root(up, 24), 3);
}

int test_small(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_matrices),      cmocka_unit_test(degenerate_matrices),
      cmocka_unit_test(known_values),         cmocka_unit_test(not_a_number_ends),
      cmocka_unit_test(inverse_and_rotation), cmocka_unit_test(united),
  };
  return cmocka_run_group_tests_name("math.small", tests, NULL, NULL);
}
