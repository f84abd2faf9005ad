// Harmonic balance: the fork's steady state against Newmark, assembly against factorisation, the
// factorisation's rate against dgemm, factorisations of a response, growth with unknowns and
// harmonics. Prints CSV: what, value, unit. Ratios are measured in one run and are what counts.
// An argument picks one section: fork, solid, dofs, harmonics, wings, large, stability.
#include "bench.h"

#include <math.h>
#include <string.h>
#include <time.h>

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);

static double deadline; // wall time at which a run is given up

static const double LIMIT = 120; // s a run

static void row(const char *what, double value, const char *unit) {
  printf("%s,%.6g,%s\n", what, value, unit);
  fflush(stdout);
}

static int late(void *ctx, const pl_progress *p) {
  (void)ctx, (void)p;
  return deadline > 0 && pl_wall_time() > deadline;
}

// ---- memory -----------------------------------------------------------------------------------

// what the system counts for this process, with the factors that libraries allocate
static double resident(const char *key) {
  FILE *f = fopen("/proc/self/status", "r");
  char line[256];
  double kb = 0;
  size_t n = strlen(key);
  while (f && fgets(line, sizeof line, f))
    if (!strncmp(line, key, n)) kb = atof(line + n + 1);
  if (f) fclose(f);
  return kb / 1024;
}

// the peak counts from here on, where the system allows that
static void forget_peak(void) {
  FILE *f = fopen("/proc/self/clear_refs", "w");
  if (!f) return;
  fputs("5", f);
  fclose(f);
}

// ---- models -------------------------------------------------------------------------------------

typedef struct rig {
  pl_mesh *mesh;
  pl_scene *scene; // or
  pl_built b;
  pl_model *m;
  pl_params *p;
  pl_work *w;
} rig;

static void open_scene(const char *path, rig *r) {
  *r = (rig){0};
  must(pl_scene_load(&env, path, 0, NULL, &r->scene));
  r->m = r->scene->model;
  r->p = r->scene->params;
  must(pl_work_create(r->m, 2, &r->w));
}

static void close_rig(rig *r) {
  if (r->scene) pl_work_free(r->w);
  pl_scene_free(r->scene);
  pl_built_free(&r->b);
  pl_mesh_free(r->mesh);
}

static double first_mode(const rig *r) {
  pl_modes_opts o = {.count = 1};
  pl_state *s;
  double omega;
  double *shape = pl_alloc(&env, (size_t)pl_model_nq(r->m), sizeof *shape);
  must(pl_state_create(r->m, r->p, &s));
  must(pl_modes(&o, r->m, r->p, s, r->w, &omega, shape, NULL));
  pl_state_free(r->m, s);
  pl_free(&env, shape);
  return omega;
}

static pl_periodic_opts periodic_opts(double omega, int nharm, int nsample) {
  pl_periodic_opts o;
  pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &o);
  o.frequency = omega;
  o.harmonics = nharm;
  o.samples = nsample;
  return o;
}

// ---- assembly, factorisation, dgemm -----------------------------------------------------------

static double dgemm_rate(void) {
  pl_blas_alone();
  enum { N = 1500 };
  const int n = N;
  const double one = 1, zero = 0;
  double *a = pl_alloc(&env, 3 * N * N, sizeof *a), best = 1e9;
  for (int i = 0; i < 2 * N * N; i++) a[i] = 1.0 / (1 + i % 97);
  for (int i = 0; i < 6; i++) {
    double t = pl_wall_time();
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, a + N * N, &n, &zero, a + 2 * N * N, &n);
    t = pl_wall_time() - t;
    if (t < best) best = t;
  }
  pl_free(&env, a);
  return 2.0 * N * N * N / best * 1e-9;
}

typedef struct cost {
  double assembly, analysis, factor, solve, rate; // s, GFlop/s
  const char *backend;
} cost;

