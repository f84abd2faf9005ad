// Shells with mid-edge bending as scenes describe them: clamps, what is hidden, design parameters.
#include "messages.h"

#include "pliant/math.h"
#include "pliant/scene.h"

#include <stdio.h>
#include <string.h>

static messages heard;

static pl_scene *parse(pl_env *env, const char *text, const char *set) {
  pl_scene *s;
  messages_env(env, &heard);
  pl_status st = pl_scene_parse(env, "test", SOURCE_DIR "/scenes", text, strlen(text), set != NULL,
                                &set, NULL, &s);
  for (int k = 0; k < heard.n; k++) print_message("%d: %s\n", heard.d[k].line, heard.d[k].text);
  assert_int_equal(st, PL_OK);
  return s;
}

// a square of steel, 200 x 200 x 1 mm
#define PLATE(more, rest)                                                                          \
  "pliant: 1\nunits: {length: mm}\n"                                                               \
  "materials: {steel: {young: $e, poisson: 0.3, density: 7850 kg/m^3}}\n"                          \
  "parameters: {e: {value: 210 GPa}, h: {value: 1 mm}}\n"                                          \
  "bodies: [{name: plate, shell: {mesh: {grid: {size: [200, 200], cells: [16, 16], pattern: "      \
  "alternating}}, material: steel, thickness: $h, bending: midedge" more "}}]\n" rest

typedef struct rig {
  pl_env env;
  pl_scene *sc;
  pl_state *s;
  pl_work *w;
} rig;

static void open_rig(rig *r, const char *text, const char *set) {
  r->sc = parse(&r->env, text, set);
  check_ok(&r->env, pl_state_create(r->sc->model, r->sc->params, &r->s));
  check_ok(&r->env, pl_work_create(r->sc->model, 1, &r->w));
}

static void close_rig(rig *r) {
  pl_work_free(r->w);
  pl_state_free(r->sc->model, r->s);
  pl_scene_free(r->sc);
}

static pl_static_info solve(rig *r) {
  pl_static_opts o;
  pl_static_info info;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  check_ok(&r->env, pl_static(&o, r->sc->model, r->sc->params, r->s, r->w, NULL, NULL, &info));
  return info;
}

#define WEIGHT "gravity: [0, 0, -9.81 m/s^2]\n"

// copies that the wall carries are nodes of the model, and not of anything that is shown
static void check_counts(const rig *r, int n) {
  pl_scene_counts c;
  pl_scene_count(r->sc, &c);
  assert_int_equal(c.nodes, (n + 1) * (n + 1));
  assert_int_equal(r->sc->mesh->nvert, c.nodes);
  assert_int_equal(r->sc->body[0].n, c.nodes);
  assert_int_equal(c.elements[PL_ELEM_midedge], 2 * n * n);
  assert_int_equal(c.elements[PL_ELEM_hinge], 0);
  check_rel(c.mass, 7850 * 0.2 * 0.2 * 1e-3, 1e-12);
  assert_true(pl_model_nnode(r->sc->model) > c.nodes);
}

// Clamped square under its weight: w = 0.00126532 q a^4/D in the middle (Taylor & Govindjee,
// Commun. Numer. Meth. Engng 20 (2004) 757). The error falls with the square of the cells (8 % and
// 2 % here), so that the extrapolated value is right to fourth order.
static void clamped_plate(void **state) {
  (void)state;
  double w[2], D = 210e9 * 1e-9 / (12 * (1 - 0.09)), q = 7850 * 1e-3 * 9.81;
  for (int k = 0; k < 2; k++) {
    rig r;
    open_rig(&r,
             PLATE(", mass: consistent", "fixed: {nodes: plate boundary, clamp: yes}\n" WEIGHT
                                         "sets: {mid: 'plate nearest [100, 100, 0]'}\n"),
             k ? "bodies.plate.shell.mesh.grid.cells=[32, 32]" : NULL);
    check_counts(&r, k ? 32 : 16);
    solve(&r);
    w[k] = -r.s->q[3 * r.sc->set[0].node[0] + 2] / (0.00126532 * q * pow(0.2, 4) / D);
    close_rig(&r);
  }
  check_close(w[1], 1, 0.025);
  check_close(w[1] + (w[1] - w[0]) / 3, 1, 5e-3);
}

// two supports that meet in a corner are one wall: the same as a single one
static void walls_meet(void **state) {
  (void)state;
  double z[2];
  const char *const text[2] = {
      PLATE("", "fixed: {nodes: plate where x < 1 or y < 1, clamp: yes}\n" WEIGHT
                "sets: {far: 'plate nearest [200, 200, 0]'}\n"),
      PLATE("", "fixed: [{nodes: plate where x < 1, clamp: yes}, {nodes: plate where x > 1 and y < "
                "1, clamp: yes}]\n" WEIGHT "sets: {far: 'plate nearest [200, 200, 0]'}\n")};
  for (int k = 0; k < 2; k++) {
    rig r;
    open_rig(&r, text[k], NULL);
    solve(&r);
    z[k] = r.s->q[3 * r.sc->set[0].node[0] + 2];
    close_rig(&r);
  }
  check_rel(z[1], z[0], 1e-9);
}

