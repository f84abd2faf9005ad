// Projection onto limits of stretch beside the implicit step before it: the swinging cloth of the
// thesis (table 3.1), with 10 to 120 squares a side. Prints CSV: squares, limit, what, value, unit.
// Times are medians over the steps of one motion, in which all methods take turns, so that ratios
// hold on a machine with other work; on one thread CPU time, on more wall time. Arguments: table
// (10 to 60 squares), large (120 squares), rivals (Ipopt and Gauss-Seidel in some steps); a size to
// have it alone, 0: all; threads of all methods, two unless given.
#include "cloth.h"
#include "rivals/rivals.h"

#include <math.h>
#include <string.h>

enum { MOST = 200 };

static int nthread = 2;

static double now(void) {
  return nthread == 1 ? pl_cpu_time() : pl_wall_time();
}

// ---- one motion ---------------------------------------------------------------------------------

typedef struct series {
  int n;
  double value[MOST];
} series;

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median(series *s) {
  qsort(s->value, (size_t)s->n, sizeof *s->value, ascending);
  return s->n ? s->value[s->n / 2] : 0;
}

static double mean(const series *s) {
  double sum = 0;
  for (int i = 0; i < s->n; i++) sum += s->value[i];
  return s->n ? sum / s->n : 0;
}

static void add(series *s, double v) {
  if (s->n < MOST) s->value[s->n++] = v;
}

enum { EULER, WARM_START, COLD, SAMPLED, IPOPT_SAMPLED, IPOPT, GAUSS, WAYS };
static const char *const way_name[WAYS] = {
    "implicit-euler-4",   "projection-warm", "projection-cold", "projection-4-directions-warm",
    "ipopt-4-directions", "ipopt-exact",     "gauss-seidel"};

typedef struct record {
  series time[WAYS], its[WAYS];
  int failed[WAYS];
  double gap, violation;
} record;

static void note(record *r, int way, double seconds, int its, int ok) {
  add(&r->time[way], seconds);
  add(&r->its[way], its);
  r->failed[way] += !ok;
}

static void project(record *r, int way, pl_sheet *s, const double *xhat, pl_warm_start *warm_start,
                    double *x) {
  pl_project_opts o;
  pl_project_info info;
  pl_opts_default(pl_project_option_table, pl_project_option_count, &o);
  double start = now();
  pl_status st = pl_project(&o, s, xhat, 0, NULL, warm_start, x, &info);
  double seconds = now() - start;
  if (st < 0) must(st);
  if (info.reason == PL_PROJECT_INSIDE) return;
  note(r, way, seconds, info.iterations, st == PL_OK);
  r->gap = fmax(r->gap, (info.objective - info.bound) / info.objective);
  r->violation = fmax(r->violation, info.violation);
}

static void run_rivals(const cloth *k, record *r, const double *xhat, double *x) {
  rival_info info;
  if (project_has_ipopt()) {
    pl_status s = project_ipopt(k->sampled, xhat, 1e-8, 500, x, &info);
    note(r, IPOPT_SAMPLED, info.seconds, info.iterations, s == PL_OK);
    // with 40 squares it takes minutes
    if (k->n <= 20) {
      s = project_ipopt(k->exact, xhat, 1e-8, 500, x, &info);
      note(r, IPOPT, info.seconds, info.iterations, s == PL_OK);
    }
  }
  int sweeps = k->n <= 20 ? 100000 : 20000;
  pl_status s = project_gauss_seidel(k->exact, xhat, 1e-6, sweeps, x, &info);
  note(r, GAUSS, info.seconds, info.iterations, s == PL_OK);
}

// the free fall into the first swing with step h; every: rivals in each so many steps, 0: never
static void swing(cloth *k, int steps, double h, int every, record *r) {
  const pl_model *m = k->scene->model;
  pl_state *s, *x;
  pl_warm_start warm_start = {0}, warm4 = {0};
  double *y = buffer(3 * k->nvert, sizeof *y), *z = buffer(3 * k->nvert, sizeof *z);
  must(pl_state_create(m, k->scene->params, &s));
  must(pl_state_create(m, k->scene->params, &x));
  *r = (record){0};
  for (int i = 0, met = 0; i < steps; i++) {
    double start = now();
    free_step(k, s, h, x);
    double seconds = now() - start;
    int beyond = pl_sheet_violation(k->exact, x->q, NULL) > 0;
    if (beyond) {
      note(r, EULER, seconds, 4, 1);
      project(r, COLD, k->exact, x->q, NULL, z);
      project(r, SAMPLED, k->sampled, x->q, &warm4, z);
      if (every > 0 && met++ % every == every - 1) run_rivals(k, r, x->q, z);
    }
    project(r, WARM_START, k->exact, x->q, &warm_start, y);
    end_step(k, y, h, s);
  }
  pl_warm_start_free(&env, &warm_start);
  pl_warm_start_free(&env, &warm4);
  pl_state_free(m, s);
  pl_state_free(m, x);
  free(y);
  free(z);
}

// ---- results ------------------------------------------------------------------------------------

static void print(const cloth *k, record *r) {
  double euler = median(&r->time[EULER]);
  for (int way = 0; way < WAYS; way++) {
    if (r->time[way].n == 0) continue;
    double t = median(&r->time[way]);
    printf("%d,%g,%s,%.4g,s\n", k->n, k->limit, way_name[way], t);
    printf("%d,%g,%s-iterations,%.1f,\n", k->n, k->limit, way_name[way], mean(&r->its[way]));
    if (way != EULER)
      printf("%d,%g,%s-over-euler,%.3g,\n", k->n, k->limit, way_name[way], t / euler);
    if (r->failed[way])
      printf("%d,%g,%s-failed,%d,of %d\n", k->n, k->limit, way_name[way], r->failed[way],
             r->time[way].n);
  }
  if (r->time[IPOPT_SAMPLED].n > 0)
    printf("%d,%g,ipopt-over-projection-4-directions,%.3g,\n", k->n, k->limit,
           median(&r->time[IPOPT_SAMPLED]) / median(&r->time[SAMPLED]));
  printf("%d,%g,worst-gap,%.2g,\n%d,%g,worst-violation,%.2g,\n", k->n, k->limit, r->gap, k->n,
         k->limit, r->violation);
  fflush(stdout);
}

static void measure(int n, double limit, int steps, int every) {
  cloth k;
  record r;
  open_cloth(&k, n, limit, nthread);
  swing(&k, steps, 0.01, every, &r);
  print(&k, &r);
  close_cloth(&k);
}

int main(int argc, char **argv) {
  set_blas_environment(argv);
  pl_env_init(&env);
  const char *what = argc > 1 ? argv[1] : "table";
  int large = strcmp(what, "large") == 0, rivals = strcmp(what, "rivals") == 0;
  const int size[] = {10, 20, 40, 60};
  int only = argc > 2 ? atoi(argv[2]) : 0;
  if (argc > 3) nthread = atoi(argv[3]) > 1 ? atoi(argv[3]) : 1;
  printf("squares,limit,what,value,unit\n");
  if (large) measure(120, 0.01, 30, 0);
  for (int i = 0; !large && i < 4; i++) {
    if (only > 0 && only != size[i]) continue;
    int every = !rivals ? 0 : size[i] <= 20 ? 16 : 40;
    measure(size[i], 0.01, 100, every);
    measure(size[i], 0.1, 100, every);
  }
  return 0;
}
