// fit-response: parameters from measured frequency responses, their bands, and both responses.
#include "checkpoint.h"
#include "measured.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CORRELATED_MOST = 12 };
static const double CORRELATED = 0.99; // told as hardly independent beyond

typedef struct trial {
  job *j;
  const pl_analysis *a;
  pl_response_fit *fit;
} trial;

// ---- words ------------------------------------------------------------------------------------

// factor and unit in which a value is shown: as the scene writes it
static double shown(const trial *t, int k, const char **unit) {
  *unit = t->fit->value[k].unit;
  return job_shown_variable(t->j, &t->a->plan->problem.variable[k], unit);
}

static const char *weak_names(const trial *t, char buf[PL_TEXT]) {
  size_t n = 0;
  buf[0] = 0;
  for (int k = 0; k < t->fit->nweak && n + 80 < PL_TEXT; k++)
    n += (size_t)snprintf(buf + n, PL_TEXT - n, "%s%.63s", k ? ", " : "",
                          t->fit->value[t->fit->weak[k]].name);
  return buf;
}

// half widths below and above differ by more than a reader would overlook
static int lopsided(const pl_fit_band *v) {
  double low = v->after - v->low, high = v->high - v->after;
  return fabs(high - low) > 0.05 * (high + low);
}

// "+- 1.2", or "+1.4 -1.1"
static const char *band_text(const pl_fit_band *v, double c, const char *sign, char buf[64]) {
  if (lopsided(v))
    snprintf(buf, 64, "+%.3g -%.3g", (v->high - v->after) / c, (v->after - v->low) / c);
  else
    snprintf(buf, 64, "%s %.2g", sign, v->band / c);
  return buf;
}

static void warn_lost(const trial *t) {
  const pl_response_fit *f = t->fit;
  for (int i = 0; i < f->nvalue; i++)
    if (f->value[i].band >= 0 && f->value[i].bent == PL_BAND_LOST)
      pl_report(t->j->env, PL_WARNING, t->j->scene->path, t->a->line, t->a->col,
                "leave out the samples next to folds, or measure with less noise",
                "%s: the band of '%s' is not complete: within it samples lose their motions in a "
                "fold",
                t->a->name, f->value[i].name);
}

static void warn_user(const trial *t) {
  const pl_response_fit *f = t->fit;
  job *j = t->j;
  char names[PL_TEXT];
  if (f->nweak)
    pl_report(j->env, PL_WARNING, j->scene->path, t->a->line, t->a->col,
              "fit fewer values, or measure more places or a wider range",
              "%s: the data do not tell these values apart: %s", t->a->name, weak_names(t, names));
  for (int i = 0; i < f->nvalue; i++) {
    if (f->value[i].bound)
      pl_report(j->env, PL_WARNING, j->scene->path, t->a->line, t->a->col,
                "widen its bounds if they are not meant",
                "%s: '%s' ends at its bound and has no band", t->a->name, f->value[i].name);
    for (int k = 0; k < i; k++)
      if (fabs(f->correlation[i * f->nvalue + k]) > CORRELATED)
        pl_report(j->env, PL_WARNING, j->scene->path, t->a->line, t->a->col,
                  "what they do together is known far better; measure more places or a wider range",
                  "%s: '%s' and '%s' are hardly told apart (correlation %.4f)", t->a->name,
                  f->value[k].name, f->value[i].name, f->correlation[i * f->nvalue + k]);
  }
  if (f->freedom <= 0)
    pl_report(j->env, PL_WARNING, j->scene->path, t->a->line, t->a->col, "measure more samples",
              "%s: %d %s for %d %s leave no scatter to make bands of", t->a->name, f->nsample,
              pl_plural(f->nsample, "number", "numbers"), f->nvalue,
              pl_plural(f->nvalue, "value", "values"));
  warn_lost(t);
}

static void note(const trial *t) {
  const pl_response_fit *f = t->fit;
  const char *together =
      t->a->opts.fit_response_.bands == PL_BANDS_TOGETHER && f->nvalue > 1 ? " for all" : "";
  job_note(t->j, "%s: %.3g %% of the data away, was %.3g %%, in %d %s", t->a->name,
           100 * f->misfit[1] / f->size, 100 * f->misfit[0] / f->size, f->iterations,
           pl_plural(f->iterations, "step", "steps"));
  for (int k = 0; k < f->nvalue; k++) {
    const pl_fit_band *v = &f->value[k];
    const char *unit;
    char band[64];
    double c = shown(t, k, &unit);
    if (v->band >= 0)
      job_note(t->j, "%s: %s %.6g %s %s (%.3g %%%s), was %.6g", t->a->name, v->name, v->after / c,
               band_text(v, c, "+-", band), unit, 100 * f->level, together, v->before / c);
    else
      job_note(t->j, "%s: %s %.6g %s (%s), was %.6g", t->a->name, v->name, v->after / c, unit,
               v->bound ? "at its bound" : "no band", v->before / c);
  }
}

