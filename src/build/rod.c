// Rods: how edges meet, directors at rest, and what drives hold of them. Edges in a row make a rod;
// where three or more meet, or rods of different bodies, or where a drive clamps, there is a
// junction, a small rigid body with a rotation vector of three unknowns; at corners of a rod, too.
#include "build_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

// an edge runs from node v[0] to v[1]
typedef struct rod_edge {
  int body, cell, v[2], done;
  double t[3], m1[3]; // direction and first director at rest
} rod_edge;

// scalars of all rods: theta of edge k is first + k, then three for every junction
typedef struct rod_net {
  int n, nnode, nbend, njunction, first;
  rod_edge *edge;
  int *begin, *at;          // edges at node i: at[begin[i]] .. at[begin[i + 1] - 1]
  int *junction;            // [nnode] its number, -1: none
  char *corner;             // [nnode] 1: a junction within a rod, which goes on beyond it
  const int *axes;          // [nnode] bits of the normals of symmetry planes
  int *holder, *clamper;    // [nnode] drive that holds a node, and its directions too; -1: none
  int *wall;                // [nnode] drive that holds a node, one for all that do not move
  int (*bend)[2], *ninbody; // [nbend] edges before and after, along the rods; [nbody] bends
  int nloose, *loose;       // scalars of rods that may spin, one each
} rod_net;

void rod_edges(pl_builder *b, int body) {
  const pl_body_desc *d = &b->body[body].desc;
  int n = d->mesh->cell[PL_SEG2].n, *cell = pl_build_keep(b, (size_t)n + 1, sizeof *cell);
  if (!cell) return;
  for (int e = 0; e < n; e++) cell[e] = e;
  int group = body_group(b, body, "", PL_ELEM_rod_edge, n, NULL, !has_parts(d), !d->consistent);
  if (group < 0) return;
  b->cells[group].type = PL_SEG2;
  put_parts(b, body, group, n, cell, 1);
  // the description holds const arrays; they are ours
  b->body[body].rod_edge = (int *)b->group[group].stencil;
}

// ---- how edges meet ---------------------------------------------------------------------------

static int read_edges(pl_builder *b, rod_net *net) {
  char buf[128];
  for (int k = 0; k < b->nbody; k++) {
    pl_body *p = &b->body[k];
    const pl_cells *c = &p->desc.mesh->cell[PL_SEG2];
    if (!p->rod_edge) continue;
    p->first_edge = net->n;
    for (int e = 0; e < c->n; e++) {
      const int *v = c->v + 2 * (size_t)e;
      rod_edge *to = &net->edge[net->n++];
      *to = (rod_edge){.body = k, .cell = e, .v = {p->node[v[0]], p->node[v[1]]}};
      if (to->v[0] != to->v[1]) continue;
      build_problem(b, p->desc.origin, "make 'weld' smaller",
                    "rod '%s': both ends of an edge became %s", p->desc.name,
                    pl_build_node_text(b, to->v[0], buf, sizeof buf));
      return 0;
    }
  }
  return 1;
}

static void list_edges(const pl_builder *b, rod_net *net) {
  for (int e = 0; e < net->n; e++)
    for (int k = 0; k < 2; k++) net->begin[net->edge[e].v[k] + 1]++;
  for (int i = 0; i < b->nnode; i++) net->begin[i + 1] += net->begin[i];
  for (int e = net->n - 1; e >= 0; e--)
    for (int k = 1; k >= 0; k--) net->at[--net->begin[net->edge[e].v[k] + 1]] = e;
  // entries were counted down to the begin of the node before
  for (int i = 0; i < b->nnode; i++) net->begin[i] = net->begin[i + 1];
  net->begin[b->nnode] = 2 * net->n;
}

static int valence(const rod_net *net, int node) {
  return net->begin[node + 1] - net->begin[node];
}

