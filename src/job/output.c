#include "run_cloth.h"

#include "pliant/math.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *job_path(const job *j, const char *name, const char *suffix, char buf[PL_TEXT]) {
  snprintf(buf, PL_TEXT, "%s/%s%s", j->opts->folder ? j->opts->folder : ".", name, suffix);
  return buf;
}

void job_set(json_t *figures, const char *key, json_t *value) {
  json_object_set_new(figures, key, value);
}

pl_status job_ties(job *j) {
  const pl_model *m = j->scene->model;
  const pl_elem_kind *spring = pl_elem_find("spring");
  int n = 0;
  for (int g = 0; g < pl_model_ngroup(m); g++)
    if (pl_model_group_kind(m, g) == spring) n += pl_model_group_size(m, g);
  // again after springs have moved
  pl_free(j->env, j->tie);
  j->ntie = 0;
  j->tie = pl_alloc(j->env, (size_t)n, sizeof *j->tie);
  if (!j->tie) return PL_E_NOMEM;
  for (int g = 0; g < pl_model_ngroup(m); g++) {
    if (pl_model_group_kind(m, g) != spring) continue;
    for (int e = 0; e < pl_model_group_size(m, g); e++) {
      const int *v = pl_model_group_stencil(m, g) + 4 * e;
      // parameters: stiffness rest damping s0 offset0 s1 offset1
      const double *par = pl_model_group_par(m, j->scene->params, g, e);
      if (v[0] < 0 || v[1] < 0 || v[2] < 0 || v[3] < 0) continue;
      j->tie[j->ntie++] = (pl_tie){
          .a = {v[0], v[2]}, .b = {v[1], v[3]}, .s = {par[3], par[5]}, .o = {par[4], par[6]}};
    }
  }
  return PL_OK;
}

pl_status job_rods(job *j) {
  const pl_scene *sc = j->scene;
  const pl_elem_kind *point = pl_elem_find("point");
  j->bare = pl_alloc(j->env, (size_t)sc->mesh->nvert, 1);
  j->bead = pl_alloc(j->env, (size_t)sc->mesh->nvert, sizeof *j->bead);
  if (!j->bare || !j->bead) return PL_E_NOMEM;
  for (int k = 0; k < sc->nbody; k++)
    for (int i = 0; strcmp(sc->body[k].kind, "rod") == 0 && i < sc->body[k].n; i++)
      j->bare[sc->body[k].node[i]] = 1;
  for (int g = 0; g < pl_model_ngroup(sc->model); g++) {
    const int *node = pl_model_group_stencil(sc->model, g);
    if (pl_model_group_kind(sc->model, g) != point) continue;
    for (int e = 0; e < pl_model_group_size(sc->model, g); e++) {
      // each once, however many masses it has
      if (j->bare[node[e]] == 1) j->bead[j->nbead++] = node[e];
      if (j->bare[node[e]]) j->bare[node[e]] = 2;
    }
  }
  return PL_OK;
}

pl_view job_view(job *j) {
  return (pl_view){.flat = j->scene->dim == 2,
                   .length = job_length(j, 0)->key,
                   .ntie = j->ntie,
                   .tie = j->tie,
                   .bare = j->bare,
                   .nmark = j->nbead,
                   .mark = j->bead};
}

void job_positions(const job *j, const double *q, double factor, double *x) {
  int dim = j->scene->dim, n = j->scene->mesh->nvert;
  const double *X = j->scene->params->X;
  memset(x, 0, (size_t)n * 3 * sizeof(double));
  for (int i = 0; i < n; i++)
    for (int c = 0; c < dim; c++)
      x[3 * i + c] = X[i * dim + c] + factor * (q[i * dim + c] - X[i * dim + c]);
}

double job_displacements(const job *j, const double *q, double *size) {
  int dim = j->scene->dim, n = j->scene->mesh->nvert;
  const double *X = j->scene->params->X;
  double most = 0;
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int c = 0; c < dim; c++) s += pow(q[i * dim + c] - X[i * dim + c], 2);
    size[i] = sqrt(s);
    if (size[i] > most) most = size[i];
  }
  return most;
}

