// The harmonic-balance paper's analysis on a thin fork of 144 nodes and 188 triangles (Figs. 3, 5
// and 15): harmonic balance against Newmark's method below, at and above resonance and with two
// dampings; the number of samples; strains of linear modal analysis.
#include "golden.h"

#include "pliant/harmonic.h"
#include "pliant/scene.h"

#include <math.h>
#include <string.h>

enum { DEPTH = 10, PERIODS = 40 };

static pl_env env;
static const double RESONANCE = 10.9757; // first mode, rad/s

typedef struct rig {
  pl_scene *scene;
  pl_model *m;
  pl_params *p;
  pl_work *w;
  int nfree;
} rig;

static void open_fork(rig *r, double alpha, double beta) {
  static const char *const large[] = {"drives.0.rotation.amplitude=5 deg"};
  check_ok(&env, pl_scene_load(&env, SOURCE_DIR "/scenes/fork.yaml", 1, large, &r->scene));
  r->m = r->scene->model;
  r->p = r->scene->params;
  r->p->par[PL_PAR_ALPHA] = alpha;
  r->p->par[PL_PAR_BETA] = beta;
  r->nfree = pl_model_nfree(r->m);
  check_ok(&env, pl_work_create(r->m, 2, &r->w));
}

static void close_fork(rig *r) {
  pl_work_free(r->w);
  pl_scene_free(r->scene);
}

static void solve(rig *r, double omega, int H, int N, pl_orbit **o) {
  pl_periodic_opts po;
  pl_periodic_info info;
  pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &po);
  po.frequency = omega;
  po.harmonics = H;
  po.samples = N;
  check_ok(&env, pl_periodic(&po, r->m, r->p, r->w, o, &info));
}

// ---- the periodic motion of Newmark's method ----------------------------------------------------

typedef struct recorder {
  const rig *r;
  double omega, *x; // [nstep][nfree]
  int nstep;
} recorder;

static int record(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  (void)w;
  recorder *t = ctx;
  const int *dof = pl_model_free_dofs(t->r->m);
  long i = lround(c->t * t->omega / (2 * PL_PI) * t->nstep) % t->nstep;
  for (int j = 0; j < t->r->nfree; j++) t->x[i * t->r->nfree + j] = s->q[dof[j]];
  return 0;
}

// one period from y = (q, v / omega) of the free unknowns
static void period_map(recorder *t, double *y) {
  const rig *r = t->r;
  const int *dof = pl_model_free_dofs(r->m);
  pl_transient_opts o;
  pl_transient_info info;
  pl_state *s;
  pl_clock begin = {.omega = t->omega, .scale = 1};
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &o);
  o.frequency = t->omega;
  o.steps_per_period = t->nstep;
  o.periods = 1;
  check_ok(&env, pl_state_create(r->m, r->p, &s));
  pl_drive(r->m, r->p, &begin, s);
  for (int j = 0; j < r->nfree; j++) {
    s->q[dof[j]] = y[j];
    s->v[dof[j]] = t->omega * y[r->nfree + j];
  }
  check_ok(&env, pl_transient(&o, r->m, r->p, s, NULL, r->w, record, t, &info));
  for (int j = 0; j < r->nfree; j++) {
    y[j] = s->q[dof[j]];
    y[r->nfree + j] = s->v[dof[j]] / t->omega;
  }
  pl_state_free(r->m, s);
}

// solves the small symmetric system A x = b in place, without pivots
static void cholesky(int n, double *A, double *b) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double s = A[i * DEPTH + j];
      for (int k = 0; k < j; k++) s -= A[i * DEPTH + k] * A[j * DEPTH + k];
      A[i * DEPTH + j] = i == j ? sqrt(s) : s / A[j * DEPTH + j];
    }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) b[i] -= A[i * DEPTH + k] * b[k];
    b[i] /= A[i * DEPTH + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) b[i] -= A[k * DEPTH + i] * b[k];
    b[i] /= A[i * DEPTH + i];
  }
}

