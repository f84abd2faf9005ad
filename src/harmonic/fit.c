// Damping and other parameters from measured motions: Levenberg-Marquardt on the misfit of
// fit_data.c. The change of a steady motion with a parameter is dz/dp = -J^-1 dh/dp (eq. 21), dh/dp
// the projection of the force's change over the period; phases are eliminated from every step.
#include "fit_impl.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define OPT_STRUCT pl_fit_damping_opts
const pl_option pl_fit_damping_option_table[] = {PL_FIT_DAMPING_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_fit_damping_option_count =
    (int)(sizeof pl_fit_damping_option_table / sizeof pl_fit_damping_option_table[0]);
#undef OPT_STRUCT

enum { ALPHA = -1, BETA = -2, MOTION_ITER = 15 };

typedef struct fitter {
  const pl_fit_damping_opts *o;
  const pl_model *m;
  const pl_params *from; // as given
  pl_params *p;          // its own
  pl_work *w;
  pl_env *env;
  pl_fit *fit;
  pl_hb *hb;
  pl_bordered *b;
  int nset, nvalue, rows, n, widest; // n: coefficients of a motion; widest: most channels
  fit_set *set;
  pl_orbit **orbit, **trial;   // [nset] at x and at the values tried
  double *dz;                  // [nset][nvalue][n]
  double *keep_z, *keep_phase; // [sum nchannel L], [nset]: simulated channels at x
  double *r, *r_try, *slope;   // [rows]
  pl_marquardt lm;
  pl_directions *directions; // [nvalue]
  double *unit;              // [nvalue] scratch
  double *channel;           // [widest][L] scratch
  double motion;             // m^2, measured; lm.cost: misfit inside the harmonics
  const pl_keeper *keeper;   // NULL: none
} fitter;

// ---- parameters -------------------------------------------------------------------------------

// p at given values, all else as it was
static pl_status set_values(fitter *f, const double *x) {
  pl_params *p = f->p;
  int shape = 0;
  memcpy(p->par, f->from->par, (size_t)p->npar * sizeof *p->par);
  for (int k = 0; k < f->nvalue; k++) {
    int design = f->fit->value[k].design;
    if (design < 0) {
      p->par[design == ALPHA ? PL_PAR_ALPHA : PL_PAR_BETA] = x[k];
      continue;
    }
    if (!shape) memcpy(p->X, f->from->X, (size_t)p->nref * sizeof *p->X);
    shape = 1;
    const pl_design_desc *d = pl_model_design(f->m, design);
    p->design[design] = x[k];
    for (int t = 0; t < d->ntarget; t++) {
      double *at = (d->target[t].on_ref ? p->X : p->par) + d->target[t].index;
      *at += d->target[t].coef * (x[k] - f->from->design[design]);
    }
  }
  if (shape) PL_TRY(pl_params_update(f->m, p));
  return pl_hb_refresh(f->hb);
}

static int targets(const pl_model *m, int design, int par) {
  const pl_design_desc *d = pl_model_design(m, design);
  for (int t = 0; t < d->ntarget; t++)
    if (!d->target[t].on_ref && d->target[t].index == par) return 1;
  return 0;
}

// the list of values to fit; damping that follows a listed parameter is fitted through it
static pl_status list_values(fitter *f, int nparameter, const int *parameter) {
  const pl_fit_damping_opts *o = f->o;
  pl_fit_value *v = pl_alloc(f->env, (size_t)nparameter + 2, sizeof *v);
  f->fit->value = v;
  if (!v) return PL_E_NOMEM;
  int alpha = o->alpha, beta = o->beta, n = 0;
  for (int k = 0; k < nparameter; k++) {
    if (parameter[k] < 0 || parameter[k] >= pl_model_ndesign(f->m))
      return pl_fail(f->env, PL_E_ARG, "fit: there is no design parameter %d", parameter[k]);
    alpha &= !targets(f->m, parameter[k], PL_PAR_ALPHA);
    beta &= !targets(f->m, parameter[k], PL_PAR_BETA);
  }
  for (int k = 0; k < 2; k++)
    if (k ? beta : alpha) {
      v[n] = (pl_fit_value){.design = k ? BETA : ALPHA, .max = INFINITY};
      v[n].before = f->p->par[k ? PL_PAR_BETA : PL_PAR_ALPHA];
      snprintf(v[n++].name, sizeof v->name, "%s", k ? "beta" : "alpha");
    }
  for (int k = 0; k < nparameter; k++) {
    const pl_design_desc *d = pl_model_design(f->m, parameter[k]);
    v[n] = (pl_fit_value){.design = parameter[k], .min = d->min, .max = d->max};
    v[n].before = f->p->design[parameter[k]];
    if (!(d->min < d->max)) {
      v[n].min = -INFINITY;
      v[n].max = INFINITY;
    }
    snprintf(v[n++].name, sizeof v->name, "%.63s", d->name ? d->name : "");
  }
  f->nvalue = f->fit->nvalue = n;
  if (n > 0) return PL_OK;
  return pl_fail_at(f->env, PL_E_INPUT, NULL, 0, 0, "set alpha or beta to yes, or name parameters",
                    "fit: there is nothing to fit");
}

// ---- motions ----------------------------------------------------------------------------------

// coefficients of a driven unknown, as p is now
static void driven_channel(const fitter *f, int dof, double *c) {
  const fourier *fo = &f->hb->f;
  int dim = pl_model_dim(f->m);
  memset(c, 0, (size_t)fo->L * sizeof *c);
  for (int i = 0; i < fo->N; i++) {
    pl_clock clock = {.t = 2 * PL_PI * i / fo->N, .omega = 1, .scale = 1};
    double x[3] = {0}, v[3], a[3];
    pl_drive_node(f->m, f->p, &clock, dof / dim, x, v, a);
    for (int k = 0; k < fo->L; k++) c[k] += fo->to_freq[k * fo->N + i] * x[dof % dim];
  }
}

static void read_channels(const fitter *f, fit_set *s, const pl_orbit *o) {
  const int *index = pl_model_free_index(f->m);
  for (int c = 0; c < s->d->nchannel; c++) {
    int i = index[s->d->dof[c]];
    if (i < 0)
      driven_channel(f, s->d->dof[c], s->z + c * s->L);
    else
      memcpy(s->z + c * s->L, o->z + (size_t)i * (size_t)s->L, (size_t)s->L * sizeof *s->z);
  }
}

// the steady motion from trial[k] as a guess; from nothing at the start of the fit
static pl_status solve_motion(fitter *f, int k) {
  pl_periodic_info info = {0};
  pl_periodic_opts o;
  pl_status s;
  if (f->trial[k]) {
    s = pl_hb_newton(f->hb, f->b, f->trial[k], f->o->rtol, MOTION_ITER, &info);
  } else {
    pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &o);
    o.frequency = f->set[k].d->omega;
    o.harmonics = f->o->harmonics;
    o.samples = f->o->samples;
    o.rtol = f->o->rtol;
    s = pl_periodic(&o, f->m, f->p, f->w, &f->trial[k], &info);
  }
  f->fit->factorisations += info.factorisations;
  return s;
}

