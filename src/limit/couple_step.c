// Steps with limits and contact inside of their solve: implicit Euler (method `coupled`), BDF2 and
// Newmark.
#include "couple.h"
#include "step_impl.h"

#include <string.h>

// Part of a step for which velocities are allowed: the less, the less of turning motions limits
// take.
static const double AHEAD = 0.1;

// from k->free by the rule at hand; which: of a step's two solves
static pl_status couple_free_state(limit_stepper *k, int which) {
  pl_project_info *info = &k->step.project;
  barrier_set *b = &k->barrier_set;
  pl_clock c = {b->t, k->o->frequency, 1, k->o->ramp, 1};
  pl_state_copy(k->x, k->s);
  for (int i = 0; i < k->nq; i++)
    if (k->free_index[i] >= 0) k->x->q[i] = k->free[i];
  pl_status s = couple_solve(k->couple, &c, k->dv, k->da, k->vc, k->ac, b->nbar, b->bar,
                             &k->warm_start[which], k->x, info);
  k->step.nproject++;
  k->step.niter += info->iterations;
  k->step.newton += info->iterations;
  k->step.seconds_step += info->seconds;
  k->info->iterations += info->iterations;
  if (s == PL_UNSOLVED) k->info->nunsolved++;
  k->info->nlifted += info->lifted;
  k->used = s == PL_OK ? &k->warm_start[which] : NULL;
  return s;
}

static pl_status solve(void *ctx) {
  return couple_free_state(ctx, 0);
}

// x by the rule at hand
static pl_status solve_all(limit_stepper *k, double h, double t) {
  if (!k->couple) PL_TRY(couple_create(k->po, k->m, k->p, k->w, k->sheet, &k->couple));
  for (int i = 0; i < k->nq; i++) k->free[i] = k->s->q[i] + h * k->s->v[i];
  k->barrier_set.t = t;
  return barrier_set_solve(&k->barrier_set, k->s->q, k->free, h, t, k->x->q, solve, k);
}

// forces of limits and contact are what is out of balance without them
static void book(limit_stepper *k, double span) {
  energy_impulse(k, k->x->q, k->w->r, span, span * k->da, k->s->v, k->x->v);
}

pl_status couple_step(limit_stepper *k, double h, double t) {
  rule_euler(k, h, k->s->q, k->s->v);
  PL_TRY(solve_all(k, h, t));
  book(k, h);
  return PL_OK;
}

pl_status couple_bdf2_step(limit_stepper *k, double h, double t) {
  const pl_history *b = &k->motion.hist;
  if (b->last_step > 0)
    rule_bdf2(k, h, k->s->q, k->s->v, b->last_step, b->q1, b->v1);
  else
    rule_euler(k, h, k->s->q, k->s->v);
  PL_TRY(solve_all(k, h, t));
  barrier_set_land(&k->barrier_set, k->x->v);
  book(k, h);
  return PL_OK;
}

// ---- Newmark ------------------------------------------------------------------------------------

static void rule_newmark(limit_stepper *k, double h) {
  double beta = k->o->newmark_beta, gamma = k->o->newmark_gamma;
  const pl_state *s = k->s;
  k->dv = gamma / (beta * h);
  k->da = 1 / (beta * h * h);
  for (int i = 0; i < k->nq; i++) {
    k->ac[i] = -k->da * (s->q[i] + h * s->v[i] + h * h * (0.5 - beta) * s->a[i]);
    k->vc[i] = s->v[i] + h * (1 - gamma) * s->a[i] + gamma * h * k->ac[i];
  }
}

// limits and contact let velocities be: nothing is at its limit, and nothing presses
static int is_free(const limit_stepper *k) {
  return k->step.project.nactive == 0 && k->step.project.nbarrier == 0;
}

static int is_diagonal(const pl_csc *M) {
  for (pl_entry e = {.k = -1}; pl_csc_next(M, &e);)
    if (e.i != e.j && M->val[e.k] != 0) return 0;
  return 1;
}

// Where the mass is no diagonal: a short step of implicit Euler, in which forces are those of its
// start but for what the way changes of them.
static pl_status rest_coupled(limit_stepper *k, double h) {
  const pl_state *v = k->mid;
  k->dv = 1 / h;
  k->da = 1 / (h * h);
  for (int i = 0; i < k->nq; i++) {
    k->vc[i] = -v->q[i] / h;
    k->ac[i] = v->a[i] - (v->q[i] / h + v->v[i]) / h;
  }
  return couple_free_state(k, 1);
}

// The law once more, for velocities and the impulses of the whole step, in the metric of the mass:
// of those by which x may go on the nearest to what they are without. Their energy cannot rise, and
// what is closed does not open again by itself. Places stay.
static pl_status rest(limit_stepper *k, double h, double span) {
  pl_state *x = k->x, *v = k->mid;
  pl_state_copy(v, x);
  PL_TRY(pl_implicit_accelerate(k->implicit, v));
  for (int i = 0; i < k->nq; i++)
    if (k->free_index[i] >= 0) v->v[i] -= span * (x->a[i] - v->a[i]);
  energy_impulse(k, x->q, energy_shift(k, x->v, v->v), 1, -span * k->da, x->v, v->v);
  barrier_set_rest(&k->barrier_set, x->q, h);
  for (int i = 0; i < k->nq; i++) k->free[i] = x->q[i] + h * v->v[i];
  int coupled = !is_diagonal(&k->p->M);
  PL_TRY(coupled ? rest_coupled(k, h) : project_free(k, 1));
  for (int i = 0; i < k->nq; i++)
    if (k->free_index[i] >= 0)
      x->v[i] = coupled || i < 3 * k->nnode ? (x->q[i] - v->q[i]) / h : v->v[i];
  double limits = k->work[0];
  energy_impulse(k, x->q, energy_shift(k, v->v, x->v), 1, 1 / h, v->v, x->v);
  if (coupled && k->step.project.nactive == 0) {
    // no limit is at work: what elasticity did of it in that short step is of the contact, too
    k->work[1] += k->work[0] - limits;
    k->work[0] = limits;
  }
  memcpy(x->q, v->q, (size_t)k->nq * sizeof *x->q);
  return pl_implicit_accelerate(k->implicit, x);
}

// forces of limits and contact act at the end of the step and no longer, so that the acceleration
// of the next one starts without them
pl_status couple_newmark_step(limit_stepper *k, double h, double t) {
  double span = k->o->newmark_gamma * h;
  rule_newmark(k, h);
  PL_TRY(solve_all(k, h, t));
  book(k, span);
  PL_TRY(energy_damping(k, h));
  return is_free(k) ? PL_OK : rest(k, AHEAD * h, span);
}
