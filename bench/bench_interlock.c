// Limits of the families of interlocking materials: strains along rays in all directions, 1440 of
// them unless an argument says otherwise; curvatures of cylinders and of disks of elements.
// Arguments: rays, threads (2), family (all). Prints CSV: what, value, unit.
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

// curvatures up and down along angles over half a turn
static void fill_bends(int n, int disk, pl_taut_goal *goal) {
  for (int i = 0; i < n; i++) {
    double angle = 2 * PL_PI * (i / 2) / n, sign = i % 2 ? -1 : 1;
    goal[i] = disk ? pl_taut_bend_disk(angle, sign) : pl_taut_bend(angle, sign);
  }
}

typedef struct kind {
  const char *what;
  int across; // elements of a disk; 0: a periodic cell
} kind;

static void bench_goals(const char *of, const kind *k, const pl_mail *m, int n,
                        const pl_taut_goal *goal, int threads) {
  double bound = 0;
  long iterations = 0, evaluations = 0;
  int lost = 0, certified = 0, held = 0;
  pl_taut_opts o;
  pl_opts_default(pl_taut_option_table, pl_taut_option_count, &o);
  pl_taut *taut = pl_alloc(&env, (size_t)n, sizeof *taut);
  int *solved = pl_alloc(&env, (size_t)n, sizeof *solved);
  if (!taut || !solved) exit(1);
  double t = pl_wall_time();
  if (k->across)
    must(pl_mail_taut_disk(&env, m, k->across, &o, n, goal, threads, taut, solved));
  else
    must(pl_mail_taut(&env, m, (const int[]){1, 1}, &o, n, goal, threads, taut, solved));
  t = pl_wall_time() - t;
  for (int i = 0; i < n; i++) {
    int holds = solved[i] && !taut[i].open && !taut[i].folds;
    lost += !solved[i];
    held += holds;
    certified += holds && taut[i].certified;
    iterations += taut[i].iterations;
    evaluations += taut[i].evaluations;
    if (holds) bound = fmax(bound, taut[i].bound);
    pl_taut_free(&env, &taut[i]);
  }
  printf("%s: %d %s on %d threads,%.3g,s\n", of, n, k->what, threads, t);
  printf("%s: not found,%d,\n%s: unbounded or folded,%d,\n", of, lost, of, n - lost - held);
  printf("%s: certified,%d,\n%s: largest bound,%.2g,\n", of, certified, of, bound);
  printf("%s: iterations each,%.3g,\n%s: evaluations each,%.3g,\n", of, (double)iterations / n, of,
         (double)evaluations / n);
  fflush(stdout);
  pl_free(&env, taut);
  pl_free(&env, solved);
}

static void bench_family(int which, int n, int threads) {
  enum { CYLINDERS = 24, DISKS = 4 };
  static const kind rays = {"rays", 0}, cylinders = {"cylinders", 0}, disks = {"disks", 5};
  static pl_mail_data data;
  const pl_mail_family *f = pl_mail_table[which];
  double value[PL_KEY_MAX];
  for (int k = 0; k < f->nkey; k++) value[k] = f->key[k].value;
  f->make(value, &data);
  pl_taut_goal bends[CYLINDERS], *goal = pl_alloc(&env, (size_t)n, sizeof *goal);
  if (!goal) exit(1);
  fill(n, goal);
  bench_goals(name[which], &rays, &data.m, n, goal, threads);
  fill_bends(CYLINDERS, 0, bends);
  bench_goals(name[which], &cylinders, &data.m, CYLINDERS, bends, threads);
  fill_bends(DISKS, 1, bends);
  bench_goals(name[which], &disks, &data.m, DISKS, bends, threads);
  pl_free(&env, goal);
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
