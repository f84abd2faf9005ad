#include "cli.h"
#include "pliant/job.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 40 }; // parameters in the table

// ---- the table --------------------------------------------------------------------------------

static double real(const json_t *o, const char *key) {
  return json_number_value(json_object_get(o, key));
}

static void print_derivatives(const json_t *f) {
  const json_t *vars = json_object_get(f, "variables"), *nodes = json_object_get(f, "amplitude");
  const char *name, *node;
  json_t *v, *n;
  int row = 0;
  printf("%-20s %13s %13s", "parameter", "value", "new");
  json_object_foreach((json_t *)nodes, node, n) printf("  d(%s)", node);
  printf("   mm per unit\n");
  json_object_foreach((json_t *)vars, name, v) {
    if (++row > SHOWN) continue;
    printf("%-20s %13.6g %13.6g", name, real(v, "before"), real(v, "after"));
    json_object_foreach((json_t *)nodes, node, n) {
      printf("  %*.5g", (int)strlen(node) + 3,
             1e3 * real(json_object_get(n, "by_parameter_m"), name));
    }
    const char *unit = json_string_value(json_object_get(v, "unit"));
    printf(strpbrk(unit, "./") ? "   mm/(%s)\n" : *unit ? "   mm/%s\n" : "   mm\n", unit);
  }
  if (row > SHOWN) printf("  ... and %d more, in explore-sensitivity.csv\n", row - SHOWN);
}

static void print_amplitudes(const json_t *f) {
  const json_t *nodes = json_object_get(f, "amplitude");
  const char *node;
  json_t *n;
  int displaced = json_is_true(json_object_get(f, "moved"));
  printf("\n%-20s %13s", "amplitude (mm)", "before");
  if (displaced) printf(" %13s %13s", "predicted", "solved");
  printf("\n");
  json_object_foreach((json_t *)nodes, node, n) {
    printf("%-20s %13.6g", node, 1e3 * real(n, "before_m"));
    if (displaced) printf(" %13.6g", 1e3 * real(n, "predicted_m"));
    if (displaced && json_object_get(n, "solved_m")) printf(" %13.6g", 1e3 * real(n, "solved_m"));
    if (displaced && !json_object_get(n, "solved_m")) printf(" %13s", "not found");
    printf("\n");
  }
  if (!displaced) return;
  const char *off = json_object_get(f, "prediction_error") ? "prediction_error" : "trust";
  int trusted = json_is_true(json_object_get(f, "trusted"));
  if (json_object_get(f, off))
    printf("\nthe predicted motion is %s%.2g %% of its size off: ",
           strcmp(off, "trust") == 0 ? "about " : "", 100 * real(f, off));
  printf("%s\n", trusted ? "it can be trusted" : "the change is too large for it");
}

static void print_table(void *ctx, const pl_analysis *a, const json_t *f) {
  (void)ctx;
  (void)a;
  screen_clear();
  if (!json_object_get(f, "amplitude")) return;
  printf("frequency %.6g Hz, %d %s\n\n", real(f, "frequency_Hz"), (int)real(f, "harmonics"),
         pl_plural((int)real(f, "harmonics"), "harmonic", "harmonics"));
  print_derivatives(f);
  print_amplitudes(f);
}

// ---- the command ------------------------------------------------------------------------------

int cmd_explore(const cli_args *a) {
  const char *set[CLI_VALUES], *along[CLI_VALUES], *json = cli_value(a, "json");
  char folder[PL_TEXT], file[PL_TEXT];
  const char *path = cli_scene(a->pos[0], file);
  cli_folder(path, "explore", folder);
  pl_exploration e = {.frequency = cli_value(a, "frequency"),
                      .harmonics = cli_value(a, "harmonics"),
                      .nset = cli_values(a, "set", set),
                      .set = set,
                      .nalong = cli_values(a, "along", along),
                      .along = along};
  pl_sink sink = {.figures = json ? NULL : print_table, .summary = json ? cli_summary : NULL};
  pl_job_opts opts = {.folder = cli_value(a, "output"), .sink = &sink, .nset = e.nset, .set = set};
  if (!opts.folder) opts.folder = folder;
  opts.threads = cli_threads(a);
  if (opts.threads < 0) return CODE_USAGE;
  screen_attach(a->env, cli_value(a, "quiet") != NULL);
  pl_scene *scene = NULL;
  pl_status s = cli_load(a, path, e.nset, set, &e, &scene);
  if (s != PL_OK) return cli_exit_code(s);
  pl_job_result result;
  s = pl_job_run(a->env, scene, &opts, &result);
  screen_clear();
  if (result.report[0] && !json) printf("\n%s\n", result.report);
  pl_scene_free(scene);
  return cli_exit_code(s);
}
