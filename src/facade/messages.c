// Messages of calls, of scenes and of results.
#include "facade_impl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void messages_hear(void *ctx, const pl_diag *d) {
  messages *m = ctx;
  if (m->n == MESSAGES_MAX) return;
  if (m->n == m->cap) {
    int cap = m->cap ? 2 * m->cap : 4;
    pl_diag *more = realloc(m->list, (size_t)cap * sizeof *more);
    if (!more) return; // what was told before stays
    m->list = more;
    m->cap = cap;
  }
  m->list[m->n++] = *d;
}

void messages_free(messages *m) {
  free(m->list);
  *m = (messages){0};
}

// ---- of a thread --------------------------------------------------------------------------------

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int made;

static void forget(void *m) {
  messages_free(m);
  free(m);
}

static void make_key(void) {
  made = pthread_key_create(&key, forget) == 0;
}

messages *messages_of_thread(void) {
  pthread_once(&once, make_key);
  if (!made) return NULL;
  messages *m = pthread_getspecific(key);
  if (m) return m;
  m = calloc(1, sizeof *m);
  if (m && pthread_setspecific(key, m) != 0) {
    free(m);
    m = NULL;
  }
  return m;
}

int messages_fail(messages *m, int s) {
  messages *to = messages_of_thread();
  if (!to) {
    messages_free(m);
    return s;
  }
  messages_free(to);
  *to = *m;
  *m = (messages){0};
  return s;
}

int fail(int status, const char *hint, const char *fmt, ...) {
  messages m = {0};
  pl_diag *d = calloc(1, sizeof *d);
  if (d) {
    va_list args;
    va_start(args, fmt);
    vsnprintf(d->text, sizeof d->text, fmt, args);
    va_end(args);
    snprintf(d->hint, sizeof d->hint, "%s", hint ? hint : "");
    d->level = PL_ERROR;
    d->status = (pl_status)status;
    messages_hear(&m, d);
  }
  free(d);
  return messages_fail(&m, status);
}

// ---- asked for ----------------------------------------------------------------------------------

static int take(int64_t handle, const messages **out) {
  static const messages none;
  object *o;
  if (handle == 0) {
    *out = messages_of_thread();
    if (!*out) *out = &none;
    return PL_FACADE_OK;
  }
  int s = handle_take(handle, OBJECT_COUNT, 0, &o);
  if (s == PL_FACADE_OK) *out = &o->messages;
  return s;
}

static void give(int64_t handle) {
  if (handle) handle_give(handle);
}

int pl_facade_messages(int64_t handle, int64_t *n) {
  const messages *m;
  *n = 0;
  int s = take(handle, &m);
  if (s != PL_FACADE_OK) return s;
  *n = m->n;
  give(handle);
  return PL_FACADE_OK;
}

int pl_facade_message_at(int64_t handle, int64_t k, pl_facade_message *out) {
  const messages *m;
  *out = (pl_facade_message){.file = "", .text = "", .hint = ""};
  int s = take(handle, &m);
  if (s != PL_FACADE_OK) return s;
  int there = k >= 0 && k < m->n;
  if (there) {
    const pl_diag *d = &m->list[k];
    *out = (pl_facade_message){.level = (int32_t)d->level,
                               .status = (int32_t)d->status,
                               .line = d->line,
                               .column = d->col,
                               .file = d->file,
                               .text = d->text,
                               .hint = d->hint};
  }
  give(handle);
  return there ? PL_FACADE_OK : fail(PL_FACADE_ARG, NULL, "there is no message %lld", (long long)k);
}
