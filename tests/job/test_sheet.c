// Sheets of interlocking materials whose limits are a box of strains, from a scene to its files.
#include "run_scene.h"

#include "box_material.h"

#include "pliant/report.h"

// open: a ray that nothing holds; -1: none
static void write_material_with(pl_env *env, uint64_t fingerprint, int open) {
  pl_sheet_material m;
  pl_text t = {.env = env};
  make_box(env, &m);
  m.fingerprint = fingerprint;
  if (open >= 0) m.membrane.open[open] = 1;
  pl_sheet_material_write(&m, &t);
  check_ok(env, pl_file_write(env, "box.material", t.s, t.n));
  pl_text_free(&t);
  pl_sheet_material_free(env, &m);
}

static void write_material_of(pl_env *env, uint64_t fingerprint) {
  write_material_with(env, fingerprint, -1);
}

static void write_material(pl_env *env) {
  write_material_of(env, 0);
}

// a strip that hangs along the second axis of its material, free to narrow
static void hang(pl_env *env, const char *folder, double young, int across, int along,
                 const char *analysis) {
  pl_text t = {.env = env};
  pl_text_add(&t,
              "pliant: 1\n"
              "materials: {soft: {young: %g Pa, poisson: 0, density: 250 kg/m^3}}\n"
              "bodies:\n"
              "  - name: strip\n"
              "    shell:\n"
              "      mesh: {grid: {size: [0.05, 0.2], cells: [%d, %d]}}\n"
              "      interlocking: box.material\n"
              "      material: soft\n"
              "      rotate: {axis: [1, 0, 0], angle: 90 deg}\n"
              "fixed: [{nodes: strip group top, fix: [y, z]},\n"
              "        {node: \"strip nearest [0.025, 0, 0.1]\", fix: [x]}]\n"
              "gravity: [0, 0, -9.81]\n"
              "loads: {nodes: strip group bottom, total: [0, 0, -0.05 N]}\n"
              "watch: {end: \"strip nearest [0.025, 0, 0]\"}\n"
              "analyses: [%s]\n",
              young, across, along, analysis);
  check_ok(env, run_scene_at(env, folder, 0, &t));
  pl_text_free(&t);
}

static double drop(pl_env *env, const char *folder) {
  double x, y, z;
  char path[256], *text, *at;
  size_t size;
  snprintf(path, sizeof path, "%s/summary.json", folder);
  check_ok(env, pl_file_read(env, path, 0, &text, &size));
  at = strstr(text, "\"end\"");
  assert_non_null(at);
  at = strchr(at, '[');
  assert_non_null(at);
  assert_int_equal(sscanf(at, "[%lf, %lf, %lf", &x, &y, &z), 3);
  pl_free(env, text);
  return -z;
}

// all triangles are at the largest strain along y, so that 1 m is sqrt(1 + 2 E) m
static void all_taut(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  write_material(&env);
  const double want = 0.2 * (sqrt(1 + 2 * box_half[1]) - 1);
  hang(&env, "sheet-coarse", 50, 4, 19, "static: {book: no}");
  hang(&env, "sheet-fine", 50, 8, 37, "static: {book: no}");
  const char *const folder[] = {"sheet-coarse", "sheet-fine"};
  for (int k = 0; k < 2; k++) {
    // strains across and shear are slack, and take a little of the way
    check_rel(drop(&env, folder[k]), want, 2e-3);
    double most = summary_number(&env, folder[k], "\"limit_most\": ", NULL);
    check_less(0.999, most);
    check_less(most, 1);
    check_close(summary_number(&env, folder[k], "\"limit_beyond\": ", NULL), 0, 0);
  }
}

static void hear(void *ctx, const pl_diag *d) {
  *(int *)ctx += d->level == PL_WARNING && strstr(d->text, "nothing holds the material") != NULL;
}

// where limits are none, triangles that come there are told
static void unbounded(void **state) {
  (void)state;
  // the rays along the second axis, up and down
  for (int ray = 11; ray >= 10; ray--) {
    pl_env env;
    int told = 0;
    pl_env_init(&env);
    env.diag = hear;
    env.diag_ctx = &told;
    write_material_with(&env, 0, ray);
    hang(&env, "sheet-open", 50, 4, 19, "static: {book: no}");
    double near = summary_number(&env, "sheet-open", "\"limit_near\": ", NULL);
    double open = summary_number(&env, "sheet-open", "\"limit_unbounded\": ", NULL);
    check_less(50, near);
    check_close(open, ray == 11 ? near : 0, 0);
    assert_int_equal(told, ray == 11);
  }
}

