// Limits of stretch, elasticity and contact in one solve: the cones of the projection inside of the
// Newton iteration of an implicit step. What is minimised is the potential of the step,
//   W(q) + ... + |q - y|_M^2 da / 2,
// divided by da and the mean weight, so that it looks as the projection's objective does.
#include "couple.h"
#include "program.h"

#include <string.h>

static const double SMALL = 1e-7;    // of the sheet's size: moves that are none, as in projections
static const double RESTART = 10;    // how much further from the boundary the last attempt begins
static const double NEAR_END = 0.05; // forces out of balance over those in play
enum { STALE = 4 };                  // iterations in which forces out of balance do not halve ...
static const double NOISE = 1e-4; // ... below this part of those in play: what is left is rounding

struct couple {
  const pl_project_opts *o;
  const pl_model *m;
  const pl_params *p;
  pl_work *w;
  pl_env *env;
  pl_sheet *sheet;
  program *g;
  int n, nq, built;
  const int *dof; // [n]
  pl_csc H;       // pattern of the model's tangent and of the blocks
  int *map;       // [A.nnz] where an entry of the tangent goes
  int *slot;      // [nblock][9]
  pl_factor *factor;
  double *force;       // [3 nfree] of cones, by unknown vertices
  double *rhs, *sol;   // [n]
  double *weight;      // [n] what residuals are measured by
  double *dx, *ddx;    // [nq]
  double *old, *start; // [nq]
  double kappa;        // factor on forces
  double tol;          // of forces and of the gap
  double dv, da;
  const double *vc, *ac;
  pl_state *x;
  const pl_clock *clock;
  int convex; // 1: the tangent is not positive definite by itself
  int lift;   // see couple_lift
};

// ---- matrix -------------------------------------------------------------------------------------

// the unknown of the model at component c of an unknown vertex, -1: driven
static int unknown_at(const couple *k, int vertex, int c) {
  return pl_model_free_index(k->m)[3 * k->g->vert[vertex] + c];
}

// entries of a block as pairs of unknowns, lower triangle; returns 0: not stored
static int block_entry(const couple *k, int block, int e, int *row, int *col) {
  const blocks *b = &k->g->b;
  int r = e / 3, c = e % 3, i = unknown_at(k, b->row[block], r),
      j = unknown_at(k, b->col[block], c);
  if (b->row[block] == b->col[block] && r < c) return 0;
  if (i < 0 || j < 0) return 0;
  *row = i > j ? i : j;
  *col = i > j ? j : i;
  return 1;
}

static pl_status union_pattern(couple *k) {
  const pl_csc *A = &k->w->A;
  size_t most = (size_t)A->nnz + 9 * (size_t)k->g->b.n;
  int *row = pl_alloc(k->env, 2 * most, sizeof *row), *col = row + most, n = 0;
  double *val = pl_alloc(k->env, most, sizeof *val);
  pl_status s = row && val ? PL_OK : PL_E_NOMEM;
  for (pl_entry e = {.k = -1}; s == PL_OK && pl_csc_next(A, &e); n++) row[n] = e.i, col[n] = e.j;
  for (int i = 0; s == PL_OK && i < k->g->b.n; i++)
    for (int e = 0; e < 9; e++) n += block_entry(k, i, e, &row[n], &col[n]);
  if (s == PL_OK) s = pl_csc_from_triplets(k->env, A->n, 1, n, row, col, val, &k->H);
  pl_free(k->env, row);
  pl_free(k->env, val);
  return s;
}

// all free unknowns are whole nodes: blocks of three
static int whole_nodes(const couple *k) {
  int whole = k->n % 3 == 0;
  for (int i = 0; whole && i < k->n; i += 3)
    whole = k->dof[i] % 3 == 0 && k->dof[i + 1] == k->dof[i] + 1 &&
            k->dof[i + 2] == k->dof[i] + 2 && k->dof[i] < 3 * pl_model_nnode(k->m);
  return whole;
}

