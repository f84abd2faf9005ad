// Derivatives of an element's force along states, rates, parameters, rest positions and damping.
#include "kind_checks.h"

#include <stdio.h>
#include <string.h>

enum { NPART = 7 }; // dq dv da dpar dX dalpha dbeta

typedef struct line {
  const sample *s;
  const pl_elem_motion *m;
  const pl_elem_direction *d;
} line;

static void shift(int n, const double *x, double t, const double *d, double *y) {
  for (int i = 0; i < n; i++) y[i] = (x ? x[i] : 0) + (d ? t * d[i] : 0);
}

static void force_at(const void *ctx, double t, double *f) {
  const line *l = ctx;
  const pl_elem_motion *m = l->m;
  const pl_elem_direction *d = l->d;
  double q[PL_NDOF_MAX], v[PL_NDOF_MAX], a[PL_NDOF_MAX], par[PL_NPAR_MAX], X[PL_NDOF_MAX];
  shift(l->s->n, m->q, t, d->dq, q);
  shift(l->s->n, m->v, t, d->dv, v);
  shift(l->s->n, m->a, t, d->da, a);
  shift(l->s->kind->npar, m->par, t, d->dpar, par);
  shift(l->s->n, m->X, t, d->dX, X);
  pl_elem_motion displaced = {.q = q,
                              .v = v,
                              .a = a,
                              .par = par,
                              .X = X,
                              .alpha = m->alpha + t * d->dalpha,
                              .beta = m->beta + t * d->dbeta,
                              .lumped = m->lumped};
  assert_int_equal(pl_elem_force(l->s->kind, &displaced, f), PL_OK);
}

// a direction with the chosen parts only; whole numbers, and values at the ends of their ranges, do
// not move
typedef struct bundle {
  double dq[PL_NDOF_MAX], dv[PL_NDOF_MAX], da[PL_NDOF_MAX], dpar[PL_NPAR_MAX], dX[PL_NDOF_MAX];
} bundle;

static pl_elem_direction choose(const pl_elem_kind *kind, const double *par, pl_rng *r,
                                unsigned parts, bundle *b) {
  random_vector(r, kind->ndof, b->dq);
  random_vector(r, kind->ndof, b->dv);
  random_vector(r, kind->ndof, b->da);
  random_vector(r, kind->npar, b->dpar);
  random_vector(r, kind->ndof, b->dX);
  for (int k = 0; k < kind->npar; k++)
    if (kind->par[k].type == PL_OPT_INT || par[k] <= kind->par[k].lo || par[k] >= kind->par[k].hi)
      b->dpar[k] = 0;
  return (pl_elem_direction){.dq = parts & 1 ? b->dq : NULL,
                             .dv = parts & 2 ? b->dv : NULL,
                             .da = parts & 4 ? b->da : NULL,
                             .dpar = parts & 8 ? b->dpar : NULL,
                             .dX = parts & 16 ? b->dX : NULL,
                             .dalpha = parts & 32 ? pl_rng_uniform(r, -1, 1) : 0,
                             .dbeta = parts & 64 ? pl_rng_uniform(r, -1, 1) : 0};
}

static void along(void **state) {
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = sample_make(*state, seed);
    pl_rng r;
    pl_rng_seed(&r, seed + 500);
    double a[PL_NDOF_MAX], got[PL_NDOF_MAX], want[PL_NDOF_MAX];
    bundle b;
    random_vector(&r, s.n, a);
    pl_elem_motion m = {.q = s.q,
                        .v = s.v,
                        .a = a,
                        .par = s.par,
                        .X = s.X,
                        .alpha = 0.3,
                        .beta = seed % 5 ? 0.2 : 0,
                        .lumped = seed % 2};
    // each part alone, then all at once
    for (int part = 0; part <= NPART; part++) {
      pl_elem_direction d = choose(s.kind, s.par, &r, part < NPART ? 1u << part : 127, &b);
      assert_int_equal(pl_elem_force_along(s.kind, &m, &d, got), PL_OK);
      differentiate(force_at, &(line){&s, &m, &d}, s.n, want);
      char what[40];
      snprintf(what, sizeof what, "derivative along part %d", part);
      compare(&s, what, s.n, got, want, 1e-7);
    }
  }
}

