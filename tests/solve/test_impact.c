// Laws for impacts, steps that resolve them, and the speed of sound that they go by.
#include "contact_bench.h"

static pl_env env;
static model_kit kit;

static const double RUBBER[3] = {1e6, 0.3, 1000};

// sqrt(E/rho) along any direction, whatever Poisson's ratio is and however the mesh is cut
static void speed_of_sound(void **state) {
  (void)state;
  const int cells[3] = {3, 2, 2};
  const double side[3] = {0.3, 0.2, 0.1}, n[3] = {2.0 / 7, -3.0 / 7, 6.0 / 7};
  static const char *const kind[] = {"tet4", "hex8", "hex8_eas", "hex8_nh"};
  for (int i = 0; i < 4; i++) {
    kit_model b;
    pl_sound *k;
    kit_init(&kit, &env, 3);
    kit_box(&kit, kind[i], cells, side, RUBBER);
    kit_build(&kit, 1, &b);
    check_ok(&env, pl_sound_create(b.m, b.p, b.w, &k));
    assert_int_equal(k->nbody, 1);
    check_rel(k->mass[0], 6, 1e-12);
    check_rel(pl_sound_speed(k, 0, n), sqrt(1e3), 1e-6);
    check_rel(pl_sound_time(k, 0, b.s->q, (double[]){0, 1, 0}), 0.2 / sqrt(1e3), 1e-6);
    pl_sound_free(k);
    kit_model_free(&b);
    kit_free(&kit);
  }
}

// two sheets in the plane are two bodies with a plate's modulus; sheets in space have none across
static void sound_of_sheets(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    kit_model b;
    pl_sound *k;
    kit_init(&kit, &env, dim);
    kit_grid(&kit, 3, 2, 0.3, 0.2, PL_ALTERNATING, (double[]){1e6, 0.3, 1000, 0.01});
    kit_build(&kit, 1, &b);
    check_ok(&env, pl_sound_create(b.m, b.p, b.w, &k));
    double c = pl_sound_speed(k, 0, (double[]){0.6, 0.8, 0});
    check_close(c, dim == 2 ? sqrt(1e3) : 0, 1e-4);
    pl_sound_free(k);
    kit_model_free(&b);
    kit_free(&kit);
  }
}

// a point mass leaves the wall with the part of its speed that Moreau's law is given
static void moreau(void **state) {
  (void)state;
  const double h = 1e-2, V = 2;
  for (int i = 0; i < 5; i++) {
    const double X[2] = {0.3, 0.3 * h * V};
    bench t;
    kit_init(&kit, &env, 2);
    kit.d.nnode = 1;
    kit.X = kit_keep(&kit, 2, sizeof *kit.X);
    kit.d.X = kit.X;
    memcpy(kit.X, X, sizeof X);
    int *node = kit_keep(&kit, 1, sizeof *node);
    *node = 0;
    kit_group(&kit, "point", "point", 1, node, 1, (double[]){3});
    pl_obstacle o = plane_of(0, 1, 0, 0);
    bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
    t.b.s->v[1] = -V;
    t.impact = PL_IMPACT_MOREAU;
    t.restitution = 0.25 * i;
    bench_run(&t, PL_NEWMARK, h, h);
    check_close(t.b.s->v[1], 0.25 * i * V, 1e-12);
    check_less(t.worst_energy, 1e-14);
    bench_close(&t);
  }
}

// a point mass falls to the origin, where no place has a size that rounding could be measured by
static void rest_at_the_origin(void **state) {
  (void)state;
  for (int impact = PL_IMPACT_BBI; impact <= PL_IMPACT_MOREAU; impact++) {
    bench t;
    kit_init(&kit, &env, 2);
    kit.d.nnode = 1;
    kit.d.gravity[1] = -10;
    kit.X = kit_keep(&kit, 2, sizeof *kit.X);
    kit.d.X = kit.X;
    kit.X[1] = 0.1;
    int *node = kit_keep(&kit, 1, sizeof *node);
    *node = 0;
    kit_group(&kit, "point", "point", 1, node, 1, (double[]){1});
    pl_obstacle o = plane_of(0, 1, 0, 0);
    bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
    t.impact = impact;
    bench_run(&t, PL_NEWMARK, 7e-3, 0.3);
    check_close(t.b.s->q[1], 0, 1e-12);
    bench_close(&t);
  }
}

