#include "messages.h"

#include "pliant/math.h"
#include "pliant/scene.h"

#include <stdio.h>
#include <string.h>

static const char head[] =
    "pliant: 1\n"
    "units: {length: mm, mass: g}\n"
    "dimension: 2\n"
    "parameters: {m: {value: 1, min: 0.1, max: 5}, k: {value: 10 N/m, min: 1 N/m, max: 20 N/m}}\n"
    "nodes: {base: [0, 0], tip: [100, 0], side: [0, 100]}\n"
    "masses: [{node: tip, mass: $m}, {node: side, mass: 1}]\n"
    "springs: [{nodes: [base, tip], stiffness: $k}, {nodes: [tip, side], stiffness: 5 N/m},\n"
    "          {nodes: [base, side], stiffness: 5 N/m}]\n"
    "drives: [{node: base, translation: [1, 0]}]\n"
    "analyses:\n";

static pl_scene *load(pl_env *env, const char *start, const char *analysis) {
  pl_text t;
  pl_scene *s;
  pl_text_init(&t, env);
  pl_text_add(&t, "%s%s", start, analysis);
  check_ok(env, pl_scene_parse(env, "test.yaml", ".", t.s, t.n, 0, NULL, NULL, &s));
  pl_text_free(&t);
  return s;
}

static void every_objective(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_scene *s = load(&env, head,
                     "  - design:\n"
                     "      frequencies: [2 Hz, 3 Hz]\n"
                     "      harmonics: 3\n"
                     "      variables: [k, {name: alpha, min: 0.1 1/s, max: 2 1/s}, frequency]\n"
                     "      max_iter: 7\n"
                     "      response: {from: 1 Hz, to: 5 Hz, harmonics: 2}\n"
                     "      proof: {periods: 77, yield: 0.01}\n"
                     "      objectives:\n"
                     "        - {amplitude: 20, nodes: [tip, side], axes: x, weight: 3, at: 3 Hz}\n"
                     "        - {amplitude: max, node: tip, at: 2}\n"
                     "        - {peak: 2.5 Hz, node: tip, from: 1 Hz, to: 4 Hz}\n"
                     "        - {fold: 2.5 Hz}\n"
                     "        - {stability: 0.9}\n"
                     "        - {mass: 5, name: weight}\n"
                     "        - {strain: min, exponent: 8}\n");
  const pl_analysis *a = &s->analysis[0];
  const pl_design_plan *p = a->plan;
  assert_int_equal(a->kind, PL_ANALYSIS_design);
  assert_int_equal(a->opts.design_.max_iter, 7);
  assert_int_equal(p->problem.npoint, 2);
  check_rel(p->problem.point[1].omega, 6 * PL_PI, 1e-15);
  assert_int_equal(p->problem.nvariable, 4);
  assert_int_equal(p->problem.variable[0].kind, PL_VARIABLE_DESIGN);
  assert_int_equal(p->problem.variable[0].index, 1);
  assert_int_equal(p->problem.variable[1].kind, PL_VARIABLE_ALPHA);
  check_rel(p->problem.variable[1].max, 2, 0);
  // every operating point has its frequency
  assert_int_equal(p->problem.variable[3].kind, PL_VARIABLE_FREQUENCY);
  assert_int_equal(p->problem.variable[3].index, 1);
  assert_int_equal(p->problem.nobjective, 7);
  const pl_objective *o = p->problem.objective;
  assert_int_equal(o[0].nnode, 2);
  assert_int_equal(o[0].mask, 1);
  assert_int_equal(o[0].point, 1);
  check_rel(o[0].target, 0.02, 1e-15);
  check_rel(o[0].weight, 3, 0);
  assert_int_equal(o[1].goal, PL_GOAL_MOST);
  assert_int_equal(o[1].point, 1);
  check_rel(o[2].to, 8 * PL_PI, 1e-15);
  check_rel(o[3].from, 2.5 * PL_PI, 1e-15);
  check_rel(o[5].target, 0.005, 1e-15);
  assert_string_equal(o[5].name, "weight");
  assert_int_equal(o[6].goal, PL_GOAL_LEAST);
  check_rel(p->response.to, 10 * PL_PI, 1e-15);
  assert_int_equal(p->response.stability, 0);
  assert_int_equal(p->proof.periods, 77);
  // nodes of objectives are watched by their names
  assert_int_equal(a->nprobe, 2);
  assert_string_equal(a->probe[0].name, "tip");
  pl_scene_free(s);
}

