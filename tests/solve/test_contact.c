// Time steps with contact: closed forms of blocks, masses and impacts.
#include "contact_bench.h"

static pl_env env;
static model_kit kit;

static const double SIDE[3] = {0.1, 0.08, 0.05};

// a block with its lower face in z = 0, gravity leaning by an angle towards x
static void block_make(const char *kind, const int n[3], const double side[3], double young,
                       double angle, double damping) {
  const double par[3] = {young, 0.3, 1000};
  kit_init(&kit, &env, 3);
  kit_box(&kit, kind, n, side, par);
  kit.d.gravity[0] = GRAVITY * sin(angle);
  kit.d.gravity[2] = -GRAVITY * cos(angle);
  kit.d.beta = damping;
}

static void block_open(bench *t, const char *kind, double angle, double mu, double damping) {
  const int n[3] = {3, 2, 1};
  block_make(kind, n, SIDE, 1e6, angle, damping);
  pl_obstacle o = plane_of(0, 0, 1, mu);
  bench_open(t, &kit, 1, &o, 0, NULL, NULL);
}

// one or more points of some mass in dim dimensions
static void points_make(int dim, int n, const double *X, double mass) {
  kit_init(&kit, &env, dim);
  kit.d.nnode = n;
  kit.X = kit_keep(&kit, n * dim, sizeof *kit.X);
  kit.d.X = kit.X;
  memcpy(kit.X, X, (size_t)(n * dim) * sizeof *X);
  int *node = kit_keep(&kit, n, sizeof *node);
  for (int i = 0; i < n; i++) node[i] = i;
  kit_group(&kit, "points", dim == 1 ? "mass1" : "point", n, node, 1, &mass);
}

// Rounding of places, 1e-17 m, divided by the step gives velocities of 1e-14 m/s.
static void check_law(const bench *t) {
  check_less(t->worst_momentum, 1e-12);
  check_less(t->worst_law, 1e-12);
  check_less(t->worst_cone, 1e-14);
  check_less(t->worst_gap, 1e-13);
  check_less(t->worst_energy, 1e-14);
}

// ---- blocks -------------------------------------------------------------------------------------

// Newmark's steps damp fast modes at once when beta is half of them, and hardly otherwise.

// mu > tan: it rests, friction is exactly what gravity asks for (8.5 of the notes)
static void incline_sticks(void **state) {
  (void)state;
  static const double angle[] = {30, 20}, mu[] = {0.6, 0.4};
  for (int method = 0; method < 2; method++)
    for (int i = 0; i < 2; i++) {
      double a = angle[i] * PL_PI / 180;
      bench t;
      block_open(&t, i ? "hex8" : "tet4", a, mu[i], method == PL_NEWMARK ? 5e-4 : 1e-4);
      bench_run(&t, method, 1e-3, 0.4);
      check_law(&t);
      check_less(pl_max_abs(t.b.s->nq, t.b.s->v), 1e-12);
      assert_int_equal(t.nstick, 12);
      // velocities of 1e-14 m/s in a step of 1 ms
      check_rel(-t.force[0] / t.force[2], tan(a), 1e-10);
      check_rel(t.force[2], t.mass * GRAVITY * cos(a), 1e-10);
      bench_close(&t);
    }
}

// mu < tan: acceleration g (sin - mu cos) to all digits once it has settled; the numbers are those
// of table 8.5
static void incline_slides(void **state) {
  (void)state;
  static const double angle[] = {30, 20}, mu[] = {0.3, 0.35}, want[] = {2.3562872, 0.1287830};
  for (int method = 0; method < 2; method++)
    for (int i = 0; i < 2; i++) {
      double a = angle[i] * PL_PI / 180;
      bench t;
      block_open(&t, i ? "tet4" : "hex8", a, mu[i], method == PL_NEWMARK ? 5e-4 : 1e-4);
      bench_run(&t, method, 1e-3, 0.2);
      double v = bench_mean(&t, t.b.s->v, 0);
      bench_run(&t, method, 1e-3, 0.05);
      check_law(&t);
      check_rel((bench_mean(&t, t.b.s->v, 0) - v) / 0.05, want[i], 1e-6);
      assert_int_equal(t.nslip, 12);
      check_rel(-t.force[0] / t.force[2], mu[i], 1e-12);
      check_rel(t.force[2], t.mass * GRAVITY * cos(a), 1e-8);
      bench_close(&t);
    }
}

