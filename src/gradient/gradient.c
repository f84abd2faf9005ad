// Derivatives of states by parameters: the object, the linearised equations and their solution.
#include "gradient_impl.h"

#include "pliant/math.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CORRECTIONS = 30, GMRES_MOST = 400, GMRES_RESTART = 60 };
static const double REFINED = 1e-9; // a last correction of so little of the solution is rounding
static const double GMRES_RTOL = 1e-14, GMRES_ENOUGH = 1e-9;

// ---- object -------------------------------------------------------------------------------------

static pl_status check_kinds(pl_env *env, const pl_model *m) {
  for (int k = 0; k < pl_model_ngroup(m); k++) {
    const pl_elem_kind *kind = pl_model_group_kind(m, k);
    if (kind->eval_law && pl_model_group_size(m, k) > 0)
      return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "leave gradients out",
                        "gradients: elements of the kind %s (limits of stretch) have none",
                        kind->name);
  }
  return PL_OK;
}

static double extent_of(const pl_model *m, const pl_params *p) {
  double most = 0;
  int dim = pl_model_dim(m), n = pl_model_nnode(m) * dim;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(p->X[i] - p->X[i % dim]));
  return most > 0 ? most : 1;
}

static pl_status alloc_arrays(pl_gradient *g) {
  struct gradient_impl *k = g->impl;
  size_t nq = (size_t)g->nq, n = (size_t)g->n, all = n * nq, nfree = (size_t)pl_model_nfree(g->m);
  double **big[] = {&g->q,   &g->v,  &g->a,  &k->bq, &k->bv, &k->ba,
                    &k->out, &k->q1, &k->v1, &k->q0, &k->v0};
  double **small[] = {&k->dq, &k->dv, &k->da, &k->tmp, &k->eq, &k->ev, &k->ea};
  for (size_t i = 0; i < sizeof big / sizeof big[0]; i++) {
    *big[i] = pl_alloc(g->env, all, sizeof(double));
    if (!*big[i]) return PL_E_NOMEM;
  }
  for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
    *small[i] = pl_alloc(g->env, nq, sizeof(double));
    if (!*small[i]) return PL_E_NOMEM;
  }
  g->hist = pl_alloc(g->env, n * (size_t)g->nhist, sizeof(double));
  k->rhs = pl_alloc(g->env, n * nfree, sizeof(double));
  k->x = pl_alloc(g->env, n * nfree, sizeof(double));
  k->unit = pl_alloc(g->env, n, sizeof(double));
  return g->hist && k->rhs && k->x && k->unit ? PL_OK : PL_E_NOMEM;
}

static pl_status set_up(pl_gradient *g, int nthread, const pl_direction *dir) {
  struct gradient_impl *k = g->impl;
  PL_TRY(check_kinds(g->env, g->m));
  PL_TRY(pl_state_create(g->m, g->p, &k->at));
  g->nhist = k->at->nhist;
  PL_TRY(alloc_arrays(g));
  PL_TRY(pl_directions_create(g->env, g->m, 1, g->n, dir, &k->directions));
  PL_TRY(pl_work_create_for(g->env, g->m, nthread, &k->w));
  k->anchors = pl_model_remembers(g->m, &k->sliders);
  k->extent = extent_of(g->m, g->p);
  return k->anchors || k->sliders ? memory_open(g) : PL_OK;
}

pl_status pl_gradient_create(pl_env *env, const pl_model *m, const pl_params *p, int nthread, int n,
                             const pl_direction *dir, pl_gradient **out) {
  *out = NULL;
  pl_gradient *g = pl_alloc(env, 1, sizeof *g);
  struct gradient_impl *k = pl_alloc(env, 1, sizeof *k);
  if (!g || !k) {
    pl_free(env, g);
    pl_free(env, k);
    return PL_E_NOMEM;
  }
  *g = (pl_gradient){.env = env, .m = m, .p = p, .n = n, .nq = pl_model_nq(m), .impl = k};
  pl_status s = set_up(g, nthread, dir);
  if (s != PL_OK) {
    pl_gradient_free(g);
    return s;
  }
  *out = g;
  return PL_OK;
}

