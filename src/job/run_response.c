#include "run_linear.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIXED = 5, WATCHES = 64 }; // frequency, omega, stable, harmonics, residual

// files of an analysis with its kind's name are called plainly: special.csv, harmonics.csv
static const char *file_name(const pl_analysis *a, const char *what, char buf[PL_TEXT]) {
  if (strcmp(a->name, "response") == 0)
    snprintf(buf, PL_TEXT, "%s", what);
  else
    snprintf(buf, PL_TEXT, "%.100s-%s", a->name, what);
  return buf;
}

static pl_status make_table(job *j, const pl_analysis *a, const pl_curve *c, int energy,
                            pl_table **out) {
  const pl_scene *sc = j->scene;
  static const char *const names[FIXED] = {"frequency", "omega", "stable", "harmonics", "residual"};
  static const char *const units[FIXED] = {"Hz", "rad/s", "", "", ""};
  int dim = sc->dim, per = 1 + dim, ncol = FIXED + energy + per * a->nwatch, at = FIXED;
  PL_TRY(pl_table_create(j->env, ncol, out));
  for (int k = 0; k < FIXED; k++) PL_TRY(pl_table_column(*out, k, names[k], units[k]));
  if (energy) PL_TRY(pl_table_column(*out, at++, "energy", "J"));
  for (int k = 0; k < a->nwatch; k++) {
    char name[PL_TEXT];
    snprintf(name, sizeof name, "%s_path", a->watch[k].name);
    PL_TRY(pl_table_column(*out, at++, name, "m"));
    for (int x = 0; x < dim; x++) {
      snprintf(name, sizeof name, "%s_max_%c", a->watch[k].name, "xyz"[x]);
      PL_TRY(pl_table_column(*out, at++, name, "m"));
    }
  }
  double *row = pl_alloc(j->env, (size_t)ncol, sizeof(double));
  if (!row) return PL_E_NOMEM;
  pl_status st = PL_OK;
  for (int i = 0; st == PL_OK && i < c->npoint; i++) {
    const pl_curve_point *p = &c->point[i];
    row[0] = p->orbit->omega / (2 * PL_PI);
    row[1] = p->orbit->omega;
    row[2] = p->stable;
    row[3] = p->orbit->nharm;
    row[4] = p->residual;
    at = FIXED;
    if (energy) row[at++] = p->energy;
    for (int k = 0; k < a->nwatch; k++) {
      int node = a->watch[k].node;
      row[at++] = pl_orbit_path(sc->model, sc->params, p->orbit, node, 0, NULL);
      for (int x = 0; x < dim; x++)
        row[at++] = pl_orbit_max(sc->model, sc->params, p->orbit, node, x, NULL);
    }
    st = pl_table_row(*out, row);
  }
  pl_free(j->env, row);
  return st;
}

static pl_status write_special(job *j, const pl_analysis *a, const pl_curve *c) {
  const pl_scene *sc = j->scene;
  pl_text t;
  char name[PL_TEXT], path[PL_TEXT];
  pl_text_init(&t, j->env);
  pl_text_add(&t, "kind,after_point,frequency_Hz,omega_rad_s,watch,path_m");
  for (int x = 0; x < sc->dim; x++) pl_text_add(&t, ",max_%c_m", "xyz"[x]);
  pl_text_add(&t, "\n");
  for (int i = 0; i < c->nspecial; i++) {
    const pl_special *s = &c->special[i];
    // places that are not peaks are told for every watched node
    for (int k = 0; k < a->nwatch; k++) {
      if (s->kind == PL_PEAK && s->watch != k) continue;
      int node = a->watch[k].node;
      pl_text_add(&t, "%s,%d,%.17g,%.17g,%s,%.17g", pl_special_name[s->kind], s->after,
                  s->omega / (2 * PL_PI), s->omega, a->watch[k].name,
                  pl_orbit_path(sc->model, sc->params, s->orbit, node, 0, NULL));
      for (int x = 0; x < sc->dim; x++)
        pl_text_add(&t, ",%.17g", pl_orbit_max(sc->model, sc->params, s->orbit, node, x, NULL));
      pl_text_add(&t, "\n");
    }
    if (a->nwatch == 0)
      pl_text_add(&t, "%s,%d,%.17g,%.17g,,\n", pl_special_name[s->kind], s->after,
                  s->omega / (2 * PL_PI), s->omega);
  }
  job_path(j, file_name(a, "special", name), ".csv", path);
  pl_status st = t.failed ? PL_E_NOMEM : pl_file_write(j->env, path, t.s, t.n);
  pl_text_free(&t);
  return st;
}

// the linear curve of a watched node as a series, cut where it would dwarf the other
static pl_series linear_series(const pl_table *t, int col, double most, double *x, double *y) {
  int rows = pl_table_rows(t), cols = pl_table_cols(t);
  const double *d = pl_table_data(t);
  for (int i = 0; i < rows; i++) {
    x[i] = d[i * cols];
    y[i] = d[i * cols + col] <= 1.5 * most ? d[i * cols + col] : NAN;
  }
  return (pl_series){.name = "linear", .n = rows, .x = x, .y = y, .colour = 2};
}

