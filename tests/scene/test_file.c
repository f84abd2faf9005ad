#include "messages.h"

#include "pliant/math.h"
#include "pliant/scene.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static messages heard;

static pl_scene *load(pl_env *env, const char *path, int nset, const char *const *set) {
  pl_scene *s;
  messages_env(env, &heard);
  if (pl_scene_load(env, path, nset, set, &s) != PL_OK) fail_msg("%s: %s", path, env->error.text);
  return s;
}

// ---- --set ------------------------------------------------------------------------------------

static void overrides(void **state) {
  (void)state;
  static const char *const set[] = {
      "analyses.modes.count=1",            // by kind
      "analyses.1.periods=9",              // by index
      "analyses.transient.frequency=5 Hz", // with unit
      "parameters.m_foot.value=4g",
      "mechanism.links.tibia.stiffness=2e6 N/m", // by name, new key
      "damping.mass=0.25 1/s",
      "output.frames=7", // new map
      "watch={knee: knee}",
      "title=another leg",
  };
  pl_env env;
  pl_scene *s = load(&env, SOURCE_DIR "/scenes/leg.yaml", 9, set);
  assert_int_equal(s->analysis[0].opts.modes_.count, 1);
  assert_int_equal(s->analysis[1].opts.transient_.periods, 9);
  check_rel(s->analysis[1].opts.transient_.frequency, 10 * PL_PI, 1e-15);
  check_rel(s->params->design[0], 4e-3, 1e-15);
  check_rel(s->params->par[PL_PAR_ALPHA], 0.25, 1e-15);
  assert_int_equal(s->output.frames, 7);
  assert_string_equal(s->probe[0].name, "knee");
  assert_string_equal(s->title, "another leg");
  pl_scene_free(s);
}

// ---- as run -----------------------------------------------------------------------------------

static void same_array(int n, const double *a, int m, const double *b) {
  assert_int_equal(n, m);
  for (int i = 0; i < n; i++) assert_true(a[i] == b[i]);
}

static void same_scene(const pl_scene *a, const pl_scene *b) {
  same_array(a->params->npar, a->params->par, b->params->npar, b->params->par);
  same_array(a->params->nref, a->params->X, b->params->nref, b->params->X);
  same_array(a->params->ndesign, a->params->design, b->params->ndesign, b->params->design);
  same_array(a->params->M.nnz, a->params->M.val, b->params->M.nnz, b->params->M.val);
  assert_int_equal(pl_model_nfree(a->model), pl_model_nfree(b->model));
  assert_int_equal(a->nanalysis, b->nanalysis);
  for (int k = 0; k < a->nanalysis; k++) {
    assert_string_equal(a->analysis[k].name, b->analysis[k].name);
    assert_int_equal(a->analysis[k].about, b->analysis[k].about);
    assert_memory_equal(&a->analysis[k].opts, &b->analysis[k].opts, sizeof a->analysis[k].opts);
  }
  assert_memory_equal(&a->output, &b->output, sizeof a->output);
  assert_string_equal(a->title, b->title);
}

// built again from its entries: what it is without searches, line by line
static void same_again(pl_scene *s) {
  pl_env env;
  pl_scene *again;
  pl_text want, got;
  messages_env(&env, &heard);
  check_ok(&env, pl_scene_again(&env, s, 0, NULL, &again));
  pl_text_init(&want, &env);
  pl_text_init(&got, &env);
  pl_text_add(&want, "# the scene as run\n");
  check_ok(&env, pl_scene_write_found(s, 0, NULL, &want));
  pl_scene_write(again, &got);
  assert_string_equal(want.s, got.s);
  if (again->nanalysis == s->nanalysis) {
    same_scene(s, again);
    assert_int_equal(s->nremark, again->nremark);
    for (int k = 0; k < s->nremark; k++) {
      assert_int_equal(s->remark[k].line, again->remark[k].line);
      assert_string_equal(s->remark[k].text, again->remark[k].text);
    }
  }
  pl_text_free(&want);
  pl_text_free(&got);
  pl_scene_free(again);
}

