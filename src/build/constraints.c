// What confines a model: obstacles and the nodes that feel them, layers of bodies, limits of
// stretch.
#include "build_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

// Overlaps at the start that are rounding of a mesh file, over the size of the model.
static const double OVERLAP = 1e-7;
static const double THIN = 0.01;           // of the shortest edge: what solids keep from each other
static const double LEAST = 1e-3;          // of that: bodies that start closer touch
static const size_t PAIRS_MAX = 100000000; // of nodes and obstacles

// components of every node that are prescribed, copies that clamps carry too
static int *held_masks(pl_builder *b) {
  int nvert = b->nnode + b->ncopy, *held = pl_build_keep(b, (size_t)nvert + 1, sizeof *held);
  for (int k = 0; held && k < b->ndrive; k++)
    for (int i = 0; i < b->drive[k].nnode; i++) {
      int node = b->drive[k].node[i];
      if (node >= 0 && node < nvert) held[node] |= b->drive[k].mask;
    }
  return held;
}

static int check_nodes(pl_builder *b, int n, const int *node, const char *what,
                       const void *origin) {
  for (int i = 0; i < n; i++) {
    if (node[i] >= 0 && node[i] < b->nnode) continue;
    build_problem(b, origin, NULL, "%s: there is no node %d", what, node[i]);
    return 0;
  }
  return 1;
}

// ---- contact ----------------------------------------------------------------------------------

int pl_build_obstacle(pl_builder *b, const char *name, const pl_obstacle *o) {
  struct builder_impl *m = b->impl;
  int n = b->nobstacle;
  if (!pl_build_grow(b, &b->obstacle, n, &m->obstacle_cap, sizeof *o)) return -1;
  if (!pl_build_grow(b, &b->obstacle_name, n, &m->obstacle_name_cap, sizeof *b->obstacle_name))
    return -1;
  b->obstacle[n] = *o;
  b->obstacle_name[n] = build_strdup(b, name ? name : o->kind->name);
  b->nobstacle++;
  return b->failed ? -1 : n;
}

void pl_build_let_go(pl_builder *b, int drive) {
  struct builder_impl *m = b->impl;
  if (!m->let_go) m->let_go = pl_build_keep(b, (size_t)b->ndrive + 1, 1);
  if (m->nlet_go == 0 && m->let_go) m->nlet_go = b->ndrive;
  if (drive >= 0 && drive < m->nlet_go) m->let_go[drive] = 1;
}

// nodes that no force moves, in any analysis
static char *never_free(pl_builder *b) {
  const struct builder_impl *m = b->impl;
  int *held = pl_build_keep(b, (size_t)b->nnode + 1, sizeof *held);
  char *never = pl_build_keep(b, (size_t)b->nnode + 1, 1);
  for (int k = 0; held && k < b->ndrive; k++)
    for (int i = 0; !(k < m->nlet_go && m->let_go[k]) && i < b->drive[k].nnode; i++)
      if (b->drive[k].node[i] >= 0 && b->drive[k].node[i] < b->nnode)
        held[b->drive[k].node[i]] |= b->drive[k].mask;
  for (int v = 0; held && never && v < b->nnode; v++) never[v] = held[v] == (1 << b->dim) - 1;
  return held ? never : NULL;
}

void pl_build_ball(pl_builder *b, int centre, double radius, int ntri, const int *tri) {
  struct builder_impl *m = b->impl;
  if (!pl_build_grow(b, &m->ball, m->nball, &m->ball_cap, sizeof *m->ball)) return;
  if (!pl_build_grow(b, &m->ball_radius, m->nball, &m->ball_radius_cap, sizeof *m->ball_radius))
    return;
  m->ball_radius[m->nball] = radius;
  m->ball[m->nball++] = (pl_contact_ball){centre, ntri, keep_copy(b, 3 * ntri, sizeof *tri, tri)};
}

// Nodes of balls whose centres are among those of contact: [nnode] number from 1, below zero on
// their surfaces.
static int *nodes_of_balls(pl_builder *b, int n, const int *node) {
  const struct builder_impl *m = b->impl;
  int *of = pl_build_keep(b, (size_t)b->nnode + 1, sizeof *of);
  for (int k = 0; of && k < m->nball; k++)
    for (int i = 0; i < n; i++) {
      if (node[i] != m->ball[k].centre) continue;
      of[node[i]] = k + 1;
      for (int v = 0; v < 3 * m->ball[k].ntri; v++) of[m->ball[k].tri[v]] = -k - 1;
    }
  return of;
}

