// The part of A^-1 between chosen unknowns, from the fronts that these are in and those above.
//
// Columns of unit vectors pass through the factor from the leaves to the root, each through its own
// fronts alone: L Y = E, and the part wanted is Y' S Y. Below a front with r rows all columns are
// combinations of r: where more come, unit vectors for the rows go on in their place, and on the
// way down they are put together again.
#include "lapack.h"
#include "tree.h"

#include <string.h>

static const double one = 1, zero = 0, minus = -1;
static const double FEWER = 0.7; // of the columns that come: so few rows go on in their place

// A front that chosen unknowns are in, or below.
typedef struct branch {
  int front, parent; // parent: a branch, -1: none
  int height;        // above the lowest branches
  int k, own;        // columns that come: those of its children one after another, then its own
  int column;        // the first of those that it sends to its parent
  int reduced;       // 1: unit vectors for its rows go on, 0: its columns
  int first, count;  // chosen unknowns below and in it; their own come last
  double *X;         // [k][m] columns, in the rows of the front
  double *V;         // [k][k] columns' A^-1 columns
  double *E;         // [k][count] chosen unknowns in the columns that come; NULL: they are these
  double *U;         // [out][count] in those that go; NULL: likewise
} branch;

typedef struct part_inverse {
  tree *s;
  int n; // chosen unknowns
  int nbranch;
  branch *b;   // children before parents
  int *of;     // [nfront] branch of a front, -1: none
  int *chosen; // [n] place of each in the elimination, in the order of the branches,
  int *who;    // [n] and which it is
  int *list;   // [nbranch] by height
  double *B;   // [n][n] in the order of the branches
  double *block;
  double *scratch;
  size_t size; // of a thread's part of it
  int first;   // of the branches under way, in list
} part_inverse;

static int out_of(const part_inverse *a, const branch *b) {
  return b->reduced ? a->s->num[b->front].r : b->k;
}

// ---- which fronts -------------------------------------------------------------------------------

// branches of the fronts with chosen unknowns, count[nfront] of them, and of those above
static void list_branches(part_inverse *a, const int *count) {
  const front_tree *t = &a->s->t;
  for (int f = 0; f < t->nfront; f++) a->of[f] = -1;
  for (int f = 0; f < t->nfront; f++) {
    int wanted = count[f] > 0;
    for (int c = t->front[f].child; c >= 0; c = t->front[c].next) wanted |= a->of[c] >= 0;
    if (!wanted) continue;
    a->of[f] = a->nbranch;
    branch *b = &a->b[a->nbranch++];
    *b = (branch){.front = f, .parent = -1, .own = count[f], .count = count[f]};
    for (int c = t->front[f].child; c >= 0; c = t->front[c].next) {
      if (a->of[c] < 0) continue;
      branch *child = &a->b[a->of[c]];
      child->parent = a->of[f];
      child->column = b->k;
      b->k += out_of(a, child);
      b->count += child->count;
      if (b->height <= child->height) b->height = child->height + 1;
    }
    b->k += b->own;
    // nothing goes on from a root
    b->reduced = t->front[f].parent >= 0 && a->s->num[f].r < FEWER * b->k;
  }
}

// first of each: children one after another, then their own
static void place_branches(part_inverse *a) {
  const front_tree *t = &a->s->t;
  int at = 0;
  for (int i = a->nbranch - 1; i >= 0; i--) {
    branch *b = &a->b[i];
    if (b->parent < 0) {
      b->first = at;
      at += b->count;
    }
    int next = b->first;
    for (int c = t->front[b->front].child; c >= 0; c = t->front[c].next) {
      if (a->of[c] < 0) continue;
      a->b[a->of[c]].first = next;
      next += a->b[a->of[c]].count;
    }
  }
}

// Branches in the order of their heights.
static void sort_branches(part_inverse *a) {
  int n = 0;
  for (int h = 0; n < a->nbranch; h++)
    for (int i = 0; i < a->nbranch; i++)
      if (a->b[i].height == h) a->list[n++] = i;
}

// chosen unknowns in the order of the branches; used[nfront] counts them again
static void place_chosen(part_inverse *a, const int *index, const int *place, const int *owner,
                         int *used) {
  memset(used, 0, (size_t)a->s->t.nfront * sizeof *used);
  for (int i = 0; i < a->n; i++) {
    int at = place[index[i]], f = owner[at];
    const branch *b = &a->b[a->of[f]];
    int to = b->first + b->count - b->own + used[f]++;
    a->chosen[to] = at;
    a->who[to] = i;
  }
}

