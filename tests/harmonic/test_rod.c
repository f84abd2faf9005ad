// Periodic motions of rods: against time stepping, linear theory, and from starts that turn far.
#include "check.h"
#include "rod_models.h"

#include "pliant/harmonic.h"
#include "pliant/math.h"

#include <string.h>

static pl_env env;

enum { LONG = 8, SHORT = 6, TIP = LONG + SHORT };

static const double FLAT[7] = {1e8, 0.3, 1200, 4e-3, 1.5e-3, 0, 1};

// A flat rod along x with an arm along y at its end, so that it bends both ways and twists. It is
// turned about an axis askew by its first edge, or by a junction at its foot.
typedef struct angle_rod {
  rod_kit k;
  kit_model b;
  pl_term term;
  int edge[6];
} angle_rod;

static void angle_open(angle_rod *r, double rot, double alpha, int by_junction) {
  int node[TIP + 1];
  rods_init(&r->k, &env, FLAT);
  for (int i = 0; i <= LONG; i++) node[i] = rods_node(&r->k, 0.02 * i, 0, 0);
  for (int i = 1; i <= SHORT; i++)
    node[LONG + i] = rods_node(&r->k, 0.02 * LONG, 0.02 * i, 0.002 * i);
  rods_chain(&r->k, LONG + 1, node, NULL);
  rods_chain(&r->k, SHORT + 1, node + LONG, NULL);
  rods_junction(&r->k, LONG);
  int s = by_junction ? rods_junction(&r->k, 0) : 0;
  const int scal[3] = {s, s + 1, s + 2};
  pl_drive_desc *d = rods_fix(&r->k, by_junction ? 1 : 2, node, by_junction ? 3 : 1, scal);
  r->term = (pl_term){1, {rot, 0, 0}, 0};
  for (int c = 0; c < 6; c++) r->edge[c] = !by_junction ? c % 2 : c % 2 ? c / 2 : PL_SCALAR_VECTOR;
  d->kind = PL_DRIVE_ROTATION;
  memcpy(d->axis, (double[]){0.3, 1, 0.2}, sizeof d->axis);
  d->nterm = 1;
  d->term = &r->term;
  d->edge = r->edge;
  r->k.alpha = alpha;
  r->k.beta = 2e-4;
  rods_build(&r->k, 1, &r->b);
}

static void angle_close(angle_rod *r) {
  kit_model_free(&r->b);
  rods_free(&r->k);
}

static pl_status solve(kit_model *b, double omega, int nharm, pl_orbit **o,
                       pl_periodic_info *info) {
  pl_periodic_opts opts;
  pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &opts);
  opts.frequency = omega;
  opts.harmonics = nharm;
  *o = NULL;
  return pl_periodic(&opts, b->m, b->p, b->w, o, info);
}

static double first_mode(kit_model *b) {
  pl_modes_opts mo = {.count = 1};
  pl_modes_info mi;
  double w, *shape = pl_alloc(&env, (size_t)b->s->nq, sizeof(double));
  check_ok(&env, pl_modes(&mo, b->m, b->p, b->s, b->w, &w, shape, &mi));
  pl_free(&env, shape);
  return w;
}

