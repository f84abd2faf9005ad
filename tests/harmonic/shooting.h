#ifndef TESTS_HARMONIC_SHOOTING_H
#define TESTS_HARMONIC_SHOOTING_H

// An independent way to periodic motions of small systems with stops and dry friction:
//   m x'' + C x' + K x + joints = F sin(omega t),
// integrated by the classical Runge-Kutta scheme from event to event, each found by bisection, and
// closed over a period by Newton's method.
#include "check.h"
#include "models.h"

#include "pliant/harmonic.h"
#include "pliant/math.h"

#include <string.h>

enum { SHOT_DOF = 3, SHOT_JOINT = 3, SHOT_SIZE = 2 * SHOT_DOF + SHOT_JOINT, SHOT_STEPS = 3000 };

typedef struct shot_joint {
  int slider;  // 0: unilateral spring, 1: spring and slider in series
  int a, b;    // ends, -1: ground
  double k, g; // stiffness; gap, or limit of the force
} shot_joint;

typedef struct shot {
  int n, njoint;
  double m[SHOT_DOF], C[SHOT_DOF][SHOT_DOF], K[SHOT_DOF][SHOT_DOF], F[SHOT_DOF];
  shot_joint joint[SHOT_JOINT];
  double omega;
} shot;

// y: places, rates, sliders; mode: closed or not; -1, 0, 1 slip to a side or stick
typedef struct shot_state {
  double t, y[SHOT_SIZE];
  int mode[SHOT_JOINT];
} shot_state;

static inline double shot_gap(const shot *s, const double *x, int j) {
  const shot_joint *p = &s->joint[j];
  return (p->b < 0 ? 0 : x[p->b]) - (p->a < 0 ? 0 : x[p->a]);
}

static inline double shot_force(const shot *s, const double *y, const int *mode, int j) {
  const shot_joint *p = &s->joint[j];
  double d = shot_gap(s, y, j);
  if (!p->slider) return mode[j] ? p->k * (d - p->g) : 0;
  return mode[j] ? mode[j] * p->g : p->k * (d - y[2 * s->n + j]);
}

static inline void shot_rates(const shot *s, double t, const double *y, const int *mode,
                              double *dy) {
  int n = s->n;
  for (int i = 0; i < n; i++) {
    double f = s->F[i] * sin(s->omega * t);
    for (int j = 0; j < n; j++) f -= s->C[i][j] * y[n + j] + s->K[i][j] * y[j];
    dy[i] = y[n + i];
    dy[n + i] = f / s->m[i];
  }
  for (int j = 0; j < s->njoint; j++) {
    double f = shot_force(s, y, mode, j);
    if (s->joint[j].b >= 0) dy[n + s->joint[j].b] -= f / s->m[s->joint[j].b];
    if (s->joint[j].a >= 0) dy[n + s->joint[j].a] += f / s->m[s->joint[j].a];
    dy[2 * n + j] = 0;
  }
}

static inline shot_state shot_runge_kutta(const shot *s, const shot_state *from, double h) {
  static const double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1, 2, 2, 1};
  int n = 2 * s->n + s->njoint;
  double k[SHOT_SIZE] = {0}, y[SHOT_SIZE];
  shot_state to = *from;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < n; j++) y[j] = from->y[j] + c[i] * h * k[j];
    shot_rates(s, from->t + c[i] * h, y, from->mode, k);
    for (int j = 0; j < n; j++) to.y[j] += h / 6 * b[i] * k[j];
  }
  to.t += h;
  return to;
}

// joint j has left its mode
static inline int shot_left(const shot *s, const shot_state *x, int j) {
  const shot_joint *p = &s->joint[j];
  if (!p->slider) return (shot_gap(s, x->y, j) > p->g) != x->mode[j];
  if (x->mode[j]) return x->mode[j] * shot_gap(s, x->y + s->n, j) < 0;
  return fabs(p->k * (shot_gap(s, x->y, j) - x->y[2 * s->n + j])) > p->g * (1 + 1e-13);
}

static inline int shot_any_left(const shot *s, const shot_state *x) {
  int any = 0;
  for (int j = 0; j < s->njoint; j++) any |= shot_left(s, x, j);
  return any;
}

static inline void shot_switch(const shot *s, shot_state *x) {
  for (int j = 0; j < s->njoint; j++) {
    const shot_joint *p = &s->joint[j];
    if (!shot_left(s, x, j)) continue;
    double d = shot_gap(s, x->y, j), *w = &x->y[2 * s->n + j];
    if (!p->slider)
      x->mode[j] = !x->mode[j];
    else if (x->mode[j]) {
      *w = d - x->mode[j] * p->g / p->k;
      x->mode[j] = 0;
    } else
      x->mode[j] = d > *w ? 1 : -1;
  }
}

static inline void shot_step(const shot *s, shot_state *x, double h) {
  for (int event = 0; event < 50 && h > 0; event++) {
    shot_state to = shot_runge_kutta(s, x, h);
    if (!shot_any_left(s, &to)) {
      *x = to;
      return;
    }
    double lo = 0, hi = h;
    while (hi - lo > 1e-15 * (1 + x->t)) {
      double mid = (lo + hi) / 2;
      to = shot_runge_kutta(s, x, mid);
      *(shot_any_left(s, &to) ? &hi : &lo) = mid;
    }
    *x = shot_runge_kutta(s, x, hi);
    shot_switch(s, x);
    h -= hi;
  }
}

