// Jobs that are looked on: rows as they come, tables, plots, states and the summary as data, with
// and without files; jobs in threads of their own, and stopped ones.
#include "check.h"

#include "pliant/job.h"

#include <jansson.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "test_sink.results"

static const char scene_text[] =
    "pliant: 1\n"
    "dimension: 1\n"
    "nodes: {m: 0}\n"
    "masses: [{node: m, mass: 1 kg}]\n"
    "springs: [{nodes: [ground, m], stiffness: 25 N/m, cubic: 5 N/m^3, damping: 0.4 N.s/m}]\n"
    "loads: [{node: m, force: [3 N], harmonic: 1}, {node: m, force: [1 N]}]\n"
    "watch: {m: m}\n"
    "analyses:\n"
    "  - static: {steps: 4}\n"
    "  - transient: {duration: 2 s, step: 10 ms, frequency: 3 rad/s}\n"
    "  - response: {from: 1 rad/s, to: 9 rad/s, peaks: max}\n"
    "  - modes: {count: 1}\n";

enum { TABLES = 16 };
typedef struct seen {
  int begun, ended, rows, plots, states, texts, charts, shapes, orbits, keys, sentences, grids;
  int figures; // objects of key figures that have their analysis' name
  int stop_at; // rows; 0: never
  int ntable;
  char name[TABLES][64];
  int n[TABLES];
  double last[TABLES]; // the last number of each
  char summary[1 << 16];
} seen;

static void begin(void *ctx, const pl_analysis *a) {
  assert_non_null(a->name);
  ((seen *)ctx)->begun++;
}

static int rows(void *ctx, const char *name, const pl_table *t, int first) {
  seen *k = ctx;
  assert_true(strlen(name) > 0 && pl_table_rows(t) > first);
  k->rows += pl_table_rows(t) - first;
  return k->stop_at > 0 && k->rows >= k->stop_at;
}

static void table(void *ctx, const char *name, const pl_table *t) {
  seen *k = ctx;
  assert_in_range(k->ntable, 0, TABLES - 1);
  snprintf(k->name[k->ntable], sizeof k->name[0], "%s", name);
  k->n[k->ntable] = pl_table_rows(t);
  size_t count = (size_t)pl_table_rows(t) * (size_t)pl_table_cols(t);
  k->last[k->ntable++] = count ? pl_table_data(t)[count - 1] : 0;
}

static void text(void *ctx, const char *name, const char *csv, size_t n) {
  assert_true(strlen(csv) == n && !strchr(name, '/') && !strstr(name, ".csv"));
  ((seen *)ctx)->texts++;
}

static void plot(void *ctx, const char *name, const char *caption, const pl_plot *p) {
  (void)name;
  (void)caption;
  assert_true(p->nseries > 0);
  ((seen *)ctx)->plots++;
}

static void state(void *ctx, const pl_analysis *a, const pl_state *s) {
  (void)a;
  assert_int_equal(s->nq, 1);
  ((seen *)ctx)->states++;
}

static void said(void *ctx, pl_said kind, const char *words) {
  seen *k = ctx;
  k->keys += kind == PL_SAID_KEY;
  k->sentences += kind == PL_SAID_TEXT || kind == PL_SAID_WARNING;
  assert_true((strlen(words) > 0) == (kind < PL_SAID_ROW));
}

static void grid(void *ctx, int rows_, int cols, const char *const *cells) {
  assert_true(rows_ > 1 && cols > 1);
  for (int i = 0; i < rows_ * cols; i++) assert_non_null(cells[i]);
  ((seen *)ctx)->grids++;
}

static void chart(void *ctx, const char *name, const char *caption, const pl_chart *c) {
  (void)caption;
  assert_string_equal(name, "modes-1");
  assert_string_equal(c->name[0], "m");
  assert_int_equal(c->n, 1);
  check_close(fabs(c->value[0]), 1, 1e-12);
  ((seen *)ctx)->charts++;
}

