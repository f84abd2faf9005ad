// Frequency responses before and after a design: curves, table, plots.
//
// Where the scene gives no range, curves begin at the design's own motions and go both ways, half
// to twice the frequency, with as much work as the optimisation took: what is only to be looked at
// costs no more than what was asked for.
#include "run_design.h"

#include "pliant/math.h"

#include <stdio.h>
#include <string.h>

// ---- curves -----------------------------------------------------------------------------------

// coefficients times Newton steps that are done in a blink, and drawn in any case
static const double FREE_WORK = 2e5;

typedef struct allowance {
  int most; // Newton iterations
  int used_up;
} allowance;

static pl_status spend(void *ctx, const pl_curve *c, const pl_trail *t, int last) {
  allowance *a = ctx;
  (void)c;
  (void)last;
  if (!t || pl_trail_iterations(t) < a->most) return PL_OK;
  a->used_up = 1;
  return PL_CANCELLED;
}

// what is drawn of a probed place
static pl_measure measure_of(const designing *t, int probe) {
  const pl_response_opts *o = &t->plan->response;
  return probe_measure(&t->a->probe[probe], (pl_measure_kind)o->peaks, o->peak_harmonic);
}

static void set_range(designing *t) {
  const pl_response_opts *o = &t->plan->response;
  response_range *r = &t->range;
  double lo = INFINITY, hi = 0;
  for (int side = 0; side < SIDES; side++)
    for (int i = 0; i < t->npoint; i++) {
      lo = fmin(lo, t->orbit[side][i]->omega);
      hi = fmax(hi, t->orbit[side][i]->omega);
    }
  r->asked = o->from > 0 && o->to > 0;
  r->from = r->asked ? o->from : 0.5 * lo;
  r->to = r->asked ? o->to : 2 * hi;
  r->whole = 1;
  r->seen[0] = INFINITY;
  double coefficients = pl_model_nfree(t->j->scene->model) * (2.0 * t->orbit[1][0]->nharm + 1);
  r->work = (int)fmax(t->r->newton, fmin(FREE_WORK / coefficients, 1e6));
}

// one curve of a side; way: beginning at a motion of the design, NULL: at the range's own beginning
static pl_status follow(designing *t, int side, int way, const pl_orbit *start, int most) {
  enum { MOST_PROBES = 64 };
  const pl_scene *sc = t->j->scene;
  pl_measure measure[MOST_PROBES];
  allowance a = {.most = most};
  pl_response_opts o = t->plan->response;
  pl_response_plan plan = {.measure = measure, .start = start};
  for (int k = 0; t->a->nprobe <= MOST_PROBES && k < t->a->nprobe; k++)
    measure[plan.nmeasure++] = measure_of(t, k);
  if (start) {
    plan.look = spend;
    plan.ctx = &a;
  }
  o.from = start ? start->omega : t->range.from;
  o.to = way == UP ? t->range.to : t->range.from;
  if (o.harmonics == 0) o.harmonics = t->orbit[1][0]->nharm;
  pl_status st =
      pl_response_run(&o, sc->model, sc->params, t->j->work, &plan, &t->curve[side][way]);
  const pl_curve *c = t->curve[side][way];
  if (c && c->npoint) {
    t->range.seen[0] = fmin(t->range.seen[0], fmin(o.from, c->end));
    t->range.seen[1] = fmax(t->range.seen[1], fmax(o.from, c->end));
  }
  if (a.used_up) {
    t->range.whole = 0;
    return PL_OK;
  }
  if (st == PL_UNSOLVED)
    pl_report(t->j->env, PL_WARNING, sc->path, t->a->line, t->a->col, NULL,
              "%s: the response %s the design could not be followed to its end", t->a->name,
              side_name[side]);
  return st == PL_UNSOLVED ? PL_OK : st;
}

pl_status design_response(designing *t, int side) {
  if (!t->plan->respond) return PL_OK;
  // the side after the design is the first
  if (side == 1) set_range(t);
  if (t->range.asked) return follow(t, side, UP, NULL, 0);
  const pl_orbit *start = t->orbit[side][0];
  for (int i = 1; i < t->npoint; i++)
    if (t->orbit[side][i]->omega < start->omega) start = t->orbit[side][i];
  for (int way = 0; way < WAYS; way++) {
    // what earlier curves left is shared by those to come
    int left = WAYS * SIDES - t->range.ncurve++, most = (t->range.work - t->range.spent) / left;
    PL_TRY(follow(t, side, way, start, most));
    if (t->curve[side][way]) t->range.spent += t->curve[side][way]->iterations;
  }
  return PL_OK;
}

