// Meshes as arrays and objectives as functions; what results hold.
#include "check.h"
#include "pliant/facade.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- meshes -------------------------------------------------------------------------------------

enum { N = 6, POINTS = (N + 1) * 3, TRIANGLES = 4 * N };

// a strip 0.3 m by 0.1 m
static double points[POINTS][3];
static int32_t triangles[TRIANGLES][3];

static void make_strip(void) {
  int n = 0;
  for (int j = 0; j < 3; j++)
    for (int i = 0; i <= N; i++) {
      double *x = points[j * (N + 1) + i];
      x[0] = 0.3 * i / N;
      x[1] = 0.05 * j;
      x[2] = 0;
    }
  for (int j = 0; j < 2; j++)
    for (int i = 0; i < N; i++) {
      int a = j * (N + 1) + i, b = a + 1, c = a + N + 1, d = c + 1;
      const int32_t two[2][3] = {{a, b, d}, {a, d, c}};
      memcpy(triangles[n], two, sizeof two);
      n += 2;
    }
}

static const char sheet[] =
    "pliant: 1\n"
    "materials: {foil: {young: 3 GPa, poisson: 0.3, density: 1200}}\n"
    "bodies: [{name: wing, shell: {mesh: {given: wing}, material: foil, thickness: 1 mm}}]\n"
    "fixed: wing where x < 0.06\n"
    "gravity: [0, 0, -9.81]\n"
    "analyses: [static, {modes: {count: 2}}]\n";

static int64_t give_strip(const char *name) {
  int64_t m;
  assert_int_equal(pl_facade_mesh(name, &points[0][0], POINTS, &m), PL_FACADE_OK);
  assert_int_equal(pl_facade_mesh_cells(m, "tri3", &triangles[0][0], TRIANGLES, 3), PL_FACADE_OK);
  assert_int_equal(pl_facade_mesh_set(m, "tip", "", (int32_t[]){N, 2 * N + 1}, 2), PL_FACADE_OK);
  assert_int_equal(pl_facade_mesh_set(m, "first", "tri3", (int32_t[]){0, 1}, 2), PL_FACADE_OK);
  return m;
}

static int parse(const char *text, int64_t n, const int64_t *given, int64_t *out) {
  return pl_facade_parse("sheet", ".", text, (int64_t)strlen(text), 0, NULL, n, given, out);
}

static void told(const char *part) {
  pl_facade_message m;
  assert_int_equal(pl_facade_message_at(0, 0, &m), PL_FACADE_OK);
  if (!strstr(m.text, part) && !strstr(m.hint, part))
    fail_msg("'%s' is not in '%s' and not in '%s'", part, m.text, m.hint);
}

static double first_frequency(int64_t scene) {
  int64_t r, n;
  double found = NAN;
  assert_int_equal(pl_facade_run(scene, 1, &(const char *){"threads=1"}, NULL, &r), PL_FACADE_OK);
  pl_facade_items(r, &n);
  for (int64_t k = 0; k < n; k++) {
    pl_facade_item i;
    pl_facade_array a;
    assert_int_equal(pl_facade_item_at(r, k, &i), PL_FACADE_OK);
    if (strcmp(i.kind, "table") != 0 || strcmp(i.name, "modes") != 0) continue;
    assert_string_equal(i.analysis, "modes");
    for (int64_t c = 0; c < i.narray; c++) {
      assert_int_equal(pl_facade_item_array(r, k, c, &a), PL_FACADE_OK);
      assert_int_equal(a.ndim, 1);
      assert_int_equal(a.shape[0], 2);
      if (strcmp(a.name, "frequency_Hz") == 0) found = *(const double *)a.data;
    }
  }
  pl_facade_free(r);
  return found;
}

