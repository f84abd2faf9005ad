// Floquet multipliers of motions with pairs in large models: Arnoldi's method on the period map,
// stepped from event to event, eight deviations at a time. The scheme is diagonally implicit, of
// order four and L-stable (Hairer and Wanner, gamma = 1/4): it needs nothing but x and v at the
// beginning of a step, so that tangents may jump there, and ends vibrations that a step does not
// resolve.
#include "envelope.h"
#include "events.h"
#include "packs.h"

#include <string.h>

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#pragma GCC optimize("O3", "fp-contract=fast")
#endif
#pragma GCC diagnostic ignored "-Wpsabi"
#define COPY "event_map.inc"
#include "pliant/copies.h"

enum { STAGES = 5 };     // a step
enum { SPAN_STEPS = 4 }; // between two events, at least
static const double GAMMA = 0.25;
static const double C[STAGES] = {1 / 4.0, 3 / 4.0, 11 / 20.0, 1 / 2.0, 1};
// the last row is also that of the end of the step
static const double A[STAGES][STAGES] = {{1 / 4.0},
                                         {1 / 2.0, 1 / 4.0},
                                         {17 / 50.0, -1 / 25.0, 1 / 4.0},
                                         {371 / 1360.0, -137 / 2720.0, 15 / 544.0, 1 / 4.0},
                                         {25 / 24.0, -49 / 48.0, 125 / 16.0, -85 / 12.0, 1 / 4.0}};
static const double MARGIN = 1e-4; // about the unit circle
static const double INSIDE = 1e-7; // part of a span by which stages keep away from its ends

typedef struct leap {
  double from, h;
  int reset, until; // events before it
} leap;

typedef struct map {
  variation *v;
  tangents t;
  events e;
  int n, size, nstep;
  int resolved;
  int ndof;     // of sliders, at most
  double alpha; // damping by mass, in the phase
  double AA[STAGES][STAGES];
  int definite; // so far all stages are, and symmetric: they stand in the envelope
  envelope env;
  leap *step;         // [nstep]
  int nsample;        // of elements without events; 0: they are evaluated at every stage
  pl_pack *Ks, *Ds;   // [npair][nsample in packs] those samples
  double *D;          // [nstep][STAGES][npair] without its share of the mass; NULL: none
  double *L;          // [nstep][STAGES][envelope] factors of M + h gamma D + (h gamma)^2 K
  pl_factor **factor; // [nstep][STAGES] of any matrix; NULL: in the envelope
  double *pull;       // [nstep][STAGES][nslide][ndof]
  double *M;          // [npair]
  double *lumped;     // [n] mass, when it is diagonal; NULL: it is not
  pl_csc S;           // pattern of the pairs, values of one stage
  pl_pack *W;         // [STAGES][n] accelerations
  pl_pack *X;         // [4][n] place and rate at a stage, as far as they are known; scratch
  pl_pack *y;         // [size] deviations
  double *r;          // [PL_LANES][n] scratch
} map;

static void map_close(map *d) {
  pl_env *env = d->v->env;
  for (int i = 0; d->factor && i < d->nstep * STAGES; i++) pl_factor_free(d->factor[i]);
  void *all[] = {d->Ks, d->Ds,     d->step,  d->D, d->L, d->factor, d->pull,
                 d->M,  d->lumped, d->S.val, d->W, d->X, d->y,      d->r};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(env, all[i]);
  envelope_close(env, &d->env);
  events_close(&d->e);
  tangents_close(&d->t);
}

static pl_status map_open(map *d, variation *v) {
  *d = (map){.v = v, .n = v->n};
  d->alpha = v->p->par[PL_PAR_ALPHA] / v->omega;
  for (int i = 0; i < STAGES; i++)
    for (int j = 0; j < STAGES; j++)
      for (int k = 0; k < STAGES; k++) d->AA[i][j] += A[i][k] * A[k][j];
  PL_TRY(tangents_open(v, &d->t));
  d->definite = d->t.symmetric;
  if (d->definite) PL_TRY(envelope_open(v->env, &d->t.P, &d->env));
  PL_TRY(events_find(v, d->t.place, &d->e));
  d->size = 2 * d->n + d->e.m;
  for (int j = 0; j < d->e.nslide; j++)
    if (d->e.slide[j].x.ndof > d->ndof) d->ndof = d->e.slide[j].x.ndof;
  size_t n = (size_t)d->n, npair = (size_t)d->t.P.nnz;
  d->S = d->t.P;
  d->S.val = pl_alloc(v->env, npair + 1, sizeof(double));
  d->M = pl_alloc(v->env, npair, sizeof(double));
  d->W = pl_alloc(v->env, STAGES * n, sizeof(pl_pack));
  d->X = pl_alloc(v->env, 4 * n, sizeof(pl_pack));
  d->y = pl_alloc(v->env, (size_t)d->size, sizeof(pl_pack));
  d->r = pl_alloc(v->env, PL_LANES * n, sizeof(double));
  if (!d->S.val || !d->M || !d->W || !d->X || !d->y || !d->r) return PL_E_NOMEM;
  tangents_mass(&d->t, d->M);
  return tangents_lump(&d->t, d->M, &d->lumped);
}

