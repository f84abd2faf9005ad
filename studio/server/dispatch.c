// Requests of pages: {"id": 7, "op": "check", "args": {...}} is answered by {"id": 7, "reply":
// {...}} or {"id": 7, "error": {"code", "text", "hint"}}.
#include "operations.h"
#include "server_impl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32, WAITING_MAX = 64 };

const operation operations[] = {{"hello", op_hello, 0},
                                {"files", op_files, 0},
                                {"open", op_open, 0},
                                {"save", op_save, 0},
                                {"write", op_write, 0},
                                {"upload", op_upload, 1},
#define X(fn, name, slow) {name, op_##fn, slow},
                                JOB_OPERATIONS(X) EXPLORE_OPERATIONS(X)
#undef X
};
const int operation_count = sizeof operations / sizeof operations[0];

typedef struct task {
  uint64_t client;
  request r;
  struct task *next;
} task;

// the thread of slow operations
struct worker {
  pthread_mutex_t lock;
  pthread_cond_t more;
  pthread_t thread;
  task *first, **end;
  int n, started, stop;
};

json_t *refuse(failure *f, const char *code, const char *hint, const char *fmt, ...) {
  va_list ap;
  char raw[PL_TEXT];
  va_start(ap, fmt);
  vsnprintf(raw, sizeof raw, fmt, ap);
  va_end(ap);
  f->code = code;
  // what comes from files may be no text
  pl_printable(raw, f->text, sizeof f->text);
  pl_printable(hint ? hint : "", f->hint, sizeof f->hint);
  return NULL;
}

json_t *refuse_env(failure *f, const pl_env *env) {
  const char *code = env->error.status == PL_E_IO      ? "io"
                     : env->error.status == PL_E_INPUT ? "bad-scene"
                     : env->error.status == PL_E_ARG   ? "bad-request"
                                                       : "internal";
  char text[4 * PL_TEXT];
  pl_diag_plain(&env->error, text, sizeof text);
  char *hint = strstr(text, "\n  hint:");
  if (hint) *hint = 0;
  return refuse(f, code, env->error.hint, "%s", text);
}

const char *arg_text(const json_t *args, const char *name) {
  return json_string_value(json_object_get(args, name));
}

// ---- understanding ------------------------------------------------------------------------------

// brackets within brackets, before a parser goes down into them
static int too_deep(const char *text, size_t n) {
  int depth = 0, quoted = 0;
  for (size_t k = 0; k < n; k++) {
    if (quoted) {
      if (text[k] == '\\') k++;
      if (k < n && text[k] == '"') quoted = 0;
    } else if (text[k] == '"') {
      quoted = 1;
    } else if (text[k] == '{' || text[k] == '[') {
      if (++depth > DEPTH_MAX) return 1;
    } else if (text[k] == '}' || text[k] == ']') {
      depth--;
    }
  }
  return 0;
}

int request_parse(const char *text, size_t n, request *r, failure *f) {
  json_error_t error;
  *r = (request){0};
  if (n > MESSAGE_MAX || too_deep(text, n)) {
    refuse(f, "bad-request", NULL, "the message is too large or too deep");
    return 0;
  }
  r->json = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);
  json_t *id = json_object_get(r->json, "id");
  r->id = json_integer_value(id);
  r->op = json_string_value(json_object_get(r->json, "op"));
  r->args = json_object_get(r->json, "args");
  if (r->json && !r->args && json_is_object(r->json)) {
    r->args = json_object();
    json_object_set_new(r->json, "args", r->args);
  }
  if (r->op && json_is_object(r->args) && (!id || json_is_integer(id))) return 1;
  refuse(f, "bad-request", NULL, "the message is no request");
  request_free(r);
  return 0;
}

void request_free(request *r) {
  json_decref(r->json);
  r->json = NULL;
  r->op = NULL;
  r->args = NULL;
}

// ---- answering ----------------------------------------------------------------------------------

static const operation *find_operation(const char *name) {
  for (int k = 0; k < operation_count; k++)
    if (strcmp(operations[k].name, name) == 0) return &operations[k];
  return NULL;
}

