// Frequency responses and backbones: the run, what it leaves to go on from, figures and files.
#include "run_response.h"

#include "checkpoint.h"
#include "measured.h"
#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// the special point that is the highest peak, -1: there is none
static int highest_peak(const pl_curve *c) {
  int peak = -1;
  for (int i = 0; i < c->nspecial; i++)
    if (c->special[i].kind == PL_PEAK &&
        (peak < 0 || c->special[i].amplitude > c->special[peak].amplitude))
      peak = i;
  return peak;
}

static void set_figures(json_t *f, const pl_curve *c) {
  job_set(f, "reason", json_string(pl_stop_text(c->reason)));
  job_set(f, "points", json_integer(c->npoint));
  job_set(f, "closed", json_boolean(c->reason == PL_STOP_CLOSED));
  job_set(f, "start", json_string(c->start ? c->start : ""));
  job_set(f, "newton_iterations", json_integer(c->iterations));
  job_set(f, "factorisations", json_integer(c->factorisations));
  job_set(f, "krylov_iterations", json_integer(c->krylov));
  job_set(f, "seconds", json_real(c->seconds));
  double worst = 0, change = -1;
  for (int i = 0; i < c->npoint; i++) {
    worst = fmax(worst, c->point[i].residual);
    change = fmax(change, c->point[i].change);
  }
  job_set(f, "residual", json_real(worst));
  if (c->truncation >= 0) job_set(f, "truncation", json_real(c->truncation));
  if (c->npoint) job_set(f, "end_Hz", json_real(c->end / (2 * PL_PI)));
  if (change >= 0) job_set(f, "harmonics_change", json_real(change));
  int peak = highest_peak(c);
  if (peak >= 0)
    job_set(f, "highest_peak",
            json_pack("{s:f, s:f}", "frequency_Hz", c->special[peak].omega / (2 * PL_PI),
                      "amplitude_m", c->special[peak].amplitude));
  json_t *list = json_array();
  for (int i = 0; i < c->nspecial; i++)
    json_array_append_new(list,
                          json_pack("{s:s, s:f, s:f}", "kind", pl_special_name[c->special[i].kind],
                                    "frequency_Hz", c->special[i].omega / (2 * PL_PI),
                                    "amplitude_m", c->special[i].amplitude));
  job_set(f, "special", list);
}

pl_measure curve_measure(const curve_out *c, int probe) {
  if (c->measure) return c->measure[probe];
  return probe_measure(&c->a->probe[probe], PL_MEASURE_PATH, 0);
}

const char *special_words(const pl_curve *c, int probe, char buf[PL_TEXT]) {
  static const char *const one[PL_SPECIAL_COUNT] = {
      "peak", "fold", "branch point", "period doubling", "Neimark-Sacker bifurcation"};
  static const char *const many[PL_SPECIAL_COUNT] = {
      "peaks", "folds", "branch points", "period doublings", "Neimark-Sacker bifurcations"};
  int n[PL_SPECIAL_COUNT] = {0};
  size_t at = 0;
  buf[0] = 0;
  for (int i = 0; i < c->nspecial; i++)
    n[c->special[i].kind] +=
        probe < 0 || c->special[i].kind != PL_PEAK || c->special[i].probe == probe;
  for (int k = 0; k < PL_SPECIAL_COUNT; k++) {
    if (n[k] == 0) continue;
    if (probe < 0) at += (size_t)snprintf(buf + at, PL_TEXT - at, "%s%d ", at ? ", " : "", n[k]);
    at += (size_t)snprintf(buf + at, PL_TEXT - at, "%s%s", probe >= 0 && at ? ", " : "",
                           pl_plural(n[k], one[k], many[k]));
  }
  return buf;
}

