// Solves with the factor of a front, whole or in parts that threads can share. All sums have one
// order, for any number of threads and of right-hand sides.
#include "tree.h"

#include <string.h>

static int min(int a, int b) {
  return a < b ? a : b;
}

static double scale_of(const tree *s, int place) {
  return s->scale ? s->scale[place] : 1;
}

// ---- between the right-hand side and a front ----------------------------------------------------

static void gather(const tree *s, int f) {
  const numbers *v = &s->num[f];
  size_t p = (size_t)v->p, m = p + (size_t)v->r, n = (size_t)s->n;
  for (int k = 0; k < s->nrhs; k++) {
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
}

static void keep(const tree *s, int f) {
  const numbers *v = &s->num[f];
  size_t p = (size_t)v->p, m = p + (size_t)v->r, n = (size_t)s->n;
  for (int k = 0; k < s->nrhs; k++)
    memcpy(s->x + (size_t)k * n + v->first, v->vec + (size_t)k * m, p * sizeof *v->vec);
}

static void fetch(const tree *s, int f) {
  const numbers *v = &s->num[f];
  size_t m = (size_t)v->p + (size_t)v->r, n = (size_t)s->n;
  for (int k = 0; k < s->nrhs; k++) {
    double *x = v->vec + (size_t)k * m;
    const double *from = s->x + (size_t)k * n;
    for (int i = 0; i < v->p; i++) x[i] = v->sign[i] * from[v->first + i];
    for (int i = 0; i < v->r; i++) x[v->p + i] = from[v->row[i]];
  }
}

static void scatter(const tree *s, int f) {
  const numbers *v = &s->num[f];
  size_t m = (size_t)v->p + (size_t)v->r, n = (size_t)s->n;
  keep(s, f);
  for (int k = 0; k < s->nrhs; k++) {
    const double *x = v->vec + (size_t)k * m;
    double *to = s->solution + (size_t)k * n;
    for (int i = 0; i < v->p; i++) to[s->perm[v->first + i]] = scale_of(s, v->first + i) * x[i];
  }
}

// ---- panels -------------------------------------------------------------------------------------

// pivots of each panel: those of small fronts are all in one
static int panel_width(const numbers *v) {
  return v->small ? v->p : TREE_PANEL;
}

// a panel of a front: its square, over the rows below
typedef struct panel {
  const double *L;
  double *x; // right-hand sides at its pivots
  int m, nb, rows, definite;
} panel;

static panel panel_at(const numbers *v, int k) {
  int m = v->p + v->r, at = k * panel_width(v), nb = min(panel_width(v), v->p - at);
  return (panel){.L = v->L + (size_t)at * (size_t)(m + 1),
                 .x = v->vec + at,
                 .m = m,
                 .nb = nb,
                 .rows = m - at - nb,
                 .definite = v->sign[at + nb - 1] > 0};
}

static int panels(const numbers *v) {
  return (v->p + panel_width(v) - 1) / panel_width(v);
}

// rows below a panel that one thread takes on the way up, or its columns on the way down
static int part_size(const numbers *v, int down) {
  int many = v->p + v->r >= TREE_MANY;
  return down ? (many ? 8 : 32) : (many ? TREE_TILE / 2 : TREE_TILE);
}

static int panel_parts(const numbers *v, int k, int down) {
  panel a = panel_at(v, k);
  int n = !down ? a.rows : a.rows > 0 ? a.nb : 0, size = part_size(v, down);
  return (n + size - 1) / size;
}

// the square holds the inverse of its triangle
static void multiply_square(const panel *a, int transposed, int nrhs) {
  double y[TREE_RHS][TREE_PANEL] = {{0}};
  for (int k = 0; k < nrhs; k++) {
    double *x = a->x + (size_t)k * (size_t)a->m;
    (transposed ? sweep_dots : sweep_subtract)(a->L, a->m, a->nb, a->nb, x, y[k], TREE_PANEL, 1);
    for (int i = 0; i < a->nb; i++) x[i] = -y[k][i];
  }
}

static void divide(const panel *a, int down, int nrhs) {
  if (!a->definite)
    multiply_square(a, down, nrhs);
  else
    (down ? sweep_upper : sweep_lower)(a->L, a->m, a->nb, a->x, a->m, nrhs);
}

// from row or, on the way down, column `at` on
static void subtract(const panel *a, int at, int n, int down, int nrhs) {
  if (down)
    sweep_dots(a->L + (size_t)at * (size_t)a->m + a->nb, a->m, a->rows, n, a->x + a->nb, a->x + at,
               a->m, nrhs);
  else
    sweep_subtract(a->L + a->nb + at, a->m, n, a->nb, a->x, a->x + a->nb + at, a->m, nrhs);
}

static void subtract_part(const numbers *v, const panel *a, int i, int down, int nrhs) {
  int size = part_size(v, down), at = i * size;
  subtract(a, at, min(size, (down ? a->nb : a->rows) - at), down, nrhs);
}

// ---- stages -------------------------------------------------------------------------------------

// What comes before the panels, then panel after panel, on the way up each divided and then what it
// takes from the rows below, on the way down in the reverse order; and what comes after.
static int stages(const void *ctx, int f, int down) {
  const numbers *v = &((const tree *)ctx)->num[f];
  (void)down;
  return (double)v->p * (v->p + v->r) < TREE_LONG ? 0 : 2 * panels(v) + 2;
}

// the panel of a stage between the first and the last, and whether it is divided there
static int panel_of(const numbers *v, int down, int stage, int *divided) {
  int k = (stage - 1) / 2;
  *divided = stage % 2 == !down;
  return down ? panels(v) - 1 - k : k;
}

static int parts(const void *ctx, int f, int down, int stage) {
  const numbers *v = &((const tree *)ctx)->num[f];
  int divided, k = panel_of(v, down, stage, &divided);
  return stage == 0 || stage == 2 * panels(v) + 1 || divided ? 1 : panel_parts(v, k, down);
}

static void part(void *ctx, int f, int down, int stage, int i, int thread) {
  const tree *s = ctx;
  const numbers *v = &s->num[f];
  int divided, k = panel_of(v, down, stage, &divided);
  (void)thread;
  if (stage == 0) {
    (down ? fetch : gather)(s, f);
  } else if (stage == 2 * panels(v) + 1) {
    (down ? scatter : keep)(s, f);
  } else {
    panel a = panel_at(v, k);
    if (divided)
      divide(&a, down, s->nrhs);
    else
      subtract_part(v, &a, i, down, s->nrhs);
  }
}

// all stages with all parts: the same sums
static void whole(void *ctx, int f, int down, int thread) {
  const tree *s = ctx;
  const numbers *v = &s->num[f];
  int n = panels(v);
  (void)thread;
  (down ? fetch : gather)(s, f);
  for (int k = 0; k < n; k++) {
    panel a = panel_at(v, down ? n - 1 - k : k);
    if (!down) divide(&a, 0, s->nrhs);
    if (a.rows > 0) subtract(&a, 0, down ? a.nb : a.rows, down, s->nrhs);
    if (down) divide(&a, 1, s->nrhs);
  }
  (down ? scatter : keep)(s, f);
}

const sweep_fns tree_sweep_fns = {stages, parts, part, whole};
