// Floquet multipliers of motions with pairs. Between events the linearised equation is smooth and
// is integrated by collocation; forces are continuous, so deviations pass events unchanged. A
// slider is a further unknown w: it pulls while it sticks, and where a slip ends it is reset to the
// deviation of the elongation, dw = n.dx.
#include "floquet_impl.h"
#include "pairs.h"

#include <stdlib.h>
#include <string.h>

enum { STAGES = 3 };

typedef struct slide {
  int used; // slips at all; others are springs
  int at;   // its place among the unknowns
  int dof[PL_NDOF_MAX];
  pair x;
} slide;

typedef struct course {
  variation *v;
  pl_hb *hb;
  int n, m, size; // free unknowns, sliders that slip, 2n + m
  int *first;     // [ngroup] of sliders; -1: others
  int nslide;
  slide *slide;
  pair scratch;
  int nbreak, cap;
  double *at;            // [nbreak] phases of events, in order
  double *M, *K, *D, *B; // [n][n] x3, [n][2n + m] scratch
  double *A;             // [STAGES][size][size] y' = A y
  double *G, *R;         // [3 size][3 size], [size][3 size]
  double *S, *F, *T;     // [size][size] step, product, scratch
  double c[STAGES], a[STAGES][STAGES], b[STAGES];
  pl_status status;
} course;

// ---- events -------------------------------------------------------------------------------------

static void note(course *k, double phase) {
  if (k->status == PL_OK) k->status = pl_grow(k->v->env, &k->at, k->nbreak, &k->cap, sizeof *k->at);
  if (k->status == PL_OK) k->at[k->nbreak++] = fmod(phase, 2 * PL_PI);
}

static int find_events(void *ctx, const pl_visit *e, int thread) {
  course *k = ctx;
  const pl_elem_kind *kind = pl_model_group_kind(k->v->m, e->group);
  (void)thread;
  if (!kind->stretch || k->status != PL_OK) return 0;
  pair *x = &k->scratch;
  if (kind->slider.d) {
    slide *s = &k->slide[k->first[e->group] + e->elem];
    x = &s->x;
    memcpy(s->dof, e->dof, (size_t)e->ndof * sizeof *s->dof);
    k->status = pair_open(k->v->env, e->ndof, 2 * k->hb->f.H, k->hb->f.N, x);
    if (k->status != PL_OK) return 0;
  }
  if (pairs_load(k->hb, e->group, e->elem, e->dof, x)) return 1;
  for (int i = 0; i < x->nspan; i++) note(k, x->span[i].from);
  return 0;
}