int pl_build_contact(pl_builder *b, int n, const int *node, double radius, double mu,
                     const void *origin) {
  struct builder_impl *m = b->impl;
  if (!check_nodes(b, n, node, "contact", origin)) return 0;
  int before = m->ncontact;
  const char *never = never_free(b);
  const int *of = nodes_of_balls(b, n, node);
  for (int i = 0; never && of && i < n; i++) {
    int ball = of[node[i]] - 1;
    if (never[node[i]] || ball < -1) continue;
    if (!pl_build_grow(b, &m->contact, m->ncontact, &m->contact_cap, sizeof *m->contact)) break;
    m->contact[m->ncontact++] =
        (contact_node){node[i], radius + (ball >= 0 ? m->ball_radius[ball] : 0), mu, ball, origin};
  }
  return m->ncontact - before;
}

static void fill_contact(pl_builder *b) {
  const struct builder_impl *m = b->impl;
  size_t n = (size_t)m->ncontact, npair = n * (size_t)b->nobstacle;
  if (npair > PAIRS_MAX) {
    build_problem(b, m->contact[0].origin, NULL, "contact: too many pairs of nodes and obstacles");
    return;
  }
  int *node = pl_build_keep(b, n + 1, sizeof *node);
  double *radius = pl_build_keep(b, n + 1, sizeof *radius);
  double *mu = pl_build_keep(b, npair + 1, sizeof *mu);
  int *ball_of = pl_build_keep(b, n + 1, sizeof *ball_of);
  if (!node || !radius || !mu || !ball_of) return;
  for (size_t i = 0; i < n; i++) {
    const contact_node *f = &m->contact[i];
    node[i] = f->node;
    radius[i] = f->radius;
    ball_of[i] = f->ball;
    for (int k = 0; k < b->nobstacle; k++)
      mu[i * (size_t)b->nobstacle + (size_t)k] = f->mu >= 0 ? f->mu : b->obstacle[k].mu;
  }
  b->contact = (pl_contact_desc){.nobstacle = b->nobstacle,
                                 .obstacle = b->obstacle,
                                 .nnode = m->ncontact,
                                 .node = node,
                                 .radius = radius,
                                 .mu = mu,
                                 .ball_of = ball_of,
                                 .nball = m->nball,
                                 .ball = m->ball};
  fill_surfaces(b, held_masks(b));
}

void pl_build_self_contact(pl_builder *b, double thickness, double mu, int exact,
                           const void *origin) {
  b->layers.thickness = thickness;
  b->layers.mu = mu;
  b->impl->self_contact = 1;
  b->impl->self_exact = exact;
  b->impl->self_origin = origin;
}

pl_status build_triangles(pl_builder *b, const pl_body *body, int **tri, int *n, int *cap) {
  const pl_mesh *m = body->desc.mesh;
  int ntri = m->cell[PL_TRI3].n, *skin = NULL;
  int cut = body->desc.kind == PL_BODY_SOLID || m->cell[PL_TRI6].n > 0;
  pl_status s = cut ? pl_mesh_surface(m, &ntri, &skin, NULL) : PL_OK;
  const int *v = cut ? skin : m->cell[PL_TRI3].v;
  for (int i = 0; s == PL_OK && i < 3 * ntri; i++) {
    s = pl_grow(b->env, tri, *n, cap, sizeof **tri);
    if (s == PL_OK) (*tri)[(*n)++] = body->node[v[i]];
  }
  pl_free(m->env, skin);
  return s;
}