// at rest: v and a are NULL, and still a direction may move them
static void from_rest(void **state) {
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = sample_make(*state, seed);
    pl_rng r;
    pl_rng_seed(&r, seed + 600);
    double got[PL_NDOF_MAX], want[PL_NDOF_MAX];
    bundle b;
    pl_elem_motion m = {.q = s.q, .par = s.par, .X = s.X, .alpha = 0.3, .beta = 0.2};
    static const unsigned parts[] = {1, 2, 4, 25, 127};
    for (int k = 0; k < 5; k++) {
      pl_elem_direction d = choose(s.kind, s.par, &r, parts[k], &b);
      assert_int_equal(pl_elem_force_along(s.kind, &m, &d, got), PL_OK);
      differentiate(force_at, &(line){&s, &m, &d}, s.n, want);
      compare(&s, "derivative from rest", s.n, got, want, 1e-7);
    }
    // the static force is the gradient
    assert_int_equal(pl_elem_force(s.kind, &m, got), PL_OK);
    assert_int_equal(s.kind->d.eval(s.q, s.par, s.rest, NULL, want, NULL), 0);
    if (!s.kind->circulatory) compare(&s, "static force", s.n, got, want, 1e-15);
  }
}

// the force put together from its parts
static void parts(void **state) {
  const pl_elem_kind *kind = *state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = sample_make(kind, seed);
    double a[PL_NDOF_MAX], got[PL_NDOF_MAX], want[PL_NDOF_MAX], x[PL_NDOF_MAX];
    double K[NHESS], M[NHESS] = {0}, visc[PL_NDOF_MAX] = {0};
    pl_rng r;
    pl_rng_seed(&r, seed);
    random_vector(&r, s.n, a);
    int lumped = seed % 2;
    pl_elem_motion m = {.q = s.q,
                        .v = s.v,
                        .a = a,
                        .par = s.par,
                        .X = s.X,
                        .alpha = 0.7,
                        .beta = 0.4,
                        .lumped = lumped};
    assert_int_equal(pl_elem_force(kind, &m, got), PL_OK);
    assert_int_equal(kind->d.eval(s.q, s.par, s.rest, NULL, want, K), 0);
    if (kind->d.mass) assert_int_equal(kind->d.mass(s.par, s.rest, lumped, M), 0);
    if (kind->d.visc) assert_int_equal(kind->d.visc(s.q, s.v, s.par, s.rest, visc, NULL, NULL), 0);
    pl_axpy(s.n, 0.7, s.v, a, x);
    for (int i = 0; i < s.n; i++)
      want[i] += visc[i] + pl_dot(s.n, M + i * s.n, x) + 0.4 * pl_dot(s.n, K + i * s.n, s.v);
    compare(&s, "force", s.n, got, want, 1e-14);
  }
}

// steps of any size give the same derivative
static void scaled(void **state) {
  sample s = sample_make(*state, 1);
  double dX[PL_NDOF_MAX], got[PL_NDOF_MAX], want[PL_NDOF_MAX];
  pl_elem_motion m = {.q = s.q, .v = s.v, .par = s.par, .X = s.X, .beta = 0.1};
  for (int i = 0; i < s.n; i++) dX[i] = sin(i + 1);
  assert_int_equal(pl_elem_force_along(s.kind, &m, &(pl_elem_direction){.dX = dX}, want), PL_OK);
  for (int k = -2; k <= 2; k++) {
    double t = pow(10, 30 * k), d[PL_NDOF_MAX];
    for (int i = 0; i < s.n; i++) d[i] = t * dX[i];
    assert_int_equal(pl_elem_force_along(s.kind, &m, &(pl_elem_direction){.dX = d}, got), PL_OK);
    for (int i = 0; i < s.n; i++) got[i] /= t;
    compare(&s, "derivative along a scaled direction", s.n, got, want, 1e-13);
  }
}

int test_along(void) {
  static const kind_test tests[] = {{"along", along, NULL},
                                    {"from rest", from_rest, NULL},
                                    {"parts", parts, NULL},
                                    {"scaled", scaled, NULL}};
  return run_kinds("element.along", tests, (int)(sizeof tests / sizeof tests[0]));
}
