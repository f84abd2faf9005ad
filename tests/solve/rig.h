#ifndef SOLVE_RIG_H
#define SOLVE_RIG_H

// Small models for the tests of analyses, described directly.
#include "check.h"
#include "pliant/math.h"
#include "pliant/solve.h"

#include <stdlib.h>
#include <string.h>

typedef struct rig {
  pl_env env;
  pl_model *m;
  pl_params *p;
  pl_state *s;
  pl_work *w;
} rig;

static inline pl_status rig_try(rig *r, const pl_model_desc *d, int nthread) {
  PL_TRY(pl_model_create(&r->env, d, &r->m));
  PL_TRY(pl_params_create(r->m, &r->p));
  PL_TRY(pl_state_create(r->m, r->p, &r->s));
  return pl_work_create(r->m, nthread, &r->w);
}

static inline void rig_close(rig *r) {
  if (!r->m) return;
  pl_work_free(r->w);
  pl_state_free(r->m, r->s);
  pl_params_free(r->p);
  pl_model_free(r->m);
}

static inline void rig_open(rig *r, const pl_model_desc *d, int nthread) {
  memset(r, 0, sizeof *r);
  pl_env_init(&r->env);
  check_ok(&r->env, rig_try(r, d, nthread));
}

static inline pl_static_opts static_defaults(void) {
  pl_static_opts o;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  return o;
}

static inline pl_transient_opts transient_defaults(void) {
  pl_transient_opts o;
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &o);
  return o;
}

static inline const pl_elem_kind *kind_of(const char *name) {
  const pl_elem_kind *k = pl_elem_find(name);
  assert_non_null(k);
  return k;
}

// one scalar unknown: spring (k, k2, k3, c) to ground, mass, and a load
typedef struct oscillator {
  double spring[4], mass[1], X[1];
  int ground[2], node[1];
  pl_group_desc group[2];
  pl_load_desc load[1];
  pl_model_desc desc;
} oscillator;

static inline void oscillator_make(oscillator *o, double m, double k, double k3, double c) {
  *o = (oscillator){.spring = {k, 0, k3, c}, .mass = {m}, .ground = {-1, 0}};
  o->group[0] = (pl_group_desc){"spring", kind_of("spring1"), 1, o->ground, 1, o->spring, 0};
  o->group[1] = (pl_group_desc){"mass", kind_of("mass1"), 1, o->node, 1, o->mass, 0};
  o->load[0] = (pl_load_desc){"push", 1, o->node, {0, {0}, 0}};
  o->desc = (pl_model_desc){
      .dim = 1, .nnode = 1, .X = o->X, .ngroup = 2, .nload = 1, .group = o->group, .load = o->load};
}

// a bob on a nearly rigid rod of length L, at an angle from hanging, in the plane
typedef struct pendulum {
  double X[4], link[2], mass[1];
  int end[2], fix[1];
  pl_group_desc group[2];
  pl_drive_desc drive[1];
  pl_model_desc desc;
} pendulum;

static inline void pendulum_make(pendulum *p, double L, double angle, double k) {
  *p = (pendulum){.X = {0, 0, L * sin(angle), -L * cos(angle)}, .link = {k, 0}, .mass = {1}};
  p->end[1] = 1;
  p->group[0] = (pl_group_desc){"rod", kind_of("link"), 1, p->end, 1, p->link, 0};
  p->group[1] = (pl_group_desc){"bob", kind_of("point"), 1, p->end + 1, 1, p->mass, 0};
  p->drive[0] = (pl_drive_desc){.nnode = 1, .node = p->fix, .mask = 3};
  p->desc = (pl_model_desc){.dim = 2,
                            .nnode = 2,
                            .X = p->X,
                            .ngroup = 2,
                            .ndrive = 1,
                            .group = p->group,
                            .drive = p->drive,
                            .gravity = {0, -9.81, 0}};
}

// two links from (-b, 0) and (b, 0) to (0, h); load down at the top
typedef struct truss {
  double X[6], par[2], mass[1];
  int end[4], fix[2], top[1];
  pl_group_desc group[2];
  pl_drive_desc drive[1];
  pl_load_desc load[1];
  pl_model_desc desc;
} truss;

static inline void truss_make(truss *t, double b, double h, double k, double P) {
  *t = (truss){.X = {-b, 0, 0, h, b, 0}, .par = {k, 0}, .end = {0, 1, 1, 2}, .fix = {0, 2}};
  t->top[0] = 1;
  t->group[0] = (pl_group_desc){"bars", kind_of("link"), 2, t->end, 1, t->par, 0};
  t->drive[0] = (pl_drive_desc){.nnode = 2, .node = t->fix, .mask = 3};
  t->load[0] = (pl_load_desc){"down", 1, t->top, {0, {0, -P, 0}, 0}};
  t->desc = (pl_model_desc){.dim = 2,
                            .nnode = 3,
                            .X = t->X,
                            .ngroup = 1,
                            .ndrive = 1,
                            .nload = 1,
                            .group = t->group,
                            .drive = t->drive,
                            .load = t->load};
}

// vertical force that holds the top at height y: 2 k y (L/l - 1)
static inline double truss_force(double b, double h, double k, double y) {
  return 2 * k * y * (sqrt(b * b + h * h) / sqrt(b * b + y * y) - 1);
}

// a box of nx x ny x nz cells, six tetrahedra each, with sides a
typedef struct box {
  int nnode, ntet, n[3];
  double *X;
  int *tet;
} box;

static inline int box_node(const box *b, int i, int j, int k) {
  return (i * (b->n[1] + 1) + j) * (b->n[2] + 1) + k;
}

static inline void box_make(box *b, int nx, int ny, int nz, const double a[3]) {
  *b = (box){.n = {nx, ny, nz}, .nnode = (nx + 1) * (ny + 1) * (nz + 1), .ntet = 6 * nx * ny * nz};
  b->X = malloc((size_t)b->nnode * 3 * sizeof *b->X);
  b->tet = malloc((size_t)b->ntet * 4 * sizeof *b->tet);
  for (int i = 0; i <= nx; i++)
    for (int j = 0; j <= ny; j++)
      for (int k = 0; k <= nz; k++) {
        double *x = b->X + 3 * box_node(b, i, j, k);
        x[0] = a[0] * i / nx;
        x[1] = a[1] * j / ny;
        x[2] = a[2] * k / nz;
      }
  // Kuhn: one tetrahedron per order of the axes, odd orders with two corners swapped
  static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  int *t = b->tet;
  for (int c = 0; c < nx * ny * nz; c++)
    for (int o = 0; o < 6; o++, t += 4) {
      int at[3] = {c / (ny * nz), c / nz % ny, c % nz};
      for (int v = 0; v < 4; v++) {
        t[v] = box_node(b, at[0], at[1], at[2]);
        if (v < 3) at[order[o][v]]++;
      }
      if (o >= 3) {
        int swap = t[1];
        t[1] = t[2];
        t[2] = swap;
      }
    }
}

static inline void box_free(box *b) {
  free(b->X);
  free(b->tet);
}

#endif
