// Cholesky factors of a solid or a sheet on one thread and on several, CHOLMOD beside them, and
// analyses of that body. Prints CSV: what, value, unit. Ratios in one run are what counts.
#include "bench.h"

#if defined(PL_GPL)
#include <cholmod.h>
#endif
#include <string.h>
#include <time.h>

enum { ROUNDS = 3 };

typedef struct seconds {
  double wall, cpu;
} seconds;

typedef struct cost {
  seconds analyse, factor, solve;
} cost;

static seconds now(void) {
  return (seconds){pl_wall_time(), (double)clock() / CLOCKS_PER_SEC};
}

// best of several, as the machine is shared
static void least(seconds *best, seconds since) {
  seconds t = now();
  t.wall -= since.wall;
  t.cpu -= since.cpu;
  if (!(best->wall > 0) || t.wall < best->wall) best->wall = t.wall;
  if (!(best->cpu > 0) || t.cpu < best->cpu) best->cpu = t.cpu;
}

// a cantilever: a block of hexahedra, or a sheet of triangles
static pl_mesh *make_body(int sheet, int cells, pl_built *out) {
  pl_mesh *mesh;
  pl_body_desc d = {.kind = sheet ? PL_BODY_SHELL : PL_BODY_SOLID,
                    .young = {.v = 1e6},
                    .poisson = {.v = 0.3},
                    .density = {.v = sheet ? 300 : 1000},
                    .thickness = {.v = 0.001},
                    .bending = PL_BENDING_NONE};
  if (sheet)
    must(pl_gen_grid(&env, cells, cells, 1, 1, PL_ALTERNATING, &mesh));
  else
    must(pl_gen_hex_box(&env, (int[]){cells, cells, cells}, (double[]){1, 1, 1}, &mesh));
  d.mesh = mesh;
  pl_builder *b = one_body(&d);
  hold_left(b, NULL);
  must(pl_build_all(b, 1, out));
  return mesh;
}

// ---- factors ------------------------------------------------------------------------------------

static cost our_cost(const pl_csc *A, int nthread, const double *b, double *x) {
  cost c = {0};
  pl_factor *f;
  seconds start = now();
  must(pl_factor_create(&env, PL_CHOLESKY, A, 1, nthread, &f));
  least(&c.analyse, start);
  for (int i = 0; i < ROUNDS; i++) {
    start = now();
    must(pl_factor_numeric(f, A));
    least(&c.factor, start);
    start = now();
    must(pl_factor_solve(f, 1, b, x));
    least(&c.solve, start);
  }
  if (nthread == 1) {
    pl_factor_info info = pl_factor_stats(f);
    printf("entries of the factor (%s),%.3g,\nflops,%.3g,\n", info.backend, info.nnz, info.flops);
  }
  pl_factor_free(f);
  return c;
}

#if defined(PL_GPL)
static cost cholmod_cost(const pl_csc *A, const double *b, double *x) {
  cost c = {0};
  cholmod_common common;
  cholmod_start(&common);
  common.supernodal = CHOLMOD_SUPERNODAL;
  cholmod_sparse S = {.nrow = (size_t)A->n,
                      .ncol = (size_t)A->n,
                      .nzmax = (size_t)A->nnz,
                      .p = A->ptr,
                      .i = A->row,
                      .x = A->val,
                      .stype = -1,
                      .itype = CHOLMOD_INT,
                      .xtype = CHOLMOD_REAL,
                      .dtype = CHOLMOD_DOUBLE,
                      .sorted = 1,
                      .packed = 1};
  cholmod_dense *B = cholmod_zeros((size_t)A->n, 1, CHOLMOD_REAL, &common), *X = NULL;
  cholmod_dense *Y = NULL, *E = NULL;
  memcpy(B->x, b, (size_t)A->n * sizeof *b);
  seconds start = now();
  cholmod_factor *L = cholmod_analyze(&S, &common);
  least(&c.analyse, start);
  for (int i = 0; i < ROUNDS; i++) {
    start = now();
    cholmod_factorize(&S, L, &common);
    least(&c.factor, start);
    start = now();
    cholmod_solve2(CHOLMOD_A, L, B, NULL, &X, NULL, &Y, &E, &common);
    least(&c.solve, start);
  }
  printf("entries of the factor (cholmod),%.3g,\nflops,%.3g,\n", common.lnz, common.fl);
  memcpy(x, X->x, (size_t)A->n * sizeof *x);
  cholmod_free_dense(&B, &common);
  cholmod_free_dense(&X, &common);
  cholmod_free_dense(&Y, &common);
  cholmod_free_dense(&E, &common);
  cholmod_free_factor(&L, &common);
  cholmod_finish(&common);
  return c;
}
#endif

