// Residual h(z, omega) of eq. 8 and its Jacobian (13), element by element: gather an element's
// coefficients, evaluate its samples, transform force and tangents back, scatter.
#include "packs.h"
#include "pairs.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

int pl_hb_size(const pl_hb *hb) {
  return hb->n;
}
int pl_hb_nharm(const pl_hb *hb) {
  return hb->f.H;
}
int pl_hb_nsample(const pl_hb *hb) {
  return hb->f.N;
}
const double *pl_hb_residual(const pl_hb *hb) {
  return hb->h;
}
const double *pl_hb_domega(const pl_hb *hb) {
  return hb->hw;
}
const pl_blocks *pl_hb_jacobian(const pl_hb *hb) {
  return &hb->J;
}

// ---- drives and loads over a period -----------------------------------------------------------

// coefficients of samples x[N]
static void to_freq(const fourier *f, const double *x, double *c) {
  for (int k = 0; k < f->L; k++) {
    double s = 0;
    for (int i = 0; i < f->N; i++) s += f->to_freq[k * f->N + i] * x[i];
    c[k] = s;
  }
}

static pl_status sample_period(pl_hb *hb) {
  const fourier *f = &hb->f;
  size_t nq = (size_t)hb->nq, N = (size_t)f->N;
  pl_state *s = NULL;
  double *force = pl_alloc(hb->env, nq * N, sizeof(double)),
         *one = pl_alloc(hb->env, nq, sizeof(double));
  double *acc = pl_alloc(hb->env, nq * N, sizeof(double));
  pl_status st = force && one && acc ? pl_state_create(hb->m, hb->p, &s) : PL_E_NOMEM;
  for (int i = 0; st == PL_OK && i < f->N; i++) {
    // time is phase, and rates are derivatives by the phase
    pl_clock c = {.t = 2 * PL_PI * i / f->N, .omega = hb->sub, .scale = 1};
    pl_drive(hb->m, hb->p, &c, s);
    pl_load(hb->m, hb->p, &c, one);
    for (int q = 0; q < hb->nq; q++) {
      force[(size_t)q * N + (size_t)i] = one[q];
      if (hb->free_index[q] >= 0) continue;
      hb->drive_q[(size_t)q * N + (size_t)i] = s->q[q];
      hb->drive_v[(size_t)q * N + (size_t)i] = s->v[q];
      acc[(size_t)q * N + (size_t)i] = s->a[q];
    }
  }
  for (int q = 0; st == PL_OK && q < hb->nq; q++) {
    size_t at = (size_t)q * N, L = (size_t)f->L;
    if (hb->free_index[q] >= 0)
      to_freq(f, force + at, hb->load + (size_t)hb->free_index[q] * L);
    else {
      to_freq(f, hb->drive_v + at, hb->drive_v1 + (size_t)q * L);
      to_freq(f, acc + at, hb->drive_a1 + (size_t)q * L);
    }
  }
  if (s) pl_state_free(hb->m, s);
  pl_free(hb->env, force);
  pl_free(hb->env, one);
  pl_free(hb->env, acc);
  return st;
}

// weights M g of the free unknowns join the mean of the loads
static pl_status add_weights(pl_hb *hb) {
  double *w = pl_alloc(hb->env, (size_t)hb->nq, sizeof(double));
  if (!w) return PL_E_NOMEM;
  int dim = pl_model_dim(hb->m), nn = pl_model_nnode(hb->m) * dim;
  for (int i = 0; i < hb->nq; i++)
    hb->weight[i] = i < nn ? hb->p->par[PL_PAR_GRAVITY + i % dim] : 0;
  pl_csc_mul(&hb->p->M, 1, hb->weight, 0, w);
  for (int i = 0; i < hb->nfree; i++) hb->load[(size_t)i * (size_t)hb->f.L] += w[hb->free_dof[i]];
  pl_free(hb->env, w);
  return PL_OK;
}

pl_status pl_hb_refresh(pl_hb *hb) {
  PL_TRY(sample_period(hb));
  return add_weights(hb);
}

// ---- matrix pattern -----------------------------------------------------------------------------

double *hb_pair(const pl_hb *hb, int k) {
  return hb->coef + (size_t)k * 2 * (size_t)(2 * hb->f.L - 1);
}

