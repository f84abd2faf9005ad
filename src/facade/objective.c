// Objectives that are functions of the caller's.
#include "facade_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES = 3 * (2 * 64 + 1) }; // coefficients of a node, at most

// q and, where dz is given, its derivatives, at node i of the objective
static pl_status call(const pl_objective_at *at, int i, double *q, double *dz, double *domega) {
  // runs set `stop` of it
  given_thing *g = (given_thing *)(uintptr_t)at->o->data;
  int dim = pl_model_dim(at->m), L = 2 * at->orbit->nharm + 1;
  double z[SERIES];
  if (atomic_load(&g->stop)) return PL_DOMAIN;
  for (int c = 0; c < dim; c++)
    pl_orbit_series(at->m, at->p, at->orbit, at->o->node[i], c, z + c * L);
  *q = NAN;
  int answer = g->objective(g->ctx, dim, at->orbit->nharm, at->orbit->omega, z, q, dz, domega);
  if (answer != 0 && answer != 1) atomic_store(&g->stop, 1);
  int ok =
      answer == 0 && isfinite(*q) && (!dz || (pl_all_finite(dim * L, dz) && isfinite(*domega)));
  return ok ? PL_OK : PL_DOMAIN;
}

static pl_status eval(const pl_objective_at *at, int i, double *q) {
  return call(at, i, q, NULL, NULL);
}

static pl_status gradient(const pl_objective_at *at, int i, double q, double by, double *gz,
                          double *gx) {
  int dim = pl_model_dim(at->m), L = 2 * at->orbit->nharm + 1;
  double dz[SERIES] = {0}, domega = 0;
  PL_TRY(call(at, i, &q, dz, &domega));
  for (int c = 0; c < dim; c++) {
    for (int a = 0; a < L; a++) dz[c * L + a] *= by;
    pl_objective_add(at, at->o->node[i], c, dz + c * L, gz, gx);
  }
  pl_objective_add_omega(at, by * domega, gx);
  return PL_OK;
}

int pl_facade_objective(const char *name, const char *unit, pl_facade_objective_function function,
                        void *ctx, int64_t *objective) {
  *objective = 0;
  if (!name || !name[0] || !function)
    return fail(PL_FACADE_ARG, NULL, "an objective needs a name and a function");
  given_thing *g = given_create(name);
  if (g) g->unit = strdup(unit ? unit : "");
  if (!g || !g->unit) {
    given_release(g);
    return fail(PL_FACADE_NOMEM, NULL, "out of memory");
  }
  g->what = GIVEN_OBJECTIVE;
  g->objective = function;
  g->ctx = ctx;
  g->kind = (pl_objective_kind){.name = g->name,
                                .text = "given by the program",
                                .keys = "node nodes axes at",
                                .unit = g->unit,
                                .form = PL_FORM_RATIO,
                                .goals = PL_GOALS_TARGET | PL_GOALS_MOST | PL_GOALS_LEAST,
                                .nodes = PL_NODES_EACH,
                                .least_squares = 1,
                                .eval = eval,
                                .gradient = gradient};
  return given_put(g, objective);
}
