#include "check.h"
#include "pliant/sparse.h"

#include <string.h>

// the wish is one of two names, only for a CPU that has the instructions, and never the name in use
static void core_names(void **state) {
  (void)state;
  const char *core = pl_blas_core(), *wanted = pl_blas_core_wanted();
  assert_true(core && core[0]);
  if (!wanted) return;
  assert_true(strcmp(wanted, core) != 0);
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (strcmp(wanted, "SkylakeX") == 0)
    assert_true(__builtin_cpu_supports("avx512vl"));
  else
    assert_true(strcmp(wanted, "Haswell") == 0 && __builtin_cpu_supports("avx2"));
#else
  fail();
#endif
}

int test_blas(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(core_names)};
  return cmocka_run_group_tests_name("sparse.blas", tests, NULL, NULL);
}