// a circle of radius 10 mm about (20, 30) mm as points and as a file in mm and ms
static void trajectories(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_text points, file;
  pl_text_init(&points, &env);
  pl_text_init(&file, &env);
  pl_text_add(&points, "  - design: {frequency: 2 Hz, harmonics: 2, objectives: [{trajectory: "
                       "[{points: [");
  pl_text_add(&file, "t_ms,tip_x_mm,tip_y_mm\n");
  for (int i = 0; i < 16; i++) {
    double phase = 2 * PL_PI * i / 16, x = 20 + 10 * cos(phase), y = 30 + 10 * sin(phase);
    pl_text_add(&points, "%s[%.17g, %.17g]", i ? ", " : "", x, y);
    pl_text_add(&file, "%.17g,%.17g,%.17g\n", 500 * i / 16.0, x, y);
  }
  pl_text_add(&points, "]}, test_design.csv], nodes: [side, tip], means: no, resample: time}]}\n");
  check_ok(&env, pl_file_write(&env, "test_design.csv", file.s, file.n));
  pl_scene *s = load(&env, head, points.s);
  const pl_objective *o = s->analysis[0].plan->problem.objective;
  assert_int_equal(o->nharm, 2);
  assert_int_equal(o->nnode, 2);
  assert_int_equal(o->means, 0);
  // in the order of the list, not of the nodes
  assert_int_equal(o->node[0], pl_scene_find_node(s, "side"));
  for (int n = 0; n < 2; n++) {
    const double *x = o->coef + n * 10, *y = x + 5;
    check_close(x[0], 0.02, 1e-15);
    check_close(x[2], 0.01, 1e-15);
    check_close(x[1], 0, 1e-15);
    check_close(y[0], 0.03, 1e-15);
    check_close(y[1], 0.01, 1e-15);
    check_close(y[3], 0, 1e-15);
  }
  // all parameters are variables where none is named
  assert_int_equal(s->analysis[0].plan->problem.nvariable, 2);
  pl_scene_free(s);
  pl_text_free(&points);
  pl_text_free(&file);
}

static void exploration(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_scene *s =
      load(&env, head,
           "  - explore: {frequency: 2 Hz, variables: [k], set: {m: 2, beta: 1 ms}, along: "
           "[{amplitude: tip, change: 50 %}, {amplitude: side, axes: x, change: -2}, "
           "{amplitude: side, change: -2 mm}]}\n");
  const pl_design_plan *p = s->analysis[0].plan;
  // what is set becomes a variable
  assert_int_equal(p->problem.nvariable, 3);
  assert_true(isnan(p->set[0]));
  check_rel(p->set[1], 0.002, 1e-15);
  check_rel(p->set[2], 0.001, 1e-15);
  assert_int_equal(p->nalong, 3);
  check_rel(p->along[0].change, 0.5, 1e-15);
  assert_true(p->along[0].relative && p->along[1].relative && !p->along[2].relative);
  assert_int_equal(p->along[1].mask, 1);
  check_rel(p->along[2].change, -0.002, 1e-15);
  assert_int_equal(s->analysis[0].nprobe, 2);
  pl_scene_free(s);
}

static const char sheet[] =
    "pliant: 1\n"
    "dimension: 2\n"
    "materials: {rubber: {young: {each: {value: 2 MPa, min: 1 MPa, max: 3 MPa}}, poisson: 0.3, "
    "density: 1000 kg/m^3}}\n"
    "bodies: [{name: a, plane: {mesh: {grid: {size: [2, 1], cells: [2, 1], pattern: right}}, "
    "material: rubber, thickness: {each: {value: [1 mm, 2 mm, 3 mm, 4 mm]}}}}]\n"
    "drives: [{nodes: a group left, translation: [1 mm, 0]}]\n"
    "sets: {end: 'a nearest [2, 1]'}\n"
    "analyses:\n";

