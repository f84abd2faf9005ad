// Barriers of the projection: planes in closed form, friction against Coulomb's law solved apart.
#include "sheets.h"

static pl_env env;

static double wide[1][3] = {{1e4, 1e4, 0}}; // a hundred times longer: never reached
static const pl_limit loose = {.nellipse = 1, .B = (const double (*)[3])wide};

static void random_frame(pl_rng *r, double frame[3][3]) {
  double axis[3], R[9];
  for (int c = 0; c < 3; c++) axis[c] = pl_rng_normal(r);
  pl_rotation3(axis, pl_rng_uniform(r, 0, 3), R);
  memcpy(frame, R, sizeof R);
}

static void point(const pl_contact_row *w, const double *x, double y[3]) {
  for (int c = 0; c < 3; c++) {
    y[c] = 0;
    for (int a = 0; a < w->n; a++) y[c] += w->weight[a] * x[3 * w->vert[a] + c];
  }
}

// gap and slide of a state, along the frame
static void opening(const pl_contact_row *w, const double *x, double u[3]) {
  double y[3], d[3];
  point(w, x, y);
  pl_sub3(y, w->from, d);
  u[0] = pl_dot3(w->frame[0], y) - w->offset;
  u[1] = pl_dot3(w->frame[1], d);
  u[2] = pl_dot3(w->frame[2], d);
}

// on n vertices with random weights, pressed into a plane by about `depth`
static pl_contact_row random_barrier(pl_rng *r, const double *x, int n, const int *vert,
                                     double mu) {
  pl_contact_row w = {.n = n, .mu = mu};
  double sum = 0, y[3];
  for (int a = 0; a < n; a++) {
    w.vert[a] = vert[a];
    sum += w.weight[a] = pl_rng_uniform(r, 0.1, 1);
  }
  for (int a = 0; a < n; a++) w.weight[a] /= sum;
  random_frame(r, w.frame);
  point(&w, x, y);
  w.offset = pl_dot3(w.frame[0], y) + 0.02 * pl_rng_normal(r);
  for (int c = 0; c < 3; c++) w.from[c] = y[c] + 0.01 * pl_rng_normal(r);
  return w;
}

static void flat_cloth(cloth *k, pl_rng *r, int n) {
  cloth_grid(k, n, n, 0.5, 0.5);
  for (int i = 0; i < k->nvert; i++) k->weight[i] = pl_rng_uniform(r, 0.001, 0.1);
}

static double edge_of(const cloth *k) {
  double d[3];
  pl_sub3(k->X + 3 * k->tri[0], k->X + 3 * k->tri[1], d);
  return pl_norm3(d);
}

// ---- closed forms -------------------------------------------------------------------------------

// every vertex has its plane: those below are lifted to it
static void planes(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  o.gap = 1e-10;
  pl_rng r;
  pl_rng_seed(&r, 1);
  cloth k;
  pl_project_info info;
  flat_cloth(&k, &r, 5);
  pl_contact_row wall[36];
  double want[3 * 36];
  int pressed = 0;
  memcpy(want, k.xhat, sizeof want);
  for (int i = 0; i < 36; i++) {
    double u[3];
    wall[i] = random_barrier(&r, k.xhat, 1, &i, 0);
    opening(&wall[i], k.xhat, u);
    for (int c = 0; c < 3; c++) want[3 * i + c] += fmax(0, -u[0]) * wall[i].frame[0][c];
    pressed += u[0] < 0;
  }
  pl_sheet *s = cloth_sheet(&env, &k, 1, &loose);
  check_ok(&env, pl_project(&o, s, k.xhat, 36, wall, NULL, k.x, &info));
  check_less(cloth_distance(&k, k.x, want), info.distance + 1e-12);
  assert_int_equal(info.nbarrier, pressed);
  for (int i = 0; i < 36; i++) {
    double u[3];
    opening(&wall[i], k.xhat, u);
    check_close(wall[i].force[0], k.weight[i] * fmax(0, -u[0]), 1e-5 * k.weight[i] * 0.02);
    assert_int_equal(wall[i].status == PL_OPEN, u[0] > 0);
  }
  // nothing pressed: nothing moves
  for (int i = 0; i < 36; i++) wall[i].offset -= 1;
  check_ok(&env, pl_project(&o, s, k.xhat, 36, wall, NULL, k.x, &info));
  assert_int_equal(info.reason, PL_PROJECT_INSIDE);
  check_array(108, k.x, k.xhat, 0);
  check_close(wall[3].force[0], 0, 0);
  pl_sheet_free(s);
  cloth_close(&k);
}

