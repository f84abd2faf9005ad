#include "npz_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

// ZIP files of NPY files as NumPy writes them: stored or deflated. Sizes are those of the directory
// at the end; nothing is unpacked that could not come from the bytes that are there.

enum {
  END_SIZE = 22, // of the record at the end without its remark
  END_REMARK = 65535,
  LOCATOR_SIZE = 20, // of ZIP64, before it
  END64_SIZE = 56,
  CENTRAL_SIZE = 46,
  LOCAL_SIZE = 30,
  MEMBERS_MAX = 200000,
  STORED = 0,
  DEFLATED = 8,
  // deflate cannot pass 1032 to 1; coordinates and numbers of vertices do not come near it
  RATIO_MAX = 1040,
  RATIO_TIGHT = 200,
  FREE = 1 << 20, // bytes that are not worth a doubt
  HEADER_MAX = 65535
};
static const uint64_t LIMIT32 = 0xffffffff;

static uint64_t little(const char *p, int n) {
  uint64_t v = 0;
  for (int k = n; k-- > 0;) v = v << 8 | (unsigned char)p[k];
  return v;
}

// ---- directory ----------------------------------------------------------------------------------

static pl_status damaged(pl_load *in, size_t at, const char *what) {
  in->line = 0;
  in->at = in->begin + at;
  return pl_load_fail(in, "the file may be cut off", "a damaged ZIP file: %s", what);
}

// where the directory begins, and how many entries it has
static pl_status find_directory(pl_load *in, uint64_t *at, uint64_t *n) {
  size_t size = (size_t)(in->end - in->begin);
  const char *end = NULL;
  for (size_t back = END_SIZE; back <= size && back <= END_SIZE + END_REMARK && !end; back++) {
    const char *p = in->end - back;
    if (memcmp(p, "PK\5\6", 4) == 0 && little(p + 20, 2) == back - END_SIZE) end = p;
  }
  if (!end) return damaged(in, size, "it has no directory at its end");
  *n = little(end + 10, 2);
  *at = little(end + 16, 4);
  if (*n < 0xffff && *at < LIMIT32 && little(end + 12, 4) < LIMIT32) return PL_OK;
  const char *locator = end - LOCATOR_SIZE;
  if (end - in->begin < LOCATOR_SIZE || memcmp(locator, "PK\6\7", 4) != 0) return PL_OK;
  uint64_t where = little(locator + 8, 8);
  if (size < END64_SIZE || where > size - END64_SIZE || memcmp(in->begin + where, "PK\6\6", 4) != 0)
    return damaged(in, (size_t)(locator - in->begin), "its directory is not where it says");
  *n = little(in->begin + where + 32, 8);
  *at = little(in->begin + where + 48, 8);
  return PL_OK;
}

// sizes and place beyond 32 bits stand behind the name
static void read_zip64(const char *p, size_t n, npz_member *m) {
  uint64_t *wide[3] = {&m->size, &m->packed, &m->at};
  while (n >= 4) {
    size_t length = (size_t)little(p + 2, 2);
    if (length > n - 4) return;
    const char *from = p + 4;
    for (int k = 0; k < 3 && little(p, 2) == 1; k++) {
      if (*wide[k] != LIMIT32) continue;
      if (p + 4 + length - from < 8) return;
      *wide[k] = little(from, 8);
      from += 8;
    }
    p += 4 + length;
    n -= 4 + length;
  }
}

static pl_status read_entry(pl_load *in, uint64_t *at, npz_member *m) {
  size_t size = (size_t)(in->end - in->begin);
  const char *p = in->begin + *at;
  if (size - *at < CENTRAL_SIZE || memcmp(p, "PK\1\2", 4) != 0)
    return damaged(in, (size_t)*at, "an entry of its directory is none");
  size_t name = (size_t)little(p + 28, 2), extra = (size_t)little(p + 30, 2),
         all = CENTRAL_SIZE + name + extra + (size_t)little(p + 32, 2);
  if (all > size - *at) return damaged(in, (size_t)*at, "its directory ends early");
  *m = (npz_member){.name = p + CENTRAL_SIZE,
                    .n = name,
                    .method = (int)little(p + 10, 2),
                    .crc = (uint32_t)little(p + 16, 4),
                    .packed = little(p + 20, 4),
                    .size = little(p + 24, 4),
                    .at = little(p + 42, 4)};
  read_zip64(p + CENTRAL_SIZE + name, extra, m);
  if (name > 4 && memcmp(m->name + name - 4, ".npy", 4) == 0) m->n -= 4;
  if (little(p + 8, 2) & 1)
    return pl_load_fail(in, NULL, "the array '%.*s' is encrypted", (int)m->n, m->name);
  *at += all;
  return PL_OK;
}