// motions, phases and residual at values; PL_UNSOLVED and PL_DOMAIN: no motion there
static pl_status evaluate(fitter *f, const double *x, double *r, double *cost) {
  *cost = 0;
  f->fit->evaluations++;
  PL_TRY(set_values(f, x));
  for (int k = 0; k < f->nset; k++) {
    fit_set *s = &f->set[k];
    PL_TRY(solve_motion(f, k));
    read_channels(f, s, f->trial[k]);
    if (f->o->phase) fit_best_phase(s, r, f->slope);
    *cost += fit_residual(s, r);
    r += fit_set_rows(s);
  }
  return PL_OK;
}

// ---- sensitivities ----------------------------------------------------------------------------

// change of a driven unknown with value k
static void driven_change(fitter *f, int dof, int k, double *out) {
  const fourier *fo = &f->hb->f;
  int dim = pl_model_dim(f->m);
  memset(out, 0, (size_t)fo->L * sizeof *out);
  for (int i = 0; i < fo->N; i++) {
    pl_clock clock = {.t = 2 * PL_PI * i / fo->N, .omega = 1, .scale = 1};
    double x[3], v[3], a[3];
    pl_directions_drive(f->directions, 0, f->p, &clock, k, dof / dim, x, v, a);
    for (int j = 0; j < fo->L; j++) out[j] += fo->to_freq[j * fo->N + i] * x[dof % dim];
  }
}

