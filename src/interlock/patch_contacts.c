#include "patch_impl.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

// Contacts of a patch, found by threads in batches and put in the order of elements.

enum { BATCH = 512 };
static const double ROUND =
    0.1; // smallest curvature over the largest of a minimum that counts whole

typedef struct task {
  int i, j, piece[2];
  int n;
  pl_approach approach[PL_APPROACH_MAX];
  int whole;
  double clear;
} task;

struct search {
  task task[BATCH];
  int n;
  const patch *p;
  const pl_pose *at;
};

const pl_piece *hold_piece(const patch *p, const hold *h, int which) {
  return &p->in->elem[which ? h->j : h->i]->piece[h->piece[which]];
}

// one gap of all of two wires; 0: they are not near
static int whole_gap(const patch *p, const pl_pose *at, hold *h) {
  const pl_piece *piece[2] = {hold_piece(p, h, 0), hold_piece(p, h, 1)};
  const pl_pose *pose[2] = {&at[h->i], &at[h->j]};
  h->at.gap = (facets_know(piece[0]) ? facets_gap : wires_gap)(piece, pose, p->range, &h->clear);
  return h->at.gap < p->range;
}

int hold_follow(const patch *p, const pl_pose *at, hold *h) {
  if (h->whole) return whole_gap(p, at, h), 1;
  if (h->j < 0)
    return obstacle_follow(hold_piece(p, h, 0), &at[h->i], &p->in->obstacle[-1 - h->j], &h->at);
  return pl_piece_follow(hold_piece(p, h, 0), &at[h->i], hold_piece(p, h, 1), &at[h->j], &h->at);
}

void hold_slopes(const patch *p, const pl_pose *at, const hold *h, slopes *out) {
  int n = h->j < 0 ? 6 : 12;
  if (h->j < 0) {
    double H[6][6];
    memset(out, 0, sizeof *out);
    obstacle_slopes(hold_piece(p, h, 0), &at[h->i], &p->in->obstacle[-1 - h->j], &h->at, out->g, H);
    for (int r = 0; r < 6; r++) memcpy(out->H[r], H[r], sizeof H[r]);
  } else if (h->whole) {
    const pl_piece *piece[2] = {hold_piece(p, h, 0), hold_piece(p, h, 1)};
    const pl_pose *pose[2] = {&at[h->i], &at[h->j]};
    (facets_know(piece[0]) ? facets_derivatives : wires_derivatives)(piece, pose, p->range, out->g,
                                                                     out->H);
  } else {
    pl_piece_derivatives(hold_piece(p, h, 0), &at[h->i], hold_piece(p, h, 1), &at[h->j], &h->at,
                         out->g, out->H);
  }
  double unit[12];
  for (int k = 0; k < n; k++) unit[k] = k % 6 < 3 ? 1 : 1 / p->radius[k < 6 ? h->i : h->j];
  for (int r = 0; r < n; r++) {
    out->g[r] *= unit[r];
    for (int s = 0; s < n; s++) out->H[r][s] *= unit[r] * unit[s];
  }
}

int holds_compare(const hold *a, const hold *b) {
  const int left[4] = {a->i, a->j, a->piece[0], a->piece[1]};
  const int right[4] = {b->i, b->j, b->piece[0], b->piece[1]};
  for (int k = 0; k < 4; k++)
    if (left[k] != right[k]) return left[k] < right[k] ? -1 : 1;
  return 0;
}

static int by_elements(const void *a, const void *b) {
  const hold *p = a, *q = b;
  int c = holds_compare(p, q);
  if (c) return c;
  return (p->at.gap > q->at.gap) - (p->at.gap < q->at.gap);
}

