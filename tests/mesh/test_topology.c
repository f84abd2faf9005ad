#include "mesh_tools.h"

static pl_mesh *triangles(pl_env *env, int nvert, int ntri, const int *v) {
  pl_mesh *m;
  check_ok(env, pl_mesh_create(env, "tri.obj", nvert, &m));
  for (int i = 0; i < nvert; i++)
    memcpy(m->X + 3 * i, ((double[]){cos(i), sin(i), 0.1 * i}), 3 * sizeof(double));
  check_ok(env, pl_mesh_set_cells(m, PL_TRI3, ntri));
  if (ntri > 0) memcpy(m->cell[PL_TRI3].v, v, (size_t)(3 * ntri) * sizeof *v);
  return m;
}

// +1: the triangle runs from a to b, -1: from b to a, 0: it has no such edge
static int sees(const int *tri, int a, int b) {
  for (int k = 0; k < 3; k++) {
    if (tri[k] == a && tri[(k + 1) % 3] == b) return 1;
    if (tri[k] == b && tri[(k + 1) % 3] == a) return -1;
  }
  return 0;
}

static int has(const int *tri, int a) {
  return tri[0] == a || tri[1] == a || tri[2] == a;
}

// all relations inside a topology; returns the hinges whose second triangle runs the same way
static int check_relations(const pl_mesh *m, const pl_topology *t) {
  const int *v = m->cell[PL_TRI3].v;
  for (int e = 0; e < t->nedge; e++) {
    const int *a = t->edge + 2 * e;
    assert_true(a[0] < a[1]);
    if (e > 0) assert_true(a[-2] < a[0] || (a[-2] == a[0] && a[-1] < a[1]));
    assert_true(t->edge_tri[2 * e] >= 0);
  }
  int uses = 0;
  for (int i = 0; i < m->cell[PL_TRI3].n; i++)
    for (int k = 0; k < 3; k++) {
      int e = t->tri_edge[3 * i + k];
      assert_int_not_equal(sees(v + 3 * i, t->edge[2 * e], t->edge[2 * e + 1]), 0);
      assert_true(v[3 * i + k] != t->edge[2 * e] && v[3 * i + k] != t->edge[2 * e + 1]);
      assert_true(t->edge_tri[2 * e] == i || t->edge_tri[2 * e + 1] == i);
      uses++;
    }
  assert_int_equal(uses, 2 * t->nhinge + t->nboundary);
  int against = 0;
  for (int k = 0; k < t->nhinge; k++) {
    const int *h = t->hinge + 4 * k, *side = t->edge_tri + 2 * t->hinge_edge[k];
    const int *first = v + 3 * side[0], *second = v + 3 * side[1];
    assert_true(side[0] < side[1]);
    assert_int_equal(sees(first, h[0], h[1]), 1);
    assert_true(has(first, h[2]) && has(second, h[3]));
    assert_true(h[2] != h[0] && h[2] != h[1] && h[3] != h[0] && h[3] != h[1]);
    int way = sees(second, h[0], h[1]);
    assert_int_not_equal(way, 0);
    against += way == 1;
  }
  for (int k = 0; k < t->nboundary; k++) assert_int_equal(t->edge_tri[2 * t->boundary[k] + 1], -1);
  return against;
}

static void grids(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  for (int pattern = PL_RIGHT; pattern <= PL_EQUILATERAL; pattern++) {
    pl_mesh *m;
    pl_topology *t;
    int nx = 5, ny = 4;
    check_ok(&env, pl_gen_grid(&env, nx, ny, 1, 1, (pl_pattern)pattern, &m));
    check_ok(&env, pl_topology_create(m, &t));
    assert_int_equal(check_relations(m, t), 0);

    // both ends of an equilateral grid have an edge per row, top and bottom nx (ny is even)
    assert_int_equal(t->nboundary, 2 * (nx + ny));
    assert_int_equal(m->nvert - t->nedge + m->cell[PL_TRI3].n, 1);
    if (pattern <= PL_ALTERNATING) assert_int_equal(t->nedge, 3 * nx * ny + nx + ny);
    if (pattern == PL_CROSSED) assert_int_equal(t->nedge, 6 * nx * ny + nx + ny);
    pl_topology_free(t);
    pl_mesh_free(m);
  }
}

static void closed_and_empty(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_topology *t;
  pl_mesh *m = triangles(&env, 4, 4, (int[]){1, 2, 3, 0, 3, 2, 0, 1, 3, 0, 2, 1});
  check_ok(&env, pl_topology_create(m, &t));
  assert_int_equal(check_relations(m, t), 0);
  assert_int_equal(t->nedge, 6);
  assert_int_equal(t->nhinge, 6);
  assert_int_equal(t->nboundary, 0);
  pl_topology_free(t);
  pl_mesh_free(m);
  m = triangles(&env, 3, 0, (int[]){0});
  check_ok(&env, pl_topology_create(m, &t));
  assert_int_equal(t->nedge + t->nhinge + t->nboundary, 0);
  pl_topology_free(t);
  pl_mesh_free(m);
}