static pl_status find_branches(part_inverse *a, const int *index) {
  const tree *s = a->s;
  size_t n = (size_t)s->n, nf = (size_t)s->t.nfront;
  int *place = pl_alloc(s->env, 2 * n + 2 * nf, sizeof *place);
  a->b = pl_alloc(s->env, nf, sizeof *a->b);
  a->of = pl_alloc(s->env, 2 * nf, sizeof *a->of);
  a->chosen = pl_alloc(s->env, 2 * (size_t)a->n, sizeof *a->chosen);
  pl_status status = place && a->b && a->of && a->chosen ? PL_OK : PL_E_NOMEM;
  if (status == PL_OK) {
    int *owner = place + n, *count = owner + n, *used = count + nf;
    a->list = a->of + nf;
    a->who = a->chosen + a->n;
    for (int k = 0; k < s->n; k++) place[s->perm[k]] = k;
    for (int k = 0; k < s->t.nfront; k++)
      for (int i = 0; i < s->num[k].p; i++) owner[s->num[k].first + i] = k;
    for (int i = 0; i < a->n; i++) count[owner[place[index[i]]]]++;
    list_branches(a, count);
    place_branches(a);
    sort_branches(a);
    place_chosen(a, index, place, owner, used);
  }
  pl_free(s->env, place);
  return status;
}

// ---- storage ------------------------------------------------------------------------------------

// 1: some child's unknowns are no longer its columns
static int is_mixed(const part_inverse *a, const branch *b) {
  const front_tree *t = &a->s->t;
  for (int c = t->front[b->front].child; c >= 0; c = t->front[c].next)
    if (a->of[c] >= 0 && a->b[a->of[c]].U) return 1;
  return 0;
}

// the only branch below, of which b has all its columns; NULL: there are more, or some of its own
static const branch *only_child(const part_inverse *a, const branch *b) {
  const front_tree *t = &a->s->t;
  const branch *only = NULL;
  if (b->own > 0) return NULL;
  for (int c = t->front[b->front].child; c >= 0; c = t->front[c].next) {
    if (a->of[c] < 0) continue;
    if (only) return NULL;
    only = &a->b[a->of[c]];
  }
  return only;
}

// Pointers from `at` on, or with NULL how many numbers there are.
static size_t lay_out(part_inverse *a, double *at) {
  static double somewhere;
  size_t total = 0;
  a->size = 0;
  for (int i = 0; i < a->nbranch; i++) {
    branch *b = &a->b[i];
    const numbers *v = &a->s->num[b->front];
    size_t k = (size_t)b->k, count = (size_t)b->count, r = (size_t)v->r, m = (size_t)v->p + r;
    const branch *only = only_child(a, b);
    int mixed = is_mixed(a, b);
    b->X = at ? at + total : NULL;
    total += m * k;
    b->V = at ? at + total : NULL;
    total += k * k;
    b->E = only ? only->U : !mixed ? NULL : at ? at + total : &somewhere;
    total += mixed && !only ? count * k : 0;
    b->U = !b->reduced ? b->E : at ? at + total : &somewhere;
    total += b->reduced ? count * r : 0;
    if (m * k > a->size) a->size = m * k;
    if (count * k > a->size) a->size = count * k;
  }
  return total;
}

static pl_status reserve(part_inverse *a) {
  size_t n = (size_t)a->n, threads = (size_t)a->s->nthread, total = lay_out(a, NULL);
  a->block = pl_alloc(a->s->env, total + threads * a->size + n * n, sizeof *a->block);
  if (!a->block) return PL_E_NOMEM;
  lay_out(a, a->block);
  a->scratch = a->block + total;
  a->B = a->scratch + threads * a->size;
  return PL_OK;
}

// ---- up -----------------------------------------------------------------------------------------

// columns of a child in the rows of its parent
static void receive(const part_inverse *a, const branch *c, branch *b) {
  const numbers *u = &a->s->num[c->front], *v = &a->s->num[b->front];
  size_t m = (size_t)(v->p + v->r), mc = (size_t)(u->p + u->r);
  for (const run *y = u->run; y < u->run + u->nrun; y++)
    for (int j = 0; j < (c->reduced ? y->n : c->k); j++) {
      if (c->reduced)
        b->X[(size_t)(c->column + y->from + j) * m + (size_t)(y->to + j)] = 1;
      else
        memcpy(b->X + (size_t)(c->column + j) * m + y->to, c->X + (size_t)j * mc + u->p + y->from,
               (size_t)y->n * sizeof *b->X);
    }
}

