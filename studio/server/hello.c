// What a page is told first.
#include "operations.h"
#include "pliant/scene.h"
#include "pliant/validate.h"
#include "pliant/version.h"

static json_t *starters(void) {
  json_t *out = json_array();
  for (int k = 0; k < pl_scene_starter_count; k++)
    json_array_append_new(
        out, json_pack("[s, s]", pl_scene_starters[k].name, pl_scene_starters[k].text));
  return out;
}

static json_t *analyses(void) {
  json_t *out = json_array();
  for (int k = 0; k < PL_ANALYSIS_COUNT; k++)
    json_array_append_new(
        out, json_pack("[s, s]", pl_analysis_table[k].name, pl_analysis_table[k].text));
  return out;
}

static json_t *protocols(void) {
  json_t *out = json_array();
  for (int k = 0; k < pl_protocol_count; k++) {
    const pl_protocol *p = pl_protocol_table[k];
    json_t *models = json_array();
    for (int i = 0; i < p->nmodel; i++)
      json_array_append_new(models, json_string(p->model[i].name));
    json_array_append_new(
        out, json_pack("{s:s, s:s, s:o}", "name", p->name, "text", p->text, "models", models));
  }
  return out;
}

// the token was looked at when the page's first message came
json_t *op_hello(studio *s, const json_t *args, failure *f) {
  (void)args, (void)f;
  return json_pack("{s:s, s:s, s:s?, s:s?, s:i, s:i, s:s, s:o, s:o, s:o}", "version", pl_version(),
                   "folder", s->folder, "scene", s->scene, "results", s->results, "threads",
                   s->threads, "processors", s->processors, "nonce", s->nonce, "starters",
                   starters(), "analyses", analyses(), "protocols", protocols());
}