// a soft plane yields in proportion to its force: 1/w + give in place of 1/w
static void soft_planes(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  o.gap = 1e-10;
  pl_rng r;
  pl_rng_seed(&r, 2);
  cloth k;
  pl_project_info info;
  flat_cloth(&k, &r, 3);
  pl_contact_row wall[16];
  for (int i = 0; i < 16; i++) {
    wall[i] = random_barrier(&r, k.xhat, 1, &i, 0);
    wall[i].give = pow(10, pl_rng_uniform(&r, -2, 2)) / k.weight[i];
  }
  pl_sheet *s = cloth_sheet(&env, &k, 1, &loose);
  check_ok(&env, pl_project(&o, s, k.xhat, 16, wall, NULL, k.x, &info));
  for (int i = 0; i < 16; i++) {
    double u[3], v[3];
    opening(&wall[i], k.xhat, u);
    opening(&wall[i], k.x, v);
    double force = fmax(0, -u[0]) / (1 / k.weight[i] + wall[i].give);
    check_close(wall[i].force[0], force, 1e-5 * k.weight[i] * 0.02);
    check_close(v[0], fmax(u[0], -wall[i].give * force), 1e-5 * 0.02);
  }
  pl_sheet_free(s);
  cloth_close(&k);
}

// ---- friction -----------------------------------------------------------------------------------

// each contact alone, on one to four vertices that no other has: W = sum weight^2 / w
static void contacts_apart(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  pl_rng r;
  pl_rng_seed(&r, 3);
  int seen[3] = {0};
  for (int trial = 0; trial < 12; trial++) {
    cloth k;
    pl_project_info info;
    pl_contact_row wall[24];
    int n = 1 + trial % 4, count = 24 / n;
    flat_cloth(&k, &r, 5);
    double edge = edge_of(&k);
    for (int i = 0; i < count; i++) {
      int vert[4];
      for (int a = 0; a < n; a++) vert[a] = i + count * a;
      wall[i] = random_barrier(&r, k.xhat, n, vert, pl_rng_uniform(&r, 0.05, 1.2));
    }
    pl_sheet *s = cloth_sheet(&env, &k, 1, &loose);
    check_ok(&env, pl_project(&o, s, k.xhat, count, wall, NULL, k.x, &info));
    for (int i = 0; i < count; i++) {
      double W[9] = {0}, c[3], p[3], u[3];
      for (int a = 0; a < n; a++)
        for (int e = 0; e < 3; e++)
          W[4 * e] += wall[i].weight[a] * wall[i].weight[a] / k.weight[wall[i].vert[a]];
      opening(&wall[i], k.xhat, c);
      pl_contact_status status = pl_friction_one(W, c, wall[i].mu, p);
      opening(&wall[i], k.x, u);
      seen[status]++;
      for (int e = 0; e < 3; e++) {
        check_close(u[e], c[e] + W[0] * p[e], 2e-5 * edge);
        check_close(wall[i].force[e], p[e], 2e-5 * edge / W[0]);
      }
      assert_int_equal(wall[i].status, status);
    }
    pl_sheet_free(s);
    cloth_close(&k);
  }
  for (int i = 0; i < 3; i++) assert_in_range(seen[i], 10, 1000);
}

