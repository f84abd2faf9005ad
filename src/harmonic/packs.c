#include "packs.h"

#include <string.h>

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#pragma GCC optimize("O3", "fp-contract=fast")
#endif
// packs are passed to inlined functions only; the warning comes at the end of the file
#pragma GCC diagnostic ignored "-Wpsabi"
#define INLINE static inline __attribute__((always_inline))

#define COPY "packs.inc"
#include "pliant/copies.h"

void packs_sample(const fourier *f, double omega, const pl_pack *z, int step, pl_pack *x,
                  pl_pack *v) {
  PICK(sample)(f, omega, z, step, x, v);
}

void packs_coefficients(const fourier *f, int n, const pl_pack *x, pl_pack *fold, pl_pack *out) {
  PICK(coefficients)(f, n, x, fold, out);
}

void packs_rates(int n, double factor, const pl_pack *c, pl_pack *to) {
  PICK(rates)(n, factor, c, to);
}

void packs_damp(int n, double beta, double omega, pl_pack *c, pl_pack *d) {
  PICK(damp)(n, beta, omega, c, d);
}

void packs_block(const fourier *f, double omega, const double *k, const double *d, double *work,
                 double *to, size_t stride) {
  PICK(block)(f, omega, k, d, work, to, stride);
}

void packs_rows(size_t n, const pl_pack *x, int step, int count, double *to) {
  PICK(lanes)(n, x, (size_t)step, count, to);
}

void packs_weigh(int n, int N, const pl_pack *W, const double *x, int ld, pl_pack *to) {
  PICK(weigh)(n, N, W, x, (size_t)ld, to);
}
