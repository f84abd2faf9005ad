// Cells of second order: read, made, cut, refined, checked.
#include "mesh_tools.h"
#include "read_support.h"

#include <stdio.h>

static pl_mesh *read_named(pl_env *env, const char *name) {
  char path[1024];
  pl_mesh *m;
  snprintf(path, sizeof path, MESH_DATA "%s", name);
  check_ok(env, pl_mesh_read(env, path, &m));
  return m;
}

// ends of the edges in VTK's order, by digits
static const char *const edges[PL_CELL_COUNT] = {[PL_SEG3] = "01",
                                                 [PL_TRI6] = "011220",
                                                 [PL_QUAD8] = "01122330",
                                                 [PL_TET10] = "011220031323",
                                                 [PL_HEX20] = "011223304556677404152637"};

// all vertices on edges lie in the middle: files with another order were put into ours
static void check_middles(const pl_mesh *m) {
  for (int t = PL_SEG3; t < PL_CELL_COUNT; t++)
    for (int i = 0; i < m->cell[t].n; i++)
      for (int e = 0, n = pl_cell_nvert[pl_cell_corners[t]]; n + e < pl_cell_nvert[t]; e++) {
        const double *a = corner(m, t, i, edges[t][2 * e] - '0');
        const double *b = corner(m, t, i, edges[t][2 * e + 1] - '0');
        for (int d = 0; d < 3; d++)
          check_close(corner(m, t, i, n + e)[d], 0.5 * (a[d] + b[d]), 1e-11);
      }
}

static void files_of_gmsh(void **state) {
  (void)state;
  static const char *const name[] = {"plate_second_22.msh",  "plate_second_41.msh",
                                     "plate_second.inp",     "box_second_22.msh",
                                     "box_second_41.msh",    "box_second.inp",
                                     "bricks_second_22.msh", "bricks_second_41.msh",
                                     "bricks_second.inp",    "bricks_complete_41.msh"};
  for (int k = 0; k < 10; k++) {
    pl_env env;
    pl_env_init(&env);
    pl_mesh *m = read_named(&env, name[k]), *low;
    int type = k < 3 ? PL_TRI6 : k < 6 ? PL_TET10 : PL_HEX20;
    assert_true(m->cell[type].n > 0);
    check_middles(m);
    assert_int_equal(pl_mesh_check(m), PL_OK);
    // corners alone make the plate or box of volume 2 again
    check_ok(&env, pl_mesh_lower(m, 1, &low));
    check_close(total_measure(low, (int)pl_cell_corners[type]), 2, 1e-11);
    pl_mesh_free(low);
    pl_mesh_free(m);
  }
}

// a box raised: the same files that gmsh makes, sets with the vertices between theirs, VTU and back
static void raised(void **state) {
  (void)state;
  for (int hex = 0; hex < 2; hex++) {
    pl_env env;
    pl_env_init(&env);
    pl_mesh *m, *r, *back;
    const int n[3] = {2, 3, 1};
    const double l[3] = {1, 2, 3};
    check_ok(&env, hex ? pl_gen_hex_box(&env, n, l, &m) : pl_gen_tet_box(&env, n, l, &m));
    check_ok(&env, pl_mesh_raise(m, 1, 1, &r));
    int type = hex ? PL_HEX20 : PL_TET10;
    assert_int_equal(r->cell[type].n, m->cell[hex ? PL_HEX8 : PL_TET4].n);
    check_middles(r);
    // faces of a box of cells have so many vertices on edges: along both sides, and the diagonals
    int left = 4 * 2 + 3 * 2 + 4 * 1 + (hex ? 0 : 3);
    assert_int_equal(pl_mesh_find_set(r, "left")->n, left);
    for (int i = 0; i < left; i++)
      check_close(r->X[3 * pl_mesh_find_set(r, "left")->index[i]], 0, 0);
    check_ok(&env, pl_mesh_check(r));
    check_ok(&env, pl_mesh_write_vtu(r, NULL, 0, NULL, NULL, "order.vtu"));
    check_ok(&env, pl_mesh_read(&env, "order.vtu", &back));
    assert_int_equal(back->cell[type].n, r->cell[type].n);
    assert_memory_equal(back->cell[type].v, r->cell[type].v,
                        (size_t)(r->cell[type].n * pl_cell_nvert[type]) * sizeof(int));
    pl_mesh_free(back);
    pl_mesh_free(m);
    pl_mesh_free(r);
  }
  remove("order.vtu");
}