static pl_status make_matrix(couple *k) {
  const pl_csc *A = &k->w->A;
  pl_factor_free(k->factor);
  k->factor = NULL;
  k->built = k->g->pattern;
  pl_csc_free(k->env, &k->H);
  pl_free(k->env, k->slot);
  k->slot = pl_alloc(k->env, 9 * (size_t)k->g->b.n, sizeof *k->slot);
  if (!k->slot) return PL_E_NOMEM;
  PL_TRY(union_pattern(k));
  for (pl_entry e = {.k = -1}; pl_csc_next(A, &e);) k->map[e.k] = pl_csc_find(&k->H, e.i, e.j);
  for (int i = 0; i < k->g->b.n; i++)
    for (int e = 0; e < 9; e++) {
      int row, col, found = block_entry(k, i, e, &row, &col);
      k->slot[9 * i + e] = found ? pl_csc_find(&k->H, row, col) : -1;
    }
  return pl_factor_create_on(k->env, PL_CHOLESKY, &k->H, whole_nodes(k) ? 3 : 1, k->w->threads,
                             &k->factor);
}

// ---- make ---------------------------------------------------------------------------------------

static pl_status allocate(couple *k) {
  size_t n = (size_t)k->n, nq = (size_t)k->nq;
  PL_TRY(program_open(k->sheet, &k->g));
  k->map = pl_alloc(k->env, (size_t)k->w->A.nnz, sizeof *k->map);
  k->force = pl_alloc(k->env, 3 * (size_t)k->g->nfree, sizeof *k->force);
  k->rhs = pl_alloc(k->env, n, sizeof *k->rhs);
  k->sol = pl_alloc(k->env, n, sizeof *k->sol);
  k->weight = pl_alloc(k->env, n, sizeof *k->weight);
  k->dx = pl_alloc(k->env, nq, sizeof *k->dx);
  k->ddx = pl_alloc(k->env, nq, sizeof *k->ddx);
  k->old = pl_alloc(k->env, nq, sizeof *k->old);
  k->start = pl_alloc(k->env, nq, sizeof *k->start);
  return k->map && k->force && k->rhs && k->sol && k->weight && k->dx && k->ddx && k->old &&
                 k->start
             ? PL_OK
             : PL_E_NOMEM;
}

pl_status couple_create(const pl_project_opts *o, const pl_model *m, const pl_params *p, pl_work *w,
                        pl_sheet *s, couple **out) {
  *out = NULL;
  if (pl_model_dim(m) != 3 || pl_sheet_nvert(s) != pl_model_nnode(m))
    return pl_fail(w->env, PL_E_ARG,
                   "coupled steps need a sheet over all nodes in three dimensions");
  couple *k = pl_alloc(w->env, 1, sizeof *k);
  if (!k) return PL_E_NOMEM;
  *k = (couple){.o = o, .m = m, .p = p, .w = w, .env = w->env, .sheet = s};
  couple_tolerance(k, o->gap);
  k->n = pl_model_nfree(m);
  k->nq = pl_model_nq(m);
  k->dof = pl_model_free_dofs(m);
  pl_status status = allocate(k);
  if (status != PL_OK) {
    couple_free(k);
    return status;
  }
  *out = k;
  return PL_OK;
}

// forces have rounding of their own
void couple_tolerance(couple *k, double tol) {
  k->tol = fmax(tol, 1e-9);
}

void couple_lift(couple *k, int lift) {
  k->lift = lift;
}

void couple_free(couple *k) {
  if (!k) return;
  pl_factor_free(k->factor);
  pl_csc_free(k->env, &k->H);
  void *own[] = {k->map,    k->slot, k->force, k->rhs, k->sol,
                 k->weight, k->dx,   k->ddx,   k->old, k->start};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) pl_free(k->env, own[i]);
  pl_free(k->env, k);
}

// ---- one iteration ------------------------------------------------------------------------------

