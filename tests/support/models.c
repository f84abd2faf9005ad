#include "models.h"

#include "check.h"

#include "pliant/math.h"

#include <string.h>

void kit_init(model_kit *k, pl_env *env, int dim) {
  memset(k, 0, sizeof *k);
  k->env = env;
  k->d.dim = dim;
  k->d.group = k->group;
  k->d.drive = k->drive;
  k->d.load = k->load;
  k->d.design = k->design;
}

void kit_free(model_kit *k) {
  for (int i = 0; i < k->nowned; i++) pl_free(k->env, k->owned[i]);
  pl_free(k->env, k->owned);
  pl_mesh_free(k->mesh);
}

void *kit_keep(model_kit *k, int n, size_t size) {
  check_ok(k->env, pl_grow(k->env, &k->owned, k->nowned, &k->capowned, sizeof *k->owned));
  void *p = pl_alloc(k->env, (size_t)n, size);
  assert_non_null(p);
  k->owned[k->nowned++] = p;
  return p;
}

// places of the mesh's vertices, and room for more nodes
static void add_nodes(model_kit *k, int more) {
  int dim = k->d.dim;
  k->X = kit_keep(k, (k->mesh->nvert + more) * dim, sizeof(double));
  for (int i = 0; i < k->mesh->nvert; i++)
    for (int c = 0; c < dim; c++) k->X[i * dim + c] = k->mesh->X[3 * i + c];
  k->d.nnode = k->mesh->nvert;
  k->d.X = k->X;
}

void kit_group(model_kit *k, const char *name, const char *kind, int nelem, const int *stencil,
               int shared, const double *par) {
  const pl_elem_kind *e = pl_elem_find(kind);
  assert_non_null(e);
  int npar = shared ? e->npar : nelem * e->npar;
  double *copy = kit_keep(k, npar, sizeof *copy);
  memcpy(copy, par, (size_t)npar * sizeof *copy);
  k->group[k->d.ngroup++] = (pl_group_desc){
      .name = name, .kind = e, .nelem = nelem, .stencil = stencil, .shared = shared, .par = copy};
}

static const int ground[2] = {-1, 0}, first[1] = {0};

void kit_oscillator(model_kit *k, pl_env *env, const double spring[4], double mass) {
  static const double X[1] = {0};
  kit_init(k, env, 1);
  k->d.nnode = 1;
  k->d.X = X;
  kit_group(k, "spring", "spring1", 1, ground, 0, spring);
  kit_group(k, "mass", "mass1", 1, first, 0, &mass);
}

void kit_shake(model_kit *k, double force, double phase) {
  k->load[kit_push(k, 1, first, &force)].term = (pl_term){1, {force, 0, 0}, phase};
}

pl_builder *oscillator_builder(pl_env *env, const double spring[4], double mass, double force) {
  static const char *const kind[2] = {"spring1", "mass1"};
  pl_builder *b;
  if (pl_builder_create(env, 1, &b) != PL_OK) return NULL;
  pl_build_node(b, (double[3]){0}, NULL);
  for (int k = 0; k < 2; k++) {
    int *at, group = pl_build_group(b, kind[k], pl_elem_find(kind[k]), 1, 0, 0, &at);
    if (group < 0) continue;
    memcpy(at, k ? first : ground, (k ? 1 : 2) * sizeof *at);
    // the description holds const arrays; they are the builder's
    memcpy((double *)b->group[group].par, k ? &mass : spring, (k ? 1 : 4) * sizeof mass);
  }
  if (force != 0)
    pl_build_load(b, &(pl_load_desc){.nnode = 1, .node = first, .term = {1, {force, 0, 0}, 0}});
  return b;
}

void kit_box(model_kit *k, const char *kind, const int n[3], const double l[3],
             const double par[3]) {
  int hex = strncmp(kind, "hex", 3) == 0, type = hex ? PL_HEX8 : PL_TET4;
  check_ok(k->env, (hex ? pl_gen_hex_box : pl_gen_tet_box)(k->env, n, l, &k->mesh));
  add_nodes(k, 0);
  kit_group(k, "box", kind, k->mesh->cell[type].n, k->mesh->cell[type].v, 1, par);
}

