#include "read_support.h"

#include <stdio.h>

static pl_mesh *read_sample(pl_env *env, const char *name) {
  char path[1024];
  pl_mesh *m;
  snprintf(path, sizeof path, MESH_DATA "%s", name);
  check_ok(env, pl_mesh_read(env, path, &m));
  return m;
}

// gmsh writes the same solids as MSH and as INP: same nodes, cells, and sets where both have them
static void same_as_msh(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    pl_env env;
    pl_env_init(&env);
    pl_mesh *a = read_sample(&env, k ? "bricks_41_ascii.msh" : "box_41_ascii.msh");
    pl_mesh *b = read_sample(&env, k ? "bricks.inp" : "box.inp");
    assert_int_equal(a->nvert, b->nvert);
    check_array(3 * a->nvert, b->X, a->X, 0);
    for (int t = PL_TRI3; t < PL_CELL_COUNT; t++) {
      assert_int_equal(a->cell[t].n, b->cell[t].n);
      if (a->cell[t].n > 0)
        assert_memory_equal(a->cell[t].v, b->cell[t].v,
                            (size_t)(a->cell[t].n * pl_cell_nvert[t]) * sizeof(int));
    }
    int nsame = 0;
    for (int i = 0; i < a->nset; i++) {
      const pl_set *s = &a->set[i], *other = named(b, s->name, s->type);
      if (!other) continue;
      assert_int_equal(s->n, other->n);
      assert_memory_equal(s->index, other->index, (size_t)s->n * sizeof(int));
      nsame++;
    }
    assert_int_equal(nsame, 5);
    pl_mesh_free(a);
    pl_mesh_free(b);
  }
}

static void plate_of_gmsh(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m = read_sample(&env, "plate.inp");
  check_close(set_measure(m, "plate", PL_TRI3), 2, 1e-11);
  check_close(set_measure(m, "Surface1", PL_TRI3), 2, 1e-11);
  check_close(set_measure(m, "left", PL_SEG2), 1, 1e-11);
  check_close(set_measure(m, "PhysicalLine77", PL_SEG2), 2, 1e-11);
  assert_int_equal(named(m, "anchor", -1)->n, 1);
  assert_int_equal(named(m, "left", -1)->n, 2);
  pl_mesh_free(m);
}

// what people write by hand: any order and case, comments, continued lines, left-out coordinates
static const char by_hand[] = "** a plate and a beam\r\n"
                              "*Heading\n a title, with words\n"
                              "*elset, elset=Some, generate\n 10, 30, 10\n"
                              "*NSET,\n NSET=\"two words\"\n  7,\n\n** in between\n 3000, \n"
                              "*Element , type = S4R , elset = Top\n"
                              "10, 1, 7,\n 3000,\n 2\n"
                              "*ELEMENT,TYPE=B31\n20,1,7,\n"
                              "*Element, type=cps3\n30, 1, 7, 3000\n"
                              "*Nset, nset=edge, generate\n1, 7, 6\n"
                              "*NSET, NSET=both\nEDGE, 2\n"
                              "*NSET, NSET=ofcells, ELSET=top\n"
                              "*ELSET, ELSET=some\nTOP\n"
                              "*SURFACE, NAME=s, TYPE=ELEMENT\n10, S1\n"
                              "*Node, nset=ALL\n 1\n 7, 1.0D0\n3000, 1., 1e0, \n2,,1\n"
                              "*MATERIAL, NAME=steel\n*ELASTIC\n210000, 0.3\n"
                              "*STEP\n*NODE PRINT, NSET=ALL\nU\n*END STEP";

static void written_by_hand(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, parse_text(&env, "inp", by_hand, &m));
  const double X[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  assert_int_equal(m->nvert, 4);
  check_array(12, m->X, X, 0);
  check_close(set_measure(m, "Top", PL_QUAD4), 1, 0);
  check_close(total_measure(m, PL_SEG2), 1, 0);
  check_close(total_measure(m, PL_TRI3), 0.5, 0);
  // names in either case are the same set, spelt as met first
  check_close(set_measure(m, "Some", PL_TRI3), 0.5, 0);
  check_close(set_measure(m, "Some", PL_QUAD4), 1, 0);
  assert_null(named(m, "some", PL_QUAD4));
  assert_int_equal(named(m, "two words", -1)->n, 2);
  assert_int_equal(named(m, "edge", -1)->n, 2);
  assert_int_equal(named(m, "both", -1)->n, 3);
  assert_int_equal(named(m, "ALL", -1)->n, 4);
  check_close(set_measure(m, "ofcells", PL_QUAD4), 1, 0);
  pl_mesh_free(m);
}

// one part, one instance where it was drawn, sets in the assembly, as Abaqus/CAE writes them
static void one_part(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  const char *text = "*Part, name=Part-1\n*Node\n1, 0., 0., 0.\n2, 1., 0., 0.\n3, 0., 1., 0.\n"
                     "4, 0., 0., 1.\n*Element, type=C3D4H\n1, 1, 2, 3, 4\n*End Part\n"
                     "*Assembly, name=Assembly\n*Instance, name=Part-1-1, part=Part-1\n"
                     "*End Instance\n*Nset, nset=Set-1, instance=Part-1-1\n 1, 2\n"
                     "*Elset, elset=Set-1, instance=Part-1-1\n 1,\n*End Assembly\n";
  check_ok(&env, parse_text(&env, "inp", text, &m));
  check_close(set_measure(m, "Set-1", PL_TET4), 1.0 / 6, 1e-15);
  assert_int_equal(named(m, "Set-1", -1)->n, 2);
  pl_mesh_free(m);

  // the nodes of an instance of its own
  const char *own = "*Assembly, name=A\n*Instance, name=I, part=P\n*Node\n1,0,0\n2,1,0\n3,0,1\n"
                    "*Element, type=S3R\n1,1,2,3\n*End Instance\n*End Assembly\n";
  check_ok(&env, parse_text(&env, "inp", own, &m));
  check_close(total_measure(m, PL_TRI3), 0.5, 0);
  pl_mesh_free(m);
}

