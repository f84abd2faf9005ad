// Floquet multipliers of motions with pairs in large models: Arnoldi's method on the period map,
// stepped from event to event, eight deviations at a time. H(t) is the stiffness of elements
// without events and dashpots, K and C that of the others; with p = M (x' + alpha x) + beta H x
//   M x' = p - alpha M x - beta H x,   p' = -H x - K x - C x' + pulls,
// so that only what those few do has to be multiplied. The scheme is diagonally implicit, of order
// four and L-stable (Hairer and Wanner, gamma = 1/4): it needs nothing but x and p at the beginning
// of a step, so that tangents may jump there, and ends vibrations that a step does not resolve.
#include "events.h"
#include "inertia.h"
#include "packs.h"

#include <string.h>

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#pragma GCC optimize("O3", "fp-contract=fast")
#endif
#pragma GCC diagnostic ignored "-Wpsabi"
enum { STAGES = 5 }; // a step
#define INLINE static inline __attribute__((always_inline))
#define COPY   "event_map.inc"
#include "pliant/copies.h"

enum { SPAN_STEPS = 4 }; // between two events, at least
static const double GAMMA = 0.25;
static const double NODE[STAGES] = {1 / 4.0, 3 / 4.0, 11 / 20.0, 1 / 2.0, 1};
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
  int ndof;                 // of sliders, at most
  double alpha, beta;       // Rayleigh's damping, in the phase
  double unit;              // of p: the mean mass
  double B[STAGES][STAGES]; // shares of the stages before in what one knows
  int definite;             // so far all stages are, and symmetric: they stand in the envelope
  envelope env;
  leap *step;          // [nstep]
  int nsample;         // of elements without events
  pl_pack *H;          // [npair][nsample in packs] those samples
  pl_pack *Kd, *Cd;    // the same of elements with dashpots; NULL: there are none
  int rated;           // C is not zero
  int nrest, *rest;    // [nrest] pairs that K and C have
  int *row, *col;      // [nrest] theirs
  double *K, *C;       // [nstep][STAGES][nrest]; C where rated
  double *L;           // [nstep][STAGES][envelope] factors
  pl_factor **factor;  // [nstep][STAGES] of any matrix; NULL: in the envelope
  double *pull;        // [nstep][STAGES][nslide][ndof]
  double *M;           // [npair]
  double *lumped;      // [n] mass, when it is diagonal; NULL: it is not
  inertia mass;        // when it is symmetric
  pl_csc S;            // pattern of the pairs, values of one stage
  pl_pack *X, *T;      // [STAGES][n] places, and momenta less what places tell of them
  pl_pack *x, *s, *s0; // [n] a place as far as it is known, M times that, M times the beginning
  pl_pack *y;          // [size] deviations
  double *r;           // [PL_LANES][n] scratch
} map;

static void map_close(map *d) {
  pl_env *env = d->v->env;
  for (int i = 0; d->factor && i < d->nstep * STAGES; i++) pl_factor_free(d->factor[i]);
  void *all[] = {d->H,      d->Kd,   d->Cd, d->step,   d->rest,  d->t.few, d->K, d->C, d->L,
                 d->factor, d->pull, d->M,  d->lumped, d->S.val, d->X,     d->y, d->r};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(env, all[i]);
  envelope_close(env, &d->env);
  events_close(&d->e);
  tangents_close(&d->t);
}

// B A = A less its diagonal: x + h sum A X' over the stages before is (1 - sum B) x + sum B X
static void make_shares(map *d) {
  for (int i = 0; i < STAGES; i++)
    for (int j = i - 1; j >= 0; j--) {
      double sum = A[i][j];
      for (int k = j + 1; k < i; k++) sum -= d->B[i][k] * A[k][j];
      d->B[i][j] = sum / GAMMA;
    }
}

