// Special points between two points of a curve: found by sign changes, located by root finding on
// the chord with full solves at every trial.
#include "curve_impl.h"

static const double SIGMA_TOL = 1e-10; // place on the chord
static const double F_TOL = 1e-12;     // a value over those at the ends that is zero
static const double MULTIPLIER_TOL = 1e-9;
static const double CROSSED = 1e-3; // distance from the unit circle of a multiplier that passes it
static const double SINGULAR_TOL = 1e-9; // closer, rounding leads off the curve
static const double FLAT = 1e-9;         // relative change of a measure that is rounding

// folds that lie close together: how slow the cubic must be between two points to be looked at,
// what is slow enough later (both over the slower end), how far beside the points its lowest place
// may seem to be, and where the points begin (parts of the way)
enum { SLOWEST_TRIES = 12 };
static const double NEARLY = 0.5, SURELY = 0.9, BESIDE = 0.3, EDGE = 1e-6;

typedef struct event {
  curve_point s;
  pl_special_kind kind;
  int probe;
  double sigma;
} event;

typedef struct events {
  int n, cap;
  event *e;
} events;

// ---- root finding -----------------------------------------------------------------------------

// next trial between a (newest), b (other side), c (before): inverse quadratic interpolation where
// it is safe, else the middle (Chandrupatla's test); as a part of the way from a to b
static double next_part(const double x[3], const double f[3], double tol) {
  double xi = (x[0] - x[1]) / (x[2] - x[1]), phi = (f[0] - f[1]) / (f[2] - f[1]), t = 0.5;
  if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
    t = f[0] / (f[1] - f[0]) * f[2] / (f[1] - f[2]) +
        (x[2] - x[0]) / (x[1] - x[0]) * f[0] / (f[2] - f[0]) * f[1] / (f[2] - f[1]);
  double edge = tol / fabs(x[1] - x[0]);
  return fmin(1 - edge, fmax(edge, t));
}

static pl_status trial(continuation *k, const curve_point *a, const curve_point *b,
                       curve_point_fn fn, void *ctx, double sigma, curve_point *out, double *f) {
  PL_TRY(cont_between(k, a, b, sigma, 1, out));
  return fn(k, ctx, out, f);
}

pl_status special_refine(continuation *k, const curve_point *a, const curve_point *b,
                         curve_point_fn fn, void *ctx, double tol, double fa, double fb,
                         curve_point *out, double *sigma) {
  double x[3] = {1, 0, 0}, f[3] = {fb, fa, fa}, size = fmax(fabs(fa), fabs(fb));
  // the secant is a good first trial
  double t = fmin(0.9, fmax(0.1, fb / (fb - fa))), seen = -1;
  for (int it = 0; it < 80; it++) {
    double xt = x[0] + t * (x[1] - x[0]), ft;
    pl_status st = trial(k, a, b, fn, ctx, xt, out, &ft);
    // at a branch point itself no plane cuts the curve alone: the last trial but this one, which
    // left no solution, is good enough
    if (st > 0 && st != PL_CANCELLED && fabs(f[0]) < 1e-4 * size) {
      seen = -1;
      break;
    }
    PL_TRY(st);
    seen = xt;
    // the root stays between x[0] and x[1]
    int same = (ft > 0) == (f[0] > 0);
    x[2] = x[!same];
    f[2] = f[!same];
    if (!same) {
      x[1] = x[0];
      f[1] = f[0];
    }
    x[0] = xt;
    f[0] = ft;
    if (fabs(ft) <= tol * size || fabs(x[1] - x[0]) < 2 * SIGMA_TOL) break;
    t = next_part(x, f, SIGMA_TOL);
  }
  int best = fabs(f[1]) < fabs(f[0]);
  if (x[best] != seen) PL_TRY(trial(k, a, b, fn, ctx, x[best], out, &f[best]));
  *sigma = x[best];
  // a pole changes sign too
  return fabs(f[best]) <= 0.1 * size ? PL_OK : PL_UNSOLVED;
}

// ---- what changes sign ------------------------------------------------------------------------