// so many contacts that their compliance is known by products alone: the same law to as many digits
static void many_contacts(void **state) {
  (void)state;
  const int n[3] = {9, 9, 1};
  for (int slides = 0; slides < 2; slides++) {
    double a = 20 * PL_PI / 180, mu = slides ? 0.3 : 0.4;
    bench t;
    block_make("hex8", n, SIDE, 1e6, a, 5e-4);
    pl_obstacle o = plane_of(0, 0, 1, mu);
    bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
    t.k->formed = 150;
    bench_run(&t, PL_NEWMARK, 1e-3, 0.15);
    check_law(&t);
    assert_int_equal(t.nopen, 100); // the upper face
    assert_int_equal(slides ? t.nslip : t.nstick, 100);
    check_less(t.k->residual, 1e-12 * (1 + 1e-9));
    check_rel(t.force[2], t.mass * GRAVITY * cos(a), 1e-3);
    check_rel(-t.force[0] / t.force[2], slides ? mu : tan(a), slides ? 1e-12 : 1e-3);
    bench_close(&t);
  }
}

// the same block in the plane: half plane, one tangent
static void incline_in_the_plane(void **state) {
  (void)state;
  const double par[4] = {1e6, 0.3, 1000, 0.01}, angle = PL_PI / 6;
  for (int slides = 0; slides < 2; slides++) {
    double mu = slides ? 0.3 : 0.6;
    bench t;
    kit_init(&kit, &env, 2);
    kit_grid(&kit, 4, 2, SIDE[0], SIDE[2], PL_ALTERNATING, par);
    kit.d.gravity[1] = -GRAVITY;
    kit.d.beta = 1e-3;
    // the plane leans instead of gravity
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < kit.d.nnode; i++) {
      double x = kit.X[2 * i], y = kit.X[2 * i + 1];
      kit.X[2 * i] = c * x - s * y;
      kit.X[2 * i + 1] = s * x + c * y;
    }
    pl_obstacle o = plane_of(-s, c, 0, mu);
    bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
    bench_run(&t, PL_IMPLICIT_EULER, 1e-3, 0.2);
    double v = bench_mean(&t, t.b.s->v, 0);
    bench_run(&t, PL_IMPLICIT_EULER, 1e-3, 0.05);
    check_law(&t);
    double a = slides ? -GRAVITY * (s - mu * c) : 0;
    check_close((bench_mean(&t, t.b.s->v, 0) - v) / 0.05, a * c, 1e-9);
    assert_int_equal(slides ? t.nslip : t.nstick, 5);
    bench_close(&t);
  }
}

// A mass that slides on the level at (0.3, 0.4) m/s stops after v^2/(2 mu g), straight on, and does
// not turn back. Newmark is exact until the step in which it stops, Euler's steps end with their
// slower velocity: h v/2 short.
static void sliding_mass_stops(void **state) {
  (void)state;
  const double X[3] = {0, 0, 0}, mu = 0.2, speed = 0.5, h = 1e-3;
  for (int method = 0; method < 2; method++) {
    bench t;
    points_make(3, 1, X, 2);
    kit.d.gravity[2] = -GRAVITY;
    pl_obstacle o = plane_of(0, 0, 1, mu);
    bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
    t.b.s->v[0] = 0.3;
    t.b.s->v[1] = 0.4;
    double time = speed / (mu * GRAVITY);
    bench_run(&t, method, h, 0.6 * time);
    assert_int_equal(t.nslip, 1);
    check_rel(hypot(t.b.s->v[0], t.b.s->v[1]), 0.4 * speed, 1e-11);
    bench_run(&t, method, h, 0.6 * time);
    check_law(&t);
    assert_int_equal(t.nstick, 1);
    check_less(pl_max_abs(3, t.b.s->v), 1e-13);
    check_close(0.8 * t.b.s->q[0] - 0.6 * t.b.s->q[1], 0, 1e-13);
    double way = speed * speed / (2 * mu * GRAVITY),
           lost = method == PL_NEWMARK ? 0 : h * speed / 2;
    check_close(hypot(t.b.s->q[0], t.b.s->q[1]), way - lost, mu * GRAVITY * h * h);
    bench_close(&t);
  }
}

