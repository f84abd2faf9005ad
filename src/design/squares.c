// Targets as residuals: the value is the sum of their squares, and what variables do to each of
// them gives the Gauss-Newton matrix. Trajectories are compared at their best phase, which is
// eliminated (variable projection): r is at right angles to its derivative by the phase there.
#include "design_impl.h"

#include <float.h>
#include <string.h>

enum { MOST_VARIABLES = 256 }; // with more of them a dense matrix does not pay

int squares_suit(pl_design *d) {
  for (int k = 0; k < d->nobj; k++)
    if (!objective_squares(d, &d->obj[k])) return 0;
  return d->nobj > 0 && d->nvar <= MOST_VARIABLES;
}

int squares_count(pl_design *d) {
  int n = 0;
  for (int k = 0; k < d->nobj; k++) n += objective_squares(d, &d->obj[k]);
  return n;
}

// ---- residuals of their own: trajectories -----------------------------------------------------

// 1: an objective with residuals of its own at this site
static int follows(const objective *o, int i) {
  return o->solution == i && o->o.kind->residual;
}

// one solution a variable
static pl_status by_columns(pl_design *d, int i, double *J) {
  double *unit = pl_alloc(d->env, (size_t)d->nvar, sizeof *unit);
  if (!unit) return PL_E_NOMEM;
  pl_status st = solution_linearise(d, &d->solution[i]);
  for (int k = 0; st == PL_OK && k < d->nvar; k++) {
    unit[k] = 1;
    st = solution_along(d, &d->solution[i], unit, d->dz);
    unit[k] = 0;
    double *at = J + k;
    for (int j = 0; st == PL_OK && j < d->nobj; j++) {
      const objective *o = &d->obj[j];
      pl_objective_at look = objective_at(d, o);
      if (follows(o, i)) o->o.kind->residual_column(&look, o->o.weight, d->dz, d->nvar, at);
      at += (size_t)objective_squares(d, o) * (size_t)d->nvar;
    }
  }
  pl_free(d->env, unit);
  return st;
}

// driven components; all of them: one solution a residual
static pl_status by_rows(pl_design *d, const objective *o, int all, double *J) {
  double *gz = pl_alloc(d->env, (size_t)d->n, sizeof *gz);
  if (!gz) return PL_E_NOMEM;
  pl_status st = PL_OK;
  pl_objective_at at = objective_at(d, o);
  int nrow = objective_squares(d, o);
  for (int row = 0; st == PL_OK && row < nrow; row++, J += d->nvar) {
    memset(gz, 0, (size_t)d->n * sizeof *gz);
    if (o->o.kind->residual_row(&at, o->o.weight, row, gz, J) && all)
      st = design_adjoint(d, &d->solution[o->solution], gz, J);
  }
  pl_free(d->env, gz);
  return st;
}

static void eliminate_phase(int nrow, int n, const double *rot, double *J) {
  double size = pl_dot(nrow, rot, rot);
  for (int k = 0; size > 0 && k < n; k++) {
    double part = 0;
    for (int i = 0; i < nrow; i++) part += rot[i] * J[(size_t)i * (size_t)n + (size_t)k];
    for (int i = 0; i < nrow; i++) J[(size_t)i * (size_t)n + (size_t)k] -= part / size * rot[i];
  }
}

// those of one site
static pl_status solution_rows(pl_design *d, int i, double *r, double *J) {
  int nrow = 0;
  for (int k = 0; k < d->nobj; k++)
    if (follows(&d->obj[k], i)) nrow += objective_squares(d, &d->obj[k]);
  if (nrow == 0) return PL_OK;
  int columns = d->nvar <= nrow;
  if (columns) PL_TRY(by_columns(d, i, J));
  double *rot = pl_alloc(d->env, (size_t)nrow, sizeof *rot);
  if (!rot) return PL_E_NOMEM;
  pl_status st = PL_OK;
  for (int k = 0; st == PL_OK && k < d->nobj; k++) {
    const objective *o = &d->obj[k];
    int n = objective_squares(d, o);
    pl_objective_at at = objective_at(d, o);
    if (follows(o, i)) {
      o->o.kind->residual(&at, o->o.weight, r, rot);
      st = by_rows(d, o, !columns, J);
      eliminate_phase(n, d->nvar, rot, J);
    }
    r += n;
    J += (size_t)n * (size_t)d->nvar;
  }
  pl_free(d->env, rot);
  return st;
}

pl_status squares_at(pl_design *d, double *r, double *J) {
  size_t n = (size_t)d->nvar, nrow = (size_t)squares_count(d), at = 0;
  memset(J, 0, nrow * n * sizeof *J);
  for (int i = 0; i < d->nsolution; i++) PL_TRY(solution_rows(d, i, r, J));
  for (int k = 0; k < d->nobj; at += (size_t)objective_squares(d, &d->obj[k]), k++)
    if (!d->obj[k].o.kind->residual) PL_TRY(objective_rows(d, &d->obj[k], r + at, J + at * n));
  return pl_all_finite((int)(nrow * n), J) ? PL_OK : PL_SINGULAR;
}

// ---- the step ---------------------------------------------------------------------------------

// step[n] to the minimum over the variables that are not held, gradient g + B p
static void free_step(int n, const double *B, const double *slope, const int *held, double *C,
                      double *step) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) C[i * n + j] = held[i] || held[j] ? i == j : B[i * n + j];
    step[i] = held[i] ? 0 : -slope[i];
  }
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, C[i * n + i]);
  // rounding may leave it a little indefinite
  for (double by = DBL_EPSILON; !(pl_cholesky(n, C) > 0) && by < 1; by *= 10)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        C[i * n + j] = held[i] || held[j] ? i == j : B[i * n + j] + (i == j) * by * most;
  pl_cholesky_solve(n, C, step);
}

// the longest part of a step inside the box, and who stops it (-1: nobody)
static double inside(int n, const double *p, const double *step, const double *lo, const double *hi,
                     int *who) {
  double part = 1;
  *who = -1;
  for (int i = 0; i < n; i++) {
    double scratch = step[i] > 0 ? hi[i] - p[i] : lo[i] - p[i];
    if (step[i] != 0 && scratch / step[i] < part) {
      part = fmax(0, scratch / step[i]);
      *who = i;
    }
  }
  return part;
}

void box_minimum(int n, const double *B, const double *g, const double *lo, const double *hi,
                 double *p, double *scratch) {
  double *C = scratch, *slope = C + (size_t)n * (size_t)n, *step = slope + n;
  int held[MOST_VARIABLES] = {0};
  memset(p, 0, (size_t)n * sizeof *p);
  // active sets, one change at a time
  for (int round = 0; round < 4 * n + 10; round++) {
    for (int i = 0; i < n; i++) slope[i] = g[i] + pl_dot(n, B + (size_t)i * (size_t)n, p);
    free_step(n, B, slope, held, C, step);
    int who, loose = -1;
    double part = inside(n, p, step, lo, hi, &who), most = 0;
    for (int i = 0; i < n; i++) p[i] = fmin(fmax(p[i] + part * step[i], lo[i]), hi[i]);
    if (who >= 0) {
      p[who] = step[who] > 0 ? hi[who] : lo[who];
      held[who] = step[who] > 0 ? 1 : -1;
      continue;
    }
    for (int i = 0; i < n; i++) {
      double pull = -held[i] * (g[i] + pl_dot(n, B + (size_t)i * (size_t)n, p));
      if (held[i] && pull < most && lo[i] < hi[i]) {
        most = pull;
        loose = i;
      }
    }
    if (loose < 0) return;
    held[loose] = 0;
  }
}
