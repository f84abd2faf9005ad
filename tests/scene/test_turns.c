// Bodies that are held on one line alone: told when a scene is read, and before a static's first
// step.
#include "messages.h"

#include "pliant/scene.h"
#include "pliant/solve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// a strip along x; returns how many warnings tell of its turning; of a static what it does, that it
// does not take many iterations, and where the end is then (NAN: wherever)
static int look(const char *held, const char *load, pl_status want, double x, double z) {
  char text[1000];
  messages said;
  pl_env env;
  pl_scene *s;
  pl_state *q;
  pl_work *w;
  pl_static_opts o;
  int reported = 0;
  int n =
      snprintf(text, sizeof text,
               "pliant: 1\n"
               "materials: {m: {young: 1 GPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
               "bodies: [{name: strip, shell: {mesh: {grid: {size: [1 m, 0.2 m], cells: [5, 1]}},"
               " material: m, thickness: 5 mm, bending: midedge}}]\n"
               "fixed: [{nodes: %s}]\n"
               "%s\n"
               "analyses: [{static: {}}]\n",
               held, load);
  messages_env(&env, &said);
  check_ok(&env, pl_scene_parse(&env, "test.yaml", ".", text, (size_t)n, 0, NULL, NULL, &s));
  for (int k = 0; k < said.n; k++)
    reported += strstr(said.d[k].text, "against turning about") != NULL;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  check_ok(&env, pl_state_create(s->model, s->params, &q));
  check_ok(&env, pl_work_create(s->model, 1, &w));
  pl_static_info info;
  check_status(&env, pl_static(&o, s->model, s->params, q, w, NULL, NULL, &info), want);
  if (want == PL_OK && !isnan(x)) {
    int n0 = 0;
    for (int i = 0; i < s->mesh->nvert; i++)
      if (s->mesh->X[3 * i] > 1 - 1e-9) n0 = i;
    check_close(q->q[3 * n0], x, 0.01);
    check_close(q->q[3 * n0 + 2], z, 0.01);
    assert_true(info.iterations < 60);
  }
  pl_work_free(w);
  pl_state_free(s->model, q);
  pl_scene_free(s);
  return reported;
}

static const char line[] = "strip group left", clamp[] = "strip group left, clamp: yes";
static const char rows[] = "strip where x < 0.3";
static const char tip[] = "loads: [{nodes: strip group right, total: [0, 0, -0.1 N]}]";
static const char small[] = "loads: [{nodes: strip group right, total: [0, 0, -1 mN]}]";
static const char back[] = "loads: [{nodes: strip group right, total: [-1 N, 0, 1 N]}]";
static const char along[] = "loads: [{nodes: strip group right, total: [1 N, 0, 0]}]";
static const char pressure[] = "loads: [{faces: strip, pressure: 1 Pa}]";
static const char moment[] = "loads: [{nodes: strip where x > 0.7, moment: [0, 0.01 N.m, 0]}]";

static void swings(void **state) {
  (void)state;
  assert_int_equal(look(line, tip, PL_OK, 0, -1), 1);
  assert_int_equal(look(line, "gravity: [0, 0, -9.81]", PL_OK, 0, -1), 1);
  // pulled up and back
  assert_int_equal(look(line, back, PL_OK, -sqrt(0.5), sqrt(0.5)), 1);
  // what is in line, and what is built in
  assert_int_equal(look(line, along, PL_OK, 1, 0), 0);
  assert_int_equal(look(clamp, small, PL_OK, 1, 0), 0);
  assert_int_equal(look(rows, small, PL_OK, 1, 0), 0);
}

static void turns_for_ever(void **state) {
  (void)state;
  assert_int_equal(look(line, pressure, PL_E_INPUT, 0, 0), 1);
  assert_int_equal(look(line, moment, PL_E_INPUT, 0, 0), 1);
  assert_int_equal(look(clamp, pressure, PL_OK, NAN, NAN), 0);
  assert_int_equal(look(rows, moment, PL_OK, NAN, NAN), 0);
}

int test_turns(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(swings), cmocka_unit_test(turns_for_ever)};
  return cmocka_run_group_tests_name("scene.turns", tests, NULL, NULL);
}
