#include "design_models.h"

#include "check.h"
#include "rod_models.h"

#include <string.h>

void kit_parameter(model_kit *k, const char *name, double value, double min, double max, int n,
                   const pl_target *target) {
  pl_target *own = kit_keep(k, n, sizeof *own);
  memcpy(own, target, (size_t)n * sizeof *own);
  assert_in_range(k->d.ndesign, 0, 31);
  k->design[k->d.ndesign++] = (pl_design_desc){.name = name,
                                               .unit = "",
                                               .value = value,
                                               .min = min,
                                               .max = max,
                                               .ntarget = n,
                                               .target = own};
}

// a parameter of elements or drives, at its own value
static void one(model_kit *k, const char *name, int index, double value, double min, double max) {
  kit_parameter(k, name, value, min, max, 1, &(pl_target){.index = index, .coef = 1});
}

// a coordinate of a node, moved by so much
static void place(model_kit *k, const char *name, int index, double range) {
  kit_parameter(k, name, 0, -range, range, 1, &(pl_target){1, index, 1});
}

void design_mechanism(model_kit *k, pl_env *env, int *node, double *omega) {
  static const double X[] = {0, 0, 0.1, -0.6, 0.25, -1.1, 0.6, -1.15, 0.2, 0.3};
  static const int links[] = {0, 1, 1, 2, 2, 3}, points[] = {1, 2, 3};
  static const int springs[] = {0, 1, 1, 2, 1, 2, 2, 3, 4, 4, 1, 2};
  static const double link_par[] = {2e3, 0.2}, mass[] = {0.3, 0.2, 0.3};
  static const double spring[] = {70, 0.3, 0.4,  0.5, 0.02, 0.8, 0, 26, 0.2, 0.1,  0.3,
                                  0,  0.4, 0.03, 25,  0.7,  0.2, 0, 0,  0.5, -0.02};
  static const pl_term hip[] = {{1, {0.02, 0.05, 0}, 0.3}, {3, {0.01, 0, 0}, 1.1}};
  static const pl_term rot[] = {{1, {0.3, 0, 0}, 0.2}, {2, {0.1, 0, 0}, 0}};
  static const int loaded[] = {3, 2};
  kit_init(k, env, 2);
  k->d.nnode = 5;
  k->d.X = X;
  kit_group(k, "links", "link", 3, links, 1, link_par);
  kit_group(k, "springs", "spring", 3, springs, 0, spring);
  kit_group(k, "masses", "point", 3, points, 0, mass);
  pl_drive_desc *d = kit_drive(k, 1, &(int){0});
  d->nterm = 2;
  d->term = hip;
  d = kit_drive(k, 1, &(int){4});
  d->kind = PL_DRIVE_ROTATION;
  d->axis[2] = 1;
  d->centre[0] = 0.1;
  d->nterm = 2;
  d->term = rot;
  k->load[k->d.nload++] =
      (pl_load_desc){.name = "push", .nnode = 2, .node = loaded, .term = {1, {0.3, -0.2, 0}, 0.7}};
  k->d.gravity[1] = -9.81;
  k->d.alpha = 0.5;
  k->d.beta = 0.002;
  one(k, "hip", pl_par_drive(&k->d, 0, 0) + 1, 0.05, 0, 0.2);
  one(k, "hip phase", pl_par_drive(&k->d, 0, 1) + 3, 1.1, -3, 3);
  one(k, "angle", pl_par_drive(&k->d, 1, 0), 0.3, 0, 1);
  one(k, "angle phase", pl_par_drive(&k->d, 1, 1) + 3, 0, -3, 3);
  one(k, "force", pl_par_load(&k->d, 0), 0.3, 0, 2);
  one(k, "force phase", pl_par_load(&k->d, 0) + 3, 0.7, -3, 3);
  one(k, "gravity", PL_PAR_GRAVITY + 1, -9.81, -20, 0);
  one(k, "stiffness", pl_par_group(&k->d, 1, 0), 70, 10, 200);
  one(k, "rest length", pl_par_group(&k->d, 1, 0) + 1, 0.3, 0.05, 0.6);
  one(k, "dashpot", pl_par_group(&k->d, 1, 0) + 2, 0.4, 0, 2);
  one(k, "attachment", pl_par_group(&k->d, 1, 2) + 5, 0.5, 0, 0.9);
  one(k, "offset", pl_par_group(&k->d, 1, 0) + 4, 0.02, -0.1, 0.1);
  one(k, "mass", pl_par_group(&k->d, 2, 1), 0.2, 0.01, 1);
  one(k, "link mass", pl_par_group(&k->d, 0, 0) + 1, 0.2, 0, 1);
  place(k, "joint", 2 * 2 + 1, 0.1);
  place(k, "hip place", 0, 0.1);
  place(k, "anchor", 4 * 2, 0.1);
  *node = 3;
  *omega = 7;
}

