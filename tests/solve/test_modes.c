#include "rig.h"

// masses m joined by springs k between two walls: omega_j = 2 sqrt(k/m) sin(j pi / (2 n + 2))
enum { N = 40 };
typedef struct chain {
  double X[N], spring[4], mass[1];
  int pair[2 * (N + 1)], node[N];
  pl_group_desc group[2];
  pl_model_desc desc;
} chain;

static void chain_make(chain *c, double k, double m, int nmass) {
  *c = (chain){.spring = {k, 0, 0, 0}, .mass = {m}};
  for (int i = 0; i <= N; i++) {
    c->pair[2 * i] = i - 1;
    c->pair[2 * i + 1] = i < N ? i : -1;
    if (i < N) c->node[i] = i;
  }
  c->group[0] = (pl_group_desc){"springs", kind_of("spring1"), N + 1, c->pair, 1, c->spring, 0};
  c->group[1] = (pl_group_desc){"masses", kind_of("mass1"), nmass, c->node, 1, c->mass, 0};
  c->desc = (pl_model_desc){.dim = 1, .nnode = N, .X = c->X, .ngroup = 2, .group = c->group};
}

static void chain_of_masses(void **state) {
  (void)state;
  const double k[3] = {3, 1e9, 1e-9}, m[3] = {0.5, 1e-6, 1e3};
  for (int i = 0; i < 3; i++) {
    chain c;
    chain_make(&c, k[i], m[i], N);
    rig r;
    rig_open(&r, &c.desc, 1);
    pl_modes_opts o = {.count = 8};
    pl_modes_info info;
    double omega[8], shape[8 * N], got[N], want[N];
    check_ok(&r.env, pl_modes(&o, r.m, r.p, r.s, r.w, omega, shape, &info));
    assert_int_equal(info.nfound, 8);
    assert_int_equal(info.nrigid + info.nunstable, 0);
    for (int j = 1; j <= 8; j++) {
      check_rel(omega[j - 1], 2 * sqrt(k[i] / m[i]) * sin(j * PL_PI / (2 * N + 2)), 1e-10);
      // sqrt(2 / (n + 1) / m) sin(j pi x), up to its sign
      double sign = shape[(j - 1) * N] < 0 ? -1 : 1, a = sqrt(2.0 / (N + 1) / m[i]);
      for (int n = 0; n < N; n++) {
        got[n] = sign * shape[(j - 1) * N + n] / a;
        want[n] = sin(j * PL_PI * (n + 1) / (N + 1));
      }
      check_array(N, got, want, 1e-7);
    }
    rig_close(&r);
  }
}

// as many modes as masses
static void few_masses(void **state) {
  (void)state;
  chain c;
  chain_make(&c, 3, 0.5, 3);
  rig r;
  rig_open(&r, &c.desc, 1);
  pl_modes_opts o = {.count = 8};
  pl_modes_info info;
  double omega[8], shape[8 * N];
  check_ok(&r.env, pl_modes(&o, r.m, r.p, r.s, r.w, omega, shape, &info));
  assert_int_equal(info.nfound, 3);
  // masses 0, 1, 2 and 38 springs in a row beyond: a chain of three with a softer end
  double K[3][3] = {{6, -3, 0}, {-3, 6, -3}, {0, -3, 3 + 3.0 / 38}};
  for (int j = 0; j < 3; j++) {
    double l = 0.5 * omega[j] * omega[j], a = K[0][0] - l, b = K[1][1] - l, d = K[2][2] - l;
    check_close((a * (b * d - 9) - 9 * d) / 27, 0, 1e-9);
  }
  rig_close(&r);
}

static void no_mass(void **state) {
  (void)state;
  chain c;
  chain_make(&c, 3, 0.5, N);
  c.desc.ngroup = 1;
  rig r;
  rig_open(&r, &c.desc, 1);
  pl_modes_opts o = {.count = 2};
  double omega[2], shape[2 * N];
  check_status(&r.env, pl_modes(&o, r.m, r.p, r.s, r.w, omega, shape, NULL), PL_E_INPUT);
  assert_non_null(strstr(r.env.error.text, "mass"));
  rig_close(&r);
}

