// Fourier coefficients of the forces and tangents of pairs, by Gauss quadrature over the spans
// between events. Since forces are continuous, what moves the events changes no coefficient to
// first order; a slider remembers the place of its last reversal, which adds products of what is
// felt later with what happened then.
#include "pairs.h"

#include <string.h>

enum { GAUSS = 16 };

// what a thread needs for one pair
typedef struct workspace {
  pair x;
  double *f, *r; // [ndof][L] coefficients of force and of the part that is linear in the rates
  double *K, *D; // [ndof][ndof][4H+1]
  double *A;     // [ndof][L] of the change of the force with the slider
  double *t;     // [4H+1] weighted trigonometric functions
} workspace;

struct pairs {
  int nthread;
  workspace *workspace;  // [nthread]
  double *node, *weight; // [GAUSS]
  size_t *first;         // [ngroup + 1] of the blocks of sliders
  double *memory;        // blocks [ndof][L] x [ndof][L], columns first
};

static int is_slider(const pl_elem_kind *k) {
  return k->slider.d != NULL;
}

// ---- object -------------------------------------------------------------------------------------

void pairs_free(pl_env *env, pairs *p) {
  if (!p) return;
  for (int t = 0; p->workspace && t < p->nthread; t++) {
    workspace *d = &p->workspace[t];
    void *all[] = {d->f, d->r, d->K, d->D, d->A, d->t};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(env, all[i]);
    pair_close(env, &d->x);
  }
  void *all[] = {p->workspace, p->node, p->weight, p->first, p->memory, p};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(env, all[i]);
}

static pl_status workspace_open(const pl_hb *hb, int ndof, workspace *d) {
  size_t n = (size_t)ndof, L = (size_t)hb->f.L, P = 2 * L - 1;
  PL_TRY(pair_open(hb->env, ndof, 2 * hb->f.H, hb->f.N > 64 ? hb->f.N : 64, &d->x));
  struct {
    double **p;
    size_t n;
  } all[] = {{&d->f, n * L},     {&d->r, n * L}, {&d->K, n * n * P},
             {&d->D, n * n * P}, {&d->A, n * L}, {&d->t, P}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    *all[i].p = pl_alloc(hb->env, all[i].n, sizeof(double));
    if (!*all[i].p) return PL_E_NOMEM;
  }
  return PL_OK;
}

static pl_status open_all(const pl_hb *hb, int ndof, pairs *p) {
  int ng = pl_model_ngroup(hb->m);
  p->workspace = pl_alloc(hb->env, (size_t)p->nthread, sizeof *p->workspace);
  p->node = pl_alloc(hb->env, GAUSS, sizeof(double));
  p->weight = pl_alloc(hb->env, GAUSS, sizeof(double));
  p->first = pl_alloc(hb->env, (size_t)ng + 1, sizeof *p->first);
  if (!p->workspace || !p->node || !p->weight || !p->first) return PL_E_NOMEM;
  pl_gauss(GAUSS, p->node, p->weight);
  for (int g = 0; g < ng; g++) {
    const pl_elem_kind *k = pl_model_group_kind(hb->m, g);
    size_t size = (size_t)k->ndof * (size_t)hb->f.L;
    p->first[g + 1] =
        p->first[g] + (is_slider(k) ? size * size * (size_t)pl_model_group_size(hb->m, g) : 0);
  }
  p->memory = pl_alloc(hb->env, p->first[ng], sizeof(double));
  if (!p->memory) return PL_E_NOMEM;
  for (int t = 0; t < p->nthread; t++) PL_TRY(workspace_open(hb, ndof, &p->workspace[t]));
  return PL_OK;
}

