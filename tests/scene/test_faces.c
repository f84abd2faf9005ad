// Loads on faces of second order: forces on nodes are integrals of their shape functions.
#include "check.h"

#include "pliant/math.h"
#include "pliant/scene.h"
#include "pliant/solve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static pl_scene *scene_of(pl_env *env, const char *solid, const char *rest) {
  char text[2000];
  pl_scene *s = NULL;
  int n = snprintf(text, sizeof text,
                   "pliant: 1\n"
                   "materials: {m: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
                   "bodies: [{name: b, solid: {%s, material: m}}]\n"
                   "%s"
                   "analyses: [{static: {}}]\n",
                   solid, rest);
  pl_env_init(env);
  check_ok(env, pl_scene_parse(env, "test.yaml", SOURCE_DIR "/tests/cli/parts", text, (size_t)n, 0,
                               NULL, NULL, &s));
  return s;
}

static const char *const block[] = {
    "mesh: {box: {size: [1, 1.5, 2], cells: [2, 1, 2], cell: tet}}",
    "mesh: {box: {size: [1, 1.5, 2], cells: [2, 1, 2]}}, order: 2",
};

// ---- patch test ---------------------------------------------------------------------------------

// A traction that is the same all over makes the same stretch all over: of St. Venant and Kirchhoff
// l (l^2 - 1)/2 = t/E along it.
static void patch(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    pl_env env;
    pl_static_opts o;
    pl_state *q;
    pl_work *w;
    pl_scene *s = scene_of(&env, block[k],
                           "fixed: [{nodes: b where x = 0, fix: x}, {nodes: b where y = 0, fix: y},"
                           " {nodes: b where z = 0, fix: z}]\n"
                           "loads: [{faces: b where z = 2, traction: [0, 0, 200 kPa]}]\n");
    double l = 1.2, X[3];
    for (int i = 0; i < 20; i++) l -= (l * (l * l - 1) / 2 - 0.2) / ((3 * l * l - 1) / 2);
    double side = sqrt(1 - 0.3 * (l * l - 1));
    pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
    o.rtol = 1e-13;
    check_ok(&env, pl_state_create(s->model, s->params, &q));
    check_ok(&env, pl_work_create(s->model, 1, &w));
    check_ok(&env, pl_static(&o, s->model, s->params, q, w, NULL, NULL, NULL));
    for (int i = 0; i < pl_model_nnode(s->model); i++) {
      for (int c = 0; c < 3; c++) X[c] = s->params->X[3 * i + c] * (c == 2 ? l : side);
      check_array(3, q->q + 3 * i, X, 1e-10);
    }
    pl_work_free(w);
    pl_state_free(s->model, q);
    pl_scene_free(s);
  }
}

// ---- pressure -----------------------------------------------------------------------------------

// a smooth bend of the body
static void displace(pl_scene *s, pl_state *q) {
  const int *index = pl_model_free_index(s->model);
  for (int i = 0; i < 3 * pl_model_nnode(s->model); i++) {
    const double *x = s->params->X + i - i % 3;
    double a = x[0] + 0.7 * x[1] - 0.4 * x[2] + i % 3;
    if (index[i] >= 0) q->q[i] += 0.1 * sin(2 * a) + 0.03 * cos(5 * a + i);
  }
}

// forces on nodes at full load, less those without
static void load_forces(pl_env *env, pl_scene *s, pl_state *q, double *f) {
  pl_work *w;
  int n = pl_model_nnode(s->model) * 3;
  check_ok(env, pl_work_create(s->model, 1, &w));
  for (int k = 0; k < 2; k++) {
    const pl_clock c = {.scale = k};
    pl_drive(s->model, s->params, &c, q);
    check_ok(env, pl_eval(s->model, s->params, q, &c, PL_WANT_FORCE, NULL, w));
    for (int i = 0; i < n; i++) f[i] = k ? f[i] - w->r[i] : w->r[i];
  }
  pl_work_free(w);
}