// sides by the numbers of Abaqus, of first and second order, of elements, sets and nodes
static void surfaces(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  pl_text t;
  pl_text_init(&t, &env);
  // a cube of 20 nodes: corners, then nodes of the edges below, above and between
  static const double c[8][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0},
                                 {0, 0, 2}, {2, 0, 2}, {2, 2, 2}, {0, 2, 2}};
  static const int edge[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                  {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  pl_text_add(&t, "*NODE\n");
  for (int i = 0; i < 20; i++) {
    double x[3];
    for (int d = 0; d < 3; d++)
      x[d] = i < 8 ? c[i][d] : 0.5 * (c[edge[i - 8][0]][d] + c[edge[i - 8][1]][d]);
    pl_text_add(&t, "%d,%g,%g,%g\n", i + 1, x[0], x[1], x[2]);
  }
  pl_text_add(&t, "21,2,2,4\n22,2,1,3\n23,2,2,3\n24,1,2,3\n*ELEMENT,TYPE=C3D20R,ELSET=cube\n"
                  "1,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,\n17,18,19,20\n"
                  "*ELEMENT,TYPE=C3D10M\n2,6,7,8,21,14,15,16,22,23,24\n"
                  "*SURFACE,NAME=low\ncube,S1\n*SURFACE,TYPE=ELEMENT,NAME=high\n1,S2\n"
                  "*SURFACE,NAME=y0\n1,S3\n*SURFACE,NAME=x2\n1,S4\n*SURFACE,NAME=y2\n1,S5\n"
                  "*SURFACE,NAME=x0\n1,s6\n*SURFACE,NAME=tet\n2,S1\n2,S3\n"
                  "*NSET,NSET=few\n1,2\n*SURFACE,TYPE=NODE,NAME=points\nfew,1.0\n7,\n");
  check_ok(&env, pl_mesh_parse(&env, "inp", "test", t.s, t.n, &m));
  static const struct {
    const char *name;
    int axis;
    double at;
  } side[6] = {{"low", 2, 0}, {"high", 2, 2}, {"y0", 1, 0},
               {"x2", 0, 2},  {"y2", 1, 2},   {"x0", 0, 0}};
  for (int k = 0; k < 6; k++) {
    const pl_set *s = named(m, side[k].name, -1);
    assert_int_equal(s->n, 8);
    for (int i = 0; i < 8; i++) check_close(m->X[3 * s->index[i] + side[k].axis], side[k].at, 0);
  }
  // corners 1 2 3 and 2 4 3 with the nodes between
  assert_int_equal(named(m, "tet", -1)->n, 9);
  assert_int_equal(named(m, "points", -1)->n, 3);
  pl_mesh_free(m);
  pl_text_free(&t);
}

// sets that name each other in turn double their members with every line, unless repeats go
static void sets_of_sets(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_text t;
  pl_mesh *m;
  pl_text_init(&t, &env);
  pl_text_add(&t, "*NODE\n1,0\n2,1\n3,2\n*ELEMENT,TYPE=T3D2\n1,1,2\n2,2,3\n"
                  "*NSET,NSET=a\n1,3\n*NSET,NSET=b\n3,1\n");
  for (int k = 0; k < 60; k++) pl_text_add(&t, "*NSET,NSET=%c\n%c,a,b\n", "ab"[k % 2], "ba"[k % 2]);
  check_ok(&env, pl_mesh_parse(&env, "inp", "test", t.s, t.n, &m));
  assert_int_equal(named(m, "a", -1)->n, 2);
  pl_mesh_free(m);
  pl_text_free(&t);
}

// names are relative to the file that has them; text without a file may not open any
static void included_files(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m = read_sample(&env, "parts/box.inp");
  assert_int_equal(m->nvert, 8);
  check_close(set_measure(m, "box", PL_TET4), 1, 1e-14);
  check_close(set_measure(m, "second", PL_TET4), 0.5, 1e-14);
  assert_int_equal(named(m, "all", -1)->n, 3);
  assert_int_equal(named(m, "floor", -1)->n, 4);
  pl_mesh_free(m);
  assert_int_equal(parse_text(&env, "inp", "*INCLUDE, INPUT=/etc/hosts\n", &m), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "is read in files only"));
}

static pl_status opening(pl_env *env, void *ctx) {
  pl_mesh *m;
  PL_TRY(pl_mesh_read(env, ctx, &m));
  pl_mesh_free(m);
  return PL_OK;
}

static pl_status reading(pl_env *env, void *ctx) {
  pl_mesh *m;
  PL_TRY(parse_text(env, "inp", ctx, &m));
  pl_mesh_free(m);
  return PL_OK;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(reading, (void *)(uintptr_t)by_hand);
  check_allocations(opening, (void *)(uintptr_t)(MESH_DATA "parts/box.inp"));
}

int test_read_inp(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_as_msh),     cmocka_unit_test(plate_of_gmsh),
      cmocka_unit_test(written_by_hand), cmocka_unit_test(one_part),
      cmocka_unit_test(surfaces),        cmocka_unit_test(sets_of_sets),
      cmocka_unit_test(included_files),  cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("mesh.read_inp", tests, NULL, NULL);
}