// ---- steps --------------------------------------------------------------------------------------

// about as many a period as asked for, some in every span between events
static pl_status lay_steps(map *d, double steps) {
  const events *e = &d->e;
  int cap = 0;
  for (int i = 0, before = 0; i < e->nbreak; i++) {
    double from = e->at[i], to = i + 1 < e->nbreak ? e->at[i + 1] : 2 * PL_PI;
    if (!(to - from > 1e-13)) continue;
    int count = (int)fmax(SPAN_STEPS, ceil(steps * (to - from) / (2 * PL_PI)));
    for (int j = 0; j < count; j++) {
      PL_TRY(pl_grow(d->v->env, &d->step, d->nstep, &cap, sizeof *d->step));
      double h = (to - from) / count;
      d->step[d->nstep++] = (leap){from + j * h, h, before, i + 1};
      before = i + 1;
    }
  }
  size_t all = (size_t)d->nstep * STAGES;
  d->factor = pl_alloc(d->v->env, all, sizeof(pl_factor *));
  d->pull = pl_alloc(d->v->env, all * (size_t)d->e.nslide * (size_t)d->ndof, sizeof(double));
  return d->factor && d->pull ? PL_OK : PL_E_NOMEM;
}

// phases of the stages of a step, off the events at its ends, where tangents jump
static void stage_phases(const leap *l, double *phase) {
  double off = INSIDE * l->h;
  for (int i = 0; i < STAGES; i++)
    phase[i] = fmin(fmax(l->from + C[i] * l->h, l->from + off), l->from + l->h - off);
}

// the sliders' stiffness into K of stage k, which is one of some phases, and their pulls
static pl_status add_sliders(map *d, int k, int at, double phase, pl_pack *K) {
  double H[PL_NDOF_MAX * PL_NDOF_MAX], pull[PL_NDOF_MAX];
  for (int j = 0; j < d->e.nslide; j++) {
    const slide *s = &d->e.slide[j];
    int n = s->x.ndof;
    if (slide_at(s, phase, H, pull)) return PL_DOMAIN;
    memcpy(d->pull + ((size_t)k * (size_t)d->e.nslide + (size_t)j) * (size_t)d->ndof, pull,
           (size_t)n * sizeof(double));
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n; b++) {
        int r = s->row[a], c = s->row[b];
        if (r < 0 || c < 0 || (d->t.symmetric && r < c)) continue;
        K[pl_csc_find(&d->t.P, r, c) * d->t.npack + at / PL_LANES][at % PL_LANES] += H[a * n + b];
      }
  }
  return PL_OK;
}

// factors of eight stages from k on; where a matrix is not definite, LU takes over for good
static pl_status factorise(map *d, int k, int count, const pl_pack *S, pl_pack *work) {
  size_t size = d->t.symmetric ? envelope_size(&d->env) : 0, npair = (size_t)d->t.P.nnz;
  if (d->definite) {
    d->definite = envelope_factor_packs(&d->env, S, 1, work);
    if (d->definite) packs_rows(size, work, 1, count, d->L + (size_t)k * size);
  }
  for (int l = 0; l < count && !d->definite; l++) {
    pl_factor **f = &d->factor[k + l];
    for (size_t i = 0; i < npair; i++) d->S.val[i] = S[i][l];
    PL_TRY(pl_factor_create(d->v->env, PL_LU, &d->S, 1, 1, f));
    PL_TRY(pl_factor_numeric(*f, &d->S));
  }
  return PL_OK;
}

enum { SOME = 8 }; // steps whose stages fill their packs

static int packs_of(int n) {
  return (n + PL_LANES - 1) / PL_LANES;
}