pl_status pairs_create(pl_hb *hb, pairs **out) {
  int ndof = 0;
  *out = NULL;
  for (int g = 0; g < pl_model_ngroup(hb->m); g++) {
    const pl_elem_kind *k = pl_model_group_kind(hb->m, g);
    if (k->stretch && k->ndof > ndof) ndof = k->ndof;
  }
  if (ndof == 0) return PL_OK;
  pairs *p = pl_alloc(hb->env, 1, sizeof *p);
  if (!p) return PL_E_NOMEM;
  p->nthread = pl_threads_size(hb->w->threads);
  pl_status s = open_all(hb, ndof, p);
  if (s != PL_OK) {
    pairs_free(hb->env, p);
    return s;
  }
  *out = p;
  return PL_OK;
}

// ---- one pair -----------------------------------------------------------------------------------

// series of a driven unknown, up to the order 2H, from its samples
static void load_driven(const pl_hb *hb, int dof, double *c) {
  const fourier *f = &hb->f;
  const double *q = hb->drive_q + (size_t)dof * (size_t)f->N;
  for (int k = 0; k < 4 * f->H + 1; k++) {
    c[k] = 0;
    for (int i = 0; i < f->N; i++) c[k] += f->product[k * f->N + i] * q[i];
  }
}

int pairs_load(const pl_hb *hb, int group, int elem, const int *dof, pair *x) {
  int L = hb->f.L, driven = 0;
  x->kind = pl_model_group_kind(hb->m, group);
  x->par = pl_model_group_par(hb->m, hb->p, group, elem);
  x->rest = pl_model_group_rest(hb->m, hb->p, group, elem);
  x->ndof = x->kind->ndof;
  x->omega = hb->omega;
  for (int a = 0; a < x->ndof; a++) driven |= dof[a] >= 0 && hb->free_index[dof[a]] < 0;
  x->order = driven ? 2 * hb->f.H : hb->f.H;
  size_t size = 2 * (size_t)x->order + 1;
  memset(x->c, 0, (size_t)x->ndof * size * sizeof *x->c);
  for (int a = 0; a < x->ndof; a++) {
    if (dof[a] < 0) continue;
    int i = hb->free_index[dof[a]];
    if (i >= 0)
      memcpy(x->c + (size_t)a * size, hb->zfull + (size_t)i * (size_t)L, (size_t)L * sizeof *x->c);
    else
      load_driven(hb, dof[a], x->c + (size_t)a * size);
  }
  return pair_timeline(x);
}

void pairs_basis(double phase, double weight, int order, double *t) {
  double s1 = sin(phase), c1 = cos(phase), s = s1, c = c1, w = weight / PL_PI;
  t[0] = 0.5 * w;
  for (int k = 1; k <= order; k++) {
    t[2 * k - 1] = w * s;
    t[2 * k] = w * c;
    double next = s * c1 + c * s1;
    c = c * c1 - s * s1;
    s = next;
  }
}

static void add_series(int n, double value, const double *t, double *to) {
  if (value == 0) return;
  for (int k = 0; k < n; k++) to[k] += value * t[k];
}

// force and tangents at one phase
typedef struct look {
  double q[PL_NDOF_MAX], v[PL_NDOF_MAX], f[PL_NDOF_MAX];
  double K[PL_NDOF_MAX * PL_NDOF_MAX], D[PL_NDOF_MAX * PL_NDOF_MAX];
} look;

static int look_at(const pair *x, const span *s, double phase, look *l) {
  const pl_elem_kind *k = x->kind;
  double rest[PL_NREST_MAX], W;
  pair_motion(x, phase, l->q, l->v);
  for (int a = 0; a < x->ndof; a++) l->v[a] *= x->omega;
  pair_rest(x, s, l->q, rest);
  if (k->on_rate) return k->d.visc(l->q, l->v, x->par, rest, l->f, l->D, l->K);
  return pl_elem_eval(k, l->q, x->par, rest, &W, l->f, l->K);
}

// what is added up over a span
typedef struct sum {
  pl_hb *hb;
  workspace *d;
  const span *s;
} sum;

