// Elastic stops and dry friction in harmonic balance: exact derivatives, and agreement with
// shooting.
#include "shooting.h"

#include <stdio.h>

static pl_env env;

// ---- derivatives --------------------------------------------------------------------------------

// three unknowns on a line with a pair of every kind, the last one driven
static void line(model_kit *k) {
  static const double X[3] = {0.1, 0.2, 0.4}, spring_par[4] = {3, 0, 0.5, 0.1};
  static const double mass[3] = {1, 0.7, 1}, stop[2][3] = {{5, 0.05, 1}, {4, 0.02, -1}};
  static const double jenkins[2] = {6, 0.15}, tanh_par[2] = {0.3, 0.02};
  static const double piece[9] = {-0.05, 0.1, 0.2, 0.7, 3, 6, 1, 0, 1.3};
  static const int node[3] = {0, 1, 2}, springs[4] = {-1, 0, 0, 1}, stops[4] = {-1, 0, 1, 2};
  static const int slider[4] = {0, 1, -1, 1}, rub[2] = {-1, 0}, last = 2;
  static const pl_term move[2] = {{1, {0.1, 0, 0}, 0.4}, {2, {0.05, 0, 0}, 0}};
  kit_init(k, &env, 1);
  k->d.nnode = 3;
  k->d.X = X;
  kit_group(k, "masses", "mass1", 3, node, 0, mass);
  kit_group(k, "springs", "spring1", 2, springs, 1, spring_par);
  kit_group(k, "stops", "stop1", 2, stops, 0, stop[0]);
  kit_group(k, "friction", "jenkins1", 2, slider, 1, jenkins);
  kit_group(k, "rub", "friction1", 1, rub, 1, tanh_par);
  kit_group(k, "table", "piece1", 1, rub, 1, piece);
  kit_group(k, "damper", "rate_piece1", 1, rub, 1, piece);
  pl_drive_desc *d = kit_drive(k, 1, &last);
  d->nterm = 2;
  d->term = move;
}

// a triangle in the plane with pairs along its sides
static void plane(model_kit *k) {
  static const double X[6] = {0, 0, 1, 0.1, 0.4, 0.8}, mass[3] = {1, 0.7, 1};
  static const double stop[3] = {5, 0.05, 1}, jenkins[2] = {6, 0.15}, rub[2] = {0.3, 0.1};
  static const double piece[9] = {-0.05, 0.1, 0.2, 0.7, 3, 6, 1, 0, 1.3};
  static const int node[3] = {0, 1, 2}, first = 0, side[6] = {0, 1, 1, 2, 2, 0};
  static const pl_term rot[1] = {{1, {0.3, 0, 0}, 0.4}};
  kit_init(k, &env, 2);
  k->d.nnode = 3;
  k->d.X = X;
  kit_group(k, "masses", "point", 3, node, 0, mass);
  kit_group(k, "stops", "stop", 3, side, 1, stop);
  kit_group(k, "friction", "jenkins", 3, side, 1, jenkins);
  kit_group(k, "rub", "friction", 3, side, 1, rub);
  kit_group(k, "table", "piece", 3, side, 1, piece);
  kit_group(k, "damper", "rate_piece", 3, side, 1, piece);
  pl_drive_desc *d = kit_drive(k, 1, &first);
  d->kind = PL_DRIVE_ROTATION;
  d->axis[2] = 1;
  d->centre[0] = 0.2;
  d->nterm = 1;
  d->term = rot;
  k->d.beta = 0.1; // pairs take no part in it
}

static double *new_array(int n) {
  return pl_alloc(&env, (size_t)n, sizeof(double));
}

// a motion about rest in which pairs close, open and slip
static void stir(const kit_model *b, int L, double *z) {
  pl_rng r;
  pl_rng_seed(&r, 7);
  const int *dof = pl_model_free_dofs(b->m);
  for (int i = 0; i < pl_model_nfree(b->m); i++)
    for (int k = 0; k < L; k++)
      z[i * L + k] = (k == 0 ? b->p->X[dof[i]] : 0) + pl_rng_uniform(&r, -0.2, 0.2) / (1 + k);
}

