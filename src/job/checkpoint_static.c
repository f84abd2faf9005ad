// Checkpoints of statics in a sequence of steps: those that are done are not done again. Those with
// obstacles, or bodies that feel each other, go on at the load step where they were; what the
// latter push at supports is known where a step was solved alone, and kept.
#include "checkpoint.h"

#include <string.h>

typedef struct header {
  int nq, nhist, anchoring, rows, cols, npair, done;
  pl_static_info info;
} header;

// Analyses that change loads and supports, and those that they begin at.
int static_is_kept(const job *j, const pl_analysis *a) {
  const pl_scene *sc = j->scene;
  if (!j->opts->folder) return 0;
  if (a->stage || sc->contact.nnode > 0 || sc->layers.nvert > 0) return 1;
  for (int k = 0; k < sc->nanalysis; k++)
    if (sc->analysis[k].about >= 0 && &sc->analysis[sc->analysis[k].about] == a &&
        sc->analysis[k].stage)
      return 1;
  return 0;
}

pl_status static_write(const job *j, const pl_analysis *a, const static_part *p) {
  checkpoint c;
  header head;
  memset(&head, 0, sizeof head);
  head.nq = p->s->nq;
  head.nhist = p->s->nhist;
  head.anchoring = p->s->anchoring;
  head.rows = pl_table_rows(p->t);
  head.cols = pl_table_cols(p->t);
  head.npair = p->contact ? p->contact->npair : 0;
  head.done = p->done;
  head.info = *p->info;
  checkpoint_begin(j, a, &c);
  checkpoint_put(&c, &head, 1, sizeof head);
  checkpoint_put(&c, p->s->q, 3 * (size_t)p->s->nq + (size_t)p->s->nhist, sizeof(double));
  checkpoint_put(&c, pl_table_data(p->t), (size_t)head.rows * (size_t)head.cols, sizeof(double));
  if (p->contact) contact_write(&c, p->contact);
  if (j->scene->layers.nvert > 0)
    checkpoint_put(&c, j->work->r, (size_t)p->s->nq, sizeof *j->work->r);
  return checkpoint_end(&c);
}

static int fits(const header *head, const static_part *p) {
  int npair = p->contact ? p->contact->npair : 0;
  return head->nq == p->s->nq && head->nhist == p->s->nhist && head->cols == pl_table_cols(p->t) &&
         head->rows >= 0 && head->npair == npair;
}

static pl_status read_all(checkpoint *c, static_part *p) {
  header head;
  pl_state *s = p->s;
  double *rows = NULL;
  PL_TRY(checkpoint_read(c, &head, 1, sizeof head));
  if (!fits(&head, p))
    return pl_fail_at(c->j->env, PL_E_INPUT, c->j->scene->path, c->a->line, c->a->col,
                      "run without --resume, or into another folder",
                      "%s: the checkpoint is of another model", c->a->name);
  PL_TRY(checkpoint_read(c, s->q, 3 * (size_t)s->nq + (size_t)s->nhist, sizeof *s->q));
  PL_TRY(checkpoint_read_new(c, (size_t)head.rows * (size_t)head.cols, sizeof *rows, &rows));
  pl_status st = PL_OK;
  for (int i = 0; st == PL_OK && i < head.rows; i++)
    st = pl_table_row(p->t, rows + (size_t)i * (size_t)head.cols);
  pl_free(c->j->env, rows);
  if (st == PL_OK && p->contact) st = contact_read(c, s, p->contact);
  if (st == PL_OK && c->j->scene->layers.nvert > 0)
    st = checkpoint_read(c, c->j->work->r, (size_t)s->nq, sizeof *c->j->work->r);
  s->anchoring = head.anchoring;
  *p->info = head.info;
  p->done = head.done;
  return st;
}

pl_status static_read(const job *j, const pl_analysis *a, static_part *p, int *found) {
  checkpoint c;
  *found = 0;
  if (!static_is_kept(j, a)) return PL_OK;
  PL_TRY(checkpoint_open(j, a, &c, found));
  if (!*found) return PL_OK;
  return checkpoint_close(&c, read_all(&c, p));
}
