// Stiffness and damping along a motion, on the pairs of free unknowns that share an element.
#include "floquet_impl.h"
#include "packs.h"

#include <stdlib.h>
#include <string.h>

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#pragma GCC optimize("O3", "fp-contract=fast")
#endif
#pragma GCC diagnostic ignored "-Wpsabi"
#define COPY "tangents.inc"
#include "pliant/copies.h"

// ---- order of the unknowns ----------------------------------------------------------------------

// neighbours in a full pattern, breadth first from a start; returns how many were reached and the
// last of them
static int spread(const pl_csc *P, int start, int from, int *order, char *seen) {
  int n = from;
  order[n++] = start;
  seen[start] = 1;
  for (int i = from; i < n; i++)
    for (pl_entry e = pl_csc_column(P, order[i]); pl_csc_next_in(P, &e);) {
      if (seen[e.i]) continue;
      seen[e.i] = 1;
      order[n++] = e.i;
    }
  return n;
}

// Cuthill and McKee: every part of the graph from one of its ends
static pl_status make_order(tangents *t, const pl_csc *P) {
  char *seen = pl_alloc(t->env, (size_t)t->n, 1);
  if (!seen) return PL_E_NOMEM;
  for (int done = 0, next = 0; done < t->n;) {
    while (seen[next]) next++;
    // twice breadth first ends far from the middle
    int start = next;
    for (int pass = 0; pass < 2; pass++) {
      int end = spread(P, start, done, t->order, seen);
      start = t->order[end - 1];
      for (int i = done; i < end; i++) seen[t->order[i]] = 0;
    }
    done = spread(P, start, done, t->order, seen);
  }
  for (int i = 0; i < t->n; i++) t->place[t->order[i]] = i;
  pl_free(t->env, seen);
  return PL_OK;
}

// ---- pattern ------------------------------------------------------------------------------------

// pairs by places; symmetric: below the diagonal
static pl_status make_pattern(tangents *t, const pl_csc *P) {
  size_t nnz = (size_t)P->nnz;
  int *row = pl_alloc(t->env, 2 * nnz, sizeof(int)), *col = row + nnz, n = 0;
  double *one = pl_alloc(t->env, nnz, sizeof(double));
  pl_status s = row && one ? PL_OK : PL_E_NOMEM;
  for (pl_entry e = {.k = -1}; s == PL_OK && pl_csc_next(P, &e);) {
    if (t->symmetric && t->place[e.i] < t->place[e.j]) continue;
    row[n] = t->place[e.i];
    col[n] = t->place[e.j];
    one[n++] = 1;
  }
  if (s == PL_OK) s = pl_csc_from_triplets(t->env, t->n, t->symmetric, n, row, col, one, &t->P);
  pl_free(t->env, row);
  pl_free(t->env, one);
  return s;
}

static int fill_slot(void *ctx, const pl_element *e, int thread) {
  (void)thread;
  tangents *t = ctx;
  const int *index = pl_model_free_index(t->v->m);
  int sym, nentry = pl_batch_entries(t->v->m, e->group, &sym);
  int *slot = t->slot + t->slot0[e->group] + (size_t)e->elem * (size_t)nentry;
  for (int a = 0; a < e->ndof; a++)
    for (int b = 0; b < (sym ? a + 1 : e->ndof); b++) {
      int i = e->dof[a] < 0 ? -1 : index[e->dof[a]], j = e->dof[b] < 0 ? -1 : index[e->dof[b]];
      *slot = -1;
      if (i >= 0 && j >= 0) {
        i = t->place[i];
        j = t->place[j];
        int low = t->symmetric && i < j;
        *slot = pl_csc_find(&t->P, low ? j : i, low ? i : j);
      }
      slot++;
    }
  return 0;
}

static pl_status make_slots(tangents *t) {
  const pl_model *m = t->v->m;
  int ng = pl_model_ngroup(m);
  t->slot0 = pl_alloc(t->env, (size_t)ng + 1, sizeof *t->slot0);
  t->mirror = pl_alloc(t->env, (size_t)t->P.nnz, sizeof *t->mirror);
  if (!t->slot0 || !t->mirror) return PL_E_NOMEM;
  for (int g = 0; g < ng; g++) {
    int sym, n = pl_batch_entries(m, g, &sym);
    t->slot0[g + 1] = t->slot0[g] + (size_t)n * (size_t)pl_model_group_size(m, g);
  }
  t->slot = pl_alloc(t->env, t->slot0[ng], sizeof(int));
  if (!t->slot) return PL_E_NOMEM;
  if (!t->symmetric) PL_TRY(pl_csc_mirrors(t->env, &t->P, t->mirror));
  return pl_model_each_element(m, t->v->p, t->v->w, fill_slot, t);
}

