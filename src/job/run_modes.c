#include "job_impl.h"

#include "pliant/math.h"

#include <stdio.h>
#include <string.h>

enum { PICTURES = 6, BARS = 24, ROWS = 31 }; // modes drawn; nodes in a picture of bars; modes told

// name of a node, or its number
static const char *node_name(const pl_model *m, int node, char buf[32]) {
  const char *name = pl_model_node_name(m, node);
  if (!name) snprintf(buf, 32, "node %d", node);
  return name ? name : buf;
}

// motions along one line, and of nodes at one place, have no shape to draw: a bar for each node
static pl_status draw_bars(job *j, const pl_analysis *a, const double *shape, int k, double omega) {
  const pl_scene *sc = j->scene;
  const char *name[BARS];
  double value[BARS], most = pl_max_abs(pl_model_nnode(sc->model), shape);
  char buf[BARS][32], file[PL_TEXT], title[PL_TEXT];
  int n = pl_model_nnode(sc->model) < BARS ? pl_model_nnode(sc->model) : BARS;
  for (int i = 0; i < n; i++) {
    name[i] = node_name(sc->model, i, buf[i]);
    value[i] = most > 0 ? shape[i] / most : 0;
  }
  snprintf(file, sizeof file, "%s-%d", a->name, k + 1);
  snprintf(title, sizeof title, "mode %d: %.5g Hz", k + 1, omega / (2 * PL_PI));
  return job_chart(j, file, &(pl_chart){title, "relative displacement", NULL, n, name, value},
                   NULL);
}

static pl_status send_mode(job *j, const pl_analysis *a, const pl_state *s, const double *shape,
                           int k, double omega) {
  char name[PL_TEXT], title[PL_TEXT];
  if (j->scene->dim == 1 && k < PICTURES) PL_TRY(draw_bars(j, a, shape, k, omega));
  snprintf(name, sizeof name, "%s-%d", a->name, k + 1);
  snprintf(title, sizeof title, "mode %d: %.5g Hz", k + 1, omega / (2 * PL_PI));
  return job_send_shape(j, &(pl_shape){.name = name,
                                       .picture = k < PICTURES && j->scene->dim > 1 ? name : NULL,
                                       .title = title,
                                       .state = s,
                                       .mode = shape});
}

static pl_status write_table(job *j, const pl_analysis *a, const double *omega, int n) {
  static const table_column column[] = {{"mode", ""}, {"frequency", "Hz"}, {"omega", "rad/s"}};
  pl_table *t;
  PL_TRY(job_table_open(j, 3, column, &t));
  pl_status s = PL_OK;
  for (int k = 0; s == PL_OK && k < n; k++) {
    double row[3] = {k + 1, omega[k] / (2 * PL_PI), omega[k]};
    s = pl_table_row(t, row);
  }
  return job_table_end(j, t, s, a->name, ".csv");
}

static const double ROUNDING = 0.005; // of a frequency, which is worth a warning

// modes that hardly anyone asks for
static void warn_user(job *j, const pl_analysis *a, const pl_modes_info *i) {
  if (i->rounding > ROUNDING)
    pl_report(
        j->env, PL_WARNING, j->scene->path, a->line, a->col,
        "a solid as thin as this is better a shell (or a rod), or has fewer cells through its "
        "thickness",
        "%s: rounding leaves about %.2g %% of the lowest frequency open, as bending is very "
        "soft against stretching",
        a->name, 100 * i->rounding);
  if (i->nrigid && j->scene->ndrive > 0)
    pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
              "what is held at a point or along a line turns about it: hold two rows of nodes, or "
              "clamp: yes (rods, shells)",
              "%s: %d %s without stiffness, which the supports leave free", a->name, i->nrigid,
              pl_plural(i->nrigid, "mode", "modes"));
  if (i->nunstable)
    pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
              a->about < 0 ? "put a static before, and about: its name: where bodies swell or are "
                             "tensioned the place at rest is not in balance"
                           : "start from a static with perturb: yes",
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
  if (info->nrigid)
    job_say(j, "%d %s (frequency zero).", info->nrigid,
            pl_plural(info->nrigid, "rigid mode", "rigid modes"));
  static const char *const head[] = {"mode", "frequency (Hz)"};
  grid g = job_grid(j, 2, head);
  for (int k = 0; k < info->nfound && k < ROWS; k++) {
    grid_add(&g, "%d", k + 1);
    grid_add(&g, "%.6g", omega[k] / (2 * PL_PI));
  }
  grid_end(&g);
}

static void set_figures(json_t *f, const pl_modes_info *i, const double *omega) {
  json_t *list = json_array();
  for (int k = 0; k < i->nfound; k++)
    json_array_append_new(list, json_real(omega[k] / (2 * PL_PI)));
  job_set(f, "frequency_Hz", list);
  job_set(f, "rigid", json_integer(i->nrigid));
  job_set(f, "unstable", json_integer(i->nunstable));
  job_set(f, "residual", json_real(i->residual));
  job_set(f, "rounding", json_real(i->rounding));
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
    status = job_stress_modes(j, a, s, info.nfound, omega, shape, figures);
    if (status == PL_OK) status = write_table(j, a, omega, info.nfound);
    for (int k = 0; status == PL_OK && k < info.nfound; k++)
      status = send_mode(j, a, s, shape + (size_t)k * (size_t)s->nq, k, omega[k]);
  }
  pl_state_free(sc->model, s);
  pl_free(j->env, omega);
  pl_free(j->env, shape);
  return status;
}