static void each_element(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_scene *s = load(&env, sheet,
                     "  - design: {frequency: 2 Hz, variables: [a.young], objectives: [{amplitude: "
                     "max, node: end}, {smooth: yes, weight: 0.1}]}\n");
  assert_int_equal(pl_model_ndesign(s->model), 8);
  assert_string_equal(pl_model_design(s->model, 3)->name, "a.young.3");
  assert_string_equal(pl_model_design(s->model, 5)->name, "a.thickness.1");
  check_rel(pl_model_design(s->model, 5)->value, 0.002, 1e-15);
  assert_int_equal(s->analysis[0].plan->problem.nvariable, 4);
  pl_scene_counts c;
  pl_scene_count(s, &c);
  check_rel(c.mass, 1000 * 0.5 * (0.001 + 0.002 + 0.003 + 0.004), 1e-12);

  // one parameter changes one element
  double design[8];
  memcpy(design, s->params->design, sizeof design);
  design[2] = 1.5e6;
  design[7] = 0.01;
  check_ok(&env, pl_params_set_design(s->model, s->params, design));
  for (int e = 0; e < 4; e++) {
    const double *par = pl_model_group_par(s->model, s->params, 0, e);
    const pl_elem_kind *kind = pl_model_group_kind(s->model, 0);
    for (int k = 0; k < kind->npar; k++) {
      if (strcmp(kind->par[k].name, "young") == 0) check_rel(par[k], e == 2 ? 1.5e6 : 2e6, 1e-15);
      if (strcmp(kind->par[k].name, "thickness") == 0)
        check_rel(par[k], e == 3 ? 0.01 : 0.001 * (e + 1), 1e-15);
    }
  }

  // and the scene with these values reads back to the same
  pl_text t;
  pl_text_init(&t, &env);
  check_ok(&env, pl_scene_write_design(s, design, 0, NULL, &t));
  pl_scene *again;
  check_ok(&env, pl_scene_parse(&env, "again.yaml", ".", t.s, t.n, 0, NULL, NULL, &again));
  for (int k = 0; k < 8; k++) check_rel(again->params->design[k], design[k], 0);
  pl_scene_free(again);
  pl_text_free(&t);
  pl_scene_free(s);
}

// hinges take the mean of their two triangles
static void each_of_a_shell(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_scene *s =
      load(&env,
           "pliant: 1\n"
           "materials: {pla: {young: {each: {value: [1 GPa, 3 GPa]}}, poisson: 0.3, "
           "density: 1000 kg/m^3}}\n"
           "bodies: [{name: a, shell: {bending: hinge, mesh: {grid: {size: [1, 1], cells: [1, 1], "
           "pattern: right}}, material: pla, thickness: 1 mm}}]\n",
           "");
  assert_int_equal(pl_model_ngroup(s->model), 2);
  const pl_elem_kind *kind = pl_model_group_kind(s->model, 1);
  assert_string_equal(kind->name, "hinge");
  const double design[2] = {2e9, 3e9};
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < kind->npar; k++)
      if (strcmp(kind->par[k].name, "young") == 0)
        check_rel(pl_model_group_par(s->model, s->params, 1, 0)[k], pass ? 2.5e9 : 2e9, 1e-15);
    check_ok(&env, pl_params_set_design(s->model, s->params, design));
  }
  pl_scene_free(s);
}

static pl_status build_and_write(pl_env *env, void *ctx) {
  pl_scene *s;
  pl_text t;
  pl_text_init(&t, env);
  pl_status st = pl_scene_parse(env, "test.yaml", ".", ctx, strlen(ctx), 0, NULL, NULL, &s);
  if (st == PL_OK) {
    double design[8];
    for (int k = 0; k < pl_model_ndesign(s->model); k++) design[k] = 1.01 * s->params->design[k];
    st = pl_scene_write_design(s, design, 0, NULL, &t);
    if (st == PL_OK && t.failed) st = PL_E_NOMEM;
  }
  pl_text_free(&t);
  pl_scene_free(s);
  return st;
}

static void memory_ends(void **state) {
  (void)state;
  pl_text t;
  pl_env env;
  pl_env_init(&env);
  pl_text_init(&t, &env);
  pl_text_add(&t,
              "%s  - design: {frequency: 2 Hz, harmonics: 1, objectives: [{trajectory: {points: "
              "[[0, 0], [1, 0], [1, 1]]}, node: tip}]}\n"
              "  - explore: {frequency: 2 Hz, set: {m: 2}, along: {amplitude: tip, change: 1}}\n",
              head);
  check_allocations(build_and_write, t.s);
  t.n = 0;
  pl_text_add(&t,
              "%s  - design: {frequency: 2 Hz, variables: a.young, objectives: {amplitude: max, "
              "node: end}}\n",
              sheet);
  check_allocations(build_and_write, t.s);
  pl_text_free(&t);
}

int test_design(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_objective), cmocka_unit_test(trajectories),
      cmocka_unit_test(exploration),     cmocka_unit_test(each_element),
      cmocka_unit_test(each_of_a_shell), cmocka_unit_test(memory_ends),
  };
  return cmocka_run_group_tests_name("scene.design", tests, NULL, NULL);
}
