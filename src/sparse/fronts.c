// Supernodes of a symmetric pattern, merged where that adds few zeros, and their distribution.
#include "fronts.h"

#include <stdlib.h>
#include <string.h>

enum { TASKS = 64 }; // subtrees wanted, for any number of threads

// ---- columns ------------------------------------------------------------------------------------

typedef struct column {
  int n, *row;     // later groups in the factor's column, in no order
  int size, below; // unknowns of the group and of those
  int parent;      // the first of them, -1: none
} column;

static int ascending(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

// the structure of column k is that of the matrix and of all columns whose parent it is
static pl_status fill_column(pl_env *env, const pl_csc *G, const front_tree *t, int k,
                             const int *child, const int *next, column *c, int *mark, int *list) {
  int n = 0, g = t->order[k];
  mark[k] = k;
  for (int p = G->ptr[g]; p < G->ptr[g + 1]; p++) {
    int i = t->place[G->row[p]];
    if (i > k && mark[i] != k) mark[list[n++] = i] = k;
  }
  for (int j = child[k]; j >= 0; j = next[j])
    for (int p = 0; p < c[j].n; p++) {
      int i = c[j].row[p];
      if (mark[i] != k) mark[list[n++] = i] = k;
    }
  c[k].n = n;
  c[k].parent = n ? list[0] : -1;
  for (int p = 1; p < n; p++)
    if (list[p] < c[k].parent) c[k].parent = list[p];
  c[k].row = pl_alloc(env, (size_t)n, sizeof *list);
  if (!c[k].row) return PL_E_NOMEM;
  if (n) memcpy(c[k].row, list, (size_t)n * sizeof *list);
  return PL_OK;
}

static void free_columns(pl_env *env, int n, column *c) {
  for (int k = 0; c && k < n; k++) pl_free(env, c[k].row);
  pl_free(env, c);
}

static pl_status fill_columns(pl_env *env, const pl_csc *G, const int *size, const front_tree *t,
                              column *c) {
  size_t n = (size_t)t->n;
  int *mark = pl_alloc(env, 4 * n, sizeof *mark);
  if (!mark) return PL_E_NOMEM;
  int *list = mark + n, *child = list + n, *next = child + n;
  for (int k = 0; k < t->n; k++) {
    mark[k] = child[k] = next[k] = -1;
    c[k].size = size[t->order[k]];
  }
  pl_status s = PL_OK;
  for (int k = 0; s == PL_OK && k < t->n; k++) {
    s = fill_column(env, G, t, k, child, next, c, mark, list);
    if (s != PL_OK || c[k].parent < 0) continue;
    for (int p = 0; p < c[k].n; p++) c[k].below += c[c[k].row[p]].size;
    next[k] = child[c[k].parent];
    child[c[k].parent] = k;
  }
  pl_free(env, mark);
  return s;
}

// ---- supernodes ---------------------------------------------------------------------------------

// entries of p columns over r rows below
static double entries(int p, int r) {
  return p * (0.5 * p + r);
}

// whether columns with so many entries, zeros among them, should be one front
static int worth_merging(int width, double zeros, double all) {
  return width <= 48 || (width <= 128 && zeros < 0.25 * all) ||
         (width <= 400 && zeros < 0.1 * all) || zeros < 0.03 * all;
}

// Fills start[0 .. n] with the first column of each front; a column joins the front before it when
// it is the parent of its last column and the common structure wastes little.
static int cut_fronts(int n, const column *c, int *start) {
  int count = 0, width = 0;
  double own = 0; // entries of the columns of the present front that are none of the zeros
  for (int k = 0; k < n; k++) {
    double mine = entries(c[k].size, c[k].below), all = entries(width + c[k].size, c[k].below);
    int join =
        k > 0 && c[k - 1].parent == k && worth_merging(width + c[k].size, all - own - mine, all);
    if (!join) {
      start[count++] = k;
      own = width = 0;
    }
    own += mine;
    width += c[k].size;
  }
  start[count] = n;
  return count;
}

static double front_flops(int p, int r) {
  double f = 0;
  for (int k = 0; k < p; k++) {
    double left = p - 1 - k + r;
    f += left + 2 * left * left;
  }
  return f;
}

static pl_status fill_fronts(pl_env *env, const column *c, const int *start, front_tree *t) {
  size_t nrow = 0;
  for (int f = 0; f < t->nfront; f++) nrow += (size_t)c[start[f + 1] - 1].n;
  t->front = pl_alloc(env, (size_t)t->nfront, sizeof *t->front);
  t->rows = pl_alloc(env, nrow, sizeof *t->rows);
  int *owner = pl_alloc(env, (size_t)t->n, sizeof *owner);
  if (!t->front || !t->rows || !owner) {
    pl_free(env, owner);
    return PL_E_NOMEM;
  }
  int *row = t->rows;
  for (int f = 0; f < t->nfront; f++) {
    const column *last = &c[start[f + 1] - 1];
    int p = 0;
    for (int k = start[f]; k < start[f + 1]; k++) p += c[k].size;
    if (last->n) memcpy(row, last->row, (size_t)last->n * sizeof *row);
    qsort(row, (size_t)last->n, sizeof *row, ascending);
    t->front[f] = (front){.first = start[f],
                          .npiv = start[f + 1] - start[f],
                          .nrow = last->n,
                          .p = p,
                          .r = last->below,
                          .row = row,
                          .parent = last->parent,
                          .child = -1,
                          .next = -1,
                          .task = -1,
                          .flops = front_flops(p, last->below)};
    for (int k = start[f]; k < start[f + 1]; k++) owner[k] = f;
    row += last->n;
  }
  for (int f = t->nfront - 1; f >= 0; f--) {
    front *x = &t->front[f];
    if (x->parent < 0) continue;
    x->parent = owner[x->parent];
    x->next = t->front[x->parent].child;
    t->front[x->parent].child = f;
  }
  pl_free(env, owner);
  return PL_OK;
}

// ---- tasks --------------------------------------------------------------------------------------

// Roots of disjoint subtrees, largest first: the largest one is opened until there are enough or
// its root alone makes most of it.
static int choose_roots(const front_tree *t, const double *sum, int *root) {
  int n = 0;
  for (int f = 0; f < t->nfront; f++)
    if (t->front[f].parent < 0) root[n++] = f;
  while (n < TASKS) {
    int big = -1;
    for (int k = 0; k < n; k++)
      if (t->front[root[k]].child >= 0 && (big < 0 || sum[root[k]] > sum[root[big]])) big = k;
    if (big < 0) break;
    int open = root[big];
    root[big] = root[--n];
    for (int c = t->front[open].child; c >= 0; c = t->front[c].next) root[n++] = c;
  }
  for (int i = 1; i < n; i++)
    for (int k = i; k > 0 && sum[root[k]] > sum[root[k - 1]]; k--) {
      int swap = root[k];
      root[k] = root[k - 1];
      root[k - 1] = swap;
    }
  return n;
}

// puts the fronts above the tasks in the order of their heights
static pl_status make_levels(pl_env *env, front_tree *t) {
  int first = t->task_ptr[t->ntask], n = t->nfront - first;
  int *height = pl_alloc(env, (size_t)t->nfront, sizeof *height);
  t->level_ptr = pl_alloc(env, (size_t)n + 2, sizeof *t->level_ptr);
  if (!height || !t->level_ptr) {
    pl_free(env, height);
    return PL_E_NOMEM;
  }
  int *count = t->level_ptr + 1;
  for (int k = first; k < t->nfront; k++) {
    int f = t->task_front[k], up = t->front[f].parent;
    if (up >= 0 && height[up] <= height[f]) height[up] = height[f] + 1;
    if (t->nlevel <= height[f]) t->nlevel = height[f] + 1;
    count[height[f]]++;
  }
  for (int h = 0, at = first; h <= t->nlevel; h++) {
    int here = count[h];
    count[h] = at;
    at += here;
  }
  for (int f = 0; f < t->nfront; f++)
    if (t->front[f].task < 0) t->task_front[count[height[f]]++] = f;
  t->level_ptr[0] = first;
  pl_free(env, height);
  return PL_OK;
}

static pl_status share_out(pl_env *env, front_tree *t) {
  size_t n = (size_t)t->nfront;
  double *sum = pl_alloc(env, n, sizeof *sum);
  int *root = pl_alloc(env, n + 1, sizeof *root);
  pl_status s = sum && root ? PL_OK : PL_E_NOMEM;
  for (int f = 0; s == PL_OK && f < t->nfront; f++) {
    sum[f] += t->front[f].flops;
    if (t->front[f].parent >= 0) sum[t->front[f].parent] += sum[f];
  }
  if (s == PL_OK) {
    t->ntask = choose_roots(t, sum, root);
    for (int k = 0; k < t->ntask; k++) t->front[root[k]].task = k;
    for (int f = t->nfront - 1; f >= 0; f--) {
      front *x = &t->front[f];
      if (x->task < 0 && x->parent >= 0) x->task = t->front[x->parent].task;
    }
    t->task_ptr = pl_alloc(env, (size_t)t->ntask + 2, sizeof *t->task_ptr);
    t->task_front = pl_alloc(env, n, sizeof *t->task_front);
    if (!t->task_ptr || !t->task_front) s = PL_E_NOMEM;
  }
  for (int k = 0, at = 0; s == PL_OK && k <= t->ntask; k++) {
    for (int f = 0; f < t->nfront; f++)
      if (t->front[f].task == (k < t->ntask ? k : -1)) t->task_front[at++] = f;
    t->task_ptr[k + 1] = at;
  }
  pl_free(env, sum);
  pl_free(env, root);
  return s == PL_OK ? make_levels(env, t) : s;
}

// ---- storage of updates -----------------------------------------------------------------------

// updates that wait for their parent, by place
typedef struct shelf {
  int n, *front;
} shelf;

static size_t capacity_of(const front *x) {
  return (size_t)x->r * (size_t)x->r;
}

// the first gap from `base` on that holds x, which is then on the shelf; returns its end
static size_t put_on(shelf *s, front_tree *t, int f, size_t base) {
  front *x = &t->front[f];
  size_t at = base;
  int k = 0;
  for (; k < s->n && t->front[s->front[k]].at - at < capacity_of(x); k++)
    at = t->front[s->front[k]].at + capacity_of(&t->front[s->front[k]]);
  for (int i = s->n++; i > k; i--) s->front[i] = s->front[i - 1];
  s->front[k] = f;
  x->at = at;
  return at + capacity_of(x);
}

static void remove_children(shelf *s, const front_tree *t, int parent) {
  int n = 0;
  for (int k = 0; k < s->n; k++)
    if (t->front[s->front[k]].parent != parent) s->front[n++] = s->front[k];
  s->n = n;
}

// fronts first .. last - 1 of task_front, all of which are there at the same time
static void put_together(shelf *s, front_tree *t, int first, int last, size_t base) {
  for (int k = first; k < last; k++) {
    size_t end = put_on(s, t, t->task_front[k], base);
    t->buffer = end > t->buffer ? end : t->buffer;
  }
  for (int k = first; k < last; k++) remove_children(s, t, t->task_front[k]);
}

// tasks run at the same time, so that each has its own part; fronts above use what is free again
static pl_status place_updates(pl_env *env, front_tree *t) {
  shelf s = {.front = pl_alloc(env, (size_t)t->nfront, sizeof(int))};
  if (!s.front) return PL_E_NOMEM;
  for (int task = 0; task < t->ntask; task++) {
    size_t base = t->buffer;
    s.n = 0;
    for (int k = t->task_ptr[task]; k < t->task_ptr[task + 1]; k++)
      put_together(&s, t, k, k + 1, base);
  }
  s.n = 0;
  for (int task = 0; task < t->ntask; task++)
    s.front[s.n++] = t->task_front[t->task_ptr[task + 1] - 1];
  for (int h = 0; h < t->nlevel; h++) put_together(&s, t, t->level_ptr[h], t->level_ptr[h + 1], 0);
  pl_free(env, s.front);
  return PL_OK;
}

// ---- whole --------------------------------------------------------------------------------------

pl_status front_tree_create(pl_env *env, const pl_csc *G, const int *order, const int *size,
                            front_tree *t) {
  size_t n = (size_t)G->n;
  *t = (front_tree){.n = G->n};
  t->order = pl_alloc(env, n, sizeof *t->order);
  t->place = pl_alloc(env, n, sizeof *t->place);
  int *start = pl_alloc(env, n + 1, sizeof *start);
  column *c = pl_alloc(env, n, sizeof *c);
  pl_status s = t->order && t->place && start && c ? PL_OK : PL_E_NOMEM;
  for (int k = 0; s == PL_OK && k < G->n; k++) {
    t->order[k] = order[k];
    t->place[order[k]] = k;
  }
  if (s == PL_OK) s = fill_columns(env, G, size, t, c);
  if (s == PL_OK) {
    t->nfront = cut_fronts(G->n, c, start);
    s = fill_fronts(env, c, start, t);
  }
  if (s == PL_OK) s = share_out(env, t);
  if (s == PL_OK) s = place_updates(env, t);
  free_columns(env, G->n, c);
  pl_free(env, start);
  if (s != PL_OK) front_tree_free(env, t);
  return s;
}

// the members of each group take its place
static void split_fronts(front_tree *t, const int *count, const int *place, int *rows) {
  for (int f = 0; f < t->nfront; f++) {
    front *x = &t->front[f];
    const int *from = x->row;
    int n = x->nrow, last = x->first + x->npiv;
    x->npiv = place[last] - place[x->first];
    x->first = place[x->first];
    x->row = rows;
    for (int k = 0; k < n; k++)
      for (int c = 0; c < count[t->order[from[k]]]; c++) *rows++ = place[from[k]] + c;
    x->nrow = (int)(rows - x->row);
  }
}

pl_status front_tree_split(pl_env *env, front_tree *t, const int *count) {
  size_t nrow = 0;
  int n = 0, *name = pl_alloc(env, 2 * (size_t)t->n + 1, sizeof *name);
  if (!name) return PL_E_NOMEM;
  int *place = name + t->n; // [n + 1] of the first member of the group eliminated k-th
  for (int g = 0; g < t->n; g++) {
    name[g] = n;
    n += count[g];
  }
  for (int k = 0; k < t->n; k++) place[k + 1] = place[k] + count[t->order[k]];
  for (int f = 0; f < t->nfront; f++)
    for (int k = 0; k < t->front[f].nrow; k++) nrow += (size_t)count[t->order[t->front[f].row[k]]];
  int *rows = pl_alloc(env, nrow, sizeof *rows);
  int *order = pl_alloc(env, (size_t)n, sizeof *order);
  int *places = pl_alloc(env, (size_t)n, sizeof *places);
  if (!rows || !order || !places) {
    pl_free(env, name);
    pl_free(env, rows);
    pl_free(env, order);
    pl_free(env, places);
    return PL_E_NOMEM;
  }
  split_fronts(t, count, place, rows);
  for (int k = 0; k < t->n; k++)
    for (int c = 0; c < count[t->order[k]]; c++)
      places[order[place[k] + c] = name[t->order[k]] + c] = place[k] + c;
  pl_free(env, name);
  pl_free(env, t->rows);
  pl_free(env, t->order);
  pl_free(env, t->place);
  t->n = n;
  t->rows = rows;
  t->order = order;
  t->place = places;
  return PL_OK;
}

void front_tree_free(pl_env *env, front_tree *t) {
  pl_free(env, t->order);
  pl_free(env, t->place);
  pl_free(env, t->front);
  pl_free(env, t->rows);
  pl_free(env, t->task_ptr);
  pl_free(env, t->task_front);
  pl_free(env, t->level_ptr);
  *t = (front_tree){0};
}
