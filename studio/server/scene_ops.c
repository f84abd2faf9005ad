// Requests about scenes: checks, the schema; and the models that were made of scenes.
#include "runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- models -------------------------------------------------------------------------------------

enum { CHECKS_KEPT = 4 };

typedef struct kept_model {
  int rev, check;
  json_t *json;
} kept_model;

typedef struct models {
  pthread_mutex_t lock;
  int rev, n, cap; // rev: the last one
  kept_model *model;
} models;

pl_status models_create(studio *s) {
  s->models = calloc(1, sizeof *s->models);
  if (!s->models) return pl_fail(&s->host, PL_E_NOMEM, "out of memory");
  pthread_mutex_init(&s->models->lock, NULL);
  return PL_OK;
}

void models_free(studio *s) {
  models *m = s->models;
  if (!m) return;
  for (int k = 0; k < m->n; k++) json_decref(m->model[k].json);
  pthread_mutex_destroy(&m->lock);
  free(m->model);
  free(m);
  s->models = NULL;
}

int next_revision(studio *s) {
  pthread_mutex_lock(&s->models->lock);
  int rev = ++s->models->rev;
  pthread_mutex_unlock(&s->models->lock);
  return rev;
}

// under the lock
static void drop(studio *s, int at) {
  models *m = s->models;
  char group[32];
  snprintf(group, sizeof group, "model/%d", m->model[at].rev);
  json_decref(m->model[at].json);
  memmove(m->model + at, m->model + at + 1, (size_t)(--m->n - at) * sizeof *m->model);
  data_drop(s, group);
}

void models_keep(studio *s, int rev, json_t *model, int check) {
  models *m = s->models;
  int checks = 0;
  pthread_mutex_lock(&m->lock);
  if (m->n == m->cap) {
    int cap = m->cap ? 2 * m->cap : 16;
    kept_model *more = realloc(m->model, (size_t)cap * sizeof *more);
    if (more) {
      m->model = more;
      m->cap = cap;
    }
  }
  if (m->n < m->cap)
    m->model[m->n++] = (kept_model){rev, check, model};
  else
    json_decref(model);
  for (int k = m->n - 1; k >= 0; k--)
    if (m->model[k].check && ++checks > CHECKS_KEPT) drop(s, k);
  pthread_mutex_unlock(&m->lock);
}

void models_drop(studio *s, int rev) {
  pthread_mutex_lock(&s->models->lock);
  for (int k = s->models->n - 1; k >= 0; k--)
    if (s->models->model[k].rev == rev) drop(s, k);
  pthread_mutex_unlock(&s->models->lock);
}

json_t *op_model(studio *s, const json_t *args, failure *f) {
  json_int_t rev = json_integer_value(json_object_get(args, "rev"));
  json_t *out = NULL;
  pthread_mutex_lock(&s->models->lock);
  for (int k = 0; k < s->models->n; k++)
    if (s->models->model[k].rev == rev) {
      out = json_object();
      part_set(out, "model", json_incref(s->models->model[k].json));
    }
  pthread_mutex_unlock(&s->models->lock);
  return out ? out : refuse(f, "not-found", "check the scene again", "this model is gone");
}

// ---- scenes from pages --------------------------------------------------------------------------

int path_is_below(const char *path) {
  if (!path[0] || path[0] == '/' || strlen(path) >= PL_TEXT / 2) return 0;
  for (const char *p = path; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL)
    if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == 0)) return 0;
  return 1;
}

// the scene file itself, as it is on the disk, can be named in results; a text that was edited
// since has no file
static void name_of(pl_env *env, const studio *s, const char *path, const char *text,
                    char name[2 * PL_TEXT]) {
  char *data;
  size_t n;
  pl_env quiet = *env;
  quiet.diag = NULL;
  snprintf(name, 2 * PL_TEXT, "%s/%s", s->folder, path);
  int same = 0;
  if (pl_file_read(&quiet, name, 16 << 20, &data, &n) == PL_OK) {
    same = n == strlen(text) && memcmp(data, text, n) == 0;
    pl_free(env, data);
  }
  if (!same) snprintf(name, 2 * PL_TEXT, "%s (as edited)", path);
}

