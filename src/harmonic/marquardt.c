// Steps of Levenberg and Marquardt within bounds, variables scaled by the columns of J.
#include "pliant/harmonic.h"
#include "pliant/math.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { REJECTS = 40 };

pl_status pl_marquardt_create(pl_env *env, int n, int nrow, pl_marquardt *m) {
  size_t v = (size_t)n, J = v * (size_t)nrow;
  *m = (pl_marquardt){.n = n, .nrow = nrow, .held = -1, .lambda = 1e-3};
  m->active = pl_alloc(env, v, sizeof *m->active);
  m->x = pl_alloc(env, 8 * v + 2 * v * v + J, sizeof *m->x);
  if (!m->x || !m->active) return PL_E_NOMEM;
  m->lo = m->x + v;
  m->hi = m->lo + v;
  m->to = m->hi + v;
  m->step = m->to + v;
  m->g = m->step + v;
  m->size = m->g + v;
  m->first = m->size + v;
  m->A = m->first + v;
  m->C = m->A + v * v;
  m->J = m->C + v * v;
  return PL_OK;
}

void pl_marquardt_free(pl_env *env, pl_marquardt *m) {
  pl_free(env, m->x);
  pl_free(env, m->active);
}

void pl_marquardt_normal(pl_marquardt *m, const double *r) {
  int n = m->n;
  size_t rows = (size_t)m->nrow;
  for (int i = 0; i < n; i++) {
    const double *Ji = m->J + (size_t)i * rows;
    m->g[i] = pl_dot(m->nrow, Ji, r);
    for (int j = 0; j <= i; j++)
      m->A[i * n + j] = m->A[j * n + i] = pl_dot(m->nrow, Ji, m->J + (size_t)j * rows);
    m->size[i] = sqrt(m->A[i * n + i]);
    m->active[i] = (m->x[i] <= m->lo[i] && m->g[i] > 0) || (m->x[i] >= m->hi[i] && m->g[i] < 0) ||
                   m->size[i] == 0 || i == m->held;
  }
}

double pl_marquardt_factor(pl_marquardt *m, double lambda) {
  int n = m->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int out = m->active[i] || m->active[j];
      m->C[i * n + j] = i == j ? 1 + lambda : out ? 0 : m->A[i * n + j] / (m->size[i] * m->size[j]);
    }
  return pl_cholesky(n, m->C);
}

// step'A step
static double curvature(const pl_marquardt *m) {
  int n = m->n;
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) sum += m->step[i] * m->A[i * n + j] * m->step[j];
  return sum;
}

// to = x + step within bounds; returns the predicted fall
static double make_step(pl_marquardt *m) {
  int n = m->n;
  double fall = 0, lambda = m->lambda;
  for (int k = 0; k < 40 && !(pl_marquardt_factor(m, lambda) > DBL_EPSILON); k++)
    lambda = fmax(10 * lambda, 1e-14);
  for (int i = 0; i < n; i++) m->step[i] = m->active[i] ? 0 : -m->g[i] / m->size[i];
  pl_cholesky_solve(n, m->C, m->step);
  for (int i = 0; i < n; i++) {
    double x = m->x[i], by = m->active[i] ? 0 : m->step[i] / m->size[i];
    if (m->halving && fabs(x) > 1e-6 * fabs(m->first[i]))
      by = fmin(fmax(by, -0.5 * fabs(x)), fabs(x));
    m->to[i] = fmin(fmax(x + by, m->lo[i]), m->hi[i]);
    m->step[i] = m->to[i] - x;
  }
  for (int i = 0; i < n; i++) {
    fall -= 2 * m->g[i] * m->step[i];
    for (int j = 0; j < n; j++) fall -= m->step[i] * m->A[i * n + j] * m->step[j];
  }
  return fall;
}

pl_status pl_marquardt_step(pl_marquardt *m, const pl_marquardt_calls *c, void *ctx, double enough,
                            int *done) {
  double grow = 2;
  for (int tries = 0; tries < REJECTS; tries++) {
    double fall = make_step(m), size = sqrt(fmax(curvature(m), 0)), cost = INFINITY;
    int last = size <= enough;
    PL_TRY(c->attempt(ctx, size, &cost));
    if (cost <= m->cost) {
      double ratio = fall > 0 ? (m->cost - cost) / fall : 1, t = 2 * ratio - 1;
      m->lambda *= fmax(0.1, 1 - t * t * t);
      m->cost = cost;
      memcpy(m->x, m->to, (size_t)m->n * sizeof *m->x);
      c->accept(ctx);
      *done = last;
      return PL_OK;
    }
    if (c->refuse) c->refuse(ctx);
    if (last) break;
    m->lambda *= grow;
    grow *= 2;
  }
  *done = 1;
  return PL_OK;
}
