#include "rod_models.h"

#include "check.h"

#include "pliant/math.h"

#include <string.h>

void rods_init(rod_kit *k, pl_env *env, const double section[7]) {
  memset(k, 0, sizeof *k);
  k->env = env;
  memcpy(k->section, section, sizeof k->section);
}

void rods_free(rod_kit *k) {
  void *all[] = {k->X, k->extra, k->edge, k->bend, k->joint, k->reversed, k->joint_par};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(k->env, all[i]);
  for (int i = 0; i < k->nowned; i++) pl_free(k->env, k->owned[i]);
}

static void *keep(rod_kit *k, int n, const int *from) {
  assert_true(k->nowned < (int)(sizeof k->owned / sizeof k->owned[0]));
  int *p = pl_alloc(k->env, (size_t)n + 1, sizeof *p);
  assert_non_null(p);
  if (n) memcpy(p, from, (size_t)n * sizeof *p);
  return k->owned[k->nowned++] = p;
}

int rods_node(rod_kit *k, double x, double y, double z) {
  check_ok(k->env, pl_grow(k->env, &k->X, k->nnode, &k->capnode, 3 * sizeof(double)));
  double *X = k->X + 3 * (size_t)k->nnode;
  X[0] = x;
  X[1] = y;
  X[2] = z;
  return k->nnode++;
}

static int new_scalar(rod_kit *k, double value) {
  check_ok(k->env, pl_grow(k->env, &k->extra, k->nextra, &k->capextra, sizeof(double)));
  k->extra[k->nextra] = value;
  return k->nextra++;
}

static void direction(const rod_kit *k, int a, int b, double *t) {
  pl_sub3(k->X + 3 * (size_t)b, k->X + 3 * (size_t)a, t);
  double l = pl_norm3(t);
  for (int i = 0; i < 3; i++) t[i] /= l;
}

static int new_edge(rod_kit *k, int a, int b, double theta) {
  check_ok(k->env, pl_grow(k->env, &k->edge, k->nedge, &k->capedge, 3 * sizeof(int)));
  int *e = k->edge + 3 * (size_t)k->nedge;
  e[0] = a;
  e[1] = b;
  e[2] = new_scalar(k, theta);
  return k->nedge++;
}

// bend between edges e and f
static void new_bend(rod_kit *k, int e, int f) {
  check_ok(k->env, pl_grow(k->env, &k->bend, k->nbend, &k->capbend, 5 * sizeof(int)));
  const int *a = k->edge + 3 * (size_t)e, *b = k->edge + 3 * (size_t)f;
  const int all[5] = {a[0], a[1], b[1], a[2], b[2]};
  assert_int_equal(a[1], b[0]);
  memcpy(k->bend + 5 * (size_t)k->nbend++, all, sizeof all);
}

// angles without whole turns between neighbours
static double near(double angle, double last) {
  return last + remainder(angle - last, 2 * PL_PI);
}

int rods_chain(rod_kit *k, int n, const int *node, const double *m1) {
  double t[3], last[3], m[3], theta = 0;
  int first = k->nedge;
  for (int i = 0; i + 1 < n; i++) {
    direction(k, node[i], node[i + 1], t);
    if (i > 0)
      pl_rod_transport(last, t, m, m);
    else if (m1)
      memcpy(m, m1, sizeof m);
    else
      pl_rod_director(t, m);
    theta = i ? near(pl_rod_angle(t, m), theta) : pl_rod_angle(t, m);
    new_edge(k, node[i], node[i + 1], theta);
    if (i > 0) new_bend(k, first + i - 1, first + i);
    memcpy(last, t, sizeof t);
  }
  return first;
}

int rods_ring(rod_kit *k, int n, const int *node, const double *m1) {
  int *all = keep(k, n, node);
  all[n] = node[0];
  int first = rods_chain(k, n + 1, all, m1);
  new_bend(k, first + n - 1, first);
  return first;
}

int rods_line(rod_kit *k, int n, const double a[3], const double b[3]) {
  int first = k->nnode, *node = pl_alloc(k->env, (size_t)n + 1, sizeof *node);
  assert_non_null(node);
  for (int i = 0; i <= n; i++) {
    double s = (double)i / n;
    node[i] =
        rods_node(k, a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2]));
  }
  rods_chain(k, n + 1, node, NULL);
  pl_free(k->env, node);
  return first;
}

