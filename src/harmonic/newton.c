// Newton's method on h(z, omega) = 0 at a fixed frequency, by full steps: the norm of the residual
// tells little about thin structures, where every turn stretches a stiff direction a little. The
// length of the steps tells whether it converges.
#include "harmonic_impl.h"

#include <stdio.h>
#include <string.h>

enum { PATIENCE = 6, HALVINGS = 12 };

typedef struct newton {
  pl_hb *hb;
  pl_bordered *b;
  double *z, *dz, *next; // [n]; z is the orbit's
  double omega, rtol;
  double error, step; // residual, largest change of a coefficient
  pl_stop why;
} newton;

double hb_residual_size(const pl_hb *hb) {
  double size = hb->dynamic > 0 ? hb->dynamic : hb->statics, most = pl_max_abs(hb->n, hb->h);
  return size > 0 ? most / size : most;
}

static pl_status progress(const newton *nt, int it) {
  char text[96];
  snprintf(text, sizeof text, "%.6g rad/s, iteration %d, residual %.2e, step %.2e", nt->omega, it,
           nt->error, nt->step);
  return pl_report_progress(nt->hb->env, "harmonic balance", -1, text);
}

// dz = -J^-1 h as exactly as the next iterate can use; a residual far above the dynamic forces sits
// in stiff directions and must not spill into soft ones
static pl_status correction(newton *nt, double *dz) {
  int n = nt->hb->n;
  double e = pl_hb_error(nt->hb), left = fmax(0.1 * nt->rtol, fmin(1e-7, 0.1 * e * e));
  double eta = e > 0 ? left / e : 1e-3;
  for (int i = 0; i < n; i++) dz[i] = -nt->hb->h[i];
  pl_status s = bordered_solve_to(nt->b, fmax(1e-13, fmin(1e-3, eta)), dz, 0, dz, NULL);
  if (s == PL_SINGULAR) nt->why = PL_STOP_SINGULAR;
  return s == PL_SINGULAR ? PL_UNSOLVED : s;
}

// next = z + step dz for the longest step, halved from 1, that is inside the domain
static pl_status full_step(newton *nt, unsigned want) {
  int n = nt->hb->n;
  double step = 1;
  for (int k = 0; k < HALVINGS; k++, step *= 0.5) {
    if (step < 1)
      for (int i = 0; i < n; i++) nt->dz[i] *= 0.5;
    PL_TRY(hb_move(nt->hb, nt->z, nt->dz, nt->next));
    hb_mixed(nt->hb, nt->z, nt->dz);
    pl_status s = pl_hb_eval(nt->hb, nt->next, nt->omega, want);
    if (s != PL_DOMAIN) return s;
  }
  nt->why = PL_STOP_DOMAIN;
  return PL_UNSOLVED;
}

// largest coefficient that oscillates
static double motion(const newton *nt) {
  int L = nt->hb->f.L;
  double most = 0;
  for (int i = 0; i < nt->hb->nfree; i++)
    most = fmax(most, pl_max_abs(L - 1, nt->z + (size_t)i * (size_t)L + 1));
  return most;
}

// steps far below the motion: what is left of the residual is rounding in stiff forces
static int at_rounding(const newton *nt) {
  return nt->error < ROUNDING_ERROR && nt->step <= ROUNDING_STEP * motion(nt);
}

static pl_status iterate(newton *nt, int max_iter, int *iterations) {
  int n = nt->hb->n, best_at = 0;
  double least_step = INFINITY, least_h = INFINITY, first = 0;
  pl_status s = pl_hb_eval(nt->hb, nt->z, nt->omega, PL_HB_RESIDUAL | PL_HB_JACOBIAN);
  nt->why = PL_STOP_DOMAIN;
  if (s == PL_DOMAIN) return PL_UNSOLVED;
  PL_TRY(s);
  nt->error = pl_hb_error(nt->hb);
  for (int it = 0; it < max_iter; it++) {
    PL_TRY(progress(nt, it));
    PL_TRY(pl_bordered_set(nt->b, NULL, NULL, 0));
    PL_TRY(correction(nt, nt->dz));
    ++*iterations;
    nt->step = pl_max_abs(n, nt->dz);
    double h = pl_max_abs(n, nt->hb->h);
    if (nt->step < least_step || h < least_h) best_at = it;
    least_step = fmin(least_step, nt->step);
    least_h = fmin(least_h, h);
    if (it - best_at >= PATIENCE) break;
    if (it == 0) first = nt->step;
    if (nt->step > 2 * first && nt->step > motion(nt)) break;
    // near the end the Jacobian of the next iterate will most likely not be wanted
    int near = nt->error < 1e-4;
    PL_TRY(full_step(nt, PL_HB_RESIDUAL | (near ? 0 : PL_HB_JACOBIAN)));
    memcpy(nt->z, nt->next, (size_t)n * sizeof(double));
    nt->error = pl_hb_error(nt->hb);
    if (nt->error <= nt->rtol || at_rounding(nt)) return PL_OK;
    if (near) PL_TRY(pl_hb_eval(nt->hb, nt->z, nt->omega, PL_HB_RESIDUAL | PL_HB_JACOBIAN));
  }
  nt->why = PL_STOP_MAX_ITER;
  return PL_UNSOLVED;
}

pl_status pl_hb_newton(pl_hb *hb, pl_bordered *b, pl_orbit *orbit, double rtol, int max_iter,
                       pl_periodic_info *info) {
  size_t n = (size_t)hb->n;
  if (orbit->nharm != hb->f.H || !(orbit->omega > 0))
    return pl_fail(hb->env, PL_E_ARG,
                   "harmonic balance: the orbit has %d harmonics and frequency %g, the balance %d "
                   "harmonics; both must agree and the frequency must be > 0",
                   orbit->nharm, orbit->omega, hb->f.H);
  pl_bordered_info before = pl_bordered_stats(b);
  newton nt = {.hb = hb, .b = b, .z = orbit->z, .omega = orbit->omega, .rtol = rtol};
  double *work = pl_alloc(hb->env, 3 * n, sizeof *work), *start = work;
  if (!work) return PL_E_NOMEM;
  nt.dz = work + n;
  nt.next = work + 2 * n;
  memcpy(start, orbit->z, n * sizeof *start);
  hb_mixed(hb, NULL, NULL);
  pl_status s = iterate(&nt, max_iter, &info->iterations);
  hb_mixed(hb, NULL, NULL);
  if (s != PL_OK) memcpy(orbit->z, start, n * sizeof *start);
  pl_free(hb->env, work);
  pl_bordered_info after = pl_bordered_stats(b);
  info->factorisations += after.factorisations - before.factorisations;
  info->krylov += after.iterations - before.iterations;
  info->residual = hb_residual_size(hb);
  info->nharm = hb->f.H;
  info->nsample = hb->f.N;
  info->reason = s == PL_OK ? PL_STOP_CONVERGED : s == PL_CANCELLED ? PL_STOP_CANCELLED : nt.why;
  return s;
}
