// Cholesky and LDL' by the multifrontal method. Subtrees run at the same time, then the fronts
// above them in steps. All sums have one order, for any number of threads.
#include "tree.h"

#include <string.h>

// work below which threads do not pay: flops of a factorisation, entries of the factor in a solve
#ifdef PL_SHARE_ALL
static const double MANY_FLOPS = 0, MANY_ENTRIES = 0;
#else
static const double MANY_FLOPS = 4e6, MANY_ENTRIES = 1e5;
#endif
// larger sums of squares in the rows of a scaled factor lose more digits than a direct solve may
static const double GROWTH_MAX = 1e4;

static int min(int a, int b) {
  return a < b ? a : b;
}

// ---- symbolic -----------------------------------------------------------------------------------

// place[n]: every unknown next to the first one that it is coupled with, as twists of rods, which
// are numbered behind all nodes; next, head [n]: scratch
static void place_by_first(const pl_csc *A, int *place, int *next, int *head) {
  int at = 0;
  for (int j = 0; j < A->n; j++) place[j] = head[j] = -1;
  for (int j = 0; j < A->n; j++)
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++)
      if (place[A->row[k]] < 0) place[A->row[k]] = j;
  for (int j = A->n - 1; j >= 0; j--) {
    int first = place[j] < 0 ? j : place[j];
    next[j] = head[first];
    head[first] = j;
  }
  for (int j = 0; j < A->n; j++)
    for (int i = head[j]; i >= 0; i = next[i]) place[i] = at++;
}

// a narrow band: chains need no better order to see that there is little to do
static pl_status is_narrow(pl_env *env, const pl_csc *A, int *narrow) {
  double nnz = 0, flops = 0;
  int n = A->n, *place = pl_alloc(env, 3 * (size_t)n + 1, sizeof *place), *last = place + n;
  if (!place) return PL_E_NOMEM;
  place_by_first(A, place, last, last + n);
  for (int j = 0; j < n; j++) last[j] = j;
  for (int j = 0; j < n; j++)
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
      int a = place[j], b = place[A->row[k]], first = min(a, b), other = a + b - first;
      if (other > last[first]) last[first] = other;
    }
  for (int j = 0, end = 0; j < n; j++) {
    if (last[j] > end) end = last[j];
    double height = end - j + 1;
    nnz += height;
    flops += height * height;
  }
  *narrow = flops < PL_LIGHT * nnz;
  pl_free(env, place);
  return PL_OK;
}

// the tree of the groups; PL_UNSOLVED: not worth it, unless the caller has told of blocks
static pl_status build_tree(pl_factor *f, front_tree *t, int *size) {
  pl_csc G;
  int light = 0;
  if (f->block == 1) PL_TRY(is_narrow(f->env, &f->A, &light));
  if (light) return PL_UNSOLVED;
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
    total += (p + r) * (p + TREE_RHS);
    rows += r;
    runs += (size_t)x->nrow;
    f->info.nnz += dp * ((dp + 1) / 2 + dr);
    f->info.flops += dp * (dp * dp / 3 + dp * dr + dr * dr);
  }
  s->flops = f->info.flops;
  s->num = pl_alloc(f->env, nf + 1, sizeof *s->num);
  // Above the diagonals nothing is ever written, and lanes beyond a column's end work with what
  // they find there: leftovers that are tiny numbers would make them a hundred times as slow.
  s->store = pl_alloc(f->env, total + TREE_LANES, sizeof *s->store);
  s->updates = pl_realloc(f->env, NULL, t->buffer, sizeof *s->updates);
  s->rows = pl_alloc(f->env, rows, sizeof *s->rows);
  s->runs = pl_alloc(f->env, runs, sizeof *s->runs);
  s->perm = pl_alloc(f->env, (size_t)f->n, sizeof *s->perm);
  s->entry = pl_alloc(f->env, (size_t)f->A.nnz, sizeof *s->entry);
  s->offset = pl_alloc(f->env, (size_t)f->A.nnz, sizeof *s->offset);
  s->x = pl_alloc(f->env, TREE_RHS * (size_t)f->n, sizeof *s->x);
  s->signs = pl_alloc(f->env, (size_t)f->n, sizeof *s->signs);
  s->least = pl_alloc(f->env, nf, sizeof *s->least);
  if (!s->definite) {
    s->scale = pl_alloc(f->env, (size_t)f->n, sizeof *s->scale);
    s->scratch = pl_alloc(f->env, (size_t)s->nthread * TREE_SCRATCH, sizeof *s->scratch);
    if (!s->scale || !s->scratch) return PL_E_NOMEM;
  }
  return s->num && s->store && s->updates && s->rows && s->runs && s->perm && s->entry &&
                 s->offset && s->x && s->signs && s->least
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
                          .sign = s->signs + start[x->first],
                          .p = x->p,
                          .r = x->r,
                          .small = s->definite && x->p + x->r <= TREE_SMALL,
                          .first = start[x->first],
                          .row = row,
                          .run = runs};
    for (int i = 0; i < x->nrow; i++)
      for (int a = start[x->row[i]]; a < start[x->row[i] + 1]; a++) *row++ = a;
    runs += x->nrow;
    at += m * (p + TREE_RHS);
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
  s->n = f->n;
  s->definite = f->kind == PL_CHOLESKY;
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
  if (s->flops > MANY_FLOPS) PL_TRY(pl_factor_open_threads(f));
  s->threads = f->threads;
  s->solving = f->info.nnz > MANY_ENTRIES ? s->threads : NULL;
  if (s->solving) PL_TRY(sweeps_create(f->env, &s->t, &tree_sweep_fns, s, s->solving, &s->sweeps));
  return s->threads ? steps_create(s) : PL_OK;
}