// triangles of all shells and surfaces of solids
static void fill_triangles(pl_builder *b) {
  int *all = NULL, n = 0, cap = 0;
  int solid = 1;
  pl_status s = PL_OK;
  for (int k = 0; s == PL_OK && k < b->nbody; k++) {
    pl_body_kind kind = b->body[k].desc.kind;
    // shells have two sides, and rods are no triangles
    if (kind == PL_BODY_SHELL || b->body[k].rod_edge) solid = 0;
    if (kind == PL_BODY_SHELL || kind == PL_BODY_SOLID)
      s = build_triangles(b, &b->body[k], &all, &n, &cap);
  }
  int *tri = s == PL_OK ? pl_build_keep(b, (size_t)n + 1, sizeof *tri) : NULL;
  if (tri && n > 0) memcpy(tri, all, (size_t)n * sizeof *tri);
  pl_free(b->env, all);
  if (s != PL_OK) b->failed = s;
  b->layers.ntri = n / 3;
  b->layers.tri = tri;
  b->layers.solid = solid && n > 0;
}

// half of the smaller size of a section
static double rod_radius(const pl_section *s, int edge) {
  double width = s->width.each ? s->width.each[edge] : s->width.v;
  double height = s->height.each ? s->height.each[edge] : s->height.v;
  return fmin(width, height) / 2;
}

static void fill_segments(pl_builder *b) {
  size_t n = 0;
  for (int k = 0; k < b->nbody; k++)
    if (b->body[k].rod_edge) n += (size_t)b->body[k].desc.mesh->cell[PL_SEG2].n;
  int *rod = pl_build_keep(b, 2 * n + 1, sizeof *rod);
  double *radius = pl_build_keep(b, n + 1, sizeof *radius);
  if (!rod || !radius) return;
  b->layers.rod = rod;
  b->layers.radius = radius;
  for (int k = 0; k < b->nbody; k++) {
    const pl_body *p = &b->body[k];
    const pl_cells *c = &p->desc.mesh->cell[PL_SEG2];
    for (int e = 0; p->rod_edge && e < c->n; e++) {
      int at = b->layers.nrod++;
      for (int i = 0; i < 2; i++) rod[2 * at + i] = p->node[c->v[2 * e + i]];
      radius[at] = rod_radius(&p->desc.section, e);
    }
  }
}

static double extent(const pl_builder *b) {
  double lo[3] = {0}, hi[3] = {0}, size[3];
  for (int i = 0; i < b->nnode; i++)
    for (int c = 0; c < 3; c++) {
      lo[c] = i ? fmin(lo[c], b->X[3 * i + c]) : b->X[c];
      hi[c] = i ? fmax(hi[c], b->X[3 * i + c]) : b->X[c];
    }
  pl_sub3(hi, lo, size);
  return pl_norm3(size);
}

static double shortest_edge(const pl_layers_desc *d) {
  double shortest = INFINITY;
  for (int i = 0; i < 3 * d->ntri; i++) {
    double e[3];
    pl_sub3(d->X + 3 * (size_t)d->tri[i], d->X + 3 * (size_t)d->tri[i % 3 == 2 ? i - 2 : i + 1], e);
    if (pl_norm3(e) > 0) shortest = fmin(shortest, pl_norm3(e));
  }
  return shortest;
}

// Least distance of pairs at x, of all of them or, of inset surfaces, those that bound the motion;
// INFINITY: there is none. *depth: of surfaces that cross, with vert[2] of both; 0: none do.
static pl_status measure(pl_builder *b, const pl_layers_desc *d, const double *x, double *least,
                         double *depth, int vert[2]) {
  const pl_layer_pair *pair;
  pl_layers *l;
  int n;
  PL_TRY(pl_layers_create(b->env, d, &l));
  *least = INFINITY;
  pl_status s = d->inset > 0 ? pl_layers_find_least(l, x, d->thickness, &n, &pair)
                             : pl_layers_find(l, x, 0, &n, &pair);
  for (int i = 0; s == PL_OK && i < n; i++) *least = fmin(*least, pair[i].distance);
  if (s == PL_OK) s = pl_layers_crossing(l, x, depth, vert);
  pl_layers_free(l);
  return s;
}