static void report_result(const curve_out *o, const pl_curve *c) {
  job *j = o->j;
  const char *name = o->a->name;
  char words[PL_TEXT], height[48];
  int unstable = 0, asked = 0, peak = highest_peak(c);
  for (int i = 0; i < c->npoint; i++) {
    unstable += c->point[i].stable == 0;
    asked |= c->point[i].stable >= 0;
  }
  special_words(c, -1, words);
  job_note(j, "%s: %d %s, %s%s%s", name, c->npoint, pl_plural(c->npoint, "point", "points"), words,
           words[0] ? ", " : "", pl_stop_text(c->reason));
  if (peak >= 0)
    job_note(j, "%s: highest peak %s at %.6g Hz (%s)", name,
             job_length_text(j, c->special[peak].amplitude, height),
             c->special[peak].omega / (2 * PL_PI), o->quantity);
  if (c->reason != PL_STOP_END)
    job_warn(j, "%s: the curve ends early: %s.", name, pl_stop_text(c->reason));
  char stable[48] = "";
  if (asked && unstable) snprintf(stable, sizeof stable, ", %d of them unstable", unstable);
  job_say(j, "%d %s%s; %d Newton %s, %d %s.", c->npoint, pl_plural(c->npoint, "point", "points"),
          asked && !unstable ? ", all stable" : stable, c->iterations,
          pl_plural(c->iterations, "iteration", "iterations"), c->factorisations,
          pl_plural(c->factorisations, "factorisation", "factorisations"));
}

// below the figures: the first special points, the others stand in their file
static void report_special(const curve_out *o, const pl_curve *c) {
  enum { ROWS = 12 };
  job *j = o->j;
  char name[PL_TEXT];
  int n = c->nspecial < ROWS ? c->nspecial : ROWS;
  if (n == 0) return;
  const length_unit *unit = job_length(j, c->special[0].amplitude);
  grid g = job_grid(j, 3, NULL);
  grid_add(&g, "special point");
  grid_add(&g, "frequency (Hz)");
  grid_add(&g, "%s (%s)", o->quantity, unit->name);
  for (int i = 0; i < n; i++) {
    const pl_special *s = &c->special[i];
    int of = s->kind == PL_PEAK && o->a->nprobe > 1;
    grid_add(&g, "%s%s%.60s", pl_special_name[s->kind], of ? " of " : "",
             of ? o->a->probe[s->probe].name : "");
    grid_add(&g, "%.8g", s->omega / (2 * PL_PI));
    grid_add(&g, "%.6g", s->amplitude / unit->si);
  }
  grid_end(&g);
  if (c->nspecial > n)
    job_say(j, "The first %d of %d; %s.csv has all of them.", n, c->nspecial,
            curve_file(o->a, "special", name));
}

// the point of largest path length of the first watch is the one to look at
static const pl_orbit *largest(const job *j, const pl_analysis *a, const pl_curve *c) {
  const pl_orbit *best = NULL;
  double most = -1;
  pl_measure path = {0};
  if (a->nprobe) path = probe_measure(&a->probe[0], PL_MEASURE_PATH, 0);
  for (int i = 0; i < c->npoint && a->nprobe; i++) {
    double p = pl_orbit_measure(j->scene->model, j->scene->params, c->point[i].orbit, &path, NULL);
    if (p > most) {
      most = p;
      best = c->point[i].orbit;
    }
  }
  return best ? best : c->npoint ? c->point[0].orbit : NULL;
}

// largest strain of the largest motion; the linear response beside it when asked for
static pl_status compare(job *j, const pl_analysis *a, const pl_curve *c, int want_linear,
                         json_t *figures, pl_table **linear) {
  const pl_orbit *o = largest(j, a, c);
  const pl_response_opts *opts = &a->opts.response_;
  pl_strain full, other = {0};
  double omega = 0;
  char name[PL_TEXT];
  PL_TRY(pl_orbit_strain(j->scene->model, j->scene->params, j->work, o, 0, NULL, &full));
  strain_set(j, figures, "max_strain", &full);
  if (want_linear) {
    PL_TRY(linear_curve(j, a, opts->from, opts->to, linear, &other, &omega));
    strain_set(j, figures, "linear_max_strain", &other);
    snprintf(name, sizeof name, "%.100s-linear", a->name);
    PL_TRY(job_table(j, *linear, name, ".csv"));
  }
  if (full.value == 0) return PL_OK;
  job_say(j, "Largest strain over a period: %.4g, in the largest motion (%.6g Hz).",
          fabs(full.value), o->omega / (2 * PL_PI));
  if (want_linear)
    job_say(j, "In the largest linear motion (%.6g Hz): %.4g.", omega / (2 * PL_PI),
            fabs(other.value));
  return PL_OK;
}

