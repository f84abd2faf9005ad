#include "cli.h"
#include "pliant/scene.h"

#include <stdio.h>

int cmd_schema(const cli_args *a) {
  pl_text t;
  pl_text_init(&t, a->env);
  pl_scene_schema(&t);
  int failed = t.failed || !t.s;
  if (!failed) fputs(t.s, stdout);
  pl_text_free(&t);
  return failed ? CODE_INTERNAL : CODE_DONE;
}
