// Derivatives of equilibria and motions: displacements, forces of supports and energy.
#include "gradients.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- numbers of a state -------------------------------------------------------------------------

static const double *of(const job_gradients *t, const double *all, int k) {
  return all + (size_t)k * (size_t)t->g->nq;
}

// what a parameter does to a reference place
static double shift(const job_gradients *t, int k, int at) {
  double sum = 0;
  const pl_variable *v = &t->var[k];
  if (v->kind != PL_VARIABLE_DESIGN) return 0;
  const pl_design_desc *d = pl_model_design(t->j->scene->model, v->index);
  for (int i = 0; i < d->ntarget; i++)
    if (d->target[i].on_ref && d->target[i].index == at) sum += d->target[i].coef;
  return sum;
}

static const double ROUNDING = 1e-12; // of the largest of its kind

static double largest(int n, const double *x, const double *from) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - (from ? from[i] : 0)));
  return ROUNDING * most;
}

static void tell_places(job_gradients *t, const pl_state *s) {
  const pl_analysis *a = t->a;
  int dim = t->j->scene->dim, places = pl_model_nnode(t->j->scene->model) * dim;
  t->least = largest(places, s->q, t->j->scene->params->X);
  for (int i = 0; i < a->nprobe; i++)
    for (int c = 0; c < dim; c++) {
      char name[PL_TEXT];
      int at = a->probe[i].node * dim + c;
      if (a->probe[i].component >= 0 && a->probe[i].component != c) continue;
      for (int k = 0; k < t->n; k++) t->by[k] = of(t, t->g->q, k)[at] - shift(t, k, at);
      snprintf(name, sizeof name, "displacement_m.%.200s.%d", a->probe[i].name, c);
      gradients_tell(t, name, "m", s->q[at] - t->j->scene->params->X[at], t->by);
    }
}

static void tell_rates(job_gradients *t, const pl_state *s) {
  const pl_analysis *a = t->a;
  int dim = t->j->scene->dim;
  t->least = largest(pl_model_nnode(t->j->scene->model) * dim, s->v, NULL);
  for (int i = 0; i < a->nprobe; i++)
    for (int c = 0; c < dim; c++) {
      char name[PL_TEXT];
      int at = a->probe[i].node * dim + c;
      if (a->probe[i].component >= 0 && a->probe[i].component != c) continue;
      for (int k = 0; k < t->n; k++) t->by[k] = of(t, t->g->v, k)[at];
      snprintf(name, sizeof name, "velocity_m_per_s.%.200s.%d", a->probe[i].name, c);
      gradients_tell(t, name, "m/s", s->v[at], t->by);
    }
}

// the job's scratch is evaluated at s, with forces
static void tell_reactions(job_gradients *t, const pl_state *s) {
  const job *j = t->j;
  const pl_model *m = j->scene->model;
  double force[3], moment[3], change[3];
  t->least = largest(pl_model_nnode(m) * j->scene->dim, j->work->r, NULL);
  for (int d = 0; d < j->scene->ndrive; d++) {
    char drive[64], name[PL_TEXT];
    job_reaction_name(j, d, drive, sizeof drive);
    pl_drive_reaction(m, s, j->work->r, d, force, moment);
    for (int c = 0; c < j->scene->dim; c++) {
      for (int k = 0; k < t->n; k++) {
        pl_drive_reaction(m, s, of(t, t->force, k), d, change, moment);
        t->by[k] = change[c];
      }
      snprintf(name, sizeof name, "reactions.%.60s.force_N.%d", drive, c);
      gradients_tell(t, name, "N", force[c], t->by);
    }
  }
}

static int has_sliders(const job_gradients *t) {
  return pl_gradient_follows(t->g);
}

