// Arrays as text for the page's player: differences, bytes by their weight, deflated, base64.
#include "report_impl.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

// appends n numbers of `size` bytes: all first bytes, then all second ones
static void put_planes(pl_text *raw, size_t n, int size, const unsigned char *v) {
  unsigned char *out = pl_alloc(raw->env, n, (size_t)size);
  if (!out) {
    raw->failed = 1;
    return;
  }
  for (size_t i = 0; i < n; i++)
    for (int b = 0; b < size; b++) out[(size_t)b * n + i] = v[(size_t)size * i + (size_t)b];
  pl_text_put(raw, (const char *)out, n * (size_t)size);
  pl_free(raw->env, out);
}

static void put_word(unsigned char *to, int size, unsigned v) {
  for (int b = 0; b < size; b++) to[b] = (unsigned char)(v >> 8 * b);
}

void rp_pack_int(pl_text *raw, size_t n, const int *v) {
  unsigned char *bytes = pl_alloc(raw->env, n, 4);
  if (!bytes) {
    raw->failed = 1;
    return;
  }
  for (size_t i = 0; i < n; i++)
    put_word(bytes + 4 * i, 4, (unsigned)v[i] - (i > 0 ? (unsigned)v[i - 1] : 0));
  put_planes(raw, n, 4, bytes);
  pl_free(raw->env, bytes);
}

void rp_pack_float(pl_text *raw, size_t n, const double *v) {
  unsigned char *bytes = pl_alloc(raw->env, n, 4);
  if (!bytes) {
    raw->failed = 1;
    return;
  }
  for (size_t i = 0; i < n; i++) {
    float f = (float)v[i];
    unsigned word;
    memcpy(&word, &f, sizeof word);
    put_word(bytes + 4 * i, 4, word);
  }
  put_planes(raw, n, 4, bytes);
  pl_free(raw->env, bytes);
}

short rp_pack_round(double v, double lo, double hi) {
  if (!isfinite(v)) return -32768;
  double half = hi / 2 - lo / 2, x = half > 0 ? (v - (lo / 2 + hi / 2)) / half : 0;
  return (short)lround(32767 * fmin(fmax(x, -1), 1));
}

void rp_pack_short(pl_text *raw, int planes, size_t n, size_t stride, int chain, const short *v) {
  unsigned char *bytes = pl_alloc(raw->env, (size_t)planes * n, 2);
  if (!bytes) {
    raw->failed = 1;
    return;
  }
  for (int k = 0; k < planes; k++) {
    const short *now = v + (size_t)k * n, *was = k > 0 && chain ? now - n : NULL;
    for (size_t i = 0; i < n; i++) {
      int d = now[i] - (was ? was[i] : 0);
      if (i >= stride) d -= now[i - stride] - (was ? was[i - stride] : 0);
      put_word(bytes + 2 * ((size_t)k * n + i), 2, (unsigned)d);
    }
  }
  put_planes(raw, (size_t)planes * n, 2, bytes);
  pl_free(raw->env, bytes);
}

void rp_pack_close(pl_text *t, pl_text *raw) {
  uLong packed = compressBound((uLong)raw->n);
  unsigned char *out = raw->failed ? NULL : pl_alloc(t->env, packed, 1);
  if (out &&
      compress2(out, &packed, (const Bytef *)(raw->s ? raw->s : ""), (uLong)raw->n, 9) == Z_OK)
    rp_base64(t, out, packed);
  else
    t->failed = 1;
  pl_free(t->env, out);
}