pl_status scene_place(pl_env *env, const studio *s, const char *path, const char *text,
                      char folder[2 * PL_TEXT], char name[2 * PL_TEXT]) {
  const char *slash = strrchr(path, '/');
  if (!path_is_below(path) || strlen(s->folder) >= PL_TEXT)
    return pl_fail(env, PL_E_ARG, "'%s' is no path below the folder", path);
  snprintf(folder, 2 * PL_TEXT, "%s%s%.*s", s->folder, slash ? "/" : "",
           slash ? (int)(slash - path) : 0, path);
  name_of(env, s, path, text, name);
  return PL_OK;
}

pl_status scene_of_text(pl_env *env, const studio *s, const char *path, const char *text, int nset,
                        const char *const *set, pl_scene **out) {
  char folder[2 * PL_TEXT], name[2 * PL_TEXT];
  const pl_scene_limits limits = {.root = s->folder};
  *out = NULL;
  PL_TRY(scene_place(env, s, path, text, folder, name));
  return pl_scene_parse(env, name, folder, text, strlen(text), nset, set, &limits, out);
}

// ---- check --------------------------------------------------------------------------------------

typedef struct listener {
  const studio *s;
  const char *path;
  json_t *problems;
} listener;

static void hear(void *ctx, const pl_diag *d) {
  static const char *const level[] = {"note", "warning", "error"};
  listener *l = ctx;
  size_t n = strlen(l->s->folder);
  const char *file = d->file;
  json_t *one = json_object();
  if (strncmp(file, l->s->folder, n) == 0 && file[n] == '/') file += n + 1;
  // what is edited is the file that it will be
  size_t m = strlen(l->path);
  if (strncmp(file, l->path, m) == 0 && strcmp(file + m, " (as edited)") == 0) file = l->path;
  part_set(one, "level", json_string(level[d->level]));
  part_set(one, "file", part_words(file));
  part_set(one, "line", json_integer(d->line));
  part_set(one, "col", json_integer(d->col));
  part_set(one, "text", part_words(d->text));
  part_set(one, "hint", part_words(d->hint));
  json_array_append_new(l->problems, one);
}

json_t *op_check(studio *s, const json_t *args, failure *f) {
  const char *path = arg_text(args, "path"), *text = arg_text(args, "text");
  if (!path || !text || !path_is_below(path))
    return refuse(f, "bad-request", "", "a check needs a path below the folder, and a text");
  pl_env env = studio_env(s);
  listener l = {.s = s, .path = path, .problems = json_array()};
  env.diag = hear;
  env.diag_ctx = &l;
  pl_scene *scene;
  int rev = next_revision(s);
  json_t *model = NULL;
  pl_status st = scene_of_text(&env, s, path, text, 0, NULL, &scene);
  if (st == PL_OK) {
    model = part_model(s, &env, scene, rev);
    models_keep(s, rev, json_incref(model), 1);
  }
  pl_scene_free(scene);
  json_t *out = json_object();
  part_set(out, "rev", json_integer(rev));
  part_set(out, "problems", l.problems);
  part_set(out, "model", model);
  return out;
}

// ---- schema
// --------------------------------------------------------------------------------------

static void put_path(void *ctx, const char *path, const char *text) {
  json_t *pair = json_array();
  json_array_append_new(pair, part_words(path));
  json_array_append_new(pair, part_words(text));
  json_array_append_new(ctx, pair);
}

json_t *op_schema(studio *s, const json_t *args, failure *f) {
  json_t *paths = json_array(), *out = json_object();
  (void)s;
  (void)args;
  (void)f;
  pl_scene_paths(put_path, paths);
  part_set(out, "paths", paths);
  return out;
}
