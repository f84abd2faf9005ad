// Analyses of one model at the same time, each with a host, scratch and state of its own: every one
// gives what it gives alone, to the bit. Under the thread sanitizer (tools/tsan) they share nothing
// that is written.
#include "check.h"

#include "pliant/harmonic.h"
#include "pliant/job.h"

#include <pthread.h>
#include <string.h>

static const char scene_text[] =
    "pliant: 1\n"
    "materials: {m: {young: 1 GPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
    "bodies:\n"
    "  - name: wire\n"
    "    rod: {mesh: {line: {from: [0, 0, 0], to: [0.1 m, 0, 0], segments: 8}}, material: m,\n"
    "          section: {round: 1 mm}}\n"
    "  - name: flag\n"
    "    shell: {mesh: {grid: {size: [40 mm, 20 mm], cells: [4, 2], pattern: right}}, material: "
    "m,\n"
    "            translate: [0, 0.1 m, 0], thickness: 0.2 mm, bending: midedge}\n"
    "fixed: [{nodes: flag group left, clamp: yes}]\n"
    "drives: [{nodes: 'wire nearest [0, 0, 0]', translation: [0, 0, 0.5 mm], clamp: yes}]\n"
    "loads: [{node: 'flag nearest [0.04 m, 0.1 m, 0]', force: [0, 0, -1 mN]}]\n"
    "damping: {mass: 20 1/s}\n"
    "gravity: [0, 0, -9.81 m/s^2]\n"
    "analyses: [{static: {}}]\n";

enum { STATIC, MODES, TRANSIENT, PERIODIC, PATH, KINDS, MODE_COUNT = 3 };

typedef struct task {
  const pl_scene *scene;
  int kind;
  pl_status status;
  double value;
} task;

static pl_status transient(const task *t, pl_state *s, pl_work *w) {
  pl_transient_opts o;
  pl_transient_info info;
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &o);
  o.duration = 0.02;
  o.step = 5e-4;
  o.frequency = 100;
  return pl_transient(&o, t->scene->model, t->scene->params, s, NULL, w, NULL, NULL, &info);
}

static pl_status periodic(const task *t, pl_work *w, double *value) {
  pl_periodic_opts o;
  pl_orbit *orbit = NULL;
  pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &o);
  o.frequency = 20;
  o.harmonics = 2;
  pl_status s = pl_periodic(&o, t->scene->model, t->scene->params, w, &orbit, NULL);
  for (int i = 0; s == PL_OK && i < 50; i++) *value += orbit->z[i];
  pl_orbit_free(orbit);
  return s;
}

static pl_status path(const task *t, pl_state *s, pl_work *w) {
  pl_load_path_opts o;
  pl_load_path_info info;
  pl_opts_default(pl_load_path_option_table, pl_load_path_option_count, &o);
  return pl_load_path(&o, t->scene->model, t->scene->params, s, w, NULL, NULL, &info);
}

static pl_status equilibrium(const task *t, pl_state *s, pl_work *w) {
  pl_static_opts o;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  return pl_static(&o, t->scene->model, t->scene->params, s, w, NULL, NULL, NULL);
}

static pl_status modes(const task *t, pl_env *env, pl_state *s, pl_work *w, double *value) {
  pl_modes_info info;
  double omega[MODE_COUNT];
  double *shape = pl_alloc(env, MODE_COUNT, (size_t)s->nq * sizeof *shape);
  if (!shape) return PL_E_NOMEM;
  pl_status st = pl_modes(&(pl_modes_opts){.count = MODE_COUNT}, t->scene->model, t->scene->params,
                          s, w, omega, shape, &info);
  *value = st == PL_OK ? omega[0] + omega[2] : 0;
  pl_free(env, shape);
  return st;
}

static void *work_on(void *ctx) {
  task *t = ctx;
  const pl_scene *sc = t->scene;
  pl_env host;
  pl_work *w = NULL;
  pl_state *s = NULL;
  pl_env_init(&host);
  t->value = 0;
  t->status = pl_work_create_for(&host, sc->model, 1, &w);
  if (t->status == PL_OK) t->status = pl_state_create(sc->model, sc->params, &s);
  if (t->status == PL_OK) {
    t->status = t->kind == STATIC      ? equilibrium(t, s, w)
                : t->kind == MODES     ? modes(t, &host, s, w, &t->value)
                : t->kind == TRANSIENT ? transient(t, s, w)
                : t->kind == PERIODIC  ? periodic(t, w, &t->value)
                                       : path(t, s, w);
    for (int i = 0; i < s->nq; i++) t->value += s->q[i];
  }
  if (s) pl_state_free(sc->model, s);
  pl_work_free(w);
  return NULL;
}

