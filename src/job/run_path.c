// Equilibria followed by arclength.
#include "job_impl.h"

#include <math.h>
#include <string.h>

enum { FIXED_COLUMNS = 6 };
static const table_column own[FIXED_COLUMNS] = {{"load_factor", ""},          {"arclength", ""},
                                                {"negative_eigenvalues", ""}, {"branch", ""},
                                                {"potential", "J"},           {"elastic", "J"}};

// a special place as it is drawn and told
typedef struct mark {
  pl_load_path_special p;
  double *probe; // [number of probed components]
} mark;

typedef struct recorder {
  step_table t;
  pl_load_path_info info;
  pl_load_path_plan plan;
  int nmark;
  mark mark[PL_LOAD_PATH_SPECIALS];
  pl_status status;
} recorder;

static int on_point(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  recorder *r = ctx;
  double *row = r->t.row;
  (void)c;
  row[0] = r->info.scale;
  row[1] = r->info.arc;
  row[2] = r->info.nneg;
  row[3] = r->info.branch;
  row[4] = w->potential;
  row[5] = w->elastic;
  r->status = step_table_add(&r->t, s, w);
  return r->status != PL_OK || job_stopped(r->t.j);
}

static void on_special(void *ctx, const pl_load_path_special *p, const pl_state *s) {
  recorder *r = ctx;
  const job *j = r->t.j;
  if (r->nmark == PL_LOAD_PATH_SPECIALS) return;
  mark *m = &r->mark[r->nmark];
  m->probe = pl_alloc(j->env, (size_t)r->plan.nprobe + 1, sizeof *m->probe);
  if (!m->probe) {
    r->status = PL_E_NOMEM;
    return;
  }
  m->p = *p;
  for (int i = 0; i < r->plan.nprobe; i++) m->probe[i] = s->q[r->plan.probe[i]];
  r->nmark++;
}

// the probed components, in the order of the table's columns; of those turns are looked for
static pl_status open_plan(job *j, const pl_analysis *a, recorder *r) {
  int dim = j->scene->dim, *list = pl_alloc(j->env, 3 * (size_t)a->nprobe + 1, sizeof *list);
  if (!list) return PL_E_NOMEM;
  r->plan = (pl_load_path_plan){
      .design = a->control, .value = a->control_value, .probe = list, .special = on_special};
  for (int k = 0; k < a->nprobe; k++)
    for (int c = 0; c < dim; c++)
      if (a->probe[k].component < 0 || a->probe[k].component == c)
        list[r->plan.nprobe++] = a->probe[k].node * dim + c;
  return PL_OK;
}

static void close_recorder(job *j, recorder *r) {
  for (int i = 0; i < r->nmark; i++) pl_free(j->env, r->mark[i].probe);
  pl_free(j->env, (void *)r->plan.probe);
  step_table_close(&r->t);
}

static const char *place_name(int place) {
  static const char *const name[] = {"branch point", "fold", "turn"};
  return name[place];
}

static const char *special_name(const pl_load_path_special *p) {
  return place_name(p->fold);
}

// name of the probed component of a turn
static const char *probe_name(const job *j, const pl_analysis *a, int probe, char buf[PL_TEXT]) {
  int n = 0;
  snprintf(buf, PL_TEXT, "%s", "");
  for (int k = 0; k < a->nprobe; k++)
    for (int c = 0; c < j->scene->dim; c++) {
      if (a->probe[k].component >= 0 && a->probe[k].component != c) continue;
      if (n++ == probe)
        snprintf(buf, PL_TEXT, "%.100s%s%.*s", a->probe[k].name,
                 a->probe[k].component < 0 ? "." : "", a->probe[k].component < 0, "xyz" + c);
    }
  return buf;
}

// folds and branch points, or turns of probed places
static json_t *special_figures(const job *j, const recorder *r, int turns) {
  json_t *list = json_array();
  char buf[PL_TEXT];
  for (int k = 0; k < r->nmark; k++) {
    const pl_load_path_special *p = &r->mark[k].p;
    if ((p->fold == PL_PATH_TURN) != turns) continue;
    json_t *one =
        json_pack("{s:s, s:f, s:i, s:i, s:i}", "kind", special_name(p), "load_factor", p->scale,
                  "after", p->after, "negative_eigenvalues", p->nneg, "branch", p->branch);
    if (turns) job_set(one, "watch", json_string(probe_name(j, r->t.a, p->probe, buf)));
    json_array_append_new(list, one);
  }
  return list;
}

