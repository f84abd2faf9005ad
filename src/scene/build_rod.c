// Rods: sections, how edges meet, directors at rest, and what drives hold of them. Edges in a row
// make a rod; where three or more meet, or rods of different bodies, or where a drive clamps, there
// is a junction, a small rigid body with a rotation vector of three unknowns.
#include "build_body.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// an edge runs from node v[0] to v[1]
typedef struct rod_edge {
  int body, cell, v[2], done;
  double t[3], m1[3]; // direction and first director at rest
} rod_edge;

// scalars of all rods: theta of edge k is first + k, then three for every junction
typedef struct rod_net {
  int n, nbend, njunction, first;
  rod_edge *edge;
  int *begin, *at;          // edges at node i: at[begin[i]] .. at[begin[i + 1] - 1]
  int *junction;            // [nnode] its number, -1: none
  int *holder, *clamper;    // [nnode] drive that holds a node, and its directions too; -1: none
  int *wall;                // [nnode] drive that holds a node, one for all that do not move
  int (*bend)[2], *ninbody; // [nbend] edges before and after, along the rods; [nbody] bends
  int nloose, *loose;       // scalars of rods that may spin, one each
} rod_net;

// ---- sections ---------------------------------------------------------------------------------

static const char *const par_name[PAR_SECTION] = {"young",  "density", "width",
                                                  "height", "hollow",  "poisson"};

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

// inner over outer size; it follows a parameter only when that is linear
static int read_tube(reader *r, const section_def *s, rod_part *p) {
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
  p->value[PAR_WIDTH] = p->value[PAR_HEIGHT] = d[0];
  p->value[PAR_HOLLOW] = ratio;
  return 1;
}

static int read_section(reader *r, const body_slot *b, const section_def *s, rod_part *p) {
  const pl_node *two = s->ellipse ? s->ellipse : s->rectangle;
  int count =
      (s->round.at != NULL) + (s->ellipse != NULL) + (s->rectangle != NULL) + (s->tube != NULL);
  if (count != 1) {
    problem(r, node_get(node_get(b->at, "rod"), "section"), "known: round ellipse rectangle tube",
            "rod '%s': its section must be exactly one shape", b->def->name.s);
    return 0;
  }
  p->shape = (num){.v = s->rectangle != NULL, .par = -1};
  p->value[PAR_WIDTH] = p->value[PAR_HEIGHT] = s->round;
  p->value[PAR_HOLLOW] = s->hollow;
  if (s->tube) return read_tube(r, s, p);
  return !two ||
         read_two(r, two, s->ellipse ? "ellipse" : "rectangle", "m", 2, p->value + PAR_WIDTH);
}

// parameters of single edges
static void open_parts(reader *r, const body_slot *b, const material_def *m, rod_part *p, int n) {
  char path[PAR_SECTION][256];
  const section_def *s = b->def->rod->section;
  for (int k = 0; k < PAR_SECTION; k++) p->own[k] = -1;
  snprintf(path[0], sizeof path[0], "materials.%.100s.young.each.value", m->name.s);
  snprintf(path[1], sizeof path[1], "materials.%.100s.density.each.value", m->name.s);
  for (int k = 0; k < 2; k++) p->own[k] = open_own(r, b, &p->value[k], par_name[k], path[k], n);
  snprintf(path[2], sizeof path[2], "bodies.%.100s.rod.section.round.each.value", b->def->name.s);
  if (s->round.at) {
    p->own[PAR_WIDTH] = open_own(r, b, &s->round, "round", path[2], n);
    p->own[PAR_HEIGHT] = p->own[PAR_WIDTH];
    return;
  }
  // numbers lead into the only key, `each`
  for (int k = PAR_WIDTH; k <= PAR_HEIGHT; k++) {
    snprintf(path[k], sizeof path[k], "bodies.%.100s.rod.section.%s.%d.value", b->def->name.s,
             s->ellipse ? "ellipse" : "rectangle", k - PAR_WIDTH);
    p->own[k] = open_own(r, b, &p->value[k], par_name[k], path[k], n);
  }
}

