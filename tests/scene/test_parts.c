#include "messages.h"

#include "pliant/math.h"
#include "pliant/scene.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static messages heard;

static pl_scene *parse(pl_env *env, const char *text) {
  pl_scene *s;
  messages_env(env, &heard);
  if (pl_scene_parse(env, "t", SOURCE_DIR "/tests/scene", text, strlen(text), 0, NULL, NULL, &s) !=
      PL_OK)
    fail_msg("%d:%d: %s", env->error.line, env->error.col, env->error.text);
  return s;
}

// force of a model at a state given as displacements from rest
static void force(const pl_scene *s, const double *u, const pl_clock *c, double *r) {
  pl_state *x;
  pl_work *w;
  check_ok(s->env, pl_state_create(s->model, s->params, &x));
  check_ok(s->env, pl_work_create(s->model, 1, &w));
  for (int i = 0; i < x->nq; i++) x->q[i] += u[i];
  check_ok(s->env, pl_eval(s->model, s->params, x, c, PL_WANT_FORCE, NULL, w));
  memcpy(r, w->r, (size_t)x->nq * sizeof *r);
  pl_work_free(w);
  pl_state_free(s->model, x);
}

static void matrices(void **state) {
  (void)state;
  static const char *const text[] = {
      "pliant: 1\ndimension: 1\nnodes: {a: 0, b: 3}\n"
      "matrices: {mass: [[1, 0.1], [0.1, 3]], stiffness: [[2, -1], [-1, 2]]}\n",
      "pliant: 1\ndimension: 1\nnodes: {a: 0, b: 3}\n"
      "matrices: {dofs: [a, b], mass: [[1, 0.1], [0.1, 3]], stiffness: data.mtx}\n"};
  for (int k = 0; k < 2; k++) {
    pl_env env;
    pl_scene *s = parse(&env, text[k]);
    double u[2] = {0.3, -0.2}, r[2];
    force(s, u, &(pl_clock){.scale = 1}, r);
    check_close(r[0], 2 * 0.3 + 0.2, 1e-14);
    check_close(r[1], -0.3 - 0.4, 1e-14);
    double one[2] = {1, 0}, column[2];
    pl_csc_mul(&s->params->M, 1, one, 0, column);
    check_close(column[0], 1, 1e-15);
    check_close(column[1], 0.1, 1e-15);
    pl_scene_free(s);
  }
}

// W = 2 a^2 b + 3 b^4 (a = x of p, b = y of q)
static void potentials(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = parse(&env, "pliant: 1\ndimension: 2\nnodes: {p: [0, 0], q: [5, 5]}\n"
                            "potentials:\n"
                            "  - {coefficient: 2 J/m^3, powers: {p.x: 2, q.y: 1}}\n"
                            "  - {coefficient: 3 N/m^3, powers: {q.y: 4}}\n");
  double u[4] = {0.5, 0.1, 0.2, -0.3}, r[4];
  force(s, u, &(pl_clock){.scale = 1}, r);
  check_close(r[0], 2 * 2 * 0.5 * -0.3, 1e-14);
  check_close(r[3], 2 * 0.25 + 12 * -0.027, 1e-14);
  check_close(r[1], 0, 0);
  pl_scene_free(s);
}

static void mesh_placement(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = parse(
      &env, "pliant: 1\nmaterials: {m: {young: 1 MPa, density: 1000}}\n"
            "bodies:\n"
            "  - name: sheet\n"
            "    shell: {mesh: data.obj, mesh_units: cm, scale: 3, rotate: {axis: [0, 0, 1], "
            "angle: 90 deg}, translate: [0, 0, 7], material: m, thickness: 1 mm, bending: none}\n"
            "sets: {low: sheet group low, both: sheet group low and sheet group high}\n");
  // the unused vertex is told and left out
  assert_int_equal(heard.nwarning, 1);
  assert_int_equal(s->mesh->nvert, 4);
  double lo[3], hi[3], want_lo[3] = {-0.03, 0, 7}, want_hi[3] = {0, 0.06, 7};
  pl_mesh_bounds(s->mesh, lo, hi);
  check_array(3, lo, want_lo, 1e-15);
  check_array(3, hi, want_hi, 1e-15);
  assert_int_equal(s->set[0].n, 3);
  assert_int_equal(s->set[1].n, 2);
  pl_scene_free(s);
}

