#ifndef LIMIT_SWING_H
#define LIMIT_SWING_H

// A square cloth of the thesis (section 3.5) as a model with its sheet: 0.5 m, 0.5 mm thick,
// 200 kg/m^3, 1800 Pa, 0.41, membrane and hinges.
#include "check.h"
#include "models.h"
#include "pliant/limit.h"
#include "pliant/math.h"

#include <stdlib.h>
#include <string.h>

typedef struct swing {
  pl_env *env;
  model_kit *kit;
  kit_model b;
  int nvert, ntri;
  const int *tri; // the kit's
  double *rest, *mass;
  int *fixed, *node;
  double B[1][3];
  pl_limit limit;
  pl_constraints k;
  pl_transient_opts o;
  pl_project_opts po;
} swing;

static inline void swing_defaults(swing *k, pl_env *env) {
  memset(k, 0, sizeof *k);
  k->env = env;
  k->kit = calloc(1, sizeof *k->kit);
  kit_init(k->kit, env, 3);
  k->kit->d.gravity[2] = -9.81;
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &k->o);
  pl_opts_default(pl_project_option_table, pl_project_option_count, &k->po);
  k->o.method = PL_PROJECT;
  k->o.step = 0.01;
}

static inline void swing_begin(swing *k, pl_env *env, int nx, int ny, double lx, double ly) {
  const double par[4] = {1800, 0.41, 200, 5e-4};
  swing_defaults(k, env);
  kit_grid(k->kit, nx, ny, lx, ly, PL_ALTERNATING, par);
  k->kit->group[0].lumped = 1;
}

// Two squares of n by n cells, the second `above` the first and moved by half a cell.
static inline void swing_stack(swing *k, pl_env *env, int n, double l, double above) {
  const double par[4] = {1800, 0.41, 200, 5e-4};
  swing_defaults(k, env);
  pl_mesh *one, *two;
  check_ok(env, pl_gen_grid(env, n, n, l, l, PL_ALTERNATING, &one));
  check_ok(env, pl_mesh_create(env, "stack", 2 * one->nvert, &two));
  int ntri = one->cell[PL_TRI3].n;
  check_ok(env, pl_mesh_set_cells(two, PL_TRI3, 2 * ntri));
  for (int i = 0; i < 6 * one->nvert; i++)
    two->X[i] = one->X[i % (3 * one->nvert)] +
                (i >= 3 * one->nvert ? (i % 3 == 2 ? above : 0.5 * l / n) : 0);
  for (int i = 0; i < 6 * ntri; i++)
    two->cell[PL_TRI3].v[i] =
        one->cell[PL_TRI3].v[i % (3 * ntri)] + (i >= 3 * ntri ? one->nvert : 0);
  pl_mesh_free(one);
  k->kit->mesh = two;
  kit_sheet(k->kit, par);
  k->kit->group[0].lumped = 1;
}

// All triangles as layers.
static inline pl_layers_desc swing_layers(const swing *k, double thickness, double mu) {
  return (pl_layers_desc){.nvert = k->nvert,
                          .ntri = k->ntri,
                          .tri = k->tri,
                          .X = k->kit->mesh->X,
                          .thickness = thickness,
                          .mu = mu};
}

// holds a corner, or moves it as the drive says
static inline pl_drive_desc *swing_hold(swing *k, double x, double y) {
  int *node = kit_keep(k->kit, 1, sizeof *node);
  *node = kit_node_at(k->kit, x, y, 0);
  pl_drive_desc *d = kit_drive(k->kit, 1, node);
  d->mask = 7;
  return d;
}

// Builds the model; stretch > 0: with a sheet of that limit in all directions.
static inline void swing_build(swing *k, double stretch) {
  kit_build(k->kit, 1, &k->b);
  k->nvert = pl_model_nnode(k->b.m);
  k->ntri = k->kit->mesh->cell[PL_TRI3].n;
  k->tri = k->kit->mesh->cell[PL_TRI3].v;
  k->rest = calloc(6 * (size_t)k->ntri, sizeof *k->rest);
  k->mass = calloc((size_t)k->nvert, sizeof *k->mass);
  k->fixed = calloc((size_t)k->nvert, sizeof *k->fixed);
  k->node = calloc((size_t)k->nvert, sizeof *k->node);
  const int *index = pl_model_free_index(k->b.m);
  const pl_csc *M = &k->b.p->M;
  for (int v = 0; v < k->nvert; v++) {
    k->node[v] = v;
    k->mass[v] = M->val[M->ptr[3 * v]];
    for (int c = 0; c < 3; c++) k->fixed[v] |= (index[3 * v + c] < 0) << c;
  }
  pl_sheet_flatten(k->ntri, k->tri, k->kit->mesh->X, (const double[3]){1, 0, 0}, k->rest);
  pl_limit_ellipse(stretch, stretch, 0, k->B[0]);
  k->limit = (pl_limit){.nellipse = 1, .B = (const double(*)[3])k->B};
  pl_sheet_desc d = {.nvert = k->nvert,
                     .ntri = k->ntri,
                     .tri = k->tri,
                     .rest = k->rest,
                     .weight = k->mass,
                     .fixed = k->fixed,
                     .nlimit = 1,
                     .limit = &k->limit};
  if (stretch > 0) check_ok(k->env, pl_sheet_create(k->env, &d, 1, &k->k.sheet));
}

