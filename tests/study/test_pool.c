// Processes that end in all ways, and tasks that are each told once.
#include "check.h"

#include "study_impl.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TASKS = 40 };

typedef struct seen {
  int done[TASKS], lost[TASKS], code[TASKS];
  pool_end how[TASKS];
  size_t size[TASKS];
  long process[TASKS];
  int cancel_after; // tasks; 0: never
  int ndone;
} seen;

enum { PLAIN, LARGE = 5, ABORT = 9, EXIT = 11, HANG = 17, SILENT = 21, SPENT = 25 };

static pl_status work(void *ctx, int task, pl_text *out) {
  (void)ctx;
  switch (task) {
  case ABORT:
    raise(SIGKILL);
    break;
  case EXIT:
    _exit(7);
  case HANG:
    for (;;) pause();
  case SILENT:
    return PL_OK;
  case LARGE:
    for (int k = 0; k < 300000; k++) pl_text_add(out, "%d,", k);
    return PL_OK;
  default:
    break;
  }
  pl_text_add(out, "%ld", (long)getpid());
  return task == SPENT ? PL_E_NOMEM : PL_OK;
}

static pl_status done(void *ctx, int task, const char *text, size_t n) {
  seen *s = ctx;
  s->done[task]++;
  s->ndone++;
  s->size[task] = n;
  char number[32] = "";
  memcpy(number, text, n < 31 ? n : 31);
  s->process[task] = atol(number);
  return PL_OK;
}

static pl_status lost(void *ctx, int task, pool_end how, int code, double seconds) {
  seen *s = ctx;
  (void)seconds;
  s->lost[task]++;
  s->how[task] = how;
  s->code[task] = code;
  return PL_OK;
}

static pl_status progress(void *ctx) {
  const seen *s = ctx;
  return s->cancel_after && s->ndone >= s->cancel_after ? PL_CANCELLED : PL_OK;
}

static pl_status run(pl_env *env, seen *s, int nprocess, double limit, int n, const int *task) {
  const pool p = {.env = env,
                  .nprocess = nprocess,
                  .limit = limit,
                  .ctx = s,
                  .work = work,
                  .done = done,
                  .lost = lost,
                  .progress = progress};
  return processes_run(&p, n, task);
}

// all tasks that end by themselves
static int list_tasks(int task[TASKS]) {
  int n = 0;
  for (int k = 0; k < TASKS; k++)
    if (k != HANG) task[n++] = k;
  return n;
}

static void check_seen(const seen *s, int task, pool_end how, int code) {
  assert_int_equal(s->lost[task], 1);
  assert_int_equal(s->how[task], how);
  if (code >= 0) assert_int_equal(s->code[task], code);
}

static void all_ends(void **state) {
  (void)state;
  for (int nprocess = 1; nprocess <= 3; nprocess += 2) {
    pl_env env;
    seen s = {0};
    int task[TASKS], n = list_tasks(task);
    pl_env_init(&env);
    check_ok(&env, run(&env, &s, nprocess, 0, n, task));
    for (int k = 0; k < n; k++) assert_int_equal(s.done[task[k]] + s.lost[task[k]], 1);
    check_seen(&s, ABORT, POOL_SIGNAL, SIGKILL);
    check_seen(&s, EXIT, POOL_EXIT, 7);
    check_seen(&s, SILENT, POOL_EXIT, 0);
    assert_true(s.size[LARGE] > 1900000);
    // one whose memory ended does no more tasks
    assert_int_equal(s.done[SPENT], 1);
    for (int k = SPENT + 1; k < TASKS; k++) assert_true(s.process[k] != s.process[SPENT]);
    // processes take task after task
    if (nprocess == 1) assert_true(s.process[0] == s.process[4]);
    // none is left
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  }
}

static void time_limit(void **state) {
  (void)state;
  pl_env env;
  seen s = {0};
  const int task[] = {HANG};
  pl_env_init(&env);
  check_ok(&env, run(&env, &s, 1, 0.2, 1, task));
  check_seen(&s, HANG, POOL_LIMIT, -1);
}

static void stopped(void **state) {
  (void)state;
  pl_env env;
  seen s = {.cancel_after = 3};
  int task[TASKS], n = list_tasks(task);
  pl_env_init(&env);
  check_status(&env, run(&env, &s, 2, 0, n, task), PL_CANCELLED);
  assert_true(s.ndone >= 3 && s.ndone <= 8);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

int test_pool(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_ends), cmocka_unit_test(time_limit),
                                     cmocka_unit_test(stopped)};
  return cmocka_run_group_tests_name("study.pool", tests, NULL, NULL);
}
