// Energies of a step and the works in it. A force F that acts in a solve of length h does the work
// h F.(v0 + v1)/2: all works together are then the change of kinetic energy of implicit Euler, and
// an impact takes what it takes from the velocity.
#include "program.h"
#include "step_impl.h"

#include <string.h>

// power of drives, and of loads that change with time
static double driven_power(limit_stepper *k, const pl_state *s, const pl_clock *c) {
  double sum = 0;
  pl_load(k->m, k->p, c, k->load);
  pl_load(k->m, k->p, &(pl_clock){.scale = 1, .timed = -1}, k->rest);
  for (int i = 0; i < k->nq; i++)
    sum += (k->load[i] - k->rest[i] + (k->free_index[i] < 0 ? k->w->r[i] : 0)) * s->v[i];
  return sum;
}

// energy and powers at a state; what they are made of stays in w
static pl_status evaluate(limit_stepper *k, const pl_state *s, power *now) {
  pl_clock c = {s->t, k->o->frequency, 1, k->o->ramp, 1};
  PL_TRY(pl_eval(k->m, k->p, s, &c, PL_WANT_ENERGY | PL_WANT_FORCE | PL_DYNAMIC, NULL, k->w));
  now->energy = k->w->kinetic + k->w->potential;
  now->damping = -k->w->dissipated;
  now->driven = driven_power(k, s, &c);
  return PL_OK;
}

pl_status energy_eval(limit_stepper *k, const pl_state *s, power *now) {
  pl_limit_step *p = &k->step;
  PL_TRY(evaluate(k, s, now));
  p->kinetic = k->w->kinetic;
  p->elastic = k->w->elastic;
  p->outer = k->w->potential - k->w->elastic;
  double most = fmax(p->kinetic, fmax(fabs(p->elastic), fabs(p->outer)));
  k->info->scale = fmax(k->info->scale, most);
  return PL_OK;
}

// sum of force times velocity over the given corners of a triangle, from its stress P[2][3] and the
// gradients g[3][2]
static double corner_power(const limit_stepper *k, int t, const double *g, const double P[6],
                           const double *v) {
  double sum = 0;
  for (int a = 0; a < 3; a++)
    for (int c = 0; c < 3; c++) {
      int i = 3 * k->sheet->tri[3 * t + a] + c;
      if (k->free_index[i] < 0) sum -= (P[c] * g[2 * a] + P[3 + c] * g[2 * a + 1]) * v[i];
    }
  return sum;
}

// Power over da of the forces by which limits pull at driven unknowns, from the multipliers of the
// last projection: F Lambda of an ellipse, z y of a direction.
static double held_power(const limit_stepper *k, const double *x, const double *v) {
  const pl_sheet *s = k->sheet;
  double sum = 0;
  for (int i = 0; i < s->nround; i++) {
    const double *z = k->used->dual + 3 * i, *g = s->round + 6 * i;
    double F[6], P[6], a = (z[0] + z[1]) / 2, b = z[2] / 2, d = (z[0] - z[1]) / 2;
    sheet_gradient(s, s->round_tri[i], g, x, F);
    for (int c = 0; c < 3; c++) {
      P[c] = a * F[c] + b * F[3 + c];
      P[3 + c] = b * F[c] + d * F[3 + c];
    }
    sum += corner_power(k, s->round_tri[i], g, P, v);
  }
  for (int i = 0; i < s->nflat; i++) {
    const double *h = s->flat + 3 * i, z = k->used->dual[3 * (s->nround + i)];
    double g[6] = {h[0], 0, h[1], 0, h[2], 0}, F[6];
    sheet_gradient(s, s->flat_tri[i], g, x, F);
    for (int c = 0; c < 6; c++) F[c] *= z;
    sum += corner_power(k, s->flat_tri[i], g, F, v);
  }
  return sum * s->program->scale;
}

void energy_impulse(limit_stepper *k, const double *x, const double *force, double span,
                    double factor, const double *v0, const double *v1) {
  for (int i = 0; i < k->nq; i++) k->v[i] = 0.5 * (v0[i] + v1[i]);
  double all = 0, pushed = barrier_set_impulse(&k->barrier_set, factor, k->v), held = 0;
  for (int i = 0; i < 3 * k->nnode; i++)
    if (k->free_index[i] >= 0) all += span * force[i] * k->v[i];
  if (k->used && k->used->dual) held = factor * held_power(k, x, k->v);
  k->work[0] += all - pushed + held;
  k->work[1] += pushed;
  k->work[2] -= held;
}

const double *energy_shift(limit_stepper *k, const double *from, const double *to) {
  memset(k->load, 0, (size_t)k->nq * sizeof *k->load);
  for (int i = 0; i < 3 * k->nnode; i++) k->load[i] = to[i] - from[i];
  pl_csc_mul(&k->p->M, 1, k->load, 0, k->rest);
  return k->rest;
}

pl_status energy_damping(limit_stepper *k, double h) {
  power now;
  pl_state_copy(k->mid, k->x);
  for (int i = 0; i < k->nq; i++) k->mid->v[i] = (k->x->q[i] - k->s->q[i]) / h;
  PL_TRY(evaluate(k, k->mid, &now));
  k->damped = h * now.damping;
  return PL_OK;
}

pl_status energy_move(limit_stepper *k, const pl_state *from, const pl_state *to) {
  power before, after;
  PL_TRY(evaluate(k, from, &before));
  PL_TRY(evaluate(k, to, &after));
  k->work[0] += after.energy - before.energy;
  return PL_OK;
}

pl_status energy_gain(limit_stepper *k, double h, double *gain) {
  power now;
  PL_TRY(evaluate(k, k->x, &now));
  double others = 0.5 * h * (k->power.damping + now.damping + k->power.driven + now.driven);
  *gain = now.energy - k->power.energy - others - k->work[1] - k->work[2];
  return PL_OK;
}

pl_status energy_accept(limit_stepper *k, double h) {
  pl_ledger *sum = &k->motion.hist.ledger;
  power before = k->power;
  PL_TRY(energy_eval(k, k->s, &k->power));
  sum->limits += k->work[0];
  sum->contact += k->work[1];
  int known = k->o->method == PL_NEWMARK;
  sum->damping += known ? k->damped : 0.5 * h * (before.damping + k->power.damping);
  sum->drives += 0.5 * h * (before.driven + k->power.driven) + k->work[2];
  pl_limit_step *p = &k->step;
  p->limiter = sum->limits;
  p->contact = sum->contact;
  p->damping = sum->damping;
  p->driven = sum->drives;
  p->loss = p->kinetic + p->elastic + p->outer - sum->start - p->limiter - p->contact - p->damping -
            p->driven;
  return PL_OK;
}