// n squares round a loop, closed with a half twist: one boundary, and a seam that cannot agree
static void moebius(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  enum { N = 12 };
  int v[6 * N];
  for (int i = 0; i < N; i++) {
    int a = 2 * i, b = a + 1, c = a + 2, d = a + 3;
    if (i == N - 1) {
      c = 1;
      d = 0;
    }
    memcpy(v + 6 * i, ((int[]){a, c, b, b, c, d}), 6 * sizeof(int));
  }
  pl_topology *t;
  pl_mesh *m = triangles(&env, 2 * N, 2 * N, v);
  check_ok(&env, pl_topology_create(m, &t));
  assert_int_equal(check_relations(m, t), 1);
  assert_int_equal(t->nboundary, 2 * N);
  assert_int_equal(m->nvert - t->nedge + 2 * N, 0);

  // the boundary is one loop: walk it
  int at = 0, from = -1, steps = 0;
  do {
    int next = -1;
    for (int k = 0; k < t->nboundary && next < 0; k++) {
      const int *e = t->edge + 2 * t->boundary[k];
      if (t->boundary[k] != from && (e[0] == at || e[1] == at)) {
        next = e[0] == at ? e[1] : e[0];
        from = t->boundary[k];
      }
    }
    at = next;
    steps++;
  } while (at != 0 && steps <= 2 * N);
  assert_int_equal(steps, 2 * N);
  pl_topology_free(t);
  pl_mesh_free(m);
}

static void inconsistent_pair(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_topology *t;
  pl_mesh *m = triangles(&env, 4, 2, (int[]){2, 1, 0, 2, 1, 3});
  check_ok(&env, pl_topology_create(m, &t));
  assert_int_equal(check_relations(m, t), 1);
  assert_memory_equal(t->hinge, ((int[]){2, 1, 0, 3}), 4 * sizeof(int));
  pl_topology_free(t);
  pl_mesh_free(m);
}

static void refused(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_topology *t;
  pl_mesh *m = triangles(&env, 5, 3, (int[]){0, 1, 2, 1, 0, 3, 0, 1, 4});
  check_status(&env, pl_topology_create(m, &t), PL_E_INPUT);
  assert_null(t);
  assert_string_equal(env.error.text,
                      "the edge of vertices 1 and 2 has more than two triangles: 1, 2 and 3");
  assert_string_equal(env.error.file, "tri.obj");
  pl_mesh_free(m);
  m = triangles(&env, 3, 1, (int[]){0, 1, 1});
  check_status(&env, pl_topology_create(m, &t), PL_E_INPUT);
  pl_mesh_free(m);
  m = triangles(&env, 3, 1, (int[]){0, 1, 3});
  check_status(&env, pl_topology_create(m, &t), PL_E_INPUT);
  pl_mesh_free(m);
}

static void parts(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m, *b;
  check_ok(&env, pl_gen_chain(&env, 3, (double[]){0, 0, 0}, (double[]){1, 0, 0}, &m));
  check_ok(&env, pl_mesh_create(&env, "loose", 1, &b));
  tool_append(m, b);
  pl_mesh_free(b);
  check_ok(&env, pl_gen_tet_box(&env, (int[]){1, 1, 1}, (double[]){1, 1, 1}, &b));
  tool_append(m, b);
  pl_mesh_free(b);
  int n, part[13];
  check_ok(&env, pl_mesh_parts(m, &n, part));
  assert_int_equal(n, 2);
  for (int i = 0; i < 13; i++) assert_int_equal(part[i], i < 4 ? 0 : i == 4 ? -1 : 1);
  pl_mesh_free(m);
}

// ---- surfaces ---------------------------------------------------------------------------------

// integrals over the enclosed volume by the divergence theorem: x_i^2 = div(x_i^3 e_i / 3) and
// x_i x_j = div(x_i^2 x_j e_i / 2), with a quadrature of degree 3 on each triangle
static void moments(const double *X, int ntri, const int *tri, double J[3][3]) {
  static const double rule[4][4] = {{1 / 3., 1 / 3., 1 / 3., -27 / 48.},
                                    {0.6, 0.2, 0.2, 25 / 48.},
                                    {0.2, 0.6, 0.2, 25 / 48.},
                                    {0.2, 0.2, 0.6, 25 / 48.}};
  memset(J, 0, 9 * sizeof(double));
  for (int t = 0; t < ntri; t++) {
    const double *a = X + 3 * tri[3 * t], *b = X + 3 * tri[3 * t + 1], *c = X + 3 * tri[3 * t + 2];
    double e[3], f[3], n[3];
    pl_sub3(b, a, e);
    pl_sub3(c, a, f);
    pl_cross3(e, f, n);
    for (int q = 0; q < 4; q++) {
      double x[3];
      for (int d = 0; d < 3; d++) x[d] = rule[q][0] * a[d] + rule[q][1] * b[d] + rule[q][2] * c[d];
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          J[i][j] += rule[q][3] * n[i] / 2 * x[i] * x[i] * x[j] / (i == j ? 3 : 2);
    }
  }
}

