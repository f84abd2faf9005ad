// Floquet multipliers of a periodic motion: choice of the method, sorting, and what the methods
// share.
#include "floquet_impl.h"

#include <stdlib.h>
#include <string.h>

// Fortran LAPACK and BLAS: everything by address, lengths of strings at the end
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b,
            const int *ldb, int *info);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda,
            double *wr, double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr,
            double *work, const int *lwork, int *info, size_t, size_t);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc, size_t, size_t);

// ---- dense matrices -----------------------------------------------------------------------------

pl_status dense_solve(pl_env *env, int n, double *A, int nrhs, double *B) {
  int *pivot = pl_alloc(env, (size_t)n, sizeof(int)), info;
  if (!pivot) return PL_E_NOMEM;
  dgesv_(&n, &nrhs, A, &n, pivot, B, &n, &info);
  pl_free(env, pivot);
  return info > 0 ? PL_SINGULAR : PL_OK;
}

pl_status dense_eigen(pl_env *env, int n, double *A, double *re, double *im, double *V) {
  if (!pl_all_finite(n * n, A)) return PL_UNSOLVED;
  int lwork = -1, one = 1, ldv = V ? n : 1, info;
  double size, none[1];
  const char *want = V ? "V" : "N";
  dgeev_("N", want, &n, A, &n, re, im, none, &one, V ? V : none, &ldv, &size, &lwork, &info, 1, 1);
  lwork = (int)size;
  double *work = pl_alloc(env, (size_t)lwork, sizeof(double));
  if (!work) return PL_E_NOMEM;
  dgeev_("N", want, &n, A, &n, re, im, none, &one, V ? V : none, &ldv, work, &lwork, &info, 1, 1);
  pl_free(env, work);
  return info == 0 ? PL_OK : PL_UNSOLVED;
}

pl_status hb_parity(const pl_hb *hb, int *parity) {
  enum { MOST = 256 };
  int n = hb->n, info = 0, odd = 0;
  *parity = -1;
  if (n > MOST) return PL_OK;
  double *A = pl_alloc(hb->env, (size_t)n * (size_t)n, sizeof(double));
  int *pivot = pl_alloc(hb->env, (size_t)n, sizeof(int));
  if (A && pivot) {
    pl_blocks_dense(&hb->J, n, A);
    dgetrf_(&n, &n, A, &n, pivot, &info);
    for (int i = 0; i < n; i++) odd ^= (pivot[i] != i + 1) ^ (A[i * n + i] < 0);
    if (info == 0) *parity = odd;
  }
  pl_status s = A && pivot ? PL_OK : PL_E_NOMEM;
  pl_free(hb->env, A);
  pl_free(hb->env, pivot);
  return s;
}

void dense_mul(int m, int n, int k, double a, const double *A, const double *B, double b,
               double *C) {
  dgemm_("N", "N", &m, &n, &k, &a, A, &m, B, &k, &b, C, &m, 1, 1);
}

// ---- the linearised equation --------------------------------------------------------------------

pl_status variation_open(const pl_model *m, const pl_params *p, pl_work *w, const pl_orbit *o,
                         variation *v) {
  *v = (variation){.env = w->env, .m = m, .p = p, .w = w, .o = o};
  v->n = pl_model_nfree(m);
  v->omega = o->omega;
  return pl_state_create(m, p, &v->s);
}

void variation_close(variation *v) {
  if (v->s) pl_state_free(v->m, v->s);
  *v = (variation){0};
}

static int add_element(void *ctx, const pl_element *e, int thread) {
  (void)thread;
  variation *v = ctx;
  const int *index = pl_model_free_index(v->m);
  // what sliders do depends on the past: events.c
  if (pl_model_group_kind(v->m, e->group)->slider.d) return 0;
  int n = e->ndof, at[PL_NDOF_MAX];
  double q[PL_NDOF_MAX], u[PL_NDOF_MAX], f[PL_NDOF_MAX];
  double K[PL_NDOF_MAX * PL_NDOF_MAX], D[PL_NDOF_MAX * PL_NDOF_MAX];
  for (int a = 0; a < n; a++) {
    int dof = e->dof[a];
    at[a] = dof < 0 ? -1 : index[dof];
    q[a] = dof < 0 ? 0 : v->s->q[dof];
    u[a] = dof < 0 ? 0 : v->s->v[dof];
  }
  if (pl_element_eval(e, q, u, f, K, D)) return 1;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      if (at[a] < 0 || at[b] < 0) continue;
      int k = v->at ? pl_csc_find(v->at, at[a], at[b]) : at[b] * v->n + at[a];
      v->K[k] += K[a * n + b];
      v->D[k] += v->omega * D[a * n + b];
    }
  return 0;
}

