#include "check.h"
#include "pliant/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// examples of FIPS 180-4 and one of a million letters
static void known_answers(void **state) {
  (void)state;
  char hex[65];
  pl_sha256("abc", 3, hex);
  assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  pl_sha256("", 0, hex);
  assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  pl_sha256(two, strlen(two), hex);
  assert_string_equal(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  char *many = malloc(1000000);
  assert_non_null(many);
  memset(many, 'a', 1000000);
  pl_sha256(many, 1000000, hex);
  assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  free(many);
}

static void of_files(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  char hex[65];
  const char *path = "test_base_sha256.tmp";
  check_ok(&env, pl_file_write(&env, path, "abc", 3));
  assert_true(pl_sha256_file(path, hex));
  assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  remove(path);
  assert_false(pl_sha256_file(path, hex));
}

int test_sha256(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_answers),
      cmocka_unit_test(of_files),
  };
  return cmocka_run_group_tests_name("base.sha256", tests, NULL, NULL);
}
