// Points of the unit cube.
#include "pliant/study.h"

#include "pliant/math.h"

#include <stdint.h>

static const double ULP32 = 1 / 4294967296.0; // of 32 binary digits

void pl_sample_random(int n, int dim, unsigned long long seed, double *u) {
  pl_rng rng;
  pl_rng_seed(&rng, seed);
  for (size_t i = 0; i < (size_t)n * (size_t)dim; i++) do
      u[i] = pl_rng_uniform(&rng, 0, 1);
    while (!(u[i] > 0 && u[i] < 1));
}

// ---- Latin hypercubes ---------------------------------------------------------------------------

static void shuffle(pl_rng *rng, int n, int *order) {
  for (int i = 0; i < n; i++) order[i] = i;
  for (int i = n - 1; i > 0; i--) {
    int k = pl_floor_int(pl_rng_uniform(rng, 0, i + 1)), was = order[i];
    if (k > i) k = i;
    order[i] = order[k];
    order[k] = was;
  }
}

pl_status pl_sample_latin(pl_env *env, int n, int dim, unsigned long long seed, double *u) {
  pl_rng rng;
  int *order = pl_alloc(env, (size_t)n, sizeof *order);
  if (!order) return PL_E_NOMEM;
  pl_rng_seed(&rng, seed);
  for (int d = 0; d < dim; d++) {
    shuffle(&rng, n, order);
    for (int i = 0; i < n; i++) {
      // strictly within its part, whatever the rounding
      double at = pl_rng_uniform(&rng, 1e-9, 1 - 1e-9);
      u[(size_t)i * (size_t)dim + (size_t)d] = (order[i] + at) / n;
    }
  }
  pl_free(env, order);
  return PL_OK;
}

// ---- Sobol's sequence ---------------------------------------------------------------------------

// Primitive polynomials over two elements (degree and inner coefficients) and first direction
// numbers of the dimensions from the second on: the published set new-joe-kuo-6 of S. Joe and
// F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci.
// Comput. 30, 2635-2654 (2008).
static const struct {
  unsigned char degree, inner;
  unsigned short first[9];
} joe_kuo[PL_SOBOL_MOST - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
    {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
    {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
    {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
    {8, 38, {1, 3, 1, 11, 27, 43, 71, 9}},
    {8, 47, {1, 1, 7, 15, 21, 11, 81, 45}},
    {8, 49, {1, 3, 7, 3, 25, 31, 65, 79}},
    {8, 50, {1, 3, 1, 1, 19, 11, 3, 205}},
    {8, 52, {1, 1, 5, 9, 19, 21, 29, 157}},
    {8, 56, {1, 3, 7, 11, 1, 33, 89, 185}},
    {8, 67, {1, 3, 3, 3, 15, 9, 79, 71}},
    {8, 70, {1, 3, 7, 11, 15, 39, 119, 27}},
    {8, 84, {1, 1, 3, 1, 11, 31, 97, 225}},
    {8, 97, {1, 1, 1, 3, 23, 43, 57, 177}},
    {8, 103, {1, 3, 7, 7, 17, 17, 37, 71}},
    {8, 115, {1, 3, 1, 5, 27, 63, 123, 213}},
    {8, 122, {1, 1, 3, 5, 11, 43, 53, 133}},
    {9, 8, {1, 3, 5, 5, 29, 17, 47, 173, 479}},
    {9, 13, {1, 3, 3, 11, 3, 1, 109, 9, 69}},
    {9, 16, {1, 1, 1, 5, 17, 39, 23, 5, 343}},
    {9, 22, {1, 3, 1, 5, 25, 15, 31, 103, 499}},
    {9, 25, {1, 1, 1, 11, 11, 17, 63, 105, 183}},
    {9, 44, {1, 1, 5, 11, 9, 29, 97, 231, 363}},
    {9, 47, {1, 1, 5, 15, 19, 45, 41, 7, 383}},
    {9, 52, {1, 3, 7, 7, 31, 19, 83, 137, 221}},
    {9, 55, {1, 1, 1, 3, 23, 15, 111, 223, 83}},
    {9, 59, {1, 1, 5, 13, 31, 15, 55, 25, 161}},
    {9, 62, {1, 1, 3, 13, 25, 47, 39, 87, 257}},
};

// the 32 direction numbers of a dimension, counted from 0
static void directions(int dim, uint32_t v[32]) {
  for (int k = 0; k < 32; k++) v[k] = (uint32_t)1 << (31 - k);
  if (dim == 0) return;
  int s = joe_kuo[dim - 1].degree;
  for (int k = 0; k < s; k++) v[k] = (uint32_t)joe_kuo[dim - 1].first[k] << (31 - k);
  for (int k = s; k < 32; k++) {
    v[k] = v[k - s] ^ (v[k - s] >> s);
    for (int i = 1; i < s; i++)
      if (joe_kuo[dim - 1].inner >> (s - 1 - i) & 1) v[k] ^= v[k - i];
  }
}

static int lowest_zero(unsigned i) {
  int k = 0;
  for (; i & 1; i >>= 1) k++;
  return k;
}

pl_status pl_sample_sobol(pl_env *env, int n, int dim, unsigned long long seed, double *u) {
  if (dim < 1 || dim > PL_SOBOL_MOST)
    return pl_fail(env, PL_E_ARG, "Sobol points have 1 to %d dimensions, not %d", PL_SOBOL_MOST,
                   dim);
  pl_rng rng;
  pl_rng_seed(&rng, seed);
  for (int d = 0; d < dim; d++) {
    uint32_t v[32], x = seed ? (uint32_t)pl_rng_uniform(&rng, 0, 4294967296.0) : 0;
    directions(d, v);
    for (int i = 0; i < n; i++) {
      u[(size_t)i * (size_t)dim + (size_t)d] = (x + (seed ? 0.5 : 0)) * ULP32;
      x ^= v[lowest_zero((unsigned)i)];
    }
  }
  return PL_OK;
}
