#include "check.h"
#include "pliant/math.h"
#include "pliant/validate.h"

#include <stdlib.h>
#include <string.h>

static const double ROT = 2 * PL_PI;

// ---- a second method: a chain of rigid pieces -------------------------------------------------
//
// n pieces with frames [t|d1|d2], joints between their middles (the first, to the clamp, half as
// long), energy sum (Omega - l kappa0)' diag(C, 1, 1) (Omega - l kappa0) / (2 l) + weight, Omega
// the rotation vector across a joint. Its second derivatives come from differences of the energy in
// extended precision: nothing is shared with the library's second variation.

enum { PIECES_MAX = 200 };

typedef struct chain {
  int n;
  double nu, phi, g;
  double theta[PIECES_MAX]; // flat equilibrium, angles from the vertical
} chain;

// weight below the middle of piece i times its length
static double load(const chain *c, int i) {
  double h = c->phi / c->n;
  return c->g * h * (c->phi - (i + 0.5) * h);
}

// sum (theta_i - theta_i-1 - l)^2 / (2 l) - load cos theta
static double flat_energy(const chain *c, const double *theta) {
  double sum = 0;
  for (int i = 0; i < c->n; i++) {
    double l = (i ? 1 : 0.5) * c->phi / c->n, e = theta[i] - (i ? theta[i - 1] : 0) - l;
    sum += e * e / (2 * l) - load(c, i) * cos(theta[i]);
  }
  return sum;
}

// Newton's direction r from gradient r, with a shift that makes the matrix positive definite
static void newton(const chain *c, double *r) {
  int n = c->n, good = 0;
  double h = c->phi / n, d[PIECES_MAX], keep[PIECES_MAX];
  memcpy(keep, r, (size_t)n * sizeof *r);
  for (double shift = 0; !good; shift = fmax(0.01 * h, 2 * shift)) {
    good = 1;
    memcpy(r, keep, (size_t)n * sizeof *r);
    for (int i = 0; i < n; i++) {
      const double o = -1 / h;
      d[i] =
          1 / (i ? h : 0.5 * h) + (i + 1 < n ? 1 / h : 0) + load(c, i) * cos(c->theta[i]) + shift;
      if (i == 0) continue;
      d[i] -= o * o / d[i - 1];
      r[i] -= o / d[i - 1] * r[i - 1];
      good = good && d[i] > 0;
    }
    good = good && d[0] > 0;
    for (int i = n - 1; i >= 0; i--) r[i] = (r[i] + (i + 1 < n ? r[i + 1] / h : 0)) / d[i];
  }
}

// falls to a flat equilibrium that is stable in its plane
static void relax(chain *c) {
  double r[PIECES_MAX], trial[PIECES_MAX], change = 1, h = c->phi / c->n;
  for (int it = 0; it < 500 && change > 1e-10; it++) {
    for (int i = 0; i < c->n; i++) {
      double l = i ? h : 0.5 * h, bend = (c->theta[i] - (i ? c->theta[i - 1] : 0) - l) / l;
      r[i] = bend + load(c, i) * sin(c->theta[i]);
      if (i) r[i - 1] -= bend;
    }
    newton(c, r);
    change = pl_max_abs(c->n, r);
    double e = flat_energy(c, c->theta), step = fmin(1, 0.5 / change);
    // near the end, energies are equal to rounding
    for (; step > 1e-6; step *= 0.5) {
      pl_axpy(c->n, -step, r, c->theta, trial);
      if (change < 1e-5 || flat_energy(c, trial) <= e) break;
    }
    memcpy(c->theta, trial, (size_t)c->n * sizeof *trial);
  }
  check_less(change, 1e-10);
}

// weight added in steps to the circle
static void flat_shape(chain *c, double x) {
  enum { STEPS = 20 };
  for (int i = 0; i < c->n; i++) c->theta[i] = (i + 0.5) * c->phi / c->n;
  for (int k = 1; k <= STEPS; k++) {
    c->g = pow(x * k / STEPS, 3);
    relax(c);
  }
}

