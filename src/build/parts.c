// What the cells of a body are made of, as parameters of its elements.
#include "build_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

enum { VALUES_MAX = 40 };

// a sum of values
typedef struct named {
  const char *name;
  pl_value value;
  int nmore;
  pl_value more[2];
} named;

pl_part body_part(const pl_body_desc *d, int number) {
  if (number > 0) return d->part[number - 1];
  return (pl_part){.law = d->law,
                   .young = d->young,
                   .poisson = d->poisson,
                   .density = d->density,
                   .thickness = d->thickness,
                   .growth = d->growth,
                   .curl = d->curl,
                   .hyper = d->hyper,
                   .ortho = d->ortho,
                   .section = d->section};
}

int has_parts(const pl_body_desc *d) {
  const pl_section *s = &d->section;
  return d->npart > 0 || d->law == PL_LAW_ORTHOTROPIC || d->young.each || d->density.each ||
         d->thickness.each || d->grow || s->width.each || s->height.each;
}

static pl_value scale_value(pl_value v, double factor) {
  v.v *= factor;
  v.coef *= factor;
  return v;
}

// isotropic ones among orthotropic ones
static pl_ortho same_all_round(const pl_part *p) {
  pl_value E = p->young, nu = p->poisson, G = scale_value(E, 0.5 / (1 + nu.v));
  return (pl_ortho){
      .young = {E, E, E}, .poisson = {nu, nu, nu}, .shear = {G, G, G}, .axis = {1}, .side = {0, 1}};
}

// a multiple of the shear modulus at rest, which is a sum of constants
static named by_shear(const char *name, const pl_part *p, double factor) {
  const pl_value *c = p->hyper.c;
  if (p->law == PL_LAW_OGDEN)
    return (named){
        name, scale_value(c[0], factor), 2, {scale_value(c[2], factor), scale_value(c[4], factor)}};
  return (named){.name = name,
                 .value = scale_value(c[0], 2 * factor),
                 .nmore = 1,
                 .more = {scale_value(c[1], 2 * factor)}};
}

// all values that a part has, whether a kind of element knows them or not
static int list_values(const pl_part *p, named *to) {
  static const char *const c[] = {"c1", "c2", "c3", "c4", "c5", "c6"};
  static const char *const young[] = {"young1", "young2", "young3"};
  static const char *const poisson[] = {"poisson12", "poisson13", "poisson23"};
  static const char *const shear[] = {"shear12", "shear13", "shear23"};
  static const char *const axis[] = {"axis_x", "axis_y", "axis_z"};
  static const char *const side[] = {"side_x", "side_y", "side_z"};
  pl_ortho o = p->law == PL_LAW_ORTHOTROPIC ? p->ortho : same_all_round(p);
  int n = 0;
  if (p->law == PL_LAW_POLYNOMIAL || p->law == PL_LAW_OGDEN)
    to[n++] = by_shear("young", p, 2 * (1 + p->poisson.v));
  else
    to[n++] = (named){.name = "young", .value = p->young};
  to[n++] = (named){.name = "poisson", .value = p->poisson};
  to[n++] = (named){.name = "density", .value = p->density};
  if (p->thickness.v > 0 || p->thickness.each)
    to[n++] = (named){.name = "thickness", .value = p->thickness};
  to[n++] = (named){.name = "width", .value = p->section.width};
  to[n++] = (named){.name = "height", .value = p->section.height};
  to[n++] = (named){.name = "hollow", .value = p->section.hollow};
  to[n++] = (named){.name = "shape", .value = {.v = p->section.rectangle}};
  to[n++] = p->hyper.ratio > 0 ? by_shear("bulk", p, p->hyper.ratio)
                               : (named){.name = "bulk", .value = p->hyper.bulk};
  to[n++] = (named){.name = "law", .value = {.v = p->law == PL_LAW_OGDEN}};
  for (int k = 0; k < 6; k++) to[n++] = (named){.name = c[k], .value = p->hyper.c[k]};
  for (int k = 0; k < 3; k++) {
    to[n++] = (named){.name = young[k], .value = o.young[k]};
    to[n++] = (named){.name = poisson[k], .value = o.poisson[k]};
    to[n++] = (named){.name = shear[k], .value = o.shear[k]};
    to[n++] = (named){.name = axis[k], .value = {.v = o.axis[k]}};
    to[n++] = (named){.name = side[k], .value = {.v = o.side[k]}};
  }
  to[n++] = (named){.name = "angle", .value = o.angle};
  return n;
}

// the value of a cell, and the parameter that it follows
static pl_value at_cell(const pl_value *v, int cell) {
  if (!v->each) return *v;
  return (pl_value){.v = v->each[cell], .par = v->par > 0 ? v->par + cell : 0, .coef = 1};
}

