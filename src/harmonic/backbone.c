// Backbones: free, undamped motions that grow from a linear mode. Without damping and drives the
// equations are the same forwards and backwards in time, so the family that leaves a mode consists
// of motions even in time: cosines alone, which fixes the phase and makes the system regular.
#include "curve_impl.h"

#include <stdio.h>
#include <string.h>

static const double FIRST_SIZE = 1e-2; // first motion over the wanted one, or over the model's size
static const double FIRST_SHIFT = 1e-4; // its frequency differs less from the mode's

typedef enum stop_kind { STOP_AMPLITUDE, STOP_ENERGY, STOP_FROM, STOP_TO, STOP_COUNT } stop_kind;

typedef struct backbone {
  continuation k;
  backbone_base base;
  const pl_backbone_opts *o;
  const pl_backbone_plan *plan;
  double limit[STOP_COUNT];
  stop_kind stop;
} backbone;

// ---- what both kinds have -----------------------------------------------------------------------

pl_status backbone_look(const pl_backbone_plan *plan, const pl_trail *t, int last) {
  return plan->look ? plan->look(plan->ctx, t->c, t, last) : PL_OK;
}

pl_status backbone_params(backbone_base *b, const pl_params *p, int damped) {
  PL_TRY(pl_params_copy(b->env, p, &b->p));
  pl_params *f = b->p;
  pl_params_scale_harmonic(b->m, f, 0);
  if (!damped) pl_params_undamp(b->m, f);
  return pl_params_update(b->m, f);
}

static pl_status equilibrium(backbone_base *b) {
  pl_static_opts so;
  pl_static_info info;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &so);
  so.book = 0; // a place to start from
  PL_TRY(pl_state_create(b->m, b->p, &b->s));
  b->s->anchoring = PL_ANCHORS_FIXED;
  pl_status st = pl_static(&so, b->m, b->p, b->s, b->w, NULL, NULL, &info);
  if (st == PL_UNSOLVED)
    return pl_fail(b->env, PL_E_INPUT, "backbone: no static equilibrium was found (%s)",
                   pl_stop_text(info.reason));
  PL_TRY(st);
  pl_clock c = {.scale = 1};
  PL_TRY(pl_eval(b->m, b->p, b->s, &c, PL_WANT_ENERGY, NULL, b->w));
  b->potential = b->w->potential;
  return PL_OK;
}

pl_status backbone_mode(backbone_base *b, int mode) {
  size_t nq = (size_t)pl_model_nq(b->m);
  pl_modes_opts mo = {.count = mode};
  pl_modes_info info;
  PL_TRY(equilibrium(b));
  double *omega = pl_alloc(b->env, (size_t)mode, sizeof(double));
  b->shape = pl_alloc(b->env, (size_t)mode * nq, sizeof(double));
  pl_status st = omega && b->shape ? PL_OK : PL_E_NOMEM;
  if (st == PL_OK) st = pl_modes(&mo, b->m, b->p, b->s, b->w, omega, b->shape, &info);
  if (st == PL_OK && info.nfound < mode)
    st = pl_fail(b->env, PL_E_INPUT, "backbone: the model has %d %s, mode %d was asked for",
                 info.nfound, pl_plural(info.nfound, "mode", "modes"), mode);
  if (st == PL_OK && (mode <= info.nrigid + info.nunstable || !(omega[mode - 1] > 0)))
    st = pl_fail_at(b->env, PL_E_INPUT, NULL, 0, 0, "choose a mode that oscillates",
                    "backbone: mode %d is a free rigid motion or unstable", mode);
  if (st == PL_OK) {
    b->omega0 = omega[mode - 1];
    memmove(b->shape, b->shape + (size_t)(mode - 1) * nq, nq * sizeof(double));
  }
  pl_free(b->env, omega);
  return st;
}