// adds c M of the free unknowns to values on the pattern, or to a dense matrix
static void add_mass(const variation *v, double c, double *A) {
  const pl_csc *M = &v->p->M;
  const int *index = pl_model_free_index(v->m);
  for (pl_entry e = {.k = -1}; pl_csc_next(M, &e);) {
    int a = index[e.i], b = index[e.j];
    if (a < 0 || b < 0 || M->val[e.k] == 0) continue;
    A[v->at ? pl_csc_find(v->at, a, b) : b * v->n + a] += c * M->val[e.k];
    if (a != b) A[v->at ? pl_csc_find(v->at, b, a) : a * v->n + b] += c * M->val[e.k];
  }
}

pl_status variation_at(variation *v, double phase, const pl_csc *pattern, double *K, double *D) {
  size_t size = pattern ? (size_t)pattern->nnz : (size_t)v->n * (size_t)v->n;
  v->at = pattern;
  v->K = K;
  v->D = D;
  memset(K, 0, size * sizeof(double));
  memset(D, 0, size * sizeof(double));
  pl_orbit_state(v->m, v->p, v->o, phase, v->s);
  PL_TRY(pl_model_each_element(v->m, v->p, v->w, add_element, v));
  add_mass(v, v->omega * v->p->par[PL_PAR_ALPHA], D);
  return PL_OK;
}

void variation_mass(variation *v, const pl_csc *pattern, double *M) {
  size_t size = pattern ? (size_t)pattern->nnz : (size_t)v->n * (size_t)v->n;
  v->at = pattern;
  memset(M, 0, size * sizeof(double));
  add_mass(v, v->omega * v->omega, M);
}

// ---- multipliers --------------------------------------------------------------------------------

pl_status multipliers_create(pl_env *env, int n, multipliers *mu) {
  *mu = (multipliers){.n = n, .margin = 1e-6};
  mu->re = pl_alloc(env, (size_t)n, sizeof(double));
  mu->im = pl_alloc(env, (size_t)n, sizeof(double));
  return mu->re && mu->im ? PL_OK : PL_E_NOMEM;
}

void multipliers_free(pl_env *env, multipliers *mu) {
  pl_free(env, mu->re);
  pl_free(env, mu->im);
  *mu = (multipliers){0};
}

// makes conjugates of a pair equal to the bit, and almost real ones real
static void match_pairs(multipliers *mu) {
  for (int i = 0; i < mu->n; i++) {
    double size = hypot(mu->re[i], mu->im[i]), near = 1e-6 * size;
    if (fabs(mu->im[i]) <= 1e-10 * size) mu->im[i] = 0;
    if (mu->im[i] == 0) continue;
    int other = -1;
    for (int j = i + 1; j < mu->n; j++) {
      double gap = hypot(mu->re[j] - mu->re[i], mu->im[j] + mu->im[i]);
      if (gap > near) continue;
      near = gap;
      other = j;
    }
    if (other < 0) continue;
    double re = 0.5 * (mu->re[i] + mu->re[other]), im = 0.5 * fabs(mu->im[i] - mu->im[other]);
    double swap_re = mu->re[i + 1], swap_im = mu->im[i + 1];
    mu->re[other] = swap_re;
    mu->im[other] = swap_im;
    mu->re[i] = mu->re[i + 1] = re;
    mu->im[i] = im;
    mu->im[i + 1] = -im;
    i++;
  }
}

