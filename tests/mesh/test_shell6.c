// Shells of second order: stencils with joints and clamps, quads cut, edges rounded.
#include "mesh_tools.h"

#include "pliant/math.h"

#include <math.h>

static pl_env env;

// n triangles around the edge from (0, 0, 0) to (0, 0, 1), at angles from the x axis, of second
// order
static pl_mesh *fan(int n, const double *angle) {
  pl_mesh *m, *out;
  check_ok(&env, pl_mesh_create(&env, "fan", 2 + n, &m));
  check_ok(&env, pl_mesh_set_cells(m, PL_TRI3, n));
  m->X[5] = 1;
  for (int k = 0; k < n; k++) {
    double *x = m->X + 3 * (2 + k);
    x[0] = cos(angle[k]);
    x[1] = sin(angle[k]);
    x[2] = 0.4;
    // every other one is turned round
    m->cell[PL_TRI3].v[3 * k] = k % 2;
    m->cell[PL_TRI3].v[3 * k + 1] = 1 - k % 2;
    m->cell[PL_TRI3].v[3 * k + 2] = 2 + k;
  }
  check_ok(&env, pl_mesh_raise(m, 1, 0, &out));
  pl_mesh_free(m);
  return out;
}

// the vertex between two in triangle t
static int middle(const pl_mesh *m, int t, int a, int b) {
  const int *v = m->cell[PL_TRI6].v + 6 * t;
  for (int k = 0; k < 3; k++)
    if ((v[k] == a && v[(k + 1) % 3] == b) || (v[k] == b && v[(k + 1) % 3] == a)) return v[3 + k];
  fail_msg("no such edge");
  return -1;
}

// all triangles of a joint look at the one that leads it, and share its two unknowns
static void joint(void **state) {
  (void)state;
  // the third is opposite to none, the second to the first: any but those near each other may lead
  const double angle[4] = {0, PL_PI, 0.5 * PL_PI, 0.6 * PL_PI};
  pl_mesh *m = fan(4, angle);
  pl_midedge *s;
  check_ok(&env, pl_midedge_create_second(m, NULL, NULL, NULL, &s));
  assert_int_equal(s->nedge, 9);
  assert_int_equal(s->nxi, 18);
  assert_int_equal(s->ncopy, 0);
  int leader = s->vertex[6 + 3 * 2]; // corner across edge 2, whose ends are corners 0 and 1
  assert_true(leader == 2 || leader == 3);
  for (int t = 0; t < 4; t++) {
    const int *v = s->vertex + 15 * t, *xi = s->xi + 6 * t;
    int own[6] = {0, 1, 2 + t, middle(m, t, 1, 2 + t), middle(m, t, 0, 2 + t), middle(m, t, 0, 1)};
    for (int i = 0; i < 6; i++) assert_int_equal(v[i], own[i]);
    assert_int_equal(v[12], leader);
    assert_int_equal(v[13], middle(m, leader - 2, 0, leader));
    assert_int_equal(v[14], middle(m, leader - 2, 1, leader));
    assert_int_equal(xi[4], s->xi[4]);
    assert_int_equal(xi[5], s->xi[4] + 1);
    // free edges look at their own triangle; edge 1 from its higher vertex
    assert_int_equal(v[6], own[0]);
    assert_int_equal(v[9], own[1]);
    assert_int_equal(v[10], own[3]);
    assert_int_equal(v[11], own[5]);
  }
  pl_midedge_free(s);

  // the edge built in: copies of what is off it
  int *clamp = pl_alloc(&env, (size_t)m->nvert, sizeof *clamp);
  for (int i = 0; i < m->nvert; i++) clamp[i] = -1;
  clamp[0] = clamp[1] = clamp[middle(m, 0, 0, 1)] = 7;
  check_ok(&env, pl_midedge_create_second(m, clamp, NULL, NULL, &s));
  assert_int_equal(s->nxi, 18);
  assert_int_equal(s->ncopy, 3);
  for (int t = 0; t < 4; t++) {
    assert_int_equal(s->xi[6 * t + 4], s->xi[4]);
    assert_int_equal(s->copy[s->vertex[15 * t + 12] - m->nvert], leader);
    assert_int_equal(s->copy_at[s->vertex[15 * t + 12] - m->nvert], middle(m, 0, 0, 1));
  }
  pl_midedge_free(s);
  pl_free(&env, clamp);
  int n, *boundary;
  check_ok(&env, pl_mesh_boundary(m, &n, &boundary));
  assert_int_equal(n, 8 * 3);
  for (int i = 0; i < n; i++) assert_int_not_equal(boundary[i], middle(m, 0, 0, 1));
  pl_free(&env, boundary);
  pl_mesh_free(m);
}