static pl_status write_multipliers(job *j, const pl_analysis *a, const pl_curve *c) {
  char name[PL_TEXT];
  pl_table *t = NULL;
  pl_status st = multipliers_table(j, c, &t);
  if (st == PL_OK && pl_table_rows(t) > 0)
    st = job_table(j, t, curve_file(a, "multipliers", name), ".csv");
  pl_table_free(t);
  return st;
}

static pl_status write_files(curve_out *o, const pl_curve *c, const pl_table *linear) {
  job *j = o->j;
  int csv = job_tables(j);
  // the table may be of another order of the same points
  pl_table_free(o->table);
  o->table = NULL;
  PL_TRY(curve_table(o, c));
  curve_motions(o, c, 0);
  if (csv) PL_TRY(job_table(j, o->table, o->a->name, ".csv"));
  if (csv) PL_TRY(curve_special(o, c));
  if (csv) PL_TRY(write_multipliers(j, o->a, c));
  if (csv) PL_TRY(curve_harmonics(o, c));
  PL_TRY(curve_plots(o, c, linear));
  const pl_orbit *most = largest(j, o->a, c);
  return most ? job_orbit(j, most, o->a->name, "largest motion") : PL_OK;
}

// points whose balance is not as good as was asked for
static void report_residuals(const job *j, const pl_analysis *a, const pl_curve *c, double rtol) {
  int n = 0;
  double worst = 0;
  for (int i = 0; i < c->npoint; i++) {
    n += c->point[i].residual > rtol;
    worst = fmax(worst, c->point[i].residual);
  }
  if (n > 0)
    pl_report(j->env, PL_WARNING, NULL, 0, 0, NULL,
              "%s: %d of %d points have residuals above rtol = %g, up to %.1e: rounding of stiff "
              "forces leaves no better",
              a->name, n, c->npoint, rtol, worst);
}

// the unit of lengths suits the largest of the curve, where the scene does not tell it
static void choose_unit(const curve_out *o, const pl_curve *c) {
  const pl_scene *sc = o->j->scene;
  double most = 0;
  if (o->a->nprobe == 0) return;
  pl_measure of = curve_measure(o, 0);
  for (int i = 0; i < c->npoint; i++)
    most = fmax(most, pl_orbit_measure(sc->model, sc->params, c->point[i].orbit, &of, NULL));
  job_length(o->j, most);
}

static pl_status finish(curve_out *o, pl_curve *c, pl_status st, json_t *figures) {
  job *j = o->j;
  const pl_analysis *a = o->a;
  if (st >= 0 && c) set_figures(figures, c);
  if (st >= 0 && c && c->npoint) {
    choose_unit(o, c);
    report_result(o, c);
    report_residuals(j, a, c, o->energy ? a->opts.backbone_.rtol : a->opts.response_.rtol);
    pl_table *linear = NULL;
    // the curve so far is drawn when it is stopped; what is found from it takes too long
    pl_status w = job_stopped(j)
                      ? PL_OK
                      : compare(j, a, c, !o->energy && a->opts.response_.linear, figures, &linear);
    if (w == PL_OK) w = write_files(o, c, linear);
    if (w == PL_OK) report_special(o, c);
    const pl_orbit *most = largest(j, a, c);
    if (w == PL_OK && most) w = job_stress_period(j, most, a->name, figures);
    if (w == PL_OK) w = curve_slopes(o, c, figures);
    if (w == PL_OK) w = measured_compare(j, a, c, figures);
    pl_table_free(linear);
    if (w < 0 || (w == PL_CANCELLED && st == PL_OK)) st = w;
  }
  // later ones are drawn over it
  j->curve[a - j->scene->analysis] = o->table;
  pl_curve_free(c);
  return st;
}

// ---- points as they are found -----------------------------------------------------------------

static pl_status keep(curve_out *o, const pl_trail *t) {
  double *x;
  size_t n;
  PL_TRY(pl_trail_pack(t, &x, &n));
  pl_status st = checkpoint_write_numbers(o->j, o->a, n, x);
  pl_free(o->j->env, x);
  return st;
}

static pl_status look(void *ctx, const pl_curve *c, const pl_trail *t, int last) {
  curve_out *o = ctx;
  PL_TRY(curve_append(o, c));
  if (t && (last || checkpoint_due(o->j))) PL_TRY(keep(o, t));
  return job_stopped(o->j) ? PL_CANCELLED : PL_OK;
}