double job_exaggeration(const job *j, double most) {
  double f = j->output.exaggerate;
  if (f > 0) return f;
  // 0: as much as shows, a tenth of the body
  return most > 0 ? 0.1 * job_size(j) / most : 1;
}

// ---- element fields on cells ------------------------------------------------------------------

static int field_of(const pl_elem_kind *k, const char *name) {
  for (int f = 0; f < k->nfield; f++)
    if (strcmp(k->field_info[f].name, name) == 0) return f;
  return -1;
}

// fills value[ncell] with the field of that name of all groups whose elements are the mesh's cells
static void cell_field(const job *j, const pl_state *s, const char *name, double *value, int *any) {
  const pl_scene *sc = j->scene;
  int offset[PL_CELL_COUNT], at = 0;
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    offset[t] = at;
    at += sc->mesh->cell[t].n;
  }
  for (int g = 0; g < pl_model_ngroup(sc->model); g++) {
    const pl_group_cells *c = &sc->cells[g];
    int f = field_of(pl_model_group_kind(sc->model, g), name);
    if (c->type < 0 || f < 0) continue;
    pl_eval_field(sc->model, sc->params, s, g, f, value + offset[c->type] + c->first);
    *any = 1;
  }
}

// fills value[nvert] with curvatures of rods, which are known where two of their edges meet
static pl_status rod_curvature(const job *j, const pl_state *s, double *value, int *any) {
  const pl_model *m = j->scene->model;
  const pl_elem_kind *bend = pl_elem_find("rod_bend");
  for (int g = 0; g < pl_model_ngroup(m); g++) {
    int n = pl_model_group_size(m, g);
    if (pl_model_group_kind(m, g) != bend || n == 0) continue;
    double *each = pl_alloc(j->env, (size_t)n, sizeof *each);
    if (!each) return PL_E_NOMEM;
    pl_eval_field(m, j->scene->params, s, g, field_of(bend, "curvature"), each);
    const int *stencil = pl_model_group_stencil(m, g);
    for (int e = 0; e < n; e++) value[stencil[e * (bend->nvert + bend->nscal) + 1]] = each[e];
    pl_free(j->env, each);
    *any = 1;
  }
  return PL_OK;
}

// all that ParaView is given; arrays as in job_vtu
typedef struct shown {
  double *u, *v, *strain, *stress, *curvature, *ratio;
} shown;

static pl_status write_vtu(job *j, const pl_state *s, int with_velocity, const shown *d,
                           const char *path) {
  const pl_scene *sc = j->scene;
  int dim = sc->dim, any[3] = {0}, nf = 0;
  pl_field field[6];
  for (int i = 0; i < sc->mesh->nvert; i++)
    for (int c = 0; c < dim; c++) {
      d->u[3 * i + c] = s->q[i * dim + c] - sc->params->X[i * dim + c];
      d->v[3 * i + c] = s->v[i * dim + c];
    }
  job_positions(j, s->q, 1, j->x);
  cell_field(j, s, "strain", d->strain, &any[0]);
  cell_field(j, s, "stress", d->stress, &any[1]);
  PL_TRY(rod_curvature(j, s, d->curvature, &any[2]));
  field[nf++] = (pl_field){.name = "displacement", .ncomp = 3, .data = d->u};
  if (with_velocity) field[nf++] = (pl_field){.name = "velocity", .ncomp = 3, .data = d->v};
  if (any[0])
    field[nf++] = (pl_field){.name = "strain", .on_cells = 1, .ncomp = 1, .data = d->strain};
  if (any[1])
    field[nf++] = (pl_field){.name = "stress", .on_cells = 1, .ncomp = 1, .data = d->stress};
  if (any[2]) field[nf++] = (pl_field){.name = "curvature", .ncomp = 1, .data = d->curvature};
  if (j->sheet) {
    PL_TRY(cloth_ratio(j, s->q, d->ratio));
    field[nf++] =
        (pl_field){.name = "stretch_over_limit", .on_cells = 1, .ncomp = 1, .data = d->ratio};
  }
  return pl_mesh_write_vtu(sc->mesh, j->x, nf, field, path);
}