void kit_sheet(model_kit *k, const double par[4]) {
  add_nodes(k, 0);
  pl_cells *tri = &k->mesh->cell[PL_TRI3];
  kit_group(k, "sheet", k->d.dim == 2 ? "tri2" : "membrane", tri->n, tri->v, 1, par);
  if (k->d.dim == 2) return;
  pl_topology *t;
  check_ok(k->env, pl_topology_create(k->mesh, &t));
  int *hinge = kit_keep(k, t->nhinge * 4, sizeof(int));
  memcpy(hinge, t->hinge, (size_t)t->nhinge * 4 * sizeof(int));
  // the hinge's parameters by name, from the sheet's
  const pl_elem_kind *h = pl_elem_find("hinge");
  double hpar[PL_NPAR_MAX];
  for (int i = 0; i < h->npar; i++) {
    hpar[i] = h->par[i].value;
    if (strcmp(h->par[i].name, "young") == 0) hpar[i] = par[0];
    if (strcmp(h->par[i].name, "poisson") == 0) hpar[i] = par[1];
    if (strcmp(h->par[i].name, "thickness") == 0) hpar[i] = par[3];
  }
  kit_group(k, "hinges", "hinge", t->nhinge, hinge, 1, hpar);
  pl_topology_free(t);
}

// nodes and copies of a clamp held
static void hold_clamp(model_kit *k, const pl_midedge *s, const int *clamp, int which) {
  int *node = kit_keep(k, s->nvert + s->ncopy, sizeof *node), n = 0;
  for (int i = 0; i < s->nvert; i++)
    if (clamp[i] == which) node[n++] = i;
  for (int i = 0; i < s->ncopy; i++)
    if (clamp[s->copy_at[i]] == which) node[n++] = s->nvert + i;
  kit_drive(k, n, node);
}

void kit_shell(model_kit *k, const double par[4], int variant, const int *clamp) {
  pl_topology *t;
  pl_midedge *s;
  check_ok(k->env, pl_topology_create(k->mesh, &t));
  check_ok(k->env, pl_midedge_create(k->mesh, t, clamp, &s));
  pl_topology_free(t);
  add_nodes(k, s->ncopy);
  for (int i = 0; i < s->ncopy; i++)
    memcpy(k->X + 3 * (s->nvert + i), k->X + 3 * s->copy[i], 3 * sizeof *k->X);
  k->d.nnode += s->ncopy;
  k->d.nextra = s->nxi;
  pl_cells *tri = &k->mesh->cell[PL_TRI3];
  kit_group(k, "sheet", "membrane", tri->n, tri->v, 1, par);
  int *stencil = kit_keep(k, 9 * s->ntri, sizeof *stencil), most = -1;
  pl_midedge_stencil(s, NULL, 3 * k->d.nnode, stencil);
  kit_group(k, "bending", "midedge", s->ntri, stencil, 1,
            (double[]){par[0], par[1], par[3], 1, variant, 0});
  for (int i = 0; clamp && i < s->nvert; i++) most = clamp[i] > most ? clamp[i] : most;
  for (int c = 0; c <= most; c++) hold_clamp(k, s, clamp, c);
  pl_midedge_free(s);
}

void kit_grid(model_kit *k, int nx, int ny, double lx, double ly, pl_pattern pattern,
              const double par[4]) {
  check_ok(k->env, pl_gen_grid(k->env, nx, ny, lx, ly, pattern, &k->mesh));
  kit_sheet(k, par);
}

void kit_triangle(model_kit *k, int level, double side, const double par[4]) {
  const double X[9] = {0, 0, 0, side, 0, 0, side / 2, sqrt(0.75) * side, 0};
  check_ok(k->env, pl_mesh_create(k->env, "triangle", 3, &k->mesh));
  check_ok(k->env, pl_mesh_set_cells(k->mesh, PL_TRI3, 1));
  memcpy(k->mesh->X, X, sizeof X);
  for (int i = 0; i < 3; i++) k->mesh->cell[PL_TRI3].v[i] = i;
  for (int i = 0; i < level; i++) {
    pl_mesh *fine;
    check_ok(k->env, pl_mesh_refine(k->mesh, &fine));
    pl_mesh_free(k->mesh);
    k->mesh = fine;
  }
  kit_sheet(k, par);
}