// the Jacobian along a direction against differences; h in steps that are short beside the spans
static void check_jacobian(void (*make)(model_kit *)) {
  model_kit kit;
  kit_model b;
  pl_hb *hb;
  make(&kit);
  kit_build(&kit, 1, &b);
  check_ok(&env, pl_hb_create(b.m, b.p, b.w, 5, 0, &hb));
  int n = pl_hb_size(hb);
  double *z = new_array(n), *d = new_array(n), *y = new_array(n), *want = new_array(n);
  double *at = new_array(n), *part = new_array(PL_SHARES * n);
  stir(&b, 11, z);
  pl_rng r;
  pl_rng_seed(&r, 5);
  for (int i = 0; i < n; i++) d[i] = pl_rng_uniform(&r, -1, 1);
  const double w = 1.3, dw = 0.7, h = 1e-6;
  for (int side = -1; side <= 1; side += 2) {
    pl_axpy(n, side * h, d, z, at);
    check_ok(&env, pl_hb_eval(hb, at, w + side * h * dw, PL_HB_RESIDUAL));
    pl_axpy(n, side / (2 * h), pl_hb_residual(hb), want, want);
  }
  check_ok(&env, pl_hb_eval(hb, z, w, PL_HB_RESIDUAL | PL_HB_JACOBIAN | PL_HB_OMEGA));
  pl_blocks_mul(pl_hb_jacobian(hb), 0, NULL, d, part, y);
  pl_axpy(n, dw, pl_hb_domega(hb), y, y);
  check_array(n, y, want, 1e-7 * pl_max_abs(n, want));
  double *all[] = {z, d, y, want, at, part};
  for (int i = 0; i < 6; i++) pl_free(&env, all[i]);
  pl_hb_free(hb);
  kit_model_free(&b);
  kit_free(&kit);
}

static void jacobian(void **state) {
  (void)state;
  check_jacobian(line);
  check_jacobian(plane);
}

// every parameter of the pairs, the drive's amplitude, a reference place
static void add_designs(model_kit *k) {
  static char name[32][16];
  int n = 0;
  for (int g = 0; g < k->d.ngroup; g++)
    for (int i = 0; k->group[g].kind->stretch && i < k->group[g].kind->npar && i < 6; i++) {
      int side = strcmp(k->group[g].kind->par[i].name, "side") == 0;
      int at = pl_par_group(&k->d, g, 0) + i;
      snprintf(name[n], sizeof name[n], "p%d", n);
      if (!side) kit_design(k, name[n++], 0, at, 1, k->group[g].par[i]);
    }
  kit_design(k, "drive", 0, pl_par_drive(&k->d, 0, 0), 1, 0);
  kit_design(k, "place", 1, k->d.dim, 1, 0);
  kit_design(k, "held", 1, k->d.dim == 1 ? 2 : 1, 1, 0);
}

// dh/dp along a direction and against a vector, beside differences
static void check_change(void (*make)(model_kit *)) {
  model_kit kit;
  kit_model b;
  pl_hb *hb;
  pl_directions *directions;
  pl_orbit *o;
  make(&kit);
  add_designs(&kit);
  kit_build(&kit, 1, &b);
  int np = pl_model_ndesign(b.m);
  pl_direction dir[32];
  double p0[32], p[32], dp[32], dot[32] = {0};
  pl_rng r;
  pl_rng_seed(&r, 3);
  for (int i = 0; i < np; i++) {
    const pl_design_desc *d = pl_model_design(b.m, i);
    dir[i] = (pl_direction){d->ntarget, d->target};
    p0[i] = b.p->design[i];
    dp[i] = pl_rng_uniform(&r, -1, 1) * 0.1;
  }
  check_ok(&env, pl_directions_create(&env, b.m, 1, np, dir, &directions));
  check_ok(&env, pl_orbit_create(&env, b.m, 5, &o));
  check_ok(&env, pl_hb_create(b.m, b.p, b.w, 5, 0, &hb));
  o->omega = 1.3;
  stir(&b, 11, o->z);
  int n = pl_hb_size(hb);
  double *got = new_array(n), *want = new_array(n), *y = new_array(n), sum = 0;
  check_ok(&env, pl_hb_change(hb, directions, o, dp, got));
  for (int i = 0; i < n; i++) y[i] = pl_rng_uniform(&r, -1, 1);
  check_ok(&env, pl_hb_change_dot(hb, directions, o, y, dot));
  for (int i = 0; i < np; i++) sum += dot[i] * dp[i];
  check_rel(sum, pl_dot(n, y, got), 1e-10);
  const double h = 1e-5;
  for (int side = -1; side <= 1; side += 2) {
    for (int i = 0; i < np; i++) p[i] = p0[i] + side * h * dp[i];
    check_ok(&env, pl_params_set_design(b.m, b.p, p));
    check_ok(&env, pl_hb_refresh(hb));
    check_ok(&env, pl_hb_eval(hb, o->z, o->omega, PL_HB_RESIDUAL));
    pl_axpy(n, side / (2 * h), pl_hb_residual(hb), want, want);
  }
  check_array(n, got, want, 1e-7 * pl_max_abs(n, want));
  double *all[] = {got, want, y};
  for (int i = 0; i < 3; i++) pl_free(&env, all[i]);
  pl_orbit_free(o);
  pl_directions_free(directions);
  pl_hb_free(hb);
  kit_model_free(&b);
  kit_free(&kit);
}

