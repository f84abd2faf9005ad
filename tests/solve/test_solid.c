#include "rig.h"

// a strip of nx x ny rectangles of two triangles, sides a, held at the left, pulled at the right
enum { NX = 6, NY = 3, NN = (NX + 1) * (NY + 1), NT = 2 * NX * NY };
typedef struct strip {
  double X[2 * NN], par[4];
  int tri[3 * NT], left[NY + 1], right[NY + 1], corner[1];
  pl_term pull[1];
  pl_group_desc group[1];
  pl_drive_desc drive[3];
  pl_model_desc desc;
} strip;

static void strip_make(strip *s, const double a[2], double young, double poisson, double pull) {
  *s = (strip){.par = {young, poisson, 1000, 0.01}, .pull = {{0, {pull, 0, 0}, 0}}};
  int *t = s->tri;
  for (int i = 0; i <= NX; i++)
    for (int j = 0; j <= NY; j++) {
      int n = i * (NY + 1) + j, e = n + NY + 1;
      s->X[2 * n] = a[0] * i / NX;
      s->X[2 * n + 1] = a[1] * j / NY;
      if (i == NX || j == NY) continue;
      const int two[6] = {n, e, e + 1, n, e + 1, n + 1};
      memcpy(t, two, sizeof two);
      t += 6;
    }
  for (int j = 0; j <= NY; j++) {
    s->left[j] = j;
    s->right[j] = NX * (NY + 1) + j;
  }
  s->group[0] = (pl_group_desc){"sheet", kind_of("tri2"), NT, s->tri, 1, s->par, 0};
  s->drive[0] = (pl_drive_desc){.nnode = NY + 1, .node = s->left, .mask = 1};
  s->drive[1] = (pl_drive_desc){.nnode = NY + 1, .node = s->right, .mask = 1};
  s->drive[1].nterm = 1;
  s->drive[1].term = s->pull;
  s->drive[2] = (pl_drive_desc){.nnode = 1, .node = s->corner, .mask = 2};
  s->desc = (pl_model_desc){.dim = 2,
                            .nnode = NN,
                            .X = s->X,
                            .ngroup = 1,
                            .ndrive = 3,
                            .group = s->group,
                            .drive = s->drive};
}

// St. Venant-Kirchhoff in uniaxial stress: S = E (x^2 - 1)/2, cross strain -nu times as large
static void pulled_strip(void **state) {
  (void)state;
  // pressed ones are short, or they would buckle
  const double young = 2e6, nu = 0.3, pull[4] = {0.5, 0.06, -0.05, -0.03};
  for (int k = 0; k < 4; k++) {
    const double a[2] = {k < 2 ? 0.6 : 0.3, 0.2};
    strip s;
    strip_make(&s, a, young, nu, pull[k]);
    rig r;
    rig_open(&r, &s.desc, 1);
    pl_static_opts opt = static_defaults();
    pl_static_info info;
    check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
    double x = 1 + pull[k] / a[0], strain = (x * x - 1) / 2, y = sqrt(1 - 2 * nu * strain);
    double want[2 * NN];
    for (int i = 0; i < NN; i++) {
      want[2 * i] = x * s.X[2 * i];
      want[2 * i + 1] = y * s.X[2 * i + 1];
    }
    check_array(2 * NN, r.s->q, want, 1e-9);
    double force = 0;
    for (int j = 0; j <= NY; j++) force += r.w->r[2 * s.right[j]];
    check_rel(force, x * young * strain * a[1] * s.par[3], 1e-7);
    assert_int_equal(info.stable, 1);
    check_less((double)info.iterations, 30);
    rig_close(&r);
  }
}

// all of a body turned by its clamped end: no stress afterwards, whatever the angle
static void turned_strip(void **state) {
  (void)state;
  const double a[2] = {0.6, 0.2};
  for (int k = 1; k <= 3; k++) {
    strip s;
    strip_make(&s, a, 2e6, 0.3, 0);
    double angle = 0.5 * k;
    pl_term rotation[1] = {{0, {angle, 0, 0}, 0}};
    pl_drive_desc drive[1] = {{.kind = PL_DRIVE_ROTATION,
                               .nnode = NY + 1,
                               .node = s.left,
                               .axis = {0, 0, 1},
                               .nterm = 1,
                               .term = rotation}};
    s.desc.drive = drive;
    s.desc.ndrive = 1;
    rig r;
    rig_open(&r, &s.desc, 1);
    pl_static_opts opt = static_defaults();
    pl_static_info info;
    check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
    double want[2 * NN];
    for (int i = 0; i < NN; i++) {
      want[2 * i] = cos(angle) * s.X[2 * i] - sin(angle) * s.X[2 * i + 1];
      want[2 * i + 1] = sin(angle) * s.X[2 * i] + cos(angle) * s.X[2 * i + 1];
    }
    check_array(2 * NN, r.s->q, want, 1e-9);
    rig_close(&r);
  }
}

