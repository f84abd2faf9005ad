#include "check.h"
#include "report_impl.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const file = "test_report_table.tmp.csv";

static void write_file(pl_env *env, const char *s) {
  check_ok(env, pl_file_write(env, file, s, strlen(s)));
}

static uint64_t bits(double v) {
  uint64_t u;
  memcpy(&u, &v, sizeof u);
  return u;
}

static double from_bits(uint64_t u) {
  double v;
  memcpy(&v, &u, sizeof v);
  return v;
}

static uint64_t next_random(uint64_t *s) {
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return *s;
}

// every double comes back to the bit, whatever its size
static void round_trip(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  enum { ROWS = 4000 };
  static double sent[ROWS][3];
  uint64_t seed = 88172645463325252u;
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < 3; c++) {
      double v = from_bits(next_random(&seed));
      sent[r][c] = isfinite(v) ? v : 0.1 * r;
    }
  const double odd[] = {0.0,      -0.0,      DBL_MAX, -DBL_MAX, DBL_MIN, 4.9406564584124654e-324,
                        INFINITY, -INFINITY, 0.1,     1.0 / 3,  1e22,    123456789012345678.0};
  memcpy(sent, odd, sizeof odd);
  pl_table *t, *back;
  check_ok(&env, pl_table_create(&env, 3, &t));
  check_ok(&env, pl_table_column(t, 0, "time", "s"));
  check_ok(&env, pl_table_column(t, 1, "tip_x", "m"));
  check_ok(&env, pl_table_column(t, 2, "count", ""));
  for (int r = 0; r < ROWS; r++) check_ok(&env, pl_table_row(t, sent[r]));
  check_ok(&env, pl_table_write(t, file));
  check_ok(&env, pl_table_read(&env, file, &back));
  assert_int_equal(pl_table_rows(back), ROWS);
  assert_int_equal(pl_table_cols(back), 3);
  for (int k = 0; k < 3 * ROWS; k++)
    assert_true(bits(pl_table_data(back)[k]) == bits(sent[k / 3][k % 3]));
  assert_string_equal(pl_table_name(back, 1), "tip_x");
  assert_string_equal(pl_table_unit(back, 1), "m");
  assert_string_equal(pl_table_name(back, 2), "count");
  assert_string_equal(pl_table_unit(back, 2), "");
  pl_table_free(t);
  pl_table_free(back);
  remove(file);
}

static void shortest_digits(void **state) {
  (void)state;
  const struct {
    double v;
    const char *text;
  } want[] = {{0.1, "0.1"},
              {1, "1"},
              {-2.5, "-2.5"},
              {1e300, "1e+300"},
              {0.3, "0.3"},
              {1e-7, "1e-07"},
              {NAN, "nan"},
              {-INFINITY, "-inf"},
              {1.0 / 3, "0.3333333333333333"},
              {0.1 + 0.2, "0.30000000000000004"}};
  for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
    char got[40];
    rp_shortest(got, sizeof got, want[k].v);
    assert_string_equal(got, want[k].text);
  }
}

static void header_words(void **state) {
  (void)state;
  const struct {
    const char *name, *unit, *cell;
  } want[] = {{"v", "m/s", "v_m_s"},
              {"rate", "1/s", "rate_per_s"},
              {"omega", "rad/s", "omega_rad_s"},
              {"c", "N.s/m", "c_N_s_m"},
              {"energy", "J", "energy_J"},
              {"density", "kg/m^3", "density_kg_m3"},
              {"a", "m/s\xc2\xb2", "a_m_s2"},
              {"share", "%", "share_percent"},
              {"n", "", "n"},
              {"k", "N m/rad", "k_N_m_rad"},
              {"a,\"b\"", "", "\"a,\"\"b\"\"\""}};
  enum { N = sizeof want / sizeof *want };
  pl_env env;
  pl_env_init(&env);
  pl_table *t;
  check_ok(&env, pl_table_create(&env, N, &t));
  char line[512] = "";
  for (int c = 0; c < N; c++) {
    check_ok(&env, pl_table_column(t, c, want[c].name, want[c].unit));
    snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", c ? "," : "", want[c].cell);
  }
  strcat(line, "\n");
  check_ok(&env, pl_table_write(t, file));
  char *data;
  size_t size;
  check_ok(&env, pl_file_read(&env, file, 0, &data, &size));
  assert_string_equal(data, line);
  pl_free(&env, data);
  pl_table *back;
  check_ok(&env, pl_table_read(&env, file, &back));
  assert_int_equal(pl_table_rows(back), 0);
  assert_string_equal(pl_table_unit(back, 3), "N.s/m");
  assert_string_equal(pl_table_unit(back, 1), "1/s");
  assert_string_equal(pl_table_name(back, 2), "omega");
  assert_string_equal(pl_table_name(back, 10), "a,\"b\"");
  pl_table_free(t);
  pl_table_free(back);
  remove(file);
}

