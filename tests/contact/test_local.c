// One contact: the exact solver against a search over all directions of slip.
#include "problems.h"

enum { ANGLES = 1440, FOUND = 64 };

typedef struct one {
  double W[9], c[3], mu;
} one;

// sliding towards -e(angle): p_T = mu p_N e, p_N from u_N = 0. Returns the part of u_T across e
// times the denominator of p_N: no pole is left.
static double across(const one *q, double angle, double p[3], double *along) {
  double e[2] = {cos(angle), sin(angle)};
  double den = q->W[0] + q->mu * (q->W[1] * e[0] + q->W[2] * e[1]);
  p[0] = -q->c[0] / den;
  for (int i = 0; i < 2; i++) p[1 + i] = q->mu * p[0] * e[i];
  double u[2];
  for (int i = 0; i < 2; i++) u[i] = q->c[1 + i] + pl_dot3(q->W + 3 * (1 + i), p);
  *along = u[0] * e[0] + u[1] * e[1];
  return (e[0] * u[1] - e[1] * u[0]) * den;
}

// all solutions: take-off, stick, and each direction in which slip is opposed
static int search(const one *q, double (*found)[3]) {
  int n = 0;
  double along, inv[9];
  if (q->c[0] >= 0) memset(found[n++], 0, 3 * sizeof(double));
  pl_inv3(q->W, inv);
  double p[3];
  for (int i = 0; i < 3; i++) p[i] = -pl_dot3(inv + 3 * i, q->c);
  if (p[0] >= 0 && hypot(p[1], p[2]) <= q->mu * p[0]) memcpy(found[n++], p, sizeof p);
  for (int k = 0; k < ANGLES; k++) {
    double lo = 2 * PL_PI * k / ANGLES, hi = 2 * PL_PI * (k + 1) / ANGLES;
    double flo = across(q, lo, p, &along), fhi = across(q, hi, p, &along);
    if ((flo < 0) == (fhi < 0)) continue;
    for (int it = 0; it < 60; it++) {
      double mid = lo + (hi - lo) / 2;
      if ((across(q, mid, p, &along) < 0) == (flo < 0))
        lo = mid;
      else
        hi = mid;
    }
    across(q, lo, p, &along);
    if (p[0] >= 0 && along <= 0 && n < FOUND) memcpy(found[n++], p, sizeof p);
  }
  return n;
}

static void random_one(pl_rng *r, one *q) {
  double G[12];
  for (int i = 0; i < 12; i++) G[i] = pl_rng_normal(r);
  // compliances of very different size
  double s[3] = {1, pow(10, pl_rng_uniform(r, -1, 1)), pow(10, pl_rng_uniform(r, -1, 1))};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      q->W[3 * i + j] = 0;
      for (int l = 0; l < 4; l++) q->W[3 * i + j] += s[i] * s[j] * G[3 * l + i] * G[3 * l + j];
    }
  for (int i = 0; i < 3; i++) q->c[i] = s[i] * pl_rng_normal(r);
  q->mu = pl_rng_uniform(r, 0, 1.5);
}

// Bisected angles are right to 1e-16, forces lose the condition of W, which reaches 1e5 here.
static void against_search(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 5);
  int seen[3] = {0};
  for (int trial = 0; trial < 4000; trial++) {
    one q;
    double found[FOUND][3], p[3], best = INFINITY;
    random_one(&r, &q);
    int n = search(&q, found);
    seen[pl_friction_one(q.W, q.c, q.mu, p)]++;
    for (int k = 0; k < n; k++) {
      double d[3];
      pl_sub3(p, found[k], d);
      best = fmin(best, pl_norm3(d));
    }
    check_less(best, 1e-9 * (pl_norm3(p) + pl_norm3(q.c) / q.W[0]));
  }
  for (int k = 0; k < 3; k++) assert_true(seen[k] > 200);
}