static int by_phase(const void *a, const void *b) {
  double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

static void count_sliders(course *k) {
  for (int j = 0; j < k->nslide; j++) {
    slide *s = &k->slide[j];
    for (int i = 0; i < s->x.nspan; i++) s->used |= s->x.span[i].slip != 0;
    if (s->used) s->at = 2 * k->n + k->m++;
  }
}

static pl_status find_all(course *k) {
  variation *v = k->v;
  const pl_orbit *o = v->o;
  int ng = pl_model_ngroup(v->m);
  PL_TRY(hb_create_sub(v->m, v->p, v->w, o->nharm, 0, o->sub > 0 ? o->sub : 1, &k->hb));
  memcpy(k->hb->zfull, o->z, (size_t)k->hb->n * sizeof(double));
  k->hb->omega = o->omega;
  k->first = pl_alloc(v->env, (size_t)ng, sizeof(int));
  if (!k->first) return PL_E_NOMEM;
  for (int g = 0; g < ng; g++) {
    k->first[g] = k->nslide;
    if (pl_model_group_kind(v->m, g)->slider.d) k->nslide += pl_model_group_size(v->m, g);
  }
  k->slide = pl_alloc(v->env, (size_t)k->nslide, sizeof *k->slide);
  if (!k->slide) return PL_E_NOMEM;
  PL_TRY(pair_open(v->env, PL_NDOF_MAX, 2 * k->hb->f.H, k->hb->f.N, &k->scratch));
  // one after the other: all share the list of events
  pl_team *team = v->w->team;
  v->w->team = NULL;
  pl_status s = pl_model_visit(v->m, v->p, v->w, find_events, k);
  v->w->team = team;
  PL_TRY(s);
  PL_TRY(k->status);
  note(k, 0);
  PL_TRY(k->status);
  qsort(k->at, (size_t)k->nbreak, sizeof *k->at, by_phase);
  count_sliders(k);
  k->size = 2 * k->n + k->m;
  return PL_OK;
}

// ---- the equation -------------------------------------------------------------------------------

static const span *span_at(const pair *x, double phase) {
  for (int i = 0; i < x->nspan; i++) {
    const span *s = &x->span[i];
    if ((phase >= s->from && phase <= s->to) ||
        (phase + 2 * PL_PI >= s->from && phase + 2 * PL_PI <= s->to))
      return s;
  }
  return &x->span[0];
}

// the slider's stiffness into K, and its pull into column w of A
static void add_slider(course *k, const slide *s, double phase, double *pull) {
  const pair *x = &s->x;
  const pl_elem_kind *kind = x->kind;
  const int *index = pl_model_free_index(k->v->m);
  double q[PL_NDOF_MAX], v[PL_NDOF_MAX], rest[PL_NREST_MAX], W, f[PL_NDOF_MAX], d;
  double H[PL_NDOF_MAX * PL_NDOF_MAX], normal[PL_NDOF_MAX];
  const span *at = span_at(x, phase);
  int n = x->ndof;
  pair_motion(x, phase, q, v);
  pair_rest(x, at, q, rest);
  if (kind->d.eval(q, x->par, rest, &W, f, H) || kind->stretch(q, rest, &d, normal)) return;
  for (int a = 0; a < n; a++) {
    int i = s->dof[a] < 0 ? -1 : index[s->dof[a]];
    if (i < 0) continue;
    for (int b = 0; b < n; b++) {
      int j = s->dof[b] < 0 ? -1 : index[s->dof[b]];
      if (j >= 0) k->K[j * k->n + i] += H[a * n + b];
    }
    if (s->used && !at->slip) pull[i] += x->par[0] * normal[a];
  }
}

// A of y = (x, x', w): M x'' = -K x - D x' + pulls
static pl_status fill_rates(course *k, double phase, double *A) {
  int n = k->n, size = k->size;
  size_t n2 = (size_t)n * (size_t)n;
  PL_TRY(variation_at(k->v, phase, NULL, k->K, k->D));
  memset(A, 0, (size_t)size * (size_t)size * sizeof *A);
  memset(k->B, 0, (size_t)n * (size_t)size * sizeof *k->B);
  for (int j = 0; j < k->nslide; j++)
    add_slider(k, &k->slide[j], phase,
               k->B + (size_t)n * (size_t)(k->slide[j].used ? k->slide[j].at : 0));
  for (size_t i = 0; i < n2; i++) {
    k->B[i] = -k->K[i];
    k->B[n2 + i] = -k->D[i];
  }
  memcpy(k->T, k->M, n2 * sizeof(double));
  PL_TRY(dense_solve(k->v->env, n, k->T, size, k->B));
  for (int j = 0; j < size; j++) {
    if (j >= n && j < 2 * n) A[j * size + j - n] = 1;
    for (int i = 0; i < n; i++) A[j * size + n + i] = k->B[j * n + i];
  }
  return PL_OK;
}

// ---- integration --------------------------------------------------------------------------------

// Gauss's collocation of three stages, of order six
static void gauss_scheme(course *k) {
  double r = sqrt(15.0);
  const double c[3] = {0.5 - r / 10, 0.5, 0.5 + r / 10}, b[3] = {5 / 18.0, 4 / 9.0, 5 / 18.0};
  const double a[3][3] = {{5 / 36.0, 2 / 9.0 - r / 15, 5 / 36.0 - r / 30},
                          {5 / 36.0 + r / 24, 2 / 9.0, 5 / 36.0 - r / 24},
                          {5 / 36.0 + r / 30, 2 / 9.0 + r / 15, 5 / 36.0}};
  memcpy(k->c, c, sizeof c);
  memcpy(k->b, b, sizeof b);
  memcpy(k->a, a, sizeof a);
}

// S = 1 + h sum b_i k_i, k_i = A_i (1 + h sum_j a_ij k_j)
static pl_status step(course *k, double from, double h) {
  int s = k->size, rows = STAGES * s;
  for (int i = 0; i < STAGES; i++) {
    double *A = k->A + (size_t)i * (size_t)s * (size_t)s;
    PL_TRY(fill_rates(k, from + k->c[i] * h, A));
    for (int j = 0; j < STAGES; j++)
      for (int col = 0; col < s; col++)
        for (int r = 0; r < s; r++)
          k->G[(size_t)(j * s + col) * (size_t)rows + (size_t)(i * s + r)] =
              (i == j && r == col) - h * k->a[i][j] * A[col * s + r];
    for (int col = 0; col < s; col++)
      for (int r = 0; r < s; r++)
        k->R[(size_t)col * (size_t)rows + (size_t)(i * s + r)] = A[col * s + r];
  }
  PL_TRY(dense_solve(k->v->env, rows, k->G, s, k->R));
  for (int col = 0; col < s; col++)
    for (int r = 0; r < s; r++) {
      double sum = r == col;
      for (int i = 0; i < STAGES; i++)
        sum += h * k->b[i] * k->R[(size_t)col * (size_t)rows + (size_t)(i * s + r)];
      k->S[col * s + r] = sum;
    }
  dense_mul(s, s, s, 1, k->S, k->F, 0, k->T);
  memcpy(k->F, k->T, (size_t)s * (size_t)s * sizeof(double));
  return PL_OK;
}

// sliders whose slip ends at a phase are left where the elongation is
static void reset(course *k, double phase) {
  const int *index = pl_model_free_index(k->v->m);
  for (int j = 0; j < k->nslide; j++) {
    const slide *s = &k->slide[j];
    double q[PL_NDOF_MAX], v[PL_NDOF_MAX], normal[PL_NDOF_MAX], d;
    int ends = 0;
    for (int i = 0; s->used && i < s->x.nspan; i++) {
      double next = s->x.span[(i + 1) % s->x.nspan].from;
      ends |= s->x.span[i].slip && fmod(next, 2 * PL_PI) == phase;
    }
    if (!ends) continue;
    pair_motion(&s->x, phase, q, v);
    s->x.kind->stretch(q, s->x.rest, &d, normal);
    for (int col = 0; col < k->size; col++) {
      double sum = 0;
      for (int a = 0; a < s->x.ndof; a++) {
        int i = s->dof[a] < 0 ? -1 : index[s->dof[a]];
        if (i >= 0) sum += normal[a] * k->F[col * k->size + i];
      }
      k->F[col * k->size + s->at] = sum;
    }
  }
}

// steps a period that resolve the motion and the fastest vibration, from the size of M^-1 K
static pl_status count_steps(course *k, double *steps) {
  enum { PROBES = 16, MOST = 4000 };
  double most = 0;
  for (int i = 0; i < PROBES; i++) {
    PL_TRY(fill_rates(k, 2 * PL_PI * (i + 0.3) / PROBES, k->A));
    for (int r = 0; r < k->n; r++) {
      double sum = 0;
      for (int col = 0; col < k->n; col++) sum += fabs(k->A[col * k->size + k->n + r]);
      most = fmax(most, sum);
    }
  }
  *steps = fmin(MOST, fmax(fmax(48, 6 * k->v->o->nharm), 2 * PL_PI * sqrt(most) / 0.4));
  return PL_OK;
}

static pl_status integrate(course *k) {
  double steps = 0;
  PL_TRY(count_steps(k, &steps));
  for (int i = 0; i < k->size; i++) k->F[i * k->size + i] = 1;
  for (int i = 0; i < k->nbreak; i++) {
    double from = k->at[i], to = i + 1 < k->nbreak ? k->at[i + 1] : 2 * PL_PI;
    reset(k, from);
    if (!(to - from > 1e-13)) continue;
    int count = (int)ceil(steps * (to - from) / (2 * PL_PI));
    for (int j = 0; j < count; j++) {
      double h = (to - from) / count;
      PL_TRY(step(k, from + j * h, h));
    }
    PL_TRY(pl_tell(k->v->env, "stability", to / (2 * PL_PI), NULL));
  }
  return PL_OK;
}

// ---- all ----------------------------------------------------------------------------------------

static void course_close(course *k) {
  pl_env *env = k->v->env;
  for (int j = 0; k->slide && j < k->nslide; j++) pair_close(env, &k->slide[j].x);
  pair_close(env, &k->scratch);
  void *all[] = {k->first, k->slide, k->at, k->M, k->K, k->D, k->B,
                 k->A,     k->G,     k->R,  k->S, k->F, k->T};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(env, all[i]);
  pl_hb_free(k->hb);
}

static pl_status course_room(course *k) {
  size_t n2 = (size_t)k->n * (size_t)k->n, s2 = (size_t)k->size * (size_t)k->size;
  struct {
    double **p;
    size_t n;
  } all[] = {{&k->M, n2},          {&k->K, n2},
             {&k->D, n2},          {&k->B, (size_t)k->n * (size_t)k->size},
             {&k->A, STAGES * s2}, {&k->G, STAGES * STAGES * s2},
             {&k->R, STAGES * s2}, {&k->S, s2},
             {&k->F, s2},          {&k->T, s2}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    *all[i].p = pl_alloc(k->v->env, all[i].n, sizeof(double));
    if (!*all[i].p) return PL_E_NOMEM;
  }
  variation_mass(k->v, NULL, k->M);
  return PL_OK;
}

int pairs_present(const pl_model *m) {
  int any = 0;
  for (int g = 0; g < pl_model_ngroup(m); g++) any |= pl_model_group_kind(m, g)->stretch != NULL;
  return any;
}

pl_status pair_multipliers(variation *v, multipliers *mu) {
  course k = {.v = v, .n = v->n};
  if (v->n > DENSE_MAX) return PL_UNSOLVED;
  gauss_scheme(&k);
  pl_status s = find_all(&k);
  if (s == PL_OK) s = course_room(&k);
  if (s == PL_OK) s = integrate(&k);
  int size = k.size, finite = s == PL_OK && pl_all_finite(size * size, k.F);
  if (s == PL_OK) s = multipliers_create(v->env, finite ? size : 0, mu);
  if (s == PL_OK && finite) s = dense_eigen(v->env, size, k.F, mu->re, mu->im, NULL);
  mu->exact = 1;
  mu->overflow = s == PL_OK && !finite;
  course_close(&k);
  // unknowns without mass have no rate of their own
  return s == PL_SINGULAR ? PL_UNSOLVED : s;
}
