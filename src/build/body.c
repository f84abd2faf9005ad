// Shells, planes, solids and chains: their groups of elements.
#include "build_impl.h"

#include <stdio.h>
#include <string.h>

int body_group_of(pl_builder *b, int body, const char *suffix, const pl_elem_kind *kind, int n,
                  const int *vertex, int shared, int lumped) {
  char name[160];
  int *stencil, nv = kind->nvert;
  const pl_body *p = &b->body[body];
  snprintf(name, sizeof name, "%.120s%s", p->desc.name, suffix);
  int g = pl_build_group(b, name, kind, n, shared, lumped, &stencil);
  if (g < 0) return g;
  b->cells[g].body = body;
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

static int has_each(const pl_body_desc *d) {
  return d->young.each || d->density.each || d->thickness.each || d->grow;
}

void put_growth(pl_builder *b, int group, const pl_body_desc *d, int n, const int *cell,
                int ncell) {
  double *each = NULL;
  if (group < 0 || (d->growth.v == 0 && !d->grow)) return;
  pl_value whole = d->growth;
  if (whole.v == 0) whole.v = 1;
  if (d->grow) each = pl_build_keep(b, (size_t)n + 1, sizeof *each);
  for (int e = 0; each && e < n; e++)
    for (int i = 0; i < ncell; i++) each[e] += whole.v * d->grow[cell[e * ncell + i]] / ncell;
  if (!b->failed) pl_build_swell(b, group, &whole, each);
}

// cell[n][ncell]: the body's cells that an element belongs to
static void put_material(pl_builder *b, int group, const pl_body_desc *d, int n, const int *cell,
                         int ncell) {
  put_value(b, group, "young", &d->young, n, cell, ncell);
  put_value(b, group, "poisson", &d->poisson, n, cell, ncell);
  put_value(b, group, "density", &d->density, n, cell, ncell);
  if (d->thickness.v > 0 || d->thickness.each)
    put_value(b, group, "thickness", &d->thickness, n, cell, ncell);
  put_growth(b, group, d, n, cell, ncell);
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
  int *cell = has_each(d) ? pl_build_keep(b, 2 * (size_t)t->nhinge + 1, sizeof *cell) : NULL;
  for (int h = 0; cell && h < t->nhinge; h++)
    for (int i = 0; i < 2; i++) cell[2 * h + i] = t->edge_tri[2 * t->hinge_edge[h] + i];
  if (t->nhinge > 0 && !b->failed)
    put_material(b,
                 body_group(b, body, " bending", PL_ELEM_hinge, t->nhinge, t->hinge, !has_each(d),
                            !d->consistent),
                 d, t->nhinge, cell, 2);
  pl_topology_free(t);
}

// stencils wait for the clamps
static void midedge_group(pl_builder *b, int body, const char *suffix, int kind, int type,
                          const int *cell) {
  static const int number[] = {[PL_VARIANT_TAN] = 1, [PL_VARIANT_SIN] = 0, [PL_VARIANT_THETA] = 2};
  const pl_body_desc *d = &b->body[body].desc;
  int n = d->mesh->cell[type].n;
  int group = body_group(b, body, suffix, kind, n, NULL, !has_each(d), !d->consistent);
  if (group < 0) return;
  put_material(b, group, d, n, cell, 1);
  put_value(b, group, "variant", &(pl_value){.v = number[d->variant]}, n, cell, 1);
  // the description holds const arrays; they are ours
  b->body[body].midedge = (int *)b->group[group].stencil;
  if (kind == PL_ELEM_shell6) b->cells[group].type = type;
}

static void material_groups(pl_builder *b, int body) {
  const pl_body_desc *d = &b->body[body].desc;
  const pl_cells *all = d->mesh->cell;
  int neo = d->law == PL_LAW_NEO_HOOKEAN, total = 0, at = 0;
  int hex8 = d->form == PL_SOLID_ENHANCED ? neo ? PL_ELEM_hex8_eas_nh : PL_ELEM_hex8_eas
             : neo                        ? PL_ELEM_hex8_nh
                                          : PL_ELEM_hex8;
  int tet10 = d->form == PL_SOLID_MEAN ? neo ? PL_ELEM_tet10_mean_nh : PL_ELEM_tet10_mean
              : neo                    ? PL_ELEM_tet10_nh
                                       : PL_ELEM_tet10;
  const struct {
    int type, kind;
    const char *suffix;
  } part[] = {{PL_TRI3, d->kind == PL_BODY_PLANE ? PL_ELEM_tri2 : PL_ELEM_membrane, ""},
              {PL_TET4, neo ? PL_ELEM_tet4_nh : PL_ELEM_tet4, " tets"},
              {PL_HEX8, hex8, " hexes"},
              {PL_TET10, tet10, " tets"},
              {PL_HEX20, neo ? PL_ELEM_hex20_nh : PL_ELEM_hex20, " hexes"}};
  for (int k = 0; k < COUNT(part); k++) total += all[part[k].type].n;
  if (d->bending == PL_BENDING_SHELL6) total += all[PL_TRI6].n;
  int *cell = pl_build_keep(b, (size_t)total + 1, sizeof *cell);
  if (!cell) return;
  for (int k = 0; k < total; k++) cell[k] = k;
  for (int k = 0; k < COUNT(part); k++) {
    const pl_cells *c = &all[part[k].type];
    if (c->n == 0) continue;
    int group =
        body_group(b, body, part[k].suffix, part[k].kind, c->n, c->v, !has_each(d), !d->consistent);
    if (group < 0) return;
    b->cells[group].type = part[k].type;
    put_material(b, group, d, c->n, cell + at, 1);
    at += c->n;
  }
  if (d->kind != PL_BODY_SHELL) return;
  if (d->bending == PL_BENDING_HINGE) hinge_group(b, body);
  if (d->bending == PL_BENDING_MIDEDGE)
    midedge_group(b, body, " bending", PL_ELEM_midedge, PL_TRI3, cell);
  if (d->bending == PL_BENDING_SHELL6) midedge_group(b, body, "", PL_ELEM_shell6, PL_TRI6, cell);
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

int pl_build_body(pl_builder *b, const pl_body_desc *d) {
  if (b->failed || !pl_build_grow(b, &b->body, b->nbody, &b->impl->body_cap, sizeof *b->body))
    return -1;
  if (!has_cells(d)) {
    build_problem(b, d->origin, NULL, "body '%.60s': the mesh has no cells for it",
                  d->name ? d->name : "");
    return -1;
  }
  int body = b->nbody++;
  pl_body *p = &b->body[body];
  *p = (pl_body){.desc = *d};
  int *node = pl_build_keep(b, (size_t)d->mesh->nvert + 1, sizeof *node);
  p->desc.name = build_strdup(b, d->name ? d->name : "body");
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
