// Solves with the factor of a front. All sums have one order, for any number of threads and of
// right-hand sides.
#include "lapack.h"
#include "tree.h"

#include <string.h>

// entries of a front's part of the factor below which it is left to one thread
#ifdef PL_SHARE_ALL
static const int LONG = 0;
#else
static const int LONG = 200000;
#endif

static const double one = 1, zero = 0, minus = -1;
static const int step = 1;

static int min(int a, int b) {
  return a < b ? a : b;
}

static int parts(int n, int size) {
  return (n + size - 1) / size;
}

// a panel of a front in a solve
typedef struct sweep {
  const double *L; // its diagonal block, the rows below follow
  const signed char *sign;
  double *x; // right-hand sides at the panel, one every ld
  int ld, nb, rows, nrhs;
} sweep;

static sweep sweep_at(const numbers *v, int k, int nrhs) {
  int m = v->p + v->r, nb = min(TREE_PANEL, v->p - k);
  return (sweep){.L = v->L + (size_t)k * (size_t)(m + 1),
                 .sign = v->sign + k,
                 .x = v->vec + k,
                 .ld = m,
                 .nb = nb,
                 .rows = m - k - nb,
                 .nrhs = nrhs};
}

// rows below -= L x
static void sweep_down(void *ctx, int i, int thread) {
  const sweep *a = ctx;
  (void)thread;
  int at = a->nb + i * TREE_TILE, n = min(TREE_TILE, a->rows - i * TREE_TILE);
  for (int k = 0; k < a->nrhs; k++) {
    double *x = a->x + (size_t)k * (size_t)a->ld;
    dgemv_("N", &n, &a->nb, &minus, a->L + at, &a->ld, x, &step, &one, x + at, &step, 1);
  }
}

enum { FEW = 32 }; // columns that one thread takes on the way up

// x -= L' rows below
static void sweep_up(void *ctx, int i, int thread) {
  const sweep *a = ctx;
  (void)thread;
  int at = i * FEW, n = min(FEW, a->nb - at);
  const double *L = a->L + (size_t)at * (size_t)a->ld + a->nb;
  for (int k = 0; k < a->nrhs; k++) {
    double *x = a->x + (size_t)k * (size_t)a->ld;
    dgemv_("T", &a->rows, &n, &minus, L, &a->ld, x + a->nb, &step, &one, x + at, &step, 1);
  }
}

// x = T^-1 x, or its transpose
static void apply_block(const sweep *a, const char *trans) {
  double y[TREE_PANEL];
  for (int k = 0; k < a->nrhs; k++) {
    double *x = a->x + (size_t)k * (size_t)a->ld;
    if (a->sign[a->nb - 1] > 0) {
      dtrsv_("L", trans, "N", &a->nb, a->L, &a->ld, x, &step, 1, 1, 1);
      continue;
    }
    dgemv_(trans, &a->nb, &a->nb, &one, a->L, &a->ld, x, &step, &zero, y, &step, 1);
    memcpy(x, y, (size_t)a->nb * sizeof *x);
  }
}

static pl_threads *worth_sharing(const numbers *v, pl_threads *threads) {
  return (double)v->p * (v->p + v->r) < LONG ? NULL : threads;
}

void tree_forward(tree *s, int f, int nrhs, pl_threads *threads) {
  const numbers *v = &s->num[f];
  size_t p = (size_t)v->p, m = p + (size_t)v->r, n = (size_t)s->n;
  threads = worth_sharing(v, threads);
  for (int k = 0; k < nrhs; k++) {
    double *x = v->vec + (size_t)k * m;
    memcpy(x, s->x + (size_t)k * n + v->first, p * sizeof *x);
    memset(x + p, 0, (m - p) * sizeof *x);
    for (int c = s->t.front[f].child; c >= 0; c = s->t.front[c].next) {
      const numbers *u = &s->num[c];
      const double *from = u->vec + (size_t)k * (size_t)(u->p + u->r) + u->p;
      for (const run *y = u->run; y < u->run + u->nrun; y++)
        for (int i = 0; i < y->n; i++) x[y->to + i] += from[y->from + i];
    }
  }
  int small = is_small(s, v);
  for (int k = 0; small && k < nrhs; k++) small_forward(v, v->vec + (size_t)k * m);
  for (int k = 0; !small && k < v->p; k += TREE_PANEL) {
    sweep a = sweep_at(v, k, nrhs);
    apply_block(&a, "N");
    pl_threads_run(threads, parts(a.rows, TREE_TILE), sweep_down, &a);
  }
  for (int k = 0; k < nrhs; k++)
    memcpy(s->x + (size_t)k * n + v->first, v->vec + (size_t)k * m, p * sizeof *v->vec);
}

void tree_backward(tree *s, int f, int nrhs, pl_threads *threads) {
  const numbers *v = &s->num[f];
  size_t p = (size_t)v->p, m = p + (size_t)v->r, n = (size_t)s->n;
  threads = worth_sharing(v, threads);
  for (int k = 0; k < nrhs; k++) {
    double *x = v->vec + (size_t)k * m;
    const double *from = s->x + (size_t)k * n;
    for (int i = 0; i < v->p; i++) x[i] = v->sign[i] * from[v->first + i];
    for (int i = 0; i < v->r; i++) x[v->p + i] = from[v->row[i]];
  }
  int small = is_small(s, v);
  for (int k = 0; small && k < nrhs; k++) small_backward(v, v->vec + (size_t)k * m);
  for (int k = small ? -1 : (v->p - 1) / TREE_PANEL * TREE_PANEL; k >= 0; k -= TREE_PANEL) {
    sweep a = sweep_at(v, k, nrhs);
    if (a.rows > 0) pl_threads_run(threads, parts(a.nb, FEW), sweep_up, &a);
    apply_block(&a, "T");
  }
  for (int k = 0; k < nrhs; k++)
    memcpy(s->x + (size_t)k * n + v->first, v->vec + (size_t)k * m, p * sizeof *v->vec);
}
