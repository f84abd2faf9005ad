#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void fail_at(const char *file, int line) {
  _fail(file, line);
}

void check_close_(const char *what, double got, double want, double tol, const char *file,
                  int line) {
  if (fabs(got - want) <= tol) return;
  print_error("%s = %.17g, wanted %.17g within %g (off by %g)\n", what, got, want, tol, got - want);
  fail_at(file, line);
}

void check_rel_(const char *what, double got, double want, double tol, const char *file, int line) {
  if (fabs(got - want) <= tol * fabs(want)) return;
  print_error("%s = %.17g, wanted %.17g within a fraction %g (off by %g)\n", what, got, want, tol,
              (got - want) / fabs(want));
  fail_at(file, line);
}

void check_array_(const char *what, int n, const double *got, const double *want, double tol,
                  const char *file, int line) {
  int worst = -1;
  double most = 0;
  for (int i = 0; i < n; i++) {
    double d = fabs(got[i] - want[i]);
    if (d <= tol) continue;
    if (worst < 0 || !(d <= most)) {
      worst = i;
      most = d;
    }
  }
  if (worst < 0) return;
  print_error("%s[%d] = %.17g, wanted %.17g within %g (off by %g)\n", what, worst, got[worst],
              want[worst], tol, most);
  fail_at(file, line);
}

void check_less_(const char *what, double got, double bound, const char *file, int line) {
  if (got < bound) return;
  print_error("%s = %.17g, wanted less than %g\n", what, got, bound);
  fail_at(file, line);
}

void check_status_(pl_env *env, pl_status got, pl_status want, const char *call, const char *file,
                   int line) {
  if (got == want) return;
  print_error("%s gave '%s', wanted '%s'; last error: %s %s\n", call, pl_status_text(got),
              pl_status_text(want), env ? env->error.text : "", env ? env->error.hint : "");
  fail_at(file, line);
}

double order_slope(int n, const double *h, const double *err) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = n - 3; i < n; i++) {
    double x = log(h[i]), y = log(err[i]);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (3 * sxy - sx * sy) / (3 * sxx - sx * sx);
}

static void *failing_realloc(void *ctx, void *old, size_t size) {
  failing_alloc *f = ctx;
  if (size == 0) {
    if (old) f->live--;
    free(old);
    return NULL;
  }
  if (f->requests++ == f->fail_at) return NULL;
  void *p = realloc(old, size);
  if (p && !old) f->live++;
  return p;
}

void failing_alloc_install(pl_env *env, failing_alloc *f, long at) {
  *f = (failing_alloc){.fail_at = at};
  env->alloc = failing_realloc;
  env->alloc_ctx = f;
}

void check_allocations(pl_status (*body)(pl_env *env, void *ctx), void *ctx) {
  for (long n = 0; n < 100000; n++) {
    pl_env env;
    failing_alloc f;
    pl_env_init(&env);
    failing_alloc_install(&env, &f, n);
    pl_status s = body(&env, ctx);
    if (f.live != 0) {
      print_error("allocation %ld failed: %ld blocks leaked\n", n, f.live);
      fail();
    }
    if (s == PL_OK) {
      if (f.requests > n) fail_msg("allocation %ld failed unnoticed", n);
      return;
    }
    if (s != PL_E_NOMEM) fail_msg("allocation %ld failed: got '%s'", n, pl_status_text(s));
  }
  fail_msg("no end of allocations");
}
