// Shells, planes, solids and chains: their groups of elements.
#include "build_impl.h"

#include <stdio.h>
#include <string.h>

int is_shell6(const pl_elem_kind *kind) {
  return kind == pl_elem_table[PL_ELEM_shell6] || kind == pl_elem_table[PL_ELEM_shell6_ortho] ||
         kind == pl_elem_table[PL_ELEM_shell6_hyper];
}

int body_group_of(pl_builder *b, int body, const char *suffix, const pl_elem_kind *kind, int n,
                  const int *vertex, int shared, int lumped) {
  char name[160];
  int *stencil, nv = kind->nvert;
  const pl_body *p = &b->body[body];
  snprintf(name, sizeof name, "%.120s%s", p->desc.name, suffix);
  int g = pl_build_group(b, name, kind, n, shared, lumped, &stencil);
  if (g < 0) return g;
  b->cells[g].body = body;
  b->rigid[g] = p->desc.rigid;
  for (int i = 0; vertex && i < n * nv; i++) stencil[i] = p->node[vertex[i]];
  return g;
}

int body_group(pl_builder *b, int body, const char *suffix, int kind, int n, const int *vertex,
               int shared, int lumped) {
  return body_group_of(b, body, suffix, pl_elem_table[kind], n, vertex, shared, lumped);
}

void put_value(pl_builder *b, int group, const char *name, const pl_value *value, int n,
               const int *cell, int ncell) {
  if (group < 0) return;
  const pl_group_desc *g = &b->group[group];
  if (!value->each) {
    for (int e = 0; e < (g->shared ? 1 : n); e++) pl_build_par(b, group, e, name, value);
    return;
  }
  int par = par_index(g->kind, name);
  if (par < 0) return;
  for (int e = 0; e < n; e++) {
    double mean = 0;
    for (int i = 0; i < ncell; i++) mean += value->each[cell[e * ncell + i]] / ncell;
    pl_build_par(b, group, e, name, &(pl_value){.v = mean});
    for (int i = 0; value->par > 0 && i < ncell; i++) {
      const pl_value own = {.par = value->par + cell[e * ncell + i], .coef = 1};
      pl_build_follow(b, PL_AT_GROUP, group, e, par, &own, 1.0 / ncell);
    }
  }
}

// a bend between the two triangles of every hinge
static void hinge_group(pl_builder *b, int body) {
  const pl_body_desc *d = &b->body[body].desc;
  pl_topology *t;
  pl_status s = pl_topology_create(d->mesh, &t);
  if (s != PL_OK) {
    if (s == PL_E_NOMEM) b->failed = s;
    return;
  }
  int *cell = pl_build_keep(b, 2 * (size_t)t->nhinge + 1, sizeof *cell);
  for (int h = 0; cell && h < t->nhinge; h++)
    for (int i = 0; i < 2; i++) cell[2 * h + i] = t->edge_tri[2 * t->hinge_edge[h] + i];
  if (t->nhinge > 0 && !b->failed)
    put_parts(b, body,
              body_group(b, body, " bending", PL_ELEM_hinge, t->nhinge, t->hinge, !has_parts(d),
                         !d->consistent),
              t->nhinge, cell, 2);
  pl_topology_free(t);
}

// is there a cell of part number?
static int is_used(const pl_body_desc *d, int number) {
  int n = 0;
  for (int t = 0; t < PL_CELL_COUNT && d->part_of; t++) n += d->mesh->cell[t].n;
  for (int k = 0; k < n; k++)
    if (d->part_of[k] == number) return 1;
  return d->part_of == NULL;
}

static int any_law(const pl_body_desc *d, pl_law law) {
  int any = 0;
  for (int k = 0; k <= d->npart; k++) any |= body_part(d, k).law == law;
  return any;
}

