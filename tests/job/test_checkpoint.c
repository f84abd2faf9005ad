// Checkpoints: whatever happens to the file is told, and a resume that is refused changes nothing.
#include "check.h"

#include "pliant/job.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "test_checkpoint.results"

// periods, stiffness
#define OSCILLATOR                                                                                 \
  "pliant: 1\n"                                                                                    \
  "dimension: 1\n"                                                                                 \
  "nodes: {m: 0}\n"                                                                                \
  "masses: [{node: m, mass: 1 kg}]\n"                                                              \
  "springs: [{nodes: [ground, m], stiffness: 100 N/m, cubic: 5 N/m^3, damping: 0.4 N.s/m}]\n"      \
  "loads: [{node: m, force: [1 N], harmonic: 1, phase: 90 deg}]\n"                                 \
  "watch: {m: m}\n"
#define TRANSIENT(more)                                                                            \
  "analyses: [{static: {}}, {transient: {frequency: 8 rad/s, steps_per_period: 20, " more "}}]\n"

static char heard[8 * PL_TEXT];

static void hear(void *ctx, const pl_diag *d) {
  (void)ctx;
  size_t n = strlen(heard);
  if (d->level == PL_ERROR) snprintf(heard + n, sizeof heard - n, "%s\n%s\n", d->text, d->hint);
}

static pl_status run(pl_env *env, const char *text, const char *folder, int resume) {
  pl_scene *scene = NULL;
  pl_job_result result;
  const pl_job_opts opts = {.folder = folder, .threads = 1, .resume = resume};
  heard[0] = 0;
  env->diag = hear;
  pl_status s = pl_scene_parse(env, "test.yaml", ".", text, strlen(text), 0, NULL, NULL, &scene);
  if (s == PL_OK) s = pl_job_run(env, scene, &opts, &result);
  pl_scene_free(scene);
  return s;
}

// names, sizes and moments of change of all files of the folder, in any order the same number
static unsigned long look(void) {
  unsigned long sum = 0;
  DIR *d = opendir(FOLDER);
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d));) {
    char path[512];
    struct stat st;
    snprintf(path, sizeof path, FOLDER "/%s", e->d_name);
    if (e->d_name[0] == '.' || stat(path, &st) != 0) continue;
    unsigned long h = (unsigned long)st.st_ino * 31 + (unsigned long)st.st_size;
    h = h * 31 + (unsigned long)st.st_mtim.tv_nsec + (unsigned long)st.st_mtim.tv_sec;
    for (const char *p = e->d_name; *p; p++) h = h * 31 + (unsigned long)*p;
    sum += h;
  }
  closedir(d);
  return sum;
}

static void put(pl_env *env, const char *data, size_t size) {
  check_ok(env, pl_file_write(env, FOLDER "/transient.checkpoint", data, size));
}

static void damage_is_found(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  char *data;
  size_t size;
  check_ok(&env, run(&env, OSCILLATOR TRANSIENT("periods: 2"), FOLDER, 0));
  check_ok(&env, pl_file_read(&env, FOLDER "/transient.checkpoint", 0, &data, &size));
  assert_true(size > 500);
  // every byte of the head, every seventh behind it, each bit in turn
  for (size_t at = 0; at < size; at += at < 120 ? 1 : 7) {
    data[at] = (char)(data[at] ^ (1 << at % 8));
    put(&env, data, size);
    unsigned long before = look();
    assert_int_equal(run(&env, OSCILLATOR TRANSIENT("periods: 2"), FOLDER, 1), PL_E_INPUT);
    assert_non_null(strstr(heard, "checkpoint"));
    assert_non_null(strstr(heard, "damaged"));
    assert_int_equal(look(), before);
    data[at] = (char)(data[at] ^ (1 << at % 8));
  }
  for (size_t n = 0; n < size; n += n < 120 ? 1 : 61) {
    put(&env, data, n);
    unsigned long before = look();
    assert_int_equal(run(&env, OSCILLATOR TRANSIENT("periods: 2"), FOLDER, 1), PL_E_INPUT);
    assert_non_null(strstr(heard, "damaged"));
    assert_int_equal(look(), before);
  }
  put(&env, data, size);
  check_ok(&env, run(&env, OSCILLATOR TRANSIENT("periods: 3"), FOLDER, 1));
  pl_free(&env, data);
}

static void others_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *why;
  } other[] = {
      {OSCILLATOR TRANSIENT("periods: 2, method: bdf2"), "other options"},
      {OSCILLATOR TRANSIENT("periods: 2, ramp: 1 s"), "other options"},
      {OSCILLATOR "initial: [{nodes: m, velocity: [1 m/s]}]\n" TRANSIENT("periods: 2"),
       "another scene"},
      {OSCILLATOR "gravity: [1]\n" TRANSIENT("periods: 2"), "another scene"},
      {"pliant: 1\n"
       "dimension: 1\n"
       "nodes: {m: 0}\n"
       "masses: [{node: m, mass: 1 kg}]\n"
       "springs: [{nodes: [ground, m], stiffness: 100 N/m, cubic: 5 N/m^3, damping: 0.4 N.s/m}]\n"
       "loads: [{node: m, force: [1 N], harmonic: 2, phase: 90 deg}]\n"
       "watch: {m: m}\n" TRANSIENT("periods: 2"),
       "another scene"}};
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, run(&env, OSCILLATOR TRANSIENT("periods: 2"), FOLDER, 0));
  unsigned long before = look();
  for (size_t k = 0; k < sizeof other / sizeof other[0]; k++) {
    assert_int_equal(run(&env, other[k].text, FOLDER, 1), PL_E_INPUT);
    if (!strstr(heard, other[k].why)) fail_msg("%zu: %s", k, heard);
    assert_int_equal(look(), before);
  }
}

int test_checkpoint(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(damage_is_found),
      cmocka_unit_test(others_are_refused),
  };
  return cmocka_run_group_tests_name("job.checkpoint", tests, NULL, NULL);
}
