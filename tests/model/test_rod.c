// Scalar unknowns of rods in models: driven ones, anchors that move, states that come back to them.
#include "check.h"
#include "sample_models.h"

#include "pliant/math.h"

#include <string.h>

static pl_env env;

enum { NODES = 7, S = 3 * NODES, NQ = S + 12 };

static double elastic(kit_model *b) {
  pl_clock c = {.scale = 1};
  check_ok(&env, pl_eval(b->m, b->p, b->s, &c, PL_WANT_ENERGY, NULL, b->w));
  return b->w->elastic;
}

// the rods without natural strains, all of them driven by one turn about an axis askew
static void drive_all(model_kit *k, const pl_term *term) {
  static const int node[NODES] = {0, 1, 2, 3, 4, 5, 6};
  static const int scal[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  static const int edge[24] = {0,  1, 1,  2, 2,  3, 3,  4, 4,  5, 6,  3,
                               -2, 0, -2, 1, -2, 2, -2, 0, -2, 1, -2, 2};
  sample_rods(k, &env);
  k->d.ndesign = k->d.ndrive = 0;
  memset((double *)(uintptr_t)k->group[1].par + 7, 0, 3 * sizeof(double));
  for (int i = 0; i < 4; i++)
    memset((double *)(uintptr_t)k->group[2].par + 11 * i + 8, 0, 3 * sizeof(double));
  pl_drive_desc *d = kit_drive(k, NODES, node);
  d->kind = PL_DRIVE_ROTATION;
  memcpy(d->axis, (double[]){0.5, -0.4, 0.8}, sizeof d->axis);
  memcpy(d->centre, (double[]){0.1, 0.3, 0}, sizeof d->centre);
  d->nterm = 1;
  d->term = term;
  d->nscal = 12;
  d->scal = scal;
  d->edge = edge;
}

// A rigid turn strains nothing: at once up to half a turn, as junctions count no more, and by steps
// without end.
static void turns_strain_nothing(void **state) {
  (void)state;
  for (int steps = 0; steps < 2; steps++) {
    model_kit k;
    kit_model b;
    pl_term term = {.amplitude = {1}};
    drive_all(&k, &term);
    kit_build(&k, 1, &b);
    for (int i = 0; i <= 40; i++) {
      pl_clock c = {.scale = steps ? 0.7 * i : 0.15 * (i - 20)};
      pl_drive(b.m, b.p, &c, b.s);
      // 1e6 Pa and sections of 1e-4 m^2 over 0.1 m: stretches of 1e-16 cost 1e-31
      check_less(elastic(&b), 1e-25);
      if (steps) pl_commit(b.m, b.p, b.s);
    }
    kit_model_free(&b);
    kit_free(&k);
  }
}

// v and a of driven scalars against differences of their values, with anchors at rest and moved
static void rates_match_values(void **state) {
  (void)state;
  model_kit k;
  kit_model b;
  sample_rods(&k, &env);
  kit_build(&k, 1, &b);
  const double h = 1e-3, w1[5] = {1 / 12., -8 / 12., 0, 8 / 12., -1 / 12.},
               w2[5] = {-1 / 12., 16 / 12., -30 / 12., 16 / 12., -1 / 12.};
  const int driven[4] = {S, S + 9, S + 10, S + 11};
  for (int anchoring = 0; anchoring < 2; anchoring++) {
    double v[4] = {0}, a[4] = {0};
    for (int i = 0; i < 5; i++) {
      pl_clock c = {.t = 0.3 + (i - 2) * h, .omega = 4, .scale = 1, .ramp = 0.5};
      pl_drive(b.m, b.p, &c, b.s);
      for (int j = 0; j < 4; j++) {
        v[j] += w1[i] * b.s->q[driven[j]] / h;
        a[j] += w2[i] * b.s->q[driven[j]] / (h * h);
      }
    }
    pl_clock c = {.t = 0.3, .omega = 4, .scale = 1, .ramp = 0.5};
    pl_drive(b.m, b.p, &c, b.s);
    for (int j = 0; j < 4; j++) {
      check_close(b.s->v[driven[j]], v[j], 1e-8);
      check_close(b.s->a[driven[j]], a[j], 1e-6);
    }
    c.t = 0.1;
    pl_drive(b.m, b.p, &c, b.s);
    pl_commit(b.m, b.p, b.s);
  }
  kit_model_free(&b);
  kit_free(&k);
}

// a moving state, the drives at a time; turns of the junction stay well below half of one
static void stir(kit_model *b, double t, unsigned seed) {
  pl_rng r;
  pl_rng_seed(&r, seed);
  pl_clock c = {.t = t, .omega = 3, .scale = 1};
  for (int i = 0; i < NQ; i++) {
    b->s->q[i] = b->p->X[i] + pl_rng_uniform(&r, -0.03, 0.03) * (i < S ? 1 : i < S + 6 ? 20 : 4);
    b->s->v[i] = pl_rng_uniform(&r, -1, 1);
    b->s->a[i] = pl_rng_uniform(&r, -5, 5);
  }
  pl_drive(b->m, b->p, &c, b->s);
}

// Moving the anchors changes nothing that can be seen, and what they leave behind can be found.
static void commits_keep_the_state(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= 20; seed++) {
    model_kit k;
    kit_model b;
    double q[NQ], before[2][8], after[2][8];
    sample_rods(&k, &env);
    kit_build(&k, 1, &b);
    stir(&b, -0.08, seed);
    memcpy(q, b.s->q, sizeof q);
    double energy = elastic(&b);
    pl_eval_field(b.m, b.p, b.s, 1, 1, NULL, before[0]);
    pl_eval_field(b.m, b.p, b.s, 1, 2, NULL, before[1]);
    pl_commit(b.m, b.p, b.s);
    assert_int_equal(b.s->anchoring, PL_ANCHORS_CHANGED);
    check_array(NQ, b.s->q, q, 0);
    check_rel(elastic(&b), energy, 1e-12);
    pl_eval_field(b.m, b.p, b.s, 1, 1, NULL, after[0]);
    pl_eval_field(b.m, b.p, b.s, 1, 2, NULL, after[1]);
    for (int i = 0; i < 2; i++)
      check_array(3, after[i], before[i], 1e-11 * pl_max_abs(3, before[i]));

    // on by a second stretch of way, then back to the anchors of the reference shape at once
    double u[NQ];
    for (int i = 0; i < NQ; i++)
      if (pl_model_free_index(b.m)[i] >= 0) b.s->q[i] += i < S ? 0.03 * sin(7 * i + seed) : 0.1;
    energy = elastic(&b);
    pl_commit(b.m, b.p, b.s);
    check_rel(elastic(&b), energy, 1e-12);
    check_ok(&env, pl_state_unwound(b.m, b.p, b.s, u));
    check_array(S, u, b.s->q, 0);
    memcpy(b.s->q, u, sizeof u);
    b.s->anchoring = PL_ANCHORS_REFERENCE;
    check_rel(elastic(&b), energy, 1e-11);
    kit_model_free(&b);
    kit_free(&k);
  }
}

