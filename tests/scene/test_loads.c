// Loads of a scene: derivatives by all parameters, tangents, balance of forces.
#include "check.h"

#include "pliant/math.h"
#include "pliant/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    "pliant: 1\n"
    "parameters:\n"
    "  p: {value: 3000 Pa}\n"
    "  q: {value: 2000 Pa}\n"
    "  t: {value: 500 Pa}\n"
    "  m: {value: 2 N.m}\n"
    "  T: {value: 40 N}\n"
    "  w: {value: 0.2 m}\n"
    "  k: {value: 3000 N/m}\n"
    "  b: {value: 800 N/m^3}\n"
    "  s: {value: 0.07}\n"
    "  a: {value: 3 m/s^2}\n"
    "  phase: {value: 0.4 rad}\n"
    "materials: {soft: {young: 20 kPa, poisson: 0.3, density: 900 kg/m^3}}\n"
    "bodies:\n"
    "  - {name: block, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [2, 1, 1], "
    "cells: [2, 1, 1]}}, material: soft,\n"
    "     swelling: $s}}\n"
    "  - {name: sheet, shell: {mesh: {grid: {size: [1, 1], cells: [2, 2]}}, translate: [0, 0, 3],\n"
    "     material: soft, thickness: 0.1 m, bending: midedge}}\n"
    "nodes: {post: [-1, 0.5, 1.5]}\n"
    "fixed: [{nodes: block where x = 0}, {nodes: sheet where x = 0}, {node: post}]\n"
    "loads:\n"
    "  - {faces: block where z = 1, pressure: $p}\n"
    "  - {faces: sheet, pressure: $q, harmonic: 2, phase: $phase}\n"
    "  - {faces: block where x = 2, traction: [0, 2*$t, $t]}\n"
    "  - {faces: block where x = 2, total: [10 N, 0, 0], harmonic: 1}\n"
    "  - {nodes: block where x = 2, moment: [$m, 0, 3*$m]}\n"
    "  - {acceleration: [$a, 0, 1], harmonic: 1, phase: $phase}\n"
    "tendons:\n"
    "  - {through: [post, 'block nearest [1, 0, 1]', 'block nearest [2, 0, 1]'], tension: $T}\n"
    "  - {through: [post, 'block nearest [1, 1, 1]', 'block nearest [2, 1, 1]'], pull: $w,\n"
    "     stiffness: $k, slack: 0.01 m}\n"
    "foundations: [{faces: block where z = 0, per_area: $b, direction: normal}]\n"
    "analyses: [{modes: {count: 1}}]\n";

typedef struct rig {
  pl_env env;
  pl_scene *scene;
  pl_state *s;
  pl_work *w;
} rig;

// free unknowns moved at random by a tenth of the size
static void open_rig(rig *g, const char *scene) {
  pl_rng r;
  pl_env_init(&g->env);
  check_ok(&g->env, pl_scene_parse(&g->env, "loads.yaml", ".", scene, strlen(scene), 0, NULL, NULL,
                                   &g->scene));
  check_ok(&g->env, pl_state_create(g->scene->model, g->scene->params, &g->s));
  check_ok(&g->env, pl_work_create(g->scene->model, 1, &g->w));
  pl_rng_seed(&r, 7);
  for (int i = 0; i < pl_model_nfree(g->scene->model); i++) {
    int at = pl_model_free_dofs(g->scene->model)[i];
    g->s->q[at] += pl_rng_uniform(&r, -0.1, 0.1);
    g->s->v[at] = pl_rng_uniform(&r, -0.1, 0.1);
    g->s->a[at] = pl_rng_uniform(&r, -0.1, 0.1);
  }
}

static void close_rig(rig *g) {
  pl_work_free(g->w);
  pl_state_free(g->scene->model, g->s);
  pl_scene_free(g->scene);
}

static const pl_clock now = {.t = 0.3, .omega = 2, .scale = 0.7};

static const double *residual(rig *g, const pl_params *p) {
  pl_drive(g->scene->model, p, &now, g->s);
  check_ok(&g->env,
           pl_eval(g->scene->model, p, g->s, &now, PL_WANT_FORCE | PL_DYNAMIC, NULL, g->w));
  return g->w->r;
}