static pl_status evaluate(couple *k) {
  pl_coef coef = {.m = k->da, .d = k->dv, .k = 1};
  unsigned want = PL_WANT_FORCE | PL_WANT_TANGENT | PL_DYNAMIC | PL_EXACT;
  if (k->convex) want |= PL_CONVEX;
  for (int i = 0; i < k->n; i++) {
    int q = k->dof[i];
    k->x->v[q] = k->dv * k->x->q[q] + k->vc[q];
    k->x->a[q] = k->da * k->x->q[q] + k->ac[q];
  }
  return pl_eval(k->m, k->p, k->x, k->clock, want, &coef, k->w);
}

static pl_status factorise(void *ctx) {
  couple *k = ctx;
  const pl_csc *A = &k->w->A;
  memset(k->H.val, 0, (size_t)k->H.nnz * sizeof *k->H.val);
  for (int e = 0; e < A->nnz; e++) k->H.val[k->map[e]] = k->kappa * A->val[e];
  program_assemble(k->g, k->slot, NULL, k->H.val);
  pl_status s = pl_factor_numeric(k->factor, &k->H);
  if (s != PL_SINGULAR || k->convex) return s;
  // compressed triangles: from now on the positive part of every element
  k->convex = 1;
  PL_TRY(evaluate(k));
  return factorise(k);
}

// rhs[n] += what the cones hold at the nodes
static void add_cones(couple *k, int stress, double *rhs) {
  memset(k->force, 0, 3 * (size_t)k->g->nfree * sizeof *k->force);
  program_gather(k->g, stress, k->force);
  for (int v = 0; v < k->g->nfree; v++)
    for (int c = 0; c < 3; c++) {
      int i = unknown_at(k, v, c);
      if (i >= 0) rhs[i] += k->force[3 * v + c];
    }
}

static pl_status direction(void *ctx, int own, double *dx) {
  couple *k = ctx;
  for (int i = 0; i < k->n; i++) k->rhs[i] = own ? -k->kappa * k->w->r[k->dof[i]] : 0;
  add_cones(k, 0, k->rhs);
  PL_TRY(pl_factor_solve(k->factor, 1, k->rhs, k->sol));
  for (int i = 0; i < k->n; i++) dx[k->dof[i]] = k->sol[i];
  return PL_OK;
}

// how far forces are out of balance, and the size of those in play, in the metric of the weights
typedef struct residue {
  double out, size;
} residue;

// stale: counts iterations without progress; best: least that was out of balance
static int is_rounding(const residue *r, double *best, int *stale) {
  *stale = r->out > 0.5 * *best ? *stale + 1 : 0;
  *best = fmin(*best, r->out);
  return *stale >= STALE && r->out <= NOISE * r->size;
}

static residue measure(couple *k) {
  residue r = {0, 0};
  const pl_csc *M = &k->p->M;
  memset(k->rhs, 0, (size_t)k->n * sizeof *k->rhs);
  add_cones(k, 1, k->rhs);
  for (int i = 0; i < k->n; i++) {
    double inner = k->kappa * k->w->r[k->dof[i]], all = inner + k->rhs[i];
    double elastic = k->kappa * k->w->f_inner[k->dof[i]];
    double moving = k->kappa * *pl_csc_diagonal(M, k->dof[i]) * k->x->a[k->dof[i]];
    double sum = inner * inner + k->rhs[i] * k->rhs[i] + elastic * elastic + moving * moving;
    r.out += all * all / k->weight[i];
    r.size += sum / k->weight[i];
  }
  // where nothing acts, forces that hardly move anything count as such
  double total = 0, none = SMALL * k->g->length;
  for (int i = 0; i < 3 * k->g->nfree; i++) total += k->g->mass[i] / 3;
  return (residue){sqrt(r.out), fmax(sqrt(r.size), sqrt(total) * none)};
}

// diagonal of the matrix before the cones join it
static void copy_weights(couple *k) {
  const pl_csc *A = &k->w->A;
  for (int i = 0; i < k->n; i++) {
    double d = k->kappa * *pl_csc_diagonal(A, i);
    k->weight[i] = d > 0 ? d : 1;
  }
}

// ---- solve --------------------------------------------------------------------------------------

static int warm_start_fits(const couple *k, const pl_warm_start *w) {
  return w && w->dual && w->ncone == k->sheet->nround + k->sheet->nflat;
}