// The same with an elastic block: its centre slows down evenly but for the vibration that the jolt
// of friction excites.
static void sliding_block_stops(void **state) {
  (void)state;
  bench t;
  block_open(&t, "hex8", 0, 0.2, 1e-4);
  bench_run(&t, PL_IMPLICIT_EULER, 1e-3, 0.1);
  for (int i = 0; i < t.b.s->nq; i += 3) {
    t.b.s->v[i] += 0.3;
    t.b.s->v[i + 1] += 0.4;
  }
  double x = bench_mean(&t, t.b.s->q, 0), y = bench_mean(&t, t.b.s->q, 1);
  bench_run(&t, PL_IMPLICIT_EULER, 1e-3, 0.4);
  check_law(&t);
  check_less(pl_max_abs(t.b.s->nq, t.b.s->v), 1e-10);
  double dx = bench_mean(&t, t.b.s->q, 0) - x, dy = bench_mean(&t, t.b.s->q, 1) - y;
  double way = 0.25 / (2 * 0.2 * GRAVITY);
  check_rel(hypot(dx, dy), way, 0.01);
  check_close(0.8 * dx - 0.6 * dy, 0, 1e-3 * way);
  bench_close(&t);
}

// A block 40 mm wide and 80 mm high topples where tan = 1/2 when friction holds it, and slides
// where tan = mu otherwise. So stiff that its own bending, (rho g H / E) of the angle, is 1e-6.
static void toppling(void **state) {
  (void)state;
  const int n[3] = {1, 1, 2};
  const double side[3] = {0.04, 0.03, 0.08}, tangent[] = {0.49, 0.51, 0.39, 0.41};
  for (int i = 0; i < 4; i++) {
    double mu = i < 2 ? 0.8 : 0.4;
    bench t;
    block_make("hex8", n, side, 1e9, atan(tangent[i]), 1e-5);
    pl_obstacle o = plane_of(0, 0, 1, mu);
    bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
    bench_run(&t, PL_IMPLICIT_EULER, 2e-3, 0.4);
    check_law(&t);
    double *q = t.b.s->q, *v = t.b.s->v;
    int top = kit_node_at(&kit, 0, 0, 0.08);
    double lean = q[3 * top] - q[0];
    if (i % 2 == 0) check_less(pl_max_abs(t.b.s->nq, v), 1e-9);
    if (i == 1) assert_true(lean > 2e-3 && t.nstick > 0 && t.nstick < 4);
    if (i == 3) {
      assert_true(t.nslip > 0 && v[0] > 0.01);
      check_less(fabs(lean), 1e-4);
    }
    bench_close(&t);
  }
}

// ---- flight and impact --------------------------------------------------------------------------

// Above the ground a body does not know of it: the parabola to rounding (8.1)
static void flight(void **state) {
  (void)state;
  bench t;
  block_open(&t, "tet4", 0, 0.5, 0);
  const double v[3] = {1, -2, 3};
  double *start = malloc((size_t)t.b.s->nq * sizeof *start);
  for (int i = 0; i < t.b.s->nq; i++) {
    t.b.s->v[i] = v[i % 3];
    start[i] = t.b.s->q[i];
  }
  bench_run(&t, PL_NEWMARK, 0.01, 0.5);
  for (int i = 0; i < t.b.s->nq; i++)
    start[i] += 0.5 * v[i % 3] + (i % 3 == 2 ? -0.5 * GRAVITY * 0.25 : 0);
  check_array(t.b.s->nq, t.b.s->q, start, 1e-12);
  assert_int_equal(t.k->solves, 0);
  free(start);
  bench_close(&t);
}

// A mass that meets the wall s h V from it at the start of a step: Newmark's v+ = V (1 - 2 s)
// exactly when nothing is done about it, 0 with the law for impacts; Euler's v+ = -s V and nothing
// after (8.4)
static void mass_meets_wall(void **state) {
  (void)state;
  const double h = 1e-2, V = 2;
  for (int i = 0; i <= 10; i++) {
    double s = 0.1 * i;
    const double X[2] = {0.3, s * h * V}, want[3] = {0, -s * V, V * (1 - 2 * s)};
    for (int way = 0; way < 3; way++) {
      bench t;
      points_make(2, 1, X, 3);
      pl_obstacle o = plane_of(0, 1, 0, 0.3);
      bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
      t.b.s->v[1] = -V;
      t.impact = way == 2 ? PL_IMPACT_NONE : PL_IMPACT_BBI;
      int method = way == 1 ? PL_IMPLICIT_EULER : PL_NEWMARK;
      bench_run(&t, method, h, h);
      check_close(t.b.s->q[1], 0, 1e-15);
      // without an impulse, at s = 1, there is no impact yet
      check_close(t.b.s->v[1], way == 0 && i == 10 ? -V : want[way], 1e-12);
      check_close(t.force[1], 3 * (t.b.s->v[1] + V) / h, 1e-9);
      if (way < 2) {
        bench_run(&t, method, h, 3 * h);
        check_less(pl_max_abs(2, t.b.s->v), 1e-13);
      }
      bench_close(&t);
    }
  }
}

