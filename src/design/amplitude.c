// Path length of nodes over a period (eq. 27).
#include "design_impl.h"

static pl_status eval(const pl_objective_at *at, int i, double *q) {
  *q = objective_path(at->d, at->orbit, at->o->node[i], at->o->mask, 0, NULL, NULL);
  return PL_OK;
}

static pl_status gradient(const pl_objective_at *at, int i, double q, double by, double *gz,
                          double *gx) {
  (void)q;
  objective_path(at->d, at->orbit, at->o->node[i], at->o->mask, by, gz, gx);
  return PL_OK;
}

const pl_objective_kind pl_objective_amplitude = {
    .name = "amplitude",
    .text = "path length of nodes over a period: to a target, largest, smallest",
    .value = "max|min|length",
    .about = "path length of nodes over a period",
    .keys = "node nodes axes at",
    .quantity = "amplitude",
    .unit = "m",
    .form = PL_FORM_RATIO,
    .goals = PL_GOALS_TARGET | PL_GOALS_MOST | PL_GOALS_LEAST,
    .nodes = PL_NODES_EACH,
    .least_squares = 1,
    .eval = eval,
    .gradient = gradient,
};
