// Recovered stress: uniform states to the last bits, linear ones by patches, materials and sheets
// that do not share, layers of a bent strip, one node alone, memory that ends.
#include "check.h"
#include "models.h"

#include "pliant/math.h"
#include "pliant/recover.h"

#include <math.h>
#include <string.h>

static pl_env env;

static void box_mesh(int hex, int order, const int *n, pl_mesh **out) {
  const double size[3] = {2, 1, 0.5};
  pl_mesh *plain;
  check_ok(&env, (hex ? pl_gen_hex_box : pl_gen_tet_box)(&env, n, size, &plain));
  *out = plain;
  if (order == 1) return;
  check_ok(&env, pl_mesh_raise(plain, !hex, hex, out));
  pl_mesh_free(plain);
}

typedef struct body {
  pl_mesh *mesh;
  pl_built b;
  pl_group_cells cells[8];
  pl_recover *r;
} body;

static void finish(pl_builder *b, body *x) {
  check_ok(&env, pl_build_join(b));
  memcpy(x->cells, b->cells, (size_t)b->ngroup * sizeof *b->cells);
  check_ok(&env, pl_build_all(b, 1, &x->b));
  check_ok(&env, pl_recover_create(&env, x->b.model, x->b.params, x->b.mesh, x->cells, &x->r));
}

static void make_solid(int hex, int order, pl_solid_form form, pl_law law, body *x) {
  pl_builder *b;
  box_mesh(hex, order, (int[]){3, 2, 2}, &x->mesh);
  check_ok(&env, pl_builder_create(&env, 3, &b));
  pl_build_body(b, &(pl_body_desc){.name = "box",
                                   .kind = PL_BODY_SOLID,
                                   .mesh = x->mesh,
                                   .young = {.v = 1e6},
                                   .poisson = {.v = 0.3},
                                   .density = {.v = 1000},
                                   .form = form,
                                   .law = law});
  finish(b, x);
}

static void drop(body *x) {
  pl_recover_free(x->r);
  pl_built_free(&x->b);
  pl_mesh_free(x->mesh);
}

// the same tensors at all nodes and cells, no error, and each node alone
static void uniform_states(void **state) {
  (void)state;
  static const struct {
    int hex, order;
    pl_solid_form form;
    pl_law law;
  } kinds[] = {{0, 1, PL_SOLID_PLAIN, PL_LAW_STVK},    {0, 2, PL_SOLID_PLAIN, PL_LAW_STVK},
               {0, 2, PL_SOLID_MEAN, PL_LAW_STVK},     {0, 2, PL_SOLID_MEAN, PL_LAW_NEO_HOOKEAN},
               {1, 1, PL_SOLID_ENHANCED, PL_LAW_STVK}, {1, 1, PL_SOLID_PLAIN, PL_LAW_NEO_HOOKEAN},
               {1, 2, PL_SOLID_PLAIN, PL_LAW_STVK}};
  static const double F[9] = {1.1, 0.05, 0, -0.02, 0.95, 0.03, 0.01, 0, 1.02};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    body x = {0};
    make_solid(kinds[k].hex, kinds[k].order, kinds[k].form, kinds[k].law, &x);
    double *q = x.b.state->q;
    for (int i = 0; i < x.b.mesh->nvert; i++)
      for (int c = 0; c < 3; c++) q[3 * i + c] = pl_dot3(F + 3 * c, x.b.mesh->X + 3 * i);
    check_ok(&env, pl_recover_stress(x.r, x.b.params, x.b.state, NULL));
    assert_int_equal(x.r->nslot, x.b.mesh->nvert);
    assert_int_equal(x.r->nlayer, 1);
    const double *want = (const double *)&x.r->mean[0][0];
    double size = pl_max_abs(6, x.r->mean[0][0].stress);
    assert_true(size > 1e4);
    for (int i = 0; i < x.r->nslot; i++) {
      pl_stress alone;
      check_array(19, (const double *)&x.r->at[0][i], want, 1e-9 * size);
      assert_int_equal(pl_recover_node(x.r, x.b.params, x.b.state, x.r->node[i], &alone), 1);
      check_array(19, (const double *)&alone, (const double *)&x.r->at[0][i], 1e-12 * size);
    }
    pl_error_estimate e;
    check_ok(&env, pl_recover_error(x.r, x.b.params, x.b.state, NULL, NULL, NULL, &e));
    assert_true(e.elastic > 0);
    check_less(e.relative, 1e-7);
    // along a mode of uniform strain, too, whatever its scale
    double *mode = pl_alloc(&env, (size_t)x.b.state->nq, sizeof *mode);
    for (int i = 0; i < x.b.mesh->nvert; i++) mode[3 * i] = 1e6 * x.b.mesh->X[3 * i];
    check_ok(&env, pl_recover_error(x.r, x.b.params, x.b.state, mode, NULL, NULL, &e));
    check_less(e.relative, 1e-4);
    pl_free(&env, mode);
    drop(&x);
  }
}

