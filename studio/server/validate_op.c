// Validation as a job: scores, plots and points as items, files as `pliant validate` writes them.
#include "runs.h"

#include "pliant/validate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct question {
  char protocol[64], model[64]; // model "": all
  int quick;
} question;

static void tell_figures(job *r, const pl_validation *v, pl_env *env) {
  pl_text t;
  pl_text_init(&t, env);
  json_t *all = pl_validation_json(v, &t) == PL_OK ? json_loadb(t.s, t.n, 0, NULL) : NULL;
  pl_text_free(&t);
  if (!all) return;
  json_t *item = json_object();
  part_set(item, "kind", json_string("figures"));
  part_set(item, "analysis", json_string("validation"));
  part_set(item, "figures", all);
  run_item(r, item);
}

static pl_status run_validation(studio *s, job *r, pl_env *env, void *ctx) {
  const question *q = ctx;
  char folder[PL_TEXT] = "", path[3 * PL_TEXT];
  if (!journal_again(s)) snprintf(folder, sizeof folder, "%s.validation", q->protocol);
  snprintf(path, sizeof path, "%s/%s", s->folder, folder);
  runs_lock(s);
  snprintf(r->folder, sizeof r->folder, "%s", folder);
  runs_unlock(s);
  const pl_validate_opts o = {.protocol = q->protocol,
                              .model = q->model[0] ? q->model : NULL,
                              .quick = q->quick,
                              .nu = NAN,
                              .threads = s->threads,
                              .folder = folder[0] ? path : NULL};
  pl_validation *v;
  watcher w = {.r = r};
  pl_status status = pl_validate(env, &o, &v);
  if (!v) return status;
  const pl_sink sink = run_sink(&w);
  pl_status told = pl_validation_tell(v, &sink);
  tell_figures(r, v, env);
  pl_validation_free(v);
  return told < 0 ? told : status;
}

json_t *op_validate(studio *s, const json_t *args, failure *f) {
  const char *protocol = arg_text(args, "protocol"), *model = arg_text(args, "model");
  const pl_protocol *p = protocol ? pl_protocol_find(protocol) : NULL;
  int all = protocol && strcmp(protocol, "all") == 0;
  if (!p && !all)
    return refuse(f, "not-found", "hello tells which there are", "there is no such protocol");
  if (model && (all || !pl_protocol_find_model(p, model)))
    return refuse(f, "not-found", "hello tells which there are", "there is no such model");
  question *q = calloc(1, sizeof *q);
  char label[PL_TEXT];
  if (!q) return refuse(f, "internal", "", "out of memory");
  q->quick = json_is_true(json_object_get(args, "quick"));
  snprintf(q->protocol, sizeof q->protocol, "%s", protocol);
  snprintf(q->model, sizeof q->model, "%s", model ? model : "");
  snprintf(label, sizeof label, "%s%s%s", q->protocol, q->model[0] ? ": " : "", q->model);
  int number = runs_add_asked(s, "validate", args, "validate", label, run_validation, q, free);
  if (!number) return refuse(f, "internal", "", "out of memory");
  return json_pack("{s:i}", "run", number);
}
