#ifndef TESTS_ONE_ELEMENT_H
#define TESTS_ONE_ELEMENT_H

#include "check.h"
#include "models.h"

#include "pliant/follow.h"
#include "pliant/gradient.h"
#include "pliant/math.h"

#include <string.h>

// One element of any kind, each of its unknowns with a mass and a spring to the ground that is as
// stiff as the element, under random forces that move it by some per cent of its size.
typedef struct one_element {
  model_kit kit;
  kit_model b;
  const pl_elem_kind *kind;
  double X[PL_NDOF_MAX], par[PL_NPAR_MAX], v[PL_NDOF_MAX]; // v: rates at the start
  int stencil[PL_NDOF_MAX], ground[2 * PL_NDOF_MAX], mass[PL_NDOF_MAX], node[PL_NDOF_MAX];
  double stiffness, omega; // of the springs; of a mass on one of them, rad/s
  pl_target target[64];
  int ntarget;
} one_element;

enum { ONE_FIRST = 3 }; // directions before those of single parameters

static inline void one_target(one_element *o, int on_ref, int index, double coef) {
  assert_true(o->ntarget < 64);
  o->target[o->ntarget++] = (pl_target){on_ref, index, coef};
}

// a design parameter with the targets from `first` on; its own value is 0
static inline void one_direction(one_element *o, const char *name, int first) {
  o->kit.design[o->kit.d.ndesign++] = (pl_design_desc){.name = name,
                                                       .min = -1e9,
                                                       .max = 1e9,
                                                       .ntarget = o->ntarget - first,
                                                       .target = o->target + first};
}

// Not what names a law; nor where a bulk modulus of 0 says that the volume stays; nor the axis of a
// moment, about which turns add up where its length is one.
static inline int one_varies(const one_element *o, int i) {
  const pl_option *par = &o->kind->par[i];
  return par->type == PL_OPT_REAL && !(strcmp(par->name, "bulk") == 0 && o->par[i] == 0) &&
         !(strcmp(o->kind->name, "couple") == 0 && strncmp(par->name, "axis", 4) == 0);
}

// all parameters of the element at once, all places of it, and all that stands around it
static inline void one_directions(one_element *o, pl_rng *r) {
  const pl_elem_kind *k = o->kind;
  pl_model_desc *d = &o->kit.d;
  int first = o->ntarget, at = pl_par_group(d, 0, 0);
  for (int i = 0; i < k->npar; i++)
    if (one_varies(o, i))
      one_target(o, 0, at + i, (o->par[i] != 0 ? fabs(o->par[i]) : 1) * pl_rng_uniform(r, 0.5, 1));
  one_direction(o, "parameters", first);
  first = o->ntarget;
  for (int i = 0; i < k->ndof && i < 24; i++) one_target(o, 1, i, pl_rng_uniform(r, -1, 1));
  one_direction(o, "places", first);
  first = o->ntarget;
  one_target(o, 0, PL_PAR_ALPHA, d->alpha);
  one_target(o, 0, PL_PAR_BETA, d->beta);
  one_target(o, 0, pl_par_group(d, 1, 0), o->stiffness);
  one_target(o, 0, pl_par_group(d, 2, 0), 1);
  if (d->nload > 0) one_target(o, 0, pl_par_load(d, 0), o->stiffness * 0.05);
  one_direction(o, "around", first);
}

// stiffness of the element where it is sampled, largest entry
static inline double one_stiffness(one_element *o, const double *q) {
  double rest[PL_NREST_MAX], W, g[PL_NDOF_MAX], H[PL_NDOF_MAX * PL_NDOF_MAX];
  const pl_elem_kind *k = o->kind;
  if (k->d.prepare) assert_int_equal(k->d.prepare(o->X, rest), 0);
  assert_int_equal(pl_elem_eval(k, q, o->par, rest, &W, g, H), 0);
  return pl_max_abs(k->ndof * k->ndof, H);
}