static void analyses_at_once(void **state) {
  (void)state;
  pl_env env;
  pl_scene *s;
  pl_env_init(&env);
  check_ok(&env, pl_scene_parse(&env, "test.yaml", ".", scene_text, strlen(scene_text), 0, NULL,
                                NULL, &s));
  task alone[KINDS], together[2 * KINDS];
  pthread_t thread[2 * KINDS];
  for (int k = 0; k < KINDS; k++) {
    alone[k] = (task){.scene = s, .kind = k};
    work_on(&alone[k]);
    assert_int_equal(alone[k].status, PL_OK);
  }
  // every kind twice
  for (int k = 0; k < 2 * KINDS; k++) {
    together[k] = (task){.scene = s, .kind = k % KINDS};
    assert_int_equal(pthread_create(&thread[k], NULL, work_on, &together[k]), 0);
  }
  for (int k = 0; k < 2 * KINDS; k++) {
    pthread_join(thread[k], NULL);
    assert_int_equal(together[k].status, PL_OK);
    assert_true(together[k].value == alone[k % KINDS].value);
  }
  pl_scene_free(s);
}

// ---- jobs ---------------------------------------------------------------------------------------

// all that change values, and go on with those that they find
static const char changing[] =
    "pliant: 1\n"
    "dimension: 1\n"
    "parameters: {m: {value: 1 kg, min: 0.2 kg, max: 5 kg}, k: {value: 100 N/m, min: 50 N/m, max: "
    "200 N/m}}\n"
    "nodes: {m: 0}\n"
    "masses: [{node: m, mass: $m}]\n"
    "springs: [{nodes: [ground, m], stiffness: $k, cubic: 50 N/m^3, damping: 0.4 N.s/m}]\n"
    "loads: [{node: m, force: [1 N], harmonic: 1}]\n"
    "watch: {tip: m}\n"
    "analyses:\n"
    "  - explore: {frequency: 8 rad/s, set: {k: 105 N/m}, apply: yes}\n"
    "  - design: {frequency: 8 rad/s, harmonics: 3, objectives: [{amplitude: 50 mm, node: m}],\n"
    "             max_iter: 4, response: no, proof: no, apply: yes}\n"
    "  - response: {from: 6 rad/s, to: 14 rad/s, harmonics: 3}\n"
    "  - backbone: {}\n";

// seconds that were spent differ
static int tells_seconds(const char *column) {
  static const char *const spent[] = {"seconds", "solve", "project"};
  for (int k = 0; k < 3; k++)
    if (strcmp(column, spent[k]) == 0) return 1;
  return 0;
}

static void add_table(void *ctx, const char *name, const pl_table *t) {
  (void)name;
  int n = pl_table_cols(t);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < pl_table_rows(t) && !tells_seconds(pl_table_name(t, k)); i++)
      if (isfinite(pl_table_data(t)[i * n + k])) *(double *)ctx += pl_table_data(t)[i * n + k];
}

static void add_text(void *ctx, const char *name, const char *csv, size_t n) {
  (void)name;
  *(double *)ctx += (double)pl_hash(0, csv, n);
}

// only: name of an analysis, NULL: all
static void start_job(const pl_scene *s, const char *only, pl_job **job, pl_sink *sink,
                      double *sum) {
  pl_env host;
  pl_env_init(&host);
  *sink = (pl_sink){.ctx = sum, .table = add_table, .text = add_text};
  *sum = 0;
  const pl_job_opts o = {.threads = 1, .sink = sink, .only = only};
  assert_int_equal(pl_job_create(&host, s, &o, job), PL_OK);
  assert_int_equal(pl_job_start(*job), PL_OK);
}