static pl_status map_open(map *d, variation *v) {
  *d = (map){.v = v, .n = v->n};
  d->alpha = v->p->par[PL_PAR_ALPHA] / v->omega;
  d->beta = v->p->par[PL_PAR_BETA] * v->omega;
  make_shares(d);
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
  d->X = pl_alloc(v->env, (2 * STAGES + 3) * n, sizeof(pl_pack));
  d->y = pl_alloc(v->env, (size_t)d->size, sizeof(pl_pack));
  d->r = pl_alloc(v->env, PL_LANES * n, sizeof(double));
  if (!d->S.val || !d->M || !d->X || !d->y || !d->r) return PL_E_NOMEM;
  d->T = d->X + STAGES * n;
  d->x = d->T + STAGES * n;
  d->s = d->x + n;
  d->s0 = d->s + n;
  tangents_mass(&d->t, d->M);
  PL_TRY(tangents_lump(&d->t, d->M, &d->lumped));
  d->mass = (inertia){v->env, &d->env, d->M, d->lumped};
  for (int j = 0; j < d->n; j++) d->unit += d->M[pl_csc_find(&d->t.P, j, j)] / d->n;
  if (!(d->unit > 0)) d->unit = 1;
  return PL_OK;
}

// ---- elements -----------------------------------------------------------------------------------

static int packs_of(int n) {
  return (n + PL_LANES - 1) / PL_LANES;
}

static int has_viscous(const pl_model *m, unsigned part) {
  int any = 0;
  for (int g = 0; g < pl_model_ngroup(m); g++) {
    const pl_elem_kind *k = pl_model_group_kind(m, g);
    any |= k->d.visc && (tangents_part(k) & part) && pl_model_group_size(m, g) > 0;
  }
  return any;
}

// Samples of elements without events; still: parameters without Rayleigh's damping. Where no
// dashpot damps, all of them are plain.
static pl_status sample(map *d, pl_params *still) {
  tangents *t = &d->t;
  const pl_params *p = d->v->p;
  size_t all = (size_t)packs_of(d->nsample) * (size_t)t->P.nnz;
  int viscous = has_viscous(d->v->m, TANGENTS_DASHPOTS);
  d->H = pl_realloc(t->env, NULL, all, sizeof(pl_pack));
  if (viscous) d->Cd = pl_realloc(t->env, NULL, all, sizeof(pl_pack));
  if (!d->H || (viscous && !d->Cd)) return PL_E_NOMEM;
  PL_TRY(tangents_motion(t, d->nsample, 0));
  d->v->p = still;
  t->part = TANGENTS_PLAIN | TANGENTS_DASHPOTS;
  PL_TRY(tangents_eval(t, d->H, d->Cd));
  if (!viscous || pl_max_abs((int)all * PL_LANES, (double *)d->Cd) == 0) {
    pl_free(t->env, d->Cd);
    d->Cd = NULL;
    return PL_OK;
  }
  t->part = TANGENTS_PLAIN;
  PL_TRY(tangents_eval(t, d->H, NULL));
  d->v->p = p;
  t->part = TANGENTS_DASHPOTS;
  d->Kd = pl_realloc(t->env, NULL, all, sizeof(pl_pack));
  return d->Kd ? tangents_eval(t, d->Kd, d->Cd) : PL_E_NOMEM;
}

// pairs that elements with events or dashpots have, and the unknowns of these
static pl_status list_rest(map *d) {
  const tangents *t = &d->t;
  pl_env *env = t->env;
  unsigned part = TANGENTS_EVENTS | (d->Kd ? TANGENTS_DASHPOTS : 0);
  char *has = pl_alloc(env, (size_t)t->P.nnz + (size_t)d->n, 1), *moves = has + t->P.nnz;
  d->rest = pl_alloc(env, 3 * (size_t)t->P.nnz, sizeof(int));
  d->t.few = pl_alloc(env, (size_t)d->n, sizeof(int));
  pl_status s = has && d->rest && d->t.few ? PL_OK : PL_E_NOMEM;
  for (int g = 0; s == PL_OK && g < pl_model_ngroup(d->v->m); g++)
    for (size_t k = t->slot0[g]; k < t->slot0[g + 1]; k++) {
      if (t->slot[k] < 0 || !(tangents_part(pl_model_group_kind(d->v->m, g)) & part)) continue;
      has[t->slot[k]] = 1;
      if (!t->symmetric) has[t->mirror[t->slot[k]]] = 1;
    }
  d->row = d->rest + t->P.nnz;
  d->col = d->row + t->P.nnz;
  for (pl_entry e = {.k = -1}; s == PL_OK && pl_csc_next(&t->P, &e);) {
    if (!has[e.k]) continue;
    d->rest[d->nrest] = e.k;
    d->row[d->nrest] = e.i;
    d->col[d->nrest++] = e.j;
    moves[e.i] = moves[e.j] = 1;
  }
  for (int i = 0; s == PL_OK && i < d->n; i++)
    if (moves[i]) d->t.few[d->t.nfew++] = t->order[i];
  pl_free(env, has);
  return s;
}