static void box_inertia(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int n[3] = {3, 2, 4};
  const double l[3] = {1.5, 0.7, 2.1}, V = l[0] * l[1] * l[2];
  for (int t = PL_TET4; t <= PL_HEX8; t++) {
    pl_mesh *m;
    check_ok(&env, t == PL_TET4 ? pl_gen_tet_box(&env, n, l, &m) : pl_gen_hex_box(&env, n, l, &m));
    int ntri, *tri, *cell;
    check_ok(&env, pl_mesh_surface(m, &ntri, &tri, &cell));
    assert_int_equal(ntri, 4 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]));
    double J[3][3];
    moments(m->X, ntri, tri, J);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) check_close(J[i][j], V * l[i] * l[j] / (i == j ? 3 : 4), 1e-13);

    // each triangle is made of vertices of its owner, and looks away from the owner's middle
    for (int k = 0; k < ntri; k++) {
      int nv = pl_cell_nvert[t];
      const int *v = m->cell[t].v + nv * cell[k], *w = tri + 3 * k;
      double mid[3] = {0}, e[3], f[3];
      for (int a = 0; a < nv; a++)
        for (int d = 0; d < 3; d++) mid[d] += m->X[3 * v[a] + d] / nv;
      pl_sub3(m->X + 3 * w[1], m->X + 3 * w[0], e);
      pl_sub3(m->X + 3 * w[2], m->X + 3 * w[0], f);
      double in[3];
      pl_sub3(mid, m->X + 3 * w[0], in);
      assert_true(tool_det(e, f, in) < 0);
      for (int c = 0; c < 3; c++) {
        int found = 0;
        for (int a = 0; a < nv; a++) found |= v[a] == w[c];
        assert_true(found);
      }
    }
    pl_free(&env, tri);
    pl_free(&env, cell);
    pl_mesh_free(m);
  }
}

static void mixed_surface(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m, *b;
  check_ok(&env, pl_gen_grid(&env, 1, 1, 1, 1, PL_RIGHT, &m));
  check_ok(&env, pl_gen_tet_box(&env, (int[]){1, 1, 1}, (double[]){1, 1, 1}, &b));

  // the tets' bottom has the same diagonal: welded, both triangles are faces of solids
  int ntri, *tri, *cell;
  tool_append(m, b);
  pl_mesh_free(b);
  check_ok(&env, pl_mesh_surface(m, &ntri, &tri, &cell));
  assert_int_equal(ntri, 14);
  assert_int_equal(cell[0], 0);
  assert_true(cell[13] >= 2);
  pl_free(&env, tri);
  pl_free(&env, cell);
  check_ok(&env, pl_mesh_weld(m, 1e-12, NULL));
  check_ok(&env, pl_mesh_surface(m, &ntri, &tri, &cell));
  assert_int_equal(ntri, 12);
  for (int k = 0; k < 12; k++) assert_true(cell[k] >= 2);
  pl_free(&env, tri);
  pl_free(&env, cell);

  // a third cell on an inner face
  check_ok(&env, pl_mesh_set_cells(m, PL_TET4, 3));
  memcpy(m->cell[PL_TET4].v, ((int[]){0, 1, 2, 4, 0, 2, 1, 5, 0, 1, 2, 6}), 12 * sizeof(int));
  check_status(&env, pl_mesh_surface(m, &ntri, &tri, NULL), PL_E_INPUT);
  assert_null(tri);
  pl_mesh_free(m);
}

static pl_status building(pl_env *env, void *ctx) {
  (void)ctx;
  pl_mesh *m = NULL, *b = NULL;
  pl_topology *t = NULL;
  int ntri, *tri = NULL, *cell = NULL, n, part[64];
  pl_status s = pl_gen_grid(env, 2, 2, 1, 1, PL_CROSSED, &m);
  if (s == PL_OK) s = pl_topology_create(m, &t);
  if (s == PL_OK) s = pl_mesh_parts(m, &n, part);
  if (s == PL_OK) s = pl_gen_hex_box(env, (int[]){1, 2, 1}, (double[]){1, 1, 1}, &b);
  if (s == PL_OK) s = pl_mesh_surface(b, &ntri, &tri, &cell);
  pl_free(env, tri);
  pl_free(env, cell);
  pl_topology_free(t);
  pl_mesh_free(m);
  pl_mesh_free(b);
  return s;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(building, NULL);
}

int test_topology(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grids),
      cmocka_unit_test(closed_and_empty),
      cmocka_unit_test(moebius),
      cmocka_unit_test(inconsistent_pair),
      cmocka_unit_test(refused),
      cmocka_unit_test(parts),
      cmocka_unit_test(box_inertia),
      cmocka_unit_test(mixed_surface),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("mesh.topology", tests, NULL, NULL);
}