pl_status tangents_open(variation *v, tangents *t) {
  size_t n = (size_t)v->n;
  pl_csc full = {0};
  *t = (tangents){.env = v->env, .v = v, .n = v->n, .symmetric = 1, .part = TANGENTS_ALL};
  t->rated = v->p->par[PL_PAR_BETA] != 0;
  for (int g = 0; g < pl_model_ngroup(v->m); g++) {
    int sym;
    pl_batch_entries(v->m, g, &sym);
    t->symmetric &= sym;
    t->rated |= pl_model_group_kind(v->m, g)->d.visc != NULL;
  }
  t->order = pl_alloc(v->env, n, sizeof(int));
  t->place = pl_alloc(v->env, n, sizeof(int));
  pl_status s = t->order && t->place ? pl_csc_expand(v->env, &v->w->A, &full, NULL) : PL_E_NOMEM;
  if (s == PL_OK) s = make_order(t, &full);
  if (s == PL_OK) s = make_pattern(t, &full);
  if (s == PL_OK) s = make_slots(t);
  pl_csc_free(v->env, &full);
  return s;
}

void tangents_close(tangents *t) {
  void *all[] = {t->order, t->place, t->slot0, t->slot, t->mirror, t->q};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(t->env, all[k]);
  pl_csc_free(t->env, &t->P);
}

// ---- values -------------------------------------------------------------------------------------

// 1 when an element lists an unknown twice
static int has_twins(const pl_batch *e) {
  for (int a = 0; a < e->ndof; a++)
    for (int b = 0; b < a; b++)
      if (e->dof[a] >= 0 && e->dof[a] == e->dof[b]) return 1;
  return 0;
}

// adds the entries x of an element at eight phases; to: those phases of the first pair
static void add_entries(const tangents *t, const pl_batch *e, const pl_pack *x, double factor,
                        pl_pack *to) {
  const int *slot = t->slot + t->slot0[e->group] + (size_t)e->first * (size_t)e->nentry;
  int spread_out = e->symmetric && !t->symmetric;
  size_t step = (size_t)t->npack;
  if (!spread_out && !has_twins(e)) {
    PICK(scatter)(e->nentry, slot, step, factor, x, to);
    return;
  }
  for (int a = 0, k = 0; a < e->ndof; a++)
    for (int b = 0; b < (e->symmetric ? a + 1 : e->ndof); b++, k++) {
      if (slot[k] < 0) continue;
      // an unknown that stands twice meets itself above and below the diagonal
      int twin = e->symmetric && a != b && e->dof[a] == e->dof[b];
      double by = twin ? 2 * factor : factor;
      PICK(scatter)(1, slot + k, step, by, x + k, to);
      if (spread_out && a != b && !twin)
        PICK(scatter)(1, t->mirror + slot[k], step, factor, x + k, to);
    }
}

// where an evaluation leaves its results
typedef struct sample {
  pl_pack q[PL_NDOF_MAX], v[PL_NDOF_MAX], f[PL_NDOF_MAX];
  pl_pack K[PL_NDOF_MAX * PL_NDOF_MAX], D[PL_NDOF_MAX * PL_NDOF_MAX];
} sample;

// an element at all phases
static int eval_alone(tangents *t, const pl_batch *batch, int lane, sample *x) {
  pl_batch e;
  int rated = t->rated && t->D, bad;
  size_t nq = (size_t)pl_model_nq(t->v->m);
  pl_batch_sample s = {
      .q = x->q, .v = x->v, .stride = 1, .f = x->f, .K = x->K, .D = rated ? x->D : NULL};
  pl_batch_alone(batch, lane, PL_LANES, &e);
  for (int i = 0; i < t->npack; i++) {
    int left = t->nphase - i * PL_LANES;
    const pl_pack *Q = t->q + 2 * (size_t)i * nq, *V = Q + nq;
    pl_pack *f = t->f ? t->f + (size_t)i * nq : NULL;
    e.n = left < PL_LANES ? left : PL_LANES;
    PICK(gather)(e.ndof, e.dof, Q, x->q);
    PICK(gather)(e.ndof, e.dof, V, x->v);
    if (pl_batch_eval(&e, &s, &bad)) return 1;
    add_entries(t, &e, x->K, 1, t->K + i);
    if (f) PICK(scatter)(e.ndof, e.dof, 1, 1, x->f, f);
    if (rated) add_entries(t, &e, x->D, t->v->omega, t->D + i);
  }
  return 0;
}

