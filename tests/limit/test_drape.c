// Equilibrium within limits. Strips of one row of squares with masses at their vertices are chains
// of links: a link at stretch a carries T(a) = E t w a (a^2 - 1)/2 (St. Venant and Kirchhoff,
// Poisson's ratio 0), and any T above T(b) once it is at its limit b. Chains have closed forms.
#include "swing.h"

static const double g = 9.81;
static const double SIDE = 0.05, THICK = 5e-4, MASS = 2e-3; // m, m, kg a vertex

enum { LINKS = 12 };

// a strip along x of LINKS squares; young Pa
static void strip(swing *w, pl_env *env, double young, int up) {
  const double par[4] = {young, 0, 0, THICK};
  swing_defaults(w, env);
  w->kit->d.gravity[2] = 0;
  w->kit->d.gravity[up] = -g;
  kit_grid(w->kit, LINKS, 1, LINKS * SIDE, SIDE, PL_RIGHT, par);
  w->kit->d.ngroup = 1; // membrane alone: links turn freely
  w->kit->group[0].lumped = 1;
  int *all = kit_keep(w->kit, 2 * (LINKS + 1), sizeof *all);
  for (int i = 0; i < 2 * (LINKS + 1); i++) all[i] = i;
  kit_group(w->kit, "masses", "point", 2 * (LINKS + 1), all, 1, &MASS);
}

static pl_drape_opts drape_defaults(double tolerance) {
  pl_drape_opts o;
  pl_opts_default(pl_drape_option_table, pl_drape_option_count, &o);
  o.tolerance = tolerance;
  return o;
}

static pl_status drape(swing *w, double tolerance, pl_transient_info *info) {
  pl_drape_opts o = drape_defaults(tolerance);
  w->po.gap = 1e-9;
  return pl_drape(&o, &w->po, w->b.m, w->b.p, &w->k, w->b.s, NULL, w->b.w, NULL, NULL, info);
}

// ---- closed forms -------------------------------------------------------------------------------

// stretch of a link that carries T (N)
static double stretch_under(double young, double limit, double T) {
  double lo = 1, hi = limit, stiff = young * THICK * SIDE;
  if (T >= stiff * hi * (hi * hi - 1) / 2) return limit;
  for (int k = 0; k < 100; k++) {
    double a = (lo + hi) / 2;
    if (stiff * a * (a * a - 1) / 2 < T)
      lo = a;
    else
      hi = a;
  }
  return (lo + hi) / 2;
}

// Joints of a chain between two points at the same height, symmetric: the pull along it is H
// everywhere, the pull across it grows by the weight of every joint. Returns how far it reaches.
static double hang(double young, double limit, double H, double x[LINKS + 1][2]) {
  x[0][0] = x[0][1] = 0;
  for (int i = 0; i < LINKS; i++) {
    double V = (i - (LINKS - 1) / 2.0) * 2 * MASS * g, T = hypot(H, V);
    double len = SIDE * stretch_under(young, limit, T);
    x[i + 1][0] = x[i][0] + len * H / T;
    x[i + 1][1] = x[i][1] + len * V / T;
  }
  return x[LINKS][0];
}

static void catenary(double young, double limit, double span, double x[LINKS + 1][2]) {
  double lo = 1e-9, hi = 1e3;
  for (int k = 0; k < 200; k++) {
    double H = sqrt(lo * hi);
    if (hang(young, limit, H, x) < span)
      lo = H;
    else
      hi = H;
  }
  hang(young, limit, lo, x);
  check_close(x[LINKS][0], span, 1e-12);
}

// ---- strips -------------------------------------------------------------------------------------