// ---- figures ----------------------------------------------------------------------------------

static const char *const band_way[] = {"linear", "profile", "incomplete"}; // of PL_BAND_...

static void set_figures(const trial *t, json_t *out) {
  const pl_response_fit *f = t->fit;
  json_t *values = json_object(), *data = json_array(), *correlation = json_object();
  for (int k = 0; k < f->nvalue; k++) {
    const pl_fit_band *v = &f->value[k];
    json_t *one = json_pack("{s:f, s:f, s:s, s:b}", "before", v->before, "after", v->after, "unit",
                            v->unit, "at_bound", v->bound);
    json_t *row = json_object();
    if (v->band >= 0) {
      job_set(one, "standard_error", json_real(v->error));
      job_set(one, "band", json_pack("[f, f]", v->low, v->high));
      job_set(one, "band_by", json_string(band_way[v->bent]));
    }
    for (int i = 0; i < f->nvalue; i++)
      json_object_set_new(row, f->value[i].name, json_real(f->correlation[k * f->nvalue + i]));
    json_object_set_new(values, v->name, one);
    json_object_set_new(correlation, v->name, row);
  }
  for (int k = 0; k < f->nset; k++) {
    const pl_measured *m = &t->a->measured[k];
    json_array_append_new(data, json_pack("{s:s, s:s, s:s, s:i, s:f, s:f, s:f, s:f}", "file",
                                          m->file, "watch", m->probe, "unit", m->unit, "samples",
                                          m->f.n, "measured_rms", f->after[k]->size / m->factor,
                                          "error_before_rms", f->before[k]->error / m->factor,
                                          "error_rms", f->after[k]->error / m->factor, "noise",
                                          m->f.relative ? f->noise[k] : f->noise[k] / m->factor));
  }
  job_set(out, "reason", json_string(pl_stop_text(f->reason)));
  job_set(out, "fitted", values);
  job_set(out, "level", json_real(f->level));
  job_set(out, "bands",
          json_string(t->a->opts.fit_response_.bands == PL_BANDS_TOGETHER ? "together" : "alone"));
  job_set(out, "correlation", correlation);
  job_set(out, "data", data);
  job_set(out, "degrees_of_freedom", json_integer(f->freedom));
  job_set(out, "independence", json_real(f->independent));
  job_set(out, "harmonics", json_integer(f->harmonics));
  job_set(out, "iterations", json_integer(f->iterations));
  job_set(out, "evaluations", json_integer(f->evaluations));
  job_set(out, "seconds", json_real(f->seconds));
}

static pl_status write_values(const trial *t) {
  const pl_response_fit *f = t->fit;
  pl_text out;
  char name[PL_TEXT];
  pl_text_init(&out, t->j->env);
  pl_text_add(&out, "name,unit,before,after,standard_error,low,high,at_bound");
  for (int k = 0; k < f->nvalue; k++) pl_text_add(&out, ",correlation_%s", f->value[k].name);
  pl_text_add(&out, "\n");
  for (int k = 0; k < f->nvalue; k++) {
    const pl_fit_band *v = &f->value[k];
    pl_text_add(&out, "%s,%s,%.17g,%.17g", v->name, v->unit, v->before, v->after);
    if (v->band >= 0)
      pl_text_add(&out, ",%.17g,%.17g,%.17g", v->error, v->low, v->high);
    else
      pl_text_add(&out, ",,,");
    pl_text_add(&out, ",%d", v->bound);
    for (int i = 0; i < f->nvalue; i++)
      pl_text_add(&out, ",%.17g", f->correlation[k * f->nvalue + i]);
    pl_text_add(&out, "\n");
  }
  snprintf(name, sizeof name, "%.100s-values", t->a->name);
  return job_text(t->j, name, &out);
}

// ---- words ------------------------------------------------------------------------------------

static void report_values(const trial *t) {
  const pl_response_fit *f = t->fit;
  char band[64];
  const char *const head[] = {"value", "unit", "before", "after", band};
  snprintf(band, sizeof band, "band of %.4g %%", 100 * f->level);
  grid g = job_grid(t->j, 5, head);
  for (int k = 0; k < f->nvalue; k++) {
    const pl_fit_band *v = &f->value[k];
    const char *unit;
    double c = shown(t, k, &unit);
    grid_add(&g, "%.60s", v->name);
    grid_add(&g, "%.60s", unit);
    grid_add(&g, "%.6g", v->before / c);
    grid_add(&g, "%.6g", v->after / c);
    if (v->band >= 0)
      grid_add(&g, "%.40s  (%.3g %%)", band_text(v, c, "\xc2\xb1", band),
               v->after != 0 ? fabs(100 * v->band / v->after) : 0);
    else
      grid_add(&g, "%s", v->bound ? "at its bound" : "not told");
  }
  grid_end(&g);
}

