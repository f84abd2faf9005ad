// Rods in scenes. Beam theory: cantilever P L^3/(3 EI); first frequencies (beta L)^2 sqrt(EI/(m
// L^4)), beta L = 1.875104 clamped-free, pi pinned-pinned, m the mass per length (Timoshenko, Young
// & Weaver, art. 5.11). Free ring of round section (Love, art. 293): omega^2 = EI/(m R^4)
// n^2 (n^2 - 1)^2/(n^2 + 1) in its plane, and with n^2 + 1 + nu below out of it.
#include "messages.h"

#include "pliant/math.h"
#include "pliant/scene.h"
#include "pliant/solve.h"

#include <stdio.h>
#include <string.h>

static messages heard;
static pl_env env;

#define STEEL "materials: {steel: {young: 200 GPa, poisson: 0.3, density: 7800 kg/m^3}}\n"
static const double E = 200e9, NU = 0.3, RHO = 7800;

static pl_scene *parse(const char *text) {
  pl_scene *s;
  messages_env(&env, &heard);
  if (pl_scene_parse(&env, "t", SOURCE_DIR "/tests/scene", text, strlen(text), 0, NULL, NULL, &s) !=
      PL_OK)
    fail_msg("%d:%d: %s", env.error.line, env.error.col, env.error.text);
  return s;
}

// a scene of one rod in millimetres; body: inside of its mapping, rest: lines after it
static pl_scene *parse_rod(const char *body, const char *rest) {
  char text[4096];
  snprintf(text, sizeof text,
           "pliant: 1\nunits: {length: mm}\n" STEEL
           "bodies: [{name: wire, rod: {material: steel, %s}}]\n%s",
           body, rest);
  return parse(text);
}

static double bend(double d) {
  return E * PL_PI / 64 * pow(d, 4);
}

static double twist(double d) {
  return E / (2 * (1 + NU)) * PL_PI / 32 * pow(d, 4);
}

static double line_mass(double d) {
  return RHO * PL_PI / 4 * d * d;
}

// equilibrium from rest; freed by the caller
static pl_state *equilibrium(const pl_scene *s, int steps, double *energy) {
  pl_static_opts o;
  pl_static_info info;
  pl_state *x;
  pl_work *w;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  o.steps = steps;
  check_ok(&env, pl_state_create(s->model, s->params, &x));
  check_ok(&env, pl_work_create(s->model, 1, &w));
  check_ok(&env, pl_static(&o, s->model, s->params, x, w, NULL, NULL, &info));
  if (energy) *energy = w->elastic;
  pl_work_free(w);
  return x;
}

static void frequencies(const pl_scene *s, int n, double *omega, pl_modes_info *info) {
  pl_modes_opts o = {.count = n};
  pl_state *x;
  pl_work *w;
  check_ok(&env, pl_state_create(s->model, s->params, &x));
  check_ok(&env, pl_work_create(s->model, 1, &w));
  double *shape = pl_alloc(&env, (size_t)(n * x->nq), sizeof *shape);
  assert_non_null(shape);
  check_ok(&env, pl_modes(&o, s->model, s->params, x, w, omega, shape, info));
  pl_free(&env, shape);
  pl_work_free(w);
  pl_state_free(s->model, x);
}

// ---- parts ------------------------------------------------------------------------------------

static void generators(void **state) {
  (void)state;
  static const struct {
    const char *mesh;
    int nodes, edges, bends, free;
    double length;
  } want[] = {
      {"{line: {from: [0, 0, 0], to: [0, 0, 100], segments: 4}}", 5, 4, 3, 19, 0.1},
      {"{points: {at: [[0, 0, 0], [30, 0, 0], [30, 40, 0]], segments: 2}}", 5, 4, 2, 22, 0.07},
      {"{points: {at: [[0, 0, 0], [30, 0, 0], [30, 40, 0]], closed: yes}}", 3, 3, 0, 21, 0.12},
      {"{arc: {radius: 10, segments: 6}}", 6, 6, 6, 24, 0.06},
      {"{arc: {radius: 10, segments: 20}}", 20, 20, 20, 80, 0.06257378601609236},
      {"{arc: {radius: 10, angle: 60 deg, segments: 1}}", 2, 1, 0, 7, 0.01},
      {"zigzag.obj, refine: 1", 13, 12, 6, 66, 0.0647213595499958},
  };
  for (size_t k = 0; k < sizeof want / sizeof want[0]; k++) {
    char body[256];
    pl_scene_counts c;
    snprintf(body, sizeof body, "mesh: %s, section: {round: 2}", want[k].mesh);
    pl_scene *s = parse_rod(body, "");
    pl_scene_count(s, &c);
    assert_int_equal(c.nodes, want[k].nodes);
    assert_int_equal(c.elements[PL_ELEM_rod_edge], want[k].edges);
    assert_int_equal(c.elements[PL_ELEM_rod_bend], want[k].bends);
    // one angle of straight rods that nothing keeps from spinning is held
    assert_int_equal(c.free_dofs, want[k].free - (k == 0 || k == 5));
    assert_int_equal(s->mesh->cell[PL_SEG2].n, want[k].edges);
    check_rel(c.mass, line_mass(2e-3) * want[k].length, 1e-12);
    pl_scene_free(s);
  }
}