// cells of both orders: where they meet they share the vertices on their edges, moved ones too
static void raised_beside_second_order(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m, *all, *both, *r;
  const int n[3] = {2, 2, 1};
  const double l[3] = {1, 1, 1};
  check_ok(&env, pl_gen_tet_box(&env, n, l, &m));
  check_ok(&env, pl_mesh_raise(m, 1, 0, &all));
  for (int i = m->nvert; i < all->nvert; i++) all->X[3 * i] += 0.01;
  // every other cell loses its vertices on edges, which its neighbours keep
  int ncell = m->cell[PL_TET4].n, half = ncell / 2;
  check_ok(&env, pl_mesh_create(&env, "both", all->nvert, &both));
  memcpy(both->X, all->X, 3 * (size_t)all->nvert * sizeof *all->X);
  check_ok(&env, pl_mesh_set_cells(both, PL_TET4, half));
  check_ok(&env, pl_mesh_set_cells(both, PL_TET10, ncell - half));
  for (int i = 0; i < ncell; i++) {
    int type = i % 2 ? PL_TET4 : PL_TET10, nv = pl_cell_nvert[type];
    memcpy(both->cell[type].v + (size_t)(i / 2) * (size_t)nv, all->cell[PL_TET10].v + 10 * i,
           (size_t)nv * sizeof(int));
  }
  int set[] = {0, 1, 2, 3};
  check_ok(&env, pl_mesh_add_set(both, "some", -1, 4, set));
  check_ok(&env, pl_mesh_raise(both, 1, 0, &r));
  assert_int_equal(r->cell[PL_TET10].n, ncell);
  int differ = 0;
  for (int i = 0; i < half; i++)
    for (int k = 0; k < 10; k++) {
      int got = r->cell[PL_TET10].v[10 * (ncell - half + i) + k];
      int want = all->cell[PL_TET10].v[10 * (2 * i + 1) + k];
      differ += got != want;
      assert_true(got == want || got >= all->nvert);
    }
  // new ones where a cell that lost them has an edge of its own, on the skin
  assert_true(differ < half);
  assert_true(r->nvert - all->nvert <= differ);
  pl_mesh_free(r);
  pl_mesh_free(both);
  pl_mesh_free(all);
  pl_mesh_free(m);
}

// area and enclosed volume of a surface
static double enclosed(const pl_mesh *m, int ntri, const int *tri, double *area) {
  double v = 0;
  const double origin[3] = {0, 0, 0};
  *area = 0;
  for (int i = 0; i < ntri; i++) {
    const double *a = m->X + 3 * tri[3 * i], *b = m->X + 3 * tri[3 * i + 1],
                 *c = m->X + 3 * tri[3 * i + 2];
    *area += tri_area(a, b, c);
    v += triple(origin, a, b, c) / 6;
  }
  return v;
}