// A natural curvature is told towards the normals of the mesh; those of a stencil follow from the
// order of its vertices, which rise.
static void curl_group(pl_builder *b, int body, int group, int type) {
  const pl_body_desc *d = &b->body[body].desc;
  for (int e = 0; e < d->mesh->cell[type].n; e++) {
    const int *v = d->mesh->cell[type].v + (size_t)pl_cell_nvert[type] * (size_t)e;
    pl_value curl = body_part(d, d->part_of ? d->part_of[e] : 0).curl;
    double sign = (v[0] < v[1]) == (v[1] < v[2]) ? v[0] < v[2] : v[0] > v[2];
    sign = 2 * sign - 1;
    curl.v *= sign;
    curl.coef *= sign;
    pl_build_par(b, group, e, "curl", &curl);
  }
}

// stencils wait for the clamps
static void midedge_group(pl_builder *b, int body, const char *suffix, int kind, int type,
                          const int *cell) {
  static const int number[] = {[PL_VARIANT_TAN] = 1, [PL_VARIANT_SIN] = 0, [PL_VARIANT_THETA] = 2};
  const pl_body_desc *d = &b->body[body].desc;
  int n = d->mesh->cell[type].n, curls = 0;
  for (int k = 0; k <= d->npart; k++) {
    pl_part p = body_part(d, k);
    curls |= p.curl.v != 0 || p.curl.par > 0;
  }
  int group = body_group(b, body, suffix, kind, n, NULL, !has_parts(d) && !curls, !d->consistent);
  if (group < 0) return;
  put_parts(b, body, group, n, cell, 1);
  put_value(b, group, "variant", &(pl_value){.v = number[d->variant]}, n, cell, 1);
  if (curls) curl_group(b, body, group, type);
  // the description holds const arrays; they are ours
  b->body[body].midedge = (int *)b->group[group].stencil;
  if (type == PL_TRI6) b->cells[group].type = type;
}

// the kind of element for cells of a type that are made so
static int cell_kind(const pl_body_desc *d, int type, pl_law law) {
  enum { SVK, NEO, HYPER, ORTHO, COUNT_OF_LAWS };
  static const int of[] = {SVK, NEO, HYPER, HYPER, ORTHO};
  static const int tri2[] = {PL_ELEM_tri2, PL_ELEM_tri2, PL_ELEM_tri2_hyper, PL_ELEM_tri2_ortho};
  static const int membrane[] = {PL_ELEM_membrane, PL_ELEM_membrane, PL_ELEM_membrane_hyper,
                                 PL_ELEM_membrane_ortho};
  static const int tet4[] = {PL_ELEM_tet4, PL_ELEM_tet4_nh, PL_ELEM_tet4_hyper, PL_ELEM_tet4_ortho};
  static const int hex8[2][COUNT_OF_LAWS] = {
      {PL_ELEM_hex8, PL_ELEM_hex8_nh, PL_ELEM_hex8_hyper, PL_ELEM_hex8_ortho},
      {PL_ELEM_hex8_eas, PL_ELEM_hex8_eas_nh, PL_ELEM_hex8_eas_hyper, PL_ELEM_hex8_eas_ortho}};
  static const int tet10[2][COUNT_OF_LAWS] = {
      {PL_ELEM_tet10, PL_ELEM_tet10_nh, PL_ELEM_tet10_hyper, PL_ELEM_tet10_ortho},
      {PL_ELEM_tet10_mean, PL_ELEM_tet10_mean_nh, PL_ELEM_tet10_mean_hyper, PL_ELEM_tet10_ortho}};
  static const int hex20[] = {PL_ELEM_hex20, PL_ELEM_hex20_nh, PL_ELEM_hex20_hyper,
                              PL_ELEM_hex20_ortho};
  int k = of[law];
  switch (type) {
  case PL_TET4:
    return tet4[k];
  case PL_HEX8:
    return hex8[d->form == PL_SOLID_ENHANCED][k];
  case PL_TET10:
    return tet10[d->form == PL_SOLID_MEAN][k];
  case PL_HEX20:
    return hex20[k];
  default:
    return d->kind == PL_BODY_PLANE ? tri2[k] : membrane[k];
  }
}