static void shape(void *ctx, const pl_shape *s) {
  assert_int_equal(s->state->nq, 1);
  assert_string_equal(s->name, s->mode ? "modes-1" : "static");
  ((seen *)ctx)->shapes++;
}

static void orbit(void *ctx, const char *name, const char *title, const pl_orbit *o) {
  (void)title;
  assert_true(strlen(name) > 0 && o->omega > 0);
  ((seen *)ctx)->orbits++;
}

static void figures(void *ctx, const pl_analysis *a, const struct json_t *f) {
  const char *name = json_string_value(json_object_get((const json_t *)f, "name"));
  ((seen *)ctx)->figures += name && strcmp(name, a->name) == 0;
}

static void end(void *ctx, const pl_analysis *a, pl_status status) {
  (void)a;
  (void)status;
  ((seen *)ctx)->ended++;
}

static void summary(void *ctx, const char *json) {
  seen *k = ctx;
  snprintf(k->summary, sizeof k->summary, "%s", json);
}

static pl_sink sink_of(seen *k) {
  return (pl_sink){.ctx = k,
                   .begin = begin,
                   .rows = rows,
                   .table = table,
                   .text = text,
                   .plot = plot,
                   .state = state,
                   .said = said,
                   .grid = grid,
                   .chart = chart,
                   .shape = shape,
                   .orbit = orbit,
                   .figures = figures,
                   .end = end,
                   .summary = summary};
}

static pl_scene *load(pl_env *env) {
  pl_scene *s;
  check_ok(env, pl_scene_parse(env, "test.yaml", ".", scene_text, strlen(scene_text), 0, NULL, NULL,
                               &s));
  return s;
}

static int find(const seen *k, const char *name) {
  for (int i = 0; i < k->ntable; i++)
    if (strcmp(k->name[i], name) == 0) return i;
  return -1;
}

// the same is told with and without files, and without a folder none are written
static void data_without_files(void **unused) {
  (void)unused;
  seen *k = calloc(2, sizeof *k);
  assert_non_null(k);
  for (int files = 0; files < 2; files++) {
    pl_env env;
    pl_env_init(&env);
    pl_scene *s = load(&env);
    pl_sink sink = sink_of(&k[files]);
    pl_job_result r;
    check_ok(&env, pl_job_run(&env, s,
                              &(pl_job_opts){.folder = files ? FOLDER : NULL, .sink = &sink}, &r));
    assert_int_equal(r.nrun, 4);
    assert_int_equal(r.report[0] != 0, files);
    pl_scene_free(s);
  }
  assert_int_equal(access("transient.csv", F_OK), -1);
  assert_int_equal(access("summary.json", F_OK), -1);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(k[i].begun, 4);
    assert_int_equal(k[i].ended, 4);
    assert_int_equal(k[i].figures, 4);
    assert_int_equal(k[i].charts, 1);
    assert_int_equal(k[i].shapes, 2);
    // four load steps and rest, 200 time steps and the start, each point of the response
    int curve = find(&k[i], "response");
    assert_true(curve >= 0);
    assert_int_equal(k[i].states, 5 + 201);
    // the end of the range is in the whole table only
    assert_true(k[i].rows >= k[i].states + k[i].n[curve] - 1);
    assert_int_equal(k[i].n[find(&k[i], "static")], 5);
    assert_int_equal(k[i].n[find(&k[i], "transient")], 201);
    assert_true(k[i].texts > 0);
    assert_non_null(strstr(k[i].summary, "\"response\""));
  }
  assert_true(k[1].plots > 0 && k[1].grids >= 3 && k[1].keys >= 4 && k[1].sentences >= 2);
  assert_int_equal(k[0].plots, k[1].plots);
  assert_int_equal(k[0].grids, k[1].grids);
  assert_int_equal(k[0].keys, k[1].keys);
  assert_int_equal(k[0].sentences, k[1].sentences);
  assert_int_equal(k[0].ntable, k[1].ntable);
  for (int t = 0; t < k[0].ntable; t++) {
    assert_string_equal(k[0].name[t], k[1].name[t]);
    assert_int_equal(k[0].n[t], k[1].n[t]);
    assert_true(k[0].last[t] == k[1].last[t]);
  }
  free(k);
}

