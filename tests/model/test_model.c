#include "check.h"
#include "sample_models.h"

#include "pliant/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pl_env env;

typedef void (*make_fn)(model_kit *k);
static void mechanism(model_kit *k) {
  sample_mechanism(k, &env);
}
static void shell(model_kit *k) {
  sample_shell(k, &env);
}
static void block_tet(model_kit *k) {
  sample_block(k, &env, "tet4");
}
static void block_tet_nh(model_kit *k) {
  sample_block(k, &env, "tet4_nh");
}
static void block_hex(model_kit *k) {
  sample_block(k, &env, "hex8");
}
static void block_hex_nh(model_kit *k) {
  sample_block(k, &env, "hex8_nh");
}
static void midedge(model_kit *k) {
  sample_midedge(k, &env);
}
static void rods(model_kit *k) {
  sample_rods(k, &env);
}
static const make_fn makers[] = {mechanism, shell,        block_tet, block_tet_nh,
                                 block_hex, block_hex_nh, rods,      midedge};
enum { MAKERS = sizeof makers / sizeof makers[0] };

// a state a few percent away from rest, moving
static void stir(kit_model *b, const pl_clock *c, unsigned seed) {
  pl_rng r;
  pl_rng_seed(&r, seed);
  for (int i = 0; i < b->s->nq; i++) {
    b->s->q[i] = b->p->X[i] + pl_rng_uniform(&r, -0.01, 0.01);
    b->s->v[i] = pl_rng_uniform(&r, -1, 1);
    b->s->a[i] = pl_rng_uniform(&r, -5, 5);
  }
  pl_drive(b->m, b->p, c, b->s);
}

static const pl_clock at = {.t = 0.37, .omega = 5, .scale = 0.8};
enum { ALL = PL_WANT_ENERGY | PL_WANT_FORCE | PL_DYNAMIC };

// r[nq] at the state, kept in out
static void residual(kit_model *b, double *out) {
  check_ok(&env, pl_eval(b->m, b->p, b->s, &at, ALL, NULL, b->w));
  memcpy(out, b->w->r, (size_t)b->s->nq * sizeof(double));
}

// directional derivative of r along dq, dv, da in the free unknowns, by central differences of
// fourth order
static void difference(kit_model *b, const double *d, double cq, double cv, double ca,
                       double *out) {
  int nq = b->s->nq;
  double *r = pl_alloc(&env, (size_t)nq, sizeof(double));
  const double h = 1e-4, step[4] = {-2, -1, 1, 2},
               weight[4] = {1 / 12., -8 / 12., 8 / 12., -1 / 12.};
  memset(out, 0, (size_t)nq * sizeof(double));
  pl_state *keep;
  check_ok(&env, pl_state_create(b->m, b->p, &keep));
  pl_state_copy(keep, b->s);
  for (int k = 0; k < 4; k++) {
    pl_axpy(nq, step[k] * h * cq, d, keep->q, b->s->q);
    pl_axpy(nq, step[k] * h * cv, d, keep->v, b->s->v);
    pl_axpy(nq, step[k] * h * ca, d, keep->a, b->s->a);
    residual(b, r);
    pl_axpy(nq, weight[k] / h, r, out, out);
  }
  pl_state_copy(b->s, keep);
  pl_state_free(b->m, keep);
  pl_free(&env, r);
}

static void tangent_is_derivative_of_residual(void **state) {
  (void)state;
  for (int k = 0; k < MAKERS; k++) {
    model_kit kit;
    kit_model b;
    makers[k](&kit);
    // dashpots along moving axes have an unsymmetric stiffness, of which A holds the symmetric part
    if (makers[k] == mechanism)
      for (int e = 0; e < 3; e++) ((double *)(uintptr_t)kit.group[2].par)[7 * e + 2] = 0;
    kit_build(&kit, 1, &b);
    stir(&b, &at, 3);
    int nq = b.s->nq, nfree = pl_model_nfree(b.m);
    const int *dofs = pl_model_free_dofs(b.m);
    double *d = pl_alloc(&env, (size_t)nq, sizeof(double)),
           *want = pl_alloc(&env, (size_t)nq, sizeof(double));
    double *x = pl_alloc(&env, (size_t)nfree, sizeof(double)),
           *y = pl_alloc(&env, (size_t)nfree, sizeof(double));
    pl_rng r;
    pl_rng_seed(&r, 9);
    for (int i = 0; i < nfree; i++) d[dofs[i]] = x[i] = pl_rng_uniform(&r, -1, 1);
    const pl_coef c = {.m = 3, .d = 2, .k = 1};
    difference(&b, d, c.k, c.d, c.m, want);
    check_ok(&env, pl_eval(b.m, b.p, b.s, &at, ALL | PL_WANT_TANGENT | PL_EXACT, &c, b.w));
    pl_csc_mul(&b.w->A, 1, x, 0, y);
    for (int i = 0; i < nfree; i++) x[i] = want[dofs[i]];
    check_array(nfree, y, x, 1e-8 * pl_max_abs(nfree, x));
    pl_free(&env, d);
    pl_free(&env, want);
    pl_free(&env, x);
    pl_free(&env, y);
    kit_model_free(&b);
    kit_free(&kit);
  }
}

