// Every kind of obstacle: distances against differences and against the surface they lead to.
#include "problems.h"

// an obstacle of a kind, turned and moving in the dimensions there are
static void make(pl_env *env, const pl_obstacle_kind *kind, unsigned seed, int dim,
                 pl_obstacle *o) {
  *o = (pl_obstacle){.kind = kind};
  check_ok(env, kind->sample(env, seed, dim, o));
  const double axis[3] = {dim == 3 ? 0.3 : 0, dim == 3 ? -0.5 : 0, 1};
  if (dim > 1 && seed % 3) pl_quat_from_axis(axis, 0.1 * seed, o->rotation);
  for (int c = 0; c < dim; c++) {
    o->centre[c] = 0.1 * c - 0.02 * (seed % 7);
    o->velocity[c] = 0.3 - 0.2 * c;
  }
  check_ok(env, pl_obstacle_check(env, o, dim, "sample"));
}

static void drop(pl_obstacle *o) {
  if (o->data && o->kind->free) o->kind->free((void *)(uintptr_t)o->data);
}

// The normal is the gradient, but for few places beside ridges of the distance, and has length 1.
static void gradients(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const double h = 1e-6;
  for (int k = 0; k < PL_OBSTACLE_COUNT; k++) {
    const pl_obstacle_kind *kind = pl_obstacle_table[k];
    for (int dim = kind->dim; dim <= 3; dim++) {
      int good = 0, all = 0;
      for (unsigned seed = 1; seed <= 20; seed++) {
        pl_rng r;
        pl_obstacle o;
        make(&env, kind, seed, dim, &o);
        pl_rng_seed(&r, seed);
        for (int trial = 0; trial < 30; trial++) {
          double x[3] = {0}, worst = 0;
          pl_gap g, up, down;
          for (int c = 0; c < dim; c++) x[c] = pl_rng_uniform(&r, -1.2, 1.2);
          pl_obstacle_gap(&o, dim, 0.2, x, 0.03, &g);
          check_close(pl_norm(dim, g.frame[0]), 1, 1e-13);
          for (int c = 0; c < dim; c++) {
            double y[3] = {x[0], x[1], x[2]};
            y[c] = x[c] + h;
            pl_obstacle_gap(&o, dim, 0.2, y, 0.03, &up);
            y[c] = x[c] - h;
            pl_obstacle_gap(&o, dim, 0.2, y, 0.03, &down);
            // nowhere does a distance change faster than places
            check_less(fabs(up.gap - down.gap), 2 * h * (1 + 1e-8));
            worst = fmax(worst, fabs((up.gap - down.gap) / (2 * h) - g.frame[0][c]));
          }
          good += worst < 1e-5;
          all++;
        }
        drop(&o);
      }
      if (good < 0.99 * all) print_message("%s in %d dimensions\n", kind->name, dim);
      assert_true(good >= 0.99 * all);
    }
  }
}

// The way back along the normal, by the gap, ends on the surface; the distance changes along it as
// it should. A shape stays where its axes are: it is turned and moved with them.
static void surfaces(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  for (int k = 0; k < PL_OBSTACLE_COUNT; k++) {
    const pl_obstacle_kind *kind = pl_obstacle_table[k];
    for (int dim = kind->dim; dim <= 3; dim++)
      for (unsigned seed = 1; seed <= 20; seed++) {
        pl_rng r;
        pl_obstacle o, still;
        make(&env, kind, seed, dim, &o);
        still = o;
        memset(still.rotation, 0, sizeof still.rotation);
        memset(still.centre, 0, sizeof still.centre);
        pl_rng_seed(&r, seed);
        for (int trial = 0; trial < 30; trial++) {
          double x[3] = {0}, y[3] = {0}, own[3] = {0}, R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
          pl_gap g, back, half;
          for (int c = 0; c < dim; c++) x[c] = pl_rng_uniform(&r, -1.2, 1.2);
          pl_obstacle_gap(&o, dim, 0.2, x, 0, &g);
          for (int c = 0; c < dim; c++) y[c] = x[c] - g.gap * g.frame[0][c];
          pl_obstacle_gap(&o, dim, 0.2, y, 0, &back);
          check_close(back.gap, 0, 1e-12);
          for (int c = 0; c < dim; c++) y[c] = x[c] - 0.5 * g.gap * g.frame[0][c];
          pl_obstacle_gap(&o, dim, 0.2, y, 0, &half);
          check_close(half.gap, 0.5 * g.gap, 1e-12);
          if (pl_norm(4, o.rotation) > 0) pl_quat_to_mat(o.rotation, R);
          for (int c = 0; c < dim; c++)
            for (int i = 0; i < dim; i++)
              own[c] += R[3 * i + c] * (x[i] - o.centre[i] - 0.2 * o.velocity[i]);
          pl_obstacle_gap(&still, dim, 0, own, 0, &back);
          check_close(back.gap, g.gap, 1e-13);
        }
        drop(&o);
      }
  }
}

