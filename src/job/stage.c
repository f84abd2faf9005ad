// Analyses with loads and supports of their own.
#include "job_impl.h"

#include <math.h>
#include <string.h>

// static: from what they were in the analysis it is about
static int is_ramp(const pl_analysis *a) {
  return a->kind == PL_ANALYSIS_static && a->about >= 0;
}

// as the scene begins
static pl_status begin_stage(const job *j, const pl_builder *b, pl_stage *out) {
  double *one = pl_alloc(j->env, (size_t)(b->nload + b->ndrive) + 1, sizeof *one);
  char *off = pl_alloc(j->env, (size_t)b->ndrive + 1, 1);
  *out = (pl_stage){.load = one, .drive = one, .off = off, .gravity = 1};
  for (int i = 0; one && i < b->nload + b->ndrive; i++) one[i] = 1;
  for (int i = 0; off && i < b->ndrive; i++) off[i] = (char)b->drive[i].off;
  if (one && off) return PL_OK;
  pl_free(j->env, one);
  pl_free(j->env, off);
  return PL_E_NOMEM;
}

pl_status job_stage_enter(job *j, const pl_analysis *a) {
  pl_model *m;
  pl_params *p;
  pl_work *w = NULL;
  if (!a->stage) return PL_OK;
  const pl_builder *b = pl_scene_builder(j->scene);
  const pl_stage *before = a->about >= 0 ? j->scene->analysis[a->about].stage : NULL;
  pl_stage all = {0}, own = *a->stage;
  own.ramp = is_ramp(a);
  if (a->about >= 0 && j->state[a->about]) own.q = j->state[a->about]->q;
  if (is_ramp(a) && !before) {
    PL_TRY(begin_stage(j, b, &all));
    before = &all;
  }
  pl_status s = pl_build_stage(b, j->env, &own, before, &m, &p);
  pl_free(j->env, (void *)all.load);
  pl_free(j->env, (void *)all.off);
  PL_TRY(s);
  // values that analyses before have found
  s = pl_params_set_design(m, p, j->params->design);
  if (s == PL_OK) s = pl_work_create_for(j->env, m, pl_threads_size(j->work->threads), &w);
  if (s != PL_OK) {
    pl_params_free(p);
    pl_model_free(m);
    return s;
  }
  j->base = j->view.model;
  j->base_params = j->params;
  j->base_work = j->work;
  j->base_recover = j->recover;
  j->view.model = m;
  j->view.params = j->params = p;
  j->work = w;
  // stress is that of the model at hand: its parameters are others
  j->recover = NULL;
  sink_use(j);
  return job_recover_open(j);
}

pl_status job_stage_leave(job *j) {
  if (!j->base) return PL_OK;
  pl_params *own = j->params;
  int changed =
      j->base_params->ndesign > 0 &&
      memcmp(own->design, j->base_params->design, (size_t)own->ndesign * sizeof *own->design) != 0;
  pl_status s = PL_OK;
  if (changed) s = pl_params_set_design(j->base, j->base_params, own->design);
  pl_recover_free(j->recover);
  pl_work_free(j->work);
  pl_params_free(own);
  pl_model_free(j->view.model);
  j->recover = j->base_recover;
  j->view.model = j->base;
  j->view.params = j->params = j->base_params;
  j->work = j->base_work;
  j->base = NULL;
  sink_use(j);
  return s;
}

pl_status job_stage_release_forces(job *j, const pl_analysis *a, pl_state *s, double **released) {
  const pl_scene *sc = j->scene;
  *released = NULL;
  if (!a->stage || !is_ramp(a)) return PL_OK;
  const pl_stage *before = sc->analysis[a->about].stage;
  int gone = 0, n = pl_scene_builder(sc)->ndrive;
  for (int k = 0; k < n; k++) gone |= a->stage->off[k] && !(before && before->off[k]);
  if (!gone) return PL_OK;
  if (sc->layers.nvert > 0)
    return pl_fail_at(j->env, PL_E_INPUT, sc->path, a->line, a->col, "leave out self_contact",
                      "%s: supports are not released where bodies feel each other", a->name);
  *released = pl_alloc(j->env, (size_t)pl_model_nq(sc->model), sizeof **released);
  if (!*released) return PL_E_NOMEM;
  pl_state *begin = s;
  pl_status st = s ? PL_OK : job_start(j, a, &begin);
  if (st == PL_OK) st = pl_static_release_forces(sc->model, sc->params, begin, j->work, *released);
  if (!s && begin) pl_state_free(sc->model, begin);
  if (st == PL_OK) return PL_OK;
  pl_free(j->env, *released);
  *released = NULL;
  return st;
}