// closed forms of an isotropic contact: W = w, so p_N = -c_N/w and u_T = c_T - friction
static void isotropic(void **state) {
  (void)state;
  const double w = 3, W[9] = {w, 0, 0, 0, w, 0, 0, 0, w};
  double p[3];
  assert_int_equal(pl_friction_one(W, (double[]){1, 2, 3}, 0.5, p), PL_OPEN);
  check_array(3, p, ((double[]){0, 0, 0}), 0);
  assert_int_equal(pl_friction_one(W, (double[]){-6, 0.6, -0.8}, 0.5, p), PL_STICK);
  check_array(3, p, ((double[]){2, -0.2, 0.8 / 3}), 1e-15);
  assert_int_equal(pl_friction_one(W, (double[]){-6, 6, -8}, 0.5, p), PL_SLIP);
  check_array(3, p, ((double[]){2, -0.6, 0.8}), 1e-15);
  assert_int_equal(pl_friction_one(W, (double[]){-6, 6, -8}, 0, p), PL_SLIP);
  check_array(3, p, ((double[]){2, 0, 0}), 0);
}

// W of rank 1 and 2 (a node that is held in some directions) and contacts that cannot move
static void singular(void **state) {
  (void)state;
  double p[3];
  // only the normal gives way: friction is at its limit, against the motion
  const double normal[9] = {2, 0, 0, 0, 0, 0, 0, 0, 0};
  assert_int_equal(pl_friction_one(normal, (double[]){-4, 3, 4}, 0.5, p), PL_SLIP);
  check_array(3, p, ((double[]){2, -0.6, -0.8}), 1e-15);
  assert_int_equal(pl_friction_one(normal, (double[]){-4, 0, 0}, 0.5, p), PL_STICK);
  check_array(3, p, ((double[]){2, 0, 0}), 0);
  // one tangent is held
  const double plane[9] = {2, 0, 0, 0, 1, 0, 0, 0, 0};
  assert_int_equal(pl_friction_one(plane, (double[]){-4, 0.5, 0}, 0.5, p), PL_STICK);
  check_array(3, p, ((double[]){2, -0.5, 0}), 1e-15);
  assert_int_equal(pl_friction_one(plane, (double[]){-4, 0, 1}, 0.5, p), PL_SLIP);
  check_array(3, p, ((double[]){2, 0, -1}), 1e-15);
  // nothing can help
  const double none[9] = {0};
  assert_int_equal(pl_friction_one(none, (double[]){-4, 0, 1}, 0.5, p), PL_OPEN);
  check_array(3, p, ((double[]){0, 0, 0}), 0);
}

// slip so slow and so fast that the root lies 1e12 apart; the law holds to rounding
static void extremes(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 9);
  for (int trial = 0; trial < 3000; trial++) {
    one q;
    double p[3], u[3], big = pow(10, pl_rng_uniform(&r, -12, 12));
    random_one(&r, &q);
    q.c[1] *= big;
    q.c[2] *= big;
    q.mu *= pow(10, pl_rng_uniform(&r, -6, 1));
    pl_contact_status status = pl_friction_one(q.W, q.c, q.mu, p);
    assert_true(isfinite(pl_norm3(p)));
    if (status == PL_OPEN) continue;
    double size = 0;
    for (int i = 0; i < 3; i++) {
      u[i] = q.c[i] + pl_dot3(q.W + 3 * i, p);
      size = fmax(size, fabs(q.c[i]) + pl_norm3(q.W + 3 * i) * pl_norm3(p));
    }
    check_less(fabs(u[0]), 1e-13 * size);
    check_less(hypot(p[1], p[2]), q.mu * p[0] * (1 + 1e-15) + 1e-300);
    if (status == PL_STICK) check_less(hypot(u[1], u[2]), 1e-13 * size);
    if (status == PL_STICK) continue;
    // full friction, straight against the slip
    check_rel(hypot(p[1], p[2]), q.mu * p[0], 1e-12);
    check_less(fabs(p[1] * u[2] - p[2] * u[1]), 1e-12 * hypot(p[1], p[2]) * size);
    check_less(p[1] * u[1] + p[2] * u[2], 1e-12 * hypot(p[1], p[2]) * size);
  }
}

int test_local(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_search),
      cmocka_unit_test(isotropic),
      cmocka_unit_test(singular),
      cmocka_unit_test(extremes),
  };
  return cmocka_run_group_tests_name("contact.local", tests, NULL, NULL);
}
