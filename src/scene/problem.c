#include "scene_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- memory -----------------------------------------------------------------------------------

void *scene_alloc(reader *r, size_t count, size_t size) {
  void *p = pl_build_keep(r->b, count, size);
  if (!p) r->failed = PL_E_NOMEM;
  return p;
}

const char *scene_strdup(reader *r, const char *s, size_t n) {
  char *copy = scene_alloc(r, n + 1, 1);
  if (copy) memcpy(copy, s, n);
  return copy;
}

int scene_grow(reader *r, void *array, int n, int *cap, size_t size) {
  int ok = pl_build_grow(r->b, array, n, cap, size);
  if (!ok) r->failed = PL_E_NOMEM;
  return ok;
}

// ---- messages ---------------------------------------------------------------------------------

const char *quote(const char *s, char *buf, size_t size) {
  size_t n = 0;
  for (; s[n] && n + 4 < size && n < MESSAGE_QUOTE; n++)
    buf[n] = (unsigned char)s[n] < 0x20 || s[n] == 0x7f ? ' ' : s[n];
  if (s[n]) {
    // do not cut a character in half
    while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80) n--;
    memcpy(buf + n, "...", 3);
    n += 3;
  }
  buf[n] = 0;
  return buf;
}

static void report(reader *r, pl_level level, const char *file, int line, int col, const char *hint,
                   const char *fmt, va_list args) {
  char text[PL_TEXT];
  vsnprintf(text, sizeof text, fmt, args);
  pl_report(r->env, level, file, line, col, hint, "%s", text);
}

void problem(reader *r, const pl_node *at, const char *hint, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  const char *file = at->origin ? at->origin : r->file;
  report(r, PL_ERROR, file, at->line, at->col, hint, fmt, args);
  va_end(args);
}

void problem_key(reader *r, const pl_node *at, const char *hint, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  const char *file = at->origin ? at->origin : r->file;
  report(r, PL_ERROR, file, at->key_line, at->key_col, hint, fmt, args);
  va_end(args);
}

void problem_at(reader *r, const char *file, int line, int col, const char *hint, const char *fmt,
                ...) {
  va_list args;
  va_start(args, fmt);
  report(r, PL_ERROR, file, line, col, hint, fmt, args);
  va_end(args);
}

void build_problem_at(void *ctx, const void *origin, const char *hint, const char *text) {
  reader *r = ctx;
  problem(r, origin ? origin : r->root, hint, "%s", text);
}

int has_problem(const reader *r, const pl_node *at) {
  for (int i = 0; i < r->nstore; i++) {
    const pl_diag *d = &r->store[i];
    if (d->level == PL_ERROR && strcmp(d->file, at->origin ? at->origin : r->file) == 0 &&
        d->line == at->line && d->col == at->col)
      return 1;
  }
  for (const pl_node *k = at->first; k; k = k->next)
    if (has_problem(r, k)) return 1;
  return 0;
}

void warning(reader *r, const pl_node *at, const char *hint, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  const char *file = at->origin ? at->origin : r->file;
  report(r, PL_WARNING, file, at->line, at->col, hint, fmt, args);
  va_end(args);
}
