#ifndef TESTS_SHELLS_H
#define TESTS_SHELLS_H

// Mid-edge shells on all kinds of meshes, for golden and order tests.

#include "golden.h"

#include <string.h>

enum { SHELL_RANDOM = PL_EQUILATERAL + 1 }; // alternating squares, inner vertices moved

static const double shell_young = 1e9, shell_density = 1000;

static inline double shell_stiffness(double thick, double nu) {
  return shell_young * pow(thick, 3) / (12 * (1 - nu * nu));
}

// a rectangle from the origin, n cells along x
static inline pl_mesh *shell_mesh(pl_env *env, int n, double lx, double ly, int pattern) {
  pl_mesh *m;
  double row = pattern == PL_EQUILATERAL ? sqrt(0.75) : 1;
  int ny = (int)fmax(1, rint(n * ly / lx / row));
  check_ok(env, pl_gen_grid(env, n, ny, lx, ly,
                            pattern == SHELL_RANDOM ? PL_ALTERNATING : (pl_pattern)pattern, &m));
  pl_rng r;
  pl_rng_seed(&r, 3);
  for (int i = 0; i < m->nvert && pattern == SHELL_RANDOM; i++) {
    double *x = m->X + 3 * i, move = 0.25 * lx / n;
    int inner = x[0] > 0.5 * lx / n && x[0] < lx - 0.5 * lx / n && x[1] > 0.5 * ly / ny &&
                x[1] < ly - 0.5 * ly / ny;
    for (int c = 0; c < 2 && inner; c++) x[c] += pl_rng_uniform(&r, -move, move);
  }
  return m;
}

// k->mesh as a shell in space; clamp: vertices for which held() is true are one clamp
static inline void shell_make(model_kit *k, double nu, double thick, int variant,
                              int (*held)(const double *X)) {
  int *clamp = held ? kit_keep(k, k->mesh->nvert, sizeof *clamp) : NULL;
  for (int i = 0; clamp && i < k->mesh->nvert; i++) clamp[i] = held(k->mesh->X + 3 * i) ? 0 : -1;
  kit_shell(k, (double[]){shell_young, nu, shell_density, thick}, variant, clamp);
}

static inline int shell_left(const double *X) {
  return X[0] < 1e-9;
}

// Bending energy per area in the middle half (each way) of a unit square whose vertices are driven
// to x + u(x), directors free. At boundaries directors turn until no moment is left, which reaches
// a few cells inwards.
static inline double shell_density_of(pl_env *env, pl_mesh *m,
                                      void (*u)(const double *X, double *u), double nu,
                                      double thick, int variant) {
  static model_kit k;
  kit_model b;
  kit_init(&k, env, 3);
  k.mesh = m;
  shell_make(&k, nu, thick, variant, NULL);
  // the membrane plays no part
  k.group[0] = k.group[--k.d.ngroup];
  for (int i = 0; i < k.d.nnode; i++) {
    double d[3];
    u(k.X + 3 * i, d);
    kit_shift(&k, 1, &i, 7, d);
  }
  kit_build(&k, 1, &b);
  golden_static(&b, 1e-11, 1);
  int n = k.group[0].nelem;
  double *density = kit_keep(&k, n, sizeof *density), W = 0, all = 0;
  pl_eval_field(b.m, b.p, b.s, 0, 1, NULL, density);
  for (int t = 0; t < n; t++) {
    const int *v = k.group[0].stencil + 9 * t;
    double e[2][3], mid[3] = {0}, c[3];
    for (int i = 0; i < 9; i++) mid[i % 3] += k.X[3 * v[i / 3] + i % 3] / 3;
    if (fmax(fabs(mid[0] - 0.5), fabs(mid[1] - 0.5)) > 0.25) continue;
    for (int i = 0; i < 2; i++) pl_sub3(k.X + 3 * v[i + 1], k.X + 3 * v[0], e[i]);
    pl_cross3(e[0], e[1], c);
    W += density[t] * pl_norm3(c) / 2;
    all += pl_norm3(c) / 2;
  }
  kit_model_free(&b);
  kit_free(&k);
  return W / all;
}

#endif
