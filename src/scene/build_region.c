// Regions: parts of a mesh with a material, thickness, section or swelling of their own.
#include "build_body.h"
#include "faces.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_MAX = 64, PLACES_MAX = 1000 };

// cells that a body is made of, in the order of types
static int is_own(const body_slot *b, int type) {
  if (b->def->rod) return type == PL_SEG2;
  return b->def->solid ? pl_cell_dim[type] == 3 : type == PL_TRI3 || type == PL_TRI6;
}

static int count_own(const body_slot *b) {
  int n = 0;
  for (int t = 0; t < PL_CELL_COUNT; t++) n += is_own(b, t) ? b->mesh->cell[t].n : 0;
  return n;
}

// 1: it changes what cells are made of, and not their limit alone
static int has_part(const region_def *d) {
  return d->material.at || d->thickness.at || d->section || d->swelling.at || d->temperature.at ||
         d->swelling_through.at || d->temperature_through.at || d->warp.at || d->weft.at ||
         d->angle.at;
}

// ---- cells --------------------------------------------------------------------------------------

// names of groups that hold cells of the body
static int group_names(const body_slot *b, const char **name) {
  int n = 0;
  for (int k = 0; k < b->mesh->nset && n < NAMES_MAX; k++) {
    const pl_set *s = &b->mesh->set[k];
    int seen = 0;
    for (int i = 0; i < n; i++) seen |= strcmp(name[i], s->name) == 0;
    if (s->type >= 0 && is_own(b, s->type) && !seen) name[n++] = s->name;
  }
  return n;
}

static void unknown_group(reader *r, const body_slot *b, const txt *group) {
  const char *name[NAMES_MAX];
  char hint[PL_TEXT], buf[MESSAGE_QUOTE + 8];
  int n = group_names(b, name);
  if (n > 0)
    pl_name_hint(group->s, n, name, hint, sizeof hint);
  else
    snprintf(hint, sizeof hint, "its mesh has no groups of such cells; choose them by nodes");
  problem(r, group->at, hint, "region: %s '%s' has no cells in a group '%s'", b->kind,
          b->def->name.s, quote(group->s, buf, sizeof buf));
}

static int mark_group(reader *r, const body_slot *b, const txt *group, int number, int *part_of) {
  int first = 0, found = 0;
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    if (!is_own(b, t)) continue;
    for (int k = 0; k < b->mesh->nset; k++) {
      const pl_set *s = &b->mesh->set[k];
      if (s->type != t || strcmp(s->name, group->s) != 0) continue;
      for (int i = 0; i < s->n; i++) part_of[first + s->index[i]] = number;
      found += s->n;
    }
    first += b->mesh->cell[t].n;
  }
  if (found == 0) unknown_group(r, b, group);
  return found > 0;
}

static int mark_nodes(reader *r, const body_slot *b, const pl_node *at, int number, int *part_of) {
  node_list list;
  int found = 0, cell = 0;
  if (!select_nodes(r, at, "region", &list)) return 0;
  char *in = scene_alloc(r, (size_t)r->b->nnode + 1, 1);
  if (!in) return 0;
  for (int i = 0; i < list.n; i++) in[list.v[i]] = 1;
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    if (!is_own(b, t)) continue;
    int nv = pl_cell_nvert[t];
    for (int e = 0; e < b->mesh->cell[t].n; e++, cell++) {
      int all = 1;
      for (int i = 0; i < nv; i++) all &= in[b->node[b->mesh->cell[t].v[nv * e + i]]];
      if (all) part_of[cell] = number;
      found += all;
    }
  }
  if (found == 0)
    problem(r, at, NULL, "region: no cell of %s '%s' has all its corners among these nodes",
            b->kind, b->def->name.s);
  return found > 0;
}

static int mark_cells(reader *r, const body_slot *b, const region_def *d, const pl_node *at,
                      int number, int *part_of) {
  if ((d->group.at != NULL) + (d->nodes != NULL) != 1) {
    problem(r, at, "e.g. {group: core, material: steel}",
            "region needs the key 'group' or 'nodes'");
    return 0;
  }
  return d->group.at ? mark_group(r, b, &d->group, number, part_of)
                     : mark_nodes(r, b, d->nodes, number, part_of);
}

// ---- order --------------------------------------------------------------------------------------

// cells of a type in the order of their parts, and sets of such cells
static int sort_cells(reader *r, body_slot *b, int type, int *part_of, int npart) {
  const pl_cells *c = &b->mesh->cell[type];
  size_t nv = (size_t)pl_cell_nvert[type], n = (size_t)c->n;
  if (n == 0) return 1;
  int *v = scene_alloc(r, n * nv + 1, sizeof *v), *to = scene_alloc(r, n + 1, sizeof *to);
  int *sorted = scene_alloc(r, n + 1, sizeof *sorted), at = 0;
  if (!v || !to || !sorted) return 0;
  for (int p = 0; p <= npart; p++)
    for (int e = 0; e < c->n; e++)
      if (part_of[e] == p) {
        memcpy(v + (size_t)at * nv, c->v + (size_t)e * nv, nv * sizeof *v);
        sorted[at] = p;
        to[e] = at++;
      }
  memcpy(c->v, v, n * nv * sizeof *v);
  memcpy(part_of, sorted, n * sizeof *sorted);
  for (int k = 0; k < b->mesh->nset; k++) {
    pl_set *s = &b->mesh->set[k];
    if (s->type != type) continue;
    char *in = scene_alloc(r, n + 1, 1);
    if (!in) return 0;
    for (int i = 0; i < s->n; i++) in[to[s->index[i]]] = 1;
    for (int e = 0, i = 0; e < c->n; e++)
      if (in[e]) s->index[i++] = e;
  }
  return 1;
}

