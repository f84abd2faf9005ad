// States that limits found, looked at once more by other means: dense points and counted links. One
// in which elements overlap, or are linked otherwise than at rest, is no limit.
#include "run_limits.h"

#include <math.h>
#include <stdio.h>

static const double ROUNDING = 1e-9; // of the thinnest radius, that rounding may take from a gap

typedef struct look {
  const pl_mail *m;
  int copies[2], across;
  const pl_taut *taut;
  const int *solved;
  pl_mail_verdict *out;
  pl_status *status;
} look;

// by symmetry the states of some are those of others, which have none of their own
static int has_state(const look *l, int i) {
  return l->solved[i] && l->taut[i].pose;
}

static void look_at(void *ctx, int i, int thread) {
  look *l = ctx;
  pl_env env;
  (void)thread;
  if (!has_state(l, i)) return;
  pl_env_init(&env);
  if (l->across)
    l->status[i] = pl_mail_verify_disk(&env, l->m, l->across, &l->taut[i], &l->out[i]);
  else
    pl_mail_verify(l->m, l->copies, &l->taut[i], &l->out[i]);
}

// as what was not found
static void reject(limits_keeper *k, pl_taut *taut, int *solved) {
  pl_taut left = *taut;
  pl_taut_free(k->j->env, taut);
  left.value = NAN;
  left.contact = NULL;
  left.pose = NULL;
  left.ncontact = 0;
  *taut = left;
  *solved = 0;
  k->seen.rejected++;
}

pl_status limits_check(limits_keeper *k, int across, int n, pl_taut *taut, int *solved) {
  pl_env *env = k->j->env;
  const pl_mail *m = k->j->scene->mail[k->a->mail].m;
  const double least = -ROUNDING * pl_mail_thinnest(m);
  limits_seen *seen = &k->seen;
  look l = {m, {k->copies, k->copies}, across, taut, solved, NULL, NULL};
  l.out = pl_alloc(env, (size_t)n, sizeof *l.out);
  l.status = pl_alloc(env, (size_t)n, sizeof *l.status);
  pl_status s = l.out && l.status ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK) pl_threads_run(k->j->work->threads, n, look_at, &l);
  for (int i = 0; s == PL_OK && i < n; i++) {
    if (!has_state(&l, i)) continue;
    const pl_mail_verdict *v = &l.out[i];
    s = l.status[i];
    if (seen->n++ == 0) seen->all.gap = v->gap;
    seen->all.gap = fmin(seen->all.gap, v->gap);
    seen->all.links_changed += v->links_changed;
    if (!(v->gap > least) || v->links_changed) reject(k, &taut[i], &solved[i]);
  }
  for (int i = 0; s < 0 && i < n; i++) pl_taut_free(env, &taut[i]);
  pl_free(env, l.out);
  pl_free(env, l.status);
  return s;
}

static void warn_rejected(const limits_keeper *k) {
  const limits_seen *seen = &k->seen;
  const pl_analysis *a = k->a;
  pl_report(k->j->env, PL_WARNING, k->j->scene->path, a->line, a->col,
            "they are left out, and their rows say nan; more ways (starts), or another barrier, "
            "may find others",
            "%s: %d of %d states are no limits: elements overlap in them (smallest gap %.3g mm) or "
            "are linked otherwise than at rest (%d links)",
            a->name, seen->rejected, seen->n, 1e3 * seen->all.gap, seen->all.links_changed);
}

void limits_verified(limits_keeper *k, const char *of, json_t *figures) {
  char name[PL_TEXT];
  const limits_seen seen = k->seen;
  static const char text[] =
      "Looked at once more by dense points of the elements: the smallest gap of all "
      "states is %.2e mm, and %d of all links are not those at rest.";
  if (seen.n > 0) {
    snprintf(name, sizeof name, "%sverified_gap", of);
    job_set(figures, name, json_real(seen.all.gap));
    snprintf(name, sizeof name, "%slinks_changed", of);
    job_set(figures, name, json_integer(seen.all.links_changed));
    snprintf(name, sizeof name, "%srejected", of);
    job_set(figures, name, json_integer(seen.rejected));
    (seen.rejected ? job_alarm : job_say)(k->j, text, 1e3 * seen.all.gap, seen.all.links_changed);
  }
  if (seen.rejected) warn_rejected(k);
  k->rejected += seen.rejected;
  k->seen = (limits_seen){0};
}