static void release(pl_factor *f) {
  tree *s = f->state;
  if (!s) return;
  void *all[] = {s->num,    s->store, s->updates, s->rows,  s->runs,  s->perm,   s->entry,
                 s->offset, s->x,     s->signs,   s->least, s->scale, s->scratch};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(f->env, all[k]);
  pl_factor_close_threads(f);
  steps_free(f->env, s->steps);
  sweeps_free(f->env, s->sweeps);
  front_tree_free(f->env, &s->t);
  pl_free(f->env, s);
}

// ---- numeric ------------------------------------------------------------------------------------

static void factor_task(void *ctx, int task, int thread) {
  tree *s = ctx;
  for (int k = s->t.task_ptr[task]; k < s->t.task_ptr[task + 1]; k++) {
    tree_factor_front(s, s->t.task_front[k], thread);
    if (!(s->least[s->t.task_front[k]] >= 0)) return;
  }
}

// returns whether all of the fronts first .. last - 1 in task_front have their factors
static int are_factored(const tree *s, int first, int last) {
  int ok = 1;
  for (int k = first; k < last; k++) ok &= s->least[s->t.task_front[k]] >= 0;
  return ok;
}

// returns whether all fronts have their factors
static int factor_fronts(tree *s) {
  const front_tree *t = &s->t;
  int first = t->task_ptr[t->ntask];
  for (int k = 0; k < t->nfront; k++) s->least[k] = -1;
  pl_threads_run(s->threads, t->ntask, factor_task, s);
  if (!are_factored(s, 0, first)) return 0;
  if (s->steps) return steps_run(s);
  for (int k = first; k < t->nfront; k++) {
    tree_factor_front(s, t->task_front[k], 0);
    if (!are_factored(s, k, k + 1)) return 0;
  }
  return 1;
}

// Pivots are interchanged inside a panel only. Where that makes the factor grow, another solver
// must do it: the signs would be those of another matrix.
static pl_status factor_signed(pl_factor *f) {
  tree *s = f->state;
  pl_equilibrate_once(f);
  for (int k = 0; k < f->n; k++) s->scale[k] = f->scale[s->perm[k]];
  tree_clear_growth(s);
  int ok = factor_fronts(s);
  if (s->stop) return PL_CANCELLED;
  f->growth = fmax(1, tree_growth(s));
  if (!ok || !(f->growth < GROWTH_MAX)) return PL_UNSOLVED;
  for (int k = 0; k < f->n; k++) f->info.nneg += s->signs[k] < 0;
  f->info.npos = f->n - f->info.nneg;
  return PL_OK;
}

static pl_status numeric(pl_factor *f) {
  tree *s = f->state;
  s->val = f->A.val;
  s->stop = 0;
  // other threads may do every part that asks on its way
  if (tree_stopped(s, 0)) return PL_CANCELLED;
  if (!s->definite) return factor_signed(f);
  int ok = factor_fronts(s);
  f->info.rcond = INFINITY;
  for (int k = 0; ok && k < s->t.nfront; k++) f->info.rcond = fmin(f->info.rcond, s->least[k]);
  return s->stop ? PL_CANCELLED : ok ? PL_OK : PL_SINGULAR;
}

// ---- solves -------------------------------------------------------------------------------------

static pl_status solve(pl_factor *f, int transposed, int nrhs, const double *b, double *x) {
  tree *s = f->state;
  size_t n = (size_t)f->n;
  (void)transposed;
  for (int k = 0; k < nrhs; k += TREE_RHS) {
    s->rhs = b + (size_t)k * n;
    s->solution = x + (size_t)k * n;
    s->nrhs = min(TREE_RHS, nrhs - k);
    if (s->sweeps)
      sweeps_run(s->sweeps);
    else
      sweeps_run_alone(&s->t, &tree_sweep_fns, s);
  }
  return PL_OK;
}

const pl_backend pl_backend_tree = {
    .name = "tree",
    .analyse = analyse,
    .free = release,
    .numeric = numeric,
    .solve = solve,
    .inverse = tree_inverse,
};