static void parameters(void **state) {
  (void)state;
  check_change(line);
  check_change(plane);
}

// ---- shooting -----------------------------------------------------------------------------------

// m x'' + c x' + k x with a stop at a gap
static shot impact(double F, double gap, double stiffness) {
  return (shot){.n = 1,
                .njoint = 1,
                .m = {1},
                .C = {{0.1}},
                .K = {{1}},
                .F = {F},
                .joint = {{0, -1, 0, stiffness, gap}}};
}

static shot rubbing(double F, double stiffness, double limit) {
  shot s = impact(F, limit, stiffness);
  s.joint[0].slider = 1;
  return s;
}

// two masses with a stop between them and one that rubs on the ground
static shot two_masses(double F) {
  return (shot){.n = 2,
                .njoint = 2,
                .m = {1, 0.5},
                .C = {{0.12, -0.06}, {-0.06, 0.1}},
                .K = {{2, -1}, {-1, 1.5}},
                .F = {F, 0},
                .joint = {{0, 0, 1, 4, 0.3}, {1, -1, 1, 1.5, 0.25}}};
}

// a chain of three with stops at its first mass and between the others, the last one rubs
static shot three_masses(double F) {
  return (shot){.n = 3,
                .njoint = 3,
                .m = {1, 0.8, 0.5},
                .C = {{0.14, -0.05, 0}, {-0.05, 0.11, -0.04}, {0, -0.04, 0.09}},
                .K = {{2.5, -1, 0}, {-1, 2.2, -0.9}, {0, -0.9, 1.6}},
                .F = {F, 0, 0.3 * F},
                .joint = {{0, -1, 0, 3, 0.25}, {0, 1, 2, 5, 0.2}, {1, -1, 2, 1.2, 0.2}}};
}

static pl_curve *respond(const kit_model *b, double from, double to, int H) {
  pl_response_opts o;
  pl_curve *c;
  int node = 0;
  pl_opts_default(pl_response_option_table, pl_response_option_count, &o);
  o.from = from;
  o.to = to;
  o.harmonics = H;
  o.stability = 0;
  check_ok(&env, pl_response(&o, b->m, b->p, b->w, 1, &node, NULL, &c));
  assert_int_equal(c->reason, PL_STOP_END);
  return c;
}

// largest relative difference of the amplitudes of all unknowns
static double compare_shot(shot *s, const kit_model *b, const pl_orbit *o) {
  double y[SHOT_SIZE] = {0}, most[SHOT_DOF], error = 0;
  s->omega = o->omega;
  pl_state *at = b->s;
  pl_orbit_state(b->m, b->p, o, 0, at);
  for (int i = 0; i < s->n; i++) {
    y[i] = at->q[i];
    y[s->n + i] = at->v[i];
  }
  // sliders find their places
  for (int k = 0; k < 3 && s->joint[s->njoint - 1].slider; k++) shot_period(s, y, NULL);
  double left = shot_close(s, y, NULL, most);
  if (!(left < 1e-9)) fail_msg("shooting at %g rad/s: %g", s->omega, left);
  for (int i = 0; i < s->n; i++)
    error = fmax(error, fabs(pl_orbit_max(b->m, b->p, o, i, 0, NULL) / most[i] - 1));
  return error;
}

// every tenth of the curve and all its peaks
static void check_shooting(shot s, double from, double to, double tol) {
  model_kit kit;
  kit_model b;
  shot_model(&s, &env, &kit, &b);
  pl_curve *c = respond(&b, from, to, 41);
  int peaks = 0;
  for (int k = 0; k <= 10; k++)
    check_less(compare_shot(&s, &b, c->point[k * (c->npoint - 1) / 10].orbit), tol);
  for (int k = 0; k < c->nspecial; k++) {
    if (c->special[k].kind != PL_PEAK) continue;
    peaks++;
    check_less(compare_shot(&s, &b, c->special[k].orbit), tol);
  }
  assert_true(peaks > 0);
  pl_curve_free(c);
  kit_model_free(&b);
  kit_free(&kit);
}