void design_sheet(model_kit *k, pl_env *env, int *node, double *omega) {
  static const double par[4] = {1e7, 0.3, 1000, 0.004}, mass[2] = {0.01, 0.02};
  static const pl_term rot[] = {{1, {0.3, 0, 0}, 0.2}};
  kit_init(k, env, 3);
  kit_grid(k, 4, 2, 0.4, 0.2, PL_ALTERNATING, par);
  // the first two columns: one alone would be a hinge
  int root[6], tip = kit_node_at(k, 0.4, 0, 0), top = kit_node_at(k, 0.4, 0.2, 0);
  int *at = kit_keep(k, 2, sizeof *at);
  at[0] = tip;
  at[1] = top;
  kit_group(k, "masses", "point", 2, at, 0, mass);
  for (int i = 0; i < 6; i++) root[i] = kit_node_at(k, 0.1 * (i / 3), 0.1 * (i % 3), 0);
  pl_drive_desc *d = kit_drive(k, 6, root);
  d->kind = PL_DRIVE_ROTATION;
  d->axis[1] = 1;
  d->nterm = 1;
  d->term = rot;
  k->d.gravity[2] = -9.81;
  k->d.alpha = 0.8;
  k->d.beta = 0.002;
  int sheet = pl_par_group(&k->d, 0, 0), hinge = pl_par_group(&k->d, 1, 0);
  const pl_elem_kind *h = pl_elem_find("hinge");
  pl_target thick[2] = {{0, sheet + 3, 1}, {0, hinge, 1}},
            young[2] = {{0, sheet, 1}, {0, hinge, 1}};
  for (int i = 0; i < h->npar; i++) {
    if (strcmp(h->par[i].name, "thickness") == 0) thick[1].index = hinge + i;
    if (strcmp(h->par[i].name, "young") == 0) young[1].index = hinge + i;
  }
  kit_parameter(k, "thickness", 0.004, 0.001, 0.02, 2, thick);
  kit_parameter(k, "young", 1e7, 1e5, 1e9, 2, young);
  one(k, "tip mass", pl_par_group(&k->d, 2, 0), 0.01, 0, 0.1);
  one(k, "top mass", pl_par_group(&k->d, 2, 1), 0.02, 0, 0.1);
  one(k, "angle", pl_par_drive(&k->d, 0, 0), 0.3, 0, 1);
  place(k, "corner", 3 * top + 0, 0.05);
  place(k, "root", 3 * root[4] + 0, 0.02);
  *node = tip;
  *omega = 9;
}

void design_plane(model_kit *k, pl_env *env, int *node, double *omega) {
  enum { NX = 2, NY = 5 };
  static const double mat[4] = {2e5, 0.3, 1000, 0.01};
  static const pl_term shake[] = {{1, {0.02, 0, 0}, 0}, {2, {0, 0.002, 0}, 0.4}};
  kit_init(k, env, 2);
  kit_grid(k, NX, NY, 0.1, 0.4, PL_ALTERNATING, mat);
  // one set of parameters an element
  pl_group_desc *g = &k->group[0];
  double *par = kit_keep(k, 4 * g->nelem, sizeof *par);
  for (int e = 0; e < g->nelem; e++) memcpy(par + 4 * e, mat, sizeof mat);
  g->par = par;
  g->shared = 0;
  const pl_set *base = pl_mesh_find_set(k->mesh, "bottom");
  pl_drive_desc *d = kit_drive(k, base->n, base->index);
  d->nterm = 2;
  d->term = shake;
  k->d.alpha = 0.6;
  k->d.beta = 0.001;
  for (int e = 0; e < 8; e++) {
    char *name = kit_keep(k, 16, 1);
    memcpy(name, "young 0", 8);
    name[6] = (char)('0' + e);
    one(k, name, pl_par_group(&k->d, 0, 2 * e), 2e5, 1e4, 1e7);
  }
  pl_target row[3];
  for (int e = 0; e < 3; e++) row[e] = (pl_target){0, pl_par_group(&k->d, 0, 1 + 2 * e), 1};
  kit_parameter(k, "young of a row", 2e5, 1e4, 1e7, 3, row);
  one(k, "density", pl_par_group(&k->d, 0, 3) + 2, 1000, 100, 5000);
  one(k, "thickness", pl_par_group(&k->d, 0, 4) + 3, 0.01, 0.002, 0.05);
  *node = kit_node_at(k, 0.1, 0.4, 0);
  place(k, "corner", 2 * *node, 0.02);
  one(k, "shake", pl_par_drive(&k->d, 0, 0), 0.02, 0, 0.1);
  *omega = 20;
}