// Loose mail has limits for sheets, with marks.
static void of_loose_mail(void **state) {
  (void)state;
  pl_env env;
  pl_text t = {.env = &env};
  pl_sheet_material m;
  int told = 0, open = 0;
  pl_env_init(&env);
  env.diag = hear;
  env.diag_ctx = &told;
  pl_text_add(&t, "pliant: 1\ninterlocking: [{chain: {}}]\n"
                  "patches: [{cells: [3, 2], held: {edge: left}}]\ngravity: [0, 0, -9.81]\n"
                  "analyses: [limits: {directions: 2, boundary: 1}, macro: {refine: 0}]\n");
  check_ok(&env, run_scene_at(&env, "sheet-chain", 0, &t));
  check_ok(&env, pl_sheet_material_read(&env, "sheet-chain/limits.material", &m));
  for (int i = 0; i < m.membrane.n; i++) open += m.membrane.open[i];
  assert_in_range(open, 1, m.membrane.n - 1);
  check_close(summary_number(&env, "sheet-chain", "\"unbounded_rays\": ", NULL), open, 0);
  check_close(summary_number(&env, "sheet-chain", "\"macro\"", "\"limit_beyond\": ", NULL), 0, 0);
  pl_sheet_material_free(&env, &m);
  pl_text_free(&t);
}

// a stiffer one does not reach its limits, and is as long as weight makes it
static void not_taut(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  write_material(&env);
  hang(&env, "sheet-stiff", 500000, 4, 19, "static: {book: no}");
  // small strains: rho g L^2 / (2 E) and P L / (E b h)
  check_rel(drop(&env, "sheet-stiff"),
            250 * 9.81 * 0.04 / (2 * 500000) + 0.05 * 0.2 / (500000 * 0.05 / 300), 0.02);
  check_close(summary_number(&env, "sheet-stiff", "\"limit_near\": ", NULL), 0, 0);
}

// Dropped from rest it falls into its limits, and none of its triangles ever leaves them.
static void falls(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  write_material(&env);
  hang(&env, "sheet-falls", 5, 2, 10,
       "transient: {method: implicit-euler, duration: 0.2 s, step: 10 ms}");
  double most = summary_number(&env, "sheet-falls", "\"limit_most\": ", NULL);
  check_less(0.9, most);
  check_less(most, 1);
  check_close(summary_number(&env, "sheet-falls", "\"limit_beyond\": ", NULL), 0, 0);
}

// A strip that is clamped at one end and heavy bends to an arc of its largest curvature, of which
// there are two: turned over it is hollow on its other side.
static void bends(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_sheet_material m;
  pl_text file = {.env = &env};
  make_box(&env, &m);
  add_bending(&env, &m);
  pl_sheet_material_write(&m, &file);
  check_ok(&env, pl_file_write(&env, "bend.material", file.s, file.n));
  for (int over = 0; over < 2; over++) {
    char folder[32];
    pl_text t = {.env = &env};
    double k = (over ? bend_up : bend_down)[1], h = 0.005, want = 0;
    for (int i = 1; i <= 12; i++) want += h * sin(2 * i * atan(k * h / 2));
    snprintf(folder, sizeof folder, "sheet-bends-%d", over);
    pl_text_add(&t,
                "pliant: 1\n"
                "materials: {soft: {young: 20 kPa, poisson: 0, density: 2500 kg/m^3}}\n"
                "bodies:\n"
                "  - name: strip\n"
                "    shell:\n"
                "      mesh: {grid: {size: [0.02, 0.08], cells: [4, 16]}}\n"
                "      interlocking: bend.material\n"
                "      material: soft\n"
                "      rotate: {axis: [0, 1, 0], angle: %d deg}\n"
                "fixed: [{nodes: \"strip box [-1, -1, -1] [1, 0.0201, 1]\"}]\n"
                "gravity: [0, 0, -9.81]\n"
                "watch: {end: \"strip nearest [0, 0.08, 0]\"}\n"
                "analyses: [static: {book: no}]\n",
                over ? 180 : 0);
    check_ok(&env, run_scene_at(&env, folder, 0, &t));
    // rows of triangles, each turned by the most against the last, the first against the clamp;
    // weight stretches them by 1 %
    check_rel(drop(&env, folder), want, 0.02);
    check_less(0.99, summary_number(&env, folder, "\"bend_most\": ", NULL));
    check_close(summary_number(&env, folder, "\"bend_beyond\": ", NULL), 0, 0);
    check_less(10, summary_number(&env, folder, "\"bend_near\": ", NULL));
    pl_text_free(&t);
  }
  pl_text_free(&file);
  pl_sheet_material_free(&env, &m);
}