json_t *dispatch(studio *s, const char *op, const json_t *args, failure *f) {
  const operation *o = find_operation(op);
  if (!o) return refuse(f, "bad-request", NULL, "there is no operation '%.60s'", op);
  *f = (failure){.code = "internal", .text = "out of memory"};
  return o->run(s, args, f);
}

void request_refuse(studio *s, uint64_t client, json_int_t id, const failure *f, int last) {
  json_t *error = json_pack("{s:s, s:s, s:s}", "code", f->code, "text", f->text, "hint", f->hint);
  json_t *reply = json_pack("{s:I, s:o}", "id", id, "error", error);
  client_send(s, client, message_text(last ? MESSAGE_LAST : MESSAGE_REPLY, "", reply));
}

static void answer(studio *s, uint64_t client, const request *r) {
  failure f = {0};
  json_t *reply = dispatch(s, r->op, r->args, &f);
  if (reply) reply = json_pack("{s:I, s:o}", "id", r->id, "reply", reply);
  if (reply)
    client_send(s, client, message_text(MESSAGE_REPLY, "", reply));
  else
    request_refuse(s, client, r->id, &f, 0);
}

static void *work(void *ctx) {
  studio *s = ctx;
  struct worker *w = s->worker;
  pl_leave_signals();
  pthread_mutex_lock(&w->lock);
  while (!w->stop) {
    task *t = w->first;
    if (!t) {
      pthread_cond_wait(&w->more, &w->lock);
      continue;
    }
    w->first = t->next;
    if (!w->first) w->end = &w->first;
    w->n--;
    pthread_mutex_unlock(&w->lock);
    answer(s, t->client, &t->r);
    request_free(&t->r);
    free(t);
    pthread_mutex_lock(&w->lock);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

// takes what r holds; 0: too many wait
static int hand_over(struct worker *w, uint64_t client, request *r) {
  task *t = calloc(1, sizeof *t);
  if (!t) return 0;
  t->client = client;
  t->r = *r;
  pthread_mutex_lock(&w->lock);
  int ok = w->n < WAITING_MAX && !w->stop;
  if (ok) {
    *r = (request){.id = r->id};
    *w->end = t;
    w->end = &t->next;
    w->n++;
    pthread_cond_signal(&w->more);
  }
  pthread_mutex_unlock(&w->lock);
  if (!ok) free(t);
  return ok;
}

void request_run(studio *s, uint64_t client, request *r) {
  const operation *o = find_operation(r->op);
  failure f = {0};
  if (!o || !o->slow) {
    answer(s, client, r);
  } else if (!hand_over(s->worker, client, r)) {
    refuse(&f, "busy", "wait for the answers", "too many requests wait already");
    request_refuse(s, client, r->id, &f, 0);
  }
}

pl_status worker_create(studio *s) {
  struct worker *w = s->worker = pl_alloc(&s->host, 1, sizeof *w);
  if (!w) return PL_E_NOMEM;
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->more, NULL);
  w->end = &w->first;
  w->started = pthread_create(&w->thread, NULL, work, s) == 0;
  return w->started ? PL_OK : pl_fail(&s->host, PL_E_NOMEM, "a thread could not be made");
}

void worker_stop(studio *s) {
  struct worker *w = s->worker;
  if (!w || !w->started) return;
  pthread_mutex_lock(&w->lock);
  w->stop = 1;
  pthread_cond_signal(&w->more);
  pthread_mutex_unlock(&w->lock);
  pthread_join(w->thread, NULL);
  w->started = 0;
}

void worker_free(studio *s) {
  struct worker *w = s->worker;
  if (!w) return;
  worker_stop(s);
  for (task *t = w->first, *next; t; t = next) {
    next = t->next;
    request_free(&t->r);
    free(t);
  }
  pthread_cond_destroy(&w->more);
  pthread_mutex_destroy(&w->lock);
  pl_free(&s->host, w);
  s->worker = NULL;
}
