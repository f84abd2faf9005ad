// Stability of large models with stops and dry friction: the period map against the dense
// monodromy matrix of small ones, and against the motion itself by an independent integrator.
#include "check.h"
#include "models.h"

#include "floquet_impl.h"

#include <stdlib.h>
#include <string.h>

static pl_env env;

enum { MOST = 120 };

// A bar of n masses, held at one end and pushed at the other, where a stop waits; one mass rubs.
typedef struct bar {
  model_kit kit;
  kit_model b;
  int n, rubs; // -1: none
  double X[MOST], mass[MOST], spring[MOST][4], stop[3], jenkins[2], coupling[4], smooth[2];
  int at[MOST], link[2 * MOST], tip, stop_at[2], rub_at[2], drag_at[2];
  double alpha, beta, force, omega;
} bar;

// What damps besides: dashpots of the springs, smooth friction at mass 5; entries of mass and
// damping between neighbours.
typedef struct extras {
  double dashpot, drag, mass, gyro;
} extras;

static void bar_build(bar *t, int n, double stiff, double gap, double force, int rubs, double limit,
                      extras x) {
  memset(t, 0, sizeof *t);
  kit_init(&t->kit, &env, 1);
  t->n = n;
  t->tip = n - 1;
  t->rubs = rubs;
  t->force = force;
  t->kit.d.nnode = n;
  t->kit.d.X = t->X;
  for (int i = 0; i < n; i++) {
    t->at[i] = i;
    t->mass[i] = 1.0 / n;
    t->link[2 * i] = i - 1;
    t->link[2 * i + 1] = i;
    t->spring[i][0] = n;
    t->spring[i][2] = 0.1 * n;
    t->spring[i][3] = x.dashpot * n;
  }
  t->alpha = t->kit.d.alpha = 0.1;
  t->beta = t->kit.d.beta = 0.002;
  kit_group(&t->kit, "springs", "spring1", n, t->link, 0, t->spring[0]);
  kit_group(&t->kit, "masses", "mass1", n, t->at, 0, t->mass);
  double stop[3] = {stiff, gap, 1}, jenkins[2] = {1, limit};
  memcpy(t->stop, stop, sizeof stop);
  memcpy(t->jenkins, jenkins, sizeof jenkins);
  t->stop_at[0] = t->rub_at[0] = -1;
  t->stop_at[1] = t->tip;
  t->rub_at[1] = rubs;
  kit_group(&t->kit, "stop", "stop1", 1, t->stop_at, 1, t->stop);
  if (rubs >= 0) kit_group(&t->kit, "rub", "jenkins1", 1, t->rub_at, 1, t->jenkins);
  double coupling[4] = {0, x.gyro, -x.gyro, x.mass / n}, smooth[2] = {x.drag, 0.05};
  memcpy(t->coupling, coupling, sizeof coupling);
  memcpy(t->smooth, smooth, sizeof smooth);
  t->drag_at[0] = -1;
  t->drag_at[1] = 5;
  if (x.drag > 0) kit_group(&t->kit, "drag", "friction1", 1, t->drag_at, 1, t->smooth);
  if (x.mass > 0) kit_group(&t->kit, "coupling", "coupling", n - 1, t->link + 2, 1, t->coupling);
  t->kit.load[t->kit.d.nload++] =
      (pl_load_desc){.nnode = 1, .node = &t->tip, .term = {1, {force, 0, 0}, 0}};
  kit_build(&t->kit, 1, &t->b);
}

static void bar_free(bar *t) {
  kit_model_free(&t->b);
  kit_free(&t->kit);
}

static pl_orbit *bar_motion(bar *t, double omega, int H) {
  pl_periodic_opts o;
  pl_orbit *out = NULL;
  pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &o);
  o.frequency = t->omega = omega;
  o.harmonics = H;
  check_ok(&env, pl_periodic(&o, t->b.m, t->b.p, t->b.w, &out, NULL));
  return out;
}

