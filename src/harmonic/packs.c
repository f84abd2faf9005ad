#include "packs.h"

#include <string.h>

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#pragma GCC optimize("O3", "fp-contract=fast")
#endif
// packs are passed to inlined functions only; the warning comes at the end of the file
#pragma GCC diagnostic ignored "-Wpsabi"
#define INLINE static inline __attribute__((always_inline))

#define FN(name) name##_p1
#include "packs.inc"
#undef FN
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#define FN(name) name##_p3
#include "packs.inc"
#undef FN
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
#define FN(name) name##_p4
#include "packs.inc"
#undef FN
#pragma GCC pop_options
#define PICK(name)                                                                                 \
  (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&                      \
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")                \
       ? name##_p4                                                                                 \
   : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? name##_p3                   \
                                                                     : name##_p1)
#else
#define PICK(name) name##_p1
#endif

void packs_sample(const fourier *f, double omega, const pl_pack *z, int step, pl_pack *x,
                  pl_pack *v) {
  PICK(sample)(f, omega, z, step, x, v);
}

void packs_coefficients(const fourier *f, int n, const pl_pack *x, pl_pack *fold, pl_pack *out) {
  PICK(coefficients)(f, n, x, fold, out);
}

void packs_block(const fourier *f, double omega, const double *k, const double *d, double *work,
                 double *to, size_t stride) {
  PICK(block)(f, omega, k, d, work, to, stride);
}

void packs_mul(const fourier *f, int nrow, const int *row, const double *val, const double *x,
               double *y) {
  PICK(mul)(f->L, nrow, row, val, x, y);
}

void packs_mul_transposed(const fourier *f, int nrow, const int *row, const double *val,
                          const double *x, double *y) {
  PICK(mul_transposed)(f->L, nrow, row, val, x, y);
}
