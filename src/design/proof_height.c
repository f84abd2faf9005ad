// The largest peak in a window checked by other means: whether it is the largest one.
#include "design_impl.h"

typedef struct window {
  const pl_proof_opts *o;
  const pl_model *m;
  const pl_params *p;
  pl_work *w;
  const pl_objective *want;
  const pl_orbit *peak;
  pl_measure look;
  double value; // of the peak, m
  pl_proof *out;
} window;

enum { LOOKS = 33 };

// what goes wrong on the way is told in the proof
static pl_env hush(pl_env *env) {
  pl_env keep = *env;
  env->diag = NULL;
  return keep;
}

static void speak(pl_env *env, const pl_env *keep) {
  env->diag = keep->diag;
  env->nerror = keep->nerror;
}

// ---- the curve --------------------------------------------------------------------------------

static const double BEYOND = 1.6; // how far beyond the window the response is followed

// from the window's end to its begin, or from somewhat beyond
static pl_response_opts way_back(const window *t, double beyond) {
  pl_response_opts r;
  pl_opts_default(pl_response_option_table, pl_response_option_count, &r);
  r.from = beyond * t->want->to;
  r.to = t->want->from / beyond;
  r.harmonics = t->peak->nharm + t->o->more;
  r.max_step *= 0.5;
  r.stability = 0;
  return r;
}

// the largest motion of a curve in the window, NULL: none
static const pl_orbit *largest_of(const window *t, const pl_curve *c, double *value) {
  const pl_orbit *best = NULL;
  *value = 0;
  for (int i = 0; c && i < c->npoint + c->nspecial; i++) {
    const pl_special *s = i < c->npoint ? NULL : &c->special[i - c->npoint];
    if (s && s->kind != PL_PEAK) continue;
    const pl_orbit *o = s ? s->orbit : c->point[i].orbit;
    if (o->omega < t->want->from * (1 - 1e-12) || o->omega > t->want->to * (1 + 1e-12)) continue;
    double v = pl_orbit_measure(t->m, t->p, o, &t->look, NULL);
    if (best && v <= *value) continue;
    best = o;
    *value = v;
  }
  return best;
}

// follows the response; c NULL: there is none
static pl_status respond(const window *t, double beyond, pl_curve **c) {
  pl_env *env = t->w->env, keep = hush(env);
  pl_response_opts r = way_back(t, beyond);
  pl_response_plan plan = {.nmeasure = 1, .measure = &t->look};
  *c = NULL;
  pl_status st = pl_response_run(&r, t->m, t->p, t->w, &plan, c);
  speak(env, &keep);
  return st == PL_CANCELLED || st == PL_E_NOMEM ? st : PL_OK;
}

static void judge(window *t) {
  const pl_window *f = &t->out->window;
  if (f->followed < 0)
    proof_warn(t->out,
               "the response could not be followed from %.6g Hz to %.6g Hz: a higher peak "
               "may lie in the window",
               t->want->to / (2 * PL_PI), t->want->from / (2 * PL_PI));
  else if (fabs(f->height / t->value - 1) > t->o->agree)
    proof_warn(t->out,
               "the largest value in the window is %.4g m at %.6g Hz, not %.4g m at %.6g Hz",
               f->height, f->omega / (2 * PL_PI), t->value, t->peak->omega / (2 * PL_PI));
}

// the window from its end to its begin; *fine: its largest motion
static pl_status follow(window *t, pl_orbit **fine) {
  pl_curve *c;
  pl_window *f = &t->out->window;
  pl_status st = respond(t, 1, &c);
  const pl_orbit *best = st == PL_OK ? largest_of(t, c, &f->height) : NULL;
  f->followed = c && c->reason == PL_STOP_END ? 1 : -1;
  if (best) f->omega = best->omega;
  if (st == PL_OK) judge(t);
  // another peak is no finer picture of this one
  if (best && f->followed > 0 && fabs(f->height / t->value - 1) <= t->o->agree &&
      fabs(best->omega / t->peak->omega - 1) <= t->o->agree)
    st = pl_orbit_copy(best, best->nharm, fine);
  pl_curve_free(c);
  return st;
}

