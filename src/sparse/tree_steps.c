// The fronts above the tasks on all threads, one level after another. Those of a level are cut into
// steps, which stand in one list: each comes after those that it needs. Threads take steps in that
// order and wait, for moments, for what others have not done yet; so what is left of one front
// is done beside the others, and the next pivots beside the rest of what the last ones change.
#include "pliant/tally.h"
#include "tree.h"

#include <stdlib.h>

enum { ENTRIES = 1 << 15 }; // of the matrix in one step

// rows of a front below which it is one step, and the same of fronts that are done without BLAS
#ifdef PL_SHARE_ALL
static const int LARGE = 0, MIDDLE = 0;
#else
static const int LARGE = TREE_LARGE, MIDDLE = 3 * TREE_BLOCK;
#endif

typedef enum kind { WHOLE, CLEAR, PUT, ADD, FACTOR, DIVIDE, UPDATE, SUBTRACT } kind;

// of a front's blocks a, b and c, as tree.h has them
typedef struct step {
  int front, kind, b, c, i;
  double when; // part of the front's work before it
} step;

// What is done of a front in steps.
typedef struct progress {
  int blocks, pivots, puts;
  atomic_int *added;   // [blocks] columns, 1: they hold what the children gave
  atomic_int *divided; // [blocks] rows, by so many blocks of pivots
  atomic_int *updated; // [pivots][blocks] likewise
  atomic_int cleared, put, factored;
  double least;
} progress;

struct steps {
  int n, cap, *level_ptr; // [nlevel + 1]
  step *step;
  progress *progress; // [nfront], of those that have steps
  atomic_int *counts;
  size_t ncount;
  atomic_int next, failed;
  tree *s;
  int last; // of the steps of the level at work
};

// ---- the list -----------------------------------------------------------------------------------

static double block_rows(const numbers *v, int i) {
  int first;
  return front_block(v, i, &first);
}

// roughly, in flops; moving a number counts for some
static double work_of(const step *x, const numbers *v) {
  const double move = 8;
  double m = v->p + v->r, b = block_rows(v, x->b);
  switch (x->kind) {
  case CLEAR:
    return b * m;
  case PUT:
    return move * ENTRIES;
  case ADD:
    return move * b * m * (v->nchild + 1) / 2;
  case FACTOR:
    return b * b * b;
  case DIVIDE:
    return b * b * block_rows(v, x->i);
  case UPDATE:
    return 2 * b * block_rows(v, x->c) * block_rows(v, x->i);
  case SUBTRACT:
    return 2.0 * v->p * block_rows(v, x->c) * block_rows(v, x->i);
  default:
    return m * m * m / 3;
  }
}

static pl_status append(tree *s, int f, kind k, int b, int c, int i) {
  steps *t = s->steps;
  if (t->n == t->cap) {
    int cap = 2 * t->cap + 256;
    step *more = pl_realloc(s->env, t->step, (size_t)cap, sizeof *more);
    if (!more) return PL_E_NOMEM;
    t->step = more;
    t->cap = cap;
  }
  t->step[t->n++] = (step){.front = f, .kind = (int)k, .b = b, .c = c, .i = i};
  return PL_OK;
}

static pl_status list_assembly(tree *s, int f) {
  const numbers *v = &s->num[f];
  progress *g = &s->steps->progress[f];
  for (int b = 0; b < g->pivots; b++) PL_TRY(append(s, f, CLEAR, b, 0, 0));
  for (int k = 0; k < g->puts; k++) PL_TRY(append(s, f, PUT, 0, 0, k));
  for (int b = 0; b < g->blocks; b++)
    if (b < g->pivots || v->nchild > 0) PL_TRY(append(s, f, ADD, b, 0, 0));
  return PL_OK;
}

// rows take the pivots of all blocks up to one, so that nothing is left to update; after the next
// rows come the pivots in them
static pl_status list_rows(tree *s, int f) {
  const progress *g = &s->steps->progress[f];
  for (int b = 0; b < g->pivots; b++) {
    if (b == 0) PL_TRY(append(s, f, FACTOR, b, 0, 0));
    for (int i = b + 1; i < g->blocks; i++) {
      PL_TRY(append(s, f, DIVIDE, b, 0, i));
      if (i == b + 1 && i < g->pivots) PL_TRY(append(s, f, FACTOR, i, 0, 0));
    }
  }
  return PL_OK;
}