// nodes on the helix, and its groups
static void helix(void **state) {
  (void)state;
  pl_scene *s = parse_rod("mesh: {helix: {radius: 20, pitch: -10, turns: 2.5, segments: 50}}, "
                          "section: {round: 1}",
                          "sets: {a: wire group start, b: wire group end, ends: wire boundary}\n");
  assert_int_equal(s->mesh->nvert, 51);
  for (int i = 0; i <= 50; i++) {
    double a = 2 * PL_PI * 2.5 * i / 50, x[3] = {0.02 * cos(a), 0.02 * sin(a), -0.025 * i / 50};
    check_array(3, s->mesh->X + 3 * i, x, 1e-16);
  }
  assert_int_equal(s->set[0].node[0], 0);
  assert_int_equal(s->set[1].node[0], 50);
  assert_int_equal(s->set[2].n, 2);
  pl_scene_free(s);
}

// parameters of an element of a kind, by name
static double par_value(const pl_scene *s, int kind, int elem, const char *name) {
  for (int g = 0; g < pl_model_ngroup(s->model); g++) {
    const pl_elem_kind *k = pl_model_group_kind(s->model, g);
    if (k != pl_elem_table[kind]) continue;
    for (int i = 0; i < k->npar; i++)
      if (strcmp(k->par[i].name, name) == 0)
        return pl_model_group_par(s->model, s->params, g, elem)[i];
  }
  fail_msg("no parameter %s", name);
  return 0;
}

#define LINE "mesh: {line: {from: [0, 0, 0], to: [200, 0, 0], segments: 20}}, "

static void sections(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double width, height, hollow, shape;
  } want[] = {
      {"{round: 2}", 2e-3, 2e-3, 0, 0},          {"{round: 2, hollow: 0.5}", 2e-3, 2e-3, 0.5, 0},
      {"{ellipse: [2, 1]}", 2e-3, 1e-3, 0, 0},   {"{rectangle: [2, 1 cm]}", 2e-3, 1e-2, 0, 1},
      {"{tube: [2, 1.5]}", 2e-3, 2e-3, 0.75, 0},
  };
  for (size_t k = 0; k < sizeof want / sizeof want[0]; k++) {
    char body[256];
    snprintf(body, sizeof body, LINE "section: %s", want[k].text);
    pl_scene *s = parse_rod(body, "fixed: [{nodes: wire group start, clamp: yes}]\n");
    static const int kinds[3] = {PL_ELEM_rod_edge, PL_ELEM_rod_bend, PL_ELEM_rod_joint};
    for (int i = 0; i < 3; i++) {
      check_close(par_value(s, kinds[i], 0, "width"), want[k].width, 1e-18);
      check_close(par_value(s, kinds[i], 0, "height"), want[k].height, 1e-18);
      check_close(par_value(s, kinds[i], 0, "hollow"), want[k].hollow, 1e-15);
      check_close(par_value(s, kinds[i], 0, "shape"), want[k].shape, 0);
      check_close(par_value(s, kinds[i], 0, "young"), E, 0);
      check_close(par_value(s, kinds[i], 0, "poisson"), NU, 0);
      check_close(par_value(s, kinds[i], 0, "density"), RHO, 0);
    }
    pl_scene_free(s);
  }
}

// ---- deflections and frequencies ----------------------------------------------------------------