// best of some at one motion
static cost jacobian_cost(const rig *r, const pl_orbit *o, int nsample, int rounds) {
  cost c = {.assembly = 1e9, .factor = 1e9};
  pl_hb *hb;
  pl_factor *f;
  must(pl_hb_create(r->m, r->p, r->w, o->nharm, nsample, &hb));
  for (int i = 0; i < rounds; i++) {
    double t = pl_wall_time();
    must(pl_hb_eval(hb, o->z, o->omega, PL_HB_RESIDUAL | PL_HB_JACOBIAN));
    c.assembly = fmin(c.assembly, pl_wall_time() - t);
  }
  const pl_blocks *J = pl_hb_jacobian(hb);
  double t = pl_wall_time();
  must(pl_factor_create_blocks(&env, J, 2, &f));
  c.analysis = pl_wall_time() - t;
  for (int i = 0; i < rounds; i++) {
    t = pl_wall_time();
    must(pl_factor_numeric_blocks(f, J));
    c.factor = fmin(c.factor, pl_wall_time() - t);
  }
  double *x = pl_alloc(&env, (size_t)pl_hb_size(hb), sizeof *x);
  memcpy(x, pl_hb_residual(hb), (size_t)pl_hb_size(hb) * sizeof *x);
  t = pl_wall_time();
  must(pl_factor_solve(f, 1, x, x));
  c.solve = pl_wall_time() - t;
  pl_factor_info info = pl_factor_stats(f);
  c.rate = info.flops / c.factor * 1e-9;
  c.backend = info.backend;
  pl_free(&env, x);
  pl_factor_free(f);
  pl_hb_free(hb);
  return c;
}

static void print_cost(const char *name, const cost *c) {
  printf("%s: Jacobian and residual,%.4f,s\n%s: symbolic analysis,%.4f,s\n", name, c->assembly,
         name, c->analysis);
  printf("%s: factorisation (%s),%.4f,s\n%s: one solve,%.4f,s\n", name, c->backend, c->factor, name,
         c->solve);
  printf("%s: assembly / factorisation,%.3f,\n%s: factorisation rate,%.1f,GFlop/s\n", name,
         c->assembly / c->factor, name, c->rate);
  fflush(stdout);
}

// ---- the fork ---------------------------------------------------------------------------------

// Newmark from rest until e_p < 1e-7. The average acceleration keeps what the first jolt puts into
// stiff vibrations, which grow in the end (256 steps a period are few for them): gamma = 0.505,
// with beta = (gamma + 1/2)^2/4, takes that away and hardly touches the motion.
static double newmark_time(const rig *r, double omega) {
  pl_transient_opts o;
  pl_transient_info info;
  pl_state *s;
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &o);
  o.frequency = omega;
  o.steps_per_period = 256;
  o.steady = 1e-7;
  o.periods = 1000;
  o.newmark_gamma = 0.505;
  o.newmark_beta = 0.25 * (o.newmark_gamma + 0.5) * (o.newmark_gamma + 0.5);
  must(pl_state_create(r->m, r->p, &s));
  must(pl_transient(&o, r->m, r->p, s, NULL, r->w, NULL, NULL, &info));
  printf("fork: Newmark with 256 steps a period: %s,%.3f,s\n", pl_stop_text(info.reason),
         info.seconds);
  row("fork: Newmark periods to e_p < 1e-7", info.nperiod, "");
  row("fork: Newmark e_p", info.period_change, "m");
  row("fork: Newmark steps", (double)info.nstep, "");
  row("fork: Newmark Newton iterations", (double)info.iterations, "");
  pl_state_free(r->m, s);
  return info.seconds;
}