// what holds a node in all components; supports that do not move are one
static void find_holders(const pl_builder *b, rod_net *net) {
  int all = (1 << b->dim) - 1, wall = -1;
  for (int i = 0; i < b->nnode; i++) net->holder[i] = net->clamper[i] = net->wall[i] = -1;
  for (int k = 0; k < b->ndrive; k++) {
    const pl_drive_desc *d = &b->drive[k];
    if (d->mask != all || d->off) continue;
    if (d->nterm == 0 && wall < 0) wall = k;
    for (int i = 0; i < d->nnode; i++) {
      if (d->node[i] >= b->nnode) continue;
      net->holder[d->node[i]] = k;
      net->wall[d->node[i]] = d->nterm == 0 ? wall : k;
      if (b->clamp[k]) net->clamper[d->node[i]] = k;
    }
  }
}

// rad, of the tangent at a node at rest; -1: it is not between two edges of one rod
static double bend_angle(const pl_builder *b, const rod_net *net, int node) {
  const int *at = net->at + net->begin[node];
  double d[2][3], across[3];
  if (valence(net, node) != 2 || net->edge[at[0]].body != net->edge[at[1]].body) return -1;
  for (int k = 0; k < 2; k++) {
    const int *v = net->edge[at[k]].v;
    pl_sub3(b->X + 3 * (size_t)(v[0] == node ? v[1] : v[0]), b->X + 3 * (size_t)node, d[k]);
  }
  pl_cross3(d[0], d[1], across);
  return atan2(pl_norm3(across), -pl_dot3(d[0], d[1]));
}

// Two edges that make a corner at rest, and no curve: the vertices beside it turn by less. Bends
// are tangents of half the turn, whose slope makes a vertex stiffer by cos(turn/2)^-4: 4 times at
// right angles, and in effect one without the length that belongs to it.
static int is_corner(const pl_builder *b, const rod_net *net, int node) {
  static const double SMOOTH = 20 * PL_PI / 180, SHARP = 65 * PL_PI / 180, MORE = 2.5;
  const int *at = net->at + net->begin[node];
  double angle = bend_angle(b, net, node), beside = INFINITY;
  if (b->body[net->edge[at[0]].body].desc.straight || !(angle > SMOOTH)) return 0;
  for (int k = 0; k < 2; k++) {
    const int *v = net->edge[at[k]].v;
    double other = bend_angle(b, net, v[0] == node ? v[1] : v[0]);
    if (other >= 0) beside = fmin(beside, other);
  }
  return angle > SHARP || beside == INFINITY || angle > MORE * beside;
}

static void find_junctions(const pl_builder *b, rod_net *net) {
  for (int i = 0; i < b->nnode; i++) {
    int n = valence(net, i), *at = net->at + net->begin[i];
    int apart = n == 2 && net->edge[at[0]].body != net->edge[at[1]].body;
    int rigid = n > 2 || apart || (n == 1 && net->axes[i]) || (n > 0 && net->clamper[i] >= 0) ||
                joins_rotate(b, i);
    net->corner[i] = (char)(!rigid && n == 2 && is_corner(b, net, i));
    rigid |= net->corner[i];
    net->junction[i] = rigid ? net->njunction++ : -1;
    if (!rigid && n == 2) {
      net->nbend++;
      net->ninbody[net->edge[at[0]].body]++;
    }
  }
}

// the edge on the other side of a node, -1: the rod ends there
static int beyond(const rod_net *net, int node, int e) {
  if ((net->junction[node] >= 0 && !net->corner[node]) || valence(net, node) != 2) return -1;
  const int *at = net->at + net->begin[node];
  return at[0] == e ? at[1] : at[0];
}

// turns an edge round when its end `side` is not this node
static void orient(pl_builder *b, rod_net *net, int e, int side, int node) {
  rod_edge *d = &net->edge[e];
  if (d->v[side] == node) return;
  int *v = b->body[d->body].desc.mesh->cell[PL_SEG2].v + 2 * (size_t)d->cell, other = v[0];
  v[0] = v[1];
  v[1] = other;
  d->v[1 - side] = d->v[side];
  d->v[side] = node;
}

// ---- directors at rest ------------------------------------------------------------------------

