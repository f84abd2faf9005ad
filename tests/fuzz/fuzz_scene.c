// Scenes: parse, check and build with small limits; then the scene as run must load again.
#include "pliant/scene.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

// libfyaml 0.7.12 loses a buffer when a quoted text is wrong
const char *__lsan_default_suppressions(void) {
  return "leak:libfyaml";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const pl_scene_limits limits = {.yaml_nodes = 2000, .nodes = 500, .no_files = 1};
  static const char *const set[] = {"analyses.modes.count=2", "title=x"};
  pl_env env;
  pl_scene *s, *again;
  pl_env_init(&env);
  if (size > 20000) return 0;

  // a copy of the exact size shows reads beyond its end
  char *copy = malloc(size + 1);
  if (!copy) return 0;
  memcpy(copy, data, size);
  char *text = realloc(copy, size ? size : 1);
  int nset = size % 3 == 0 ? 2 : 0;
  if (pl_scene_parse(&env, "fuzz", ".", text, size, nset, set, &limits, &s) == PL_OK) {
    pl_text t;
    pl_text_init(&t, &env);
    pl_scene_write(s, &t);
    pl_scene_describe(s, &t);
    pl_text_free(&t);
    pl_text_init(&t, &env);
    pl_scene_write(s, &t);
    if (pl_scene_parse(&env, "again", ".", t.s, t.n, 0, NULL, &limits, &again) != PL_OK) abort();
    pl_scene_free(again);
    pl_text_free(&t);
  }
  pl_scene_free(s);
  free(text);
  return 0;
}
