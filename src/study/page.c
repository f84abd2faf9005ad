// What the pages of sweeps and of uncertainty have in common.
#include "study_impl.h"

#include "pliant/version.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FAILURES_SHOWN = 50 };

pl_status page_open(const study *s, const char *title, pl_page **out) {
  const pl_study_result *r = s->result;
  char hex[65];
  PL_TRY(pl_page_create(s->env, title, out));
  pl_sha256(s->data, s->size, hex);
  pl_page_origin(*out, "%.10s %.5s UTC, pliant %s%s%s%s, %s, sha256 %.12s", s->date, s->date + 11,
                 PL_VERSION, *pl_version_commit() ? " (" : "", pl_version_commit(),
                 *pl_version_commit() ? ")" : "", s->scene->path, hex);
  pl_page_origin(*out, "%.3g s in %d %s, %.3g s of processor time", r->seconds, r->jobs,
                 pl_plural(r->jobs, "process", "processes"), r->cpu_seconds);
  if (r->nfailed)
    pl_page_top_warning(*out, "%d of %d %s failed; reasons are listed below", r->nfailed, r->ndone,
                        pl_plural(r->ndone, "case", "cases"));
  if (r->ndone < r->ncase)
    pl_page_top_warning(*out, "interrupted: %d of %d cases are done; --resume goes on with it",
                        r->ndone, r->ncase);
  return PL_OK;
}

static void put_inputs(const study *s, int k, pl_text *t) {
  for (int i = 0; i < s->ninput; i++) {
    pl_text_add(t, "%s%s = ", i ? ", " : "", s->input[i].name);
    input_text(s, k, i, t);
  }
}

// Texts of a grid, one after the other with their zeros.
static pl_status put_grid(pl_page *p, pl_env *env, pl_text *cells, int rows, int cols) {
  int n = rows * cols;
  const char **cell = pl_alloc(env, (size_t)n, sizeof *cell), *at = cells->s;
  if (!cell || cells->failed) {
    pl_free(env, cell);
    return PL_E_NOMEM;
  }
  for (int k = 0; k < n; k++, at += strlen(at) + 1) cell[k] = at;
  pl_page_grid(p, rows, cols, cell);
  pl_free(env, cell);
  return PL_OK;
}

void grid_open(cell_grid *g, const study *s, int cols) {
  *g = (cell_grid){.env = s->env, .cols = cols};
  pl_text_init(&g->cells, s->env);
}

void grid_put(cell_grid *g, const char *text) {
  pl_text_put(&g->cells, text, strlen(text) + 1);
  g->n++;
}

void grid_number(cell_grid *g, double v) {
  char text[NUMBER] = "";
  if (isfinite(v)) snprintf(text, sizeof text, "%.5g", v);
  grid_put(g, text);
}

pl_status grid_close(cell_grid *g, pl_page *p) {
  pl_status s = put_grid(p, g->env, &g->cells, g->n / g->cols, g->cols);
  pl_text_free(&g->cells);
  return s;
}

pl_status page_failures(const study *s, pl_page *p) {
  cell_grid g;
  pl_text t;
  int shown = 0;
  if (s->result->nfailed == 0) return PL_OK;
  pl_page_heading(p, 2, "Failures");
  grid_open(&g, s, 4);
  grid_put(&g, "case");
  grid_put(&g, "values");
  grid_put(&g, "status");
  grid_put(&g, "reason");
  pl_text_init(&t, s->env);
  for (int k = 0; k < s->ncase && shown < FAILURES_SHOWN; k++) {
    const json_t *r = s->record[k];
    const char *status = json_string_value(json_object_get(r, "status"));
    const char *reason = json_string_value(json_object_get(r, "reason"));
    char number[NUMBER];
    if (!r || case_is_solved(r)) continue;
    t.n = 0;
    put_inputs(s, k, &t);
    snprintf(number, sizeof number, "%d", k + 1);
    grid_put(&g, number);
    grid_put(&g, t.s ? t.s : "");
    grid_put(&g, status ? status : "");
    grid_put(&g, reason ? reason : "");
    shown++;
  }
  g.cells.failed |= t.failed;
  pl_text_free(&t);
  PL_TRY(grid_close(&g, p));
  if (shown < s->result->nfailed)
    pl_page_text(p, "... and %d more, in table.csv.", s->result->nfailed - shown);
  return PL_OK;
}