static void print_seconds(const char *name, const char *what, int nthread, seconds t) {
  printf("%s: %s on %d threads,%.4g,s\n%s: %s on %d threads (CPU),%.4g,s\n", name, what, nthread,
         t.wall, name, what, nthread, t.cpu);
}

static void print_cost(const char *name, int nthread, const cost *c) {
  print_seconds(name, "analysis", nthread, c->analyse);
  print_seconds(name, "factorisation", nthread, c->factor);
  print_seconds(name, "solve", nthread, c->solve);
  fflush(stdout);
}

static void bench_factor(const pl_built *b, int nthread) {
  const pl_coef k = {.m = 1e4, .k = 1}; // a step of 10 ms
  const pl_clock clock = {.scale = 1};
  pl_work *w = b->work;
  must(pl_eval(b->model, b->params, b->state, &clock, PL_WANT_TANGENT | PL_DYNAMIC, &k, w));
  int n = w->A.n;
  double *rhs = malloc((size_t)n * sizeof *rhs), *x = malloc((size_t)n * sizeof *x),
         *y = malloc((size_t)n * sizeof *y), error = 0;
  if (!rhs || !x || !y) exit(1);
  for (int i = 0; i < n; i++) rhs[i] = 1 + i % 7;
  cost one = our_cost(&w->A, 1, rhs, x), many;
  print_cost("ours", 1, &one);
#if defined(PL_GPL)
  cost rival = cholmod_cost(&w->A, rhs, y);
  for (int i = 0; i < n; i++) error = fmax(error, fabs(x[i] - y[i]));
  print_cost("cholmod", 1, &rival);
  printf("difference of the solutions,%.2g,\n", error / pl_max_abs(n, y));
  printf("cholmod over ours: factorisation (CPU),%.3f,\n", rival.factor.cpu / one.factor.cpu);
  printf("cholmod over ours: solve (CPU),%.3f,\n", rival.solve.cpu / one.solve.cpu);
#endif
  many = our_cost(&w->A, nthread, rhs, y);
  print_cost("ours", nthread, &many);
  printf("speed-up on %d threads: factorisation,%.3f,\n", nthread,
         one.factor.wall / many.factor.wall);
  printf("speed-up on %d threads: solve,%.3f,\n", nthread, one.solve.wall / many.solve.wall);
  printf("same bits,%d,\n", memcmp(x, y, (size_t)n * sizeof *x) == 0);
  free(rhs);
  free(x);
  free(y);
}

int main(int argc, char **argv) {
  set_blas_environment(argv);
  pl_env_init(&env);
  int sheet = argc > 1 && strcmp(argv[1], "sheet") == 0;
  int cells = argc > 2 ? atoi(argv[2]) : sheet ? 60 : 27, nthread = argc > 3 ? atoi(argv[3]) : 2;
  pl_built b;
  pl_mesh *mesh = make_body(sheet, cells, &b);
  printf("what,value,unit\nBLAS kernels: %s,,\nunknowns,%d,\n", pl_blas_core(),
         pl_model_nfree(b.model));
  bench_factor(&b, nthread);
  pl_built_free(&b);
  pl_mesh_free(mesh);
  return 0;
}
