// Peaks and folds that follow the design. A peak is the largest A(z) subject to h(z, omega) = 0:
// with L = A + lambda'h, L_z = 0, L_omega = 0. Along the response t = (dz/domega, 1), the second
// derivative of A is t'L_uu t, and
//   domega/dp = -(D_t(lambda'h_p) - mu'h_p) / t'L_uu t,  J'mu = (L_uu t)_z.
// A fold is where J is singular: g = 0 in [J b; c' 0] (r, g) = (0, 1), and with the left null
// vector l, domega/dp = -(l'h_p) / (l'h_omega). It moves by J z_p + h_omega omega_p = -h_p,
// g_z z_p + g_omega omega_p = -g_p with g_u = -l'J_u r. Derivatives along directions are central
// differences of exact gradients.
#include "design_impl.h"

#include <string.h>

enum { PEAK_ITER = 25, FOLD_ITER = 25 };
static const double DIFFERENCE = 1e-4; // of the motion's size

// ---- differences along a direction ------------------------------------------------------------

// what is differentiated at a motion: J'y, y'h_omega, y'h_p
typedef struct bordering {
  double *Jy, hw, *hp; // [n], [nvar]; hp NULL: not wanted
} bordering;

static pl_status look(pl_design *d, solution *s, const pl_orbit *o, const double *y, bordering *p) {
  s->linear = 0;
  PL_TRY(pl_hb_eval(s->hb, o->z, o->omega, PL_HB_RESIDUAL | PL_HB_JACOBIAN | PL_HB_OMEGA));
  pl_blocks_mul(pl_hb_jacobian(s->hb), PL_TRANSPOSED, NULL, y, NULL, p->Jy);
  p->hw = pl_dot(d->n, y, pl_hb_domega(s->hb));
  if (!p->hp) return PL_OK;
  memset(p->hp, 0, (size_t)d->nvar * sizeof *p->hp);
  return pl_hb_change_dot(s->hb, d->directions, o, y, p->hp);
}

// ---- peaks ------------------------------------------------------------------------------------

typedef struct peak {
  double *t, *lambda, *grad, *Ht; // [n]
  double *side[2];                // [n] A_z + J'lambda on either side
  double *hp[2];                  // [nvar] lambda'h_p + A_p
  double value, slope, curve;     // A, dA/domega, its derivative
} peak;

static pl_status peak_alloc(pl_design *d, double **scratch, peak *k) {
  size_t n = (size_t)d->n, nv = (size_t)d->nvar;
  *k = (peak){0};
  *scratch = pl_alloc(d->env, 6 * n + 2 * nv, sizeof(double));
  if (!*scratch) return PL_E_NOMEM;
  k->t = *scratch;
  k->lambda = k->t + n;
  k->grad = k->lambda + n;
  k->Ht = k->grad + n;
  k->side[0] = k->Ht + n;
  k->side[1] = k->side[0] + n;
  k->hp[0] = k->side[1] + n;
  k->hp[1] = k->hp[0] + nv;
  return PL_OK;
}

// one side of the difference along t
static pl_status peak_side(pl_design *d, solution *s, const pl_orbit *o, double h, int parameters,
                           int side, peak *k, double *hw) {
  pl_orbit *displaced;
  PL_TRY(pl_orbit_copy(o, o->nharm, &displaced));
  pl_axpy(d->n, h, k->t, o->z, displaced->z);
  displaced->omega += h;
  bordering p = {.Jy = k->side[side], .hp = parameters ? k->hp[side] : NULL};
  pl_status st = look(d, s, displaced, k->lambda, &p);
  if (st == PL_OK) {
    memset(k->grad, 0, (size_t)d->n * sizeof(double));
    objective_measure(d, displaced, &s->measure, 1, k->grad, p.hp);
    pl_axpy(d->n, 1, k->grad, k->side[side], k->side[side]);
    *hw = p.hw;
  }
  pl_orbit_free(displaced);
  return st;
}