// held: angles of rods have no springs, which would be measured from anchors that move; the first
// of them is held
static inline void one_open(one_element *o, pl_env *env, const pl_elem_kind *kind, unsigned seed,
                            int held) {
  memset(o, 0, sizeof *o);
  o->kind = kind;
  pl_rng r;
  pl_rng_seed(&r, seed);
  double q[PL_NDOF_MAX], spring[4] = {0}, mass = 3;
  kind->sample(seed, o->X, q, o->v, o->par);
  for (int i = 0; i < kind->npar; i++)
    o->par[i] = fmin(fmax(o->par[i], kind->par[i].lo), kind->par[i].hi);
  // twice that of the element, which may be negative
  o->stiffness = 2 * fmax(one_stiffness(o, o->X), one_stiffness(o, q));
  if (!(o->stiffness > 1e-3)) o->stiffness = 1;
  o->omega = sqrt(o->stiffness / mass);
  spring[0] = o->stiffness;
  // scalars alone are nodes on a line
  int dim = kind->nvert > 0 ? kind->vdim : 1, nnode = kind->nvert > 0 ? kind->nvert : kind->nscal;
  int places = kind->nvert * dim;
  model_kit *k = &o->kit;
  kit_init(k, env, dim);
  k->d.nnode = nnode;
  k->d.X = o->X;
  k->d.nextra = kind->ndof - nnode * dim;
  k->d.extra = o->X + places;
  for (int i = 0; i < kind->nvert; i++) o->stencil[i] = i;
  for (int i = 0; i < kind->nscal; i++) o->stencil[kind->nvert + i] = places + i;
  for (int i = 0; i < kind->ndof; i++) {
    o->ground[2 * i] = -1;
    o->ground[2 * i + 1] = o->mass[i] = i;
    o->v[i] = 0.05 * o->omega * pl_rng_uniform(&r, -1, 1);
  }
  kit_group(k, "element", kind->name, 1, o->stencil, 1, o->par);
  int rod = held && kind->section != NULL;
  kit_group(k, "ground", "spring1", rod ? places : kind->ndof, o->ground, 1, spring);
  kit_group(k, "mass", "mass1", kind->ndof, o->mass, 1, &mass);
  for (int i = 0; i < nnode; i++) {
    o->node[i] = i;
    pl_load_desc *l = &k->load[k->d.nload++];
    *l = (pl_load_desc){.nnode = 1, .node = &o->node[i]};
    for (int c = 0; c < dim; c++)
      l->term.amplitude[c] = 0.05 * o->stiffness * pl_rng_uniform(&r, -1, 1);
  }
  static const int first = 0;
  if (rod) {
    pl_drive_desc *d = &k->drive[k->d.ndrive++];
    *d = (pl_drive_desc){.name = "angle", .nscal = 1, .scal = &first};
  }
  k->d.load = k->load;
  k->d.alpha = 0.1 * o->omega;
  k->d.beta = 0.02 / o->omega;
  one_directions(o, &r);
  kit_build(k, 1, &o->b);
}

static inline void one_close(one_element *o) {
  kit_model_free(&o->b);
  kit_free(&o->kit);
}

static inline void one_gradient(one_element *o, pl_env *env, pl_gradient **out) {
  pl_direction dir[8];
  int n = o->kit.d.ndesign;
  for (int i = 0; i < n; i++)
    dir[i] = (pl_direction){o->kit.design[i].ntarget, o->kit.design[i].target};
  check_ok(env, pl_gradient_create(env, o->b.m, o->b.p, 1, n, dir, out));
}

// Central differences of fourth order of what run gives: out[n] by design parameter i, which is 0.
typedef void (*one_run)(one_element *o, double *y);
static inline void one_differences(one_element *o, one_run run, int i, double h, int n,
                                   double *out) {
  static const double at[4] = {1, -1, 2, -2}, weight[4] = {2.0 / 3, -2.0 / 3, -1.0 / 12, 1.0 / 12};
  double y[4 * PL_NDOF_MAX], x[8] = {0};
  memset(out, 0, (size_t)n * sizeof *out);
  for (int k = 0; k < 4; k++) {
    x[i] = at[k] * h;
    assert_int_equal(pl_params_set_design(o->b.m, o->b.p, x), PL_OK);
    run(o, y);
    pl_axpy(n, weight[k] / h, y, out, out);
  }
  x[i] = 0;
  assert_int_equal(pl_params_set_design(o->b.m, o->b.p, x), PL_OK);
}

#endif
