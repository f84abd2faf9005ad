// Prisms and pyramids, and what stands beside them, become tetrahedra that fit together.
#include "read_support.h"

#include <stdio.h>
#include <stdlib.h>

static pl_mesh *read_sample(pl_env *env, const char *name) {
  char path[1024];
  pl_mesh *m;
  snprintf(path, sizeof path, MESH_DATA "%s", name);
  check_ok(env, pl_mesh_read(env, path, &m));
  return m;
}

static int compare_face(const void *a, const void *b) {
  return memcmp(a, b, 3 * sizeof(int));
}

static void sort3(int *f) {
  for (int k = 0; k < 3; k++)
    for (int l = k + 1; l < 3; l++)
      if (f[l] < f[k]) {
        int t = f[k];
        f[k] = f[l];
        f[l] = t;
      }
}

// area of the faces that one tetrahedron alone has; fails when three share one
static double skin_area(const pl_mesh *m, int type) {
  static const int side[4][3] = {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 2, 3}};
  int n = 4 * m->cell[type].n;
  int(*face)[3] = malloc((size_t)n * sizeof *face);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++)
      face[i][k] = m->cell[type].v[pl_cell_nvert[type] * (i / 4) + side[i % 4][k]];
    sort3(face[i]);
  }
  qsort(face, (size_t)n, sizeof *face, compare_face);
  double area = 0;
  for (int i = 0, last; i < n; i = last) {
    for (last = i + 1; last < n && compare_face(face[i], face[last]) == 0;) last++;
    assert_true(last - i <= 2);
    const int *f = face[i];
    if (last - i == 1) area += tri_area(m->X + 3 * f[0], m->X + 3 * f[1], m->X + 3 * f[2]);
  }
  free(face);
  return area;
}

// every vertex between two corners lies in their middle: the sides of the samples are straight
static void check_middles(const pl_mesh *m) {
  static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  for (int i = 0; i < m->cell[PL_TET10].n; i++)
    for (int e = 0; e < 6; e++)
      for (int c = 0; c < 3; c++)
        check_close(
            corner(m, PL_TET10, i, 4 + e)[c],
            0.5 * (corner(m, PL_TET10, i, edge[e][0])[c] + corner(m, PL_TET10, i, edge[e][1])[c]),
            1e-9);
}

static double set_volume(const pl_mesh *m, const char *name, int type) {
  const pl_set *s = named(m, name, type);
  double sum = 0;
  assert_non_null(s);
  for (int i = 0; i < s->n; i++)
    sum += triple(corner(m, type, s->index[i], 0), corner(m, type, s->index[i], 1),
                  corner(m, type, s->index[i], 2), corner(m, type, s->index[i], 3)) /
           6;
  return sum;
}

static double set_area(const pl_mesh *m, const char *name, int type) {
  const pl_set *s = named(m, name, type);
  double sum = 0;
  assert_non_null(s);
  for (int i = 0; i < s->n; i++)
    sum += tri_area(corner(m, type, s->index[i], 0), corner(m, type, s->index[i], 1),
                    corner(m, type, s->index[i], 2));
  return sum;
}

// hexahedra and prisms of gmsh: [0,2] x [0,1] x [0,1]
static void hear(void *ctx, const pl_diag *d) {
  if (d->level == PL_NOTE) memcpy(ctx, d->text, PL_TEXT);
}

static void prisms_beside_hexahedra(void **state) {
  (void)state;
  static const char *const name[] = {"mixed_22.msh", "mixed_41.msh", "mixed_second_22.msh",
                                     "mixed_complete_41.msh"};
  for (int k = 0; k < 4; k++) {
    pl_env env;
    char note[PL_TEXT] = "";
    pl_env_init(&env);
    env.diag = hear;
    env.diag_ctx = note;
    pl_mesh *m = read_sample(&env, name[k]);
    assert_string_equal(note, "28 prisms or pyramids, and the 8 hexahedra with them, were split "
                              "into tetrahedra");
    int solid = k < 2 ? PL_TET4 : PL_TET10, face = k < 2 ? PL_TRI3 : PL_TRI6;
    for (int t = 0; t < PL_CELL_COUNT; t++)
      if (t != solid && t != face) assert_int_equal(m->cell[t].n, 0);
    check_close(set_volume(m, "hexes", solid), 1, 1e-9);
    check_close(set_volume(m, "prisms", solid), 1, 1e-9);
    check_close(skin_area(m, solid), 10, 1e-9);
    check_close(set_area(m, "top", face), 2, 1e-9);
    check_close(set_area(m, "far", face), 1, 1e-9);
    check_middles(m);
    // no vertex is left over
    char *used = calloc((size_t)m->nvert, 1);
    for (int i = 0; i < m->cell[solid].n * pl_cell_nvert[solid]; i++) used[m->cell[solid].v[i]] = 1;
    for (int i = 0; i < m->nvert; i++) assert_true(used[i]);
    free(used);
    pl_mesh_free(m);
  }
}

