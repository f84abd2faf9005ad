#include "checkpoint.h"

#include "pliant/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef pl_status (*run_fn)(job *j, int index, json_t *figures);

#define A(name, key, text) [PL_ANALYSIS_##name] = job_##name,
static const run_fn run_table[PL_ANALYSIS_COUNT] = {PL_ANALYSIS_LIST(A)};
#undef A

// ---- warnings for the report: the host's own receiver is called as well -----------------------

typedef struct listener {
  void (*diag)(void *ctx, const pl_diag *d);
  void *ctx;
  int (*progress)(void *ctx, const pl_progress *p);
  void *progress_ctx;
  atomic_int stop; // the host or who looks on wants an end
  int n;
  pl_level level[WARNINGS];
  char text[WARNINGS][2 * PL_TEXT];  // as on a terminal
  char plain[WARNINGS][2 * PL_TEXT]; // without the level
} listener;

static void keep(listener *e, const pl_diag *d) {
  if (d->level == PL_NOTE || e->n == WARNINGS) return;
  e->level[e->n] = d->level;
  pl_diag_format(d, e->text[e->n], sizeof e->text[0]);
  pl_diag_plain(d, e->plain[e->n++], sizeof e->plain[0]);
}

static void hear(void *ctx, const pl_diag *d) {
  listener *e = ctx;
  keep(e, d);
  if (e->diag) e->diag(e->ctx, d);
}

static int ask(void *ctx, const pl_progress *p) {
  listener *e = ctx;
  int stop = atomic_load(&e->stop);
  if (!stop && e->progress && e->progress(e->progress_ctx, p)) atomic_store(&e->stop, 1);
  return atomic_load(&e->stop);
}

// ---- start states -----------------------------------------------------------------------------

pl_status job_start(job *j, const pl_analysis *a, pl_state **out) {
  const pl_scene *sc = j->scene;
  PL_TRY(pl_state_create(sc->model, sc->params, out));
  pl_state *s = *out;
  if (a->about >= 0 && j->state[a->about]) {
    pl_state_copy(s, j->state[a->about]);
    s->t = 0;
    memset(s->v, 0, 2 * (size_t)s->nq * sizeof(double));
  }
  if (a->kind == PL_ANALYSIS_transient || a->kind == PL_ANALYSIS_jump) {
    const pl_transient_opts jumps = pl_jump_transient(&a->opts.jump_);
    const pl_transient_opts *o = a->kind == PL_ANALYSIS_jump ? &jumps : &a->opts.transient_;
    for (int i = 0; i < s->nq; i++) {
      if (sc->u0) s->q[i] += sc->u0[i];
      if (sc->v0) s->v[i] = sc->v0[i];
    }
    pl_clock c = {.omega = o->frequency, .scale = 1, .ramp = o->ramp, .timed = 1};
    pl_drive(sc->model, sc->params, &c, s);
  }
  return PL_OK;
}

pl_status job_end(job *j, int index, pl_state *s, pl_status status) {
  if (status >= 0)
    j->state[index] = s;
  else
    pl_state_free(j->scene->model, s);
  return status;
}

pl_status job_use(job *j, pl_params *p) {
  j->view.params = p ? p : j->params;
  sink_use(j);
  return job_ties(j);
}

pl_status job_apply(job *j, pl_params **found) {
  if (*found) {
    pl_params_free(j->params);
    j->params = *found;
    *found = NULL;
  }
  return job_use(j, NULL);
}

// ---- the page and the summary -----------------------------------------------------------------

static pl_status page_model(job *j) {
  pl_text t;
  pl_text_init(&t, j->env);
  pl_scene_describe(j->scene, &t);
  pl_page_heading(j->page, 2, "Model");
  if (t.s) pl_page_code(j->page, t.s);
  pl_status s = t.failed ? PL_E_NOMEM : PL_OK;
  pl_text_free(&t);
  return s;
}

static json_t *model_figures(const pl_scene *s) {
  pl_scene_counts c;
  pl_scene_count(s, &c);
  json_t *elements = json_object();
  for (int k = 0; k < PL_ELEM_COUNT; k++)
    if (c.elements[k])
      json_object_set_new(elements, pl_elem_table[k]->name, json_integer(c.elements[k]));
  return json_pack("{s:i, s:i, s:i, s:o, s:f}", "nodes", c.nodes, "unknowns", c.dofs,
                   "free_unknowns", c.free_dofs, "elements", elements, "mass_kg", c.mass);
}