// after the columns of the next pivots come these pivots, then the other columns
static pl_status list_pivots(tree *s, int f) {
  const progress *g = &s->steps->progress[f];
  for (int b = 0; b < g->pivots; b++) {
    if (b == 0) PL_TRY(append(s, f, FACTOR, b, 0, 0));
    for (int i = b + 1; i < g->blocks; i++) PL_TRY(append(s, f, DIVIDE, b, 0, i));
    for (int c = b + 1; c < g->pivots; c++) {
      for (int i = c; i < g->blocks; i++) PL_TRY(append(s, f, UPDATE, b, c, i));
      if (c == b + 1) PL_TRY(append(s, f, FACTOR, c, 0, 0));
    }
  }
  return PL_OK;
}

static pl_status list_updates(tree *s, int f) {
  const progress *g = &s->steps->progress[f];
  for (int c = g->pivots; c < g->blocks; c++)
    for (int i = c; i < g->blocks; i++) PL_TRY(append(s, f, SUBTRACT, 0, c, i));
  return PL_OK;
}

// Whether front f is shared: large ones are, as their bits hang on their blocks; of small ones
// those that others would wait for, when a level has `all` flops.
static int is_shared(const tree *s, int f, double all) {
  const numbers *v = &s->num[f];
  if (!v->small) return v->p + v->r >= LARGE;
  return v->p + v->r >= MIDDLE && 2 * s->nthread * s->t.front[f].flops >= all;
}

static pl_status list_front(tree *s, int f, double all) {
  const numbers *v = &s->num[f];
  steps *t = s->steps;
  progress *g = &t->progress[f];
  int first = t->n;
  if (!is_shared(s, f, all)) {
    PL_TRY(append(s, f, WHOLE, 0, 0, 0));
  } else {
    g->blocks = front_blocks(v, &g->pivots);
    g->puts = (v[1].entry - v->entry + ENTRIES - 1) / ENTRIES;
    PL_TRY(list_assembly(s, f));
    PL_TRY(v->small ? list_rows(s, f) : list_pivots(s, f));
    PL_TRY(list_updates(s, f));
    t->ncount += (size_t)g->blocks * (size_t)(g->pivots + 2);
  }
  double sum = 0;
  for (int k = first; k < t->n; k++) {
    t->step[k].when = sum;
    sum += work_of(&t->step[k], v);
  }
  for (int k = first; k < t->n; k++) t->step[k].when /= sum;
  return PL_OK;
}

// fronts side by side; steps of one keep their order, as each has some work
static int by_time(const void *a, const void *b) {
  const step *x = a, *y = b;
  if (x->when != y->when) return x->when < y->when ? -1 : 1;
  return x->front - y->front;
}

static pl_status place_counts(tree *s) {
  steps *t = s->steps;
  t->counts = pl_alloc(s->env, t->ncount, sizeof *t->counts);
  if (!t->counts) return PL_E_NOMEM;
  atomic_int *at = t->counts;
  for (int f = 0; f < s->t.nfront; f++) {
    progress *g = &t->progress[f];
    g->added = at;
    g->divided = g->added + g->blocks;
    g->updated = g->divided + g->blocks;
    at += g->blocks * (g->pivots + 2);
  }
  return PL_OK;
}

pl_status steps_create(tree *s) {
  const front_tree *f = &s->t;
  steps *t = s->steps = pl_alloc(s->env, 1, sizeof *t);
  if (!t) return PL_E_NOMEM;
  t->s = s;
  t->progress = pl_alloc(s->env, (size_t)f->nfront, sizeof *t->progress);
  t->level_ptr = pl_alloc(s->env, (size_t)f->nlevel + 1, sizeof *t->level_ptr);
  if (!t->progress || !t->level_ptr) return PL_E_NOMEM;
  for (int h = 0; h < f->nlevel; h++) {
    double all = 0;
    for (int k = f->level_ptr[h]; k < f->level_ptr[h + 1]; k++)
      all += f->front[f->task_front[k]].flops;
    for (int k = f->level_ptr[h]; k < f->level_ptr[h + 1]; k++)
      PL_TRY(list_front(s, f->task_front[k], all));
    t->level_ptr[h + 1] = t->n;
    qsort(t->step + t->level_ptr[h], (size_t)(t->n - t->level_ptr[h]), sizeof *t->step, by_time);
  }
  return place_counts(s);
}