static int has_own(const rod_part *p) {
  int any = 0;
  for (int k = 0; k < PAR_SECTION; k++) any |= p->own[k] >= 0;
  return any;
}

// cell[n][ncell]: edges of the body that an element belongs to
static void put_section(reader *r, const rod_part *p, int group, int n, const int *cell,
                        int ncell) {
  for (int k = 0; k < PAR_SECTION; k++)
    put_value(r, group, par_name[k], &p->value[k], p->own[k], n, cell, ncell);
  put_value(r, group, "shape", &p->shape, -1, n, NULL, 0);
}

static int read_natural(reader *r, const natural_def *d, rod_part *p) {
  p->curvature[0] = p->curvature[1] = (num){.par = -1};
  return !d || !d->curvature || read_two(r, d->curvature, "curvature", "1/m", 0, p->curvature);
}

void build_rod_edges(reader *r, body_slot *b) {
  const geometry_def *g = b->def->rod;
  rod_part *p = b->rod;
  int n = b->mesh->cell[PL_SEG2].n, *cell = scene_alloc(r, (size_t)n + 1, sizeof *cell);
  if (!g->material.at || !g->section || !cell) return;
  const material_def *m = find_material(r, &g->material);
  if (!m || !read_section(r, b, g->section, p) || !read_natural(r, g->natural, p)) return;
  if (m->law.v == 1)
    problem(r, m->law.at, "solids can have it", "the neo-Hookean law is not for a rod");
  p->value[PAR_YOUNG] = m->young;
  p->value[PAR_DENSITY] = m->density;
  p->value[PAR_POISSON] = m->poisson;
  open_parts(r, b, m, p, n);
  for (int e = 0; e < n; e++) cell[e] = e;
  int group = body_group(r, b, "", PL_ELEM_rod_edge, n, NULL, !has_own(p), g->mass.v == 0);
  if (group < 0 || r->failed) return;
  put_section(r, p, group, n, cell, 1);
  // the description holds const arrays; they are ours
  p->stencil = (int *)r->group[group].stencil;
}

// ---- how edges meet ---------------------------------------------------------------------------

static int read_edges(reader *r, rod_net *net) {
  char buf[128];
  for (int k = 0; k < r->nbody; k++) {
    const body_slot *b = &r->body[k];
    if (!b->rod) continue;
    b->rod->first = net->n;
    for (int e = 0; e < b->mesh->cell[PL_SEG2].n; e++) {
      const int *v = b->mesh->cell[PL_SEG2].v + 2 * (size_t)e;
      rod_edge *to = &net->edge[net->n++];
      *to = (rod_edge){.body = k, .cell = e, .v = {b->node[v[0]], b->node[v[1]]}};
      if (to->v[0] != to->v[1]) continue;
      problem(r, b->at, "make 'weld' smaller", "rod '%s': both ends of an edge became %s",
              b->def->name.s, node_text(r, to->v[0], buf, sizeof buf));
      return 0;
    }
  }
  return 1;
}

static void list_edges(const reader *r, rod_net *net) {
  for (int e = 0; e < net->n; e++)
    for (int k = 0; k < 2; k++) net->begin[net->edge[e].v[k] + 1]++;
  for (int i = 0; i < r->nnode; i++) net->begin[i + 1] += net->begin[i];
  for (int e = net->n - 1; e >= 0; e--)
    for (int k = 1; k >= 0; k--) net->at[--net->begin[net->edge[e].v[k] + 1]] = e;
  // entries were counted down to the begin of the node before
  for (int i = 0; i < r->nnode; i++) net->begin[i] = net->begin[i + 1];
  net->begin[r->nnode] = 2 * net->n;
}

static int valence(const rod_net *net, int node) {
  return net->begin[node + 1] - net->begin[node];
}

