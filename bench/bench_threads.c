// What threads gain: analyses of a block of 63,504 unknowns (static under its weight, six modes,
// ten time steps), a periodic motion of a block of 3,240 unknowns with five harmonics, and the
// implicit step and the projection of a cloth of 40 squares. Arguments: one of their names, or all;
// numbers of threads, 1 2 16 unless given; at the end -r ROUNDS, of which the middle counts. Needs
// no files. Prints one table in Markdown: wall seconds, those on the first number of threads over
// them, the part of the processor time outside of what threads share, what processors of their own
// would gain by that (from the times of all chunks, without what it takes to hand them out), and
// whether results have the same bits. The last three do not depend on what else a machine does, nor
// on whether it has so many processors; they come from a run of their own, as it takes time to look
// at the clock before and after every chunk.
#include "cloth.h"
#include "pliant/tally.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { COUNTS = 16, ROUNDS = 31, STEPS = 100 };

enum { STATIC, MODES, TRANSIENT, PERIODIC, EULER, PROJECTION, CASES };
static const char *const case_name[CASES] = {
    "static", "modes", "transient", "periodic", "cloth, implicit step", "cloth, projection"};

enum { COUNTED = -1 }; // a round that is not timed

// seconds of every case by numbers of threads and rounds, what is serial of its processor time and
// what threads can gain, and a digest of its results
typedef struct record {
  int ncount, nround, count[COUNTS];
  double seconds[CASES][COUNTS][ROUNDS];
  double serial[CASES][COUNTS], gain[CASES][COUNTS];
  uint64_t digest[CASES][COUNTS];
} record;