static void outer_forces_are_the_rest(void **state) {
  (void)state;
  for (int k = 0; k < MAKERS; k++) {
    model_kit kit;
    kit_model b;
    makers[k](&kit);
    kit_build(&kit, 1, &b);
    stir(&b, &at, 5);
    int nq = b.s->nq;
    double *want = pl_alloc(&env, (size_t)nq, sizeof(double));
    residual(&b, want);
    pl_axpy(nq, -1, b.w->f_inner, want, want);
    pl_eval_outer(b.m, b.p, b.s, &at, b.w);
    check_array(nq, b.w->r, want, 1e-12 * pl_max_abs(nq, b.w->f_inner));
    assert_true(pl_max_abs(nq, b.w->r) > 0);
    pl_free(&env, want);
    kit_model_free(&b);
    kit_free(&kit);
  }
}

static void force_is_derivative_of_energy(void **state) {
  (void)state;
  for (int k = 0; k < MAKERS; k++) {
    model_kit kit;
    kit_model b;
    makers[k](&kit);
    kit_build(&kit, 1, &b);
    pl_clock still = {.scale = 0.8};
    stir(&b, &still, 4);
    int nq = b.s->nq;
    double *d = pl_alloc(&env, (size_t)nq, sizeof(double)),
           *q = pl_alloc(&env, (size_t)nq, sizeof(double));
    pl_rng r;
    pl_rng_seed(&r, 5);
    for (int i = 0; i < nq; i++) d[i] = pl_rng_uniform(&r, -1, 1);
    check_ok(&env, pl_eval(b.m, b.p, b.s, &still, PL_WANT_FORCE, NULL, b.w));
    double slope = pl_dot(nq, b.w->r, d), e[2];
    memcpy(q, b.s->q, (size_t)nq * sizeof(double));
    for (int side = 0; side < 2; side++) {
      pl_axpy(nq, side ? 1e-6 : -1e-6, d, q, b.s->q);
      check_ok(&env, pl_eval(b.m, b.p, b.s, &still, PL_WANT_ENERGY, NULL, b.w));
      e[side] = b.w->potential;
    }
    check_rel((e[1] - e[0]) / 2e-6, slope, 1e-6);
    pl_free(&env, d);
    pl_free(&env, q);
    kit_model_free(&b);
    kit_free(&kit);
  }
}

// dr/dp against differences of whole models with moved parameters, drives included
static void design_derivatives(void **state) {
  (void)state;
  for (int k = 0; k < MAKERS; k++) {
    model_kit kit;
    kit_model b;
    makers[k](&kit);
    kit_build(&kit, 1, &b);
    stir(&b, &at, 6);
    int nq = b.s->nq, np = pl_model_ndesign(b.m);
    double *got = pl_alloc(&env, (size_t)nq, sizeof(double)),
           *want = pl_alloc(&env, (size_t)nq, sizeof(double));
    double *r = pl_alloc(&env, (size_t)nq, sizeof(double)), design[32];
    for (int p = 0; p < np; p++) {
      check_ok(&env, pl_eval_design(b.m, b.p, b.s, &at, p, b.w, got));
      const double h = 1e-4, step[4] = {-2, -1, 1, 2},
                   weight[4] = {1 / 12., -8 / 12., 8 / 12., -1 / 12.};
      memset(want, 0, (size_t)nq * sizeof(double));
      for (int i = 0; i < 4; i++) {
        for (int o = 0; o < np; o++) design[o] = pl_model_design(b.m, o)->value;
        design[p] += step[i] * h;
        check_ok(&env, pl_params_set_design(b.m, b.p, design));
        pl_drive(b.m, b.p, &at, b.s);
        residual(&b, r);
        pl_axpy(nq, weight[i] / h, r, want, want);
      }
      design[p] = pl_model_design(b.m, p)->value;
      check_ok(&env, pl_params_set_design(b.m, b.p, design));
      pl_drive(b.m, b.p, &at, b.s);
      double size = pl_max_abs(nq, want), all = pl_max_abs(nq, r);
      assert_true(size > 0);
      check_array(nq, got, want, 1e-7 * size + 1e-10 * all);
    }
    pl_free(&env, got);
    pl_free(&env, want);
    pl_free(&env, r);
    kit_model_free(&b);
    kit_free(&kit);
  }
}

