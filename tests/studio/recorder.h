// A studio without pages, whose events are kept and looked at.
#ifndef RECORDER_H
#define RECORDER_H

#include "studio_impl.h"

// A pendulum on a spring whose base is shaken: mass m and drive a are parameters.
extern const char pendulum_scene[];
// A studio of an empty folder; files of earlier tests in it are removed.
studio *recorder_open(const char *folder);
// Ends its jobs and frees it.
void recorder_close(studio *s);
// Does an operation that must succeed, with arguments as of json_pack, which are freed; the caller
// frees the reply.
json_t *ask_for(studio *s, const char *op, json_t *args);
// The same of one that must be refused: its code.
const char *refused(studio *s, const char *op, json_t *args);
// Waits until a run has ended, at most so many seconds, and returns its state.
const char *wait_for(studio *s, int run, double seconds);
// Its items [caller frees].
json_t *items_of(studio *s, int run);
// The nth item of a kind, NULL: there are less.
const json_t *item_at(const json_t *items, const char *kind, int n);
// Events of a kind so far, of a run (0: of any).
int count_events(const char *kind, int run);
// The nth of them; it stays the recorder's.
const json_t *event_at(const char *kind, int run, int n);
int count_frames(void);
// The values behind an ArrayRef, and how many there are.
const float *reals_of(studio *s, const json_t *ref, size_t *n);
const int *ints_of(studio *s, const json_t *ref, size_t *n);

#endif