// what holds a node in all components; supports that do not move are one
static void find_holders(const reader *r, rod_net *net) {
  int all = (1 << r->dim) - 1, wall = -1;
  for (int i = 0; i < r->nnode; i++) net->holder[i] = net->clamper[i] = net->wall[i] = -1;
  for (int k = 0; k < r->ndrive; k++) {
    const pl_drive_desc *d = &r->drive[k];
    if (d->mask != all) continue;
    if (d->nterm == 0 && wall < 0) wall = k;
    for (int i = 0; i < d->nnode; i++) {
      if (d->node[i] >= r->nnode) continue;
      net->holder[d->node[i]] = k;
      net->wall[d->node[i]] = d->nterm == 0 ? wall : k;
      if (r->clamp[k]) net->clamper[d->node[i]] = k;
    }
  }
}

static void find_junctions(const reader *r, rod_net *net) {
  for (int i = 0; i < r->nnode; i++) {
    int n = valence(net, i), *at = net->at + net->begin[i];
    int apart = n == 2 && net->edge[at[0]].body != net->edge[at[1]].body;
    int rigid = n > 2 || apart || (n > 0 && net->clamper[i] >= 0);
    net->junction[i] = rigid ? net->njunction++ : -1;
    if (!rigid && n == 2) {
      net->nbend++;
      net->ninbody[net->edge[at[0]].body]++;
    }
  }
}

// the edge on the other side of a node, -1: the rod ends there
static int beyond(const rod_net *net, int node, int e) {
  if (net->junction[node] >= 0 || valence(net, node) != 2) return -1;
  const int *at = net->at + net->begin[node];
  return at[0] == e ? at[1] : at[0];
}

// turns an edge round when its end `side` is not this node
static void orient(reader *r, rod_net *net, int e, int side, int node) {
  rod_edge *d = &net->edge[e];
  if (d->v[side] == node) return;
  int *v = r->body[d->body].mesh->cell[PL_SEG2].v + 2 * (size_t)d->cell, other = v[0];
  v[0] = v[1];
  v[1] = other;
  d->v[1 - side] = d->v[side];
  d->v[side] = node;
}

// ---- directors at rest ------------------------------------------------------------------------

static int set_director(reader *r, const rod_net *net, int e, int before) {
  rod_edge *d = &net->edge[e];
  const body_slot *b = &r->body[d->body];
  const vec *up = &b->def->rod->up;
  char buf[128];
  pl_sub3(r->X + 3 * (size_t)d->v[1], r->X + 3 * (size_t)d->v[0], d->t);
  double l = pl_norm3(d->t);
  for (int i = 0; i < 3; i++) d->t[i] /= l;
  if (up->at) {
    // m1 = m2 x t, with m2 the part of `up` across t
    double u[3] = {up->v[0].v, up->v[1].v, up->v[2].v};
    pl_cross3(u, d->t, d->m1);
    if (pl_norm3(d->m1) > 0.01 * pl_norm3(u)) return 1;
    problem(r, up->at, "leave it out, or give the rods along it a body of their own",
            "rod '%s': 'up' must not be zero, nor point along the rod as it does at %s",
            b->def->name.s, node_text(r, d->v[0], buf, sizeof buf));
    return 0;
  }
  if (before < 0)
    pl_rod_director(d->t, d->m1);
  else
    pl_rod_transport(net->edge[before].t, d->t, net->edge[before].m1, d->m1);
  return 1;
}

static int add_bend(reader *r, rod_net *net, int e, int f) {
  const rod_edge *a = &net->edge[e], *b = &net->edge[f];
  char buf[128];
  int k = net->nbend++;
  net->bend[k][0] = e;
  net->bend[k][1] = f;
  if (1 + pl_dot3(a->t, b->t) > 1e-6) return 1;
  problem(r, r->body[a->body].at, NULL, "rod '%s' folds back on itself at %s",
          r->body[a->body].def->name.s, node_text(r, a->v[1], buf, sizeof buf));
  return 0;
}

// angles without whole turns between neighbours
static void set_angle(reader *r, const rod_net *net, int e, int before) {
  const rod_edge *d = &net->edge[e];
  double last = before < 0 ? 0 : r->extra[net->first + before], angle = pl_rod_angle(d->t, d->m1);
  r->extra[net->first + e] = before < 0 ? angle : last + remainder(angle - last, 2 * PL_PI);
}