static pl_status keep_warm_start(couple *k, pl_warm_start *w) {
  if (!w) return PL_OK;
  if (!warm_start_fits(k, w)) {
    pl_warm_start_free(k->env, w);
    w->ncone = k->sheet->nround + k->sheet->nflat;
    w->dual = pl_alloc(k->env, 3 * (size_t)w->ncone, sizeof *w->dual);
    if (!w->dual) return PL_E_NOMEM;
  }
  interior_keep(k->g, w);
  return PL_OK;
}

// x = old + a dx; elements that leave their domain shorten the step
static pl_status move_along(couple *k, double a) {
  pl_status s = PL_DOMAIN;
  memcpy(k->old, k->x->q, (size_t)k->nq * sizeof *k->old);
  for (int tries = 0; s == PL_DOMAIN && tries < 20; tries++) {
    if (tries > 0) {
      program_move(k->g, -a / 2, k->g->corrected);
      a /= 2;
    }
    for (int i = 0; i < k->n; i++) k->x->q[k->dof[i]] = k->old[k->dof[i]] + a * k->dx[k->dof[i]];
    s = evaluate(k);
  }
  return s == PL_DOMAIN ? PL_UNSOLVED : s;
}

static pl_status attempt(couple *k, int warm_start, double further, pl_project_info *info) {
  program *g = k->g;
  smooth f = {k, factorise, direction, NULL};
  double total = 0, first = 0, best = INFINITY;
  int shorts = 0, stale = 0;
  for (int i = 0; i < 3 * g->nfree; i++) total += g->mass[i] / 3;
  PL_TRY(evaluate(k));
  copy_weights(k);
  interior_begin(g, k->x->q, further, warm_start);
  for (int i = 0;; i++) {
    double a, push = 0, slipped = k->lift ? 0 : program_slip(g, k->x->q, &push);
    partial at = program_scale(g, k->x->q);
    residue r = measure(k);
    double scale = fmin(r.size * r.size / 2, r.size * sqrt(total) * g->edge);
    if (i == 0) first = fmax(at.gap, 1e-300);
    if (!(at.gap < 1e4 * first) || !isfinite(r.out) || at.lost > 0) return PL_UNSOLVED;
    int balanced = r.out <= k->tol * r.size || is_rounding(&r, &best, &stale);
    if (at.most <= k->o->violation && at.gap <= k->tol * scale && balanced &&
        slipped <= 1e-8 * g->edge)
      return PL_OK;
    if (info->iterations++ >= k->o->max_iter) {
      info->reason = PL_PROJECT_MAX_ITER;
      return PL_UNSOLVED;
    }
    PL_TRY(pl_report_progress(k->env, NULL, -1, NULL));
    // forces may settle more slowly than the cones: these wait, lest their matrix loses its digits
    double least = 0.1 * fmax(k->tol * scale, fmax(push, at.lag)) / program_ncone(g);
    pl_status s = interior_step(g, &f, k->o->correct, at.gap, least, k->nq, k->dx, k->ddx, &a);
    info->factorisations++;
    if (s == PL_SINGULAR) return PL_UNSOLVED;
    PL_TRY(s);
    // whole steps: near the end the tangent itself may do, and converges faster
    if (a > 0.9 && r.out < NEAR_END * r.size) k->convex = 0;
    PL_TRY(move_along(k, a));
    shorts = a < 1e-3 ? shorts + 1 : 0;
    if (shorts >= 3) return PL_UNSOLVED;
  }
}

// nothing confines the motion at x: plain Newton would do, but one code is enough
static int no_cones(const couple *k) {
  return program_ncone(k->g) == 0;
}

// x += a dx, a as large as elements allow up to 1
static pl_status step_inside(couple *k) {
  pl_status s = PL_DOMAIN;
  memcpy(k->old, k->x->q, (size_t)k->nq * sizeof *k->old);
  for (double a = 1; s == PL_DOMAIN && a > 1e-9; a /= 2) {
    for (int i = 0; i < k->n; i++) k->x->q[k->dof[i]] = k->old[k->dof[i]] + a * k->dx[k->dof[i]];
    s = evaluate(k);
  }
  return s;
}

