// Designs of a search: room for them, and their checkpoint.
#include "search.h"

typedef struct header {
  int nvariable, ngoal, nrun, n, nmore;
} header;

static pl_status resize(const searching *k, void *array, int count, size_t each, size_t size) {
  void **at = array;
  void *to = pl_realloc(k->j->env, *at, (size_t)count * each, size);
  if (!to) return PL_E_NOMEM;
  *at = to;
  return PL_OK;
}

pl_status search_grow(searching *k, int n) {
  size_t nv = (size_t)k->p->nvariable, nr = (size_t)k->nrun, ng = (size_t)k->p->ngoal;
  if (n <= k->cap) return PL_OK;
  int cap = 2 * n;
  PL_TRY(resize(k, &k->u, cap, nv, sizeof *k->u));
  PL_TRY(resize(k, &k->x, cap, nv, sizeof *k->x));
  PL_TRY(resize(k, &k->phase, cap, 1, sizeof *k->phase));
  PL_TRY(resize(k, &k->out, cap, nr, sizeof *k->out));
  PL_TRY(resize(k, &k->figure, cap, nr * ng, sizeof *k->figure));
  PL_TRY(resize(k, &k->mark, cap, 1, sizeof *k->mark));
  PL_TRY(resize(k, &k->merit, cap, 1, sizeof *k->merit));
  k->cap = cap;
  return PL_OK;
}

pl_status search_write(const searching *k) {
  checkpoint c;
  header h = {k->p->nvariable, k->p->ngoal, k->nrun, k->n, k->nmore};
  size_t n = (size_t)k->n, runs = n * (size_t)k->nrun, more = (size_t)k->nmore;
  checkpoint_begin(k->j, k->a, &c);
  checkpoint_put(&c, &h, 1, sizeof h);
  checkpoint_put(&c, k->u, n * (size_t)h.nvariable, sizeof *k->u);
  checkpoint_put(&c, k->x, n * (size_t)h.nvariable, sizeof *k->x);
  checkpoint_put(&c, k->phase, n, sizeof *k->phase);
  checkpoint_put(&c, k->out, runs, sizeof *k->out);
  checkpoint_put(&c, k->figure, runs * (size_t)h.ngoal, sizeof *k->figure);
  checkpoint_put(&c, k->more, more, sizeof *k->more);
  checkpoint_put(&c, k->more_figure, more * (size_t)h.ngoal, sizeof *k->more_figure);
  return checkpoint_end(&c);
}

static pl_status read_all(searching *k, checkpoint *c) {
  header h;
  PL_TRY(checkpoint_read(c, &h, 1, sizeof h));
  if (h.nvariable != k->p->nvariable || h.ngoal != k->p->ngoal || h.nrun != k->nrun ||
      h.nmore != k->nmore || h.n < 0 || h.n > k->o->budget)
    return pl_fail_at(k->j->env, PL_E_INPUT, k->j->scene->path, k->a->line, k->a->col,
                      "run without --resume, or into another folder",
                      "%s: the checkpoint is of another search", k->a->name);
  size_t n = (size_t)h.n, runs = n * (size_t)h.nrun, more = (size_t)h.nmore;
  PL_TRY(search_grow(k, h.n));
  PL_TRY(checkpoint_read(c, k->u, n * (size_t)h.nvariable, sizeof *k->u));
  PL_TRY(checkpoint_read(c, k->x, n * (size_t)h.nvariable, sizeof *k->x));
  PL_TRY(checkpoint_read(c, k->phase, n, sizeof *k->phase));
  PL_TRY(checkpoint_read(c, k->out, runs, sizeof *k->out));
  PL_TRY(checkpoint_read(c, k->figure, runs * (size_t)h.ngoal, sizeof *k->figure));
  PL_TRY(checkpoint_read(c, k->more, more, sizeof *k->more));
  PL_TRY(checkpoint_read(c, k->more_figure, more * (size_t)h.ngoal, sizeof *k->more_figure));
  for (size_t i = 0; i < runs; i++) k->out[i].why[WHY - 1] = 0;
  for (size_t i = 0; i < more; i++) k->more[i].why[WHY - 1] = 0;
  k->n = h.n;
  return PL_OK;
}

pl_status search_read(searching *k) {
  checkpoint c;
  int found;
  PL_TRY(checkpoint_open(k->j, k->a, &c, &found));
  return found ? checkpoint_close(&c, read_all(k, &c)) : PL_OK;
}
