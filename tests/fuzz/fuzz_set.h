#ifndef TESTS_FUZZ_SET_H
#define TESTS_FUZZ_SET_H

#include "pliant/scene.h"

#include <stdlib.h>
#include <string.h>

// Overrides: every line of the input is one. Whatever loads can be written and loads again.
static inline void fuzz_set(pl_env *env, const char *data, size_t size) {
  static const char scene[] = "pliant: 1\n"
                              "dimension: 2\n"
                              "units: {length: mm}\n"
                              "parameters: {k: {value: 70 N/m, min: 1 N/m}}\n"
                              "nodes: {p: [0, 0], q: [10, 0]}\n"
                              "masses: [{node: q, mass: 1 g, name: bob}]\n"
                              "springs: [{nodes: [p, q], stiffness: $k}]\n"
                              "fixed: p\n"
                              "loads: [{node: q, force: [0, 1 N]}]\n"
                              "watch: {tip: q}\n"
                              "analyses: [{static: {}}, {modes: {count: 2, name: shapes}}]\n";
  enum { MOST = 16 };
  const pl_scene_limits limits = {.yaml_nodes = 2000, .nodes = 500, .no_files = 1};
  const char *set[MOST];
  int n = 0;
  char *text = malloc(size + 1), *rest = text;
  if (!text) return;
  memcpy(text, data, size);
  text[size] = 0;
  for (char *line; n < MOST && (line = strsep(&rest, "\n"));) set[n++] = line;
  pl_scene *s, *again;
  pl_status st = pl_scene_parse(env, "fuzz", ".", scene, sizeof scene - 1, n, set, &limits, &s);
  if (st != PL_OK && st != PL_E_INPUT && st != PL_E_NOMEM) abort();
  if (st == PL_OK) {
    pl_text t;
    pl_text_init(&t, env);
    pl_scene_write(s, &t);
    if (!t.failed && pl_scene_parse(env, "again", ".", t.s, t.n, 0, NULL, &limits, &again) != PL_OK)
      abort();
    pl_scene_free(again);
    pl_text_free(&t);
  }
  pl_scene_free(s);
  free(text);
}

#endif
