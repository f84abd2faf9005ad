// How far joins open.
#include "job_impl.h"

#include <math.h>
#include <string.h>

static const double OPEN = 0.01; // of the size of what is joined, or rad: worth a warning

static int is_join(const pl_elem_kind *k) {
  static const int kinds[] = {PL_ELEM_tie5,         PL_ELEM_tie10,    PL_ELEM_tie20,
                              PL_ELEM_tie_rotation, PL_ELEM_tie_edge, PL_ELEM_arm,
                              PL_ELEM_arm_rotation};
  for (int i = 0; i < (int)(sizeof kinds / sizeof kinds[0]); i++)
    if (k == pl_elem_table[kinds[i]]) return 1;
  return 0;
}

pl_status job_join_report(job *j, const pl_analysis *a, const pl_state *s, json_t *figures) {
  const pl_model *m = j->scene->model;
  double most = 0;
  const char *where = NULL;
  for (int g = 0; g < pl_model_ngroup(m); g++) {
    int n = pl_model_group_size(m, g);
    if (!is_join(pl_model_group_kind(m, g))) continue;
    double *value = pl_alloc(j->env, (size_t)n + 1, sizeof *value);
    if (!value) return PL_E_NOMEM;
    pl_eval_field(m, j->scene->params, s, g, 0, NULL, value);
    for (int e = 0; e < n; e++)
      if (!where || value[e] > most) {
        most = value[e];
        where = pl_model_group_name(m, g);
      }
    pl_free(j->env, value);
  }
  if (!where) return PL_OK;
  job_set(figures, "join_opening", json_real(most));
  if (most > OPEN)
    pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
              "a larger 'stiffness' of the join, or more nodes that share the load",
              "%s: join '%s' opens or turns by %.2g of the size of what it joins", a->name, where,
              most);
  return PL_OK;
}