// names of files need not be UTF-8
static json_t *plain_text(const char *s) {
  char clean[4 * PL_TEXT];
  return json_string(pl_printable(s, clean, sizeof clean));
}

// the scene and what it read, with their SHA-256
static json_t *read_files(const pl_scene *s) {
  json_t *list = json_array();
  char hex[65];
  for (int k = -1; k < s->nfile; k++) {
    const char *path = k < 0 ? s->path : s->file[k];
    if (pl_sha256_file(path, hex))
      json_array_append_new(list, json_pack("{s:o, s:s}", "path", plain_text(path), "sha256", hex));
  }
  return list;
}

// names of all files of the run, the summary included
static json_t *written_files(job *j) {
  json_t *all = json_array();
  if (!j->opts->folder) return all;
  job_path(j, "summary", ".json", j->result->summary);
  j->env->file(j->env->file_ctx, j->result->summary);
  // made of all others, the summary included
  char path[PL_TEXT];
  if (j->output.npz) j->env->file(j->env->file_ctx, job_path(j, "results", ".npz", path));
  for (int k = 0; k < j->folder->n; k++) json_array_append_new(all, plain_text(j->folder->name[k]));
  return all;
}

// how the run used the processors
static void page_threads(const job *j) {
  const pl_job_result *r = j->result;
  char asked[32] = "all";
  if (j->opts->threads > 0) snprintf(asked, sizeof asked, "%d", j->opts->threads);
  pl_page_origin(j->page, "%.3g s on %d %s (asked for: %s; %d %s), %.3g s of processor time",
                 r->seconds, r->threads, pl_plural(r->threads, "thread", "threads"), asked,
                 r->processors, pl_plural(r->processors, "processor", "processors"),
                 r->cpu_seconds);
}