// column of J that belongs to value k and set i, from dz[n]
static void put_column(fitter *f, int i, int k, const double *dz, double *column) {
  fit_set *s = &f->set[i];
  const int *index = pl_model_free_index(f->m);
  for (int c = 0; c < s->d->nchannel; c++) {
    int j = index[s->d->dof[c]];
    double *to = f->channel + c * s->L;
    if (j < 0)
      driven_change(f, s->d->dof[c], k, to);
    else
      memcpy(to, dz + (size_t)j * (size_t)s->L, (size_t)s->L * sizeof *to);
  }
  fit_change(s, f->channel, column);
}

// what a change of phase can do as well is taken out of a column
static void project_phase(int n, const double *phase, double *column) {
  double size = pl_dot(n, phase, phase);
  if (size > 0) pl_axpy(n, -pl_dot(n, phase, column) / size, phase, column, column);
}

// dz/dp and J at the motions of x, where p is
static pl_status differentiate(fitter *f) {
  int at = 0;
  for (int i = 0; i < f->nset; i++) {
    fit_set *s = &f->set[i];
    int rows = fit_set_rows(s);
    double *dz = f->dz + (size_t)i * (size_t)f->nvalue * (size_t)f->n;
    const pl_orbit *o = f->orbit[i];
    PL_TRY(pl_hb_eval(f->hb, o->z, o->omega, PL_HB_RESIDUAL | PL_HB_JACOBIAN));
    PL_TRY(pl_bordered_set(f->b, NULL, NULL, 0));
    fit_phase_change(s, f->slope);
    for (int k = 0; k < f->nvalue; k++) {
      double *one = dz + (size_t)k * (size_t)f->n, *column = f->lm.J + (size_t)k * f->rows + at;
      memset(f->unit, 0, (size_t)f->nvalue * sizeof *f->unit);
      f->unit[k] = 1;
      PL_TRY(pl_hb_change(f->hb, f->directions, o, f->unit, one));
      PL_TRY(pl_bordered_solve(f->b, one, 0, one, NULL));
      for (int j = 0; j < f->n; j++) one[j] = -one[j];
      put_column(f, i, k, one, column);
      if (f->o->phase) project_phase(rows, f->slope, column);
    }
    at += rows;
  }
  return PL_OK;
}

// ---- one step ---------------------------------------------------------------------------------

// normal matrix and gradient; values at a bound that want to leave it outwards are held
static pl_status normal_equations(fitter *f) {
  pl_marquardt_normal(&f->lm, f->r);
  for (int i = 0; i < f->nvalue; i++) {
    const pl_fit_value *v = &f->fit->value[i];
    // at the start, against the motion, for a change by the value itself
    double worth = f->lm.size[i] * (f->lm.x[i] != 0 ? fabs(f->lm.x[i]) : 1);
    if (!(worth > (f->fit->iterations == 0 ? 1e-13 * sqrt(f->motion) : 0)))
      return pl_fail_at(f->env, PL_E_INPUT, NULL, 0, 0, "leave it out of the fit",
                        "fit: '%s' has no influence on what was measured", v->name);
  }
  return PL_OK;
}

// guesses of the motions at the values tried: z + dz/dp step
static pl_status predict(fitter *f) {
  for (int i = 0; i < f->nset; i++) {
    pl_orbit_free(f->trial[i]);
    f->trial[i] = NULL;
    PL_TRY(pl_orbit_copy(f->orbit[i], f->orbit[i]->nharm, &f->trial[i]));
    for (int k = 0; k < f->nvalue; k++)
      pl_axpy(f->n, f->lm.step[k], f->dz + (size_t)(i * f->nvalue + k) * (size_t)f->n,
              f->trial[i]->z, f->trial[i]->z);
  }
  return PL_OK;
}

