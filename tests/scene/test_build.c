#include "messages.h"

#include "pliant/math.h"
#include "pliant/scene.h"

#include <stdio.h>
#include <string.h>

#define SCENE_FOLDER SOURCE_DIR "/scenes"

static messages heard;

static pl_scene *parse(pl_env *env, const char *text) {
  pl_scene *s;
  messages_env(env, &heard);
  pl_status st = pl_scene_parse(env, "test", SCENE_FOLDER, text, strlen(text), 0, NULL, NULL, &s);
  for (int k = 0; k < heard.n; k++) print_message("%d: %s\n", heard.d[k].line, heard.d[k].text);
  assert_int_equal(st, PL_OK);
  return s;
}

// ---- the three sketches of the format, without analyses that come later -----------------------

static const char sketch_duffing[] =
    "pliant: 1                       # a driven Duffing oscillator\n"
    "dimension: 1\n"
    "nodes: {m: 0}\n"
    "masses: [{node: m, mass: 1 kg}]\n"
    "springs: [{nodes: [ground, m], stiffness: 1 N/m, cubic: 0.05 N/m^3, damping: 0.02 N.s/m}]\n"
    "loads: [{node: m, force: [0.1 N], harmonic: 1, phase: 90 deg}]\n"
    "analyses:\n"
    "  - transient: {frequency: 0.5 rad/s, periods: 7, watch: {tip: m}}\n";

static const char sketch_leg[] =
    "pliant: 1                       # three-link compliant leg\n"
    "units: {length: mm, mass: g}\n"
    "dimension: 2\n"
    "parameters:\n"
    "  m_foot: {value: 3, min: 0, max: 20}\n"
    "  thigh:  {value: 60, min: 40, max: 80}        # link length: moves rest positions\n"
    "mechanism:\n"
    "  joints: {hip: [0, 0], knee: [0, -60], ankle: [20, -110], toe: [50, -115]}\n"
    "  links: [{name: femur, joints: [hip, knee], length: $thigh}, {name: tibia, joints: [knee, "
    "ankle]}, {name: foot, joints: [ankle, toe]}]\n"
    "  springs: [{from: femur@0.5, to: tibia@0.8, stiffness: 70.2 N/m, rest: 146 mm}]\n"
    "masses: [{node: toe, mass: $m_foot}]\n"
    "drives: [{nodes: [hip], translation: [0, 1 mm], phase: 0}]\n"
    "damping: {mass: 0.5 1/s, stiffness: 5e-5 s}\n"
    "analyses:\n"
    "  - transient: {frequency: 3 Hz, periods: 8, watch: {toe: toe}}\n";

static const char sketch_wing[] =
    "pliant: 1                       # shell wing with design masses\n"
    "units: {length: mm, mass: g}\n"
    "materials: {pla: {young: 3.3 GPa, poisson: 0.36, density: 1240 kg/m^3}}\n"
    "bodies: [{name: wing, shell: {mesh: meshes/wing.obj, material: pla, thickness: 0.8, bending: "
    "hinge}}]\n"
    "sets: {root: wing where x < 2, tip: wing nearest [180, 40, 0]}\n"
    "parameters: {m1: {value: 0, min: 0, max: 2}, m2: {value: 0, min: 0, max: 2}, m3: {value: 0, "
    "min: 0, max: 2}}\n"
    "masses: [{node: wing nearest [60, -20, 0], mass: $m1}, {node: wing nearest [110, -25, 0], "
    "mass: $m2}, {node: wing nearest [150, -10, 0], mass: $m3}]\n"
    "drives: [{nodes: root, rotation: {axis: [0, 1, 0], through: [0, 0, 0], amplitude: 40 deg}}]\n"
    "damping: {mass: 0.5 1/s, stiffness: 5e-5 s}\n"
    "analyses: [{transient: {frequency: 0.5 Hz, periods: 5, watch: {tip: tip}}}]\n";