void design_solid(model_kit *k, pl_env *env, int *node, double *omega) {
  static const int n[3] = {3, 1, 1};
  static const double l[3] = {0.3, 0.08, 0.1}, mat[3] = {5e5, 0.3, 1200};
  static const pl_term rot[] = {{1, {0.15, 0, 0}, 0.2}};
  kit_init(k, env, 3);
  kit_box(k, "tet4", n, l, mat);
  pl_group_desc *g = &k->group[0];
  double *par = kit_keep(k, 3 * g->nelem, sizeof *par);
  for (int e = 0; e < g->nelem; e++) memcpy(par + 3 * e, mat, sizeof mat);
  g->par = par;
  g->shared = 0;
  const pl_set *left = pl_mesh_find_set(k->mesh, "left");
  pl_drive_desc *d = kit_drive(k, left->n, left->index);
  d->kind = PL_DRIVE_ROTATION;
  d->axis[1] = 1;
  d->nterm = 1;
  d->term = rot;
  k->d.alpha = 0.6;
  k->d.beta = 0.002;
  int third = g->nelem / 3;
  pl_target layer[3][64], all[64];
  for (int e = 0; e < g->nelem; e++) {
    layer[e / third][e % third] = (pl_target){0, pl_par_group(&k->d, 0, e), 1};
    all[e] = (pl_target){0, pl_par_group(&k->d, 0, e) + 1, 1};
  }
  static const char *const names[3] = {"young 1", "young 2", "young 3"};
  for (int i = 0; i < 3; i++) kit_parameter(k, names[i], 5e5, 1e4, 1e7, third, layer[i]);
  kit_parameter(k, "poisson", 0.3, 0, 0.45, g->nelem, all);
  one(k, "density", pl_par_group(&k->d, 0, g->nelem - 1) + 2, 1200, 100, 5000);
  *node = kit_node_at(k, 0.3, 0.08, 0.1);
  place(k, "corner", 3 * *node + 2, 0.02);
  place(k, "root", 3 * left->index[1] + 2, 0.01);
  one(k, "angle", pl_par_drive(&k->d, 0, 0), 0.15, 0, 0.5);
  *omega = 25;
}

// stencils of the kit, scalars as unknowns
static int *own_stencil(model_kit *k, int nnode, int n, int nvert, int nscal, const int *from) {
  int width = nvert + nscal, *to = kit_keep(k, n * width + 1, sizeof *to);
  for (int i = 0; i < n * width; i++) to[i] = from[i] + (i % width < nvert ? 0 : 3 * nnode);
  return to;
}

static void own_rods(model_kit *k, const rod_kit *r) {
  double bend[11], *joint = kit_keep(k, 11 * r->njoint, sizeof *joint);
  double *X = kit_keep(k, 3 * r->nnode, sizeof *X), *extra = kit_keep(k, r->nextra, sizeof *extra);
  memcpy(X, r->X, 3 * (size_t)r->nnode * sizeof *X);
  memcpy(extra, r->extra, (size_t)r->nextra * sizeof *extra);
  memcpy(bend, r->section, sizeof r->section);
  memcpy(bend + 7, r->natural, sizeof r->natural);
  for (int i = 0; i < r->njoint; i++) {
    memcpy(joint + 11 * i, r->section, sizeof r->section);
    joint[11 * i + 7] = r->reversed[i];
    memcpy(joint + 11 * i + 8, r->natural, 3 * sizeof *joint);
  }
  k->d.nnode = r->nnode;
  k->d.X = X;
  k->d.nextra = r->nextra;
  k->d.extra = extra;
  kit_group(k, "edges", "rod_edge", r->nedge, own_stencil(k, r->nnode, r->nedge, 2, 1, r->edge), 1,
            r->section);
  kit_group(k, "bends", "rod_bend", r->nbend, own_stencil(k, r->nnode, r->nbend, 3, 2, r->bend), 1,
            bend);
  kit_group(k, "joints", "rod_joint", r->njoint,
            own_stencil(k, r->nnode, r->njoint, 2, 4, r->joint), 0, joint);
}

// a parameter of all three kinds
static void section(model_kit *k, const char *name, int par, double value, double min, double max) {
  pl_target t[16] = {{0, pl_par_group(&k->d, 0, 0) + par, 1},
                     {0, pl_par_group(&k->d, 1, 0) + par, 1}};
  int n = k->group[2].nelem;
  for (int e = 0; e < n; e++) t[2 + e] = (pl_target){0, pl_par_group(&k->d, 2, e) + par, 1};
  kit_parameter(k, name, value, min, max, 2 + n, t);
}

