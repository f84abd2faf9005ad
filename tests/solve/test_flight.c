// Rigid flight: a free top, boxes, round trips, and the way to the floor.
#include "contact_bench.h"

static pl_env env;
static model_kit kit;

static pl_flight top(void) {
  return (pl_flight){.mass = 1,
                     .inertia = {0.6, 0.8, 1.0},
                     .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                     .rot = {1, 0, 0, 0},
                     .spin = {1.8, 0.4, -0.9}};
}

// Table 8.8: place after 10 s, errors of the plain rule and of the preprocessed one, and nothing
// lost by either.
static void free_top(void **state) {
  (void)state;
  static const double want[4] = {-0.73606136, -0.57078695, -0.29938857, -0.20683909},
                      spin[3] = {1.76596251, -0.69546420, 0.77955498},
                      error[2][3] = {{2.75e-1, 6.66e-2, 1.65e-2}, {1.42e-3, 8.56e-5, 5.31e-6}};
  for (int order = 2; order <= 4; order += 2)
    for (int i = 0; i < 3; i++) {
      double h = 0.1 / (1 << i), off = 0;
      pl_flight k = top();
      for (int n = 0; n < 100 << i; n++) pl_flight_step_order(&k, h, order);
      for (int c = 0; c < 4; c++) off += (k.rot[c] - want[c]) * (k.rot[c] - want[c]);
      check_rel(sqrt(off), error[order / 2 - 1][i], 0.01);
      check_close(pl_flight_energy(&k), 3.205, 1e-13);
      check_rel(pl_norm3(k.spin), sqrt(1.8 * 1.8 + 0.16 + 0.81), 1e-13);
    }
  pl_flight k = top();
  for (int n = 0; n < 4000; n++) pl_flight_step(&k, 2.5e-3);
  check_array(4, k.rot, want, 1e-8);
  check_array(3, k.spin, spin, 1e-8);
}

// a box of hexes has the moments of a box, and comes back from a rigid motion as it was (8.9)
static void round_trip(void **state) {
  (void)state;
  const int cells[3] = {2, 3, 4};
  const double side[3] = {0.3, 0.2, 0.5}, par[3] = {1e6, 0.3, 1000}, mass = 30;
  kit_model b;
  pl_flight k, again;
  pl_flight_loss lost;
  pl_state *s;
  kit_init(&kit, &env, 3);
  kit_box(&kit, "hex8", cells, side, par);
  kit.d.gravity[2] = -GRAVITY;
  kit_build(&kit, 1, &b);
  check_ok(&env, pl_state_create(b.m, b.p, &s));
  check_ok(&env, pl_flight_begin(b.m, b.p, s, b.w, &k, NULL));
  const double inertia[3] = {mass / 12 * 0.13, mass / 12 * 0.29, mass / 12 * 0.34};
  check_rel(k.mass, mass, 1e-13);
  for (int i = 0; i < 3; i++) check_rel(k.inertia[i], inertia[i], 1e-13);
  // turned by a good angle, spinning and thrown
  pl_quat_from_axis((double[]){1, -2, 0.7}, 2.3, k.rot);
  memcpy(k.momentum, (double[]){3, -40, 20}, sizeof k.momentum);
  memcpy(k.spin, (double[]){0.7, -0.3, 1.1}, sizeof k.spin);
  pl_flight_state(b.m, b.p, &k, s);
  check_ok(&env, pl_flight_begin(b.m, b.p, s, b.w, &again, &lost));
  double sign = pl_dot(4, k.rot, again.rot) < 0 ? -1 : 1;
  for (int i = 0; i < 4; i++) check_close(sign * again.rot[i], k.rot[i], 1e-13);
  check_array(3, again.centre, k.centre, 1e-13);
  check_array(3, again.momentum, k.momentum, 1e-12);
  check_array(3, again.spin, k.spin, 1e-13);
  check_close(lost.vibration / lost.motion, 0, 1e-13);
  check_close(lost.elastic / lost.motion, 0, 1e-12);
  pl_state_free(b.m, s);
  kit_model_free(&b);
  kit_free(&kit);
}