static void cantilever(void **state) {
  (void)state;
  pl_scene *s = parse_rod(LINE "section: {round: 1}",
                          "fixed: [{nodes: wire group start, clamp: yes}]\n"
                          "loads: [{nodes: wire group end, total: [0, 0, -0.1 mN]}]\n");
  pl_modes_info info;
  double omega[2];
  pl_state *x = equilibrium(s, 1, NULL);
  // order 2: errors of (1/20)^2 times factors of order one; nodes carry the mass
  check_rel(x->q[62], -1e-4 * 8e-3 / (3 * bend(1e-3)), 2e-3);
  frequencies(s, 2, omega, &info);
  double want = pow(1.875104 / 0.2, 2) * sqrt(bend(1e-3) / line_mass(1e-3));
  check_rel(omega[0], want, 5e-3);
  check_rel(omega[1], want, 5e-3);
  pl_state_free(s->model, x);
  pl_scene_free(s);
}

// round by nature and straight: its spin is held, everything else is free
static void ball_joints(void **state) {
  (void)state;
  pl_scene *s = parse_rod(LINE "section: {round: 1}", "fixed: wire boundary\n");
  pl_modes_info info;
  double omega[2], want = pow(PL_PI / 0.2, 2) * sqrt(bend(1e-3) / line_mass(1e-3));
  frequencies(s, 2, omega, &info);
  assert_int_equal(info.nrigid, 0);
  check_rel(omega[0], want, 5e-3);
  check_rel(omega[1], want, 5e-3);
  pl_scene_free(s);
  // a flat one is not the same from all sides, and stays free
  s = parse_rod(LINE "section: {rectangle: [1, 2]}", "fixed: wire boundary\n");
  assert_int_equal(pl_model_nfree(s->model), 19 * 3 + 20);
  pl_scene_free(s);
}

// two rods welded at a right angle: at its end, out of their plane, P (L1^3 + L2^3)/(3 EI) + P L2^2
// L1/(G J) by bending of both and twist of the first
static void elbow(void **state) {
  (void)state;
  pl_scene *s = parse(
      "pliant: 1\nunits: {length: mm}\n" STEEL "weld: 0.01\n"
      "bodies:\n"
      "  - {name: a, rod: {mesh: {line: {from: [0, 0, 0], to: [100, 0, 0]}}, material: steel, "
      "section: {round: 1}}}\n"
      "  - {name: b, rod: {mesh: {line: {from: [100, 60, 0], to: [100, 0, 0]}}, material: steel, "
      "section: {round: 1}}}\n"
      "fixed: [{nodes: a group start, clamp: yes}]\n"
      "loads: [{nodes: b group start, total: [0, 0, 0.1 mN]}]\n");
  double P = 1e-4, L1 = 0.1, L2 = 0.06, EI = bend(1e-3), GJ = twist(1e-3);
  pl_scene_counts c;
  pl_scene_count(s, &c);
  assert_int_equal(c.elements[PL_ELEM_rod_joint], 3);
  assert_int_equal(c.elements[PL_ELEM_rod_bend], 38);
  pl_state *x = equilibrium(s, 1, NULL);
  double want = P * (pow(L1, 3) + pow(L2, 3)) / (3 * EI) + P * L2 * L2 * L1 / GJ;
  // order 2 in 1/20, as above
  check_rel(x->q[3 * s->body[1].node[0] + 2], want, 2e-3);
  pl_state_free(s->model, x);
  pl_scene_free(s);
}

static void ring(void **state) {
  (void)state;
  pl_scene *s = parse_rod("mesh: {arc: {radius: 100, segments: 48}}, section: {round: 2}", "");
  pl_modes_info info;
  double omega[10], unit = sqrt(bend(2e-3) / (line_mass(2e-3) * 1e-4));
  frequencies(s, 10, omega, &info);
  assert_int_equal(info.nrigid, 6);
  // n = 2, pairs; a regular polygon of 48 sides: order 2 in the angle of 2 pi/48 between them
  double in = unit * sqrt(36 / 5.0), out = unit * sqrt(36 / (5.0 + NU));
  check_rel(omega[6], out, 1e-2);
  check_rel(omega[7], out, 1e-2);
  check_rel(omega[8], in, 1e-2);
  check_rel(omega[9], in, 1e-2);
  pl_scene_free(s);
}

