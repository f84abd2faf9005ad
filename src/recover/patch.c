// Superconvergent patch recovery (Zienkiewicz and Zhu 1992): about every corner of cells the
// polynomial of the cells' order that comes nearest to their samples; nodes on edges have the mean
// of those of both ends.
#include "recover_impl.h"

#include "pliant/math.h"

#include <string.h>

typedef struct patch {
  int n;
  int cell[PATCH_CELLS];
  double X0[3], axis[3][3], scale; // of local coordinates
  int dim, order, product, nterm;
  int e[TERMS][3]; // exponents of its terms
} patch;

static int has_cell(const patch *q, int c) {
  for (int i = 0; i < q->n; i++)
    if (q->cell[i] == c) return 1;
  return 0;
}

// cells of the part about a vertex that are not there yet
static void add_around(const recover_impl *k, int part, int v, patch *q) {
  for (int i = k->around_ptr[v]; i < k->around_ptr[v + 1] && q->n < PATCH_CELLS; i++)
    if (k->cell[k->around[i]].part == part && !has_cell(q, k->around[i]))
      q->cell[q->n++] = k->around[i];
}

static int samples_of(const recover_impl *k, const patch *q) {
  int n = 0;
  for (int i = 0; i < q->n; i++) n += k->cell[q->cell[i]].npoint;
  return n;
}

// exponents of the polynomial's terms, in growing degree: all of the order and below, of hexahedra
// and quads of second order those of second order in each coordinate
static int terms(const patch *q, int (*e)[3]) {
  int n = 0, most = q->product ? q->order * q->dim : q->order;
  for (int degree = 0; degree <= most; degree++)
    for (int i = 0; i <= degree && i <= q->order; i++)
      for (int j = 0; i + j <= degree && j <= q->order; j++) {
        int k = degree - i - j;
        if (k > q->order || (q->dim == 2 && k > 0)) continue;
        e[n][0] = i;
        e[n][1] = j;
        e[n++][2] = k;
      }
  return n;
}

// values of the terms at a place
static void basis(const patch *q, const double *X, double *b) {
  double d[3], power[3][3] = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
  pl_sub3(X, q->X0, d);
  for (int k = 0; k < q->dim; k++) {
    power[k][1] = pl_dot3(d, q->axis[k]) / q->scale;
    power[k][2] = power[k][1] * power[k][1];
  }
  for (int t = 0; t < q->nterm; t++)
    b[t] = power[0][q->e[t][0]] * power[1][q->e[t][1]] * power[2][q->e[t][2]];
}

// axes: of a sheet in its mean plane
static void place_axes(const recover_impl *k, patch *q) {
  double n[3] = {0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) q->axis[i][j] = i == j;
  for (int i = 0; q->dim == 2 && i < q->n; i++) {
    const rcell *c = &k->cell[q->cell[i]];
    const double *X = k->mesh->X;
    double a[3], b[3], m[3];
    pl_sub3(X + 3 * c->v[1], X + 3 * c->v[0], a);
    pl_sub3(X + 3 * c->v[2], X + 3 * c->v[0], b);
    pl_cross3(a, b, m);
    double sign = pl_dot3(m, n) < 0 ? -1 : 1;
    for (int j = 0; j < 3; j++) n[j] += sign * m[j];
  }
  if (q->dim == 2) {
    int least = 0;
    for (int j = 1; j < 3; j++)
      if (fabs(n[j]) < fabs(n[least])) least = j;
    const double e[3] = {least == 0, least == 1, least == 2};
    pl_cross3(n, e, q->axis[0]);
    pl_cross3(n, q->axis[0], q->axis[1]);
    for (int i = 0; i < 2; i++) {
      double l = pl_norm3(q->axis[i]);
      for (int j = 0; j < 3; j++) q->axis[i][j] /= l;
    }
  }
  // about the middle of the samples, so that terms are as different as they can be
  memset(q->X0, 0, sizeof q->X0);
  for (int i = 0, all = samples_of(k, q); i < q->n; i++)
    for (int g = 0; g < k->cell[q->cell[i]].npoint; g++)
      for (int j = 0; j < 3; j++) q->X0[j] += k->place[k->cell[q->cell[i]].first + g][j] / all;
  q->scale = 0;
  for (int i = 0; i < q->n; i++)
    for (int g = 0; g < k->cell[q->cell[i]].npoint; g++) {
      double d[3];
      pl_sub3(k->place[k->cell[q->cell[i]].first + g], q->X0, d);
      q->scale = fmax(q->scale, pl_norm3(d));
    }
  if (!(q->scale > 0)) q->scale = 1;
}

