#include "scene_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --set path=value: keys by name, parameters by theirs alone; list entries by `name`, by their only
// key (analyses), by a key that has keys below it when they have no name, or by index, counted from
// 0.

enum { PATH_MAX_PARTS = 32 };

static pl_node *child(pl_node *map, const char *key) {
  for (pl_node *d = map->first; d; d = d->next)
    if (strcmp(d->key, key) == 0) return d;
  return NULL;
}

pl_node *add_key(reader *r, pl_node *map, const char *key, const char *origin) {
  pl_node *d = node_new(r, NODE_MAP, NULL, 0);
  if (!d) return NULL;
  d->key = key;
  d->origin = origin;
  node_append(map, d);
  return d;
}

// `- static` of a list is written as `- static: {}`, so that keys go below it
static pl_node *open_bare(reader *r, pl_node *d) {
  const char *key = d->text;
  d->kind = NODE_MAP;
  d->text = NULL;
  pl_node *only = add_key(r, d, key, NULL);
  if (!only) return NULL;
  only->line = only->key_line = d->line;
  only->col = only->key_col = d->col;
  return only;
}

// the entry of a list that a path part means
static pl_node *list_entry(pl_node *list, const char *part) {
  int index = 0;
  char *end;
  long want = strtol(part, &end, 10);
  int by_index = *part && *end == 0;
  for (pl_node *d = list->first; d; d = d->next, index++) {
    // {static: {...}}: by kind, or by the name inside
    int wraps = d->kind == NODE_MAP && d->n == 1 && d->first->kind == NODE_MAP;
    pl_node *only = wraps ? d->first : NULL;
    if (by_index && index == want) return only ? only : d;
    if (!by_index && d->kind == NODE_SCALAR && strcmp(d->text, part) == 0) return d;
    if (d->kind != NODE_MAP) continue;
    if (only && strcmp(only->key, part) == 0) return only;
    const pl_node *name = only ? node_get(only, "name") : node_get(d, "name");
    if (name && name->kind == NODE_SCALAR && strcmp(name->text, part) == 0) return only ? only : d;
  }
  // {four-in-one: {...}, density: ...}
  for (pl_node *d = list->first; d && !by_index; d = d->next) {
    pl_node *of = d->kind == NODE_MAP && !node_get(d, "name") ? child(d, part) : NULL;
    if (of && of->kind == NODE_MAP) return of;
  }
  return NULL;
}

static void list_hint(const pl_node *list, const char *part, char *out, size_t size) {
  const char *names[32];
  int n = 0;
  for (const pl_node *d = list->first; d && n < COUNT(names); d = d->next) {
    const pl_node *name = node_get(d, "name");
    if (name && name->kind == NODE_SCALAR)
      names[n++] = name->text;
    else if (d->kind == NODE_MAP && d->n == 1)
      names[n++] = d->first->key;
    else if (d->kind == NODE_SCALAR)
      names[n++] = d->text;
  }
  if (n > 0)
    pl_name_hint(part, n, names, out, size);
  else
    snprintf(out, size, "entries of this list are counted from 0 to %d", list->n - 1);
}

// replaces the content of an entry, keeping its place
static void replace(pl_node *d, const pl_node *value) {
  d->kind = value->kind;
  d->text = value->text;
  d->quoted = value->quoted;
  d->n = value->n;
  d->first = value->first;
  d->last = value->last;
  d->origin = value->origin;
  d->line = d->col = d->key_line = d->key_col = 0;
}

// one step of the path; NULL: reported, or out of memory
static pl_node *descend_key(reader *r, pl_node *at, const char *part, const char *path,
                            const char *origin) {
  char hint[PL_TEXT];
  pl_node *next = NULL;
  if (at->kind == NODE_MAP) {
    next = child(at, part);
    return next ? next : add_key(r, at, part, origin);
  }
  if (at->kind == NODE_LIST) {
    next = list_entry(at, part);
    if (next) return next;
    list_hint(at, part, hint, sizeof hint);
    problem_at(r, origin, 0, 0, hint, "there is no '%s' in the list", part);
    return NULL;
  }
  problem_at(r, origin, 0, 0, NULL, "'%s' is a value in the scene; nothing lies below it", path);
  return NULL;
}

const pl_node *tree_find(reader *r, const char *path, const char **part, const pl_node **above) {
  pl_node *at = r->root;
  char *own = (char *)scene_strdup(r, path, strlen(path));
  for (char *word = own; word && at;) {
    char *dot = strchr(word, '.');
    if (dot) *dot = 0;
    *part = word;
    *above = at;
    at = at->kind == NODE_MAP    ? child(at, word)
         : at->kind == NODE_LIST ? list_entry(at, word)
                                 : NULL;
    word = dot ? dot + 1 : NULL;
  }
  return own ? at : NULL;
}

pl_node *tree_set(reader *r, const char *key, node_kind kind, const char *text) {
  pl_node *at = child(r->root, key), *value = node_new(r, kind, text, strlen(text));
  if (!at) at = add_key(r, r->root, key, NULL);
  if (!at || !value) return NULL;
  value->quoted = kind == NODE_SCALAR;
  replace(at, value);
  return at;
}

// A name without a dot that is no key of scenes is a parameter's: `k=3` is
// `parameters.k.value=3`. NULL: it is none, or memory ended.
static char *parameter_path(reader *r, const char *name) {
  char full[PL_TEXT];
  pl_node *all = child(r->root, "parameters"), *at = NULL;
  for (int k = 0; k < map_nrow(&map_root); k++)
    if (strcmp(map_row(&map_root, k).key, name) == 0) return NULL;
  if (all && !strchr(name, '.'))
    at = all->kind == NODE_MAP    ? child(all, name)
         : all->kind == NODE_LIST ? list_entry(all, name)
                                  : NULL;
  if (!at) return NULL;
  snprintf(full, sizeof full, "parameters.%.400s%s", name, at->kind == NODE_MAP ? ".value" : "");
  return (char *)scene_strdup(r, full, strlen(full));
}

void tree_override(reader *r, const char *assignment) {
  char origin_text[PL_TEXT];
  const char *equal = strchr(assignment, '=');
  snprintf(origin_text, sizeof origin_text, "--set %.300s", assignment);
  const char *origin = scene_strdup(r, origin_text, strlen(origin_text));
  char *path = equal ? (char *)scene_strdup(r, assignment, (size_t)(equal - assignment)) : NULL;
  if (!origin || (equal && !path)) return;
  char *parameter = path && r->root->kind == NODE_MAP ? parameter_path(r, path) : NULL;
  if (parameter) path = parameter;
  if (!equal || equal == assignment) {
    problem_at(r, origin, 0, 0, "e.g. --set analyses.static.steps=10", "path=value is wanted");
    return;
  }
  pl_node *value, *at = r->root;
  pl_status s = tree_parse_value(r, equal + 1, origin, &value);
  if (s != PL_OK) r->failed = s;
  if (!value) return;
  char *part = path, *done = path;
  for (int n = 0; part && at; n++) {
    char *dot = strchr(part, '.');
    if (dot) *dot = 0;
    if (*part == 0 || n == PATH_MAX_PARTS) {
      problem_at(r, origin, 0, 0, NULL, "the path is empty somewhere, or too long");
      return;
    }
    const char *above = part == path ? "scene" : done;
    at = descend_key(r, at, part, above, origin);
    if (at && n == 1 && dot && at->kind == NODE_SCALAR && strcmp(path, "analyses") == 0)
      at = open_bare(r, at);
    done = part;
    part = dot ? dot + 1 : NULL;
  }
  if (at) replace(at, value);
}
