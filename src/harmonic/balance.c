// Residual h(z, omega) of eq. 8 and its Jacobian (13), element by element: gather an element's
// coefficients, evaluate its samples, transform force and tangents back, scatter.
#include "harmonic_impl.h"

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
const pl_csc *pl_hb_jacobian(const pl_hb *hb) {
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

// J has a dense L x L block for every pair of unknowns that share an element
static pl_status build_pattern(pl_hb *hb) {
  int L = hb->f.L;
  PL_TRY(pl_csc_expand(hb->env, &hb->w->A, &hb->P, NULL));
  size_t nnz = (size_t)hb->P.nnz * (size_t)L * (size_t)L;
  if (nnz > INT32_MAX)
    return pl_fail(
        hb->env, PL_E_INPUT,
        "harmonic balance: %d unknowns with %d harmonics make a matrix of %.3g entries, too "
        "large for this build; use fewer harmonics",
        hb->nfree, hb->f.H, (double)nnz);
  hb->J = (pl_csc){.n = hb->n, .nnz = (int)nnz};
  hb->J.ptr = pl_alloc(hb->env, (size_t)hb->n + 1, sizeof(int));
  hb->J.row = pl_alloc(hb->env, nnz, sizeof(int));
  hb->J.val = pl_alloc(hb->env, nnz + 1, sizeof(double));
  if (!hb->J.ptr || !hb->J.row || !hb->J.val) return PL_E_NOMEM;
  int at = 0;
  for (int j = 0; j < hb->nfree; j++)
    for (int b = 0; b < L; b++) {
      hb->J.ptr[j * L + b] = at;
      for (int k = hb->P.ptr[j]; k < hb->P.ptr[j + 1]; k++)
        for (int a = 0; a < L; a++) hb->J.row[at++] = hb->P.row[k] * L + a;
    }
  hb->J.ptr[hb->n] = at;
  return PL_OK;
}

// where entry (a, b) of the block of pair k (position in P, column j) stands in J.val: + a, + b
// stride
static inline double *block_at(pl_hb *hb, int j, int k, int *stride) {
  int L = hb->f.L, first = hb->P.ptr[j];
  *stride = (hb->P.ptr[j + 1] - first) * L;
  return hb->J.val + (size_t)L * (size_t)L * (size_t)first + (size_t)(k - first) * (size_t)L;
}

static pl_status build_slots(pl_hb *hb) {
  int ng = pl_model_ngroup(hb->m);
  hb->slot0 = pl_alloc(hb->env, (size_t)ng + 1, sizeof *hb->slot0);
  if (!hb->slot0) return PL_E_NOMEM;
  for (int g = 0; g < ng; g++) {
    size_t n = (size_t)pl_model_group_kind(hb->m, g)->ndof;
    hb->slot0[g + 1] = hb->slot0[g] + n * n * (size_t)pl_model_group_size(hb->m, g);
  }
  hb->slot = pl_alloc(hb->env, hb->slot0[ng], sizeof(int));
  return hb->slot ? PL_OK : PL_E_NOMEM;
}

static int fill_slot(void *ctx, const pl_visit *e, int thread) {
  (void)thread;
  pl_hb *hb = ctx;
  int n = e->ndof;
  int *slot = hb->slot + hb->slot0[e->group] + (size_t)e->elem * (size_t)n * (size_t)n;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      int i = e->dof[a] < 0 ? -1 : hb->free_index[e->dof[a]];
      int j = e->dof[b] < 0 ? -1 : hb->free_index[e->dof[b]];
      slot[a * n + b] = i < 0 || j < 0 ? -1 : pl_csc_find(&hb->P, i, j);
    }
  return 0;
}

// ---- one element ------------------------------------------------------------------------------

// scratch of one thread: samples of q, v [N][ndof]; forces [N][ndof]; tangents [N][2 ndof^2] and
// their coefficients [4H+1][2 ndof^2]
static size_t scratch_size(const fourier *f) {
  size_t n = PL_NDOF_MAX, N = (size_t)f->N, P = 4 * (size_t)f->H + 1, L = (size_t)f->L;
  return 3 * N * n + N * n + 2 * n * n * (N + P) + 2 * n * L + 2 * L * L;
}