// one dimension: an oscillator pushed against a wall stays there while the push lasts
static void wall_in_one_dimension(void **state) {
  (void)state;
  const double X[1] = {0};
  const int ground[2] = {-1, 0}, node[1] = {0};
  bench t;
  points_make(1, 1, X, 1);
  kit_group(&kit, "spring", "spring1", 1, ground, 1, (double[]){100, 0, 0, 1});
  kit_push(&kit, 1, node, (double[]){50});
  pl_obstacle o = {.kind = &pl_obstacle_plane, .centre = {0.2}, .par = {-1}};
  bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
  bench_run(&t, PL_IMPLICIT_EULER, 1e-2, 2);
  check_close(t.b.s->q[0], 0.2, 1e-13);
  // 50 N push, 20 N of the spring
  check_close(t.force[0], -30, 1e-9);
  bench_close(&t);
}

// A soft body thrown and spinning against a rough corner: momentum, the law and energy in every
// step, whatever happens
static void tumbling(void **state) {
  (void)state;
  for (int way = 0; way < 3; way++) {
    int method = way == 1 ? PL_IMPLICIT_EULER : PL_NEWMARK;
    const int n[3] = {2, 2, 2};
    const double side[3] = {0.1, 0.08, 0.06};
    bench t;
    block_make("tet4", n, side, 2e5, 0, 1e-4);
    pl_obstacle o[2] = {plane_of(0, 0, 1, 0.4), plane_of(-1, 0, 0, 0.7)};
    o[0].centre[2] = -0.02;
    o[1].centre[0] = 0.15;
    bench_open(&t, &kit, 2, o, 0, NULL, NULL);
    t.impact = way == 2 ? PL_IMPACT_NONE : PL_IMPACT_BBI;
    const double w[3] = {3, 8, -4};
    for (int i = 0; i < t.b.s->nq; i += 3) {
      pl_cross3(w, t.b.s->q + i, t.b.s->v + i);
      t.b.s->v[i] += 1.5;
    }
    bench_run(&t, method, 1e-3, 0.25);
    check_less(t.worst_momentum, 1e-12);
    check_less(t.worst_law, 1e-11);
    check_less(t.worst_cone, 1e-13);
    check_less(t.worst_gap, 1e-13);
    // St. Venant-Kirchhoff is not linear: Newmark keeps its energy to the third order of the step
    check_less(t.worst_energy, method == PL_NEWMARK ? 1e-6 : 1e-14);
    assert_true(t.k->most > 4 && t.k->solves > 100);
    bench_close(&t);
  }
}

// Steps so long that sound crosses 200 elements in one: compliances differ by 1e5 and more, a body
// falls at 0.5 m/s and slides at 0.3. It hits the plane as a whole, stays, and slides on.
static void stiff_block(void **state) {
  (void)state;
  const int n[3] = {3, 3, 3};
  const double side[3] = {0.1, 0.1, 0.1}, h = 1e-3, mu = 0.3;
  for (int i = 0; i < 4; i++) {
    double far = i < 2 ? 20 : 200;
    bench t;
    block_make("hex8", n, side, 1000 * pow(far * 0.1 / 3 / h, 2), 0, h / 2);
    pl_obstacle o = plane_of(0, 0, 1, mu);
    bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
    for (int k = 0; k < t.b.s->nq; k += 3) {
      t.b.s->v[k] = 0.3;
      t.b.s->v[k + 2] = -0.5;
    }
    pl_transient_info info = bench_run(&t, i % 2, h, 0.03);
    assert_int_equal(info.rejected, 0);
    // stiff forces round off by 1e-12 and more of what they are
    check_less(t.worst_momentum, 1e-11);
    check_less(t.worst_law, 1e-12);
    check_less(t.worst_gap, 1e-13);
    check_less(t.worst_energy, 1e-12);
    // friction is mu of what has stopped the fall, but for nodes that slip across in the blow
    double left = bench_mean(&t, t.b.s->v, 2);
    check_less(fabs(left), 0.01);
    check_close(bench_mean(&t, t.b.s->v, 0), 0.3 - mu * (0.5 + GRAVITY * 0.03 + left), 5e-4);
    bench_close(&t);
  }
}

