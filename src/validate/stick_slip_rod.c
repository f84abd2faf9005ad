// A strip pressed on a plane until its tip slips, by discrete rods: load steps and slow motion with
// exact friction, and with a viscous law, which has no threshold. Romero et al. 2021, sections 4.5
// and 7.4.
#include "rod_model.h"

#include <string.h>

static const double THIN = 5e-4, BROAD = 5e-3; // of the section, over the length
static const double END = 0.34;                // the tip lies flat at 0.3303
// load steps: first and longest, and that at which a slip counts
static const double STEP = 1e-3, LONGEST = 0.01, SHORTEST = 1e-7;
// motion: rate of eps in omega, and times edges where they are fine, so that it becomes slower with
// them; damping in omega, time step in 1/omega
static const double RATE = 1e-3, FINE = 0.06, DAMPING = 1, TIME_STEP = 0.1;
static const double DRAG = 100; // viscous law: at the clamp's speed a tenth of E I/L^2
enum { STICK_ITER = 25 };       // Newton iterations that find a strip that sticks
static const double GONE = 0.1; // of the tip from its place, over the length
static const double GRIP = 10;  // friction that holds any tip, to begin with

typedef struct press {
  pl_env *env;
  const press_desc *d;
  rod r;
  pl_contact *k;
  double eps;
} press;

// ---- begin --------------------------------------------------------------------------------------

// slope of the buckled shape of a strip clamped and pinned, tan(k) = k
static double mode_slope(double s) {
  static const double k = 4.493409457909064;
  return k * (cos(k * s) - 1) + k * k * sin(k * s);
}

// nodes on a strip of the same length that has buckled to the side, its tip below the clamp
static void bend_sideways(press *p) {
  const rod *r = &p->r;
  int n = r->n;
  double *q = r->b.state->q, sum = 0, x = 0, z = -PRESS_START * r->length - 0.5 * r->edge;
  for (int i = 1; i < n; i++) {
    double a = mode_slope(i / (n - 0.5));
    sum += 0.5 * a * a / (n - 0.5);
  }
  for (int i = 2; i <= n; i++) {
    double angle = sqrt(PRESS_START / sum) * mode_slope((i - 1) / (n - 0.5));
    x += r->edge * sin(angle);
    z -= r->edge * cos(angle);
    q[3 * i] = x;
    q[3 * i + 2] = z;
  }
  for (int i = 2; i <= n; i++) {
    double s = (i - 0.5) / (n - 0.5);
    q[3 * i] -= x * s * s;
  }
}

// friction on the plane, from now on
static void set_friction(press *p, double mu) {
  pl_contact_reset(p->k);
  p->k->pair[0].mu = mu;
}

static pl_status solve(press *p, double eps, int iterations) {
  pl_built *b = &p->r.b;
  pl_static_opts o;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  o.book = 0; // the master curve tells
  o.cuts = 0;
  if (iterations) o.max_iter = iterations;
  rod_lower(&p->r, eps);
  return pl_static_contact(&o, b->model, b->params, p->k, b->state, b->work, NULL, NULL, NULL);
}

static pl_status open_press(pl_env *env, const press_desc *d, const rod_desc *more, press *p) {
  rod_desc o = *more;
  memset(p, 0, sizeof *p);
  p->env = env;
  p->d = d;
  p->eps = PRESS_START;
  o.n = d->n;
  o.units = d->units;
  o.thick = THIN;
  o.broad = BROAD;
  o.box = o.planar = o.lowered = 1;
  o.grip = GRIP;
  PL_TRY(rod_create(env, &o, &p->r));
  bend_sideways(p);
  p->k = p->r.b.constraints.contact;
  return solve(p, p->eps, 0);
}

static void close_press(press *p) {
  rod_free(&p->r);
}

static double normal(const press *p) {
  return p->k->pair[0].force[0] / p->r.force;
}

static double tangential(const press *p) {
  const pl_contact_pair *t = &p->k->pair[0];
  return hypot(t->force[1], t->force[2]) / p->r.force;
}

// ---- load steps ---------------------------------------------------------------------------------

// One equilibrium may slip in a long step where another one sticks: a slip counts when the shortest
// step finds it. Those that stick are found soon; where a strip that slips comes to rest is asked
// at the end only.
static pl_status press_on(press *p, pl_state *back, double *P) {
  double step = STEP;
  while (step > SHORTEST) {
    pl_state_copy(back, p->r.b.state);
    pl_status s = solve(p, p->eps + step, STICK_ITER);
    if (s != PL_OK && s != PL_UNSOLVED) return s;
    if (s == PL_OK && p->k->pair[0].status == PL_STICK) {
      p->eps += step;
      *P = normal(p);
      step = fmin(1.5 * step, LONGEST);
    } else {
      pl_state_copy(p->r.b.state, back);
      pl_contact_reset(p->k);
      step /= 2;
    }
    if (p->eps > END) return PL_DOMAIN;
  }
  PL_TRY(solve(p, p->eps + 2 * step, 0));
  return p->k->pair[0].status == PL_SLIP ? PL_OK : PL_UNSOLVED;
}

