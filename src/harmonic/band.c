// The linearised motion over one period for many unknowns: generalised alpha with the factors of
// all steps in an envelope, eight deviations at a time.
#include "floquet_impl.h"
#include "inertia.h"
#include "packs.h"

#include <string.h>

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#pragma GCC optimize("O3", "fp-contract=fast")
#endif
#pragma GCC diagnostic ignored "-Wpsabi"
enum { PACKED_MAX = 1 << 14 }; // entries of an envelope of which eight stay near the processor
#define COPY "band.inc"
#include "pliant/copies.h"

static const double MARGIN = 1e-4; // about the unit circle

typedef struct band {
  variation *v;
  tangents t;
  int n, nstep;
  int resolved; // the lowest vibrations are
  int pressed;  // somewhere the motion as it is has directions without stiffness
  double alpha; // damping by mass, in the phase
  scheme s;
  envelope e; // of the pairs
  double *M;  // [npair]
  inertia mass;
  double *lumped;   // [n] mass, when it is diagonal; NULL: it is not
  double *D;        // [nstep][npair]
  double *L;        // [nstep][ptr[n]] factors
  pl_pack *scratch; // [threads][scratch_size] eight steps under way
  size_t scratch_size;
  const pl_pack *K_at, *D_at; // [npair][t.npack] samples of step matrices and of damping
  const pl_pack *W;           // [ngroup][t.nphase] their weights in steps; NULL: they are the steps
  int first;                  // group of eight steps, of those at hand
  pl_pack *x;                 // [7][n] x, v, a and what a step knows
  double *start;              // [PL_LANES][3n] deviations to begin with; NULL: any
  int indefinite;             // a step's matrix was
} band;

// n numbers that are not set to zero: what is large costs time
static double *unset(pl_env *env, size_t n) {
  return pl_realloc(env, NULL, n, sizeof(double));
}

static void band_close(band *d) {
  pl_env *env = d->v->env;
  void *all[] = {d->M, d->lumped, d->D, d->L, d->x, d->start, d->scratch};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(env, all[k]);
  envelope_close(env, &d->e);
  tangents_close(&d->t);
}

static pl_status band_open(band *d, variation *v) {
  *d = (band){.v = v, .n = v->n, .resolved = 1};
  d->alpha = v->p->par[PL_PAR_ALPHA] / v->omega;
  PL_TRY(tangents_open(v, &d->t));
  if (!d->t.symmetric) return PL_UNSOLVED;
  size_t n = (size_t)d->n, npair = (size_t)d->t.P.nnz;
  PL_TRY(envelope_open(v->env, &d->t.P, &d->e));
  d->M = pl_alloc(v->env, npair, sizeof(double));
  d->x = pl_alloc(v->env, 7 * n, sizeof(pl_pack));
  if (!d->M || !d->x) return PL_E_NOMEM;
  tangents_mass(&d->t, d->M);
  PL_TRY(tangents_lump(&d->t, d->M, &d->lumped));
  d->mass = (inertia){v->env, &d->e, d->M, d->lumped};
  return PL_OK;
}

// ---- steps --------------------------------------------------------------------------------------

// Frequency of the lowest vibrations about the motion at phase zero that steps have to resolve,
// over that of the motion; 0: not found. And deviations to begin with, which move as they would
// about the stiffness there.
static pl_status band_vibrations(band *d, double *w) {
  size_t npair = (size_t)d->t.P.nnz, n = (size_t)d->n;
  double *K = pl_alloc(d->v->env, 2 * npair, sizeof(double)), limit = resolved_to(d->v, 0);
  double cut = fmax(1, 0.7 * limit);
  int found = 0;
  if (!K) return PL_E_NOMEM;
  pl_status s = tangents_at(&d->t, 1, 0, K, K + npair);
  if (s == PL_OK) s = inertia_lowest(&d->mass, K, limit, w);
  if (s == PL_OK) s = inertia_start(&d->mass, K, cut, d->x, &found);
  pl_free(d->v->env, K);
  if (s != PL_OK || !found) return s;
  d->start = pl_alloc(d->v->env, 3 * n * PL_LANES, sizeof(double));
  if (!d->start) return PL_E_NOMEM;
  const pl_pack *x = d->x, *v = x + n, *z = v + n;
  for (size_t i = 0; i < n; i++)
    for (size_t l = 0; l < PL_LANES; l++) {
      double *to = d->start + l * 3 * n + i;
      to[0] = x[i][l];
      to[n] = cut * v[i][l];
      to[2 * n] = cut * cut * (x[i][l] - z[i][l]);
    }
  return PL_OK;
}

