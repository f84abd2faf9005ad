#include "patch_impl.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

// A patch at rest, on the central path of a barrier: gravity and loads pull while every gap repels
// with a weight that goes to zero. Multipliers of the gaps are followed beside the motion, which
// makes long steps good when the weight falls.

static const double SAFE = 0.9;      // part of the way to where centre lines might meet
static const double BOUNDARY = 0.1;  // what a step leaves of every gap at least
static const double FAR = 6;         // balls that an element goes in a step at most
static const double FALL = 0.2;      // of the weight, from one to the next
static const double STUCK = 1e5;     // shift at which a weight is given up
static const double BALANCED = 1e-5; // force and moment that are left, where that is enough
static const double REST = 1e-3;     // force that may be left of a mean element's
static const double BOWED = 1;       // shift up to which exact curvatures are tried
enum { SETTLED = 8, ROUGH = 40, LAST = 200 }; // iterations of a weight

typedef struct rest {
  patch p;
  const pl_rest_opts *o;
  double force, unit; // of a mean element (N); the energy of it over the thinnest wire (J)
  double weight;      // of the repulsion (J)
  double shift;       // of the curvature over unit / thin^2
  pl_pose *at, *trial;
  holds now, next, moved; // contacts of both states; those of `now` in the other one
  double gap;
  int cap_slope;
  slopes *slope;    // [now.n]
  double *grad;     // [6 nfree]
  double *step;     // [6 nfree]
  double *diagonal; // [6 nfree] without a shift
  blocks K;
  double left, part; // what a whole step would gain (J); how much of it is tried
  pl_rest *out;
} rest;

// -(1 - x)^2 log x with x = gap / reach, and its derivatives by the gap
static double barrier(double gap, double reach, double d[2]) {
  double x = gap / reach, y = 1 - x, l = log(x);
  d[0] = (2 * y * l - y * y / x) / reach;
  d[1] = (-2 * l + 4 * y / x + y * y / (x * x)) / (reach * reach);
  return -y * y * l;
}

// ---- forces and curvatures
// ------------------------------------------------------------------------

static void turned(const double *Q, const double *v, double *out) {
  for (int k = 0; k < 3; k++) out[k] = pl_dot3(Q + 3 * k, v);
}

static void pull(const rest *r, int i, double out[3]) {
  for (int c = 0; c < 3; c++)
    out[c] = r->p.mass[i] * r->p.in->gravity[c] + (r->p.in->load ? r->p.in->load[i][c] : 0);
}

static void slope_one(void *ctx, int k, int thread) {
  rest *r = ctx;
  (void)thread;
  hold_slopes(&r->p, r->at, &r->now.item[k], &r->slope[k]);
}

static void add_gravity(rest *r, int i, int bends) {
  int at = 6 * r->p.unknown[i];
  double F[3], arm[3], torque[3], weight[3], H[6][6] = {0}, unit = 1 / r->p.radius[i];
  pull(r, i, F);
  turned(r->at[i].Q, r->p.middle[i], arm);
  for (int c = 0; c < 3; c++) weight[c] = r->p.mass[i] * r->p.in->gravity[c];
  pl_cross3(arm, weight, torque);
  for (int c = 0; c < 3; c++) {
    r->grad[at + c] -= F[c];
    r->grad[at + 3 + c] -= unit * torque[c];
  }
  if (!bends) return;
  double level = pl_dot3(arm, weight);
  for (int c = 0; c < 3; c++)
    for (int d = 0; d < 3; d++)
      H[3 + c][3 + d] = (c == d) * level - (arm[c] * weight[d] + weight[c] * arm[d]) / 2;
  blocks_add(&r->K, r->p.unknown[i], r->p.unknown[i], unit * unit, &H[0][0], 6);
}

