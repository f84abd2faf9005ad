// Checks of a time step: is its solution the one that continues the motion, and how much energy did
// the step make.
#include "solve_impl.h"

#include <string.h>

enum { SETTLED = 20 };                        // steps after which the book can be trusted
static const double DOUBT = 0.1, GROSS = 0.5; // parts of the energy that moves
static const double STRAY = 0.25;             // of an element's edge

// ---- energy -----------------------------------------------------------------------------------

// what the rule adds to the kinetic energy besides the work of the forces of inertia
static double kinetic_made(stepper *st, const rule *u) {
  const pl_state *s = st->s, *x = st->x;
  // exact for the trapezoidal rule
  if (u->method == PL_NEWMARK && u->beta == 0.25 && u->gamma == 0.5) return 0;
  double change = stepper_mass_form(st, x->v, -1, s->v, x->v, 1, s->v);
  if (u->method == PL_IMPLICIT_EULER)
    return change - 2 * stepper_mass_form(st, x->a, 0, x->a, x->q, -1, s->q);
  return change - stepper_mass_form(st, x->a, 1, s->a, x->q, -1, s->q);
}

// the change of elastic energy less the work against elastic forces, of drives included
static double elastic_made(const stepper *st, const rule *u) {
  const pl_work *w = st->w;
  double old = u->method == PL_IMPLICIT_EULER ? 0 : 0.5, work = 0;
  for (int i = 0; i < st->nq; i++) {
    double g = w->f_inner[i] - w->f_damp[i];
    work += (old * st->audit.g0[i] + (1 - old) * g) * (st->x->q[i] - st->s->q[i]);
  }
  return w->elastic + w->outer - st->audit.W0 - work;
}

// forces of damping times the way
static double viscous_work(stepper *st, const rule *u) {
  double old = u->method == PL_IMPLICIT_EULER ? 0 : 0.5, work = 0;
  for (int i = 0; i < st->nq; i++)
    work += (old * st->audit.d0[i] + (1 - old) * st->w->f_damp[i]) * (st->x->q[i] - st->s->q[i]);
  return work;
}

// the same of damping by the mass
static double mass_damping_work(stepper *st, const rule *u) {
  const pl_state *s = st->s, *x = st->x;
  double alpha = st->p->par[PL_PAR_ALPHA];
  if (alpha == 0) return 0;
  if (u->method == PL_IMPLICIT_EULER)
    return 2 * alpha * stepper_mass_form(st, x->v, 0, x->v, x->q, -1, s->q);
  return alpha * stepper_mass_form(st, x->v, 1, s->v, x->q, -1, s->q);
}

// methods that lose energy by design are held to what they gain
static int loses(const rule *u) {
  return u->method != PL_NEWMARK || u->gamma > 0.5;
}

static void measure_energy(stepper *st, const rule *u) {
  audit *a = &st->audit;
  double noise = stepper_energy_noise(st);
  a->made = elastic_made(st, u) + kinetic_made(st, u);
  a->damped = loses(u) && a->made < 0 ? -a->made : 0;
  if (fabs(a->made) <= noise || (loses(u) && a->made < 0)) a->made = 0;
  a->kinetic = stepper_mass_form(st, st->x->v, 0, st->x->v, st->x->v, 0, st->x->v);
  a->elastic = st->w->elastic + st->w->outer;
  double before = stepper_mass_form(st, st->s->v, 0, st->s->v, st->s->v, 0, st->s->v);
  a->moving = before + a->kinetic + fabs(a->elastic - a->W0);
  a->potential = st->w->potential;
  a->viscous = viscous_work(st, u);
  // a body that turns from the start is stretched in the first step
  double spared = whole_spared(st);
  a->made += st->whole.fresh ? spared : 0;
  a->dissipated = a->viscous + mass_damping_work(st, u) - (st->whole.fresh ? 0 : spared);
  a->work = a->kinetic - before + a->potential - a->V0 - a->made;
}

// ---- verdict ----------------------------------------------------------------------------------

static void keep_start(stepper *st) {
  audit *a = &st->audit;
  for (int i = 0; i < st->nq; i++) a->g0[i] = st->w->f_inner[i] - st->w->f_damp[i];
  memcpy(a->d0, st->w->f_damp, (size_t)st->nq * sizeof *a->d0);
  a->W0 = st->w->elastic + st->w->outer;
  a->V0 = st->w->potential;
  a->known = 1;
}