// ---- obstacles ----------------------------------------------------------------------------------

// balls dropped on each shape stay outside and come to rest on box and floor
static void balls_stay_outside(void **state) {
  (void)state;
  pl_obstacle o[4] = {
      plane_of(0, 0, 1, 0.3),
      {.kind = &pl_obstacle_sphere, .centre = {0, 0, 0.5}, .radius = 0.3, .mu = 0.2},
      {.kind = &pl_obstacle_box, .centre = {1, 0, 0.3}, .par = {0.2, 0.3, 0.3}, .mu = 0.3},
      {.kind = &pl_obstacle_capsule,
       .centre = {2, 0, 0.4},
       .par = {0.1, 0.4, 0},
       .radius = 0.2,
       .mu = 0.1}};
  enum { N = 24 };
  double X[3 * N], radius[N];
  pl_rng r;
  pl_rng_seed(&r, 31);
  for (int i = 0; i < N; i++) {
    X[3 * i] = i % 3 + pl_rng_uniform(&r, -0.3, 0.3);
    X[3 * i + 1] = pl_rng_uniform(&r, -0.3, 0.3);
    X[3 * i + 2] = 1;
    radius[i] = pl_rng_uniform(&r, 0, 0.1);
  }
  for (int method = 0; method < 2; method++) {
    bench t;
    points_make(3, N, X, 1);
    kit.d.gravity[2] = -GRAVITY;
    bench_open(&t, &kit, 4, o, 0, NULL, radius);
    bench_run(&t, method, 2e-3, 1.5);
    check_less(t.worst_gap, 2e-13);
    check_less(t.worst_momentum, 1e-12);
    check_less(t.worst_cone, 1e-12);
    check_less(t.worst_energy, 1e-12);
    assert_true(t.k->most > 3);
    for (int i = 0; i < N; i++)
      for (int k = 0; k < 4; k++) {
        pl_gap g;
        pl_obstacle_gap(&o[k], 3, 0, t.b.s->q + 3 * i, radius[i], &g);
        assert_true(g.gap > -2e-13);
      }
    bench_close(&t);
  }
}

// A ball without friction slides off a sphere where cos = 2/3 of the way down (energy: m v^2/r =
// m g cos), Newmark's path there is right to O(h)
static void ball_leaves_sphere(void **state) {
  (void)state;
  const double R = 1, start = 0.2, X[2] = {sin(start), cos(start)};
  pl_obstacle o = {.kind = &pl_obstacle_sphere, .radius = R};
  bench t;
  points_make(2, 1, X, 1);
  kit.d.gravity[1] = -GRAVITY;
  bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
  double last = 0;
  for (int step = 0; step < 2000; step++) {
    bench_run(&t, PL_IMPLICIT_EULER, 5e-4, 5e-4);
    if (t.nopen == 0) last = t.b.s->q[1];
    if (t.nopen > 0 && step > 10) break;
  }
  // from rest at cos 0.2: leaves at 2/3 of that height
  check_close(last, 2.0 / 3 * cos(start), 2e-3);
  check_less(t.worst_gap, 1e-13);
  bench_close(&t);
}

// a belt drags a mass by mu g until both are of one speed; a floor that rises carries it along
static void moving_planes(void **state) {
  (void)state;
  const double X[3] = {0, 0, 0}, mu = 0.3, belt = 0.5, h = 1e-3;
  bench t;
  points_make(3, 1, X, 1);
  kit.d.gravity[2] = -GRAVITY;
  pl_obstacle o = plane_of(0, 0, 1, mu);
  o.velocity[0] = belt;
  o.velocity[2] = 0.2;
  bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
  bench_run(&t, PL_IMPLICIT_EULER, h, h);
  double first = t.b.s->v[0];
  bench_run(&t, PL_IMPLICIT_EULER, h, 0.1);
  assert_int_equal(t.nslip, 1);
  check_rel(t.b.s->v[0] - first, mu * GRAVITY * 0.1, 1e-10);
  bench_run(&t, PL_IMPLICIT_EULER, h, 0.1);
  assert_int_equal(t.nstick, 1);
  check_close(t.b.s->v[0], belt, 1e-13);
  check_close(t.b.s->v[2], 0.2, 1e-12);
  check_close(t.b.s->q[2], 0.2 * t.b.s->t, 1e-14);
  bench_close(&t);
}

// ---- energy -------------------------------------------------------------------------------------

