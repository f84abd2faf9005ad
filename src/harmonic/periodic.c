// The steady motion at one frequency: a sequence of starts, and harmonics raised until the motion
// stays.
#include "curve_impl.h"

#include <float.h>
#include <string.h>

enum {
  FIRST_HARMONICS = 3,
  RAISE = 2,
  REST_ITER = 10, // what is not nearly linear is better served by the next start
  MANY = 4000,    // coefficients of a motion from which on that is tried with few harmonics first
  WAY_ITER = 14,
  WAY_HARMONICS = 3,
  WAY_STEPS = 400,
  PAST = 4 // points that predict the next one
};
// on the way to the wanted motion
static const double WAY_RTOL = 1e-6, RUNAWAY = 1e10;

typedef struct periodic_solver {
  const pl_periodic_opts *o;
  const pl_model *m;
  pl_params *p;
  pl_work *w;
  pl_env *env;
  pl_periodic_info *info;
  pl_hb *hb;
  pl_bordered *b;
  pl_orbit *orbit;   // start and result
  pl_state *rest;    // equilibrium
  const double *par; // [npar] as given
  double amplitude;  // factor on harmonic drives and loads now
  double last_omega; // frequency of the last good point
  int singular;      // the linear response is
  int most;          // harmonics
} periodic_solver;

static void close_balance(periodic_solver *l) {
  pl_bordered_free(l->b);
  pl_hb_free(l->hb);
  l->b = NULL;
  l->hb = NULL;
}

static pl_status open_balance(periodic_solver *l, int nharm) {
  close_balance(l);
  PL_TRY(pl_hb_create(l->m, l->p, l->w, nharm, l->o->samples, &l->hb));
  return pl_bordered_create(l->hb, &l->b);
}

static pl_status new_orbit(periodic_solver *l, double omega) {
  pl_orbit_free(l->orbit);
  PL_TRY(pl_orbit_create(l->env, l->m, l->hb->f.H, &l->orbit));
  l->orbit->omega = omega;
  return PL_OK;
}

static pl_status newton(periodic_solver *l, double rtol, int max_iter) {
  pl_status s = pl_hb_newton(l->hb, l->b, l->orbit, rtol, max_iter, l->info);
  if (s == PL_OK && l->amplitude == 1) l->last_omega = l->orbit->omega;
  return s;
}

static pl_status solve_here(periodic_solver *l) {
  return newton(l, l->o->rtol, l->o->max_iter);
}

static pl_status set_amplitude(periodic_solver *l, double factor) {
  memcpy(l->p->par, l->par, (size_t)l->p->npar * sizeof *l->par);
  if (factor != 1) pl_params_scale_harmonic(l->m, l->p, factor);
  l->amplitude = factor;
  return l->hb ? pl_hb_refresh(l->hb) : PL_OK;
}

// ---- following in frequency or amplitude --------------------------------------------------------

typedef enum homotopy { FREQUENCY, AMPLITUDE } homotopy;

static pl_status set_homotopy(periodic_solver *l, homotopy k, double value) {
  if (k == AMPLITUDE) return set_amplitude(l, value);
  l->orbit->omega = value;
  return PL_OK;
}

// largest coefficient that oscillates
static double swing(const periodic_solver *l, const double *z) {
  size_t L = (size_t)l->hb->f.L;
  double most = 0;
  for (int i = 0; i < l->hb->nfree; i++)
    most = fmax(most, pl_max_abs(l->hb->f.L - 1, z + (size_t)i * L + 1));
  return most;
}

// the last points of a way, newest first
typedef struct way {
  int count;
  double at[PAST], *z[PAST], *guess; // [n] each
} way;

static void remember(way *v, int n, double at, const double *z) {
  double *oldest = v->z[PAST - 1];
  for (int k = PAST - 1; k > 0; k--) {
    v->z[k] = v->z[k - 1];
    v->at[k] = v->at[k - 1];
  }
  v->z[0] = oldest;
  v->at[0] = at;
  memcpy(oldest, z, (size_t)n * sizeof *z);
  if (v->count < PAST) v->count++;
}

