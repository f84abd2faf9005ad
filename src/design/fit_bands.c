// Bands of fitted values: s^2 (J'J)^-1 and Student's t, the freedom of every value by that of the
// sets it comes from (Satterthwaite). Where the sum of squares does not rise as the linear model
// says, its profile is followed: the other values fitted anew, one of them held (Bates and Watts).
#include "fit_response_impl.h"

#include <float.h>
#include <string.h>

enum { INNER = 8, OUTER = 12 };
static const double TRUSTED = 0.05; // part of its width by which a linear band may be off
static const double CLOSE = 0.01;   // the same for a band by the profile

// ---- parts of the sets ------------------------------------------------------------------------

void fit_used(fitter *f) {
  int n = f->nvar, row = 0;
  double *a = f->lm.step;
  int known = pl_marquardt_factor(&f->lm, 0) > 0;
  for (int s = 0; s < f->nset; s++) {
    f->used[s] = 0;
    for (int i = f->set[s].n * frf_width(&f->set[s]); i-- > 0; row++) {
      for (int k = 0; k < n; k++)
        a[k] = f->lm.active[k] ? 0
                               : f->lm.J[(size_t)k * (size_t)f->nrow + (size_t)row] / f->lm.size[k];
      if (known) pl_cholesky_solve(n, f->lm.C, a);
      for (int k = 0; k < n && known; k++)
        if (!f->lm.active[k])
          f->used[s] += a[k] * f->lm.J[(size_t)k * (size_t)f->nrow + (size_t)row] / f->lm.size[k];
    }
  }
}

// freedom of a value's variance, the sum of the sets' parts; c: row of the scaled inverse
static double freedom_of(const fitter *f, const double *c) {
  double sum = 0, sum2 = 0;
  int row = 0;
  for (int s = 0; s < f->nset; s++) {
    int rows = f->set[s].n * frf_width(&f->set[s]);
    double part = 0;
    for (int i = 0; i < rows; i++, row++) {
      double a = 0;
      for (int k = 0; k < f->nvar; k++)
        if (!f->lm.active[k])
          a += c[k] / f->lm.size[k] * f->lm.J[(size_t)k * (size_t)f->nrow + (size_t)row];
      part += a * a;
    }
    sum += part;
    sum2 += part * part / fmax(rows - f->used[s], 1);
  }
  return f->nset > 1 ? sum * sum / sum2 : f->fit->freedom;
}

// values whose effects cannot be told apart: those of the weakest direction
static pl_status find_weak(fitter *f) {
  int n = f->nvar;
  double *scratch = pl_alloc(f->env, 2 * (size_t)n * (size_t)n + (size_t)n, sizeof *scratch);
  if (!scratch) return PL_E_NOMEM;
  double *A = scratch, *V = A + n * n, *lambda = V + n * n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int out = f->lm.active[i] || f->lm.active[j];
      A[i * n + j] = i == j ? 1 : out ? 0 : f->lm.A[i * n + j] / (f->lm.size[i] * f->lm.size[j]);
    }
  pl_eig(n, A, lambda, V);
  f->fit->independent = fmax(lambda[0], 0);
  for (int i = 0; i < n && lambda[0] < 1e-8; i++)
    if (fabs(V[i]) > 1e-3 && f->fit->nweak < 8) f->fit->weak[f->fit->nweak++] = i;
  pl_free(f->env, scratch);
  return PL_OK;
}

// ---- profile of the sum of squares ------------------------------------------------------------

typedef struct profile {
  fitter *f;
  int k;                 // the value
  double s2, q;          // variance of a number of unit weight; quantile
  double cost;           // least sum of squares
  double *x, *z, *y, *r; // the fit itself
  double *line;          // [nvar] change of all values from the fit to the linear band's end
  double most;           // times so far the value is at its bound
} profile;

static void restore(profile *p) {
  fitter *f = p->f;
  memcpy(f->lm.x, p->x, (size_t)f->nvar * sizeof *f->lm.x);
  memcpy(f->z, p->z, (size_t)f->npoint * (size_t)f->d->n * sizeof *f->z);
  memcpy(f->y, p->y, 2 * (size_t)f->npoint * sizeof *f->y);
  memcpy(f->r, p->r, (size_t)f->nrow * sizeof *f->r);
  f->lm.cost = p->cost;
  if (f->curve != f->fit->curve[1]) {
    pl_curve_free(f->curve);
    f->curve = f->fit->curve[1];
  }
  f->lm.held = -1;
}

