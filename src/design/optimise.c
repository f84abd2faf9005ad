// L-BFGS-B on the design, or Gauss-Newton steps where all objectives are targets (gauss.c).
// Variables are scaled, motions are followed from the last design; where they are lost, the line
// search is told of a parabola whose minimum lies nearer: it steps back.
#include "run_impl.h"

#include <stdio.h>
#include <string.h>

static const double FAR = 1e4; // scaled bound of a variable that has none

const char *pl_design_stop_text(pl_design_stop s) {
  static const char *const text[] = {
      "the gradient is zero: a local optimum",
      "the value hardly falls any more",
      "the goal is reached",
      "the iterations are used up",
      "the evaluations are used up",
      "no shorter step lowers the value",
      "cancelled",
  };
  return text[s];
}

// ---- designs that are put aside ---------------------------------------------------------------

static void design_store(const pl_design *d, double *x, double *z, double *omega) {
  size_t n = (size_t)d->n;
  memcpy(x, d->base, (size_t)d->nvar * sizeof *x);
  for (int i = 0; i < d->nsolution; i++) {
    memcpy(z + (size_t)i * n, d->solution[i].base, n * sizeof *z);
    omega[i] = d->solution[i].base_omega;
  }
}

static pl_status design_recall(pl_design *d, const double *x, const double *z,
                               const double *omega) {
  size_t n = (size_t)d->n;
  memcpy(d->base, x, (size_t)d->nvar * sizeof *x);
  for (int i = 0; i < d->nsolution; i++) {
    memcpy(d->solution[i].base, z + (size_t)i * n, n * sizeof *z);
    d->solution[i].base_omega = omega[i];
    d->solution[i].have_ray = 0;
  }
  return solutions_restore(d);
}

// ---- one evaluation ---------------------------------------------------------------------------

static void scale_gradient(const pl_design *d, const double *grad, double *g) {
  for (int k = 0; k < d->nvar; k++) g[k] = grad[k] * scaled_slope(&d->var[k], d->x[k]);
}

int run_lost(pl_status st) {
  return st == PL_UNSOLVED || st == PL_DOMAIN || st == PL_SINGULAR;
}

// The parabola along the search that has the slope of the kept design there and its minimum at
// part `to` of the step: the next trial.
static void report_lost(run *t, double to) {
  const pl_design *d = t->d;
  double slope = 0;
  to = fmin(fmax(to, 0.05), 0.5);
  for (int k = 0; k < d->nvar; k++)
    slope += t->factor * t->g[k] * (t->b.x[k] - to_scaled(&d->var[k], d->base[k]));
  t->fake = 1;
  t->b.f = t->factor * t->value + slope * (1 - 0.5 / to) + 1e-12 * fabs(slope);
  for (int k = 0; k < d->nvar; k++) t->b.g[k] = (1 - 1 / to) * t->factor * t->g[k];
}

// 1: the values wanted are those kept, whose value and gradient are known
static int is_kept(const run *t) {
  const pl_design *d = t->d;
  for (int k = 0; k < d->nvar; k++) {
    double u = to_scaled(&d->var[k], d->base[k]);
    if (fabs(t->b.x[k] - u) > 1e-14 * (1 + fabs(u))) return 0;
  }
  return 1;
}

static void report_kept(run *t) {
  t->b.f = t->factor * t->value;
  for (int k = 0; k < t->d->nvar; k++) t->b.g[k] = t->factor * t->g[k];
}

pl_status run_try(run *t, const double *u, double *value, double *grad) {
  pl_design *d = t->d;
  for (int k = 0; k < d->nvar; k++) t->x[k] = from_scaled(&d->var[k], u[k]);
  int newton = d->newton;
  d->lost = 0.5;
  pl_status st = solutions_move(d, t->x, 0);
  if (st == PL_OK) st = design_value(d, -1, value, grad);
  // a step that is too long by prediction is not an evaluation
  int tried = st == PL_OK || d->newton > newton;
  t->r->evaluations += tried;
  if (run_lost(st)) t->r->failures += tried;
  return st;
}

static pl_status evaluate(run *t) {
  pl_design *d = t->d;
  double value = 0;
  t->fake = 0;
  if (is_kept(t)) {
    report_kept(t);
    return PL_OK;
  }
  pl_status st = run_try(t, t->b.x, &value, t->grad);
  if (run_lost(st)) {
    report_lost(t, d->lost);
    return PL_OK;
  }
  PL_TRY(st);
  t->b.f = t->factor * value;
  scale_gradient(d, t->grad, t->b.g);
  for (int k = 0; k < d->nvar; k++) t->b.g[k] *= t->factor;
  return PL_OK;
}

