// A scene as the Model of a page.
#include "model.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- nodes with names ---------------------------------------------------------------------------

// nodes that the mesh does not have, as copies that clamps carry, are left out
static json_t *named(const making *m, const char *name, int n, const int *node) {
  int *shown = pl_alloc(m->env, (size_t)n, sizeof *shown), count = 0;
  if (!shown) return NULL;
  for (int i = 0; i < n; i++)
    if (node[i] < m->mesh->nvert) shown[count++] = node[i];
  json_t *out = json_object();
  part_set(out, "name", part_words(name));
  part_set(out, "n", json_integer(count));
  part_set(out, "nodes", data_keep(m->s, m->group, DATA_I32, shown, 1, (size_t[]){(size_t)count}));
  pl_free(m->env, shown);
  return out;
}

static json_t *bodies(const making *m) {
  json_t *all = json_array();
  for (int k = 0; k < m->scene->nbody; k++) {
    const pl_scene_body *b = &m->scene->body[k];
    json_t *one = named(m, b->name, b->n, b->node);
    part_set(one, "kind", part_words(b->kind));
    json_array_append_new(all, one);
  }
  return all;
}

static json_t *sets(const making *m) {
  json_t *all = json_array();
  for (int k = 0; k < m->scene->nset; k++) {
    const pl_node_set *s = &m->scene->set[k];
    json_array_append_new(all, named(m, s->name, s->n, s->node));
  }
  return all;
}

static json_t *text_of(const making *m, int index,
                       void (*describe)(const pl_scene *, int, pl_text *)) {
  pl_text t;
  pl_text_init(&t, m->env);
  describe(m->scene, index, &t);
  json_t *out = part_words(t.s ? t.s : "");
  pl_text_free(&t);
  return out;
}

// null: no direction
static json_t *direction(int dim, const double *v) {
  double size = 0, unit[3] = {0};
  for (int c = 0; c < dim; c++) size = hypot(size, v[c]);
  for (int c = 0; c < dim && size > 0; c++) unit[c] = v[c] / size;
  return size > 0 ? part_reals(3, unit) : json_null();
}

// those with terms, or the supports: those without
static json_t *drives(const making *m, int moving) {
  json_t *all = json_array();
  for (int k = 0; k < m->scene->ndrive; k++) {
    const pl_drive_desc *d = &m->scene->drive[k];
    if ((d->nterm > 0) != moving) continue;
    json_t *one = named(m, d->name ? d->name : moving ? "drive" : "fixed", d->nnode, d->node);
    part_set(one, "text", text_of(m, k, pl_scene_describe_drive));
    int turns = d->kind == PL_DRIVE_ROTATION;
    const double z[3] = {0, 0, 1};
    if (moving && turns)
      part_set(one, "axis", direction(3, m->scene->dim < 3 ? z : d->axis));
    else if (moving)
      part_set(one, "axis", direction(m->scene->dim, d->term[0].amplitude));
    if (moving) part_set(one, "centre", turns ? part_reals(3, d->centre) : json_null());
    json_array_append_new(all, one);
  }
  return all;
}

static json_t *loads(const making *m) {
  json_t *all = json_array();
  for (int k = 0; k < m->scene->nload; k++) {
    const pl_load_desc *d = &m->scene->load[k];
    if (m->scene->load_form[k].inertial) continue;
    json_t *one = named(m, d->name ? d->name : "load", d->nnode, d->node);
    part_set(one, "text", text_of(m, k, pl_scene_describe_load));
    part_set(one, "direction", direction(m->scene->dim, d->term.amplitude));
    json_array_append_new(all, one);
  }
  return all;
}

static json_t *watched(const making *m) {
  json_t *all = json_array();
  for (int k = 0; k < m->scene->nprobe; k++) {
    json_t *one = json_object();
    part_set(one, "name", part_words(m->scene->probe[k].name));
    part_set(one, "node", json_integer(m->scene->probe[k].node));
    json_array_append_new(all, one);
  }
  return all;
}

// ---- the rest -----------------------------------------------------------------------------------

static json_t *triangles(const making *m) {
  int n, *tri;
  if (pl_mesh_surface(m->mesh, &n, &tri, NULL) != PL_OK) return NULL;
  json_t *out = data_keep(m->s, m->group, DATA_I32, tri, 2, (size_t[]){(size_t)n, 3});
  pl_free(m->mesh->env, tri);
  return out;
}

// as reports choose it
static json_t *length_unit(const pl_scene *sc) {
  double lo[3], hi[3], d[3];
  json_t *out = json_object();
  pl_mesh_bounds(sc->mesh, lo, hi);
  pl_sub3(hi, lo, d);
  double size = pl_norm3(d);
  int micro = sc->length < 1e-5, milli = sc->length < 0.1 || (size > 0 && size < 5);
  part_set(out, "unit", json_string(micro ? "\xc2\xb5m" : milli ? "mm" : "m"));
  part_set(out, "si", json_real(micro ? 1e-6 : milli ? 1e-3 : 1));
  return out;
}

static json_t *analyses(const pl_scene *sc) {
  json_t *all = json_array();
  for (int k = 0; k < sc->nanalysis; k++) {
    const pl_analysis *a = &sc->analysis[k];
    json_t *one = json_object();
    part_set(one, "name", part_words(a->name));
    part_set(one, "kind", json_string(pl_analysis_table[a->kind].name));
    part_set(one, "line", json_integer(a->line));
    part_set(one, "text", part_words(pl_analysis_table[a->kind].text));
    json_array_append_new(all, one);
  }
  return all;
}

static json_t *description(const making *m) {
  pl_text t;
  pl_text_init(&t, m->env);
  pl_scene_describe(m->scene, &t);
  json_t *out = part_words(t.s ? t.s : "");
  pl_text_free(&t);
  return out;
}

json_t *part_model(studio *s, pl_env *env, const pl_scene *scene, int rev) {
  // what the mesh gives is of the host at hand
  pl_mesh mesh = *scene->mesh;
  mesh.env = env;
  making m = {.s = s, .env = env, .scene = scene, .mesh = &mesh};
  size_t nvert = (size_t)mesh.nvert;
  snprintf(m.group, sizeof m.group, "model/%d", rev);
  json_t *out = json_object();
  part_set(out, "rev", json_integer(rev));
  part_set(out, "title", part_words(scene->title));
  part_set(out, "dim", json_integer(scene->dim));
  part_set(out, "length", length_unit(scene));
  part_set(out, "nvert", json_integer(mesh.nvert));
  part_set(out, "x", data_keep_real(s, m.group, mesh.X, 2, (size_t[]){nvert, 3}));
  part_set(out, "triangles", triangles(&m));
  part_set(out, "segments", model_segments(&m));
  part_set(out, "edges", model_edges(&m));
  part_set(out, "points", model_points(&m));
  part_set(out, "bodies", bodies(&m));
  part_set(out, "sets", sets(&m));
  part_set(out, "supports", drives(&m, 0));
  part_set(out, "drives", drives(&m, 1));
  part_set(out, "loads", loads(&m));
  part_set(out, "springs", model_springs(&m));
  part_set(out, "obstacles", model_obstacles(&m));
  part_set(out, "solids", model_solids(&m));
  part_set(out, "materials", model_materials(&m));
  part_set(out, "cloth", model_cloth(&m));
  part_set(out, "watched", watched(&m));
  part_set(out, "gravity", part_reals(3, scene->gravity));
  part_set(out, "analyses", analyses(scene));
  part_set(out, "parameters", part_parameters(scene, scene->params));
  part_set(out, "describe", description(&m));
  return out;
}
