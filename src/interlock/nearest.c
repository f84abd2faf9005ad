#include "descent.h"

#include <stdio.h>
#include <string.h>

// The state of a patch that is nearest to where its origins are wanted: springs of 1 N/m draw them
// there while every gap repels with a weight that goes to zero.

static const double STIFF = 1;    // N/m; nothing else pulls, so that any will do
static const double FALL = 0.2;   // of the weight, from one to the next
static const double ENOUGH = 0.2; // left over the weight, a contact, before the next
static const double LAST = 1e-3;  // the same at the last weight
static const double STUCK = 1e5;  // shift at which a weight is given up
static const double LEAST = 1e-5; // shift that is kept
enum { ROUGH = 40 };              // iterations of a weight that is not the last

typedef struct approach {
  descent d;
  pl_patch still; // without gravity and loads
  const pl_rest_opts *o;
  body_aim *aim; // [n]
} approach;

// in the mean
static double far_off(const descent *d, const double (*want)[3]) {
  double sum = 0;
  for (int i = 0; i < d->p.in->n; i++) {
    double w[3];
    pl_sub3(want[i], d->at[i].x, w);
    sum += pl_norm3(w) / d->p.in->n;
  }
  return sum;
}

// Origins are drawn, not centres of mass: sheets go through origins, about which elements turn as
// they like.
static pl_status approach_open(approach *a, pl_env *env, const pl_patch *in,
                               const double (*want)[3], pl_threads *threads) {
  descent *d = &a->d;
  a->still = *in;
  a->still.load = NULL;
  // only springs pull, once it is open
  memcpy(a->still.gravity, (const double[]){0, 0, -1}, sizeof a->still.gravity);
  pl_status s = descent_open(d, env, &a->still, a->o->barrier, 1, threads);
  memset(a->still.gravity, 0, sizeof a->still.gravity);
  PL_TRY(s);
  a->aim = pl_alloc(env, (size_t)in->n, sizeof *a->aim);
  if (!a->aim) return PL_E_NOMEM;
  for (int i = 0; i < in->n; i++) {
    a->aim[i] = (body_aim){.stiff = STIFF};
    memcpy(a->aim[i].aim, want[i], sizeof a->aim[i].aim);
  }
  memset(d->p.middle, 0, (size_t)in->n * sizeof *d->p.middle);
  d->aim = a->aim;
  double off = far_off(d, want);
  d->force = STIFF * fmax(off, d->p.thin);
  d->unit = d->force * d->p.thin;
  return PL_OK;
}

static pl_status emit(const approach *a, double part) {
  char text[96];
  const descent *d = &a->d;
  snprintf(text, sizeof text, "iteration %d, gap %.2g m", d->iterations, d->gap);
  return pl_report_progress(d->p.env, "nearest", part, text);
}

// The minimum for one weight, from where the state is; *met: it is.
static pl_status centre(approach *a, double part, int last, int *met) {
  descent *d = &a->d;
  *met = 0;
  for (int i = 0; d->iterations < a->o->max_iter && (last || i < ROUGH); i++) {
    double by;
    PL_TRY(emit(a, part));
    pl_status s = descent_direction(d);
    if (s == PL_UNSOLVED) return PL_OK;
    PL_TRY(s);
    *met = d->left < (last ? LAST : ENOUGH) * d->weight * fmax(d->now.n, 1);
    if (*met) return PL_OK;
    s = descent_step(d, &by);
    if (s == PL_UNSOLVED) return PL_OK;
    PL_TRY(s);
    d->iterations++;
    d->shift *= by > 0.3 ? 0.3 : by < 0.05 ? 8 : 1;
    d->shift = fmax(d->shift, LEAST);
    // where minima of gaps split and merge the energy has kinks
    if (by == 0 || d->shift > STUCK) return PL_OK;
  }
  return PL_OK;
}

static pl_status follow_path(approach *a, int *met) {
  descent *d = &a->d;
  double first = d->unit, end = a->o->weight * STIFF * d->p.thin * d->p.thin;
  d->shift = 1;
  d->mend = 1;
  for (d->weight = first;; d->weight = fmax(d->weight * FALL, end)) {
    int last = d->weight <= end;
    if (d->weight == first)
      for (int k = 0; k < d->now.n; k++) d->now.item[k].force = NAN;
    descent_bound(d, &d->now);
    d->shift = fmin(d->shift, 1);
    d->twist = sqrt(d->weight / first);
    PL_TRY(centre(a, log(first / d->weight) / (log(first / end) + 1), last, met));
    if (last || d->iterations >= a->o->max_iter) return PL_OK;
  }
}

static void measure(const descent *d, const double (*want)[3], pl_nearest *out) {
  int n = d->p.in->n;
  memcpy(out->pose, d->at, (size_t)n * sizeof *out->pose);
  for (int i = 0; i < n; i++) {
    double w[3];
    pl_sub3(d->at[i].x, want[i], w);
    double off = pl_norm3(w);
    out->most = fmax(out->most, off);
    out->mean += off / n;
  }
  // what springs have yet to gain, were it all by one element
  out->left = sqrt(2 * fmax(d->left, 0) / STIFF);
  out->gap = d->gap;
  out->iterations = d->iterations;
}

pl_status pl_patch_nearest(pl_env *env, const pl_patch *p, const double (*want)[3],
                           const pl_rest_opts *o, pl_threads *threads, pl_nearest *out) {
  approach a = {.o = o};
  int met = 0;
  *out = (pl_nearest){0};
  PL_TRY(pl_opts_check(env, pl_rest_option_table, pl_rest_option_count, o));
  pl_status s = approach_open(&a, env, p, want, threads);
  if (s == PL_OK) s = follow_path(&a, &met);
  if (s == PL_OK && !(out->pose = pl_alloc(env, (size_t)p->n, sizeof *out->pose))) s = PL_E_NOMEM;
  if (s == PL_OK) measure(&a.d, want, out);
  if (s == PL_OK && !met) s = PL_UNSOLVED;
  descent_close(&a.d);
  pl_free(env, a.aim);
  if (s != PL_OK && s != PL_UNSOLVED) pl_nearest_free(env, out);
  return s;
}

void pl_nearest_free(pl_env *env, pl_nearest *a) {
  pl_free(env, a->pose);
  *a = (pl_nearest){0};
}
