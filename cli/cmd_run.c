#include "cli.h"
#include "pliant/job.h"

#include <stdio.h>
#include <string.h>

static void report_end(const pl_scene *s, const pl_job_result *r, pl_status status) {
  if (r->nrun > 0)
    fprintf(stderr, "pliant: %.3g s on %d %s, %.3g s of processor time\n", r->seconds, r->threads,
            pl_plural(r->threads, "thread", "threads"), r->cpu_seconds);
  if (status == PL_CANCELLED)
    fprintf(stderr, "pliant: interrupted; --resume goes on with it\n");
  else if (status >= 0 && r->nunsolved)
    fprintf(stderr, "pliant: %d of %d %s did not converge\n", r->nunsolved, s->nanalysis,
            pl_plural(s->nanalysis, "analysis", "analyses"));
}

// 0: what was given is no time
static int read_checkpoint(const cli_args *a, pl_job_opts *o) {
  const char *word = cli_value(a, "checkpoint");
  if (!word) return 1;
  double every;
  size_t n = pl_number_scan(word, strlen(word), &every);
  if (n == 0 || word[n] || !(every >= 0 && every <= 1e9)) {
    fprintf(stderr, "pliant: error: --checkpoint takes seconds, not '%s'\n", word);
    return 0;
  }
  o->checkpoint = every > 0 ? every : -1;
  return 1;
}

int cmd_run(const cli_args *a) {
  const char *set[CLI_VALUES];
  int quiet = cli_value(a, "quiet") != NULL, nset = cli_values(a, "set", set);
  char folder[PL_TEXT], file[PL_TEXT];
  const char *path = cli_scene(a->pos[0], file);
  cli_folder(path, "results", folder);
  pl_sink sink = {.summary = cli_value(a, "json") ? cli_summary : NULL};
  pl_job_opts opts = {.folder = cli_value(a, "output"),
                      .only = cli_value(a, "only"),
                      .nset = nset,
                      .set = set,
                      .sink = &sink,
                      .resume = cli_value(a, "resume") != NULL};
  if (!opts.folder) opts.folder = folder;
  opts.threads = cli_threads(a);
  if (opts.threads < 0 || !read_checkpoint(a, &opts)) return CODE_USAGE;
  screen_attach(a->env, quiet);
  pl_scene *scene = NULL;
  pl_status s = cli_load(a, path, nset, set, NULL, &scene);
  if (s == PL_OK && scene->nanalysis == 0)
    s = pl_fail_at(a->env, PL_E_INPUT, path, 0, 0, "e.g. analyses: [{static: {}}]",
                   "the scene has no analyses: there is nothing to run");
  if (s != PL_OK) {
    pl_scene_free(scene);
    return cli_exit_code(s);
  }
  pl_job_result result;
  s = pl_job_run(a->env, scene, &opts, &result);
  screen_clear();
  if (!quiet) report_end(scene, &result, s);
  if (!sink.summary && result.summary[0]) puts(result.report[0] ? result.report : result.summary);
  pl_scene_free(scene);
  return cli_exit_code(s);
}
