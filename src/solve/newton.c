// Newton's method for static equilibrium: descent on the potential, and plain steps along a path.
#include "solve_impl.h"

#include <string.h>

enum {
  STALE = 3,       // iterations without a smaller residual before rounding is suspected
  PROBE = 10,      // iterations that may pass before the energy must have fallen
  PATIENCE = 30,   // iterations with a shift in a row before something else is tried, and back
  FOLLOW_ITER = 25 // plain Newton steps before a path is given up
};
static const double ARMIJO = 1e-4, TAU_MIN = 1e-11, TAU_MAX = 1e3;

pl_status equil_open(equil *e) {
  size_t n = (size_t)e->n, nq = (size_t)e->nq;
  e->g = pl_alloc(e->env, n, sizeof *e->g);
  e->d = pl_alloc(e->env, n, sizeof *e->d);
  e->b = pl_alloc(e->env, n, sizeof *e->b);
  e->q0 = pl_alloc(e->env, nq, sizeof *e->q0);
  e->qref = pl_alloc(e->env, nq, sizeof *e->qref);
  e->factored = pl_alloc(e->env, (size_t)e->w->A.nnz, sizeof *e->factored);
  if (!e->g || !e->d || !e->b || !e->q0 || !e->qref || !e->factored) return PL_E_NOMEM;
  for (int g = 0; g < pl_model_ngroup(e->m); g++)
    e->barriers += pl_model_group_kind(e->m, g)->eval_law != NULL;
  return pl_state_create(e->m, e->p, &e->x);
}

void equil_close(equil *e) {
  pl_state_free(e->m, e->x);
  pl_factor_free(e->chol);
  pl_factor_free(e->ldl);
  pl_free(e->env, e->g);
  pl_free(e->env, e->d);
  pl_free(e->env, e->b);
  pl_free(e->env, e->q0);
  pl_free(e->env, e->qref);
  pl_free(e->env, e->factored);
}

pl_status equil_eval(equil *e, unsigned want) {
  static const pl_coef stiffness = {.k = 1};
  PL_TRY(pl_eval(e->m, e->p, e->x, &e->clock, want, &stiffness, e->w));
  for (int i = 0; e->released && i < e->nq; i++) {
    double f = (1 - e->clock.scale) * e->released[i];
    if (want & PL_WANT_FORCE) e->w->r[i] -= f;
    e->w->potential -= f * (e->x->q[i] - e->p->X[i]);
  }
  return PL_OK;
}

balance equil_balance(const equil *e) {
  const pl_work *w = e->w;
  balance b = {.energy = w->potential};
  for (int i = 0; i < e->n; i++) b.residual = fmax(b.residual, fabs(w->r[e->dof[i]]));

  // r = inner - outer; reactions are inner forces of driven unknowns
  double sum = fabs(w->elastic) + fabs(w->outer);
  for (int i = 0; i < e->nq - pl_model_namplitude(e->m); i++) {
    double inner = fabs(w->f_inner[i]), outer = fabs(w->f_inner[i] - w->r[i]);
    b.force = fmax(b.force, fmax(inner, outer));
    sum += (inner + outer) * fabs(e->x->q[i]);
  }
  b.noise = 16 * DBL_EPSILON * sum;
  return b;
}

void equil_move(equil *e, const double *q, double step, const double *d) {
  for (int i = 0; i < e->n; i++) e->x->q[e->dof[i]] = q[e->dof[i]] + step * d[i];
}

pl_status equil_cholesky(equil *e) {
  const pl_csc *A = &e->w->A;
  size_t size = (size_t)A->nnz * sizeof *A->val;
  if (e->known && memcmp(e->factored, A->val, size) == 0) return PL_OK;
  e->known = 0;
  if (!e->chol) PL_TRY(pl_factor_create_on(e->env, PL_CHOLESKY, A, 1, e->w->threads, &e->chol));
  e->info->factorisations++;
  PL_TRY(pl_factor_numeric(e->chol, A));
  memcpy(e->factored, A->val, size);
  e->known = 1;
  return PL_OK;
}

