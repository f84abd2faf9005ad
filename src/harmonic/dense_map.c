// The linearised motion over one period of small models, densely by collocation: multipliers, and
// what changes the largest of them.
#include "floquet_impl.h"

#include <string.h>

enum { STAGES = 4 };

// Collocation in second-order form: with accelerations W_j at the stages,
//   V_i = v + h sum_j a_ij W_j,  X_i = x + h c_i v + h^2 sum_j aa_ij W_j,
// and the same with weights b, ba at the end of the step.
typedef struct collocation {
  double c[STAGES], a[STAGES][STAGES], aa[STAGES][STAGES], b[STAGES], ba[STAGES];
} collocation;

// nodes of Radau's right-hand quadrature, roots of P_3 - P_4 on [0, 1]
static const double radau[STAGES] = {0.088587959512703947396, 0.40946686444073471087,
                                     0.78765946176084705603, 1};

static pl_status make_collocation(pl_env *env, int stiff, collocation *t) {
  double x[STAGES], w[STAGES], V[STAGES * STAGES], B[STAGES * (STAGES + 1)];
  pl_gauss(STAGES, x, w);
  for (int i = 0; i < STAGES; i++) t->c[i] = stiff ? radau[i] : 0.5 * (1 + x[i]);
  // exact for polynomials: sum_j a_ij c_j^k = c_i^(k+1) / (k + 1); the last column is b
  for (int k = 0; k < STAGES; k++) {
    for (int j = 0; j < STAGES; j++) {
      V[j * STAGES + k] = pow(t->c[j], k);
      B[j * STAGES + k] = pow(t->c[j], k + 1) / (k + 1);
    }
    B[STAGES * STAGES + k] = 1.0 / (k + 1);
  }
  PL_TRY(dense_solve(env, STAGES, V, STAGES + 1, B));
  for (int i = 0; i < STAGES; i++) {
    t->b[i] = B[STAGES * STAGES + i];
    for (int j = 0; j < STAGES; j++) t->a[i][j] = B[i * STAGES + j];
  }
  for (int j = 0; j < STAGES; j++) {
    t->ba[j] = 0;
    for (int k = 0; k < STAGES; k++) t->ba[j] += t->b[k] * t->a[k][j];
    for (int i = 0; i < STAGES; i++) {
      t->aa[i][j] = 0;
      for (int k = 0; k < STAGES; k++) t->aa[i][j] += t->a[i][k] * t->a[k][j];
    }
  }
  return PL_OK;
}

typedef struct dense {
  variation *v;
  tangents t;
  int n, nstep;
  int resolved;      // every vibration that lasts a period is
  double *M, *K, *D; // [n][n]
  double *G, *W, *S; // [4n][4n], [2n][4n], [2n][2n]
  double *F, *T;     // [2n][2n] monodromy matrix, product
  double *mass;      // [npair]
  double *k, *d;     // [STAGES][nstep][npair] along the motion
  double *kept;      // [nstep][2n][2n] step matrices; NULL: not wanted
  collocation c;
} dense;

static void dense_close(dense *d) {
  void *all[] = {d->M, d->K, d->D, d->G, d->W, d->S, d->F, d->T, d->mass, d->k, d->d, d->kept};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(d->v->env, all[k]);
  tangents_close(&d->t);
}

// values on pairs as a full matrix
static void fill_dense(const dense *d, const double *val, double *A) {
  const pl_csc *P = &d->t.P;
  int n = d->n;
  memset(A, 0, (size_t)n * (size_t)n * sizeof(double));
  for (pl_entry e = {.k = -1}; pl_csc_next(P, &e);) {
    A[e.j * n + e.i] = val[e.k];
    if (d->t.symmetric) A[e.i * n + e.j] = val[e.k];
  }
}