static pl_status fold_value(continuation *k, void *ctx, curve_point *s, double *value) {
  (void)k, (void)ctx;
  *value = s->tw;
  return PL_OK;
}

static pl_status peak_value(continuation *k, void *ctx, curve_point *s, double *value) {
  int i = *(const int *)ctx;
  pl_orbit o = curve_point_orbit(k, s);
  pl_orbit_measure(k->m, k->p, &o, &k->probe[i], k->f);
  *value = pl_dot(k->n, k->f, s->tz);
  return PL_OK;
}

// size of the multiplier of a rank, over one
static double beyond(const pl_floquet *f, int rank) {
  return rank < f->n ? hypot(f->re[rank], f->im[rank]) - 1 : -1;
}

static pl_status multiplier_value(continuation *k, void *ctx, curve_point *s, double *value) {
  pl_orbit o = curve_point_orbit(k, s);
  PL_TRY(cont_floquet(k, &o, &s->floquet));
  *value = beyond(&s->floquet, *(const int *)ctx);
  return PL_OK;
}

// 1 / (c' J^-1 b) with fixed b and c: zero where J is singular, at folds and branch points
static pl_status singular_value(continuation *k, void *ctx, curve_point *s, double *value) {
  (void)ctx;
  return cont_singular(k, s, k->dz, value);
}

// ---- one segment ------------------------------------------------------------------------------

static pl_status add_event(continuation *k, events *all, const curve_point *s, pl_special_kind kind,
                           int probe, double sigma) {
  PL_TRY(pl_grow(k->env, &all->e, all->n, &all->cap, sizeof *all->e));
  event e = {.kind = kind, .probe = probe, .sigma = sigma};
  PL_TRY(curve_point_create(k, &e.s));
  curve_point_copy(k, &e.s, s);
  int i = all->n++;
  for (; i > 0 && all->e[i - 1].sigma > sigma; i--) all->e[i] = all->e[i - 1];
  all->e[i] = e;
  return PL_OK;
}

// a point that cannot be located is told, not made up
static pl_status lost(const continuation *k, pl_status st, pl_special_kind kind) {
  if (st <= 0 || st == PL_CANCELLED) return st;
  pl_report(k->env, PL_WARNING, NULL, 0, 0, NULL, "response: a %s near %.8g rad/s was not located",
            pl_special_name[kind], k->at.omega * k->sub);
  return PL_OK;
}

static pl_status add_fold(continuation *k, events *all, const curve_point *a, const curve_point *b,
                          double from, double to, curve_point *s) {
  double sigma;
  pl_status st = special_refine(k, a, b, fold_value, NULL, F_TOL, a->tw, b->tw, s, &sigma);
  if (st != PL_OK) return lost(k, st, PL_FOLD);
  return add_event(k, all, s, PL_FOLD, 0, from + sigma * (to - from));
}

static void sort3(double *x, double *f) {
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < 2; i++)
      if (x[i] > x[i + 1]) {
        double tx = x[i], tf = f[i];
        x[i] = x[i + 1], f[i] = f[i + 1];
        x[i + 1] = tx, f[i + 1] = tf;
      }
}

// Of the parabola through x, f[3]: its lowest place and value there. 0: it has none.
static int lowest_of(const double *x, const double *f, double *at, double *value) {
  double d1 = (f[1] - f[0]) / (x[1] - x[0]), d2 = (f[2] - f[1]) / (x[2] - x[1]);
  double c = (d2 - d1) / (x[2] - x[0]);
  if (!(c > 0)) return 0;
  *at = 0.5 * (x[0] + x[1] - d1 / c);
  *value = f[0] + (*at - x[0]) * (d1 + c * (*at - x[1]));
  return isfinite(*at);
}

