// Patch tests: whatever the mesh inside, boundary nodes moved by an affine map give the affine map.
// Source: Irons & Razzaque 1972; Belytschko et al., Nonlinear Finite Elements, 8.3. The same holds
// at large strain for elements that hold affine maps exactly, with P constant and
// sum_i r_i X_i' = volume P (divergence theorem).
#include "golden.h"

#include <string.h>

static pl_env env;

// x = X + A X + c, stretching in every direction so that a membrane is held by its tension
static const double A[9] = {0.20, 0.10, -0.05, 0.06, 0.15, 0.08, -0.07, 0.04, 0.25};
static const double c0[3] = {0.3, -0.2, 0.1};

typedef struct patch {
  const char *kind;
  int dim, rd; // space, reference
} patch;

static void displace(int dim, const double *X, double *u) {
  for (int i = 0; i < dim; i++) {
    u[i] = c0[i];
    for (int j = 0; j < dim; j++) u[i] += A[3 * i + j] * X[j];
  }
}

// a regular mesh of unit size; nodes inside are moved by up to a fifth of a cell
static void make(model_kit *k, const patch *p) {
  static const int n[3] = {3, 3, 3};
  static const double l[3] = {1, 1, 1}, par[4] = {200, 0.3, 1, 0.1};
  kit_init(k, &env, p->dim);
  if (p->rd == 3)
    kit_box(k, p->kind, n, l, par);
  else
    kit_grid(k, 4, 4, 1, 1, PL_ALTERNATING, par);
  // bending stiffness is not part of this test: membrane alone
  if (p->dim > p->rd) k->d.ngroup = 1;
  pl_rng r;
  pl_rng_seed(&r, 7);
  for (int i = 0; i < k->d.nnode; i++) {
    double *X = k->X + i * p->dim, u[3];
    int boundary = 0;
    for (int d = 0; d < p->rd; d++) boundary |= X[d] == 0 || X[d] == 1;
    for (int d = 0; d < p->rd && !boundary; d++) X[d] += pl_rng_uniform(&r, -0.06, 0.06);
    displace(p->dim, X, u);
    if (boundary) kit_shift(k, 1, &i, (1 << p->dim) - 1, u);
  }
}

// first Piola stress of the affine map; St. Venant-Kirchhoff by S = la tr(E) + 2 mu E, in plane
// stress with la = E nu/(1 - nu^2), neo-Hookean by P = mu F + (la ln J - mu) F^-T
static void piola(const patch *p, double *P) {
  double F[9], E[9], T[9] = {0}, tr = 0;
  int sd = p->dim, rd = p->rd;
  double young = 200, nu = 0.3, mu = young / (2 * (1 + nu));
  double la = young * nu / (rd == 3 ? (1 + nu) * (1 - 2 * nu) : 1 - nu * nu);
  for (int i = 0; i < 9; i++) F[i] = A[i] + (i % 4 == 0);
  if (strstr(p->kind, "_nh")) {
    double inv[9], lnJ = log(pl_det3(F));
    pl_inv3(F, inv);
    for (int i = 0; i < 9; i++) P[i] = mu * F[i] + (la * lnJ - mu) * inv[3 * (i % 3) + i / 3];
    return;
  }
  for (int k = 0; k < rd; k++)
    for (int l = 0; l < rd; l++) {
      E[3 * k + l] = -0.5 * (k == l);
      for (int i = 0; i < sd; i++) E[3 * k + l] += 0.5 * F[3 * i + k] * F[3 * i + l];
      if (k == l) tr += E[3 * k + l];
    }
  for (int k = 0; k < rd; k++)
    for (int l = 0; l < rd; l++) T[3 * k + l] = 2 * mu * E[3 * k + l] + (k == l) * la * tr;
  for (int i = 0; i < 3; i++)
    for (int l = 0; l < 3; l++) {
      P[3 * i + l] = 0;
      for (int k = 0; k < rd && i < sd; k++) P[3 * i + l] += F[3 * i + k] * T[3 * k + l];
    }
}

static void run_patch(const patch *p) {
  static model_kit k;
  kit_model b;
  make(&k, p);
  kit_build(&k, 1, &b);
  // to the last digit that forces allow
  pl_static_info info = golden_static(&b, 1e-14, 1);
  assert_int_equal(info.stable, 1);
  double volume = p->rd == 3 ? 1 : 0.1, P[9], sum[9] = {0}, most = 0, worst = 0;
  for (int i = 0; i < k.d.nnode; i++) {
    const double *X = k.X + i * p->dim, *q = b.s->q + i * p->dim;
    double u[3];
    displace(p->dim, X, u);
    for (int d = 0; d < p->dim; d++) {
      most = fmax(most, fabs(u[d]));
      worst = fmax(worst, fabs(q[d] - X[d] - u[d]));
      for (int e = 0; e < p->rd; e++) sum[3 * d + e] += b.w->r[i * p->dim + d] * X[e] / volume;
    }
  }
  // 1e-12 of the field is the customary bound; rounding of positions of size 1 is 1e-16 each and
  // the condition number of these meshes some 1e2
  check_less(worst, 1e-12 * most);
  piola(p, P);
  check_array(9, sum, P, 1e-12 * 200);
  kit_model_free(&b);
  kit_free(&k);
}

static void affine_maps_are_exact(void **state) {
  (void)state;
  static const patch all[] = {{"tri2", 2, 2},    {"membrane", 3, 2}, {"tet4", 3, 3},
                              {"tet4_nh", 3, 3}, {"hex8", 3, 3},     {"hex8_nh", 3, 3}};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) run_patch(&all[k]);
}

int test_patch(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(affine_maps_are_exact)};
  pl_env_init(&env);
  return cmocka_run_group_tests_name("patch", tests, NULL, NULL);
}
