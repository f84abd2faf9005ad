// What a scene is made of.
#include "facade_impl.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *parameters(const pl_scene *s) {
  json_t *all = json_array();
  for (int k = 0; k < pl_model_ndesign(s->model); k++) {
    const pl_design_desc *d = pl_model_design(s->model, k);
    json_array_append_new(all,
                          json_pack("{s:o, s:o, s:f, s:o, s:o}", "name", json_word(d->name), "unit",
                                    json_word(d->unit), "value", s->params->design[k], "min",
                                    isfinite(d->min) ? json_real(d->min) : json_null(), "max",
                                    isfinite(d->max) ? json_real(d->max) : json_null()));
  }
  return all;
}

static json_t *analyses(const pl_scene *s) {
  json_t *all = json_array();
  for (int k = 0; k < s->nanalysis; k++)
    json_array_append_new(all, json_pack("{s:o, s:s}", "name", json_word(s->analysis[k].name),
                                         "kind", pl_analysis_table[s->analysis[k].kind].name));
  return all;
}

static json_t *nodes(const pl_scene *s) {
  json_t *all = json_object();
  for (int k = 0; k < pl_model_nnode(s->model); k++) {
    const char *name = pl_model_node_name(s->model, k);
    if (name) json_object_set_new(all, name, json_integer(k));
  }
  return all;
}

static json_t *places(const pl_scene *s) {
  json_t *all = json_array();
  for (int k = 0; k < s->nprobe; k++)
    json_array_append_new(all,
                          json_pack("{s:o, s:i, s:i}", "name", json_word(s->probe[k].name), "node",
                                    s->probe[k].node, "component", s->probe[k].component));
  return all;
}

static json_t *sets(const pl_scene *s) {
  json_t *all = json_array();
  for (int k = 0; k < s->nset; k++)
    json_array_append_new(
        all, json_pack("{s:o, s:i}", "name", json_word(s->set[k].name), "nodes", s->set[k].n));
  return all;
}

static json_t *bodies(const pl_scene *s) {
  json_t *all = json_array();
  for (int k = 0; k < s->nbody; k++)
    json_array_append_new(all, json_pack("{s:o, s:s, s:i}", "name", json_word(s->body[k].name),
                                         "kind", s->body[k].kind, "nodes", s->body[k].n));
  return all;
}

static json_t *cells(const pl_scene *s) {
  json_t *all = json_object();
  for (int t = 0; t < PL_CELL_COUNT; t++)
    if (s->mesh->cell[t].n)
      json_object_set_new(all, cell_word[t], json_integer(s->mesh->cell[t].n));
  return all;
}

static char *describe(const pl_scene *s) {
  pl_scene_counts c;
  pl_scene_count(s, &c);
  json_t *elements = json_object();
  for (int k = 0; k < PL_ELEM_COUNT; k++)
    if (c.elements[k])
      json_object_set_new(elements, pl_elem_table[k]->name, json_integer(c.elements[k]));
  json_t *all = json_pack(
      "{s:o, s:o, s:i, s:i, s:i, s:i, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "title",
      json_word(s->title), "path", json_word(s->path), "dimension", s->dim, "nodes", c.nodes,
      "unknowns", c.dofs, "free_unknowns", c.free_dofs, "mass_kg", c.mass, "elements", elements,
      "cells", cells(s), "parameters", parameters(s), "analyses", analyses(s), "named_nodes",
      nodes(s), "sets", sets(s), "bodies", bodies(s), "watch", places(s));
  char *text = all ? json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(all);
  return text;
}

int pl_facade_describe(int64_t scene, const char **json) {
  object *o;
  *json = "";
  int st = handle_take(scene, OBJECT_SCENE, 1, &o);
  if (st != PL_FACADE_OK) return st;
  scene_object *s = (scene_object *)o;
  if (!s->json) s->json = describe(s->scene);
  if (s->json)
    *json = s->json;
  else
    st = fail(PL_FACADE_NOMEM, NULL, "out of memory");
  handle_give(scene);
  return st;
}

// made once, kept with the scene
static int text_of(int64_t scene, int yaml, const char **out) {
  object *o;
  *out = "";
  int st = handle_take(scene, OBJECT_SCENE, 1, &o);
  if (st != PL_FACADE_OK) return st;
  scene_object *s = (scene_object *)o;
  pl_text *t = yaml ? &s->yaml : &s->report;
  if (!t->s) (yaml ? pl_scene_write : pl_scene_describe)(s->scene, t);
  if (t->failed) {
    pl_text_free(t);
    pl_text_init(t, &s->env);
    st = fail(PL_FACADE_NOMEM, NULL, "out of memory");
  } else if (t->s) {
    *out = t->s;
  }
  handle_give(scene);
  return st;
}

int pl_facade_report(int64_t scene, const char **text) {
  return text_of(scene, 0, text);
}

int pl_facade_yaml(int64_t scene, const char **yaml) {
  return text_of(scene, 1, yaml);
}

// ---- arrays -------------------------------------------------------------------------------------

// what comes after a prefix of name, NULL: it begins otherwise
static const char *after(const char *name, const char *prefix) {
  size_t n = strlen(prefix);
  return strncmp(name, prefix, n) == 0 ? name + n : NULL;
}

static int find_array(const pl_scene *s, const char *name, pl_facade_array *out) {
  const char *word;
  int64_t n;
  if (strcmp(name, "points") == 0) {
    *out = dense("points", "m", PL_FACADE_F64, s->mesh->X, 2, (int64_t[]){s->mesh->nvert, 3});
    return 1;
  }
  for (int t = 0; t < PL_CELL_COUNT; t++)
    if (strcmp(name, cell_word[t]) == 0) {
      *out = dense(cell_word[t], "", PL_FACADE_I32, s->mesh->cell[t].v, 2,
                   (int64_t[]){s->mesh->cell[t].n, pl_cell_nvert[t]});
      return 1;
    }
  if ((word = after(name, "set:")))
    for (int k = 0; k < s->nset; k++)
      if (strcmp(s->set[k].name, word) == 0) {
        n = s->set[k].n;
        *out = dense(s->set[k].name, "", PL_FACADE_I32, s->set[k].node, 1, &n);
        return 1;
      }
  if ((word = after(name, "body:")))
    for (int k = 0; k < s->nbody; k++)
      if (strcmp(s->body[k].name, word) == 0) {
        n = s->body[k].n;
        *out = dense(s->body[k].name, "", PL_FACADE_I32, s->body[k].node, 1, &n);
        return 1;
      }
  return 0;
}

int pl_facade_scene_array(int64_t scene, const char *name, pl_facade_array *out) {
  object *o;
  *out = (pl_facade_array){.name = "", .unit = ""};
  int st = handle_take(scene, OBJECT_SCENE, 0, &o);
  if (st != PL_FACADE_OK) return st;
  int found = name && find_array(((scene_object *)o)->scene, name, out);
  handle_give(scene);
  if (found) return PL_FACADE_OK;
  return fail(PL_FACADE_ARG, "points, tri3 and others, set:NAME, body:NAME",
              "the scene has no array '%.60s'", name ? name : "");
}
