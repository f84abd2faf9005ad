// A time step with contact and Coulomb friction: Newton's method on r(q, v, a) = G f, where each
// iteration solves Coulomb's law for the forces at the end of the step.
#include "solve_impl.h"

#include <string.h>

enum {
  STALE = 3, // iterations without a smaller residual before rounding is suspected
  SLOW = 12  // iterations in which steps must get anywhere
};
static const double SOME = 1e-3;  // of the residual: what is left of it then
static const double SAME = 1e-6;  // of the places: a correction that leaves the tangent as it was
static const double ASTRAY = 1e3; // of the forces at first: from there iterations do not come back
static const double NEXT = 0.01;  // of rounding: a correction that is not made
static const double TAU_MIN = 1e-6, TAU_MAX = 1e3; // shifts of an indefinite tangent

// a definite tangent: held where contacts press, and with more on its diagonal
static pl_status factor_definite(stepper *st) {
  pl_csc *A = &st->w->A;
  double applied = 0;
  st->which = 0;
  contact_set_hold(st->contacts, A);
  for (int i = 0; i < st->n; i++) st->d[i] = fabs(*pl_csc_diagonal(A, i));
  for (double tau = 0; tau <= TAU_MAX; tau = tau > 0 ? 10 * tau : TAU_MIN) {
    for (int i = 0; i < st->n; i++) *pl_csc_diagonal(A, i) += (tau - applied) * st->d[i];
    applied = tau;
    st->info->factorisations++;
    pl_status s = pl_factor_numeric(st->chol, A);
    if (s != PL_SINGULAR) return s;
  }
  return PL_UNSOLVED;
}

// residual with the forces of contact, and the size of all forces
static void measure(stepper *st, double *residual, double *force) {
  stepper_measure(st, residual, force);
  memcpy(st->d, st->g, (size_t)st->n * sizeof *st->d);
  contact_set_add(st->contacts, 1, st->d);
  *residual = pl_max_abs(st->n, st->d);
  for (int i = 0; i < st->contacts->nset * st->contacts->dim; i++)
    *force = fmax(*force, fabs(st->contacts->f[i]));
}

// x = base + d, or as far as elements stay in their domain
static pl_status step_velocities(stepper *st, const rule *u) {
  pl_state_copy(st->base, st->x);
  double free = st->contacts->bodies ? st->contacts->bodies->free : 1;
  for (double step = free; step > 1e-3 * free; step /= 2) {
    stepper_move(st, u, step);
    pl_status s = stepper_forces(st, u);
    if (s != PL_DOMAIN) return s;
  }
  return PL_UNSOLVED;
}

// The factor at hand serves once more; the law of impacts takes its metric from it, which is to be
// that of the end of the step.
static int keeps_factor(const stepper *st, const rule *u, double last) {
  int metric =
      u->method == PL_NEWMARK && st->o->impact != PL_IMPACT_NONE && st->o->impact != PL_IMPACT_MASS;
  return stepper_keeps_factor(st) && (!metric || last <= SAME);
}

// st->d from the residual in st->g. The law needs compliances that are positive; those of an
// indefinite tangent may be, elsewhere than where it is weak.
static pl_status direction(stepper *st, const contact_rule *law, int keep) {
  double *d0 = st->ma; // [nq], free until the next residual
  pl_status s = keep ? PL_OK : stepper_factor(st);
  if (s < 0 || s == PL_CANCELLED) return s;
  if (s == PL_OK) {
    pl_factor *A = st->which == 1 ? st->chol : st->ldl;
    PL_TRY(factor_solve(st->env, A, 1, st->g, d0));
    s = contact_set_solve(st->contacts, law, A, st->which == 1, d0, st->d);
    if (s != PL_SINGULAR) return s;
  }
  PL_TRY(factor_definite(st));
  PL_TRY(factor_solve(st->env, st->chol, 1, st->g, d0));
  s = contact_set_solve(st->contacts, law, st->chol, 1, d0, st->d);
  return s == PL_SINGULAR ? PL_UNSOLVED : s;
}

// the same along which the potential of the step falls, with the forces of contact as they are
static pl_status direction_down(stepper *st, const rule *u, const contact_rule *law) {
  double *d0 = st->ma;
  PL_TRY(stepper_convex(st, u));
  PL_TRY(factor_solve(st->env, st->chol, 1, st->g, d0));
  PL_TRY(contact_set_solve(st->contacts, law, st->chol, 1, d0, st->d));
  contact_set_add(st->contacts, 1, st->g);
  return PL_OK;
}

