#include "check.h"
#include "sample_models.h"

#include "harmonic_impl.h"

#include <string.h>

static pl_env env;

typedef struct bench {
  model_kit kit;
  kit_model b;
  pl_hb *hb;
  pl_bordered *s;
  int n;
  double *z, *bb, *c, *f, *x, *want;
} bench;

static double *new_array(int n) {
  return pl_alloc(&env, (size_t)n, sizeof(double));
}

static void random_array(unsigned seed, int n, double size, double *x) {
  pl_rng r;
  pl_rng_seed(&r, seed);
  for (int i = 0; i < n; i++) x[i] = pl_rng_uniform(&r, -size, size);
}

// rest with a small motion on top
static void stir(bench *t, unsigned seed, double size) {
  int L = 2 * pl_hb_nharm(t->hb) + 1;
  random_array(seed, t->n, size, t->z);
  const int *dof = pl_model_free_dofs(t->b.m);
  for (int i = 0; i < pl_model_nfree(t->b.m); i++) t->z[i * L] += t->b.p->X[dof[i]];
}

static void eval(bench *t, double omega) {
  check_ok(&env, pl_hb_eval(t->hb, t->z, omega, PL_HB_RESIDUAL | PL_HB_JACOBIAN));
}

static void bench_open(bench *t, int large) {
  if (large)
    sample_shell(&t->kit, &env);
  else
    sample_mechanism(&t->kit, &env);
  kit_build(&t->kit, 2, &t->b);
  check_ok(&env, pl_hb_create(t->b.m, t->b.p, t->b.w, large ? 18 : 4, 0, &t->hb));
  check_ok(&env, pl_bordered_create(t->hb, &t->s));
  t->n = pl_hb_size(t->hb);
  double **all[] = {&t->z, &t->bb, &t->c, &t->f, &t->x, &t->want};
  for (int k = 0; k < 6; k++) *all[k] = new_array(t->n);
  random_array(2, t->n, 1e4, t->bb);
  random_array(3, t->n, 1e-3, t->c);
  stir(t, 4, 1e-4);
  eval(t, 5);
}

static void bench_close(bench *t) {
  double *all[] = {t->z, t->bb, t->c, t->f, t->x, t->want};
  for (int k = 0; k < 6; k++) pl_free(&env, all[k]);
  pl_bordered_free(t->s);
  pl_hb_free(t->hb);
  kit_model_free(&t->b);
  kit_free(&t->kit);
}

// y = a J x + b y, or with the transpose
static void product(const pl_csc *J, int transposed, double a, const double *x, double b,
                    double *y) {
  for (int i = 0; i < J->n; i++) y[i] = b ? b * y[i] : 0;
  for (pl_entry e = {.k = -1}; pl_csc_next(J, &e);)
    y[transposed ? e.j : e.i] += a * J->val[e.k] * x[transposed ? e.i : e.j];
}

// sets up f, g of a known solution, solves, compares solution (to rounding times the condition of a
// thin shell, some 1e9) and residual
static void check_solve(bench *t, int boundary, int transposed, double tol) {
  pl_csc J = {0};
  int n = t->n;
  check_ok(&env, pl_blocks_flat(&env, pl_hb_jacobian(t->hb), NULL, NULL, 0, &J));
  double d = 0.3, y_want = boundary ? 0.7 : 0, y = 0, g;
  const double *right = transposed ? t->c : t->bb, *below = transposed ? t->bb : t->c;
  random_array(5, n, 1e-2, t->want);
  product(&J, transposed, 1, t->want, 0, t->f);
  pl_axpy(n, y_want, right, t->f, t->f);
  g = pl_dot(n, below, t->want) + d * y_want;
  pl_status (*solve)(pl_bordered *, const double *, double, double *, double *) =
      transposed ? pl_bordered_solve_transposed : pl_bordered_solve;
  check_ok(&env, solve(t->s, t->f, g, t->x, &y));
  check_array(n, t->x, t->want, tol * 1e-2);
  if (boundary) check_close(y, y_want, tol);
  double most = pl_max_abs(n, t->f);
  product(&J, transposed, -1, t->x, 1, t->f);
  pl_csc_free(&env, &J);
  pl_axpy(n, -y, right, t->f, t->f);
  check_less(pl_max_abs(n, t->f), 1e-11 * most);
}

