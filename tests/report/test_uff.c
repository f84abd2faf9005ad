// Universal files written by another program (fixed columns of dataset 58), holding the accelerance
// -w^2 / (k - m w^2 + i c w) of an oscillator with m = 1, k = 400, c = 1.
#include "check.h"
#include "report_impl.h"

#include "pliant/math.h"

#include <complex.h>
#include <stdio.h>
#include <string.h>

static double complex accelerance(double f) {
  double w = 2 * PL_PI * f;
  return -w * w / (400 - w * w + I * w);
}

// text has seven digits at most in single precision, thirteen in double
static void four_layouts(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int n, complex_, units;
    double tol;
  } file[] = {{"even-complex.uff", 17, 1, 1, 1e-5},
              {"uneven-double.uff", 15, 1, 0, 1e-11},
              {"even-real.uff", 17, 0, 0, 1e-11},
              {"uneven-real.uff", 15, 0, 0, 1e-5}};
  for (int k = 0; k < 4; k++) {
    pl_env env;
    pl_uff *u;
    char path[PL_TEXT];
    pl_env_init(&env);
    snprintf(path, sizeof path, "%s/tests/report/%s", SOURCE_DIR, file[k].name);
    check_ok(&env, pl_uff_read(&env, path, &u));
    assert_int_equal(u->n, 1);
    assert_int_equal(u->units, file[k].units);
    const pl_uff_function *f = &u->function[0];
    assert_string_equal(f->title, "Accelerance of the tip");
    assert_int_equal(f->type, 4);
    assert_int_equal(f->response_node, 27);
    assert_int_equal(f->response_direction, 3);
    assert_int_equal(f->reference_node, 12);
    assert_int_equal(f->abscissa, 18);
    assert_int_equal(f->numerator, 12);
    assert_int_equal(f->denominator, 13);
    assert_int_equal(f->complex_, file[k].complex_);
    assert_int_equal(f->n, file[k].n);
    check_close(f->x[0], 1, 0);
    check_close(f->x[f->n - 1], 5, 1e-12);
    for (int i = 0; i < f->n; i++) {
      double complex H = accelerance(f->x[i]);
      if (!file[k].complex_) H = cabs(H);
      check_close(f->re[i], creal(H), file[k].tol * cabs(H));
      check_close(f->im[i], cimag(H), file[k].tol * cabs(H));
    }
    pl_uff_free(u);
  }
}

static void refuse(const char *text, int line, const char *message) {
  static const char *const name = "test_report_uff.tmp.uff";
  pl_env env;
  pl_uff *u;
  pl_env_init(&env);
  check_ok(&env, pl_file_write(&env, name, text, strlen(text)));
  check_status(&env, pl_uff_read(&env, name, &u), PL_E_INPUT);
  assert_null(u);
  if (!strstr(env.error.text, message)) fail_msg("'%s' lacks '%s'", env.error.text, message);
  assert_int_equal(env.error.line, line);
}

#define HEAD                                                                                       \
  "    -1\n    58\ntitle\nNONE\nNONE\nNONE\nNONE\n"                                                \
  "    4         0    0         0 NONE               1   1 NONE               1   1\n"
#define AXES                                                                                       \
  "        18    0    0    0 NONE                 NONE\n"                                          \
  "         8    1    0    0 NONE                 NONE\n"                                          \
  "        13    0    1    0 NONE                 NONE\n"                                          \
  "         0    0    0    0 NONE                 NONE\n"

// file and line of what is wrong
static void wrong_files(void **state) {
  (void)state;
  refuse("", 0, "empty");
  refuse("time,x\n1,2\n", 1, "not a universal file");
  refuse("    -1\n    58b     1     2\n", 2, "binary");
  refuse("    -1\n    58\ntitle\n", 3, "ends inside");
  refuse(HEAD "         7         3         1  1.00000E+00  1.00000E+00  0.00000E+00\n", 9,
         "kind of ordinates");
  refuse(HEAD "         5   1000000         1  1.00000E+00  1.00000E+00  0.00000E+00\n", 9,
         "does not fit");
  refuse(HEAD "         2         3         1  1.00000E+00  1.00000E+00  0.00000E+00\n" AXES
              "  1.00000E+00  2.0000xE+00  3.00000E+00\n    -1\n",
         14, "'2.0000xE+00' is not a number");
  refuse(HEAD "         2        13         1  1.00000E+00  1.00000E+00  0.00000E+00\n" AXES
              "  1.00000E+00  2.00000E+00  3.00000E+00  1.00000E+00  2.00000E+00  3.00000E+00\n"
              "    -1\n",
         15, "after 6 of 13 values");
}

// numbers of fixed columns may touch, and other datasets are passed over
static void touching_numbers(void **state) {
  (void)state;
  static const char *const name = "test_report_uff.tmp.uff";
  static const char text[] =
      "    -1\n   151\nsomething\n    -1\n" HEAD
      "         5         2         1  1.00000E+00  5.00000E-01  0.00000E+00\n" AXES
      " -1.00000D+00 -2.00000D+00-3.00000E+002-4.00000E-001\r\n    -1\n";
  pl_env env;
  pl_uff *u;
  pl_env_init(&env);
  check_ok(&env, pl_file_write(&env, name, text, strlen(text)));
  check_ok(&env, pl_uff_read(&env, name, &u));
  assert_int_equal(u->n, 1);
  const double re[2] = {-1, -300}, im[2] = {-2, -0.4};
  check_array(2, u->function[0].re, re, 1e-12);
  check_array(2, u->function[0].im, im, 1e-12);
  check_close(u->function[0].x[1], 1.5, 0);
  pl_uff_free(u);
}

int test_uff(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(four_layouts),
      cmocka_unit_test(wrong_files),
      cmocka_unit_test(touching_numbers),
  };
  return cmocka_run_group_tests_name("report.uff", tests, NULL, NULL);
}
