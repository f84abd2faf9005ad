// Shells that bend by normals at their edges: which edges are built in, the copies of nodes that
// clamps carry, and an unknown for every edge that can turn.
#include "scene_impl.h"

#include <string.h>

// what the bodies share while their stencils are made
typedef struct shells {
  int *holder;       // [nnode] drive that holds a node with its directions, -1: none
  int *wall;         // [nnode] the same, one for all that do not move
  int *used;         // [ndrive] it builds in an edge
  pl_midedge **part; // [nbody] NULL: not such a shell
} shells;

// supports that do not move are one wall, so that corners between them are built in as well
static int same_wall(const reader *r, int drive) {
  for (int k = 0; k < drive && r->drive[drive].nterm == 0; k++)
    if (r->clamp[k] && r->drive[k].nterm == 0) return k;
  return drive;
}

static void find_holders(reader *r, shells *s) {
  int all = (1 << r->dim) - 1;
  for (int i = 0; i < r->nnode; i++) s->holder[i] = s->wall[i] = -1;
  for (int k = 0; k < r->ndrive; k++) {
    if (!r->clamp[k]) continue;
    if (r->drive[k].mask != all) {
      problem(r, r->clamp[k], "leave out 'fix'",
              "clamp: nodes whose edges are built in must be held in all components");
      continue;
    }
    for (int i = 0; i < r->drive[k].nnode; i++) {
      s->holder[r->drive[k].node[i]] = k;
      s->wall[r->drive[k].node[i]] = same_wall(r, k);
    }
  }
}

// a design parameter that moves a node moves its copy
static void follow_targets(reader *r, int node, int copy) {
  for (int k = 0, n = r->ntarget; k < n; k++) {
    aim t = r->target[k];
    if (t.kind != AT_X || t.a != node) continue;
    target_add(r, AT_X, copy, t.b, 0, &(num){.par = t.par, .coef = t.coef}, 1);
  }
}

// the drive that carries copy k of a body
static int carrier(const reader *r, const shells *s, int body, int k) {
  return s->holder[r->body[body].node[s->part[body]->copy_at[k]]];
}

// room in the lists of the drives for the copies that they will carry
static int widen_drives(reader *r, const shells *s) {
  for (int k = 0; k < r->ndrive; k++) {
    int more = 0;
    for (int b = 0; b < r->nbody; b++)
      for (int i = 0; s->part[b] && i < s->part[b]->ncopy; i++) more += carrier(r, s, b, i) == k;
    if (more == 0) continue;
    pl_drive_desc *d = &r->drive[k];
    int *list = scene_alloc(r, (size_t)d->nnode + (size_t)more, sizeof *list);
    if (!list) return 0;
    memcpy(list, d->node, (size_t)d->nnode * sizeof *list);
    d->node = list;
    d->nplace = d->nnode;
  }
  return 1;
}

// copies become nodes of the drives that carry them
static void add_copies(reader *r, const shells *s, int body) {
  const body_slot *b = &r->body[body];
  const pl_midedge *p = s->part[body];
  for (int k = 0; k < p->ncopy && !r->failed; k++) {
    if (!scene_grow(r, &r->copy, r->ncopy, &r->copy_cap, sizeof *r->copy)) return;
    pl_drive_desc *d = &r->drive[carrier(r, s, body, k)];
    int node = b->node[p->copy[k]], copy = r->nnode + r->ncopy;
    // the description holds const arrays; they are ours
    ((int *)d->node)[d->nnode++] = copy;
    follow_targets(r, node, copy);
    r->copy[r->ncopy++] = node;
  }
}

static pl_status open_part(reader *r, shells *s, int body) {
  const body_slot *b = &r->body[body];
  pl_topology *t;
  PL_TRY(pl_topology_create(b->mesh, &t));
  int *clamp = scene_alloc(r, (size_t)b->n + 1, sizeof *clamp);
  for (int i = 0; clamp && i < b->n; i++) clamp[i] = s->wall[b->node[i]];
  pl_status st = clamp ? pl_midedge_create(b->mesh, t, clamp, &s->part[body]) : PL_E_NOMEM;
  for (int e = 0; st == PL_OK && e < t->nedge; e++)
    if (s->part[body]->edge_xi[e] < 0) s->used[clamp[t->edge[2 * e]]] = 1;
  pl_topology_free(t);
  return st;
}

static void check_used(reader *r, const shells *s) {
  for (int k = 0; k < r->ndrive; k++)
    if (r->clamp[k] && !s->used[k] && !s->used[same_wall(r, k)])
      problem(r, r->clamp[k],
              "only shells with 'bending: midedge' have such edges; others are clamped by two rows "
              "of nodes",
              "clamp: no edge of a shell has both ends among these nodes, and no rod is there");
}

static void fill_stencils(reader *r, const shells *s) {
  if (!widen_drives(r, s)) return;
  for (int k = 0; k < r->nbody && !r->failed; k++)
    if (s->part[k]) add_copies(r, s, k);
  int copy = r->nnode;
  for (int k = 0; k < r->nbody && !r->failed; k++) {
    const body_slot *b = &r->body[k];
    const pl_midedge *p = s->part[k];
    int *node = p ? scene_alloc(r, (size_t)(b->n + p->ncopy) + 1, sizeof *node) : NULL;
    if (!node) continue;
    memcpy(node, b->node, (size_t)b->n * sizeof *node);
    for (int i = 0; i < p->ncopy; i++) node[b->n + i] = copy++;
    pl_midedge_stencil(p, node, r->dim * (r->nnode + r->ncopy) + r->nextra, b->midedge);
    r->nextra += p->nxi;
  }
}

void build_clamps(reader *r) {
  shells s = {.holder = scene_alloc(r, (size_t)r->nnode + 1, sizeof *s.holder),
              .wall = scene_alloc(r, (size_t)r->nnode + 1, sizeof *s.wall),
              .used = scene_alloc(r, (size_t)r->ndrive + 1, sizeof *s.used),
              .part = scene_alloc(r, (size_t)r->nbody + 1, sizeof *s.part)};
  if (r->failed || !r->clamp) return;
  find_holders(r, &s);
  for (int k = 0; k < r->nbody && !r->failed; k++) {
    if (r->body[k].bad || !r->body[k].midedge) continue;
    pl_status st = open_part(r, &s, k);
    if (st == PL_E_NOMEM) r->failed = st;
  }
  rods_clamped(r, s.used);
  if (r->nproblem == 0) check_used(r, &s);
  if (r->nproblem == 0) fill_stencils(r, &s);
  for (int k = 0; k < r->nbody; k++) pl_midedge_free(s.part[k]);
}