static int is_packed(const band *d) {
  return envelope_size(&d->e) <= PACKED_MAX;
}

// values of eight steps from samples, `step` apart; to: where they may be put
static const pl_pack *steps_of(const band *d, int g, const pl_pack *from, pl_pack *to, int *step) {
  int N = d->t.nphase, npack = d->t.npack;
  *step = d->W ? 1 : npack;
  if (!d->W) return from + g;
  packs_weigh(d->t.P.nnz, N, d->W + (size_t)g * (size_t)N, (const double *)from, PL_LANES * npack,
              to);
  return to;
}

// factors and damping of eight steps
static void make_steps(void *ctx, int i, int thread) {
  band *d = ctx;
  int g = d->first + i, left = d->nstep - g * PL_LANES, step, good = 1;
  int count = left < PL_LANES ? left : PL_LANES;
  size_t npair = (size_t)d->t.P.nnz, size = envelope_size(&d->e), at = (size_t)g * PL_LANES;
  pl_pack *to = d->scratch + (size_t)thread * d->scratch_size, *work = to + npair;
  double *L = d->L + at * size, *row = (double *)work;
  const pl_pack *val = steps_of(d, g, d->K_at, to, &step);
  if (is_packed(d)) {
    good = envelope_factor_packs(&d->e, val, step, work);
    packs_rows(size, work, 1, count, L);
  } else {
    packs_rows(npair, val, step, count, row);
    for (int l = 0; l < count; l++, row += npair, L += size) good &= envelope_factor(&d->e, row, L);
  }
  if (!good) d->indefinite = 1;
  if (!d->t.rated) return;
  val = steps_of(d, g, d->D_at, to, &step);
  packs_rows(npair, val, step, count, d->D + at * npair);
}

// step matrices m1 M + f1 gamma h D + c K of the samples in place of K
static void form_steps(const band *d, pl_pack *K, const pl_pack *D) {
  const scheme *t = &d->s;
  double cd = t->f1 * t->gamma * t->h, cm = t->m1 + cd * d->alpha;
  PICK(form)(d->t.P.nnz, d->t.npack, cm, d->M, t->c, K, cd, d->t.rated ? D : NULL);
}

// weights of N samples in all steps, eight at a time; NULL: no memory
static pl_pack *weigh_samples(const band *d, int N) {
  int ngroup = (d->nstep + PL_LANES - 1) / PL_LANES;
  pl_pack *W = pl_alloc(d->v->env, (size_t)N * (size_t)ngroup, sizeof(pl_pack));
  double *row = pl_alloc(d->v->env, (size_t)N * (size_t)d->nstep, sizeof(double));
  if (W && row) tangents_weights(N, d->nstep, d->s.h * d->s.f1, row);
  for (int j = 0; W && row && j < d->nstep; j++)
    for (int i = 0; i < N; i++) W[j / PL_LANES * N + i][j % PL_LANES] = row[j * N + i];
  // lanes without a step repeat the last one
  for (int j = d->nstep; W && row && j % PL_LANES; j++)
    for (int i = 0; i < N; i++) W[j / PL_LANES * N + i][j % PL_LANES] = row[(d->nstep - 1) * N + i];
  if (!row) {
    pl_free(d->v->env, W);
    W = NULL;
  }
  pl_free(d->v->env, row);
  return W;
}

