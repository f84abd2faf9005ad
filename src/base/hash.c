#include "pliant/base.h"

#include <string.h>

// the high half of a product, which all bits go into, is folded upon the low one
static uint64_t mix(uint64_t h, uint64_t word) {
  h = (h ^ word) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

uint64_t pl_hash(uint64_t h, const void *data, size_t n) {
  const char *p = data;
  size_t left = n;
  uint64_t word = 0;
  for (; left >= sizeof word; left -= sizeof word, p += sizeof word) {
    memcpy(&word, p, sizeof word);
    h = mix(h, word);
  }
  word = 0;
  if (left > 0) {
    memcpy(&word, p, left);
    h = mix(h, word);
  }
  // last, so that what the last word did to the high bits comes down to the low ones
  return mix(h, n);
}