// the polynomial through the points known
static void extrapolate(const way *v, int n, double to, double *guess) {
  memset(guess, 0, (size_t)n * sizeof *guess);
  for (int k = 0; k < v->count; k++) {
    double w = 1;
    for (int j = 0; j < v->count; j++)
      if (j != k) w *= (to - v->at[j]) / (v->at[k] - v->at[j]);
    pl_axpy(n, w, v->z[k], guess, guess);
  }
}

// one step; PL_UNSOLVED also when the correction is so large that it may have led to another motion
static pl_status way_step(periodic_solver *l, homotopy k, const way *v, double next) {
  int n = l->hb->n;
  extrapolate(v, n, next, v->guess);
  pl_axpy(n, -1, v->z[0], v->guess, v->guess);
  PL_TRY(set_homotopy(l, k, next));
  PL_TRY(hb_move(l->hb, v->z[0], v->guess, l->orbit->z));
  memcpy(v->guess, l->orbit->z, (size_t)n * sizeof(double));
  PL_TRY(newton(l, fmax(WAY_RTOL, l->o->rtol), WAY_ITER));
  pl_axpy(n, -1, l->orbit->z, v->guess, v->guess);
  return pl_max_abs(n, v->guess) <= 0.5 * swing(l, l->orbit->z) ? PL_OK : PL_UNSOLVED;
}

static pl_status follow_way(periodic_solver *l, homotopy k, way *v, double from, double to,
                            double step) {
  int n = l->hb->n;
  double least = 1e-5 * fabs(to - from);
  remember(v, n, from, l->orbit->z);
  for (int count = 0; v->at[0] != to && count < WAY_STEPS; count++) {
    double at = v->at[0], next = fabs(to - at) <= 1.01 * step ? to : at + copysign(step, to - at);
    int before = l->info->iterations;
    pl_status s = way_step(l, k, v, next);
    if (s == PL_OK) {
      remember(v, n, next, l->orbit->z);
      int iterations = l->info->iterations - before;
      step *= iterations <= 4 ? 2 : iterations <= 6 ? 1.4 : iterations <= 9 ? 1 : 0.7;
      continue;
    }
    if (s != PL_UNSOLVED) return s;
    step = 0.35 * fabs(next - at);
    if (step < least) break;
  }
  memcpy(l->orbit->z, v->z[0], (size_t)n * sizeof(double));
  PL_TRY(set_homotopy(l, k, v->at[0]));
  return v->at[0] == to ? PL_OK : PL_UNSOLVED;
}

// natural continuation of a converged orbit
static pl_status follow(periodic_solver *l, homotopy k, double from, double to, double step) {
  size_t n = (size_t)l->hb->n;
  double *z = pl_alloc(l->env, (PAST + 1) * n, sizeof *z);
  if (!z) return PL_E_NOMEM;
  way v = {.guess = z + PAST * n};
  for (size_t i = 0; i < PAST; i++) v.z[i] = z + i * n;
  pl_status s = follow_way(l, k, &v, from, to, step);
  pl_free(l->env, z);
  return s;
}

// ---- rungs ------------------------------------------------------------------------------------

static pl_status try_given(periodic_solver *l, const pl_orbit *given) {
  pl_orbit_free(l->orbit);
  PL_TRY(pl_orbit_copy(given, l->hb->f.H, &l->orbit));
  double from = given->omega, to = l->o->frequency;
  l->orbit->omega = to;
  pl_status s = solve_here(l);
  if (s != PL_UNSOLVED || from == to || !(from > 0)) return s;
  l->orbit->omega = from;
  PL_TRY(newton(l, WAY_RTOL, l->o->max_iter));
  PL_TRY(follow(l, FREQUENCY, from, to, 0.25 * fabs(to - from)));
  return solve_here(l);
}

static int few_harmonics(const periodic_solver *l) {
  int top = pl_model_max_harmonic(l->m);
  return top > WAY_HARMONICS ? top : WAY_HARMONICS;
}

