// Faces and edges of bodies at corners and edges of obstacles.
#include "problems.h"

#include <string.h>

// a model of three nodes, a triangle over the xy plane or its edges as segments
typedef struct triangle {
  pl_env env;
  pl_model *m;
  pl_contact *k;
} triangle;

static const double FLAT[9] = {-1, -1, 0, 2, -1, 0, -1, 2, 0};

static void open_triangle(triangle *t, const pl_obstacle *o, int segments, double radius) {
  static const int node[3] = {0, 1, 2}, edge[6] = {0, 1, 1, 2, 2, 0};
  const double mass = 1, all[3] = {radius, radius, radius};
  pl_group_desc group = {.name = "points",
                         .kind = pl_elem_find("point"),
                         .nelem = 3,
                         .stencil = node,
                         .shared = 1,
                         .par = &mass};
  pl_model_desc d = {.dim = 3, .nnode = 3, .X = FLAT, .ngroup = 1, .group = &group};
  pl_contact_desc c = {.nobstacle = 1, .obstacle = o, .nnode = 3, .node = node, .radius = all};
  c.ntri = segments ? 0 : 1;
  c.tri = node;
  c.nsegment = segments ? 3 : 0;
  c.segment = edge;
  pl_env_init(&t->env);
  check_ok(&t->env, pl_model_create(&t->env, &d, &t->m));
  check_ok(&t->env, pl_contact_create(&t->env, t->m, &c, &t->k));
}

static void close_triangle(triangle *t) {
  pl_contact_free(t->k);
  pl_model_free(t->m);
}

// features of the triangle lowered by z, which was above before
static int look(triangle *t, double z, const pl_contact_feature **approach) {
  double q[9], q0[9];
  int n;
  for (int i = 0; i < 9; i++) {
    q[i] = FLAT[i] + (i % 3 == 2 ? z : 0);
    q0[i] = FLAT[i] + (i % 3 == 2 ? z + 0.5 : 0);
  }
  check_ok(&t->env, pl_contact_features(t->k, 0, q, 0, q0, 0, &n, approach));
  for (int i = 0; i < n; i++) {
    const pl_contact_row *r = &(*approach)[i].row;
    double y[3], sum = 0;
    pl_contact_row_point(r, 3, q, y);
    for (int a = 0; a < r->n; a++) sum += r->weight[a];
    check_close(sum, 1, 1e-14);
    check_close(pl_dot3(r->frame[0], y) - r->offset, (*approach)[i].gap, 1e-14);
  }
  return n;
}

// A ball under the face: nearest at its middle, the gap is the height less both radii.
static void ball_under_face(void **state) {
  (void)state;
  triangle t;
  const pl_contact_feature *approach;
  pl_obstacle o = {.kind = &pl_obstacle_sphere, .centre = {0.2, 0.1, -1}, .radius = 0.5};
  open_triangle(&t, &o, 0, 0.1);
  assert_int_equal(look(&t, -0.3, &approach), 0);
  assert_int_equal(look(&t, -0.45, &approach), 1);
  check_close(approach->gap, 0.55 - 0.5 - 0.1, 1e-14);
  check_array(3, approach->row.frame[0], ((double[]){0, 0, 1}), 1e-14);
  check_array(3, approach->row.weight, ((double[]){0.7 / 3, 1.2 / 3, 1.1 / 3}), 1e-14);
  close_triangle(&t);
}

// A box smaller than the face: its four upper corners, whatever it is turned by about z.
static void box_under_face(void **state) {
  (void)state;
  triangle t;
  const pl_contact_feature *approach;
  pl_obstacle o = {.kind = &pl_obstacle_box, .par = {0.3, 0.2, 0.5}, .centre = {0, 0, -1}};
  pl_quat_from_axis((double[3]){0, 0, 1}, 0.7, o.rotation);
  open_triangle(&t, &o, 0, 0);
  assert_int_equal(look(&t, -0.4, &approach), 0);
  assert_int_equal(look(&t, -0.51, &approach), 4);
  for (int i = 0; i < 4; i++) {
    check_close(approach[i].gap, -0.01, 1e-14);
    check_array(3, approach[i].row.frame[0], ((double[]){0, 0, 1}), 1e-14);
  }
  close_triangle(&t);
  // a triangle that was below it all the time is not inside
  open_triangle(&t, &o, 0, 0);
  double q[9];
  int n;
  for (int i = 0; i < 9; i++) q[i] = FLAT[i] - (i % 3 == 2 ? 1.6 : 0);
  check_ok(&t.env, pl_contact_features(t.k, 0, q, 0, q, 0, &n, &approach));
  assert_int_equal(n, 0);
  close_triangle(&t);
}

// Rods over bars and edges: the normal is across both.
static void edges_across(void **state) {
  (void)state;
  triangle t;
  const pl_contact_feature *approach;
  pl_obstacle bar = {.kind = &pl_obstacle_capsule, .par = {0, 3, 0.3}, .radius = 0.1};
  open_triangle(&t, &bar, 1, 0.05);
  // and the slanting segment, which has gone through it
  assert_int_equal(look(&t, 0, &approach), 2);
  // the segment from -1 to 2 along x at y = -1, and the bar's axis at z = -0.1 there, at x = 0
  double n[3] = {0, -0.3 / hypot(3, 0.3), 3 / hypot(3, 0.3)};
  check_array(3, approach->row.frame[0], n, 1e-14);
  check_close(approach->row.weight[0], 2.0 / 3, 1e-14);
  check_close(approach->gap, 0.1 * n[2] - 0.15, 1e-14);
  close_triangle(&t);
}

static double wavy(const pl_obstacle *o, int dim, const double *x, double *n) {
  (void)o, (void)dim;
  n[0] = n[1] = 0;
  n[2] = 1;
  return x[2];
}

// a kind without corners and edges is felt by nodes alone
static void foreign(void **state) {
  (void)state;
  triangle t;
  const pl_contact_feature *approach;
  const pl_obstacle_kind kind = {.name = "own", .dim = 1, .distance = wavy};
  pl_obstacle o = {.kind = &kind};
  open_triangle(&t, &o, 0, 0);
  assert_int_equal(look(&t, -1, &approach), 0);
  pl_contact_place(t.k, 0, FLAT);
  check_close(t.k->pair[0].place.gap, 0, 0);
  close_triangle(&t);
}

int test_features(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ball_under_face),
      cmocka_unit_test(box_under_face),
      cmocka_unit_test(edges_across),
      cmocka_unit_test(foreign),
  };
  return cmocka_run_group_tests_name("contact.features", tests, NULL, NULL);
}