pl_status equil_ldl(equil *e) {
  if (!e->ldl) PL_TRY(pl_factor_create_on(e->env, PL_LDL, &e->w->A, 1, e->w->threads, &e->ldl));
  e->info->factorisations++;
  pl_status s = pl_factor_numeric(e->ldl, &e->w->A);
  e->nneg = pl_factor_stats(e->ldl).nneg;
  return s;
}

static int is_angle(const equil *e, int i) {
  return e->dof[i] >= pl_model_nnode(e->m) * pl_model_dim(e->m);
}

// A + tau D positive definite, D the diagonal of A with a floor of force over extent (the stiffness
// that loads give to a mechanism).
static pl_status shift(equil *e, double force) {
  pl_csc *K = &e->w->A;
  double top = 0, applied = 0;
  for (int i = 0; i < e->n; i++) {
    e->b[i] = fabs(*pl_csc_diagonal(K, i));
    top = fmax(top, e->b[i]);
  }
  // per length of places, times length of angles
  double low[2] = {e->extent > 0 ? force / e->extent : 0, force * e->extent};
  for (int i = 0; i < 2; i++) low[i] = fmax(1e-12 * top, low[i]);
  for (int i = 0; i < e->n; i++) {
    double least = low[is_angle(e, i)];
    e->b[i] = fmax(e->b[i], least > 0 ? least : 1);
  }

  for (double tau = fmax(e->tau, TAU_MIN); tau <= TAU_MAX; tau *= 10) {
    for (int i = 0; i < e->n; i++) *pl_csc_diagonal(K, i) += (tau - applied) * e->b[i];
    applied = tau;
    e->info->shifts++;
    pl_status s = equil_cholesky(e);
    if (s == PL_OK) e->tau = tau;
    if (s != PL_SINGULAR) return s;
  }
  return PL_SINGULAR;
}

pl_status equil_factor(equil *e, double force, int *shifted) {
  *shifted = 0;
  pl_status s = equil_cholesky(e);
  if (s == PL_OK && e->nshift < PATIENCE) e->nshift = 0;
  if (s != PL_SINGULAR) return s;
  *shifted = 1;
  // barriers of sets that are not convex push the wrong way almost everywhere: no shift helps
  if (e->nshift++ / PATIENCE % 2 == 0 && !e->barriers) return shift(e, force);
  // a shift that goes on holds slender bodies back, as it counts bending like stretching: then
  // rather without those parts of the elements that push the wrong way, which in turn hold back
  // what gives way slowly
  PL_TRY(equil_eval(e, PL_WANT_TANGENT | PL_CONVEX));
  if (e->contacts) contact_set_hold(e->contacts, &e->w->A);
  s = equil_cholesky(e);
  return s == PL_SINGULAR ? shift(e, force) : s;
}

// d = -(K + shift)^-1 g; a shifted step is no longer than half the model, and turns by no more than
// half a radian
static pl_status direction(equil *e, double force, int *shifted) {
  PL_TRY(equil_factor(e, force, shifted));
  for (int i = 0; i < e->n; i++) e->b[i] = -e->g[i];
  PL_TRY(factor_solve(e->env, e->chol, 1, e->b, e->d));
  if (!*shifted) return PL_OK;
  double most = 0;
  for (int i = 0; i < e->n; i++)
    most = fmax(most, fabs(e->d[i]) / (is_angle(e, i) ? 1 : e->extent));
  if (e->extent > 0 && most > 0.5)
    for (int i = 0; i < e->n; i++) e->d[i] *= 0.5 / most;
  return PL_OK;
}

// g' d at the state just evaluated
static double slope_now(const equil *e) {
  double s = 0;
  for (int i = 0; i < e->n; i++) s += e->w->r[e->dof[i]] * e->d[i];
  return s;
}

// energy falls enough, or, where differences of energy drown in rounding, its slope does
static int descends(const equil *e, const balance *from, double slope, double step, balance *to) {
  *to = equil_balance(e);
  if (to->energy <= from->energy + ARMIJO * step * slope) return 1;
  double noise = fmax(from->noise, to->noise);
  return to->energy <= from->energy + noise && slope_now(e) <= (2 * ARMIJO - 1) * slope;
}

