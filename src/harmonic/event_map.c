// Floquet multipliers of motions with pairs in large models: Arnoldi's method on the period map,
// stepped from event to event with sparse factors. The scheme is diagonally implicit, of order four
// and L-stable (Hairer and Wanner, gamma = 1/4): it needs nothing but x and v at the beginning of a
// step, so that tangents may jump there, and ends vibrations that a step does not resolve.
#include "events.h"

#include <string.h>

enum { STAGES = 5, BLOCK = 4 }; // stages a step, deviations at a time
enum { SPAN_STEPS = 4 };        // between two events, at least
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
  pl_factor *factor; // of M + h gamma D + (h gamma)^2 K
  double *K, *D;     // [npair]
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
  pl_factor_kind kind;
  leap *step;   // [nstep]
  stage *stage; // [nstep][STAGES]
  double *pull; // [nstep][STAGES][nslide][ndof]
  double *M;    // [npair]
  pl_csc S;     // pattern of the pairs, values of one stage
  double *W;    // [STAGES][BLOCK][n]
  double *X;    // [2][n] place and rate at a stage, as far as they are known
} map;

static void map_close(map *d) {
  pl_env *env = d->v->env;
  for (int i = 0; d->stage && i < d->nstep * STAGES; i++) {
    pl_factor_free(d->stage[i].factor);
    pl_free(env, d->stage[i].K);
  }
  void *all[] = {d->step, d->stage, d->pull, d->M, d->S.val, d->W, d->X};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(env, all[i]);
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
  d->kind = d->t.symmetric ? PL_CHOLESKY : PL_LU;
  PL_TRY(events_find(v, d->t.place, &d->e));
  d->size = 2 * d->n + d->e.m;
  for (int j = 0; j < d->e.nslide; j++)
    if (d->e.slide[j].x.ndof > d->ndof) d->ndof = d->e.slide[j].x.ndof;
  size_t n = (size_t)d->n, npair = (size_t)d->t.P.nnz;
  d->S = d->t.P;
  d->S.val = pl_alloc(v->env, npair + 1, sizeof(double));
  d->M = pl_alloc(v->env, npair, sizeof(double));
  d->W = pl_alloc(v->env, STAGES * BLOCK * n, sizeof(double));
  d->X = pl_alloc(v->env, 2 * n, sizeof(double));
  if (!d->S.val || !d->M || !d->W || !d->X) return PL_E_NOMEM;
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

// where Cholesky's method finds a matrix indefinite, LU takes over for good
static pl_status factorise(map *d, stage *g) {
  for (;;) {
    PL_TRY(pl_factor_create(d->v->env, d->kind, &d->S, 1, 1, &g->factor));
    pl_status s = pl_factor_numeric(g->factor, &d->S);
    if (s != PL_SINGULAR || d->kind == PL_LU) return s;
    pl_factor_free(g->factor);
    g->factor = NULL;
    d->kind = PL_LU;
  }
}

static pl_status make_stage(map *d, int k, double h, double phase, const double *K,
                            const double *D) {
  stage *g = &d->stage[k];
  size_t npair = (size_t)d->t.P.nnz;
  double hg = h * GAMMA;
  g->K = pl_alloc(d->v->env, npair * (d->t.rated ? 2 : 1), sizeof(double));
  if (!g->K) return PL_E_NOMEM;
  g->D = d->t.rated ? g->K + npair : NULL;
  memcpy(g->K, K, npair * sizeof(double));
  if (g->D) memcpy(g->D, D, npair * sizeof(double));
  PL_TRY(add_sliders(d, k, phase, g->K));
  for (size_t i = 0; i < npair; i++)
    d->S.val[i] = (1 + hg * d->alpha) * d->M[i] + hg * hg * g->K[i] + (g->D ? hg * g->D[i] : 0);
  return factorise(d, g);
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
    double bytes =
        s == PL_OK ? 12 * pl_factor_stats(d->stage[0].factor).nnz + 24.0 * (double)npair : 0;
    if (bytes * d->nstep * STAGES > room) s = PL_UNSOLVED;
    if (s == PL_OK) s = pl_report_progress(d->v->env, "stability", 0, NULL);
  }
  pl_free(d->v->env, K);
  return s;
}