static pl_status add_phase(void *ctx, double phase, double weight) {
  sum *at = ctx;
  pl_hb *hb = at->hb;
  workspace *d = at->d;
  const span *s = at->s;
  look l;
  const pair *x = &d->x;
  int n = x->ndof, L = hb->f.L, P = 2 * L - 1, jac = (hb->want & PL_HB_JACOBIAN) != 0;
  if (look_at(x, s, phase, &l)) return PL_DOMAIN;
  pairs_basis(phase, weight, jac ? 2 * hb->f.H : hb->f.H, d->t);
  for (int a = 0; a < n; a++) {
    add_series(L, l.f[a], d->t, d->f + a * L);
    for (int b = 0; b < n; b++) {
      if (jac) add_series(P, l.K[a * n + b], d->t, d->K + (a * n + b) * P);
      if (!x->kind->on_rate) continue;
      if (jac) add_series(P, l.D[a * n + b], d->t, d->D + (a * n + b) * P);
      add_series(L, l.D[a * n + b] * l.v[b], d->t, d->r + a * L);
    }
  }
  if (!jac || !is_slider(x->kind) || s->slip || s->since < 0) return PL_OK;
  double e = 0, normal[PL_NDOF_MAX];
  x->kind->stretch(l.q, x->rest, &e, normal);
  for (int a = 0; a < n; a++) add_series(L, -x->par[0] * normal[a], d->t, d->A + a * L);
  return PL_OK;
}

// block += A B', B the change of the slider's place: n(since) times the functions there
static void remember(const pl_hb *hb, workspace *d, const span *s, double *block) {
  const pair *x = &d->x;
  int n = x->ndof, L = hb->f.L;
  double q[PL_NDOF_MAX], v[PL_NDOF_MAX], normal[PL_NDOF_MAX], e = 0;
  pair_motion(x, s->since, q, v);
  x->kind->stretch(q, x->rest, &e, normal);
  pairs_basis(s->since, PL_PI, hb->f.H, d->t);
  d->t[0] = 1;
  for (int b = 0; b < n; b++)
    for (int l = 0; l < L; l++, block += n * L) add_series(n * L, normal[b] * d->t[l], d->A, block);
}

pl_status pairs_integrate(const pl_hb *hb, const span *s, pairs_phase_fn fn, void *ctx) {
  // panels so short that 16 points integrate functions of order 4H to rounding
  const pairs *p = hb->pairs;
  double length = s->to - s->from;
  int panels = (int)ceil(length * 4 * hb->f.H / 14);
  for (int i = 0; i < panels; i++) {
    double h = length / panels, mid = s->from + (i + 0.5) * h;
    for (int k = 0; k < GAUSS; k++)
      PL_TRY(fn(ctx, mid + 0.5 * h * p->node[k], 0.5 * h * p->weight[k]));
  }
  return PL_OK;
}

static int add_span(pl_hb *hb, workspace *d, const span *s, double *block) {
  sum at = {hb, d, s};
  if (block) memset(d->A, 0, (size_t)(d->x.ndof * hb->f.L) * sizeof *d->A);
  if (pairs_integrate(hb, s, add_phase, &at) != PL_OK) return 1;
  if (block && !s->slip && s->since >= 0) remember(hb, d, s, block);
  return 0;
}

// ---- scatter ------------------------------------------------------------------------------------

static void scatter_forces(pl_hb *hb, const workspace *d, const int *dof) {
  int L = hb->f.L, rates = d->x.kind->on_rate && (hb->want & PL_HB_OMEGA);
  for (int a = 0; a < d->x.ndof; a++) {
    int i = dof[a] < 0 ? -1 : hb->free_index[dof[a]];
    if (i < 0) continue;
    for (int k = 0; k < L; k++) {
      hb->inner[(size_t)i * (size_t)L + (size_t)k] += d->f[a * L + k];
      if (rates) hb->hw[(size_t)i * (size_t)L + (size_t)k] += d->r[a * L + k] / hb->omega;
    }
  }
}