void backbone_close(backbone_base *b) {
  if (b->s) pl_state_free(b->m, b->s);
  pl_free(b->env, b->shape);
  pl_params_free(b->p);
}

pl_status backbone_energy(backbone_base *b, const pl_orbit *o, double *energy) {
  pl_orbit_state(b->m, b->p, o, 0, b->s);
  pl_clock c = {.t = 0, .omega = o->omega, .scale = 1};
  PL_TRY(pl_eval(b->m, b->p, b->s, &c, PL_WANT_ENERGY | PL_DYNAMIC, NULL, b->w));
  // what sliders lost is not stored
  *energy = b->w->kinetic + b->w->potential - b->w->slipped - b->potential;
  return PL_OK;
}

double backbone_amplitude(const backbone_base *b, const pl_orbit *o) {
  double most = 0;
  for (int i = 0; i < b->nprobe; i++)
    for (int axis = 0; axis < pl_model_dim(b->m); axis++)
      most = fmax(most, pl_orbit_max(b->m, b->p, o, b->probe[i], axis, NULL));
  return most;
}

// ---- what ends the curve ----------------------------------------------------------------------

static pl_status energy_of(backbone *b, const curve_point *s, double *energy) {
  pl_orbit o = curve_point_orbit(&b->k, s);
  return backbone_energy(&b->base, &o, energy);
}

static double amplitude_of(const backbone *b, const curve_point *s) {
  pl_orbit o = curve_point_orbit(&b->k, s);
  return backbone_amplitude(&b->base, &o);
}

// how far a point is beyond the limit b->stop; negative: before it
static pl_status beyond(continuation *k, void *ctx, curve_point *s, double *value) {
  (void)k;
  backbone *b = ctx;
  double limit = b->limit[b->stop];
  PL_TRY(energy_of(b, s, &s->energy));
  switch (b->stop) {
  case STOP_AMPLITUDE:
    *value = amplitude_of(b, s) / limit - 1;
    break;
  case STOP_ENERGY:
    *value = s->energy / limit - 1;
    break;
  case STOP_FROM:
    *value = 1 - s->omega / limit;
    break;
  default:
    *value = s->omega / limit - 1;
  }
  return PL_OK;
}

// cuts the step at the first limit that it passes
static pl_status cut(backbone *b, int *end) {
  continuation *k = &b->k;
  curve_point s;
  PL_TRY(curve_point_create(k, &s));
  pl_status st = PL_OK;
  for (int i = 0; st == PL_OK && i < STOP_COUNT; i++) {
    if (!(b->limit[i] > 0)) continue;
    b->stop = (stop_kind)i;
    double fa = -1, fb = -1, sigma;
    st = beyond(k, b, &k->at, &fa);
    if (st == PL_OK) st = beyond(k, b, &k->next, &fb);
    if (st != PL_OK || fb < 0) continue;
    *end = 1;
    if (fa < 0) st = special_refine(k, &k->at, &k->next, beyond, b, 1e-14, fa, fb, &s, &sigma);
    if (st == PL_OK && fa < 0) curve_point_copy(k, &k->next, &s);
  }
  curve_point_free(k, &s);
  return st;
}

// ---- start ------------------------------------------------------------------------------------

// a factor on the mode that makes a small motion
static double first_factor(const backbone *b) {
  const continuation *k = &b->k;
  int dim = pl_model_dim(k->m), nn = pl_model_nnode(k->m);
  double most = pl_max_abs(pl_model_nq(k->m), b->base.shape), box = 0;
  for (int c = 0; c < dim; c++) {
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < nn; i++) {
      lo = fmin(lo, k->p->X[i * dim + c]);
      hi = fmax(hi, k->p->X[i * dim + c]);
    }
    box = fmax(box, hi - lo);
  }
  double by = FIRST_SIZE * (box > 0 ? box : 1) / most;
  if (b->o->amplitude > 0) by = fmin(by, FIRST_SIZE * b->o->amplitude / most);
  // modes have unit mass: E = omega^2 by^2 / 2
  if (b->o->energy > 0) by = fmin(by, FIRST_SIZE * sqrt(2 * b->o->energy) / b->base.omega0);
  return by;
}