// Solids that are given no thickness keep a small part of their shortest edge from each other, or
// what they start with where that is less. Those that start closer still, or closer than what is
// given, keep what they start with, seen from inside; not where they overlap, which is told later.
static pl_status choose_thickness(pl_builder *b) {
  pl_layers_desc *d = &b->layers, near = *d;
  int chosen = !(d->thickness > 0), vert[2];
  double shortest = shortest_edge(d), least, depth, allowed = OVERLAP * extent(b);
  if (!isfinite(shortest)) return PL_E_INPUT;
  if (chosen) d->thickness = THIN * shortest;
  PL_TRY(measure(b, d, d->X, &least, &depth, vert));
  if (chosen && least > LEAST * d->thickness) d->thickness = fmin(d->thickness, least);
  // pairs that yield need a distance from the start
  if (least >= d->thickness - allowed || !b->impl->self_exact) return PL_OK;

  near.thickness = fmin(d->thickness, THIN * shortest);
  near.inset = fmin(allowed, near.thickness / 8);
  PL_TRY(measure(b, &near, d->X, &least, &depth, vert));
  if (depth > 0) return PL_OK;
  near.inset = near.thickness / 2;
  PL_TRY(measure(b, &near, d->X, &least, &depth, vert));
  // crossed insets are bodies too thin for that
  if (depth > 0) return PL_OK;
  near.inset = (near.thickness - fmin(least, near.thickness)) / 2;
  *d = near;
  return PL_OK;
}

// shells, surfaces of solids and rods, over all nodes
static void fill_layers(pl_builder *b) {
  int nvert = b->nnode + b->ncopy;
  fill_triangles(b);
  fill_segments(b);
  double *X = pl_build_keep(b, 3 * (size_t)nvert + 1, sizeof *X);
  if (b->failed || !X) return;
  memcpy(X, b->X, 3 * (size_t)b->nnode * sizeof *X);
  for (int i = 0; i < b->ncopy; i++)
    memcpy(X + 3 * (size_t)(b->nnode + i), b->X + 3 * (size_t)b->copy[i], 3 * sizeof *X);
  b->layers.nvert = nvert;
  b->layers.X = X;
  if (b->layers.ntri == 0 && b->layers.nrod == 0)
    build_problem(b, b->impl->self_origin, "leave it out",
                  "self_contact needs shells, solids or rods, there are none");
  else if (b->layers.solid)
    b->failed = choose_thickness(b);
  else if (b->layers.ntri > 0 && !(b->layers.thickness > 0))
    build_problem(b, b->impl->self_origin, "e.g. self_contact: {thickness: 1 mm}",
                  "self_contact of shells needs a thickness; solids alone need none, and rods have "
                  "their radius");
  if (b->impl->self_exact && (!b->layers.solid || b->nlimit > 0))
    build_problem(b, b->impl->self_origin, "leave exact out",
                  "exact self_contact is for solids alone, without shells, rods and limits");
  b->layers.solid = b->layers.solid && b->impl->self_exact;
}

// ---- limits of stretch ------------------------------------------------------------------------

static int copy_limit(pl_builder *b, const pl_limit *l) {
  struct builder_impl *m = b->impl;
  if (!pl_build_grow(b, &b->limit, b->nlimit, &m->limit_cap, sizeof *l)) return -1;
  pl_limit *to = &b->limit[b->nlimit];
  *to = *l;
  to->B = keep_copy(b, l->nellipse, sizeof *l->B, l->B);
  to->angle = keep_copy(b, l->ndirection, sizeof *l->angle, l->angle);
  to->bound = keep_copy(b, l->ndirection, sizeof *l->bound, l->bound);
  to->curve.angle = keep_copy(b, l->curve.n, sizeof *l->curve.angle, l->curve.angle);
  to->curve.stretch = keep_copy(b, l->curve.n, sizeof *l->curve.stretch, l->curve.stretch);
  return b->failed ? -1 : b->nlimit++;
}

int pl_build_limit(pl_builder *b, int body, const pl_limit *l, int n, const int *node,
                   const void *origin) {
  if (body < 0 || body >= b->nbody || b->body[body].desc.kind != PL_BODY_SHELL) {
    build_problem(b, origin, NULL, "limits of stretch are for shells");
    return -1;
  }
  if (!check_nodes(b, n, node, "limit", origin)) return -1;
  pl_body *p = &b->body[body];
  const pl_cells *c = &p->desc.mesh->cell[PL_TRI3];
  int limit = copy_limit(b, l), found = 0;
  char *inside = node ? pl_build_keep(b, (size_t)b->nnode + 1, 1) : NULL;
  if (!p->limit_of) {
    p->limit_of = pl_build_keep(b, (size_t)c->n + 1, sizeof *p->limit_of);
    for (int e = 0; p->limit_of && e < c->n; e++) p->limit_of[e] = -1;
  }
  if (b->failed) return -1;
  for (int i = 0; inside && i < n; i++) inside[node[i]] = 1;
  for (int e = 0; e < c->n; e++) {
    const int *v = c->v + 3 * e, *at = p->node;
    if (inside && !(inside[at[v[0]]] && inside[at[v[1]]] && inside[at[v[2]]])) continue;
    p->limit_of[e] = limit;
    found++;
  }
  if (found == 0)
    build_problem(b, origin, "a triangle belongs to a region when all its three corners do",
                  "region: no triangle of shell '%s' has all its corners among these nodes",
                  p->desc.name);
  return limit;
}