static pl_status write_summary(job *j, pl_status status, const listener *e) {
  const pl_job_result *r = j->result;
  json_t *set = json_array(), *warn = json_array(), *params = json_object();
  for (int k = 0; k < j->opts->nset; k++) json_array_append_new(set, plain_text(j->opts->set[k]));
  for (int k = 0; k < e->n; k++) json_array_append_new(warn, plain_text(e->text[k]));
  for (int k = 0; k < j->scene->params->ndesign; k++)
    json_object_set_new(params, pl_model_design(j->scene->model, k)->name,
                        json_real(j->scene->params->design[k]));
  json_t *all =
      json_pack("{s:s, s:o, s:s, s:s, s:o, s:o, s:i, s:s, s:i, s:o, s:O, s:o, s:f}", "pliant",
                PL_VERSION, "scene", plain_text(j->scene->path), "title", j->scene->title, "status",
                pl_status_text(status), "set", set, "parameters", params, "threads", r->threads,
                "blas", pl_blas_core(), "seed", 0, "model", model_figures(j->scene), "analyses",
                j->analyses, "messages", warn, "seconds", r->seconds);
  if (!all) return pl_fail(j->env, PL_E_NOMEM, "out of memory while writing the summary");
  // 0: as many as there are processors
  job_set(all, "threads_asked", json_integer(j->opts->threads));
  job_set(all, "processors", json_integer(r->processors));
  job_set(all, "cpu_seconds", json_real(r->cpu_seconds));
  job_set(all, "commit", json_string(pl_version_commit()));
  job_set(all, "date", json_string(j->date));
  job_set(all, "written", written_files(j));
  job_set(all, "files", read_files(j->scene));
  char *text = json_dumps(all, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  json_decref(all);
  if (text && json_errors_failed()) {
    free(text);
    text = NULL;
  }
  if (!text) return pl_fail(j->env, PL_E_NOMEM, "out of memory while writing the summary");
  sink_summary(j, text);
  pl_status s =
      j->opts->folder ? pl_file_save(j->env, j->result->summary, text, strlen(text)) : PL_OK;
  free(text);
  return s;
}

// all numbers of the folder in one file
static pl_status pack_results(job *j) {
  char path[PL_TEXT];
  if (!j->output.npz) return PL_OK;
  return pl_results_pack(j->env, j->opts->folder, job_path(j, "results", ".npz", path));
}

// links to the files beside the page; frames of films are many, and behind their list
static pl_status page_files(job *j) {
  const folder *f = j->folder;
  const char **name = pl_alloc(j->env, (size_t)f->n + 1, sizeof *name);
  int n = 0;
  if (!name) return PL_E_NOMEM;
  name[n++] = "summary.json";
  for (int k = 0; k < f->n; k++)
    if (!strchr(f->name[k], '/') && strcmp(f->name[k], "summary.json") != 0 &&
        strcmp(f->name[k], "report.html") != 0)
      name[n++] = f->name[k];
  pl_page_heading(j->page, 2, "Files");
  pl_page_files(j->page, n, name);
  pl_free(j->env, name);
  return PL_OK;
}

static pl_status write_page(job *j, const listener *e) {
  if (!j->page) return PL_OK;
  page_threads(j);
  for (int k = 0; k < e->n; k++)
    (e->level[k] == PL_ERROR ? pl_page_top_error : pl_page_top_warning)(j->page, "%s", e->plain[k]);
  pl_text t;
  pl_text_init(&t, j->env);
  pl_scene_write(j->scene, &t);
  pl_page_heading(j->page, 2, "Scene as run");
  if (t.s) pl_page_code(j->page, t.s);
  int failed = t.failed;
  pl_text_free(&t);
  if (failed) return PL_E_NOMEM;
  PL_TRY(page_files(j));
  char path[PL_TEXT];
  PL_TRY(pl_page_write(j->page, job_path(j, "report", ".html", path)));
  snprintf(j->result->report, sizeof j->result->report, "%s", path);
  return PL_OK;
}

static pl_status write_scene(job *j) {
  pl_text t;
  char path[PL_TEXT];
  pl_text_init(&t, j->env);
  pl_scene_write(j->scene, &t);
  pl_status s =
      t.failed ? PL_E_NOMEM
               : pl_file_write(j->env, job_path(j, "scene", ".yaml", path), t.s ? t.s : "", t.n);
  pl_text_free(&t);
  return s;
}

// who stops a run wants to know what there is
static void report_written(job *j) {
  char list[PL_TEXT - 100] = "";
  size_t at = 0;
  int k = 0;
  for (; k < j->folder->n && at + strlen(j->folder->name[k]) + 3 < sizeof list; k++)
    at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", k ? ", " : "", j->folder->name[k]);
  if (k < j->folder->n)
    job_note(j, "written: %s and %d more, all named in summary.json", list, j->folder->n - k);
  else
    job_note(j, "written: %s", list);
}

// ---- the run ----------------------------------------------------------------------------------

// what an analysis that did not converge leaves behind
static void warn_unsolved(const job *j, const pl_analysis *a, json_t *figures) {
  const char *kind = pl_analysis_table[a->kind].name;
  const char *why = json_string_value(json_object_get(figures, "reason"));
  const json_t *points = json_object_get(figures, "points");
  int curve = a->kind == PL_ANALYSIS_response || a->kind == PL_ANALYSIS_backbone;
  const char *left = curve && json_integer_value(points) == 0 ? "there is nothing to save"
                                                              : "what was reached is saved";
  if (curve && why)
    pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col, NULL,
              "%s '%s' does not go through its range: %s; %s", kind, a->name, why, left);
  else if (a->kind == PL_ANALYSIS_search && why)
    pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col, NULL,
              "%s '%s' does not reach its goals: %s; %s", kind, a->name, why, left);
  else {
    const json_t *factor = json_object_get(figures, "load_factor");
    char reached[64] = "";
    if (factor)
      snprintf(reached, sizeof reached, " at load factor %.4g", json_number_value(factor));
    pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col, NULL,
              "%s '%s' did not converge%s%s%s; %s", kind, a->name, why ? ": " : "", why ? why : "",
              reached, left);
  }
}

