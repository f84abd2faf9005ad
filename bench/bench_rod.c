// Statics of rods from 30 to 30,000 edges: a wire over many supports that sags under its weight,
// and a cantilever. Prints CSV: what, value, unit; the growth exponent is that of the time with the
// number of edges.
#include "bench.h"

#include <math.h>

enum { SPAN = 30 }; // edges between supports

typedef struct wire {
  int n;
  pl_mesh *mesh;
  pl_built b;
} wire;

// n edges of 1 cm along x, 2 mm thick; every: edges between fixed nodes, 0: clamped at one end
static void wire_open(wire *r, int n, int every) {
  r->n = n;
  must(pl_mesh_create(&env, "wire", n + 1, &r->mesh));
  must(pl_mesh_set_cells(r->mesh, PL_SEG2, n));
  for (int i = 0; i <= n; i++) r->mesh->X[3 * i] = 0.01 * i;
  for (int i = 0; i < 2 * n; i++) r->mesh->cell[PL_SEG2].v[i] = (i + 1) / 2;
  pl_builder *b =
      one_body(&(pl_body_desc){.kind = PL_BODY_ROD,
                               .mesh = r->mesh,
                               .young = {.v = 2e9},
                               .poisson = {.v = 0.3},
                               .density = {.v = 1200},
                               .section = {.width = {.v = 2e-3}, .height = {.v = 2e-3}}});
  for (int i = 0; every && i <= n; i += every) pl_build_fix(b, 1, &i, PL_HOLD_NODES);
  if (!every) pl_build_fix(b, 2, (int[]){0, 1}, PL_HOLD_NODES);
  // a cantilever bends as much whatever its length
  b->gravity[2] = every ? -9.81 : -9.81 / pow(n / 30.0, 3);
  must(pl_build_all(b, 1, &r->b));
}

static void wire_close(wire *r) {
  pl_built_free(&r->b);
  pl_mesh_free(r->mesh);
}

// best of several, as the machine is shared
static double solve_time(wire *r, pl_static_info *info) {
  pl_static_opts o;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  o.rtol = 1e-8;
  double best = 1e9;
  for (int i = 0; i < 5; i++) {
    pl_state *s;
    must(pl_state_create(r->b.model, r->b.params, &s));
    double t = pl_wall_time();
    must(pl_static(&o, r->b.model, r->b.params, s, r->b.work, NULL, NULL, info));
    t = pl_wall_time() - t;
    if (t < best) best = t;
    pl_state_free(r->b.model, s);
  }
  return best;
}

// parts of one iteration, over their number of edges
static void bench_parts(wire *r) {
  const pl_coef c = {.k = 1};
  const pl_clock k = {.scale = 1};
  double eval = 1e9, symbolic = 1e9, numeric = 1e9, ldl = 1e9, t;
  for (int i = 0; i < 5; i++) {
    pl_factor *f;
    t = pl_wall_time();
    must(pl_eval(r->b.model, r->b.params, r->b.state, &k, PL_WANT_FORCE | PL_WANT_TANGENT, &c,
                 r->b.work));
    eval = fmin(eval, pl_wall_time() - t);
    t = pl_wall_time();
    must(pl_factor_create(&env, PL_CHOLESKY, &r->b.work->A, 1, 1, &f));
    symbolic = fmin(symbolic, pl_wall_time() - t);
    t = pl_wall_time();
    must(pl_factor_numeric(f, &r->b.work->A));
    numeric = fmin(numeric, pl_wall_time() - t);
    pl_factor_free(f);
    t = pl_wall_time();
    must(pl_factor_create(&env, PL_LDL, &r->b.work->A, 1, 1, &f));
    must(pl_factor_numeric(f, &r->b.work->A));
    ldl = fmin(ldl, pl_wall_time() - t);
    pl_factor_free(f);
  }
  double n = r->n;
  printf("%d edges: forces and stiffness,%.3g,us/edge\n", r->n, eval / n * 1e6);
  printf("%d edges: Cholesky symbolic,%.3g,us/edge\n", r->n, symbolic / n * 1e6);
  printf("%d edges: Cholesky numeric,%.3g,us/edge\n", r->n, numeric / n * 1e6);
  printf("%d edges: LDL of the last stiffness,%.3g,us/edge\n", r->n, ldl / n * 1e6);
}

static void bench_supports(int most) {
  static const int sizes[] = {30, 90, 300, 900, 3000, 9000, 30000};
  double first = 0, last = 0;
  for (int i = 0; i < 7 && sizes[i] <= most; i++) {
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
  if (most >= 30000)
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
  set_blas_environment(argv);
  pl_env_init(&env);
  printf("what,value,unit\nBLAS kernels: %s,,\n", pl_blas_core());
  bench_supports(argc > 1 ? atoi(argv[1]) : 30000);
  bench_cantilever();
  return 0;
}