// triangles of the shells that have limits
static void fill_sheet(pl_builder *b) {
  static const double along_x[3] = {1, 0, 0};
  int ntri = 0, n = 0, cell = 0;
  for (int k = 0; k < b->nbody; k++)
    if (b->body[k].limit_of) ntri += b->body[k].desc.mesh->cell[PL_TRI3].n;
  int *tri = pl_build_keep(b, 3 * (size_t)ntri, sizeof *tri);
  int *limit_of = pl_build_keep(b, (size_t)ntri, sizeof *limit_of);
  int *sheet_cell = pl_build_keep(b, (size_t)ntri, sizeof *sheet_cell);
  double *rest = pl_build_keep(b, 6 * (size_t)ntri, sizeof *rest);
  int *held = held_masks(b);
  if (b->failed) return;
  for (int k = 0; k < b->nbody; k++) {
    const pl_body *p = &b->body[k];
    const pl_cells *c = &p->desc.mesh->cell[PL_TRI3];
    for (int e = 0; p->limit_of && e < c->n; e++) {
      for (int i = 0; i < 3; i++) tri[3 * (n + e) + i] = p->node[c->v[3 * e + i]];
      sheet_cell[n + e] = cell + e;
      limit_of[n + e] = p->limit_of[e];
    }
    cell += c->n;
    if (!p->limit_of) continue;
    pl_sheet_flatten(c->n, tri + 3 * n, b->X, pl_norm3(p->desc.warp) > 0 ? p->desc.warp : along_x,
                     rest + 6 * (size_t)n);
    n += c->n;
  }
  b->sheet_cell = sheet_cell;
  b->sheet = (pl_sheet_desc){.nvert = b->nnode + b->ncopy,
                             .ntri = ntri,
                             .tri = tri,
                             .rest = rest,
                             .fixed = held,
                             .nlimit = b->nlimit,
                             .limit = b->limit,
                             .limit_of = limit_of};
}

pl_status pl_build_constraints(pl_builder *b) {
  PL_TRY(pl_build_join(b));
  if (b->impl->constrained) return PL_OK;
  b->impl->constrained = 1;
  int before = b->nproblem, limits = b->nlimit > 0;
  if ((limits || b->impl->self_contact) && b->dim != 3)
    build_problem(b, NULL, NULL, "limits of stretch and self contact need dimension 3");
  if (b->nproblem == before && b->nobstacle > 0) fill_contact(b);
  if (b->nproblem == before && b->impl->self_contact) fill_layers(b);
  if (b->nproblem == before && limits) fill_sheet(b);
  return b->failed ? b->failed : b->nproblem > before ? PL_E_INPUT : PL_OK;
}

// ---- where things start -----------------------------------------------------------------------

// the deepest node of every list
static void check_inside(pl_builder *b, const double *u, double allowed) {
  const struct builder_impl *m = b->impl;
  double deepest = 0;
  int worst = -1, obstacle = 0, count = 0;
  for (int i = 0; i < m->ncontact; i++) {
    const contact_node *f = &m->contact[i];
    double x[3], least = -allowed;
    memcpy(x, b->X + 3 * (size_t)f->node, sizeof x);
    for (int c = 0; u && c < b->dim; c++) x[c] += u[f->node * b->dim + c];
    for (int k = 0; k < b->nobstacle; k++) {
      pl_gap g;
      pl_obstacle_gap(&b->obstacle[k], b->dim, 0, x, f->radius, &g);
      count += g.gap < -allowed && least == -allowed;
      if (g.gap < least && g.gap < deepest) {
        deepest = g.gap;
        worst = f->node;
        obstacle = k;
      }
      least = fmin(least, g.gap);
    }
    if (i + 1 < m->ncontact && f[1].origin == f->origin) continue;
    char buf[128];
    if (worst >= 0)
      build_problem(b, f->origin, "move the body or the obstacle until they touch at most",
                    "%s starts %.3g m inside of obstacle '%.60s'%s%s",
                    pl_build_node_text(b, worst, buf, sizeof buf), -deepest,
                    b->obstacle_name[obstacle], f->radius > 0 ? " (its radius counted)" : "",
                    count > 1 ? ", others too" : "");
    deepest = 0;
    worst = -1;
    count = 0;
  }
}

