#include "pliant/mesh.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

// NumPy's files of arrays: a ZIP of NPY files, each deflated. Sizes are not known when an entry
// begins, so its local header always has the fields of ZIP64, and is written again at its end.

enum {
  NPZ_CHUNK = 1 << 18,
  LOCAL_SIZE = 30,     // of a local header before its name
  CENTRAL_SIZE = 46,   // of an entry of the directory before its name
  EXTRA_SIZE = 4 + 16, // ZIP64: both sizes
  VERSION_ZIP64 = 45,  // of the format
  FLAG_UTF8 = 1 << 11, // of the name
  DEFLATED = 8,
  DATE_1980 = 1 << 5 | 1, // first of January: the same file for the same arrays
  NAME_MOST = 1000
};
static const uint64_t LIMIT32 = 0xffffffff;

typedef struct entry {
  char *name;
  uint64_t at, packed, size; // of its local header; bytes in the file and of the array
  uint32_t crc;
} entry;

struct pl_npz {
  pl_env *env;
  char *path, *part; // part: what it is called until it is whole
  FILE *file;
  pl_status status; // of the first failure
  int n, cap, open;
  entry *entry;
  uint64_t want; // bytes of the array that are still to come
  z_stream z;
  unsigned char out[NPZ_CHUNK];
};

// ---- bytes --------------------------------------------------------------------------------------

static char *put_little(char *p, uint64_t v, int n) {
  for (int k = 0; k < n; k++) *p++ = (char)(v >> 8 * k & 255);
  return p;
}

static pl_status io(pl_npz *z) {
  if (z->status == PL_OK)
    z->status = pl_fail_at(z->env, PL_E_IO, z->path, 0, 0, NULL, "cannot write: %s",
                           strerror(errno ? errno : EIO));
  return z->status;
}

static pl_status put(pl_npz *z, const void *data, size_t n) {
  if (z->status == PL_OK && n > 0 && fwrite(data, 1, n, z->file) != n) return io(z);
  return z->status;
}

static pl_status put_local(pl_npz *z, const entry *e) {
  char head[LOCAL_SIZE + EXTRA_SIZE], *p = head;
  size_t n = strlen(e->name);
  p = put_little(p, 0x04034b50, 4);
  p = put_little(p, VERSION_ZIP64, 2);
  p = put_little(p, FLAG_UTF8, 2);
  p = put_little(p, DEFLATED, 2);
  p = put_little(p, 0, 2);
  p = put_little(p, DATE_1980, 2);
  p = put_little(p, e->crc, 4);
  p = put_little(p, LIMIT32, 4); // see the ZIP64 fields
  p = put_little(p, LIMIT32, 4);
  p = put_little(p, n, 2);
  p = put_little(p, EXTRA_SIZE, 2);
  PL_TRY(put(z, head, (size_t)(p - head)));
  PL_TRY(put(z, e->name, n));
  p = put_little(head, 1, 2);
  p = put_little(p, EXTRA_SIZE - 4, 2);
  p = put_little(p, e->size, 8);
  p = put_little(p, e->packed, 8);
  return put(z, head, (size_t)(p - head));
}

// an entry of the directory; what does not fit into 32 bits goes into its ZIP64 fields
static pl_status put_central(pl_npz *z, const entry *e) {
  char extra[4 + 24], *x = extra + 4;
  const uint64_t wide[3] = {e->size, e->packed, e->at};
  for (int k = 0; k < 3; k++)
    if (wide[k] >= LIMIT32) x = put_little(x, wide[k], 8);
  size_t nextra = x == extra + 4 ? 0 : (size_t)(x - extra), n = strlen(e->name);
  put_little(put_little(extra, 1, 2), nextra - 4, 2);
  char head[CENTRAL_SIZE], *p = head;
  p = put_little(p, 0x02014b50, 4);
  p = put_little(p, 3 << 8 | VERSION_ZIP64, 2); // made on Unix
  p = put_little(p, VERSION_ZIP64, 2);
  p = put_little(p, FLAG_UTF8, 2);
  p = put_little(p, DEFLATED, 2);
  p = put_little(p, 0, 2);
  p = put_little(p, DATE_1980, 2);
  p = put_little(p, e->crc, 4);
  p = put_little(p, e->packed < LIMIT32 ? e->packed : LIMIT32, 4);
  p = put_little(p, e->size < LIMIT32 ? e->size : LIMIT32, 4);
  p = put_little(p, n, 2);
  p = put_little(p, nextra, 2);
  p = put_little(p, 0, 2);                // no remark
  p = put_little(p, 0, 2);                // disk
  p = put_little(p, 0, 2);                // not text
  p = put_little(p, 0100644ull << 16, 4); // who may read it
  p = put_little(p, e->at < LIMIT32 ? e->at : LIMIT32, 4);
  PL_TRY(put(z, head, (size_t)(p - head)));
  PL_TRY(put(z, e->name, n));
  return put(z, extra, nextra);
}

