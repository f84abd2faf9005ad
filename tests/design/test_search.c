// Search without derivatives: minima that are known, the same designs whatever was stopped and
// taken up again, budgets.
#include "check.h"

#include "pliant/design.h"
#include "pliant/math.h"

#include <math.h>
#include <string.h>

static pl_env env;

enum { CAPACITY = 400 };

typedef struct bench {
  pl_search_opts o;
  pl_search_table t;
  double start[4], x[CAPACITY * 4], value[CAPACITY];
  int phase[CAPACITY], nbatch, local;
} bench;

// many minima, the lowest one at (0.7, 0.3); that of the middle is 1 higher for every period away
static double waves(int n, const double *x) {
  double sum = 0;
  for (int k = 0; k < n; k++) {
    double d = 3 * (x[k] - (k % 2 ? 0.3 : 0.7));
    sum += d * d + 2 * (1 - cos(2 * PL_PI * d));
  }
  return sum;
}

// a bowl that cannot be evaluated in a corner, where it would be lowest
static double corner(int n, const double *x) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += (x[k] - 0.2) * (x[k] - 0.2);
  return x[0] + x[1] < 0.6 ? 1000 : sum;
}

static void open_bench(bench *b, int n) {
  memset(b, 0, sizeof *b);
  pl_opts_default(pl_search_option_table, pl_search_option_count, &b->o);
  for (int k = 0; k < n; k++) b->start[k] = 0.1;
  b->t = (pl_search_table){
      .nvariable = n, .start = b->start, .x = b->x, .value = b->value, .phase = b->phase};
}

// until its end, or as long as fewer than `most` are known; returns the best
static int search(bench *b, double (*f)(int n, const double *x), int most) {
  int best = 0, n = b->t.nvariable;
  while (b->t.n < most) {
    int got, phase[CAPACITY];
    double x[CAPACITY];
    check_ok(&env, pl_search_ask(&env, &b->o, &b->t, x, phase, &got));
    if (got == 0) break;
    assert_true(got <= b->o.batch);
    for (int i = 0; i < got; i++) {
      int to = b->t.n++;
      assert_true(to < CAPACITY);
      memcpy(b->x + to * n, x + i * n, (size_t)n * sizeof *x);
      for (int k = 0; k < n; k++) assert_true(x[i * n + k] >= 0 && x[i * n + k] <= 1);
      b->phase[to] = phase[i];
      b->value[to] = f(n, x + i * n);
    }
    b->nbatch++;
  }
  for (int i = 0; i < b->t.n; i++) {
    if (b->value[i] < b->value[best]) best = i;
    b->local += b->phase[i] == PL_SEARCH_LOCAL;
  }
  return best;
}

static void finds_the_lowest(void **state) {
  (void)state;
  for (int method = 0; method < 4; method++) {
    bench b;
    open_bench(&b, 2);
    b.o.budget = method ? 400 : 120;
    b.o.method = method;
    int i = search(&b, waves, CAPACITY);
    check_close(b.x[2 * i], 0.7, 5e-3);
    check_close(b.x[2 * i + 1], 0.3, 5e-3);
    assert_int_equal(b.phase[0], PL_SEARCH_START);
    assert_true(b.local > 0 && b.t.n <= b.o.budget);
  }
}

// the local search alone ends in the valley where it begins
static void local_search_is_local(void **state) {
  (void)state;
  bench b;
  open_bench(&b, 2);
  b.o.budget = 200;
  b.o.polish = 1;
  int i = search(&b, waves, CAPACITY);
  assert_true(b.value[i] > 2);
  assert_int_equal(b.local, b.t.n - 1);
  assert_true(b.t.n < 200);
}

// on the line between what can be evaluated and what cannot
static void goes_round_failures(void **state) {
  (void)state;
  for (int local = 0; local < 2; local++) {
    bench b;
    open_bench(&b, 2);
    b.o.local = local;
    b.o.budget = 150;
    int i = search(&b, corner, CAPACITY);
    check_close(b.value[i], 0.02, 2e-3);
  }
}

static void takes_up_what_was_stopped(void **state) {
  (void)state;
  for (int method = 0; method < 4; method++) {
    bench a, b;
    open_bench(&a, 3);
    a.o.budget = 120;
    a.o.method = method;
    b = a;
    b.t.start = b.start, b.t.x = b.x, b.t.value = b.value, b.t.phase = b.phase;
    search(&a, waves, CAPACITY);
    search(&b, waves, 30);
    assert_true(b.t.n < a.t.n);
    bench c = b;
    c.t.start = c.start, c.t.x = c.x, c.t.value = c.value, c.t.phase = c.phase;
    search(&c, waves, CAPACITY);
    assert_int_equal(a.t.n, c.t.n);
    assert_memory_equal(a.x, c.x, (size_t)(3 * a.t.n) * sizeof *a.x);
    assert_memory_equal(a.phase, c.phase, (size_t)a.t.n * sizeof *a.phase);
  }
}

static void keeps_budgets(void **state) {
  (void)state;
  for (int budget = 1; budget < 12; budget++) {
    bench b;
    open_bench(&b, 1);
    b.o.budget = budget;
    b.o.starts = 3;
    search(&b, waves, CAPACITY);
    assert_true(b.t.n >= 1 && b.t.n <= budget);
  }
  bench b;
  open_bench(&b, 2);
  b.o.batch = 0;
  int n, phase[8];
  double x[16];
  assert_int_equal(pl_search_ask(&env, &b.o, &b.t, x, phase, &n), PL_E_INPUT);
}

int test_search(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_the_lowest), cmocka_unit_test(local_search_is_local),
      cmocka_unit_test(goes_round_failures), cmocka_unit_test(takes_up_what_was_stopped),
      cmocka_unit_test(keeps_budgets)};
  return cmocka_run_group_tests_name("design.search", tests, NULL, NULL);
}