pl_status npz_open(pl_load *in, npz *z) {
  uint64_t at = 0, n = 0, size = (uint64_t)(in->end - in->begin), packed = 0;
  *z = (npz){.in = in};
  in->line = 0;
  in->at = in->begin;
  PL_TRY(find_directory(in, &at, &n));
  if (at > size || n > (size - at) / CENTRAL_SIZE || n > MEMBERS_MAX)
    return damaged(in, (size_t)size, "its directory says more than is there");
  z->member = pl_alloc(in->env, (size_t)n, sizeof *z->member);
  if (!z->member) return PL_E_NOMEM;
  for (; z->n < (int)n; z->n++) {
    npz_member *m = &z->member[z->n];
    PL_TRY(read_entry(in, &at, m));
    // arrays that lie on each other would unpack to more than the file can hold
    if (m->packed > size - packed)
      return damaged(in, (size_t)size, "its arrays are larger than the file");
    packed += m->packed;
  }
  return PL_OK;
}

void npz_close(npz *z) {
  pl_free(z->in->env, z->member);
}

npz_member *npz_find(const npz *z, const char *name) {
  for (int k = 0; k < z->n; k++)
    if (z->member[k].n == strlen(name) && memcmp(z->member[k].name, name, z->member[k].n) == 0)
      return &z->member[k];
  return NULL;
}

pl_status npz_fail(npz *z, const npz_member *m, const char *hint, const char *fmt, ...) {
  char text[PL_TEXT], name[PL_TEXT / 2], shown[PL_TEXT / 2];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  snprintf(name, sizeof name, "%.*s", m->n > 200 ? 200 : (int)m->n, m->name);
  return pl_fail_at(z->in->env, PL_E_INPUT, z->in->name, 0, 0, hint, "array '%s': %s",
                    pl_printable(name, shown, sizeof shown), text);
}

// ---- unpacking ----------------------------------------------------------------------------------

typedef struct unpacking {
  npz *z;
  const npz_member *m;
  const char *from; // packed bytes
  int inflating;
  z_stream stream;
  uint64_t left; // of the member, unpacked
  uint32_t crc;
} unpacking;

static void *zlib_alloc(void *env, unsigned count, unsigned size) {
  return pl_alloc(env, count, size);
}

static void zlib_free(void *env, void *p) {
  pl_free(env, p);
}

static pl_status unpack_open(unpacking *u) {
  const pl_load *in = u->z->in;
  const npz_member *m = u->m;
  uint64_t size = (uint64_t)(in->end - in->begin);
  if (m->at > size || size - m->at < LOCAL_SIZE || memcmp(in->begin + m->at, "PK\3\4", 4) != 0)
    return npz_fail(u->z, m, "the file may be cut off", "it is not where the directory says");
  uint64_t from =
      m->at + LOCAL_SIZE + little(in->begin + m->at + 26, 2) + little(in->begin + m->at + 28, 2);
  if (from > size || m->packed > size - from)
    return npz_fail(u->z, m, "the file may be cut off", "it ends early");
  if (m->method != STORED && m->method != DEFLATED)
    return npz_fail(u->z, m, "write it with numpy.savez or savez_compressed",
                    "packed by method %d; only stored and deflated ones are read", m->method);
  if (m->method == STORED ? m->size != m->packed : m->size / RATIO_MAX > m->packed)
    return npz_fail(u->z, m, NULL, "%llu bytes cannot come from the %llu that are there",
                    (unsigned long long)m->size, (unsigned long long)m->packed);
  u->from = in->begin + from;
  u->left = m->size;
  if (m->method == STORED) return PL_OK;
  u->stream = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = in->env};
  if (inflateInit2(&u->stream, -15) != Z_OK) return PL_E_NOMEM;
  u->inflating = 1;
  return PL_OK;
}

