// Solids against solids and against themselves in a step: pairs of vertices and triangles and of
// edges, found again at every iterate, as rows beside those of obstacles.
#include "solve_impl.h"

#include <string.h>

static const double NEAR = 0.01; // of what pairs keep: those that take part from the start
static const double SHORT = 0.8; // of the way to where something would pass through
static const double ALIKE = 0.9; // cosine of normals of pairs that hand their forces on,
static const double LIKE = 0.15; // and of the pairs at least
enum {
  MOVING = 3,   // iterates in which pairs may hand their forces on
  SETTLED = 10, // iterates with places of their own
  SEARCHES = 40 // on the way of one linear step
};

pl_status bodies_open(contact_set *t, pl_layers *layers) {
  size_t nq = (size_t)pl_model_nq(t->m);
  bodies *b = t->bodies = pl_alloc(t->env, 1, sizeof *b);
  if (!b) return PL_E_NOMEM;
  *b = (bodies){.layers = layers, .free = 1};
  b->to = pl_alloc(t->env, nq, sizeof *b->to);
  b->at = pl_alloc(t->env, nq, sizeof *b->at);
  return b->to && b->at ? PL_OK : PL_E_NOMEM;
}

void bodies_close(contact_set *t) {
  bodies *b = t->bodies;
  if (!b) return;
  pl_free(t->env, b->to);
  pl_free(t->env, b->at);
  pl_free(t->env, b->old);
  pl_free(t->env, b);
}

// ---- rows ---------------------------------------------------------------------------------------

static pl_contact_row row_of(const bodies *b, const pl_layer_pair *p) {
  pl_contact_row r = {.n = p->n, .offset = p->keep, .mu = pl_layers_mu(b->layers)};
  memcpy(r.vert, p->vert, sizeof r.vert);
  memcpy(r.weight, p->weight, sizeof r.weight);
  memcpy(r.frame[0], p->normal, sizeof r.frame[0]);
  pl_contact_tangents(3, r.frame);
  return r;
}

static int is_edges(const pl_contact_row *r) {
  return r->n == 4 && r->weight[1] > 0;
}

// the same vertices as the same parts
static int is_same(const pl_contact_row *a, const pl_contact_row *b) {
  return a->n == b->n && is_edges(a) == is_edges(b) &&
         memcmp(a->vert, b->vert, sizeof a->vert) == 0;
}

static double alike(const pl_contact_row *a, const pl_contact_row *b) {
  return pl_contact_cosine(a->vert, a->weight, a->frame[0], b->vert, b->weight, b->frame[0]);
}

static int is_in(const contact_set *t, const pl_contact_row *r) {
  for (int k = 0; k < t->nset; k++)
    if (t->set[k] == BODIES && (is_same(r, &t->row[k]) || alike(r, &t->row[k]) > PL_CONTACT_SAME))
      return 1;
  return 0;
}

// ---- places -------------------------------------------------------------------------------------

// pairs of bodies leave the set and become old
static pl_status remove_rows(contact_set *t) {
  bodies *b = t->bodies;
  int kept = 0;
  b->nold = 0;
  for (int k = 0; k < t->nset; k++) {
    if (t->set[k] != BODIES) {
      contact_set_move(t, k, kept++);
      continue;
    }
    PL_TRY(pl_grow(t->env, &b->old, b->nold, &b->cap, sizeof *b->old));
    body_pair *o = &b->old[b->nold++];
    *o = (body_pair){.row = t->row[k], .status = t->status[k], .gap = t->gap[k]};
    memcpy(o->f, t->f + 3 * k, sizeof o->f);
  }
  t->nset = kept;
  return PL_OK;
}

// the old pair that a row goes on from, NULL: none
static body_pair *find_old(const bodies *b, const pl_contact_row *r) {
  for (int i = 0; i < b->nold; i++)
    if (is_same(r, &b->old[i].row)) return &b->old[i];
  return NULL;
}

// An old pair that is none any more hands its force to the row that is most like it, by more than
// `least`.
static int heir(const contact_set *t, int first, int last, const pl_contact_row *old,
                double least) {
  int best = -1;
  for (int k = first; k < last; k++) {
    const pl_contact_row *r = &t->row[k];
    double like = alike(r, old);
    if (fabs(pl_dot3(r->frame[0], old->frame[0])) < ALIKE || like <= least) continue;
    least = like;
    best = k;
  }
  return best;
}

static void inherit(contact_set *t, int k, const body_pair *o) {
  // what presses on one side from the other does so back again, friction goes against the sides
  double side = pl_dot3(o->row.frame[0], t->row[k].frame[0]) < 0 ? -1 : 1;
  double f[3] = {o->f[0], side * o->f[1], side * o->f[2]};
  contact_set_rotate(3, o->row.frame[0], t->row[k].frame[0], f);
  for (int c = 0; c < 3; c++) t->f[3 * k + c] += f[c];
  t->status[k] = o->status;
}

// the gap of row k at q against what the linear step made of it
static void compare(contact_set *t, int k, double gap, const double *q) {
  if (t->f[3 * k] > 0) t->error = fmax(t->error, fabs(contact_set_gap(t, k, q) - gap));
}

