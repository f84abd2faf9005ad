#include "check.h"
#include "pliant/math.h"

// tables of Student's t, and of the normal distribution for many degrees of freedom
static void student(void **state) {
  (void)state;
  check_close(pl_student(0.975, 1), 12.7062047364, 1e-8);
  check_close(pl_student(0.975, 2), 4.30265272991, 1e-9);
  check_close(pl_student(0.975, 10), 2.22813885196, 1e-9);
  check_close(pl_student(0.95, 30), 1.69726088659, 1e-9);
  check_close(pl_student(0.975, 1e6), 1.95996635682, 1e-8);
  check_close(pl_student(0.025, 10), -2.22813885196, 1e-9);
  check_close(pl_student(0.5, 3), 0, 1e-12);
}

// the second differences of a chain have eigenvalues 2 - 2 cos(k pi / (n + 1))
static void eigenvalues(void **state) {
  (void)state;
  enum { N = 6 };
  double A[N * N] = {0}, B[N * N], lambda[N], V[N * N], x[N];
  for (int i = 0; i < N; i++) {
    A[i * N + i] = 2;
    if (i + 1 < N) A[i * N + i + 1] = A[(i + 1) * N + i] = -1;
  }
  for (int i = 0; i < N * N; i++) B[i] = A[i];
  pl_eig(N, B, lambda, V);
  for (int k = 0; k < N; k++) {
    check_close(lambda[k], 2 - 2 * cos((k + 1) * PL_PI / (N + 1)), 1e-13);
    for (int i = 0; i < N; i++)
      check_close(pl_dot(N, A + i * N, V + k * N), lambda[k] * V[k * N + i], 1e-13);
  }
  for (int i = 0; i < N * N; i++) B[i] = A[i];
  assert_true(pl_cholesky(N, B) > 0);
  for (int i = 0; i < N; i++) x[i] = i == 0;
  pl_cholesky_solve(N, B, x);
  for (int i = 0; i < N; i++) check_close(x[i], (double)(N - i) / (N + 1), 1e-14);
  for (int i = 0; i < N * N; i++) B[i] = 1;
  assert_true(pl_cholesky(N, B) <= 0);
}

int test_statistics(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(student), cmocka_unit_test(eigenvalues)};
  return cmocka_run_group_tests_name("math.statistics", tests, NULL, NULL);
}
