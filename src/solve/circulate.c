// Equilibria under forces without a potential (pressure at free edges): Newton's method with the
// whole tangent, whose part that is not symmetric is left to GMRES, preconditioned by the rest.
#include "solve_impl.h"

#include <string.h>

enum { ITERATIONS = 40, RESTART = 40, INNER = 200, STALE = 3 };
static const double INNER_RTOL = 1e-10, RUNAWAY = 1e8;

typedef struct circulation {
  equil *e;
  pl_factor *factor; // of the symmetric part
  pl_status status;  // of the first solve that failed
} circulation;

// y += (S - S')/2 x of one element
static void add_skew(const equil *e, int group, int elem, const double *x, double *y) {
  const pl_elem_kind *k = pl_model_group_kind(e->m, group);
  const int *dof = pl_model_group_dofs(e->m, group) + (size_t)elem * (size_t)k->ndof;
  const int *index = pl_model_free_index(e->m);
  double q[PL_NDOF_MAX], v[PL_NDOF_MAX] = {0}, f[PL_NDOF_MAX], K[PL_NDOF_MAX * PL_NDOF_MAX];
  pl_element one = {e->m, e->p, group, elem, k->ndof, dof};
  int n = k->ndof, at[PL_NDOF_MAX];
  for (int i = 0; i < n; i++) {
    q[i] = dof[i] < 0 ? 0 : e->x->q[dof[i]];
    at[i] = dof[i] < 0 ? -1 : index[dof[i]];
  }
  if (pl_element_eval(&one, q, v, f, K, NULL)) return;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (at[i] >= 0 && at[j] >= 0) y[at[i]] += 0.5 * (K[i * n + j] - K[j * n + i]) * x[at[j]];
}

static void apply(void *ctx, const double *x, double *y) {
  const equil *e = ((circulation *)ctx)->e;
  pl_csc_mul(&e->w->A, 1, x, 0, y);
  for (int g = 0; g < pl_model_ngroup(e->m); g++) {
    if (!pl_model_group_kind(e->m, g)->circulatory) continue;
    for (int k = 0; k < pl_model_group_size(e->m, g); k++) add_skew(e, g, k, x, y);
  }
}

static void precondition(void *ctx, const double *x, double *y) {
  circulation *c = ctx;
  pl_status s = factor_solve(c->e->env, c->factor, 1, x, y);
  if (s == PL_OK) return;
  if (c->status == PL_OK) c->status = s;
  memset(y, 0, (size_t)c->e->n * sizeof *y);
}

// d = -(K + skew)^-1 g; PL_SINGULAR: there is none
static pl_status whole_step(equil *e) {
  pl_status s = equil_cholesky(e);
  circulation c = {.e = e, .factor = e->chol};
  if (s == PL_SINGULAR) {
    s = equil_ldl(e);
    c.factor = e->ldl;
  }
  PL_TRY(s);
  for (int i = 0; i < e->n; i++) e->b[i] = -e->g[i];
  memset(e->d, 0, (size_t)e->n * sizeof *e->d);
  pl_krylov_info info;
  s = pl_gmres(e->env, e->n, RESTART, apply, &c, precondition, &c, e->b, e->d, INNER_RTOL, INNER,
               &info);
  if (c.status != PL_OK) return c.status;
  // a step that is nearly right is one, too
  return s == PL_UNSOLVED && info.residual < 0.1 ? PL_OK : s == PL_UNSOLVED ? PL_SINGULAR : s;
}

// x = q0 + d, shorter where elements leave their domains
static pl_status move(equil *e) {
  memcpy(e->q0, e->x->q, (size_t)e->nq * sizeof *e->q0);
  for (double step = 1; step >= 1e-3; step /= 2) {
    equil_move(e, e->q0, step, e->d);
    pl_status s = equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE);
    if (s != PL_DOMAIN) return s;
  }
  e->why = PL_STOP_DOMAIN;
  return PL_UNSOLVED;
}

pl_status equil_circulate(equil *e) {
  double best = INFINITY, first = 0;
  int stale = 0;
  e->why = PL_STOP_STEP;
  for (int it = 0; it <= ITERATIONS; it++) {
    pl_move_anchors(e->m, e->p, e->x);
    pl_status s = equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE | PL_WANT_TANGENT);
    if (s == PL_DOMAIN) e->why = PL_STOP_DOMAIN;
    if (s == PL_DOMAIN) return PL_UNSOLVED;
    PL_TRY(s);
    balance b = equil_balance(e);
    e->info->residual = b.force > 0 ? b.residual / b.force : 0;
    e->info->energy = b.energy;
    PL_TRY(pl_report_progress(e->env, NULL, -1, NULL));
    gather_free(e->m, e->w->r, e->g);
    stale = b.residual > 0.5 * best ? stale + 1 : 0;
    best = fmin(best, b.residual);
    if (it == 0) first = b.residual;
    if (b.residual <= e->o->rtol * b.force) return PL_OK;
    if (stale >= STALE && equil_at_rounding(e, e->g)) return PL_OK;
    if (b.residual > RUNAWAY * first) return PL_UNSOLVED;
    s = whole_step(e);
    if (s == PL_SINGULAR) e->why = PL_STOP_SINGULAR;
    if (s == PL_SINGULAR) return PL_UNSOLVED;
    PL_TRY(s);
    e->info->iterations++;
    if (is_negligible(e->m, e->x->q, e->d)) return PL_OK;
    PL_TRY(move(e));
  }
  return PL_UNSOLVED;
}
