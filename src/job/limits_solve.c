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

static const double SAME = 1e-7; // strain
enum { PACKED = 2 };             // goals of an orbit that are solved where there are several ways

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
    if (at == s->from[at] || !solved[*best] ||
        (solved[at] && taut[at].value > taut[*best].value + SAME))
      *best = at;
  }
  for (int i = 0; i < ngoal; i++) {
    int best = s->best[s->from[i]];
    if (best == i || (solved[i] && !(taut[best].value > taut[i].value + SAME))) continue;
    pl_taut_free(s->env, &taut[i]);
    take_image(&taut[best], &goal[i], &taut[i]);
    solved[i] = solved[best];
  }
}

// ---- as in the paper ----------------------------------------------------------------------------

// Strains at the pose, where the repulsion has its weight, instead of those extrapolated.
static double strain_at_pose(const pl_taut_goal *g, pl_taut *t) {
  double value = 0;
  for (int k = 0; k < g->n; k++) {
    const double *B = g->basis[k], *S = t->stretch, *at = g->offset;
    double size = B[0] * B[0] + B[1] * B[1] + 2 * B[2] * B[2];
    t->e[k] = ((S[0] - at[0]) * B[0] + (S[1] - at[1]) * B[1] + 2 * (S[2] - at[2]) * B[2]) / size;
    value += g->goal[k] * t->e[k];
  }
  return value;
}

// The least of (e - target)^2 / 2 + stiffness * repulsion is that of -(target - e) e + ..., whose
// first factor is found by repetition: it hardly changes.
static pl_status track(limits_keeper *k, const pl_limits_opts *l, const pl_taut_opts *o, share *s) {
  enum { REPEATS = 3 };
  const pl_taut_opts own = {o->barrier, l->stiffness, o->max_iter};
  pl_taut_goal *scaled = pl_alloc(s->env, (size_t)s->n, sizeof *scaled);
  pl_status st = scaled ? PL_OK : PL_E_NOMEM;
  for (int r = 0; st == PL_OK && r < REPEATS; r++) {
    for (int i = 0; i < s->n; i++) {
      double pull = l->target - (r && isfinite(s->taut[i].value) ? s->taut[i].value : 0);
      scaled[i] = s->goal[i];
      for (int e = 0; e < scaled[i].n; e++) scaled[i].goal[e] *= fmax(pull, 1e-2 * l->target);
    }
    for (int i = 0; r && i < s->n; i++) pl_taut_free(s->env, &s->taut[i]);
    st = keeper_solve(k, &own, 0, s->n, scaled, s->taut, s->solved);
    for (int i = 0; st == PL_OK && i < s->n; i++)
      if (s->solved[i]) s->taut[i].value = strain_at_pose(&s->goal[i], &s->taut[i]);
  }
  pl_free(s->env, scaled);
  return st;
}

pl_status limits_solve(limits_keeper *k, const pl_taut_opts *o, int ngoal, const pl_taut_goal *goal,
                       pl_taut *taut, int *solved, int *distinct) {
  const pl_limits_opts *l = &k->a->opts.limits_;
  pl_env *env = k->j->env;
  share s;
  pl_status st = share_open(env, ngoal, &s);
  if (st == PL_OK) {
    // derivatives and states need the contacts of each
    if (l->symmetry && !l->gradients && !l->states)
      pl_mail_orbits(k->j->scene->mail[k->a->mail].m, ngoal, goal, s.from);
    else
      for (int i = 0; i < ngoal; i++) s.from[i] = i;
    choose(&s, ngoal, goal);
    *distinct += s.n;
    st = l->mode ? track(k, l, o, &s) : keeper_solve(k, o, 0, s.n, s.goal, s.taut, s.solved);
  }
  if (st >= 0) spread(&s, ngoal, goal, taut, solved);
  share_close(env, &s);
  return st;
}