// ---- iterations -------------------------------------------------------------------------------

// largest entry of the gradient in scaled variables, as far as bounds let it act
static double projected(const run *t) {
  const pl_design *d = t->d;
  double most = 0;
  for (int k = 0; k < d->nvar; k++) {
    double u = t->b.x[k], to = fmin(fmax(u - t->g[k], t->b.l[k]), t->b.u[k]);
    most = fmax(most, fabs(to - u));
  }
  return most;
}

static pl_status record(run *t, double step) {
  pl_design *d = t->d;
  pl_design_result *r = t->r;
  PL_TRY(state_grow(t));
  r->newton = d->newton;
  r->factorisations = solutions_factorisations(d);
  r->regularised = d->regularised;
  r->step[r->nstep] = (pl_design_step){.value = t->value,
                                       .gradient = projected(t),
                                       .step = step,
                                       .evaluations = r->evaluations,
                                       .failures = r->failures,
                                       .newton = r->newton,
                                       .factorisations = r->factorisations,
                                       .seconds = pl_wall_time() - t->begun};
  memcpy(r->path + (size_t)r->nstep * (size_t)d->nvar, d->base, (size_t)d->nvar * sizeof(double));
  r->nstep++;
  r->value = t->value;
  return PL_OK;
}

// sets the optimiser up at the kept design, whose value and gradient are known
static void restart(run *t) {
  pl_design *d = t->d;
  for (int k = 0; k < d->nvar; k++) {
    const variable *v = &d->var[k];
    double u = to_scaled(v, d->base[k]), lo = isfinite(v->lo) ? to_scaled(v, v->lo) : -INFINITY,
           hi = isfinite(v->hi) ? to_scaled(v, v->hi) : INFINITY;
    t->b.l[k] = fmax(lo, u - FAR);
    t->b.u[k] = fmin(hi, u + FAR);
    t->b.x[k] = fmin(fmax(u, t->b.l[k]), t->b.u[k]);
    t->b.nbd[k] = 2;
  }
  t->factor = 1;
  t->trust = d->o.first_step > 0 ? d->o.first_step : 1;
  if (d->squares) return;
  double size = pl_max_abs(d->nvar, t->g);
  t->factor = d->o.first_step > 0 && size > 0 ? d->o.first_step / size : 1;
  // every restart is more careful
  for (int k = 0; k < t->restart; k++) t->factor *= 0.1;
  lbfgsb_start(&t->b);
}

// value and gradient of the kept design, where the motions are
static pl_status begin(run *t) {
  pl_design *d = t->d;
  double value;
  pl_status st = design_value(d, -1, &value, d->squares ? NULL : t->grad);
  if (st == PL_OK && d->squares) st = gauss_linearise(t, t->grad);
  t->r->evaluations++;
  if (run_lost(st) && t->start == 0)
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "check targets and weights of the objectives",
                      "design: %s of the weighted sum of all objectives is not finite at the start",
                      st == PL_DOMAIN ? "the value" : "the gradient");
  if (run_lost(st)) return PL_UNSOLVED;
  PL_TRY(st);
  t->value = value;
  t->slow = t->restart = 0;
  scale_gradient(d, t->grad, t->g);
  restart(t);
  return record(t, 0);
}

pl_status run_accept(run *t) {
  pl_design *d = t->d;
  double step = 0, before = t->value;
  for (int k = 0; k < d->nvar; k++)
    step = fmax(step, fabs(t->b.x[k] - to_scaled(&d->var[k], d->base[k])));
  t->value = t->b.f / t->factor;
  for (int k = 0; k < d->nvar; k++) t->g[k] = t->b.g[k] / t->factor;
  solutions_keep(d);
  t->restart = 0;
  t->slow = before - t->value <= d->o.ftol * fabs(before) ? t->slow + 1 : 0;
  return record(t, step);
}

int run_finished(run *t) {
  const pl_optimise_opts *o = &t->d->o;
  const pl_design_result *r = t->r;
  int iterations = 0;
  // steps since this start
  for (int i = r->nstep - 1; i > 0 && r->step[i].step > 0; i--) iterations++;
  pl_design_stop why = PL_DESIGN_STUCK;
  int stop = 1;
  if (r->step[r->nstep - 1].gradient <= o->gtol)
    why = PL_DESIGN_GRADIENT;
  else if (t->value <= o->goal || fabs(t->value) <= 1e-14 * fabs(r->value_before))
    why = PL_DESIGN_GOAL;
  else if (t->slow >= 3)
    why = PL_DESIGN_VALUE;
  else if (iterations >= o->max_iter)
    why = PL_DESIGN_MAX_ITER;
  else if (r->evaluations >= o->max_eval)
    why = PL_DESIGN_MAX_EVAL;
  else
    stop = 0;
  if (stop) t->r->reason = why;
  return stop;
}

