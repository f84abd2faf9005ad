#ifndef SOLVE_CONTACT_BENCH_H
#define SOLVE_CONTACT_BENCH_H

// Models on obstacles, and an observer that looks at the law and at momentum after every step.
#include "check.h"
#include "models.h"

#include "pliant/math.h"
#include "pliant/solve.h"

#include <stdlib.h>
#include <string.h>

static const double GRAVITY = 9.81;

typedef struct bench {
  model_kit *kit;
  kit_model b;
  pl_contact *k;
  // observed
  double h, t;
  double lin[3], mass; // momentum after the step before
  double energy;       // after the step before
  double start;        // J; energy at the start
  double worst_book;   // J; energy with all that was lost, less that and the work done
  pl_history history;
  double worst_momentum;          // over the largest of m |v| and the impulses
  double worst_law, worst_cone;   // complementarity, p_T against u_T; outside the cone
  double worst_energy, worst_gap; // largest gain in a step, J; deepest overlap, m
  double force[3];                // of all obstacles in the last step, world axes
  int nopen, nstick, nslip;       // in the last step
  int steps;
  int impact; // of the runs to come
  double restitution, impact_step;
} bench;

static inline pl_obstacle plane_of(double nx, double ny, double nz, double mu) {
  return (pl_obstacle){.kind = &pl_obstacle_plane, .par = {nx, ny, nz}, .mu = mu};
}

// model and contact of the nodes listed, all for n = 0
static inline void bench_open(bench *t, model_kit *kit, int nobstacle, const pl_obstacle *o, int n,
                              const int *node, const double *radius) {
  memset(t, 0, sizeof *t);
  t->kit = kit;
  kit_build(kit, 1, &t->b);
  int *all = malloc((size_t)kit->d.nnode * sizeof *all);
  for (int i = 0; i < kit->d.nnode; i++) all[i] = i;
  pl_contact_desc d = {.nobstacle = nobstacle,
                       .obstacle = o,
                       .nnode = n > 0 ? n : kit->d.nnode,
                       .node = n > 0 ? node : all,
                       .radius = radius};
  check_ok(kit->env, pl_contact_create(kit->env, t->b.m, &d, &t->k));
  free(all);
}

static inline void bench_close(bench *t) {
  pl_contact_free(t->k);
  kit_model_free(&t->b);
  kit_free(t->kit);
}

// mean of a component of q or v over the mass: centre of mass, or its velocity
static inline double bench_mean(const bench *t, const double *x, int c) {
  int dim = pl_model_dim(t->b.m);
  double sum = 0, mass = 0, *y = malloc((size_t)t->b.s->nq * sizeof *y);
  double *e = calloc((size_t)t->b.s->nq, sizeof *e);
  for (int i = c; i < pl_model_nnode(t->b.m) * dim; i += dim) e[i] = 1;
  pl_csc_mul(&t->b.p->M, 1, e, 0, y);
  for (int i = 0; i < t->b.s->nq; i++) {
    sum += y[i] * x[i];
    mass += y[i] * e[i];
  }
  free(e);
  free(y);
  return sum / mass;
}

static inline void bench_law(bench *t) {
  double top = 0, fast = 0;
  for (int i = 0; i < t->k->npair; i++) {
    const pl_contact_pair *a = &t->k->pair[i];
    top = fmax(top, pl_norm3(a->force));
    fast = fmax(fast, hypot(a->slide[1], a->slide[2]));
  }
  t->nopen = t->nstick = t->nslip = 0;
  for (int i = 0; i < t->k->npair; i++) {
    const pl_contact_pair *a = &t->k->pair[i];
    double ft = hypot(a->force[1], a->force[2]), ut = hypot(a->slide[1], a->slide[2]);
    double dot = a->force[1] * a->slide[1] + a->force[2] * a->slide[2];
    assert_true(a->force[0] >= 0);
    t->worst_gap = fmax(t->worst_gap, -a->place.gap);
    t->worst_cone = fmax(t->worst_cone, ft - a->mu * a->force[0]);
    if (a->force[0] > 1e-9 * top) t->worst_law = fmax(t->worst_law, fabs(a->place.gap));
    if (a->status == PL_SLIP && top * fast > 0)
      t->worst_law = fmax(t->worst_law, (dot + a->mu * a->force[0] * ut) / (top * fast));
    if (a->status == PL_STICK) t->worst_law = fmax(t->worst_law, ut);
    t->nopen += a->status == PL_OPEN;
    t->nstick += a->status == PL_STICK;
    t->nslip += a->status == PL_SLIP;
  }
}

// momentum: M (v1 - v0) summed = h (m g + forces of contact), whatever the elements do
static inline int bench_observe(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  bench *t = ctx;
  double lin[3], ang[3], size = 0, off = 0;
  pl_momentum(t->b.m, t->b.p, s, &t->mass, lin, ang);
  pl_contact_force(t->k, -1, t->force);
  double h = c->t - t->t;
  for (int i = 0; i < pl_model_dim(t->b.m) && t->steps > 0; i++) {
    double impulse = h * (t->mass * t->kit->d.gravity[i] + t->force[i]);
    off = fmax(off, fabs(lin[i] - t->lin[i] - impulse));
    size = fmax(size, fmax(fabs(lin[i]), fmax(fabs(t->lin[i]), h * fabs(t->force[i]))));
  }
  if (size > 0) t->worst_momentum = fmax(t->worst_momentum, off / size);
  double energy = w->potential + w->kinetic;
  if (t->steps > 0) t->worst_energy = fmax(t->worst_energy, energy - t->energy);
  t->energy = energy;
  const pl_ledger *l = &t->history.ledger;
  double gained = energy + l->lost + l->rule - t->start;
  t->worst_book = fmax(t->worst_book, fabs(gained - l->made - l->obstacles));
  t->t = c->t;
  memcpy(t->lin, lin, sizeof lin);
  bench_law(t);
  t->steps++;
  return 0;
}

static inline pl_transient_info bench_run(bench *t, int method, double h, double duration) {
  pl_transient_opts o;
  pl_transient_info info;
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &o);
  o.method = method;
  o.step = h;
  o.duration = duration;
  o.rtol = 1e-13;
  o.impact = t->impact;
  o.restitution = t->restitution;
  o.impact_step = t->impact_step;
  t->steps = 0;
  pl_clock c = {.t = t->b.s->t, .scale = 1};
  check_ok(t->kit->env, pl_eval(t->b.m, t->b.p, t->b.s, &c,
                                PL_WANT_ENERGY | PL_WANT_FORCE | PL_DYNAMIC, NULL, t->b.w));
  t->start = t->b.w->potential + t->b.w->kinetic;
  t->worst_book = 0;
  check_ok(t->kit->env, pl_transient_contact(&o, t->b.m, t->b.p, t->k, t->b.s, &t->history, t->b.w,
                                             bench_observe, t, &info));
  pl_history_free(t->kit->env, &t->history);
  return info;
}

#endif