// A force on a gap, with a curvature along it, and as it turns with the elements.
static void add_contact(rest *r, int k, double force, double bend, double turn) {
  const hold *h = &r->now.item[k];
  const slopes *s = &r->slope[k];
  int end[2] = {r->p.unknown[h->i], h->j < 0 ? -1 : r->p.unknown[h->j]};
  double H[12][12];
  for (int a = 0; a < 12; a++)
    for (int b = 0; b < 12; b++) H[a][b] = bend * s->g[a] * s->g[b] - turn * s->H[a][b];
  for (int e = 0; e < 2; e++) {
    if (end[e] < 0) continue;
    for (int a = 0; a < 6; a++) r->grad[6 * end[e] + a] -= force * s->g[6 * e + a];
    for (int f = 0; f < 2; f++) blocks_add(&r->K, end[e], end[f], 1, &H[6 * e][6 * f], 12);
  }
}

static void clear(rest *r) {
  memset(r->grad, 0, 6 * (size_t)r->p.nfree * sizeof *r->grad);
  memset(r->K.A.val, 0, ((size_t)r->K.A.nnz + 1) * sizeof *r->K.A.val);
}

// what the repulsion makes of a gap
static double push(const rest *r, const hold *h) {
  double d[2];
  barrier(h->at.gap, r->p.reach, d);
  return -r->weight * h->share * d[0];
}

// The curvature along a gap is that of the repulsion whose force is the multiplier.
static void add_repulsion(rest *r, int k) {
  const hold *h = &r->now.item[k];
  double d[2];
  barrier(h->at.gap, r->p.reach, d);
  add_contact(r, k, push(r, h), h->force * d[1] / -d[0], h->force);
}

static pl_status room_for_slopes(rest *r) {
  if (r->now.n <= r->cap_slope) return PL_OK;
  int cap = 2 * r->now.n;
  slopes *more = pl_realloc(r->p.env, r->slope, (size_t)cap, sizeof *more);
  if (!more) return PL_E_NOMEM;
  r->slope = more;
  r->cap_slope = cap;
  return PL_OK;
}

static void gather(rest *r) {
  clear(r);
  for (int i = 0; i < r->p.in->n; i++)
    if (r->p.unknown[i] >= 0) add_gravity(r, i, 1);
  for (int k = 0; k < r->now.n; k++) add_repulsion(r, k);
  for (int k = 0; k < 6 * r->p.nfree; k++) r->diagonal[k] = *pl_csc_diagonal(&r->K.A, k);
}

static pl_status assemble(rest *r) {
  PL_TRY(room_for_slopes(r));
  pl_threads_run(r->p.threads, r->now.n, slope_one, r);
  PL_TRY(blocks_fit(&r->p, &r->now, &r->K));
  gather(r);
  return PL_OK;
}

// ---- curvatures that are all positive
// -------------------------------------------------------------

// A contact's curvature without its negative parts. What is left of the gap's is kept in place of
// it.
static void project_one(void *ctx, int k, int thread) {
  rest *r = ctx;
  const hold *h = &r->now.item[k];
  slopes *s = &r->slope[k];
  double d[2], A[144], lambda[12], V[144];
  int n = h->j < 0 ? 6 : 12;
  (void)thread;
  barrier(h->at.gap, r->p.reach, d);
  double bend = h->force * d[1] / -d[0];
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) A[a * n + b] = bend * s->g[a] * s->g[b] - h->force * s->H[a][b];
  pl_eig(n, A, lambda, V);
  for (int e = 0; e < n && lambda[e] < 0; e++)
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n; b++) s->H[a][b] += lambda[e] / h->force * V[e * n + a] * V[e * n + b];
}

// ---- steps
// ----------------------------------------------------------------------------------------

