// Watched places: columns and rows of tables, figures, words and plots.
#include "job_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int probe_width(const job *j, const pl_probe *w) {
  return w->component < 0 ? j->scene->dim : 1;
}

int job_probe_count(const job *j, const pl_analysis *a) {
  int n = 0;
  for (int k = 0; k < a->nprobe; k++) n += probe_width(j, &a->probe[k]);
  return n + job_stress_count(j, a);
}

int job_probe_columns(const job *j, const pl_analysis *a, pl_table *t, int first) {
  int col = first;
  for (int k = 0; k < a->nprobe; k++)
    for (int c = 0; c < probe_width(j, &a->probe[k]); c++) {
      int axis = a->probe[k].component < 0 ? c : a->probe[k].component;
      char name[PL_TEXT];
      snprintf(name, sizeof name, "%s_%c", a->probe[k].name, "xyz"[axis]);
      if (pl_table_column(t, col++, name, "m") != PL_OK) return -1;
    }
  if (job_stress_columns(j, a, t, col) != PL_OK) return -1;
  col += job_stress_count(j, a);
  return col - first;
}

void job_probe_row(const job *j, const pl_analysis *a, const pl_state *s, double *row) {
  int dim = j->scene->dim;
  for (int k = 0; k < a->nprobe; k++)
    for (int c = 0; c < probe_width(j, &a->probe[k]); c++) {
      int axis = a->probe[k].component < 0 ? c : a->probe[k].component;
      *row++ = s->q[a->probe[k].node * dim + axis];
    }
  job_stress_row(j, a, s, row);
}

void job_probe_grid(job *j, const pl_analysis *a, const pl_state *s) {
  enum { MOST = 64, NOTES = 4 };
  int dim = j->scene->dim, n = a->nprobe < MOST ? a->nprobe : MOST;
  if (n == 0) return;
  double most = 0;
  for (int i = 0; i < j->scene->mesh->nvert * dim; i++)
    most = fmax(most, fabs(s->q[i] - j->scene->params->X[i]));
  const length_unit *unit = job_length(j, most);
  grid g = job_grid(j, 1 + dim, NULL);
  grid_add(&g, "watched place");
  for (int c = 0; c < dim; c++) grid_add(&g, "u%c (%s)", "xyz"[c], unit -> name);
  for (int k = 0; k < n; k++) {
    char line[PL_TEXT] = "";
    size_t end = 0;
    grid_add(&g, "%s", a->probe[k].name);
    for (int c = 0; c < dim; c++) {
      int at = a->probe[k].node * dim + c;
      int hidden = a->probe[k].component >= 0 && a->probe[k].component != c;
      // rounding is no displacement
      double u = s->q[at] - j->scene->params->X[at];
      char text[32] = "";
      if (!hidden) snprintf(text, sizeof text, "%.6g", fabs(u) > 1e-9 * most ? u / unit->si : 0);
      grid_add(&g, "%s", text);
      end += (size_t)snprintf(line + end, sizeof line - end, " %s", text);
    }
    if (k < NOTES)
      job_note(j, "%s: %.60s moves by%s %s", a->name, a->probe[k].name, line, unit->name);
  }
  grid_end(&g);
}