void pl_gradient_free(pl_gradient *g) {
  if (!g) return;
  struct gradient_impl *k = g->impl;
  memory_close(g);
  pl_directions_free(k->directions);
  pl_work_free(k->w);
  pl_factor_free(k->chol);
  pl_factor_free(k->ldl);
  if (k->at) pl_state_free(g->m, k->at);
  void *all[] = {g->q,   g->v,  g->a,    g->hist, k->bq, k->bv, k->ba, k->out,
                 k->q1,  k->v1, k->q0,   k->v0,   k->dq, k->dv, k->da, k->tmp,
                 k->rhs, k->x,  k->unit, k->kept, k->eq, k->ev, k->ea, k};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(g->env, all[i]);
  pl_free(g->env, g);
}

void pl_gradient_rest(pl_gradient *g, const pl_state *s) {
  size_t all = (size_t)g->n * (size_t)g->nq * sizeof(double);
  memset(g->q, 0, all);
  memset(g->v, 0, all);
  memset(g->a, 0, all);
  memset(g->hist, 0, (size_t)g->n * (size_t)g->nhist * sizeof(double));
  for (int i = 0; i < g->n; i++)
    pl_directions_places(g->impl->directions, i, g->q + (size_t)i * (size_t)g->nq);
  pl_state_copy(g->impl->at, s);
}

// ---- linearised forces --------------------------------------------------------------------------

// driven unknowns of g get what the direction does to them, and its history
static void drive(pl_gradient *g, const pl_state *s, const pl_clock *c, int i) {
  struct gradient_impl *k = g->impl;
  const int *index = pl_model_free_index(g->m);
  size_t at = (size_t)i * (size_t)g->nq;
  pl_directions_driven(k->directions, 0, g->p, s, c, i, k->dq, k->dv, k->da);
  size_t bytes = (size_t)g->nq * sizeof(double);
  memset(k->eq, 0, bytes);
  memset(k->ev, 0, bytes);
  memset(k->ea, 0, bytes);
  if (k->anchors && s->anchoring == PL_ANCHORS_CHANGED) memory_drive(g, s, c, i);
  for (int j = 0; j < g->nq; j++) {
    if (index[j] >= 0) continue;
    g->q[at + (size_t)j] = k->dq[j] + k->eq[j];
    g->v[at + (size_t)j] = k->dv[j] + k->ev[j];
    g->a[at + (size_t)j] = k->da[j] + k->ea[j];
  }
}

pl_status gradient_force(pl_gradient *g, const pl_state *s, const pl_clock *c, int dynamic,
                         double *out) {
  struct gradient_impl *k = g->impl;
  const int *index = pl_model_free_index(g->m);
  size_t nq = (size_t)g->nq;
  for (int i = 0; i < g->n; i++) {
    size_t at = (size_t)i * nq;
    drive(g, s, c, i);
    for (size_t j = 0; j < nq; j++) {
      int is_free = index[j] >= 0;
      k->bq[at + j] = is_free ? g->q[at + j] : k->eq[j];
      k->bv[at + j] = is_free ? g->v[at + j] : k->ev[j];
      k->ba[at + j] = is_free ? g->a[at + j] : k->ea[j];
    }
  }
  PL_TRY(pl_eval_changes(g->m, g->p, s, g->n, k->bq, dynamic ? k->bv : NULL, k->ba, k->w, out));
  for (int i = 0; i < g->n; i++) {
    double *to = out + (size_t)i * nq;
    k->unit[i] = 1;
    pl_status st = pl_directions_along(k->directions, 0, g->p, s, c, k->unit, k->tmp);
    k->unit[i] = 0;
    PL_TRY(st);
    pl_axpy(g->nq, 1, k->tmp, to, to);
    if (k->anchors || k->sliders)
      PL_TRY(pl_eval_history(g->m, g->p, s, g->hist + (size_t)i * (size_t)g->nhist, to));
  }
  return PL_OK;
}

// ---- solution -----------------------------------------------------------------------------------

pl_status gradient_factor(pl_gradient *g, const pl_state *s, const pl_clock *c, const pl_coef *coef,
                          int dynamic) {
  struct gradient_impl *k = g->impl;
  const pl_csc *A = &k->w->A;
  if (pl_model_nfree(g->m) == 0) return PL_OK;
  unsigned want = PL_WANT_TANGENT | PL_EXACT | (dynamic ? PL_DYNAMIC : 0);
  PL_TRY(pl_eval(g->m, g->p, s, c, want, coef, k->w));
  if (!k->chol) PL_TRY(pl_factor_create_on(g->env, PL_CHOLESKY, A, 1, k->w->threads, &k->chol));
  k->factor = k->chol;
  pl_status st = pl_factor_numeric(k->chol, A);
  if (st != PL_SINGULAR) return st;
  if (!k->ldl) PL_TRY(pl_factor_create_on(g->env, PL_LDL, A, 1, k->w->threads, &k->ldl));
  k->factor = k->ldl;
  return pl_factor_numeric(k->ldl, A);
}