// R = [t|d1|d2] of a piece turned by theta in its plane, then by the vector (a, b, 0) in its frame
static void frame(double theta, const long double *w, long double *R) {
  long double s = sinl(theta), c = cosl(theta), base[9] = {-s, -c, 0, 0, 0, 1, -c, s, 0};
  long double angle = sqrtl(w[0] * w[0] + w[1] * w[1]), u[3] = {w[0], w[1], 0}, E[9];
  long double p = angle > 0 ? sinl(angle) / angle : 1,
              q = angle > 0 ? 2 * powl(sinl(angle / 2) / angle, 2) : 0.5L;
  long double W[9] = {0, 0, u[1], 0, 0, -u[0], -u[1], u[0], 0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      long double WW = 0;
      for (int k = 0; k < 3; k++) WW += W[3 * i + k] * W[3 * k + j];
      E[3 * i + j] = (i == j) + p * W[3 * i + j] + q * WW;
    }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      R[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) R[3 * i + j] += base[3 * i + k] * E[3 * k + j];
    }
}

// energy of joint i (between pieces i - 1 and i) and of the weight of piece i
static long double energy(const chain *c, int i, const long double *w) {
  const long double none[2] = {0, 0};
  long double A[9], B[9], D[9], l = (i ? 1 : 0.5L) * c->phi / c->n;
  frame(i ? c->theta[i - 1] : 0, i ? w : none, A);
  frame(c->theta[i], w + 2, B);
  for (int j = 0; j < 3; j++)
    for (int k = 0; k < 3; k++)
      D[3 * j + k] = A[j] * B[k] + A[3 + j] * B[3 + k] + A[6 + j] * B[6 + k];
  long double v[3] = {(D[7] - D[5]) / 2, (D[2] - D[6]) / 2, (D[3] - D[1]) / 2};
  long double sine = sqrtl(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  long double angle = atan2l(sine, (D[0] + D[4] + D[8] - 1) / 2), sum = 0;
  const long double stiff[3] = {1 / (1 + (long double)c->nu), 1, 1};
  for (int k = 0; k < 3; k++) {
    long double e = v[k] * angle / sine - (k == 2 ? l : 0);
    sum += stiff[k] * e * e / (2 * l);
  }
  return sum + load(c, i) * B[6]; // height of the tangent
}

// second derivatives with respect to the rotations of two neighbours, by central differences; with
// steps of 1e-4 both truncation and rounding are below 1e-8
static void stencil(const chain *c, int i, double H[4][4]) {
  const long double e = 1e-4L;
  for (int a = 0; a < 4; a++)
    for (int b = 0; b <= a; b++) {
      long double sum = 0;
      for (int s = 0; s < 4; s++) {
        long double w[4] = {0}, sa = s & 1 ? -e : e, sb = s & 2 ? -e : e;
        w[a] += sa;
        w[b] += sb;
        sum += (sa > 0) == (sb > 0) ? energy(c, i, w) : -energy(c, i, w);
      }
      H[a][b] = H[b][a] = (double)(sum / (4 * e * e));
    }
}

// negative eigenvalues of the chain's second derivatives less shift, by elimination
static int negative(const chain *c, double shift) {
  int n = 2 * c->n, count = 0;
  double(*A)[4] = calloc((size_t)n, sizeof *A), H[4][4]; // row i: columns i .. i + 3
  for (int i = 0; i < c->n; i++) {
    stencil(c, i, H);
    for (int a = 0; a < 4; a++)
      for (int b = a; b < 4; b++)
        if (2 * i - 2 + a >= 0) A[2 * i - 2 + a][b - a] += H[a][b];
    A[2 * i][0] -= shift * c->phi / c->n;
    A[2 * i + 1][0] -= shift * c->phi / c->n;
  }
  for (int i = 0; i < n; i++) {
    count += A[i][0] < 0;
    for (int a = 1; a < 4 && i + a < n; a++)
      for (int b = a; b < 4; b++) A[i + a][b - a] -= A[i][a] * A[i][b] / A[i][0];
  }
  free(A);
  return count;
}

// turns at which the flat chain becomes unstable, between a and b, to 1e-5
static double chain_frontier(int n, double nu, double x, double a, double b) {
  while (b - a > 1e-5) {
    double m = 0.5 * (a + b);
    chain c = {.n = n, .nu = nu, .phi = ROT * m};
    flat_shape(&c, x);
    if (negative(&c, 0))
      b = m;
    else
      a = m;
  }
  return 0.5 * (a + b);
}

// Chains of n and 2n pieces extrapolated: the error is of fourth order in the angle between pieces,
// 0.05 to 0.15 rad with the finer one. The bracket is 10 % wide on both sides.
static void frontier_of_chains(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const double at[][3] = {
      {0.5, 0.6, 50}, {0.5, 0.463, 50}, {0.5, 0.2, 90}, {0, 0.28, 80}, {-0.2, 0.44, 50}};
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    double nu = at[i][0], x = at[i][1], turns;
    int n = (int)at[i][2];
    check_ok(&env, pl_master_bend_twist(&env, nu, x, &turns));
    double a = chain_frontier(n, nu, x, 0.9 * turns, 1.1 * turns);
    double b = chain_frontier(2 * n, nu, x, 0.9 * turns, 1.1 * turns);
    check_less(fabs(b - turns), fabs(a - turns));
    check_rel(b + (b - a) / 3, turns, 3e-4);
  }
}