// the motion whose first cosines are by times the mode, on average
static pl_status small_motion(backbone *b, double by) {
  continuation *k = &b->k;
  curve_point *a = &k->at;
  const int *dof = pl_model_free_dofs(k->m);
  size_t L = 2 * (size_t)k->H + 1;
  memset(a->z, 0, (size_t)k->n * sizeof(double));
  memset(a->tz, 0, (size_t)k->n * sizeof(double));
  for (int i = 0; i < k->nfree; i++) {
    a->z[(size_t)i * L] = b->base.s->q[dof[i]];
    a->z[(size_t)i * L + 2] = by * b->base.shape[dof[i]];
    a->tz[(size_t)i * L + 2] = b->base.shape[dof[i]];
  }
  a->omega = b->base.omega0;
  a->tw = 0;
  cont_metric(k, 0);
  PL_TRY(cont_correct(k, a, a->tz, 0, 1));
  if (fabs(a->omega / b->base.omega0 - 1) > FIRST_SHIFT) return PL_UNSOLVED;
  return cont_tangent(k, a, a->tz, 0);
}

static double longest_step(const backbone *b) {
  return b->o->max_step / CONT_WEIGHT;
}

static void set_limits(backbone *b) {
  b->limit[STOP_AMPLITUDE] = b->o->amplitude;
  b->limit[STOP_ENERGY] = b->o->energy;
  b->limit[STOP_FROM] = b->o->from > 0 ? b->o->from : 0.5 * b->base.omega0;
  b->limit[STOP_TO] = b->o->to > 0 ? b->o->to : 2 * b->base.omega0;
}

static pl_status first_point(backbone *b, pl_curve *c) {
  continuation *k = &b->k;
  PL_TRY(cont_open(k, b->o->harmonics));
  k->sw = b->base.omega0;
  pl_status st = PL_UNSOLVED;
  double by = first_factor(b);
  for (int it = 0; it < 24 && st > 0 && st != PL_CANCELLED; it++, by /= 4) st = small_motion(b, by);
  PL_TRY(st);
  k->ds = longest_step(b);
  PL_TRY(energy_of(b, &k->at, &k->at.energy));
  return curve_add(c, k, &k->at, 0);
}

// at the mode, or where another one was
static pl_status begin(backbone *b, pl_curve *c) {
  PL_TRY(backbone_mode(&b->base, b->o->mode));
  set_limits(b);
  if (!b->plan->from) return first_point(b, c);
  return trail_unpack(b->plan->nfrom, b->plan->from, &b->k, NULL, c, NULL);
}

// ---- the curve --------------------------------------------------------------------------------

static pl_status progress(const backbone *b, const pl_curve *c) {
  char text[96];
  snprintf(text, sizeof text, "%.6g rad/s, energy %.4g J, point %d", b->k.at.omega, b->k.at.energy,
           c->npoint);
  return pl_report_progress(b->k.env, "backbone", -1, text);
}

static pl_status follow(backbone *b, pl_curve *c) {
  continuation *k = &b->k;
  double most = longest_step(b), least = 1e-6 * most;
  int seen = 0; // points that those who look on know
  for (int end = 0; !end;) {
    c->reason = PL_STOP_CANCELLED;
    pl_status st = progress(b, c);
    int last = st != PL_OK || c->npoint >= b->o->points;
    if (c->npoint > seen || last) PL_TRY(backbone_look(b->plan, &(pl_trail){.k = k, .c = c}, last));
    seen = c->npoint;
    PL_TRY(st);
    c->reason = PL_STOP_POINTS;
    if (c->npoint >= b->o->points) return PL_UNSOLVED;
    c->reason = PL_STOP_STEP;
    st = cont_step(k, least);
    if (st == PL_OK) st = cut(b, &end);
    if (st == PL_DOMAIN && k->ds > least) {
      k->ds *= 0.5;
      end = 0;
      continue;
    }
    PL_TRY(st);
    PL_TRY(energy_of(b, &k->next, &k->next.energy));
    PL_TRY(special_find(k, c));
    PL_TRY(curve_add(c, k, &k->next, 0));
    cont_pace(k, most);
    cont_shift(k);
    cont_metric(k, 0);
  }
  c->reason = PL_STOP_END;
  return PL_OK;
}

