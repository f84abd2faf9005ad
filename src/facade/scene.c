// Scenes: opened from files, from texts and from others.
#include "facade_impl.h"

#include <stdlib.h>
#include <string.h>

static void release(object *o) {
  scene_object *s = (scene_object *)o;
  pl_scene_free(s->scene);
  pl_text_free(&s->report);
  pl_text_free(&s->yaml);
  pl_text_free(&s->page);
  for (int k = 0; k < s->ngiven; k++) given_release(s->given[k]);
  for (int k = 0; k < s->nset; k++) free(s->set[k]);
  free(s->given);
  free(s->set);
  free(s->json);
  messages_free(&o->messages);
  free(s);
}

// ---- opening ------------------------------------------------------------------------------------

// more overrides
static int add_sets(scene_object *s, int64_t n, const char *const *set) {
  char **all = realloc(s->set, (size_t)(s->nset + n + 1) * sizeof *all);
  if (!all) return 0;
  s->set = all;
  for (int64_t k = 0; k < n; k++) {
    if (!(all[s->nset] = strdup(set[k]))) return 0;
    s->nset++;
  }
  return 1;
}

static scene_object *create(int64_t nset, const char *const *set, int64_t ngiven) {
  scene_object *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->base.kind = OBJECT_SCENE;
  s->base.free = release;
  pl_env_init(&s->env);
  s->env.diag = messages_hear;
  s->env.diag_ctx = &s->base.messages;
  pl_text_init(&s->report, &s->env);
  pl_text_init(&s->yaml, &s->env);
  pl_text_init(&s->page, &s->env);
  s->given = calloc((size_t)ngiven + 1, sizeof(given_thing *));
  if (s->given && add_sets(s, nset, set)) return s;
  release(&s->base);
  return NULL;
}

// shares what handles stand for
static int take_given(scene_object *s, int64_t n, const int64_t *handle) {
  static const char *const many[] = {"meshes", "objectives", "loads"};
  for (int64_t k = 0; k < n; k++) {
    object *o;
    int st = handle_take(handle[k], OBJECT_GIVEN, 0, &o);
    if (st != PL_FACADE_OK) return st;
    given_thing *g = ((given_object *)o)->given;
    atomic_fetch_add(&g->users, 1);
    s->given[s->ngiven++] = g;
    handle_give(handle[k]);
    for (int i = 0; i < s->ngiven - 1; i++)
      if (s->given[i]->what == g->what && strcmp(s->given[i]->name, g->name) == 0)
        return fail(PL_FACADE_ARG, NULL, "two %s are called '%.60s'", many[g->what], g->name);
  }
  return PL_FACADE_OK;
}

// What reads the scene.
typedef struct opening {
  const char *name, *folder, *text; // text NULL: name is a file
  size_t size;
  const pl_scene *again; // NULL: it is read anew
} opening;

static pl_scene_given scene_given(const given_thing *g) {
  return (pl_scene_given){.name = g->name,
                          .mesh = g->mesh,
                          .objective = g->what == GIVEN_OBJECTIVE ? &g->kind : NULL,
                          .data = g,
                          .load = g->what == GIVEN_LOAD ? load_kind : NULL,
                          .par = g->slot};
}

// the first `skip` overrides are in it already
static pl_status read_scene(scene_object *s, const opening *from, int skip) {
  const char *const *set = (const char *const *)s->set;
  if (from->again)
    return pl_scene_again(&s->env, from->again, s->nset - skip, set + skip, &s->scene);
  pl_scene_given *list = calloc((size_t)s->ngiven + 1, sizeof *list);
  if (!list) return pl_fail(&s->env, PL_E_NOMEM, "out of memory");
  for (int k = 0; k < s->ngiven; k++) list[k] = scene_given(s->given[k]);
  const pl_scene_limits limits = {.ngiven = s->ngiven, .given = list};
  pl_status st = from->text
                     ? pl_scene_parse(&s->env, from->name, from->folder, from->text, from->size,
                                      s->nset, set, &limits, &s->scene)
                     : pl_scene_load_limited(&s->env, from->name, s->nset, set, &limits, &s->scene);
  free(list);
  return st;
}

static int open_into(scene_object *s, const opening *from, int skip, int64_t *out) {
  pl_status st = read_scene(s, from, skip);
  if (st == PL_OK) return handle_put(&s->base, out);
  // errors that were told to nobody
  if (s->base.messages.n == 0) messages_hear(&s->base.messages, &s->env.error);
  messages_fail(&s->base.messages, st);
  release(&s->base);
  return st;
}

static int open_given(const opening *from, int64_t nset, const char *const *set, int64_t ngiven,
                      const int64_t *given, int64_t *out) {
  scene_object *s = create(nset, set, ngiven);
  if (!s) return fail(PL_FACADE_NOMEM, NULL, "out of memory");
  int st = take_given(s, ngiven, given);
  if (st == PL_FACADE_OK) return open_into(s, from, 0, out);
  release(&s->base);
  return st;
}

static int check_sets(int64_t nset, const char *const *set) {
  int ok = nset >= 0 && nset <= 100000 && (nset == 0 || set);
  for (int64_t k = 0; ok && k < nset; k++) ok = set[k] != NULL;
  return ok ? PL_FACADE_OK : fail(PL_FACADE_ARG, NULL, "overrides are 0 to 100000 strings");
}

int pl_facade_open(const char *path, int64_t nset, const char *const *set, int64_t ngiven,
                   const int64_t *given, int64_t *scene) {
  *scene = 0;
  if (!path || ngiven < 0 || ngiven > 100000 || (ngiven && !given))
    return fail(PL_FACADE_ARG, NULL, "a path is wanted, and handles of meshes");
  int s = check_sets(nset, set);
  if (s != PL_FACADE_OK) return s;
  return open_given(&(opening){.name = path}, nset, set, ngiven, given, scene);
}

int pl_facade_parse(const char *name, const char *folder, const char *text, int64_t size,
                    int64_t nset, const char *const *set, int64_t ngiven, const int64_t *given,
                    int64_t *scene) {
  *scene = 0;
  if (!name || !folder || !text || size < 0 || ngiven < 0 || ngiven > 100000 || (ngiven && !given))
    return fail(PL_FACADE_ARG, NULL, "a name, a folder and a text are wanted");
  int s = check_sets(nset, set);
  if (s != PL_FACADE_OK) return s;
  const opening from = {name, folder, text, (size_t)size, NULL};
  return open_given(&from, nset, set, ngiven, given, scene);
}

// what the other scene was opened with goes along
static int again(const scene_object *old, int64_t nset, const char *const *set, int64_t *out) {
  scene_object *s = create(old->nset, (const char *const *)old->set, old->ngiven);
  if (s && !add_sets(s, nset, set)) {
    release(&s->base);
    s = NULL;
  }
  if (!s) return fail(PL_FACADE_NOMEM, NULL, "out of memory");
  for (int k = 0; k < old->ngiven; k++) {
    atomic_fetch_add(&old->given[k]->users, 1);
    s->given[s->ngiven++] = old->given[k];
  }
  return open_into(s, &(opening){.again = old->scene}, old->nset, out);
}

int pl_facade_again(int64_t scene, int64_t nset, const char *const *set, int64_t *other) {
  object *o;
  *other = 0;
  int s = check_sets(nset, set);
  if (s == PL_FACADE_OK) s = handle_take(scene, OBJECT_SCENE, 1, &o);
  if (s != PL_FACADE_OK) return s;
  s = again((scene_object *)o, nset, set, other);
  handle_give(scene);
  return s;
}
