// What a studio did, in studio.jsonl of its folder: a line for each job that has ended, with what
// was asked for and the figures that came of it; and all of it done again.
#include "files.h"
#include "runs.h"
#include "server_impl.h"

#include "pliant/sparse.h"
#include "pliant/version.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char FILE_NAME[] = "studio.jsonl";
enum { FIGURES_BYTES = 1 << 18 }; // of a line; beyond that their digest stands alone

struct journal {
  pthread_mutex_t lock;
  int again;         // 1: what is written is done again, and nothing is written
  int known, n, cap; // known: the file has been looked at
  char (*hash)[65];  // [n] texts that it holds
};

pl_status journal_create(studio *s) {
  s->journal = calloc(1, sizeof *s->journal);
  if (!s->journal) return pl_fail(&s->host, PL_E_NOMEM, "out of memory");
  pthread_mutex_init(&s->journal->lock, NULL);
  return PL_OK;
}

void journal_free(studio *s) {
  if (!s->journal) return;
  pthread_mutex_destroy(&s->journal->lock);
  free(s->journal->hash);
  free(s->journal);
  s->journal = NULL;
}

int journal_again(const studio *s) {
  return s->journal && s->journal->again;
}

// ---- figures ------------------------------------------------------------------------------------

// what depends on the machine, or on whether a run was stopped on its way
static int is_volatile(const char *key) {
  static const char *const keys[] = {"seconds", "cpu_seconds", "factorisations", "pliant"};
  for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
    if (strcmp(key, keys[k]) == 0) return 1;
  return 0;
}

static json_t *lasting(const json_t *v) {
  const char *key;
  json_t *one, *out;
  size_t i;
  if (json_is_object(v)) {
    out = json_object();
    json_object_foreach((json_t *)v, key, one) {
      if (!is_volatile(key)) json_object_set_new(out, key, lasting(one));
    }
    return out;
  }
  if (!json_is_array(v)) return json_deep_copy(v);
  out = json_array();
  json_array_foreach(v, i, one) {
    json_array_append_new(out, lasting(one));
  }
  return out;
}

// those that a run has told, analysis by analysis
static json_t *figures_of(const job *r) {
  json_t *all = json_array(), *item;
  size_t k;
  json_array_foreach(r->items, k, item) {
    if (strcmp(json_string_value(json_object_get(item, "kind")), "figures") == 0)
      json_array_append_new(all, lasting(json_object_get(item, "figures")));
  }
  return all;
}