// the motion on the way back from a fold of the response, nearest to a frequency
static pl_orbit *bar_back(bar *t, double from, double to, double omega, int H) {
  pl_response_opts o;
  pl_curve *c;
  pl_orbit *out = NULL;
  pl_opts_default(pl_response_option_table, pl_response_option_count, &o);
  o.from = from;
  o.to = to;
  o.harmonics = H;
  o.stability = 0;
  check_ok(&env, pl_response(&o, t->b.m, t->b.p, t->b.w, 1, &t->tip, NULL, &c));
  const pl_orbit *best = NULL;
  for (int i = 1; i < c->npoint; i++) {
    const pl_orbit *p = c->point[i].orbit;
    if ((p->omega - c->point[i - 1].orbit->omega) * (to - from) > 0) continue;
    if (!best || fabs(p->omega - omega) < fabs(best->omega - omega)) best = p;
  }
  assert_non_null(best);
  t->omega = best->omega;
  check_ok(&env, pl_orbit_copy(best, H, &out));
  pl_curve_free(c);
  return out;
}

static int by_size(const void *a, const void *b) {
  const double *x = a, *y = b;
  double p = hypot(x[0], x[1]), q = hypot(y[0], y[1]);
  return (p < q) - (p > q);
}

// sizes of the largest, in order
static void leading(const multipliers *mu, int n, double *size) {
  double all[2 * (2 * MOST + 8)];
  for (int i = 0; i < mu->n; i++) {
    all[2 * i] = mu->re[i];
    all[2 * i + 1] = mu->im[i];
  }
  qsort(all, (size_t)mu->n, 2 * sizeof(double), by_size);
  assert_true(mu->n >= n);
  for (int i = 0; i < n; i++) size[i] = hypot(all[2 * i], all[2 * i + 1]);
}

// ---- the dense matrix ---------------------------------------------------------------------------

static void check_dense(const kit_model *b, const pl_orbit *o) {
  variation v;
  multipliers want, got[2];
  double x[4], y[4];
  check_ok(&env, variation_open(b->m, b->p, b->w, o, &v));
  check_ok(&env, pair_multipliers(&v, &want));
  check_ok(&env, event_multipliers(&v, 0, 1e9, &got[0]));
  check_ok(&env, event_multipliers(&v, 240, 1e9, &got[1]));
  leading(&want, 4, x);
  leading(&got[0], 4, y);
  // steps by themselves are wider: vibrations of ten times the frequency lose 1e-4 a period
  check_array(4, y, x, 3e-4);
  leading(&got[1], 4, y);
  // Arnoldi's method ends at 1e-4 of the distance from the unit circle
  for (int i = 0; i < 4; i++) check_close(y[i], x[i], 1e-6 + 1e-4 * fabs(1 - x[i]));
  multipliers_free(&env, &want);
  multipliers_free(&env, &got[0]);
  multipliers_free(&env, &got[1]);
  variation_close(&v);
}

static void same_as_dense(void **state) {
  (void)state;
  static const struct {
    double stiff, force, omega, limit;
    int rubs;
    extras x;
  } set[] = {{4, 0.05, 1.8, 0, -1, {0, 0, 0, 0}},
             {20, 0.05, 1.75, 0, -1, {0, 0, 0, 0}},
             {4, 0.05, 1.8, 0.02, 9, {0, 0, 0, 0}},
             {0, 0.08, 1.6, 0.03, 6, {0, 0, 0, 0}},
             {4, 0.05, 1.8, 0.02, 9, {.dashpot = 0.004}},
             {4, 0.05, 1.8, 0.02, 9, {.drag = 0.02}},
             {4, 0.05, 1.8, 0.02, 9, {.dashpot = 0.004, .drag = 0.02, .mass = 0.1, .gyro = 0.05}}};
  for (size_t k = 0; k < sizeof set / sizeof set[0]; k++) {
    bar t;
    bar_build(&t, 16, set[k].stiff, 0.04, set[k].force, set[k].rubs, set[k].limit, set[k].x);
    pl_orbit *o = bar_motion(&t, set[k].omega, 15);
    check_dense(&t.b, o);
    pl_orbit_free(o);
    bar_free(&t);
  }
}

