// LU of matrices made of dense square blocks, symmetric in pattern: the multifrontal method with
// rows interchanged inside a front only. Where such pivots are too small, PL_UNSOLVED sends the
// caller to a solver that looks further. All sums have one order, for any number of threads.
#include "lapack.h"
#include "sweeps.h"

#include <stdatomic.h>
#include <string.h>

enum {
  TRIES = 12,     // orders of elimination to choose from: many matrices share one pattern
  PANEL = 64,     // pivots eliminated at once,
  SWEEP = 128,    // and in a solve
  STRIP = 96,     // columns or rows that one thread updates,
  WIDE = 192,     // columns and
  HIGH = 512,     // rows of S; in a solve
  ROWS = 64,      // rows of products at least,
  COLUMNS = 32,   // or columns whose products it takes,
  PART = 1 << 15, // and entries
  SHARES = 16     // of the pivots of a front that are judged
};
#ifdef PL_SHARE_ALL
enum { LARGE = 0, LONG = 0 };
#else
// rows of fronts and entries of products below which they are not worth sharing between threads
enum { LARGE = 256, LONG = 50000 };
#endif
// larger multipliers lose more digits than a direct solve may
static const double GROWTH_MAX = 1e6;
// some tenths of a second: who waits longer wants to be able to stop it
static const double FLOPS_LONG = 1e9;

typedef struct numbers {
  double *L;   // [m][p] by columns: triangular factors over the multipliers, p pivots, m - p rows
  double *U;   // [p][m - p] by columns
  double *S;   // [m - p][m - p] by columns, for the parent
  int *pivot;  // [p] interchanges as of dgetrf
  double *vec; // [m - p] the same for a right-hand side
} numbers;

typedef struct fronts {
  front_tree tree;
  const pl_csc *G; // pattern of blocks
  int *mirror;
  int block, nthread;
  pl_threads *threads;
  numbers *num;      // [nfront]
  double *store;     // all of them but S,
  double *updates;   // which is needed until its parent has it
  int *pivots;       // [n]
  int **local;       // [nthread][groups] place in the front at hand
  double *scale;     // [n] of rows
  double *most;      // [n] largest entry of each scaled column
  double *x;         // [n] in elimination order
  double *growth;    // [nfront] largest multiplier
  double *least;     // [nfront] smallest pivot over the largest entry of its column
  const double *val; // of the matrix at hand
  int transposed;
  sweeps *sweeps[2]; // of solves, plain and transposed
  double nnz, flops;
  pl_env *env;       // asked on the way whether to go on
  atomic_int stop;   // 1: no
  atomic_int failed; // 1: some front above the tasks has no good pivots
} fronts;

// ---- symbolic -----------------------------------------------------------------------------------

static pl_status allocate_numbers(pl_factor *f, fronts *s) {
  size_t b = (size_t)s->block, n = (size_t)f->n, total = 0, nf = (size_t)s->tree.nfront;
  double nnz = 0, flops = 0;
  for (size_t k = 0; k < nf; k++) {
    const front *x = &s->tree.front[k];
    size_t p = (size_t)x->npiv * b, r = (size_t)x->nrow * b;
    total += p * (p + 2 * r) + r;
    nnz += (double)p * ((double)p + 2 * (double)r);
    for (size_t i = 0; i < p; i++) {
      double left = (double)(p - 1 - i + r);
      flops += left + 2 * left * left;
    }
  }
  s->nnz = nnz;
  s->flops = flops;
  if (!pl_memory_available(total * sizeof *s->store))
    return pl_fail_at(f->env, PL_E_NOMEM, NULL, 0, 0, "fewer harmonics, or a coarser mesh",
                      "out of memory: the factors of a matrix with %d unknowns take %.3g GB", f->n,
                      1e-9 * (double)(total * sizeof *s->store));
  s->num = pl_alloc(f->env, nf, sizeof *s->num);
  s->store = pl_alloc(f->env, total, sizeof *s->store);
  s->updates = pl_alloc(f->env, s->tree.buffer, sizeof *s->updates);
  s->pivots = pl_alloc(f->env, n, sizeof *s->pivots);
  s->scale = pl_alloc(f->env, n, sizeof *s->scale);
  s->most = pl_alloc(f->env, n, sizeof *s->most);
  s->x = pl_alloc(f->env, n, sizeof *s->x);
  s->growth = pl_alloc(f->env, nf, sizeof *s->growth);
  s->least = pl_alloc(f->env, nf, sizeof *s->least);
  if (!s->num || !s->store || !s->updates || !s->pivots || !s->scale || !s->most || !s->x ||
      !s->growth || !s->least)
    return PL_E_NOMEM;
  double *at = s->store;
  for (size_t k = 0; k < nf; k++) {
    const front *x = &s->tree.front[k];
    size_t p = (size_t)x->npiv * b, r = (size_t)x->nrow * b;
    numbers *v = &s->num[k];
    *v = (numbers){.L = at, .U = at + (p + r) * p, .pivot = s->pivots + (size_t)x->first * b};
    v->S = s->updates + x->at;
    v->vec = v->U + p * r;
    at = v->vec + r;
  }
  return PL_OK;
}

