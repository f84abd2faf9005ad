#include "descent.h"

#include <float.h>
#include <string.h>

// Steps of a patch that change no link: how far they go, and how they are taken.

static const double SAFE = 0.95;    // part of the way to where centre lines might meet
static const double CAPACITY = 0.7; // of that, what a step is given before it is mended
static const double BOUNDARY = 0.1; // what a step leaves of every gap at least
static const double CLOSED = 0.02;  // of the smallest gap, what is left of it at least
static const double FAR = 6;        // balls that an element goes in a step at most
static const double FELL = 0.2;     // part of what slopes promise, of a mended step that is good
static const double MISFIT = 0.1;   // of a gap, that is let be
static const double MENDED = 2;     // thinnest wires that mending moves at most
static const double SHORT = 0.5;    // part of a step below which those in its way are damped
static const double SUMMED = 1e-5;  // of the weight, up to which energies of whole wires are known
static const double BLAMED = 0.1;   // part of it that is left to contacts that do not do as told
enum { FIXES = 4, TRIES = 4 };

static const double *rotation_of(const descent *d, int i, double w[3]) {
  int at = 6 * d->p.unknown[i];
  for (int c = 0; c < 3; c++) w[c] = at < 0 ? 0 : d->step[at + 3 + c] / d->p.radius[i];
  return w;
}

static void shift_of(const descent *d, int i, double u[3]) {
  int at = 6 * d->p.unknown[i];
  for (int c = 0; c < 3; c++) u[c] = at < 0 ? 0 : d->step[at + c];
}

// A screw: elements that turn together go on circles about one axis, and keep their distances.
static void move_one(void *ctx, int i, int thread) {
  const descent *d = ctx;
  (void)thread;
  double by = d->part, w[3], u[3], R[9], across[3], back[3];
  if (d->p.unknown[i] < 0) return;
  rotation_of(d, i, w);
  shift_of(d, i, u);
  double rot = pl_norm3(w), a = by * rot;
  double once = a > 1e-4 ? (1 - cos(a)) / (rot * rot) : by * by / 2;
  double twice = a > 1e-2 ? (a - sin(a)) / (rot * rot * rot) : by * by * by / 6 * (1 - a * a / 20);
  pl_cross3(w, u, across);
  pl_cross3(w, across, back);
  for (int c = 0; c < 3; c++)
    d->trial[i].x[c] = d->at[i].x[c] + by * u[c] + once * across[c] + twice * back[c];
  pl_rotation3(w, a, R);
  pl_mul3(R, d->at[i].Q, d->trial[i].Q);
}

static double travel(const descent *d, int i) {
  double w[3], u[3];
  rotation_of(d, i, w);
  shift_of(d, i, u);
  return pl_norm3(u) + d->p.radius[i] * pl_norm3(w);
}

// Largest part of a step for which a + b part <= most, a part + b part^2.
static double part_within(double a, double b, double most) {
  return 2 * most / fmax(a + sqrt(a * a + 4 * b * most), 1e-300);
}

// No rigid motion of both changes the distance of two points; seen from the mean turn of both it
// changes by no more than a t + b t^2.
static double pair_part(const descent *d, int i, int j, double apart) {
  if (!(apart > 0)) return 0;
  double wi[3], wj[3], ui[3], uj[3], mean[3], w[3], arm[3], convected[3], u[3];
  rotation_of(d, i, wi);
  rotation_of(d, j, wj);
  shift_of(d, i, ui);
  shift_of(d, j, uj);
  pl_sub3(wi, wj, w);
  pl_sub3(d->at[i].x, d->at[j].x, arm);
  for (int c = 0; c < 3; c++) mean[c] = (wi[c] + wj[c]) / 2;
  pl_cross3(mean, arm, convected);
  for (int c = 0; c < 3; c++) u[c] = ui[c] - uj[c] - convected[c];
  double a = pl_norm3(u) + pl_norm3(w) / 2 * (d->p.radius[i] + d->p.radius[j]);
  double b = pl_norm3(w) * (pl_norm3(ui) + pl_norm3(uj)) / 4;
  return part_within(a, b, apart);
}

