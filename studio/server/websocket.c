// Frames and the handshake of WebSockets (RFC 6455).
#include "http_impl.h"

#include <string.h>

// ---- the handshake ------------------------------------------------------------------------------

static uint32_t rotate(uint32_t x, int n) {
  return x << n | x >> (32 - n);
}

// one block of SHA-1 (FIPS 180-4, 6.1.2), which the handshake is made with; it keeps no secret
static void sha1_block(uint32_t h[5], const unsigned char *b) {
  static const uint32_t K[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
  uint32_t w[80], v[5];
  for (int t = 0; t < 16; t++)
    w[t] = (uint32_t)b[4 * t] << 24 | (uint32_t)b[4 * t + 1] << 16 | (uint32_t)b[4 * t + 2] << 8 |
           b[4 * t + 3];
  for (int t = 16; t < 80; t++) w[t] = rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  memcpy(v, h, sizeof v);
  for (int t = 0; t < 80; t++) {
    uint32_t f = t < 20              ? (v[1] & v[2]) | (~v[1] & v[3])
                 : t >= 40 && t < 60 ? (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3])
                                     : v[1] ^ v[2] ^ v[3];
    uint32_t next = rotate(v[0], 5) + f + v[4] + K[t / 20] + w[t];
    v[4] = v[3];
    v[3] = v[2];
    v[2] = rotate(v[1], 30);
    v[1] = v[0];
    v[0] = next;
  }
  for (int k = 0; k < 5; k++) h[k] += v[k];
}

// of up to 119 bytes
static void sha1_short(const char *text, size_t n, unsigned char out[20]) {
  uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  unsigned char b[128] = {0};
  size_t size = n < 56 ? 64 : 128;
  memcpy(b, text, n);
  b[n] = 0x80;
  b[size - 2] = (unsigned char)(n * 8 >> 8);
  b[size - 1] = (unsigned char)(n * 8);
  for (size_t at = 0; at < size; at += 64) sha1_block(h, b + at);
  for (int k = 0; k < 20; k++) out[k] = (unsigned char)(h[k / 4] >> (24 - 8 * (k % 4)));
}

static const char BASE64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int socket_accept(const char *key, char out[ACCEPT_SIZE]) {
  static const char tail[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  char text[24 + sizeof tail];
  unsigned char sum[21] = {0};
  // 16 bytes
  if (strlen(key) != 24 || strspn(key, BASE64) != 22 || strcmp(key + 22, "==") != 0) return 0;
  memcpy(text, key, 24);
  memcpy(text + 24, tail, sizeof tail);
  sha1_short(text, sizeof text - 1, sum);
  for (int k = 0; k < 7; k++) {
    uint32_t three = (uint32_t)sum[3 * k] << 16 | (uint32_t)sum[3 * k + 1] << 8 | sum[3 * k + 2];
    for (int i = 0; i < 4; i++) out[4 * k + i] = BASE64[three >> (18 - 6 * i) & 63];
  }
  out[27] = '=';
  out[28] = 0;
  return 1;
}

// ---- frames -------------------------------------------------------------------------------------

int frame_read(const unsigned char *b, size_t n, frame *out) {
  if (n < 2) return 0;
  int masked = b[1] & 128, control = b[0] & 8, length = b[1] & 127;
  out->code = b[0] & 15;
  out->last = b[0] & 128;
  out->n = (uint64_t)length;
  // reserved bits and codes, frames of a server, control frames that are long or in parts
  if (b[0] & 0x70 || !masked || (out->code & 7) > 2 || (control && (!out->last || length > 125)))
    return -1;
  size_t extra = length == 126 ? 2 : length == 127 ? 8 : 0;
  if (n < 2 + extra + 4) return 0;
  if (extra) out->n = 0;
  for (size_t k = 0; k < extra; k++) out->n = out->n << 8 | b[2 + k];
  if (out->n >> 63) return -1;
  memcpy(out->mask, b + 2 + extra, 4);
  return (int)(2 + extra + 4);
}

int frame_write(int code, uint64_t n, unsigned char out[FRAME_HEAD_MAX]) {
  int extra = n < 126 ? 0 : n < 65536 ? 2 : 8;
  out[0] = (unsigned char)(0x80 | code);
  out[1] = (unsigned char)(extra == 0 ? n : extra == 2 ? 126 : 127);
  for (int k = 0; k < extra; k++) out[2 + k] = (unsigned char)(n >> (8 * (extra - 1 - k)));
  return 2 + extra;
}
