// Files of materials: what is written comes back to the bit, and what is wrong is refused.
#include "box_material.h"
#include "mails.h"

#include <stdio.h>

static const char path[] = "test.material";

static void write_text(pl_env *env, const pl_sheet_material *m, const char *from, const char *to) {
  pl_text t = {.env = env};
  pl_sheet_material_write(m, &t);
  assert_false(t.failed);
  char *at = from ? strstr(t.s, from) : NULL;
  assert_true(!from || at);
  if (from) {
    assert_true(strlen(to) <= strlen(from));
    memset(at, ' ', strlen(from));
    memcpy(at, to, strlen(to));
  }
  check_ok(env, pl_file_write(env, path, t.s, t.n));
  pl_text_free(&t);
}

static void back_to_the_bit(void **state) {
  (void)state;
  pl_env env;
  pl_sheet_material a, b;
  pl_star *star;
  pl_env_init(&env);
  make_box(&env, &a);
  a.fingerprint = 0xfedcba9876543210;
  a.membrane.open[3] = a.membrane.open[11] = 1;
  write_text(&env, &a, NULL, NULL);
  check_ok(&env, pl_sheet_material_read(&env, path, &b));
  assert_string_equal(b.name, "box");
  assert_true(b.fingerprint == a.fingerprint);
  assert_int_equal(b.copies, 2);
  assert_true(b.thickness == a.thickness && b.mass == a.mass && b.bending.n == 0);
  assert_int_equal(b.membrane.n, 14);
  assert_int_equal(b.membrane.nface, 24);
  assert_memory_equal(a.membrane.ray, b.membrane.ray, 14 * sizeof *a.membrane.ray);
  assert_memory_equal(a.membrane.distance, b.membrane.distance, 14 * sizeof(double));
  assert_memory_equal(a.membrane.left, b.membrane.left, 14 * sizeof(double));
  assert_memory_equal(a.membrane.face, b.membrane.face, 24 * sizeof *a.membrane.face);
  assert_memory_equal(a.membrane.open, b.membrane.open, 14 * sizeof *a.membrane.open);
  // its set is the box: flat sides blend without a trace, edges by little
  check_ok(&env, pl_boundary_star(&env, &b.membrane, &star));
  check_close(pl_star_gauge(star, (double[]){0.05, 0.01, 0.002}, NULL, NULL), 0.25, 1e-12);
  check_close(pl_star_gauge(star, (double[]){0, 0.035, -0.003}, NULL, NULL), 0.25, 1e-12);
  check_less(pl_star_excess(star), 0.02);
  assert_int_equal(pl_star_marked(star, (double[]){0.001, 0.05, 0}), 1);
  assert_int_equal(pl_star_marked(star, (double[]){0.001, -0.05, 0}), 0);
  pl_star_free(star);
  pl_sheet_material_free(&env, &a);
  pl_sheet_material_free(&env, &b);
  remove(path);
}

static void both_blocks(void **state) {
  (void)state;
  pl_env env;
  pl_sheet_material a, b;
  pl_env_init(&env);
  make_box(&env, &a);
  pl_sheet_material other;
  make_box(&env, &other);
  a.bending = other.membrane;
  write_text(&env, &a, NULL, NULL);
  check_ok(&env, pl_sheet_material_read(&env, path, &b));
  assert_int_equal(b.bending.n, 14);
  assert_memory_equal(a.bending.distance, b.bending.distance, 14 * sizeof(double));
  pl_sheet_material_free(&env, &a);
  pl_sheet_material_free(&env, &b);
  remove(path);
}

static void refused(void **state) {
  (void)state;
  static const struct {
    const char *from, *to, *says;
  } bad[] = {
      {"\"pliant_material\": 1", "\"pliant_material\": 2", "version"},
      {"\"pliant_material\": 1", "\"material\": 1", "no file of a material"},
      {"\"copies\"", "copies", "test.material:4"},
      {"\"thickness\"", "\"thick\"", "thickness"},
      {"\"mass_per_area\": 1.5", "\"mass_per_area\": -1", "mass_per_area"},
      {"00000000000000ff", "ff", "fingerprint"},
      {"\"membrane\"", "\"membran\"", "membrane"},
      {"\"centre\"", "\"center\"", "centre"},
      {"\"distances\"", "\"distance\"", "membrane.distances"},
      {"[-1, 0, 0]", "[-9, 0, 0]", "membrane.rays[8]"},
      {"[-1, 0, 0]", "[1, 0]", "membrane.rays[8]"},
      {"[13, 6, 4]", "[14, 6, 4]", "membrane.triangles[20]"},
      {"[8, 2, 0]", "[8, 2]", "membrane.triangles[0]"},
      {"0.029999999999999999", "-0.03", "membrane.distances[12]"},
      {"0.029999999999999999", "\"much\"", "membrane.distances[12]"},
      {"\"unbounded\": [5]", "\"unbounded\": 5", "unbounded must be a list"},
      {"\"unbounded\": [5]", "\"unbounded\":[14]", "membrane.unbounded[0]"},
  };
  pl_env env;
  pl_sheet_material a, b;
  pl_env_init(&env);
  make_box(&env, &a);
  a.fingerprint = 255;
  a.membrane.open[5] = 1;
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    write_text(&env, &a, bad[k].from, bad[k].to);
    check_status(&env, pl_sheet_material_read(&env, path, &b), PL_E_INPUT);
    char said[PL_TEXT];
    pl_diag_plain(&env.error, said, sizeof said);
    if (!strstr(said, bad[k].says)) fail_msg("'%s' does not say '%s'", said, bad[k].says);
  }
  check_status(&env, pl_sheet_material_read(&env, "nothing.material", &b), PL_E_IO);
  pl_sheet_material_free(&env, &a);
  remove(path);
}

static pl_status allocate(pl_env *env, void *ctx) {
  pl_sheet_material b;
  (void)ctx;
  PL_TRY(pl_sheet_material_read(env, path, &b));
  pl_sheet_material_free(env, &b);
  return PL_OK;
}

static void without_memory(void **state) {
  (void)state;
  pl_env env;
  pl_sheet_material a;
  pl_env_init(&env);
  make_box(&env, &a);
  write_text(&env, &a, NULL, NULL);
  check_allocations(allocate, NULL);
  pl_sheet_material_free(&env, &a);
  remove(path);
}

// Each shape has a number of its own, which last digits do not change.
static void fingerprints(void **state) {
  (void)state;
  uint64_t seen[PL_MAIL_COUNT];
  for (int k = 0; k < PL_MAIL_COUNT; k++) {
    const pl_mail_family *of = pl_mail_table[k];
    sample_mail s;
    double value[PL_KEY_MAX];
    for (int i = 0; i < of->nkey; i++) value[i] = of->key[i].value;
    of->make(value, &s);
    seen[k] = pl_mail_fingerprint(&s.m);
    for (int i = 0; i < k; i++) assert_true(seen[i] != seen[k]);
    s.pose[0].x[2] += 1e-13;
    s.piece[0].radius *= 1 + 1e-13;
    assert_true(pl_mail_fingerprint(&s.m) == seen[k]);
    s.piece[0].radius *= 1.001;
    assert_true(pl_mail_fingerprint(&s.m) != seen[k]);
  }
}

int test_material(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(back_to_the_bit), cmocka_unit_test(both_blocks), cmocka_unit_test(refused),
      cmocka_unit_test(without_memory), cmocka_unit_test(fingerprints)};
  return cmocka_run_group_tests_name("material", tests, NULL, NULL);
}