static void same_bits_on_any_threads(void **state) {
  (void)state;
  static const int n[3] = {9, 6, 5};
  static const double l[3] = {0.9, 0.6, 0.5}, par[3] = {1e4, 0.3, 1200};
  model_kit kit;
  kit_model b[4];
  kit_init(&kit, &env, 3);
  kit_box(&kit, "tet4", n, l, par);
  kit.d.beta = 1e-3;
  const pl_coef c = {.m = 1, .d = 2, .k = 3};
  for (int t = 0; t < 4; t++) {
    kit_build(&kit, t + 1, &b[t]);
    stir(&b[t], &at, 8);
    check_ok(&env, pl_eval(b[t].m, b[t].p, b[t].s, &at, ALL | PL_WANT_TANGENT, &c, b[t].w));
    assert_memory_equal(b[t].w->A.val, b[0].w->A.val, (size_t)b[0].w->A.nnz * sizeof(double));
    assert_memory_equal(b[t].w->r, b[0].w->r, (size_t)b[0].s->nq * sizeof(double));
    assert_memory_equal(&b[t].w->elastic, &b[0].w->elastic, sizeof(double));
  }
  for (int t = 0; t < 4; t++) kit_model_free(&b[t]);
  kit_free(&kit);
}

static void rates_match_positions(double ramp) {
  model_kit kit;
  kit_model b;
  mechanism(&kit);
  kit_build(&kit, 1, &b);
  const double h = 1e-5;
  double q[3][10], v[10], a[10];
  for (int k = 0; k < 3; k++) {
    pl_clock c = {.t = 0.3 + (k - 1) * h, .omega = 4, .scale = 1, .ramp = ramp};
    pl_drive(b.m, b.p, &c, b.s);
    memcpy(q[k], b.s->q, sizeof q[k]);
    if (k == 1) {
      memcpy(v, b.s->v, sizeof v);
      memcpy(a, b.s->a, sizeof a);
    }
  }
  const int driven[] = {0, 1, 8, 9};
  for (int i = 0; i < 4; i++) {
    int d = driven[i];
    check_close(v[d], (q[2][d] - q[0][d]) / (2 * h), 1e-8);
    check_close(a[d], (q[2][d] - 2 * q[1][d] + q[0][d]) / (h * h), 1e-4);
  }
  // a rotation keeps the distance to its axis
  check_close(hypot(q[1][8] - 0.1, q[1][9]), hypot(0.1, 0.3), 1e-15);
  kit_model_free(&b);
  kit_free(&kit);
}

static void drive_rates_match_positions(void **state) {
  (void)state;
  rates_match_positions(0);
  rates_match_positions(0.5);
}

static void momentum_of_rigid_motion(void **state) {
  (void)state;
  static const int n[3] = {2, 2, 2};
  static const double l[3] = {0.4, 0.3, 0.2}, par[3] = {1e4, 0.3, 1200};
  model_kit kit;
  kit_model b;
  kit_init(&kit, &env, 3);
  kit_box(&kit, "hex8", n, l, par);
  kit_build(&kit, 1, &b);
  const double w[3] = {0.3, -0.2, 0.5}, mid[3] = {0.2, 0.15, 0.1};
  for (int i = 0; i < b.s->nq / 3; i++) {
    double r[3];
    pl_sub3(b.p->X + 3 * i, mid, r);
    pl_cross3(w, r, b.s->v + 3 * i);
  }
  double mass, lin[3], ang[3], m = 1200 * 0.4 * 0.3 * 0.2;
  pl_momentum(b.m, b.p, b.s, &mass, lin, ang);
  check_rel(mass, m, 1e-13);
  const double zero[3] = {0};
  check_array(3, lin, zero, 1e-14);
  // inertia of a cuboid about its middle
  const double want[3] = {m / 12 * (0.09 + 0.04) * w[0], m / 12 * (0.16 + 0.04) * w[1],
                          m / 12 * (0.16 + 0.09) * w[2]};
  check_array(3, ang, want, 1e-13);
  kit_model_free(&b);
  kit_free(&kit);
}

