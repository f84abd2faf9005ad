#ifndef STUDIO_RUNS_H
#define STUDIO_RUNS_H

#include "studio_impl.h"

#include "pliant/job.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
  LIVE_ROWS = 2000,         // of a table that grows, at most
  LIVE_ITERATES = 5000,     // of a run
  ITEM_BYTES = 2 << 20,     // of text that a run keeps
  RUNS_KEPT = 32,           // that have ended
  ARRAY_BYTES = 512 << 20,  // of all of them
  FILM_BYTES = 64 << 20,    // of one film
  MOTION_BYTES = 64 << 20,  // of a run's motions along curves
  ITERATE_BYTES = 64 << 20, // of a run's motions of iterates
  LIVE_ASKED = 8            // answers to `live` of which arrays are kept
};
#define ROWS_PAUSE  0.05       // s between batches of rows
#define FRAME_PAUSE (1 / 30.0) // s between live states
#define TOLD_PAUSE  0.1        // s between messages of progress

typedef enum run_state { QUEUED, RUNNING, DONE, UNSOLVED, CANCELLED, FAILED } run_state;

// Rows of a table that has not ended: of many only every second one, every fourth and so on.
typedef struct live_table {
  char name[PL_TEXT];
  json_t *columns;
  int ncol, n, every, sent; // sent: how many of the n pages have
  double *row;              // [LIVE_ROWS][ncol]
} live_table;

// The motion of a row of a table.
typedef struct kept_motion {
  char table[80];
  int row, number; // of its group
  size_t bytes;
  json_t *orbit;
} kept_motion;

// What pages are told while it happens; of the job's thread but for what live_lock guards.
typedef struct live {
  int ntable, cap_table;
  live_table *table; // guarded
  int asked;         // answers to `live`; guarded
  double told;       // wall clock of the last batch of rows
  int nmotion, cap_motion, stride, next;
  kept_motion *motion; // guarded
  size_t motion_bytes, iterate_bytes;
  json_t *iterates; // events; guarded
} live;

typedef struct ahead { // to tell how long it takes
  char what[64];
  double since, from; // wall clock, and what was done then
  double told;
} ahead;

struct job {
  studio *s;
  int number;
  char kind[16], label[PL_TEXT], group[32];
  run_state state; // guarded by the lock of runs, as are the following
  double begun, seconds;
  int model;            // revision, 0: none
  char folder[PL_TEXT]; // of its files, below the studio's; "": none
  json_t *items;
  size_t text_bytes, array_bytes;
  int full; // items had to be left out
  run_fn *fn;
  void *ctx;
  void (*drop)(void *ctx);
  char op[16]; // that asked for it, and its arguments; "": nothing to be done again
  json_t *args;
  pl_status status; // when it has ended
  atomic_int stop, pause;
  atomic_int designs; // a pause waits for the next iterate
  ahead ahead;        // the job's
  char note[PL_TEXT]; // a message that waits to be told; the job's
  live live;
};

typedef struct runs {
  studio *s;
  pthread_mutex_t lock;
  pthread_cond_t more, ended;
  pthread_t thread;
  int begun, stop, next; // next: number of the last one
  int n, cap;
  job **run; // in the order of their numbers
} runs;

void runs_lock(studio *s);
void runs_unlock(studio *s);
job *runs_find(studio *s, json_int_t number); // under the lock; NULL: there is none
json_t *run_json(const job *r);               // under the lock
// A run that is not queued: its work is done by the caller, who ends it.
job *runs_open(studio *s, const char *kind, const char *label);
void runs_close(job *r, pl_status status);
// Has it ended, or does it within so many seconds?
int runs_wait(studio *s, int number, double seconds);
// Writes the line of a run that ends into studio.jsonl (replay.c); 0: it cannot be written.
int journal_write(job *r, pl_status status);
// Is another run at work in this folder, or are the results there to be gone on with?
int runs_hold(studio *s, const char *folder, const job *but);
int run_stopped(const job *r);
// Puts a message that waits before what comes next.
void run_note(job *r);

// ---- what is told at once (live.c) --------------------------------------------------------------

void live_rows(job *r, const char *name, const pl_table *t, int first);
// A table is whole: its item takes the place of its rows.
void live_end(job *r, const char *name);
void live_flush(job *r, int all); // all: whatever the time is
void live_iterate(job *r, json_t *event, size_t bytes);
// Where the motion of a row is to be kept; NULL: nowhere, there are enough. group: of its array.
int live_wants(job *r, const char *table, int row, char group[64]);
void live_motion(job *r, const char *table, int row, json_t *orbit, size_t bytes);
void live_free(job *r);

// ---- scenes that are run (run_scene.c) ----------------------------------------------------------

typedef struct plan {
  char *path, *text, *only;
  char folder[PL_TEXT]; // of results, below the studio's; "": to be chosen
  int nset, resume;
  char **set;
} plan;
void plan_free(void *ctx);
run_fn run_scene;

// ---- models -------------------------------------------------------------------------------------

// Keeps a model, as one of a few of checks (check 1), or until it is dropped.
void models_keep(studio *s, int rev, json_t *model, int check);
void models_drop(studio *s, int rev);

// ---- items (items.c) ----------------------------------------------------------------------------

json_t *part_columns(const pl_table *t);
json_t *item_table(job *r, const char *name, const pl_table *t);
json_t *item_plot(job *r, const char *name, const char *caption, const pl_plot *p);
json_t *item_polar(job *r, const char *name, const char *caption, const pl_polar_plot *p);

// The sink of a run (run_sink.c).
typedef struct watcher {
  job *r;
  const pl_scene *scene;
  const pl_model *model; // that states and motions belong to now
  const pl_params *params;
  double framed; // wall clock of the last live state
  float *x;      // [nvert][3] scratch
} watcher;
pl_sink run_sink(watcher *w);

#endif
