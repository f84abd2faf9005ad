// Sheets of interlocking materials: weights of their barriers, and how near to the limits they are.
#include "job_impl.h"

#include <math.h>

static int is_barrier(const job *j, int group) {
  return pl_model_group_kind(j->scene->model, group)->eval_law != NULL;
}

int job_barriers(const job *j) {
  int n = 0;
  for (int g = 0; g < pl_model_ngroup(j->scene->model); g++) n += is_barrier(j, g);
  return n;
}

void job_barrier_scale(job *j, double factor) {
  const pl_scene *sc = j->scene;
  for (int g = 0; g < pl_model_ngroup(sc->model); g++)
    for (int e = 0; is_barrier(j, g) && e < pl_model_group_size(sc->model, g); e++) {
      // the job's own values
      double *par = (double *)pl_model_group_par(sc->model, sc->params, g, e);
      par[0] *= factor;
    }
}

pl_status job_barrier_narrow(job *j, pl_status (*solve)(void *ctx), void *ctx) {
  enum { DECADES = 4 };
  pl_status s = PL_OK;
  if (job_barriers(j) == 0) return PL_OK;
  job_barrier_scale(j, pow(10, DECADES));
  for (int k = 0; k < DECADES; k++) {
    if (s == PL_OK) s = solve(ctx);
    job_barrier_scale(j, 0.1);
  }
  return s;
}

void job_barrier_step(job *j, pl_transient_opts *o) {
  static const double WIDER = 100;
  enum { ITERATIONS = 300 };
  if (job_barriers(j) == 0) return;
  job_barrier_scale(j, o ? WIDER : 1 / WIDER);
  if (o && o->max_iter < ITERATIONS) o->max_iter = ITERATIONS;
}

// the most of all triangles of all such sheets, how many are at their limits and beyond
typedef struct nearness {
  double most;
  int ntri, near, beyond;
} nearness;

static pl_status measure(const job *j, const pl_state *s, nearness *out) {
  const pl_scene *sc = j->scene;
  for (int g = 0; g < pl_model_ngroup(sc->model); g++) {
    int n = pl_model_group_size(sc->model, g);
    if (!is_barrier(j, g)) continue;
    double *value = pl_alloc(j->env, (size_t)n, sizeof *value);
    if (!value) return PL_E_NOMEM;
    pl_eval_field(sc->model, sc->params, s, g, 0, j->work->threads, value);
    out->ntri += n;
    for (int e = 0; e < n; e++) {
      out->most = fmax(out->most, value[e]);
      out->near += value[e] > 0.99;
      out->beyond += !(value[e] < 1);
    }
    pl_free(j->env, value);
  }
  return PL_OK;
}

pl_status job_barrier_report(job *j, const pl_analysis *a, const pl_state *s, json_t *figures) {
  nearness k = {0};
  if (job_barriers(j) == 0) return PL_OK;
  PL_TRY(measure(j, s, &k));
  job_set(figures, "limit_most", json_real(k.most));
  job_set(figures, "limit_near", json_integer(k.near));
  job_set(figures, "limit_beyond", json_integer(k.beyond));
  if (k.beyond > 0)
    return pl_fail(j->env, PL_E_INTERNAL, "%s: %d triangles are beyond their limits", a->name,
                   k.beyond);
  job_note(j, "%s: %d of %d triangles are at their limits (%.6f of the way at most), none beyond",
           a->name, k.near, k.ntri, k.most);
  return PL_OK;
}
