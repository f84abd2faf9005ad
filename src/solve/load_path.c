// Equilibria as a path in the load factor, by pseudo-arclength: r(q, lambda) = 0 with
//   t_q.(q - q1)/a^2 + t_l (lambda - l1) = 0,
// from a point (q1, l1) on the tangent t of the last one. The bordered system is solved by K alone,
// for K is singular at single points only.
#include "solve_impl.h"

#include <math.h>
#include <string.h>

enum { GOOD = 4, SECANTS = 40 };
static const double SHARE = 1e-9;     // width in which a fold or branch point is located, of a step
static const double TINY_LOAD = 1e-4; // change of the load factor that derivatives are made with

typedef struct point {
  pl_state *s;
  double lambda, arc;
  double *tq, tl; // [n] tangent, of length one by the scale
  int nneg;
} point;

typedef struct path {
  equil e;
  const pl_load_path_opts *o;
  pl_load_path_info *info;
  double a;          // m; motion that counts like a whole load
  double *weight;    // [n] 1: a place, 0: an angle or the like, which does not count
  double *F, *u, *v; // [n] -dr/dlambda, scratch
  point at, next, trial;
} path;

static double dot(const path *k, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < k->e.n; i++) sum += k->weight[i] * x[i] * y[i];
  return sum / (k->a * k->a);
}

static pl_status point_open(path *k, point *p) {
  PL_TRY(pl_state_create(k->e.m, k->e.p, &p->s));
  p->tq = pl_alloc(k->e.env, (size_t)k->e.n, sizeof *p->tq);
  return p->tq ? PL_OK : PL_E_NOMEM;
}

static void point_close(path *k, point *p) {
  if (p->s) pl_state_free(k->e.m, p->s);
  pl_free(k->e.env, p->tq);
}

static void point_copy(const path *k, point *to, const point *from) {
  pl_state_copy(to->s, from->s);
  memcpy(to->tq, from->tq, (size_t)k->e.n * sizeof *to->tq);
  to->lambda = from->lambda;
  to->arc = from->arc;
  to->tl = from->tl;
  to->nneg = from->nneg;
}

// ---- derivatives ------------------------------------------------------------------------------

// residual of the free unknowns at another load factor, drives moved with it
static pl_status residual_at(path *k, double lambda, double *out) {
  equil *e = &k->e;
  e->clock.scale = lambda;
  pl_drive(e->m, e->p, &e->clock, e->x);
  PL_TRY(equil_eval(e, PL_WANT_FORCE));
  gather_free(e->m, e->w->r, out);
  return PL_OK;
}

// F = -dr/dlambda at e->x: exact for loads and for drives along a line
static pl_status load_rate(path *k, double lambda) {
  PL_TRY(residual_at(k, lambda + TINY_LOAD, k->u));
  PL_TRY(residual_at(k, lambda - TINY_LOAD, k->v));
  for (int i = 0; i < k->e.n; i++) k->F[i] = (k->v[i] - k->u[i]) / (2 * TINY_LOAD);
  return PL_OK;
}

// K and r at e->x, factored
static pl_status factor_at(path *k, double lambda) {
  equil *e = &k->e;
  e->clock.scale = lambda;
  pl_drive(e->m, e->p, &e->clock, e->x);
  PL_TRY(equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE | PL_WANT_TANGENT));
  gather_free(e->m, e->w->r, e->g);
  k->info->factorisations++;
  return equil_ldl(e);
}

// the tangent at the equilibrium e->x, on the side of `before` (NULL: towards larger loads)
static pl_status tangent(path *k, point *p, const point *before) {
  equil *e = &k->e;
  PL_TRY(load_rate(k, p->lambda));
  PL_TRY(factor_at(k, p->lambda));
  p->nneg = e->nneg;
  PL_TRY(factor_solve(k->e.env, e->ldl, 1, k->F, p->tq));
  if (k->a == 0) {
    k->a = 1;
    double length = sqrt(dot(k, p->tq, p->tq));
    k->a = length > 0 ? length : 1;
  }
  p->tl = 1 / sqrt(1 + dot(k, p->tq, p->tq));
  double side = before ? before->tl + dot(k, before->tq, p->tq) : k->o->to;
  if (side < 0) p->tl = -p->tl;
  for (int i = 0; i < e->n; i++) p->tq[i] *= p->tl;
  return PL_OK;
}

