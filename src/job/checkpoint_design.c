// Checkpoints of a design: what the optimiser tells.
#include "checkpoint.h"

pl_status design_checkpoint_write(const job *j, const pl_analysis *a, const pl_design_state *s) {
  checkpoint c;
  int count[2] = {s->nint, s->nreal};
  checkpoint_begin(j, a, &c);
  checkpoint_put(&c, count, 2, sizeof *count);
  checkpoint_put(&c, s->ints, (size_t)s->nint, sizeof *s->ints);
  checkpoint_put(&c, s->reals, (size_t)s->nreal, sizeof *s->reals);
  return checkpoint_end(&c);
}

static pl_status read_state(checkpoint *c, pl_design_state *s) {
  int count[2];
  PL_TRY(checkpoint_read(c, count, 2, sizeof *count));
  // a negative count is more than there is
  PL_TRY(checkpoint_read_new(c, (size_t)count[0], sizeof *s->ints, &s->ints));
  s->nint = count[0];
  PL_TRY(checkpoint_read_new(c, (size_t)count[1], sizeof *s->reals, &s->reals));
  s->nreal = count[1];
  return PL_OK;
}

pl_status design_checkpoint_read(const job *j, const pl_analysis *a, pl_design_state **out) {
  checkpoint c;
  int found;
  *out = NULL;
  PL_TRY(checkpoint_open(j, a, &c, &found));
  if (!found) return PL_OK;
  pl_design_state *s = pl_alloc(j->env, 1, sizeof *s);
  if (s) s->env = j->env;
  pl_status st = checkpoint_close(&c, s ? read_state(&c, s) : PL_E_NOMEM);
  if (st == PL_OK)
    *out = s;
  else
    pl_design_state_free(s);
  return st;
}
