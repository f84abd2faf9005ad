#include "taut_impl.h"

#include <float.h>
#include <string.h>

// Contacts between the elements of a periodic cell.

enum { GUARDS = 200 }; // most of them, all in all

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
    if (k.at.still || !contact_follow(t, s, &k) || k.at.gap > t->reach || is_known(t, &k)) continue;
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
  if (!(least > CELL_SHRINK)) return 0;
  for (int i = 0; i < t->c->nelem; i++) {
    double w[3];
    pl_sub3(s->pose[i].x, t->place->home(t->c, i).x, w);
    if (!(pl_norm3(w) < t->c->reach)) return 0;
  }
  return 1;
}

pl_status find_contacts(taut *t, const state *s) {
  pl_cell *c = t->c;
  keep_last(t);
  t->gap = DBL_MAX;
  if (!is_covered(t, s)) return PL_DOMAIN;
  for (int k = 0; k < c->npair; k++) {
    pl_pose b;
    double w[3];
    if (!t->place->image(t, s, &c->pair[k], &b)) continue;
    pl_sub3(s->pose[c->pair[k].i].x, b.x, w);
    if (pl_norm3(w) > 2 * c->reach + t->reach) continue;
    const pl_mail_element *first = c->elem[c->pair[k].i], *second = c->elem[c->pair[k].j];
    for (int p = 0; p < first->npiece; p++)
      for (int q = 0; q < second->npiece; q++) {
        pl_touch touch[PL_TOUCH_MAX];
        int n = pl_piece_gaps(&first->piece[p], &s->pose[c->pair[k].i], &second->piece[q], &b,
                              t->reach, touch);
        for (int i = 0; i < n; i++) {
          if (t->plain && touch[i].still) continue;
          PL_TRY(pl_grow(c->env, &t->contact, t->ncontact, &t->cap_contact, sizeof *t->contact));
          t->contact[t->ncontact++] = (contact){k, {p, q}, touch[i]};
          t->gap = fmin(t->gap, touch[i].gap);
        }
      }
  }
  t->out->evaluations++;
  PL_TRY(follow_last(t, s));
  return t->gap > 0 ? PL_OK : PL_DOMAIN;
}

pl_status guard_state(taut *t) {
  for (int i = 0; i < t->nguard; i++) {
    contact k = t->guard[i];
    if (!contact_follow(t, &t->now, &k) || k.at.gap > t->reach || k.at.gap <= 0) continue;
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