static void widths(void **state) {
  (void)state;
  double width;
  pl_mesh *m, *second;
  // a strip of 20 by 2: 2 * 40 / 44
  check_ok(&env, pl_gen_grid(&env, 10, 2, 20, 2, PL_RIGHT, &m));
  check_ok(&env, pl_mesh_width(m, &width));
  check_close(width, 80.0 / 44, 1e-14);
  check_ok(&env, pl_mesh_raise_surface(m, &second));
  check_ok(&env, pl_mesh_width(second, &width));
  check_close(width, 80.0 / 44, 1e-14);
  pl_mesh_free(second);
  pl_mesh_free(m);
  check_ok(&env, pl_gen_icosphere(&env, 2, &m));
  check_ok(&env, pl_mesh_width(m, &width));
  assert_true(isinf(width));
  pl_mesh_free(m);
}

static void folded(void **state) {
  (void)state;
  const double angle[2] = {0.3, 0.3};
  pl_mesh *m = fan(2, angle);
  pl_midedge *s;
  check_status(&env, pl_midedge_create_second(m, NULL, NULL, NULL, &s), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "lie on each other"));
  assert_null(s);
  pl_mesh_free(m);
  // a neighbour of first order has no vertex on the common edge
  const double flat[2] = {0, PL_PI};
  m = fan(2, flat);
  m->cell[PL_TRI6].v[6 + 3] = m->cell[PL_TRI6].v[6 + 4];
  check_status(&env, pl_midedge_create_second(m, NULL, NULL, NULL, &s), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "has a vertex on it"));
  pl_mesh_free(m);
}

