// L-BFGS-B of Byrd, Lu, Nocedal and Zhu (version 3.0): the one file that knows its Fortran
// interface.
#include "design_impl.h"

#include <string.h>

// integers are four bytes, logicals too; the lengths of the two strings come last
void setulb_(const int *n, const int *m, double *x, const double *l, const double *u,
             const int *nbd, double *f, double *g, const double *factr, const double *pgtol,
             double *wa, int *iwa, char *task, const int *iprint, char *csave, int *lsave,
             int *isave, double *dsave, size_t task_length, size_t csave_length);

pl_status lbfgsb_open(pl_env *env, int n, int m, lbfgsb *b) {
  size_t N = (size_t)n, M = (size_t)m;
  *b = (lbfgsb){.n = n, .m = m};
  b->nwa = (int)(2 * M * N + 5 * N + 11 * M * M + 8 * M);
  b->x = pl_alloc(env, 4 * N + (size_t)b->nwa, sizeof(double));
  b->nbd = pl_alloc(env, 4 * N, sizeof(int));
  if (!b->x || !b->nbd) return PL_E_NOMEM;
  b->l = b->x + N;
  b->u = b->l + N;
  b->g = b->u + N;
  b->wa = b->g + N;
  b->iwa = b->nbd + N;
  return PL_OK;
}

void lbfgsb_close(pl_env *env, lbfgsb *b) {
  pl_free(env, b->x);
  pl_free(env, b->nbd);
  *b = (lbfgsb){0};
}

static void set_task(lbfgsb *b, const char *task) {
  memset(b->task, ' ', sizeof b->task);
  memcpy(b->task, task, strlen(task));
}

void lbfgsb_start(lbfgsb *b) {
  memset(b->csave, ' ', sizeof b->csave);
  set_task(b, "START");
}

lbfgsb_want lbfgsb_next(lbfgsb *b) {
  // its own tests of convergence are off: the optimiser has its own
  const double factr = 0, pgtol = 0;
  const int quiet = -1;
  setulb_(&b->n, &b->m, b->x, b->l, b->u, b->nbd, &b->f, b->g, &factr, &pgtol, b->wa, b->iwa,
          b->task, &quiet, b->csave, b->lsave, b->isave, b->dsave, sizeof b->task, sizeof b->csave);
  if (memcmp(b->task, "FG", 2) == 0) return LBFGSB_EVALUATE;
  return memcmp(b->task, "NEW_X", 5) == 0 ? LBFGSB_ITERATED : LBFGSB_DONE;
}
