#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Reading files: what is no file is refused at once, whatever it would give.

static void refused(const char *path, pl_status want, const char *text) {
  pl_env env;
  char *data = (char *)&env;
  size_t size;
  pl_env_init(&env);
  check_status(&env, pl_file_read(&env, path, 100, &data, &size), want);
  assert_null(data);
  if (!strstr(env.error.text, text)) fail_msg("%s: %s", path, env.error.text);
}

static void only_files(void **state) {
  (void)state;
  char folder[] = "/tmp/pliant-file-XXXXXX", fifo[64], zero[64], big[64];
  assert_non_null(mkdtemp(folder));
  snprintf(fifo, sizeof fifo, "%s/fifo", folder);
  snprintf(zero, sizeof zero, "%s/zero", folder);
  snprintf(big, sizeof big, "%s/big", folder);
  assert_int_equal(mkfifo(fifo, 0600), 0);
  assert_int_equal(symlink("/dev/zero", zero), 0);
  FILE *f = fopen(big, "w");
  assert_non_null(f);
  for (int k = 0; k < 101; k++) fputc('x', f);
  fclose(f);

  refused(fifo, PL_E_IO, "it is a pipe or a device, not a file");
  refused(zero, PL_E_IO, "it is a pipe or a device, not a file");
  refused(folder, PL_E_IO, "Is a directory");
  refused(big, PL_E_INPUT, "larger than the limit of 100 bytes");
  pl_env env;
  char *data;
  size_t size;
  pl_env_init(&env);
  check_ok(&env, pl_file_read(&env, big, 101, &data, &size));
  assert_int_equal(size, 101);
  assert_int_equal(data[100], 'x');
  assert_int_equal(data[101], 0);
  pl_free(&env, data);
  unlink(fifo);
  unlink(zero);
  unlink(big);
  rmdir(folder);
}

int test_file(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(only_files)};
  return cmocka_run_group_tests_name("base.file", tests, NULL, NULL);
}
