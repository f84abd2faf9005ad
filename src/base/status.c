#include "pliant/base.h"
#include "pliant/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *pl_version(void) {
  return PL_VERSION;
}

#ifndef PL_COMMIT
#define PL_COMMIT ""
#endif

const char *pl_version_commit(void) {
  return PL_COMMIT;
}

const char *pl_status_text(pl_status s) {
  switch (s) {
  case PL_OK:
    return "done";
  case PL_DOMAIN:
    return "outside the domain of an element";
  case PL_SINGULAR:
    return "singular";
  case PL_CANCELLED:
    return "cancelled";
  case PL_UNSOLVED:
    return "not converged";
  case PL_E_NOMEM:
    return "out of memory";
  case PL_E_ARG:
    return "bad argument";
  case PL_E_INPUT:
    return "bad input";
  case PL_E_IO:
    return "input/output error";
  case PL_E_INTERNAL:
    return "internal error";
  }
  return "unknown status";
}

void pl_assert_failed(const char *cond, const char *file, int line) {
  fprintf(stderr, "pliant: %s:%d: our mistake: '%s' does not hold; please report this\n", file,
          line, cond);
  abort();
}

static void fill(pl_diag *d, const char *file, int line, int col, const char *hint, const char *fmt,
                 va_list args) {
  snprintf(d->file, sizeof d->file, "%s", file ? file : "");
  snprintf(d->hint, sizeof d->hint, "%s", hint ? hint : "");
  vsnprintf(d->text, sizeof d->text, fmt, args);
  d->line = line;
  d->col = col;
}

static void record(pl_env *env, pl_status status) {
  env->error.level = PL_ERROR;
  env->error.status = status;
  env->nerror++;
  if (env->diag) env->diag(env->diag_ctx, &env->error);
}

pl_status pl_fail(pl_env *env, pl_status status, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fill(&env->error, NULL, 0, 0, NULL, fmt, args);
  va_end(args);
  record(env, status);
  return status;
}

pl_status pl_fail_at(pl_env *env, pl_status status, const char *file, int line, int col,
                     const char *hint, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fill(&env->error, file, line, col, hint, fmt, args);
  va_end(args);
  record(env, status);
  return status;
}

void pl_report(pl_env *env, pl_level level, const char *file, int line, int col, const char *hint,
               const char *fmt, ...) {
  pl_diag d = {.level = level, .status = level == PL_ERROR ? PL_E_INPUT : PL_OK};
  va_list args;
  va_start(args, fmt);
  fill(&d, file, line, col, hint, fmt, args);
  va_end(args);
  if (level == PL_ERROR) {
    env->error = d;
    env->nerror++;
  }
  if (env->diag) env->diag(env->diag_ctx, &d);
}

pl_status pl_report_progress(pl_env *env, const char *what, double done, const char *text) {
  if (!env->progress) return PL_OK;
  pl_progress p = {.what = what, .done = done, .text = text};
  return env->progress(env->progress_ctx, &p) ? PL_CANCELLED : PL_OK;
}

static void format(const pl_diag *d, const char *level, char *out, size_t size) {
  char place[PL_TEXT + 32] = "";
  if (d->file[0] && d->line > 0 && d->col > 0)
    snprintf(place, sizeof place, "%s:%d:%d: ", d->file, d->line, d->col);
  else if (d->file[0] && d->line > 0)
    snprintf(place, sizeof place, "%s:%d: ", d->file, d->line);
  else if (d->file[0])
    snprintf(place, sizeof place, "%s: ", d->file);
  snprintf(out, size, "%s%s%s%s%s%s", place, level, *level ? ": " : "", d->text,
           d->hint[0] ? "\n  hint: " : "", d->hint);
}

void pl_diag_format(const pl_diag *d, char *out, size_t size) {
  static const char *const level[] = {"note", "warning", "error"};
  format(d, level[d->level], out, size);
}

void pl_diag_plain(const pl_diag *d, char *out, size_t size) {
  format(d, "", out, size);
}
