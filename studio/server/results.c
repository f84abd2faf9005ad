// A folder that `pliant run` or `pliant validate` wrote, opened as a run that has ended: figures,
// tables, plots of these, shapes and motions, as far as they can be read back.
#include "results.h"

#include "files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int results_file(reading *k, const char *name, char **data, size_t *n) {
  char path[2 * PL_TEXT];
  failure f;
  snprintf(path, sizeof path, "%s/%s", k->path, name);
  return file_read(k->s, path, data, n, &f);
}

static json_t *item_of(const char *kind) {
  json_t *item = json_object();
  part_set(item, "kind", json_string(kind));
  return item;
}

static void message(const reading *k, const char *level, const char *text, const char *hint) {
  json_t *item = item_of("message");
  part_set(item, "level", json_string(level));
  part_set(item, "text", part_words(text));
  part_set(item, "hint", part_words(hint));
  run_item(k->r, item);
}

static const char *text_at(const json_t *o, const char *key) {
  const char *text = json_string_value(json_object_get(o, key));
  return text ? text : "";
}

// ---- the scene ----------------------------------------------------------------------------------

// where files of the scene are looked for: beside the scene that was run, if that is below the
// studio's folder, else beside the results
static void home_of(const reading *k, char out[2 * PL_TEXT]) {
  const char *scene = text_at(k->summary, "scene"), *slash = strrchr(scene, '/');
  size_t n = strlen(k->s->folder);
  if (strncmp(scene, k->s->folder, n) == 0 && scene[n] == '/')
    snprintf(out, 2 * PL_TEXT, "%.*s", (int)(slash - scene), scene);
  else if (scene[0] != '/' && slash && path_good(scene))
    snprintf(out, 2 * PL_TEXT, "%.500s/%.*s", k->s->folder, (int)(slash - scene), scene);
  else
    snprintf(out, 2 * PL_TEXT, "%.500s", k->s->folder);
}

static void show_model(reading *k) {
  char home[2 * PL_TEXT], *text;
  size_t n;
  pl_scene *scene = NULL;
  const pl_scene_limits limits = {.root = k->s->folder};
  if (!results_file(k, "scene.yaml", &text, &n)) {
    message(k, "warning", "the scene is not there: there is no model", "");
    return;
  }
  home_of(k, home);
  pl_status s = pl_scene_parse(&k->env, "scene.yaml", home, text, n, 0, NULL, &limits, &scene);
  if (s == PL_OK) {
    k->nvert = scene->mesh->nvert;
    run_shows(k->r, scene);
  } else {
    message(k, "warning", "the scene cannot be read again: there is no model",
            k->env.error.text[0] ? k->env.error.text : "");
  }
  pl_scene_free(scene);
  free(text);
}

// ---- files of an analysis -----------------------------------------------------------------------

static int ends_with(const char *name, const char *ending, size_t *stem) {
  size_t n = strlen(name), m = strlen(ending);
  *stem = n - m;
  return n > m && strcmp(name + n - m, ending) == 0;
}

// The analysis that wrote a file: names begin with its own, but for some of a plain response.
static int owner(const json_t *analyses, const char *file) {
  static const char *const plain[] = {"special.csv", "harmonics.csv", "multipliers.csv",
                                      "special-harmonics.csv"};
  int best = -1;
  size_t longest = 0, k;
  json_t *one;
  json_array_foreach(analyses, k, one) {
    const char *name = text_at(one, "name");
    size_t n = strlen(name);
    int own = strncmp(file, name, n) == 0 && (file[n] == '.' || file[n] == '-');
    for (int i = 0; i < 4; i++) own |= strcmp(name, "response") == 0 && strcmp(file, plain[i]) == 0;
    if (own && n >= longest) {
      best = (int)k;
      longest = n;
    }
  }
  return best;
}

static void show_table(reading *k, const json_t *a, const char *file, size_t stem) {
  char *data, name[PL_TEXT];
  size_t n;
  pl_table *t;
  if (!results_file(k, file, &data, &n)) {
    k->missing++;
    return;
  }
  snprintf(name, sizeof name, "%.*s", (int)stem, file);
  if (pl_table_parse(&k->env, file, data, n, &t) == PL_OK) {
    run_item(k->r, item_table(k->r, name, t));
    results_plots(k, text_at(a, "name"), text_at(a, "kind"), name, t);
    pl_table_free(t);
  } else {
    json_t *item = item_of("text");
    part_set(item, "name", part_words(name));
    part_set(item, "csv", part_words(data));
    run_item(k->r, item);
  }
  free(data);
}