// a hash (FNV-1a) of values one after the other
static void add_values(uint64_t *h, size_t n, const double *x) {
  const unsigned char *byte = (const unsigned char *)x;
  for (size_t i = 0; i < n * sizeof *x; i++) *h = (*h ^ byte[i]) * 0x100000001b3;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median(int n, const double *x) {
  double sorted[STEPS + ROUNDS];
  memcpy(sorted, x, (size_t)n * sizeof *x);
  qsort(sorted, (size_t)n, sizeof *sorted, ascending);
  return n ? sorted[n / 2] : 0;
}

// wall seconds, processor seconds of this thread, and what it hands to others
typedef struct meter {
  double wall, own;
  pl_threads_tally threads;
} meter;

static double own_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// What goes by until stop_meter is added; of threads when a round is COUNTED.
static void start_meter(meter *m, int nthread, int round) {
  m->threads.nthread = nthread;
  pl_threads_observe(round == COUNTED ? &m->threads : NULL);
  m->wall -= pl_wall_time();
  m->own -= own_time();
}

static void stop_meter(meter *m) {
  m->wall += pl_wall_time();
  m->own += own_time();
  pl_threads_observe(NULL);
}

// seconds of a round, or what was counted in it
static void keep(record *r, int which, int k, int round, double seconds, const meter *m) {
  double serial = m->own - m->threads.own, all = serial + m->threads.shared;
  if (round != COUNTED) {
    r->seconds[which][k][round] = seconds;
    return;
  }
  r->serial[which][k] = serial / all;
  r->gain[which][k] = all / (serial + m->threads.shortest);
}

// ---- analyses of solids -------------------------------------------------------------------------

static const char block[] =
    "pliant: 1\n"
    "materials: {rubber: {young: 1 MPa, poisson: 0.3, density: 1000, law: neo-hookean}}\n"
    "bodies:\n"
    "  - name: block\n"
    "    solid: {mesh: {box: {size: [1, 1, 1], cells: [27, 27, 27], cell: hex}}, material: "
    "rubber}\n"
    "fixed: block where x < 1e-6\n"
    "gravity: [0, 0, -9.81]\n"
    "analyses:\n"
    "  - static: {}\n"
    "  - modes: {count: 6}\n"
    "  - transient: {duration: 100 ms, step: 10 ms}\n";

static const char shaken[] =
    "pliant: 1\n"
    "materials: {rubber: {young: 2 MPa, poisson: 0.3, density: 1100, law: neo-hookean}}\n"
    "bodies:\n"
    "  - name: beam\n"
    "    solid:\n"
    "      mesh: {box: {size: [0.3, 0.05, 0.05], cells: [30, 5, 5], cell: hex}}\n"
    "      material: rubber\n"
    "drives: [{nodes: beam where x < 1e-6, translation: [0, 0, 2 mm]}]\n"
    "damping: {mass: 1, stiffness: 1e-3}\n"
    "analyses:\n"
    "  - periodic: {frequency: 3 Hz, harmonics: 5}\n";

typedef struct listener {
  meter time;
  uint64_t digest;
  int nthread, round, ok;
  const pl_model *model;
} listener;

static void at_begin(void *ctx, const pl_analysis *a) {
  listener *l = ctx;
  (void)a;
  start_meter(&l->time, l->nthread, l->round);
}

static void at_end(void *ctx, const pl_analysis *a, pl_status s) {
  listener *l = ctx;
  (void)a;
  stop_meter(&l->time);
  l->ok = s == PL_OK;
}

static void at_state(void *ctx, const pl_analysis *a, const pl_state *s) {
  listener *l = ctx;
  (void)a;
  add_values(&l->digest, (size_t)pl_model_nq(l->model), s->q);
}

static void at_shape(void *ctx, const pl_shape *s) {
  listener *l = ctx;
  add_values(&l->digest, (size_t)pl_model_nq(l->model), s->mode ? s->mode : s->state->q);
}

static void at_orbit(void *ctx, const char *name, const char *title, const pl_orbit *o) {
  listener *l = ctx;
  (void)name, (void)title;
  add_values(&l->digest, (size_t)o->nfree * (size_t)(2 * o->nharm + 1), o->z);
}

static void run_analysis(record *r, const char *text, int which, int k, int round) {
  pl_scene *scene;
  pl_job_result result;
  must(pl_scene_parse(&env, "block", ".", text, strlen(text), 0, NULL, NULL, &scene));
  listener l = {.model = scene->model, .nthread = r->count[k], .round = round};
  const pl_sink sink = {.ctx = &l,
                        .begin = at_begin,
                        .end = at_end,
                        .state = at_state,
                        .shape = at_shape,
                        .orbit = at_orbit};
  const pl_job_opts o = {.sink = &sink, .only = case_name[which], .threads = r->count[k]};
  must(pl_job_run(&env, scene, &o, &result));
  keep(r, which, k, round, l.time.wall, &l.time);
  r->digest[which][k] = l.digest;
  pl_scene_free(scene);
}

// ---- cloth --------------------------------------------------------------------------------------

// the first swing with steps of 10 ms, of which those count that go beyond the limits
static void run_cloth(record *r, int k, int round) {
  cloth c;
  pl_state *s, *x;
  pl_warm_start warm_start = {0};
  pl_project_opts o;
  pl_project_info info;
  double step[STEPS], projection[STEPS];
  meter stepping = {0}, projecting = {0};
  int n = 0;
  open_cloth(&c, 40, 0.01, r->count[k]);
  const pl_model *m = c.scene->model;
  double *y = buffer(3 * c.nvert, sizeof *y);
  pl_opts_default(pl_project_option_table, pl_project_option_count, &o);
  must(pl_state_create(m, c.scene->params, &s));
  must(pl_state_create(m, c.scene->params, &x));
  r->digest[EULER][k] = r->digest[PROJECTION][k] = 0;
  for (int i = 0; i < STEPS; i++) {
    double before = stepping.wall;
    start_meter(&stepping, r->count[k], round);
    free_step(&c, s, 0.01, x);
    stop_meter(&stepping);
    step[n] = stepping.wall - before;
    before = projecting.wall;
    start_meter(&projecting, r->count[k], round);
    must(pl_project(&o, c.exact, x->q, 0, NULL, &warm_start, y, &info));
    stop_meter(&projecting);
    projection[n] = projecting.wall - before;
    if (info.reason != PL_PROJECT_INSIDE) n++;
    add_values(&r->digest[EULER][k], (size_t)c.nq, x->q);
    add_values(&r->digest[PROJECTION][k], (size_t)(3 * c.nvert), y);
    end_step(&c, y, 0.01, s);
  }
  keep(r, EULER, k, round, median(n, step), &stepping);
  keep(r, PROJECTION, k, round, median(n, projection), &projecting);
  pl_warm_start_free(&env, &warm_start);
  pl_state_free(m, s);
  pl_state_free(m, x);
  free(y);
  close_cloth(&c);
}

// ---- the table ----------------------------------------------------------------------------------

static void print_row(const record *r, int which) {
  int same = 1;
  double first = median(r->nround, r->seconds[which][0]);
  printf("| %s |", case_name[which]);
  for (int k = 0; k < r->ncount; k++) printf(" %.3g |", median(r->nround, r->seconds[which][k]));
  for (int k = 1; k < r->ncount; k++) {
    printf(" %.2f |", first / median(r->nround, r->seconds[which][k]));
    same &= r->digest[which][k] == r->digest[which][0];
  }
  for (int k = 0; k < r->ncount; k++)
    if (r->count[k] > 1) printf(" %.2f %% | %.2f |", 100 * r->serial[which][k], r->gain[which][k]);
  printf(" %s |\n", same ? "yes" : "NO");
  fflush(stdout);
}

static void print_header(const record *r) {
  printf("BLAS kernels: %s\n\n| seconds on threads |", pl_blas_core());
  for (int k = 0; k < r->ncount; k++) printf(" %d |", r->count[k]);
  for (int k = 1; k < r->ncount; k++) printf(" %d over %d |", r->count[k], r->count[0]);
  int columns = 2 * r->ncount + 1;
  for (int k = 0; k < r->ncount; k++)
    if (r->count[k] > 1) {
      printf(" serial on %d | could gain |", r->count[k]);
      columns += 2;
    }
  printf(" same bits |\n|");
  for (int k = 0; k < columns; k++) printf("---|");
  printf("\n");
  fflush(stdout);
}

// numbers of threads take turns, as the machine's load changes; one counts what nobody shares
static void run_case(record *r, int which) {
  if (which == PROJECTION) return; // beside the implicit step
  for (int round = COUNTED; round < r->nround; round++)
    for (int k = 0; k < r->ncount; k++)
      if (round == COUNTED && r->count[k] == 1)
        continue;
      else if (which == EULER)
        run_cloth(r, k, round);
      else
        run_analysis(r, which == PERIODIC ? shaken : block, which, k, round);
  print_row(r, which);
  if (which == EULER) print_row(r, PROJECTION);
}

static int asked(const char *what, int which) {
  return !what || !strcmp(what, "all") || !strncmp(case_name[which], what, strlen(what));
}

int main(int argc, char **argv) {
  set_blas_environment(argv);
  pl_env_init(&env);
  static record r = {.nround = 1};
  const char *what = NULL;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "-r") && i + 1 < argc)
      r.nround = (int)fmin(fmax(atoi(argv[++i]), 1), ROUNDS);
    else if (atoi(argv[i]) > 0 && r.ncount < COUNTS)
      r.count[r.ncount++] = atoi(argv[i]);
    else
      what = argv[i];
  }
  const int usual[] = {1, 2, 16};
  if (r.ncount == 0)
    for (; r.ncount < 3; r.ncount++) r.count[r.ncount] = usual[r.ncount];
  print_header(&r);
  for (int which = 0; which < CASES; which++)
    if (asked(what, which)) run_case(&r, which);
  return 0;
}