pl_status job_probe_plots(job *j, const pl_analysis *a, const pl_table *t, int xcol, int first,
                          const char *xlabel) {
  int rows = pl_table_rows(t), cols = pl_table_cols(t), at = first;
  // two rows are a start and an end, no curve
  if (rows < 3 || a->nprobe == 0) return PL_OK;
  const double *data = pl_table_data(t), *X = j->scene->params->X;
  int dim = j->scene->dim;
  double *xy = pl_alloc(j->env, (size_t)rows * 4, sizeof(double));
  if (!xy) return PL_E_NOMEM;
  for (int i = 0; i < rows; i++) xy[i] = data[i * cols + xcol];
  pl_status status = PL_OK;
  for (int k = 0; status == PL_OK && k < a->nprobe; k++) {
    int width = probe_width(j, &a->probe[k]);
    pl_series series[3];
    for (int c = 0; c < width; c++, at++) {
      int axis = a->probe[k].component < 0 ? c : a->probe[k].component;
      for (int i = 0; i < rows; i++)
        xy[(c + 1) * rows + i] = data[i * cols + at] - X[a->probe[k].node * dim + axis];
      static const char *const axes[] = {"x", "y", "z"};
      series[c] = (pl_series){.name = width > 1 ? axes[axis] : NULL,
                              .n = rows,
                              .x = xy,
                              .y = xy + (size_t)(c + 1) * (size_t)rows,
                              .colour = c};
    }
    char title[PL_TEXT], name[PL_TEXT];
    snprintf(title, sizeof title, "%s", a->probe[k].name);
    snprintf(name, sizeof name, "%s-%s", a->name, a->probe[k].name);
    pl_plot plot = {.title = title,
                    .xlabel = xlabel,
                    .ylabel = "displacement (m)",
                    .nseries = width,
                    .series = series};
    status =
        job_plot(j, name, &plot, "Displacement of the watched place from its reference position.");
  }
  pl_free(j->env, xy);
  return status;
}

// path of each probed place in the plane of its two widest extents
pl_status job_path_plots(job *j, const pl_analysis *a, const pl_table *t, int first) {
  int rows = pl_table_rows(t), cols = pl_table_cols(t), dim = j->scene->dim, col = first;
  if (rows < 3 || dim < 2) return PL_OK;
  double *xy = pl_alloc(j->env, (size_t)rows * 3, sizeof(double));
  if (!xy) return PL_E_NOMEM;
  pl_status s = PL_OK;
  for (int k = 0; s == PL_OK && k < a->nprobe; k++) {
    if (a->probe[k].component >= 0) {
      col++;
      continue;
    }
    double extent[3] = {0};
    for (int c = 0; c < dim; c++) {
      double lo = INFINITY, hi = -INFINITY;
      for (int i = 0; i < rows; i++) {
        double v = pl_table_data(t)[(size_t)i * (size_t)cols + (size_t)(col + c)];
        xy[c * rows + i] = v;
        lo = fmin(lo, v);
        hi = fmax(hi, v);
      }
      extent[c] = hi - lo;
    }
    int skip = dim == 2                ? 2
               : extent[0] < extent[1] ? (extent[0] < extent[2] ? 0 : 2)
                                       : (extent[1] < extent[2] ? 1 : 2);
    int ax = skip == 0 ? 1 : 0, ay = skip == 2 ? 1 : 2;
    static const char *const labels[] = {"x (m)", "y (m)", "z (m)"};
    pl_series series = {.n = rows, .x = xy + ax * rows, .y = xy + ay * rows};
    char name[PL_TEXT], title[PL_TEXT];
    snprintf(name, sizeof name, "%s-%s-path", a->name, a->probe[k].name);
    snprintf(title, sizeof title, "path of %s", a->probe[k].name);
    pl_plot plot = {.title = title,
                    .xlabel = labels[ax],
                    .ylabel = labels[ay],
                    .equal = 1,
                    .nseries = 1,
                    .series = &series,
                    .height = 480};
    s = job_plot(j, name, &plot, "Path of the watched place.");
    col += dim;
  }
  pl_free(j->env, xy);
  return s;
}

void job_probe_figures(const job *j, const pl_analysis *a, const pl_state *s, json_t *f) {
  int dim = j->scene->dim;
  json_t *all = json_object();
  for (int k = 0; k < a->nprobe; k++) {
    json_t *u = json_array();
    for (int c = 0; c < dim; c++) {
      int at = a->probe[k].node * dim + c;
      json_array_append_new(u, json_real(s->q[at] - j->scene->params->X[at]));
    }
    json_object_set_new(all, a->probe[k].name, u);
  }
  job_set(f, "displacement_m", all);
}
