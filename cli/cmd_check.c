#include "cli.h"
#include "pliant/scene.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static void print_json(const pl_scene *s) {
  pl_scene_counts c;
  pl_scene_count(s, &c);
  json_t *elements = json_object(), *analyses = json_array(), *params = json_object();
  for (int k = 0; k < PL_ELEM_COUNT; k++)
    if (c.elements[k])
      json_object_set_new(elements, pl_elem_table[k]->name, json_integer(c.elements[k]));
  for (int k = 0; k < s->nanalysis; k++)
    json_array_append_new(analyses, json_pack("{s:s, s:s}", "name", s->analysis[k].name, "kind",
                                              pl_analysis_table[s->analysis[k].kind].name));
  for (int k = 0; k < pl_model_ndesign(s->model); k++) {
    const pl_design_desc *d = pl_model_design(s->model, k);
    json_object_set_new(params, d->name,
                        json_pack("{s:f, s:f, s:f, s:s}", "value", d->value, "min", d->min, "max",
                                  d->max, "unit", d->unit));
  }
  json_t *all = json_pack("{s:s, s:i, s:i, s:i, s:i, s:o, s:f, s:o, s:o}", "scene", s->path,
                          "dimension", s->dim, "nodes", c.nodes, "unknowns", c.dofs,
                          "free_unknowns", c.free_dofs, "elements", elements, "mass_kg", c.mass,
                          "parameters", params, "analyses", analyses);
  char *text = json_dumps(all, JSON_INDENT(2));
  if (text) puts(text);
  free(text);
  json_decref(all);
}

int cmd_check(const cli_args *a) {
  const char *set[CLI_VALUES];
  int nset = cli_values(a, "set", set);
  screen_attach(a->env, cli_value(a, "quiet") != NULL);
  pl_scene *scene = NULL;
  char file[PL_TEXT];
  pl_status s = pl_scene_load(a->env, cli_scene(a->pos[0], file), nset, set, &scene);
  if (s != PL_OK) return cli_exit_code(s);
  if (cli_value(a, "json")) {
    print_json(scene);
  } else if (!cli_value(a, "quiet")) {
    pl_text t;
    pl_text_init(&t, a->env);
    pl_scene_describe(scene, &t);
    if (t.s) fputs(t.s, stdout);
    pl_text_free(&t);
  }
  pl_scene_free(scene);
  return CODE_DONE;
}