// A soft block that is thrown 20 cm high, spins and rings: as a rigid body after it has calmed down
// it flies as finite elements do, to 0.6 mm and 0.02 rad. Of the energy only vibration is left
// behind.
static void beside_elements(void **state) {
  (void)state;
  const int cells[3] = {3, 2, 1};
  const double side[3] = {0.06, 0.04, 0.02}, v[3] = {0.5, 0.1, 2}, w[3] = {2, 3, -5};
  bench t;
  kit_init(&kit, &env, 3);
  kit_box(&kit, "hex8_nh", cells, side, (double[]){1e7, 0.3, 1000});
  kit.d.gravity[2] = -GRAVITY;
  kit.d.beta = 2e-4;
  for (int i = 0; i < kit.d.nnode; i++) kit.X[3 * i + 2] += 0.05;
  pl_obstacle o = plane_of(0, 0, 1, 0.3);
  bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
  pl_state *s = t.b.s, *x;
  for (int i = 0; i < kit.d.nnode; i++) {
    double r[3], turning[3];
    pl_sub3(s->q + 3 * i, (double[]){0.03, 0.02, 0.06}, r);
    pl_cross3(w, r, turning);
    for (int c = 0; c < 3; c++) s->v[3 * i + c] = v[c] + turning[c];
  }
  check_ok(&env, pl_state_create(t.b.m, t.b.p, &x));
  bench_run(&t, PL_NEWMARK, 1e-3, 0.05);
  pl_flight k;
  pl_flight_loss lost;
  int meets;
  check_ok(&env, pl_flight_begin(t.b.m, t.b.p, s, t.b.w, &k, &lost));
  check_less(lost.elastic + fabs(lost.vibration), 1e-3 * lost.motion);
  check_ok(&env, pl_flight_to_contact(t.b.m, t.b.p, t.k, t.b.w, NULL, &k, 1e-3, 1, x, &meets));
  assert_int_equal(meets, 1);
  // finite elements to the same time: not yet there either, and at the same place
  bench_run(&t, PL_NEWMARK, 1e-3, x->t - s->t);
  assert_int_equal(t.nopen, kit.d.nnode);
  double far = 0;
  for (int i = 0; i < s->nq; i++) far = fmax(far, fabs(x->q[i] - s->q[i]));
  check_less(far, 6e-4);
  pl_flight there;
  check_ok(&env, pl_flight_begin(t.b.m, t.b.p, s, t.b.w, &there, NULL));
  check_less(2 * acos(fmin(1, fabs(pl_dot(4, k.rot, there.rot)))), 0.02);
  check_rel(there.centre[2], k.centre[2], 1e-9);
  bench_run(&t, PL_NEWMARK, 1e-3, 5e-3);
  assert_true(t.k->most > 0);
  pl_state_free(t.b.m, x);
  bench_close(&t);
}

static void refused(void **state) {
  (void)state;
  kit_model b;
  pl_flight k;
  kit_init(&kit, &env, 2);
  kit_grid(&kit, 2, 2, 1, 1, PL_ALTERNATING, (double[]){1e6, 0.3, 1000, 0.01});
  kit_build(&kit, 1, &b);
  assert_int_equal(pl_flight_begin(b.m, b.p, b.s, b.w, &k, NULL), PL_E_INPUT);
  kit_model_free(&b);
  kit_free(&kit);
}

// masses on one line
static void does_not_turn(void **state) {
  (void)state;
  kit_model b;
  pl_flight k;
  static const double X[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, mass = 1;
  static const int node[3] = {0, 1, 2};
  kit_init(&kit, &env, 3);
  kit.d.nnode = 3;
  kit.d.X = X;
  kit_group(&kit, "points", "point", 3, node, 1, &mass);
  kit_build(&kit, 1, &b);
  assert_int_equal(pl_flight_begin(b.m, b.p, b.s, b.w, &k, NULL), PL_DOMAIN);
  kit_model_free(&b);
  kit_free(&kit);
}

int test_flight(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(free_top), cmocka_unit_test(round_trip),
                                     cmocka_unit_test(beside_elements), cmocka_unit_test(refused),
                                     cmocka_unit_test(does_not_turn)};
  pl_env_init(&env);
  return cmocka_run_group_tests_name("solve.flight", tests, NULL, NULL);
}
