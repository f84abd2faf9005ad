// Equilibria followed by arclength.
#include "job_impl.h"

#include <math.h>
#include <string.h>

enum { FIXED_COLUMNS = 5 };
static const table_column own[FIXED_COLUMNS] = {{"load_factor", ""},
                                                {"arclength", ""},
                                                {"negative_eigenvalues", ""},
                                                {"potential", "J"},
                                                {"elastic", "J"}};

typedef struct recorder {
  step_table t;
  pl_load_path_info info;
  pl_status status;
} recorder;

static int on_point(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  recorder *r = ctx;
  double *row = r->t.row;
  row[0] = c->scale;
  row[1] = r->info.arc;
  row[2] = r->info.nneg;
  row[3] = w->potential;
  row[4] = w->elastic;
  r->status = step_table_add(&r->t, s, w);
  return r->status != PL_OK || job_stopped(r->t.j);
}

static const char *special_name(const pl_load_path_special *p) {
  return p->fold ? "fold" : "branch point";
}

static void set_figures(json_t *f, const pl_load_path_info *i) {
  json_t *list = json_array();
  for (int k = 0; k < i->nspecial && k < PL_LOAD_PATH_SPECIALS; k++)
    json_array_append_new(list, json_pack("{s:s, s:f, s:i, s:i}", "kind",
                                          special_name(&i->special[k]), "load_factor",
                                          i->special[k].scale, "after", i->special[k].after,
                                          "negative_eigenvalues", i->special[k].nneg));
  job_set(f, "reason", json_string(pl_stop_text(i->reason)));
  job_set(f, "load_factor", json_real(i->scale));
  job_set(f, "points", json_integer(i->npoint));
  job_set(f, "stable", json_boolean(i->nneg == 0));
  job_set(f, "negative_eigenvalues", json_integer(i->nneg));
  job_set(f, "residual", json_real(i->residual));
  job_set(f, "special", list);
  job_set(f, "newton_iterations", json_integer(i->iterations));
  job_set(f, "factorisations", json_integer(i->factorisations));
  job_set(f, "rejected", json_integer(i->rejected));
  job_set(f, "seconds", json_real(i->seconds));
}

static void report_result(job *j, const pl_analysis *a, const pl_load_path_info *i) {
  int count = i->nspecial < PL_LOAD_PATH_SPECIALS ? i->nspecial : PL_LOAD_PATH_SPECIALS;
  job_note(j, "%s: %d %s to load factor %.6g (%s), residual %.1e", a->name, i->npoint,
           pl_plural(i->npoint, "point", "points"), i->scale, pl_stop_text(i->reason), i->residual);
  for (int k = 0; k < count; k++)
    job_note(j, "%s: %s at load factor %.8g", a->name, special_name(&i->special[k]),
             i->special[k].scale);
  job_say(j, "The path was followed over %d %s, to load factor %.6g (%s)%s.", i->npoint,
          pl_plural(i->npoint, "point", "points"), i->scale, pl_stop_text(i->reason),
          i->nspecial ? "" : ", without a fold or branch point");
  if (i->nneg > 0)
    job_warn(j, "%s: the last equilibrium is not stable under this load (%d %s).", a->name, i->nneg,
             pl_plural(i->nneg, "negative eigenvalue", "negative eigenvalues"));
}

static pl_status write_special(const job *j, const pl_analysis *a, const pl_load_path_info *i) {
  char name[PL_TEXT];
  pl_text t;
  if (!job_tables(j)) return PL_OK;
  pl_text_init(&t, j->env);
  pl_text_add(&t, "kind,after,load_factor,arclength,negative_eigenvalues\n");
  for (int k = 0; k < i->nspecial && k < PL_LOAD_PATH_SPECIALS; k++)
    pl_text_add(&t, "%s,%d,%.17g,%.17g,%d\n", special_name(&i->special[k]), i->special[k].after,
                i->special[k].scale, i->special[k].arc, i->special[k].nneg);
  snprintf(name, sizeof name, "%.100s-special", a->name);
  return job_text(j, name, &t);
}