// Newton's step with a shift of curvatures; PL_SINGULAR: they are not all positive.
static pl_status solve_step(rest *r) {
  int n = 6 * r->p.nfree;
  double stiff = r->unit / (r->p.thin * r->p.thin), top = 0;
  for (int k = 0; k < n; k++) top = fmax(top, fabs(r->diagonal[k]));
  r->shift = fmax(r->shift, fmax(1e-9, 1e-14 * top / stiff));
  for (int k = 0; k < n; k++) {
    *pl_csc_diagonal(&r->K.A, k) = r->diagonal[k] + r->shift * stiff;
    r->step[k] = -r->grad[k];
  }
  r->out->factors++;
  PL_TRY(pl_factor_numeric(r->K.factor, &r->K.A));
  return pl_factor_solve(r->K.factor, 1, r->step, r->step);
}

// With exact curvatures where a small shift makes them positive, else without their negative parts.
static pl_status direction(rest *r) {
  double shift = r->shift;
  pl_status s = PL_SINGULAR;
  for (; s == PL_SINGULAR && r->shift <= fmax(shift, BOWED); r->shift *= 3) {
    s = solve_step(r);
    if (s == PL_OK) return s;
  }
  if (s != PL_SINGULAR) return s;
  r->shift = shift;
  pl_threads_run(r->p.threads, r->now.n, project_one, r);
  gather(r);
  for (s = solve_step(r); s == PL_SINGULAR && r->shift < 1e12; s = solve_step(r)) r->shift *= 8;
  return s == PL_SINGULAR ? PL_UNSOLVED : s;
}

static const double *turn_of(const rest *r, int i, double w[3]) {
  int at = 6 * r->p.unknown[i];
  for (int c = 0; c < 3; c++) w[c] = at < 0 ? 0 : r->step[at + 3 + c] / r->p.radius[i];
  return w;
}

static void shift_of(const rest *r, int i, double u[3]) {
  int at = 6 * r->p.unknown[i];
  for (int c = 0; c < 3; c++) u[c] = at < 0 ? 0 : r->step[at + c];
}

// A screw: elements that turn together go on circles about one axis, and keep their distances.
static void move_one(void *ctx, int i, int thread) {
  const rest *r = ctx;
  (void)thread;
  double by = r->part, w[3], u[3], R[9], across[3], back[3];
  if (r->p.unknown[i] < 0) return;
  turn_of(r, i, w);
  shift_of(r, i, u);
  double turn = pl_norm3(w), a = by * turn;
  double once = a > 1e-4 ? (1 - cos(a)) / (turn * turn) : by * by / 2;
  double twice =
      a > 1e-2 ? (a - sin(a)) / (turn * turn * turn) : by * by * by / 6 * (1 - a * a / 20);
  pl_cross3(w, u, across);
  pl_cross3(w, across, back);
  for (int c = 0; c < 3; c++)
    r->trial[i].x[c] = r->at[i].x[c] + by * u[c] + once * across[c] + twice * back[c];
  pl_rotation3(w, a, R);
  pl_mul3(R, r->at[i].Q, r->trial[i].Q);
}

static double travel(const rest *r, int i) {
  double w[3], u[3];
  turn_of(r, i, w);
  shift_of(r, i, u);
  return pl_norm3(u) + r->p.radius[i] * pl_norm3(w);
}

// Largest part of a step for which a + b part <= most, a part + b part^2.
static double part_within(double a, double b, double most) {
  return 2 * most / fmax(a + sqrt(a * a + 4 * b * most), 1e-300);
}

// No rigid motion of both changes the distance of two points; seen from the mean turn of both it
// changes by no more than a t + b t^2.
static double pair_part(const rest *r, int i, int j, double apart) {
  double wi[3], wj[3], ui[3], uj[3], mean[3], w[3], arm[3], carried[3], u[3];
  turn_of(r, i, wi);
  turn_of(r, j, wj);
  shift_of(r, i, ui);
  shift_of(r, j, uj);
  pl_sub3(wi, wj, w);
  pl_sub3(r->at[i].x, r->at[j].x, arm);
  for (int c = 0; c < 3; c++) mean[c] = (wi[c] + wj[c]) / 2;
  pl_cross3(mean, arm, carried);
  for (int c = 0; c < 3; c++) u[c] = ui[c] - uj[c] - carried[c];
  double a = pl_norm3(u) + pl_norm3(w) / 2 * (r->p.radius[i] + r->p.radius[j]);
  double b = pl_norm3(w) * (pl_norm3(ui) + pl_norm3(uj)) / 4;
  return part_within(a, b, SAFE * apart);
}