static pl_status sort_elements(map *d) {
  const pl_params *p = d->v->p;
  pl_params still;
  PL_TRY(pl_params_view(p, &still));
  still.par[PL_PAR_BETA] = 0;
  d->nsample = tangents_enough(&d->t, 4);
  pl_status s = sample(d, &still);
  pl_params_view_free(&still);
  d->v->p = p;
  d->t.part = TANGENTS_EVENTS;
  d->rated = d->Kd || has_viscous(d->v->m, TANGENTS_EVENTS);
  return s == PL_OK ? list_rest(d) : s;
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
    phase[i] = fmin(fmax(l->from + NODE[i] * l->h, l->from + off), l->from + l->h - off);
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

// eight stages from k on, of which count are there: their phases, K and C with steps of npack;
// scratch for a matrix of each and for what is made of it
static pl_status make_pack(map *d, int k, int count, const double *phase, pl_pack *K, pl_pack *C,
                           pl_pack *S) {
  int npair = d->t.P.nnz, npack = d->t.npack, N = d->nsample, ld = PL_LANES * packs_of(N);
  pl_pack *work = S + npair, g;
  tangents_weights_pack(N, phase, work);
  if (d->Kd) {
    packs_weigh(npair, N, work, (const double *)d->Kd, ld, S);
    PICK(spread)(npair, npack, S, K);
    packs_weigh(npair, N, work, (const double *)d->Cd, ld, S);
    PICK(spread)(npair, npack, S, C);
  }
  for (int q = 0; q < d->nrest; q++)
    for (int l = 0; l < count; l++) {
      size_t from = (size_t)d->rest[q] * (size_t)npack, to = (size_t)(k + l) * (size_t)d->nrest;
      d->K[to + (size_t)q] = K[from][l];
      if (d->rated) d->C[to + (size_t)q] = C[from][l];
    }
  packs_weigh(npair, N, work, (const double *)d->H, ld, S);
  for (int l = 0; l < PL_LANES; l++)
    g[l] = GAMMA * d->step[(k + (l < count ? l : count - 1)) / STAGES].h;
  PICK(form)(npair, npack, &g, d->alpha, d->beta, d->M, K, d->rated ? C : NULL, S);
  return factorise(d, k, count, S, work);
}

// stages of some steps from k on; scratch for K, C and what is made of eight stages
static pl_status make_stages(map *d, int k, int some, pl_pack *scratch) {
  double phase[SOME * STAGES + PL_LANES];
  int nphase = some * STAGES;
  size_t npair = (size_t)d->t.P.nnz;
  for (int i = 0; i < some; i++) stage_phases(&d->step[k + i], phase + i * STAGES);
  for (int i = 0; i < PL_LANES; i++) phase[nphase + i] = phase[nphase - 1];
  PL_TRY(tangents_place(&d->t, nphase, phase));
  pl_pack *K = scratch, *C = K + npair * STAGES, *S = C + npair * STAGES;
  PL_TRY(tangents_eval(&d->t, K, d->rated ? C : NULL));
  for (int i = 0; i < nphase; i++) PL_TRY(add_sliders(d, k * STAGES + i, i, phase[i], K));
  for (int i = 0; i < nphase; i += PL_LANES) {
    int count = nphase - i < PL_LANES ? nphase - i : PL_LANES, p = i / PL_LANES;
    PL_TRY(make_pack(d, k * STAGES + i, count, phase + i, K + p, C + p, S));
  }
  return PL_OK;
}

// what the stages take, once there is one of them
static double stage_bytes(const map *d) {
  double factor = d->definite ? 8.0 * (double)envelope_size(&d->env) : 0;
  if (d->factor[0]) factor = 12 * pl_factor_stats(d->factor[0]).nnz;
  return (factor + 16.0 * d->nrest) * d->nstep * STAGES;
}

// tangents and factors of the whole period
static pl_status prepare(map *d, double memory) {
  pl_env *env = d->v->env;
  size_t npair = (size_t)d->t.P.nnz, all = (size_t)d->nstep * STAGES, nrest = (size_t)d->nrest;
  size_t size = d->t.symmetric ? envelope_size(&d->env) : 0;
  if (stage_bytes(d) > memory) return PL_UNSOLVED;
  // not set to zero: what is large costs time
  d->L = pl_realloc(env, NULL, all * size + 1, sizeof(double));
  d->K = pl_realloc(env, NULL, all * nrest + 1, sizeof(double));
  d->C = pl_realloc(env, NULL, d->rated ? all * nrest : 1, sizeof(double));
  size_t most = size > (size_t)d->nsample ? size : (size_t)d->nsample;
  pl_pack *work = pl_realloc(env, NULL, (2 * STAGES + 1) * npair + most, sizeof(pl_pack));
  pl_status s = d->L && d->K && d->C && work ? PL_OK : PL_E_NOMEM;
  for (int k = 0; s == PL_OK && k < d->nstep; k += SOME) {
    s = make_stages(d, k, d->nstep - k < SOME ? d->nstep - k : SOME, work);
    if (s == PL_OK && stage_bytes(d) > memory) s = PL_UNSOLVED;
    if (s == PL_OK) s = pl_report_progress(env, "stability", 0, NULL);
  }
  pl_free(env, work);
  return s;
}

// ---- the map ------------------------------------------------------------------------------------

// y = M x
static void mass_times(const map *d, const pl_pack *x, pl_pack *y) {
  if (d->t.symmetric) {
    inertia_times(&d->mass, x, y);
    return;
  }
  memset(y, 0, (size_t)d->n * sizeof *y);
  for (pl_entry e = {.k = -1}; pl_csc_next(&d->t.P, &e);) y[e.i] += d->M[e.k] * x[e.j];
}

// y += f A x for K or C of a stage
static void add_rest(const map *d, const double *all, int stage, double f, const pl_pack *x,
                     pl_pack *y) {
  const double *val = all + (size_t)stage * (size_t)d->nrest;
  for (int q = 0; q < d->nrest; q++) {
    int i = d->row[q], j = d->col[q];
    y[i] += f * val[q] * x[j];
    if (d->t.symmetric && i != j) y[j] += f * val[q] * x[i];
  }
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

// what M X counts in P
static double place_share(const map *d, int k) {
  double g = d->step[k].h * GAMMA;
  return (1 + g * d->alpha) / ((g + d->beta) * d->unit);
}

// Stage i of step k. With x and p the known shares of place and momentum and g = h gamma,
//   ((1 + g alpha) M + g (g + beta) H + g^2 K + g C) X = M x + g p + g C x + g^2 pulls,
//   (g + beta) P = beta p - M x + (1 + g alpha) M X + beta (g pulls - g K X - C (X - x)).
// T is P without its share of M X, which is added where it is used.
static pl_status apply_stage(map *d, int k, int i) {
  size_t n = (size_t)d->n;
  pl_pack *X = d->X + (size_t)i * n, *T = d->T + (size_t)i * n;
  double g = d->step[k].h * GAMMA, by = 1 / (g + d->beta), f = d->beta * by / d->unit;
  double c[] = {g * d->unit, d->beta * by, by / d->unit, place_share(d, k)};
  int at = k * STAGES + i;
  if (!d->lumped) {
    PICK(known_place)(d->n, i, d->B[i], d->y, d->X, d->x);
    mass_times(d, d->x, d->s);
    if (i == 0) memcpy(d->s0, d->s, n * sizeof *d->s);
  }
  PICK(known)(d->n, i, d->B[i], c, d->lumped, d->s, d->s0, d->y, d->X, d->T);
  if (d->rated && d->lumped) PICK(known_place)(d->n, i, d->B[i], d->y, d->X, d->x);
  if (d->rated) add_rest(d, d->C, at, g, d->x, X);
  add_pulls(d, at, g * g, X);
  PL_TRY(solve(d, at, X));
  if (d->beta == 0) return PL_OK;
  add_pulls(d, at, f * g, T);
  add_rest(d, d->K, at, -f * g, X, T);
  if (d->rated) add_rest(d, d->C, at, -f, X, T);
  if (d->rated) add_rest(d, d->C, at, f, d->x, T);
  return PL_OK;
}

// sliders whose slip ends at one of some events
static void reset(map *d, int from, int to) {
  for (int i = from; i < to; i++)
    events_reset(&d->e, d->e.at[i], PL_LANES, 1, PL_LANES, (double *)d->y);
}

static pl_status integrate_step(map *d, int k) {
  const leap *l = &d->step[k];
  size_t n = (size_t)d->n;
  reset(d, l->reset, l->until);
  for (int i = 0; i < STAGES; i++) PL_TRY(apply_stage(d, k, i));
  // the last stage is the end of the step
  memcpy(d->y, d->X + (STAGES - 1) * n, n * sizeof *d->y);
  if (!d->lumped) mass_times(d, d->y, d->s);
  PICK(momentum)(d->n, place_share(d, k), d->lumped, d->s, d->y, d->T + (STAGES - 1) * n);
  return PL_OK;
}

// to = (x, p, w) after one period
static pl_status apply(void *ctx, const double *from, double *to) {
  map *d = ctx;
  size_t size = (size_t)d->size;
  for (size_t i = 0; i < size; i++)
    for (size_t l = 0; l < PL_LANES; l++) d->y[i][l] = from[l * size + i];
  for (int k = 0; k < d->nstep; k++) {
    PL_TRY(integrate_step(d, k));
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

// Stiffness of the elements without events at phase zero in d->S.
static void still_stiffness(map *d) {
  size_t step = (size_t)packs_of(d->nsample);
  for (size_t k = 0; k < (size_t)d->t.P.nnz; k++)
    d->S.val[k] = d->H[k * step][0] + (d->Kd ? d->Kd[k * step][0] : 0);
}

// steps a period that resolve the lowest vibrations
static pl_status count_steps(map *d, int *steps) {
  double w;
  still_stiffness(d);
  PL_TRY(d->t.symmetric ? inertia_lowest(&d->mass, d->S.val, INFINITY, &w)
                        : low_vibrations(d->v, &w));
  *steps = period_steps(d->v, w, &d->resolved);
  return PL_OK;
}

// Deviations to begin with: at random, but for vibrations about elements without events at phase
// zero that are gone after a period; NULL: any.
static pl_status choose_start(map *d, double **start) {
  size_t n = (size_t)d->n, size = (size_t)d->size;
  double cut = fmax(1, 0.7 * resolved_to(d->v, 0));
  int found = 0;
  *start = NULL;
  still_stiffness(d);
  if (d->definite) PL_TRY(inertia_start(&d->mass, d->S.val, cut, d->X, &found));
  if (!found) return PL_OK;
  *start = pl_alloc(d->v->env, size * PL_LANES, sizeof(double));
  if (!*start) return PL_E_NOMEM;
  mass_times(d, d->X + n, d->s);
  pl_rng r;
  pl_rng_seed(&r, 2);
  for (size_t i = 0; i < size; i++)
    for (size_t l = 0; l < PL_LANES; l++)
      (*start)[l * size + i] = i < n       ? d->X[i][l]
                               : i < 2 * n ? cut / d->unit * d->s[i - n][l]
                                           : pl_rng_uniform(&r, -1, 1);
  return PL_OK;
}

pl_status event_multipliers(variation *v, int steps, double memory, multipliers *mu) {
  enum { WANT = 6 };
  map d;
  double part = steps == 0 ? 1e-3 : 1e-4, *start = NULL;
  pl_status s = map_open(&d, v);
  d.resolved = 1;
  if (s == PL_OK) s = sort_elements(&d);
  if (s == PL_OK && steps == 0) s = count_steps(&d, &steps);
  if (s == PL_OK) s = lay_steps(&d, steps);
  if (s == PL_OK) s = prepare(&d, memory);
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
