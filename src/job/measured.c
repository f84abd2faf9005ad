// Measured frequency responses laid over computed ones.
#include "measured.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LAID_MOST = 2 };

static double amplitude(double re, double im, const pl_frf *f) {
  return f->kind == PL_FRF_COMPLEX ? hypot(re, im) : re;
}

static double degrees(double re, double im) {
  return atan2(im, re) * 180 / PL_PI;
}

// ---- quantities of figures --------------------------------------------------------------------

double measured_middle(const pl_measured *m) {
  double re = 0, im = 0;
  for (int i = 0; m->f.kind == PL_FRF_COMPLEX && i < m->f.n; i++) {
    double size = fmax(hypot(m->f.re[i], m->f.im[i]), 1e-300);
    re += m->f.re[i] / size;
    im += m->f.im[i] / size;
  }
  return degrees(re, im);
}

static double about(double angle, double middle) {
  return middle + remainder(angle - middle, 360);
}

double measured_unit(job *j, const pl_measured *m, const char **name) {
  const pl_frf *f = &m->f;
  double most = 0;
  if (f->order || f->per != PL_PER_NOTHING) {
    *name = m->unit;
    return m->factor;
  }
  for (int i = 0; !j->length && i < f->n; i++) most = fmax(most, fabs(f->re[i]));
  const length_unit *u = job_length(j, most);
  *name = u->name;
  return u->si;
}

double measured_sample(job *j, const pl_measured *m, int i, int phases, double middle) {
  const pl_frf *f = &m->f;
  const char *unit;
  if (phases) return about(degrees(f->re[i], f->im[i]), middle);
  return amplitude(f->re[i], f->kind == PL_FRF_COMPLEX ? f->im[i] : 0, f) /
         measured_unit(j, m, &unit);
}

double measured_value(job *j, const pl_measured *m, const pl_orbit *o, int phases) {
  double re, im;
  const char *unit;
  pl_frf f = m->f;
  // of the drive, whose period may be a part of the motion's
  f.harmonic *= o->sub > 1 ? o->sub : 1;
  pl_frf_value(j->env, j->scene->model, j->scene->params, o, &f, &re, &im);
  if (phases) return about(degrees(re, im), measured_middle(m));
  return amplitude(re, im, &f) / measured_unit(j, m, &unit);
}

int measured_alike(const pl_measured *a, const pl_measured *b) {
  return strcmp(a->probe, b->probe) == 0 && strcmp(a->unit, b->unit) == 0 &&
         a->f.axis == b->f.axis && a->f.harmonic == b->f.harmonic && a->f.order == b->f.order &&
         a->f.kind == b->f.kind && a->f.per == b->f.per;
}

int measured_first(const pl_analysis *a, const pl_measured *m) {
  for (const pl_measured *b = a->measured; b < m; b++)
    if (measured_alike(b, m)) return 0;
  return 1;
}

static const char *file_of(const pl_analysis *a, const pl_measured *m, int number, const char *what,
                           char buf[PL_TEXT]) {
  char count[16] = "";
  if (number > 0) snprintf(count, sizeof count, "-%d", number + 1);
  snprintf(buf, PL_TEXT, "%.60s-measured%s-%.60s%s", a->name, count, m->probe, what);
  return buf;
}

// ---- plots ------------------------------------------------------------------------------------

// points of a curve, unstable ones apart; phases that jump break the line
typedef struct line {
  double *x, *y, *dashed;
} line;

static int main_points(const pl_curve *c) {
  int n = 0;
  while (n < c->npoint && c->point[n].branch == 0) n++;
  return n;
}

static void fill_line(job *j, const pl_measured *m, const pl_curve *c, int phases, line *l) {
  int n = main_points(c);
  double last = NAN;
  for (int i = 0; i < n; i++) {
    const pl_curve_point *p = &c->point[i];
    double y = measured_value(j, m, p->orbit, phases);
    int hidden = p->stable == 0, next = i + 1 < n && c->point[i + 1].stable == 0;
    int before = i > 0 && c->point[i - 1].stable == 0;
    if (phases && fabs(y - last) > 180) hidden = -1;
    last = y;
    l->x[i] = p->orbit->omega / (2 * PL_PI);
    l->y[i] = hidden ? NAN : y;
    l->dashed[i] = hidden == 1 || (hidden == 0 && (next || before)) ? y : NAN;
  }
}

static pl_status plot_part(job *j, const pl_analysis *a, const pl_measured *m, int number, int n,
                           const laid *l, int phases) {
  const pl_frf *f = &m->f;
  pl_series series[2 * LAID_MOST + 1];
  size_t capacity = 2 * (size_t)f->n;
  int ns = 0;
  for (int k = 0; k < n; k++) capacity += 3 * (size_t)l[k].curve->npoint;
  double *x = pl_alloc(j->env, capacity + 1, sizeof *x), *at = x;
  if (!x) return PL_E_NOMEM;
  for (int k = 0; k < n; k++) {
    int np = l[k].curve->npoint, nm = main_points(l[k].curve);
    line one = {at, at + np, at + 2 * np};
    at += 3 * np;
    fill_line(j, m, l[k].curve, phases, &one);
    series[ns++] = (pl_series){.name = l[k].name,
                               .n = nm,
                               .x = one.x,
                               .y = one.y,
                               .dashed = l[k].dashed,
                               .colour = l[k].colour};
    int unstable = 0;
    for (int i = 0; i < nm; i++) unstable |= l[k].curve->point[i].stable == 0;
    if (unstable)
      series[ns++] = (pl_series){.name = "unstable",
                                 .n = nm,
                                 .x = one.x,
                                 .y = one.dashed,
                                 .dashed = 2,
                                 .colour = l[k].colour};
  }
  for (int i = 0; i < f->n; i++) {
    at[i] = f->omega[i] / (2 * PL_PI);
    at[f->n + i] = measured_sample(j, m, i, phases, measured_middle(m));
  }
  series[ns++] =
      (pl_series){.name = "measured", .n = f->n, .x = at, .y = at + f->n, .points = 1, .colour = 3};
  char title[PL_TEXT], label[96], name[PL_TEXT];
  snprintf(title, sizeof title, "%s of %.100s %c, measured and computed",
           phases ? "phase" : "response", m->probe, "xyz"[f->axis]);
  const char *unit;
  measured_unit(j, m, &unit);
  snprintf(label, sizeof label, phases ? "phase (deg)" : "amplitude (%.60s)", unit);
  pl_plot plot = {
      .title = title, .xlabel = "frequency (Hz)", .ylabel = label, .nseries = ns, .series = series};
  pl_status st = job_plot(j, file_of(a, m, number, phases ? "-phase" : "", name), &plot,
                          phases ? "Phase against the excitation." : "Measured and computed.");
  pl_free(j->env, x);
  return st;
}

