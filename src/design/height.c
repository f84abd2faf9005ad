// The largest peak of a response in a window. The response is followed anew for every design, so
// that the value belongs to the design and not to the way there. At a peak dA/domega = 0, so that
// dA/dp is that of the motion at its frequency; at an end of the window the frequency is given.
#include "design_impl.h"

#include <string.h>

static const double EXPONENT = 100; // of the smooth maximum: two equal peaks count 0.7 % more
static const double ALONE = 1000;   // from here on the largest counts alone

typedef struct height {
  int begun;      // it was found at the start
  int known;      // of the values x
  double *x;      // [nvar]
  int n, cap;     // peaks, and the ends of the window
  pl_orbit **top; // [n], of growing frequency along the curve
  double *value;  // [n] of the measure
  solution at;    // one of them at a time
} height;

static void forget(pl_design *d, height *h) {
  for (int i = 0; i < h->n; i++) pl_orbit_free(h->top[i]);
  h->n = h->known = 0;
  solution_close(d, &h->at);
}

static void end(const pl_objective_at *at) {
  height *h = at->own;
  if (!h) return;
  forget(at->d, h);
  pl_free(at->d->env, h->top);
  pl_free(at->d->env, h->value);
  pl_free(at->d->env, h->x);
  pl_free(at->d->env, h);
}

static pl_status begin(const pl_objective_at *at, void **own) {
  height *h = *own = pl_alloc(at->d->env, 1, sizeof *h);
  if (!h) return PL_E_NOMEM;
  h->x = pl_alloc(at->d->env, (size_t)at->nvariable, sizeof(double));
  return h->x ? PL_OK : PL_E_NOMEM;
}

static pl_status add(pl_design *d, const pl_objective *o, height *h, const pl_orbit *orbit) {
  if (h->n == h->cap) {
    int cap = h->cap ? 2 * h->cap : 8;
    pl_orbit **top = pl_realloc(d->env, h->top, (size_t)cap, sizeof *top);
    if (!top) return PL_E_NOMEM;
    h->top = top;
    double *value = pl_realloc(d->env, h->value, (size_t)cap, sizeof *value);
    if (!value) return PL_E_NOMEM;
    h->value = value;
    h->cap = cap;
  }
  pl_measure look = pl_objective_measure(o);
  h->value[h->n] = pl_orbit_measure(d->m, d->p, orbit, &look, NULL);
  PL_TRY(pl_orbit_copy(orbit, orbit->nharm, &h->top[h->n]));
  h->n++;
  return PL_OK;
}

// the response of a trial; what goes wrong with it is worth words at the start alone
static pl_status follow(pl_design *d, const pl_objective *o, int first, int H, pl_curve **c) {
  pl_response_opts r = track_response(d, o, H);
  pl_measure look = pl_objective_measure(o);
  pl_response_plan plan = {.nmeasure = 1, .measure = &look};
  pl_env keep = *d->env;
  if (!first) d->env->diag = NULL;
  pl_status st = pl_response_run(&r, d->m, d->p, d->w, &plan, c);
  d->env->diag = keep.diag;
  if (!first) d->env->nerror = keep.nerror;
  if (st == PL_OK && (*c)->reason != PL_STOP_END) st = PL_UNSOLVED;
  // an undamped resonance in the window is no input's fault later on
  if (!first && st == PL_E_INPUT) st = PL_UNSOLVED;
  if (first && st == PL_UNSOLVED)
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0,
                      "choose another window, or begin with more damping",
                      "design: objective '%s': the response between %g and %g rad/s cannot be "
                      "followed at the start",
                      objective_label(o), o->from, o->to);
  return st;
}

// all maxima of the measure over the window
static pl_status find(pl_design *d, const pl_objective *o, int H, height *h) {
  pl_curve *c = NULL;
  forget(d, h);
  pl_status st = follow(d, o, !h->begun, H, &c);
  if (c) {
    d->factorisations += c->factorisations;
    d->newton += c->iterations;
  }
  if (st == PL_OK) st = add(d, o, h, c->point[0].orbit);
  for (int i = 0; st == PL_OK && i < c->nspecial; i++)
    if (c->special[i].kind == PL_PEAK) st = add(d, o, h, c->special[i].orbit);
  if (st == PL_OK) st = add(d, o, h, c->point[c->npoint - 1].orbit);
  pl_curve_free(c);
  return st;
}

static pl_status look_again(const pl_objective_at *at) {
  pl_design *d = at->d;
  height *h = at->own;
  size_t nv = (size_t)d->nvar;
  if (h->known && memcmp(h->x, d->x, nv * sizeof *h->x) == 0) return PL_OK;
  PL_TRY(find(d, at->o, d->H, h));
  memcpy(h->x, d->x, nv * sizeof *h->x);
  h->known = 1;
  return PL_OK;
}

static int largest(const height *h) {
  int best = 0;
  for (int i = 1; i < h->n; i++)
    if (h->value[i] > h->value[best]) best = i;
  return best;
}

static pl_status harmonics(const pl_objective_at *at, int *H) {
  height h = {0};
  pl_design *d = at->d;
  pl_status st = find(d, at->o, 0, &h);
  if (st == PL_OK) *H = h.top[largest(&h)]->nharm;
  forget(d, &h);
  pl_free(d->env, h.top);
  pl_free(d->env, h.value);
  return st;
}

double height_place(const pl_design *d, const objective *o, const pl_orbit **orbit) {
  const height *h = o->own;
  if (!h || !h->known || memcmp(h->x, d->x, (size_t)d->nvar * sizeof *h->x) != 0) return 0;
  if (orbit) *orbit = h->top[largest(h)];
  return h->top[largest(h)]->omega;
}

