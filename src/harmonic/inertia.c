#include "inertia.h"

#include "floquet_impl.h"

#include <string.h>

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#pragma GCC optimize("O3", "fp-contract=fast")
#endif

void inertia_times(const inertia *b, const pl_pack *x, pl_pack *y) {
  int n = b->e->n;
  for (int i = 0; b->lumped && i < n; i++) y[i] = b->lumped[i] * x[i];
  if (b->lumped) return;
  memset(y, 0, (size_t)n * sizeof *y);
  envelope_multiply(b->e, b->M, 1, x, y);
}

// factor of K + shift M; 0: it is not definite
static int factor_shifted(const inertia *b, const double *K, double shift, double *val, double *S) {
  for (int k = 0; k < b->e->P->nnz; k++) val[k] = K[k] + shift * b->M[k];
  return envelope_factor(b->e, val, S);
}

// sum of x y over one lane of each
static double lane_dot(int n, const pl_pack *x, int a, const pl_pack *y, int b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i][a] * y[i][b];
  return sum;
}

// makes the lanes of x orthonormal in M; y is scratch
static void orthonormalise(const inertia *b, pl_pack *x, pl_pack *y) {
  int n = b->e->n;
  for (int l = 0; l < PL_LANES; l++) {
    inertia_times(b, x, y);
    for (int o = 0; o < l; o++) {
      double dot = lane_dot(n, x, l, y, o);
      for (int i = 0; i < n; i++) x[i][l] -= dot * x[i][o];
    }
    inertia_times(b, x, y);
    double size = sqrt(fmax(0, lane_dot(n, x, l, y, l)));
    for (int i = 0; i < n; i++) x[i][l] = size > 0 ? x[i][l] / size : 0;
  }
}

// by a few steps of subspace iteration, with a factor of K + shift M and x[3n]
static pl_status iterate(const inertia *b, const double *S, double shift, double limit, pl_pack *x,
                         double *w) {
  enum { PASSES = 6, LOW = 4 };
  int n = b->e->n;
  pl_pack *y = x + n, *z = y + n;
  double A[PL_LANES * PL_LANES], re[PL_LANES], im[PL_LANES];
  pl_rng r;
  pl_rng_seed(&r, 3);
  for (int i = 0; i < n; i++)
    for (int l = 0; l < PL_LANES; l++) x[i][l] = pl_rng_uniform(&r, -1, 1);
  for (int pass = 0; pass < PASSES; pass++) {
    if (pass > 0) memcpy(x, z, (size_t)n * sizeof *x);
    orthonormalise(b, x, y);
    inertia_times(b, x, y);
    memcpy(z, y, (size_t)n * sizeof *z);
    envelope_solve(b->e, S, NULL, z);
  }
  for (int i = 0; i < PL_LANES; i++)
    for (int j = 0; j < PL_LANES; j++) A[j * PL_LANES + i] = lane_dot(n, y, i, z, j);
  PL_TRY(dense_eigen(b->env, PL_LANES, A, re, im, NULL));
  for (int k = 0; k < LOW; k++) {
    int best = 0;
    for (int l = 1; l < PL_LANES; l++)
      if (re[l] > re[best]) best = l;
    double found = re[best] > 0 ? sqrt(fmax(0, 1 / re[best] - shift)) : 0;
    if (found <= limit) *w = fmax(*w, found);
    re[best] = -1;
  }
  return PL_OK;
}

pl_status inertia_lowest(const inertia *b, const double *K, double limit, double *w) {
  enum { TRIES = 4 };
  size_t n = (size_t)b->e->n, nnz = (size_t)b->e->P->nnz;
  double *val = pl_alloc(b->env, nnz + envelope_size(b->e), sizeof(double)), shift = 1;
  pl_pack *x = pl_alloc(b->env, 3 * n, sizeof *x);
  pl_status s = val && x ? PL_OK : PL_E_NOMEM;
  int good = s == PL_OK && factor_shifted(b, K, shift, val, val + nnz);
  for (int it = 1; s == PL_OK && !good && it < TRIES; it++)
    good = factor_shifted(b, K, shift *= 100, val, val + nnz);
  *w = 0;
  if (good) s = iterate(b, val + nnz, shift, limit, x, w);
  pl_free(b->env, val);
  pl_free(b->env, x);
  return s == PL_UNSOLVED ? PL_OK : s;
}

static void low_pass(const inertia *b, const double *S, double shift, const pl_pack *x,
                     pl_pack *y) {
  inertia_times(b, x, y);
  envelope_solve(b->e, S, NULL, y);
  for (int i = 0; i < b->e->n; i++) y[i] *= shift;
}

pl_status inertia_start(const inertia *b, const double *K, double cut, pl_pack *x, int *found) {
  size_t n = (size_t)b->e->n, nnz = (size_t)b->e->P->nnz;
  double shift = cut * cut, *val = pl_alloc(b->env, nnz + envelope_size(b->e), sizeof(double));
  if (!val) return PL_E_NOMEM;
  const double *S = val + nnz;
  *found = factor_shifted(b, K, shift, val, val + nnz);
  pl_pack *v = x + n, *z = v + n, *y = z + n;
  pl_rng r;
  pl_rng_seed(&r, 1);
  for (size_t i = 0; i < 2 * n; i++)
    for (int l = 0; l < PL_LANES; l++) x[i][l] = pl_rng_uniform(&r, -1, 1);
  for (int i = 1; *found && i >= 0; i--) {
    low_pass(b, S, shift, x + (size_t)i * n, y);
    low_pass(b, S, shift, y, z);
    low_pass(b, S, shift, z, x + (size_t)i * n);
  }
  pl_free(b->env, val);
  return PL_OK;
}
