// Rigid bodies as members of a scene, beside closed forms.
#include "check.h"

#include "pliant/job.h"
#include "pliant/math.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static pl_env env;

static void figures(void *ctx, const pl_analysis *a, const struct json_t *f) {
  json_t **out = ctx;
  (void)a;
  json_decref(*out);
  *out = json_deep_copy(f);
}

// figures of the last analysis, freed by the caller
static json_t *run(const char *text) {
  pl_scene *scene;
  pl_job_result r;
  json_t *f = NULL;
  pl_env_init(&env);
  check_ok(&env, pl_scene_parse(&env, "test.yaml", ".", text, strlen(text), 0, NULL, NULL, &scene));
  const pl_sink sink = {.ctx = &f, .figures = figures};
  check_ok(&env, pl_job_run(&env, scene, &(pl_job_opts){.threads = 1, .sink = &sink}, &r));
  pl_scene_free(scene);
  assert_non_null(f);
  return f;
}

// "a.b.0"
static double number(const json_t *f, const char *path) {
  char word[64];
  for (const char *p = path; *p;) {
    int n = (int)strcspn(p, ".");
    snprintf(word, sizeof word, "%.*s", n, p);
    f = json_is_array(f) ? json_array_get(f, (size_t)(word[0] - '0')) : json_object_get(f, word);
    assert_non_null(f);
    p += n + (p[n] == '.');
  }
  return json_number_value(f);
}

static void vector(const json_t *f, const char *path, double *x) {
  char all[96];
  for (int i = 0; i < 3; i++) {
    snprintf(all, sizeof all, "%s.%d", path, i);
    x[i] = number(f, all);
  }
}

// ---- free motion --------------------------------------------------------------------------------

static void parabola(void **state) {
  (void)state;
  json_t *f =
      run("pliant: 1\n"
          "bodies:\n"
          "  - {name: ball, rigid: {mesh: {sphere: {radius: 10 mm}}, mass: 3 g}}\n"
          "  - {name: box, rigid: {mesh: {box: {size: [1 m, 0.5 m, 0.2 m], cells: [1, 1, 1]}},"
          " density: 500 kg/m^3, translate: [5 m, 0, 0]}}\n"
          "gravity: [0, 0, -9.81 m/s^2]\n"
          "damping: {stiffness: 1 ms}\n"
          "initial: [{nodes: ball, velocity: [0.5 m/s, 0, 2 m/s],\n"
          "           spin: {axis: [0, 1, 0], rate: 30 rad/s}}]\n"
          "obstacles: [{plane: {through: [0, 0, -9 m], normal: [0, 0, 1]}}]\n"
          "contact: {nodes: ball}\n"
          "analyses: [{transient: {duration: 0.1 s, step: 0.25 ms}}]\n");
  double x[3], v[3], w[3];
  vector(f, "bodies.ball.centre_m", x);
  vector(f, "bodies.ball.velocity_m_s", v);
  vector(f, "bodies.ball.turning_rad_s", w);
  check_close(number(f, "bodies.ball.mass_kg"), 3e-3, 1e-15);
  check_close(number(f, "bodies.box.mass_kg"), 50, 1e-12);
  check_close(x[0], 0.05, 1e-13);
  check_close(x[2], 0.2 - 0.5 * 9.81 * 0.01, 1e-13);
  check_close(v[2], 2 - 0.981, 1e-12);
  // damping by stiffness does not slow its turning
  check_close(w[1], 30, 3e-3);
  // v^2/2g more, and down to the plane
  double rise = v[2] * v[2] / (2 * 9.81);
  check_close(number(f, "bodies.ball.flight.rise_m"), rise, 1e-5);
  assert_true(number(f, "bodies.ball.flight.landing_centre_m.2") < -8.9);
  json_decref(f);
}

