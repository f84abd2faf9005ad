// Loads a scene, overrides a value, runs its analyses and reads the key figures: what the command
// does, from a program of your own. Use: 03-scene SCENE FOLDER [PATH=VALUE ...]
#include "pliant/pliant.h"

#include <stdio.h>

// messages come as records; print them as the command does
static void show(void *ctx, const pl_diag *d) {
  (void)ctx;
  char line[4 * PL_TEXT];
  pl_diag_format(d, line, sizeof line);
  fprintf(stderr, "%s\n", line);
}

// called often; non-zero cancels
static int progress(void *ctx, const pl_progress *p) {
  (void)p;
  int *calls = ctx;
  (*calls)++;
  return 0;
}

// one result without files: the sag of a watched place by the solver itself
static pl_status solve(const pl_scene *scene, const pl_analysis *a, pl_static_info *info,
                       double *u) {
  pl_state *state = NULL;
  pl_work *work = NULL;
  pl_status s = pl_state_create(scene->model, scene->params, &state);
  if (s == PL_OK) s = pl_work_create(scene->model, 1, &work);
  if (s == PL_OK)
    s = pl_static(&a->opts.static_, scene->model, scene->params, state, work, NULL, NULL, info);
  int at = a->probe[0].node * scene->dim;
  for (int c = 0; s == PL_OK && c < scene->dim; c++)
    u[c] = state->q[at + c] - scene->params->X[at + c];
  pl_work_free(work);
  pl_state_free(scene->model, state);
  return s;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "use: 03-scene SCENE FOLDER [PATH=VALUE ...]\n");
    return 2;
  }
  pl_env env;
  int calls = 0;
  pl_env_init(&env);
  env.diag = show;
  env.progress = progress;
  env.progress_ctx = &calls;

  const char *const *set = (const char *const *)argv + 3;
  pl_scene *scene = NULL;
  if (pl_scene_load(&env, argv[1], argc - 3, set, &scene) != PL_OK) return 3;
  pl_scene_counts counts;
  pl_scene_count(scene, &counts);
  printf("nodes       %d\n", counts.nodes);
  printf("mass        %.6f g\n", 1e3 * counts.mass);

  // everything, with files, as `pliant run`
  pl_job_result result;
  pl_job_opts opts = {.folder = argv[2], .nset = argc - 3, .set = set};
  pl_status s = pl_job_run(&env, scene, &opts, &result);
  printf("analyses    %d run, %d not converged\n", result.nrun, result.nunsolved);
  printf("report      %s\n", result.report);

  // or one analysis by hand, on the same model
  int k = pl_scene_find_analysis(scene, "static");
  if (s == PL_OK && k >= 0 && scene->analysis[k].nprobe > 0) {
    pl_static_info info;
    double u[3] = {0};
    s = solve(scene, &scene->analysis[k], &info, u);
    printf("tip_z       %.6f mm\n", 1e3 * u[2]);
    printf("iterations  %d\n", info.iterations);
  }
  pl_scene_free(scene);
  return s == PL_OK ? 0 : 4;
}

/* TEST
command: 03-scene {source}/scenes/tutorial/ruler.yaml {out} analyses.modes.count=1
nodes: 481
mass: 2.976 +- 1e-6
analyses: 2
tip_z: -3.9764 +- 0.001
*/