static pl_status progress(const run *t) {
  char text[160];
  const pl_design_result *r = t->r;
  int i = r->nstep - 1;
  snprintf(text, sizeof text, "iteration %d, value %.6g, gradient %.2e, %d %s", i, t->value,
           r->step[i].gradient, r->evaluations,
           pl_plural(r->evaluations, "evaluation", "evaluations"));
  return pl_report_progress(t->d->env, "design", fmin(1, (double)i / fmax(1, t->d->o.max_iter)),
                            text);
}

pl_status run_show(run *t, pl_design_observe_fn observe, void *ctx) {
  PL_TRY(progress(t));
  if (!observe) return PL_OK;
  pl_design_state *s;
  PL_TRY(state_save(t, &s));
  t->r->seconds = pl_wall_time() - t->begun;
  int stop = observe(ctx, t->r, s);
  pl_design_state_free(s);
  return stop ? PL_CANCELLED : PL_OK;
}

// L-BFGS-B gave up, or ended on a step that was lost: once more from the kept design without memory
static pl_status give_up(run *t, int *done) {
  PL_TRY(solutions_restore(t->d));
  if (++t->restart > 2) {
    t->r->reason = PL_DESIGN_STUCK;
    *done = 1;
    return PL_OK;
  }
  restart(t);
  return solutions_linearise(t->d);
}

static pl_status iterate(run *t, pl_design_observe_fn observe, void *ctx) {
  int done = run_finished(t);
  while (!done) {
    lbfgsb_want want = lbfgsb_next(&t->b);
    if (want == LBFGSB_EVALUATE) {
      if (t->r->evaluations >= t->d->o.max_eval) {
        t->r->reason = PL_DESIGN_MAX_EVAL;
        break;
      }
      PL_TRY(evaluate(t));
    } else if (want == LBFGSB_ITERATED && !t->fake) {
      PL_TRY(run_accept(t));
      done = run_finished(t);
      PL_TRY(run_show(t, observe, ctx));
    } else {
      PL_TRY(give_up(t, &done));
    }
  }
  return solutions_restore(t->d);
}

// ---- starts -----------------------------------------------------------------------------------

// a random design within bounds; its motions are followed there from the first design
static pl_status random_start(run *t) {
  pl_design *d = t->d;
  pl_rng rng;
  pl_rng_seed(&rng, (unsigned long long)d->o.seed * 1000003ULL + (unsigned long long)t->start);
  PL_TRY(design_recall(d, t->first_x, t->first_z, t->first_omega));
  for (int k = 0; k < d->nvar; k++) {
    const variable *v = &d->var[k];
    double u = to_scaled(v, t->first_x[k]);
    double lo = fmax(isfinite(v->lo) ? to_scaled(v, v->lo) : u - 0.5, u - 3);
    double hi = fmin(isfinite(v->hi) ? to_scaled(v, v->hi) : u + 0.5, u + 3);
    t->x[k] = from_scaled(v, pl_rng_uniform(&rng, lo, hi));
  }
  pl_status st = solutions_move(d, t->x, 1);
  if (st == PL_OK) solutions_keep(d);
  return st;
}

static pl_status one_start(run *t, int resumed, pl_design_observe_fn observe, void *ctx) {
  pl_status st = PL_OK;
  if (!resumed) {
    if (t->start > 0) st = random_start(t);
    if (st == PL_OK) st = begin(t);
    if (st == PL_OK && t->start == 0) t->r->value_before = t->value;
  }
  if (st == PL_OK) st = (t->d->squares ? gauss_iterate : iterate)(t, observe, ctx);
  if (st == PL_UNSOLVED && t->start > 0) {
    t->r->start_value[t->start] = INFINITY;
    return PL_OK;
  }
  if (st != PL_OK && st != PL_CANCELLED) return st;
  if (st == PL_CANCELLED) {
    t->r->reason = PL_DESIGN_CANCELLED;
    PL_TRY(solutions_restore(t->d));
  }
  t->r->start_value[t->start] = t->value;
  if (t->start == 0 || t->value < t->best) {
    t->best = t->value;
    t->r->best_start = t->start;
    design_store(t->d, t->best_x, t->best_z, t->best_omega);
  }
  return st;
}

