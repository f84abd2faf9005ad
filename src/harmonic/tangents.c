// Stiffness and damping along a motion, on the pairs of free unknowns that share an element.
#include "floquet_impl.h"

#include <stdlib.h>
#include <string.h>

// ---- order of the unknowns ----------------------------------------------------------------------

// neighbours in a full pattern, breadth first from a start; returns how many were reached and the
// last of them
static int spread(const pl_csc *P, int start, int from, int *order, char *seen) {
  int n = from;
  order[n++] = start;
  seen[start] = 1;
  for (int i = from; i < n; i++)
    for (int k = P->ptr[order[i]]; k < P->ptr[order[i] + 1]; k++) {
      int j = P->row[k];
      if (seen[j]) continue;
      seen[j] = 1;
      order[n++] = j;
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
  for (int j = 0; s == PL_OK && j < t->n; j++)
    for (int k = P->ptr[j]; k < P->ptr[j + 1]; k++) {
      if (t->symmetric && t->place[P->row[k]] < t->place[j]) continue;
      row[n] = t->place[P->row[k]];
      col[n] = t->place[j];
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
  for (int j = 0; !t->symmetric && j < t->n; j++)
    for (int k = t->P.ptr[j]; k < t->P.ptr[j + 1]; k++)
      t->mirror[k] = pl_csc_find(&t->P, j, t->P.row[k]);
  return pl_model_each_element(m, t->v->p, t->v->w, fill_slot, t);
}

pl_status tangents_open(variation *v, tangents *t) {
  size_t n = (size_t)v->n;
  pl_csc full = {0};
  *t = (tangents){.env = v->env, .v = v, .n = v->n, .symmetric = 1};
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

enum { NEAR = 1 << 16 }; // numbers that a processor has at hand

// 1 when some element of the lot lists an unknown twice
static int has_twins(const pl_batch *e) {
  for (int l = 0; l < e->n; l++)
    for (int a = 0; a < e->ndof; a++)
      for (int b = 0; b < a; b++) {
        int dof = e->dof[l * e->ndof + a];
        if (dof >= 0 && dof == e->dof[l * e->ndof + b]) return 1;
      }
  return 0;
}

// adds the entries x of a lot at one phase
static void add_entries(const tangents *t, const pl_batch *e, int twins, const pl_pack *x,
                        double factor, double *to) {
  const int *first = t->slot + t->slot0[e->group] + (size_t)e->first * (size_t)e->nentry;
  int spread_out = e->symmetric && !t->symmetric;
  if (!twins && !spread_out) {
    for (int l = 0; l < e->n; l++, first += e->nentry)
      for (int k = 0; k < e->nentry; k++)
        if (first[k] >= 0) to[first[k]] += factor * x[k][l];
    return;
  }
  for (int l = 0; l < e->n; l++, first += e->nentry)
    for (int a = 0, k = 0; a < e->ndof; a++)
      for (int b = 0; b < (e->symmetric ? a + 1 : e->ndof); b++, k++) {
        if (first[k] < 0) continue;
        // an unknown that stands twice meets itself above and below the diagonal
        int twin = e->symmetric && a != b && e->dof[l * e->ndof + a] == e->dof[l * e->ndof + b];
        double value = factor * x[k][l];
        to[first[k]] += twin ? 2 * value : value;
        if (spread_out && a != b && !twin) to[t->mirror[first[k]]] += value;
      }
}

static void add_forces(const pl_batch *e, const pl_pack *f, double *to) {
  for (int l = 0; l < e->n; l++)
    for (int a = 0; a < e->ndof; a++)
      if (e->dof[l * e->ndof + a] >= 0) to[e->dof[l * e->ndof + a]] += f[a][l];
}

static int eval_batch(void *ctx, const pl_batch *e, int thread, int *bad) {
  (void)thread;
  tangents *t = ctx;
  // what sliders do depends on the past: events.c
  if (pl_model_group_kind(t->v->m, e->group)->slider.d) return 0;
  size_t nq = (size_t)pl_model_nq(t->v->m), npair = (size_t)t->P.nnz;
  pl_pack q[PL_NDOF_MAX], v[PL_NDOF_MAX], f[PL_NDOF_MAX];
  pl_pack K[PL_NDOF_MAX * PL_NDOF_MAX], D[PL_NDOF_MAX * PL_NDOF_MAX];
  int twins = has_twins(e), rated = t->rated && t->D;
  pl_batch_sample s = {.q = q, .v = v, .stride = 1, .f = f, .K = K, .D = rated ? D : NULL};
  for (int i = t->from; i < t->to; i++) {
    const double *Q = t->q + 2 * (size_t)i * nq, *V = Q + nq;
    for (int a = 0; a < e->ndof; a++)
      for (int l = 0; l < PL_LANES; l++) {
        int dof = e->dof[(l < e->n ? l : e->n - 1) * e->ndof + a];
        q[a][l] = dof < 0 ? 0 : Q[dof];
        v[a][l] = dof < 0 ? 0 : V[dof];
      }
    if (pl_batch_eval(e, &s, bad)) return 1;
    add_entries(t, e, twins, K, 1, t->K + (size_t)i * npair);
    if (t->f) add_forces(e, f, t->f + (size_t)i * nq);
    if (rated) add_entries(t, e, twins, D, t->v->omega, t->D + (size_t)i * npair);
  }
  return 0;
}

static pl_status open_motion(tangents *t, int nphase) {
  pl_free(t->env, t->q);
  t->nphase = 0;
  t->q = pl_alloc(t->env, 2 * (size_t)pl_model_nq(t->v->m) * (size_t)nphase, sizeof(double));
  if (!t->q) return PL_E_NOMEM;
  t->nphase = nphase;
  return PL_OK;
}

static void put_motion(tangents *t, int i, double phase) {
  variation *v = t->v;
  size_t nq = (size_t)pl_model_nq(v->m);
  pl_orbit_state(v->m, v->p, v->o, phase, v->s);
  memcpy(t->q + 2 * (size_t)i * nq, v->s->q, nq * sizeof(double));
  memcpy(t->q + (2 * (size_t)i + 1) * nq, v->s->v, nq * sizeof(double));
}

pl_status tangents_motion(tangents *t, int nphase, double first) {
  PL_TRY(open_motion(t, nphase));
  for (int i = 0; i < nphase; i++) put_motion(t, i, first + 2 * PL_PI * i / nphase);
  return PL_OK;
}

pl_status tangents_phases(tangents *t, int nphase, const double *phase, double *K, double *D) {
  PL_TRY(open_motion(t, nphase));
  for (int i = 0; i < nphase; i++) put_motion(t, i, phase[i]);
  return tangents_eval(t, K, D);
}

pl_status tangents_eval(tangents *t, double *K, double *D) {
  size_t npair = (size_t)t->P.nnz, all = (size_t)t->nphase * npair;
  // as many phases at a time as stay near the processor
  int some = (int)(NEAR / (npair * (t->rated && D ? 2 : 1) + 1));
  if (some < 4) some = 4;
  t->K = K;
  t->D = D;
  memset(K, 0, all * sizeof(double));
  if (t->rated && D) memset(D, 0, all * sizeof(double));
  if (t->f) memset(t->f, 0, (size_t)t->nphase * (size_t)pl_model_nq(t->v->m) * sizeof(double));
  for (t->from = 0; t->from < t->nphase; t->from = t->to) {
    t->to = t->from + some < t->nphase ? t->from + some : t->nphase;
    PL_TRY(pl_model_each_batch(t->v->m, t->v->p, t->v->w, eval_batch, t));
  }
  return PL_OK;
}

pl_status tangents_at(tangents *t, int nphase, double first, double *K, double *D) {
  PL_TRY(tangents_motion(t, nphase, first));
  return tangents_eval(t, K, D);
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

void tangents_mass(const tangents *t, double *M) {
  const pl_csc *A = &t->v->p->M;
  const int *index = pl_model_free_index(t->v->m);
  double w2 = t->v->omega * t->v->omega;
  memset(M, 0, (size_t)t->P.nnz * sizeof(double));
  for (int j = 0; j < A->n; j++)
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
      int a = index[A->row[k]], b = index[j];
      if (a < 0 || b < 0 || A->val[k] == 0) continue;
      a = t->place[a];
      b = t->place[b];
      int low = t->symmetric && a < b;
      M[pl_csc_find(&t->P, low ? b : a, low ? a : b)] += w2 * A->val[k];
      if (a != b && !t->symmetric) M[pl_csc_find(&t->P, b, a)] += w2 * A->val[k];
    }
}