// Samples that make a good patch: about as many as a vertex inside a body has. Points of hexahedra
// are superconvergent, so that one cell is enough; terms that it does not tell are left out.
static int enough_samples(pl_cell_type t) {
  if (t == PL_TET4) return 24;
  if (t == PL_TET10) return 15;
  if (t == PL_TRI3) return 8;
  return t == PL_TRI6 ? 9 : 1;
}

// cells about vertex v of a part; rings are added until there are enough samples, and the order
// falls where there never are as many as terms
static void gather_patch(const recover_impl *k, int part, int v, patch *q) {
  q->n = 0;
  add_around(k, part, v, q);
  const rcell *c = &k->cell[q->cell[0]];
  q->dim = pl_cell_dim[c->type];
  q->order = pl_cell_corners[c->type] == c->type ? 1 : 2;
  q->product = q->order == 2 &&
               !(pl_cell_corners[c->type] == PL_TRI3 || pl_cell_corners[c->type] == PL_TET4);
  int enough = enough_samples(c->type), is_simplex = enough > 1;
  for (;;) {
    int before = q->n;
    if (samples_of(k, q) >= enough) break;
    for (int i = 0; i < before; i++) {
      const rcell *x = &k->cell[q->cell[i]];
      for (int a = 0; a < pl_cell_nvert[x->type]; a++) add_around(k, part, x->v[a], q);
    }
    if (q->n == before) break;
  }
  while ((q->nterm = terms(q, q->e)) > samples_of(k, q) && is_simplex) q->order--;
  place_axes(k, q);
}

// A = L D L'; terms that the samples cannot tell from those before them are left out
static void factor(int n, double *A) {
  double size[TERMS];
  for (int j = 0; j < n; j++) size[j] = A[j * n + j];
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++) A[j * n + j] -= A[j * n + k] * A[j * n + k] * A[k * n + k];
    int kept = A[j * n + j] > 0.02 * size[j];
    if (!kept) A[j * n + j] = 0;
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++) A[i * n + j] -= A[i * n + k] * A[j * n + k] * A[k * n + k];
      A[i * n + j] = kept ? A[i * n + j] / A[j * n + j] : 0;
    }
  }
}

static void solve(int n, const double *A, int m, double *x) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++)
      for (int c = 0; c < m; c++) x[i * m + c] -= A[i * n + k] * x[k * m + c];
  for (int i = 0; i < n; i++)
    for (int c = 0; c < m; c++) x[i * m + c] = A[i * n + i] > 0 ? x[i * m + c] / A[i * n + i] : 0;
  for (int i = n - 1; i >= 0; i--)
    for (int k = i + 1; k < n; k++)
      for (int c = 0; c < m; c++) x[i * m + c] -= A[k * n + i] * x[k * m + c];
}

typedef struct fitted {
  patch q;
  double coef[TERMS * NCOMP * PL_LAYER_COUNT]; // [nterm][nlayer][NCOMP]
} fitted;

// the polynomial about vertex v of a part
static void fit(const pl_recover *r, int part, int v, sample_fn sample, void *ctx, fitted *f) {
  const recover_impl *k = r->impl;
  patch *q = &f->q;
  double A[TERMS * TERMS] = {0}, b[TERMS];
  int m = NCOMP * r->nlayer;
  gather_patch(k, part, v, q);
  memset(f->coef, 0, (size_t)(q->nterm * m) * sizeof *f->coef);
  for (int i = 0; i < q->n; i++) {
    const rcell *c = &k->cell[q->cell[i]];
    for (int g = 0; g < c->npoint; g++) {
      basis(q, k->place[c->first + g], b);
      for (int s = 0; s < q->nterm; s++)
        for (int t = 0; t <= s; t++) A[s * q->nterm + t] += b[s] * b[t];
      for (int layer = 0; layer < r->nlayer; layer++) {
        const double *value = (const double *)(sample(ctx, c, layer) + g);
        for (int s = 0; s < q->nterm; s++)
          for (int j = 0; j < NCOMP; j++) f->coef[s * m + NCOMP * layer + j] += b[s] * value[j];
      }
    }
  }
  factor(q->nterm, A);
  solve(q->nterm, A, m, f->coef);
}

// its value at X in a layer, times c, added to out
static void add_value(const pl_recover *r, const fitted *f, const double *X, int layer, double c,
                      pl_stress *out) {
  double b[TERMS];
  basis(&f->q, X, b);
  for (int s = 0; s < f->q.nterm; s++)
    stress_add(out, c * b[s],
               (const pl_stress *)(f->coef + (size_t)(s * r->nlayer + layer) * NCOMP));
}

// a cell of the slot's part, and which of its vertices the slot is
static const rcell *cell_of(const pl_recover *r, int slot, int *vertex) {
  const recover_impl *k = r->impl;
  int v = r->node[slot], i = k->around_ptr[v];
  while (k->cell[k->around[i]].part != r->part[slot]) i++;
  const rcell *c = &k->cell[k->around[i]];
  for (*vertex = 0; c->v[*vertex] != v;) ++*vertex;
  return c;
}

