// Sensitivities of a response: what parameters do to the heights and frequencies of its peaks and
// folds.
#include "run_response.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLS = 6, ROWS_MOST = 24 };

typedef struct sensing {
  curve_out *o;
  pl_slopes *s;
  const pl_measure *measure; // [nprobe]
  int nvar;
  double *omega, *amplitude; // [nvar], [nprobe][nvar]
  pl_text csv;
  json_t *list;
  int nrow, left; // rows of the page's table, and those that have no room
  char text[ROWS_MOST][COLS][96];
} sensing;

// % of change for one % of the parameter; NaN: there is no such thing
static double relative(double slope, double p, double value) {
  return value != 0 && p != 0 ? slope * p / value : NAN;
}

static void show_relative(double x, char cell[96]) {
  if (!isnan(x)) snprintf(cell, 96, "%.4g", x);
}

static void show_row(sensing *t, const pl_special *at, const char *probe, int k, double A,
                     const double *amplitude) {
  if (t->nrow == ROWS_MOST) {
    t->left++;
    return;
  }
  char(*cell)[96] = t->text[t->nrow++];
  const char *unit = pl_slopes_unit(t->s, k);
  double c = job_shown_variable(t->o->j, &t->o->a->plan->problem.variable[k], &unit);
  double p = pl_slopes_value(t->s, k), f = at->omega / (2 * PL_PI);
  snprintf(cell[0], sizeof *cell, "%s%s%.40s, %.6g Hz", pl_special_name[at->kind],
           probe[0] ? " of " : "", probe, f);
  snprintf(cell[1], sizeof *cell, "%.60s%s%.20s", pl_slopes_name(t->s, k), unit[0] ? ", " : "",
           unit);
  if (amplitude) {
    snprintf(cell[2], sizeof *cell, "%.5g", c * amplitude[k] / job_length(t->o->j, A)->si);
    show_relative(relative(amplitude[k], p, A), cell[3]);
  }
  snprintf(cell[4], sizeof *cell, "%.5g", c * t->omega[k] / (2 * PL_PI));
  show_relative(relative(t->omega[k], p, at->omega), cell[5]);
}

static void add_number(pl_text *t, double x) {
  if (isnan(x))
    pl_text_add(t, ",");
  else
    pl_text_add(t, ",%.17g", x);
}

// all parameters at one special point, of one probed place (-1: none)
static void add_rows(sensing *t, const pl_special *at, int probe, const double *amplitude) {
  const pl_scene *sc = t->o->j->scene;
  const char *name = probe >= 0 ? t->o->a->probe[probe].name : "";
  double f = at->omega / (2 * PL_PI), A = NAN;
  json_t *height = json_object(), *frequency = json_object();
  if (probe >= 0) A = pl_orbit_measure(sc->model, sc->params, at->orbit, &t->measure[probe], NULL);
  for (int k = 0; k < t->nvar; k++) {
    double p = pl_slopes_value(t->s, k);
    pl_text_add(&t->csv, "%s,%d,%.17g,%s", pl_special_name[at->kind], at->after, f, name);
    add_number(&t->csv, A);
    pl_text_add(&t->csv, ",%s,%s,%.17g", pl_slopes_name(t->s, k), pl_slopes_unit(t->s, k), p);
    add_number(&t->csv, amplitude ? amplitude[k] : NAN);
    add_number(&t->csv, t->omega[k] / (2 * PL_PI));
    add_number(&t->csv, amplitude ? relative(amplitude[k], p, A) : NAN);
    add_number(&t->csv, relative(t->omega[k], p, at->omega));
    pl_text_add(&t->csv, "\n");
    if (amplitude) json_object_set_new(height, pl_slopes_name(t->s, k), json_real(amplitude[k]));
    json_object_set_new(frequency, pl_slopes_name(t->s, k), json_real(t->omega[k] / (2 * PL_PI)));
    show_row(t, at, name, k, A, amplitude);
  }
  json_t *one = json_pack("{s:s, s:f, s:s}", "kind", pl_special_name[at->kind], "frequency_Hz", f,
                          "watch", name);
  if (amplitude) job_set(one, "amplitude_m", json_real(A));
  job_set(one, "amplitude_m_by", height);
  job_set(one, "frequency_Hz_by", frequency);
  json_array_append_new(t->list, one);
}

