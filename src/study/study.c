// Many runs of a scene: what is to be run, the runs, what is told of them.
#include "study_impl.h"

#include "pliant/version.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const char *const designs[] = {[PL_STUDY_FACTORIAL] = "factorial",
                                      [PL_STUDY_LATIN] = "latin",
                                      [PL_STUDY_SOBOL] = "sobol",
                                      [PL_STUDY_RANDOM] = "random"};

// ---- what is to be run
// ----------------------------------------------------------------------------

static pl_status read_scene(study *s) {
  const char *path = s->scene->path, *slash = strrchr(path, '/');
  snprintf(s->folder, sizeof s->folder, "%.*s", slash ? (int)(slash - path) : 1,
           slash ? path : ".");
  if (slash == path) snprintf(s->folder, sizeof s->folder, "/");
  return pl_file_read(s->env, path, 0, &s->data, &s->size);
}

// a hash of all that cases depend on besides their values
static pl_status make_stamp(study *s) {
  const pl_study_opts *o = s->o;
  char hex[65];
  pl_text t;
  pl_text_init(&t, s->env);
  pl_sha256(s->data, s->size, hex);
  pl_text_add(&t, "%s %s\n%s\n", PL_VERSION, pl_version_commit(), hex);
  for (int k = 0; k < s->scene->nfile; k++)
    if (pl_sha256_file(s->scene->file[k], hex)) pl_text_add(&t, "%s\n", hex);
  pl_text_add(&t, "%d %s\n", o->threads > 0 ? o->threads : 1, o->only ? o->only : "");
  for (int k = 0; k < o->nset; k++) pl_text_add(&t, "set %s\n", o->set[k]);
  for (int k = 0; k < o->ncurve; k++) pl_text_add(&t, "curve %s\n", o->curve[k]);
  if (!t.failed) pl_sha256(t.s, t.n, s->stamp);
  pl_status st = t.failed ? PL_E_NOMEM : PL_OK;
  pl_text_free(&t);
  return st;
}

// A word that is wrong in all cases is told before they are run.
static pl_status check_loads(const study *s) {
  pl_env quiet = *s->env;
  quiet.diag = NULL;
  for (int k = 0; k<s->ncase; k += s->ncase> 1 ? s->ncase - 1 : 1) {
    pl_scene *scene;
    pl_status st = case_load(s, &quiet, k, &scene);
    pl_scene_free(scene);
    if (st == PL_OK) return PL_OK;
  }
  pl_scene *scene;
  pl_status st = case_load(s, s->env, 0, &scene);
  pl_scene_free(scene);
  return st;
}

// an analysis that figures begin with
static pl_status check_owner(const study *s, const char *figure) {
  const char *names[64];
  char hint[PL_TEXT];
  int n = 0;
  for (int k = 0; k < s->scene->nanalysis; k++) {
    const char *name = s->scene->analysis[k].name;
    size_t len = strlen(name);
    if (strncmp(figure, name, len) == 0 && figure[len] == '.') return PL_OK;
    if (n < 64) names[n++] = name;
  }
  snprintf(hint, sizeof hint, "ANALYSIS.FIGURE, e.g. %.60s.%s", n ? names[0] : "static",
           "energy_J; cases.jsonl names all figures of a case");
  return pl_fail_at(s->env, PL_E_ARG, NULL, 0, 0, hint,
                    "--figure '%.100s' begins with no analysis of the scene", figure);
}

static pl_status check_opts(const study *s) {
  const pl_study_opts *o = s->o;
  for (int k = 0; k < o->nfigure; k++) PL_TRY(check_owner(s, o->figure[k]));
  if (s->scene->nanalysis == 0)
    return pl_fail_at(s->env, PL_E_INPUT, s->scene->path, 0, 0, "e.g. analyses: [{static: {}}]",
                      "the scene has no analyses: there is nothing to run");
  if (!o->only || pl_scene_find_analysis(s->scene, o->only) >= 0) return PL_OK;
  return pl_fail_at(s->env, PL_E_ARG, NULL, 0, 0, "pliant check SCENE names the analyses",
                    "the scene has no analysis '%.100s'", o->only);
}

