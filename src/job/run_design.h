#ifndef RUN_DESIGN_H
#define RUN_DESIGN_H

#include "run_orbit.h"

// A motion that was checked: of an operating point, or the largest one of an objective's window.
typedef struct proven {
  const pl_orbit *orbit;
  int objective; // -1: none
  pl_proof found;
} proven;

enum { SIDES = 2, UP = 0, DOWN = 1, WAYS = 2 }; // before and after; of response curves
enum { TRACE = 257 };                           // points of a period in plots
extern const char *const side_name[SIDES];

// Frequencies (rad/s) of the response curves of a design.
typedef struct response_range {
  int asked;       // the scene gives them
  double from, to; // wanted
  double seen[2];  // drawn, lowest and highest
  int whole;       // nothing of it is left out
  int work, spent; // Newton iterations that may be taken, and those that were
  int ncurve;      // begun so far
} response_range;

// A design under way, and what is told about it. [2]: before and after.
typedef struct designing {
  job *j;
  const pl_analysis *a;
  const pl_design_plan *plan;
  int nvar, npoint, nobj;
  pl_optimise_opts opts;
  pl_design *d;
  pl_design_result *r;
  pl_params *state[2];
  pl_orbit **orbit[2];          // [npoint]
  pl_curve *curve[SIDES][WAYS]; // responses, NULL: none
  response_range range;
  double *lo, *hi;     // [nvar]
  char **name;         // [nvar]
  const char **unit;   // [nvar]
  double *track[2];    // [nobj] rad/s of peaks and folds
  double *error[2];    // [nobj] of trajectories
  double *phase[2];    // [nobj] of the motions where the targets begin
  double *path[2];     // [npoint][nprobe] m
  double *quantity[2]; // [nobj] what objectives are about, SI; NAN: none
  double *trace[2];    // [nobj][TRACE] their drawings over a period
  pl_orbit **peak;     // [nobj] largest motions of windows in the end, NULL: none
  int proved, checked; // proofs there are; all of them are done
  proven *proof;       // [npoint + nobj]
  int cancelled;
  // the last state of the optimiser, for the checkpoint
  pl_design_state kept;
} designing;

// Name of objective k, for people.
const char *objective_words(const designing *t, int k, char buf[PL_TEXT]);

// The unit in which quantities of a kind are told, and SI units in one of it.
const char *quantity_unit(const pl_objective_kind *kind, double *si);
// A quantity with its unit.
const char *quantity_text(job *j, const pl_objective_kind *kind, double v, char buf[48]);
// 1: how much larger it has become is of interest.
int quantity_has_ratio(const pl_objective_kind *kind);

// design_files.c: tables, plots and pictures
pl_status design_files(designing *t);
// A picture of the model coloured by the parameters of its elements, where there are such.
pl_status design_elements(const designing *t);
// Name of a file of it; point: of which operating point.
const char *design_file(const designing *t, const char *what, int point, char buf[PL_TEXT]);
// design_response.c: the curves of a side, after the design first; what is told of them
pl_status design_response(designing *t, int side);
pl_status design_response_show(const designing *t);
void design_response_figures(const designing *t, json_t *figures);
// design_page.c: figures of the summary, the page's words and tables
void design_figures(const designing *t, json_t *figures);
// Tracking error before (side 0) or after, root mean square over all trajectories; n: how many.
double design_tracking(const designing *t, int side, int *n);
void design_page_head(const designing *t);
pl_status design_page_tables(const designing *t);

// Path of a probed place in the plane of its widest extents, several motions in one plot.
typedef struct trace {
  const char *name;
  const double *x; // [n][dim] m
  int n, dashed, colour;
} trace;
pl_status traces_plot(job *j, const char *file, const char *title, int ntrace, const trace *t,
                      double period, const char *caption);
// x[n][dim]: a node over one period, from a phase on.
pl_status trace_orbit(job *j, const pl_orbit *o, int node, double phase, int n, double *x);

#endif
