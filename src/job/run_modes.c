#include "job_impl.h"

#include "pliant/math.h"

#include <stdio.h>
#include <string.h>

enum { PICTURES = 6, BARS = 24 }; // modes drawn on the page; nodes in one picture of bars

// the state displaced along a mode so that its largest displacement is a tenth of the body
static double displaced(const job *j, const pl_state *s, const double *shape, pl_state *out) {
  const pl_scene *sc = j->scene;
  double lo[3], hi[3], most = 0;
  pl_mesh_bounds(sc->mesh, lo, hi);
  double d[3] = {hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]};
  int n = pl_model_nnode(sc->model) * sc->dim;
  for (int i = 0; i < n; i += sc->dim) {
    double u = pl_norm(sc->dim, shape + i);
    if (u > most) most = u;
  }
  double f = most > 0 ? 0.1 * pl_norm3(d) / most : 0;
  pl_axpy(s->nq, f, shape, s->q, out->q);
  return f;
}

static pl_status write_mode(job *j, const pl_analysis *a, const pl_state *s, const double *shape,
                            int k, double omega) {
  const pl_scene *sc = j->scene;
  char name[PL_TEXT], path[PL_TEXT], title[PL_TEXT];
  int n = sc->mesh->nvert;
  pl_state *moved = NULL;
  double *frame = pl_alloc(j->env, (size_t)n * 6, sizeof(double));
  pl_status status = frame ? pl_state_create(sc->model, sc->params, &moved) : PL_E_NOMEM;
  if (status == PL_OK) {
    displaced(j, s, shape, moved);
    snprintf(name, sizeof name, "%s-%d", a->name, k + 1);
    snprintf(title, sizeof title, "mode %d: %.5g Hz", k + 1, omega / (2 * PL_PI));
    if (j->output.vtu) status = job_vtu_shape(j, s, moved, job_path(j, name, ".vtu", path));
  }
  if (status == PL_OK && j->output.glb) {
    // one morph target, its weight a sine
    double *base = frame + 3 * n, time[33], weight[33];
    job_positions(j, s->q, 1, base);
    job_positions(j, moved->q, 1, frame);
    for (int i = 0; i < 3 * n; i++) frame[i] -= base[i];
    for (int i = 0; i <= 32; i++) {
      time[i] = i / 32.0;
      weight[i] = sin(2 * PL_PI * i / 32);
    }
    status = job_glb(j, &(job_motion){base, 1, 33, frame, time, weight, NULL, NULL},
                     job_path(j, name, ".glb", path));
  }
  if (status == PL_OK && k < PICTURES && sc->dim > 1) {
    double *rest = frame + 3 * n;
    job_positions(j, s->q, 1, rest);
    job_positions(j, moved->q, 1, j->x);
    for (int i = 0; i < n; i++) {
      double u[3];
      pl_sub3(j->x + 3 * i, rest + 3 * i, u);
      j->colour[i] = pl_norm3(u);
    }
    double most = pl_max_abs(n, j->colour);
    for (int i = 0; i < n && most > 0; i++) j->colour[i] /= most;
    pl_text svg;
    pl_text_init(&svg, j->env);
    pl_view view = job_view(j);
    view.x = j->x;
    view.ghost = rest;
    view.colour = j->colour;
    view.colour_label = "relative displacement";
    view.title = title;
    view.hi = 1;
    status = pl_view_svg(&svg, sc->mesh, &view);
    if (status == PL_OK && svg.s && j->output.plots)
      status = pl_file_write(j->env, job_path(j, name, ".svg", path), svg.s, svg.n);
    if (status == PL_OK && svg.s && j->page) pl_page_figure(j->page, svg.s, NULL);
    pl_text_free(&svg);
  }
  pl_state_free(sc->model, moved);
  pl_free(j->env, frame);
  return status;
}

// name of a node, or its number
static const char *node_name(const pl_scene *sc, int node, char buf[32]) {
  for (int i = 0; i < sc->nname; i++)
    if (sc->name[i].node == node) return sc->name[i].name;
  snprintf(buf, 32, "node %d", node);
  return buf;
}

// motions along one line, and of nodes at one place, have no shape to draw: a bar for each node
static pl_status draw_bars(job *j, const pl_analysis *a, const double *shape, int k, double omega) {
  const pl_scene *sc = j->scene;
  const char *name[BARS];
  double value[BARS], most = pl_max_abs(pl_model_nnode(sc->model), shape);
  char buf[BARS][32], file[PL_TEXT], title[PL_TEXT];
  int n = pl_model_nnode(sc->model) < BARS ? pl_model_nnode(sc->model) : BARS;
  for (int i = 0; i < n; i++) {
    name[i] = node_name(sc, i, buf[i]);
    value[i] = most > 0 ? shape[i] / most : 0;
  }
  pl_text svg;
  pl_text_init(&svg, j->env);
  snprintf(file, sizeof file, "%s-%d", a->name, k + 1);
  snprintf(title, sizeof title, "mode %d: %.5g Hz", k + 1, omega / (2 * PL_PI));
  pl_status st = pl_bars_svg(&svg, title, "relative displacement", NULL, n, name, value);
  if (st == PL_OK) st = job_figure(j, file, &svg, NULL);
  pl_text_free(&svg);
  return st;
}