static pl_status largest_value(const pl_objective_at *at, double *value) {
  height *h = at->own;
  PL_TRY(look_again(at));
  *value = h->value[largest(h)];
  h->begun = *value > 0;
  if (*value > 0) return PL_OK;
  return pl_fail_at(at->d->env, PL_E_INPUT, NULL, 0, 0,
                    "break the symmetry, or choose another node, axis or harmonic",
                    "design: objective '%s': node %d does not move between %g and %g rad/s",
                    objective_label(at->o), at->o->node[0], at->o->from, at->o->to);
}

static pl_status go_to(const pl_objective_at *at, int i) {
  height *h = at->own;
  solution *s = &h->at;
  if (!s->hb) PL_TRY(solution_open(at->d, s, h->top[i]));
  memcpy(s->orbit->z, h->top[i]->z, (size_t)at->d->n * sizeof(double));
  s->orbit->omega = h->top[i]->omega;
  s->linear = 0;
  s->kind = SOLUTION_PEAK;
  s->measure = pl_objective_measure(at->o);
  return PL_OK;
}

// gx += by dA/dp of one of the maxima, at its frequency
static pl_status add_slope(const pl_objective_at *at, int i, double by, double *gx) {
  pl_design *d = at->d;
  height *h = at->own;
  solution *s = &h->at;
  PL_TRY(go_to(at, i));
  double *gz = pl_alloc(d->env, (size_t)d->n, sizeof *gz);
  if (!gz) return PL_E_NOMEM;
  objective_measure(d, s->orbit, &s->measure, by, gz, gx);
  pl_status st = solution_linearise(d, s);
  if (st == PL_OK) st = solution_solve(d, s, 1, gz, d->f);
  if (st == PL_OK) st = solution_adjoint(d, s, d->f, gx);
  pl_free(d->env, gz);
  return st;
}

// sum (A_i / A_1)^e
static double power_sum(const height *h, double e) {
  double sum = 0, most = h->value[largest(h)];
  for (int i = 0; i < h->n; i++) sum += pow(h->value[i] / most, e);
  return sum;
}

static double exponent_of(const pl_objective *o) {
  return o->exponent > 0 ? o->exponent : EXPONENT;
}

// A = A_1 (sum (A_i / A_1)^e)^(1/e)
static pl_status eval(const pl_objective_at *at, int i, double *A) {
  const height *h = at->own;
  double e = exponent_of(at->o);
  (void)i;
  PL_TRY(look_again(at));
  double most = h->value[largest(h)];
  *A = e < ALONE ? most * pow(power_sum(h, e), 1 / e) : most;
  return PL_OK;
}

// each maximum through its own motion: nothing is left to the adjoint of the operating point
static pl_status gradient(const pl_objective_at *at, int i, double A, double by, double *gz,
                          double *gx) {
  const height *h = at->own;
  double e = exponent_of(at->o), most = h->value[largest(h)], sum = power_sum(h, e);
  (void)i;
  (void)A;
  (void)gz;
  if (e >= ALONE) return add_slope(at, largest(h), by, gx);
  for (int k = 0; k < h->n; k++) {
    double part = pow(h->value[k] / most, e - 1) * pow(sum, 1 / e - 1);
    if (part > 1e-12) PL_TRY(add_slope(at, k, by * part, gx));
  }
  return PL_OK;
}

pl_status height_peak(const pl_objective_at *at, double *value, double *grad, double *omega,
                      double *omega_grad) {
  pl_design *d = at->d;
  height *h = at->own;
  PL_TRY(largest_value(at, value));
  int best = largest(h);
  *omega = h->top[best]->omega;
  memset(grad, 0, (size_t)d->nvar * sizeof *grad);
  memset(omega_grad, 0, (size_t)d->nvar * sizeof *omega_grad);
  // an end of the window stays where it is
  if (best == 0 || best == h->n - 1) return add_slope(at, best, 1, grad);
  PL_TRY(go_to(at, best));
  return track_slopes(d, &h->at, 1, &h->at.measure, omega_grad, grad);
}

// the largest value itself, whose own move in frequency does not change it
static pl_status number(const pl_objective_at *at, double *value, double *grad) {
  PL_TRY(largest_value(at, value));
  if (!grad) return PL_OK;
  memset(grad, 0, (size_t)at->nvariable * sizeof *grad);
  return add_slope(at, largest(at->own), 1, grad);
}

static const pl_option keys[] = {
    KEY_FROM, KEY_TO, KEY_MEASURE, KEY_HARMONIC,
    KEY_ROW_X(double, exponent, "exponent", 0, 0, 1000, "",
              "of the smooth maximum (0: 100, so that all peaks count, the largest most; 1000: the "
              "largest alone, with a kink where two are equal)")};

const pl_objective_kind pl_objective_peak_height = {
    .name = "peak_height",
    .text = "largest peak of a node's response in a window: least, to a target",
    .value = "min|max|length",
    .about = "largest value that a measure of a node takes on the response between from and to, at "
             "a peak or at an end of the window",
    .keys = "node axes",
    .nkey = COUNT(keys),
    .key = keys,
    .quantity = "amplitude",
    .unit = "m",
    .scope = PL_SCOPE_WINDOW,
    .form = PL_FORM_RATIO,
    .goals = PL_GOALS_TARGET | PL_GOALS_MOST | PL_GOALS_LEAST,
    .nodes = PL_NODES_ONE,
    .eval = eval,
    .gradient = gradient,
    .harmonics = harmonics,
    .begin = begin,
    .end = end,
    .number = number,
};