// Steady motion of Newmark's method near an orbit, by Anderson's acceleration of the period map:
// waiting for the decay of a lightly damped fork takes hundreds of periods.
static void settle(rig *r, const pl_orbit *o, int nstep, double *x) {
  recorder t = {.r = r, .omega = o->omega, .x = x, .nstep = nstep};
  int n = 2 * r->nfree;
  size_t N = (size_t)n;
  double *y = pl_alloc(&env, (4 + 2 * DEPTH) * N, sizeof *y), *g = y + N, *f = g + N, *f0 = f + N;
  double *dY = f0 + N, *dF = dY + DEPTH * N, A[DEPTH * DEPTH], b[DEPTH], gap = 1;
  pl_state *s;
  const int *dof = pl_model_free_dofs(r->m);
  check_ok(&env, pl_state_create(r->m, r->p, &s));
  pl_orbit_state(r->m, r->p, o, 0, s);
  for (int j = 0; j < r->nfree; j++) {
    y[j] = s->q[dof[j]];
    y[r->nfree + j] = s->v[dof[j]] / o->omega;
  }
  pl_state_free(r->m, s);
  int it = 0;
  for (; it < PERIODS; it++) {
    memcpy(g, y, N * sizeof *g);
    period_map(&t, g);
    for (int i = 0; i < n; i++) f[i] = g[i] - y[i];
    gap = pl_norm(n, f) / pl_norm(n, y);
    if (gap < 2e-8) break;
    int m = it < DEPTH ? it : DEPTH;
    if (it > 0) {
      double *d = dF + (size_t)((it - 1) % DEPTH) * N;
      for (int i = 0; i < n; i++) d[i] = f[i] - f0[i];
    }
    double trace = 0;
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < m; j++) A[i * DEPTH + j] = pl_dot(n, dF + i * N, dF + j * N);
      b[i] = pl_dot(n, dF + i * N, f);
      trace += A[i * DEPTH + i];
    }
    for (int i = 0; i < m; i++) A[i * DEPTH + i] += 1e-14 * trace;
    cholesky(m, A, b);
    // y' = y + f - sum b (dY + dF)
    double *step = dY + (size_t)(it % DEPTH) * N;
    for (int i = 0; i < n; i++) {
      double to = f[i];
      for (int k = 0; k < m; k++) to -= b[k] * (dY[k * N + (size_t)i] + dF[k * N + (size_t)i]);
      f0[i] = f[i];
      g[i] = to;
    }
    memcpy(step, g, N * sizeof *g);
    pl_axpy(n, 1, g, y, y);
  }
  check_less(gap, 1e-7);
  pl_free(&env, y);
}

// ---- comparison -------------------------------------------------------------------------------

// samples of an orbit
static void sample(const rig *r, const pl_orbit *o, int nstep, double *x) {
  size_t L = 2 * (size_t)o->nharm + 1;
  for (int i = 0; i < nstep; i++)
    for (int j = 0; j < r->nfree; j++) {
      const double *z = o->z + (size_t)j * L;
      double v = z[0], a = 2 * PL_PI * i / nstep;
      for (int k = 1; k <= o->nharm; k++) v += z[2 * k - 1] * sin(k * a) + z[2 * k] * cos(k * a);
      x[i * r->nfree + j] = v;
    }
}

// root mean square distance of motions sampled at n phases, every `a`-th of x and `b`-th of y, over
// that of y from its mean
static double distance(int n, int nfree, const double *x, int a, const double *y, int b) {
  double off = 0, size = 0;
  for (int j = 0; j < nfree; j++) {
    double mean = 0;
    for (int i = 0; i < n; i++) mean += y[(size_t)(i * b) * (size_t)nfree + (size_t)j] / n;
    for (int i = 0; i < n; i++) {
      double u = x[(size_t)(i * a) * (size_t)nfree + (size_t)j];
      double v = y[(size_t)(i * b) * (size_t)nfree + (size_t)j];
      off += (u - v) * (u - v);
      size += (v - mean) * (v - mean);
    }
  }
  return sqrt(off / size);
}