pl_status press_static(pl_env *env, const press_desc *d, double *eps, double *P) {
  press p;
  pl_state *back = NULL;
  pl_status s = open_press(env, d, &(rod_desc){0}, &p);
  *P = s == PL_OK ? normal(&p) : NAN;
  if (s == PL_OK) set_friction(&p, d->mu);
  if (s == PL_OK) s = pl_state_create(p.r.b.model, p.r.b.params, &back);
  if (s == PL_OK) s = press_on(&p, back, P);
  *eps = p.eps;
  if (back) pl_state_free(p.r.b.model, back);
  close_press(&p);
  return s;
}

pl_status press_held(pl_env *env, const press_desc *d, double eps, double *P, double *Q) {
  press p;
  pl_status s = open_press(env, d, &(rod_desc){.pinned = 1}, &p);
  int n = (int)ceil((eps - PRESS_START) / LONGEST);
  for (int i = 1; s == PL_OK && i <= n; i++)
    s = solve(&p, PRESS_START + (eps - PRESS_START) * i / n, 0);
  // reactions, up and to the side
  const double *r = s == PL_OK ? p.r.b.work->r + 3 * p.r.n : (const double[3]){0};
  *P = r[2] / p.r.force;
  *Q = fabs(r[0]) / p.r.force;
  close_press(&p);
  return s;
}

// ---- motion -------------------------------------------------------------------------------------

typedef struct slide_record {
  const press *p;
  double drag;             // N s/m, of the viscous law
  int n;                   // steps seen
  double eps[3], force[3]; // of the last three steps: eps, and Q/P
  double P;
  int slips, gone;
} slide_record;

static int look(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  slide_record *o = ctx;
  const press *p = o->p;
  (void)c, (void)w;
  double Q = tangential(p), P = normal(p);
  if (o->drag > 0) Q = o->drag * fabs(s->v[3 * p->r.n]) / p->r.force;
  for (int i = 0; i < 2; i++) {
    o->eps[i] = o->eps[i + 1];
    o->force[i] = o->force[i + 1];
  }
  // the clamp's node stands half an edge above it
  o->eps[2] = (0.5 * p->r.edge - s->q[2]) / p->r.length;
  o->force[2] = P > 0 ? Q / P : INFINITY;
  o->n++;
  o->slips = o->drag > 0 ? o->force[2] >= p->d->mu : p->k->pair[0].status != PL_STICK;
  if (!o->slips) o->P = P;
  // a tip far away will not be held any more
  o->gone = fabs(s->q[3 * p->r.n]) > GONE * p->r.length;
  return o->slips || o->gone;
}

// the strip moves with its clamp as it does in slow motion
static pl_status set_off(press *p, double rate) {
  static const double part = 1e-5;
  pl_built *b = &p->r.b;
  pl_state *start;
  PL_TRY(pl_state_create(b->model, b->params, &start));
  pl_state_copy(start, b->state);
  pl_status s = solve(p, p->eps + part, 0);
  int n = 3 * (p->r.n + 1);
  for (int i = 0; i < n; i++) start->v[i] = (b->state->q[i] - start->q[i]) / part * rate;
  pl_state_copy(b->state, start);
  pl_state_free(b->model, start);
  rod_lower(&p->r, p->eps);
  return s;
}

static pl_status sink(press *p, double drag, slide_record *o) {
  pl_built *b = &p->r.b;
  double rate = fmin(RATE, FINE / p->r.n) * p->r.omega;
  pl_transient_opts opts;
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &opts);
  opts.method = PL_IMPLICIT_EULER;
  opts.step = TIME_STEP / p->r.omega;
  opts.duration = (END - p->eps) / rate;
  opts.frequency = rod_sink(&p->r, rate);
  PL_TRY(set_off(p, rate));
  set_friction(p, drag > 0 ? 0 : p->d->mu);
  *o = (slide_record){.p = p, .drag = rod_drag(&p->r, drag), .P = NAN};
  pl_status s = pl_transient_contact(&opts, b->model, b->params, p->k, b->state, NULL, b->work,
                                     look, o, NULL);
  if (s != PL_CANCELLED) return s == PL_OK ? PL_DOMAIN : s;
  return o->slips ? PL_OK : o->gone ? PL_DOMAIN : PL_CANCELLED;
}

// between the last steps: where the line through the two before meets the cone
static double threshold(const slide_record *o, double mu) {
  if (o->n < 3) return o->eps[2];
  double slope = (o->force[1] - o->force[0]) / (o->eps[1] - o->eps[0]);
  double at = slope > 0 ? o->eps[1] + (mu - o->force[1]) / slope : o->eps[2];
  return fmin(fmax(at, o->eps[1]), o->eps[2]);
}

static pl_status press_slowly(pl_env *env, const press_desc *d, double drag, double *eps,
                              double *P) {
  press p;
  slide_record o = {.P = NAN};
  pl_status s = open_press(env, d, &(rod_desc){.alpha = DAMPING, .drag = drag}, &p);
  if (s == PL_OK) s = sink(&p, drag, &o);
  *eps = threshold(&o, d->mu);
  *P = o.P;
  close_press(&p);
  return s;
}

pl_status press_dynamic(pl_env *env, const press_desc *d, double *eps, double *P) {
  return press_slowly(env, d, 0, eps, P);
}

pl_status press_viscous(pl_env *env, const press_desc *d, double *eps, double *P) {
  return press_slowly(env, d, DRAG, eps, P);
}
