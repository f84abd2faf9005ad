// Bend-twist: a naturally circular rod hangs from a clamp; where it leaves its plane, against
// X = cbrt(Gamma)/phi and turns = phi/(2 pi), and labels of relaxed shapes in that plane.
#include "rod_model.h"
#include "scene_model.h"

static const double TOP = 6;     // turns at the upper edge of the diagram
static const double BAND = 0.02; // labels nearer than this to the frontier, in X or turns, are free
static const double LEFT = 0.1;  // where the frontier is far above the diagram
enum { COLUMN = PL_TRIAL_LABELS };

static hang_desc desc(const pl_trial *t) {
  return (hang_desc){.n = t->resolution, .nu = t->nu, .units = t->units};
}

static pl_status always_planar(pl_env *env) {
  return pl_fail(env, PL_E_INPUT, "the planar equilibrium is stable all along");
}

// ---- turns on the frontier at X -----------------------------------------------------------------

static pl_status rod_turns(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  (void)m;
  hang_desc d = desc(t);
  PL_TRY(hang_frontier(env, &d, t->x, value));
  return isnan(value[0]) ? always_planar(env) : PL_OK;
}

// PL_DOMAIN to the right of its end
static pl_status master_turns(pl_env *env, double nu, double x, double *value) {
  double end;
  PL_TRY(pl_master_bend_twist_limit(env, nu, &end));
  return x < end ? pl_master_bend_twist(env, nu, x, value) : PL_DOMAIN;
}

// The distance to the frontier in turns or in X, the smaller: parts of it are vertical.
static double error_turns(const pl_sample *s) {
  double across = fabs(s->value[0] / s->master[0] - 1), left, right;
  if (!(across > 1e-3)) return across;
  pl_env env;
  pl_env_init(&env);
  if (pl_master_bend_twist_sides(&env, s->trial.nu, s->value[0], &left, &right)) return across;
  double along = fmin(fabs(s->trial.x / left - 1), fabs(s->trial.x / right - 1));
  return fmin(across, along);
}

static const double turns_points[] = {0.14, 0.15, 0.16, 0.17, 0.18, 0.19, 0.2,   0.22, 0.24, 0.26,
                                      0.28, 0.3,  0.32, 0.34, 0.36, 0.38, 0.4,   0.43, 0.46, 0.5,
                                      0.53, 0.56, 0.58, 0.59, 0.6,  0.61, 0.615, 0.618};
static const double turns_quick[] = {0.16, 0.2, 0.24, 0.3, 0.36, 0.46, 0.56, 0.6};
static const pl_protocol_model turns_models[] = {
    {"rod", "discrete elastic rod, loss of stability of its planar equilibrium", 200, 100, 50, 2000,
     PL_EXPECT_OK, rod_turns, .kind = 0},
};

const pl_protocol protocol_bend_twist = {
    .name = "bend-twist",
    .text = "a naturally circular rod hangs from a clamp; the length at which it leaves its plane",
    .nvalue = 1,
    .column = {"X", "phi_over_2pi", "master"},
    .xlabel = "cbrt(Gamma)/phi",
    .ylabel = "phi/2pi",
    .nu = 0.5,
    .lo = 0.12,
    .hi = 0.62,
    .judged = {0.14, 0.618},
    .bar = 0.01,
    .error = error_turns,
    .box = &pl_master_box[PL_MASTER_BEND_TWIST],
    .npoint = COUNT(turns_points),
    .point = turns_points,
    .nquick = COUNT(turns_quick),
    .quick = turns_quick,
    .ncurve = 101,
    .master = master_turns,
    .nmodel = COUNT(turns_models),
    .model = turns_models,
};

// ---- X on both branches of the frontier -------------------------------------------------------

static pl_status rod_sides(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  (void)m;
  hang_desc d = desc(t);
  PL_TRY(hang_sides(env, &d, t->x, &value[0], &value[1]));
  return isnan(value[0]) || isnan(value[1]) ? always_planar(env) : PL_OK;
}

// PL_DOMAIN below the lowest point
static pl_status master_sides(pl_env *env, double nu, double x, double *value) {
  pl_status s = pl_master_bend_twist_sides(env, nu, x, &value[0], &value[1]);
  if (s != PL_E_ARG) return s;
  double end;
  PL_TRY(pl_master_bend_twist_limit(env, nu, &end));
  return PL_DOMAIN;
}

static const double sides_points[] = {0.9, 0.95, 1,   1.1, 1.25, 1.5, 1.75, 2,
                                      2.5, 3,    3.5, 4,   4.5,  5,   5.5,  6};
static const pl_box sides_box = {.x = {0, 6}, .y = {0, 0.7}};
static const double sides_quick[] = {1.1, 2, 4, 6};
static const pl_protocol_model sides_models[] = {
    {"rod", "discrete elastic rod, loss of stability of its planar equilibrium", 200, 100, 50, 2000,
     PL_EXPECT_OK, rod_sides, .kind = 0},
    {"scene-rod", "as in a scene: drawn as a circle, clamped at its end, relaxed", 200, 100, 50,
     2000, PL_EXPECT_OK, scene_curl, .kind = SCENE_ROD, .judged = {0.9, 4}, .few = 1},
};

