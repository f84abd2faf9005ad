// Cholesky by the multifrontal method. Subtrees run at the same time, then the fronts above them:
// those of one level together where they are small, one after another with all threads inside where
// they are large. All sums have one order, for any number of threads.
#include "fronts.h"
#include "lapack.h"

#if PL_GPL

#include <stdatomic.h>
#include <string.h>

enum {
  PANEL = 128, // pivots eliminated at once
  TILE = 256,  // rows and columns that one thread updates
  CHUNK = 64   // columns that one thread clears or adds
};
// work below which threads do not pay: flops of a factorisation, entries of the factor in a solve;
// rows of a front, and entries of its part of the factor, below which it is left to one thread
#ifdef PL_SHARE_ALL
static const double MANY_FLOPS = 0, MANY_ENTRIES = 0;
static const int LARGE = 0, LONG = 0;
#else
static const double MANY_FLOPS = 4e6, MANY_ENTRIES = 4e5;
static const int LARGE = 384, LONG = 200000;
#endif
// some tenths of a second: who waits longer wants to be able to stop it
static const double FLOPS_LONG = 1e9;

// rows from .. from + n - 1 of a front are the rows to .. to + n - 1 of its parent
typedef struct run {
  int from, to, n;
} run;

typedef struct numbers {
  double *L;   // [m][p] by columns: factor over the rows below, p pivots, m - p = r rows
  double *S;   // [r][r] by columns, lower triangle, for the parent
  double *vec; // [m] of a right-hand side; while factorising, the diagonal as it was
  int p, r;
  int first, *row;  // elimination: place of the first pivot, [r] of the rows below
  run *run;         // [nrun]
  int nrun, nchild; // children that add to it
  int entry;        // entries of the matrix in this front: from here to that of the next
} numbers;

typedef struct tree {
  front_tree t;
  int nthread;
  pl_threads *threads, *solving; // NULL: too little work to share
  numbers *num;                  // [nfront + 1]
  double *store, *updates;
  int *rows;
  run *runs;
  int *perm;      // [n] unknown at each place in the elimination
  int *entry;     // [nnz] entries of the matrix, front after front,
  size_t *offset; // and their place in L
  double *x;      // [n] in elimination order
  double *least;  // [nfront] smallest pivot over what its column was, below zero: none
  const double *val;
  double flops;
  pl_env *env;     // asked on the way whether to go on
  atomic_int stop; // 1: no
} tree;

static int min(int a, int b) {
  return a < b ? a : b;
}

static int parts(int n, int size) {
  return (n + size - 1) / size;
}

// ---- symbolic -----------------------------------------------------------------------------------

// a narrow band as it is numbered: chains need no better order to see that there is little to do
static int is_narrow(const pl_csc *A) {
  double nnz = 0, flops = 0;
  for (int j = 0, reach = 0; j < A->n; j++) {
    int last = A->ptr[j + 1] > A->ptr[j] ? A->row[A->ptr[j + 1] - 1] : j;
    if (last > reach) reach = last;
    double height = reach >= j ? reach - j + 1 : 1;
    nnz += height;
    flops += height * height;
  }
  return flops < PL_LIGHT * nnz;
}

// the tree of the groups; PL_UNSOLVED: not worth it, unless the caller has told of blocks
static pl_status build_tree(pl_factor *f, front_tree *t, int *size) {
  pl_csc G;
  int light = 0;
  if (f->block == 1 && is_narrow(&f->A)) return PL_UNSOLVED;
  PL_TRY(pl_group_equal(f->env, &f->A, size, &G));
  int *order = pl_alloc(f->env, (size_t)G.n, sizeof *order);
  pl_status s =
      order ? pl_order_cholesky(f->env, &G, (double)f->n / G.n, order, &light) : PL_E_NOMEM;
  if (s == PL_OK && light && f->block == 1) s = PL_UNSOLVED;
  if (s == PL_OK) s = front_tree_create(f->env, &G, order, size, t);
  pl_free(f->env, order);
  pl_csc_free(f->env, &G);
  return s;
}