// edges in any order and direction are the same rod as points in a row
static void any_direction(void **state) {
  (void)state;
  static const char *const mesh[2] = {
      "zigzag.obj", "{points: {at: [[0, 0, 0], [10, 0, 0], [20, 5, 0], [30, 5, 5], [40, 0, 5], "
                    "[50, 0, 0], [60, 0, 0]]}}"};
  double tip[2][3], omega[2][4];
  for (int k = 0; k < 2; k++) {
    char body[256];
    pl_modes_info info;
    snprintf(body, sizeof body, "mesh: %s, section: {rectangle: [1, 2]}, up: [0, 0, 1]", mesh[k]);
    pl_scene *s = parse_rod(body, "fixed: [{nodes: 'wire nearest [0, 0, 0]', clamp: yes}]\n"
                                  "loads: [{nodes: 'nearest [60, 0, 0]', total: [3 N, 2 N, 9 N]}]\n"
                                  "sets: {tip: 'wire nearest [60, 0, 0]'}\n");
    pl_state *x = equilibrium(s, 1, NULL);
    memcpy(tip[k], x->q + 3 * s->set[0].node[0], sizeof tip[k]);
    frequencies(s, 4, omega[k], &info);
    pl_state_free(s->model, x);
    pl_scene_free(s);
  }
  check_less(1e-3, fabs(tip[0][2]));
  check_array(3, tip[0], tip[1], 1e-10);
  for (int i = 0; i < 4; i++) check_rel(omega[0][i], omega[1][i], 1e-9);
}

// ---- natural shapes -----------------------------------------------------------------------------

// Turns phi with 2 tan(phi/2) = k h make a polygon round the circle of curvature k; the first, from
// the clamp, is that of half an edge.
static void natural_curvature(void **state) {
  (void)state;
  for (int c = 1; c < 3; c++) {
    char body[256];
    double h = 0.01, k = 5, angle = 2 * atan(k * h / 4), want[3] = {0};
    snprintf(body, sizeof body, LINE "section: {round: 1}, natural: {curvature: [%g 1/m, %g 1/m]}",
             c == 1 ? k : 0, c == 2 ? k : 0);
    pl_scene *s = parse_rod(body, "fixed: [{nodes: wire group start, clamp: yes}]\n");
    for (int i = 0; i < 20; i++, angle += 2 * atan(k * h / 2)) {
      want[0] += h * cos(angle);
      want[c] += h * sin(angle);
    }
    double energy;
    pl_state *x = equilibrium(s, 1, &energy);
    check_array(3, x->q + 60, want, 1e-9);
    check_less(energy, 1e-15);
    pl_state_free(s->model, x);
    pl_scene_free(s);
  }
}

// drawn as half a circle, straight by nature
static void straight(void **state) {
  (void)state;
  pl_scene *s = parse_rod("mesh: {arc: {radius: 50, angle: 180 deg, segments: 24}}, section: "
                          "{round: 1}, natural: {straight: yes}",
                          "fixed: [{nodes: wire group start, clamp: yes}]\n");
  double energy, edge = 0.1 * sin(PL_PI / 48), a = PL_PI / 2 + PL_PI / 48;
  // along the first edge, which the clamp holds
  double want[3] = {0.05 + 24 * edge * cos(a), 24 * edge * sin(a), 0};
  pl_state *x = equilibrium(s, 1, &energy);
  check_array(3, x->q + 72, want, 1e-8);
  check_less(energy, 1e-12);
  pl_state_free(s->model, x);
  pl_scene_free(s);
}

// ---- clamps -------------------------------------------------------------------------------------

// a driven clamp turns the whole network like a rigid body: no energy, also by more than half a
// turn
static void clamps_turn(void **state) {
  (void)state;
  static const char *const held[3] = {"nodes: 'nearest [0, 0, 0]', clamp: yes",
                                      "nodes: 'wire where x < 11'",
                                      "nodes: 'nearest [20, 5, 0]', clamp: yes"};
  for (int k = 0; k < 3; k++) {
    char rest[512];
    double axis[3] = {1, -2, 0.5}, centre[3] = {5e-3, 0, -1e-2}, R[9], energy;
    snprintf(rest, sizeof rest,
             "drives: [{%s, rotation: {axis: [1, -2, 0.5], through: [5, 0, -10], amplitude: 220 "
             "deg, harmonic: 0}}]\n",
             held[k]);
    pl_scene *s = parse_rod("mesh: fork.obj, section: {rectangle: [1, 2]}", rest);
    pl_rotation3(axis, 220 * PL_PI / 180, R);
    pl_state *x = equilibrium(s, 8, &energy);
    for (int i = 0; i < s->mesh->nvert; i++) {
      double arm[3], want[3];
      pl_sub3(s->mesh->X + 3 * i, centre, arm);
      for (int c = 0; c < 3; c++) want[c] = centre[c] + pl_dot3(R + 3 * c, arm);
      check_array(3, x->q + 3 * i, want, 1e-9);
    }
    // of E I/L = 0.7 J
    check_less(energy, 1e-15);
    pl_state_free(s->model, x);
    pl_scene_free(s);
  }
}

