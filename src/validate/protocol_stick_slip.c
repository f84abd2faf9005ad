// Stick-slip: a strip is pressed on a plane; how far, when its tip begins to slip, against the
// coefficient of friction.
#include "rod_model.h"
#include "scene_model.h"

typedef pl_status (*press_fn)(pl_env *env, const press_desc *d, double *eps, double *P);

static pl_status press(pl_env *env, const pl_trial *t, press_fn fn, double *value) {
  press_desc d = {.n = t->resolution, .mu = t->x, .units = t->units};
  double P;
  pl_status s = fn(env, &d, value, &P);
  if (s != PL_DOMAIN) return s;
  return pl_fail(env, PL_E_INPUT, "the tip moves, and its force never reaches the cone");
}

static pl_status by_load(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  (void)m;
  return press(env, t, press_static, value);
}

static pl_status by_motion(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  (void)m;
  return press(env, t, press_dynamic, value);
}

static pl_status viscous(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  (void)m;
  return press(env, t, press_viscous, value);
}

static pl_status master(pl_env *env, double nu, double x, double *value) {
  double P, Q;
  (void)nu;
  return pl_master_stick_slip(env, x, value, &P, &Q);
}

// the axes of the paper's figure, exchanged
static const pl_box box = {.x = {0, 0.5}, .y = {0, 0.4}};
static const double points[] = {0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.325, 0.35};
static const double quick[] = {0.05, 0.15, 0.3};

static const pl_protocol_model models[] = {
    {"static", "discrete elastic rod, exact friction, load steps", 100, 50, 20, 1000, PL_EXPECT_OK,
     by_load, .kind = 0},
    {"dynamic", "discrete elastic rod, exact friction, slow motion by implicit Euler", 60, 40, 20,
     500, PL_EXPECT_OK, by_motion, .kind = 0},
    {"viscous", "friction as large as the velocity: it cannot hold", 60, 40, 20, 500, PL_EXPECT_KO,
     viscous, .kind = 0},
    {"scene-rod", "as in a scene: a strip pressed by load steps on a plane with friction", 60, 40,
     20, 500, PL_EXPECT_OK, scene_press, .kind = SCENE_ROD, .judged = {0.05, 0.35}},
    {"scene-shell", "strip as in a scene by its default: width L/20, equilateral", 20, 20, 10, 100,
     PL_EXPECT_OK, scene_press, .kind = SCENE_SHELL, .judged = {0.05, 0.35}, .few = 1},
    {"scene-shell-irregular", "the same on a mesh without order", 20, 20, 10, 100, PL_EXPECT_OK,
     scene_press, .kind = SCENE_SHELL_IRREGULAR, .judged = {0.05, 0.35}, .few = 1},
};

const pl_protocol protocol_stick_slip = {
    .name = "stick-slip",
    .text = "a strip is pressed on a plane until its tip slips",
    .nvalue = 1,
    .column = {"mu", "eps_y", "master"},
    .xlabel = "mu",
    .ylabel = "eps_y",
    .nu = NAN,
    .lo = 0.02,
    .hi = 0.356,
    .judged = {0.03, 0.35},
    .bar = 0.01,
    .box = &box,
    .npoint = COUNT(points),
    .point = points,
    .nquick = COUNT(quick),
    .quick = quick,
    .ncurve = 81,
    .master = master,
    .nmodel = COUNT(models),
    .model = models,
};