unsigned tangents_part(const pl_elem_kind *k) {
  return k->stretch ? TANGENTS_EVENTS : k->d.visc ? TANGENTS_DASHPOTS : TANGENTS_PLAIN;
}

static int eval_batch(void *ctx, const pl_batch *e, int thread, int *bad) {
  (void)thread;
  tangents *t = ctx;
  const pl_elem_kind *kind = pl_model_group_kind(t->v->m, e->group);
  // what sliders do depends on the past: events.c
  if (kind->slider.d || !(t->part & tangents_part(kind))) return 0;
  sample x;
  pl_batch_wait(e);
  // lanes without a phase have numbers too
  memset(x.f, 0, (size_t)e->ndof * sizeof *x.f);
  memset(x.K, 0, (size_t)e->nentry * sizeof *x.K);
  memset(x.D, 0, (size_t)e->nentry * sizeof *x.D);
  for (*bad = 0; *bad < e->n; ++*bad)
    if (eval_alone(t, e, *bad, &x)) return 1;
  return 0;
}

static pl_status open_motion(tangents *t, int nphase) {
  int npack = (nphase + PL_LANES - 1) / PL_LANES;
  pl_free(t->env, t->q);
  t->nphase = t->npack = 0;
  t->q = pl_alloc(t->env, 2 * (size_t)pl_model_nq(t->v->m) * (size_t)npack, sizeof(pl_pack));
  if (!t->q) return PL_E_NOMEM;
  t->nphase = nphase;
  t->npack = npack;
  return PL_OK;
}

// driven unknowns at a phase, the last one of all for the rest of its pack
static void put_driven(tangents *t, int i, double phase, pl_pack *q, pl_pack *u) {
  variation *v = t->v;
  const int *index = pl_model_free_index(v->m);
  int from = i % PL_LANES, to = i == t->nphase - 1 ? PL_LANES : from + 1;
  double sub = v->o->sub > 1 ? v->o->sub : 1;
  pl_clock c = {.t = phase / v->omega, .omega = v->omega * sub, .scale = 1};
  pl_drive(v->m, v->p, &c, v->s);
  for (int j = 0; j < pl_model_nq(v->m); j++)
    for (int l = from; l < to && index[j] < 0; l++) {
      q[j][l] = v->s->q[j];
      u[j][l] = v->s->v[j];
    }
}

pl_status tangents_place(tangents *t, int nphase, const double *phase) {
  variation *v = t->v;
  const pl_orbit *o = v->o;
  size_t nq = (size_t)pl_model_nq(v->m);
  pl_pack *rot = pl_alloc(t->env, 2 * (size_t)o->nharm + 1, sizeof(pl_pack));
  pl_status s = rot ? open_motion(t, nphase) : PL_E_NOMEM;
  if (s == PL_OK) pl_orbit_state(v->m, v->p, o, 0, v->s);
  for (int p = 0; s == PL_OK && p < t->npack; p++) {
    pl_pack *q = t->q + 2 * (size_t)p * nq, *u = q + nq;
    int first = p * PL_LANES, last = nphase - 1;
    for (int i = first; i < first + PL_LANES && i <= last && v->n < (int)nq; i++)
      put_driven(t, i, phase[i], q, u);
    for (int k = 1; k <= o->nharm; k++)
      for (int l = 0; l < PL_LANES; l++) {
        double angle = k * phase[first + l < last ? first + l : last];
        rot[2 * k - 1][l] = sin(angle);
        rot[2 * k][l] = cos(angle);
      }
    PICK(motion)
    (t->few ? t->nfew : v->n, t->few, pl_model_free_dofs(v->m), o->nharm, v->omega, o->z, rot, q,
     u);
  }
  pl_free(t->env, rot);
  return s;
}

pl_status tangents_motion(tangents *t, int nphase, double first) {
  double *phase = pl_alloc(t->env, (size_t)nphase, sizeof(double));
  if (!phase) return PL_E_NOMEM;
  for (int i = 0; i < nphase; i++) phase[i] = first + 2 * PL_PI * i / nphase;
  pl_status s = tangents_place(t, nphase, phase);
  pl_free(t->env, phase);
  return s;
}

