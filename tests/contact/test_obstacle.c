// Gaps against brute force: the closest of many points of the surface.
#include "problems.h"

enum { POINTS = 40000 };

// a random point of the surface of an obstacle, without its velocity
static void surface_point(pl_rng *r, const pl_obstacle *o, int dim, double *x) {
  double n[3] = {0}, s = pl_rng_uniform(r, -1, 1);
  for (int i = 0; i < dim; i++) n[i] = pl_rng_normal(r);
  double size = pl_norm3(n), e[3] = {0}, R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (pl_norm(4, o->turn) > 0) pl_quat_to_mat(o->turn, R);
  if (o->kind == PL_BOX) {
    int face = (int)pl_rng_uniform(r, 0, dim);
    double local[3] = {0};
    for (int i = 0; i < dim; i++) local[i] = o->half[i] * pl_rng_uniform(r, -1, 1);
    local[face] = copysign(o->half[face], local[face]);
    for (int i = 0; i < 3; i++) e[i] = pl_dot3(R + 3 * i, local);
  }
  if (o->kind == PL_CAPSULE) {
    // a cap, or the mantle
    double across = pl_dot(dim, n, o->axis), aa = pl_dot(dim, o->axis, o->axis);
    if (fabs(s) > 0.5) s = copysign(1, across);
    for (int i = 0; i < dim && fabs(s) < 1; i++) n[i] -= across / aa * o->axis[i];
    if (fabs(s) < 1) s *= 2;
    size = pl_norm3(n);
  }
  for (int i = 0; i < dim; i++) {
    if (o->kind == PL_SPHERE) e[i] = o->radius * n[i] / size;
    if (o->kind == PL_CAPSULE) e[i] = s * o->axis[i] + o->radius * n[i] / size;
    x[i] = o->centre[i] + e[i];
  }
}

// The nearest of POINTS random points is farther than the gap by at most its distance to the
// closest point of the surface, about 1e-3 on lines and 0.03 on surfaces.
static void against_sampling(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 41);
  pl_obstacle shape[3] = {
      {.kind = PL_SPHERE, .centre = {0.1, -0.2, 0.3}, .radius = 0.5},
      {.kind = PL_BOX, .centre = {0.2, 0.1, -0.1}, .half = {0.5, 0.3, 0.4}},
      {.kind = PL_CAPSULE, .centre = {-0.1, 0, 0.2}, .axis = {0.3, 0.2, -0.1}, .radius = 0.3}};
  for (int dim = 2; dim <= 3; dim++)
    for (int k = 0; k < 3; k++) {
      pl_obstacle *o = &shape[k];
      if (dim == 3) pl_quat_from_axis((double[]){1, 2, 3}, 0.7, o->turn);
      if (dim == 2) pl_quat_from_axis((double[]){0, 0, 1}, 0.7, o->turn);
      double(*p)[3] = calloc(POINTS, sizeof *p);
      for (int i = 0; i < POINTS; i++) surface_point(&r, o, dim, p[i]);
      for (int trial = 0; trial < 60; trial++) {
        double x[3] = {0}, near = INFINITY;
        pl_gap g;
        for (int i = 0; i < dim; i++) x[i] = pl_rng_uniform(&r, -1.2, 1.2);
        pl_obstacle_gap(o, dim, 0, x, 0, &g);
        for (int i = 0; i < POINTS; i++) {
          double d[3];
          pl_sub3(x, p[i], d);
          near = fmin(near, pl_norm3(d));
        }
        assert_true(fabs(g.gap) <= near + 1e-12);
        check_less(near - fabs(g.gap), dim == 2 ? 2e-3 : 0.05);
      }
      free(p);
    }
}

