// Impacts leave velocities in modes that damping by stiffness takes back in far less than a step.
// The trapezoidal rule turns these around in every step instead, v1 = -v, and of such forces of
// damping a body that turns makes energy. Where that shows, as damping that drives or as a short
// step that cannot be solved, damping by stiffness acts by the velocities at the ends of steps for
// as long as contacts are closed:
//   M (v1 - v) = h/2 (F + F1) - h beta K1 v1,
// which takes such velocities away within one step. Accelerations at the start are without it then.
// K under pressure may be indefinite, whose forces drive whatever the rule: by all methods they are
// without the part that drives an element, then (PL_PASSIVE).
// What falls in every such step is kinetic and elastic energy with h/4 beta v' K v.
#include "solve_impl.h"

enum { LATE = 8 };                    // steps after the last one that ends in contact
static const double DRIVES = 1e-3;    // of the energy that moves in a step, that damping may give
static const double SHORT = 1.0 / 64; // of the step asked for: a shorter one that is not solved

static int can_be_late(const stepper *st) {
  return st->contacts && st->p->par[PL_PAR_BETA] > 0;
}

static int is_due(const stepper *st, const rule *u, pl_status s) {
  if (s == PL_UNSOLVED) return u->h < SHORT * st->o->step;
  return s == PL_OK && st->audit.viscous < -DRIVES * st->audit.moving;
}

// the step again from s, with so many steps of the other kind from here on
static pl_status again(stepper *st, const rule *u, int late, verdict *v) {
  st->late = st->hist->late = late;
  st->audit.known = 0;
  st->contacts->k->begun = 0;
  if (st->o->method == PL_NEWMARK) PL_TRY(stepper_accelerate(st, st->s));
  PL_TRY(audit_begin(st));
  *v = SOUND;
  return stepper_contact(st, u, v);
}

pl_status late_contact(stepper *st, const rule *u, verdict *v) {
  int was = st->late;
  pl_status s = stepper_contact(st, u, v);
  return was == 0 && can_be_late(st) && is_due(st, u, s) ? again(st, u, LATE, v) : s;
}

int late_next(const stepper *st) {
  for (int k = 0; st->late > 0 && k < st->contacts->nset; k++)
    if (st->contacts->status[k] != PL_OPEN) return LATE;
  return st->late > 0 ? st->late - 1 : 0;
}
