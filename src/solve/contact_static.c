// A load step with contact and Coulomb friction: Newton's method on r(q) = G f, where u_T of the
// law is the displacement in the step. Steps lower the potential with what friction and overlaps
// add.
#include "solve_impl.h"

#include <string.h>

enum {
  STALE = 3, // iterations without a smaller residual before rounding is suspected
  ROUNDS = 8 // shifts that are tried for one step
};
static const double ARMIJO = 1e-4;

// what an iteration works on
typedef struct increment {
  equil *e;
  const double *from; // [nq] places at the last load step
  double *rate;       // [nq] displacement since
  contact_rule law;
} increment;

static void displace(increment *i) {
  pl_axpy(i->e->nq, -1, i->from, i->e->x->q, i->rate);
}

// e->b = r - G f in the free unknowns and its largest entry, and the size of all forces
static void measure(increment *i, double *residual, double *force) {
  equil *e = i->e;
  *force = equil_balance(e).force;
  gather_free(e->m, e->w->r, e->g);
  memcpy(e->b, e->g, (size_t)e->n * sizeof *e->b);
  contact_set_add(e->contacts, -1, e->b);
  *residual = pl_max_abs(e->n, e->b);
  for (int k = 0; k < e->contacts->nset * e->contacts->dim; k++)
    *force = fmax(*force, fabs(e->contacts->f[k]));
}

// K, held at the contacts that press when it is not definite, and shifted when that is not enough
static pl_status factor_held(equil *e, double force, int *shifted) {
  *shifted = 0;
  pl_status s = equil_cholesky(e);
  if (s != PL_SINGULAR) return s;
  contact_set_hold(e->contacts, &e->w->A);
  return equil_factor(e, force, shifted);
}

// e->b: the step without contact. What nothing holds would be far away with the least of shifts,
// and contacts would then be all but rigid against it: a shift that keeps it near.
static pl_status free_step(equil *e, double force, int *shifted) {
  for (int round = 0;; round++) {
    PL_TRY(factor_held(e, force, shifted));
    for (int k = 0; k < e->n; k++) e->b[k] = -e->g[k];
    PL_TRY(factor_solve(e->env, e->chol, 1, e->b, e->b));
    if (!*shifted || e->extent <= 0 || round == ROUNDS) return PL_OK;
    if (pl_max_abs(e->n, e->b) <= e->extent / 4) return PL_OK;
    e->tau = fmax(100 * e->tau, 1e-10);
    PL_TRY(equil_eval(e, PL_WANT_FORCE | PL_WANT_TANGENT));
  }
}

// e->d: the step of Newton's method with contact from the residual in e->g
static pl_status direction(increment *i, double force, int *shifted) {
  equil *e = i->e;
  pl_status s = free_step(e, force, shifted);
  if (s == PL_SINGULAR) e->why = PL_STOP_SINGULAR;
  if (s == PL_SINGULAR) return PL_UNSOLVED;
  PL_TRY(s);
  e->why = PL_STOP_STEP;
  e->info->iterations++;
  s = contact_set_solve(e->contacts, &i->law, e->chol, 1, e->b, e->d);
  return s == PL_SINGULAR ? PL_UNSOLVED : s;
}

// potential, friction and overlaps at the iterate
static double merit(increment *i) {
  displace(i);
  return i->e->w->potential + contact_set_merit(i->e->contacts, &i->law);
}

// x = q0 + step d as far as the merit falls
static pl_status search(increment *i, int shifted, double residual) {
  equil *e = i->e;
  double before = merit(i), slope = pl_dot(e->n, e->g, e->d), most = pl_max_abs(e->n, e->d);
  double noise = equil_balance(e).noise, step = 1;
  int inside = 0;
  memcpy(e->q0, e->x->q, (size_t)e->nq * sizeof *e->q0);
  if (shifted && e->extent > 0 && most > e->extent / 4) step = e->extent / 4 / most;
  // what the linear step promises: friction and overlaps at its end against those at its start
  equil_move(e, e->q0, 1, e->d);
  displace(i);
  double fall = slope + contact_set_merit(e->contacts, &i->law) - (before - e->w->potential);
  for (; step >= 1e-8; step /= 2) {
    equil_move(e, e->q0, step, e->d);
    pl_status s = equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE);
    if (s < 0) return s;
    if (s == PL_DOMAIN) continue;
    inside = 1;
    double now = merit(i), r, force;
    if (now <= before + ARMIJO * step * fmin(0, fall)) return PL_OK;
    PL_TRY(contact_set_place(e->contacts, &i->law));
    measure(i, &r, &force);
    if (now <= before + fmax(noise, equil_balance(e).noise) && r < residual) return PL_OK;
  }
  e->why = inside ? PL_STOP_LINE_SEARCH : PL_STOP_DOMAIN;
  return PL_UNSOLVED;
}

