// The table of an analysis in steps: what it measures itself, probed places, contact, reactions.
#include "job_impl.h"

pl_status step_table_open(job *j, const pl_analysis *a, int nown, const table_column *own,
                          int nlast, int reactions, step_table *t) {
  *t = (step_table){.j = j, .a = a, .nown = nown};
  PL_TRY(job_contact_make(j, a, &t->contact));
  t->contacts = nown + job_probe_count(j, a);
  t->reactions = t->contacts + job_contact_count(t->contact);
  t->last = t->reactions + (reactions ? job_reaction_count(j) : 0);
  t->row = pl_alloc(j->env, (size_t)(t->last + nlast), sizeof *t->row);
  if (!t->row) return PL_E_NOMEM;
  PL_TRY(pl_table_create(j->env, t->last + nlast, &t->table));
  for (int c = 0; c < nown + nlast; c++)
    PL_TRY(pl_table_column(t->table, c < nown ? c : t->last + c - nown, own[c].name, own[c].unit));
  if (job_probe_columns(j, a, t->table, nown) < 0) return PL_E_NOMEM;
  PL_TRY(job_contact_columns(j, t->contact, t->table, t->contacts));
  return t->last > t->reactions ? job_reaction_columns(j, t->table, t->reactions) : PL_OK;
}

void step_table_close(step_table *t) {
  if (!t->j) return;
  pl_table_free(t->table);
  pl_free(t->j->env, t->row);
  pl_contact_free(t->contact);
}

pl_status step_table_add(step_table *t, const pl_state *s, const pl_work *w) {
  job_probe_row(t->j, t->a, s, t->row + t->nown);
  job_contact_row(t->contact, t->row + t->contacts);
  if (t->last > t->reactions) job_reaction_row(t->j, s, w, t->contact, t->row + t->reactions);
  PL_TRY(pl_table_row(t->table, t->row));
  job_rows(t->j, t->table, t->a->name, pl_table_rows(t->table) - 1);
  sink_state(t->j, t->a, s);
  return PL_OK;
}

pl_status step_table_plots(const step_table *t, const char *xlabel) {
  PL_TRY(job_probe_plots(t->j, t->a, t->table, 0, t->nown, xlabel));
  return job_contact_plots(t->j, t->a, t->contact, t->table, t->contacts, xlabel);
}
