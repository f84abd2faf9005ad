// A front of the multifrontal method: its entries and those of its children are added up, then its
// pivots eliminated panel by panel. All sums have one order, for any number of threads.
#include "lapack.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

// some tenths of a second: who waits longer wants to be able to stop it
static const double FLOPS_LONG = 1e9;

static int min(int a, int b) {
  return a < b ? a : b;
}

static int parts(int n, int size) {
  return (n + size - 1) / size;
}

// ---- assembly of a front ------------------------------------------------------------------------

// column j of a front from its first row on, diagonal at [j]
static double *column_of(const numbers *v, int j) {
  size_t p = (size_t)v->p, r = (size_t)v->r, c = (size_t)j;
  return j < v->p ? v->L + c * (p + r) : v->S + (c - p) * r - p;
}

void front_clear(const numbers *v, int first, int last) {
  int m = v->p + v->r;
  for (int j = first; j < last; j++)
    memset(column_of(v, j) + j, 0, (size_t)(m - j) * sizeof(double));
}

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#define VECTORS __attribute__((optimize("O3")))
#else
#define VECTORS
#endif

// columns first .. last - 1 of a front and of one of its children, run x of the latter
VECTORS static void add_run(const numbers *v, const numbers *u, const run *x, int first, int last) {
  int to = min(last, x->to + x->n) - x->to;
  for (int j = first > x->to ? first - x->to : 0; j < to; j++) {
    double *column = column_of(v, x->to + j);
    const double *from = u->S + (size_t)(x->from + j) * (size_t)u->r;
    for (const run *y = x; y < u->run + u->nrun; y++) {
      int skip = y == x ? j : 0;
      double *restrict b = column + y->to;
      const double *restrict c = from + y->from;
      for (int k = skip; k < y->n; k++) b[k] += c[k];
    }
  }
}

void front_add(const tree *s, int f, int first, int last) {
  const numbers *v = &s->num[f];
  size_t m = (size_t)(v->p + v->r);
  for (int k = first; k < min(last, v->p); k++) v->vec[k] = v->L[(size_t)k * (m + 1)];
  for (int c = s->t.front[f].child; c >= 0; c = s->t.front[c].next) {
    const numbers *u = &s->num[c];
    for (const run *x = u->run; x < u->run + u->nrun && x->to < last; x++)
      add_run(v, u, x, first, last);
  }
}

// place of a row of a front in the elimination
static int place_of(const numbers *v, int i) {
  return i < v->p ? v->first + i : v->row[i - v->p];
}

void front_put(const tree *s, const numbers *v, int first, int last) {
  size_t m = (size_t)(v->p + v->r);
  for (int q = first; q < last; q++) {
    size_t at = s->offset[q];
    double x = s->val[s->entry[q]];
    if (s->scale) x *= s->scale[place_of(v, (int)(at % m))] * s->scale[v->first + (int)(at / m)];
    v->L[at] = x;
  }
}

static void assemble(const tree *s, int f) {
  const numbers *v = &s->num[f];
  int m = v->p + v->r;
  // without children, S is written and not added to
  front_clear(v, 0, v->nchild ? m : v->p);
  front_put(s, v, v->entry, v[1].entry);
  front_add(s, f, 0, m);
}

// ---- a panel of pivots --------------------------------------------------------------------------

static const double one = 1, zero = 0, minus = -1;

typedef struct panel {
  double *L; // diagonal block; the rows below follow
  int ld, nb, rows;
  signed char *sign; // [nb]
  double *scratch;   // [TREE_SCRATCH], NULL: the matrix is to be definite
} panel;

// a row of the inverse of T: own times that row of the inverse of L, plus mate times another one
typedef struct mixture {
  double own, mate, value; // value: what the pivot is
  int with, place;
} mixture;

// pivots of D, those that come in pairs by their eigenvectors; returns 0 where one is zero
static int split_pivots(int nb, const double *W, const double *e, const int *pivot, mixture *x) {
  for (int k = 0; k < nb; k++) {
    double p = W[k * (nb + 1)], c, s;
    x[k] = (mixture){.own = 1, .value = p, .with = k};
    if (pivot[k] > 0) continue;
    dlaev2_(&p, &e[k], &W[(k + 1) * (nb + 1)], &x[k].value, &x[k + 1].value, &c, &s);
    x[k].own = c;
    x[k].mate = s;
    x[k].with = k + 1;
    k++;
    x[k] = (mixture){.own = c, .mate = -s, .value = x[k].value, .with = k - 1};
  }
  for (int k = 0; k < nb; k++) {
    double size = sqrt(fabs(x[k].value));
    if (!(size > 0)) return 0;
    x[k].own /= size;
    x[k].mate /= size;
  }
  return 1;
}