static int set_director(pl_builder *b, const rod_net *net, int e, int before) {
  rod_edge *d = &net->edge[e];
  const pl_body_desc *p = &b->body[d->body].desc;
  char buf[128];
  pl_sub3(b->X + 3 * (size_t)d->v[1], b->X + 3 * (size_t)d->v[0], d->t);
  double l = pl_norm3(d->t);
  for (int i = 0; i < 3; i++) d->t[i] /= l;
  if (p->up) {
    // m1 = m2 x t, with m2 the part of `up` across t
    pl_cross3(p->up, d->t, d->m1);
    if (pl_norm3(d->m1) > 0.01 * pl_norm3(p->up)) return 1;
    build_problem(b, p->up_origin, "leave it out, or give the rods along it a body of their own",
                  "rod '%s': 'up' must not be zero, nor point along the rod as it does at %s",
                  p->name, pl_build_node_text(b, d->v[0], buf, sizeof buf));
    return 0;
  }
  if (before < 0)
    pl_rod_director(d->t, d->m1);
  else
    pl_rod_transport(net->edge[before].t, d->t, net->edge[before].m1, d->m1);
  return 1;
}

static int add_bend(pl_builder *b, rod_net *net, int e, int f) {
  const rod_edge *before = &net->edge[e], *after = &net->edge[f];
  const pl_body_desc *p = &b->body[before->body].desc;
  char buf[128];
  if (net->junction[before->v[1]] < 0) {
    int k = net->nbend++;
    net->bend[k][0] = e;
    net->bend[k][1] = f;
  }
  if (1 + pl_dot3(before->t, after->t) > 1e-6) return 1;
  build_problem(b, p->origin, NULL, "rod '%s' folds back on itself at %s", p->name,
                pl_build_node_text(b, before->v[1], buf, sizeof buf));
  return 0;
}

// angles without whole turns between neighbours
static void set_angle(pl_builder *b, const rod_net *net, int e, int before) {
  const rod_edge *d = &net->edge[e];
  double last = before < 0 ? 0 : b->extra[net->first + before], angle = pl_rod_angle(d->t, d->m1);
  b->extra[net->first + e] = before < 0 ? angle : last + remainder(angle - last, 2 * PL_PI);
}

// alike in all directions and by nature straight: turning all sections by one angle changes nothing
static int is_wire(const pl_body_desc *d, int bent) {
  const pl_value *w = &d->section.width, *h = &d->section.height, *k = d->curvature;
  if (d->section.rectangle || w->v != h->v || w->par != h->par || w->coef != h->coef ||
      w->each != h->each)
    return 0;
  return (!bent || d->straight) && k[0].v == 0 && k[1].v == 0 && !k[0].par && !k[1].par;
}

static int is_held(const rod_net *net, int e) {
  const int *v = net->edge[e].v;
  return net->wall[v[0]] >= 0 && net->wall[v[0]] == net->wall[v[1]];
}

// the node is a junction that is more than an end in a symmetry plane, which may spin
static int grips(const rod_net *net, int node) {
  int end = valence(net, node) == 1 && net->clamper[node] < 0;
  return net->junction[node] >= 0 && !(end && net->axes[node]);
}

// a rod from end to end, or a ring; the first edge of the mesh tells its direction
static int follow_rod(pl_builder *b, rod_net *net, int e) {
  int start = e, before = -1, bent = 0, held = 0;
  for (int p; (p = beyond(net, net->edge[start].v[0], start)) >= 0 && p != e; start = p)
    orient(b, net, p, 1, net->edge[start].v[0]);
  for (int k = start; k >= 0 && !net->edge[k].done;) {
    net->edge[k].done = 1;
    if (!set_director(b, net, k, before)) return 0;
    set_angle(b, net, k, before);
    if (before >= 0 && !add_bend(b, net, before, k)) return 0;
    if (before >= 0) bent |= pl_dot3(net->edge[before].t, net->edge[k].t) < 1 - 1e-12;
    held |= is_held(net, k);
    before = k;
    k = beyond(net, net->edge[k].v[1], k);
    if (k >= 0) orient(b, net, k, 0, net->edge[before].v[1]);
  }
  int ring = beyond(net, net->edge[start].v[0], start) >= 0;
  held |= grips(net, net->edge[start].v[0]) || grips(net, net->edge[before].v[1]);
  if (!held && is_wire(&b->body[net->edge[e].body].desc, bent || ring))
    net->loose[net->nloose++] = net->first + start;
  // the last bend of a ring takes what twist is left
  return !ring || add_bend(b, net, before, start);
}

