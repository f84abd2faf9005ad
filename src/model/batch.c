// Batches of elements: by kernels for packs where the kind has them, otherwise one after the other.
#include "model_impl.h"

#include <string.h>

int pl_batch_entries(const pl_model *m, int which, int *symmetric) {
  const pl_elem_kind *k = m->group[which].kind;
  *symmetric = !k->damped;
  return *symmetric ? k->ndof * (k->ndof + 1) / 2 : k->ndof * k->ndof;
}

double pl_model_group_beta(const pl_model *m, const pl_params *p, int which) {
  return group_beta(&m->group[which], p->par);
}

// ---- visits -------------------------------------------------------------------------------------

typedef struct tour {
  const pl_model *m;
  const pl_params *p;
  pl_work *w;
  pl_batch_fn fn;
  void *ctx;
  int since;        // elements since the host was asked
  atomic_int ended; // what it said, PL_OK: go on
} tour;

static void open_batch(const tour *t, int number, int first, pl_batch *l) {
  const block *b = &t->m->block[number];
  const group *g = &t->m->group[b->group];
  const pl_elem_kind *k = g->kind;
  int left = b->first + b->n - first;
  l->m = t->m;
  l->p = t->p;
  l->group = b->group;
  l->first = first;
  l->alone = 0;
  l->n = left < PL_LANES ? left : PL_LANES;
  l->ndof = k->ndof;
  l->nentry = pl_batch_entries(t->m, b->group, &l->symmetric);
  l->dof = g->dof + (size_t)first * (size_t)k->ndof;
  l->w = t->w;
  l->block = number;
  if (!k->p.eval) return;
  for (int e = 0; e < PL_LANES; e++) {
    int at = first + (e < l->n ? e : l->n - 1);
    const double *par = group_par(g, t->p->par, at);
    const double *rest = t->p->rest + g->rest0 + (size_t)at * (size_t)k->nrest;
    for (int i = 0; i < k->npar; i++) l->par[i][e] = par[i];
    for (int i = 0; i < k->nrest; i++) l->rest[i][e] = rest[i];
  }
}

void pl_batch_alone(const pl_batch *e, int lane, int n, pl_batch *out) {
  const pl_elem_kind *k = e->m->group[e->group].kind;
  out->m = e->m;
  out->p = e->p;
  out->group = e->group;
  out->first = e->first + lane;
  out->n = n;
  out->alone = 1;
  out->ndof = e->ndof;
  out->symmetric = e->symmetric;
  out->nentry = e->nentry;
  out->dof = e->dof + lane * e->ndof;
  out->w = e->w;
  out->block = e->block;
  if (!k->p.eval) return;
  for (int i = 0; i < k->npar; i++) out->par[i] = e->par[i][lane] - (pl_pack){0};
  for (int i = 0; i < k->nrest; i++) out->rest[i] = e->rest[i][lane] - (pl_pack){0};
}

enum { MANY = 4096 }; // elements after which the host is asked

static void ask_host(tour *t, int nelem) {
  t->since += nelem;
  if (t->since < MANY) return;
  t->since = 0;
  atomic_store(&t->ended, (int)pl_report_progress(t->w->env, NULL, -1, NULL));
}

static void eval_block(void *ctx, int i, int thread) {
  tour *t = ctx;
  const block *b = &t->m->block[i];
  int *bad = &t->w->impl->bad[i];
  *bad = 0;
  if (atomic_load(&t->ended) != PL_OK) return;
  if (thread == 0) ask_host(t, b->n * pl_threads_size(t->w->threads));
  for (int e = b->first; e < b->first + b->n; e += PL_LANES) {
    pl_batch batch;
    int lane = 0;
    open_batch(t, i, e, &batch);
    if (t->fn(t->ctx, &batch, thread, &lane)) {
      *bad = e + lane + 1;
      return;
    }
  }
}

pl_status pl_model_each_batch(const pl_model *m, const pl_params *p, pl_work *w, pl_batch_fn fn,
                              void *ctx) {
  tour t = {.m = m, .p = p, .w = w, .fn = fn, .ctx = ctx};
  model_each_block(m, w, w->threads, 1, eval_block, &t);
  PL_TRY((pl_status)t.ended);
  return model_fault(m, w);
}

void pl_batch_wait(const pl_batch *e) {
  model_wait(e->m, e->w, e->block);
}

// ---- one by one ---------------------------------------------------------------------------------