static void meshes(void **state) {
  (void)state;
  make_strip();
  int64_t before = pl_facade_live(), given = give_strip("wing"), scene, other;
  assert_int_equal(parse(sheet, 1, &given, &scene), PL_FACADE_OK);
  // the scene shares it, and nobody changes it
  assert_int_equal(pl_facade_mesh_cells(given, "tri3", &triangles[0][0], 1, 3), PL_FACADE_BUSY);
  assert_int_equal(pl_facade_free(given), PL_FACADE_OK);
  double f = first_frequency(scene);
  assert_true(f > 1);
  assert_int_equal(
      pl_facade_again(scene, 1, &(const char *){"bodies.wing.shell.thickness=2 mm"}, &other),
      PL_FACADE_OK);
  assert_int_equal(pl_facade_free(scene), PL_FACADE_OK);
  // bending of a plate goes with its thickness
  check_close(first_frequency(other), 2 * f, 1e-6);
  // what is borrowed and spoilt is told, not followed
  triangles[5][1] = 1 << 20;
  assert_int_equal(pl_facade_again(other, 0, NULL, &scene), PL_FACADE_INPUT);
  told("vertex 1048576");
  triangles[5][1] = -7;
  assert_int_equal(pl_facade_again(other, 0, NULL, &scene), PL_FACADE_INPUT);
  make_strip();
  points[3][2] = NAN;
  assert_int_equal(pl_facade_again(other, 0, NULL, &scene), PL_FACADE_INPUT);
  make_strip();
  assert_int_equal(pl_facade_free(other), PL_FACADE_OK);
  assert_int_equal(pl_facade_live(), before);
}

static void wrong_meshes(void **state) {
  (void)state;
  make_strip();
  int64_t m, scene, two[2];
  assert_int_equal(pl_facade_mesh("", &points[0][0], 3, &m), PL_FACADE_ARG);
  assert_int_equal(pl_facade_mesh(NULL, &points[0][0], 3, &m), PL_FACADE_ARG);
  assert_int_equal(pl_facade_mesh("m", NULL, 3, &m), PL_FACADE_ARG);
  assert_int_equal(pl_facade_mesh("m", &points[0][0], 0, &m), PL_FACADE_ARG);
  assert_int_equal(pl_facade_mesh("m", &points[0][0], INT64_MAX, &m), PL_FACADE_ARG);
  assert_int_equal(pl_facade_mesh("wing", &points[0][0], POINTS, &m), PL_FACADE_OK);
  assert_int_equal(pl_facade_mesh_cells(m, "tri", &triangles[0][0], 1, 3), PL_FACADE_ARG);
  told("did you mean 'tri3'");
  assert_int_equal(pl_facade_mesh_cells(m, NULL, &triangles[0][0], 1, 3), PL_FACADE_ARG);
  assert_int_equal(pl_facade_mesh_cells(m, "tri3", &triangles[0][0], 1, 4), PL_FACADE_ARG);
  assert_int_equal(pl_facade_mesh_cells(m, "tri3", NULL, 1, 3), PL_FACADE_ARG);
  assert_int_equal(pl_facade_mesh_cells(m, "tri3", &triangles[0][0], -1, 3), PL_FACADE_ARG);
  assert_int_equal(pl_facade_mesh_cells(m, "tri3", (int32_t[]){0, 1, POINTS}, 1, 3), PL_FACADE_ARG);
  told("tri3 0 has vertex 21");
  assert_int_equal(pl_facade_mesh_set(m, "s", "tri3", (int32_t[]){0}, 1), PL_FACADE_ARG);
  assert_int_equal(pl_facade_mesh_set(m, "s", "", (int32_t[]){-1}, 1), PL_FACADE_ARG);
  assert_int_equal(pl_facade_mesh_set(m, "s", "", NULL, 0), PL_FACADE_ARG);
  assert_int_equal(pl_facade_mesh_set(m, "", "", (int32_t[]){0}, 1), PL_FACADE_ARG);
  // without cells, under another name, not at all, twice
  assert_int_equal(parse(sheet, 1, &m, &scene), PL_FACADE_INPUT);
  told("has no triangles");
  pl_facade_free(m);
  two[0] = give_strip("wang");
  assert_int_equal(parse(sheet, 1, two, &scene), PL_FACADE_INPUT);
  told("no mesh was given under the name 'wing'");
  told("did you mean 'wang'");
  assert_int_equal(parse(sheet, 0, NULL, &scene), PL_FACADE_INPUT);
  told("pliant.Mesh");
  two[1] = give_strip("wang");
  assert_int_equal(parse(sheet, 2, two, &scene), PL_FACADE_ARG);
  told("two meshes are called 'wang'");
  assert_int_equal(parse(sheet, 1, &(int64_t){99}, &scene), PL_FACADE_FREED);
  pl_facade_free(two[0]);
  pl_facade_free(two[1]);
}