pl_drive_desc *kit_drive(model_kit *k, int n, const int *node) {
  assert_in_range(k->d.ndrive, 0, KIT_NODES - 1);
  pl_drive_desc *d = &k->drive[k->d.ndrive++];
  int *copy = kit_keep(k, n, sizeof(int));
  memcpy(copy, node, (size_t)n * sizeof(int));
  *d = (pl_drive_desc){.name = "drive", .nnode = n, .node = copy, .mask = (1 << k->d.dim) - 1};
  return d;
}

void kit_hold(model_kit *k, const char *set, int mask) {
  const pl_set *s = pl_mesh_find_set(k->mesh, set);
  assert_non_null(s);
  kit_drive(k, s->n, s->index)->mask = mask;
}

void kit_fix(model_kit *k, const char *set) {
  kit_hold(k, set, (1 << k->d.dim) - 1);
}

void kit_hold_all(model_kit *k, int mask) {
  int *all = kit_keep(k, k->d.nnode, sizeof *all);
  for (int i = 0; i < k->d.nnode; i++) all[i] = i;
  kit_drive(k, k->d.nnode, all)->mask = mask;
}

int kit_shift(model_kit *k, int n, const int *node, int mask, const double *u) {
  pl_term *t = kit_keep(k, 1, sizeof *t);
  memcpy(t->amplitude, u, (size_t)k->d.dim * sizeof *u);
  pl_drive_desc *d = kit_drive(k, n, node);
  d->mask = mask;
  d->nterm = 1;
  d->term = t;
  return k->d.ndrive - 1;
}

int kit_push(model_kit *k, int n, const int *node, const double *f) {
  assert_in_range(k->d.nload, 0, KIT_NODES - 1);
  int *copy = kit_keep(k, n, sizeof *copy);
  memcpy(copy, node, (size_t)n * sizeof *copy);
  pl_load_desc *l = &k->load[k->d.nload++];
  *l = (pl_load_desc){.name = "push", .nnode = n, .node = copy};
  memcpy(l->term.amplitude, f, (size_t)k->d.dim * sizeof *f);
  return k->d.nload - 1;
}

int kit_node_at(const model_kit *k, double x, double y, double z) {
  double p[3] = {x, y, z}, d[3];
  int at = pl_mesh_nearest_vertex(k->mesh, p, 0, NULL);
  pl_sub3(k->mesh->X + 3 * at, p, d);
  check_close(pl_norm3(d), 0, 1e-9);
  return at;
}

void kit_design(model_kit *k, const char *name, int on_ref, int index, double coef, double value) {
  pl_target *t = &k->target[k->ntarget++];
  *t = (pl_target){.on_ref = on_ref, .index = index, .coef = coef};
  k->design[k->d.ndesign++] = (pl_design_desc){
      .name = name, .value = value, .min = -1e9, .max = 1e9, .ntarget = 1, .target = t};
}

pl_status kit_try(pl_env *env, const pl_model_desc *d, int nthread, kit_model *out) {
  *out = (kit_model){0};
  PL_TRY(pl_model_create(env, d, &out->m));
  PL_TRY(pl_params_create(out->m, &out->p));
  PL_TRY(pl_state_create(out->m, out->p, &out->s));
  return pl_work_create(out->m, nthread, &out->w);
}

void kit_build(model_kit *k, int nthread, kit_model *out) {
  check_ok(k->env, kit_try(k->env, &k->d, nthread, out));
}

void kit_model_free(kit_model *b) {
  pl_work_free(b->w);
  if (b->m) pl_state_free(b->m, b->s);
  pl_params_free(b->p);
  pl_model_free(b->m);
}