int rods_junction(rod_kit *k, int node) {
  int s = new_scalar(k, 0);
  new_scalar(k, 0);
  new_scalar(k, 0);
  for (int e = 0; e < k->nedge; e++) {
    const int *at = k->edge + 3 * (size_t)e;
    if (at[0] != node && at[1] != node) continue;
    check_ok(k->env, pl_grow(k->env, &k->joint, k->njoint, &k->capjoint, 6 * sizeof(int)));
    check_ok(k->env, pl_grow(k->env, &k->reversed, k->njoint, &k->capreversed, sizeof(int)));
    const int all[6] = {node, at[0] == node ? at[1] : at[0], at[2], s, s + 1, s + 2};
    k->reversed[k->njoint] = at[1] == node;
    memcpy(k->joint + 6 * (size_t)k->njoint++, all, sizeof all);
  }
  return s;
}

pl_drive_desc *rods_fix(rod_kit *k, int n, const int *node, int nscal, const int *scal) {
  assert_true(k->ndrive < ROD_DRIVES);
  pl_drive_desc *d = &k->drive[k->ndrive++];
  *d = (pl_drive_desc){.kind = PL_DRIVE_TRANSLATION,
                       .nnode = n,
                       .node = keep(k, n, node),
                       .mask = 7,
                       .nscal = nscal,
                       .scal = keep(k, nscal, scal)};
  return d;
}

pl_drive_desc *rods_clamp(rod_kit *k, int node) {
  int s = rods_junction(k, node);
  return rods_fix(k, 1, &node, 3, (int[]){s, s + 1, s + 2});
}

void rods_push(rod_kit *k, int node, double fx, double fy, double fz) {
  assert_true(k->nload < ROD_DRIVES);
  k->load[k->nload++] =
      (pl_load_desc){.nnode = 1, .node = keep(k, 1, &node), .term = {.amplitude = {fx, fy, fz}}};
}

// scalars of stencils become unknown numbers
static void number(const rod_kit *k, int n, int nvert, int nscal, int *stencil) {
  for (int e = 0; e < n; e++, stencil += nvert + nscal)
    for (int i = nvert; i < nvert + nscal; i++) stencil[i] += 3 * k->nnode;
}

void rods_build(rod_kit *k, int nthread, kit_model *out) {
  double bend[11];
  memcpy(bend, k->section, sizeof k->section);
  memcpy(bend + 7, k->natural, sizeof k->natural);
  k->joint_par = pl_alloc(k->env, 11 * (size_t)k->njoint + 1, sizeof(double));
  assert_non_null(k->joint_par);
  for (int i = 0; i < k->njoint; i++) {
    double *par = k->joint_par + 11 * i;
    memcpy(par, k->section, sizeof k->section);
    par[7] = k->reversed[i];
    memcpy(par + 8, k->natural, 3 * sizeof *par);
  }
  number(k, k->nedge, 2, 1, k->edge);
  number(k, k->nbend, 3, 2, k->bend);
  number(k, k->njoint, 2, 4, k->joint);
  const pl_group_desc group[] = {
      {"edges", pl_elem_find("rod_edge"), k->nedge, k->edge, 1, k->section, k->lumped},
      {"bends", pl_elem_find("rod_bend"), k->nbend, k->bend, 1, bend, 0},
      {"joints", pl_elem_find("rod_joint"), k->njoint, k->joint, 0, k->joint_par, 0}};
  pl_model_desc d = {.dim = 3,
                     .nnode = k->nnode,
                     .X = k->X,
                     .nextra = k->nextra,
                     .extra = k->extra,
                     .ngroup = 3,
                     .group = group,
                     .ndrive = k->ndrive,
                     .drive = k->drive,
                     .nload = k->nload,
                     .load = k->load,
                     .alpha = k->alpha,
                     .beta = k->beta};
  memcpy(d.gravity, k->gravity, sizeof d.gravity);
  check_ok(k->env, kit_try(k->env, &d, nthread, out));
}
