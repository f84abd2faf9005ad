#include "check.h"

#include <stdio.h>

static void arena_release_reuses(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_arena *a;
  check_ok(&env, pl_arena_create(&env, 1000, &a));
  pl_arena_mark mark = pl_arena_save(a);
  double *x = pl_arena_alloc(a, 10, sizeof *x);
  assert_int_equal((uintptr_t)x % 64, 0);
  pl_arena_release(a, mark);
  assert_ptr_equal(pl_arena_alloc(a, 10, sizeof *x), x);
  assert_non_null(pl_arena_alloc(a, 100000, 8));
  assert_null(pl_arena_alloc(a, SIZE_MAX / 4, 8));
  assert_int_equal(env.error.status, PL_E_NOMEM);
  pl_arena_free(a);
}

// a loop whose work does not fit the first chunk allocates once
static void arena_loop_keeps_its_chunk(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_arena *a;
  check_ok(&env, pl_arena_create(&env, 1000, &a));
  pl_arena_mark mark = pl_arena_save(a);
  long first = 0;
  for (int k = 0; k < 5; k++) {
    assert_non_null(pl_arena_alloc(a, 50000, 8));
    if (k == 0) first = (long)env.nalloc;
    assert_int_equal(env.nalloc, first);
    pl_arena_release(a, mark);
  }
  pl_arena_free(a);
}

static void closest_word(void **state) {
  (void)state;
  const char *const names[] = {"young", "poisson", "density"};
  assert_int_equal(pl_closest("yuong", 3, names), 0);
  assert_int_equal(pl_closest("desnity", 3, names), 2);
  assert_int_equal(pl_closest("colour", 3, names), -1);
}

static void mark(void *ctx, int i, int thread) {
  (void)thread;
  ((int *)ctx)[i]++;
}

static void threads_run_each_once(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  for (int nthread = 1; nthread <= 4; nthread++) {
    pl_threads *t;
    check_ok(&env, pl_threads_create(&env, nthread, &t));
    for (int n = 0; n < 200; n += 13) {
      int count[200] = {0};
      pl_threads_run(t, n, mark, count);
      for (int i = 0; i < 200; i++) assert_int_equal(count[i], i < n);
    }
    pl_threads_free(t);
  }
}

typedef struct nest {
  pl_threads *threads;
  int count[40][3];
} nest;

static void mark_inside(void *ctx, int i, int thread) {
  nest *n = ctx;
  (void)thread;
  pl_threads_run(n->threads, 3, mark, n->count[i]);
}

// a pool at work leaves further work to who comes with it; few pieces, many times
static void threads_at_work(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  for (int nthread = 1; nthread <= 5; nthread += 2) {
    nest n = {0};
    check_ok(&env, pl_threads_create(&env, nthread, &n.threads));
    for (int round = 0; round < 200; round++) pl_threads_run(n.threads, 40, mark_inside, &n);
    for (int i = 0; i < 40; i++)
      for (int k = 0; k < 3; k++) assert_int_equal(n.count[i][k], 200);
    int few[2] = {0};
    for (int round = 0; round < 2000; round++) pl_threads_run(n.threads, 2, mark, few);
    assert_int_equal(few[0] + few[1], 4000);
    pl_threads_free(n.threads);
  }
}

static pl_status allocating(pl_env *env, void *ctx) {
  (void)ctx;
  pl_arena *a = NULL;
  pl_text t;
  pl_text_init(&t, env);
  pl_status s = pl_arena_create(env, 100, &a);
  if (s == PL_OK && !pl_arena_alloc(a, 1 << 16, 1)) s = PL_E_NOMEM;
  for (int k = 0; k < 500; k++) pl_text_add(&t, "%d,", k);
  if (s == PL_OK && t.failed) s = PL_E_NOMEM;
  pl_text_free(&t);
  pl_arena_free(a);
  return s;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(allocating, NULL);
}

static void file_round_trip(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const char *path = "test_base_file.tmp";
  check_ok(&env, pl_file_write(&env, path, "hello", 5));
  char *data;
  size_t size;
  check_ok(&env, pl_file_read(&env, path, 0, &data, &size));
  assert_int_equal(size, 5);
  assert_string_equal(data, "hello");
  pl_free(&env, data);
  check_status(&env, pl_file_read(&env, path, 3, &data, &size), PL_E_INPUT);
  check_status(&env, pl_file_read(&env, "no/such/file", 0, &data, &size), PL_E_IO);
  check_status(&env, pl_file_read(&env, "/", 0, &data, &size), PL_E_IO);
  remove(path);
}

int test_memory(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arena_release_reuses), cmocka_unit_test(arena_loop_keeps_its_chunk),
      cmocka_unit_test(closest_word),         cmocka_unit_test(threads_run_each_once),
      cmocka_unit_test(threads_at_work),      cmocka_unit_test(failing_allocator),
      cmocka_unit_test(file_round_trip),
  };
  return cmocka_run_group_tests_name("base.memory", tests, NULL, NULL);
}