// ---- motions ------------------------------------------------------------------------------------

typedef struct watched {
  int films, limits, energy; // sentences that tell of these
  double end[3], tip[3];     // the last vertex in the last frame, and in the last state
} watched;

static void film(void *ctx, const pl_analysis *a, const pl_film *f) {
  watched *k = ctx;
  k->films++;
  assert_string_equal(a->name, "transient");
  assert_int_equal(f->n, 5);
  for (int i = 0; i < f->n; i++) check_close(f->time[i], 0.01 * i, 1e-12);
  // six vertices of two squares, none of which is stretched further than it may be
  for (int i = 0; i < 3 * 6; i++) assert_true(isfinite(f->x[(size_t)(f->n - 1) * 18 + i]));
  for (int i = 0; i < f->n * 4; i++) check_less(f->face[i], 1 + 1e-6);
  memcpy(k->end, f->x + (size_t)f->n * 18 - 3, sizeof k->end);
  // places stand before rates in the unknowns
  check_close(f->qv[(size_t)(f->n - 1) * 2 * 18 + 17], k->end[2], 0);
}

static void last_state(void *ctx, const pl_analysis *a, const pl_state *s) {
  (void)a;
  memcpy(((watched *)ctx)->tip, s->q + s->nq - 3, 3 * sizeof(double));
}

static void sentence(void *ctx, pl_said kind, const char *words) {
  watched *k = ctx;
  k->limits += kind == PL_SAID_TEXT && strstr(words, "Limits of stretch hold");
  k->energy += kind == PL_SAID_TEXT && strstr(words, "The energy changed by");
}

// who looks on gets the motion and what is said of it, without a page and without files
static void motions(void **unused) {
  (void)unused;
  static const char cloth[] =
      "pliant: 1\n"
      "materials: {c: {young: 1800, poisson: 0.4, density: 200}}\n"
      "bodies: [{name: c, shell: {mesh: {grid: {size: [0.2, 0.1], cells: [2, 1], pattern: "
      "alternating}},\n"
      "          material: c, thickness: 0.5 mm, limit: {stretch: 1 %}}}]\n"
      "fixed: c where x < 0.01\n"
      "gravity: [0, 0, -9.81]\n"
      "output: {frames: 4}\n"
      "analyses: [{transient: {method: project, duration: 0.04, step: 10 ms}}]\n";
  watched k = {0};
  pl_env env;
  pl_env_init(&env);
  pl_scene *s;
  pl_job_result r;
  check_ok(&env, pl_scene_parse(&env, "cloth.yaml", ".", cloth, strlen(cloth), 0, NULL, NULL, &s));
  const pl_sink sink = {.ctx = &k, .film = film, .state = last_state, .said = sentence};
  check_ok(&env, pl_job_run(&env, s, &(pl_job_opts){.sink = &sink, .threads = 1}, &r));
  pl_scene_free(s);
  assert_true(k.films == 1 && k.limits == 1 && k.energy == 1);
  check_less(k.end[2], -1e-3);
  for (int c = 0; c < 3; c++) check_close(k.end[c], k.tip[c], 0);
}

// a table that has few rows hides no step from who looks on
static void states_between_rows(void **unused) {
  (void)unused;
  static const char *const set[] = {"output.every=0.1 s"};
  seen *k = calloc(1, sizeof *k);
  pl_env env;
  pl_scene *s;
  pl_job_result r;
  assert_non_null(k);
  pl_env_init(&env);
  check_ok(&env, pl_scene_parse(&env, "test.yaml", ".", scene_text, strlen(scene_text), 1, set,
                                NULL, &s));
  pl_sink sink = sink_of(k);
  check_ok(&env, pl_job_run(&env, s, &(pl_job_opts){.sink = &sink, .only = "transient"}, &r));
  assert_int_equal(k->n[find(k, "transient")], 21);
  assert_int_equal(k->states, 201);
  pl_scene_free(s);
  free(k);
}

