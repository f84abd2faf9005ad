#include "interlock_impl.h"

#include <stdatomic.h>
#include <string.h>

// Many goals of one material on several threads.

typedef struct worker {
  pl_env env; // its own, with memory of its own
  pl_cell *cell;
} worker;

typedef struct sweep {
  pl_env *host;
  const pl_taut_sweep *how;
  const pl_taut_goal *goal;
  worker *worker;
  pl_taut *out;
  pl_status *status;
  atomic_int stop, done;
  int n;
} sweep;

static int ask_flag(void *ctx, const pl_progress *p) {
  (void)p;
  return atomic_load(&((sweep *)ctx)->stop);
}

// the caller's thread asks the host
static int ask_host(void *ctx, const pl_progress *p) {
  sweep *s = ctx;
  (void)p;
  int all = s->how->all > 0 ? s->how->all : s->n;
  double done = (double)(s->how->done + atomic_load(&s->done)) / all;
  if (pl_report_progress(s->host, "limits", done, NULL) != PL_OK) atomic_store(&s->stop, 1);
  return atomic_load(&s->stop);
}

static void solve_one(void *ctx, int i, int thread) {
  sweep *s = ctx;
  worker *w = &s->worker[thread];
  if (atomic_load(&s->stop)) {
    s->status[i] = PL_CANCELLED;
    return;
  }
  s->status[i] = pl_cell_taut(w->cell, s->how->o, &s->goal[i], &s->out[i]);
  if (s->status[i] < 0) atomic_store(&s->stop, 1);
  atomic_fetch_add(&s->done, 1);
}

// into memory of the host
static pl_status adopt(pl_env *host, pl_env *own, pl_taut *t) {
  pl_taut from = *t;
  int nelem = t->nelem;
  t->contact = pl_alloc(host, (size_t)from.ncontact, sizeof *t->contact);
  t->pose = pl_alloc(host, (size_t)nelem, sizeof *t->pose);
  if (t->contact && t->pose && from.pose) {
    memcpy(t->pose, from.pose, (size_t)nelem * sizeof *t->pose);
    if (from.ncontact > 0)
      memcpy(t->contact, from.contact, (size_t)from.ncontact * sizeof *t->contact);
  }
  pl_free(own, from.contact);
  pl_free(own, from.pose);
  return t->contact && t->pose ? PL_OK : PL_E_NOMEM;
}

static pl_status finish(sweep *s, int *solved) {
  pl_status worst = PL_OK;
  for (int i = 0; i < s->n; i++) {
    pl_status one = s->status[i];
    solved[i] = one == PL_OK;
    if (one != PL_OK) s->out[i].value = NAN;
    // memory of workers is malloc's, whichever worker it was
    if (one >= 0 && s->out[i].pose) {
      pl_status kept = adopt(s->host, &s->worker[0].env, &s->out[i]);
      if (kept != PL_OK) one = kept;
    }
    if (one < 0 && worst >= 0) worst = one;
    if (one == PL_CANCELLED && worst == PL_OK) worst = one;
  }
  return worst;
}

static pl_status make_cell(pl_env *env, const sweep *s, const pl_mail *m, pl_cell **out) {
  const pl_taut_sweep *h = s->how;
  if (h->across > 0) return pl_cell_create_disk(env, m, h->across, out);
  return pl_cell_create(env, m, h->copies[0], h->copies[1], out);
}

static pl_status run(sweep *s, const pl_mail *m, int nthread, int *solved) {
  pl_threads *threads = NULL;
  for (int k = 0; k < nthread; k++) {
    worker *w = &s->worker[k];
    pl_env_init(&w->env);
    w->env.progress = k == 0 ? ask_host : ask_flag;
    w->env.progress_ctx = s;
    pl_status st = make_cell(&w->env, s, m, &w->cell);
    if (st < 0) return pl_fail(s->host, st, "%s", w->env.error.text);
  }
  PL_TRY(pl_threads_create(s->host, nthread, &threads));
  pl_threads_run(threads, s->n, solve_one, s);
  pl_threads_free(threads);
  pl_status worst = finish(s, solved);
  for (int k = 0; worst < 0 && k < nthread; k++)
    if (s->worker[k].env.error.text[0])
      return pl_fail(s->host, worst, "%s", s->worker[k].env.error.text);
  return worst;
}

pl_status pl_mail_sweep(pl_env *env, const pl_mail *m, const pl_taut_sweep *how, int ngoal,
                        const pl_taut_goal *goal, pl_taut *out, int *solved) {
  sweep s = {.host = env, .how = how, .goal = goal, .out = out, .n = ngoal};
  memset(out, 0, (size_t)ngoal * sizeof *out);
  memset(solved, 0, (size_t)ngoal * sizeof *solved);
  s.worker = pl_alloc(env, (size_t)how->nthread, sizeof *s.worker);
  s.status = pl_alloc(env, (size_t)ngoal, sizeof *s.status);
  pl_status st = s.worker && s.status ? run(&s, m, how->nthread, solved) : PL_E_NOMEM;
  for (int k = 0; s.worker && k < how->nthread; k++) pl_cell_free(s.worker[k].cell);
  pl_free(env, s.worker);
  pl_free(env, s.status);
  for (int i = 0; st < 0 && i < ngoal; i++) pl_taut_free(env, &out[i]);
  return st;
}

pl_status pl_mail_taut(pl_env *env, const pl_mail *m, const int copies[2], const pl_taut_opts *o,
                       int ngoal, const pl_taut_goal *goal, int nthread, pl_taut *out,
                       int *solved) {
  const pl_taut_sweep how = {.o = o, .copies = {copies[0], copies[1]}, .nthread = nthread};
  return pl_mail_sweep(env, m, &how, ngoal, goal, out, solved);
}

pl_status pl_mail_taut_disk(pl_env *env, const pl_mail *m, int across, const pl_taut_opts *o,
                            int ngoal, const pl_taut_goal *goal, int nthread, pl_taut *out,
                            int *solved) {
  const pl_taut_sweep how = {.o = o, .across = across, .nthread = nthread};
  return pl_mail_sweep(env, m, &how, ngoal, goal, out, solved);
}

pl_taut_goal pl_taut_along(double angle, double sign) {
  double c = cos(angle), s = sin(angle);
  return (pl_taut_goal){
      .n = 2, .basis = {{c * c, s * s, c * s}, {s * s, c * c, -c * s}}, .goal = {sign, 0}};
}

pl_taut_goal pl_taut_bend(double angle, double sign) {
  pl_taut_goal g = pl_taut_along(angle, 0);
  double c = cos(angle), s = sin(angle);
  const double shear[3] = {-2 * c * s, 2 * c * s, c * c - s * s};
  memcpy(g.basis[2], shear, sizeof shear);
  g.n = 3;
  g.goal[3] = sign;
  g.shape = PL_TAUT_CYLINDER;
  g.angle = angle;
  return g;
}

pl_taut_goal pl_taut_bend_disk(double angle, double sign) {
  double c = cos(angle), s = sin(angle);
  return (pl_taut_goal){.n = 2,
                        .basis = {{s * s, c * c, -c * s}, {c * c, s * s, c * s}},
                        .goal = {0, sign},
                        .shape = PL_TAUT_PARABOLOID,
                        .angle = angle};
}