// simulated channels and phases of x are kept while others are tried
static void keep(fitter *f, int restore) {
  double *z = f->keep_z;
  for (int i = 0; i < f->nset; i++) {
    fit_set *s = &f->set[i];
    size_t n = (size_t)s->d->nchannel * (size_t)s->L;
    memcpy(restore ? s->z : z, restore ? z : s->z, n * sizeof *z);
    if (restore)
      s->phase = f->keep_phase[i];
    else
      f->keep_phase[i] = s->phase;
    z += n;
  }
}

static void accept_values(fitter *f, double cost) {
  f->lm.cost = cost;
  memcpy(f->lm.x, f->lm.to, (size_t)f->nvalue * sizeof *f->lm.x);
  memcpy(f->r, f->r_try, (size_t)f->rows * sizeof *f->r);
  for (int i = 0; i < f->nset; i++) {
    pl_orbit *o = f->orbit[i];
    f->orbit[i] = f->trial[i];
    f->trial[i] = o;
  }
  keep(f, 0);
}

// ---- the fit ----------------------------------------------------------------------------------

static pl_status progress(const fitter *f) {
  char text[96];
  snprintf(text, sizeof text, "step %d, misfit %.4g of the motion", f->fit->iterations,
           f->motion > 0 ? sqrt(f->lm.cost / f->motion) : 0);
  return pl_report_progress(f->env, "fit", -1, text);
}

static pl_status attempt(void *ctx, double size, double *cost) {
  fitter *f = ctx;
  (void)size;
  PL_TRY(predict(f));
  pl_status s = evaluate(f, f->lm.to, f->r_try, cost);
  if (s == PL_UNSOLVED || s == PL_DOMAIN) *cost = INFINITY;
  return s == PL_UNSOLVED || s == PL_DOMAIN ? PL_OK : s;
}

static void accept_step(void *ctx) {
  fitter *f = ctx;
  accept_values(f, f->lm.cost);
}

static void refuse_step(void *ctx) {
  keep(ctx, 1);
}

static const pl_marquardt_calls calls = {attempt, accept_step, refuse_step};

// ---- going on from what was kept --------------------------------------------------------------

// all that a step begins with and that does not follow from the rest
static void transfer_all(fitter *f, pl_parcel *p) {
  double one[] = {f->lm.lambda, f->lm.cost, f->fit->iterations, f->fit->evaluations,
                  f->fit->factorisations};
  pl_parcel_pass(p, one, sizeof one / sizeof *one);
  if (p->load) {
    f->lm.lambda = one[0];
    f->lm.cost = one[1];
    f->fit->iterations = (int)fmin(fmax(one[2], 0), INT_MAX);
    f->fit->evaluations = (int)fmin(fmax(one[3], 0), INT_MAX);
    f->fit->factorisations = (int)fmin(fmax(one[4], 0), INT_MAX);
  }
  pl_parcel_pass(p, f->lm.x, (size_t)f->nvalue);
  pl_parcel_pass(p, f->r, (size_t)f->rows);
  for (int i = 0; i < f->nset; i++) {
    fit_set *s = &f->set[i];
    pl_parcel_pass(p, f->orbit[i]->z, (size_t)f->n);
    pl_parcel_pass(p, s->z, (size_t)s->d->nchannel * (size_t)s->L);
    pl_parcel_pass(p, &s->phase, 1);
  }
}

static pl_status keep_step(fitter *f) {
  if (!f->keeper || !f->keeper->keep) return PL_OK;
  pl_parcel p = {0};
  transfer_all(f, &p);
  p.x = pl_alloc(f->env, p.n, sizeof *p.x);
  if (!p.x) return PL_E_NOMEM;
  p.n = 0;
  transfer_all(f, &p);
  pl_status s = f->keeper->keep(f->keeper->ctx, p.n, p.x);
  pl_free(f->env, p.x);
  return s;
}

