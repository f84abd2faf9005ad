#ifndef PLIANT_LANCZOS_H
#define PLIANT_LANCZOS_H

#include "sparse_impl.h"

// Block Lanczos with full orthogonalisation and thick restarts for OP = A^-1 M, which is symmetric
// in the inner product of M. Vectors 0..done-1 have been multiplied by OP, those up to filled-1
// wait for it; when none waits, a random one is taken, so that no invariant subspace stops it.
typedef struct pl_lanczos {
  pl_env *env;
  const pl_csc *M;
  pl_threads *threads; // NULL: one
  pl_mul *mul;         // by M
  pl_factor *A;        // of the shifted matrix, changed by the caller between runs
  int n, want;         // order, wanted pairs
  int most, cap;       // longest run of done vectors, vectors that fit
  int done, filled;
  int exhausted;                // the basis spans everything that has mass
  int applied;                  // multiplications by OP so far
  double *V, *MV;               // [cap][n] basis and M times it
  double *H;                    // [most][cap] column c: OP V_c = sum_i H[c][i] V_i
  double *theta, *Y, *residual; // [most], [most][most], [most] Ritz pairs, largest theta first
  double *ahead;                // [BLOCK][n] OP times vectors done .. done + nahead - 1, at the end
  int nahead;
  double *w, *Mw, *h; // [n], [n], [cap]
  double *part;       // [npart][cap] sums over some rows each
  int npart;
  double len;    // of w
  double *chunk; // [thread][CHUNK][most]
  double *work;  // for LAPACK
  int *iwork, lwork, liwork;
  pl_rng rng;
} pl_lanczos;

pl_status pl_lanczos_create(pl_env *env, const pl_csc *M, int want, int nthread, pl_lanczos **out);
void pl_lanczos_free(pl_lanczos *z);
// y = M x
void pl_lanczos_mass(pl_lanczos *z, const double *x, double *y);
// Forgets everything but the first keep Ritz vectors, which then wait again (for a new A).
void pl_lanczos_reset(pl_lanczos *z, int keep);
// Adds a random vector to those that wait; sets exhausted when there is none left.
pl_status pl_lanczos_add_random(pl_lanczos *z);
// Extends the basis to most vectors and finds its Ritz pairs.
pl_status pl_lanczos_run(pl_lanczos *z);
// Compresses the basis to its first keep Ritz vectors and the waiting ones.
void pl_lanczos_restart(pl_lanczos *z, int keep);
// Ritz vectors 0..count-1 into x [count][n].
void pl_lanczos_vectors(pl_lanczos *z, int count, double *x);

#endif