// tangent, multiplier and second derivative at a motion; leaves the Jacobian there
static pl_status peak_linearise(pl_design *d, solution *s, pl_orbit *o, int parameters, peak *k) {
  pl_orbit *keep = s->orbit;
  double hw[2] = {0};
  s->orbit = o;
  s->linear = 0;
  pl_status st = solution_linearise(d, s);
  if (st == PL_OK) st = solution_solve(d, s, 0, pl_hb_domega(s->hb), k->t);
  for (int i = 0; i < d->n; i++) k->t[i] = -k->t[i];
  memset(k->grad, 0, (size_t)d->n * sizeof(double));
  k->value = objective_measure(d, o, &s->measure, 1, k->grad, NULL);
  k->slope = pl_dot(d->n, k->grad, k->t);
  if (st == PL_OK) st = solution_solve(d, s, 1, k->grad, k->lambda);
  for (int i = 0; i < d->n; i++) k->lambda[i] = -k->lambda[i];
  double size = pl_max_abs(d->n, k->t), h = size > 0 ? DIFFERENCE * swing_of(o) / size : 0;
  h = fmin(h, 1e-3 * o->omega);
  if (st == PL_OK) st = peak_side(d, s, o, h, parameters, 0, k, &hw[0]);
  if (st == PL_OK) st = peak_side(d, s, o, -h, parameters, 1, k, &hw[1]);
  for (int i = 0; i < d->n; i++) k->Ht[i] = (k->side[0][i] - k->side[1][i]) / (2 * h);
  k->curve = pl_dot(d->n, k->t, k->Ht) + (hw[0] - hw[1]) / (2 * h);
  for (int i = 0; parameters && i < d->nvar; i++)
    k->hp[0][i] = (k->hp[0][i] - k->hp[1][i]) / (2 * h);
  if (st == PL_OK) st = solution_linearise(d, s);
  s->orbit = keep;
  return st;
}

// a step in frequency along the response, halved until the motion can be solved there
static pl_status peak_step(pl_design *d, solution *s, pl_orbit *o, const peak *k, double dw) {
  double size = pl_max_abs(d->n, k->t), most = 0.3 * swing_of(o), omega = o->omega;
  if (size * fabs(dw) > most) dw = copysign(most / size, dw);
  memcpy(d->f, o->z, (size_t)d->n * sizeof(double));
  for (int cut = 0; cut < 8; cut++, dw *= 0.5) {
    pl_axpy(d->n, dw, k->t, d->f, o->z);
    o->omega = omega + dw;
    pl_status st = solution_newton(d, s, o);
    if (st != PL_UNSOLVED) return st;
  }
  return PL_UNSOLVED;
}

static pl_status peak_correct(pl_design *d, solution *s, pl_orbit *o) {
  double *scratch;
  peak k;
  PL_TRY(peak_alloc(d, &scratch, &k));
  pl_status st = solution_newton(d, s, o);
  int done = 0;
  for (int it = 0; st == PL_OK && !done && it < PEAK_ITER; it++) {
    st = peak_linearise(d, s, o, 0, &k);
    if (st != PL_OK) break;
    double dw = k.curve < 0 ? -k.slope / k.curve : copysign(0.01 * o->omega, k.slope);
    dw = fmin(fmax(dw, -0.05 * o->omega), 0.05 * o->omega);
    // as near as rounding of the slope lets it come
    done = k.curve < 0 && fabs(dw) <= 1e-9 * o->omega;
    if (!done) st = peak_step(d, s, o, &k, dw);
  }
  pl_free(d->env, scratch);
  return st != PL_OK ? st : done ? PL_OK : PL_UNSOLVED;
}

// omega[nvar] = domega/dp; amplitude[nvar] (may be NULL): dA/dp, in which a peak's own move has no
// part
static pl_status peak_slopes(pl_design *d, solution *s, double *omega, double *amplitude) {
  double *scratch;
  peak k;
  PL_TRY(peak_alloc(d, &scratch, &k));
  pl_status st = peak_linearise(d, s, s->orbit, 1, &k);
  if (st == PL_OK && amplitude) {
    memset(amplitude, 0, (size_t)d->nvar * sizeof *amplitude);
    objective_measure(d, s->orbit, &s->measure, 1, NULL, amplitude);
    st = pl_hb_change_dot(s->hb, d->directions, s->orbit, k.lambda, amplitude);
  }
  double *mu = k.lambda, *hp = k.hp[1];
  if (st == PL_OK) st = solution_solve(d, s, 1, k.Ht, mu);
  memset(hp, 0, (size_t)d->nvar * sizeof *hp);
  if (st == PL_OK) st = pl_hb_change_dot(s->hb, d->directions, s->orbit, mu, hp);
  for (int i = 0; st == PL_OK && i < d->nvar; i++) omega[i] = -(k.hp[0][i] - hp[i]) / k.curve;
  pl_free(d->env, scratch);
  return st;
}

// ---- folds ------------------------------------------------------------------------------------

static void scale_to(int n, double size, double *x) {
  double now = pl_norm(n, x);
  for (int i = 0; now > 0 && i < n; i++) x[i] *= size / now;
}