// ---- objectives ---------------------------------------------------------------------------------

static const char machine[] =
    "pliant: 1\n"
    "dimension: 1\n"
    "parameters: {k: {value: 40 N/m, min: 5 N/m, max: 60 N/m}}\n"
    "nodes: {m: 0}\n"
    "masses: [{node: m, mass: 2 kg}]\n"
    "springs: [{nodes: [ground, m], stiffness: $k, damping: 2 N.s/m}]\n"
    "loads: [{node: m, force: [3 N], harmonic: 1}]\n"
    "analyses: [{design: {frequency: 6 rad/s, ftol: 0,\n"
    "            objectives: [{given: comfort, goal: 1.34 m/s^2, node: m}]}}]\n";

typedef struct asked {
  int calls, gradients, fail_at;
} asked;

// root mean square acceleration
static int acceleration(void *ctx, int32_t dim, int32_t nharm, double omega, const double *z,
                        double *q, double *dz, double *domega) {
  asked *a = ctx;
  double sum = 0;
  if (++a->calls == a->fail_at) return -1;
  a->gradients += dz != NULL;
  for (int k = 0; k < dim * (2 * nharm + 1); k++) {
    int j = (k % (2 * nharm + 1) + 1) / 2;
    sum += pow(j * omega, 4) * z[k] * z[k] / 2;
  }
  *q = sqrt(sum);
  for (int k = 0; dz && k < dim * (2 * nharm + 1); k++) {
    int j = (k % (2 * nharm + 1) + 1) / 2;
    dz[k] = pow(j * omega, 4) * z[k] / (2 * *q);
  }
  if (dz) *domega = 2 * *q / omega;
  return 0;
}

static void objectives(void **state) {
  (void)state;
  asked a = {0};
  int64_t given, scene, r;
  const char *json;
  assert_int_equal(pl_facade_objective("comfort", "m/s^2", NULL, &a, &given), PL_FACADE_ARG);
  assert_int_equal(pl_facade_objective("comfort", "m/s^2", acceleration, &a, &given), PL_FACADE_OK);
  assert_int_equal(pl_facade_mesh_set(given, "s", "", (int32_t[]){0}, 1), PL_FACADE_KIND);
  assert_int_equal(parse(machine, 0, NULL, &scene), PL_FACADE_INPUT);
  told("pliant.Objective");
  assert_int_equal(parse(machine, 1, &given, &scene), PL_FACADE_OK);
  pl_facade_free(given);
  assert_int_equal(pl_facade_run(scene, 0, NULL, NULL, &r), PL_FACADE_OK);
  assert_true(a.calls > a.gradients && a.gradients > 0);
  assert_int_equal(pl_facade_summary(r, &json), PL_FACADE_OK);
  // m w^2 - sqrt((F w^2 / want)^2 / 2 - (c w)^2)
  double closed = 2 * 36 - sqrt(pow(3 * 36 / 1.34, 2) / 2 - 144);
  json_t *all = json_loads(json, 0, NULL), *k;
  k = json_object_get(json_array_get(json_object_get(all, "analyses"), 0), "variables");
  k = json_object_get(json_object_get(k, "k"), "after");
  check_close(json_number_value(k), closed, 1e-5);
  json_decref(all);
  pl_facade_free(r);
  // it ends the run
  a = (asked){.fail_at = 3};
  int s = pl_facade_run(scene, 0, NULL, NULL, &r);
  assert_true(s != PL_FACADE_OK);
  assert_true(a.calls <= 4);
  if (r) pl_facade_free(r);
  // and not the next one
  a = (asked){0};
  assert_int_equal(pl_facade_run(scene, 0, NULL, NULL, &r), PL_FACADE_OK);
  pl_facade_free(r);
  pl_facade_free(scene);
}

