#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

// What the golden and order tests share: options with defaults, one-line solves, root finding.

#include "check.h"
#include "models.h"

#include "pliant/math.h"
#include "pliant/solve.h"

static inline pl_static_opts golden_static_opts(double rtol) {
  pl_static_opts o;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  o.rtol = rtol;
  return o;
}

static inline pl_transient_opts golden_transient_opts(double step, double duration) {
  pl_transient_opts o;
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &o);
  o.step = step;
  o.duration = duration;
  return o;
}

// Static equilibrium from the state in b; it must be found.
static inline pl_static_info golden_static(kit_model *b, double rtol, int steps) {
  pl_static_opts o = golden_static_opts(rtol);
  pl_static_info info;
  o.steps = steps;
  check_ok(b->w->env, pl_static(&o, b->m, b->p, b->s, b->w, NULL, NULL, &info));
  return info;
}

// Sum of the reactions of n nodes in component c, after pl_static.
static inline double golden_reaction(const kit_model *b, int n, const int *node, int c) {
  int dim = pl_model_dim(b->m);
  double sum = 0;
  for (int i = 0; i < n; i++) sum += b->w->r[node[i] * dim + c];
  return sum;
}

// Root of f between a and b, where it changes its sign, to the last bit.
static inline double golden_root(double (*f)(double x, const void *ctx), const void *ctx, double a,
                                 double b) {
  double fa = f(a, ctx);
  for (int k = 0; k < 200; k++) {
    double mid = a + (b - a) / 2, fm = f(mid, ctx);
    if ((fm < 0) == (fa < 0))
      a = mid;
    else
      b = mid;
  }
  return a + (b - a) / 2;
}

#endif
