// Steps in which elasticity, limits and contact are solved together: against implicit Euler where
// limits do not matter, against the projection where nothing else does, and by what they minimise.
#include "swing.h"

static const double g = 9.81;

// what the step of length h from q0 with v0 minimises, J: potential and |q - q0 - h v0|_M^2/(2 h^2)
static double step_potential(swing *k, double h, const double *q0, const double *v0,
                             const double *q) {
  pl_clock c = {k->b.s->t, 0, 1, 0, 1};
  pl_state *s;
  check_ok(k->env, pl_state_create(k->b.m, k->b.p, &s));
  memcpy(s->q, q, 3 * (size_t)k->nvert * sizeof *q);
  check_ok(k->env, pl_eval(k->b.m, k->b.p, s, &c, PL_WANT_ENERGY, NULL, k->b.w));
  double sum = k->b.w->potential;
  for (int i = 0; i < 3 * k->nvert; i++) {
    double d = q[i] - q0[i] - h * v0[i];
    sum += k->mass[i / 3] * d * d / (2 * h * h);
  }
  pl_state_free(k->b.m, s);
  return sum;
}

static double most_moved(const swing *k, const double *x, const double *y) {
  double most = 0;
  for (int i = 0; i < 3 * k->nvert; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

// a sheet that flies, turns and is pressed together: limits are far, and the step is one of
// implicit Euler but for the force that the method leaves at them, a part `gap` of all
static void in_flight(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    pl_env env;
    swing a, b;
    pl_env_init(&env);
    swing_begin(&a, &env, 5, 4, 0.5, 0.4);
    swing_begin(&b, &env, 5, 4, 0.5, 0.4);
    a.o.method = PL_COUPLED;
    b.o.method = PL_IMPLICIT_EULER;
    b.o.rtol = 1e-12;
    a.po.gap = k ? 1e-12 : 1e-6;
    swing_build(&a, 1.1);
    swing_build(&b, 1.1);
    for (int v = 0; v < a.nvert; v++) {
      const double *X = a.b.s->q + 3 * v;
      double *u = a.b.s->v + 3 * v;
      u[0] = 1 - 0.5 * (X[0] - 0.25) - 0.3 * X[1];
      u[1] = 0.3 * X[0] - 0.6 * X[1];
      u[2] = 2 + 0.2 * sin(9 * X[0]);
      memcpy(b.b.s->v + 3 * v, u, 3 * sizeof *u);
    }
    double *start = malloc(3 * (size_t)a.nvert * sizeof *start);
    memcpy(start, a.b.s->q, 3 * (size_t)a.nvert * sizeof *start);
    check_ok(&env, swing_run(&a, 0.05, NULL, NULL, NULL, NULL));
    check_ok(&env, swing_run(&b, 0.05, NULL, NULL, NULL, NULL));
    check_less(swing_stretch(&a, a.b.s->q), 1.05);
    double displaced = most_moved(&a, a.b.s->q, start);
    check_array(3 * a.nvert, a.b.s->q, b.b.s->q, (k ? 1e-11 : 1e-5) * displaced);
    check_array(3 * a.nvert, a.b.s->v, b.b.s->v, (k ? 1e-10 : 1e-4) * displaced / a.o.step);
    free(start);
    swing_close(&a);
    swing_close(&b);
  }
}

// without limits, contact and a sheet the method is implicit Euler, solved by Newton's method
static void without_limits(void **state) {
  (void)state;
  pl_env env;
  swing a, b;
  pl_env_init(&env);
  swing_begin(&a, &env, 4, 4, 0.3, 0.3);
  swing_begin(&b, &env, 4, 4, 0.3, 0.3);
  swing_hold(&a, 0, 0);
  swing_hold(&b, 0, 0);
  a.o.method = PL_COUPLED;
  b.o.method = PL_IMPLICIT_EULER;
  b.o.rtol = a.po.gap = 1e-9;
  swing_build(&a, 0);
  swing_build(&b, 0);
  check_ok(&env, swing_run(&a, 0.2, NULL, NULL, NULL, NULL));
  check_ok(&env, swing_run(&b, 0.2, NULL, NULL, NULL, NULL));
  check_array(3 * a.nvert, a.b.s->q, b.b.s->q, 1e-8);
  swing_close(&a);
  swing_close(&b);
}

// a strip that is thrown at 20 m/s against the pull of its held edge; momentum of a free one
static void stiff_pull(void **state) {
  (void)state;
  for (int free = 0; free < 2; free++) {
    pl_env env;
    swing w;
    pl_env_init(&env);
    swing_begin(&w, &env, 3, 8, 0.15, 0.4);
    if (!free) kit_fix(w.kit, "top");
    w.kit->d.gravity[2] = 0;
    w.o.method = PL_COUPLED;
    swing_build(&w, 1.01);
    for (int v = 0; v < w.nvert; v++) {
      double y = w.b.s->q[3 * v + 1];
      w.b.s->v[3 * v + 1] = 20 * (y - 0.4) / 0.4 + (free ? 3 : 0);
      w.b.s->v[3 * v + 2] = 0.5 * sin(20 * y) + 0.2 * (v % 4);
    }
    double mass, before[3], after[3], rot[3];
    pl_momentum(w.b.m, w.b.p, w.b.s, &mass, before, rot);
    for (int step = 0; step < 5; step++) {
      pl_transient_info info;
      check_ok(&env, swing_run(&w, 0.01, NULL, NULL, NULL, &info));
      double beyond = swing_stretch(&w, w.b.s->q) / 1.01 - 1;
      check_less(beyond, 1e-6);
      check_less(info.worst_violation, 1e-6);
      // there are no projections: all is the solve of the motion
      check_less(0, info.seconds_step);
      assert_true(info.seconds_project == 0);
      if (step == 0) assert_true(beyond > -1e-4);
      assert_int_equal(info.nunsolved, 0);
    }
    pl_momentum(w.b.m, w.b.p, w.b.s, &mass, after, rot);
    if (free) check_array(3, after, before, 1e-5 * 20 * mass);
    swing_close(&w);
  }
}

// velocities that tear a sheet apart, from rest
static void tear(swing *w) {
  for (int v = 0; v < w->nvert; v++) {
    const double *X = w->b.s->q + 3 * v;
    double *u = w->b.s->v + 3 * v;
    u[0] = 12 * (X[0] - 0.2) + 2 * sin(9 * X[1]);
    u[1] = 5 * (X[1] - 0.1) - 3 * X[0];
    u[2] = 3 * cos(11 * X[0] + 5 * X[1]);
  }
}

static void torn(swing *w, pl_env *env, int method, double young, int held, double gap) {
  const double par[4] = {young, 0.41, 200, 5e-4};
  swing_defaults(w, env);
  kit_grid(w->kit, 6, 6, 0.4, 0.4, PL_ALTERNATING, par);
  w->kit->group[0].lumped = 1;
  if (held) {
    swing_hold(w, 0, 0);
    swing_hold(w, 0, 0.4);
  }
  w->o.method = method;
  w->o.step = 0.02;
  w->po.gap = gap;
  swing_build(w, 1.02);
  tear(w);
}

// Without elasticity the problem of the step is the projection. Both are known to the square root
// of their gap.
static void no_elasticity(void **state) {
  (void)state;
  for (int held = 0; held < 2; held++) {
    pl_env env;
    swing a, b;
    pl_env_init(&env);
    torn(&a, &env, PL_COUPLED, 1e-9, held, 1e-11);
    torn(&b, &env, PL_PROJECT, 1e-9, held, 1e-11);
    double *start = malloc(3 * (size_t)a.nvert * sizeof *start);
    memcpy(start, a.b.s->q, 3 * (size_t)a.nvert * sizeof *start);
    check_ok(&env, swing_run(&a, 0.02, NULL, NULL, NULL, NULL));
    check_ok(&env, swing_run(&b, 0.02, NULL, NULL, NULL, NULL));
    double displaced = most_moved(&a, a.b.s->q, start);
    assert_true(displaced > 0.02);
    check_array(3 * a.nvert, a.b.s->q, b.b.s->q, 1e-5 * displaced);
    check_array(3 * a.nvert, a.b.s->v, b.b.s->v, 1e-5 * displaced / a.o.step);
    free(start);
    swing_close(&a);
    swing_close(&b);
  }
}

// The step ends at the least of its potential: not above the projected step, not above states
// within the limits nearby. States that are mixed with others within the limits are within them
// too.
static void least_potential(void **state) {
  (void)state;
  const double young[3] = {1800, 2e4, 2e5};
  for (int c = 0; c < 3; c++) {
    pl_env env;
    swing a, b;
    pl_env_init(&env);
    torn(&a, &env, PL_COUPLED, young[c], 1, 1e-9);
    torn(&b, &env, PL_PROJECT, young[c], 1, 1e-9);
    size_t n = 3 * (size_t)a.nvert;
    double *q0 = malloc(n * sizeof *q0), *v0 = malloc(n * sizeof *v0), *y = malloc(n * sizeof *y);
    memcpy(q0, a.b.s->q, n * sizeof *q0);
    memcpy(v0, a.b.s->v, n * sizeof *v0);
    check_ok(&env, swing_run(&a, 0.02, NULL, NULL, NULL, NULL));
    check_ok(&env, swing_run(&b, 0.02, NULL, NULL, NULL, NULL));
    check_less(swing_stretch(&a, a.b.s->q) / 1.02 - 1, 1e-6);
    double least = step_potential(&a, 0.02, q0, v0, a.b.s->q);
    double size = step_potential(&a, 0.02, q0, v0, q0) - least;
    assert_true(size > 0);
    check_less(least, step_potential(&a, 0.02, q0, v0, b.b.s->q) + 1e-9 * size);
    for (int k = 0; k < 40; k++) {
      // towards the projected state, and towards the sheet at rest turned about the held edge
      double rot = PL_PI * k / 20, part = pow(10, -(k % 5));
      for (int i = 0; i < a.nvert; i++) {
        const double *X = q0 + 3 * i;
        const double rest[3] = {X[0] * cos(rot), X[1], X[0] * sin(rot)};
        for (int d = 0; d < 3; d++) {
          double to = k % 2 ? rest[d] : b.b.s->q[3 * i + d];
          y[3 * i + d] = (1 - part) * a.b.s->q[3 * i + d] + part * to;
        }
      }
      check_less(least, step_potential(&a, 0.02, q0, v0, y) + 1e-9 * size);
    }
    free(q0);
    free(v0);
    free(y);
    swing_close(&a);
    swing_close(&b);
  }
}

// on a plane: the weight is carried, and friction holds or lets go as Coulomb says
static void on_slope(void **state) {
  (void)state;
  const double mu[3] = {0, 0.2, 0.7}, tilt = PL_PI / 6;
  for (int i = 0; i < 3; i++) {
    pl_env env;
    swing w;
    pl_env_init(&env);
    swing_begin(&w, &env, 3, 3, 0.3, 0.3);
    w.o.method = PL_COUPLED;
    w.kit->d.gravity[0] = g * sin(tilt);
    w.kit->d.gravity[2] = -g * cos(tilt);
    swing_build(&w, 1.01);
    const pl_obstacle slope = {.kind = &pl_obstacle_plane, .par = {0, 0, 1}, .mu = mu[i]};
    swing_obstacles(&w, 1, &slope);
    check_ok(&env, swing_run(&w, 0.2, NULL, NULL, NULL, NULL));
    double v = fmax(0, g * (sin(tilt) - mu[i] * cos(tilt)) * 0.2), force[3], m = swing_mass(&w);
    for (int n = 0; n < w.nvert; n++) {
      check_close(w.b.s->v[3 * n], v, 1e-4);
      check_close(w.b.s->q[3 * n + 2], 0, 1e-7);
    }
    pl_contact_force(w.k.contact, -1, force);
    check_rel(force[2], m * g * cos(tilt), 1e-4);
    check_close(force[0], -m * g * fmin(sin(tilt), mu[i] * cos(tilt)), 1e-4 * m * g);
    swing_close(&w);
  }
}

// ---- Newmark and BDF2 ---------------------------------------------------------------------------

typedef struct swings {
  double start, last, rise, loss; // J; energies, the most that a step added, largest loss
  double beyond;                  // of the limit
  double apart;                   // least distance of layers over their thickness
  pl_limit_step end;
  const swing *w;
} swings;

static int observe_swing(void *ctx, const pl_state *s, const pl_clock *c, const pl_limit_step *p) {
  swings *r = ctx;
  (void)c;
  double E = p->kinetic + p->elastic + p->outer;
  r->rise = fmax(r->rise, E - r->last);
  r->last = E;
  r->loss = fmax(r->loss, fabs(p->loss));
  r->beyond = fmax(r->beyond, swing_stretch(r->w, s->q) / 1.01 - 1);
  r->apart = fmin(r->apart, p->layer_gap);
  r->end = *p;
  return 0;
}

// A sheet falls from two held corners into its limits: with Newmark no step adds energy, the book
// tells all that is lost as the work of limits, and less is lost in shorter steps.
static void newmark_swings(void **state) {
  (void)state;
  double lost[2];
  for (int k = 0; k < 2; k++) {
    pl_env env;
    swing w;
    pl_env_init(&env);
    swing_begin(&w, &env, 6, 6, 0.5, 0.5);
    swing_hold(&w, 0, 0);
    swing_hold(&w, 0.5, 0);
    w.o.method = PL_NEWMARK;
    w.o.step = k ? 2.5e-3 : 1e-2;
    swing_build(&w, 1.01);
    swings r = {.w = &w, .beyond = -1};
    pl_transient_info info;
    check_ok(&env, swing_run(&w, 0.5, NULL, observe_swing, &r, &info));
    double E = swing_mass(&w) * g * 0.25;
    check_less(r.rise, 1e-5 * E);
    check_less(r.loss, 1e-3 * E);
    check_less(r.beyond, 1e-6);
    check_less(r.end.limiter, -0.01 * E);
    lost[k] = -r.end.limiter;
    swing_close(&w);
  }
  check_less(lost[1], 0.7 * lost[0]);
}

// A sheet flies at another one: they keep their distance and momentum, and impacts take energy.
static void layers_collide(void **state) {
  (void)state;
  const int methods[] = {PL_NEWMARK, PL_BDF2, PL_BDF2_PROJECT, PL_COUPLED};
  for (int k = 0; k < 4; k++) {
    pl_env env;
    swing w;
    pl_env_init(&env);
    swing_stack(&w, &env, 3, 0.15, 0.01);
    w.kit->d.gravity[2] = 0;
    w.o.method = methods[k];
    w.o.step = 2e-3;
    swing_build(&w, 1.01);
    pl_layers_desc d = swing_layers(&w, 4e-3, 0.3);
    check_ok(&env, pl_layers_create(&env, &d, &w.k.layers));
    for (int v = 16; v < 32; v++) w.b.s->v[3 * v + 2] = -1;
    double mass, before[3], after[3], rot[3];
    pl_momentum(w.b.m, w.b.p, w.b.s, &mass, before, rot);
    swings r = {.w = &w, .beyond = -1, .apart = INFINITY};
    r.last = r.start = 0.25 * mass;
    pl_transient_info info;
    check_ok(&env, swing_run(&w, 0.03, NULL, observe_swing, &r, &info));
    pl_momentum(w.b.m, w.b.p, w.b.s, &mass, after, rot);
    check_array(3, after, before, 1e-6 * mass);
    check_less(0.97, r.apart);
    check_less(r.apart, 1.01);
    check_less(r.end.contact, -0.3 * r.start);
    check_less(r.end.kinetic + r.end.elastic, 0.7 * r.start);
    check_less(r.rise, (methods[k] == PL_NEWMARK ? 1e-6 : 0.02) * r.start);
    check_less(r.beyond, 1e-6);
    swing_close(&w);
  }
}

// large enough for threads: every bit is the same for any number of them
static void same_bits(void **state) {
  (void)state;
  double *first = NULL;
  for (int nthread = 1; nthread <= 3; nthread++) {
    pl_env env;
    swing w;
    pl_env_init(&env);
    swing_begin(&w, &env, 24, 24, 0.5, 0.5);
    swing_hold(&w, 0, 0);
    swing_hold(&w, 0.5, 0);
    w.o.method = PL_COUPLED;
    swing_build(&w, 1.01);
    pl_sheet_free(w.k.sheet);
    pl_sheet_desc d = swing_sheet(&w);
    check_ok(&env, pl_sheet_create(&env, &d, nthread, &w.k.sheet));
    for (int v = 0; v < w.nvert; v++) w.b.s->v[3 * v + 1] = 4 * w.b.s->q[3 * v + 1];
    check_ok(&env, swing_run(&w, 0.04, NULL, NULL, NULL, NULL));
    size_t size = 3 * (size_t)w.nvert * sizeof *first;
    if (!first) first = memcpy(malloc(size), w.b.s->q, size);
    assert_memory_equal(first, w.b.s->q, size);
    swing_close(&w);
  }
  free(first);
}

static pl_status couple_fresh(const swing *w, swing_fresh *f) {
  memcpy(f->s->v, w->b.s->v, 3 * (size_t)w->nvert * sizeof *f->s->v);
  return pl_limit_transient(&w->o, &w->po, f->m, f->p, &f->k, f->s, NULL, f->w, NULL, NULL, NULL);
}

static pl_status couple_once(pl_env *env, void *ctx) {
  return swing_anew(env, ctx, NULL, couple_fresh);
}

static void failing_allocator(void **state) {
  (void)state;
  pl_env env;
  swing w;
  pl_env_init(&env);
  swing_begin(&w, &env, 3, 2, 0.3, 0.2);
  swing_hold(&w, 0, 0);
  w.o.method = PL_COUPLED;
  w.o.duration = w.o.step;
  swing_build(&w, 1.01);
  for (int v = 0; v < w.nvert; v++) w.b.s->v[3 * v] = 5 * w.b.s->q[3 * v];
  check_allocations(couple_once, &w);
  swing_close(&w);
}

int test_couple(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_flight),       cmocka_unit_test(without_limits),
      cmocka_unit_test(stiff_pull),      cmocka_unit_test(no_elasticity),
      cmocka_unit_test(least_potential), cmocka_unit_test(on_slope),
      cmocka_unit_test(newmark_swings),  cmocka_unit_test(layers_collide),
      cmocka_unit_test(same_bits),       cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("limit.couple", tests, NULL, NULL);
}