static pl_status go_on(fitter *f) {
  const pl_keeper *k = f->keeper;
  pl_parcel p = {0};
  if (!k || !k->from) return PL_OK;
  transfer_all(f, &p);
  if (p.n != k->nfrom || !pl_all_finite((int)p.n, k->from))
    return pl_fail(f->env, PL_E_INPUT, "fit: what was kept to go on from is of another fit");
  p = (pl_parcel){.x = (double *)(uintptr_t)k->from, .load = 1};
  transfer_all(f, &p);
  keep(f, 0);
  PL_TRY(set_values(f, f->lm.x));
  return differentiate(f);
}

static double misfit(const fitter *f) {
  double sum = f->lm.cost, motion = 0;
  for (int i = 0; i < f->nset; i++) {
    sum += f->set[i].outside;
    motion += f->set[i].motion;
  }
  return sqrt(sum / motion);
}

static pl_status tell_step(fitter *f) {
  if (!f->keeper || !f->keeper->tell) return PL_OK;
  const char **name = pl_alloc(f->env, (size_t)f->nvalue, sizeof *name);
  if (!name) return PL_E_NOMEM;
  for (int k = 0; k < f->nvalue; k++) name[k] = f->fit->value[k].name;
  const pl_fit_step s = {.iteration = f->fit->iterations,
                         .misfit = misfit(f),
                         .n = f->nvalue,
                         .name = name,
                         .x = f->lm.x,
                         .norbit = f->nset,
                         .orbit = (const pl_orbit *const *)f->orbit,
                         .params = f->p};
  pl_status st = f->keeper->tell(f->keeper->ctx, &s);
  pl_free(f->env, name);
  return st;
}

static pl_status iterate(fitter *f) {
  int done = 0;
  f->lm.lambda = 1e-3;
  PL_TRY(go_on(f));
  if (f->fit->iterations == 0) PL_TRY(tell_step(f));
  while (!done && f->fit->iterations < f->o->max_iter) {
    PL_TRY(progress(f));
    PL_TRY(normal_equations(f));
    f->fit->iterations++;
    PL_TRY(pl_marquardt_step(&f->lm, &calls, f, f->o->xtol * sqrt(f->motion), &done));
    PL_TRY(set_values(f, f->lm.x));
    PL_TRY(differentiate(f));
    if (!done) PL_TRY(keep_step(f));
    PL_TRY(tell_step(f));
  }
  f->fit->reason = done ? PL_STOP_CONVERGED : PL_STOP_MAX_ITER;
  return done ? PL_OK : PL_UNSOLVED;
}

// the motions before the fit, and their derivatives
static pl_status begin(fitter *f) {
  for (int k = 0; k < f->nvalue; k++) {
    const pl_fit_value *v = &f->fit->value[k];
    f->lm.lo[k] = v->min;
    f->lm.hi[k] = v->max;
    f->lm.x[k] = f->lm.to[k] = fmin(fmax(v->before, v->min), v->max);
  }
  double cost;
  pl_status s = evaluate(f, f->lm.x, f->r_try, &cost);
  if (s == PL_UNSOLVED || s == PL_DOMAIN) {
    pl_report(f->env, PL_WARNING, NULL, 0, 0, "start from other values, e.g. with more damping",
              "fit: there is no steady motion with the values given");
    return PL_UNSOLVED;
  }
  PL_TRY(s);
  accept_values(f, cost);
  return differentiate(f);
}

// ---- results ----------------------------------------------------------------------------------

static void show(fitter *f, int after) {
  for (int i = 0; i < f->nset; i++) {
    pl_fit_motion *m = &f->fit->motion[i];
    m->offset = fit_shown(&f->set[i], after ? m->after : m->before);
    *(after ? &m->phase : &m->phase_before) = f->set[i].phase;
  }
  double sum = f->lm.cost, count = 0, motion = 0;
  for (int i = 0; i < f->nset; i++) {
    sum += f->set[i].outside;
    motion += f->set[i].motion;
    count += (double)f->set[i].d->nsample * f->set[i].d->nchannel;
  }
  *(after ? &f->fit->after : &f->fit->before) = sqrt(sum / count);
  f->fit->rms = sqrt(motion / count);
}