// A mass that a belt of speed v takes along gets m v^2/2, as much goes into heat and the belt gives
// m v^2, whatever the step; a sliding one loses m v^2/2.
static void heat_of_friction(void **state) {
  (void)state;
  const double X[3] = {0, 0, 0}, mass = 2, speed = 0.5;
  for (int method = 0; method < 2; method++)
    for (int belt = 0; belt < 2; belt++) {
      bench t;
      points_make(3, 1, X, mass);
      kit.d.gravity[2] = -GRAVITY;
      pl_obstacle o = plane_of(0, 0, 1, 0.3);
      o.velocity[0] = belt * speed;
      bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
      t.b.s->v[0] = belt ? 0 : speed;
      pl_transient_info info = bench_run(&t, method, 7e-3, 0.4);
      check_close(t.b.s->v[0], belt * speed, 1e-13);
      check_rel(info.contact_lost, 0.5 * mass * speed * speed, 1e-12);
      check_close(info.obstacle_work, belt * mass * speed * speed, 1e-12);
      check_less(t.worst_book, 1e-12);
      check_less(info.energy_worst, 1e-12);
      bench_close(&t);
    }
}

// a soft block thrown to the floor, which it leaves again ringing: what it has, and what friction
// and impacts took, stay together what it had, in every step
static void thrown_block(void **state) {
  (void)state;
  const int method[4] = {PL_NEWMARK, PL_NEWMARK, PL_IMPLICIT_EULER, PL_BDF2};
  for (int way = 0; way < 4; way++) {
    bench t;
    block_open(&t, "hex8", 0, 0.4, 0);
    t.impact = way == 1 ? PL_IMPACT_NONE : PL_IMPACT_BBI;
    for (int i = 0; i < t.b.s->nq; i += 3) {
      t.b.s->q[i + 2] += 2e-3;
      t.b.s->v[i] = 0.3;
      t.b.s->v[i + 2] = -0.5;
    }
    pl_transient_info info = bench_run(&t, method[way], 2e-4, 0.05);
    double mass = 1000 * SIDE[0] * SIDE[1] * SIDE[2], moving = 0.5 * mass * (0.09 + 0.25);
    check_less(0.05 * moving, info.contact_lost);
    check_less(t.worst_book, 1e-10 * moving);
    check_less(info.energy_worst, 1e-2 * moving);
    assert_true(info.obstacle_work == 0 && (info.rule_lost > 0) == (way >= 2));
    bench_close(&t);
  }
}

// Forces stand on the surface where steps end: on a round one they push along the way of long
// steps. What they give so is told.
static void steps_around_a_ball(void **state) {
  (void)state;
  const double X[3] = {0, 0, 1}, step[2] = {0.01, 0.1};
  for (int i = 0; i < 2; i++) {
    bench t;
    points_make(3, 1, X, 2);
    kit.d.gravity[2] = -GRAVITY;
    pl_obstacle o = {.kind = &pl_obstacle_sphere, .radius = 1};
    bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
    t.b.s->v[0] = 0.3;
    pl_transient_info info = bench_run(&t, PL_NEWMARK, step[i], 0.9);
    check_less(t.worst_book, 1e-12);
    check_less(0, info.energy_made);
    assert_int_equal(info.energy_worst > PL_ENERGY_WARN * info.energy_scale, i);
    assert_int_equal(info.energy_time >= 0, i);
    bench_close(&t);
  }
}

// ---- BDF2 ---------------------------------------------------------------------------------------

