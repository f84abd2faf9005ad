#include "patch_impl.h"

#include <stdlib.h>
#include <string.h>

// The matrix of a patch: blocks of six by six for pairs of elements that touch.

typedef struct entry {
  int col, row;
} entry;

static int by_column(const void *a, const void *b) {
  const entry *p = a, *q = b;
  return p->col != q->col ? (p->col < q->col ? -1 : 1) : (p->row > q->row) - (p->row < q->row);
}

static int find_block(const blocks *b, int row, int col) {
  int lo = 0, hi = b->n;
  while (lo < hi) {
    int mid = (lo + hi) / 2, before = b->col[mid] != col ? b->col[mid] < col : b->row[mid] < row;
    if (before)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < b->n && b->row[lo] == row && b->col[lo] == col ? lo : -1;
}

// block of a contact in the lower triangle; 0: an end of it does not move
static int hold_block(const patch *p, int i, int j, entry *e) {
  int a = p->unknown[i], b = j < 0 ? -1 : p->unknown[j];
  if (a < 0 || b < 0) return 0;
  *e = a < b ? (entry){a, b} : (entry){b, a};
  return 1;
}

static int fits(const patch *p, const holds *h, const blocks *b) {
  entry e;
  if (b->n == 0) return 0;
  for (int k = 0; k < h->n; k++)
    if (hold_block(p, h->item[k].i, h->item[k].j, &e) && find_block(b, e.row, e.col) < 0) return 0;
  return 1;
}

static int gather(const patch *p, const holds *h, const blocks *old, entry *all) {
  int n = 0, kept = 0;
  for (int k = 0; k < p->nfree; k++) all[n++] = (entry){k, k};
  for (int k = 0; k < h->n; k++) n += hold_block(p, h->item[k].i, h->item[k].j, &all[n]);
  for (int k = 0; k < p->near.n && old->n > 0; k++)
    if (hold_block(p, p->near.pair[k][0], p->near.pair[k][1], &all[n]))
      n += find_block(old, all[n].row, all[n].col) >= 0;
  qsort(all, (size_t)n, sizeof *all, by_column);
  for (int k = 0; k < n; k++)
    if (kept == 0 || by_column(&all[kept - 1], &all[k]) != 0) all[kept++] = all[k];
  return kept;
}

static pl_status make(const patch *p, int n, const entry *all, blocks *b) {
  pl_env *env = p->env;
  b->row = pl_alloc(env, (size_t)n, sizeof *b->row);
  b->col = pl_alloc(env, (size_t)n, sizeof *b->col);
  if (!b->row || !b->col) return PL_E_NOMEM;
  for (int k = 0; k < n; k++) {
    b->row[k] = all[k].row;
    b->col[k] = all[k].col;
  }
  b->n = n;
  PL_TRY(pl_csc_from_blocks(env, p->nfree, 6, n, b->row, b->col, &b->A, &b->slot));
  return pl_factor_create_on(env, PL_CHOLESKY, &b->A, 6, p->threads, &b->factor);
}

pl_status blocks_fit(const patch *p, const holds *h, blocks *b) {
  if (fits(p, h, b)) return PL_OK;
  entry *all = pl_alloc(p->env, (size_t)(p->nfree + h->n + p->near.n + 1), sizeof *all);
  if (!all) return PL_E_NOMEM;
  int n = gather(p, h, b, all);
  blocks_free(p->env, b);
  pl_status s = make(p, n, all, b);
  pl_free(p->env, all);
  return s;
}

void blocks_free(pl_env *env, blocks *b) {
  pl_free(env, b->row);
  pl_free(env, b->col);
  pl_free(env, b->slot);
  pl_csc_free(env, &b->A);
  pl_factor_free(b->factor);
  *b = (blocks){0};
}

void blocks_add(blocks *b, int i, int j, double c, const double *H, int stride) {
  if (i < 0 || j < 0 || i < j) return;
  int k = find_block(b, i, j);
  if (k < 0) return;
  const int *slot = b->slot + 36 * k;
  for (int r = 0; r < 6; r++)
    for (int s = 0; s < 6; s++)
      if (slot[6 * r + s] >= 0) b->A.val[slot[6 * r + s]] += c * H[r * stride + s];
}