// ---- one step ---------------------------------------------------------------------------------

// Newton's method in the plane across the tangent of k->at, from k->trial; *iter tells how many
static pl_status correct(path *k, double step, int *iter) {
  equil *e = &k->e;
  point *p = &k->trial;
  double best = INFINITY;
  int stale = 0;
  for (*iter = 0; *iter < k->o->max_iter; ++*iter) {
    PL_TRY(load_rate(k, p->lambda));
    PL_TRY(factor_at(k, p->lambda));
    balance b = equil_balance(e);
    stale = b.residual > 0.5 * best ? stale + 1 : 0;
    best = fmin(best, b.residual);
    int done = b.residual <= k->o->rtol * b.force || (stale >= 2 && equil_at_rounding(e, e->g));
    if (done && *iter > 0) {
      k->info->residual = fmax(k->info->residual, b.force > 0 ? b.residual / b.force : 0);
      return PL_OK;
    }
    // K u = -r, K v = F; u + v dl keeps to the plane
    for (int i = 0; i < e->n; i++) e->g[i] = -e->g[i];
    PL_TRY(factor_solve(k->e.env, e->ldl, 1, e->g, k->u));
    PL_TRY(factor_solve(k->e.env, e->ldl, 1, k->F, k->v));
    double away = (p->lambda - k->at.lambda) * k->at.tl - step;
    for (int i = 0; i < e->n; i++) {
      int dof = e->dof[i];
      away += k->weight[i] * k->at.tq[i] * (e->x->q[dof] - k->at.s->q[dof]) / (k->a * k->a);
    }
    double below = k->at.tl + dot(k, k->at.tq, k->v);
    double dl = -(away + dot(k, k->at.tq, k->u)) / below;
    if (!isfinite(dl)) return PL_UNSOLVED;
    for (int i = 0; i < e->n; i++) e->x->q[e->dof[i]] += k->u[i] + dl * k->v[i];
    p->lambda += dl;
    k->info->iterations++;
  }
  return PL_UNSOLVED;
}

// cosine of the turn between two tangents
static double turn_between(const path *k, const point *x, const point *y) {
  return x->tl * y->tl + dot(k, x->tq, y->tq);
}

// the equilibrium at a distance from k->at along its tangent, into k->trial
static pl_status take_step(path *k, double step, int *iter) {
  equil *e = &k->e;
  point *p = &k->trial;
  p->lambda = k->at.lambda + step * k->at.tl;
  p->arc = k->at.arc + step;
  pl_state_copy(e->x, k->at.s);
  for (int i = 0; i < e->n; i++) e->x->q[e->dof[i]] += step * k->at.tq[i];
  PL_TRY(correct(k, step, iter));
  PL_TRY(tangent(k, p, &k->at));
  e->clock.scale = p->lambda;
  pl_drive(e->m, e->p, &e->clock, e->x);
  pl_state_copy(p->s, e->x);
  return PL_OK;
}

// the next point; the step is shortened until it is sound, and *step is the next one to try
static pl_status next_point(path *k, double *step) {
  double least = k->o->min_step, widest = cos(k->o->max_angle * PL_PI / 180);
  for (;;) {
    int iter = 0;
    PL_TRY(pl_report_progress(k->e.env, "path", k->info->scale / k->o->to, ""));
    pl_status s = take_step(k, *step, &iter);
    if (s < 0 || s == PL_CANCELLED) return s;
    // a path that turns far in one step may be another one
    if (s == PL_OK && turn_between(k, &k->at, &k->trial) < widest) s = PL_UNSOLVED;
    if (s == PL_OK) {
      point_copy(k, &k->next, &k->trial);
      *step = fmin(k->o->max_step, *step * fmin(2, fmax(0.5, sqrt((double)GOOD / iter))));
      return PL_OK;
    }
    k->info->rejected++;
    *step /= 2;
    if (*step < least) return PL_UNSOLVED;
  }
}

