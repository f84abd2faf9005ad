#include "sparse_impl.h"

#include <float.h>
#include <string.h>

// operator, preconditioner, right-hand side, and where the solve stands
typedef struct problem {
  pl_env *env;
  int n, max_iter;
  pl_apply_fn A, prec;
  void *A_ctx, *prec_ctx;
  const double *b;
  double *x;
  double rtol, norm_b;
  pl_krylov_info *info;
  int cancelled;
  int quick, hopeless; // gives up early, see pl_gmres_quick; has done so
  pl_enough_fn enough; // NULL: never
} problem;

static problem state_problem(pl_env *env, int n, pl_apply_fn A, void *A_ctx, pl_apply_fn prec,
                             void *prec_ctx, const double *b, double *x, double rtol, int max_iter,
                             pl_krylov_info *info) {
  return (problem){.env = env,
                   .n = n,
                   .A = A,
                   .A_ctx = A_ctx,
                   .prec = prec,
                   .prec_ctx = prec_ctx,
                   .rtol = rtol,
                   .b = b,
                   .x = x,
                   .max_iter = max_iter,
                   .info = info};
}

static pl_status check_problem(const problem *p) {
  if (p->n < 0 || p->max_iter < 0 || !(p->rtol >= 0))
    return pl_fail(p->env, PL_E_ARG, "a Krylov solve needs n, max_iter and rtol >= 0");
  if (!pl_all_finite(p->n, p->b) || !pl_all_finite(p->n, p->x))
    return pl_fail(p->env, PL_E_ARG,
                   "a Krylov solve was given a right-hand side or start that is "
                   "not finite");
  return PL_OK;
}

// r = b - A x and info->residual
static void true_residual(const problem *p, double *r) {
  p->A(p->A_ctx, p->x, r);
  for (int i = 0; i < p->n; i++) r[i] = p->b[i] - r[i];
  p->info->residual = pl_norm(p->n, r) / p->norm_b;
}

static void precondition(const problem *p, const double *r, double *z) {
  if (p->prec)
    p->prec(p->prec_ctx, r, z);
  else
    memcpy(z, r, (size_t)p->n * sizeof *z);
}

// the answer for b = 0 is 0, for any matrix; otherwise one block of work vectors
static pl_status begin(problem *p, int nvec, double **work) {
  *work = NULL;
  *p->info = (pl_krylov_info){0};
  PL_TRY(check_problem(p));
  p->norm_b = pl_norm(p->n, p->b);
  if (p->norm_b == 0) {
    for (int i = 0; i < p->n; i++) p->x[i] = 0;
    return PL_OK;
  }
  *work = pl_alloc(p->env, (size_t)p->n * (size_t)nvec, sizeof **work);
  return *work ? PL_OK : PL_E_NOMEM;
}

// asked before every iteration: is one left, and does the host want to go on
static int may_iterate(problem *p) {
  if (p->cancelled || p->info->iterations >= p->max_iter) return 0;
  p->cancelled = pl_report_progress(p->env, "iterative solve", -1, NULL) == PL_CANCELLED;
  return !p->cancelled;
}

static pl_status verdict(const problem *p) {
  if (p->cancelled) return PL_CANCELLED;
  return p->info->residual <= p->rtol ? PL_OK : PL_UNSOLVED;
}

// ---- generalised minimal residuals ------------------------------------------------------------

typedef struct rotation {
  double c, s;
} rotation;

typedef struct gmres_work {
  int m;             // restart length
  double *V;         // [m+1][n] orthonormal basis
  double *H;         // [m][m+1] column j of the reduced Hessenberg matrix
  double *g, *y, *z; // [m+1] rotated right-hand side, [m] coefficients, [n]
  double *log;       // [m+1] logarithms of the residual
  rotation *givens;  // [m]
} gmres_work;

static void gmres_free(pl_env *env, gmres_work *w) {
  pl_free(env, w->V);
  pl_free(env, w->H);
  pl_free(env, w->g);
  pl_free(env, w->y);
  pl_free(env, w->log);
  pl_free(env, w->givens);
}

static pl_status gmres_alloc(pl_env *env, int n, gmres_work *w) {
  size_t m = (size_t)w->m;
  w->V = pl_alloc(env, (m + 1) * (size_t)n, sizeof *w->V);
  w->H = pl_alloc(env, (m + 1) * m, sizeof *w->H);
  w->g = pl_alloc(env, m + 1, sizeof *w->g);
  w->y = pl_alloc(env, m, sizeof *w->y);
  w->log = pl_alloc(env, m + 1, sizeof *w->log);
  w->givens = pl_alloc(env, m, sizeof *w->givens);
  return w->V && w->H && w->g && w->y && w->log && w->givens ? PL_OK : PL_E_NOMEM;
}

// v_{j+1} from A prec v_j, orthogonalised twice; returns the length left over
static double gmres_expand(const problem *p, gmres_work *w, int j) {
  int n = p->n;
  double *h = w->H + (size_t)j * (size_t)(w->m + 1), *v = w->V + (size_t)(j + 1) * (size_t)n;
  precondition(p, w->V + (size_t)j * (size_t)n, w->z);
  p->A(p->A_ctx, w->z, v);
  double before = pl_norm(n, v);
  for (int i = 0; i <= j; i++) h[i] = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i <= j; i++) {
      const double *vi = w->V + (size_t)i * (size_t)n;
      double d = pl_dot(n, vi, v);
      h[i] += d;
      pl_axpy(n, -d, vi, v, v);
    }
  double len = pl_norm(n, v);
  h[j + 1] = len > 8 * DBL_EPSILON * before ? len : 0; // otherwise the space is complete
  for (int i = 0; i < n && h[j + 1] > 0; i++) v[i] /= len;
  return h[j + 1];
}

