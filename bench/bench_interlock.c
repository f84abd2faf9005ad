// Limits of the families of interlocking materials: strains along rays in all directions, 1440 of
// them unless an argument says otherwise; curvatures of cylinders and of disks of elements.
// Arguments: rays, threads (2), family (all). Prints CSV: what, value, unit.
// With `nets`, a largest size (15) and threads (2) instead: nets of rings that swing down from
// flat, held at a side, and how their time grows with the number of rings.
#include "bench.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>
#include <time.h>

static const char *const name[] = {
#define X(name_, key_) key_,
    PL_MAIL_LIST(X)
#undef X
};

// directions that are spread evenly over a sphere
static void fill(int n, pl_taut_goal *goal) {
  const double rot = PL_PI * (3 - sqrt(5));
  for (int i = 0; i < n; i++) {
    double z = 1 - (2 * i + 1.0) / n, r = sqrt(1 - z * z);
    goal[i] =
        (pl_taut_goal){.n = 1, .basis = {{r * cos(rot * i), r * sin(rot * i), z}}, .goal = {1}};
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
  clock_t cpu = clock();
  if (k->across)
    must(pl_mail_taut_disk(&env, m, k->across, &o, n, goal, threads, taut, solved));
  else
    must(pl_mail_taut(&env, m, (const int[]){1, 1}, &o, n, goal, threads, taut, solved));
  t = pl_wall_time() - t;
  double used = (double)(clock() - cpu) / CLOCKS_PER_SEC;
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
  printf("%s: %d %s,%.3g,s of one core\n", of, n, k->what, used);
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

// rings of R 0.4 and r 0.1 in n x n cells of three, held at the back
static double bench_net(int n, pl_threads *threads, int *bodies) {
  static pl_mail_data data;
  pl_cut_element *e;
  pl_rest r;
  pl_rest_opts o;
  double back = -INFINITY;
  pl_mail_table[PL_MAIL_japanese]->make((double[]){0.4, 0.1, 0.4, 0.1, 1.1}, &data);
  must(pl_mail_cut(&env, &data.m, &(pl_cut){.kind = PL_CUT_CELLS, .cells = {n, n}}, bodies, &e));
  size_t many = (size_t)*bodies;
  const pl_mail_element **elem = pl_alloc(&env, many, sizeof *elem);
  pl_pose *pose = pl_alloc(&env, many, sizeof *pose);
  char *held = pl_alloc(&env, many, 1);
  if (!elem || !pose || !held) exit(1);
  for (int i = 0; i < *bodies; i++) back = fmax(back, e[i].pose.x[1]);
  for (int i = 0; i < *bodies; i++) {
    elem[i] = &data.kind[data.m.kind_of[e[i].elem]];
    pose[i] = e[i].pose;
    held[i] = pose[i].x[1] > back - 0.25;
  }
  const pl_patch p = {.n = *bodies,
                      .elem = elem,
                      .pose = pose,
                      .held = held,
                      .density = 1000,
                      .gravity = {0, 0, -9.81}};
  pl_opts_default(pl_rest_option_table, pl_rest_option_count, &o);
  double wall = pl_wall_time();
  clock_t t = clock();
  pl_status s = pl_patch_rest(&env, &p, &o, threads, NULL, &r);
  wall = pl_wall_time() - wall;
  double seconds = (double)(clock() - t) / CLOCKS_PER_SEC;
  if (s < 0) must(s);
  printf("net of %d rings on %d threads,%.3g,s\n", *bodies, pl_threads_size(threads), wall);
  printf("net of %d rings,%.3g,s of one core\nnet of %d rings: iterations,%d,\n", *bodies, seconds,
         *bodies, r.iterations);
  printf("net of %d rings: at rest,%d,\nnet of %d rings: links lost,%d,\n", *bodies, s == PL_OK,
         *bodies, r.links_start - r.links);
  fflush(stdout);
  pl_rest_free(&env, &r);
  void *all[] = {e, elem, pose, held};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) pl_free(&env, all[k]);
  return seconds;
}

static void bench_nets(int most, int nthread) {
  double last = 0;
  pl_threads *threads;
  must(pl_threads_create(&env, nthread, &threads));
  for (int n = 3, before = 0; n <= most; n = 2 * n + 1) {
    int bodies;
    double t = bench_net(n, threads, &bodies);
    if (before > 0)
      printf("growth from %d to %d rings,%.3g,\n", before, bodies,
             log(t / last) / log((double)bodies / before));
    before = bodies;
    last = t;
  }
  pl_threads_free(threads);
}

int main(int argc, char **argv) {
  set_blas_environment(argv);
  pl_env_init(&env);
  if (argc > 1 && strcmp(argv[1], "nets") == 0) {
    printf("what,value,unit\n");
    bench_nets(argc > 2 ? atoi(argv[2]) : 15, argc > 3 ? atoi(argv[3]) : 2);
    return 0;
  }
  int n = argc > 1 ? atoi(argv[1]) : 1440, threads = argc > 2 ? atoi(argv[2]) : 2;
  printf("what,value,unit\n");
  for (int k = 0; k < PL_MAIL_COUNT; k++)
    if (argc < 4 || strcmp(argv[3], name[k]) == 0) bench_family(k, n, threads);
  return 0;
}