// The part of the step that leaves all links as they are, whatever elements do in between: no two
// centre lines can meet. Pairs that are not near do not meet within `most`.
static double safe_part(const descent *d, double most) {
  double least = most;
  const patch *p = &d->p;
  int k = 0;
  for (int m = 0; m < p->near.n; m++) {
    int i = p->near.pair[m][0], j = p->near.pair[m][1];
    double w[3], gap = p->range;
    pl_sub3(d->at[i].x, d->at[j].x, w);
    gap = fmax(gap, pl_norm3(w) - p->radius[i] - p->radius[j]);
    while (k < d->now.n &&
           (d->now.item[k].i < i || (d->now.item[k].i == i && d->now.item[k].j < j)))
      k++;
    for (; k < d->now.n && d->now.item[k].i == i && d->now.item[k].j == j; k++)
      gap = fmin(gap, d->now.item[k].clear);
    double apart = SAFE * (gap + p->wire[i] + p->wire[j]) - d->fixed[i] - d->fixed[j];
    double part = pair_part(d, i, j, apart);
    least = fmin(least, part);
    d->limit[i] = fmin(d->limit[i], CAPACITY * part);
    d->limit[j] = fmin(d->limit[j], CAPACITY * part);
  }
  return least;
}

// obstacles are not passed through either; a plane has no other side
static double clear_part(const descent *d, double most) {
  double least = most;
  const patch *p = &d->p;
  for (int i = 0; i < p->in->n; i++)
    for (int o = 0; p->unknown[i] >= 0 && o < p->in->nobstacle; o++) {
      pl_gap g;
      if (p->in->obstacle[o].kind == &pl_obstacle_plane) continue;
      pl_obstacle_gap(&p->in->obstacle[o], 3, 0, d->at[i].x, p->radius[i], &g);
      double apart = SAFE * (fmax(g.gap, 0) + p->wire[i]) - d->fixed[i];
      least = fmin(least, apart / fmax(travel(d, i), 1e-300));
    }
  return least;
}

double descent_along(const descent *d, int k, const double *x) {
  const hold *h = &d->now.item[k];
  int end[2] = {d->p.unknown[h->i], h->j < 0 ? -1 : d->p.unknown[h->j]};
  double sum = 0;
  for (int e = 0; e < 2; e++)
    if (end[e] >= 0) sum += pl_dot(6, d->slope[k].g + 6 * e, x + 6 * end[e]);
  return sum;
}

void descent_spread(const descent *d, int k, double by, double *x) {
  const hold *h = &d->now.item[k];
  int end[2] = {d->p.unknown[h->i], h->j < 0 ? -1 : d->p.unknown[h->j]};
  for (int e = 0; e < 2; e++)
    for (int a = 0; end[e] >= 0 && a < 6; a++) x[6 * end[e] + a] += by * d->slope[k].g[6 * e + a];
}

// of a gap along the step
static double opening(const descent *d, int k) {
  return descent_along(d, k, d->step);
}

// no gap closes by more than most of it, as far as slopes tell
static double open_part(descent *d) {
  double least = 1;
  for (int k = 0; k < d->now.n; k++) {
    double by = opening(d, k);
    if (by >= 0) continue;
    const hold *h = &d->now.item[k];
    double part = (1 - BOUNDARY) * h->at.gap / -by;
    least = fmin(least, part);
    d->limit[h->i] = fmin(d->limit[h->i], part);
    if (h->j >= 0) d->limit[h->j] = fmin(d->limit[h->j], part);
  }
  return least;
}

static void follow_one(void *ctx, int k, int thread) {
  descent *d = ctx;
  hold h = d->now.item[k];
  double by[2], was = descent_barrier(h.at.gap, d->p.range, by), gap = h.at.gap;
  (void)thread;
  // the force holds the change of the repulsion here; NaN: the gap has closed
  if (!hold_follow(&d->p, d->trial, &h))
    h.force = 0;
  else if (h.at.gap < BOUNDARY / 2 * gap)
    h.force = NAN;
  else
    h.force = (h.at.gap < d->p.range ? descent_barrier(h.at.gap, d->p.range, by) : 0) - was;
  d->displaced.item[k] = h;
}

