#include "descent.h"

#include <string.h>

// A patch in time, by implicit Euler's steps: each is the minimum of
//   m / (2 h^2) |c - c0 - h v|^2 + |Q - Q0 - h dQ|^2 / (2 h^2) (by second moments) + gravity
//   + repulsion + friction,
// whose forces across contacts are those of the normal forces before the step, found again a few
// times with those at its end.

static const double CREEP = 1e-3;   // speed below which friction sticks, over sqrt(g thin)
static const double SETTLED = 1e-7; // force and moment left of an element, over a mean one's weight
static const double LAGGED = 1e-3;  // change of friction that is let be, over a mean one's weight
enum { AGAIN = 5, HALVINGS = 12 };

typedef struct move {
  descent d;
  const pl_move_opts *o;
  const pl_move_observer *observer;
  pl_patch_state *s;
  double h, creep;
  body_aim *aim;       // [n]
  double (*moment)[9]; // [n] kg m^2
  pl_pose *start;      // [n] of the step
  int nrub, cap_rub;
  rub *rub;
} move;

static void centre_of(const move *m, const pl_pose *at, int i, double out[3]) {
  double arm[3];
  pl_apply3(at->Q, m->d.p.middle[i], arm);
  for (int c = 0; c < 3; c++) out[c] = at->x[c] + arm[c];
}

// Damping in proportion to mass draws everything back to where it was.
static void set_target(move *m, int i) {
  double c[3], drag = m->o->damping * m->h, F[9];
  body_aim *a = &m->aim[i];
  centre_of(m, &m->start[i], i, c);
  a->stiff = m->d.p.mass[i] * (1 + drag) / (m->h * m->h);
  for (int k = 0; k < 3; k++) a->aim[k] = c[k] + m->h * m->s->v[i][k] / (1 + drag);
  for (int k = 0; k < 9; k++)
    F[k] = ((1 + drag) * m->start[i].Q[k] + m->h * m->s->spin[i][k]) / (m->h * m->h);
  pl_mul3(F, m->moment[i], a->A);
}

// ---- friction -----------------------------------------------------------------------------------

static double coefficient(const move *m, const hold *h) {
  return h->j >= 0 ? m->o->friction : m->d.p.in->obstacle[-1 - h->j].mu;
}

static void across(const double *n, double T[2][3]) {
  double e[3] = {0};
  int least = 0;
  for (int c = 1; c < 3; c++)
    if (fabs(n[c]) < fabs(n[least])) least = c;
  e[least] = 1;
  pl_cross3(n, e, T[0]);
  double size = pl_norm3(T[0]);
  for (int c = 0; c < 3; c++) T[0][c] /= size;
  pl_cross3(n, T[0], T[1]);
}

// The points of both elements that touch, where they are now and where they were.
static void set_rub(const move *m, const hold *h, rub *out) {
  const descent *d = &m->d;
  slopes s;
  pl_swept at;
  double p[3];
  hold_slopes(&d->p, d->at, h, &s);
  *out = (rub){.i = h->i, .j = h->j, .limit = coefficient(m, h) * descent_push(d, h)};
  across(s.g, out->T);
  piece_at(hold_piece(&d->p, h, 0), h->at.on[0], h->at.u, &at);
  pl_apply3(d->at[h->i].Q, at.p, p);
  for (int c = 0; c < 3; c++) p[c] += d->at[h->i].x[c] - (at.rho + h->at.gap / 2) * s.g[c];
  const int end[2] = {h->i, h->j};
  for (int e = 0; e < 2; e++) {
    double w[3], old[3];
    if (end[e] < 0) continue;
    const pl_pose *now = &d->at[end[e]], *was = &m->start[end[e]];
    pl_sub3(p, now->x, w);
    for (int c = 0; c < 3; c++)
      out->arm[e][c] = now->Q[c] * w[0] + now->Q[3 + c] * w[1] + now->Q[6 + c] * w[2];
    pl_apply3(was->Q, out->arm[e], old);
    for (int c = 0; c < 3; c++) out->from[e][c] = was->x[c] + old[c];
  }
}

// *change: of the largest limit
static pl_status find_rubs(move *m, double *change) {
  descent *d = &m->d;
  double before = 0, now = 0;
  for (int k = 0; k < m->nrub; k++) before += m->rub[k].limit;
  m->nrub = 0;
  for (int k = 0; k < d->now.n; k++) {
    const hold *h = &d->now.item[k];
    if (!(coefficient(m, h) > 0)) continue;
    PL_TRY(pl_grow(d->p.env, &m->rub, m->nrub, &m->cap_rub, sizeof *m->rub));
    set_rub(m, h, &m->rub[m->nrub]);
    now += m->rub[m->nrub++].limit;
  }
  d->nrub = m->nrub;
  d->rub = m->rub;
  *change = fabs(now - before);
  return PL_OK;
}

