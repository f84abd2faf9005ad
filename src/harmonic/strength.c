// The strength of a model's harmonic drives and loads as an unknown: a factor on their amplitudes,
// and the derivative of the balance by it.
#include "curve_impl.h"

#include <string.h>

struct strength {
  pl_hb *hb;
  pl_params *p;
  const double *par; // [npar] at strength one
  double now;
  // derivatives of what pl_hb_refresh makes
  double *dq, *dv;   // [nq][N]
  double *dv1, *da1; // [nq][L]
  double *dload;     // [n]
  double *was;       // [nq][N] drives before the last change
  double *work;      // [nthread] samples q, v, f of one element
  const double *z;
  double omega, *out; // of the column under way
};

static const double EPS = 1e-4; // drives are sines of their amplitude at most

static size_t work_size(const pl_hb *hb) {
  return 2 * PL_NDOF_MAX + 2 * PL_NDOF_MAX * PL_NDOF_MAX + 3 * PL_NDOF_MAX + (size_t)hb->f.L;
}

pl_status strength_create(pl_hb *hb, pl_params *p, const double *par, strength **out) {
  *out = NULL;
  strength *s = pl_alloc(hb->env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  *s = (strength){.hb = hb, .p = p, .par = par, .now = -1};
  size_t nq = (size_t)hb->nq, N = (size_t)hb->f.N, L = (size_t)hb->f.L;
  s->dq = pl_alloc(hb->env, nq * (3 * N + 2 * L) + (size_t)hb->n, sizeof(double));
  s->work =
      pl_alloc(hb->env, work_size(hb) * (size_t)pl_threads_size(hb->w->threads), sizeof(double));
  if (!s->dq || !s->work) {
    strength_free(s);
    return PL_E_NOMEM;
  }
  s->dv = s->dq + nq * N;
  s->dv1 = s->dv + nq * N;
  s->da1 = s->dv1 + nq * L;
  s->dload = s->da1 + nq * L;
  s->was = s->dload + (size_t)hb->n;
  *out = s;
  return PL_OK;
}

void strength_free(strength *s) {
  if (!s) return;
  s->hb->drive_was = NULL;
  pl_free(s->hb->env, s->dq);
  pl_free(s->hb->env, s->work);
  pl_free(s->hb->env, s);
}

static pl_status refresh(strength *s, double factor) {
  memcpy(s->p->par, s->par, (size_t)s->p->npar * sizeof *s->par);
  pl_params_scale_harmonic(s->hb->m, s->p, factor);
  return pl_hb_refresh(s->hb);
}

// adds w times drives and loads as they are now to their derivatives
static void add_drives(strength *s, double w) {
  pl_hb *hb = s->hb;
  int nN = hb->nq * hb->f.N, nL = hb->nq * hb->f.L;
  pl_axpy(nN, w, hb->drive_q, s->dq, s->dq);
  pl_axpy(nN, w, hb->drive_v, s->dv, s->dv);
  pl_axpy(nL, w, hb->drive_v1, s->dv1, s->dv1);
  pl_axpy(nL, w, hb->drive_a1, s->da1, s->da1);
  pl_axpy(hb->n, w, hb->load, s->dload, s->dload);
}

pl_status strength_set(strength *s, double factor) {
  size_t nq = (size_t)s->hb->nq, N = (size_t)s->hb->f.N, L = (size_t)s->hb->f.L;
  memcpy(s->was, s->hb->drive_q, nq * N * sizeof(double));
  s->hb->drive_was = s->was;
  if (factor == s->now) return PL_OK;
  memset(s->dq, 0, (nq * (2 * N + 2 * L) + (size_t)s->hb->n) * sizeof(double));
  s->now = -1;
  PL_TRY(refresh(s, factor + EPS));
  add_drives(s, 0.5 / EPS);
  PL_TRY(refresh(s, factor - EPS));
  add_drives(s, -0.5 / EPS);
  PL_TRY(refresh(s, factor));
  s->now = factor;
  return PL_OK;
}

// ---- column -----------------------------------------------------------------------------------

static int has_drive(const pl_hb *hb, const pl_element *e) {
  for (int a = 0; a < e->ndof; a++)
    if (e->dof[a] >= 0 && hb->free_index[e->dof[a]] < 0) return 1;
  return 0;
}

// local places and rates at a sample, and how they change with the strength
static void gather(const strength *s, const pl_element *e, int i, double *q, double *v, double *dq,
                   double *dv) {
  const pl_hb *hb = s->hb;
  const fourier *f = &hb->f;
  for (int a = 0; a < e->ndof; a++) {
    int dof = e->dof[a], at = dof < 0 ? -1 : hb->free_index[dof];
    q[a] = v[a] = dq[a] = dv[a] = 0;
    if (dof < 0) continue;
    if (at < 0) {
      size_t k = (size_t)dof * (size_t)f->N + (size_t)i;
      q[a] = hb->drive_q[k];
      v[a] = s->omega * hb->drive_v[k];
      dq[a] = s->dq[k];
      dv[a] = s->omega * s->dv[k];
      continue;
    }
    for (int k = 0; k < f->L; k++) {
      double z = s->z[(size_t)at * (size_t)f->L + (size_t)k];
      q[a] += f->to_time[i * f->L + k] * z;
      v[a] += s->omega * f->rate[i * f->L + k] * z;
    }
  }
}

static int add_element(void *ctx, const pl_element *e, int thread) {
  strength *s = ctx;
  const pl_hb *hb = s->hb;
  const fourier *f = &hb->f;
  int n = e->ndof;
  if (!has_drive(hb, e)) return 0;
  double *K = s->work + work_size(hb) * (size_t)thread, *D = K + PL_NDOF_MAX * PL_NDOF_MAX;
  double q[PL_NDOF_MAX], v[PL_NDOF_MAX], dq[PL_NDOF_MAX], dv[PL_NDOF_MAX], force[PL_NDOF_MAX];
  for (int i = 0; i < f->N; i++) {
    gather(s, e, i, q, v, dq, dv);
    if (pl_element_eval(e, q, v, force, K, D)) return 1;
    for (int a = 0; a < n; a++) {
      int at = e->dof[a] < 0 ? -1 : hb->free_index[e->dof[a]];
      double x = 0;
      for (int b = 0; b < n; b++) x += K[a * n + b] * dq[b] + D[a * n + b] * dv[b];
      for (int k = 0; at >= 0 && k < f->L; k++)
        s->out[(size_t)at * (size_t)f->L + (size_t)k] += f->to_freq[k * f->N + i] * x;
    }
  }
  return 0;
}

// inertia of driven unknowns on free ones
static void add_mass_entry(const strength *s, int i, int j, double mass) {
  const pl_hb *hb = s->hb;
  int at = hb->free_index[i];
  if (at < 0 || hb->free_index[j] >= 0) return;
  double w = s->omega, alpha = s->p->par[PL_PAR_ALPHA];
  size_t L = (size_t)hb->f.L;
  for (size_t k = 0; k < L; k++)
    s->out[(size_t)at * L + k] +=
        mass * (w * w * s->da1[(size_t)j * L + k] + alpha * w * s->dv1[(size_t)j * L + k]);
}

pl_status strength_column(strength *s, const double *z, double omega, double *out) {
  const pl_csc *M = &s->p->M;
  s->z = z;
  s->omega = omega;
  s->out = out;
  for (int i = 0; i < s->hb->n; i++) out[i] = -s->dload[i];
  for (pl_entry e = {.k = -1}; pl_csc_next(M, &e);) {
    if (e.i == e.j) continue;
    add_mass_entry(s, e.i, e.j, M->val[e.k]);
    add_mass_entry(s, e.j, e.i, M->val[e.k]);
  }
  return pl_model_each_element(s->hb->m, s->p, s->hb->w, add_element, s);
}
