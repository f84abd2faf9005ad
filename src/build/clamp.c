// Shells that bend by normals at their edges: which edges are built in, the copies of nodes that
// clamps carry, and an unknown for every edge that can turn.
#include "build_impl.h"

#include <string.h>

// what the bodies share while their stencils are made
typedef struct shells {
  int *holder;       // [nnode] drive that holds a node with its directions, -1: none
  int *wall;         // [nnode] the same, one for all that do not move
  int *used;         // [ndrive] it builds in an edge
  pl_midedge **part; // [nbody] NULL: not such a shell
} shells;

// supports that do not move are one wall, so that corners between them are built in as well
static int same_wall(const pl_builder *b, int drive) {
  for (int k = 0; k < drive && b->drive[drive].nterm == 0; k++)
    if (b->clamp[k] && b->drive[k].nterm == 0) return k;
  return drive;
}

static void find_holders(pl_builder *b, shells *s) {
  int all = (1 << b->dim) - 1;
  for (int i = 0; i < b->nnode; i++) s->holder[i] = s->wall[i] = -1;
  for (int k = 0; k < b->ndrive; k++) {
    if (!b->clamp[k]) continue;
    if (b->drive[k].mask != all) {
      build_problem(b, b->clamp[k], "leave out 'fix'",
                    "clamp: nodes whose edges are built in must be held in all components");
      continue;
    }
    for (int i = 0; i < b->drive[k].nnode; i++) {
      int before = s->holder[b->drive[k].node[i]];
      if (before >= 0 && (b->drive[before].off || b->drive[k].off)) {
        build_problem(b, b->clamp[k], "leave out clamp in one of them",
                      "clamp: two supports that take turns build in the same edges");
        break;
      }
      s->holder[b->drive[k].node[i]] = k;
      s->wall[b->drive[k].node[i]] = same_wall(b, k);
    }
  }
}

// a design parameter that moves a node moves its copy
static void follow_targets(pl_builder *b, int node, int copy) {
  for (int k = 0, n = b->impl->ntarget; k < n; k++) {
    target_desc t = b->impl->target[k];
    if (t.place != PL_AT_X || t.i != node) continue;
    pl_build_follow(b, PL_AT_X, copy, t.j, 0, &(pl_value){.par = t.par, .coef = t.coef}, 1);
  }
}

// a copy that stands behind a symmetry plane is no clamp's
static int is_beyond(const pl_midedge *p, int k) {
  return p->copy_plane && p->copy_plane[k] >= 0;
}

// the drive that carries copy k of a body
static int carrier(const pl_builder *b, const shells *s, int body, int k) {
  return s->holder[b->body[body].node[s->part[body]->copy_at[k]]];
}

// the drive that holds the unknowns of edge e of a body, -1: none
static int edge_holder(const pl_builder *b, const shells *s, int body, int e) {
  const pl_midedge *p = s->part[body];
  if (p->edge_clamped[e] < 0 || p->edge_xi[e] < 0) return -1;
  return s->holder[b->body[body].node[p->edge_clamped[e]]];
}

// what it holds of the edges of a body, as scalars from `first` on: into list where there is one
static int held_scalars(const pl_builder *b, const shells *s, int body, int drive, int first,
                        int *list) {
  const pl_midedge *p = s->part[body];
  int n = 0;
  for (int e = 0; p && e < p->nedge; e++) {
    if (edge_holder(b, s, body, e) != drive) continue;
    for (int g = 0; list && g < 2; g++) list[n + g] = first + p->edge_xi[e] + g;
    n += 2;
  }
  return n;
}

// clamps hold what would turn the normals of the edges that they build in
static void hold_edges(pl_builder *b, const shells *s, const int *first) {
  for (int k = 0; k < b->ndrive && !b->failed; k++) {
    int n = 0, at = 0;
    for (int i = 0; i < b->nbody; i++) n += held_scalars(b, s, i, k, 0, NULL);
    if (n == 0) continue;
    int *scal = pl_build_keep(b, (size_t)n, sizeof *scal),
        *edge = pl_build_keep(b, 2 * (size_t)n, sizeof *edge);
    if (!scal || !edge) return;
    for (int i = 0; i < b->nbody; i++)
      at += held_scalars(b, s, i, k, s->part[i] ? first[i] : 0, scal + at);
    for (int i = 0; i < 2 * n; i++) edge[i] = PL_SCALAR_STAYS;
    b->drive[k].nscal = n;
    b->drive[k].scal = scal;
    b->drive[k].edge = edge;
  }
}