// X = L^-1 X in the rows of the pivots, less what these take in the rows below
static void eliminate(const numbers *v, int k, double *X, double *scratch) {
  int m = v->p + v->r;
  for (int at = 0; at < v->p; at += TREE_PANEL) {
    int nb = v->p - at < TREE_PANEL ? v->p - at : TREE_PANEL, rows = m - at - nb;
    const double *L = v->L + (size_t)at * (size_t)(m + 1);
    if (v->sign[at + nb - 1] > 0) {
      dtrsm_("L", "L", "N", "N", &nb, &k, &one, L, &m, X + at, &m, 1, 1, 1, 1);
    } else {
      dgemm_("N", "N", &nb, &k, &nb, &one, L, &m, X + at, &m, &zero, scratch, &nb, 1, 1);
      for (int j = 0; j < k; j++)
        memcpy(X + (size_t)j * (size_t)m + at, scratch + (size_t)j * (size_t)nb,
               (size_t)nb * sizeof *X);
    }
    if (rows > 0)
      dgemm_("N", "N", &rows, &k, &nb, &minus, L + nb, &m, X + at, &m, &one, X + at + nb, &m, 1, 1);
  }
}

// E of a branch with several below, some of which send other columns than their own
static void put_together(const part_inverse *a, branch *b) {
  const front_tree *t = &a->s->t;
  size_t n = (size_t)b->count;
  for (int c = t->front[b->front].child; c >= 0; c = t->front[c].next) {
    if (a->of[c] < 0) continue;
    const branch *child = &a->b[a->of[c]];
    int at = child->first - b->first, out = out_of(a, child);
    for (int j = 0; j < out; j++) {
      double *to = b->E + (size_t)(child->column + j) * n + at;
      if (child->U)
        memcpy(to, child->U + (size_t)j * (size_t)child->count, (size_t)child->count * sizeof *to);
      else
        to[j] = 1;
    }
  }
  for (int j = 0; j < b->own; j++)
    b->E[(size_t)(b->k - b->own + j) * n + (size_t)(b->count - b->own + j)] = 1;
}

static void go_up(void *ctx, int i, int thread) {
  part_inverse *a = ctx;
  branch *b = &a->b[a->list[a->first + i]];
  const numbers *v = &a->s->num[b->front];
  const front_tree *t = &a->s->t;
  int m = v->p + v->r, own = b->first + b->count - b->own;
  for (int c = t->front[b->front].child; c >= 0; c = t->front[c].next)
    if (a->of[c] >= 0) receive(a, &a->b[a->of[c]], b);
  for (int j = 0; j < b->own; j++)
    b->X[(size_t)(b->k - b->own + j) * (size_t)m + (size_t)(a->chosen[own + j] - v->first)] = 1;
  eliminate(v, b->k, b->X, a->scratch + (size_t)thread * a->size);
  if (b->E && !only_child(a, b)) put_together(a, b);
  if (!b->reduced) return;
  // U = E Z' with the rows Z of what goes on
  if (b->E) {
    dgemm_("N", "T", &b->count, &v->r, &b->k, &one, b->E, &b->count, b->X + v->p, &m, &zero, b->U,
           &b->count, 1, 1);
    return;
  }
  for (int j = 0; j < v->r; j++)
    for (int k = 0; k < b->k; k++)
      b->U[(size_t)j * (size_t)b->k + (size_t)k] = b->X[(size_t)k * (size_t)m + (size_t)(v->p + j)];
}

// ---- down ---------------------------------------------------------------------------------------

static void mirror(int n, double *V) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < j; i++)
      V[(size_t)j * (size_t)n + (size_t)i] = V[(size_t)i * (size_t)n + (size_t)j];
}

// V = Y'SY of the pivots, and what the parent knows of the columns that went on
static void find_products(const part_inverse *a, branch *b, double *scratch) {
  const numbers *v = &a->s->num[b->front];
  int m = v->p + v->r, k = b->k, definite = 1;
  for (int i = 0; i < v->p; i++) definite &= v->sign[i] > 0;
  if (definite) {
    dsyrk_("L", "T", &k, &v->p, &one, b->X, &m, &zero, b->V, &k, 1, 1);
  } else {
    for (int j = 0; j < k; j++)
      for (int i = 0; i < v->p; i++)
        scratch[(size_t)j * (size_t)v->p + (size_t)i] =
            v->sign[i] * b->X[(size_t)j * (size_t)m + (size_t)i];
    dgemm_("T", "N", &k, &k, &v->p, &one, scratch, &v->p, b->X, &m, &zero, b->V, &k, 1, 1);
  }
  if (b->parent >= 0) {
    const branch *up = &a->b[b->parent];
    const double *of = up->V + (size_t)b->column * (size_t)(up->k + 1);
    if (b->reduced) {
      dgemm_("N", "N", &v->r, &k, &v->r, &one, of, &up->k, b->X + v->p, &m, &zero, scratch, &v->r,
             1, 1);
      dgemm_("T", "N", &k, &k, &v->r, &one, b->X + v->p, &m, scratch, &v->r, &one, b->V, &k, 1, 1);
    } else {
      for (int j = 0; j < k; j++)
        for (int i = j; i < k; i++)
          b->V[(size_t)j * (size_t)k + (size_t)i] += of[(size_t)j * (size_t)up->k + (size_t)i];
    }
  }
  mirror(k, b->V);
}

