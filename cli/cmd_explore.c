#include "cli.h"
#include "pliant/job.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The exploration is an analysis `explore` that is put in the place of the scene's analyses.

enum { SHOWN = 40 }; // parameters in the table

// ---- the statement ----------------------------------------------------------------------------

typedef struct root_key {
  const char *word;
  size_t n;
  int found;
} root_key;

static void compare_root(void *ctx, const char *path, const char *text) {
  root_key *k = ctx;
  (void)text;
  size_t n = strcspn(path, ".[");
  if (n == k->n && strncmp(path, k->word, n) == 0) k->found = 1;
}

// a path into the scene such as `materials.pla.young`, not the name of a parameter
static int is_path(const char *assignment) {
  root_key k = {.word = assignment, .n = strcspn(assignment, ".=")};
  if (assignment[k.n] != '.') return 0;
  pl_scene_paths(compare_root, &k);
  return k.found;
}

// frequency (rad/s) and harmonics of the analysis that serves as the example
static void find_defaults(const pl_scene *s, double *omega, int *harmonics) {
  static const int order[] = {PL_ANALYSIS_explore, PL_ANALYSIS_design, PL_ANALYSIS_periodic};
  *omega = 0;
  *harmonics = 0;
  for (size_t i = 0; i < sizeof order / sizeof order[0] && !(*omega > 0); i++)
    for (int k = 0; k < s->nanalysis && !(*omega > 0); k++) {
      const pl_analysis *a = &s->analysis[k];
      if (a->kind != order[i]) continue;
      if (a->kind == PL_ANALYSIS_periodic) {
        *omega = a->opts.periodic_.frequency;
        *harmonics = a->opts.periodic_.harmonics;
      } else {
        *omega = a->plan->problem.point[0].omega;
        *harmonics =
            a->kind == PL_ANALYSIS_design ? a->opts.design_.harmonics : a->opts.explore_.harmonics;
      }
    }
}

// `amplitude:tip=0.5`
static int add_along(pl_text *t, const char *text, int first) {
  const char *equal = strrchr(text, '=');
  if (strncmp(text, "amplitude:", 10) != 0 || !equal || equal == text + 10 || !equal[1]) {
    fprintf(stderr,
            "pliant: error: --along '%s' is not understood\n  hint: e.g. --along "
            "amplitude:tip=0.5\n",
            text);
    return 0;
  }
  pl_text_add(t, "%s{amplitude: '%.*s', change: '%s'}", first ? "" : ", ", (int)(equal - text - 10),
              text + 10, equal + 1);
  return 1;
}

// `m1=2g`
static int add_set(pl_text *t, const char *text, int first) {
  const char *equal = strchr(text, '=');
  if (!equal || equal == text || !equal[1]) {
    fprintf(stderr, "pliant: error: --set '%s' is not understood\n  hint: e.g. --set m1=2g\n",
            text);
    return 0;
  }
  pl_text_add(t, "%s%.*s: '%s'", first ? "" : ", ", (int)(equal - text), text, equal + 1);
  return 1;
}