// ---- elements ---------------------------------------------------------------------------------

static int unknown(const pl_builder *b, int scalar) {
  return b->dim * (b->nnode + b->ncopy) + scalar;
}

static void put_edges(const pl_builder *b, const rod_net *net) {
  for (int e = 0; e < net->n; e++) {
    const rod_edge *d = &net->edge[e];
    int *to = b->body[d->body].rod_edge + 3 * (size_t)d->cell;
    to[0] = d->v[0];
    to[1] = d->v[1];
    to[2] = unknown(b, net->first + e);
  }
}

static void put_natural(pl_builder *b, const pl_body_desc *d, int group, int n) {
  put_value(b, group, "curvature1", &d->curvature[0], n, NULL, 0);
  put_value(b, group, "curvature2", &d->curvature[1], n, NULL, 0);
  put_value(b, group, "twist", &d->twist, n, NULL, 0);
}

static void put_bends(pl_builder *b, const rod_net *net, int body) {
  const pl_body_desc *d = &b->body[body].desc;
  int n = 0, count = net->ninbody[body],
      *cell = pl_build_keep(b, 2 * (size_t)count + 1, sizeof *cell);
  if (count == 0 || !cell) return;
  int group = body_group(b, body, " bending", PL_ELEM_rod_bend, count, NULL, !has_parts(d), 0);
  if (group < 0) return;
  int *stencil = (int *)b->group[group].stencil;
  for (int k = 0; k < net->nbend; k++) {
    const rod_edge *e = &net->edge[net->bend[k][0]], *f = &net->edge[net->bend[k][1]];
    if (e->body != body) continue;
    const int all[5] = {e->v[0], e->v[1], f->v[1], unknown(b, net->first + net->bend[k][0]),
                        unknown(b, net->first + net->bend[k][1])};
    memcpy(stencil + 5 * (size_t)n, all, sizeof all);
    cell[2 * n] = e->cell;
    cell[2 * n + 1] = f->cell;
    n++;
  }
  put_parts(b, body, group, count, cell, 2);
  put_natural(b, d, group, count);
  put_value(b, group, "straight", &(pl_value){.v = d->straight}, count, NULL, 0);
}

// one for every end of an edge at a junction
static void put_joints(pl_builder *b, const rod_net *net, int body) {
  const pl_body_desc *d = &b->body[body].desc;
  int n = 0, count = 0, ne = d->mesh->cell[PL_SEG2].n, first = b->body[body].first_edge;
  const rod_edge *edge = net->edge + first;
  for (int k = 0; k < 2 * ne; k++) count += net->junction[edge[k / 2].v[k % 2]] >= 0;
  int *cell = pl_build_keep(b, (size_t)count + 1, sizeof *cell);
  if (count == 0 || !cell) return;
  int group = body_group(b, body, " joints", PL_ELEM_rod_joint, count, NULL, 0, 0);
  if (group < 0) return;
  int *stencil = (int *)b->group[group].stencil;
  for (int k = 0; k < 2 * ne; k++) {
    const rod_edge *e = &edge[k / 2];
    int end = k % 2, at = e->v[end], j = net->junction[at];
    if (j < 0) continue;
    int s = unknown(b, net->first + net->n + 3 * j);
    int theta = unknown(b, net->first + first + k / 2);
    const int all[6] = {at, e->v[1 - end], theta, s, s + 1, s + 2};
    memcpy(stencil + 6 * (size_t)n, all, sizeof all);
    pl_build_par(b, group, n, "reversed", &(pl_value){.v = end});
    cell[n++] = e->cell;
  }
  put_parts(b, body, group, count, cell, 1);
  put_natural(b, d, group, count);
}