// Moving by the gap against the normal lands on the surface; the normal is the gradient; the frame
// is orthonormal; radius and velocity act as they should.
static void frames(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 42);
  pl_obstacle shape[4] = {
      {.kind = PL_PLANE, .centre = {0.1, 0.2, 0.3}, .axis = {1, -2, 0.5}},
      {.kind = PL_SPHERE, .centre = {0.1, -0.2, 0.3}, .radius = 0.5},
      {.kind = PL_BOX, .centre = {0.2, 0.1, -0.1}, .half = {0.5, 0.3, 0.4}, .radius = 0.05},
      {.kind = PL_CAPSULE, .centre = {-0.1, 0, 0.2}, .axis = {0.3, 0.2, -0.1}, .radius = 0.3}};
  for (int trial = 0; trial < 2000; trial++) {
    int dim = 1 + trial % 3, t = trial / 3 % 3;
    pl_obstacle *o = &shape[dim == 1 ? 0 : trial / 3 % 4];
    double x[3] = {0}, y[3] = {0};
    for (int i = 0; i < dim; i++) {
      x[i] = pl_rng_uniform(&r, -1.2, 1.2);
      o->velocity[i] = pl_rng_uniform(&r, -1, 1);
    }
    pl_gap g, h;
    pl_obstacle_gap(o, dim, 0.1 * t, x, 0.02, &g);
    for (int i = 0; i < dim; i++)
      for (int j = 0; j < dim; j++) check_close(pl_dot(dim, g.frame[i], g.frame[j]), i == j, 1e-14);
    for (int i = 0; i < dim; i++) y[i] = x[i] - g.gap * g.frame[0][i];
    pl_obstacle_gap(o, dim, 0.1 * t, y, 0.02, &h);
    // from inside the nearest way out may end on an edge of the box, where both are right
    check_close(h.gap, 0, 1e-13);
    // central differences, away from ridges
    for (int i = 0; i < dim && g.gap > 1e-3; i++) {
      double up[3], down[3];
      pl_gap a, b;
      memcpy(up, x, sizeof up);
      memcpy(down, x, sizeof down);
      up[i] += 1e-6;
      down[i] -= 1e-6;
      pl_obstacle_gap(o, dim, 0.1 * t, up, 0.02, &a);
      pl_obstacle_gap(o, dim, 0.1 * t, down, 0.02, &b);
      check_close((a.gap - b.gap) / 2e-6, g.frame[0][i], 1e-5);
    }
    // a ball of 0.05 is nearer by 0.03, and the obstacle may move instead of the point
    pl_obstacle_gap(o, dim, 0.1 * t, x, 0.05, &h);
    check_close(h.gap, g.gap - 0.03, 1e-15);
    for (int i = 0; i < dim; i++) y[i] = x[i] + 0.2 * o->velocity[i];
    pl_obstacle_gap(o, dim, 0.1 * t + 0.2, y, 0.02, &h);
    check_close(h.gap, g.gap, 1e-14);
  }
}

// centres, segments, faces and corners have a normal too
static void special_places(void **state) {
  (void)state;
  pl_obstacle sphere = {.kind = PL_SPHERE, .radius = 2};
  pl_obstacle capsule = {.kind = PL_CAPSULE, .axis = {0, 0, 3}, .radius = 1};
  pl_obstacle box = {.kind = PL_BOX, .half = {1, 2, 3}};
  const double at[3] = {0, 0, 0}, corner[3] = {1, 2, 3}, face[3] = {1, 0.5, 0.5};
  pl_gap g;
  pl_obstacle_gap(&sphere, 3, 0, at, 0, &g);
  check_close(g.gap, -2, 0);
  check_close(pl_norm3(g.frame[0]), 1, 1e-15);
  pl_obstacle_gap(&capsule, 3, 0, at, 0, &g);
  check_close(g.gap, -1, 0);
  check_close(g.frame[0][2], 0, 1e-15);
  check_close(pl_norm3(g.frame[0]), 1, 1e-15);
  pl_obstacle_gap(&box, 3, 0, corner, 0, &g);
  check_close(g.gap, 0, 0);
  check_close(pl_norm3(g.frame[0]), 1, 1e-15);
  pl_obstacle_gap(&box, 3, 0, face, 0, &g);
  check_array(3, g.frame[0], ((double[]){1, 0, 0}), 0);
  pl_obstacle_gap(&box, 3, 0, (double[]){2, 3, 3}, 0, &g);
  check_close(g.gap, sqrt(2), 1e-15);
  pl_obstacle_gap(&box, 3, 0, (double[]){-0.5, 0, 0}, 0, &g);
  check_close(g.gap, -0.5, 0);
  check_array(3, g.frame[0], ((double[]){-1, 0, 0}), 0);
}