// samples of one local unknown: from its coefficients, or from its drive
static void sample_motion(const pl_hb *hb, const pl_visit *e, double *q, double *v) {
  const fourier *f = &hb->f;
  int n = e->ndof, N = f->N, L = f->L;
  for (int a = 0; a < n; a++) {
    int dof = e->dof[a];
    if (dof < 0 || hb->free_index[dof] < 0) {
      for (int i = 0; i < N; i++) {
        q[i * n + a] = dof < 0 ? 0 : hb->drive_q[(size_t)dof * (size_t)N + (size_t)i];
        v[i * n + a] = dof < 0 ? 0 : hb->omega * hb->drive_v[(size_t)dof * (size_t)N + (size_t)i];
      }
      continue;
    }
    const double *z = hb->zfull + (size_t)hb->free_index[dof] * (size_t)L;
    for (int i = 0; i < N; i++) {
      double x = 0, y = 0;
      for (int k = 0; k < L; k++) {
        x += f->to_time[i * L + k] * z[k];
        y += f->rate[i * L + k] * z[k];
      }
      q[i * n + a] = x;
      v[i * n + a] = hb->omega * y;
    }
  }
}

// adds the coefficients of samples x[N][n] to out[free unknown][L]
static void add_coefficients(const pl_hb *hb, const pl_visit *e, const double *x, double *acc,
                             double *out) {
  const fourier *f = &hb->f;
  int n = e->ndof, N = f->N, L = f->L;
  memset(acc, 0, (size_t)(n * L) * sizeof(double));
  for (int k = 0; k < L; k++)
    for (int i = 0; i < N; i++) {
      double w = f->to_freq[k * N + i];
      for (int a = 0; a < n; a++) acc[k * n + a] += w * x[i * n + a];
    }
  for (int a = 0; a < n; a++) {
    int i = e->dof[a] < 0 ? -1 : hb->free_index[e->dof[a]];
    if (i < 0) continue;
    for (int k = 0; k < L; k++) out[(size_t)i * (size_t)L + (size_t)k] += acc[k * n + a];
  }
}

// J block of K + D d/dt: columns of D turn sines into cosines
static void add_block(const pl_hb *hb, double *val, int stride, const double *kb,
                      const double *db) {
  int H = hb->f.H, L = hb->f.L;
  for (int a = 0; a < L; a++) val[a] += kb[a * L];
  for (int k = 1; k <= H; k++) {
    double w = k * hb->omega, *s = val + (size_t)(2 * k - 1) * (size_t)stride, *c = s + stride;
    for (int a = 0; a < L; a++) {
      s[a] += kb[a * L + 2 * k - 1] + w * db[a * L + 2 * k];
      c[a] += kb[a * L + 2 * k] - w * db[a * L + 2 * k - 1];
    }
  }
}

// transforms tangent samples T[N][2 n^2] (K, then D) and scatters the blocks
static void add_tangents(pl_hb *hb, const pl_visit *e, const double *T, double *coef,
                         double *blocks) {
  const fourier *f = &hb->f;
  int n = e->ndof, N = f->N, P = 4 * f->H + 1, m = 2 * n * n;
  memset(coef, 0, (size_t)(P * m) * sizeof(double));
  for (int k = 0; k < P; k++)
    for (int i = 0; i < N; i++) {
      double w = f->product[k * N + i];
      const double *t = T + (size_t)i * (size_t)m;
      double *c = coef + (size_t)k * (size_t)m;
      for (int j = 0; j < m; j++) c[j] += w * t[j];
    }
  const int *slot = hb->slot + hb->slot0[e->group] + (size_t)e->elem * (size_t)(n * n);
  double *kb = blocks, *db = blocks + f->L * f->L, ck[4 * 64 + 1], cd[4 * 64 + 1];
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      if (slot[a * n + b] < 0) continue;
      for (int k = 0; k < P; k++) {
        ck[k] = coef[k * m + a * n + b];
        cd[k] = coef[k * m + n * n + a * n + b];
      }
      fourier_block(f, ck, kb);
      fourier_block(f, cd, db);
      int stride;
      double *val = block_at(hb, hb->free_index[e->dof[b]], slot[a * n + b], &stride);
      add_block(hb, val, stride, kb, db);
    }
}