static pl_status unpack(unpacking *u, void *out, uint64_t n) {
  unsigned char *to = out;
  if (n > u->left) return npz_fail(u->z, u->m, "the file may be cut off", "it ends early");
  u->left -= n;
  const char *stop = u->z->in->end;
  while (n > 0) {
    unsigned now = n < 1u << 30 ? (unsigned)n : 1u << 30;
    if (!u->inflating) {
      memcpy(to, u->from, now);
      u->from += now;
    } else {
      // the file may be larger than what zlib takes at a time
      uint64_t rest = (uint64_t)(stop - u->from);
      unsigned feed = rest < 1u << 30 ? (unsigned)rest : 1u << 30;
      u->stream.next_in = (unsigned char *)u->from; // read only
      u->stream.avail_in = feed;
      u->stream.next_out = to;
      u->stream.avail_out = now;
      int z = inflate(&u->stream, Z_NO_FLUSH);
      unsigned got = now - u->stream.avail_out;
      u->from += feed - u->stream.avail_in;
      if (z == Z_MEM_ERROR) return pl_fail(u->z->in->env, PL_E_NOMEM, "out of memory in zlib");
      if ((z != Z_OK && z != Z_STREAM_END) || got == 0)
        return npz_fail(u->z, u->m, NULL, "its packed bytes are damaged");
      now = got;
    }
    u->crc = (uint32_t)crc32(u->crc, to, now);
    to += now;
    n -= now;
  }
  return PL_OK;
}

// ---- arrays -------------------------------------------------------------------------------------

// what stands behind a key of the header, which is a Python dictionary of one line
static const char *value_of(const char *text, const char *key) {
  const char *p = strstr(text, key);
  if (!p) return NULL;
  p += strlen(key);
  while (*p == ' ') p++;
  if (*p++ != ':') return NULL;
  while (*p == ' ') p++;
  return p;
}

// '<f8' and the like
static int read_type(const char *p, npz_array *a) {
  static const struct {
    const char *name;
    pl_number type;
  } table[] = {{"i1", PL_I8},  {"u1", PL_U8},  {"b1", PL_U8},  {"i2", PL_I16},
               {"u2", PL_U16}, {"i4", PL_I32}, {"u4", PL_U32}, {"i8", PL_I64},
               {"u8", PL_U64}, {"f4", PL_F32}, {"f8", PL_F64}};
  static const union {
    uint16_t word;
    char byte;
  } one = {1};
  if (*p++ != '\'' || !strchr("<>|=", *p)) return 0;
  a->swap = (*p == '<' && !one.byte) || (*p == '>' && one.byte);
  p++;
  a->type = PL_NUMBER_COUNT;
  if (*p == 'U') {
    for (p++; *p >= '0' && *p <= '9' && a->letters < 100000; p++)
      a->letters = 10 * a->letters + (*p - '0');
    return *p == '\'' && a->letters > 0;
  }
  for (size_t k = 0; k < sizeof table / sizeof table[0]; k++)
    if (strncmp(p, table[k].name, 2) == 0 && p[2] == '\'') {
      a->type = table[k].type;
      return 1;
    }
  return 0;
}

// (3, 4) and the like; () is one number
static int read_shape(const char *p, npz_array *a) {
  a->count = 1;
  if (*p++ != '(') return 0;
  for (;;) {
    while (*p == ' ') p++;
    if (*p == ')') return 1;
    if (a->ndim == NPZ_DIMS || *p < '0' || *p > '9') return 0;
    int64_t n = 0;
    for (; *p >= '0' && *p <= '9' && n < (int64_t)1 << 40; p++) n = 10 * n + (*p - '0');
    a->shape[a->ndim++] = n;
    if (n > 0 && a->count > ((int64_t)1 << 50) / n) return 0;
    a->count *= n;
    while (*p == ' ' || *p == 'L') p++; // Python 2 wrote long numbers so
    if (*p == ',') p++;
  }
}