// shortens from `step` by a parabola through both energies and the slope, at most to a tenth
static double shorter(double step, double slope, double e0, double e1) {
  double bend = e1 - e0 - slope * step;
  double to = bend > 0 ? -slope * step * step / (2 * bend) : 0.5 * step;
  return fmin(fmax(to, 0.1 * step), 0.5 * step);
}

// x = q0 + step d with a step that descends; PL_UNSOLVED with e->why when there is none
static pl_status line_search(equil *e, const balance *from, double slope, double *step) {
  int inside = 0;
  balance to = {0};
  while (*step >= e->o->min_step) {
    PL_TRY(pl_report_progress(e->env, NULL, -1, NULL));
    equil_move(e, e->q0, *step, e->d);
    pl_status s = equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE);
    if (s < 0) return s;
    if (s == PL_DOMAIN) {
      *step *= 0.5;
      continue;
    }
    inside = 1;
    if (descends(e, from, slope, *step, &to)) return PL_OK;
    *step = shorter(*step, slope, from->energy, to.energy);
  }
  e->why = inside ? PL_STOP_LINE_SEARCH : PL_STOP_DOMAIN;
  return PL_UNSOLVED;
}

static int negligible(const equil *e, const double *d) {
  return is_negligible(e->m, e->x->q, d);
}

// an unshifted Newton step by LDL, kept when it quarters the residual; *done: none is needed
static pl_status saddle_step(equil *e, const balance *from, int *stepped, int *done) {
  *stepped = *done = 0;
  // the values in w->A may carry a shift
  pl_status s = equil_eval(e, PL_WANT_TANGENT);
  if (s == PL_OK) s = equil_ldl(e);
  if (s == PL_SINGULAR || s == PL_DOMAIN) return PL_OK;
  PL_TRY(s);
  for (int i = 0; i < e->n; i++) e->b[i] = -e->g[i];
  PL_TRY(factor_solve(e->env, e->ldl, 1, e->b, e->b));
  *done = negligible(e, e->b);
  if (*done) return PL_OK;
  memcpy(e->q0, e->x->q, (size_t)e->nq * sizeof *e->q0);
  equil_move(e, e->q0, 1, e->b);
  s = equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE);
  if (s < 0) return s;
  *stepped = s == PL_OK && equil_balance(e).residual <= 0.25 * from->residual;
  if (!*stepped) memcpy(e->x->q, e->q0, (size_t)e->nq * sizeof *e->q0);
  return PL_OK;
}

// Lets the energy rise for a few iterations when it falls below the reference afterwards: along
// nearly rigid parts the straight way up and back down is far shorter than the curved one.
typedef struct watchdog {
  int left;        // iterations left, 0: off
  int wait, pause; // strict iterations before the next try, and how many the next failure costs
  balance ref;
  double slope;
} watchdog;

// back to the reference; the direction there is computed again
static void watchdog_lost(equil *e, watchdog *wd) {
  memcpy(e->x->q, e->qref, (size_t)e->nq * sizeof *e->qref);
  wd->left = 0;
  wd->wait = wd->pause;
  wd->pause = wd->pause < 1000 ? 2 * wd->pause : wd->pause;
}

// one step along d from x, or back to the reference of the watchdog
static pl_status apply_step(equil *e, const balance *from, int shifted, watchdog *wd) {
  double slope = 0, step = 1;
  for (int i = 0; i < e->n; i++) slope += e->g[i] * e->d[i];
  memcpy(e->q0, e->x->q, (size_t)e->nq * sizeof *e->q0);
  equil_move(e, e->q0, 1, e->d);
  pl_status s = equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE);
  if (s < 0) return s;
  balance to = {0};
  int good = s == PL_OK && descends(e, from, slope, 1, &to);
  // success with a shift: less of it next time
  if (good && shifted) e->tau *= 0.05;
  if (wd->left > 0) {
    if (good && to.energy <= wd->ref.energy + ARMIJO * wd->slope) {
      wd->left = 0;
      wd->pause = 1;
    } else if (s == PL_DOMAIN || --wd->left == 0)
      watchdog_lost(e, wd);
    return PL_OK;
  }
  if (good) {
    wd->wait -= wd->wait > 0;
    return PL_OK;
  }
  if (s == PL_OK && wd->wait == 0) {
    *wd = (watchdog){PROBE, 0, wd->pause, *from, slope};
    memcpy(e->qref, e->q0, (size_t)e->nq * sizeof *e->qref);
    return PL_OK;
  }
  wd->wait -= wd->wait > 0;
  step = s == PL_OK ? shorter(1, slope, from->energy, to.energy) : 0.5;
  return line_search(e, from, slope, &step);
}