static void set_figures(const job *j, json_t *f, const recorder *r) {
  const pl_load_path_info *i = &r->info;
  json_t *paths = json_array();
  for (int k = 1; k < i->nbranch && k < PL_LOAD_PATHS; k++)
    json_array_append_new(paths, json_pack("{s:i, s:i, s:i, s:s, s:f}", "branch", k, "from",
                                           i->path[k].from, "points", i->path[k].npoint, "reason",
                                           pl_stop_text(i->path[k].reason), "load_factor",
                                           i->path[k].scale));
  job_set(f, "reason", json_string(pl_stop_text(i->reason)));
  job_set(f, "load_factor", json_real(i->scale));
  job_set(f, "points", json_integer(i->npoint));
  job_set(f, "stable", json_boolean(i->nneg == 0));
  job_set(f, "negative_eigenvalues", json_integer(i->nneg));
  job_set(f, "residual", json_real(i->residual));
  job_set(f, "special", special_figures(j, r, 0));
  job_set(f, "turns", special_figures(j, r, 1));
  job_set(f, "branches", paths);
  job_set(f, "newton_iterations", json_integer(i->iterations));
  job_set(f, "factorisations", json_integer(i->factorisations));
  job_set(f, "rejected", json_integer(i->rejected));
  job_set(f, "seconds", json_real(i->seconds));
}

static void report_branches(job *j, const pl_analysis *a, const pl_load_path_info *i) {
  for (int k = 1; k < i->nbranch && k < PL_LOAD_PATHS; k++) {
    const pl_load_path_branch *p = &i->path[k];
    job_note(j, "%s: branch %d: %d %s to load factor %.6g (%s)", a->name, k, p->npoint,
             pl_plural(p->npoint, "point", "points"), p->scale, pl_stop_text(p->reason));
  }
}

static void report_result(job *j, const pl_analysis *a, const recorder *r) {
  const pl_load_path_info *i = &r->info;
  char buf[PL_TEXT];
  job_note(j, "%s: %d %s to load factor %.6g (%s), residual %.1e", a->name, i->npoint,
           pl_plural(i->npoint, "point", "points"), i->scale, pl_stop_text(i->reason), i->residual);
  for (int k = 0; k < r->nmark; k++) {
    const pl_load_path_special *p = &r->mark[k].p;
    if (p->fold != PL_PATH_TURN)
      job_note(j, "%s: %s at load factor %.8g", a->name, special_name(p), p->scale);
    else
      job_note(j, "%s: %s turns back at load factor %.8g", a->name, probe_name(j, a, p->probe, buf),
               p->scale);
  }
  report_branches(j, a, i);
  job_say(j, "The path was followed over %d %s, to load factor %.6g (%s)%s.", i->npoint,
          pl_plural(i->npoint, "point", "points"), i->scale, pl_stop_text(i->reason),
          i->nspecial ? "" : ", without a fold or branch point");
  if (i->nneg > 0)
    job_warn(j, "%s: the last equilibrium is not stable under this load (%d %s).", a->name, i->nneg,
             pl_plural(i->nneg, "negative eigenvalue", "negative eigenvalues"));
}

static pl_status write_special(const job *j, const recorder *r) {
  char name[PL_TEXT], buf[PL_TEXT];
  pl_text t;
  if (!job_tables(j)) return PL_OK;
  pl_text_init(&t, j->env);
  pl_text_add(&t, "kind,branch,after,load_factor,arclength,negative_eigenvalues");
  for (int i = 0; i < r->plan.nprobe; i++) pl_text_add(&t, ",%s_m", probe_name(j, r->t.a, i, buf));
  pl_text_add(&t, "\n");
  for (int k = 0; k < r->nmark; k++) {
    const mark *m = &r->mark[k];
    pl_text_add(&t, "%s%s%s,%d,%d,%.17g,%.17g,%d", special_name(&m->p),
                m->p.fold == PL_PATH_TURN ? " of " : "",
                m->p.fold == PL_PATH_TURN ? probe_name(j, r->t.a, m->p.probe, buf) : "",
                m->p.branch, m->p.after, m->p.scale, m->p.arc, m->p.nneg);
    for (int i = 0; i < r->plan.nprobe; i++) pl_text_add(&t, ",%.17g", m->probe[i]);
    pl_text_add(&t, "\n");
  }
  snprintf(name, sizeof name, "%.100s-special", r->t.a->name);
  return job_text(j, name, &t);
}

// rows of the table as curves: stable parts drawn through, others dashed; the point where the
// stability changes belongs to both, and branches are apart
static void fill_curves(const recorder *r, int col, double rest, double *u, double *stable,
                        double *other) {
  int rows = pl_table_rows(r->t.table), cols = pl_table_cols(r->t.table);
  const double *data = pl_table_data(r->t.table);
  for (int i = 0, at = 0; i < rows; i++, at++) {
    const double *row = data + (size_t)i * (size_t)cols;
    int same = i > 0 && row[3 - cols] == row[3];
    int unstable = row[2] > 0, before = same && row[2 - cols] > 0;
    if (i > 0 && !same) {
      u[at] = stable[at] = other[at] = NAN;
      at++;
    }
    u[at] = row[col] - rest;
    stable[at] = !unstable || (same && !before) ? row[0] : NAN;
    other[at] = unstable || before ? row[0] : NAN;
  }
}

