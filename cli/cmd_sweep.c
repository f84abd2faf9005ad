// Many runs of a scene: sweeps over values, and random values.
#include "cli.h"
#include "pliant/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong(const cli_args *a, const char *option, const char *want, const char *got) {
  fprintf(stderr, "pliant: error: --%s must be %s, got '%s'\n  hint: pliant %s --help\n", option,
          want, got, a->command->name);
  return 0;
}

static int read_whole(const cli_args *a, const char *name, double most, double *out) {
  const char *text = cli_value(a, name);
  *out = 0;
  if (!text) return 1;
  size_t n = pl_number_scan(text, strlen(text), out);
  if (n > 0 && !text[n] && *out >= 0 && *out <= most && *out == floor(*out)) return 1;
  return wrong(a, name, "a whole number", text);
}

static int read_seconds(const cli_args *a, double *out) {
  const char *text = cli_value(a, "limit");
  *out = 0;
  if (!text) return 1;
  size_t n = pl_number_scan(text, strlen(text), out);
  if (n > 0 && !text[n] && *out > 0 && *out <= 1e9) return 1;
  return wrong(a, "limit", "seconds", text);
}

static int read_design(const cli_args *a, int uncertain, pl_study_design *out) {
  static const char *const names[] = {"factorial", "latin", "sobol", "random"};
  const char *text = cli_value(a, "design");
  *out = uncertain ? PL_STUDY_RANDOM : PL_STUDY_FACTORIAL;
  if (!text) return 1;
  for (int k = uncertain ? 1 : 0; k < 4; k++)
    if (strcmp(names[k], text) == 0) {
      *out = (pl_study_design)k;
      return 1;
    }
  return wrong(a, "design",
               uncertain ? "random, latin or sobol" : "factorial, latin, sobol or random", text);
}

static int read_opts(const cli_args *a, pl_study_opts *o) {
  double cases, seed, jobs;
  o->only = cli_value(a, "only");
  o->table = cli_value(a, "table");
  o->root = cli_value(a, "root");
  o->resume = cli_value(a, "resume") != NULL;
  o->keep = cli_value(a, "keep") != NULL;
  o->threads = cli_threads(a);
  if (o->threads < 0 || !read_whole(a, "cases", 1e6, &cases) ||
      !read_whole(a, "seed", 9007199254740991.0, &seed) || !read_whole(a, "jobs", 4096, &jobs) ||
      !read_seconds(a, &o->limit) || !read_design(a, o->uncertain, &o->design))
    return 0;
  o->cases = (int)cases;
  o->seed = (unsigned long long)seed;
  o->jobs = (int)jobs;
  return 1;
}

static void report_end(const pl_study_result *r, pl_status status) {
  if (r->ndone > 0)
    fprintf(stderr, "pliant: %d of %d cases in %.3g s, %.3g s of processor time\n", r->ndone,
            r->ncase, r->seconds, r->cpu_seconds);
  if (status == PL_CANCELLED) fprintf(stderr, "pliant: interrupted; --resume goes on with it\n");
  if (r->nfailed)
    fprintf(stderr, "pliant: %d %s failed; the table tells why\n", r->nfailed,
            pl_plural(r->nfailed, "case", "cases"));
}

static int run_study(const cli_args *a, pl_study_opts *o, const char *input) {
  const char *inputs[CLI_VALUES], *set[CLI_VALUES], *figure[CLI_VALUES], *curve[CLI_VALUES];
  int quiet = cli_value(a, "quiet") != NULL;
  char folder[PL_TEXT], file[PL_TEXT];
  const char *path = cli_scene(a->pos[0], file);
  o->ninput = cli_values(a, input, inputs);
  o->nset = cli_values(a, "set", set);
  o->nfigure = cli_values(a, "figure", figure);
  o->ncurve = cli_values(a, "curve", curve);
  o->input = inputs;
  o->set = set;
  o->figure = figure;
  o->curve = curve;
  o->summary = cli_value(a, "json") ? cli_summary : NULL;
  if (!read_opts(a, o)) return CODE_USAGE;
  cli_folder(path, a->command->name, folder);
  o->folder = cli_value(a, "output") ? cli_value(a, "output") : folder;
  screen_attach(a->env, quiet);
  pl_scene *scene = NULL;
  pl_study_result result;
  pl_status s = cli_load(a, path, o->nset, set, NULL, &scene);
  if (s != PL_OK) return cli_exit_code(s);
  s = pl_study_run(a->env, scene, o, &result);
  screen_clear();
  if (!quiet) report_end(&result, s);
  if (!o->summary && result.report[0]) puts(result.report);
  pl_scene_free(scene);
  return cli_exit_code(s);
}

int cmd_sweep(const cli_args *a) {
  pl_study_opts o = {0};
  return run_study(a, &o, "vary");
}

int cmd_uncertainty(const cli_args *a) {
  pl_study_opts o = {.uncertain = 1, .indices = cli_value(a, "sobol") != NULL};
  return run_study(a, &o, "given");
}