// without clamp the plate swings about its edge, with it the plate follows a turning wall
static void hinged_or_built_in(void **state) {
  (void)state;
  rig r;
  open_rig(&r, PLATE("", "fixed: plate where x < 1\n"), NULL);
  pl_modes_opts o = {.count = 2};
  pl_modes_info info;
  double omega[2], *shape = pl_alloc(&r.env, 2 * (size_t)r.s->nq, sizeof *shape);
  check_ok(&r.env, pl_modes(&o, r.sc->model, r.sc->params, r.s, r.w, omega, shape, &info));
  assert_int_equal(info.nrigid, 1);
  pl_free(&r.env, shape);
  close_rig(&r);

  open_rig(&r,
           PLATE("", "drives: [{nodes: plate where x < 1, clamp: yes, rotation: {axis: [0, 1, "
                     "0], through: [0, 0, 0], amplitude: 2, harmonic: 0, phase: 90 deg}}]\n"),
           NULL);
  solve(&r);
  for (int i = 0; i < r.sc->mesh->nvert; i++) {
    const double *X = r.sc->mesh->X + 3 * i, *q = r.s->q + 3 * i;
    const double want[3] = {X[0] * cos(2), X[1], -X[0] * sin(2)};
    check_array(3, q, want, 1e-9);
  }
  close_rig(&r);
}

// dr/dp of parameters of the whole shell, of each element and of a turning clamp, against
// differences
static void parameters(void **state) {
  (void)state;
  const char *const text[3] = {
      PLATE("", "fixed: {nodes: plate where x < 1, clamp: yes}\n"),
      "pliant: 1\nmaterials: {m: {young: 1 GPa, density: 1000}}\nparameters: {a: {value: 20 deg}}\n"
      "bodies: [{name: s, shell: {mesh: {grid: {size: [2, 1], cells: [2, 1], pattern: right}}, "
      "material: m, thickness: 0.01, bending: midedge, variant: sin}}]\n"
      "drives: [{nodes: s group left, clamp: yes, rotation: {axis: [0, 1, 0], through: [0, 0, "
      "0.5], "
      "amplitude: $a, harmonic: 0, phase: 90 deg}}]\n",
      "pliant: 1\nunits: {length: mm}\n"
      "materials: {soft: {young: {each: {value: 1 MPa}}, poisson: 0.3, density: 1000 kg/m^3}}\n"
      "bodies: [{name: sheet, shell: {mesh: {grid: {size: [20, 10], cells: [2, 1], pattern: "
      "left}}, "
      "material: soft, thickness: {each: {value: 1}}, bending: midedge, variant: theta}}]\n"
      "fixed: {nodes: sheet where x < 1, clamp: yes}\n"};
  for (int k = 0; k < 3; k++) {
    rig r;
    open_rig(&r, text[k], NULL);
    const pl_model *m = r.sc->model;
    int nq = r.s->nq, n = pl_model_ndesign(m);
    pl_clock c = {.scale = 1};
    pl_rng g;
    pl_rng_seed(&g, 5);
    for (int i = 0; i < nq; i++) r.s->q[i] += pl_rng_uniform(&g, -1e-4, 1e-4);
    pl_drive(m, r.sc->params, &c, r.s);
    double *got = pl_alloc(&r.env, 2 * (size_t)nq + 2 * (size_t)n, sizeof *got), *want = got + nq;
    double *p = want + nq, *p0 = p + n;
    memcpy(p0, r.sc->params->design, (size_t)n * sizeof *p0);
    for (int j = 0; j < n; j++) {
      check_ok(&r.env, pl_eval_design(m, r.sc->params, r.s, &c, j, r.w, got));
      memset(want, 0, (size_t)nq * sizeof *want);
      for (int side = -1; side <= 1; side += 2) {
        memcpy(p, p0, (size_t)n * sizeof *p);
        p[j] *= 1 + side * 1e-4;
        check_ok(&r.env, pl_params_set_design(m, r.sc->params, p));
        pl_drive(m, r.sc->params, &c, r.s);
        check_ok(&r.env, pl_eval(m, r.sc->params, r.s, &c, PL_WANT_FORCE, NULL, r.w));
        for (int i = 0; i < nq; i++) want[i] += side * r.w->r[i] / (2e-4 * p0[j]);
      }
      check_ok(&r.env, pl_params_set_design(m, r.sc->params, p0));
      pl_drive(m, r.sc->params, &c, r.s);
      check_array(nq, got, want, 1e-7 * pl_max_abs(nq, want));
    }
    pl_free(&r.env, got);
    close_rig(&r);
  }
}

static pl_status build(pl_env *env, void *ctx) {
  pl_scene *s;
  pl_status st = pl_scene_parse(env, "test", ".", ctx, strlen(ctx), 0, NULL, NULL, &s);
  pl_scene_free(s);
  return st;
}

static void failing_allocator(void **state) {
  (void)state;
  static char text[] =
      "pliant: 1\nmaterials: {m: {young: 1 GPa, density: 1000}}\n"
      "bodies: [{name: a, shell: {mesh: {grid: {size: [2, 1], cells: [2, 1], pattern: right}}, "
      "material: m, thickness: 0.01, bending: midedge}}]\n"
      "fixed: {nodes: a group left, clamp: yes}\ninitial: [{nodes: a, velocity: [0, 0, 1]}]\n";
  check_allocations(build, text);
}

int test_shell(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clamped_plate),      cmocka_unit_test(walls_meet),
      cmocka_unit_test(hinged_or_built_in), cmocka_unit_test(parameters),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("scene.shell", tests, NULL, NULL);
}