static void report_correlation(const trial *t) {
  const pl_response_fit *f = t->fit;
  int n = f->nvalue;
  if (n < 2 || n > CORRELATED_MOST) return;
  grid g = job_grid(t->j, n + 1, NULL);
  grid_add(&g, "correlation");
  for (int k = 0; k < n; k++) grid_add(&g, "%.60s", f->value[k].name);
  for (int k = 0; k < n; k++) {
    grid_add(&g, "%.60s", f->value[k].name);
    for (int i = 0; i < n; i++) grid_add(&g, "%.3f", f->correlation[k * n + i]);
  }
  grid_end(&g);
}

static void report_result(const trial *t) {
  const pl_response_fit *f = t->fit;
  report_values(t);
  report_correlation(t);
  if (t->a->opts.fit_response_.bands == PL_BANDS_TOGETHER && f->nvalue > 1)
    job_say(t->j, "With %.4g %% probability all values lie within their bands.", 100 * f->level);
  if (f->reason != PL_STOP_CONVERGED)
    job_warn(t->j, "%s: the fit has not converged: %s.", t->a->name, pl_stop_text(f->reason));
  for (int k = 0; k < f->nset; k++) {
    const pl_measured *m = &t->a->measured[k];
    const char *unit;
    double c = measured_unit(t->j, m, &unit);
    job_say(t->j,
            "%s: root mean square of %d %s %.4g %s; difference %.4g %s before and %.4g %s (%.3g "
            "%%) after the fit.",
            m->file, m->f.n, pl_plural(m->f.n, "sample", "samples"), f->after[k]->size / c, unit,
            f->before[k]->error / c, unit, f->after[k]->error / c, unit,
            100 * f->after[k]->error / f->after[k]->size);
  }
}

static pl_status send_scene(const trial *t) {
  int n = t->fit->nvalue;
  double *x = pl_alloc(t->j->env, (size_t)n, sizeof *x);
  if (!x) return PL_E_NOMEM;
  for (int k = 0; k < n; k++) x[k] = t->fit->value[k].after;
  pl_status st = job_found(t->j, t->a, x);
  pl_free(t->j->env, x);
  return st;
}

// ---- the analysis -----------------------------------------------------------------------------

static pl_status show(const trial *t) {
  report_result(t);
  if (job_tables(t->j)) PL_TRY(write_values(t));
  PL_TRY(send_scene(t));
  for (int k = 0; k < t->fit->nset; k++) {
    const laid l[2] = {{.name = "before",
                        .curve = t->fit->curve[0],
                        .match = t->fit->before[k],
                        .dashed = 1,
                        .colour = 1},
                       {.name = "fitted", .curve = t->fit->curve[1], .match = t->fit->after[k]}};
    PL_TRY(measured_table(t->j, t->a, &t->a->measured[k], k, 2, l));
    PL_TRY(measured_plots(t->j, t->a, &t->a->measured[k], k, 2, l));
  }
  return PL_OK;
}

pl_status job_fit_response(job *j, int index, json_t *figures) {
  const pl_scene *sc = j->scene;
  const pl_analysis *a = &sc->analysis[index];
  trial t = {.j = j, .a = a};
  pl_frf *set = pl_alloc(j->env, (size_t)a->nmeasured, sizeof *set);
  if (!set) return PL_E_NOMEM;
  for (int k = 0; k < a->nmeasured; k++) set[k] = a->measured[k].f;
  step_keeper keeper;
  pl_status st = step_keeper_open(j, a, &keeper);
  if (st == PL_OK)
    st = pl_fit_response(&a->opts.fit_response_, sc->model, sc->params, j->work,
                         a->plan->problem.nvariable, a->plan->problem.variable, a->nmeasured, set,
                         &keeper.keeper, &t.fit);
  st = step_keeper_close(&keeper, st);
  if (t.fit) {
    warn_user(&t);
    note(&t);
    set_figures(&t, figures);
    pl_status w = show(&t);
    if (w == PL_OK && a->opts.fit_response_.apply) w = job_apply(j, &t.fit->params);
    if (w < 0) st = w;
  } else if (st == PL_UNSOLVED) {
    job_set(figures, "reason", json_string("there is no response to start from"));
    job_alarm(j, "%s: there is no response to start from.", a->name);
  }
  pl_response_fit_free(t.fit);
  pl_free(j->env, set);
  return st;
}
