// Parameters from measured frequency responses: Levenberg-Marquardt on the differences, derivatives
// by adjoints, and the bands of linear least squares in the end. Every trial follows the response
// through its folds, so that each sample finds its motion anew.
#include "fit_response_impl.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#define OPT_STRUCT pl_fit_response_opts
const pl_option pl_fit_response_option_table[] = {PL_FIT_RESPONSE_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_fit_response_option_count =
    (int)(sizeof pl_fit_response_option_table / sizeof pl_fit_response_option_table[0]);
#undef OPT_STRUCT

enum { REJECTS = 30, PASSES = 6, NEAR_ITER = 6 };
static const double NEAR = 0.1, NEAR_JUMP = 0.3; // parts of the data, of a motion
static const double FAR = 0.3;     // difference as part of the data beyond which a start is far off
static const double MARGIN = 0.25; // of the data's range, on either side

// ---- response at given values -----------------------------------------------------------------

typedef struct motion_copy {
  fitter *f;
  int set, first; // number of its first sample
  int missing;
} motion_copy;

static pl_status copy_motion(void *ctx, int i, const pl_orbit *o) {
  motion_copy *t = ctx;
  fitter *f = t->f;
  size_t n = (size_t)f->d->n, at = (size_t)(t->first + i);
  if (!o) {
    t->missing++;
    return PL_UNSOLVED;
  }
  memcpy(f->z_try + at * n, o->z, n * sizeof *o->z);
  frf_value(f->d->m, f->d->p, o, &f->view[t->set], f->y_try + 2 * at);
  return PL_OK;
}

// keeps what is said about a response; errors go on to where they belong
typedef struct listener {
  hearing *to;
  void (*diag)(void *ctx, const pl_diag *d);
  void *ctx;
} listener;

static void keep_message(void *ctx, const pl_diag *d) {
  listener *l = ctx;
  if (d->level == PL_ERROR && l->diag) l->diag(l->ctx, d);
  if (d->level == PL_WARNING && l->to->n < HEARD) l->to->d[l->to->n++] = *d;
}

static pl_status respond(fitter *f, const pl_model *m, const pl_params *p, pl_work *w,
                         const pl_orbit *start, pl_curve **out) {
  pl_env *env = f->env;
  listener l = {&f->said_try, env->diag, env->diag_ctx};
  f->said_try.n = 0;
  env->diag = keep_message;
  env->diag_ctx = &l;
  pl_status st = pl_response(&f->follow, m, p, w, 0, NULL, start, out);
  env->diag = l.diag;
  env->diag_ctx = l.ctx;
  return st;
}

static pl_status follow(fitter *f, pl_curve **out) {
  pl_design *d = f->d;
  const pl_curve *near = f->curve;
  const pl_orbit *start = near && near->npoint ? near->point[0].orbit : NULL;
  pl_status st = respond(f, d->m, d->p, d->w, start, out);
  if (st == PL_UNSOLVED && (!*out || (*out)->npoint < 2) && start) {
    pl_curve_free(*out);
    st = respond(f, d->m, d->p, d->w, NULL, out);
  }
  return st == PL_UNSOLVED && *out && (*out)->npoint > 1 ? PL_OK : st;
}

// difference of a sample, or of logarithms: ln(computed / measured), its phase within half a turn
static void difference(const fitter *f, const pl_frf *s, int i, const double *y, double out[2]) {
  double im = s->kind == PL_FRF_COMPLEX ? s->im[i] : 0;
  out[0] = y[0] - s->re[i];
  out[1] = y[1] - im;
  if (!f->logs) return;
  double a = fmax(hypot(y[0], y[1]), DBL_MIN), b = fmax(hypot(s->re[i], im), DBL_MIN);
  out[0] = log(a / b);
  out[1] = remainder(atan2(y[1], y[0]) - atan2(im, s->re[i]), 2 * PL_PI);
}

static double residuals(const fitter *f, const double *y, double *r) {
  double cost = 0;
  for (int k = 0, at = 0; k < f->nset; k++) {
    const pl_frf *s = &f->set[k];
    for (int i = 0; i < s->n; i++, at++) {
      double off[2], w = f->logs ? 1 : f->weight[at];
      difference(f, s, i, y + 2 * at, off);
      *r++ = w * off[0];
      if (s->kind == PL_FRF_COMPLEX) *r++ = w * off[1];
    }
  }
  r -= f->nrow;
  for (int i = 0; i < f->nrow; i++) cost += r[i] * r[i];
  return cost;
}

// motions near those of x, without the response between them
static pl_status evaluate_near(fitter *f) {
  size_t n = (size_t)f->d->n;
  pl_orbit *o = f->solver.scratch[1];
  for (int k = 0, at = 0; k < f->nset; k++)
    for (int i = 0; i < f->set[k].n; i++, at++) {
      pl_periodic_info info = {0};
      const double *from = f->z + (size_t)at * n;
      memcpy(o->z, from, n * sizeof *from);
      o->omega = f->set[k].omega[i];
      PL_TRY(pl_hb_newton(f->solver.hb, f->solver.b, o, f->o->rtol, NEAR_ITER, &info));
      double far = 0;
      for (size_t j = 0; j < n; j++) far = fmax(far, fabs(o->z[j] - from[j]));
      if (far > NEAR_JUMP * swing_of(o)) return PL_UNSOLVED;
      motion_copy t = {.f = f, .set = k, .first = at - i};
      PL_TRY(copy_motion(&t, i, o));
    }
  return PL_OK;
}

pl_status fit_evaluate(fitter *f, const double *x, int near, double *cost) {
  f->fit->evaluations++;
  pl_curve_free(f->tried);
  f->tried = NULL;
  PL_TRY(variables_set(f->d, x));
  pl_status st = near ? evaluate_near(f) : PL_UNSOLVED;
  if (st < 0 || st == PL_CANCELLED) return st;
  if (st == PL_OK) {
    *cost = residuals(f, f->y_try, f->r_try);
    return isfinite(*cost) ? PL_OK : PL_DOMAIN;
  }
  PL_TRY(follow(f, &f->tried));
  for (int k = 0, first = 0; k < f->nset; first += f->set[k++].n) {
    motion_copy t = {.f = f, .set = k, .first = first};
    PL_TRY(frf_motions(&f->solver, f->tried, &f->view[k], copy_motion, &t));
  }
  *cost = residuals(f, f->y_try, f->r_try);
  return isfinite(*cost) ? PL_OK : PL_DOMAIN;
}

static void swap(double **a, double **b) {
  double *t = *a;
  *a = *b;
  *b = t;
}

void fit_accept(fitter *f, const double *x, double cost) {
  f->lm.cost = cost;
  memcpy(f->lm.x, x, (size_t)f->nvar * sizeof *x);
  swap(&f->z, &f->z_try);
  swap(&f->y, &f->y_try);
  swap(&f->r, &f->r_try);
  // without a new one the old serves as a start
  f->stale = !f->tried;
  if (f->stale) return;
  if (f->curve != f->fit->curve[0] && f->curve != f->fit->curve[1]) pl_curve_free(f->curve);
  f->curve = f->tried;
  f->tried = NULL;
  f->said = f->said_try;
}

// ---- derivatives ------------------------------------------------------------------------------

// row of J: d(row . Y)/dx at the motion of the site
static pl_status add_row(fitter *f, const frf_view *v, double weight, const double row[2], int at) {
  pl_design *d = f->d;
  solution *s = &d->solution[0];
  frf_gradient(d->m, d->p, s->orbit, v, row, f->gz);
  memset(f->grad, 0, (size_t)f->nvar * sizeof *f->grad);
  PL_TRY(solution_solve(d, s, 1, f->gz, d->f));
  PL_TRY(solution_adjoint(d, s, d->f, f->grad));
  for (int k = 0; k < f->nvar; k++) f->lm.J[(size_t)k * (size_t)f->nrow + at] = weight * f->grad[k];
  return PL_OK;
}

pl_status fit_differentiate(fitter *f) {
  pl_design *d = f->d;
  solution *s = &d->solution[0];
  int at = 0, row = 0;
  PL_TRY(variables_set(d, f->lm.x));
  for (int k = 0; k < f->nset; k++)
    for (int i = 0; i < f->set[k].n; i++, at++) {
      memcpy(s->orbit->z, f->z + (size_t)at * (size_t)d->n, (size_t)d->n * sizeof(double));
      s->orbit->omega = f->set[k].omega[i];
      s->linear = 0;
      PL_TRY(solution_linearise(d, s));
      // d ln Y = dY / Y
      const double *y = f->y + 2 * (size_t)at, y2 = fmax(y[0] * y[0] + y[1] * y[1], DBL_MIN);
      double rows[2][2] = {{1, 0}, {0, 1}}, weight = f->logs ? 1 : f->weight[at];
      if (f->logs) {
        rows[0][0] = rows[1][1] = y[0] / y2;
        rows[0][1] = y[1] / y2;
        rows[1][0] = -y[1] / y2;
      }
      if (f->logs && frf_width(&f->set[k]) == 1) weight = rows[0][0];
      for (int w = 0; w < frf_width(&f->set[k]); w++)
        PL_TRY(add_row(f, &f->view[k], weight, rows[w], row++));
    }
  return pl_all_finite(f->nvar * f->nrow, f->lm.J) ? PL_OK : PL_SINGULAR;
}

// ---- one step ---------------------------------------------------------------------------------

static pl_status progress(const fitter *f) {
  char text[96];
  snprintf(text, sizeof text, "step %d, difference %.4g of the data", f->fit->iterations,
           f->data > 0 ? sqrt(f->lm.cost / f->data) : 0);
  return pl_report_progress(f->env, "fit", -1, text);
}

static pl_status attempt(void *ctx, double size, double *cost) {
  fitter *f = ctx;
  PL_TRY(progress(f));
  pl_status st = fit_evaluate(f, f->lm.to, size <= NEAR * sqrt(f->data), cost);
  if (st < 0 || st == PL_CANCELLED) return st;
  if (st != PL_OK) *cost = INFINITY;
  return PL_OK;
}

static void accept_step(void *ctx) {
  fitter *f = ctx;
  fit_accept(f, f->lm.to, f->lm.cost);
}

static const pl_marquardt_calls calls = {attempt, accept_step, NULL};

// the whole response at x: do samples still find the motions that were followed? *moved: no
static pl_status look_again(fitter *f, int *displaced) {
  double cost;
  *displaced = 0;
  if (!f->stale) return PL_OK;
  memcpy(f->lm.to, f->lm.x, (size_t)f->nvar * sizeof *f->lm.x);
  pl_status st = fit_evaluate(f, f->lm.to, 0, &cost);
  if (st != PL_OK) return st == PL_UNSOLVED || st == PL_DOMAIN ? PL_OK : st;
  *displaced = cost < (1 - 1e-6) * f->lm.cost;
  fit_accept(f, f->lm.to, cost);
  return PL_OK;
}

// ---- steps as others see them -----------------------------------------------------------------

// part of the samples that is missed, mean of all sets; *at: the sample that moves most
static double misfit(const fitter *f, int *at, double *omega) {
  double sum = 0, most = -1;
  for (int k = 0, i0 = 0; k < f->nset; i0 += f->set[k++].n) {
    const pl_frf *s = &f->set[k];
    double off = 0, size = 0;
    for (int i = 0; i < s->n; i++) {
      const double *y = f->y + 2 * (size_t)(i0 + i);
      int both = s->kind == PL_FRF_COMPLEX;
      double im = both ? s->im[i] : 0;
      off += pow(y[0] - s->re[i], 2) + (both ? pow(y[1] - im, 2) : 0);
      size += s->re[i] * s->re[i] + im * im;
      if (k > 0 || hypot(s->re[i], im) <= most) continue;
      most = hypot(s->re[i], im);
      *at = i;
      *omega = s->omega[i];
    }
    sum += size > 0 ? off / size : 0;
  }
  return sqrt(sum / f->nset);
}

static pl_status tell_step(const fitter *f) {
  int at = 0;
  double omega = 0, off = misfit(f, &at, &omega);
  if (!f->keeper || !f->keeper->tell) return PL_OK;
  const pl_orbit *like = f->d->solution[0].orbit;
  const char **name = pl_alloc(f->env, (size_t)f->nvar, sizeof *name);
  pl_orbit *o = NULL;
  pl_status st = name ? pl_orbit_copy(like, like->nharm, &o) : PL_E_NOMEM;
  if (st == PL_OK) {
    for (int k = 0; k < f->nvar; k++) name[k] = f->fit->value[k].name;
    memcpy(o->z, f->z + (size_t)at * (size_t)f->d->n, (size_t)f->d->n * sizeof *o->z);
    o->omega = omega;
    st = f->keeper->tell(f->keeper->ctx, &(pl_fit_step){.iteration = f->fit->iterations,
                                                        .misfit = off,
                                                        .n = f->nvar,
                                                        .name = name,
                                                        .x = f->lm.x,
                                                        .norbit = 1,
                                                        .orbit = (const pl_orbit *const *)&o,
                                                        .params = f->d->p});
  }
  pl_orbit_free(o);
  pl_free(f->env, name);
  return st;
}

// ---- steps ------------------------------------------------------------------------------------

pl_status fit_iterate(fitter *f, int most) {
  fit_way *at = &f->at;
  int done = 0;
  if (!f->resumed) {
    f->lm.lambda = 1e-3;
    at->steps = 0;
  }
  f->resumed = 0;
  if (f->fit->iterations == 0) PL_TRY(tell_step(f));
  while (!done && at->steps < most) {
    at->steps++;
    pl_marquardt_normal(&f->lm, f->r);
    f->fit->iterations++;
    PL_TRY(pl_marquardt_step(&f->lm, &calls, f, f->o->xtol * sqrt(f->data), &done));
    PL_TRY(fit_differentiate(f));
    if (!done) PL_TRY(fit_keep(f));
    PL_TRY(tell_step(f));
  }
  pl_marquardt_normal(&f->lm, f->r);
  f->fit->reason = done ? PL_STOP_CONVERGED : PL_STOP_MAX_ITER;
  return done ? PL_OK : PL_UNSOLVED;
}

// ---- weights ----------------------------------------------------------------------------------

static double amplitude_of(const pl_frf *s, int i) {
  return s->kind == PL_FRF_COMPLEX ? hypot(s->re[i], s->im[i]) : fabs(s->re[i]);
}

// numbers of a set less those that the fit used up
static double left_of(const fitter *f, int k) {
  double rows = (double)f->set[k].n * frf_width(&f->set[k]);
  return rows - f->used[k] > 1e-6 * rows ? rows - f->used[k] : rows;
}

// first: by the samples themselves; then by what is computed, which has no noise, and sets by their
// own scatter
static void set_weights(fitter *f, int first) {
  int at = 0;
  if (!first) fit_used(f);
  f->data = 0;
  for (int k = 0; k < f->nset; k++) {
    const pl_frf *s = &f->set[k];
    double most = 0, sum = 0;
    for (int i = 0; i < s->n; i++) most = fmax(most, amplitude_of(s, i));
    for (int i = 0; i < s->n; i++) {
      double *y = f->y + 2 * (size_t)(at + i),
             size = first ? amplitude_of(s, i) : hypot(y[0], y[1]);
      f->weight[at + i] = s->relative ? 1 / fmax(size, 1e-3 * most) : 1 / most;
      double im = s->kind == PL_FRF_COMPLEX ? y[1] - s->im[i] : 0;
      sum += pow(f->weight[at + i], 2) * (pow(y[0] - s->re[i], 2) + im * im);
    }
    double noise = sqrt(sum / left_of(f, k));
    for (int i = 0; i < s->n; i++) {
      // a set without any scatter counts like one that has a millionth of it
      if (!first && f->nset > 1) f->weight[at + i] /= fmax(noise, 1e-6);
      f->data += pow(f->weight[at + i] * amplitude_of(s, i), 2);
    }
    at += s->n;
  }
  f->lm.cost = first ? 0 : residuals(f, f->y, f->r);
}

static int needs_passes(const fitter *f) {
  int need = f->nset > 1;
  for (int k = 0; k < f->nset; k++) need |= f->set[k].relative;
  return need;
}

// A resonance that is narrower than its distance from the measured one does not feel it; lines of
// stiffness and mass on a logarithmic scale do. A few steps on those come first where the start is
// far off.
static pl_status come_near(fitter *f) {
  double cost;
  pl_status st = PL_OK;
  if (!f->resumed) {
    f->at.first = f->lm.cost;
    memcpy(f->from, f->lm.x, (size_t)f->nvar * sizeof *f->lm.x);
    f->logs = 1;
    f->lm.cost = residuals(f, f->y, f->r);
    st = fit_differentiate(f);
  }
  if (st == PL_OK) st = fit_iterate(f, f->o->max_iter / 2);
  f->logs = 0;
  f->lm.cost = residuals(f, f->y, f->r);
  if (st == PL_UNSOLVED || st == PL_SINGULAR) st = PL_OK;
  if (st == PL_OK && f->lm.cost > f->at.first) {
    st = fit_evaluate(f, f->from, 0, &cost);
    if (st == PL_OK) fit_accept(f, f->from, cost);
  }
  return st == PL_OK ? fit_differentiate(f) : st;
}

// the fit with its weights; where those depend on the result, until it stays
static pl_status fit_weighted(fitter *f) {
  pl_status st = PL_OK;
  for (int most = needs_passes(f) ? PASSES : 1; st == PL_OK && f->at.pass < most; f->at.pass++) {
    double displaced = f->at.pass > 0 ? 0 : INFINITY;
    if (f->at.pass > 0 && !f->resumed) {
      memcpy(f->from, f->lm.x, (size_t)f->nvar * sizeof *f->lm.x);
      set_weights(f, 0);
      st = fit_differentiate(f);
    }
    if (st == PL_OK) st = fit_iterate(f, f->o->max_iter);
    for (int k = 0; k < f->nvar; k++)
      displaced = fmax(displaced, fabs(f->lm.x[k] - f->from[k]) * f->lm.size[k]);
    // small beside the standard errors
    if (displaced <= 0.01 * sqrt(f->lm.cost / fmax(1, f->nrow - f->nvar))) break;
  }
  return st;
}

// all of it, until samples find the motions that were followed on the whole response, too
static pl_status fit_all(fitter *f) {
  fit_way *at = &f->at;
  if (at->stage == 0 && (f->resumed || f->lm.cost > FAR * FAR * f->data)) PL_TRY(come_near(f));
  at->stage = 1;
  pl_status st = PL_OK;
  for (int displaced = 1; displaced && at->tries < PASSES; at->tries++) {
    st = fit_weighted(f);
    if (st < 0 || st == PL_CANCELLED) return st;
    at->pass = 0;
    PL_TRY(look_again(f, &displaced));
    PL_TRY(fit_differentiate(f));
    pl_marquardt_normal(&f->lm, f->r);
  }
  return st;
}

// ---- results ----------------------------------------------------------------------------------

static pl_status keep_matches(fitter *f, pl_frf_match **out) {
  for (int k = 0, at = 0; k < f->nset; at += f->set[k++].n) {
    PL_TRY(frf_match_create(f->env, f->set[k].n, &out[k]));
    for (int i = 0; i < f->set[k].n; i++) {
      out[k]->re[i] = f->y[2 * (at + i)];
      out[k]->im[i] = f->y[2 * (at + i) + 1];
    }
    frf_sum_up(&f->set[k], out[k]);
  }
  return PL_OK;
}

// scatter of a sample in every set, the values fitted counted
static void measure_noise(fitter *f) {
  for (int k = 0, at = 0; k < f->nset; at += f->set[k++].n) {
    const pl_frf *s = &f->set[k];
    double sum = 0;
    for (int i = 0; i < s->n; i++) {
      const double *y = f->y + 2 * (size_t)(at + i);
      double im = s->kind == PL_FRF_COMPLEX ? y[1] - s->im[i] : 0;
      double size = s->relative ? fmax(hypot(y[0], y[1]), DBL_MIN) : 1;
      sum += (pow(y[0] - s->re[i], 2) + im * im) / (size * size);
    }
    f->fit->noise[k] = sqrt(sum / left_of(f, k));
  }
}

// ---- set up -----------------------------------------------------------------------------------

static pl_status check_set(pl_env *env, const pl_model *m, const pl_frf *s) {
  const char *name = s->name ? s->name : "data";
  if (s->n < 1) return pl_fail(env, PL_E_INPUT, "%s: there are no samples", name);
  for (int i = 0; i < s->n; i++)
    if (!(s->omega[i] > 0) || !isfinite(s->omega[i]) || !isfinite(s->re[i]) ||
        (s->kind == PL_FRF_COMPLEX && !isfinite(s->im[i])))
      return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "leave out samples that were not measured",
                        "%s: sample %d is not a number, or its frequency is not above 0", name,
                        i + 1);
  if (s->node < 0 || s->node >= pl_model_nnode(m) || s->axis < 0 || s->axis >= pl_model_dim(m))
    return pl_fail(env, PL_E_ARG, "%s: there is no such node", name);
  if (pl_model_free_index(m)[s->node * pl_model_dim(m) + s->axis] < 0)
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "choose a node that is free to move",
                      "%s: the measured node is fixed or driven along this axis", name);
  if (s->kind == PL_FRF_MAX && s->order > 0)
    return pl_fail(env, PL_E_INPUT, "%s: largest values are those of displacements", name);
  return PL_OK;
}

