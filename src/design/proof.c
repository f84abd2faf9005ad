// A steady motion checked by other means.
#include "design_impl.h"

#include <stdio.h>
#include <string.h>

// ---- the checks -------------------------------------------------------------------------------

typedef struct check {
  const pl_proof_opts *o;
  const pl_model *m;
  const pl_params *p;
  pl_work *w;
  const pl_orbit *orbit;
  pl_orbit *fine; // the motion with more harmonics; NULL: it was not solved
  pl_proof *out;
} check;

pl_proof proof_open(void) {
  return (pl_proof){.good = 1, .change = -1, .newmark = -1, .stable = -1};
}

void proof_warn(pl_proof *p, const char *fmt, ...) {
  p->good = 0;
  if (p->nwarning >= 8) return;
  va_list args;
  va_start(args, fmt);
  vsnprintf(p->warning[p->nwarning++], PL_TEXT, fmt, args);
  va_end(args);
}

static void compare(check *c) {
  pl_proof *out = c->out;
  out->change = pl_orbit_change(c->m, c->fine, c->orbit);
  if (out->change > c->o->agree)
    proof_warn(out, "%d harmonics instead of %d change the motion by %.2g of its length",
               out->nharm, c->orbit->nharm, out->change);
}

static pl_status more_harmonics(check *c) {
  pl_proof *out = c->out;
  pl_orbit *o = NULL;
  pl_periodic_info info = {0};
  pl_hb *hb = NULL;
  pl_bordered *b = NULL;
  out->nharm = c->orbit->nharm + c->o->more;
  out->change = -1;
  pl_status st = pl_orbit_copy(c->orbit, out->nharm, &o);
  if (st == PL_OK) st = pl_hb_create(c->m, c->p, c->w, out->nharm, 0, &hb);
  if (st == PL_OK) st = pl_bordered_create(hb, &b);
  if (st == PL_OK) st = pl_hb_newton(hb, b, o, 1e-9, 40, &info);
  pl_bordered_free(b);
  pl_hb_free(hb);
  if (st == PL_OK)
    c->fine = o;
  else
    pl_orbit_free(o);
  if (st != PL_OK && st != PL_UNSOLVED) return st;
  if (st == PL_UNSOLVED)
    proof_warn(out, "the motion could not be solved with %d %s", out->nharm,
               pl_plural(out->nharm, "harmonic", "harmonics"));
  else
    compare(c);
  return PL_OK;
}

// the last period of the simulation
typedef struct recorder {
  int n, nq, at; // steps a period; place of the next one
  double *q;     // [n][nq]
} recorder;

static int record(void *ctx, const pl_state *s, const pl_clock *clock, const pl_work *w) {
  (void)clock, (void)w;
  recorder *r = ctx;
  memcpy(r->q + (size_t)r->at * (size_t)r->nq, s->q, (size_t)r->nq * sizeof(double));
  r->at = (r->at + 1) % r->n;
  return 0;
}

// coefficients of the recorded period, whose first step is at a phase of one step
static void orbit_of(const check *c, const recorder *r, pl_orbit *o) {
  const int *dof = pl_model_free_dofs(c->m);
  int L = 2 * o->nharm + 1;
  memset(o->z, 0, (size_t)o->nfree * (size_t)L * sizeof(double));
  for (int i = 0; i < r->n; i++) {
    double phase = 2 * PL_PI * (i + 1) / r->n;
    const double *q = r->q + (size_t)((r->at + i) % r->n) * (size_t)r->nq;
    for (int k = 0; k <= o->nharm; k++) {
      double w = (k ? 2.0 : 1.0) / r->n, s = w * sin(k * phase), cs = w * cos(k * phase);
      for (int j = 0; j < o->nfree; j++) {
        if (k > 0) o->z[(size_t)(j * L + 2 * k - 1)] += s * q[dof[j]];
        o->z[(size_t)(j * L + 2 * k)] += cs * q[dof[j]];
      }
    }
  }
}

// of places, not of angles
static double longest_swing(const check *c) {
  const pl_orbit *o = c->orbit;
  const int *dof = pl_model_free_dofs(c->m);
  int L = 2 * o->nharm + 1, places = pl_model_nnode(c->m) * pl_model_dim(c->m);
  double most = 0;
  for (int i = 0; i < o->nfree; i++)
    if (dof[i] < places) most = fmax(most, pl_max_abs(L - 1, o->z + (size_t)(i * L + 1)));
  return most;
}

