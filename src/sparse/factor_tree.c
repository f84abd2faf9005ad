// Cholesky of matrices made of small blocks (vertices of a sheet): the multifrontal method, fronts
// of one level of the tree at the same time. Much of the work is in fronts too small for threads
// inside of BLAS. All sums have one order, for any number of threads.
#include "fronts.h"
#include "lapack.h"

#if PL_GPL

#include <string.h>

// work below which threads do not pay: flops of a factorisation, entries of the factor in a solve
#ifdef PL_SHARE_ALL
static const double MANY_FLOPS = 0, MANY_ENTRIES = 0;
#else
static const double MANY_FLOPS = 4e6, MANY_ENTRIES = 4e5;
#endif

typedef struct numbers {
  double *L;   // [m][p] by columns: factor over the rows below, p pivots, m - p rows
  double *S;   // [m - p][m - p] by columns, lower triangle, for the parent
  double *vec; // [m - p] the same for a right-hand side
  double *out; // [p] pivots of a right-hand side
  int first;   // entries of the matrix in this front: from first to that of the next
  int *to;     // [nrow] place of each of its rows in the parent
} numbers;

typedef struct tree {
  front_tree t;
  int block, nthread;
  pl_threads *threads, *solving; // NULL: too little work to share
  numbers *num;                  // [nfront + 1]
  double *store, *updates;
  int *to;
  int *entry, *offset; // [nnz] entries of the matrix, front after front, and their place in L
  int nlevel;
  int *level_ptr, *level; // fronts above the tasks, by height
  double *x;              // [n] in elimination order
  double *least;          // [nfront] smallest pivot over what its column was, below zero: none
  const double *val;
} tree;

// ---- symbolic -----------------------------------------------------------------------------------

static int front_size(const tree *s, int f) {
  return (s->t.front[f].npiv + s->t.front[f].nrow) * s->block;
}

// heights of the fronts above the tasks, children first
static pl_status make_levels(pl_factor *f, tree *s) {
  const front_tree *t = &s->t;
  int first = t->task_ptr[t->ntask], n = t->nfront - first, at = 0;
  int *height = pl_alloc(f->env, (size_t)t->nfront, sizeof *height);
  s->level = pl_alloc(f->env, (size_t)n, sizeof *s->level);
  s->level_ptr = pl_alloc(f->env, (size_t)n + 2, sizeof *s->level_ptr);
  if (!height || !s->level || !s->level_ptr) {
    pl_free(f->env, height);
    return PL_E_NOMEM;
  }
  for (int k = first; k < t->nfront; k++) {
    int i = t->task_front[k], up = t->front[i].parent;
    if (up >= 0 && height[up] <= height[i]) height[up] = height[i] + 1;
    if (s->nlevel <= height[i]) s->nlevel = height[i] + 1;
  }
  for (int h = 0; h < s->nlevel; h++) {
    for (int k = first; k < t->nfront; k++)
      if (height[t->task_front[k]] == h) s->level[at++] = t->task_front[k];
    s->level_ptr[h + 1] = at;
  }
  pl_free(f->env, height);
  return PL_OK;
}

static pl_status allocate(pl_factor *f, tree *s) {
  const front_tree *t = &s->t;
  size_t b = (size_t)s->block, nf = (size_t)t->nfront, total = 0, rows = 0, above = 0;
  double nnz = 0, flops = 0;
  for (size_t k = 0; k < nf; k++) {
    const front *x = &t->front[k];
    size_t p = (size_t)x->npiv * b, r = (size_t)x->nrow * b;
    total += p * (p + r) + r + p;
    rows += (size_t)x->nrow;
    if (x->task < 0) above += r * r;
    double dp = (double)p, dr = (double)r;
    nnz += dp * ((dp + 1) / 2 + dr);
    flops += dp * (dp * dp / 3 + dp * dr + dr * dr);
  }
  f->info.nnz = nnz;
  f->info.flops = flops;
  // tasks share what the tree has placed for them; fronts above live at the same time
  size_t shared = t->room * b * b;
  s->num = pl_alloc(f->env, nf + 1, sizeof *s->num);
  s->store = pl_alloc(f->env, total, sizeof *s->store);
  s->updates = pl_alloc(f->env, shared + above, sizeof *s->updates);
  s->to = pl_alloc(f->env, rows, sizeof *s->to);
  s->x = pl_alloc(f->env, (size_t)f->n, sizeof *s->x);
  s->least = pl_alloc(f->env, nf, sizeof *s->least);
  if (!s->num || !s->store || !s->updates || !s->to || !s->x || !s->least) return PL_E_NOMEM;
  double *at = s->store, *top = s->updates + shared;
  int *to = s->to;
  for (size_t k = 0; k < nf; k++) {
    const front *x = &t->front[k];
    size_t p = (size_t)x->npiv * b, r = (size_t)x->nrow * b;
    s->num[k] = (numbers){.L = at, .vec = at + (p + r) * p, .to = to};
    s->num[k].out = s->num[k].vec + r;
    s->num[k].S = x->task < 0 ? top : s->updates + x->at * b * b;
    if (x->task < 0) top += r * r;
    at = s->num[k].out + p;
    to += x->nrow;
  }
  return PL_OK;
}

