// Derivatives of peaks and folds of a response by variables.
#include "design_impl.h"

#include <string.h>

struct pl_slopes {
  pl_design d; // variables and scratch, without operating points
};

// as they are: no bounds move them
static pl_status open_variables(pl_slopes *s, int nvariable, const pl_variable *list) {
  pl_design *d = &s->d;
  pl_variable *own = pl_alloc(d->env, (size_t)nvariable, sizeof *own);
  if (!own) return PL_E_NOMEM;
  for (int k = 0; k < nvariable; k++) {
    own[k] = list[k];
    own[k].min = -INFINITY;
    own[k].max = INFINITY;
    own[k].scale = PL_SCALE_LINEAR;
  }
  pl_design_problem problem = {.nvariable = nvariable, .variable = own};
  pl_status st = variables_open(d, &problem);
  pl_free(d->env, own);
  return st;
}

pl_status pl_slopes_create(const pl_model *m, const pl_params *p, pl_work *w, int nsample,
                           int nvariable, const pl_variable *list, pl_slopes **out) {
  *out = NULL;
  pl_slopes *s = pl_alloc(w->env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  s->d = (pl_design){.env = w->env, .m = m, .from = p, .w = w};
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &s->d.o);
  s->d.o.samples = nsample;
  pl_status st = pl_params_copy(w->env, p, &s->d.p);
  if (st == PL_OK) st = open_variables(s, nvariable, list);
  if (st != PL_OK) {
    pl_slopes_free(s);
    return st;
  }
  *out = s;
  return PL_OK;
}

void pl_slopes_free(pl_slopes *s) {
  if (!s) return;
  variables_close(&s->d);
  pl_free(s->d.env, s->d.dz);
  pl_free(s->d.env, s);
}

const char *pl_slopes_name(const pl_slopes *s, int k) {
  return s->d.var[k].name;
}

const char *pl_slopes_unit(const pl_slopes *s, int k) {
  return s->d.var[k].unit;
}

double pl_slopes_value(const pl_slopes *s, int k) {
  return s->d.var[k].x0;
}

int pl_slopes_has(const pl_special *at) {
  return (at->kind == PL_PEAK || at->kind == PL_FOLD) && at->orbit && at->orbit->sub <= 1;
}

// scratch for motions with H harmonics
static pl_status fit_capacity(pl_design *d, int H) {
  if (d->dz && d->H == H) return PL_OK;
  d->H = H;
  d->n = pl_model_nfree(d->m) * (2 * H + 1);
  size_t n = (size_t)d->n;
  pl_free(d->env, d->dz);
  d->dz = pl_alloc(d->env, 4 * n, sizeof(double));
  if (!d->dz) return PL_E_NOMEM;
  d->f = d->dz + n;
  d->guess = d->f + n;
  d->path = d->guess + n;
  return PL_OK;
}

pl_status pl_slopes_at(pl_slopes *s, const pl_special *at, int nmeasure, const pl_measure *measure,
                       double *omega, double *amplitude) {
  pl_design *d = &s->d;
  if (!pl_slopes_has(at) || (at->kind == PL_PEAK && nmeasure != 1))
    return pl_fail(d->env, PL_E_ARG, "slopes: a peak of one measure or a fold is wanted");
  PL_TRY(fit_capacity(d, at->orbit->nharm));
  solution here = {.kind = at->kind == PL_PEAK ? SOLUTION_PEAK : SOLUTION_FOLD};
  if (nmeasure > 0) here.measure = measure[0];
  pl_status st = solution_open(d, &here, at->orbit);
  if (st == PL_OK) st = track_slopes(d, &here, nmeasure, measure, omega, amplitude);
  solution_close(d, &here);
  if (st == PL_OK && !pl_all_finite(d->nvar, omega)) st = PL_SINGULAR;
  return st == PL_DOMAIN || st == PL_SINGULAR ? PL_UNSOLVED : st;
}