// standard errors: variance of a sample times the diagonal of (J'J)^-1, phases and means counted
static void measure_errors(fitter *f) {
  int n = f->nvalue;
  double left = -n, sum = f->lm.cost;
  for (int i = 0; i < f->nset; i++) {
    const fit_set *s = &f->set[i];
    left += (double)s->d->nsample * s->d->nchannel - (f->o->phase ? 1 : 0) -
            (f->o->mean ? 0 : s->d->nchannel);
    sum += s->outside;
  }
  f->fit->independent = fmax(pl_marquardt_factor(&f->lm, 0), 0);
  for (int k = 0; k < n; k++) {
    pl_fit_value *v = &f->fit->value[k];
    v->after = f->lm.x[k];
    v->bound = f->lm.x[k] <= v->min || f->lm.x[k] >= v->max;
    v->error = -1;
    if (f->lm.active[k] || !(left > 0) || !(f->fit->independent > 0)) continue;
    memset(f->lm.step, 0, (size_t)n * sizeof *f->lm.step);
    f->lm.step[k] = 1;
    pl_cholesky_solve(n, f->lm.C, f->lm.step);
    v->error = sqrt(sum / left * f->lm.step[k]) / f->lm.size[k];
  }
}

// ---- set up -----------------------------------------------------------------------------------

static pl_status open_sets(fitter *f, int ndata, const pl_fit_data *data) {
  const pl_fit_damping_opts *o = f->o;
  size_t L = 2 * (size_t)o->harmonics + 1;
  f->set = pl_alloc(f->env, (size_t)ndata, sizeof *f->set);
  f->fit->motion = pl_alloc(f->env, (size_t)ndata, sizeof *f->fit->motion);
  if (!f->set || !f->fit->motion) return PL_E_NOMEM;
  f->fit->ndata = ndata;
  for (int i = 0; i < ndata; i++) {
    f->nset = i + 1;
    PL_TRY(fit_set_create(f->env, f->m, &data[i], o->harmonics, o->mean, &f->set[i]));
    pl_fit_motion *m = &f->fit->motion[i];
    m->before = pl_alloc(f->env, (size_t)data[i].nchannel * L, sizeof(double));
    m->after = pl_alloc(f->env, (size_t)data[i].nchannel * L, sizeof(double));
    if (!m->before || !m->after) return PL_E_NOMEM;
    f->rows += fit_set_rows(&f->set[i]);
    f->motion += f->set[i].motion;
    if (data[i].nchannel > f->widest) f->widest = data[i].nchannel;
  }
  if (f->motion > 0) return PL_OK;
  return pl_fail(f->env, PL_E_INPUT, "fit: nothing moves in the data");
}

static pl_status allocate(fitter *f) {
  size_t nv = (size_t)f->nvalue, rows = (size_t)f->rows, n = (size_t)f->n, ns = (size_t)f->nset;
  size_t L = (size_t)f->hb->f.L, channels = 0;
  for (int i = 0; i < f->nset; i++) channels += (size_t)f->set[i].d->nchannel;
  struct {
    double **p;
    size_t n;
  } all[] = {{&f->dz, ns * nv * n}, {&f->keep_z, channels * L},
             {&f->keep_phase, ns},  {&f->r, rows},
             {&f->r_try, rows},     {&f->slope, rows},
             {&f->unit, nv},        {&f->channel, (size_t)f->widest * L}};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    *all[k].p = pl_alloc(f->env, all[k].n, sizeof(double));
    if (!*all[k].p) return PL_E_NOMEM;
  }
  f->orbit = pl_alloc(f->env, ns, sizeof *f->orbit);
  f->trial = pl_alloc(f->env, ns, sizeof *f->trial);
  if (!f->orbit || !f->trial) return PL_E_NOMEM;
  return pl_marquardt_create(f->env, f->nvalue, f->rows, &f->lm);
}

