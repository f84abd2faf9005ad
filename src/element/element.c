// The table of kinds, and what the complex step makes of their kernels: f'(x) d = Im f(x + i s
// d)/s, exact to rounding for any small s since nothing is subtracted.
#define BODY "force.inc"
#include "kernel.h"
#include "element_impl.h"

#include <float.h>

#define X(name) &pl_elem_##name,
const pl_elem_kind *const pl_elem_table[PL_ELEM_COUNT] = {PL_ELEM_LIST(X)};
#undef X

const pl_elem_kind *pl_elem_find(const char *name) {
  for (int k = 0; k < PL_ELEM_COUNT; k++)
    if (strcmp(pl_elem_table[k]->name, name) == 0) return pl_elem_table[k];
  return NULL;
}

// z = x + i s d; x and d may be NULL
static void lift(int n, const double *x, const double *d, double s, double complex *z) {
  for (int i = 0; i < n; i++) z[i] = (x ? x[i] : 0) + (d ? s * d[i] : 0) * I;
}

static double larger(double size, int n, const double *d) {
  for (int i = 0; d && i < n; i++) size = fmax(size, fabs(d[i]));
  return size;
}

// step along a direction of this size: far below rounding, far above underflow
static double difference_step(double size) {
  return 1e-40 / size;
}

// eval for double of a kind that has one for complex numbers alone
static int eval_lifted(const pl_elem_kind *kind, const double *q, const double *par,
                       const double *rest, double *energy, double *grad, double *hess) {
  double complex zq[PL_NDOF_MAX], zpar[PL_NPAR_MAX], zrest[PL_NREST_MAX], W, g[PL_NDOF_MAX];
  double complex K[PL_NDOF_MAX * PL_NDOF_MAX];
  int n = kind->ndof;
  lift(n, q, NULL, 0, zq);
  lift(kind->npar, par, NULL, 0, zpar);
  lift(kind->nrest, rest, NULL, 0, zrest);
  if (kind->z.eval(zq, zpar, zrest, energy ? &W : NULL, grad ? g : NULL, hess ? K : NULL)) return 1;
  if (energy) *energy = creal(W);
  for (int i = 0; grad && i < n; i++) grad[i] = creal(g[i]);
  for (int i = 0; hess && i < n * n; i++) hess[i] = creal(K[i]);
  return 0;
}

int pl_elem_eval(const pl_elem_kind *kind, const double *q, const double *par, const double *rest,
                 double *energy, double *grad, double *hess) {
  return kind->d.eval ? kind->d.eval(q, par, rest, energy, grad, hess)
                      : eval_lifted(kind, q, par, rest, energy, grad, hess);
}

// kinds without data of the reference shape need not prepare any
static int prepare_of(const pl_elem_kind *kind, const double *X, double *rest) {
  return kind->d.prepare ? kind->d.prepare(X, rest) : 0;
}

pl_status pl_elem_third(const pl_elem_kind *kind, const double *q, const double *v,
                        const double *par, const double *rest, double *out) {
  if (kind->d.third) return kind->d.third(q, v, par, rest, out) ? PL_DOMAIN : PL_OK;
  double complex zq[PL_NDOF_MAX], zpar[PL_NPAR_MAX], zrest[PL_NREST_MAX];
  double complex K[PL_NDOF_MAX * PL_NDOF_MAX];
  int n = kind->ndof;
  double size = larger(DBL_MIN, n, v), s = difference_step(size);
  lift(n, q, v, s, zq);
  lift(kind->npar, par, NULL, 0, zpar);
  lift(kind->nrest, rest, NULL, 0, zrest);
  if (kind->z.eval(zq, zpar, zrest, NULL, NULL, K)) return PL_DOMAIN;
  for (int i = 0; i < n * n; i++) out[i] = cimag(K[i]) / s;
  return PL_OK;
}

pl_status pl_elem_force(const pl_elem_kind *kind, const pl_elem_motion *m, double *force) {
  static const double zero[PL_NDOF_MAX] = {0};
  double rest[PL_NREST_MAX], plain[PL_NREST_MAX], X[PL_NDOF_MAX];
  int grows = m->grow != 0;
  for (int i = 0; i < kind->ndof; i++)
    X[i] = (grows && i < kind->nvert * kind->vdim ? m->grow : 1) * m->X[i];
  if (prepare_of(kind, X, rest) || (grows && prepare_of(kind, m->X, plain))) return PL_DOMAIN;
  for (int i = 0; m->hist && i < kind->nhist; i++) rest[i] = m->hist[i];
  motion_d x = {.q = m->q,
                .v = m->v ? m->v : zero,
                .a = m->a ? m->a : zero,
                .par = m->par,
                .rest = rest,
                .weighed = grows ? plain : rest,
                .alpha = m->alpha,
                .beta = m->beta,
                .lumped = m->lumped,
                .rates = m->v || m->a || kind->circulatory,
                .stiff = m->beta != 0};
  double A[PL_NDOF_MAX * PL_NDOF_MAX];
  if (pl_elem_eval(kind, m->q, m->par, rest, NULL, force, x.rates && x.stiff ? A : NULL) ||
      force_d(&kind->d, kind->ndof, &x, A, force))
    return PL_DOMAIN;
  return PL_OK;
}