// K and D (with its share of the mass) from values on pairs
static void fill_tangents(dense *d, const double *k, const double *c) {
  double alpha = d->v->p->par[PL_PAR_ALPHA] / d->v->omega;
  int n2 = d->n * d->n;
  fill_dense(d, k, d->K);
  if (d->t.rated)
    fill_dense(d, c, d->D);
  else
    memset(d->D, 0, (size_t)n2 * sizeof(double));
  for (int i = 0; i < n2; i++) d->D[i] += alpha * d->M[i];
}

static pl_status dense_open(dense *d, variation *v) {
  *d = (dense){.v = v, .n = v->n};
  PL_TRY(tangents_open(v, &d->t));
  size_t n2 = (size_t)v->n * (size_t)v->n;
  struct {
    double **p;
    size_t n;
  } all[] = {{&d->M, n2},      {&d->K, n2},     {&d->D, n2},
             {&d->G, 16 * n2}, {&d->W, 8 * n2}, {&d->S, 4 * n2},
             {&d->F, 4 * n2},  {&d->T, 4 * n2}, {&d->mass, (size_t)d->t.P.nnz}};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    *all[k].p = pl_alloc(v->env, all[k].n, sizeof(double));
    if (!*all[k].p) return PL_E_NOMEM;
  }
  tangents_mass(&d->t, d->mass);
  fill_dense(d, d->mass, d->M);
  return PL_OK;
}

// Sizes of finite eigenvalues of A x = lambda M x, by way of (A + M)^-1 M, which has
// 1/(lambda + 1): the largest, and the largest up to a limit. *massless: others are infinite. A is
// destroyed.
static pl_status largest(dense *d, double *A, double limit, double *size, double *within,
                         int *massless) {
  int n = d->n, n2 = n * n;
  double *B = d->T, *re = d->W, *im = d->W + n, most = 0;
  for (int i = 0; i < n2; i++) A[i] += d->M[i];
  memcpy(B, d->M, (size_t)n2 * sizeof(double));
  PL_TRY(dense_solve(d->v->env, n, A, n, B));
  PL_TRY(dense_eigen(d->v->env, n, B, re, im, NULL));
  for (int i = 0; i < n; i++) most = fmax(most, hypot(re[i], im[i]));
  for (int i = 0; i < n; i++) {
    double k = hypot(re[i], im[i]);
    *massless |= k <= 1e-12 * most;
    if (k <= 1e-12 * most) continue;
    *size = fmax(*size, 1 / k + 1);
    if (1 / k - 1 <= limit) *within = fmax(*within, 1 / k + 1);
  }
  return PL_OK;
}

// Phases that no symmetry singles out: their spread tells whether the motion changes anything.
enum { PROBES = 5 };
static const double PROBE = 0.137; // the first

// largest difference of probes from the first, over its size
static double spread(int n, const double *x) {
  double most = 0, size = pl_max_abs(n, x);
  for (int k = 1; k < PROBES; k++)
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[k * n + i] - x[i]));
  return size > 0 ? most / size : most;
}

// K and D at the probes; *constant: they are the same all along, and stand in d->K and d->D
static pl_status bordering(dense *d, double *k, double *c, int *constant) {
  int npair = d->t.P.nnz;
  PL_TRY(tangents_at(&d->t, PROBES, PROBE, k, c));
  *constant = spread(npair, k) < 1e-13 && (!d->t.rated || spread(npair, c) < 1e-13);
  fill_tangents(d, k, c);
  return PL_OK;
}

