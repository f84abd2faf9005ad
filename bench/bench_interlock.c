// Limits of strain of the families of interlocking materials: rays in all directions, 1440 of them
// unless an argument says otherwise. Arguments: rays, threads (2), family (all). Prints CSV: what,
// value, unit.
#include "bench.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

static const char *const name[] = {
#define X(name_, key_) key_,
    PL_MAIL_LIST(X)
#undef X
};

// directions that are spread evenly over a sphere
static void fill(int n, pl_taut_goal *goal) {
  const double turn = PL_PI * (3 - sqrt(5));
  for (int i = 0; i < n; i++) {
    double z = 1 - (2 * i + 1.0) / n, r = sqrt(1 - z * z);
    goal[i] =
        (pl_taut_goal){.n = 1, .basis = {{r * cos(turn * i), r * sin(turn * i), z}}, .goal = {1}};
  }
}

static void bench_family(int which, int n, int threads) {
  static pl_mail_data data;
  const pl_mail_family *f = pl_mail_table[which];
  double value[PL_KEY_MAX], bound = 0;
  long iterations = 0, evaluations = 0;
  int lost = 0;
  pl_taut_opts o;
  pl_opts_default(pl_taut_option_table, pl_taut_option_count, &o);
  for (int k = 0; k < f->nkey; k++) value[k] = f->key[k].value;
  f->make(value, &data);
  pl_taut_goal *goal = pl_alloc(&env, (size_t)n, sizeof *goal);
  pl_taut *taut = pl_alloc(&env, (size_t)n, sizeof *taut);
  int *solved = pl_alloc(&env, (size_t)n, sizeof *solved);
  if (!goal || !taut || !solved) exit(1);
  fill(n, goal);
  double t = pl_wall_time();
  must(pl_mail_taut(&env, &data.m, (const int[]){1, 1}, &o, n, goal, threads, taut, solved));
  t = pl_wall_time() - t;
  for (int i = 0; i < n; i++) {
    lost += !solved[i];
    iterations += taut[i].iterations;
    evaluations += taut[i].evaluations;
    if (solved[i]) bound = fmax(bound, taut[i].bound);
    pl_taut_free(&env, &taut[i]);
  }
  printf("%s: %d rays on %d threads,%.3g,s\n", name[which], n, threads, t);
  printf("%s: not found,%d,\n%s: largest bound,%.2g,\n", name[which], lost, name[which], bound);
  printf("%s: iterations a ray,%.3g,\n%s: evaluations a ray,%.3g,\n", name[which],
         (double)iterations / n, name[which], (double)evaluations / n);
  fflush(stdout);
  pl_free(&env, goal);
  pl_free(&env, taut);
  pl_free(&env, solved);
}

int main(int argc, char **argv) {
  set_blas_environment(argv);
  pl_env_init(&env);
  int n = argc > 1 ? atoi(argv[1]) : 1440, threads = argc > 2 ? atoi(argv[2]) : 2;
  printf("what,value,unit\n");
  for (int k = 0; k < PL_MAIL_COUNT; k++)
    if (argc < 4 || strcmp(argv[3], name[k]) == 0) bench_family(k, n, threads);
  return 0;
}