// where the rows of every front are in its parent, and entries of the matrix in the fronts
static pl_status place_entries(pl_factor *f, tree *s) {
  const front_tree *t = &s->t;
  const pl_csc *A = &f->A;
  int b = s->block;
  int *owner = pl_alloc(f->env, 2 * (size_t)t->n, sizeof *owner);
  s->entry = pl_alloc(f->env, (size_t)A->nnz, sizeof *s->entry);
  s->offset = pl_alloc(f->env, (size_t)A->nnz, sizeof *s->offset);
  if (!owner || !s->entry || !s->offset) {
    pl_free(f->env, owner);
    return PL_E_NOMEM;
  }
  int *local = owner + t->n;
  for (int k = 0; k < t->nfront; k++) {
    const front *x = &t->front[k];
    for (int i = 0; i < x->npiv; i++) local[x->first + i] = i;
    for (int i = 0; i < x->nrow; i++) local[x->row[i]] = x->npiv + i;
    for (int i = 0; i < x->npiv; i++) owner[x->first + i] = k;
    for (int c = x->child; c >= 0; c = t->front[c].next)
      for (int i = 0; i < t->front[c].nrow; i++) s->num[c].to[i] = local[t->front[c].row[i]];
  }
  // count, then list, entries by the front of the earlier of their two groups
  int *count = pl_alloc(f->env, (size_t)t->nfront + 1, sizeof *count);
  if (!count) {
    pl_free(f->env, owner);
    return PL_E_NOMEM;
  }
  for (int pass = 0; pass < 2; pass++) {
    for (int j = 0; j < A->n; j++)
      for (int e = A->ptr[j]; e < A->ptr[j + 1]; e++) {
        int gj = t->place[j / b], gi = t->place[A->row[e] / b];
        int k = owner[gi < gj ? gi : gj];
        if (pass == 0)
          count[k + 1]++;
        else
          s->entry[count[k]++] = e;
      }
    for (int k = 0; pass == 0 && k < t->nfront; k++) {
      s->num[k].first = count[k];
      count[k + 1] += count[k];
    }
  }
  s->num[t->nfront].first = A->nnz;
  pl_free(f->env, count);
  pl_free(f->env, owner);
  return PL_OK;
}

// offsets in L of the entries of each front
static pl_status place_offsets(pl_factor *f, tree *s) {
  const front_tree *t = &s->t;
  const pl_csc *A = &f->A;
  int b = s->block;
  int *local = pl_alloc(f->env, (size_t)t->n, sizeof *local);
  int *column = pl_alloc(f->env, (size_t)A->nnz, sizeof *column);
  if (!local || !column) {
    pl_free(f->env, local);
    pl_free(f->env, column);
    return PL_E_NOMEM;
  }
  for (int j = 0; j < A->n; j++)
    for (int e = A->ptr[j]; e < A->ptr[j + 1]; e++) column[e] = j;
  for (int k = 0; k < t->nfront; k++) {
    const front *x = &t->front[k];
    int m = front_size(s, k);
    for (int i = 0; i < x->npiv; i++) local[x->first + i] = i;
    for (int i = 0; i < x->nrow; i++) local[x->row[i]] = x->npiv + i;
    for (int q = s->num[k].first; q < s->num[k + 1].first; q++) {
      int e = s->entry[q], i = A->row[e], j = column[e];
      int row = local[t->place[i / b]] * b + i % b, col = local[t->place[j / b]] * b + j % b;
      s->offset[q] = row >= col ? row + col * m : col + row * m;
    }
  }
  pl_free(f->env, local);
  pl_free(f->env, column);
  return PL_OK;
}

static pl_status build_tree(pl_factor *f, tree *s) {
  pl_csc lower, full = {0};
  PL_TRY(pl_compress_blocks(f->env, &f->A, f->block, &lower));
  int *order = pl_alloc(f->env, (size_t)lower.n, sizeof *order);
  pl_status st = order ? pl_order_blocks(f->env, &lower, 1, order) : PL_E_NOMEM;
  if (st == PL_OK) st = pl_csc_expand(f->env, &lower, &full, NULL);
  if (st == PL_OK) st = front_tree_create(f->env, &full, order, f->block, &s->t);
  pl_free(f->env, order);
  pl_csc_free(f->env, &lower);
  pl_csc_free(f->env, &full);
  return st;
}