// one amplitude over frequency: stable solid, unstable dashed, special points marked
static pl_status curve_plot(job *j, const pl_analysis *a, const pl_curve *c, const pl_table *t,
                            const pl_table *linear, int col, int watch, const char *name) {
  int rows = pl_table_rows(t), cols = pl_table_cols(t), ns = c->nspecial;
  int nl = linear ? pl_table_rows(linear) : 0;
  double most = 0;
  const double *d = pl_table_data(t);
  double *x = pl_alloc(j->env, (size_t)rows * 3 + 2 * (size_t)(ns + nl) + 1, sizeof(double));
  if (!x) return PL_E_NOMEM;
  double *ys = x + rows, *yu = ys + rows, *px = yu + rows, *py = px + ns;
  for (int i = 0; i < rows; i++) {
    x[i] = d[i * cols];
    double y = d[i * cols + col];
    most = fmax(most, y);
    int unstable = c->point[i].stable == 0, next = i + 1 < rows && c->point[i + 1].stable == 0;
    int last = i > 0 && c->point[i - 1].stable == 0;
    ys[i] = unstable ? NAN : y;
    // the dashed part joins the solid one at both ends
    yu[i] = unstable || next || last ? y : NAN;
  }
  int np = 0;
  for (int i = 0; i < ns; i++) {
    if (c->special[i].kind == PL_PEAK && c->special[i].watch != watch) continue;
    px[np] = c->special[i].omega / (2 * PL_PI);
    py[np++] = pl_orbit_path(j->scene->model, j->scene->params, c->special[i].orbit,
                             a->watch[watch].node, 0, NULL);
  }
  // the legend speaks of stability only where it was asked for
  int asked = 0, nseries = 0;
  for (int i = 0; i < rows; i++) asked |= c->point[i].stable >= 0;
  pl_series series[4];
  series[nseries++] =
      (pl_series){.name = asked ? "stable" : "harmonic balance", .n = rows, .x = x, .y = ys};
  if (asked)
    series[nseries++] =
        (pl_series){.name = "unstable", .n = rows, .x = x, .y = yu, .dashed = 1, .colour = 1};
  if (np)
    series[nseries++] = (pl_series){
        .name = "peaks, folds, bifurcations", .n = np, .x = px, .y = py, .points = 1, .colour = 3};
  if (linear)
    series[nseries++] =
        linear_series(linear, 2 + (1 + j->scene->dim) * watch, most, py + ns, py + ns + nl);
  char title[PL_TEXT];
  snprintf(title, sizeof title, "response of %s", a->watch[watch].name);
  pl_plot plot = {.title = title,
                  .xlabel = "frequency (Hz)",
                  .ylabel = "path length a period (m)",
                  .nseries = nseries,
                  .series = series};
  pl_status st = job_plot(
      j, name, &plot,
      linear ? "Frequency response, and that of the linear model as far as it fits the picture."
             : "Frequency response.");
  pl_free(j->env, x);
  return st;
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
  if (change >= 0) job_set(f, "harmonics_change", json_real(change));
  json_t *list = json_array();
  for (int i = 0; i < c->nspecial; i++)
    json_array_append_new(list,
                          json_pack("{s:s, s:f, s:f}", "kind", pl_special_name[c->special[i].kind],
                                    "frequency_Hz", c->special[i].omega / (2 * PL_PI),
                                    "amplitude_m", c->special[i].amplitude));
  job_set(f, "special", list);
}

static void tell(job *j, const pl_analysis *a, const pl_curve *c) {
  job_note(j, "%s: %d points, %d peaks, folds and bifurcations, %s", a->name, c->npoint,
           c->nspecial, pl_stop_text(c->reason));
  if (!j->page) return;
  int unstable = 0;
  for (int i = 0; i < c->npoint; i++) unstable += c->point[i].stable == 0;
  if (c->reason != PL_STOP_END)
    pl_page_warning(j->page, "%s: the curve ends early: %s.", a->name, pl_stop_text(c->reason));
  pl_page_text(j->page, "%d points, %d of them unstable; %d Newton iterations, %d factorisations.",
               c->npoint, unstable, c->iterations, c->factorisations);
  if (!c->nspecial) return;
  const char **cells = pl_alloc(j->env, 3 * (size_t)(c->nspecial + 1), sizeof *cells);
  char(*text)[32] = pl_alloc(j->env, 2 * (size_t)c->nspecial, sizeof *text);
  if (cells && text) {
    cells[0] = "special point";
    cells[1] = "frequency (Hz)";
    cells[2] = "path length (m)";
    for (int i = 0; i < c->nspecial; i++) {
      snprintf(text[2 * i], 32, "%.8g", c->special[i].omega / (2 * PL_PI));
      snprintf(text[2 * i + 1], 32, "%.6g", c->special[i].amplitude);
      cells[3 * i + 3] = pl_special_name[c->special[i].kind];
      cells[3 * i + 4] = text[2 * i];
      cells[3 * i + 5] = text[2 * i + 1];
    }
    pl_page_grid(j->page, c->nspecial + 1, 3, cells);
  }
  pl_free(j->env, cells);
  pl_free(j->env, text);
}