static pl_status run_one(job *j, int k) {
  const pl_analysis *a = &j->scene->analysis[k];
  json_t *figures = json_object();
  if (!figures) return pl_fail(j->env, PL_E_NOMEM, "out of memory");
  job_set(figures, "name", json_string(a->name));
  job_set(figures, "kind", json_string(pl_analysis_table[a->kind].name));
  j->pace->written = pl_wall_time();
  sink_begin(j, a);
  pl_status s = job_stage_enter(j, a);
  if (s == PL_OK) s = hash_model(j, &j->model_hash);
  if (s == PL_OK) s = run_table[a->kind](j, k, figures);
  pl_status left = job_stage_leave(j);
  if (s >= 0 && left < 0) s = left;
  if (s >= 0 && j->reported < 0) s = j->reported;
  j->recovered = NULL;
  // told to stop while results were written: they are not whole
  if (s >= 0 && job_stopped(j)) s = PL_CANCELLED;
  // an analysis that cannot be done does not stop the others
  if (s == PL_SINGULAR || s == PL_DOMAIN) s = PL_UNSOLVED;
  job_set(figures, "status", json_string(pl_status_text(s)));
  json_array_append_new(j->analyses, figures);
  j->result->nrun++;
  sink_end(j, a, figures, s);
  if (s == PL_UNSOLVED) {
    j->result->nunsolved++;
    warn_unsolved(j, a, figures);
  }
  return s;
}

// index of the analysis that --only names, -1: all
static pl_status find_only(job *j, int *only) {
  const pl_scene *sc = j->scene;
  *only = -1;
  if (!j->opts->only) return PL_OK;
  *only = pl_scene_find_analysis(sc, j->opts->only);
  if (*only >= 0) return PL_OK;
  const char *names[32];
  char hint[PL_TEXT];
  int n = 0;
  for (; n < sc->nanalysis && n < 32; n++) names[n] = sc->analysis[n].name;
  pl_name_hint(j->opts->only, n, names, hint, sizeof hint);
  return pl_fail_at(j->env, PL_E_INPUT, sc->path, 0, 0, hint, "there is no analysis '%s'",
                    j->opts->only);
}

int job_source(const pl_analysis *a) {
  return a->kind == PL_ANALYSIS_macro && !a->material ? a->limits : a->about;
}

// Is analysis k asked for, or does the one that is start from it, and so on? Not from limits whose
// file an earlier run has left.
static int is_wanted(const job *j, int k, int only) {
  const char *why;
  for (int i = only; i >= 0; i = job_source(&j->scene->analysis[i])) {
    if (i == k) return i == only || !job_sheet_kept(j, i, &why);
  }
  return only < 0;
}

// a resume that is refused changes nothing in the folder
static pl_status check_resume(job *j, int only) {
  PL_TRY(hash_model(j, &j->scene_hash));
  j->model_hash = j->scene_hash;
  for (int k = 0; k < j->scene->nanalysis; k++)
    if (is_wanted(j, k, only)) PL_TRY(checkpoint_check(j, &j->scene->analysis[k]));
  return PL_OK;
}

// what starts from an analysis that did not converge would be wrong
static pl_status leave_out(job *j, int k, const char *hint, const char *why) {
  const pl_analysis *a = &j->scene->analysis[k];
  const char *kind = pl_analysis_table[a->kind].name;
  pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col, hint,
            "%s '%s' is not run: '%s', which it starts from, %s", kind, a->name,
            j->scene->analysis[job_source(a)].name, why);
  json_t *figures = json_object();
  if (!figures) return pl_fail(j->env, PL_E_NOMEM, "out of memory");
  job_set(figures, "name", json_string(a->name));
  job_set(figures, "kind", json_string(kind));
  job_set(figures, "status", json_string("not run"));
  json_array_append_new(j->analyses, figures);
  return PL_OK;
}

// why analysis k cannot be run, and what helps; NULL: it can
static const char *lacks(const job *j, int k, const char **hint) {
  const pl_analysis *a = &j->scene->analysis[k];
  const char *why;
  int from = job_source(a), state = from >= 0 && from == a->about;
  *hint = state ? "help that one first, e.g. by more load steps"
                : "help that one first by more iterations (max_iter) or ways (starts), or give a "
                  "file (material)";
  if (state) return j->state[from] ? NULL : "did not converge";
  return from < 0 || job_sheet_kept(j, from, &why) ? NULL : why;
}