static pl_status analyse(pl_factor *f) {
  tree *s = f->state = pl_alloc(f->env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  s->block = f->block;
  s->nthread = f->nthread > 0 ? f->nthread : 1;
  PL_TRY(build_tree(f, s));
  PL_TRY(make_levels(f, s));
  PL_TRY(allocate(f, s));
  PL_TRY(place_entries(f, s));
  PL_TRY(place_offsets(f, s));
  if (s->nthread > 1 && f->info.flops > MANY_FLOPS)
    PL_TRY(pl_threads_create(f->env, s->nthread, &s->threads));
  s->solving = f->info.nnz > MANY_ENTRIES ? s->threads : NULL;
  return PL_OK;
}

static void release(pl_factor *f) {
  tree *s = f->state;
  if (!s) return;
  void *all[] = {s->num,    s->store, s->updates,   s->to, s->entry,
                 s->offset, s->level, s->level_ptr, s->x,  s->least};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(f->env, all[k]);
  pl_threads_free(s->threads);
  front_tree_free(f->env, &s->t);
  pl_free(f->env, s);
}

// ---- numeric ------------------------------------------------------------------------------------

// adds a child's S; runs of neighbouring groups stay neighbours
static void add_child(const tree *s, int f, int child) {
  const front *x = &s->t.front[f], *c = &s->t.front[child];
  const numbers *v = &s->num[f], *u = &s->num[child];
  int b = s->block, p = x->npiv * b, m = p + x->nrow * b, r = m - p, cr = c->nrow * b;
  for (int j = 0; j < c->nrow; j++)
    for (int a = 0; a < b; a++) {
      int col = u->to[j] * b + a;
      const double *from = u->S + (size_t)(j * b + a) * (size_t)cr;
      double *at =
          col < p ? v->L + (size_t)col * (size_t)m : v->S + (size_t)(col - p) * (size_t)r - p;
      for (int i = j; i < c->nrow;) {
        int to = u->to[i], run = 1;
        while (i + run < c->nrow && u->to[i + run] == to + run) run++;
        for (int e = 0; e < run * b; e++) at[to * b + e] += from[i * b + e];
        i += run;
      }
    }
}

static void assemble(const tree *s, int f) {
  const front *x = &s->t.front[f];
  const numbers *v = &s->num[f];
  size_t p = (size_t)(x->npiv * s->block), r = (size_t)(x->nrow * s->block);
  memset(v->L, 0, p * (p + r) * sizeof *v->L);
  memset(v->S, 0, r * r * sizeof *v->S);
  for (int q = v->first; q < v[1].first; q++) v->L[s->offset[q]] = s->val[s->entry[q]];
  // what pivots were, before children take away from them
  for (size_t k = 0; k < p; k++) v->out[k] = v->L[k * (p + r + 1)];
  for (int c = x->child; c >= 0; c = s->t.front[c].next) add_child(s, f, c);
}

static void factor_front(tree *s, int f) {
  static const double one = 1, minus = -1;
  const front *x = &s->t.front[f];
  const numbers *v = &s->num[f];
  int p = x->npiv * s->block, r = x->nrow * s->block, m = p + r, info;
  double least = INFINITY;
  assemble(s, f);
  s->least[f] = -1;
  dpotrf_("L", &p, v->L, &m, &info, 1);
  if (info != 0) return;
  if (r > 0) {
    dtrsm_("R", "L", "T", "N", &r, &p, &one, v->L, &m, v->L + p, &m, 1, 1, 1, 1);
    dsyrk_("L", "N", &r, &p, &minus, v->L + p, &m, &one, v->S, &r, 1, 1);
  }
  for (int k = 0; k < p; k++) {
    double d = v->L[(size_t)k * (size_t)(m + 1)];
    least = fmin(least, v->out[k] > 0 ? d * d / v->out[k] : 0);
  }
  s->least[f] = least;
}

static void factor_task(void *ctx, int task, int thread) {
  tree *s = ctx;
  (void)thread;
  for (int k = s->t.task_ptr[task]; k < s->t.task_ptr[task + 1]; k++) {
    factor_front(s, s->t.task_front[k]);
    if (!(s->least[s->t.task_front[k]] >= 0)) return;
  }
}

static void factor_level(void *ctx, int k, int thread) {
  tree *s = ctx;
  (void)thread;
  factor_front(s, s->level[k]);
}

typedef struct part {
  tree *s;
  int first;
} part;

static void factor_part(void *ctx, int k, int thread) {
  const part *a = ctx;
  factor_level(a->s, a->first + k, thread);
}

static pl_status numeric(pl_factor *f) {
  tree *s = f->state;
  const front_tree *t = &s->t;
  s->val = f->A.val;
  for (int k = 0; k < t->nfront; k++) s->least[k] = -1;
  pl_threads_run(s->threads, t->ntask, factor_task, s);
  int ok = 1;
  for (int k = 0; k < t->task_ptr[t->ntask]; k++) ok &= s->least[t->task_front[k]] >= 0;
  for (int h = 0; ok && h < s->nlevel; h++) {
    part a = {s, s->level_ptr[h]};
    int n = s->level_ptr[h + 1] - a.first;
    pl_threads_run(n > 1 ? s->threads : NULL, n, factor_part, &a);
    for (int k = 0; k < n; k++) ok &= s->least[s->level[a.first + k]] >= 0;
  }
  f->info.rcond = INFINITY;
  for (int k = 0; ok && k < t->nfront; k++) f->info.rcond = fmin(f->info.rcond, s->least[k]);
  return ok ? PL_OK : PL_SINGULAR;
}

// ---- solves -------------------------------------------------------------------------------------

// from the leaves up: L y = b
static void forward(tree *s, int f) {
  static const double one = 1, minus = -1;
  static const int step = 1;
  const front *x = &s->t.front[f];
  const numbers *v = &s->num[f];
  int b = s->block, p = x->npiv * b, r = x->nrow * b, m = p + r;
  memset(v->vec, 0, (size_t)r * sizeof *v->vec);
  double *y = s->x + (size_t)x->first * (size_t)b;
  for (int c = x->child; c >= 0; c = s->t.front[c].next) {
    const numbers *u = &s->num[c];
    for (int i = 0; i < s->t.front[c].nrow; i++) {
      double *to = u->to[i] < x->npiv ? y + u->to[i] * b : v->vec + (u->to[i] - x->npiv) * b;
      for (int a = 0; a < b; a++) to[a] += u->vec[i * b + a];
    }
  }
  dtrsv_("L", "N", "N", &p, v->L, &m, y, &step, 1, 1, 1);
  if (r > 0) dgemv_("N", &r, &p, &minus, v->L + p, &m, y, &step, &one, v->vec, &step, 1);
}

// from the root down: L' x = y
static void backward(tree *s, int f) {
  static const double one = 1, minus = -1;
  static const int step = 1;
  const front *x = &s->t.front[f];
  const numbers *v = &s->num[f];
  int b = s->block, p = x->npiv * b, r = x->nrow * b, m = p + r;
  double *y = s->x + (size_t)x->first * (size_t)b;
  for (int k = 0; k < x->nrow; k++)
    memcpy(v->vec + k * b, s->x + (size_t)x->row[k] * (size_t)b, (size_t)b * sizeof *y);
  if (r > 0) dgemv_("T", &r, &p, &minus, v->L + p, &m, v->vec, &step, &one, y, &step, 1);
  dtrsv_("L", "T", "N", &p, v->L, &m, y, &step, 1, 1, 1);
}

static void forward_task(void *ctx, int task, int thread) {
  tree *s = ctx;
  (void)thread;
  for (int k = s->t.task_ptr[task]; k < s->t.task_ptr[task + 1]; k++)
    forward(s, s->t.task_front[k]);
}

static void backward_task(void *ctx, int task, int thread) {
  tree *s = ctx;
  (void)thread;
  for (int k = s->t.task_ptr[task + 1] - 1; k >= s->t.task_ptr[task]; k--)
    backward(s, s->t.task_front[k]);
}

static pl_status solve(pl_factor *f, int transposed, int nrhs, const double *b, double *x) {
  tree *s = f->state;
  const front_tree *t = &s->t;
  int g = s->block, first = t->task_ptr[t->ntask];
  (void)transposed;
  for (int k = 0; k < nrhs; k++, b += f->n, x += f->n) {
    for (int i = 0; i < t->n; i++) memcpy(s->x + i * g, b + t->order[i] * g, (size_t)g * sizeof *x);
    pl_threads_run(s->solving, t->ntask, forward_task, s);
    for (int i = first; i < t->nfront; i++) forward(s, t->task_front[i]);
    for (int i = t->nfront - 1; i >= first; i--) backward(s, t->task_front[i]);
    pl_threads_run(s->solving, t->ntask, backward_task, s);
    for (int i = 0; i < t->n; i++) memcpy(x + t->order[i] * g, s->x + i * g, (size_t)g * sizeof *x);
  }
  return PL_OK;
}

const pl_backend pl_backend_tree = {
    .name = "tree",
    .alone = 1,
    .analyse = analyse,
    .free = release,
    .numeric = numeric,
    .solve = solve,
};

#endif