// Chooses the number of steps and the scheme. Vibrations that last for a period are resolved while
// that is affordable; a stiff scheme takes the others, strong damping, and unknowns without mass.
static pl_status plan(dense *d, const double *k, const double *c) {
  enum { MOST_STEPS = 8192 };
  variation *v = d->v;
  int n = d->n, massless = 0;
  double stiff = 0, decay = 0, slow = 0, none = 0, limit = resolved_to(v, 24);
  for (int i = 0; i < PROBES; i += 2) {
    fill_tangents(d, k + (size_t)i * (size_t)d->t.P.nnz, c + (size_t)i * (size_t)d->t.P.nnz);
    pl_status s = largest(d, d->K, limit * limit, &stiff, &slow, &massless);
    if (s == PL_OK) s = largest(d, d->D, INFINITY, &decay, &none, &massless);
    if (s < 0) return s; // a singular sum tells nothing: the other probes do
  }
  double w = sqrt(slow), steps = fmax(16 + 4 * v->o->nharm, 2 * PL_PI * w / 0.7);
  double afford = fmin(MOST_STEPS, fmax(128, 1e9 / (125.0 * n * n * n)));
  d->nstep = (int)fmin(steps, afford);
  double h = 2 * PL_PI / d->nstep;
  d->resolved = h * fmin(sqrt(stiff), lasting(v)) < 1;
  return make_collocation(v->env, massless || h * sqrt(stiff) > 1 || h * decay > 1, &d->c);
}

// rows of stage i: (M delta_ij + h a_ij D + h^2 aa_ij K) W_j = -K x - (D + h c_i K) v
static void fill_stage(dense *d, int i, double h) {
  int n = d->n, rows = STAGES * n;
  const collocation *t = &d->c;
  for (int j = 0; j < STAGES; j++)
    for (int c = 0; c < n; c++) {
      double *g = d->G + (size_t)(j * n + c) * (size_t)rows + i * n;
      const double *K = d->K + c * n, *D = d->D + c * n, *M = d->M + c * n;
      double ad = h * t->a[i][j], ak = h * h * t->aa[i][j], am = i == j;
      for (int r = 0; r < n; r++) g[r] = am * M[r] + ad * D[r] + ak * K[r];
    }
  for (int c = 0; c < n; c++) {
    double *x = d->W + (size_t)c * (size_t)rows + i * n, *v = x + (size_t)n * (size_t)rows;
    for (int r = 0; r < n; r++) {
      x[r] = -d->K[c * n + r];
      v[r] = -d->D[c * n + r] - h * t->c[i] * d->K[c * n + r];
    }
  }
}

// step matrix from the stages' accelerations, each a linear function of (x, v)
static void fill_step(dense *d, double h) {
  int n = d->n, rows = STAGES * n;
  memset(d->S, 0, 4 * (size_t)n * (size_t)n * sizeof(double));
  for (int c = 0; c < 2 * n; c++) {
    double *x = d->S + (size_t)c * 2 * (size_t)n, *v = x + n;
    for (int j = 0; j < STAGES; j++) {
      const double *w = d->W + (size_t)c * (size_t)rows + j * n;
      for (int r = 0; r < n; r++) {
        x[r] += h * h * d->c.ba[j] * w[r];
        v[r] += h * d->c.b[j] * w[r];
      }
    }
    d->S[(size_t)c * 2 * (size_t)n + (size_t)c] += 1;
    if (c >= n) x[c - n] += h;
  }
}

// 1 when values at N equidistant phases tell those at the probes
static int interpolates(const dense *d, int N, const double *W, const double *from,
                        const double *probes, double *at) {
  int npair = d->t.P.nnz;
  double off = 0, size = pl_max_abs(npair, probes);
  dense_mul(npair, PROBES, N, 1, from, W, 0, at);
  for (int i = 0; i < PROBES * npair; i++) off = fmax(off, fabs(at[i] - probes[i]));
  return off <= 1e-12 * size;
}