static pl_status put_directory(pl_npz *z) {
  off_t at = ftello(z->file);
  for (int k = 0; k < z->n; k++) PL_TRY(put_central(z, &z->entry[k]));
  off_t end = ftello(z->file);
  if (at < 0 || end < 0) return io(z);
  uint64_t n = (uint64_t)z->n, size = (uint64_t)(end - at), from = (uint64_t)at;
  char head[76 + 22], *p = head;
  if (n >= 0xffff || size >= LIMIT32 || from >= LIMIT32) {
    p = put_little(p, 0x06064b50, 4);
    p = put_little(p, 44, 8); // bytes behind this
    p = put_little(p, 3 << 8 | VERSION_ZIP64, 2);
    p = put_little(p, VERSION_ZIP64, 2);
    p = put_little(p, 0, 8); // disks
    p = put_little(p, n, 8);
    p = put_little(p, n, 8);
    p = put_little(p, size, 8);
    p = put_little(p, from, 8);
    p = put_little(p, 0x07064b50, 4);
    p = put_little(p, 0, 4);
    p = put_little(p, (uint64_t)end, 8);
    p = put_little(p, 1, 4);
  }
  p = put_little(p, 0x06054b50, 4);
  p = put_little(p, 0, 4);
  p = put_little(p, n < 0xffff ? n : 0xffff, 2);
  p = put_little(p, n < 0xffff ? n : 0xffff, 2);
  p = put_little(p, size < LIMIT32 ? size : LIMIT32, 4);
  p = put_little(p, from < LIMIT32 ? from : LIMIT32, 4);
  p = put_little(p, 0, 2);
  return put(z, head, (size_t)(p - head));
}

// ---- arrays -------------------------------------------------------------------------------------

pl_status pl_npz_create(pl_env *env, const char *path, pl_npz **out) {
  *out = NULL;
  pl_npz *z = pl_alloc(env, 1, sizeof *z);
  if (!z) return PL_E_NOMEM;
  size_t n = strlen(path) + 32;
  z->env = env;
  z->path = pl_strdup(env, path);
  z->part = pl_alloc(env, n, 1);
  pl_status s = z->path && z->part ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK && env->file) env->file(env->file_ctx, path);
  if (s == PL_OK) {
    snprintf(z->part, n, "%s.tmp%ld", path, (long)getpid());
    z->file = fopen(z->part, "wbe");
    if (!z->file) s = io(z);
  }
  if (s != PL_OK) {
    pl_npz_close(z, 0);
    return s;
  }
  *out = z;
  return PL_OK;
}

// zlib's own memory counts, too
static void *zlib_alloc(void *env, unsigned count, unsigned size) {
  return pl_alloc(env, count, size);
}

static void zlib_free(void *env, void *p) {
  pl_free(env, p);
}

static pl_status deflate_some(pl_npz *z, const void *data, size_t n, int last) {
  entry *e = &z->entry[z->n - 1];
  const unsigned char *from = data;
  do {
    unsigned now = n > NPZ_CHUNK ? NPZ_CHUNK : (unsigned)n;
    e->crc = (uint32_t)crc32(e->crc, from, now);
    e->size += now;
    z->z.next_in = (unsigned char *)from; // read only
    z->z.avail_in = now;
    from += now;
    n -= now;
    do {
      z->z.next_out = z->out;
      z->z.avail_out = NPZ_CHUNK;
      deflate(&z->z, last && n == 0 ? Z_FINISH : Z_NO_FLUSH);
      size_t got = NPZ_CHUNK - z->z.avail_out;
      e->packed += got;
      PL_TRY(put(z, z->out, got));
    } while (z->z.avail_out == 0);
  } while (n > 0);
  return PL_OK;
}

// NPY's own header: its length makes the data begin at a multiple of 64
static pl_status put_header(pl_npz *z, const char *type, int ndim, const int64_t *shape) {
  static const union {
    uint16_t word;
    char byte;
  } one = {1};
  char text[256];
  int n = snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                   strcmp(type, "u1") == 0 ? '|'
                   : one.byte              ? '<'
                                           : '>',
                   type);
  for (int k = 0; k < ndim; k++)
    n += snprintf(text + n, sizeof text - (size_t)n, "%s%lld%s", k ? " " : "", (long long)shape[k],
                  k + 1 < ndim || ndim == 1 ? "," : "");
  n += snprintf(text + n, sizeof text - (size_t)n, "), }");
  while ((10 + n + 1) % 64) text[n++] = ' ';
  text[n++] = '\n';
  char magic[10] = "\x93NUMPY\x01";
  put_little(magic + 8, (uint64_t)n, 2);
  PL_TRY(deflate_some(z, magic, sizeof magic, 0));
  return deflate_some(z, text, (size_t)n, 0);
}

// bytes of a number of a type; of texts four to a letter
static uint64_t type_size(const char *type) {
  uint64_t n = 0;
  for (const char *p = type + 1; *p >= '0' && *p <= '9'; p++) n = 10 * n + (uint64_t)(*p - '0');
  return type[0] == 'U' ? 4 * n : n;
}