pl_status job_vtu(job *j, const pl_state *s, int with_velocity, const char *path) {
  size_t n = (size_t)j->scene->mesh->nvert, ncell = 0;
  for (int t = 0; t < PL_CELL_COUNT; t++) ncell += (size_t)j->scene->mesh->cell[t].n;
  shown d = {.u = pl_alloc(j->env, 3 * n, sizeof(double)),
             .v = pl_alloc(j->env, 3 * n, sizeof(double)),
             .strain = pl_alloc(j->env, ncell, sizeof(double)),
             .stress = pl_alloc(j->env, ncell, sizeof(double)),
             .curvature = pl_alloc(j->env, n, sizeof(double)),
             .ratio = pl_alloc(j->env, ncell, sizeof(double))};
  pl_status status = PL_OK;
  if (!d.u || !d.v || !d.strain || !d.stress || !d.curvature || !d.ratio) status = PL_E_NOMEM;
  if (status == PL_OK) status = write_vtu(j, s, with_velocity, &d, path);
  pl_free(j->env, d.u);
  pl_free(j->env, d.v);
  pl_free(j->env, d.strain);
  pl_free(j->env, d.stress);
  pl_free(j->env, d.curvature);
  pl_free(j->env, d.ratio);
  return status;
}

// ---- figures ----------------------------------------------------------------------------------

pl_status job_vtu_shape(job *j, const pl_state *s, const pl_state *moved, const char *path) {
  const pl_scene *sc = j->scene;
  int n = sc->mesh->nvert, dim = sc->dim;
  double *u = pl_alloc(j->env, (size_t)n * 3, sizeof(double));
  if (!u) return PL_E_NOMEM;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < dim; c++) u[3 * i + c] = moved->q[i * dim + c] - s->q[i * dim + c];
  job_positions(j, s->q, 1, j->x);
  const pl_field field = {.name = "mode", .ncomp = 3, .data = u};
  pl_status status = pl_mesh_write_vtu(sc->mesh, j->x, 1, &field, path);
  pl_free(j->env, u);
  return status;
}

void job_note(job *j, const char *fmt, ...) {
  char text[PL_TEXT];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  pl_report(j->env, PL_NOTE, NULL, 0, 0, NULL, "%s", text);
  if (j->page) pl_page_key(j->page, "%s", text);
}

pl_status job_figure(job *j, const char *name, const pl_text *svg, const char *caption) {
  char path[PL_TEXT];
  if (svg->failed) return PL_E_NOMEM;
  if (!svg->s) return PL_OK;
  if (j->output.plots)
    PL_TRY(pl_file_write(j->env, job_path(j, name, ".svg", path), svg->s, svg->n));
  if (j->page) pl_page_figure(j->page, svg->s, caption);
  return PL_OK;
}

pl_status job_picture(job *j, const pl_state *s, const char *name, const char *caption) {
  if (!j->drawable) return PL_OK;
  const pl_scene *sc = j->scene;
  double most = job_displacements(j, s->q, j->colour), factor = job_exaggeration(j, most);
  size_t n = (size_t)sc->mesh->nvert * 3;
  // the shape at rest, then the one drawn
  double *rest = pl_alloc(j->env, 2 * n, sizeof(double));
  if (!rest) return PL_E_NOMEM;
  job_positions(j, sc->params->X, 1, rest);
  job_positions(j, s->q, factor, rest + n);
  pl_text svg;
  pl_text_init(&svg, j->env);
  pl_view view = job_view(j);
  view.x = rest + n;
  view.ghost = rest;
  view.colour = most > 0 ? j->colour : NULL;
  view.colour_label = "displacement (m)";
  view.hi = most; // from 0: a body that moves as a whole has one colour
  // enlarged displacements do not stay out of obstacles
  pl_status status = factor == 1 ? job_backdrop(j, s->t, s->t, 2, rest, &view) : PL_OK;
  if (status == PL_OK) status = pl_view_svg(&svg, sc->mesh, &view);
  job_backdrop_free(j, &view);
  char text[PL_TEXT];
  if (factor == 1)
    snprintf(text, sizeof text, "%s", caption);
  else
    snprintf(text, sizeof text, "%s Displacements are drawn %.3g times as large.", caption, factor);
  if (status == PL_OK) status = job_figure(j, name, &svg, text);
  pl_text_free(&svg);
  pl_free(j->env, rest);
  return status;
}