// null vectors of J from either side, or what is closest to them, by inverse iteration; y is zero
// where J is singular. The border is the last pair.
static pl_status null_vectors(pl_design *d, solution *s, int steps, double *l, double *r,
                              double *y) {
  double *b = s->bordering, *c = b + d->n, *zero = d->dz, size = 0;
  memset(zero, 0, (size_t)d->n * sizeof *zero);
  s->linear = 0;
  for (int it = 0; it < steps; it++) {
    size = pl_blocks_max(pl_hb_jacobian(s->hb), NULL);
    scale_to(d->n, size, b);
    scale_to(d->n, 1, c);
    PL_TRY(pl_bordered_set(s->b, b, c, 0));
    PL_TRY(pl_bordered_solve(s->b, zero, 1, r, y));
    PL_TRY(pl_bordered_solve_transposed(s->b, zero, 1, l, y));
    if (it + 1 == steps) break;
    memcpy(b, l, (size_t)d->n * sizeof *b);
    memcpy(c, r, (size_t)d->n * sizeof *c);
  }
  return PL_OK;
}

static pl_status fold_evaluate(pl_design *d, solution *s, const pl_orbit *o) {
  (void)d;
  s->linear = 0;
  return pl_hb_eval(s->hb, o->z, o->omega, PL_HB_RESIDUAL | PL_HB_JACOBIAN | PL_HB_OMEGA);
}

typedef struct fold {
  double *l, *r, *gz, *side, *dz; // [n]
  double g, gw;
  double *gp, *hp; // [nvar]; gp NULL: not wanted
} fold;

static pl_status fold_alloc(pl_design *d, double **scratch, fold *k) {
  size_t n = (size_t)d->n, nv = (size_t)d->nvar;
  *k = (fold){0};
  *scratch = pl_alloc(d->env, 5 * n + 2 * nv, sizeof(double));
  if (!*scratch) return PL_E_NOMEM;
  k->l = *scratch;
  k->r = k->l + n;
  k->gz = k->r + n;
  k->side = k->gz + n;
  k->dz = k->side + n;
  k->hp = k->dz + n;
  return PL_OK;
}

// g and its derivatives: g_u = -l' J_u r
static pl_status fold_linearise(pl_design *d, solution *s, const pl_orbit *o, int first, fold *k) {
  PL_TRY(fold_evaluate(d, s, o));
  PL_TRY(null_vectors(d, s, first ? 4 : 1, k->l, k->r, &k->g));
  double h = DIFFERENCE * swing_of(o) / pl_max_abs(d->n, k->r);
  pl_orbit *displaced;
  PL_TRY(pl_orbit_copy(o, o->nharm, &displaced));
  pl_status st = PL_OK;
  k->gw = 0;
  memset(k->gz, 0, (size_t)d->n * sizeof(double));
  for (int side = -1; st == PL_OK && side <= 1; side += 2) {
    bordering p = {.Jy = k->side, .hp = k->gp ? k->hp : NULL};
    pl_axpy(d->n, side * h, k->r, o->z, displaced->z);
    st = look(d, s, displaced, k->l, &p);
    pl_axpy(d->n, -side / (2 * h), k->side, k->gz, k->gz);
    k->gw -= side * p.hw / (2 * h);
    for (int i = 0; k->gp && i < d->nvar; i++) k->gp[i] -= side * k->hp[i] / (2 * h);
  }
  pl_orbit_free(displaced);
  return st == PL_OK ? fold_evaluate(d, s, o) : st;
}

static pl_status fold_newton(pl_design *d, solution *s, pl_orbit *o, fold *k) {
  for (int it = 0; it < FOLD_ITER; it++) {
    double dw, error;
    PL_TRY(fold_linearise(d, s, o, it == 0, k));
    error = pl_hb_error(s->hb);
    PL_TRY(pl_bordered_set(s->b, pl_hb_domega(s->hb), k->gz, k->gw));
    for (int i = 0; i < d->n; i++) k->dz[i] = -pl_hb_residual(s->hb)[i];
    PL_TRY(pl_bordered_solve(s->b, k->dz, -k->g, k->dz, &dw));
    double step = pl_max_abs(d->n, k->dz), swing = swing_of(o), cut = 1;
    if (!isfinite(step) || !isfinite(dw)) return PL_UNSOLVED;
    if (step > 0.3 * swing) cut = 0.3 * swing / step;
    if (fabs(dw) * cut > 0.05 * o->omega) cut = 0.05 * o->omega / fabs(dw);
    pl_axpy(d->n, cut, k->dz, o->z, o->z);
    o->omega += cut * dw;
    d->newton++;
    int near = step <= 1e-7 * swing && fabs(dw) <= 1e-9 * o->omega;
    if (near && error <= fmax(d->o.rtol, 1e-8)) return PL_OK;
  }
  return PL_UNSOLVED;
}