// how a run used the processors stands in its result, in its summary and on its page
static void threads_are_told(void **unused) {
  (void)unused;
  seen *k = calloc(1, sizeof *k);
  assert_non_null(k);
  pl_env env;
  pl_env_init(&env);
  pl_scene *s = load(&env);
  pl_sink sink = {.ctx = k, .summary = summary};
  pl_job_result r;
  const pl_job_opts opts = {.folder = FOLDER, .sink = &sink, .only = "modes", .threads = 2};
  check_ok(&env, pl_job_run(&env, s, &opts, &r));
  assert_int_equal(r.threads, 2);
  assert_true(r.processors >= 1 && r.seconds > 0 && r.cpu_seconds > 0);
  json_t *all = json_loads(k->summary, 0, NULL);
  assert_int_equal(json_integer_value(json_object_get(all, "threads")), 2);
  assert_int_equal(json_integer_value(json_object_get(all, "threads_asked")), 2);
  assert_int_equal(json_integer_value(json_object_get(all, "processors")), r.processors);
  assert_true(json_real_value(json_object_get(all, "cpu_seconds")) == r.cpu_seconds);
  json_decref(all);
  char *page;
  size_t n;
  check_ok(&env, pl_file_read(&env, r.report, 0, &page, &n));
  assert_non_null(strstr(page, " s on 2 threads (asked for: 2; "));
  pl_free(&env, page);
  pl_scene_free(s);
  free(k);
}

// who looks on can stop it
static void rows_stop_a_job(void **unused) {
  (void)unused;
  seen *k = calloc(1, sizeof *k);
  pl_env env;
  pl_job_result r;
  assert_non_null(k);
  k->stop_at = 30;
  pl_env_init(&env);
  pl_scene *s = load(&env);
  pl_sink sink = sink_of(k);
  assert_int_equal(pl_job_run(&env, s, &(pl_job_opts){.sink = &sink}, &r), PL_CANCELLED);
  assert_int_equal(r.cancelled, 1);
  assert_int_equal(k->rows, 30);
  assert_int_equal(k->ended, 2);
  assert_non_null(strstr(k->summary, "cancelled"));
  assert_null(env.progress);
  pl_scene_free(s);
  free(k);
}

static atomic_int asked;

static int look(void *ctx, const char *name, const pl_table *t, int first) {
  (void)name;
  (void)t;
  (void)first;
  atomic_fetch_add(&asked, 1);
  // goes on slowly until it is cancelled
  usleep(1000);
  (void)ctx;
  return 0;
}

// a job in a thread of its own: waited for, and cancelled on its way
static void jobs_in_threads(void **unused) {
  (void)unused;
  for (int cancel = 0; cancel < 2; cancel++) {
    pl_env env;
    pl_env_init(&env);
    pl_scene *s = load(&env);
    const pl_sink sink = {.rows = look};
    pl_job *j;
    pl_job_result r;
    atomic_store(&asked, 0);
    check_ok(&env, pl_job_create(&env, s, &(pl_job_opts){.sink = &sink, .threads = 1}, &j));
    assert_int_equal(pl_job_wait(j, NULL), PL_E_ARG);
    check_ok(&env, pl_job_start(j));
    assert_int_equal(pl_job_start(j), PL_E_ARG);
    while (cancel && atomic_load(&asked) < 10) usleep(100);
    if (cancel) pl_job_cancel(j);
    assert_int_equal(pl_job_wait(j, &r), cancel ? PL_CANCELLED : PL_OK);
    assert_int_equal(r.cancelled, cancel);
    pl_job_free(j);
    pl_scene_free(s);
  }
}