static pl_status allocate(pl_factor *f, tree *s) {
  const front_tree *t = &s->t;
  size_t nf = (size_t)t->nfront, total = 0, rows = 0, runs = 0;
  for (size_t k = 0; k < nf; k++) {
    const front *x = &t->front[k];
    size_t p = (size_t)x->p, r = (size_t)x->r;
    double dp = x->p, dr = x->r;
    total += (p + r) * (p + 1);
    rows += r;
    runs += (size_t)x->nrow;
    f->info.nnz += dp * ((dp + 1) / 2 + dr);
    f->info.flops += dp * (dp * dp / 3 + dp * dr + dr * dr);
  }
  s->flops = f->info.flops;
  s->num = pl_alloc(f->env, nf + 1, sizeof *s->num);
  // each front clears its part, on the thread that does it
  s->store = pl_realloc(f->env, NULL, total, sizeof *s->store);
  s->updates = pl_realloc(f->env, NULL, t->room, sizeof *s->updates);
  s->rows = pl_alloc(f->env, rows, sizeof *s->rows);
  s->runs = pl_alloc(f->env, runs, sizeof *s->runs);
  s->perm = pl_alloc(f->env, (size_t)f->n, sizeof *s->perm);
  s->entry = pl_alloc(f->env, (size_t)f->A.nnz, sizeof *s->entry);
  s->offset = pl_alloc(f->env, (size_t)f->A.nnz, sizeof *s->offset);
  s->x = pl_alloc(f->env, (size_t)f->n, sizeof *s->x);
  s->least = pl_alloc(f->env, nf, sizeof *s->least);
  return s->num && s->store && s->updates && s->rows && s->runs && s->perm && s->entry &&
                 s->offset && s->x && s->least
             ? PL_OK
             : PL_E_NOMEM;
}

// fronts in unknowns; start: [groups + 1] scratch
static void place_fronts(tree *s, const int *size, int *start) {
  const front_tree *t = &s->t;
  double *at = s->store;
  int *row = s->rows;
  run *runs = s->runs;
  // first unknowns of the groups, then their places
  for (int g = 0; g < t->n; g++) start[g + 1] = start[g] + size[g];
  for (int k = 0, n = 0; k < t->n; k++)
    for (int a = 0; a < size[t->order[k]]; a++) s->perm[n++] = start[t->order[k]] + a;
  for (int k = 0; k < t->n; k++) start[k + 1] = start[k] + size[t->order[k]];
  for (int k = 0; k < t->nfront; k++) {
    const front *x = &t->front[k];
    size_t p = (size_t)x->p, m = p + (size_t)x->r;
    s->num[k] = (numbers){.L = at,
                          .S = s->updates + x->at,
                          .vec = at + m * p,
                          .p = x->p,
                          .r = x->r,
                          .first = start[x->first],
                          .row = row,
                          .run = runs};
    for (int i = 0; i < x->nrow; i++)
      for (int a = start[x->row[i]]; a < start[x->row[i] + 1]; a++) *row++ = a;
    runs += x->nrow;
    at += m * (p + 1);
  }
}

// local[]: where the unknowns of a front are in it
static void number_rows(const numbers *v, int *local) {
  for (int i = 0; i < v->p; i++) local[v->first + i] = i;
  for (int i = 0; i < v->r; i++) local[v->row[i]] = v->p + i;
}

static void place_runs(tree *s, int *local) {
  for (int k = 0; k < s->t.nfront; k++) {
    number_rows(&s->num[k], local);
    for (int c = s->t.front[k].child; c >= 0; c = s->t.front[c].next) {
      numbers *u = &s->num[c];
      for (int i = 0; i < u->r; i++) {
        run *last = u->run + u->nrun - 1;
        int to = local[u->row[i]];
        if (u->nrun && last->to + last->n == to)
          last->n++;
        else
          u->run[u->nrun++] = (run){i, to, 1};
      }
      s->num[k].nchild++;
    }
  }
}

