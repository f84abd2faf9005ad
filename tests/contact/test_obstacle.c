// Gaps against brute force: the closest of many points of the surface.
#include "pliant/mesh.h"
#include "problems.h"

enum { POINTS = 40000 };

// a random point of the surface of an obstacle, without its velocity
static void surface_point(pl_rng *r, const pl_obstacle *o, int dim, double *x) {
  double n[3] = {0}, s = pl_rng_uniform(r, -1, 1);
  for (int i = 0; i < dim; i++) n[i] = pl_rng_normal(r);
  double size = pl_norm3(n), e[3] = {0}, R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (pl_norm(4, o->rotation) > 0) pl_quat_to_mat(o->rotation, R);
  if (o->kind == &pl_obstacle_box) {
    int face = (int)pl_rng_uniform(r, 0, dim);
    for (int i = 0; i < dim; i++) e[i] = o->par[i] * pl_rng_uniform(r, -1, 1);
    e[face] = copysign(o->par[face], e[face]);
  }
  if (o->kind == &pl_obstacle_capsule) {
    // a cap, or the mantle
    double across = pl_dot(dim, n, o->par), aa = pl_dot(dim, o->par, o->par);
    if (fabs(s) > 0.5) s = copysign(1, across);
    for (int i = 0; i < dim && fabs(s) < 1; i++) n[i] -= across / aa * o->par[i];
    if (fabs(s) < 1) s *= 2;
    size = pl_norm3(n);
  }
  for (int i = 0; i < dim; i++) {
    if (o->kind == &pl_obstacle_sphere) e[i] = o->radius * n[i] / size;
    if (o->kind == &pl_obstacle_capsule) e[i] = s * o->par[i] + o->radius * n[i] / size;
  }
  for (int i = 0; i < dim; i++) x[i] = o->centre[i] + pl_dot3(R + 3 * i, e);
}