// places of element entries among the pairs; symmetric tangents are kept below the diagonal
static pl_status build_slots(pl_hb *hb) {
  int ng = pl_model_ngroup(hb->m);
  size_t npair = (size_t)hb->P.nnz;
  hb->slot0 = pl_alloc(hb->env, (size_t)ng + 1, sizeof *hb->slot0);
  hb->mirror = pl_alloc(hb->env, npair, sizeof *hb->mirror);
  hb->coef = pl_alloc(hb->env, npair * 2 * (size_t)(2 * hb->f.L - 1), sizeof *hb->coef);
  if (!hb->slot0 || !hb->mirror || !hb->coef) return PL_E_NOMEM;
  hb->symmetric = 1;
  for (int g = 0; g < ng; g++) {
    int sym, n = pl_batch_entries(hb->m, g, &sym);
    hb->symmetric &= sym;
    hb->slot0[g + 1] = hb->slot0[g] + (size_t)n * (size_t)pl_model_group_size(hb->m, g);
  }
  hb->slot = pl_alloc(hb->env, hb->slot0[ng], sizeof(int));
  if (!hb->slot) return PL_E_NOMEM;
  return pl_csc_mirrors(hb->env, &hb->P, hb->mirror);
}

static int fill_slot(void *ctx, const pl_element *e, int thread) {
  (void)thread;
  pl_hb *hb = ctx;
  int sym, nentry = pl_batch_entries(hb->m, e->group, &sym);
  int *slot = hb->slot + hb->slot0[e->group] + (size_t)e->elem * (size_t)nentry;
  for (int a = 0; a < e->ndof; a++)
    for (int b = 0; b < (sym ? a + 1 : e->ndof); b++) {
      int i = e->dof[a] < 0 ? -1 : hb->free_index[e->dof[a]];
      int j = e->dof[b] < 0 ? -1 : hb->free_index[e->dof[b]];
      int low = sym && i < j;
      *slot++ = i < 0 || j < 0 ? -1 : pl_csc_find(&hb->P, low ? j : i, low ? i : j);
    }
  return 0;
}

// ---- one batch of elements ----------------------------------------------------------------------

// what a thread needs for a batch; see pl_batch_sample for the shapes
typedef struct workspace {
  pl_pack *q, *v, *q0, *dq;    // [N][ndof]
  pl_pack *f, *r;              // [ndof][stride]
  pl_pack *K, *D;              // [nentry][stride], then their coefficients
  pl_pack *z, *fold, *ck, *cd; // [L], [N + 4], [4H+1] x2
  double beta;                 // damping that is taken from the series of the forces; 0: none is
  int stride;
} workspace;

// samples or coefficients of an entry, and one more: steps of a power of two would share few lines
// of the cache
static int stride_of(const pl_hb *hb) {
  int P = 2 * hb->f.L - 1;
  return (hb->f.N > P ? hb->f.N : P) + 1;
}

static size_t workspace_size(const pl_hb *hb) {
  size_t N = (size_t)hb->f.N, n = 0, m = 0, P = 2 * (size_t)hb->f.L - 1;
  for (int g = 0; g < pl_model_ngroup(hb->m); g++) {
    int sym;
    size_t nentry = (size_t)pl_batch_entries(hb->m, g, &sym);
    size_t ndof = (size_t)pl_model_group_kind(hb->m, g)->ndof;
    n = ndof > n ? ndof : n;
    m = nentry > m ? nentry : m;
  }
  return (4 * N * n + 2 * (size_t)stride_of(hb) * (n + m) + (size_t)hb->f.L + N + 4 + 2 * P) *
         PL_LANES;
}

static workspace lay_out(const pl_hb *hb, const pl_batch *e, int thread) {
  size_t N = (size_t)hb->f.N, n = (size_t)e->ndof, m = (size_t)e->nentry,
         P = 2 * (size_t)hb->f.L - 1, step = (size_t)stride_of(hb);
  workspace d = {.stride = stride_of(hb), .q = (pl_pack *)hb->scratch[thread]};
  d.v = d.q + N * n;
  d.q0 = d.v + N * n;
  d.dq = d.q0 + N * n;
  d.f = d.dq + N * n;
  d.r = d.f + step * n;
  d.K = d.r + step * n;
  d.D = d.K + step * m;
  d.z = d.D + step * m;
  d.fold = d.z + hb->f.L;
  d.ck = d.fold + N + 4;
  d.cd = d.ck + P;
  return d;
}