// What the simulation sums up between two periods (eq. 28: over steps, of all nodes together) where
// every node moves by the longest swing.
static double whole_change(const check *c) {
  const int *index = pl_model_free_index(c->m);
  int dim = pl_model_dim(c->m), moving = 0;
  for (int node = 0; node < pl_model_nnode(c->m); node++) {
    int any = 0;
    for (int k = 0; k < dim; k++) any |= index[node * dim + k] >= 0;
    moving += any;
  }
  return longest_swing(c) * c->o->steps_per_period * sqrt(fmax(1, moving));
}

// The part of a change between two periods that may be left so that all changes to come add up to
// `steady`: they fall with the largest multiplier. What is not known to be stable has to stay to
// rounding, so that a slow growth is seen.
static double last_change(const check *c) {
  double mu = c->out->multiplier;
  if (c->out->stable != 1) return 1e-4 * c->o->steady;
  return c->o->steady * fmin(1, fmax(1e-4, (1 - mu) / fmax(mu, 1e-4)));
}

static pl_status simulate(check *c, pl_state *s, recorder *r, pl_orbit *found) {
  pl_proof *out = c->out;
  pl_transient_opts t;
  pl_transient_info info;
  pl_history history = {0};
  double whole = whole_change(c);
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &t);
  t.periods = c->o->periods;
  t.steps_per_period = c->o->steps_per_period;
  t.steady = last_change(c) * whole;
  // Harmonics that are missing shake what is damped little for many periods. Where growth is to be
  // seen they may.
  const pl_orbit *start = c->fine && out->stable == 1 ? c->fine : c->orbit;
  t.frequency = start->omega;
  PL_TRY(pl_orbit_settle(c->m, c->p, start, t.steps_per_period, c->w, s));
  pl_status st = pl_transient(&t, c->m, c->p, s, &history, c->w, record, r, &info);
  pl_history_free(c->w->env, &history);
  if (st != PL_OK && st != PL_UNSOLVED) return st;
  out->newmark_periods = info.nperiod;
  out->newmark_done = info.reason == PL_STOP_STEADY;
  out->period_change = info.period_change / fmax(whole, 1e-300);
  if (st == PL_UNSOLVED || info.nperiod < 1) {
    proof_warn(out, "the simulation in time broke off after %d %s", info.nperiod,
               pl_plural(info.nperiod, "period", "periods"));
    return PL_OK;
  }
  orbit_of(c, r, found);
  out->newmark = pl_orbit_change(c->m, found, c->orbit);
  if (!out->newmark_done)
    proof_warn(out, "the simulation in time was not steady after %d %s", info.nperiod,
               pl_plural(info.nperiod, "period", "periods"));
  if (out->newmark > c->o->agree)
    proof_warn(out, "the simulation in time ends %.2g of the motion's length away from it",
               out->newmark);
  return PL_OK;
}

static pl_status in_time(check *c) {
  pl_env *env = c->w->env;
  recorder r = {.n = c->o->steps_per_period, .nq = pl_model_nq(c->m)};
  pl_state *s = NULL;
  pl_orbit *found = NULL;
  c->out->newmark = -1;
  if (!c->o->newmark) return PL_OK;
  r.q = pl_alloc(env, (size_t)r.n * (size_t)r.nq, sizeof(double));
  pl_status st = r.q ? pl_state_create(c->m, c->p, &s) : PL_E_NOMEM;
  if (st == PL_OK) st = pl_orbit_copy(c->orbit, c->orbit->nharm, &found);
  if (st == PL_OK) st = simulate(c, s, &r, found);
  pl_orbit_free(found);
  if (s) pl_state_free(c->m, s);
  pl_free(env, r.q);
  return st;
}