// A patch that hangs from one edge, as a sheet: from row to row as far as limits let it.
static void hangs_as_sheet(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  write_material(&env);
  pl_text t = {.env = &env};
  pl_table *poses;
  pl_text_add(&t, "pliant: 1\ninterlocking: [{torus-knot: {}}]\n"
                  "patches: [{cells: [2, 5], rotate: {axis: [1, 0, 0], angle: 90 deg}, "
                  "held: {edge: back}, loads: [{edge: front, force: [0, 0, -0.5 N]}]}]\n"
                  "gravity: [0, 0, -9.81]\n"
                  "analyses: [macro: {material: box.material, refine: 0, young: 50 Pa}]\n");
  check_ok(&env, run_scene_at(&env, "sheet-patch", 0, &t));
  double long_ = 4 * 38.5e-3 / 3 * sqrt(1 + 2 * box_half[1]);
  check_rel(summary_number(&env, "sheet-patch", "\"height\": ", NULL), long_, 4e-3);
  check_close(summary_number(&env, "sheet-patch", "\"triangles\": ", NULL), 40, 0);
  check_ok(&env, pl_table_read(&env, "sheet-patch/macro.csv", &poses));
  assert_int_equal(pl_table_rows(poses), 10);
  int cols = pl_table_cols(poses), held = pl_table_find(poses, "held"), nheld = 0;
  for (int i = 0; i < 10; i++) nheld += pl_table_data(poses)[cols * i + held] > 0;
  assert_int_equal(nheld, 2);
  pl_table_free(poses);
  pl_text_free(&t);
}

// An element that is held alone does not turn, and so holds the sheet's direction against a couple.
static void held_alone(void **state) {
  (void)state;
  pl_env env;
  pl_table *t;
  pl_env_init(&env);
  write_material(&env);
  pl_text scene = {.env = &env};
  pl_text_add(&scene, "pliant: 1\ninterlocking: [{torus-knot: {}}]\n"
                      "patches: [{cells: [3, 3], held: {near: [0, 0, 0]}, loads: [{edge: left, "
                      "force: [0, 1 mN, 0]}, {edge: right, force: [0, -1 mN, 0]}]}]\n"
                      "analyses: [macro: {material: box.material}]\n");
  check_ok(&env, run_scene_at(&env, "sheet-alone", 0, &scene));
  pl_text_free(&scene);
  check_ok(&env, pl_table_read(&env, "sheet-alone/macro.csv", &t));
  const int cols = pl_table_cols(t), held = pl_table_find(t, "held"), qw = pl_table_find(t, "qw");
  int nheld = 0;
  for (int i = 0; i < pl_table_rows(t); i++) {
    const double *row = pl_table_data(t) + i * cols;
    if (row[held] == 0) continue;
    nheld++;
    check_close(fabs(row[qw]), 1, 1e-9);
  }
  assert_int_equal(nheld, 1);
  pl_table_free(t);
}

static int warns_of_separate(pl_env *env, const char *folder) {
  char path[256], *text;
  size_t size;
  snprintf(path, sizeof path, "%s/summary.json", folder);
  check_ok(env, pl_file_read(env, path, 0, &text, &size));
  int found = strstr(text, "separate limits of strain and curvature lie here") != NULL;
  pl_free(env, text);
  return found;
}