// The nearest of POINTS random points is farther than the gap by at most its distance to the
// closest point of the surface, about 1e-3 on lines and 0.03 on surfaces.
static void against_sampling(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 41);
  pl_obstacle shape[3] = {
      {.kind = &pl_obstacle_sphere, .centre = {0.1, -0.2, 0.3}, .radius = 0.5},
      {.kind = &pl_obstacle_box, .centre = {0.2, 0.1, -0.1}, .par = {0.5, 0.3, 0.4}},
      {.kind = &pl_obstacle_capsule,
       .centre = {-0.1, 0, 0.2},
       .par = {0.3, 0.2, -0.1},
       .radius = 0.3}};
  for (int dim = 2; dim <= 3; dim++)
    for (int k = 0; k < 3; k++) {
      pl_obstacle *o = &shape[k];
      if (dim == 3) pl_quat_from_axis((double[]){1, 2, 3}, 0.7, o->rotation);
      if (dim == 2) pl_quat_from_axis((double[]){0, 0, 1}, 0.7, o->rotation);
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
      {.kind = &pl_obstacle_plane, .centre = {0.1, 0.2, 0.3}, .par = {1, -2, 0.5}},
      {.kind = &pl_obstacle_sphere, .centre = {0.1, -0.2, 0.3}, .radius = 0.5},
      {.kind = &pl_obstacle_box,
       .centre = {0.2, 0.1, -0.1},
       .par = {0.5, 0.3, 0.4},
       .radius = 0.05},
      {.kind = &pl_obstacle_capsule,
       .centre = {-0.1, 0, 0.2},
       .par = {0.3, 0.2, -0.1},
       .radius = 0.3}};
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
  pl_obstacle sphere = {.kind = &pl_obstacle_sphere, .radius = 2};
  pl_obstacle capsule = {.kind = &pl_obstacle_capsule, .par = {0, 0, 3}, .radius = 1};
  pl_obstacle box = {.kind = &pl_obstacle_box, .par = {1, 2, 3}};
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
  const int node[3] = {0, 1, 2}, approach[2] = {2, 0};
  pl_group_desc group = {.name = "points",
                         .kind = pl_elem_find("point"),
                         .nelem = 3,
                         .stencil = node,
                         .shared = 1,
                         .par = &mass};
  pl_model_desc d = {.dim = 2, .nnode = 3, .X = X, .ngroup = 1, .group = &group};
  pl_model *m;
  check_ok(&env, pl_model_create(&env, &d, &m));
  pl_obstacle o[2] = {{.kind = &pl_obstacle_plane, .par = {0, 2, 0}, .mu = 0.7},
                      {.kind = &pl_obstacle_sphere, .centre = {5, 0, 0}, .radius = 1, .mu = 0.8}};
  pl_contact_desc c = {
      .nobstacle = 2, .obstacle = o, .nnode = 2, .node = approach, .radius = radius, .mu = mu};
  pl_contact *k;
  check_ok(&env, pl_contact_create(&env, m, &c, &k));
  assert_int_equal(k->npair, 4);
  pl_contact_place(k, 0, X);
  const double gap[4] = {3 - 0.1, 3 - 1 - 0.1, 1 - 0.2, sqrt(26) - 1 - 0.2};
  for (int i = 0; i < 4; i++) {
    check_close(k->pair[i].mu, mu[i], 0);
    check_close(k->pair[i].place.gap, gap[i], 1e-15);
    assert_int_equal(k->pair[i].node, approach[i / 2]);
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
  check_ok(&env, pl_contact_create(&env, m, &c, &k));
  check_close(k->pair[3].mu, 0.8, 0);
  check_close(k->pair[3].radius, 0, 0);
  pl_contact_free(k);

  // what is wrong is named
  const int beyond[2] = {0, 3};
  c.node = beyond;
  check_status(&env, pl_contact_create(&env, m, &c, &k), PL_E_ARG);
  assert_non_null(strstr(env.error.text, "node 3"));
  c.node = approach;
  o[1].radius = 0;
  check_status(&env, pl_contact_create(&env, m, &c, &k), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "obstacle 1 (sphere)"));
  o[1].radius = 1;
  o[0].par[1] = 0;
  check_status(&env, pl_contact_create(&env, m, &c, &k), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "normal"));
  o[0] = (pl_obstacle){.kind = &pl_obstacle_box, .par = {1, 0, 1}};
  check_status(&env, pl_contact_create(&env, m, &c, &k), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "all sides"));
  o[0] = (pl_obstacle){.kind = &pl_obstacle_plane, .par = {0, 1, 0}, .mu = -1};
  check_status(&env, pl_contact_create(&env, m, &c, &k), PL_E_INPUT);
  o[0] = (pl_obstacle){.kind = &pl_obstacle_plane, .par = {0, 1, 0}, .centre = {NAN, 0, 0}};
  check_status(&env, pl_contact_create(&env, m, &c, &k), PL_E_INPUT);
  pl_model_free(m);
}

// ---- meshes -------------------------------------------------------------------------------------

// the surface of a block of l[3] with a corner at the origin, in n[3] cells
static pl_obstacle_surface *block_mesh(pl_env *env, const int n[3], const double l[3]) {
  pl_mesh *m;
  pl_obstacle_surface *out;
  int ntri, *tri;
  check_ok(env, pl_gen_hex_box(env, n, l, &m));
  check_ok(env, pl_mesh_surface(m, &ntri, &tri, NULL));
  check_ok(env, pl_obstacle_surface_create(env, m->nvert, m->X, ntri, tri, &out));
  assert_int_equal(pl_obstacle_surface_ntri(out), ntri);
  pl_free(env, tri);
  pl_mesh_free(m);
  return out;
}