static void no_folder_no_resume(void **unused) {
  (void)unused;
  pl_env env;
  pl_job_result r;
  pl_env_init(&env);
  pl_scene *s = load(&env);
  assert_int_equal(pl_job_run(&env, s, &(pl_job_opts){.resume = 1}, &r), PL_E_ARG);
  pl_scene_free(s);
}

// ---- a backbone, then a response ----------------------------------------------------------------

typedef struct overlay {
  int n; // points of the backbone over the response
  double last[2];
} overlay;

static void take_overlay(void *ctx, const char *name, const char *caption, const pl_plot *p) {
  overlay *k = ctx;
  (void)caption;
  if (strncmp(name, "response", 8) != 0) return;
  for (int s = 0; s < p->nseries; s++) {
    const pl_series *of = &p->series[s];
    if (strcmp(of->name, "backbone") != 0) continue;
    k->n = of->n;
    k->last[0] = of->x[of->n - 1];
    k->last[1] = of->y[of->n - 1];
  }
}

// Backbones are drawn over responses with and without files, and where csv is not wanted.
static void curves_without_files(void **unused) {
  (void)unused;
  static const char both[] = "pliant: 1\n"
                             "dimension: 1\n"
                             "nodes: {m: 0}\n"
                             "masses: [{node: m, mass: 1 kg}]\n"
                             "springs: [{nodes: [ground, m], stiffness: 25 N/m, cubic: 5 N/m^3, "
                             "damping: 0.4 N.s/m}]\n"
                             "loads: [{node: m, force: [3 N], harmonic: 1}]\n"
                             "watch: {m: m}\n"
                             "analyses:\n"
                             "  - backbone: {amplitude: 1 m}\n"
                             "  - response: {from: 3 rad/s, to: 9 rad/s, peaks: max}\n";
  static const char *const none[] = {"output.csv=no"};
  overlay k[4] = {{0}};
  for (int i = 0; i < 4; i++) {
    pl_env env;
    pl_scene *s;
    pl_job_result r;
    pl_env_init(&env);
    const pl_sink sink = {.ctx = &k[i], .plot = take_overlay};
    pl_job_opts o = {.sink = &sink, .folder = i ? FOLDER : NULL, .threads = 1};
    // the last one goes on for the response alone, from the files of the one before
    if (i == 3) o.resume = 1, o.only = "response";
    check_ok(&env, pl_scene_parse(&env, "t", ".", both, strlen(both), i == 1, none, NULL, &s));
    check_ok(&env, pl_job_run(&env, s, &o, &r));
    pl_scene_free(s);
    check_less(3, k[i].n);
    assert_int_equal(k[i].n, k[0].n);
    check_array(2, k[i].last, k[0].last, 0);
  }
}

// ---- limits, then macro -------------------------------------------------------------------------

static const char mail_text[] = "pliant: 1\n"
                                "interlocking: [{four-in-one: {}}]\n"
                                "patches: [{cells: [2, 2], held: {edge: back}}]\n"
                                "gravity: [0, 0, -9.81]\n"
                                "analyses:\n"
                                "  - limits: {directions: 1, boundary: 1}\n"
                                "  - macro: {refine: 0}\n";

enum { POSES = 8 * 9 };
typedef struct rest {
  int materials, poses;
  double pose[POSES]; // of the elements
  char left_out[PL_TEXT];
} rest;

static void take_material(void *ctx, const char *name, const pl_sheet_material *m) {
  assert_string_equal(name, "limits");
  assert_true(m->membrane.n > 0 && m->fingerprint != 0);
  ((rest *)ctx)->materials++;
}

static void take_poses(void *ctx, const char *name, const pl_table *t) {
  rest *k = ctx;
  if (strcmp(name, "macro") != 0) return;
  k->poses = pl_table_rows(t) * pl_table_cols(t);
  assert_int_equal(k->poses, POSES);
  memcpy(k->pose, pl_table_data(t), sizeof k->pose);
}

