// Rods: what a scene says of sections, natural shape and directors.
#include "build_body.h"

#include <math.h>
#include <stdio.h>

// two values of a list; size 1: they must be > 0, 2: and may differ from edge to edge
static int read_two(reader *r, const pl_node *at, const char *what, const char *unit_text, int size,
                    num out[2]) {
  const row w = {.key = what, .unit = unit_text, .lo = 0, .hi = 1e6, .lo_open = 1};
  int k = 0, ok = 1;
  if (at->kind != NODE_LIST || at->n != 2) {
    problem(r, at, "write it like [2, 1]", "%s needs two values", what);
    return 0;
  }
  for (const pl_node *d = at->first; d; d = d->next, k++) {
    if (size == 2 && d->kind == NODE_MAP) {
      ok &= read_each(r, d, &w, &out[k]);
      continue;
    }
    ok &= read_num(r, d, what, unit_text, &out[k]);
    if (!ok || !size || out[k].v > 0) continue;
    problem(r, d, NULL, "%s must be > 0, got '%.60s'", what, d->text);
    ok = 0;
  }
  return ok;
}

// sizes of a section as the scene gives them
typedef struct section {
  int rectangle;
  num width, height, hollow;
} section;

// inner over outer size; it follows a parameter only when that is linear
static int read_tube(reader *r, const section_def *s, section *p) {
  num d[2];
  if (!read_two(r, s->tube, "tube", "m", 1, d)) return 0;
  if (d[1].v >= 0.99 * d[0].v) {
    problem(r, s->tube, "write it like [outer, inner]",
            "tube: the inner diameter must be below 0.99 of the outer one");
    return 0;
  }
  if (s->hollow.at) problem(r, s->hollow.at, NULL, "a tube is hollow by its inner diameter");
  num ratio = {.v = d[1].v / d[0].v, .par = d[1].par, .coef = d[1].coef / d[0].v, .at = s->tube};
  if (d[0].par >= 0) {
    // d(inner/outer) = (inner' outer - inner outer')/outer^2
    double change = (d[1].par >= 0 ? d[1].coef : 0) * d[0].v - d[1].v * d[0].coef;
    if ((d[1].par >= 0 && d[1].par != d[0].par) || fabs(change) > 1e-9 * d[1].v) {
      problem(r, s->tube, "write {round: $outer, hollow: 0.8}, or multiples of one parameter",
              "tube: the outer diameter cannot be a parameter of its own");
      return 0;
    }
    ratio.par = -1;
  }
  p->width = p->height = d[0];
  p->hollow = ratio;
  return 1;
}

static int read_section(reader *r, const body_slot *b, const section_def *s, const pl_node *at,
                        section *p) {
  const pl_node *two = s->ellipse ? s->ellipse : s->rectangle;
  int count =
      (s->round.at != NULL) + (s->ellipse != NULL) + (s->rectangle != NULL) + (s->tube != NULL);
  if (count != 1) {
    problem(r, at, "known: round ellipse rectangle tube",
            "rod '%s': its section must be exactly one shape", b->def->name.s);
    return 0;
  }
  *p = (section){s->rectangle != NULL, s->round, s->round, s->hollow};
  if (s->tube) return read_tube(r, s, p);
  num size[2];
  if (!two) return 1;
  if (!read_two(r, two, s->ellipse ? "ellipse" : "rectangle", "m", 2, size)) return 0;
  p->width = size[0];
  p->height = size[1];
  return 1;
}

int read_plain_section(reader *r, const body_slot *b, const section_def *s, const pl_node *at,
                       pl_section *to) {
  section p;
  if (!read_section(r, b, s, at, &p)) return 0;
  if (p.width.each || p.height.each) {
    problem(r, at, "give one size",
            "rod '%s': the section of a region is the same for all its edges", b->def->name.s);
    return 0;
  }
  *to = (pl_section){p.rectangle, value_of(&p.width), value_of(&p.height), value_of(&p.hollow)};
  return 1;
}

// values that may differ from edge to edge
static void put_section(reader *r, const body_slot *b, const section *p, pl_section *to) {
  const section_def *s = b->def->rod->section;
  int n = b->mesh->cell[PL_SEG2].n;
  char path[2][256];
  to->rectangle = p->rectangle;
  to->hollow = value_of(&p->hollow);
  if (s->round.at) {
    snprintf(path[0], sizeof path[0], "bodies.%.100s.rod.section.round.each.value", b->def->name.s);
    to->width = to->height = body_value(r, b, &s->round, "round", path[0], n);
    return;
  }
  // numbers lead into the only key, `each`
  for (int k = 0; k < 2; k++)
    snprintf(path[k], sizeof path[k], "bodies.%.100s.rod.section.%s.%d.value", b->def->name.s,
             s->ellipse ? "ellipse" : "rectangle", k);
  to->width = body_value(r, b, &p->width, "width", path[0], n);
  to->height = body_value(r, b, &p->height, "height", path[1], n);
}

static int read_natural(reader *r, const natural_def *d, pl_body_desc *to) {
  num k[2] = {{.par = -1}, {.par = -1}};
  if (!d) return 1;
  if (d->curvature && !read_two(r, d->curvature, "curvature", "1/m", 0, k)) return 0;
  for (int i = 0; i < 2; i++) to->curvature[i] = value_of(&k[i]);
  to->twist = value_of(&d->twist);
  to->straight = d->straight.v;
  return 1;
}

void build_rod(reader *r, body_slot *b) {
  const geometry_def *g = b->def->rod;
  int n = b->mesh->cell[PL_SEG2].n;
  char path[2][256];
  section p;
  pl_body_desc d = {.kind = PL_BODY_ROD, .consistent = g->mass.v != 0, .up_origin = g->up.at};
  double *up = scene_alloc(r, 3, sizeof *up);
  if (!g->section || !up) return;
  if (!g->material.at) {
    problem(r, node_get(b->at, "rod"), NULL, "rod needs the key 'material'");
    return;
  }
  const material_def *m = find_material(r, &g->material);
  pl_part own;
  if (!m || !read_part(r, b, g, NULL, m, &own)) return;
  const pl_node *at = node_get(node_get(b->at, "rod"), "section");
  if (!read_section(r, b, g->section, at, &p) || !read_natural(r, g->natural, &d)) return;
  snprintf(path[0], sizeof path[0], "materials.%.100s.young.each.value", m->name.s);
  snprintf(path[1], sizeof path[1], "materials.%.100s.density.each.value", m->name.s);
  d.young = body_value(r, b, &m->young, "young", path[0], n);
  d.density = body_value(r, b, &m->density, "density", path[1], n);
  d.poisson = value_of(&m->poisson);
  d.growth = own.growth;
  put_section(r, b, &p, &d.section);
  if (!read_regions(r, b, g, &d)) return;
  for (int c = 0; c < 3; c++) up[c] = g->up.at ? g->up.v[c].v : 0;
  if (g->up.at) d.up = up;
  b->rod->wide = fmax(p.width.v, p.height.v);
  if (!r->failed) add_body(r, b, &d);
}
