#include "descent.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

// A patch at rest, on the central path of a barrier: gravity and loads pull while every gap repels
// with a weight that goes to zero.

static const double FALL = 0.2;      // of the weight, from one to the next
static const double ENOUGH = 0.2;    // left over the weight, a contact, before the next
static const double SMOOTH = 0.1;    // the same of all contacts, where the energy is smooth
static const double TWIST = 1;       // that elements resist turning apart, at the first weight
static const double STUCK = 1e5;     // shift at which a weight is given up
static const double AGAIN = 0.1;     // shift after an iteration that went to and fro
static const double LEAST = 1e-5;    // shift that is kept, as relative motion may cost nothing
static const double BALANCED = 1e-5; // force and moment that are left, where that is enough
static const double SETTLED = 1e-8;  // the same where the energy is smooth
static const double REST = 1e-3;     // force that may be left of a mean element's
static const double OPEN = 2;        // forces times gaps, over the weight, a contact
enum { ROUGH = 40, CURVED = 100, STALLED = 5, LAST = 200 }; // iterations of a weight
enum { PATIENT = 5 }; // times that forces are asked for more than need be
enum { KEPT = 8 };    // iterations from one state that is kept to the next

typedef struct rest {
  descent d;
  const pl_rest_opts *o;
  const pl_rest_keeper *keeper; // NULL: none
  rest_course course;
  int by_forces; // 1: it rests by forces of single contacts
  pl_rest *out;
} rest;

static pl_status emit(rest *r, double first) {
  char text[96];
  const descent *d = &r->d;
  double all = log(first / (r->o->weight * d->unit)), done = log(first / d->weight);
  snprintf(text, sizeof text, "iteration %d, gap %.2g m", d->iterations, d->gap);
  return pl_report_progress(d->p.env, "native", all > 0 ? done / (all + 1) : 0, text);
}

// What may be left, over the weight. Where the energy is smooth Newton's steps square it from there
// on; where it has kinks it need not be met better than the next weight makes it.
static double enough(const descent *d, int last) {
  if (d->p.whole) return last ? 0 : SMOOTH;
  if (last) return 1e-8;
  return d->shift > 0.3 ? 1e-2 : ENOUGH * d->now.n;
}

static void swap_contacts(descent *d) {
  holds now = d->now;
  d->now = d->next;
  d->next = now;
}

// All places where elements are nearest to each other, and the forces there that balance best.
// Valleys that are about to have two minima push on both of their sides, too.
static pl_status find_forces(descent *d, double *residual) {
  d->p.sides = 1;
  pl_status s = patch_contacts(&d->p, d->at, &d->now, &d->next, &d->gap);
  d->p.sides = 0;
  PL_TRY(s);
  swap_contacts(d);
  PL_TRY(descent_assemble(d));
  return rest_forces(d, residual);
}

// Whether forces of contacts balance all elements, though gaps do not tell these forces, and gaps
// are no larger than the repulsion holds them. Gaps of all of both tell them, but at corners.
static pl_status is_at_rest(rest *r, double within, int *rests) {
  descent *d = &r->d;
  double residual = INFINITY, left = 0;
  *rests = descent_imbalance(d) < within * d->force;
  if (d->p.whole && (*rests || d->p.wires)) return PL_OK;
  // of corners that rest on each other no smooth gap tells the forces
  int whole = d->p.whole;
  d->p.whole = 0;
  pl_status s = find_forces(d, &residual);
  d->p.whole = whole;
  PL_TRY(s);
  for (int k = 0; k < d->now.n; k++) left += d->now.item[k].force * d->now.item[k].at.gap;
  *rests = residual < within * d->force && left < OPEN * d->weight * d->now.n;
  r->by_forces = *rests;
  swap_contacts(d);
  return PL_OK;
}

// One iteration; *ends: it was the last of this weight.
static pl_status iterate(rest *r, int last, int *ends) {
  descent *d = &r->d;
  rest_course *c = &r->course;
  double by;
  *ends = 1;
  pl_status s = descent_direction(d);
  if (s == PL_UNSOLVED && last) return PL_OK;
  PL_TRY(s);
  if (d->left < enough(d, last) * d->weight) return PL_OK;
  if (last && descent_imbalance(d) < (d->p.whole ? SETTLED : BALANCED) * d->force) return PL_OK;
  double measure = last && d->p.whole ? descent_imbalance(d) : d->left;
  if (measure < c->best / 2) {
    c->best = measure;
    c->since = c->i;
  }
  // contacts that are about to split come and go: forces are asked for instead
  if (last && c->i - c->since >= STALLED) {
    PL_TRY(is_at_rest(r, c->tries++ < PATIENT ? REST / 10 : REST, ends));
    d->shift = fmax(d->shift, AGAIN);
    c->since = c->i;
    return PL_OK;
  }
  s = descent_step(d, &by);
  if (s == PL_UNSOLVED && last) return PL_OK;
  PL_TRY(s);
  d->iterations++;
  d->shift *= by > 0.3 ? 0.3 : by < 0.05 ? 8 : 1;
  d->shift = fmax(d->shift, LEAST);
  // where minima split and merge the energy has kinks, which hold a state as well as any weight
  *ends = by == 0 || d->shift > STUCK;
  return PL_OK;
}

