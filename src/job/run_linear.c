// The linear response beside a nonlinear one.
#include "run_linear.h"

#include "pliant/math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODES = 30, MODES_MAX = 480, EVEN = 300, RESONANCES = 40, FINE = 10 };

void strain_set(const job *j, json_t *figures, const char *key, const pl_strain *s) {
  char name[64];
  if (s->value == 0) return;
  const char *group = pl_model_group_name(j->scene->model, s->group);
  job_set(figures, key, json_real(fabs(s->value)));
  snprintf(name, sizeof name, "%.40s_group", key);
  job_set(figures, name, json_string(group ? group : ""));
  snprintf(name, sizeof name, "%.40s_element", key);
  job_set(figures, name, json_integer(s->elem));
}

// modes up to twice the highest frequency that is excited; of a small model all of them
static pl_status open_modal(job *j, double top, pl_modal **out) {
  const pl_scene *sc = j->scene;
  int nfree = pl_model_nfree(sc->model), n = nfree <= 4 * MODES ? nfree : MODES;
  double want = 2 * top * pl_model_max_harmonic(sc->model);
  for (;; n *= 2) {
    PL_TRY(pl_modal_create(sc->model, sc->params, j->work, n, out));
    int count = pl_modal_count(*out);
    if (n >= nfree || n >= MODES_MAX || count < n || pl_modal_omega(*out)[count - 1] > want)
      return PL_OK;
    pl_modal_free(*out);
    *out = NULL;
  }
}

// ---- a curve ----------------------------------------------------------------------------------

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// frequencies lo..hi, evenly and closer about omega_n / k, where harmonic k meets a mode
static int frequencies(const job *j, const pl_modal *l, double lo, double hi, double *w) {
  static const double apart[FINE] = {0, 0.3, 0.6, 1, 1.5, 2.5, 4, 7, 12, 20};
  const double *par = j->scene->params->par;
  int n = 0, found = 0;
  for (int i = 0; i <= EVEN; i++) w[n++] = lo + (hi - lo) * i / EVEN;
  for (int m = 0; m < pl_modal_count(l); m++)
    for (int k = 1; k <= pl_model_max_harmonic(j->scene->model); k++) {
      double wn = pl_modal_omega(l)[m], at = wn / k;
      if (!(at > lo && at < hi) || found == RESONANCES) continue;
      double width = fmax(1e-4, 0.5 * (par[PL_PAR_ALPHA] / wn + par[PL_PAR_BETA] * wn)) * at;
      found++;
      for (int i = 1 - FINE; i < FINE; i++) {
        double x = at + (i < 0 ? -apart[-i] : apart[i]) * width;
        if (x > lo && x < hi) w[n++] = x;
      }
    }
  qsort(w, (size_t)n, sizeof *w, by_size);
  return n;
}

// columns of every axis of a watch: largest deviation, and what peaks are asked of where it is
// another one
static int kinds_of_axis(const pl_analysis *a) {
  return a->opts.response_.peaks >= PL_MEASURE_RMS ? 2 : 1;
}

static pl_measure axis_measure(const pl_analysis *a, const pl_probe *w, int kind, int axis) {
  const pl_response_opts *o = &a->opts.response_;
  return (pl_measure){.kind = kind ? (pl_measure_kind)o->peaks : PL_MEASURE_MAX,
                      .node = w->node,
                      .mask = 1 << axis,
                      .harmonic = o->peak_harmonic};
}

static pl_status open_table(job *j, const pl_analysis *a, pl_table **out) {
  int dim = j->scene->dim, at = 2, ncol = 2;
  for (int k = 0; k < a->nprobe; k++) ncol += 1 + kinds_of_axis(a) * probe_axes(j, &a->probe[k]);
  PL_TRY(pl_table_create(j->env, ncol, out));
  PL_TRY(pl_table_column(*out, 0, "frequency", "Hz"));
  PL_TRY(pl_table_column(*out, 1, "omega", "rad/s"));
  for (int k = 0; k < a->nprobe; k++) {
    char name[PL_TEXT];
    snprintf(name, sizeof name, "%.400s_path", a->probe[k].name);
    PL_TRY(pl_table_column(*out, at++, name, "m"));
    for (int i = 0; i < kinds_of_axis(a) * dim; i++) {
      if (!probe_has(&a->probe[k], i % dim)) continue;
      pl_measure of = axis_measure(a, &a->probe[k], i / dim, i % dim);
      probe_column(&a->probe[k], &of, i % dim, name);
      PL_TRY(pl_table_column(*out, at++, name, "m"));
    }
  }
  return PL_OK;
}