// An icosahedron cut nsplit times with its vertices on the unit sphere.
static pl_mesh *ball_mesh(pl_env *env, int nsplit) {
  static const int face[60] = {0, 11, 5,  0, 5,  1, 0, 1, 7, 0, 7,  10, 0, 10, 11, 1, 5, 9, 5, 11,
                               4, 11, 10, 2, 10, 7, 6, 7, 1, 8, 3,  9,  4, 3,  4,  2, 3, 2, 6, 3,
                               6, 8,  3,  8, 9,  4, 9, 5, 2, 4, 11, 6,  2, 10, 8,  6, 7, 9, 8, 1};
  const double g = 0.5 * (1 + sqrt(5));
  const double at[12][3] = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                            {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                            {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
  pl_mesh *m, *fine;
  check_ok(env, pl_mesh_create(env, "ball", 12, &m));
  check_ok(env, pl_mesh_set_cells(m, PL_TRI3, 20));
  memcpy(m->X, at, sizeof at);
  memcpy(m->cell[PL_TRI3].v, face, sizeof face);
  for (int k = 0; k <= nsplit; k++) {
    for (int i = 0; i < m->nvert; i++) {
      double size = pl_norm3(m->X + 3 * i);
      for (int c = 0; c < 3; c++) m->X[3 * i + c] /= size;
    }
    if (k == nsplit) break;
    check_ok(env, pl_mesh_refine(m, &fine));
    pl_mesh_free(m);
    m = fine;
  }
  return m;
}

static pl_obstacle_surface *from_mesh(pl_env *env, const pl_mesh *m) {
  pl_obstacle_surface *out;
  const pl_cells *t = &m->cell[PL_TRI3];
  check_ok(env, pl_obstacle_surface_create(env, m->nvert, m->X, t->n, t->v, &out));
  return out;
}

// how far p is from the plane where the nearest face of the box changes
static double ridge(const double *local, const double *half) {
  double over[3];
  for (int c = 0; c < 3; c++) over[c] = fabs(local[c]) - half[c];
  double first = fmax(over[0], fmax(over[1], over[2])), least = INFINITY;
  for (int c = 0; c < 3; c++)
    if (over[c] < first) least = fmin(least, first - over[c]);
  return fmin(least, fmin(fabs(local[0]), fmin(fabs(local[1]), fabs(local[2]))));
}

// The meshed box is the box, turned and moving too: the same gap everywhere and, away from ridges,
// the same normal.
static void meshed_box(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 43);
  const double half[3] = {0.5, 0.3, 0.4}, l[3] = {1, 0.6, 0.8};
  pl_obstacle_surface *mesh = block_mesh(&env, (int[]){5, 3, 4}, l);
  pl_obstacle box = {.kind = &pl_obstacle_box, .par = {0.5, 0.3, 0.4}, .radius = 0.02};
  pl_obstacle o = {.kind = &pl_obstacle_mesh, .data = mesh, .radius = 0.02};
  for (int trial = 0; trial < 4000; trial++) {
    double axis[3], local[3], x[3], t = pl_rng_uniform(&r, 0, 1), R[9], mid[3];
    for (int c = 0; c < 3; c++) {
      axis[c] = pl_rng_normal(&r);
      box.centre[c] = pl_rng_uniform(&r, -1, 1);
      box.velocity[c] = o.velocity[c] = pl_rng_uniform(&r, -1, 1);
      local[c] = (trial % 2 ? 1 : 2) * half[c] * pl_rng_uniform(&r, -1, 1);
    }
    // on the lines of the mesh too
    if (trial % 5 == 0) local[trial % 3] = 0.2 * rint(local[trial % 3] / 0.2) + 0.1;
    pl_quat_from_axis(axis, pl_rng_uniform(&r, -3, 3), box.rotation);
    memcpy(o.rotation, box.rotation, sizeof o.rotation);
    pl_quat_to_mat(box.rotation, R);
    for (int c = 0; c < 3; c++) {
      mid[c] = pl_dot3(R + 3 * c, half);
      o.centre[c] = box.centre[c] - mid[c];
      x[c] = box.centre[c] + t * box.velocity[c] + pl_dot3(R + 3 * c, local);
    }
    pl_gap a, b;
    pl_obstacle_gap(&box, 3, t, x, 0.01, &a);
    pl_obstacle_gap(&o, 3, t, x, 0.01, &b);
    check_close(b.gap, a.gap, 1e-14);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) check_close(pl_dot3(b.frame[i], b.frame[j]), i == j, 1e-14);
    if (ridge(local, half) > 1e-6 && fabs(a.gap + 0.03) > 1e-6)
      check_array(3, b.frame[0], a.frame[0], 1e-9);
  }
  pl_obstacle_surface_free(mesh);
}

