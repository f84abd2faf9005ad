#include "taut_impl.h"

#include <float.h>
#include <string.h>

// Contacts between the elements of a periodic cell.

enum { GUARDS = 200 };            // most of them, all in all
static const double MARGIN = 0.5; // over the reach of the repulsion

const pl_piece *contact_piece(const pl_cell *c, const contact *k, int which) {
  const pair *p = &c->pair[k->pair];
  return &c->elem[which ? p->j : p->i]->piece[k->piece[which]];
}

int contact_follow(const taut *t, const state *s, contact *k) {
  const pair *p = &t->c->pair[k->pair];
  pl_pose b;
  return t->place->image(t, s, p, &b) && pl_piece_follow(contact_piece(t->c, k, 0), &s->pose[p->i],
                                                         contact_piece(t->c, k, 1), &b, &k->at);
}

static void keep_last(taut *t) {
  contact *swap = t->last;
  int cap = t->cap_last;
  t->last = t->contact;
  t->nlast = t->ncontact;
  t->cap_last = t->cap_contact;
  t->contact = swap;
  t->cap_contact = cap;
  t->ncontact = 0;
}

static int is_known(const taut *t, const contact *k) {
  for (int i = 0; i < t->ncontact; i++) {
    const contact *o = &t->contact[i];
    double far = 0;
    if (o->pair != k->pair || o->piece[0] != k->piece[0] || o->piece[1] != k->piece[1]) continue;
    if (o->at.on[0] != k->at.on[0] || o->at.on[1] != k->at.on[1]) continue;
    for (int j = 0; j < 4; j += 2)
      far = fmax(far, fabs(remainder(o->at.u[j] - k->at.u[j], 2 * PL_PI)));
    for (int j = 1; j < 4; j += 2) far = fmax(far, fabs(o->at.u[j] - k->at.u[j]));
    if (far < 1e-6) return 1;
  }
  return 0;
}

// contacts that were there before and have not been found again
static pl_status follow_last(taut *t, const state *s) {
  for (int i = 0; i < t->nlast; i++) {
    contact k = t->last[i];
    if (k.at.still || !contact_follow(t, s, &k) || k.at.gap > t->range || is_known(t, &k)) continue;
    PL_TRY(pl_grow(t->c->env, &t->contact, t->ncontact, &t->cap_contact, sizeof *t->contact));
    t->contact[t->ncontact++] = k;
    t->gap = fmin(t->gap, k.at.gap);
  }
  return PL_OK;
}

// no pairs meet that are not looked at
static int is_covered(const taut *t, const state *s) {
  double S[3];
  if (t->c->disk > 0) return 1;
  goal_stretch(t->g, s->e, S);
  double mean = (S[0] + S[1]) / 2, least = 1 + mean - hypot((S[0] - S[1]) / 2, S[2]);
  if (!(least > least_stretch(t))) return 0;
  for (int i = 0; i < t->c->nelem; i++) {
    double w[3];
    pl_sub3(s->pose[i].x, t->place->home(t->c, i).x, w);
    if (!(pl_norm3(w) < t->c->range)) return 0;
  }
  return 1;
}

// Most that any point of an element moves from one pose to another: of a rotation less another, the
// largest stretch is the Frobenius norm over the root of two.
static double displacement_of(const pl_pose *a, const pl_pose *b, double range) {
  double w[3], rotation = 0;
  pl_sub3(a->x, b->x, w);
  for (int k = 0; k < 9; k++) rotation += (a->Q[k] - b->Q[k]) * (a->Q[k] - b->Q[k]);
  return pl_norm3(w) + sqrt(rotation / 2) * range;
}

// What was clear has become less so by both motions.
static void update_outlook(const taut *t, int k, const pl_pose *first, const pl_pose *second) {
  outlook *o = &t->outlook[k];
  const pair *p = &t->c->pair[k];
  int n = t->c->elem[p->i]->npiece * t->c->elem[p->j]->npiece;
  if (o->seen) {
    double by = 1.001 * (displacement_of(&o->at[0], first, t->c->range) +
                         displacement_of(&o->at[1], second, t->c->range));
    for (int i = 0; i < n; i++) o->clear[i] -= by;
  }
  o->seen = 1;
  o->at[0] = *first;
  o->at[1] = *second;
}