// two blocks of other moduli in a row: either has its own stress at the nodes between
static void materials_do_not_share(void **state) {
  (void)state;
  body x = {0};
  pl_builder *b;
  pl_mesh *second;
  const double shift[3] = {2, 0, 0};
  box_mesh(0, 1, (int[]){2, 1, 1}, &x.mesh);
  check_ok(&env, pl_mesh_copy(x.mesh, &second));
  pl_mesh_transform(second, 1, NULL, shift);
  check_ok(&env, pl_builder_create(&env, 3, &b));
  for (int k = 0; k < 2; k++) {
    pl_mesh *m = k ? second : x.mesh;
    int *node = pl_build_keep(b, (size_t)m->nvert, sizeof *node);
    pl_build_mesh_nodes(b, m, 1e-9, node);
    pl_build_body(b, &(pl_body_desc){.name = k ? "hard" : "soft",
                                     .kind = PL_BODY_SOLID,
                                     .mesh = m,
                                     .node = node,
                                     .young = {.v = k ? 3e6 : 1e6},
                                     .poisson = {.v = 0},
                                     .density = {.v = 1000}});
  }
  finish(b, &x);
  int shared = 0;
  for (int i = 0; i < x.b.mesh->nvert; i++) x.b.state->q[3 * i] *= 1 + 1e-6;
  check_ok(&env, pl_recover_stress(x.r, x.b.params, x.b.state, NULL));
  for (int i = 0; i < x.r->nslot; i++) {
    double X = x.b.mesh->X[3 * x.r->node[i]];
    check_rel(x.r->at[0][i].stress[0], x.r->body[i] ? 3 : 1, 1e-5);
    shared += fabs(X - 2) < 1e-9;
  }
  assert_int_equal(x.r->nslot, x.b.mesh->nvert + shared / 2);
  assert_true(shared > 0);
  // the larger one is told of such a node
  for (int i = 0; i < x.b.mesh->nvert; i++) {
    pl_stress s;
    if (fabs(x.b.mesh->X[3 * i] - 2) > 1e-9) continue;
    assert_int_equal(pl_recover_node(x.r, x.b.params, x.b.state, i, &s), 1);
    check_rel(s.stress[0], 3, 1e-5);
  }
  drop(&x);
  pl_mesh_free(second);
}

// every fifth triangle the other way round
static void turn_some(pl_mesh *m) {
  for (int t = PL_TRI3; t <= PL_TRI6; t += PL_TRI6 - PL_TRI3)
    for (int c = 2; c < m->cell[t].n; c += 5) {
      int *v = m->cell[t].v + c * pl_cell_nvert[t];
      int one = v[1], edge = t == PL_TRI6 ? v[3] : 0;
      v[1] = v[2];
      v[2] = one;
      if (t == PL_TRI6) v[3] = v[5];
      if (t == PL_TRI6) v[5] = edge;
    }
}