static pl_status make_plan(study *s) {
  PL_TRY(pl_arena_create(s->env, 4096, &s->arena));
  PL_TRY(check_opts(s));
  PL_TRY(inputs_read(s));
  PL_TRY(plan_make(s));
  PL_TRY(read_scene(s));
  PL_TRY(make_stamp(s));
  s->record = pl_alloc(s->env, (size_t)s->ncase, sizeof *s->record);
  if (!s->record) return PL_E_NOMEM;
  s->result->ncase = s->ncase;
  return check_loads(s);
}

// ---- the runs
// -------------------------------------------------------------------------------------

typedef struct runs {
  study *s;
  int fd;
} runs;

static pl_status work(void *ctx, int k, pl_text *out) {
  return case_run(((runs *)ctx)->s, k, out);
}

static pl_status keep(runs *r, int k, json_t *record) {
  study *s = r->s;
  int first = s->result->ndone == s->result->nearlier;
  if (first && case_is_solved(record)) figures_check(s, record);
  s->result->ndone++;
  s->result->nfailed += !case_is_solved(record);
  return log_add(s, r->fd, k, record);
}

static pl_status done(void *ctx, int k, const char *text, size_t n) {
  runs *r = ctx;
  json_t *record = json_loadb(text, n, 0, NULL);
  if (!record)
    return pl_fail(r->s->env, PL_E_INTERNAL, "what case %d told is not understood", k + 1);
  return keep(r, k, record);
}

static pl_status lost(void *ctx, int k, pool_end how, int code, double seconds) {
  runs *r = ctx;
  char reason[PL_TEXT];
  const char *status = how == POOL_LIMIT ? "time limit" : "crashed";
  if (how == POOL_LIMIT)
    snprintf(reason, sizeof reason, "it took longer than the limit of %g s", r->s->o->limit);
  else if (how == POOL_SIGNAL && code == SIGKILL)
    snprintf(reason, sizeof reason, "its process was killed, as the system does where memory ends");
  else if (how == POOL_SIGNAL)
    snprintf(reason, sizeof reason, "its process ended by signal %d (%s)", code, strsignal(code));
  else
    snprintf(reason, sizeof reason, "its process ended with exit code %d", code);
  return keep(r, k, case_lost(r->s, k, status, reason, seconds));
}

static pl_status progress(void *ctx) {
  const study *s = ((runs *)ctx)->s;
  const pl_study_result *r = s->result;
  char text[PL_TEXT];
  int n = snprintf(text, sizeof text, "%d of %d cases", r->ndone, r->ncase);
  if (r->nfailed) snprintf(text + n, sizeof text - (size_t)n, ", %d failed", r->nfailed);
  return pl_report_progress(s->env, s->o->uncertain ? "uncertainty" : "sweep",
                            (double)r->ndone / r->ncase, text);
}

static int choose_jobs(const study *s) {
  int threads = s->o->threads > 1 ? s->o->threads : 1;
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  int jobs = s->o->jobs > 0 ? s->o->jobs : (int)(n > 0 ? n : 1) / threads;
  return jobs < 1 ? 1 : jobs;
}

static pl_status run_cases(study *s) {
  runs r = {.s = s, .fd = -1};
  PL_TRY(log_open(s, &r.fd));
  int n = 0, *todo = pl_alloc(s->env, (size_t)s->ncase, sizeof *todo);
  pl_status st = todo ? PL_OK : PL_E_NOMEM;
  for (int k = 0; todo && k < s->ncase; k++) {
    if (!s->record[k]) todo[n++] = k;
    s->result->ndone += s->record[k] != NULL;
    s->result->nfailed += s->record[k] && !case_is_solved(s->record[k]);
  }
  if (s->result->nearlier)
    pl_report(s->env, PL_NOTE, NULL, 0, 0, NULL, "%d of %d cases are there already",
              s->result->nearlier, s->ncase);
  s->result->jobs = choose_jobs(s);
  const pool p = {.env = s->env,
                  .nprocess = s->result->jobs,
                  .limit = s->o->limit,
                  .ctx = &r,
                  .work = work,
                  .done = done,
                  .lost = lost,
                  .progress = progress};
  if (st == PL_OK && n > 0) st = processes_run(&p, n, todo);
  pl_free(s->env, todo);
  close(r.fd);
  return st;
}

// ---- what is told
// ---------------------------------------------------------------------------------