// edges of obstacles through faces of bodies, where no node is inside
static pl_status check_pierced(pl_builder *b, const double *u, double allowed) {
  const pl_contact_desc *d = &b->contact;
  double depth, *x;
  int tri, obstacle;
  char buf[128];
  if (b->dim != 3 || d->ntri == 0 || d->nobstacle == 0) return PL_OK;
  x = pl_build_keep(b, 3 * (size_t)b->nnode, sizeof *x);
  if (!x) return PL_E_NOMEM;
  for (int i = 0; i < 3 * b->nnode; i++) x[i] = b->X[i] + (u ? u[i] : 0);
  PL_TRY(pl_contact_pierced(b->env, d, x, allowed, &depth, &tri, &obstacle));
  if (depth > 0)
    build_problem(
        b, b->impl->contact[0].origin, "move the body or the obstacle until they touch at most",
        "an edge of obstacle '%.60s' starts %.3g m inside of the face at %s",
        b->obstacle_name[obstacle], depth, pl_build_node_text(b, d->tri[3 * tri], buf, sizeof buf));
  return PL_OK;
}

// bodies whose surfaces cross, beyond what is allowed
static pl_status check_crossing(pl_builder *b, const double *x, double allowed) {
  pl_layers_desc d = b->layers;
  double least, depth;
  int vert[2];
  char buf[2][128];
  d.inset = fmin(allowed, d.thickness / 8);
  PL_TRY(measure(b, &d, x, &least, &depth, vert));
  if (depth > 0)
    build_problem(b, b->impl->self_origin, "move the bodies apart until they touch at most",
                  "at the start bodies overlap by about %.3g m: %s and %s", depth,
                  pl_build_node_text(b, vert[0], buf[0], sizeof buf[0]),
                  pl_build_node_text(b, vert[1], buf[1], sizeof buf[1]));
  return PL_OK;
}

static pl_status find_start(const pl_layers_desc *d, pl_layers *l, const double *x, int *n,
                            const pl_layer_pair **pair) {
  return d->inset > 0 ? pl_layers_find_least(l, x, 0, n, pair) : pl_layers_find(l, x, 0, n, pair);
}

// the closest two layers
static pl_status check_layers(pl_builder *b, const double *u, double allowed) {
  const pl_layers_desc *d = &b->layers;
  const pl_layer_pair *pair;
  pl_layers *l;
  int n, worst = 0, before = b->nproblem;
  char buf[2][128];
  double *x = pl_build_keep(b, 3 * (size_t)d->nvert + 1, sizeof *x);
  if (!x) return PL_E_NOMEM;
  memcpy(x, d->X, 3 * (size_t)d->nvert * sizeof *x);
  for (int i = 0; u && i < 3 * b->nnode; i++) x[i] += u[i];
  if (d->solid) PL_TRY(check_crossing(b, x, allowed));
  if (b->nproblem > before) return PL_OK;
  PL_TRY(pl_layers_create(b->env, d, &l));
  pl_status s = find_start(d, l, x, &n, &pair);
  for (int k = 1; s == PL_OK && k < n; k++)
    if (pair[k].distance - pair[k].keep < pair[worst].distance - pair[worst].keep) worst = k;
  if (s == PL_OK && n > 0 && pair[worst].distance < pair[worst].keep - allowed) {
    const int *v = pair[worst].vert;
    int other = v[pair[worst].n == 4 && pair[worst].weight[1] > 0 ? 2 : 1];
    build_problem(
        b, b->impl->self_origin,
        d->ntri > 0 ? "move the bodies apart, or make the thickness less"
                    : "move the rods apart, or make them thinner",
        "at the start layers are %.3g m apart, closer than their thickness of %.3g m: %s and %s",
        pair[worst].distance, pair[worst].keep, pl_build_node_text(b, v[0], buf[0], sizeof buf[0]),
        pl_build_node_text(b, other, buf[1], sizeof buf[1]));
  }
  pl_layers_free(l);
  return s;
}

