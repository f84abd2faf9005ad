// Steps that turn. A step of Newton's method or of a continuation is linear: bodies that should
// bend stretch instead, and the stiff forces of that drown everything else. Here each stiff element
// takes its part of the step as a turn about its own axis and a stretch, and the places of the
// nodes are those that fit all elements best (least squares over their edges). The result differs
// from the plain step by second order.
#include "harmonic_impl.h"

#include <string.h>

typedef struct part {
  const int *dof;
  int nvert, vdim;
  size_t edge; // first of its weights
} part;

struct rotator {
  pl_hb *hb;
  int npart;
  part *part;
  int *first; // [ngroup]
  pl_csc A;
  pl_factor *factor;
  double *weight; // of every edge of every part
  double soft;    // weight of the plain step
  double *q;      // [nthread][2][nq] places and displacements
  double *x;      // [N][nfree] places at samples
};

// ---- set up -----------------------------------------------------------------------------------

static int note_part(void *ctx, const pl_element *e, int thread) {
  (void)thread;
  rotator *t = ctx;
  const pl_elem_kind *k = pl_model_group_kind(e->m, e->group);
  if (k->stiff) t->part[t->first[e->group] + e->elem] = (part){e->dof, k->nvert, k->vdim, 0};
  return 0;
}

// edges count by their stretch: one over the square of their length when the balance was made
static double edge_weight(const rotator *t, const part *p, int a, int b) {
  double d2 = 0;
  for (int c = 0; c < p->vdim; c++) {
    int i = p->dof[a * p->vdim + c], j = p->dof[b * p->vdim + c];
    double d = (i < 0 ? 0 : t->hb->made[i]) - (j < 0 ? 0 : t->hb->made[j]);
    d2 += d * d;
  }
  return d2 > 0 ? 1 / d2 : 0;
}

static pl_status weigh_edges(rotator *t) {
  size_t n = 0;
  for (int k = 0; k < t->npart; k++) {
    t->part[k].edge = n;
    n += (size_t)(t->part[k].nvert * (t->part[k].nvert - 1) / 2);
  }
  t->weight = pl_alloc(t->hb->env, n + 1, sizeof *t->weight);
  if (!t->weight) return PL_E_NOMEM;
  for (int k = 0; k < t->npart; k++) {
    double *w = t->weight + t->part[k].edge;
    for (int a = 0; a < t->part[k].nvert; a++)
      for (int b = 0; b < a; b++) *w++ = edge_weight(t, &t->part[k], a, b);
  }
  return PL_OK;
}

static int free_of(const rotator *t, int dof) {
  return dof < 0 ? -1 : t->hb->free_index[dof];
}

static pl_status build_matrix(rotator *t) {
  pl_env *env = t->hb->env;
  size_t cap = (size_t)t->hb->nfree;
  for (int k = 0; k < t->npart; k++)
    cap += 3 * (size_t)(t->part[k].nvert * t->part[k].nvert * t->part[k].vdim);
  int *row = pl_alloc(env, cap, sizeof *row), *col = pl_alloc(env, cap, sizeof *col), n = 0;
  double *val = pl_alloc(env, cap, sizeof *val), most = 0;
  pl_status s = row && col && val ? PL_OK : PL_E_NOMEM;
  for (int k = 0; s == PL_OK && k < t->npart; k++) {
    const part *p = &t->part[k];
    const double *edge = t->weight + p->edge;
    for (int a = 0; a < p->nvert; a++)
      for (int b = 0; b < a; b++, edge++)
        for (int c = 0; c < p->vdim; c++) {
          double w = *edge;
          int i = free_of(t, p->dof[a * p->vdim + c]), j = free_of(t, p->dof[b * p->vdim + c]);
          most = fmax(most, w);
          if (i >= 0) row[n] = col[n] = i, val[n++] = w;
          if (j >= 0) row[n] = col[n] = j, val[n++] = w;
          if (i >= 0 && j >= 0) row[n] = i > j ? i : j, col[n] = i > j ? j : i, val[n++] = -w;
        }
  }
  t->soft = most > 0 ? 1e-8 * most : 1;
  for (int i = 0; s == PL_OK && i < t->hb->nfree; i++) row[n] = col[n] = i, val[n++] = t->soft;
  if (s == PL_OK) s = pl_csc_from_triplets(env, t->hb->nfree, 1, n, row, col, val, &t->A);
  pl_free(env, row);
  pl_free(env, col);
  pl_free(env, val);
  if (s == PL_OK)
    s = pl_factor_create_on(env, PL_CHOLESKY, &t->A, 1, t->hb->w->threads, &t->factor);
  return s == PL_OK ? pl_factor_numeric(t->factor, &t->A) : s;
}

