// Jumps: one free body through launch, flight, landings and bounces to rest. On the ground and
// while it vibrates it is made of finite elements; in between a rigid body of the same momenta.
#include "solve_impl.h"

#include <string.h>

pl_transient_opts pl_jump_transient(const pl_jump_opts *o) {
  pl_transient_opts t = pl_transient_defaults();
  t.method = PL_NEWMARK;
  t.duration = o->duration;
  t.step = o->step;
  t.rtol = o->rtol;
  t.max_iter = o->max_iter;
  t.impact = o->impact;
  t.restitution = o->restitution;
  t.impact_step = o->impact_step;
  return t;
}

// ---- turns --------------------------------------------------------------------------------------

// the small turn that leads from one orientation to the next, as a vector in the world
static void small_rotation(const double *from, const double *to, double *d) {
  double back[4] = {from[0], -from[1], -from[2], -from[3]}, q[4];
  pl_quat_mul(to, back, q);
  double sign = q[0] < 0 ? -1 : 1, size = pl_norm3(q + 1);
  double factor = size > 0 ? 2 * atan2(size, sign * q[0]) / size : 0;
  for (int c = 0; c < 3; c++) d[c] = sign * factor * q[1 + c];
}

static void add_rotation(pl_jump_state *k, const pl_flight *now) {
  double d[3];
  small_rotation(k->body.rot, now->rot, d);
  double size = pl_norm3(d);
  for (int r = 0; r < 3; r++) k->rot[r] += d[r];
  for (int i = 0; i < 9 && size > 0; i++) k->scatter[i] += d[i / 3] * d[i % 3] / size;
}

void pl_jump_axis(const pl_jump_state *k, double *axis) {
  double value[3], V[9];
  int most = 0;
  pl_eig3(k->scatter, value, V);
  for (int r = 0; r < 3; r++) axis[r] = V[3 * r + 2];
  for (int r = 1; r < 3; r++)
    if (fabs(axis[r]) > fabs(axis[most])) most = r;
  if (axis[most] < 0)
    for (int r = 0; r < 3; r++) axis[r] = -axis[r];
}

// ---- what every step tells ----------------------------------------------------------------------

static void extent_along(const stepper *st, const double *up, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (int i = 0; i < pl_model_nnode(st->m); i++) {
    double z = pl_dot3(st->s->q + 3 * i, up);
    *low = fmin(*low, z);
    *high = fmax(*high, z);
  }
}

// the body has moved to where the state is; w has its energies
static void follow(stepper *st, const pl_flight *now) {
  pl_jump_state *k = &st->hist->jump;
  double low, high, d[3];
  add_rotation(k, now);
  k->body = *now;
  k->now[0] = st->w->kinetic;
  k->now[1] = st->w->elastic;
  k->now[2] = st->w->potential;
  k->most = fmax(k->most, st->w->kinetic);
  k->fastest = fmax(k->fastest, flight_motion(now));
  extent_along(st, k->up, &low, &high);
  k->clearance = fmax(k->clearance, low);
  k->top = fmax(k->top, high);
  pl_sub3(now->centre, k->start.centre, d);
  k->rise = fmax(k->rise, pl_dot3(d, k->up));
}

pl_status jump_open(stepper *st) {
  pl_jump_state *k = &st->hist->jump;
  int n = pl_model_nnode(st->m);
  st->fit = pl_alloc(st->env, 3 * (size_t)pl_model_nq(st->m), sizeof *st->fit);
  if (!st->fit) return PL_E_NOMEM;
  if (k->stage != PL_JUMP_NONE) return PL_OK;
  pl_status s = flight_open(st->m, st->p, st->w, NULL, st->fit, &k->body);
  if (s == PL_DOMAIN)
    return pl_fail_at(st->env, PL_E_INPUT, NULL, 0, 0, "use a solid body",
                      "jump: all mass lies on one line, about which nothing has an angle");
  PL_TRY(s);
  PL_TRY(stepper_eval(st, st->s, PL_WANT_ENERGY | PL_WANT_FORCE, NULL));
  flight_catch(st->p, st->w, n, NULL, st->s, st->fit, &k->body);
  double g = pl_norm3(k->body.gravity);
  for (int c = 0; c < 3; c++) k->up[c] = g > 0 ? -k->body.gravity[c] / g : c == 2;
  k->start = k->left = k->body;
  extent_along(st, k->up, &k->low, &k->high);
  k->clearance = k->low;
  k->top = k->high;
  k->stage = PL_JUMP_GROUND;
  k->last_contact = k->moving = st->s->t;
  k->energy = st->w->kinetic + st->w->potential;
  k->elastic = st->w->elastic;
  follow(st, &k->start);
  return PL_OK;
}