pl_status pl_npz_begin(pl_npz *z, const char *name, const char *type, int ndim,
                       const int64_t *shape) {
  if (z->status != PL_OK) return z->status;
  PL_ASSERT(!z->open && ndim <= 3);
  if (strlen(name) > NAME_MOST)
    return z->status = pl_fail_at(z->env, PL_E_INPUT, z->path, 0, 0, NULL,
                                  "the name of an array has more than %d bytes", NAME_MOST);
  if ((z->status = pl_grow(z->env, &z->entry, z->n, &z->cap, sizeof *z->entry)) != PL_OK)
    return z->status;
  char *file = pl_alloc(z->env, strlen(name) + 5, 1);
  if (!file) return z->status = PL_E_NOMEM;
  sprintf(file, "%s.npy", name);
  off_t at = ftello(z->file);
  z->entry[z->n++] = (entry){.name = file, .at = (uint64_t)at};
  if (at < 0) return io(z);
  z->want = type_size(type);
  for (int k = 0; k < ndim; k++) z->want *= (uint64_t)shape[k];
  PL_TRY(put_local(z, &z->entry[z->n - 1]));
  z->z = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = z->env};
  // a raw stream; the fastest level, as numbers give little to the slower ones
  if (deflateInit2(&z->z, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return z->status = PL_E_NOMEM;
  z->open = 1;
  return put_header(z, type, ndim, shape);
}

pl_status pl_npz_add(pl_npz *z, const void *data, size_t bytes) {
  if (z->status != PL_OK || bytes == 0) return z->status;
  PL_ASSERT(z->open && bytes <= z->want);
  z->want -= bytes;
  return deflate_some(z, data, bytes, 0);
}

pl_status pl_npz_end(pl_npz *z) {
  if (z->status != PL_OK) return z->status;
  PL_ASSERT(z->open && z->want == 0);
  entry *e = &z->entry[z->n - 1];
  PL_TRY(deflate_some(z, "", 0, 1));
  deflateEnd(&z->z);
  z->open = 0;
  // now the sizes are known
  if (fseeko(z->file, (off_t)e->at, SEEK_SET) != 0) return io(z);
  PL_TRY(put_local(z, e));
  return fseeko(z->file, 0, SEEK_END) == 0 ? PL_OK : io(z);
}

pl_status pl_npz_put(pl_npz *z, const char *name, const char *type, int ndim, const int64_t *shape,
                     const void *data) {
  PL_TRY(pl_npz_begin(z, name, type, ndim, shape));
  PL_TRY(pl_npz_add(z, data, z->want));
  return pl_npz_end(z);
}

// letters of UTF-8 as NumPy has them, four bytes each; bytes that are none become '?'
static int to_letters(const char *s, uint32_t *out) {
  int count = 0;
  for (size_t n = strlen(s); n > 0; count++) {
    size_t k = pl_utf8_length(s, n);
    uint32_t letter = (unsigned char)*s;
    if (k == 0) {
      k = 1;
      letter = '?';
    } else if (k > 1) {
      letter &= 0xffu >> (k + 1);
      for (size_t i = 1; i < k; i++) letter = letter << 6 | ((unsigned char)s[i] & 63);
    }
    if (out) out[count] = letter;
    s += k;
    n -= k;
  }
  return count;
}

pl_status pl_npz_text(pl_npz *z, const char *name, int n, const char *const *text) {
  int most = 1, many = n < 0 ? 1 : n;
  for (int k = 0; k < many; k++) {
    int length = to_letters(text[k], NULL);
    if (length > most) most = length;
  }
  char type[16];
  snprintf(type, sizeof type, "U%d", most);
  uint32_t *all = pl_alloc(z->env, (size_t)many, (size_t)most * sizeof *all);
  if (!all) return z->status = PL_E_NOMEM;
  for (int k = 0; k < many; k++) to_letters(text[k], all + (size_t)k * (size_t)most);
  pl_status s = pl_npz_put(z, name, type, n < 0 ? 0 : 1, (int64_t[]){n}, all);
  pl_free(z->env, all);
  return s;
}

pl_status pl_npz_close(pl_npz *z, int keep) {
  if (!z) return PL_OK;
  pl_status s = z->status;
  if (z->open) deflateEnd(&z->z);
  if (s == PL_OK && keep) s = put_directory(z);
  if (z->file && fclose(z->file) != 0 && s == PL_OK && keep) s = io(z);
  if (s == PL_OK && keep && rename(z->part, z->path) != 0) s = io(z);
  if (z->file && (s != PL_OK || !keep)) unlink(z->part);
  for (int k = 0; k < z->n; k++) pl_free(z->env, z->entry[k].name);
  pl_free(z->env, z->entry);
  pl_free(z->env, z->part);
  pl_free(z->env, z->path);
  pl_free(z->env, z);
  return s;
}