// one correction; *last: the largest entry of it over that of the places
static pl_status iterate(stepper *st, const rule *u, const contact_rule *law, int sure,
                         double *last) {
  int keep = !sure && keeps_factor(st, u, *last);
  pl_status s = sure ? direction_down(st, u, law) : keep ? PL_OK : stepper_tangent(st, u);
  if (s == PL_DOMAIN || s == PL_SINGULAR) return PL_UNSOLVED;
  PL_TRY(s);
  if (!sure) PL_TRY(direction(st, law, keep));
  st->info->iterations++;
  // a place that happens to be zero says nothing: the way of the step does
  double size = fmax(pl_max_abs(st->nq, st->x->q), pl_max_abs(st->nq, st->s->q));
  size = fmax(size, u->h * pl_max_abs(st->nq, st->s->v));
  st->displaced = pl_max_abs(st->n, st->d);
  *last = size > 0 ? st->displaced / size : INFINITY;
  return sure && *last > 4 * DBL_EPSILON ? stepper_descend(st, u) : step_velocities(st, u);
}

// No further correction can be told from rounding, by this one or by what it was of the one before.
static int is_last(double size, double before) {
  int shrinks = before < INFINITY && size < before;
  return size <= 4 * DBL_EPSILON || (shrinks && size * (size / before) <= NEXT * DBL_EPSILON);
}

// Steps that get nowhere: plain ones with faces at obstacles; those downhill of solids with
// damping, of which the potential that they go by knows little. Shorter ones do better.
static int may_give_up(const stepper *st, int sure) {
  int faces = surface_any(st->contacts);
  return sure ? st->damped && !faces : faces;
}

// So do plain steps of such solids where tangents stay far from definite, and these are not tried
// downhill before they are a quarter.
static int is_to_be_halved(const stepper *st, const rule *u) {
  return st->damped && !surface_any(st->contacts) && !st->o->adaptive &&
         u->h > 0.3 * st->hist->step;
}

static pl_status newton(stepper *st, const rule *u, int sure) {
  contact_rule law = {.slope = u->dv, .drag = 1, .t = u->t, .q = st->x->q, .rate = st->x->v};
  double residual, force, first = 0, start = 0, best = INFINITY;
  double last = INFINITY, earlier = INFINITY;
  int stale = 0, shifts = 0;
  law.t0 = st->s->t;
  law.q0 = st->s->q;
  pl_status s = stepper_start(st, u);
  if (s == PL_DOMAIN) return PL_UNSOLVED;
  PL_TRY(s);
  for (int it = 0;; it++) {
    PL_TRY(contact_set_place(st->contacts, &law));
    measure(st, &residual, &force);
    stepper_observe(st, residual);
    int there = it > 0 && st->contacts->error <= 4 * st->contacts->slack;
    if (st->n == 0 || (there && (is_last(last, earlier) || residual <= st->o->rtol * force))) break;
    // corrections that only follow the rounding of stiff forces
    stale = residual > 0.5 * best ? stale + 1 : 0;
    if (there && stale >= STALE && last <= 1000 * DBL_EPSILON) break;
    if (it == st->o->max_iter || (!sure && it > 4 && residual > 1e3 * best)) return PL_UNSOLVED;
    best = fmin(best, residual);
    if (it == 0) first = best;
    if (it <= 1) start = fmax(start, force);
    if (it > 4 && force > ASTRAY * start) return PL_UNSOLVED;
    if (it == SLOW && best > SOME * first && may_give_up(st, sure)) return PL_UNSOLVED;
    PL_TRY(stepper_progress(st));
    earlier = last;
    PL_TRY(iterate(st, u, &law, sure, &last));
    shifts += st->which == 0;
    if (shifts > 1 && is_to_be_halved(st, u)) return PL_UNSOLVED;
  }
  if (force > 0) st->info->residual = fmax(st->info->residual, residual / force);
  return PL_OK;
}