// A block compressed all round that turns: K along the velocities is negative, and damping by it
// gives power. PL_PASSIVE leaves that out of every element, keeps momentum, and changes nothing
// where damping takes.
static void damping_drives_nothing(void **state) {
  (void)state;
  static const int n[3] = {2, 2, 2};
  static const double l[3] = {0.4, 0.3, 0.2}, par[3] = {1e4, 0.3, 1200}, w[3] = {0.3, -0.2, 0.5};
  static const char *const kind[] = {"hex8_eas_nh", "hex8_nh", "tet4"};
  const pl_coef c = {.m = 1, .d = 2, .k = 3};
  for (int i = 0; i < 6; i++) {
    model_kit kit;
    kit_model b;
    kit_init(&kit, &env, 3);
    kit_box(&kit, kind[i / 2], n, l, par);
    kit.d.beta = 1e-3;
    kit_build(&kit, 1, &b);
    int turns = i % 2, nq = b.s->nq;
    for (int k = 0; k < nq; k++) b.s->q[k] *= turns ? 0.8 : 1.1;
    for (int k = 0; k < nq; k += 3)
      if (turns) pl_cross3(w, b.s->q + k, b.s->v + k);
    for (int k = 0; k < nq; k++) b.s->v[k] += turns ? 0.1 : 0.5 * b.s->q[k];
    double *plain = calloc((size_t)nq, sizeof *plain), sum[3] = {0};
    check_ok(&env, pl_eval(b.m, b.p, b.s, &at, ALL | PL_WANT_TANGENT | PL_NEAR, &c, b.w));
    double power = b.w->dissipated, size = pl_max_abs(nq, b.w->f_damp);
    memcpy(plain, b.w->f_damp, (size_t)nq * sizeof *plain);
    check_ok(&env,
             pl_eval(b.m, b.p, b.s, &at, ALL | PL_WANT_TANGENT | PL_NEAR | PL_PASSIVE, &c, b.w));
    if (turns) {
      check_less(power, 0);
      check_close(b.w->dissipated / power, 0, 1e-12);
      for (int k = 0; k < nq; k++) sum[k % 3] += b.w->f_damp[k];
      check_less(pl_max_abs(3, sum), 1e-12 * size);
    } else {
      assert_true(power > 0);
      check_array(nq, b.w->f_damp, plain, 0);
    }
    free(plain);
    kit_model_free(&b);
    kit_free(&kit);
  }
}

// The tangent of stiffness damping by a difference beside the exact one, of a rod that turns by so
// many radians while damping lasts: a part in a million of the stiffness is little beside that of
// bending, a turn taken straight is not.
static void damping_of_what_turns(void **state) {
  (void)state;
  static const int n[3] = {10, 1, 1};
  static const double l[3] = {1, 0.05, 0.05}, par[3] = {1e6, 0.3, 1200}, turn[] = {5e-4, 5e-3, 0.1};
  const pl_coef c = {.m = 1, .d = 2000, .k = 1};
  for (int i = 0; i < 3; i++) {
    model_kit kit;
    kit_model b;
    kit_init(&kit, &env, 3);
    kit_box(&kit, "hex8_eas_nh", n, l, par);
    kit.d.beta = 1e-3;
    kit_build(&kit, 1, &b);
    double w[3] = {0, 0, turn[i] * (c.k + kit.d.beta * c.d) / (c.k * kit.d.beta)}, most = 0;
    for (int k = 0; k < b.s->nq; k += 3) pl_cross3(w, b.s->q + k, b.s->v + k);
    int nnz = b.w->A.nnz;
    double *exact = calloc((size_t)nnz, sizeof *exact);
    check_ok(&env, pl_eval(b.m, b.p, b.s, &at, ALL | PL_WANT_TANGENT | PL_EXACT, &c, b.w));
    memcpy(exact, b.w->A.val, (size_t)nnz * sizeof *exact);
    check_ok(&env, pl_eval(b.m, b.p, b.s, &at, ALL | PL_WANT_TANGENT | PL_NEAR, &c, b.w));
    for (int k = 0; k < nnz; k++) most = fmax(most, fabs(b.w->A.val[k] - exact[k]));
    check_less(most, 1e-6 * pl_max_abs(nnz, exact));
    free(exact);
    kit_model_free(&b);
    kit_free(&kit);
  }
}

