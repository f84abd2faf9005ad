// Equilibria as a path in the load factor, by pseudo-arclength: r(q, lambda) = 0 with
//   t_q.(q - q1)/a^2 + t_l (lambda - l1) = 0,
// from a point (q1, l1) on the tangent t of the last one. The bordered system is solved by K alone,
// for K is singular at single points only.
#include "solve_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GOOD = 4, SECANTS = 40, INVERSES = 4 };
static const double SHARE = 1e-9; // width in which a fold or branch point is located, of a step
static const double BRANCH =
    0.25;                         // of the extent: motion that counts like a whole load on branches
static const double CROWD = 0.01; // of the first step: places this close count as one
static const double STANDS = 1e-6;    // of the fastest: an unknown that is slower stands still
static const double NEAR = 0.1;       // of a step: a path that passes its begin so closely is back
static const double TINY_LOAD = 1e-4; // change of the load factor that derivatives are made with

typedef struct point {
  pl_state *s;
  double lambda, arc;
  double *tq, tl; // [n] tangent, of length one by the scale
  int nneg;
} point;

// a branch point at which another path begins
typedef struct fork {
  point at;
  double *null; // [n] direction of the other path
  int special;
} fork;

typedef struct path {
  equil e;
  const pl_load_path_opts *o;
  const pl_load_path_plan *plan;
  pl_params *own; // parameters that the factor moves; NULL: it moves loads and drives
  double start;   // of the parameter
  pl_observe_fn observe;
  void *ctx;
  pl_load_path_info *info;
  int nfork;
  fork *fork;        // [branches]
  double a;          // m; motion that counts like a whole load
  double *weight;    // [n] 1: a place, 0: an angle or the like, which does not count
  double *F, *u, *v; // [n] -dr/dlambda, scratch
  double *rate;      // [nq] scratch
  point at, next, trial, best;
  point begin; // of the path under way
  int points;  // of the path under way
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

// loads, drives or the parameter of a factor, at e->x
static pl_status set_factor(path *k, double lambda) {
  equil *e = &k->e;
  e->clock.scale = k->own ? 1 : lambda;
  if (k->own) {
    k->own->design[k->plan->design] = k->start + lambda * (k->plan->value - k->start);
    PL_TRY(pl_params_set_design(e->m, k->own, k->own->design));
  }
  pl_drive(e->m, e->p, &e->clock, e->x);
  return PL_OK;
}

// residual of the free unknowns at another load factor, drives moved with it
static pl_status residual_at(path *k, double lambda, double *out) {
  equil *e = &k->e;
  PL_TRY(set_factor(k, lambda));
  PL_TRY(equil_eval(e, PL_WANT_FORCE));
  gather_free(e->m, e->w->r, out);
  return PL_OK;
}

// F = -dr/dlambda at e->x: exact for loads and for drives along a line
static pl_status load_rate(path *k, double lambda) {
  equil *e = &k->e;
  if (k->own) {
    PL_TRY(set_factor(k, lambda));
    PL_TRY(pl_eval_design(e->m, e->p, e->x, &e->clock, k->plan->design, e->w, k->rate));
    gather_free(e->m, k->rate, k->F);
    for (int i = 0; i < e->n; i++) k->F[i] *= k->start - k->plan->value;
    return PL_OK;
  }
  PL_TRY(residual_at(k, lambda + TINY_LOAD, k->u));
  PL_TRY(residual_at(k, lambda - TINY_LOAD, k->v));
  for (int i = 0; i < k->e.n; i++) k->F[i] = (k->v[i] - k->u[i]) / (2 * TINY_LOAD);
  return PL_OK;
}

// K and r at e->x, factored
static pl_status factor_at(path *k, double lambda) {
  equil *e = &k->e;
  PL_TRY(set_factor(k, lambda));
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
  if (k->a == 0) k->a = k->o->motion;
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
static double turning_between(const path *k, const point *x, const point *y) {
  return x->tl * y->tl + dot(k, x->tq, y->tq);
}

// the equilibrium at a distance from k->at along its tangent, into k->trial
static pl_status claim_step(path *k, double step, int *iter) {
  equil *e = &k->e;
  point *p = &k->trial;
  p->lambda = k->at.lambda + step * k->at.tl;
  p->arc = k->at.arc + step;
  pl_state_copy(e->x, k->at.s);
  for (int i = 0; i < e->n; i++) e->x->q[e->dof[i]] += step * k->at.tq[i];
  PL_TRY(correct(k, step, iter));
  PL_TRY(tangent(k, p, &k->at));
  PL_TRY(set_factor(k, p->lambda));
  pl_state_copy(p->s, e->x);
  return PL_OK;
}

// more than one place where the stability changes lies between k->at and k->trial
static int crowded(const path *k) {
  int fold = k->at.tl * k->trial.tl < 0, change = abs(k->trial.nneg - k->at.nneg);
  if (k->info->branch > 0 && k->points == 1) return 0;
  return change > 1 || (fold && change == 0);
}

// the next point; the step is shortened until it is sound, and *step is the next one to try
static pl_status next_point(path *k, double *step) {
  double least = k->o->min_step, widest = cos(k->o->max_angle * PL_PI / 180);
  for (;;) {
    int iter = 0;
    PL_TRY(pl_report_progress(k->e.env, "path", k->info->scale / k->o->to, ""));
    pl_status s = claim_step(k, *step, &iter);
    if (s < 0 || s == PL_CANCELLED) return s;
    // a path that turns far in one step may be another one
    if (s == PL_OK && turning_between(k, &k->at, &k->trial) < widest) s = PL_UNSOLVED;
    // places that lie close together are taken one by one
    if (s == PL_OK && crowded(k) && *step > CROWD * k->o->step) s = PL_UNSOLVED;
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

// ---- folds, turns and branch points -----------------------------------------------------------

// The rate along the path of what stands still at a place: of the load factor, or of a probed
// unknown.
static double rate_of(const path *k, const point *p, pl_path_place what, int probe) {
  if (what == PL_PATH_FOLD) return p->tl;
  int free = pl_model_free_index(k->e.m)[k->plan->probe[probe]];
  return free < 0 ? 1 : p->tq[free];
}

static void keep_special(path *k, const pl_load_path_special *p, const pl_state *s) {
  pl_load_path_info *i = k->info;
  if (i->nspecial < PL_LOAD_PATH_SPECIALS) i->special[i->nspecial] = *p;
  i->nspecial++;
  if (k->plan && k->plan->special) k->plan->special(k->ctx, p, s);
}

// Direction of least stiffness at the state in e->x, by inverse iteration, across the tangent of
// the path there
static pl_status null_vector(path *k, const point *p, double *null) {
  equil *e = &k->e;
  pl_state_copy(e->x, p->s);
  pl_status s = factor_at(k, p->lambda);
  for (int i = 0; i < e->n; i++) null[i] = 1 + 0.5 * sin(1.7 * i + 0.3);
  for (int it = 0; s == PL_OK && it < INVERSES; it++) {
    s = factor_solve(e->env, e->ldl, 1, null, k->u);
    double length = sqrt(pl_dot(e->n, k->u, k->u));
    for (int i = 0; i < e->n; i++) null[i] = k->u[i] / length;
  }
  PL_TRY(s);
  double size = sqrt(dot(k, null, null)), along = dot(k, k->at.tq, null) / size;
  for (int i = 0; i < e->n; i++) null[i] = null[i] / size - along * k->at.tq[i];
  return PL_OK;
}

static pl_status keep_fork(path *k, const point *p) {
  if (k->info->branch > 0 || k->nfork == k->o->branches) return PL_OK;
  fork *f = &k->fork[k->nfork];
  PL_TRY(point_open(k, &f->at));
  f->null = pl_alloc(k->e.env, (size_t)k->e.n, sizeof *f->null);
  if (!f->null) return PL_E_NOMEM;
  point_copy(k, &f->at, p);
  f->special = k->info->nspecial;
  pl_status s = null_vector(k, p, f->null);
  if (s == PL_OK) k->nfork++;
  if (s != PL_OK) {
    point_close(k, &f->at);
    pl_free(k->e.env, f->null);
    *f = (fork){0};
  }
  // nothing to begin another path with
  return s > 0 && s != PL_CANCELLED ? PL_OK : s;
}

// between k->at and k->next, by halving: at a fold the load factor stands still, at a turn a
// probed unknown does, at a branch point the count of negative eigenvalues changes
static pl_status locate(path *k, pl_path_place what, int probe) {
  double lo = 0, hi = k->next.arc - k->at.arc, whole = hi;
  point_copy(k, &k->best, &k->next);
  for (int it = 0; it < SECANTS && hi - lo > SHARE * whole; it++) {
    double mid = 0.5 * (lo + hi);
    int iter;
    pl_status s = claim_step(k, mid, &iter);
    if (s < 0 || s == PL_CANCELLED) return s;
    if (s != PL_OK) break; // K is singular there: near enough
    int before = what == PL_PATH_BRANCH
                     ? k->trial.nneg == k->at.nneg
                     : rate_of(k, &k->trial, what, probe) * rate_of(k, &k->at, what, probe) > 0;
    if (before) lo = mid;
    if (!before) hi = mid;
    point_copy(k, &k->best, &k->trial);
  }
  if (what == PL_PATH_BRANCH) PL_TRY(keep_fork(k, &k->best));
  const pl_load_path_special p = {.fold = (int)what,
                                  .probe = probe,
                                  .branch = k->info->branch,
                                  .after = k->points - 1,
                                  .scale = k->best.lambda,
                                  .arc = k->best.arc,
                                  .nneg = what == PL_PATH_TURN ? k->best.nneg : k->next.nneg};
  keep_special(k, &p, k->best.s);
  return PL_OK;
}

// a probed unknown turns back; what hardly moves is rounding
static int reverses(const path *k, int probe) {
  double a = rate_of(k, &k->at, PL_PATH_TURN, probe), b = rate_of(k, &k->next, PL_PATH_TURN, probe);
  double most = 0;
  for (int i = 0; i < k->e.n; i++)
    most = fmax(most, k->weight[i] * fmax(fabs(k->at.tq[i]), fabs(k->next.tq[i])));
  return a * b < 0 && fmax(fabs(a), fabs(b)) > STANDS * most;
}

// all that happens between k->at and k->next
static pl_status look_between(path *k) {
  // at a branch point the count is that of either side
  if (k->info->branch > 0 && k->points == 1) k->at.nneg = k->next.nneg;
  int fold = k->at.tl * k->next.tl < 0, change = abs(k->next.nneg - k->at.nneg);
  if (fold) PL_TRY(locate(k, PL_PATH_FOLD, 0));
  // a fold changes the count by one
  if (change > fold) PL_TRY(locate(k, PL_PATH_BRANCH, 0));
  // a branch begins across the path before
  for (int i = 0; k->plan && i < k->plan->nprobe && (k->info->branch == 0 || k->points > 1); i++)
    if (reverses(k, i)) PL_TRY(locate(k, PL_PATH_TURN, i));
  return PL_OK;
}

// ---- the path ---------------------------------------------------------------------------------

static pl_status accept_point(path *k) {
  equil *e = &k->e;
  point *p = &k->at;
  pl_state_copy(e->x, p->s);
  PL_TRY(set_factor(k, p->lambda));
  PL_TRY(equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE));
  pl_commit(e->m, e->p, e->x);
  pl_state_copy(p->s, e->x);
  k->points++;
  k->info->npoint++;
  k->info->scale = p->lambda;
  k->info->arc = p->arc;
  k->info->nneg = p->nneg;
  return k->observe && k->observe(k->ctx, p->s, &e->clock, e->w) ? PL_CANCELLED : PL_OK;
}

// the last point lies at the end of the range
static pl_status land(path *k, double lambda) {
  equil *e = &k->e;
  double part = (lambda - k->at.lambda) / (k->next.lambda - k->at.lambda);
  pl_state_copy(e->x, k->at.s);
  for (int i = 0; i < e->n; i++)
    e->x->q[e->dof[i]] += part * (k->next.s->q[e->dof[i]] - k->at.s->q[e->dof[i]]);
  PL_TRY(set_factor(k, lambda));
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

// the step from k->at to k->next comes back to where the path began
static int closes(const path *k) {
  const double *at = k->at.s->q, *next = k->next.s->q, *begin = k->begin.s->q;
  double a = k->a * k->a, l = k->next.lambda - k->at.lambda, m = k->begin.lambda - k->at.lambda;
  double length = l * l, along = l * m, far = m * m;
  for (int i = 0; i < k->e.n; i++) {
    int q = k->e.dof[i];
    double w = k->weight[i] / a, x = next[q] - at[q], y = begin[q] - at[q];
    length += w * x * x;
    along += w * x * y;
    far += w * y * y;
  }
  return k->points > 2 && along > 0 && along <= length &&
         far - along * along / length < NEAR * NEAR * length;
}

// on from k->at, which is accepted, to an end of the range
static pl_status follow(path *k) {
  double step = k->o->step;
  point_copy(k, &k->begin, &k->at);
  while (k->points < k->o->points) {
    pl_status s = next_point(k, &step);
    if (s == PL_UNSOLVED) k->info->reason = PL_STOP_STEP;
    PL_TRY(s);
    double from = k->at.lambda, to = k->next.lambda;
    int end = passed(from, to, k->o->to), back = passed(from, to, k->o->beyond);
    int closed = !end && !back && closes(k);
    if (!closed) PL_TRY(look_between(k));
    if (end || back) {
      s = land(k, end ? k->o->to : k->o->beyond);
      if (s == PL_UNSOLVED) k->info->reason = PL_STOP_STEP;
      PL_TRY(s);
      k->info->reason = end ? PL_STOP_END : PL_STOP_BACK;
    }
    if (closed) {
      k->begin.arc = k->next.arc;
      point_copy(k, &k->next, &k->begin);
      k->info->reason = PL_STOP_CLOSED;
    }
    point_copy(k, &k->at, &k->next);
    PL_TRY(accept_point(k));
    if (end || back) return PL_OK;
    if (closed) return PL_UNSOLVED;
  }
  k->info->reason = PL_STOP_POINTS;
  return PL_UNSOLVED;
}

// forces or driven places anywhere change with the load factor
static pl_status look_for_loads(path *k, int *grows) {
  equil *e = &k->e;
  *grows = 0;
  PL_TRY(residual_at(k, 0, k->u));
  memcpy(k->rate, e->w->r, (size_t)e->nq * sizeof *k->rate);
  PL_TRY(residual_at(k, TINY_LOAD, k->u));
  for (int i = 0; i < e->nq; i++) *grows |= k->rate[i] != e->w->r[i] || k->at.s->q[i] != e->x->q[i];
  return set_factor(k, 0);
}

static pl_status follow_first(path *k) {
  PL_TRY(tangent(k, &k->at, NULL));
  int grows = k->own != NULL;
  if (!grows) PL_TRY(look_for_loads(k, &grows));
  if (!grows)
    return pl_fail_at(k->e.env, PL_E_INPUT, NULL, 0, 0,
                      "give gravity, a constant load or a constant drive, or parameter and value",
                      "path: nothing here grows with the load factor");
  PL_TRY(accept_point(k));
  return follow(k);
}

// reason of a path that did not get to an end
static pl_status end_path(path *k, pl_status st) {
  if (st == PL_CANCELLED) k->info->reason = PL_STOP_CANCELLED;
  if (st == PL_SINGULAR) k->info->reason = PL_STOP_SINGULAR;
  if (st == PL_DOMAIN) k->info->reason = PL_STOP_DOMAIN;
  if (st == PL_SINGULAR || st == PL_DOMAIN) st = PL_UNSOLVED;
  if (st == PL_UNSOLVED && k->info->reason == PL_STOP_CONVERGED) k->info->reason = PL_STOP_STEP;
  return st;
}

static void keep_path(path *k, int from) {
  pl_load_path_info *i = k->info;
  if (i->nbranch < PL_LOAD_PATHS)
    i->path[i->nbranch] = (pl_load_path_branch){from, k->points, i->reason, i->scale};
  i->nbranch++;
}

// from a branch point into one direction of its null vector
static pl_status follow_branch(path *k, const fork *f, double side) {
  equil *e = &k->e;
  k->points = 0;
  k->info->reason = PL_STOP_CONVERGED;
  k->info->branch = k->info->nbranch;
  if (k->o->motion == 0) k->a = fmax(k->a, BRANCH * e->extent);
  point_copy(k, &k->at, &f->at);
  double size = sqrt(dot(k, f->null, f->null));
  for (int i = 0; i < e->n; i++) k->at.tq[i] = side * f->null[i] / size;
  k->at.tl = 0;
  k->at.arc = 0;
  pl_status s = accept_point(k);
  if (s == PL_OK) s = end_path(k, follow(k));
  if (s != PL_UNSOLVED) PL_TRY(s);
  keep_path(k, f->special);
  return PL_OK;
}

// the first path's figures stay those that are told
static pl_status follow_branches(path *k) {
  pl_load_path_info *i = k->info;
  const pl_load_path_info first = *i;
  pl_status s = PL_OK;
  for (int f = 0; s == PL_OK && f < 2 * k->nfork; f++) {
    s = follow_branch(k, &k->fork[f / 2], f % 2 ? -1 : 1);
    // round a closed branch the other way there is the same again
    if (f % 2 == 0 && i->reason == PL_STOP_CLOSED) f++;
  }
  i->branch = 0;
  if (s == PL_OK) i->reason = first.reason;
  i->scale = first.scale;
  i->arc = first.arc;
  i->nneg = first.nneg;
  return s;
}

static pl_status own_parameters(path *k) {
  equil *e = &k->e;
  if (!k->plan || k->plan->design < 0) return PL_OK;
  PL_TRY(pl_params_copy(e->env, e->p, &k->own));
  e->p = k->own;
  k->start = k->own->design[k->plan->design];
  return PL_OK;
}

static pl_status path_open(path *k, const pl_state *s) {
  equil *e = &k->e;
  size_t n = (size_t)e->n;
  PL_TRY(own_parameters(k));
  PL_TRY(equil_open(e));
  k->weight = pl_alloc(e->env, 4 * n + (size_t)e->nq, sizeof *k->weight);
  k->fork = pl_alloc(e->env, (size_t)k->o->branches + 1, sizeof *k->fork);
  if (!k->weight || !k->fork) return PL_E_NOMEM;
  k->F = k->weight + n;
  k->u = k->F + n;
  k->v = k->u + n;
  k->rate = k->v + n;
  int places = pl_model_nnode(e->m) * pl_model_dim(e->m);
  for (int i = 0; i < e->n; i++) k->weight[i] = e->dof[i] < places;
  PL_TRY(point_open(k, &k->at));
  PL_TRY(point_open(k, &k->next));
  PL_TRY(point_open(k, &k->trial));
  PL_TRY(point_open(k, &k->best));
  PL_TRY(point_open(k, &k->begin));
  pl_state_copy(k->at.s, s);
  pl_state_copy(e->x, s);
  // the start is an equilibrium without load, or one of the parameter as it is
  PL_TRY(set_factor(k, 0));
  pl_status st = equil_follow(e);
  if (st == PL_UNSOLVED && k->own) {
    pl_state_copy(e->x, s);
    PL_TRY(set_factor(k, 0));
    st = equil_minimise(e);
  }
  pl_state_copy(k->at.s, e->x);
  return st;
}

static void path_close(path *k) {
  pl_env *env = k->e.env;
  for (int i = 0; i < k->nfork; i++) {
    point_close(k, &k->fork[i].at);
    pl_free(env, k->fork[i].null);
  }
  point_close(k, &k->at);
  point_close(k, &k->next);
  point_close(k, &k->trial);
  point_close(k, &k->best);
  point_close(k, &k->begin);
  pl_free(env, k->fork);
  pl_free(env, k->weight);
  equil_close(&k->e);
  pl_params_free(k->own);
}

static pl_status check_path(const pl_load_path_opts *o, const pl_load_path_plan *plan,
                            const pl_model *m, const pl_params *p, pl_env *env) {
  PL_TRY(solve_opts_check(env, pl_load_path_option_table, pl_load_path_option_count, o));
  if (o->to == 0 || o->to * o->beyond > 0)
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "e.g. to: 1, beyond: -1",
                      "path: to must not be 0, and beyond must lie on the other side of it");
  if (pl_model_nfree(m) == 0)
    return pl_fail(env, PL_E_INPUT, "path: the model has nothing that moves freely");
  if (plan && plan->design >= 0 && p->design[plan->design] == plan->value)
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "give another value",
                      "path: its parameter begins where it ends, at %g", plan->value);
  return PL_OK;
}

pl_status pl_load_path_planned(const pl_load_path_opts *o, const pl_load_path_plan *plan,
                               const pl_model *m, const pl_params *p, pl_state *s, pl_work *w,
                               pl_observe_fn observe, void *ctx, pl_load_path_info *info) {
  double began = pl_wall_time();
  pl_static_opts inner;
  pl_static_info other = {0};
  *info = (pl_load_path_info){.reason = PL_STOP_CONVERGED};
  PL_TRY(check_path(o, plan, m, p, w->env));
  pl_opts_default(pl_static_option_table, pl_static_option_count, &inner);
  inner.rtol = o->rtol;
  path k = {.o = o,
            .plan = plan,
            .observe = observe,
            .ctx = ctx,
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
  if (st == PL_OK) st = follow_first(&k);
  st = end_path(&k, st);
  if (info->npoint > 0) pl_state_copy(s, k.at.s);
  keep_path(&k, -1);
  pl_status more = PL_OK;
  if (st == PL_OK || st == PL_UNSOLVED) more = follow_branches(&k);
  path_close(&k);
  info->seconds = pl_wall_time() - began;
  return more != PL_OK ? more : st;
}

pl_status pl_load_path(const pl_load_path_opts *o, const pl_model *m, const pl_params *p,
                       pl_state *s, pl_work *w, pl_observe_fn observe, void *ctx,
                       pl_load_path_info *info) {
  return pl_load_path_planned(o, NULL, m, p, s, w, observe, ctx, info);
}