static pl_status choose_range(fitter *f) {
  double lo = INFINITY, hi = 0;
  for (int k = 0; k < f->nset; k++) {
    PL_TRY(check_set(f->env, f->solver.m, &f->set[k]));
    for (int i = 0; i < f->set[k].n; i++) {
      lo = fmin(lo, f->set[k].omega[i]);
      hi = fmax(hi, f->set[k].omega[i]);
    }
    f->npoint += f->set[k].n;
    f->nrow += f->set[k].n * frf_width(&f->set[k]);
  }
  double wide = fmax(hi - lo, 1e-3 * hi);
  pl_opts_default(pl_response_option_table, pl_response_option_count, &f->follow);
  f->follow.from = f->o->from > 0 ? f->o->from : fmax(lo - MARGIN * wide, 0.5 * lo);
  f->follow.to = f->o->to > 0 ? f->o->to : hi + MARGIN * wide;
  if (f->follow.from > lo || f->follow.to < hi)
    return pl_fail_at(f->env, PL_E_INPUT, NULL, 0, 0, "leave out from and to",
                      "fit: the data lie outside of the range from..to");
  f->follow.samples = f->o->samples;
  f->follow.adapt = f->o->adapt;
  f->follow.max_harmonics = f->o->max_harmonics;
  f->follow.rtol = f->o->rtol;
  f->follow.step = f->follow.max_step = f->o->max_step;
  f->follow.stability = 0;
  return PL_OK;
}