// a block with consistent masses, pulled until a rope along it is tight
static void solid_as_dense(void **state) {
  (void)state;
  static const int cells[3] = {2, 1, 1};
  static const double l[3] = {2, 1, 1}, par[3] = {1, 0.3, 1}, rope[3] = {0.3, 0.03, 1};
  model_kit kit;
  kit_model b;
  pl_periodic_opts p;
  pl_orbit *o;
  kit_init(&kit, &env, 3);
  kit_box(&kit, "hex8", cells, l, par);
  kit_fix(&kit, "left");
  int ends[2] = {kit_node_at(&kit, 0, 0, 0), kit_node_at(&kit, 2, 0, 0)};
  kit_group(&kit, "rope", "stop", 1, ends, 1, rope);
  kit.d.alpha = 0.1;
  kit.d.beta = 0.02;
  kit.load[kit.d.nload++] =
      (pl_load_desc){.nnode = 1, .node = &ends[1], .term = {1, {0.01, 0, 0.002}, 0}};
  kit_build(&kit, 1, &b);
  pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &p);
  p.frequency = 0.7;
  p.harmonics = 9;
  check_ok(&env, pl_periodic(&p, b.m, b.p, b.w, &o, NULL));
  check_dense(&b, o);
  pl_orbit_free(o);
  kit_model_free(&b);
  kit_free(&kit);
}

// ---- the motion itself --------------------------------------------------------------------------

// y = (x, x', w): rates by the laws of the bar; mode: stop closed, slider slips to a side or sticks
static void bar_rates(const bar *t, double time, const double *y, const int *mode, double *dy) {
  int n = t->n;
  const double *x = y, *v = y + n;
  for (int i = 0; i < n; i++) {
    dy[i] = v[i];
    dy[n + i] = -t->alpha * t->mass[i] * v[i];
  }
  for (int i = 0; i < n; i++) {
    double d = x[i] - (i ? x[i - 1] : 0), rate = v[i] - (i ? v[i - 1] : 0);
    double k = t->spring[i][0] + 3 * t->spring[i][2] * d * d;
    double f = t->spring[i][0] * d + t->spring[i][2] * d * d * d + t->beta * k * rate;
    dy[n + i] -= f;
    if (i) dy[n + i - 1] += f;
  }
  dy[n + t->tip] += t->force * sin(t->omega * time);
  if (mode[0]) dy[n + t->tip] -= t->stop[0] * (x[t->tip] - t->stop[1]);
  if (t->rubs >= 0)
    dy[n + t->rubs] -= mode[1] ? mode[1] * t->jenkins[1] : t->jenkins[0] * (x[t->rubs] - y[2 * n]);
  for (int i = 0; i < n; i++) dy[n + i] /= t->mass[i];
  dy[2 * n] = 0;
}

enum { SIZE = 2 * MOST + 1 };

static void bar_step(const bar *t, double time, double h, const double *y, const int *mode,
                     double *to) {
  static const double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1, 2, 2, 1};
  double k[SIZE] = {0}, at[SIZE];
  int n = 2 * t->n + 1;
  memcpy(to, y, (size_t)n * sizeof *to);
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < n; j++) at[j] = y[j] + c[i] * h * k[j];
    bar_rates(t, time + c[i] * h, at, mode, k);
    for (int j = 0; j < n; j++) to[j] += h / 6 * b[i] * k[j];
  }
}

// what tells that a joint leaves its mode when it becomes positive
static double bar_leaves(const bar *t, const double *y, const int *mode, int joint) {
  int n = t->n;
  double d = y[t->tip] - t->stop[1];
  if (joint == 0) return mode[0] ? -d : d;
  if (t->rubs < 0) return -1;
  if (mode[1]) return -mode[1] * y[n + t->rubs];
  return fabs(y[t->rubs] - y[2 * n]) - t->jenkins[1] / t->jenkins[0];
}

static void bar_switch(const bar *t, double *y, int *mode, int joint) {
  double range = t->rubs < 0 ? 0 : t->jenkins[1] / t->jenkins[0];
  if (joint == 0) {
    mode[0] = !mode[0];
  } else if (mode[1]) {
    y[2 * t->n] = y[t->rubs] - mode[1] * range;
    mode[1] = 0;
  } else
    mode[1] = y[t->rubs] > y[2 * t->n] ? 1 : -1;
}