// the point of largest path length of the first watch is the one to look at
static const pl_orbit *largest(const job *j, const pl_analysis *a, const pl_curve *c) {
  const pl_orbit *best = NULL;
  double most = -1;
  for (int i = 0; i < c->npoint && a->nwatch; i++) {
    double p = pl_orbit_path(j->scene->model, j->scene->params, c->point[i].orbit, a->watch[0].node,
                             0, NULL);
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
  char name[PL_TEXT], path[PL_TEXT];
  PL_TRY(pl_orbit_strain(j->scene->model, j->scene->params, o, 0, NULL, &full));
  strain_set(j, figures, "max_strain", &full);
  if (want_linear) {
    PL_TRY(linear_curve(j, a, opts->from, opts->to, linear, &other, &omega));
    strain_set(j, figures, "linear_max_strain", &other);
    snprintf(name, sizeof name, "%.100s-linear", a->name);
    if (j->scene->output.csv) PL_TRY(pl_table_write(*linear, job_path(j, name, ".csv", path)));
  }
  if (!j->page || full.value == 0) return PL_OK;
  pl_page_text(j->page, "Largest strain over a period: %.4g, in the largest motion (%.6g Hz).",
               fabs(full.value), o->omega / (2 * PL_PI));
  if (want_linear)
    pl_page_text(j->page, "In the largest linear motion (%.6g Hz): %.4g.", omega / (2 * PL_PI),
                 fabs(other.value));
  return PL_OK;
}

static pl_status write_multipliers(job *j, const pl_analysis *a, const pl_curve *c) {
  char name[PL_TEXT], path[PL_TEXT];
  pl_table *t = NULL;
  pl_status st = multipliers_table(j, c, &t);
  if (st == PL_OK && pl_table_rows(t) > 0)
    st = pl_table_write(t, job_path(j, file_name(a, "multipliers", name), ".csv", path));
  pl_table_free(t);
  return st;
}

static pl_status write_files(job *j, const pl_analysis *a, const pl_curve *c,
                             const pl_table *linear, int energy) {
  char name[PL_TEXT], path[PL_TEXT];
  pl_table *t = NULL, *harmonics = NULL;
  int per = 1 + j->scene->dim;
  pl_status st = make_table(j, a, c, energy, &t);
  if (st == PL_OK && j->scene->output.csv)
    st = pl_table_write(t, job_path(j, a->name, ".csv", path));
  if (st == PL_OK && j->scene->output.csv) st = write_special(j, a, c);
  if (st == PL_OK && j->scene->output.csv) st = write_multipliers(j, a, c);
  if (st == PL_OK) st = orbit_harmonics_open(j, a, &harmonics);
  for (int i = 0; st == PL_OK && i < c->npoint; i++)
    st = orbit_harmonics_add(j, a, c->point[i].orbit, i, harmonics);
  if (st == PL_OK && j->scene->output.csv)
    st = pl_table_write(harmonics, job_path(j, file_name(a, "harmonics", name), ".csv", path));
  for (int k = 0; st == PL_OK && k < a->nwatch; k++) {
    snprintf(name, sizeof name, "%.60s-%.60s", a->name, a->watch[k].name);
    st = curve_plot(j, a, c, t, linear, FIXED + energy + per * k, k, name);
  }
  const pl_orbit *o = largest(j, a, c);
  if (st == PL_OK && o) st = orbit_show(j, o, a->name, "largest motion");
  pl_table_free(t);
  pl_table_free(harmonics);
  return st;
}

static pl_status finish(job *j, const pl_analysis *a, pl_curve *c, pl_status st, int energy,
                        json_t *figures) {
  if (st >= 0 && c && c->npoint) {
    set_figures(figures, c);
    tell(j, a, c);
    pl_table *linear = NULL;
    pl_status w = compare(j, a, c, !energy && a->opts.response_.linear, figures, &linear);
    if (w == PL_OK) w = write_files(j, a, c, linear, energy);
    pl_table_free(linear);
    if (w < 0 || (w == PL_CANCELLED && st == PL_OK)) st = w;
  }
  pl_curve_free(c);
  return st;
}

pl_status job_response(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  int node[WATCHES], n = a->nwatch <= WATCHES ? orbit_nodes(a, node) : 0;
  pl_curve *c = NULL;
  pl_status st = pl_response(&a->opts.response_, j->scene->model, j->scene->params, j->work, n,
                             node, NULL, &c);
  return finish(j, a, c, st, 0, figures);
}

pl_status job_backbone(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  int node[WATCHES], n = a->nwatch <= WATCHES ? orbit_nodes(a, node) : 0;
  pl_curve *c = NULL;
  pl_status st =
      pl_backbone(&a->opts.backbone_, j->scene->model, j->scene->params, j->work, n, node, &c);
  return finish(j, a, c, st, 1, figures);
}
