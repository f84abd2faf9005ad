// How a periodic motion converges in the number of harmonics and of time samples.
#include "run_orbit.h"

#include "pliant/math.h"

#include <stdio.h>
#include <stdlib.h>

enum { BELOW = 8, BEYOND = 4, MOST = BELOW + BEYOND + 3, HARMONICS_MAX = 64 };
enum { HARMONICS, SAMPLES, DISTANCE, RESIDUAL, ITERATIONS, REF_HARMONICS, REF_SAMPLES, COLUMNS };
// of the analysis's own tolerance: distances shall show truncation, not how far Newton's method
// went
static const double SHARPER = 1e-3;

typedef struct point {
  pl_orbit *orbit;
  int nharm, nsample, iterations;
  double residual, distance; // from the finest, over the size of the motion
} point;

// solved motions, coarsest first, of one of the two studies
typedef struct study {
  job *j;
  const pl_analysis *a;
  int n;
  point at[MOST];
} study;

static void close_study(study *s) {
  for (int i = 0; i < s->n; i++) pl_orbit_free(s->at[i].orbit);
}

// ---- solving ----------------------------------------------------------------------------------

static pl_status solve(const study *s, const pl_orbit *start, int nharm, int nsample, point *p) {
  const pl_scene *sc = s->j->scene;
  const pl_periodic_opts *o = &s->a->opts.periodic_;
  pl_hb *hb = NULL;
  pl_bordered *b = NULL;
  pl_periodic_info info = {0};
  *p = (point){.nharm = nharm};
  pl_status st = pl_hb_create(sc->model, sc->params, s->j->work, nharm, nsample, &hb);
  if (st == PL_OK) st = pl_bordered_create(hb, &b);
  if (st == PL_OK) st = pl_orbit_copy(start, nharm, &p->orbit);
  if (st == PL_OK) st = pl_hb_newton(hb, b, p->orbit, SHARPER * o->rtol, o->max_iter, &info);
  p->nsample = info.nsample;
  p->iterations = info.iterations;
  p->residual = info.residual;
  if (st != PL_OK) pl_orbit_free(p->orbit);
  pl_bordered_free(b);
  pl_hb_free(hb);
  return st;
}

// solves and keeps; a motion that is not found is told and left out
static pl_status add(study *s, const pl_orbit *start, int nharm, int nsample) {
  pl_status st = solve(s, start, nharm, nsample, &s->at[s->n]);
  if (st == PL_OK) s->n++;
  if (st != PL_UNSOLVED) return st;
  const point *p = &s->at[s->n];
  job_note(s->j, "%s: no motion found with %d %s and %d samples", s->a->name, p->nharm,
           pl_plural(p->nharm, "harmonic", "harmonics"), p->nsample);
  job_say(s->j,
          "No motion was found with %d %s and %d samples near those beside it; it is left "
          "out.",
          p->nharm, pl_plural(p->nharm, "harmonic", "harmonics"), p->nsample);
  return PL_OK;
}

static const pl_orbit *latest(const study *s, const pl_orbit *start) {
  return s->n ? s->at[s->n - 1].orbit : start;
}

// samples for so many harmonics: as in the analysis, and never too few
static int samples_for(const study *s, int nharm) {
  int n = s->a->opts.periodic_.samples;
  return n && n < 2 * nharm + 1 ? 2 * nharm + 1 : n;
}

static int coarse_first(const void *a, const void *b) {
  const point *x = a, *y = b;
  return x->nharm != y->nharm ? x->nharm - y->nharm : x->nsample - y->nsample;
}

static void measure(study *s) {
  qsort(s->at, (size_t)s->n, sizeof *s->at, coarse_first);
  const pl_model *m = s->j->scene->model;
  double size = s->n ? pl_orbit_size(m, s->at[s->n - 1].orbit) : 0;
  for (int i = 0; i < s->n; i++) {
    double d = pl_orbit_distance(m, s->at[i].orbit, s->at[s->n - 1].orbit);
    s->at[i].distance = size > 0 ? d / size : 0;
  }
}

// from the motion down to as few harmonics as the drives have, then up; each from its neighbour
static pl_status over_harmonics(study *s, const pl_orbit *o) {
  int H = o->nharm, least = pl_model_max_harmonic(s->j->scene->model);
  int step = (H - least + BELOW - 1) / BELOW, up = step > 1 ? 2 : 1;
  if (step < 1) step = 1;
  for (int h = H;; h = h - step > least ? h - step : least) {
    PL_TRY(add(s, latest(s, o), h, samples_for(s, h)));
    if (h <= least) break;
  }
  const pl_orbit *start = s->n && s->at[0].nharm == H ? s->at[0].orbit : o;
  for (int h = H + up; h <= H + BEYOND && h <= HARMONICS_MAX; h += up) {
    int before = s->n;
    PL_TRY(add(s, start, h, samples_for(s, h)));
    if (s->n > before) start = s->at[before].orbit;
  }
  measure(s);
  return PL_OK;
}

static pl_status over_samples(study *s, const pl_orbit *o, int nsample) {
  int least = 2 * o->nharm + 1, half = nsample / 2 > least ? nsample / 2 : least;
  if (half < nsample) PL_TRY(add(s, o, o->nharm, half));
  PL_TRY(add(s, latest(s, o), o->nharm, nsample));
  PL_TRY(add(s, latest(s, o), o->nharm, 2 * nsample));
  measure(s);
  return PL_OK;
}

// ---- results ----------------------------------------------------------------------------------