// what the elements of a batch give, one after the other
typedef struct results {
  double f[PL_LANES][PL_NDOF_MAX], r[PL_LANES][PL_NDOF_MAX];
  double K[PL_LANES][PL_NDOF_MAX * PL_NDOF_MAX], D[PL_LANES][PL_NDOF_MAX * PL_NDOF_MAX];
} results;

static void copy_lane(int n, const pl_pack *from, int lane, double *to) {
  for (int i = 0; i < n; i++) to[i] = from[i][lane];
}

static int eval_lane(const pl_batch *e, const pl_batch_sample *s, int lane, results *out) {
  double q[PL_NDOF_MAX], v[PL_NDOF_MAX], q0[PL_NDOF_MAX], dq[PL_NDOF_MAX];
  int n = e->ndof, at = e->alone ? 0 : lane;
  double *K = s->K ? out->K[lane] : NULL, *D = s->v && (s->D || s->r) ? out->D[lane] : NULL;
  pl_element x = {.m = e->m,
                  .p = e->p,
                  .group = e->group,
                  .elem = e->first + at,
                  .ndof = n,
                  .dof = e->dof + at * n};
  copy_lane(n, s->q, lane, q);
  if (s->v) copy_lane(n, s->v, lane, v);
  if (pl_element_eval(&x, q, s->v ? v : NULL, out->f[lane], K, D)) return 1;
  for (int i = 0; s->r && i < n; i++) {
    out->r[lane][i] = 0;
    for (int j = 0; j < n; j++) out->r[lane][i] += D[i * n + j] * v[j];
  }
  if (!K || !s->q0) return 0;
  copy_lane(n, s->q0, lane, q0);
  copy_lane(n, s->dq, lane, dq);
  pl_element_mixed(&x, q, q0, dq, K, D);
  return 0;
}

// one pack of the numbers of all lanes; those beyond the last element repeat it
static void put_lanes(int n, const double *from, size_t step, pl_pack *to) {
  for (int l = 0; l < PL_LANES; l++) (*to)[l] = from[(size_t)(l < n ? l : n - 1) * step];
}

static void put_vector(const pl_batch *e, double from[][PL_NDOF_MAX], int stride, pl_pack *to) {
  for (int i = 0; to && i < e->ndof; i++, to += stride)
    put_lanes(e->n, &from[0][i], PL_NDOF_MAX, to);
}

static void put_matrix(const pl_batch *e, double from[][PL_NDOF_MAX * PL_NDOF_MAX], int stride,
                       pl_pack *to) {
  for (int i = 0; to && i < e->ndof; i++)
    for (int j = 0; j < (e->symmetric ? i + 1 : e->ndof); j++, to += stride)
      put_lanes(e->n, &from[0][i * e->ndof + j], PL_NDOF_MAX * PL_NDOF_MAX, to);
}

static int eval_lanes(const pl_batch *e, const pl_batch_sample *s, int *bad) {
  results all;
  for (*bad = 0; *bad < e->n; ++*bad)
    if (eval_lane(e, s, *bad, &all)) return 1;
  put_vector(e, all.f, s->stride, s->f);
  put_vector(e, all.r, s->stride, s->r);
  put_matrix(e, all.K, s->stride, s->K);
  put_matrix(e, all.D, s->stride, s->D);
  return 0;
}

// ---- packs --------------------------------------------------------------------------------------

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#define CLONES                                                                                     \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"), optimize("O3")))
#else
#define CLONES
#endif

// Plain loops over lanes become vectors, for each processor its own; arrays are [..][PL_LANES].

// f = g + beta H v, r = beta H v
CLONES static void put_forces(int n, double beta, const double *g, const double *H, const double *v,
                              int stride, double *f, double *r) {
  for (int i = 0; i < n; i++) {
    double s[PL_LANES] = {0};
    for (int j = 0; beta != 0 && j < n; j++)
      for (int l = 0; l < PL_LANES; l++)
        s[l] += H[(i * n + j) * PL_LANES + l] * v[j * PL_LANES + l];
    size_t at = (size_t)i * (size_t)stride * PL_LANES;
    for (int l = 0; l < PL_LANES; l++) {
      f[at + (size_t)l] = g[i * PL_LANES + l] + beta * s[l];
      if (r) r[at + (size_t)l] = beta * s[l];
    }
  }
}