// The minimum for one weight, from where the state is. Only the last one need be met.
static pl_status centre(rest *r, double first, int last) {
  descent *d = &r->d;
  int most = last ? LAST : d->p.whole ? CURVED : ROUGH, ends = 0;
  for (rest_course *c = &r->course;
       !ends && d->iterations < r->o->max_iter && (c->i < most || d->weight == first); c->i++) {
    if (d->iterations % KEPT == 0) PL_TRY(rest_keep(d, c, r->keeper));
    PL_TRY(emit(r, first));
    PL_TRY(iterate(r, last, &ends));
  }
  return PL_OK;
}

// ---- start and end ------------------------------------------------------------------------------

// without obstacles all that moves must be linked to something that is held
static pl_status check_hung(rest *r) {
  int n = r->d.p.in->n, *group = pl_alloc(r->d.p.env, (size_t)n, 2 * sizeof *group), fallen = -1;
  if (!group) return PL_E_NOMEM;
  int *holds_it = group + n;
  pl_status s = patch_links(&r->d.p, r->d.at, group, &r->out->links_start);
  if (s != PL_OK) {
    pl_free(r->d.p.env, group);
    return s;
  }
  for (int i = 0; i < n; i++) holds_it[i] = 0;
  for (int i = 0; i < n; i++)
    if (r->d.p.in->held[i]) holds_it[group_root(group, i)] = 1;
  for (int i = n - 1; i >= 0; i--)
    if (!holds_it[group_root(group, i)]) fallen = i;
  pl_free(r->d.p.env, group);
  if (fallen < 0 || r->d.p.in->nobstacle > 0) return PL_OK;
  const double *x = r->d.p.in->pose[fallen].x;
  return pl_fail_at(
      r->d.p.env, PL_E_INPUT, NULL, 0, 0,
      "hold some of its elements (held: {edge: left}), or put an obstacle below them",
      "element %d at (%.4g, %.4g, %.4g) m is linked to nothing that is held, and there "
      "is no obstacle to fall on",
      fallen + 1, x[0], x[1], x[2]);
}

static pl_status rest_open(rest *r, pl_env *env, const pl_patch *in, const pl_rest_opts *o,
                           pl_threads *threads, pl_rest *out) {
  *out = (pl_rest){0};
  r->o = o;
  r->out = out;
  PL_TRY(descent_open(&r->d, env, in, o->barrier, 1, threads));
  out->pose = pl_alloc(env, (size_t)in->n, sizeof *out->pose);
  out->reaction = pl_alloc(env, (size_t)in->n, sizeof *out->reaction);
  return out->pose && out->reaction ? check_hung(r) : PL_E_NOMEM;
}

static void begin_weight(rest *r, double first) {
  descent *d = &r->d;
  if (d->weight == first)
    for (int k = 0; k < d->now.n; k++) d->now.item[k].force = NAN;
  descent_bound(d, &d->now);
  d->shift = fmin(d->shift, 1);
  r->course = (rest_course){.best = DBL_MAX};
}

static pl_status follow_path(rest *r) {
  descent *d = &r->d;
  const pl_rest_keeper *keeper = r->keeper;
  double first = d->unit, end = r->o->weight * d->unit;
  d->shift = 1;
  d->weight = first;
  int within = keeper && keeper->from;
  if (within) PL_TRY(rest_load(d, keeper->nfrom, keeper->from, &r->course));
  for (;; d->weight = fmax(d->weight * FALL, end)) {
    int last = d->weight <= end;
    if (!within) begin_weight(r, first);
    within = 0;
    d->twist = TWIST * sqrt(d->weight / first);
    d->mend = 1;
    pl_status s = centre(r, first, last);
    if (s != PL_OK || last) return s;
  }
}

// Where the force of all of two wires acts: on its line, beside where these are nearest.
static void add_whole(rest *r, int k) {
  const descent *d = &r->d;
  const hold *h = &d->now.item[k];
  const pl_pose *at = &d->at[h->i];
  pl_rest *out = r->out;
  double push = descent_push(d, h), size = pl_norm3(d->slope[k].g), rot[3], arm[3], p[2][3];
  pl_rest_contact *c = &out->contact[out->ncontact++];
  *c = (pl_rest_contact){
      .elem = {h->i, h->j}, .piece = {h->piece[0], h->piece[1]}, .force = push * size};
  pl_approach approach[PL_APPROACH_MAX];
  const pl_piece *a = hold_piece(&d->p, h, 0), *b = hold_piece(&d->p, h, 1);
  int n = pl_piece_gaps(a, at, b, &d->at[h->j], d->p.range, approach);
  c->at = n > 0 ? approach[0] : (pl_approach){.gap = h->clear};
  pl_approach_points(a, at, b, &d->at[h->j], &c->at, p);
  for (int i = 0; i < 3; i++) {
    c->normal[i] = d->slope[k].g[i] / size;
    rot[i] = d->slope[k].g[3 + i] * d->p.radius[h->i] / size;
    p[0][i] -= (a->radius + c->at.gap / 2) * c->normal[i] + at->x[i];
    out->reaction[h->i][i] -= c->force * c->normal[i];
    out->reaction[h->j][i] += c->force * c->normal[i];
  }
  pl_cross3(c->normal, rot, arm);
  double on = pl_dot3(p[0], c->normal);
  for (int i = 0; i < 3; i++) c->point[i] = at->x[i] + arm[i] + on * c->normal[i];
  out->bound += push * h->at.gap;
}