// the two corners of a cell whose middle vertex a is
static void ends_of(const rcell *c, int a, int *end) {
  pl_cell_type corners = pl_cell_corners[c->type];
  double at[3], N[PL_CELL_VERT_MAX];
  int n = 0;
  pl_cell_vertex(c->type, a, at);
  pl_cell_shape(corners, at, N, NULL);
  for (int b = 0; b < pl_cell_nvert[corners] && n < 2; b++)
    if (N[b] > 0.25) end[n++] = b;
}

void recover_patch(const pl_recover *r, int slot, sample_fn sample, void *ctx, pl_stress *out) {
  int a, n = 1, end[2];
  const rcell *c = cell_of(r, slot, &a);
  const double *X = r->impl->mesh->X + 3 * (size_t)r->node[slot];
  fitted f;
  memset(out, 0, (size_t)r->nlayer * sizeof *out);
  end[0] = a;
  if (a >= pl_cell_nvert[pl_cell_corners[c->type]]) {
    ends_of(c, a, end);
    n = 2;
  }
  for (int i = 0; i < n; i++) {
    fit(r, c->part, c->v[end[i]], sample, ctx, &f);
    for (int layer = 0; layer < r->nlayer; layer++) add_value(r, &f, X, layer, 1. / n, &out[layer]);
  }
}

// ---- all slots ----------------------------------------------------------------------------------

typedef struct smoothing {
  pl_recover *r;
  pl_stress *half[PL_LAYER_COUNT]; // [2 nslot] what either end of an edge gives its middle
} smoothing;

// a corner: its own value, and what it gives to the middles of its edges
static void smooth_corner(void *ctx, int slot, int thread) {
  const smoothing *s = ctx;
  pl_recover *r = s->r;
  const recover_impl *k = r->impl;
  int a, v = r->node[slot];
  const rcell *c = cell_of(r, slot, &a);
  fitted f;
  (void)thread;
  if (a >= pl_cell_nvert[pl_cell_corners[c->type]]) return;
  fit(r, c->part, v, recover_stored, r, &f);
  for (int layer = 0; layer < r->nlayer; layer++) {
    pl_stress *own = &k->smooth[layer][slot];
    memset(own, 0, sizeof *own);
    add_value(r, &f, k->mesh->X + 3 * (size_t)v, layer, 1, own);
  }
  for (int i = k->around_ptr[v]; i < k->around_ptr[v + 1]; i++) {
    const rcell *d = &k->cell[k->around[i]];
    for (int m = pl_cell_nvert[pl_cell_corners[d->type]];
         d->part == c->part && m < pl_cell_nvert[d->type]; m++) {
      int end[2];
      ends_of(d, m, end);
      if (d->v[end[0]] != v && d->v[end[1]] != v) continue;
      int other = d->v[end[0]] == v ? d->v[end[1]] : d->v[end[0]], to = k->slot_of[d->slot0 + m];
      for (int layer = 0; layer < r->nlayer; layer++) {
        pl_stress *half = &s->half[layer][2 * (size_t)to + (v > other)];
        memset(half, 0, sizeof *half);
        add_value(r, &f, k->mesh->X + 3 * (size_t)d->v[m], layer, 0.5, half);
      }
    }
  }
}

static void smooth_middle(void *ctx, int slot, int thread) {
  const smoothing *s = ctx;
  int a;
  const rcell *c = cell_of(s->r, slot, &a);
  (void)thread;
  if (a < pl_cell_nvert[pl_cell_corners[c->type]]) return;
  for (int layer = 0; layer < s->r->nlayer; layer++) {
    pl_stress *own = &s->r->impl->smooth[layer][slot];
    *own = s->half[layer][2 * (size_t)slot];
    stress_add(own, 1, &s->half[layer][2 * (size_t)slot + 1]);
  }
}

pl_status recover_smooth(pl_recover *r, pl_threads *threads) {
  smoothing s = {.r = r};
  pl_status st = PL_OK;
  for (int layer = 0; layer < r->nlayer; layer++) {
    s.half[layer] = pl_alloc(r->env, 2 * (size_t)r->nslot, sizeof **s.half);
    if (!s.half[layer]) st = PL_E_NOMEM;
  }
  if (st == PL_OK) {
    pl_threads_run(threads, r->nslot, smooth_corner, &s);
    pl_threads_run(threads, r->nslot, smooth_middle, &s);
  }
  for (int layer = 0; layer < r->nlayer; layer++) pl_free(r->env, s.half[layer]);
  return st;
}
