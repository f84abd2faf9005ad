// Steps that turn, tangents with stresses extrapolated, and the strength of drives as an unknown.
#include "check.h"
#include "models.h"

#include "curve_impl.h"

#include <string.h>

static pl_env env;

// a plate in space; the first `held` nodes are turned about the y axis
static void plate(model_kit *k, double young, int held, double angle) {
  const double par[4] = {young, 0.36, 1240, 0.8e-3};
  static const int node[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                               16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
  static pl_term rot;
  kit_init(k, &env, 3);
  kit_grid(k, 6, 3, 0.2, 0.1, PL_ALTERNATING, par);
  k->d.alpha = 0.5;
  k->d.beta = 5e-5;
  if (held == 0) return;
  rot = (pl_term){1, {angle, 0, 0}, 0.3};
  pl_drive_desc *d = kit_drive(k, held, node);
  d->kind = PL_DRIVE_ROTATION;
  d->axis[1] = 1;
  d->nterm = 1;
  d->term = &rot;
}

static double gap(int nfree, int L, const double *z, int a, int b) {
  double d2 = 0;
  (void)nfree;
  for (int c = 0; c < 3; c++) {
    double d = z[(3 * a + c) * L] - z[(3 * b + c) * L];
    d2 += d * d;
  }
  return sqrt(d2);
}

// the linear displacement of a large rotation stretches a body; as a step it turns it
static void free_body_turns(void **state) {
  (void)state;
  const double angle = 0.9, axis[3] = {0.36, 0.48, 0.8};
  model_kit kit;
  kit_model b;
  pl_hb *hb;
  plate(&kit, 3.3e9, 0, 0);
  kit_build(&kit, 1, &b);
  check_ok(&env, pl_hb_create(b.m, b.p, b.w, 1, 8, &hb));
  int n = pl_hb_size(hb), nn = pl_model_nnode(b.m), L = 3;
  double *z = pl_alloc(&env, 3 * (size_t)n, sizeof *z), *dz = z + n, *out = dz + n;
  for (int i = 0; i < nn; i++) {
    double w[3], u[3];
    for (int c = 0; c < 3; c++) w[c] = angle * axis[c];
    pl_cross3(w, b.p->X + 3 * i, u);
    for (int c = 0; c < 3; c++) {
      z[(3 * i + c) * L] = b.p->X[3 * i + c];
      dz[(3 * i + c) * L] = u[c];
    }
  }
  check_ok(&env, hb_move(hb, z, dz, out));
  double R[9], most = 0;
  pl_rotation3(axis, angle, R);
  for (int a = 0; a < nn; a++)
    for (int c = 0; c < a; c++) {
      // distances stay, directions are those of the rotation
      check_rel(gap(n, L, out, a, c), gap(n, L, z, a, c), 1e-6);
      double d[3], to[3];
      for (int k = 0; k < 3; k++) {
        d[k] = b.p->X[3 * a + k] - b.p->X[3 * c + k];
        to[k] = out[(3 * a + k) * L] - out[(3 * c + k) * L];
      }
      for (int k = 0; k < 3; k++) most = fmax(most, fabs(pl_dot3(R + 3 * k, d) - to[k]));
    }
  check_less(most, 1e-7);
  pl_free(&env, z);
  pl_hb_free(hb);
  kit_model_free(&b);
  kit_free(&kit);
}

// what a step adds to the plain one is of second order in it
static void second_order(void **state) {
  (void)state;
  model_kit kit;
  kit_model b;
  pl_hb *hb;
  pl_rng r;
  plate(&kit, 3.3e9, 4, 0.2);
  kit_build(&kit, 1, &b);
  check_ok(&env, pl_hb_create(b.m, b.p, b.w, 3, 32, &hb));
  int n = pl_hb_size(hb), nfree = pl_model_nfree(b.m), L = 7;
  double *z = pl_alloc(&env, 4 * (size_t)n, sizeof *z), *dz = z + n, *out = dz + n, *step = out + n;
  pl_rng_seed(&r, 3);
  for (int i = 0; i < nfree; i++) z[i * L] = b.p->X[pl_model_free_dofs(b.m)[i]];
  for (int i = 0; i < n; i++) {
    z[i] += 1e-3 * pl_rng_normal(&r) / (1 + i % L);
    dz[i] = 1e-3 * pl_rng_normal(&r) / (1 + i % L);
  }
  double h[4], off[4];
  for (int k = 0; k < 4; k++) {
    h[k] = pow(0.5, k);
    for (int i = 0; i < n; i++) step[i] = h[k] * dz[i];
    check_ok(&env, hb_move(hb, z, step, out));
    off[k] = 0;
    for (int i = 0; i < n; i++) off[k] = fmax(off[k], fabs(out[i] - z[i] - step[i]));
  }
  check_close(order_slope(4, h, off), 2, 0.1);
  pl_free(&env, z);
  pl_hb_free(hb);
  kit_model_free(&b);
  kit_free(&kit);
}

// A small turn written as a straight displacement does not strain an element to first order: with
// stresses extrapolated, its stretched copy resists no further turn.
static void mixed_stress(void **state) {
  (void)state;
  static const char *const kinds[] = {"membrane", "tet4", "hex8", "link"};
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    const pl_elem_kind *e = pl_elem_find(kinds[k]);
    double X[PL_NDOF_MAX], q[PL_NDOF_MAX], v[PL_NDOF_MAX], par[PL_NPAR_MAX], rest[PL_NREST_MAX];
    double dq[PL_NDOF_MAX], spin[PL_NDOF_MAX], K[PL_NDOF_MAX * PL_NDOF_MAX], C[sizeof K / 8], W;
    const double w[3] = {0.1, -0.2, 0.15};
    e->sample(5, X, q, v, par);
    assert_int_equal(e->d.prepare(X, rest), 0);
    for (int a = 0; a < e->nvert; a++) {
      pl_cross3(w, X + 3 * a, dq + 3 * a);
      for (int c = 0; c < 3; c++) q[3 * a + c] = X[3 * a + c] + dq[3 * a + c];
      pl_cross3(w, q + 3 * a, spin + 3 * a);
    }
    assert_int_equal(e->d.eval(q, par, rest, &W, NULL, K), 0);
    e->mixed(q, X, dq, par, rest, C);
    double plain = 0, mixed = 0, size = pl_max_abs(e->ndof * e->ndof, K);
    for (int i = 0; i < e->ndof; i++) {
      double x = 0, y = 0;
      for (int j = 0; j < e->ndof; j++) {
        x += K[i * e->ndof + j] * spin[j];
        y += (K[i * e->ndof + j] + C[i * e->ndof + j]) * spin[j];
      }
      plain = fmax(plain, fabs(x));
      mixed = fmax(mixed, fabs(y));
    }
    check_less(1e-3 * size, plain);
    check_less(mixed, 1e-13 * size);
  }
}