static void bench_fork(void) {
  rig r;
  open_scene("scenes/fork.yaml", &r);
  double omega = first_mode(&r);
  row("fork: unknowns", pl_model_nfree(r.m) * 11, "");
  row("fork: first mode", omega, "rad/s");
  pl_periodic_opts o = periodic_opts(omega, 5, 64);
  pl_periodic_info info;
  pl_orbit *orbit = NULL;
  deadline = pl_wall_time() + LIMIT;
  pl_status st = pl_periodic(&o, r.m, r.p, r.w, &orbit, &info);
  deadline = 0;
  printf("fork: steady state: %s from %s,%.3f,s\n", pl_status_text(st), info.start, info.seconds);
  row("fork: Newton iterations", info.iterations, "");
  row("fork: factorisations", info.factorisations, "");
  row("fork: GMRES iterations", info.krylov, "");
  row("fork: residual", info.residual, "");
  if (st == PL_OK) {
    cost c = jacobian_cost(&r, orbit, 64, 5);
    print_cost("fork", &c);
  }
  double t = newmark_time(&r, omega);
  if (st == PL_OK) row("fork: Newmark / harmonic balance", t / info.seconds, "");
  pl_orbit_free(orbit);
  close_rig(&r);
}

// ---- a solid ----------------------------------------------------------------------------------

// a slender block of tets, shaken at one end: 306 nodes
static void make_solid(rig *r) {
  pl_term shake = {.harmonic = 1, .amplitude = {0, 0, 2e-3}};
  *r = (rig){0};
  must(pl_gen_tet_box(&env, (int[]){16, 5, 2}, (double[]){0.2, 0.06, 0.012}, &r->mesh));
  pl_builder *b = one_body(&(pl_body_desc){.kind = PL_BODY_SOLID,
                                           .mesh = r->mesh,
                                           .young = {.v = 2e6},
                                           .poisson = {.v = 0.4},
                                           .density = {.v = 1100}});
  hold_left(b, &(pl_drive_desc){.nterm = 1, .term = &shake});
  b->alpha = 1;
  b->beta = 1e-3;
  must(pl_build_all(b, 2, &r->b));
  r->m = r->b.model;
  r->p = r->b.params;
  r->w = r->b.work;
}

static int far_node(const pl_mesh *mesh) {
  int best = 0;
  for (int i = 1; i < mesh->nvert; i++)
    if (mesh->X[3 * i] > mesh->X[3 * best]) best = i;
  return best;
}

static pl_response_opts response_opts(double from, double to, int nharm, int points) {
  pl_response_opts o;
  pl_opts_default(pl_response_option_table, pl_response_option_count, &o);
  o.from = from;
  o.to = to;
  o.harmonics = nharm;
  o.points = points;
  o.stability = 0;
  return o;
}

static void bench_solid(void) {
  rig r;
  make_solid(&r);
  double omega = first_mode(&r), gemm = 2 * dgemm_rate();
  row("twice the rate of dgemm of 1500 x 1500 on one thread", gemm, "GFlop/s");
  row("solid: nodes", r.mesh->nvert, "");
  row("solid: unknowns", pl_model_nfree(r.m) * 17, "");
  row("solid: first mode", omega, "rad/s");
  pl_periodic_opts o = periodic_opts(0.7 * omega, 8, 0);
  pl_periodic_info info;
  pl_orbit *orbit = NULL;
  must(pl_periodic(&o, r.m, r.p, r.w, &orbit, &info));
  row("solid: steady state", info.seconds, "s");
  cost c = jacobian_cost(&r, orbit, 0, 3);
  print_cost("solid", &c);
  row("solid: factorisation rate / dgemm", c.rate / gemm, "");
  pl_response_opts ro = response_opts(0.7 * omega, 1.3 * omega, 8, 30);
  pl_curve *curve;
  int node = far_node(r.mesh);
  deadline = pl_wall_time() + LIMIT;
  pl_status st = pl_response(&ro, r.m, r.p, r.w, 1, &node, orbit, &curve);
  deadline = 0;
  printf("solid: response: %s,%.2f,s\n", pl_status_text(st), curve ? curve->seconds : -1);
  if (curve) {
    row("solid: response points", curve->npoint, "");
    row("solid: response factorisations", curve->factorisations, "");
    row("solid: response Newton iterations", curve->iterations, "");
    row("solid: response GMRES iterations", curve->krylov, "");
    row("solid: response reached", curve->point[curve->npoint - 1].orbit->omega / omega, "modes");
  }
  pl_curve_free(curve);
  pl_orbit_free(orbit);
  close_rig(&r);
}

