// Implicit Euler with limits and contact inside of its solve: method `coupled`.
#include "couple.h"
#include "step_impl.h"

#include <string.h>

enum { ROUNDS = 10 }; // solves of one step until nothing overlaps

// where the forces of limits and contact have moved x from: what the ledger of works is told
static void set_free(limit_stepper *k) {
  memcpy(k->free, k->x->q, (size_t)k->nq * sizeof *k->free);
  for (int i = 0; i < 3 * k->nnode; i++)
    if (k->free_index[i] >= 0 && k->mass[i / 3] > 0)
      k->free[i] -= k->w->r[i] / (k->da * k->mass[i / 3]);
}

static pl_status solve(limit_stepper *k, const pl_clock *c) {
  pl_project_info *info = &k->step.project;
  barrier_set *b = &k->barrier_set;
  pl_status s = couple_solve(k->couple, c, k->dv, k->da, k->vc, k->ac, b->nbar, b->bar, &k->warm[0],
                             k->x, info);
  k->step.nproject++;
  k->step.niter += info->iterations;
  k->step.newton += info->iterations;
  k->step.seconds_project += info->seconds;
  k->info->iterations += info->iterations;
  if (s == PL_UNSOLVED) k->info->nunsolved++;
  k->info->nlifted += info->lifted;
  return s;
}

pl_status couple_step(limit_stepper *k, double h, double t) {
  pl_clock c = {t, k->o->frequency, 1, k->o->ramp};
  int more = 1;
  if (!k->couple) PL_TRY(couple_create(k->po, k->m, k->p, k->w, k->sheet, &k->couple));
  rule_euler(k, h, k->s->q, k->s->v);
  for (int i = 0; i < k->nq; i++) k->free[i] = k->s->q[i] + h * k->s->v[i];
  if (barrier_set_any(&k->barrier_set))
    PL_TRY(barrier_set_begin(&k->barrier_set, k->s->q, k->free, h, t));
  for (int round = 0; more > 0; round++) {
    if (round == ROUNDS) return PL_UNSOLVED;
    pl_state_copy(k->x, k->s);
    for (int i = 0; i < k->nq; i++)
      if (k->free_index[i] >= 0) k->x->q[i] = k->s->q[i] + h * k->s->v[i];
    PL_TRY(solve(k, &c));
    more = 0;
    if (barrier_set_any(&k->barrier_set)) PL_TRY(barrier_set_more(&k->barrier_set, k->x->q, &more));
  }
  set_free(k);
  energy_solve(k, h, k->x->q, k->s->v, k->x->v);
  return PL_OK;
}