// r = m a + c v + k u + k3 u^3 - f cos(omega t), by hand
static void duffing(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = parse(&env, sketch_duffing);
  assert_int_equal(pl_model_nq(s->model), 1);
  assert_int_equal(pl_model_nfree(s->model), 1);
  pl_state *x;
  pl_work *w;
  check_ok(&env, pl_state_create(s->model, s->params, &x));
  check_ok(&env, pl_work_create(s->model, 1, &w));
  x->q[0] = 1.3;
  x->v[0] = -0.4;
  x->a[0] = 0.7;
  pl_clock c = {.t = 0.9, .omega = 1.1, .scale = 1};
  check_ok(&env, pl_eval(s->model, s->params, x, &c, PL_WANT_FORCE | PL_DYNAMIC, NULL, w));
  double want = 0.7 - 0.02 * 0.4 + 1.3 + 0.05 * 1.3 * 1.3 * 1.3 - 0.1 * cos(1.1 * 0.9);
  check_close(w->r[0], want, 1e-14);
  pl_work_free(w);
  pl_state_free(s->model, x);

  const pl_analysis *a = &s->analysis[0];
  assert_int_equal(s->nanalysis, 1);
  assert_int_equal(a->kind, PL_ANALYSIS_transient);
  assert_string_equal(a->name, "transient");
  check_rel(a->opts.transient_.frequency, 0.5, 1e-15);
  assert_int_equal(a->opts.transient_.periods, 7);
  assert_int_equal(a->opts.transient_.steps_per_period, 256);
  assert_int_equal(a->nprobe, 1);
  assert_string_equal(a->probe[0].name, "tip");
  assert_int_equal(a->probe[0].node, pl_scene_find_node(s, "m"));
  pl_scene_free(s);
}

static int elements(const pl_scene *s, const char *kind) {
  pl_scene_counts c;
  pl_scene_count(s, &c);
  for (int k = 0; k < PL_ELEM_COUNT; k++)
    if (strcmp(pl_elem_table[k]->name, kind) == 0) return c.elements[k];
  return -1;
}

static void leg(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = parse(&env, sketch_leg);
  assert_int_equal(s->dim, 2);
  assert_int_equal(pl_model_nnode(s->model), 4);
  assert_int_equal(pl_model_nfree(s->model), 6);
  assert_int_equal(elements(s, "link"), 3);
  assert_int_equal(elements(s, "spring"), 1);
  assert_int_equal(elements(s, "point"), 1);
  assert_int_equal(s->mesh->cell[PL_SEG2].n, 3);
  assert_int_equal(pl_model_ndesign(s->model), 2);
  const pl_design_desc *mass = pl_model_design(s->model, 0), *thigh = pl_model_design(s->model, 1);
  assert_string_equal(mass->unit, "kg");
  check_rel(mass->value, 3e-3, 1e-15);
  check_rel(mass->max, 20e-3, 1e-15);
  assert_string_equal(thigh->unit, "m");
  check_rel(thigh->min, 40e-3, 1e-15);

  // a longer thigh moves knee, ankle and toe down, and leaves the hip
  double design[2] = {3e-3, 70e-3};
  check_ok(&env, pl_params_set_design(s->model, s->params, design));
  double want[8] = {0, 0, 0, -0.07, 0.02, -0.12, 0.05, -0.125};
  check_array(8, s->params->X, want, 1e-15);
  pl_scene_free(s);
}

static void wing(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = parse(&env, sketch_wing);
  assert_int_equal(s->nset, 2);
  assert_int_equal(pl_scene_find_set(s, "tip"), 1);
  assert_int_equal(s->set[1].n, 1);

  // the same by hand
  int nroot = 0, nearest = 0;
  double best = 1e9, point[3] = {0.18, 0.04, 0};
  for (int i = 0; i < s->mesh->nvert; i++) {
    double d[3];
    pl_sub3(s->mesh->X + 3 * i, point, d);
    nroot += s->mesh->X[3 * i] < 2e-3;
    if (pl_norm3(d) < best) {
      best = pl_norm3(d);
      nearest = i;
    }
  }
  assert_int_equal(s->set[0].n, nroot);
  assert_int_equal(s->set[1].node[0], nearest);
  assert_int_equal(pl_model_nfree(s->model), 3 * (s->mesh->nvert - nroot));
  assert_int_equal(elements(s, "membrane"), s->mesh->cell[PL_TRI3].n);
  assert_int_equal(elements(s, "point"), 3);
  assert_true(elements(s, "hinge") > s->mesh->cell[PL_TRI3].n);
  assert_int_equal(s->nbody, 1);
  assert_int_equal(s->body[0].n, s->mesh->nvert);

  // the mass is that of the area, 0.8 mm thick
  double area = 0;
  for (int t = 0; t < s->mesh->cell[PL_TRI3].n; t++) {
    const int *v = s->mesh->cell[PL_TRI3].v + 3 * t;
    double a[3], b[3], n[3];
    pl_sub3(s->mesh->X + 3 * v[1], s->mesh->X + 3 * v[0], a);
    pl_sub3(s->mesh->X + 3 * v[2], s->mesh->X + 3 * v[0], b);
    pl_cross3(a, b, n);
    area += 0.5 * pl_norm3(n);
  }
  pl_scene_counts c;
  pl_scene_count(s, &c);
  check_rel(c.mass, 1240 * 0.8e-3 * area, 1e-12);
  pl_scene_free(s);
}