static char *text_of(const json_t *v) {
  return json_dumps(v, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
}

// ---- writing ------------------------------------------------------------------------------------

static int has(const struct journal *j, const char *hash) {
  for (int k = 0; k < j->n; k++)
    if (strcmp(j->hash[k], hash) == 0) return 1;
  return 0;
}

static void remember(struct journal *j, const char *hash) {
  if (j->n == j->cap) {
    int cap = j->cap ? 2 * j->cap : 16;
    void *more = realloc(j->hash, (size_t)cap * sizeof *j->hash);
    if (!more) return;
    j->hash = more;
    j->cap = cap;
  }
  snprintf(j->hash[j->n++], sizeof j->hash[0], "%.64s", hash);
}

// texts that earlier studios have put there
static void look(studio *s) {
  static const char begin[] = "{\"op\":\"scene\",\"sha256\":\"";
  struct journal *j = s->journal;
  char *data, *rest;
  size_t n;
  failure f;
  if (j->known) return;
  j->known = 1;
  if (!file_read(s, FILE_NAME, &data, &n, &f)) return;
  for (char *line = strtok_r(data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    if (strncmp(line, begin, sizeof begin - 1) == 0 && strlen(line) > sizeof begin + 64)
      remember(j, line + sizeof begin - 1);
  free(data);
}

// at its end, as a whole
static int append(const studio *s, json_t *line) {
  char *text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(17));
  size_t n = text ? strlen(text) : 0;
  // what is no file, such as a pipe that nobody reads, is not waited for
  int fd = openat(s->folder_fd, FILE_NAME,
                  O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
  if (text) text[n] = '\n';
  int ok = text && fd >= 0 && write(fd, text, n + 1) == (ssize_t)n + 1;
  if (fd >= 0) close(fd);
  free(text);
  json_decref(line);
  return ok;
}

// the arguments with the hash of a text in its place; the text is written once
static json_t *without_text(studio *s, const json_t *args, int *ok) {
  json_t *out = json_copy((json_t *)args);
  const json_t *text = json_object_get(args, "text");
  char hash[65];
  if (!json_is_string(text)) return out;
  pl_sha256(json_string_value(text), json_string_length(text), hash);
  if (!has(s->journal, hash)) {
    *ok &= append(s, json_pack("{s:s, s:s, s:O}", "op", "scene", "sha256", hash, "text", text));
    remember(s->journal, hash);
  }
  json_object_del(out, "text");
  json_object_set_new(out, "scene", json_string(hash));
  return out;
}

static json_t *date_now(void) {
  char text[32] = "";
  time_t now = time(NULL);
  struct tm utc;
  if (gmtime_r(&now, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return json_string(text);
}

int journal_write(job *r, pl_status status) {
  studio *s = r->s;
  struct journal *j = s->journal;
  if (!j || j->again || !r->op[0] || status < 0 || status == PL_CANCELLED) return 1;
  int ok = 1;
  char hash[65];
  json_t *figures = figures_of(r);
  char *text = text_of(figures);
  if (text) pl_sha256(text, strlen(text), hash);
  pthread_mutex_lock(&j->lock);
  look(s);
  json_t *line = json_object();
  part_set(line, "op", json_string(r->op));
  part_set(line, "args", without_text(s, r->args, &ok));
  part_set(line, "date", date_now());
  part_set(line, "pliant", json_string(PL_VERSION));
  part_set(line, "blas", json_string(pl_blas_core()));
  part_set(line, "seed", json_integer(0));
  part_set(line, "status", json_string(pl_status_text(status)));
  part_set(line, "digest", json_string(text ? hash : ""));
  if (text && strlen(text) <= FIGURES_BYTES) part_set(line, "figures", json_incref(figures));
  ok &= append(s, line);
  pthread_mutex_unlock(&j->lock);
  free(text);
  json_decref(figures);
  return ok;
}

// ---- once more ----------------------------------------------------------------------------------

typedef struct repeat {
  pl_env *env;
  studio *s;
  const char *file;
  int line;
  json_t *texts;    // by hash
  json_t *sessions; // numbers of explorations that there were, of those that there are
} repeat;

#define WRONG(p, hint, ...)                                                                        \
  pl_fail_at((p)->env, PL_E_INPUT, (p)->file, (p)->line, 1, hint, __VA_ARGS__)

// where two values differ first, as in "0.objectives.1.value"; 0: nowhere
static int difference(const json_t *a, const json_t *b, char path[PL_TEXT]) {
  const char *key;
  json_t *one;
  size_t i, n = strlen(path);
  if (json_is_object(a) && json_is_object(b)) {
    json_object_foreach((json_t *)a, key, one) {
      snprintf(path + n, PL_TEXT - n, "%s%.100s", n ? "." : "", key);
      if (difference(one, json_object_get(b, key), path)) return 1;
    }
  } else if (json_is_array(a) && json_is_array(b)) {
    json_array_foreach(a, i, one) {
      snprintf(path + n, PL_TEXT - n, "%s%zu", n ? "." : "", i);
      if (difference(one, json_array_get(b, i), path)) return 1;
    }
  } else {
    return !json_equal(a, b);
  }
  path[n] = 0;
  return !json_equal(a, b);
}

static void value_at(const json_t *v, const char *path, char out[64]) {
  for (const char *p = path; v && *p;) {
    char step[128];
    size_t n = strcspn(p, ".");
    snprintf(step, sizeof step, "%.*s", (int)n, p);
    v = json_is_array(v) ? json_array_get(v, (size_t)atoi(step)) : json_object_get(v, step);
    p += n + (p[n] == '.');
  }
  char *text = v ? json_dumps(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)) : NULL;
  snprintf(out, 64, "%.60s", text ? text : "nothing");
  free(text);
}

// what rounds otherwise, or was changed
static void why_differ(const json_t *line, char hint[PL_TEXT]) {
  const char *blas = json_string_value(json_object_get(line, "blas")),
             *version = json_string_value(json_object_get(line, "pliant"));
  if (version && strcmp(version, PL_VERSION) != 0)
    snprintf(hint, PL_TEXT, "that was pliant %.40s, this is %s", version, PL_VERSION);
  else if (blas && strcmp(blas, pl_blas_core()) != 0)
    snprintf(hint, PL_TEXT, "that was with BLAS kernels %.40s, this is with %s", blas,
             pl_blas_core());
  else
    snprintf(hint, PL_TEXT, "are the files that the scene reads still the same?");
}

static pl_status compare(const repeat *p, const json_t *line, const json_t *figures,
                         const char *status) {
  const char *was = json_string_value(json_object_get(line, "status")),
             *digest = json_string_value(json_object_get(line, "digest"));
  const json_t *before = json_object_get(line, "figures");
  char path[PL_TEXT] = "", old[64], new[64], hash[65], hint[PL_TEXT];
  why_differ(line, hint);
  if (!was || strcmp(was, status) != 0)
    return WRONG(p, NULL, "it ended as '%s', and ends as '%s' now", was ? was : "", status);
  if (before && difference(before, figures, path)) {
    value_at(before, path, old);
    value_at(figures, path, new);
    return WRONG(p, hint, "figures differ: %.200s was %s and is %s", path, old, new);
  }
  char *text = text_of(figures);
  if (!text) return PL_E_NOMEM;
  pl_sha256(text, strlen(text), hash);
  free(text);
  if (!digest || strcmp(digest, hash) != 0) return WRONG(p, hint, "figures differ");
  return PL_OK;
}

// of a run that has ended: figures and status, or what went wrong with it
static pl_status take_result(const repeat *p, int number, json_t **figures, const char **status) {
  pl_status ended = PL_E_INTERNAL;
  char why[PL_TEXT] = "";
  runs_lock(p->s);
  const job *r = runs_find(p->s, number);
  json_t *item;
  size_t k;
  if (r) {
    ended = r->status;
    *figures = figures_of(r);
    json_array_foreach(r->items, k, item) {
      const char *level = json_string_value(json_object_get(item, "level"));
      if (level && strcmp(level, "error") == 0)
        snprintf(why, sizeof why, "%.400s", json_string_value(json_object_get(item, "text")));
    }
  }
  runs_unlock(p->s);
  *status = pl_status_text(ended);
  return ended < 0 ? WRONG(p, NULL, "%s", why[0] ? why : "it fails now") : PL_OK;
}

static pl_status wait_for(const repeat *p, int number) {
  while (!runs_wait(p->s, number, 0.1))
    if (pl_report_progress(p->env, NULL, 0, NULL) != PL_OK) return PL_CANCELLED;
  return PL_OK;
}

// arguments as they are now
static json_t *args_again(const repeat *p, const json_t *line) {
  json_t *args = json_copy(json_object_get(line, "args"));
  const json_t *scene = json_object_get(args, "scene"), *session = json_object_get(args, "session");
  char key[24];
  if (json_is_string(scene)) {
    json_t *text = json_object_get(p->texts, json_string_value(scene));
    if (text) json_object_set(args, "text", text);
    json_object_del(args, "scene");
  }
  if (json_is_integer(session)) {
    snprintf(key, sizeof key, "%d", (int)json_integer_value(session));
    json_t *now = json_object_get(p->sessions, key);
    if (now) json_object_set(args, "session", now);
  }
  return args;
}

// an exploration has another number now
static void note_session(const repeat *p, const json_t *line, const json_t *reply) {
  const json_t *was = json_object_get(json_object_get(line, "args"), "session");
  json_t *now = json_object_get(reply, "session");
  char key[24];
  if (!json_is_integer(was) || !now) return;
  snprintf(key, sizeof key, "%d", (int)json_integer_value(was));
  json_object_set(p->sessions, key, now);
}

static pl_status do_again(const repeat *p, const char *op, const json_t *line) {
  failure f;
  json_t *args = args_again(p, line), *figures = NULL;
  json_t *reply = args ? dispatch(p->s, op, args, &f) : NULL;
  const char *status;
  json_decref(args);
  if (!reply) return WRONG(p, NULL, "%s: %s", op, args ? f.text : "it has no arguments");
  int number = (int)json_integer_value(json_object_get(reply, "run"));
  note_session(p, line, reply);
  json_decref(reply);
  pl_status s = wait_for(p, number);
  if (s == PL_OK) s = take_result(p, number, &figures, &status);
  if (s == PL_OK) s = compare(p, line, figures, status);
  if (s == PL_OK) pl_report(p->env, PL_NOTE, p->file, p->line, 1, NULL, "%s: the same figures", op);
  json_decref(figures);
  return s;
}

static pl_status repeat_line(const repeat *p, const char *text) {
  static const char *const known[] = {"run", "validate", "explore", "commit", "undo"};
  json_t *line = json_loads(text, 0, NULL);
  const char *op = json_string_value(json_object_get(line, "op")),
             *hash = json_string_value(json_object_get(line, "sha256"));
  pl_status s = PL_OK;
  int found = 0;
  for (size_t k = 0; op && k < sizeof known / sizeof known[0]; k++)
    found |= strcmp(op, known[k]) == 0;
  if (found)
    s = do_again(p, op, line);
  else if (op && strcmp(op, "scene") == 0 && hash)
    json_object_set(p->texts, hash, json_object_get(line, "text"));
  else
    s = WRONG(p, NULL, "this is no line of a studio");
  json_decref(line);
  return s;
}

static pl_status repeat_all(repeat *p, char *data) {
  char *rest;
  pl_status s = PL_OK;
  for (char *line = data; s == PL_OK && line && *line; line = rest) {
    rest = strchr(line, '\n');
    if (rest) *rest++ = 0;
    p->line++;
    if (*line) s = repeat_line(p, line);
  }
  return s;
}

pl_status pl_studio_replay(pl_env *env, const pl_studio_opts *o, const char *file) {
  repeat p = {.env = env, .file = file, .texts = json_object(), .sessions = json_object()};
  char folder[PL_TEXT], *data;
  const char *slash = strrchr(file, '/');
  pl_studio_opts own = *o;
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file) : 1, slash ? file : ".");
  own.folder = slash == file ? "/" : folder;
  own.scene = own.results = NULL;
  size_t n;
  pl_status s = pl_file_read(env, file, 0, &data, &n);
  if (s != PL_OK) data = NULL;
  if (s == PL_OK) s = studio_make(env, &own, &p.s);
  if (s == PL_OK) {
    p.s->journal->again = 1;
    s = repeat_all(&p, data);
  }
  pl_studio_stop(p.s);
  pl_free(env, data);
  json_decref(p.texts);
  json_decref(p.sessions);
  return s;
}
