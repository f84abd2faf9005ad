// Materials of a scene: derivatives by their constants, fits to tests, regions, swelling.
#include "check.h"
#include "hyper_fit.h"

#include "pliant/math.h"
#include "pliant/scene.h"

#include <math.h>
#include <string.h>

typedef struct rig {
  pl_env env;
  pl_scene *scene;
  pl_state *s;
  pl_work *w;
} rig;

static void open_rig(rig *g, const char *text) {
  pl_env_init(&g->env);
  check_ok(&g->env, pl_scene_parse(&g->env, "materials.yaml", ".", text, strlen(text), 0, NULL,
                                   NULL, &g->scene));
  check_ok(&g->env, pl_state_create(g->scene->model, g->scene->params, &g->s));
  check_ok(&g->env, pl_work_create(g->scene->model, 1, &g->w));
}

static void close_rig(rig *g) {
  pl_work_free(g->w);
  pl_state_free(g->scene->model, g->s);
  pl_scene_free(g->scene);
}

// ---- derivatives --------------------------------------------------------------------------------

static const char all_laws[] =
    "pliant: 1\n"
    "parameters:\n"
    "  c10: {value: 0.4 MPa}\n"
    "  c01: {value: 0.1 MPa}\n"
    "  mu: {value: 0.3 MPa}\n"
    "  alpha: {value: 2.7}\n"
    "  bulk: {value: 2 MPa}\n"
    "  E1: {value: 2 MPa}\n"
    "  nu: {value: 0.2}\n"
    "  G: {value: 0.3 MPa}\n"
    "  angle: {value: 0.4 rad}\n"
    "  young: {value: 1.1 MPa}\n"
    "  h: {value: 0.05 m}\n"
    "  warm: {value: 60}\n"
    "  swell: {value: 0.04}\n"
    "materials:\n"
    "  mooney: {law: mooney-rivlin, c10: $c10, c01: 2*$c01, poisson: 0.4, density: 1000 kg/m^3}\n"
    "  ogden: {law: ogden, mu1: $mu, alpha1: $alpha, bulk: $bulk, density: 1000 kg/m^3}\n"
    "  ply: {law: orthotropic, young1: $E1, young2: 1 MPa, young3: 0.8 MPa, poisson12: $nu,\n"
    "        poisson13: 0.25, poisson23: 0.3, shear12: $G, shear13: 0.4 MPa, shear23: $G,\n"
    "        density: 1000 kg/m^3}\n"
    "  plain: {young: $young, poisson: 0.3, density: 1000 kg/m^3, expansion: 1e-3}\n"
    "bodies:\n"
    "  - {name: a, solid: {mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}, material: mooney,\n"
    "      swelling: $swell}}\n"
    "  - {name: b, solid: {mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1], cell: tet}},\n"
    "      material: ogden}}\n"
    "  - {name: c, solid: {mesh: {box: {size: [2, 1, 1], cells: [2, 1, 1]}}, material: ply,\n"
    "      warp: [1, 1, 0], weft: [0, 1, 1], angle: $angle,\n"
    "      regions: [{nodes: 'c where x > 0.9 m', material: plain, temperature: $warm}]}}\n"
    "  - {name: d, shell: {mesh: {grid: {size: [2, 1], cells: [4, 2], pattern: right}},\n"
    "      thickness: 0.1, bending: midedge, material: ply, angle: $angle,\n"
    "      regions: [{nodes: 'd where x > 0.9 m', thickness: $h},\n"
    "                {nodes: 'd where x < 0.6 m', material: plain, temperature_through: $warm}]}}\n"
    "  - {name: e, shell: {mesh: {grid: {size: [1, 1], cells: [2, 2], pattern: right}},\n"
    "      thickness: $h, bending: hinge, material: mooney,\n"
    "      regions: [{nodes: 'e where x > 0.4 m', material: plain, swelling: $swell}]}}\n"
    "fixed: [a where x = 0, b where x = 0, c where x = 0, d where x = 0, e where x = 0]\n"
    "analyses: [{modes: {count: 1}}]\n";

static const pl_clock now = {.t = 0.3, .scale = 1};

static const double *residual(rig *g, const pl_params *p) {
  pl_drive(g->scene->model, p, &now, g->s);
  check_ok(&g->env,
           pl_eval(g->scene->model, p, g->s, &now, PL_WANT_FORCE | PL_DYNAMIC, NULL, g->w));
  return g->w->r;
}

// exact against differences of fourth order
static void derivatives(void **state) {
  (void)state;
  rig g;
  pl_rng r;
  open_rig(&g, all_laws);
  const pl_model *m = g.scene->model;
  pl_rng_seed(&r, 7);
  for (int i = 0; i < pl_model_nfree(m); i++) {
    int at = pl_model_free_dofs(m)[i];
    g.s->q[at] += pl_rng_uniform(&r, -0.04, 0.04);
    g.s->v[at] = pl_rng_uniform(&r, -0.1, 0.1);
    g.s->a[at] = pl_rng_uniform(&r, -0.1, 0.1);
  }
  int n = pl_model_nq(m), nd = pl_model_ndesign(m);
  pl_params *p;
  check_ok(&g.env, pl_params_copy(&g.env, g.scene->params, &p));
  double *got = pl_alloc(&g.env, (size_t)n, sizeof *got), *want = pl_alloc(&g.env, (size_t)n, 8);
  double design[16];
  assert_true(nd == 13);
  for (int k = 0; k < nd; k++) {
    static const double weight[4] = {1 / 12., -8 / 12., 8 / 12., -1 / 12.};
    memcpy(design, g.scene->params->design, (size_t)nd * sizeof *design);
    double h = 1e-3 * fabs(design[k]), value = design[k];
    memset(want, 0, (size_t)n * sizeof *want);
    for (int i = 0; i < 4; i++) {
      design[k] = value + h * (i < 2 ? i - 2 : i - 1);
      check_ok(&g.env, pl_params_set_design(m, p, design));
      pl_axpy(n, weight[i] / h, residual(&g, p), want, want);
    }
    residual(&g, g.scene->params);
    check_ok(&g.env, pl_eval_design(m, g.scene->params, g.s, &now, k, g.w, got));
    double size = pl_max_abs(n, want);
    assert_true(size > 0);
    check_array(n, got, want, 1e-7 * size);
  }
  pl_free(&g.env, got);
  pl_free(&g.env, want);
  pl_params_free(p);
  close_rig(&g);
}

