#include "cli.h"
#include "pliant/scene.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *vector(int n, const double *v, double factor) {
  json_t *out = json_array();
  for (int c = 0; c < n; c++) json_array_append_new(out, json_real(factor * v[c]));
  return out;
}

static json_t *materials(const pl_scene *s) {
  json_t *out = json_object();
  for (int k = 0; k < s->nmaterial; k++) {
    const pl_scene_material *m = &s->material[k];
    json_object_set_new(out, m->name,
                        json_pack("{s:f, s:f, s:f, s:s}", "young_Pa", m->young, "poisson",
                                  m->poisson, "density_kg_m3", m->density, "law", m->law));
  }
  return out;
}

static json_t *bodies(const pl_scene *s) {
  json_t *out = json_object();
  for (int k = 0; k < s->nbody; k++) {
    const pl_scene_body *b = &s->body[k];
    json_t *groups = json_object();
    for (int i = 0; i < b->ngroup; i++)
      json_object_set_new(groups, b->group[i].name, json_integer(b->group[i].n));
    json_t *own = json_pack("{s:s, s:i, s:i, s:o}", "kind", b->kind, "nodes", b->n, "pieces",
                            b->npiece, "groups", groups);
    if (b->voxels)
      json_object_set_new(own, "voxels",
                          json_pack("{s:i, s:o, s:f, s:f, s:i}", "count", b->voxels->nvoxel,
                                    "edge_m", vector(3, b->voxels->edge, 1), "volume_m3",
                                    b->voxels->volume, "part_volume_m3", b->voxels->exact, "joined",
                                    b->voxels->njoined));
    json_object_set_new(out, b->name, own);
  }
  return out;
}

static json_t *sets(const pl_scene *s) {
  json_t *out = json_object();
  for (int k = 0; k < s->nset; k++)
    json_object_set_new(out, s->set[k].name, json_integer(s->set[k].n));
  return out;
}

// drives with terms, or the supports: those without
static json_t *drives(const pl_scene *s, int moving) {
  json_t *out = json_array();
  for (int k = 0; k < s->ndrive; k++) {
    const pl_drive_desc *d = &s->drive[k];
    char axes[4] = "";
    int nnode, ndof = pl_drive_size(s, d, &nnode), n = 0, rotates = d->kind == PL_DRIVE_ROTATION;
    if ((d->nterm > 0) != moving) continue;
    for (int c = 0; c < s->dim; c++)
      if (d->mask >> c & 1) axes[n++] = "xyz"[c];
    axes[n] = 0;
    json_t *terms = json_array(), *one;
    for (int i = 0; i < d->nterm; i++)
      json_array_append_new(terms, json_pack("{s:i, s:o, s:f}", "harmonic", d->term[i].harmonic,
                                             rotates ? "angle_rad" : "translation_m",
                                             vector(rotates ? 1 : s->dim, d->term[i].amplitude, 1),
                                             "phase_rad", d->term[i].phase));
    one = json_pack("{s:s?, s:i, s:s, s:i}", "name", d->name, "nodes", nnode, "components", axes,
                    "unknowns", ndof);
    if (moving)
      json_object_set_new(one, "terms", terms);
    else
      json_decref(terms);
    json_array_append_new(out, one);
  }
  return out;
}

static json_t *loads(const pl_scene *s) {
  json_t *out = json_array();
  for (int k = 0; k < s->nload; k++) {
    const pl_load_desc *d = &s->load[k];
    json_array_append_new(out, json_pack("{s:s?, s:i, s:o, s:i, s:f}", "name", d->name, "nodes",
                                         d->nnode, "total_N",
                                         vector(s->dim, d->term.amplitude, d->nnode), "harmonic",
                                         d->term.harmonic, "phase_rad", d->term.phase));
  }
  return out;
}

// bounds that are none are left out
static json_t *parameters(const pl_scene *s) {
  json_t *out = json_object();
  for (int k = 0; k < pl_model_ndesign(s->model); k++) {
    const pl_design_desc *d = pl_model_design(s->model, k);
    json_t *one = json_pack("{s:f, s:s}", "value", d->value, "unit", d->unit);
    if (isfinite(d->min)) json_object_set_new(one, "min", json_real(d->min));
    if (isfinite(d->max)) json_object_set_new(one, "max", json_real(d->max));
    json_object_set_new(out, d->name, one);
  }
  return out;
}

static void print_json(const pl_scene *s) {
  pl_scene_counts c;
  char path[PL_TEXT];
  pl_scene_count(s, &c);
  json_t *elements = json_object(), *analyses = json_array();
  for (int k = 0; k < PL_ELEM_COUNT; k++)
    if (c.elements[k])
      json_object_set_new(elements, pl_elem_table[k]->name, json_integer(c.elements[k]));
  for (int k = 0; k < s->nanalysis; k++)
    json_array_append_new(analyses, json_pack("{s:s, s:s}", "name", s->analysis[k].name, "kind",
                                              pl_analysis_table[s->analysis[k].kind].name));
  json_t *all = json_pack(
      "{s:s, s:i, s:i, s:i, s:i, s:o, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
      "scene", pl_printable(s->path, path, sizeof path), "dimension", s->dim, "nodes", c.nodes,
      "unknowns", c.dofs, "free_unknowns", c.free_dofs, "elements", elements, "mass_kg", c.mass,
      "point_mass_kg", c.point_mass, "materials", materials(s), "bodies", bodies(s), "sets",
      sets(s), "fixed", drives(s, 0), "drives", drives(s, 1), "loads", loads(s), "gravity_m_s2",
      vector(s->dim, s->gravity, 1), "parameters", parameters(s), "analyses", analyses);
  char *text = json_dumps(all, JSON_INDENT(2));
  if (text) puts(text);
  free(text);
  json_decref(all);
}

// titles and names come from files
static void print_text(pl_env *env, const char *text) {
  size_t size = text ? 2 * strlen(text) + 8 : 0;
  char *clean = text ? pl_alloc(env, size, 1) : NULL;
  if (clean) fputs(pl_printable(text, clean, size), stdout);
  pl_free(env, clean);
}

int cmd_check(const cli_args *a) {
  const char *set[CLI_VALUES];
  int nset = cli_values(a, "set", set);
  screen_attach(a->env, cli_value(a, "quiet") != NULL);
  pl_scene *scene = NULL;
  char file[PL_TEXT];
  pl_status s = cli_load(a, cli_scene(a->pos[0], file), nset, set, NULL, &scene);
  if (s != PL_OK) return cli_exit_code(s);
  if (cli_value(a, "json")) {
    print_json(scene);
  } else if (!cli_value(a, "quiet")) {
    pl_text t;
    pl_text_init(&t, a->env);
    pl_scene_describe(scene, &t);
    print_text(a->env, t.s);
    pl_text_free(&t);
  }
  pl_scene_free(scene);
  return CODE_DONE;
}
