// Sheets of interlocking materials: weights of their barriers, and how near to the limits they are.
#include "job_impl.h"

#include <math.h>
#include <stdio.h>

static int is_barrier(const pl_model *m, int group) {
  return pl_model_group_kind(m, group)->eval_law != NULL;
}

static int has_barriers(const job *j) {
  const pl_model *m = j->scene->model;
  for (int g = 0; g < pl_model_ngroup(m); g++)
    if (is_barrier(m, g)) return 1;
  return 0;
}

void barrier_scale(const pl_model *m, pl_params *p, double factor) {
  for (int g = 0; g < pl_model_ngroup(m); g++)
    for (int e = 0; is_barrier(m, g) && e < pl_model_group_size(m, g); e++)
      ((double *)pl_model_group_par(m, p, g, e))[0] *= factor;
}

pl_status barrier_narrow(const pl_model *m, pl_params *p, pl_status (*solve)(void *ctx),
                         void *ctx) {
  enum { DECADES = 4 };
  pl_status s = PL_OK;
  barrier_scale(m, p, pow(10, DECADES));
  for (int k = 0; k < DECADES; k++) {
    if (s == PL_OK) s = solve(ctx);
    barrier_scale(m, p, 0.1);
  }
  return s;
}

pl_status job_barrier_narrow(job *j, pl_status (*solve)(void *ctx), void *ctx) {
  if (!has_barriers(j)) return PL_OK;
  return barrier_narrow(j->scene->model, j->params, solve, ctx);
}

void job_barrier_step(job *j, pl_transient_opts *o) {
  static const double WIDER = 100;
  enum { ITERATIONS = 300 };
  if (!has_barriers(j)) return;
  barrier_scale(j->scene->model, j->params, o ? WIDER : 1 / WIDER);
  if (o && o->max_iter < ITERATIONS) o->max_iter = ITERATIONS;
}

// the most of all triangles of all such sheets, how many are at their limits and beyond, and at
// such that are none
typedef struct nearness {
  double most;
  int ntri, near, beyond, open;
} nearness;

static pl_status measure(job *j, const pl_model *m, const pl_params *p, const pl_state *s,
                         const pl_elem_kind *kind, nearness *out) {
  for (int g = 0; g < pl_model_ngroup(m); g++) {
    int n = pl_model_group_size(m, g);
    if (pl_model_group_kind(m, g) != kind) continue;
    double *value = pl_alloc(j->env, 2 * (size_t)n, sizeof *value), *open = value + n;
    if (!value) return PL_E_NOMEM;
    pl_eval_field(m, p, s, g, 0, NULL, value);
    pl_eval_field(m, p, s, g, kind->nfield - 1, NULL, open);
    out->ntri += n;
    for (int e = 0; e < n; e++) {
      out->most = fmax(out->most, value[e]);
      out->near += value[e] > 0.99;
      out->beyond += !(value[e] < 1);
      out->open += value[e] > 0.99 && open[e] > 0;
    }
    pl_free(j->env, value);
  }
  return PL_OK;
}

pl_status barrier_report(job *j, const char *who, const pl_model *m, const pl_params *p,
                         const pl_state *s, json_t *figures) {
  static const struct {
    const pl_elem_kind *kind;
    const char *name, *of;
  } part[] = {{&pl_elem_strain_limit, "limit", ""}, {&pl_elem_bend_limit, "bend", " of curvature"}};
  for (int i = 0; i < 2; i++) {
    nearness k = {0};
    char name[32];
    PL_TRY(measure(j, m, p, s, part[i].kind, &k));
    if (k.ntri == 0) continue;
    snprintf(name, sizeof name, "%s_most", part[i].name);
    job_set(figures, name, json_real(k.most));
    snprintf(name, sizeof name, "%s_near", part[i].name);
    job_set(figures, name, json_integer(k.near));
    snprintf(name, sizeof name, "%s_beyond", part[i].name);
    job_set(figures, name, json_integer(k.beyond));
    if (k.beyond > 0)
      return pl_fail(j->env, PL_E_INTERNAL, "%s: %d triangles are beyond their limits%s", who,
                     k.beyond, part[i].of);
    snprintf(name, sizeof name, "%s_unbounded", part[i].name);
    job_set(figures, name, json_integer(k.open));
    if (k.open > 0)
      pl_report(j->env, PL_WARNING, j->scene->path, 0, 0,
                "hold or load it elsewhere: nothing is known of the material there",
                "%s: %d of %d triangles went as far as limits%s were looked for, where nothing "
                "holds the material: they would go on",
                who, k.open, k.ntri, part[i].of);
    job_note(j,
             "%s: %d of %d triangles are at their limits%s (%.6f of the way at most), none beyond",
             who, k.near, k.ntri, part[i].of, k.most);
  }
  return PL_OK;
}

pl_status job_barrier_report(job *j, const pl_analysis *a, const pl_state *s, json_t *figures) {
  return barrier_report(j, a->name, j->scene->model, j->scene->params, s, figures);
}