// Facets lie between the sphere and the ball that touches all of them from inside.
static void meshed_ball(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 44);
  double before = 1;
  for (int nsplit = 1; nsplit < 5; nsplit++) {
    pl_mesh *m = ball_mesh(&env, nsplit);
    pl_obstacle_surface *mesh = from_mesh(&env, m);
    double inner = 1, most = 0;
    for (int t = 0; t < pl_obstacle_surface_ntri(mesh); t++) {
      const double *v[3];
      double a[3], b[3], n[3];
      pl_obstacle_surface_corners(mesh, t, v);
      pl_sub3(v[1], v[0], a);
      pl_sub3(v[2], v[0], b);
      pl_cross3(a, b, n);
      inner = fmin(inner, pl_dot3(v[0], n) / pl_norm3(n));
    }
    pl_obstacle o = {.kind = &pl_obstacle_mesh, .data = mesh, .centre = {1, 2, 3}};
    for (int trial = 0; trial < 1000; trial++) {
      double d[3], x[3], far = pl_rng_uniform(&r, 0.6, 2);
      for (int c = 0; c < 3; c++) d[c] = pl_rng_normal(&r);
      double size = pl_norm3(d);
      for (int c = 0; c < 3; c++) x[c] = o.centre[c] + far * d[c] / size;
      pl_gap g;
      pl_obstacle_gap(&o, 3, 0, x, 0, &g);
      check_less(far - 1 - g.gap, 1e-14);
      check_less(g.gap - (far - inner), 1e-14);
      most = fmax(most, g.gap - (far - 1));
    }
    // of second order in the size of facets
    check_less(most, nsplit > 1 ? before / 3 : 0.1);
    before = most;
    pl_obstacle_surface_free(mesh);
    pl_mesh_free(m);
  }
}

// how often a surface winds around p: the sum of solid angles over 4 pi (van Oosterom, Strackee)
static double winding(const pl_obstacle_surface *m, const double *p) {
  double sum = 0;
  for (int t = 0; t < pl_obstacle_surface_ntri(m); t++) {
    const double *v[3];
    double a[3][3], n[3], l[3];
    pl_obstacle_surface_corners(m, t, v);
    for (int k = 0; k < 3; k++) {
      pl_sub3(v[k], p, a[k]);
      l[k] = pl_norm3(a[k]);
    }
    pl_cross3(a[1], a[2], n);
    sum += 2 * atan2(pl_dot3(a[0], n), l[0] * l[1] * l[2] + pl_dot3(a[0], a[1]) * l[2] +
                                           pl_dot3(a[1], a[2]) * l[0] + pl_dot3(a[2], a[0]) * l[1]);
  }
  return sum / (4 * PL_PI);
}