// alike in all directions and by nature straight: turning all sections by one angle changes nothing
static int is_wire(const reader *r, int body, int bent) {
  const geometry_def *g = r->body[body].def->rod;
  const num *k = r->body[body].rod->curvature;
  if (!g->section->round.at && !g->section->tube) return 0;
  if (g->natural && g->natural->straight.v) bent = 0;
  return !bent && k[0].v == 0 && k[1].v == 0 && k[0].par < 0 && k[1].par < 0;
}

static int is_held(const rod_net *net, int e) {
  const int *v = net->edge[e].v;
  return net->wall[v[0]] >= 0 && net->wall[v[0]] == net->wall[v[1]];
}

// a rod from end to end, or a ring; the first edge of the mesh tells its direction
static int follow_rod(reader *r, rod_net *net, int e) {
  int start = e, before = -1, bent = 0, held = 0;
  for (int p; (p = beyond(net, net->edge[start].v[0], start)) >= 0 && p != e; start = p)
    orient(r, net, p, 1, net->edge[start].v[0]);
  for (int k = start; k >= 0 && !net->edge[k].done;) {
    net->edge[k].done = 1;
    if (!set_director(r, net, k, before)) return 0;
    set_angle(r, net, k, before);
    if (before >= 0 && !add_bend(r, net, before, k)) return 0;
    if (before >= 0) bent |= pl_dot3(net->edge[before].t, net->edge[k].t) < 1 - 1e-12;
    held |= is_held(net, k);
    before = k;
    k = beyond(net, net->edge[k].v[1], k);
    if (k >= 0) orient(r, net, k, 0, net->edge[before].v[1]);
  }
  int ring = beyond(net, net->edge[start].v[0], start) >= 0;
  held |= net->junction[net->edge[start].v[0]] >= 0 || net->junction[net->edge[before].v[1]] >= 0;
  if (!held && is_wire(r, net->edge[e].body, bent || ring))
    net->loose[net->nloose++] = net->first + start;
  // the last bend of a ring takes what twist is left
  return !ring || add_bend(r, net, before, start);
}

// ---- elements ---------------------------------------------------------------------------------

static int unknown(const reader *r, int scalar) {
  return r->dim * (r->nnode + r->ncopy) + scalar;
}

static void put_edges(const reader *r, const rod_net *net) {
  for (int e = 0; e < net->n; e++) {
    const rod_edge *d = &net->edge[e];
    int *to = r->body[d->body].rod->stencil + 3 * (size_t)d->cell;
    to[0] = d->v[0];
    to[1] = d->v[1];
    to[2] = unknown(r, net->first + e);
  }
}

static void put_natural(reader *r, const body_slot *b, int group, int n) {
  const natural_def *d = b->def->rod->natural;
  if (!d) return;
  put_value(r, group, "curvature1", &b->rod->curvature[0], -1, n, NULL, 0);
  put_value(r, group, "curvature2", &b->rod->curvature[1], -1, n, NULL, 0);
  put_value(r, group, "twist", &d->twist, -1, n, NULL, 0);
}

static void put_bends(reader *r, const rod_net *net, int body) {
  const body_slot *b = &r->body[body];
  const natural_def *d = b->def->rod->natural;
  int n = 0, count = net->ninbody[body],
      *cell = scene_alloc(r, 2 * (size_t)count + 1, sizeof *cell);
  if (count == 0 || !cell) return;
  int group = body_group(r, b, " bending", PL_ELEM_rod_bend, count, NULL, !has_own(b->rod), 0);
  if (group < 0) return;
  int *stencil = (int *)r->group[group].stencil;
  for (int k = 0; k < net->nbend; k++) {
    const rod_edge *e = &net->edge[net->bend[k][0]], *f = &net->edge[net->bend[k][1]];
    if (e->body != body) continue;
    const int all[5] = {e->v[0], e->v[1], f->v[1], unknown(r, net->first + net->bend[k][0]),
                        unknown(r, net->first + net->bend[k][1])};
    memcpy(stencil + 5 * (size_t)n, all, sizeof all);
    cell[2 * n] = e->cell;
    cell[2 * n + 1] = f->cell;
    n++;
  }
  put_section(r, b->rod, group, count, cell, 2);
  put_natural(r, b, group, count);
  if (d) put_value(r, group, "straight", &(num){.v = d->straight.v, .par = -1}, -1, count, NULL, 0);
}