static void as_run(void **state) {
  (void)state;
  const char *folder = SOURCE_DIR "/scenes";
  static const char *const set[] = {"title='a: \"b\" # [c'"};
  DIR *dir = opendir(folder);
  int count = 0;
  assert_non_null(dir);
  for (struct dirent *e; (e = readdir(dir));) {
    char path[1024];
    pl_env env;
    pl_text t, t2;
    pl_scene *again;
    if (!strstr(e->d_name, ".yaml") && !strstr(e->d_name, ".json")) continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    pl_scene *s = load(&env, path, count % 2, set);
    pl_text_init(&t, &env);
    pl_scene_write(s, &t);
    // a copy in another folder finds the files
    check_ok(&env, pl_scene_parse(&env, path, "/", t.s, t.n, 0, NULL, NULL, &again));
    same_scene(s, again);
    same_again(s);
    pl_text_init(&t2, &env);
    pl_scene_write(again, &t2);
    assert_string_equal(t.s, t2.s);
    pl_text_free(&t);
    pl_text_free(&t2);
    pl_scene_free(s);
    pl_scene_free(again);
    count++;
  }
  closedir(dir);
  assert_true(count >= 8);
}

// Scenes are built again with overrides: entries are counted as in the file, searches are gone, and
// what is wrong is told at its own line or at its override.
static void again_with_overrides(void **state) {
  (void)state;
  static const char text[] =
      "pliant: 1\n"
      "dimension: 1\n"
      "nodes: {m: 0}\n"
      "masses: [{node: m, mass: 1 kg}]\n"
      "springs: [{nodes: [ground, m], stiffness: 9 N/m}]\n"
      "analyses:\n"
      "  - search: {budget: 2, vary: [{path: masses.0.mass, min: 1, max: 2}],"
      " goals: [{figure: modes.rigid, at_most: 0}]}\n"
      "  - modes: {count: 1}\n";
  static const char *const set[] = {"masses.0.mass=2 kg", "analyses.1.name=own"};
  static const char *const wrong[][2] = {{"masses.0.mass=2 m", "masses.0.mass"},
                                         {"springs.0.nodes=[ground, k]", "springs.0.nodes"}};
  pl_env env;
  pl_scene *s, *again;
  messages_env(&env, &heard);
  check_ok(&env, pl_scene_parse(&env, "t.yaml", ".", text, strlen(text), 0, NULL, NULL, &s));
  check_ok(&env, pl_scene_again(&env, s, 2, set, &again));
  assert_int_equal(again->nanalysis, 1);
  assert_string_equal(again->analysis[0].name, "own");
  assert_int_equal(again->analysis[0].line, 8);
  check_close(again->params->M.val[0], 2, 0);
  check_close(s->params->M.val[0], 1, 0);
  // it lives on its own
  pl_scene_free(s);
  check_ok(&env, pl_scene_again(&env, again, 0, NULL, &s));
  check_close(s->params->M.val[0], 2, 0);
  pl_scene_free(again);
  for (int k = 0; k < 2; k++) {
    check_status(&env, pl_scene_again(&env, s, 1, &wrong[k][0], &again), PL_E_INPUT);
    assert_null(again);
    assert_non_null(strstr(env.error.file, wrong[k][1]));
  }
  pl_scene_free(s);
}

// ---- starters, reference ----------------------------------------------------------------------

static void starters(void **state) {
  (void)state;
  assert_int_equal(pl_scene_starter_count, 15);
  for (int k = 0; k < pl_scene_starter_count; k++) {
    const pl_scene_starter *t = &pl_scene_starters[k];
    pl_env env;
    pl_scene *s;
    messages_env(&env, &heard);
    if (pl_scene_parse(&env, t->name, ".", t->yaml, strlen(t->yaml), 0, NULL, NULL, &s) != PL_OK)
      fail_msg("%s: %s", t->name, env.error.text);
    assert_int_equal(heard.n, 0);
    assert_true(s->nanalysis > 0 && (s->nprobe > 0 || s->npatch > 0));
    pl_text d;
    pl_text_init(&d, &env);
    pl_scene_describe(s, &d);
    assert_non_null(strstr(d.s, s->npatch > 0 ? "kg/m^2" : "mass"));
    pl_text_free(&d);
    pl_scene_free(s);
  }
}

static void reference_is_current(void **state) {
  (void)state;
  pl_env env;
  pl_text t;
  char *file;
  size_t size;
  pl_env_init(&env);
  pl_text_init(&t, &env);
  pl_scene_reference(&t);
  check_ok(&env, pl_file_read(&env, SOURCE_DIR "/docs/scene-reference.md", 0, &file, &size));
  assert_string_equal(t.s, file);
  pl_text_free(&t);
  pl_free(&env, file);
}