// The inverse of T = P L Q |D|^1/2, signs of D: W [nb][nb] holds the block and is destroyed. P are
// interchanges inside the block (rook pivoting). Returns 0 where the block is singular.
static int invert_block(const panel *a, double *W) {
  int nb = a->nb, lwork = 64 * nb, info, pivot[TREE_PANEL], n = 0;
  double *e = W + nb * nb, *work = e + nb, column[TREE_PANEL];
  mixture x[TREE_PANEL];
  dsytrf_rk_("L", &nb, W, &nb, e, pivot, work, &lwork, &info, 1);
  if (info != 0 || !split_pivots(nb, W, e, pivot, x)) return 0;
  for (int negative = 0; negative < 2; negative++)
    for (int k = 0; k < nb; k++) {
      if ((x[k].value < 0) != negative) continue;
      a->sign[n] = negative ? -1 : 1;
      x[k].place = n++;
    }
  // what stands where: the identity with the rows interchanged
  int from[TREE_PANEL];
  for (int k = 0; k < nb; k++) from[k] = k;
  for (int k = 0; k < nb; k++) {
    int other = abs(pivot[k]) - 1, keep = from[k];
    from[k] = from[other];
    from[other] = keep;
  }
  for (int k = 0; k < nb; k++) memset(a->L + (size_t)k * (size_t)a->ld, 0, (size_t)nb * sizeof *W);
  for (int k = 0; k < nb; k++) a->L[(size_t)from[k] * (size_t)a->ld + k] = 1;
  dtrsm_("L", "L", "N", "U", &nb, &nb, &one, W, &nb, a->L, &a->ld, 1, 1, 1, 1);
  for (int j = 0; j < nb; j++) {
    double *y = a->L + (size_t)j * (size_t)a->ld;
    for (int k = 0; k < nb; k++) column[x[k].place] = x[k].own * y[k] + x[k].mate * y[x[k].with];
    memcpy(y, column, (size_t)nb * sizeof *y);
  }
  return 1;
}

// returns 0 where the block has no usable pivots
static int factor_block(const panel *a) {
  int info;
  double *W = a->scratch;
  for (int k = 0; W && k < a->nb; k++)
    memcpy(W + k * a->nb + k, a->L + (size_t)k * (size_t)(a->ld + 1),
           (size_t)(a->nb - k) * sizeof *W);
  memset(a->sign, 1, (size_t)a->nb);
  dpotrf_("L", &a->nb, a->L, &a->ld, &info, 1);
  return info == 0 || (W && invert_block(a, W));
}

// where a thread keeps the largest sum of squares in the rows that it has divided
static double *growth_of(double *scratch, int thread) {
  return scratch + (size_t)(thread + 1) * TREE_SCRATCH - 1;
}

VECTORS static void measure_growth(const double *L, int ld, int n, int nb, double *most) {
  double sum[TREE_TILE] = {0};
  for (int k = 0; k < nb; k++) {
    const double *x = L + (size_t)k * (size_t)ld;
    for (int i = 0; i < n; i++) sum[i] += x[i] * x[i];
  }
  for (int i = 0; i < n; i++)
    if (!(sum[i] <= *most)) *most = sum[i];
}

// rows times the inverse of S T'
static void divide_signed(const panel *a, double *L, int n, double *copy) {
  int positive = 0, negative;
  while (a->sign[positive] > 0) positive++;
  negative = a->nb - positive;
  for (int k = 0; k < a->nb; k++)
    memcpy(copy + k * n, L + (size_t)k * (size_t)a->ld, (size_t)n * sizeof *L);
  dgemm_("N", "T", &n, &positive, &a->nb, &one, copy, &n, a->L, &a->ld, &zero, L, &a->ld, 1, 1);
  dgemm_("N", "T", &n, &negative, &a->nb, &minus, copy, &n, a->L + positive, &a->ld, &zero,
         L + (size_t)positive * (size_t)a->ld, &a->ld, 1, 1);
}

