// The projection by Ipopt (Waechter and Biegler 2006). Per direction 1 - |y|^2 >= 0. Per ellipse
// I - C is positive semidefinite, C = G'G in the axes of the ellipse: with two eigenvalues this is
// trace(I - C) >= 0 and det(I - C) >= 0. Where both eigenvalues are zero (stretched to the limit in
// all directions) the gradient of the determinant vanishes, which slows Ipopt down.
#include "rivals.h"

#include <math.h>
#include <string.h>

#ifndef PL_IPOPT

int project_has_ipopt(void) {
  return 0;
}

pl_status project_ipopt(pl_sheet *s, const double *xhat, double tol, int max_iter, double *x,
                        rival_info *info) {
  (void)xhat, (void)tol, (void)max_iter, (void)x;
  *info = (rival_info){0};
  return pl_fail_at(s->env, PL_E_INPUT, NULL, 0, 0,
                    "install coinor-libipopt-dev and configure again",
                    "ipopt: this program was built without it");
}

#else

#include <IpStdCInterface.h>

// unknowns are displacements from xhat in lengths of an edge, weights are over their mean, so that
// Ipopt's absolute tolerances mean something
typedef struct nlp {
  pl_sheet *s;
  const double *xhat;
  double unit, mean; // m; mean weight
  int n, m, njac, nhess;
  int *var;      // [nvert][3] unknown, -1: given
  int *of;       // [n] 3 vertex + component
  double *x;     // [nvert][3] where callbacks evaluate
  double *start; // [n]
  double *bound; // [n] and [m] from below, the larger of both from above
  int iterations, cancelled;
} nlp;

static void place(nlp *p, const double *u) {
  for (int i = 0; i < p->n; i++) p->x[p->of[i]] = p->xhat[p->of[i]] + p->unit * u[i];
}

static void flat_vector(const nlp *p, int k, double y[3]) {
  const int *v = p->s->tri + 3 * p->s->flat_tri[k];
  const double *h = p->s->flat + 3 * k;
  for (int c = 0; c < 3; c++)
    y[c] = p->x[3 * v[0] + c] * h[0] + p->x[3 * v[1] + c] * h[1] + p->x[3 * v[2] + c] * h[2];
}

// a = 1 - C11, b = 1 - C22, c = C12
static void invariants(const nlp *p, int k, double F[6], double *a, double *b, double *c) {
  sheet_gradient(p->s, p->s->round_tri[k], p->s->round + 6 * k, p->x, F);
  *a = 1 - pl_dot3(F, F);
  *b = 1 - pl_dot3(F + 3, F + 3);
  *c = pl_dot3(F, F + 3);
}

// ---- callbacks ----------------------------------------------------------------------------------

static Bool eval_f(Index n, Number *u, Bool fresh, Number *value, UserDataPtr data) {
  nlp *p = data;
  (void)fresh;
  *value = 0;
  for (int i = 0; i < n; i++) *value += p->s->weight[p->of[i] / 3] / p->mean * u[i] * u[i] / 2;
  return TRUE;
}

static Bool eval_grad_f(Index n, Number *u, Bool fresh, Number *grad, UserDataPtr data) {
  nlp *p = data;
  (void)fresh;
  for (int i = 0; i < n; i++) grad[i] = p->s->weight[p->of[i] / 3] / p->mean * u[i];
  return TRUE;
}

static Bool eval_g(Index n, Number *u, Bool fresh, Index m, Number *g, UserDataPtr data) {
  nlp *p = data;
  (void)n, (void)fresh, (void)m;
  place(p, u);
  for (int k = 0; k < p->s->nround; k++) {
    double F[6], a, b, c;
    invariants(p, k, F, &a, &b, &c);
    g[2 * k] = a + b;
    g[2 * k + 1] = a * b - c * c;
  }
  for (int k = 0; k < p->s->nflat; k++) {
    double y[3];
    flat_vector(p, k, y);
    g[2 * p->s->nround + k] = 1 - pl_dot3(y, y);
  }
  return TRUE;
}

// appends to the triplets of a matrix: its pattern when value is NULL
typedef struct triplets {
  int n;
  Index *row, *col;
  Number *value;
} triplets;

static void add(triplets *t, int row, int col, double value) {
  if (row < 0 || col < 0) return;
  if (t->value)
    t->value[t->n] = value;
  else if (t->row)
    t->row[t->n] = row, t->col[t->n] = col;
  t->n++;
}

