// Algebra of the cone a0 >= |(a1, a2)|: each formula against what defines it, also where s and z
// are within 1e-12 of the boundary. Errors are counted in what a rounding of the entries does.
#include "cone.h"

#include "check.h"

#include "pliant/math.h"

#include <float.h>
#include <string.h>

enum { TRIALS = 2000 };

// inside of the cone by `inside` (relative), of any direction and size
static void sample(pl_rng *r, double inside, double a[3]) {
  double size = pow(10, pl_rng_uniform(r, -4, 4)), angle = pl_rng_uniform(r, -PL_PI, PL_PI);
  double len = (1 - inside) * size;
  a[0] = size;
  a[1] = len * cos(angle);
  a[2] = len * sin(angle);
}

static double size_of(const double a[3]) {
  return fabs(a[0]) + cone_norm(a);
}

// the distance to the boundary that the rounded entries have, relative
static double inside_of(const double a[3]) {
  return (a[0] - cone_norm(a)) / a[0];
}

static void check_vector(const double *got, const double *want, double tol) {
  check_array(3, got, want, tol * fmax(size_of(want), size_of(got)));
}

static const double depths[] = {0.9, 0.3, 1e-3, 1e-6, 1e-9, 1e-12};
enum { DEPTHS = sizeof depths / sizeof depths[0] };

// a o b = (a.b, a0 b1 + b0 a1) commutes, has the unit (1, 0, 0), and square roots of cone elements
// are by eigenvalues: (sqrt(l1) +- sqrt(l2))/2
static void product(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 1);
  for (int k = 0; k < TRIALS; k++) {
    double a[3], b[3], ab[3], ba[3], unit[3] = {1, 0, 0};
    for (int i = 0; i < 3; i++) {
      a[i] = pl_rng_normal(&r);
      b[i] = pl_rng_normal(&r);
    }
    cone_product(a, b, ab);
    cone_product(b, a, ba);
    assert_memory_equal(ab, ba, sizeof ab);
    cone_product(a, unit, ab);
    check_array(3, ab, a, 0);
    sample(&r, depths[k % DEPTHS], a);
    double n = cone_norm(a), l = sqrt(a[0] - n), h = sqrt(a[0] + n), f = (h - l) / (2 * n);
    double root[3] = {(h + l) / 2, f * a[1], f * a[2]};
    cone_product(root, root, ab);
    check_vector(ab, a, 4 * DBL_EPSILON);
    // in place
    cone_product(root, root, root);
    check_array(3, root, ab, 0);
  }
}

static void division(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 2);
  for (int k = 0; k < TRIALS; k++) {
    double lam[3], v[3], u[3], back[3];
    sample(&r, depths[k % DEPTHS], lam);
    for (int i = 0; i < 3; i++) v[i] = pl_rng_normal(&r);
    cone_divide(lam, cone_det(lam), v, u);
    cone_product(lam, u, back);
    // u grows as one over the distance, and with it the rounding of the product
    check_array(3, back, v, 10 * DBL_EPSILON * size_of(lam) * size_of(u));
    cone_product(lam, v, back);
    cone_divide(lam, cone_det(lam), back, u);
    check_vector(u, v, 20 * DBL_EPSILON / inside_of(lam));
  }
}

static double worst_inside(const double s[3], const double z[3]) {
  return fmin(inside_of(s), inside_of(z));
}

// W z = W^-1 s = lambda, in the cone; lambda.lambda = s.z
static void scaling(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 3);
  for (int k = 0; k < TRIALS; k++) {
    double s[3], z[3], Wz[3], Ws[3];
    double w[4], det[3];
    sample(&r, depths[k % DEPTHS], s);
    sample(&r, depths[k / DEPTHS % DEPTHS], z);
    double eps = DBL_EPSILON / worst_inside(s, z);
    cone_scaling(s, z, w, det);
    check_close(w[0] * w[0] - w[1] * w[1] - w[2] * w[2], 1, 10 * DBL_EPSILON * w[0] * w[0]);
    cone_scaled(w, 1, z, Wz);
    cone_scaled(w, -1, s, Ws);
    check_vector(Wz, Ws, 20 * eps);
    assert_true(cone_det(Wz) > 0 && Wz[0] > 0);
    check_rel(cone_dot(Wz, Wz), cone_dot(s, z), 100 * eps);
    check_close(det[0], cone_det(s), 0);
    check_close(det[1], cone_det(z), 0);
    check_rel(cone_det(Wz), det[2], 100 * eps);
  }
}

// of equal s and z the scaling is none
static void equal_pair(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 4);
  for (int k = 0; k < TRIALS; k++) {
    double s[3], out[3];
    const double unit[3] = {1, 0, 0};
    double w[4], det[3];
    sample(&r, depths[k % DEPTHS], s);
    cone_scaling(s, s, w, det);
    check_array(3, w, unit, 0);
    check_close(w[3], 1, 0);
    cone_scaled(w, 1, s, out);
    check_array(3, out, s, 0);
  }
}