static pl_status rotator_create(pl_hb *hb, rotator **out) {
  *out = NULL;
  int ng = pl_model_ngroup(hb->m), count = 0, nthread = pl_threads_size(hb->w->threads);
  rotator *t = pl_alloc(hb->env, 1, sizeof *t);
  if (!t) return PL_E_NOMEM;
  t->hb = hb;
  t->first = pl_alloc(hb->env, (size_t)ng + 1, sizeof *t->first);
  for (int g = 0; t->first && g < ng; g++) {
    t->first[g] = count;
    if (pl_model_group_kind(hb->m, g)->stiff) count += pl_model_group_size(hb->m, g);
  }
  size_t N = (size_t)hb->f.N, nfree = (size_t)hb->nfree, nq = (size_t)hb->nq;
  t->npart = count;
  t->part = pl_alloc(hb->env, (size_t)count + 1, sizeof *t->part);
  t->q = pl_alloc(hb->env, 2 * nq * (size_t)nthread, sizeof *t->q);
  t->x = pl_alloc(hb->env, N * nfree, sizeof *t->x);
  pl_status s = t->first && t->part && t->q && t->x ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK) s = pl_model_each_element(hb->m, hb->p, hb->w, note_part, t);
  if (s == PL_OK) s = weigh_edges(t);
  if (s == PL_OK && count > 0) s = build_matrix(t);
  if (s != PL_OK) {
    rotator_free(t);
    return s;
  }
  *out = t;
  return PL_OK;
}

void rotator_free(rotator *t) {
  if (!t) return;
  pl_env *env = t->hb->env;
  pl_factor_free(t->factor);
  pl_csc_free(env, &t->A);
  void *all[] = {t->first, t->part, t->weight, t->q, t->x, t};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(env, all[k]);
}

// ---- one element ------------------------------------------------------------------------------

// vertices of a part, missing coordinates zero
static void gather(const part *p, const double *from, double *x) {
  for (int a = 0; a < p->nvert; a++)
    for (int c = 0; c < 3; c++) {
      int i = c < p->vdim ? p->dof[a * p->vdim + c] : -1;
      x[3 * a + c] = i < 0 ? 0 : from[i];
    }
}

static void centre(int n, double *x) {
  for (int c = 0; c < 3; c++) {
    double mean = 0;
    for (int a = 0; a < n; a++) mean += x[3 * a + c] / n;
    for (int a = 0; a < n; a++) x[3 * a + c] -= mean;
  }
}

// the turn that fits displacements d of places r best: (sum |r|^2 - r r') w = sum r x d
static void fit_rotation(int n, const double *r, const double *d, double *w) {
  double J[9] = {0}, m[3] = {0}, trace = 0, inv[9];
  for (int a = 0; a < n; a++) {
    const double *x = r + 3 * a;
    double c[3], rr = pl_dot3(x, x);
    pl_cross3(x, d + 3 * a, c);
    for (int i = 0; i < 3; i++) {
      m[i] += c[i];
      J[4 * i] += rr;
      for (int j = 0; j < 3; j++) J[3 * i + j] -= x[i] * x[j];
    }
    trace += rr;
  }
  // a turn about a straight element's own axis moves nothing
  for (int i = 0; i < 3; i++) J[4 * i] += 1e-9 * trace;
  pl_inv3(J, inv);
  for (int i = 0; i < 3; i++) w[i] = pl_dot3(inv + 3 * i, m);
}

// y: places r with displacements d, the turn in d made a rotation
static void rotate_part(int n, const double *r, const double *d, double *y) {
  double w[3], R[9];
  fit_rotation(n, r, d, w);
  pl_rotation3(w, pl_norm3(w), R);
  for (int a = 0; a < n; a++) {
    double x[3], s[3];
    pl_cross3(w, r + 3 * a, x);
    for (int c = 0; c < 3; c++) s[c] = r[3 * a + c] + d[3 * a + c] - x[c];
    for (int c = 0; c < 3; c++) y[3 * a + c] = pl_dot3(R + 3 * c, s);
  }
}

// coordinates of a part, three a vertex in the plane too
enum { PLACES = 3 * PL_NDOF_MAX / 2 };

static void add_part(const rotator *t, const part *p, const double *q, const double *dq,
                     double *rhs) {
  double r[PLACES], d[PLACES], y[PLACES];
  int n = p->nvert;
  gather(p, q, r);
  gather(p, dq, d);
  centre(n, r);
  centre(n, d);
  rotate_part(n, r, d, y);
  const double *weight = t->weight + p->edge;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < a; b++) {
      double w = *weight++;
      for (int c = 0; c < p->vdim; c++) {
        int p0 = p->dof[a * p->vdim + c], p1 = p->dof[b * p->vdim + c];
        int i = free_of(t, p0), j = free_of(t, p1);
        double edge = w * (y[3 * a + c] - y[3 * b + c]);
        if (i >= 0) rhs[i] += edge + (j < 0 && p1 >= 0 ? w * (q[p1] + dq[p1]) : 0);
        if (j >= 0) rhs[j] += -edge + (i < 0 && p0 >= 0 ? w * (q[p0] + dq[p0]) : 0);
      }
    }
}