// Load over displacement, stable parts drawn through, others dashed; the point where the stability
// changes belongs to both.
static pl_status plot_column(job *j, const recorder *r, int col, double rest, const char *what) {
  int rows = pl_table_rows(r->t.table), cols = pl_table_cols(r->t.table);
  const double *data = pl_table_data(r->t.table);
  double *u = pl_alloc(j->env, 3 * (size_t)rows, sizeof *u);
  if (!u) return PL_E_NOMEM;
  double *load[2] = {u + rows, u + 2 * rows};
  for (int i = 0; i < rows; i++) {
    const double *row = data + (size_t)i * (size_t)cols;
    int unstable = row[2] > 0, before = i > 0 && row[2 - cols] > 0;
    u[i] = row[col] - rest;
    load[0][i] = !unstable || (i > 0 && !before) ? row[0] : NAN;
    load[1][i] = unstable || before ? row[0] : NAN;
  }
  const pl_series series[2] = {{.name = "stable", .n = rows, .x = u, .y = load[0], .colour = 0},
                               {.name = "unstable under this load",
                                .n = rows,
                                .x = u,
                                .y = load[1],
                                .dashed = 1,
                                .colour = 0}};
  char name[PL_TEXT];
  snprintf(name, sizeof name, "%.100s-%.100s", r->t.a->name, what);
  const pl_plot plot = {.title = what,
                        .xlabel = "displacement (m)",
                        .ylabel = "load factor",
                        .nseries = 2,
                        .series = series};
  pl_status st = job_plot(j, name, &plot, "Load over the displacement of the watched place.");
  pl_free(j->env, u);
  return st;
}

static pl_status plot_paths(job *j, const recorder *r) {
  int dim = j->scene->dim, col = FIXED_COLUMNS;
  for (int k = 0; k < r->t.a->nprobe; k++) {
    const pl_probe *p = &r->t.a->probe[k];
    for (int c = 0; c < dim; c++) {
      char what[PL_TEXT];
      if (p->component >= 0 && p->component != c) continue;
      snprintf(what, sizeof what, "%.100s%s%.*s", p->name, p->component < 0 ? "-" : "",
               p->component < 0, "xyz" + c);
      PL_TRY(plot_column(j, r, col++, j->scene->params->X[p->node * dim + c], what));
    }
  }
  return PL_OK;
}

static void report_special(const job *j, const pl_load_path_info *i) {
  static const char *const head[] = {"", "load factor", "negative eigenvalues beyond it"};
  if (i->nspecial == 0) return;
  grid g = job_grid(j, 3, head);
  for (int k = 0; k < i->nspecial && k < PL_LOAD_PATH_SPECIALS; k++) {
    grid_add(&g, "%s", special_name(&i->special[k]));
    grid_add(&g, "%.8g", i->special[k].scale);
    grid_add(&g, "%d", i->special[k].nneg);
  }
  grid_end(&g);
}

static pl_status write_files(job *j, const recorder *r, const pl_state *s) {
  report_special(j, &r->info);
  PL_TRY(job_table(j, r->t.table, r->t.a->name, ".csv"));
  PL_TRY(write_special(j, r->t.a, &r->info));
  PL_TRY(job_shape(j, r->t.a, s));
  return plot_paths(j, r);
}

pl_status job_load_path(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  const pl_model *m = j->scene->model;
  pl_state *s = NULL;
  recorder r = {0};
  pl_status st = job_start(j, a, &s);
  if (st == PL_OK) st = job_left_out(j, a);
  if (st == PL_OK) st = step_table_open(j, a, FIXED_COLUMNS, own, 0, 1, &r.t);
  if (st == PL_OK) {
    st = pl_load_path(&a->opts.load_path_, m, j->scene->params, s, j->work, on_point, &r, &r.info);
    if (r.status != PL_OK) st = r.status;
  }
  if (st >= 0) {
    set_figures(figures, &r.info);
    job_probe_figures(j, a, s, figures);
    report_result(j, a, &r.info);
    pl_status e = job_join_report(j, a, s, figures);
    if (e < 0) st = e;
    pl_status w = r.info.npoint > 0 ? job_stress_report(j, a, s, figures) : PL_OK;
    if (w == PL_OK && r.info.npoint > 0) w = write_files(j, &r, s);
    if (w < 0) st = w;
  }
  step_table_close(&r.t);
  return job_end(j, index, s, st);
}