// rotates column j to upper triangular form; returns the norm of the residual
static double gmres_rotate(gmres_work *w, int j) {
  double *h = w->H + (size_t)j * (size_t)(w->m + 1);
  for (int i = 0; i < j; i++) {
    double a = h[i], b = h[i + 1];
    h[i] = w->givens[i].c * a + w->givens[i].s * b;
    h[i + 1] = -w->givens[i].s * a + w->givens[i].c * b;
  }
  double r = hypot(h[j], h[j + 1]);
  w->givens[j] = r > 0 ? (rotation){h[j] / r, h[j + 1] / r} : (rotation){1, 0};
  h[j] = r;
  w->g[j + 1] = -w->givens[j].s * w->g[j];
  w->g[j] *= w->givens[j].c;
  return fabs(w->g[j + 1]);
}

// x += prec V y with R y = g over the first k columns; columns without a pivot are left out
static void gmres_update(const problem *p, gmres_work *w, int k) {
  int n = p->n;
  for (int i = k - 1; i >= 0; i--) {
    double sum = w->g[i];
    for (int j = i + 1; j < k; j++) sum -= w->H[(size_t)j * (size_t)(w->m + 1) + i] * w->y[j];
    double pivot = w->H[(size_t)i * (size_t)(w->m + 1) + i];
    w->y[i] = pivot != 0 ? sum / pivot : 0;
  }
  double *u = w->V + (size_t)k * (size_t)n; // the last basis vector is no longer needed
  memset(u, 0, (size_t)n * sizeof *u);
  for (int j = 0; j < k; j++) pl_axpy(n, w->y[j], w->V + (size_t)j * (size_t)n, u, u);
  precondition(p, u, w->z);
  pl_axpy(n, 1, w->z, p->x, p->x);
}

enum { PROBE = 3 }; // iterations that tell a rate

// whether the residual, known up to iteration k of a cycle in log[k], is to reach the target in the
// iterations left, at the better of its mean and its present rate
static int is_hopeless(const problem *p, int k, const double *log) {
  if (k < PROBE) return 0;
  double want = log[k] - log10(0.5 * p->rtol * p->norm_b);
  double rate = fmax((log[0] - log[k]) / k, (log[k - PROBE + 1] - log[k]) / (PROBE - 1));
  return want > rate * (p->max_iter - p->info->iterations);
}

// the residual of x stands in the first vector of V
static void gmres_cycle(problem *p, gmres_work *w) {
  int n = p->n, k = 0;
  double beta = pl_norm(n, w->V);
  if (!(beta > 0)) return;
  for (int i = 0; i < n; i++) w->V[i] /= beta;
  w->g[0] = beta;
  w->log[0] = log10(beta);
  while (k < w->m && may_iterate(p)) {
    double left = gmres_expand(p, w, k), residual = gmres_rotate(w, k);
    k++;
    p->info->iterations++;
    if (!(left > 0) || residual <= 0.5 * p->rtol * p->norm_b) break;
    w->log[k] = log10(residual);
    p->hopeless = p->quick && is_hopeless(p, k, w->log);
    if (p->hopeless) return;
  }
  if (k > 0) gmres_update(p, w, k);
}

static pl_status gmres(problem *p, int restart) {
  pl_env *env = p->env;
  pl_krylov_info *info = p->info;
  int n = p->n, max_iter = p->max_iter;
  double *work, rtol = p->rtol;
  *info = (pl_krylov_info){0};
  if (restart < 1) return pl_fail(env, PL_E_ARG, "GMRES needs restart >= 1, got %d", restart);
  PL_TRY(begin(p, 1, &work));
  if (!work) return PL_OK;
  gmres_work w = {.m = restart < n ? restart : n, .z = work};
  pl_status s = gmres_alloc(env, n, &w);
  if (s == PL_OK) {
    true_residual(p, w.V);
    // a cycle that gains nothing will not gain the next time either
    for (double before = INFINITY; info->residual > rtol && info->residual < before;) {
      before = info->residual * (1 - 1e-6);
      gmres_cycle(p, &w);
      if (p->hopeless) break;
      true_residual(p, w.V);
      if (p->cancelled || info->iterations >= max_iter) break;
      if (p->enough && p->enough(p->A_ctx, info->residual * p->norm_b)) break;
    }
    s = p->hopeless ? PL_UNSOLVED : verdict(p);
  }
  gmres_free(env, &w);
  pl_free(env, work);
  return s;
}

pl_status pl_gmres(pl_env *env, int n, int restart, pl_apply_fn A, void *A_ctx, pl_apply_fn prec,
                   void *prec_ctx, const double *b, double *x, double rtol, int max_iter,
                   pl_krylov_info *info) {
  problem p = state_problem(env, n, A, A_ctx, prec, prec_ctx, b, x, rtol, max_iter, info);
  return gmres(&p, restart);
}

pl_status pl_gmres_quick(pl_env *env, int n, int restart, pl_apply_fn A, void *A_ctx,
                         pl_apply_fn prec, void *prec_ctx, pl_enough_fn enough, const double *b,
                         double *x, double rtol, int max_iter, pl_krylov_info *info) {
  problem p = state_problem(env, n, A, A_ctx, prec, prec_ctx, b, x, rtol, max_iter, info);
  p.quick = 1;
  p.enough = enough;
  return gmres(&p, restart);
}