// harmonics that the first response needs
static pl_status choose_harmonics(fitter *f, const pl_model *m, const pl_params *p, pl_work *w) {
  pl_curve *c = NULL;
  int H = f->o->harmonics;
  for (int k = 0; k < f->nset; k++)
    if (H > 0 && H < f->set[k].harmonic)
      return pl_fail(f->env, PL_E_INPUT, "%s: harmonic %d is measured, but the motions have %d",
                     f->set[k].name ? f->set[k].name : "data", f->set[k].harmonic, H);
  int kept;
  PL_TRY(fit_kept_harmonics(f, &kept));
  if (kept > 0) H = kept;
  if (H == 0) {
    pl_status st = respond(f, m, p, w, NULL, &c);
    for (int i = 0; c && i < c->npoint; i++)
      if (c->point[i].orbit->nharm > H) H = c->point[i].orbit->nharm;
    for (int k = 0; k < f->nset; k++)
      if (H < f->set[k].harmonic) H = f->set[k].harmonic;
    int any = c && c->npoint > 1;
    pl_curve_free(c);
    if (st < 0 || st == PL_CANCELLED || !any) return st;
  }
  f->follow.harmonics = f->fit->harmonics = H;
  return PL_OK;
}

static pl_status open_design(fitter *f, const pl_model *m, const pl_params *p, pl_work *w,
                             int nvariable, const pl_variable *list) {
  pl_optimise_opts o;
  pl_opts_default(pl_optimise_option_table, pl_optimise_option_count, &o);
  o.harmonics = f->follow.harmonics;
  o.samples = f->o->samples;
  o.rtol = f->o->rtol;
  pl_operating point = {.omega = f->follow.from};
  pl_design_problem problem = {
      .nvariable = nvariable, .variable = list, .npoint = 1, .point = &point};
  PL_TRY(pl_design_open(&o, m, p, w, &problem, &f->d));
  f->nvar = f->d->nvar;
  return frf_solver_open(&f->solver, f->env, m, p, f->d->solution[0].hb, f->d->solution[0].b,
                         f->o->rtol);
}