// the lowest eigenvalue of the chain, by counting below a shift, to 1e-4
static double chain_lowest(const chain *c, double a, double b) {
  while (b - a > 1e-4 * fabs(b)) {
    double m = 0.5 * (a + b);
    if (negative(c, m))
      b = m;
    else
      a = m;
  }
  return 0.5 * (a + b) * c->phi * c->phi;
}

static void eigenvalues_of_chains(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  // nu, x, turns: flat and curly, in front of, on the right of and above the frontier
  const double at[][3] = {{0.5, 0.001, 1.5}, {0.5, 0.3, 1.2}, {0.5, 0.5, 1},
                          {0.3, 0.65, 1.5},  {0, 0.3, 2.3},   {0.5, 0.25, 0.5}};
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    double nu = at[i][0], x = at[i][1], phi = ROT * at[i][2], low[2];
    pl_bend_twist p;
    check_ok(&env, pl_master_bend_twist_state(&env, nu, pow(x * phi, 3), phi, &p));
    for (int k = 0; k < 2; k++) {
      chain c = {.n = 100 << k, .nu = nu, .phi = phi};
      flat_shape(&c, x);
      assert_int_equal(negative(&c, 0), p.nneg);
      check_rel(c.theta[c.n - 1] + 0.5 * phi / c.n, p.tip, 2e-3);
      double guess = p.lowest / (phi * phi), wide = fabs(guess);
      low[k] = chain_lowest(&c, guess - wide, guess + wide);
    }
    // 1e-4 from counting, as much again from extrapolation
    check_rel(low[1] + (low[1] - low[0]) / 3, p.lowest, 5e-4);
  }
}

// ---- published figures ------------------------------------------------------------------------

// recomputed for the notes to the paper, all digits given
static void anchors(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  double x, turns;
  check_ok(&env, pl_master_bend_twist_lowest(&env, 0.5, &x, &turns));
  check_close(turns, 0.8837, 5e-5);
  check_close(x, 0.462, 1.5e-3); // a flat minimum
  check_ok(&env, pl_master_bend_twist_limit(&env, 0.5, &x));
  check_close(x, 0.62069, 5e-6);
}

// the left branch falls all the way, and in steps, one a turn: its steepness has a maximum for each
static void staircase(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  double turns[3] = {0}, slope[3] = {0}, first = 0;
  int steps = 0, n = 0;
  for (double x = 0.13; x < 0.4; x *= 1.01, n++) {
    turns[0] = turns[1];
    check_ok(&env, pl_master_bend_twist(&env, 0.5, x, &turns[1]));
    if (n == 0) first = turns[1];
    if (n == 0) continue;
    assert_true(turns[1] < turns[0]);
    slope[0] = slope[1];
    slope[1] = slope[2];
    slope[2] = log(turns[0] / turns[1]);
    steps += n > 2 && slope[1] > slope[0] && slope[1] > slope[2];
  }
  assert_int_equal(steps, (int)lround(first - turns[1]));
}