// exact against differences of fourth order
static void derivatives(void **state) {
  rig g;
  (void)state;
  open_rig(&g, text);
  const pl_model *m = g.scene->model;
  int n = pl_model_nq(m), nd = pl_model_ndesign(m);
  pl_params *p;
  check_ok(&g.env, pl_params_copy(&g.env, g.scene->params, &p));
  double *got = pl_alloc(&g.env, (size_t)n, sizeof *got), *want = pl_alloc(&g.env, (size_t)n, 8);
  double design[16];
  assert_true(nd == 11);
  for (int k = 0; k < nd; k++) {
    static const double weight[4] = {1 / 12., -8 / 12., 8 / 12., -1 / 12.};
    memcpy(design, g.scene->params->design, (size_t)nd * sizeof *design);
    double h = 1e-3 * fabs(design[k]), value = design[k], size = 0;
    memset(want, 0, (size_t)n * sizeof *want);
    for (int i = 0; i < 4; i++) {
      design[k] = value + h * (i < 2 ? i - 2 : i - 1);
      check_ok(&g.env, pl_params_set_design(m, p, design));
      pl_axpy(n, weight[i] / h, residual(&g, p), want, want);
    }
    residual(&g, g.scene->params);
    check_ok(&g.env, pl_eval_design(m, g.scene->params, g.s, &now, k, g.w, got));
    size = pl_max_abs(n, want);
    assert_true(size > 0);
    check_array(n, got, want, 1e-7 * size);
  }
  pl_free(&g.env, got);
  pl_free(&g.env, want);
  pl_params_free(p);
  close_rig(&g);
}

// the tangent is the symmetric part of the derivative of the residual
static void tangent(void **state) {
  rig g;
  (void)state;
  open_rig(&g, text);
  const pl_model *m = g.scene->model;
  int n = pl_model_nfree(m);
  const int *dof = pl_model_free_dofs(m);
  static const pl_coef stiffness = {.k = 1};
  double *K = pl_alloc(&g.env, (size_t)n * (size_t)n, sizeof *K), h = 1e-4;
  assert_true(pl_model_circulatory(m));
  pl_drive(m, g.scene->params, &now, g.s);
  for (int j = 0; j < n; j++) {
    double *q = &g.s->q[dof[j]], was = *q;
    for (int side = -1; side <= 1; side += 2) {
      *q = was + side * h;
      check_ok(&g.env, pl_eval(m, g.scene->params, g.s, &now, PL_WANT_FORCE, NULL, g.w));
      for (int i = 0; i < n; i++) K[i * n + j] += side * g.w->r[dof[i]] / (2 * h);
    }
    *q = was;
  }
  check_ok(&g.env, pl_eval(m, g.scene->params, g.s, &now, PL_WANT_TANGENT, &stiffness, g.w));
  double size = pl_max_abs(n * n, K);
  for (pl_entry e = {.k = -1}; pl_csc_next(&g.w->A, &e);)
    check_close(g.w->A.val[e.k], 0.5 * (K[e.i * n + e.j] + K[e.j * n + e.i]), 1e-6 * size);
  pl_free(&g.env, K);
  close_rig(&g);
}

// Forces of a pressure with a free edge are those of p n dA in any shape, those of a moment are a
// couple.
static void balance(void **state) {
  static const char scene[] =
      "pliant: 1\n"
      "materials: {soft: {young: 20 kPa, poisson: 0.3, density: 900 kg/m^3}}\n"
      "bodies: [{name: block, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [2, 1, "
      "1], cells: [2, 1, 1]}},\n"
      "          material: soft}}]\n"
      "loads: [{faces: block where z = 1, pressure: 3000 Pa},\n"
      "        {nodes: block where x = 2, moment: [0, 0, 5 N.m]}]\n"
      "analyses: [{modes: {count: 1}}]\n";
  rig g;
  (void)state;
  open_rig(&g, scene);
  const pl_model *m = g.scene->model;
  const pl_clock full = {.scale = 1};
  pl_drive(m, g.scene->params, &full, g.s);
  check_ok(&g.env, pl_eval(m, g.scene->params, g.s, &full, PL_WANT_FORCE, NULL, g.w));
  double sum[3] = {0}, want[3] = {0};
  const double *X = g.scene->params->X, *x = g.s->q;
  for (int i = 0; i < pl_model_nnode(m); i++)
    for (int c = 0; c < 3; c++) sum[c] -= g.w->r[3 * i + c];
  // two bilinear faces: the vector of a quad is half the product of its diagonals
  for (int k = 0; k < 2; k++) {
    int v[4];
    const double corner[4][2] = {{k, 0}, {k + 1, 0}, {k + 1, 1}, {k, 1}};
    double a[3], b[3], n[3];
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < pl_model_nnode(m); j++)
        if (X[3 * j] == corner[i][0] && X[3 * j + 1] == corner[i][1] && X[3 * j + 2] == 1) v[i] = j;
    pl_sub3(x + 3 * v[2], x + 3 * v[0], a);
    pl_sub3(x + 3 * v[3], x + 3 * v[1], b);
    pl_cross3(a, b, n);
    for (int c = 0; c < 3; c++) want[c] -= 3000 * n[c] / 2;
  }
  check_array(3, sum, want, 1e-8);
  close_rig(&g);
}

int test_loads(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives), cmocka_unit_test(tangent),
                                     cmocka_unit_test(balance)};
  return cmocka_run_group_tests_name("scene.loads", tests, NULL, NULL);
}
