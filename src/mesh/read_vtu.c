#include "read_impl.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

// VTK's XML unstructured grids. The tags are walked once and the arrays of points and cells noted;
// they are fetched afterwards, because appended data stand behind everything else.

// zlib cannot pass 1032 to 1. Only types come near it; coordinates and numbers of a real mesh stay
// far below 100 to 1, and what claims more is refused before it is unpacked.
enum { DEPTH_MAX = 32, BLOCK_MIN = 64, INFLATE_MAX = 1040, INFLATE_REAL = 200, FREE = 1 << 20 };

static const char *const number_name[PL_NUMBER_COUNT] = {
    "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Float32", "Float64"};

typedef enum form { ASCII, BINARY, APPENDED } form;
// GROUP: integers on points or cells, which tell groups
typedef enum role {
  POINTS,
  CONNECTIVITY,
  OFFSETS,
  TYPES,
  ROLE_COUNT,
  GROUP = ROLE_COUNT,
  NONE
} role;
static const char *const role_name[NONE] = {"Points", "connectivity", "offsets", "types",
                                            "of a group"};

typedef struct array {
  int line; // 0: not there
  form form;
  pl_number type;
  int64_t offset;          // into the appended data
  const char *text, *stop; // inline data
  void *data;              // once fetched, in the host's byte order; ascii becomes PL_I64 or PL_F64
} array;

enum { VALUES_MAX = 256 }; // of an array that tells groups; more are numbers of something else

typedef struct group {
  array array;
  char name[PL_READ_NAME + 1];
  int on_cells;
  int mask;                 // 1: zeros and ones, which are the members of one group
  int nvalue;               // that differ; 0: it tells no groups
  double value[VALUES_MAX]; // ascending
  int set[VALUES_MAX];
} group;

typedef struct piece {
  int npoint, ncell, line;
  array array[ROLE_COUNT];
  int ngroup, cap_group;
  group *group;
} piece;

typedef struct tag {
  const char *name, *attr, *stop; // attributes run from attr to stop
  size_t length;
  int close, empty; // </x>, <x/>
} tag;

typedef struct vtu {
  pl_load *in;
  int swap, wide, zlib; // header words of 8 bytes; compressed
  int npiece, cap_piece;
  piece *piece;
  int64_t npoint, ncell; // over all pieces
  tag open[DEPTH_MAX];
  int depth;
  array *current;       // array whose text is awaited
  const char *appended; // first byte behind the underscore, NULL: none
  int base64;           // encoding of the appended data
} vtu;

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

static int is_name(const tag *t, const char *name) {
  return t->length == strlen(name) && memcmp(t->name, name, t->length) == 0;
}

