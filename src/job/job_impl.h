#ifndef JOB_IMPL_H
#define JOB_IMPL_H

#include "folder.h"

#include "pliant/job.h"
#include "pliant/recover.h"
#include "pliant/report.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stdint.h>

enum { WARNINGS = 50 }; // messages kept for the report

typedef struct pace {      // of checkpoints
  double written, seconds; // wall clock when the last one was written; what that took
} pace;

typedef struct length_unit {
  const char *key, *name; // for plots; in words
  double si;              // one of it in metres
} length_unit;

typedef struct job {
  pl_env *env;
  const pl_scene *scene; // view
  pl_scene view;         // the scene with values that analyses may change
  pl_params *params;     // its own: of the scene, or found by an analysis that applies them
  const pl_job_opts *opts;
  pl_output_opts output; // the scene's; without a folder no files
  pl_sink files;         // writes them
  pl_status reported;    // of the files: what failed first
  atomic_int *stop;      // the host or who looks on wants it to end
  pl_work *work;
  pl_state **state; // [nanalysis] results of static analyses and drapes, NULL: not run
  int *solved;      // [nanalysis] 1: came to its end
  pl_table **curve; // [nanalysis] points of responses and backbones, NULL: not run
  pl_page *page;
  json_t *analyses; // array of figures
  double *x;        // [nvert][3] scratch for pictures
  double *colour;   // [nvert]
  int drawable;     // the scene has cells to draw
  int ntie;
  pl_tie *tie; // springs between points of links, for pictures
  char *bare;  // [nvert] 1: on a rod
  int nbead;
  int *bead;       // [nbead] point masses on rods
  pl_sheet *sheet; // limits of stretch while an analysis keeps them; NULL: none
  pl_job_result *result;
  uint64_t scene_hash, model_hash; // fingerprints: at the start, as an analysis began
  pace *pace;
  char date[32]; // of the start, UTC
  folder *folder;
  const length_unit *length;  // that lengths are shown in; NULL: not decided yet
  pl_recover *recover;        // stress of the scene's bodies; NULL: not wanted, or there is none
  const pl_state *recovered;  // it is that of this state; NULL: of none that stays as it is
  struct native_kept *native; // [npatch] what native found; NULL: nothing yet
  struct sheet_kept *sheets;  // [nanalysis] what limits found for sheets; NULL: nothing yet
  // what a stage has put aside: the scene's model, values and scratch; NULL: none is under way
  pl_model *base;
  pl_params *base_params;
  pl_work *base_work;
  pl_recover *base_recover;
} job;

// ---- analyses: each fills `figures`, writes files and its part of the page ----------------------

#define A(name, key, text) pl_status job_##name(job *j, int index, json_t *figures);
PL_ANALYSIS_LIST(A)
#undef A

// One more ray of a boundary, to the place p; edges of its triangles along ridges, not across.
pl_status job_boundary_insert(pl_env *env, const double p[3], double left, pl_boundary *b);
void job_boundary_ridges(pl_boundary *b);
// Sheets of interlocking materials. Solves with barriers ten thousand times as wide, a thousand
// times and so on down to ten, each from where the last one ended. Nothing happens without such
// sheets.
pl_status job_barrier_narrow(job *j, pl_status (*solve)(void *ctx), void *ctx);
// Wider ones for steps in time, which know no path of weights; NULL: back to those of the scene.
void job_barrier_step(job *j, pl_transient_opts *o);
pl_status job_barrier_report(job *j, const pl_analysis *a, const pl_state *s, json_t *figures);
// The same of a model that is not the scene's; who: in messages.
void barrier_scale(const pl_model *m, pl_params *p, double factor);
pl_status barrier_narrow(const pl_model *m, pl_params *p, pl_status (*solve)(void *ctx), void *ctx);
pl_status barrier_report(job *j, const char *who, const pl_model *m, const pl_params *p,
                         const pl_state *s, json_t *figures);