// Contacts of two pieces. Such that were not near before are looked for farther out, so that they
// need not be looked at again before they have come nearer.
static pl_status find_between(taut *t, const contact *of, const pl_pose *first,
                              const pl_pose *second, double *clear) {
  const pl_cell *c = t->c;
  const pair *p = &c->pair[of->pair];
  pl_approach approach[PL_APPROACH_MAX];
  if (clear && *clear > t->range) return PL_OK;
  double cut = t->range * (clear && *clear > -HUGE_VAL ? 1 + MARGIN : 1);
  int n = pl_piece_gaps(&c->elem[p->i]->piece[of->piece[0]], first,
                        &c->elem[p->j]->piece[of->piece[1]], second, cut, approach);
  if (clear) *clear = n == 0 ? cut : approach[0].gap > t->range ? approach[0].gap : -HUGE_VAL;
  for (int i = 0; i < n && approach[i].gap <= t->range; i++) {
    if (t->plain && approach[i].still) continue;
    PL_TRY(pl_grow(c->env, &t->contact, t->ncontact, &t->cap_contact, sizeof *t->contact));
    t->contact[t->ncontact++] = (contact){of->pair, {of->piece[0], of->piece[1]}, approach[i]};
    t->gap = fmin(t->gap, approach[i].gap);
  }
  return PL_OK;
}

static pl_status find_in_pair(taut *t, const state *s, int k) {
  const pl_cell *c = t->c;
  const pair *p = &c->pair[k];
  const pl_pose *first = &s->pose[p->i];
  pl_pose second;
  double w[3], far = 2 * c->range + t->range;
  if (t->place->apart && t->place->apart(t, s, p) > far) return PL_OK;
  if (!t->place->image(t, s, p, &second)) return PL_OK;
  pl_sub3(first->x, second.x, w);
  if (pl_norm3(w) > far) return PL_OK;
  if (t->outlook) update_outlook(t, k, first, &second);
  int many = c->elem[p->j]->npiece;
  contact of = {.pair = k};
  for (of.piece[0] = 0; of.piece[0] < c->elem[p->i]->npiece; of.piece[0]++)
    for (of.piece[1] = 0; of.piece[1] < many; of.piece[1]++)
      PL_TRY(
          find_between(t, &of, first, &second,
                       t->outlook ? &t->outlook[k].clear[of.piece[0] * many + of.piece[1]] : NULL));
  return PL_OK;
}

pl_status find_contacts(taut *t, const state *s) {
  keep_last(t);
  t->gap = DBL_MAX;
  if (!is_covered(t, s)) return PL_DOMAIN;
  for (int k = 0; k < t->c->npair; k++) PL_TRY(find_in_pair(t, s, k));
  t->out->evaluations++;
  PL_TRY(follow_last(t, s));
  return t->gap > 0 ? PL_OK : PL_DOMAIN;
}

pl_status open_outlook(taut *t) {
  const pl_cell *c = t->c;
  size_t n = 0;
  for (int k = 0; k < c->npair; k++)
    n += (size_t)c->elem[c->pair[k].i]->npiece * (size_t)c->elem[c->pair[k].j]->npiece;
  t->outlook = pl_alloc(c->env, (size_t)c->npair, sizeof *t->outlook);
  t->clear = pl_alloc(c->env, n, sizeof *t->clear);
  if (!t->outlook || !t->clear) return PL_E_NOMEM;
  double *next = t->clear;
  for (int k = 0; k < c->npair; k++) {
    t->outlook[k] = (outlook){.clear = next};
    next += c->elem[c->pair[k].i]->npiece * c->elem[c->pair[k].j]->npiece;
  }
  return PL_OK;
}

pl_status guard_state(taut *t) {
  for (int i = 0; i < t->nguard; i++) {
    contact k = t->guard[i];
    if (!contact_follow(t, &t->now, &k) || k.at.gap > t->range || k.at.gap <= 0) continue;
    PL_TRY(pl_grow(t->c->env, &t->contact, t->ncontact, &t->cap_contact, sizeof *t->contact));
    t->contact[t->ncontact++] = k;
  }
  return PL_OK;
}

pl_status refresh_contacts(taut *t) {
  PL_TRY(find_contacts(t, &t->now));
  return guard_state(t);
}

pl_status add_guards(taut *t, double least) {
  for (int i = 0; i < t->ncontact && t->nguard < GUARDS; i++) {
    if (t->contact[i].at.gap > least || t->contact[i].at.still) continue;
    PL_TRY(pl_grow(t->c->env, &t->guard, t->nguard, &t->cap_guard, sizeof *t->guard));
    t->guard[t->nguard] = t->contact[i];
    t->guard[t->nguard++].at.still = 1;
  }
  return PL_OK;
}