static pl_status place_pair(contact_set *t, const pl_layer_pair *p, const double *q) {
  bodies *b = t->bodies;
  pl_contact_row r = row_of(b, p);
  if (!contact_set_is_free(t, &r)) return PL_OK;
  int k = t->nset;
  PL_TRY(contact_set_join(t, BODIES, &r));
  body_pair *o = find_old(b, &r);
  if (o) {
    inherit(t, k, o);
    compare(t, k, o->gap, q);
    o->f[0] = o->f[1] = o->f[2] = 0;
  } else if (p->distance < p->keep - t->slack) {
    t->error = INFINITY;
  }
  return PL_OK;
}

// Old pairs that press and are none any more: of one that things slid away from another goes on.
// Near the end, when nothing moves any more, whether a pair of flat parts is one is a matter of
// rounding: there they stay as they are.
static pl_status keep_old(contact_set *t, int first, const double *q) {
  const bodies *b = t->bodies;
  int last = t->nset;
  for (int i = 0; i < b->nold; i++) {
    const body_pair *o = &b->old[i];
    if (!(o->f[0] > 0)) continue;
    int stays = b->rounds > MOVING;
    int k = heir(t, first, last, &o->row, stays ? PL_CONTACT_SAME : LIKE);
    if (k < 0 && stays) {
      k = t->nset;
      PL_TRY(contact_set_join(t, BODIES, &o->row));
    }
    if (k >= 0) inherit(t, k, o);
    if (k >= 0) compare(t, k, o->gap, q);
    if (k < 0) t->error = INFINITY;
  }
  return PL_OK;
}

pl_status bodies_place(contact_set *t, const contact_rule *u) {
  bodies *b = t->bodies;
  const pl_layer_pair *pair;
  int n;
  b->free = 1;
  b->searches = 0;
  // Normals about corners turn as fast as these are round: where that goes on and on, the planes of
  // the last iterate bound the step.
  if (b->rounds++ > SETTLED) return PL_OK;
  PL_TRY(remove_rows(t));
  int first = t->nset;
  PL_TRY(pl_layers_find_least(b->layers, u->q, NEAR * pl_layers_thickness(b->layers), &n, &pair));
  for (int i = 0; i < n; i++) PL_TRY(place_pair(t, &pair[i], u->q));
  return keep_old(t, first, u->q);
}

// ---- the linear step ----------------------------------------------------------------------------

// pairs that overlap at x join
static pl_status join_at(contact_set *t, const double *x, double slack, int *count) {
  bodies *b = t->bodies;
  const pl_layer_pair *pair;
  int n;
  PL_TRY(pl_layers_find_least(b->layers, x, 0, &n, &pair));
  for (int i = 0; i < n; i++) {
    pl_contact_row r = row_of(b, &pair[i]);
    if (pair[i].distance >= pair[i].keep - slack || !contact_set_is_free(t, &r) || is_in(t, &r))
      continue;
    PL_TRY(contact_set_join(t, BODIES, &r));
    ++*count;
  }
  return PL_OK;
}

pl_status bodies_join(contact_set *t, const contact_rule *u, const double *d, int *count) {
  bodies *b = t->bodies;
  const int *dof = pl_model_free_dofs(t->m);
  int nq = pl_model_nq(t->m);
  double time;
  *count = 0;
  memcpy(b->to, u->q, (size_t)nq * sizeof *b->to);
  for (int i = 0; i < t->n; i++) b->to[dof[i]] += d[i];
  PL_TRY(pl_report_progress(t->env, NULL, -1, NULL));
  PL_TRY(pl_layers_meet(b->layers, u->q, b->to, &time));
  b->free = 1;
  if (!(time < 1)) return join_at(t, b->to, t->slack, count);
  // what meets on the way does so before anything has passed
  for (int i = 0; i < nq; i++) b->at[i] = u->q[i] + time * (b->to[i] - u->q[i]);
  if (b->searches++ < SEARCHES) PL_TRY(join_at(t, b->at, 0, count));
  if (*count == 0) b->free = SHORT * time;
  return PL_OK;
}

pl_status bodies_clear(contact_set *t, const double *q, const double *x, int *clear, int *passed) {
  const pl_layer_pair *pair;
  double time;
  int n = 0;
  PL_TRY(pl_layers_meet(t->bodies->layers, q, x, &time));
  *passed = time < 1;
  if (!*passed) PL_TRY(pl_layers_find_least(t->bodies->layers, x, 0, &n, &pair));
  *clear = !*passed && n == 0;
  return PL_OK;
}

void bodies_accept(const contact_set *t) {
  pl_contact *c = t->k;
  c->bodies_stick = c->bodies_slip = 0;
  c->bodies_normal = 0;
  for (int k = 0; k < t->nset; k++) {
    if (t->set[k] != BODIES || t->status[k] == PL_OPEN) continue;
    c->bodies_stick += t->status[k] == PL_STICK;
    c->bodies_slip += t->status[k] == PL_SLIP;
    c->bodies_normal += t->share * t->f[3 * k];
  }
}