// The part of the step that leaves all links as they are, whatever elements do in between: no two
// centre lines can meet. Pairs that are not near do not meet within `most`.
static double safe_part(const rest *r, double most) {
  double least = most;
  const patch *p = &r->p;
  int k = 0;
  for (int m = 0; m < p->near.n; m++) {
    int i = p->near.pair[m][0], j = p->near.pair[m][1];
    double w[3], gap = p->reach;
    pl_sub3(r->at[i].x, r->at[j].x, w);
    gap = fmax(gap, pl_norm3(w) - p->radius[i] - p->radius[j]);
    while (k < r->now.n &&
           (r->now.item[k].i < i || (r->now.item[k].i == i && r->now.item[k].j < j)))
      k++;
    for (; k < r->now.n && r->now.item[k].i == i && r->now.item[k].j == j; k++)
      gap = fmin(gap, r->now.item[k].at.gap);
    least = fmin(least, pair_part(r, i, j, gap + p->wire[i] + p->wire[j]));
  }
  return least;
}

// obstacles are not passed through either; a plane has no other side
static double clear_part(const rest *r) {
  double least = 1;
  const patch *p = &r->p;
  for (int i = 0; i < p->in->n; i++)
    for (int o = 0; p->unknown[i] >= 0 && o < p->in->nobstacle; o++) {
      pl_gap g;
      if (p->in->obstacle[o].kind == &pl_obstacle_plane) continue;
      pl_obstacle_gap(&p->in->obstacle[o], 3, 0, r->at[i].x, p->radius[i], &g);
      double apart = fmax(g.gap, 0) + p->wire[i];
      least = fmin(least, SAFE * apart / fmax(travel(r, i), 1e-300));
    }
  return least;
}

// how fast a gap opens along the step
static double opening(const rest *r, int k) {
  const hold *h = &r->now.item[k];
  int end[2] = {r->p.unknown[h->i], h->j < 0 ? -1 : r->p.unknown[h->j]};
  double sum = 0;
  for (int e = 0; e < 2; e++)
    if (end[e] >= 0) sum += pl_dot(6, r->slope[k].g + 6 * e, r->step + 6 * end[e]);
  return sum;
}

// no gap closes by more than most of it, as far as slopes tell
static double open_part(const rest *r) {
  double least = 1;
  for (int k = 0; k < r->now.n; k++) {
    double by = opening(r, k);
    if (by < 0) least = fmin(least, (1 - BOUNDARY) * r->now.item[k].at.gap / -by);
  }
  return least;
}

static void follow_one(void *ctx, int k, int thread) {
  rest *r = ctx;
  hold h = r->now.item[k];
  double d[2], was = barrier(h.at.gap, r->p.reach, d), gap = h.at.gap;
  (void)thread;
  // the force holds the change of the repulsion here; NaN: the gap has closed
  if (!hold_follow(&r->p, r->trial, &h))
    h.force = 0;
  else if (h.at.gap < BOUNDARY / 2 * gap)
    h.force = NAN;
  else
    h.force = (h.at.gap < r->p.reach ? barrier(h.at.gap, r->p.reach, d) : 0) - was;
  r->moved.item[k] = h;
}

// A minimum that is none any more leads to another one, which is there already.
static int has_merged(const rest *r, int k) {
  const hold *h = &r->moved.item[k];
  for (int side = -1; side <= 1; side += 2)
    for (int i = k + side; i >= 0 && i < r->now.n && holds_compare(h, &r->moved.item[i]) == 0;
         i += side)
      if (!h->at.still && touch_apart(&h->at, &r->moved.item[i].at) < 1e-5) return 1;
  return 0;
}

