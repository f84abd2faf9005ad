#ifndef STUDIO_EXPLORE_H
#define STUDIO_EXPLORE_H

#include "session.h"
#include "studio_impl.h"

#include <pthread.h>
#include <stdatomic.h>

enum { SENSITIVITY_BYTES = 64 << 20, SESSIONS_KEPT = 3 };

// A session with what pages know of it.
typedef struct exploration {
  int number, refs; // refs guarded by the lock of all
  char label[PL_TEXT];
  char group[32], glance[2][40]; // of arrays: of the present motion, of predictions by turns
  int turn;
  atomic_int gone;      // it was left: who has the lock closes it
  pthread_mutex_t lock; // of what follows
  session *at;          // NULL: not open yet, or left
  int ended;            // 1: it could not be opened
  json_t *told;         // the last Explored
} exploration;

// explore_told.c; NULL where memory ends
json_t *explored_told(studio *s, exploration *e);
// What `pliant explore` has of the last step in its summary.
json_t *explored_figures(const session *t, int moved);

#endif