// K = H + beta T (NULL: zero) and D = beta H (NULL: not wanted), their lower triangles unless full;
// add: to them
CLONES static void put_tangents(int n, int full, double beta, int add, const double *H,
                                const double *T, int stride, double *K, double *D) {
  size_t at = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < (full ? n : i + 1); j++, at += (size_t)stride * PL_LANES) {
      const double *h = H + (i * n + j) * PL_LANES, *t = T ? T + (i * n + j) * PL_LANES : NULL;
      double k[PL_LANES], d[PL_LANES];
      for (int l = 0; l < PL_LANES; l++) {
        k[l] = t ? h[l] + beta * t[l] : h[l];
        d[l] = beta * h[l];
      }
      for (int l = 0; l < PL_LANES; l++) {
        K[at + (size_t)l] = add ? K[at + (size_t)l] + k[l] : k[l];
        if (D) D[at + (size_t)l] = add ? D[at + (size_t)l] + d[l] : d[l];
      }
    }
}

// f += g and, by rates alone, r += C v (NULL: not wanted)
CLONES static void add_forces(int n, const double *g, const double *C, const double *v, int stride,
                              double *f, double *r) {
  for (int i = 0; i < n; i++) {
    double s[PL_LANES] = {0};
    for (int j = 0; r && j < n; j++)
      for (int l = 0; l < PL_LANES; l++)
        s[l] += C[(i * n + j) * PL_LANES + l] * v[j * PL_LANES + l];
    size_t at = (size_t)i * (size_t)stride * PL_LANES;
    for (int l = 0; l < PL_LANES; l++) {
      f[at + (size_t)l] += g[i * PL_LANES + l];
      if (r) r[at + (size_t)l] += s[l];
    }
  }
}

// K += S and D += C, all entries
CLONES static void add_tangents(int nn, const double *S, const double *C, int stride, double *K,
                                double *D) {
  for (int i = 0; i < nn; i++) {
    size_t at = (size_t)i * (size_t)stride * PL_LANES;
    for (int l = 0; l < PL_LANES; l++) {
      K[at + (size_t)l] += S[i * PL_LANES + l];
      if (D) D[at + (size_t)l] += C[i * PL_LANES + l];
    }
  }
}

static int add_visc(const pl_batch *e, const pl_batch_sample *s) {
  const pl_elem_kind *k = e->m->group[e->group].kind;
  int n = e->ndof, tangent = s->K != NULL;
  pl_pack f[PL_NDOF_MAX], C[PL_NDOF_MAX * PL_NDOF_MAX], S[PL_NDOF_MAX * PL_NDOF_MAX];
  if (k->p.visc(s->q, s->v, e->par, e->rest, f, tangent || s->r ? C : NULL, tangent ? S : NULL))
    return 1;
  add_forces(n, (double *)f, (double *)C, (const double *)s->v, s->stride, (double *)s->f,
             (double *)s->r);
  if (tangent)
    add_tangents(n * n, (double *)S, (double *)C, s->stride, (double *)s->K, (double *)s->D);
  return 0;
}

static int eval_pack(const pl_batch *e, const pl_batch_sample *s) {
  const pl_elem_kind *k = e->m->group[e->group].kind;
  double beta = s->v ? group_beta(&e->m->group[e->group], e->p->par) : 0;
  int n = e->ndof, damped = beta != 0, tangent = s->K != NULL, full = !e->symmetric;
  pl_pack H[PL_NDOF_MAX * PL_NDOF_MAX], T[PL_NDOF_MAX * PL_NDOF_MAX], g[PL_NDOF_MAX];
  if (k->p.eval(s->q, e->par, e->rest, NULL, g, tangent || damped ? H : NULL)) return 1;
  if (tangent && damped && k->p.third(s->q, s->v, e->par, e->rest, T)) return 1;
  put_forces(n, beta, (double *)g, (double *)H, (const double *)s->v, s->stride, (double *)s->f,
             (double *)s->r);
  if (k->p.visc && s->v && !tangent) return add_visc(e, s);
  if (!tangent) return 0;
  put_tangents(n, full, beta, 0, (double *)H, damped ? (double *)T : NULL, s->stride,
               (double *)s->K, (double *)s->D);
  if (k->p.visc && s->v && add_visc(e, s)) return 1;
  if (!s->q0 || !k->p.mixed) return 0;
  k->p.mixed(s->q, s->q0, s->dq, e->par, e->rest, T);
  put_tangents(n, full, beta, 1, (double *)T, NULL, s->stride, (double *)s->K, (double *)s->D);
  return 0;
}

int pl_batch_eval(const pl_batch *e, const pl_batch_sample *s, int *bad) {
  const pl_elem_kind *k = e->m->group[e->group].kind;
  // one by one also tells who is outside
  int packs = k->p.eval && k->p.third && (k->p.visc || !k->d.visc);
  return !packs || eval_pack(e, s) ? eval_lanes(e, s, bad) : 0;
}
