// Checkpoints of motions in steps: state, what the stepper remembers, rows of tables, frames and
// forces of contact.
#include "checkpoint.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum {
  PAIR = 7, // numbers kept of a pair: status, force, slide
  WORK = 8  // and of the contact: what its solves took, and what bodies press with
};

typedef struct header {
  int nq, nhist, anchoring, npair;
  int nframe, has_q1, has_v1, has_spared, has_period;
  double t;
  pl_history history; // its pointers mean nothing here
} header;

static header make_header(const pl_state *s, const pl_history *h, const kept *k) {
  header head;
  memset(&head, 0, sizeof head);
  head.nq = s->nq;
  head.nhist = s->nhist;
  head.anchoring = s->anchoring;
  head.npair = k->contact ? k->contact->npair : 0;
  head.nframe = k->n;
  head.has_q1 = h->q1 != NULL;
  head.has_v1 = h->v1 != NULL;
  head.has_spared = h->spared != NULL;
  head.has_period = h->period != NULL;
  head.t = s->t;
  head.history = *h;
  head.history.q1 = head.history.v1 = head.history.spared = NULL;
  head.history.period = head.history.warm_start = NULL;
  return head;
}

// ---- writing ------------------------------------------------------------------------------------

static void put(checkpoint *c, const double *x, size_t n) {
  checkpoint_put(c, x, n, sizeof *x);
}

static void put_table(checkpoint *c, const pl_table *t) {
  int size[2] = {pl_table_rows(t), pl_table_cols(t)};
  checkpoint_put(c, size, 2, sizeof *size);
  put(c, pl_table_data(t), (size_t)size[0] * (size_t)size[1]);
}

// pairs that do not touch are zeros
void contact_write(checkpoint *c, const pl_contact *k) {
  for (int i = 0; i < k->npair; i++) {
    const pl_contact_pair *a = &k->pair[i];
    const double all[PAIR] = {a->status,   a->force[0], a->force[1], a->force[2],
                              a->slide[0], a->slide[1], a->slide[2]};
    put(c, all, PAIR);
  }
  const double done[WORK] = {k->residual,           (double)k->solves, (double)k->sweeps,
                             (double)k->iterations, k->most,           k->bodies_stick,
                             k->bodies_slip,        k->bodies_normal};
  put(c, done, WORK);
  checkpoint_put(c, k->total, (size_t)k->nobstacle, sizeof *k->total);
  put(c, k->push, (size_t)k->nq);
  checkpoint_put(c, &k->begun, 1, sizeof k->begun);
  put(c, k->begin, (size_t)k->nq);
  checkpoint_put(c, &k->npress, 1, sizeof k->npress);
  checkpoint_put(c, k->press, (size_t)k->npress, sizeof *k->press);
}

pl_status motion_write(const job *j, const pl_analysis *a, const pl_state *s, const pl_history *h,
                       const kept *k, int ntable, pl_table *const *table) {
  checkpoint c;
  header head = make_header(s, h, k);
  size_t nq = (size_t)s->nq, n = (size_t)k->n;
  checkpoint_begin(j, a, &c);
  checkpoint_put(&c, &head, 1, sizeof head);
  put(&c, s->q, 3 * nq + (size_t)s->nhist);
  if (h->q1) put(&c, h->q1, nq);
  if (h->v1) put(&c, h->v1, nq);
  if (h->spared) put(&c, h->spared, nq);
  if (h->period) put(&c, h->period, nq * (size_t)h->nsample);
  put(&c, h->warm_start, (size_t)h->nwarm_start);
  put(&c, k->time, n);
  put(&c, k->qv, n * 2 * nq);
  for (int i = 0; i < ntable; i++) put_table(&c, table[i]);
  if (k->contact) contact_write(&c, k->contact);
  return checkpoint_end(&c);
}

// ---- reading ------------------------------------------------------------------------------------

static pl_status misfit(const job *j, const pl_analysis *a) {
  return pl_fail_at(j->env, PL_E_INPUT, j->scene->path, a->line, a->col,
                    "run without --resume, or into another folder",
                    "%s: the checkpoint is of another model", a->name);
}

static pl_status read_history(checkpoint *c, const header *head, pl_history *h) {
  size_t nq = (size_t)head->nq, size = sizeof(double);
  *h = head->history;
  h->q1 = h->v1 = h->spared = h->period = h->warm_start = NULL;
  if (h->nsample < 0 || h->nwarm_start < 0) return misfit(c->j, c->a);
  if (head->has_q1) PL_TRY(checkpoint_read_new(c, nq, size, &h->q1));
  if (head->has_v1) PL_TRY(checkpoint_read_new(c, nq, size, &h->v1));
  if (head->has_spared) PL_TRY(checkpoint_read_new(c, nq, size, &h->spared));
  if (head->has_period) PL_TRY(checkpoint_read_new(c, nq * (size_t)h->nsample, size, &h->period));
  if (h->nwarm_start > 0)
    PL_TRY(checkpoint_read_new(c, (size_t)h->nwarm_start, size, &h->warm_start));
  return PL_OK;
}

