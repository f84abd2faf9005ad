#include "check.h"
#include "models.h"

#include "pliant/harmonic.h"
#include "pliant/math.h"

static pl_env env;

// a sheet stretched evenly along x by a sin(phase + shift): Green strain l + l^2/2, l = a / length,
// and by size the largest at the far end; the phase of the largest lies between samples
static void even_stretch(void **state) {
  (void)state;
  static const double par[4] = {1e6, 0, 1000, 0.01};
  const double a = 0.1, shift = 0.3, length = 0.5;
  model_kit kit;
  kit_model b;
  pl_orbit *o;
  kit_init(&kit, &env, 2);
  kit_grid(&kit, 4, 2, length, 0.2, PL_ALTERNATING, par);
  kit_fix(&kit, "left");
  const pl_set *right = pl_mesh_find_set(kit.mesh, "right");
  pl_drive_desc *d = kit_drive(&kit, right->n, right->index);
  const pl_term pull = {1, {a, 0, 0}, shift};
  d->nterm = 1;
  d->term = &pull;
  kit_build(&kit, 1, &b);
  check_ok(&env, pl_orbit_create(&env, b.m, 2, &o));
  o->omega = 3;
  const int *dof = pl_model_free_dofs(b.m);
  for (int i = 0; i < o->nfree; i++) {
    const double *X = b.p->X + dof[i] - dof[i] % 2;
    double u = dof[i] % 2 ? 0 : a * X[0] / length;
    o->z[5 * i] = b.p->X[dof[i]];
    o->z[5 * i + 1] = u * cos(shift);
    o->z[5 * i + 2] = u * sin(shift);
  }
  int n = pl_model_group_size(b.m, 0);
  double *each = pl_alloc(&env, (size_t)n, sizeof *each), l = a / length;
  pl_strain most;
  check_ok(&env, pl_orbit_strain(b.m, b.p, b.w, o, 16, each, &most));
  check_close(most.value, l + l * l / 2, 1e-14);
  check_close(most.phase, PL_PI / 2 - shift, 1e-7);
  assert_int_equal(most.group, 0);
  // the best of 16 phases
  double at = 0;
  for (int i = 0; i < 16; i++) at = fmax(at, l * sin(2 * PL_PI * i / 16 + shift));
  for (int e = 0; e < n; e++) check_close(each[e], at + at * at / 2, 1e-14);
  check_ok(&env, pl_orbit_strain(b.m, b.p, b.w, o, 0, NULL, &most));
  check_close(most.value, l + l * l / 2, 1e-14);
  check_status(&env, pl_orbit_strain(b.m, b.p, b.w, o, -1, NULL, &most), PL_E_ARG);
  pl_free(&env, each);
  pl_orbit_free(o);
  kit_model_free(&b);
  kit_free(&kit);
}

// a model without strains says zero
static void nothing_to_strain(void **state) {
  (void)state;
  model_kit kit;
  kit_model b;
  pl_orbit *o;
  pl_strain most;
  kit_oscillator(&kit, &env, (double[4]){1}, 1);
  kit_build(&kit, 1, &b);
  check_ok(&env, pl_orbit_create(&env, b.m, 1, &o));
  o->omega = 1;
  check_ok(&env, pl_orbit_strain(b.m, b.p, b.w, o, 0, NULL, &most));
  assert_true(most.value == 0);
  pl_orbit_free(o);
  kit_model_free(&b);
  kit_free(&kit);
}

// A strip turned by +-40 degrees at its root, far below its first mode: linear displacements
// angle x (X - c) stretch it by angle^2 / 2 all along, while the real motion only bends.
static void turned_strip(void **state) {
  (void)state;
  static const double par[4] = {3.3e9, 0.3, 1240, 0.8e-3};
  const double angle = 40 * PL_PI / 180;
  model_kit kit;
  kit_model b;
  kit_init(&kit, &env, 3);
  kit_grid(&kit, 12, 1, 0.2, 0.02, PL_ALTERNATING, par);
  int root[8], n = 0;
  for (int i = 0; i < kit.d.nnode; i++)
    if (kit.X[3 * i] < 0.02) root[n++] = i;
  pl_drive_desc *d = kit_drive(&kit, n, root);
  const pl_term rot = {1, {angle, 0, 0}, 0};
  d->kind = PL_DRIVE_ROTATION;
  d->axis[1] = 1;
  d->nterm = 1;
  d->term = &rot;
  kit.d.alpha = 0.5;
  kit.d.beta = 5e-5;
  kit_build(&kit, 1, &b);
  pl_modal *l;
  pl_orbit *linear, *o = NULL;
  pl_strain in_linear, in_full;
  check_ok(&env, pl_modal_create(b.m, b.p, b.w, 8, &l));
  double w = 0.1 * pl_modal_omega(l)[0];
  check_ok(&env, pl_modal_response(l, w, &linear));
  check_ok(&env, pl_modal_strain(l, linear, 0, NULL, &in_linear));
  pl_periodic_opts opts;
  pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &opts);
  opts.frequency = w;
  opts.harmonics = 7;
  check_ok(&env, pl_periodic(&opts, b.m, b.p, b.w, &o, NULL));
  check_ok(&env, pl_orbit_strain(b.m, b.p, b.w, o, 0, NULL, &in_full));
  // inertia at a tenth of the first mode adds about one percent to the angle of the tip
  check_rel(in_linear.value, angle * angle / 2, 0.04);
  check_less(1000 * fabs(in_full.value), in_linear.value);
  pl_orbit_free(o);
  pl_orbit_free(linear);
  pl_modal_free(l);
  kit_model_free(&b);
  kit_free(&kit);
}

int test_strain(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(even_stretch),
      cmocka_unit_test(nothing_to_strain),
      cmocka_unit_test(turned_strip),
  };
  return cmocka_run_group_tests_name("harmonic.strain", tests, NULL, NULL);
}
