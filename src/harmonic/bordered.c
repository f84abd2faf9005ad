// Solves with [J b; c' d]: small systems are factorised as they are, large ones by GMRES with block
// elimination on a factor of this J or an older one as preconditioner.
#include "harmonic_impl.h"

#include <float.h>
#include <string.h>

enum {
  SMALL = 2000, // up to this order every matrix is factorised
  RESTART = 40,
  MIN_OLD = 3, // GMRES iterations that an older factor may take
  MAX_OLD = 25,
  MAX_NEW = 80, // that the factor of this very matrix may take
  REFINE = 3    // steps of refinement that are tried before them
};
// what a flop of a factorisation and an entry of J in it cost, in entries of a product or solve
static const double FLOP = 0.05, ENTRY = 10;
static const double SOLVE_RTOL = 1e-12;
// a residual this small against |A| |x| is rounding
static const double BACKWARD = 64 * DBL_EPSILON;

struct pl_bordered {
  pl_env *env;
  pl_hb *hb;
  int n, small;
  int bordered;
  double *b, *c, d; // scaled: b by col, c by row, d by both
  double row, col;  // factors on the last equation and on y
  pl_factor *lu;    // of J
  pl_factor *lu1;   // of the bordered matrix, small systems only
  pl_csc flat[2];   // J and the bordered matrix by entries, small systems only
  int ready;        // the factor in use belongs to some Jacobian
  int fresh;        // ... to this one
  double *w, *wt;   // [n] J^-1 b and J^-T c by the factor
  int have_w, have_wt;
  double *f1, *x1, *r1; // [n + 1]
  double *part;         // [PL_SHARES][n] parts of a product
  int transposed;       // of the solve under way
  pl_status fault;      // of a solve inside GMRES
  pl_bordered_info info;
};

// ---- set up -----------------------------------------------------------------------------------

pl_status pl_bordered_create(pl_hb *hb, pl_bordered **out) {
  *out = NULL;
  pl_bordered *s = pl_alloc(hb->env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  size_t n = (size_t)hb->n;
  *s = (pl_bordered){.env = hb->env, .hb = hb, .n = hb->n, .small = hb->n < SMALL};
  double **all[] = {&s->b, &s->c, &s->w, &s->wt, &s->f1, &s->x1, &s->r1, &s->part};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    *all[k] = pl_alloc(hb->env, all[k] == &s->part ? PL_SHARES * n : n + 1, sizeof(double));
    if (!*all[k]) {
      pl_bordered_free(s);
      return PL_E_NOMEM;
    }
  }
  *out = s;
  return PL_OK;
}

void pl_bordered_free(pl_bordered *s) {
  if (!s) return;
  pl_factor_free(s->lu);
  pl_factor_free(s->lu1);
  pl_csc_free(s->env, &s->flat[0]);
  pl_csc_free(s->env, &s->flat[1]);
  double *all[] = {s->b, s->c, s->w, s->wt, s->f1, s->x1, s->r1, s->part};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(s->env, all[k]);
  pl_free(s->env, s);
}

pl_bordered_info pl_bordered_stats(const pl_bordered *s) {
  return s->info;
}

void pl_bordered_forget(pl_bordered *s) {
  s->ready = s->fresh = 0;
}

static double ratio(double a, double b) {
  return a > 0 && b > 0 ? a / b : 1;
}

pl_status pl_bordered_set(pl_bordered *s, const double *b, const double *c, double d) {
  s->bordered = b && c;
  s->fresh = s->have_w = s->have_wt = 0;
  if (!s->bordered) return PL_OK;
  // the border gets entries as large as those of J
  double size = pl_blocks_max(&s->hb->J, s->hb->w->threads);
  s->col = ratio(size, pl_max_abs(s->n, b));
  s->row = ratio(size, fmax(pl_max_abs(s->n, c), s->col * fabs(d)));
  for (int i = 0; i < s->n; i++) {
    s->b[i] = s->col * b[i];
    s->c[i] = s->row * c[i];
  }
  s->d = s->row * s->col * d;
  return PL_OK;
}

// ---- products -----------------------------------------------------------------------------------

static void multiply(pl_bordered *s, int how, const double *x, double *y) {
  how |= s->transposed ? PL_TRANSPOSED : 0;
  pl_blocks_mul(&s->hb->J, how, s->hb->w->threads, x, s->part, y);
}

// y = A x for the bordered matrix, J alone, or their transposes
static void apply(void *ctx, const double *x, double *y) {
  pl_bordered *s = ctx;
  int n = s->n;
  const double *right = s->transposed ? s->c : s->b, *below = s->transposed ? s->b : s->c;
  multiply(s, 0, x, y);
  if (!s->bordered) return;
  y[n] = pl_dot(n, below, x) + s->d * x[n];
  pl_axpy(n, x[n], right, y, y);
}

// ---- small systems ----------------------------------------------------------------------------