// an unsolved analysis does not stop the others, unless they start from it
static pl_status run_all(job *j, int only) {
  const pl_scene *sc = j->scene;
  pl_status worst = PL_OK;
  for (int k = 0; k < sc->nanalysis; k++) {
    if (!is_wanted(j, k, only)) continue;
    const char *hint, *why = lacks(j, k, &hint);
    if (why) {
      PL_TRY(leave_out(j, k, hint, why));
      continue;
    }
    pl_status s = run_one(j, k);
    if (s != PL_OK && s != PL_UNSOLVED) return s;
    j->solved[k] = s == PL_OK;
    if (s == PL_OK) continue;
    worst = s;
    pl_state_free(sc->model, j->state[k]);
    j->state[k] = NULL;
  }
  return worst;
}

// What can be longer keeps its checkpoint. A curve or a fit that came to its end has no more use
// for it once the whole run has: until then it saves a resumed run the way there.
static void remove_spent(job *j) {
  for (int k = 0; k < j->scene->nanalysis; k++) {
    const pl_analysis *a = &j->scene->analysis[k];
    int spent = a->kind == PL_ANALYSIS_response || a->kind == PL_ANALYSIS_backbone ||
                a->kind == PL_ANALYSIS_fit_damping || a->kind == PL_ANALYSIS_fit_response ||
                a->kind == PL_ANALYSIS_limits || a->kind == PL_ANALYSIS_mail_design ||
                a->kind == PL_ANALYSIS_search || a->kind == PL_ANALYSIS_coarsen ||
                (a->kind == PL_ANALYSIS_static && static_is_kept(j, a));
    if (spent && j->solved[k]) checkpoint_remove(j, a);
  }
}

