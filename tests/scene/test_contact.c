// Obstacles and contact in scenes: what they become, and what is refused.
#include "messages.h"

#include "pliant/math.h"
#include "pliant/scene.h"

#include <stdio.h>
#include <string.h>

static messages heard;

#define BLOCK                                                                                      \
  "pliant: 1\nmaterials: {m: {young: 1 MPa, density: 1000}}\n"                                     \
  "bodies: [{name: b, solid: {mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}, material: m}}]\n"
#define FLOOR "obstacles: [{name: floor, plane: {normal: [0, 0, 1]}, friction: 0.3}]\n"

static pl_status parse(pl_env *env, const char *text, pl_scene **s) {
  messages_env(env, &heard);
  return pl_scene_parse(env, "t", ".", text, strlen(text), 0, NULL, NULL, s);
}

static pl_scene *scene(pl_env *env, const char *text) {
  pl_scene *s;
  if (parse(env, text, &s) != PL_OK)
    fail_msg("%d:%d: %s", env->error.line, env->error.col, env->error.text);
  return s;
}

// every shape, in the units of the scene
static void shapes(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = scene(
      &env, "pliant: 1\nunits: {length: mm}\nnodes: {a: [0, 0, 900], b: [5, 0, 900]}\n"
            "masses: [{nodes: [a, b], mass: 1 kg}]\n"
            "obstacles:\n"
            "  - {plane: {through: [0, 0, 7], normal: [0, 0, 2]}, friction: 0.3}\n"
            "  - {sphere: {centre: [1, 2, 3], radius: 20}, velocity: [0, 0, -1 m/s]}\n"
            "  - {name: step, box: {centre: [0, 0, -50], size: [20, 30, 40], rotate: {axis: [0, 0, "
            "3], angle: 90 deg}, round: 2}}\n"
            "  - {capsule: {from: [0, 0, 0], to: [10, 0, 0], radius: 4}}\n"
            "  - {plane: {normal: [0, 1, 0], through: [0, -2, 0]}}\n"
            "contact: [{node: a, radius: 1.5}, {node: b, friction: 0.7}]\n");
  static const char *const names[] = {"plane", "sphere", "step", "capsule", "plane-2"};
  const pl_contact_desc *d = &s->contact;
  assert_int_equal(d->nobstacle, 5);
  for (int k = 0; k < 5; k++) assert_string_equal(s->obstacle_name[k], names[k]);
  // gaps of a point, by hand: over the plane, the sphere, the turned box (x and y change places),
  // beside the capsule, before the second plane
  const double x[3] = {0.012, 0.02, -0.04}, want[] = {-0.047, 0.022};
  pl_gap g[5];
  for (int k = 0; k < 5; k++) pl_obstacle_gap(&d->obstacle[k], 3, 0, x, 0, &g[k]);
  check_close(g[0].gap, want[0], 1e-16);
  check_close(g[1].gap, sqrt(11. * 11 + 18 * 18 + 43 * 43) / 1000 - 0.02, 1e-16);
  check_close(g[2].gap, 0.010 - 0.002, 1e-16);
  check_close(g[3].gap, sqrt(2. * 2 + 20 * 20 + 40 * 40) / 1000 - 0.004, 1e-16);
  check_close(g[4].gap, want[1], 1e-16);
  // the sphere moves down
  pl_obstacle_gap(&d->obstacle[1], 3, 0.043, x, 0, &g[1]);
  check_close(g[1].gap, sqrt(11. * 11 + 18 * 18) / 1000 - 0.02, 1e-16);
  assert_int_equal(d->nnode, 2);
  check_close(d->radius[0], 0.0015, 1e-18);
  check_close(d->radius[1], 0, 0);
  check_close(d->mu[0], 0.3, 0);
  check_close(d->mu[1], 0, 0);
  for (int k = 0; k < 5; k++) check_close(d->mu[5 + k], 0.7, 0);
  pl_scene_free(s);
}