// *rise: root of the sum's rise over that of the linear model at its band's end, by times as far
// away; PL_UNSOLVED, PL_DOMAIN: samples have no motion there
static pl_status rise_at(profile *p, double by, double *rise) {
  fitter *f = p->f;
  double cost;
  for (int i = 0; i < f->nvar; i++)
    f->lm.to[i] = fmin(fmax(p->x[i] + by * p->line[i], f->d->var[i].lo), f->d->var[i].hi);
  PL_TRY(fit_evaluate(f, f->lm.to, 1, &cost));
  fit_accept(f, f->lm.to, cost);
  *rise = sqrt(fmax(cost - p->cost, 0) / (p->q * p->q * p->s2));
  return PL_OK;
}

// the same after the other values were fitted anew
static pl_status rise_of_profile(profile *p, double by, double *rise) {
  fitter *f = p->f;
  restore(p);
  PL_TRY(rise_at(p, by, rise));
  f->lm.held = p->k;
  PL_TRY(fit_differentiate(f));
  pl_status st = fit_iterate(f, INNER);
  if (st != PL_OK && st != PL_UNSOLVED) return st;
  *rise = sqrt(fmax(f->lm.cost - p->cost, 0) / (p->q * p->q * p->s2));
  return PL_OK;
}

// where the profile has risen enough, or the value's bound: *by times as far as the linear end.
// *lost: motions end first.
static pl_status follow_profile(profile *p, double *by, int *lost) {
  double lo = 0, hi = INFINITY, rise;
  *lost = 0;
  for (int i = 0; i < OUTER; i++) {
    pl_status st = rise_of_profile(p, *by, &rise);
    if (st < 0 || st == PL_CANCELLED) return st;
    if (st != PL_OK) {
      hi = *by;
      *lost = 1;
      *by = 0.5 * (lo + hi);
      continue;
    }
    if (fabs(rise - 1) <= CLOSE || (rise < 1 && *by >= p->most)) {
      *lost = 0;
      return PL_OK;
    }
    if (rise > 1) {
      hi = *by;
      *lost = 0;
    } else {
      lo = *by;
    }
    // the root of the rise is a straight line where the model is linear
    double next = *by * fmin(fmax(1 / fmax(rise, DBL_MIN), 0.3), 2);
    *by = next > lo && next < hi ? next : isfinite(hi) ? 0.5 * (lo + hi) : 2 * lo;
    *by = fmin(*by, p->most);
  }
  // not found: what is surely within
  *lost = 1;
  *by = lo > 0 ? lo : 1;
  return PL_OK;
}

// one end of a value's band, by: how far beyond or within the linear one
static pl_status one_end(profile *p, int side, double *by) {
  pl_fit_band *b = &p->f->fit->value[p->k];
  const variable *v = &p->f->d->var[p->k];
  double rise = 0;
  // values beyond a bound are no values
  p->most = (side > 0 ? v->hi - p->x[p->k] : p->x[p->k] - v->lo) / b->band;
  *by = fmin(1, p->most);
  if (p->most <= 0) return PL_OK;
  for (int i = 0; i < p->f->nvar; i++) p->line[i] *= side;
  pl_status st = *by < 1 ? PL_UNSOLVED : rise_at(p, 1, &rise);
  if (st < 0 || st == PL_CANCELLED) return st;
  if (st == PL_OK && fabs(rise - 1) <= TRUSTED) return PL_OK;
  int lost = 0;
  PL_TRY(follow_profile(p, by, &lost));
  b->bent = lost ? PL_BAND_LOST : b->bent > PL_BAND_PROFILE ? b->bent : PL_BAND_PROFILE;
  return PL_OK;
}

