#ifndef TESTS_FUZZ_STUDIO_H
#define TESTS_FUZZ_STUDIO_H

#include "files.h"
#include "http_impl.h"
#include "server_impl.h"

#include <stdlib.h>
#include <string.h>

// What strangers send to the studio, by the first letter of the input: the head of an HTTP request
// (h), frames of a WebSocket (f), or else a request in JSON.
static inline void fuzz_head(char *text, size_t size) {
  char key[ACCEPT_SIZE];
  http_head h;
  if (!head_parse(text, size, &h)) return;
  if (h.path[0] != '/' || strpbrk(h.path, " ?\r\n")) abort();
  for (int k = 0; k < h.nfield; k++) {
    if (strpbrk(h.value[k], "\r\n") || !head_has(&h, h.name[k])) abort();
    list_has(h.value[k], "upgrade");
    if (socket_accept(h.value[k], key) && strlen(key) != ACCEPT_SIZE - 1) abort();
  }
}

static inline void fuzz_frames(const char *data, size_t size) {
  frame f;
  for (size_t at = 0; at < size;) {
    int n = frame_read((const unsigned char *)data + at, size - at, &f);
    if (n <= 0) return;
    if ((size_t)n > size - at || f.n > INT64_MAX || (f.code >= FRAME_CLOSE && f.n > 125)) abort();
    at += (size_t)n;
    if (f.n > size - at) return;
    at += (size_t)f.n;
  }
}

static inline void fuzz_request(const char *text, size_t size) {
  request r;
  failure f;
  if (!request_parse(text, size, &r, &f)) {
    if (!f.text[0] || r.json) abort();
    return;
  }
  const char *path = arg_text(r.args, "path");
  // what may be opened has no step upwards
  if (path && path_good(path) && (path[0] == '/' || strstr(path, "/../") || path[0] == '.'))
    abort();
  request_free(&r);
}

static inline void fuzz_studio(const char *data, size_t size) {
  if (size == 0) return;
  char *copy = malloc(size);
  if (!copy) return;
  memcpy(copy, data, size);
  if (data[0] == 'h')
    fuzz_head(copy + 1, size - 1);
  else if (data[0] == 'f')
    fuzz_frames(copy + 1, size - 1);
  else
    fuzz_request(copy, size);
  free(copy);
}

#endif
