// Loads at which an equilibrium path changes its stability: inertia of K along the path, bisection.
#include "solve_impl.h"

enum { JUMP = -1 }; // in place of a count of negative eigenvalues: the path ends
static const double CLOSE = 1e-8, LEAST = 1e-12; // relative and absolute width of the load factor
static const double NEAR = 1e-3; // of the load factor: a change seen so far apart is the same

enum { CROSSINGS = 20 };         // of one load step where Newton's method failed and nothing was
static const double BEND = 0.3;  // corrections over the way: below, the path was hardly curved
static const double BACK = 0.1;  // of the way: so near a path comes back to where it began
static const double SNAP = 1e-3; // of the extent: what jumps goes farther

typedef struct path {
  equil *e;
  int crossed;
  pl_state *seen; // a state whose way back is tried
  // equilibria at the scales below; hi is beyond a change of nneg, far at the end of the load step
  pl_state *lo, *hi, *far;
  double lo_scale, hi_scale, far_scale;
  int lo_nneg, hi_nneg, far_nneg; // JUMP: no such state is known
} path;

// on the line from lo to far: next to a bifurcation K is singular, and a step from there goes
// astray
static pl_status solve_between(path *p, double scale) {
  equil *e = p->e;
  double part = (scale - p->lo_scale) / (p->far_scale - p->lo_scale);
  if (p->far_nneg == JUMP || part >= 1) return PL_UNSOLVED;
  pl_state_copy(e->x, p->lo);
  for (int i = 0; i < e->nq; i++) e->x->q[i] += part * (p->far->q[i] - p->lo->q[i]);
  pl_drive(e->m, e->p, &e->clock, e->x);
  return equil_follow(e);
}

static double distance(const equil *e, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < e->n; i++) most = fmax(most, fabs(a[e->dof[i]] - b[e->dof[i]]));
  return most;
}

// The state in e->x belongs to another path unless the way back leads to lo again. Not looked at
// where corrections were small against the way.
static pl_status run_back(path *p, double scale, int *same) {
  equil *e = p->e;
  double way = distance(e, e->x->q, p->lo->q), slack = FOLLOW_SLACK * equil_size(e);
  int nneg = e->nneg;
  *same = e->away <= BEND * way + slack;
  if (*same) return PL_OK;
  pl_state_copy(p->seen, e->x);
  e->clock.scale = p->lo_scale;
  pl_status s = equil_predict(e);
  if (s == PL_OK) s = equil_follow(e);
  if (s == PL_OK) *same = distance(e, e->x->q, p->lo->q) <= BACK * way + slack;
  pl_state_copy(e->x, p->seen);
  e->clock.scale = scale;
  e->nneg = nneg;
  return s == PL_UNSOLVED ? PL_OK : s;
}

// The equilibrium at a scale, followed from lo; *nneg = JUMP when there is none near.
static pl_status solve_at(path *p, double scale, int *nneg) {
  equil *e = p->e;
  int same = 1;
  e->clock.scale = scale;
  pl_status s = solve_between(p, scale);
  if (s == PL_UNSOLVED) {
    pl_state_copy(e->x, p->lo);
    s = equil_predict(e);
    if (s == PL_OK) s = equil_follow(e);
  }
  if (s == PL_OK) s = run_back(p, scale, &same);
  *nneg = s == PL_OK && same ? e->nneg : JUMP;
  return s == PL_UNSOLVED ? PL_OK : s;
}

static void keep(path *p, double scale) {
  pl_state_copy(p->lo, p->e->x);
  p->lo_scale = scale;
}

static void keep_beyond(path *p, double scale, int nneg) {
  p->hi_nneg = nneg;
  if (nneg == JUMP) return;
  pl_state_copy(p->hi, p->e->x);
  p->hi_scale = scale;
}

static int full(const pl_static_info *info) {
  return info->ncritical == (int)(sizeof info->critical / sizeof info->critical[0]);
}

static void record(equil *e, double scale, int nneg, int jump) {
  if (!full(e->info)) e->info->critical[e->info->ncritical++] = (pl_critical){scale, nneg, jump};
}

// Narrows lo..hi, between which the path changes, until the load is known; lo and *hi close in.
// *after: the count beyond, or the count of lo when the change was only a step too long.
static pl_status narrow(path *p, double *hi, int *after) {
  while (*hi - p->lo_scale > fmax(CLOSE * *hi, LEAST)) {
    double mid = p->lo_scale + (*hi - p->lo_scale) / 2;
    int nneg;
    PL_TRY(solve_at(p, mid, &nneg));
    if (nneg != p->lo_nneg) {
      *hi = mid;
      *after = nneg;
      if (nneg != JUMP) keep_beyond(p, mid, nneg);
      continue;
    }
    keep(p, mid);
    // from nearer by, a path that seemed to end may go on
    if (*after == JUMP) PL_TRY(solve_at(p, *hi, after));
    if (*after == p->lo_nneg) return PL_OK;
  }
  return PL_OK;
}