// sets of nodes get those that are new within their faces
static void nodes_of_faces(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m = read_sample(&env, "mixed_second.inp");
  const pl_set *top = named(m, "top", -1);
  int n = 0;
  assert_non_null(top);
  for (int i = 0; i < m->nvert; i++) n += fabs(m->X[3 * i + 2] - 1) < 1e-9;
  assert_int_equal(top->n, n);
  for (int i = 0; i < top->n; i++) check_close(m->X[3 * top->index[i] + 2], 1, 1e-9);
  pl_mesh_free(m);
}

// six pyramids of a cube around its centre and a prism on its side, in all orders of the corners
// that a number can have; sides of a surface
static void pyramids(void **state) {
  (void)state;
  static const int corner_at[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  static const int side[6][4] = {{0, 1, 2, 3}, {4, 7, 6, 5}, {0, 4, 5, 1},
                                 {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}};
  for (int seed = 0; seed < 40; seed++) {
    // 7 and 11 have no common factor with 11 and 8: another order of the numbers each time
    int id[11];
    for (int i = 0; i < 11; i++) id[i] = 1 + (i * (1 + seed % 10) + seed) % 11;
    pl_env env;
    pl_env_init(&env);
    pl_text t = {.env = &env};
    pl_text_add(&t, "*NODE\n");
    for (int want = 1; want <= 11; want++)
      for (int i = 0; i < 11; i++) {
        if (id[i] != want) continue;
        if (i < 8)
          pl_text_add(&t, "%d,%d,%d,%d\n", want, corner_at[i][0], corner_at[i][1], corner_at[i][2]);
        else
          pl_text_add(&t, "%d,%g,%g,%g\n", want, i == 8 ? 0.5 : 2, i == 8 ? 0.5 : i - 9.,
                      i == 8 ? 0.5 : 0);
      }
    pl_text_add(&t, "*ELEMENT,TYPE=C3D5,ELSET=cube\n");
    for (int f = 0; f < 6; f++)
      pl_text_add(&t, "%d,%d,%d,%d,%d,%d\n", f + 1, id[side[f][0]], id[side[f][1]], id[side[f][2]],
                  id[side[f][3]], id[8]);
    pl_text_add(&t, "*ELEMENT,TYPE=C3D6,ELSET=ramp\n7,%d,%d,%d,%d,%d,%d\n", id[1], id[9], id[5],
                id[2], id[10], id[6]);
    pl_text_add(&t, "*SURFACE,NAME=end\n7,S1\n*SURFACE,NAME=floor\n1,S1\n7,S3\n");
    pl_mesh *m;
    check_ok(&env, pl_mesh_parse(&env, "inp", "test", t.s, t.n, &m));
    assert_int_equal(m->cell[PL_TET4].n, 15);
    check_close(set_measure(m, "cube", PL_TET4), 1, 1e-14);
    check_close(set_measure(m, "ramp", PL_TET4), 0.5, 1e-14);
    for (int i = 0; i < 15; i++) assert_true(cell_measure(m, PL_TET4, i) > 0);
    check_close(skin_area(m, PL_TET4), 5 + 1 + sqrt(2) + 1, 1e-14);
    assert_int_equal(named(m, "end", -1)->n, 3);
    assert_int_equal(named(m, "floor", -1)->n, 6);
    pl_mesh_free(m);
    pl_text_free(&t);
  }
}

static pl_status reading(pl_env *env, void *ctx) {
  pl_mesh *m;
  PL_TRY(pl_mesh_read(env, ctx, &m));
  pl_mesh_free(m);
  return PL_OK;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(reading, (void *)(uintptr_t)(MESH_DATA "mixed_complete_41.msh"));
}

int test_read_split(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prisms_beside_hexahedra),
      cmocka_unit_test(nodes_of_faces),
      cmocka_unit_test(pyramids),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("mesh.read_split", tests, NULL, NULL);
}