// Rings of a chain follow a sheet as far as they go: to a pitch of 2 (R - r). A sheet that goes
// further is missed by that, ring by ring; one that goes less far is met, and rings that are let go
// hang below it.
static void elements_follow(void **state) {
  (void)state;
  enum { PITCHES = 7 };
  pl_env env;
  pl_env_init(&env);
  write_material(&env);
  const double pitch = 5.9e-3, stretched = pitch * sqrt(1 + 2 * box_half[0]), wire = 1e-3;
  for (int longer = 0; longer < 2; longer++) {
    double radius = longer ? 4.5e-3 : 4e-3, range = 2 * (radius - wire), size = PITCHES * pitch;
    const char *folder = longer ? "sheet-met" : "sheet-missed";
    pl_table *t;
    pl_text scene = {.env = &env};
    pl_text_add(
        &scene,
        "pliant: 1\n"
        "interlocking: [{chain: {radius: %g, wire: %g, pitch: %g, beside: 20 mm}}]\n"
        "patches: [{cells: [4, 1], rotate: {axis: [0, 1, 0], angle: 90 deg}, "
        "held: {edge: left}, loads: [{edge: right, force: [0, 0, -0.5 N]}]}]\n"
        "gravity: [0, 0, -9.81]\n"
        "analyses: [macro: {material: box.material, refine: 0, young: 50 Pa, joint: yes}]\n",
        radius, wire, pitch);
    check_ok(&env, run_scene_at(&env, folder, 0, &scene));
    pl_text_free(&scene);
    double sheet = summary_number(&env, folder, "\"height\": ", NULL);
    check_rel(sheet, PITCHES * stretched, 4e-3);
    double missed = summary_number(&env, folder, "\"missed_by\": ", NULL);
    double wanted = longer ? 0 : (sheet - PITCHES * range) / size;
    check_close(missed, wanted, 5e-3);
    assert_int_equal(warns_of_separate(&env, folder), !longer);
    check_rel(summary_number(&env, folder, "\"released\": ", "\"height_native\": ", NULL),
              PITCHES * range, 1e-4);
    assert_true(summary_number(&env, folder, "\"nearest\": ", "\"verified_gap\": ", NULL) > 0);
    check_ok(&env,
             pl_table_read(
                 &env, longer ? "sheet-met/macro-joint.csv" : "sheet-missed/macro-joint.csv", &t));
    assert_int_equal(pl_table_rows(t), PITCHES + 1);
    double most = 0;
    for (int i = 0, c = pl_table_find(t, "off"); i <= PITCHES; i++)
      most = fmax(most, pl_table_data(t)[pl_table_cols(t) * i + c]);
    check_close(most / size, missed, 1e-9);
    pl_table_free(t);
  }
}

// Limits of another shape are refused by line; files of old, which tell none, are warned of.
static void of_another_material(void **state) {
  (void)state;
  static const char scene[] = "pliant: 1\ninterlocking: [{torus-knot: {}}]\n"
                              "patches: [{cells: [2, 2], held: {edge: back}}]\n"
                              "analyses: [macro: {material: box.material, refine: 0}]\n";
  const pl_mail_family *of = pl_mail_table[PL_MAIL_torus_knot];
  pl_mail_data knot;
  double value[PL_KEY_MAX];
  pl_env env;
  pl_env_init(&env);
  for (int i = 0; i < of->nkey; i++) value[i] = of->key[i].value;
  of->make(value, &knot);
  const uint64_t own = pl_mail_fingerprint(&knot.m), told[] = {0, own, own ^ 1};
  for (int k = 0; k < 3; k++) {
    pl_text t = {.env = &env};
    write_material_of(&env, told[k]);
    pl_text_add(&t, "%s", scene);
    pl_status s = run_scene_at(&env, "sheet-other", 0, &t);
    pl_text_free(&t);
    if (k == 2) {
      assert_int_equal(s, PL_E_INPUT);
      assert_int_equal(env.error.line, 4);
      assert_non_null(strstr(env.error.text, "limits of another material, 'box'"));
      assert_non_null(strstr(env.error.hint, "limits with boundary of 'torus-knot'"));
      continue;
    }
    char *text;
    size_t size;
    check_ok(&env, s);
    check_ok(&env, pl_file_read(&env, "sheet-other/summary.json", 0, &text, &size));
    assert_int_equal(strstr(text, "does not tell the shape") != NULL, k == 0);
    pl_free(&env, text);
  }
}

