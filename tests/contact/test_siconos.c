// Coulomb's law solved by siconos-numerics (Acary et al., INRIA), which shares no line with ours.
#include "problems.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>

static pl_env env;

// its Gauss-Seidel method keeps 120 bytes of each problem
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void) {
  return "leak:libsiconos_numerics";
}

// u of the reference; 0 when it did not converge
static int reference(const problem *q, int solver, int max_iter, double *p, double *u) {
  size_t size = (size_t)q->m * sizeof(double);
  // it frees what it is given; matrices are by columns, ours are symmetric
  double *W = malloc(size * (size_t)q->m), *c = malloc(size);
  double *mu = malloc((size_t)q->n * sizeof *mu);
  memcpy(W, q->W, size * (size_t)q->m);
  memcpy(c, q->c, size);
  memcpy(mu, q->mu, (size_t)q->n * sizeof *mu);
  memset(p, 0, size);
  memset(u, 0, size);
  FrictionContactProblem *f = frictionContactProblem_new_with_data(
      q->size, q->n, NM_create_from_data(NM_DENSE, q->m, q->m, W), c, mu);
  SolverOptions *o = solver_options_create(solver);
  o->dparam[SICONOS_DPARAM_TOL] = 1e-13;
  o->iparam[SICONOS_IPARAM_MAX_ITER] = max_iter;
  int info = q->size == 3 ? fc3d_driver(f, p, u, o) : fc2d_driver(f, p, u, o);
  solver_options_delete(o);
  free(o);
  frictionContactProblem_free(f);
  return info == 0;
}

// velocities (and with them the energy p'(W p/2 + c)) agree to 1e-9 of |c|: both stop at residuals
// of 1e-12 and less, and velocities lose the condition of the definite part of W
static int compare(problem *q, int solver, int max_iter) {
  double *p = malloc((size_t)q->m * sizeof *p), *u = malloc((size_t)q->m * sizeof *u);
  pl_friction_opts o = friction_defaults();
  pl_friction_desc d = problem_desc(q);
  check_ok(&env, pl_friction(&env, &o, &d, q->p, q->u, q->status, NULL));
  int known = reference(q, solver, max_iter, p, u);
  if (known) {
    double size = pl_max_abs(q->m, q->c), energy[2];
    check_array(q->m, q->u, u, 1e-9 * size);
    energy[0] = 0.5 * (pl_dot(q->m, q->p, q->u) + pl_dot(q->m, q->p, q->c));
    energy[1] = 0.5 * (pl_dot(q->m, p, u) + pl_dot(q->m, p, q->c));
    check_close(energy[0], energy[1], 1e-9 * (pl_norm(q->m, p) * pl_norm(q->m, q->c) + 1e-300));
  }
  free(p);
  free(u);
  return known;
}

static void in_space(void **state) {
  (void)state;
  static const double mu[] = {0, 0.2, 0.5};
  pl_rng r;
  pl_rng_seed(&r, 21);
  int known = 0, all = 0;
  for (int trial = 0; trial < 90; trial++) {
    int n = 1 + (int)pl_rng_uniform(&r, 0, trial % 5 ? 12 : 50), m = 3 * n;
    problem q;
    problem_random(&q, &r, n, 3, trial / 3 % 2 ? m : 2 * m, mu[trial % 3]);
    known += compare(&q, SICONOS_FRICTION_3D_NSGS, 100000);
    all++;
    problem_close(&q);
  }
  assert_true(known > 0.9 * all);
}

// W of rank 6: a rigid block. Sliding straight on four points and more its motion is unique though
// the forces are not; turning as well, only three points leave no choice of pressure and friction.
static void rigid_block(void **state) {
  (void)state;
  const double a[3] = {1, 0.7, 0.6};
  pl_rng r;
  pl_rng_seed(&r, 22);
  int known = 0, all = 0;
  for (int trial = 0; trial < 60; trial++) {
    double x[20][2] = {{1, 0.7}, {-1, 0.6}, {0.1, -0.7}, {1, -0.7}}, v[6] = {0};
    int n = trial % 2 ? 3 : 4 + trial % 17;
    for (int k = 4; k < n; k++) {
      x[k][0] = pl_rng_uniform(&r, -1, 1);
      x[k][1] = pl_rng_uniform(&r, -0.7, 0.7);
    }
    for (int i = 0; i < (n == 3 ? 6 : 2); i++) v[i] = 0.3 * pl_rng_normal(&r);
    v[2] = -1;
    problem q;
    problem_block(&q, n, x, a, v, 0.1 + 0.1 * (trial % 6));
    known += compare(&q, SICONOS_FRICTION_3D_NSGS, 100000);
    all++;
    problem_close(&q);
  }
  assert_true(known > 0.9 * all);
}

static void in_plane(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 23);
  int known = 0, all = 0;
  for (int trial = 0; trial < 60; trial++) {
    int n = 1 + trial % 15;
    problem q;
    problem_random(&q, &r, n, 2, 4 * n, 0.1 * (1 + trial % 5));
    known += compare(&q, SICONOS_FRICTION_2D_NSGS, 100000);
    all++;
    problem_close(&q);
  }
  assert_true(known > 0.9 * all);
}

int test_siconos(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_space),
      cmocka_unit_test(rigid_block),
      cmocka_unit_test(in_plane),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("contact.siconos", tests, NULL, NULL);
}