static void stamp(job *j) {
  time_t now = time(NULL);
  struct tm utc;
  if (gmtime_r(&now, &utc)) strftime(j->date, sizeof j->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static void page_origin(job *j) {
  char hex[65] = "";
  int known = pl_sha256_file(j->scene->path, hex);
  pl_page_origin(j->page, "%.10s %.5s UTC, pliant %s%s%s%s, %s%s%.12s", j->date, j->date + 11,
                 PL_VERSION, *pl_version_commit() ? " (" : "", pl_version_commit(),
                 *pl_version_commit() ? ")" : "", j->scene->path, known ? " sha256 " : "", hex);
}

// OpenBLAS waits for ever for memory that it does not get, so room for its threads is looked for
static pl_status choose_threads(job *j, int *n) {
  const size_t each = (size_t)136 << 20; // its buffers
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  j->result->processors = processors > 1 ? (int)processors : 1;
  *n = j->opts->threads > 0 ? j->opts->threads : j->result->processors;
  if (*n > 1 && !pl_memory_available((size_t)*n * each)) {
    pl_report(j->env, PL_WARNING, NULL, 0, 0, NULL,
              "memory is too short for %d threads: one is used", *n);
    *n = 1;
  }
  if (pl_memory_available(each)) return PL_OK;
  return pl_fail_at(j->env, PL_E_NOMEM, NULL, 0, 0, "allow at least 400 MB, e.g. ulimit -v 400000",
                    "out of memory: there is no room for linear algebra");
}

static pl_status prepare(job *j) {
  const pl_scene *sc = j->scene;
  size_t n = (size_t)pl_model_nnode(sc->model);
  int threads;
  stamp(j);
  for (int t = 0; t < PL_CELL_COUNT; t++) j->drawable |= sc->mesh->cell[t].n > 0;
  PL_TRY(choose_threads(j, &threads));
  PL_TRY(pl_work_create_for(j->env, sc->model, threads, &j->work));
  j->result->threads = pl_threads_size(j->work->threads);
  j->state = pl_alloc(j->env, (size_t)sc->nanalysis, sizeof *j->state);
  j->solved = pl_alloc(j->env, (size_t)sc->nanalysis, sizeof *j->solved);
  j->curve = pl_alloc(j->env, (size_t)sc->nanalysis, sizeof *j->curve);
  j->x = pl_alloc(j->env, n * 3, sizeof(double));
  j->colour = pl_alloc(j->env, n, sizeof(double));
  j->analyses = json_array();
  if (!j->state || !j->solved || !j->curve || !j->x || !j->colour) return PL_E_NOMEM;
  if (!j->analyses) return pl_fail(j->env, PL_E_NOMEM, "out of memory");
  sink_use(j);
  PL_TRY(job_ties(j));
  PL_TRY(job_rods(j));
  PL_TRY(job_recover_open(j));
  if (j->opts->folder) {
    PL_TRY((j->opts->resume ? folder_continue : folder_clear)(j->folder));
    PL_TRY(write_scene(j));
  }
  if (!j->output.report) return PL_OK;
  PL_TRY(pl_page_create(j->env, sc->title[0] ? sc->title : sc->path, &j->page));
  page_origin(j);
  return page_model(j);
}

static void release(job *j) {
  for (int k = 0; j->state && k < j->scene->nanalysis; k++)
    pl_state_free(j->scene->model, j->state[k]);
  for (int k = 0; j->curve && k < j->scene->nanalysis; k++) pl_table_free(j->curve[k]);
  pl_free(j->env, j->state);
  pl_free(j->env, j->solved);
  pl_free(j->env, j->curve);
  pl_free(j->env, j->x);
  pl_free(j->env, j->colour);
  pl_free(j->env, j->tie);
  pl_free(j->env, j->bare);
  pl_free(j->env, j->bead);
  job_native_free(j);
  job_sheets_free(j);
  pl_recover_free(j->recover);
  pl_page_free(j->page);
  pl_params_free(j->params);
  pl_work_free(j->work);
  json_decref(j->analyses);
}

pl_status pl_job_run(pl_env *env, const pl_scene *scene, const pl_job_opts *opts,
                     pl_job_result *result) {
  memset(result, 0, sizeof *result);
  pace beat = {0};
  folder place = {.env = env, .fd = -1};
  job j = {
      .env = env, .view = *scene, .opts = opts, .result = result, .pace = &beat, .folder = &place};
  // files of the mesh are the job's
  pl_mesh mesh = *scene->mesh;
  mesh.env = env;
  j.scene = &j.view;
  j.view.env = env;
  j.view.mesh = &mesh;
  j.output = scene->output;
  j.files = files_sink(&j);
  if (!opts->folder)
    j.output.csv = j.output.vtu = j.output.glb = j.output.plots = j.output.report = j.output.npz =
        0;
  listener *e = pl_alloc(env, 1, sizeof *e);
  if (!e) return PL_E_NOMEM;
  j.stop = &e->stop;
  e->progress = env->progress;
  e->progress_ctx = env->progress_ctx;
  env->progress = ask;
  env->progress_ctx = e;
  e->diag = env->diag;
  e->ctx = env->diag_ctx;
  env->diag = hear;
  env->diag_ctx = e;
  for (int k = 0; k < scene->nremark; k++) keep(e, &scene->remark[k]);
  double start = pl_wall_time(), spent = pl_cpu_time();
  int only;
  json_errors_begin();
  pl_status s = pl_params_copy(env, scene->params, &j.params);
  j.view.params = j.params;
  if (s == PL_OK) s = find_only(&j, &only);
  if (s == PL_OK && opts->resume && !opts->folder)
    s = pl_fail(env, PL_E_ARG, "a job without a folder cannot be resumed");
  if (s == PL_OK && opts->folder) s = folder_open(env, opts->folder, &place);
  if (s == PL_OK) s = check_resume(&j, only);
  if (s == PL_OK && only >= 0) s = job_sheet_resume(&j, only);
  if (s == PL_OK) s = prepare(&j);
  if (s == PL_OK) {
    s = run_all(&j, only);
    result->cancelled = s == PL_CANCELLED;
    if (s >= 0 && !result->cancelled) remove_spent(&j);
    result->seconds = pl_wall_time() - start;
    result->cpu_seconds = pl_cpu_time() - spent;
    // what there is is written even when an analysis failed
    pl_status w = write_page(&j, e);
    if (result->cancelled) j.output.npz = 0;
    if (w == PL_OK) w = write_summary(&j, s, e);
    if (w == PL_OK) w = pack_results(&j);
    if (s >= 0 && w < 0) s = w;
    if (result->cancelled && opts->folder) report_written(&j);
  }
  pl_status closed = opts->folder ? folder_close(&place, s >= 0 && !result->cancelled) : PL_OK;
  if (s >= 0 && closed < 0) s = closed;
  env->diag = e->diag;
  env->diag_ctx = e->ctx;
  env->progress = e->progress;
  env->progress_ctx = e->progress_ctx;
  release(&j);
  pl_free(env, e);
  return s;
}