// n rows L below a panel
static void divide_rows(const panel *a, double *L, int n) {
  if (a->sign[a->nb - 1] < 0)
    divide_signed(a, L, n, a->scratch);
  else
    dtrsm_("R", "L", "T", "N", &n, &a->nb, &one, a->L, &a->ld, L, &a->ld, 1, 1, 1, 1);
  if (a->scratch) measure_growth(L, a->ld, n, a->nb, growth_of(a->scratch, 0));
}

// ---- elimination of a front ---------------------------------------------------------------------

// C = beta C - A S A' below the diagonal, A[rows][k]
typedef struct product {
  const double *A;
  double *C, beta;
  const signed char *sign; // [k] the diagonal of S
  int lda, ldc, k;
} product;

// nr rows and nc columns of C, the first ones at r and c
typedef struct tile {
  int r, nr, c, nc;
} tile;

// for n columns of A from k on, all of one sign
static void subtract_columns(const product *q, const tile *t, int k, int n, double beta) {
  const double *A = q->A + (size_t)k * (size_t)q->lda, *alpha = q->sign[k] > 0 ? &minus : &one;
  const double *right = A + t->c;
  double *C = q->C + (size_t)t->c * (size_t)q->ldc + t->r;
  if (t->r > t->c) {
    dgemm_("N", "T", &t->nr, &t->nc, &n, alpha, A + t->r, &q->lda, right, &q->lda, &beta, C,
           &q->ldc, 1, 1);
    return;
  }
  dsyrk_("L", "N", &t->nc, &n, alpha, right, &q->lda, &beta, C, &q->ldc, 1, 1);
}

static void subtract_tile(const product *q, const tile *t) {
  for (int k = 0, end; k < q->k; k = end) {
    for (end = k + 1; end < q->k && q->sign[end] == q->sign[k];) end++;
    subtract_columns(q, t, k, end - k, k ? 1 : q->beta);
  }
}

// rows and columns of a tile: fronts of some hundred rows have too few large ones to share
static int tile_size(const numbers *v) {
  if (v->small) return TREE_BLOCK;
  return v->p + v->r < TREE_TILE * 2 ? TREE_PANEL : TREE_TILE;
}

int front_blocks(const numbers *v, int *pivots) {
  int size = tile_size(v);
  *pivots = parts(v->p, size);
  return *pivots + parts(v->r, size);
}

int front_block(const numbers *v, int i, int *first) {
  int size = tile_size(v), pivots = parts(v->p, size), below = i >= pivots;
  int start = below ? v->p : 0, end = below ? v->p + v->r : v->p;
  *first = start + (below ? i - pivots : i) * size;
  return min(size, end - *first);
}

static panel panel_at(tree *s, const numbers *v, int first, int nb, int thread) {
  int m = v->p + v->r;
  panel a = {.L = v->L + (size_t)first * (size_t)(m + 1), .ld = m, .nb = nb};
  a.sign = v->sign + first;
  if (s->scratch) a.scratch = s->scratch + (size_t)thread * TREE_SCRATCH;
  return a;
}

// rows from `row` on divided by the panels of block b, each of which then changes the next
static void divide_block(tree *s, const numbers *v, int b, int row, int n, int thread) {
  int first, nb = front_block(v, b, &first), m = v->p + v->r;
  for (int k = 0; k < nb; k += TREE_PANEL) {
    panel a = panel_at(s, v, first + k, min(TREE_PANEL, nb - k), thread);
    double *L = v->L + (size_t)(first + k) * (size_t)m + row;
    divide_rows(&a, L, n);
    product q = {.A = v->L + (size_t)(first + k) * (size_t)m, .C = v->L, .beta = 1};
    q.sign = a.sign;
    q.lda = q.ldc = m;
    q.k = a.nb;
    tile t = {.r = row, .nr = n, .c = first + k + a.nb, .nc = nb - k - a.nb};
    if (t.nc > 0) subtract_tile(&q, &t);
  }
}

// smallest square of a pivot over what its column was
static void judge_pivots(const numbers *v, int first, int n, double *least) {
  for (int k = first; k < first + n; k++) {
    double d = v->L[(size_t)k * (size_t)(v->p + v->r + 1)];
    *least = fmin(*least, v->vec[k] > 0 ? d * d / v->vec[k] : 0);
  }
}