// Stars with deep valleys and sharp spikes: the sign is that of the winding number, near vertices
// and edges as well; the normal is the gradient, and it leads onto the surface.
static void signs(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 45);
  int inside = 0, total = 0;
  for (int shape = 0; shape < 20; shape++) {
    pl_mesh *m = ball_mesh(&env, 1 + shape % 2);
    for (int i = 0; i < m->nvert; i++) {
      double far = pl_rng_uniform(&r, shape % 3 == 0 ? 0.8 : 0.2, 1.5);
      for (int c = 0; c < 3; c++) m->X[3 * i + c] *= far;
    }
    // half of them inside out
    for (int t = 0; shape % 4 < 2 && t < m->cell[PL_TRI3].n; t++) {
      int *v = m->cell[PL_TRI3].v + 3 * t, swap = v[0];
      v[0] = v[1];
      v[1] = swap;
    }
    pl_obstacle_surface *mesh = from_mesh(&env, m);
    pl_obstacle o = {.kind = &pl_obstacle_mesh, .data = mesh};
    for (int trial = 0; trial < 500; trial++) {
      const double *v[3];
      double x[3], y[3], w = pl_rng_uniform(&r, 0, 1), near = pow(10, pl_rng_uniform(&r, -6, 0));
      pl_obstacle_surface_corners(mesh, (int)pl_rng_uniform(&r, 0, pl_obstacle_surface_ntri(mesh)),
                                  v);
      for (int c = 0; c < 3; c++) {
        double at = trial % 2 ? v[0][c] : (1 - w) * v[0][c] + w * v[1][c];
        x[c] = at + near * pl_rng_normal(&r);
      }
      pl_gap g, h;
      pl_obstacle_gap(&o, 3, 0, x, 0, &g);
      double wind = winding(mesh, x);
      check_close(wind, rint(wind), 1e-5);
      assert_int_equal(g.gap<0, wind> 0.5);
      inside += g.gap < 0;
      total++;
      for (int c = 0; c < 3; c++) y[c] = x[c] - g.gap * g.frame[0][c];
      pl_obstacle_gap(&o, 3, 0, y, 0, &h);
      check_close(h.gap, 0, 1e-14);
      // a step along the normal, on the side where the nearest point stays
      for (int c = 0; c < 3; c++) y[c] = x[c] - 0.5 * g.gap * g.frame[0][c];
      pl_obstacle_gap(&o, 3, 0, y, 0, &h);
      check_close(h.gap, 0.5 * g.gap, 1e-14);
    }
    pl_obstacle_surface_free(mesh);
    pl_mesh_free(m);
  }
  // both sides were met
  assert_true(inside > total / 4 && inside < total * 3 / 4);
}

// On the surface itself there is a normal out of it: on edges and corners that of a face there, or
// between them.
static void on_surface(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_obstacle_surface *mesh = block_mesh(&env, (int[]){2, 2, 2}, (double[]){2, 2, 2});
  pl_obstacle o = {.kind = &pl_obstacle_mesh, .data = mesh};
  static const double at[4][3] = {{2, 0.4, 0.3}, {2, 1, 1}, {2, 2, 0.3}, {2, 2, 2}};
  static const double faces[4][3] = {{1, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}};
  for (int i = 0; i < 4; i++) {
    pl_gap g;
    pl_obstacle_gap(&o, 3, 0, at[i], 0, &g);
    check_close(g.gap, 0, 1e-15);
    check_close(pl_norm3(g.frame[0]), 1, 1e-15);
    check_less(1, pl_dot3(g.frame[0], faces[i]) + 1e-15);
    for (int c = 0; c < 3; c++) check_less(-g.frame[0][c], 1e-15);
  }
  pl_obstacle_surface_free(mesh);
}

static pl_status make_ball(pl_env *env, void *ctx) {
  const pl_mesh *m = ctx;
  pl_obstacle_surface *out;
  const pl_cells *t = &m->cell[PL_TRI3];
  pl_status s = pl_obstacle_surface_create(env, m->nvert, m->X, t->n, t->v, &out);
  pl_obstacle_surface_free(out);
  return s;
}

