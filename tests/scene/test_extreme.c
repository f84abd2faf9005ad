#include "messages.h"

#include "pliant/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Numbers at the ends of what a double holds.

static messages heard;

static pl_scene *load(pl_env *env, const char *text) {
  pl_scene *s;
  messages_env(env, &heard);
  if (pl_scene_parse(env, "t", ".", text, strlen(text), 0, NULL, NULL, &s) != PL_OK)
    fail_msg("%s", env->error.text);
  return s;
}

static const char turned[] =
    "pliant: 1\n"
    "materials: {a: {young: 1 GPa, density: 1000 kg/m^3}}\n"
    "bodies: [{name: b, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [1, 1, 1], "
    "cells: [1, 1, 1]}}, material: a, "
    "rotate: {axis: [0, %s, %s], angle: 30 deg}}}]\n"
    "initial: [{nodes: b, spin: {axis: [0, %s, %s], rate: 2 rad/s}}]\n"
    "drives: [{nodes: b group left, rotation: {axis: [%s, %s, 0], amplitude: 20 deg, harmonic: "
    "0}}]\n";

// a direction has no length: the model is the same to the bit
static void directions(void **state) {
  (void)state;
  static const char *const one[] = {"3", "4"};
  static const char *const other[][2] = {{"3e160", "4e160"}, {"3e-170", "4e-170"}, {"6", "8"}};
  char text[1024];
  pl_env env, again;
  snprintf(text, sizeof text, turned, one[0], one[1], one[0], one[1], one[0], one[1]);
  pl_scene *a = load(&env, text);
  int nq = pl_model_nq(a->model);
  for (int k = 0; k < 3; k++) {
    const char *y = other[k][0], *z = other[k][1];
    snprintf(text, sizeof text, turned, y, z, y, z, y, z);
    pl_scene *b = load(&again, text);
    check_array(a->params->nref, b->params->X, a->params->X, 1e-15);
    check_array(nq, b->v0, a->v0, 1e-15);
    double displaced = 0;
    for (int i = 0; i < nq; i++) displaced += b->v0[i] * b->v0[i];
    assert_true(displaced > 1);

    pl_state *s, *t;
    pl_clock clock = {.scale = 1};
    check_ok(&env, pl_state_create(a->model, a->params, &s));
    check_ok(&again, pl_state_create(b->model, b->params, &t));
    pl_drive(a->model, a->params, &clock, s);
    pl_drive(b->model, b->params, &clock, t);
    check_array(nq, t->q, s->q, 1e-15);
    double turned_by = 0;
    for (int i = 0; i < nq; i++) turned_by += fabs(t->q[i] - b->params->X[i]);
    assert_true(turned_by > 0.1);
    pl_state_free(a->model, s);
    pl_state_free(b->model, t);
    pl_scene_free(b);
  }
  pl_scene_free(a);
}

static void far_point(void **state) {
  (void)state;
  pl_env env;
  pl_scene_free(load(&env, "pliant: 1\nnodes: {p: [0, 0, 0], q: [0.1, 0, 0]}\n"
                           "watch: {tip: 'nearest [100, 0, 0]'}\n"));
  assert_int_equal(heard.nwarning, 1);
  assert_non_null(strstr(heard.d[0].text, "the nearest node is 99.9 m away"));
}

// a hint is something that can be written
static void narrow_grid(void **state) {
  (void)state;
  pl_env env;
  pl_scene_free(
      load(&env,
           "pliant: 1\nmaterials: {a: {young: 1 GPa, density: 1000 kg/m^3}}\n"
           "bodies: [{name: b, shell: {bending: hinge, mesh: {grid: {size: [1e-3, 500], cells: [4, "
           "1]}}, material: a, thickness: 1 um}}]\n"));
  assert_true(heard.nwarning >= 1);
  for (int k = 0; k < heard.n; k++) assert_null(strstr(heard.d[k].hint, "-2147483648"));
}

int test_extreme(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(directions), cmocka_unit_test(far_point),
                                     cmocka_unit_test(narrow_grid)};
  return cmocka_run_group_tests_name("scene.extreme", tests, NULL, NULL);
}