static pl_status read_frames(checkpoint *c, int nframe, size_t nq, kept *k) {
  pl_env *env = c->j->env;
  if (nframe < 0 || nframe > 100000) return misfit(c->j, c->a);
  if (nframe == 0) return PL_OK;
  k->cap = c->j->output.frames + 1;
  if (nframe > k->cap) k->cap = nframe;
  k->time = pl_alloc(env, (size_t)k->cap, sizeof(double));
  k->qv = pl_alloc(env, (size_t)k->cap * 2 * nq, sizeof(double));
  if (!k->time || !k->qv) return PL_E_NOMEM;
  PL_TRY(checkpoint_read(c, k->time, (size_t)nframe, sizeof(double)));
  PL_TRY(checkpoint_read(c, k->qv, (size_t)nframe * 2 * nq, sizeof(double)));
  k->n = nframe;
  return PL_OK;
}

static pl_status read_table(checkpoint *c, pl_table *t) {
  int size[2];
  double *rows;
  PL_TRY(checkpoint_read(c, size, 2, sizeof *size));
  if (size[0] < 0 || size[1] != pl_table_cols(t)) return misfit(c->j, c->a);
  PL_TRY(checkpoint_read_new(c, (size_t)size[0] * (size_t)size[1], sizeof *rows, &rows));
  pl_status st = PL_OK;
  for (int i = 0; st == PL_OK && i < size[0]; i++)
    st = pl_table_row(t, rows + (size_t)i * (size_t)size[1]);
  pl_free(c->j->env, rows);
  return st;
}

// faces and edges that press: of nodes and obstacles that there are
static pl_status read_press(checkpoint *c, pl_contact *k) {
  int n, dim = k->dim;
  PL_TRY(checkpoint_read(c, &n, 1, sizeof n));
  if (n < 0) return misfit(c->j, c->a);
  for (int i = 0; i < n; i++) {
    pl_contact_row r;
    PL_TRY(checkpoint_read(c, &r, 1, sizeof r));
    int fits = r.n > 0 && r.n <= 4 && r.tag[0] >= 0 && r.tag[0] < k->nobstacle;
    for (int v = 0; v < 4; v++) fits &= r.vert[v] >= 0 && r.vert[v] < k->nq / dim;
    r.status = r.status == PL_SLIP ? PL_SLIP : PL_STICK;
    if (!fits) return misfit(c->j, c->a);
    PL_TRY(pl_contact_press(k, &r));
  }
  return PL_OK;
}

pl_status contact_read(checkpoint *c, const pl_state *s, pl_contact *k) {
  pl_contact_place(k, s->t, s->q);
  for (int i = 0; i < k->npair; i++) {
    double x[PAIR];
    pl_contact_pair *a = &k->pair[i];
    PL_TRY(checkpoint_read(c, x, PAIR, sizeof *x));
    a->status = x[0] == PL_SLIP ? PL_SLIP : x[0] == PL_STICK ? PL_STICK : PL_OPEN;
    memcpy(a->force, x + 1, sizeof a->force);
    memcpy(a->slide, x + 4, sizeof a->slide);
  }
  double done[WORK];
  PL_TRY(checkpoint_read(c, done, WORK, sizeof *done));
  k->residual = done[0];
  k->solves = checkpoint_count(done[1]);
  k->sweeps = checkpoint_count(done[2]);
  k->iterations = checkpoint_count(done[3]);
  k->most = (int)fmin((double)checkpoint_count(done[4]), INT_MAX);
  k->bodies_stick = (int)fmin((double)checkpoint_count(done[5]), INT_MAX);
  k->bodies_slip = (int)fmin((double)checkpoint_count(done[6]), INT_MAX);
  k->bodies_normal = done[7];
  PL_TRY(checkpoint_read(c, k->total, (size_t)k->nobstacle, sizeof *k->total));
  PL_TRY(checkpoint_read(c, k->push, (size_t)k->nq, sizeof *k->push));
  PL_TRY(checkpoint_read(c, &k->begun, 1, sizeof k->begun));
  PL_TRY(checkpoint_read(c, k->begin, (size_t)k->nq, sizeof *k->begin));
  return read_press(c, k);
}

static pl_status read_all(checkpoint *c, pl_state *s, pl_history *h, kept *k, int ntable,
                          pl_table *const *table) {
  header head, want = make_header(s, h, k);
  PL_TRY(checkpoint_read(c, &head, 1, sizeof head));
  if (head.nq != want.nq || head.nhist != want.nhist || head.npair != want.npair)
    return misfit(c->j, c->a);
  s->t = head.t;
  s->anchoring = head.anchoring;
  PL_TRY(checkpoint_read(c, s->q, 3 * (size_t)s->nq + (size_t)s->nhist, sizeof *s->q));
  PL_TRY(read_history(c, &head, h));
  PL_TRY(read_frames(c, head.nframe, (size_t)s->nq, k));
  for (int i = 0; i < ntable; i++) PL_TRY(read_table(c, table[i]));
  return k->contact ? contact_read(c, s, k->contact) : PL_OK;
}

pl_status motion_read(const job *j, const pl_analysis *a, pl_state *s, pl_history *h, kept *k,
                      int ntable, pl_table *const *table, int *found) {
  checkpoint c;
  PL_TRY(checkpoint_open(j, a, &c, found));
  if (!*found) return PL_OK;
  return checkpoint_close(&c, read_all(&c, s, h, k, ntable, table));
}
