#include "pliant/math.h"

static unsigned long long rotate_left(unsigned long long x, int k) {
  return (x << k) | (x >> (64 - k));
}

// splitmix64: spreads any seed, also 0, over the whole state
static unsigned long long spread(unsigned long long *x) {
  unsigned long long z = (*x += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

void pl_rng_seed(pl_rng *r, unsigned long long seed) {
  r->s[0] = spread(&seed);
  r->s[1] = spread(&seed);
}

// xoroshiro128+ (Blackman and Vigna), the version with shifts 24, 16, 37
static unsigned long long next(pl_rng *r) {
  unsigned long long a = r->s[0], b = r->s[1], sum = a + b;
  b ^= a;
  r->s[0] = rotate_left(a, 24) ^ b ^ (b << 16);
  r->s[1] = rotate_left(b, 37);
  return sum;
}

double pl_rng_uniform(pl_rng *r, double lo, double hi) {
  // the top 53 bits: multiples of 2^-53 in [0, 1)
  double u = (double)(next(r) >> 11) * 0x1p-53;
  return lo + (hi - lo) * u;
}

double pl_rng_normal(pl_rng *r) {
  // Marsaglia's polar method; the second value is dropped, so that the state stays two words
  for (;;) {
    double x = pl_rng_uniform(r, -1, 1), y = pl_rng_uniform(r, -1, 1);
    double s = x * x + y * y;
    if (s > 0 && s < 1) return x * sqrt(-2 * log(s) / s);
  }
}