// largest first; of equal ones those with the same real part side by side, positive angle first
static int by_size(const void *a, const void *b) {
  const double *x = a, *y = b;
  double p = x[0] * x[0] + x[1] * x[1], q = y[0] * y[0] + y[1] * y[1];
  if (p != q) return (p < q) - (p > q);
  if (x[0] != y[0]) return (x[0] < y[0]) - (x[0] > y[0]);
  return (x[1] < y[1]) - (x[1] > y[1]);
}

// whether drives or loads oscillate
static int is_driven(const variation *v, double *load, double *first) {
  int N = 2 * pl_model_max_harmonic(v->m) + 2, nq = pl_model_nq(v->m), driven = 0;
  const int *index = pl_model_free_index(v->m);
  for (int i = 0; i < N && !driven; i++) {
    // phases that no symmetry singles out
    pl_clock c = {.t = 2 * PL_PI * (i + 0.137) / N, .omega = 1, .scale = 1};
    pl_drive(v->m, v->p, &c, v->s);
    pl_load(v->m, v->p, &c, load);
    if (i == 0) memcpy(first, load, (size_t)nq * sizeof(double));
    for (int q = 0; q < nq; q++) driven |= index[q] < 0 ? v->s->v[q] != 0 : load[q] != first[q];
  }
  return driven;
}

// A free motion may be shifted in time: one multiplier is 1, and without damping it is double with
// one eigenvector, which rounding splits by its square root. They are put back to where they
// belong.
static void settle_free(multipliers *mu) {
  int a = -1, b = -1;
  double da = INFINITY, db = INFINITY;
  for (int i = 0; i < mu->n; i++) {
    double d = hypot(mu->re[i] - 1, mu->im[i]);
    if (d < da) {
      b = a, db = da;
      a = i, da = d;
    } else if (d < db)
      b = i, db = d;
  }
  if (b >= 0 && db < 1e-2 && hypot(mu->re[a] + mu->re[b] - 2, mu->im[a] + mu->im[b]) < 1e-5) {
    mu->re[b] = 1;
    mu->im[b] = 0;
  } else if (da > 1e-3)
    return;
  mu->re[a] = 1;
  mu->im[a] = 0;
}

static pl_status finish(variation *v, multipliers *mu, pl_floquet *out) {
  int nq = pl_model_nq(v->m), n = mu->n;
  double *x = pl_alloc(v->env, 2 * (size_t)(nq > n ? nq : n), sizeof(double));
  if (!x) return PL_E_NOMEM;
  if (!is_driven(v, x, x + nq)) settle_free(mu);
  match_pairs(mu);
  for (int i = 0; i < n; i++) {
    x[2 * i] = mu->re[i];
    x[2 * i + 1] = mu->im[i];
  }
  qsort(x, (size_t)n, 2 * sizeof(double), by_size);
  int memory_limit = (int)(sizeof out->re / sizeof out->re[0]);
  out->n = n < memory_limit ? n : memory_limit;
  // no half of a pair
  if (n > memory_limit && x[2 * memory_limit - 1] > 0) out->n--;
  for (int i = 0; i < out->n; i++) {
    out->re[i] = x[2 * i];
    out->im[i] = x[2 * i + 1];
    out->nunstable += hypot(x[2 * i], x[2 * i + 1]) > 1 + mu->margin;
  }
  if (mu->overflow) out->nunstable = 1;
  out->stable = out->nunstable == 0;
  out->exact = mu->exact && !mu->overflow;
  pl_free(v->env, x);
  return PL_OK;
}

static pl_status check(const pl_model *m, const pl_work *w, const pl_orbit *o) {
  if (o->nfree != pl_model_nfree(m))
    return pl_fail(w->env, PL_E_ARG, "stability: the motion has %d unknowns, the model %d",
                   o->nfree, pl_model_nfree(m));
  if (!(o->omega > 0) || !isfinite(o->omega))
    return pl_fail(w->env, PL_E_ARG, "stability: the motion has no frequency (%g rad/s)", o->omega);
  if (!pl_all_finite(o->nfree * (2 * o->nharm + 1), o->z))
    return pl_fail(w->env, PL_E_ARG, "stability: the motion is not finite");
  return PL_OK;
}

