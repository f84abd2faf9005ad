#ifndef TESTS_FUZZ_MTX_H
#define TESTS_FUZZ_MTX_H

#include "pliant/sparse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Matrix Market: what loads has its entries within the matrix, and finite.
static inline void fuzz_mtx(pl_env *env, const char *data, size_t size) {
  int n, count, *row, *col;
  double *val;
  char *text = malloc(size + 1);
  if (!text) return;
  memcpy(text, data, size);
  text[size] = 0;
  pl_status s = pl_csc_parse_mtx(env, "fuzz", text, size, &n, &count, &row, &col, &val);
  if (s != PL_OK && s != PL_E_INPUT && s != PL_E_NOMEM) abort();
  if ((s == PL_OK) != (val != NULL)) abort();
  for (int k = 0; k < count; k++)
    if (row[k] < 0 || row[k] >= n || col[k] < 0 || col[k] >= n || !isfinite(val[k])) abort();
  pl_free(env, row);
  pl_free(env, col);
  pl_free(env, val);
  free(text);
}

#endif
