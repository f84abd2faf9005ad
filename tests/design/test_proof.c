#include "check.h"
#include "design_models.h"

#include "pliant/design.h"
#include "pliant/math.h"

#include <string.h>

static pl_env env;

static pl_orbit *motion(kit_model *b, double omega, int nharm, pl_orbit *from) {
  pl_periodic_opts o;
  pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &o);
  o.frequency = omega;
  o.harmonics = nharm;
  check_ok(&env, pl_periodic(&o, b->m, b->p, b->w, &from, NULL));
  return from;
}

static pl_proof prove(kit_model *b, const pl_orbit *orbit, double yield) {
  pl_proof_opts o;
  pl_proof p;
  pl_opts_default(pl_proof_option_table, pl_proof_option_count, &o);
  o.yield = yield;
  check_ok(&env, pl_design_prove(&o, b->m, b->p, b->w, orbit, &p));
  return p;
}

// motions that stand every check; the mechanism's links are soft and say so
static void good_motions_pass(void **state) {
  (void)state;
  model_kit k;
  kit_model b;
  int node;
  double omega;
  design_plane(&k, &env, &node, &omega);
  kit_build(&k, 1, &b);
  pl_orbit *o = motion(&b, omega, 5, NULL);
  pl_proof p = prove(&b, o, 0.9);
  for (int i = 0; i < p.nwarning; i++) print_error("%s\n", p.warning[i]);
  assert_int_equal(p.good, 1);
  assert_int_equal(p.stable, 1);
  check_less(p.multiplier, 1);
  check_less(p.newmark, 2e-3);
  check_less(p.change, 1e-3);
  assert_true(p.newmark_done);
  assert_int_equal(p.nharm, 9);
  pl_strain most;
  check_ok(&env, pl_orbit_strain(b.m, b.p, b.w, o, 128, NULL, &most));
  check_rel(fabs(p.strain.value), fabs(most.value), 1e-3);
  // a limit below the strain
  p = prove(&b, o, 0.5 * fabs(most.value));
  assert_int_equal(p.good, 0);
  assert_non_null(strstr(p.warning[0], "strain reaches"));
  pl_orbit_free(o);
  kit_model_free(&b);
  kit_free(&k);
}

static void soft_links_are_reported(void **state) {
  (void)state;
  model_kit k;
  kit_model b;
  int node;
  double omega;
  design_mechanism(&k, &env, &node, &omega);
  kit_build(&k, 1, &b);
  pl_orbit *o = motion(&b, omega, 8, NULL);
  pl_proof p = prove(&b, o, 0);
  pl_strain most;
  check_ok(&env, pl_orbit_strain(b.m, b.p, b.w, o, 256, NULL, &most));
  check_rel(p.link, fabs(most.value), 1e-3);
  check_less(p.newmark, 5e-3);
  assert_int_equal(p.good, p.link <= 2e-3);
  pl_orbit_free(o);
  kit_model_free(&b);
  kit_free(&k);
}

// the middle branch of a hardening oscillator is unstable, and a simulation leaves it
static void unstable_motions_fail(void **state) {
  (void)state;
  model_kit k;
  kit_model b;
  pl_response_opts o;
  pl_curve *c;
  static const int node = 0;
  design_oscillator(&k, &env, 20);
  kit_build(&k, 1, &b);
  pl_opts_default(pl_response_option_table, pl_response_option_count, &o);
  o.from = 2;
  o.to = 15;
  o.harmonics = 7;
  check_ok(&env, pl_response(&o, b.m, b.p, b.w, 1, &node, NULL, &c));
  const pl_orbit *bad = NULL;
  for (int i = 0; i < c->npoint; i++)
    if (c->point[i].stable == 0 && c->point[i].multiplier > 1.2) bad = c->point[i].orbit;
  assert_non_null(bad);
  pl_proof p = prove(&b, bad, 0);
  assert_int_equal(p.good, 0);
  assert_int_equal(p.stable, 0);
  assert_true(p.multiplier > 1.2);
  assert_true(p.newmark > 0.02);
  pl_curve_free(c);
  kit_model_free(&b);
  kit_free(&k);
}

// missing harmonics do not shake the simulation for many periods of little damping: it starts from
// the motion with more of them
static void simulations_start_well(void **state) {
  (void)state;
  model_kit k;
  kit_model b;
  design_oscillator(&k, &env, 200);
  kit_build(&k, 1, &b);
  pl_orbit *o = motion(&b, 3.5, 1, NULL);
  pl_proof p = prove(&b, o, 0);
  assert_int_equal(p.good, 1);
  assert_true(p.newmark_done);
  // the harmonics that the motion lacks are seen
  check_less(1e-4, p.change);
  // 0.84 is left of a disturbance after a period: from the motion itself it takes 36 of them
  check_less(0.8, p.multiplier);
  check_less(p.newmark_periods, 7);
  pl_orbit_free(o);
  kit_model_free(&b);
  kit_free(&k);
}