// drives move to e->clock, the free unknowns with them by one linear step with contact
static pl_status predict(increment *i) {
  equil *e = i->e;
  size_t size = (size_t)e->nq * sizeof *e->q0;
  memcpy(e->q0, e->x->q, size);
  pl_drive(e->m, e->p, &e->clock, e->x);
  memcpy(e->qref, e->x->q, size);
  displace(i);
  if (e->n == 0 || memcmp(e->q0, e->qref, size) == 0) return PL_OK;
  pl_status s = equil_residual_displaced(e, e->qref);
  int shifted;
  if (s == PL_OK) s = direction(i, equil_balance(e).force, &shifted);
  if (s < 0) return s;
  memcpy(e->x->q, e->qref, size);
  if (s != PL_OK) return PL_OK;
  equil_move(e, e->qref, 1, e->d);
  s = equil_eval(e, PL_WANT_ENERGY);
  if (s == PL_DOMAIN) memcpy(e->x->q, e->qref, size);
  return s < 0 ? s : PL_OK;
}

static pl_status newton(increment *i) {
  equil *e = i->e;
  double residual, force, best = INFINITY;
  int shifted = 0, small = 0, stale = 0;
  for (int it = 0;; it++) {
    pl_move_anchors(e->m, e->p, e->x);
    pl_status s = equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE | PL_WANT_TANGENT);
    if (s == PL_DOMAIN) e->why = PL_STOP_DOMAIN;
    if (s == PL_DOMAIN) return PL_UNSOLVED;
    PL_TRY(s);
    displace(i);
    PL_TRY(contact_set_place(e->contacts, &i->law));
    measure(i, &residual, &force);
    e->info->residual = force > 0 ? residual / force : 0;
    if (ticker_due(&e->tick)) PL_TRY(ticker_progress(&e->tick, e->info->scale, NULL));
    // forces of stiff parts round off: no more can be had when they no longer fall
    stale = residual > 0.5 * best ? stale + 1 : 0;
    best = fmin(best, residual);
    int there = it > 0 && e->contacts->error <= 4 * e->contacts->slack;
    if (e->n == 0 || (there && (small || residual <= e->o->rtol * force))) return PL_OK;
    memcpy(e->d, e->b, (size_t)e->n * sizeof *e->d);
    if (there && stale >= STALE && equil_at_rounding(e, e->d)) return PL_OK;
    e->why = PL_STOP_MAX_ITER;
    if (it == e->o->max_iter) return PL_UNSOLVED;
    PL_TRY(direction(i, force, &shifted));
    small = !shifted && pl_max_abs(e->n, e->d) <= 4 * DBL_EPSILON * pl_max_abs(e->nq, e->x->q);
    s = small ? PL_OK : search(i, shifted, residual);
    if (shifted && s == PL_OK) e->tau *= 0.1;
    PL_TRY(s);
  }
}

pl_status equil_contact(equil *e, const pl_state *s) {
  increment i = {.e = e, .from = s->q};
  i.rate = pl_alloc(e->env, (size_t)e->nq, sizeof *i.rate);
  if (!i.rate) return PL_E_NOMEM;
  i.law = (contact_rule){.slope = 1, .t = s->t, .q = e->x->q, .t0 = s->t, .rate = i.rate};
  i.law.q0 = s->q;
  e->nshift = 0;
  pl_status status = contact_set_begin(e->contacts, 1);
  if (status == PL_OK) status = contact_set_place(e->contacts, &i.law);
  if (status == PL_OK) status = predict(&i);
  if (status == PL_OK) status = newton(&i);
  contact_set_push(e->contacts);
  pl_free(e->env, i.rate);
  return status;
}

pl_status equil_contact_inertia(equil *e) {
  if (e->n == 0) return PL_OK;
  PL_TRY(equil_eval(e, PL_WANT_FORCE | PL_WANT_TANGENT));
  contact_set_hold(e->contacts, &e->w->A);
  pl_status s = equil_ldl(e);
  if (s < 0) return s;
  e->info->nneg = e->nneg;
  e->info->nzero = pl_factor_stats(e->ldl).nzero;
  e->info->stable = e->nneg == 0 && e->info->nzero == 0;
  return PL_OK;
}