// A minimum that is none any more leads to another one, which is there already.
static int has_merged(const descent *d, int k) {
  const hold *h = &d->displaced.item[k];
  for (int side = -1; side <= 1; side += 2)
    for (int i = k + side; i >= 0 && i < d->now.n && holds_compare(h, &d->displaced.item[i]) == 0;
         i += side)
      if (!h->whole && !h->at.still && approach_separate(&h->at, &d->displaced.item[i].at) < 1e-5)
        return 1;
  return 0;
}

// How the energy changes from `at` to `trial`, in the contacts of `at`: contacts that come and go
// on the way are left out, so that the change is one of a smooth function.
static double change(descent *d) {
  double sum = 0;
  pl_threads_run(d->p.threads, d->now.n, follow_one, d);
  for (int k = 0; k < d->now.n; k++)
    if (!has_merged(d, k)) sum += d->weight * d->now.item[k].share * d->displaced.item[k].force;
  for (int i = 0; i < d->p.in->n; i++) {
    if (d->p.unknown[i] < 0) continue;
    double was[3], is[3];
    pl_apply3(d->at[i].Q, d->p.middle[i], was);
    pl_apply3(d->trial[i].Q, d->p.middle[i], is);
    for (int c = 0; c < 3; c++) {
      double dx = d->trial[i].x[c] - d->at[i].x[c], g = d->p.mass[i] * d->p.in->gravity[c];
      sum -= g * (dx + is[c] - was[c]) + (d->p.in->load ? d->p.in->load[i][c] * dx : 0);
    }
  }
  for (int i = 0; d->aim && i < d->p.in->n; i++)
    if (d->p.unknown[i] >= 0) sum += descent_inertia_change(d, i);
  for (int k = 0; k < d->nrub; k++) sum += descent_rub_change(d, &d->rub[k]);
  return isfinite(sum) ? sum : DBL_MAX;
}

// multipliers go along with the step
static void transport_forces(descent *d, double by) {
  d->displaced.n = d->now.n;
  for (int k = 0; k < d->now.n; k++) {
    const hold *h = &d->now.item[k];
    double slope[2];
    descent_barrier(h->at.gap, d->p.range, slope);
    double bend = h->force * slope[1] / -slope[0];
    d->displaced.item[k] = *h;
    d->displaced.item[k].force += by * (descent_push(d, h) - h->force - bend * opening(d, k));
  }
}

void descent_bound(const descent *d, holds *all) {
  for (int k = 0; k < all->n; k++) {
    hold *h = &all->item[k];
    double f = descent_push(d, h);
    h->force = isfinite(h->force) ? fmin(fmax(h->force, 0.1 * f), 10 * f) : f;
  }
}

// ---- gaps along a step are curved ---------------------------------------------------------------

static void gap_one(void *ctx, int k, int thread) {
  descent *d = ctx;
  hold h = d->now.item[k];
  (void)thread;
  int there = hold_follow(&d->p, d->trial, &h);
  double wanted = fmax(d->now.item[k].at.gap + d->part * opening(d, k), 0);
  // the force holds what the gap is off by
  h.force = there ? h.at.gap - wanted : 0;
  d->displaced.item[k] = h;
}

// The fix in axes that have turned with the elements.
static void fix_one(void *ctx, int i, int thread) {
  descent *d = ctx;
  int at = 6 * d->p.unknown[i];
  double R[9], u[3], w[3], rot[9], Q[9];
  (void)thread;
  if (at < 0) return;
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) R[3 * a + b] = pl_dot3(d->trial[i].Q + 3 * a, d->at[i].Q + 3 * b);
  pl_apply3(R, d->fix + at, u);
  pl_apply3(R, d->fix + at + 3, w);
  d->fixed[i] += pl_norm3(u) + pl_norm3(w);
  for (int c = 0; c < 3; c++) {
    d->trial[i].x[c] += u[c];
    w[c] /= d->p.radius[i];
  }
  pl_rotation3(w, pl_norm3(w), rot);
  memcpy(Q, d->trial[i].Q, sizeof Q);
  pl_mul3(rot, Q, d->trial[i].Q);
}