// ---- drives -----------------------------------------------------------------------------------

// the scalars that a drive prescribes: into the lists where given; returns their count
static int held(const rod_net *net, const pl_builder *b, int drive, int *scal, int *edge) {
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
  for (int i = 0; i < b->nnode; i++)
    for (int c = 0; c < 3; c++) {
      if (net->junction[i] < 0 || net->clamper[i] != drive) continue;
      if (scal) {
        scal[n] = net->first + net->n + 3 * net->junction[i] + c;
        edge[2 * n] = PL_SCALAR_VECTOR - i;
        edge[2 * n + 1] = c;
      }
      n++;
    }
  return n;
}

static void hold_scalars(pl_builder *b, const rod_net *net) {
  for (int k = 0; k < b->ndrive && !b->failed; k++) {
    pl_drive_desc *d = &b->drive[k];
    int n = held(net, b, k, NULL, NULL), own = d->nscal; // own: of edges of shells
    if (n == 0) continue;
    int *scal = pl_build_keep(b, (size_t)(n + own), sizeof *scal),
        *edge = pl_build_keep(b, 2 * (size_t)(n + own), sizeof *edge);
    if (!scal || !edge) return;
    if (own > 0) {
      memcpy(scal, d->scal, (size_t)own * sizeof *scal);
      memcpy(edge, d->edge, 2 * (size_t)own * sizeof *edge);
    }
    d->nscal = own + held(net, b, k, scal + own, edge + 2 * own);
    d->scal = scal;
    d->edge = edge;
  }
}

void rods_clamped(pl_builder *b, int *used) {
  char *rod = pl_build_keep(b, (size_t)b->nnode + 1, 1);
  if (!rod) return;
  for (int k = 0; k < b->nbody; k++)
    for (int i = 0; b->body[k].rod_edge && i < b->body[k].desc.mesh->nvert; i++)
      rod[b->body[k].node[i]] = 1;
  for (int k = 0; k < b->ndrive; k++)
    for (int i = 0; b->clamp[k] && i < b->drive[k].nnode; i++)
      used[k] |= rod[b->drive[k].node[i]] || joins_rotate(b, b->drive[k].node[i]);
}

int rods_rotate(const pl_builder *b, int node) {
  const rod_net *net = b->impl->rods;
  int j = net && node < net->nnode ? net->junction[node] : -1;
  return j < 0 ? -1 : unknown(b, net->first + net->n + 3 * j);
}

// ends of rods in symmetry planes turn about the normal alone
static void hold_mirrored(pl_builder *b, const rod_net *net) {
  int n = 0, *scal = pl_build_keep(b, 3 * (size_t)b->nnode + 1, sizeof *scal),
      *edge = pl_build_keep(b, 6 * (size_t)b->nnode + 1, sizeof *edge);
  for (int i = 0; scal && edge && i < b->nnode; i++) {
    int axes = net->axes[i];
    if (net->junction[i] < 0 || net->clamper[i] >= 0 || !axes) continue;
    // one plane leaves its normal, two leave nothing
    for (int c = 0; c < 3; c++)
      if (axes != 1 << c) scal[n++] = net->first + net->n + 3 * net->junction[i] + c;
  }
  for (int i = 0; i < 2 * n && edge; i++) edge[i] = PL_SCALAR_STAYS;
  const pl_drive_desc d = {.name = "symmetry of rods",
                           .mask = (1 << b->dim) - 1,
                           .nscal = n,
                           .scal = scal,
                           .edge = edge};
  if (n > 0 && edge) pl_build_drive(b, &d, PL_HOLD_NODES, NULL);
}