// a strip rolled to a cylinder: E = -+ h/2 kappa at the sides, bottom and top as most normals say
static void layers_of_a_strip(void **state) {
  (void)state;
  const double kappa = 0.02, thick = 0.01;
  static const pl_bending all[] = {PL_BENDING_HINGE, PL_BENDING_MIDEDGE, PL_BENDING_SHELL6};
  for (int kind = 0; kind < 6; kind++) {
    pl_bending bending = all[kind % 3];
    body x = {0};
    pl_builder *b;
    check_ok(&env, pl_gen_grid(&env, 24, 6, 2, 0.5, PL_RIGHT, &x.mesh));
    if (bending == PL_BENDING_SHELL6) {
      pl_mesh *flat = x.mesh;
      check_ok(&env, pl_mesh_raise_surface(flat, &x.mesh));
      pl_mesh_free(flat);
    }
    if (kind >= 3) turn_some(x.mesh);
    check_ok(&env, pl_builder_create(&env, 3, &b));
    pl_build_body(b, &(pl_body_desc){.name = "strip",
                                     .kind = PL_BODY_SHELL,
                                     .mesh = x.mesh,
                                     .young = {.v = 1e6},
                                     .poisson = {.v = 0.3},
                                     .density = {.v = 1000},
                                     .thickness = {.v = thick},
                                     .bending = bending});
    finish(b, &x);
    assert_int_equal(x.r->nlayer, PL_LAYER_COUNT);
    // away from z: the upper side of normals along z is stretched
    for (int i = 0; i < x.b.mesh->nvert; i++) {
      double s = x.b.mesh->X[3 * i] - 1;
      x.b.state->q[3 * i] = 1 + sin(kappa * s) / kappa;
      x.b.state->q[3 * i + 2] = (cos(kappa * s) - 1) / kappa;
    }
    check_ok(&env, pl_recover_stress(x.r, x.b.params, x.b.state, NULL));
    const int *tri = x.b.mesh->cell[bending == PL_BENDING_SHELL6 ? PL_TRI6 : PL_TRI3].v;
    double n[3], a[3], c[3];
    pl_sub3(x.b.mesh->X + 3 * tri[1], x.b.mesh->X + 3 * tri[0], a);
    pl_sub3(x.b.mesh->X + 3 * tri[2], x.b.mesh->X + 3 * tri[0], c);
    pl_cross3(a, c, n);
    double up = n[2] > 0 ? 1 : -1, want = 1e6 / (1 - 0.09) * kappa * thick / 2;
    for (int i = 0; i < x.r->nslot; i++) {
      const double *X = x.b.mesh->X + 3 * x.r->node[i];
      // near boundaries hinges and free normals see one side alone
      if (X[0] < 0.3 || X[0] > 1.7 || X[1] < 0.1 || X[1] > 0.4) continue;
      double s = x.r->at[PL_LAYER_TOP][i].stress[0], t = x.r->at[PL_LAYER_BOTTOM][i].stress[0];
      check_close(up * s, want, 0.02 * want);
      check_close(up * t, -want, 0.02 * want);
      check_close(x.r->at[PL_LAYER_MIDDLE][i].stress[0], 0, 0.02 * want);
    }
    drop(&x);
  }
}

// two sheets at a right angle do not share stress along their edge
static void kinks_part_sheets(void **state) {
  (void)state;
  body x = {0};
  pl_builder *b;
  check_ok(&env, pl_gen_grid(&env, 4, 2, 2, 1, PL_RIGHT, &x.mesh));
  for (int i = 0; i < x.mesh->nvert; i++)
    if (x.mesh->X[3 * i] > 1) {
      x.mesh->X[3 * i + 2] = x.mesh->X[3 * i] - 1;
      x.mesh->X[3 * i] = 1;
    }
  check_ok(&env, pl_builder_create(&env, 3, &b));
  pl_build_body(b, &(pl_body_desc){.name = "angle",
                                   .kind = PL_BODY_SHELL,
                                   .mesh = x.mesh,
                                   .young = {.v = 1e6},
                                   .poisson = {.v = 0},
                                   .density = {.v = 1000},
                                   .thickness = {.v = 0.01},
                                   .bending = PL_BENDING_MIDEDGE});
  finish(b, &x);
  assert_int_equal(x.r->nslot, x.b.mesh->nvert + 3);
  drop(&x);
}

static pl_status create_all(pl_env *e, void *ctx) {
  body *x = ctx;
  pl_recover *r;
  pl_error_estimate err;
  PL_TRY(pl_recover_create(e, x->b.model, x->b.params, x->b.mesh, x->cells, &r));
  pl_status s = pl_recover_error(r, x->b.params, x->b.state, NULL, NULL, NULL, &err);
  pl_recover_free(r);
  return s;
}

static void memory(void **state) {
  (void)state;
  body x = {0};
  make_solid(0, 2, PL_SOLID_PLAIN, PL_LAW_STVK, &x);
  check_allocations(create_all, &x);
  drop(&x);
}

int test_recover(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uniform_states),
      cmocka_unit_test(materials_do_not_share),
      cmocka_unit_test(layers_of_a_strip),
      cmocka_unit_test(kinks_part_sheets),
      cmocka_unit_test(memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
