#include "taut_impl.h"

#include <float.h>
#include <string.h>

// Limits of strain, on the central path of a barrier: the goal is made largest while every gap
// repels with a weight that goes to zero.

static const double GOOD = 1e-3;    // strain; what may be left of a limit, which is told
static const double HELD = 0.1;     // part of all forces
static const double CERTAIN = 1e-4; // strain that may be left of a limit that is one
static const double AGAIN = 1e-3;   // weight
enum { WAYS = 6, SURE = 4 };        // that are tried where none ends; where none is certain
enum { ROUGH = 20, MANY = 40 };     // iterations of weights that are not the last ones; unknowns
enum { PATIENT = 5 };               // times as many iterations

// ---- the barrier --------------------------------------------------------------------------------

// curvature is free
static int is_bent(const taut *t) {
  return t->nstrain < t->nfree;
}

static double value_of(const taut *t, const double *e) {
  return pl_dot(t->nfree, t->goal, e);
}

static void assemble(taut *t, const state *s, double weight) {
  int nz = t->nz, first = nz - t->nfree;
  double d[2];
  refresh_ties(t);
  memset(t->grad, 0, (size_t)nz * sizeof *t->grad);
  memset(t->H, 0, (size_t)nz * (size_t)nz * sizeof *t->H);
  for (int k = 0; k < t->nfree; k++) t->grad[first + k] = -t->goal[k];
  walls_add(t, s->e, weight);
  for (int c = 0; c < t->ncontact; c++) {
    int to[STENCIL], n = 12 + t->nfree;
    double g[STENCIL], H[STENCIL][STENCIL];
    gap_slopes(t, s, &t->contact[c], to, g, H);
    repulsion(t->contact[c].at.gap, t->range, d);
    for (int i = 0; i < n; i++) {
      if (to[i] < 0) continue;
      t->grad[to[i]] += weight * d[0] * g[i];
      for (int j = 0; j < n; j++)
        if (to[j] >= 0) t->H[to[i] * nz + to[j]] += weight * (d[1] * g[i] * g[j] + d[0] * H[i][j]);
    }
  }
  apply_ties(t);
}

// ---- steps --------------------------------------------------------------------------------------

static void scaled_curvature(taut *t) {
  int n = t->nz;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) t->eig[i * n + j] = t->H[i * n + j] / (t->scale[i] * t->scale[j]);
}

// Newton's direction in lengths where all curvatures are positive; 0: they are not, or it goes far
static int plain_direction(taut *t) {
  int n = t->nz;
  double top = 0;
  for (int i = 0; i < n; i++) {
    t->step[i] = -t->grad[i] / t->scale[i];
    top = fmax(top, t->eig[i * n + i]);
  }
  // rings turn freely in themselves: there is no curvature then, and no force
  for (int i = 0; i < n; i++) t->eig[i * n + i] += 1e-11 * top;
  if (!(pl_cholesky(n, t->eig) > 0)) return 0;
  pl_cholesky_solve(n, t->eig, t->step);
  return pl_max_abs(n, t->step) < t->c->wire;
}

// the same with curvatures taken for their sizes; no part of it moves anything by more than a wire
static void bounded_direction(taut *t) {
  int n = t->nz;
  double *lambda = t->V + n * n, top = 0;
  pl_eig(n, t->eig, lambda, t->V);
  for (int e = 0; e < n; e++) top = fmax(top, fabs(lambda[e]));
  memset(t->step, 0, (size_t)n * sizeof *t->step);
  for (int e = 0; e < n; e++) {
    const double *v = t->V + e * n;
    double down = 0;
    for (int i = 0; i < n; i++) down -= v[i] * t->grad[i] / t->scale[i];
    double at = down / fmax(fabs(lambda[e]), 1e-14 * top);
    at = fmax(-t->c->wire, fmin(t->c->wire, at));
    for (int i = 0; i < n; i++) t->step[i] += at * v[i];
  }
}

