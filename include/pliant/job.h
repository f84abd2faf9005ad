#ifndef PLIANT_JOB_H
#define PLIANT_JOB_H

#include "pliant/linkage.h"
#include "pliant/report.h"
#include "pliant/scene.h"

PL_DECLS_BEGIN

#define PL_JOB_CHECKPOINT 5.0 // s between checkpoints, unless told otherwise

struct json_t;

// Words about a result.
typedef enum pl_said {
  PL_SAID_KEY,     // a key figure
  PL_SAID_HEADING, // of what follows
  PL_SAID_TEXT,
  PL_SAID_WARNING,
  PL_SAID_ALARM,   // the result is not to be trusted
  PL_SAID_ROW,     // figures from here to
  PL_SAID_ROW_END, // here belong side by side
} pl_said;

// A shape of the scene.
typedef struct pl_shape {
  const char *name;            // of files for viewers; NULL: there is its picture alone
  const char *picture;         // of its picture; NULL: none
  const char *title, *caption; // NULL: none
  const pl_state *state;
  const double *mode; // [nq] a mode about the state, of any size; NULL: the state is what is shown
} pl_shape;

// Moments of a motion in time.
typedef struct pl_film {
  int n;
  const double *time; // [n] s
  const double *qv;   // [n][2][nq] unknowns and their rates
  const double *x;    // [n][nvert][3] vertices of the scene's mesh
  const double *face; // [n][triangles] part of the allowed strain; NULL: there are no limits
} pl_film;

// A step of a design or a fit, accepted; an evaluation of a search.
typedef struct pl_iterate {
  int iteration; // 0: where it begins
  double value;  // of what is minimised; NAN: it failed
  int best;      // none so far is better
  int n;
  const char *const *name; // [n] of variables
  const char *const *unit; // [n] of x; NULL: SI
  const double *x;         // [n]
  int nset;                // overrides of the scene that lead here; 0: parameters have these values
  const char *const *set;
  int nfigure; // what it comes to
  const char *const *figure;
  const double *reached; // [nfigure]
  int norbit;            // motions at the operating points
  const pl_orbit *const *orbit;
  const pl_params *params; // of these motions
} pl_iterate;

// Who looks on while a job runs: everything that it computes, as data. Functions may be NULL; they
// are called in the job's thread. Names are those of the files without their endings. The files of
// a job are written by a sink, too.
typedef struct pl_sink {
  void *ctx;
  void (*begin)(void *ctx, const pl_analysis *a);
  // What unknowns, shapes and motions belong to from here on: first told before all else, and again
  // as analyses change values or have loads and supports of their own.
  void (*use)(void *ctx, const pl_model *m, const pl_params *p);
  // A table has grown by the rows from `first` on: load steps, time steps, points of a response.
  // Non-zero: stop the job.
  int (*rows)(void *ctx, const char *name, const pl_table *t, int first);
  // A table is whole.
  void (*table)(void *ctx, const char *name, const pl_table *t);
  // A table with words in it, as CSV.
  void (*text)(void *ctx, const char *name, const char *csv, size_t n);
  // The scene, as YAML, with the values that an analysis found.
  void (*scene)(void *ctx, const char *name, const char *yaml, size_t n);
  // What sheets of an interlocking material need, as pl_sheet_material_write writes it.
  void (*material)(void *ctx, const char *name, const pl_sheet_material *m);
  // What is said about results, in the order of a report.
  void (*said)(void *ctx, pl_said kind, const char *text);
  // rows * cols words, the first row is the header.
  void (*grid)(void *ctx, int rows, int cols, const char *const *cells);
  void (*bars)(void *ctx, int n, const pl_bar *bar);
  void (*plot)(void *ctx, const char *name, const char *caption, const pl_plot *p);
  void (*chart)(void *ctx, const char *name, const char *caption, const pl_chart *c);
  void (*polar)(void *ctx, const char *name, const char *caption, const pl_polar_plot *p);
  void (*shape)(void *ctx, const pl_shape *s);
  // A periodic motion; title may be NULL.
  void (*orbit)(void *ctx, const char *name, const char *title, const pl_orbit *o);
  // The motion of a row of a table: a point of a response or backbone. Told as the point is found,
  // and again when the order of points has changed.
  void (*motion)(void *ctx, const char *name, int row, const pl_orbit *o);
  // A step of a design or a fit, an evaluation of a search. Non-zero: stop here.
  int (*iterate)(void *ctx, const pl_analysis *a, const pl_iterate *i);
  // Values on the scene's mesh; name NULL: of no file.
  void (*picture)(void *ctx, const char *name, const char *caption, const pl_view *v);
  // Rigid elements where they are; a body in a space of three numbers.
  void (*solids)(void *ctx, const char *name, const char *caption, const pl_solids *s);
  void (*body)(void *ctx, const char *name, const char *caption, const pl_body_plot *b);
  // A motion in time, when it has ended.
  void (*film)(void *ctx, const pl_analysis *a, const pl_film *f);
  // A state of a motion, or an equilibrium, with its time in it.
  void (*state)(void *ctx, const pl_analysis *a, const pl_state *s);
  // Key figures of an analysis: what summary.json has of it, as an object of Jansson.
  void (*figures)(void *ctx, const pl_analysis *a, const struct json_t *figures);
  void (*end)(void *ctx, const pl_analysis *a, pl_status status);
  // The whole summary, as JSON: what summary.json holds.
  void (*summary)(void *ctx, const char *json);
} pl_sink;

