// Files below the folder: read, written whole, and nothing beyond it.
#include "studios.h"

#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>

#define FOLDER "test_files.folder"

static void put(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  assert_int_equal(fclose(f), 0);
}

static char *take(studio *s, const char *path) {
  char *data;
  size_t n;
  failure f;
  return file_read(s, path, &data, &n, &f) ? data : NULL;
}

static void names(void **state) {
  (void)state;
  static const char *const good[] = {"a", "a.yaml", "a/b/c", "ä ö", "a..b", "a..", "-", "a\\b"};
  static const char *const bad[] = {
      "",     "/",    "/etc/passwd", ".",
      "..",   "../a", "a/..",        "a/../b",
      "a//b", "a/",   "./a",         ".ssh/id",
      "a/.b", "a\nb", "a\x7f",       "1/2/3/4/5/6/7/8/9/0/1/2/3/4/5/6/7"};
  for (size_t k = 0; k < sizeof good / sizeof good[0]; k++) assert_true(path_good(good[k]));
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) assert_false(path_good(bad[k]));
  char name[300];
  memset(name, 'a', sizeof name);
  name[255] = 0;
  assert_true(path_good(name));
  name[255] = 'a';
  name[256] = 0;
  assert_false(path_good(name));
}

static void whole(void **state) {
  (void)state;
  pl_env env;
  failure f;
  struct stat st;
  pl_env_init(&env);
  studio *s = studio_for(&env, FOLDER);
  mode_t mask = umask(022);
  assert_true(file_write(s, "new/deep/a.yaml", "one", 3, &f));
  assert_int_equal(stat(FOLDER "/new/deep/a.yaml", &st), 0);
  assert_int_equal(st.st_mode & 0777, 0644);
  // an old file keeps who may read it
  assert_int_equal(chmod(FOLDER "/new/deep/a.yaml", 0600), 0);
  assert_true(file_write(s, "new/deep/a.yaml", "two!", 4, &f));
  assert_int_equal(stat(FOLDER "/new/deep/a.yaml", &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);
  umask(077);
  assert_true(file_write(s, "own.yaml", "", 0, &f));
  assert_int_equal(stat(FOLDER "/own.yaml", &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);
  umask(mask);
  char *data = take(s, "new/deep/a.yaml");
  assert_string_equal(data, "two!");
  free(data);
  assert_true(file_exists(s, "new/deep/a.yaml"));
  assert_false(file_exists(s, "new/deep/b.yaml"));
  // nothing else is left
  assert_int_equal(system("test $(ls -A " FOLDER "/new/deep | wc -l) = 1"), 0);
  pl_studio_stop(s);
}

static void beyond(void **state) {
  (void)state;
  pl_env env;
  failure f;
  pl_env_init(&env);
  studio *s = studio_for(&env, FOLDER);
  assert_int_equal(system("rm -rf test_files.other && mkdir test_files.other " FOLDER "/sub"), 0);
  put("test_files.other/secret", "secret");
  assert_int_equal(symlink("../test_files.other/secret", FOLDER "/link"), 0);
  assert_int_equal(symlink("../test_files.other", FOLDER "/folder"), 0);
  assert_int_equal(symlink("sub", FOLDER "/inner"), 0);
  assert_int_equal(symlink("nowhere", FOLDER "/loose"), 0);
  assert_int_equal(mkfifo(FOLDER "/pipe", 0600), 0);
  put(FOLDER "/.hidden", "hidden");
  static const char *const unread[] = {"link",    "folder/secret",
                                       "inner/x", "loose",
                                       "pipe",    "sub",
                                       ".hidden", "../test_files.other/secret",
                                       "folder",  "sub/../../test_files.other/secret",
                                       "nothing"};
  for (size_t k = 0; k < sizeof unread / sizeof unread[0]; k++) assert_null(take(s, unread[k]));
  static const char *const unwritten[] = {"link", "folder/secret", "folder/new",          "loose",
                                          "pipe", "sub",           "inner/new",           "../new",
                                          ".new", "sub/../../new", "/tmp/test_files.new", ""};
  for (size_t k = 0; k < sizeof unwritten / sizeof unwritten[0]; k++)
    assert_false(file_write(s, unwritten[k], "x", 1, &f));
  assert_int_equal(system("test \"$(cat test_files.other/secret)\" = secret && "
                          "test $(ls test_files.other | wc -l) = 1 && "
                          "test ! -e " FOLDER "/nowhere && test ! -e new"),
                   0);
  pl_studio_stop(s);
}

// a folder that becomes a link and back while it is read from and written to
static void *swap(void *ctx) {
  int *stop = ctx;
  while (!__atomic_load_n(stop, __ATOMIC_RELAXED)) {
    (void)!rename(FOLDER "/sub", FOLDER "/was");
    (void)!symlink("../test_files.other", FOLDER "/sub");
    (void)!unlink(FOLDER "/sub");
    (void)!rename(FOLDER "/was", FOLDER "/sub");
  }
  return NULL;
}

static void swapped(void **state) {
  (void)state;
  pl_env env;
  failure f;
  pthread_t thread;
  int stop = 0;
  pl_env_init(&env);
  studio *s = studio_for(&env, FOLDER);
  assert_int_equal(system("rm -rf test_files.other && mkdir test_files.other " FOLDER "/sub"), 0);
  put("test_files.other/a", "secret");
  put(FOLDER "/sub/a", "mine");
  assert_int_equal(pthread_create(&thread, NULL, swap, &stop), 0);
  for (int k = 0; k < 3000; k++) {
    char *data = take(s, "sub/a");
    if (data) assert_string_equal(data, "mine");
    free(data);
    if (k % 10 == 0) file_write(s, "sub/a", "mine", 4, &f);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  pthread_join(thread, NULL);
  assert_int_equal(system("test \"$(cat test_files.other/a)\" = secret"), 0);
  pl_studio_stop(s);
}

int test_files(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(whole),
                                     cmocka_unit_test(beyond), cmocka_unit_test(swapped)};
  return cmocka_run_group_tests_name("studio.files", tests, NULL, NULL);
}