static pl_status read_header(unpacking *u, npz_array *a) {
  unsigned char magic[12];
  npz *z = u->z;
  PL_TRY(unpack(u, magic, 8));
  if (memcmp(magic, "\x93NUMPY", 6) != 0 || magic[6] < 1 || magic[6] > 3)
    return npz_fail(z, u->m, NULL, "it is not in NumPy's format NPY");
  int wide = magic[6] > 1 ? 4 : 2;
  PL_TRY(unpack(u, magic + 8, (uint64_t)wide));
  uint64_t n = little((char *)magic + 8, wide);
  if (n > HEADER_MAX)
    return npz_fail(z, u->m, NULL, "a header of %llu bytes", (unsigned long long)n);
  char *text = pl_alloc(z->in->env, n + 1, 1);
  if (!text) return PL_E_NOMEM;
  pl_status s = unpack(u, text, n);
  const char *type = value_of(text, "'descr'"), *shape = value_of(text, "'shape'"),
             *fortran = value_of(text, "'fortran_order'");
  if (s == PL_OK && (!type || !shape || !fortran || !read_shape(shape, a)))
    s = npz_fail(z, u->m, NULL, "its header is not understood");
  if (s == PL_OK && !read_type(type, a))
    s = npz_fail(z, u->m, "float64, float32, integers and booleans are read",
                 "numbers of type %.20s are not read", type);
  if (s == PL_OK) a->fortran = strncmp(fortran, "True", 4) == 0;
  pl_free(z->in->env, text);
  return s;
}

static void swap_bytes(char *p, uint64_t n, int size) {
  for (uint64_t i = 0; i < n; i++, p += size)
    for (int k = 0; k < size / 2; k++) {
      char c = p[k];
      p[k] = p[size - 1 - k];
      p[size - 1 - k] = c;
    }
}

static pl_status fetch(unpacking *u, int tight, npz_array *a) {
  npz *z = u->z;
  PL_TRY(unpack_open(u));
  PL_TRY(read_header(u, a));
  int letters = a->type == PL_NUMBER_COUNT, size = letters ? 4 : pl_number_size[a->type];
  uint64_t count = (uint64_t)a->count * (uint64_t)(letters ? a->letters : 1),
           bytes = count * (uint64_t)size;
  if (bytes != u->left)
    return npz_fail(z, u->m, "the file may be cut off", "%llu bytes of numbers, wanted %llu",
                    (unsigned long long)u->left, (unsigned long long)bytes);
  if (tight && bytes > FREE && bytes / RATIO_TIGHT > u->m->packed)
    return npz_fail(z, u->m, NULL, "%llu bytes cannot come from the %llu that are there",
                    (unsigned long long)bytes, (unsigned long long)u->m->packed);
  a->data = pl_alloc(z->in->env, bytes, 1);
  if (!a->data) return PL_E_NOMEM;
  PL_TRY(unpack(u, a->data, bytes));
  if (u->crc != u->m->crc) return npz_fail(z, u->m, NULL, "its checksum is wrong");
  if (a->swap) swap_bytes(a->data, count, size);
  return PL_OK;
}

pl_status npz_fetch(npz *z, npz_member *m, int tight, npz_array *a) {
  unpacking u = {.z = z, .m = m};
  *a = (npz_array){.count = 0};
  m->used = 1;
  pl_status s = fetch(&u, tight, a);
  if (u.inflating) inflateEnd(&u.stream);
  if (s != PL_OK) {
    pl_free(z->in->env, a->data);
    a->data = NULL;
  }
  return s;
}

double npz_value(const npz_array *a, int64_t i, int64_t j) {
  int64_t cols = a->ndim > 1 ? a->shape[1] : 1,
          at = a->fortran ? j * a->shape[0] + i : i * cols + j;
  return pl_number_decode(a->type, a->data + at * pl_number_size[a->type]);
}