// states for good on their anchors
static void pinned(void **state) {
  (void)state;
  model_kit k;
  kit_model b;
  sample_rods(&k, &env);
  kit_build(&k, 1, &b);
  stir(&b, 0.4, 3);
  double q[NQ];
  memcpy(q, b.s->q, sizeof q);
  b.s->anchoring = PL_ANCHORS_FIXED;
  pl_state *copy;
  check_ok(&env, pl_state_create(b.m, b.p, &copy));
  pl_state_copy(copy, b.s);
  pl_commit(b.m, b.p, copy);
  assert_int_equal(copy->anchoring, PL_ANCHORS_FIXED);
  check_array(NQ, copy->q, q, 0);
  pl_state_free(b.m, copy);
  kit_model_free(&b);
  kit_free(&k);
}

// rates after a commit: those of the angle as the new anchors see the same motion
static void commits_measure_rates(void **state) {
  (void)state;
  model_kit k;
  kit_model b;
  sample_rods(&k, &env);
  kit_build(&k, 1, &b);
  stir(&b, -0.08, 5);
  double q0[NQ], v0[NQ], a0[NQ], v[NQ] = {0}, a[NQ] = {0};
  memcpy(q0, b.s->q, sizeof q0);
  memcpy(v0, b.s->v, sizeof v0);
  memcpy(a0, b.s->a, sizeof a0);
  pl_commit(b.m, b.p, b.s);
  // angles of edges from the new anchors at times near by, by the kind's own rule
  const double h = 2e-4, w1[5] = {1 / 12., -8 / 12., 0, 8 / 12., -1 / 12.},
               w2[5] = {-1 / 12., 16 / 12., -30 / 12., 16 / 12., -1 / 12.};
  const pl_elem_kind *kind = pl_elem_find("rod_edge");
  const int *stencil = pl_model_group_stencil(b.m, 0);
  for (int e = 0; e < 6; e++, stencil += 3)
    for (int i = 0; i < 5; i++) {
      double x[7], t = (i - 2) * h, theta;
      for (int j = 0; j < 7; j++) {
        int at = j < 6 ? 3 * stencil[j / 3] + j % 3 : stencil[2];
        x[j] = q0[at] + t * v0[at] + t * t / 2 * a0[at];
      }
      // edges come first in the history, six numbers each
      kind->rotate(NULL, x, NULL, b.p->rest + 7 * e, b.s->hist + 6 * e, 0, &theta);
      v[stencil[2]] += w1[i] * theta / h;
      a[stencil[2]] += w2[i] * theta / (h * h);
    }
  check_array(6, b.s->v + S, v + S, 1e-8);
  check_array(6, b.s->a + S, a + S, 1e-6);
  // the nodes' rates and those of junctions stay
  check_array(S, b.s->v, v0, 0);
  check_array(6, b.s->v + S + 6, v0 + S + 6, 0);
  kit_model_free(&b);
  kit_free(&k);
}