int equil_at_rounding(equil *e, const double *g) {
  return at_rounding(e->m, &e->w->A, e->x->q, g, e->b);
}

static pl_status progress(equil *e, const balance *b) {
  e->info->residual = b->force > 0 ? b->residual / b->force : 0;
  e->info->energy = b->energy;
  if (!ticker_due(&e->tick)) return PL_OK;
  return ticker_progress(&e->tick, e->info->scale, NULL);
}

// one iteration from a point that is not in equilibrium; *done: it is, to rounding
static pl_status iterate(equil *e, const balance *b, watchdog *wd, int *done) {
  int shifted;
  gather_free(e->m, e->w->r, e->g);
  pl_status s = direction(e, b->force, &shifted);
  if (s == PL_SINGULAR) e->why = PL_STOP_SINGULAR;
  if (s == PL_SINGULAR) return PL_UNSOLVED;
  PL_TRY(s);
  e->info->iterations++;

  *done = !shifted && negligible(e, e->d);
  if (*done) return PL_OK;
  if (shifted && e->saddle && b->residual <= 1e-5 * b->force) {
    int stepped;
    PL_TRY(saddle_step(e, b, &stepped, done));
    if (stepped || *done) return PL_OK;
  }
  s = apply_step(e, b, shifted, wd);
  if (s != PL_UNSOLVED) return s;
  // no step descends: fine when the forces are balanced as well as they can be
  memcpy(e->x->q, e->q0, (size_t)e->nq * sizeof *e->q0);
  s = equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE | PL_WANT_TANGENT);
  if (s < 0) return s;
  *done = equil_at_rounding(e, e->g);
  return *done ? PL_OK : PL_UNSOLVED;
}

pl_status equil_minimise(equil *e) {
  watchdog wd = {.pause = 1};
  pl_status s;
  e->nshift = 0;
  double best = INFINITY;
  int stale = 0, most = e->limit > 0 && e->limit < e->o->max_iter ? e->limit : e->o->max_iter;
  for (int it = 0; it <= most; it++) {
    // the reference of the watchdog is measured from the anchors it was found with
    if (wd.left == 0) pl_move_anchors(e->m, e->p, e->x);
    s = equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE | PL_WANT_TANGENT);
    if (s == PL_DOMAIN) e->why = PL_STOP_DOMAIN;
    if (s == PL_DOMAIN) return PL_UNSOLVED;
    PL_TRY(s);
    balance b = equil_balance(e);
    PL_TRY(progress(e, &b));
    int done = b.residual <= e->o->rtol * b.force;
    // forces of stiff parts round off: no more can be had when they no longer fall
    stale = b.residual > 0.5 * best ? stale + 1 : 0;
    best = fmin(best, b.residual);
    if (!done && stale >= STALE) {
      gather_free(e->m, e->w->r, e->g);
      done = equil_at_rounding(e, e->g);
    }
    if (!done && it < most) PL_TRY(iterate(e, &b, &wd, &done));
    // an equilibrium above the reference of the watchdog does not count
    if (done && wd.left > 0 && b.energy > wd.ref.energy + wd.ref.noise) {
      watchdog_lost(e, &wd);
      continue;
    }
    if (done) return PL_OK;
  }
  e->why = PL_STOP_MAX_ITER;
  return PL_UNSOLVED;
}

double equil_size(const equil *e) {
  return e->extent > 0 ? e->extent : pl_max_abs(e->nq, e->x->q);
}