pl_status page_close(const study *s, pl_page *p, int nfile, const char *const *file) {
  char path[4096];
  pl_page_heading(p, 2, "Files");
  pl_page_files(p, nfile, file);
  study_path(s, "report.html", path);
  PL_TRY(pl_page_write(p, path));
  snprintf(s->result->report, sizeof s->result->report, "%.500s", path);
  return PL_OK;
}

// ---- pictures
// -------------------------------------------------------------------------------------

static pl_status put_svg(pl_page *p, pl_text *svg, pl_status drawn, const char *caption) {
  if (drawn == PL_OK && svg->s) pl_page_figure(p, svg->s, caption);
  pl_text_free(svg);
  return drawn;
}

pl_status page_plot(const study *s, pl_page *p, const pl_plot *plot, const char *caption) {
  pl_text svg;
  pl_text_init(&svg, s->env);
  return put_svg(p, &svg, pl_plot_svg(&svg, plot), caption);
}

pl_status page_contour(const study *s, pl_page *p, const pl_contour *plot, const char *caption) {
  pl_text svg;
  pl_text_init(&svg, s->env);
  return put_svg(p, &svg, pl_contour_svg(&svg, plot), caption);
}

// value on a parallel axis: words by their index
static double axis_value(const study *s, int k, int i) {
  const input *p = &s->input[i];
  return p->words ? s->value[(size_t)k * (size_t)s->ninput + (size_t)i] : input_value(s, k, i);
}

// a line has all figures: those that only some cases have would cost it lines
static int whole_figures(const study *s, const columns *c, int n, const int *list, int most,
                         int *out) {
  int count = 0;
  for (int i = 0; i < n && count < most; i++)
    if (is_everywhere(s, c, list[i])) out[count++] = list[i];
  if (count == 0 && n > 0) out[count++] = list[0];
  return count;
}

pl_status page_parallel(const study *s, pl_page *p, const columns *c, int nfigure,
                        const int *figure) {
  enum { MOST = 12, FIGURES = 5 };
  char label[MOST][2 * PL_TEXT];
  pl_parallel_axis axis[MOST] = {{0}};
  int ni = s->ninput < MOST - FIGURES ? s->ninput : MOST - FIGURES, na = ni;
  int list[FIGURES], n = whole_figures(s, c, nfigure, figure, FIGURES, list);
  for (int i = 0; i < ni; i++) {
    const input *of = &s->input[i];
    input_label(of, label[i], sizeof label[i]);
    axis[i] = (pl_parallel_axis){
        .label = label[i], .log = of->log, .nword = of->words ? of->nlevel : 0, .word = of->text};
  }
  for (int i = 0; i < n; i++, na++) {
    const char *name = c->name[list[i]];
    figure_label(name + (s->scene->nanalysis == 1 ? strcspn(name, ".") + 1 : 0), label[na],
                 sizeof label[na]);
    axis[na].label = label[na];
  }
  if (na < 2 || n < 1) return PL_OK;
  double *x = pl_alloc(s->env, (size_t)s->ncase * (size_t)na, sizeof *x);
  if (!x) return PL_E_NOMEM;
  for (int k = 0; k < s->ncase; k++)
    for (int i = 0; i < na; i++)
      x[(size_t)k * (size_t)na + (size_t)i] =
          i < ni ? axis_value(s, k, i) : column_of(c, list[i - ni])[k];
  const pl_parallel plot = {
      .title = "All cases", .naxis = na, .n = s->ncase, .axis = axis, .x = x, .colour = ni};
  pl_text svg;
  pl_text_init(&svg, s->env);
  pl_status st = put_svg(p, &svg, pl_parallel_svg(&svg, &plot),
                         "A line for each case, coloured by the first figure after the inputs.");
  pl_free(s->env, x);
  return st;
}