// NULL: at the last equilibrium
static pl_status tell_forces(job_gradients *t, const pl_state *s, const pl_state *at,
                             const pl_clock *c) {
  job *j = t->j;
  unsigned want = PL_WANT_ENERGY | PL_WANT_FORCE | (at ? PL_DYNAMIC : 0);
  PL_TRY(pl_gradient_forces(t->g, at, c, t->force));
  PL_TRY(pl_eval(j->scene->model, j->scene->params, s, c, want, NULL, j->work));
  tell_reactions(t, s);
  // what is lost is no longer stored
  if (has_sliders(t)) return PL_OK;
  PL_TRY(pl_gradient_energy(t->g, at, t->by));
  t->least = 0;
  gradients_tell(t, "elastic_J", "J", j->work->elastic, t->by);
  return PL_OK;
}

// ---- equilibria ---------------------------------------------------------------------------------

pl_status gradients_step(job_gradients *t, const pl_state *s, const pl_clock *c) {
  if (t->n == 0 || !pl_gradient_follows(t->g)) return PL_OK;
  return c->scale == 0 ? PL_OK : pl_gradient_equilibrium(t->g, s, c);
}

static pl_status fail_singular(const job_gradients *t) {
  pl_report(t->j->env, PL_WARNING, t->j->scene->path, t->a->line, t->a->col,
            "they are infinite where a load path turns or branches",
            "%s: there are no gradients: the stiffness of the equilibrium is singular", t->a->name);
  return PL_OK;
}

pl_status gradients_static(job_gradients *t, const pl_state *s, const pl_clock *c,
                           json_t *figures) {
  if (t->n == 0) return PL_OK;
  pl_status st = pl_gradient_follows(t->g) ? PL_OK : pl_gradient_equilibrium(t->g, s, c);
  if (st == PL_SINGULAR || st == PL_DOMAIN) return fail_singular(t);
  PL_TRY(st);
  tell_places(t, s);
  st = tell_forces(t, s, NULL, c);
  if (st == PL_SINGULAR || st == PL_DOMAIN) return fail_singular(t);
  PL_TRY(st);
  return gradients_end(t, figures);
}

// ---- motions ------------------------------------------------------------------------------------

static int ncolumn(const job_gradients *t) {
  int n = 0;
  for (int i = 0; i < t->a->nprobe; i++) n += t->a->probe[i].component < 0 ? t->j->scene->dim : 1;
  return n;
}

// unknown of column `at` of watched places, and its name
static int column(const job_gradients *t, int at, char name[PL_TEXT]) {
  int dim = t->j->scene->dim;
  for (int i = 0; i < t->a->nprobe; i++) {
    const pl_probe *w = &t->a->probe[i];
    int width = w->component < 0 ? dim : 1, c = w->component < 0 ? at : w->component;
    if (at < width) {
      snprintf(name, PL_TEXT, "%.200s_%c", w->name, "xyz"[c]);
      return w->node * dim + c;
    }
    at -= width;
  }
  return -1;
}

static pl_status open_history(job_gradients *t) {
  int n = ncolumn(t);
  char place[PL_TEXT], name[2 * PL_TEXT];
  PL_TRY(pl_table_create(t->j->env, 1 + n * t->n, &t->history));
  PL_TRY(pl_table_create(t->j->env, 1 + n, &t->values));
  t->row = pl_alloc(t->j->env, (size_t)(1 + n * t->n), sizeof *t->row);
  if (!t->row) return PL_E_NOMEM;
  PL_TRY(pl_table_column(t->history, 0, "time", "s"));
  PL_TRY(pl_table_column(t->values, 0, "time", "s"));
  for (int i = 0; i < n; i++) {
    column(t, i, place);
    PL_TRY(pl_table_column(t->values, 1 + i, place, "m"));
    for (int k = 0; k < t->n; k++) {
      snprintf(name, sizeof name, "%.200s_by_%.60s", place, gradients_name(t, k));
      PL_TRY(pl_table_column(t->history, 1 + i * t->n + k, name, ""));
    }
  }
  return PL_OK;
}

