#include "read_impl.h"

#include <string.h>

// PLY, ASCII and both byte orders: vertices with x y z, faces as lists of vertex numbers, edges as
// vertex1 vertex2. Other elements and properties are passed over.

enum { ELEMENT_MAX = 32, PROPERTY_MAX = 256 };

static const struct {
  const char *name;
  pl_number type;
} number_names[] = {
    {"char", PL_I8},   {"int8", PL_I8},     {"uchar", PL_U8},   {"uint8", PL_U8},
    {"short", PL_I16}, {"int16", PL_I16},   {"ushort", PL_U16}, {"uint16", PL_U16},
    {"int", PL_I32},   {"int32", PL_I32},   {"uint", PL_U32},   {"uint32", PL_U32},
    {"float", PL_F32}, {"float32", PL_F32}, {"double", PL_F64}, {"float64", PL_F64}};

// what a property means to us
typedef enum role { PASS, X0, X1, X2, END0, END1, CORNERS, ROLE_COUNT } role;

typedef struct property {
  int list; // a list: count is the type of its length
  pl_number count, type;
  role role;
} property;

typedef enum kind { OTHER, VERTEX, FACE, EDGE, KIND_COUNT } kind;

typedef struct element {
  kind kind;
  int64_t n;
  int first, nprop;
} element;

typedef struct ply {
  pl_load *in;
  int binary, swap;
  int nelem, nprop;
  element elem[ELEMENT_MAX];
  property prop[PROPERTY_MAX];
  int nvert; // announced
} ply;

// one row of an element, as far as it matters
typedef struct row {
  double value[ROLE_COUNT];
  int n;
  int v[PL_READ_POLYGON];
} row;

// ---- header -----------------------------------------------------------------------------------

// fails when the header line holds no further word
static pl_status word_needed(pl_load *in, const char *what) {
  if (!pl_skip_blank(in)) return pl_load_fail(in, NULL, "the line ends before the %s", what);
  return PL_OK;
}

static pl_status read_type(pl_load *in, pl_number *out) {
  PL_TRY(word_needed(in, "type"));
  for (size_t k = 0; k < sizeof number_names / sizeof number_names[0]; k++) {
    if (!pl_word_is(in, number_names[k].name)) continue;
    *out = number_names[k].type;
    in->at += pl_word_length(in);
    return PL_OK;
  }
  char word[PL_READ_WORD];
  return pl_load_fail(in, "types are char uchar short ushort int uint float double",
                      "unknown type '%s'", pl_word_show(in, word));
}

static pl_status read_format(ply *p) {
  pl_load *in = p->in;
  char word[PL_READ_WORD];
  PL_TRY(word_needed(in, "format"));
  int little = pl_word_is(in, "binary_little_endian"), big = pl_word_is(in, "binary_big_endian");
  if (!little && !big && !pl_word_is(in, "ascii"))
    return pl_load_fail(in, "ascii, binary_little_endian or binary_big_endian",
                        "unknown PLY format '%s'", pl_word_show(in, word));
  // the first byte of 1 is 1 on a little-endian host
  const uint16_t one = 1;
  int host_little = *(const unsigned char *)&one;
  p->binary = little || big;
  p->swap = p->binary && little != host_little;
  in->at += pl_word_length(in);
  PL_TRY(word_needed(in, "version"));
  if (!pl_word_is(in, "1.0"))
    return pl_load_fail(in, NULL, "PLY version '%s'; only 1.0 is known", pl_word_show(in, word));
  return PL_OK;
}

static pl_status read_element(ply *p) {
  static const char *const names[KIND_COUNT] = {
      [VERTEX] = "vertex", [FACE] = "face", [EDGE] = "edge"};
  pl_load *in = p->in;
  char word[PL_READ_WORD];
  if (p->nelem == ELEMENT_MAX)
    return pl_load_fail(in, NULL, "more than %d kinds of element", ELEMENT_MAX);
  PL_TRY(word_needed(in, "element's name"));
  element e = {.first = p->nprop};
  for (int k = VERTEX; k < KIND_COUNT; k++)
    if (pl_word_is(in, names[k])) e.kind = (kind)k;
  if (pl_word_is(in, "tristrips"))
    return pl_load_fail(in, "save the model as triangles", "triangle strips are not read");
  in->at += pl_word_length(in);
  PL_TRY(word_needed(in, "element's count"));
  if (!pl_scan_int(in, &e.n) || e.n < 0)
    return pl_load_fail(in, NULL, "'%s' is not a count", pl_word_show(in, word));
  for (int k = 0; k < p->nelem; k++)
    if (e.kind != OTHER && p->elem[k].kind == e.kind)
      return pl_load_fail(in, NULL, "a second element '%s'", names[e.kind]);
  if (e.kind != OTHER && e.n > PL_READ_MAX)
    return pl_load_fail(in, NULL, "%lld of element '%s'; at most %d", (long long)e.n, names[e.kind],
                        PL_READ_MAX);
  // faces may come first, so their numbers are checked against the announced count
  if (e.kind == VERTEX) p->nvert = (int)e.n;
  p->elem[p->nelem++] = e;
  return PL_OK;
}