// ---- the functions agree with each other ------------------------------------------------------

static void one_frontier(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  for (double nu = -0.2; nu < 0.6; nu += 0.35) {
    double limit, x, low;
    check_ok(&env, pl_master_bend_twist_limit(&env, nu, &limit));
    check_ok(&env, pl_master_bend_twist_lowest(&env, nu, &x, &low));
    for (double turns = 1.02 * low; turns < 4; turns *= 1.5) {
      double left, right, back;
      check_ok(&env, pl_master_bend_twist_sides(&env, nu, turns, &left, &right));
      assert_true(left < x && x < right && right <= limit * (1 + 1e-12));
      check_ok(&env, pl_master_bend_twist(&env, nu, left, &back));
      check_rel(back, turns, 1e-10);
      // on the right, turns are lost where the branch is vertical
      if (right < 0.99 * limit) {
        check_ok(&env, pl_master_bend_twist(&env, nu, right, &back));
        check_rel(back, turns, 1e-10);
      }
      // labels on both sides of both branches
      for (int k = 0; k < 4; k++) {
        double at = (k < 2 ? left : right) * (k % 2 ? 1.0001 : 0.9999), phi = ROT * turns;
        int curly = k == 1 || k == 2;
        pl_bend_twist p;
        check_ok(&env, pl_master_bend_twist_state(&env, nu, pow(at * phi, 3), phi, &p));
        assert_true((p.nneg > 0) == curly && (p.lowest < 0) == curly);
      }
    }
  }
}

// no weight: the rod keeps its circle, whose stability depends on nu only through the twist
static void no_weight(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_bend_twist p, q;
  check_ok(&env, pl_master_bend_twist_state(&env, 0.3, 0, 7, &p));
  assert_true(p.nneg == 0 && p.lowest > 0);
  check_close(p.tip, 7, 1e-14);
  check_ok(&env, pl_master_bend_twist_state(&env, 0.3, 1e-9, 7, &q));
  check_rel(q.lowest, p.lowest, 1e-8);
  // a short piece is straight: its first mode is twist, C (pi/2)^2 with C = 1/1.3
  check_ok(&env, pl_master_bend_twist_state(&env, 0.3, 0, 1e-4, &p));
  check_rel(p.lowest, 0.25 * PL_PI * PL_PI / 1.3, 1e-7);
}

static void refused(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  double a, b;
  pl_bend_twist p;
  check_status(&env, pl_master_bend_twist(&env, 0.6, 0.4, &a), PL_E_ARG);
  check_status(&env, pl_master_bend_twist(&env, -0.5, 0.4, &a), PL_E_ARG);
  check_status(&env, pl_master_bend_twist(&env, 0.5, 0, &a), PL_E_ARG);
  check_status(&env, pl_master_bend_twist(&env, 0.5, NAN, &a), PL_E_ARG);
  check_status(&env, pl_master_bend_twist(&env, 0.5, 1e-3, &a), PL_E_ARG);
  check_status(&env, pl_master_bend_twist(&env, 0.5, 0.625, &a), PL_E_ARG);
  assert_non_null(strstr(env.error.text, "0.62068"));
  check_status(&env, pl_master_bend_twist_sides(&env, 0.5, 0.88, &a, &b), PL_E_ARG);
  assert_non_null(strstr(env.error.text, "0.8837"));
  check_status(&env, pl_master_bend_twist_sides(&env, 0.5, 50, &a, &b), PL_E_ARG);
  check_status(&env, pl_master_bend_twist_state(&env, 0.5, -1, 1, &p), PL_E_ARG);
  check_status(&env, pl_master_bend_twist_state(&env, 0.5, 1, 0, &p), PL_E_ARG);
  check_status(&env, pl_master_bend_twist_state(&env, 0.5, 1e7, 1, &p), PL_E_ARG);
}

int test_bend_twist(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frontier_of_chains),
      cmocka_unit_test(eigenvalues_of_chains),
      cmocka_unit_test(anchors),
      cmocka_unit_test(staircase),
      cmocka_unit_test(one_frontier),
      cmocka_unit_test(no_weight),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