static void surfaces(void **state) {
  (void)state;
  for (int hex = 0; hex < 2; hex++) {
    pl_env env;
    pl_env_init(&env);
    pl_mesh *m, *r;
    int ntri, *tri, *cell;
    double area;
    const int n[3] = {2, 3, 1};
    const double l[3] = {1, 2, 3};
    check_ok(&env, hex ? pl_gen_hex_box(&env, n, l, &m) : pl_gen_tet_box(&env, n, l, &m));
    check_ok(&env, pl_mesh_raise(m, 1, 1, &r));
    check_ok(&env, pl_mesh_surface(r, &ntri, &tri, &cell));
    assert_int_equal(ntri, hex ? 6 * 22 : 4 * 44);
    // outwards, and every vertex of the surface is on it
    check_rel(enclosed(r, ntri, tri, &area), 6, 1e-13);
    check_rel(area, 22, 1e-13);
    int inside = r->nvert;
    char *on = calloc((size_t)r->nvert, 1);
    for (int i = 0; i < 3 * ntri; i++) on[tri[i]] = 1;
    for (int i = 0; i < r->nvert; i++) {
      const double *x = r->X + 3 * i;
      int face = x[0] == 0 || x[0] == 1 || x[1] == 0 || x[1] == 2 || x[2] == 0 || x[2] == 3;
      assert_int_equal(face, on[i]);
      inside -= on[i];
    }
    assert_true(inside > 0);
    free(on);
    pl_free(&env, tri);
    pl_free(&env, cell);
    pl_mesh_free(m);
    pl_mesh_free(r);
  }
}

// all vertices of a ball of radius 1 between 0.5 and 1, edges bent
static void bend(pl_mesh *m) {
  for (int i = 0; i < m->nvert; i++) {
    double *x = m->X + 3 * i;
    x[0] += 0.1 * x[1] * x[1];
    x[2] += 0.05 * x[0] * x[1];
  }
}

// z -> z + 0.1 x y is what curved cells hold exactly: refined, all vertices stand on that map again
static void refined(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m, *r, *fine;
  const int n[3] = {1, 2, 1};
  const double l[3] = {1, 1, 1};
  check_ok(&env, pl_gen_tet_box(&env, n, l, &m));
  check_ok(&env, pl_mesh_raise(m, 1, 0, &r));
  for (int i = 0; i < r->nvert; i++) r->X[3 * i + 2] += 0.1 * r->X[3 * i] * r->X[3 * i + 1];
  check_ok(&env, pl_mesh_refine(r, &fine));
  assert_int_equal(fine->cell[PL_TET10].n, 8 * r->cell[PL_TET10].n);
  // a lattice of quarters of a cell
  assert_int_equal(fine->nvert, 5 * 9 * 5);
  for (int i = 0; i < fine->nvert; i++) {
    const double *x = fine->X + 3 * i;
    double z = x[2] - 0.1 * x[0] * x[1];
    check_close(4 * x[0], rint(4 * x[0]), 1e-13);
    check_close(8 * x[1], rint(8 * x[1]), 1e-13);
    check_close(4 * z, rint(4 * z), 1e-13);
  }
  check_ok(&env, pl_mesh_check(fine));
  bend(fine);
  check_ok(&env, pl_mesh_check(fine));
  pl_mesh_free(fine);
  pl_mesh_free(r);
  pl_mesh_free(m);
  check_ok(&env, pl_gen_hex_box(&env, n, l, &m));
  check_ok(&env, pl_mesh_raise(m, 0, 1, &r));
  check_status(&env, pl_mesh_refine(r, &fine), PL_E_INPUT);
  pl_mesh_free(r);
  pl_mesh_free(m);
}

// turned round they are sound again; bent too far they are folded
static void checks(void **state) {
  (void)state;
  for (int hex = 0; hex < 2; hex++) {
    pl_env env;
    pl_env_init(&env);
    heard h = {0};
    env.diag = hear;
    env.diag_ctx = &h;
    pl_mesh *m, *r;
    const int n[3] = {2, 1, 1};
    const double l[3] = {1, 1, 1};
    check_ok(&env, hex ? pl_gen_hex_box(&env, n, l, &m) : pl_gen_tet_box(&env, n, l, &m));
    check_ok(&env, pl_mesh_raise(m, 1, 1, &r));
    for (int i = 0; i < r->nvert; i++) r->X[3 * i] *= -1;
    check_ok(&env, pl_mesh_check(r));
    assert_int_equal(h.count[PL_NOTE], 1);
    check_middles(r);
    int type = hex ? PL_HEX20 : PL_TET10, nv = pl_cell_nvert[pl_cell_corners[type]];
    const int *v = r->cell[type].v;
    // the middle of edge 0-1 beyond three quarters of the way turns the slope at 1 round
    for (int d = 0; d < 3; d++)
      r->X[3 * v[nv] + d] = 0.2 * r->X[3 * v[0] + d] + 0.8 * r->X[3 * v[1] + d];
    check_status(&env, pl_mesh_check(r), PL_E_INPUT);
    assert_non_null(strstr(env.error.text, "folded"));
    pl_mesh_free(m);
    pl_mesh_free(r);
  }
}

