// Floquet multipliers of motions with pairs in large models: Arnoldi's method on the period map,
// stepped from event to event, eight deviations at a time. The scheme is diagonally implicit, of
// order four and L-stable (Hairer and Wanner, gamma = 1/4): it needs nothing but x and v at the
// beginning of a step, so that tangents may jump there, and ends vibrations that a step does not
// resolve.
#include "envelope.h"
#include "events.h"

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

typedef struct stage {
  double *K, *D;     // [npair]; D NULL: no damping
  double *L;         // factor of M + h gamma D + (h gamma)^2 K in the envelope; NULL:
  pl_factor *factor; // one of any matrix
} stage;

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
  leap *step;   // [nstep]
  stage *stage; // [nstep][STAGES]
  double *pull; // [nstep][STAGES][nslide][ndof]
  double *M;    // [npair]
  pl_csc S;     // pattern of the pairs, values of one stage
  pl_pack *W;   // [STAGES][n] accelerations
  pl_pack *X;   // [2][n] place and rate at a stage, as far as they are known
  pl_pack *y;   // [size] deviations
  double *r;    // [PL_LANES][n] scratch
} map;

static void map_close(map *d) {
  pl_env *env = d->v->env;
  for (int i = 0; d->stage && i < d->nstep * STAGES; i++) {
    pl_factor_free(d->stage[i].factor);
    pl_free(env, d->stage[i].L);
    pl_free(env, d->stage[i].K);
  }
  void *all[] = {d->step, d->stage, d->pull, d->M, d->S.val, d->W, d->X, d->y, d->r};
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
  d->X = pl_alloc(v->env, 2 * n, sizeof(pl_pack));
  d->y = pl_alloc(v->env, (size_t)d->size, sizeof(pl_pack));
  d->r = pl_alloc(v->env, PL_LANES * n, sizeof(double));
  if (!d->S.val || !d->M || !d->W || !d->X || !d->y || !d->r) return PL_E_NOMEM;
  tangents_mass(&d->t, d->M);
  return PL_OK;
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
  d->stage = pl_alloc(d->v->env, all, sizeof *d->stage);
  d->pull = pl_alloc(d->v->env, all * (size_t)d->e.nslide * (size_t)d->ndof, sizeof(double));
  return d->stage && d->pull ? PL_OK : PL_E_NOMEM;
}

// phases of the stages of a step, off the events at its ends, where tangents jump
static void stage_phases(const leap *l, double *phase) {
  double off = INSIDE * l->h;
  for (int i = 0; i < STAGES; i++)
    phase[i] = fmin(fmax(l->from + C[i] * l->h, l->from + off), l->from + l->h - off);
}

// the sliders' stiffness into K, and their pulls
static pl_status add_sliders(map *d, int k, double phase, double *K) {
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
        K[pl_csc_find(&d->t.P, r, c)] += H[a * n + b];
      }
  }
  return PL_OK;
}

// in the envelope; where a matrix is not definite, LU takes over for good
static pl_status factorise(map *d, stage *g) {
  if (d->definite) {
    g->L = pl_realloc(d->v->env, NULL, envelope_size(&d->env), sizeof(double));
    if (!g->L) return PL_E_NOMEM;
    if (envelope_factor(&d->env, d->S.val, g->L)) return PL_OK;
    pl_free(d->v->env, g->L);
    g->L = NULL;
    d->definite = 0;
  }
  PL_TRY(pl_factor_create(d->v->env, PL_LU, &d->S, 1, 1, &g->factor));
  return pl_factor_numeric(g->factor, &d->S);
}

static pl_status make_stage(map *d, int k, double h, double phase, const double *K,
                            const double *D) {
  stage *g = &d->stage[k];
  size_t npair = (size_t)d->t.P.nnz;
  double hg = h * GAMMA;
  int damped = d->t.rated || d->alpha != 0;
  g->K = pl_alloc(d->v->env, npair * (damped ? 2 : 1), sizeof(double));
  if (!g->K) return PL_E_NOMEM;
  g->D = damped ? g->K + npair : NULL;
  memcpy(g->K, K, npair * sizeof(double));
  for (size_t i = 0; damped && i < npair; i++)
    g->D[i] = d->alpha * d->M[i] + (d->t.rated ? D[i] : 0);
  PL_TRY(add_sliders(d, k, phase, g->K));
  for (size_t i = 0; i < npair; i++)
    d->S.val[i] = d->M[i] + hg * hg * g->K[i] + (damped ? hg * g->D[i] : 0);
  return factorise(d, g);
}

// what a stage takes
static double stage_bytes(const map *d) {
  const stage *g = &d->stage[0];
  double factor = g->L ? 8.0 * (double)envelope_size(&d->env) : 12 * pl_factor_stats(g->factor).nnz;
  return factor + 24.0 * d->t.P.nnz;
}