// a line and a disc in the plane, a wall in one dimension
static void lower_dimensions(void **state) {
  (void)state;
  pl_env env;
  pl_gap g;
  pl_scene *s = scene(&env, "pliant: 1\ndimension: 2\nnodes: {a: [0, 3]}\n"
                            "masses: [{node: a, mass: 1}]\n"
                            "obstacles:\n  - {plane: {normal: [3, 4]}}\n"
                            "  - {sphere: {centre: [0, 0], radius: 1}}\n"
                            "  - {box: {centre: [0, 0], size: [2, 4], rotate: {angle: 90 deg}}}\n"
                            "contact: {node: a}\n");
  const double want[] = {2.4, 2, 2};
  for (int k = 0; k < 3; k++) {
    pl_obstacle_gap(&s->contact.obstacle[k], 2, 0, s->params->X, 0, &g);
    check_close(g.gap, want[k], 1e-15);
  }
  pl_scene_free(s);
  s = scene(&env, "pliant: 1\ndimension: 1\nnodes: {a: 3}\nmasses: [{node: a, mass: 1}]\n"
                  "obstacles: {plane: {through: [5], normal: [-1]}}\ncontact: {node: a}\n");
  pl_obstacle_gap(&s->contact.obstacle[0], 1, 0, s->params->X, 0, &g);
  check_close(g.gap, 2, 0);
  pl_scene_free(s);
}

// nodes that no force moves feel nothing, even inside of an obstacle
static void held_nodes(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s =
      scene(&env, BLOCK "fixed: b group bottom\ncontact: {nodes: b}\n"
                        "obstacles: [{plane: {through: [0, 0, 0.2], normal: [0, 0, 1]}}]\n");
  assert_int_equal(s->contact.nnode, 18);
  pl_scene_free(s);
  // held along one axis only: free to touch
  s = scene(&env, BLOCK FLOOR "fixed: [{nodes: b group bottom, fix: [x]}]\ncontact: {nodes: b}\n");
  assert_int_equal(s->contact.nnode, 27);
  pl_scene_free(s);
}

// Transients may start elsewhere than at the drawn place, statics not.
static void start_places(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s;
  static const char low[] =
      BLOCK "obstacles: [{plane: {through: [0, 0, 0.2], normal: [0, 0, 1]}}]\ncontact: {nodes: b}\n"
            "initial: [{nodes: b, displacement: [0, 0, 0.3]}]\n"
            "analyses: [{transient: {duration: 1, step: 0.1}}]\n";
  pl_scene_free(scene(&env, low));
  char text[1024];
  snprintf(text, sizeof text, "%.*s, {static: {}}]\n", (int)strlen(low) - 2, low);
  assert_int_equal(parse(&env, text, &s), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "0.2 m inside of obstacle 'plane'"));
  // a float's rounding of a mesh is no overlap
  pl_scene_free(scene(&env, BLOCK "obstacles: [{plane: {through: [0, 0, 1e-8], normal: [0, 0, "
                                  "1]}}]\ncontact: {nodes: b}\n"));
}

typedef struct refusal {
  const char *text, *says, *hint; // hint "": any
  int line;
} refusal;

