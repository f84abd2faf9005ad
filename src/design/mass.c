// Total mass.
#include "design_impl.h"

static pl_status eval(const pl_objective_at *at, int i, double *mass) {
  double lin[3], ang[3];
  pl_state *s;
  (void)i;
  PL_TRY(pl_state_create(at->m, at->p, &s));
  pl_momentum(at->m, at->p, s, mass, lin, ang);
  pl_state_free(at->m, s);
  return PL_OK;
}

static pl_status gradient(const pl_objective_at *at, int i, double q, double by, double *gz,
                          double *gx) {
  (void)i;
  (void)q;
  (void)gz;
  return pl_directions_mass(at->d->directions, at->p, by, gx);
}

const pl_objective_kind pl_objective_mass = {
    .name = "mass",
    .text = "total mass is small, or stays below a limit",
    .value = "min|mass",
    .about = "total mass, as small as possible or below a limit",
    .keys = "",
    .quantity = "mass",
    .unit = "kg",
    .scope = PL_SCOPE_VALUES,
    .form = PL_FORM_LIMIT,
    .goals = PL_GOALS_TARGET | PL_GOALS_LEAST,
    .eval = eval,
    .gradient = gradient,
};
