// States that limits found, looked at once more by other means: dense points and counted links.
#include "run_limits.h"

#include <math.h>
#include <stdio.h>

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

static void report(job *j, const char *of, const pl_mail_verdict *v, json_t *figures) {
  char name[PL_TEXT];
  if (!isfinite(v->gap)) return;
  snprintf(name, sizeof name, "%sverified_gap", of);
  job_set(figures, name, json_real(v->gap));
  snprintf(name, sizeof name, "%slinks_changed", of);
  job_set(figures, name, json_integer(v->links_changed));
  static const char text[] =
      "Looked at once more by dense points of the elements: the smallest gap of all "
      "states is %.2e mm, and %d of all links are not those at rest.";
  if (v->gap > 0 && v->links_changed == 0)
    job_say(j, text, 1e3 * v->gap, 0);
  else
    job_alarm(j, text, 1e3 * v->gap, v->links_changed);
}

pl_status limits_verify(job *j, const pl_analysis *a, const char *of, int across, int n,
                        const pl_taut *taut, const int *solved, json_t *figures) {
  int copies = a->opts.limits_.copies;
  pl_mail_verdict sum = {.gap = INFINITY};
  look l = {j->scene->mail[a->mail].m, {copies, copies}, across, taut, solved, NULL, NULL};
  l.out = pl_alloc(j->env, (size_t)n, sizeof *l.out);
  l.status = pl_alloc(j->env, (size_t)n, sizeof *l.status);
  pl_status s = l.out && l.status ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK) pl_threads_run(j->work->threads, n, look_at, &l);
  for (int i = 0; s == PL_OK && i < n; i++) {
    if (!has_state(&l, i)) continue;
    s = l.status[i];
    sum.gap = fmin(sum.gap, l.out[i].gap);
    sum.links_changed += l.out[i].links_changed;
  }
  pl_free(j->env, l.out);
  pl_free(j->env, l.status);
  if (s == PL_OK) report(j, of, &sum, figures);
  return s;
}