static void bad_descriptions(void **state) {
  (void)state;
  model_kit kit;
  pl_model *m;
  pl_params *p;
  mechanism(&kit);
  int twice = 0;
  kit_drive(&kit, 1, &twice);
  check_status(&env, pl_model_create(&env, &kit.d, &m), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "already driven"));
  kit_free(&kit);
  mechanism(&kit);
  static const int wrong[] = {0, 7};
  kit.group[0].stencil = wrong;
  kit.group[0].nelem = 1;
  check_status(&env, pl_model_create(&env, &kit.d, &m), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "outside 0..4"));
  kit_free(&kit);
  mechanism(&kit);
  static const int loop[] = {2, 2};
  kit.group[0].stencil = loop;
  kit.group[0].nelem = 1;
  check_ok(&env, pl_model_create(&env, &kit.d, &m));
  check_status(&env, pl_params_create(m, &p), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "degenerate"));
  pl_model_free(m);
  kit_free(&kit);
}

// a kind of one's own that would overrun the arrays of an element is refused by name
static void kinds_too_large(void **state) {
  (void)state;
  const struct {
    const char *what;
    int ndof, nscal, npar, nrest, nfield;
  } wrong[] = {{"ndof", PL_NDOF_MAX + 1, PL_NDOF_MAX - 5, 2, 4, 1},
               {"npar", 6, 0, PL_NPAR_MAX + 1, 4, 1},
               {"nrest", 6, 0, 2, PL_NREST_MAX + 1, 1},
               {"nfield", 6, 0, 2, 4, PL_NFIELD_MAX + 1},
               {"nscal", 6, 1, 2, 4, 1}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    model_kit kit;
    pl_model *m;
    mechanism(&kit);
    pl_elem_kind own = *pl_elem_find("spring");
    own.ndof = wrong[i].ndof;
    own.nscal = wrong[i].nscal;
    own.npar = wrong[i].npar;
    own.nrest = wrong[i].nrest;
    own.nfield = wrong[i].nfield;
    kit.group[0].kind = &own;
    check_status(&env, pl_model_create(&env, &kit.d, &m), PL_E_ARG);
    assert_non_null(strstr(env.error.text, wrong[i].what));
    kit_free(&kit);
  }
}

static pl_status make_all(pl_env *e, void *ctx) {
  model_kit *kit = ctx;
  pl_model *m = NULL;
  pl_params *p = NULL;
  pl_state *s = NULL;
  pl_work *w = NULL;
  pl_status st = pl_model_create(e, &kit->d, &m);
  if (st == PL_OK) st = pl_params_create(m, &p);
  if (st == PL_OK) st = pl_state_create(m, p, &s);
  if (st == PL_OK) st = pl_work_create(m, 2, &w);
  pl_work_free(w);
  if (m) pl_state_free(m, s);
  pl_params_free(p);
  pl_model_free(m);
  return st;
}

static void failing_allocator(void **state) {
  (void)state;
  model_kit kit;
  mechanism(&kit);
  check_allocations(make_all, &kit);
  kit_free(&kit);
}

static void no_allocation_in_eval(void **state) {
  (void)state;
  model_kit kit;
  kit_model b;
  block_tet(&kit);
  kit_build(&kit, 2, &b);
  stir(&b, &at, 2);
  long before = env.nalloc;
  const pl_coef c = {.m = 1, .d = 1, .k = 1};
  for (int i = 0; i < 10; i++)
    check_ok(&env, pl_eval(b.m, b.p, b.s, &at, ALL | PL_WANT_TANGENT | PL_EXACT, &c, b.w));
  assert_int_equal(env.nalloc, before);
  kit_model_free(&b);
  kit_free(&kit);
}

int test_model(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tangent_is_derivative_of_residual),
      cmocka_unit_test(outer_forces_are_the_rest),
      cmocka_unit_test(force_is_derivative_of_energy),
      cmocka_unit_test(design_derivatives),
      cmocka_unit_test(same_bits_on_any_threads),
      cmocka_unit_test(drive_rates_match_positions),
      cmocka_unit_test(momentum_of_rigid_motion),
      cmocka_unit_test(damping_drives_nothing),
      cmocka_unit_test(damping_of_what_turns),
      cmocka_unit_test(bad_descriptions),
      cmocka_unit_test(kinds_too_large),
      cmocka_unit_test(failing_allocator),
      cmocka_unit_test(no_allocation_in_eval),
  };
  return cmocka_run_group_tests_name("model.model", tests, NULL, NULL);
}