// what clamps, held edges and plain nodes prescribe
static void counts_of_clamps(void **state) {
  (void)state;
  static const struct {
    const char *fixed;
    int free;
  } want[] = {
      // 7 nodes, 6 edges, a junction of three rods, two corners
      {"", 21 + 6 + 3 * 3},
      {"fixed: 'nearest [0, 0, 0]'\n", 36 - 3},
      {"fixed: [{nodes: 'nearest [0, 0, 0]', clamp: yes}]\n", 36 - 3},
      {"fixed: [{nodes: 'nearest [20, 5, 0]', clamp: yes}]\n", 36 - 3 - 3},
      {"fixed: 'wire where x < 11'\n", 36 - 6 - 1},
      {"fixed: [{nodes: 'nearest [0, 0, 0]'}, {nodes: 'nearest [10, 0, 0]'}]\n", 36 - 6 - 1},
      {"drives: [{nodes: 'nearest [0, 0, 0]', translation: [1, 0, 0]}, {nodes: 'nearest [10, 0, "
       "0]', fix: all}]\n",
       36 - 6},
      {"fixed: [{nodes: 'wire where x < 11', fix: [x, y]}]\n", 36 - 4},
  };
  for (size_t k = 0; k < sizeof want / sizeof want[0]; k++) {
    pl_scene *s = parse_rod("mesh: fork.obj, section: {round: 1}", want[k].fixed);
    assert_int_equal(pl_model_nfree(s->model), want[k].free);
    pl_scene_free(s);
  }
}

// ---- initial rotation ---------------------------------------------------------------------------

// rates of angles and junctions are those of a rigid turn
static void spin(void **state) {
  (void)state;
  pl_scene *s = parse_rod("mesh: fork.obj, section: {round: 1}",
                          "initial: [{nodes: all, spin: {axis: [1, 2, -1], rate: 3 rad/s}}]\n");
  double axis[3] = {1, 2, -1}, R[9], turned[2][64], h = 1e-5;
  int nn = 3 * s->mesh->nvert, nq = pl_model_nq(s->model);
  pl_state *x;
  check_ok(&env, pl_state_create(s->model, s->params, &x));
  for (int k = 0; k < 2; k++) {
    pl_rotation3(axis, k ? -h : h, R);
    check_ok(&env, pl_rotate_scalars(s->model, s->params, R, x->q, turned[k]));
  }
  // central differences of second order: h^2
  for (int i = nn; i < nq; i++)
    check_close(s->v0[i], 3 * (turned[0][i] - turned[1][i]) / (2 * h), 1e-8);
  pl_state_free(s->model, x);
  pl_scene_free(s);
}

// ---- parameters ---------------------------------------------------------------------------------

// scenes whose parameters are set afterwards equal those that are written so
static void check_same(const pl_scene *a, const pl_scene *b) {
  assert_int_equal(a->params->npar, b->params->npar);
  for (int i = 0; i < a->params->npar; i++)
    check_close(a->params->par[i], b->params->par[i], 1e-12 * fabs(b->params->par[i]));
  check_array(pl_model_nnode(a->model) * 3, a->params->X, b->params->X, 1e-15);
}

static pl_scene *parametric(double d, double ratio, double x, double k) {
  char text[1024];
  snprintf(text, sizeof text,
           "pliant: 1\nunits: {length: mm}\n" STEEL
           "parameters: {d: {value: %.17g}, ratio: {value: %.17g}, x: {value: %.17g}, k: {value: "
           "%.17g 1/m}}\n"
           "bodies:\n"
           "  - name: wire\n"
           "    rod:\n"
           "      mesh: {points: {at: [[0, 0, 0], [2*$x, $x, 0], [100, 0, 0]], segments: 4}}\n"
           "      scale: 2\n"
           "      rotate: {axis: [0, 0, 1], angle: 30 deg}\n"
           "      translate: [0, 0, 5]\n"
           "      material: steel\n"
           "      section: {rectangle: [$d, 2*$d + 1], hollow: $ratio}\n"
           "      natural: {curvature: [$k, 0], twist: 2 rad/m}\n"
           "  - {name: tube, rod: {mesh: {line: {from: [0, 0, 0], to: [0, 90, 0]}}, material: "
           "steel, section: {tube: [$d, 0.5*$d]}}}\n"
           "fixed: [{nodes: wire group start, clamp: yes}]\n",
           d, ratio, x, k);
  return parse(text);
}

