// Faces and edges at corners and edges of obstacles in a step: found again at every iterate, as
// rows beside those of nodes.
#include "solve_impl.h"

#include <stdlib.h>
#include <string.h>

static const double NEAR = 1e-3; // of the size of all: gaps up to which a row goes on
enum { SETTLED = 10 };           // iterates with places of their own

pl_status surface_open(contact_set *t) {
  size_t nq = (size_t)pl_model_nq(t->m);
  surface_rows *s = t->surface = pl_alloc(t->env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  s->to = pl_alloc(t->env, nq, sizeof *s->to);
  s->taken = pl_alloc(t->env, (size_t)pl_model_nnode(t->m), sizeof *s->taken);
  return s->to && s->taken ? PL_OK : PL_E_NOMEM;
}

void surface_close(contact_set *t) {
  surface_rows *s = t->surface;
  if (!s) return;
  pl_free(t->env, s->to);
  pl_free(t->env, s->old);
  pl_free(t->env, s->next);
  pl_free(t->env, s->taken);
  pl_free(t->env, s);
}

pl_status surface_begin(contact_set *t) {
  t->surface->rounds = 0;
  for (int i = 0; i < t->k->npress; i++) {
    const pl_contact_row *r = &t->k->press[i];
    int k = t->nset;
    PL_TRY(contact_set_join(t, SURFACE - r->tag[0], r));
    t->status[k] = r->status;
    for (int c = 0; c < t->dim; c++) t->f[k * t->dim + c] = r->force[c] / t->share;
  }
  return PL_OK;
}

static int is_of(const pl_contact_row *a, const pl_contact_row *b) {
  return memcmp(a->tag, b->tag, sizeof a->tag) == 0;
}

static pl_status remove_rows(contact_set *t) {
  surface_rows *s = t->surface;
  int kept = 0;
  s->nold = 0;
  for (int k = 0; k < t->nset; k++) {
    if (!contact_set_is_surface(t, k)) {
      contact_set_move(t, k, kept++);
      continue;
    }
    PL_TRY(pl_grow(t->env, &s->old, s->nold, &s->cap, sizeof *s->old));
    body_pair *o = &s->old[s->nold++];
    *o = (body_pair){.row = t->row[k], .status = t->status[k], .gap = t->gap[k]};
    memcpy(o->f, t->f + k * t->dim, (size_t)t->dim * sizeof *o->f);
  }
  t->nset = kept;
  return PL_OK;
}

static pl_contact_row row_of(const pl_contact_feature *a) {
  pl_contact_row r = a->row;
  r.tag[0] = a->obstacle;
  r.tag[1] = a->part;
  r.tag[2] = a->feature;
  return r;
}

static body_pair *find_old(const surface_rows *s, const pl_contact_row *r) {
  for (int i = 0; i < s->nold; i++)
    if (is_of(r, &s->old[i].row)) return &s->old[i];
  return NULL;
}

static pl_status place_one(contact_set *t, const pl_contact_feature *a) {
  pl_contact_row r = row_of(a);
  body_pair *o = find_old(t->surface, &r);
  if (!contact_set_is_free(t, &r)) return PL_OK;
  // others join when they overlap at the end of the next linear step
  if (!o) t->error = fmax(t->error, -a->gap);
  if (!o) return PL_OK;
  int k = t->nset;
  PL_TRY(contact_set_join(t, SURFACE - a->obstacle, &r));
  double *f = t->f + k * t->dim;
  memcpy(f, o->f, (size_t)t->dim * sizeof *f);
  contact_set_rotate(t->dim, o->row.frame[0], r.frame[0], f);
  t->status[k] = o->status;
  t->gap[k] = o->gap;
  if (f[0] > 0) t->error = fmax(t->error, fabs(a->gap - o->gap));
  // told
  o->f[0] = 0;
  return PL_OK;
}

pl_status surface_place(contact_set *t, const contact_rule *u) {
  surface_rows *s = t->surface;
  const pl_contact_feature *approach;
  int n;
  // where pairs come and go for ever, those of the last iterate bound the step
  if (s->rounds++ > SETTLED) return PL_OK;
  PL_TRY(remove_rows(t));
  double margin = s->nold > 0 ? NEAR * t->size : 0;
  PL_TRY(pl_contact_features(t->k, u->t, u->q, u->t0, u->q0, margin, &n, &approach));
  for (int i = 0; i < n; i++) PL_TRY(place_one(t, &approach[i]));
  for (int i = 0; i < s->nold; i++)
    if (s->old[i].f[0] > 0) t->error = INFINITY;
  return PL_OK;
}

static int is_in(const contact_set *t, const pl_contact_row *r) {
  for (int k = 0; k < t->nset; k++)
    if (contact_set_is_surface(t, k) && is_of(r, &t->row[k])) return 1;
  return 0;
}

static int by_gap(const void *a, const void *b) {
  const pl_contact_feature *p = *(const pl_contact_feature *const *)a,
                           *q = *(const pl_contact_feature *const *)b;
  if (p->gap != q->gap) return p->gap < q->gap ? -1 : 1;
  return (p > q) - (p < q);
}

// a row at one of its nodes joins in this round already
static int is_taken(const surface_rows *s, const pl_contact_row *r) {
  for (int a = 0; a < r->n; a++)
    if (s->taken[r->vert[a]] == s->round) return 1;
  return 0;
}

// Of those that share a node the deepest joins: it takes most others along, which would say the
// same as the rows that there are, with no one answer.
static pl_status join_deepest(contact_set *t, int n, const pl_contact_feature **approach,
                              int *count) {
  surface_rows *s = t->surface;
  if (n > 1) qsort(approach, (size_t)n, sizeof *approach, by_gap);
  s->round++;
  for (int i = 0; i < n; i++) {
    pl_contact_row r = row_of(approach[i]);
    if (is_taken(s, &r)) continue;
    for (int a = 0; a < r.n; a++) s->taken[r.vert[a]] = s->round;
    PL_TRY(contact_set_join(t, SURFACE - approach[i]->obstacle, &r));
    ++*count;
  }
  return PL_OK;
}

pl_status surface_join(contact_set *t, const contact_rule *u, const double *d, int *count) {
  surface_rows *s = t->surface;
  const int *dof = pl_model_free_dofs(t->m);
  const pl_contact_feature *approach;
  int n, m = 0;
  memcpy(s->to, u->q, (size_t)pl_model_nq(t->m) * sizeof *s->to);
  for (int i = 0; i < t->n; i++) s->to[dof[i]] += d[i];
  PL_TRY(pl_contact_features(t->k, u->t, s->to, u->t0, u->q0, -t->slack, &n, &approach));
  if (n > s->capnext) {
    const pl_contact_feature **more = pl_realloc(t->env, s->next, 2 * (size_t)n, sizeof *more);
    if (!more) return PL_E_NOMEM;
    s->next = more;
    s->capnext = 2 * n;
  }
  for (int i = 0; i < n; i++) {
    pl_contact_row r = row_of(&approach[i]);
    if (contact_set_is_free(t, &r) && !is_in(t, &r)) s->next[m++] = &approach[i];
  }
  return join_deepest(t, m, s->next, count);
}

int surface_any(const contact_set *t) {
  for (int k = 0; k < t->nset; k++)
    if (contact_set_is_surface(t, k)) return 1;
  return 0;
}

pl_status surface_accept(const contact_set *t) {
  pl_contact_total_clear(t->k);
  for (int k = 0; k < t->nset; k++) {
    if (!contact_set_is_surface(t, k) || t->status[k] == PL_OPEN) continue;
    pl_contact_row r = t->row[k];
    r.status = t->status[k];
    for (int c = 0; c < t->dim; c++) r.force[c] = t->share * t->f[k * t->dim + c];
    pl_contact_total_add(t->k, r.tag[0], &r, r.force, r.status);
    PL_TRY(pl_contact_press(t->k, &r));
  }
  return PL_OK;
}