typedef struct system {
  pl_gradient *g;
  const tangent *t;
  pl_status status; // of the first product or solve that failed
} system;

static void note(system *s, pl_status st) {
  if (s->status == PL_OK) s->status = st;
}

static void multiply(void *ctx, const double *x, double *y) {
  system *s = ctx;
  const tangent *t = s->t;
  pl_csc_mul(&s->g->impl->w->A, 1, x, 0, y);
  note(s, pl_eval_skew(s->g->m, s->g->p, t->s, t->coef, t->transposed ? -1 : 1, x, y));
}

static void precondition(void *ctx, const double *x, double *y) {
  system *s = ctx;
  note(s, pl_factor_solve(s->g->impl->factor, 1, x, y));
}

// Small skew parts: corrections by the symmetric one fall at once, and to rounding also where stiff
// and soft parts stand side by side, of which residuals say little. *last: size of the last one.
static pl_status refine(system *s, const double *b, double *x, double *last) {
  struct gradient_impl *k = s->g->impl;
  int n = pl_model_nfree(s->g->m);
  double before = INFINITY, size = 0;
  memset(x, 0, (size_t)n * sizeof *x);
  memcpy(k->tmp, b, (size_t)n * sizeof *b);
  for (int it = 0; it < CORRECTIONS; it++) {
    PL_TRY(pl_factor_solve(k->factor, 1, k->tmp, k->tmp));
    *last = pl_max_abs(n, k->tmp);
    if (!(*last < 0.5 * before)) break;
    pl_axpy(n, 1, k->tmp, x, x);
    size = pl_max_abs(n, x);
    if (*last <= DBL_EPSILON * size) break;
    before = *last;
    multiply(s, x, k->tmp);
    for (int i = 0; i < n; i++) k->tmp[i] = b[i] - k->tmp[i];
    PL_TRY(s->status);
  }
  *last = size > 0 ? *last / size : 0;
  return PL_OK;
}

// large ones are for GMRES, which needs a few iterations
static pl_status solve_skew(pl_gradient *g, const tangent *t, const double *b, double *x) {
  system s = {g, t, PL_OK};
  pl_krylov_info info = {0};
  int n = pl_model_nfree(g->m);
  double last;
  PL_TRY(refine(&s, b, x, &last));
  if (last <= REFINED) return PL_OK;
  memset(x, 0, (size_t)n * sizeof *x);
  pl_status st = pl_gmres(g->env, n, GMRES_RESTART, multiply, &s, precondition, &s, b, x,
                          GMRES_RTOL, GMRES_MOST, &info);
  if (s.status != PL_OK) return s.status;
  if (st != PL_UNSOLVED) return st;
  return info.residual <= GMRES_ENOUGH ? PL_OK : PL_SINGULAR;
}

pl_status gradient_solve(pl_gradient *g, const tangent *t, const double *b, double *x) {
  int n = pl_model_nfree(g->m);
  if (n == 0) return PL_OK;
  if (pl_max_abs(n, b) == 0) {
    memset(x, 0, (size_t)n * sizeof *x);
    return PL_OK;
  }
  PL_TRY(solve_skew(g, t, b, x));
  return pl_all_finite(n, x) ? PL_OK : PL_SINGULAR;
}

// ---- what follows -------------------------------------------------------------------------------

pl_status pl_gradient_forces(pl_gradient *g, const pl_state *s, const pl_clock *c, double *out) {
  return gradient_force(g, s ? s : g->impl->at, c, s != NULL, out);
}

pl_status pl_gradient_energy(pl_gradient *g, const pl_state *s, double *out) {
  for (int i = 0; i < g->n; i++)
    PL_TRY(pl_directions_energy(g->impl->directions, g->p, s ? s : g->impl->at, i,
                                g->q + (size_t)i * (size_t)g->nq,
                                g->hist + (size_t)i * (size_t)g->nhist, &out[i]));
  return PL_OK;
}