pl_status tangents_eval(tangents *t, pl_pack *K, pl_pack *D) {
  size_t all = (size_t)t->npack * (size_t)t->P.nnz;
  t->K = K;
  t->D = D;
  memset(K, 0, all * sizeof *K);
  if (t->rated && D) memset(D, 0, all * sizeof *D);
  if (t->f) memset(t->f, 0, (size_t)t->npack * (size_t)pl_model_nq(t->v->m) * sizeof *t->f);
  return pl_model_each_batch(t->v->m, t->v->p, t->v->w, eval_batch, t);
}

// phase after phase
static void lay_rows(const tangents *t, const pl_pack *from, double *to) {
  size_t npair = (size_t)t->P.nnz;
  for (int i = 0; i < t->nphase; i += PL_LANES) {
    int left = t->nphase - i;
    packs_rows(npair, from + i / PL_LANES, t->npack, left < PL_LANES ? left : PL_LANES,
               to + (size_t)i * npair);
  }
}

static pl_status eval_rows(tangents *t, double *K, double *D) {
  int rated = t->rated && D;
  size_t all = (size_t)t->npack * (size_t)t->P.nnz;
  pl_pack *packs = pl_realloc(t->env, NULL, (rated ? 2 : 1) * all, sizeof(pl_pack));
  if (!packs) return PL_E_NOMEM;
  pl_status s = tangents_eval(t, packs, rated ? packs + all : NULL);
  if (s == PL_OK) lay_rows(t, packs, K);
  if (s == PL_OK && rated) lay_rows(t, packs + all, D);
  pl_free(t->env, packs);
  return s;
}

pl_status tangents_at(tangents *t, int nphase, double first, double *K, double *D) {
  PL_TRY(tangents_motion(t, nphase, first));
  return eval_rows(t, K, D);
}

// weights of N equidistant samples (N odd) in the trigonometric interpolant at a distance from one
static double dirichlet(int N, double x) {
  double s = sin(x / 2);
  return fabs(s) < 1e-12 ? 1 : sin(N * x / 2) / (N * s);
}

int tangents_enough(const tangents *t, int times) {
  return times * t->v->o->nharm + 9;
}

void tangents_weights(int N, int nphase, double first, double *W) {
  for (int j = 0; j < nphase; j++)
    for (int i = 0; i < N; i++)
      W[j * N + i] = dirichlet(N, first + 2 * PL_PI * j / nphase - 2 * PL_PI * i / N);
}

// by sin(N x / 2) = +- sin(N phase / 2) and the sum rule for sin(x / 2), x = phase - 2 pi i / N
void tangents_weights_pack(int N, const double *phase, pl_pack *W) {
  double s[PL_LANES], c[PL_LANES], top[PL_LANES];
  for (int l = 0; l < PL_LANES; l++) {
    s[l] = sin(phase[l] / 2);
    c[l] = cos(phase[l] / 2);
    top[l] = sin(N * phase[l] / 2) / N;
  }
  for (int i = 0; i < N; i++) {
    double si = sin(PL_PI * i / N), ci = cos(PL_PI * i / N), sign = i % 2 ? -1 : 1;
    for (int l = 0; l < PL_LANES; l++) {
      double half = s[l] * ci - c[l] * si;
      // close to a sample rounding would count
      W[i][l] =
          fabs(half) < 1e-3 ? dirichlet(N, phase[l] - 2 * PL_PI * i / N) : sign * top[l] / half;
    }
  }
}

void tangents_mass(const tangents *t, double *M) {
  const pl_csc *A = &t->v->p->M;
  const int *index = pl_model_free_index(t->v->m);
  double w2 = t->v->omega * t->v->omega;
  memset(M, 0, (size_t)t->P.nnz * sizeof(double));
  for (pl_entry e = {.k = -1}; pl_csc_next(A, &e);) {
    int a = index[e.i], b = index[e.j];
    if (a < 0 || b < 0 || A->val[e.k] == 0) continue;
    a = t->place[a];
    b = t->place[b];
    int low = t->symmetric && a < b;
    M[pl_csc_find(&t->P, low ? b : a, low ? a : b)] += w2 * A->val[e.k];
    if (a != b && !t->symmetric) M[pl_csc_find(&t->P, b, a)] += w2 * A->val[e.k];
  }
}

pl_status tangents_lump(const tangents *t, const double *M, double **lumped) {
  double *m = pl_alloc(t->env, (size_t)t->n, sizeof(double));
  int off = 0;
  if (!m) return PL_E_NOMEM;
  for (pl_entry e = {.k = -1}; pl_csc_next(&t->P, &e);)
    if (e.i == e.j)
      m[e.j] = M[e.k];
    else
      off |= M[e.k] != 0;
  *lumped = off ? NULL : m;
  if (off) pl_free(t->env, m);
  return PL_OK;
}