static void stops(void **state) {
  (void)state;
  check_shooting(impact(0.2, 1, 1), 0.5, 2, 1e-4);
  check_shooting(impact(0.5, 1, 10), 0.8, 3, 1e-4);
  check_shooting(impact(0.3, 0, 3), 0.7, 2.5, 1e-4);
}

static void sliders(void **state) {
  (void)state;
  check_shooting(rubbing(0.3, 1, 0.2), 0.5, 2.5, 1e-4);
  check_shooting(rubbing(0.5, 3, 0.4), 0.7, 3, 1e-4);
  // corners at 0.4146 and 0.6297 rad/s, where slips begin, so sharp that steps along the tangent
  // end
  shot s = rubbing(0.835, 4.7, 0.616);
  s.C[0][0] = 0.0577;
  s.K[0][0] = 1.5427;
  s.m[0] = 0.9854;
  check_shooting(s, 0.4, 3, 1e-4);
}

static void several(void **state) {
  (void)state;
  check_shooting(two_masses(0.3), 0.6, 3, 1e-4);
  check_shooting(two_masses(1.2), 0.6, 3, 1e-4);
  check_shooting(three_masses(0.5), 0.8, 2.5, 1e-4);
}

// multipliers against the derivative of the period map: sums of their first and second powers
static void check_floquet(shot s, double omega) {
  model_kit kit;
  kit_model b;
  pl_floquet f;
  shot_model(&s, &env, &kit, &b);
  pl_curve *c = respond(&b, omega - 0.05, omega, 41);
  const pl_orbit *o = c->point[c->npoint - 1].orbit;
  check_ok(&env, pl_orbit_floquet(b.m, b.p, b.w, o, PL_FLOQUET_AUTO, &f));
  double y[SHOT_SIZE] = {0}, D[SHOT_SIZE][SHOT_SIZE], sum[2] = {0}, got[2] = {0};
  int n = 2 * s.n + s.njoint;
  s.omega = omega;
  pl_orbit_state(b.m, b.p, o, 0, b.s);
  for (int i = 0; i < s.n; i++) {
    y[i] = b.s->q[i];
    y[s.n + i] = b.s->v[i];
  }
  for (int k = 0; k < 3; k++) shot_period(&s, y, NULL);
  check_less(shot_close(&s, y, D, NULL), 1e-9);
  for (int i = 0; i < n; i++) {
    // the place of a joint without memory stays what it is
    int still = i >= 2 * s.n && !s.joint[i - 2 * s.n].slider;
    sum[0] += still ? 0 : D[i][i];
    for (int j = 0; j < n && !still; j++) sum[1] += D[i][j] * D[j][i];
  }
  for (int i = 0; i < f.n; i++) {
    got[0] += f.re[i];
    got[1] += f.re[i] * f.re[i] - f.im[i] * f.im[i];
  }
  check_array(2, got, sum, 2e-3 * (1 + fabs(sum[1])));
  pl_curve_free(c);
  kit_model_free(&b);
  kit_free(&kit);
}

static void floquet(void **state) {
  (void)state;
  check_floquet(impact(0.2, 1, 1), 1.1);
  check_floquet(impact(0.5, 1, 10), 0.8);
  check_floquet(rubbing(0.5, 3, 0.4), 1.1);
  check_floquet(rubbing(0.5, 3, 0.4), 0.62);
  check_floquet(two_masses(1.2), 1.3);
}

// a slider that sticks all the time is a spring, and the fold of an impact oscillator turns over
static void verdicts(void **state) {
  (void)state;
  shot s = impact(0.5, 1, 10);
  model_kit kit;
  kit_model b;
  shot_model(&s, &env, &kit, &b);
  pl_response_opts o;
  pl_curve *c;
  int node = 0, unstable = 0, wrong = 0;
  pl_opts_default(pl_response_option_table, pl_response_option_count, &o);
  o.from = 0.9;
  o.to = 2;
  o.harmonics = 21;
  check_ok(&env, pl_response(&o, b.m, b.p, b.w, 1, &node, NULL, &c));
  for (int i = 1; i < c->npoint; i++) {
    int back = c->point[i].orbit->omega < c->point[i - 1].orbit->omega;
    unstable += back;
    // but for the two points next to the folds
    int same =
        (c->point[i].orbit->omega < c->point[i + 1 < c->npoint ? i + 1 : i].orbit->omega) != back;
    wrong += same && c->point[i].stable == back;
  }
  assert_true(unstable > 3);
  assert_int_equal(wrong, 0);
  pl_curve_free(c);
  kit_model_free(&b);
  kit_free(&kit);
}