// worst gap over what slopes tell of it
static double misfit(const descent *d) {
  double worst = 0;
  for (int k = 0; k < d->now.n; k++) {
    const hold *h = &d->now.item[k];
    double wanted = fmax(h->at.gap + d->part * opening(d, k), BOUNDARY * h->at.gap);
    worst = fmax(worst, fabs(d->displaced.item[k].force) / wanted);
  }
  return worst;
}

// Gaps are brought to where slopes say that they are, with the curvatures at hand.
static pl_status fix_gaps(descent *d) {
  double before = INFINITY;
  memset(d->fixed, 0, (size_t)d->p.in->n * sizeof *d->fixed);
  for (int round = 0; round < FIXES; round++) {
    d->displaced.n = d->now.n;
    pl_threads_run(d->p.threads, d->now.n, gap_one, d);
    double worst = misfit(d);
    if (worst < MISFIT || worst > before) return PL_OK;
    before = worst;
    memset(d->fix, 0, 6 * (size_t)d->p.nfree * sizeof *d->fix);
    for (int k = 0; k < d->now.n; k++) {
      const hold *h = &d->now.item[k];
      int end[2] = {d->p.unknown[h->i], h->j < 0 ? -1 : d->p.unknown[h->j]};
      double slope[2];
      descent_barrier(h->at.gap, d->p.range, slope);
      double by = h->force * slope[1] / slope[0] * d->displaced.item[k].force;
      for (int e = 0; e < 2; e++)
        for (int a = 0; end[e] >= 0 && a < 6; a++)
          d->fix[6 * end[e] + a] += by * d->slope[k].g[6 * e + a];
    }
    PL_TRY(pl_factor_solve(d->K.factor, 1, d->fix, d->fix));
    pl_threads_run(d->p.threads, d->p.in->n, fix_one, d);
  }
  return PL_OK;
}

static pl_status grow_displaced(descent *d) {
  if (d->displaced.cap >= d->now.n) return PL_OK;
  hold *more = pl_realloc(d->p.env, d->displaced.item, (size_t)d->now.cap, sizeof *more);
  if (!more) return PL_E_NOMEM;
  d->displaced.item = more;
  d->displaced.cap = d->now.cap;
  return PL_OK;
}

static void swap_states(descent *d) {
  pl_pose *at = d->at;
  holds now = d->now;
  d->at = d->trial;
  d->trial = at;
  d->now = d->next;
  d->next = now;
}

// pairs that may meet on the way, and the part of the step that is sure to meet no others
static pl_status look_ahead(descent *d, double *part) {
  double most = 0;
  for (int i = 0; i < d->p.in->n; i++)
    if (d->p.unknown[i] >= 0) most = fmax(most, travel(d, i));
  *part = fmin(1, FAR * d->p.ball / fmax(most, 1e-300));
  return patch_near(&d->p, d->at, d->p.range + 2 * (*part * most + MENDED * d->p.thin));
}

// what mends a step leaves all links as they are, too
static int is_mended(const descent *d) {
  for (int i = 0; i < d->p.in->n; i++)
    if (d->fixed[i] > MENDED * d->p.thin) return 0;
  return clear_part(d, safe_part(d, d->part)) >= d->part;
}

// With the curvature of gaps taken back where the energy falls well so, else as it is.
static pl_status go_on(descent *d, int *good) {
  double slope = -d->left;
  if (d->mend) {
    pl_threads_run(d->p.threads, d->p.in->n, move_one, d);
    PL_TRY(fix_gaps(d));
    *good = change(d) <= FELL * d->part * slope && is_mended(d);
    if (*good) return PL_OK;
  }
  memset(d->fixed, 0, (size_t)d->p.in->n * sizeof *d->fixed);
  pl_threads_run(d->p.threads, d->p.in->n, move_one, d);
  double known = d->p.whole ? SUMMED : 1e-12;
  *good = change(d) <= 1e-4 * d->part * slope + known * d->weight;
  return PL_OK;
}