static void show_scene(reading *k, const char *file, size_t stem) {
  char *data, name[PL_TEXT];
  size_t n;
  if (!results_file(k, file, &data, &n)) return;
  snprintf(name, sizeof name, "%.*s", (int)stem, file);
  json_t *item = item_of("scene");
  part_set(item, "name", part_words(name));
  part_set(item, "yaml", part_words(data));
  run_item(k->r, item);
  free(data);
}

static int is_periodic(const char *kind) {
  return strcmp(kind, "transient") != 0 && strcmp(kind, "jump") != 0 && strcmp(kind, "native") != 0;
}

// "mode 1: 12.3 Hz" of one, by the number at the end of its name; "": it is none
static void mode_title(const json_t *a, const char *name, char title[64]) {
  const char *number = strrchr(name, '-');
  long at = number ? strtol(number + 1, NULL, 10) : 0;
  const json_t *all = json_object_get(a, "frequency_Hz"),
               *one = at > 0 ? json_array_get(all, (size_t)at - 1) : NULL;
  title[0] = 0;
  if (strcmp(text_at(a, "kind"), "modes") == 0 && json_is_number(one))
    snprintf(title, 64, "mode %ld: %.5g Hz", at, json_number_value(one));
}

static void show_file(reading *k, const json_t *a, const char *file) {
  char name[PL_TEXT], title[64];
  size_t stem;
  const char *kind = text_at(a, "kind");
  if (ends_with(file, ".csv", &stem)) {
    show_table(k, a, file, stem);
  } else if (ends_with(file, ".yaml", &stem)) {
    show_scene(k, file, stem);
  } else if (ends_with(file, ".pvd", &stem)) {
    snprintf(name, sizeof name, "%.*s", (int)stem, file);
    results_motion(k, text_at(a, "name"), name, is_periodic(kind));
  } else if (ends_with(file, ".vtu", &stem)) {
    snprintf(name, sizeof name, "%.*s", (int)stem, file);
    mode_title(a, name, title);
    results_shape(k, name, title);
  }
}

static void show_analysis(reading *k, const json_t *analyses, int index) {
  const json_t *a = json_array_get(analyses, (size_t)index), *files;
  json_t *item = item_of("begin"), *one;
  size_t i;
  part_set(item, "analysis", part_words(text_at(a, "name")));
  part_set(item, "analysisKind", part_words(text_at(a, "kind")));
  run_item(k->r, item);
  files = json_object_get(k->summary, "written");
  json_array_foreach(files, i, one) {
    const char *file = json_string_value(one);
    // frames are behind their list
    if (file && !strchr(file, '/') && path_good(file) && owner(analyses, file) == index)
      show_file(k, a, file);
  }
  item = item_of("figures");
  part_set(item, "analysis", part_words(text_at(a, "name")));
  part_set(item, "figures", json_deep_copy(a));
  run_item(k->r, item);
  item = item_of("end");
  part_set(item, "analysis", part_words(text_at(a, "name")));
  part_set(item, "status", part_words(text_at(a, "status")));
  run_item(k->r, item);
}

// ---- a validation -------------------------------------------------------------------------------

static json_t *number_text(const json_t *v) {
  char text[40];
  if (!json_is_number(v)) return json_string("-");
  snprintf(text, sizeof text, "%.4g", json_number_value(v));
  return json_string(text);
}

static void show_scores(const reading *k, const json_t *scores) {
  static const char *const key[] = {"protocol",    "model",    "verdict", "resolution",
                                    "worst_error", "worst_at", "bar",     "seconds"};
  enum { N = sizeof key / sizeof key[0] };
  json_t *item = item_of("grid"), *rows = json_array(), *head = json_array(), *one;
  size_t i;
  for (int c = 0; c < N; c++) json_array_append_new(head, json_string(key[c]));
  json_array_append_new(rows, head);
  json_array_foreach(scores, i, one) {
    json_t *row = json_array();
    for (int c = 0; c < N; c++)
      json_array_append_new(row, c < 3 ? part_words(text_at(one, key[c]))
                                       : number_text(json_object_get(one, key[c])));
    json_array_append_new(rows, row);
  }
  part_set(item, "rows", rows);
  run_item(k->r, item);
}