static pl_status allocate_threads(pl_factor *f, fronts *s) {
  s->nthread = f->nthread > 0 ? f->nthread : 1;
  PL_TRY(pl_factor_open_threads(f));
  s->threads = f->threads;
  s->local = pl_alloc(f->env, (size_t)s->nthread, sizeof *s->local);
  if (!s->local) return PL_E_NOMEM;
  for (int k = 0; k < s->nthread; k++) {
    s->local[k] = pl_alloc(f->env, (size_t)s->tree.n, sizeof **s->local);
    if (!s->local[k]) return PL_E_NOMEM;
  }
  return PL_OK;
}

// groups with the same neighbours, as the unknowns of a node, are eliminated together
static pl_status build_tree(pl_env *env, fronts *s) {
  pl_csc E = {0};
  size_t n = (size_t)s->G->n;
  int *count = pl_alloc(env, 3 * n, sizeof *count);
  if (!count) return PL_E_NOMEM;
  int *size = count + n, *order = size + n;
  pl_status st = pl_group_equal(env, s->G, count, &E);
  for (int g = 0; g < E.n; g++) size[g] = count[g] * s->block;
  if (st == PL_OK) st = pl_order_often(env, &E, TRIES, order);
  if (st == PL_OK) st = front_tree_create(env, &E, order, size, &s->tree);
  if (st == PL_OK) st = front_tree_split(env, &s->tree, count);
  pl_csc_free(env, &E);
  pl_free(env, count);
  return st;
}