static pl_status allocate(fitter *f) {
  pl_response_fit *fit = f->fit;
  size_t nv = (size_t)f->nvar, ns = (size_t)f->nset, np = (size_t)f->npoint, n = (size_t)f->d->n;
  struct {
    double **p;
    size_t n;
  } all[] = {{&f->z, np * n},
             {&f->z_try, np * n},
             {&f->y, 2 * np},
             {&f->y_try, 2 * np},
             {&f->r, (size_t)f->nrow},
             {&f->r_try, (size_t)f->nrow},
             {&f->weight, np},
             {&f->used, ns},
             {&f->gz, n},
             {&f->grad, nv},
             {&f->from, nv},
             {&fit->noise, ns},
             {&fit->correlation, nv * nv}};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    *all[k].p = pl_alloc(f->env, all[k].n, sizeof(double));
    if (!*all[k].p) return PL_E_NOMEM;
  }
  f->view = pl_alloc(f->env, ns, sizeof *f->view);
  fit->value = pl_alloc(f->env, nv, sizeof *fit->value);
  fit->before = pl_alloc(f->env, ns, sizeof *fit->before);
  fit->after = pl_alloc(f->env, ns, sizeof *fit->after);
  fit->nvalue = f->nvar;
  fit->nset = f->nset;
  if (!f->view || !fit->value || !fit->before || !fit->after) return PL_E_NOMEM;
  PL_TRY(pl_marquardt_create(f->env, f->nvar, f->nrow, &f->lm));
  f->lm.halving = 1;
  return PL_OK;
}

