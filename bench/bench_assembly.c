// Cost of assembling K against its numeric Cholesky factorisation, threads, and elements a second.
// Prints CSV: what, value, unit. Ratios are measured in one run and are what counts.
#include "bench.h"

// a cantilevered block of tets with about ndof unknowns
static pl_mesh *make_block(int cells, pl_built *out) {
  pl_mesh *mesh;
  must(pl_gen_tet_box(&env, (int[]){cells, cells, cells}, (double[]){1, 1, 1}, &mesh));
  pl_builder *b = one_body(&(pl_body_desc){.kind = PL_BODY_SOLID,
                                           .mesh = mesh,
                                           .young = {.v = 1e6},
                                           .poisson = {.v = 0.3},
                                           .density = {.v = 1000}});
  hold_left(b, NULL);
  must(pl_build_all(b, 1, out));
  return mesh;
}

// best of several, as the machine is shared
static double assembly_time(const pl_built *r, pl_work *w) {
  const pl_coef c = {.k = 1};
  const pl_clock k = {.scale = 1};
  double best = 1e9;
  for (int i = 0; i < 9; i++) {
    double t = pl_wall_time();
    must(pl_eval(r->model, r->params, r->state, &k, PL_WANT_FORCE | PL_WANT_TANGENT, &c, w));
    t = pl_wall_time() - t;
    if (t < best) best = t;
  }
  return best;
}

static void bench_block(void) {
  pl_built r;
  pl_mesh *mesh = make_block(27, &r);
  printf("unknowns,%d,\ntetrahedra,%d,\n", pl_model_nfree(r.model),
         pl_model_group_size(r.model, 0));
  double t[2];
  for (int threads = 1; threads <= 2; threads++) {
    pl_work *w;
    must(pl_work_create(r.model, threads, &w));
    t[threads - 1] = assembly_time(&r, w);
    printf("assembly of K and force on %d threads,%.4f,s\n", threads, t[threads - 1]);
    if (threads == 2) {
      pl_factor *f;
      double s = pl_wall_time();
      must(pl_factor_create(&env, PL_CHOLESKY, &w->A, 3, 2, &f));
      printf("symbolic analysis,%.4f,s\n", pl_wall_time() - s);
      double best = 1e9;
      for (int i = 0; i < 2; i++) {
        s = pl_wall_time();
        must(pl_factor_numeric(f, &w->A));
        s = pl_wall_time() - s;
        if (s < best) best = s;
      }
      pl_factor_info info = pl_factor_stats(f);
      printf("numeric Cholesky on 2 threads (%s),%.4f,s\n", info.backend, best);
      printf("Cholesky rate,%.1f,GFlop/s\n", info.flops / best * 1e-9);
      printf("assembly / Cholesky,%.4f,\n", t[1] / best);
      pl_factor_free(f);
    }
    pl_work_free(w);
  }
  printf("speed-up of assembly on 2 threads,%.3f,\n", t[0] / t[1]);
  pl_built_free(&r);
  pl_mesh_free(mesh);
}

// seconds of energy, gradient and Hessian of one element, eight at a time where the kind has that
static double eval_time(const pl_elem_kind *kind, const double *q, const double *par,
                        const double *rest) {
  static double g[PL_NDOF_MAX], H[PL_NDOF_MAX * PL_NDOF_MAX], e;
  static pl_pack Q[PL_NDOF_MAX], P[PL_NPAR_MAX], R[PL_NREST_MAX], G[PL_NDOF_MAX],
      K[PL_NDOF_MAX * PL_NDOF_MAX], E;
  int n = 20000 / PL_LANES;
  for (int l = 0; l < PL_LANES; l++) {
    for (int i = 0; i < kind->ndof; i++) Q[i][l] = q[i];
    for (int i = 0; i < kind->npar; i++) P[i][l] = par[i];
    for (int i = 0; i < kind->nrest; i++) R[i][l] = rest[i];
  }
  double t = pl_wall_time();
  for (int i = 0; kind->p.eval && i < n; i++) kind->p.eval(Q, P, R, &E, G, K);
  for (int i = 0; !kind->p.eval && i < n * PL_LANES; i++) kind->d.eval(q, par, rest, &e, g, H);
  return (pl_wall_time() - t) / (n * PL_LANES);
}

// one element of each kind, over and over
static void bench_kinds(void) {
  static double X[PL_NDOF_MAX], q[PL_NDOF_MAX], v[PL_NDOF_MAX], par[PL_NPAR_MAX],
      rest[PL_NREST_MAX];
  static double H[PL_NDOF_MAX * PL_NDOF_MAX];
  double linear = 0;
  for (int k = 0; k < PL_ELEM_COUNT; k++) {
    const pl_elem_kind *kind = pl_elem_table[k];
    kind->sample(1, X, q, v, par);
    if (kind->d.prepare) kind->d.prepare(X, rest);
    double best = 1e9, third = 1e9;
    for (int round = 0; round < 5; round++) {
      double t = eval_time(kind, q, par, rest);
      if (t < best) best = t;
      t = pl_wall_time();
      for (int i = 0; i < 5000; i++) pl_elem_third(kind, q, v, par, rest, H);
      t = (pl_wall_time() - t) / 5000;
      if (t < third) third = t;
    }
    printf("%s: energy gradient Hessian,%.3g,elements/s\n", kind->name, 1 / best);
    if (k == PL_ELEM_tet4) linear = best;
    if (k == PL_ELEM_tet10) printf("tet10 / tet4: energy gradient Hessian,%.2f,\n", best / linear);
    printf("%s: d(K v)/dq,%.3g,elements/s\n", kind->name, 1 / third);
  }
}

static void bench_obj(void) {
  pl_mesh *m, *back;
  must(pl_gen_grid(&env, 224, 224, 1, 1, PL_ALTERNATING, &m));
  const char *path = "bench.obj";
  must(pl_mesh_write_obj(m, path));
  char *data;
  size_t size;
  must(pl_file_read(&env, path, 0, &data, &size));
  double best = 1e9;
  for (int i = 0; i < 5; i++) {
    double t = pl_wall_time();
    must(pl_mesh_read(&env, path, &back));
    t = pl_wall_time() - t;
    if (t < best) best = t;
    pl_mesh_free(back);
  }
  printf("OBJ of %d triangles,%.1f,MB/s\n", m->cell[PL_TRI3].n, (double)size / best * 1e-6);
  pl_free(&env, data);
  pl_mesh_free(m);
  remove(path);
}

int main(int argc, char **argv) {
  (void)argc;
  set_blas_environment(argv);
  pl_env_init(&env);
  printf("what,value,unit\nBLAS kernels: %s,,\n", pl_blas_core());
  bench_block();
  bench_kinds();
  bench_obj();
  return 0;
}
