// Orders of displacement, stress and recovered stress, and how good the estimate of the error is: a
// box whose boundary follows u = grad phi, phi = exp(sqrt(2) k x) cos(k y) cos(k z), which is
// harmonic, so that Navier's equations hold whatever the moduli, and stress is 2 mu times the
// Hessian of phi.
#include "../golden/golden.h"

#include "pliant/build.h"
#include "pliant/recover.h"

#include <string.h>

static pl_env env;

static const double YOUNG = 1e6, NU = 0.3, WAVE = 2, SMALL = 1e-7;

// derivative of phi, so often by x, y and z
static double phi(const double *X, int i, int j, int k) {
  double a = sqrt(2.) * WAVE;
  return SMALL * pow(a, i) * pow(WAVE, j + k) * exp(a * X[0]) * cos(WAVE * X[1] + j * PL_PI / 2) *
         cos(WAVE * X[2] + k * PL_PI / 2);
}

static void exact_stress(const double *X, double *t) {
  static const int d[6][3] = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {1, 1, 0}, {0, 1, 1}, {1, 0, 1}};
  for (int c = 0; c < 6; c++) t[c] = YOUNG / (1 + NU) * phi(X, d[c][0], d[c][1], d[c][2]);
}

typedef struct box {
  pl_mesh *mesh;
  pl_built b;
  pl_group_cells cells[4];
  pl_recover *r;
  double displacement, stress, smooth; // errors: L2, energy norm, at nodes inside
  double effectivity;                  // estimate over error
} box;

static int on_boundary(const double *X) {
  for (int c = 0; c < 3; c++)
    if (X[c] < 1e-9 || X[c] > 1 - 1e-9) return 1;
  return 0;
}

static void build(int hex, int order, pl_solid_form form, int n, box *x) {
  const int cells[3] = {n, n, n};
  const double size[3] = {1, 1, 1};
  pl_mesh *plain, *raised;
  pl_builder *b;
  check_ok(&env, (hex ? pl_gen_hex_box : pl_gen_tet_box)(&env, cells, size, &plain));
  x->mesh = plain;
  if (order == 2) {
    check_ok(&env, pl_mesh_raise(plain, !hex, hex, &raised));
    pl_mesh_free(plain);
    x->mesh = raised;
  }
  check_ok(&env, pl_builder_create(&env, 3, &b));
  pl_build_body(b, &(pl_body_desc){.name = "box",
                                   .kind = PL_BODY_SOLID,
                                   .mesh = x->mesh,
                                   .young = {.v = YOUNG},
                                   .poisson = {.v = NU},
                                   .density = {.v = 1000},
                                   .form = form});
  for (int i = 0; i < x->mesh->nvert; i++) {
    const double *X = x->mesh->X + 3 * i;
    const pl_term term = {.amplitude = {phi(X, 1, 0, 0), phi(X, 0, 1, 0), phi(X, 0, 0, 1)}};
    if (on_boundary(X))
      pl_build_drive(b,
                     &(pl_drive_desc){.nnode = 1, .node = &i, .mask = 7, .nterm = 1, .term = &term},
                     0, NULL);
  }
  check_ok(&env, pl_build_join(b));
  assert_int_equal(b->ngroup, 1);
  x->cells[0] = b->cells[0];
  check_ok(&env, pl_build_all(b, 1, &x->b));
}