// One period from y, back into y; most (may be NULL) [n]: largest distance from the mean.
static inline void shot_period(const shot *s, double *y, double *most) {
  shot_state x = {0};
  int n = s->n, size = 2 * n + s->njoint;
  double T = 2 * PL_PI / s->omega, mean[SHOT_DOF] = {0};
  static double path[SHOT_STEPS][SHOT_DOF];
  memcpy(x.y, y, (size_t)size * sizeof *y);
  for (int j = 0; j < s->njoint; j++)
    x.mode[j] = !s->joint[j].slider && shot_gap(s, y, j) > s->joint[j].g;
  for (int i = 0; i < SHOT_STEPS; i++) {
    for (int k = 0; k < n; k++) mean[k] += (path[i][k] = x.y[k]) / SHOT_STEPS;
    shot_step(s, &x, T * (i + 1) / SHOT_STEPS - x.t);
  }
  // a slider that slips goes on from where it is
  for (int j = 0; j < s->njoint; j++)
    if (s->joint[j].slider && x.mode[j])
      x.y[2 * n + j] = shot_gap(s, x.y, j) - x.mode[j] * s->joint[j].g / s->joint[j].k;
  memcpy(y, x.y, (size_t)size * sizeof *y);
  for (int k = 0; most && k < n; k++) {
    most[k] = 0;
    for (int i = 0; i < SHOT_STEPS; i++) most[k] = fmax(most[k], fabs(path[i][k] - mean[k]));
  }
}

static inline void shot_solve(int n, double (*A)[SHOT_SIZE], double *x) {
  for (int j = 0; j < n; j++) {
    int p = j;
    for (int i = j; i < n; i++)
      if (fabs(A[i][j]) > fabs(A[p][j])) p = i;
    for (int c = 0; c < n; c++) {
      double t = A[j][c];
      A[j][c] = A[p][c];
      A[p][c] = t;
    }
    double t = x[j];
    x[j] = x[p];
    x[p] = t;
    for (int i = j + 1; i < n; i++) {
      double w = A[i][j] / A[j][j];
      for (int c = j; c < n; c++) A[i][c] -= w * A[j][c];
      x[i] -= w * x[j];
    }
  }
  for (int j = n; j-- > 0;) {
    for (int c = j + 1; c < n; c++) x[j] -= A[j][c] * x[c];
    x[j] /= A[j][j];
  }
}

// Newton's method for y = P(y); P' (columns by differences) goes to D when wanted. Returns |y - P|.
static inline double shot_close(const shot *s, double *y, double (*D)[SHOT_SIZE], double *most) {
  int n = 2 * s->n + s->njoint;
  double left = INFINITY;
  for (int it = 0; it < 25; it++) {
    double p[SHOT_SIZE], r[SHOT_SIZE], A[SHOT_SIZE][SHOT_SIZE], h = 1e-7;
    memcpy(p, y, sizeof p);
    shot_period(s, p, most);
    for (int i = 0; i < n; i++) r[i] = p[i] - y[i];
    left = pl_max_abs(n, r);
    int done = left < 1e-11;
    if (done && !D) break;
    for (int j = 0; j < n; j++) {
      double e[SHOT_SIZE];
      memcpy(e, y, sizeof e);
      e[j] += h;
      shot_period(s, e, NULL);
      for (int i = 0; i < n; i++) {
        if (D) D[i][j] = (e[i] - p[i]) / h;
        A[i][j] = (i == j) - (e[i] - p[i]) / h;
      }
      // a slider that never slips stays where it is
      if (fabs(A[j][j]) < 1e-6) A[j][j] += 1;
    }
    if (done) break;
    shot_solve(n, A, r);
    for (int i = 0; i < n; i++) y[i] += r[i];
  }
  return left;
}

// The same system as a model; node i is unknown i.
static inline void shot_model(const shot *s, pl_env *env, model_kit *kit, kit_model *b) {
  static const double X[SHOT_DOF] = {0};
  int n = s->n, all = n * n;
  kit_init(kit, env, 1);
  kit->d.nnode = n;
  kit->d.X = X;
  int *mass = kit_keep(kit, n, sizeof *mass), *spring = kit_keep(kit, 2 * all, sizeof *spring);
  double *par = kit_keep(kit, 4 * all, sizeof *par);
  int nspring = 0;
  for (int i = 0; i < n; i++) mass[i] = i;
  kit_group(kit, "masses", "mass1", n, mass, 0, s->m);
  // springs between unknowns from the entries off the diagonal, to the ground what is left
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double k = -s->K[i][j], c = -s->C[i][j];
      for (int l = 0; i == j && l < n; l++) {
        k += s->K[i][l] + (l == i) * s->K[i][i];
        c += s->C[i][l] + (l == i) * s->C[i][i];
      }
      spring[2 * nspring] = i == j ? -1 : j;
      spring[2 * nspring + 1] = i;
      par[4 * nspring] = k;
      par[4 * nspring++ + 3] = c;
    }
  kit_group(kit, "springs", "spring1", nspring, spring, 0, par);
  for (int j = 0; j < s->njoint; j++) {
    const shot_joint *p = &s->joint[j];
    int *end = kit_keep(kit, 2, sizeof *end);
    end[0] = p->a;
    end[1] = p->b;
    double value[3] = {p->k, p->g, 1};
    kit_group(kit, "joint", p->slider ? "jenkins1" : "stop1", 1, end, 1, value);
  }
  for (int i = 0; i < n; i++) {
    if (s->F[i] == 0) continue;
    kit->load[kit->d.nload++] = (pl_load_desc){
        .name = "push", .nnode = 1, .node = &mass[i], .term = {1, {s->F[i], 0, 0}, 0}};
  }
  kit_build(kit, 1, b);
}

#endif