// both ends of all bands looked at; C: scaled inverse of the normal matrix
static pl_status check_bands(fitter *f, const double *C, double s2, const double *q) {
  size_t nv = (size_t)f->nvar, nz = (size_t)f->npoint * (size_t)f->d->n, ny = 2 * (size_t)f->npoint;
  double *scratch = pl_alloc(f->env, 3 * nv + nz + ny + (size_t)f->nrow, sizeof *scratch);
  if (!scratch) return PL_E_NOMEM;
  profile p = {.f = f, .s2 = s2, .cost = f->lm.cost, .x = scratch, .line = scratch + nv};
  double *size = p.line + nv; // of the fit; steps change their own
  p.z = size + nv;
  p.y = p.z + nz;
  p.r = p.y + ny;
  memcpy(p.x, f->lm.x, nv * sizeof *f->lm.x);
  memcpy(p.z, f->z, nz * sizeof *f->z);
  memcpy(p.y, f->y, ny * sizeof *f->y);
  memcpy(p.r, f->r, (size_t)f->nrow * sizeof *f->r);
  memcpy(size, f->lm.size, nv * sizeof *f->lm.size);
  pl_stop reason = f->fit->reason;
  int steps = f->fit->iterations;
  const pl_keeper *keeper = f->keeper;
  f->keeper = NULL; // what was kept last leads here again
  pl_status st = PL_OK;
  for (int k = 0; st == PL_OK && k < f->nvar; k++) {
    pl_fit_band *b = &f->fit->value[k];
    if (b->band < 0) continue;
    double by[2] = {1, 1};
    p.k = k;
    p.q = q[k];
    for (int side = 0; st == PL_OK && side < 2; side++) {
      for (int i = 0; i < f->nvar; i++)
        p.line[i] = C[k * f->nvar + i] == 0
                        ? 0
                        : b->band * C[k * f->nvar + i] / C[k * f->nvar + k] * size[k] / size[i];
      st = one_end(&p, side ? 1 : -1, &by[side]);
      restore(&p);
    }
    b->low = b->after - by[0] * b->band;
    b->high = b->after + by[1] * b->band;
    b->band = 0.5 * (b->high - b->low);
  }
  f->fit->reason = reason;
  f->fit->iterations = steps;
  f->keeper = keeper;
  pl_free(f->env, scratch);
  return st;
}

// ---- all of it --------------------------------------------------------------------------------

static void linear_bands(fitter *f, const double *C, double s2, int nfree, double *q) {
  pl_response_fit *fit = f->fit;
  int n = f->nvar;
  double level = f->o->bands == PL_BANDS_TOGETHER ? pow(fit->level, 1.0 / nfree) : fit->level;
  for (int k = 0; k < n; k++) {
    pl_fit_band *b = &fit->value[k];
    if (f->lm.active[k]) continue;
    b->error = sqrt(s2 * C[k * n + k]) / f->lm.size[k];
    q[k] = pl_student(0.5 + 0.5 * level, freedom_of(f, C + k * n));
    b->band = b->error * q[k];
    b->low = b->after - b->band;
    b->high = b->after + b->band;
    for (int i = 0; i < n; i++)
      if (!f->lm.active[i])
        fit->correlation[k * n + i] = C[k * n + i] / sqrt(C[k * n + k] * C[i * n + i]);
  }
}

pl_status fit_bands(fitter *f) {
  pl_response_fit *fit = f->fit;
  int n = f->nvar, held = 0;
  for (int k = 0; k < n; k++) held += f->lm.active[k];
  fit->nsample = f->nrow;
  fit->freedom = f->nrow - n + held;
  for (int k = 0; k < n; k++) {
    pl_fit_band *b = &fit->value[k];
    b->after = f->lm.x[k];
    b->bound = f->lm.x[k] <= f->d->var[k].lo || f->lm.x[k] >= f->d->var[k].hi;
    b->error = b->band = -1;
  }
  PL_TRY(find_weak(f));
  double least = pl_marquardt_factor(&f->lm, 0),
         s2 = fit->freedom > 0 ? f->lm.cost / fit->freedom : 0;
  if (!(fit->freedom > 0 && least > 0 && fit->nweak == 0 && held < n)) return PL_OK;
  double *C = pl_alloc(f->env, (size_t)n * (size_t)n + (size_t)n, sizeof *C); // scaled inverse
  if (!C) return PL_E_NOMEM;
  for (int k = 0; k < n; k++) {
    C[k * n + k] = 1;
    pl_cholesky_solve(n, f->lm.C, C + k * n);
  }
  linear_bands(f, C, s2, n - held, C + n * n);
  // without scatter there is nothing to follow
  double floor = fmax(f->o->rtol, f->o->xtol);
  pl_status st =
      s2 * fit->freedom > floor * floor * f->data ? check_bands(f, C, s2, C + n * n) : PL_OK;
  pl_free(f->env, C);
  return st;
}