// ---- parameters act where they should: pl_eval_design against differences ----------------------

static void residual(const pl_scene *s, const pl_clock *c, const pl_state *x, pl_work *w,
                     double *r) {
  check_ok(s->env, pl_eval(s->model, s->params, x, c, PL_WANT_FORCE | PL_DYNAMIC, NULL, w));
  memcpy(r, w->r, (size_t)x->nq * sizeof *r);
}

static void check_designs(pl_scene *s, double wobble) {
  pl_env *env = s->env;
  int n = pl_model_ndesign(s->model), nq = pl_model_nq(s->model);
  pl_clock c = {.t = 0.3, .omega = 2, .scale = 1};
  pl_state *x;
  pl_work *w;
  check_ok(env, pl_state_create(s->model, s->params, &x));
  check_ok(env, pl_work_create(s->model, 1, &w));
  pl_rng g;
  pl_rng_seed(&g, 7);
  for (int i = 0; i < nq; i++) {
    x->q[i] += pl_rng_uniform(&g, -wobble, wobble);
    x->v[i] = pl_rng_uniform(&g, -1, 1);
    x->a[i] = pl_rng_uniform(&g, -1, 1);
  }
  double *got = pl_alloc(env, (size_t)nq, sizeof *got), *plus = pl_alloc(env, (size_t)nq, 8),
         *minus = pl_alloc(env, (size_t)nq, 8), design[32];
  for (int k = 0; k < n; k++) {
    const pl_design_desc *d = pl_model_design(s->model, k);
    assert_true(d->ntarget > 0);
    double h = 1e-5 * (fabs(d->value) > 0 ? fabs(d->value) : 1);
    pl_drive(s->model, s->params, &c, x);
    check_ok(env, pl_eval_design(s->model, s->params, x, &c, k, w, got));
    for (int i = 0; i < n; i++) design[i] = pl_model_design(s->model, i)->value;
    for (int side = -1; side <= 1; side += 2) {
      design[k] = d->value + side * h;
      check_ok(env, pl_params_set_design(s->model, s->params, design));
      pl_drive(s->model, s->params, &c, x);
      residual(s, &c, x, w, side > 0 ? plus : minus);
    }
    design[k] = d->value;
    check_ok(env, pl_params_set_design(s->model, s->params, design));
    for (int i = 0; i < nq; i++) plus[i] = (plus[i] - minus[i]) / (2 * h);
    double size = pl_max_abs(nq, plus);
    if (!(size > 0)) fail_msg("parameter '%s' does nothing", d->name);
    check_array(nq, got, plus, 2e-6 * size + 1e-9 * pl_max_abs(nq, minus) / h);
  }
  pl_free(env, got);
  pl_free(env, plus);
  pl_free(env, minus);
  pl_work_free(w);
  pl_state_free(s->model, x);
}

static void parameters_of_a_mechanism(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = parse(
      &env,
      "pliant: 1\ndimension: 2\n"
      "parameters: {l: {value: 1.5}, k: {value: 7}, s: {value: 0.4}, o: {value: 0.1}, rest: "
      "{value: 1.2}, c: {value: 0.3}, m: {value: 2}, x: {value: 0.2}, f: {value: 3}, phi: "
      "{value: 20 deg}, amp: {value: 0.1}, g: {value: 9}, al: {value: 0.2}, be: {value: "
      "0.01}, kl: {value: 40}, ka: {value: 3}}\n"
      "mechanism:\n"
      "  joints: {a: [0, 0], b: [0, -1], c: [1, -1.5]}\n"
      "  links: [{name: one, joints: [a, b], length: $l, stiffness: $kl}, {name: two, joints: "
      "[b, c], stiffness: 50, mass: $m}]\n"
      "  angles: [{joints: [a, b, c], stiffness: $ka}]\n"
      "nodes: {p: [$x + 1 m, 0.5]}\n"
      "springs:\n"
      "  - {from: one@$s, to: two@0.8, from_offset: $o, stiffness: $k, rest: $rest, damping: "
      "$c}\n"
      "  - {nodes: [p, c], stiffness: 2*$k}\n"
      "  - {nodes: [p.x, ground], stiffness: 2, cubic: 3, quadratic: 1, damping: 0.1}\n"
      "masses: [{nodes: [a, b, c, p], mass: $m}, {nodes: [b, c], total: $m/2}]\n"
      "drives: [{node: a, translation: [$amp, -$amp], phase: $phi}]\n"
      "loads: [{nodes: [c, b], total: [$f, 0], harmonic: 2, phase: $phi}, {node: c, force: "
      "[0, $f]}]\n"
      "gravity: [0, -$g]\n"
      "damping: {mass: $al, stiffness: $be}\n");
  check_designs(s, 0.05);
  pl_scene_free(s);
}

