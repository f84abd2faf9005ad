// Statics of rods from 30 to 30,000 edges: a wire over many supports that sags under its weight,
// and a cantilever. Prints CSV: what, value, unit; the growth exponent is that of the time with the
// number of edges.
#include "blas_environment.h"
#include "pliant/pliant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPAN = 30 }; // edges between supports

static pl_env env;

static void must(pl_status s) {
  if (s == PL_OK) return;
  fprintf(stderr, "bench: %s: %s\n", pl_status_text(s), env.error.text);
  exit(1);
}

static void *room(int n, size_t size) {
  void *p = calloc((size_t)n + 1, size);
  if (!p) exit(1);
  return p;
}

typedef struct wire {
  int n, nfixed;
  double *X, par[7], bend[11];
  int *edge, *bends, *fixed;
  pl_model *m;
  pl_params *p;
  pl_state *s;
  pl_work *w;
} wire;

// n edges of 1 cm along x, 2 mm thick; every: edges between fixed nodes, 0: clamped at one end
static void wire_open(wire *r, int n, int every) {
  const double par[7] = {2e9, 0.3, 1200, 2e-3, 2e-3, 0, 0};
  *r = (wire){.n = n};
  memcpy(r->par, par, sizeof par);
  memcpy(r->bend, par, sizeof par);
  r->X = room(3 * (n + 1), sizeof *r->X);
  r->edge = room(3 * n, sizeof *r->edge);
  r->bends = room(5 * n, sizeof *r->bends);
  r->fixed = room(n + 1, sizeof *r->fixed);
  int theta = 3 * (n + 1);
  for (int i = 0; i <= n; i++) {
    r->X[3 * i] = 0.01 * i;
    if (every ? i % every == 0 : i < 2) r->fixed[r->nfixed++] = i;
  }
  for (int i = 0; i < n; i++) {
    memcpy(r->edge + 3 * i, (int[]){i, i + 1, theta + i}, 3 * sizeof(int));
    memcpy(r->bends + 5 * i, (int[]){i, i + 1, i + 2, theta + i, theta + i + 1}, 5 * sizeof(int));
  }
  const pl_group_desc group[2] = {
      {"edges", pl_elem_find("rod_edge"), n, r->edge, 1, r->par, 0},
      {"bends", pl_elem_find("rod_bend"), n - 1, r->bends, 1, r->bend, 0}};
  const int first = 0;
  pl_drive_desc fix = {.nnode = r->nfixed, .node = r->fixed, .mask = 7, .nscal = 1, .scal = &first};
  // a cantilever bends as much whatever its length
  double weight = every ? -9.81 : -9.81 / pow(n / 30.0, 3);
  pl_model_desc d = {.dim = 3,
                     .nnode = n + 1,
                     .X = r->X,
                     .nextra = n,
                     .ngroup = 2,
                     .group = group,
                     .ndrive = 1,
                     .drive = &fix,
                     .gravity = {0, 0, weight}};
  must(pl_model_create(&env, &d, &r->m));
  must(pl_params_create(r->m, &r->p));
  must(pl_state_create(r->m, r->p, &r->s));
  must(pl_work_create(r->m, 1, &r->w));
}

static void wire_close(wire *r) {
  pl_work_free(r->w);
  pl_state_free(r->m, r->s);
  pl_params_free(r->p);
  pl_model_free(r->m);
  free(r->X);
  free(r->edge);
  free(r->bends);
  free(r->fixed);
}

// best of several, as the machine is shared
static double solve_time(wire *r, pl_static_info *info) {
  pl_static_opts o;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  o.rtol = 1e-8;
  double best = 1e9;
  for (int i = 0; i < 5; i++) {
    pl_state *s;
    must(pl_state_create(r->m, r->p, &s));
    double t = pl_wall_time();
    must(pl_static(&o, r->m, r->p, s, r->w, NULL, NULL, info));
    t = pl_wall_time() - t;
    if (t < best) best = t;
    pl_state_free(r->m, s);
  }
  return best;
}

// parts of one iteration, over their number of edges
static void bench_parts(wire *r) {
  const pl_coef c = {0, 0, 1};
  const pl_clock k = {.scale = 1};
  double eval = 1e9, symbolic = 1e9, numeric = 1e9, ldl = 1e9, t;
  for (int i = 0; i < 5; i++) {
    pl_factor *f;
    t = pl_wall_time();
    must(pl_eval(r->m, r->p, r->s, &k, PL_WANT_FORCE | PL_WANT_TANGENT, &c, r->w));
    eval = fmin(eval, pl_wall_time() - t);
    t = pl_wall_time();
    must(pl_factor_create(&env, PL_CHOLESKY, &r->w->A, 1, 1, &f));
    symbolic = fmin(symbolic, pl_wall_time() - t);
    t = pl_wall_time();
    must(pl_factor_numeric(f, &r->w->A));
    numeric = fmin(numeric, pl_wall_time() - t);
    pl_factor_free(f);
    t = pl_wall_time();
    must(pl_factor_create(&env, PL_LDL, &r->w->A, 1, 1, &f));
    must(pl_factor_numeric(f, &r->w->A));
    ldl = fmin(ldl, pl_wall_time() - t);
    pl_factor_free(f);
  }
  double n = r->n;
  printf("%d edges: forces and stiffness,%.3g,us/edge\n", r->n, eval / n * 1e6);
  printf("%d edges: Cholesky symbolic,%.3g,us/edge\n", r->n, symbolic / n * 1e6);
  printf("%d edges: Cholesky numeric,%.3g,us/edge\n", r->n, numeric / n * 1e6);
  printf("%d edges: LDL of the last stiffness,%.3g,us/edge\n", r->n, ldl / n * 1e6);
}

static void bench_supports(void) {
  static const int sizes[] = {30, 90, 300, 900, 3000, 9000, 30000};
  double first = 0, last = 0;
  for (int i = 0; i < 7; i++) {
    wire r;
    pl_static_info info;
    double t = pl_wall_time();
    wire_open(&r, sizes[i], SPAN);
    printf("wire of %d edges: model,%.3g,ms\n", sizes[i], (pl_wall_time() - t) * 1e3);
    double time = solve_time(&r, &info);
    printf("wire of %d edges: static in %d iterations,%.3g,ms\n", sizes[i], info.iterations,
           time * 1e3);
    if (sizes[i] == 300) first = time;
    last = time;
    if (sizes[i] == 300 || sizes[i] == 30000) bench_parts(&r);
    wire_close(&r);
  }
  printf("wire: growth exponent from 300 to 30000 edges,%.3f,\n", log(last / first) / log(100));
}

static void bench_cantilever(void) {
  static const int sizes[] = {30, 100, 300, 1000};
  for (int i = 0; i < 4; i++) {
    wire r;
    pl_static_info info;
    wire_open(&r, sizes[i], 0);
    double time = solve_time(&r, &info);
    printf("cantilever of %d edges: static in %d iterations,%.3g,ms\n", sizes[i], info.iterations,
           time * 1e3);
    wire_close(&r);
  }
}

int main(int argc, char **argv) {
  (void)argc;
  set_blas_environment(argv);
  pl_env_init(&env);
  printf("what,value,unit\nBLAS kernels: %s,,\n", pl_blas_core());
  bench_supports();
  bench_cantilever();
  return 0;
}
