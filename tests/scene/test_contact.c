// Obstacles and contact in scenes: what they become, and what is refused.
#include "messages.h"

#include "pliant/math.h"
#include "pliant/scene.h"

#include <stdio.h>
#include <string.h>

static messages heard;

#define BLOCK                                                                                      \
  "pliant: 1\nmaterials: {m: {young: 1 MPa, density: 1000}}\n"                                     \
  "bodies: [{name: b, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [1, 1, 1], "    \
  "cells: [2, 2, 2]}}, material: m}}]\n"
#define FLOOR "obstacles: [{name: floor, plane: {normal: [0, 0, 1]}, friction: 0.3}]\n"

static pl_status parse(pl_env *env, const char *text, pl_scene **s) {
  messages_env(env, &heard);
  return pl_scene_parse(env, "t", SOURCE_DIR "/tests/scene", text, strlen(text), 0, NULL, NULL, s);
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

// The surface of a file, scaled, turned and shifted: block.obj is 2 x 4 x 6 with a corner at the
// origin. It is the box that is given by its centre, moving too; another one is found by `files`.
static void meshes(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = scene(
      &env, "pliant: 1\nunits: {length: mm}\nnodes: {a: [0, 0, 900]}\n"
            "masses: [{node: a, mass: 1 kg}]\n"
            "obstacles:\n"
            "  - {mesh: {file: block.obj, mesh_units: cm, scale: 0.5, rotate: {axis: [0, 0, 3], "
            "angle: 90 deg}, translate: [1, 2, 3], round: 1}, friction: 0.4, velocity: [0, 0, 1]}\n"
            "  - {box: {centre: [-9, 7, 18], size: [20, 10, 30], round: 1}, velocity: [0, 0, 1]}\n"
            "  - {name: small, mesh: {file: block.obj, merge: 0.001}}\n"
            "contact: {node: a}\n");
  const pl_contact_desc *d = &s->contact;
  assert_int_equal(d->nobstacle, 3);
  assert_string_equal(s->obstacle_name[0], "mesh");
  assert_string_equal(s->obstacle_name[2], "small");
  check_close(d->mu[0], 0.4, 0);
  pl_rng r;
  pl_rng_seed(&r, 3);
  for (int i = 0; i < 500; i++) {
    double x[3], t = pl_rng_uniform(&r, 0, 20);
    for (int c = 0; c < 3; c++) x[c] = pl_rng_uniform(&r, -0.05, 0.08);
    pl_gap a, b;
    pl_obstacle_gap(&d->obstacle[0], 3, t, x, 0, &a);
    pl_obstacle_gap(&d->obstacle[1], 3, t, x, 0, &b);
    check_close(a.gap, b.gap, 1e-16);
  }
  pl_scene_free(s);
  s = scene(&env, "pliant: 1\nfiles: ..\nnodes: {a: [9, 0, 9]}\nmasses: [{node: a, mass: 1}]\n"
                  "obstacles: {mesh: {file: scene/block.obj}}\ncontact: {node: a}\n");
  pl_gap g;
  pl_obstacle_gap(&s->contact.obstacle[0], 3, 0, s->params->X, 0, &g);
  check_close(g.gap, sqrt(7. * 7 + 3 * 3), 1e-15);
  pl_scene_free(s);
}

// where the block of a scene is after its analysis, and the force on it
static void run_block(const char *obstacle, double friction, const char *analysis, double *q,
                      double force[3]) {
  pl_env env;
  char text[1024];
  snprintf(text, sizeof text,
           BLOCK "obstacles: [{%s, friction: %g}]\ncontact: {nodes: b group bottom}\n"
                 "gravity: [4.905, 0, -8.4957]\ndamping: {stiffness: 1 ms}\nanalyses: [{%s}]\n",
           obstacle, friction, analysis);
  pl_scene *s = scene(&env, text);
  pl_contact *k;
  pl_state *x;
  pl_work *w;
  const pl_analysis *a = &s->analysis[0];
  check_ok(&env, pl_contact_create(&env, s->model, &s->contact, &k));
  check_ok(&env, pl_state_create(s->model, s->params, &x));
  check_ok(&env, pl_work_create(s->model, 1, &w));
  if (a->kind == PL_ANALYSIS_static)
    check_ok(&env,
             pl_static_contact(&a->opts.static_, s->model, s->params, k, x, w, NULL, NULL, NULL));
  else
    check_ok(&env, pl_transient_contact(&a->opts.transient_, s->model, s->params, k, x, NULL, w,
                                        NULL, NULL, NULL));
  assert_int_equal(x->nq, 81);
  memcpy(q, x->q, 81 * sizeof *q);
  pl_contact_force(k, -1, force);
  pl_work_free(w);
  pl_state_free(s->model, x);
  pl_contact_free(k);
  pl_scene_free(s);
}

// A block on the flat face of a mesh does what it does on a plane: it slides, and under a load that
// does not move it rests.
static void mesh_is_plane(void **state) {
  (void)state;
  static const char *const analysis[] = {
      "transient: {duration: 0.1, step: 1 ms}",
      "transient: {duration: 0.1, step: 1 ms, method: implicit-euler}", "static: {steps: 2}"};
  static const char plane[] = "plane: {normal: [0, 0, 1]}";
  // the face of 2 x 4 at z = 6, and that of 4 x 6 turned up; edges run under the block
  static const char *const mesh[] = {"mesh: {file: block.obj, translate: [-0.4, -0.7, -6]}",
                                     "mesh: {file: block.obj, rotate: {axis: [0, 1, 0], angle: 90 "
                                     "deg}, translate: [-1.3, -1, 0]}"};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++) {
      double q[2][81], f[2][3], mu = i < 2 ? 0.3 : 0.7;
      run_block(plane, mu, analysis[i], q[0], f[0]);
      run_block(mesh[j], mu, analysis[i], q[1], f[1]);
      check_array(81, q[1], q[0], 1e-12);
      // of 1000 kg
      check_array(3, f[1], f[0], 1e-7);
      if (i == 2) check_rel(f[1][0] / f[1][2], -4.905 / 8.4957, 1e-9);
    }
}