typedef struct pl_job_opts {
  const char *folder;  // result folder, made when missing; NULL: no file is written
  const pl_sink *sink; // NULL: nobody looks on
  const char *only;    // run this analysis (and the ones it starts from); NULL: all
  int threads;         // 0: as many as there are processors
  int resume;          // continue from the checkpoints in the folder
  double checkpoint;   // s between them; 0: as by default, negative: at every step
  int nset;            // overrides that were applied, for the record
  const char *const *set;
} pl_job_opts;

typedef struct pl_job_result {
  int nrun, nunsolved; // analyses done, and those of them that did not converge
  int cancelled;
  int threads, processors;     // threads that work was shared among; processors of the machine
  double seconds, cpu_seconds; // wall clock; processor time of the whole process meanwhile
  char report[PL_TEXT];        // path of report.html, empty when not written
  char summary[PL_TEXT];       // path of summary.json
} pl_job_result;

// A result folder that one run at a time writes into. It holds a list of the files that runs have
// written, so that the next one replaces all of them and nothing else.
typedef struct pl_folder pl_folder;
// Makes the folder and takes it for this run alone; files that env writes into it are noted until
// it is closed. The path stays the caller's. PL_E_IO: another run has it, or it cannot be written.
pl_status pl_folder_open(pl_env *env, const char *path, pl_folder **out);
// Removes the files of earlier runs.
pl_status pl_folder_clear(pl_folder *f);
// Gives the folder free, and what f holds; f may be NULL. ended: the run came to its end.
pl_status pl_folder_close(pl_folder *f, int ended);

// Runs the analyses of a scene in order and writes their results. Returns PL_UNSOLVED when one of
// them did not converge and PL_CANCELLED when it was stopped: what there is has been written then,
// too.
pl_status pl_job_run(pl_env *env, const pl_scene *scene, const pl_job_opts *opts,
                     pl_job_result *result);

// A job in a thread of its own. Several may run a scene at the same time, none changes it; it must
// outlive them. Messages and progress go to host in that thread. Strings and lists of opts must
// outlive it.
typedef struct pl_job pl_job;
pl_status pl_job_create(const pl_env *host, const pl_scene *scene, const pl_job_opts *opts,
                        pl_job **out);
pl_status pl_job_start(pl_job *j);
// Asks it to stop soon; what there is is told and written. From any thread.
void pl_job_cancel(pl_job *j);
// Waits for its end and returns its status; result may be NULL.
pl_status pl_job_wait(pl_job *j, pl_job_result *result);
// Cancels it and waits, when it runs. NULL is allowed.
void pl_job_free(pl_job *j);

// ---- other formats ----------------------------------------------------------------------------

typedef struct pl_convert_opts {
  const char *from, *to;      // endings of formats; NULL: those of the names
  const char *unit, *to_unit; // of lengths; NULL: not known, or as they are
  const char *body;           // of a scene, NULL: all
  int order;                  // of cells: 1, 2; 0: as they are
  int dim;                    // keeps cells of this dimension; 0: all
  int text, old;              // see pl_grid_opts
  const char *root;           // folder beyond which a scene reads no file, NULL: anywhere
} pl_convert_opts;

// Changes a mesh file, a scene (its mesh with groups and sets) or a result folder (to npz) into
// another format. What is lost is told as warnings.
pl_status pl_convert(pl_env *env, const char *from, const char *to, const pl_convert_opts *o);

PL_DECLS_END

#endif