// entries of the matrix by the front of the earlier of their two unknowns, and where they are in it
static pl_status place_entries(pl_factor *f, tree *s, int *local) {
  const pl_csc *A = &f->A;
  size_t n = (size_t)f->n;
  int nf = s->t.nfront;
  int *place = pl_alloc(f->env, 2 * n, sizeof *place);
  int *column = pl_alloc(f->env, (size_t)A->nnz, sizeof *column);
  if (!place || !column) {
    pl_free(f->env, place);
    pl_free(f->env, column);
    return PL_E_NOMEM;
  }
  int *owner = place + n;
  for (int k = 0; k < f->n; k++) place[s->perm[k]] = k;
  for (int k = 0; k < nf; k++)
    for (int i = 0; i < s->num[k].p; i++) owner[s->num[k].first + i] = k;
  // num[k].entry counts those of front k, then is their start, runs while filling, and is put back
  for (int pass = 0; pass < 2; pass++) {
    for (int j = 0; j < A->n; j++)
      for (int e = A->ptr[j]; e < A->ptr[j + 1]; e++) {
        int k = owner[min(place[j], place[A->row[e]])];
        column[e] = j;
        if (pass)
          s->entry[s->num[k].entry++] = e;
        else
          s->num[k].entry++;
      }
    for (int k = 0, at = 0; k <= nf; k++) {
      int count = s->num[k].entry;
      s->num[k].entry = at;
      at = pass ? count : at + count;
    }
  }
  for (int k = 0; k < nf; k++) {
    const numbers *v = &s->num[k];
    size_t m = (size_t)(v->p + v->r);
    number_rows(v, local);
    for (int q = v->entry; q < v[1].entry; q++) {
      int i = local[place[A->row[s->entry[q]]]], j = local[place[column[s->entry[q]]]];
      s->offset[q] = i >= j ? (size_t)i + (size_t)j * m : (size_t)j + (size_t)i * m;
    }
  }
  pl_free(f->env, place);
  pl_free(f->env, column);
  return PL_OK;
}

