#include "patch_impl.h"

#include <stdlib.h>

// Pairs of elements that are near each other, by a grid as wide as the largest distance.

typedef struct place {
  int cell[3], body;
} place;

static int compare_cells(const int *a, const int *b) {
  for (int k = 0; k < 3; k++)
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  return 0;
}

static int by_cell(const void *a, const void *b) {
  const place *p = a, *q = b;
  int c = compare_cells(p->cell, q->cell);
  return c ? c : p->body - q->body;
}

static int by_pair(const void *a, const void *b) {
  const int *p = a, *q = b;
  return p[0] != q[0] ? (p[0] < q[0] ? -1 : 1) : (p[1] > q[1]) - (p[1] < q[1]);
}

// the first place whose cell is not before this one
static int lower(const place *p, int n, const int cell[3]) {
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (compare_cells(p[mid].cell, cell) < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

typedef struct near_search {
  pl_env *env;
  const pl_pose *at;
  const double *radius;
  const char *held;
  double far;
  near_pairs *out;
} near_search;

static pl_status meet(const near_search *s, int a, int b) {
  double w[3];
  if (s->held[a] && s->held[b]) return PL_OK;
  pl_sub3(s->at[a].x, s->at[b].x, w);
  if (!(pl_norm3(w) < s->radius[a] + s->radius[b] + s->far)) return PL_OK;
  near_pairs *out = s->out;
  PL_TRY(pl_grow(s->env, &out->pair, out->n, &out->cap, sizeof *out->pair));
  int *p = out->pair[out->n++];
  p[0] = a < b ? a : b;
  p[1] = a < b ? b : a;
  return PL_OK;
}

// a place with those of its row of cells and of the rows after it
static pl_status look_around(const near_search *s, const place *p, int n, int k) {
  for (int dx = 0; dx <= 1; dx++)
    for (int dy = dx ? -1 : 0; dy <= 1; dy++) {
      int here = dx == 0 && dy == 0;
      int from[3] = {p[k].cell[0] + dx, p[k].cell[1] + dy, p[k].cell[2] - 1};
      int to[3] = {from[0], from[1], p[k].cell[2] + 1};
      for (int m = here ? k + 1 : lower(p, n, from); m < n && compare_cells(p[m].cell, to) <= 0;
           m++)
        PL_TRY(meet(s, p[k].body, p[m].body));
    }
  return PL_OK;
}

pl_status near_find(pl_env *env, int n, const pl_pose *at, const double *radius, const char *held,
                    double far, near_pairs *out) {
  near_search s = {env, at, radius, held, far, out};
  place *p = pl_alloc(env, (size_t)n, sizeof *p);
  double wide = 0;
  if (!p) return PL_E_NOMEM;
  for (int i = 0; i < n; i++) wide = fmax(wide, 2 * radius[i] + far);
  for (int i = 0; i < n; i++) {
    p[i].body = i;
    for (int k = 0; k < 3; k++) p[i].cell[k] = pl_floor_int(at[i].x[k] / wide);
  }
  qsort(p, (size_t)n, sizeof *p, by_cell);
  out->n = 0;
  pl_status st = PL_OK;
  for (int k = 0; st == PL_OK && k < n; k++) st = look_around(&s, p, n, k);
  pl_free(env, p);
  if (st == PL_OK && out->n > 1) qsort(out->pair, (size_t)out->n, sizeof *out->pair, by_pair);
  return st;
}