// K and D at all stages from values at N phases, as far as these tell those at the probes
static pl_status interpolate(dense *d, int N, const double *k, const double *c, int *good) {
  pl_env *env = d->v->env;
  size_t npair = (size_t)d->t.P.nnz, one = (size_t)d->nstep * npair, all = (size_t)N * npair;
  size_t most = (size_t)(d->nstep > PROBES ? d->nstep : PROBES);
  double *from = pl_alloc(env, 2 * all + PROBES * npair + (size_t)N * most, sizeof(double));
  if (!from) return PL_E_NOMEM;
  double *at = from + 2 * all, *W = at + PROBES * npair;
  pl_status s = tangents_at(&d->t, N, 0, from, from + all);
  tangents_weights(N, PROBES, PROBE, W);
  *good = s == PL_OK && interpolates(d, N, W, from, k, at) &&
          (!d->t.rated || interpolates(d, N, W, from + all, c, at));
  for (size_t i = 0; *good && i < STAGES; i++) {
    tangents_weights(N, d->nstep, 2 * PL_PI / d->nstep * d->c.c[i], W);
    dense_mul(d->t.P.nnz, d->nstep, N, 1, from, W, 0, d->k + i * one);
    if (d->t.rated) dense_mul(d->t.P.nnz, d->nstep, N, 1, from + all, W, 0, d->d + i * one);
  }
  pl_free(env, from);
  return s;
}

// K and D at all stages of all steps
static pl_status sample_stages(dense *d, const double *k, const double *c) {
  size_t one = (size_t)d->nstep * (size_t)d->t.P.nnz;
  int good = 0, N = tangents_enough(&d->t, 8);
  d->k = pl_alloc(d->v->env, STAGES * one, sizeof(double));
  d->d = pl_alloc(d->v->env, STAGES * one, sizeof(double));
  if (!d->k || !d->d) return PL_E_NOMEM;
  if (N < 2 * d->nstep) PL_TRY(interpolate(d, tangents_enough(&d->t, 4), k, c, &good));
  if (!good && N < 2 * d->nstep) PL_TRY(interpolate(d, N, k, c, &good));
  for (size_t i = 0; !good && i < STAGES; i++) {
    double first = 2 * PL_PI / d->nstep * d->c.c[i];
    PL_TRY(tangents_at(&d->t, d->nstep, first, d->k + i * one, d->d + i * one));
  }
  return PL_OK;
}

// equations of the stages of step k, in G and W
static void fill_stages(dense *d, int k, double h) {
  for (int i = 0; i < STAGES; i++) {
    size_t at = ((size_t)i * (size_t)d->nstep + (size_t)k) * (size_t)d->t.P.nnz;
    fill_tangents(d, d->k + at, d->d + at);
    fill_stage(d, i, h);
  }
}

static pl_status integrate(dense *d) {
  int n = d->n, two = 2 * n;
  size_t size = (size_t)two * (size_t)two;
  double h = 2 * PL_PI / d->nstep;
  for (int i = 0; i < two; i++) d->F[i * two + i] = 1;
  for (int k = 0; k < d->nstep; k++) {
    fill_stages(d, k, h);
    PL_TRY(dense_solve(d->v->env, STAGES * n, d->G, two, d->W));
    fill_step(d, h);
    if (d->kept) memcpy(d->kept + (size_t)k * size, d->S, size * sizeof(double));
    dense_mul(two, two, two, 1, d->S, d->F, 0, d->T);
    double *swap = d->F;
    d->F = d->T;
    d->T = swap;
    if (k % 256 == 255)
      PL_TRY(pl_report_progress(d->v->env, "stability", (double)k / d->nstep, NULL));
  }
  return PL_OK;
}

static pl_status along_motion(dense *d, const double *k, const double *c, multipliers *mu) {
  int n = 2 * d->n;
  PL_TRY(plan(d, k, c));
  PL_TRY(sample_stages(d, k, c));
  PL_TRY(integrate(d));
  int finite = pl_all_finite(n * n, d->F);
  PL_TRY(multipliers_create(d->v->env, finite ? n : 0, mu));
  mu->exact = d->resolved;
  mu->overflow = !finite;
  return finite ? dense_eigen(d->v->env, n, d->F, mu->re, mu->im, NULL) : PL_OK;
}