// dh/dstrength against central differences of the residual
static void strength_column_is_exact(void **state) {
  (void)state;
  const double at = 0.7, eps = 1e-5, omega = 9;
  model_kit kit;
  kit_model b;
  pl_hb *hb;
  strength *s;
  pl_rng r;
  // soft, so that differences do not drown in rounding
  plate(&kit, 3e3, 4, 0.4);
  kit_build(&kit, 1, &b);
  double *par = pl_alloc(&env, (size_t)b.p->npar, sizeof *par);
  memcpy(par, b.p->par, (size_t)b.p->npar * sizeof *par);
  check_ok(&env, pl_hb_create(b.m, b.p, b.w, 2, 32, &hb));
  check_ok(&env, strength_create(hb, b.p, par, &s));
  int n = pl_hb_size(hb), nfree = pl_model_nfree(b.m), L = 5;
  double *z = pl_alloc(&env, 4 * (size_t)n, sizeof *z), *got = z + n, *hi = got + n, *lo = hi + n;
  pl_rng_seed(&r, 4);
  for (int i = 0; i < nfree; i++) z[i * L] = b.p->X[pl_model_free_dofs(b.m)[i]];
  for (int i = 0; i < n; i++) z[i] += 2e-3 * pl_rng_normal(&r);
  check_ok(&env, strength_set(s, at));
  check_ok(&env, strength_column(s, z, omega, got));
  for (int k = 0; k < 2; k++) {
    check_ok(&env, strength_set(s, at + (k ? -eps : eps)));
    check_ok(&env, pl_hb_eval(hb, z, omega, PL_HB_RESIDUAL));
    memcpy(k ? lo : hi, pl_hb_residual(hb), (size_t)n * sizeof *z);
  }
  for (int i = 0; i < n; i++) hi[i] = (hi[i] - lo[i]) / (2 * eps);
  check_array(n, got, hi, 1e-6 * pl_max_abs(n, hi));
  strength_free(s);
  pl_hb_free(hb);
  pl_free(&env, z);
  pl_free(&env, par);
  kit_model_free(&b);
  kit_free(&kit);
}

int test_continuation(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_body_turns),
      cmocka_unit_test(second_order),
      cmocka_unit_test(mixed_stress),
      cmocka_unit_test(strength_column_is_exact),
  };
  return cmocka_run_group_tests_name("harmonic.continuation", tests, NULL, NULL);
}