void steps_free(pl_env *env, steps *t) {
  if (!t) return;
  pl_free(env, t->level_ptr);
  pl_free(env, t->step);
  pl_free(env, t->progress);
  pl_free(env, t->counts);
  pl_free(env, t);
}

// ---- work ---------------------------------------------------------------------------------------

// returns 0 when it will never be so
static int await(steps *t, atomic_int *count, int n) {
  return pl_threads_await(count, n, &t->failed);
}

static void done(atomic_int *count) {
  atomic_fetch_add_explicit(count, 1, memory_order_release);
}

static int assembly_step(steps *t, const step *x, progress *g) {
  tree *s = t->s;
  const numbers *v = &s->num[x->front];
  int first, n = front_block(v, x->b, &first);
  if (x->kind == CLEAR) {
    front_clear(v, first, first + n);
    done(&g->cleared);
    return 1;
  }
  if (x->kind == PUT) {
    int from = v->entry + x->i * ENTRIES, end = v[1].entry;
    if (!await(t, &g->cleared, g->pivots)) return 0;
    front_put(s, v, from, end - from < ENTRIES ? end : from + ENTRIES);
    done(&g->put);
    return 1;
  }
  if (x->b >= g->pivots) front_clear(v, first, first + n);
  if (!await(t, &g->put, g->puts) || !await(t, &g->cleared, g->pivots)) return 0;
  front_add(s, x->front, first, first + n);
  done(&g->added[x->b]);
  return 1;
}

static int factor_step(steps *t, const step *x, progress *g, int thread) {
  tree *s = t->s;
  int b = x->b, small = s->num[x->front].small;
  atomic_int *before = small ? &g->divided[b] : &g->updated[b * g->blocks + b];
  if (!await(t, &g->added[b], 1) || !await(t, before, b)) return 0;
  if (!front_factor(s, &s->num[x->front], b, thread, &g->least)) return 0;
  if (b == g->pivots - 1) s->least[x->front] = s->definite ? g->least : 0;
  done(&g->factored);
  return 1;
}

static int claim_step(steps *t, const step *x, int thread) {
  tree *s = t->s;
  const numbers *v = &s->num[x->front];
  progress *g = &t->progress[x->front];
  int b = x->b, c = x->c, i = x->i;
  switch (x->kind) {
  case WHOLE:
    tree_factor_front(s, x->front, thread);
    return s->least[x->front] >= 0;
  case FACTOR:
    return factor_step(t, x, g, thread);
  case DIVIDE:
    if (!await(t, &g->factored, b + 1)) return 0;
    if (!await(t, v->small ? &g->divided[i] : &g->updated[b * g->blocks + i], b)) return 0;
    front_divide(s, v, b, i, thread);
    done(&g->divided[i]);
    return 1;
  case UPDATE:
    if (!await(t, &g->divided[c], b + 1) || !await(t, &g->divided[i], b + 1)) return 0;
    if (!await(t, &g->updated[c * g->blocks + i], b) || !await(t, &g->added[c], 1)) return 0;
    front_update(v, b, c, i);
    done(&g->updated[c * g->blocks + i]);
    return 1;
  case SUBTRACT:
    if (!await(t, &g->divided[c], g->pivots) || !await(t, &g->divided[i], g->pivots)) return 0;
    if (v->nchild > 0 && !await(t, &g->added[c], 1)) return 0;
    front_subtract(v, c, i);
    return 1;
  default:
    return assembly_step(t, x, g);
  }
}

static void claim_steps(void *ctx, int k, int thread) {
  steps *t = ctx;
  (void)k;
  for (int i; !t->failed && (i = atomic_fetch_add(&t->next, 1)) < t->last;)
    if (tree_stopped(t->s, thread) || !claim_step(t, &t->step[i], thread)) t->failed = 1;
}

int steps_run(tree *s) {
  steps *t = s->steps;
  t->failed = 0;
  for (size_t k = 0; k < t->ncount; k++) atomic_init(&t->counts[k], 0);
  for (int f = 0; f < s->t.nfront; f++) {
    progress *g = &t->progress[f];
    g->cleared = g->put = g->factored = 0;
    g->least = INFINITY;
  }
  for (int h = 0; h < s->t.nlevel && !t->failed; h++) {
    t->next = t->level_ptr[h];
    t->last = t->level_ptr[h + 1];
    int n = pl_threads_size(s->threads), left = t->last - t->next;
    pl_threads_run_list(s->threads, left < n ? left : n, claim_steps, t);
  }
  return !t->failed;
}