static pl_status analyse(pl_factor *f) {
  tree *s = f->state = pl_alloc(f->env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  s->env = f->env;
  s->nthread = f->nthread > 0 ? f->nthread : 1;
  int *size = pl_alloc(f->env, 2 * (size_t)f->n + 1, sizeof *size);
  if (!size) return PL_E_NOMEM;
  int *scratch = size + f->n;
  pl_status st = build_tree(f, &s->t, size);
  if (st == PL_OK) st = allocate(f, s);
  if (st == PL_OK) {
    place_fronts(s, size, scratch);
    place_runs(s, scratch);
    st = place_entries(f, s, scratch);
  }
  pl_free(f->env, size);
  PL_TRY(st);
  if (s->nthread > 1 && s->flops > MANY_FLOPS)
    PL_TRY(pl_threads_create(f->env, s->nthread, &s->threads));
  s->solving = f->info.nnz > MANY_ENTRIES ? s->threads : NULL;
  return PL_OK;
}

static void release(pl_factor *f) {
  tree *s = f->state;
  if (!s) return;
  void *all[] = {s->num,  s->store, s->updates, s->rows, s->runs,
                 s->perm, s->entry, s->offset,  s->x,    s->least};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(f->env, all[k]);
  pl_threads_free(s->threads);
  front_tree_free(f->env, &s->t);
  pl_free(f->env, s);
}

// ---- assembly of a front ------------------------------------------------------------------------

typedef struct assembly {
  const numbers *v, *child;
} assembly;

// column j of a front from its first row on, diagonal at [j]
static double *column_of(const numbers *v, int j) {
  size_t p = (size_t)v->p, r = (size_t)v->r, c = (size_t)j;
  return j < v->p ? v->L + c * (p + r) : v->S + (c - p) * r - p;
}

static void clear_columns(void *ctx, int i, int thread) {
  const numbers *v = ((const assembly *)ctx)->v;
  (void)thread;
  int m = v->p + v->r;
  for (int j = i * CHUNK; j < min(m, (i + 1) * CHUNK); j++)
    memset(column_of(v, j) + j, 0, (size_t)(m - j) * sizeof(double));
}

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#define VECTORS __attribute__((optimize("O3")))
#else
#define VECTORS
#endif

// adds columns of a child's S
VECTORS static void add_columns(void *ctx, int i, int thread) {
  const assembly *a = ctx;
  const numbers *u = a->child;
  const run *end = u->run + u->nrun, *x = u->run;
  (void)thread;
  for (int j = i * CHUNK; j < min(u->r, (i + 1) * CHUNK); j++) {
    while (j >= x->from + x->n) x++;
    double *to = column_of(a->v, x->to + j - x->from);
    const double *from = u->S + (size_t)j * (size_t)u->r;
    for (const run *y = x; y < end; y++) {
      int skip = y == x ? j - x->from : 0;
      double *restrict b = to + y->to;
      const double *restrict c = from + y->from;
      for (int k = skip; k < y->n; k++) b[k] += c[k];
    }
  }
}

static void assemble(const tree *s, int f, pl_threads *threads) {
  const numbers *v = &s->num[f];
  size_t m = (size_t)(v->p + v->r);
  assembly a = {.v = v};
  // without children, S is written and not added to
  pl_threads_run(threads, parts(v->nchild ? (int)m : v->p, CHUNK), clear_columns, &a);
  for (int q = v->entry; q < v[1].entry; q++) v->L[s->offset[q]] = s->val[s->entry[q]];
  for (int k = 0; k < v->p; k++) v->vec[k] = v->L[(size_t)k * (m + 1)];
  for (int c = s->t.front[f].child; c >= 0; c = s->t.front[c].next) {
    a.child = &s->num[c];
    pl_threads_run(threads, parts(a.child->r, CHUNK), add_columns, &a);
  }
}

// ---- elimination of a front ---------------------------------------------------------------------

static const double one = 1, minus = -1;
static const int step = 1;

// C -= A A' below the diagonal, A[rows][k], C[rows][cols]
typedef struct product {
  const double *A;
  double *C, beta;
  int lda, ldc, rows, cols, k;
} product;

static int tiles_of(const product *q) {
  int n = 0;
  for (int c = 0; c < q->cols; c += TILE) n += parts(q->rows - c, TILE);
  return n;
}

static void subtract_tile(void *ctx, int i, int thread) {
  const product *q = ctx;
  int c = 0, n;
  (void)thread;
  for (; i >= (n = parts(q->rows - c, TILE)); c += TILE) i -= n;
  int r = c + i * TILE, nr = min(TILE, q->rows - r), nc = min(TILE, q->cols - c);
  double *C = q->C + (size_t)c * (size_t)q->ldc + r;
  if (i > 0) {
    dgemm_("N", "T", &nr, &nc, &q->k, &minus, q->A + r, &q->lda, q->A + c, &q->lda, &q->beta, C,
           &q->ldc, 1, 1);
    return;
  }
  dsyrk_("L", "N", &nc, &q->k, &minus, q->A + c, &q->lda, &q->beta, C, &q->ldc, 1, 1);
  // the last columns may be fewer than the rows beside their diagonal
  int more = nr - nc;
  if (more > 0)
    dgemm_("N", "T", &more, &nc, &q->k, &minus, q->A + r + nc, &q->lda, q->A + c, &q->lda, &q->beta,
           C + nc, &q->ldc, 1, 1);
}

// rows below a panel of pivots
typedef struct panel {
  double *L; // diagonal block
  int ld, nb, rows;
} panel;

static void divide_tile(void *ctx, int i, int thread) {
  const panel *a = ctx;
  (void)thread;
  int n = min(TILE, a->rows - i * TILE);
  dtrsm_("R", "L", "T", "N", &n, &a->nb, &one, a->L, &a->ld, a->L + a->nb + i * TILE, &a->ld, 1, 1,
         1, 1);
}

// the caller's own thread asks the host, all of them hear the answer
static int is_stopped(tree *s, int thread) {
  if (thread == 0 && s->flops > FLOPS_LONG &&
      pl_report_progress(s->env, NULL, -1, NULL) == PL_CANCELLED)
    s->stop = 1;
  return s->stop;
}

// returns 0 where a pivot is not positive, or when it is stopped
static int eliminate(tree *s, const numbers *v, pl_threads *threads, int thread) {
  int p = v->p, m = p + v->r, info;
  for (int k = 0; k < p; k += PANEL) {
    panel a = {.L = v->L + (size_t)k * (size_t)(m + 1), .ld = m, .nb = min(PANEL, p - k)};
    a.rows = m - k - a.nb;
    if (is_stopped(s, thread)) return 0;
    dpotrf_("L", &a.nb, a.L, &m, &info, 1);
    if (info != 0) return 0;
    pl_threads_run(threads, parts(a.rows, TILE), divide_tile, &a);
    product q = {.A = a.L + a.nb, .beta = 1, .lda = m, .ldc = m, .rows = a.rows, .k = a.nb};
    q.C = a.L + (size_t)a.nb * (size_t)(m + 1);
    q.cols = p - k - a.nb;
    pl_threads_run(threads, tiles_of(&q), subtract_tile, &q);
  }
  product q = {.A = v->L + p, .C = v->S, .lda = m, .ldc = v->r, .rows = v->r, .cols = v->r, .k = p};
  q.beta = v->nchild > 0;
  pl_threads_run(threads, tiles_of(&q), subtract_tile, &q);
  return 1;
}

static void factor_front(tree *s, int f, pl_threads *threads, int thread) {
  const numbers *v = &s->num[f];
  int m = v->p + v->r;
  double least = INFINITY;
  if (m < LARGE) threads = NULL;
  assemble(s, f, threads);
  if (!eliminate(s, v, threads, thread)) return;
  for (int k = 0; k < v->p; k++) {
    double d = v->L[(size_t)k * (size_t)(m + 1)];
    least = fmin(least, v->vec[k] > 0 ? d * d / v->vec[k] : 0);
  }
  s->least[f] = least;
}

static void factor_task(void *ctx, int task, int thread) {
  tree *s = ctx;
  for (int k = s->t.task_ptr[task]; k < s->t.task_ptr[task + 1]; k++) {
    factor_front(s, s->t.task_front[k], NULL, thread);
    if (!(s->least[s->t.task_front[k]] >= 0)) return;
  }
}

// fronts of task_front from a place on
typedef struct level {
  tree *s;
  int first;
} level;

static void factor_in_level(void *ctx, int k, int thread) {
  const level *a = ctx;
  factor_front(a->s, a->s->t.task_front[a->first + k], NULL, thread);
}

// returns whether all of the fronts first .. last - 1 in task_front have their factors
static int are_factored(const tree *s, int first, int last) {
  int ok = 1;
  for (int k = first; k < last; k++) ok &= s->least[s->t.task_front[k]] >= 0;
  return ok;
}

static int is_level_large(const tree *s, int first, int last) {
  int large = 0;
  for (int k = first; k < last; k++) {
    const front *x = &s->t.front[s->t.task_front[k]];
    large |= x->p + x->r >= LARGE;
  }
  return large;
}

static pl_status numeric(pl_factor *f) {
  tree *s = f->state;
  const front_tree *t = &s->t;
  s->val = f->A.val;
  s->stop = 0;
  for (int k = 0; k < t->nfront; k++) s->least[k] = -1;
  pl_threads_run(s->threads, t->ntask, factor_task, s);
  int ok = are_factored(s, 0, t->task_ptr[t->ntask]);
  for (int h = 0; ok && h < t->nlevel; h++) {
    int first = t->level_ptr[h], last = t->level_ptr[h + 1];
    level a = {s, first};
    if (is_level_large(s, first, last))
      for (int k = first; k < last; k++) factor_front(s, t->task_front[k], s->threads, 0);
    else
      pl_threads_run(s->threads, last - first, factor_in_level, &a);
    ok = are_factored(s, first, last);
  }
  f->info.rcond = INFINITY;
  for (int k = 0; ok && k < t->nfront; k++) f->info.rcond = fmin(f->info.rcond, s->least[k]);
  return s->stop ? PL_CANCELLED : ok ? PL_OK : PL_SINGULAR;
}

// ---- solves -------------------------------------------------------------------------------------

// a panel of a front in a solve
typedef struct sweep {
  const double *L; // its diagonal block, the rows below follow
  double *x;       // right-hand side at the panel
  int ld, nb, rows;
} sweep;

// rows below -= L x
static void sweep_down(void *ctx, int i, int thread) {
  const sweep *a = ctx;
  (void)thread;
  int at = a->nb + i * TILE, n = min(TILE, a->rows - i * TILE);
  dgemv_("N", &n, &a->nb, &minus, a->L + at, &a->ld, a->x, &step, &one, a->x + at, &step, 1);
}

enum { FEW = 32 }; // columns that one thread takes on the way up

// x -= L' rows below
static void sweep_up(void *ctx, int i, int thread) {
  const sweep *a = ctx;
  (void)thread;
  int at = i * FEW, n = min(FEW, a->nb - at);
  dgemv_("T", &a->rows, &n, &minus, a->L + (size_t)at * (size_t)a->ld + a->nb, &a->ld, a->x + a->nb,
         &step, &one, a->x + at, &step, 1);
}

static pl_threads *worth_sharing(const numbers *v, pl_threads *threads) {
  return (double)v->p * (v->p + v->r) < LONG ? NULL : threads;
}

// from the leaves up: L y = b
static void forward(tree *s, int f, pl_threads *threads) {
  const numbers *v = &s->num[f];
  int p = v->p, m = p + v->r;
  threads = worth_sharing(v, threads);
  memcpy(v->vec, s->x + v->first, (size_t)p * sizeof *v->vec);
  memset(v->vec + p, 0, (size_t)v->r * sizeof *v->vec);
  for (int c = s->t.front[f].child; c >= 0; c = s->t.front[c].next) {
    const numbers *u = &s->num[c];
    for (const run *y = u->run; y < u->run + u->nrun; y++)
      for (int k = 0; k < y->n; k++) v->vec[y->to + k] += u->vec[u->p + y->from + k];
  }
  for (int k = 0; k < p; k += PANEL) {
    sweep a = {.L = v->L + (size_t)k * (size_t)(m + 1), .x = v->vec + k, .ld = m};
    a.nb = min(PANEL, p - k);
    a.rows = m - k - a.nb;
    dtrsv_("L", "N", "N", &a.nb, a.L, &m, a.x, &step, 1, 1, 1);
    pl_threads_run(threads, parts(a.rows, TILE), sweep_down, &a);
  }
  memcpy(s->x + v->first, v->vec, (size_t)p * sizeof *v->vec);
}

// from the root down: L' x = y
static void backward(tree *s, int f, pl_threads *threads) {
  const numbers *v = &s->num[f];
  int p = v->p, m = p + v->r;
  threads = worth_sharing(v, threads);
  memcpy(v->vec, s->x + v->first, (size_t)p * sizeof *v->vec);
  for (int k = 0; k < v->r; k++) v->vec[p + k] = s->x[v->row[k]];
  for (int k = (p - 1) / PANEL * PANEL; k >= 0; k -= PANEL) {
    sweep a = {.L = v->L + (size_t)k * (size_t)(m + 1), .x = v->vec + k, .ld = m};
    a.nb = min(PANEL, p - k);
    a.rows = m - k - a.nb;
    if (a.rows > 0) pl_threads_run(threads, parts(a.nb, FEW), sweep_up, &a);
    dtrsv_("L", "T", "N", &a.nb, a.L, &m, a.x, &step, 1, 1, 1);
  }
  memcpy(s->x + v->first, v->vec, (size_t)p * sizeof *v->vec);
}

static void forward_task(void *ctx, int task, int thread) {
  tree *s = ctx;
  (void)thread;
  for (int k = s->t.task_ptr[task]; k < s->t.task_ptr[task + 1]; k++)
    forward(s, s->t.task_front[k], NULL);
}

static void backward_task(void *ctx, int task, int thread) {
  tree *s = ctx;
  (void)thread;
  for (int k = s->t.task_ptr[task + 1] - 1; k >= s->t.task_ptr[task]; k--)
    backward(s, s->t.task_front[k], NULL);
}

static pl_status solve(pl_factor *f, int transposed, int nrhs, const double *b, double *x) {
  tree *s = f->state;
  const front_tree *t = &s->t;
  int first = t->task_ptr[t->ntask];
  (void)transposed;
  for (int k = 0; k < nrhs; k++, b += f->n, x += f->n) {
    for (int i = 0; i < f->n; i++) s->x[i] = b[s->perm[i]];
    pl_threads_run(s->solving, t->ntask, forward_task, s);
    for (int i = first; i < t->nfront; i++) forward(s, t->task_front[i], s->solving);
    for (int i = t->nfront - 1; i >= first; i--) backward(s, t->task_front[i], s->solving);
    pl_threads_run(s->solving, t->ntask, backward_task, s);
    for (int i = 0; i < f->n; i++) x[s->perm[i]] = s->x[i];
  }
  return PL_OK;
}

const pl_backend pl_backend_tree = {
    .name = "tree",
    .analyse = analyse,
    .free = release,
    .numeric = numeric,
    .solve = solve,
};

#endif