static pl_status add_rows(const study *s, pl_table *t) {
  for (int i = 0; i < s->n; i++) {
    const point *p = &s->at[i], *finest = &s->at[s->n - 1];
    const double row[COLUMNS] = {p->nharm,      p->nsample,    p->distance,    p->residual,
                                 p->iterations, finest->nharm, finest->nsample};
    PL_TRY(pl_table_row(t, row));
  }
  return PL_OK;
}

static pl_status write_table(job *j, const pl_analysis *a, const study *harmonics,
                             const study *samples) {
  static const table_column column[COLUMNS] = {
      {"harmonics", ""},         {"samples", ""},          {"distance", ""},      {"residual", ""},
      {"newton_iterations", ""}, {"finest_harmonics", ""}, {"finest_samples", ""}};
  pl_table *t;
  char name[PL_TEXT];
  if (!job_tables(j)) return PL_OK;
  PL_TRY(job_table_open(j, COLUMNS, column, &t));
  pl_status st = add_rows(harmonics, t);
  if (st == PL_OK) st = add_rows(samples, t);
  snprintf(name, sizeof name, "%.100s-convergence", a->name);
  return job_table_end(j, t, st, name, ".csv");
}

// the motion of the analysis among those solved, NULL: left out
static const point *own(const study *s, int nharm, int nsample) {
  for (int i = 0; i < s->n; i++)
    if (s->at[i].nharm == nharm && s->at[i].nsample == nsample) return &s->at[i];
  return NULL;
}

static json_t *list(const study *s) {
  json_t *all = json_array();
  for (int i = 0; i < s->n; i++) {
    const point *p = &s->at[i];
    json_t *one = json_object();
    job_set(one, "harmonics", json_integer(p->nharm));
    job_set(one, "samples", json_integer(p->nsample));
    job_set(one, "distance", json_real(p->distance));
    json_array_append_new(all, one);
  }
  return all;
}

static void set_figures(const study *harmonics, const study *samples, const point *h,
                        const point *n, json_t *figures) {
  json_t *f = json_object();
  if (h) job_set(f, "harmonics_distance", json_real(h->distance));
  if (n) job_set(f, "samples_distance", json_real(n->distance));
  job_set(f, "harmonics", list(harmonics));
  job_set(f, "samples", list(samples));
  job_set(figures, "convergence", f);
}

static pl_status plot(job *j, const pl_analysis *a, const study *s) {
  // the finest has no distance to show
  int n = s->n - 1;
  if (n < 1) return PL_OK;
  double x[MOST], y[MOST];
  for (int i = 0; i < n; i++) {
    x[i] = s->at[i].nharm;
    y[i] = fmax(s->at[i].distance, 1e-16);
  }
  char name[PL_TEXT], caption[PL_TEXT];
  snprintf(name, sizeof name, "%.100s-convergence", a->name);
  snprintf(caption, sizeof caption,
           "Distance of the motion from that with %d harmonics: root mean square over all free "
           "nodes and the period, over the size of the motion.",
           s->at[n].nharm);
  const pl_series series = {.n = n, .x = x, .y = y, .points = 2};
  const pl_plot p = {.title = "convergence",
                     .xlabel = "harmonics",
                     .ylabel = "distance over size",
                     .logy = 1,
                     .nseries = 1,
                     .series = &series};
  return job_plot(j, name, &p, caption);
}

static void put_samples(const job *j, const study *s) {
  static const char *const head[] = {"samples", "distance over size"};
  if (s->n < 2) return;
  grid g = job_grid(j, 2, head);
  for (int i = 0; i < s->n; i++) {
    grid_add(&g, "%d", s->at[i].nsample);
    grid_add(&g, s->at[i].distance > 0 ? "%.2e" : "0", s->at[i].distance);
  }
  grid_end(&g);
}

static void report_result(job *j, const pl_analysis *a, const study *harmonics,
                          const study *samples, const point *h, const point *n) {
  if (h && harmonics->n > 1)
    job_note(j, "%s: %.1e of the motion from that with %d harmonics", a->name, h->distance,
             harmonics->at[harmonics->n - 1].nharm);
  if (h && harmonics->n > 1)
    job_say(j, "With %d %s the motion is %.2e of its size away from that with %d.", h->nharm,
            pl_plural(h->nharm, "harmonic", "harmonics"), h->distance,
            harmonics->at[harmonics->n - 1].nharm);
  if (n && samples->n > 1)
    job_say(j, "With %d samples it is %.2e of its size away from that with %d.", n->nsample,
            n->distance, samples->at[samples->n - 1].nsample);
}

pl_status convergence_study(job *j, const pl_analysis *a, const pl_orbit *o, int nsample,
                            json_t *figures) {
  study harmonics = {.j = j, .a = a}, samples = {.j = j, .a = a};
  job_heading(j, "Convergence");
  pl_status st = over_harmonics(&harmonics, o);
  if (st == PL_OK) st = over_samples(&samples, o, nsample);
  if (st == PL_OK) {
    const point *h = own(&harmonics, o->nharm, nsample), *n = own(&samples, o->nharm, nsample);
    set_figures(&harmonics, &samples, h, n, figures);
    report_result(j, a, &harmonics, &samples, h, n);
    st = write_table(j, a, &harmonics, &samples);
  }
  if (st == PL_OK) st = plot(j, a, &harmonics);
  if (st == PL_OK) put_samples(j, &samples);
  close_study(&harmonics);
  close_study(&samples);
  return st;
}