pl_status dense_multipliers(variation *v, multipliers *mu) {
  dense d;
  int constant = 0;
  pl_status s = dense_open(&d, v);
  size_t all = PROBES * (size_t)d.t.P.nnz;
  double *k = s == PL_OK ? pl_alloc(v->env, 2 * all, sizeof(double)) : NULL, *c = k ? k + all : k;
  if (s == PL_OK && !k) s = PL_E_NOMEM;
  if (s == PL_OK) s = bordering(&d, k, c, &constant);
  pl_status done = PL_UNSOLVED;
  if (s == PL_OK && constant) done = constant_multipliers(v, d.M, d.K, d.D, mu);
  if (s == PL_OK) s = done == PL_UNSOLVED ? along_motion(&d, k, c, mu) : done;
  pl_free(v->env, k);
  dense_close(&d);
  return s;
}

// ---- change of the largest multiplier -----------------------------------------------------------

// With right and left eigenvectors of the period map, dmu = sum over steps of what a change of the
// stages' balance M W + D V + K X does: -a.(dM W + dD V + dK X), a the adjoint of the stages. X, V,
// W and a of the present motion stay; all that changes are matrices.
struct pl_growth {
  pl_env *env;
  int nstep, npair;
  double c[STAGES];
  double *k, *d;    // [STAGES][nstep][npair] weights of K and D
  double *mass;     // [2][npair] of M, and of alpha M
  double *y, *bend; // [nstep + 1][2][2n] mode, [2][2n] its adjoint
  int ncol;         // 2: a pair
  double size;      // of the multiplier
};

double pl_growth_size(const pl_growth *g) {
  return g->size;
}

void pl_growth_free(pl_growth *g) {
  if (!g) return;
  void *all[] = {g->k, g->d, g->mass, g->y, g->bend};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(g->env, all[i]);
  pl_free(g->env, g);
}

// the largest multiplier's eigenvectors from F (destroyed): d|mu| = sum of bend_i . dF y_i
static pl_status eigenvectors(dense *d, pl_growth *g) {
  int two = 2 * d->n, at = 0;
  double *V = d->T, *re = d->W, *im = d->W + two;
  PL_TRY(dense_eigen(d->v->env, two, d->F, re, im, V));
  for (int i = 1; i < two; i++)
    if (hypot(re[i], im[i]) > hypot(re[at], im[at])) at = i;
  double a = re[at], b = im[at], size = hypot(a, b);
  g->size = size;
  g->ncol = b != 0 ? 2 : 1;
  memcpy(g->y, V + (size_t)at * (size_t)two, (size_t)(g->ncol * two) * sizeof(double));
  // rows of V^-1, dual to the columns
  double *dual = d->S;
  memset(dual, 0, 2 * (size_t)two * sizeof(double));
  for (int i = 0; i < g->ncol; i++) dual[i * two + at + i] = 1;
  for (int i = 0; i < two; i++)
    for (int j = 0; j < two; j++) d->F[i * two + j] = V[j * two + i];
  PL_TRY(dense_solve(d->v->env, two, d->F, g->ncol, dual));
  const double *u = dual, *w = dual + two;
  for (int i = 0; i < two; i++) {
    g->bend[i] = g->ncol == 2 ? (a * u[i] - b * w[i]) / (2 * size) : copysign(1, a) * u[i];
    g->bend[two + i] = g->ncol == 2 ? (a * w[i] + b * u[i]) / (2 * size) : 0;
  }
  return PL_OK;
}

// weight[pair] += f a_row x_col, both halves of a symmetric pair
static void weigh(const dense *d, double f, const double *a, const double *x, double *weight) {
  const pl_csc *P = &d->t.P;
  for (pl_entry e = {.k = -1}; pl_csc_next(P, &e);) {
    weight[e.k] += f * a[e.i] * x[e.j];
    if (d->t.symmetric && e.i != e.j) weight[e.k] += f * a[e.j] * x[e.i];
  }
}

