// Solves with the factor of a front. All sums have one order, for any number of threads and of
// right-hand sides.
#include "lapack.h"
#include "tree.h"

#include <string.h>

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
  int down, up;      // rows that one thread takes on the way down, columns on the way up
  const char *trans; // of the diagonal block
} sweep;

static sweep sweep_at(const numbers *v, int k, int nrhs) {
  int m = v->p + v->r, nb = min(TREE_PANEL, v->p - k);
  return (sweep){.L = v->L + (size_t)k * (size_t)(m + 1),
                 .sign = v->sign + k,
                 .x = v->vec + k,
                 .ld = m,
                 .nb = nb,
                 .rows = m - k - nb,
                 .nrhs = nrhs,
                 .down = m < TREE_MANY ? TREE_TILE : TREE_TILE / 2,
                 .up = m < TREE_MANY ? 32 : 8};
}

// rows below -= L x
static void sweep_down(void *ctx, int i, int thread) {
  const sweep *a = ctx;
  (void)thread;
  int at = a->nb + i * a->down, n = min(a->down, a->rows - i * a->down);
  for (int k = 0; k < a->nrhs; k++) {
    double *x = a->x + (size_t)k * (size_t)a->ld;
    dgemv_("N", &n, &a->nb, &minus, a->L + at, &a->ld, x, &step, &one, x + at, &step, 1);
  }
}

// x -= L' rows below
static void sweep_up(void *ctx, int i, int thread) {
  const sweep *a = ctx;
  (void)thread;
  int at = i * a->up, n = min(a->up, a->nb - at);
  const double *L = a->L + (size_t)at * (size_t)a->ld + a->nb;
  for (int k = 0; k < a->nrhs; k++) {
    double *x = a->x + (size_t)k * (size_t)a->ld;
    dgemv_("T", &a->rows, &n, &minus, L, &a->ld, x + a->nb, &step, &one, x + at, &step, 1);
  }
}

// x = T^-1 x, or its transpose, of one right-hand side
static void apply_block(void *ctx, int k, int thread) {
  const sweep *a = ctx;
  double y[TREE_PANEL], *x = a->x + (size_t)k * (size_t)a->ld;
  (void)thread;
  if (a->sign[a->nb - 1] > 0) {
    dtrsv_("L", a->trans, "N", &a->nb, a->L, &a->ld, x, &step, 1, 1, 1);
    return;
  }
  dgemv_(a->trans, &a->nb, &a->nb, &one, a->L, &a->ld, x, &step, &zero, y, &step, 1);
  memcpy(x, y, (size_t)a->nb * sizeof *x);
}

static pl_threads *worth_sharing(const numbers *v, pl_threads *threads) {
  return (double)v->p * (v->p + v->r) < TREE_LONG ? NULL : threads;
}

static double scale_of(const tree *s, int place) {
  return s->scale ? s->scale[place] : 1;
}

void tree_forward(tree *s, int f, int nrhs, pl_threads *threads) {
  const numbers *v = &s->num[f];
  size_t p = (size_t)v->p, m = p + (size_t)v->r, n = (size_t)s->n;
  threads = worth_sharing(v, threads);
  for (int k = 0; k < nrhs; k++) {
    double *x = v->vec + (size_t)k * m;
    const double *b = s->rhs + (size_t)k * n;
    for (int i = 0; i < v->p; i++) x[i] = scale_of(s, v->first + i) * b[s->perm[v->first + i]];
    memset(x + p, 0, (m - p) * sizeof *x);
    for (int c = s->t.front[f].child; c >= 0; c = s->t.front[c].next) {
      const numbers *u = &s->num[c];
      const double *from = u->vec + (size_t)k * (size_t)(u->p + u->r) + u->p;
      for (const run *y = u->run; y < u->run + u->nrun; y++)
        for (int i = 0; i < y->n; i++) x[y->to + i] += from[y->from + i];
    }
  }
  int small = v->small;
  for (int k = 0; small && k < nrhs; k++) small_forward(v, v->vec + (size_t)k * m);
  for (int k = 0; !small && k < v->p; k += TREE_PANEL) {
    sweep a = sweep_at(v, k, nrhs);
    a.trans = "N";
    pl_threads_run(threads, nrhs, apply_block, &a);
    pl_threads_run(threads, parts(a.rows, a.down), sweep_down, &a);
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
  int small = v->small;
  for (int k = 0; small && k < nrhs; k++) small_backward(v, v->vec + (size_t)k * m);
  for (int k = small ? -1 : (v->p - 1) / TREE_PANEL * TREE_PANEL; k >= 0; k -= TREE_PANEL) {
    sweep a = sweep_at(v, k, nrhs);
    a.trans = "T";
    if (a.rows > 0) pl_threads_run(threads, parts(a.nb, a.up), sweep_up, &a);
    pl_threads_run(threads, nrhs, apply_block, &a);
  }
  for (int k = 0; k < nrhs; k++) {
    const double *x = v->vec + (size_t)k * m;
    double *to = s->solution + (size_t)k * n;
    memcpy(s->x + (size_t)k * n + v->first, x, p * sizeof *x);
    for (int i = 0; i < v->p; i++) to[s->perm[v->first + i]] = scale_of(s, v->first + i) * x[i];
  }
}