// Cells of a type, counted from at on among all: a group for every part.
static void cell_groups(pl_builder *b, int body, int type, const char *suffix, const int *cell) {
  const pl_body_desc *d = &b->body[body].desc;
  const pl_cells *c = &d->mesh->cell[type];
  int nv = pl_cell_nvert[type];
  for (int first = 0, last; first < c->n; first = last) {
    int number = d->part_of ? d->part_of[cell[first]] : 0;
    for (last = first + 1; last < c->n; last++)
      if (d->part_of && d->part_of[cell[last]] != number) break;
    pl_part p = body_part(d, number);
    char name[160];
    snprintf(name, sizeof name, "%.60s%s%.60s", suffix, number ? " " : "",
             number && p.name ? p.name : "");
    int n = last - first, own = p.young.each || p.density.each || p.thickness.each || d->grow ||
                                (p.law == PL_LAW_ORTHOTROPIC && type == PL_TRI3);
    int group = body_group(b, body, name, cell_kind(d, type, p.law), n, c->v + (size_t)first * nv,
                           !own, !d->consistent);
    if (group < 0) return;
    b->cells[group].type = type;
    b->cells[group].first = first;
    put_parts(b, body, group, n, cell + first, 1);
  }
}

// a shell that bends by shell6; one kind makes all of it
static void second_group(pl_builder *b, int body, const int *cell) {
  const pl_body_desc *d = &b->body[body].desc;
  int kind = PL_ELEM_shell6, rubber = 0, other = 0;
  for (int k = 0; k <= d->npart; k++) {
    pl_law law = body_part(d, k).law;
    if (k == 0 && d->npart > 0 && !is_used(d, 0)) continue;
    if (law == PL_LAW_ORTHOTROPIC) kind = PL_ELEM_shell6_ortho;
    rubber |= law == PL_LAW_POLYNOMIAL || law == PL_LAW_OGDEN;
    other |= law != PL_LAW_POLYNOMIAL && law != PL_LAW_OGDEN;
  }
  if (rubber && other)
    build_problem(b, d->origin, "bending: midedge",
                  "shell '%.60s': hyperelastic and other laws do not bend as one by shell6",
                  b->body[body].desc.name);
  else
    midedge_group(b, body, "", rubber ? PL_ELEM_shell6_hyper : kind, PL_TRI6, cell);
}

static void material_groups(pl_builder *b, int body) {
  static const struct {
    int type;
    const char *suffix;
  } list[] = {{PL_TRI3, ""},
              {PL_TET4, " tets"},
              {PL_HEX8, " hexes"},
              {PL_TET10, " tets"},
              {PL_HEX20, " hexes"}};
  const pl_body_desc *d = &b->body[body].desc;
  int total = 0, at = 0;
  for (int k = 0; k < COUNT(list); k++) total += d->mesh->cell[list[k].type].n;
  if (d->bending == PL_BENDING_SHELL6) total += d->mesh->cell[PL_TRI6].n;
  int *cell = pl_build_keep(b, (size_t)total + 1, sizeof *cell);
  if (!cell) return;
  for (int k = 0; k < total; k++) cell[k] = k;
  for (int k = 0; k < COUNT(list) && !b->failed; k++) {
    cell_groups(b, body, list[k].type, list[k].suffix, cell + at);
    at += d->mesh->cell[list[k].type].n;
  }
  if (d->kind != PL_BODY_SHELL || b->failed) return;
  if (d->bending == PL_BENDING_HINGE) hinge_group(b, body);
  int bend = any_law(d, PL_LAW_ORTHOTROPIC) ? PL_ELEM_midedge_ortho : PL_ELEM_midedge;
  if (d->bending == PL_BENDING_MIDEDGE) midedge_group(b, body, " bending", bend, PL_TRI3, cell);
  if (d->bending == PL_BENDING_SHELL6) second_group(b, body, cell);
}