// ---- ground and air -----------------------------------------------------------------------------

static int in_contact(const stepper *st) {
  const pl_contact *c = st->contacts ? st->contacts->k : NULL;
  for (int i = 0; c && i < c->npair; i++)
    if (c->pair[i].status != PL_OPEN) return 1;
  return c && c->npress > 0;
}

// finite elements after a step; before: the body a step ago, with its turn
static void stand(stepper *st, const pl_flight *before, const double *rot) {
  pl_jump_state *k = &st->hist->jump;
  double t = st->s->t;
  const size_t size = 3 * sizeof(double);
  if (in_contact(st)) {
    if (k->stage == PL_JUMP_AIR && !(k->landing.mass > 0)) {
      k->landing = *before;
      memcpy(k->landing_rotation, rot, size);
    }
    k->stage = PL_JUMP_GROUND;
    k->last_contact = t;
    k->left = k->body;
    memcpy(k->left_rotation, k->rot, size);
    k->fastest = 0;
  } else if (k->stage == PL_JUMP_GROUND && t - k->last_contact >= st->jump->hop * (1 - 1e-9)) {
    k->stage = PL_JUMP_AIR;
    k->nflight++;
    if (!(k->takeoff.mass > 0)) k->takeoff = k->left;
  }
  int still = k->stage == PL_JUMP_GROUND && k->now[0] <= st->jump->rest * k->most;
  if (!still) k->moving = t;
  k->over = t - k->moving >= st->jump->rest_time * (1 - 1e-9);
}

// ---- hand-over ----------------------------------------------------------------------------------

// forces besides gravity: a rigid body in flight knows none
static int has_loads(stepper *st) {
  const pl_clock c = {.t = st->s->t, .scale = 1, .timed = 1};
  pl_load(st->m, st->p, &c, st->ma);
  return pl_max_abs(st->nq, st->ma) > 0;
}

// Nothing is met for as long as makes a flight.
static pl_status is_clear(stepper *st, int *clear) {
  const pl_jump_state *k = &st->hist->jump;
  double h = st->hist->step;
  pl_flight f = k->body, before = f;
  int meets = 0;
  for (int i = 0, n = (int)fmin(1e6, ceil(st->jump->hop / h)); i <= n && !meets; i++) {
    PL_TRY(
        flight_meets(st->m, st->p, &before, &f, st->contacts->k, NULL, st->x, st->base->q, &meets));
    before = f;
    pl_flight_step(&f, h);
  }
  *clear = !meets;
  return PL_OK;
}

static pl_status may_fly(stepper *st, int *may) {
  const pl_jump_state *k = &st->hist->jump;
  const pl_jump_opts *o = st->jump;
  *may = 0;
  if (!o->rigid || k->stage != PL_JUMP_AIR || !st->contacts) return PL_OK;
  const pl_flight_loss l = flight_loss(&k->body, st->w);
  int calm = l.elastic + l.vibration <= o->vibration * k->fastest;
  if (!calm && st->s->t - k->last_contact < o->wait * (1 - 1e-9)) return PL_OK;
  return has_loads(st) ? PL_OK : is_clear(st, may);
}

