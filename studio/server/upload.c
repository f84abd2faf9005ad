// Files that a page brings along: meshes, tables and drawings of any bytes, in pieces that messages
// can hold. What is not whole yet is in memory, and nothing is written before it is.
#include "files.h"
#include "operations.h"

#include <stdlib.h>
#include <string.h>

struct upload {
  char *path; // NULL: none is under way
  char *bytes;
  size_t n, total;
};

pl_status upload_create(studio *s) {
  s->upload = calloc(1, sizeof *s->upload);
  return s->upload ? PL_OK : pl_fail(&s->host, PL_E_NOMEM, "out of memory");
}

static void forget(struct upload *u) {
  free(u->path);
  free(u->bytes);
  *u = (struct upload){0};
}

void upload_free(studio *s) {
  if (!s->upload) return;
  forget(s->upload);
  free(s->upload);
  s->upload = NULL;
}

// ---- base64 -------------------------------------------------------------------------------------

static int digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Appends what text says to bytes[room]; returns its count, or -1: it is no base64, or too long.
static long decode(const char *text, char *bytes, size_t room) {
  size_t length = strlen(text), n = 0;
  if (length % 4 != 0) return -1;
  size_t pad = length == 0 ? 0 : (size_t)(text[length - 1] == '=') + (text[length - 2] == '=');
  for (size_t k = 0; k < length; k += 4) {
    size_t last = k + 4 == length ? pad : 0;
    unsigned word = 0;
    for (size_t c = 0; c < 4; c++) {
      int d = c + last >= 4 ? 0 : digit(text[k + c]);
      if (d < 0) return -1;
      word = word << 6 | (unsigned)d;
    }
    for (size_t c = 0; c < 3 - last; c++) {
      if (n == room) return -1;
      bytes[n++] = (char)(unsigned char)(word >> (16 - 8 * c) & 0xff);
    }
  }
  return (long)n;
}

// ---- the operation ------------------------------------------------------------------------------

// 0: it is refused
static int begin(struct upload *u, const char *path, json_int_t total, failure *f) {
  const char *kind = file_kind(path);
  forget(u);
  if (!path_good(path)) {
    refuse(f, "bad-request", NULL, "'%.200s' is no name of a file here", path);
    return 0;
  }
  if (!kind || strcmp(kind, "scene") == 0) {
    refuse(f, "bad-request", "meshes: obj msh inp stl ply vtu vti; data: csv mtx uff svg png",
           "'%.200s' is neither a mesh nor a table nor a drawing", path);
    return 0;
  }
  if (total < 0 || total > FILE_MAX) {
    refuse(f, "bad-request", "copy it into the folder", "'%.200s' is larger than 256 MB", path);
    return 0;
  }
  u->path = strdup(path);
  u->bytes = malloc((size_t)total + 1);
  u->total = (size_t)total;
  if (u->path && u->bytes) return 1;
  forget(u);
  refuse(f, "internal", NULL, "out of memory");
  return 0;
}

json_t *op_upload(studio *s, const json_t *args, failure *f) {
  struct upload *u = s->upload;
  const char *path = arg_text(args, "path"), *text = arg_text(args, "base64");
  json_int_t at = json_integer_value(json_object_get(args, "at"));
  json_int_t total = json_integer_value(json_object_get(args, "total"));
  if (!path || !text) return refuse(f, "bad-request", NULL, "path and base64 are needed");
  if (at == 0 && !begin(u, path, total, f)) return NULL;
  // two pages may bring files at a time: one of them begins anew
  if (!u->path || strcmp(u->path, path) != 0 || at != (json_int_t)u->n)
    return refuse(f, "busy", "try it again", "another file came between the pieces of '%.200s'",
                  path);
  long n = decode(text, u->bytes + u->n, u->total - u->n);
  if (n < 0) {
    forget(u);
    return refuse(f, "bad-request", NULL, "a piece of '%.200s' is broken", path);
  }
  u->n += (size_t)n;
  json_t *reply = json_pack("{s:I}", "bytes", (json_int_t)u->n);
  if (u->n < u->total) return reply;
  int ok = file_write(s, path, u->bytes, u->n, f);
  forget(u);
  if (ok) return reply;
  json_decref(reply);
  return NULL;
}
