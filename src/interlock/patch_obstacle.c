#include "facets.h"
#include "patch_impl.h"

#include <string.h>

// Swept pieces against obstacles: local minima of the obstacle's distance along the piece, and
// samples of it that stay where they are on the piece, which carry what lies flat.

static const double TWO_PI = 2 * PL_PI;
static const double FLAT = 1e-3; // smallest curvature over the largest of a minimum that counts
enum { SAMPLES = 48, POLISH = 20, LEVELS = 5, EVERY = 3 };

typedef struct approach_point {
  pl_swept s; // in the world
  double gap, n[3];
} approach_point;

static void at_part(const pl_piece *a, int part, const pl_pose *t, const pl_obstacle *o,
                    const double *u, approach_point *p) {
  pl_gap g;
  pl_swept own;
  piece_at(a, part, u, &own);
  p->s = own;
  for (int i = 0; i < 3; i++) {
    p->s.p[i] = t->x[i] + pl_dot3(t->Q + 3 * i, own.p);
    for (int k = 0; k < 2; k++) p->s.d[k][i] = pl_dot3(t->Q + 3 * i, own.d[k]);
    for (int k = 0; k < 3; k++) p->s.dd[k][i] = pl_dot3(t->Q + 3 * i, own.dd[k]);
  }
  pl_obstacle_gap(o, 3, 0, p->s.p, own.rho, &g);
  p->gap = g.gap;
  memcpy(p->n, g.frame[0], sizeof p->n);
}

static void at_point(const pl_piece *a, const pl_pose *t, const pl_obstacle *o, const double *u,
                     approach_point *p) {
  at_part(a, 0, t, o, u, p);
}

// curvature of the obstacle's distance, by differences of its normal
static void curvature(const pl_obstacle *o, const double *x, double size, double C[3][3]) {
  double h = 1e-5 * size;
  for (int k = 0; k < 3; k++) {
    pl_gap g[2];
    for (int side = 0; side < 2; side++) {
      double y[3] = {x[0], x[1], x[2]};
      y[k] += side ? h : -h;
      pl_obstacle_gap(o, 3, 0, y, 0, &g[side]);
    }
    for (int i = 0; i < 3; i++) C[i][k] = (g[1].frame[0][i] - g[0].frame[0][i]) / (2 * h);
  }
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < i; k++) C[i][k] = C[k][i] = (C[i][k] + C[k][i]) / 2;
}

static double bent(double C[3][3], const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += a[i] * pl_dot3(C[i], b);
  return sum;
}

static void by_parameters(const approach_point *p, double C[3][3], double g[2], double H[2][2]) {
  static const int second[2][2] = {{0, 1}, {1, 2}};
  for (int i = 0; i < 2; i++) {
    g[i] = pl_dot3(p->n, p->s.d[i]) - p->s.r[i];
    for (int k = 0; k < 2; k++)
      H[i][k] = bent(C, p->s.d[i], p->s.d[k]) + pl_dot3(p->n, p->s.dd[second[i][k]]) -
                p->s.rr[second[i][k]];
  }
}

// a step down in one or two parameters; the smaller curvature over the larger
static double down(int nu, const double g[2], double H[2][2], double step[2]) {
  step[1] = 0;
  double size = fabs(H[0][0]);
  if (nu == 1) {
    step[0] = -g[0] / fmax(size, 1e-12);
    return H[0][0] / fmax(size, 1e-300);
  }
  double A[4] = {H[0][0], H[0][1], H[1][0], H[1][1]}, lambda[2], V[4];
  pl_eig(2, A, lambda, V);
  double top = fmax(fabs(lambda[0]), fabs(lambda[1]));
  step[0] = 0;
  for (int e = 0; e < 2; e++) {
    double by = pl_dot(2, V + 2 * e, g) / fmax(fabs(lambda[e]), 1e-10 * top);
    for (int i = 0; i < 2; i++) step[i] -= by * V[2 * e + i];
  }
  return lambda[0] / fmax(top, 1e-300);
}

static double section_end(const pl_piece *p) {
  double a = fmin(p->radius, p->height), b = fmax(p->radius, p->height);
  return sqrt(b * b - a * a) / b;
}

// 1: a minimum that is not flat
static int polish(const pl_piece *a, const pl_pose *t, const pl_obstacle *o, double u[2],
                  approach_point *p) {
  int nu = pl_piece_nu(a);
  double end = nu == 2 ? section_end(a) : 0, speed = piece_speed(a);
  at_point(a, t, o, u, p);
  for (int round = 0; round < POLISH; round++) {
    double C[3][3], g[2], H[2][2], step[2];
    curvature(o, p->s.p, a->radius, C);
    by_parameters(p, C, g, H);
    double ratio = down(nu, g, H, step), cut = fmin(1, 0.3 / fmax(fabs(step[0]), fabs(step[1])));
    if (nu == 1) ratio = H[0][0] / speed;
    if (fmax(fabs(step[0]), fabs(step[1])) < 1e-9) return ratio > FLAT;
    double before = p->gap;
    for (int half = 0; half < 12; half++, cut /= 2) {
      double trial[2] = {u[0] + cut * step[0], fmax(-end, fmin(end, u[1] + cut * step[1]))};
      at_point(a, t, o, trial, p);
      if (p->gap > before + 1e-15 * speed && half < 11) continue;
      memcpy(u, trial, sizeof trial);
      break;
    }
  }
  return 0;
}