// The same for many unknowns: the least shift of all curvatures, but for a factor of four, that
// makes them positive and moves nothing by more than a wire.
static void shifted_direction(taut *t) {
  int n = t->nz;
  double push = 0;
  for (int i = 0; i < n; i++) push = fmax(push, fabs(t->grad[i] / t->scale[i]));
  double shift = fmax(t->shift / 16, 1e-4 * push / t->c->thin);
  for (;; shift *= 4) {
    scaled_curvature(t);
    for (int i = 0; i < n; i++) {
      t->step[i] = -t->grad[i] / t->scale[i];
      t->eig[i * n + i] += shift;
    }
    if (!(pl_cholesky(n, t->eig) > 0)) continue;
    pl_cholesky_solve(n, t->eig, t->step);
    if (pl_max_abs(n, t->step) < t->c->thin || shift > 1e3 * push / t->c->thin) break;
  }
  t->shift = shift;
}

// a step down; returns its slope
static double direction(taut *t) {
  scaled_curvature(t);
  if (!plain_direction(t)) {
    scaled_curvature(t);
    if (t->nz > MANY)
      shifted_direction(t);
    else
      bounded_direction(t);
  }
  for (int i = 0; i < t->nz; i++) t->step[i] /= t->scale[i];
  double slope = pl_dot(t->nz, t->grad, t->step);
  step_ties(t);
  return slope;
}

static void rotate_by(const double *w, double scale, const double *Q, double *out) {
  double R[9], angle = scale * pl_norm3(w);
  pl_rotation3(w, angle, R);
  pl_mul3(R, Q, out);
}

static void move(const taut *t, double by, state *to) {
  for (int i = 0; i < t->c->nelem; i++) {
    const pl_pose *from = &t->now.pose[i];
    double w[3];
    for (int k = 0; k < 3; k++) {
      to->pose[i].x[k] = from->x[k] + by * step_of(t, i, k);
      w[k] = step_of(t, i, 3 + k);
    }
    rotate_by(w, by, from->Q, to->pose[i].Q);
  }
  for (int k = 0; k < t->nfree; k++) to->e[k] = t->now.e[k] + by * t->step[t->nz - t->nfree + k];
  t->place->settle(t, to);
}

// Most that any point of an element moves in a whole step.
static double travel(const taut *t, int i) {
  double dx = 0, dw = 0;
  for (int k = 0; k < 3; k++) {
    dx += pow(step_of(t, i, k), 2);
    dw += pow(step_of(t, i, 3 + k), 2);
  }
  return sqrt(dx) + sqrt(dw) * t->c->range;
}

// The step that leaves all links as they are: as long as no two centre lines can meet on the way,
// whatever pieces do in between. Centre lines are apart by two radii, and elements by what balls
// about them leave.
static double safe_step(const taut *t) {
  double least = 1, *own = t->V; // [nelem], free after the direction
  for (int i = 0; i < t->c->nelem; i++) own[i] = travel(t, i);
  for (int k = 0; k < t->c->npair; k++) {
    const pair *p = &t->c->pair[k];
    pl_pose b;
    double far = own[p->i] + own[p->j] + t->place->travel(t, p), w[3];
    double apart = 2 * 0.9 * t->c->thin;
    if (far < apart) continue;
    if (t->place->apart && t->place->apart(t, &t->now, p) - 2 * t->c->range > far) continue;
    if (!t->place->image(t, &t->now, p, &b)) continue;
    pl_sub3(b.x, t->now.pose[p->i].x, w);
    apart = fmax(apart, pl_norm3(w) - 2 * t->c->range);
    least = fmin(least, apart / far);
  }
  return least;
}

// How the energy changes from `now` to `trial`, in the contacts of `now`: contacts that come and go
// on the way are left out, so that the change is one of a smooth function.
static double change(const taut *t, double weight) {
  double d[2], walls = walls_value(t, t->trial.e);
  if (walls == DBL_MAX) return DBL_MAX;
  double sum = value_of(t, t->now.e) - value_of(t, t->trial.e);
  sum += weight * (walls - walls_value(t, t->now.e));
  for (int i = 0; i < t->ncontact; i++) {
    contact k = t->contact[i];
    if (!contact_follow(t, &t->trial, &k)) continue;
    if (k.at.gap <= 0) return DBL_MAX;
    double after = k.at.gap < t->range ? repulsion(k.at.gap, t->range, d) : 0;
    sum += weight * (after - repulsion(t->contact[i].at.gap, t->range, d));
  }
  return sum;
}

