// y = A x of a symmetric matrix on threads. Columns come in parts, each with a vector of its own
// for the rows that it reaches; these are added in one order, for any number of threads.
#include "sparse_impl.h"

#include <string.h>

// entries of a part, the most parts, and rows that they reach over those that there are
#ifdef PL_SHARE_ALL
enum { PART = 100, PARTS = 8, RANGE = 100 };
#else
enum { PART = 8000, PARTS = 64, RANGE = 4 };
#endif

typedef struct part {
  int first, last; // columns first .. last - 1
  int end;         // rows first .. end - 1
  double *y;       // [end - first]
} part;

struct pl_mul {
  pl_env *env;
  int n, npart;
  part part[PARTS];
  double *store;
};

// cuts the columns into parts of about `most` entries; returns the rows that they reach, all
// together
static size_t cut(pl_mul *m, const pl_csc *A, int most) {
  size_t total = 0;
  m->npart = 0;
  for (int j = 0; j < A->n; m->npart++) {
    part *p = &m->part[m->npart];
    int start = A->ptr[j];
    p->first = p->end = j;
    // the last part takes what is left
    for (; j < A->n && (m->npart == PARTS - 1 || j == p->first || A->ptr[j + 1] - start <= most);
         j++) {
      int end = A->ptr[j + 1] > A->ptr[j] ? A->row[A->ptr[j + 1] - 1] + 1 : 0;
      p->end = end > p->end ? end : p->end;
      p->end = j + 1 > p->end ? j + 1 : p->end;
    }
    p->last = j;
    total += (size_t)(p->end - p->first);
  }
  return total;
}

pl_status pl_mul_create(pl_env *env, const pl_csc *A, pl_mul **out) {
  pl_mul *m = *out = pl_alloc(env, 1, sizeof *m);
  if (!m) return PL_E_NOMEM;
  m->env = env;
  m->n = A->n;
  int most = A->nnz / PARTS > PART ? A->nnz / PARTS + 1 : PART;
  size_t total = cut(m, A, most);
  // columns that reach far, as those of nodes do to edges that are numbered behind all of them: few
  // parts, or adding them up takes longer than the product
  while (total > RANGE * (size_t)A->n && m->npart > 1 && most < INT_MAX / 4)
    total = cut(m, A, most *= 4);
  m->store = pl_alloc(env, total, sizeof *m->store);
  if (!m->store) {
    pl_mul_free(m);
    *out = NULL;
    return PL_E_NOMEM;
  }
  double *at = m->store;
  for (int k = 0; k < m->npart; k++) {
    m->part[k].y = at;
    at += m->part[k].end - m->part[k].first;
  }
  return PL_OK;
}

void pl_mul_free(pl_mul *m) {
  if (!m) return;
  pl_free(m->env, m->store);
  pl_free(m->env, m);
}

typedef struct product {
  const pl_mul *m;
  const pl_csc *A;
  double a, b;
  const double *x;
  double *y;
} product;

static void multiply_part(void *ctx, int k, int thread) {
  const product *q = ctx;
  const part *p = &q->m->part[k];
  const pl_csc *A = q->A;
  double *y = p->y - p->first;
  (void)thread;
  memset(p->y, 0, (size_t)(p->end - p->first) * sizeof *y);
  for (int j = p->first; j < p->last; j++) {
    double xj = q->x[j], sum = 0;
    for (int e = A->ptr[j]; e < A->ptr[j + 1]; e++) {
      int i = A->row[e];
      y[i] += A->val[e] * xj;
      if (i != j) sum += A->val[e] * q->x[i];
    }
    y[j] += sum;
  }
}

// the rows of a part's columns, from all parts that reach them
static void add_parts(void *ctx, int k, int thread) {
  const product *q = ctx;
  const part *own = &q->m->part[k];
  (void)thread;
  for (int i = own->first; i < own->last; i++) q->y[i] = q->b == 0 ? 0 : q->b * q->y[i];
  for (int c = 0; c <= k; c++) {
    const part *p = &q->m->part[c];
    int end = p->end < own->last ? p->end : own->last;
    for (int i = own->first; i < end; i++) q->y[i] += q->a * p->y[i - p->first];
  }
}

void pl_mul_run(pl_mul *m, pl_threads *threads, const pl_csc *A, double a, const double *x,
                double b, double *y) {
  product q = {.m = m, .A = A, .a = a, .b = b, .x = x, .y = y};
  pl_threads_run(threads, m->npart, multiply_part, &q);
  pl_threads_run(threads, m->npart, add_parts, &q);
}
