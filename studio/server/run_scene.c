// A scene that is run as `pliant run` does it, watched by the pages.
#include "runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// NAME of NAME.results, as the command line has it: that of the folder for scenes called scene.yaml
static void base_of(const char *path, char out[PL_TEXT]) {
  const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path, *end;
  if (slash && strcmp(from, "scene.yaml") == 0) {
    end = slash;
    from = end;
    while (from > path && from[-1] != '/') from--;
  } else {
    end = strrchr(from, '.');
    if (!end || end == from) end = from + strlen(from);
  }
  snprintf(out, PL_TEXT, "%.*s", end - from > 200 ? 200 : (int)(end - from), from);
}

// a link may lead out of the folder
static int is_taken(studio *s, const char *folder, const job *but) {
  char path[3 * PL_TEXT];
  struct stat st;
  snprintf(path, sizeof path, "%s/%s", s->folder, folder);
  if (lstat(path, &st) == 0 && !S_ISDIR(st.st_mode)) return 1;
  return runs_hold(s, folder, but);
}

// the first that no other run holds
static void choose_folder(studio *s, const job *r, const plan *p, char out[PL_TEXT]) {
  char base[PL_TEXT];
  if (p->folder[0]) {
    snprintf(out, PL_TEXT, "%s", p->folder);
    return;
  }
  base_of(p->path, base);
  for (int k = 1; k < 1000; k++) {
    char number[16] = "";
    if (k > 1) snprintf(number, sizeof number, "-%d", k);
    snprintf(out, PL_TEXT, "%.200s%s.results", base, number);
    if (!is_taken(s, out, r)) return;
  }
}

int runs_hold(studio *s, const char *folder, const job *but) {
  int held = 0;
  runs_lock(s);
  for (int k = 0; k < s->runs->n; k++) {
    const job *r = s->runs->run[k];
    if (r == but || strcmp(r->folder, folder) != 0) continue;
    held |= r->state == RUNNING || (r->state == CANCELLED && atomic_load(&r->pause));
  }
  runs_unlock(s);
  return held;
}

pl_status run_scene(studio *s, job *r, pl_env *env, void *ctx) {
  const plan *p = ctx;
  pl_scene *scene;
  char folder[PL_TEXT], path[3 * PL_TEXT];
  const char *const *set = (const char *const *)p->set;
  PL_TRY(scene_of_text(env, s, p->path, p->text, p->nset, set, &scene));
  run_shows(r, scene);
  folder[0] = 0;
  if (!journal_again(s)) choose_folder(s, r, p, folder);
  runs_lock(s);
  snprintf(r->folder, sizeof r->folder, "%s", folder);
  runs_unlock(s);
  snprintf(path, sizeof path, "%s/%s", s->folder, folder);
  watcher w = {.r = r, .scene = scene, .model = scene->model, .params = scene->params};
  const pl_sink sink = run_sink(&w);
  const pl_job_opts opts = {.folder = folder[0] ? path : NULL,
                            .sink = &sink,
                            .only = p->only,
                            .threads = s->threads,
                            .resume = p->resume,
                            .nset = p->nset,
                            .set = set};
  pl_job_result result;
  pl_status st = PL_OK;
  if (scene->nanalysis == 0)
    st = pl_fail_at(env, PL_E_INPUT, p->path, 0, 0, "e.g. analyses: [{static: {}}]",
                    "the scene has no analyses: there is nothing to run");
  if (st == PL_OK) st = pl_job_run(env, scene, &opts, &result);
  free(w.x);
  pl_scene_free(scene);
  return st;
}