// what the jump from lo releases at the load where the path ends
static pl_status measure_jump(path *p, double at) {
  equil *e = p->e;
  double tau = e->tau;
  pl_state_copy(e->x, p->lo);
  e->clock.scale = p->lo_scale;
  PL_TRY(equil_eval(e, PL_WANT_ENERGY));
  double top = e->w->potential;
  e->clock.scale = at + fmax(2 * CLOSE * at, LEAST);
  pl_status s = equil_predict(e);
  if (s == PL_OK) s = equil_minimise(e);
  if (s == PL_OK) s = equil_eval(e, PL_WANT_ENERGY);
  if (s == PL_OK) book_jump(e->info, at, top - e->w->potential);
  e->tau = tau;
  return s == PL_UNSOLVED ? PL_OK : s;
}

// past the end of a path: wherever the energy falls to
static pl_status jump(path *p, double to, double at) {
  equil *e = p->e;
  if (at > LEAST) PL_TRY(measure_jump(p, at));
  pl_state_copy(e->x, p->lo);
  e->clock.scale = to;
  PL_TRY(equil_predict(e));
  PL_TRY(equil_minimise(e));
  pl_status s = equil_eval(e, PL_WANT_TANGENT);
  if (s == PL_OK) s = equil_ldl(e);
  if (s == PL_SINGULAR) s = PL_OK;
  PL_TRY(s);
  p->lo_nneg = e->nneg;
  keep(p, to);
  // a mechanism leaves its start at once: that is no limit point
  if (at > LEAST) record(e, at, e->nneg, 1);
  return PL_OK;
}

// The path seems to end between lo and hi, which are next to each other. When the energy has its
// minimum near by at hi the path goes on, and only Newton's method could not follow it.
static pl_status cross(path *p, double hi, int *crossed) {
  equil *e = p->e;
  *crossed = 0;
  if (p->lo_nneg != 0 || p->crossed == CROSSINGS) return PL_OK;
  pl_state_copy(e->x, p->lo);
  e->clock.scale = hi;
  pl_status s = equil_predict(e);
  if (s == PL_OK) s = equil_minimise(e);
  if (s == PL_OK && distance(e, e->x->q, p->lo->q) > SNAP * equil_size(e)) return PL_OK;
  if (s == PL_OK) s = equil_eval(e, PL_WANT_TANGENT);
  if (s == PL_OK) s = equil_ldl(e);
  if (s == PL_UNSOLVED || s == PL_DOMAIN || s == PL_SINGULAR) return PL_OK;
  PL_TRY(s);
  if (e->nneg != 0) return PL_OK;
  p->crossed++;
  *crossed = 1;
  keep(p, hi);
  return PL_OK;
}

// one change of the path below hi, found and passed
static pl_status pass(path *p, double to, double hi, int after) {
  keep_beyond(p, hi, after);
  PL_TRY(narrow(p, &hi, &after));
  if (after == p->lo_nneg) {
    // only a step too long; the state at hi is in place
    keep(p, hi);
    return PL_OK;
  }
  // next to a bifurcation rounding may throw the state off its path: a state not far beyond tells
  double at = p->lo_scale + (hi - p->lo_scale) / 2;
  if (p->hi_nneg == JUMP || p->hi_scale - at > NEAR * at) {
    int crossed;
    PL_TRY(cross(p, hi, &crossed));
    return crossed ? PL_OK : jump(p, to, at);
  }
  record(p->e, at, p->hi_nneg, 0);
  pl_state_copy(p->lo, p->hi);
  p->lo_scale = p->hi_scale;
  p->lo_nneg = p->hi_nneg;
  return PL_OK;
}

static pl_status track(path *p, double to) {
  p->far_scale = to;
  while (p->lo_scale < to) {
    // more changes than can be told are not looked for
    if (full(p->e->info)) return jump(p, to, 0);
    if (p->far_nneg == JUMP) {
      int end;
      PL_TRY(solve_at(p, to, &end));
      pl_state_copy(p->far, p->e->x);
      p->far_nneg = end;
    }
    pl_state_copy(p->e->x, p->far);
    if (p->far_nneg == p->lo_nneg)
      keep(p, to);
    else
      PL_TRY(pass(p, to, to, p->far_nneg));
  }
  return PL_OK;
}

pl_status critical_track(equil *e, double from, double to, int *nneg) {
  const pl_static_info before = *e->info;
  path p = {.e = e, .lo_scale = from, .lo_nneg = *nneg, .hi_nneg = JUMP, .far_nneg = JUMP};
  pl_status s = pl_state_create(e->m, e->p, &p.lo);
  if (s == PL_OK) s = pl_state_create(e->m, e->p, &p.hi);
  if (s == PL_OK) s = pl_state_create(e->m, e->p, &p.far);
  if (s == PL_OK) s = pl_state_create(e->m, e->p, &p.seen);
  if (s == PL_OK) pl_state_copy(p.lo, e->x);
  if (s == PL_OK) s = track(&p, to);
  if (s == PL_OK) {
    *nneg = p.lo_nneg;
    pl_state_copy(e->x, p.lo);
  } else {
    // the step is tried again in parts: what it found is found again
    e->info->ncritical = before.ncritical;
    e->info->njump = before.njump;
    e->info->released = before.released;
  }
  pl_state_free(e->m, p.lo);
  pl_state_free(e->m, p.hi);
  pl_state_free(e->m, p.far);
  pl_state_free(e->m, p.seen);
  return s;
}