static void list_values(fitter *f) {
  for (int k = 0; k < f->nvar; k++) {
    const variable *v = &f->d->var[k];
    pl_fit_band *b = &f->fit->value[k];
    *b = (pl_fit_band){.unit = v->unit, .before = v->x0, .min = v->lo, .max = v->hi};
    snprintf(b->name, sizeof b->name, "%.63s", v->name);
    f->lm.x[k] = f->d->x[k];
    f->lm.lo[k] = v->lo;
    f->lm.hi[k] = v->hi;
    f->lm.first[k] = v->x0;
  }
}

// the excitation that data are referred to must not follow the values that are fitted
static pl_status open_views(fitter *f) {
  pl_design *d = f->d;
  pl_status st = PL_OK;
  for (int k = 0; k < f->nset; k++) PL_TRY(frf_look(f->env, d->m, d->p, &f->set[k], &f->view[k]));
  for (int i = 0; st == PL_OK && i < f->nvar; i++) {
    memcpy(f->lm.to, f->lm.x, (size_t)f->nvar * sizeof *f->lm.x);
    f->lm.to[i] += f->lm.x[i] != 0 ? 1e-3 * f->lm.x[i] : 1e-3 * d->var[i].scale;
    st = variables_set(d, f->lm.to);
    for (int k = 0; st == PL_OK && k < f->nset; k++) {
      frf_view v;
      st = frf_look(f->env, d->m, d->p, &f->set[k], &v);
      if (fabs(v.size / f->view[k].size - 1) + fabs(v.angle - f->view[k].angle) > 1e-9)
        st = pl_fail_at(f->env, PL_E_INPUT, NULL, 0, 0,
                        "leave it out of the fit, or give amplitudes that are not divided by it",
                        "fit: '%s' changes the excitation to which the data are referred",
                        d->var[i].name);
    }
    if (st == PL_DOMAIN) st = PL_OK;
  }
  pl_status back = variables_set(d, f->lm.x);
  return st == PL_OK ? back : st;
}