// What is inside lies within the bounds.
static void bounds(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  for (int k = 0; k < PL_OBSTACLE_COUNT; k++) {
    const pl_obstacle_kind *kind = pl_obstacle_table[k];
    if (!kind->bounds) continue;
    for (unsigned seed = 1; seed <= 20; seed++) {
      pl_rng r;
      pl_obstacle o = {.kind = kind};
      double lo[3], hi[3], n[3];
      int inside = 0;
      check_ok(&env, kind->sample(&env, seed, 3, &o));
      kind->bounds(&o, lo, hi);
      pl_rng_seed(&r, seed);
      for (int trial = 0; trial < 1000; trial++) {
        double x[3];
        for (int c = 0; c < 3; c++) x[c] = pl_rng_uniform(&r, -1.5, 1.5);
        if (kind->distance(&o, 3, x, n) > o.radius) continue;
        for (int c = 0; c < 3; c++) assert_true(x[c] >= lo[c] && x[c] <= hi[c]);
        inside++;
      }
      assert_true(inside > 0);
      drop(&o);
    }
  }
}

typedef struct sheet {
  const pl_obstacle *o;
  int dim, n, on;
} sheet;

static void look_at(void *ctx, const double *a, const double *b) {
  sheet *s = ctx;
  const double *end[2] = {a, b};
  for (int k = 0; k < 2; k++) {
    pl_gap g;
    pl_obstacle_gap(s->o, s->dim, 0.2, end[k], 0, &g);
    s->on += fabs(g.gap) < 1e-12;
    s->n++;
  }
}

// Lines are there, and most of their ends are on the surface (hatches are below it, sharp corners
// of what is rounded outside of it).
static void lines(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const double model[6] = {-1, -1, -1, 1, 1, 1};
  for (int k = 0; k < PL_OBSTACLE_COUNT; k++) {
    const pl_obstacle_kind *kind = pl_obstacle_table[k];
    for (int dim = kind->dim > 2 ? 3 : 2; dim <= 3; dim++) {
      // seed 3: nothing is rounded that need not be
      pl_obstacle o;
      make(&env, kind, 3, dim, &o);
      sheet s = {.o = &o, .dim = dim};
      pl_obstacle_draw(&o, dim, 0.2, 2, model, look_at, &s);
      assert_true(s.n > 0 && 4 * s.on >= 3 * s.n);
      drop(&o);
    }
  }
}

static pl_status make_one(pl_env *env, void *ctx) {
  pl_obstacle o = {0};
  o.kind = ctx;
  pl_status s = o.kind->sample(env, 1, 3, &o);
  if (s == PL_OK) drop(&o);
  return s;
}

// Keys have what the manual says of them; memory that ends on the way is told.
static void tables(void **state) {
  (void)state;
  for (int k = 0; k < PL_OBSTACLE_COUNT; k++) {
    const pl_obstacle_kind *kind = pl_obstacle_table[k];
    int npar = 0;
    assert_true(kind->text && kind->brief && kind->nkey <= PL_KEY_MAX);
    for (int i = 0; i < kind->nkey; i++) {
      assert_non_null(kind->key[i].text);
      npar += kind->key[i].type == PL_KEY_VECTOR ? 3 : kind->key[i].type < PL_KEY_CENTRE;
    }
    assert_true(kind->make || npar <= PL_SHAPE_PAR_MAX);
    if (kind->free) check_allocations(make_one, (void *)(uintptr_t)kind);
  }
}

// ---- a kind from outside ------------------------------------------------------------------------