// ---- loads --------------------------------------------------------------------------------------

static const char held[] = "pliant: 1\n"
                           "dimension: 1\n"
                           "nodes: {m: 0}\n"
                           "masses: [{node: m, mass: 2 kg}]\n"
                           "springs: [{nodes: [ground, m], stiffness: 8 N/m}]\n"
                           "loads: [{given: magnet, node: m, strength: 2}]\n"
                           "analyses: [static]\n";

// s c / (d - x)^2
static int magnet(void *ctx, int32_t dim, const double *x, const double *v, double strength,
                  double *force, double *dx, double *dv, double *ds) {
  asked *a = ctx;
  double gap = 0.5 - x[0], f = 0.01 / (gap * gap);
  assert_int_equal(dim, 1);
  assert_true(v[0] == 0);
  if (++a->calls == a->fail_at) return 3;
  if (!(gap > 0)) return 1;
  force[0] = strength * f;
  if (!dx) return 0;
  a->gradients++;
  dx[0] = 2 * strength * f / gap;
  dv[0] = 0;
  ds[0] = f;
  return 0;
}

static double equilibrium(int64_t result) {
  int64_t n;
  pl_facade_items(result, &n);
  for (int64_t k = 0; k < n; k++) {
    pl_facade_item i;
    pl_facade_array a;
    pl_facade_item_at(result, k, &i);
    for (int64_t p = 0; strcmp(i.kind, "state") == 0 && p < i.narray; p++) {
      pl_facade_item_array(result, k, p, &a);
      if (strcmp(a.name, "q") == 0) return *(const double *)a.data;
    }
  }
  return NAN;
}

static void loads(void **state) {
  (void)state;
  asked a = {0};
  int64_t given, scene, r, many[300];
  assert_int_equal(pl_facade_load("magnet", NULL, &a, &given), PL_FACADE_ARG);
  assert_int_equal(pl_facade_load("magnet", magnet, &a, &given), PL_FACADE_OK);
  assert_int_equal(parse(held, 1, &given, &scene), PL_FACADE_OK);
  pl_facade_free(given);
  assert_int_equal(pl_facade_run(scene, 0, NULL, NULL, &r), PL_FACADE_OK);
  double q = equilibrium(r);
  check_close(8 * q, 0.02 / ((0.5 - q) * (0.5 - q)), 1e-9);
  assert_true(q > 0 && q < 0.1 && a.gradients > 0);
  pl_facade_free(r);
  // it ends the run
  a = (asked){.fail_at = 2};
  assert_true(pl_facade_run(scene, 0, NULL, NULL, &r) != PL_FACADE_OK);
  assert_int_equal(a.calls, 2);
  if (r) pl_facade_free(r);
  pl_facade_free(scene);
  // as many as there are slots for, and once more after they were freed
  for (int round = 0; round < 2; round++) {
    int n = 0;
    while (n < 300 && pl_facade_load("magnet", magnet, &a, &many[n]) == PL_FACADE_OK) n++;
    assert_int_equal(n, 256);
    told("there are 256 loads already");
    while (n > 0) pl_facade_free(many[--n]);
  }
}

int test_given(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(meshes), cmocka_unit_test(wrong_meshes),
                                     cmocka_unit_test(objectives), cmocka_unit_test(loads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
