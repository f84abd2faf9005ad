// Shapes changed by handles: they are hit exactly, what is far stays, and cells stay sound.
#include "check.h"

#include "pliant/mesh.h"

#include <math.h>
#include <string.h>

static pl_env env;

static pl_mesh *bar(void) {
  pl_mesh *m;
  pl_env_init(&env);
  check_ok(&env, pl_gen_hex_box(&env, (int[]){20, 4, 4}, (double[]){10, 2, 2}, &m));
  return m;
}

static int vertex_at(const pl_mesh *m, double x, double y, double z) {
  for (int i = 0; i < m->nvert; i++) {
    const double *p = m->X + 3 * (size_t)i;
    if (fabs(p[0] - x) + fabs(p[1] - y) + fabs(p[2] - z) < 1e-9) return i;
  }
  fail_msg("no vertex at %g %g %g", x, y, z);
  return -1;
}

// one handle alone: Wendland's function (1 - s)^4 (4 s + 1) times its displacement
static void one_handle_is_its_bump(void **state) {
  (void)state;
  pl_mesh *m = bar(), *old = bar();
  const double at[1][3] = {{5, 1, 2}}, move[1][3] = {{0.1, -0.2, 0.3}}, radius = 2.5;
  int displaced, near = 0;
  check_ok(&env, pl_mesh_morph(m, 1, at[0], move[0], radius, &displaced));
  for (int i = 0; i < m->nvert; i++) {
    const double *x = old->X + 3 * (size_t)i;
    double s = sqrt(pow(x[0] - 5, 2) + pow(x[1] - 1, 2) + pow(x[2] - 2, 2)) / radius;
    double bump = s < 1 ? pow(1 - s, 4) * (4 * s + 1) : 0;
    near += s < 1;
    for (int c = 0; c < 3; c++) check_close(m->X[3 * i + c], x[c] + bump * move[0][c], 1e-14);
  }
  assert_int_equal(displaced, near);
  assert_true(near > 20 && near < m->nvert);
  check_ok(&env, pl_mesh_check(m));
  pl_mesh_free(m);
  pl_mesh_free(old);
}

// handles near each other: each vertex that one stands on moves as it is told, one of them not at
// all
static void handles_are_hit(void **state) {
  (void)state;
  pl_mesh *m = bar();
  const double at[4][3] = {{0, 0, 0}, {0, 2, 0}, {4, 1, 2}, {10, 1, 1}};
  const double move[4][3] = {{0.2, 0, -0.3}, {-0.1, 0.2, 0}, {0, 0, 0}, {0.7, 0.1, 0.2}};
  int displaced, v[4];
  for (int k = 0; k < 4; k++) v[k] = vertex_at(m, at[k][0], at[k][1], at[k][2]);
  check_ok(&env, pl_mesh_morph(m, 4, at[0], move[0], 12, &displaced));
  for (int k = 0; k < 4; k++)
    for (int c = 0; c < 3; c++) check_close(m->X[3 * v[k] + c], at[k][c] + move[k][c], 1e-12);
  pl_mesh_free(m);
}

static void folds_are_refused(void **state) {
  (void)state;
  int displaced;
  pl_mesh *m = bar();
  const double at[2][3] = {{5, 1, 2}, {5, 1, 2}}, deep[1][3] = {{0, 0, -2.5}}, none[2][3] = {{0}};
  // the top pressed through the bottom
  check_status(&env, pl_mesh_morph(m, 1, at[0], deep[0], 1.2, &displaced), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "inside out"));
  assert_non_null(strstr(env.error.text, "hex "));
  check_status(&env, pl_mesh_morph(m, 2, at[0], none[0], 1.2, &displaced), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "handles 1 and 2 are at one place"));
  pl_mesh_free(m);
  // faces of a sheet
  check_ok(&env, pl_gen_quads(&env, 10, 10, 10, 10, &m));
  const double to[1][3] = {{6, 0, 0}}, middle[1][3] = {{5, 5, 0}};
  check_status(&env, pl_mesh_morph(m, 1, middle[0], to[0], 4, &displaced), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "turned over"));
  pl_mesh_free(m);
}

int test_morph(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_handle_is_its_bump),
      cmocka_unit_test(handles_are_hit),
      cmocka_unit_test(folds_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