static pl_status all_starts(run *t, int resumed, pl_design_observe_fn observe, void *ctx) {
  for (; t->start < t->d->o.starts; t->start++) {
    t->r->nstart = t->start + 1;
    PL_TRY(one_start(t, resumed, observe, ctx));
    resumed = 0;
  }
  return PL_OK;
}

// ---- result -----------------------------------------------------------------------------------

static void add_warning(pl_design_result *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void add_warning(pl_design_result *r, const char *fmt, ...) {
  if (r->nwarning >= PL_DESIGN_WARNINGS) return;
  va_list args;
  va_start(args, fmt);
  vsnprintf(r->warning[r->nwarning++], PL_TEXT, fmt, args);
  va_end(args);
}

// the steady motions of the final design, from rest
static pl_status solve_again(run *t) {
  pl_design *d = t->d;
  pl_design_result *r = t->r;
  for (int i = 0; i < d->npoint; i++) {
    pl_design_point_result *at = &r->point[i];
    pl_periodic_opts o;
    pl_periodic_info info;
    pl_orbit *orbit = NULL;
    pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &o);
    o.frequency = at->omega = d->omega[i];
    o.harmonics = d->H;
    o.samples = d->o.samples;
    o.rtol = d->o.rtol;
    PL_TRY(pl_orbit_copy(d->solution[i].orbit, d->H, &at->after));
    pl_status st = pl_periodic(&o, d->m, d->p, d->w, &orbit, &info);
    at->again = st == PL_OK ? pl_orbit_change(d->m, orbit, d->solution[i].orbit) : -1;
    at->same = at->again >= 0 && at->again < 1e-4;
    pl_orbit_free(orbit);
    if (st < 0 || st == PL_CANCELLED) return st;
    if (st != PL_OK)
      add_warning(r, "at %g rad/s no steady motion of the final design was found from rest",
                  at->omega);
    else if (!at->same)
      add_warning(
          r,
          "at %g rad/s the motion found from rest differs from that of the design by %.2g of its "
          "length: there is more than one, and the start decides",
          at->omega, at->again);
  }
  return PL_OK;
}

static void warn_targets(run *t) {
  pl_design *d = t->d;
  pl_design_result *r = t->r;
  for (int k = 0; k < d->nobj; k++) {
    const objective *o = &d->obj[k];
    int curves = o->o.kind->curves, own = o->o.kind->form == PL_FORM_OWN,
        target = own ? curves : o->o.goal == PL_GOAL_TARGET;
    // the smooth minimum over phases stays above what the best phase reaches
    double off = curves
                     ? pl_trajectory_error(d->m, d->p, pl_design_orbit(d, o->o.point), &o->o, NULL)
                     : sqrt(r->objective[k]);
    if (target && off > 1e-2)
      add_warning(r, "objective '%s' is not reached: it ends %.3g off its target (%s)",
                  objective_label(&o->o), off, pl_design_stop_text(r->reason));
  }
}

static void find_bounds(run *t) {
  pl_design *d = t->d;
  int count = 0, last = 0;
  for (int k = 0; k < d->nvar; k++) {
    const variable *v = &d->var[k];
    double near = 1e-9 * (v->log ? v->lo : v->scale);
    t->r->bound[k] = d->x[k] <= v->lo + near ? -1 : d->x[k] >= v->hi - near ? 1 : 0;
    if (t->r->bound[k]) last = k;
    count += t->r->bound[k] != 0;
  }
  if (count > 0)
    add_warning(t->r, "%d of %d %s end%s at a bound%s%s", count, d->nvar,
                pl_plural(d->nvar, "variable", "variables"), pl_plural(count, "s", ""),
                count == 1 ? ": " : "", count == 1 ? d->var[last].name : "");
}

static pl_status values_of(pl_design *d, double *value) {
  for (int k = 0; k < d->nobj; k++) PL_TRY(design_value(d, k, &value[k], NULL));
  return PL_OK;
}

// the same before the first step, where a value that is no number is the statement's fault
static pl_status values_before(pl_design *d, double *value) {
  for (int k = 0; k < d->nobj; k++) {
    const pl_objective *o = &d->obj[k].o;
    pl_status st = design_value(d, k, &value[k], NULL);
    if (st == PL_DOMAIN)
      return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0,
                        "check the unit of its target: it must be within reach of what is there",
                        "design: objective '%s' is not finite at the start, but %g (target %g)",
                        objective_label(o), value[k], o->target);
    PL_TRY(st);
  }
  return PL_OK;
}