// one period, from event to event; a slider that slips keeps its place behind
static void bar_period(const bar *t, int steps, int *mode, double *y) {
  double period = 2 * PL_PI / t->omega, time = 0, to[SIZE];
  while (time < period * (1 - 1e-14)) {
    double h = fmin(period / steps, period - time);
    int which = -1;
    bar_step(t, time, h, y, mode, to);
    for (int j = 0; j < 2; j++)
      if (bar_leaves(t, to, mode, j) > 0 && bar_leaves(t, y, mode, j) <= 1e-14) {
        double lo = 0, hi = h;
        for (int it = 0; it < 60; it++) {
          double mid = 0.5 * (lo + hi);
          bar_step(t, time, mid, y, mode, to);
          *(bar_leaves(t, to, mode, j) > 0 ? &hi : &lo) = mid;
        }
        if (hi <= h) which = j;
        h = hi;
        bar_step(t, time, h, y, mode, to);
      }
    memcpy(y, to, sizeof to);
    time += h;
    if (which >= 0) bar_switch(t, y, mode, which);
  }
}

// A slider that slips at phase zero forgets where it was; else it is an unknown. The mode at phase
// zero stays what it is after a period.
static void period_multipliers(const bar *t, const double *y0, const int *mode0, multipliers *mu) {
  int n = 2 * t->n + (t->rubs >= 0 && mode0[1] == 0), steps = 600;
  double *J = pl_alloc(&env, (size_t)n * (size_t)n, sizeof *J), scale = 1e-7, y[2][SIZE];
  check_ok(&env, multipliers_create(&env, n, mu));
  for (int j = -1; j < n; j++) {
    int mode[2] = {mode0[0], mode0[1]}, displaced = j >= 0;
    memcpy(y[displaced], y0, sizeof y[0]);
    if (displaced) y[1][j] += scale;
    bar_period(t, steps, mode, y[displaced]);
    assert_memory_equal(mode, mode0, sizeof mode);
    for (int i = 0; displaced && i < n; i++) J[j * n + i] = (y[1][i] - y[0][i]) / scale;
  }
  check_ok(&env, dense_eigen(&env, n, J, mu->re, mu->im, NULL));
  pl_free(&env, J);
}

// the verdict of 120 unknowns, on a stable motion and on an unstable one
static void check_large(int rubs, double stiff, double force, double omega, int stable) {
  bar *t = pl_alloc(&env, 1, sizeof *t);
  pl_floquet f;
  multipliers mu;
  bar_build(t, 120, stiff, 0.04, force, rubs, 0.02, (extras){0});
  pl_orbit *o = stable ? bar_motion(t, omega, 21) : bar_back(t, 1.95, 1.7, omega, 15);
  double y[SIZE] = {0}, want[4], got[4], before[SIZE];
  int mode[2] = {0};
  pl_orbit_state(t->b.m, t->b.p, o, 0, t->b.s);
  memcpy(y, t->b.s->q, 120 * sizeof *y);
  memcpy(y + 120, t->b.s->v, 120 * sizeof *y);
  mode[0] = y[t->tip] > t->stop[1];
  // stays there where it is stable, and sliders come to where they belong
  for (int k = 0; k < (stable ? 30 : 1); k++) {
    memcpy(before, y, sizeof y);
    bar_period(t, 600, mode, y);
  }
  if (!stable) memcpy(y, before, sizeof y);
  period_multipliers(t, y, mode, &mu);
  check_ok(&env, pl_orbit_floquet(t->b.m, t->b.p, t->b.w, o, PL_FLOQUET_AUTO, &f));
  leading(&mu, 4, want);
  assert_true(f.n >= 4 && f.exact);
  for (int i = 0; i < 4; i++) got[i] = hypot(f.re[i], f.im[i]);
  // by the harmonics that are missing
  check_array(4, got, want, stable ? 5e-4 : 5e-3);
  assert_int_equal(f.stable, stable);
  assert_int_equal(want[0] < 1, stable);
  multipliers_free(&env, &mu);
  pl_orbit_free(o);
  bar_free(t);
  pl_free(&env, t);
}

static void large_models(void **state) {
  (void)state;
  check_large(-1, 4, 0.05, 1.8, 1);
  check_large(70, 4, 0.05, 1.8, 1);
  check_large(-1, 20, 0.02, 1.83, 0);
}

int test_event_map(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_as_dense),
      cmocka_unit_test(solid_as_dense),
      cmocka_unit_test(large_models),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("event map", tests, NULL, NULL);
}