void design_response_figures(const designing *t, json_t *figures) {
  const response_range *r = &t->range;
  if (!(r->seen[1] > 0)) return;
  job_set(figures, "response",
          json_pack("{s:f, s:f, s:b}", "from_Hz", r->seen[0] / (2 * PL_PI), "to_Hz",
                    r->seen[1] / (2 * PL_PI), "whole", r->whole));
}

// ---- table ------------------------------------------------------------------------------------

static double drive_frequency(const pl_curve_point *p) {
  return p->orbit->omega * (p->subharmonic > 1 ? p->subharmonic : 1) / (2 * PL_PI);
}

// both ways as one curve, from low to high frequencies; they share the point at which they begin
static int count_points(const designing *t, int side) {
  const pl_curve *up = t->curve[side][UP], *down = t->curve[side][DOWN];
  int n = (up ? up->npoint : 0) + (down ? down->npoint : 0);
  return n - (up && down && up->npoint && down->npoint);
}

static const pl_curve_point *point_at(const designing *t, int side, int i) {
  const pl_curve *up = t->curve[side][UP], *down = t->curve[side][DOWN];
  int nd = down ? down->npoint : 0;
  if (i < nd) return &down->point[nd - 1 - i];
  return &up->point[i - nd + (nd > 0)];
}

// amplitudes along a response: [points][nprobe]
static double *amplitudes(const designing *t, int side) {
  const pl_scene *sc = t->j->scene;
  int n = count_points(t, side), nw = t->a->nprobe;
  double *y = pl_alloc(t->j->env, (size_t)n * (size_t)nw + 1, sizeof *y);
  for (int k = 0; y && k < nw; k++) {
    pl_measure of = measure_of(t, k);
    for (int i = 0; i < n; i++)
      y[i * nw + k] =
          pl_orbit_measure(sc->model, sc->params, point_at(t, side, i)->orbit, &of, NULL);
  }
  return y;
}

static pl_status write_response(const designing *t, double *const y[SIDES]) {
  static const char *const column[] = {"path", "max", "rms", "harmonic"};
  int nw = t->a->nprobe;
  pl_table *table = NULL;
  char name[PL_TEXT];
  double *row = pl_alloc(t->j->env, 3 + (size_t)nw, sizeof *row);
  pl_status st = row ? pl_table_create(t->j->env, 3 + nw, &table) : PL_E_NOMEM;
  // 0 before, 1 after
  if (st == PL_OK) st = pl_table_column(table, 0, "after", "");
  if (st == PL_OK) st = pl_table_column(table, 1, "frequency", "Hz");
  if (st == PL_OK) st = pl_table_column(table, 2, "stable", "");
  for (int k = 0; st == PL_OK && k < nw; k++) {
    snprintf(name, sizeof name, "%.200s_%s", t->a->probe[k].name, column[t->plan->response.peaks]);
    st = pl_table_column(table, 3 + k, name, "m");
  }
  for (int side = 0; side < SIDES; side++)
    for (int i = 0; st == PL_OK && i < count_points(t, side); i++) {
      row[0] = side;
      row[1] = drive_frequency(point_at(t, side, i));
      row[2] = point_at(t, side, i)->stable;
      memcpy(row + 3, y[side] + (size_t)i * (size_t)nw, (size_t)nw * sizeof *row);
      st = pl_table_row(table, row);
    }
  if (st == PL_OK) st = job_table(t->j, table, design_file(t, "response", 0, name), ".csv");
  pl_table_free(table);
  pl_free(t->j->env, row);
  return st;
}

// ---- plots ------------------------------------------------------------------------------------

// the driving frequencies as dotted lines from the bottom to the top
static int drive_lines(const designing *t, double bottom, double top, double *x, double *y) {
  int n = 0;
  for (int i = 0; i < t->npoint; i++) {
    double f = t->orbit[1][i]->omega / (2 * PL_PI);
    x[n] = x[n + 1] = f;
    y[n] = bottom;
    y[n + 1] = top;
    x[n + 2] = y[n + 2] = NAN;
    n += 3;
  }
  return n;
}

