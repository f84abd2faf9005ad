// Models made by the builder: what it finds out by itself, values that follow parameters, what it
// refuses.
#include "check.h"

#include "pliant/build.h"
#include "pliant/math.h"

#include <math.h>
#include <string.h>

static pl_env env;

static pl_mesh *grid(int nx, int ny) {
  pl_mesh *m;
  check_ok(&env, pl_gen_grid(&env, nx, ny, 0.1 * nx, 0.1 * ny, PL_RIGHT, &m));
  return m;
}

static pl_body_desc sheet(pl_mesh *m, pl_bending bending) {
  return (pl_body_desc){.name = "sheet",
                        .mesh = m,
                        .young = {.v = 1e6},
                        .poisson = {.v = 0.3},
                        .density = {.v = 1000},
                        .thickness = {.v = 1e-3},
                        .bending = bending};
}

static pl_body_desc wire(pl_mesh *m) {
  return (pl_body_desc){.name = "wire",
                        .kind = PL_BODY_ROD,
                        .mesh = m,
                        .young = {.v = 1e9},
                        .poisson = {.v = 0.3},
                        .density = {.v = 1000},
                        .section = {.width = {.v = 1e-3}, .height = {.v = 1e-3}}};
}

static pl_builder *open_builder(void) {
  pl_builder *b;
  check_ok(&env, pl_builder_create(&env, 3, &b));
  return b;
}

// One edge of a sheet built in: its normals have no unknown, and every triangle on it feels a copy
// of its third vertex that the clamp carries.
static void clamps_build_edges_in(void **state) {
  (void)state;
  pl_mesh *m = grid(4, 3);
  pl_builder *b = open_builder();
  pl_body_desc d = sheet(m, PL_BENDING_MIDEDGE);
  int n, *left;
  pl_built made;
  check_ok(&env, pl_mesh_set_vertices(m, "left", &n, &left));
  assert_int_equal(n, 4);
  pl_build_body(b, &d);
  pl_build_fix(b, n, left, PL_HOLD_CLAMP);
  check_ok(&env, pl_build_model(b, &made));
  // 4 x 3 squares: 17 + 16 edges along and 12 diagonals less the three that are built in
  assert_int_equal(b->ncopy, 3);
  assert_int_equal(b->nextra, 4 * 4 + 5 * 3 + 12 - 3);
  assert_int_equal(pl_model_nnode(made.model), m->nvert + 3);
  assert_int_equal(pl_model_nfree(made.model), 3 * (m->nvert - 4) + b->nextra);
  // membrane and bending; the membrane's elements are the mesh's triangles
  assert_int_equal(b->ngroup, 2);
  assert_int_equal(b->cells[0].type, PL_TRI3);
  assert_int_equal(b->cells[0].first, 0);
  assert_int_equal(b->cells[1].type, -1);
  pl_built_free(&made);
  pl_builder_free(b);
  pl_free(&env, left);
  pl_mesh_free(m);
}

// Three rods meet: a joint with a rotation vector; a free straight wire is kept from spinning.
static void rods_find_their_joints(void **state) {
  (void)state;
  static const double end[3][3] = {{0.2, 0, 0}, {0, 0.2, 0}, {0, 0, 0.2}};
  pl_builder *b = open_builder();
  pl_mesh *m[4];
  pl_built made;
  for (int k = 0; k < 3; k++) {
    check_ok(&env, pl_gen_chain(&env, 4, (double[3]){0}, end[k], &m[k]));
    int *node = pl_build_keep(b, 5, sizeof *node);
    pl_body_desc d = wire(m[k]);
    // ends at one place are one node
    assert_true(pl_build_mesh_nodes(b, m[k], 1e-9, node));
    d.node = node;
    assert_int_equal(pl_build_body(b, &d), k);
  }
  assert_int_equal(b->nnode, 13);
  check_ok(&env, pl_gen_chain(&env, 2, (double[3]){1, 1, 1}, (double[3]){1, 1, 2}, &m[3]));
  pl_body_desc loose = wire(m[3]);
  pl_build_body(b, &loose);
  check_ok(&env, pl_build_model(b, &made));
  // an angle an edge and three of the joint; one angle of the loose wire is held
  assert_int_equal(b->nextra, 14 + 3);
  assert_int_equal(pl_model_nfree(made.model), 3 * 16 + 17 - 1);
  assert_int_equal(made.mesh->cell[PL_SEG2].n, 14);
  pl_built_free(&made);
  pl_builder_free(b);
  for (int k = 0; k < 4; k++) pl_mesh_free(m[k]);
}