// Errors for growing numbers of harmonics. Newmark's error is of second order in the step: the
// limit of two step sizes stands for the exact motion (4096 steps a period would be further off).
static void compare(rig *r, double omega) {
  enum { COARSE = 256, FINE = 512, COUNT = 3 };
  static const int H[COUNT] = {7, 5, 3};
  size_t nfree = (size_t)r->nfree;
  double *coarse = pl_alloc(&env, nfree * (3 * COARSE + FINE), sizeof *coarse);
  double *fine = coarse + nfree * COARSE, *limit = fine + nfree * FINE, *x = limit + nfree * COARSE;
  double error[COUNT], off[2] = {0};
  pl_orbit *o = NULL;
  for (int k = 0; k < COUNT; k++) {
    pl_orbit *less = NULL;
    if (o) check_ok(&env, pl_orbit_copy(o, H[k], &less));
    pl_orbit_free(o);
    o = less;
    solve(r, omega, H[k], 64, &o);
    sample(r, o, COARSE, x);
    if (k == 0) {
      settle(r, o, COARSE, coarse);
      settle(r, o, FINE, fine);
      off[0] = distance(COARSE, r->nfree, x, 1, coarse, 1);
      off[1] = distance(COARSE, r->nfree, x, 1, fine, 2);
      for (size_t i = 0; i < COARSE; i++)
        for (size_t j = 0; j < nfree; j++) {
          double f = fine[2 * i * nfree + j];
          limit[i * nfree + j] = f + (f - coarse[i * nfree + j]) / 3;
        }
    }
    error[k] = distance(COARSE, r->nfree, x, 1, limit, 1);
  }
  print_message("fork at %g rad/s: H = 3, 5, 7: %.1e %.1e %.1e; Newmark with 256, 512 steps: %.1e "
                "%.1e\n",
                omega, error[2], error[1], error[0], off[0], off[1]);
  // fast down to five harmonics, then below the error of Newmark's steps, which is of second order
  check_less(error[2], 1e-2);
  check_less(error[1], error[2] / 30);
  check_less(error[1], off[0] / 2);
  check_less(error[0], error[1]);
  check_close(off[0] / off[1], 4, 0.2);
  pl_orbit_free(o);
  pl_free(&env, coarse);
}

static void newmark_of(double alpha, double beta) {
  const double at[] = {8, RESONANCE, 14};
  rig r;
  open_fork(&r, alpha, beta);
  for (int k = 0; k < 3; k++) compare(&r, at[k]);
  close_fork(&r);
}

static void newmark(void **state) {
  (void)state;
  newmark_of(3, 1e-4);
  newmark_of(6, 4e-4);
}

// ---- samples, strains -------------------------------------------------------------------------

static void aliasing(void **state) {
  (void)state;
  enum { PHASES = 64 };
  static const int N[4] = {128, 64, 32, 16};
  rig r;
  open_fork(&r, 3, 1e-4);
  size_t size = (size_t)r.nfree * PHASES;
  double *x = pl_alloc(&env, 4 * size, sizeof *x), off[3];
  pl_orbit *o = NULL;
  for (int k = 0; k < 4; k++) {
    solve(&r, RESONANCE, 5, N[k], &o);
    sample(&r, o, PHASES, x + (size_t)k * size);
    if (k > 0) off[k - 1] = distance(PHASES, r.nfree, x + (size_t)k * size, 1, x, 1);
  }
  print_message("fork: 16, 32, 64 samples against 128: %.1e %.1e %.1e of the motion\n", off[2],
                off[1], off[0]);
  // stretching forces are cubic: their orders up to 15 fold back onto the first five below 21
  // samples; what is left beyond that comes from the angles of hinges
  check_less(1e-7, off[2]);
  check_less(off[1], 1e-8);
  check_less(off[0], 1e-8);
  pl_orbit_free(o);
  pl_free(&env, x);
  close_fork(&r);
}

static void linear_strain(void **state) {
  (void)state;
  rig r;
  open_fork(&r, 3, 1e-4);
  pl_orbit *o = NULL, *flat;
  pl_modal *l;
  pl_strain bent, stretched;
  solve(&r, RESONANCE, 5, 64, &o);
  check_ok(&env, pl_orbit_strain(r.m, r.p, r.w, o, 0, NULL, &bent));
  check_ok(&env, pl_modal_create(r.m, r.p, r.w, 0, &l));
  check_ok(&env, pl_modal_response(l, RESONANCE, &flat));
  check_ok(&env, pl_modal_strain(l, flat, 0, NULL, &stretched));
  print_message("fork: largest strain %.2e, by linear analysis %.2e\n", bent.value,
                stretched.value);
  check_less(1000 * fabs(bent.value), fabs(stretched.value));
  pl_modal_free(l);
  pl_orbit_free(flat);
  pl_orbit_free(o);
  close_fork(&r);
}

int test_fork(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {cmocka_unit_test(newmark), cmocka_unit_test(aliasing),
                                     cmocka_unit_test(linear_strain)};
  return cmocka_run_group_tests_name("golden.fork", tests, NULL, NULL);
}
