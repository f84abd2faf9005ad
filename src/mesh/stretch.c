// Groups of cells stretched along an axis: x -> x + (factor - 1) l(x), where l(x) is how much of
// the group lies below x.
#include "mesh_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct interval {
  double lo, hi;
} interval;

static int compare_interval(const void *a, const void *b) {
  const interval *p = a, *q = b;
  return p->lo < q->lo ? -1 : p->lo > q->lo;
}

// sorts them and joins those that overlap; returns how many are left
static int join(int n, interval *v) {
  int kept = 0;
  qsort(v, (size_t)n, sizeof *v, compare_interval);
  for (int i = 0; i < n; i++)
    if (kept > 0 && v[i].lo <= v[kept - 1].hi)
      v[kept - 1].hi = fmax(v[kept - 1].hi, v[i].hi);
    else
      v[kept++] = v[i];
  return kept;
}

static interval extent(const pl_mesh *m, int axis, int n, const int *vertex) {
  interval e = {INFINITY, -INFINITY};
  for (int i = 0; i < n; i++) {
    double x = m->X[3 * vertex[i] + axis];
    e.lo = fmin(e.lo, x);
    e.hi = fmax(e.hi, x);
  }
  return e;
}

// where cells of the group are, or, of a group of vertices alone, from its first to its last
static pl_status find_intervals(const pl_mesh *m, const char *group, int axis, int *n,
                                interval **out) {
  int count = 1, vertices = -1;
  *n = 0;
  for (int k = 0; k < m->nset; k++)
    if (strcmp(m->set[k].name, group) == 0) count += m->set[k].n;
  interval *v = pl_alloc(m->env, (size_t)count, sizeof *v);
  if (!v) return PL_E_NOMEM;
  for (int k = 0; k < m->nset; k++) {
    const pl_set *s = &m->set[k];
    if (strcmp(s->name, group) != 0 || s->n == 0) continue;
    if (s->type < 0) vertices = k;
    for (int i = 0; s->type >= 0 && i < s->n; i++) {
      int each = pl_cell_nvert[s->type];
      v[(*n)++] = extent(m, axis, each, m->cell[s->type].v + (size_t)s->index[i] * (size_t)each);
    }
  }
  if (*n == 0 && vertices >= 0)
    v[(*n)++] = extent(m, axis, m->set[vertices].n, m->set[vertices].index);
  *n = join(*n, v);
  *out = v;
  return PL_OK;
}

pl_status pl_mesh_stretch(pl_mesh *m, const char *group, int axis, double factor, int high,
                          double *length) {
  interval *v = NULL;
  int n;
  *length = 0;
  PL_TRY(find_intervals(m, group, axis, &n, &v));
  for (int k = 0; k < n; k++) *length += v[k].hi - v[k].lo;
  double shift = high ? -(factor - 1) * *length : 0;
  for (int i = 0; i<m->nvert && * length> 0; i++) {
    double *x = &m->X[3 * i + axis], below = 0;
    for (int k = 0; k < n && v[k].lo < *x; k++) below += fmin(*x, v[k].hi) - v[k].lo;
    *x += (factor - 1) * below + shift;
  }
  pl_free(m->env, v);
  return PL_OK;
}