// a patch that is held at an edge, level at the start
static void hang_patch(pl_env *env, const char *folder, double gravity, const char *young) {
  pl_text t = {.env = env};
  pl_text_add(&t,
              "pliant: 1\ninterlocking: [{torus-knot: {}}]\n"
              "patches: [{cells: [2, 5], held: {edge: back}}]\ngravity: [0, 0, -%g]\n"
              "analyses: [macro: {material: box.material, refine: 0%s}]\n",
              gravity, young);
  check_ok(env, run_scene_at(env, folder, 0, &t));
  pl_text_free(&t);
}

// Young's modulus by what pulls, 2 F / (thickness times length): the same shape under any gravity.
static void young_by_loads(void **state) {
  (void)state;
  static const char kind[] = "\"kind\": \"macro\"";
  double drop[2], length = 4 * 38.5e-3 / 3;
  pl_env env;
  pl_sheet_material m;
  pl_env_init(&env);
  write_material(&env);
  make_box(&env, &m);
  for (int k = 0; k < 2; k++) {
    const char *folder = k ? "sheet-heavy" : "sheet-light";
    double gravity = k ? 98.1 : 9.81;
    hang_patch(&env, folder, gravity, "");
    double mass = summary_number(&env, folder, kind, "\"mass_kg\": ", NULL);
    check_rel(summary_number(&env, folder, kind, "\"young_Pa\": ", NULL),
              2 * mass * gravity / (length * m.thickness), 1e-6);
    drop[k] = summary_number(&env, folder, kind, "\"lowest\": ", NULL);
  }
  check_rel(drop[1], drop[0], 1e-5);
  pl_sheet_material_free(&env, &m);
}

static void hear_slack(void *ctx, const pl_diag *d) {
  *(int *)ctx += d->level == PL_WARNING && strstr(d->text, "held by its elasticity") != NULL;
}

// A sheet that its own elasticity holds, far from its limits, is told.
static void too_stiff(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  write_material(&env);
  for (int k = 0; k < 2; k++) {
    int told = 0;
    env.diag = hear_slack;
    env.diag_ctx = &told;
    hang_patch(&env, "sheet-stiff", 9.81, k ? ", young: 20 kPa" : "");
    check_close(
        summary_number(&env, "sheet-stiff", "\"kind\": \"macro\"", "\"limit_near\": ", NULL) > 0,
        k == 0, 0);
    assert_int_equal(told, k == 1);
  }
}

static void hear_apart(void *ctx, const pl_diag *d) {
  *(int *)ctx += d->level == PL_WARNING && strstr(d->text, "not where its elements are") != NULL;
}

// Where the sheet is far from its elements, as that of a loose net is, a warning tells it.
static void far_from_elements(void **state) {
  (void)state;
  static const char *const family[] = {"chain", "japanese"};
  static const char *const patch[] = {"cells: [3, 2], held: {edge: left}",
                                      "cells: [2, 2], held: {edge: left}"};
  for (int k = 0; k < 2; k++) {
    pl_env env;
    pl_text t = {.env = &env};
    int told = 0;
    pl_env_init(&env);
    env.diag = hear_apart;
    env.diag_ctx = &told;
    pl_text_add(&t,
                "pliant: 1\ninterlocking: [{%s: {}}]\npatches: [{%s}]\n"
                "gravity: [0, 0, -9.81 m/s^2]\nanalyses: [limits: {directions: 4, boundary: 1, "
                "starts: 1}, native: {}, macro: {}]\n",
                family[k], patch[k]);
    check_ok(&env, run_scene_at(&env, "sheet-far", 0, &t));
    pl_text_free(&t);
    double apart = summary_number(&env, "sheet-far", "\"beside\"", "\"silhouette\": ", NULL) /
                   summary_number(&env, "sheet-far", "\"beside\"", "\"size\": ", NULL);
    check_close(told, apart > 0.1, 0);
    assert_int_equal(told, k);
  }
}