// A thickness for every cell with a parameter each: bends between two cells take the mean.
static void cells_have_values_of_their_own(void **state) {
  (void)state;
  pl_mesh *m = grid(2, 1);
  pl_builder *b = open_builder();
  pl_body_desc d = sheet(m, PL_BENDING_HINGE);
  const double h[4] = {1e-3, 2e-3, 3e-3, 4e-3};
  pl_built made;
  for (int k = 0; k < 4; k++) {
    int par = pl_build_parameter(b, "thickness", "m", h[k], 1e-4, 1e-2);
    if (k == 0) d.thickness = (pl_value){.par = par, .coef = 1, .each = h};
  }
  pl_build_body(b, &d);
  check_ok(&env, pl_build_model(b, &made));
  int t = 0;
  while (strcmp(b->group[1].kind->par[t].name, "thickness") != 0) t++;
  for (int e = 0; e < pl_model_group_size(made.model, 1); e++) {
    int at = pl_build_index(b, PL_AT_GROUP, 1, e, t), hits = 0;
    double sum = 0;
    for (int k = 0; k < 4; k++) {
      const pl_design_desc *p = pl_model_design(made.model, k);
      for (int i = 0; i < p->ntarget; i++)
        if (!p->target[i].on_ref && p->target[i].index == at) {
          check_close(p->target[i].coef, 0.5, 1e-15);
          sum += h[k] / 2;
          hits++;
        }
    }
    assert_int_equal(hits, 2);
    check_close(made.params->par[at], sum, 1e-15);
  }
  pl_built_free(&made);
  pl_builder_free(b);
  pl_mesh_free(m);
}

static void wrong_things_are_named(void **state) {
  (void)state;
  pl_mesh *m = grid(2, 1), *line;
  pl_built made;
  // a clamp of one corner builds no edge in
  pl_builder *b = open_builder();
  pl_body_desc d = sheet(m, PL_BENDING_MIDEDGE);
  pl_build_body(b, &d);
  pl_build_fix(b, 1, (int[]){0}, PL_HOLD_CLAMP);
  assert_int_equal(pl_build_model(b, &made), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "clamp"));
  pl_builder_free(b);
  // a solid of triangles
  b = open_builder();
  d.kind = PL_BODY_SOLID;
  assert_int_equal(pl_build_body(b, &d), -1);
  assert_int_equal(pl_build_model(b, &made), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "sheet"));
  pl_builder_free(b);
  // a rod that folds back on itself
  check_ok(&env, pl_gen_chain(&env, 2, (double[3]){0}, (double[3]){1}, &line));
  line->X[6] = 0.1;
  b = open_builder();
  d = wire(line);
  pl_build_body(b, &d);
  assert_int_equal(pl_build_model(b, &made), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "folds back"));
  pl_builder_free(b);
  // a value out of its range
  b = open_builder();
  d = sheet(m, PL_BENDING_NONE);
  d.poisson.v = 2;
  pl_build_body(b, &d);
  assert_int_equal(pl_build_model(b, &made), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "poisson"));
  assert_null(made.model);
  pl_builder_free(b);
  pl_mesh_free(line);
  pl_mesh_free(m);
}

static const pl_obstacle ball = {
    .kind = &pl_obstacle_sphere, .centre = {0.1, 0.1, -0.2}, .radius = 0.15, .mu = 0.3};

// stretches of 1 % along x and 10 % along y
static void add_limit(pl_builder *b, int body, int n, const int *node) {
  double B[1][3];
  pl_limit_ellipse(1.01, 1.1, 0, B[0]);
  const pl_limit l = {.nellipse = 1, .B = (const double(*)[3])B};
  pl_build_limit(b, body, &l, n, node, NULL);
}