// L2 norms over the norms of the exact ones
static void measure(box *x) {
  const pl_mesh *m = x->b.mesh;
  pl_cell_type t = x->cells[0].type;
  double u2 = 0, du2 = 0, s2 = 0, ds2 = 0, at[PL_CELL_POINT_MAX][3], w[PL_CELL_POINT_MAX];
  int n = pl_cell_points(t, at, w), nv = pl_cell_nvert[t];
  for (int e = 0; e < m->cell[t].n; e++) {
    const int *v = m->cell[t].v + nv * e;
    for (int g = 0; g < n; g++) {
      double N[PL_CELL_VERT_MAX], X[3] = {0}, u[3] = {0}, sigma[6];
      pl_stress s;
      double dv = w[g] * pl_cell_jacobian(t, m->X, v, at[g]);
      pl_cell_shape(t, at[g], N, NULL);
      for (int a = 0; a < nv; a++)
        for (int c = 0; c < 3; c++) {
          X[c] += N[a] * m->X[3 * v[a] + c];
          u[c] += N[a] * (x->b.state->q[3 * v[a] + c] - m->X[3 * v[a] + c]);
        }
      check_ok(&env, pl_eval_stress(x->b.model, x->b.params, x->b.state, 0, e, 1, at[g], NULL, &s));
      exact_stress(X, sigma);
      double tr = 0, d2 = 0;
      for (int c = 0; c < 3; c++) {
        double want = phi(X, c == 0, c == 1, c == 2);
        du2 += dv * (u[c] - want) * (u[c] - want);
        u2 += dv * want * want;
        tr += s.stress[c] - sigma[c];
      }
      // 1/2 (d:d (1 + nu)/E - nu/E tr^2)
      for (int c = 0; c < 6; c++) {
        double d = s.stress[c] - sigma[c], k = c < 3 ? 1 : 2;
        d2 += k * d * d;
        s2 += dv * 0.5 * k * sigma[c] * sigma[c] * (1 + NU) / YOUNG;
      }
      ds2 += dv * 0.5 * (d2 * (1 + NU) - NU * tr * tr) / YOUNG;
    }
  }
  x->displacement = sqrt(du2 / u2);
  x->stress = sqrt(ds2 / s2);
  pl_error_estimate e;
  check_ok(&env, pl_recover_error(x->r, x->b.params, x->b.state, NULL, NULL, NULL, &e));
  x->effectivity = sqrt(e.energy / ds2);
}

// largest error at nodes, over the largest stress
static void at_nodes(box *x) {
  double most = 0, worst = 0;
  check_ok(&env, pl_recover_stress(x->r, x->b.params, x->b.state, NULL));
  for (int i = 0; i < x->r->nslot; i++) {
    double sigma[6];
    exact_stress(x->b.mesh->X + 3 * x->r->node[i], sigma);
    for (int c = 0; c < 6; c++) {
      most = fmax(most, fabs(sigma[c]));
      worst = fmax(worst, fabs(x->r->at[0][i].stress[c] - sigma[c]));
    }
  }
  x->smooth = worst / most;
}

static void solve(int hex, int order, pl_solid_form form, int n, box *x) {
  pl_static_opts o = golden_static_opts(1e-10);
  pl_static_info info;
  build(hex, order, form, n, x);
  o.steps = 1;
  check_ok(&env, pl_static(&o, x->b.model, x->b.params, x->b.state, x->b.work, NULL, NULL, &info));
  check_ok(&env, pl_recover_create(&env, x->b.model, x->b.params, x->b.mesh, x->cells, &x->r));
  measure(x);
  at_nodes(x);
  pl_recover_free(x->r);
  pl_built_free(&x->b);
  pl_mesh_free(x->mesh);
}

static void refine(const char *name, int hex, int order, pl_solid_form form, int ncase,
                   const int *cells, double of_displacement, double of_stress) {
  double h[4], u[4], s[4], p[4];
  for (int k = 0; k < ncase; k++) {
    box x = {0};
    solve(hex, order, form, cells[k], &x);
    h[k] = 1. / cells[k];
    u[k] = x.displacement;
    s[k] = x.stress;
    p[k] = x.smooth;
    print_message("%s n %d: displacement %.2e stress %.2e at nodes %.2e effectivity %.2f\n", name,
                  cells[k], x.displacement, x.stress, x.smooth, x.effectivity);
    assert_true(x.effectivity > 0.7 && x.effectivity < 1.5);
  }
  int last = ncase - 1;
  double rate = log(h[last] / h[last - 1]);
  check_less(of_displacement - 0.2, log(u[last] / u[last - 1]) / rate);
  check_less(of_stress - 0.1, log(s[last] / s[last - 1]) / rate);
  check_less(of_stress - 0.5, log(p[last] / p[last - 1]) / rate);
}