// ---- the map ------------------------------------------------------------------------------------

// y += f A x for values on the pairs
static void multiply(const map *d, double *val, double f, const double *x, double *y) {
  pl_csc B = d->t.P;
  B.val = val;
  pl_csc_mul(&B, f, x, 1, y);
}

static double *accelerations(const map *d, int i, int col) {
  return d->W + ((size_t)i * BLOCK + (size_t)col) * (size_t)d->n;
}

// what stage i of step k has to balance, for one column
static void load_stage(map *d, int k, int i, const double *y, int col) {
  const stage *g = &d->stage[k * STAGES + i];
  const double *x = y, *v = y + d->n, *w = y;
  double h = d->step[k].h, *X = d->X, *V = X + d->n, *r = accelerations(d, i, col);
  for (int a = 0; a < d->n; a++) {
    X[a] = x[a] + h * C[i] * v[a];
    V[a] = v[a];
  }
  for (int j = 0; j < i; j++) {
    const double *W = accelerations(d, j, col);
    pl_axpy(d->n, h * h * d->AA[i][j], W, X, X);
    pl_axpy(d->n, h * A[i][j], W, V, V);
  }
  memset(r, 0, (size_t)d->n * sizeof(double));
  multiply(d, g->K, -1, X, r);
  if (g->D) multiply(d, g->D, -1, V, r);
  if (d->alpha != 0) multiply(d, d->M, -d->alpha, V, r);
  for (int j = 0; j < d->e.nslide; j++) {
    const slide *s = &d->e.slide[j];
    const double *pull =
        d->pull + ((size_t)(k * STAGES + i) * (size_t)d->e.nslide + (size_t)j) * (size_t)d->ndof;
    for (int a = 0; s->used && a < s->x.ndof; a++)
      if (s->row[a] >= 0) r[s->row[a]] += pull[a] * w[s->at];
  }
}

static pl_status advance(map *d, int k, double *y) {
  const leap *l = &d->step[k];
  size_t size = (size_t)d->size;
  for (int i = l->reset; i < l->until; i++) events_reset(&d->e, d->e.at[i], BLOCK, d->size, y);
  for (int i = 0; i < STAGES; i++) {
    for (int col = 0; col < BLOCK; col++) load_stage(d, k, i, y + (size_t)col * size, col);
    double *r = accelerations(d, i, 0);
    PL_TRY(pl_factor_solve(d->stage[k * STAGES + i].factor, BLOCK, r, r));
  }
  for (int col = 0; col < BLOCK; col++) {
    double *x = y + (size_t)col * size, *v = x + d->n;
    pl_axpy(d->n, l->h, v, x, x);
    for (int i = 0; i < STAGES; i++) {
      pl_axpy(d->n, l->h * l->h * d->AA[STAGES - 1][i], accelerations(d, i, col), x, x);
      pl_axpy(d->n, l->h * A[STAGES - 1][i], accelerations(d, i, col), v, v);
    }
  }
  return PL_OK;
}

// y = (x, v, w) after one period
static pl_status apply(void *ctx, const double *x, double *y) {
  map *d = ctx;
  memcpy(y, x, BLOCK * (size_t)d->size * sizeof(double));
  for (int k = 0; k < d->nstep; k++) {
    PL_TRY(advance(d, k, y));
    // growth without end: the caller sees infinity, the factors never do
    if (pl_max_abs(BLOCK * d->size, y) < 1e250) continue;
    y[0] = INFINITY;
    return PL_OK;
  }
  for (int i = d->step[d->nstep - 1].until; i < d->e.nbreak; i++)
    events_reset(&d->e, d->e.at[i], BLOCK, d->size, y);
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
  arnoldi_plan plan = {.block = BLOCK, .want = WANT, .most = INFINITY, .part = 1e-4};
  if (s == PL_OK) s = arnoldi(v->env, d.size, &plan, apply, &d, mu);
  if (s == PL_OK && !d.resolved) mu->exact = 0;
  mu->margin = MARGIN;
  map_close(&d);
  return s == PL_SINGULAR ? PL_UNSOLVED : s;
}