const pl_protocol protocol_bend_twist_sides = {
    .name = "bend-twist-sides",
    .text = "the same rods; the weights between which they leave their plane",
    .nvalue = 2,
    .column = {"phi_over_2pi", "X_left", "X_right", "master_left", "master_right"},
    .xlabel = "phi/2pi",
    .ylabel = "cbrt(Gamma)/phi",
    .nu = 0.5,
    .lo = 0.9,
    .hi = 6,
    .judged = {0.9, 6},
    .bar = 0.01,
    .box = &sides_box,
    .npoint = COUNT(sides_points),
    .point = sides_points,
    .nquick = COUNT(sides_quick),
    .quick = sides_quick,
    .ncurve = 52,
    .master = master_sides,
    .nmodel = COUNT(sides_models),
    .model = sides_models,
};

// ---- labels -------------------------------------------------------------------------------------

// turns on the frontier, INFINITY where it lies above the diagram or nowhere
static pl_status frontier(pl_env *env, double nu, double x, double *turns) {
  double end;
  *turns = INFINITY;
  PL_TRY(pl_master_bend_twist_limit(env, nu, &end));
  return x > LEFT && x < end ? pl_master_bend_twist(env, nu, x, turns) : PL_OK;
}

// The part of labels that are wrong, those in the band around the frontier left out.
static pl_status count_wrong(pl_env *env, const pl_trial *t, double *part) {
  double at, before, behind;
  int wrong = 0;
  PL_TRY(frontier(env, t->nu, t->x, &at));
  PL_TRY(frontier(env, t->nu, t->x * (1 - BAND), &before));
  PL_TRY(frontier(env, t->nu, t->x * (1 + BAND), &behind));
  for (int i = 0; i < t->nlabel; i++) {
    double y = t->label[i].y;
    int beyond = y > at, low = y * (1 - BAND) > at, high = y * (1 + BAND) > at;
    int near = low != high || (y > before) != beyond || (y > behind) != beyond;
    wrong += !near && t->label[i].beyond != beyond;
  }
  *part = (double)wrong / t->nlabel;
  return PL_OK;
}

// Labels of a column of the diagram, from few turns to many.
static pl_status relax_column(hang *h, pl_trial *t) {
  for (int i = 0; i < COLUMN; i++) {
    hang_at at = {t->x, TOP * (i + 0.5) / COLUMN};
    int deep;
    PL_TRY(hang_relax(h, at, &deep));
    t->label[t->nlabel++] = (pl_label){at.X, at.turns, deep};
    PL_TRY(pl_report_progress(h->env, "bend-twist", -1, NULL));
  }
  return PL_OK;
}

// value[0]: turns between the last planar shape and the next, the diagram's top when all are;
// value[1], for error_labels: the part of wrong labels
static pl_status rod_labels(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  (void)m;
  hang_desc d = desc(t);
  hang h;
  d.turns = TOP * 0.5 / COLUMN;
  PL_TRY(hang_open(env, &d, &h));
  pl_status s = relax_column(&h, t);
  hang_close(&h);
  PL_TRY(s);
  int first = 0;
  while (first < COLUMN && !t->label[first].beyond) first++;
  value[0] = TOP * first / COLUMN;
  return count_wrong(env, t, &value[1]);
}

static pl_status master_labels(pl_env *env, double nu, double x, double *value) {
  PL_TRY(frontier(env, nu, x, &value[0]));
  value[0] = fmin(value[0], TOP);
  return PL_OK;
}

static double error_labels(const pl_sample *s) {
  return s->value[1];
}

// 63 columns of 32 labels
#define X7(a)                                                                                      \
  (a) / 126.0 * 0.7, (a + 2) / 126.0 * 0.7, (a + 4) / 126.0 * 0.7, (a + 6) / 126.0 * 0.7,          \
      (a + 8) / 126.0 * 0.7, (a + 10) / 126.0 * 0.7, (a + 12) / 126.0 * 0.7
static const double labels_points[] = {X7(1),  X7(15), X7(29), X7(43), X7(57),
                                       X7(71), X7(85), X7(99), X7(113)};
static const double labels_quick[] = {0.1, 0.35, 0.6};
static const pl_protocol_model labels_models[] = {
    {"rod", "discrete elastic rod, relaxed from a push out of its plane", 200, 100, 50, 2000,
     PL_EXPECT_OK, rod_labels, .kind = 0},
};

const pl_protocol protocol_bend_twist_labels = {
    .name = "bend-twist-labels",
    .text = "the same rods; planar or not, of 32 shapes at each X",
    .nvalue = 1,
    .column = {"X", "phi_over_2pi", "master"},
    .xlabel = "cbrt(Gamma)/phi",
    .ylabel = "phi/2pi",
    .nu = 0.5,
    .lo = 0.001,
    .hi = 0.7,
    .judged = {0, 0.7},
    .bar = 0.01,
    .error = error_labels,
    .box = &pl_master_box[PL_MASTER_BEND_TWIST],
    .npoint = COUNT(labels_points),
    .point = labels_points,
    .nquick = COUNT(labels_quick),
    .quick = labels_quick,
    .ncurve = 141,
    .master = master_labels,
    .nmodel = COUNT(labels_models),
    .model = labels_models,
};