static pl_status plot_response(const designing *t, double *const y[SIDES], int k) {
  int n[SIDES], nw = t->a->nprobe, nseries = 0;
  double most[SIDES] = {0}, least = INFINITY;
  for (int side = 0; side < SIDES; side++) n[side] = count_points(t, side);
  size_t capacity = 2 * (size_t)(n[0] + n[1]) + 6 * (size_t)t->npoint + 1;
  double *xy = pl_alloc(t->j->env, capacity, sizeof *xy), *at = xy;
  if (!xy) return PL_E_NOMEM;
  pl_series series[3];
  for (int side = 0; side < SIDES; side++) {
    double *px = at, *py = at + n[side];
    for (int i = 0; i < n[side]; i++) {
      px[i] = drive_frequency(point_at(t, side, i));
      py[i] = y[side][i * nw + k];
      most[side] = fmax(most[side], py[i]);
      if (py[i] > 0) least = fmin(least, py[i]);
    }
    at = py + n[side];
    if (n[side])
      series[nseries++] = (pl_series){.name = side_name[side],
                                      .n = n[side],
                                      .x = px,
                                      .y = py,
                                      .dashed = !side,
                                      .colour = !side};
  }
  // where one would be flat beside the other, magnitudes are told by a logarithm
  double high = fmax(most[0], most[1]), low = fmin(most[0], most[1]);
  int logy = n[0] && n[1] && high > 12 * low && low > 0;
  int lines = drive_lines(t, logy ? least : 0, high, at, at + 3 * t->npoint);
  series[nseries++] = (pl_series){.name = "driven here",
                                  .n = lines,
                                  .x = at,
                                  .y = at + 3 * t->npoint,
                                  .dashed = 2,
                                  .colour = 7};
  char title[PL_TEXT], what[PL_TEXT], name[PL_TEXT], words[48], label[64];
  measure_words((pl_measure_kind)t->plan->response.peaks, t->plan->response.peak_harmonic, words);
  snprintf(label, sizeof label, "%s (m)", words);
  snprintf(title, sizeof title, "response of %.100s", t->a->probe[k].name);
  snprintf(what, sizeof what, "%.100s-response", t->a->probe[k].name);
  pl_plot plot = {.title = title,
                  .xlabel = "frequency (Hz)",
                  .ylabel = label,
                  .logy = logy,
                  .nseries = nseries,
                  .series = series};
  pl_status st = job_plot(t->j, design_file(t, what, 0, name), &plot,
                          "Frequency response before and after the design.");
  pl_free(t->j->env, xy);
  return st;
}

// what was asked for or is usual, and what there is of it
static void report_range(const designing *t) {
  const response_range *r = &t->range;
  if (r->asked || r->whole) return;
  job_say(t->j,
          "The curves begin at the design's motions and end where they have taken as many "
          "Newton steps as the optimisation: %.5g to %.5g Hz is drawn of %.5g to %.5g Hz. "
          "`response: {from: %.5g Hz, to: %.5g Hz}` in the design draws all of it, `response: "
          "no` nothing.",
          r->seen[0] / (2 * PL_PI), r->seen[1] / (2 * PL_PI), r->from / (2 * PL_PI),
          r->to / (2 * PL_PI), r->from / (2 * PL_PI), r->to / (2 * PL_PI));
}

pl_status design_response_show(const designing *t) {
  double *y[SIDES] = {NULL, NULL};
  pl_status st = PL_OK;
  if (count_points(t, 0) + count_points(t, 1) == 0) return PL_OK;
  for (int side = 0; st == PL_OK && side < SIDES; side++) {
    st = job_use(t->j, t->state[side]);
    if (st == PL_OK) y[side] = amplitudes(t, side);
    if (st == PL_OK && !y[side]) st = PL_E_NOMEM;
  }
  if (st == PL_OK && job_tables(t->j)) st = write_response(t, y);
  if (st == PL_OK) job_heading(t->j, "Response");
  for (int k = 0; st == PL_OK && k < t->a->nprobe; k++) st = plot_response(t, y, k);
  if (st == PL_OK) report_range(t);
  for (int side = 0; side < SIDES; side++) pl_free(t->j->env, y[side]);
  return st;
}