// A block on an incline rests, or slides with g (sin - mu cos); a mass that slides on the level
// stops after v^2/(2 mu g) but for the second order of the step.
static void two_steps_slide(void **state) {
  (void)state;
  static const double mu[] = {0.6, 0.3};
  const double a = PL_PI / 6, down[] = {0, GRAVITY * (sin(a) - 0.3 * cos(a))};
  for (int i = 0; i < 2; i++) {
    bench t;
    block_open(&t, i ? "hex8" : "tet4", a, mu[i], 5e-4);
    bench_run(&t, PL_BDF2, 1e-3, 0.2);
    double v = bench_mean(&t, t.b.s->v, 0);
    bench_run(&t, PL_BDF2, 1e-3, 0.05);
    check_close((bench_mean(&t, t.b.s->v, 0) - v) / 0.05, down[i], 1e-6);
    assert_int_equal(i ? t.nslip : t.nstick, 12);
    check_rel(-t.force[0] / t.force[2], i ? mu[i] : tan(a), 1e-6);
    check_rel(t.force[2], t.mass * GRAVITY * cos(a), 1e-6);
    check_less(t.worst_cone, 1e-14);
    check_less(t.worst_law, 1e-12);
    check_less(t.worst_gap, 1e-13);
    bench_close(&t);
  }
  const double X[3] = {0, 0, 0}, speed = 0.5, h = 1e-3;
  bench t;
  points_make(3, 1, X, 2);
  kit.d.gravity[2] = -GRAVITY;
  pl_obstacle o = plane_of(0, 0, 1, 0.2);
  bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
  t.b.s->v[0] = speed;
  pl_transient_info info = bench_run(&t, PL_BDF2, h, 0.4);
  assert_int_equal(t.nstick, 1);
  check_less(pl_max_abs(3, t.b.s->v), 1e-13);
  check_close(t.b.s->q[0], speed * speed / (2 * 0.2 * GRAVITY), 2 * GRAVITY * h * h);
  // its first step is one of implicit Euler
  check_rel(info.contact_lost, 0.5 * 2 * speed * speed, 0.01);
  check_less(t.worst_book, 1e-12);
  bench_close(&t);
}

// A mass that meets a wall stays there, wherever in a step it does: the formula over the states
// before the impact does not throw it back.
static void two_steps_meet_wall(void **state) {
  (void)state;
  const double h = 1e-2, V = 2;
  for (int i = 0; i < 10; i++) {
    const double X[2] = {0.3, (3 + 0.1 * i) * h * V};
    bench t;
    points_make(2, 1, X, 3);
    pl_obstacle o = plane_of(0, 1, 0, 0.3);
    bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
    t.b.s->v[1] = -V;
    pl_transient_info info = bench_run(&t, PL_BDF2, h, 8 * h);
    check_close(t.b.s->q[1], 0, 1e-15);
    check_close(t.b.s->v[1], 0, 1e-12);
    check_less(t.worst_book, 1e-12);
    check_close(info.energy_made, 0, 1e-12);
    check_close(info.contact_lost + info.rule_lost, 0.5 * 3 * V * V, 1e-12);
    bench_close(&t);
  }
}

// ---- the analysis itself ------------------------------------------------------------------------

// stopped half-way and resumed: the same bits
static void resume_with(int method) {
  double end[2][3 * 48];
  for (int split = 0; split < 2; split++) {
    bench t;
    block_open(&t, "hex8", 0.4, 0.3, 1e-3);
    pl_transient_opts o;
    pl_opts_default(pl_transient_option_table, pl_transient_option_count, &o);
    o.method = method;
    o.step = 1e-3;
    pl_history history = {0};
    for (int part = split ? 0 : 1; part < 2; part++) {
      o.duration = part ? 0.04 : 0.02;
      check_ok(&env, pl_transient_contact(&o, t.b.m, t.b.p, t.k, t.b.s, &history, t.b.w, NULL, NULL,
                                          NULL));
    }
    assert_int_equal(t.b.s->nq, 72);
    memcpy(end[split], t.b.s->q, 72 * sizeof(double));
    memcpy(end[split] + 72, t.b.s->v, 72 * sizeof(double));
    pl_history_free(&env, &history);
    bench_close(&t);
  }
  assert_memory_equal(end[0], end[1], sizeof end[0]);
}

static void resume(void **state) {
  (void)state;
  resume_with(PL_NEWMARK);
  resume_with(PL_BDF2);
}

typedef struct asks {
  int count, stop; // stop: the ask that is answered by a stop, 0: none
} asks;

static int ask(void *ctx, const pl_progress *p) {
  asks *a = ctx;
  (void)p;
  return ++a->count == a->stop;
}

// one step of a block with 169 contacts
static pl_status stopped_step(asks *a) {
  const int n[3] = {12, 12, 5};
  bench t;
  block_make("hex8", n, (const double[]){0.3, 0.3, 0.1}, 1e6, 0.3, 1e-3);
  pl_obstacle o = plane_of(0, 0, 1, 0.4);
  bench_open(&t, &kit, 1, &o, 0, NULL, NULL);
  pl_transient_opts opts;
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &opts);
  opts.step = opts.duration = 5e-3;
  env.progress = ask;
  env.progress_ctx = a;
  pl_status s =
      pl_transient_contact(&opts, t.b.m, t.b.p, t.k, t.b.s, NULL, t.b.w, NULL, NULL, NULL);
  env.progress = NULL;
  bench_close(&t);
  return s;
}