// columns of a branch that come from one below or are its own, and the unknowns in them
typedef struct portion {
  int column, k, first, count;
  const double *U; // [k][count], NULL: the unknowns are the columns
} portion;

// their block of A^-1 below the diagonal: rows of x, columns of y
static void put_block(const part_inverse *a, const branch *b, const portion *x, const portion *y,
                      double *scratch) {
  const double *V = b->V + (size_t)y->column * (size_t)b->k + x->column;
  double *to = a->B + (size_t)y->first * (size_t)a->n + x->first;
  int ld = b->k;
  if (x->U && y->U) {
    dgemm_("N", "N", &x->count, &y->k, &x->k, &one, x->U, &x->count, V, &ld, &zero, scratch,
           &x->count, 1, 1);
    dgemm_("N", "T", &x->count, &y->count, &y->k, &one, scratch, &x->count, y->U, &y->count, &zero,
           to, &a->n, 1, 1);
  } else if (x->U) {
    dgemm_("N", "N", &x->count, &y->k, &x->k, &one, x->U, &x->count, V, &ld, &zero, to, &a->n, 1,
           1);
  } else if (y->U) {
    dgemm_("N", "T", &x->count, &y->count, &y->k, &one, V, &ld, y->U, &y->count, &zero, to, &a->n,
           1, 1);
  } else {
    for (int j = 0; j < y->k; j++)
      memcpy(to + (size_t)j * (size_t)a->n, V + (size_t)j * (size_t)ld, (size_t)x->k * sizeof *to);
  }
}

static void go_down(void *ctx, int i, int thread) {
  const part_inverse *a = ctx;
  branch *b = &a->b[a->list[a->first + i]];
  const front_tree *t = &a->s->t;
  double *scratch = a->scratch + (size_t)thread * a->size;
  find_products(a, b, scratch);
  portion own = {b->k - b->own, b->own, b->first + b->count - b->own, b->own, NULL};
  if (own.k > 0) put_block(a, b, &own, &own, scratch);
  for (int c = t->front[b->front].child; c >= 0; c = t->front[c].next) {
    if (a->of[c] < 0) continue;
    const branch *u = &a->b[a->of[c]];
    portion y = {u->column, out_of(a, u), u->first, u->count, u->U};
    if (own.k > 0) put_block(a, b, &own, &y, scratch);
    for (int d = t->front[c].next; d >= 0; d = t->front[d].next) {
      if (a->of[d] < 0) continue;
      const branch *w = &a->b[a->of[d]];
      portion x = {w->column, out_of(a, w), w->first, w->count, w->U};
      put_block(a, b, &x, &y, scratch);
    }
  }
}

// ---- whole --------------------------------------------------------------------------------------

// all branches, those of one height at the same time
static void sweep_heights(part_inverse *a, int down) {
  int last = a->nbranch, first = 0;
  for (int done = 0; done < a->nbranch; done += last - first) {
    if (down) {
      last = a->nbranch - done;
      for (first = last - 1; first > 0;) {
        if (a->b[a->list[first - 1]].height != a->b[a->list[last - 1]].height) break;
        first--;
      }
    } else {
      first = done;
      for (last = first + 1; last < a->nbranch; last++)
        if (a->b[a->list[last]].height != a->b[a->list[first]].height) break;
    }
    a->first = first;
    pl_threads_run(a->s->solving, last - first, down ? go_down : go_up, a);
  }
}

pl_status tree_inverse(pl_factor *f, int n, const int *index, double *out) {
  tree *s = f->state;
  part_inverse a = {.s = s, .n = n};
  pl_status status = find_branches(&a, index);
  if (status == PL_OK) status = reserve(&a);
  if (status == PL_OK) {
    sweep_heights(&a, 0);
    sweep_heights(&a, 1);
    // what lies below the diagonal in the order of the branches
    for (int j = 0; j < n; j++)
      for (int i = j; i < n; i++) {
        double x = a.B[(size_t)j * (size_t)n + (size_t)i];
        if (s->scale) x *= s->scale[a.chosen[i]] * s->scale[a.chosen[j]];
        out[(size_t)a.who[i] * (size_t)n + (size_t)a.who[j]] = x;
        out[(size_t)a.who[j] * (size_t)n + (size_t)a.who[i]] = x;
      }
  }
  void *all[] = {a.b, a.of, a.chosen, a.block};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(s->env, all[k]);
  return status;
}