static pl_status begin(fitter *f) {
  double cost;
  list_values(f);
  PL_TRY(open_views(f));
  // the first weights ask for samples only
  set_weights(f, 1);
  pl_status st = fit_evaluate(f, f->lm.x, 0, &cost);
  if (st == PL_UNSOLVED || st == PL_DOMAIN) {
    pl_report(f->env, PL_WARNING, NULL, 0, 0,
              "start from other values, e.g. with more damping, or widen from..to",
              "fit: with the values given there is no steady motion at some of the frequencies");
    return PL_UNSOLVED;
  }
  PL_TRY(st);
  fit_accept(f, f->lm.x, cost);
  set_weights(f, 1);
  f->lm.cost = residuals(f, f->y, f->r);
  PL_TRY(keep_matches(f, f->fit->before));
  f->fit->curve[0] = f->curve;
  PL_TRY(fit_differentiate(f));
  pl_marquardt_normal(&f->lm, f->r);
  for (int k = 0; k < f->nvar; k++)
    if (!(f->lm.size[k] * fmax(fabs(f->lm.x[k]), 1e-300) > 1e-12 * sqrt(f->data)) &&
        f->lm.x[k] != 0)
      return pl_fail_at(f->env, PL_E_INPUT, NULL, 0, 0, "leave it out of the fit",
                        "fit: '%s' has no influence on what was measured", f->d->var[k].name);
  return PL_OK;
}

