// Voxels in place of parts: volumes of known bodies, groups, and what is refused.
#include "mesh_tools.h"

static pl_env env;
static heard said;

// the skin of a box of hexes as quads, turned outward (sign 1) or inward
static void add_skin(const double lo[3], const double hi[3], int sign, int first, double *X,
                     int *quad) {
  static const int face[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                 {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (int c = 0; c < 8; c++)
    for (int d = 0; d < 3; d++) X[3 * c + d] = c >> d & 1 ? hi[d] : lo[d];
  for (int f = 0; f < 6; f++)
    for (int k = 0; k < 4; k++) quad[4 * f + k] = first + face[f][sign > 0 ? k : 3 - k];
}

// n boxes as one surface
static pl_mesh *boxes(int n, const double (*lo)[3], const double (*hi)[3], const int *sign) {
  pl_mesh *m;
  check_ok(&env, pl_mesh_create(&env, "boxes", 8 * n, &m));
  check_ok(&env, pl_mesh_set_cells(m, PL_QUAD4, 6 * n));
  for (int b = 0; b < n; b++)
    add_skin(lo[b], hi[b], sign ? sign[b] : 1, 8 * b, m->X + 24 * b, m->cell[PL_QUAD4].v + 24 * b);
  return m;
}

static pl_mesh *fill(pl_mesh *m, double size, pl_voxel_info *info) {
  pl_mesh *out;
  check_ok(&env, pl_mesh_voxels(m, &(pl_voxel_opts){.size = size}, info, &out));
  check_ok(&env, pl_mesh_check(out));
  check_close(tool_total(out, PL_HEX8), info->volume, 1e-12 * info->volume);
  pl_mesh_free(m);
  return out;
}

static void refused(pl_mesh *m, double size, const char *text) {
  pl_mesh *out;
  check_status(&env, pl_mesh_voxels(m, &(pl_voxel_opts){.size = size}, NULL, &out), PL_E_INPUT);
  assert_null(out);
  if (!strstr(env.error.text, text)) fail_msg("no '%s' in '%s'", text, env.error.text);
  assert_true(env.error.hint[0] != 0);
  pl_mesh_free(m);
}

static void spheres(void **state) {
  (void)state;
  double err[3], h[3];
  for (int k = 0; k < 3; k++) {
    pl_mesh *m;
    pl_voxel_info info;
    check_ok(&env, pl_gen_icosphere(&env, 6, &m));
    pl_mesh_transform(m, 0.5, NULL, (double[]){1e3, -2e3, 5});
    h[k] = 0.1 / (1 << k);
    pl_mesh *v = fill(m, h[k], &info);
    // facets cut off 0.2 % of the ball
    check_rel(info.exact, PL_PI / 6, 2e-3);
    err[k] = fabs(info.volume / info.exact - 1);
    check_less(err[k], 0.5 * h[k] / 0.5);
    pl_mesh_free(v);
  }
}

static void hollow_and_union(void **state) {
  (void)state;
  static const double lo[2][3] = {{0, 0, 0}, {1, 1, 1}}, hi[2][3] = {{4, 4, 4}, {3, 2, 2}};
  static const double far[2][3] = {{0, 0, 0}, {2, 2, 2}}, end[2][3] = {{4, 4, 4}, {6, 6, 6}};
  pl_voxel_info info;
  pl_mesh *v = fill(boxes(2, lo, hi, (int[]){1, -1}), 1, &info);
  check_close(info.volume, 64 - 2, 1e-12);
  check_close(info.exact, 64 - 2, 1e-12);
  pl_mesh_free(v);
  // the same inside out
  v = fill(boxes(2, lo, hi, (int[]){-1, 1}), 1, &info);
  check_close(info.volume, 64 - 2, 1e-12);
  pl_mesh_free(v);
  // boxes that overlap count once
  v = fill(boxes(2, far, end, NULL), 1, &info);
  check_close(info.volume, 128 - 8, 1e-12);
  check_close(info.exact, 128 - 8, 1e-4);
  pl_mesh_free(v);
  // one triangle is turned round: lines count how often they pass
  pl_mesh *m = boxes(1, lo, hi, NULL);
  int *q = m->cell[PL_QUAD4].v, keep = q[1];
  q[1] = q[3];
  q[3] = keep;
  int before = said.count[PL_WARNING];
  v = fill(m, 1, &info);
  assert_int_equal(said.count[PL_WARNING], before + 1);
  check_close(info.volume, 64, 1e-12);
  pl_mesh_free(v);
}

// the edges follow the bounding box: boxes are exact whatever the size
static void fits(void **state) {
  (void)state;
  static const double lo[1][3] = {{-1, 2, 3}}, hi[1][3] = {{9.3, 4.1, 3.7}};
  pl_voxel_info info;
  pl_mesh *v = fill(boxes(1, lo, hi, NULL), 0.5, &info);
  check_rel(info.volume, 10.3 * 2.1 * 0.7, 1e-13);
  assert_int_equal(info.grid[0], 21);
  assert_int_equal(info.grid[1], 4);
  assert_int_equal(info.grid[2], 1);
  assert_int_equal(v->cell[PL_HEX8].n, 84);
  assert_int_equal(v->nvert, 22 * 5 * 2);
  assert_int_equal(pl_mesh_find_set(v, "right")->n, 10);
  pl_mesh_free(v);
}

static void surfaces_refused(void **state) {
  (void)state;
  static const double lo[2][3] = {{0, 0, 0}, {4, 0, 0}}, hi[2][3] = {{4, 4, 4}, {8, 4, 4}};
  pl_mesh *m = boxes(1, lo, hi, NULL);
  m->cell[PL_QUAD4].n--;
  refused(m, 1, "open: 1 hole");
  // a wall within
  m = boxes(2, lo, hi, NULL);
  m->cell[PL_QUAD4].n--;
  for (int i = 0; i < 4; i++) m->cell[PL_QUAD4].v[4 * 10 + i] = m->cell[PL_QUAD4].v[4 * 7 + i];
  refused(m, 1, "open");
  m = boxes(1, lo, hi, NULL);
  check_ok(&env, pl_mesh_set_cells(m, PL_QUAD4, 0));
  refused(m, 1, "no surface");
  refused(boxes(1, lo, hi, NULL), 100, "less than half a voxel");
  refused(boxes(1, lo, hi, NULL), 1e-5, "too large");
}

// a fin on a box, a strut between two, all thinner than half a voxel
static void thin_refused(void **state) {
  (void)state;
  static const double lo[2][3] = {{0, 0, 0}, {3.99, 1.3, 1.3}},
                      hi[2][3] = {{4, 4, 4}, {10, 1.65, 4}};
  static const double from[3][3] = {{0, 0, 0}, {3.99, 1.3, 1.3}, {9.99, 0, 0}};
  static const double to[3][3] = {{4, 4, 4}, {10, 1.7, 1.7}, {14, 4, 4}};
  refused(boxes(2, lo, hi, NULL), 1, "thinner than a voxel");
  refused(boxes(3, from, to, NULL), 1, "thinner than a voxel");
  pl_mesh *m = boxes(3, from, to, NULL), *v;
  pl_voxel_info info;
  check_ok(&env, pl_mesh_voxels(m, &(pl_voxel_opts){.size = 1, .allow_thin = 1}, &info, &v));
  check_close(info.volume, 128, 1e-12);
  // eight lines across a voxel know a width to an eighth of it
  check_close(info.lost, 0.4 * 0.4 * 4, 0.4 * 0.125 * 4);
  pl_mesh_free(v);
  v = fill(m, 0.2, &info);
  check_rel(info.volume, info.exact, 0.01);
  pl_mesh_free(v);
}

// a strut across the axes stays one piece without edges that are hinges
static void slanting(void **state) {
  (void)state;
  static const double lo[1][3] = {{0, -0.55, 0}}, hi[1][3] = {{20, 0.55, 1}};
  for (int k = 1; k < 8; k++) {
    pl_mesh *m = boxes(1, lo, hi, NULL), *v;
    double R[9];
    int n;
    pl_voxel_info info;
    pl_rotation3((double[]){0, 0, 1}, 0.2 * k, R);
    pl_mesh_transform(m, 1, R, NULL);
    check_ok(&env, pl_mesh_voxels(m, &(pl_voxel_opts){.size = 1, .allow_thin = 1}, &info, &v));
    int *part = pl_alloc(&env, (size_t)v->nvert, sizeof *part);
    check_ok(&env, pl_mesh_parts(v, &n, part));
    assert_int_equal(n, 1);
    // every edge of the skin has two faces
    int ntri, *tri;
    check_ok(&env, pl_mesh_surface(v, &ntri, &tri, NULL));
    pl_mesh *skin;
    check_ok(&env, pl_mesh_create(&env, "skin", v->nvert, &skin));
    memcpy(skin->X, v->X, 3 * (size_t)v->nvert * sizeof *v->X);
    check_ok(&env, pl_mesh_set_cells(skin, PL_TRI3, ntri));
    memcpy(skin->cell[PL_TRI3].v, tri, 3 * (size_t)ntri * sizeof *tri);
    pl_topology *t;
    check_ok(&env, pl_topology_create(skin, &t));
    assert_int_equal(t->nboundary, 0);
    pl_topology_free(t);
    pl_mesh_free(skin);
    pl_free(&env, tri);
    pl_free(&env, part);
    pl_mesh_free(v);
    pl_mesh_free(m);
  }
}

// solids with groups of their own, faces of one of them
static void groups(void **state) {
  (void)state;
  pl_mesh *m;
  pl_voxel_info info;
  check_ok(&env, pl_gen_tet_box(&env, (int[]){6, 3, 3}, (double[]){6, 3, 3}, &m));
  int half[1000], n = 0;
  for (int e = 0; e < m->cell[PL_TET4].n; e++) {
    double x = 0;
    for (int k = 0; k < 4; k++) x += 0.25 * m->X[3 * m->cell[PL_TET4].v[4 * e + k]];
    if (x < 2) half[n++] = e;
  }
  check_ok(&env, pl_mesh_add_set(m, "root", PL_TET4, n, half));
  pl_mesh *v = fill(m, 0.5, &info);
  const pl_set *root = pl_mesh_find_set(v, "root");
  assert_non_null(root);
  assert_int_equal(root->type, PL_HEX8);
  assert_int_equal(root->n, 4 * 6 * 6);
  check_rel(info.volume, 54, 1e-12);
  pl_mesh_free(v);
  // a face of a surface
  m = boxes(1, (const double[1][3]){{0, 0, 0}}, (const double[1][3]){{4, 4, 4}}, NULL);
  check_ok(&env, pl_mesh_add_set(m, "lid", PL_QUAD4, 1, (int[]){5}));
  v = fill(m, 1, &info);
  const pl_set *lid = pl_mesh_find_set(v, "lid");
  assert_int_equal(lid->type, -1);
  assert_int_equal(lid->n, 25);
  for (int i = 0; i < lid->n; i++) check_close(v->X[3 * lid->index[i] + 2], 4, 1e-15);
  pl_mesh_free(v);
}

static void default_size(void **state) {
  (void)state;
  pl_voxel_info info;
  // one through a plate
  static const double lo[1][3] = {{0, 0, 0}}, hi[1][3] = {{100, 100, 2}};
  pl_mesh_free(fill(boxes(1, lo, hi, NULL), 0, &info));
  assert_int_equal(info.grid[2], 1);
  pl_mesh *m;
  check_ok(&env, pl_gen_icosphere(&env, 4, &m));
  pl_mesh_free(fill(m, 0, &info));
  assert_in_range(info.nvoxel, 1800, 2200);
}

static pl_status make(pl_env *e, void *ctx) {
  (void)ctx;
  pl_mesh *m, *v;
  PL_TRY(pl_gen_tet_box(e, (int[]){2, 1, 1}, (double[]){2, 1, 1}, &m));
  pl_status s = pl_mesh_add_set(m, "one", PL_TET4, 2, (int[]){0, 1});
  if (s == PL_OK) s = pl_mesh_voxels(m, &(pl_voxel_opts){.size = 0.5}, NULL, &v);
  if (s == PL_OK) pl_mesh_free(v);
  pl_mesh_free(m);
  return s;
}

static void memory(void **state) {
  (void)state;
  check_allocations(make, NULL);
}

int test_voxels(void) {
  pl_env_init(&env);
  env.diag = hear;
  env.diag_ctx = &said;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spheres),      cmocka_unit_test(hollow_and_union),
      cmocka_unit_test(fits),         cmocka_unit_test(surfaces_refused),
      cmocka_unit_test(thin_refused), cmocka_unit_test(slanting),
      cmocka_unit_test(groups),       cmocka_unit_test(default_size),
      cmocka_unit_test(memory),
  };
  return cmocka_run_group_tests_name("mesh.voxels", tests, NULL, NULL);
}
