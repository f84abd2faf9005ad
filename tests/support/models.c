#include "models.h"

#include "check.h"

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
  for (int i = 0; i < k->d.ndrive; i++) pl_free(k->env, (void *)k->drive[i].node);
  if (k->mesh) {
    pl_mesh_free(k->mesh);
    pl_free(k->env, (void *)k->d.X);
  }
  for (int i = 0; i < k->d.ngroup; i++)
    if (strcmp(k->group[i].name, "hinges") == 0) pl_free(k->env, (void *)k->group[i].stencil);
}

static void take_nodes(model_kit *k) {
  int dim = k->d.dim;
  double *X = pl_alloc(k->env, (size_t)(k->mesh->nvert * dim), sizeof(double));
  for (int i = 0; i < k->mesh->nvert; i++)
    for (int c = 0; c < dim; c++) X[i * dim + c] = k->mesh->X[3 * i + c];
  k->d.nnode = k->mesh->nvert;
  k->d.X = X;
}

void kit_group(model_kit *k, const char *name, const char *kind, int nelem, const int *stencil,
               int shared, const double *par) {
  const pl_elem_kind *e = pl_elem_find(kind);
  assert_non_null(e);
  k->group[k->d.ngroup++] = (pl_group_desc){
      .name = name, .kind = e, .nelem = nelem, .stencil = stencil, .shared = shared, .par = par};
}

void kit_box(model_kit *k, const char *kind, const int n[3], const double l[3],
             const double par[3]) {
  int hex = strncmp(kind, "hex", 3) == 0, type = hex ? PL_HEX8 : PL_TET4;
  check_ok(k->env, (hex ? pl_gen_hex_box : pl_gen_tet_box)(k->env, n, l, &k->mesh));
  take_nodes(k);
  kit_group(k, "box", kind, k->mesh->cell[type].n, k->mesh->cell[type].v, 1, par);
}

void kit_grid(model_kit *k, int nx, int ny, double lx, double ly, pl_pattern pattern,
              const double par[4]) {
  check_ok(k->env, pl_gen_grid(k->env, nx, ny, lx, ly, pattern, &k->mesh));
  take_nodes(k);
  pl_cells *tri = &k->mesh->cell[PL_TRI3];
  kit_group(k, "sheet", k->d.dim == 2 ? "tri2" : "membrane", tri->n, tri->v, 1, par);
  if (k->d.dim == 2) return;
  pl_topology *t;
  check_ok(k->env, pl_topology_create(k->mesh, &t));
  int *hinge = pl_alloc(k->env, (size_t)t->nhinge * 4, sizeof(int));
  memcpy(hinge, t->hinge, (size_t)t->nhinge * 4 * sizeof(int));
  // the hinge's parameters by name, from the sheet's
  static double hpar[PL_NPAR_MAX];
  const pl_elem_kind *h = pl_elem_find("hinge");
  for (int i = 0; i < h->npar; i++) {
    hpar[i] = h->par[i].value;
    if (strcmp(h->par[i].name, "young") == 0) hpar[i] = par[0];
    if (strcmp(h->par[i].name, "poisson") == 0) hpar[i] = par[1];
    if (strcmp(h->par[i].name, "thickness") == 0) hpar[i] = par[3];
  }
  kit_group(k, "hinges", "hinge", t->nhinge, hinge, 1, hpar);
  pl_topology_free(t);
}

pl_drive_desc *kit_drive(model_kit *k, int n, const int *node) {
  pl_drive_desc *d = &k->drive[k->d.ndrive++];
  int *copy = pl_alloc(k->env, (size_t)n, sizeof(int));
  memcpy(copy, node, (size_t)n * sizeof(int));
  *d = (pl_drive_desc){.name = "drive", .nnode = n, .node = copy, .mask = (1 << k->d.dim) - 1};
  return d;
}

void kit_fix(model_kit *k, const char *set) {
  const pl_set *s = pl_mesh_find_set(k->mesh, set);
  assert_non_null(s);
  kit_drive(k, s->n, s->index);
}

void kit_design(model_kit *k, const char *name, int on_ref, int index, double coef, double value) {
  pl_target *t = &k->target[k->ntarget++];
  *t = (pl_target){.on_ref = on_ref, .index = index, .coef = coef};
  k->design[k->d.ndesign++] = (pl_design_desc){
      .name = name, .value = value, .min = -1e9, .max = 1e9, .ntarget = 1, .target = t};
}

void kit_build(model_kit *k, int nthread, kit_model *out) {
  check_ok(k->env, pl_model_create(k->env, &k->d, &out->m));
  check_ok(k->env, pl_params_create(out->m, &out->p));
  check_ok(k->env, pl_state_create(out->m, out->p, &out->s));
  check_ok(k->env, pl_work_create(out->m, nthread, &out->w));
}

void kit_model_free(kit_model *b) {
  pl_work_free(b->w);
  if (b->m) pl_state_free(b->m, b->s);
  pl_params_free(b->p);
  pl_model_free(b->m);
}