// ---- folds and branch points ------------------------------------------------------------------

static void keep_special(path *k, int fold, const point *p) {
  pl_load_path_info *i = k->info;
  if (i->nspecial < PL_LOAD_PATH_SPECIALS)
    i->special[i->nspecial] = (pl_load_path_special){.fold = fold,
                                                     .after = i->npoint - 1,
                                                     .scale = p->lambda,
                                                     .arc = p->arc,
                                                     .nneg = k->next.nneg};
  i->nspecial++;
}

// between k->at and k->next, by halving: at a fold the load factor stands still, at a branch point
// the count of negative eigenvalues changes
static pl_status locate(path *k, int fold) {
  double lo = 0, hi = k->next.arc - k->at.arc, whole = hi;
  point best = k->next;
  double lambda = best.lambda, arc = best.arc;
  for (int it = 0; it < SECANTS && hi - lo > SHARE * whole; it++) {
    double mid = 0.5 * (lo + hi);
    int iter;
    pl_status s = take_step(k, mid, &iter);
    if (s < 0 || s == PL_CANCELLED) return s;
    if (s != PL_OK) break; // K is singular there: near enough
    int before = fold ? k->trial.tl * k->at.tl > 0 : k->trial.nneg == k->at.nneg;
    if (before) lo = mid;
    if (!before) hi = mid;
    lambda = k->trial.lambda;
    arc = k->trial.arc;
  }
  best.lambda = lambda;
  best.arc = arc;
  keep_special(k, fold, &best);
  return PL_OK;
}

// ---- the path ---------------------------------------------------------------------------------

static pl_status accept_point(path *k, pl_observe_fn observe, void *ctx) {
  equil *e = &k->e;
  point *p = &k->at;
  e->clock.scale = p->lambda;
  pl_state_copy(e->x, p->s);
  PL_TRY(equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE));
  pl_commit(e->m, e->p, e->x);
  pl_state_copy(p->s, e->x);
  k->info->npoint++;
  k->info->scale = p->lambda;
  k->info->arc = p->arc;
  k->info->nneg = p->nneg;
  return observe && observe(ctx, p->s, &e->clock, e->w) ? PL_CANCELLED : PL_OK;
}

// the last point lies at the end of the range
static pl_status land(path *k, double lambda) {
  equil *e = &k->e;
  double part = (lambda - k->at.lambda) / (k->next.lambda - k->at.lambda);
  pl_state_copy(e->x, k->at.s);
  for (int i = 0; i < e->n; i++)
    e->x->q[e->dof[i]] += part * (k->next.s->q[e->dof[i]] - k->at.s->q[e->dof[i]]);
  e->clock.scale = lambda;
  pl_drive(e->m, e->p, &e->clock, e->x);
  PL_TRY(equil_follow(e));
  k->next.nneg = e->nneg;
  k->next.arc = k->at.arc + part * (k->next.arc - k->at.arc);
  k->next.lambda = lambda;
  pl_state_copy(k->next.s, e->x);
  return PL_OK;
}

static int passed(double from, double to, double mark) {
  return (from - mark) * (to - mark) <= 0 && from != mark;
}

static pl_status follow(path *k, pl_observe_fn observe, void *ctx) {
  double step = k->o->step;
  PL_TRY(tangent(k, &k->at, NULL));
  PL_TRY(accept_point(k, observe, ctx));
  while (k->info->npoint < k->o->points) {
    pl_status s = next_point(k, &step);
    if (s == PL_UNSOLVED) k->info->reason = PL_STOP_STEP;
    PL_TRY(s);
    double from = k->at.lambda, to = k->next.lambda;
    int end = passed(from, to, k->o->to), back = passed(from, to, k->o->beyond);
    int turned = k->at.tl * k->next.tl < 0;
    if (turned)
      PL_TRY(locate(k, 1));
    else if (k->at.nneg != k->next.nneg)
      PL_TRY(locate(k, 0));
    if (end || back) {
      s = land(k, end ? k->o->to : k->o->beyond);
      if (s == PL_UNSOLVED) k->info->reason = PL_STOP_STEP;
      PL_TRY(s);
      k->info->reason = end ? PL_STOP_END : PL_STOP_BACK;
    }
    point_copy(k, &k->at, &k->next);
    PL_TRY(accept_point(k, observe, ctx));
    if (end || back) return PL_OK;
  }
  k->info->reason = PL_STOP_POINTS;
  return PL_UNSOLVED;
}

