// VTK's XML files: the tags are walked once and the arrays noted; they are fetched afterwards,
// because appended data stand behind everything else.
#include "vtk_impl.h"

#include <string.h>
#include <zlib.h>

// zlib cannot pass 1032 to 1. Only types come near it; coordinates and numbers of a real mesh stay
// far below 100 to 1, and what claims more is refused before it is unpacked.
enum { BLOCK_MIN = 64, INFLATE_MAX = 1040, INFLATE_REAL = 200, FREE = 1 << 20 };

static const char *const number_name[PL_NUMBER_COUNT] = {
    "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Float32", "Float64"};

// ---- tags -------------------------------------------------------------------------------------

static void move_to(pl_load *in, const char *to) {
  for (const char *p = in->at; (p = memchr(p, '\n', (size_t)(to - p))) != NULL; p++) in->line++;
  in->at = to;
}

// skips to behind a mark
static pl_status skip_past(pl_load *in, const char *mark) {
  size_t n = strlen(mark);
  const char *hit = memmem(in->at, (size_t)(in->end - in->at), mark, n);
  if (!hit) return pl_load_fail(in, "the file may be cut off", "no '%s' to the end", mark);
  move_to(in, hit + n);
  return PL_OK;
}

static int begins(const pl_load *in, const char *mark) {
  size_t n = strlen(mark);
  return (size_t)(in->end - in->at) >= n && memcmp(in->at, mark, n) == 0;
}

int vtk_is_name(const vtk_tag *t, const char *name) {
  return t->length == strlen(name) && memcmp(t->name, name, t->length) == 0;
}

// reads the tag at '<'; a comment or a processing instruction gives length 0
static pl_status read_tag(vtk *v, vtk_tag *t) {
  pl_load *in = v->in;
  *t = (vtk_tag){.length = 0};
  if (begins(in, "<!--")) return skip_past(in, "-->");
  if (begins(in, "<?")) return skip_past(in, "?>");
  if (begins(in, "<!"))
    return pl_load_fail(in, NULL, "document types and CDATA are not read in %s files", v->ending);
  const char *p = in->at + 1;
  if (p < in->end && *p == '/') {
    t->close = 1;
    p++;
  }
  t->name = p;
  while (p < in->end && !pl_is_space(*p) && *p != '>' && *p != '/') p++;
  t->length = (size_t)(p - t->name);
  t->attr = p;
  char quote = 0;
  for (; p < in->end && (quote || *p != '>'); p++) {
    if (quote ? *p == quote : *p == '"' || *p == '\'') quote = quote ? 0 : *p;
  }
  if (p == in->end || t->length == 0)
    return pl_load_fail(in, "the file may be cut off", "a tag without its end or name");
  t->stop = p;
  if (t->stop > t->attr && t->stop[-1] == '/') {
    t->empty = 1;
    t->stop--;
  }
  move_to(in, p + 1);
  return PL_OK;
}

int vtk_attribute(const vtk_tag *t, const char *name, const char **value, size_t *n) {
  size_t length = strlen(name);
  const char *p = t->attr;
  while (p < t->stop) {
    while (p < t->stop && pl_is_space(*p)) p++;
    const char *key = p;
    while (p < t->stop && *p != '=' && !pl_is_space(*p)) p++;
    size_t nkey = (size_t)(p - key);
    while (p < t->stop && (pl_is_space(*p) || *p == '=')) p++;
    if (p == t->stop || (*p != '"' && *p != '\'')) return 0;
    const char *first = p + 1, *last = memchr(first, *p, (size_t)(t->stop - first));
    if (!last) return 0;
    if (nkey == length && memcmp(key, name, length) == 0) {
      *value = first;
      *n = (size_t)(last - first);
      return 1;
    }
    p = last + 1;
  }
  return 0;
}