// the largest length of a plot's data
static double plot_length(const pl_plot *p) {
  double most = 0;
  for (int axis = 0; axis < 2; axis++) {
    const char *label = axis ? p->ylabel : p->xlabel;
    if (!label || !strstr(label, "(m)")) continue;
    for (int s = 0; s < p->nseries; s++)
      for (int i = 0; i < p->series[s].n; i++) {
        double v = axis ? p->series[s].y[i] : p->series[s].x[i];
        if (isfinite(v)) most = fmax(most, fabs(v));
      }
  }
  return most;
}

pl_status job_plot(job *j, const char *name, const pl_plot *plot, const char *caption) {
  pl_text svg;
  pl_text_init(&svg, j->env);
  pl_plot own = *plot;
  double most = plot_length(plot);
  own.length = j->length || most > 0 ? job_length(j, most)->key : "m";
  sink_plot(j, name, caption, &own);
  if (!j->page && !j->output.plots) return PL_OK;
  pl_status s = pl_plot_svg(&svg, &own);
  if (s == PL_OK) s = job_figure(j, name, &svg, caption);
  pl_text_free(&svg);
  return s;
}

// ---- watched places ---------------------------------------------------------------------------

static int probe_width(const job *j, const pl_probe *w) {
  return w->component < 0 ? j->scene->dim : 1;
}

int job_probe_count(const job *j, const pl_analysis *a) {
  int n = 0;
  for (int k = 0; k < a->nprobe; k++) n += probe_width(j, &a->probe[k]);
  return n;
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
  return col - first;
}

void job_probe_row(const job *j, const pl_analysis *a, const pl_state *s, double *row) {
  int dim = j->scene->dim;
  for (int k = 0; k < a->nprobe; k++)
    for (int c = 0; c < probe_width(j, &a->probe[k]); c++) {
      int axis = a->probe[k].component < 0 ? c : a->probe[k].component;
      *row++ = s->q[a->probe[k].node * dim + axis];
    }
}

void job_probe_grid(job *j, const pl_analysis *a, const pl_state *s) {
  enum { COLS = 4, MOST = 64 };
  int dim = j->scene->dim, n = a->nprobe < MOST ? a->nprobe : MOST, cols = 1 + dim;
  const char *cells[(MOST + 1) * COLS] = {"watched place"};
  char text[(MOST + 1) * COLS][32];
  if (n == 0) return;
  double most = 0;
  for (int i = 0; i < j->scene->mesh->nvert * dim; i++)
    most = fmax(most, fabs(s->q[i] - j->scene->params->X[i]));
  const length_unit *unit = job_length(j, most);
  for (int c = 0; c < dim; c++) {
    snprintf(text[1 + c], sizeof text[0], "u%c (%s)", "xyz"[c], unit -> name);
    cells[1 + c] = text[1 + c];
  }
  for (int k = 0; k < n; k++) {
    cells[(k + 1) * cols] = a->probe[k].name;
    for (int c = 0; c < dim; c++) {
      int at = a->probe[k].node * dim + c, cell = (k + 1) * cols + 1 + c;
      int hidden = a->probe[k].component >= 0 && a->probe[k].component != c;
      double u = s->q[at] - j->scene->params->X[at];
      // rounding is no displacement
      snprintf(text[cell], sizeof text[0], "%.6g", fabs(u) > 1e-9 * most ? u / unit->si : 0);
      cells[cell] = hidden ? "" : text[cell];
    }
  }
  for (int k = 0; k < n && k < 4; k++) {
    char line[PL_TEXT] = "";
    size_t at = 0;
    for (int c = 1; c < cols; c++)
      at += (size_t)snprintf(line + at, sizeof line - at, " %s", cells[(k + 1) * cols + c]);
    job_note(j, "%s: %.60s moves by%s %s", a->name, a->probe[k].name, line, unit->name);
  }
  if (j->page) pl_page_grid(j->page, n + 1, cols, cells);
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

// path of each watched place in the plane of its two widest extents
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