// contacts that share vertices: W = A M^-1 A', solved by the other solver of Coulomb's law
static void contacts_coupled(void **state) {
  (void)state;
  enum { COUNT = 8, M = 3 * COUNT };
  pl_project_opts o = project_defaults();
  pl_rng r;
  pl_rng_seed(&r, 4);
  for (int trial = 0; trial < 20; trial++) {
    cloth k;
    pl_project_info info;
    pl_contact_row wall[COUNT];
    double W[M * M] = {0}, c[M], mu[COUNT], p[M] = {0}, u[M];
    flat_cloth(&k, &r, 4);
    double edge = edge_of(&k);
    for (int i = 0; i < COUNT; i++) {
      int vert[3] = {2 * i, 2 * i + 1, 2 * i + 2};
      wall[i] = random_barrier(&r, k.xhat, 3, vert, mu[i] = pl_rng_uniform(&r, 0.05, 0.5));
      opening(&wall[i], k.xhat, c + 3 * i);
    }
    for (int i = 0; i < COUNT * COUNT; i++) {
      const pl_contact_row *a = &wall[i / COUNT], *b = &wall[i % COUNT];
      double f = 0;
      for (int j = 0; j < 9; j++)
        if (a->vert[j / 3] == b->vert[j % 3])
          f += a->weight[j / 3] * b->weight[j % 3] / k.weight[a->vert[j / 3]];
      for (int j = 0; j < 9; j++)
        W[(3 * (i / COUNT) + j / 3) * M + 3 * (i % COUNT) + j % 3] =
            f * pl_dot3(a->frame[j / 3], b->frame[j % 3]);
    }
    pl_friction_desc d = {.n = COUNT, .size = 3, .W = W, .c = c, .mu = mu};
    pl_friction_opts fo;
    pl_opts_default(pl_friction_option_table, pl_friction_option_count, &fo);
    check_ok(&env, pl_friction(&env, &fo, &d, p, u, NULL, NULL));
    pl_sheet *s = cloth_sheet(&env, &k, 1, &loose);
    check_ok(&env, pl_project(&o, s, k.xhat, COUNT, wall, NULL, k.x, &info));
    for (int i = 0; i < COUNT; i++) {
      double v[3];
      opening(&wall[i], k.x, v);
      check_array(3, v, u + 3 * i, 2e-5 * edge);
    }
    pl_sheet_free(s);
    cloth_close(&k);
  }
}

// a stretched sheet on a plane with friction: the law holds at every contact, limits everywhere
static void friction_and_limits(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  pl_rng r;
  pl_rng_seed(&r, 5);
  int seen[3] = {0};
  for (int trial = 0; trial < 10; trial++) {
    enum { N = 8, COUNT = (N + 1) * (N + 1) };
    cloth k;
    pl_project_info info;
    pl_contact_row wall[COUNT];
    double B[1][3], mu = 0.1 * trial;
    cloth_grid(&k, N, N, 0.5, 0.5);
    cloth_mass(&k);
    pl_limit_ellipse(1.01, 1.01, 0, B[0]);
    pl_limit l = {.nellipse = 1, .B = (const double(*)[3])B};
    for (int i = 0; i < COUNT; i++) {
      double *x = k.xhat + 3 * i;
      // pulled from its middle, which rests
      for (int c = 0; c < 2; c++) x[c] = 0.25 + 1.05 * (k.X[3 * i + c] - 0.25);
      x[2] = -0.01 + 0.02 * pl_rng_uniform(&r, -1, 1);
      wall[i] = (pl_contact_row){.n = 1, .vert = {i}, .weight = {1}, .mu = mu};
      wall[i].frame[0][2] = wall[i].frame[1][0] = wall[i].frame[2][1] = 1;
      memcpy(wall[i].from, k.X + 3 * i, sizeof wall[i].from);
    }
    pl_sheet *s = cloth_sheet(&env, &k, 1, &l);
    check_ok(&env, pl_project(&o, s, k.xhat, COUNT, wall, NULL, k.x, &info));
    check_less(cloth_violation(&k, &l, k.x), 1e-6 + 1e-12);
    double most = 0, edge = 0.5 / N;
    for (int i = 0; i < COUNT; i++) most = fmax(most, wall[i].force[0]);
    for (int i = 0; i < COUNT; i++) {
      double u[3], *p = wall[i].force, slide, side = hypot(p[1], p[2]);
      opening(&wall[i], k.x, u);
      slide = hypot(u[1], u[2]);
      check_less(-1e-6 * edge, u[0]);
      check_less(-1e-12 * most, p[0]);
      check_less(side, mu * p[0] + 1e-6 * most);
      // either the gap or the force is none, and friction acts against what slides
      check_less(fmin(u[0] / edge, p[0] / most), 1e-4);
      if (p[0] > 1e-2 * most && slide > 1e-3 * edge) {
        check_close(p[1], -mu * p[0] * u[1] / slide, 1e-3 * mu * p[0] + 1e-12 * most);
        check_close(p[2], -mu * p[0] * u[2] / slide, 1e-3 * mu * p[0] + 1e-12 * most);
      }
      if (p[0] > 1e-2 * most && side < 0.99 * mu * p[0]) check_less(slide, 1e-4 * edge);
      seen[wall[i].status]++;
    }
    pl_sheet_free(s);
    cloth_close(&k);
  }
  for (int i = 0; i < 3; i++) assert_in_range(seen[i], 20, 1000);
}