// How the energy changes from `at` to `trial`, in the contacts of `at`: contacts that come and go
// on the way are left out, so that the change is one of a smooth function.
static double change(rest *r) {
  double sum = 0;
  pl_threads_run(r->p.threads, r->now.n, follow_one, r);
  for (int k = 0; k < r->now.n; k++)
    if (!has_merged(r, k)) sum += r->weight * r->now.item[k].share * r->moved.item[k].force;
  for (int i = 0; i < r->p.in->n; i++) {
    if (r->p.unknown[i] < 0) continue;
    double was[3], is[3];
    turned(r->at[i].Q, r->p.middle[i], was);
    turned(r->trial[i].Q, r->p.middle[i], is);
    for (int c = 0; c < 3; c++) {
      double dx = r->trial[i].x[c] - r->at[i].x[c], g = r->p.mass[i] * r->p.in->gravity[c];
      sum -= g * (dx + is[c] - was[c]) + (r->p.in->load ? r->p.in->load[i][c] * dx : 0);
    }
  }
  return isfinite(sum) ? sum : DBL_MAX;
}

// multipliers go along with the step
static void carry_forces(rest *r, double by) {
  r->moved.n = r->now.n;
  for (int k = 0; k < r->now.n; k++) {
    const hold *h = &r->now.item[k];
    double d[2];
    barrier(h->at.gap, r->p.reach, d);
    double bend = h->force * d[1] / -d[0];
    r->moved.item[k] = *h;
    r->moved.item[k].force += by * (push(r, h) - h->force - bend * opening(r, k));
  }
}

// and stay near what gaps make of them
static void bound_forces(const rest *r, holds *all) {
  for (int k = 0; k < all->n; k++) {
    hold *h = &all->item[k];
    double f = push(r, h);
    h->force = isfinite(h->force) ? fmin(fmax(h->force, 0.1 * f), 10 * f) : f;
  }
}

static pl_status grow_moved(rest *r) {
  if (r->moved.cap >= r->now.n) return PL_OK;
  hold *more = pl_realloc(r->p.env, r->moved.item, (size_t)r->now.cap, sizeof *more);
  if (!more) return PL_E_NOMEM;
  r->moved.item = more;
  r->moved.cap = r->now.cap;
  return PL_OK;
}

static void swap_states(rest *r) {
  pl_pose *at = r->at;
  holds now = r->now;
  r->at = r->trial;
  r->trial = at;
  r->now = r->next;
  r->next = now;
}

// pairs that may meet on the way, and the part of the step that is sure to meet no others
static pl_status look_ahead(rest *r, double *part) {
  double most = 0;
  for (int i = 0; i < r->p.in->n; i++)
    if (r->p.unknown[i] >= 0) most = fmax(most, travel(r, i));
  *part = fmin(1, FAR * r->p.ball / fmax(most, 1e-300));
  return patch_near(&r->p, r->at, r->p.reach + 2 * *part * most);
}

// Goes along the step as far as that is good; *by: the part of it, 0: it is not.
static pl_status try_step(rest *r, double slope, double *by) {
  double gap;
  PL_TRY(grow_moved(r));
  PL_TRY(look_ahead(r, by));
  *by = fmin(fmin(safe_part(r, *by), clear_part(r)), open_part(r));
  for (; *by > 1e-10; *by /= 2) {
    r->part = *by;
    pl_threads_run(r->p.threads, r->p.in->n, move_one, r);
    if (change(r) > 1e-4 * *by * slope + 1e-12 * r->weight) continue;
    carry_forces(r, *by);
    PL_TRY(patch_contacts(&r->p, r->trial, &r->moved, &r->next, &gap));
    if (!(gap > 0.02 * r->gap)) continue;
    bound_forces(r, &r->next);
    swap_states(r);
    r->gap = gap;
    return PL_OK;
  }
  *by = 0;
  return PL_OK;
}