static json_t *tell_input(const study *s, const input *p) {
  static const char *const kind[PL_DISTRIBUTIONS] = {[PL_NORMAL] = "normal",
                                                     [PL_LOGNORMAL] = "lognormal",
                                                     [PL_UNIFORM] = "uniform",
                                                     [PL_LOGUNIFORM] = "loguniform",
                                                     [PL_TRIANGULAR] = "triangular"};
  json_t *o = json_pack("{s:s, s:s, s:s}", "name", p->name, "path", p->path, "unit", p->unit);
  if (s->o->uncertain) {
    json_t *numbers = json_pack("[f, f]", p->of.a, p->of.b);
    if (p->of.kind == PL_TRIANGULAR) json_array_append_new(numbers, json_real(p->of.c));
    json_object_set_new(o, "distribution", json_string(kind[p->of.kind]));
    json_object_set_new(o, "numbers", numbers);
  } else if (p->nlevel) {
    json_t *values = json_array();
    for (int k = 0; k < p->nlevel; k++)
      json_array_append_new(values, p->words ? json_string(p->text[k]) : json_real(p->value[k]));
    json_object_set_new(o, "values", values);
  } else {
    json_object_set_new(o, "range", json_pack("[f, f]", p->lo, p->hi));
    json_object_set_new(o, "log", json_boolean(p->log));
  }
  return o;
}

static json_t *tell_failures(const study *s) {
  json_t *list = json_array();
  for (int k = 0; k < s->ncase; k++) {
    if (!s->record[k] || case_is_solved(s->record[k])) continue;
    json_t *one = json_pack("{s:i, s:O, s:O?}", "case", k + 1, "status",
                            json_object_get(s->record[k], "status"), "reason",
                            json_object_get(s->record[k], "reason"));
    json_array_append_new(list, one);
  }
  return list;
}

static json_t *tell_files(const study *s) {
  json_t *list = json_array();
  char hex[65], clean[4096];
  for (int k = -1; k < s->scene->nfile; k++) {
    const char *path = k < 0 ? s->scene->path : s->scene->file[k];
    if (k < 0)
      pl_sha256(s->data, s->size, hex);
    else if (!pl_sha256_file(path, hex))
      continue;
    json_array_append_new(list, json_pack("{s:s, s:s}", "path",
                                          pl_printable(path, clean, sizeof clean), "sha256", hex));
  }
  return list;
}

static json_t *tell(const study *s, pl_status status) {
  const pl_study_result *r = s->result;
  json_t *inputs = json_array(), *set = json_array();
  char clean[4 * PL_TEXT], path[4096];
  for (int i = 0; i < s->ninput; i++) json_array_append_new(inputs, tell_input(s, &s->input[i]));
  for (int i = 0; i < s->o->nset; i++)
    json_array_append_new(set, json_string(pl_printable(s->o->set[i], clean, sizeof clean)));
  json_t *all =
      json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:I, s:i, s:i, s:i, s:o, s:o}",
                "pliant", PL_VERSION, "commit", pl_version_commit(), "date", s->date, "scene",
                pl_printable(s->scene->path, path, sizeof path), "title", s->scene->title, "status",
                status == PL_CANCELLED ? "interrupted"
                : r->nfailed           ? "some cases failed"
                                       : "done",
                "set", set, "inputs", inputs, "design", designs[s->o->design], "seed",
                (json_int_t)s->o->seed, "cases", r->ncase, "done", r->ndone, "failed", r->nfailed,
                "failures", tell_failures(s), "files", tell_files(s));
  if (!all) return NULL;
  json_object_set_new(all, "jobs", json_integer(r->jobs));
  json_object_set_new(all, "threads", json_integer(s->o->threads > 0 ? s->o->threads : 1));
  json_object_set_new(all, "seconds", json_real(r->seconds));
  json_object_set_new(all, "cpu_seconds", json_real(r->cpu_seconds));
  return all;
}