static pl_status floquet_of(const pl_model *m, const pl_params *p, pl_work *w, const pl_orbit *o,
                            pl_floquet_method method, pl_floquet *out) {
  const double memory_limit = 2.0 * 1024 * 1024 * 1024; // for factors of a period
  enum { TINY = 30 }; // coefficients up to which Hill's method costs next to nothing
  *out = (pl_floquet){.stable = 1, .exact = 1};
  PL_TRY(check(m, w, o));
  if (o->nfree == 0) return PL_OK;
  variation v;
  multipliers mu = {0};
  pl_status s = variation_open(m, p, w, o, &v);
  pl_blas_alone();
  int tiny = o->nfree * (2 * o->nharm + 9) <= TINY, done = pairs_present(m);
  if (s == PL_OK && done)
    s = v.n <= DENSE_MAX ? pair_multipliers(&v, &mu) : event_multipliers(&v, 0, memory_limit, &mu);
  if (s == PL_OK && !done && (method == PL_FLOQUET_HILL || (method == PL_FLOQUET_AUTO && tiny))) {
    s = hill_multipliers(&v, method == PL_FLOQUET_HILL ? HILL_MAX : 4 * TINY, &mu);
    done = s != PL_UNSOLVED || method == PL_FLOQUET_HILL;
    if (!done) s = PL_OK;
  }
  if (s == PL_OK && !done && v.n > DENSE_MAX) {
    s = band_multipliers(&v, 0, memory_limit, &mu);
    done = s != PL_UNSOLVED;
    if (!done) s = PL_OK;
  }
  if (s == PL_OK && !done)
    s = v.n <= DENSE_MAX ? dense_multipliers(&v, &mu)
                         : sparse_multipliers(&v, 0, memory_limit, &mu);
  if (s == PL_OK) s = finish(&v, &mu, out);
  multipliers_free(w->env, &mu);
  variation_close(&v);
  return s;
}

// growth over a period that no motion of a structure has, but one with too few harmonics: the
// strains that are missing from it press thin elements until they buckle
static int is_wild(const pl_floquet *f) {
  return f->nunstable > 0 && (f->n == 0 || hypot(f->re[0], f->im[0]) > 10);
}

// the motion with more harmonics; PL_UNSOLVED: Newton's method does not find it
static pl_status refine(const pl_model *m, const pl_params *p, pl_work *w, const pl_orbit *o,
                        pl_orbit **out) {
  enum { MORE = 4, ITERATIONS = 12 };
  pl_periodic_info info = {0};
  pl_hb *hb = NULL;
  pl_bordered *b = NULL;
  *out = NULL;
  int H = o->nharm + MORE <= 64 ? o->nharm + MORE : 64;
  pl_status s = pl_orbit_copy(o, H, out);
  if (s == PL_OK) s = hb_create_sub(m, p, w, H, 0, o->sub > 0 ? o->sub : 1, &hb);
  if (s == PL_OK) s = pl_bordered_create(hb, &b);
  if (s == PL_OK) s = pl_hb_newton(hb, b, *out, 1e-8, ITERATIONS, &info);
  pl_bordered_free(b);
  pl_hb_free(hb);
  return s;
}

pl_status pl_orbit_floquet(const pl_model *m, const pl_params *p, pl_work *w, const pl_orbit *o,
                           pl_floquet_method method, pl_floquet *out) {
  enum { TIMES = 2 };
  PL_TRY(floquet_of(m, p, w, o, method, out));
  if (method != PL_FLOQUET_AUTO || o->nfree <= DENSE_MAX) return PL_OK;
  pl_orbit *fine = NULL;
  pl_status s = PL_OK;
  for (int k = 0; k < TIMES && s == PL_OK && is_wild(out); k++) {
    pl_orbit *finer;
    pl_floquet f;
    s = refine(m, p, w, fine ? fine : o, &finer);
    if (s == PL_OK) s = floquet_of(m, p, w, finer, method, &f);
    if (s == PL_OK) *out = f;
    pl_orbit_free(fine);
    fine = finer;
  }
  pl_orbit_free(fine);
  return s == PL_UNSOLVED || s == PL_DOMAIN || s == PL_SINGULAR ? PL_OK : s;
}