// D and factors of all steps from samples of step matrices and D
static pl_status spread_samples(band *d, int few, const pl_pack *K, const pl_pack *D) {
  enum { SOME = 6 };
  int ngroup = (d->nstep + PL_LANES - 1) / PL_LANES, most = pl_threads_size(d->v->w->threads);
  if (most < SOME) most = SOME;
  pl_pack *W = few ? NULL : weigh_samples(d, d->t.nphase);
  if (!few && !W) return PL_E_NOMEM;
  pl_status s = PL_OK;
  d->K_at = K;
  d->D_at = D;
  d->W = W;
  for (d->first = 0; s == PL_OK && d->first < ngroup && !d->indefinite; d->first += most) {
    int some = ngroup - d->first < most ? ngroup - d->first : most;
    pl_threads_run(d->v->w->threads, some, make_steps, d);
    s = pl_report_progress(d->v->env, "stability", 0, NULL);
  }
  pl_free(d->v->env, W);
  return s;
}

// What forces of elements leave of the equation of motion at a phase, rest[n]: inertia and loads,
// which change little when strains are taken out.
static void rest_at(band *d, int i, double *rest) {
  variation *v = d->v;
  const int *dof = pl_model_free_dofs(v->m);
  double phase = 2 * PL_PI * i / d->t.nphase, sub = v->o->sub > 1 ? v->o->sub : 1;
  pl_clock c = {.t = phase / v->omega, .omega = v->omega * sub, .scale = 1};
  pl_orbit_state(v->m, v->p, v->o, phase, v->s);
  pl_eval_outer(v->m, v->p, v->s, &c, v->w);
  for (int j = 0; j < d->n; j++) rest[j] = v->w->r[dof[d->t.order[j]]];
}

// One step at eight phases towards a motion without stiff residual: (K + shift M) dq = -r, with a
// shift above which inertia does not matter. Returns 0 where a matrix is not
// definite.
static int relax_phases(band *d, int i, const pl_pack *K, const double *rest, pl_pack *scratch) {
  const int *dof = pl_model_free_dofs(d->v->m);
  size_t nq = (size_t)pl_model_nq(d->v->m), npair = (size_t)d->t.P.nnz, n = (size_t)d->n;
  pl_pack *q = d->t.q + 2 * (size_t)i * nq, *f = d->t.f + (size_t)i * nq, *val = scratch, *x = d->x;
  double shift = 2 * d->v->o->nharm + 2;
  for (size_t k = 0; k < npair; k++)
    val[k] = K[k * (size_t)d->t.npack + (size_t)i] + shift * shift * d->M[k];
  if (!envelope_factor_packs(&d->e, val, 1, scratch + npair)) return 0;
  for (size_t j = 0; j < n; j++) {
    x[j] = f[dof[d->t.order[j]]];
    for (int l = 0; l < PL_LANES; l++) x[j][l] += rest[(size_t)l * n + j];
  }
  envelope_solve_packs(&d->e, scratch + npair, x);
  for (size_t j = 0; j < n; j++) q[dof[d->t.order[j]]] -= x[j];
  return 1;
}