// a quad of second order over x in 0..2, y in 0..1, z = x^2 + x y, and a quad of first order beside
static void quads(void **state) {
  (void)state;
  static const double place[10][2] = {{0, 0},   {2, 0}, {2, 1},   {0, 1}, {1, 0},
                                      {2, 0.5}, {1, 1}, {0, 0.5}, {5, 0}, {5, 1}};
  static const int eight[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  pl_mesh *m, *out;
  check_ok(&env, pl_mesh_create(&env, "quads", 10, &m));
  check_ok(&env, pl_mesh_set_cells(m, PL_QUAD8, 1));
  memcpy(m->cell[PL_QUAD8].v, eight, sizeof eight);
  for (int i = 0; i < 10; i++) {
    memcpy(m->X + 3 * i, place[i], sizeof place[i]);
    m->X[3 * i + 2] = place[i][0] * place[i][0] + place[i][0] * place[i][1];
  }
  check_ok(&env, pl_mesh_add_set(m, "all", PL_QUAD8, 1, (const int[]){0}));
  check_ok(&env, pl_mesh_raise_surface(m, &out));
  assert_int_equal(out->cell[PL_TRI6].n, 2);
  assert_int_equal(out->cell[PL_QUAD8].n + out->cell[PL_TRI3].n, 0);
  assert_int_equal(out->set[0].type, PL_TRI6);
  assert_int_equal(out->set[0].n, 2);
  // the middle lies on the surface
  const double want[3] = {1, 0.5, 1.5};
  check_array(3, out->X + 3 * 10, want, 1e-15);
  // every middle is between its ends in the plane
  for (int t = 0; t < 2; t++)
    for (int k = 0; k < 3; k++) {
      const int *v = out->cell[PL_TRI6].v + 6 * t;
      for (int d = 0; d < 2; d++)
        check_close(out->X[3 * v[3 + k] + d],
                    0.5 * (out->X[3 * v[k] + d] + out->X[3 * v[(k + 1) % 3] + d]), 1e-15);
    }
  pl_mesh_free(out);
  pl_mesh_free(m);
}

// how far vertices are from a cylinder of radius 1 about z (sphere: about the origin), at most
static double distance_from(const pl_mesh *m, int sphere) {
  double most = 0;
  for (int i = 0; i < m->nvert; i++) {
    const double *x = m->X + 3 * i;
    double r = sqrt(x[0] * x[0] + x[1] * x[1] + (sphere ? x[2] * x[2] : 0));
    most = fmax(most, fabs(r - 1));
  }
  return most;
}

static void rounded(void **state) {
  (void)state;
  double crease = 35 * PL_PI / 180, before[2], after[2];
  for (int level = 0; level < 2; level++) {
    pl_mesh *m, *out;
    check_ok(&env, pl_gen_icosphere(&env, 3 + level, &m));
    check_ok(&env, pl_mesh_raise(m, 1, 0, &out));
    before[level] = distance_from(out, 1);
    check_ok(&env, pl_mesh_round(out, crease));
    after[level] = distance_from(out, 1);
    pl_mesh_free(out);
    pl_mesh_free(m);
  }
  check_less(after[0], 0.1 * before[0]);
  check_less(after[1], 0.15 * after[0]);

  // a quarter of a cylinder, with boundaries; alternating, so that quads fold along diagonals
  for (int n = 8; n <= 16; n += 8) {
    pl_mesh *m, *out;
    check_ok(&env, pl_gen_grid(&env, n, n, 0.5 * PL_PI, 1, PL_ALTERNATING, &m));
    for (int i = 0; i < m->nvert; i++) {
      double *x = m->X + 3 * i, a = x[0];
      x[2] = x[1];
      x[0] = cos(a);
      x[1] = sin(a);
    }
    check_ok(&env, pl_mesh_raise(m, 1, 0, &out));
    double was = distance_from(out, 0);
    check_ok(&env, pl_mesh_round(out, crease));
    check_less(distance_from(out, 0), 0.1 * was);
    pl_mesh_free(out);
    pl_mesh_free(m);
  }

  // flat ones and sharp folds stay as they are, to the bit
  const double angle[3] = {0, 0.5 * PL_PI, PL_PI};
  pl_mesh *m = fan(3, angle), *copy;
  check_ok(&env, pl_mesh_copy(m, &copy));
  check_ok(&env, pl_mesh_round(m, crease));
  assert_memory_equal(m->X, copy->X, 3 * (size_t)m->nvert * sizeof *m->X);
  pl_mesh_free(copy);
  pl_mesh_free(m);
}

static pl_status all(pl_env *failing, void *ctx) {
  (void)ctx;
  pl_mesh *m = NULL, *out = NULL;
  pl_midedge *s = NULL;
  int n, *boundary = NULL;
  pl_status st = pl_gen_quads(failing, 2, 2, 1, 1, &m);
  if (st == PL_OK) st = pl_mesh_raise_surface(m, &out);
  if (st == PL_OK) st = pl_mesh_round(out, 1);
  if (st == PL_OK) st = pl_mesh_boundary(out, &n, &boundary);
  if (st == PL_OK) st = pl_midedge_create_second(out, NULL, NULL, NULL, &s);
  pl_midedge_free(s);
  pl_free(failing, boundary);
  pl_mesh_free(out);
  pl_mesh_free(m);
  return st;
}

static void allocations(void **state) {
  (void)state;
  check_allocations(all, NULL);
}

int test_shell6(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joint), cmocka_unit_test(widths),  cmocka_unit_test(folded),
      cmocka_unit_test(quads), cmocka_unit_test(rounded), cmocka_unit_test(allocations),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("mesh.shell6", tests, NULL, NULL);
}