int front_factor(tree *s, const numbers *v, int b, int thread, double *least) {
  int first, nb = front_block(v, b, &first), m = v->p + v->r;
  if (v->small) {
    memset(v->sign + first, 1, (size_t)nb);
    if (!small_pivots(v, first, nb)) return 0;
  }
  for (int k = 0; !v->small && k < nb; k += TREE_PANEL) {
    panel a = panel_at(s, v, first + k, min(TREE_PANEL, nb - k), thread);
    int below = nb - k - a.nb;
    if (!factor_block(&a)) return 0;
    if (below == 0) break;
    divide_rows(&a, a.L + a.nb, below);
    product q = {.A = a.L + a.nb, .beta = 1, .sign = a.sign, .lda = m, .ldc = m, .k = a.nb};
    q.C = a.L + (size_t)a.nb * (size_t)(m + 1);
    tile t = {.nr = below, .nc = below};
    subtract_tile(&q, &t);
  }
  if (s->definite) judge_pivots(v, first, nb, least);
  return 1;
}

void front_divide(tree *s, const numbers *v, int b, int i, int thread) {
  int first, nb = front_block(v, b, &first), row, n = front_block(v, i, &row);
  if (v->small)
    small_rows(v, first, nb, row, n);
  else
    divide_block(s, v, b, row, n, thread);
}

void front_update(const numbers *v, int b, int c, int i) {
  int first, m = v->p + v->r;
  product q = {.C = v->L, .beta = 1, .lda = m, .ldc = m, .k = front_block(v, b, &first)};
  q.A = v->L + (size_t)first * (size_t)m;
  q.sign = v->sign + first;
  tile t;
  t.nc = front_block(v, c, &t.c);
  t.nr = front_block(v, i, &t.r);
  subtract_tile(&q, &t);
}

void front_subtract(const numbers *v, int c, int i) {
  product q = {.A = v->L + v->p, .C = v->S, .sign = v->sign, .ldc = v->r, .k = v->p};
  q.lda = v->p + v->r;
  q.beta = v->nchild > 0;
  tile t;
  t.nc = front_block(v, c, &t.c);
  t.nr = front_block(v, i, &t.r);
  t.c -= v->p;
  t.r -= v->p;
  if (v->small)
    small_subtract(v, t.c, t.nc, t.r, t.nr);
  else
    subtract_tile(&q, &t);
}

int tree_stopped(tree *s, int thread) {
  if (!s->stop && thread == 0 && s->flops > FLOPS_LONG &&
      pl_report_progress(s->env, NULL, -1, NULL) == PL_CANCELLED)
    s->stop = 1;
  return s->stop;
}

// returns 0 where a pivot is not usable, or when it is stopped
static int eliminate(tree *s, const numbers *v, int thread, double *least) {
  int np, n = front_blocks(v, &np);
  if (v->small) {
    memset(v->sign, 1, (size_t)v->p);
    if (tree_stopped(s, thread) || !small_eliminate(v)) return 0;
    judge_pivots(v, 0, v->p, least);
    return 1;
  }
  for (int b = 0; b < np; b++) {
    if (tree_stopped(s, thread) || !front_factor(s, v, b, thread, least)) return 0;
    for (int i = b + 1; i < n; i++) front_divide(s, v, b, i, thread);
    for (int c = b + 1; c < np; c++)
      for (int i = c; i < n; i++) front_update(v, b, c, i);
  }
  for (int c = np; c < n; c++)
    for (int i = c; i < n; i++) front_subtract(v, c, i);
  return 1;
}

void tree_factor_front(tree *s, int f, int thread) {
  double least = INFINITY;
  assemble(s, f);
  if (eliminate(s, &s->num[f], thread, &least)) s->least[f] = s->definite ? least : 0;
}

void tree_clear_growth(tree *s) {
  for (int k = 0; k < s->nthread; k++) *growth_of(s->scratch, k) = 0;
}

double tree_growth(const tree *s) {
  double most = 0;
  for (int k = 0; k < s->nthread; k++) {
    double g = *growth_of(s->scratch, k);
    if (!(g <= most)) most = g;
  }
  return most;
}