// a block whose law forbids inversion, pressed to a fifth and drawn to three times its length
// between walls that keep its width: every plane moves evenly
static void pressed_block(void **state) {
  (void)state;
  const double a[3] = {1, 0.5, 0.5}, par[3] = {1e5, 0.3, 1000};
  box b;
  box_make(&b, 4, 2, 2, a);
  int all[45], left[9], right[9], ny = 3 * 3;
  assert_int_equal(b.nnode, 45);
  for (int i = 0; i < 45; i++) all[i] = i;
  for (int i = 0; i < ny; i++) {
    left[i] = i;
    right[i] = 4 * ny + i;
  }
  for (int k = 0; k < 2; k++) {
    double stretch = k ? 3 : 0.2;
    pl_term pull[1] = {{0, {stretch - 1, 0, 0}, 0}};
    pl_group_desc group[1] = {{"block", kind_of("tet4_nh"), b.ntet, b.tet, 1, par, 0}};
    pl_drive_desc drive[3] = {{.nnode = 45, .node = all, .mask = 6},
                              {.nnode = ny, .node = left, .mask = 1},
                              {.nnode = ny, .node = right, .mask = 1, .nterm = 1, .term = pull}};
    pl_model_desc d = {.dim = 3,
                       .nnode = b.nnode,
                       .X = b.X,
                       .ngroup = 1,
                       .ndrive = 3,
                       .group = group,
                       .drive = drive};
    rig r;
    rig_open(&r, &d, 1);
    pl_static_opts opt = static_defaults();
    pl_static_info info;
    check_ok(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info));
    for (int i = 0; i < 45; i++) check_close(r.s->q[3 * i], stretch * b.X[3 * i], 1e-9);
    assert_int_equal(info.stable, 1);
    rig_close(&r);
  }
  box_free(&b);
}

static pl_status try_block(const box *b, int ndrive, const pl_drive_desc *drive, double g, rig *r,
                           pl_static_info *info) {
  const double par[3] = {1e5, 0.3, 1000};
  pl_group_desc group[1] = {{"block", kind_of("tet4"), b->ntet, b->tet, 1, par, 0}};
  pl_model_desc d = {.dim = 3,
                     .nnode = b->nnode,
                     .X = b->X,
                     .ngroup = 1,
                     .ndrive = ndrive,
                     .group = group,
                     .drive = drive,
                     .gravity = {0, 0, -g}};
  rig_open(r, &d, 1);
  pl_static_opts opt = static_defaults();
  return pl_static(&opt, r->m, r->p, r->s, r->w, NULL, NULL, info);
}

static void free_body(void **state) {
  (void)state;
  const double a[3] = {1, 0.5, 0.5};
  box b;
  box_make(&b, 2, 1, 1, a);
  rig r;
  pl_static_info info;
  // nothing fixed: six modes, with and without load
  for (int k = 0; k < 2; k++) {
    check_status(&r.env, try_block(&b, 0, NULL, k * 9.81, &r, &info), PL_E_INPUT);
    assert_int_equal(info.reason, PL_STOP_SINGULAR);
    assert_non_null(strstr(r.env.error.text, "6 modes"));
    assert_non_null(strstr(r.env.error.text, "node "));
    assert_non_null(strstr(r.env.error.hint, "fix"));
    rig_close(&r);
  }
  // one corner fixed: it can turn in three ways; along an edge: in one
  const int corner[2] = {box_node(&b, 0, 0, 0), box_node(&b, 0, 0, 1)};
  pl_drive_desc drive[1] = {{.nnode = 1, .node = corner, .mask = 7}};
  check_status(&r.env, try_block(&b, 1, drive, 0, &r, &info), PL_E_INPUT);
  assert_non_null(strstr(r.env.error.text, "3 modes"));
  rig_close(&r);
  drive[0].nnode = 2;
  check_status(&r.env, try_block(&b, 1, drive, 0, &r, &info), PL_E_INPUT);
  assert_non_null(strstr(r.env.error.text, "1 mode "));
  rig_close(&r);
  // hung up by the upper edge it finds its place: its centre below the edge
  const int edge[2] = {box_node(&b, 0, 0, 1), box_node(&b, 0, 1, 1)};
  drive[0].node = edge;
  check_ok(&r.env, try_block(&b, 1, drive, 0.01, &r, &info));
  assert_int_equal(info.stable, 1);
  double x = 0;
  for (int i = 0; i < b.nnode; i++) x += r.s->q[3 * i];
  check_less(fabs(x / b.nnode), 0.1);
  rig_close(&r);
  box_free(&b);
}

// a second piece that nothing holds is named
static void loose_piece(void **state) {
  (void)state;
  const double X[10] = {0, 0, 1, 0, 0.5, 1, 3, 0, 4, 0}, par[2] = {100, 0};
  const int end[8] = {0, 1, 1, 2, 0, 2, 3, 4}, fix[2] = {0, 1};
  pl_group_desc group[1] = {{"bars", kind_of("link"), 4, end, 1, par, 0}};
  pl_drive_desc drive[1] = {{.nnode = 2, .node = fix, .mask = 3}};
  pl_model_desc d = {.dim = 2,
                     .nnode = 5,
                     .X = X,
                     .ngroup = 1,
                     .ndrive = 1,
                     .group = group,
                     .drive = drive,
                     .gravity = {0, -1, 0}};
  rig r;
  rig_open(&r, &d, 1);
  pl_static_opts opt = static_defaults();
  pl_static_info info;
  check_status(&r.env, pl_static(&opt, r.m, r.p, r.s, r.w, NULL, NULL, &info), PL_E_INPUT);
  assert_non_null(strstr(r.env.error.text, "node 3 in x"));
  rig_close(&r);
}

int test_solid(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pulled_strip),  cmocka_unit_test(turned_strip),
      cmocka_unit_test(pressed_block), cmocka_unit_test(free_body),
      cmocka_unit_test(loose_piece),
  };
  return cmocka_run_group_tests_name("solve.solid", tests, NULL, NULL);
}