// boundaries in symmetry planes keep the normals that they have there
static void hold_boundary(pl_builder *b, const shells *s, const int *first) {
  int n = 0, *scal = pl_build_keep(b, (size_t)b->nextra + 1, sizeof *scal);
  for (int i = 0; scal && i < b->nbody; i++) {
    const pl_midedge *p = s->part[i];
    for (int e = 0; p && p->edge_plane && e < p->nedge; e++)
      for (int g = 0; p->edge_plane[e] >= 0 && g < 2; g++) scal[n++] = first[i] + p->edge_xi[e] + g;
  }
  if (n > 0) mirror_hold(b, n, scal);
}

// room in the lists of the drives for the copies that they will carry
static int widen_drives(pl_builder *b, const shells *s) {
  for (int k = 0; k < b->ndrive; k++) {
    int more = 0;
    for (int i = 0; i < b->nbody; i++)
      for (int j = 0; s->part[i] && j < s->part[i]->ncopy; j++)
        more += !is_beyond(s->part[i], j) && carrier(b, s, i, j) == k;
    if (more == 0) continue;
    pl_drive_desc *d = &b->drive[k];
    int *list = pl_build_keep(b, (size_t)d->nnode + (size_t)more, sizeof *list),
        *place = pl_build_keep(b, (size_t)more, sizeof *place);
    if (!list || !place) return 0;
    memcpy(list, d->node, (size_t)d->nnode * sizeof *list);
    d->node = list;
    d->carrier = place;
    d->nplace = d->nnode;
  }
  return 1;
}

// copies become nodes of the drives that carry them
static void add_copies(pl_builder *b, const shells *s, int body) {
  const pl_midedge *p = s->part[body];
  for (int k = 0; k < p->ncopy && !b->failed; k++) {
    if (!pl_build_grow(b, &b->copy, b->ncopy, &b->impl->copy_cap, sizeof *b->copy)) return;
    pl_drive_desc *d = is_beyond(p, k) ? NULL : &b->drive[carrier(b, s, body, k)];
    int node = b->body[body].node[p->copy[k]], copy = b->nnode + b->ncopy;
    b->copy[b->ncopy] = node;
    mirror_copy(b, &b->body[body], p, k, b->ncopy++);
    if (!d) continue;
    // the description holds const arrays; they are ours
    ((int *)d->carrier)[d->nnode - d->nplace] = b->body[body].node[p->copy_at[k]];
    ((int *)d->node)[d->nnode++] = copy;
    follow_targets(b, node, copy);
  }
}

static pl_status open_part(pl_builder *b, shells *s, int body) {
  const pl_body *p = &b->body[body];
  const pl_mesh *m = p->desc.mesh;
  int second = p->desc.bending == PL_BENDING_SHELL6;
  pl_topology *t = NULL;
  if (!second) PL_TRY(pl_topology_create(m, &t));
  int *clamp = pl_build_keep(b, 2 * (size_t)m->nvert + 1, sizeof *clamp),
      *holder = clamp + m->nvert;
  for (int i = 0; clamp && i < m->nvert; i++) {
    clamp[i] = s->wall[p->node[i]];
    holder[i] = s->holder[p->node[i]];
  }
  pl_status st =
      !clamp   ? PL_E_NOMEM
      : second ? pl_midedge_create_second(m, clamp, holder, mirror_masks(b, p), &s->part[body])
               : pl_midedge_create(m, t, clamp, &s->part[body]);
  const pl_midedge *part = s->part[body];
  for (int e = 0; st == PL_OK && e < part->nedge; e++)
    if (part->edge_clamped[e] >= 0) s->used[clamp[part->edge_at[e]]] = 1;
  pl_topology_free(t);
  return st;
}