// ---- fits ---------------------------------------------------------------------------------------

enum { ROWS = 40 };

// a test of a law with noise of a fraction of the largest stress
static hyper_test make_test(int ogden, const double c[6], hyper_kind kind, double hi, double noise,
                            unsigned seed, double *stretch, double *stress) {
  pl_rng r;
  double most = 0;
  pl_rng_seed(&r, seed);
  for (int i = 0; i < ROWS; i++) {
    stretch[i] = 0.8 + (hi - 0.8) * i / (ROWS - 1);
    stress[i] = hyper_stress(ogden, c, kind, stretch[i]);
    most = fmax(most, fabs(stress[i]));
  }
  for (int i = 0; i < ROWS; i++) stress[i] += noise * most * pl_rng_uniform(&r, -1, 1);
  return (hyper_test){kind, ROWS, stretch, stress};
}

static void fits_recover_constants(void **state) {
  (void)state;
  static const double yeoh[6] = {0.3e6, 0, -0.01e6, 0, 0, 0.8e3}, mooney[6] = {0.25e6, 0.08e6};
  static const double one[6] = {0.5e6, 2.6}, two[6] = {0.45e6, 1.5, 0.004e6, 6};
  double x[ROWS], y[ROWS], x2[ROWS], y2[ROWS];
  hyper_fit f;
  hyper_test t[2] = {make_test(0, yeoh, HYPER_UNIAXIAL, 3.5, 0.01, 1, x, y)};
  assert_int_equal(hyper_fit_polynomial(HYPER_MASK_YEOH, 1, t, &f), 1);
  check_rel(f.c[0], yeoh[0], 0.02);
  check_rel(f.c[2], yeoh[2], 0.15);
  check_rel(f.c[5], yeoh[5], 0.05);
  check_less(f.rms, 0.01 * f.most);
  // uniaxial and biaxial tests together tell c10 and c01 apart
  t[0] = make_test(0, mooney, HYPER_UNIAXIAL, 2.5, 0.01, 2, x, y);
  t[1] = make_test(0, mooney, HYPER_BIAXIAL, 2, 0.01, 3, x2, y2);
  assert_int_equal(hyper_fit_polynomial(HYPER_MASK_MOONEY, 2, t, &f), 1);
  check_rel(f.c[0], mooney[0], 0.02);
  check_rel(f.c[1], mooney[1], 0.03);
  t[0] = make_test(1, one, HYPER_UNIAXIAL, 2.5, 0.01, 4, x, y);
  assert_int_equal(hyper_fit_ogden(1, 1, t, &f), 1);
  check_rel(f.c[0], one[0], 0.02);
  check_rel(f.c[1], one[1], 0.02);
  // two terms without noise are found to the last digits, with it their curve is
  t[0] = make_test(1, two, HYPER_UNIAXIAL, 3.5, 0, 5, x, y);
  assert_int_equal(hyper_fit_ogden(2, 1, t, &f), 1);
  int first = f.c[1] < f.c[3] ? 0 : 2;
  check_rel(f.c[first], two[0], 1e-4);
  check_rel(f.c[first + 1], two[1], 1e-4);
  check_rel(f.c[2 - first], two[2], 1e-3);
  check_rel(f.c[3 - first], two[3], 1e-3);
  t[0] = make_test(1, two, HYPER_UNIAXIAL, 3.5, 0.01, 6, x, y);
  assert_int_equal(hyper_fit_ogden(2, 1, t, &f), 1);
  check_less(f.rms, 0.01 * f.most);
  for (double l = 0.85; l < 3.4; l += 0.2)
    check_close(hyper_stress(1, f.c, HYPER_UNIAXIAL, l), hyper_stress(1, two, HYPER_UNIAXIAL, l),
                0.01 * f.most);
  // two rows do not tell six constants
  t[0].n = 2;
  assert_int_equal(hyper_fit_polynomial(HYPER_MASK_ALL, 1, t, &f), 0);
}

static void stability(void **state) {
  (void)state;
  static const double good[6] = {0.3e6, 0.05e6}, bad[6] = {0.3e6, -0.1e6},
                      falls[6] = {0.3e6, 0, -0.05e6};
  double stretch;
  hyper_kind kind;
  assert_int_equal(hyper_stable(0, good, 0.5, 3, &stretch, &kind), 1);
  assert_int_equal(hyper_stable(0, bad, 0.5, 3, &stretch, &kind), 0);
  assert_int_equal(hyper_stable(0, falls, 0.5, 3, &stretch, &kind), 0);
  // c10 + 2 c20 (I1 - 3) changes its sign at I1 = 6, where stresses fall already
  check_less(stretch, 2.2);
}

int test_materials(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives),
      cmocka_unit_test(fits_recover_constants),
      cmocka_unit_test(stability),
  };
  return cmocka_run_group_tests_name("scene.materials", tests, NULL, NULL);
}