// minus the integral of N_a n dA over the skin of the body where all nodes have z = at, or all of
// it
static void add_normals(pl_env *env, const pl_scene *s, const double *q, double at, double *f) {
  int n, *row;
  (void)env;
  check_ok(env, pl_mesh_faces(s->mesh, &n, &row));
  for (int k = 0; k < n; k++) {
    const int nv = row[PL_FACE_ROW * k], *v = row + PL_FACE_ROW * k + 1;
    pl_cell_type type = nv == 6 ? PL_TRI6 : PL_QUAD8;
    double point[PL_CELL_POINT_MAX][3], weight[PL_CELL_POINT_MAX];
    int np = pl_cell_points(type, point, weight), in = 1;
    for (int i = 0; i < nv; i++) in &= isnan(at) || s->params->X[3 * v[i] + 2] == at;
    for (int p = 0; in && p < np; p++) {
      double N[8], d[8][3], D[2][3] = {{0}}, normal[3];
      pl_cell_shape(type, point[p], N, d[0]);
      for (int a = 0; a < nv; a++)
        for (int i = 0; i < 6; i++) D[i / 3][i % 3] += d[a][i / 3] * q[3 * v[a] + i % 3];
      pl_cross3(D[0], D[1], normal);
      for (int a = 0; a < nv; a++)
        for (int i = 0; i < 3; i++) f[3 * v[a] + i] -= weight[p] * N[a] * normal[i];
    }
  }
  pl_free(env, row);
}

// every node of a curved face feels p int N n dA, whatever holds the boundary of the faces
static void pressure(void **state) {
  // the boundary is free, held, or slides in two planes
  static const char *const held[] = {
      "fixed: b where z = 0\n",
      "fixed: [b where z = 0,"
      " b where z > 1 and (x < 0.1 or x > 0.9 or y < 0.1 or y > 1.4)]\n",
      "fixed: [b where z = 0, b where z > 1 and (y < 0.1 or y > 1.4),"
      " {nodes: b where z > 1 and 0.1 < y < 1.4 and (x < 0.1 or x > 0.9), fix: x}]\n",
  };
  char text[600];
  (void)state;
  for (int k = 0; k < 6; k++) {
    pl_env env;
    pl_state *q;
    snprintf(text, sizeof text, "%sloads: [{faces: b where z = 2, pressure: 1 Pa}]\n", held[k / 2]);
    pl_scene *s = scene_of(&env, block[k % 2], text);
    double f[3 * 400] = {0}, want[3 * 400] = {0};
    assert_true(pl_model_nnode(s->model) <= 400);
    assert_int_equal(pl_model_circulatory(s->model), k < 2);
    check_ok(&env, pl_state_create(s->model, s->params, &q));
    displace(s, q);
    load_forces(&env, s, q, f);
    add_normals(&env, s, q->q, 2, want);
    check_array(3 * pl_model_nnode(s->model), f, want, 1e-9);
    pl_state_free(s->model, q);
    pl_scene_free(s);
  }
}

// a whole curved skin of gmsh's: no force and no moment in all, and the same forces node by node
static void closed(void **state) {
  pl_env env;
  pl_state *q;
  (void)state;
  pl_scene *s = scene_of(&env, "mesh: finger.msh", "loads: [{faces: b, pressure: 1 Pa}]\n");
  int n = pl_model_nnode(s->model);
  double *f = pl_alloc(&env, 6 * (size_t)n, sizeof *f), *want = f + 3 * (size_t)n;
  double F[3] = {0}, M[3] = {0}, m[3], most = 0, extent = 0;
  assert_non_null(f);
  check_ok(&env, pl_state_create(s->model, s->params, &q));
  for (int i = 0; i < 3 * n; i++) extent = fmax(extent, fabs(s->params->X[i]));
  for (int i = 0; i < 3 * n; i++)
    q->q[i] += 0.02 * extent * sin(7 * q->q[(i + 1) % (3 * n)] / extent);
  load_forces(&env, s, q, f);
  add_normals(&env, s, q->q, NAN, want);
  for (int i = 0; i < 3 * n; i++) most = fmax(most, fabs(want[i]));
  for (int i = 0; i < n; i++) {
    pl_cross3(q->q + 3 * i, f + 3 * i, m);
    for (int c = 0; c < 3; c++) {
      F[c] += f[3 * i + c];
      M[c] += m[c];
    }
  }
  check_array(3 * n, f, want, 1e-6 * most);
  check_close(pl_norm3(F), 0, 1e-6 * most);
  check_close(pl_norm3(M), 0, 1e-6 * most * extent);
  pl_free(&env, f);
  pl_state_free(s->model, q);
  pl_scene_free(s);
}

int test_faces(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(patch), cmocka_unit_test(pressure),
                                     cmocka_unit_test(closed)};
  return cmocka_run_group_tests_name("scene.faces", tests, NULL, NULL);
}