// the special places of one kind as points
static int fill_marks(const recorder *r, int place, int probe, double rest, double *x, double *y) {
  int n = 0;
  for (int k = 0; k < r->nmark; k++) {
    const mark *m = &r->mark[k];
    if (m->p.fold != place || (place == PL_PATH_TURN && m->p.probe != probe)) continue;
    x[n] = m->probe[probe] - rest;
    y[n++] = m->p.scale;
  }
  return n;
}

// Load over displacement, with special places.
static pl_status plot_column(job *j, const recorder *r, int probe, double rest, const char *what) {
  int rows = pl_table_rows(r->t.table), n = rows + r->info.nbranch + 1;
  double *u = pl_alloc(j->env, 3 * (size_t)n + 6 * PL_LOAD_PATH_SPECIALS, sizeof *u);
  if (!u) return PL_E_NOMEM;
  double *load[2] = {u + n, u + 2 * n}, *x = u + 3 * n;
  for (int i = 0; i < 3 * n; i++) u[i] = NAN;
  fill_curves(r, FIXED_COLUMNS + probe, rest, u, load[0], load[1]);
  pl_series series[5] = {
      {.name = "stable", .n = n, .x = u, .y = load[0], .colour = 0},
      {.name = "unstable under this load", .n = n, .x = u, .y = load[1], .dashed = 1, .colour = 0}};
  int count = 2;
  static const struct {
    int place, colour;
    const char *name;
  } kinds[3] = {{PL_PATH_FOLD, 1, "limit points of the load"},
                {PL_PATH_TURN, 2, "limit points of the displacement"},
                {PL_PATH_BRANCH, 3, "branch points"}};
  for (int k = 0; k < 3; k++, x += 2 * PL_LOAD_PATH_SPECIALS) {
    double *y = x + PL_LOAD_PATH_SPECIALS;
    int found = fill_marks(r, kinds[k].place, probe, rest, x, y);
    if (found == 0) continue;
    series[count++] = (pl_series){
        .name = kinds[k].name, .n = found, .x = x, .y = y, .points = 1, .colour = kinds[k].colour};
  }
  char name[PL_TEXT];
  snprintf(name, sizeof name, "%.100s-%.100s", r->t.a->name, what);
  const pl_plot plot = {.title = what,
                        .xlabel = "displacement (m)",
                        .ylabel = "load factor",
                        .nseries = count,
                        .series = series};
  pl_status st = job_plot(j, name, &plot, "Load over the displacement of the watched place.");
  pl_free(j->env, u);
  return st;
}

static pl_status plot_paths(job *j, const recorder *r) {
  int dim = j->scene->dim, col = 0;
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

static void report_special(const job *j, const recorder *r) {
  static const char *const head[] = {"", "branch", "load factor", "negative eigenvalues beyond it"};
  char buf[PL_TEXT];
  if (r->nmark == 0) return;
  grid g = job_grid(j, 4, head);
  for (int k = 0; k < r->nmark; k++) {
    const pl_load_path_special *p = &r->mark[k].p;
    int of_probe = p->fold == PL_PATH_TURN;
    grid_add(&g, "%s%s%s", special_name(p), of_probe ? " of " : "",
             of_probe ? probe_name(j, r->t.a, p->probe, buf) : "");
    grid_add(&g, "%d", p->branch);
    grid_add(&g, "%.8g", p->scale);
    grid_add(&g, "%d", p->nneg);
  }
  grid_end(&g);
}

static pl_status write_files(job *j, const recorder *r, const pl_state *s) {
  report_special(j, r);
  PL_TRY(job_table(j, r->t.table, r->t.a->name, ".csv"));
  PL_TRY(write_special(j, r));
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
  if (st == PL_OK) st = open_plan(j, a, &r);
  if (st == PL_OK) {
    st = pl_load_path_planned(&a->opts.load_path_, &r.plan, m, j->scene->params, s, j->work,
                              on_point, &r, &r.info);
    if (r.status != PL_OK) st = r.status;
  }
  if (st >= 0) {
    set_figures(j, figures, &r);
    job_probe_figures(j, a, s, figures);
    report_result(j, a, &r);
    pl_status e = job_join_report(j, a, s, figures);
    if (e < 0) st = e;
    pl_status w = r.info.npoint > 0 ? job_stress_report(j, a, s, figures) : PL_OK;
    if (w == PL_OK && r.info.npoint > 0) w = write_files(j, &r, s);
    if (w < 0) st = w;
  }
  close_recorder(j, &r);
  return job_end(j, index, s, st);
}
