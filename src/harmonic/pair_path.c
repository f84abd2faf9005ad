// The way of one pair over a period: events by root finding on its Fourier series.
#include "pairs.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

pl_status pair_open(pl_env *env, int ndof, int order, int N, pair *x) {
  *x = (pair){.N = N, .order = order, .cap = 2 * PL_LEVEL_MAX * N + 2};
  x->c = pl_alloc(env, (size_t)ndof * (size_t)(2 * order + 1), sizeof *x->c);
  x->sample = pl_alloc(env, (size_t)N, sizeof *x->sample);
  x->event = pl_alloc(env, (size_t)x->cap, sizeof *x->event);
  x->extreme = pl_alloc(env, (size_t)x->cap, sizeof *x->extreme);
  x->span = pl_alloc(env, 2 * (size_t)x->cap + 1, sizeof *x->span);
  return x->c && x->sample && x->event && x->extreme && x->span ? PL_OK : PL_E_NOMEM;
}

void pair_close(pl_env *env, pair *x) {
  void *all[] = {x->c, x->sample, x->event, x->extreme, x->span};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(env, all[i]);
}

void pair_motion(const pair *x, double phase, double *q, double *v) {
  int n = x->ndof, L = 2 * x->order + 1;
  double s1 = sin(phase), c1 = cos(phase), s = s1, c = c1;
  for (int a = 0; a < n; a++) {
    q[a] = x->c[a * L];
    v[a] = 0;
  }
  for (int k = 1; k <= x->order; k++) {
    for (int a = 0; a < n; a++) {
      const double *z = x->c + a * L + 2 * k - 1;
      q[a] += z[0] * s + z[1] * c;
      v[a] += k * (z[0] * c - z[1] * s);
    }
    double next = s * c1 + c * s1;
    c = c * c1 - s * s1;
    s = next;
  }
}

// ---- signals ------------------------------------------------------------------------------------

// what events are looked for in: d, or its derivative by the phase
typedef struct signal {
  const pair *x;
  int rate;
  double level;
  int outside;
} signal;

static double signal_at(signal *s, double phase) {
  const pair *x = s->x;
  double q[PL_NDOF_MAX], v[PL_NDOF_MAX], n[PL_NDOF_MAX], d = 0, rate = 0;
  pair_motion(x, phase, q, v);
  s->outside |= x->kind->stretch(q, x->rest, &d, n);
  for (int a = 0; s->rate && a < x->ndof; a++) rate += n[a] * v[a];
  return (s->rate ? rate : d) - s->level;
}

// the zero between a and b, where the signal is fa and fb of opposite signs: Brent's method
static double zero_between(signal *s, double a, double fa, double b, double fb) {
  enum { MOST = 100 };
  double c = a, fc = fa, d = b - a, e = d;
  for (int it = 0; it < MOST; it++) {
    if ((fb > 0) == (fc > 0)) {
      c = a, fc = fa;
      d = e = b - a;
    }
    if (fabs(fc) < fabs(fb)) {
      a = b, b = c, c = a;
      fa = fb, fb = fc, fc = fa;
    }
    double tol = 2 * DBL_EPSILON * fabs(b) + DBL_MIN, m = 0.5 * (c - b);
    if (fabs(m) <= tol || fb == 0) break;
    if (fabs(e) >= tol && fabs(fa) > fabs(fb)) {
      // secant, or inverse quadratic interpolation
      double r = fb / fa, p, q;
      if (a == c) {
        p = 2 * m * r;
        q = 1 - r;
      } else {
        double t = fa / fc, u = fb / fc;
        p = r * (2 * m * t * (t - u) - (b - a) * (u - 1));
        q = (t - 1) * (u - 1) * (r - 1);
      }
      if (p > 0) q = -q;
      p = fabs(p);
      int good = 2 * p < fmin(3 * m * q - fabs(tol * q), fabs(e * q));
      e = good ? d : m;
      d = good ? p / q : m;
    } else
      d = e = m;
    a = b, fa = fb;
    b += fabs(d) > tol ? d : copysign(tol, m);
    fb = signal_at(s, b);
  }
  return b;
}

// the extreme of sign * signal near a sample that its neighbours do not reach: golden section
static double extreme_near(signal *s, double sign, double a, double b, double *value) {
  const double gold = 0.3819660112501051;
  double x = a + gold * (b - a), y = b - gold * (b - a);
  double fx = sign * signal_at(s, x), fy = sign * signal_at(s, y);
  while (b - a > 1e-9) {
    if (fx > fy) {
      b = y, y = x, fy = fx;
      x = a + gold * (b - a);
      fx = sign * signal_at(s, x);
    } else {
      a = x, x = y, fx = fy;
      y = b - gold * (b - a);
      fy = sign * signal_at(s, y);
    }
  }
  *value = sign * fmax(fx, fy);
  return fx > fy ? x : y;
}

static void event_add(pair *x, double phase) {
  if (x->nevent < x->cap) x->event[x->nevent++] = phase < 2 * PL_PI ? phase : 0;
}

