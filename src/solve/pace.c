// Is a time step short enough for the motion: how far does it stray from what its start foretells,
// and how large is the error of the rule.
#include "solve_impl.h"

#include <string.h>

static const double FINE = 1e-4; // error of a step over its way that needs no closer look

double stepper_mass_form(stepper *st, const double *x0, double fx, const double *x1,
                         const double *y0, double fy, const double *y1) {
  double *y = st->base->v, sum = 0; // scratch between solves
  memset(y, 0, (size_t)st->nq * sizeof *y);
  for (int i = 0; i < st->n; i++) {
    int k = st->dof[i];
    if (st->heavy[k]) y[k] = y0[k] + fy * y1[k];
  }
  pl_mass_mul(st->p, y, st->w, st->ma);
  for (int i = 0; i < st->n; i++) {
    int k = st->dof[i];
    if (st->heavy[k]) sum += (x0[k] + fx * x1[k]) * st->ma[k];
  }
  return 0.5 * sum;
}

// h v + h^2/2 a of the start of the step
double pace_stray(stepper *st, const rule *u, int *group, int *elem) {
  const pl_state *s = st->s;
  double h = u->h, *move = st->base->v; // scratch between solves
  for (int i = 0; i < st->nq; i++) move[i] = h * s->v[i] + 0.5 * h * h * s->a[i];
  return pl_stray(st->m, st->p, s->q, st->x->q, move, group, elem);
}

double pace_factor(const rule *u) {
  // q - q(t) = (beta - 1/6) h^3 q''', not trusted to vanish
  if (u->method == PL_NEWMARK) return fmax(fabs(u->beta - 1.0 / 6), 1.0 / 24);
  if (u->method == PL_BDF2) return (1 + u->rho) * (1 + u->rho) / (6 * u->rho * (1 + 2 * u->rho));
  return 0.5; // h^2/2 q''
}

// |da A^-1 M (a1 - a)| by the mass, with the tangent A at hand: in modes that are far too fast for
// the step the change of acceleration says nothing about places
static pl_status filtered(stepper *st, const rule *u, double *out) {
  double *change = st->base->q; // [nq]
  const pl_state *s = st->s, *x = st->x;
  memset(change, 0, (size_t)st->nq * sizeof *change);
  for (int i = 0; i < st->n; i++) {
    int k = st->dof[i];
    if (st->heavy[k]) change[k] = x->a[k] - s->a[k];
  }
  pl_mass_mul(st->p, change, st->w, st->ma);
  gather_free(st->m, st->ma, st->g);
  PL_TRY(factor_solve(st->env, st->which == 1 ? st->chol : st->ldl, 1, st->g, st->d));
  for (int i = 0; i < st->n; i++) change[st->dof[i]] = u->da * st->d[i];
  *out = sqrt(2 * stepper_mass_form(st, change, 0, change, change, 0, change));
  return PL_OK;
}

// what is left of an error at the end of a step: damping takes it as it takes the motion's energy
static double remainder_of_error(const stepper *st, double h) {
  double taken = st->w->slipped + st->w->dissipated * h, energy = audit_energy(st);
  return energy > 0 && taken > 0 ? exp(-0.5 * taken / energy) : 1;
}

pl_status pace_accept(stepper *st, const rule *u) {
  const pl_state *s = st->s, *x = st->x;
  const double *X = st->p->X;
  // methods with a memory repeat their errors
  double factor = pace_factor(u) * u->h * u->h * (u->method == PL_BDF2 ? u->c0 : 1);
  pl_ledger *l = &st->hist->ledger;
  if (u->method == PL_IMPLICIT_EULER || st->contacts || st->n == 0) return PL_OK;
  double way = sqrt(2 * stepper_mass_form(st, x->q, -1, s->q, x->q, -1, s->q));
  double change = sqrt(2 * stepper_mass_form(st, x->a, -1, s->a, x->a, -1, s->a));
  if (factor * change > FINE * way && st->which > 0) PL_TRY(filtered(st, u, &change));
  l->error = l->error * remainder_of_error(st, u->h) + factor * change;
  l->drift = fmax(l->drift, l->error);
  l->peak = fmax(l->peak, sqrt(2 * stepper_mass_form(st, x->q, -1, X, x->q, -1, X)));
  return PL_OK;
}