// An analysis whose loads and supports are not those of the scene gets a model of its own, in place
// of the scene's until it ends; values that it finds are the scene's then.
pl_status job_stage_enter(job *j, const pl_analysis *a);
pl_status job_stage_leave(job *j);
// Static: forces [nq] of supports that are gone, which go away on the way; NULL: none. s: where it
// begins, NULL: that is found. Freed by the caller.
pl_status job_stage_release_forces(job *j, const pl_analysis *a, pl_state *s, double **released);
// How far joins open at a state, told in the figures and warned about; nothing without joins.
pl_status job_join_report(job *j, const pl_analysis *a, const pl_state *s, json_t *figures);

// native: the poses of its patch, for macro to be compared with; a copy.
pl_status job_native_keep(job *j, const pl_analysis *a, const pl_pose *pose);
// What was kept of a patch; NULL: nothing. name: of the analysis.
const pl_pose *job_native_kept(const job *j, int patch, const char **name);
void job_native_free(job *j);

// limits: what sheets of its material need, for macro; it is the job's then, whatever is returned.
pl_status job_sheet_keep(job *j, int index, pl_sheet_material *m);
// Why it leaves nothing for sheets.
pl_status job_sheet_lacks(job *j, int index, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
// What was kept of analysis `index`; NULL: nothing, and why, "" where it has not run.
const pl_sheet_material *job_sheet_kept(const job *j, int index, const char **why);
// Takes up the file of an earlier run, when the job goes on from one, for macro alone.
pl_status job_sheet_resume(job *j, int macro);
void job_sheets_free(job *j);

// The earlier analysis whose result one starts from: its state, or what limits leave for sheets;
// -1: none.
int job_source(const pl_analysis *a);
// Tells which drives and loads take no part in an equilibrium, and warns when none does.
pl_status job_left_out(job *j, const pl_analysis *a);
// A state at rest (with the scene's initial values) or of the static analysis or drape that `about`
// names.
pl_status job_start(job *j, const pl_analysis *a, pl_state **out);
// Keeps the state for analyses about it, or frees it where the status is a failure; returns that.
pl_status job_end(job *j, int index, pl_state *s, pl_status status);

// Shows the model at other values; springs of pictures follow. NULL: at those of the job.
pl_status job_use(job *j, pl_params *p);
// The job goes on with values that an analysis found; they become its own.
pl_status job_apply(job *j, pl_params **found);

// ---- sink: what is told to who looks on, and to the files --------------------------------------

// Does anybody want tables?
int job_tables(const job *j);
// A whole table, NAME SUFFIX.
pl_status job_table(const job *j, const pl_table *t, const char *name, const char *suffix);
// A table with columns of these names, and its end: it is sent unless s is a failure, and freed.
typedef struct table_column {
  const char *name, *unit;
} table_column;
pl_status job_table_open(const job *j, int n, const table_column *column, pl_table **out);
pl_status job_table_end(const job *j, pl_table *t, pl_status s, const char *name,
                        const char *suffix);
// The rows from `first` on, into a file that grows.
pl_status job_table_append(const job *j, const pl_table *t, const char *name, const char *suffix,
                           int first);
// A table has grown by the rows from `first` on.
void job_rows(const job *j, const pl_table *t, const char *name, int first);
// Does the host, or who looks on, want the job to end? What it has is told then, at once.
int job_stopped(const job *j);
// A table with words in it, which is freed.
pl_status job_text(const job *j, const char *name, pl_text *csv);
// The scene with the values x[nvariable] that an analysis found for its variables.
pl_status job_found(const job *j, const pl_analysis *a, const double *x);
pl_status job_send_scene(const job *j, const char *name, const pl_text *yaml);
pl_status job_send_material(const job *j, const char *name, const pl_sheet_material *m);
// Does anybody want figures?
int job_figures(const job *j);
// Words about the result: a key figure, which the terminal shows, too; a heading; a sentence; the
// same as a warning; and where the result is not to be trusted.
#define SAYS __attribute__((format(printf, 2, 3)))
void job_note(const job *j, const char *fmt, ...) SAYS;
void job_heading(const job *j, const char *fmt, ...) SAYS;
void job_say(const job *j, const char *fmt, ...) SAYS;
void job_warn(const job *j, const char *fmt, ...) SAYS;
void job_alarm(const job *j, const char *fmt, ...) SAYS;
// Figures from here to there stand side by side.
void job_row(const job *j);
void job_row_end(const job *j);
// A table of words, cell by cell; head [cols] may be NULL. It is told, and freed, at its end.
typedef struct grid {
  const job *j;
  int cols, n;
  pl_text text;
} grid;
grid job_grid(const job *j, int cols, const char *const *head);
void grid_add(grid *g, const char *fmt, ...) SAYS;
void grid_end(grid *g);
#undef SAYS
void job_bars(const job *j, int n, const pl_bar *bar);
pl_status job_plot(job *j, const char *name, const pl_plot *plot, const char *caption);
pl_status job_chart(const job *j, const char *name, const pl_chart *c, const char *caption);
pl_status job_polar(const job *j, const char *name, const pl_polar_plot *p, const char *caption);
// Values on the mesh, with the backdrop of obstacles.
pl_status job_values(const job *j, const char *name, const pl_view *v, const char *caption);
pl_status job_solids(const job *j, const char *name, const pl_solids *s, const char *caption);
pl_status job_body(const job *j, const char *name, const pl_body_plot *b, const char *caption);
pl_status job_send_shape(const job *j, const pl_shape *s);
// A state with its displacements.
pl_status job_picture(job *j, const pl_state *s, const char *name, const char *caption);
// An equilibrium: the displacements of probed places, its shape and its picture.
pl_status job_shape(job *j, const pl_analysis *a, const pl_state *s);
pl_status job_orbit(const job *j, const pl_orbit *o, const char *name, const char *title);
// The motion of a row of a table.
void job_motion_of_row(const job *j, const char *name, int row, const pl_orbit *o);
// A step of a design; non-zero: it is to stop.
int job_iterate(const job *j, const pl_analysis *a, const pl_iterate *i);
int job_iterates(const job *j); // somebody looks on
// The same with the i->nset texts in `set`, each ended by a zero byte. PL_CANCELLED: stop here.
pl_status job_iterate_set(const job *j, const pl_analysis *a, pl_iterate *i, const pl_text *set);
// Does somebody show motions in time?
int job_films(const job *j);
pl_status job_film(const job *j, const pl_analysis *a, const pl_film *f);
void sink_state(const job *j, const pl_analysis *a, const pl_state *s);
void sink_begin(const job *j, const pl_analysis *a);
void sink_use(const job *j); // the model and values at hand
void sink_end(const job *j, const pl_analysis *a, const json_t *figures, pl_status status);
void sink_summary(const job *j, const char *json);

// ---- files: a sink, too -------------------------------------------------------------------------

pl_sink files_sink(job *j);
// Ends the job once its analysis has ended; the first failure counts.
void files_failed(const job *j, pl_status s);
pl_status draw_shape(job *j, const pl_shape *s);
pl_status draw_film(job *j, const pl_analysis *a, const pl_film *f);
pl_status draw_orbit(job *j, const pl_orbit *o, const char *name, const char *title);

// `folder/name-suffix` in a buffer; returns buf.
const char *job_path(const job *j, const char *name, const char *suffix, char buf[PL_TEXT]);
// Finds the springs that pictures show, and the rods.
pl_status job_ties(job *j);
pl_status job_rods(job *j);
// The unit that all lengths of a run are shown in, on pictures, plots, tables and in words: the
// scene's own, one that suits its size, or, where it has none, one that suits `most`, the first
// length that is shown (0: not known).
const length_unit *job_length(job *j, double most);
// A length in that unit; returns buf.
const char *job_length_text(job *j, double v, char buf[48]);
// How a design parameter is shown: its unit as the scene writes it, and one such unit in SI.
double job_shown(const job *j, int design, const char **unit);
// The same for a variable; *unit is left alone where the scene does not write it, frequencies are
// in Hz.
double job_shown_variable(const job *j, const pl_variable *v, const char **unit);
// Diagonal of the box about the scene at rest.
double job_size(const job *j);
// The body of a node, or "".
const char *job_body_name(const job *j, int node);
// A view with all that stays the same from picture to picture.
pl_view job_view(job *j);
// Positions of the nodes in space, displacements times factor: x[nvert][3].
void job_positions(const job *j, const double *q, double factor, double *x);
// Displacement sizes of the nodes; returns the largest.
double job_displacements(const job *j, const double *q, double *size);
// The factor that pictures use for a displacement of at most `most`.
double job_exaggeration(const job *j, double most);
// Writes one VTU file with displacement, velocity (v may be NULL) and element fields.
pl_status job_vtu(job *j, const pl_state *s, int with_velocity, const char *path);
// A motion for pl_glb_write, whose words these are; colour may be NULL.
typedef struct job_motion {
  const double *base;
  int nframe, nkey;
  const double *frame, *time, *weight, *colour;
  const pl_view *backdrop; // its lines are shown, too; NULL: none
} job_motion;
// Writes it, rods as tubes unless the file would be very large.
pl_status job_glb(const job *j, const job_motion *a, const char *path);
// Displacement of each probed place on the page.
void job_probe_grid(job *j, const pl_analysis *a, const pl_state *s);
// Displacement of each probed place.
void job_probe_figures(const job *j, const pl_analysis *a, const pl_state *s, json_t *figures);
// Columns of probed places in a table from column `first`: names; returns the count of columns.
int job_probe_columns(const job *j, const pl_analysis *a, pl_table *t, int first);
void job_probe_row(const job *j, const pl_analysis *a, const pl_state *s, double *row);
int job_probe_count(const job *j, const pl_analysis *a);
// Plots every probed displacement over a table's column.
pl_status job_probe_plots(job *j, const pl_analysis *a, const pl_table *t, int xcol, int first,
                          const char *xlabel);

// Plots the path of every probed node whose columns begin at `first`.
pl_status job_path_plots(job *j, const pl_analysis *a, const pl_table *t, int first);

// ---- reactions of every support and drive -------------------------------------------------------

// Columns in a table: force of each, x y z.
int job_reaction_count(const job *j);
pl_status job_reaction_columns(const job *j, pl_table *t, int first);
// w: evaluated at s, with forces; contact: after the step that led there, NULL: there is none.
void job_reaction_row(const job *j, const pl_state *s, const pl_work *w, const pl_contact *contact,
                      double *row);
// Figures, also of named sets and of the balance with loads, and a table on the page. The job's
// scratch is evaluated at s and c, with forces; it is not afterwards.
void job_reaction_report(const job *j, const pl_state *s, const pl_clock *c,
                         const pl_contact *contact, json_t *figures);

// ---- stress: the functions do nothing where there is none ---------------------------------------

pl_status job_recover_open(job *j);
// The stress at s; stays: s does not change any more in this analysis, and is not looked at again.
pl_status job_recover(job *j, const pl_state *s, int stays);
// Largest stresses and the estimate of the discretisation error: figures, words, a picture.
pl_status job_stress_report(job *j, const pl_analysis *a, const pl_state *s, json_t *figures);
// The same estimate for frequencies of n modes shape[n][nq].
pl_status job_stress_modes(job *j, const pl_analysis *a, const pl_state *s, int n,
                           const double *omega, const double *shape, json_t *figures);
// Over n states of a motion, and over a period: figures, words, and NAME-stress.vtu.
pl_status job_stress_motion(job *j, int n, void (*at)(const void *ctx, int i, pl_state *s),
                            const void *ctx, const char *name, json_t *figures);
pl_status job_stress_period(job *j, const pl_orbit *o, const char *name, json_t *figures);
// Columns of probed places in a table, where histories are wanted.
int job_stress_count(const job *j, const pl_analysis *a);
pl_status job_stress_columns(const job *j, const pl_analysis *a, pl_table *t, int first);
void job_stress_row(const job *j, const pl_analysis *a, const pl_state *s, double *row);
// Which slot is shown at each vertex, -1: none.
void job_stress_slots(const pl_recover *r, int nvert, int *slot);
// Fields of a VTU file; brief: a frame of a motion. The caller frees data.
typedef struct stress_fields {
  int n;
  pl_field field[20];
  double *data;
} stress_fields;
pl_status job_stress_fields(job *j, const pl_state *s, int brief, stress_fields *f);
// The largest stress of rods in them.
void job_rod_stress(const job *j, const stress_fields *f, json_t *figures);

// ---- contact: the functions do nothing without it (k NULL) --------------------------------------

// A fresh contact of the scene; NULL: it has none.
pl_status job_contact_make(const job *j, const pl_analysis *a, pl_contact **out);
// Columns in a table: normal force and friction of every obstacle, counts of contacts.
int job_contact_count(const pl_contact *k);
pl_status job_contact_columns(const job *j, const pl_contact *k, pl_table *t, int first);
void job_contact_row(const pl_contact *k, double *row);
void job_contact_figures(const job *j, const pl_contact *k, json_t *figures);
void job_contact_report(job *j, const pl_analysis *a, const pl_contact *k);
// Forces of every obstacle over a table's first column; their columns begin at `first`.
pl_status job_contact_plots(job *j, const pl_analysis *a, const pl_contact *k, const pl_table *t,
                            int first, const char *xlabel);

// ---- the table of an analysis in steps ----------------------------------------------------------

// A row a step: what the analysis measures itself, probed places, contact, reactions.
typedef struct step_table {
  job *j;
  const pl_analysis *a;
  int nown;                      // columns of the analysis that begin the table
  int contacts, reactions, last; // where those of contact and reactions begin, and further own ones
  pl_contact *contact;           // of the scene, NULL: none
  pl_table *table;
  double *row; // own columns are filled by the caller
} step_table;

// own[nown + nlast]: the first and the last columns. reactions 0: they are left out.
pl_status step_table_open(job *j, const pl_analysis *a, int nown, const table_column *own,
                          int nlast, int reactions, step_table *t);
void step_table_close(step_table *t);
// Adds and tells the row of a step. w: evaluated at s, with forces, where there are reactions.
pl_status step_table_add(step_table *t, const pl_state *s, const pl_work *w);
// Watched places and forces of contact over the first column.
pl_status step_table_plots(const step_table *t, const char *xlabel);

// Lines of obstacles at time t behind a picture of npos positions x[npos][nvert][3], or behind a
// film that lasts until another time.
pl_status job_backdrop(const job *j, double t, double until, int npos, const double *x,
                       pl_view *view);
void job_backdrop_free(const job *j, pl_view *view);

// figures[key] = value; NULL-safe, a failure shows up as PL_E_NOMEM at the end
void job_set(json_t *figures, const char *key, json_t *value);
// Watches Jansson's memory in this thread; did it end since?
void json_errors_begin(void);
int json_errors_failed(void);

// ---- checkpoint of a motion ---------------------------------------------------------------------

typedef struct kept { // what a recorder gathers besides its table
  int n, cap;
  double *time;        // [cap]
  double *qv;          // [cap][2][nq] positions and velocities, for animation
  pl_contact *contact; // the table's; its forces are where the next step begins
} kept;

// Checkpoint of a motion: state, history, frames and contact of k, rows of the tables.
pl_status motion_write(const job *j, const pl_analysis *a, const pl_state *s, const pl_history *h,
                       const kept *k, int ntable, pl_table *const *table);
// *found = 0: there is none, or none is wanted. PL_E_INPUT: it cannot be gone on from.
pl_status motion_read(const job *j, const pl_analysis *a, pl_state *s, pl_history *h, kept *k,
                      int ntable, pl_table *const *table, int *found);

// ---- checkpoint of a design ---------------------------------------------------------------------

pl_status design_checkpoint_write(const job *j, const pl_analysis *a, const pl_design_state *s);
// *out is NULL: there is none, or none is wanted. PL_E_INPUT: it cannot be gone on from.
pl_status design_checkpoint_read(const job *j, const pl_analysis *a, pl_design_state **out);

#endif
