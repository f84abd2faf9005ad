// Goals of an interlocking material, flat or bent, each solved once where symmetry makes others of
// it.
#include "run_limits.h"

#include <math.h>
#include <string.h>

static const double SAME = 1e-7; // strain
enum { PACKED = 2 };             // goals of an orbit that are solved where there are several ways

typedef struct share {
  pl_env *env;
  pl_mail_image *image; // [goals]
  int n, *need;         // [n] those that are solved
  int *best;            // [goals] of the first of an orbit: the one that went farthest
  pl_taut_goal *goal;   // [n]
  pl_taut *taut;
  int *solved;
} share;

static pl_status share_open(pl_env *env, int ngoal, share *s) {
  size_t n = (size_t)ngoal;
  *s = (share){.env = env, .need = pl_alloc(env, 2 * n, sizeof *s->need)};
  s->image = pl_alloc(env, n, sizeof *s->image);
  s->goal = pl_alloc(env, n, sizeof *s->goal);
  s->taut = pl_alloc(env, n, sizeof *s->taut);
  s->solved = pl_alloc(env, n, sizeof *s->solved);
  if (!s->need || !s->image || !s->goal || !s->taut || !s->solved) return PL_E_NOMEM;
  s->best = s->need + n;
  return PL_OK;
}

static void share_close(pl_env *env, share *s) {
  void *all[] = {s->need, s->image, s->goal, s->taut, s->solved};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_free(env, all[i]);
}

// Elements pack in several ways, of which a few of an orbit may find better ones: best counts them
// while goals are chosen.
static void choose(share *s, int ngoal, const pl_taut_goal *goal) {
  for (int i = 0; i < ngoal; i++) {
    if (s->best[s->image[i].from]++ >= (goal[i].starts > 1 ? PACKED : 1)) continue;
    s->goal[s->n] = goal[i];
    s->need[s->n++] = i;
  }
}

static void spread(share *s, int ngoal, const pl_taut_goal *goal, pl_taut *taut, int *solved) {
  for (int i = 0; i < s->n; i++) {
    int at = s->need[i], *best = &s->best[s->image[at].from];
    taut[at] = s->taut[i];
    solved[at] = s->solved[i];
    if (at == s->image[at].from || !solved[*best] ||
        (solved[at] && taut[at].value > taut[*best].value + SAME))
      *best = at;
  }
  for (int i = 0; i < ngoal; i++) {
    int best = s->best[s->image[i].from];
    if (best == i || (solved[i] && !(taut[best].value > taut[i].value + SAME))) continue;
    pl_taut_free(s->env, &taut[i]);
    pl_mail_use_image(&taut[best], &s->image[best], &goal[i], &s->image[i], &taut[i]);
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

// derivatives and states need the contacts of each
static pl_status find_images(const limits_keeper *k, int across, int ngoal,
                             const pl_taut_goal *goal, pl_mail_image *image) {
  const pl_limits_opts *l = &k->a->opts.limits_;
  if (l->symmetry && !l->gradients && !l->states)
    return pl_mail_orbits(k->j->env, k->j->scene->mail[k->a->mail].m, across, ngoal, goal, image);
  for (int i = 0; i < ngoal; i++) image[i] = (pl_mail_image){.from = i};
  return PL_OK;
}

pl_status limits_solve(limits_keeper *k, const pl_taut_opts *o, int across, int ngoal,
                       const pl_taut_goal *goal, pl_taut *taut, int *solved, int *distinct) {
  const pl_limits_opts *l = &k->a->opts.limits_;
  pl_env *env = k->j->env;
  share s;
  pl_status st = share_open(env, ngoal, &s);
  if (st == PL_OK) st = find_images(k, across, ngoal, goal, s.image);
  if (st == PL_OK) {
    choose(&s, ngoal, goal);
    *distinct += s.n;
    int paper = l->mode && goal[0].shape == PL_TAUT_FLAT;
    st = paper ? track(k, l, o, &s) : keeper_solve(k, o, across, s.n, s.goal, s.taut, s.solved);
    if (st == PL_OK) st = limits_check(k, across, s.n, s.taut, s.solved);
    if (st >= 0) spread(&s, ngoal, goal, taut, solved);
  }
  share_close(env, &s);
  return st;
}