int obstacle_follow(const pl_piece *a, const pl_pose *at, const pl_obstacle *o,
                    pl_approach *approach) {
  approach_point p;
  if (approach->still)
    at_part(a, approach->on[0], at, o, approach->u, &p);
  else if (!polish(a, at, o, approach->u, &p))
    return 0;
  approach->gap = p.gap;
  return 1;
}

// the part of a section that is nearest to the obstacle
static double sample(const pl_piece *a, const pl_pose *at, const pl_obstacle *o, double u[2]) {
  double end = pl_piece_nu(a) == 2 ? section_end(a) : 0, least = HUGE_VAL, best = 0;
  for (int k = 0; k < (end > 0 ? LEVELS : 1); k++) {
    approach_point p;
    u[1] = end > 0 ? end * (2.0 * k / (LEVELS - 1) - 1) : 0;
    at_point(a, at, o, u, &p);
    if (p.gap >= least) continue;
    least = p.gap;
    best = u[1];
  }
  u[1] = best;
  return least;
}

// corners, and middles of edges and triangles, the nearest ones
static int facet_gaps(const pl_piece *a, const pl_pose *at, const pl_obstacle *o, double cut,
                      pl_approach approach[PL_APPROACH_MAX]) {
  const pl_facets *f = a->facets;
  int n = 0;
  for (int part = 0; part < f->nvert + f->nedge + f->nface; part++) {
    int nu = facets_nu(f, part);
    pl_approach t = {.on = {part}, .still = 1};
    approach_point p;
    for (int k = 0; k < nu; k++) t.u[k] = 1.0 / (nu + 1);
    at_part(a, part, at, o, t.u, &p);
    t.gap = p.gap;
    if (!(t.gap < cut) || (n == PL_APPROACH_MAX && !(t.gap < approach[n - 1].gap))) continue;
    int to = n < PL_APPROACH_MAX ? n++ : n - 1;
    for (; to > 0 && approach[to - 1].gap > t.gap; to--) approach[to] = approach[to - 1];
    approach[to] = t;
  }
  return n;
}

int obstacle_gaps(const pl_piece *a, const pl_pose *at, const pl_obstacle *o, double cut,
                  pl_approach approach[PL_APPROACH_MAX]) {
  double gap[SAMPLES], u[SAMPLES][2], beside = PL_PI / SAMPLES * piece_speed(a);
  int n = 0;
  if (a->kind == PL_PIECE_FACETS) return facet_gaps(a, at, o, cut, approach);
  for (int i = 0; i < SAMPLES; i++) {
    u[i][0] = TWO_PI * i / SAMPLES;
    gap[i] = sample(a, at, o, u[i]);
    if (i % EVERY == 0 && gap[i] < cut && n < PL_APPROACH_MAX)
      approach[n++] = (pl_approach){.u = {u[i][0], u[i][1]}, .gap = gap[i], .still = 1};
  }
  for (int i = 0; i < SAMPLES && n < PL_APPROACH_MAX; i++) {
    if (gap[i] > cut + beside || gap[i] > gap[(i + 1) % SAMPLES] ||
        gap[i] >= gap[(i + SAMPLES - 1) % SAMPLES])
      continue;
    approach_point p;
    pl_approach t = {.u = {u[i][0], u[i][1]}};
    int good = polish(a, at, o, t.u, &p);
    t.gap = p.gap;
    if ((good || p.gap <= 0) && p.gap < cut) approach[n++] = t;
  }
  return n;
}

// J' x for J = [I, -[r]]
static void motion(const double *r, const double *x, double out[6]) {
  memcpy(out, x, 3 * sizeof *out);
  pl_cross3(r, x, out + 3);
}

void obstacle_slopes(const pl_piece *a, const pl_pose *at, const pl_obstacle *o,
                     const pl_approach *approach, double grad[6], double H[6][6]) {
  approach_point p;
  double C[3][3], r[3], by[3][6], across[3][6];
  at_part(a, approach->on[0], at, o, approach->u, &p);
  curvature(o, p.s.p, a->radius, C);
  pl_sub3(p.s.p, at->x, r);
  motion(r, p.n, grad);
  for (int i = 0; i < 3; i++) {
    const double e[3] = {i == 0, i == 1, i == 2};
    motion(r, e, by[i]);
    motion(r, C[i], across[i]);
  }
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++) {
      H[i][k] = 0;
      for (int c = 0; c < 3; c++) H[i][k] += by[c][i] * across[c][k];
    }
  double rn = pl_dot3(r, p.n);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      H[3 + i][3 + k] += (r[i] * p.n[k] + p.n[i] * r[k]) / 2 - (i == k ? rn : 0);
  if (approach->still) return;
  // the point slides along the piece
  double g[2], U[2][2], D[2][6];
  int nu = pl_piece_nu(a);
  by_parameters(&p, C, g, U);
  double det = nu == 2 ? U[0][0] * U[1][1] - U[0][1] * U[1][0] : U[0][0];
  if (!(det > 0)) return;
  for (int k = 0; k < nu; k++) {
    double bend[3], spin[3];
    for (int i = 0; i < 3; i++) bend[i] = pl_dot3(C[i], p.s.d[k]);
    motion(r, bend, D[k]);
    pl_cross3(p.s.d[k], p.n, spin);
    for (int i = 0; i < 3; i++) D[k][3 + i] += spin[i];
  }
  const double inverse[2][2] = {{nu == 2 ? U[1][1] / det : 1 / det, -U[0][1] / det},
                                {-U[1][0] / det, U[0][0] / det}};
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++)
      for (int c = 0; c < nu; c++)
        for (int d = 0; d < nu; d++) H[i][k] -= D[c][i] * inverse[c][d] * D[d][k];
}