static double imbalance(const rest *r) {
  double most = 0;
  for (int k = 0; k < r->p.nfree; k++) most = fmax(most, pl_norm(6, r->grad + 6 * k));
  return most;
}

static pl_status tell(rest *r, double first) {
  char text[96];
  double all = log(first / (r->o->weight * r->unit)), done = log(first / r->weight);
  snprintf(text, sizeof text, "iteration %d, gap %.2g m", r->out->iterations, r->gap);
  return pl_report_progress(r->p.env, "native", all > 0 ? done / (all + 1) : 0, text);
}

// What may be left, over the weight: on the way contacts that come and go make the energy jump, and
// after a while it need not be met any better than that.
static double enough(const rest *r, int last, int i) {
  return last ? 1e-8 : i < SETTLED || r->shift > 0.3 ? 1e-2 : 0.02 * r->now.n;
}

// The minimum for one weight, from where the state is. Only the last one need be met.
static pl_status centre(rest *r, double first, int last) {
  for (int i = 0;
       r->out->iterations < r->o->max_iter && (i < (last ? LAST : ROUGH) || r->weight == first);
       i++) {
    double by;
    PL_TRY(tell(r, first));
    PL_TRY(assemble(r));
    PL_TRY(direction(r));
    double slope = pl_dot(6 * r->p.nfree, r->grad, r->step);
    r->left = -slope;
    if (r->left < enough(r, last, i) * r->weight) return PL_OK;
    if (last && imbalance(r) < BALANCED * r->force) return PL_OK;
    PL_TRY(try_step(r, slope, &by));
    r->out->iterations++;
    r->shift *= by > 0.3 ? 0.3 : by < 0.05 ? 8 : 1;
    // where minima split and merge the energy has kinks, which hold a state as well as any weight
    if (by == 0 || r->shift > STUCK) break;
  }
  return PL_OK;
}

// ---- start and end
// --------------------------------------------------------------------------------

static pl_status check_start(rest *r) {
  for (int k = 0; k < r->now.n; k++) {
    const hold *h = &r->now.item[k];
    if (h->at.gap > 0) continue;
    if (h->j < 0)
      return pl_fail(r->p.env, PL_E_INPUT,
                     "element %d lies %.3g m deep in obstacle %d at the start", h->i + 1,
                     -h->at.gap, -h->j);
    return pl_fail(r->p.env, PL_E_INPUT, "elements %d and %d overlap by %.3g m at the start",
                   h->i + 1, h->j + 1, -h->at.gap);
  }
  return PL_OK;
}

// without obstacles all that moves must be linked to something that is held
static pl_status check_hung(rest *r) {
  int n = r->p.in->n, *group = pl_alloc(r->p.env, (size_t)n, 2 * sizeof *group), fallen = -1;
  if (!group) return PL_E_NOMEM;
  int *holds_it = group + n;
  r->out->links_start = patch_links(&r->p, r->at, group);
  for (int i = 0; i < n; i++) holds_it[i] = 0;
  for (int i = 0; i < n; i++)
    if (r->p.in->held[i]) holds_it[group_root(group, i)] = 1;
  for (int i = n - 1; i >= 0; i--)
    if (!holds_it[group_root(group, i)]) fallen = i;
  pl_free(r->p.env, group);
  if (fallen < 0 || r->p.in->nobstacle > 0) return PL_OK;
  const double *x = r->p.in->pose[fallen].x;
  return pl_fail(r->p.env, PL_E_INPUT,
                 "element %d at (%.4g, %.4g, %.4g) m is linked to nothing that is held, and there "
                 "is no obstacle to fall on",
                 fallen + 1, x[0], x[1], x[2]);
}