// Newton's method from rest with a few harmonics, at a tenth of the cost. PL_UNSOLVED: all of them
// would hardly get there either.
static pl_status probe_rest(periodic_solver *l, int max_iter) {
  pl_hb *hb = NULL;
  pl_bordered *b = NULL;
  pl_orbit *o = NULL;
  pl_status s = pl_hb_create(l->m, l->p, l->w, few_harmonics(l), 0, &hb);
  if (s == PL_OK) s = pl_bordered_create(hb, &b);
  if (s == PL_OK) s = pl_orbit_create(l->env, l->m, hb->f.H, &o);
  if (s == PL_OK) {
    o->omega = l->o->frequency;
    s = start_rigid(hb, l->rest, o);
  }
  if (s == PL_OK) s = pl_hb_newton(hb, b, o, WAY_RTOL, max_iter, l->info);
  if (s == PL_UNSOLVED && l->info->reason == PL_STOP_SINGULAR) s = PL_OK; // that is for all to say
  pl_orbit_free(o);
  pl_bordered_free(b);
  pl_hb_free(hb);
  return s;
}

static pl_status try_rest(periodic_solver *l) {
  int max_iter = l->o->max_iter < REST_ITER ? l->o->max_iter : REST_ITER;
  if (l->hb->n > MANY && l->hb->f.H > few_harmonics(l)) PL_TRY(probe_rest(l, max_iter));
  PL_TRY(new_orbit(l, l->o->frequency));
  PL_TRY(start_rigid(l->hb, l->rest, l->orbit));
  pl_status s = newton(l, l->o->rtol, max_iter);
  l->singular = s == PL_UNSOLVED && l->info->reason == PL_STOP_SINGULAR;
  return s;
}

// the body follows its drives well below the first mode; from there up in frequency
static pl_status try_rigid(periodic_solver *l) {
  double first, to = l->o->frequency;
  PL_TRY(start_first_mode(l->m, l->p, l->w, l->rest, &first));
  static const double part[] = {0.1, 0.03, 0.01};
  for (int k = 0; k < 3; k++) {
    double from = first > 0 ? fmin(to, part[k] * first) : part[k] * to;
    PL_TRY(new_orbit(l, from));
    PL_TRY(start_rigid(l->hb, l->rest, l->orbit));
    pl_status s = newton(l, fmax(WAY_RTOL, l->o->rtol), l->o->max_iter);
    if (s == PL_UNSOLVED) continue;
    PL_TRY(s);
    if (from != to) PL_TRY(follow(l, FREQUENCY, from, to, from));
    return solve_here(l);
  }
  return PL_UNSOLVED;
}

// from rest without drives along the curve to their full strength, with H harmonics
static pl_status grow(periodic_solver *l, int H) {
  pl_orbit *o = NULL;
  arc a = {l->m,  l->p, l->w, H < l->hb->f.H ? 0 : l->hb->f.N, WAY_ITER, fmax(WAY_RTOL, l->o->rtol),
           l->par};
  PL_TRY(new_orbit(l, l->o->frequency));
  start_from_state(l->hb, l->rest, l->orbit);
  PL_TRY(pl_orbit_copy(l->orbit, H, &o));
  pl_status s = arc_follow(&a, o, 0, 1, l->info), back = set_amplitude(l, 1);
  if (s == PL_OK) s = back;
  if (s == PL_OK) {
    pl_orbit_free(l->orbit);
    s = pl_orbit_copy(o, l->hb->f.H, &l->orbit);
  }
  pl_orbit_free(o);
  PL_TRY(s);
  return solve_here(l);
}

// the way is cheap with a few harmonics, and often leads to where all of them go on
static pl_status try_strength(periodic_solver *l) {
  pl_status s = PL_UNSOLVED;
  int few = few_harmonics(l);
  if (l->hb->f.H > few) s = grow(l, few);
  return s == PL_UNSOLVED ? grow(l, l->hb->f.H) : s;
}