static void swap_states(taut *t) {
  state swap = t->now;
  t->now = t->trial;
  t->trial = swap;
}

// Goes along the step as far as that is good. *moved -1: what it would have met guards the state
// now, and another step is to be found.
static pl_status try_step(taut *t, double weight, double slope, int *displaced) {
  double gap = fmin(t->gap, t->range), by = safe_step(t);
  for (*displaced = 0; by > 1e-12; by /= 2) {
    move(t, by, &t->trial);
    if (change(t, weight) > 1e-4 * by * slope + 1e-14) continue;
    pl_status s = find_contacts(t, &t->trial);
    if (s < 0) return s;
    if (s == PL_DOMAIN || t->gap < 0.02 * gap) {
      int before = t->nguard;
      PL_TRY(add_guards(t, 0.02 * gap));
      PL_TRY(refresh_contacts(t));
      if (t->nguard == before) continue;
      *displaced = -1;
      return PL_OK;
    }
    swap_states(t);
    *displaced = 1;
    return guard_state(t);
  }
  return PL_OK;
}

// The minimum for one weight of the repulsion, from where the state is. On the way to smaller
// weights it need not be met: contacts that come and go make the energy jump by about the weight.
static pl_status centre(taut *t, double weight, int most) {
  for (int i = 0; i < most; i++) {
    int displaced;
    assemble(t, &t->now, weight);
    double slope = direction(t);
    t->left = -slope;
    // the decrement over what a contact holds
    if (t->left < 1e-10 * weight) return PL_OK;
    PL_TRY(pl_report_progress(t->c->env, NULL, -1, NULL));
    PL_TRY(try_step(t, weight, slope, &displaced));
    t->out->iterations++;
    // what is left is about what the weight itself leaves
    if ((displaced == 0 || i >= ROUGH) && t->left < (t->patient ? 0.1 : 10) * weight) return PL_OK;
    if (displaced == 0) break;
  }
  return t->left < GOOD ? PL_OK : PL_UNSOLVED;
}

// ---- results ------------------------------------------------------------------------------------

static pl_status keep_contacts(taut *t, double weight) {
  pl_taut *out = t->out;
  double *force = pl_alloc(t->c->env, (size_t)t->ncontact, sizeof *force), d[2];
  out->contact = pl_alloc(t->c->env, (size_t)t->ncontact, sizeof *out->contact);
  if (!out->contact || !force) {
    pl_free(t->c->env, force);
    return PL_E_NOMEM;
  }
  for (int i = 0; i < t->ncontact; i++) {
    repulsion(t->contact[i].at.gap, t->range, d);
    force[i] = -weight * d[0];
  }
  pl_status s = certify(t, force, &out->bound);
  out->certified = out->bound < CERTAIN;
  out->bound *= t->measure;
  for (int i = 0; s == PL_OK && i < t->ncontact; i++) {
    const contact *k = &t->contact[i];
    const pair *p = &t->c->pair[k->pair];
    out->contact[out->ncontact++] =
        (pl_taut_contact){{p->i, p->j}, {p->cell[0], p->cell[1]}, {k->piece[0], k->piece[1]},
                          k->at,        force[i] * t->measure,    {t->c->of[p->i], t->c->of[p->j]}};
  }
  pl_free(t->c->env, force);
  return s;
}

// elements that are not linked have a part in what holds it
static void look_for_folds(taut *t) {
  double all = 0, loose = 0;
  for (int i = 0; i < t->ncontact; i++) {
    double force = t->out->contact[i].force;
    all += force;
    if (!pair_linked(t->c, t->contact[i].pair)) loose += force;
  }
  if (loose > HELD * all) t->out->folds = 1;
}

