#ifndef STUDY_IMPL_H
#define STUDY_IMPL_H

#include "pliant/study.h"

#include <jansson.h>

enum { CASES_MOST = 1000000, INPUTS_MOST = 32, UNIT = 32, NUMBER = 40 };

// What changes from case to case.
typedef struct input {
  const char *name; // as it was given
  const char *path; // of the override
  const char *unit; // of its values; "" where they are bare
  // a list or a range with a count: these values
  int nlevel;
  const char **text; // [nlevel] as overrides have them
  double *value;     // [nlevel] in `unit`; of words the index
  int words;         // 1: they are no numbers
  // a range without a count, or a distribution
  int range, log;
  double lo, hi;
  pl_distribution of;
} input;

// What came of a case: the object that its line of cases.jsonl holds, NULL while it is not done.
typedef struct study {
  pl_env *env;
  const pl_scene *scene;
  const pl_study_opts *o;
  pl_study_result *result;
  pl_arena *arena; // of inputs
  int ninput;
  input input[INPUTS_MOST];
  int ncase;
  double *value; // [ncase][ninput] of those without levels; else the index of the level
  // the scene as it was when the study began
  char *data, folder[4096];
  size_t size;
  char stamp[65];  // of all that cases depend on besides their own values
  json_t **record; // [ncase]
  char date[32];
} study;

// ---- input.c
// --------------------------------------------------------------------------------------

pl_status inputs_read(study *s);
// The value of an input in a case; NaN where it is a word.
double input_value(const study *s, int k, int i);
// The same as an override has it.
void input_text(const study *s, int k, int i, pl_text *out);
// Twelve digits of it, which overrides can be read with.
double round_value(double v);
// That of a range at a part of it.
double range_value(const input *p, double u);
const char *study_command(const study *s);
// The shortest text that reads back to the same number.
void number_text(double v, char out[NUMBER]);

// ---- plan.c
// ---------------------------------------------------------------------------------------

// The values of all cases.
pl_status plan_make(study *s);

// ---- case.c
// ---------------------------------------------------------------------------------------

// Loads the scene with the overrides of a case.
pl_status case_load(const study *s, pl_env *env, int k, pl_scene **out);
// Runs a case and tells it as a line of JSON. PL_E_NOMEM: the process should not go on.
pl_status case_run(void *ctx, int k, pl_text *out);
// The record of a case that did not come back.
json_t *case_lost(const study *s, int k, const char *status, const char *reason, double seconds);
int case_is_solved(const json_t *record);
// Where a case's result folder is.
void case_folder(const study *s, int k, char out[4096]);

// ---- pool.c
// ---------------------------------------------------------------------------------------

typedef enum pool_end { POOL_LIMIT, POOL_SIGNAL, POOL_EXIT } pool_end;

// Processes that take task after task.
typedef struct pool {
  pl_env *env;
  int nprocess;
  double limit; // s of a task, 0: any
  void *ctx;
  // in such a process: what came of a task. PL_E_NOMEM: the process ends after it
  pl_status (*work)(void *ctx, int task, pl_text *out);
  // in this process: it came, or its process ended (by the signal, or with the exit code)
  pl_status (*done)(void *ctx, int task, const char *text, size_t n);
  pl_status (*lost)(void *ctx, int task, pool_end how, int code, double seconds);
  pl_status (*progress)(void *ctx);
} pool;

// Hands n tasks out and waits for all; PL_CANCELLED: some were not done.
pl_status processes_run(const pool *p, int n, const int *task);

// ---- log.c
// ----------------------------------------------------------------------------------------

// Takes up what an earlier study left of the same cases, and opens cases.jsonl for more.
pl_status log_open(study *s, int *fd);
// Keeps a record, which becomes the study's.
pl_status log_add(study *s, int fd, int k, json_t *record);
// All records in the order of cases.
pl_status log_write(study *s);
// In the folder of results.
const char *study_path(const study *s, const char *name, char out[4096]);

// ---- figures.c
// ------------------------------------------------------------------------------------

// Puts the numbers of an analysis's figures into `to`, as NAME.KEY.KEY; lists up to LIST_MOST long.
enum { LIST_MOST = 16 };
void figures_flatten(const char *analysis, const json_t *figures, json_t *to);

// Figures over all cases.
typedef struct columns {
  pl_env *env;
  int n, cap;
  char **name;
  double *value; // [n][ncase] NaN: there is none
  int ncase;
} columns;
pl_status columns_make(const study *s, columns *out);
void columns_free(columns *c);
const double *column_of(const columns *c, int i);
// Tells of a name that no figure of the record has.
void figures_check(const study *s, const json_t *record);
pl_status table_write(const study *s, const columns *c);

// Figures that pages show: those asked for, else the first ones that change.
int shown_figures(const study *s, const columns *c, int most, int *list);
// Have all cases the figure that did not fail?
int is_everywhere(const study *s, const columns *c, int i);
// "k (N/m)", and the same of a figure, whose unit is the end of its name.
void input_label(const input *i, char *out, size_t size);
void figure_label(const char *name, char *out, size_t size);

// ---- page.c
// ---------------------------------------------------------------------------------------

pl_status page_open(const study *s, const char *title, pl_page **out);
pl_status page_failures(const study *s, pl_page *p);
// Writes the page, with links to files.
pl_status page_close(const study *s, pl_page *p, int nfile, const char *const *file);
pl_status page_plot(const study *s, pl_page *p, const pl_plot *plot, const char *caption);
pl_status page_contour(const study *s, pl_page *p, const pl_contour *plot, const char *caption);
// All inputs and the figures list[n].
pl_status page_parallel(const study *s, pl_page *p, const columns *c, int n, const int *list);

// Cells of a table of a page, row by row, the header first.
typedef struct cell_grid {
  pl_env *env;
  int cols, n;
  pl_text cells;
} cell_grid;
void grid_open(cell_grid *g, const study *s, int cols);
void grid_put(cell_grid *g, const char *text);
void grid_number(cell_grid *g, double v);
pl_status grid_close(cell_grid *g, pl_page *p);

// ---- sweep_page.c, uncertainty_page.c
// -------------------------------------------------------------

// report.html; of uncertainty with tables, and its statistics in the study's JSON.
pl_status sweep_report(const study *s, const columns *c);
pl_status uncertainty_report(const study *s, const columns *c, json_t *summary);

// ---- curves.c
// -------------------------------------------------------------------------------------

// Mean and 5 to 95 % bands of tables over all cases where these have the same abscissa, as pictures
// and files; of sweeps, and else, the curves themselves.
pl_status curves_report(const study *s, pl_page *p);

#endif