// ---- mesh size --------------------------------------------------------------------------------

// the first peak of a response in a few harmonics; 0: none found in the time allowed
static double peak_of(const rig *r, double omega, int nharm, int probe) {
  pl_response_opts o = response_opts(0.9 * omega, 1.1 * omega, nharm, 200);
  pl_curve *curve;
  double peak = 0;
  deadline = pl_wall_time() + LIMIT;
  // a curve that is cut short may hold its peak all the same
  (void)pl_response(&o, r->m, r->p, r->w, 1, &probe, NULL, &curve);
  deadline = 0;
  for (int k = 0; curve && k < curve->nspecial && peak == 0; k++)
    if (curve->special[k].kind == PL_PEAK) peak = curve->special[k].omega;
  pl_curve_free(curve);
  return peak;
}

// log2 of the ratio of the changes of a value when the size is halved twice
static void print_order(const char *name, const char *what, const double v[3]) {
  for (int k = 0; k < 3; k++)
    printf("%s: %s at mesh size 1/%d,%.6g,rad/s\n", name, what, 1 << k, v[k]);
  if (v[0] > 0 && v[1] > 0 && v[2] > 0)
    printf("%s: order of %s,%.3f,\n", name, what, log2((v[1] - v[0]) / (v[2] - v[1])));
  fflush(stdout);
}

static void bench_sizes(const char *name, const char *path, int nharm, const char *const set[3]) {
  double mode[3], peak[3];
  for (int k = 0; k < 3; k++) {
    rig r = {0};
    must(pl_scene_load(&env, path, 1, &set[k], &r.scene));
    r.m = r.scene->model;
    r.p = r.scene->params;
    must(pl_work_create(r.m, 2, &r.w));
    mode[k] = first_mode(&r);
    peak[k] = peak_of(&r, mode[k], nharm, r.scene->probe[0].node);
    close_rig(&r);
  }
  print_order(name, "first mode", mode);
  print_order(name, "peak of the response", peak);
}

static void bench_wings(void) {
  static const char *const l[] = {"bodies.0.shell.mesh=meshes/wing-l-2.obj",
                                  "bodies.0.shell.mesh=meshes/wing-l-4.obj",
                                  "bodies.0.shell.mesh=meshes/wing-l-8.obj"};
  static const char *const t[] = {"bodies.0.shell.mesh=meshes/wing-t-2.obj",
                                  "bodies.0.shell.mesh=meshes/wing-t-4.obj",
                                  "bodies.0.shell.mesh=meshes/wing-t-8.obj"};
  bench_sizes("wing-l", "scenes/wing-l.yaml", 5, l);
  bench_sizes("wing-t", "scenes/wing-t.yaml", 5, t);
}

// wider than high, so that its first two bending modes lie apart
static void bench_block(void) {
  static const char *const b[] = {
      "bodies.0.solid.mesh.box={size: [100, 60, 40], cells: [5, 3, 2], cell: tet}",
      "bodies.0.solid.mesh.box={size: [100, 60, 40], cells: [10, 6, 4], cell: tet}",
      "bodies.0.solid.mesh.box={size: [100, 60, 40], cells: [20, 12, 8], cell: tet}"};
  bench_sizes("block", "scenes/solid-hb.yaml", 2, b);
}

// ---- growth -----------------------------------------------------------------------------------