static void take_warning(void *ctx, const pl_diag *d) {
  rest *k = ctx;
  if (strstr(d->text, "is not run")) snprintf(k->left_out, sizeof k->left_out, "%s", d->text);
}

static pl_status run_mail(const char *text_, int nset, const char *const *set, pl_job_opts o,
                          rest *k, int *nrun) {
  pl_env env;
  pl_scene *s;
  pl_job_result r;
  const pl_sink sink = {.ctx = k, .material = take_material, .table = take_poses};
  memset(k, 0, sizeof *k);
  pl_env_init(&env);
  env.diag = take_warning;
  env.diag_ctx = k;
  check_ok(&env, pl_scene_parse(&env, "m.yaml", ".", text_, strlen(text_), nset, set, NULL, &s));
  o.sink = &sink;
  o.threads = 1;
  pl_status st = pl_job_run(&env, s, &o, &r);
  *nrun = r.nrun;
  pl_scene_free(s);
  return st;
}

// Limits hand what they found to macro, with and without files, the same as a file has it.
static void material_without_files(void **unused) {
  (void)unused;
  static const char *const file[] = {"analyses.macro.material=" FOLDER "/limits.material"};
  rest k[5];
  int n;
  assert_int_equal(run_mail(mail_text, 0, NULL, (pl_job_opts){0}, &k[0], &n), PL_OK);
  assert_int_equal(run_mail(mail_text, 0, NULL, (pl_job_opts){.folder = FOLDER}, &k[1], &n), PL_OK);
  assert_int_equal(n, 2);
  // a run that goes on for macro alone has the file
  const pl_job_opts on = {.folder = FOLDER, .only = "macro", .resume = 1};
  assert_int_equal(run_mail(mail_text, 0, NULL, on, &k[2], &n), PL_OK);
  assert_int_equal(n, 1);
  assert_int_equal(run_mail(mail_text, 1, file, (pl_job_opts){.only = "macro"}, &k[3], &n), PL_OK);
  assert_int_equal(n, 1);
  // one that begins anew runs the limits, too
  assert_int_equal(run_mail(mail_text, 0, NULL, (pl_job_opts){.only = "macro"}, &k[4], &n), PL_OK);
  assert_int_equal(n, 2);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(k[i].materials, i < 2 || i == 4);
    assert_int_equal(k[i].poses, POSES);
    assert_memory_equal(k[i].pose, k[0].pose, sizeof k[0].pose);
  }
}

// where rays were not found macro is left out, and why is told
static void no_material_no_macro(void **unused) {
  (void)unused;
  static const char *const set[] = {"analyses.limits.max_iter=1", "analyses.limits.barrier=0.02",
                                    "analyses.limits.starts=1"};
  rest k;
  int n;
  assert_int_equal(run_mail(mail_text, 3, set, (pl_job_opts){0}, &k, &n), PL_UNSOLVED);
  assert_int_equal(n, 1);
  assert_int_equal(k.materials, 0);
  assert_non_null(strstr(k.left_out, "macro 'macro' is not run: 'limits', which it starts from, "
                                     "leaves no limits for sheets: "));
}

// figures of macro are goals of a search, whose runs have no folder
static void macro_is_searched(void **unused) {
  (void)unused;
  char text_[1024];
  rest k;
  int n;
  snprintf(text_, sizeof text_,
           "%s  - search: {budget: 2, batch: 1, vary: [{path: interlocking.four-in-one.wire, "
           "min: 1.1 mm, max: 1.2 mm}], goals: [{figure: macro.height, at_most: 1 m}]}\n",
           mail_text);
  const char *set[] = {"interlocking.four-in-one.wire=1.15 mm"};
  assert_int_equal(run_mail(text_, 1, set, (pl_job_opts){.only = "search"}, &k, &n), PL_OK);
}

// ---- points and steps ---------------------------------------------------------------------------

typedef struct followed {
  int uses, begun, points, last; // last: row told
  int iterates, stop_at;
  double value, mass, path; // of the last step; path: of its motion
  const pl_model *model;
  const pl_params *params;
} followed;