// A sheet with a limit in its first square alone, beside one without, over a ball: nodes that are
// held feel nothing, the warp is the body's, triangles know their cells.
static void constraints_are_found(void **state) {
  (void)state;
  pl_mesh *m = grid(2, 1), *other = grid(1, 1);
  pl_builder *b = open_builder();
  pl_body_desc free_sheet = sheet(other, PL_BENDING_NONE), d = sheet(m, PL_BENDING_HINGE);
  pl_built made;
  for (int i = 0; i < other->nvert; i++) other->X[3 * i + 2] = 0.05;
  d.warp[1] = 2;
  pl_build_body(b, &free_sheet);
  int body = pl_build_body(b, &d), first = other->nvert, feels[3] = {first, first + 1, first + 4};
  pl_build_fix(b, 1, &first, PL_HOLD_NODES);
  pl_build_obstacle(b, NULL, &ball);
  assert_int_equal(pl_build_contact(b, 3, feels, 0.01, -1, NULL), 2);
  assert_int_equal(pl_build_contact(b, 1, (int[]){first + 5}, 0, 0.7, NULL), 1);
  pl_build_self_contact(b, 0.04, 0.2, 0, NULL);
  add_limit(b, body, 4, (int[]){first, first + 1, first + 3, first + 4});
  check_ok(&env, pl_build_constraints(b));
  check_ok(&env, pl_build_check_apart(b, NULL));
  assert_int_equal(b->contact.nnode, 3);
  check_array(3, b->contact.mu, ((double[]){0.3, 0.3, 0.7}), 0);
  assert_string_equal(b->obstacle_name[0], "sphere");
  assert_int_equal(b->layers.ntri, 6);
  assert_int_equal(b->sheet.ntri, 4);
  assert_int_equal(b->sheet.fixed[first], 7);
  for (int e = 0; e < 4; e++) {
    assert_int_equal(b->sheet.limit_of[e], e < 2 ? 0 : -1);
    assert_int_equal(b->sheet_cell[e], 2 + e);
  }
  // along y in the world is along the first axis of the material
  const double *rest = b->sheet.rest;
  const int *tri = b->sheet.tri;
  check_close(rest[2] - rest[0], b->X[3 * tri[1] + 1] - b->X[3 * tri[0] + 1], 1e-15);
  check_ok(&env, pl_build_all(b, 1, &made));
  assert_int_equal(made.constraints.contact->npair, 3);
  // at twice its size the square is 2/1.01 of what its warp allows
  double *q = made.state->q;
  for (int i = 0; i < made.state->nq; i++) q[i] *= 2;
  check_close(pl_sheet_violation(made.constraints.sheet, q, NULL), 2 / 1.01 - 1, 1e-12);
  check_close(0.04 * pl_layers_least(made.constraints.layers, made.params->X), 0.05, 1e-15);
  pl_built_free(&made);
  pl_mesh_free(other);
  pl_mesh_free(m);
}

// what starts inside of each other, and limits of what is no shell
static void wrong_constraints_are_named(void **state) {
  (void)state;
  pl_mesh *m = grid(2, 1), *line;
  pl_built made;
  pl_builder *b = open_builder();
  pl_body_desc d = sheet(m, PL_BENDING_NONE);
  pl_obstacle big = ball;
  big.radius = 0.3;
  pl_build_body(b, &d);
  pl_build_obstacle(b, "ball", &big);
  pl_build_contact(b, 1, (int[]){1}, 0, -1, NULL);
  check_ok(&env, pl_build_constraints(b));
  assert_int_equal(pl_build_check_apart(b, NULL), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "inside of obstacle 'ball'"));
  pl_builder_free(b);
  // a region without triangles
  b = open_builder();
  pl_build_body(b, &d);
  add_limit(b, 0, 2, (int[]){0, 1});
  assert_int_equal(pl_build_model(b, &made), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "no triangle of shell 'sheet'"));
  pl_builder_free(b);
  // nodes that are not there
  for (int limits = 0; limits < 2; limits++) {
    b = open_builder();
    pl_build_body(b, &d);
    if (limits)
      add_limit(b, 0, 1, (int[]){-1});
    else
      pl_build_contact(b, 1, (int[]){99}, 0, -1, NULL);
    assert_int_equal(pl_build_model(b, &made), PL_E_INPUT);
    assert_non_null(strstr(env.error.text, limits ? "no node -1" : "no node 99"));
    pl_builder_free(b);
  }
  // of a rod, and layers of shells without a thickness
  check_ok(&env, pl_gen_chain(&env, 2, (double[3]){0}, (double[3]){1}, &line));
  for (int layers = 0; layers < 2; layers++) {
    b = open_builder();
    d = layers ? sheet(m, PL_BENDING_NONE) : wire(line);
    pl_build_body(b, &d);
    if (layers)
      pl_build_self_contact(b, 0, 0, 0, NULL);
    else
      add_limit(b, 0, 0, NULL);
    assert_int_equal(pl_build_model(b, &made), PL_E_INPUT);
    assert_non_null(strstr(env.error.text, layers ? "needs a thickness" : "shells"));
    pl_builder_free(b);
  }
  pl_mesh_free(line);
  pl_mesh_free(m);
}