static void jacobian(const nlp *p, triplets *t) {
  const pl_sheet *s = p->s;
  for (int k = 0; k < s->nround; k++) {
    double F[6], a, b, c;
    const int *v = s->tri + 3 * s->round_tri[k];
    const double *g = s->round + 6 * k;
    invariants(p, k, F, &a, &b, &c);
    for (int i = 0; i < 9; i++) {
      int r = i / 3, e = i % 3;
      double g0 = p->unit * g[2 * r], g1 = p->unit * g[2 * r + 1], f0 = F[e], f1 = F[3 + e];
      add(t, 2 * k, p->var[3 * v[r] + e], -2 * (g0 * f0 + g1 * f1));
      add(t, 2 * k + 1, p->var[3 * v[r] + e],
          -2 * (g0 * (b * f0 + c * f1) + g1 * (a * f1 + c * f0)));
    }
  }
  for (int k = 0; k < s->nflat; k++) {
    double y[3];
    flat_vector(p, k, y);
    for (int i = 0; i < 9; i++)
      add(t, 2 * s->nround + k, p->var[3 * s->tri[3 * s->flat_tri[k] + i / 3] + i % 3],
          -2 * p->unit * s->flat[3 * k + i / 3] * y[i % 3]);
  }
}

// second derivatives of l0 trace + l1 det in F[2][3]
static void round_hessian(const double F[6], double a, double b, double c, double l0, double l1,
                          double H[6][6]) {
  const double *f = F, *g = F + 3;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double same = i == j ? 2 : 0;
      H[i][j] = -l0 * same - l1 * (b * same + 2 * g[i] * g[j]);
      H[3 + i][3 + j] = -l0 * same - l1 * (a * same + 2 * f[i] * f[j]);
      H[i][3 + j] = l1 * (4 * f[i] * g[j] - 2 * g[i] * f[j] - c * same);
      H[3 + j][i] = H[i][3 + j];
    }
}

// both orders of a pair of corners come by: what is above the diagonal is left out
static void add_lower(triplets *t, int row, int col, double value) {
  if (row >= col) add(t, row, col, value);
}

static void hessian(const nlp *p, double factor, const double *lambda, triplets *t) {
  const pl_sheet *s = p->s;
  double unit = p->unit * p->unit;
  for (int i = 0; i < p->n; i++) add(t, i, i, factor * s->weight[p->of[i] / 3] / p->mean);
  for (int k = 0; k < s->nround; k++) {
    double F[6], a, b, c, H[6][6];
    const int *v = s->tri + 3 * s->round_tri[k];
    const double *g = s->round + 6 * k;
    invariants(p, k, F, &a, &b, &c);
    round_hessian(F, a, b, c, lambda ? lambda[2 * k] : 0, lambda ? lambda[2 * k + 1] : 0, H);
    for (int i = 0; i < 9; i++)
      for (int j = 0; j < 9; j++) {
        int r = i / 3, e = i % 3, q = j / 3, d = j % 3;
        double left = g[2 * q] * H[e][d] + g[2 * q + 1] * H[e][3 + d];
        double right = g[2 * q] * H[3 + e][d] + g[2 * q + 1] * H[3 + e][3 + d];
        add_lower(t, p->var[3 * v[r] + e], p->var[3 * v[q] + d],
                  unit * (g[2 * r] * left + g[2 * r + 1] * right));
      }
  }
  for (int k = 0; k < s->nflat; k++) {
    const int *v = s->tri + 3 * s->flat_tri[k];
    const double *h = s->flat + 3 * k;
    double l = lambda ? -2 * unit * lambda[2 * s->nround + k] : 0;
    for (int i = 0; i < 27; i++) {
      int r = i / 9, q = i / 3 % 3, e = i % 3;
      add_lower(t, p->var[3 * v[r] + e], p->var[3 * v[q] + e], l * h[r] * h[q]);
    }
  }
}

static Bool eval_jac_g(Index n, Number *u, Bool fresh, Index m, Index njac, Index *row, Index *col,
                       Number *value, UserDataPtr data) {
  nlp *p = data;
  triplets t = {0, row, col, value};
  (void)n, (void)fresh, (void)m, (void)njac;
  if (u) place(p, u);
  jacobian(p, &t);
  return TRUE;
}

static Bool eval_h(Index n, Number *u, Bool fresh, Number factor, Index m, Number *lambda,
                   Bool fresh_lambda, Index nhess, Index *row, Index *col, Number *value,
                   UserDataPtr data) {
  nlp *p = data;
  triplets t = {0, row, col, value};
  (void)n, (void)fresh, (void)m, (void)fresh_lambda, (void)nhess;
  if (u) place(p, u);
  hessian(p, factor, lambda, &t);
  return TRUE;
}

static Bool between(Index mode, Index iteration, Number value, Number inf_pr, Number inf_du,
                    Number mu, Number d_norm, Number regularization, Number alpha_du,
                    Number alpha_pr, Index trials, UserDataPtr data) {
  nlp *p = data;
  (void)mode, (void)value, (void)inf_pr, (void)inf_du, (void)mu, (void)d_norm;
  (void)regularization, (void)alpha_du, (void)alpha_pr, (void)trials;
  p->iterations = iteration;
  p->cancelled = pl_report_progress(p->s->env, "ipopt", -1, NULL) == PL_CANCELLED;
  return !p->cancelled;
}

// ---- whole --------------------------------------------------------------------------------------