// Where the frequency nearly stands still between two points and both run the same way, two folds
// may lie close together, which no sign tells: the slowest place is looked for by parabolas through
// what is known of dw/ds. *found: s lies between two folds, at a part *sigma of the way.
static pl_status find_slowest(continuation *k, const curve_point *a, const curve_point *b,
                              curve_point *s, double *sigma, int *found) {
  double sign = a->tw > 0 ? 1 : -1, least = fmin(fabs(a->tw), fabs(b->tw)), at, value;
  // the slope half the way of the cubic with these ends and tangents
  double mean = (b->omega - a->omega) / cont_distance(k, a, b);
  double x[3] = {0, 0.5, 1},
         f[3] = {fabs(a->tw), sign * (1.5 * mean - 0.25 * (a->tw + b->tw)), fabs(b->tw)};
  *found = 0;
  for (int it = 0; it < SLOWEST_TRIES; it++) {
    if (!lowest_of(x, f, &at, &value) || at < -BESIDE || at > 1 + BESIDE) return PL_OK;
    if (value > (it == 0 ? NEARLY : SURELY) * least) return PL_OK;
    at = fmin(1 - EDGE, fmax(EDGE, at));
    double done = fmin(fabs(at - x[0]), fmin(fabs(at - x[1]), fabs(at - x[2])));
    if (it > 0 && done < EDGE) return PL_OK;
    PL_TRY(cont_between(k, a, b, at, 1, s));
    *sigma = at;
    *found = sign * s->tw < 0;
    if (*found) return PL_OK;
    // the first one in the middle was a guess; later, the highest of the three goes
    int out = it == 0 ? 1 : f[0] > f[1] ? (f[0] > f[2] ? 0 : 2) : (f[1] > f[2] ? 1 : 2);
    x[out] = at;
    f[out] = sign * s->tw;
    least = fmin(least, f[out]);
    sort3(x, f);
  }
  return PL_OK;
}

static pl_status find_fold(continuation *k, events *all, curve_point *s) {
  const curve_point *a = &k->at, *b = &k->next;
  if (a->tw == 0) return PL_OK;
  if ((a->tw > 0) != (b->tw > 0)) return add_fold(k, all, a, b, 0, 1, s);
  curve_point between;
  double sigma;
  int found;
  PL_TRY(curve_point_create(k, &between));
  pl_status st = find_slowest(k, a, b, &between, &sigma, &found);
  if (st > 0 && st != PL_CANCELLED) st = PL_OK, found = 0;
  if (st == PL_OK && found) st = add_fold(k, all, a, &between, 0, sigma, s);
  if (st == PL_OK && found) st = add_fold(k, all, &between, b, sigma, 1, s);
  curve_point_free(k, &between);
  return st;
}

static pl_status find_peaks(continuation *k, events *all, curve_point *s) {
  const curve_point *a = &k->at, *b = &k->next;
  for (int i = 0; i < k->nprobe; i++) {
    double fa = a->slope[i], fb = b->slope[i], sigma;
    // a maximum along the curve, and not the rounding of a driven node
    if (!(fa > 0 && fb <= 0) || fmax(fa, -fb) * k->ds <= FLAT * b->path[i]) continue;
    pl_status st = special_refine(k, a, b, peak_value, &i, F_TOL, fa, fb, s, &sigma);
    if (st == PL_OK) st = add_event(k, all, s, PL_PEAK, i, sigma);
    if (st != PL_OK) PL_TRY(lost(k, st, PL_PEAK));
  }
  return PL_OK;
}

// J turns singular where a multiplier passes +1; folds are known already
static pl_status find_branch(continuation *k, events *all, curve_point *s) {
  for (int i = 0; i < all->n; i++)
    if (all->e[i].kind == PL_FOLD) return PL_OK;
  double fa = 0, fb = 0, sigma;
  pl_status st = cont_bordering(k, s);
  if (st == PL_OK) st = singular_value(k, NULL, &k->at, &fa);
  if (st == PL_OK) st = singular_value(k, NULL, &k->next, &fb);
  if (st == PL_OK && (fa > 0) == (fb > 0)) return PL_OK;
  if (st == PL_OK)
    st = special_refine(k, &k->at, &k->next, singular_value, NULL, SINGULAR_TOL, fa, fb, s, &sigma);
  if (st != PL_OK) return lost(k, st, PL_BRANCH_POINT);
  return add_event(k, all, s, PL_BRANCH_POINT, 0, sigma);
}

