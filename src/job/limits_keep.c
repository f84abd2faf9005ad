// Goals of `limits` and `mail-design` one after the other: those that an earlier run has solved are
// taken from its checkpoint, the others are solved in batches and kept.
#include "run_limits.h"

#include <math.h>
#include <string.h>

// goals of a thread between two looks at the clock: few of those that take long
enum { FLAT = 24, BENT = 8, DISK = 4 };

enum { MISSING = -1 };

// A goal that was asked for, with its result.
struct kept_goal {
  pl_taut_goal goal;
  pl_taut taut;
  int solved; // MISSING: it has not been solved yet
};

static pl_status copy_taut(pl_env *env, const pl_taut *from, pl_taut *to) {
  *to = *from;
  to->contact = NULL;
  to->pose = NULL;
  if (from->pose) {
    to->contact = pl_alloc(env, (size_t)from->ncontact, sizeof *to->contact);
    to->pose = pl_alloc(env, (size_t)from->nelem, sizeof *to->pose);
    if (!to->contact || !to->pose) {
      pl_taut_free(env, to);
      return PL_E_NOMEM;
    }
    if (from->ncontact > 0)
      memcpy(to->contact, from->contact, (size_t)from->ncontact * sizeof *to->contact);
    memcpy(to->pose, from->pose, (size_t)from->nelem * sizeof *to->pose);
  }
  return PL_OK;
}

static int same_goal(const pl_taut_goal *a, const pl_taut_goal *b) {
  return a->n == b->n && a->starts == b->starts && a->shape == b->shape && a->angle == b->angle &&
         memcmp(a->offset, b->offset, sizeof a->offset) == 0 &&
         memcmp(a->basis, b->basis, sizeof a->basis) == 0 &&
         memcmp(a->strain, b->strain, sizeof a->strain) == 0 &&
         memcmp(a->goal, b->goal, sizeof a->goal) == 0;
}

// ---- files --------------------------------------------------------------------------------------

static pl_status write_checkpoint(const limits_keeper *k) {
  checkpoint c;
  checkpoint_begin(k->j, k->a, &c);
  checkpoint_put(&c, &k->n, 1, sizeof k->n);
  for (int i = 0; i < k->n; i++) {
    const kept_goal *g = &k->done[i];
    int state = g->taut.pose != NULL;
    checkpoint_put(&c, g, 1, sizeof *g);
    checkpoint_put(&c, &state, 1, sizeof state);
    if (!state) continue;
    checkpoint_put(&c, g->taut.contact, (size_t)g->taut.ncontact, sizeof *g->taut.contact);
    checkpoint_put(&c, g->taut.pose, (size_t)g->taut.nelem, sizeof *g->taut.pose);
  }
  return checkpoint_end(&c);
}

static pl_status read_goal(checkpoint *c, kept_goal *g) {
  int state;
  PL_TRY(checkpoint_read(c, g, 1, sizeof *g));
  // its pointers mean nothing here
  g->taut.contact = NULL;
  g->taut.pose = NULL;
  PL_TRY(checkpoint_read(c, &state, 1, sizeof state));
  if (!state) return PL_OK;
  size_t contacts = (size_t)(g->taut.ncontact > 0 ? g->taut.ncontact : 0);
  PL_TRY(checkpoint_read_new(c, contacts, sizeof *g->taut.contact, &g->taut.contact));
  return checkpoint_read_new(c, (size_t)g->taut.nelem, sizeof *g->taut.pose, &g->taut.pose);
}

static pl_status grow(limits_keeper *k, int n) {
  while (k->n < n) {
    PL_TRY(pl_grow(k->j->env, &k->done, k->n, &k->cap, sizeof *k->done));
    k->done[k->n++] = (kept_goal){.solved = MISSING};
  }
  return PL_OK;
}

static pl_status read_all(limits_keeper *k, checkpoint *c) {
  int n;
  PL_TRY(checkpoint_read(c, &n, 1, sizeof n));
  for (int i = 0; i < n; i++) {
    PL_TRY(grow(k, i + 1));
    PL_TRY(read_goal(c, &k->done[i]));
  }
  return PL_OK;
}

pl_status keeper_open(job *j, const pl_analysis *a, int copies, limits_keeper *k) {
  checkpoint c;
  int found;
  *k = (limits_keeper){.j = j, .a = a, .copies = copies};
  PL_TRY(checkpoint_open(j, a, &c, &found));
  return found ? checkpoint_close(&c, read_all(k, &c)) : PL_OK;
}

pl_status keeper_close(limits_keeper *k, pl_status status) {
  pl_env *env = k->j->env;
  pl_status s = status == PL_CANCELLED && k->n > 0 ? write_checkpoint(k) : PL_OK;
  for (int i = 0; i < k->n; i++) pl_taut_free(env, &k->done[i].taut);
  pl_free(env, k->done);
  return s < 0 ? s : status;
}

// ---- goals --------------------------------------------------------------------------------------

// some of the goals that are asked for
typedef struct batch {
  int n, most, *at; // where they are among these
  pl_taut_goal *goal;
  pl_taut *taut;
  int *solved;
} batch;

