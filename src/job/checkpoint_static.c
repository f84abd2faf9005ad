// Checkpoints of statics in a sequence of steps: those that are done are not done again.
#include "checkpoint.h"

#include <string.h>

typedef struct header {
  int nq, nhist, anchoring, rows, cols;
  pl_static_info info;
} header;

// Analyses that change loads and supports, and those that they begin at.
int static_is_kept(const job *j, const pl_analysis *a) {
  const pl_scene *sc = j->scene;
  if (!j->opts->folder || sc->contact.nnode > 0) return 0;
  if (a->stage) return 1;
  for (int k = 0; k < sc->nanalysis; k++)
    if (sc->analysis[k].about >= 0 && &sc->analysis[sc->analysis[k].about] == a &&
        sc->analysis[k].stage)
      return 1;
  return 0;
}

pl_status static_write(const job *j, const pl_analysis *a, const pl_state *s,
                       const pl_static_info *info, const pl_table *t) {
  checkpoint c;
  header head;
  memset(&head, 0, sizeof head);
  head.nq = s->nq;
  head.nhist = s->nhist;
  head.anchoring = s->anchoring;
  head.rows = pl_table_rows(t);
  head.cols = pl_table_cols(t);
  head.info = *info;
  checkpoint_begin(j, a, &c);
  checkpoint_put(&c, &head, 1, sizeof head);
  checkpoint_put(&c, s->q, 3 * (size_t)s->nq + (size_t)s->nhist, sizeof *s->q);
  checkpoint_put(&c, pl_table_data(t), (size_t)head.rows * (size_t)head.cols, sizeof(double));
  return checkpoint_end(&c);
}

static pl_status read_all(checkpoint *c, pl_state *s, pl_static_info *info, pl_table *t) {
  header head;
  double *rows = NULL;
  PL_TRY(checkpoint_read(c, &head, 1, sizeof head));
  if (head.nq != s->nq || head.nhist != s->nhist || head.cols != pl_table_cols(t) || head.rows < 0)
    return pl_fail_at(c->j->env, PL_E_INPUT, c->j->scene->path, c->a->line, c->a->col,
                      "run without --resume, or into another folder",
                      "%s: the checkpoint is of another model", c->a->name);
  PL_TRY(checkpoint_read(c, s->q, 3 * (size_t)s->nq + (size_t)s->nhist, sizeof *s->q));
  PL_TRY(checkpoint_read_new(c, (size_t)head.rows * (size_t)head.cols, sizeof *rows, &rows));
  pl_status st = PL_OK;
  for (int i = 0; st == PL_OK && i < head.rows; i++)
    st = pl_table_row(t, rows + (size_t)i * (size_t)head.cols);
  pl_free(c->j->env, rows);
  s->anchoring = head.anchoring;
  *info = head.info;
  return st;
}

pl_status static_read(const job *j, const pl_analysis *a, pl_state *s, pl_static_info *info,
                      pl_table *t, int *found) {
  checkpoint c;
  *found = 0;
  if (!static_is_kept(j, a)) return PL_OK;
  PL_TRY(checkpoint_open(j, a, &c, found));
  if (!*found) return PL_OK;
  return checkpoint_close(&c, read_all(&c, s, info, t));
}