static pl_status read_property(ply *p) {
  static const struct {
    const char *name;
    kind kind;
    role role;
  } known[] = {{"x", VERTEX, X0},
               {"y", VERTEX, X1},
               {"z", VERTEX, X2},
               {"vertex1", EDGE, END0},
               {"vertex2", EDGE, END1},
               {"vertex_indices", FACE, CORNERS},
               {"vertex_index", FACE, CORNERS}};
  pl_load *in = p->in;
  if (p->nelem == 0) return pl_load_fail(in, NULL, "a property before any element");
  if (p->nprop == PROPERTY_MAX)
    return pl_load_fail(in, NULL, "more than %d properties", PROPERTY_MAX);
  property q = {0};
  element *e = &p->elem[p->nelem - 1];
  PL_TRY(word_needed(in, "type"));
  if (pl_word_is(in, "list")) {
    in->at += strlen("list");
    q.list = 1;
    PL_TRY(read_type(in, &q.count));
    if (q.count >= PL_F32) return pl_load_fail(in, NULL, "the length of a list must be an integer");
  }
  PL_TRY(read_type(in, &q.type));
  PL_TRY(word_needed(in, "property's name"));
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
    if (known[k].kind == e->kind && (known[k].role == CORNERS) == q.list &&
        pl_word_is(in, known[k].name))
      q.role = known[k].role;
  if ((q.role == CORNERS || q.role == END0 || q.role == END1) && q.type >= PL_F32)
    return pl_load_fail(in, NULL, "vertex numbers must be integers");
  if (q.role == PASS) {
    char word[PL_READ_WORD];
    pl_load_lost(in, NULL, "the property '%s' is left out", pl_word_show(in, word));
  }
  p->prop[p->nprop++] = q;
  e->nprop++;
  return PL_OK;
}

// lines of keywords up to end_header; the body starts at the next byte
static pl_status header(ply *p) {
  pl_load *in = p->in;
  int known = 0;
  if (!pl_word_is(in, "ply"))
    return pl_load_fail(in, NULL, "not a PLY file: it does not begin with 'ply'");
  for (pl_skip_line(in); pl_skip_space(in); pl_skip_line(in)) {
    char word[PL_READ_WORD];
    size_t n = pl_word_length(in);
    const char *at = in->at;
    if (pl_word_is(in, "end_header")) {
      pl_skip_line(in);
      if (!known) return pl_load_fail(in, NULL, "the header has no 'format' line");
      return PL_OK;
    }
    if (pl_word_is(in, "comment") || pl_word_is(in, "obj_info")) continue;
    if (pl_word_is(in, "format")) {
      in->at = at + n;
      PL_TRY(read_format(p));
      known = 1;
    } else if (pl_word_is(in, "element")) {
      in->at = at + n;
      PL_TRY(read_element(p));
    } else if (pl_word_is(in, "property")) {
      in->at = at + n;
      PL_TRY(read_property(p));
    } else {
      return pl_load_fail(in, NULL, "unknown header line '%s'", pl_word_show(in, word));
    }
  }
  return pl_load_fail(in, "the file may be cut off", "the header has no 'end_header'");
}

// ---- body -------------------------------------------------------------------------------------

static pl_status ended(pl_load *in) {
  return pl_load_fail(in, "the file may be cut off", "the file ends before its last element");
}

// the next number: a word of text, or the bytes of its type
static pl_status read_value(ply *p, pl_number type, double *out) {
  pl_load *in = p->in;
  if (!p->binary) {
    char word[PL_READ_WORD];
    if (!pl_skip_space(in)) return ended(in);
    if (!pl_scan_real(in, out))
      return pl_load_fail(in, NULL, "'%s' is not a number", pl_word_show(in, word));
    return PL_OK;
  }
  int n = pl_number_size[type];
  if (in->end - in->at < n) return ended(in);
  char bytes[8];
  for (int k = 0; k < n; k++) bytes[k] = in->at[p->swap ? n - 1 - k : k];
  in->at += n;
  *out = pl_number_decode(type, bytes);
  return PL_OK;
}