// ---- steps --------------------------------------------------------------------------------------

// The minimum from where the elements are. PL_UNSOLVED: it is not met.
static pl_status settle(move *m) {
  descent *d = &m->d;
  d->shift = 1e-9;
  for (int i = 0; i < m->o->max_iter; i++) {
    double by;
    PL_TRY(pl_report_progress(d->p.env, "native", m->s->t / m->o->duration, ""));
    PL_TRY(descent_direction(d));
    if (descent_imbalance(d) < SETTLED * d->force || d->left < 1e-12 * d->weight) return PL_OK;
    PL_TRY(descent_step(d, &by));
    d->iterations++;
    d->shift *= by > 0.3 ? 0.3 : by < 0.05 ? 8 : 1;
    if (by == 0) return descent_imbalance(d) < 1e-2 * d->force ? PL_OK : PL_UNSOLVED;
  }
  return PL_UNSOLVED;
}

// as if the step were the first: what is kept of a motion is all that it goes on from
static pl_status begin(move *m) {
  descent *d = &m->d;
  memcpy(d->at, m->start, (size_t)d->p.in->n * sizeof *d->at);
  memcpy(d->trial, m->start, (size_t)d->p.in->n * sizeof *d->trial);
  blocks_free(d->p.env, &d->K);
  m->nrub = d->nrub = 0;
  PL_TRY(descent_restart(d));
  for (int k = 0; k < d->now.n; k++) d->now.item[k].force = NAN;
  descent_bound(d, &d->now);
  return PL_OK;
}

static pl_status solve(move *m) {
  descent *d = &m->d;
  double change;
  PL_TRY(begin(m));
  d->slip = m->creep * m->h;
  for (int i = 0; i < d->p.in->n; i++)
    if (d->p.unknown[i] >= 0) set_target(m, i);
  PL_TRY(find_rubs(m, &change));
  for (int round = 0; round < AGAIN; round++) {
    PL_TRY(settle(m));
    // the last forces of friction are those that the books are about
    if (round + 1 == AGAIN) break;
    PL_TRY(find_rubs(m, &change));
    if (change < LAGGED * d->force) break;
  }
  return PL_OK;
}

// ---- books --------------------------------------------------------------------------------------

static double kinetic(const move *m) {
  double sum = 0;
  for (int i = 0; i < m->d.p.in->n; i++) {
    double F[9];
    if (m->d.p.unknown[i] < 0) continue;
    pl_mul3(m->s->spin[i], m->moment[i], F);
    sum += m->d.p.mass[i] * pl_dot3(m->s->v[i], m->s->v[i]) / 2 + pl_dot(9, F, m->s->spin[i]) / 2;
  }
  return sum;
}

static double potential(const move *m) {
  const pl_patch *in = m->d.p.in;
  double sum = 0;
  for (int i = 0; i < in->n; i++) {
    double c[3];
    if (m->d.p.unknown[i] < 0) continue;
    centre_of(m, &m->d.at[i], i, c);
    sum -= m->d.p.mass[i] * pl_dot3(in->gravity, c);
    if (in->load) sum -= pl_dot3(in->load[i], m->d.at[i].x);
  }
  return sum;
}

static double repulsion(const move *m) {
  double sum = 0, by[2];
  for (int k = 0; k < m->d.now.n; k++) {
    const hold *h = &m->d.now.item[k];
    if (h->at.gap < m->d.p.range)
      sum += m->d.weight * h->share * descent_barrier(h->at.gap, m->d.p.range, by);
  }
  return sum;
}

static void close_books(move *m, pl_move_step *out) {
  pl_patch_state *s = m->s;
  const descent *d = &m->d;
  double drag = 0, rubbed = 0;
  for (int i = 0; i < s->n; i++) {
    double was[3], is[3], F[9];
    if (d->p.unknown[i] < 0) continue;
    centre_of(m, &m->start[i], i, was);
    centre_of(m, &d->at[i], i, is);
    for (int c = 0; c < 3; c++) s->v[i][c] = (is[c] - was[c]) / m->h;
    for (int c = 0; c < 9; c++) s->spin[i][c] = (d->at[i].Q[c] - m->start[i].Q[c]) / m->h;
    pl_mul3(s->spin[i], m->moment[i], F);
    drag += m->o->damping * m->h *
            (d->p.mass[i] * pl_dot3(s->v[i], s->v[i]) + pl_dot(9, F, s->spin[i]));
  }
  for (int k = 0; k < m->nrub; k++) rubbed += descent_rub_work(d, &m->rub[k]);
  memcpy(s->pose, d->at, (size_t)s->n * sizeof *s->pose);
  s->t += m->h;
  *out = (pl_move_step){.h = m->h,
                        .kinetic = kinetic(m),
                        .potential = potential(m),
                        .repulsion = repulsion(m),
                        .unbalanced = descent_imbalance(d),
                        .gap = d->gap,
                        .contacts = d->now.n,
                        .iterations = d->iterations};
  double before = s->energy;
  s->energy = out->kinetic + out->potential + out->repulsion;
  s->rubbed += rubbed;
  s->damped += drag;
  s->scheme += before - s->energy - rubbed - drag;
}

