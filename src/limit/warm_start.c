// Where solves begin: taken from one to the next, and into a history for a resume.
#include "step_impl.h"

#include <string.h>

enum {
  HEAD = 2
}; // numbers before each: vertices, cones; -1: none are kept, which is not 0 of them

void pl_warm_start_free(pl_env *env, pl_warm_start *w) {
  pl_free(env, w->dx);
  pl_free(env, w->dual);
  *w = (pl_warm_start){0};
}

static int size_of(const pl_warm_start *w) {
  return HEAD + 3 * (w->dx ? w->nvert : 0) + 3 * (w->dual ? w->ncone : 0);
}

pl_status warm_start_keep(pl_env *env, int n, const pl_warm_start *warm_start, pl_history *h) {
  int size = 0;
  for (int k = 0; k < n; k++) size += size_of(&warm_start[k]);
  if (size != h->nwarm_start) {
    double *all = pl_realloc(env, h->warm_start, (size_t)size, sizeof *all);
    if (!all) return PL_E_NOMEM;
    h->warm_start = all;
    h->nwarm_start = size;
  }
  double *at = h->warm_start;
  for (int k = 0; k < n; k++) {
    const pl_warm_start *w = &warm_start[k];
    size_t dx = w->dx ? 3 * (size_t)w->nvert : 0, dual = w->dual ? 3 * (size_t)w->ncone : 0;
    at[0] = w->dx ? w->nvert : -1;
    at[1] = w->dual ? w->ncone : -1;
    if (dx) memcpy(at + HEAD, w->dx, dx * sizeof *at);
    if (dual) memcpy(at + HEAD + dx, w->dual, dual * sizeof *at);
    at += size_of(w);
  }
  return PL_OK;
}

static pl_status copy_triples(pl_env *env, int n, const double *from, double **to) {
  if (n < 0) return PL_OK;
  *to = pl_alloc(env, 3 * (size_t)n, sizeof **to);
  if (!*to) return PL_E_NOMEM;
  if (n > 0) memcpy(*to, from, 3 * (size_t)n * sizeof **to);
  return PL_OK;
}

pl_status warm_start_recall(pl_env *env, const pl_history *h, int nvert, int ncone, int n,
                            pl_warm_start *warm_start) {
  int at = 0;
  for (int k = 0; h->warm_start && k < n; k++) {
    const double *head = h->warm_start + at;
    int fits = h->nwarm_start - at >= HEAD && (head[0] == -1 || head[0] == nvert) &&
               (head[1] == -1 || head[1] == ncone);
    int dx = fits ? 3 * (int)fmax(head[0], 0) : 0, dual = fits ? 3 * (int)fmax(head[1], 0) : 0;
    int size = HEAD + dx + dual;
    if (!fits || h->nwarm_start - at < size)
      return pl_fail(env, PL_E_INPUT, "transient: the history is of another sheet");
    warm_start[k].nvert = dx / 3;
    warm_start[k].ncone = dual / 3;
    PL_TRY(copy_triples(env, (int)head[0], head + HEAD, &warm_start[k].dx));
    PL_TRY(copy_triples(env, (int)head[1], head + HEAD + dx, &warm_start[k].dual));
    at += size;
  }
  return PL_OK;
}