// Newmark: forces of contact act at the end of the step and no longer, so that the acceleration of
// the next one starts without them
static pl_status leave_impulse(stepper *st) {
  contact_set *t = st->contacts;
  memset(t->more, 0, (size_t)st->n * sizeof *t->more);
  if (t->nset == 0) return PL_OK;
  memset(st->g, 0, (size_t)st->n * sizeof *st->g);
  contact_set_add(t, -1, st->g);
  PL_TRY(stepper_mass_solve(st));
  memcpy(t->more, st->d, (size_t)st->n * sizeof *t->more);
  for (int i = 0; i < st->n; i++) st->x->a[st->dof[i]] += st->d[i];
  return PL_OK;
}

// start from velocities kept: accelerations without the forces that hold contacts lead far off
static void coast(stepper *st, const rule *u) {
  const pl_state *s = st->s;
  stepper_predict(st, u, 0);
  for (int i = 0; i < st->n; i++) {
    int k = st->dof[i];
    if (!st->heavy[k]) continue;
    double d = s->q[k] + u->h * s->v[k] - st->x->q[k];
    st->x->q[k] += d;
    st->x->v[k] += u->dv * d;
    st->x->a[k] += u->da * d;
  }
}

static double kinetic(stepper *st) {
  const double *v = st->x->v;
  return stepper_mass_form(st, v, 0, v, v, 0, v);
}

// An impact ends a history: the formula over the states before it would throw nodes back.
static pl_status land(stepper *st, const rule *u) {
  double before = kinetic(st);
  contact_set_land(st->contacts, st->x->v);
  double lost = before - kinetic(st);
  if (lost == 0) return PL_OK;
  // the impact is what the rule loses energy by
  st->audit.contact += lost + st->audit.damped;
  st->audit.damped = 0;
  st->audit.kinetic -= lost;
  st->audit.work -= lost;
  return stepper_eval(st, st->x, PL_WANT_ENERGY | PL_WANT_FORCE, u);
}

// BDF2: forces f and, in the step before, f0 do the work (f + f0)/2 over the way.
static void book_two(stepper *st, const rule *u) {
  const contact_set *t = st->contacts;
  for (int i = 0; i < t->k->npair; i++) {
    const pl_contact_pair *a = &t->k->pair[i];
    const double *w = t->k->obstacle[a->obstacle].velocity;
    for (int c = 0; c < t->dim; c++) {
      int k = a->node * t->dim + c;
      double f = 0;
      for (int d = 0; d < t->dim; d++) {
        f += 0.5 * a->force[d] * a->place.frame[d][c];
        if (t->in[i] >= 0) f += 0.5 * t->f[t->in[i] * t->dim + d] * t->place[i].frame[d][c];
      }
      st->audit.pushed += u->h * f * w[c];
      st->audit.contact += f * (u->h * w[c] - (st->x->q[k] - st->s->q[k]));
    }
  }
  // of faces and edges those of this step do all of it
  for (int i = 0; i < t->nset * t->dim; i++) {
    if (!contact_set_is_surface(t, i / t->dim)) continue;
    double drag = u->h * contact_set_drag(t, i);
    double way = contact_set_along(t, i, st->x->q) - contact_set_along(t, i, st->s->q);
    st->audit.pushed += t->f[i] * drag;
    st->audit.contact += t->f[i] * (drag - way);
  }
}

// Impulses p of contact between velocities v and v1 give p.(v + v1)/2: p.w of obstacles that move
// with w, less what friction and impacts take.
static void book_forces(stepper *st, const rule *u) {
  const contact_set *t = st->contacts;
  double span = u->h * t->share;
  for (int i = 0; i < t->nset * t->dim; i++) {
    double p = span * t->f[i], drag = contact_set_drag(t, i);
    double old = contact_set_along(t, i, st->s->v), new = contact_set_along(t, i, st->x->v);
    st->audit.pushed += p * drag;
    st->audit.contact += p * (drag - 0.5 * (new + old));
    // the rule has it as p.v1
    if (u->method != PL_NEWMARK) st->audit.damped -= 0.5 * p * (new - old);
  }
}

// Solids that are not near each other go on; others begin where they are, so that nothing has
// passed through anything: drives may not push one through another in a single step.
static pl_status start_bodies(stepper *st, const rule *u) {
  int clear, passed;
  coast(st, u);
  PL_TRY(bodies_clear(st->contacts, st->s->q, st->x->q, &clear, &passed));
  if (clear) return PL_OK;
  stepper_stay(st, u);
  PL_TRY(bodies_clear(st->contacts, st->s->q, st->x->q, &clear, &passed));
  return passed ? PL_UNSOLVED : PL_OK;
}