static void solves_are_exact(void **state) {
  (void)state;
  for (int large = 0; large < 2; large++) {
    bench t;
    bench_open(&t, large);
    for (int boundary = 0; boundary < 2; boundary++) {
      check_ok(&env, pl_bordered_set(t.s, boundary ? t.bb : NULL, boundary ? t.c : NULL, 0.3));
      for (int transposed = 0; transposed < 2; transposed++)
        check_solve(&t, boundary, transposed, 1e-5);
    }
    bench_close(&t);
  }
}

// a Jacobian with one null vector, as at a fold
static void make_singular(bench *t, int column) {
  const pl_blocks *J = &t->hb->J;
  int L = J->size, stride;
  for (pl_entry e = pl_csc_column(J->P, column / L); pl_csc_next_in(J->P, &e);) {
    double *v = pl_blocks_at(J, e.j, e.k, &stride) + (size_t)(column % L) * (size_t)stride;
    memset(v, 0, (size_t)L * sizeof *v);
  }
}

static void folds_are_regular(void **state) {
  (void)state;
  for (int large = 0; large < 2; large++) {
    bench t;
    bench_open(&t, large);
    make_singular(&t, t.n / 2);
    check_ok(&env, pl_bordered_set(t.s, NULL, NULL, 0));
    check_status(&env, pl_bordered_solve(t.s, t.bb, 0, t.x, NULL), PL_SINGULAR);
    check_ok(&env, pl_bordered_set(t.s, t.bb, t.c, 0.3));
    check_solve(&t, 1, 0, 1e-5);
    check_solve(&t, 1, 1, 1e-5);
    bench_close(&t);
  }
}

static void singular_border_is_reported(void **state) {
  (void)state;
  for (int large = 0; large < 2; large++) {
    bench t;
    double y;
    bench_open(&t, large);
    make_singular(&t, t.n / 2);
    // the border does not reach the null vector
    t.c[t.n / 2] = 0;
    check_ok(&env, pl_bordered_set(t.s, t.bb, t.c, 0.3));
    random_array(9, t.n, 1, t.f);
    check_status(&env, pl_bordered_solve(t.s, t.f, 1, t.x, &y), PL_SINGULAR);
    bench_close(&t);
  }
}

static void old_factors_serve(void **state) {
  (void)state;
  bench t;
  bench_open(&t, 1);
  check_ok(&env, pl_bordered_set(t.s, t.bb, t.c, 0.3));
  check_solve(&t, 1, 0, 1e-5);
  assert_int_equal(pl_bordered_stats(t.s).factorisations, 1);
  // a near motion and frequency: no new factor
  for (int k = 0; k < t.n; k++) t.z[k] += 1e-6 * sin(k);
  eval(&t, 5.01);
  check_ok(&env, pl_bordered_set(t.s, t.bb, t.c, 0.3));
  check_solve(&t, 1, 0, 1e-5);
  check_solve(&t, 1, 1, 1e-5);
  assert_int_equal(pl_bordered_stats(t.s).factorisations, 1);
  // another motion altogether: a new one
  stir(&t, 17, 4e-3);
  eval(&t, 50);
  check_ok(&env, pl_bordered_set(t.s, NULL, NULL, 0));
  check_solve(&t, 0, 0, 1e-5);
  pl_bordered_info i = pl_bordered_stats(t.s);
  assert_int_equal(i.factorisations, 2);
  assert_int_equal(i.solves, 4);
  bench_close(&t);
}

static pl_status one_solve(pl_env *e, void *ctx) {
  bench *t = ctx;
  pl_hb *hb = t->hb;
  pl_env *keep = hb->env;
  pl_bordered *s;
  double y;
  hb->env = e;
  pl_status st = pl_bordered_create(hb, &s);
  if (st == PL_OK) st = pl_bordered_set(s, t->bb, t->c, 0.3);
  if (st == PL_OK) st = pl_bordered_solve(s, t->f, 1, t->x, &y);
  if (st == PL_OK || s) pl_bordered_free(s);
  hb->env = keep;
  return st;
}

static void memory_may_end(void **state) {
  (void)state;
  for (int large = 0; large < 2; large++) {
    bench t;
    bench_open(&t, large);
    random_array(5, t.n, 1e-2, t.f);
    check_allocations(one_solve, &t);
    bench_close(&t);
  }
}

int test_bordered(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solves_are_exact),
      cmocka_unit_test(folds_are_regular),
      cmocka_unit_test(singular_border_is_reported),
      cmocka_unit_test(old_factors_serve),
      cmocka_unit_test(memory_may_end),
  };
  return cmocka_run_group_tests_name("harmonic.border", tests, NULL, NULL);
}