// assembly and factorisation of a strip at rest, which cost what they do in motion
static cost growth_row(const char *by, int cells, int nharm) {
  char mesh[128];
  snprintf(mesh, sizeof mesh, "bodies.0.shell.mesh={grid: {size: [150, 30], cells: [%d, %d]}}",
           5 * cells, cells);
  const char *set[] = {mesh};
  rig r = {0};
  must(pl_scene_load(&env, "scenes/strip.yaml", 1, set, &r.scene));
  r.m = r.scene->model;
  r.p = r.scene->params;
  must(pl_work_create(r.m, 2, &r.w));
  pl_orbit *o;
  must(pl_orbit_create(&env, r.m, nharm, &o));
  o->omega = 0.37 * first_mode(&r); // no multiple is a mode
  for (int i = 0; i < o->nfree; i++)
    o->z[(size_t)i * (2 * nharm + 1)] = r.p->X[pl_model_free_dofs(r.m)[i]];
  forget_peak();
  double before = resident("VmRSS");
  cost c = jacobian_cost(&r, o, 0, 1);
  printf("%s: %d DOFs and H = %d: assembly,%.4f,s\n", by, o->nfree, nharm, c.assembly);
  printf("%s: %d DOFs and H = %d: factorisation,%.4f,s\n", by, o->nfree, nharm, c.factor);
  printf("%s: %d DOFs and H = %d: memory,%.0f,MiB\n", by, o->nfree, nharm,
         resident("VmHWM") - before);
  fflush(stdout);
  c.rate = o->nfree;
  pl_orbit_free(o);
  close_rig(&r);
  return c;
}

static void bench_dofs(void) {
  static const int cells[] = {6, 9, 12, 17, 25};
  cost last = {0};
  for (int k = 0; k < 5; k++) {
    cost c = growth_row("growth", cells[k], 5);
    double by = last.rate > 0 ? log(c.rate / last.rate) : 0;
    if (by > 0) {
      row("growth: exponent of assembly in DOFs", log(c.assembly / last.assembly) / by, "");
      row("growth: exponent of factorisation in DOFs", log(c.factor / last.factor) / by, "");
    }
    last = c;
    if (c.factor + c.assembly > LIMIT) break;
  }
}

static void bench_harmonics(void) {
  static const int nharm[] = {1, 2, 5, 10, 20};
  cost last = {0};
  for (int k = 0; k < 5; k++) {
    cost c = growth_row("harmonics", 6, nharm[k]);
    if (k > 0) {
      double by = log((2 * nharm[k] + 1.0) / (2 * nharm[k - 1] + 1));
      row("harmonics: exponent of assembly in 2H + 1", log(c.assembly / last.assembly) / by, "");
      row("harmonics: exponent of factorisation in 2H + 1", log(c.factor / last.factor) / by, "");
    }
    last = c;
    if (c.factor + c.assembly > LIMIT) break;
  }
}

// 30 points of the response of a strip with 10,000 unknowns
static void bench_large(void) {
  static const char *const set[] = {
      "bodies.0.shell.mesh={grid: {size: [200, 40], cells: [126, 26]}}",
      "drives.0.rotation.amplitude=2 deg"};
  rig r = {0};
  pl_curve *curve;
  must(pl_scene_load(&env, "scenes/strip40.yaml", 2, set, &r.scene));
  r.m = r.scene->model;
  r.p = r.scene->params;
  must(pl_work_create(r.m, 2, &r.w));
  double omega = first_mode(&r);
  row("large: DOFs", pl_model_nfree(r.m), "");
  pl_response_opts o = response_opts(0.9 * omega, 1.1 * omega, 5, 30);
  forget_peak();
  deadline = pl_wall_time() + 30 * LIMIT;
  // it ends at the 30th point
  (void)pl_response(&o, r.m, r.p, r.w, 1, &r.scene->probe[0].node, NULL, &curve);
  deadline = 0;
  if (curve) {
    row("large: points", curve->npoint, "");
    row("large: response", curve->seconds, "s");
    row("large: factorisations", curve->factorisations, "");
    row("large: Newton iterations", curve->iterations, "");
    row("large: GMRES iterations", curve->krylov, "");
    row("large: reached", curve->point[curve->npoint - 1].orbit->omega / omega, "modes");
  }
  row("large: memory", resident("VmHWM"), "MiB");
  pl_curve_free(curve);
  close_rig(&r);
}

// ---- stability ----------------------------------------------------------------------------------