// a ring about z: par is its radius, the obstacle's own that of its wire
static double ring_distance(const pl_obstacle *o, int dim, const double *x, double *n) {
  (void)dim;
  double rho = hypot(x[0], x[1]), over = rho - o->par[0], size = hypot(over, x[2]);
  n[0] = size > 0 && rho > 0 ? over / size * x[0] / rho : 0;
  n[1] = size > 0 && rho > 0 ? over / size * x[1] / rho : 0;
  n[2] = size > 0 ? x[2] / size : 1;
  return size;
}

static void own_kind(void **state) {
  (void)state;
  static const pl_key keys[] = {
      {.name = "ring", .lo = 0, .hi = 1e9, .lo_open = 1, .unit = "m", .text = "its radius"}};
  pl_obstacle_kind ring = {
      .name = "ring", .dim = 3, .nkey = 1, .key = keys, .distance = ring_distance};
  pl_obstacle o = {.kind = &ring, .par = {2}, .radius = 0.5};
  pl_env env;
  pl_env_init(&env);
  pl_gap g;
  pl_obstacle_gap(&o, 3, 0, (double[]){0, 0, 0}, 0, &g);
  check_close(g.gap, 1.5, 1e-15);
  pl_quat_from_axis((double[]){0, 1, 0}, PL_PI / 2, o.rotation);
  pl_obstacle_gap(&o, 3, 0, (double[]){0, 0, 3}, 0.1, &g);
  check_close(g.gap, 0.4, 1e-15);
  check_array(3, g.frame[0], ((double[]){0, 0, 1}), 1e-15);
  check_close(pl_obstacle_size(&o, 3), 0.5, 0);

  // what is wrong is named, also of the kind itself
  check_ok(&env, pl_obstacle_check(&env, &o, 3, "ring"));
  check_status(&env, pl_obstacle_check(&env, &o, 2, "ring"), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "ring (ring): it needs a model in 3 dimensions"));
  o.par[0] = 0;
  check_status(&env, pl_obstacle_check(&env, &o, 3, "obstacle 7"), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "obstacle 7 (ring): ring must be > 0, got 0 m"));
  o.par[0] = 2;
  o.radius = -1;
  check_status(&env, pl_obstacle_check(&env, &o, 3, "ring"), PL_E_INPUT);
  o.radius = 0;
  ring.nkey = PL_KEY_MAX + 1;
  check_status(&env, pl_obstacle_check(&env, &o, 3, "ring"), PL_E_ARG);
  ring.nkey = 1;
  ring.distance = NULL;
  check_status(&env, pl_obstacle_check(&env, &o, 3, "circle"), PL_E_ARG);
  o.kind = NULL;
  check_status(&env, pl_obstacle_check(&env, &o, 3, "circle"), PL_E_ARG);
}

// A kind that tells its distance alone, with complex numbers: a circle of radius 1 about z.
static pl_complex circle_distance(const pl_obstacle *o, int dim, const pl_complex *x) {
  pl_complex over = csqrt(x[0] * x[0] + x[1] * x[1]) - 1;
  (void)o, (void)dim;
  return csqrt(over * over + x[2] * x[2]);
}

static void complex_distance(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  static const pl_obstacle_kind circle = {
      .name = "circle", .dim = 3, .distance_z = circle_distance};
  const pl_obstacle o = {.kind = &circle, .radius = 0.1};
  pl_gap g;
  check_ok(&env, pl_obstacle_check(&env, &o, 3, "circle"));
  pl_obstacle_gap(&o, 3, 0, (double[]){3, 4, 3}, 0, &g);
  check_close(g.gap, 4.9, 1e-14);
  check_array(3, g.frame[0], ((double[]){0.48, 0.64, 0.6}), 1e-14);
  // on the circle itself and on the axis there is none: some direction of length 1
  for (int k = 0; k < 2; k++) {
    pl_obstacle_gap(&o, 3, 0, (double[]){k, 0, 0}, 0, &g);
    check_close(pl_norm(3, g.frame[0]), 1, 1e-14);
  }
  check_close(g.gap, -0.1, 1e-15);
}

int test_kinds(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gradients),       cmocka_unit_test(surfaces),
                                     cmocka_unit_test(bounds),          cmocka_unit_test(lines),
                                     cmocka_unit_test(tables),          cmocka_unit_test(own_kind),
                                     cmocka_unit_test(complex_distance)};
  return cmocka_run_group_tests_name("contact.kinds", tests, NULL, NULL);
}
