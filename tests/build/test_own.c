// Models with kinds of one's own, and shares of models.
#include "check.h"

#include "pliant/build.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

// W = -c/(d - q), with complex numbers and with both
#define MAGNET(real, name)                                                                         \
  static int name(const real *q, const real *par, const real *rest, real *W, real *f, real *K) {   \
    real gap = par[1] - q[0];                                                                      \
    (void)rest;                                                                                    \
    if (!(creal(gap) > 0)) return 1;                                                               \
    if (W) *W = -par[0] / gap;                                                                     \
    if (f) f[0] = -par[0] / (gap * gap);                                                           \
    if (K) K[0] = -2 * par[0] / (gap * gap * gap);                                                 \
    return 0;                                                                                      \
  }
MAGNET(double, magnet_d)
MAGNET(pl_complex, magnet_z)

static const pl_option par[] = {{"c", .type = PL_OPT_REAL, .value = 8e-3, .hi = 1, .unit = "N.m^2"},
                                {"d", .type = PL_OPT_REAL, .value = 0.2, .hi = 1, .unit = "m"}};
static const pl_elem_kind both = {"magnet",   .nscal = 1,         .ndof = 1,         .npar = 2,
                                  .par = par, .d.eval = magnet_d, .z.eval = magnet_z};
static const pl_elem_kind alone = {"magnet",  .nscal = 1, .ndof = 1,
                                   .npar = 2, .par = par, .z.eval = magnet_z};

// a mass on a spring of 10 N/m that a magnet draws
static pl_status build(const pl_elem_kind *kind, pl_built *out) {
  pl_builder *b;
  PL_TRY(pl_builder_create(NULL, 1, &b));
  int node = pl_build_node(b, (double[3]){0}, "mass");
  pl_build_element(b, pl_elem_find("spring1"), (int[]){-1, node},
                   (pl_setting[]){{"stiffness", {.v = 10}}, {.name = NULL}});
  pl_build_element(b, pl_elem_find("mass1"), &node, NULL);
  pl_build_element(b, kind, &node, NULL);
  return pl_build_all(b, 1, out);
}

// Kernels for complex numbers alone give what kernels for both give.
static void complex_alone(void **state) {
  (void)state;
  double omega[2], q[2], slope[2];
  for (int k = 0; k < 2; k++) {
    const pl_elem_kind *kind = k ? &alone : &both;
    pl_built m;
    assert_int_equal(build(kind, &m), PL_OK);
    assert_int_equal(pl_built_static(&m, NULL), PL_OK);
    assert_int_equal(pl_built_modes(&m, 1, &omega[k], NULL), PL_OK);
    q[k] = m.state->q[0];
    // by the distance d: 2 c/(d - q)^3; the kind prepares nothing
    pl_elem_motion at = {.q = &q[k], .par = (double[]){8e-3, 0.2}, .X = (double[]){0}};
    pl_elem_direction along = {.dpar = (double[]){0, 1}};
    double f;
    assert_int_equal(pl_elem_force(kind, &at, &f), PL_OK);
    check_close(f, -10 * q[k], 1e-9);
    assert_int_equal(pl_elem_force_along(kind, &at, &along, &slope[k]), PL_OK);
    check_close(slope[k], 2 * 8e-3 / pow(0.2 - q[k], 3), 1e-10);
    pl_built_free(&m);
  }
  check_close(q[0], q[1], 1e-15);
  check_close(omega[0], omega[1], 1e-13);
  check_close(omega[1], sqrt(10 - 2 * 8e-3 / pow(0.2 - q[1], 3)), 1e-9);
}

static int no_mass(const double *p, const double *rest, int lumped, double *mass) {
  (void)p, (void)rest, (void)lumped;
  mass[0] = 0;
  return 0;
}

static void missing_kernels(void **state) {
  (void)state;
  pl_elem_kind bad[3] = {alone, alone, alone};
  bad[0].z.eval = NULL;
  bad[1].d.mass = no_mass;
  bad[2].nrest = 1;
  for (int k = 0; k < 3; k++) {
    pl_built m;
    assert_int_equal(build(&bad[k], &m), PL_E_ARG);
    assert_non_null(strstr(pl_built_error(&m), "a kernel is missing"));
    pl_built_free(&m);
  }
}

typedef struct task {
  const pl_built *m;
  double omega;
} task;

static void *find_modes(void *ctx) {
  task *t = ctx;
  pl_built m;
  if (pl_built_share(t->m, 1, &m) == PL_OK) pl_built_modes(&m, 1, &t->omega, NULL);
  pl_built_free(&m);
  return NULL;
}

// Modes about rest in two threads while the model is drawn to its equilibrium in a third.
static void shares(void **state) {
  (void)state;
  pl_built m;
  pthread_t thread[2];
  assert_int_equal(build(&alone, &m), PL_OK);
  task t[2] = {{.m = &m}, {.m = &m}};
  for (int k = 0; k < 2; k++)
    assert_int_equal(pthread_create(&thread[k], NULL, find_modes, &t[k]), 0);
  assert_int_equal(pl_built_static(&m, NULL), PL_OK);
  for (int k = 0; k < 2; k++) pthread_join(thread[k], NULL);
  check_close(t[0].omega, sqrt(10 - 2 * 8e-3 / pow(0.2, 3)), 1e-12);
  assert_true(t[0].omega == t[1].omega);
  pl_built_free(&m);
}

// A bead on a plane: statics with what confines it, which is not shared.
static void with_an_obstacle(void **state) {
  (void)state;
  pl_builder *b;
  pl_built m, other;
  assert_int_equal(pl_builder_create(NULL, 1, &b), PL_OK);
  int node = pl_build_node(b, (double[3]){0.1}, "bead");
  pl_build_element(b, pl_elem_find("mass1"), &node, NULL);
  pl_build_element(b, pl_elem_find("spring1"), (int[]){-1, node}, NULL);
  pl_build_obstacle(b, NULL, &(pl_obstacle){.kind = &pl_obstacle_plane, .par = {1, 0, 0}});
  pl_build_contact(b, 1, &node, 0, -1, NULL);
  b->gravity[0] = -9.81;
  assert_int_equal(pl_build_all(b, 1, &m), PL_OK);
  assert_int_equal(pl_built_static(&m, NULL), PL_OK);
  check_close(m.state->q[0], 0, 1e-9);
  assert_int_equal(pl_built_share(&m, 1, &other), PL_E_ARG);
  assert_non_null(strstr(pl_built_error(&other), "is not shared"));
  pl_built_free(&other);
  pl_built_free(&m);
}

int test_own(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(complex_alone),
      cmocka_unit_test(missing_kernels),
      cmocka_unit_test(shares),
      cmocka_unit_test(with_an_obstacle),
  };
  return cmocka_run_group_tests_name("build.own", tests, NULL, NULL);
}