// samples of elements without events, where those are fewer than the stages
static pl_status sample_smooth(map *d) {
  int N = tangents_enough(&d->t, 4), rated = d->t.rated;
  if (N >= d->nstep * STAGES) return PL_OK;
  size_t all = (size_t)packs_of(N) * (size_t)d->t.P.nnz;
  d->nsample = N;
  d->Ks = pl_realloc(d->v->env, NULL, all, sizeof(pl_pack));
  d->Ds = pl_realloc(d->v->env, NULL, rated ? all : 1, sizeof(pl_pack));
  if (!d->Ks || !d->Ds) return PL_E_NOMEM;
  PL_TRY(tangents_motion(&d->t, N, 0));
  d->t.part = TANGENTS_SMOOTH;
  PL_TRY(tangents_eval(&d->t, d->Ks, rated ? d->Ds : NULL));
  d->t.part = TANGENTS_PAIRS;
  return PL_OK;
}

// adds them at eight phases; room for npair + nsample packs
static void add_smooth(const map *d, const double *phase, pl_pack *K, pl_pack *D, pl_pack *room) {
  int npair = d->t.P.nnz, N = d->nsample, ld = PL_LANES * packs_of(N);
  pl_pack *W = room + npair;
  tangents_weights_pack(N, phase, W);
  packs_weigh(npair, N, W, (const double *)d->Ks, ld, room);
  PICK(spread)(npair, d->t.npack, room, K);
  if (!d->t.rated) return;
  packs_weigh(npair, N, W, (const double *)d->Ds, ld, room);
  PICK(spread)(npair, d->t.npack, room, D);
}

// eight stages from k on, of which count are there
static pl_status make_pack(map *d, int k, int count, const pl_pack *K, const pl_pack *D,
                           pl_pack *S) {
  size_t npair = (size_t)d->t.P.nnz;
  int npack = d->t.npack;
  pl_pack hg;
  for (int l = 0; l < PL_LANES; l++)
    hg[l] = GAMMA * d->step[(k + (l < count ? l : count - 1)) / STAGES].h;
  PICK(form)(d->t.P.nnz, npack, &hg, d->alpha, d->M, K, d->t.rated ? D : NULL, S);
  PL_TRY(factorise(d, k, count, S, S + npair));
  if (d->t.rated) packs_rows(npair, D, npack, count, d->D + (size_t)k * npair);
  return PL_OK;
}

// stages of some steps from k on; room for K, D and what is made of eight stages
static pl_status make_stages(map *d, int k, int some, pl_pack *room) {
  double phase[SOME * STAGES + PL_LANES];
  int nphase = some * STAGES, rated = d->t.rated;
  size_t npair = (size_t)d->t.P.nnz;
  for (int i = 0; i < some; i++) stage_phases(&d->step[k + i], phase + i * STAGES);
  for (int i = 0; i < PL_LANES; i++) phase[nphase + i] = phase[nphase - 1];
  PL_TRY(tangents_place(&d->t, nphase, phase));
  pl_pack *K = room, *D = K + npair * STAGES, *S = D + npair * STAGES;
  PL_TRY(tangents_eval(&d->t, K, rated ? D : NULL));
  for (int p = 0; d->nsample > 0 && p < d->t.npack; p++)
    add_smooth(d, phase + p * PL_LANES, K + p, D + p, S);
  for (int i = 0; i < nphase; i++) PL_TRY(add_sliders(d, k * STAGES + i, i, phase[i], K));
  for (int i = 0; i < nphase; i += PL_LANES) {
    int count = nphase - i < PL_LANES ? nphase - i : PL_LANES;
    PL_TRY(make_pack(d, k * STAGES + i, count, K + i / PL_LANES, D + i / PL_LANES, S));
  }
  return PL_OK;
}

// what the stages take, once there is one of them
static double stage_bytes(const map *d) {
  double factor = d->definite ? 8.0 * (double)envelope_size(&d->env) : 0;
  if (d->factor[0]) factor = 12 * pl_factor_stats(d->factor[0]).nnz;
  return (factor + 8.0 * d->t.P.nnz) * d->nstep * STAGES;
}