static pl_status write_table(job *j, const pl_analysis *a, const double *omega, int n) {
  pl_table *t;
  PL_TRY(pl_table_create(j->env, 3, &t));
  pl_status s = pl_table_column(t, 0, "mode", "");
  if (s == PL_OK) s = pl_table_column(t, 1, "frequency", "Hz");
  if (s == PL_OK) s = pl_table_column(t, 2, "omega", "rad/s");
  for (int k = 0; s == PL_OK && k < n; k++) {
    double row[3] = {k + 1, omega[k] / (2 * PL_PI), omega[k]};
    s = pl_table_row(t, row);
  }
  if (s == PL_OK) s = job_table(j, t, a->name, ".csv");
  pl_table_free(t);
  return s;
}

// modes that hardly anyone asks for
static void warn_user(job *j, const pl_analysis *a, const pl_modes_info *i) {
  if (i->nrigid && pl_model_ndrive(j->scene->model) > 0)
    pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
              "what is held at a point or along a line turns about it: hold two rows of nodes, or "
              "clamp: yes (rods, shells with bending: midedge)",
              "%s: %d %s without stiffness, which the supports leave free", a->name, i->nrigid,
              pl_plural(i->nrigid, "mode", "modes"));
  if (i->nunstable)
    pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
              "start from a static with perturb: yes",
              "%s: %d %s of negative stiffness: the state is not a stable equilibrium. Rates of "
              "growth are given as negative frequencies",
              a->name, i->nunstable, pl_plural(i->nunstable, "mode", "modes"));
}

static void report_result(job *j, const pl_analysis *a, const pl_modes_info *info,
                          const double *omega) {
  char list[PL_TEXT] = "";
  size_t at = 0;
  for (int k = 0; k < info->nfound && at < sizeof list - 40; k++)
    at += (size_t)snprintf(list + at, sizeof list - at, " %.5g", omega[k] / (2 * PL_PI));
  job_note(j, "%s:%s Hz", a->name, list);
  if (!j->page) return;
  if (info->nrigid)
    pl_page_text(j->page, "%d %s (frequency zero).", info->nrigid,
                 pl_plural(info->nrigid, "rigid mode", "rigid modes"));
  char cell[64][32];
  const char *cells[64];
  int n = info->nfound < 31 ? info->nfound : 31;
  cells[0] = "mode";
  cells[1] = "frequency (Hz)";
  for (int k = 0; k < n; k++) {
    snprintf(cell[2 * k], 32, "%d", k + 1);
    snprintf(cell[2 * k + 1], 32, "%.6g", omega[k] / (2 * PL_PI));
    cells[2 * k + 2] = cell[2 * k];
    cells[2 * k + 3] = cell[2 * k + 1];
  }
  pl_page_grid(j->page, n + 1, 2, cells);
}

static void set_figures(json_t *f, const pl_modes_info *i, const double *omega) {
  json_t *list = json_array();
  for (int k = 0; k < i->nfound; k++)
    json_array_append_new(list, json_real(omega[k] / (2 * PL_PI)));
  job_set(f, "frequency_Hz", list);
  job_set(f, "rigid", json_integer(i->nrigid));
  job_set(f, "unstable", json_integer(i->nunstable));
  job_set(f, "residual", json_real(i->residual));
  job_set(f, "seconds", json_real(i->seconds));
}

pl_status job_modes(job *j, int index, json_t *figures) {
  const pl_scene *sc = j->scene;
  const pl_analysis *a = &sc->analysis[index];
  int count = a->opts.modes_.count;
  pl_state *s = NULL;
  pl_modes_info info = {0};
  double *omega = pl_alloc(j->env, (size_t)count, sizeof(double));
  double *shape = pl_alloc(j->env, (size_t)count, (size_t)pl_model_nq(sc->model) * sizeof(double));
  pl_status status = omega && shape ? job_start(j, a, &s) : PL_E_NOMEM;
  if (status == PL_OK)
    status = pl_modes(&a->opts.modes_, sc->model, sc->params, s, j->work, omega, shape, &info);
  if (status == PL_OK) {
    set_figures(figures, &info, omega);
    warn_user(j, a, &info);
    report_result(j, a, &info, omega);
    status = write_table(j, a, omega, info.nfound);
    for (int k = 0; status == PL_OK && sc->dim == 1 && k < info.nfound && k < PICTURES; k++)
      status = draw_bars(j, a, shape + (size_t)k * (size_t)s->nq, k, omega[k]);
    for (int k = 0; status == PL_OK && j->drawable && k < info.nfound; k++)
      status = write_mode(j, a, s, shape + (size_t)k * (size_t)s->nq, k, omega[k]);
  }
  pl_state_free(sc->model, s);
  pl_free(j->env, omega);
  pl_free(j->env, shape);
  return status;
}