static pl_status how_far(descent *d, double *by) {
  PL_TRY(look_ahead(d, by));
  for (int i = 0; i < d->p.in->n; i++) d->limit[i] = 1;
  memset(d->fixed, 0, (size_t)d->p.in->n * sizeof *d->fixed);
  *by = fmin(CAPACITY * clear_part(d, safe_part(d, *by / CAPACITY)), open_part(d));
  return PL_OK;
}

static void blame(descent *d, int i, int j) {
  d->limit[i] = fmin(d->limit[i], BLAMED);
  if (j >= 0) d->limit[j] = fmin(d->limit[j], BLAMED);
}

// What the energy of a contact rises by beyond its slope; infinite where its gap closes.
static double excess(const descent *d, int k) {
  const hold *h = &d->now.item[k];
  double by = d->displaced.item[k].force;
  if (isnan(by)) return INFINITY;
  return d->weight * h->share * by + d->part * opening(d, k) * descent_push(d, h);
}

// contacts because of which the energy does not fall
static void blame_contacts(descent *d) {
  double most = 0;
  for (int k = 0; k < d->now.n; k++) most = fmax(most, fmin(excess(d, k), DBL_MAX));
  for (int k = 0; k < d->now.n; k++)
    if (excess(d, k) > 0.1 * most) blame(d, d->now.item[k].i, d->now.item[k].j);
}

// contacts of the next state that are closed
static void blame_closed(descent *d) {
  for (int k = 0; k < d->next.n; k++)
    if (!(d->next.item[k].clear > CLOSED * d->gap)) blame(d, d->next.item[k].i, d->next.item[k].j);
}

// Elements that would go too far are damped; 0: there are none.
static int hold_back(descent *d) {
  int n = 0;
  for (int i = 0; i < d->p.in->n; i++)
    if (d->limit[i] < SHORT) {
      n++;
      d->damp[i] = fmin(d->damp[i] * fmin(fmax(0.7 / d->limit[i], 2), 7), 1e12);
    }
  return n;
}

// Tries a part of the step; *good: it is one to go.
static pl_status try_part(descent *d, double by, int *good, double *gap) {
  d->part = by;
  PL_TRY(go_on(d, good));
  if (!*good) {
    blame_contacts(d);
    return PL_OK;
  }
  transport_forces(d, by);
  PL_TRY(patch_contacts(&d->p, d->trial, &d->displaced, &d->next, gap));
  *good = *gap > CLOSED * d->gap;
  if (!*good) blame_closed(d);
  return PL_OK;
}

static void accept_step(descent *d, double gap) {
  for (int i = 0; i < d->p.in->n; i++)
    if (d->limit[i] > 0.9) d->damp[i] = fmax(1, 0.3 * d->damp[i]);
  descent_bound(d, &d->next);
  swap_states(d);
  d->gap = gap;
}

// Few elements must not keep all others: they are damped and the step is solved for anew, before it
// is shortened for all.
pl_status descent_step(descent *d, double *by) {
  double cut = 1, gap;
  PL_TRY(grow_displaced(d));
  for (int tries = 0;; tries++) {
    PL_TRY(how_far(d, by));
    if (*by < SHORT && tries < TRIES && hold_back(d) > 0) {
      PL_TRY(descent_damp(d));
      continue;
    }
    *by *= cut;
    if (*by < 1e-10) break;
    int good;
    PL_TRY(try_part(d, *by, &good, &gap));
    if (good) {
      accept_step(d, gap);
      return PL_OK;
    }
    if (tries >= TRIES) cut /= 2;
    if (tries < 2 * TRIES && hold_back(d) > 0) PL_TRY(descent_damp(d));
  }
  *by = 0;
  return PL_OK;
}
