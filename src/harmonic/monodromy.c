// The linearised motion over one period step by step, with sparse factors for Arnoldi's method.
#include "floquet_impl.h"

#include <string.h>

double lasting(const variation *v) {
  const double lost = 7; // e^-7 of a vibration is nothing
  double alpha = v->p->par[PL_PAR_ALPHA] / v->omega, beta = v->p->par[PL_PAR_BETA] * v->omega;
  return beta > 0 ? sqrt(fmax(0, lost / PL_PI - alpha) / beta) : INFINITY;
}

double resolved_to(const variation *v, int least) {
  return fmin(lasting(v), fmax(least, 2 * v->o->nharm + 2));
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
  if (s == PL_OK) s = pl_free_mass(v->env, v->m, v->p, &M);
  // one thread: any other number would change the last bits
  if (s == PL_OK)
    s = pl_eigen_lowest(v->env, &v->w->A, &M, MODES, pl_threads_size(v->w->threads), lambda, x,
                        &info);
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
  return pl_report_progress(d->v->env, "stability", 0, NULL);
}

// factors of the whole period, as many as fit into room bytes
static pl_status prepare(period *d, double memory_limit) {
  double bytes = 0;
  d->t = make_scheme(d->nstep);
  d->step = pl_alloc(d->v->env, (size_t)d->nstep, sizeof *d->step);
  if (!d->step) return PL_E_NOMEM;
  if (memory_limit <= 0) return PL_OK;
  PL_TRY(keep_step(d, 0, &bytes));
  // wide steps are better than factors made anew for every vector
  int fit = (int)fmin(memory_limit / bytes, d->nstep), fewer = fit > LEAST ? fit : LEAST;
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
static pl_status next_step(period *d, int k, double *x, double *v, double *a) {
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
    PL_TRY(next_step(d, k, y, y + n, y + 2 * n));
    // growth without end: the caller sees infinity, the factors never do
    if (pl_max_abs(3 * d->n, y) < 1e250) continue;
    y[0] = INFINITY;
    break;
  }
  return PL_OK;
}

pl_status sparse_multipliers(variation *v, int nstep, double memory_limit, multipliers *mu) {
  enum { WANT = 6 };
  period d;
  pl_status s = period_open(&d, v);
  if (s == PL_OK && nstep == 0) s = choose_steps(&d);
  if (nstep > 0) {
    d.nstep = nstep;
    d.fixed = d.resolved = 1;
  }
  if (s == PL_OK) s = prepare(&d, memory_limit);
  arnoldi_plan plan = {.block = 1, .want = WANT, .most = INFINITY, .part = 1e-4};
  if (s == PL_OK) s = arnoldi(v->env, 3 * v->n, &plan, apply_period, &d, mu);
  if (s == PL_OK && !d.resolved) mu->exact = 0;
  mu->margin = 1e-4;
  period_close(&d);
  return s;
}