// tangents and factors of the whole period
static pl_status prepare(map *d, double room) {
  size_t npair = (size_t)d->t.P.nnz;
  double phase[STAGES], *K = pl_alloc(d->v->env, 2 * STAGES * npair, sizeof(double));
  if (!K) return PL_E_NOMEM;
  double *D = K + STAGES * npair;
  pl_status s = PL_OK;
  for (int k = 0; s == PL_OK && k < d->nstep; k++) {
    stage_phases(&d->step[k], phase);
    s = tangents_phases(&d->t, STAGES, phase, K, D);
    for (int i = 0; s == PL_OK && i < STAGES; i++)
      s = make_stage(d, k * STAGES + i, d->step[k].h, phase[i], K + (size_t)i * npair,
                     D + (size_t)i * npair);
    if (s == PL_OK && stage_bytes(d) * d->nstep * STAGES > room) s = PL_UNSOLVED;
    if (s == PL_OK) s = pl_report_progress(d->v->env, "stability", 0, NULL);
  }
  pl_free(d->v->env, K);
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

// x = S^-1 x
static pl_status solve(const map *d, const stage *g, pl_pack *x) {
  size_t n = (size_t)d->n;
  if (g->L) {
    envelope_solve(&d->env, g->L, NULL, x);
    return PL_OK;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t l = 0; l < PL_LANES; l++) d->r[l * n + i] = x[i][l];
  PL_TRY(pl_factor_solve(g->factor, PL_LANES, d->r, d->r));
  for (size_t i = 0; i < n; i++)
    for (size_t l = 0; l < PL_LANES; l++) x[i][l] = d->r[l * n + i];
  return PL_OK;
}

// what stage i of step k has to balance
static void load_stage(map *d, int k, int i) {
  const stage *g = &d->stage[k * STAGES + i];
  size_t n = (size_t)d->n;
  const pl_pack *y = d->y;
  pl_pack *X = d->X, *V = X + n, *r = d->W + (size_t)i * n;
  double h = d->step[k].h;
  for (size_t a = 0; a < n; a++) {
    X[a] = y[a] + h * C[i] * y[n + a];
    V[a] = y[n + a];
  }
  for (int j = 0; j < i; j++) {
    PICK(add)(d->n, h * h * d->AA[i][j], d->W + (size_t)j * n, X);
    PICK(add)(d->n, h * A[i][j], d->W + (size_t)j * n, V);
  }
  memset(r, 0, n * sizeof *r);
  multiply(d, g->K, -1, X, r);
  if (g->D) multiply(d, g->D, -1, V, r);
  for (int j = 0; j < d->e.nslide; j++) {
    const slide *s = &d->e.slide[j];
    const double *pull =
        d->pull + ((size_t)(k * STAGES + i) * (size_t)d->e.nslide + (size_t)j) * (size_t)d->ndof;
    for (int a = 0; s->used && a < s->x.ndof; a++)
      if (s->row[a] >= 0) r[s->row[a]] += pull[a] * y[s->at];
  }
}

// sliders whose slip ends at one of some events
static void reset(map *d, int from, int to) {
  for (int i = from; i < to; i++)
    events_reset(&d->e, d->e.at[i], PL_LANES, 1, PL_LANES, (double *)d->y);
}

static pl_status advance(map *d, int k) {
  const leap *l = &d->step[k];
  size_t n = (size_t)d->n;
  pl_pack *x = d->y, *v = x + n;
  reset(d, l->reset, l->until);
  for (int i = 0; i < STAGES; i++) {
    load_stage(d, k, i);
    PL_TRY(solve(d, &d->stage[k * STAGES + i], d->W + (size_t)i * n));
  }
  PICK(add)(d->n, l->h, v, x);
  for (int i = 0; i < STAGES; i++) {
    PICK(add)(d->n, l->h * l->h * d->AA[STAGES - 1][i], d->W + (size_t)i * n, x);
    PICK(add)(d->n, l->h * A[STAGES - 1][i], d->W + (size_t)i * n, v);
  }
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
    if (pl_max_abs(PL_LANES * d->size, (double *)d->y) < 1e250) continue;
    to[0] = INFINITY;
    return PL_OK;
  }
  reset(d, d->step[d->nstep - 1].until, d->e.nbreak);
  for (size_t i = 0; i < size; i++)
    for (size_t l = 0; l < PL_LANES; l++) to[l * size + i] = d->y[i][l];
  return PL_OK;
}

pl_status event_multipliers(variation *v, int steps, double room, multipliers *mu) {
  enum { WANT = 6 };
  map d;
  double w;
  pl_status s = map_open(&d, v);
  d.resolved = 1;
  if (s == PL_OK && steps == 0) s = low_vibrations(v, &w);
  if (s == PL_OK && steps == 0) steps = period_steps(v, w, &d.resolved);
  if (s == PL_OK) s = lay_steps(&d, steps);
  if (s == PL_OK) s = prepare(&d, room);
  arnoldi_plan plan = {.block = PL_LANES, .want = WANT, .most = INFINITY, .part = 1e-4};
  if (s == PL_OK) s = arnoldi(v->env, d.size, &plan, apply, &d, mu);
  if (s == PL_OK && !d.resolved) mu->exact = 0;
  mu->margin = MARGIN;
  map_close(&d);
  return s == PL_SINGULAR ? PL_UNSOLVED : s;
}