static pl_status analyse(pl_factor *f) {
  fronts *s = f->state = pl_alloc(f->env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  s->block = f->blocks.size;
  s->G = f->blocks.P;
  s->mirror = pl_alloc(f->env, (size_t)s->G->nnz, sizeof *s->mirror);
  if (!s->mirror) return PL_E_NOMEM;
  PL_TRY(pl_csc_mirrors(f->env, s->G, s->mirror));
  PL_TRY(build_tree(f->env, s));
  PL_TRY(allocate_numbers(f, s));
  return allocate_threads(f, s);
}

static void release(pl_factor *f) {
  fronts *s = f->state;
  if (!s) return;
  for (int k = 0; s->local && k < s->nthread; k++) pl_free(f->env, s->local[k]);
  void *all[] = {s->mirror, s->num, s->store, s->updates, s->pivots, s->scale,
                 s->most,   s->x,   s->local, s->growth,  s->least};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(f->env, all[k]);
  pl_factor_close_threads(f);
  for (int k = 0; k < 2; k++) sweeps_free(f->env, s->sweeps[k]);
  front_tree_free(f->env, &s->tree);
  pl_free(f->env, s);
}

// ---- scaling ------------------------------------------------------------------------------------

// every row of a group is scaled by a power of two to a sum of sizes near 1
static void scale_group(void *ctx, int g, int thread) {
  fronts *s = ctx;
  (void)thread;
  int b = s->block;
  double *sum = s->most + g * b;
  memset(sum, 0, (size_t)b * sizeof *sum);
  for (int e = s->G->ptr[g]; e < s->G->ptr[g + 1]; e++) {
    int j = s->G->row[e], first = s->G->ptr[j], stride = (s->G->ptr[j + 1] - first) * b;
    const double *v = s->val + (size_t)first * (size_t)(b * b) + (s->mirror[e] - first) * b;
    for (int c = 0; c < b; c++, v += stride)
      for (int a = 0; a < b; a++) sum[a] += fabs(v[a]);
  }
  for (int a = 0; a < b; a++) {
    int e = 0;
    if (isfinite(sum[a])) frexp(sum[a], &e);
    s->scale[g * b + a] = isfinite(sum[a]) ? ldexp(1, -e) : NAN;
  }
}

// largest entries of the scaled columns of a group
static void measure_group(void *ctx, int g, int thread) {
  fronts *s = ctx;
  (void)thread;
  int b = s->block, first = s->G->ptr[g], last = s->G->ptr[g + 1];
  const double *v = s->val + (size_t)first * (size_t)(b * b);
  for (int c = 0; c < b; c++) {
    double most = 0;
    for (int k = first; k < last; k++, v += b) {
      const double *scale = s->scale + s->G->row[k] * b;
      for (int a = 0; a < b; a++) {
        double x = fabs(v[a]) * scale[a];
        most = most > x ? most : x;
      }
    }
    s->most[g * b + c] = most;
  }
}

// ---- assembly of a front ------------------------------------------------------------------------

// one block of the matrix, position k of column group j, with its rows scaled
static void put_block(const fronts *s, int j, int k, double *to, int ld) {
  int b = s->block, first = s->G->ptr[j], stride = (s->G->ptr[j + 1] - first) * b;
  const double *v = s->val + (size_t)first * (size_t)(b * b) + (size_t)((k - first) * b);
  const double *scale = s->scale + s->G->row[k] * b;
  for (int c = 0; c < b; c++, v += stride, to += ld)
    for (int a = 0; a < b; a++) to[a] = scale[a] * v[a];
}

static void put_matrix(fronts *s, const front *x, numbers *v, const int *local) {
  int b = s->block, p = x->npiv * b, m = p + x->nrow * b;
  for (int k = x->first; k < x->first + x->npiv; k++) {
    int g = s->tree.order[k], at = (k - x->first) * b;
    for (int e = s->G->ptr[g]; e < s->G->ptr[g + 1]; e++) {
      int i = s->tree.place[s->G->row[e]];
      if (i < x->first) continue;
      int row = local[i] * b;
      put_block(s, g, e, v->L + (size_t)at * (size_t)m + row, m);
      if (row >= p)
        put_block(s, s->G->row[e], s->mirror[e], v->U + (size_t)(row - p) * (size_t)p + at, p);
    }
  }
}

// what threads share when they assemble a front
typedef struct building {
  const fronts *s;
  const front *x, *child;
  numbers *v;
  const double *from; // S of the child
  const int *local;
} building;

static int pieces(int n, int size) {
  return (n + size - 1) / size;
}

static int strips(int n) {
  return pieces(n, STRIP);
}

// L and U, then S
static void clear_part(void *ctx, int i, int thread) {
  const building *t = ctx;
  (void)thread;
  size_t b = (size_t)t->s->block, p = (size_t)t->x->npiv * b, r = (size_t)t->x->nrow * b;
  size_t kept = p * (p + 2 * r);
  int first = pl_pages(t->v->L, kept);
  if (i < first)
    pl_page_clear(t->v->L, kept, i);
  else
    pl_page_clear(t->v->S, r * r, i - first);
}

// adds columns of a child's S; runs of neighbouring groups stay neighbours
static void add_strip(void *ctx, int i, int thread) {
  const building *t = ctx;
  const front *x = t->x, *c = t->child;
  const int *local = t->local;
  (void)thread;
  int b = t->s->block, p = x->npiv * b, m = p + x->nrow * b, r = m - p, cr = c->nrow * b;
  for (int j = i * STRIP; j < cr && j < (i + 1) * STRIP; j++) {
    int col = local[c->row[j / b]] * b + j % b;
    const double *from = t->from + (size_t)j * (size_t)cr;
    // rows of pivots and rows below them
    double *top =
        col < p ? t->v->L + (size_t)col * (size_t)m : t->v->U + (size_t)(col - p) * (size_t)p;
    double *rest = col < p ? top + p : t->v->S + (size_t)(col - p) * (size_t)r;
    for (int k = 0; k < c->nrow;) {
      int to = local[c->row[k]], run = 1;
      while (k + run < c->nrow && local[c->row[k + run]] == to + run && to + run != x->npiv) run++;
      double *at = to < x->npiv ? top + to * b : rest + (to - x->npiv) * b;
      for (int e = 0; e < run * b; e++) at[e] += from[k * b + e];
      k += run;
    }
  }
}

static void assemble(fronts *s, int f, pl_threads *threads, int *local) {
  const front *x = &s->tree.front[f];
  building t = {.s = s, .x = x, .v = &s->num[f], .local = local};
  size_t b = (size_t)s->block, p = (size_t)x->npiv * b, r = (size_t)x->nrow * b;
  int n = pl_pages(t.v->L, p * (p + 2 * r)) + pl_pages(t.v->S, r * r);
  pl_threads_run(threads, n, clear_part, &t);
  for (int k = 0; k < x->npiv; k++) local[x->first + k] = k;
  for (int k = 0; k < x->nrow; k++) local[x->row[k]] = x->npiv + k;
  put_matrix(s, x, t.v, local);
  for (int c = x->child; c >= 0; c = s->tree.front[c].next) {
    t.child = &s->tree.front[c];
    t.from = s->num[c].S;
    pl_threads_run(threads, strips(t.child->nrow * s->block), add_strip, &t);
  }
}

// ---- elimination of a front ---------------------------------------------------------------------

static const double one = 1, minus = -1;

typedef struct job {
  double *L, *U, *S;
  int *pivot;
  int m, p, k0, nb; // rows and pivots of the front; the panel just factorised,
  int next;         // and columns of the one after it
  int failed;       // a pivot is zero
} job;

static void swap_rows(double *a, int ld, int ncol, int k0, int nb, const int *pivot) {
  for (int c = 0; c < ncol; c++, a += ld)
    for (int k = k0; k < k0 + nb; k++) {
      double t = a[k];
      a[k] = a[pivot[k] - 1];
      a[pivot[k] - 1] = t;
    }
}

// a panel's effect on some columns of the pivot rows, to its right
static void update_columns(const job *j, double *a, int ld, int ncol) {
  int below = j->p - j->k0 - j->nb;
  const double *panel = j->L + (size_t)j->k0 * (size_t)j->m + j->k0;
  swap_rows(a, ld, ncol, j->k0, j->nb, j->pivot);
  dtrsm_("L", "L", "N", "U", &j->nb, &ncol, &one, panel, &j->m, a + j->k0, &ld, 1, 1, 1, 1);
  if (below > 0)
    dgemm_("N", "N", &below, &ncol, &j->nb, &minus, panel + j->nb, &j->m, a + j->k0, &ld, &one,
           a + j->k0 + j->nb, &ld, 1, 1);
}

static void factor_panel(job *j, int k0, int nb) {
  int rows = j->p - k0, info;
  dgetrf_(&rows, &nb, j->L + (size_t)k0 * (size_t)(j->m + 1), &j->m, j->pivot + k0, &info);
  for (int k = k0; k < k0 + nb; k++) j->pivot[k] += k0;
  j->failed |= info != 0;
}

// the next panel comes first, and is factorised while others are at work; strips count from its end
// through the pivot columns, then through U
static void update_strip(void *ctx, int i, int thread) {
  job *j = ctx;
  (void)thread;
  int first = j->k0 + j->nb;
  if (i == 0 && j->next > 0) {
    update_columns(j, j->L + (size_t)first * (size_t)j->m, j->m, j->next);
    factor_panel(j, first, j->next);
    return;
  }
  i -= j->next > 0;
  first += j->next;
  int inner = strips(j->p - first);
  int all = i < inner ? j->p - first : j->m - j->p, at = (i < inner ? i : i - inner) * STRIP;
  int n = all - at < STRIP ? all - at : STRIP;
  if (i < inner)
    update_columns(j, j->L + (size_t)(first + at) * (size_t)j->m, j->m, n);
  else
    update_columns(j, j->U + (size_t)at * (size_t)j->p, j->p, n);
}

// interchanges of later panels in the multipliers of one
static void swap_panel(void *ctx, int i, int thread) {
  const job *j = ctx;
  (void)thread;
  int next = (i + 1) * PANEL;
  swap_rows(j->L + (size_t)i * PANEL * (size_t)j->m, j->m, PANEL, next, j->p - next, j->pivot);
}

static void divide_strip(void *ctx, int i, int thread) {
  const job *j = ctx;
  (void)thread;
  int r = j->m - j->p, at = i * STRIP, n = r - at < STRIP ? r - at : STRIP;
  dtrsm_("R", "U", "N", "N", &n, &j->p, &one, j->L, &j->m, j->L + j->p + at, &j->m, 1, 1, 1, 1);
}

// WIDE columns and HIGH rows of S
static void subtract_tile(void *ctx, int i, int thread) {
  const job *j = ctx;
  (void)thread;
  int r = j->m - j->p, rows = pieces(r, HIGH), row = i % rows * HIGH, col = i / rows * WIDE;
  int m = r - row < HIGH ? r - row : HIGH, n = r - col < WIDE ? r - col : WIDE;
  dgemm_("N", "N", &m, &n, &j->p, &minus, j->L + j->p + row, &j->m,
         j->U + (size_t)col * (size_t)j->p, &j->p, &one, j->S + (size_t)col * (size_t)r + row, &r,
         1, 1);
}

// the caller's own thread asks the host, all of them hear the answer
static int is_stopped(fronts *s, int thread) {
  if (!s->stop && thread == 0 && s->flops > FLOPS_LONG &&
      pl_report_progress(s->env, NULL, -1, NULL) == PL_CANCELLED)
    s->stop = 1;
  return s->stop;
}

// returns 0 where a pivot is zero, or when it is stopped
static int eliminate(fronts *s, int f, pl_threads *threads, int thread) {
  const front *x = &s->tree.front[f];
  numbers *v = &s->num[f];
  int p = x->npiv * s->block, m = p + x->nrow * s->block;
  job j = {.L = v->L, .U = v->U, .S = v->S, .pivot = v->pivot, .m = m, .p = p};
  j.next = p < PANEL ? p : PANEL;
  factor_panel(&j, 0, j.next);
  for (; j.k0 < p; j.k0 += PANEL) {
    int left = p - j.k0 - j.next;
    j.nb = j.next;
    j.next = left < PANEL ? left : PANEL;
    if (j.failed || is_stopped(s, thread)) return 0;
    pl_threads_run(threads, (left > 0) + strips(left - j.next) + strips(m - p), update_strip, &j);
  }
  pl_threads_run(threads, (p - 1) / PANEL, swap_panel, &j);
  pl_threads_run(threads, strips(m - p), divide_strip, &j);
  pl_threads_run(threads, pieces(m - p, HIGH) * pieces(m - p, WIDE), subtract_tile, &j);
  return 1;
}

// largest multiplier and smallest pivot ratio, of shares of the pivots
typedef struct verdict {
  const fronts *s;
  int f;
  double growth[SHARES], least[SHARES];
} verdict;

static void judge_share(void *ctx, int i, int thread) {
  verdict *a = ctx;
  const fronts *s = a->s;
  const front *x = &s->tree.front[a->f];
  const numbers *v = &s->num[a->f];
  (void)thread;
  int b = s->block, p = x->npiv * b, m = p + x->nrow * b;
  double growth = 0, least = INFINITY;
  for (int k = i * p / SHARES; k < (i + 1) * p / SHARES; k++) {
    const double *col = v->L + (size_t)k * (size_t)m;
    double most = s->most[s->tree.order[x->first + k / b] * b + k % b];
    for (int r = p; r < m; r++) growth = growth > fabs(col[r]) ? growth : fabs(col[r]);
    least = fmin(least, most > 0 ? fabs(col[k]) / most : 0);
  }
  a->growth[i] = growth;
  a->least[i] = least;
}

static void judge(fronts *s, int f, pl_threads *threads) {
  verdict a = {.s = s, .f = f};
  pl_threads_run(threads, SHARES, judge_share, &a);
  s->growth[f] = 0;
  s->least[f] = INFINITY;
  for (int i = 0; i < SHARES; i++) {
    s->growth[f] = s->growth[f] > a.growth[i] ? s->growth[f] : a.growth[i];
    s->least[f] = fmin(s->least[f], a.least[i]);
  }
}

static void factor_front(fronts *s, int f, pl_threads *threads, int thread) {
  const front *x = &s->tree.front[f];
  if ((x->npiv + x->nrow) * s->block < LARGE) threads = NULL;
  assemble(s, f, threads, s->local[thread]);
  s->growth[f] = INFINITY;
  if (eliminate(s, f, threads, thread)) judge(s, f, threads);
}

// a front that has its children's factors; nothing is left to do where one failed. threads: inside
// it, may be NULL
static void factor_above(fronts *s, int f, pl_threads *threads, int thread) {
  if (s->failed) return;
  factor_front(s, f, threads, thread);
  if (!(s->growth[f] < GROWTH_MAX)) s->failed = 1;
}

// fronts of a level of the tree, from `first` on in task_front
typedef struct level {
  fronts *s;
  int first;
} level;

static void do_front(void *ctx, int k, int thread) {
  const level *a = ctx;
  factor_above(a->s, a->s->tree.task_front[a->first + k], NULL, thread);
}

// Whether threads that each take whole fronts of a level are done sooner than all of them inside
// one after another, where some always wait.
static int is_wide(const fronts *s, int first, int last) {
  const front_tree *t = &s->tree;
  int n = s->nthread, count = last - first;
  double sum = 0, most = 0;
  for (int k = first; k < last; k++) {
    sum += t->front[t->task_front[k]].flops;
    most = fmax(most, t->front[t->task_front[k]].flops);
  }
  double rounds = (count + n - 1) / n;
  return count > 1 && fmax(most, rounds * sum / count) < 1.5 * sum / n;
}

// the fronts above the tasks, up to the root
static void factor_levels(fronts *s) {
  const front_tree *t = &s->tree;
  for (int h = 0; h < t->nlevel && !s->stop; h++) {
    int first = t->level_ptr[h], last = t->level_ptr[h + 1];
    level a = {s, first};
    if (is_wide(s, first, last))
      pl_threads_run(s->threads, last - first, do_front, &a);
    else
      for (int i = first; i < last; i++) factor_above(s, t->task_front[i], s->threads, 0);
  }
}

static void factor_task(void *ctx, int task, int thread) {
  fronts *s = ctx;
  const front_tree *t = &s->tree;
  for (int k = t->task_ptr[task]; k < t->task_ptr[task + 1]; k++) {
    factor_front(s, t->task_front[k], NULL, thread);
    if (!(s->growth[t->task_front[k]] < GROWTH_MAX)) return;
  }
}

static pl_status numeric(pl_factor *f) {
  fronts *s = f->state;
  const front_tree *t = &s->tree;
  s->val = f->blocks.val;
  s->env = f->env;
  s->stop = 0;
  // other threads may do every part that asks on its way
  if (is_stopped(s, 0)) return PL_CANCELLED;
  f->info.nnz = s->nnz;
  f->info.flops = s->flops;
  pl_threads_run(s->threads, t->n, scale_group, s);
  if (!pl_all_finite(f->n, s->scale)) return PL_UNSOLVED;
  pl_threads_run(s->threads, t->n, measure_group, s);
  for (int k = 0; k < t->nfront; k++) s->growth[k] = INFINITY;
  pl_threads_run(s->threads, t->ntask, factor_task, s);
  int ok = 1;
  for (int k = 0; k < t->task_ptr[t->ntask]; k++) ok &= s->growth[t->task_front[k]] < GROWTH_MAX;
  s->failed = 0;
  if (ok) factor_levels(s);
  ok &= !s->failed;
  f->info.rcond = INFINITY;
  for (int k = 0; ok && k < t->nfront; k++) f->info.rcond = fmin(f->info.rcond, s->least[k]);
  return s->stop ? PL_CANCELLED : ok ? PL_OK : PL_UNSOLVED;
}

// ---- solves -------------------------------------------------------------------------------------

// y -= A x for A[m][n], or its transpose
typedef struct product {
  int transposed, m, n, ld;
  const double *A, *x;
  double *y;
} product;

// rows of y in a part
static int part_size(const product *a) {
  int least = a->transposed ? COLUMNS : ROWS, size = PART / (a->transposed ? a->m : a->n);
  return size > least ? size : least;
}

static int product_parts(const product *a) {
  if (a->m == 0 || a->n == 0) return 0;
  return pieces(a->transposed ? a->n : a->m, part_size(a));
}

// a strip of rows of A, or of fewer columns of it
static void multiply_strip(const product *a, int i) {
  const int step = 1;
  int all = a->transposed ? a->n : a->m, size = part_size(a), at = i * size;
  int n = all - at < size ? all - at : size, m = a->transposed ? a->m : n;
  const double *A = a->A + (a->transposed ? (size_t)at * (size_t)a->ld : (size_t)at);
  dgemv_(a->transposed ? "T" : "N", &m, a->transposed ? &n : &a->n, &minus, A, &a->ld, a->x, &step,
         &one, a->y + at, &step, 1);
}

// A front in a solve: its unknowns and those below.
typedef struct place {
  const numbers *v;
  int p, r, m;
  int transposed, down; // down from the root
  double *y;            // [p]
} place;

static place place_of(const fronts *s, int f, int down) {
  const front *x = &s->tree.front[f];
  int b = s->block, p = x->npiv * b, r = x->nrow * b;
  return (place){&s->num[f], p, r, p + r, s->transposed, down, s->x + (size_t)x->first * (size_t)b};
}

// Pivots of a panel of the triangle that is divided by: L on the way up and U on the way down, or
// the other way round transposed. *rest: what they take from the pivots after them.
static void panel_of(const place *a, int i, int *k, int *nb, product *rest) {
  int at = i * SWEEP, left;
  *nb = a->p - at < SWEEP ? a->p - at : SWEEP;
  left = a->p - at - *nb;
  *k = a->down ? left : at;
  size_t row = (size_t)(a->down ? 0 : *k + *nb), col = (size_t)*k, ld = (size_t)a->m;
  *rest = (product){.transposed = a->transposed,
                    .m = a->transposed ? *nb : left,
                    .n = a->transposed ? left : *nb,
                    .ld = a->m,
                    .A = a->v->L + (a->transposed ? col + row * ld : row + col * ld),
                    .x = a->y + *k,
                    .y = a->y + row};
}

static void divide(const place *a, int k, int nb) {
  const int step = 1, upper = a->down != a->transposed;
  dtrsv_(upper ? "U" : "L", a->transposed ? "T" : "N", upper ? "N" : "U", &nb,
         a->v->L + (size_t)k * (size_t)(a->m + 1), &a->m, a->y + k, &step, 1, 1, 1);
}

// between the pivots and the rows below
static product coupling_of(const place *a) {
  const numbers *v = a->v;
  if (a->down)
    return a->transposed ? (product){1, a->r, a->p, a->m, v->L + a->p, v->vec, a->y}
                         : (product){0, a->p, a->r, a->p, v->U, v->vec, a->y};
  return a->transposed ? (product){1, a->p, a->r, a->p, v->U, a->y, v->vec}
                       : (product){0, a->r, a->p, a->m, v->L + a->p, a->y, v->vec};
}

static void interchange(int n, const int *pivot, int back, double *x) {
  for (int i = 0; i < n; i++) {
    int k = back ? n - 1 - i : i;
    double t = x[k];
    x[k] = x[pivot[k] - 1];
    x[pivot[k] - 1] = t;
  }
}

// what children leave for a front
static void gather(fronts *s, int f, double *y, int *local) {
  const front *x = &s->tree.front[f];
  const numbers *v = &s->num[f];
  int b = s->block;
  memset(v->vec, 0, (size_t)(x->nrow * b) * sizeof *v->vec);
  if (x->child >= 0)
    for (int k = 0; k < x->nrow; k++) local[x->row[k]] = k;
  for (int c = x->child; c >= 0; c = s->tree.front[c].next) {
    const front *cf = &s->tree.front[c];
    for (int i = 0; i < cf->nrow; i++) {
      int at = cf->row[i] - x->first;
      double *to = at < x->npiv ? y + at * b : v->vec + local[cf->row[i]] * b;
      const double *from = s->num[c].vec + i * b;
      for (int a = 0; a < b; a++) to[a] += from[a];
    }
  }
}

// the unknowns below, which are known on the way down
static void fetch(fronts *s, int f) {
  const front *x = &s->tree.front[f];
  int b = s->block;
  for (int k = 0; k < x->nrow; k++)
    memcpy(s->num[f].vec + k * b, s->x + (size_t)x->row[k] * (size_t)b,
           (size_t)b * sizeof *s->num[f].vec);
}

// Stages: what comes before; on the way up (L y = P b, or U' y = b) panels of the triangle, each
// divided and then what it takes from the others, and the rows below; on the way down (U x = y, or
// P' L' x = y) the rows below and then the panels; what comes after.
static int stages(const void *ctx, int f, int down) {
  const fronts *s = ctx;
  place a = place_of(s, f, down);
  return (double)a.p * a.m < LONG ? 0 : 2 * pieces(a.p, SWEEP) + 3;
}

// the stage of the triangle, which is -1 for the product with the rows below
static int triangle_stage(const place *a, int stage) {
  int n = 2 * pieces(a->p, SWEEP);
  return a->down ? stage - 2 : stage - 1 < n ? stage - 1 : -1;
}

static int parts(const void *ctx, int f, int down, int stage) {
  place a = place_of(ctx, f, down);
  int at = triangle_stage(&a, stage), k, nb;
  product y = coupling_of(&a);
  if (stage == 0 || stage == 2 * pieces(a.p, SWEEP) + 2) return 1;
  if (at < 0) return product_parts(&y);
  panel_of(&a, at / 2, &k, &nb, &y);
  return at % 2 == 0 ? 1 : product_parts(&y);
}

static void part(void *ctx, int f, int down, int stage, int i, int thread) {
  fronts *s = ctx;
  place a = place_of(s, f, down);
  int at = triangle_stage(&a, stage), k, nb;
  if (stage == 0) {
    if (down)
      fetch(s, f);
    else
      gather(s, f, a.y, s->local[thread]);
    if (!down && !a.transposed) interchange(a.p, a.v->pivot, 0, a.y);
  } else if (stage == 2 * pieces(a.p, SWEEP) + 2) {
    if (down && a.transposed) interchange(a.p, a.v->pivot, 1, a.y);
  } else if (at < 0) {
    product y = coupling_of(&a);
    multiply_strip(&y, i);
  } else {
    product y;
    panel_of(&a, at / 2, &k, &nb, &y);
    if (at % 2 == 0)
      divide(&a, k, nb);
    else
      multiply_strip(&y, i);
  }
}

static void whole(void *ctx, int f, int down, int thread) {
  const fronts *s = ctx;
  int last = 2 * pieces(place_of(s, f, down).p, SWEEP) + 2;
  for (int stage = 0; stage <= last; stage++) {
    int n = parts(ctx, f, down, stage);
    for (int i = 0; i < n; i++) part(ctx, f, down, stage, i, thread);
  }
}

static const sweep_fns fns = {stages, parts, part, whole};

// between the matrix's order and that of elimination, in groups; scale may be NULL
static void permute(const fronts *s, int back, const double *scale, const double *from,
                    double *to) {
  int b = s->block;
  for (int k = 0; k < s->tree.n; k++)
    for (int a = 0; a < b; a++) {
      int outer = s->tree.order[k] * b + a, inner = k * b + a;
      double x = from[back ? inner : outer];
      to[back ? outer : inner] = scale ? scale[outer] * x : x;
    }
}

static pl_status solve(pl_factor *f, int transposed, int nrhs, const double *b, double *x) {
  fronts *s = f->state;
  s->transposed = transposed != 0;
  if (s->threads && !s->sweeps[s->transposed])
    PL_TRY(sweeps_create(f->env, &s->tree, &fns, s, s->threads, &s->sweeps[s->transposed]));
  for (int k = 0; k < nrhs; k++) {
    size_t at = (size_t)k * (size_t)f->n;
    permute(s, 0, transposed ? NULL : s->scale, b + at, s->x);
    if (s->threads)
      sweeps_run(s->sweeps[s->transposed]);
    else
      sweeps_run_alone(&s->tree, &fns, s);
    permute(s, 1, transposed ? s->scale : NULL, s->x, x + at);
  }
  return PL_OK;
}

const pl_backend pl_backend_fronts = {
    .name = "fronts",
    .analyse = analyse,
    .free = release,
    .numeric = numeric,
    .solve = solve,
};