// CPU seconds of a response with or without stability; *points of its curve
static double response_cost(const rig *r, const pl_response_opts *o, int probe, int stability,
                            int *points) {
  pl_response_opts with = *o;
  pl_curve *c = NULL;
  double begin = pl_cpu_time();
  with.stability = stability;
  pl_status s = pl_response(&with, r->m, r->p, r->w, 1, &probe, NULL, &c);
  if (s != PL_OK && (!c || c->reason != PL_STOP_POINTS))
    fprintf(stderr, "bench: the curve ends early: %s\n", pl_status_text(s));
  *points = c ? c->npoint : 0;
  pl_curve_free(c);
  return pl_cpu_time() - begin;
}

// a response with stability over one without, the least of some runs in turns where they are short
static void stability_ratio(const char *name, const rig *r, double from, double to, int nharm,
                            int most) {
  enum { ROUNDS = 5, ENOUGH = 30 }; // s
  pl_response_opts o = response_opts(from, to, nharm, most);
  int points, probe = r->scene->probe[0].node;
  char what[96];
  double without = INFINITY, with = INFINITY, begin = pl_cpu_time();
  for (int k = 0; k < ROUNDS && pl_cpu_time() - begin < ENOUGH; k++) {
    without = fmin(without, response_cost(r, &o, probe, 0, &points));
    with = fmin(with, response_cost(r, &o, probe, 1, &points));
  }
  snprintf(what, sizeof what, "stability %s: %d unknowns; %d points without", name,
           pl_model_nfree(r->m), points);
  row(what, without, "CPU s");
  snprintf(what, sizeof what, "stability %s: with over without", name);
  row(what, with / without, "");
}

// cantilever of eight Euler beams, 16 unknowns, shaken by a force at its end
static void beam_text(pl_text *t) {
  enum { CELLS = 8, N = 2 * CELLS };
  double l = 0.3 / CELLS, EI = 2.1e11 * 0.02 * pow(0.002, 3) / 12, m = 7850 * 0.02 * 0.002 * l;
  double K[N + 2][N + 2] = {{0}}, M[N + 2][N + 2] = {{0}};
  const double k[4][4] = {{12, 6 * l, -12, 6 * l},
                          {6 * l, 4 * l * l, -6 * l, 2 * l * l},
                          {-12, -6 * l, 12, -6 * l},
                          {6 * l, 2 * l * l, -6 * l, 4 * l * l}};
  const double c[4][4] = {{156, 22 * l, 54, -13 * l},
                          {22 * l, 4 * l * l, 13 * l, -3 * l * l},
                          {54, 13 * l, 156, -22 * l},
                          {-13 * l, -3 * l * l, -22 * l, 4 * l * l}};
  for (int e = 0; e < CELLS; e++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        K[2 * e + i][2 * e + j] += EI / (l * l * l) * k[i][j];
        M[2 * e + i][2 * e + j] += m / 420 * c[i][j];
      }
  pl_text_add(t, "pliant: 1\ndimension: 1\nnodes: {");
  for (int i = 0; i < N; i++) pl_text_add(t, "%sq%d: 0", i ? ", " : "", i);
  pl_text_add(t, "}\nmatrices:\n  dofs: [");
  for (int i = 0; i < N; i++) pl_text_add(t, "%sq%d", i ? ", " : "", i);
  const char *const names[] = {"mass", "damping", "stiffness"};
  for (int w = 0; w < 3; w++) {
    pl_text_add(t, "]\n  %s: [", names[w]);
    for (int i = 2; i < N + 2; i++)
      for (int j = 2; j < N + 2; j++)
        pl_text_add(t, "%s%.17g%s",
                    j > 2   ? ", "
                    : i > 2 ? ", ["
                            : "[",
                    w == 2 ? K[i][j] : (w ? 2.3 : 1) * M[i][j], j == N + 1 ? "]" : "");
  }
  pl_text_add(t, "]\nloads: [{node: q14, force: [1 N], harmonic: 1}]\nwatch: {tip: q14}\n");
}