static int eval_element(void *ctx, const pl_visit *e, int thread) {
  pl_hb *hb = ctx;
  const fourier *f = &hb->f;
  int n = e->ndof, N = f->N, jac = (hb->want & (PL_HB_JACOBIAN | PL_HB_OMEGA)) != 0;
  double *q = hb->scratch[thread], *v = q + N * PL_NDOF_MAX, *F = v + N * PL_NDOF_MAX;
  double *Fw = F + N * PL_NDOF_MAX, *T = Fw + N * PL_NDOF_MAX;
  double *coef = T + (size_t)N * 2 * PL_NDOF_MAX * PL_NDOF_MAX;
  double *acc = coef + (size_t)(4 * f->H + 1) * 2 * PL_NDOF_MAX * PL_NDOF_MAX;
  double *blocks = acc + 2 * PL_NDOF_MAX * f->L;
  sample_motion(hb, e, q, v);
  for (int i = 0; i < N; i++) {
    double *K = jac ? T + (size_t)i * (size_t)(2 * n * n) : NULL, *D = jac ? K + n * n : NULL;
    if (pl_visit_eval(e, q + i * n, v + i * n, F + i * n, K, D)) return 1;
    // forces are linear in the rates: df/domega = D v / omega
    for (int a = 0; jac && a < n; a++) {
      double s = 0;
      for (int b = 0; b < n; b++) s += D[a * n + b] * v[i * n + b];
      Fw[i * n + a] = s / hb->omega;
    }
  }
  add_coefficients(hb, e, F, acc, hb->inner);
  if (hb->want & PL_HB_OMEGA) add_coefficients(hb, e, Fw, acc, hb->hw);
  if (hb->want & PL_HB_JACOBIAN) add_tangents(hb, e, T, coef, blocks);
  return 0;
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
  double *val = block_at(hb, fj, pl_csc_find(&hb->P, fi, fj), &stride);
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
  for (int j = 0; j < hb->nq; j++)
    for (int k = M->ptr[j]; k < M->ptr[j + 1]; k++) {
      if (M->val[k] == 0) continue;
      add_mass_entry(hb, M->row[k], j, M->val[k]);
      if (M->row[k] != j) add_mass_entry(hb, j, M->row[k], M->val[k]);
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
    for (int k = hb->P.ptr[j]; k < hb->P.ptr[j + 1]; k++) {
      int stride;
      hb->noise[hb->P.row[k]] += DBL_EPSILON * size * fabs(*block_at(hb, j, k, &stride));
    }
  }
}

pl_status pl_hb_eval(pl_hb *hb, const double *z, double omega, unsigned want) {
  size_t n = (size_t)hb->n;
  hb->want = want;
  hb->omega = omega;
  memcpy(hb->zfull, z, n * sizeof(double));
  memset(hb->h, 0, n * sizeof(double));
  memset(hb->hw, 0, n * sizeof(double));
  memset(hb->inner, 0, n * sizeof(double));
  if (want & PL_HB_JACOBIAN) memset(hb->J.val, 0, ((size_t)hb->J.nnz + 1) * sizeof(double));
  add_inertia(hb);
  PL_TRY(pl_model_visit(hb->m, hb->p, hb->w, eval_element, hb));
  measure(hb);
  if (want & PL_HB_JACOBIAN) measure_noise(hb);
  for (size_t i = 0; i < n; i++) hb->h[i] += hb->inner[i] - hb->load[i];
  return pl_all_finite(hb->n, hb->h) ? PL_OK : PL_DOMAIN;
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
  int nthread = pl_team_size(hb->w->team);
  struct {
    double **p;
    size_t n;
  } all[] = {{&hb->drive_q, nq * N},
             {&hb->drive_v, nq * N},
             {&hb->drive_v1, nq * L},
             {&hb->drive_a1, nq * L},
             {&hb->load, n},
             {&hb->weight, nq},
             {&hb->h, n},
             {&hb->hw, n},
             {&hb->inner, n},
             {&hb->noise, (size_t)hb->nfree},
             {&hb->zfull, n}};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    *all[k].p = pl_alloc(hb->env, all[k].n, sizeof(double));
    if (!*all[k].p) return PL_E_NOMEM;
  }
  hb->scratch = pl_alloc(hb->env, (size_t)nthread, sizeof *hb->scratch);
  if (!hb->scratch) return PL_E_NOMEM;
  for (int t = 0; t < nthread; t++) {
    hb->scratch[t] = pl_alloc(hb->env, scratch_size(&hb->f), sizeof(double));
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
  if (nsample == 0) nsample = 8 * nharm > 32 ? 8 * nharm : 32;
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
  if (s == PL_OK) s = build_pattern(hb);
  if (s == PL_OK) s = build_slots(hb);
  if (s == PL_OK) s = pl_model_visit(m, p, w, fill_slot, hb);
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
  int nthread = pl_team_size(hb->w->team);
  for (int t = 0; hb->scratch && t < nthread; t++) pl_free(env, hb->scratch[t]);
  void *all[] = {hb->drive_q, hb->drive_v, hb->drive_v1, hb->drive_a1, hb->load,
                 hb->weight,  hb->h,       hb->hw,       hb->inner,    hb->zfull,
                 hb->slot,    hb->slot0,   hb->scratch,  hb->noise};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(env, all[k]);
  pl_csc_free(env, &hb->J);
  pl_csc_free(env, &hb->P);
  fourier_free(env, &hb->f);
  pl_free(env, hb);
}