// Rayleigh's beta of elements whose damping is beta d/dt of their elastic forces: its series follow
// from those of the forces and tangents, without derivatives of the tangents. 0: they have
// dashpots, or too few samples for the series up to 2H.
static double series_beta(const pl_hb *hb, int group) {
  int plain = !pl_model_group_kind(hb->m, group)->d.visc && hb->f.N > 4 * hb->f.H;
  return plain ? pl_model_group_beta(hb->m, hb->p, group) : 0;
}

// free number of local unknown a of a lane, -1: none
static int free_of(const pl_hb *hb, const pl_batch *e, int lane, int a) {
  int dof = e->dof[(lane < e->n ? lane : e->n - 1) * e->ndof + a];
  return dof < 0 ? -1 : hb->free_index[dof];
}

// coefficients of local unknown a from z[n]; zero where it is not free. Returns how many are not.
static int gather(const pl_hb *hb, const pl_batch *e, int a, const double *z, pl_pack *to) {
  int L = hb->f.L, fixed = 0;
  for (int l = 0; l < PL_LANES; l++) {
    int i = free_of(hb, e, l, a);
    fixed += i < 0;
    for (int k = 0; k < L; k++) to[k][l] = i < 0 ? 0 : z[(size_t)i * (size_t)L + (size_t)k];
  }
  return fixed;
}

// samples of all local unknowns: from their coefficients, or from their drives
static void sample_motion(const pl_hb *hb, const pl_batch *e, const workspace *d, int rates) {
  int n = e->ndof, N = hb->f.N;
  for (int a = 0; a < n; a++) {
    int fixed = gather(hb, e, a, hb->zfull, d->z);
    packs_sample(&hb->f, hb->omega, d->z, n, d->q + a, rates ? d->v + a : NULL);
    for (int l = 0; fixed && l < PL_LANES; l++) {
      int dof = e->dof[(l < e->n ? l : e->n - 1) * n + a];
      if (dof < 0 || hb->free_index[dof] >= 0) continue;
      const double *q = hb->drive_q + (size_t)dof * (size_t)N;
      const double *v = hb->drive_v + (size_t)dof * (size_t)N;
      for (int i = 0; i < N; i++) {
        d->q[i * n + a][l] = q[i];
        if (rates) d->v[i * n + a][l] = hb->omega * v[i];
      }
    }
  }
}

// the same for the motion that stresses are extrapolated from, and for the way from it
static void sample_mixed(const pl_hb *hb, const pl_batch *e, const workspace *d) {
  int n = e->ndof, N = hb->f.N;
  for (int a = 0; a < n; a++) {
    gather(hb, e, a, hb->dz, d->z);
    packs_sample(&hb->f, 0, d->z, n, d->dq + a, NULL);
    int fixed = gather(hb, e, a, hb->from, d->z);
    packs_sample(&hb->f, 0, d->z, n, d->q0 + a, NULL);
    for (int l = 0; fixed && l < PL_LANES; l++) {
      if (free_of(hb, e, l, a) >= 0) continue;
      int dof = e->dof[(l < e->n ? l : e->n - 1) * n + a];
      const double *was =
          hb->drive_was && dof >= 0 ? hb->drive_was + (size_t)dof * (size_t)N : NULL;
      for (int i = 0; i < N; i++) {
        double now = d->q[i * n + a][l];
        d->q0[i * n + a][l] = was ? was[i] : now;
        d->dq[i * n + a][l] = was ? now - was[i] : 0;
      }
    }
  }
}

// adds c[L] of local unknown a to out[free unknown][L], times a factor
static void add_series(const pl_hb *hb, const pl_batch *e, int a, const pl_pack *c, double factor,
                       double *out) {
  int L = hb->f.L;
  for (int l = 0; l < e->n; l++) {
    int i = free_of(hb, e, l, a);
    for (int k = 0; i >= 0 && k < L; k++)
      out[(size_t)i * (size_t)L + (size_t)k] += factor * c[k][l];
  }
}