// a damped bar falls on a plane from a little above it, in steps of half the time of sound
static double rebound(int impact, double impact_step, double gap, pl_transient_info *info) {
  const int cells[3] = {1, 1, 20};
  const double side[3] = {0.1, 0.1, 1}, par[3] = {1e6, 0, 1000}, c = sqrt(1e3), V = 1e-5 * c;
  bench t;
  kit_init(&kit, &env, 3);
  kit_box(&kit, "hex8", cells, side, par);
  kit.d.beta = 0.05 / c;
  for (int i = 2; i < 3 * kit.d.nnode; i += 3) kit.X[i] += gap * V / c;
  pl_obstacle o = plane_of(0, 0, 1, 0);
  bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
  for (int i = 2; i < t.b.s->nq; i += 3) t.b.s->v[i] = -V;
  t.impact = impact;
  t.impact_step = impact_step;
  *info = bench_run(&t, PL_NEWMARK, 0.5 / c, 8 / c);
  double e = bench_mean(&t, t.b.s->v, 2) / V;
  bench_close(&t);
  return e;
}

// What damping takes at impacts, whose velocities change sign within steps, is the work of its
// forces: energy and all that was taken stay what they were.
static void damping_is_booked(void **state) {
  (void)state;
  const int cells[3] = {1, 1, 8}, method[3] = {PL_NEWMARK, PL_NEWMARK, PL_IMPLICIT_EULER};
  const double side[3] = {0.1, 0.1, 1}, par[3] = {1e6, 0, 1000}, c = sqrt(1e3), V = 1e-2 * c;
  for (int way = 0; way < 3; way++) {
    bench t;
    kit_init(&kit, &env, 3);
    kit_box(&kit, way == 2 ? "hex8" : "hex8_eas", cells, side, par);
    kit.d.beta = 0.05 / c;
    kit.d.alpha = way == 1 ? 0 : 0.1 * c;
    for (int i = 2; i < 3 * kit.d.nnode; i += 3) kit.X[i] += 0.3 * V / c;
    pl_obstacle o = plane_of(0, 0, 1, 0);
    bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
    for (int i = 2; i < t.b.s->nq; i += 3) t.b.s->v[i] = -V;
    t.impact = way == 1 ? PL_IMPACT_MASS : PL_IMPACT_BBI;
    bench_run(&t, method[way], 0.5 / c, 8 / c);
    check_less(t.worst_book, 1e-10 * t.start);
    bench_close(&t);
  }
}

// The law decides what comes back where steps do not resolve the impact, whatever the gap before;
// the modal series says 0.75036353 (8.4). Steps that do give it.
static void steps_of_impacts(void **state) {
  (void)state;
  pl_transient_info info;
  double worst = 0;
  for (int i = 0; i < 4; i++) {
    double gap = 0.13 + 0.11 * i;
    worst =
        fmax(worst, fabs(rebound(i % 2 ? PL_IMPACT_NONE : PL_IMPACT_BBI, 0, gap, &info) - 0.75));
    check_rel(rebound(i % 2 ? PL_IMPACT_NONE : PL_IMPACT_BBI, 0.02, gap, &info), 0.75036353, 0.01);
    assert_int_equal(info.nstep, 16);
    check_less(info.momentum_error, 1e-12);
  }
  assert_true(worst > 0.1);
}

// momentum to rounding in every step: a soft block thrown at a corner, mass damping as well (8.11)
static void momentum(void **state) {
  (void)state;
  const int cells[3] = {3, 2, 2};
  const double side[3] = {0.1, 0.08, 0.05};
  for (int impact = 0; impact <= PL_IMPACT_NONE; impact++) {
    bench t;
    kit_init(&kit, &env, 3);
    kit_box(&kit, "hex8_nh", cells, side, (double[]){1e5, 0.3, 1000});
    kit.d.gravity[2] = -GRAVITY;
    kit.d.alpha = 3;
    kit.d.beta = 2e-4;
    for (int i = 0; i < 3 * kit.d.nnode; i++) kit.X[i] += i % 3 == 1 ? 0 : 0.004;
    pl_obstacle o[2] = {plane_of(0, 0, 1, 0.4), plane_of(1, 0, 0, 0.2)};
    bench_open(&t, &kit, 2, o, 0, NULL, NULL);
    for (int i = 0; i < t.b.s->nq; i++) t.b.s->v[i] = (const double[]){-1, 0.3, -1.5}[i % 3];
    t.impact = impact;
    t.restitution = 0.3;
    pl_transient_info info = bench_run(&t, PL_NEWMARK, 1e-3, 0.06);
    assert_true(info.momentum_error >= 0);
    check_less(info.momentum_error, 1e-12);
    // what Newmark's method makes of a law that is not linear
    check_less(info.energy_worst, PL_ENERGY_WARN * info.energy_scale);
    bench_close(&t);
  }
}

int test_impact(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(speed_of_sound),
                                     cmocka_unit_test(sound_of_sheets),
                                     cmocka_unit_test(damping_is_booked),
                                     cmocka_unit_test(moreau),
                                     cmocka_unit_test(rest_at_the_origin),
                                     cmocka_unit_test(steps_of_impacts),
                                     cmocka_unit_test(momentum)};
  pl_env_init(&env);
  return cmocka_run_group_tests_name("solve.impact", tests, NULL, NULL);
}