// many knobs at once against one after the other
static void directions(void **state) {
  (void)state;
  model_kit k;
  kit_model b;
  sample_rods(&k, &env);
  kit_build(&k, 1, &b);
  stir(&b, 0.4, 9);
  pl_clock c = {.t = 0.4, .omega = 3, .scale = 1};
  int n = pl_model_ndesign(b.m);
  pl_direction dir[32];
  double y[NQ], r[NQ], got[32] = {0};
  for (int i = 0; i < n; i++) {
    const pl_design_desc *d = pl_model_design(b.m, i);
    dir[i] = (pl_direction){d->ntarget, d->target};
  }
  for (int i = 0; i < NQ; i++) y[i] = sin(3 * i + 1);
  pl_directions *all;
  check_ok(&env, pl_directions_create(&env, b.m, 1, n, dir, &all));
  check_ok(&env, pl_directions_dot(all, 0, b.p, b.s, &c, y, got));
  for (int i = 0; i < n; i++) {
    check_ok(&env, pl_eval_design(b.m, b.p, b.s, &c, i, b.w, r));
    check_close(got[i], pl_dot(NQ, y, r), 1e-12 * pl_norm(NQ, r) * pl_norm(NQ, y));
  }
  pl_directions_free(all);
  kit_model_free(&b);
  kit_free(&k);
}