static pl_status finish(run *t) {
  pl_design *d = t->d;
  pl_design_result *r = t->r;
  PL_TRY(design_recall(d, t->best_x, t->best_z, t->best_omega));
  pl_design_values(d, r->after);
  PL_TRY(design_value(d, -1, &r->value, r->gradient));
  PL_TRY(values_of(d, r->objective));
  warn_targets(t);
  find_bounds(t);
  if (r->failures > 0)
    add_warning(r, "motions were lost on %d of %d %s, whose steps were halved", r->failures,
                r->evaluations, pl_plural(r->evaluations, "evaluation", "evaluations"));
  if (d->regularised > 0)
    add_warning(r, "the Jacobian was near singular and regularised %d %s", d->regularised,
                pl_plural(d->regularised, "time", "times"));
  if (r->reason != PL_DESIGN_CANCELLED) PL_TRY(solve_again(t));
  r->newton = d->newton;
  r->factorisations = solutions_factorisations(d);
  r->regularised = d->regularised;
  return PL_OK;
}

// ---- all --------------------------------------------------------------------------------------

static pl_status allocate(run *t) {
  pl_design *d = t->d;
  pl_design_result *r = t->r;
  size_t nv = (size_t)d->nvar, nz = (size_t)d->nsolution * (size_t)d->n, ns = (size_t)d->nsolution;
  r->nvariable = d->nvar;
  r->nobjective = d->nobj;
  r->npoint = d->npoint;
  r->before = pl_alloc(d->env, 3 * nv + 2 * (size_t)d->nobj, sizeof(double));
  r->bound = pl_alloc(d->env, nv, sizeof(int));
  r->point = pl_alloc(d->env, (size_t)d->npoint, sizeof *r->point);
  r->start_value = pl_alloc(d->env, (size_t)d->o.starts, sizeof(double));
  t->g = pl_alloc(d->env, 5 * nv + 2 * nz + 2 * ns, sizeof(double));
  if (!r->before || !r->bound || !r->point || !r->start_value || !t->g) return PL_E_NOMEM;
  r->after = r->before + nv;
  r->gradient = r->after + nv;
  r->objective_before = r->gradient + nv;
  r->objective = r->objective_before + d->nobj;
  t->grad = t->g + nv;
  t->x = t->grad + nv;
  t->best_x = t->x + nv;
  t->first_x = t->best_x + nv;
  t->best_z = t->first_x + nv;
  t->first_z = t->best_z + nz;
  t->best_omega = t->first_z + nz;
  t->first_omega = t->best_omega + ns;
  if (d->squares) PL_TRY(gauss_open(t));
  return lbfgsb_open(d->env, d->nvar, d->o.memory, &t->b);
}

static pl_status optimise(run *t, const pl_design_state *resume, pl_design_observe_fn observe,
                          void *ctx) {
  pl_design *d = t->d;
  pl_design_result *r = t->r;
  if (d->nobj < 1)
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "say what shall become small, or large",
                      "design: there are no objectives");
  PL_TRY(allocate(t));
  design_store(d, t->first_x, t->first_z, t->first_omega);
  memcpy(r->before, d->x, (size_t)d->nvar * sizeof(double));
  for (int i = 0; i < d->npoint; i++)
    PL_TRY(pl_orbit_copy(d->solution[i].orbit, d->H, &r->point[i].before));
  PL_TRY(values_before(d, r->objective_before));
  if (resume) PL_TRY(state_load(t, resume));
  pl_status st = all_starts(t, resume != NULL, observe, ctx);
  if (st != PL_OK && st != PL_CANCELLED) return st;
  pl_status end = finish(t);
  return end != PL_OK ? end : st;
}

pl_status pl_design_run(pl_design *d, const pl_design_state *resume, pl_design_observe_fn observe,
                        void *ctx, pl_design_result **out) {
  *out = NULL;
  pl_design_result *r = pl_alloc(d->env, 1, sizeof *r);
  if (!r) return PL_E_NOMEM;
  r->env = d->env;
  run t = {.d = d, .r = r, .begun = pl_wall_time()};
  pl_status st = optimise(&t, resume, observe, ctx);
  lbfgsb_close(d->env, &t.b);
  gauss_close(&t);
  pl_free(d->env, t.g);
  r->seconds = pl_wall_time() - t.begun;
  if (st != PL_OK && st != PL_CANCELLED) {
    pl_design_result_free(r);
    return st;
  }
  *out = r;
  return st;
}

void pl_design_result_free(pl_design_result *r) {
  if (!r) return;
  for (int i = 0; r->point && i < r->npoint; i++) {
    pl_orbit_free(r->point[i].before);
    pl_orbit_free(r->point[i].after);
  }
  void *all[] = {r->before, r->bound, r->point, r->start_value, r->step, r->path};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(r->env, all[k]);
  pl_free(r->env, r);
}
