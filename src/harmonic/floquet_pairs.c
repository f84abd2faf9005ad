// Floquet multipliers of motions with pairs in small models: the dense monodromy matrix, from event
// to event by collocation.
#include "events.h"

#include <string.h>

enum { STAGES = 3 };

typedef struct course {
  variation *v;
  events e;
  int n, size;           // free unknowns, 2n and the sliders that slip
  double *M, *K, *D, *B; // [n][n] x3, [n][size] scratch
  double *A;             // [STAGES][size][size] y' = A y
  double *G, *R;         // [3 size][3 size], [size][3 size]
  double *S, *F, *T;     // [size][size] step, product, scratch
  double c[STAGES], a[STAGES][STAGES], b[STAGES];
} course;

// ---- the equation -------------------------------------------------------------------------------

// the slider's stiffness into K, and its pull into column w of A
static void add_slider(course *k, const slide *s, double phase, double *pull) {
  int n = s->x.ndof;
  double H[PL_NDOF_MAX * PL_NDOF_MAX], w[PL_NDOF_MAX];
  if (slide_at(s, phase, H, w)) return;
  for (int a = 0; a < n; a++) {
    int i = s->row[a];
    if (i < 0) continue;
    for (int b = 0; b < n; b++)
      if (s->row[b] >= 0) k->K[s->row[b] * k->n + i] += H[a * n + b];
    if (s->used) pull[i] += w[a];
  }
}

// A of y = (x, x', w): M x'' = -K x - D x' + pulls
static pl_status fill_rates(course *k, double phase, double *A) {
  int n = k->n, size = k->size;
  size_t n2 = (size_t)n * (size_t)n;
  PL_TRY(variation_at(k->v, phase, NULL, k->K, k->D));
  memset(A, 0, (size_t)size * (size_t)size * sizeof *A);
  memset(k->B, 0, (size_t)n * (size_t)size * sizeof *k->B);
  for (int j = 0; j < k->e.nslide; j++) {
    const slide *s = &k->e.slide[j];
    add_slider(k, s, phase, k->B + (size_t)n * (size_t)(s->used ? s->at : 0));
  }
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
static pl_status course_step(course *k, double from, double h) {
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
  const events *e = &k->e;
  for (int i = 0; i < e->nbreak; i++) {
    double from = e->at[i], to = i + 1 < e->nbreak ? e->at[i + 1] : 2 * PL_PI;
    events_reset(e, from, k->size, k->size, 1, k->F);
    if (!(to - from > 1e-13)) continue;
    int count = (int)ceil(steps * (to - from) / (2 * PL_PI));
    for (int j = 0; j < count; j++) {
      double h = (to - from) / count;
      PL_TRY(course_step(k, from + j * h, h));
    }
    PL_TRY(pl_report_progress(k->v->env, "stability", to / (2 * PL_PI), NULL));
  }
  return PL_OK;
}

// ---- all ----------------------------------------------------------------------------------------

static void course_close(course *k) {
  pl_env *env = k->v->env;
  void *all[] = {k->M, k->K, k->D, k->B, k->A, k->G, k->R, k->S, k->F, k->T};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(env, all[i]);
  events_close(&k->e);
}

static pl_status course_allocate(course *k) {
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
  gauss_scheme(&k);
  pl_status s = events_find(v, NULL, &k.e);
  k.size = 2 * k.n + k.e.m;
  if (s == PL_OK) s = course_allocate(&k);
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