static void free_top(void **state) {
  // moments 0.6, 0.8, 1; tabulated: quaternion and body momentum after 10 s
  static const double q[4] = {-0.73606136, -0.57078695, -0.29938857, -0.20683909};
  static const double y[3] = {1.76596251, -0.69546420, 0.77955498}, moment[3] = {0.6, 0.8, 1.0};
  double body[3], exact[3], w[3];
  (void)state;
  json_t *f =
      run("pliant: 1\n"
          "bodies:\n"
          "  - {name: top, rigid: {mesh: {box: {size: [2.683281572999748 m, 2.1908902300206647 m,"
          " 1.5491933384829668 m], cells: [1, 1, 1]}}, mass: 1 kg, translate:"
          " [-1.341640786499874 m, -1.0954451150103324 m, -0.7745966692414834 m]}}\n"
          "  - {name: other, rigid: {mesh: {box: {size: [1 m, 1 m, 1 m], cells: [1, 1, 1]}},"
          " mass: 1 kg, translate: [9 m, 0, 0]}}\n"
          "initial: [{nodes: top, spin: {axis: [3, 0.5, -0.9], rate: 3.1717503 rad/s}}]\n"
          "analyses: [{transient: {duration: 10 s, step: 0.01 s}}]\n");
  vector(f, "bodies.top.turning_rad_s", w);
  for (int i = 0; i < 3; i++) body[i] = y[i] / moment[i];
  pl_quat_rotate(q, body, exact);
  pl_sub3(w, exact, w);
  check_less(pl_norm3(w), 0.02);
  json_decref(f);
}

// ---- contact ------------------------------------------------------------------------------------

// a box of 20 x 20 x 40 mm on a slope of tan = slope; how far it moved and what it turns with
static void slope(double tan_, double mu, double *v, double *w) {
  char text[1024];
  double g = 9.81, c = 1 / sqrt(1 + tan_ * tan_);
  snprintf(text, sizeof text,
           "pliant: 1\nunits: {length: mm}\n"
           "bodies:\n"
           "  - {name: box, rigid: {mesh: {box: {size: [20, 20, 40], cells: [1, 1, 1]}},"
           " density: 1000 kg/m^3}}\n"
           "  - {name: far, rigid: {mesh: {sphere: {radius: 1}}, mass: 1 g,"
           " translate: [0, 0, 9 m]}}\n"
           "gravity: [%.15g m/s^2, 0, %.15g m/s^2]\n"
           "obstacles: [{plane: {normal: [0, 0, 1]}, friction: %g}]\n"
           "contact: {nodes: box}\n"
           "analyses: [{transient: {duration: 0.1 s, step: 0.5 ms}}]\n",
           g * tan_ * c, -g * c, mu);
  json_t *f = run(text);
  vector(f, "bodies.box.velocity_m_s", v);
  vector(f, "bodies.box.turning_rad_s", w);
  json_decref(f);
}

static void topple(void **state) {
  double v[3], w[3];
  (void)state;
  // w/H = 0.5: below it stays, above it topples, with little friction it slides
  slope(0.45, 0.8, v, w);
  assert_true(pl_norm3(v) < 1e-5 && pl_norm3(w) < 1e-3);
  slope(0.55, 0.8, v, w);
  assert_true(w[1] > 0.3);
  slope(0.45, 0.3, v, w);
  double c = 1 / sqrt(1 + 0.45 * 0.45);
  check_close(v[0], 0.1 * 9.81 * c * (0.45 - 0.3), 1e-6);
  assert_true(fabs(w[1]) < 1e-3);
}

// a ball on a slope of tan 0.3, let go at v0 down it as it rolls; what it moves and turns with
static void roll(double mu, double v0, double *v, double *w) {
  char text[1024];
  double g = 9.81, c = 1 / sqrt(1.09);
  snprintf(text, sizeof text,
           "pliant: 1\nunits: {length: mm}\n"
           "bodies:\n"
           "  - {name: ball, rigid: {mesh: {sphere: {radius: 10, level: 1}}, mass: 4 g,"
           " rotate: {axis: [1, 2, 3], angle: 25 deg}, translate: [0, 0, 10]}}\n"
           "  - {name: far, rigid: {mesh: {sphere: {radius: 1}}, mass: 1 g,"
           " translate: [0, 0, 9 m]}}\n"
           "gravity: [%.15g m/s^2, 0, %.15g m/s^2]\n"
           "obstacles: [{plane: {normal: [0, 0, 1]}, friction: %g}]\n"
           "contact: {nodes: ball}\n"
           "initial: [{nodes: ball, velocity: [%g m/s, 0, 0],\n"
           "           spin: {axis: [0, 1, 0], through: [0, 0, 10], rate: %g rad/s}}]\n"
           "analyses: [{transient: {duration: 0.2 s, step: 0.5 ms}}]\n",
           g * 0.3 * c, -g * c, mu, v0, v0 / 0.01);
  json_t *f = run(text);
  vector(f, "bodies.ball.velocity_m_s", v);
  vector(f, "bodies.ball.turning_rad_s", w);
  check_less(number(f, "energy_made_most_J"), 1e-3 * number(f, "energy_scale_J"));
  json_decref(f);
}