static void fill_row(const job *j, const pl_analysis *a, const pl_orbit *o, double *row) {
  const pl_scene *sc = j->scene;
  *row++ = o->omega / (2 * PL_PI);
  *row++ = o->omega;
  for (int k = 0; k < a->nprobe; k++) {
    const pl_probe *w = &a->probe[k];
    pl_measure path = probe_measure(w, PL_MEASURE_PATH, 0);
    *row++ = pl_orbit_measure(sc->model, sc->params, o, &path, NULL);
    for (int i = 0; i < kinds_of_axis(a) * sc->dim; i++) {
      pl_measure of = axis_measure(a, w, i / sc->dim, i % sc->dim);
      if (probe_has(w, i % sc->dim)) *row++ = pl_orbit_measure(sc->model, sc->params, o, &of, NULL);
    }
  }
}

static pl_status fill_table(job *j, const pl_analysis *a, pl_modal *l, int n, const double *w,
                            double *row, pl_table *t, double *largest) {
  double most = -1;
  *largest = w[0];
  for (int i = 0; i < n; i++) {
    pl_orbit *o;
    PL_TRY(pl_report_progress(j->env, "linear response", (double)i / n, NULL));
    pl_status s = pl_modal_response(l, w[i], &o);
    // an undamped resonance has no motion
    if (s == PL_SINGULAR) continue;
    PL_TRY(s);
    fill_row(j, a, o, row);
    if (a->nprobe && row[2] > most) {
      most = row[2];
      *largest = w[i];
    }
    pl_orbit_free(o);
    PL_TRY(pl_table_row(t, row));
  }
  return PL_OK;
}

static pl_status strain_at(pl_modal *l, double omega, pl_strain *strain) {
  pl_orbit *o;
  pl_status s = pl_modal_response(l, omega, &o);
  if (s == PL_SINGULAR) return PL_OK;
  PL_TRY(s);
  s = pl_modal_strain(l, o, 0, NULL, strain);
  pl_orbit_free(o);
  return s;
}

pl_status linear_curve(job *j, const pl_analysis *a, double from, double to, pl_table **out,
                       pl_strain *strain, double *strain_omega) {
  pl_modal *l = NULL;
  size_t most = EVEN + 1 + RESONANCES * (2 * FINE);
  double *w = pl_alloc(j->env, most, sizeof *w);
  size_t columns = 1 + (size_t)(kinds_of_axis(a) * j->scene->dim);
  double *row = pl_alloc(j->env, 2 + columns * (size_t)a->nprobe, sizeof *row);
  pl_status s = w && row ? open_modal(j, fmax(from, to), &l) : PL_E_NOMEM;
  *strain = (pl_strain){0};
  if (s == PL_OK) s = open_table(j, a, out);
  if (s == PL_OK) {
    int n = frequencies(j, l, fmin(from, to), fmax(from, to), w);
    s = fill_table(j, a, l, n, w, row, *out, strain_omega);
  }
  if (s == PL_OK) s = strain_at(l, *strain_omega, strain);
  pl_modal_free(l);
  pl_free(j->env, w);
  pl_free(j->env, row);
  return s;
}

// ---- one motion -------------------------------------------------------------------------------

pl_status linear_compare(job *j, const pl_analysis *a, const pl_orbit *o, json_t *figures) {
  pl_modal *l = NULL;
  pl_orbit *linear = NULL;
  pl_table *both[2] = {NULL, NULL};
  pl_strain strain = {0};
  char name[PL_TEXT];
  pl_status s = open_modal(j, o->omega, &l);
  if (s == PL_OK) s = pl_modal_response(l, o->omega, &linear);
  if (s == PL_OK) s = pl_modal_strain(l, linear, 0, NULL, &strain);
  if (s == PL_OK) {
    strain_set(j, figures, "linear_max_strain", &strain);
    s = orbit_period(j, a, o, &both[0]);
  }
  if (s == PL_OK) s = orbit_period(j, a, linear, &both[1]);
  snprintf(name, sizeof name, "%.100s-linear", a->name);
  if (s == PL_OK) s = job_table(j, both[1], name, ".csv");
  if (s == PL_OK && strain.value != 0)
    job_say(j, "Largest strain over a period in the linear motion: %.4g.", fabs(strain.value));
  const orbit_pair pair = {.full = both[0],
                           .other = both[1],
                           .suffix = "linear",
                           .colour = 2,
                           .legend = "linear",
                           .title = "linear and nonlinear",
                           .caption = "The motion beside that of the linear model."};
  if (s == PL_OK) s = orbit_pair_plots(j, a, &pair);
  if (s == PL_SINGULAR)
    job_warn(j, "%s: the linear motion does not exist: an undamped resonance.", a->name);
  pl_table_free(both[0]);
  pl_table_free(both[1]);
  pl_orbit_free(linear);
  pl_modal_free(l);
  return s == PL_SINGULAR ? PL_OK : s;
}