static pl_status rest_open(rest *r, pl_env *env, const pl_patch *in, const pl_rest_opts *o,
                           pl_threads *threads, pl_rest *out) {
  *out = (pl_rest){0};
  *r = (rest){.o = o, .out = out};
  PL_TRY(patch_open(env, in, o->barrier, threads, &r->p));
  size_t n = (size_t)in->n, nz = 6 * (size_t)r->p.nfree;
  r->at = pl_alloc(env, n, sizeof *r->at);
  r->trial = pl_alloc(env, n, sizeof *r->trial);
  r->grad = pl_alloc(env, nz, sizeof *r->grad);
  r->step = pl_alloc(env, nz, sizeof *r->step);
  r->diagonal = pl_alloc(env, nz, sizeof *r->diagonal);
  out->pose = pl_alloc(env, n, sizeof *out->pose);
  out->reaction = pl_alloc(env, n, sizeof *out->reaction);
  if (!r->at || !r->trial || !r->grad || !r->step || !r->diagonal || !out->pose || !out->reaction)
    return PL_E_NOMEM;
  memcpy(r->at, in->pose, n * sizeof *r->at);
  memcpy(r->trial, in->pose, n * sizeof *r->trial);
  for (int i = 0; i < in->n; i++) {
    double F[3];
    pull(r, i, F);
    if (r->p.unknown[i] >= 0) r->force += pl_norm3(F) / r->p.nfree;
  }
  if (!(r->force > 0))
    return pl_fail(env, PL_E_INPUT, "nothing pulls at the patch: give gravity or loads");
  r->unit = r->force * r->p.thin;
  PL_TRY(patch_near(&r->p, r->at, r->p.reach));
  PL_TRY(patch_contacts(&r->p, r->at, &r->next, &r->now, &r->gap));
  PL_TRY(check_start(r));
  return check_hung(r);
}

static void rest_close(rest *r) {
  pl_env *env = r->p.env;
  void *all[] = {r->at,    r->trial, r->now.item, r->next.item, r->moved.item,
                 r->slope, r->grad,  r->step,     r->diagonal};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) pl_free(env, all[k]);
  blocks_free(env, &r->K);
  patch_close(&r->p);
}

static pl_status follow_path(rest *r) {
  double first = r->unit, end = r->o->weight * r->unit;
  r->shift = 1;
  for (r->weight = first;; r->weight = fmax(r->weight * FALL, end)) {
    int last = r->weight <= end;
    if (r->weight == first)
      for (int k = 0; k < r->now.n; k++) r->now.item[k].force = NAN;
    bound_forces(r, &r->now);
    r->shift = fmin(r->shift, 1);
    pl_status s = centre(r, first, last);
    if (s != PL_OK || last) return s;
  }
}

// Gaps do not tell forces to many digits: the nearest ones, relative to their size, that balance.
static pl_status balance_forces(rest *r) {
  int n = 6 * r->p.nfree;
  for (int k = 0; k < r->now.n; k++) r->now.item[k].force = push(r, &r->now.item[k]);
  for (int round = 0; round < 3; round++) {
    clear(r);
    for (int i = 0; i < r->p.in->n; i++)
      if (r->p.unknown[i] >= 0) add_gravity(r, i, 0);
    for (int k = 0; k < r->now.n; k++) {
      double f = r->now.item[k].force;
      add_contact(r, k, f, f * f / r->weight, 0);
    }
    double top = 0, stiff;
    for (int k = 0; k < n; k++) top = fmax(top, *pl_csc_diagonal(&r->K.A, k));
    stiff = 1e-13 * top;
    for (int k = 0; k < n; k++) {
      *pl_csc_diagonal(&r->K.A, k) += stiff;
      r->step[k] = -r->grad[k];
    }
    pl_status s = pl_factor_numeric(r->K.factor, &r->K.A);
    if (s == PL_OK) s = pl_factor_solve(r->K.factor, 1, r->step, r->step);
    if (s != PL_OK) return s == PL_SINGULAR ? PL_OK : s;
    for (int k = 0; k < r->now.n; k++) {
      hold *h = &r->now.item[k];
      h->force = fmax(0, h->force - h->force * h->force / r->weight * opening(r, k));
    }
  }
  return PL_OK;
}