// down and up: 5/7 g sin without slip; with little friction it slips and turns by that
static void rolling_ball(void **state) {
  (void)state;
  double v[3], w[3], down = 9.81 * 0.3 / sqrt(1.09), press = 9.81 / sqrt(1.09);
  roll(0.3, 0, v, w);
  check_rel(v[0], 5.0 / 7 * down * 0.2, 1e-4);
  check_rel(w[1], 5.0 / 7 * down * 0.2 / 0.01, 1e-4);
  check_close(v[2], 0, 1e-6);
  roll(0.3, -1, v, w);
  check_rel(v[0], 5.0 / 7 * down * 0.2 - 1, 1e-4);
  check_rel(w[1], v[0] / 0.01, 1e-4);
  roll(0.05, 0, v, w);
  check_rel(v[0], (down - 0.05 * press) * 0.2, 1e-4);
  check_rel(w[1], 2.5 * 0.05 * press / 0.01 * 0.2, 1e-4);
}

// turns of 0.1 rad in a step: nothing is gained, nothing lost
static void fast_spin(void **state) {
  (void)state;
  json_t *f = run("pliant: 1\nunits: {length: mm}\n"
                  "bodies:\n"
                  "  - {name: top, rigid: {mesh: {box: {size: [20, 30, 50], cells: [1, 1, 1]}},"
                  " density: 1000 kg/m^3, translate: [-10, -15, -25]}}\n"
                  "  - {name: far, rigid: {mesh: {sphere: {radius: 1}}, mass: 1 g,"
                  " translate: [0, 0, 9 m]}}\n"
                  "initial: [{nodes: top, spin: {axis: [0, 0, 1], rate: 100 rad/s}}]\n"
                  "analyses: [{transient: {duration: 1 s, step: 1 ms}}]\n");
  double w[3];
  vector(f, "bodies.top.turning_rad_s", w);
  check_close(w[0], 0, 1e-6);
  check_close(w[1], 0, 1e-6);
  check_rel(w[2], 100, 2e-5);
  json_decref(f);
}

// A soft arm that is bent and let go strikes a ball, which flies off turning. What the trapezoidal
// rule leaves of vibration in the ball changes sign from step to step and was fed by its turning.
static void struck_ball_keeps_energy(void **state) {
  (void)state;
  json_t *f = run(
      "pliant: 1\nunits: {length: mm}\n"
      "materials: {tpu: {law: neo-hookean, young: 30 MPa, poisson: 0.4, density: 1200 kg/m^3}}\n"
      "bodies:\n"
      "  - name: arm\n"
      "    solid:\n"
      "      mesh: {box: {size: [5, 12, 80], cells: [1, 1, 8]}}\n"
      "      rotate: {axis: [0, 1, 0], angle: 40 deg}\n"
      "      translate: [0, -6, 0]\n"
      "      material: tpu\n"
      "  - {name: ball, rigid: {mesh: {sphere: {radius: 7, level: 1}}, mass: 3 g,"
      " translate: [40.7, 0, 60]}}\n"
      "initial: [{nodes: ball, velocity: [3 m/s, 0, -3 m/s], spin: {axis: [0, 1, 0],\n"
      "           through: [40.7, 0, 60], rate: 150 rad/s}}]\n"
      "self_contact: {exact: yes, thickness: 0.1, friction: 0.4}\n"
      "damping: {stiffness: 0.5 ms}\n"
      "fixed: arm group bottom\n"
      "analyses: [{transient: {duration: 40 ms, step: 0.25 ms}}]\n");
  check_less(number(f, "energy_made_most_J"), 5e-3 * number(f, "energy_scale_J"));
  json_decref(f);
}