// ---- pairs --------------------------------------------------------------------------------------

static void pairs(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const double X[6] = {0, 1, 3, 2, 5, 3}, mass = 1, radius[2] = {0.1, 0.2};
  const double mu[4] = {0.1, 0.2, 0.3, 0.4};
  const int node[3] = {0, 1, 2}, touch[2] = {2, 0};
  pl_group_desc group = {.name = "points",
                         .kind = pl_elem_find("point"),
                         .nelem = 3,
                         .stencil = node,
                         .shared = 1,
                         .par = &mass};
  pl_model_desc d = {.dim = 2, .nnode = 3, .X = X, .ngroup = 1, .group = &group};
  pl_model *m;
  check_ok(&env, pl_model_create(&env, &d, &m));
  pl_obstacle o[2] = {{.kind = PL_PLANE, .axis = {0, 2, 0}, .mu = 0.7},
                      {.kind = PL_SPHERE, .centre = {5, 0, 0}, .radius = 1, .mu = 0.8}};
  pl_contact_desc c = {
      .nobstacle = 2, .obstacle = o, .nnode = 2, .node = touch, .radius = radius, .mu = mu};
  pl_contact *k;
  check_ok(&env, pl_contact_create(m, &c, &k));
  assert_int_equal(k->npair, 4);
  pl_contact_place(k, 0, X);
  const double gap[4] = {3 - 0.1, 3 - 1 - 0.1, 1 - 0.2, sqrt(26) - 1 - 0.2};
  for (int i = 0; i < 4; i++) {
    check_close(k->pair[i].mu, mu[i], 0);
    check_close(k->pair[i].place.gap, gap[i], 1e-15);
    assert_int_equal(k->pair[i].node, touch[i / 2]);
  }
  k->pair[0].force[0] = 2;
  k->pair[2].force[1] = 3;
  double f[3];
  pl_contact_force(k, -1, f);
  check_array(3, f, ((double[]){-3, 2, 0}), 1e-15);
  pl_contact_force(k, 1, f);
  check_array(3, f, ((double[]){0, 0, 0}), 0);
  pl_contact_reset(k);
  pl_contact_force(k, -1, f);
  check_array(3, f, ((double[]){0, 0, 0}), 0);
  pl_contact_free(k);

  // without lists of their own, pairs take what the obstacle says
  c.mu = c.radius = NULL;
  check_ok(&env, pl_contact_create(m, &c, &k));
  check_close(k->pair[3].mu, 0.8, 0);
  check_close(k->pair[3].radius, 0, 0);
  pl_contact_free(k);

  // what is wrong is named
  const int beyond[2] = {0, 3};
  c.node = beyond;
  check_status(&env, pl_contact_create(m, &c, &k), PL_E_ARG);
  assert_non_null(strstr(env.error.text, "node 3"));
  c.node = touch;
  o[1].radius = 0;
  check_status(&env, pl_contact_create(m, &c, &k), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "obstacle 1 (sphere)"));
  o[1].radius = 1;
  o[0].axis[1] = 0;
  check_status(&env, pl_contact_create(m, &c, &k), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "normal"));
  o[0] = (pl_obstacle){.kind = PL_BOX, .half = {1, 0, 1}};
  check_status(&env, pl_contact_create(m, &c, &k), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "half side 1"));
  o[0] = (pl_obstacle){.kind = PL_PLANE, .axis = {0, 1, 0}, .mu = -1};
  check_status(&env, pl_contact_create(m, &c, &k), PL_E_INPUT);
  o[0] = (pl_obstacle){.kind = PL_PLANE, .axis = {0, 1, 0}, .centre = {NAN, 0, 0}};
  check_status(&env, pl_contact_create(m, &c, &k), PL_E_INPUT);
  pl_model_free(m);
}

int test_obstacle(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_sampling),
      cmocka_unit_test(frames),
      cmocka_unit_test(special_places),
      cmocka_unit_test(pairs),
  };
  return cmocka_run_group_tests_name("contact.obstacle", tests, NULL, NULL);
}