pl_status audit_begin(stepper *st) {
  audit *a = &st->audit;
  // anchors that moved leave other forces behind
  if (a->known && st->s->nhist == 0) return PL_OK;
  if (!a->known) a->ninverted = pl_count_inverted(st->m, st->p, st->s, NULL, NULL);
  pl_status s = stepper_eval(st, st->s, PL_WANT_ENERGY | PL_WANT_FORCE, NULL);
  if (s == PL_DOMAIN) return fail_domain(st->m, st->w, "transient");
  PL_TRY(s);
  keep_start(st);
  if (st->hist->nstep == 0 && st->hist->ledger.most == 0) st->hist->ledger.start = a->W0;
  return PL_OK;
}

verdict audit_step(stepper *st, const rule *u) {
  audit *a = &st->audit;
  int group, elem;
  int inverted = pl_count_inverted(st->m, st->p, st->x, &group, &elem);
  measure_energy(st, u);
  a->inverted = inverted > a->ninverted;
  // impacts are not foretold
  a->strayed = !a->inverted && !st->contacts && pace_stray(st, u, &group, &elem) > STRAY;
  if (a->inverted || a->strayed) {
    a->bad_group = group;
    a->bad_elem = elem;
  }
  // an indefinite tangent: no minimum. With contact directions may be held that have less.
  if (a->inverted || a->strayed || (!st->contacts && st->which == 2)) return UNSOUND;
  return fabs(a->made) > DOUBT * a->moving ? DOUBTFUL : SOUND;
}

verdict audit_contact(stepper *st, const rule *u, verdict v) {
  audit *a = &st->audit;
  double noise = stepper_energy_noise(st) + 16 * DBL_EPSILON * (a->moving + fabs(a->pushed));
  // friction and impacts take energy: what they give comes out of nothing
  if (a->contact < -noise) {
    a->made -= a->contact;
    a->contact = 0;
  }
  // BDF2 remembers the step before: of what an impact took in one step some comes back in the next
  const pl_ledger *l = &st->hist->ledger;
  double back = fmin(a->made, l->obstacles - l->contact + a->contact);
  if (u->method == PL_BDF2 && st->contacts->nset > 0 && back > 0) {
    a->made -= back;
    a->contact -= back;
  }
  return v == SOUND && fabs(a->made) > DOUBT * a->moving ? DOUBTFUL : v;
}

// energy of the motion so far: the most at one time, and what changing forces gave and took
static double scale(const pl_ledger *l) {
  return l->most + l->work;
}

double audit_energy(const stepper *st) {
  return st->audit.kinetic + fabs(st->audit.elastic - st->hist->ledger.start);
}

int audit_is_gross(const stepper *st) {
  return fabs(st->audit.made) > GROSS * fmax(audit_energy(st), scale(&st->hist->ledger));
}

// ---- book -------------------------------------------------------------------------------------

void audit_accept(stepper *st) {
  audit *a = &st->audit;
  pl_ledger *l = &st->hist->ledger;
  if (st->contacts) {
    l->contact += a->pushed - a->contact;
    l->obstacles += a->pushed;
    l->lost += a->contact;
  }
  l->lost += st->w->slipped + a->dissipated;
  l->rule += a->damped;
  l->made += a->made;
  l->worst = fmax(l->worst, fabs(l->made));
  l->most = fmax(l->most, audit_energy(st));
  l->work += fabs(a->work);
  if (st->info->energy_time < 0 && fabs(l->made) > PL_ENERGY_WARN * scale(l))
    st->info->energy_time = st->x->t;
  a->ninverted = pl_count_inverted(st->m, st->p, st->x, NULL, NULL);
  keep_start(st);
  whole_accept(st);
  if (!a->unsound) return;
  pl_transient_info *info = st->info;
  if (info->unsound++ > 0) return;
  info->unsound_time = st->x->t;
  info->strayed = a->strayed;
  if (!a->inverted && !a->strayed) return;
  info->bad_group = a->bad_group;
  info->bad_elem = a->bad_elem;
}

int audit_ran_away(const stepper *st) {
  const pl_ledger *l = &st->hist->ledger;
  return st->hist->nstep >= SETTLED && fabs(l->made) > PL_ENERGY_FAIL * scale(l);
}

void audit_report(const pl_history *h, pl_transient_info *info) {
  const pl_ledger *l = &h->ledger;
  info->energy_made = l->made;
  info->energy_worst = l->worst;
  info->energy_scale = scale(l);
  info->rule_lost = l->rule;
  info->contact_lost = l->obstacles - l->contact;
  info->obstacle_work = l->obstacles;
  info->momentum_error = info->nstep > 0 && h->nstep > 0 ? l->momentum : -1;
  if (l->peak > 0) info->time_error = l->drift / l->peak;
  if (info->energy_worst <= PL_ENERGY_WARN * info->energy_scale) info->energy_time = -1;
}
