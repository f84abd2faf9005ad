// Goals of an interlocking material in its plane, each solved once where symmetry makes others of
// it.
#include "run_limits.h"

#include <math.h>
#include <string.h>

// numbers of an image; contacts and poses are those of the goal that was solved
static void take_image(const pl_taut *from, const pl_taut_goal *g, pl_taut *to) {
  *to = *from;
  to->contact = NULL;
  to->pose = NULL;
  to->iterations = to->evaluations = 0;
  for (int c = 0; c < 3; c++) {
    to->stretch[c] = g->offset[c];
    for (int k = 0; k < g->n; k++) to->stretch[c] += to->e[k] * g->basis[k][c];
  }
}

enum { PACKED = 2 }; // goals of an orbit that are solved where there are several ways

typedef struct share {
  pl_env *env;
  int n, *from, *need; // [goals]: the first of an orbit; [n] those that are solved
  int *best;           // [goals] of the first of an orbit: the one that went farthest
  pl_taut_goal *goal;  // [n]
  pl_taut *taut;
  int *solved;
} share;

static pl_status share_open(pl_env *env, int ngoal, share *s) {
  size_t n = (size_t)ngoal;
  *s = (share){.env = env, .from = pl_alloc(env, 3 * n, sizeof *s->from)};
  s->goal = pl_alloc(env, n, sizeof *s->goal);
  s->taut = pl_alloc(env, n, sizeof *s->taut);
  s->solved = pl_alloc(env, n, sizeof *s->solved);
  if (!s->from || !s->goal || !s->taut || !s->solved) return PL_E_NOMEM;
  s->need = s->from + n;
  s->best = s->need + n;
  return PL_OK;
}

static void share_close(pl_env *env, share *s) {
  void *all[] = {s->from, s->goal, s->taut, s->solved};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_free(env, all[i]);
}

// Elements pack in several ways, of which a few of an orbit may find better ones: best counts them
// while goals are chosen.
static void choose(share *s, int ngoal, const pl_taut_goal *goal) {
  for (int i = 0; i < ngoal; i++) {
    if (s->best[s->from[i]]++ >= (goal[i].starts > 1 ? PACKED : 1)) continue;
    s->goal[s->n] = goal[i];
    s->need[s->n++] = i;
  }
}

static void spread(share *s, int ngoal, const pl_taut_goal *goal, pl_taut *taut, int *solved) {
  for (int i = 0; i < s->n; i++) {
    int at = s->need[i], *best = &s->best[s->from[at]];
    taut[at] = s->taut[i];
    solved[at] = s->solved[i];
    if (at == s->from[at] || !solved[*best] || (solved[at] && taut[at].value > taut[*best].value))
      *best = at;
  }
  for (int i = 0; i < ngoal; i++) {
    int best = s->best[s->from[i]];
    if (best == i || (solved[i] && !(taut[best].value > taut[i].value))) continue;
    pl_taut_free(s->env, &taut[i]);
    take_image(&taut[best], &goal[i], &taut[i]);
    solved[i] = solved[best];
  }
}

pl_status limits_solve(job *j, const pl_analysis *a, const pl_taut_opts *o, int ngoal,
                       const pl_taut_goal *goal, pl_taut *taut, int *solved, int *distinct) {
  const pl_limits_opts *l = &a->opts.limits_;
  const pl_mail *m = j->scene->mail[a->mail].m;
  share s;
  pl_status st = share_open(j->env, ngoal, &s);
  if (st == PL_OK) {
    // derivatives need the contacts of every state
    if (l->symmetry && !l->gradients)
      pl_mail_orbits(m, ngoal, goal, s.from);
    else
      for (int i = 0; i < ngoal; i++) s.from[i] = i;
    choose(&s, ngoal, goal);
    *distinct += s.n;
    st = pl_mail_taut(j->env, m, (const int[]){l->copies, l->copies}, o, s.n, s.goal,
                      pl_threads_size(j->work->threads), s.taut, s.solved);
  }
  if (st == PL_OK) spread(&s, ngoal, goal, taut, solved);
  share_close(j->env, &s);
  return st;
}