static pl_status try_transient(periodic_solver *l) {
  static const int periods[] = {40, 120, 400};
  pl_history history = {0};
  pl_state *s = NULL;
  pl_status st = pl_state_create(l->m, l->p, &s);
  if (st != PL_OK) return st;
  pl_state_copy(s, l->rest);
  st = PL_UNSOLVED;
  for (int k = 0; k < 3 && st == PL_UNSOLVED; k++) {
    st = new_orbit(l, l->o->frequency);
    if (st == PL_OK) st = start_transient(l->hb, periods[k], s, &history, l->orbit);
    if (st == PL_UNSOLVED) break;
    if (st == PL_OK) st = solve_here(l);
  }
  pl_history_free(l->env, &history);
  pl_state_free(l->m, s);
  return st;
}

static pl_status try_starts(periodic_solver *l, const pl_orbit *given) {
  typedef struct rung {
    const char *name;
    pl_status (*attempt)(periodic_solver *);
  } rung;
  static const rung rungs[] = {{"rest", try_rest},
                               {"amplitude", try_strength},
                               {"rigid-follow", try_rigid},
                               {"transient", try_transient}};
  pl_status s = PL_UNSOLVED;
  if (given) {
    l->info->start = "given";
    s = try_given(l, given);
  }
  if (s == PL_UNSOLVED && !l->rest) PL_TRY(start_static(l->m, l->p, l->w, &l->rest, NULL));
  for (size_t k = 0; k < sizeof rungs / sizeof rungs[0] && s == PL_UNSOLVED; k++) {
    l->info->start = rungs[k].name;
    s = rungs[k].attempt(l);
  }
  return s;
}

// ---- harmonics --------------------------------------------------------------------------------

// raises the harmonics until the motion changes by less than the tolerance
static pl_status raise_harmonics(periodic_solver *l) {
  double tol = harmonics_tolerance(l->orbit->nfree, l->o->adapt);
  while (l->orbit->nharm < l->most) {
    int H = harmonics_more(l->orbit->nfree, l->orbit->nharm, l->most);
    pl_orbit *less = l->orbit;
    l->orbit = NULL;
    pl_status s = pl_orbit_copy(less, H, &l->orbit);
    if (s == PL_OK) s = open_balance(l, H);
    if (s == PL_OK) s = solve_here(l);
    if (s == PL_OK) l->info->change = pl_orbit_change(l->m, less, l->orbit);
    pl_orbit_free(less);
    PL_TRY(s);
    if (l->info->change <= tol) return PL_OK;
  }
  return PL_OK;
}

static int first_harmonics(const periodic_solver *l, const pl_orbit *given) {
  const pl_periodic_opts *o = l->o;
  int top = pl_model_max_harmonic(l->m), H = top > FIRST_HARMONICS ? top : FIRST_HARMONICS;
  if (given && given->nharm > H) H = given->nharm;
  return o->harmonics > 0 ? o->harmonics : H > l->most ? l->most : H;
}

static pl_status check(periodic_solver *l, const pl_orbit *given) {
  const pl_periodic_opts *o = l->o;
  int top = pl_model_max_harmonic(l->m), most = o->harmonics > 0 ? o->harmonics : l->most;
  PL_TRY(pl_opts_check(l->env, pl_periodic_option_table, pl_periodic_option_count, o));
  if (!(o->frequency > 0))
    return pl_fail(l->env, PL_E_INPUT, "periodic: frequency must be > 0, got %g rad/s",
                   o->frequency);
  if (top == 0)
    return pl_fail_at(l->env, PL_E_INPUT, NULL, 0, 0,
                      "give a drive or a load a term with harmonic 1 or more",
                      "periodic: nothing in the model oscillates");
  if (pl_model_nfree(l->m) == 0)
    return pl_fail(l->env, PL_E_INPUT,
                   "periodic: all unknowns are driven, nothing is left to find");
  if (most < top)
    return pl_fail(l->env, PL_E_INPUT,
                   "periodic: %s must be at least %d, the highest harmonic of drives and loads, "
                   "got %d",
                   o->harmonics > 0 ? "harmonics" : "max_harmonics", top, most);
  if (given && given->nfree != pl_model_nfree(l->m))
    return pl_fail(l->env, PL_E_ARG, "periodic: the start belongs to another model");
  return PL_OK;
}