static pl_status batch_open(pl_env *env, int most, batch *b) {
  size_t n = (size_t)most;
  *b = (batch){.most = most, .at = pl_alloc(env, n, sizeof *b->at)};
  b->goal = pl_alloc(env, n, sizeof *b->goal);
  b->taut = pl_alloc(env, n, sizeof *b->taut);
  b->solved = pl_alloc(env, n, sizeof *b->solved);
  return b->at && b->goal && b->taut && b->solved ? PL_OK : PL_E_NOMEM;
}

static void batch_close(pl_env *env, batch *b) {
  void *all[] = {b->at, b->goal, b->taut, b->solved};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_free(env, all[i]);
}

static int batch_size(const limits_keeper *k, int across, int n, const pl_taut_goal *goal) {
  int each = pl_threads_size(k->j->work->threads) * (across                              ? DISK
                                                     : goal[0].shape == PL_TAUT_CYLINDER ? BENT
                                                                                         : FLAT);
  // without a folder there is nothing to keep
  return !k->j->opts->folder || each > n ? n : each;
}

// Those of a batch are handed on, and kept.
static pl_status store_batch(limits_keeper *k, const batch *b, pl_taut *taut, int *solved,
                             int cancelled) {
  pl_status s = PL_OK;
  for (int i = 0; i < b->n; i++) {
    kept_goal *to = &k->done[k->at + b->at[i]];
    taut[b->at[i]] = b->taut[i];
    solved[b->at[i]] = b->solved[i];
    if (s != PL_OK || (cancelled && !b->solved[i])) continue;
    s = copy_taut(k->j->env, &b->taut[i], &to->taut);
    to->goal = b->goal[i];
    to->solved = s == PL_OK ? b->solved[i] : MISSING;
  }
  return s;
}

// takes what is known; the others have solved MISSING
static pl_status load_known(limits_keeper *k, int n, const pl_taut_goal *goal, pl_taut *taut,
                            int *solved, int *known) {
  PL_TRY(grow(k, k->at + n));
  *known = 0;
  for (int i = 0; i < n; i++) {
    kept_goal *from = &k->done[k->at + i];
    solved[i] = MISSING;
    taut[i] = (pl_taut){.value = NAN};
    if (from->solved == MISSING || !same_goal(&from->goal, &goal[i])) {
      pl_taut_free(k->j->env, &from->taut);
      continue;
    }
    PL_TRY(copy_taut(k->j->env, &from->taut, &taut[i]));
    solved[i] = from->solved;
    ++*known;
  }
  return PL_OK;
}

static pl_status solve_batches(limits_keeper *k, const pl_mail *m, pl_taut_sweep *how, int n,
                               const pl_taut_goal *goal, pl_taut *taut, int *solved) {
  batch b;
  int next = 0;
  pl_status s = batch_open(k->j->env, batch_size(k, how->across, n, goal), &b);
  while (s == PL_OK && next < n) {
    for (b.n = 0; next < n && b.n < b.most; next++) {
      if (solved[next] != MISSING) continue;
      b.at[b.n] = next;
      b.goal[b.n++] = goal[next];
    }
    if (b.n == 0) break;
    s = pl_mail_sweep(k->j->env, m, how, b.n, b.goal, b.taut, b.solved);
    how->done += b.n;
    if (s < 0) break;
    pl_status taken = store_batch(k, &b, taut, solved, s == PL_CANCELLED);
    if (taken != PL_OK) s = taken;
    if (s == PL_OK && checkpoint_due(k->j)) s = write_checkpoint(k);
  }
  batch_close(k->j->env, &b);
  return s;
}

static pl_status solve_goals(limits_keeper *k, const pl_mail *m, const pl_taut_opts *o, int across,
                             int n, const pl_taut_goal *goal, pl_taut *taut, int *solved) {
  pl_taut_sweep how = {.o = o,
                       .copies = {k->copies, k->copies},
                       .across = across,
                       .nthread = pl_threads_size(k->j->work->threads),
                       .all = n};
  pl_status s = n > 0 ? load_known(k, n, goal, taut, solved, &how.done) : PL_OK;
  if (s == PL_OK && how.done < n) s = solve_batches(k, m, &how, n, goal, taut, solved);
  for (int i = 0; s >= 0 && i < n; i++)
    if (solved[i] == MISSING) solved[i] = 0;
  for (int i = 0; s < 0 && i < n; i++) pl_taut_free(k->j->env, &taut[i]);
  k->at += n;
  return s;
}

pl_status keeper_solve(limits_keeper *k, const pl_taut_opts *o, int across, int n,
                       const pl_taut_goal *goal, pl_taut *taut, int *solved) {
  return solve_goals(k, k->j->scene->mail[k->a->mail].m, o, across, n, goal, taut, solved);
}

pl_status keeper_solve_of(limits_keeper *k, const pl_mail *m, const pl_taut_opts *o, int n,
                          const pl_taut_goal *goal, pl_taut *taut, int *solved) {
  return solve_goals(k, m, o, 0, n, goal, taut, solved);
}