// adds the coefficients of the forces and, where the change with omega is wanted, of their parts
// that are linear in the rates, which grow with omega
static void add_forces(pl_hb *hb, const pl_batch *e, const workspace *d, int rates) {
  int L = hb->f.L;
  for (int a = 0; a < e->ndof; a++) {
    size_t at = (size_t)a * (size_t)d->stride;
    packs_coefficients(&hb->f, L, d->f + at, d->fold, d->ck);
    add_series(hb, e, a, d->ck, 1, hb->inner);
    if (d->beta != 0) {
      packs_rates(L, d->beta, d->ck, d->cd);
      add_series(hb, e, a, d->cd, hb->omega, hb->inner);
      if (rates) add_series(hb, e, a, d->cd, 1, hb->hw);
    } else if (rates) {
      packs_coefficients(&hb->f, L, d->r + at, d->fold, d->ck);
      add_series(hb, e, a, d->ck, 1 / hb->omega, hb->hw);
    }
  }
}

// samples of all entries become their coefficients
static void transform_entries(const pl_hb *hb, const pl_batch *e, const workspace *d) {
  int P = 2 * hb->f.L - 1;
  size_t size = (size_t)P * sizeof(pl_pack);
  for (int entry = 0; entry < e->nentry; entry++) {
    size_t at = (size_t)entry * (size_t)d->stride;
    packs_coefficients(&hb->f, P, d->K + at, d->fold, d->ck);
    if (d->beta != 0)
      packs_damp(P, d->beta, hb->omega, d->ck, d->cd);
    else if (hb->rated)
      packs_coefficients(&hb->f, P, d->D + at, d->fold, d->cd);
    memcpy(d->K + at, d->ck, size);
    if (hb->rated) memcpy(d->D + at, d->cd, size);
  }
}

// adds one entry's coefficients to a pair, lane by lane
static void add_pair(const pl_hb *hb, int at, int lane, double factor, const pl_pack *ck,
                     const pl_pack *cd) {
  int P = 2 * hb->f.L - 1;
  double *to = hb_pair(hb, at);
  for (int k = 0; k < P; k++) to[k] += factor * ck[k][lane];
  for (int k = 0; hb->rated && k < P; k++) to[P + k] += factor * cd[k][lane];
}

static void add_entry(const pl_hb *hb, const pl_batch *e, const workspace *d, int a, int b,
                      int entry) {
  size_t at = (size_t)entry * (size_t)d->stride;
  const pl_pack *ck = d->K + at, *cd = d->D + at;
  const int *slot = hb->slot + hb->slot0[e->group] + (size_t)e->first * (size_t)e->nentry + entry;
  for (int l = 0; l < e->n; l++, slot += e->nentry) {
    if (*slot < 0) continue;
    // an unknown that stands twice meets itself above and below the diagonal
    int twin = e->symmetric && a != b && e->dof[l * e->ndof + a] == e->dof[l * e->ndof + b];
    add_pair(hb, *slot, l, twin ? 2 : 1, ck, cd);
    if (e->symmetric && !hb->symmetric && a != b && !twin)
      add_pair(hb, hb->mirror[*slot], l, 1, ck, cd);
  }
}

static int eval_batch(void *ctx, const pl_batch *e, int thread, int *bad) {
  pl_hb *hb = ctx;
  int n = e->ndof, jac = (hb->want & PL_HB_JACOBIAN) != 0, mixed = jac && hb->mixed;
  int rates = hb->rated && (hb->want & PL_HB_OMEGA) != 0;
  if (pl_model_group_kind(hb->m, e->group)->stretch) return pairs_batch(hb, e, thread, bad);
  workspace d = lay_out(hb, e, thread);
  d.beta = series_beta(hb, e->group);
  int sampled = hb->rated && d.beta == 0;
  sample_motion(hb, e, &d, sampled);
  if (mixed) sample_mixed(hb, e, &d);
  for (int i = 0; i < hb->f.N; i++) {
    pl_batch_sample s = {.q = d.q + i * n,
                         .v = sampled ? d.v + i * n : NULL,
                         .q0 = mixed ? d.q0 + i * n : NULL,
                         .dq = mixed ? d.dq + i * n : NULL,
                         .stride = d.stride,
                         .f = d.f + i,
                         .r = rates && sampled ? d.r + i : NULL,
                         .K = jac ? d.K + i : NULL,
                         .D = jac && hb->rated && sampled ? d.D + i : NULL};
    if (pl_batch_eval(e, &s, bad)) return 1;
  }
  if (jac) transform_entries(hb, e, &d);
  pl_batch_wait(e);
  add_forces(hb, e, &d, rates);
  for (int a = 0, entry = 0; jac && a < n; a++)
    for (int b = 0; b < (e->symmetric ? a + 1 : n); b++) add_entry(hb, e, &d, a, b, entry++);
  return 0;
}