static void parameters_of_bodies(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s = parse(
      &env,
      "pliant: 1\n"
      "parameters: {e: {value: 5 kPa}, nu: {value: 0.3}, rho: {value: 1000}, h: {value: "
      "0.1}, turn: {value: 10 deg}, m: {value: 1}}\n"
      "materials: {soft: {young: $e, poisson: $nu, density: $rho}}\n"
      "bodies:\n"
      "  - name: sheet\n"
      "    shell: {bending: hinge, mesh: {grid: {size: [1, 1], cells: [2, 2]}}, material: soft, "
      "thickness: $h}\n"
      "  - name: box\n"
      "    solid: {mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1], cell: tet}}, "
      "material: soft, translate: [0, 0, 2]}\n"
      "masses: [{nodes: sheet group top, total: $m}]\n"
      "drives: [{nodes: sheet group left, rotation: {axis: [0, 1, 0], through: [0, 0, 0.5], "
      "amplitude: "
      "$turn}}]\n");
  check_designs(s, 0.02);
  pl_scene_free(s);
}

// alpha / (2 w) + beta w / 2 is the ratio at both frequencies
static void damping_ratios(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double zeta[2];
  } good[] = {{"{ratio: 2 %, at: [10 Hz, 50 Hz]}", {0.02, 0.02}},
              {"{ratio: [0.03, 4 %], at: [50 Hz, 10 Hz]}", {0.04, 0.03}}};
  static const struct {
    const char *text, *message;
  } bad[] = {{"{ratio: [1 %, 10 %], at: [10 Hz, 50 Hz]}", "negative alpha"},
             {"{ratio: [10 %, 1 %], at: [10 Hz, 50 Hz]}", "negative beta"},
             {"{ratio: 2 %}", "belong together"},
             {"{ratio: 2 %, at: 10 Hz}", "must be two values"},
             {"{ratio: 2 %, at: [10 Hz, 10 Hz]}", "must differ"}};
  for (int k = 0; k < 7; k++) {
    pl_env env;
    pl_scene *s;
    char text[512];
    snprintf(text, sizeof text,
             "pliant: 1\ndimension: 1\nnodes: {m: 0}\nmasses: [{node: m, mass: 1 kg}]\n"
             "springs: [{nodes: [ground, m], stiffness: 1 N/m}]\ndamping: %s\n",
             k < 2 ? good[k].text : bad[k - 2].text);
    messages_env(&env, &heard);
    pl_status st = pl_scene_parse(&env, "test", ".", text, strlen(text), 0, NULL, NULL, &s);
    assert_int_equal(st, k < 2 ? PL_OK : PL_E_INPUT);
    if (k >= 2) {
      assert_non_null(strstr(env.error.text, bad[k - 2].message));
      continue;
    }
    for (int i = 0; i < 2; i++) {
      double w = 2 * PL_PI * (i ? 50 : 10), *par = s->params->par;
      check_rel(par[PL_PAR_ALPHA] / (2 * w) + par[PL_PAR_BETA] * w / 2, good[k].zeta[i], 1e-12);
    }
    pl_scene_free(s);
  }
}

int test_build(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(duffing),
      cmocka_unit_test(leg),
      cmocka_unit_test(wing),
      cmocka_unit_test(parameters_of_a_mechanism),
      cmocka_unit_test(parameters_of_bodies),
      cmocka_unit_test(damping_ratios),
  };
  return cmocka_run_group_tests_name("scene.build", tests, NULL, NULL);
}