// tangents and factors of the whole period
static pl_status prepare(map *d, double room) {
  pl_env *env = d->v->env;
  size_t npair = (size_t)d->t.P.nnz, all = (size_t)d->nstep * STAGES;
  size_t size = d->t.symmetric ? envelope_size(&d->env) : 0;
  if (stage_bytes(d) > room) return PL_UNSOLVED;
  // not set to zero: what is large costs time
  d->L = pl_realloc(env, NULL, all * size + 1, sizeof(double));
  d->D = pl_realloc(env, NULL, d->t.rated ? all * npair : 1, sizeof(double));
  PL_TRY(sample_smooth(d));
  size_t most = size > (size_t)d->nsample ? size : (size_t)d->nsample;
  pl_pack *work = pl_realloc(env, NULL, (2 * STAGES + 1) * npair + most, sizeof(pl_pack));
  pl_status s = d->L && d->D && work ? PL_OK : PL_E_NOMEM;
  for (int k = 0; s == PL_OK && k < d->nstep; k += SOME) {
    s = make_stages(d, k, d->nstep - k < SOME ? d->nstep - k : SOME, work);
    if (s == PL_OK && stage_bytes(d) > room) s = PL_UNSOLVED;
    if (s == PL_OK) s = pl_report_progress(env, "stability", 0, NULL);
  }
  pl_free(env, work);
  return s;
}

// ---- the map ------------------------------------------------------------------------------------

// y += f A x for values on the pairs
static void multiply(const map *d, const double *val, double f, const pl_pack *x, pl_pack *y) {
  const pl_csc *P = &d->t.P;
  if (d->t.symmetric) {
    envelope_multiply(&d->env, val, f, x, y);
    return;
  }
  for (int j = 0; j < d->n; j++)
    for (int k = P->ptr[j]; k < P->ptr[j + 1]; k++) y[P->row[k]] += f * val[k] * x[j];
}

// x = S^-1 x of a stage
static pl_status solve(const map *d, int k, pl_pack *x) {
  size_t n = (size_t)d->n;
  if (!d->factor[k]) {
    envelope_solve(&d->env, d->L + (size_t)k * envelope_size(&d->env), NULL, x);
    return PL_OK;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t l = 0; l < PL_LANES; l++) d->r[l * n + i] = x[i][l];
  PL_TRY(pl_factor_solve(d->factor[k], PL_LANES, d->r, d->r));
  for (size_t i = 0; i < n; i++)
    for (size_t l = 0; l < PL_LANES; l++) x[i][l] = d->r[l * n + i];
  return PL_OK;
}

// adds what the sliders pull at a stage
static void add_pulls(const map *d, int k, double f, pl_pack *r) {
  for (int j = 0; j < d->e.nslide; j++) {
    const slide *s = &d->e.slide[j];
    const double *pull = d->pull + ((size_t)k * (size_t)d->e.nslide + (size_t)j) * (size_t)d->ndof;
    for (int a = 0; s->used && a < s->x.ndof; a++)
      if (s->row[a] >= 0) r[s->row[a]] += f * pull[a] * d->y[s->at];
  }
}

// Stage i of step k. With x and v the known shares of place and rate, g = h gamma and the place
// X = x + g^2 W,
//   (M + g D + g^2 K) X = M x + D (g x - g^2 v) + g^2 pulls.
static pl_status take_stage(map *d, int k, int i) {
  size_t n = (size_t)d->n, at = (size_t)(k * STAGES + i);
  pl_pack *x = d->X, *v = x + n, *u = v + n, *r = u + n;
  double h = d->step[k].h, g = h * GAMMA, cx[STAGES], cv[STAGES];
  for (int j = 0; j < i; j++) {
    cx[j] = h * h * d->AA[i][j];
    cv[j] = h * A[i][j];
  }
  PICK(known)
  (d->n, i, cx, cv, h * C[i], g, d->alpha, d->lumped, d->y, d->W, x,
   d->lumped ? r : d->W + (size_t)i * n);
  if (!d->lumped) {
    memset(r, 0, n * sizeof *r);
    multiply(d, d->M, 1, d->W + (size_t)i * n, r);
  }
  if (d->t.rated) multiply(d, d->D + at * (size_t)d->t.P.nnz, 1, u, r);
  add_pulls(d, (int)at, g * g, r);
  PL_TRY(solve(d, (int)at, r));
  PICK(rates)(d->n, 1 / (g * g), x, r, d->W + (size_t)i * n);
  return PL_OK;
}

// sliders whose slip ends at one of some events
static void reset(map *d, int from, int to) {
  for (int i = from; i < to; i++)
    events_reset(&d->e, d->e.at[i], PL_LANES, 1, PL_LANES, (double *)d->y);
}

static pl_status advance(map *d, int k) {
  const leap *l = &d->step[k];
  size_t n = (size_t)d->n;
  reset(d, l->reset, l->until);
  for (int i = 0; i < STAGES; i++) PL_TRY(take_stage(d, k, i));
  // the last stage is the end of the step
  memcpy(d->y, d->X + 3 * n, n * sizeof *d->y);
  memcpy(d->y + n, d->X + n, n * sizeof *d->y);
  PICK(add)(d->n, l->h * GAMMA, d->W + (STAGES - 1) * n, d->y + n);
  return PL_OK;
}

