#ifndef TESTS_FUZZ_UFF_H
#define TESTS_FUZZ_UFF_H

#include "pliant/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Universal files: what loads has as many finite numbers as it says. A copy of the exact size shows
// reads beyond.
static inline void fuzz_uff(pl_env *env, const char *data, size_t size) {
  pl_uff *u;
  char *text = malloc(size ? size : 1);
  if (!text) return;
  memcpy(text, data, size);
  pl_status s = pl_uff_parse(env, "fuzz", text, size, &u);
  if (s != PL_OK && s != PL_E_INPUT && s != PL_E_NOMEM) abort();
  if ((s == PL_OK) != (u != NULL)) abort();
  for (int k = 0; u && k < u->n; k++) {
    const pl_uff_function *f = &u->function[k];
    if (strlen(f->title) > 80 || f->n < 1) abort();
    for (int i = 0; i < f->n; i++)
      if (!isfinite(f->x[i]) || !isfinite(f->re[i]) || !isfinite(f->im[i])) abort();
  }
  pl_uff_free(u);
  free(text);
}

#endif