static void tetrahedra(void **state) {
  (void)state;
  refine("tet10", 0, 2, PL_SOLID_PLAIN, 3, (int[]){2, 4, 8}, 3, 2);
  refine("tet10_mean", 0, 2, PL_SOLID_MEAN, 3, (int[]){2, 4, 8}, 3, 2);
  refine("tet4", 0, 1, PL_SOLID_PLAIN, 3, (int[]){4, 8, 12}, 2, 1);
}

static void hexahedra(void **state) {
  (void)state;
  refine("hex20", 1, 2, PL_SOLID_PLAIN, 3, (int[]){2, 3, 6}, 3, 2);
  refine("hex8_eas", 1, 1, PL_SOLID_ENHANCED, 3, (int[]){4, 8, 12}, 2, 1);
  refine("hex8", 1, 1, PL_SOLID_PLAIN, 3, (int[]){4, 8, 12}, 2, 1);
}

// ---- plates -------------------------------------------------------------------------------------

// A supported square that bends to w = SMALL sin(pi x) sin(pi y) under q = 4 pi^4 D w.
static const double THICK = 0.01;

static double wave(const double *X, int i, int j) {
  return SMALL * pow(PL_PI, i + j) * sin(PL_PI * X[0] + i * PL_PI / 2) *
         sin(PL_PI * X[1] + j * PL_PI / 2);
}

// on the upper side
static void plate_stress(const double *X, double *t) {
  double c = -THICK / 2 * YOUNG / (1 - NU * NU), xx = wave(X, 2, 0), yy = wave(X, 0, 2);
  memset(t, 0, 6 * sizeof *t);
  t[0] = c * (xx + NU * yy);
  t[1] = c * (yy + NU * xx);
  t[3] = c * (1 - NU) * wave(X, 1, 1);
}

static void load_plate(pl_builder *b, const pl_mesh *m, double *force) {
  double at[PL_CELL_POINT_MAX][3], w[PL_CELL_POINT_MAX], N[PL_CELL_VERT_MAX];
  double D = YOUNG * pow(THICK, 3) / (12 * (1 - NU * NU));
  int n = pl_cell_points(PL_TRI6, at, w);
  for (int e = 0; e < m->cell[PL_TRI6].n; e++) {
    const int *v = m->cell[PL_TRI6].v + 6 * e;
    for (int g = 0; g < n; g++) {
      double X[3] = {0}, dv = w[g] * pl_cell_jacobian(PL_TRI6, m->X, v, at[g]);
      pl_cell_shape(PL_TRI6, at[g], N, NULL);
      for (int a = 0; a < 6; a++)
        for (int c = 0; c < 3; c++) X[c] += N[a] * m->X[3 * v[a] + c];
      for (int a = 0; a < 6; a++) force[v[a]] += dv * N[a] * 4 * pow(PL_PI, 4) * D * wave(X, 0, 0);
    }
  }
  for (int i = 0; i < m->nvert; i++) {
    const double *X = m->X + 3 * i;
    int boundary = X[0] < 1e-9 || X[0] > 1 - 1e-9 || X[1] < 1e-9 || X[1] > 1 - 1e-9;
    pl_build_drive(b, &(pl_drive_desc){.nnode = 1, .node = &i, .mask = boundary ? 7 : 3}, 0, NULL);
    pl_build_load(b,
                  &(pl_load_desc){.nnode = 1, .node = &i, .term = {.amplitude = {0, 0, force[i]}}});
  }
}