// ---- transients and statics ---------------------------------------------------------------------

// three periods by Newmark's method: largest difference of places from the other integrator
static double stepped(const shot *s, int steps) {
  model_kit kit;
  kit_model b;
  pl_transient_opts o;
  pl_transient_info info;
  shot_model(s, &env, &kit, &b);
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &o);
  o.frequency = s->omega;
  o.periods = 3;
  o.steps_per_period = steps;
  check_ok(&env, pl_transient(&o, b.m, b.p, b.s, NULL, b.w, NULL, NULL, &info));
  double y[SHOT_SIZE] = {0}, error = 0;
  for (int k = 0; k < 3; k++) shot_period(s, y, NULL);
  for (int i = 0; i < s->n; i++) error = fmax(error, fabs(b.s->q[i] - y[i]));
  kit_model_free(&b);
  kit_free(&kit);
  return error;
}

static void transients(void **state) {
  (void)state;
  shot all[3] = {impact(0.5, 0.5, 10), rubbing(0.5, 3, 0.3), two_masses(1.2)};
  for (int k = 0; k < 3; k++) {
    all[k].omega = 1.1;
    double coarse = stepped(&all[k], 400), fine = stepped(&all[k], 1600);
    check_less(fine, coarse / 8);
    check_less(fine, 1e-4);
  }
}

// x beyond the gap and beyond the slip: k0 x + k (x - g) + F = f
static void statics(void **state) {
  (void)state;
  shot s = impact(0, 0.5, 4);
  model_kit kit;
  kit_model b;
  pl_static_opts o;
  pl_static_info info;
  const double f = 2;
  const int node = 0;
  s.njoint = 2;
  s.joint[1] = (shot_joint){1, -1, 0, 3, 0.4};
  shot_model(&s, &env, &kit, &b);
  kit_model_free(&b);
  kit_push(&kit, 1, &node, &f);
  kit_build(&kit, 1, &b);
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  check_ok(&env, pl_static(&o, b.m, b.p, b.s, b.w, NULL, NULL, &info));
  check_close(b.s->q[0], (f + 4 * 0.5 - 0.4) / 5, 1e-12);
  // stored: springs, stop and the slider's spring
  double x = b.s->q[0], stored = 0.5 * x * x + 2 * (x - 0.5) * (x - 0.5) + 0.4 * 0.4 / 6;
  check_ok(&env, pl_eval(b.m, b.p, b.s, &(pl_clock){.scale = 1}, PL_WANT_ENERGY, NULL, b.w));
  check_close(b.w->elastic, stored, 1e-12);
  check_close(b.w->slipped, 0, 1e-12);
  kit_model_free(&b);
  kit_free(&kit);
}

// more harmonics come closer
static void convergence(void **state) {
  (void)state;
  shot s = impact(0.5, 1, 10);
  model_kit kit;
  kit_model b;
  shot_model(&s, &env, &kit, &b);
  double before = INFINITY;
  for (int H = 7; H <= 41; H = 2 * H + 1 < 41 ? 2 * H + 1 : H + 10) {
    pl_curve *c = respond(&b, 0.9, 1.2, H);
    double error = compare_shot(&s, &b, c->point[c->npoint - 1].orbit);
    check_less(error, 0.5 * before);
    before = error;
    pl_curve_free(c);
  }
  check_less(before, 1e-5);
  kit_model_free(&b);
  kit_free(&kit);
}

int test_pairs(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jacobian),    cmocka_unit_test(parameters), cmocka_unit_test(stops),
      cmocka_unit_test(sliders),     cmocka_unit_test(several),    cmocka_unit_test(floquet),
      cmocka_unit_test(verdicts),    cmocka_unit_test(transients), cmocka_unit_test(statics),
      cmocka_unit_test(convergence),
  };
  return cmocka_run_group_tests_name("harmonic.pairs", tests, NULL, NULL);
}