// Held at x = 0 and pulled along x by its own weight, T = weight below. Stiff: elastic throughout;
// soft: at its limit throughout; between: the upper part at its limit, the lower below it.
static void hanging_strip(void **state) {
  (void)state;
  const double limit = 1.05, weight = 2 * MASS * g, soft = weight / (THICK * SIDE);
  const double young[3] = {1e3 * soft, 100 * soft, 0.1 * soft};
  const int links[3] = {0, 7, LINKS};
  for (int k = 0; k < 3; k++) {
    pl_env env;
    swing w;
    pl_env_init(&env);
    strip(&w, &env, young[k], 0);
    w.kit->d.gravity[0] = g;
    kit_fix(w.kit, "left");
    swing_build(&w, limit);
    pl_transient_info info;
    check_ok(&env, drape(&w, 1e-9, &info));
    assert_int_equal(info.reason, PL_STOP_CONVERGED);
    int at_limit = 0;
    double place = 0;
    for (int i = 0; i <= LINKS; i++) {
      for (int side = 0; side < 2; side++) {
        const double *q = w.b.s->q + 3 * kit_node_at(w.kit, i * SIDE, side * SIDE, 0);
        const double want[3] = {place, side * SIDE, 0};
        check_array(3, q, want, 1e-7 * LINKS * SIDE);
      }
      double a = stretch_under(young[k], limit, (LINKS - i) * weight);
      place += SIDE * a;
      at_limit += i < LINKS && a == limit;
    }
    assert_int_equal(at_limit, links[k]);
    check_less(info.worst_violation, 1e-6);
    swing_close(&w);
  }
}

// Held at both ends, nearer to each other than it is long. From two straight halves.
static void hanging_chain(void **state) {
  (void)state;
  const double limit = 1.02, soft = 2 * MASS * g / (THICK * SIDE), span = 0.75 * LINKS * SIDE;
  const double young[3] = {0.01 * soft, 60 * soft, 3e3 * soft};
  for (int k = 0; k < 3; k++) {
    pl_env env;
    swing w;
    pl_env_init(&env);
    strip(&w, &env, young[k], 2);
    const double nearer[3] = {span - LINKS * SIDE, 0, 0};
    kit_fix(w.kit, "left");
    const pl_set *end = pl_mesh_find_set(w.kit->mesh, "right");
    kit_shift(w.kit, end->n, end->index, 7, nearer);
    swing_build(&w, limit);
    double angle = acos(0.75);
    for (int v = 0; v < w.nvert; v++) {
      double *q = w.b.s->q + 3 * v, s = q[0];
      q[0] *= cos(angle);
      q[2] = -fmin(s, LINKS * SIDE - s) * sin(angle);
    }
    pl_transient_info info;
    check_ok(&env, drape(&w, 1e-9, &info));
    double x[LINKS + 1][2];
    catenary(young[k], limit, span, x);
    for (int i = 0; i <= LINKS; i++)
      for (int side = 0; side < 2; side++) {
        const double *q = w.b.s->q + 3 * kit_node_at(w.kit, i * SIDE, side * SIDE, 0);
        const double want[3] = {x[i][0], side * SIDE, x[i][1]};
        check_array(3, q, want, 1e-6 * LINKS * SIDE);
      }
    check_less(info.worst_violation, 1e-6);
    swing_close(&w);
  }
}

// ---- sheets -------------------------------------------------------------------------------------

// a square held at two corners is its own mirror image; its weight is in the corners
static void mirror(void **state) {
  (void)state;
  enum { CELLS = 8 };
  pl_env env;
  swing w;
  pl_env_init(&env);
  swing_begin(&w, &env, CELLS, CELLS, 0.4, 0.4);
  swing_hold(&w, 0, 0.4);
  swing_hold(&w, 0.4, 0.4);
  swing_build(&w, 1.01);
  pl_transient_info info;
  check_ok(&env, drape(&w, 1e-6, &info));
  assert_int_equal(info.reason, PL_STOP_CONVERGED);
  check_less(info.residual, 1e-6);
  check_less(swing_stretch(&w, w.b.s->q), 1.01 * (1 + 1e-6));
  double lowest = 0;
  for (int i = 0; i <= CELLS; i++)
    for (int j = 0; j <= CELLS; j++) {
      const double *q = w.b.s->q + 3 * kit_node_at(w.kit, 0.05 * i, 0.05 * j, 0),
                   *p = w.b.s->q + 3 * kit_node_at(w.kit, 0.4 - 0.05 * i, 0.05 * j, 0);
      const double want[3] = {0.4 - q[0], q[1], q[2]};
      check_array(3, p, want, 1e-5);
      lowest = fmin(lowest, q[2]);
    }
  // it hangs by more than its height, and by less than its diagonal at the limit
  assert_true(lowest < -0.4 && lowest > -0.4 * 1.01 * sqrt(2));
  swing_close(&w);
}