static void clear_column(void *ctx, int j, int thread) {
  const pl_hb *hb = ctx;
  (void)thread;
  for (pl_entry e = pl_csc_column(&hb->P, j); pl_csc_next_in(&hb->P, &e);)
    memset(hb_pair(hb, e.k), 0, 2 * (size_t)(2 * hb->f.L - 1) * sizeof(double));
}

// some columns of pairs
typedef struct columns {
  pl_hb *hb;
  int first;
} columns;

// the blocks of one of them
static void form_column(void *ctx, int k, int thread) {
  const columns *t = ctx;
  pl_hb *hb = t->hb;
  int j = t->first + k;
  for (pl_entry e = pl_csc_column(&hb->P, j); pl_csc_next_in(&hb->P, &e);) {
    int stride, from = hb->symmetric && e.i < j ? hb->mirror[e.k] : e.k;
    double *to = pl_blocks_at(&hb->J, j, e.k, &stride);
    const double *c = hb_pair(hb, from);
    packs_block(&hb->f, hb->omega, c, hb->rated ? c + 2 * hb->f.L - 1 : NULL, hb->scratch[thread],
                to, (size_t)stride);
  }
}

// some tenths of a second at a time: who waits longer wants to be able to stop it
static pl_status form_columns(pl_hb *hb) {
  const double some = 4e6;
  double each = (double)hb->P.nnz * hb->f.L * hb->f.L / fmax(hb->nfree, 1);
  columns t = {.hb = hb};
  for (int n; t.first < hb->nfree; t.first += n) {
    n = hb->nfree - t.first;
    if (n * each > some) n = 1 + (int)(some / each);
    if (t.first > 0) PL_TRY(pl_report_progress(hb->env, NULL, -1, NULL));
    pl_threads_run(hb->w->threads, n, form_column, &t);
  }
  return PL_OK;
}

// ---- inertia ----------------------------------------------------------------------------------

// one entry M_ij: rows of i from the motion of j; h += M (a + alpha v)
static void add_mass_entry(pl_hb *hb, int i, int j, double mass) {
  int fi = hb->free_index[i], fj = hb->free_index[j], H = hb->f.H, L = hb->f.L;
  if (fi < 0) return;
  double alpha = hb->p->par[PL_PAR_ALPHA], w = hb->omega;
  double *h = hb->h + (size_t)fi * (size_t)L, *hw = hb->hw + (size_t)fi * (size_t)L;
  if (fj < 0) {
    const double *v = hb->drive_v1 + (size_t)j * (size_t)L,
                 *a = hb->drive_a1 + (size_t)j * (size_t)L;
    for (int k = 0; k < L; k++) {
      h[k] += mass * (w * w * a[k] + alpha * w * v[k]);
      hw[k] += mass * (2 * w * a[k] + alpha * v[k]);
    }
    return;
  }
  const double *z = hb->zfull + (size_t)fj * (size_t)L;
  for (int k = 1; k <= H; k++) {
    double s = z[2 * k - 1], c = z[2 * k], kw = k * w;
    h[2 * k - 1] += mass * (-kw * kw * s - alpha * kw * c);
    h[2 * k] += mass * (-kw * kw * c + alpha * kw * s);
    hw[2 * k - 1] += mass * (-2 * k * kw * s - alpha * k * c);
    hw[2 * k] += mass * (-2 * k * kw * c + alpha * k * s);
  }
  if (!(hb->want & PL_HB_JACOBIAN)) return;
  int stride;
  double *val = pl_blocks_at(&hb->J, fj, pl_csc_find(&hb->P, fi, fj), &stride);
  for (int k = 1; k <= H; k++) {
    double kw = k * w, *s = val + (size_t)(2 * k - 1) * (size_t)stride, *c = s + stride;
    s[2 * k - 1] -= mass * kw * kw;
    s[2 * k] += mass * alpha * kw;
    c[2 * k - 1] -= mass * alpha * kw;
    c[2 * k] -= mass * kw * kw;
  }
}

static void add_inertia(pl_hb *hb) {
  const pl_csc *M = &hb->p->M;
  for (pl_entry e = {.k = -1}; pl_csc_next(M, &e);) {
    if (M->val[e.k] == 0) continue;
    add_mass_entry(hb, e.i, e.j, M->val[e.k]);
    if (e.i != e.j) add_mass_entry(hb, e.j, e.i, M->val[e.k]);
  }
}