static pl_status factor_small(pl_bordered *s) {
  pl_factor **lu = s->bordered ? &s->lu1 : &s->lu;
  pl_csc *A = &s->flat[s->bordered];
  PL_TRY(pl_blocks_flat(s->env, &s->hb->J, s->bordered ? s->b : NULL, s->c, s->d, A));
  if (!*lu) PL_TRY(pl_factor_create(s->env, PL_LU, A, 1, 1, lu));
  s->info.factorisations++;
  PL_TRY(pl_factor_numeric(*lu, A));
  s->fresh = 1;
  return PL_OK;
}

static pl_status solve_small(pl_bordered *s) {
  if (!s->fresh) PL_TRY(factor_small(s));
  pl_factor *lu = s->bordered ? s->lu1 : s->lu;
  int n = s->n + s->bordered;
  pl_status (*back)(pl_factor *, int, const double *, double *) =
      s->transposed ? pl_factor_solve_transposed : pl_factor_solve;
  PL_TRY(back(lu, 1, s->f1, s->x1));
  // one step of refinement
  apply(s, s->x1, s->r1);
  for (int i = 0; i < n; i++) s->r1[i] = s->f1[i] - s->r1[i];
  PL_TRY(back(lu, 1, s->r1, s->r1));
  pl_axpy(n, 1, s->r1, s->x1, s->x1);
  return pl_all_finite(n, s->x1) ? PL_OK : PL_SINGULAR;
}

// ---- large systems ----------------------------------------------------------------------------

static pl_status back_solve(pl_bordered *s, const double *f, double *x) {
  return s->transposed ? pl_factor_solve_transposed(s->lu, 1, f, x)
                       : pl_factor_solve(s->lu, 1, f, x);
}

// factors J with its diagonal moved off zero, for a J that is singular itself
static pl_status factor_changed(pl_bordered *s, double by) {
  double *keep = s->r1;
  pl_blocks_shift(&s->hb->J, by, keep);
  s->info.factorisations++;
  pl_status st = pl_factor_numeric_blocks(s->lu, &s->hb->J);
  pl_blocks_set_diagonal(&s->hb->J, keep);
  return st;
}

static pl_status factor_large(pl_bordered *s) {
  const pl_blocks *J = &s->hb->J;
  s->ready = s->have_w = s->have_wt = 0;
  if (!s->lu) PL_TRY(pl_factor_create_blocks_on(s->env, J, s->hb->w->threads, &s->lu));
  s->info.factorisations++;
  pl_status st = pl_factor_numeric_blocks(s->lu, J);
  // the bordered matrix may be regular all the same
  for (double by = 1e-9; s->bordered && st == PL_SINGULAR && by < 1e-5; by *= 100)
    st = factor_changed(s, by);
  PL_TRY(st);
  s->ready = s->fresh = 1;
  return PL_OK;
}

// by block elimination: x = J^-1 f - y w, y = (g - c' J^-1 f) / (d - c' w)
static void precondition(void *ctx, const double *f, double *x) {
  pl_bordered *s = ctx;
  int n = s->n;
  const double *w = s->transposed ? s->wt : s->w, *below = s->transposed ? s->b : s->c;
  if (s->fault == PL_OK) s->fault = back_solve(s, f, x);
  if (s->fault != PL_OK) {
    memset(x, 0, (size_t)(n + s->bordered) * sizeof *x);
    return;
  }
  if (!s->bordered) return;
  double gap = s->d - pl_dot(n, below, w), size = fabs(s->d) + pl_norm(n, below) * pl_norm(n, w);
  if (fabs(gap) < DBL_EPSILON * size) gap = DBL_EPSILON * size;
  x[n] = size > 0 ? (f[n] - pl_dot(n, below, x)) / gap : f[n];
  pl_axpy(n, -x[n], w, x, x);
}

// what the preconditioner needs beyond the factor
static pl_status eliminate(pl_bordered *s) {
  int *have = s->transposed ? &s->have_wt : &s->have_w;
  if (!s->bordered || *have) return PL_OK;
  PL_TRY(back_solve(s, s->transposed ? s->c : s->b, s->transposed ? s->wt : s->w));
  *have = 1;
  return PL_OK;
}

// the size of |A| |x|, which rounding in A x goes with
static double product_size(pl_bordered *s) {
  int n = s->n;
  double sum = 0, *size = s->r1;
  multiply(s, PL_ABSOLUTE, s->x1, size);
  size[n] = 0;
  const double *right = s->transposed ? s->c : s->b, *below = s->transposed ? s->b : s->c;
  for (int i = 0; s->bordered && i < n; i++) {
    size[i] += fabs(right[i] * s->x1[n]);
    size[n] += fabs(below[i] * s->x1[i]);
  }
  if (s->bordered) size[n] += fabs(s->d * s->x1[n]);
  for (int i = 0; i < n + s->bordered; i++) sum += size[i] * size[i];
  return sqrt(sum);
}

