// Matrices in an envelope: factors, solutions and products for eight vectors at a time.
#include "envelope.h"

#include <math.h>
#include <string.h>

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#pragma GCC optimize("O3", "fp-contract=fast")
#endif
#pragma GCC diagnostic ignored "-Wpsabi"
enum { GROUP = 4 }; // columns that are treated together
#define COPY "envelope.inc"
#include "pliant/copies.h"

// the same last row for all columns of a group
static void lay_out(envelope *e) {
  const pl_csc *P = e->P;
  for (pl_entry x = {.k = -1}; pl_csc_next(P, &x);) {
    e->row[x.k] = e->last[x.j] = x.i;
    e->first[x.j + 1] = x.k + 1;
  }
  for (int j = 0, most = 0; j < e->n; j += GROUP) {
    int end = j + GROUP < e->n ? j + GROUP : e->n;
    if (most < end - 1) most = end - 1;
    for (int i = j; i < end; i++)
      if (e->last[i] > most) most = e->last[i];
    for (int i = j; i < end; i++) {
      e->last[i] = most;
      e->start[i + 1] = e->start[i] + (size_t)(most - i + 1);
    }
  }
  for (pl_entry x = {.k = -1}; pl_csc_next(P, &x);)
    e->at[x.k] = e->start[x.j] + (size_t)(x.i - x.j);
}

// 1 when column j + 1 has the rows of column j below its diagonal
static int is_twin(const envelope *e, int j) {
  const int *first = e->first + j, *row = e->row + first[0], m = first[1] - first[0];
  if (m < 2 || m != first[2] - first[1] + 1) return 0;
  return !memcmp(row + 1, row + m, (size_t)(m - 1) * sizeof *row);
}

// columns that can be multiplied together
static void find_twins(envelope *e) {
  for (int j = e->n - 2; j >= 0; j--)
    if (is_twin(e, j)) e->same[j] = e->same[j + 1] > 0 ? 2 : 1;
}

pl_status envelope_open(pl_env *env, const pl_csc *P, envelope *e) {
  size_t n = (size_t)P->n, nnz = (size_t)P->nnz;
  *e = (envelope){.n = P->n, .P = P};
  e->last = pl_alloc(env, n, sizeof(int));
  e->first = pl_alloc(env, n + 1, sizeof(int));
  e->row = pl_alloc(env, nnz, sizeof(int));
  e->start = pl_alloc(env, n + 1, sizeof(size_t));
  e->at = pl_alloc(env, nnz, sizeof(size_t));
  e->same = pl_alloc(env, n, 1);
  if (!e->last || !e->first || !e->row || !e->start || !e->at || !e->same) return PL_E_NOMEM;
  lay_out(e);
  find_twins(e);
  return PL_OK;
}

void envelope_close(pl_env *env, envelope *e) {
  void *all[] = {e->last, e->first, e->row, e->start, e->at, e->same};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(env, all[k]);
  *e = (envelope){0};
}

size_t envelope_size(const envelope *e) {
  return e->start[e->n];
}

int envelope_factor(const envelope *e, const double *val, double *L) {
  memset(L, 0, envelope_size(e) * sizeof *L);
  for (int k = 0; k < e->P->nnz; k++) L[e->at[k]] = val[k];
  return PICK(factor)(e->n, e->last, e->start, L);
}

int envelope_factor_packs(const envelope *e, const pl_pack *val, int step, pl_pack *L) {
  memset(L, 0, envelope_size(e) * sizeof *L);
  PICK(place)(e->P->nnz, e->at, val, (size_t)step, L);
  return PICK(factor_packs)(e->n, e->last, e->start, L);
}

void envelope_solve_packs(const envelope *e, const pl_pack *L, pl_pack *x) {
  PICK(back_packs)(e->n, e->last, e->start, L, x);
}

void envelope_solve(const envelope *e, const double *L, const double *next, pl_pack *x) {
  PICK(back)(e->n, e->last, e->start, L, next, x);
}

void envelope_multiply(const envelope *e, const double *val, double f, const pl_pack *x,
                       pl_pack *y) {
  PICK(multiply)(e->n, e->first, e->row, e->same, val, f, x, y);
}