static void add_final(rest *r, int k) {
  const hold *h = &r->now.item[k];
  const double *g = r->slope[k].g;
  pl_rest *out = r->out;
  double force = h->force;
  pl_rest_contact *c = &out->contact[out->ncontact++];
  *c = (pl_rest_contact){
      .elem = {h->i, h->j}, .piece = {h->piece[0], h->piece[1]}, .at = h->at, .force = force};
  pl_swept s;
  piece_at(hold_piece(&r->p, h, 0), h->at.on[0], h->at.u, &s);
  turned(r->at[h->i].Q, s.p, c->point);
  for (int d = 0; d < 3; d++) {
    c->normal[d] = g[d];
    c->point[d] += r->at[h->i].x[d] - (s.rho + h->at.gap / 2) * g[d];
    out->reaction[h->i][d] -= force * g[d];
    if (h->j >= 0) out->reaction[h->j][d] += force * g[d];
  }
  out->bound += force * h->at.gap;
}

static pl_status finish(rest *r) {
  pl_rest *out = r->out;
  int n = r->p.in->n;
  memcpy(out->pose, r->at, (size_t)n * sizeof *out->pose);
  out->contact = pl_alloc(r->p.env, (size_t)r->now.n, sizeof *out->contact);
  if (!out->contact) return PL_E_NOMEM;
  for (int i = 0; i < n; i++) {
    double F[3], was[3], is[3];
    pull(r, i, F);
    for (int c = 0; c < 3; c++) {
      out->reaction[i][c] = r->p.in->held[i] ? 0 : -F[c];
      if (!r->p.in->held[i]) out->weight[c] += F[c];
    }
    turned(r->p.in->pose[i].Q, r->p.middle[i], was);
    turned(r->at[i].Q, r->p.middle[i], is);
    for (int c = 0; c < 3; c++) {
      double dx = r->at[i].x[c] - r->p.in->pose[i].x[c];
      out->energy -= F[c] * dx + r->p.mass[i] * r->p.in->gravity[c] * (is[c] - was[c]);
    }
  }
  out->bound = fmax(r->left, 0);
  PL_TRY(balance_forces(r));
  for (int k = 0; k < r->now.n; k++) add_final(r, k);
  for (int i = 0; i < n; i++) {
    if (r->p.in->held[i])
      for (int c = 0; c < 3; c++) out->hold[c] += out->reaction[i][c];
    else
      out->residual = fmax(out->residual, pl_norm3(out->reaction[i]));
  }
  for (int k = 0; k < out->ncontact; k++)
    if (out->contact[k].elem[1] < 0)
      for (int c = 0; c < 3; c++) out->hold[c] += out->contact[k].force * out->contact[k].normal[c];
  out->gap = r->gap;
  out->searches = r->p.nsearch;
  PL_TRY(patch_near(&r->p, r->at, r->p.reach));
  out->links = patch_links(&r->p, r->at, NULL);
  return PL_OK;
}

pl_status pl_patch_rest(pl_env *env, const pl_patch *in, const pl_rest_opts *o, pl_threads *threads,
                        pl_rest *out) {
  rest r;
  PL_TRY(pl_opts_check(env, pl_rest_option_table, pl_rest_option_count, o));
  pl_status s = rest_open(&r, env, in, o, threads, out);
  if (s == PL_OK) s = follow_path(&r);
  pl_status end = s >= 0 ? finish(&r) : s;
  rest_close(&r);
  if (end >= 0 && s == PL_OK && out->residual > REST * r.force) s = PL_UNSOLVED;
  if (end < 0) pl_rest_free(env, out);
  return end < 0 ? end : s;
}

void pl_rest_free(pl_env *env, pl_rest *r) {
  pl_free(env, r->pose);
  pl_free(env, r->reaction);
  pl_free(env, r->contact);
  *r = (pl_rest){0};
}