static void use_model(void *ctx, const pl_model *m, const pl_params *p) {
  followed *k = ctx;
  k->uses++;
  k->model = m;
  k->params = p;
}

static void begin_following(void *ctx, const pl_analysis *a) {
  followed *k = ctx;
  (void)a;
  // what motions belong to is known before all else
  assert_non_null(k->model);
  k->begun++;
}

static void motion_of_row(void *ctx, const char *name, int row, const pl_orbit *o) {
  followed *k = ctx;
  assert_string_equal(name, "response");
  assert_int_equal(o->nfree, pl_model_nfree(k->model));
  assert_true(row == k->last + 1 || row == 0);
  k->last = row;
  k->points++;
}

static int iterate(void *ctx, const pl_analysis *a, const pl_iterate *i) {
  followed *k = ctx;
  const pl_measure path = {.kind = PL_MEASURE_PATH, .node = a->probe[0].node, .mask = 1};
  assert_int_equal(i->iteration, k->iterates);
  assert_int_equal(i->n, 1);
  assert_string_equal(i->name[0], "k");
  assert_int_equal(i->norbit, 1);
  if (k->iterates++) assert_true(i->value < k->value);
  k->value = i->value;
  k->path = pl_orbit_measure(k->model, i->params, i->orbit[0], &path, NULL);
  return k->iterates == k->stop_at;
}

// points of a response have their motions, steps of a design theirs, and who looks on may stop it
static void points_and_steps(void **unused) {
  (void)unused;
  static const char both[] =
      "pliant: 1\n"
      "dimension: 1\n"
      "parameters: {k: {value: 25 N/m, min: 5 N/m, max: 50 N/m}}\n"
      "nodes: {m: 0}\n"
      "masses: [{node: m, mass: 1 kg}]\n"
      "springs: [{nodes: [ground, m], stiffness: $k, damping: 0.4 N.s/m}]\n"
      "loads: [{node: m, force: [3 N], harmonic: 1}]\n"
      "watch: {m: m}\n"
      "analyses:\n"
      "  - response: {from: 3 rad/s, to: 9 rad/s, harmonics: 1}\n"
      "  - design: {frequency: 3 rad/s, harmonics: 1, variables: all, proof: no, response: no,\n"
      "      objectives: [{amplitude: 2 m, node: m}]}\n";
  for (int stop = 0; stop < 2; stop++) {
    followed k = {.last = -1, .stop_at = 2 * stop};
    pl_env env;
    pl_scene *s;
    pl_job_result r;
    pl_env_init(&env);
    const pl_sink sink = {.ctx = &k,
                          .use = use_model,
                          .begin = begin_following,
                          .motion = motion_of_row,
                          .iterate = iterate};
    check_ok(&env, pl_scene_parse(&env, "t", ".", both, strlen(both), 0, NULL, NULL, &s));
    pl_status st = pl_job_run(&env, s, &(pl_job_opts){.sink = &sink, .threads = 1}, &r);
    assert_int_equal(st, stop ? PL_CANCELLED : PL_OK);
    assert_int_equal(k.begun, 2);
    assert_true(k.points > 10 && k.uses >= 1);
    assert_true(stop ? k.iterates == 2 : k.iterates > 2);
    if (!stop) check_close(k.path, 2, 1e-3);
    pl_scene_free(s);
  }
}

int test_sink(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(data_without_files),
      cmocka_unit_test(threads_are_told),
      cmocka_unit_test(motions),
      cmocka_unit_test(points_and_steps),
      cmocka_unit_test(states_between_rows),
      cmocka_unit_test(rows_stop_a_job),
      cmocka_unit_test(jobs_in_threads),
      cmocka_unit_test(no_folder_no_resume),
      cmocka_unit_test(curves_without_files),
      cmocka_unit_test(material_without_files),
      cmocka_unit_test(no_material_no_macro),
      cmocka_unit_test(macro_is_searched),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