static void show_validation(reading *k, const json_t *scores) {
  char file[PL_TEXT], last[PL_TEXT] = "";
  json_t *one;
  size_t i, stem;
  const json_t *none = NULL;
  show_scores(k, scores);
  json_array_foreach(scores, i, one) {
    const char *protocol = text_at(one, "protocol");
    if (strcmp(protocol, last) == 0) continue;
    snprintf(last, sizeof last, "%s", protocol);
    snprintf(file, sizeof file, "%.200s-validation.csv", protocol);
    if (path_good(file) && ends_with(file, ".csv", &stem)) show_table(k, none, file, stem);
  }
}

// ---- the request --------------------------------------------------------------------------------

static void show_messages(const reading *k) {
  json_t *one;
  size_t i;
  json_array_foreach(json_object_get(k->summary, "messages"), i, one) {
    const char *text = json_string_value(one), *hint = text ? strstr(text, "\n  hint: ") : NULL;
    char plain[2 * PL_TEXT];
    if (!text) continue;
    snprintf(plain, sizeof plain, "%.*s", hint ? (int)(hint - text) : (int)strlen(text), text);
    message(k, strstr(plain, "error: ") ? "error" : "warning", plain, hint ? hint + 9 : "");
  }
}

static void show_what_lacks(const reading *k) {
  char text[PL_TEXT];
  if (k->missing) {
    snprintf(text, sizeof text, "%d %s of the run %s gone", k->missing,
             pl_plural(k->missing, "file", "files"), pl_plural(k->missing, "is", "are"));
    message(k, "warning", text, "");
  }
  message(k, "note", "words and pictures of the run stand in its report",
          "open report.html in the folder, or run the scene again");
}

static pl_status status_of(const json_t *summary) {
  static const pl_status known[] = {PL_OK, PL_CANCELLED, PL_UNSOLVED, PL_DOMAIN, PL_SINGULAR};
  const char *text = text_at(summary, "status");
  for (int k = 0; k < 5; k++)
    if (strcmp(text, pl_status_text(known[k])) == 0) return known[k];
  return strcmp(text, "done") == 0 ? PL_OK : PL_E_INTERNAL;
}

static void show_all(reading *k) {
  const json_t *analyses = json_object_get(k->summary, "analyses"),
               *scores = json_object_get(k->summary, "scores");
  if (!scores) show_model(k);
  show_messages(k);
  for (size_t i = 0; i < json_array_size(analyses); i++) show_analysis(k, analyses, (int)i);
  if (scores) show_validation(k, scores);
  json_t *item = item_of("summary"), *rest = json_copy((json_t *)k->summary);
  json_object_del(rest, "analyses");
  json_object_del(rest, "scores");
  part_set(item, "summary", rest);
  run_item(k->r, item);
  show_what_lacks(k);
}

json_t *op_results(studio *s, const json_t *args, failure *f) {
  const char *path = arg_text(args, "path");
  char file[2 * PL_TEXT], *data;
  size_t n;
  if (!path || !path_good(path) || strlen(path) >= PL_TEXT / 2)
    return refuse(f, "bad-request", "", "results are in a folder below the one that was opened");
  snprintf(file, sizeof file, "%s/summary.json", path);
  if (!file_read(s, file, &data, &n, f)) return NULL;
  json_t *summary = json_loadb(data, n, 0, NULL);
  free(data);
  if (!json_is_object(summary)) {
    json_decref(summary);
    return refuse(f, "bad-request", "", "'%.200s' is no summary of a run", file);
  }
  reading k = {.s = s, .env = studio_env(s), .path = path, .summary = summary, .nvert = -1};
  k.r = runs_open(s, "results", path);
  int number = k.r ? run_number(k.r) : 0;
  if (k.r) {
    runs_lock(s);
    snprintf(k.r->folder, sizeof k.r->folder, "%s", path);
    k.r->begun = pl_wall_time() - json_number_value(json_object_get(summary, "seconds"));
    runs_unlock(s);
    show_all(&k);
    runs_close(k.r, status_of(summary));
  }
  json_decref(summary);
  if (!number) return refuse(f, "internal", "", "out of memory");
  return json_pack("{s:i}", "run", number);
}