static void count_path(void *ctx, const char *path, const char *text) {
  int *found = ctx;
  assert_true(path[0] && text && text[0]);
  found[0]++;
  found[1] += strcmp(path, "analyses.static.rtol") == 0;
  found[2] += strcmp(path, "materials.NAME.young") == 0;
}

static void paths(void **state) {
  (void)state;
  int found[3] = {0};
  pl_scene_paths(count_path, found);
  assert_true(found[0] > 100);
  assert_int_equal(found[1], 1);
  assert_int_equal(found[2], 1);
}

// ---- warnings ---------------------------------------------------------------------------------

static void warnings(void **state) {
  (void)state;
  static const struct {
    const char *text, *want;
  } cases[] = {
      {"materials: {a: {young: 3.3, density: 1240 kg/m^3}}\nnodes: {p: [0, 0, 0]}\n",
       "Young's modulus of 3.3 Pa looks like a wrong unit"},
      {"materials: {a: {young: 3.3 GPa, density: 124 g/cm^3}}\nnodes: {p: [0, 0, 0]}\n",
       "density of 1.24e+05 kg/m^3 looks like a wrong unit"},
      {"materials: {a: {young: 3.3 GPa, density: 1240}}\nbodies: [{name: b, shell: {material: a, "
       "thickness: 1 mm, mesh: {disk: {radius: 5 km}}}}]\n",
       "looks like a wrong unit"},
      {"parameters: {p: {value: 3}}\nnodes: {p: [0, 0, 0]}\n", "parameter 'p' is used nowhere"},
      {"nodes: {p: [0, 0, 0], q: [0, 0, 0]}\n", "nodes 'p' and 'q' are at one place"},
      {"nodes: {p: [0, 0, 0]}\nsprings: [{nodes: [ground, p.x], stiffness: 1 N/m}]\ngravity: [0, "
       "0, "
       "-9.81 m/s^2]\n",
       "gravity does nothing: nothing here has mass"},
      {"nodes: {p: [0, 0, 0]}\nsprings: [{nodes: [ground, p.x], stiffness: 1 N/m}]\nloads: "
       "[{acceleration: [0, 0, 1 m/s^2]}]\n",
       "acceleration of the base does nothing: nothing here has mass"},
      {"materials: {a: {young: 3.3 GPa, density: 1240}}\nbodies: [{name: b, solid: {material: a, "
       "mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}}]\nfixed: b group left\nloads: [{nodes: "
       "b group left, moment: [1 N.m, 0, 0]}]\n",
       "load 1 does nothing: all its nodes are held"},
      {"materials: {a: {young: 3.3 GPa, density: 1240}}\nbodies: [{name: b, solid: {material: a, "
       "mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}}]\nfixed: b group left\nloads: [{faces: "
       "b group left, pressure: 1 kPa}]\n",
       "load 1 does nothing: all its nodes are held"},
      {"materials: {a: {young: 3.3 GPa, density: 1240}}\nbodies: [{name: b, solid: {material: a, "
       "mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}}]\nfixed: b group left\nfoundations: "
       "[{faces: b group left, total: 1 N/m}]\n",
       "foundation 1 does nothing: all its nodes are held"},
      {"nodes: {p: [0, 0, 0], q: [1, 0, 0], s: [2, 0, 0]}\nfixed: [p, q]\ntendons: [{through: [p, "
       "q], tension: 1 N}, {through: [p, s], tension: 1 N}]\n",
       "tendon 1 does nothing: all its points are held"},
      {"mechanism: {joints: {a: [0, 0, 0], b: [1, 0, 0]}, links: [{joints: [a, b], stiffness: 50 "
       "N/m}], springs: [{nodes: [a, b], stiffness: 10 N/m}]}\n",
       "is close to that of the springs"},
      {"nodes: {p: [0, 0, 0]}\ndrives: [{node: p, rotation: {axis: [1, 0, 0], amplitude: 20}}]\n",
       "a rotation by 20 rad is more than a turn"},
      {"nodes: {p: [0, 0, 0], q: [1, 0, 0]}\nfixed: p\nloads: [{nodes: [p, q], force: [0, 1 N, 0]},"
       " {node: p, force: [0, 1 N, 0]}]\n",
       "load 2 does nothing"},
      {"nodes: {p: [0, 0, 0]}\ndrives: [{node: p, fix: y}]\nloads: [{node: p, force: [0, 1 N, "
       "0]}]\n",
       "load 1 does nothing"},
  };
  for (int k = 0; k < (int)(sizeof cases / sizeof *cases); k++) {
    char text[1024];
    pl_env env;
    pl_scene *s;
    messages_env(&env, &heard);
    snprintf(text, sizeof text, "pliant: 1\n%s", cases[k].text);
    if (pl_scene_parse(&env, "t", ".", text, strlen(text), 0, NULL, NULL, &s) != PL_OK)
      fail_msg("%s", env.error.text);
    assert_int_equal(heard.nwarning, 1);
    if (!strstr(heard.d[0].text, cases[k].want)) fail_msg("%s", heard.d[0].text);
    pl_scene_free(s);
  }
}