// Rods that nothing keeps from spinning about themselves, and to which it makes no difference:
// their first edges are held, so that the angles are unique. Not when they are to spin.
static void hold_spins(pl_builder *b, const rod_net *net) {
  if (b->free_spin || net->nloose == 0) return;
  const pl_drive_desc d = {
      .name = "spin", .mask = (1 << b->dim) - 1, .nscal = net->nloose, .scal = net->loose};
  pl_build_drive(b, &d, PL_HOLD_NODES, NULL);
}

// ---- all together -----------------------------------------------------------------------------

static rod_net *open_net(pl_builder *b) {
  size_t n = 0, nodes = (size_t)b->nnode;
  for (int k = 0; k < b->nbody; k++)
    if (b->body[k].rod_edge) n += (size_t)b->body[k].desc.mesh->cell[PL_SEG2].n;
  int rotates = 0;
  for (int i = 0; i < b->nnode; i++) rotates |= joins_rotate(b, i);
  if (n == 0 && !rotates) return NULL;
  n++;
  rod_net *net = pl_build_keep(b, 1, sizeof *net);
  if (!net) return NULL;
  *net = (rod_net){.edge = pl_build_keep(b, n, sizeof *net->edge),
                   .begin = pl_build_keep(b, nodes + 1, sizeof *net->begin),
                   .at = pl_build_keep(b, 2 * n, sizeof *net->at),
                   .junction = pl_build_keep(b, nodes, sizeof *net->junction),
                   .corner = pl_build_keep(b, nodes, sizeof *net->corner),
                   .holder = pl_build_keep(b, nodes, sizeof *net->holder),
                   .clamper = pl_build_keep(b, nodes, sizeof *net->clamper),
                   .axes = mirror_axes(b),
                   .wall = pl_build_keep(b, nodes, sizeof *net->wall),
                   .bend = pl_build_keep(b, n, sizeof *net->bend),
                   .ninbody = pl_build_keep(b, (size_t)b->nbody + 1, sizeof *net->ninbody),
                   .loose = pl_build_keep(b, n, sizeof *net->loose),
                   .first = b->nextra,
                   .nnode = b->nnode};
  return b->failed ? NULL : net;
}

pl_status join_rods(pl_builder *b) {
  if (b->nproblem > 0) return PL_E_INPUT;
  rod_net *net = open_net(b);
  if (!net) return b->failed;
  if (!read_edges(b, net)) return PL_E_INPUT;
  list_edges(b, net);
  find_holders(b, net);
  find_junctions(b, net);
  b->nextra += net->n + 3 * net->njunction;
  b->extra = pl_build_keep(b, (size_t)b->nextra, sizeof *b->extra);
  if (!b->extra) return PL_E_NOMEM;
  net->nbend = 0;
  for (int e = 0; e < net->n; e++)
    if (!net->edge[e].done && !follow_rod(b, net, e)) return PL_E_INPUT;
  put_edges(b, net);
  for (int k = 0; k < b->nbody && !b->failed; k++) {
    if (!b->body[k].rod_edge) continue;
    put_bends(b, net, k);
    put_joints(b, net, k);
  }
  hold_scalars(b, net);
  hold_mirrored(b, net);
  hold_spins(b, net);
  b->impl->rods = net;
  return b->failed;
}

// ---- initial rotation -------------------------------------------------------------------------

// theta' = omega.t, and s' = omega/4 where s is zero
void pl_build_spin(pl_builder *b, int n, const int *node, const double *omega, double *v0) {
  const rod_net *net = b->impl->rods;
  char *in = net ? pl_build_keep(b, (size_t)b->nnode, 1) : NULL;
  if (!in) return;
  for (int i = 0; i < n; i++) in[node[i]] = 1;
  for (int e = 0; e < net->n; e++) {
    const rod_edge *d = &net->edge[e];
    if (in[d->v[0]] && in[d->v[1]]) v0[unknown(b, net->first + e)] += pl_dot3(omega, d->t);
  }
  for (int i = 0; i < b->nnode; i++)
    for (int c = 0; c < 3 && in[i] && net->junction[i] >= 0; c++)
      v0[unknown(b, net->first + net->n + 3 * net->junction[i] + c)] += omega[c] / 4;
}