// Multipliers that jump pass nothing: they are no longer those of a smooth curve. Told once.
static pl_status jumped(continuation *k, const curve_point *s) {
  if (k->jumps++ > 0) return PL_UNSOLVED;
  pl_report(k->env, PL_WARNING, NULL, 0, 0, "raise `harmonics`, or leave them out",
            "response: multipliers jump at %.8g rad/s, with no bifurcation there; verdicts on "
            "stability beyond are not to be believed",
            s->omega * k->sub);
  return PL_UNSOLVED;
}

// the multiplier of a rank passes the unit circle; pair: it came with its conjugate. PL_UNSOLVED:
// it jumps
static pl_status find_crossing(continuation *k, events *all, int rank, curve_point *s, int *pair) {
  const curve_point *a = &k->at, *b = &k->next;
  double fa = beyond(&a->floquet, rank), fb = beyond(&b->floquet, rank), sigma = fa > 0 ? 0 : 1;
  *pair = 0;
  pl_status st = PL_OK;
  if ((fa > 0) != (fb > 0))
    st = special_refine(k, a, b, multiplier_value, &rank, MULTIPLIER_TOL, fa, fb, s, &sigma);
  else
    curve_point_copy(k, s, fa < fb ? a : b);
  if (st != PL_OK) return lost(k, st, PL_NEIMARK_SACKER);
  if ((fa > 0) != (fb > 0) && fabs(beyond(&s->floquet, rank)) > CROSSED) return jumped(k, s);
  double re = s->floquet.re[rank], im = fabs(s->floquet.im[rank]);
  *pair = im > 1e-5;
  if (*pair) return add_event(k, all, s, PL_NEIMARK_SACKER, 0, sigma);
  if (re < 0) return add_event(k, all, s, PL_PERIOD_DOUBLING, 0, sigma);
  return find_branch(k, all, s);
}

// the multiplier of a rank that is beyond +1 at one end passed it at a fold of the segment
static int passed_fold(const events *all, const pl_floquet *f, int rank) {
  int fold = 0;
  for (int i = 0; i < all->n; i++) fold |= all->e[i].kind == PL_FOLD;
  return fold && rank < f->n && f->im[rank] == 0 && f->re[rank] > 0;
}

static pl_status find_bifurcations(continuation *k, events *all, curve_point *s) {
  const pl_floquet *a = &k->at.floquet, *b = &k->next.floquet;
  int lo = a->nunstable, hi = b->nunstable, pair = 0;
  if (a->n == 0 || b->n == 0) return PL_OK;
  if (lo > hi) {
    lo = b->nunstable;
    hi = a->nunstable;
    b = a;
  }
  pl_status st = PL_OK;
  for (int rank = lo; st == PL_OK && rank < hi && rank < 64; rank += 1 + pair) {
    pair = 0;
    if (!passed_fold(all, b, rank)) st = find_crossing(k, all, rank, s, &pair);
  }
  // the one that jumps was told
  return st == PL_UNSOLVED ? PL_OK : st;
}

static pl_status find_all(continuation *k, events *all, curve_point *s, pl_curve *c) {
  PL_TRY(find_fold(k, all, s));
  PL_TRY(find_peaks(k, all, s));
  PL_TRY(find_bifurcations(k, all, s));
  for (int i = 0; i < all->n; i++) {
    event *e = &all->e[i];
    PL_TRY(cont_measure(k, &e->s, k->stability));
    PL_TRY(curve_add_special(c, k, &e->s, e->kind, e->probe));
  }
  return PL_OK;
}

pl_status special_find(continuation *k, pl_curve *c) {
  curve_point s;
  events all = {0};
  PL_TRY(curve_point_create(k, &s));
  pl_status st = find_all(k, &all, &s, c);
  curve_point_free(k, &s);
  for (int i = 0; i < all.n; i++) curve_point_free(k, &all.e[i].s);
  pl_free(k->env, all.e);
  return st;
}
