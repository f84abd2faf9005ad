// A scene run without files: who looks on gets every row as it comes, stops the run, and has the
// tables as data. The scene is a mass on a spring that is let go: x = cos(2 t).
#include "pliant/pliant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char scene[] = "pliant: 1\n"
                            "dimension: 1\n"
                            "nodes: {m: 0}\n"
                            "masses: [{node: m, mass: 1 kg}]\n"
                            "springs: [{nodes: [ground, m], stiffness: 4 N/m}]\n"
                            "initial: [{node: m, displacement: [1 m]}]\n"
                            "watch: {m: m}\n"
                            "analyses: [{transient: {duration: 100 s, step: 1 ms}}]\n";

// columns: time, energies, and the watched place last; stops at the first zero
static int rows(void *ctx, const char *name, const pl_table *t, int first) {
  int n = pl_table_cols(t);
  const double *row = pl_table_data(t) + (size_t)first * (size_t)n;
  (void)name;
  for (int c = 0; c < n; c++)
    if (strcmp(pl_table_name(t, c), "m_x") == 0 && row[c] <= 0) {
      *(double *)ctx = row[0];
      return 1;
    }
  return 0;
}

int main(void) {
  pl_env env;
  pl_env_init(&env);
  pl_scene *s;
  double zero = 0;
  const pl_sink sink = {.ctx = &zero, .rows = rows};
  if (pl_scene_parse(&env, "swing", ".", scene, sizeof scene - 1, 0, NULL, NULL, &s) != PL_OK) {
    fprintf(stderr, "%s\n", env.error.text);
    return 1;
  }
  pl_job_result r;
  pl_status st = pl_job_run(&env, s, &(pl_job_opts){.sink = &sink}, &r);
  printf("ended  %s\n", pl_status_text(st));
  printf("zero   %.3f s (closed form %.3f s)\n", zero, PL_PI / 4);
  pl_scene_free(s);
  return st != PL_CANCELLED;
}

/* TEST
command: 12-watch-a-job
zero: 0.785398 +- 1.1e-3
*/