pl_status pl_build_check_apart(pl_builder *b, const double *u) {
  double allowed = OVERLAP * extent(b);
  int before = b->nproblem;
  check_inside(b, u, allowed);
  if (b->nproblem == before) PL_TRY(check_pierced(b, u, allowed));
  if (b->layers.nvert > 0) PL_TRY(check_layers(b, u, allowed));
  return b->nproblem > before ? PL_E_INPUT : PL_OK;
}

// ---- what nothing holds -----------------------------------------------------------------------

// nodes that elements join have one root
static void join_parts(const pl_builder *b, int nvert, int *part) {
  for (int v = 0; v < nvert; v++) part[v] = v;
  for (int g = 0; g < b->ngroup; g++) {
    const pl_group_desc *d = &b->group[g];
    int width = d->kind->nvert + d->kind->nscal;
    for (int e = 0; d->stencil && e < d->nelem; e++) {
      const int *v = d->stencil + (size_t)e * (size_t)width;
      for (int i = 1; i < d->kind->nvert; i++)
        if (v[0] >= 0 && v[i] >= 0) pl_unite(part, v[i], v[0]);
    }
  }
}

const char *pl_build_sliding(pl_builder *b) {
  const struct builder_impl *m = b->impl;
  int nvert = b->nnode + b->ncopy, *part = pl_build_keep(b, (size_t)nvert + 1, sizeof *part);
  int *held = held_masks(b), smooth = b->layers.nvert > 0 && b->layers.mu == 0;
  char *holds = pl_build_keep(b, (size_t)nvert + 1, 1),
       *frictionless = pl_build_keep(b, (size_t)nvert + 1, 1);
  if (b->failed || (b->layers.nvert > 0 && !smooth)) return NULL;
  join_parts(b, nvert, part);
  for (int v = 0; v < nvert; v++) holds[pl_root(part, v)] |= held[v] != 0;
  for (int i = 0; i < m->ncontact; i++)
    for (int k = 0; k < b->nobstacle; k++) {
      double mu = m->contact[i].mu >= 0 ? m->contact[i].mu : b->obstacle[k].mu;
      (mu > 0 ? holds : frictionless)[pl_root(part, m->contact[i].node)] = 1;
    }
  for (int k = 0; k < b->nbody; k++) {
    const pl_body *p = &b->body[k];
    int root = p->desc.mesh->nvert > 0 ? pl_root(part, p->node[0]) : -1;
    int in_contact = smooth && p->desc.kind != PL_BODY_CHAIN;
    if (root >= 0 && !holds[root] && (in_contact || frictionless[root])) return p->desc.name;
  }
  return NULL;
}

// ---- made of it -------------------------------------------------------------------------------

pl_status make_constraints(const pl_builder *b, int nthread, pl_built *m) {
  pl_constraints *out = &m->constraints;
  pl_sheet_desc d = b->sheet;
  pl_contact_desc contact = b->contact;
  if (b->layers.nvert > 0 && b->layers.solid) contact.bodies = &b->layers;
  if (contact.nnode > 0 || contact.bodies)
    PL_TRY(pl_contact_create(b->env, m->model, &contact, &out->contact));
  if (b->layers.nvert > 0) PL_TRY(pl_layers_create(b->env, &b->layers, &out->layers));
  if (d.nlimit == 0) return PL_OK;
  double *weight = pl_alloc(b->env, (size_t)d.nvert, sizeof *weight);
  if (!weight) return PL_E_NOMEM;
  d.weight = weight;
  d.threads = m->work ? m->work->threads : NULL;
  int light = pl_sheet_weights(&d, m->model, m->params, weight);
  pl_status s = light >= 0 ? pl_fail(b->env, PL_E_INPUT,
                                     "node %d of a sheet with limits has no mass: its body needs a "
                                     "density",
                                     light)
                           : pl_sheet_create(b->env, &d, nthread, &out->sheet);
  pl_free(b->env, weight);
  return s;
}