// a rigid box on a soft block on the floor: both carry what is above them
static void weight(void **state) {
  (void)state;
  json_t *f = run("pliant: 1\nunits: {length: mm}\n"
                  "materials: {rubber: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
                  "bodies:\n"
                  "  - {name: block, solid: {mesh: {box: {size: [30, 30, 20], cells: [3, 3, 2]}},"
                  " material: rubber}}\n"
                  "  - {name: box, rigid: {mesh: {box: {size: [20, 20, 20], cells: [1, 1, 1]}},"
                  " mass: 20 g, translate: [5, 5, 20]}}\n"
                  "gravity: [0, 0, -9.81 m/s^2]\n"
                  "damping: {stiffness: 2 ms, mass: 100 1/s}\n"
                  "obstacles: [{name: floor, plane: {normal: [0, 0, 1]}, friction: 0.5}]\n"
                  "contact: {nodes: block}\n"
                  "self_contact: {exact: yes, friction: 0.5}\n"
                  "analyses: [{transient: {duration: 0.25 s, step: 1 ms}}]\n");
  check_close(number(f, "contact.bodies.normal_N"), 0.02 * 9.81, 1e-6);
  check_close(number(f, "contact.obstacles.floor.normal_N"), 0.038 * 9.81, 1e-6);
  check_close(number(f, "bodies.box.velocity_m_s.2"), 0, 1e-7);
  json_decref(f);
}

// a rigid ball meets a soft block in space: what one gives the other gets
static void momentum(void **state) {
  (void)state;
  json_t *f = run("pliant: 1\nunits: {length: mm}\n"
                  "materials: {rubber: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
                  "bodies:\n"
                  "  - {name: block, solid: {mesh: {box: {size: [30, 30, 20], cells: [2, 2, 2]}},"
                  " material: rubber}}\n"
                  "  - {name: ball, rigid: {mesh: {sphere: {radius: 8}}, mass: 10 g,"
                  " translate: [18, 14, 29]}}\n"
                  "initial: [{nodes: ball, velocity: [0.2 m/s, 0, -1 m/s]}]\n"
                  "self_contact: {exact: yes, friction: 0.5}\n"
                  "analyses: [{transient: {duration: 10 ms, step: 0.2 ms}}]\n");
  double a[3], b[3], wa[3];
  vector(f, "bodies.block.velocity_m_s", a);
  vector(f, "bodies.ball.velocity_m_s", b);
  vector(f, "bodies.block.turning_rad_s", wa);
  static const double before[3] = {0.2, 0, -1};
  for (int i = 0; i < 3; i++) check_close(0.018 * a[i] + 0.01 * b[i], 0.01 * before[i], 1e-14);
  assert_true(a[2] < -0.1 && b[2] > -0.9 && pl_norm3(wa) > 0.1);
  json_decref(f);
}

static void hear(void *ctx, const pl_diag *d) {
  int *coarse = ctx;
  *coarse += strstr(d->text, "as sound through the body") != NULL;
}

// No sound goes through a rigid body that any step could resolve, and none is asked for; a soft one
// beside it is told of.
static int coarse_impacts(const char *body) {
  char text[800];
  pl_scene *scene;
  pl_job_result r;
  int coarse = 0;
  pl_env_init(&env);
  env.diag = hear;
  env.diag_ctx = &coarse;
  snprintf(text, sizeof text,
           "pliant: 1\nunits: {length: mm}\n"
           "materials: {rubber: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
           "bodies: [{name: b, %s}]\n"
           "obstacles: [{name: floor, plane: {normal: [0, 0, 1]}}]\n"
           "contact: {nodes: b}\n"
           "initial: [{nodes: b, velocity: [0, 0, -1 m/s]}]\n"
           "analyses: [{transient: {duration: 4 ms, step: 1 ms}}]\n",
           body);
  check_ok(&env, pl_scene_parse(&env, "test.yaml", ".", text, strlen(text), 0, NULL, NULL, &scene));
  check_ok(&env, pl_job_run(&env, scene, &(pl_job_opts){.threads = 1}, &r));
  pl_scene_free(scene);
  return coarse;
}