// forces out of all proportion to what drives the model: an undamped resonance, solved to rounding
static pl_status check_size(periodic_solver *l) {
  pl_hb *hb = l->hb;
  size_t n = (size_t)hb->n, L = (size_t)hb->f.L;
  double *still = pl_alloc(l->env, n, sizeof *still);
  if (!still) return PL_E_NOMEM;
  pl_status s = pl_hb_eval(hb, l->orbit->z, l->orbit->omega, PL_HB_RESIDUAL);
  double moving = hb->dynamic;
  for (size_t i = 0; i < n; i += L) still[i] = l->orbit->z[i];
  if (s == PL_OK) s = pl_hb_eval(hb, still, l->orbit->omega, PL_HB_RESIDUAL);
  pl_free(l->env, still);
  if (s != PL_OK || moving <= RUNAWAY * hb->dynamic) return s < 0 || s == PL_CANCELLED ? s : PL_OK;
  l->singular = 1;
  return PL_UNSOLVED;
}

// all starts with H harmonics, and more where they are not enough
static pl_status solve_with(periodic_solver *l, const pl_orbit *given, int H) {
  PL_TRY(open_balance(l, H));
  pl_status s = try_starts(l, given);
  if (s == PL_OK) s = check_size(l);
  if (s == PL_OK && l->o->harmonics == 0) s = raise_harmonics(l);
  return s;
}

static pl_status solve(periodic_solver *l, const pl_orbit *given) {
  l->most = harmonics_most(pl_model_nfree(l->m), l->o->max_harmonics, l->o->samples);
  PL_TRY(check(l, given));
  pl_orbit *chosen = NULL;
  if (!given && l->o->branch != PL_BRANCH_ANY)
    PL_TRY(branch_choose(l->o, l->m, l->p, l->w, &chosen, &l->info->motions));
  int H = first_harmonics(l, chosen ? chosen : given);
  pl_status s = solve_with(l, chosen ? chosen : given, H);
  if (chosen) l->info->start = "branch";
  pl_orbit_free(chosen);
  // what a few harmonics do not hold, more may
  while (s == PL_UNSOLVED && !l->singular && l->o->harmonics == 0 && H < l->most) {
    H = 2 * H + 1 < l->most ? 2 * H + 1 : l->most;
    s = solve_with(l, given, H);
  }
  return s;
}

pl_status pl_periodic(const pl_periodic_opts *o, const pl_model *m, const pl_params *p, pl_work *w,
                      pl_orbit **orbit, pl_periodic_info *info) {
  pl_periodic_info own;
  if (!info) info = &own;
  *info = (pl_periodic_info){.reason = PL_STOP_MAX_ITER, .change = -1, .start = "none"};
  double begin = pl_wall_time();
  pl_params view; // its drives are scaled on the way
  PL_TRY(pl_params_view(p, &view));
  periodic_solver l = {.o = o,
                       .m = m,
                       .p = &view,
                       .par = p->par,
                       .w = w,
                       .env = w->env,
                       .info = info,
                       .amplitude = 1};
  pl_status s = solve(&l, *orbit);
  if (s == PL_OK) {
    pl_orbit_free(*orbit);
    *orbit = l.orbit;
    l.orbit = NULL;
  } else {
    info->last_good = l.last_omega;
    if (s == PL_CANCELLED) info->reason = PL_STOP_CANCELLED;
    if (s == PL_UNSOLVED && l.singular) {
      info->reason = PL_STOP_SINGULAR;
      pl_report(w->env, PL_WARNING, NULL, 0, 0, "add damping, or choose another frequency",
                "periodic: the linear response at %g rad/s is singular: an undamped resonance",
                o->frequency);
    }
  }
  pl_orbit_free(l.orbit);
  close_balance(&l);
  if (l.rest) pl_state_free(m, l.rest);
  pl_params_view_free(&view);
  info->seconds = pl_wall_time() - begin;
  return s;
}