// ---- parts apart ------------------------------------------------------------------------------

// the largest motion at a frequency that the strength of drives and loads leads to
static pl_status largest_at(window *t, double omega, double *value) {
  pl_periodic_opts o;
  pl_orbit *orbit = NULL;
  pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &o);
  o.frequency = omega;
  o.harmonics = t->peak->nharm;
  o.branch = PL_BRANCH_UPPER;
  pl_status st = pl_periodic(&o, t->m, t->p, t->w, &orbit, NULL);
  *value = st == PL_OK ? pl_orbit_measure(t->m, t->p, orbit, &t->look, NULL) : 0;
  pl_orbit_free(orbit);
  return st == PL_CANCELLED || st == PL_E_NOMEM ? st : PL_OK;
}

// on the response that leaves the window and comes back
static pl_status look_beyond(window *t) {
  pl_window *f = &t->out->window;
  pl_curve *c;
  double value;
  pl_status st = respond(t, BEYOND, &c);
  const pl_orbit *best = st == PL_OK ? largest_of(t, c, &value) : NULL;
  f->beyond = c && c->reason == PL_STOP_END;
  if (best) f->other = value;
  if (best) f->other_omega = best->omega;
  pl_curve_free(c);
  return st;
}

// by the strength of drives and loads, where that is cheap
static pl_status look_apart(window *t) {
  pl_window *f = &t->out->window;
  pl_env *env = t->w->env, keep = hush(env);
  double lo = t->want->from, hi = t->want->to, value;
  pl_status st = PL_OK;
  int small = pl_model_nfree(t->m) * (2 * t->peak->nharm + 1) <= PL_DETACHED_MOST;
  for (int i = 0; small && st == PL_OK && i < LOOKS; i++) {
    double omega = lo + (hi - lo) * i / (LOOKS - 1);
    st = largest_at(t, omega, &value);
    f->looks += value > 0;
    if (value <= f->other) continue;
    f->other = value;
    f->other_omega = omega;
  }
  speak(env, &keep);
  return st;
}

static pl_status look_elsewhere(window *t) {
  pl_window *f = &t->out->window;
  f->detached = -1;
  PL_TRY(look_beyond(t));
  PL_TRY(look_apart(t));
  if (f->looks > 0 || f->beyond)
    f->detached = f->other > fmax(t->value, f->height) * (1 + t->o->agree);
  if (f->detached > 0)
    proof_warn(t->out,
               "a motion of %.4g m at %.6g Hz, larger than the peak of %.4g m, lies on a "
               "part of the response that does not hang together with it in the window",
               f->other, f->other_omega / (2 * PL_PI), t->value);
  return PL_OK;
}

pl_status pl_design_prove_height(const pl_proof_opts *o, const pl_model *m, const pl_params *p,
                                 pl_work *w, const pl_objective *largest, const pl_orbit *peak,
                                 pl_proof *out) {
  window t = {o, m, p, w, largest, peak, {0}, 0, out};
  double begun = pl_wall_time();
  pl_orbit *fine = NULL;
  *out = proof_open();
  PL_TRY(pl_opts_check(w->env, pl_proof_option_table, pl_proof_option_count, o));
  if (largest->kind != &pl_objective_peak_height)
    return pl_fail(w->env, PL_E_ARG, "proof: the objective has no window");
  t.look = pl_objective_measure(largest);
  t.value = pl_orbit_measure(m, p, peak, &t.look, NULL);
  pl_status st = follow(&t, &fine);
  if (st == PL_OK) st = look_elsewhere(&t);
  out->seconds = pl_wall_time() - begun;
  if (st == PL_OK) st = proof_of(o, m, p, w, peak, fine, out);
  pl_orbit_free(fine);
  return st;
}