static pl_status write_summary(const study *s, json_t *summary) {
  char path[4096];
  char *text = json_dumps(summary, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  if (!text) return pl_fail(s->env, PL_E_NOMEM, "out of memory while writing the summary");
  study_path(s, s->o->uncertain ? "uncertainty.json" : "sweep.json", path);
  pl_status st = pl_file_write(s->env, path, text, strlen(text));
  if (st == PL_OK && s->o->summary) s->o->summary(s->o->ctx, text);
  free(text);
  return st;
}

static pl_status write_all(study *s, pl_status status) {
  columns c;
  json_t *summary = tell(s, status);
  pl_status st = summary ? columns_make(s, &c) : PL_E_NOMEM;
  if (st == PL_OK) st = log_write(s);
  if (st == PL_OK) st = table_write(s, &c);
  if (st == PL_OK) st = s->o->uncertain ? uncertainty_report(s, &c, summary) : sweep_report(s, &c);
  if (st == PL_OK) st = write_summary(s, summary);
  if (summary) columns_free(&c);
  json_decref(summary);
  return st;
}

// ---- the folder
// -----------------------------------------------------------------------------------

// result folders of cases of an earlier study: each has a list of its own
static void clear_cases(const study *s) {
  char path[4096], list[4200];
  DIR *d = opendir(study_path(s, "cases", path));
  for (struct dirent *e; d && (e = readdir(d));) {
    char of[4096];
    pl_env quiet = *s->env;
    pl_folder *f;
    quiet.diag = NULL;
    if (e->d_name[0] == '.' || strspn(e->d_name, "0123456789") != strlen(e->d_name)) continue;
    snprintf(of, sizeof of, "%.3900s/%.20s", path, e->d_name);
    snprintf(list, sizeof list, "%s/.pliant", of);
    if (access(list, F_OK) != 0 || pl_folder_open(&quiet, of, &f) != PL_OK) continue;
    pl_folder_clear(f);
    pl_folder_close(f, 1);
    unlink(list);
    rmdir(of);
  }
  if (d) closedir(d);
  rmdir(path);
}

// a study that was not done, and is not gone on with, stays beside the new one
static void keep_old(const study *s) {
  char log[4096], old[4096], summary[4096], *text = NULL;
  size_t size;
  pl_env quiet = *s->env;
  quiet.diag = NULL;
  study_path(s, "cases.jsonl", log);
  if (access(log, F_OK) != 0) return;
  study_path(s, s->o->uncertain ? "uncertainty.json" : "sweep.json", summary);
  int ended = pl_file_read(&quiet, summary, 0, &text, &size) == PL_OK &&
              !strstr(text, "\"status\": \"interrupted\"");
  pl_free(s->env, text);
  if (ended || rename(log, study_path(s, "cases.jsonl.old", old)) != 0) return;
  pl_report(s->env, PL_WARNING, s->o->folder, 0, 0, "use --resume to go on with it",
            "the earlier study was not done; its cases stay as cases.jsonl.old");
}

static pl_status run_in_folder(study *s) {
  double wall = pl_wall_time(), cpu = pl_cpu_time();
  pl_folder *f;
  PL_TRY(pl_folder_open(s->env, s->o->folder, &f));
  pl_status st = PL_OK;
  if (!s->o->resume) {
    keep_old(s);
    clear_cases(s);
    st = pl_folder_clear(f);
  }
  if (st == PL_OK) st = run_cases(s);
  s->result->cancelled = st == PL_CANCELLED;
  s->result->seconds = pl_wall_time() - wall;
  struct rusage of;
  getrusage(RUSAGE_CHILDREN, &of);
  s->result->cpu_seconds = pl_cpu_time() - cpu + (double)(of.ru_utime.tv_sec + of.ru_stime.tv_sec) +
                           1e-6 * (double)(of.ru_utime.tv_usec + of.ru_stime.tv_usec);
  if (st >= 0) {
    pl_status written = write_all(s, st);
    if (written < 0) st = written;
  }
  pl_status closed = pl_folder_close(f, st == PL_OK);
  if (st >= 0 && closed < 0) st = closed;
  return st == PL_OK && s->result->nfailed ? PL_UNSOLVED : st;
}

static void stamp_date(study *s) {
  time_t now = time(NULL);
  struct tm utc;
  if (gmtime_r(&now, &utc)) strftime(s->date, sizeof s->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

pl_status pl_study_run(pl_env *env, const pl_scene *scene, const pl_study_opts *opts,
                       pl_study_result *result) {
  memset(result, 0, sizeof *result);
  study *s = pl_alloc(env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  s->env = env;
  s->scene = scene;
  s->o = opts;
  s->result = result;
  stamp_date(s);
  pl_status st = make_plan(s);
  if (st == PL_OK) st = run_in_folder(s);
  for (int k = 0; s->record && k < s->ncase; k++) json_decref(s->record[k]);
  pl_free(env, s->record);
  pl_free(env, s->value);
  pl_free(env, s->data);
  pl_arena_free(s->arena);
  pl_free(env, s);
  return st;
}