// one step of one column: W and a are the stages' accelerations and their adjoint
static void weigh_step(dense *d, pl_growth *g, int k, const double *y, const double *W,
                       const double *a, double *X) {
  int n = d->n;
  double h = 2 * PL_PI / d->nstep, *V = X + n;
  for (int i = 0; i < STAGES; i++) {
    size_t at = ((size_t)i * (size_t)d->nstep + (size_t)k) * (size_t)g->npair;
    for (int r = 0; r < n; r++) {
      X[r] = y[r] + h * d->c.c[i] * y[n + r];
      V[r] = y[n + r];
      for (int j = 0; j < STAGES; j++) {
        X[r] += h * h * d->c.aa[i][j] * W[j * n + r];
        V[r] += h * d->c.a[i][j] * W[j * n + r];
      }
    }
    weigh(d, -1, a + i * n, X, g->k + at);
    weigh(d, -1, a + i * n, V, g->d + at);
    weigh(d, -1, a + i * n, W + i * n, g->mass);
    weigh(d, -1, a + i * n, V, g->mass + g->npair);
  }
}

// step k backwards: bend is that of its end, and becomes that of its beginning
static pl_status step_back(dense *d, pl_growth *g, int k, double *scratch) {
  int n = d->n, two = 2 * n, rows = STAGES * n;
  size_t size = (size_t)rows * (size_t)rows;
  double h = 2 * PL_PI / d->nstep, *GT = scratch, *W = GT + size, *a = W + 2 * rows,
         *X = a + 2 * rows;
  const double *y = g->y + (size_t)k * 2 * (size_t)two;
  fill_stages(d, k, h);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++) GT[i * rows + j] = d->G[j * rows + i];
  dense_mul(rows, g->ncol, two, 1, d->W, y, 0, W);
  PL_TRY(dense_solve(d->v->env, rows, d->G, g->ncol, W));
  for (int c = 0; c < g->ncol; c++)
    for (int j = 0; j < STAGES; j++)
      for (int r = 0; r < n; r++)
        a[c * rows + j * n + r] =
            h * h * d->c.ba[j] * g->bend[c * two + r] + h * d->c.b[j] * g->bend[c * two + n + r];
  PL_TRY(dense_solve(d->v->env, rows, GT, g->ncol, a));
  const double *S = d->kept + (size_t)k * (size_t)two * (size_t)two;
  for (int c = 0; c < g->ncol; c++) {
    double *bend = g->bend + c * two, *next = X;
    weigh_step(d, g, k, y + c * two, W + c * rows, a + c * rows, X);
    for (int i = 0; i < two; i++) next[i] = pl_dot(two, S + (size_t)i * (size_t)two, bend);
    memcpy(bend, next, (size_t)two * sizeof(double));
  }
  return PL_OK;
}

static pl_status growth_weights(dense *d, pl_growth *g) {
  int two = 2 * d->n, rows = STAGES * d->n;
  size_t all = (size_t)STAGES * (size_t)d->nstep * (size_t)d->t.P.nnz;
  g->nstep = d->nstep;
  g->npair = d->t.P.nnz;
  memcpy(g->c, d->c.c, sizeof g->c);
  g->k = pl_alloc(g->env, all, sizeof(double));
  g->d = pl_alloc(g->env, all, sizeof(double));
  g->mass = pl_alloc(g->env, 2 * (size_t)g->npair, sizeof(double));
  g->y = pl_alloc(g->env, (size_t)(g->nstep + 1) * 2 * (size_t)two, sizeof(double));
  g->bend = pl_alloc(g->env, 2 * (size_t)two, sizeof(double));
  d->kept = pl_alloc(g->env, (size_t)d->nstep * (size_t)two * (size_t)two, sizeof(double));
  double *scratch = pl_alloc(g->env, (size_t)(rows * rows + 4 * rows + two), sizeof(double));
  pl_status s =
      g->k && g->d && g->mass && g->y && g->bend && d->kept && scratch ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK) s = integrate(d);
  if (s == PL_OK && !pl_all_finite(two * two, d->F)) s = PL_UNSOLVED;
  if (s == PL_OK) s = eigenvectors(d, g);
  for (int k = 0; s == PL_OK && k < d->nstep; k++) {
    double *y = g->y + (size_t)k * 2 * (size_t)two;
    dense_mul(two, g->ncol, two, 1, d->kept + (size_t)k * (size_t)two * (size_t)two, y, 0,
              y + 2 * two);
  }
  for (int k = d->nstep - 1; s == PL_OK && k >= 0; k--) s = step_back(d, g, k, scratch);
  pl_free(g->env, scratch);
  return s;
}

