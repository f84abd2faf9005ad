// Change of the balance with parameters: the projection of the forces' change over the period,
// dh/dp = Gamma^-1 dr/dp(t), forwards or against a vector (eqs. 21, 24).
#include "pairs.h"

#include <string.h>

typedef struct samples {
  pl_hb *hb;
  pl_directions *k;
  const pl_orbit *o;
  const double *dp;     // forwards
  const double *lambda; // backwards
  pl_state **s;         // [nthread]
  double *y;            // [nthread][nq]
  double *out;          // [N][nq] or [N][nknob]
  pl_status *status;    // [N]
} samples;

// one sample: dr/dp dp, or y . dr/dp with y = the sample's share of lambda
static void one_sample(void *ctx, int i, int thread) {
  samples *t = ctx;
  pl_hb *hb = t->hb;
  const fourier *f = &hb->f;
  pl_state *s = t->s[thread];
  size_t nq = (size_t)hb->nq, L = (size_t)f->L, nk = (size_t)pl_directions_count(t->k);
  pl_orbit_state(hb->m, hb->p, t->o, 2 * PL_PI * i / f->N, s);
  pl_clock c = {.t = s->t, .omega = t->o->omega * hb->sub, .scale = 1};
  if (t->dp) {
    t->status[i] = pl_directions_along(t->k, thread, hb->p, s, &c, t->dp, t->out + (size_t)i * nq);
    return;
  }
  double *y = t->y + (size_t)thread * nq;
  memset(y, 0, nq * sizeof *y);
  for (size_t j = 0; j < (size_t)hb->nfree; j++)
    for (size_t a = 0; a < L; a++)
      y[hb->free_dof[j]] += t->lambda[j * L + a] * f->to_freq[a * (size_t)f->N + (size_t)i];
  t->status[i] = pl_directions_dot(t->k, thread, hb->p, s, &c, y, t->out + (size_t)i * nk);
}

static pl_status run(samples *t, size_t row) {
  pl_hb *hb = t->hb;
  int nthread = hb->w->threads ? pl_threads_size(hb->w->threads) : 1;
  size_t N = (size_t)hb->f.N, nq = (size_t)hb->nq;
  t->s = pl_alloc(hb->env, (size_t)nthread, sizeof *t->s);
  t->y = pl_alloc(hb->env, (size_t)nthread * nq, sizeof(double));
  t->out = pl_alloc(hb->env, N * row, sizeof(double));
  t->status = pl_alloc(hb->env, N, sizeof *t->status);
  if (!t->s || !t->y || !t->out || !t->status) return PL_E_NOMEM;
  for (int i = 0; i < nthread; i++) PL_TRY(pl_state_create(hb->m, hb->p, &t->s[i]));
  pl_directions_smooth(t->k, 1);
  pl_threads_run(hb->w->threads, hb->f.N, one_sample, t);
  pl_directions_smooth(t->k, 0);
  for (size_t i = 0; i < N; i++) PL_TRY(t->status[i]);
  return PL_OK;
}

static void samples_close(samples *t) {
  pl_hb *hb = t->hb;
  int nthread = hb->w->threads ? pl_threads_size(hb->w->threads) : 1;
  for (int i = 0; t->s && i < nthread; i++)
    if (t->s[i]) pl_state_free(hb->m, t->s[i]);
  pl_free(hb->env, t->s);
  pl_free(hb->env, t->y);
  pl_free(hb->env, t->out);
  pl_free(hb->env, t->status);
}

pl_status pl_hb_change(pl_hb *hb, pl_directions *k, const pl_orbit *o, const double *dp,
                       double *out) {
  samples t = {.hb = hb, .k = k, .o = o, .dp = dp};
  const fourier *f = &hb->f;
  size_t L = (size_t)f->L, N = (size_t)f->N, nq = (size_t)hb->nq;
  pl_status s = run(&t, nq);
  if (s == PL_OK) {
    memset(out, 0, (size_t)hb->n * sizeof *out);
    for (size_t i = 0; i < N; i++)
      for (size_t j = 0; j < (size_t)hb->nfree; j++)
        for (size_t a = 0; a < L; a++)
          out[j * L + a] += f->to_freq[a * N + i] * t.out[i * nq + (size_t)hb->free_dof[j]];
  }
  samples_close(&t);
  if (s == PL_OK && hb->pairs) s = pairs_change(hb, k, o, dp, NULL, out);
  return s;
}

pl_status pl_hb_change_dot(pl_hb *hb, pl_directions *k, const pl_orbit *o, const double *lambda,
                           double *out) {
  samples t = {.hb = hb, .k = k, .o = o, .lambda = lambda};
  size_t nk = (size_t)pl_directions_count(k);
  pl_status s = run(&t, nk);
  for (size_t i = 0; s == PL_OK && i < (size_t)hb->f.N; i++)
    for (size_t j = 0; j < nk; j++) out[j] += t.out[i * nk + j];
  samples_close(&t);
  if (s == PL_OK && hb->pairs) s = pairs_change(hb, k, o, NULL, lambda, out);
  return s;
}

void pl_hb_shift_diagonal(pl_hb *hb, double by) {
  pl_blocks_shift(&hb->J, by, NULL);
}
