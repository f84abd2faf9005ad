#ifndef RUN_TRANSIENT_H
#define RUN_TRANSIENT_H

// Motions in time, whatever steps them: rows of a table, frames, files, a checkpoint.
#include "gradients.h"

typedef struct recorder {
  step_table t;
  kept kept;
  double every, next_row; // time between rows, time of the next one
  double frame_step, next_frame;
  double frame_first;        // jumps: frame_step before frames were thinned; else 0
  const pl_history *history; // of the steps under way
} recorder;
enum { MOTION_COLUMNS = 6 }; // that all motions have: energies over time

// Impacts of a motion with obstacles; without them all of it does nothing.
typedef struct impact_face {
  int obstacle, body;
} impact_face;

typedef struct impacts {
  job *j;
  pl_contact *contact; // tells of its steps from impacts_open on
  pl_status status;    // of what was logged
  pl_sound *sound;
  pl_table *log; // meetings and partings, for checkpoints
  int *met;      // [npair] 1: touched at the last step
  int nface, capface;
  impact_face *face; // [nface] the same by faces and edges
  double *v;         // [2][nq] velocities there, and scratch
} impacts;
pl_status impacts_open(job *j, pl_contact *contact, impacts *k);
void impacts_close(impacts *k);
// Where the next step begins.
void impacts_start(impacts *k, const pl_state *s);
// Their table, figures, and a warning where steps do not resolve them. law: for messages.
pl_status impacts_report(const impacts *k, const pl_analysis *a, const char *law, json_t *figures);

// One motion: the main one has a recorder, others are only compared with it.
typedef struct motion {
  job *j;
  const pl_analysis *a;
  pl_transient_opts opts;
  const pl_jump_opts *jump; // NULL: a transient
  pl_table *hands;          // jump: its stages
  char method[64];
  recorder *record;
  impacts *met;  // NULL: not looked at
  pl_table *log; // of pl_limit_transient: energies and limits of every step; NULL: none
  job_gradients slopes;
  pl_transient_info info;
  pl_status stop, status; // of the steps; of what was recorded
} motion;

// A free body that touches none of its obstacles at s: what its flight as a rigid body, in steps of
// h, comes to. Nothing is told of others.
pl_status job_flight_report(job *j, const pl_analysis *a, pl_contact *c, const pl_state *s,
                            double h, json_t *figures);
// Of scenes with several: what each free solid does at s, and its flight where it touches nothing.
pl_status job_bodies_report(job *j, const pl_analysis *a, pl_contact *c, const pl_state *s,
                            double h, json_t *figures);

// ---- jumps --------------------------------------------------------------------------------------

// Columns of its table besides those of all motions.
int jump_columns(const table_column **own);
pl_status jump_table_open(motion *r);
// The first row.
pl_status jump_start(motion *r, const pl_state *s, double *row);
// After a step: what its row has besides, and a row of the stages where a new one begins.
pl_status jump_step(motion *r, const pl_history *h, double *row);
// J; gone since the start, to contact, damping and hand-overs.
double jump_lost(const pl_history *h);
// Times that tell it: start, take-off, halfway up, top, halfway down, landing, end. Returns how
// many, none where it did not leave the ground.
enum { JUMP_MOMENTS = 7 };
int jump_moments(const motion *r, double *time);
// What it came to: figures, words, tables and plots.
pl_status jump_report(motion *r, json_t *figures);

// Energies at a step, J.
typedef struct step_energy {
  double kinetic, elastic, potential, dissipated;
} step_energy;

// Energies of the start, into the job's work.
pl_status motion_start(motion *r, const pl_state *s);
// Steps to the end; their stop is no failure.
pl_status motion_steps(motion *r, const pl_constraints *k, pl_state *s, pl_history *h);
// Records a step; non-zero: steps are to stop.
int motion_record(motion *r, const pl_state *s, const step_energy *e);

// Runs a motion from start to end, with its figures and files.
pl_status motion_run(motion *r, json_t *figures);

#endif
