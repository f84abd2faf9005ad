// Triangle after triangle within its limits, until all are (Thomaszewski, Pabst and Strasser 2009).
#include "rivals.h"

#include <math.h>
#include <string.h>

static const double EMIT = 0.05; // s between calls of progress

typedef struct sweeper {
  pl_sheet *s;
  double
      *corner; // [nround][3][2] corners at rest in the axes of the ellipse, from the centre of mass
  double bound; // sigma beyond which a triangle is moved
  double *x;
} sweeper;

// corners from the gradients, g_i . e_j = delta_ij
static void make_corners(sweeper *w) {
  const pl_sheet *s = w->s;
  for (int k = 0; k < s->nround; k++) {
    const double *g = s->round + 6 * k;
    const int *v = s->tri + 3 * s->round_tri[k];
    double det = g[2] * g[5] - g[3] * g[4], *r = w->corner + 6 * k, mass = 0, centre[2] = {0};
    r[0] = r[1] = 0;
    r[2] = g[5] / det, r[3] = -g[4] / det;
    r[4] = -g[3] / det, r[5] = g[2] / det;
    for (int a = 0; a < 3; a++) {
      mass += s->weight[v[a]];
      for (int c = 0; c < 2; c++) centre[c] += s->weight[v[a]] * r[2 * a + c];
    }
    for (int a = 0; a < 3; a++)
      for (int c = 0; c < 2; c++) r[2 * a + c] -= centre[c] / mass;
  }
}

// F (c1 q q' + c2 (I - q q')) - F: singular values above one become one; 0: none is beyond
static int clip(const double F[6], double bound, double D[6]) {
  double a = pl_dot3(F, F), b = pl_dot3(F + 3, F + 3), c = pl_dot3(F, F + 3);
  double mean = (a + b) / 2, half = (a - b) / 2, radius = sqrt(half * half + c * c);
  double first = mean + radius, second = mean - radius;
  if (first <= bound * bound) return 0;
  double c1 = 1 / sqrt(first) - 1, c2 = second > 1 ? 1 / sqrt(second) - 1 : 0;
  // q q' = (I + [half, c; c, -half] / radius) / 2
  double u = radius > 0 ? half / radius : 1, v = radius > 0 ? c / radius : 0;
  double p = (c1 + c2) / 2, q = (c1 - c2) / 2;
  double S[3] = {p + q * u, p - q * u, q * v};
  for (int i = 0; i < 3; i++) {
    D[i] = F[i] * S[0] + F[3 + i] * S[2];
    D[3 + i] = F[i] * S[2] + F[3 + i] * S[1];
  }
  return 1;
}

// Component c of the corners changes so that F changes by d[2] in its row: about the centre of mass
// when all are free, about a fixed corner, or as well as one free corner can.
static void move(const sweeper *w, int k, int c, const double d[2]) {
  const pl_sheet *s = w->s;
  const int *v = s->tri + 3 * s->round_tri[k];
  const double *r = w->corner + 6 * k, *g = s->round + 6 * k;
  int nfree = 0, free = 0, given = 0;
  for (int a = 0; a < 3; a++) {
    if (s->fixed[v[a]] >> c & 1)
      given = a;
    else
      nfree++, free = a;
  }
  if (nfree == 1) {
    const double *h = g + 2 * free;
    w->x[3 * v[free] + c] += (d[0] * h[0] + d[1] * h[1]) / (h[0] * h[0] + h[1] * h[1]);
  }
  if (nfree < 2) return;
  double ox = nfree == 2 ? r[2 * given] : 0, oy = nfree == 2 ? r[2 * given + 1] : 0;
  for (int a = 0; a < 3; a++)
    if (nfree == 3 || a != given)
      w->x[3 * v[a] + c] += d[0] * (r[2 * a] - ox) + d[1] * (r[2 * a + 1] - oy);
}

static int clip_round(const sweeper *w, int k) {
  double F[6], D[6];
  sheet_gradient(w->s, w->s->round_tri[k], w->s->round + 6 * k, w->x, F);
  if (!clip(F, w->bound, D)) return 0;
  for (int c = 0; c < 3; c++) move(w, k, c, (double[2]){D[c], D[3 + c]});
  return 1;
}

// one direction: the least change in the weights that shortens y = sum x_k h_k to one
static int clip_flat(const sweeper *w, int k) {
  const pl_sheet *s = w->s;
  const int *v = s->tri + 3 * s->flat_tri[k];
  const double *h = s->flat + 3 * k;
  double y[3];
  for (int c = 0; c < 3; c++)
    y[c] = w->x[3 * v[0] + c] * h[0] + w->x[3 * v[1] + c] * h[1] + w->x[3 * v[2] + c] * h[2];
  double square = pl_dot3(y, y);
  if (square <= w->bound * w->bound) return 0;
  double back = 1 / sqrt(square) - 1;
  for (int c = 0; c < 3; c++) {
    double sum = 0;
    for (int a = 0; a < 3; a++)
      if (!(s->fixed[v[a]] >> c & 1)) sum += h[a] * h[a] / s->weight[v[a]];
    for (int a = 0; a < 3; a++)
      if (sum > 0 && !(s->fixed[v[a]] >> c & 1))
        w->x[3 * v[a] + c] += back * y[c] * h[a] / (s->weight[v[a]] * sum);
  }
  return 1;
}

static pl_status sweeps(const sweeper *w, int max_sweeps, rival_info *info) {
  const pl_sheet *s = w->s;
  double last = pl_wall_time();
  for (; info->iterations < max_sweeps && !info->converged; info->iterations++) {
    int displaced = 0;
    for (int k = 0; k < s->nround; k++) displaced += clip_round(w, k);
    for (int k = 0; k < s->nflat; k++) displaced += clip_flat(w, k);
    info->converged = displaced == 0;
    if (!s->env->progress || pl_wall_time() - last < EMIT) continue;
    last = pl_wall_time();
    PL_TRY(pl_report_progress(s->env, "gauss-seidel", -1, NULL));
  }
  return info->converged ? PL_OK : PL_UNSOLVED;
}

pl_status project_gauss_seidel(pl_sheet *s, const double *xhat, double tol, int max_sweeps,
                               double *x, rival_info *info) {
  double start = pl_wall_time();
  size_t size = 3 * (size_t)s->nvert;
  *info = (rival_info){0};
  if (!pl_all_finite((int)size, xhat))
    return pl_fail(s->env, PL_E_INPUT,
                   "gauss-seidel: the state has a coordinate that is no number");
  if (x != xhat) memcpy(x, xhat, size * sizeof *x);
  sweeper w = {.s = s, .bound = 1 + tol, .x = x};
  w.corner = pl_alloc(s->env, 6 * (size_t)s->nround, sizeof *w.corner);
  if (!w.corner) return PL_E_NOMEM;
  make_corners(&w);
  pl_status status = sweeps(&w, max_sweeps, info);
  pl_free(s->env, w.corner);
  for (int i = 0; i < s->nvert; i++) {
    double d[3];
    pl_sub3(x + 3 * i, xhat + 3 * i, d);
    info->objective += s->weight[i] * pl_dot3(d, d) / 2;
  }
  info->violation = pl_sheet_violation(s, x, NULL);
  info->seconds = pl_wall_time() - start;
  return status;
}