pl_status equil_follow(equil *e) {
  // close to a bifurcation rounding alone moves the state along the soft mode
  double first = 0, slack = FOLLOW_SLACK * equil_size(e), best = INFINITY;
  int stale = 0;
  memcpy(e->qref, e->x->q, (size_t)e->nq * sizeof *e->qref);
  e->away = 0;
  e->why = PL_STOP_STEP;
  for (int it = 0; it < FOLLOW_ITER; it++) {
    pl_status s = equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE | PL_WANT_TANGENT);
    if (s == PL_DOMAIN) return PL_UNSOLVED;
    PL_TRY(s);
    balance b = equil_balance(e);
    PL_TRY(progress(e, &b));
    s = equil_ldl(e);
    gather_free(e->m, e->w->r, e->g);
    // forces of stiff parts round off: no more can be had when they no longer fall
    stale = b.residual > 0.5 * best ? stale + 1 : 0;
    best = fmin(best, b.residual);
    int done = b.residual <= e->o->rtol * b.force || (stale >= STALE && equil_at_rounding(e, e->g));
    if (s == PL_SINGULAR) return done ? PL_OK : PL_UNSOLVED;
    PL_TRY(s);
    if (done) return PL_OK;
    for (int i = 0; i < e->n; i++) e->b[i] = -e->g[i];
    PL_TRY(factor_solve(e->env, e->ldl, 1, e->b, e->d));
    e->info->iterations++;
    double most = pl_max_abs(e->n, e->d), gone = 0;
    if (negligible(e, e->d)) return PL_OK;
    if (it == 0) first = most;
    if (it > 0) e->away += most;

    // towards a limit point the way is at most twice the first step; farther is another branch
    equil_move(e, e->x->q, 1, e->d);
    for (int i = 0; i < e->n; i++) gone = fmax(gone, fabs(e->x->q[e->dof[i]] - e->qref[e->dof[i]]));
    if (gone > 3 * first + slack) return PL_UNSOLVED;
  }
  return PL_UNSOLVED;
}

// g = r + (what moving the drives by du adds to it, linearly), at the place q0
pl_status equil_residual_displaced(equil *e, const double *displaced) {
  static const double h = 1e-6; // a part of the move: the step is a guess, six digits will do
  for (int i = 0; i < e->nq; i++) e->x->q[i] = e->q0[i] + h * (displaced[i] - e->q0[i]);
  PL_TRY(equil_eval(e, PL_WANT_FORCE));
  gather_free(e->m, e->w->r, e->g);
  memcpy(e->x->q, e->q0, (size_t)e->nq * sizeof *e->q0);
  PL_TRY(equil_eval(e, PL_WANT_FORCE | PL_WANT_TANGENT));
  for (int i = 0; i < e->n; i++) {
    double r = e->w->r[e->dof[i]];
    e->g[i] = r + (e->g[i] - r) / h;
  }
  return PL_OK;
}

pl_status equil_predict(equil *e) {
  size_t size = (size_t)e->nq * sizeof *e->q0;
  memcpy(e->q0, e->x->q, size);
  pl_drive(e->m, e->p, &e->clock, e->x);
  if (e->n == 0 || memcmp(e->q0, e->x->q, size) == 0) return PL_OK;
  memcpy(e->qref, e->x->q, size);
  int shifted;
  pl_status s = equil_residual_displaced(e, e->qref);
  if (s == PL_OK) s = direction(e, equil_balance(e).force, &shifted);
  if (s < 0) return s;

  // free unknowns carried along; left behind only when that leaves the domain, because the torn
  // elements next to the drive may find a wrong rest (turned inside out)
  memcpy(e->x->q, e->qref, size);
  if (s == PL_OK) {
    equil_move(e, e->qref, 1, e->d);
    s = equil_eval(e, PL_WANT_ENERGY);
    if (s <= 0) return s;
    memcpy(e->x->q, e->qref, size);
  }
  s = equil_eval(e, PL_WANT_ENERGY);
  if (s <= 0) return s;
  e->why = PL_STOP_DOMAIN;
  return PL_UNSOLVED;
}