static pl_drive_desc *turning(model_kit *k, int n, const int *node, int nscal, const int *scal,
                              const int *edge, const pl_term *term) {
  pl_drive_desc *d = kit_drive(k, n, node);
  int *own = kit_keep(k, 3 * nscal, sizeof *own);
  memcpy(own, scal, (size_t)nscal * sizeof *own);
  memcpy(own + nscal, edge, 2 * (size_t)nscal * sizeof *own);
  d->kind = PL_DRIVE_ROTATION;
  d->nscal = nscal;
  d->scal = own;
  d->edge = own + nscal;
  d->nterm = 1;
  d->term = term;
  return d;
}

void design_rods(model_kit *k, pl_env *env, int *node, double *omega) {
  static const double flat[7] = {1e7, 0.3, 1000, 0.012, 0.006, 0.3, 1};
  static const pl_term rot[2] = {{1, {0.3, 0, 0}, 0.2}, {1, {0.1, 0, 0}, 0.9}};
  rod_kit r;
  rods_init(&r, env, flat);
  r.natural[0] = 0.4;
  r.natural[1] = -0.3;
  r.natural[2] = 0.5;
  for (int i = 0; i < 6; i++) rods_node(&r, 0.08 * i, 0.01 * i * i, 0.005 * i * (i - 2));
  for (int i = 0; i < 3; i++) rods_node(&r, 0.28 + 0.05 * i, 0.05 - 0.06 * i, 0.03 * i);
  int held = rods_chain(&r, 4, (int[]){0, 1, 2, 3}, NULL);
  rods_chain(&r, 3, (int[]){3, 4, 5}, NULL);
  // runs towards the fork
  rods_chain(&r, 4, (int[]){8, 7, 6, 3}, NULL);
  rods_junction(&r, 3);
  int s = rods_junction(&r, 8);
  kit_init(k, env, 3);
  own_rods(k, &r);
  pl_drive_desc *d = turning(k, 2, (int[]){0, 1}, 1, &r.edge[3 * held + 2], (int[]){0, 1}, &rot[0]);
  d->axis[0] = 0.3;
  d->axis[1] = 1;
  d = turning(k, 1, (int[]){8}, 3, (int[]){s, s + 1, s + 2},
              (int[]){PL_SCALAR_VECTOR, 0, PL_SCALAR_VECTOR, 1, PL_SCALAR_VECTOR, 2}, &rot[1]);
  d->axis[2] = 1;
  d->axis[1] = -0.4;
  d->centre[0] = 0.3;
  rods_free(&r);
  k->d.gravity[2] = -9.81;
  k->d.alpha = 0.8;
  k->d.beta = 0.002;
  section(k, "young", 0, 1e7, 1e5, 1e9);
  section(k, "density", 2, 1000, 100, 5000);
  section(k, "width", 3, 0.012, 0.002, 0.03);
  section(k, "height", 4, 0.006, 0.002, 0.03);
  section(k, "hollow", 5, 0.3, 0, 0.9);
  one(k, "curvature", pl_par_group(&k->d, 1, 0) + 7, 0.4, -3, 3);
  one(k, "twist", pl_par_group(&k->d, 1, 0) + 9, 0.5, -3, 3);
  one(k, "curvature at the clamp", pl_par_group(&k->d, 2, 3) + 8, 0.4, -3, 3);
  one(k, "angle", pl_par_drive(&k->d, 0, 0), 0.3, 0, 1);
  one(k, "clamp angle", pl_par_drive(&k->d, 1, 0), 0.1, 0, 1);
  place(k, "tip", 3 * 5 + 1, 0.05);
  place(k, "fork", 3 * 3 + 2, 0.05);
  place(k, "held", 3 * 1 + 2, 0.02);
  place(k, "clamp", 3 * 8 + 1, 0.02);
  *node = 5;
  *omega = 9;
}

void design_oscillator(model_kit *k, pl_env *env, double cubic) {
  kit_oscillator(k, env, (double[]){50, 0, cubic, 0.4}, 2);
  kit_shake(k, 3, 0);
  one(k, "mass", pl_par_group(&k->d, 1, 0), 2, 0.1, 20);
  one(k, "stiffness", pl_par_group(&k->d, 0, 0), 50, 5, 450);
  one(k, "damping", pl_par_group(&k->d, 0, 0) + 3, 0.4, 0.05, 4);
  one(k, "force", pl_par_load(&k->d, 0), 3, 0.1, 9);
  one(k, "cubic", pl_par_group(&k->d, 0, 0) + 2, cubic, 0, 1000);
}