// M a of accelerations of the free unknowns, over all; stays until the next call
static const double *inertia(stepper *st, const double *a) {
  double *y = st->base->a;
  memset(y, 0, (size_t)st->nq * sizeof *y);
  for (int i = 0; i < st->n; i++) y[st->dof[i]] = a[i];
  pl_mass_mul(st->p, y, st->w, st->ma);
  return st->ma;
}

static int has_reactions(const stepper *st) {
  return st->o->method == PL_NEWMARK && st->n < st->nq;
}

// residual at the start of the step, which the last one has left
static pl_status start_reactions(stepper *st) {
  contact_set *t = st->contacts;
  if (!has_reactions(st) || t->k->begun) return PL_OK;
  PL_TRY(stepper_eval(st, st->s, PL_WANT_FORCE, NULL));
  memcpy(t->k->begin, st->w->r, (size_t)st->nq * sizeof *t->k->begin);
  t->k->begun = 1;
  return PL_OK;
}

// Newmark's accelerations are without what contact pushes with. In the mean of a step supports hold
//   (r + r1)/2 - G p + M M^-1 G p
// with r and r1 the residuals at its ends, p the mean forces and M^-1 over what is free. w->r
// becomes r1, and push what that is more.
static pl_status end_reactions(stepper *st) {
  contact_set *t = st->contacts;
  contact_set_push(t);
  if (!has_reactions(st)) return PL_OK;
  const double *more = inertia(st, t->more);
  for (int i = 0; i < st->nq; i++) t->end[i] = st->w->r[i] += more[i];
  t->ended = 1;
  if (t->nset == 0) return PL_OK;
  memset(st->g, 0, (size_t)st->n * sizeof *st->g);
  contact_set_add(t, t->share, st->g);
  PL_TRY(stepper_mass_solve(st));
  more = inertia(st, st->d);
  for (int i = 0; i < st->nq; i++) t->push[i] += 0.5 * (t->end[i] - t->k->begin[i]) - more[i];
  return PL_OK;
}

pl_status stepper_contact(stepper *st, const rule *u, verdict *v) {
  // v1 = v + h gamma a1: a force f gives the impulse gamma h f
  double share = u->method == PL_NEWMARK ? u->gamma : 1;
  pl_status s = PL_UNSOLVED;
  int ways = st->contacts->bodies ? 1 : 4;
  PL_TRY(start_reactions(st));
  for (int way = 0; way < ways && s == PL_UNSOLVED; way++) {
    // thin sheets bent over edges: plain steps from elsewhere do no better
    if (way > 0 && surface_any(st->contacts)) way = ways - 1;
    if (way == 3 && is_to_be_halved(st, u)) break;
    PL_TRY(contact_set_begin(st->contacts, share));
    if (st->contacts->bodies)
      PL_TRY(start_bodies(st, u));
    else if (way == 0)
      coast(st, u);
    else if (way == 3)
      stepper_stay(st, u);
    else
      stepper_predict(st, u, way == 1);
    s = newton(st, u, way == 3);
  }
  PL_TRY(s);
  *v = audit_step(st, u);
  int late = st->late, next = late_next(st), rested = 0;
  st->audit.contact = st->audit.pushed = 0;
  (u->method == PL_BDF2 ? book_two : book_forces)(st, u);
  if (u->method == PL_BDF2) PL_TRY(land(st, u));
  if (u->method == PL_NEWMARK) {
    PL_TRY(late > 0 ? stepper_mass_factor(st) : leave_impulse(st));
    whole_settle(st);
    if (st->o->impact != PL_IMPACT_NONE) PL_TRY(stepper_rest(st, u, &rested));
    st->late = next;
    if (rested) whole_settle(st);
    if (late > 0 || rested) {
      PL_TRY(stepper_accelerate(st, st->x));
      memcpy(st->contacts->more, st->d, (size_t)st->n * sizeof *st->d);
    } else if (st->whole.n > 0) {
      PL_TRY(stepper_eval(st, st->x, PL_WANT_ENERGY | PL_WANT_FORCE, NULL));
    }
    whole_accelerate(st);
  } else {
    st->late = next;
  }
  *v = audit_contact(st, u, *v);
  return end_reactions(st);
}