static pl_status build_all(pl_env *e, void *ctx) {
  pl_mesh *m = NULL, *line = NULL;
  pl_builder *b = NULL;
  pl_built made = {0};
  (void)ctx;
  pl_status s = pl_gen_grid(e, 2, 1, 1, 0.5, PL_RIGHT, &m);
  if (s == PL_OK) s = pl_gen_chain(e, 3, (double[3]){0, 0, 1}, (double[3]){1, 0, 1}, &line);
  if (s == PL_OK) s = pl_builder_create(e, 3, &b);
  if (s == PL_OK) {
    pl_body_desc d = sheet(m, PL_BENDING_MIDEDGE), rod = wire(line);
    pl_build_body(b, &d);
    pl_build_body(b, &rod);
    pl_build_fix(b, 2, (int[]){0, 3}, PL_HOLD_CLAMP);
    pl_build_obstacle(b, NULL, &ball);
    pl_build_contact(b, 2, (int[]){0, 2}, 0, -1, NULL);
    pl_build_self_contact(b, 0.01, 0.1, 0, NULL);
    add_limit(b, 0, 0, NULL);
    s = pl_build_all(b, 1, &made);
  }
  pl_built_free(&made);
  pl_mesh_free(line);
  pl_mesh_free(m);
  return s;
}

// a mass between a spring and the ground, and what is no element
static void elements_one_by_one(void **state) {
  (void)state;
  pl_builder *b;
  pl_built made;
  const pl_setting stiff[] = {{"stiffness", {.v = 50}}, {.name = NULL}};
  const pl_setting heavy[] = {{"mass", {.v = 2}}, {.name = NULL}};
  check_ok(&env, pl_builder_create(&env, 1, &b));
  int node = pl_build_node(b, (double[3]){0}, "m");
  assert_int_equal(pl_build_element(b, pl_elem_find("spring1"), (int[]){-1, node}, stiff), 0);
  assert_int_equal(pl_build_element(b, pl_elem_find("mass1"), &node, heavy), 1);
  check_ok(&env, pl_build_all(b, 1, &made));
  double omega, shape;
  pl_modes_info info;
  check_ok(&env, pl_modes(&(pl_modes_opts){.count = 1}, made.model, made.params, made.state,
                          made.work, &omega, &shape, &info));
  check_close(omega, 5, 1e-12);
  pl_built_free(&made);
  for (int k = 0; k < 2; k++) {
    check_ok(&env, pl_builder_create(&env, 1, &b));
    node = pl_build_node(b, (double[3]){0}, "m");
    pl_build_element(b, pl_elem_find(k ? "spring1" : "teapot"), (int[]){-1, node}, heavy);
    check_status(&env, pl_build_all(b, 1, &made), PL_E_INPUT);
    assert_non_null(
        strstr(env.error.text, k ? "a spring1 has no parameter 'mass'" : "no known kind"));
    pl_built_free(&made);
  }
}

// A body of own arrays in a model that has a host of its own, which tells what is wrong after the
// builder is gone.
static void own_arrays_and_own_host(void **state) {
  (void)state;
  const double X[4][3] = {{0}, {1}, {1, 1}, {0, 1}};
  for (int k = 0; k < 2; k++) {
    const int tri[2][3] = {{0, 1, 2}, {0, 2, 3 + k}};
    pl_builder *b;
    pl_built made;
    assert_int_equal(pl_builder_create(NULL, 3, &b), PL_OK);
    pl_body_desc d = sheet(pl_build_mesh(b, "pair", 4, X[0], PL_TRI3, 2, tri[0]), PL_BENDING_HINGE);
    d.name = NULL;
    int body = pl_build_body(b, &d);
    if (k == 0) assert_string_equal(b->body[body].desc.name, "pair");
    pl_build_shake(b, 2, (int[]){0, 1}, (double[]){0, 0, 0.1}, PL_HOLD_NODES);
    assert_int_equal(pl_build_all(b, 1, &made), k ? PL_E_INPUT : PL_OK);
    if (k) assert_non_null(strstr(made.env->error.text, "mesh 'pair': cell 1 has vertex 4 of 4"));
    if (!k) assert_int_equal(pl_model_nfree(made.model), 6);
    pl_built_free(&made);
  }
  pl_builder *none;
  assert_int_equal(pl_builder_create(NULL, 4, &none), PL_E_ARG);
}

static void memory_may_end_anywhere(void **state) {
  (void)state;
  check_allocations(build_all, NULL);
}

static int setup(void **state) {
  (void)state;
  pl_env_init(&env);
  return 0;
}

int test_build(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clamps_build_edges_in),
      cmocka_unit_test(rods_find_their_joints),
      cmocka_unit_test(cells_have_values_of_their_own),
      cmocka_unit_test(wrong_things_are_named),
      cmocka_unit_test(constraints_are_found),
      cmocka_unit_test(wrong_constraints_are_named),
      cmocka_unit_test(elements_one_by_one),
      cmocka_unit_test(own_arrays_and_own_host),
      cmocka_unit_test(memory_may_end_anywhere),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