static void check_reaction(swing *w, double tol) {
  double force[3], m = swing_mass(w);
  pl_contact_force(w->k.contact, -1, force);
  const double want[3] = {0, 0, m * g};
  check_array(3, force, want, tol * m * g);
}

// from above onto a floor: flat, and carried; friction holds what the way down has left of strain
static void floor_under(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    pl_env env;
    swing w;
    pl_env_init(&env);
    swing_begin(&w, &env, 5, 5, 0.3, 0.3);
    swing_build(&w, 1.01);
    const pl_obstacle floor = {
        .kind = &pl_obstacle_plane, .centre = {0, 0, -0.03}, .par = {0, 0, 1}, .mu = k ? 0.3 : 0};
    swing_obstacles(&w, 1, &floor);
    pl_transient_info info;
    check_ok(&env, drape(&w, 1e-6, &info));
    for (int v = 0; v < w.nvert; v++) {
      const double *X = w.kit->mesh->X + 3 * v, *q = w.b.s->q + 3 * v;
      const double want[3] = {X[0], X[1], -0.03};
      // out of balance by 1e-6 m g over a stiffness of E t: 1e-7 m a square
      check_array(2, q, want, k ? 1e-5 : 5e-7);
      check_close(q[2], -0.03, 1e-7);
      check_less(-0.03 - q[2], 1e-8);
    }
    check_reaction(&w, 1e-5);
    swing_close(&w);
  }
}

// over a ball with friction: nothing inside of it, limits kept, the weight carried
static void ball_under(void **state) {
  (void)state;
  pl_env env;
  swing w;
  pl_env_init(&env);
  swing_begin(&w, &env, 10, 10, 0.4, 0.4);
  swing_build(&w, 1.01);
  const pl_obstacle ball = {
      .kind = &pl_obstacle_sphere, .centre = {0.2, 0.2, -0.11}, .radius = 0.1, .mu = 0.5};
  swing_obstacles(&w, 1, &ball);
  pl_transient_info info;
  check_ok(&env, drape(&w, 1e-4, &info));
  int touching = 0;
  for (int v = 0; v < w.nvert; v++) {
    double from[3];
    pl_sub3(w.b.s->q + 3 * v, ball.centre, from);
    check_less(0.1 - pl_norm3(from), 1e-8);
    touching += pl_norm3(from) < 0.1 + 1e-4;
  }
  assert_true(touching > 5);
  check_less(swing_stretch(&w, w.b.s->q), 1.01 * (1 + 1e-6));
  check_reaction(&w, 2e-4);
  swing_close(&w);
}

// ---- energy -------------------------------------------------------------------------------------

// A hanging strip that begins stretched by half, far beyond its limit: back within it all energies
// are higher, and it ends where it does from rest.
static void beyond_the_limits(void **state) {
  (void)state;
  const double limit = 1.05, young = 0.1 * 2 * MASS * g / (THICK * SIDE);
  pl_env env;
  swing w;
  pl_env_init(&env);
  strip(&w, &env, young, 0);
  w.kit->d.gravity[0] = g;
  kit_fix(w.kit, "left");
  swing_build(&w, limit);
  for (int v = 0; v < w.nvert; v++) w.b.s->q[3 * v] *= 1.5;
  pl_transient_info info;
  check_ok(&env, drape(&w, 1e-9, &info));
  assert_int_equal(info.reason, PL_STOP_CONVERGED);
  check_rel(info.beyond, 1.5 / limit - 1, 1e-9);
  check_less(info.energy_made, 1e-6 * fabs(info.energy));
  check_less(swing_stretch(&w, w.b.s->q), limit * (1 + 1e-6));
  const double *end = w.b.s->q + 3 * kit_node_at(w.kit, LINKS * SIDE, 0, 0);
  check_rel(end[0], limit * LINKS * SIDE, 1e-6);
  swing_close(&w);
}