static pl_status newton(couple *k, pl_project_info *info) {
  PL_TRY(evaluate(k));
  copy_weights(k);
  double best = INFINITY;
  int stale = 0;
  for (info->iterations = 0; info->iterations < k->o->max_iter; info->iterations++) {
    program_scale(k->g, k->x->q);
    residue r = measure(k);
    if (r.out <= k->tol * r.size || is_rounding(&r, &best, &stale)) return PL_OK;
    // as below: near the end the tangent itself
    if (k->convex && r.out < NEAR_END * r.size) {
      k->convex = 0;
      PL_TRY(evaluate(k));
    }
    info->factorisations++;
    PL_TRY(factorise(k));
    PL_TRY(direction(k, 1, k->dx));
    PL_TRY(step_inside(k));
  }
  info->reason = PL_PROJECT_MAX_ITER;
  return PL_UNSOLVED;
}

static pl_status attempt_from_start(couple *k, int warm_start, double further,
                                    pl_project_info *info) {
  memcpy(k->x->q, k->start, (size_t)k->nq * sizeof *k->start);
  program_clear_slip(k->g);
  return attempt(k, warm_start, further, info);
}

// warm if possible, then cold, then cold from further away; friction that does not settle gives way
// to contacts that rise when they slide
static pl_status attempts(couple *k, const pl_warm_start *warm_start, pl_project_info *info) {
  pl_status s = PL_UNSOLVED;
  int fits = warm_start_fits(k, warm_start), lift = k->lift;
  memcpy(k->start, k->x->q, (size_t)k->nq * sizeof *k->start);
  for (int way = fits ? 0 : 1; way < 3 && s == PL_UNSOLVED; way++) {
    if (info->reason == PL_PROJECT_MAX_ITER) break;
    if (way == 0) interior_recall(k->g, warm_start);
    info->restarts += way > (fits ? 0 : 1);
    s = attempt_from_start(k, way == 0, way == 2 ? RESTART : 1, info);
  }
  if (s != PL_UNSOLVED || lift || !program_has_friction(k->g)) return s;
  int spent = info->iterations;
  info->iterations = 0;
  info->reason = PL_PROJECT_CONVERGED;
  info->lifted = k->lift = 1;
  s = attempt_from_start(k, 0, 1, info);
  k->lift = lift;
  info->iterations += spent;
  return s;
}

pl_status couple_solve(couple *k, const pl_clock *clock, double dv, double da, const double *vc,
                       const double *ac, int nbarrier, pl_contact_row *barrier,
                       pl_warm_start *warm_start, pl_state *x, pl_project_info *info) {
  *info = (pl_project_info){.reason = PL_PROJECT_CONVERGED, .worst = -1};
  double started = pl_wall_time();
  PL_TRY(program_walls(k->g, nbarrier, barrier));
  if (!k->factor || k->built != k->g->pattern) PL_TRY(make_matrix(k));
  k->x = x;
  k->dv = dv;
  k->da = da;
  k->vc = vc;
  k->ac = ac;
  k->clock = clock;
  k->convex = 0;
  k->kappa = 1 / (da * k->g->scale);
  x->t = clock->t;
  pl_drive(k->m, k->p, clock, x);
  memset(k->dx, 0, (size_t)k->nq * sizeof *k->dx);
  memset(k->ddx, 0, (size_t)k->nq * sizeof *k->ddx);
  pl_status s = no_cones(k) ? newton(k, info) : attempts(k, warm_start, info);
  if (s == PL_DOMAIN) s = PL_UNSOLVED;
  if (s == PL_UNSOLVED && info->reason == PL_PROJECT_CONVERGED)
    info->reason = PL_PROJECT_INFEASIBLE;
  info->violation = pl_sheet_violation(k->sheet, x->q, &info->worst);
  info->distance = info->rms = info->objective = info->bound = NAN;
  program_results(k->g, info);
  info->seconds = pl_wall_time() - started;
  if (s == PL_OK) PL_TRY(keep_warm_start(k, warm_start));
  return s;
}