// ---- whole ------------------------------------------------------------------------------------

enum {
  FEW = 100,     // parts that are not worth sharing between threads
  LARGE = 20000, // parts of which all samples take long
  CHUNK = 256    // unknowns
};

// a step on its way to samples and back
typedef struct step {
  rotator *t;
  const double *z, *dz; // [n]
  double *out;          // [n]
  int first;            // of the samples at hand
} step;

// places and displacements of a sample, and the right-hand side that follows from them
static void rotate_sample(void *ctx, int i, int thread) {
  const step *m = ctx;
  const pl_hb *hb = m->t->hb;
  i += m->first;
  size_t nq = (size_t)hb->nq, L = (size_t)hb->f.L, N = (size_t)hb->f.N;
  const double *basis = hb->f.to_time + (size_t)i * L;
  double *q = m->t->q + 2 * nq * (size_t)thread, *dq = q + nq;
  double *rhs = m->t->x + (size_t)i * (size_t)hb->nfree;
  for (size_t k = 0; k < nq; k++) {
    size_t at = k * N + (size_t)i;
    q[k] = hb->drive_was ? hb->drive_was[at] : hb->drive_q[at];
    dq[k] = hb->drive_q[at] - q[k];
  }
  for (size_t k = 0; k < (size_t)hb->nfree; k++) {
    double x = 0, d = 0;
    for (size_t a = 0; a < L; a++) {
      x += basis[a] * m->z[k * L + a];
      d += basis[a] * m->dz[k * L + a];
    }
    q[hb->free_dof[k]] = x;
    dq[hb->free_dof[k]] = d;
    rhs[k] = m->t->soft * (x + d);
  }
  for (int k = 0; k < m->t->npart; k++) add_part(m->t, &m->t->part[k], q, dq, rhs);
}

// coefficients of some unknowns
static void to_freq(void *ctx, int chunk, int thread) {
  const step *m = ctx;
  const fourier *f = &m->t->hb->f;
  int nfree = m->t->hb->nfree, first = chunk * CHUNK;
  int last = first + CHUNK < nfree ? first + CHUNK : nfree;
  (void)thread;
  for (int i = 0; i < f->N; i++) {
    const double *x = m->t->x + (size_t)i * (size_t)nfree;
    for (int k = first; k < last; k++)
      for (int a = 0; a < f->L; a++) {
        double *to = m->out + (size_t)k * (size_t)f->L + a, v = f->to_freq[a * f->N + i] * x[k];
        *to = i == 0 ? v : *to + v;
      }
  }
}

static pl_status rotator_move(rotator *t, const double *z, const double *dz, double *out) {
  pl_hb *hb = t->hb;
  pl_threads *threads = t->npart < FEW ? NULL : hb->w->threads;
  int N = hb->f.N, some = t->npart > LARGE ? 2 * pl_threads_size(threads) : N;
  if (t->npart == 0) {
    pl_axpy(hb->n, 1, dz, z, out);
    return PL_OK;
  }
  step m = {.t = t, .z = z, .dz = dz, .out = out};
  for (; m.first < N; m.first += some) {
    if (m.first > 0) PL_TRY(pl_report_progress(hb->env, NULL, -1, NULL));
    pl_threads_run(threads, some < N - m.first ? some : N - m.first, rotate_sample, &m);
  }
  PL_TRY(pl_factor_solve(t->factor, N, t->x, t->x));
  pl_threads_run(threads, (hb->nfree + CHUNK - 1) / CHUNK, to_freq, &m);
  return PL_OK;
}

// ---- steps of a balance -------------------------------------------------------------------------

// steps below this part of the motion are straight enough
static const double STRAIGHT = 1e-5;

pl_status hb_move(pl_hb *hb, const double *z, const double *dz, double *out) {
  double size = 0;
  for (int i = 0; i < hb->n; i++)
    if (i % hb->f.L) size = fmax(size, fabs(z[i] + dz[i]));
  if (pl_max_abs(hb->n, dz) <= STRAIGHT * size) {
    pl_axpy(hb->n, 1, dz, z, out);
    return PL_OK;
  }
  if (!hb->rotator) PL_TRY(rotator_create(hb, &hb->rotator));
  return rotator_move(hb->rotator, z, dz, out);
}
