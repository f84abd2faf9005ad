// The sink that writes a job's files and lays out its page.
#include "job_impl.h"

#include <string.h>

void files_failed(const job *j, pl_status s) {
  if (s < 0 && j->reported == PL_OK) ((job *)j->files.ctx)->reported = s;
}

static void put_begin(void *ctx, const pl_analysis *a) {
  job *j = ctx;
  if (j->page) pl_page_heading(j->page, 2, a->name);
}

static void put_table(void *ctx, const char *name, const pl_table *t) {
  job *j = ctx;
  char path[PL_TEXT];
  if (j->output.csv) files_failed(j, pl_table_write(t, job_path(j, name, ".csv", path)));
}

static void put_text(void *ctx, const char *name, const char *csv, size_t n) {
  job *j = ctx;
  char path[PL_TEXT];
  if (j->output.csv)
    files_failed(j, pl_file_write(j->env, job_path(j, name, ".csv", path), csv, n));
}

static void put_scene(void *ctx, const char *name, const char *yaml, size_t n) {
  job *j = ctx;
  char path[PL_TEXT];
  if (j->opts->folder)
    files_failed(j, pl_file_write(j->env, job_path(j, name, ".yaml", path), yaml, n));
}

static void put_material(void *ctx, const char *name, const pl_sheet_material *m) {
  job *j = ctx;
  char path[PL_TEXT];
  pl_text text;
  if (!j->opts->folder) return;
  pl_text_init(&text, j->env);
  pl_sheet_material_write(m, &text);
  files_failed(
      j, text.failed ? PL_E_NOMEM
                     : pl_file_write(j->env, job_path(j, name, ".material", path), text.s, text.n));
  pl_text_free(&text);
}

static void put_said(void *ctx, pl_said kind, const char *text) {
  static void (*const put[])(pl_page *, const char *, ...) = {
      [PL_SAID_KEY] = pl_page_key,
      [PL_SAID_TEXT] = pl_page_text,
      [PL_SAID_WARNING] = pl_page_warning,
      [PL_SAID_ALARM] = pl_page_alarm,
  };
  pl_page *p = ((job *)ctx)->page;
  if (!p) return;
  if (kind == PL_SAID_ROW)
    pl_page_row_begin(p);
  else if (kind == PL_SAID_ROW_END)
    pl_page_row_end(p);
  else if (kind == PL_SAID_HEADING)
    pl_page_heading(p, 3, text);
  else
    put[kind](p, "%s", text);
}

static void put_grid(void *ctx, int rows, int cols, const char *const *cells) {
  job *j = ctx;
  if (j->page) pl_page_grid(j->page, rows, cols, cells);
}

static void put_bars(void *ctx, int n, const pl_bar *bar) {
  job *j = ctx;
  if (j->page) pl_page_bars(j->page, n, bar);
}

// ---- figures ------------------------------------------------------------------------------------

// as a file, unless it has no name, and on the page
static pl_status write_figure(const job *j, const char *name, const pl_text *svg,
                              const char *caption) {
  char path[PL_TEXT];
  if (svg->failed) return PL_E_NOMEM;
  if (!svg->s) return PL_OK;
  if (name && j->output.plots)
    PL_TRY(pl_file_write(j->env, job_path(j, name, ".svg", path), svg->s, svg->n));
  if (j->page) pl_page_figure(j->page, svg->s, caption);
  return PL_OK;
}

// frees the drawing, which `drawn` says is good
static void put_figure(job *j, const char *name, const char *caption, pl_text *svg,
                       pl_status drawn) {
  files_failed(j, drawn == PL_OK ? write_figure(j, name, svg, caption) : drawn);
  pl_text_free(svg);
}

static int begin_figure(const job *j, pl_text *svg) {
  pl_text_init(svg, j->env);
  return j->page || j->output.plots;
}

static void put_plot(void *ctx, const char *name, const char *caption, const pl_plot *p) {
  pl_text svg;
  if (begin_figure(ctx, &svg)) put_figure(ctx, name, caption, &svg, pl_plot_svg(&svg, p));
}

static void put_chart(void *ctx, const char *name, const char *caption, const pl_chart *c) {
  pl_text svg;
  if (begin_figure(ctx, &svg)) put_figure(ctx, name, caption, &svg, pl_bars_svg(&svg, c));
}

static void put_polar(void *ctx, const char *name, const char *caption, const pl_polar_plot *p) {
  pl_text svg;
  if (begin_figure(ctx, &svg)) put_figure(ctx, name, caption, &svg, pl_polar_svg(&svg, p));
}

static void put_picture(void *ctx, const char *name, const char *caption, const pl_view *v) {
  const pl_mesh *m = ((job *)ctx)->scene->mesh;
  pl_text svg;
  if (begin_figure(ctx, &svg)) put_figure(ctx, name, caption, &svg, pl_view_svg(&svg, m, v));
}

static void put_solids(void *ctx, const char *name, const char *caption, const pl_solids *s) {
  pl_text svg;
  if (begin_figure(ctx, &svg)) put_figure(ctx, name, caption, &svg, pl_solids_svg(&svg, s));
}

static void put_body(void *ctx, const char *name, const char *caption, const pl_body_plot *p) {
  pl_text svg;
  if (begin_figure(ctx, &svg)) put_figure(ctx, name, caption, &svg, pl_body_svg(&svg, p));
}

static void put_shape(void *ctx, const pl_shape *s) {
  files_failed(ctx, draw_shape(ctx, s));
}

static void put_film(void *ctx, const pl_analysis *a, const pl_film *f) {
  files_failed(ctx, draw_film(ctx, a, f));
}

static void put_orbit(void *ctx, const char *name, const char *title, const pl_orbit *o) {
  files_failed(ctx, draw_orbit(ctx, o, name, title));
}

pl_sink files_sink(job *j) {
  return (pl_sink){.ctx = j,
                   .begin = put_begin,
                   .table = put_table,
                   .text = put_text,
                   .scene = put_scene,
                   .material = put_material,
                   .said = put_said,
                   .grid = put_grid,
                   .bars = put_bars,
                   .plot = put_plot,
                   .chart = put_chart,
                   .polar = put_polar,
                   .picture = put_picture,
                   .solids = put_solids,
                   .body = put_body,
                   .shape = put_shape,
                   .orbit = put_orbit,
                   .film = put_film};
}