// bent to less than the width of an element
static int is_round(const taut *t) {
  return is_bent(t) && fabs(t->now.e[t->nfree - 1]) > 0.5;
}

// the end of a path: strains of the last two weights
typedef struct path {
  double last[PL_TAUT_FREE], before, weight;
} path;

// weights of the repulsion from one to the last
static pl_status descend(taut *t, double from, path *p) {
  int stages = (int)ceil(log10(from / t->o->weight) - 1e-9);
  *p = (path){.weight = 0};
  for (int k = 0; k <= stages; k++) {
    memcpy(p->last, t->now.e, sizeof p->last);
    p->before = p->weight;
    p->weight = k == 0 ? from : k == stages ? t->o->weight : p->weight / 10;
    int end = k >= stages - 1;
    // at the end of the path only what is about to touch counts
    if (p->weight < 1e-3 && k < stages) {
      t->range = fmax(t->range / 2, 0.1 * t->o->barrier * t->c->wire);
      PL_TRY(refresh_contacts(t));
    }
    int most = end || is_bent(t) ? t->o->max_iter : ROUGH;
    pl_status s = centre(t, p->weight, t->patient ? PATIENT * t->o->max_iter : most);
    if (s == PL_UNSOLVED && end && is_round(t) && t->patient) {
      t->out->folds = 1;
      break;
    }
    if (s != PL_OK && (end || s != PL_UNSOLVED)) return s;
  }
  return PL_OK;
}

static pl_status keep_state(taut *t, const path *p) {
  pl_taut *out = t->out;
  int wall = walls_hold(t, p->weight, HELD);
  t->walled = out->folds || wall;
  if (t->walled) *(is_bent(t) ? &out->folds : &out->open) = is_bent(t) ? 1 : wall;
  // all is linear in the weight near its end
  int ends = p->before > 0 && !out->folds && !out->open;
  for (int k = 0; k < t->nfree; k++) {
    double slope = ends ? (p->last[k] - t->now.e[k]) / (p->before - p->weight) : 0;
    out->e[k] = (t->now.e[k] - slope * p->weight) * (k < t->nstrain ? 1 : t->unit);
  }
  out->value = pl_dot(t->nfree, t->g->goal, out->e);
  out->gap = t->gap;
  t->place->shape(t, t->now.e, out->stretch, out->curvature);
  out->shape = t->g->shape;
  out->angle = t->g->angle;
  for (int i = 0; i < t->c->nelem; i++) t->place->image(t, &t->now, &(pair){.j = i}, &out->pose[i]);
  PL_TRY(keep_contacts(t, p->weight));
  if (is_bent(t)) look_for_folds(t);
  return PL_OK;
}

// Once more from a larger weight, without places beside flat contacts: these guide the way there,
// but move with the state, so that its last minima are not met.
static pl_status once_more(taut *t) {
  pl_taut *first = t->out, second = {.nelem = t->c->nelem};
  path p;
  second.pose = pl_alloc(t->c->env, (size_t)t->c->nelem, sizeof *second.pose);
  if (!second.pose) return PL_E_NOMEM;
  t->out = &second;
  t->plain = 1;
  pl_status s = refresh_contacts(t);
  if (s == PL_OK) s = descend(t, AGAIN, &p);
  if (s == PL_OK) s = keep_state(t, &p);
  t->out = first;
  if (s == PL_OK && second.value > first->value - CERTAIN * t->measure &&
      second.folds <= first->folds) {
    pl_taut swap = *first;
    *first = second;
    second = swap;
  }
  first->iterations += second.iterations;
  first->evaluations += second.evaluations;
  pl_taut_free(t->c->env, &second);
  return s < 0 || s == PL_CANCELLED ? s : PL_OK;
}

static pl_status follow_path(taut *t, double from) {
  path p;
  PL_TRY(descend(t, from, &p));
  PL_TRY(keep_state(t, &p));
  const pl_taut *out = t->out;
  // bent states may be stationary between two ways out; what is held by nothing stays so
  int more = !t->walled && (!out->certified || (is_bent(t) && !out->folds));
  return more && t->o->weight < AGAIN ? once_more(t) : PL_OK;
}