static pl_status fold_correct(pl_design *d, solution *s, pl_orbit *o) {
  double *scratch;
  fold k;
  PL_TRY(fold_alloc(d, &scratch, &k));
  pl_status st = fold_newton(d, s, o, &k);
  pl_free(d->env, scratch);
  return st;
}

static pl_status fold_omega(pl_design *d, solution *s, const double *l, double *hp, double *omega) {
  memset(hp, 0, (size_t)d->nvar * sizeof *hp);
  PL_TRY(pl_hb_change_dot(s->hb, d->directions, s->orbit, l, hp));
  double hw = pl_dot(d->n, l, pl_hb_domega(s->hb));
  for (int i = 0; i < d->nvar; i++) omega[i] = -hp[i] / hw;
  return PL_OK;
}

static pl_status fold_frequency(pl_design *d, solution *s, double *omega) {
  double *scratch, y;
  fold k;
  PL_TRY(fold_alloc(d, &scratch, &k));
  pl_status st = fold_evaluate(d, s, s->orbit);
  if (st == PL_OK) st = null_vectors(d, s, 3, k.l, k.r, &y);
  if (st == PL_OK) st = fold_omega(d, s, k.l, k.hp, omega);
  pl_free(d->env, scratch);
  return st;
}

// dA/dp of a measure at a fold, whose border is set: A_p - lambda'h_p - mu g_p with
// [J' g_z; h_omega' g_omega] (lambda, mu) = (A_z, 0)
static pl_status fold_amplitude(pl_design *d, solution *s, const pl_measure *what, fold *k,
                                double *amplitude) {
  double mu, *az = k->side, *lambda = k->dz;
  memset(az, 0, (size_t)d->n * sizeof *az);
  memset(amplitude, 0, (size_t)d->nvar * sizeof *amplitude);
  memset(k->hp, 0, (size_t)d->nvar * sizeof *k->hp);
  objective_measure(d, s->orbit, what, 1, az, amplitude);
  PL_TRY(pl_bordered_solve_transposed(s->b, az, 0, lambda, &mu));
  PL_TRY(pl_hb_change_dot(s->hb, d->directions, s->orbit, lambda, k->hp));
  for (int i = 0; i < d->nvar; i++) amplitude[i] -= k->hp[i] + mu * k->gp[i];
  return PL_OK;
}

static pl_status fold_slopes(pl_design *d, solution *s, int nmeasure, const pl_measure *measure,
                             double *omega, double *amplitude) {
  double *scratch;
  fold k;
  PL_TRY(fold_alloc(d, &scratch, &k));
  k.gp = k.hp + d->nvar;
  pl_status st = fold_linearise(d, s, s->orbit, 1, &k);
  if (st == PL_OK) st = fold_omega(d, s, k.l, k.hp, omega);
  if (st == PL_OK) st = pl_bordered_set(s->b, pl_hb_domega(s->hb), k.gz, k.gw);
  for (int i = 0; st == PL_OK && i < nmeasure; i++)
    st = fold_amplitude(d, s, &measure[i], &k, amplitude + (size_t)i * (size_t)d->nvar);
  pl_free(d->env, scratch);
  return st;
}

// ---- both -------------------------------------------------------------------------------------

static void start_probe(pl_design *d, solution *s) {
  if (pl_max_abs(d->n, s->bordering) > 0) return;
  pl_rng r;
  pl_rng_seed(&r, 11);
  for (int i = 0; i < 2 * d->n; i++) s->bordering[i] = pl_rng_normal(&r);
}

pl_status track_correct(pl_design *d, solution *s, pl_orbit *o) {
  if (s->kind == SOLUTION_PEAK) return peak_correct(d, s, o);
  start_probe(d, s);
  return fold_correct(d, s, o);
}

// grad[nvar] += by domega/dp.
static pl_status track_gradient(pl_design *d, solution *s, double by, double *grad) {
  double *omega = pl_alloc(d->env, (size_t)d->nvar, sizeof *omega);
  if (!omega) return PL_E_NOMEM;
  start_probe(d, s);
  pl_status st =
      s->kind == SOLUTION_PEAK ? peak_slopes(d, s, omega, NULL) : fold_frequency(d, s, omega);
  for (int i = 0; st == PL_OK && i < d->nvar; i++) grad[i] += by * omega[i];
  pl_free(d->env, omega);
  return st;
}

