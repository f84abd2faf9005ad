// Closed surfaces filled from their centre.
#include "check.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

#include <string.h>

static pl_env env;

static double volume(const pl_mesh *m) {
  const double at[3] = {0.25, 0.25, 0.25};
  double sum = 0;
  for (int t = 0; t < m->cell[PL_TET4].n; t++) {
    double own = pl_cell_jacobian(PL_TET4, m->X, m->cell[PL_TET4].v + 4 * t, at) / 6;
    assert_true(own > 0);
    sum += own;
  }
  return sum;
}

static void round_bodies(void **state) {
  (void)state;
  pl_mesh *m, *out;
  pl_env_init(&env);
  double x[3] = {3, 4, 5}, error[2];
  check_ok(&env, pl_gen_cylinder(&env, 7, 2, 3, &m));
  // turned inward: outwards again
  for (int pass = 0; pass < 2; pass++) {
    pl_mesh_transform(m, 1, NULL, x);
    check_ok(&env, pl_mesh_cone(m, &out));
    check_ok(&env, pl_mesh_check(out));
    check_close(volume(out), 7 * sin(2 * PL_PI / 7) / 2 * 4 * 3, 1e-12);
    const double *c = out->X + 3 * (out->nvert - 1);
    check_close(c[0], 3 * (pass + 1), 1e-12);
    check_close(c[2], 5 * (pass + 1) + 1.5, 1e-12);
    int n, *v;
    check_ok(&env, pl_mesh_set_vertices(out, "top", &n, &v));
    assert_int_equal(n, 8);
    pl_free(&env, v);
    pl_mesh_free(out);
    for (int t = 0; t < m->cell[PL_TRI3].n; t++) {
      int *tri = m->cell[PL_TRI3].v + 3 * t, swap = tri[0];
      tri[0] = tri[1];
      tri[1] = swap;
    }
  }
  pl_mesh_free(m);
  for (int k = 0; k < 2; k++) {
    check_ok(&env, pl_gen_icosphere(&env, 3 + k, &m));
    check_ok(&env, pl_mesh_cone(m, &out));
    error[k] = 4 * PL_PI / 3 - volume(out);
    pl_mesh_free(out);
    pl_mesh_free(m);
  }
  assert_true(error[0] / error[1] > 3.8 && error[0] / error[1] < 4.1);
}

static void fails(const char *text, const char *words) {
  pl_mesh *m, *out;
  pl_env_init(&env);
  check_ok(&env, pl_mesh_parse(&env, "obj", "s.obj", text, strlen(text), &m));
  check_ok(&env, pl_mesh_split_quads(m));
  assert_int_equal(pl_mesh_cone(m, &out), PL_E_INPUT);
  if (!strstr(env.error.text, words)) fail_msg("'%s' is not in '%s'", words, env.error.text);
  pl_mesh_free(m);
}

#define CORNERS "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
static void what_fails(void **state) {
  (void)state;
  fails(CORNERS "f 1 3 2\nf 1 2 4\nf 2 3 4\n", "the surface is open: the edge of vertices 1 and 3");
  fails(CORNERS "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 3 4\n", "turned against each other");
  // a thin hook, whose inner faces look away from its centre
  fails("v 0 0 0\nv 9 0 0\nv 9 9 0\nv 8 9 0\nv 8 1 0\nv 0 1 0\n"
        "v 0 0 1\nv 9 0 1\nv 9 9 1\nv 8 9 1\nv 8 1 1\nv 0 1 1\n"
        "f 1 5 2\nf 1 6 5\nf 2 5 3\nf 3 5 4\nf 7 8 11\nf 7 11 12\nf 8 9 11\nf 9 10 11\n"
        "f 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n",
        "not seen from the centre");
}

int test_cone(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(round_bodies), cmocka_unit_test(what_fails)};
  return cmocka_run_group_tests_name("mesh.cone", tests, NULL, NULL);
}
