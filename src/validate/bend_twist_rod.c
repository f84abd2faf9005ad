// Naturally circular rods that hang under their weight, by discrete rods: where the planar
// equilibrium loses its stability (inertia of the stiffness), and what a rod pushed out of its
// plane relaxes to. Romero et al. 2021, sections 4.3 and 7.2.
#include "rod_model.h"

#include <string.h>

static const double THIN = 2e-4;                 // diameter over length: hardly any stretch
static const double STEP_X = 0.02, STEP_T = 0.1; // longest steps in the diagram
static const double PUSH = 0.01;                 // out of the plane at the tip, over the length
static const double DEEP = 1e-3;                 // what is deeper is no longer planar
static const double MOST_X = 0.7, MOST_T = 12;   // ends of the search
static const double FEW = 0.5;                   // turns of rods that always stay planar
enum {
  HALVES = 12
}; // of a step, before a planar state is lost or a
   // frontier is known

static pl_static_opts options(int perturb) {
  pl_static_opts o;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  o.book = 0; // the master curve tells
  o.cuts = 0;
  o.perturb = perturb;
  return o;
}

static void set(hang *h, hang_at at) {
  double rot = 2 * PL_PI * at.turns, x = at.X * rot;
  rod *both[2] = {&h->flat, &h->full};
  for (int i = 0; i < 2; i++) {
    rod_curl(both[i], rot);
    rod_weigh(both[i], x * x * x);
  }
}

pl_status hang_open(pl_env *env, const hang_desc *d, hang *h) {
  memset(h, 0, sizeof *h);
  h->env = env;
  h->at = (hang_at){0, d->turns};
  rod_desc o = {.n = d->n,
                .nu = d->nu,
                .thick = THIN,
                .broad = THIN,
                .rot = 2 * PL_PI * d->turns,
                .units = d->units};
  pl_status s = rod_create(env, &o, &h->full);
  o.planar = 1;
  if (s == PL_OK) s = rod_create(env, &o, &h->flat);
  if (s == PL_OK) s = pl_state_create(h->flat.b.model, h->flat.b.params, &h->back);
  if (s == PL_OK) s = pl_factor_create(env, PL_LDL, &h->full.b.work->A, 1, 1, &h->factor);
  if (s != PL_OK) hang_close(h);
  return s;
}

void hang_close(hang *h) {
  pl_factor_free(h->factor);
  if (h->back) pl_state_free(h->flat.b.model, h->back);
  rod_free(&h->flat);
  rod_free(&h->full);
  memset(h, 0, sizeof *h);
}

// the planar equilibrium at a point next to the last one; on failure nothing has changed
static pl_status hang_step(hang *h, hang_at to) {
  pl_built *b = &h->flat.b;
  pl_static_opts o = options(0);
  pl_state_copy(h->back, b->state);
  set(h, to);
  pl_status s = pl_static(&o, b->model, b->params, b->state, b->work, NULL, NULL, NULL);
  if (s == PL_OK) h->at = to;
  if (s == PL_OK) return s;
  pl_state_copy(b->state, h->back);
  set(h, h->at);
  return s;
}

static hang_at between(hang_at a, hang_at b, double part) {
  return (hang_at){a.X + part * (b.X - a.X), a.turns + part * (b.turns - a.turns)};
}

// steps on the way to a point
static int count_steps(hang_at a, hang_at b) {
  double n = fmax(fabs(b.X - a.X) / STEP_X, fabs(b.turns - a.turns) / STEP_T);
  return n > 1 ? (int)ceil(n - 1e-9) : 1;
}

// one of those, in parts where it is too long
static pl_status hang_advance(hang *h, hang_at to) {
  hang_at goal = to;
  for (int halved = 0; halved < HALVES;) {
    pl_status s = hang_step(h, goal);
    if (s == PL_UNSOLVED) {
      goal = between(h->at, goal, 0.5);
      halved++;
      continue;
    }
    PL_TRY(s);
    if (goal.X == to.X && goal.turns == to.turns) return PL_OK;
    goal = to;
  }
  return PL_UNSOLVED;
}

pl_status hang_follow(hang *h, hang_at to) {
  hang_at from = h->at;
  int n = count_steps(from, to);
  for (int i = 1; i <= n; i++)
    PL_TRY(hang_advance(h, i < n ? between(from, to, (double)i / n) : to));
  return PL_OK;
}