// analyses=[{explore: ...}]; returns 0 on wrong use
static int state(const cli_args *a, const pl_scene *s, int nset, const char *const *set,
                 pl_text *t) {
  const char *along[CLI_VALUES], *frequency = cli_value(a, "frequency");
  const char *wanted = cli_value(a, "harmonics");
  int nalong = cli_values(a, "along", along), harmonics, first = 1;
  double omega;
  find_defaults(s, &omega, &harmonics);
  if (!frequency && !(omega > 0)) {
    fprintf(stderr, "pliant: error: nothing says the frequency\n  hint: --frequency 2Hz, or an "
                    "analysis explore, design or periodic in the scene\n");
    return 0;
  }
  pl_text_add(t, "analyses=[{explore: {frequency: ");
  if (frequency)
    pl_text_add(t, "'%s'", frequency);
  else
    pl_text_add(t, "%.17g rad/s", omega);
  if (wanted)
    pl_text_add(t, ", harmonics: '%s'", wanted);
  else
    pl_text_add(t, ", harmonics: %d", harmonics);
  pl_text_add(t, ", set: {");
  for (int k = 0; k < nset; k++) {
    if (is_path(set[k])) continue;
    if (!add_set(t, set[k], first)) return 0;
    first = 0;
  }
  pl_text_add(t, "}, along: [");
  for (int k = 0; k < nalong; k++)
    if (!add_along(t, along[k], k == 0)) return 0;
  pl_text_add(t, "]}}]");
  return 1;
}

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
  int moved = json_is_true(json_object_get(f, "moved"));
  printf("\n%-20s %13s", "amplitude (mm)", "before");
  if (moved) printf(" %13s %13s", "predicted", "solved");
  printf("\n");
  json_object_foreach((json_t *)nodes, node, n) {
    printf("%-20s %13.6g", node, 1e3 * real(n, "before_m"));
    if (moved) printf(" %13.6g", 1e3 * real(n, "predicted_m"));
    if (moved && json_object_get(n, "solved_m")) printf(" %13.6g", 1e3 * real(n, "solved_m"));
    if (moved && !json_object_get(n, "solved_m")) printf(" %13s", "not found");
    printf("\n");
  }
  if (!moved) return;
  const char *off = json_object_get(f, "prediction_error") ? "prediction_error" : "trust";
  int trusted = json_is_true(json_object_get(f, "trusted"));
  if (json_object_get(f, off))
    printf("\nthe predicted motion is %s%.2g %% of its size off: ",
           strcmp(off, "trust") == 0 ? "about " : "", 100 * real(f, off));
  printf("%s\n", trusted ? "it can be trusted" : "the change is too large for it");
}

static void print_table(const char *summary) {
  json_t *all = json_loads(summary, 0, NULL);
  const json_t *f = json_array_get(json_object_get(all, "analyses"), 0);
  if (json_object_get(f, "amplitude")) {
    printf("frequency %.6g Hz, %d %s\n\n", real(f, "frequency_Hz"), (int)real(f, "harmonics"),
           pl_plural((int)real(f, "harmonics"), "harmonic", "harmonics"));
    print_derivatives(f);
    print_amplitudes(f);
  }
  json_decref(all);
}

// ---- the command ------------------------------------------------------------------------------

static pl_status load(const cli_args *a, const char *path, int nset, const char **set,
                      pl_scene **out, int *usage) {
  const char *keep[CLI_VALUES + 1];
  pl_scene *plain = NULL;
  pl_text t;
  int n = 0;
  *usage = 0;
  for (int k = 0; k < nset; k++)
    if (is_path(set[k])) keep[n++] = set[k];
  PL_TRY(cli_load(a, path, n, keep, &plain));
  pl_text_init(&t, a->env);
  *usage = !state(a, plain, nset, set, &t);
  pl_scene_free(plain);
  pl_status s = t.failed ? PL_E_NOMEM : PL_OK;
  keep[n++] = t.s;
  if (s == PL_OK && !*usage) s = cli_load(a, path, n, keep, out);
  pl_text_free(&t);
  return s;
}

int cmd_explore(const cli_args *a) {
  const char *set[CLI_VALUES];
  int nset = cli_values(a, "set", set), usage;
  char folder[PL_TEXT], file[PL_TEXT];
  const char *path = cli_scene(a->pos[0], file);
  cli_folder(path, "explore", folder);
  pl_job_opts opts = {.folder = cli_value(a, "output"), .nset = nset, .set = set};
  if (!opts.folder) opts.folder = folder;
  opts.threads = cli_threads(a);
  if (opts.threads < 0) return CODE_USAGE;
  screen_attach(a->env, cli_value(a, "quiet") != NULL);
  pl_scene *scene = NULL;
  pl_status s = load(a, path, nset, set, &scene, &usage);
  if (usage) return CODE_USAGE;
  if (s != PL_OK) return cli_exit_code(s);
  pl_job_result result;
  s = pl_job_run(a->env, scene, &opts, &result);
  screen_clear();
  char *text;
  if (result.summary[0] && pl_job_summary(a->env, &result, &text) == PL_OK) {
    if (cli_value(a, "json"))
      puts(text);
    else
      print_table(text);
    pl_free(a->env, text);
  }
  if (result.report[0] && !cli_value(a, "json")) printf("\n%s\n", result.report);
  pl_scene_free(scene);
  return cli_exit_code(s);
}