// The state of the rigid body: nothing is strained, so that gravity and damping by mass alone
// accelerate it.
static void put_rigid(stepper *st, const pl_flight *f, pl_state *x) {
  double alpha = st->p->par[PL_PAR_ALPHA];
  pl_flight_state(st->m, st->p, f, x);
  for (int i = 0; i < st->nq; i++) x->a[i] = f->gravity[i % 3] - alpha * x->v[i];
}

static double apart(const double *a, const double *b, double size) {
  double d[3];
  pl_sub3(a, b, d);
  return size > 0 ? pl_norm3(d) / size : 0;
}

static pl_status become_rigid(stepper *st) {
  pl_jump_state *k = &st->hist->jump;
  double before = st->w->kinetic + st->w->potential;
  pl_flight after = k->body;
  k->loss = flight_loss(&k->body, st->w);
  put_rigid(st, &k->body, st->s);
  pl_commit(st->m, st->p, st->s);
  PL_TRY(stepper_eval(st, st->s, PL_WANT_ENERGY | PL_WANT_FORCE, NULL));
  k->lost += before - st->w->kinetic - st->w->potential;
  flight_catch(st->p, st->w, pl_model_nnode(st->m), NULL, st->s, st->fit, &after);
  double speed = sqrt(2 * k->loss.motion * after.mass);
  k->momentum = fmax(k->momentum, apart(after.momentum, k->body.momentum, speed));
  double spin = sqrt(2 * k->loss.motion * after.inertia[2]);
  k->momentum = fmax(k->momentum, apart(after.spin, k->body.spin, spin));
  k->now[0] = st->w->kinetic;
  k->now[1] = st->w->elastic;
  k->now[2] = st->w->potential;
  k->stage = PL_JUMP_RIGID;
  k->nhand++;
  st->audit.known = 0;
  return PL_OK;
}

// back to elements when the next step would meet an obstacle
static pl_status look_ahead(stepper *st) {
  pl_jump_state *k = &st->hist->jump;
  pl_flight f = k->body;
  int meets;
  pl_flight_step(&f, st->hist->step);
  PL_TRY(
      flight_meets(st->m, st->p, &k->body, &f, st->contacts->k, NULL, st->x, st->base->q, &meets));
  if (!meets) return PL_OK;
  k->stage = PL_JUMP_AIR;
  k->nhand++;
  st->audit.known = 0;
  return PL_OK;
}

// ---- steps --------------------------------------------------------------------------------------

int jump_is_rigid(const stepper *st) {
  return st->hist->jump.stage == PL_JUMP_RIGID;
}

void jump_try(stepper *st, double h, double t) {
  st->next = st->hist->jump.body;
  pl_flight_step(&st->next, h);
  st->next.t = t;
  pl_state_copy(st->x, st->s);
  put_rigid(st, &st->next, st->x);
}

void jump_accept(stepper *st, double h) {
  const pl_flight *f = &st->next;
  double d[3];
  st->hist->last_step = h;
  if (st->contacts->k->accepted) st->contacts->k->accepted(st->contacts->k->ctx, st->x, h);
  pl_state_copy(st->s, st->x);
  pl_commit(st->m, st->p, st->s);
  pl_sub3(f->centre, f->rest, d);
  st->w->kinetic = flight_motion(f);
  st->w->elastic = st->w->outer = st->w->slipped = st->w->dissipated = 0;
  st->w->potential = -f->mass * pl_dot3(f->gravity, d);
  follow(st, f);
}

pl_status jump_complete(stepper *st) {
  pl_jump_state *k = &st->hist->jump;
  if (k->stage == PL_JUMP_RIGID) {
    k->moving = st->s->t;
    return look_ahead(st);
  }
  pl_flight before = k->body, now = k->body;
  double rot[3];
  memcpy(rot, k->rot, sizeof rot);
  flight_catch(st->p, st->w, pl_model_nnode(st->m), NULL, st->s, st->fit, &now);
  follow(st, &now);
  stand(st, &before, rot);
  int may;
  PL_TRY(may_fly(st, &may));
  return may ? become_rigid(st) : PL_OK;
}