// ---- whole ------------------------------------------------------------------------------------

// sizes of the forces: oscillating ones (inertia, inner, loads) and constant ones
static void measure(pl_hb *hb) {
  int L = hb->f.L;
  hb->dynamic = hb->statics = 0;
  for (int i = 0; i < hb->nfree; i++)
    for (int k = 0; k < L; k++) {
      size_t at = (size_t)i * (size_t)L + (size_t)k;
      double inner = fabs(hb->inner[at]), load = fabs(hb->load[at]), inertia = fabs(hb->h[at]);
      double most = fmax(inner, fmax(load, inertia));
      if (k == 0)
        hb->statics = fmax(hb->statics, most);
      else
        hb->dynamic = fmax(hb->dynamic, most);
    }
}

// what rounding of the coordinates does to the forces, from the mean stiffness: eps |K| |q|
static void measure_noise(pl_hb *hb) {
  size_t L = (size_t)hb->f.L;
  memset(hb->noise, 0, (size_t)hb->nfree * sizeof(double));
  for (int j = 0; j < hb->nfree; j++) {
    double size = 0;
    for (size_t k = 0; k < L; k++) size += fabs(hb->zfull[(size_t)j * L + k]);
    for (pl_entry e = pl_csc_column(&hb->P, j); pl_csc_next_in(&hb->P, &e);) {
      int stride;
      hb->noise[e.i] += DBL_EPSILON * size * fabs(*pl_blocks_at(&hb->J, j, e.k, &stride));
    }
  }
}

// whether inner forces depend on rates
static int has_rates(const pl_hb *hb) {
  int any = hb->p->par[PL_PAR_BETA] != 0;
  for (int g = 0; g < pl_model_ngroup(hb->m); g++)
    any |= pl_model_group_kind(hb->m, g)->d.visc != NULL;
  return any;
}

pl_status pl_hb_eval(pl_hb *hb, const double *z, double omega, unsigned want) {
  size_t n = (size_t)hb->n;
  hb->want = want;
  hb->omega = omega;
  memcpy(hb->zfull, z, n * sizeof(double));
  memset(hb->h, 0, n * sizeof(double));
  memset(hb->hw, 0, n * sizeof(double));
  memset(hb->inner, 0, n * sizeof(double));
  hb->rated = has_rates(hb);
  if (want & PL_HB_JACOBIAN) pl_threads_run(hb->w->threads, hb->nfree, clear_column, hb);
  PL_TRY(pl_model_each_batch(hb->m, hb->p, hb->w, eval_batch, hb));
  if (want & PL_HB_JACOBIAN) PL_TRY(form_columns(hb));
  if ((want & PL_HB_JACOBIAN) && hb->pairs) pairs_memory(hb);
  add_inertia(hb);
  measure(hb);
  if (want & PL_HB_JACOBIAN) measure_noise(hb);
  for (size_t i = 0; i < n; i++) hb->h[i] += hb->inner[i] - hb->load[i];
  return pl_all_finite(hb->n, hb->h) ? PL_OK : PL_DOMAIN;
}

void hb_mixed(pl_hb *hb, const double *z, const double *dz) {
  hb->mixed = z != NULL;
  if (!z) return;
  memcpy(hb->from, z, (size_t)hb->n * sizeof *z);
  memcpy(hb->dz, dz, (size_t)hb->n * sizeof *z);
}

double pl_hb_error(const pl_hb *hb) {
  size_t L = (size_t)hb->f.L;
  double most = 0, size = hb->dynamic > 0 ? hb->dynamic : hb->statics;
  for (int i = 0; i < hb->nfree; i++) {
    double floor = 4 * hb->noise[i] + 16 * DBL_EPSILON * hb->statics;
    most = fmax(most, pl_max_abs(hb->f.L, hb->h + (size_t)i * L) - floor);
  }
  return size > 0 ? most / size : most;
}

