// Random oscillators followed over their whole range upwards and downwards: the same folds, or the
// end of a curve named. PL_SWEEP="500 1000" in the environment asks for 500 of them, numbered from
// 1000 on, and prints a line for each.
#include "../harmonic/reference.h"

#include <stdio.h>
#include <stdlib.h>

enum { CASES = 24, FOLDS = 400 };
static const double SAME = 1e-4; // relative distance of folds found on the way up and down

static pl_env env;

static double between_logs(pl_rng *g, double lo, double hi) {
  return exp(pl_rng_uniform(g, log(lo), log(hi)));
}

// a chain of one to four masses, springs cubic or quadratic and cubic, drives weak to strong
static void make_case(unsigned seed, reference *r, double *from, double *to) {
  pl_rng g;
  pl_rng_seed(&g, seed);
  *r = (reference){.n = 1 + (int)(4 * pl_rng_uniform(&g, 0, 1))};
  int even = pl_rng_uniform(&g, 0, 1) < 0.5;
  for (int i = 0; i < r->n; i++) {
    double k = pl_rng_uniform(&g, 0.5, 2), k3 = between_logs(&g, 0.02, 1),
           c = between_logs(&g, 0.03, 0.3);
    // up to where the force would cease to grow
    double k2 = even ? pl_rng_uniform(&g, -0.95, 0.95) * sqrt(3 * k * k3) : 0;
    r->mass[i] = pl_rng_uniform(&g, 0.5, 2);
    ref_spring(r, i - 1, i, k, k2, k3, c);
  }
  for (int i = 1; i < r->n; i++)
    if (pl_rng_uniform(&g, 0, 1) < 0.5)
      ref_spring(r, -1, i, pl_rng_uniform(&g, 0.2, 1), 0, between_logs(&g, 0.02, 1), 0.02);
  r->load[(int)(r->n * pl_rng_uniform(&g, 0, 1))] = between_logs(&g, 0.1, 30);
  *from = between_logs(&g, 0.1, 0.5);
  *to = pl_rng_uniform(&g, 3, 8);
}

typedef struct outcome {
  int covered, nfold, npoint, nharm;
  double fold[FOLDS];
  char text[80];
} outcome;

static outcome follow(const kit_model *b, double from, double to) {
  pl_response_opts o = ref_opts(from, to, 0);
  pl_curve *c = NULL;
  outcome out = {0};
  o.stability = 0;
  pl_status st = pl_response(&o, b->m, b->p, b->w, 0, NULL, NULL, &c);
  snprintf(out.text, sizeof out.text, "%.79s", c ? pl_stop_text(c->reason) : env.error.text);
  assert_true(st == PL_OK || st == PL_UNSOLVED);
  out.npoint = c->npoint;
  out.covered = st == PL_OK && c->reason == PL_STOP_END;
  if (out.covered) {
    check_close(c->point[0].orbit->omega, from, 0);
    check_close(c->point[c->npoint - 1].orbit->omega, to, 0);
  } else {
    assert_true(c->reason != PL_STOP_END);
  }
  for (int i = 0; i < c->npoint; i++)
    if (c->point[i].orbit->nharm > out.nharm) out.nharm = c->point[i].orbit->nharm;
  for (int i = 0; i < c->nspecial; i++)
    if (c->special[i].kind == PL_FOLD && out.nfold < FOLDS)
      out.fold[out.nfold++] = c->special[i].omega;
  pl_curve_free(c);
  return out;
}

static int same_folds(const outcome *up, const outcome *down) {
  if (up->nfold != down->nfold) return 0;
  for (int i = 0; i < up->nfold; i++)
    if (fabs(up->fold[i] / down->fold[up->nfold - 1 - i] - 1) > SAME) return 0;
  return 1;
}

static void print_folds(const char *way, const outcome *o) {
  printf("  %s:", way);
  for (int i = 0; i < o->nfold; i++) printf(" %.7g", o->fold[i]);
  printf("\n");
}

typedef struct tally {
  int same, named, different;
} tally;

static void run_case(unsigned seed, int print, tally *t) {
  reference r;
  model_kit kit;
  kit_model b;
  double from, to;
  make_case(seed, &r, &from, &to);
  ref_model(&r, &env, &kit, &b);
  double began = pl_wall_time();
  outcome up = follow(&b, from, to), down = follow(&b, to, from);
  int whole = up.covered && down.covered, same = whole && same_folds(&up, &down);
  *(same ? &t->same : whole ? &t->different : &t->named) += 1;
  if (print)
    printf("%u: n %d, %.3f to %.3f rad/s, folds %d %d, points %d %d, harmonics %d %d, %.1f s: %s\n",
           seed, r.n, from, to, up.nfold, down.nfold, up.npoint, down.npoint, up.nharm, down.nharm,
           pl_wall_time() - began,
           same         ? "same"
           : whole      ? "DIFFERENT"
           : up.covered ? down.text
                        : up.text);
  if (print && whole && !same) {
    print_folds("up", &up);
    print_folds("down", &down);
  }
  fflush(stdout);
  kit_model_free(&b);
  kit_free(&kit);
}

static void whole_ranges(void **state) {
  (void)state;
  int count = CASES;
  unsigned first = 1;
  const char *asked = getenv("PL_SWEEP");
  if (asked) sscanf(asked, "%d %u", &count, &first);
  tally t = {0};
  for (int i = 0; i < count; i++) run_case(first + (unsigned)i, asked != NULL, &t);
  if (asked)
    printf("%d oscillators: %d the same both ways, %d with the end named, %d different\n", count,
           t.same, t.named, t.different);
  assert_int_equal(t.different, 0);
  assert_true(t.named <= count / 20);
}

// two folds a ten millionth apart in one step, which neither sign nor number of multipliers tells
static void folds_close_together(void **state) {
  (void)state;
  reference r;
  model_kit kit;
  kit_model b;
  double from, to;
  make_case(1371, &r, &from, &to);
  ref_model(&r, &env, &kit, &b);
  outcome up = follow(&b, from, to), down = follow(&b, to, from);
  assert_true(up.covered && down.covered);
  assert_int_equal(up.nfold, 6);
  assert_true(same_folds(&up, &down));
  double apart = up.fold[1] - up.fold[2];
  assert_true(fabs(apart) > 1e-9 && fabs(apart) < 1e-6);
  kit_model_free(&b);
  kit_free(&kit);
}

int test_sweep(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {cmocka_unit_test(whole_ranges),
                                     cmocka_unit_test(folds_close_together)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