// what every value turns
static pl_status make_directions(fitter *f) {
  static const pl_target damping[2] = {{0, PL_PAR_ALPHA, 1}, {0, PL_PAR_BETA, 1}};
  pl_direction *dir = pl_alloc(f->env, (size_t)f->nvalue, sizeof *dir);
  if (!dir) return PL_E_NOMEM;
  for (int k = 0; k < f->nvalue; k++) {
    int design = f->fit->value[k].design;
    const pl_design_desc *d = design >= 0 ? pl_model_design(f->m, design) : NULL;
    dir[k] =
        d ? (pl_direction){d->ntarget, d->target} : (pl_direction){1, &damping[design == BETA]};
  }
  int nthread = f->w->threads ? pl_threads_size(f->w->threads) : 1;
  pl_status s = pl_directions_create(f->env, f->m, nthread, f->nvalue, dir, &f->directions);
  pl_free(f->env, dir);
  return s;
}

static void release(fitter *f) {
  for (int i = 0; i < f->nset; i++) {
    fit_set_free(f->env, &f->set[i]);
    if (f->orbit) pl_orbit_free(f->orbit[i]);
    if (f->trial) pl_orbit_free(f->trial[i]);
  }
  pl_directions_free(f->directions);
  pl_bordered_free(f->b);
  pl_hb_free(f->hb);
  pl_marquardt_free(f->env, &f->lm);
  void *all[] = {f->set, f->orbit, f->trial, f->dz,   f->keep_z, f->keep_phase,
                 f->r,   f->r_try, f->slope, f->unit, f->channel};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(f->env, all[k]);
}

static pl_status solve(fitter *f, int nparameter, const int *parameter, int ndata,
                       const pl_fit_data *data, int *found) {
  const pl_fit_damping_opts *o = f->o;
  PL_TRY(pl_opts_check(f->env, pl_fit_damping_option_table, pl_fit_damping_option_count, o));
  if (ndata < 1) return pl_fail(f->env, PL_E_INPUT, "fit: there are no data");
  PL_TRY(list_values(f, nparameter, parameter));
  PL_TRY(open_sets(f, ndata, data));
  PL_TRY(make_directions(f));
  PL_TRY(pl_hb_create(f->m, f->p, f->w, o->harmonics, o->samples, &f->hb));
  PL_TRY(pl_bordered_create(f->hb, &f->b));
  f->n = pl_hb_size(f->hb);
  PL_TRY(allocate(f));
  PL_TRY(begin(f));
  show(f, 0);
  *found = 1;
  pl_status s = iterate(f);
  if (s != PL_OK && s != PL_UNSOLVED) return s;
  show(f, 1);
  PL_TRY(normal_equations(f));
  measure_errors(f);
  return s;
}

pl_status pl_fit_damping(const pl_fit_damping_opts *o, const pl_model *m, const pl_params *p,
                         pl_work *w, int nparameter, const int *parameter, int ndata,
                         const pl_fit_data *data, const pl_keeper *keeper, pl_fit **out) {
  *out = NULL;
  double begun = pl_wall_time();
  pl_fit *fit = pl_alloc(w->env, 1, sizeof *fit);
  if (!fit) return PL_E_NOMEM;
  fit->env = w->env;
  fitter f = {.o = o, .m = m, .from = p, .w = w, .env = w->env, .fit = fit, .keeper = keeper};
  int found = 0;
  pl_status s = pl_params_copy(w->env, p, &f.p);
  if (s == PL_OK) s = solve(&f, nparameter, parameter, ndata, data, &found);
  int good = found && (s == PL_OK || s == PL_UNSOLVED);
  // dz/dp does not exist at a fold
  if (s == PL_SINGULAR || s == PL_DOMAIN) {
    pl_report(w->env, PL_WARNING, NULL, 0, 0, "start from other values",
              "fit: the motion is at a fold, where it does not depend smoothly on the values");
    s = PL_UNSOLVED;
  }
  release(&f);
  if (good)
    fit->params = f.p;
  else
    pl_params_free(f.p);
  fit->seconds = pl_wall_time() - begun;
  if (good)
    *out = fit;
  else
    pl_fit_free(fit);
  return s;
}

void pl_fit_free(pl_fit *f) {
  if (!f) return;
  pl_params_free(f->params);
  for (int i = 0; f->motion && i < f->ndata; i++) {
    pl_free(f->env, f->motion[i].before);
    pl_free(f->env, f->motion[i].after);
  }
  pl_free(f->env, f->motion);
  pl_free(f->env, f->value);
  pl_free(f->env, f);
}
