#include "messages.h"

#include "pliant/scene.h"

#include <stdio.h>
#include <string.h>

// a 4 x 2 grid of squares, 1 m each, x 0..4, y 0..2: 15 nodes at whole coordinates
static const char grid[] =
    "pliant: 1\n"
    "materials: {m: {young: 1 MPa, density: 1000}}\n"
    "bodies:\n"
    "  - name: sheet\n"
    "    shell: {bending: hinge, mesh: {grid: {size: [4, 2], cells: [4, 2], pattern: right}}, "
    "material: m, "
    "thickness: 1 mm}\n"
    "  - name: cube\n"
    "    solid: {formulation: plain, mass: lumped, mesh: {box: {size: [3, 3, 3], cells: [3, 3, "
    "3]}}, material: m, translate: [10, 0, "
    "0]}\n"
    "nodes: {p: [0, 0, 9], q: [1, 0, 9]}\n";

static const struct {
  const char *selector;
  int count;
} cases[] = {
    {"sheet", 15},
    {"cube", 64},
    {"all", 81},
    {"p", 1},
    {"p or q", 2},
    {"[p, q, p]", 2},
    {"sheet where x < 1", 3},
    {"sheet where x <= 1", 6},
    {"sheet where x > 1 and y < 1", 3},
    {"sheet where x < 1 or x > 3", 6},
    {"sheet where x = 2 m", 3},
    {"sheet where x == 200 cm", 3},
    {"sheet where 0.5 < x <= 3", 9},
    {"sheet where 500 mm < x", 12},
    {"sheet where not x < 1", 12},
    {"sheet where (x < 1 or x > 3) and y = 1", 2},
    {"x < 1", 4},
    {"sheet where x < 1 or p", 4},
    {"sheet and not sheet where x < 1", 12},
    {"not sheet", 66},
    {"sheet nearest [3.1, 1.2, 7]", 1},
    {"nearest [0, 0, 8]", 1},
    {"sheet box [1, 1, 0] [3, 2, 0]", 6},
    {"sheet box [3, 2, 0] [1, 1, 0]", 6},
    {"sheet group left", 3},
    {"sheet group 'left' or sheet group \"right\"", 6},
    {"sheet group left and sheet group bottom", 1},
    {"sheet group bottom where x > 2", 2},
    {"sheet boundary", 12},
    {"cube boundary", 56},
    {"cube and not cube boundary", 8},
    {"cube group left", 16},
    {"boundary", 68},
    {"(sheet or cube) and not (sheet group left or cube group left)", 60},
    {"ab", 6},
};

static void selectors(void **state) {
  (void)state;
  static messages m;
  for (int k = 0; k < (int)(sizeof cases / sizeof *cases); k++) {
    char text[2048];
    pl_env env;
    pl_scene *s;
    // a list as it is, the rest as a block of text, where nothing needs quotes
    int is_list = cases[k].selector[0] == '[';
    snprintf(text, sizeof text, "%ssets:\n  ab: sheet where x < 2\n  c: %s%s\n", grid,
             is_list ? "" : ">-\n    ", cases[k].selector);
    messages_env(&env, &m);
    if (pl_scene_parse(&env, "t", ".", text, strlen(text), 0, NULL, NULL, &s) != PL_OK)
      fail_msg("%s: %s", cases[k].selector, env.error.text);
    if (s->set[1].n != cases[k].count)
      fail_msg("%s: %d nodes, not %d", cases[k].selector, s->set[1].n, cases[k].count);
    for (int i = 1; i < s->set[1].n; i++) assert_true(s->set[1].node[i] > s->set[1].node[i - 1]);
    pl_scene_free(s);
  }
}

// nodes of two bodies that touch become one
static void welding(void **state) {
  (void)state;
  static const char text[] = "pliant: 1\n"
                             "materials: {m: {young: 1 MPa, density: 1000}}\n"
                             "weld: 1e-6 m\n"
                             "bodies:\n"
                             "  - name: a\n"
                             "    solid: {formulation: plain, mass: lumped, mesh: {box: {size: [1, "
                             "1, 1], cells: [2, 2, 2]}}, material: m}\n"
                             "  - name: b\n"
                             "    solid: {formulation: plain, mass: lumped, mesh: {box: {size: [1, "
                             "1, 1], cells: [2, 2, 2]}}, material: m, translate: [1, "
                             "0, 0]}\n"
                             "sets: {both: a and b}\n";
  pl_env env;
  pl_scene *s;
  pl_env_init(&env);
  check_ok(&env, pl_scene_parse(&env, "t", ".", text, strlen(text), 0, NULL, NULL, &s));
  assert_int_equal(pl_model_nnode(s->model), 2 * 27 - 9);
  assert_int_equal(s->set[0].n, 9);
  assert_int_equal(s->body[1].n, 27);
  pl_scene_free(s);
}

int test_select(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(selectors), cmocka_unit_test(welding)};
  return cmocka_run_group_tests_name("scene.select", tests, NULL, NULL);
}
