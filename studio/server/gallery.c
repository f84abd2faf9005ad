// The gallery, compiled in: scenes with their files and their pictures in a tar, which is unpacked
// when the first page asks for it.
#include "gallery.h"
#include "files.h"
#include "server_impl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BLOCK = 512, REGULAR = '0' }; // of tar: its unit, and the type of a plain file

#define SCENES   "gallery/"
#define PICTURES "studio/web/gallery/"

typedef struct packed_file {
  char path[101];
  const char *data; // in the tar
  size_t n;
} packed_file;

struct gallery {
  pthread_mutex_t lock;
  int ready;
  char *tar;
  int n, cap;
  packed_file *file; // [n] by path
};

pl_status gallery_create(studio *s) {
  s->gallery = calloc(1, sizeof *s->gallery);
  if (!s->gallery) return pl_fail(&s->host, PL_E_NOMEM, "out of memory");
  pthread_mutex_init(&s->gallery->lock, NULL);
  return PL_OK;
}

void gallery_free(studio *s) {
  struct gallery *g = s->gallery;
  if (!g) return;
  pthread_mutex_destroy(&g->lock);
  free(g->tar);
  free(g->file);
  free(g);
  s->gallery = NULL;
}

// ---- unpacking ----------------------------------------------------------------------------------

// the size stands in the last four bytes
static size_t unzip(const asset *a, char **out) {
  size_t packed = (size_t)(a->end - a->bytes), n = 0;
  for (int k = 4; k >= 1; k--) n = n << 8 | a->end[-k];
  n = (n >> 24 & 0xff) | (n >> 8 & 0xff00) | (n << 8 & 0xff0000) | (n << 24 & 0xff000000);
  *out = malloc(n + 1);
  z_stream z = {.next_in = (unsigned char *)(uintptr_t)a->bytes,
                .avail_in = (unsigned)packed,
                .next_out = (unsigned char *)*out,
                .avail_out = (unsigned)n};
  if (!*out || inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) return 0;
  int end = inflate(&z, Z_FINISH);
  inflateEnd(&z);
  return end == Z_STREAM_END ? n : 0;
}

static size_t octal(const char *text, size_t n) {
  size_t value = 0;
  for (size_t k = 0; k < n && text[k] >= '0' && text[k] <= '7'; k++)
    value = 8 * value + (size_t)(text[k] - '0');
  return value;
}

static int keep_file(struct gallery *g, const char *head, const char *data, size_t n) {
  if (g->n == g->cap) {
    int cap = g->cap ? 2 * g->cap : 128;
    packed_file *more = realloc(g->file, (size_t)cap * sizeof *more);
    if (!more) return 0;
    g->file = more;
    g->cap = cap;
  }
  packed_file *f = &g->file[g->n++];
  *f = (packed_file){.data = data, .n = n};
  memcpy(f->path, head, sizeof f->path - 1);
  return 1;
}

static int by_path(const void *a, const void *b) {
  return strcmp(((const packed_file *)a)->path, ((const packed_file *)b)->path);
}

static void unpack(struct gallery *g) {
  enum { SIZE_AT = 124, SIZE_DIGITS = 12, TYPE_AT = 156 };
  size_t n = unzip(&asset_gallery, &g->tar), at = 0;
  while (n >= BLOCK && at <= n - BLOCK && g->tar[at]) {
    const char *head = g->tar + at;
    size_t size = octal(head + SIZE_AT, SIZE_DIGITS);
    at += BLOCK;
    if (size > n - at) break;
    if (head[TYPE_AT] == REGULAR && !keep_file(g, head, g->tar + at, size)) break;
    at += (size + BLOCK - 1) / BLOCK * BLOCK;
  }
  if (g->n) qsort(g->file, (size_t)g->n, sizeof *g->file, by_path);
}

static const struct gallery *ready(studio *s) {
  struct gallery *g = s->gallery;
  pthread_mutex_lock(&g->lock);
  if (!g->ready) unpack(g);
  g->ready = 1;
  pthread_mutex_unlock(&g->lock);
  return g;
}

static const packed_file *find(const struct gallery *g, const char *path) {
  for (int k = 0; k < g->n; k++)
    if (strcmp(g->file[k].path, path) == 0) return &g->file[k];
  return NULL;
}

// ---- cards --------------------------------------------------------------------------------------

// the value of `title:` at the start of a line, without its comment; the name where there is none
static json_t *title_of(const packed_file *f, const char *name) {
  for (const char *line = f->data, *end = f->data + f->n; line < end;) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    char text[PL_TEXT];
    if (!stop) stop = end;
    snprintf(text, sizeof text, "%.*s", (int)(stop - line), line);
    line = stop + 1;
    if (strncmp(text, "title:", 6) != 0) continue;
    char *from = text + 6 + strspn(text + 6, " \"'"), *rest = strstr(from, " #");
    if (rest) *rest = 0;
    rest = from + strlen(from);
    while (rest > from && strchr(" \"'\r", rest[-1])) *--rest = 0;
    return part_words(from);
  }
  return part_words(name);
}

static const packed_file *picture_of(const struct gallery *g, const char *name) {
  char path[PL_TEXT];
  snprintf(path, sizeof path, PICTURES "%.100s.webp", name);
  return find(g, path);
}

json_t *op_gallery(studio *s, const json_t *args, failure *f) {
  const struct gallery *g = ready(s);
  json_t *cards = json_array(), *out = json_object();
  (void)args;
  (void)f;
  for (int k = 0; k < g->n; k++) {
    char name[sizeof g->file[k].path];
    const char *path = g->file[k].path, *slash = strrchr(path, '/');
    if (!slash || strncmp(path, SCENES, sizeof SCENES - 1) != 0 ||
        strcmp(slash, "/scene.yaml") != 0)
      continue;
    const char *from = path + sizeof SCENES - 1;
    snprintf(name, sizeof name, "%.*s", (int)(slash - from), from);
    json_t *card = json_object();
    part_set(card, "name", part_words(name));
    part_set(card, "title", title_of(&g->file[k], name));
    part_set(card, "picture", json_boolean(picture_of(g, name) != NULL));
    json_array_append_new(cards, card);
  }
  part_set(out, "cards", cards);
  return out;
}

const char *gallery_picture(studio *s, const char *path, size_t *n) {
  char name[PL_TEXT];
  size_t stem = strlen(path);
  if (stem < 5 || stem >= sizeof name || strcmp(path + stem - 5, ".webp") != 0) return NULL;
  snprintf(name, sizeof name, "%.*s", (int)(stem - 5), path);
  const packed_file *f = picture_of(ready(s), name);
  *n = f ? f->n : 0;
  return f ? f->data : NULL;
}

int gallery_copy(studio *s, const char *name, failure *f) {
  const struct gallery *g = ready(s);
  char folder[PL_TEXT];
  int found = 0;
  snprintf(folder, sizeof folder, SCENES "%.100s/", name);
  for (int k = 0; k < g->n; k++) {
    const packed_file *one = &g->file[k];
    if (strncmp(one->path, folder, strlen(folder)) != 0) continue;
    const char *path = one->path + sizeof SCENES - 1;
    if (!file_exists(s, path) && !file_write(s, path, one->data, one->n, f)) return 0;
    found = 1;
  }
  if (!found) refuse(f, "not-found", NULL, "the gallery has no '%.60s'", name);
  return found;
}