// a level just beyond an extreme of the samples may be passed twice between them
static void look_beyond(pair *x, signal *s, int i) {
  int N = x->N;
  double f0 = x->sample[(i + N - 1) % N] - s->level, f1 = x->sample[i] - s->level;
  double f2 = x->sample[(i + 1) % N] - s->level, sign = f1 > 0 ? -1 : 1;
  if (!(sign * f1 >= sign * f0 && sign * f1 > sign * f2)) return;
  // twice what a parabola says
  double curve = fabs(f0 - 2 * f1 + f2), over = (f0 - f2) * (f0 - f2) / (8 * curve);
  if (fabs(f1) > 2 * over) return;
  double h = 2 * PL_PI / N, value, at = extreme_near(s, sign, h * (i - 1), h * (i + 1), &value);
  if ((value > 0) == (f1 > 0)) return;
  double first = zero_between(s, h * (i - 1), f0, at, value);
  double second = zero_between(s, at, value, h * (i + 1), f2);
  event_add(x, first < 0 ? first + 2 * PL_PI : first);
  event_add(x, second < 0 ? second + 2 * PL_PI : second);
}

// all passages of the sampled signal through its level
static void find_passages(pair *x, signal *s) {
  double h = 2 * PL_PI / x->N;
  for (int i = 0; i < x->N; i++) {
    double a = x->sample[i] - s->level, b = x->sample[(i + 1) % x->N] - s->level;
    if ((a > 0) != (b > 0))
      event_add(x, zero_between(s, h * i, a, h * (i + 1), b));
    else
      look_beyond(x, s, i);
  }
}

static int by_phase(const void *a, const void *b) {
  double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

static void sort_events(pair *x) {
  qsort(x->event, (size_t)x->nevent, sizeof *x->event, by_phase);
  int n = 0;
  for (int i = 0; i < x->nevent; i++)
    if (n == 0 || x->event[i] > x->event[n - 1]) x->event[n++] = x->event[i];
  x->nevent = n;
}

// ---- sliders ------------------------------------------------------------------------------------

static double pair_stick_range(const pair *x) {
  return x->par[1] / x->par[0];
}

void pair_rest(const pair *x, const span *s, const double *q, double *rest) {
  memcpy(rest, x->rest, (size_t)x->kind->nrest * sizeof *rest);
  if (!x->kind->slider.d) return;
  double d = 0, n[PL_NDOF_MAX];
  x->kind->stretch(q, x->rest, &d, n);
  // far enough behind to slip
  rest[0] = s->slip ? d - s->slip * (2 * pair_stick_range(x) + fabs(d) + 1) : s->w;
}

static void span_add(pair *x, const span *s) {
  if (s->to > s->from) x->span[x->nspan++] = *s;
}

// the slider over one way from reversal to reversal; now: where it is, told = 1: spans are kept
static void follow(pair *x, signal *d, int j, int record, span *now) {
  int next = (j + 1) % x->nevent;
  double from = x->event[j], to = x->event[next] + (next <= j ? 2 * PL_PI : 0);
  double d0 = x->extreme[j], d1 = x->extreme[next], stick_range = pair_stick_range(x);
  int side = d1 > d0 ? 1 : -1, slips = side * (d1 - now->w) > stick_range;
  now->slip = 0;
  now->from = from;
  now->to = to;
  if (!slips) {
    if (record) span_add(x, now);
    return;
  }
  if (record) {
    d->level = now->w + side * stick_range;
    int at_once = side * (d0 - d->level) >= 0;
    now->to = at_once ? from : zero_between(d, from, d0 - d->level, to, d1 - d->level);
    span_add(x, now);
    now->from = now->to;
    now->to = to;
    now->slip = side;
    span_add(x, now);
  }
  now->w = d1 - side * stick_range;
  now->since = x->event[next];
  now->side = side;
}

// One period from rest forgets it, the next is periodic.
static void integrate_path(pair *x) {
  enum { PERIODS = 3 };
  signal d = {.x = x};
  span now = {.w = x->rest[0], .since = -1};
  if (x->nevent == 0) {
    x->event[0] = 0;
    x->nevent = 1;
  }
  for (int j = 0; j < x->nevent; j++) x->extreme[j] = signal_at(&d, x->event[j]);
  double off = x->extreme[0] - now.w, stick_range = pair_stick_range(x);
  if (fabs(off) > stick_range) {
    now.side = off > 0 ? 1 : -1;
    now.w = x->extreme[0] - now.side * stick_range;
    now.since = x->event[0];
  }
  for (int period = 0; period < PERIODS; period++)
    for (int j = 0; j < x->nevent; j++) follow(x, &d, j, period == PERIODS - 1, &now);
}

// ---- all ----------------------------------------------------------------------------------------

int pair_timeline(pair *x) {
  int slider = x->kind->slider.d != NULL;
  signal s = {.x = x, .rate = slider || x->kind->on_rate};
  double level[PL_LEVEL_MAX];
  x->nevent = x->nspan = 0;
  for (int i = 0; i < x->N; i++) x->sample[i] = signal_at(&s, 2 * PL_PI * i / x->N);
  if (s.outside) return 1;
  if (slider) {
    find_passages(x, &s);
    sort_events(x);
    integrate_path(x);
    return s.outside;
  }
  x->kind->levels(x->par, level);
  for (int k = 0; k < x->kind->nlevel; k++) {
    s.level = s.rate ? level[k] / x->omega : level[k];
    find_passages(x, &s);
  }
  sort_events(x);
  if (x->nevent == 0) x->event[x->nevent++] = 0;
  for (int i = 0; i < x->nevent; i++) {
    double to = i + 1 < x->nevent ? x->event[i + 1] : x->event[0] + 2 * PL_PI;
    x->span[x->nspan++] = (span){.from = x->event[i], .to = to};
  }
  return s.outside;
}