// A patch that nothing holds lies on a box that is a mesh, which carries its weight; one that
// begins inside is refused.
static void lies_on_mesh(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  write_material(&env);
  write_text(&env, "box.obj",
             "v -60 -60 -5\nv 60 -60 -5\nv 60 60 -5\nv -60 60 -5\n"
             "v -60 -60 0\nv 60 -60 0\nv 60 60 0\nv -60 60 0\n"
             "f 4 3 2\nf 4 2 1\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\n"
             "f 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n");
  for (int deep = 0; deep < 2; deep++) {
    pl_text t = {.env = &env};
    pl_text_add(&t,
                "pliant: 1\ninterlocking: [{torus-knot: {}}]\n"
                "patches: [{cells: [3, 3], at: [0, 0, %d mm]}]\n"
                "gravity: [0, 0, -9.81]\n"
                "obstacles: [{name: box, mesh: {file: box.obj, mesh_units: mm}}]\n"
                "analyses: [macro: {material: box.material}]\n",
                deep ? -3 : 10);
    pl_status s = run_scene_at(&env, "sheet-mesh", 0, &t);
    if (deep) {
      assert_int_equal(s, PL_E_INPUT);
      assert_non_null(strstr(env.error.text, "too near to obstacle 'box'"));
      pl_text_free(&t);
      continue;
    }
    check_ok(&env, s);
    double half = 1.0 / 600, lowest = summary_number(&env, "sheet-mesh", "\"lowest\": ", NULL);
    check_less(0, summary_number(&env, "sheet-mesh", "\"obstacle_gap\": ", NULL));
    check_close(lowest, half, 1e-3 * half);
    check_less(summary_number(&env, "sheet-mesh", "\"height\": ", NULL), 1e-3 * half);
    check_close(summary_number(&env, "sheet-mesh", "\"limit_beyond\": ", NULL), 0, 0);
    // nine elements of a sheet that has the mass of the elements
    double normal = summary_number(&env, "sheet-mesh", "\"normal_N\": ", NULL);
    check_rel(normal, 9.81 * summary_number(&env, "sheet-mesh", "\"patch\"", "\"mass_kg\": ", NULL),
              1e-4);
    pl_text_free(&t);
  }
}

// What limits of a material write is what sheets read.
static void from_limits(void **state) {
  (void)state;
  pl_env env;
  pl_text t = {.env = &env};
  pl_sheet_material m;
  pl_star *star;
  pl_env_init(&env);
  pl_text_add(&t, "pliant: 1\ninterlocking: [{threefold: {}}]\n"
                  "analyses: [limits: {directions: 1, boundary: 2}]\n");
  check_ok(&env, run_scene_at(&env, "sheet-limits", 0, &t));
  check_ok(&env, pl_sheet_material_read(&env, "sheet-limits/limits.material", &m));
  assert_string_equal(m.name, "threefold");
  // and the limit along x, which is among the directions
  assert_int_equal(m.membrane.n, 43);
  assert_int_equal(m.membrane.nface, 82);
  check_ok(&env, pl_boundary_star(&env, &m.membrane, &star));
  // edges along ridges make narrow triangles, whose blends reach rays that are not theirs
  for (int i = 0; i < 43; i++) {
    double E[3];
    for (int c = 0; c < 3; c++) E[c] = m.membrane.distance[i] * m.membrane.ray[i][c];
    check_close(sqrt(pl_star_gauge(star, E, NULL, NULL)), 1, fmax(pl_star_excess(star), 0.03));
    check_less(m.membrane.left[i], 1e-4);
  }
  pl_star_free(star);
  pl_sheet_material_free(&env, &m);
  pl_text_free(&t);
}

int test_sheet(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_taut),
                                     cmocka_unit_test(not_taut),
                                     cmocka_unit_test(unbounded),
                                     cmocka_unit_test(of_loose_mail),
                                     cmocka_unit_test(falls),
                                     cmocka_unit_test(bends),
                                     cmocka_unit_test(hangs_as_sheet),
                                     cmocka_unit_test(of_another_material),
                                     cmocka_unit_test(young_by_loads),
                                     cmocka_unit_test(too_stiff),
                                     cmocka_unit_test(far_from_elements),
                                     cmocka_unit_test(lies_on_mesh),
                                     cmocka_unit_test(from_limits),
                                     cmocka_unit_test(held_alone),
                                     cmocka_unit_test(elements_follow)};
  return cmocka_run_group_tests_name("job.sheet", tests, NULL, NULL);
}