static inline void swing_obstacles(swing *k, int n, const pl_obstacle *o) {
  pl_contact_desc d = {.nobstacle = n, .obstacle = o, .nnode = k->nvert, .node = k->node};
  check_ok(k->env, pl_contact_create(k->env, k->b.m, &d, &k->k.contact));
}

static inline double swing_mass(const swing *k) {
  double m = 0;
  for (int v = 0; v < k->nvert; v++) m += k->mass[v];
  return m;
}

static inline void swing_close(swing *k) {
  pl_layers_free(k->k.layers);
  pl_contact_free(k->k.contact);
  pl_sheet_free(k->k.sheet);
  free(k->rest);
  free(k->mass);
  free(k->fixed);
  free(k->node);
  kit_model_free(&k->b);
  kit_free(k->kit);
  free(k->kit);
}

// One run of the length, from the state that is there.
static inline pl_status swing_run(swing *k, double length, pl_history *h,
                                  pl_limit_observe_fn observe, void *ctx, pl_transient_info *info) {
  k->o.duration = length;
  return pl_limit_transient(&k->o, &k->po, k->b.m, k->b.p, &k->k, k->b.s, h, k->b.w, observe, ctx,
                            info);
}

// The largest stretch of any triangle by its own formula: largest singular value of F, from the
// sum and product of the squares.
static inline double swing_stretch(const swing *k, const double *x) {
  double most = 0;
  for (int t = 0; t < k->ntri; t++) {
    const double *r = k->rest + 6 * t, *p[3];
    for (int a = 0; a < 3; a++) p[a] = x + 3 * k->tri[3 * t + a];
    double D[4] = {r[2] - r[0], r[4] - r[0], r[3] - r[1], r[5] - r[1]};
    double det = D[0] * D[3] - D[1] * D[2], f[2][3];
    for (int c = 0; c < 3; c++) {
      double u = p[1][c] - p[0][c], v = p[2][c] - p[0][c];
      f[0][c] = (u * D[3] - v * D[2]) / det;
      f[1][c] = (v * D[0] - u * D[1]) / det;
    }
    double a = pl_dot3(f[0], f[0]), b = pl_dot3(f[1], f[1]), c = pl_dot3(f[0], f[1]);
    most = fmax(most, sqrt((a + b) / 2 + hypot((a - b) / 2, c)));
  }
  return most;
}

// The sheet of the swing as a description.
static inline pl_sheet_desc swing_sheet(const swing *k) {
  return (pl_sheet_desc){.nvert = k->nvert,
                         .ntri = k->ntri,
                         .tri = k->tri,
                         .rest = k->rest,
                         .weight = k->mass,
                         .fixed = k->fixed,
                         .nlimit = 1,
                         .limit = &k->limit};
}

// What a test does with a model that was made anew.
typedef struct swing_fresh {
  pl_model *m;
  pl_params *p;
  pl_state *s;
  pl_work *w;
  pl_constraints k;
} swing_fresh;
typedef pl_status (*swing_fresh_fn)(const swing *k, swing_fresh *f);

// Model, sheet and contact with an obstacle (NULL: none) made anew with an allocator that may fail,
// then the function; everything is freed.
static inline pl_status swing_anew(pl_env *env, const swing *k, const pl_obstacle *obstacle,
                                   swing_fresh_fn fn) {
  swing_fresh f = {0};
  pl_sheet_desc d = swing_sheet(k);
  pl_contact_desc c = {.nobstacle = 1, .obstacle = obstacle, .nnode = k->nvert, .node = k->node};
  pl_status s = pl_model_create(env, &k->kit->d, &f.m);
  if (s == PL_OK) s = pl_params_create(f.m, &f.p);
  if (s == PL_OK) s = pl_state_create(f.m, f.p, &f.s);
  if (s == PL_OK) s = pl_work_create(f.m, 1, &f.w);
  if (s == PL_OK) s = pl_sheet_create(env, &d, 1, &f.k.sheet);
  if (s == PL_OK && obstacle) s = pl_contact_create(env, f.m, &c, &f.k.contact);
  if (s == PL_OK) s = fn(k, &f);
  pl_contact_free(f.k.contact);
  pl_sheet_free(f.k.sheet);
  pl_work_free(f.w);
  if (f.m) pl_state_free(f.m, f.s);
  pl_params_free(f.p);
  pl_model_free(f.m);
  return s;
}

#endif