static void check_used(pl_builder *b, const shells *s) {
  for (int k = 0; k < b->ndrive; k++)
    if (b->clamp[k] && !s->used[k] && !s->used[same_wall(b, k)])
      build_problem(
          b, b->clamp[k],
          "shells with bending shell6 or midedge have such edges; others are clamped by two rows "
          "of nodes",
          "clamp: no edge of a shell has both ends among these nodes, and no rod is there");
}

// which scalars turn the normals of the body's edges
static void keep_scalars(pl_builder *b, int body, const pl_midedge *p) {
  int *xi = pl_build_keep(b, (size_t)p->nedge + 1, sizeof *xi);
  for (int e = 0; xi && e < p->nedge; e++)
    xi[e] = p->edge_clamped[e] >= 0 || (p->edge_plane && p->edge_plane[e] >= 0)
                ? -1
                : b->nextra + p->edge_xi[e];
  b->body[body].edge_xi = xi;
}

static void fill_stencils(pl_builder *b, const shells *s) {
  if (!widen_drives(b, s)) return;
  for (int k = 0; k < b->nbody && !b->failed; k++)
    if (s->part[k]) add_copies(b, s, k);
  int copy = b->nnode, *first = pl_build_keep(b, (size_t)b->nbody + 1, sizeof *first);
  for (int k = 0; first && k < b->nbody && !b->failed; k++) {
    const pl_midedge *p = s->part[k];
    int n = b->body[k].desc.mesh->nvert;
    int *node = p ? pl_build_keep(b, (size_t)(n + p->ncopy) + 1, sizeof *node) : NULL;
    if (!node) continue;
    memcpy(node, b->body[k].node, (size_t)n * sizeof *node);
    for (int i = 0; i < p->ncopy; i++) node[n + i] = copy++;
    pl_midedge_stencil(p, node, b->dim * (b->nnode + b->ncopy) + b->nextra, b->body[k].midedge);
    keep_scalars(b, k, p);
    first[k] = b->nextra;
    b->nextra += p->nxi;
  }
  if (first && !b->failed) hold_edges(b, s, first);
  if (first && !b->failed) hold_boundary(b, s, first);
}

// what is off at first takes hold of edges of shell6 alone later
static void check_late(pl_builder *b) {
  int *rods = pl_build_keep(b, (size_t)b->ndrive + 1, sizeof *rods);
  if (rods) rods_clamped(b, rods);
  for (int k = 0; rods && k < b->ndrive; k++)
    if (b->clamp[k] && b->drive[k].off && (rods[k] || !pl_build_grips(b, k)))
      build_problem(b, b->clamp[k], "leave out clamp, or off; shells with bending: shell6",
                    "directions of rods, joins and shells of first order cannot be taken hold of "
                    "later, so that what is off at first is no clamp");
}

pl_status join_shells(pl_builder *b) {
  shells s = {.holder = pl_build_keep(b, (size_t)b->nnode + 1, sizeof *s.holder),
              .wall = pl_build_keep(b, (size_t)b->nnode + 1, sizeof *s.wall),
              .used = pl_build_keep(b, (size_t)b->ndrive + 1, sizeof *s.used),
              .part = pl_build_keep(b, (size_t)b->nbody + 1, sizeof *s.part)};
  if (b->failed) return b->failed;
  find_holders(b, &s);
  mirror_check(b);
  for (int k = 0; k < b->nbody && !b->failed; k++) {
    if (!b->body[k].midedge) continue;
    pl_status st = open_part(b, &s, k);
    if (st == PL_E_NOMEM) b->failed = st;
    if (st != PL_OK) b->nproblem++; // told by the mesh
  }
  rods_clamped(b, s.used);
  if (b->nproblem == 0) check_used(b, &s);
  if (b->nproblem == 0) fill_stencils(b, &s);
  if (b->nproblem == 0) check_late(b);
  for (int k = 0; k < b->nbody; k++) pl_midedge_free(s.part[k]);
  return b->failed;
}