pl_status track_slopes(pl_design *d, solution *s, int nmeasure, const pl_measure *measure,
                       double *omega, double *amplitude) {
  if (s->kind == SOLUTION_PEAK) return peak_slopes(d, s, omega, amplitude);
  start_probe(d, s);
  return fold_slopes(d, s, nmeasure, measure, omega, amplitude);
}

// the highest peak of the window, or the fold nearest to its target
static const pl_special *choose(const pl_objective *o, const pl_curve *c) {
  const pl_special *best = NULL;
  int highest = o->kind->scope == PL_SCOPE_PEAK;
  for (int i = 0; i < c->nspecial; i++) {
    const pl_special *s = &c->special[i];
    if (s->kind != (highest ? PL_PEAK : PL_FOLD)) continue;
    if (!best || (highest ? s->amplitude > best->amplitude
                          : fabs(s->omega - o->target) < fabs(best->omega - o->target)))
      best = s;
  }
  return best;
}

pl_response_opts track_response(const pl_design *d, const pl_objective *o, int H) {
  pl_response_opts r;
  pl_opts_default(pl_response_option_table, pl_response_option_count, &r);
  r.from = o->from;
  r.to = o->to;
  r.harmonics = H;
  r.samples = d->o.samples;
  r.adapt = d->o.adapt;
  r.max_harmonics = d->o.max_harmonics;
  r.rtol = d->o.rtol;
  r.stability = 0;
  return r;
}

pl_status track_find(pl_design *d, const pl_objective *o, pl_orbit **out) {
  int highest = o->kind->scope == PL_SCOPE_PEAK;
  pl_response_opts r = track_response(d, o, d->H);
  pl_curve *c = NULL;
  pl_measure look = {0};
  pl_response_plan plan = {.nmeasure = highest, .measure = &look};
  if (plan.nmeasure) look = pl_objective_measure(o);
  *out = NULL;
  pl_status st = pl_response_run(&r, d->m, d->p, d->w, &plan, &c);
  const pl_special *s = c ? choose(o, c) : NULL;
  if (c) d->factorisations += c->factorisations;
  if (s)
    st = pl_orbit_copy(s->orbit, d->H, out);
  else if (st == PL_OK || st == PL_UNSOLVED)
    st = pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0,
                    "widen the window: a response that still rises at its end has no peak in it",
                    "design: objective '%s': there is no %s between %g and %g rad/s",
                    objective_label(o), highest ? "resonance peak" : "fold", o->from, o->to);
  pl_curve_free(c);
  return st;
}

// ---- the kinds --------------------------------------------------------------------------------

static pl_status eval(const pl_objective_at *at, int i, double *omega) {
  (void)i;
  *omega = at->orbit->omega;
  return PL_OK;
}

// all of it, by the conditions that make it a peak or a fold
static pl_status gradient(const pl_objective_at *at, int i, double omega, double by, double *gz,
                          double *gx) {
  pl_design *d = at->d;
  (void)i;
  (void)omega;
  (void)gz;
  return track_gradient(d, &d->solution[d->obj[at->index].solution], by, gx);
}

#define FREQUENCY                                                                                  \
  .value = "frequency", .quantity = "frequency", .unit = "rad/s", .report_unit = "Hz",             \
  .report_si = 2 * PL_PI, .form = PL_FORM_RATIO, .goals = PL_GOALS_TARGET, .least_squares = 1,     \
  .eval = eval, .gradient = gradient

static const pl_option peak_keys[] = {KEY_FROM, KEY_TO, KEY_MEASURE, KEY_HARMONIC};

const pl_objective_kind pl_objective_peak = {
    .name = "peak",
    .text = "a resonance peak of a node lies at a frequency",
    .about = "where a resonance peak of a node shall lie",
    .keys = "node axes",
    .nkey = COUNT(peak_keys),
    .key = peak_keys,
    .scope = PL_SCOPE_PEAK,
    .nodes = PL_NODES_ONE,
    FREQUENCY,
};
static const pl_option fold_keys[] = {KEY_FROM, KEY_TO};

const pl_objective_kind pl_objective_fold = {
    .name = "fold",
    .text = "a fold of the response lies at a frequency",
    .about = "where a fold of the response shall lie",
    .keys = "",
    .nkey = COUNT(fold_keys),
    .key = fold_keys,
    .scope = PL_SCOPE_FOLD,
    FREQUENCY,
};
