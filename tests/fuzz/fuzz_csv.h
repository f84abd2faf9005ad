#ifndef TESTS_FUZZ_CSV_H
#define TESTS_FUZZ_CSV_H

#include "pliant/report.h"

#include <stdlib.h>
#include <string.h>

// Tables: what loads has as many numbers as it says. A copy of the exact size shows reads beyond.
static inline void fuzz_csv(pl_env *env, const char *data, size_t size) {
  pl_table *t;
  char *text = malloc(size ? size : 1);
  if (!text) return;
  memcpy(text, data, size);
  pl_status s = pl_table_parse(env, "fuzz", text, size, &t);
  if (s != PL_OK && s != PL_E_INPUT && s != PL_E_NOMEM) abort();
  if ((s == PL_OK) != (t != NULL)) abort();
  double sum = 0;
  for (int k = 0; t && k < pl_table_rows(t) * pl_table_cols(t); k++) sum += pl_table_data(t)[k];
  for (int c = 0; t && c < pl_table_cols(t); c++)
    sum += (double)(strlen(pl_table_name(t, c)) + strlen(pl_table_unit(t, c)));
  // the sum is wanted only so that everything is read
  if (sum == -1) abort();
  pl_table_free(t);
  free(text);
}

#endif