// jobs of one scene that all change its values leave it as it is, and do not meet
static void jobs_at_once(void **state) {
  (void)state;
  enum { JOBS = 3 };
  pl_env env;
  pl_scene *s;
  pl_job *job[JOBS];
  pl_sink sink[JOBS];
  double alone, sum[JOBS];
  pl_env_init(&env);
  check_ok(&env,
           pl_scene_parse(&env, "test.yaml", ".", changing, strlen(changing), 0, NULL, NULL, &s));
  start_job(s, NULL, &job[0], &sink[0], &alone);
  assert_int_equal(pl_job_wait(job[0], NULL), PL_OK);
  pl_job_free(job[0]);
  assert_true(alone != 0);
  assert_true(s->params->design[0] == 1 && s->params->design[1] == 100);
  for (int k = 0; k < JOBS; k++) start_job(s, NULL, &job[k], &sink[k], &sum[k]);
  for (int k = 0; k < JOBS; k++) {
    assert_int_equal(pl_job_wait(job[k], NULL), PL_OK);
    assert_true(sum[k] == alone);
    pl_job_free(job[k]);
  }
  assert_true(s->params->design[0] == 1 && s->params->design[1] == 100);
  pl_scene_free(s);
}

// Scenes of which every analysis is run beside all the others: contact with friction and a search,
// limits of cloth, interlocking elements.
static const char *const mixed[] = {
    "pliant: 1\n"
    "materials: {m: {young: 2 MPa, poisson: 0.3, density: 1100 kg/m^3}}\n"
    "bodies: [{name: b, solid: {mesh: {box: {size: [20 mm, 20 mm, 20 mm], cells: [2, 1, 1]}}, "
    "material: m}}]\n"
    "obstacles: [{name: floor, plane: {normal: [0, 0, 1], through: [0, 0, -1 mm]}, friction: "
    "0.4}]\n"
    "contact: {nodes: b}\n"
    "gravity: [1 m/s^2, 0, -9.81 m/s^2]\n"
    "initial: [{nodes: b, velocity: [0.2 m/s, 0, -0.3 m/s]}]\n"
    "analyses:\n"
    "  - transient: {name: newmark, duration: 10 ms, step: 1 ms}\n"
    "  - transient: {name: euler, duration: 10 ms, step: 1 ms, method: implicit-euler}\n"
    "  - search: {budget: 6, vary: [{path: initial.0.velocity.0, min: -1 m/s, max: 1 m/s}],\n"
    "             goals: [{figure: newmark.contact_dissipated_J, minimise: yes}]}\n",
    "pliant: 1\n"
    "materials: {m: {young: 5 kPa, poisson: 0.3, density: 300 kg/m^3}}\n"
    "bodies: [{name: b, shell: {bending: hinge, mesh: {grid: {size: [1 m, 1 m], cells: [4, 4]}}, "
    "material: m, thickness: 1 mm, limit: {stretch: 1 %}}}]\n"
    "fixed: ['b nearest [0, 0, 0]', 'b nearest [0, 1, 0]']\n"
    "gravity: [0, 0, -9.81 m/s^2]\n"
    "obstacles: [{sphere: {centre: [0.6 m, 0.6 m, -0.4 m], radius: 0.3 m}, friction: 0.3}]\n"
    "contact: {nodes: b}\n"
    "analyses:\n"
    "  - drape: {}\n"
    "  - transient: {name: project, duration: 0.3 s, step: 10 ms, method: project}\n"
    "  - transient: {name: coupled, duration: 0.3 s, step: 10 ms, method: coupled}\n",
    "pliant: 1\n"
    "gravity: [0, 0, -9.81 m/s^2]\n"
    "interlocking: [{four-in-one: {}}]\n"
    "patches: [{name: mail, cells: [2, 2], held: {edge: back}}]\n"
    "analyses:\n"
    "  - native: {}\n"
    "  - limits: {directions: 2}\n"
    "  - mail-design: {starts: 1, tol: 0.5, directions: 1, goals: [{stretch: 10 %, angle: 0 "
    "deg}],\n"
    "                  variables: [{name: wire, min: 0.8 mm, max: 1.3 mm}]}\n"};