// W W^-1 = 1, W^-2 = W^-1 W^-1, matrix and product of W^-2 agree, W is symmetric
static void inverses(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 5);
  for (int k = 0; k < TRIALS; k++) {
    double s[3], z[3], v[3], u[3], a[3], b[3], m[6];
    double w[4], det[3];
    sample(&r, depths[k % DEPTHS], s);
    sample(&r, depths[k / DEPTHS % DEPTHS], z);
    cone_scaling(s, z, w, det);
    for (int i = 0; i < 3; i++) {
      v[i] = pl_rng_normal(&r);
      u[i] = pl_rng_normal(&r);
    }
    // W/eta has the eigenvalue w0 + |w1|, its inverse too
    double most = w[0] + cone_norm(w), eps = 10 * DBL_EPSILON * most * most;
    cone_scaled(w, 1, v, a);
    cone_scaled(w, -1, a, b);
    check_vector(b, v, eps);
    check_close(cone_dot(u, a), (cone_scaled(w, 1, u, b), cone_dot(v, b)), eps * w[3] * 30);

    cone_scaled(w, -1, v, a);
    cone_scaled(w, -1, a, a);
    cone_inverse_square(w, v, b);
    double size = most * most / (w[3] * w[3]) * size_of(v);
    check_array(3, a, b, 20 * DBL_EPSILON * size);
    cone_inverse_matrix(w, m);
    const double want[3] = {m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
                            m[1] * v[0] + m[3] * v[1] + m[4] * v[2],
                            m[2] * v[0] + m[4] * v[1] + m[5] * v[2]};
    check_array(3, b, want, 20 * DBL_EPSILON * size);
  }
}

static double step_of(const double s[3], const double d[3]) {
  return cone_step(s, cone_det(s), d);
}

// s + a d is on the boundary, a little before it inside, a little behind it outside
static void steps(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 6);
  int ended = 0;
  for (int k = 0; k < TRIALS; k++) {
    double s[3], d[3], at[3];
    sample(&r, depths[k % DEPTHS], s);
    for (int i = 0; i < 3; i++) d[i] = s[0] * pl_rng_normal(&r);
    double a = step_of(s, d);
    assert_true(a > 0);
    if (isinf(a)) {
      // all of the ray is inside: so is its direction
      assert_true(d[0] >= cone_norm(d) * (1 - 1e-12));
      continue;
    }
    ended++;
    double size = size_of(s) + a * size_of(d);
    for (int i = 0; i < 3; i++) at[i] = s[i] + a * d[i];
    check_close(at[0] - cone_norm(at), 0, 20 * DBL_EPSILON * size);
    for (int i = 0; i < 3; i++) at[i] = s[i] + 0.9 * a * d[i];
    assert_true(at[0] > cone_norm(at));
    for (int i = 0; i < 3; i++) at[i] = s[i] + 1.1 * a * d[i];
    assert_true(at[0] < cone_norm(at));
  }
  assert_in_range(ended, TRIALS / 2, TRIALS);
}

// known steps: towards the origin, along the axis, parallel to the boundary, from the boundary
static void known_steps(void **state) {
  (void)state;
  check_close((step_of((double[]){2, 0.6, 0.8}, (double[]){-2, -0.6, -0.8})), 1, 1e-15);
  check_close((step_of((double[]){2, 0.6, 0.8}, (double[]){-1, 0, 0})), 1, 1e-15);
  check_close((step_of((double[]){2, 1, 0}, (double[]){0, 1, 0})), 1, 1e-15);
  check_close((step_of((double[]){1, 0, 0}, (double[]){0, 0, 4})), 0.25, 1e-15);
  assert_true(isinf(step_of((double[]){2, 0.6, 0.8}, (double[]){2, 0.6, 0.8})));
  assert_true(isinf(step_of((double[]){1, 0, 0}, (double[]){1, 0.6, 0.8})));
  assert_true(isinf(step_of((double[]){1, 0, 0}, (double[]){0, 0, 0})));
  check_close((step_of((double[]){1, 1, 0}, (double[]){-1, 0, 0})), 0, 0);
  assert_true(isinf(step_of((double[]){1, 1, 0}, (double[]){1, 0, 0})));
  check_close((step_of((double[]){1, 1, 0}, (double[]){0, -2, 0})), 1, 1e-15);
}

// eigenvalues a0 -+ |a1| within the bounds, direction kept; nothing to clip: unchanged
static void clipping(void **state) {
  (void)state;
  pl_rng r;
  pl_rng_seed(&r, 7);
  for (int k = 0; k < TRIALS; k++) {
    double a[3], out[3], lo = pl_rng_uniform(&r, 0.1, 1), hi = lo * pl_rng_uniform(&r, 1, 10);
    for (int i = 0; i < 3; i++) a[i] = 2 * pl_rng_normal(&r);
    cone_clip(a, lo, hi, out);
    double n = cone_norm(a), m = cone_norm(out), eps = 4 * DBL_EPSILON * size_of(a) + 1e-15 * hi;
    check_close(out[0] - m, fmin(fmax(a[0] - n, lo), hi), eps);
    check_close(out[0] + m, fmin(fmax(a[0] + n, lo), hi), eps);
    check_close(out[1] * a[2] - out[2] * a[1], 0, eps * n);
    assert_true(out[1] * a[1] + out[2] * a[2] >= 0);
    cone_clip(out, lo - eps, hi + eps, a);
    check_array(3, a, out, eps);
  }
  const double low[3] = {0.5, 0, 0}, half[3] = {3.25, 0, 2.75};
  double out[3];
  cone_clip((double[]){-3, 0, 0}, 0.5, 2, out);
  check_array(3, out, low, 0);
  cone_clip((double[]){1, 0, 5}, 0.5, INFINITY, out);
  check_array(3, out, half, 1e-15);
}

int test_cone(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(product),     cmocka_unit_test(division), cmocka_unit_test(scaling),
      cmocka_unit_test(equal_pair),  cmocka_unit_test(inverses), cmocka_unit_test(steps),
      cmocka_unit_test(known_steps), cmocka_unit_test(clipping),
  };
  return cmocka_run_group_tests_name("limit.cone", tests, NULL, NULL);
}
