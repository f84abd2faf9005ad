#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

// cmocka wants these four before itself
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pliant/base.h"

// Fails unless |got - want| <= tol; cmocka's own float checks narrow to float and pass wrong
// doubles.
#define check_close(got, want, tol) check_close_(#got, (got), (want), (tol), __FILE__, __LINE__)
// Fails unless |got - want| <= tol * |want|.
#define check_rel(got, want, tol) check_rel_(#got, (got), (want), (tol), __FILE__, __LINE__)
// Fails unless max_i |got_i - want_i| <= tol; names the worst entry.
#define check_array(n, got, want, tol)                                                             \
  check_array_(#got, (n), (got), (want), (tol), __FILE__, __LINE__)
#define check_less(got, bound) check_less_(#got, (got), (bound), __FILE__, __LINE__)
// Fails with the recorded message unless the call returns PL_OK.
#define check_ok(env, call) check_status_((env), (call), PL_OK, #call, __FILE__, __LINE__)
#define check_status(env, call, want)                                                              \
  check_status_((env), (call), (want), #call, __FILE__, __LINE__)

void check_close_(const char *what, double got, double want, double tol, const char *file,
                  int line);
void check_rel_(const char *what, double got, double want, double tol, const char *file, int line);
void check_array_(const char *what, int n, const double *got, const double *want, double tol,
                  const char *file, int line);
void check_less_(const char *what, double got, double bound, const char *file, int line);
void check_status_(pl_env *env, pl_status got, pl_status want, const char *call, const char *file,
                   int line);

// Slope of log(err) over log(h) from the last three of four or more refinements.
double order_slope(int n, const double *h, const double *err);

// An allocator that counts live blocks and fails the n-th request (n < 0: never).
typedef struct failing_alloc {
  long fail_at, requests, live;
} failing_alloc;
void failing_alloc_install(pl_env *env, failing_alloc *f, long fail_at);
// Runs body(env, ctx) with the n-th allocation failing, n = 0, 1, ... until it succeeds; each
// failure must return PL_E_NOMEM and leak nothing.
void check_allocations(pl_status (*body)(pl_env *env, void *ctx), void *ctx);

#endif