// the positive parts of the elements take nothing away from K, and leave nothing negative
static void convex_parts(void **state) {
  (void)state;
  model_kit k;
  kit_model b;
  sample_rods(&k, &env);
  kit_build(&k, 1, &b);
  stir(&b, 0.4, 11);
  int n = pl_model_nfree(b.m);
  pl_clock c = {.scale = 1};
  pl_csc K;
  check_ok(&env, pl_eval(b.m, b.p, b.s, &c, PL_WANT_TANGENT, &(pl_coef){.k = 1}, b.w));
  check_ok(&env, pl_csc_copy(&env, &b.w->A, &K));
  check_ok(&env, pl_eval(b.m, b.p, b.s, &c, PL_WANT_TANGENT | PL_CONVEX, &(pl_coef){.k = 1}, b.w));
  pl_rng r;
  pl_rng_seed(&r, 2);
  for (int i = 0; i < 500; i++) {
    double x[NQ], y[NQ];
    for (int j = 0; j < n; j++) x[j] = pl_rng_normal(&r) * (i % 2 && j % 3 ? 1e-3 : 1);
    pl_csc_mul(&K, 1, x, 0, y);
    double full = pl_dot(n, x, y);
    pl_csc_mul(&b.w->A, 1, x, 0, y);
    double part = pl_dot(n, x, y), slack = 1e-13 * pl_norm(n, x) * pl_norm(n, y);
    check_less(fmax(full, 0), part + slack);
  }
  // and there was something to take away
  double most = 0;
  for (int j = 0; j < K.nnz; j++) most = fmax(most, fabs(K.val[j] - b.w->A.val[j]));
  check_less(1e-6 * pl_max_abs(K.nnz, K.val), most);
  pl_csc_free(&env, &K);
  kit_model_free(&b);
  kit_free(&k);
}

static void expect(const model_kit *k, const char *text) {
  pl_model *m;
  check_status(&env, pl_model_create(&env, &k->d, &m), PL_E_INPUT);
  assert_null(m);
  if (!strstr(env.error.text, text)) fail_msg("'%s' does not tell: %s", env.error.text, text);
}

static void bad_scalars(void **state) {
  (void)state;
  model_kit k;
  const int far = 12, other[2] = {1, 2}, twice = 0;
  const double nothing[12] = {NAN};
  sample_rods(&k, &env);
  k.drive[0].scal = &far;
  expect(&k, "scalar unknown 12 is outside 0..11");
  kit_free(&k);
  sample_rods(&k, &env);
  k.drive[0].edge = other;
  expect(&k, "cannot turn with the edge from node 1 to 2");
  kit_free(&k);
  sample_rods(&k, &env);
  k.drive[1].nscal = 1;
  k.drive[1].scal = &twice;
  expect(&k, "scalar unknown 0 is already driven");
  kit_free(&k);
  sample_rods(&k, &env);
  k.d.extra = nothing;
  expect(&k, "scalar unknown 0");
  kit_free(&k);
}

static pl_status make_all(pl_env *e, void *ctx) {
  model_kit *kit = ctx;
  pl_model *m = NULL;
  pl_params *p = NULL;
  pl_state *s = NULL;
  double q[NQ];
  pl_status st = pl_model_create(e, &kit->d, &m);
  if (st == PL_OK) st = pl_params_create(m, &p);
  if (st == PL_OK) st = pl_state_create(m, p, &s);
  if (st == PL_OK) pl_commit(m, p, s);
  if (st == PL_OK) st = pl_state_unwound(m, p, s, q);
  if (m) pl_state_free(m, s);
  pl_params_free(p);
  pl_model_free(m);
  return st;
}

static void failing_allocator(void **state) {
  (void)state;
  model_kit kit;
  sample_rods(&kit, &env);
  check_allocations(make_all, &kit);
  kit_free(&kit);
}

int test_rod(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(turns_strain_nothing),   cmocka_unit_test(rates_match_values),
      cmocka_unit_test(commits_keep_the_state), cmocka_unit_test(pinned),
      cmocka_unit_test(commits_measure_rates),  cmocka_unit_test(directions),
      cmocka_unit_test(convex_parts),           cmocka_unit_test(bad_scalars),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("model.rod", tests, NULL, NULL);
}