int vtk_attribute_is(const vtk_tag *t, const char *name, const char *want) {
  const char *value;
  size_t n;
  return vtk_attribute(t, name, &value, &n) && n == strlen(want) && memcmp(value, want, n) == 0;
}

int vtk_attribute_int(const vtk_tag *t, const char *name, int64_t *out) {
  const char *value;
  size_t n;
  if (!vtk_attribute(t, name, &value, &n)) return 0;
  pl_load text = {.at = value, .end = value + n};
  return pl_scan_int(&text, out) && text.at == text.end && *out >= 0;
}

// ---- structure -------------------------------------------------------------------------------

static pl_status open_file(vtk *v, const vtk_tag *t) {
  pl_load *in = v->in;
  const char *value;
  size_t n;
  if (!vtk_attribute_is(t, "type", v->type))
    return pl_load_fail(in, v->hint, "the VTK file does not hold an %s", v->type);
  const uint16_t one = 1;
  int host_little = *(const unsigned char *)&one;
  v->swap = vtk_attribute_is(t, "byte_order", "BigEndian") == host_little;
  v->wide = vtk_attribute_is(t, "header_type", "UInt64");
  if (vtk_attribute(t, "header_type", &value, &n) && !v->wide &&
      !vtk_attribute_is(t, "header_type", "UInt32"))
    return pl_load_fail(in, NULL, "header_type must be UInt32 or UInt64");
  v->zlib = vtk_attribute_is(t, "compressor", "vtkZLibDataCompressor");
  if (!v->zlib && vtk_attribute(t, "compressor", &value, &n) && n > 0)
    return pl_load_fail(in, "save it with zlib compression or with none",
                        "the file is compressed by something other than zlib");
  return PL_OK;
}

pl_number vtk_number_type(const vtk_tag *t) {
  for (int k = 0; k < PL_NUMBER_COUNT; k++)
    if (vtk_attribute_is(t, "type", number_name[k])) return (pl_number)k;
  return PL_NUMBER_COUNT;
}

int vtk_plain_name(const char *from, size_t n, char name[PL_READ_NAME + 1]) {
  static const struct {
    const char *code;
    char is;
  } table[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
  size_t at = 0;
  for (size_t i = 0; i < n && at <= PL_READ_NAME; at++) {
    name[at] = from[i];
    size_t step = 1;
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
      size_t length = strlen(table[k].code);
      if (length > n - i || memcmp(from + i, table[k].code, length) != 0) continue;
      name[at] = table[k].is;
      step = length;
    }
    i += step;
  }
  if (at == 0 || at > PL_READ_NAME || memchr(name, 0, at)) return 0;
  name[at] = 0;
  return 1;
}

pl_status vtk_array_open(vtk *v, const vtk_tag *t, vtk_array *a) {
  pl_load *in = v->in;
  a->line = in->line;
  a->type = vtk_number_type(t);
  if (a->type == PL_NUMBER_COUNT)
    return pl_load_fail(in, "Int8 to UInt64, Float32 or Float64", "array '%s': unknown number type",
                        a->what);
  if (!a->real && a->type >= PL_F32)
    return pl_load_fail(in, NULL, "array '%s' must hold integers", a->what);
  if (vtk_attribute_is(t, "format", "appended")) {
    a->form = VTK_APPENDED;
    if (!vtk_attribute_int(t, "offset", &a->offset))
      return pl_load_fail(in, NULL, "array '%s' has no valid offset", a->what);
  } else if (vtk_attribute_is(t, "format", "binary")) {
    a->form = VTK_BINARY;
  } else if (!vtk_attribute_is(t, "format", "ascii")) {
    return pl_load_fail(in, "ascii, binary or appended", "array '%s': unknown format", a->what);
  }
  return PL_OK;
}