static pl_status check(const pl_backbone_opts *o, const pl_model *m, pl_env *env, int nprobe,
                       const int *probe) {
  PL_TRY(pl_opts_check(env, pl_backbone_option_table, pl_backbone_option_count, o));
  if (o->from > 0 && o->to > 0 && o->from >= o->to)
    return pl_fail(env, PL_E_INPUT, "backbone: from %g rad/s must be below to %g rad/s", o->from,
                   o->to);
  if (o->amplitude > 0 && nprobe == 0)
    return pl_fail(env, PL_E_INPUT, "backbone: amplitude needs a watched node");
  if (pl_model_nfree(m) == 0)
    return pl_fail(env, PL_E_INPUT, "backbone: the model has nothing that moves freely");
  for (int i = 0; i < nprobe; i++)
    if (probe[i] < 0 || probe[i] >= pl_model_nnode(m))
      return pl_fail(env, PL_E_ARG, "backbone: watched node %d of %d", probe[i], pl_model_nnode(m));
  return PL_OK;
}

pl_status pl_backbone_run(const pl_backbone_opts *o, const pl_model *m, const pl_params *p,
                          pl_work *w, const pl_backbone_plan *plan, pl_curve **out) {
  int nprobe = plan->nprobe;
  *out = NULL;
  PL_TRY(check(o, m, w->env, nprobe, plan->probe));
  double began = pl_wall_time();
  pl_curve *c;
  PL_TRY(curve_create(w->env, &c));
  c->start = "mode";
  backbone b = {.base = {.env = w->env, .m = m, .w = w, .nprobe = nprobe, .probe = plan->probe},
                .o = o,
                .plan = plan};
  b.k = (continuation){.env = w->env, .m = m, .w = w, .nsample = o->samples, .sub = 1, .even = 1};
  b.k.rtol = o->rtol;
  b.k.max_iter = o->max_iter;
  pl_status st = o->damped ? backbone_damped(o, m, p, w, plan, c) : PL_OK;
  if (!o->damped) {
    st = backbone_params(&b.base, p, 0);
    b.k.p = b.base.p;
    if (st == PL_OK) st = begin(&b, c);
    if (st == PL_OK) st = follow(&b, c);
    cont_close(&b.k); // which adds up the work
    c->factorisations += b.k.factorisations;
    c->krylov += b.k.krylov;
    c->iterations += b.k.iterations;
  }
  backbone_close(&b.base);
  c->seconds = pl_wall_time() - began;
  if (c->npoint) c->end = c->point[c->npoint - 1].orbit->omega;
  for (int i = 0; i < c->nspecial && nprobe > 0; i++)
    c->special[i].amplitude = pl_orbit_path(m, p, c->special[i].orbit, plan->probe[0], 0, NULL);
  if (st == PL_DOMAIN || st == PL_SINGULAR) st = PL_UNSOLVED;
  if (st < 0) {
    pl_curve_free(c);
    return st;
  }
  *out = c;
  return st;
}

pl_status pl_backbone(const pl_backbone_opts *o, const pl_model *m, const pl_params *p, pl_work *w,
                      int nprobe, const int *probe, pl_curve **out) {
  const pl_backbone_plan plan = {.nprobe = nprobe, .probe = probe};
  return pl_backbone_run(o, m, p, w, &plan, out);
}