static pl_status go_on(fitter *f) {
  PL_TRY(fit_resume(f));
  f->lm.cost = residuals(f, f->y, f->r);
  return fit_differentiate(f);
}

static void release(fitter *f) {
  pl_marquardt_free(f->env, &f->lm);
  void *all[] = {f->z,      f->z_try, f->y,  f->y_try, f->r,    f->r_try,
                 f->weight, f->used,  f->gz, f->grad,  f->from, f->view};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(f->env, all[k]);
  frf_solver_close(&f->solver);
  if (f->curve != f->fit->curve[0] && f->curve != f->fit->curve[1]) pl_curve_free(f->curve);
  pl_curve_free(f->tried);
  pl_design_free(f->d);
}

static pl_status finish(fitter *f) {
  for (int i = 0; i < f->said.n && f->env->diag; i++) f->env->diag(f->env->diag_ctx, &f->said.d[i]);
  f->fit->curve[1] = f->curve;
  PL_TRY(keep_matches(f, f->fit->after));
  f->fit->size = f->fit->after[0]->size;
  f->fit->misfit[0] = f->fit->before[0]->error;
  f->fit->misfit[1] = f->fit->after[0]->error;
  fit_used(f);
  measure_noise(f);
  return fit_bands(f);
}

static pl_status solve(fitter *f, const pl_model *m, const pl_params *p, pl_work *w, int nvariable,
                       const pl_variable *list) {
  PL_TRY(pl_opts_check(f->env, pl_fit_response_option_table, pl_fit_response_option_count, f->o));
  if (f->nset < 1) return pl_fail(f->env, PL_E_INPUT, "fit: there are no data");
  f->solver.m = m;
  f->fit->level = f->o->level;
  PL_TRY(choose_range(f));
  PL_TRY(choose_harmonics(f, m, p, w));
  PL_TRY(open_design(f, m, p, w, nvariable, list));
  PL_TRY(allocate(f));
  PL_TRY(begin(f));
  if (f->keeper && f->keeper->from) PL_TRY(go_on(f));
  pl_status st = fit_all(f);
  if (st != PL_OK && st != PL_UNSOLVED) return st;
  PL_TRY(finish(f));
  return st;
}