#define SHEETS                                                                                     \
  "pliant: 1\nmaterials: {m: {young: 1 MPa, density: 1000}}\nnodes: {lone: [9, 9, 9]}\n"           \
  "bodies:\n"                                                                                      \
  "  - {name: a, shell: {mesh: {grid: {size: [1, 1], cells: [3, 2]}}, material: m, thickness: "    \
  "1 mm, bending: midedge}}\n"                                                                     \
  "  - {name: c, rod: {mesh: {line: {from: [0, 0, 2], to: [1, 0, 2]}}, material: m, section: "     \
  "{round: 1 mm}}}\n"                                                                              \
  "  - {name: b, shell: {mesh: {grid: {size: [1, 1], cells: [3, 2]}}, translate: [0, 0, 0.1], "    \
  "material: m, thickness: 1 mm, bending: hinge}}\n"                                               \
  "fixed: [{nodes: a group left, clamp: yes}]\n"

// all triangles of all shells, over all nodes of the model
static void self_contact(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = scene(
      &env, SHEETS "self_contact: {thickness: 60 mm, friction: 0.2}\n"
                   "initial: [{nodes: b, displacement: [0, 0, -0.02]}]\n"
                   "analyses:\n  - drape: {}\n"
                   "  - {transient: {duration: 1, step: 0.1, method: implicit-euler, name: t1}}\n"
                   "  - {transient: {duration: 1, step: 0.1, method: project, name: t2}}\n"
                   "  - {transient: {duration: 1, step: 0.1, method: coupled, name: t3}}\n");
  const pl_layers_desc *d = &s->layers;
  assert_int_equal(d->nvert, pl_model_nnode(s->model));
  assert_true(d->nvert > s->mesh->nvert);
  assert_int_equal(d->ntri, s->mesh->cell[PL_TRI3].n);
  assert_memory_equal(d->tri, s->mesh->cell[PL_TRI3].v, 3 * (size_t)d->ntri * sizeof *d->tri);
  check_array(3 * d->nvert, d->X, s->params->X, 0);
  check_close(d->thickness, 0.06, 0);
  check_close(d->mu, 0.2, 0);
  pl_layers *l;
  check_ok(&env, pl_layers_create(&env, d, &l));
  check_close(0.06 * pl_layers_least(l, d->X), 0.1, 1e-15);
  pl_layers_free(l);
  pl_scene_free(s);
  s = scene(&env, SHEETS);
  assert_int_equal(s->layers.ntri, 0);
  pl_scene_free(s);
  // where transients start counts too
  assert_int_equal(parse(&env,
                         SHEETS "self_contact: {thickness: 50 mm}\n"
                                "initial: [{nodes: b, displacement: [0, 0, -0.06]}]\nanalyses: "
                                "[{transient: {duration: 1, step: 0.1, method: implicit-euler}}]\n",
                         &s),
                   PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "layers are 0.04 m apart"));
}

#define BOXES(z)                                                                                   \
  "pliant: 1\nunits: {length: mm}\nmaterials: {m: {young: 1 MPa, density: 1000 kg/m^3}}\n"         \
  "bodies:\n"                                                                                      \
  "  - {name: a, solid: {mesh: {box: {size: [50, 40, 20], cells: [2, 2, 1]}}, material: m}}\n"     \
  "  - {name: b, solid: {mesh: {box: {size: [30, 20, 20], cells: [3, 1, 1]}}, translate: [5, "     \
  "6, " z "], material: m}}\n"
#define MOVES "analyses: [{transient: {duration: 2 ms, step: 1 ms}}]\n"