// one for every end of an edge at a junction
static void put_joints(reader *r, const rod_net *net, int body) {
  const body_slot *b = &r->body[body];
  int n = 0, count = 0, ne = b->mesh->cell[PL_SEG2].n;
  const rod_edge *edge = net->edge + b->rod->first;
  for (int k = 0; k < 2 * ne; k++) count += net->junction[edge[k / 2].v[k % 2]] >= 0;
  int *cell = scene_alloc(r, (size_t)count + 1, sizeof *cell);
  if (count == 0 || !cell) return;
  int group = body_group(r, b, " joints", PL_ELEM_rod_joint, count, NULL, 0, 0);
  if (group < 0) return;
  int *stencil = (int *)r->group[group].stencil;
  for (int k = 0; k < 2 * ne; k++) {
    const rod_edge *e = &edge[k / 2];
    int end = k % 2, at = e->v[end], j = net->junction[at];
    if (j < 0) continue;
    int s = unknown(r, net->first + net->n + 3 * j);
    int theta = unknown(r, net->first + b->rod->first + k / 2);
    const int all[6] = {at, e->v[1 - end], theta, s, s + 1, s + 2};
    memcpy(stencil + 6 * (size_t)n, all, sizeof all);
    put_par(r, group, n, "reversed", &(num){.v = end, .par = -1});
    cell[n++] = e->cell;
  }
  put_section(r, b->rod, group, count, cell, 1);
  put_natural(r, b, group, count);
}

// ---- drives -----------------------------------------------------------------------------------

// the scalars that a drive prescribes: into the lists where given; returns their count
static int held(const rod_net *net, const reader *r, int drive, int *scal, int *edge) {
  int n = 0;
  for (int e = 0; e < net->n; e++) {
    const int *v = net->edge[e].v;
    if (net->holder[v[0]] != drive || !is_held(net, e)) continue;
    if (scal) {
      scal[n] = net->first + e;
      memcpy(edge + 2 * n, v, 2 * sizeof *v);
    }
    n++;
  }
  for (int i = 0; i < r->nnode; i++)
    for (int c = 0; c < 3; c++) {
      if (net->junction[i] < 0 || net->clamper[i] != drive) continue;
      if (scal) {
        scal[n] = net->first + net->n + 3 * net->junction[i] + c;
        edge[2 * n] = PL_SCALAR_VECTOR;
        edge[2 * n + 1] = c;
      }
      n++;
    }
  return n;
}

static void hold_scalars(reader *r, const rod_net *net) {
  for (int k = 0; k < r->ndrive && !r->failed; k++) {
    int n = held(net, r, k, NULL, NULL);
    if (n == 0) continue;
    int *scal = scene_alloc(r, (size_t)n, sizeof *scal),
        *edge = scene_alloc(r, 2 * (size_t)n, sizeof *edge);
    if (!scal || !edge) return;
    r->drive[k].nscal = held(net, r, k, scal, edge);
    r->drive[k].scal = scal;
    r->drive[k].edge = edge;
  }
}

void rods_clamped(reader *r, int *used) {
  char *rod = scene_alloc(r, (size_t)r->nnode + 1, 1);
  if (!rod) return;
  for (int k = 0; k < r->nbody; k++)
    for (int i = 0; r->body[k].rod && i < r->body[k].n; i++) rod[r->body[k].node[i]] = 1;
  for (int k = 0; k < r->ndrive; k++)
    for (int i = 0; r->clamp[k] && i < r->drive[k].nnode; i++) used[k] |= rod[r->drive[k].node[i]];
}

