// Impacts that steps resolve: from the meeting of a node and an obstacle until sound has gone
// through the body and back steps are a part of the time that it takes through it.
#include "solve_impl.h"

#include <string.h>

static const double SLOW = 1e-6;   // of the speed of sound: approaches that are no impact
static const double THROUGH = 2.5; // times sound goes through a body before an impact is over

// how fast the node of a pair came nearer before the step, m/s
static double approach(const stepper *st, int pair) {
  const contact_set *t = st->contacts;
  const pl_contact_pair *a = &t->k->pair[pair];
  const double *n = t->place[pair].frame[0], *w = t->k->obstacle[a->obstacle].velocity;
  double speed = 0;
  for (int c = 0; c < t->dim; c++) speed -= n[c] * (st->s->v[a->node * t->dim + c] - w[c]);
  return speed;
}

// a face or an edge that did not press at the obstacle before; how fast it came nearer, m/s
static double surface_approach(const stepper *st, int k) {
  const contact_set *t = st->contacts;
  const pl_contact_row *r = &t->row[k];
  for (int i = 0; i < t->k->npress; i++)
    if (memcmp(t->k->press[i].tag, r->tag, sizeof r->tag) == 0) return 0;
  return contact_set_drag(t, k * t->dim) - contact_set_along(t, k * t->dim, st->s->v);
}

// The shortest time of sound through a body that an obstacle was met by in the step in x; 0: none.
static double met(const stepper *st) {
  const contact_set *t = st->contacts;
  double least = 0;
  for (int k = 0; k < t->nset; k++) {
    int i = t->set[k];
    // bodies against each other have no part in it
    if (i == BODIES || t->status[k] == PL_OPEN) continue;
    if (i >= 0 && t->k->pair[i].status != PL_OPEN) continue;
    int body = st->sound->body[i >= 0 ? t->k->pair[i].node : t->row[k].vert[0]];
    if (st->sound->rigid[body]) continue;
    const double *n = i >= 0 ? t->place[i].frame[0] : t->row[k].frame[0];
    double speed = i >= 0 ? approach(st, i) : surface_approach(st, k);
    if (!(speed > SLOW * pl_sound_speed(st->sound, body, n))) continue;
    double time = pl_sound_time(st->sound, body, st->x->q, n);
    if (time > 0 && (least == 0 || time < least)) least = time;
  }
  return least;
}

double phase_step(const stepper *st) {
  const pl_history *b = st->hist;
  return st->sound && st->s->t < b->impact_until ? b->impact_step : INFINITY;
}

int phase_is_long(const stepper *st, double h) {
  return h > phase_step(st) * (1 + 1e-9);
}

int phase_begins(const stepper *st, double h) {
  if (!st->sound) return 0;
  double time = met(st);
  return time > 0 && h > st->o->impact_step * time * (1 + 1e-9);
}

void phase_accept(const stepper *st) {
  if (!st->sound) return;
  double time = met(st);
  if (time == 0) return;
  st->hist->impact_step = st->o->impact_step * time;
  st->hist->impact_until = st->x->t + THROUGH * time;
}

// Trapezoidal rule, with impulses p of the step and of the law for impacts: the sum over all nodes
// of M (v1 - v - h/2 (a + a1)) is that of p, as elements push and pull in pairs.
void momentum_accept(stepper *st, const rule *u) {
  const contact_set *t = st->contacts;
  pl_ledger *l = &st->hist->ledger;
  int dim = pl_model_dim(st->m), places = pl_model_nnode(st->m) * dim;
  if (u->method != PL_NEWMARK || u->beta != 0.25 || u->gamma != 0.5 || st->n != st->nq ||
      places != st->nq) {
    l->momentum = -1;
    return;
  }
  double *y = st->base->v, off[3] = {0}, p[3] = {0}, now[3] = {0}; // scratch between solves
  for (int i = 0; i < st->nq; i++)
    y[i] = st->x->v[i] - st->s->v[i] - 0.5 * u->h * (st->x->a[i] + st->s->a[i]);
  pl_mass_mul(st->p, y, st->w, st->ma);
  for (int i = 0; i < st->nq; i++) off[i % dim] += st->ma[i];
  pl_mass_mul(st->p, st->x->v, st->w, st->ma);
  for (int i = 0; i < st->nq; i++) now[i % dim] += st->ma[i];
  for (int i = 0; i < t->nset * dim; i++) {
    const pl_contact_row *r = &t->row[i / dim];
    double all = 0;
    for (int a = 0; a < r->n; a++) all += r->weight[a];
    for (int c = 0; c < dim; c++) p[c] += u->h * t->share * all * t->f[i] * r->frame[i % dim][c];
  }
  double most = pl_max_abs(dim, p) + pl_max_abs(dim, now);
  for (int c = 0; c < dim; c++) off[c] -= p[c];
  if (most > 0) l->momentum = fmax(l->momentum, pl_max_abs(dim, off) / most);
}