// one cell of many that a mesher folded is made straighter, the rest stays as it is
static void few_folded(void **state) {
  (void)state;
  for (int hex = 0; hex < 2; hex++) {
    pl_env env;
    pl_env_init(&env);
    heard h = {0};
    env.diag = hear;
    env.diag_ctx = &h;
    pl_mesh *m, *r, *old;
    const int n[3] = {4, 6, 8};
    const double l[3] = {4, 6, 8};
    check_ok(&env, hex ? pl_gen_hex_box(&env, n, l, &m) : pl_gen_tet_box(&env, n, l, &m));
    check_ok(&env, pl_mesh_raise(m, 1, 1, &r));
    int type = hex ? PL_HEX20 : PL_TET10, nv = pl_cell_nvert[pl_cell_corners[type]];
    const int *v = r->cell[type].v;
    for (int d = 0; d < 3; d++)
      r->X[3 * v[nv] + d] = 0.2 * r->X[3 * v[0] + d] + 0.8 * r->X[3 * v[1] + d];
    check_ok(&env, pl_mesh_copy(r, &old));
    check_ok(&env, pl_mesh_check(r));
    assert_int_equal(h.count[PL_WARNING], 1);
    assert_non_null(strstr(h.text, "edges were made straighter"));
    for (int i = 0; i < r->nvert; i++)
      if (i != v[nv]) check_array(3, r->X + 3 * i, old->X + 3 * i, 1e-15);
    // within a quarter of the edge of its middle nothing is folded
    for (int d = 0; d < 3; d++) {
      double edge = r->X[3 * v[1] + d] - r->X[3 * v[0] + d];
      double at = r->X[3 * v[nv] + d] - r->X[3 * v[0] + d];
      assert_true(fabs(at - 0.5 * edge) <= 0.2 * fabs(edge) + 1e-12);
    }
    check_ok(&env, pl_mesh_check(r));
    assert_int_equal(h.count[PL_WARNING], 1);
    pl_mesh_free(m);
    pl_mesh_free(r);
    pl_mesh_free(old);
  }
}

// faces of second order as triangles for shells: area stays
static void cut_faces(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m = read_named(&env, "plate_second_22.msh"), *low;
  check_ok(&env, pl_mesh_lower(m, 0, &low));
  assert_int_equal(low->cell[PL_TRI3].n, 4 * m->cell[PL_TRI6].n);
  check_close(total_measure(low, PL_TRI3), 2, 1e-11);
  check_close(set_measure(low, "skin", PL_TRI3), 2, 1e-11);
  check_close(set_measure(low, "left", PL_SEG2), 1, 1e-11);
  pl_mesh_free(low);
  pl_mesh_free(m);
  m = read_named(&env, "bricks_second_22.msh");
  check_ok(&env, pl_mesh_lower(m, 0, &low));
  assert_int_equal(low->cell[PL_TRI3].n, 6 * m->cell[PL_QUAD8].n);
  check_close(set_measure(low, "shell", PL_TRI3), 10, 1e-11);
  pl_mesh_free(low);
  pl_mesh_free(m);
}

int test_order(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(files_of_gmsh),
                                     cmocka_unit_test(raised),
                                     cmocka_unit_test(raised_beside_second_order),
                                     cmocka_unit_test(surfaces),
                                     cmocka_unit_test(refined),
                                     cmocka_unit_test(checks),
                                     cmocka_unit_test(few_folded),
                                     cmocka_unit_test(cut_faces)};
  return cmocka_run_group_tests_name("mesh.order", tests, NULL, NULL);
}
