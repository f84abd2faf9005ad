// A fit of responses on its way as plain numbers: one list of fields counts, saves and loads.
#include "fit_response_impl.h"

#include <limits.h>
#include <string.h>

enum { HARMONICS_MAX = 64, ONES = 13 };

static int count(double x) {
  return (int)fmin(fmax(x, 0), INT_MAX);
}

static void transfer_ones(fitter *f, pl_parcel *p) {
  fit_way *w = &f->at;
  double one[ONES] = {f->follow.harmonics,
                      w->stage,
                      w->pass,
                      w->tries,
                      w->steps,
                      f->lm.lambda,
                      w->first,
                      f->lm.cost,
                      f->data,
                      f->stale,
                      f->logs,
                      f->fit->iterations,
                      f->fit->evaluations};
  pl_parcel_pass(p, one, ONES);
  if (!p->load) return;
  *w = (fit_way){.stage = count(one[1]),
                 .pass = count(one[2]),
                 .tries = count(one[3]),
                 .steps = count(one[4]),
                 .first = one[6]};
  f->lm.lambda = one[5];
  f->lm.cost = one[7];
  f->data = one[8];
  f->stale = one[9] != 0;
  f->logs = one[10] != 0;
  f->fit->iterations = count(one[11]);
  f->fit->evaluations = count(one[12]);
}

// the curve stands behind all of it
static void transfer_all(fitter *f, pl_parcel *p) {
  size_t np = (size_t)f->npoint, nv = (size_t)f->nvar;
  transfer_ones(f, p);
  pl_parcel_pass(p, f->lm.x, nv);
  pl_parcel_pass(p, f->from, nv);
  pl_parcel_pass(p, f->y, 2 * np);
  pl_parcel_pass(p, f->weight, np);
  pl_parcel_pass(p, f->z, np * (size_t)f->d->n);
}

pl_status fit_keep(fitter *f) {
  if (!f->keeper || !f->keeper->keep) return PL_OK;
  pl_parcel p = {0};
  double *curve;
  size_t n;
  transfer_all(f, &p);
  PL_TRY(pl_curve_pack(f->curve, &curve, &n));
  p.x = pl_alloc(f->env, p.n + n, sizeof *p.x);
  pl_status st = p.x ? PL_OK : PL_E_NOMEM;
  if (st == PL_OK) {
    p.n = 0;
    transfer_all(f, &p);
    memcpy(p.x + p.n, curve, n * sizeof *curve);
    st = f->keeper->keep(f->keeper->ctx, p.n + n, p.x);
  }
  pl_free(f->env, p.x);
  pl_free(f->env, curve);
  return st;
}

static pl_status misfit(const fitter *f) {
  return pl_fail(f->env, PL_E_INPUT, "fit: what was kept to go on from is of another fit");
}

pl_status fit_kept_harmonics(const fitter *f, int *harmonics) {
  const pl_keeper *k = f->keeper;
  *harmonics = 0;
  if (!k || !k->from) return PL_OK;
  if (k->nfrom < ONES || !(k->from[0] >= 1) || !(k->from[0] <= HARMONICS_MAX)) return misfit(f);
  *harmonics = (int)k->from[0];
  return PL_OK;
}

pl_status fit_resume(fitter *f) {
  const pl_keeper *k = f->keeper;
  pl_parcel p = {0};
  pl_curve *curve;
  transfer_all(f, &p);
  size_t own = p.n;
  if (own > k->nfrom || own > INT_MAX || !pl_all_finite((int)own, k->from)) return misfit(f);
  PL_TRY(pl_curve_unpack(f->d->m, f->env, k->nfrom - own, k->from + own, &curve));
  p = (pl_parcel){.x = (double *)(uintptr_t)k->from, .load = 1};
  transfer_all(f, &p);
  if (f->curve != f->fit->curve[0]) pl_curve_free(f->curve);
  f->curve = curve;
  f->resumed = 1;
  return PL_OK;
}