// rest data of X + i s dX, whose places are multiplied by grow
static int rest_along(const pl_elem_kind *kind, const double *X, const double *dX,
                      double complex grow, double s, double complex *zrest) {
  if (dX || grow != 1) {
    double complex zX[PL_NDOF_MAX];
    lift(kind->ndof, X, dX, s, zX);
    for (int i = 0; i < kind->nvert * kind->vdim; i++) zX[i] *= grow;
    return kind->z.prepare ? kind->z.prepare(zX, zrest) : 0;
  }
  double rest[PL_NREST_MAX];
  if (prepare_of(kind, X, rest)) return 1;
  lift(kind->nrest, rest, NULL, 0, zrest);
  return 0;
}

pl_status pl_elem_force_along(const pl_elem_kind *kind, const pl_elem_motion *m,
                              const pl_elem_direction *d, double *dforce) {
  double complex q[PL_NDOF_MAX], v[PL_NDOF_MAX], a[PL_NDOF_MAX], par[PL_NPAR_MAX];
  double complex rest[PL_NREST_MAX], plain[PL_NREST_MAX], force[PL_NDOF_MAX];
  int n = kind->ndof;
  double size = fmax(DBL_MIN, fmax(fmax(fabs(d->dalpha), fabs(d->dbeta)), fabs(d->dgrow)));
  size = larger(larger(larger(size, n, d->dq), n, d->dv), n, d->da);
  size = larger(larger(size, kind->npar, d->dpar), n, d->dX);
  double s = difference_step(size);
  lift(n, m->q, d->dq, s, q);
  lift(n, m->v, d->dv, s, v);
  lift(n, m->a, d->da, s, a);
  lift(kind->npar, m->par, d->dpar, s, par);
  int grows = m->grow != 0;
  double complex grow = grows ? m->grow + s * d->dgrow * I : 1;
  if (rest_along(kind, m->X, d->dX, grow, s, rest)) return PL_DOMAIN;
  if (grows && rest_along(kind, m->X, d->dX, 1, s, plain)) return PL_DOMAIN;
  for (int i = 0; m->hist && i < kind->nhist; i++) rest[i] = m->hist[i];

  motion_z x = {.q = q,
                .v = v,
                .a = a,
                .par = par,
                .rest = rest,
                .weighed = grows ? plain : rest,
                .alpha = m->alpha + s * d->dalpha * I,
                .beta = m->beta + s * d->dbeta * I,
                .lumped = m->lumped,
                .rates = m->v || m->a || d->dv || d->da || kind->circulatory,
                .stiff = m->beta != 0 || d->dbeta != 0};
  double complex A[PL_NDOF_MAX * PL_NDOF_MAX];
  if (kind->z.eval(q, par, rest, NULL, force, x.rates && x.stiff ? A : NULL) ||
      force_z(&kind->z, n, &x, A, force))
    return PL_DOMAIN;
  for (int i = 0; i < n; i++) dforce[i] = cimag(force[i]) / s;
  return PL_OK;
}

pl_status pl_elem_slide_along(const pl_elem_kind *kind, const pl_elem_motion *m,
                              const pl_elem_direction *d, int side, double *dw) {
  double complex q[PL_NDOF_MAX], par[PL_NPAR_MAX], rest[PL_NREST_MAX], w;
  int n = kind->ndof;
  double size = larger(larger(larger(DBL_MIN, n, d->dq), kind->npar, d->dpar), n, d->dX);
  double s = difference_step(size);
  lift(n, m->q, d->dq, s, q);
  lift(kind->npar, m->par, d->dpar, s, par);
  if (rest_along(kind, m->X, d->dX, 1, s, rest)) return PL_DOMAIN;
  if (kind->slider.z(q, par, rest, side, &w)) return PL_DOMAIN;
  *dw = cimag(w) / s;
  return PL_OK;
}
