#ifndef STUDIO_SESSION_H
#define STUDIO_SESSION_H

#include "pliant/scene.h"

// A scene that is explored: its steady motion at the present values, what small changes do to it,
// and the way back. Knows nothing of pages. One thread at a time.

enum { GLANCE_BYTES = 512 << 20 }; // of derivatives that are kept

// Values with their motion.
typedef struct stop {
  double *x; // [nvar]
  pl_orbit *orbit;
} stop;

// A place whose path length is told.
typedef struct watched {
  char name[80];
  int node, mask;                 // mask 0: all axes
  double before, predicted, path; // m: at the last stop, first-order estimate of it, now
} watched;

typedef struct session {
  pl_env env;        // of all that it makes; messages and progress go to the job's
  const pl_env *job; // while one is at work, else NULL
  int (*stop)(void *ctx, const pl_progress *p);
  void *stop_ctx;
  int steady; // 1: progress is told to nobody, nothing is cancelled
  pl_scene *scene;
  pl_work *w;
  pl_optimise_opts opts;
  pl_design_problem problem;
  pl_variable *variable; // [nvar] parameters of the scene, then the frequency
  pl_params *params;     // that the design was opened with
  pl_design *d;
  int nvar, nwatch;
  double *x, *lo, *hi; // [nvar] SI
  watched *watch;
  double *slope, *last_slope; // [nwatch][nvar] of paths, now and at the last stop
  double *S; // as pl_design_sensitivity has it, of the present motion; NULL: not known yet, or too
             // large
  // of the last move: estimated distance of the prediction over the motion's size, the true one
  double trust, off;
  int fresh; // it was solved from rest
  int lost;  // a step failed and the way back, too: there is no motion at hand
  int nback, cap;
  stop *back; // where it has been, the oldest first
} session;

// What is explored: a scene in memory, as pl_scene_parse_explore takes it.
typedef struct session_source {
  const char *name, *folder, *text;
  pl_exploration explore;
  pl_scene_limits limits;
  int threads;
  int (*stop)(void *ctx, const pl_progress *p); // asked between jobs; non-zero: end what is done
  void *stop_ctx;
} session_source;
// Reads it and solves its motion.
pl_status session_open(const pl_env *job, const session_source *from, session **out);
void session_close(session *t);
// The values x[nvar] that were set besides (explore.set); 0: there are none.
int session_wanted(const session *t, double *x);
// Follows the motion to other values (moved into bounds); where it is lost, it is solved from rest.
// PL_UNSOLVED: there is none, all is as before.
pl_status session_move(session *t, const pl_env *job, const double *x);
// Back to the last stop. PL_E_ARG: there is none.
pl_status session_back(session *t, const pl_env *job);
// The motion to first order, as pl_design_predict. x is moved into bounds.
pl_status session_predict(session *t, const double *x, pl_orbit **out, double *trust);
// The same from derivatives that are kept, without the factorisation there; digits beyond those
// that a page shows may differ.
pl_status session_glance(session *t, const double *x, pl_orbit **out, double *trust);
// x, moved into bounds, less where it is: [nvar], to be freed with pl_free. NULL: memory ended.
double *session_change(session *t, const double *x);
// The motion changes: what is known of its surroundings does not hold any more.
void session_forget(session *t);
// The change[nvar] of the chosen variables along the gradient of a watched path (down: against it),
// of length one in scaled variables.
pl_status session_direction(session *t, int watch, const char *chosen, int down, double *change);
// Derivatives of the coefficients of all vertices of the mesh, f32 [nvar][nvert][3][2H+1]; free
// with pl_free. *out NULL: they would take more than `most` bytes.
pl_status session_sensitivity(session *t, size_t most, float **out, size_t shape[4]);

#endif