// Rods that nothing keeps from spinning about themselves, and to which it makes no difference:
// their first edges are held, so that the angles are unique. Not when they are to spin.
static void hold_spins(reader *r, const rod_net *net) {
  const initial_def *d = r->def.initial.item;
  for (int k = 0; k < r->def.initial.n; k++)
    if (d[k].spin) return;
  if (net->nloose == 0) return;
  if (!scene_grow(r, &r->drive, r->ndrive, &r->drive_cap, sizeof *r->drive)) return;
  r->drive[r->ndrive++] = (pl_drive_desc){.name = "spin",
                                          .kind = PL_DRIVE_TRANSLATION,
                                          .node = net->loose,
                                          .mask = (1 << r->dim) - 1,
                                          .nscal = net->nloose,
                                          .scal = net->loose};
}

// ---- all together -----------------------------------------------------------------------------

static rod_net *open_net(reader *r) {
  size_t n = 0, nodes = (size_t)r->nnode;
  for (int k = 0; k < r->nbody; k++)
    if (r->body[k].rod) n += (size_t)r->body[k].mesh->cell[PL_SEG2].n;
  if (n == 0) return NULL;
  rod_net *net = scene_alloc(r, 1, sizeof *net);
  if (!net) return NULL;
  *net = (rod_net){.edge = scene_alloc(r, n, sizeof *net->edge),
                   .begin = scene_alloc(r, nodes + 1, sizeof *net->begin),
                   .at = scene_alloc(r, 2 * n, sizeof *net->at),
                   .junction = scene_alloc(r, nodes, sizeof *net->junction),
                   .holder = scene_alloc(r, nodes, sizeof *net->holder),
                   .clamper = scene_alloc(r, nodes, sizeof *net->clamper),
                   .wall = scene_alloc(r, nodes, sizeof *net->wall),
                   .bend = scene_alloc(r, n, sizeof *net->bend),
                   .ninbody = scene_alloc(r, (size_t)r->nbody, sizeof *net->ninbody),
                   .loose = scene_alloc(r, n, sizeof *net->loose),
                   .first = r->nextra};
  return r->failed ? NULL : net;
}

void build_rods(reader *r) {
  if (r->nproblem > 0) return;
  rod_net *net = open_net(r);
  if (!net || !read_edges(r, net)) return;
  list_edges(r, net);
  find_holders(r, net);
  find_junctions(r, net);
  r->nextra += net->n + 3 * net->njunction;
  r->extra = scene_alloc(r, (size_t)r->nextra, sizeof *r->extra);
  if (!r->extra) return;
  net->nbend = 0;
  for (int e = 0; e < net->n; e++)
    if (!net->edge[e].done && !follow_rod(r, net, e)) return;
  put_edges(r, net);
  for (int k = 0; k < r->nbody && !r->failed; k++) {
    if (!r->body[k].rod) continue;
    put_bends(r, net, k);
    put_joints(r, net, k);
  }
  hold_scalars(r, net);
  hold_spins(r, net);
  r->rods = net;
}

// ---- initial rotation -------------------------------------------------------------------------

// theta' = omega.t, and s' = omega/4 where s is zero
void rods_spin(reader *r, const node_list *nodes, const double *omega) {
  const rod_net *net = r->rods;
  char *in = net ? scene_alloc(r, (size_t)r->nnode, 1) : NULL;
  if (!in) return;
  for (int i = 0; i < nodes->n; i++) in[nodes->v[i]] = 1;
  for (int e = 0; e < net->n; e++) {
    const rod_edge *d = &net->edge[e];
    if (in[d->v[0]] && in[d->v[1]]) r->v0[unknown(r, net->first + e)] += pl_dot3(omega, d->t);
  }
  for (int i = 0; i < r->nnode; i++)
    for (int c = 0; c < 3 && in[i] && net->junction[i] >= 0; c++)
      r->v0[unknown(r, net->first + net->n + 3 * net->junction[i] + c)] += omega[c] / 4;
}
