// Resonances under refinement of meshes: the first mode of the L- and T-shaped wings and of a block
// of tetrahedra.
#include "check.h"

#include "pliant/scene.h"

#include <math.h>

#include <stdio.h>

static pl_env env;

static double first_mode(const char *scene, const char *set) {
  char path[512];
  pl_scene *s;
  pl_state *rest;
  pl_work *w;
  pl_modes_opts o = {.count = 1};
  pl_modes_info info;
  double omega;
  snprintf(path, sizeof path, "%s/scenes/%s", SOURCE_DIR, scene);
  check_ok(&env, pl_scene_load(&env, path, 1, &set, &s));
  check_ok(&env, pl_work_create(s->model, 2, &w));
  check_ok(&env, pl_state_create(s->model, s->params, &rest));
  double *shape = pl_alloc(&env, (size_t)pl_model_nq(s->model), sizeof *shape);
  check_ok(&env, pl_modes(&o, s->model, s->params, rest, w, &omega, shape, &info));
  pl_free(&env, shape);
  pl_state_free(s->model, rest);
  pl_work_free(w);
  pl_scene_free(s);
  return omega;
}

// log2 of the ratio of two successive changes
static double order(const double *v) {
  return log2((v[1] - v[0]) / (v[2] - v[1]));
}

// Hinges carry the bending between the middles of their two triangles. At a clamp one of these is
// held, so that the clamp gives way over half an element: of first order in its size.
static void wings(void **state) {
  (void)state;
  static const char *const scene[2] = {"wing-l.yaml", "wing-t.yaml"};
  for (int k = 0; k < 2; k++) {
    double v[3];
    for (int i = 0; i < 3; i++) {
      char set[64];
      snprintf(set, sizeof set, "bodies.0.shell.mesh=meshes/wing-%c-%d.obj", "lt"[k], 2 << i);
      v[i] = first_mode(scene[k], set);
    }
    check_close(order(v), 1, 0.1);
  }
}

// linear tetrahedra: second order, reached from below as the coarse ones are too stiff
static void block(void **state) {
  (void)state;
  static const char *const cells[4] = {
      "bodies.0.solid.mesh.box.cells=[5, 2, 2]", "bodies.0.solid.mesh.box.cells=[10, 4, 4]",
      "bodies.0.solid.mesh.box.cells=[20, 8, 8]", "bodies.0.solid.mesh.box.cells=[40, 16, 16]"};
  double v[4];
  for (int i = 0; i < 4; i++) v[i] = first_mode("solid-hb.yaml", cells[i]);
  double coarse = order(v), fine = order(v + 1);
  check_less(coarse, fine);
  check_less(1.65, fine);
  check_less(fine, 2.1);
}

int test_resonance(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {cmocka_unit_test(wings), cmocka_unit_test(block)};
  return cmocka_run_group_tests_name("order.resonance", tests, NULL, NULL);
}