// Goals of curvature alone are counted as strains are: by what they do to an element.
static void set_goal(taut *t, const pl_taut_goal *g) {
  for (int k = 0; k < t->nfree; k++)
    t->goal[k] = g->goal[k] * (k < t->nstrain ? 1 : t->unit / t->measure);
}

static pl_status taut_open(taut *t, pl_cell *c, const pl_taut_opts *o, const pl_taut_goal *g,
                           pl_taut *out) {
  static const placing *const place[] = {&placing_flat, &placing_cylinder, &placing_disk};
  *out = (pl_taut){.nelem = c->nelem};
  size_t ne = (size_t)c->nelem, n = 6 * ne + PL_TAUT_FREE;
  *t = (taut){.c = c,
              .o = o,
              .g = g,
              .place = place[g->shape],
              .range = o->barrier * c->wire,
              .unit = 1 / c->range,
              .out = out};
  t->now.pose = pl_alloc(c->env, ne, sizeof(pl_pose));
  t->trial.pose = pl_alloc(c->env, ne, sizeof(pl_pose));
  out->pose = pl_alloc(c->env, ne, sizeof(pl_pose));
  t->at = pl_alloc(c->env, n, sizeof *t->at);
  t->tie_row = pl_alloc(c->env, TIES * n, sizeof(double));
  t->grad = pl_alloc(c->env, n, sizeof(double));
  t->step = pl_alloc(c->env, n, sizeof(double));
  t->scale = pl_alloc(c->env, n, sizeof(double));
  t->H = pl_alloc(c->env, n * n, sizeof(double));
  t->eig = pl_alloc(c->env, n * n, sizeof(double));
  t->V = pl_alloc(c->env, n * n + n, sizeof(double));
  if (!t->now.pose || !t->trial.pose || !out->pose || !t->at || !t->tie_row || !t->grad ||
      !t->step || !t->scale || !t->H || !t->eig || !t->V)
    return PL_E_NOMEM;
  PL_TRY(open_outlook(t));
  for (int i = 0; i < c->nelem; i++) t->now.pose[i] = t->place->home(c, i);
  t->most = t->place->most(t);
  number_unknowns(t);
  scale_unknowns(t);
  t->measure = is_bent(t) ? t->unit : 1;
  for (int k = 0; k < t->nstrain; k++)
    if (g->goal[k] != 0) t->measure = 1;
  set_goal(t, g);
  if (is_bent(t))
    t->wall[t->nfree - 1] = 1;
  else
    memcpy(t->wall, t->goal, sizeof t->wall);
  return PL_OK;
}

static void taut_close(taut *t) {
  pl_env *env = t->c->env;
  void *all[] = {t->now.pose, t->trial.pose, t->grad,    t->step,    t->scale,
                 t->H,        t->eig,        t->outlook, t->V,       t->contact,
                 t->guard,    t->last,       t->at,      t->tie_row, t->clear};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_free(env, all[i]);
}

void pl_taut_free(pl_env *env, pl_taut *t) {
  pl_free(env, t->contact);
  pl_free(env, t->pose);
  *t = (pl_taut){0};
}

// a rough way to a goal that leans
static pl_status begin(taut *t) {
  for (double weight = 0.1; weight > 5e-4; weight /= 10) {
    pl_status s = centre(t, weight, ROUGH);
    if (s != PL_OK && s != PL_UNSOLVED) return s;
  }
  return PL_OK;
}

// Elements are moved a little, so that a way need not keep symmetries of the start; less where they
// would overlap.
static pl_status disturb(taut *t, int seed) {
  enum { HALVINGS = 8 };
  pl_rng r;
  double most = 0.8 * fmin(t->gap, t->range);
  pl_rng_seed(&r, (unsigned long long)seed);
  for (int k = 0; k < t->nz; k++)
    t->step[k] = k < t->nz - t->nfree ? most * pl_rng_uniform(&r, -1, 1) / t->scale[k] : 0;
  step_ties(t);
  for (double by = 1, least = pow(0.5, HALVINGS); by > least; by /= 2) {
    move(t, by, &t->trial);
    pl_status s = find_contacts(t, &t->trial);
    if (s < 0) return s;
    if (s != PL_OK) continue;
    swap_states(t);
    return PL_OK;
  }
  return refresh_contacts(t);
}