// A sheet that begins 1 cm below a floor can be lifted only: no step of the descent lowers the
// energy, and it ends with that as the reason.
static void energy_must_fall(void **state) {
  (void)state;
  pl_env env;
  swing w;
  pl_env_init(&env);
  swing_begin(&w, &env, 3, 3, 0.3, 0.3);
  swing_build(&w, 1.01);
  const pl_obstacle floor = {.kind = &pl_obstacle_plane, .centre = {0, 0, 0.01}, .par = {0, 0, 1}};
  swing_obstacles(&w, 1, &floor);
  pl_drape_opts o = drape_defaults(1e-6);
  pl_transient_info info;
  check_status(&env, pl_drape(&o, &w.po, w.b.m, w.b.p, &w.k, w.b.s, NULL, w.b.w, NULL, NULL, &info),
               PL_UNSOLVED);
  assert_int_equal(info.reason, PL_STOP_ENERGY);
  assert_int_equal(info.nstep, 0);
  assert_true(info.refused > 1);
  check_less(swing_mass(&w) * g * 0.0099, info.rise);
  swing_close(&w);
}

// ---- ends ---------------------------------------------------------------------------------------

static int stop_second(void *ctx, const pl_state *s, const pl_clock *c, const pl_limit_step *p) {
  int *n = ctx;
  (void)s, (void)c;
  assert_true(p->niter > 0);
  return ++*n == 2;
}

static void ends(void **state) {
  (void)state;
  pl_env env;
  swing w;
  pl_env_init(&env);
  swing_begin(&w, &env, 4, 4, 0.2, 0.2);
  swing_hold(&w, 0, 0);
  swing_build(&w, 1.01);
  pl_drape_opts o = drape_defaults(1e-12);
  pl_transient_info info;
  int n = 0;
  check_status(&env,
               pl_drape(&o, &w.po, w.b.m, w.b.p, &w.k, w.b.s, NULL, w.b.w, stop_second, &n, &info),
               PL_CANCELLED);
  assert_int_equal(info.reason, PL_STOP_CANCELLED);
  assert_int_equal(info.nstep, 2);
  o.max_steps = 3;
  check_status(&env, pl_drape(&o, &w.po, w.b.m, w.b.p, &w.k, w.b.s, NULL, w.b.w, NULL, NULL, &info),
               PL_UNSOLVED);
  assert_int_equal(info.reason, PL_STOP_MAX_ITER);
  assert_int_equal(info.nstep, 3);
  check_less(swing_stretch(&w, w.b.s->q), 1.01 * (1 + 1e-6));
  o.max_steps = 0;
  check_status(&env, pl_drape(&o, &w.po, w.b.m, w.b.p, &w.k, w.b.s, NULL, w.b.w, NULL, NULL, &info),
               PL_E_INPUT);
  swing_close(&w);
}

static pl_status drape_fresh(const swing *w, swing_fresh *f) {
  pl_drape_opts o = drape_defaults(1e-3);
  return pl_drape(&o, &w->po, f->m, f->p, &f->k, f->s, NULL, f->w, NULL, NULL, NULL);
}

static pl_status drape_once(pl_env *env, void *ctx) {
  const pl_obstacle floor = {
      .kind = &pl_obstacle_plane, .centre = {0, 0, -0.002}, .par = {0, 0, 1}};
  return swing_anew(env, ctx, &floor, drape_fresh);
}

static void failing_allocator(void **state) {
  (void)state;
  pl_env env;
  swing w;
  pl_env_init(&env);
  swing_begin(&w, &env, 2, 2, 0.1, 0.1);
  swing_hold(&w, 0, 0);
  swing_build(&w, 1.01);
  check_allocations(drape_once, &w);
  swing_close(&w);
}

int test_drape(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hanging_strip),
      cmocka_unit_test(hanging_chain),
      cmocka_unit_test(mirror),
      cmocka_unit_test(floor_under),
      cmocka_unit_test(ball_under),
      cmocka_unit_test(beyond_the_limits),
      cmocka_unit_test(energy_must_fall),
      cmocka_unit_test(ends),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("limit.drape", tests, NULL, NULL);
}