// ---- errors -------------------------------------------------------------------------------------

static void between_two(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  cloth k;
  pl_project_info info;
  cloth_grid(&k, 3, 3, 0.5, 0.5);
  pl_contact_row wall[2] = {{.n = 1, .vert = {5}, .weight = {1}},
                            {.n = 1, .vert = {5}, .weight = {1}}};
  wall[0].frame[0][2] = 1, wall[0].frame[1][0] = wall[0].frame[2][1] = 1;
  memcpy(wall[1].frame, wall[0].frame, sizeof wall[0].frame);
  wall[1].frame[0][2] = -1;
  // above 0.1 and below -0.1
  wall[0].offset = wall[1].offset = 0.1;
  pl_sheet *s = cloth_sheet(&env, &k, 1, &loose);
  check_status(&env, pl_project(&o, s, k.xhat, 2, wall, NULL, k.x, &info), PL_UNSOLVED);
  assert_true(pl_all_finite(3 * k.nvert, k.x));
  // no such vertex, no such number
  wall[0].vert[0] = 16;
  check_status(&env, pl_project(&o, s, k.xhat, 1, wall, NULL, k.x, &info), PL_E_ARG);
  wall[0].vert[0] = 5;
  wall[0].offset = NAN;
  check_status(&env, pl_project(&o, s, k.xhat, 1, wall, NULL, k.x, &info), PL_E_ARG);
  // and the sheet still works
  wall[0].offset = 0.1;
  check_ok(&env, pl_project(&o, s, k.xhat, 1, wall, NULL, k.x, &info));
  check_close(k.x[17], 0.1, 1e-4);
  pl_sheet_free(s);
  cloth_close(&k);
}

// a barrier on vertices that are fixed is kept by where they are, or by nothing
static void on_pins(void **state) {
  (void)state;
  pl_project_opts o = project_defaults();
  cloth k;
  pl_project_info info;
  cloth_grid(&k, 3, 3, 0.5, 0.5);
  k.fixed[5] = 7;
  k.fixed[6] = 3;
  pl_contact_row wall = {.n = 2, .vert = {5, 6}, .weight = {0.5, 0.5}, .offset = 0.02};
  wall.frame[0][2] = wall.frame[1][0] = wall.frame[2][1] = 1;
  pl_sheet *s = cloth_sheet(&env, &k, 1, &loose);
  check_ok(&env, pl_project(&o, s, k.xhat, 1, &wall, NULL, k.x, &info));
  check_close(k.x[20], 0.04, 1e-4);
  check_close(k.x[18], k.xhat[18], 0);
  check_close(k.x[17], 0, 0);
  pl_sheet_free(s);
  cloth_close(&k);
}

int test_barrier(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planes),
      cmocka_unit_test(soft_planes),
      cmocka_unit_test(contacts_apart),
      cmocka_unit_test(contacts_coupled),
      cmocka_unit_test(friction_and_limits),
      cmocka_unit_test(between_two),
      cmocka_unit_test(on_pins),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("barrier", tests, NULL, NULL);
}
