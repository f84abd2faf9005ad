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
  for (int j = 0, most = 0; j < e->n; j += GROUP) {
    int end = j + GROUP < e->n ? j + GROUP : e->n;
    if (most < end - 1) most = end - 1;
    for (int k = P->ptr[j]; k < P->ptr[end]; k++)
      if (P->row[k] > most) most = P->row[k];
    for (int i = j; i < end; i++) {
      e->last[i] = most;
      e->ptr[i + 1] = e->ptr[i] + (size_t)(most - i + 1);
    }
  }
  for (int j = 0; j < e->n; j++)
    for (int k = P->ptr[j]; k < P->ptr[j + 1]; k++) e->at[k] = e->ptr[j] + (size_t)(P->row[k] - j);
}

// columns that can be multiplied together
static void find_twins(envelope *e) {
  const pl_csc *P = e->P;
  for (int j = 0; j + 1 < e->n; j++) {
    int m = P->ptr[j + 1] - P->ptr[j];
    e->twin[j] = m >= 2 && m == P->ptr[j + 2] - P->ptr[j + 1] + 1;
    for (int k = 1; e->twin[j] && k < m; k++)
      e->twin[j] = P->row[P->ptr[j] + k] == P->row[P->ptr[j + 1] + k - 1];
  }
}

pl_status envelope_open(pl_env *env, const pl_csc *P, envelope *e) {
  size_t n = (size_t)P->n;
  *e = (envelope){.n = P->n, .P = P};
  e->last = pl_alloc(env, n, sizeof(int));
  e->ptr = pl_alloc(env, n + 1, sizeof(size_t));
  e->at = pl_alloc(env, (size_t)P->nnz, sizeof(size_t));
  e->twin = pl_alloc(env, n, 1);
  if (!e->last || !e->ptr || !e->at || !e->twin) return PL_E_NOMEM;
  lay_out(e);
  find_twins(e);
  return PL_OK;
}

void envelope_close(pl_env *env, envelope *e) {
  void *all[] = {e->last, e->ptr, e->at, e->twin};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(env, all[k]);
  *e = (envelope){0};
}

size_t envelope_size(const envelope *e) {
  return e->ptr[e->n];
}

int envelope_factor(const envelope *e, const double *val, double *L) {
  memset(L, 0, envelope_size(e) * sizeof *L);
  for (int k = 0; k < e->P->nnz; k++) L[e->at[k]] = val[k];
  return PICK(cholesky)(e->n, e->last, e->ptr, L);
}

int envelope_factor_packs(const envelope *e, int count, const double *val, pl_pack *work,
                          double *L) {
  size_t nnz = (size_t)e->P->nnz, size = envelope_size(e);
  memset(work, 0, size * sizeof *work);
  for (int l = 0; l < PL_LANES; l++) {
    const double *from = val + (size_t)(l < count ? l : count - 1) * nnz;
    for (size_t k = 0; k < nnz; k++) work[e->at[k]][l] = from[k];
  }
  if (!PICK(cholesky_packs)(e->n, e->last, e->ptr, work)) return 0;
  PICK(unpack)(size, work, count, L);
  return 1;
}

void envelope_solve(const envelope *e, const double *L, const double *next, pl_pack *x) {
  PICK(back)(e->n, e->last, e->ptr, L, next, x);
}

void envelope_multiply(const envelope *e, const double *val, double f, const pl_pack *x,
                       pl_pack *y) {
  PICK(multiply)(e->n, e->P->ptr, e->P->row, e->twin, val, f, x, y);
}