// Takes stiff strains that missing harmonics leave out of the motion at N phases, and gives K and D
// there; of the motion as it was where that does not work.
static pl_status relax(band *d, int N, pl_pack *K, pl_pack *D) {
  enum { PASSES = 3 };
  pl_env *env = d->v->env;
  int npack = (N + PL_LANES - 1) / PL_LANES, good = 1;
  size_t n = (size_t)d->n, nq = (size_t)pl_model_nq(d->v->m), all = (size_t)npack * PL_LANES;
  pl_pack *scratch = (pl_pack *)unset(
      env, PL_LANES * ((size_t)d->t.P.nnz + envelope_size(&d->e) + (size_t)npack * nq) + all * n);
  if (!scratch) return PL_E_NOMEM;
  d->t.f = scratch + d->t.P.nnz + envelope_size(&d->e);
  double *rest = (double *)(d->t.f + (size_t)npack * nq);
  pl_status s = tangents_motion(&d->t, N, 0);
  for (int i = 0; (size_t)i < all && s == PL_OK; i++)
    rest_at(d, i < N ? i : N - 1, rest + (size_t)i * n);
  for (int pass = 0; pass < PASSES && s == PL_OK && good; pass++) {
    s = tangents_eval(&d->t, K, NULL);
    for (int i = 0; i < npack && s == PL_OK && good; i++)
      good = relax_phases(d, i, K, rest + (size_t)i * PL_LANES * n, scratch);
  }
  d->t.f = NULL;
  pl_free(env, scratch);
  if (s == PL_OK && good) s = tangents_eval(&d->t, K, D);
  if (s != PL_DOMAIN && (s != PL_OK || good)) return s;
  PL_TRY(tangents_motion(&d->t, N, 0));
  return tangents_eval(&d->t, K, D);
}

// K is not definite at one of the samples, where looking costs little
static int is_pressed(const band *d, const pl_pack *K) {
  int pressed = 0;
  for (int i = 0; i < d->t.npack && is_packed(d) && !pressed; i++)
    pressed = !envelope_factor_packs(&d->e, K + i, d->t.npack, d->scratch);
  return pressed;
}

// D and factors of all steps from samples of the motion; most: see arnoldi_plan
static pl_status sample_steps(band *d, int relaxed, double most) {
  pl_env *env = d->v->env;
  int N = tangents_enough(&d->t, relaxed ? 8 : 4), few = 2 * d->nstep <= 3 * N && !relaxed;
  // without its strains a motion has more harmonics than before
  if (relaxed && N < 41) N = 41;
  if (few) N = d->nstep;
  size_t all = (size_t)((N + PL_LANES - 1) / PL_LANES) * (size_t)d->t.P.nnz * PL_LANES;
  pl_pack *K = (pl_pack *)unset(env, all), *D = (pl_pack *)unset(env, d->t.rated ? all : 1);
  pl_status s = K && D ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK && relaxed) s = relax(d, N, K, D);
  if (s == PL_OK && !relaxed) s = tangents_motion(&d->t, N, few ? d->s.h * d->s.f1 : 0);
  if (s == PL_OK && !relaxed) s = tangents_eval(&d->t, K, D);
  d->pressed = s == PL_OK && !relaxed && isfinite(most) && is_pressed(d, K);
  if (s == PL_OK && !d->pressed) form_steps(d, K, D);
  if (s == PL_OK && !d->pressed) s = spread_samples(d, few, K, D);
  pl_free(env, K);
  pl_free(env, D);
  return s;
}

// tangents and factors of the whole period
static pl_status prepare(band *d, int relaxed, double most) {
  pl_env *env = d->v->env;
  size_t npair = (size_t)d->t.P.nnz, steps = (size_t)d->nstep, size = envelope_size(&d->e);
  size_t threads = (size_t)pl_threads_size(d->v->w->threads);
  d->s = make_scheme(d->nstep);
  d->scratch_size = npair + (is_packed(d) ? size : npair);
  if (!d->L) d->L = unset(env, steps * size);
  if (!d->D) d->D = unset(env, d->t.rated ? steps * npair : 1);
  if (!d->scratch) d->scratch = (pl_pack *)unset(env, threads * d->scratch_size * PL_LANES);
  if (!d->L || !d->D || !d->scratch) return PL_E_NOMEM;
  PL_TRY(sample_steps(d, relaxed, most));
  return d->indefinite ? PL_UNSOLVED : pl_report_progress(env, "stability", 0, NULL);
}

