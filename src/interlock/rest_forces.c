#include "descent.h"

#include <float.h>
#include <string.h>

// Forces of contacts that hold a patch: of the linear program of all small motions x,
//
//   max F.x - stiff / 2 |x|^2,  gap + slope.x >= 0,
//
// the multipliers, by a primal-dual interior method. What is left unbalanced is stiff x, so that a
// patch is at rest where it is small: no motion gains by more than the sum of forces times gaps.

static const double STIFF = 1e-5; // over a mean element's force and the thinnest wire
static const double START = 1e-2; // slack over that wire, at first
enum { ROUNDS = 60 };

typedef struct program {
  descent *d;
  double stiff, mu;
  double *x, *pull; // [6 nfree]
  double *slack;    // [now.n]
} program;

// Schur complement of motions, and its right-hand side
static void gather(program *p) {
  descent *d = p->d;
  int n = 6 * d->p.nfree;
  descent_clear(d);
  for (int k = 0; k < n; k++) d->step[k] = p->pull[k] - p->stiff * p->x[k];
  for (int k = 0; k < d->now.n; k++) {
    const hold *h = &d->now.item[k];
    double off = h->at.gap + descent_along(d, k, p->x) - p->slack[k];
    descent_contact(d, k, 0, h->force / p->slack[k], 0);
    descent_spread(d, k, (p->mu - h->force * off) / p->slack[k], d->step);
  }
  for (int k = 0; k < n; k++) {
    double *own = pl_csc_diagonal(&d->K.A, k);
    *own += p->stiff + 1e-14 * *own;
  }
}

// how far slacks and forces stay positive
static void lengths(const program *p, double out[2]) {
  const descent *d = p->d;
  out[0] = out[1] = 1;
  for (int k = 0; k < d->now.n; k++) {
    const hold *h = &d->now.item[k];
    double s = p->slack[k], off = h->at.gap + descent_along(d, k, p->x) - s;
    double ds = descent_along(d, k, d->step) + off, df = (p->mu - h->force * (s + ds)) / s;
    if (ds < 0) out[0] = fmin(out[0], 0.99 * s / -ds);
    if (df < 0) out[1] = fmin(out[1], 0.99 * h->force / -df);
  }
}

static void go_on(program *p, const double by[2]) {
  descent *d = p->d;
  for (int k = 0; k < d->now.n; k++) {
    hold *h = &d->now.item[k];
    double s = p->slack[k], off = h->at.gap + descent_along(d, k, p->x) - s;
    double ds = descent_along(d, k, d->step) + off;
    h->force += by[1] * (p->mu - h->force * (s + ds)) / s;
    p->slack[k] += by[0] * ds;
  }
  for (int k = 0; k < 6 * d->p.nfree; k++) p->x[k] += by[0] * d->step[k];
}

static double complementarity(const program *p) {
  double sum = 0;
  for (int k = 0; k < p->d->now.n; k++) sum += p->d->now.item[k].force * p->slack[k];
  return sum / p->d->now.n;
}

static pl_status solve(program *p) {
  descent *d = p->d;
  double enough = 1e-12 * d->unit;
  for (int k = 0; k < d->now.n; k++) {
    hold *h = &d->now.item[k];
    p->slack[k] = h->at.gap + START * d->p.thin;
    h->force = d->force;
  }
  double by[2] = {0, 0};
  for (int round = 0; round < ROUNDS; round++) {
    double now = complementarity(p);
    if (now < enough && by[0] > 0.9 && by[1] > 0.9) break;
    p->mu = fmin(now, fmax(now * (fmin(by[0], by[1]) > 0.9 ? 0.05 : 0.3), enough / 10));
    gather(p);
    pl_status s = pl_factor_numeric(d->K.factor, &d->K.A);
    if (s == PL_OK) s = pl_factor_solve(d->K.factor, 1, d->step, d->step);
    if (s != PL_OK) return s == PL_SINGULAR ? PL_OK : s;
    lengths(p, by);
    go_on(p, by);
  }
  return PL_OK;
}

pl_status rest_forces(descent *d, double *residual) {
  pl_env *env = d->p.env;
  size_t n = 6 * (size_t)d->p.nfree;
  program p = {.d = d, .stiff = STIFF * d->force / d->p.thin};
  p.x = pl_alloc(env, n, sizeof *p.x);
  p.pull = pl_alloc(env, n, sizeof *p.pull);
  p.slack = pl_alloc(env, (size_t)d->now.n, sizeof *p.slack);
  *residual = INFINITY;
  pl_status s = p.x && p.pull && p.slack ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK) {
    descent_clear(d);
    for (int i = 0; i < d->p.in->n; i++)
      if (d->p.unknown[i] >= 0) descent_gravity(d, i, 0);
    for (size_t k = 0; k < n; k++) p.pull[k] = -d->grad[k];
    s = solve(&p);
    for (int k = 0; k < d->now.n; k++) descent_spread(d, k, d->now.item[k].force, p.pull);
    *residual = 0;
    for (int k = 0; k < d->p.nfree; k++) *residual = fmax(*residual, pl_norm(6, p.pull + 6 * k));
  }
  pl_free(env, p.x);
  pl_free(env, p.pull);
  pl_free(env, p.slack);
  return s;
}
