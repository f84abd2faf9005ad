#include "patch_impl.h"

#include <stdlib.h>

// A state of a patch, looked at by other means than it was found with: dense points of elements,
// and counting where their curves cross.

typedef struct look {
  const pl_patch *p;
  const pl_pose *at;
  const near_pairs *now, *start;
  double cut, *gap; // [now.n]
  int *changed;     // [now.n + start.n]
} look;

static int by_pair(const void *a, const void *b) {
  const int *p = a, *q = b;
  return p[0] != q[0] ? (p[0] < q[0] ? -1 : 1) : (p[1] > q[1]) - (p[1] < q[1]);
}

static int is_among(const near_pairs *n, const int *pair) {
  return n->n > 0 && bsearch(pair, n->pair, (size_t)n->n, sizeof *n->pair, by_pair) != NULL;
}

static int links_at(const look *l, const pl_pose *at, const int *e) {
  return pl_element_links(l->p->elem[e[0]], &at[e[0]], l->p->elem[e[1]], &at[e[1]]);
}

// pairs of the state, then those of the start that have parted
static void look_one(void *ctx, int k, int thread) {
  look *l = ctx;
  (void)thread;
  if (k >= l->now->n) {
    const int *e = l->start->pair[k - l->now->n];
    l->changed[k] = !is_among(l->now, e) && links_at(l, l->p->pose, e) != 0;
    return;
  }
  const int *e = l->now->pair[k];
  l->gap[k] =
      pl_element_gap(l->p->elem[e[0]], &l->at[e[0]], l->p->elem[e[1]], &l->at[e[1]], l->cut);
  int before = is_among(l->start, e) ? links_at(l, l->p->pose, e) : 0;
  l->changed[k] = links_at(l, l->at, e) != before;
}

static pl_status look_at_all(look *l, pl_env *env, pl_threads *threads, pl_mail_verdict *out) {
  int n = l->now->n + l->start->n;
  l->gap = pl_alloc(env, (size_t)n + 1, sizeof *l->gap);
  l->changed = pl_alloc(env, (size_t)n + 1, sizeof *l->changed);
  if (!l->gap || !l->changed) return PL_E_NOMEM;
  pl_threads_run(threads, n, look_one, l);
  for (int k = 0; k < l->now->n; k++) out->gap = fmin(out->gap, l->gap[k]);
  for (int k = 0; k < n; k++) out->links_changed += l->changed[k];
  return PL_OK;
}

pl_status pl_patch_verify(pl_env *env, const pl_patch *p, const pl_pose *at, pl_threads *threads,
                          pl_mail_verdict *out) {
  near_pairs now = {0}, start = {0};
  look l = {.p = p, .at = at, .now = &now, .start = &start, .cut = INFINITY};
  double *radius = pl_alloc(env, (size_t)p->n, sizeof *radius);
  if (!radius) return PL_E_NOMEM;
  for (int i = 0; i < p->n; i++) {
    radius[i] = i > 0 && p->elem[i] == p->elem[i - 1] ? radius[i - 1] : element_ball(p->elem[i]);
    l.cut = fmin(l.cut, element_wire(p->elem[i]));
  }
  *out = (pl_mail_verdict){.gap = l.cut};
  pl_status s = near_find(env, p->n, at, radius, p->held, 0, &now);
  if (s == PL_OK) s = near_find(env, p->n, p->pose, radius, p->held, 0, &start);
  if (s == PL_OK) s = look_at_all(&l, env, threads, out);
  void *all[] = {radius, now.pair, start.pair, l.gap, l.changed};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) pl_free(env, all[k]);
  return s;
}