static pl_status allocate(pl_hb *hb) {
  size_t nq = (size_t)hb->nq, N = (size_t)hb->f.N, L = (size_t)hb->f.L, n = (size_t)hb->n;
  int nthread = pl_threads_size(hb->w->threads);
  struct {
    double **p;
    size_t n;
  } all[] = {{&hb->drive_q, nq * N},
             {&hb->drive_v, nq * N},
             {&hb->drive_v1, nq * L},
             {&hb->drive_a1, nq * L},
             {&hb->load, n},
             {&hb->weight, nq},
             {&hb->made, nq},
             {&hb->h, n},
             {&hb->hw, n},
             {&hb->inner, n},
             {&hb->noise, (size_t)hb->nfree},
             {&hb->zfull, n},
             {&hb->from, n},
             {&hb->dz, n}};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    *all[k].p = pl_alloc(hb->env, all[k].n, sizeof(double));
    if (!*all[k].p) return PL_E_NOMEM;
  }
  memcpy(hb->made, hb->p->X, nq * sizeof *hb->made);
  hb->scratch = pl_alloc(hb->env, (size_t)nthread, sizeof *hb->scratch);
  if (!hb->scratch) return PL_E_NOMEM;
  size_t size = workspace_size(hb), least = 4 * (3 * L + 1); // for packs_block
  if (size < least) size = least;
  for (int t = 0; t < nthread; t++) {
    hb->scratch[t] = pl_alloc(hb->env, size, sizeof(double));
    if (!hb->scratch[t]) return PL_E_NOMEM;
  }
  return PL_OK;
}

pl_status hb_create_sub(const pl_model *m, const pl_params *p, pl_work *w, int nharm, int nsample,
                        int sub, pl_hb **out) {
  *out = NULL;
  pl_env *env = w->env;
  if (nharm < 1 || nharm > 64)
    return pl_fail(env, PL_E_INPUT, "harmonics must be 1..64, got %d", nharm);
  if (nsample == 0) nsample = hb_samples(nharm);
  if (nsample < 2 * nharm + 1)
    return pl_fail(env, PL_E_INPUT, "samples must be at least 2 harmonics + 1 = %d, got %d",
                   2 * nharm + 1, nsample);
  pl_hb *hb = pl_alloc(env, 1, sizeof *hb);
  if (!hb) return PL_E_NOMEM;
  *hb =
      (pl_hb){.env = env, .m = m, .p = p, .w = w, .nfree = pl_model_nfree(m), .nq = pl_model_nq(m)};
  hb->sub = sub;
  hb->free_index = pl_model_free_index(m);
  hb->free_dof = pl_model_free_dofs(m);
  hb->n = hb->nfree * (2 * nharm + 1);
  pl_status s = fourier_create(env, nharm, nsample, &hb->f);
  if (s == PL_OK) s = allocate(hb);
  if (s == PL_OK) s = pl_csc_expand(env, &w->A, &hb->P, NULL);
  // a dense block for every pair of unknowns that share an element
  if (s == PL_OK) s = pl_blocks_create(env, &hb->P, hb->f.L, &hb->J);
  if (s == PL_OK) s = pairs_create(hb, &hb->pairs);
  if (s == PL_OK) s = build_slots(hb);
  if (s == PL_OK) s = pl_model_each_element(m, p, w, fill_slot, hb);
  if (s == PL_OK) s = pl_hb_refresh(hb);
  if (s != PL_OK) {
    pl_hb_free(hb);
    return s;
  }
  *out = hb;
  return PL_OK;
}

pl_status pl_hb_create(const pl_model *m, const pl_params *p, pl_work *w, int nharm, int nsample,
                       pl_hb **out) {
  return hb_create_sub(m, p, w, nharm, nsample, 1, out);
}

void pl_hb_free(pl_hb *hb) {
  if (!hb) return;
  pl_env *env = hb->env;
  int nthread = pl_threads_size(hb->w->threads);
  for (int t = 0; hb->scratch && t < nthread; t++) pl_free(env, hb->scratch[t]);
  void *all[] = {hb->drive_q, hb->drive_v, hb->drive_v1, hb->drive_a1, hb->load,
                 hb->weight,  hb->h,       hb->hw,       hb->inner,    hb->zfull,
                 hb->slot,    hb->slot0,   hb->scratch,  hb->noise,    hb->from,
                 hb->dz,      hb->coef,    hb->mirror,   hb->made};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(env, all[k]);
  pl_blocks_free(env, &hb->J);
  pl_csc_free(env, &hb->P);
  rotator_free(hb->rotator);
  pairs_free(env, hb->pairs);
  fourier_free(env, &hb->f);
  pl_free(env, hb);
}