// ---- response ---------------------------------------------------------------------------------

pl_status job_response(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  const pl_response_opts *o = &a->opts.response_;
  curve_out out = {.j = j, .a = a, .harmonics = o->harmonic_columns, .log = o->log};
  double *from = NULL;
  pl_response_plan plan = {.nmeasure = a->nprobe, .look = look, .ctx = &out};
  pl_measure *measure = pl_alloc(j->env, (size_t)a->nprobe + 1, sizeof *measure);
  if (!measure) return PL_E_NOMEM;
  measure_words((pl_measure_kind)o->peaks, o->peak_harmonic, out.quantity);
  for (int k = 0; k < a->nprobe; k++)
    measure[k] = probe_measure(&a->probe[k], (pl_measure_kind)o->peaks, o->peak_harmonic);
  plan.measure = out.measure = measure;
  pl_curve *c = NULL;
  pl_status st = checkpoint_read_numbers(j, a, &from, &plan.nfrom);
  plan.from = from;
  if (st == PL_OK) st = pl_response_run(o, j->scene->model, j->scene->params, j->work, &plan, &c);
  pl_free(j->env, from);
  st = finish(&out, c, st, figures);
  pl_free(j->env, measure);
  return st;
}

// ---- backbone ---------------------------------------------------------------------------------

// damping ratio and frequency over the amplitudes of probed nodes
static pl_status write_damping(job *j, const pl_analysis *a, const int *node, const pl_curve *c) {
  enum { BEFORE = 4 };
  static const char *const column[BEFORE] = {"frequency", "omega", "damping_ratio", "energy"};
  static const char *const unit[BEFORE] = {"Hz", "rad_s", "", "J"};
  char name[PL_TEXT];
  int dim = j->scene->dim, n = BEFORE + a->nprobe * dim;
  pl_table *t = NULL;
  double *row = pl_alloc(j->env, (size_t)n, sizeof *row);
  pl_status st = row ? pl_table_create(j->env, n, &t) : PL_E_NOMEM;
  for (int i = 0; st == PL_OK && i < n; i++) {
    int k = (i - BEFORE) / dim, axis = (i - BEFORE) % dim;
    if (i >= BEFORE) snprintf(name, sizeof name, "%.100s_max_%c", a->probe[k].name, "xyz"[axis]);
    st = i < BEFORE ? pl_table_column(t, i, column[i], unit[i]) : pl_table_column(t, i, name, "m");
  }
  for (int k = 0; st == PL_OK && k < c->npoint; k++) {
    const pl_orbit *o = c->point[k].orbit;
    row[0] = o->omega / (2 * PL_PI);
    row[1] = o->omega;
    row[2] = c->point[k].damping;
    row[3] = c->point[k].energy;
    for (int i = 0; i < n - BEFORE; i++)
      row[BEFORE + i] =
          pl_orbit_max(j->scene->model, j->scene->params, o, node[i / dim], i % dim, NULL);
    st = pl_table_row(t, row);
  }
  snprintf(name, sizeof name, "%.100s-damping", a->name);
  if (st == PL_OK) st = job_table(j, t, name, ".csv");
  pl_table_free(t);
  pl_free(j->env, row);
  return st;
}

pl_status job_backbone(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  curve_out out = {.j = j,
                   .a = a,
                   .energy = 1,
                   .harmonics = 1,
                   .log = a->opts.backbone_.log,
                   .quantity = "path length a period"};
  int *node = pl_alloc(j->env, (size_t)a->nprobe + 1, sizeof *node);
  if (!node) return PL_E_NOMEM;
  pl_curve *c = NULL;
  double *from = NULL;
  pl_backbone_plan plan = {
      .nprobe = orbit_nodes(a, node), .probe = node, .look = look, .ctx = &out};
  pl_status st = checkpoint_read_numbers(j, a, &from, &plan.nfrom);
  plan.from = from;
  if (st == PL_OK)
    st = pl_backbone_run(&a->opts.backbone_, j->scene->model, j->scene->params, j->work, &plan, &c);
  pl_free(j->env, from);
  if (st >= 0 && c && a->opts.backbone_.damped) {
    pl_status w = write_damping(j, a, node, c);
    if (w < 0) st = w;
  }
  pl_free(j->env, node);
  return finish(&out, c, st, figures);
}