static void impacts_of_rigid_bodies(void **state) {
  (void)state;
#define CUBE "{mesh: {box: {size: [10, 10, 10], cells: [1, 1, 1]}}, translate: [0, 0, 1], "
  assert_int_equal(coarse_impacts("solid: " CUBE "material: rubber}"), 1);
  assert_int_equal(coarse_impacts("rigid: " CUBE "mass: 1 g}"), 0);
#undef CUBE
}

// figures of bodies that meet are goals of a search: v t = 0.1 m
static void search_of_bodies(void **state) {
  (void)state;
  json_t *f = run("pliant: 1\n"
                  "bodies:\n"
                  "  - {name: a, rigid: {mesh: {sphere: {radius: 10 mm, level: 1}}, mass: 3 g}}\n"
                  "  - {name: b, rigid: {mesh: {sphere: {radius: 10 mm, level: 1}}, mass: 3 g,"
                  " translate: [1 m, 0, 0]}}\n"
                  "self_contact: {exact: yes}\n"
                  "initial: [{nodes: a, velocity: [5 m/s, 0, 0]}]\n"
                  "analyses:\n"
                  "  - transient: {name: fly, duration: 20 ms, step: 10 ms}\n"
                  "  - search:\n"
                  "      vary: [{name: v, path: initial.0.velocity.0, min: 0 m/s, max: 10 m/s}]\n"
                  "      goals: [{figure: fly.bodies.a.centre_m.0, target: 0.1 m}]\n"
                  "      budget: 2\n");
  const json_t *best = json_object_get(f, "best_figures");
  check_close(json_number_value(json_object_get(best, "fly.bodies.a.centre_m.0")), 0.1, 1e-12);
  json_decref(f);
}

// ---- what is wrong ------------------------------------------------------------------------------

static void refused(const char *body, const char *words) {
  char text[512];
  pl_scene *scene;
  pl_env_init(&env);
  snprintf(text, sizeof text, "pliant: 1\nbodies: [{name: b, %s}]\nanalyses: [{modes: {}}]\n",
           body);
  assert_int_equal(
      pl_scene_parse(&env, "test.yaml", ".", text, strlen(text), 0, NULL, NULL, &scene),
      PL_E_INPUT);
  if (!strstr(env.error.text, words)) fail_msg("'%s' is not in '%s'", words, env.error.text);
}

static void what_is_refused(void **state) {
  (void)state;
  refused("rigid: {mesh: {sphere: {radius: 1 m}}}", "exactly one of 'density' and 'mass'");
  refused("rigid: {mesh: {sphere: {radius: 1 m}}, density: 1 kg/m^3, mass: 1 kg}",
          "exactly one of 'density' and 'mass'");
  refused("rigid: {mesh: {grid: {size: [1 m, 1 m], cells: [1, 1]}}, mass: 1 kg}",
          "a solid needs a box, a sphere, a cylinder or voxels");
  refused("solid: {mesh: {sphere: {radius: 1 m}}, material: x}, rigid: {mesh: {sphere: {radius: "
          "1 m}}, mass: 1 kg}",
          "both solid and rigid");
}

int test_rigid(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parabola),         cmocka_unit_test(free_top),
      cmocka_unit_test(topple),           cmocka_unit_test(rolling_ball),
      cmocka_unit_test(fast_spin),        cmocka_unit_test(struck_ball_keeps_energy),
      cmocka_unit_test(weight),           cmocka_unit_test(momentum),
      cmocka_unit_test(search_of_bodies), cmocka_unit_test(impacts_of_rigid_bodies),
      cmocka_unit_test(what_is_refused)};
  return cmocka_run_group_tests_name("job.rigid", tests, NULL, NULL);
}