static const int only = 0; // node

static pl_proof prove_height(kit_model *b, const pl_orbit *peak, double from, double to) {
  pl_proof_opts o;
  pl_proof p;
  pl_objective height = {.kind = &pl_objective_peak_height,
                         .nnode = 1,
                         .node = &only,
                         .measure = PL_MEASURE_MAX,
                         .from = from,
                         .to = to};
  pl_opts_default(pl_proof_option_table, pl_proof_option_count, &o);
  check_ok(&env, pl_design_prove_height(&o, b->m, b->p, b->w, &height, peak, &p));
  return p;
}

static pl_curve *respond(kit_model *b, double from, double to) {
  pl_response_opts o;
  pl_curve *c;
  pl_measure look = {.kind = PL_MEASURE_MAX, .mask = 7};
  pl_response_plan plan = {.nmeasure = 1, .measure = &look};
  pl_opts_default(pl_response_option_table, pl_response_option_count, &o);
  o.from = from;
  o.to = to;
  o.harmonics = 5;
  o.stability = 0;
  check_ok(&env, pl_response_run(&o, b->m, b->p, b->w, &plan, &c));
  return c;
}

// the highest peak of a hardening oscillator beside its fold is a motion that stands every check; a
// lower one of the same window is not the largest
static void largest_peaks_are_checked(void **state) {
  (void)state;
  model_kit k;
  kit_model b;
  design_oscillator(&k, &env, 20);
  kit_build(&k, 1, &b);
  pl_curve *c = respond(&b, 1, 15);
  const pl_special *best = NULL;
  for (int i = 0; i < c->nspecial; i++)
    if (c->special[i].kind == PL_PEAK && (!best || c->special[i].amplitude > best->amplitude))
      best = &c->special[i];
  assert_non_null(best);
  pl_proof p = prove_height(&b, best->orbit, 1, 15);
  for (int i = 0; i < p.nwarning; i++) print_error("%s\n", p.warning[i]);
  assert_int_equal(p.good, 1);
  assert_int_equal(p.stable, 1);
  assert_int_equal(p.nharm, 9);
  assert_int_equal(p.window.followed, 1);
  assert_int_equal(p.window.detached, 0);
  check_rel(p.window.height, best->amplitude, 1e-3);
  check_rel(p.window.omega, best->omega, 1e-3);
  check_less(p.newmark, 1e-3);
  // the motion at the window's begin
  p = prove_height(&b, c->point[0].orbit, 1, 15);
  assert_int_equal(p.good, 0);
  assert_non_null(strstr(p.warning[0], "largest value in the window"));
  check_rel(p.window.omega, best->omega, 1e-3);
  pl_curve_free(c);
  kit_model_free(&b);
  kit_free(&k);
}

// a window between the folds: the lower motions alone hang together in it, the upper ones are apart
static void detached_parts_are_reported(void **state) {
  (void)state;
  model_kit k;
  kit_model b;
  design_oscillator(&k, &env, 20);
  kit_build(&k, 1, &b);
  pl_curve *c = respond(&b, 1, 15);
  double fold[2] = {0};
  for (int i = 0, n = 0; i < c->nspecial && n < 2; i++)
    if (c->special[i].kind == PL_FOLD) fold[n++] = c->special[i].omega;
  assert_true(fold[0] > fold[1] && fold[1] > 0);
  double from = 0.5 * (fold[0] + fold[1]);
  pl_orbit *low = motion(&b, from, 5, NULL);
  pl_proof p = prove_height(&b, low, from, 15);
  assert_int_equal(p.window.followed, 1);
  check_rel(p.window.omega, from, 1e-9);
  assert_int_equal(p.window.detached, 1);
  assert_true(p.window.other > 2 * p.window.height && p.window.other_omega < fold[0]);
  assert_int_equal(p.good, 0);
  assert_non_null(strstr(p.warning[0], "does not hang together"));
  pl_orbit_free(low);
  pl_curve_free(c);
  kit_model_free(&b);
  kit_free(&k);
}

int test_proof(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_motions_pass),         cmocka_unit_test(soft_links_are_reported),
      cmocka_unit_test(unstable_motions_fail),     cmocka_unit_test(simulations_start_well),
      cmocka_unit_test(largest_peaks_are_checked), cmocka_unit_test(detached_parts_are_reported),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("proof", tests, NULL, NULL);
}