// A step that is not solved is made of two halves.
static pl_status go(move *m, double end, pl_move_step *step) {
  double whole = end - m->s->t;
  for (int half = 0;; half++) {
    m->h = whole / (1 << half);
    memcpy(m->start, m->s->pose, (size_t)m->s->n * sizeof *m->start);
    pl_status s = solve(m);
    if (s == PL_OK) break;
    if (s != PL_UNSOLVED || half == HALVINGS) return s;
  }
  close_books(m, step);
  return PL_OK;
}

static pl_status run(move *m) {
  pl_move_step step = {0};
  double h = m->o->step;
  PL_TRY(begin(m));
  step.kinetic = kinetic(m);
  step.potential = potential(m);
  step.repulsion = repulsion(m);
  step.gap = m->d.gap;
  step.contacts = m->d.now.n;
  if (m->s->t == 0) {
    m->s->energy = step.kinetic + step.potential + step.repulsion;
    PL_TRY(m->observer->step(m->observer->ctx, m->s, &step));
  }
  while (m->s->t < m->o->duration * (1 - 1e-12)) {
    double next = fmin(h * (floor(m->s->t / h * (1 + 1e-12)) + 1), m->o->duration);
    m->d.iterations = 0;
    while (m->s->t < next * (1 - 1e-12)) PL_TRY(go(m, next, &step));
    m->s->t = next;
    PL_TRY(m->observer->step(m->observer->ctx, m->s, &step));
  }
  return PL_OK;
}

static pl_status move_open(move *m, pl_env *env, const pl_patch *in, pl_threads *threads) {
  size_t n = (size_t)in->n;
  PL_TRY(descent_open(&m->d, env, in, m->o->barrier, 0, threads));
  m->aim = pl_alloc(env, n, sizeof *m->aim);
  m->moment = pl_alloc(env, n, sizeof *m->moment);
  m->start = pl_alloc(env, n, sizeof *m->start);
  if (!m->aim || !m->moment || !m->start) return PL_E_NOMEM;
  for (int i = 0; i < in->n; i++) {
    if (i > 0 && in->elem[i] == in->elem[i - 1])
      memcpy(m->moment[i], m->moment[i - 1], sizeof *m->moment);
    else
      element_moment(in->elem[i], m->moment[i]);
    for (int k = 0; k < 9 && (i == 0 || in->elem[i] != in->elem[i - 1]); k++)
      m->moment[i][k] *= m->d.p.mass[i];
  }
  m->d.aim = m->aim;
  m->d.mend = 1;
  m->d.weight = m->o->weight * m->d.unit;
  double g = pl_norm3(in->gravity);
  m->creep = m->o->creep > 0 ? m->o->creep : CREEP * sqrt((g > 0 ? g : 9.81) * m->d.p.thin);
  memcpy(m->start, m->s->pose, n * sizeof *m->start);
  return PL_OK;
}

pl_status pl_patch_move(pl_env *env, const pl_patch *p, const pl_move_opts *o, pl_threads *threads,
                        const pl_move_observer *observer, pl_patch_state *s) {
  move m = {.o = o, .observer = observer, .s = s};
  PL_TRY(pl_opts_check(env, pl_move_option_table, pl_move_option_count, o));
  pl_patch at = *p;
  at.pose = s->pose;
  pl_status st = move_open(&m, env, &at, threads);
  if (st == PL_OK) st = run(&m);
  void *all[] = {m.aim, m.moment, m.start, m.rub};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) pl_free(env, all[k]);
  descent_close(&m.d);
  return st;
}

pl_status pl_patch_state_create(pl_env *env, const pl_patch *p, pl_patch_state **out) {
  size_t n = (size_t)p->n;
  pl_patch_state *s = *out = pl_alloc(env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  *s = (pl_patch_state){.n = p->n};
  s->pose = pl_alloc(env, n, sizeof *s->pose);
  s->v = pl_alloc(env, n, sizeof *s->v);
  s->spin = pl_alloc(env, n, sizeof *s->spin);
  if (!s->pose || !s->v || !s->spin) {
    pl_patch_state_free(env, s);
    *out = NULL;
    return PL_E_NOMEM;
  }
  memcpy(s->pose, p->pose, n * sizeof *s->pose);
  memset(s->v, 0, n * sizeof *s->v);
  memset(s->spin, 0, n * sizeof *s->spin);
  return PL_OK;
}

void pl_patch_state_free(pl_env *env, pl_patch_state *s) {
  if (!s) return;
  pl_free(env, s->pose);
  pl_free(env, s->v);
  pl_free(env, s->spin);
  pl_free(env, s);
}
