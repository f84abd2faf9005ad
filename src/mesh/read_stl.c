#include "read_impl.h"

#include <string.h>

// STL, ASCII and binary. The triangles carry their own corners; equal ones become one vertex.

enum { HEADER = 84, RECORD = 50 }; // bytes of a binary header with its count, and of a triangle

typedef struct stl {
  pl_load *in;
  pl_load_hash hash; // of the vertices
} stl;

static pl_status weld(stl *s, const double corner[3], int *v) {
  // -0 and 0 are one place: adding 0 makes both +0
  double x[3] = {corner[0] + 0.0, corner[1] + 0.0, corner[2] + 0.0};
  int *slot;
  PL_TRY(pl_load_find(s->in->env, &s->hash, s->in->X, sizeof x, s->in->nvert, x, &slot));
  if (!*slot) {
    PL_TRY(pl_load_vertex(s->in, x[0], x[1], x[2]));
    *slot = s->in->nvert;
  }
  *v = *slot - 1;
  return PL_OK;
}

// numbers are little-endian whatever the host
static uint32_t little32(const char *p) {
  const unsigned char *b = (const unsigned char *)p;
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static pl_status binary(stl *s) {
  pl_load *in = s->in;
  in->line = 0;
  size_t size = (size_t)(in->end - in->begin);
  if (size < HEADER)
    return pl_load_fail(in, NULL, "a binary STL has at least %d bytes, this file has %zu", HEADER,
                        size);
  uint64_t ntri = little32(in->begin + HEADER - 4), want = HEADER + RECORD * ntri;
  // the count alone must not be believed: it would size the arrays
  if (want != size)
    return pl_load_fail(in, size < want ? "the file may be cut off" : NULL,
                        "the header says %llu triangles, which take %llu bytes, but the file has "
                        "%zu",
                        (unsigned long long)ntri, (unsigned long long)want, size);
  for (in->at = in->begin + HEADER; in->at < in->end; in->at += RECORD) {
    int v[3];
    for (int c = 0; c < 3; c++) {
      double x[3];
      for (int k = 0; k < 3; k++) {
        // 12 bytes of normal come first
        uint32_t bits = little32(in->at + 12 + 12 * c + 4 * k);
        float f;
        memcpy(&f, &bits, sizeof f);
        x[k] = (double)f;
      }
      PL_TRY(weld(s, x, &v[c]));
    }
    PL_TRY(pl_load_cell(in, PL_TRI3, v));
  }
  return PL_OK;
}

// passes over a keyword that must come next
static pl_status expect(pl_load *in, const char *word) {
  char got[PL_READ_WORD];
  if (!pl_skip_space(in))
    return pl_load_fail(in, "the file may be cut off", "the file ends where '%s' should be", word);
  if (!pl_word_is(in, word))
    return pl_load_fail(in, NULL, "expected '%s', got '%s'", word, pl_word_show(in, got));
  in->at += strlen(word);
  return PL_OK;
}

static pl_status facet(stl *s) {
  pl_load *in = s->in;
  int v[3];
  // the normal follows from the corners, and many programs write nan there
  pl_skip_line(in);
  PL_TRY(expect(in, "outer"));
  PL_TRY(expect(in, "loop"));
  for (int c = 0; c < 3; c++) {
    double x[3];
    PL_TRY(expect(in, "vertex"));
    for (int k = 0; k < 3; k++) {
      char got[PL_READ_WORD];
      if (!pl_skip_blank(in) || !pl_scan_real(in, &x[k]))
        return pl_load_fail(in, NULL, "a vertex needs 3 numbers, got '%s' as number %d",
                            pl_word_show(in, got), k + 1);
    }
    PL_TRY(weld(s, x, &v[c]));
  }
  PL_TRY(expect(in, "endloop"));
  PL_TRY(expect(in, "endfacet"));
  return pl_load_cell(in, PL_TRI3, v);
}

static pl_status ascii(stl *s) {
  pl_load *in = s->in;
  int open = 0; // between solid and endsolid; a file may hold several
  while (pl_skip_space(in)) {
    if (pl_word_is(in, "facet")) {
      in->at += strlen("facet");
      PL_TRY(facet(s));
    } else if (pl_word_is(in, "solid") || pl_word_is(in, "endsolid")) {
      open = pl_word_is(in, "solid");
      pl_skip_line(in);
    } else {
      return expect(in, "facet");
    }
  }
  if (open) return pl_load_fail(in, "the file may be cut off", "the file ends without 'endsolid'");
  return PL_OK;
}

// A binary file may begin with "solid" too, so its size decides; a text file has a facet soon.
static int is_ascii(pl_load *in) {
  size_t size = (size_t)(in->end - in->begin);
  if (size >= HEADER && HEADER + RECORD * (uint64_t)little32(in->begin + HEADER - 4) == size)
    return 0;
  pl_load probe = *in;
  if (!pl_skip_space(&probe) || !pl_word_is(&probe, "solid")) return 0;
  size_t n = (size_t)(probe.end - probe.at);

  // the count of a damaged binary file nearly always has a zero byte, a text never
  return memchr(probe.at, 0, n < HEADER ? n : HEADER) == NULL;
}

pl_status pl_read_stl(pl_load *in) {
  stl s = {.in = in};
  pl_status status = is_ascii(in) ? ascii(&s) : binary(&s);
  pl_free(in->env, s.hash.slot);
  return status;
}