static int warned(const char *units, const char *body, const char *of) {
  char text[1024];
  pl_env env;
  pl_scene *s;
  messages_env(&env, &heard);
  snprintf(text, sizeof text,
           "pliant: 1\n%smaterials: {a: {young: 3.3 GPa, density: 1240 kg/m^3}}\nbodies: [%s]\n",
           units, body);
  if (pl_scene_parse(&env, "t", SOURCE_DIR "/tests/mesh/data", text, strlen(text), 0, NULL, NULL,
                     &s) != PL_OK)
    fail_msg("%s", env.error.text);
  pl_scene_free(s);
  for (int k = 0; k < heard.nwarning; k++)
    if (strstr(heard.d[k].text, of)) return 1;
  return 0;
}

// loads on what is held in some analyses, but not in all
static void loads_on_what_is_let_go(void **state) {
  static const char *const analyses[] = {
      "off: yes}]\nanalyses: [{static: {}}]\n",
      "harmonic: 0}]\nanalyses: [{static: {name: hold}}, {static: {about: hold, change: {grip: "
      "off}}}]\n",
      "harmonic: 0}]\nanalyses: [{static: {}}]\n"};
  (void)state;
  for (int k = 0; k < 3; k++) {
    char text[1024];
    pl_env env;
    pl_scene *s;
    messages_env(&env, &heard);
    snprintf(text, sizeof text,
             "pliant: 1\nmaterials: {a: {young: 1 GPa, density: 1000 kg/m^3}}\n"
             "bodies: [{name: b, rod: {mesh: {line: {from: [0, 0, 0], to: [1, 0, 0]}}, "
             "material: a, section: {round: 0.01}}}]\n"
             "fixed: [{nodes: b group start, clamp: yes}]\n"
             "loads: [{nodes: b group end, total: [0, 0, 1 N]}]\n"
             "drives: [{name: grip, nodes: b group end, translation: [0, 0, 0.01], %s",
             analyses[k]);
    if (pl_scene_parse(&env, "t", ".", text, strlen(text), 0, NULL, NULL, &s) != PL_OK)
      fail_msg("%s", env.error.text);
    assert_int_equal(heard.nwarning, k == 2);
    pl_scene_free(s);
  }
}

// nobody said metres; a shell of what is a solid
static void files_of_others(void **state) {
  (void)state;
  static const char large[] = "{name: b, solid: {mesh: box_second_41.msh, scale: 50, material: a}}";
  static const char reported[] =
      "{name: b, solid: {mesh: box_second_41.msh, scale: 50, material: a, "
      "mesh_units: m}}";
  static const char small[] = "{name: b, solid: {mesh: box_second_41.msh, material: a}}";
  static const char metres[] = "its mesh file is read in metres";
  assert_true(warned("", large, metres));
  assert_true(warned("units: SI\n", large, metres));
  assert_false(warned("units: {length: m}\n", large, metres));
  assert_false(warned("units: mm-N-MPa\n", large, metres));
  assert_false(warned("", reported, metres));
  assert_false(warned("", small, metres));
  static const char faces[] = "{name: s, shell: {mesh: box_second_41.msh, material: a, thickness: "
                              "1 mm}}";
  static const char both[] = "{name: b, solid: {mesh: box_second_41.msh, material: a}}, {name: s, "
                             "shell: {mesh: box_second_41.msh, material: a, thickness: 1 mm}}";
  assert_true(warned("", faces, "shell 's' takes the"));
  assert_false(warned("", both, "shell 's' takes the"));
}