// the first axis laid into a triangle, and the second at right angles to it
static void lay_axes(pl_builder *b, int body, int group, int e, int cell, const pl_ortho *o) {
  const pl_body *p = &b->body[body];
  int type = p->desc.bending == PL_BENDING_SHELL6 ? PL_TRI6 : PL_TRI3;
  const int *v = p->desc.mesh->cell[type].v + (size_t)pl_cell_nvert[type] * (size_t)cell;
  const double *X = p->desc.mesh->X;
  double f[2][3], normal[3], side[3], axis[3];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++) f[k][i] = X[3 * (size_t)v[k + 1] + i] - X[3 * (size_t)v[0] + i];
  pl_cross3(f[0], f[1], normal);
  // any one will do where all are alike
  const double *first = o ? o->axis : f[0];
  pl_cross3(normal, first, side);
  pl_cross3(side, normal, axis);
  double a = pl_norm3(axis), s = pl_norm3(side);
  if (!(s > 1e-6 * pl_norm3(normal) * pl_norm3(first))) {
    if (b->nproblem == 0)
      build_problem(b, p->desc.origin, "give another direction",
                    "body '%.60s': the first axis of its material stands at right angles to "
                    "triangle %d",
                    p->desc.name, cell + 1);
    return;
  }
  static const char *const name[2][3] = {{"axis_x", "axis_y", "axis_z"},
                                         {"side_x", "side_y", "side_z"}};
  for (int i = 0; i < 3; i++) {
    pl_build_par(b, group, e, name[0][i], &(pl_value){.v = axis[i] / a});
    pl_build_par(b, group, e, name[1][i], &(pl_value){.v = side[i] / s});
  }
}

static void put_growth_of_parts(pl_builder *b, int body, int group, int n, const int *cell,
                                int ncell) {
  const pl_body_desc *d = &b->body[body].desc;
  int grows = d->grow != NULL, count = b->group[group].shared ? 1 : n;
  for (int e = 0; e < n * ncell; e++)
    grows |= body_part(d, d->part_of ? d->part_of[cell[e]] : 0).growth.v != 0;
  double *each = grows ? pl_build_keep(b, (size_t)n + 1, sizeof *each) : NULL;
  if (!each) return;
  for (int e = 0; e < count; e++)
    for (int i = 0; i < ncell; i++) {
      int at = cell[e * ncell + i];
      pl_value own = body_part(d, d->part_of ? d->part_of[at] : 0).growth;
      double factor = (d->grow ? d->grow[at] : 1) / ncell;
      each[e] += (own.v == 0 ? 1 : own.v) * factor;
    }
  pl_build_swell(b, group, &(pl_value){.v = each[0]}, each);
  for (int e = 0; e < count; e++)
    for (int i = 0; i < ncell; i++) {
      int at = cell[e * ncell + i];
      pl_value own = body_part(d, d->part_of ? d->part_of[at] : 0).growth;
      pl_build_follow(b, PL_AT_GROW, group, e, 0, &own, (d->grow ? d->grow[at] : 1) / ncell);
    }
}

void put_parts(pl_builder *b, int body, int group, int n, const int *cell, int ncell) {
  if (group < 0) return;
  const pl_body_desc *d = &b->body[body].desc;
  const pl_elem_kind *kind = b->group[group].kind;
  named value[VALUES_MAX];
  int count = b->group[group].shared ? 1 : n, at = -1, nvalue = 0;
  int flat = d->kind == PL_BODY_SHELL && par_index(kind, "axis_x") >= 0;
  for (int e = 0; e < count && !b->failed; e++) {
    for (int i = 0; i < ncell; i++) {
      int c = cell[e * ncell + i], number = d->part_of ? d->part_of[c] : 0;
      pl_part p = body_part(d, number);
      if (number != at) nvalue = list_values(&p, value);
      at = number;
      for (int k = 0; k < nvalue; k++) {
        int par = par_index(kind, value[k].name);
        if (par < 0) continue;
        // the description holds const arrays; they are ours
        double *to = (double *)b->group[group].par + (size_t)e * (size_t)kind->npar + par;
        if (i == 0) *to = 0;
        for (int m = 0; m <= value[k].nmore; m++) {
          pl_value own = at_cell(m ? &value[k].more[m - 1] : &value[k].value, c);
          *to += own.v / ncell;
          pl_build_follow(b, PL_AT_GROUP, group, e, par, &own, 1.0 / ncell);
        }
      }
      if (flat && i == 0)
        lay_axes(b, body, group, e, c, p.law == PL_LAW_ORTHOTROPIC ? &p.ortho : NULL);
    }
  }
  put_growth_of_parts(b, body, group, n, cell, ncell);
}