static void open_text(const char *text, size_t n, rig *r) {
  *r = (rig){0};
  must(pl_scene_parse(&env, "bench.yaml", ".", text, n, 0, NULL, NULL, &r->scene));
  r->m = r->scene->model;
  r->p = r->scene->params;
  must(pl_work_create(r->m, 1, &r->w));
}

// on one thread: CPU time is what counts
static void open_one(const char *path, rig *r) {
  *r = (rig){0};
  must(pl_scene_load(&env, path, 0, NULL, &r->scene));
  r->m = r->scene->model;
  r->p = r->scene->params;
  must(pl_work_create(r->m, 1, &r->w));
}

static void ratio_of_beam(void) {
  rig r;
  pl_text t;
  pl_text_init(&t, &env);
  beam_text(&t);
  must(t.failed ? PL_E_NOMEM : PL_OK);
  open_text(t.s, t.n, &r);
  stability_ratio("beam", &r, 60, 1000, 0, 5000);
  close_rig(&r);
  pl_text_free(&t);
}

static void ratio_of_strip(void) {
  static const char strip[] =
      "pliant: 1\n"
      "units: {length: mm}\n"
      "materials: {pla: {young: 3.3 GPa, poisson: 0.36, density: 1240 kg/m^3}}\n"
      "bodies:\n"
      "  - name: strip\n"
      "    shell: {bending: hinge, mesh: {grid: {size: [150, 30], cells: [16, 4]}}, material: pla, "
      "thickness: "
      "0.8}\n"
      "sets: {root: strip where x < 10, tip: 'strip nearest [150, 15, 0]'}\n"
      "drives: [{nodes: root, translation: [0, 0, 3 mm]}]\n"
      "damping: {mass: 0.5 1/s, stiffness: 5e-5 s}\n"
      "watch: {tip: tip}\n";
  rig r;
  open_text(strip, sizeof strip - 1, &r);
  stability_ratio("strip", &r, 20, 60, 0, 5000);
  close_rig(&r);
}

// a bar of 120 masses pushed at its end, where a stop waits; one of the masses rubs
static void ratio_of_bar(void) {
  enum { N = 120 };
  rig r;
  pl_text t;
  pl_text_init(&t, &env);
  pl_text_add(&t, "pliant: 1\ndimension: 1\nnodes: {");
  for (int i = 0; i < N; i++) pl_text_add(&t, "%sm%d: 0", i ? ", " : "", i);
  pl_text_add(&t, "}\nmasses:\n");
  for (int i = 0; i < N; i++) pl_text_add(&t, "  - {node: m%d, mass: %.17g kg}\n", i, 1.0 / N);
  pl_text_add(&t, "springs:\n");
  for (int i = 0; i < N; i++) {
    char from[16] = "ground";
    if (i) snprintf(from, sizeof from, "m%d", i - 1);
    pl_text_add(&t, "  - {nodes: [%s, m%d], stiffness: %d N/m, cubic: %d N/m^3}\n", from, i, N,
                N / 10);
  }
  pl_text_add(&t,
              "stops: [{nodes: [ground, m%d], gap: 0.04 m, stiffness: 4 N/m}]\n"
              "friction: [{nodes: [ground, m70], stiffness: 1 N/m, limit: 0.02 N}]\n"
              "damping: {mass: 0.1 1/s, stiffness: 0.002 s}\n"
              "loads: [{node: m%d, force: [0.05 N], harmonic: 1}]\n"
              "watch: {tip: m%d}\n",
              N - 1, N - 1, N - 1);
  must(t.failed ? PL_E_NOMEM : PL_OK);
  open_text(t.s, t.n, &r);
  stability_ratio("bar", &r, 1.2, 2.2, 15, 5000);
  close_rig(&r);
  pl_text_free(&t);
}

static void ratio_of_scene(const char *name, const char *path, double from, double to, int nharm) {
  rig r;
  open_one(path, &r);
  stability_ratio(name, &r, from, to, nharm, 5000);
  close_rig(&r);
}