static void add_pair(pl_hb *hb, int at, double factor, const double *K, const double *D) {
  int P = 2 * hb->f.L - 1;
  double *to = hb_pair(hb, at);
  for (int k = 0; k < P; k++) to[k] += factor * K[k];
  for (int k = 0; D && k < P; k++) to[P + k] += factor * D[k];
}

// as add_entry of balance.c
static void scatter_tangents(pl_hb *hb, const workspace *d, const pl_batch *e, int lane) {
  int n = e->ndof, P = 2 * hb->f.L - 1;
  const int *dof = e->dof + lane * n;
  const int *slot = hb->slot + hb->slot0[e->group] + (size_t)(e->first + lane) * (size_t)e->nentry;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < (e->symmetric ? a + 1 : n); b++, slot++) {
      if (*slot < 0) continue;
      const double *K = d->K + (a * n + b) * P;
      const double *D = d->x.kind->on_rate ? d->D + (a * n + b) * P : NULL;
      int twin = e->symmetric && a != b && dof[a] == dof[b];
      add_pair(hb, *slot, twin ? 2 : 1, K, D);
      if (e->symmetric && !hb->symmetric && a != b && !twin)
        add_pair(hb, hb->mirror[*slot], 1, K, D);
    }
}

static int eval_pair(pl_hb *hb, const pl_batch *e, int lane, workspace *d) {
  const pairs *p = hb->pairs;
  int jac = (hb->want & PL_HB_JACOBIAN) != 0, elem = e->first + lane;
  size_t n = (size_t)e->ndof, L = (size_t)hb->f.L, P = 2 * L - 1, size = n * L;
  const int *dof = e->dof + lane * e->ndof;
  if (pairs_load(hb, e->group, elem, dof, &d->x)) return 1;
  memset(d->f, 0, size * sizeof(double));
  memset(d->r, 0, size * sizeof(double));
  if (jac) memset(d->K, 0, n * n * P * sizeof(double));
  if (jac) memset(d->D, 0, n * n * P * sizeof(double));
  double *block = NULL;
  if (jac && is_slider(d->x.kind)) {
    block = p->memory + p->first[e->group] + (size_t)elem * size * size;
    memset(block, 0, size * size * sizeof(double));
  }
  for (int i = 0; i < d->x.nspan; i++)
    if (add_span(hb, d, &d->x.span[i], block)) return 1;
  scatter_forces(hb, d, dof);
  if (jac) scatter_tangents(hb, d, e, lane);
  return 0;
}

int pairs_batch(pl_hb *hb, const pl_batch *e, int thread, int *bad) {
  pl_batch_wait(e);
  for (*bad = 0; *bad < e->n; ++*bad)
    if (eval_pair(hb, e, *bad, &hb->pairs->workspace[thread])) return 1;
  return 0;
}

static int add_memory(void *ctx, const pl_element *e, int thread) {
  pl_hb *hb = ctx;
  (void)thread;
  int n = e->ndof, L = hb->f.L;
  if (!is_slider(pl_model_group_kind(hb->m, e->group))) return 0;
  size_t size = (size_t)n * (size_t)L;
  const double *block =
      hb->pairs->memory + hb->pairs->first[e->group] + (size_t)e->elem * size * size;
  for (int b = 0; b < n; b++)
    for (int a = 0; a < n; a++) {
      int i = e->dof[a] < 0 ? -1 : hb->free_index[e->dof[a]];
      int j = e->dof[b] < 0 ? -1 : hb->free_index[e->dof[b]], stride;
      if (i < 0 || j < 0) continue;
      double *to = pl_blocks_at(&hb->J, j, pl_csc_find(&hb->P, i, j), &stride);
      const double *from = block + (size_t)b * (size_t)L * size + (size_t)a * (size_t)L;
      for (int l = 0; l < L; l++, to += stride, from += size)
        for (int k = 0; k < L; k++) to[k] += from[k];
    }
  return 0;
}

void pairs_memory(pl_hb *hb) {
  pl_model_each_element(hb->m, hb->p, hb->w, add_memory, hb);
}