// Ways differ in how they begin: towards the goal alone; leaning on the strains that are free, both
// ways; and all of these again from disturbed starts. Patient ones go on to smaller weights only
// when they are at the minimum for one: what leaves it too soon slides along its contacts, whose
// gaps become so small that steps along them, which are curved, have no room.
static pl_status one_way(pl_cell *c, const pl_taut_opts *o, int which, int patient,
                         const pl_taut_goal *g, pl_taut *out) {
  static const double lean[3] = {0, -1, 1};
  taut t;
  pl_taut_goal first = *g;
  for (int k = 0; k < g->n; k++)
    if (g->goal[k] == 0) first.goal[k] = lean[which % 3];
  pl_status s = taut_open(&t, c, o, g, out);
  t.patient = patient;
  if (s == PL_OK) s = find_contacts(&t, &t.now);
  if (s == PL_OK && which > 2) s = disturb(&t, which);
  set_goal(&t, &first);
  if (s == PL_OK && which % 3) s = begin(&t);
  set_goal(&t, g);
  if (s == PL_OK) s = follow_path(&t, which % 3 ? 1e-3 : 0.1);
  taut_close(&t);
  if (s < 0) pl_taut_free(c->env, out);
  return s;
}

// limits that are none need no certificate
static int is_certain(const pl_taut *t) {
  return t->certified || t->open || t->folds;
}

// The farther one; of two that are as far, the one that is certain.
static void keep_better(pl_env *env, double same, pl_taut *best, pl_taut *other) {
  double worst = fmin(best->value - best->spread, other->value);
  double more = is_certain(other) == is_certain(best) ? 0 : is_certain(other) ? -same : same;
  if (other->value > best->value + more) {
    pl_taut swap = *best;
    *best = *other;
    *other = swap;
  }
  best->spread = fmax(best->value - worst, 0);
  best->iterations += other->iterations;
  best->evaluations += other->evaluations;
  pl_taut_free(env, other);
}

pl_status pl_cell_taut(pl_cell *c, const pl_taut_opts *o, const pl_taut_goal *g, pl_taut *out) {
  *out = (pl_taut){0};
  PL_TRY(pl_opts_check(c->env, pl_taut_option_table, pl_taut_option_count, o));
  if ((g->shape == PL_TAUT_PARABOLOID) != (c->disk > 0))
    return pl_fail(c->env, PL_E_ARG, "paraboloids are for disks of elements, and these for them");
  pl_status best = PL_UNSOLVED;
  double same = CERTAIN * (g->shape == PL_TAUT_FLAT ? 1 : 1 / c->range);
  // where none has ended yet others are tried, and where none is certain that could be
  int sure = o->weight < AGAIN ? SURE : 0;
  for (int k = 0; k < g->starts || (best != PL_OK && k < WAYS) || (k < sure && !is_certain(out));
       k++) {
    pl_taut found;
    // after those that were asked for the first way once more with patience, then, where there is
    // one that is not certain, disturbed starts
    int more = k - (g->starts > 1 ? g->starts : 1);
    int which = more == 0 ? 0 : more < 0 || best != PL_OK ? k : 3 * k;
    pl_status s = one_way(c, o, which, more >= 0, g, &found);
    if (s < 0 || s == PL_CANCELLED) {
      pl_taut_free(c->env, out);
      if (s >= 0) pl_taut_free(c->env, &found);
      return s;
    }
    if (s == PL_OK && best == PL_OK) {
      keep_better(c->env, same, out, &found);
    } else if (s == PL_OK || k == 0) {
      pl_taut_free(c->env, out);
      *out = found;
      best = s == PL_OK ? PL_OK : best;
    } else {
      pl_taut_free(c->env, &found);
    }
  }
  return best;
}
