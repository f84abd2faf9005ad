#ifndef MESSAGES_H
#define MESSAGES_H

#include "check.h"

// Keeps what a scene reports.
enum { MESSAGES_MAX = 100 };
typedef struct messages {
  int n, nerror, nwarning;
  pl_diag d[MESSAGES_MAX];
} messages;

static inline void messages_add(void *ctx, const pl_diag *d) {
  messages *m = ctx;
  m->nerror += d->level == PL_ERROR;
  m->nwarning += d->level == PL_WARNING;
  if (m->n < MESSAGES_MAX) m->d[m->n++] = *d;
}

// an environment that keeps its messages in m
static inline void messages_env(pl_env *env, messages *m) {
  m->n = m->nerror = m->nwarning = 0;
  pl_env_init(env);
  env->diag = messages_add;
  env->diag_ctx = m;
}

#endif