// the energy of the difference of bending stress from the right one: a third of that on top, over
// the thickness
static double plate_error(const box *x) {
  double at[PL_CELL_POINT_MAX][3], w[PL_CELL_POINT_MAX], sum = 0;
  int n = pl_cell_points(PL_TRI6, at, w), group = x->cells[0].type == PL_TRI6 ? 0 : 1;
  const int *stencil = pl_model_group_stencil(x->b.model, group);
  const pl_elem_kind *kind = pl_model_group_kind(x->b.model, group);
  for (int e = 0; e < pl_model_group_size(x->b.model, group); e++) {
    const int *v = stencil + e * (kind->nvert + kind->nscal);
    const double *X = x->b.mesh->X;
    double a[3], b[3], across[3];
    pl_sub3(X + 3 * v[1], X + 3 * v[0], a);
    pl_sub3(X + 3 * v[2], X + 3 * v[0], b);
    pl_cross3(a, b, across);
    for (int g = 0; g < n; g++) {
      double place[3], S[6], t[6], tr = 0, d2 = 0;
      pl_stress s;
      for (int c = 0; c < 3; c++) place[c] = X[3 * v[0] + c] + at[g][0] * a[c] + at[g][1] * b[c];
      pl_eval_curvature(x->b.model, x->b.params, x->b.state, group, e, 0, at[g], S);
      // the side of +z
      for (int c = 0; c < 6; c++) S[c] *= (across[2] > 0 ? 1 : -1) * THICK / 2;
      check_ok(&env,
               pl_eval_stress(x->b.model, x->b.params, x->b.state, group, e, 1, at[g], S, &s));
      plate_stress(place, t);
      for (int c = 0; c < 6; c++) {
        double d = s.stress[c] - t[c];
        tr += c < 3 ? d : 0;
        d2 += (c < 3 ? 1 : 2) * d * d;
      }
      sum += w[g] * pl_norm3(across) * THICK / 3 * 0.5 * (d2 * (1 + NU) - NU * tr * tr) / YOUNG;
    }
  }
  return sum;
}

// stress of order 2, and the estimate of its error
static void plates(void **state) {
  (void)state;
  double error[3];
  for (int k = 0; k < 3; k++) {
    box x = {0};
    int cells = 4 << k;
    pl_mesh *plain;
    pl_builder *b;
    pl_static_opts o = golden_static_opts(1e-10);
    pl_static_info info;
    pl_error_estimate e;
    check_ok(&env, pl_gen_grid(&env, cells, cells, 1, 1, PL_IRREGULAR, &plain));
    check_ok(&env, pl_mesh_raise_surface(plain, &x.mesh));
    pl_mesh_free(plain);
    check_ok(&env, pl_builder_create(&env, 3, &b));
    pl_build_body(b, &(pl_body_desc){.name = "plate",
                                     .kind = PL_BODY_SHELL,
                                     .mesh = x.mesh,
                                     .young = {.v = YOUNG},
                                     .poisson = {.v = NU},
                                     .density = {.v = 1000},
                                     .thickness = {.v = THICK},
                                     .bending = PL_BENDING_SHELL6});
    double *force = pl_alloc(&env, (size_t)x.mesh->nvert, sizeof *force);
    load_plate(b, x.mesh, force);
    check_ok(&env, pl_build_join(b));
    memcpy(x.cells, b->cells, (size_t)b->ngroup * sizeof *x.cells);
    check_ok(&env, pl_build_all(b, 1, &x.b));
    o.steps = 1;
    check_ok(&env, pl_static(&o, x.b.model, x.b.params, x.b.state, x.b.work, NULL, NULL, &info));
    check_ok(&env, pl_recover_create(&env, x.b.model, x.b.params, x.b.mesh, x.cells, &x.r));
    check_ok(&env, pl_recover_error(x.r, x.b.params, x.b.state, NULL, NULL, NULL, &e));
    error[k] = sqrt(plate_error(&x) / e.elastic);
    print_message("shell6 n %d: stress %.2e estimated %.2e effectivity %.2f\n", cells, error[k],
                  e.relative, e.relative / error[k]);
    assert_true(e.relative > 0.7 * error[k] && e.relative < 1.5 * error[k]);
    pl_free(&env, force);
    pl_recover_free(x.r);
    pl_built_free(&x.b);
    pl_mesh_free(x.mesh);
  }
  check_less(1.9, log(error[1] / error[2]) / log(2));
}

int test_stress(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tetrahedra),
      cmocka_unit_test(hexahedra),
      cmocka_unit_test(plates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