static pl_status make(nlp *p) {
  pl_sheet *s = p->s;
  size_t size = 3 * (size_t)s->nvert;
  p->m = 2 * s->nround + s->nflat;
  p->var = pl_alloc(s->env, size, sizeof *p->var);
  p->of = pl_alloc(s->env, size, sizeof *p->of);
  p->x = pl_alloc(s->env, size, sizeof *p->x);
  p->start = pl_alloc(s->env, size, sizeof *p->start);
  p->bound = pl_alloc(s->env, 2 * (size + (size_t)p->m), sizeof *p->bound);
  if (!p->var || !p->of || !p->x || !p->start || !p->bound) return PL_E_NOMEM;
  memcpy(p->x, p->xhat, size * sizeof *p->x);
  p->unit = s->edge;
  for (int i = 0; i < s->nvert; i++) p->mean += s->weight[i] / s->nvert;
  for (int i = 0; i < 3 * s->nvert; i++) {
    int given = s->fixed[i / 3] >> i % 3 & 1;
    p->var[i] = given ? -1 : p->n;
    if (!given) p->of[p->n++] = i;
  }
  triplets jac = {0}, hess = {0};
  jacobian(p, &jac);
  hessian(p, 1, NULL, &hess);
  p->njac = jac.n;
  p->nhess = hess.n;
  return PL_OK;
}

// what Ipopt takes as text it does not change
static void text_option(IpoptProblem ip, const char *key, const char *value) {
  AddIpoptStrOption(ip, (char *)key, (char *)value);
}

static IpoptProblem create(nlp *p, double tol, int max_iter) {
  // Ipopt copies the bounds; 2e19 is infinite to it
  double *none = p->bound, *zero = none + p->n, *much = zero + p->m;
  for (int i = 0; i < p->n; i++) none[i] = -2e19;
  for (int i = 0; i < (p->n > p->m ? p->n : p->m); i++) much[i] = 2e19;
  IpoptProblem ip = CreateIpoptProblem(p->n, none, much, p->m, zero, much, p->njac, p->nhess, 0,
                                       eval_f, eval_g, eval_grad_f, eval_jac_g, eval_h);
  if (!ip) return NULL;
  AddIpoptIntOption(ip, (char *)"print_level", 0);
  text_option(ip, "sb", "yes");
  AddIpoptIntOption(ip, (char *)"max_iter", max_iter);
  AddIpoptNumOption(ip, (char *)"tol", tol);
  // neither a looser goal nor looser limits
  AddIpoptIntOption(ip, (char *)"acceptable_iter", 0);
  AddIpoptNumOption(ip, (char *)"bound_relax_factor", 0);
  SetIntermediateCallback(ip, between);
  return ip;
}

static pl_status solve(nlp *p, double tol, int max_iter, double *x, rival_info *info) {
  PL_TRY(make(p));
  if (p->n == 0 || p->m == 0) {
    info->converged = pl_sheet_violation(p->s, x, NULL) <= tol;
    return info->converged ? PL_OK : PL_UNSOLVED;
  }
  IpoptProblem ip = create(p, tol, max_iter);
  if (!ip) return pl_fail(p->s->env, PL_E_INTERNAL, "ipopt: it refuses the problem");
  enum ApplicationReturnStatus r = IpoptSolve(ip, p->start, NULL, NULL, NULL, NULL, NULL, p);
  FreeIpoptProblem(ip);
  info->iterations = p->iterations;
  info->converged = r == Solve_Succeeded;
  place(p, p->start);
  memcpy(x, p->x, 3 * (size_t)p->s->nvert * sizeof *x);
  for (int i = 0; i < p->n; i++)
    info->objective +=
        p->s->weight[p->of[i] / 3] * p->unit * p->unit * p->start[i] * p->start[i] / 2;
  if (p->cancelled) return PL_CANCELLED;
  if (r == Insufficient_Memory) return pl_fail(p->s->env, PL_E_NOMEM, "ipopt: out of memory");
  return info->converged ? PL_OK : PL_UNSOLVED;
}

int project_has_ipopt(void) {
  return 1;
}

pl_status project_ipopt(pl_sheet *s, const double *xhat, double tol, int max_iter, double *x,
                        rival_info *info) {
  double start = pl_wall_time();
  *info = (rival_info){0};
  if (!pl_all_finite(3 * s->nvert, xhat))
    return pl_fail(s->env, PL_E_INPUT, "ipopt: the state has a coordinate that is no number");
  nlp p = {.s = s, .xhat = xhat};
  if (x != xhat) memcpy(x, xhat, 3 * (size_t)s->nvert * sizeof *x);
  pl_status status = solve(&p, tol, max_iter, x, info);
  pl_free(s->env, p.var);
  pl_free(s->env, p.of);
  pl_free(s->env, p.x);
  pl_free(s->env, p.start);
  pl_free(s->env, p.bound);
  info->violation = pl_sheet_violation(s, x, NULL);
  info->seconds = pl_wall_time() - start;
  return status;
}

#endif