// Hinges on a mesh of the user's are told where triangles are not equilateral: right angles make a
// cylinder half as stiff again, in the mean over its directions.
static void hinges(void **state) {
  (void)state;
  static const struct {
    pl_pattern pattern;
    const char *more, *reported;
  } c[] = {{PL_RIGHT, ", bending: hinge", "50 % too stiff"},
           {PL_IRREGULAR, ", bending: hinge", "% too stiff in the mean"},
           {PL_EQUILATERAL, ", bending: hinge", NULL},
           {PL_RIGHT, ", bending: midedge", NULL},
           {PL_RIGHT, "", NULL},
           {PL_RIGHT, ", bending: hinge, limit: {stretch: 1 %}", NULL}};
  for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
    pl_env env;
    pl_mesh *m;
    char text[600], path[64];
    pl_env_init(&env);
    snprintf(path, sizeof path, "/tmp/pliant-hinges-%d.obj", (int)getpid());
    double high = c[k].pattern == PL_EQUILATERAL ? 0.06 * sqrt(3) : 0.12;
    check_ok(&env, pl_gen_grid(&env, 12, 12, 0.12, high, c[k].pattern, &m));
    check_ok(&env, pl_mesh_write_obj(m, path));
    pl_mesh_free(m);
    snprintf(text, sizeof text,
             "pliant: 1\nmaterials: {m: {young: 1 GPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
             "bodies: [{name: s, shell: {mesh: %s, material: m, thickness: 1 mm%s}}]\n"
             "fixed: s where x < 1 mm\n",
             path, c[k].more);
    pl_scene *s = parse(&env, text);
    remove(path);
    assert_int_equal(heard.nwarning, c[k].reported != NULL);
    if (c[k].reported) assert_non_null(strstr(heard.d[0].text, c[k].reported));
    pl_scene_free(s);
  }
}

static void chain(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = parse(&env, "pliant: 1\ndimension: 2\n"
                            "bodies: [{name: rope, chain: {from: [0, 0], to: [2, 0], segments: 4, "
                            "stiffness: 1e4, mass: 0.25}}]\n"
                            "fixed: rope group start\n"
                            "masses: [{nodes: rope group end, mass: 1}]\n");
  pl_scene_counts c;
  pl_scene_count(s, &c);
  assert_int_equal(c.nodes, 5);
  assert_int_equal(c.free_dofs, 8);
  assert_int_equal(c.elements[PL_ELEM_link], 4);
  assert_int_equal(s->mesh->cell[PL_SEG2].n, 4);
  check_rel(c.mass, 2, 1e-14);
  pl_scene_free(s);
}

// harmonic terms of a drive, seen in the motion of the node
static void drive_terms(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = parse(
      &env, "pliant: 1\ndimension: 2\nnodes: {a: [1, 0], b: [0, 2], c: [4, 4]}\n"
            "drives:\n"
            "  - {node: a, fix: [y], terms: [{harmonic: 0, translation: [0, 5 mm]}, "
            "{harmonic: 3, translation: [0, 1 mm], phase: 30 deg}]}\n"
            "  - {node: b, rotation: {through: [0, 1], terms: [{harmonic: 2, angle: 10 deg}]}}\n"
            "fixed: [{node: c, fix: x}]\n");
  pl_state *x;
  pl_clock c = {.t = 0.4, .omega = 1.5, .scale = 1};
  check_ok(&env, pl_state_create(s->model, s->params, &x));
  pl_drive(s->model, s->params, &c, x);
  check_close(x->q[1], 5e-3 + 1e-3 * sin(3 * 1.5 * 0.4 + PL_PI / 6), 1e-15);
  double angle = PL_PI / 18 * sin(2 * 1.5 * 0.4);
  check_close(x->q[2], -sin(angle), 1e-15);
  check_close(x->q[3], 1 + cos(angle), 1e-15);
  assert_int_equal(pl_model_nfree(s->model), 2);
  pl_state_free(s->model, x);
  pl_scene_free(s);
}