static pl_status add_special(sensing *t, const pl_special *at) {
  int peak = at->kind == PL_PEAK, n = peak ? 1 : t->o->a->nprobe;
  if (!pl_slopes_has(at)) return PL_OK;
  pl_status st =
      pl_slopes_at(t->s, at, n, t->measure + (peak ? at->probe : 0), t->omega, t->amplitude);
  if (st == PL_UNSOLVED) {
    pl_report(t->o->j->env, PL_WARNING, NULL, 0, 0, NULL,
              "%s: the %s at %.6g rad/s has no sensitivities: its equations are singular",
              t->o->a->name, pl_special_name[at->kind], at->omega);
    return PL_OK;
  }
  PL_TRY(st);
  for (int i = 0; i < n; i++)
    add_rows(t, at, peak ? at->probe : i, t->amplitude + (size_t)i * (size_t)t->nvar);
  if (n == 0) add_rows(t, at, -1, NULL);
  return PL_OK;
}

static void report_result(sensing *t) {
  const job *j = t->o->j;
  char height[48], name[PL_TEXT];
  const char *const head[COLS] = {
      "special point",    "by", height, "height (% a %)", "frequency (Hz a unit)",
      "frequency (% a %)"};
  if (t->nrow == 0) return;
  snprintf(height, sizeof height, "height (%s a unit)", job_length(t->o->j, 0)->name);
  job_say(j, "Sensitivities: derivatives of the heights and frequencies of peaks and folds by "
             "parameters, for one unit of the parameter and as %% of change for one %% of it.");
  grid g = job_grid(j, COLS, head);
  for (int i = 0; i < t->nrow; i++)
    for (int c = 0; c < COLS; c++) grid_add(&g, "%s", t->text[i][c]);
  grid_end(&g);
  if (t->left)
    job_say(j, "The first %d of %d rows; %s.csv has all of them.", t->nrow, t->nrow + t->left,
            curve_file(t->o->a, "sensitivities", name));
}

static pl_status run(sensing *t, const pl_curve *c, json_t *figures) {
  const job *j = t->o->j;
  char name[PL_TEXT];
  size_t nv = (size_t)t->nvar, nw = (size_t)t->o->a->nprobe + 1;
  t->omega = pl_alloc(j->env, nv * (nw + 1), sizeof(double));
  if (!t->omega) return PL_E_NOMEM;
  t->amplitude = t->omega + nv;
  const pl_design_problem *problem = &t->o->a->plan->problem;
  PL_TRY(pl_slopes_create(j->scene->model, j->scene->params, j->work,
                          t->o->a->opts.response_.samples, problem->nvariable, problem->variable,
                          &t->s));
  pl_text_add(&t->csv, "kind,after_point,frequency_Hz,watch,amplitude_m,parameter,unit,value,"
                       "d_amplitude_m_by_unit,d_frequency_Hz_by_unit,relative_amplitude,"
                       "relative_frequency\n");
  for (int i = 0; i < c->nspecial; i++) {
    PL_TRY(pl_report_progress(j->env, "sensitivities", (double)i / c->nspecial, NULL));
    PL_TRY(add_special(t, &c->special[i]));
  }
  job_set(figures, "sensitivities", json_incref(t->list));
  report_result(t);
  return job_tables(j) ? job_text(j, curve_file(t->o->a, "sensitivities", name), &t->csv) : PL_OK;
}

pl_status curve_slopes(curve_out *o, const pl_curve *c, json_t *figures) {
  if (!o->a->plan) return PL_OK;
  sensing *t = pl_alloc(o->j->env, 1, sizeof *t);
  if (!t) return PL_E_NOMEM;
  t->o = o;
  t->measure = o->measure;
  t->nvar = o->a->plan->problem.nvariable;
  t->list = json_array();
  pl_text_init(&t->csv, o->j->env);
  pl_status st = run(t, c, figures);
  json_decref(t->list);
  pl_text_free(&t->csv);
  pl_slopes_free(t->s);
  pl_free(o->j->env, t->omega);
  pl_free(o->j->env, t);
  return st;
}