static void refused_meshes(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m = ball_mesh(&env, 0);
  int *v = m->cell[PL_TRI3].v, *n = &m->cell[PL_TRI3].n;
  check_ok(&env, make_ball(&env, m));
  check_allocations(make_ball, m);
  // a hole: the last triangle has vertices 10, 9 and 2
  *n = 19;
  check_status(&env, make_ball(&env, m), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "not closed: the edge of vertices 2 and 9"));
  assert_non_null(strstr(env.error.hint, "merge"));
  *n = 20;
  // turned: triangle 1 has vertices 1, 12 and 6
  v[0] = 11;
  v[1] = 0;
  check_status(&env, make_ball(&env, m), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "inside out"));
  assert_non_null(strstr(env.error.text, "triangles 1 and 2"));
  v[0] = 0;
  v[1] = 11;
  // three on an edge
  memcpy(v + 57, v, 3 * sizeof *v);
  check_status(&env, make_ball(&env, m), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "the edge of vertices 1 and 6 has 3 triangles: 1, 2, 20"));
  memcpy(v + 57, (int[]){9, 8, 1}, 3 * sizeof *v);
  check_ok(&env, make_ball(&env, m));
  v[0] = 12;
  check_status(&env, make_ball(&env, m), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "triangle 1 names vertex 13, which is not in 1..12"));
  v[0] = 5;
  check_status(&env, make_ball(&env, m), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "triangle 1 names vertex 6 twice"));
  v[0] = 0;
  // vertex 1 on the middle of the opposite side of a triangle
  double keep[3];
  memcpy(keep, m->X, sizeof keep);
  for (int c = 0; c < 3; c++) m->X[c] = 0.5 * (m->X[33 + c] + m->X[15 + c]);
  check_status(&env, make_ball(&env, m), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "triangle 1 has no area"));
  m->X[0] = NAN;
  check_status(&env, make_ball(&env, m), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "vertex 1 is not finite"));
  memcpy(m->X, keep, sizeof keep);
  *n = 0;
  check_status(&env, make_ball(&env, m), PL_E_INPUT);
  *n = 20;
  pl_mesh_free(m);
  // a tetrahedron without height
  const double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, 0};
  const int four[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  pl_obstacle_surface *out;
  check_status(&env, pl_obstacle_surface_create(&env, 4, flat, 4, four, &out), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "no volume"));
  assert_null(out);
}

// meshes are for three dimensions, and must be there
static void mesh_dimensions(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const double X[3] = {0, 0, 3}, mass = 1;
  const int node[1] = {0};
  pl_obstacle_surface *mesh = block_mesh(&env, (int[]){1, 1, 1}, (double[]){1, 1, 1});
  pl_group_desc group = {.name = "points",
                         .kind = pl_elem_find("point"),
                         .nelem = 1,
                         .stencil = node,
                         .shared = 1,
                         .par = &mass};
  for (int dim = 1; dim <= 3; dim++) {
    pl_model_desc d = {.dim = dim, .nnode = 1, .X = X, .ngroup = 1, .group = &group};
    pl_obstacle o = {.kind = &pl_obstacle_mesh, .data = mesh};
    pl_contact_desc c = {.nobstacle = 1, .obstacle = &o, .nnode = 1, .node = node};
    pl_model *m;
    pl_contact *k;
    check_ok(&env, pl_model_create(&env, &d, &m));
    check_status(&env, pl_contact_create(&env, m, &c, &k), dim < 3 ? PL_E_INPUT : PL_OK);
    if (dim < 3) {
      assert_non_null(
          strstr(env.error.text, "obstacle 0 (mesh): it needs a model in 3 dimensions"));
    } else {
      pl_contact_place(k, 0, X);
      check_close(k->pair[0].place.gap, 2, 1e-15);
    }
    pl_contact_free(k);
    o.data = NULL;
    check_status(&env, pl_contact_create(&env, m, &c, &k), PL_E_INPUT);
    o = (pl_obstacle){.kind = &pl_obstacle_mesh, .data = mesh, .radius = -1};
    check_status(&env, pl_contact_create(&env, m, &c, &k), PL_E_INPUT);
    pl_model_free(m);
  }
  pl_obstacle_surface_free(mesh);
}

int test_obstacle(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_sampling),
      cmocka_unit_test(frames),
      cmocka_unit_test(special_places),
      cmocka_unit_test(pairs),
      cmocka_unit_test(meshed_box),
      cmocka_unit_test(meshed_ball),
      cmocka_unit_test(signs),
      cmocka_unit_test(on_surface),
      cmocka_unit_test(refused_meshes),
      cmocka_unit_test(mesh_dimensions),
  };
  return cmocka_run_group_tests_name("contact.obstacle", tests, NULL, NULL);
}