pl_status pl_growth_create(const pl_model *m, const pl_params *p, pl_work *w, const pl_orbit *o,
                           pl_growth **out) {
  *out = NULL;
  if (o->nfree > DENSE_MAX || o->nfree == 0 || pairs_present(m)) return PL_UNSOLVED;
  variation v;
  dense d = {0};
  double *k = NULL;
  pl_growth *g = pl_alloc(w->env, 1, sizeof *g);
  if (!g) return PL_E_NOMEM;
  g->env = w->env;
  pl_blas_alone();
  pl_status s = variation_open(m, p, w, o, &v);
  d.v = &v;
  if (s == PL_OK) s = dense_open(&d, &v);
  size_t all = PROBES * (size_t)d.t.P.nnz;
  int constant;
  if (s == PL_OK) k = pl_alloc(w->env, 2 * all, sizeof(double));
  if (s == PL_OK && !k) s = PL_E_NOMEM;
  if (s == PL_OK) s = bordering(&d, k, k + all, &constant);
  if (s == PL_OK) s = plan(&d, k, k + all);
  if (s == PL_OK) s = sample_stages(&d, k, k + all);
  if (s == PL_OK) s = growth_weights(&d, g);
  pl_free(w->env, k);
  if (d.n > 0) dense_close(&d);
  variation_close(&v);
  if (s == PL_OK)
    *out = g;
  else
    pl_growth_free(g);
  return s == PL_SINGULAR ? PL_UNSOLVED : s;
}

static pl_status growth_sum(const pl_growth *g, tangents *t, double *value) {
  size_t one = (size_t)g->nstep * (size_t)g->npair, npair = (size_t)g->npair;
  double *K = pl_alloc(g->env, 2 * one + npair, sizeof(double)), *D = K + one, *M = D + one;
  if (!K) return PL_E_NOMEM;
  double alpha = t->v->p->par[PL_PAR_ALPHA] / t->v->omega;
  pl_status s = PL_OK;
  *value = 0;
  for (size_t i = 0; s == PL_OK && i < STAGES; i++) {
    s = tangents_at(t, g->nstep, 2 * PL_PI / g->nstep * g->c[i], K, D);
    *value += pl_dot((int)one, g->k + i * one, K);
    if (t->rated) *value += pl_dot((int)one, g->d + i * one, D);
  }
  tangents_mass(t, M);
  *value += pl_dot(g->npair, g->mass, M) + alpha * pl_dot(g->npair, g->mass + npair, M);
  pl_free(g->env, K);
  return s;
}

pl_status pl_growth_at(const pl_growth *g, const pl_model *m, const pl_params *p, pl_work *w,
                       const pl_orbit *o, double *value) {
  variation v;
  tangents t = {.env = w->env};
  pl_status s = variation_open(m, p, w, o, &v);
  if (s == PL_OK) s = tangents_open(&v, &t);
  if (s == PL_OK) s = growth_sum(g, &t, value);
  tangents_close(&t);
  variation_close(&v);
  return s;
}
