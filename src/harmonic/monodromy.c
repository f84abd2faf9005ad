// The linearised motion over one period: densely by collocation, or step by step with sparse
// factors for Arnoldi's method.
#include "floquet_impl.h"

#include <string.h>

// Frequency above which Rayleigh's damping alpha + beta w^2 ends vibrations within a period:
// nothing of them is left in the multipliers.
static double lasting(const variation *v) {
  const double lost = 7; // e^-7 of a vibration is nothing
  double alpha = v->p->par[PL_PAR_ALPHA] / v->omega, beta = v->p->par[PL_PAR_BETA] * v->omega;
  return beta > 0 ? sqrt(fmax(0, lost / PL_PI - alpha) / beta) : INFINITY;
}

double resolved_to(const variation *v, int least) {
  return fmin(lasting(v), fmax(least, 2 * v->o->nharm + 2));
}

// ---- dense --------------------------------------------------------------------------------------

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
  collocation c;
} dense;

static void dense_close(dense *d) {
  void *all[] = {d->M, d->K, d->D, d->G, d->W, d->S, d->F, d->T, d->mass, d->k, d->d};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(d->v->env, all[k]);
  tangents_close(&d->t);
}

// values on pairs as a full matrix
static void fill_dense(const dense *d, const double *val, double *A) {
  const pl_csc *P = &d->t.P;
  int n = d->n;
  memset(A, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int j = 0; j < n; j++)
    for (int k = P->ptr[j]; k < P->ptr[j + 1]; k++) {
      A[j * n + P->row[k]] = val[k];
      if (d->t.symmetric) A[P->row[k] * n + j] = val[k];
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
static pl_status probe(dense *d, double *k, double *c, int *constant) {
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
static int tells(const dense *d, int N, const double *W, const double *from, const double *probes,
                 double *at) {
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
  *good = s == PL_OK && tells(d, N, W, from, k, at) &&
          (!d->t.rated || tells(d, N, W, from + all, c, at));
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

static pl_status integrate(dense *d) {
  int n = d->n, two = 2 * n;
  size_t npair = (size_t)d->t.P.nnz;
  double h = 2 * PL_PI / d->nstep;
  for (int i = 0; i < two; i++) d->F[i * two + i] = 1;
  for (int k = 0; k < d->nstep; k++) {
    for (int i = 0; i < STAGES; i++) {
      size_t at = ((size_t)i * (size_t)d->nstep + (size_t)k) * npair;
      fill_tangents(d, d->k + at, d->d + at);
      fill_stage(d, i, h);
    }
    PL_TRY(dense_solve(d->v->env, STAGES * n, d->G, two, d->W));
    fill_step(d, h);
    dense_mul(two, two, two, 1, d->S, d->F, 0, d->T);
    double *swap = d->F;
    d->F = d->T;
    d->T = swap;
    if (k % 256 == 255) PL_TRY(pl_tell(d->v->env, "stability", (double)k / d->nstep, NULL));
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
  if (s == PL_OK) s = probe(&d, k, c, &constant);
  pl_status done = PL_UNSOLVED;
  if (s == PL_OK && constant) done = constant_multipliers(v, d.M, d.K, d.D, mu);
  if (s == PL_OK) s = done == PL_UNSOLVED ? along_motion(&d, k, c, mu) : done;
  pl_free(v->env, k);
  dense_close(&d);
  return s;
}

// ---- sparse -------------------------------------------------------------------------------------

#define RHO 0.7
enum { LEAST = 96, MOST = 384 }; // steps a period

scheme make_scheme(int nstep) {
  double am = (2 * RHO - 1) / (RHO + 1), af = RHO / (RHO + 1), both = 1 - am + af;
  scheme t = {.h = 2 * PL_PI / nstep, .m1 = 1 - am, .f1 = 1 - af};
  t.gamma = 0.5 - am + af;
  t.beta = 0.25 * both * both;
  t.c = t.f1 * t.beta * t.h * t.h;
  return t;
}

int period_steps(const variation *v, double w, int *resolved) {
  double steps = fmax(fmax(LEAST, 8 * v->o->nharm), 2 * PL_PI * fmin(w, resolved_to(v, 0)) / 0.3);
  *resolved = steps <= 2 * MOST;
  return (int)fmin(steps, MOST);
}

// one step
typedef struct step {
  pl_factor *factor; // NULL: not kept, made anew every time
  double *D;         // damping on the pattern
} step;

typedef struct period {
  variation *v;
  int n, nstep;
  int nthread;  // one: any other number would change the last bits
  int fixed;    // the caller gave the number of steps
  int resolved; // the lowest vibrations are
  scheme t;
  pl_factor_kind kind;
  pl_csc S;          // step matrix m1 M + f1 gamma h D + c K, full storage
  double *M, *K, *D; // [nnz] values on its pattern
  step *step;        // [nstep]
  pl_factor *spare;
  double *p, *w, *rhs; // [n]
} period;

static void period_close(period *d) {
  pl_env *env = d->v->env;
  for (int k = 0; d->step && k < d->nstep; k++) {
    pl_factor_free(d->step[k].factor);
    pl_free(env, d->step[k].D);
  }
  void *all[] = {d->step, d->M, d->K, d->D, d->p, d->w, d->rhs};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(env, all[k]);
  pl_factor_free(d->spare);
  pl_csc_free(env, &d->S);
}

static pl_status period_open(period *d, variation *v) {
  *d = (period){.v = v, .n = v->n, .kind = PL_CHOLESKY, .nthread = 1};
  for (int g = 0; g < pl_model_ngroup(v->m); g++)
    if (pl_model_group_kind(v->m, g)->damped) d->kind = PL_LU;
  PL_TRY(pl_csc_expand(v->env, &v->w->A, &d->S, NULL));
  size_t n = (size_t)d->n, nnz = (size_t)d->S.nnz;
  struct {
    double **p;
    size_t n;
  } all[] = {{&d->M, nnz}, {&d->K, nnz}, {&d->D, nnz}, {&d->p, n}, {&d->w, n}, {&d->rhs, n}};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    *all[k].p = pl_alloc(v->env, all[k].n, sizeof(double));
    if (!*all[k].p) return PL_E_NOMEM;
  }
  variation_mass(v, &d->S, d->M);
  return PL_OK;
}

pl_status low_vibrations(variation *v, double *w) {
  enum { MODES = 4 };
  pl_csc M = {0};
  pl_eigen_info info;
  double lambda[MODES] = {0};
  double *x = pl_alloc(v->env, MODES * (size_t)v->n, sizeof(double));
  *w = 0;
  if (!x) return PL_E_NOMEM;
  pl_orbit_state(v->m, v->p, v->o, 0, v->s);
  pl_clock c = {.omega = v->omega, .scale = 1};
  pl_coef stiffness = {.k = 1};
  pl_status s = pl_eval(v->m, v->p, v->s, &c, PL_WANT_TANGENT, &stiffness, v->w);
  if (s == PL_OK) s = pl_free_mass(v->m, v->p, &M);
  // one thread: any other number would change the last bits
  if (s == PL_OK) s = pl_eigen_lowest(v->env, &v->w->A, &M, MODES, 1, lambda, x, &info);
  pl_csc_free(v->env, &M);
  pl_free(v->env, x);
  if (s < 0 || s == PL_DOMAIN) return s;
  for (int i = 0; i < MODES; i++) *w = fmax(*w, sqrt(fmax(0, lambda[i])) / v->omega);
  return PL_OK;
}

static pl_status choose_steps(period *d) {
  double w;
  PL_TRY(low_vibrations(d->v, &w));
  d->nstep = period_steps(d->v, w, &d->resolved);
  return PL_OK;
}

// step matrix k into S, its damping into d->D
static pl_status assemble(period *d, int k) {
  const scheme *t = &d->t;
  PL_TRY(variation_at(d->v, t->h * (k + t->f1), &d->S, d->K, d->D));
  double cd = t->f1 * t->gamma * t->h;
  for (int i = 0; i < d->S.nnz; i++) d->S.val[i] = t->m1 * d->M[i] + cd * d->D[i] + t->c * d->K[i];
  return PL_OK;
}

// factorises S; where Cholesky's method finds it indefinite, LU takes over for good
static pl_status factorise(period *d, pl_factor **f) {
  pl_status s = PL_OK;
  if (!*f) s = pl_factor_create(d->v->env, d->kind, &d->S, 1, d->nthread, f);
  if (s == PL_OK) s = pl_factor_numeric(*f, &d->S);
  if (s != PL_SINGULAR || d->kind == PL_LU) return s;
  d->kind = PL_LU;
  pl_factor_free(*f);
  *f = NULL;
  PL_TRY(pl_factor_create(d->v->env, d->kind, &d->S, 1, d->nthread, f));
  return pl_factor_numeric(*f, &d->S);
}

// factor and damping of one step, kept; *bytes: what that takes, about
static pl_status keep_step(period *d, int k, double *bytes) {
  step *s = &d->step[k];
  size_t nnz = (size_t)d->S.nnz;
  PL_TRY(assemble(d, k));
  PL_TRY(factorise(d, &s->factor));
  s->D = pl_alloc(d->v->env, nnz, sizeof(double));
  if (!s->D) return PL_E_NOMEM;
  memcpy(s->D, d->D, nnz * sizeof(double));
  *bytes = 12 * pl_factor_stats(s->factor).nnz + 48.0 * (double)nnz;
  return pl_tell(d->v->env, "stability", 0, NULL);
}

// factors of the whole period, as many as fit into room bytes
static pl_status prepare(period *d, double room) {
  double bytes = 0;
  d->t = make_scheme(d->nstep);
  d->step = pl_alloc(d->v->env, (size_t)d->nstep, sizeof *d->step);
  if (!d->step) return PL_E_NOMEM;
  if (room <= 0) return PL_OK;
  PL_TRY(keep_step(d, 0, &bytes));
  // wide steps are better than factors made anew for every vector
  int fit = (int)fmin(room / bytes, d->nstep), fewer = fit > LEAST ? fit : LEAST;
  if (!d->fixed && fewer < d->nstep) {
    d->resolved &= 2 * fewer >= d->nstep;
    d->nstep = fewer;
    d->t = make_scheme(fewer);
    pl_free(d->v->env, d->step[0].D);
    d->step[0].D = NULL;
    PL_TRY(keep_step(d, 0, &bytes));
  }
  for (int k = 1; k < d->nstep && k < fit; k++) PL_TRY(keep_step(d, k, &bytes));
  return PL_OK;
}

// One step of x, v, a [n]. With p and w the known shares of X and V,
//   S X = M (m1 p - (1 - m1) c a) - c D w,  a+ = (X - p) / c.
static pl_status advance(period *d, int k, double *x, double *v, double *a) {
  const scheme *t = &d->t;
  double h = t->h;
  step *s = &d->step[k];
  pl_factor **f = s->factor ? &s->factor : &d->spare;
  pl_csc M = d->S, D = d->S;
  M.val = d->M;
  D.val = s->factor ? s->D : d->D;
  if (!s->factor) {
    PL_TRY(assemble(d, k));
    PL_TRY(factorise(d, f));
  }
  double back = t->gamma / (t->beta * h);
  for (int i = 0; i < d->n; i++) {
    d->p[i] = x[i] + t->f1 * h * (v[i] + h * (0.5 - t->beta) * a[i]);
    d->w[i] = t->m1 * d->p[i] - (1 - t->m1) * t->c * a[i];
  }
  pl_csc_mul(&M, 1, d->w, 0, d->rhs);
  for (int i = 0; i < d->n; i++)
    d->w[i] = v[i] + t->f1 * h * (1 - t->gamma) * a[i] - back * d->p[i];
  pl_csc_mul(&D, -t->c, d->w, 1, d->rhs);
  PL_TRY(pl_factor_solve(*f, 1, d->rhs, d->rhs));
  for (int i = 0; i < d->n; i++) {
    double next = (d->rhs[i] - d->p[i]) / t->c;
    x[i] += h * v[i] + h * h * ((0.5 - t->beta) * a[i] + t->beta * next);
    v[i] += h * ((1 - t->gamma) * a[i] + t->gamma * next);
    a[i] = next;
  }
  return PL_OK;
}

// y = (x, v, a) after one period
static pl_status apply_period(void *ctx, const double *x, double *y) {
  period *d = ctx;
  size_t n = (size_t)d->n;
  memcpy(y, x, 3 * n * sizeof(double));
  for (int k = 0; k < d->nstep; k++) {
    PL_TRY(advance(d, k, y, y + n, y + 2 * n));
    // growth without end: the caller sees infinity, the factors never do
    if (pl_max_abs(3 * d->n, y) < 1e250) continue;
    y[0] = INFINITY;
    break;
  }
  return PL_OK;
}

pl_status sparse_multipliers(variation *v, int nstep, double room, multipliers *mu) {
  enum { WANT = 6 };
  period d;
  pl_status s = period_open(&d, v);
  if (s == PL_OK && nstep == 0) s = choose_steps(&d);
  if (nstep > 0) {
    d.nstep = nstep;
    d.fixed = d.resolved = 1;
  }
  if (s == PL_OK) s = prepare(&d, room);
  if (s == PL_OK) s = arnoldi(v->env, 3 * v->n, 1, WANT, INFINITY, apply_period, &d, mu);
  if (s == PL_OK && !d.resolved) mu->exact = 0;
  mu->margin = 1e-4;
  period_close(&d);
  return s;
}