static void parameters(void **state) {
  (void)state;
  pl_scene *a = parametric(1, 0.5, 25, 3), *b = parametric(1.5, 0.2, 30, -1);
  const double design[4] = {1.5e-3, 0.2, 30e-3, -1};
  check_ok(&env, pl_params_set_design(a->model, a->params, design));
  check_same(a, b);
  pl_scene_free(a);
  pl_scene_free(b);
}

// a diameter for every edge; bends have the mean of two
static void each_edge(void **state) {
  (void)state;
  static const char body[] = "mesh: {line: {from: [0, 0, 0], to: [30, 0, 0], segments: 3}}, "
                             "section: {%s}";
  char text[256];
  snprintf(text, sizeof text, body, "round: {each: {value: [1, 2, 4], min: 0.1, max: 5}}");
  pl_scene *s = parse_rod(text, "");
  assert_int_equal(pl_model_ndesign(s->model), 3);
  assert_string_equal(pl_model_design(s->model, 2)->name, "wire.round.2");
  check_close(par_value(s, PL_ELEM_rod_edge, 2, "height"), 4e-3, 1e-18);
  check_close(par_value(s, PL_ELEM_rod_bend, 1, "width"), 3e-3, 1e-18);
  const double design[3] = {1e-3, 3e-3, 4e-3};
  check_ok(&env, pl_params_set_design(s->model, s->params, design));
  check_close(par_value(s, PL_ELEM_rod_edge, 1, "width"), 3e-3, 1e-18);
  check_close(par_value(s, PL_ELEM_rod_bend, 0, "height"), 2e-3, 1e-18);
  pl_scene_free(s);

  // written and read again with other values
  snprintf(text, sizeof text, body, "rectangle: [{each: {value: 1}}, 3]");
  s = parse_rod(text, "");
  pl_text out;
  pl_text_init(&out, &env);
  check_ok(&env, pl_scene_write_design(s, design, 0, NULL, &out));
  pl_scene_free(s);
  s = parse(out.s);
  check_close(par_value(s, PL_ELEM_rod_edge, 1, "width"), 3e-3, 1e-18);
  check_close(par_value(s, PL_ELEM_rod_edge, 1, "height"), 3e-3, 1e-18);
  pl_scene_free(s);
  pl_text_free(&out);
}

// ---- memory -------------------------------------------------------------------------------------

static pl_status build(pl_env *e, void *ctx) {
  static const char text[] =
      "pliant: 1\nunits: {length: mm}\n" STEEL "parameters: {d: {value: 1}}\n"
      "bodies:\n"
      "  - {name: wire, rod: {mesh: {points: {at: [[0, 0, 0], [$d, 0, 0], [2, 1, 0]], segments: "
      "2}}, material: steel, section: {round: {each: {value: 1}}}}}\n"
      "  - {name: other, rod: {mesh: {arc: {radius: 5}}, material: steel, section: {round: 1}}}\n"
      "initial: [{nodes: all, spin: {axis: [1, 2, -1], rate: 3 rad/s}}]\n"
      "drives: [{nodes: wire group start, clamp: yes, rotation: {axis: [1, 0, 0], amplitude: 1 "
      "deg}}]\n";
  pl_scene *s = NULL;
  (void)ctx;
  pl_status st = pl_scene_parse(e, "t", ".", text, strlen(text), 0, NULL, NULL, &s);
  pl_scene_free(s);
  return st;
}

static void allocations(void **state) {
  (void)state;
  check_allocations(build, NULL);
}

int test_rod(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(generators),  cmocka_unit_test(helix),
      cmocka_unit_test(sections),    cmocka_unit_test(cantilever),
      cmocka_unit_test(ball_joints), cmocka_unit_test(elbow),
      cmocka_unit_test(ring),        cmocka_unit_test(any_direction),
      cmocka_unit_test(straight),    cmocka_unit_test(natural_curvature),
      cmocka_unit_test(clamps_turn), cmocka_unit_test(counts_of_clamps),
      cmocka_unit_test(spin),        cmocka_unit_test(parameters),
      cmocka_unit_test(each_edge),   cmocka_unit_test(allocations),
  };
  return cmocka_run_group_tests_name("scene.rod", tests, NULL, NULL);
}
