#include "taut_impl.h"

#include <float.h>
#include <string.h>

// Is a state a limit to first order? The linear program of a motion y, in lengths: the most of
// goal.y while gaps stay, gap + grad.y >= 0, and nothing moves by more than `far`. Any forces f >=
// 0 bound it by sum f gap + far |goal + sum f grad|_1; an interior method finds the best ones,
// which are those that balance.

enum { ROUNDS = 40 };

typedef struct program {
  int n, m;        // unknowns; gaps
  double far;      // over the unit of lengths, as all is here
  double *A, *b;   // [m][n] gradients, [m] gaps
  double *goal;    // [n]
  double *f;       // [m + 2 n] forces of gaps, then of both ends of each unknown
  double *s;       // [m + 2 n] what is left of gaps and to these ends
  double *y, *dy;  // [n]
  double *df, *ds; // [m + 2 n]
  double *r;       // [m + 2 n] gap + grad.y - s, ends likewise
  double *N;       // [n][n]
  double *best;    // [m] forces of the smallest bound
  double bound;
} program;

static pl_status program_open(pl_env *env, int n, int m, program *p) {
  size_t k = (size_t)n, l = (size_t)m, all = l + 2 * k;
  *p = (program){.n = n, .m = m, .bound = DBL_MAX};
  p->A = pl_alloc(env, l * k + k * k + 3 * k + 2 * l + 5 * all, sizeof *p->A);
  if (!p->A) return PL_E_NOMEM;
  p->N = p->A + l * k;
  p->goal = p->N + k * k;
  p->y = p->goal + k;
  p->dy = p->y + k;
  p->b = p->dy + k;
  p->best = p->b + l;
  p->f = p->best + l;
  p->s = p->f + all;
  p->df = p->s + all;
  p->ds = p->df + all;
  p->r = p->ds + all;
  return PL_OK;
}

// (A, I, -I) x
static void apply_rows(const program *p, const double *x, double *out) {
  for (int k = 0; k < p->m; k++) out[k] = pl_dot(p->n, p->A + k * p->n, x);
  for (int i = 0; i < p->n; i++) {
    out[p->m + 2 * i] = x[i];
    out[p->m + 2 * i + 1] = -x[i];
  }
}

// what forces f of gaps prove
static void update_bound(program *p) {
  double sum = 0;
  memcpy(p->dy, p->goal, (size_t)p->n * sizeof *p->dy);
  for (int k = 0; k < p->m; k++) {
    sum += p->f[k] * p->b[k];
    for (int i = 0; i < p->n; i++) p->dy[i] += p->f[k] * p->A[k * p->n + i];
  }
  for (int i = 0; i < p->n; i++) sum += p->far * fabs(p->dy[i]);
  if (sum >= p->bound) return;
  p->bound = sum;
  memcpy(p->best, p->f, (size_t)p->m * sizeof *p->best);
}

// Newton's step to f s = mu: A' (f / s) A dy = goal + A' ((mu - f r) / s)
static int solve_step(program *p, double mu) {
  int n = p->n;
  memset(p->N, 0, (size_t)(n * n) * sizeof *p->N);
  memcpy(p->dy, p->goal, (size_t)n * sizeof *p->dy);
  for (int k = 0; k < p->m; k++) {
    const double *a = p->A + k * n;
    double w = p->f[k] / p->s[k], push = (mu - p->f[k] * p->r[k]) / p->s[k];
    for (int i = 0; i < n; i++) {
      if (a[i] == 0) continue;
      p->dy[i] += push * a[i];
      for (int j = 0; j <= i; j++) p->N[i * n + j] += w * a[i] * a[j];
    }
  }
  for (int k = 0; k < 2 * n; k++) {
    double s = p->s[p->m + k], f = p->f[p->m + k];
    p->N[k / 2 * n + k / 2] += f / s;
    p->dy[k / 2] += (k % 2 ? -1 : 1) * (mu - f * p->r[p->m + k]) / s;
  }
  if (!(pl_cholesky(n, p->N) > 0)) return 0;
  pl_cholesky_solve(n, p->N, p->dy);
  apply_rows(p, p->dy, p->ds);
  for (int k = 0; k < p->m + 2 * n; k++) {
    p->ds[k] += p->r[k];
    p->df[k] = (mu - p->f[k] * p->ds[k]) / p->s[k] - p->f[k];
  }
  return 1;
}

// as far as all stays positive
static double longest(int n, const double *x, const double *dx) {
  double by = 1;
  for (int i = 0; i < n; i++)
    if (dx[i] < 0) by = fmin(by, -0.99 * x[i] / dx[i]);
  return by;
}

static void update_residual(program *p) {
  apply_rows(p, p->y, p->r);
  for (int k = 0; k < p->m + 2 * p->n; k++) p->r[k] += (k < p->m ? p->b[k] : p->far) - p->s[k];
}

static void follow(program *p) {
  int all = p->m + 2 * p->n;
  for (int round = 0; round < ROUNDS; round++) {
    update_bound(p);
    update_residual(p);
    double left = pl_dot(all, p->f, p->s);
    if (left < 1e-2 * p->bound && pl_max_abs(all, p->r) < 1e-6) return;
    if (!solve_step(p, 0.1 * left / all)) return;
    double go = longest(all, p->s, p->ds), push = longest(all, p->f, p->df);
    for (int i = 0; i < p->n; i++) p->y[i] += go * p->dy[i];
    for (int k = 0; k < all; k++) {
      p->s[k] += go * p->ds[k];
      p->f[k] += push * p->df[k];
    }
  }
}

static void fill_row(const taut *t, const contact *c, double *row) {
  int to[STENCIL];
  double g[STENCIL];
  gap_slopes(t, &t->now, c, to, g, NULL);
  for (int i = 0; i < 12 + t->nfree; i++)
    if (to[i] >= 0) row[to[i]] += g[i];
  for (int k = 0; k < t->ntie; k++) {
    double by = row[t->tie[k].pivot];
    for (int i = 0; i < t->nz; i++) row[i] += by * t->tie[k].row[i];
    row[t->tie[k].pivot] = 0;
  }
  for (int i = 0; i < t->nz; i++) row[i] /= t->scale[i];
}

static void fill(const taut *t, const double *force, double unit, program *p) {
  for (int k = 0; k < p->m; k++) {
    fill_row(t, &t->contact[k], p->A + k * p->n);
    p->b[k] = t->contact[k].at.gap / unit;
    p->f[k] = force[k] * unit;
  }
  for (int i = p->n - t->nfree; i < p->n; i++)
    p->goal[i] = t->goal[i - p->n + t->nfree] / t->scale[i] * unit;
  p->far = 1;
  update_bound(p);
  // the program begins inside, whatever gaps there are
  for (int k = 0; k < p->m + 2 * p->n; k++) {
    p->s[k] = 0.1;
    p->f[k] = pl_max_abs(p->n, p->goal);
  }
}

pl_status certify(const taut *t, double *force, double *bound) {
  program p;
  double unit = t->c->thin;
  PL_TRY(program_open(t->c->env, t->nz, t->ncontact, &p));
  fill(t, force, unit, &p);
  follow(&p);
  *bound = p.bound;
  for (int k = 0; k < p.m; k++) force[k] = p.best[k] / unit;
  pl_free(t->c->env, p.A);
  return PL_OK;
}
