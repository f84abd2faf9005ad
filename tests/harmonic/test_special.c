#include "reference.h"

static pl_env env;

// ---- multipliers by plain time stepping ---------------------------------------------------------

// places at a phase of the motion
static void places(const reference *r, const pl_orbit *o, double phase, double *x) {
  int L = 2 * o->nharm + 1;
  for (int i = 0; i < r->n; i++) x[i] = ref_series(o->nharm, o->z + i * L, phase, 0);
}

// rates of small deviations y = (d, d') at a phase, time in phases
static void deviate(const reference *r, const pl_orbit *o, double phase, const double *y,
                    double *rate) {
  double x[REF_DOF], f[REF_DOF], K[REF_DOF][REF_DOF], w = o->omega;
  places(r, o, phase, x);
  ref_force(r, x, f, K);
  for (int i = 0; i < r->n; i++) {
    rate[i] = y[r->n + i];
    double s = 0;
    for (int j = 0; j < r->n; j++) s += K[i][j] * y[j] + w * r->damp[i][j] * y[r->n + j];
    rate[r->n + i] = -s / (w * w * r->mass[i]);
  }
}

// monodromy matrix [2n][2n] of the motion's own period, by the classical Runge-Kutta method
static void monodromy(const reference *r, const pl_orbit *o, double *F) {
  enum { STEPS = 4000 };
  int n = 2 * r->n;
  double h = 2 * PL_PI / STEPS;
  for (int c = 0; c < n; c++) {
    double y[4] = {0}, k1[4], k2[4], k3[4], k4[4], u[4];
    y[c] = 1;
    for (int s = 0; s < STEPS; s++) {
      double t = s * h;
      deviate(r, o, t, y, k1);
      for (int i = 0; i < n; i++) u[i] = y[i] + h / 2 * k1[i];
      deviate(r, o, t + h / 2, u, k2);
      for (int i = 0; i < n; i++) u[i] = y[i] + h / 2 * k2[i];
      deviate(r, o, t + h / 2, u, k3);
      for (int i = 0; i < n; i++) u[i] = y[i] + h * k3[i];
      deviate(r, o, t + h, u, k4);
      for (int i = 0; i < n; i++) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    for (int i = 0; i < n; i++) F[i * n + c] = y[i];
  }
}

static double determinant(int n, const double *A, double shift) {
  double B[16], d = 1;
  memcpy(B, A, (size_t)(n * n) * sizeof(double));
  for (int i = 0; i < n; i++) B[i * n + i] -= shift;
  for (int j = 0; j < n; j++) {
    int p = j;
    for (int i = j; i < n; i++)
      if (fabs(B[i * n + j]) > fabs(B[p * n + j])) p = i;
    if (p != j) d = -d;
    for (int c = 0; c < n; c++) {
      double t = B[j * n + c];
      B[j * n + c] = B[p * n + c];
      B[p * n + c] = t;
    }
    d *= B[j * n + j];
    for (int i = j + 1; i < n; i++) {
      double w = B[j * n + j] != 0 ? B[i * n + j] / B[j * n + j] : 0;
      for (int c = j; c < n; c++) B[i * n + c] -= w * B[j * n + c];
    }
  }
  return d;
}

// distance of the nearest multiplier of one oscillator from a real number
static double nearest(const reference *r, const pl_orbit *o, double to) {
  double F[4], det, tr;
  monodromy(r, o, F);
  det = F[0] * F[3] - F[1] * F[2];
  tr = F[0] + F[3];
  double q = tr * tr / 4 - det;
  if (q < 0) return INFINITY;
  return fmin(fabs(tr / 2 + sqrt(q) - to), fabs(tr / 2 - sqrt(q) - to));
}

// ---- stability --------------------------------------------------------------------------------

static pl_curve *respond(const reference *r, double from, double to, int branches, kit_model *b,
                         model_kit *kit) {
  ref_model(r, &env, kit, b);
  pl_response_opts o = ref_opts(from, to, r->H);
  o.branches = branches;
  pl_curve *c;
  int node = 0;
  check_ok(&env, pl_response(&o, b->m, b->p, b->w, 1, &node, NULL, &c));
  return c;
}

static void done(pl_curve *c, kit_model *b, model_kit *kit) {
  pl_curve_free(c);
  kit_model_free(b);
  kit_free(kit);
}

// unstable exactly between the folds, with nothing else found
static void between_folds(void **state) {
  (void)state;
  const double cubic[] = {1, -0.05}, damping[] = {0.1, 0.05}, force[] = {0.3, 0.08};
  for (int t = 0; t < 2; t++) {
    reference r;
    model_kit kit;
    kit_model b;
    ref_oscillator(&r, 1, 0, cubic[t], damping[t], force[t], 9);
    pl_curve *c = respond(&r, 0.8 - 0.2 * t, 2.5 - t, 0, &b, &kit);
    const pl_special *f[3];
    assert_int_equal(count_special(c, PL_FOLD, f, 3), 2);
    assert_int_equal(c->nspecial, 3);
    for (int i = 0; i < c->npoint; i++)
      assert_int_equal(c->point[i].stable, i <= f[0]->after || i > f[1]->after);
    for (int i = 0; i < 2; i++) check_less(nearest(&r, f[i]->orbit, 1), 1e-6);
    done(c, &b, &kit);
  }
}

// x'' + 0.1 x' + x - x^2 = F sin(omega t), the escape equation: its resonance doubles its period
static void period_doubling(void **state) {
  (void)state;
  reference r;
  model_kit kit;
  kit_model b;
  ref_oscillator(&r, 1, -1, 0, 0.1, 0.075, 16);
  pl_curve *c = respond(&r, 1.1, 0.7, 0, &b, &kit);
  const pl_special *p[2];
  assert_int_equal(count_special(c, PL_PERIOD_DOUBLING, p, 2), 1);
  check_less(nearest(&r, p[0]->orbit, -1), 1e-6);
  for (int i = 0; i < c->npoint; i++) assert_int_equal(c->point[i].stable, i <= p[0]->after);
  assert_int_equal(count_special(c, PL_BRANCH_POINT, p, 2), 0);
  done(c, &b, &kit);
}

// an oscillator with an absorber: a pair of multipliers leaves the unit circle
static void neimark_sacker(void **state) {
  (void)state;
  reference r = {.n = 2, .H = 9, .mass = {1, 0.05}, .load = {0.15, 0}};
  model_kit kit;
  kit_model b;
  ref_spring(&r, -1, 0, 1, 0, 1, 0.002);
  ref_spring(&r, 0, 1, 0.0454, 0, 0.0042, 0.0128);
  pl_curve *c = respond(&r, 0.9, 1.25, 0, &b, &kit);
  const pl_special *p[4];
  int n = count_special(c, PL_NEIMARK_SACKER, p, 4);
  assert_true(n >= 1);
  for (int i = 0; i < n; i++) {
    // the characteristic polynomial x^4 + a x^3 + b x^2 + c x + d, from its values at -2..2; a pair
    // e^+-it on the circle means that x^2 - 2 cos t x + 1 divides it
    double F[16], v[5];
    monodromy(&r, p[i]->orbit, F);
    for (int k = 0; k < 5; k++) v[k] = determinant(4, F, k - 2);
    double d = v[2], even = (v[1] + v[3]) / 2 - d, odd = (v[3] - v[1]) / 2;
    double even2 = (v[0] + v[4]) / 2 - d, odd2 = (v[4] - v[0]) / 4;
    double a = (odd2 - odd) / 3, c1 = odd - a, b2 = even - (even2 - 4 * even) / 12;
    // quotient x^2 + (a + u) x + d, u = 2 cos t; u from the coefficient of x
    double u = (c1 - a) / (1 - d);
    check_less(fabs(u), 2);
    check_less(fabs(b2 - (d + 1 - u * (a + u))), 1e-6);
  }
  done(c, &b, &kit);
}

// with any number of harmonics the motions between two folds are unstable, and no others
static void verdicts_fit_the_folds(void **state) {
  (void)state;
  for (int H = 1; H <= 4; H++) {
    reference r;
    model_kit kit;
    kit_model b;
    ref_oscillator(&r, 1, 0, 1, 0.1, 1, H);
    pl_curve *c = respond(&r, 1, 4, 0, &b, &kit);
    const pl_special *p[4];
    assert_int_equal(count_special(c, PL_FOLD, p, 4), 2);
    for (int i = 0; i < c->npoint; i++)
      assert_int_equal(c->point[i].stable, i <= p[0]->after || i > p[1]->after);
    done(c, &b, &kit);
  }
}

// ---- branches ---------------------------------------------------------------------------------

// a strongly driven Duffing oscillator loses and regains its symmetry; the branch of unsymmetric
// motions leads from one point to the other
static void symmetry_breaking(void **state) {
  (void)state;
  reference r;
  model_kit kit;
  kit_model b;
  ref_oscillator(&r, 1, 0, 1, 0.1, 4, 15);
  pl_curve *c = respond(&r, 0.75, 1.6, 1, &b, &kit);
  const pl_special *p[4];
  assert_int_equal(count_special(c, PL_BRANCH_POINT, p, 4), 2);
  for (int i = 0; i < 2; i++) {
    check_less(nearest(&r, p[i]->orbit, 1), 1e-5);
    for (int k = 0; k <= 15; k += 2) check_close(p[i]->orbit->z[2 * k], 0, 1e-5);
  }
  int first = -1, last = -1;
  for (int i = 0; i < c->npoint; i++) {
    if (c->point[i].branch == 0) continue;
    assert_int_equal(c->point[i].branch, 1);
    if (first < 0) first = i;
    last = i;
    double z[31], w = c->point[i].orbit->omega;
    memcpy(z, c->point[i].orbit->z, sizeof z);
    check_less(c->point[i].residual, 1e-8);
    // a motion of the reference, with a mean of its own
    if (fabs(z[0]) < 0.1) continue;
    check_less(ref_newton(&r, -1, 0, z, &w, NULL), 1e-10);
    check_array(31, c->point[i].orbit->z, z, 1e-5);
  }
  assert_true(first > 0 && last > first + 10);
  check_close(c->point[first].orbit->omega, p[0]->omega, 0);
  check_close(c->point[last].orbit->omega, p[1]->omega, 0);
  assert_true(fabs(c->point[(first + last) / 2].orbit->z[0]) > 0.1);
  done(c, &b, &kit);
}

// one period of the drive by time stepping from the motion's state; largest difference to the
// state that the series has then
static double after_periods(const reference *r, const pl_orbit *o, int drive_periods) {
  enum { STEPS = 4000 };
  double w = o->omega * (o->sub > 1 ? o->sub : 1), h = 2 * PL_PI / w / STEPS;
  double y[2] = {ref_series(o->nharm, o->z, 0, 0), o->omega * ref_series(o->nharm, o->z, 0, 1)};
  double start[2] = {y[0], y[1]};
  for (int s = 0; s < drive_periods * STEPS; s++) {
    double k[5][2] = {{0}}, at[4] = {0, 0.5, 0.5, 1};
    for (int i = 0; i < 4; i++) {
      double x = y[0] + h * at[i] * k[i][0], v = y[1] + h * at[i] * k[i][1];
      double f[REF_DOF], K[REF_DOF][REF_DOF], q[REF_DOF] = {x};
      ref_force(r, q, f, K);
      k[i + 1][0] = v;
      k[i + 1][1] = r->load[0] * sin(w * (s + at[i]) * h) - r->damp[0][0] * v - f[0];
    }
    for (int j = 0; j < 2; j++) y[j] += h / 6 * (k[1][j] + 2 * k[2][j] + 2 * k[3][j] + k[4][j]);
  }
  return fmax(fabs(y[0] - start[0]), fabs(y[1] - start[1]));
}

static void doubled_period(void **state) {
  (void)state;
  reference r;
  model_kit kit;
  kit_model b;
  ref_oscillator(&r, 1, -1, 0, 0.1, 0.075, 16);
  pl_curve *c = respond(&r, 1.1, 0.765, 1, &b, &kit);
  const pl_special *p[4];
  // the doubled motion doubles again: the beginning of the cascade
  assert_true(count_special(c, PL_PERIOD_DOUBLING, p, 4) >= 2);
  assert_int_equal(c->point[p[0]->after].branch, 0);
  assert_int_equal(c->point[p[1]->after].branch, 1);
  int seen = 0, stable = 0;
  for (int i = 0; i < c->npoint; i++) {
    const pl_orbit *o = c->point[i].orbit;
    if (c->point[i].branch != 1) continue;
    assert_int_equal(c->point[i].subharmonic, 2);
    assert_int_equal(o->sub, 2);
    if (seen++ < 3) continue;
    check_less(after_periods(&r, o, 2), 1e-5);
    assert_true(after_periods(&r, o, 1) > 1e-4);
    stable += c->point[i].stable;
  }
  assert_true(seen > 5 && stable >= 1);
  check_rel(2 * c->point[c->npoint - 1].orbit->omega, 0.765, 1e-12);
  done(c, &b, &kit);
}

int test_special(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(between_folds),     cmocka_unit_test(verdicts_fit_the_folds),
      cmocka_unit_test(period_doubling),   cmocka_unit_test(neimark_sacker),
      cmocka_unit_test(symmetry_breaking), cmocka_unit_test(doubled_period),
  };
  return cmocka_run_group_tests_name("harmonic.special", tests, NULL, NULL);
}