// ---- parts --------------------------------------------------------------------------------------

static int read_region(reader *r, const body_slot *b, const geometry_def *g, const region_def *d,
                       const pl_node *at, const pl_body_desc *body, pl_part *to) {
  const txt *name = d->material.at ? &d->material : &g->material;
  if (!name->at) {
    problem(r, at, NULL, "region needs the key 'material', as %s '%s' has none", b->kind,
            b->def->name.s);
    return 0;
  }
  const material_def *m = find_material(r, name);
  if (!m || !read_part(r, b, g, d, m, to)) return 0;
  if (d->material.at && (m->young.each || m->density.each)) {
    problem(r, d->material.at, "give every body a material of its own",
            "values for each element are for bodies, not for regions");
    return 0;
  }
  if (d->thickness.at && !b->def->shell && !b->def->plane) {
    problem_key(r, d->thickness.at, NULL, "a %s has no thickness", b->kind);
    return 0;
  }
  to->section = body->section;
  if (!d->section) return 1;
  if (b->def->rod)
    return read_plain_section(r, b, d->section, node_get(at, "section"), &to->section);
  problem_key(r, node_get(at, "section"), NULL, "a %s has no section", b->kind);
  return 0;
}

// cells that nothing is said about
static int check_covered(reader *r, const body_slot *b, const geometry_def *g, const int *part_of,
                         int n) {
  char hint[PL_TEXT];
  const char *name[NAMES_MAX];
  int bare = 0, at = 0, count = group_names(b, name);
  for (int e = 0; e < n; e++) bare += part_of[e] == 0;
  if (bare == 0 || g->material.at) return 1;
  at = snprintf(hint, sizeof hint, "give %s '%.60s' a material for them%s", b->kind, b->def->name.s,
                count > 0 ? "; groups:" : "");
  for (int k = 0; k < count && at < PL_TEXT - 80; k++)
    at += snprintf(hint + at, sizeof hint - (size_t)at, " %.60s", name[k]);
  problem(r, g->regions.n ? g->regions.at : node_get(b->at, b->kind), g->regions.n ? hint : NULL,
          g->regions.n ? "%s: %d of %d cells are in no region with a material"
                       : "%s needs the key 'material'",
          b->kind, bare, n);
  return 0;
}

int read_regions(reader *r, body_slot *b, const geometry_def *g, pl_body_desc *to) {
  const region_def *d = g->regions.item;
  const pl_node *at = items_first(&g->regions);
  int n = count_own(b), first = 0, ok = 1, parts = 0;
  for (int k = 0; k < g->regions.n; k++) parts += has_part(&d[k]);
  int *part_of = scene_alloc(r, (size_t)n + 1, sizeof *part_of);
  pl_part *part = scene_alloc(r, (size_t)parts + 1, sizeof *part);
  if (!part_of || !part) return 0;
  for (int k = 0; k < g->regions.n; k++, at = at->next) {
    if (!has_part(&d[k]) && !d[k].limit)
      problem(r, at, NULL, "region needs the key '%s'", b->def->shell ? "limit" : "material");
    if (d[k].limit && (!b->def->shell || !d[k].nodes))
      problem(r, at, NULL,
              b->def->shell ? "a region with a limit needs the key 'nodes'"
                            : "limits of stretch are for shells");
    if (!has_part(&d[k])) continue;
    pl_part *p = &part[to->npart++];
    ok &= mark_cells(r, b, &d[k], at, to->npart, part_of) && read_region(r, b, g, &d[k], at, to, p);
  }
  if (!ok || !check_covered(r, b, g, part_of, n)) return 0;
  for (int t = 0; to->npart > 0 && t < PL_CELL_COUNT; t++) {
    if (!is_own(b, t)) continue;
    if (t != PL_SEG2 && !sort_cells(r, b, t, part_of + first, to->npart)) return 0;
    first += b->mesh->cell[t].n;
  }
  if (to->npart > 0) {
    to->part = part;
    to->part_of = part_of;
  }
  return 1;
}

int regions_have_all(const body_slot *b, const geometry_def *g, const pl_body_desc *d) {
  int n = count_own(b);
  if (d->npart == 0) return 0;
  for (int e = 0; e < n; e++) {
    int p = d->part_of[e];
    if (p == 0 && (!g->material.at || !g->thickness.at)) return 0;
    if (p > 0 && !(d->part[p - 1].thickness.v > 0)) return 0;
  }
  return 1;
}

// ---- swelling along an axis ---------------------------------------------------------------------