static void add_final(rest *r, int k) {
  const descent *d = &r->d;
  const hold *h = &d->now.item[k];
  const double *g = d->slope[k].g;
  pl_rest *out = r->out;
  double force = d->p.whole ? descent_push(d, h) : h->force;
  pl_rest_contact *c = &out->contact[out->ncontact++];
  *c = (pl_rest_contact){
      .elem = {h->i, h->j}, .piece = {h->piece[0], h->piece[1]}, .at = h->at, .force = force};
  pl_swept s;
  piece_at(hold_piece(&d->p, h, 0), h->at.on[0], h->at.u, &s);
  pl_apply3(d->at[h->i].Q, s.p, c->point);
  for (int a = 0; a < 3; a++) {
    c->normal[a] = g[a];
    c->point[a] += d->at[h->i].x[a] - (s.rho + h->at.gap / 2) * g[a];
    out->reaction[h->i][a] -= force * g[a];
    if (h->j >= 0) out->reaction[h->j][a] += force * g[a];
  }
  out->bound += force * h->at.gap;
}

static pl_status finish(rest *r) {
  descent *d = &r->d;
  pl_rest *out = r->out;
  int n = d->p.in->n;
  memcpy(out->pose, d->at, (size_t)n * sizeof *out->pose);
  for (int i = 0; i < n; i++) {
    double F[3], was[3], is[3];
    descent_pull(d, i, F);
    for (int c = 0; c < 3; c++) {
      out->reaction[i][c] = d->p.in->held[i] ? 0 : -F[c];
      if (!d->p.in->held[i]) out->weight[c] += F[c];
    }
    pl_apply3(d->p.in->pose[i].Q, d->p.middle[i], was);
    pl_apply3(d->at[i].Q, d->p.middle[i], is);
    for (int c = 0; c < 3; c++) {
      double dx = d->at[i].x[c] - d->p.in->pose[i].x[c];
      out->energy -= F[c] * dx + d->p.mass[i] * d->p.in->gravity[c] * (is[c] - was[c]);
    }
  }
  out->bound = fmax(d->left, 0);
  double residual;
  if (r->by_forces) d->p.whole = 0;
  if (d->p.whole)
    PL_TRY(descent_assemble(d));
  else
    PL_TRY(find_forces(d, &residual));
  out->contact = pl_alloc(d->p.env, (size_t)d->now.n, sizeof *out->contact);
  if (!out->contact) return PL_E_NOMEM;
  for (int k = 0; k < d->now.n; k++)
    if (d->now.item[k].whole)
      add_whole(r, k);
    else
      add_final(r, k);
  for (int i = 0; i < n; i++) {
    if (d->p.in->held[i])
      for (int c = 0; c < 3; c++) out->hold[c] += out->reaction[i][c];
    else
      out->residual = fmax(out->residual, pl_norm3(out->reaction[i]));
  }
  for (int k = 0; k < out->ncontact; k++)
    if (out->contact[k].elem[1] < 0)
      for (int c = 0; c < 3; c++) out->hold[c] += out->contact[k].force * out->contact[k].normal[c];
  out->gap = d->gap;
  out->searches = d->p.nsearch;
  PL_TRY(patch_near(&d->p, d->at, d->p.range));
  return patch_links(&d->p, d->at, NULL, &out->links);
}

pl_status pl_patch_rest(pl_env *env, const pl_patch *in, const pl_rest_opts *o, pl_threads *threads,
                        const pl_rest_keeper *keeper, pl_rest *out) {
  rest r = {.keeper = keeper};
  PL_TRY(pl_opts_check(env, pl_rest_option_table, pl_rest_option_count, o));
  pl_status s = rest_open(&r, env, in, o, threads, out);
  if (s == PL_OK) s = follow_path(&r);
  // who stops it does not wait for forces and links of a state that is none of rest
  pl_status end = s >= 0 && s != PL_CANCELLED ? finish(&r) : s;
  if (end == PL_CANCELLED) s = end;
  if (end >= 0 && s == PL_OK && out->residual > REST * r.d.force) s = PL_UNSOLVED;
  out->iterations = r.d.iterations;
  out->factors = r.d.factors;
  descent_close(&r.d);
  if (end < 0) pl_rest_free(env, out);
  return end < 0 ? end : s;
}

void pl_rest_free(pl_env *env, pl_rest *r) {
  pl_free(env, r->pose);
  pl_free(env, r->reaction);
  pl_free(env, r->contact);
  *r = (pl_rest){0};
}