static void reads_other_writers(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  write_file(&env, "\xef\xbb\xbf"
                   "t_s,\"x, left_m\"\r\n1, 2.5\r\n\r\n3,\r\n+4e2,\"-7\"");
  pl_table *t;
  check_ok(&env, pl_table_read(&env, file, &t));
  assert_int_equal(pl_table_rows(t), 3);
  assert_string_equal(pl_table_name(t, 0), "t");
  assert_string_equal(pl_table_name(t, 1), "x, left");
  const double *d = pl_table_data(t);
  assert_true(d[0] == 1 && d[1] == 2.5 && d[2] == 3 && isnan(d[3]) && d[4] == 400 && d[5] == -7);
  pl_table_free(t);
  // remarks first; a header may begin with a hash itself
  write_file(&env, "# measured, by hand\r\n# twice\n#a,b\n1,2\n");
  check_ok(&env, pl_table_read(&env, file, &t));
  assert_int_equal(pl_table_rows(t), 1);
  assert_string_equal(pl_table_name(t, 0), "#a");
  pl_table_free(t);
  remove(file);
}

static void bad_files(void **state) {
  (void)state;
  const struct {
    const char *text;
    int line;
    const char *part;
  } bad[] = {{"", 1, "header"},
             {"a,b\n1,2\n3\n", 3, "1 cell, "},
             {"a,b\n1,2,3\n", 2, "3 cells"},
             {"a,b\n1,x\n", 2, "column 2: 'x'"},
             {"a\n0x10\n", 2, "not a number"},
             {"a\n1 2\n", 2, "not a number"},
             {"a\n\"1\n", 2, "no end"},
             {"a\n1\n\n\n2z\n", 5, "not a number"},
             {"# only\n# remarks", 1, "header"},
             {"# where it is from\na\n1\n# not here\n", 4, "not a number"}};
  pl_env env;
  pl_env_init(&env);
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    pl_table *t = (pl_table *)&env;
    write_file(&env, bad[k].text);
    check_status(&env, pl_table_read(&env, file, &t), PL_E_INPUT);
    assert_null(t);
    assert_int_equal(env.error.line, bad[k].line);
    assert_non_null(strstr(env.error.text, bad[k].part));
  }
  write_file(&env, "a;b\n0,5;1\n");
  pl_table *t;
  check_status(&env, pl_table_read(&env, file, &t), PL_E_INPUT);
  assert_non_null(strstr(env.error.hint, "commas"));
  check_status(&env, pl_table_read(&env, "no/such/file.csv", &t), PL_E_IO);
  check_status(&env, pl_table_create(&env, 0, &t), PL_E_ARG);
  check_ok(&env, pl_table_create(&env, 2, &t));
  check_status(&env, pl_table_column(t, 2, "a", "m"), PL_E_ARG);
  pl_table_free(t);
  remove(file);
}

// a host that prints decimal commas still writes and reads points
static void other_locale(void **state) {
  (void)state;
  // the machine need not have such a locale: one is made
  char folder[] = "/tmp/pliant-locale-XXXXXX", command[200];
  assert_non_null(mkdtemp(folder));
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.utf8", folder);
  assert_int_equal(system(command), 0);
  assert_int_equal(setenv("LOCPATH", folder, 1), 0);
  assert_non_null(setlocale(LC_NUMERIC, "de_DE.utf8"));
  assert_string_equal(localeconv()->decimal_point, ",");
  pl_env env;
  pl_env_init(&env);
  char got[40];
  rp_shortest(got, sizeof got, 0.25);
  assert_string_equal(got, "0.25");
  rp_fixed(got, sizeof got, 1.5, 2);
  assert_string_equal(got, "1.50");
  write_file(&env, "a\n0.5\n");
  pl_table *t;
  check_ok(&env, pl_table_read(&env, file, &t));
  assert_true(pl_table_data(t)[0] == 0.5);
  pl_table_free(t);
  setlocale(LC_NUMERIC, "C");
  unsetenv("LOCPATH");
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  remove(file);
}

static pl_status allocating(pl_env *env, void *ctx) {
  (void)ctx;
  pl_table *t = NULL, *back = NULL;
  pl_status s = pl_table_create(env, 2, &t);
  if (s == PL_OK) s = pl_table_column(t, 0, "a", "m");
  if (s == PL_OK) s = pl_table_column(t, 1, "b", "s");
  for (int k = 0; s == PL_OK && k < 40; k++) s = pl_table_row(t, (double[]){k, 0.1 * k});
  if (s == PL_OK) s = pl_table_write(t, file);
  if (s == PL_OK) s = pl_table_read(env, file, &back);
  pl_table_free(back);
  pl_table_free(t);
  return s;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(allocating, NULL);
  remove(file);
}

int test_table(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trip),        cmocka_unit_test(shortest_digits),
      cmocka_unit_test(header_words),      cmocka_unit_test(reads_other_writers),
      cmocka_unit_test(bad_files),         cmocka_unit_test(other_locale),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("report.table", tests, NULL, NULL);
}