static int read_numbers(reader *r, const pl_node *at, const char *what, const char *unit_text,
                        double *out) {
  if (at->kind != NODE_LIST || at->n < 2 || at->n > PLACES_MAX) {
    problem(r, at, "e.g. [0, 40]", "profile: %s needs a list of 2 to %d numbers", what, PLACES_MAX);
    return 0;
  }
  int k = 0;
  for (const pl_node *d = at->first; d; d = d->next, k++) {
    num v;
    if (!read_num(r, d, what, unit_text, &v)) return 0;
    if (v.par >= 0) {
      problem(r, d, NULL, "profile: %s cannot depend on a parameter", what);
      return 0;
    }
    out[k] = v.v;
  }
  return at->n;
}

static double interpolate(int n, const double *x, const double *y, double at) {
  int k = 1;
  if (at <= x[0]) return y[0];
  while (k < n && x[k] < at) k++;
  if (k == n) return y[n - 1];
  return y[k - 1] + (y[k] - y[k - 1]) * (at - x[k - 1]) / (x[k] - x[k - 1]);
}

// strains at places; 0: reported
static int read_places(reader *r, const profile_def *p, const material_def *m, double *x,
                       double *y) {
  const pl_node *given = p->swelling ? p->swelling : p->temperature;
  if ((p->swelling != NULL) + (p->temperature != NULL) != 1) {
    problem(r, p->at, "e.g. temperature: [0, 40]",
            "profile: exactly one of swelling and temperature must be given");
    return 0;
  }
  if (p->temperature && (!m || !m->expansion.at)) {
    problem(r, p->temperature, "e.g. expansion: 1.2e-5 (per kelvin) in the material",
            "profile: the body's material does not say how it expands");
    return 0;
  }
  int n = read_numbers(r, p->at, "at", "m", x);
  int count = read_numbers(r, given, p->swelling ? "swelling" : "temperature", "", y);
  if (n == 0 || count == 0) return 0;
  for (int k = 1; k < n; k++)
    if (!(x[k] > x[k - 1])) {
      problem(r, p->at, NULL, "profile: places must rise");
      return 0;
    }
  if (count != n) {
    problem(r, given, NULL, "profile: there are %d places and %d values", n, count);
    return 0;
  }
  for (int k = 0; k < n; k++) {
    if (p->temperature) y[k] *= m->expansion.v;
    if (!(y[k] > -0.99)) {
      problem(r, given, NULL, "profile: the natural shape would shrink to nothing");
      return 0;
    }
  }
  return n;
}

void read_profile(reader *r, const body_slot *b, const geometry_def *g, const material_def *m,
                  pl_body_desc *to) {
  const profile_def *p = g->profile;
  double axis[3], *x = scene_alloc(r, 2 * PLACES_MAX, sizeof *x), *y = x ? x + PLACES_MAX : NULL;
  if (!p || !x) return;
  for (int c = 0; c < 3; c++) axis[c] = c < p->axis.n ? p->axis.v[c].v : 0;
  double size = pl_norm3(axis);
  if (!(size > 0)) {
    problem(r, p->axis.at, NULL, "axis must not be zero");
    return;
  }
  int n = read_places(r, p, m, x, y), cell = 0;
  double *grow = scene_alloc(r, (size_t)count_own(b) + 1, sizeof *grow);
  if (n == 0 || !grow) return;
  double whole = to->growth.v != 0 ? to->growth.v : 1;
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    if (!is_own(b, t)) continue;
    int nv = pl_cell_nvert[t];
    for (int e = 0; e < b->mesh->cell[t].n; e++, cell++) {
      double at = 0;
      for (int i = 0; i < nv; i++)
        at += pl_dot3(axis, b->mesh->X + 3 * (size_t)b->mesh->cell[t].v[nv * e + i]) / (size * nv);
      grow[cell] = (whole + interpolate(n, x, y, at)) / whole;
    }
  }
  to->grow = grow;
}

// ---- swelling over time -------------------------------------------------------------------------

void build_swellings(reader *r) {
  for (int k = 0; k < r->nbody && !r->failed; k++) {
    const body_slot *b = &r->body[k];
    const body_def *d = b->def;
    const geometry_def *g = d->shell   ? d->shell
                            : d->plane ? d->plane
                            : d->solid ? d->solid
                                       : d->rod;
    if (!g || !g->swelling_over.at || b->number < 0) continue;
    int grows = 0;
    for (int i = 0; i < r->b->ngroup; i++)
      grows |= r->b->cells[i].body == b->number && r->b->grow[i];
    if (!grows) {
      problem(r, g->swelling_over.at, "give it a swelling or a temperature, which the factor is of",
              "%s '%s' does not swell", b->kind, d->name.s);
      continue;
    }
    const pl_course *over = read_series(r, &g->swelling_over, "", 0);
    if (!over) continue;
    int at = pl_build_amplitude(r->b, d->name.s, &(pl_term){.amplitude = {1}}, over);
    if (at < 0) r->failed = PL_E_NOMEM;
    if (at >= 0) pl_build_swell_over(r->b, b->number, at);
  }
}