// ---- table ------------------------------------------------------------------------------------

static pl_status write_table(job *j, const pl_analysis *a, const pl_measured *m, int number, int n,
                             const laid *l) {
  const pl_frf *f = &m->f;
  int parts = f->kind == PL_FRF_COMPLEX ? 2 : 1, at = 1, known = 0;
  pl_table *t;
  char name[PL_TEXT];
  double row[1 + 2 * (LAID_MOST + 1)];
  for (int k = 0; k < n; k++) known += l[k].match != NULL;
  PL_TRY(pl_table_create(j->env, 1 + parts * (known + 1), &t));
  pl_status st = pl_table_column(t, 0, "frequency", "Hz");
  for (int k = -1; k < n; k++) {
    if (k >= 0 && !l[k].match) continue;
    for (int p = 0; st == PL_OK && p < parts; p++) {
      snprintf(name, sizeof name, "%s_%s", k < 0 ? "measured" : l[k].name,
               p ? "phase" : "amplitude");
      st = pl_table_column(t, at++, name, p ? "deg" : m->unit);
    }
  }
  for (int i = 0; st == PL_OK && i < f->n; i++) {
    at = 0;
    row[at++] = f->omega[i] / (2 * PL_PI);
    for (int k = -1; k < n; k++) {
      if (k >= 0 && !l[k].match) continue;
      double re = k < 0 ? f->re[i] : l[k].match->re[i], im = k < 0 ? f->im[i] : l[k].match->im[i];
      row[at++] = amplitude(re, im, f) / m->factor;
      if (parts == 2) row[at++] = degrees(re, im);
    }
    st = pl_table_row(t, row);
  }
  return job_table_end(j, t, st, file_of(a, m, number, "", name), ".csv");
}

pl_status measured_table(job *j, const pl_analysis *a, const pl_measured *m, int number, int n,
                         const laid *l) {
  return job_tables(j) ? write_table(j, a, m, number, n, l) : PL_OK;
}

pl_status measured_plots(job *j, const pl_analysis *a, const pl_measured *m, int number, int n,
                         const laid *l) {
  PL_TRY(plot_part(j, a, m, number, n, l, 0));
  return m->f.kind == PL_FRF_COMPLEX ? plot_part(j, a, m, number, n, l, 1) : PL_OK;
}

// ---- comparison -------------------------------------------------------------------------------

static void report_one(job *j, const pl_analysis *a, const pl_measured *m,
                       const pl_frf_match *match, json_t *list) {
  double part = match->size > 0 ? match->error / match->size : NAN;
  json_t *one = json_pack("{s:s, s:s, s:s, s:i, s:i}", "file", m->file, "watch", m->probe, "unit",
                          m->unit, "samples", match->n, "without_motion", match->missing);
  job_set(one, "measured_rms", json_real(match->size / m->factor));
  if (isfinite(part)) {
    job_set(one, "error_rms", json_real(match->error / m->factor));
    job_set(one, "error", json_real(part));
    job_note(j, "%s: %s of '%s': %.3g %% away from %d %s (root mean square)", a->name, m->probe,
             m->file, 100 * part, match->n - match->missing,
             pl_plural(match->n - match->missing, "sample", "samples"));
  }
  json_array_append_new(list, one);
  if (match->missing)
    pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
              "widen from..to, or leave those samples out by the data's own from and to",
              "%s: '%s': there is no computed motion at the frequencies of %d of %d samples",
              a->name, m->file, match->missing, match->n);
  const char *unit;
  double c = measured_unit(j, m, &unit);
  if (isfinite(part))
    job_say(j,
            "Measured %s (%d %s): the computed response is %.3g %s away, %.3g %% of the root "
            "mean square %.4g %s.",
            m->file, match->n, pl_plural(match->n, "sample", "samples"), match->error / c, unit,
            100 * part, match->size / c, unit);
}

pl_status measured_compare(job *j, const pl_analysis *a, const pl_curve *c, json_t *figures) {
  if (a->nmeasured == 0 || c->npoint < 2) return PL_OK;
  json_t *list = json_array();
  pl_status st = PL_OK;
  for (int k = 0; st == PL_OK && k < a->nmeasured; k++) {
    const pl_measured *m = &a->measured[k];
    pl_frf_match *match = NULL;
    st = pl_frf_compare(j->scene->model, j->scene->params, j->work, c, &m->f, &match);
    if (st == PL_OK) {
      laid l = {.name = "computed", .curve = c, .match = match};
      report_one(j, a, m, match, list);
      st = measured_table(j, a, m, k, 1, &l);
    }
    pl_frf_match_free(match);
  }
  job_set(figures, "measured", list);
  return st;
}
