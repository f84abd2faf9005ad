// SHA-256 (FIPS 180-4), so that the files of a run can be compared with `sha256sum`.
#include "pliant/base.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 64, ROUNDS = 64 };

typedef struct sha256 {
  uint32_t h[8];
  uint64_t nbyte;
  unsigned char rest[BLOCK]; // nbyte % BLOCK bytes not yet taken in
} sha256;

// the first 32 bits of the fractions of the cube roots of the first 64 primes
static const uint32_t K[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n) {
  return x >> n | x << (32 - n);
}

static void hash_block(sha256 *s, const unsigned char *p) {
  uint32_t w[ROUNDS], v[8];
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 |
           p[4 * i + 3];
  for (int i = 16; i < ROUNDS; i++) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
           (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
  }
  memcpy(v, s->h, sizeof v);
  for (int i = 0; i < ROUNDS; i++) {
    uint32_t e = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
    uint32_t a = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
    uint32_t t = v[7] + e + ((v[4] & v[5]) ^ (~v[4] & v[6])) + K[i] + w[i];
    uint32_t u = a + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += t;
    v[0] = t + u;
  }
  for (int i = 0; i < 8; i++) s->h[i] += v[i];
}

static void absorb(sha256 *s, const unsigned char *p, size_t n) {
  size_t held = s->nbyte % BLOCK;
  s->nbyte += n;
  for (; n > 0; held = 0) {
    size_t part = BLOCK - held < n ? BLOCK - held : n;
    memcpy(s->rest + held, p, part);
    p += part;
    n -= part;
    if (held + part < BLOCK) return;
    hash_block(s, s->rest);
  }
}

static void finish(sha256 *s, char hex[65]) {
  uint64_t nbit = 8 * s->nbyte;
  const unsigned char one = 0x80, zero = 0;
  unsigned char length[8];
  for (int i = 0; i < 8; i++) length[i] = (unsigned char)(nbit >> (56 - 8 * i));
  absorb(s, &one, 1);
  while (s->nbyte % BLOCK != BLOCK - 8) absorb(s, &zero, 1);
  absorb(s, length, 8);
  for (int i = 0; i < 8; i++) snprintf(hex + 8 * i, 9, "%08x", (unsigned)s->h[i]);
}

// the first 32 bits of the fractions of the square roots of the first eight primes
static const sha256 start = {.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                   0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};

void pl_sha256(const void *data, size_t size, char hex[65]) {
  sha256 s = start;
  absorb(&s, data, size);
  finish(&s, hex);
}

int pl_sha256_file(const char *path, char hex[65]) {
  unsigned char buf[1 << 16];
  sha256 s = start;
  FILE *f = fopen(path, "rb");
  if (!f) return 0;
  for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;) absorb(&s, buf, n);
  int ok = !ferror(f);
  fclose(f);
  finish(&s, hex);
  return ok;
}
