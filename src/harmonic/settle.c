// Where time stepping beside a periodic motion starts.
#include "harmonic_impl.h"

enum { SETTLE = 8, FINE = 32 }; // steps, and how many of them are one step of the user's

static int has_stiff(const pl_model *m) {
  for (int k = 0; k < pl_model_ngroup(m); k++)
    if (pl_model_group_kind(m, k)->stiff && pl_model_group_size(m, k) > 0) return 1;
  return 0;
}

// A series that ends leaves stiff parts (stretch of thin bodies) out of balance, and the
// accelerations that follow from it shake them for ever in Newmark's method. Implicit Euler, which
// damps them at once, takes the last steps up to the phase; short ones, as they damp the motion
// too.
pl_status pl_orbit_settle(const pl_model *m, const pl_params *p, const pl_orbit *o, int steps,
                          pl_work *w, pl_state *s) {
  if (!has_stiff(m)) {
    pl_orbit_state(m, p, o, 0, s);
    s->t = 0;
    return PL_OK;
  }
  pl_transient_opts t;
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &t);
  t.method = PL_IMPLICIT_EULER;
  t.frequency = o->omega;
  t.step = 2 * PL_PI / (o->omega * steps * FINE);
  t.duration = SETTLE * t.step;
  pl_orbit_state(m, p, o, 2 * PL_PI * (1 - (double)SETTLE / (steps * FINE)), s);
  pl_status st = pl_transient(&t, m, p, s, NULL, w, NULL, NULL, NULL);
  if (st == PL_UNSOLVED) {
    pl_orbit_state(m, p, o, 0, s);
    st = PL_OK;
  }
  s->t = 0;
  return st;
}