// what rounding may do to A x, with all that went before
static int is_rounding(pl_bordered *s, double residual) {
  return residual <= BACKWARD * product_size(s);
}

// what is left by rounding in A x alone
static int is_least(void *ctx, double residual) {
  pl_bordered *s = ctx;
  return residual <= 0.25 * DBL_EPSILON * product_size(s);
}

// A few steps with the factor of this very matrix; 1: x1 is the solution. Cheaper than GMRES, which
// goes on from x1 otherwise.
static int refine(pl_bordered *s, double rtol) {
  int n = s->n + s->bordered;
  double want = rtol * pl_norm(n, s->f1), before = INFINITY;
  memcpy(s->r1, s->f1, (size_t)n * sizeof *s->r1);
  for (int k = 0; k < REFINE; k++) {
    precondition(s, s->r1, s->r1);
    if (s->fault != PL_OK) return 0;
    pl_axpy(n, 1, s->r1, s->x1, s->x1);
    s->info.iterations++;
    apply(s, s->x1, s->r1);
    for (int i = 0; i < n; i++) s->r1[i] = s->f1[i] - s->r1[i];
    double now = pl_norm(n, s->r1);
    if (now <= want) return 1;
    if (!(now < 0.1 * before)) return is_rounding(s, now);
    before = now;
  }
  return 0;
}

// GMRES iterations that are worth half a factorisation
static int allowance(const pl_bordered *s) {
  pl_factor_info i = pl_factor_stats(s->lu);
  double entries = (double)s->hb->P.nnz * s->hb->f.L * s->hb->f.L;
  double one = i.nnz + entries, all = FLOP * i.flops + ENTRY * entries;
  return (int)fmax(MIN_OLD, fmin(MAX_OLD, 0.5 * all / one));
}

static pl_status iterate(pl_bordered *s, double rtol) {
  int n = s->n + s->bordered;
  pl_krylov_info k;
  s->fault = PL_OK;
  PL_TRY(eliminate(s));
  if (s->fresh && refine(s, rtol)) return PL_OK;
  if (s->fault != PL_OK) return s->fault;
  if (!pl_all_finite(n, s->x1)) memset(s->x1, 0, (size_t)n * sizeof *s->x1);
  pl_status st = s->fresh ? pl_gmres(s->env, n, RESTART, apply, s, precondition, s, s->f1, s->x1,
                                     rtol, MAX_NEW, &k)
                          : pl_gmres_quick(s->env, n, RESTART, apply, s, precondition, s, is_least,
                                           s->f1, s->x1, rtol, allowance(s), &k);
  s->info.iterations += k.iterations;
  if (s->fault != PL_OK) return s->fault;
  // an older factor that was given up left x1 alone
  if (st != PL_UNSOLVED || (!s->fresh && k.residual >= 1)) return st;
  return is_rounding(s, k.residual * pl_norm(n, s->f1)) ? PL_OK : st;
}

static pl_status solve_large(pl_bordered *s, double rtol) {
  int n = s->n + s->bordered;
  memset(s->x1, 0, (size_t)n * sizeof *s->x1);
  if (s->ready && !s->fresh) {
    pl_status st = iterate(s, rtol);
    if (st == PL_OK || st == PL_CANCELLED || st < 0) return st;
    memset(s->x1, 0, (size_t)n * sizeof *s->x1);
  }
  if (!s->fresh) PL_TRY(factor_large(s));
  pl_status st = iterate(s, rtol);
  return st == PL_UNSOLVED ? PL_SINGULAR : st;
}

// ---- both -------------------------------------------------------------------------------------

static pl_status solve(pl_bordered *s, int transposed, double rtol, const double *f, double g,
                       double *x, double *y) {
  int n = s->n;
  size_t bytes = (size_t)n * sizeof *x;
  s->transposed = transposed;
  s->info.solves++;
  memcpy(s->f1, f, bytes);
  s->f1[n] = g * (transposed ? s->col : s->row);
  pl_status st = s->small ? solve_small(s) : solve_large(s, rtol);
  if (st != PL_OK) return st;
  memcpy(x, s->x1, bytes);
  if (s->bordered && y) *y = s->x1[n] * (transposed ? s->row : s->col);
  return PL_OK;
}

pl_status bordered_solve_to(pl_bordered *s, double rtol, const double *f, double g, double *x,
                            double *y) {
  return solve(s, 0, rtol, f, g, x, y);
}

pl_status pl_bordered_solve(pl_bordered *s, const double *f, double g, double *x, double *y) {
  return solve(s, 0, SOLVE_RTOL, f, g, x, y);
}

pl_status pl_bordered_solve_transposed(pl_bordered *s, const double *f, double g, double *x,
                                       double *y) {
  return solve(s, 1, SOLVE_RTOL, f, g, x, y);
}