// to = (x, v, w) after one period
static pl_status apply(void *ctx, const double *from, double *to) {
  map *d = ctx;
  size_t size = (size_t)d->size;
  for (size_t i = 0; i < size; i++)
    for (size_t l = 0; l < PL_LANES; l++) d->y[i][l] = from[l * size + i];
  for (int k = 0; k < d->nstep; k++) {
    PL_TRY(advance(d, k));
    // growth without end: the caller sees infinity, the factors never do
    if (k % SOME || pl_max_abs(PL_LANES * d->size, (double *)d->y) < 1e250) continue;
    to[0] = INFINITY;
    return PL_OK;
  }
  reset(d, d->step[d->nstep - 1].until, d->e.nbreak);
  for (size_t i = 0; i < size; i++)
    for (size_t l = 0; l < PL_LANES; l++) to[l * size + i] = d->y[i][l];
  return PL_OK;
}

// y = M x
static void mass_times(const map *d, const pl_pack *x, pl_pack *y) {
  for (int i = 0; d->lumped && i < d->n; i++) y[i] = d->lumped[i] * x[i];
  if (d->lumped) return;
  memset(y, 0, (size_t)d->n * sizeof *y);
  envelope_multiply(&d->env, d->M, 1, x, y);
}

// Deviations to begin with: at random, but for vibrations about elements without events at phase
// zero that are gone after a period; NULL: any.
static pl_status choose_start(map *d, double **start) {
  enum { PASSES = 3 };
  pl_env *env = d->v->env;
  size_t n = (size_t)d->n, size = (size_t)d->size, npair = (size_t)d->t.P.nnz;
  double cut = fmax(1, 0.7 * resolved_to(d->v, 0)), *val = d->S.val;
  *start = NULL;
  if (!d->definite || d->nsample == 0) return PL_OK;
  double *L = pl_realloc(env, NULL, envelope_size(&d->env), sizeof(double));
  if (!L) return PL_E_NOMEM;
  for (size_t k = 0; k < npair; k++)
    val[k] = d->Ks[k * (size_t)packs_of(d->nsample)][0] + cut * cut * d->M[k];
  int good = envelope_factor(&d->env, val, L);
  if (good) *start = pl_alloc(env, size * PL_LANES, sizeof(double));
  pl_status s = good && !*start ? PL_E_NOMEM : PL_OK;
  pl_rng r;
  pl_rng_seed(&r, 1);
  for (size_t i = 0; i < size; i++)
    for (int l = 0; l < PL_LANES; l++) d->y[i][l] = pl_rng_uniform(&r, -1, 1);
  for (int pass = 0; *start && pass < 2 * PASSES; pass++) {
    pl_pack *x = d->y + (pass % 2) * n;
    mass_times(d, x, d->X);
    envelope_solve(&d->env, L, NULL, d->X);
    for (size_t i = 0; i < n; i++) x[i] = cut * cut * d->X[i];
  }
  for (size_t i = 0; *start && i < size; i++)
    for (size_t l = 0; l < PL_LANES; l++)
      (*start)[l * size + i] = (i >= n && i < 2 * n ? cut : 1) * d->y[i][l];
  pl_free(env, L);
  return s;
}

pl_status event_multipliers(variation *v, int steps, double room, multipliers *mu) {
  enum { WANT = 6 };
  map d;
  double w, part = steps == 0 ? 1e-3 : 1e-4, *start = NULL;
  pl_status s = map_open(&d, v);
  d.resolved = 1;
  if (s == PL_OK && steps == 0) s = low_vibrations(v, &w);
  if (s == PL_OK && steps == 0) steps = period_steps(v, w, &d.resolved);
  if (s == PL_OK) s = lay_steps(&d, steps);
  if (s == PL_OK) s = prepare(&d, room);
  if (s == PL_OK) s = choose_start(&d, &start);
  arnoldi_plan plan = {
      .block = PL_LANES, .want = WANT, .most = INFINITY, .part = part, .start = start};
  if (s == PL_OK) s = arnoldi(v->env, d.size, &plan, apply, &d, mu);
  if (s == PL_OK && !d.resolved) mu->exact = 0;
  mu->margin = MARGIN;
  pl_free(v->env, start);
  map_close(&d);
  return s == PL_SINGULAR ? PL_UNSOLVED : s;
}
