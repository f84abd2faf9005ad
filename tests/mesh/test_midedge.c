// Stencils of mid-edge shells against what their triangles say.
#include "mesh_tools.h"

static pl_env env;

static void make(const pl_mesh *m, const int *clamp, pl_topology **t, pl_midedge **s) {
  check_ok(&env, pl_topology_create(m, t));
  check_ok(&env, pl_midedge_create(m, *t, clamp, s));
}

// 1: triangle t has the vertices a and b
static int has_edge(const pl_mesh *m, int t, int a, int b) {
  const int *v = m->cell[PL_TRI3].v + 3 * t;
  int found = 0;
  for (int k = 0; k < 3; k++) found += v[k] == a || v[k] == b;
  return found == 2;
}

// the vertex across edge a b from triangle t, by looking at all triangles; own when there is none
static int across(const pl_mesh *m, int t, int a, int b, int own) {
  for (int k = 0; k < m->cell[PL_TRI3].n; k++) {
    const int *v = m->cell[PL_TRI3].v + 3 * k;
    if (k == t || !has_edge(m, k, a, b)) continue;
    return v[0] + v[1] + v[2] - a - b;
  }
  return own;
}

static void every_triangle(void **state) {
  (void)state;
  pl_mesh *m;
  pl_topology *t;
  pl_midedge *s;
  check_ok(&env, pl_gen_disk(&env, 3, 1, &m));
  make(m, NULL, &t, &s);
  assert_int_equal(s->ntri, m->cell[PL_TRI3].n);
  assert_int_equal(s->nxi, t->nedge);
  assert_int_equal(s->ncopy, 0);
  for (int k = 0; k < s->ntri; k++) {
    const int *v = s->vertex + 6 * k, *corner = m->cell[PL_TRI3].v + 3 * k;
    assert_true(v[0] < v[1] && v[1] < v[2]);
    assert_int_equal(v[0] + v[1] + v[2], corner[0] + corner[1] + corner[2]);
    for (int i = 0; i < 3; i++) {
      int a = v[(i + 1) % 3], b = v[(i + 2) % 3], e = s->xi[3 * k + i];
      assert_int_equal(v[3 + i], across(m, k, a, b, v[i]));
      assert_int_equal(t->edge[2 * e], a < b ? a : b);
      assert_int_equal(t->edge[2 * e + 1], a < b ? b : a);
    }
  }
  pl_midedge_free(s);
  pl_topology_free(t);
  pl_mesh_free(m);
}

// a strip of 3 x 1 squares, clamped at x = 0 (clamp 0) and at the line x = 2 (clamp 1)
static pl_mesh *strip(int *clamp) {
  pl_mesh *m;
  check_ok(&env, pl_gen_grid(&env, 3, 1, 3, 1, PL_RIGHT, &m));
  for (int i = 0; i < m->nvert; i++) {
    double x = m->X[3 * i];
    clamp[i] = x < 0.5 ? 0 : x > 1.5 && x < 2.5 ? 1 : -1;
  }
  return m;
}

static void clamps(void **state) {
  (void)state;
  int clamp[8], stencil[6 * 9], node[16];
  pl_mesh *m = strip(clamp);
  pl_topology *t;
  pl_midedge *s;
  make(m, clamp, &t, &s);
  // one edge of each clamp; a triangle at the boundary and two at the inner line feel copies
  assert_int_equal(s->nxi, t->nedge - 2);
  assert_int_equal(s->ncopy, 3);
  for (int i = 0; i < 16; i++) node[i] = 100 + i;
  pl_midedge_stencil(s, node, 1000, stencil);
  int copies = 0;
  for (int k = 0; k < s->ntri; k++)
    for (int i = 0; i < 3; i++) {
      int *e = stencil + 9 * k, xi = s->xi[3 * k + i], v = s->vertex[6 * k + 3 + i];
      assert_int_equal(e[6 + i], xi < 0 ? -1 : 1000 + xi);
      assert_int_equal(e[3 + i], 100 + v);
      if (xi >= 0) continue;
      assert_in_range(v, 8, 10);
      assert_int_equal(s->copy[v - 8], s->vertex[6 * k + i]);
      assert_int_equal(clamp[s->copy_at[v - 8]], clamp[s->vertex[6 * k + (i + 1) % 3]]);
      copies++;
    }
  assert_int_equal(copies, 3);
  pl_midedge_free(s);
  pl_topology_free(t);
  pl_mesh_free(m);
}

// triangles all of whose vertices are held need no copies
static void held_triangles(void **state) {
  (void)state;
  int clamp[8] = {0};
  pl_mesh *m = strip(clamp);
  pl_topology *t;
  pl_midedge *s;
  memset(clamp, 0, sizeof clamp);
  make(m, clamp, &t, &s);
  assert_int_equal(s->ncopy + s->nxi, 0);
  for (int k = 0; k < s->ntri; k++)
    for (int i = 0; i < 3; i++) assert_int_equal(s->vertex[6 * k + 3 + i], s->vertex[6 * k + i]);
  pl_midedge_free(s);
  pl_topology_free(t);
  pl_mesh_free(m);
}

static pl_status build(pl_env *e, void *ctx) {
  (void)ctx;
  pl_mesh *m = NULL;
  pl_topology *t = NULL;
  pl_midedge *s = NULL;
  int clamp[8] = {0, -1, 1, 1, 0, -1, 1, 1};
  pl_status st = pl_gen_grid(e, 3, 1, 3, 1, PL_RIGHT, &m);
  if (st == PL_OK) st = pl_topology_create(m, &t);
  if (st == PL_OK) st = pl_midedge_create(m, t, clamp, &s);
  pl_midedge_free(s);
  pl_topology_free(t);
  pl_mesh_free(m);
  return st;
}

static void allocations(void **state) {
  (void)state;
  check_allocations(build, NULL);
}

int test_midedge(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_triangle),
      cmocka_unit_test(clamps),
      cmocka_unit_test(held_triangles),
      cmocka_unit_test(allocations),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("mesh.midedge", tests, NULL, NULL);
}