static pl_status stability(check *c) {
  pl_floquet f;
  c->out->stable = -1;
  pl_status st = pl_orbit_floquet(c->m, c->p, c->w, c->orbit, PL_FLOQUET_AUTO, &f);
  if (st < 0 || st == PL_CANCELLED) return st;
  if (st == PL_OK && f.n > 0) {
    c->out->stable = f.stable;
    c->out->multiplier = hypot(f.re[0], f.im[0]);
  }
  if (c->out->stable == 0)
    proof_warn(c->out, "the motion is unstable: a disturbance grows by %.4g a period",
               c->out->multiplier);
  if (c->out->stable < 0) proof_warn(c->out, "the stability of the motion could not be told");
  return PL_OK;
}

// ---- fields over the period -------------------------------------------------------------------

static void look_at_group(check *c, const pl_state *s, int g, double phase, double *value) {
  const pl_elem_kind *k = pl_model_group_kind(c->m, g);
  pl_proof *out = c->out;
  int field = -1;
  for (int f = 0; f < k->nfield; f++)
    if (strcmp(k->field_info[f].name, "strain") == 0 || (k->rigid && f == 0)) field = f;
  if (field < 0) return;
  int length = k->field_info[field].unit[0] == '\0';
  double *rigid = length ? &out->link : &out->angle;
  pl_eval_field(c->m, c->p, s, g, field, NULL, value);
  for (int e = 0; e < pl_model_group_size(c->m, g); e++) {
    if (k->rigid)
      *rigid = fmax(*rigid, fabs(value[e]));
    else if (fabs(value[e]) > fabs(out->strain.value))
      out->strain = (pl_strain){value[e], g, e, phase};
  }
}

static pl_status fields(check *c) {
  pl_env *env = c->w->env;
  pl_proof *out = c->out;
  int most = 1, N = 16 * c->orbit->nharm > 128 ? 16 * c->orbit->nharm : 128;
  for (int g = 0; g < pl_model_ngroup(c->m); g++)
    if (pl_model_group_size(c->m, g) > most) most = pl_model_group_size(c->m, g);
  double *value = pl_alloc(env, (size_t)most, sizeof *value);
  pl_state *s = NULL;
  pl_status st = value ? pl_state_create(c->m, c->p, &s) : PL_E_NOMEM;
  for (int i = 0; st == PL_OK && i < N; i++) {
    double phase = 2 * PL_PI * i / N;
    pl_orbit_state(c->m, c->p, c->orbit, phase, s);
    for (int g = 0; g < pl_model_ngroup(c->m); g++) look_at_group(c, s, g, phase, value);
  }
  if (s) pl_state_free(c->m, s);
  pl_free(env, value);
  PL_TRY(st);
  if (out->link > c->o->rigid)
    proof_warn(out, "rigid links change their length by %.2g of it", out->link);
  if (out->angle > c->o->rigid) proof_warn(out, "rigid joints turn by %.2g rad", out->angle);
  if (c->o->yield > 0 && fabs(out->strain.value) > c->o->yield)
    proof_warn(out, "strain reaches %.3g, beyond the limit %.3g, in element %d of group '%s'",
               out->strain.value, c->o->yield, out->strain.elem + 1,
               pl_model_group_name(c->m, out->strain.group));
  return PL_OK;
}

pl_status proof_of(const pl_proof_opts *o, const pl_model *m, const pl_params *p, pl_work *w,
                   const pl_orbit *orbit, const pl_orbit *fine, pl_proof *out) {
  double begun = pl_wall_time();
  check c = {.o = o, .m = m, .p = p, .w = w, .orbit = orbit, .out = out};
  pl_status st = PL_OK;
  if (fine) st = pl_orbit_copy(fine, fine->nharm, &c.fine);
  if (fine) out->nharm = fine->nharm;
  if (st == PL_OK && fine) compare(&c);
  if (!fine) st = more_harmonics(&c);
  if (st == PL_OK) st = fields(&c);
  if (st == PL_OK) st = stability(&c);
  if (st == PL_OK) st = in_time(&c);
  pl_orbit_free(c.fine);
  out->seconds += pl_wall_time() - begun;
  return st;
}

pl_status pl_design_prove(const pl_proof_opts *o, const pl_model *m, const pl_params *p, pl_work *w,
                          const pl_orbit *orbit, pl_proof *out) {
  *out = proof_open();
  PL_TRY(pl_opts_check(w->env, pl_proof_option_table, pl_proof_option_count, o));
  return proof_of(o, m, p, w, orbit, NULL, out);
}