static pl_status open_appended(vtk *v, const vtk_tag *t) {
  pl_load *in = v->in;
  v->base64 = vtk_attribute_is(t, "encoding", "base64");
  if (!v->base64 && !vtk_attribute_is(t, "encoding", "raw"))
    return pl_load_fail(in, NULL, "the encoding of AppendedData must be raw or base64");
  if (!pl_skip_space(in) || *in->at != '_')
    return pl_load_fail(in, NULL, "AppendedData does not begin with an underscore");
  v->appended = in->at + 1;
  return PL_OK;
}

static pl_status open_tag(vtk *v, const vtk_tag *t) {
  pl_load *in = v->in;
  if (v->depth == 0 && !vtk_is_name(t, "VTKFile"))
    return pl_load_fail(in, NULL, "not a %s file: the first tag is not VTKFile", v->ending);
  if (v->depth == VTK_DEPTH_MAX)
    return pl_load_fail(in, NULL, "tags nested deeper than %d", VTK_DEPTH_MAX);
  if (v->depth == 0) {
    PL_TRY(open_file(v, t));
  } else if (vtk_is_name(t, "AppendedData")) {
    return open_appended(v, t);
  } else
    PL_TRY(v->element(v->ctx, t));
  if (!t->empty) v->open[v->depth++] = *t;
  return PL_OK;
}

static pl_status close_tag(vtk *v, const vtk_tag *t) {
  const vtk_tag *last = v->depth > 0 ? &v->open[v->depth - 1] : NULL;
  if (!last || last->length != t->length || memcmp(last->name, t->name, t->length) != 0)
    return pl_load_fail(v->in, NULL, "a closing tag that does not fit the open one");
  v->depth--;
  if (vtk_is_name(t, "DataArray")) v->current = NULL;
  return PL_OK;
}

pl_status vtk_read_tags(vtk *v) {
  pl_load *in = v->in;
  int closed = 0;
  while (!closed && !v->appended) {
    // text before the next tag: the awaited array's data unless it is blank
    int filled = pl_skip_space(in);
    const char *next = filled ? memchr(in->at, '<', (size_t)(in->end - in->at)) : NULL;
    if (!next)
      return pl_load_fail(in, "the file may be cut off",
                          v->depth ? "the file ends inside a tag's body"
                                   : "there is no VTKFile tag");
    if (v->current && next > in->at && !v->current->text) {
      v->current->text = in->at;
      v->current->stop = next;
      v->current->line = in->line;
    }
    move_to(in, next);
    vtk_tag t;
    PL_TRY(read_tag(v, &t));
    if (t.length == 0) continue;
    PL_TRY(t.close ? close_tag(v, &t) : open_tag(v, &t));
    closed = v->depth == 0 && !v->appended;
  }
  return PL_OK;
}

// ---- bytes ------------------------------------------------------------------------------------

// raw or base64 bytes
typedef struct source {
  const char *at, *end;
  int base64, nhold, next;
  unsigned char hold[3]; // decoded, not yet taken
} source;