// the beginning of the first resonance of a shaken plate of shells or block of solids
static void ratio_of_size(const char *name, const char *body, const char *material, double to_mode,
                          int points) {
  rig r;
  pl_text t;
  pl_text_init(&t, &env);
  pl_text_add(&t,
              "pliant: 1\n"
              "units: {length: mm}\n"
              "materials: {m: %s}\n"
              "bodies: [{name: b, %s}]\n"
              "sets: {root: b where x < 10, tip: 'b nearest [200, 20, 10]'}\n"
              "drives: [{nodes: root, translation: [0, 0, 2 mm]}]\n"
              "damping: {mass: 0.5 1/s, stiffness: 5e-5 s}\n"
              "watch: {tip: tip}\n",
              material, body);
  must(t.failed ? PL_E_NOMEM : PL_OK);
  open_text(t.s, t.n, &r);
  double omega = first_mode(&r);
  stability_ratio(name, &r, to_mode * omega, 2 * omega, 5, points);
  close_rig(&r);
  pl_text_free(&t);
}

// A response with stability is to cost at most 1.3 times as much as without; only: one of the
// cases.
static void bench_stability(const char *only) {
  static const char plastic[] = "{young: 3.3 GPa, poisson: 0.36, density: 1240 kg/m^3}";
  static const char rubber[] = "{young: 2 MPa, poisson: 0.4, density: 1100 kg/m^3}";
  static const struct {
    const char *name, *cells;
    int solid;
  } size[] = {{"plate of 500", "19, 8", 0},     {"plate of 1000", "25, 12", 0},
              {"plate of 2000", "34, 18", 0},   {"block of 500", "14, 3, 2", 1},
              {"block of 1000", "19, 4, 3", 1}, {"block of 2000", "32, 4, 3", 1}};
  deadline = 0;
  if (!*only || !strcmp(only, "beam")) ratio_of_beam();
  if (!*only || !strcmp(only, "strip")) ratio_of_strip();
  if (!*only || !strcmp(only, "leg"))
    ratio_of_scene("leg", "gallery/three-link-leg/scene.yaml", 4 * M_PI, 12 * M_PI, 0);
  if (!*only || !strcmp(only, "fork")) ratio_of_scene("fork", "scenes/fork.yaml", 8, 14, 5);
  if (!*only || !strcmp(only, "bar")) ratio_of_bar();
  for (size_t k = 0; k < sizeof size / sizeof size[0]; k++) {
    char body[160];
    if (*only && strcmp(only, size[k].name)) continue;
    snprintf(
        body, sizeof body,
        size[k].solid
            ? "solid: {order: 1, mass: lumped, mesh: {box: {size: [200, 40, 20], "
              "cells: [%s], cell: tet}}, material: m}"
            : "shell: {bending: hinge, mesh: {grid: {size: [200, 100], cells: [%s]}}, material: m, "
              "thickness: 0.8}",
        size[k].cells);
    ratio_of_size(size[k].name, body, size[k].solid ? rubber : plastic, 0.97, 12);
  }
}

int main(int argc, char **argv) {
  set_blas_environment(argv);
  pl_env_init(&env);
  env.progress = late;
  printf("what,value,unit\nBLAS kernels: %s,,\n", pl_blas_core());
  const char *only = argc > 1 ? argv[1] : "";
  if (!*only || !strcmp(only, "fork")) bench_fork();
  if (!*only || !strcmp(only, "solid")) bench_solid();
  if (!*only || !strcmp(only, "dofs")) bench_dofs();
  if (!*only || !strcmp(only, "harmonics")) bench_harmonics();
  if (!*only || !strcmp(only, "wings")) bench_wings();
  if (!*only || !strcmp(only, "block")) bench_block();
  if (!*only || !strcmp(only, "large")) bench_large();
  if (!*only || !strcmp(only, "stability")) bench_stability(argc > 2 ? argv[2] : "");
  return 0;
}