pl_status gradients_begin(job_gradients *t, const pl_state *s, const pl_clock *c) {
  const pl_clock full = {.scale = 1};
  const pl_analysis *a = t->a;
  if (t->n == 0) return PL_OK;
  PL_TRY(open_history(t));
  pl_gradient_rest(t->g, s);
  pl_status st = a->about >= 0 ? pl_gradient_start(t->g, t->j->state[a->about], &full) : PL_OK;
  if (st == PL_SINGULAR || st == PL_DOMAIN)
    return pl_fail_at(
        t->j->env, PL_E_INPUT, t->j->scene->path, a->line, a->col, "leave gradients out",
        "%s: there are no gradients: the equilibrium that it starts from has none", a->name);
  PL_TRY(st);
  // drives stand where they say
  PL_TRY(pl_gradient_forces(t->g, s, c, t->force));
  return gradients_row(t, s);
}

pl_status gradients_row(job_gradients *t, const pl_state *s) {
  char name[PL_TEXT];
  int n = t->n == 0 ? 0 : ncolumn(t);
  if (n == 0) return PL_OK;
  t->row[0] = s->t;
  for (int i = 0; i < n; i++) t->row[1 + i] = s->q[column(t, i, name)];
  PL_TRY(pl_table_row(t->values, t->row));
  for (int i = 0; i < n; i++) {
    int at = column(t, i, name);
    for (int k = 0; k < t->n; k++) t->row[1 + i * t->n + k] = of(t, t->g->q, k)[at];
  }
  return pl_table_row(t->history, t->row);
}

// the row from a time on where a column is largest (side 1) or smallest
static int extreme_row(const pl_table *v, int col, double from, int side) {
  const double *d = pl_table_data(v);
  int cols = pl_table_cols(v), best = -1;
  for (int i = 0; i < pl_table_rows(v); i++) {
    double x = d[(size_t)i * (size_t)cols + (size_t)col];
    if (d[(size_t)i * (size_t)cols] < from) continue;
    if (best < 0 || (side ? x > d[(size_t)best * (size_t)cols + (size_t)col]
                          : x < d[(size_t)best * (size_t)cols + (size_t)col]))
      best = i;
  }
  return best;
}

static void tell_extreme(job_gradients *t, int i, int row, const char *name) {
  int cols = pl_table_cols(t->history);
  const double *by = pl_table_data(t->history) + (size_t)row * (size_t)cols + 1 + i * t->n;
  double value = pl_table_data(t->values)[(size_t)row * (size_t)pl_table_cols(t->values) + 1 + i];
  gradients_tell(t, name, "m", value, by);
}

// Of an extreme over time its own time does not count: there the rate is zero, or it is an end.
static void tell_ranges(job_gradients *t, double from, const char *range) {
  char place[PL_TEXT], name[2 * PL_TEXT];
  t->least = 0;
  for (int i = 0; i < ncolumn(t); i++) {
    column(t, i, place);
    for (int side = 0; side < 2; side++) {
      int row = extreme_row(t->values, 1 + i, from, side);
      snprintf(name, sizeof name, "%s.%.200s.%d", range, place, side);
      if (row >= 0) tell_extreme(t, i, row, name);
    }
    for (int side = 0; side < 2; side++) {
      int row = extreme_row(t->values, 1 + i, -INFINITY, side);
      snprintf(name, sizeof name, "%s_m.%.200s", side ? "largest" : "smallest", place);
      if (row >= 0) tell_extreme(t, i, row, name);
    }
  }
}

pl_status gradients_transient(job_gradients *t, const pl_state *s, const pl_clock *c, double from,
                              const char *range, json_t *figures) {
  if (t->n == 0) return PL_OK;
  tell_places(t, s);
  tell_rates(t, s);
  tell_ranges(t, from, range);
  PL_TRY(tell_forces(t, s, s, c));
  return gradients_end(t, figures);
}