// One step of eight deviations, as in monodromy.c:
//   S X = M (m1 p - (1 - m1) c a) - c D w
static void next_step(band *d, int k) {
  const scheme *t = &d->s;
  size_t n = (size_t)d->n, npair = (size_t)d->t.P.nnz;
  pl_pack *x = d->x, *v = x + n, *a = v + n, *p = a + n, *u = p + n, *w = u + n, *rhs = w + n;
  double h = t->h, f1 = t->f1, before[7], after[6];
  before[0] = f1 * h;
  before[1] = f1 * h * h * (0.5 - t->beta);
  before[2] = f1 * h * (1 - t->gamma);
  before[3] = t->gamma / (t->beta * h);
  before[4] = t->m1;
  before[5] = (1 - t->m1) * t->c;
  before[6] = t->c * d->alpha;
  PICK(gather)(d->n, before, d->lumped, x, v, a, p, u, d->lumped ? rhs : w);
  if (!d->lumped) inertia_times(&d->mass, w, rhs);
  if (d->t.rated) envelope_multiply(&d->e, d->D + (size_t)k * npair, -t->c, u, rhs);
  const double *L = d->L + (size_t)k * envelope_size(&d->e);
  envelope_solve(&d->e, L, L + (k + 1 < d->nstep ? envelope_size(&d->e) : 0), rhs);
  after[0] = 1 / t->c;
  after[1] = h;
  after[2] = h * h * (0.5 - t->beta);
  after[3] = h * h * t->beta;
  after[4] = h * (1 - t->gamma);
  after[5] = h * t->gamma;
  PICK(update)(d->n, after, p, rhs, x, v, a);
}

// y = (x, v, a) after one period, for eight columns
static pl_status apply_period(void *ctx, const double *x, double *y) {
  band *d = ctx;
  size_t n3 = 3 * (size_t)d->n;
  for (size_t i = 0; i < n3; i++)
    for (size_t l = 0; l < PL_LANES; l++) d->x[i][l] = x[l * n3 + i];
  for (int k = 0; k < d->nstep; k++) next_step(d, k);
  for (size_t i = 0; i < n3; i++)
    for (size_t l = 0; l < PL_LANES; l++) y[l * n3 + i] = d->x[i][l];
  return PL_OK;
}

// What is left of a deviation after a period where damping by mass alone takes from it. More is
// left when something feeds on the motion, or on strains that do not belong to it.
static double left_by_mass(const band *d) {
  return fmin(1 + MARGIN, 1.005 * exp(-PL_PI * d->alpha));
}

static pl_status multipliers_of(band *d, int relaxed, double most, multipliers *mu) {
  enum { WANT = 6 };
  PL_TRY(prepare(d, relaxed, most));
  mu->beyond = d->pressed;
  if (d->pressed) return PL_OK;
  // steps are hardly more accurate than that part
  arnoldi_plan plan = {
      .block = PL_LANES, .want = WANT, .most = most, .part = 1e-3, .start = d->start};
  PL_TRY(arnoldi(d->v->env, 3 * d->n, &plan, apply_period, d, mu));
  mu->exact &= d->resolved;
  mu->margin = MARGIN;
  return PL_OK;
}

pl_status band_multipliers(variation *v, int nstep, double memory_limit, multipliers *mu) {
  band d;
  double w = 0;
  pl_status s = band_open(&d, v);
  if (s == PL_OK) s = band_vibrations(&d, &w);
  if (s == PL_OK) d.nstep = nstep > 0 ? nstep : period_steps(v, w, &d.resolved);
  double bytes = s == PL_OK ? 8.0 * d.nstep * ((double)envelope_size(&d.e) + d.t.P.nnz) : 0;
  if (bytes > memory_limit) s = PL_UNSOLVED;
  if (s == PL_OK) s = multipliers_of(&d, 0, nstep == 0 ? left_by_mass(&d) : INFINITY, mu);
  if (s == PL_OK && mu->beyond) {
    multipliers_free(v->env, mu);
    s = multipliers_of(&d, 1, INFINITY, mu);
  }
  band_close(&d);
  return s;
}