// ---- limits and memory ------------------------------------------------------------------------

static void limits(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s;
  pl_scene_limits l = {.yaml_nodes = 20, .nodes = 5, .no_files = 1};
  const char *many =
      "pliant: 1\nnodes: {a: [1,2,3], b: [1,2,4], c: [1,2,5], d: [1,2,6], e: [0,0,0]}";
  const char *file = "pliant: 1\nbodies: [{name: a, shell: {mesh: /etc/passwd, material: m, "
                     "thickness: 1}}]\n";
  pl_env_init(&env);
  check_status(&env, pl_scene_parse(&env, "t", ".", many, strlen(many), 0, NULL, &l, &s),
               PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "too many entries"));
  l.yaml_nodes = 1000;
  check_status(&env, pl_scene_parse(&env, "t", ".", file, strlen(file), 0, NULL, &l, &s),
               PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "files cannot be opened here"));
  // they stay when it is built again
  l.nodes = 100;
  static const char *const set[] = {"bodies.a.shell.mesh=/etc/passwd"};
  static const char one[] =
      "pliant: 1\nmaterials: {m: {young: 1, poisson: 0, density: 1}}\n"
      "bodies: [{name: a, shell: {mesh: {grid: {size: [1, 1], cells: [1, 1]}}, "
      "material: m, thickness: 0.1}}]\n";
  pl_scene *again;
  check_ok(&env, pl_scene_parse(&env, "t", ".", one, strlen(one), 0, NULL, &l, &s));
  check_status(&env, pl_scene_again(&env, s, 1, set, &again), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "files cannot be opened here"));
  pl_scene_free(s);
}

static pl_status build_all(pl_env *env, void *ctx) {
  static const char *const set[] = {"analyses.modes.count=2"};
  pl_scene *s;
  PL_TRY(pl_scene_load(env, ctx, 1, set, &s));
  pl_scene *again;
  pl_status st = pl_scene_again(env, s, 1, set, &again);
  pl_scene_free(again);
  pl_scene_free(s);
  return st;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(build_all, SOURCE_DIR "/scenes/duffing.yaml");
  check_allocations(build_all, SOURCE_DIR "/scenes/leg.yaml");
  check_allocations(build_all, SOURCE_DIR "/scenes/two-masses.yaml");
  check_allocations(build_all, SOURCE_DIR "/tests/scene/small-shell.yaml");
}

// every file of the fuzzer's corpus ends in a scene or in an error, and leaks nothing
static void corpus(void **state) {
  (void)state;
  const char *folder = SOURCE_DIR "/tests/fuzz/corpus/scene";
  DIR *dir = opendir(folder);
  int count = 0;
  assert_non_null(dir);
  for (struct dirent *e; (e = readdir(dir));) {
    char path[1024], *data;
    size_t size;
    pl_env env;
    failing_alloc f;
    pl_scene *s;
    pl_scene_limits l = {.yaml_nodes = 2000, .nodes = 500, .no_files = 1};
    if (e->d_name[0] == '.') continue;
    pl_env_init(&env);
    failing_alloc_install(&env, &f, -1);
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    check_ok(&env, pl_file_read(&env, path, 0, &data, &size));
    pl_status st = pl_scene_parse(&env, "t", ".", data, size, 0, NULL, &l, &s);
    assert_true(st == PL_OK || st == PL_E_INPUT);
    assert_true((st == PL_OK) == (s != NULL));
    pl_scene_free(s);
    pl_free(&env, data);
    assert_int_equal(f.live, 0);
    count++;
  }
  closedir(dir);
  assert_true(count > 10);
}

int test_file(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(overrides),
      cmocka_unit_test(again_with_overrides),
      cmocka_unit_test(as_run),
      cmocka_unit_test(starters),
      cmocka_unit_test(reference_is_current),
      cmocka_unit_test(paths),
      cmocka_unit_test(warnings),
      cmocka_unit_test(loads_on_what_is_let_go),
      cmocka_unit_test(files_of_others),
      cmocka_unit_test(limits),
      cmocka_unit_test(failing_allocator),
      cmocka_unit_test(corpus),
  };
  return cmocka_run_group_tests_name("scene.file", tests, NULL, NULL);
}
