// Files that a page brings along: meshes, tables and drawings of any bytes, in pieces that messages
// can hold. What is not whole yet is in memory, and nothing is written before it is.
#include "files.h"
#include "operations.h"

#include <stdlib.h>
#include <string.h>

enum { UPLOADS_MAX = 4 }; // under way; a fifth takes the place of the one that is silent longest
#define SILENT 60.0       // s, after which one is forgotten: its page has gone

typedef struct upload {
  json_int_t number; // 0: this place is free
  double heard;      // wall clock of the last piece
  char *path, *bytes;
  size_t n, total;
} upload;

// of the thread of slow operations alone
struct uploads {
  json_int_t next;
  upload all[UPLOADS_MAX];
};

pl_status upload_create(studio *s) {
  s->uploads = calloc(1, sizeof *s->uploads);
  return s->uploads ? PL_OK : pl_fail(&s->host, PL_E_NOMEM, "out of memory");
}

static void forget(upload *u) {
  free(u->path);
  free(u->bytes);
  *u = (upload){0};
}

void upload_free(studio *s) {
  if (!s->uploads) return;
  for (int k = 0; k < UPLOADS_MAX; k++) forget(&s->uploads->all[k]);
  free(s->uploads);
  s->uploads = NULL;
}

static upload *find(struct uploads *all, json_int_t number) {
  for (int k = 0; number > 0 && k < UPLOADS_MAX; k++)
    if (all->all[k].number == number) return &all->all[k];
  return NULL;
}

// a free place
static upload *make_room(struct uploads *all, double now) {
  upload *oldest = &all->all[0];
  for (int k = 0; k < UPLOADS_MAX; k++) {
    upload *u = &all->all[k];
    if (u->number && now - u->heard > SILENT) forget(u);
    if (oldest->number && (!u->number || u->heard < oldest->heard)) oldest = u;
  }
  forget(oldest);
  return oldest;
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
static int may_come(const char *path, json_int_t total, failure *f) {
  const char *kind = file_kind(path);
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
  return 1;
}

// NULL: it is refused
static upload *begin(struct uploads *all, const char *path, json_int_t total, failure *f) {
  if (!may_come(path, total, f)) return NULL;
  upload *u = make_room(all, pl_wall_time());
  u->path = strdup(path);
  u->bytes = malloc((size_t)total + 1);
  u->total = (size_t)total;
  u->number = ++all->next;
  if (u->path && u->bytes) return u;
  forget(u);
  refuse(f, "internal", NULL, "out of memory");
  return NULL;
}

json_t *op_upload(studio *s, const json_t *args, failure *f) {
  const char *path = arg_text(args, "path"), *text = arg_text(args, "base64");
  json_int_t at = json_integer_value(json_object_get(args, "at"));
  json_int_t total = json_integer_value(json_object_get(args, "total"));
  if (!path || !text) return refuse(f, "bad-request", NULL, "path and base64 are needed");
  upload *u = at == 0 ? begin(s->uploads, path, total, f)
                      : find(s->uploads, json_integer_value(json_object_get(args, "upload")));
  if (at == 0 && !u) return NULL;
  if (!u || strcmp(u->path, path) != 0 || at != (json_int_t)u->n)
    return refuse(f, "not-found", "bring it once more", "no piece of '%.200s' is wanted there",
                  path);
  long n = decode(text, u->bytes + u->n, u->total - u->n);
  if (n < 0) {
    forget(u);
    return refuse(f, "bad-request", NULL, "a piece of '%.200s' is broken", path);
  }
  u->n += (size_t)n;
  u->heard = pl_wall_time();
  json_t *reply = json_pack("{s:I, s:I}", "bytes", (json_int_t)u->n, "upload", u->number);
  if (u->n < u->total) return reply;
  int ok = file_write(s, path, u->bytes, u->n, f);
  forget(u);
  if (ok) return reply;
  json_decref(reply);
  return NULL;
}