static pl_status vertex_number(ply *p, double value, int *v) {
  // written so that nan fails too; text files may hold fractions
  if (!(value >= 0 && value < p->nvert) || value != (double)(int)value)
    return pl_load_fail(p->in, NULL, "vertex %.15g is out of range: the file has %d %s", value,
                        p->nvert, pl_plural(p->nvert, "vertex", "vertices"));
  *v = (int)value;
  return PL_OK;
}

static pl_status read_list(ply *p, const property *q, row *r) {
  pl_load *in = p->in;
  double n, value;
  PL_TRY(read_value(p, q->count, &n));
  if (!(n >= 0 && n <= UINT32_MAX) || n != (double)(int64_t)n)
    return pl_load_fail(in, NULL, "a list of length %g", n);
  if (q->role == PASS && p->binary) {
    // passed over at once: its length is not bounded by what a polygon may have
    int64_t bytes = (int64_t)n * pl_number_size[q->type];
    if (in->end - in->at < bytes) return ended(in);
    in->at += bytes;
    return PL_OK;
  }
  // corners go into a row of fixed length
  if (q->role == CORNERS && n > PL_READ_POLYGON)
    return pl_load_fail(in, "triangulate the faces when exporting", "a face of %g vertices", n);
  for (int64_t k = 0; k < (int64_t)n; k++) {
    PL_TRY(read_value(p, q->type, &value));
    if (q->role == CORNERS) PL_TRY(vertex_number(p, value, &r->v[k]));
  }
  if (q->role == CORNERS) r->n = (int)n;
  return PL_OK;
}

// reads one row and adds the vertex, face or edge that it is
static pl_status read_row(ply *p, const element *e, row *r) {
  for (int k = e->first; k < e->first + e->nprop; k++) {
    const property *q = &p->prop[k];
    if (q->list)
      PL_TRY(read_list(p, q, r));
    else
      PL_TRY(read_value(p, q->type, &r->value[q->role]));
  }
  int v[2];
  switch (e->kind) {
  case VERTEX:
    return pl_load_vertex(p->in, r->value[X0], r->value[X1], r->value[X2]);
  case FACE:
    return pl_load_polygon(p->in, r->n, r->v);
  case EDGE:
    PL_TRY(vertex_number(p, r->value[END0], &v[0]));
    PL_TRY(vertex_number(p, r->value[END1], &v[1]));
    return pl_load_cell(p->in, PL_SEG2, v);
  default:
    return PL_OK;
  }
}

// An announced count must be possible: a row takes its fixed bytes, in text two per value.
static pl_status check_element(ply *p, const element *e) {
  static const unsigned need[KIND_COUNT] = {[VERTEX] = 1u << X0 | 1u << X1 | 1u << X2,
                                            [FACE] = 1u << CORNERS,
                                            [EDGE] = 1u << END0 | 1u << END1};
  static const char *const what[KIND_COUNT] = {"", "vertices lack x, y or z",
                                               "faces lack the list vertex_indices",
                                               "edges lack vertex1 or vertex2"};
  pl_load *in = p->in;
  unsigned have = 0;
  int64_t size = 0;
  for (int k = e->first; k < e->first + e->nprop; k++) {
    const property *q = &p->prop[k];
    have |= 1u << q->role;
    size += p->binary ? pl_number_size[q->list ? q->count : q->type] : 2;
  }
  if ((have & need[e->kind]) != need[e->kind] && e->n > 0)
    return pl_load_fail(in, NULL, "the %s", what[e->kind]);

  // the last number of a text needs no space behind it
  int64_t left = in->end - in->at + !p->binary;
  if (size > 0 && e->n > left / size)
    return pl_load_fail(in, "the file may be cut off",
                        "the header announces %lld rows of at least %lld bytes, but %lld bytes are "
                        "left",
                        (long long)e->n, (long long)size, (long long)left);
  return PL_OK;
}

pl_status pl_read_ply(pl_load *in) {
  ply p = {.in = in};
  row r = {.n = 0};
  PL_TRY(header(&p));
  if (p.binary) in->line = 0;
  for (int k = 0; k < p.nelem; k++) {
    const element *e = &p.elem[k];
    PL_TRY(check_element(&p, e));
    // rows without properties take no bytes
    for (int64_t i = 0; i < e->n && e->nprop > 0; i++) PL_TRY(read_row(&p, e, &r));
  }
  return PL_OK;
}
