#ifndef KIND_CHECKS_H
#define KIND_CHECKS_H

#include "check.h"

#include "pliant/element.h"
#include "pliant/math.h"

#include <stdio.h>

enum { NSEED = 50, NHESS = PL_NDOF_MAX * PL_NDOF_MAX };

// one random element
typedef struct sample {
  const pl_elem_kind *kind;
  unsigned seed;
  int n; // ndof
  double X[PL_NDOF_MAX], q[PL_NDOF_MAX], v[PL_NDOF_MAX];
  double par[PL_NPAR_MAX], rest[PL_NREST_MAX];
} sample;

static inline sample sample_make(const pl_elem_kind *kind, unsigned seed) {
  sample s = {.kind = kind, .seed = seed, .n = kind->ndof};
  kind->sample(seed, s.X, s.q, s.v, s.par);
  if (kind->d.prepare(s.X, s.rest)) fail_msg("%s: sample %u is unsound", kind->name, seed);
  return s;
}

static inline void random_vector(pl_rng *r, int n, double *x) {
  for (int i = 0; i < n; i++) x[i] = pl_rng_uniform(r, -1, 1);
}

// |got - want| <= tol * max(|want|, 0.01); samples are of size one, so the floor only spares zeros
static inline void compare(const sample *s, const char *what, int n, const double *got,
                           const double *want, double tol) {
  double size = fmax(pl_max_abs(n, want), 0.01);
  for (int i = 0; i < n; i++)
    if (!(fabs(got[i] - want[i]) <= tol * size))
      fail_msg("%s, seed %u: %s[%d] = %.17g, wanted %.17g (off by %g of %g)", s->kind->name,
               s->seed, what, i, got[i], want[i], got[i] - want[i], size);
}

// out[n] = f'(0) of a curve f, by differences of fourth order
typedef void (*curve)(const void *ctx, double t, double *f);
static inline void differentiate(curve fn, const void *ctx, int n, double *out) {
  double f[4][NHESS], h = 5e-4;
  for (int k = 0; k < 4; k++) fn(ctx, h * (k < 2 ? k - 2 : k - 1), f[k]);
  for (int i = 0; i < n; i++) out[i] = (8 * (f[2][i] - f[1][i]) - (f[3][i] - f[0][i])) / (12 * h);
}

// A check of one kind, its state being the kind.
typedef struct kind_test {
  const char *name;
  CMUnitTestFunction run;
  int (*applies)(const pl_elem_kind *kind); // NULL: to all kinds
} kind_test;

// runs every check once for each kind to which it applies, at least one
static inline int run_kinds(const char *group, const kind_test *test, int ntest) {
  int failed = 0;
  for (int t = 0; t < ntest; t++) {
    struct CMUnitTest tests[PL_ELEM_COUNT];
    size_t n = 0;
    for (int k = 0; k < PL_ELEM_COUNT; k++) {
      union {
        const void *in;
        void *out;
      } kind = {.in = pl_elem_table[k]};
      if (test[t].applies && !test[t].applies(pl_elem_table[k])) continue;
      tests[n++] = (struct CMUnitTest){pl_elem_table[k]->name, test[t].run, NULL, NULL, kind.out};
    }
    char title[100];
    snprintf(title, sizeof title, "%s: %s", group, test[t].name);
    failed += n == 0 || _cmocka_run_group_tests(title, tests, n, NULL, NULL);
  }
  return failed;
}

#endif