// reads the tag at '<'; a comment or a processing instruction gives length 0
static pl_status read_tag(pl_load *in, tag *t) {
  *t = (tag){.length = 0};
  if (begins(in, "<!--")) return skip_past(in, "-->");
  if (begins(in, "<?")) return skip_past(in, "?>");
  if (begins(in, "<!"))
    return pl_load_fail(in, NULL, "document types and CDATA are not read in VTU files");
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

// the value of an attribute; returns 0 when it is not there
static int attribute(const tag *t, const char *name, const char **value, size_t *n) {
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

static int attribute_is(const tag *t, const char *name, const char *want) {
  const char *value;
  size_t n;
  return attribute(t, name, &value, &n) && n == strlen(want) && memcmp(value, want, n) == 0;
}

static int attribute_int(const tag *t, const char *name, int64_t *out) {
  const char *value;
  size_t n;
  if (!attribute(t, name, &value, &n)) return 0;
  pl_load text = {.at = value, .end = value + n};
  return pl_scan_int(&text, out) && text.at == text.end && *out >= 0;
}

// ---- structure --------------------------------------------------------------------------------

static pl_status open_file(vtu *v, const tag *t) {
  pl_load *in = v->in;
  const char *value;
  size_t n;
  if (!attribute_is(t, "type", "UnstructuredGrid"))
    return pl_load_fail(in, "save it as an unstructured grid (.vtu)",
                        "the VTK file does not hold an UnstructuredGrid");
  const uint16_t one = 1;
  int host_little = *(const unsigned char *)&one;
  v->swap = attribute_is(t, "byte_order", "BigEndian") == host_little;
  v->wide = attribute_is(t, "header_type", "UInt64");
  if (attribute(t, "header_type", &value, &n) && !v->wide &&
      !attribute_is(t, "header_type", "UInt32"))
    return pl_load_fail(in, NULL, "header_type must be UInt32 or UInt64");
  v->zlib = attribute_is(t, "compressor", "vtkZLibDataCompressor");
  if (!v->zlib && attribute(t, "compressor", &value, &n) && n > 0)
    return pl_load_fail(in, "save it with zlib compression or with none",
                        "the file is compressed by something other than zlib");
  return PL_OK;
}

static pl_status open_piece(vtu *v, const tag *t) {
  pl_load *in = v->in;
  int64_t npoint, ncell;
  if (!attribute_int(t, "NumberOfPoints", &npoint) || !attribute_int(t, "NumberOfCells", &ncell))
    return pl_load_fail(in, NULL, "a Piece needs NumberOfPoints and NumberOfCells");
  if (npoint > in->most - v->npoint || ncell > PL_READ_MAX - v->ncell)
    return pl_load_fail(in, NULL, "%lld points and %lld cells; at most %d and %d",
                        (long long)npoint, (long long)ncell, in->most, PL_READ_MAX);
  v->npoint += npoint;
  v->ncell += ncell;
  v->current = NULL; // the pieces may move
  PL_TRY(pl_grow(in->env, &v->piece, v->npiece, &v->cap_piece, sizeof *v->piece));
  v->piece[v->npiece++] = (piece){.npoint = (int)npoint, .ncell = (int)ncell, .line = in->line};
  return PL_OK;
}

static pl_number number_type(const tag *t) {
  for (int k = 0; k < PL_NUMBER_COUNT; k++)
    if (attribute_is(t, "type", number_name[k])) return (pl_number)k;
  return PL_NUMBER_COUNT;
}

// n bytes of an attribute without what XML writes for its own characters; 0: too long, or empty
static int plain_name(const char *from, size_t n, char name[PL_READ_NAME + 1]) {
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

// room for an array that may tell groups, NULL: it tells none, or there is no memory
static group *new_group(vtu *v, const tag *t, pl_status *status) {
  static const char front[] = "group:";
  piece *p = &v->piece[v->npiece - 1];
  const char *value;
  size_t n;
  char name[PL_READ_NAME + 1];
  *status = PL_OK;
  if (!attribute(t, "Name", &value, &n)) return NULL;
  size_t skip = n > strlen(front) && memcmp(value, front, strlen(front)) == 0 ? strlen(front) : 0;
  // VTK's own numbers of cells and ghosts begin with its name
  if (!plain_name(value + skip, n - skip, name) || (!skip && strncmp(name, "vtk", 3) == 0))
    return NULL;
  *status = pl_grow(v->in->env, &p->group, p->ngroup, &p->cap_group, sizeof *p->group);
  if (*status != PL_OK) return NULL;
  group *g = &p->group[p->ngroup++];
  *g = (group){.on_cells = is_name(&v->open[v->depth - 1], "CellData")};
  memcpy(g->name, name, sizeof name);
  return g;
}

static pl_status open_array(vtu *v, const tag *t, role which) {
  pl_load *in = v->in;
  array a = {.line = in->line, .type = number_type(t)};
  if (a.type == PL_NUMBER_COUNT)
    return pl_load_fail(in, "Int8 to UInt64, Float32 or Float64", "array '%s': unknown number type",
                        role_name[which]);
  if (which != POINTS && a.type >= PL_F32)
    return pl_load_fail(in, NULL, "array '%s' must hold integers", role_name[which]);
  int64_t ncomp = 1;
  if (which == POINTS && (!attribute_int(t, "NumberOfComponents", &ncomp) || ncomp != 3))
    return pl_load_fail(in, NULL, "the points need 3 components, not %lld", (long long)ncomp);
  if (attribute_is(t, "format", "appended")) {
    a.form = APPENDED;
    if (!attribute_int(t, "offset", &a.offset))
      return pl_load_fail(in, NULL, "array '%s' has no valid offset", role_name[which]);
  } else if (attribute_is(t, "format", "binary")) {
    a.form = BINARY;
  } else if (!attribute_is(t, "format", "ascii")) {
    return pl_load_fail(in, "ascii, binary or appended", "array '%s': unknown format",
                        role_name[which]);
  }
  piece *p = &v->piece[v->npiece - 1];
  array *to = &p->array[which];
  if (which == GROUP) {
    pl_status s;
    group *g = new_group(v, t, &s);
    if (!g) return s;
    to = &g->array;
  }
  if (to->line) return pl_load_fail(in, NULL, "a second array '%s' in one Piece", role_name[which]);
  *to = a;
  if (!t->empty) v->current = to;
  return PL_OK;
}

// single integers
static int may_name_groups(const tag *t) {
  int64_t ncomp = 1;
  return number_type(t) < PL_F32 &&
         (!attribute_int(t, "NumberOfComponents", &ncomp) || ncomp <= 1) &&
         (attribute_is(t, "format", "ascii") || attribute_is(t, "format", "binary") ||
          attribute_is(t, "format", "appended"));
}

// which of our arrays a DataArray is, by where it stands and its name
static role array_role(const vtu *v, const tag *t) {
  if (v->depth < 2 || v->npiece == 0 || !is_name(&v->open[v->depth - 2], "Piece")) return NONE;
  const tag *parent = &v->open[v->depth - 1];
  if (is_name(parent, "Points")) return POINTS;
  if (is_name(parent, "PointData") || is_name(parent, "CellData"))
    return may_name_groups(t) ? GROUP : NONE;
  if (!is_name(parent, "Cells")) return NONE;
  for (int k = CONNECTIVITY; k < ROLE_COUNT; k++)
    if (attribute_is(t, "Name", role_name[k])) return (role)k;
  return NONE;
}

static pl_status open_appended(vtu *v, const tag *t) {
  pl_load *in = v->in;
  v->base64 = attribute_is(t, "encoding", "base64");
  if (!v->base64 && !attribute_is(t, "encoding", "raw"))
    return pl_load_fail(in, NULL, "the encoding of AppendedData must be raw or base64");
  if (!pl_skip_space(in) || *in->at != '_')
    return pl_load_fail(in, NULL, "AppendedData does not begin with an underscore");
  v->appended = in->at + 1;
  return PL_OK;
}

static pl_status open_tag(vtu *v, const tag *t) {
  pl_load *in = v->in;
  if (v->depth == 0 && !is_name(t, "VTKFile"))
    return pl_load_fail(in, NULL, "not a VTU file: the first tag is not VTKFile");
  if (v->depth == DEPTH_MAX) return pl_load_fail(in, NULL, "tags nested deeper than %d", DEPTH_MAX);
  if (v->depth == 0) {
    PL_TRY(open_file(v, t));
  } else if (is_name(t, "Piece")) {
    PL_TRY(open_piece(v, t));
  } else if (is_name(t, "DataArray") && array_role(v, t) != NONE) {
    PL_TRY(open_array(v, t, array_role(v, t)));
  } else if (is_name(t, "AppendedData")) {
    return open_appended(v, t);
  }
  if (!t->empty) v->open[v->depth++] = *t;
  return PL_OK;
}

static pl_status close_tag(vtu *v, const tag *t) {
  const tag *last = v->depth > 0 ? &v->open[v->depth - 1] : NULL;
  if (!last || last->length != t->length || memcmp(last->name, t->name, t->length) != 0)
    return pl_load_fail(v->in, NULL, "a closing tag that does not fit the open one");
  v->depth--;
  if (is_name(t, "DataArray")) v->current = NULL;
  return PL_OK;
}

// walks the tags up to the appended data or the end
static pl_status read_elements(vtu *v) {
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
    tag t;
    PL_TRY(read_tag(in, &t));
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

static pl_status cut_off(vtu *v, role which) {
  return pl_load_fail(v->in, "the file may be cut off",
                      "array '%s': its data end early or are not base64", role_name[which]);
}

static pl_status read_word(vtu *v, role which, source *s, uint64_t *out) {
  unsigned char b[8];
  int size = v->wide ? 8 : 4;
  if (!read_bytes(s, b, (size_t)size)) return cut_off(v, which);
  if (v->swap) swap_bytes(b, 1, size);
  uint32_t narrow;
  memcpy(&narrow, b, sizeof narrow);
  *out = narrow;
  if (v->wide) memcpy(out, b, sizeof *out);
  return PL_OK;
}

static pl_status wrong_size(vtu *v, role which, uint64_t got, uint64_t want) {
  return pl_load_fail(v->in, NULL, "array '%s' has %llu bytes, wanted %llu", role_name[which],
                      (unsigned long long)got, (unsigned long long)want);
}

static pl_status inflate_block(vtu *v, role which, source *s, uint64_t packed, unsigned char *out,
                               uint64_t want) {
  pl_env *env = v->in->env;
  if (packed > (uint64_t)(s->end - s->at) + 3) return cut_off(v, which);
  unsigned char *bytes = pl_alloc(env, packed, 1);
  if (!bytes) return PL_E_NOMEM;
  uLongf got = (uLongf)want;
  int ok = read_bytes(s, bytes, packed);
  int z = ok ? uncompress(out, &got, bytes, (uLong)packed) : Z_OK;
  pl_free(env, bytes);
  if (!ok) return cut_off(v, which);
  if (z == Z_MEM_ERROR) return pl_fail(env, PL_E_NOMEM, "out of memory in zlib");
  if (z != Z_OK || got != want)
    return pl_load_fail(v->in, NULL, "array '%s': a compressed block is damaged", role_name[which]);
  return PL_OK;
}

// head: blocks, bytes of a block, bytes of the last if it is shorter, packed bytes of each
static pl_status read_packed(vtu *v, role which, source *s, uint64_t bytes, unsigned char *out) {
  uint64_t nblock = 0, size = 0, last = 0, total = 0;
  PL_TRY(read_word(v, which, s, &nblock));
  PL_TRY(read_word(v, which, s, &size));
  PL_TRY(read_word(v, which, s, &last));
  // tiny blocks would cost far more to unpack than their bytes tell
  uint64_t left = (uint64_t)(s->end - s->at);
  if (nblock > left / 4 || (nblock > 1 && (size < BLOCK_MIN || size > bytes)) || last > size)
    return pl_load_fail(v->in, NULL, "array '%s': %llu compressed blocks of %llu bytes",
                        role_name[which], (unsigned long long)nblock, (unsigned long long)size);
  if (nblock > 0) total = last ? (nblock - 1) * size + last : nblock * size;
  if (total != bytes) return wrong_size(v, which, total, bytes);

  uint64_t *packed = pl_alloc(v->in->env, nblock, sizeof *packed);
  if (!packed) return PL_E_NOMEM;
  pl_status status = PL_OK;
  for (uint64_t k = 0; k < nblock && status == PL_OK; k++)
    status = read_word(v, which, s, &packed[k]);
  for (uint64_t k = 0; k < nblock && status == PL_OK; k++) {
    uint64_t n = k + 1 == nblock && last ? last : size;
    status = inflate_block(v, which, s, packed[k], out, n);
    out += n;
  }
  pl_free(v->in->env, packed);
  return status;
}

// ---- arrays -----------------------------------------------------------------------------------

static pl_status fetch_text(vtu *v, array *a, role which, int64_t count) {
  pl_load *in = v->in;
  pl_load text = *in;
  text.at = a->text;
  text.end = a->stop;
  if (count > (text.end - text.at + 1) / 2)
    return pl_load_fail(in, NULL, "array '%s' has fewer than %lld values", role_name[which],
                        (long long)count);
  int real = which == POINTS;
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
    return pl_load_fail(&text, NULL, "array '%s' has more than %lld values", role_name[which],
                        (long long)count);
  return PL_OK;
}

static pl_status fetch_bytes(vtu *v, array *a, role which, int64_t count) {
  pl_load *in = v->in;
  source s = {.at = a->text, .end = a->stop, .base64 = 1};
  if (a->form == APPENDED) {
    if (!v->appended) return pl_load_fail(in, NULL, "there is no AppendedData");
    if (a->offset > in->end - v->appended)
      return pl_load_fail(in, NULL, "array '%s': offset %lld is beyond the end", role_name[which],
                          (long long)a->offset);
    s = (source){.at = v->appended + a->offset, .end = in->end, .base64 = v->base64};
  }
  uint64_t bytes = (uint64_t)count * (uint64_t)pl_number_size[a->type];
  uint64_t left = (uint64_t)(s.end - s.at), got = bytes;
  if (!v->zlib) PL_TRY(read_word(v, which, &s, &got));
  if (got != bytes) return wrong_size(v, which, got, bytes);
  uint64_t times = !v->zlib ? 1 : which >= TYPES || bytes < FREE ? INFLATE_MAX : INFLATE_REAL;
  if (bytes > left * times)
    return pl_load_fail(in, NULL, "array '%s': %llu bytes cannot come from the %llu that are there",
                        role_name[which], (unsigned long long)bytes, (unsigned long long)left);
  a->data = pl_alloc(in->env, bytes, 1);
  if (!a->data) return PL_E_NOMEM;
  if (v->zlib)
    PL_TRY(read_packed(v, which, &s, bytes, a->data));
  else if (!read_bytes(&s, a->data, bytes))
    return cut_off(v, which);
  if (v->swap) swap_bytes(a->data, (size_t)count, pl_number_size[a->type]);
  return PL_OK;
}

static pl_status fetch_array(vtu *v, const piece *p, array *a, role which, int64_t count) {
  v->in->line = a->line ? a->line : p->line;
  if (!a->line)
    return pl_load_fail(v->in, NULL, "a Piece without the array '%s'", role_name[which]);
  // an array without text has no bytes to point at
  if (!a->text) a->text = a->stop = v->in->end;
  return a->form == ASCII ? fetch_text(v, a, which, count) : fetch_bytes(v, a, which, count);
}

static pl_status fetch(vtu *v, piece *p, role which, int64_t count) {
  return fetch_array(v, p, &p->array[which], which, count);
}

static double real_at(const array *a, int64_t i) {
  return pl_number_decode(a->type, (const char *)a->data + i * pl_number_size[a->type]);
}

// ---- groups -----------------------------------------------------------------------------------

// where a value is among those that differ, or would be
static int value_place(const group *g, double x) {
  int lo = 0, hi = g->nvalue;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (g->value[mid] < x)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

// the values that an array has; too many are no groups
static pl_status look_at_group(vtu *v, const piece *p, group *g) {
  int n = g->on_cells ? p->ncell : p->npoint;
  PL_TRY(fetch_array(v, p, &g->array, GROUP, n));
  for (int i = 0; i < n; i++) {
    double x = real_at(&g->array, i);
    int at = value_place(g, x);
    if (at < g->nvalue && g->value[at] == x) continue;
    if (g->nvalue == VALUES_MAX) {
      g->nvalue = 0;
      return PL_OK;
    }
    memmove(&g->value[at + 1], &g->value[at], (size_t)(g->nvalue - at) * sizeof *g->value);
    g->value[at] = x;
    g->nvalue++;
  }
  g->mask = g->nvalue > 0 && g->value[0] >= 0 && g->value[g->nvalue - 1] <= 1;
  return PL_OK;
}

// sets by the array's name, with the value behind it where it has others than 0 and 1
static pl_status name_groups(vtu *v, group *g) {
  for (int k = 0; k < g->nvalue; k++) {
    char name[PL_READ_NAME + 32];
    int n = snprintf(name, sizeof name, g->mask ? "%s" : "%s_%.15g", g->name, g->value[k]);
    g->set[k] = -1;
    if (g->mask && g->value[k] == 0) continue;
    PL_TRY(pl_load_name_set(v->in, name, (size_t)n, &g->set[k]));
  }
  return PL_OK;
}

// arrays of one name in several pieces are of one kind
static void agree(const vtu *v) {
  for (int a = 0; a < v->npiece; a++)
    for (int i = 0; i < v->piece[a].ngroup; i++)
      for (int b = 0; b < v->npiece; b++)
        for (int k = 0; k < v->piece[b].ngroup; k++) {
          const group *g = &v->piece[a].group[i];
          group *h = &v->piece[b].group[k];
          if (!g->mask && g->on_cells == h->on_cells && strcmp(g->name, h->name) == 0) h->mask = 0;
        }
}

static pl_status find_groups(vtu *v) {
  for (int k = 0; k < v->npiece; k++)
    for (int i = 0; i < v->piece[k].ngroup; i++)
      PL_TRY(look_at_group(v, &v->piece[k], &v->piece[k].group[i]));
  if (v->npiece > 1) agree(v);
  for (int k = 0; k < v->npiece; k++)
    for (int i = 0; i < v->piece[k].ngroup; i++) PL_TRY(name_groups(v, &v->piece[k].group[i]));
  return PL_OK;
}

// puts cell or point i of the piece, which is ours of that index, into its groups
static pl_status put_groups(vtu *v, const piece *p, int on_cells, int i, int list, int index) {
  for (int k = 0; k < p->ngroup; k++) {
    const group *g = &p->group[k];
    if (g->on_cells != on_cells || g->nvalue == 0) continue;
    int set = g->set[value_place(g, real_at(&g->array, i))];
    if (set >= 0) PL_TRY(pl_load_put(v->in, set, list, index, index + 1));
  }
  return PL_OK;
}

// ---- mesh -------------------------------------------------------------------------------------

// our type of a VTK cell, PL_READ_VERTEX for a vertex, which is passed over
static pl_status cell_type(vtu *v, int cell, double vtk, int *type, int *nvert) {
  static const struct {
    int vtk, type;
  } table[] = {{1, PL_READ_VERTEX},    {3, PL_SEG2},          {5, PL_TRI3},
               {9, PL_QUAD4},          {10, PL_TET4},         {12, PL_HEX8},
               {21, PL_SEG3},          {22, PL_TRI6},         {23, PL_QUAD8},
               {24, PL_TET10},         {25, PL_HEX20},        {13, PL_READ_WEDGE6},
               {14, PL_READ_PYRAMID5}, {26, PL_READ_WEDGE15}, {27, PL_READ_PYRAMID13}};
  for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
    if (table[k].vtk != vtk) continue;
    *type = table[k].type;
    *nvert = *type == PL_READ_VERTEX ? 1 : pl_load_nvert(*type);
    return PL_OK;
  }
  int high = vtk >= 21 && vtk <= 37;
  return pl_load_fail(
      v->in,
      high ? "of second order, types 21 to 27 are read"
           : "lines, triangles, quads, tetrahedra, hexahedra, prisms and pyramids are read",
      "cell %d is of VTK type %.15g%s", cell + 1, vtk,
      high ? ", an element of second or higher order" : "");
}

static pl_status add_cells(vtu *v, piece *p, int base) {
  pl_load *in = v->in;
  const array *connectivity = &p->array[CONNECTIVITY], *offsets = &p->array[OFFSETS];
  int64_t at = 0;
  for (int c = 0; c < p->ncell; c++) {
    int type = 0, nvert = 0, corner[PL_CELL_VERT_MAX];
    PL_TRY(cell_type(v, c, real_at(&p->array[TYPES], c), &type, &nvert));
    int64_t next = at + nvert;
    if (real_at(offsets, c) != (double)next)
      return pl_load_fail(in, NULL, "cell %d: its offset is %.15g, wanted %lld", c + 1,
                          real_at(offsets, c), (long long)next);
    for (int k = 0; k < nvert; k++) {
      double id = real_at(connectivity, at + k);
      if (!(id >= 0 && id < p->npoint))
        return pl_load_fail(in, NULL, "cell %d: point %.15g is out of range: there are %d", c + 1,
                            id, p->npoint);
      corner[k] = base + (int)id;
    }
    at = next;
    if (type == PL_READ_VERTEX) continue;
    PL_TRY(pl_load_cell(in, type, corner));
    PL_TRY(put_groups(v, p, 1, c, type, in->cell[type].n - 1));
  }
  return PL_OK;
}

static pl_status add_piece(vtu *v, piece *p) {
  pl_load *in = v->in;
  int base = in->nvert;
  int64_t ncorner = 0;
  PL_TRY(fetch(v, p, POINTS, 3 * (int64_t)p->npoint));
  for (int64_t i = 0; i < p->npoint; i++) {
    const array *a = &p->array[POINTS];
    PL_TRY(pl_load_vertex(in, real_at(a, 3 * i), real_at(a, 3 * i + 1), real_at(a, 3 * i + 2)));
    PL_TRY(put_groups(v, p, 0, (int)i, PL_READ_VERTEX, base + (int)i));
  }
  PL_TRY(fetch(v, p, TYPES, p->ncell));
  PL_TRY(fetch(v, p, OFFSETS, p->ncell));

  // the types say how long the connectivity must be
  v->in->line = p->array[TYPES].line;
  for (int c = 0; c < p->ncell; c++) {
    int type = 0, nvert = 0;
    PL_TRY(cell_type(v, c, real_at(&p->array[TYPES], c), &type, &nvert));
    ncorner += nvert;
  }
  PL_TRY(fetch(v, p, CONNECTIVITY, ncorner));
  return add_cells(v, p, base);
}

pl_status pl_read_vtu(pl_load *in) {
  vtu v = {.in = in};
  pl_status s = read_elements(&v);
  if (s == PL_OK && v.npiece == 0) s = pl_load_fail(in, NULL, "the grid has no Piece");
  if (s == PL_OK) s = find_groups(&v);
  for (int k = 0; k < v.npiece; k++) {
    if (s == PL_OK) s = add_piece(&v, &v.piece[k]);
    for (int r = 0; r < ROLE_COUNT; r++) pl_free(in->env, v.piece[k].array[r].data);
    for (int g = 0; g < v.piece[k].ngroup; g++) pl_free(in->env, v.piece[k].group[g].array.data);
    pl_free(in->env, v.piece[k].group);
  }
  pl_free(in->env, v.piece);
  return s;
}
