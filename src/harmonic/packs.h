#ifndef HARMONIC_PACKS_H
#define HARMONIC_PACKS_H

#include "harmonic_impl.h"

// Transforms of elements' lanes between coefficients and samples, in the vectors of the processor
// at hand.

// x[N] with steps of `step`, and rates times omega in v (NULL: not wanted), from z[L].
void packs_sample(const fourier *f, double omega, const pl_pack *z, int step, pl_pack *x,
                  pl_pack *v);
// out[n] coefficients, n odd and at most 4H + 1, of samples x[N]; fold[N + 4] is scratch.
void packs_coefficients(const fourier *f, int n, const pl_pack *x, pl_pack *fold, pl_pack *out);
// to = factor dc/dphase of n coefficients, n odd.
void packs_rates(int n, double factor, const pl_pack *c, pl_pack *to);
// Of an entry of the stiffness, c[n]: d = beta c, and c gets what beta d/dt adds to it.
void packs_damp(int n, double beta, double omega, pl_pack *c, pl_pack *d);
// The L x L block of K + D d/dt by columns with steps of `stride`, from coefficients k and d[4H+1]
// of its entry; d NULL: zero. work[4 (6H + 2)] is scratch.
void packs_block(const fourier *f, double omega, const double *k, const double *d, double *work,
                 double *to, size_t stride);

// Lanes as rows: to[count][n] from x[n] with steps of `step`.
void packs_rows(size_t n, const pl_pack *x, int step, int count, double *to);
// to[n] = sum of W[N] x[n][N], x with `ld` numbers from one row to the next.
void packs_weigh(int n, int N, const pl_pack *W, const double *x, int ld, pl_pack *to);

#endif
