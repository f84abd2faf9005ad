// Where light unknowns begin. A mass far below what a step feels follows the forces on it at once:
// begun out of balance it would ring at the rate of the steps for ever, and what hangs on it would
// feel half the force in the first step.
#include "solve_impl.h"

#include <string.h>

enum { STEPS = 8 };
static const double PART = 0.01;  // of a step: the parts in which it settles
static const double FAST = 4e-6;  // mass over stiffness times a step squared: settles in them
static const double LIGHT = 1e-6; // of the largest mass over stiffness in the model
static const double LOUD = 1e-6;  // of the largest force out of balance
static const double LAZY = 1e-6; // damping over stiffness, of a step: more creeps and does not jump

// diagonal of what the coefficients say, over the free unknowns
static pl_status diagonal(stepper *st, pl_coef coef, double *out) {
  pl_clock c = {st->s->t, st->o->frequency, 1, st->o->ramp, 1};
  unsigned want = PL_WANT_TANGENT | PL_DYNAMIC;
  PL_TRY(pl_eval(st->m, st->p, st->s, &c, want, &coef, st->w));
  const pl_csc *A = &st->w->A;
  for (int i = 0; i < st->n; i++) out[i] = *pl_csc_diagonal(A, i);
  return PL_OK;
}

static double mass_of(const stepper *st, int k) {
  const pl_csc *M = &st->p->M;
  return *pl_csc_diagonal(M, k);
}

// light[nq]: 1 where so; *loud: some of them are out of balance. The state has no accelerations.
static pl_status find_light(stepper *st, double h, int *light, int *loud) {
  double *K = st->d, *D = st->g, slow = 0, most = 0; // [n]
  PL_TRY(diagonal(st, (pl_coef){.k = 1}, K));
  PL_TRY(diagonal(st, (pl_coef){.m = -st->p->par[PL_PAR_ALPHA], .d = 1}, D));
  PL_TRY(stepper_eval(st, st->s, PL_WANT_FORCE, NULL));
  for (int i = 0; i < st->n; i++) {
    if (K[i] > 0) slow = fmax(slow, mass_of(st, st->dof[i]) / K[i]);
    most = fmax(most, fabs(st->w->r[st->dof[i]]));
  }
  *loud = 0;
  for (int i = 0; i < st->n; i++) {
    int k = st->dof[i];
    double m = mass_of(st, k);
    light[k] = K[i] > 0 && m < FAST * h * h * K[i] && m < LIGHT * slow * K[i] &&
               fabs(D[i]) <= LAZY * h * K[i];
    *loud += light[k] && fabs(st->w->r[k]) > LOUD * most;
  }
  return PL_OK;
}

// implicit Euler at one time: what is light goes where its forces balance, the rest hardly moves
static pl_status damp(stepper *st, double h) {
  rule u = {.method = PL_IMPLICIT_EULER, .h = h, .t = st->s->t, .dv = 1 / h, .da = 1 / (h * h)};
  for (int k = 0; k < STEPS; k++) {
    stepper_predict(st, &u, 0);
    PL_TRY(stepper_newton(st, &u, NEWTON_CAREFUL));
    if (st->gradient) PL_TRY(follow_rule(st, &u));
    memcpy(st->s->q, st->x->q, (size_t)st->nq * sizeof *st->s->q);
    memcpy(st->s->v, st->x->v, (size_t)st->nq * sizeof *st->s->v);
  }
  return PL_OK;
}

pl_status stepper_settle(stepper *st, double h) {
  if (st->o->method == PL_IMPLICIT_EULER || st->contacts || st->n == 0) return PL_OK;
  int *light = pl_alloc(st->env, (size_t)st->nq, sizeof *light), loud;
  if (!light) return PL_E_NOMEM;
  pl_state_copy(st->first, st->s);
  for (int i = 0; i < st->n; i++) st->s->a[st->dof[i]] = 0;
  pl_status s = find_light(st, h, light, &loud);
  int follows = s == PL_OK && loud > 0 && st->gradient;
  if (follows) s = pl_gradient_mark(st->gradient);
  if (s == PL_OK && loud > 0) s = damp(st, PART * h);
  int done = s == PL_OK && loud > 0;
  if (!done) memset(light, 0, (size_t)st->nq * sizeof *light);
  if (follows && s >= 0) pl_gradient_back(st->gradient, light);
  for (int i = 0; i < st->nq; i++) {
    if (light[i]) continue;
    st->s->q[i] = st->first->q[i];
    st->s->v[i] = st->first->v[i];
  }
  memcpy(st->s->a, st->first->a, (size_t)st->nq * sizeof *st->s->a);
  pl_free(st->env, light);
  st->info->settled = done ? loud : 0;
  if (s == PL_UNSOLVED || s == PL_DOMAIN) return PL_OK;
  PL_TRY(s);
  return done ? stepper_begin(st) : PL_OK;
}