// the host is asked in factorisations, before solves and in searches, and a stop ends all of it
static void stops_anywhere(void **state) {
  (void)state;
  asks whole = {0};
  check_ok(&env, stopped_step(&whole));
  assert_true(whole.count > 10);
  // long solves of the law also ask by the clock: runs may differ in a few
  for (int k = 0; k < 12; k++) {
    asks a = {.stop = 1 + k * (whole.count / 2) / 11};
    check_status(&env, stopped_step(&a), PL_CANCELLED);
  }
}

static void refused(void **state) {
  (void)state;
  bench t;
  block_open(&t, "hex8", 0, 0.3, 0);
  pl_transient_opts o;
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &o);
  o.step = o.duration = 1e-3;
  o.method = PL_PROJECT;
  check_status(&env,
               pl_transient_contact(&o, t.b.m, t.b.p, t.k, t.b.s, NULL, t.b.w, NULL, NULL, NULL),
               PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "limits of stretch"));
  // walls that close in on a mass: no step is short enough
  bench_close(&t);
  const double X[2] = {0, 0};
  points_make(2, 1, X, 1);
  pl_obstacle walls[2] = {plane_of(1, 0, 0, 0.1), plane_of(-1, 0, 0, 0.1)};
  walls[0].velocity[0] = 1;
  walls[1].velocity[0] = -1;
  bench_open(&t, &kit, 2, walls, 0, NULL, NULL);
  t.k->friction.max_sweeps = 100;
  o.method = PL_IMPLICIT_EULER;
  pl_transient_info info;
  check_status(&env,
               pl_transient_contact(&o, t.b.m, t.b.p, t.k, t.b.s, NULL, t.b.w, NULL, NULL, &info),
               PL_UNSOLVED);
  assert_int_equal(info.reason, PL_STOP_STEP);
  bench_close(&t);
}

static pl_status short_run(pl_env *e, void *ctx) {
  const double X[2][3] = {{0, 0.1}, {0.5, 0.1}};
  const pl_obstacle o = plane_of(0, 1, 0, 0.3);
  pl_builder *d;
  pl_built b;
  int *node;
  (void)ctx;
  pl_transient_opts opt;
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &opt);
  opt.step = 0.02;
  opt.duration = 0.2;
  PL_TRY(pl_builder_create(e, 2, &d));
  for (int i = 0; i < 2; i++) pl_build_node(d, X[i], NULL);
  if (pl_build_group(d, "points", pl_elem_find("point"), 2, 1, 0, &node) >= 0) node[1] = 1;
  pl_build_par(d, 0, 0, "mass", &(pl_value){.v = 1});
  pl_build_obstacle(d, NULL, &o);
  pl_build_contact(d, 2, (int[]){0, 1}, 0, -1, NULL);
  d->gravity[1] = -GRAVITY;
  pl_status s = pl_build_all(d, 1, &b);
  if (s == PL_OK)
    s = pl_transient_contact(&opt, b.model, b.params, b.constraints.contact, b.state, NULL, b.work,
                             NULL, NULL, NULL);
  pl_built_free(&b);
  return s;
}

static void allocations(void **state) {
  (void)state;
  check_allocations(short_run, NULL);
}

int test_contact(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(incline_sticks),
      cmocka_unit_test(incline_slides),
      cmocka_unit_test(incline_in_the_plane),
      cmocka_unit_test(many_contacts),
      cmocka_unit_test(sliding_mass_stops),
      cmocka_unit_test(sliding_block_stops),
      cmocka_unit_test(toppling),
      cmocka_unit_test(flight),
      cmocka_unit_test(mass_meets_wall),
      cmocka_unit_test(wall_in_one_dimension),
      cmocka_unit_test(tumbling),
      cmocka_unit_test(stiff_block),
      cmocka_unit_test(balls_stay_outside),
      cmocka_unit_test(ball_leaves_sphere),
      cmocka_unit_test(moving_planes),
      cmocka_unit_test(heat_of_friction),
      cmocka_unit_test(thrown_block),
      cmocka_unit_test(steps_around_a_ball),
      cmocka_unit_test(two_steps_slide),
      cmocka_unit_test(two_steps_meet_wall),
      cmocka_unit_test(resume),
      cmocka_unit_test(stops_anywhere),
      cmocka_unit_test(refused),
      cmocka_unit_test(allocations),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("solve.contact", tests, NULL, NULL);
}