// Four periods of Newmark's method from the periodic motion stay on it, to the square of the step;
// by an edge with anchors that stay, and by a junction with anchors that move along.
static void agrees_with_time_stepping(void **state) {
  (void)state;
  for (int variant = 0; variant < 2; variant++) {
    angle_rod r;
    pl_orbit *o;
    pl_periodic_info info;
    angle_open(&r, 0.5, 20, variant);
    kit_model *b = &r.b;
    double w = 0.6 * first_mode(b), error[2];
    check_ok(&env, solve(b, w, 9, &o, &info));
    pl_state *want;
    check_ok(&env, pl_state_create(b->m, b->p, &want));
    for (int k = 0; k < 2; k++) {
      pl_transient_opts opts;
      pl_transient_info ti;
      pl_opts_default(pl_transient_option_table, pl_transient_option_count, &opts);
      opts.frequency = w;
      opts.periods = 4;
      opts.steps_per_period = 128 << k;
      pl_orbit_state(b->m, b->p, o, 0, b->s);
      b->s->t = 0;
      if (variant) b->s->anchoring = PL_ANCHORS_REFERENCE;
      check_ok(&env, pl_transient(&opts, b->m, b->p, b->s, NULL, b->w, NULL, NULL, &ti));
      assert_int_equal(b->s->anchoring, variant ? PL_ANCHORS_CHANGED : PL_ANCHORS_FIXED);
      pl_orbit_state(b->m, b->p, o, 0, want);
      error[k] = 0;
      for (int i = 0; i < 3 * (TIP + 1); i++)
        error[k] = fmax(error[k], fabs(b->s->q[i] - want->q[i]));
    }
    // the tip moves by ten centimetres, and there are forty steps to a radian
    check_less(error[1], 1e-5);
    check_close(log2(error[0] / error[1]), 2, 0.3);
    pl_state_free(b->m, want);
    pl_orbit_free(o);
    angle_close(&r);
  }
}

// Gently driven, the response peaks at the first mode, but for the damping ratio: 4e-4, so that an
// angle of 1e-7 makes motions of 2e-5 m, whose square over the size does not count.
static void peak_at_the_first_mode(void **state) {
  (void)state;
  angle_rod r;
  angle_open(&r, 1e-7, 0, 0);
  r.b.p->par[PL_PAR_BETA] = 1e-4;
  double w1 = first_mode(&r.b), zeta = 0.5 * 1e-4 * w1;
  pl_response_opts o;
  pl_opts_default(pl_response_option_table, pl_response_option_count, &o);
  o.from = 0.97 * w1;
  o.to = 1.03 * w1;
  o.harmonics = 3;
  o.stability = 0;
  int tip = TIP;
  pl_curve *c;
  check_ok(&env, pl_response(&o, r.b.m, r.b.p, r.b.w, 1, &tip, NULL, &c));
  assert_int_equal(c->reason, PL_STOP_END);
  int peaks = 0;
  for (int i = 0; i < c->nspecial; i++)
    if (c->special[i].kind == PL_PEAK) {
      check_rel(c->special[i].omega, w1, zeta);
      peaks++;
    }
  assert_int_equal(peaks, 1);
  pl_curve_free(c);
  angle_close(&r);
}

// Slow and far: +-100 degrees, nine harmonics, the whole body following its drive.
static void follow_rigidly(int by_junction) {
  angle_rod r;
  pl_orbit *o;
  pl_periodic_info info;
  angle_open(&r, 100 * PL_PI / 180, 0.5, by_junction);
  double w = 0.02 * first_mode(&r.b);
  check_ok(&env, solve(&r.b, w, 9, &o, &info));
  assert_string_equal(info.start, "rest");
  // at the far end the body is turned and hardly bent: accelerations of 1.75 (0.02 w)^2 times the
  // length move the tip by about 1.75 (0.02)^2 of it
  double R[9], x[3];
  pl_rotation3((double[]){0.3, 1, 0.2}, 100 * PL_PI / 180, R);
  pl_orbit_state(r.b.m, r.b.p, o, PL_PI / 2, r.b.s);
  for (int c = 0; c < 3; c++) x[c] = pl_dot3(R + 3 * c, r.b.p->X + 3 * TIP);
  check_array(3, r.b.s->q + 3 * TIP, x, 2e-3 * 0.2);
  pl_orbit_free(o);
  angle_close(&r);
}

static void follows_rigidly(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) follow_rigidly(i);
}

int test_rod(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_time_stepping),
      cmocka_unit_test(peak_at_the_first_mode),
      cmocka_unit_test(follows_rigidly),
  };
  return cmocka_run_group_tests_name("harmonic.rod", tests, NULL, NULL);
}
