// Uniaxial tension and compression with free lateral faces: stress over stretch.
// St. Venant-Kirchhoff: S22 = 0 gives l_t^2 = 1 - nu (l^2 - 1) and P = l E (l^2 - 1)/2; in plane
// stress, too. Neo-Hookean mu/2 (I1 - 3) - mu ln J + la/2 (ln J)^2 (Bonet & Wood, Nonlinear
// Continuum Mechanics, 6.4): mu (l_t^2 - 1) + la ln(l l_t^2) = 0, P = mu l + (la ln J - mu)/l.
#include "golden.h"

#include <string.h>

static pl_env env;

static const double YOUNG = 3e5, NU = 0.3;
static const double SIZE[3] = {0.2, 0.1, 0.05};
static const double CURVE[] = {0.75, 0.9, 0.999, 1.001, 1.1, 1.3, 1.5};

typedef struct bar {
  model_kit k;
  kit_model b;
  int dim, neo, end; // end: the drive or load that pulls
  double area;
  const pl_set *right;
} bar;

static double neo_lateral(double lt, const void *ctx) {
  double l = *(const double *)ctx, mu = YOUNG / (2 * (1 + NU));
  double la = YOUNG * NU / ((1 + NU) * (1 - 2 * NU));
  return mu * (lt * lt - 1) + la * log(l * lt * lt);
}

// lateral stretch and nominal stress of the closed forms
static double closed(int neo, double l, double *lt) {
  if (!neo) {
    *lt = sqrt(1 - NU * (l * l - 1));
    return 0.5 * YOUNG * l * (l * l - 1);
  }
  double mu = YOUNG / (2 * (1 + NU)), la = YOUNG * NU / ((1 + NU) * (1 - 2 * NU));
  *lt = golden_root(neo_lateral, &l, 0.1, 10);
  return mu * l + (la * log(l * *lt * *lt) - mu) / l;
}

// nothing holds the lateral faces but planes of symmetry
static void bar_open(bar *t, const char *kind, int by_force) {
  static const int n[3] = {3, 2, 2};
  const double par[4] = {YOUNG, NU, 1000, 0.05};
  t->dim = strcmp(kind, "tri2") == 0 ? 2 : 3;
  t->neo = strstr(kind, "_nh") != NULL;
  t->area = SIZE[1] * SIZE[2];
  kit_init(&t->k, &env, t->dim);
  if (t->dim == 2)
    kit_grid(&t->k, 3, 2, SIZE[0], SIZE[1], PL_RIGHT, par);
  else
    kit_box(&t->k, kind, n, SIZE, par);
  kit_hold(&t->k, "left", 1);
  kit_hold(&t->k, t->dim == 2 ? "bottom" : "front", 2);
  if (t->dim == 3) kit_hold(&t->k, "bottom", 4);
  t->right = pl_mesh_find_set(t->k.mesh, "right");
  const double none[3] = {0};
  if (!by_force) t->end = kit_shift(&t->k, t->right->n, t->right->index, 1, none);
}

static void bar_close(bar *t) {
  kit_model_free(&t->b);
  kit_free(&t->k);
}

// the state is homogeneous: every node lies where the two stretches put it
static void check_stretches(const bar *t, double l, double lt) {
  for (int i = 0; i < t->k.d.nnode; i++)
    for (int c = 0; c < t->dim; c++) {
      double X = t->k.X[i * t->dim + c];
      check_close(t->b.s->q[i * t->dim + c], (c == 0 ? l : lt) * X, 1e-11);
    }
}

static void stress_follows_stretch(void **state) {
  (void)state;
  static const char *const kinds[] = {"tri2", "tet4", "hex8", "tet4_nh", "hex8_nh"};
  static bar t;
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    bar_open(&t, kinds[k], 0);
    kit_build(&t.k, 1, &t.b);
    for (size_t j = 0; j < sizeof CURVE / sizeof CURVE[0]; j++) {
      double l = CURVE[j], lt, P = closed(t.neo, l, &lt);
      t.b.p->par[pl_par_drive(&t.k.d, t.end, 0)] = (l - 1) * SIZE[0];
      // the mesh holds the homogeneous state exactly, so Newton's tolerance alone counts
      golden_static(&t.b, 1e-13, 1);
      check_stretches(&t, l, lt);
      double force = golden_reaction(&t.b, t.right->n, t.right->index, 0);
      check_close(force / t.area, P, 1e-11 * YOUNG);
    }
    bar_close(&t);
  }
}

// consistent nodal forces of a uniform traction: a quarter or a half of each face a node
static void pull(bar *t, double stress) {
  const int nface[2] = {2, 2};
  for (int i = 0; i < t->right->n; i++) {
    int node = t->right->index[i];
    double share = 1, f[3] = {0};
    for (int c = 1; c < t->dim; c++) {
      double X = t->k.mesh->X[3 * node + c];
      share *= (X == 0 || X == SIZE[c] ? 0.5 : 1) / nface[c - 1];
    }
    f[0] = stress * t->area * share;
    kit_push(&t->k, 1, &node, f);
  }
}

// dead loads on the end face
static void stretch_follows_force(void **state) {
  (void)state;
  static const char *const kinds[] = {"hex8", "hex8_nh"};
  static bar t;
  for (int k = 0; k < 2; k++)
    for (size_t j = 0; j < sizeof CURVE / sizeof CURVE[0]; j++) {
      double lt, P;
      bar_open(&t, kinds[k], 1);
      P = closed(t.neo, CURVE[j], &lt);
      pull(&t, P);
      kit_build(&t.k, 1, &t.b);
      pl_static_info info = golden_static(&t.b, 1e-13, 1);
      assert_int_equal(info.stable, 1);
      check_stretches(&t, CURVE[j], lt);
      bar_close(&t);
    }
}

int test_uniaxial(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stress_follows_stretch),
      cmocka_unit_test(stretch_follows_force),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("uniaxial", tests, NULL, NULL);
}