static void others_at_once(void **state) {
  (void)state;
  enum { SCENES = sizeof mixed / sizeof *mixed, MOST = 3 };
  pl_env env;
  pl_env_init(&env);
  for (int n = 0; n < SCENES; n++) {
    pl_scene *s;
    pl_job *job[MOST];
    pl_sink sink[MOST];
    double alone[MOST], sum[MOST];
    check_ok(&env,
             pl_scene_parse(&env, "test.yaml", ".", mixed[n], strlen(mixed[n]), 0, NULL, NULL, &s));
    assert_int_equal(s->nanalysis, MOST);
    for (int k = 0; k < MOST; k++) {
      start_job(s, s->analysis[k].name, &job[k], &sink[k], &alone[k]);
      assert_int_equal(pl_job_wait(job[k], NULL), PL_OK);
      pl_job_free(job[k]);
      assert_true(alone[k] != 0);
    }
    for (int k = 0; k < MOST; k++) start_job(s, s->analysis[k].name, &job[k], &sink[k], &sum[k]);
    for (int k = 0; k < MOST; k++) {
      assert_int_equal(pl_job_wait(job[k], NULL), PL_OK);
      assert_true(sum[k] == alone[k]);
      pl_job_free(job[k]);
    }
    pl_scene_free(s);
  }
}

// ---- hosts --------------------------------------------------------------------------------------

// a wire that is shaken: its strains are looked for at many phases
static const char shaken[] =
    "pliant: 1\n"
    "materials: {m: {young: 1 GPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
    "bodies:\n"
    "  - name: wire\n"
    "    rod: {mesh: {line: {from: [0, 0, 0], to: [0.1 m, 0, 0], segments: 4}}, material: m,\n"
    "          section: {round: 1 mm}}\n"
    "drives: [{nodes: 'wire nearest [0, 0, 0]', translation: [0, 0, 0.5 mm], clamp: yes}]\n"
    "damping: {mass: 20 1/s}\n"
    "analyses: [{periodic: {frequency: 20 Hz, harmonics: 2}}]\n";

// what one host hears
typedef struct heard {
  pl_job *job;
  int strains, files; // times asked while strains are looked for; VTU files
  int stop_at;        // cancel the job when asked so often, 0: never
} heard;

static int hear(void *ctx, const pl_progress *p) {
  heard *h = ctx;
  if (p->what && strcmp(p->what, "strain") == 0 && ++h->strains == h->stop_at)
    pl_job_cancel(h->job);
  return 0;
}

static void hear_file(void *ctx, const char *path) {
  heard *h = ctx;
  h->files += strstr(path, ".vtu") != NULL;
}

static void hear_host(pl_env *env, heard *h) {
  pl_env_init(env);
  *h = (heard){0};
  env->progress = hear;
  env->progress_ctx = h;
  env->file = hear_file;
  env->file_ctx = h;
}

// strains tell the job that looks for them, not the host that the scene was read with
static void strains_tell_their_job(void **state) {
  (void)state;
  enum { JOBS = 2 };
  pl_env env, host[JOBS];
  pl_scene *s;
  heard scene, h[JOBS];
  hear_host(&env, &scene);
  check_ok(&env, pl_scene_parse(&env, "test.yaml", ".", shaken, strlen(shaken), 0, NULL, NULL, &s));
  scene = (heard){0};
  for (int stop_at = 0; stop_at <= 3; stop_at += 3) {
    for (int k = 0; k < JOBS; k++) {
      const char *folder = k ? "test_parallel.second" : "test_parallel.first";
      hear_host(&host[k], &h[k]);
      h[k].stop_at = k ? 0 : stop_at;
      check_ok(&host[k], pl_job_create(&host[k], s, &(pl_job_opts){.threads = 1, .folder = folder},
                                       &h[k].job));
    }
    for (int k = 0; k < JOBS; k++) check_ok(&host[k], pl_job_start(h[k].job));
    for (int k = 0; k < JOBS; k++) {
      int stopped = h[k].stop_at > 0;
      assert_int_equal(pl_job_wait(h[k].job, NULL), stopped ? PL_CANCELLED : PL_OK);
      if (stopped) assert_int_equal(h[k].strains, stop_at);
      if (!stopped) assert_true(h[k].strains >= 64 && h[k].files > 0);
      pl_job_free(h[k].job);
    }
  }
  assert_int_equal(scene.strains + scene.files, 0);
  pl_scene_free(s);
}

int test_parallel(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(analyses_at_once), cmocka_unit_test(jobs_at_once),
      cmocka_unit_test(others_at_once), cmocka_unit_test(strains_tell_their_job)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