pl_status pl_fit_response(const pl_fit_response_opts *o, const pl_model *m, const pl_params *p,
                          pl_work *w, int nvariable, const pl_variable *list, int nset,
                          const pl_frf *set, const pl_keeper *keeper, pl_response_fit **out) {
  *out = NULL;
  double begun = pl_wall_time();
  pl_response_fit *fit = pl_alloc(w->env, 1, sizeof *fit);
  if (!fit) return PL_E_NOMEM;
  fit->env = w->env;
  fitter f = {.o = o, .env = w->env, .fit = fit, .nset = nset, .set = set, .keeper = keeper};
  pl_status st = solve(&f, m, p, w, nvariable, list), back = PL_OK;
  int good = fit->curve[1] && (st == PL_OK || st == PL_UNSOLVED);
  if (st == PL_SINGULAR || st == PL_DOMAIN) st = PL_UNSOLVED;
  if (good) back = variables_set(f.d, f.lm.x);
  if (good) fit->params = f.d->p;
  if (good) f.d->p = NULL;
  release(&f);
  fit->seconds = pl_wall_time() - begun;
  if (good && back >= 0)
    *out = fit;
  else
    pl_response_fit_free(fit);
  return back < 0 ? back : st;
}

void pl_response_fit_free(pl_response_fit *f) {
  if (!f) return;
  for (int k = 0; k < f->nset; k++) {
    if (f->before) pl_frf_match_free(f->before[k]);
    if (f->after) pl_frf_match_free(f->after[k]);
  }
  if (f->curve[1] != f->curve[0]) pl_curve_free(f->curve[1]);
  pl_curve_free(f->curve[0]);
  pl_params_free(f->params);
  void *all[] = {f->value, f->correlation, f->before, f->after, f->noise};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(f->env, all[k]);
  pl_free(f->env, f);
}