// a free solid: six rigid modes in any place and units, then vibration
static void free_solid(void **state) {
  (void)state;
  const double size[3] = {1, 1e-3, 1e3};
  for (int k = 0; k < 3; k++) {
    const double a[3] = {2 * size[k], size[k], 0.5 * size[k]}, par[3] = {2e9, 0.3, 1000};
    box b;
    box_make(&b, 4, 2, 1, a);
    for (int i = 0; i < 3 * b.nnode; i++) b.X[i] += 10 * size[k];
    pl_group_desc group[1] = {{"block", kind_of("tet4"), b.ntet, b.tet, 1, par, 0}};
    pl_model_desc d = {.dim = 3, .nnode = b.nnode, .X = b.X, .ngroup = 1, .group = group};
    rig r;
    rig_open(&r, &d, 1);
    for (int count = 3; count <= 9; count += 3) {
      pl_modes_opts o = {.count = count};
      pl_modes_info info;
      double omega[9], shape[9 * 90];
      assert_int_equal(b.nnode, 30);
      check_ok(&r.env, pl_modes(&o, r.m, r.p, r.s, r.w, omega, shape, &info));
      assert_int_equal(info.nfound, count);
      assert_int_equal(info.nrigid, count < 6 ? count : 6);
      assert_int_equal(info.nunstable, 0);
      for (int j = 6; j < count; j++) {
        // between a bending wave of the length and a pressure wave of the thickness
        check_less(omega[j], 10 * sqrt(par[0] / par[2]) / a[2]);
        check_less(0.1 * sqrt(par[0] / par[2]) * a[2] / (a[0] * a[0]), omega[j]);
      }
    }
    rig_close(&r);
    box_free(&b);
  }
}

// two bars pressed flat: sideways stiff, across unstable: k_y = 2 k (1 - L/b)
static void unstable_state(void **state) {
  (void)state;
  double b = 1, h = 0.3, k = 100, m = 2, L = sqrt(b * b + h * h);
  const double X[6] = {-b, 0, 0, h, b, 0}, par[2] = {k, 0}, mass[1] = {m};
  const int end[4] = {0, 1, 1, 2}, fix[2] = {0, 2}, top[1] = {1};
  pl_group_desc group[2] = {{"bars", kind_of("link"), 2, end, 1, par, 0},
                            {"top", kind_of("point"), 1, top, 1, mass, 0}};
  pl_drive_desc drive[1] = {{.nnode = 2, .node = fix, .mask = 3}};
  pl_model_desc d = {
      .dim = 2, .nnode = 3, .X = X, .ngroup = 2, .ndrive = 1, .group = group, .drive = drive};
  rig r;
  rig_open(&r, &d, 1);
  r.s->q[3] = 0;
  pl_modes_opts o = {.count = 6};
  pl_modes_info info;
  double omega[6], shape[36];
  check_ok(&r.env, pl_modes(&o, r.m, r.p, r.s, r.w, omega, shape, &info));
  assert_int_equal(info.nfound, 2);
  assert_int_equal(info.nunstable, 1);
  check_rel(omega[0], -sqrt(2 * k * (L / b - 1) / m), 1e-10);
  check_rel(omega[1], sqrt(2 * k / m), 1e-10);
  check_close(shape[0] + shape[1] + shape[4] + shape[5], 0, 0);
  check_rel(fabs(shape[3]), 1 / sqrt(m), 1e-10);
  rig_close(&r);
}

static pl_status find_modes(pl_env *env, void *ctx) {
  rig r = {.env = *env};
  pl_modes_opts o = {.count = 4};
  double omega[4], shape[4 * N];
  pl_status s = rig_try(&r, ctx, 1);
  if (s == PL_OK) s = pl_modes(&o, r.m, r.p, r.s, r.w, omega, shape, NULL);
  rig_close(&r);
  *env = r.env;
  return s;
}

static void out_of_memory(void **state) {
  (void)state;
  chain c;
  chain_make(&c, 3, 0.5, N);
  check_allocations(find_modes, &c.desc);
}

int test_modes(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chain_of_masses), cmocka_unit_test(few_masses),
      cmocka_unit_test(no_mass),         cmocka_unit_test(free_solid),
      cmocka_unit_test(unstable_state),  cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests_name("solve.modes", tests, NULL, NULL);
}
