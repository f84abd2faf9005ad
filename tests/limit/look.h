#ifndef LIMIT_LOOK_H
#define LIMIT_LOOK_H

// What tests of time steps look at in every step of a swinging cloth.
#include "swing.h"

static const int all_methods[] = {PL_IMPLICIT_EULER, PL_PROJECT, PL_REFLECT, PL_BDF2_PROJECT,
                                  PL_BDF2_REFLECT,   PL_COUPLED, PL_BDF2,    PL_NEWMARK};
enum { METHODS = sizeof all_methods / sizeof all_methods[0] };

typedef struct probe {
  swing *k;
  long n;
  double start;    // energy at the start
  double identity; // worst of the balance
  double energy;   // worst of what the step tells and what the model says
  double beyond;   // worst stretch over the limit, by the test's own formula
  double limit;
  double overlap;
  pl_limit_step last;
  long nalloc, grown;
} probe;

static inline double energy_of(swing *k, const pl_state *s, pl_work *w) {
  pl_clock c = {s->t, k->o.frequency, 1, k->o.ramp, 1};
  check_ok(k->env, pl_eval(k->b.m, k->b.p, s, &c, PL_WANT_ENERGY | PL_DYNAMIC, NULL, w));
  return w->kinetic + w->potential;
}

static inline int look(void *ctx, const pl_state *s, const pl_clock *c, const pl_limit_step *p) {
  probe *r = ctx;
  (void)c;
  double E = p->kinetic + p->elastic + p->outer;
  double sum = r->start + p->limiter + p->contact + p->damping + p->driven + p->loss;
  r->identity = fmax(r->identity, fabs(E - sum));
  r->energy = fmax(r->energy, fabs(E - energy_of(r->k, s, r->k->b.w)));
  if (r->limit > 0) r->beyond = fmax(r->beyond, swing_stretch(r->k, s->q) / r->limit - 1);
  r->overlap = fmax(r->overlap, p->overlap);
  if (r->n > 1 && r->k->env->nalloc > r->nalloc) r->grown++;
  r->nalloc = r->k->env->nalloc;
  r->last = *p;
  r->n++;
  return 0;
}

static inline probe probe_run(swing *k, double limit) {
  return (probe){.k = k,
                 .start = energy_of(k, k->b.s, k->b.w),
                 .limit = limit,
                 .beyond = -1,
                 .overlap = -INFINITY};
}

#endif