static int digit64(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Decodes four characters. Padding may stand inside: a head is encoded for itself in some files.
static int decode4(source *s) {
  int n = 0, pad = 0;
  uint32_t bits = 0;
  for (; n < 4 && s->at < s->end; s->at++) {
    if (pl_is_space(*s->at)) continue;
    int d = digit64(*s->at);
    if (*s->at == '=' && n >= 2) {
      pad++;
      d = 0;
    } else if (d < 0 || pad) {
      return 0;
    }
    bits = bits << 6 | (uint32_t)d;
    n++;
  }
  if (n < 4) return 0;
  for (int k = 0; k < 3; k++) s->hold[k] = (unsigned char)(bits >> (16 - 8 * k));
  s->nhold = 3 - pad;
  s->next = 0;
  return 1;
}

// takes n bytes; returns 0 when they end or are not base64
static int read_bytes(source *s, void *out, size_t n) {
  if (!s->base64) {
    if ((size_t)(s->end - s->at) < n) return 0;
    if (n > 0) memcpy(out, s->at, n);
    s->at += n;
    return 1;
  }
  unsigned char *to = out;
  for (size_t k = 0; k < n; k++) {
    if (s->next == s->nhold && !decode4(s)) return 0;
    to[k] = s->hold[s->next++];
  }
  return 1;
}

static void swap_bytes(unsigned char *p, size_t n, int size) {
  for (size_t i = 0; i < n; i++, p += size)
    for (int k = 0; k < size / 2; k++) {
      unsigned char c = p[k];
      p[k] = p[size - 1 - k];
      p[size - 1 - k] = c;
    }
}

static pl_status cut_off(vtk *v, const vtk_array *a) {
  return pl_load_fail(v->in, "the file may be cut off",
                      "array '%s': its data end early or are not base64", a->what);
}

static pl_status read_word(vtk *v, const vtk_array *a, source *s, uint64_t *out) {
  unsigned char b[8];
  int size = v->wide ? 8 : 4;
  if (!read_bytes(s, b, (size_t)size)) return cut_off(v, a);
  if (v->swap) swap_bytes(b, 1, size);
  uint32_t narrow;
  memcpy(&narrow, b, sizeof narrow);
  *out = narrow;
  if (v->wide) memcpy(out, b, sizeof *out);
  return PL_OK;
}

static pl_status wrong_size(vtk *v, const vtk_array *a, uint64_t got, uint64_t want) {
  return pl_load_fail(v->in, NULL, "array '%s' has %llu bytes, wanted %llu", a->what,
                      (unsigned long long)got, (unsigned long long)want);
}

static pl_status inflate_block(vtk *v, const vtk_array *a, source *s, uint64_t packed,
                               unsigned char *out, uint64_t want) {
  pl_env *env = v->in->env;
  if (packed > (uint64_t)(s->end - s->at) + 3) return cut_off(v, a);
  unsigned char *bytes = pl_alloc(env, packed, 1);
  if (!bytes) return PL_E_NOMEM;
  uLongf got = (uLongf)want;
  int ok = read_bytes(s, bytes, packed);
  int z = ok ? uncompress(out, &got, bytes, (uLong)packed) : Z_OK;
  pl_free(env, bytes);
  if (!ok) return cut_off(v, a);
  if (z == Z_MEM_ERROR) return pl_fail(env, PL_E_NOMEM, "out of memory in zlib");
  if (z != Z_OK || got != want)
    return pl_load_fail(v->in, NULL, "array '%s': a compressed block is damaged", a->what);
  return PL_OK;
}

// head: blocks, bytes of a block, bytes of the last if it is shorter, packed bytes of each
static pl_status read_packed(vtk *v, const vtk_array *a, source *s, uint64_t bytes,
                             unsigned char *out) {
  uint64_t nblock = 0, size = 0, last = 0, total = 0;
  PL_TRY(read_word(v, a, s, &nblock));
  PL_TRY(read_word(v, a, s, &size));
  PL_TRY(read_word(v, a, s, &last));
  // tiny blocks would cost far more to unpack than their bytes tell
  uint64_t left = (uint64_t)(s->end - s->at);
  if (nblock > left / 4 || (nblock > 1 && (size < BLOCK_MIN || size > bytes)) || last > size)
    return pl_load_fail(v->in, NULL, "array '%s': %llu compressed blocks of %llu bytes", a->what,
                        (unsigned long long)nblock, (unsigned long long)size);
  if (nblock > 0) total = last ? (nblock - 1) * size + last : nblock * size;
  if (total != bytes) return wrong_size(v, a, total, bytes);

  uint64_t *packed = pl_alloc(v->in->env, nblock, sizeof *packed);
  if (!packed) return PL_E_NOMEM;
  pl_status status = PL_OK;
  for (uint64_t k = 0; k < nblock && status == PL_OK; k++) status = read_word(v, a, s, &packed[k]);
  for (uint64_t k = 0; k < nblock && status == PL_OK; k++) {
    uint64_t n = k + 1 == nblock && last ? last : size;
    status = inflate_block(v, a, s, packed[k], out, n);
    out += n;
  }
  pl_free(v->in->env, packed);
  return status;
}

// ---- arrays ----------------------------------------------------------------------------------

static pl_status fetch_text(vtk *v, vtk_array *a, int64_t count) {
  pl_load *in = v->in;
  pl_load text = *in;
  text.at = a->text;
  text.end = a->stop;
  if (count > (text.end - text.at + 1) / 2)
    return pl_load_fail(in, NULL, "array '%s' has fewer than %lld values", a->what,
                        (long long)count);
  int real = a->real;
  double *x = pl_alloc(in->env, (size_t)count, sizeof *x);
  if (!x) return PL_E_NOMEM;
  int64_t *whole = (void *)x;
  a->data = x;
  a->type = real ? PL_F64 : PL_I64;
  for (int64_t k = 0; k < count; k++) {
    char word[PL_READ_WORD];
    int some = pl_skip_space(&text);
    if (some && (real ? pl_scan_real(&text, &x[k]) : pl_scan_int(&text, &whole[k]))) continue;
    return pl_load_fail(&text, NULL, some ? "'%s' is not a number" : "%sthe array ends early",
                        pl_word_show(&text, word));
  }
  if (pl_skip_space(&text))
    return pl_load_fail(&text, NULL, "array '%s' has more than %lld values", a->what,
                        (long long)count);
  return PL_OK;
}

static pl_status fetch_bytes(vtk *v, vtk_array *a, int64_t count) {
  pl_load *in = v->in;
  source s = {.at = a->text, .end = a->stop, .base64 = 1};
  if (a->form == VTK_APPENDED) {
    if (!v->appended) return pl_load_fail(in, NULL, "there is no AppendedData");
    if (a->offset > in->end - v->appended)
      return pl_load_fail(in, NULL, "array '%s': offset %lld is beyond the end", a->what,
                          (long long)a->offset);
    s = (source){.at = v->appended + a->offset, .end = in->end, .base64 = v->base64};
  }
  uint64_t bytes = (uint64_t)count * (uint64_t)pl_number_size[a->type];
  uint64_t left = (uint64_t)(s.end - s.at), got = bytes;
  if (!v->zlib) PL_TRY(read_word(v, a, &s, &got));
  if (got != bytes) return wrong_size(v, a, got, bytes);
  uint64_t times = !v->zlib ? 1 : a->repeats || bytes < FREE ? INFLATE_MAX : INFLATE_REAL;
  if (bytes > left * times)
    return pl_load_fail(in, NULL, "array '%s': %llu bytes cannot come from the %llu that are there",
                        a->what, (unsigned long long)bytes, (unsigned long long)left);
  a->data = pl_alloc(in->env, bytes, 1);
  if (!a->data) return PL_E_NOMEM;
  if (v->zlib)
    PL_TRY(read_packed(v, a, &s, bytes, a->data));
  else if (!read_bytes(&s, a->data, bytes))
    return cut_off(v, a);
  if (v->swap) swap_bytes(a->data, (size_t)count, pl_number_size[a->type]);
  return PL_OK;
}

pl_status vtk_fetch(vtk *v, int line, vtk_array *a, int64_t count) {
  v->in->line = a->line ? a->line : line;
  // an array without text has no bytes to point at
  if (!a->text) a->text = a->stop = v->in->end;
  return a->form == VTK_ASCII ? fetch_text(v, a, count) : fetch_bytes(v, a, count);
}

double vtk_value(const vtk_array *a, int64_t i) {
  return pl_number_decode(a->type, (const char *)a->data + i * pl_number_size[a->type]);
}

void vtk_turn_prism(int *v) {
  for (int k = 1; k < 6; k += 3) {
    int a = v[k];
    v[k] = v[k + 1];
    v[k + 1] = a;
  }
}