static void refusals(void **state) {
  (void)state;
  static const refusal list[] = {
      {BLOCK "obstacles: [{plane: {normal: [0, 0, 0]}}]\ncontact: {nodes: b}\n",
       "normal must not be zero", "points out", 4},
      {BLOCK "obstacles: [{plane: {normal: [0, 0, 1]}, friction: -0.1}]\ncontact: {nodes: b}\n",
       "friction", "", 4},
      {BLOCK FLOOR "contact: {nodes: c}\n", "'c'", "", 5},
      {BLOCK FLOOR "contact: {radius: 1}\n", "node", "", 5},
      {BLOCK FLOOR "contact: {nodes: b, friction: -1}\n", "friction", "", 5},
      {BLOCK FLOOR "contact: [{nodes: b}, {nodes: b group top}]\n", "two entries", "leave", 5},
      {BLOCK "contact: {nodes: b}\n", "there are none", "obstacles:", 4},
      {BLOCK "obstacles: [{friction: 1}]\ncontact: {nodes: b}\n", "exactly one of", "plane", 4},
      {BLOCK "obstacles: [{plane: {}}]\ncontact: {nodes: b}\n", "needs the key 'normal'", "", 4},
      {BLOCK "obstacles: [{plane: {normal: [0, 1]}}]\ncontact: {nodes: b}\n", "normal", "", 4},
      {BLOCK "obstacles: [{sphere: {centre: [0, 0, -9], radius: 0}}]\ncontact: {nodes: b}\n",
       "radius", "", 4},
      {BLOCK "obstacles: [{box: {centre: [0, 0, -9], size: [1, 0, 1]}}]\ncontact: {nodes: b}\n",
       "above zero", "", 4},
      {BLOCK "obstacles: [{name: o, plane: {normal: [0, 0, 1]}}, {name: o, plane: {normal: [1, 0, "
             "0]}}]\ncontact: {nodes: b}\n",
       "already", "", 4},
      {BLOCK FLOOR "contact: {nodes: b, radius: 0.1}\n", "0.1 m inside of obstacle 'floor'",
       "move the body", 5},
      {BLOCK FLOOR "contact: {nodes: b}\nanalyses: [{transient: {duration: 1, step: 0.1, method: "
                   "bdf2}}]\n",
       "bdf2", "newmark", 6},
      {BLOCK FLOOR "contact: {nodes: b}\nanalyses: [{static: {critical: yes}}]\n", "critical",
       "leave", 6},
      {BLOCK FLOOR
       "contact: {nodes: b}\nloads: [{nodes: b, total: [1, 0, 0], harmonic: 1}]\nanalyses: "
       "[{periodic: {frequency: 1 Hz}}]\n",
       "periodic does not know contact", "transient", 7},
      {BLOCK FLOOR
       "contact: {nodes: b}\nloads: [{nodes: b, total: [1, 0, 0], harmonic: 1}]\nanalyses: "
       "[{response: {from: 1 Hz, to: 2 Hz}}]\n",
       "response does not know contact", "transient", 7},
      {BLOCK FLOOR "contact: {nodes: b}\nanalyses: [{backbone: {}}]\n",
       "backbone does not know contact", "transient", 6},
  };
  for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
    pl_env env;
    pl_scene *s;
    if (parse(&env, list[k].text, &s) != PL_E_INPUT) fail_msg("%zu is not refused", k);
    if (!strstr(env.error.text, list[k].says) || !strstr(env.error.hint, list[k].hint) ||
        env.error.line != list[k].line)
      fail_msg("%zu: %d: %s (%s)", k, env.error.line, env.error.text, env.error.hint);
  }
}

static void warnings(void **state) {
  (void)state;
  static const char *const text[] = {BLOCK FLOOR, BLOCK FLOOR "fixed: b\ncontact: {nodes: b}\n",
                                     BLOCK FLOOR "contact: {nodes: b}\nanalyses: [{modes: {}}]\n"};
  static const char *const says[] = {"do nothing", "fixed or driven", "without obstacles"};
  for (int k = 0; k < 3; k++) {
    pl_env env;
    pl_scene_free(scene(&env, text[k]));
    int found = 0;
    for (int i = 0; i < heard.n; i++)
      found += heard.d[i].level == PL_WARNING && strstr(heard.d[i].text, says[k]);
    assert_int_equal(found, 1);
  }
}

int test_contact(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes),     cmocka_unit_test(lower_dimensions),
      cmocka_unit_test(held_nodes), cmocka_unit_test(start_places),
      cmocka_unit_test(refusals),   cmocka_unit_test(warnings),
  };
  return cmocka_run_group_tests_name("scene.contact", tests, NULL, NULL);
}