// the first contact of the same pieces, or where it would be
static int first_like(const holds *all, const hold *h) {
  int lo = 0, hi = all->n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (holds_compare(&all->item[mid], h) < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

double approach_separate(const pl_approach *a, const pl_approach *b) {
  double far = 0;
  if (a->on[0] != b->on[0] || a->on[1] != b->on[1]) return INFINITY;
  for (int k = 0; k < 4; k++) {
    double d = a->u[k] - b->u[k];
    far = fmax(far, fabs(k % 2 ? d : remainder(d, 2 * PL_PI)));
  }
  return far;
}

// the nearest contact of the same pieces within `far`, -1: none
static int nearest(const holds *all, const hold *h, double far) {
  int best = -1;
  for (int k = first_like(all, h); k < all->n && holds_compare(&all->item[k], h) == 0; k++) {
    double d = approach_separate(&all->item[k].at, &h->at);
    if (all->item[k].at.still != h->at.still || !(d < far)) continue;
    far = d;
    best = k;
  }
  return best;
}

static void seek_one(void *ctx, int k, int thread) {
  search *s = ctx;
  task *t = &s->task[k];
  const pl_piece *a = &s->p->in->elem[t->i]->piece[t->piece[0]];
  (void)thread;
  t->whole = t->j >= 0 && s->p->whole;
  if (t->whole) {
    hold h = {.i = t->i, .j = t->j, .piece = {t->piece[0], t->piece[1]}};
    t->n = whole_gap(s->p, s->at, &h);
    t->approach[0] = h.at;
    t->clear = h.clear;
    return;
  }
  if (t->j < 0)
    t->n = obstacle_gaps(a, &s->at[t->i], &s->p->in->obstacle[-1 - t->j], s->p->range, t->approach);
  else
    t->n = pl_piece_gaps(a, &s->at[t->i], &s->p->in->elem[t->j]->piece[t->piece[1]], &s->at[t->j],
                         s->p->range, t->approach);
}

static pl_status flush(search *s, holds *out) {
  pl_threads_run(s->p->threads, s->n, seek_one, s);
  for (int k = 0; k < s->n; k++) {
    const task *t = &s->task[k];
    for (int i = 0; i < t->n; i++) {
      if (t->j >= 0 && t->approach[i].still && !s->p->sides) continue;
      PL_TRY(pl_grow(s->p->env, &out->item, out->n, &out->cap, sizeof *out->item));
      out->item[out->n++] = (hold){t->i,
                                   t->j,
                                   {t->piece[0], t->piece[1]},
                                   t->approach[i],
                                   NAN,
                                   NAN,
                                   t->whole,
                                   t->whole ? t->clear : t->approach[i].gap};
    }
  }
  s->n = 0;
  return PL_OK;
}

static pl_status seek_pair(search *s, int i, int j, holds *out) {
  const pl_mail_element *a = s->p->in->elem[i], *b = j < 0 ? NULL : s->p->in->elem[j];
  for (int k = 0; k < a->npiece; k++)
    for (int l = 0; l < (b ? b->npiece : 1); l++) {
      task *t = &s->task[s->n++];
      t->i = i;
      t->j = j;
      t->piece[0] = k;
      t->piece[1] = l;
      if (s->n == BATCH) PL_TRY(flush(s, out));
    }
  return PL_OK;
}

static pl_status seek_all(patch *p, const pl_pose *at, holds *out) {
  search *s = p->search;
  s->p = p;
  s->at = at;
  s->n = 0;
  for (int k = 0; k < p->near.n; k++) {
    const int *e = p->near.pair[k];
    double w[3];
    pl_sub3(at[e[0]].x, at[e[1]].x, w);
    if (pl_norm3(w) > p->radius[e[0]] + p->radius[e[1]] + p->range) continue;
    PL_TRY(seek_pair(s, e[0], e[1], out));
  }
  for (int i = 0; i < p->in->n; i++)
    for (int o = 0; !p->in->held[i] && o < p->in->nobstacle; o++) {
      pl_gap g;
      pl_obstacle_gap(&p->in->obstacle[o], 3, 0, at[i].x, p->radius[i], &g);
      if (g.gap < p->range) PL_TRY(seek_pair(s, i, -1 - o, out));
    }
  return flush(s, out);
}

// contacts of before that a search has missed: samples do not see ridges of a few micrometres
static pl_status follow_all(patch *p, const pl_pose *at, const holds *old, holds *out) {
  int found = out->n;
  for (int k = 0; k < old->n; k++) {
    hold h = old->item[k];
    if (h.whole) continue;
    holds all = {.n = found, .item = out->item};
    if (h.at.still || !hold_follow(p, at, &h) || h.at.gap > p->range ||
        nearest(&all, &h, 1e-4) >= 0)
      continue;
    PL_TRY(pl_grow(p->env, &out->item, out->n, &out->cap, sizeof *out->item));
    h.share = h.force = NAN;
    h.clear = h.at.gap;
    out->item[out->n++] = h;
  }
  if (out->n > found) qsort(out->item, (size_t)out->n, sizeof *out->item, by_elements);
  return PL_OK;
}

// Minima split and merge: what a contact counts for is divided and added up then, so that the
// energy does not jump.

// where contacts of before are now; a piece of the list of each two pieces
static void hand_on(patch *p, const pl_pose *at, const holds *old, holds *out) {
  for (int k = 0; k < old->n; k++) {
    hold h = old->item[k];
    if (!h.whole && !hold_follow(p, at, &h)) h.at = old->item[k].at;
    int to = nearest(out, &h, h.at.still ? 1e-9 : 0.5);
    if (to < 0 || out->item[to].whole != h.whole) continue;
    hold *n = &out->item[to];
    n->share = isfinite(n->share) ? n->share + old->item[k].share : old->item[k].share;
    n->force = isfinite(n->force) ? n->force + old->item[k].force : old->item[k].force;
  }
}

// a contact that none has become takes half of its nearest neighbour's
static void divide(patch *p, holds *out) {
  for (int k = 0; k < out->n; k++) {
    hold *h = &out->item[k];
    if (isfinite(h->share)) continue;
    if (h->whole) {
      h->share = 1;
      continue;
    }
    int best = -1;
    double far = INFINITY;
    for (int i = first_like(out, h); i < out->n && holds_compare(&out->item[i], h) == 0; i++) {
      const hold *o = &out->item[i];
      if (!isfinite(o->share) || o->at.still != h->at.still ||
          !(approach_separate(&o->at, &h->at) < far))
        continue;
      far = approach_separate(&o->at, &h->at);
      best = i;
    }
    if (best < 0 || h->at.gap > p->range / 2 || h->j < 0) {
      h->share = 1;
      continue;
    }
    h->share = out->item[best].share /= 2;
    h->force = out->item[best].force /= 2;
  }
}

// Those that come and go many times do not count for less and less.
static void refill(holds *out) {
  for (int k = 0, end; k < out->n; k = end) {
    for (end = k + 1; end < out->n && holds_compare(&out->item[end], &out->item[k]) == 0; end++)
      ;
    for (int i = k; i < end; i++) out->item[i].share = fmax(out->item[i].share, 1.0 / (end - k));
  }
}

// How much one of several minima of the same two pieces counts for: nothing where it is born, be it
// as a fold of the distance or from beyond reach.
static double standing(const patch *p, const pl_pose *at, const hold *h) {
  double round =
      approach_roundness(hold_piece(p, h, 0), &at[h->i], hold_piece(p, h, 1), &at[h->j], &h->at);
  double t = fmin(1, round / ROUND), far = 1 - h->at.gap / p->range;
  return t * t * (3 - 2 * t) * far * far;
}

// Minima of smooth pieces share one repulsion, by a smooth law, so that forces do not jump as they
// split and merge.
static void share_out(const patch *p, const pl_pose *at, holds *out) {
  for (int k = 0, end; k < out->n; k = end) {
    const hold *h = &out->item[k];
    double sum = 0;
    for (end = k + 1; end < out->n && holds_compare(&out->item[end], h) == 0; end++)
      ;
    if (end == k + 1 || h->j < 0 || hold_piece(p, h, 0)->kind == PL_PIECE_FACETS ||
        hold_piece(p, h, 1)->kind == PL_PIECE_FACETS)
      continue;
    for (int i = k; i < end; i++)
      sum += out->item[i].share = standing(p, at, &out->item[i]) + 1e-12;
    for (int i = k; i < end; i++) out->item[i].share /= sum;
  }
}

pl_status patch_contacts(patch *p, const pl_pose *at, const holds *old, holds *out, double *gap) {
  out->n = 0;
  p->nsearch++;
  PL_TRY(seek_all(p, at, out));
  if (out->n > 0) qsort(out->item, (size_t)out->n, sizeof *out->item, by_elements);
  PL_TRY(follow_all(p, at, old, out));
  *gap = p->range;
  for (int k = 0; k < out->n; k++) *gap = fmin(*gap, out->item[k].clear);
  hand_on(p, at, old, out);
  divide(p, out);
  refill(out);
  share_out(p, at, out);
  return PL_OK;
}

pl_status patch_open(pl_env *env, const pl_patch *in, double barrier, pl_threads *threads,
                     patch *p) {
  size_t n = (size_t)in->n;
  *p = (patch){.env = env, .in = in, .threads = threads};
  p->radius = pl_alloc(env, n, sizeof *p->radius);
  p->wire = pl_alloc(env, n, sizeof *p->wire);
  p->mass = pl_alloc(env, n, sizeof *p->mass);
  p->middle = pl_alloc(env, n, sizeof *p->middle);
  p->unknown = pl_alloc(env, n, sizeof *p->unknown);
  p->search = pl_alloc(env, 1, sizeof *p->search);
  if (!p->radius || !p->wire || !p->mass || !p->middle || !p->unknown || !p->search)
    return PL_E_NOMEM;
  PL_TRY(patch_measure(p));
  p->range = barrier * p->body;
  return PL_OK;
}

void patch_close(patch *p) {
  void *all[] = {p->radius, p->wire, p->mass, p->middle, p->unknown, p->search, p->near.pair};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) pl_free(p->env, all[k]);
}
