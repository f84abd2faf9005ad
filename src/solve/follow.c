// Derivatives by parameters that go along with the steps of a transient.
#include "solve_impl.h"

#include <string.h>

static pl_clock clock_at(const stepper *st, double t) {
  return (pl_clock){t, st->o->frequency, 1, st->o->ramp, 1};
}

pl_status follow_check(const stepper *st) {
  const char *why = st->contacts      ? "with contact"
                    : st->whole.n > 0 ? "of free bodies that keep their shape"
                    : st->o->adaptive ? "with steps that adapt to it"
                                      : NULL;
  if (st->hist->nstep > 0)
    return pl_fail_at(st->env, PL_E_INPUT, NULL, 0, 0, "begin anew",
                      "gradients: a run cannot be gone on with");
  if (!why) return PL_OK;
  return pl_fail_at(st->env, PL_E_INPUT, NULL, 0, 0,
                    st->o->adaptive ? "take fixed steps (adaptive: no), or leave gradients out"
                                    : "leave gradients out, or take differences of runs",
                    "gradients: a transient %s has none: which steps it takes is no smooth "
                    "function of the parameters",
                    why);
}

static pl_status mass_solve(void *ctx, const double *b, double *x) {
  stepper *st = ctx;
  memcpy(st->g, b, (size_t)st->n * sizeof *b);
  PL_TRY(stepper_mass_solve(st));
  memcpy(x, st->d, (size_t)st->n * sizeof *x);
  return PL_OK;
}

pl_status follow_begin(stepper *st) {
  const pl_clock c = clock_at(st, st->s->t);
  return pl_gradient_accelerate(st->gradient, st->s, &c, mass_solve, st);
}

pl_status follow_rule(stepper *st, const rule *u) {
  static const pl_rule_kind kind[] = {[PL_NEWMARK] = PL_RULE_NEWMARK,
                                      [PL_IMPLICIT_EULER] = PL_RULE_EULER,
                                      [PL_BDF2] = PL_RULE_BDF2};
  const pl_rule r = {kind[u->method], u->h, u->beta, u->gamma, u->rho, u->c0, u->dv, u->da};
  const pl_clock c = clock_at(st, st->x->t);
  pl_status s = pl_gradient_step(st->gradient, &r, st->x, &c);
  if (s != PL_SINGULAR && s != PL_DOMAIN) return s;
  return pl_fail_at(st->env, PL_E_INPUT, NULL, 0, 0, "leave gradients out",
                    "gradients: the tangent of the step to %.6g s is singular", st->x->t);
}

pl_status follow_step(stepper *st, const rule *u) {
  const pl_clock c = clock_at(st, st->x->t);
  PL_TRY(follow_rule(st, u));
  return pl_gradient_commit(st->gradient, st->x, &c);
}
