// Derivatives of periodic motions: path lengths, largest deviations, means and harmonics.
#include "gradients.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>

enum { HARMONICS = 3 }; // that are told

typedef struct orbit_slopes {
  job_gradients *t;
  const pl_orbit *o;
  pl_design *d;
  double *S;      // [n][nfree (2H+1)]
  double *series; // [2][2H+1] coefficients of a coordinate, and their derivatives
} orbit_slopes;

// parameters as they are: no bounds move them
static pl_status open_design(orbit_slopes *x, int samples) {
  job_gradients *t = x->t;
  pl_optimise_opts o = pl_optimise_defaults();
  pl_variable *own = pl_alloc(t->j->env, (size_t)t->n, sizeof *own);
  if (!own) return PL_E_NOMEM;
  for (int k = 0; k < t->n; k++) {
    own[k] = t->var[k];
    own[k].min = -INFINITY;
    own[k].max = INFINITY;
    own[k].scale = PL_SCALE_LINEAR;
  }
  o.harmonics = x->o->nharm;
  o.samples = samples;
  o.rtol = t->a->opts.periodic_.rtol;
  const pl_operating point = {.omega = x->o->omega, .start = x->o};
  const pl_design_problem problem = {
      .nvariable = t->n, .npoint = 1, .variable = own, .point = &point};
  pl_status s =
      pl_design_open(&o, t->j->scene->model, t->j->scene->params, t->j->work, &problem, &x->d);
  pl_free(t->j->env, own);
  return s;
}

// derivatives of the coefficients of a coordinate by parameter k
static const double *change(const orbit_slopes *x, int k, int node, int axis) {
  double *out = x->series + 2 * x->o->nharm + 1;
  pl_design_series(x->d, x->S, k, node, axis, out);
  return out;
}

static void tell_largest(orbit_slopes *x, const pl_probe *w, int c) {
  job_gradients *t = x->t;
  const pl_scene *sc = t->j->scene;
  char name[PL_TEXT];
  double phase, most = pl_orbit_extreme(sc->model, sc->params, x->o, w->node, c, &phase);
  for (int k = 0; k < t->n; k++) {
    const double *z = change(x, k, w->node, c);
    t->by[k] = 0;
    for (int h = 1; h <= x->o->nharm; h++)
      t->by[k] += z[2 * h - 1] * sin(h * phase) + z[2 * h] * cos(h * phase);
    if (most < 0) t->by[k] = -t->by[k];
  }
  snprintf(name, sizeof name, "amplitude.%.200s.max_%c_m", w->name, "xyz"[c]);
  gradients_tell(t, name, "m", fabs(most), t->by);
}

static void tell_mean(orbit_slopes *x, const pl_probe *w, int c) {
  job_gradients *t = x->t;
  char name[PL_TEXT];
  for (int k = 0; k < t->n; k++) t->by[k] = change(x, k, w->node, c)[0];
  snprintf(name, sizeof name, "mean_m.%.200s.%d", w->name, c);
  gradients_tell(t, name, "m", x->series[0], t->by);
}

// sizes of harmonics that are there
static void tell_harmonics(orbit_slopes *x, const pl_probe *w, int c) {
  job_gradients *t = x->t;
  double first = hypot(x->series[1], x->series[2]);
  for (int h = 1; h <= x->o->nharm && h <= HARMONICS; h++) {
    const double *a = x->series + 2 * h - 1;
    double size = hypot(a[0], a[1]);
    char name[PL_TEXT];
    if (!(size > 1e-9 * first)) continue;
    for (int k = 0; k < t->n; k++) {
      const double *z = change(x, k, w->node, c) + 2 * h - 1;
      t->by[k] = (a[0] * z[0] + a[1] * z[1]) / size;
    }
    snprintf(name, sizeof name, "harmonic_%d_m.%.200s.%d", h, w->name, c);
    gradients_tell(t, name, "m", size, t->by);
  }
}

static pl_status tell_probe(orbit_slopes *x, const pl_probe *w) {
  job_gradients *t = x->t;
  const pl_scene *sc = t->j->scene;
  char name[PL_TEXT];
  double path;
  PL_TRY(pl_design_amplitude(x->d, 0, w->node, 0, &path, t->by));
  t->least = 1e-12 * path;
  snprintf(name, sizeof name, "amplitude.%.200s.path_m", w->name);
  gradients_tell(t, name, "m", path, t->by);
  for (int c = 0; c < sc->dim; c++) {
    if (w->component >= 0 && w->component != c) continue;
    pl_orbit_series(sc->model, sc->params, x->o, w->node, c, x->series);
    tell_largest(x, w, c);
    tell_mean(x, w, c);
    tell_harmonics(x, w, c);
  }
  return PL_OK;
}

static pl_status differentiate(orbit_slopes *x, int samples) {
  job_gradients *t = x->t;
  size_t L = 2 * (size_t)x->o->nharm + 1, n = (size_t)pl_model_nfree(t->j->scene->model);
  PL_TRY(open_design(x, samples));
  x->o = pl_design_orbit(x->d, 0);
  x->S = pl_alloc(t->j->env, (size_t)t->n * n * L, sizeof *x->S);
  x->series = pl_alloc(t->j->env, 2 * L, sizeof *x->series);
  if (!x->S || !x->series) return PL_E_NOMEM;
  PL_TRY(pl_design_sensitivity(x->d, 0, x->S));
  for (int i = 0; i < t->a->nprobe; i++) PL_TRY(tell_probe(x, &t->a->probe[i]));
  return PL_OK;
}

pl_status gradients_periodic(job_gradients *t, const pl_orbit *o, int samples, json_t *figures) {
  if (t->n == 0) return PL_OK;
  orbit_slopes x = {.t = t, .o = o};
  pl_status s = differentiate(&x, samples);
  pl_free(t->j->env, x.S);
  pl_free(t->j->env, x.series);
  pl_design_free(x.d);
  if (s == PL_SINGULAR || s == PL_DOMAIN || s == PL_UNSOLVED) {
    pl_report(t->j->env, PL_WARNING, t->j->scene->path, t->a->line, t->a->col, NULL,
              "%s: there are no gradients: the equations of the motion are singular", t->a->name);
    return PL_OK;
  }
  PL_TRY(s);
  return gradients_end(t, figures);
}