static pl_status path_open(path *k, const pl_state *s) {
  equil *e = &k->e;
  size_t n = (size_t)e->n;
  PL_TRY(equil_open(e));
  k->weight = pl_alloc(e->env, 4 * n, sizeof *k->weight);
  if (!k->weight) return PL_E_NOMEM;
  k->F = k->weight + n;
  k->u = k->F + n;
  k->v = k->u + n;
  int places = pl_model_nnode(e->m) * pl_model_dim(e->m);
  for (int i = 0; i < e->n; i++) k->weight[i] = e->dof[i] < places;
  PL_TRY(point_open(k, &k->at));
  PL_TRY(point_open(k, &k->next));
  PL_TRY(point_open(k, &k->trial));
  pl_state_copy(k->at.s, s);
  pl_state_copy(e->x, s);
  // the start is an equilibrium without load
  e->clock.scale = 0;
  pl_drive(e->m, e->p, &e->clock, e->x);
  pl_status st = equil_follow(e);
  pl_state_copy(k->at.s, e->x);
  return st;
}

pl_status pl_load_path(const pl_load_path_opts *o, const pl_model *m, const pl_params *p,
                       pl_state *s, pl_work *w, pl_observe_fn observe, void *ctx,
                       pl_load_path_info *info) {
  double began = pl_wall_time();
  pl_static_opts inner;
  pl_static_info other = {0};
  *info = (pl_load_path_info){.reason = PL_STOP_CONVERGED};
  PL_TRY(solve_opts_check(w->env, pl_load_path_option_table, pl_load_path_option_count, o));
  if (o->to == 0 || o->to * o->beyond > 0)
    return pl_fail_at(w->env, PL_E_INPUT, NULL, 0, 0, "e.g. to: 1, beyond: -1",
                      "path: to must not be 0, and beyond must lie on the other side of it");
  if (pl_model_nfree(m) == 0)
    return pl_fail(w->env, PL_E_INPUT, "path: the model has nothing that moves freely");
  pl_opts_default(pl_static_option_table, pl_static_option_count, &inner);
  inner.rtol = o->rtol;
  path k = {.o = o,
            .info = info,
            .e = {.o = &inner,
                  .m = m,
                  .p = p,
                  .w = w,
                  .info = &other,
                  .env = w->env,
                  .tick = {w->env, "path", 0},
                  .n = pl_model_nfree(m),
                  .nq = pl_model_nq(m),
                  .dof = pl_model_free_dofs(m),
                  .extent = model_extent(m, s->q)}};
  pl_status st = path_open(&k, s);
  if (st == PL_OK) st = follow(&k, observe, ctx);
  if (st == PL_CANCELLED) info->reason = PL_STOP_CANCELLED;
  if (st == PL_SINGULAR) {
    info->reason = PL_STOP_SINGULAR;
    st = PL_UNSOLVED;
  }
  if (st == PL_DOMAIN) {
    info->reason = PL_STOP_DOMAIN;
    st = PL_UNSOLVED;
  }
  if (st == PL_UNSOLVED && info->reason == PL_STOP_CONVERGED) info->reason = PL_STOP_STEP;
  if (info->npoint > 0) pl_state_copy(s, k.at.s);
  point_close(&k, &k.at);
  point_close(&k, &k.next);
  point_close(&k, &k.trial);
  pl_free(w->env, k.weight);
  equil_close(&k.e);
  info->seconds = pl_wall_time() - began;
  return st;
}