static void chain_group(pl_builder *b, int body) {
  const pl_body_desc *d = &b->body[body].desc;
  const pl_cells *c = &d->mesh->cell[PL_SEG2];
  int g = body_group(b, body, "", PL_ELEM_link, c->n, c->v, 1, 0);
  if (g < 0) return;
  b->cells[g].type = PL_SEG2;
  pl_build_par(b, g, 0, "stiffness", &d->stiffness);
  pl_build_par(b, g, 0, "mass", &d->mass);
}

// Is there a cell of which the kind of body is made?
static int has_cells(const pl_body_desc *d) {
  const pl_cells *c = d->mesh->cell;
  if (d->kind == PL_BODY_SOLID)
    return c[PL_TET4].n + c[PL_HEX8].n + c[PL_TET10].n + c[PL_HEX20].n > 0;
  if (d->kind == PL_BODY_SHELL && d->bending == PL_BENDING_SHELL6) return c[PL_TRI6].n > 0;
  return c[d->kind <= PL_BODY_PLANE ? PL_TRI3 : PL_SEG2].n > 0;
}

pl_mesh *pl_build_mesh(pl_builder *b, const char *name, int nvert, const double *X,
                       pl_cell_type type, int ncell, const int *cell) {
  struct builder_impl *m = b->impl;
  size_t n = (size_t)ncell * (size_t)pl_cell_nvert[type];
  for (size_t i = 0; i < n; i++)
    if (cell[i] < 0 || cell[i] >= nvert) {
      build_problem(b, NULL, NULL, "mesh '%.60s': cell %zu has vertex %d of %d", name,
                    i / (size_t)pl_cell_nvert[type], cell[i], nvert);
      return NULL;
    }
  if (b->failed || !pl_build_grow(b, &m->mesh, m->nmesh, &m->mesh_cap, sizeof *m->mesh))
    return NULL;
  pl_mesh *mesh;
  pl_status s = pl_mesh_create(b->env, name, nvert, &mesh);
  if (s == PL_OK) m->mesh[m->nmesh++] = mesh;
  if (s == PL_OK) s = pl_mesh_set_cells(mesh, type, ncell);
  if (s != PL_OK) {
    b->failed = s;
    return NULL;
  }
  memcpy(mesh->X, X, 3 * (size_t)nvert * sizeof *X);
  memcpy(mesh->cell[type].v, cell, n * sizeof *cell);
  return mesh;
}

int pl_build_body(pl_builder *b, const pl_body_desc *d) {
  if (b->failed || !pl_build_grow(b, &b->body, b->nbody, &b->impl->body_cap, sizeof *b->body))
    return -1;
  const char *name = d->name ? d->name : d->mesh ? d->mesh->source : "";
  if (!d->mesh || !has_cells(d)) {
    if (b->nproblem == 0 || d->mesh)
      build_problem(b, d->origin, NULL, "body '%.60s': the mesh has no cells for it", name);
    return -1;
  }
  int body = b->nbody++;
  pl_body *p = &b->body[body];
  *p = (pl_body){.desc = *d};
  int *node = pl_build_keep(b, (size_t)d->mesh->nvert + 1, sizeof *node);
  p->desc.name = build_strdup(b, name);
  if (!node || !p->desc.name) return -1;
  if (d->node)
    memcpy(node, d->node, (size_t)d->mesh->nvert * sizeof *node);
  else if (!pl_build_mesh_nodes(b, d->mesh, -1, node))
    return -1;
  p->node = node;
  p->desc.node = node;
  if (d->kind == PL_BODY_CHAIN)
    chain_group(b, body);
  else if (d->kind == PL_BODY_ROD)
    rod_edges(b, body);
  else
    material_groups(b, body);
  return b->failed ? -1 : body;
}