static void initial_state(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = parse(&env, "pliant: 1\nnodes: {a: [1, 0, 0], b: [0, 2, 0]}\n"
                            "initial:\n"
                            "  - {nodes: all, velocity: [0, 0, 1]}\n"
                            "  - {node: b, displacement: [0, 3 mm, 0], spin: {axis: [0, 0, 2], "
                            "through: [0, 1, 0], rate: 60 rpm}}\n");
  double u[6] = {0, 0, 0, 0, 3e-3, 0}, v[6] = {0, 0, 1, -2 * PL_PI, 0, 1};
  check_array(6, s->u0, u, 0);
  check_array(6, s->v0, v, 1e-14);
  pl_scene_free(s);
}

// lenient where physics is: N.m for N.m/rad; degrees and per cent
static void values(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = parse(
      &env, "pliant: 1\ndimension: 2\nunits: {length: mm, stress: MPa, angle: deg}\n"
            "materials: {m: {young: 2, poisson: 30 %, density: 1.1 g/cm^3}}\n"
            "bodies: [{name: b, plane: {mesh: {grid: {size: [10, 10], cells: [1, 1], pattern: "
            "right}}, material: m, thickness: 5}}]\n"
            "mechanism:\n"
            "  joints: {a: [50, 0], b1: [60, 0], c: [60, 10]}\n"
            "  links: [{joints: [a, b1]}, {joints: [b1, c]}]\n"
            "  angles: [{joints: [a, b1, c], stiffness: 3 N.m}]\n");
  int found = 0;
  for (int g = 0; g < pl_model_ngroup(s->model); g++)
    found += pl_model_group_kind(s->model, g) == pl_elem_table[PL_ELEM_angle];
  assert_int_equal(found, 1);
  // E h/(1 - nu^2) of a square stretched a little: the force on its right side
  double u[14] = {0}, r[14], e = 1e-6, right = 0;
  const int *node = s->body[0].node;
  for (int i = 0; i < 4; i++) u[2 * node[i]] = e * s->params->X[2 * node[i]];
  force(s, u, &(pl_clock){.scale = 1}, r);
  for (int i = 0; i < 4; i++)
    if (s->params->X[2 * node[i]] > 5e-3) right += r[2 * node[i]];
  check_rel(right, 2e6 / (1 - 0.09) * e * 5e-3 * 10e-3, 1e-5);
  pl_scene_free(s);
}

static void watches(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s =
      parse(&env, "pliant: 1\ndimension: 2\nnodes: {a: [0, 0], b: [1, 0]}\n"
                  "watch: {all_of_a: a, up: b.y}\n"
                  "analyses: [static, static, {modes: {about: static-2, watch: {c: 'nearest "
                  "[0.9, 0].x'}}}]\n");
  assert_int_equal(s->nprobe, 2);
  assert_int_equal(s->probe[0].component, -1);
  assert_int_equal(s->probe[1].node, 1);
  assert_int_equal(s->probe[1].component, 1);
  assert_string_equal(s->analysis[1].name, "static-2");
  assert_int_equal(s->analysis[2].about, 1);
  assert_int_equal(s->analysis[2].nprobe, 3);
  assert_string_equal(s->analysis[2].probe[0].name, "c");
  assert_int_equal(s->analysis[2].probe[0].component, 0);
  pl_scene_free(s);
}

int test_parts(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrices), cmocka_unit_test(potentials),  cmocka_unit_test(mesh_placement),
      cmocka_unit_test(chain),    cmocka_unit_test(drive_terms), cmocka_unit_test(initial_state),
      cmocka_unit_test(values),   cmocka_unit_test(watches),     cmocka_unit_test(hinges),
  };
  return cmocka_run_group_tests_name("scene.parts", tests, NULL, NULL);
}