pl_status hang_inertia(hang *h, int *nneg) {
  static const pl_clock clock = {.scale = 1};
  static const pl_coef stiffness = {.k = 1};
  const pl_built *b = &h->full.b;
  PL_TRY(pl_eval(b->model, b->params, h->flat.b.state, &clock, PL_WANT_FORCE | PL_WANT_TANGENT,
                 &stiffness, b->work));
  pl_status s = pl_factor_numeric(h->factor, &b->work->A);
  // on the frontier itself
  *nneg = pl_factor_stats(h->factor).nneg + pl_factor_stats(h->factor).nzero;
  return s == PL_SINGULAR ? PL_OK : s;
}

// between the stable state in flat and an unstable one at `beyond`
static pl_status bisect(hang *h, hang_at beyond, hang_at *at) {
  int nneg;
  for (int i = 0; i < HALVES; i++) {
    hang_at from = h->at, mid = between(from, beyond, 0.5);
    PL_TRY(hang_advance(h, mid));
    PL_TRY(hang_inertia(h, &nneg));
    if (nneg == 0) continue;
    beyond = mid;
    PL_TRY(hang_advance(h, from));
  }
  *at = between(h->at, beyond, 0.5);
  return PL_OK;
}

// The first point on the line to another one where the planar equilibrium is no longer stable;
// PL_DOMAIN: there is none.
static pl_status hang_cross(hang *h, hang_at to, hang_at *at) {
  hang_at from = h->at;
  int n = count_steps(from, to), nneg;
  for (int i = 1; i <= n; i++) {
    hang_at last = h->at;
    PL_TRY(hang_advance(h, between(from, to, (double)i / n)));
    PL_TRY(hang_inertia(h, &nneg));
    PL_TRY(pl_report_progress(h->env, "bend-twist", -1, NULL));
    if (nneg == 0) continue;
    hang_at beyond = h->at;
    PL_TRY(hang_advance(h, last));
    return bisect(h, beyond, at);
  }
  return PL_DOMAIN;
}

static pl_status fall(hang *h) {
  const pl_built *b = &h->full.b;
  pl_static_opts o = options(1);
  return pl_static(&o, b->model, b->params, b->state, b->work, NULL, NULL, NULL);
}

static void push(hang *h) {
  rod *r = &h->full;
  pl_state_copy(r->b.state, h->flat.b.state);
  for (int i = 2; i <= r->n; i++) {
    double part = (i - 0.5) / (r->n - 0.5);
    r->b.state->q[3 * i + 1] += PUSH * r->length * part * part;
  }
}

pl_status hang_relax(hang *h, hang_at to, int *deep) {
  pl_status s = PL_UNSOLVED;
  if (h->deep) {
    set(h, to);
    s = fall(h);
  }
  if (s == PL_UNSOLVED) {
    PL_TRY(hang_follow(h, to));
    push(h);
    s = fall(h);
  }
  *deep = h->deep = s == PL_OK && rod_depth(&h->full, h->full.b.state) > DEEP;
  return s;
}

// ---- frontier -----------------------------------------------------------------------------------

// the crossing on the line from the end of a way to b; NAN: none
static pl_status frontier(pl_env *env, const hang_desc *d, int n, const hang_at *way, hang_at b,
                          hang_at *at) {
  hang_desc first = *d;
  hang h;
  first.turns = way[0].turns;
  *at = (hang_at){NAN, NAN};
  PL_TRY(hang_open(env, &first, &h));
  pl_status s = PL_OK;
  for (int i = 0; i < n && s == PL_OK; i++) s = hang_follow(&h, way[i]);
  if (s == PL_OK) s = hang_cross(&h, b, at);
  hang_close(&h);
  return s == PL_DOMAIN ? PL_OK : s;
}

pl_status hang_frontier(pl_env *env, const hang_desc *d, double X, double *turns) {
  hang_at at, way[1] = {{X, FEW}};
  PL_TRY(frontier(env, d, 1, way, (hang_at){X, MOST_T}, &at));
  *turns = at.turns;
  return PL_OK;
}

pl_status hang_sides(pl_env *env, const hang_desc *d, double turns, double *left, double *right) {
  // light rods from the natural circle; heavy ones by way of few turns, all planar
  hang_at at, circle[1] = {{0, turns}}, heavy[2] = {{MOST_X, FEW}, {MOST_X, turns}};
  PL_TRY(frontier(env, d, 1, circle, (hang_at){MOST_X, turns}, &at));
  *left = at.X;
  PL_TRY(frontier(env, d, 2, heavy, (hang_at){0, turns}, &at));
  *right = at.X;
  return PL_OK;
}