// solids that are drawn touching, or closer than the thickness, keep what they start with
static void touching_solids(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = scene(&env, BOXES("20") "self_contact: {friction: 0.3, exact: yes}\n" MOVES);
  check_close(s->layers.thickness, 1e-4, 1e-12);
  check_close(s->layers.thickness - 2 * s->layers.inset, 0, 1e-15);
  pl_scene_free(s);
  s = scene(&env, BOXES("20.05") "self_contact: {thickness: 1 mm, exact: yes}\n" MOVES);
  check_close(s->layers.thickness - 2 * s->layers.inset, 5e-5, 1e-12);
  pl_scene_free(s);
  s = scene(&env, BOXES("21") "self_contact: {thickness: 1 mm, exact: yes}\n" MOVES);
  check_close(s->layers.inset, 0, 0);
  pl_scene_free(s);
  assert_int_equal(parse(&env, BOXES("19.9") "self_contact: {exact: yes}\n" MOVES, &s), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "bodies overlap by about 0.0001 m: the node at"));
  assert_int_equal(parse(&env, BOXES("20") "self_contact: {friction: 0.3}\n" MOVES, &s),
                   PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "0 m apart, closer than their thickness"));
  assert_int_equal(
      parse(&env, BOXES("20") "self_contact: {exact: yes}\nanalyses: [{static: {}}]\n", &s),
      PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "needs bodies that start apart"));
}

static pl_status load_both(pl_env *env, void *ctx) {
  static const char text[] =
      SHEETS "obstacles: {mesh: {file: block.obj, translate: [0, 0, -9]}}\ncontact: {nodes: b}\n"
             "self_contact: {thickness: 10 mm}\nanalyses: [{drape: {}}]\n";
  pl_scene *s;
  (void)ctx;
  pl_status st =
      pl_scene_parse(env, "t", SOURCE_DIR "/tests/scene", text, strlen(text), 0, NULL, NULL, &s);
  pl_scene_free(s);
  return st;
}

static void no_memory(void **state) {
  (void)state;
  check_allocations(load_both, NULL);
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

#define APART(analysis)                                                                            \
  "pliant: 1\nmaterials: {m: {young: 1 MPa, poisson: 0, density: 1000}}\n"                         \
  "bodies:\n"                                                                                      \
  "  - {name: a, solid: {formulation: plain, mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}, "   \
  "material: m}}\n"                                                                                \
  "  - {name: b, solid: {formulation: plain, mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}, "   \
  "material: m, translate: [0, 0, 1.1]}}\n"                                                        \
  "fixed: a\n"                                                                                     \
  "self_contact: {thickness: 0.05, friction: 0.3, exact: yes}\nanalyses: [{" analysis "}]\n"

static void warnings(void **state) {
  (void)state;
  static const char *const text[] = {
      BLOCK FLOOR,
      BLOCK FLOOR "fixed: b\ncontact: {nodes: b}\n",
      BLOCK FLOOR "contact: {nodes: b}\nanalyses: [{modes: {}}]\n",
      SHEETS "self_contact: {thickness: 10 mm}\nanalyses: [{modes: {}}]\n",
      SHEETS "self_contact: {thickness: 10 mm}\nanalyses: [{drape: {}}]\n",
      APART("static: {}"),
      APART("drape: {}"),
      APART("transient: {step: 1 ms, duration: 1 ms, method: bdf2}"),
      BLOCK FLOOR
      "contact: {nodes: b}\nanalyses: [{transient: {step: 1 ms, duration: 1 ms, method: "
      "bdf2, impact_step: 0.1}}]\n",
      BLOCK "analyses: [{transient: {step: 1 ms, duration: 1 ms, impact_step: 0.1}}]\n",
      BLOCK FLOOR "contact: {nodes: b}\nanalyses: [{transient: {step: 1 ms, duration: 1 ms, "
                  "restitution: 0.5}}]\n"};
  static const char *const says[] = {"do nothing",
                                     "fixed or driven",
                                     "without obstacles",
                                     "layers pass through",
                                     "holds body 'c': it may slide",
                                     "not exact here",
                                     "not exact here",
                                     "not exact here",
                                     "impact_step does nothing",
                                     "impact_step does nothing",
                                     "restitution does nothing"};
  for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
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
      cmocka_unit_test(shapes),        cmocka_unit_test(lower_dimensions),
      cmocka_unit_test(held_nodes),    cmocka_unit_test(start_places),
      cmocka_unit_test(mesh_is_plane), cmocka_unit_test(meshes),
      cmocka_unit_test(self_contact),  cmocka_unit_test(touching_solids),
      cmocka_unit_test(no_memory),     cmocka_unit_test(refusals),
      cmocka_unit_test(warnings),
  };
  return cmocka_run_group_tests_name("scene.contact", tests, NULL, NULL);
}
