#include "descent.h"

#include <string.h>

// What a way to rest is kept by: a list of numbers from which it goes on with the same bits. What
// depends on the way besides (the pattern of the matrix, the list of near pairs) is made anew where
// it is kept as well.

typedef enum { HEAD = 13, POSE = 12, HOLD = 16 } count;

static size_t size_of(int n, int nhold) {
  return HEAD + (size_t)n * (POSE + 1) + (size_t)nhold * HOLD;
}

static pl_status start_anew(descent *d) {
  blocks_free(d->p.env, &d->K);
  return patch_near(&d->p, d->at, d->p.range);
}

static void put_hold(const hold *h, double *to) {
  const double all[HOLD] = {h->i,       h->j,        h->piece[0], h->piece[1],
                            h->at.u[0], h->at.u[1],  h->at.u[2],  h->at.u[3],
                            h->at.gap,  h->at.on[0], h->at.on[1], h->at.still,
                            h->force,   h->share,    h->whole,    h->clear};
  memcpy(to, all, sizeof all);
}

// a whole number within a range; 0: it is none
static int store_array(double x, int lo, int hi, int *to) {
  if (!(x >= lo && x < hi) || x != floor(x)) return 0;
  *to = (int)x;
  return 1;
}

static int part_count(const pl_piece *p) {
  return p->kind == PL_PIECE_FACETS ? facets_count(p->facets) : 1;
}

static int store_hold(const patch *p, const double *x, hold *h) {
  *h = (hold){.at = {.u = {x[4], x[5], x[6], x[7]}, .gap = x[8]},
              .force = x[12],
              .share = x[13],
              .clear = x[15]};
  for (int k = 4; k < HOLD; k++)
    if (!isfinite(x[k])) return 0;
  if (!store_array(x[0], 0, p->in->n, &h->i) ||
      !store_array(x[1], -p->in->nobstacle, p->in->n, &h->j) ||
      !store_array(x[2], 0, p->in->elem[h->i]->npiece, &h->piece[0]) ||
      !store_array(x[3], 0, h->j < 0 ? 1 : p->in->elem[h->j]->npiece, &h->piece[1]))
    return 0;
  const pl_piece *a = hold_piece(p, h, 0), *b = h->j < 0 ? a : hold_piece(p, h, 1);
  return store_array(x[9], 0, part_count(a), &h->at.on[0]) &&
         (h->j < 0 ? store_array(x[10], 0, 1 << 30, &h->at.on[1])
                   : store_array(x[10], 0, part_count(b), &h->at.on[1])) &&
         store_array(x[11], 0, 2, &h->at.still) && store_array(x[14], 0, 1 + p->whole, &h->whole);
}

pl_status rest_keep(descent *d, const rest_course *c, const pl_rest_keeper *keeper) {
  int n = d->p.in->n;
  size_t size = size_of(n, d->now.n);
  PL_TRY(start_anew(d));
  if (!keeper || !keeper->keep) return PL_OK;
  double *x = pl_alloc(d->p.env, size, sizeof *x), *to = x + HEAD;
  if (!x) return PL_E_NOMEM;
  const double head[HEAD] = {n,       d->now.n,      d->weight,  d->shift,     d->gap,
                             d->left, d->iterations, d->factors, d->p.nsearch, c->best,
                             c->i,    c->since,      c->tries};
  memcpy(x, head, sizeof head);
  for (int i = 0; i < n; i++, to += POSE + 1) {
    memcpy(to, d->at[i].x, 3 * sizeof *to);
    memcpy(to + 3, d->at[i].Q, 9 * sizeof *to);
    to[POSE] = d->damp[i];
  }
  for (int k = 0; k < d->now.n; k++, to += HOLD) put_hold(&d->now.item[k], to);
  pl_status s = keeper->keep(keeper->ctx, size, x);
  pl_free(d->p.env, x);
  return s;
}

static int store_all(descent *d, size_t size, const double *x, rest_course *c) {
  int n = d->p.in->n, nhold;
  const int most = 1 << 30;
  if (size < HEAD || x[0] != n || !store_array(x[1], 0, most / HOLD, &nhold) ||
      size != size_of(n, nhold))
    return 0;
  for (size_t k = 0; k < size; k++)
    if (!isfinite(x[k])) return 0;
  if (!store_array(x[6], 0, most, &d->iterations) || !store_array(x[7], 0, most, &d->factors) ||
      !store_array(x[8], 0, most, &d->p.nsearch) || !store_array(x[10], 0, most, &c->i) ||
      !store_array(x[11], 0, most, &c->since) || !store_array(x[12], 0, most, &c->tries))
    return 0;
  d->weight = x[2];
  d->shift = x[3];
  d->gap = x[4];
  d->left = x[5];
  c->best = x[9];
  const double *from = x + HEAD;
  for (int i = 0; i < n; i++, from += POSE + 1) {
    memcpy(d->at[i].x, from, 3 * sizeof *from);
    memcpy(d->at[i].Q, from + 3, 9 * sizeof *from);
    d->trial[i] = d->at[i];
    d->damp[i] = from[POSE];
  }
  for (d->now.n = 0; d->now.n < nhold; d->now.n++, from += HOLD)
    if (!store_hold(&d->p, from, &d->now.item[d->now.n])) return 0;
  return d->weight > 0 && d->shift > 0 && d->gap > 0;
}

pl_status rest_load(descent *d, size_t n, const double *x, rest_course *c) {
  size_t nhold = n > HEAD ? (n - HEAD) / HOLD : 0;
  if (nhold > (size_t)d->now.cap) {
    hold *more = pl_realloc(d->p.env, d->now.item, nhold, sizeof *more);
    if (!more) return PL_E_NOMEM;
    d->now.item = more;
    d->now.cap = (int)nhold;
  }
  if (!store_all(d, n, x, c))
    return pl_fail(d->p.env, PL_E_INPUT, "what was kept of the way to rest is of another patch");
  return start_anew(d);
}
