// Arrays behind URLs.
#include "studios.h"

#include <float.h>
#include <math.h>

static const char *url_of(const json_t *ref) {
  return json_string_value(json_object_get(ref, "url"));
}

static void arrays(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  studio *s = studio_for(&env, "test_data.folder");
  const double x[6] = {1, -0.5, 2 * FLT_MAX, -DBL_MAX, NAN, INFINITY};
  json_t *a = data_keep_real(s, "run/1", x, 2, (size_t[]){3, 2});
  json_t *b = data_keep(s, "run/2", DATA_I32, (int[]){7, 8}, 1, (size_t[]){2});
  json_t *c = data_keep(s, "run/1", DATA_U8, "", 3, (size_t[]){4, 0, 2});
  assert_string_equal(json_string_value(json_object_get(a, "type")), "f32");
  assert_int_equal(json_integer_value(json_array_get(json_object_get(a, "shape"), 1)), 2);
  assert_int_equal(data_bytes(s), 24 + 8 + 0);
  const blob *f = data_find(s, url_of(a)), *i = data_find(s, url_of(b)),
             *u = data_find(s, url_of(c));
  assert_true(f && i && u && f->n == 24 && i->n == 8 && u->n == 0);
  float got[6];
  memcpy(got, f->bytes, sizeof got);
  assert_true(got[0] == 1 && got[1] == -0.5f && got[2] == INFINITY && got[3] == -INFINITY);
  assert_true(isnan(got[4]) && got[5] == INFINITY);
  // dropped while it is in use
  data_drop(s, "run/1");
  assert_null(data_find(s, url_of(a)));
  assert_int_equal(f->bytes[3], 0x3f);
  data_release(s, f);
  data_release(s, u);
  assert_int_equal(data_bytes(s), 8);
  data_release(s, i);
  i = data_find(s, url_of(b));
  assert_non_null(i);
  data_release(s, i);
  json_decref(a);
  json_decref(b);
  json_decref(c);
  pl_studio_stop(s);
}

static void addresses(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  studio *s = studio_for(&env, "test_data.folder");
  json_t *refs[100];
  for (int k = 0; k < 100; k++)
    refs[k] = data_keep(s, k % 3 ? "a" : "b", DATA_I32, &k, 1, (size_t[]){1});
  data_drop(s, "a");
  for (int k = 0; k < 100; k++) {
    const blob *b = data_find(s, url_of(refs[k]));
    assert_int_equal(b == NULL, k % 3 != 0);
    if (b) assert_int_equal(b->bytes[0], k);
    data_release(s, b);
  }
  char bad[128];
  const char *good = url_of(refs[0]);
  static const char *const tails[] = {"x",   " ", "/", "0000000000000000000000000000000001",
                                      "%00", "?"};
  for (size_t k = 0; k < sizeof tails / sizeof tails[0]; k++) {
    snprintf(bad, sizeof bad, "%s%s", good, tails[k]);
    assert_null(data_find(s, bad));
  }
  snprintf(bad, sizeof bad, "%.*s+1", (int)(strrchr(good, '/') - good + 1), good);
  assert_null(data_find(s, bad));
  assert_null(data_find(s, "/data/"));
  assert_null(data_find(s, ""));
  assert_null(data_keep(s, "c", DATA_I32, bad, 2, (size_t[]){(size_t)1 << 40, (size_t)1 << 40}));
  assert_null(data_keep(s, "c", DATA_I32, bad, 0, NULL));
  for (int k = 0; k < 100; k++) json_decref(refs[k]);
  pl_studio_stop(s);
}

int test_data(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(arrays), cmocka_unit_test(addresses)};
  return cmocka_run_group_tests_name("studio.data", tests, NULL, NULL);
}
