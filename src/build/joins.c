// Joins: rigid bodies with a reference point and a rotation, points that follow the mean motion of
// others, nodes tied to faces. Stiff elements stand for the constraints; their stiffness is that of
// what they join, many times.
#include "faces.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TURNERS = 9 };           // nodes whose turn a rotation follows, at most
static const double MANY = 1e3; // stiffness of a join over that of the nodes that it joins, unless
                                // it says so itself
static const double NEAR =
    0.1; // of the size of a face: nodes farther away are not meant to be tied

// what the stiffness of an element is taken from
typedef enum stiff_like {
  LIKE_NODE,     // node a alone, against the others of its join where it has none
  LIKE_BOTH,     // the softer of node a and the others of the stencil
  LIKE_ROTATION, // the softer of unknown a and the others over a length
  LIKE_JOIN      // what the join has elsewhere
} stiff_like;

typedef struct join_element {
  int kind, join;
  int stencil[PL_NDOF_MAX / 3 + 8];
  double par[PL_NPAR_MAX];
  stiff_like like;
  int rot;       // unknown whose stiffness counts, -1: none
  double length; // m, of levers
  double area;   // m^2, that a tie stands for; 0: a node alone
  int group, elem;
} join_element;

struct join_list {
  int n, cap;
  pl_join_desc *v;
  int nmarked;
  char *rotates; // [nmarked] nodes that have a rotation
  int nelem, elem_cap;
  join_element *elem;
  int (*triad)[3]; // [n] nodes that turn with the point of a join
};

static struct join_list *list_of(pl_builder *b) {
  if (!b->impl->joins) b->impl->joins = pl_build_keep(b, 1, sizeof *b->impl->joins);
  return b->impl->joins;
}

int pl_build_attach(pl_builder *b, const pl_join_desc *d) {
  struct join_list *l = list_of(b);
  if (!l || !pl_build_grow(b, &l->v, l->n, &l->cap, sizeof *l->v)) return -1;
  pl_join_desc *to = &l->v[l->n];
  *to = *d;
  to->name = build_strdup(b, d->name ? d->name : "join");
  to->node = keep_copy(b, d->n, sizeof *d->node, d->node);
  to->to = keep_copy(b, d->nto, sizeof *d->to, d->to);
  return b->failed ? -1 : l->n++;
}

// ---- before nodes and rods are joined -----------------------------------------------------------

static char *rod_nodes(pl_builder *b) {
  char *rod = pl_build_keep(b, (size_t)b->nnode + 1, 1);
  for (int k = 0; rod && k < b->nbody; k++)
    for (int i = 0; b->body[k].rod_edge && i < b->body[k].desc.mesh->nvert; i++)
      rod[b->body[k].node[i]] = 1;
  return rod;
}

// nodes at the ends of three arms, as long as the nodes of the join are far from its point
static void add_triad(pl_builder *b, struct join_list *l, int join) {
  const pl_join_desc *d = &l->v[join];
  double far = 0, x[3];
  for (int i = 0; i < d->n; i++) {
    double e[3];
    pl_sub3(b->X + 3 * (size_t)d->node[i], b->X + 3 * (size_t)d->point, e);
    far = fmax(far, pl_norm3(e));
  }
  for (int a = 0; a < 3; a++) {
    memcpy(x, b->X + 3 * (size_t)d->point, sizeof x);
    x[a] += far / 2;
    l->triad[join][a] = pl_build_node(b, x, NULL);
  }
}

static int check_join(pl_builder *b, const pl_join_desc *d) {
  double far = 0;
  for (int i = 0; i < d->n && d->kind != PL_JOIN_TIE; i++) {
    double e[3];
    if (d->node[i] == d->point) {
      build_problem(b, d->origin, "leave it out of the nodes",
                    "join '%s': its point is one of its nodes", d->name);
      return 0;
    }
    pl_sub3(b->X + 3 * (size_t)d->node[i], b->X + 3 * (size_t)d->point, e);
    far = fmax(far, pl_norm3(e));
  }
  if (d->kind == PL_JOIN_TIE || far > 0) return 1;
  build_problem(b, d->origin, "weld them, or choose nodes around the point",
                "join '%s': all nodes are where its point is", d->name);
  return 0;
}

int joins_rotate(const pl_builder *b, int node) {
  const struct join_list *l = b->impl->joins;
  return l && l->rotates && node < l->nmarked && l->rotates[node];
}

int pl_build_triad(const pl_builder *b, int node, int triad[3]) {
  const struct join_list *l = b->impl->joins;
  for (int k = 0; l && k < l->n; k++)
    if (l->v[k].kind != PL_JOIN_TIE && l->v[k].point == node) {
      memcpy(triad, l->triad[k], sizeof l->triad[k]);
      return 1;
    }
  return 0;
}

// ---- elements -----------------------------------------------------------------------------------

static join_element *add_element(pl_builder *b, int join, int kind, stiff_like like) {
  struct join_list *l = b->impl->joins;
  if (!pl_build_grow(b, &l->elem, l->nelem, &l->elem_cap, sizeof *l->elem)) return NULL;
  join_element *e = &l->elem[l->nelem++];
  *e = (join_element){.kind = kind, .join = join, .like = like, .rot = -1};
  for (int i = 0; i < (int)(sizeof e->stencil / sizeof e->stencil[0]); i++) e->stencil[i] = -1;
  return e;
}

// a node beside others with weights
static void add_tie(pl_builder *b, int join, int node, const tie_place *p, stiff_like like) {
  int kind = p->n <= 4 ? PL_ELEM_tie5 : p->n <= 9 ? PL_ELEM_tie10 : PL_ELEM_tie20;
  join_element *e = add_element(b, join, kind, like);
  if (!e) return;
  e->stencil[0] = node;
  e->area = p->area;
  e->par[1] = p->n;
  for (int i = 0; i < p->n; i++) {
    e->stencil[1 + i] = p->node[i];
    e->par[2 + i] = p->w[i];
  }
}

static void add_arm(pl_builder *b, int join, int point, int node, stiff_like like) {
  int s = rods_rotate(b, point), p = rods_rotate(b, node);
  join_element *e = add_element(b, join, p < 0 ? PL_ELEM_arm : PL_ELEM_arm_rotation, like);
  if (!e) return;
  e->stencil[0] = point;
  e->stencil[1] = node;
  for (int c = 0; c < 3; c++) {
    e->stencil[2 + c] = s + c;
    if (p >= 0) e->stencil[5 + c] = p + c;
  }
  if (p >= 0) e->rot = p;
}

static void swap_places(tie_place *p, int i, int k) {
  int node = p->node[i];
  double w = p->w[i];
  p->node[i] = p->node[k];
  p->w[i] = p->w[k];
  p->node[k] = node;
  p->w[k] = w;
}

// the node farthest from the first comes next, then that farthest from their line; 0: all are in it
static int order_cloud(const pl_builder *b, tie_place *p) {
  double longest = 0;
  for (int k = 1; k < 3 && p->n >= 3; k++) {
    double best = 0, e[3], d[3], N[3];
    int at = k;
    pl_sub3(b->X + 3 * (size_t)p->node[1], b->X + 3 * (size_t)p->node[0], e);
    for (int i = k; i < p->n; i++) {
      pl_sub3(b->X + 3 * (size_t)p->node[i], b->X + 3 * (size_t)p->node[0], d);
      pl_cross3(d, e, N);
      double far = pl_norm3(k == 1 ? d : N);
      if (far > best) {
        best = far;
        at = i;
      }
    }
    if (k == 1) longest = best;
    if (k == 2 && !(best > 1e-6 * longest * longest)) return 0;
    swap_places(p, at, k);
  }
  return p->n >= 3;
}

// a rotation that follows a cloud
static void add_turner(pl_builder *b, int join, int rot, const tie_place *p, double length,
                       stiff_like like) {
  join_element *e = add_element(b, join, PL_ELEM_tie_rotation, like);
  if (!e) return;
  int n = p->n < TURNERS ? p->n : TURNERS;
  memcpy(e->stencil, p->node, (size_t)n * sizeof *p->node);
  for (int c = 0; c < 3; c++) e->stencil[TURNERS + c] = rot + c;
  e->par[1] = n;
  e->rot = rot;
  e->length = length;
}

// ---- boundaries of shells -----------------------------------------------------------------------

// calls `each` for edges on the boundary of shells all of whose nodes are marked; 0: reported. own:
// the ends of the edge, the corner across it, and of second order the nodes on edges 01, 02 and 12
enum { OWN = 6 };
typedef void (*edge_fn)(pl_builder *b, void *ctx, const int own[OWN], int point, int xi);

// copies of the nodes off an edge stand for a clamp
static int built_in(const pl_builder *b, const int *off) {
  return off[0] >= b->nnode || off[1] >= b->nnode || off[2] >= b->nnode;
}

// both points of every edge of a shell of second order; its stencils have lower corners first
static int second_edges(pl_builder *b, const pl_body *p, const char *mark, edge_fn each,
                        void *ctx) {
  const pl_cells *c = &p->desc.mesh->cell[PL_TRI6];
  const pl_elem_kind *kind = pl_elem_table[PL_ELEM_shell6];
  int *count = pl_build_keep(b, (size_t)b->nnode + 1, sizeof *count);
  for (int i = 0; count && i < 6 * c->n; i++) count[p->node[c->v[i]]] += i % 6 >= 3;
  for (int i = 0; count && i < 3 * c->n; i++) {
    const int *v = p->midedge + (size_t)(i / 3) * (size_t)(kind->nvert + kind->nscal);
    int k = i % 3, lo = k == 0, hi = k == 2 ? 1 : 2; // across corner k
    const int own[OWN] = {v[lo], v[hi], v[k], v[3 + k], v[3 + hi], v[3 + lo]};
    if (count[v[3 + k]] != 1 || !mark[v[lo]] || !mark[v[hi]] || !mark[v[3 + k]]) continue;
    for (int g = 0; g < 2; g++) {
      int xi = v[kind->nvert + 2 * k + g];
      if (!built_in(b, v + 6 + 3 * k)) each(b, ctx, own, 1 + g, xi);
    }
  }
  return count != NULL;
}

static int boundary_edges(pl_builder *b, const pl_join_desc *d, const char *mark, edge_fn each,
                          void *ctx) {
  for (int k = 0; k < b->nbody; k++) {
    const pl_body *p = &b->body[k];
    const pl_mesh *m = p->desc.mesh;
    pl_topology *t;
    if (p->desc.kind != PL_BODY_SHELL) continue;
    if (m->cell[PL_TRI6].n > 0) {
      if (!second_edges(b, p, mark, each, ctx)) return 0;
      continue;
    }
    if (pl_topology_create(m, &t) != PL_OK) {
      b->nproblem++; // told by the mesh
      return 0;
    }
    for (int e = 0; e < t->nedge; e++) {
      const int *v = t->edge + 2 * e, *tri = t->edge_tri + 2 * e;
      if (tri[1] >= 0 || !mark[p->node[v[0]]] || !mark[p->node[v[1]]]) continue;
      if (!p->edge_xi) {
        build_problem(b, d->origin, "bending: shell6 or midedge, or moments: no",
                      "join '%s': the edges of shell '%s' pass no moment, as it bends by hinges",
                      d->name, p->desc.name);
        pl_topology_free(t);
        return 0;
      }
      int third = -1, lo = v[0] < v[1] ? v[0] : v[1], hi = v[0] < v[1] ? v[1] : v[0];
      for (int i = 0; i < 3; i++) {
        int c = m->cell[PL_TRI3].v[3 * tri[0] + i];
        if (c != lo && c != hi) third = c;
      }
      const int own[OWN] = {p->node[lo], p->node[hi], p->node[third], -1, -1, -1};
      if (p->edge_xi[e] >= 0 && third >= 0)
        each(b, ctx, own, 0, b->dim * (b->nnode + b->ncopy) + p->edge_xi[e]);
    }
    pl_topology_free(t);
  }
  return 1;
}

static void add_edge(pl_builder *b, int join, const int own[OWN], int point, int xi,
                     const tie_place *p, double length) {
  join_element *e = add_element(b, join, PL_ELEM_tie_edge, LIKE_ROTATION);
  if (!e) return;
  int n = p->n < TURNERS ? p->n : TURNERS;
  memcpy(e->stencil, own, OWN * sizeof *own);
  memcpy(e->stencil + OWN, p->node, (size_t)n * sizeof *p->node);
  e->stencil[OWN + TURNERS] = xi;
  e->par[1] = n;
  e->par[2] = point;
  e->rot = xi;
  e->length = length;
}

// ---- rigid bodies -------------------------------------------------------------------------------

static void add_rigid_edge(pl_builder *b, void *ctx, const int own[OWN], int point, int xi) {
  const int *join = ctx;
  tie_place p = {.n = 3};
  double d[3];
  memcpy(p.node, b->impl->joins->triad[*join], 3 * sizeof *p.node);
  pl_sub3(b->X + 3 * (size_t)own[1], b->X + 3 * (size_t)own[0], d);
  add_edge(b, *join, own, point, xi, &p, pl_norm3(d));
}

static void make_rigid(pl_builder *b, int join) {
  const pl_join_desc *d = &b->impl->joins->v[join];
  char *mark = pl_build_keep(b, (size_t)b->nnode + 1, 1);
  for (int i = 0; mark && i < d->n; i++) {
    mark[d->node[i]] = 1;
    add_arm(b, join, d->point, d->node[i], LIKE_NODE);
  }
  for (int a = 0; mark && a < 3; a++)
    add_arm(b, join, d->point, b->impl->joins->triad[join][a], LIKE_JOIN);
  if (mark && d->moments) boundary_edges(b, d, mark, add_rigid_edge, &join);
}

// ---- mean motions -------------------------------------------------------------------------------

typedef struct cloud {
  int n, *node;
  double *w;
} cloud;

// order[0..n-1] sorted by a coordinate
static void sort_along(const pl_builder *b, int axis, int n, int *node, double *w) {
  for (int gap = n / 2; gap > 0; gap /= 2)
    for (int i = gap; i < n; i++) {
      int v = node[i], j = i;
      double u = w[i];
      for (; j >= gap && b->X[3 * (size_t)node[j - gap] + axis] > b->X[3 * (size_t)v + axis];
           j -= gap) {
        node[j] = node[j - gap];
        w[j] = w[j - gap];
      }
      node[j] = v;
      w[j] = u;
    }
}

// Nodes that become one: at most `few`, the first three in a plane. 0: too many, or all in a line,
// which has no frame that a derivative by places at rest could turn.
static int is_part(const pl_builder *b, int few, int n, const int *node, const double *w,
                   tie_place *p) {
  double sum = 0;
  if (n > few) return 0;
  for (int i = 0; i < n; i++) sum += w[i];
  *p = (tie_place){.n = n};
  for (int i = 0; i < n; i++) {
    p->node[i] = node[i];
    p->w[i] = w[i] / sum;
  }
  return n < 3 || order_cloud(b, p);
}

// halves a cloud across its longest direction until it has few nodes; each part becomes a node at
// its mean, which is tied to it
static void gather_parts(pl_builder *b, int join, int few, int n, int *node, double *w,
                         cloud *out) {
  tie_place p;
  if (b->failed) return;
  if (!is_part(b, few, n, node, w, &p)) {
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    int axis = 0;
    for (int i = 0; i < 3 * n; i++) {
      lo[i % 3] = fmin(lo[i % 3], b->X[3 * (size_t)node[i / 3] + i % 3]);
      hi[i % 3] = fmax(hi[i % 3], b->X[3 * (size_t)node[i / 3] + i % 3]);
    }
    for (int c = 1; c < 3; c++)
      if (hi[c] - lo[c] > hi[axis] - lo[axis]) axis = c;
    sort_along(b, axis, n, node, w);
    gather_parts(b, join, few, n / 2, node, w, out);
    gather_parts(b, join, few, n - n / 2, node + n / 2, w + n / 2, out);
    return;
  }
  double x[3] = {0}, sum = 0;
  for (int i = 0; i < n; i++) sum += w[i];
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) x[c] += p.w[i] * b->X[3 * (size_t)p.node[i] + c];
  int mean = pl_build_node(b, x, NULL);
  if (mean < 0) return;
  add_tie(b, join, mean, &p, LIKE_JOIN);
  out->node[out->n] = mean;
  out->w[out->n++] = sum;
}

// means of means, made before nodes are counted
static void prepare_spread(pl_builder *b, int join) {
  pl_join_desc *d = &b->impl->joins->v[join];
  cloud c = {.n = d->n, .node = keep_copy(b, d->n, sizeof *c.node, d->node)};
  c.w = pl_build_keep(b, (size_t)d->n + 1, sizeof *c.w);
  for (int i = 0; c.w && i < c.n; i++) c.w[i] = 1.0 / d->n;
  while (c.n > TURNERS && !b->failed) {
    cloud next = {.node = pl_build_keep(b, (size_t)c.n + 1, sizeof *next.node),
                  .w = pl_build_keep(b, (size_t)c.n + 1, sizeof *next.w)};
    if (!next.node || !next.w) return;
    // eight parts, or as many as there must be
    int few = (c.n + 7) / 8;
    gather_parts(b, join, few < TIE_MASTERS ? few : TIE_MASTERS, c.n, c.node, c.w, &next);
    c = next;
  }
  d->to = c.node;
  d->nto = c.n;
  d->weight = c.w;
}

static void make_spread(pl_builder *b, int join) {
  const pl_join_desc *d = &b->impl->joins->v[join];
  tie_place p = {.n = d->nto};
  double length = 0;
  memcpy(p.node, d->to, (size_t)d->nto * sizeof *p.node);
  memcpy(p.w, d->weight, (size_t)d->nto * sizeof *p.w);
  if (!order_cloud(b, &p)) {
    build_problem(b, d->origin, "add nodes beside the line, or use 'rigid'",
                  "join '%s': its nodes lie in a line, about which they do not turn its point",
                  d->name);
    return;
  }
  for (int i = 1; i < p.n; i++) {
    double e[3];
    pl_sub3(b->X + 3 * (size_t)p.node[i], b->X + 3 * (size_t)p.node[0], e);
    length = fmax(length, pl_norm3(e));
  }
  add_tie(b, join, d->point, &p, LIKE_JOIN);
  add_turner(b, join, rods_rotate(b, d->point), &p, length, LIKE_JOIN);
  for (int a = 0; a < 3; a++) add_arm(b, join, d->point, b->impl->joins->triad[join][a], LIKE_JOIN);
}

// ---- ties ---------------------------------------------------------------------------------------

typedef struct tying {
  int join;
  const tie_faces *to;
} tying;

static void face_cloud(const tie_face *f, tie_place *p) {
  *p = (tie_place){.n = f->n};
  memcpy(p->node, f->node, (size_t)f->n * sizeof *p->node);
}

static void add_tied_edge(pl_builder *b, void *ctx, const int own[OWN], int point, int xi) {
  const tying *t = ctx;
  double x[3];
  tie_place at, p;
  for (int i = 0; i < 3; i++)
    x[i] = (b->X[3 * (size_t)own[0] + i] + b->X[3 * (size_t)own[1] + i]) / 2;
  faces_nearest(b, t->to, x, &at);
  const tie_face *f = &t->to->v[at.face];
  face_cloud(f, &p);
  if (order_cloud(b, &p)) add_edge(b, t->join, own, point, xi, &p, face_size(b, f));
}

// nodes too far from all faces; 0: reported
static int check_near(pl_builder *b, const pl_join_desc *d, const tie_faces *f,
                      const tie_place *place) {
  char buf[128], hint[PL_TEXT];
  int n = 0, worst = 0;
  double most = 0;
  for (int i = 0; i < d->n; i++) {
    double slack = d->tolerance > 0 ? d->tolerance : NEAR * face_size(b, &f->v[place[i].face]);
    n += place[i].far > slack;
    if (place[i].far / slack <= most) continue;
    most = place[i].far / slack;
    worst = i;
  }
  if (n == 0) return 1;
  double slack = place[worst].far / most;
  snprintf(hint, sizeof hint,
           "choose nodes that lie on the faces; 'tolerance' lets them be farther away, and keeps "
           "the gap");
  build_problem(b, d->origin, hint,
                "join '%s': %d %s not on the faces: %s is %.4g m away, more than %.4g m", d->name,
                n, n == 1 ? "node is" : "nodes are",
                pl_build_node_text(b, d->node[worst], buf, sizeof buf), place[worst].far, slack);
  return 0;
}

static char *marked(pl_builder *b, int n, const int *node) {
  char *mark = pl_build_keep(b, (size_t)b->nnode + 1, 1);
  for (int i = 0; mark && i < n; i++) mark[node[i]] = 1;
  return mark;
}

static double mean_size(const pl_builder *b, const tie_faces *f) {
  double sum = 0;
  for (int k = 0; k < f->n; k++) sum += face_size(b, &f->v[k]) / f->n;
  return sum;
}

// nodes that span a plane come first, those of the nearest face without weight where there are none
static void span_plane(const pl_builder *b, const tie_face *f, tie_place *p) {
  if (order_cloud(b, p)) return;
  for (int i = 0; i < f->n && p->n < TIE_MASTERS; i++) {
    int in = 0;
    for (int k = 0; k < p->n; k++) in |= p->node[k] == f->node[i];
    if (in) continue;
    p->node[p->n] = f->node[i];
    p->w[p->n++] = 0;
  }
  order_cloud(b, p);
}

// ties of nodes node[n] that are nearer to the faces than a distance (0: all)
static pl_status tie_nodes(pl_builder *b, int join, const tie_faces *own, tie_faces *to, int n,
                           const int *node, double within) {
  tie_place *place = pl_build_keep(b, (size_t)n + 1, sizeof *place);
  int nmean;
  if (!place) return PL_E_NOMEM;
  for (int i = 0; i < n; i++) faces_nearest(b, to, b->X + 3 * (size_t)node[i], &place[i]);
  if (within == 0 && !check_near(b, &b->impl->joins->v[join], to, place)) return PL_OK;
  PL_TRY(faces_means(b, own, to, n, node, place, &nmean));
  for (int i = 0; i < n && !b->failed; i++) {
    if (within > 0 && place[i].far > within) continue;
    span_plane(b, &to->v[place[i].face], &place[i]);
    add_tie(b, join, node[i], &place[i], LIKE_BOTH);
  }
  return b->failed;
}

// nodes of faces, each once
static int list_nodes(pl_builder *b, const tie_faces *f, int **out) {
  char *mark = pl_build_keep(b, (size_t)b->nnode + 1, 1);
  int n = 0;
  *out = pl_build_keep(b, (size_t)b->nnode + 1, sizeof **out);
  for (int k = 0; mark && *out && k < f->n; k++)
    for (int i = 0; i < f->v[k].n; i++)
      if (!mark[f->v[k].node[i]]++) (*out)[n++] = f->v[k].node[i];
  return n;
}

static void tie_rotations(pl_builder *b, int join, const tie_faces *to) {
  const pl_join_desc *d = &b->impl->joins->v[join];
  for (int i = 0; i < d->n && d->moments; i++) {
    int rot = rods_rotate(b, d->node[i]);
    tie_place at, p;
    if (rot < 0) continue;
    faces_nearest(b, to, b->X + 3 * (size_t)d->node[i], &at);
    face_cloud(&to->v[at.face], &p);
    if (order_cloud(b, &p))
      add_turner(b, join, rot, &p, face_size(b, &to->v[at.face]), LIKE_ROTATION);
  }
}

// The side with smaller faces follows the other, so that few nodes lie opposite each of its own.
static pl_status tie_sides(pl_builder *b, int join, tie_faces *own, tie_faces *to) {
  const pl_join_desc *d = &b->impl->joins->v[join];
  double size = mean_size(b, own);
  if (own->n == 0 || size <= mean_size(b, to)) return tie_nodes(b, join, own, to, d->n, d->node, 0);
  tie_place *place = pl_build_keep(b, (size_t)d->n + 1, sizeof *place);
  int *node, n = list_nodes(b, to, &node);
  if (b->failed) return b->failed;
  for (int k = 0; k < d->n; k++) faces_nearest(b, to, b->X + 3 * (size_t)d->node[k], &place[k]);
  if (!check_near(b, d, to, place)) return PL_OK;
  PL_TRY(faces_tree(b, own));
  return tie_nodes(b, join, to, own, n, node, d->tolerance > 0 ? d->tolerance : NEAR * size);
}

static pl_status make_tie(pl_builder *b, int join) {
  const pl_join_desc *d = &b->impl->joins->v[join];
  tie_faces own = {0}, to = {0};
  char *from = marked(b, d->n, d->node), *onto = marked(b, d->nto, d->to);
  if (!from || !onto) return PL_E_NOMEM;
  for (int i = 0; i < d->n; i++)
    if (onto[d->node[i]]) {
      char buf[128];
      build_problem(b, d->origin, "leave it out of one of them; nodes that are one need no tie",
                    "join '%s': %s is on both sides", d->name,
                    pl_build_node_text(b, d->node[i], buf, sizeof buf));
      return PL_OK;
    }
  pl_status s = faces_find(b, from, &own);
  if (s == PL_OK) s = faces_find(b, onto, &to);
  if (s == PL_OK && to.n == 0) {
    build_problem(b, d->origin, "faces: a whole surface of a shell or solid, e.g. block boundary",
                  "join '%s': no face of a shell or solid has all its nodes in 'faces'", d->name);
    return PL_OK;
  }
  if (s == PL_OK) s = faces_tree(b, &to);
  if (s == PL_OK) s = tie_sides(b, join, &own, &to);
  if (s == PL_OK && b->nproblem == 0 && d->moments) {
    tying t = {join, &to};
    if (own.n == 0) boundary_edges(b, d, from, add_tied_edge, &t);
    tie_rotations(b, join, &to);
  }
  faces_close(&own);
  faces_close(&to);
  return s;
}

// ---- all together -------------------------------------------------------------------------------

void joins_prepare(pl_builder *b) {
  struct join_list *l = b->impl->joins;
  if (!l) return;
  char *rod = rod_nodes(b);
  l->triad = pl_build_keep(b, (size_t)l->n, sizeof *l->triad);
  l->rotates = pl_build_keep(b, (size_t)b->nnode + 1, 1);
  l->nmarked = b->nnode;
  if (b->failed) return;
  if (b->dim != 3) {
    build_problem(b, l->v[0].origin, NULL, "joins need dimension 3");
    return;
  }
  for (int k = 0; k < l->n && !b->failed; k++) {
    const pl_join_desc *d = &l->v[k];
    if (!check_join(b, d)) continue;
    for (int i = 0; i < d->n && d->moments; i++)
      if (rod[d->node[i]] && d->kind != PL_JOIN_SPREAD) l->rotates[d->node[i]] = 1;
    if (d->kind == PL_JOIN_TIE) continue;
    l->rotates[d->point] = 1;
    add_triad(b, l, k);
    if (d->kind == PL_JOIN_SPREAD) prepare_spread(b, k);
  }
}

// one group of each kind for every join
static void make_groups(pl_builder *b) {
  static const int kinds[] = {PL_ELEM_tie5,         PL_ELEM_tie10,    PL_ELEM_tie20,
                              PL_ELEM_tie_rotation, PL_ELEM_tie_edge, PL_ELEM_arm,
                              PL_ELEM_arm_rotation};
  struct join_list *l = b->impl->joins;
  for (int k = 0; k < l->n; k++)
    for (int t = 0; t < COUNT(kinds); t++) {
      const pl_elem_kind *kind = pl_elem_table[kinds[t]];
      int n = 0, *stencil, ns = kind->nvert + kind->nscal;
      for (int i = 0; i < l->nelem; i++) n += l->elem[i].join == k && l->elem[i].kind == kinds[t];
      if (n == 0) continue;
      int g = pl_build_group(b, l->v[k].name, kind, n, 0, 0, &stencil);
      for (int i = 0, e = 0; g >= 0 && i < l->nelem; i++) {
        join_element *x = &l->elem[i];
        if (x->join != k || x->kind != kinds[t]) continue;
        memcpy(stencil + (size_t)ns * (size_t)e, x->stencil, (size_t)ns * sizeof *stencil);
        for (int p = 1; p < kind->npar; p++)
          if (strcmp(kind->par[p].name, "turn_stiffness") != 0)
            pl_build_par(b, g, e, kind->par[p].name, &(pl_value){.v = x->par[p]});
        x->group = g;
        x->elem = e++;
      }
    }
}

pl_status joins_finish(pl_builder *b) {
  struct join_list *l = b->impl->joins;
  if (!l || b->nproblem > 0) return b->failed;
  for (int k = 0; k < l->n && !b->failed; k++) {
    if (l->v[k].kind == PL_JOIN_RIGID) make_rigid(b, k);
    if (l->v[k].kind == PL_JOIN_SPREAD) make_spread(b, k);
    if (l->v[k].kind == PL_JOIN_TIE) PL_TRY(make_tie(b, k));
  }
  if (b->nproblem == 0 && !b->failed) make_groups(b);
  return b->failed;
}

// ---- stiffness ----------------------------------------------------------------------------------

typedef struct diagonal {
  const char *skip; // [ngroup] joins
  const double *X;
  double *k; // [nq]
} diagonal;

static int add_diagonal(void *ctx, const pl_element *e, int thread) {
  const diagonal *d = ctx;
  double q[PL_NDOF_MAX], v[PL_NDOF_MAX] = {0}, f[PL_NDOF_MAX], K[PL_NDOF_MAX * PL_NDOF_MAX];
  (void)thread;
  if (d->skip[e->group] || pl_model_group_kind(e->m, e->group)->outer) return 0;
  for (int i = 0; i < e->ndof; i++) q[i] = e->dof[i] < 0 ? 0 : d->X[e->dof[i]];
  if (pl_element_eval(e, q, v, f, K, NULL)) return 0;
  for (int i = 0; i < e->ndof; i++)
    if (e->dof[i] >= 0) d->k[e->dof[i]] += fabs(K[i * e->ndof + i]);
  return 0;
}

// diagonal of the stiffness at rest, without the joins
static pl_status find_diagonal(pl_builder *b, const pl_model_desc *desc, double *k) {
  const struct join_list *l = b->impl->joins;
  char *skip = pl_build_keep(b, (size_t)b->ngroup + 1, 1);
  if (!skip) return PL_E_NOMEM;
  for (int i = 0; i < l->nelem; i++) skip[l->elem[i].group] = 1;
  pl_model *m = NULL;
  pl_params *p = NULL;
  pl_work *w = NULL;
  pl_status s = pl_model_create(b->env, desc, &m);
  if (s == PL_OK) s = pl_params_create(m, &p);
  if (s == PL_OK) s = pl_work_create(m, 1, &w);
  if (s == PL_OK) s = pl_model_each_element(m, p, w, add_diagonal, &(diagonal){skip, p->X, k});
  pl_work_free(w);
  pl_params_free(p);
  pl_model_free(m);
  return s == PL_DOMAIN ? PL_OK : s;
}

static double node_stiffness(const double *k, int node) {
  if (node < 0) return 0;
  return fmax(k[3 * node], fmax(k[3 * node + 1], k[3 * node + 2]));
}

// the softest of the nodes from `first` on that has any
static double softest(const join_element *e, const double *k, int first) {
  const pl_elem_kind *kind = pl_elem_table[e->kind];
  double least = INFINITY;
  for (int i = first; i < kind->nvert; i++) {
    double own = node_stiffness(k, e->stencil[i]);
    if (own > 0) least = fmin(least, own);
  }
  return isfinite(least) ? least : 0;
}

static double smaller(double a, double b) {
  return a > 0 && b > 0 ? fmin(a, b) : fmax(a, b);
}

// force per length, or moment, of an element's neighbours; 0: they have none
static double neighbours(const join_element *e, const double *k) {
  switch (e->like) {
  case LIKE_NODE:
    return node_stiffness(k, e->stencil[1]);
  case LIKE_BOTH:
    return smaller(node_stiffness(k, e->stencil[0]), softest(e, k, 1));
  case LIKE_ROTATION: {
    // a rotation vector is a quarter of its angle
    double rot = e->rot < 0 ? 0 : k[e->rot] / (e->kind == PL_ELEM_tie_rotation ? 16 : 1);
    return smaller(rot,
                   softest(e, k, e->kind == PL_ELEM_tie_edge ? OWN : 0) * e->length * e->length);
  }
  case LIKE_JOIN:
    break;
  }
  return 0;
}

// what a join has in all, for elements that have no stiff neighbours
static double join_stiffness(const pl_builder *b, const pl_join_desc *d, const double *k) {
  double sum = 0;
  for (int i = 0; i < d->n; i++) sum += node_stiffness(k, d->node[i]);
  double most = 0;
  for (int i = 0; sum == 0 && i < 3 * b->nnode; i++) most = fmax(most, k[i]);
  return sum > 0 ? sum / d->n : most > 0 ? most : 1;
}

// Ties of faces are alike for every area, so that a constant pressure opens them alike: per[n] of
// each join, N/m^3.
static void share_areas(const struct join_list *l, const double *k, double *per) {
  for (int join = 0; join < l->n; join++) {
    double sum = 0, area = 0;
    for (int i = 0; i < l->nelem; i++) {
      const join_element *e = &l->elem[i];
      if (e->join != join || !(e->area > 0)) continue;
      sum += neighbours(e, k);
      area += e->area;
    }
    per[join] = area > 0 ? sum / area : 0;
  }
}

pl_status joins_stiffen(pl_builder *b, const pl_model_desc *desc) {
  struct join_list *l = b->impl->joins;
  if (!l || l->nelem == 0) return PL_OK;
  int nq = 3 * (b->nnode + b->ncopy) + b->nextra;
  double *k = pl_build_keep(b, (size_t)nq + 1, sizeof *k);
  if (!k) return PL_E_NOMEM;
  double *per = pl_build_keep(b, (size_t)l->n + 1, sizeof *per);
  if (!per) return PL_E_NOMEM;
  PL_TRY(find_diagonal(b, desc, k));
  share_areas(l, k, per);
  for (int i = 0; i < l->nelem; i++) {
    join_element *e = &l->elem[i];
    const pl_join_desc *join = &l->v[e->join];
    double own = neighbours(e, k), whole = join_stiffness(b, join, k);
    double many = join->stiffness > 0 ? join->stiffness : MANY;
    if (e->area > 0 && per[e->join] > 0) own = per[e->join] * e->area;
    double lever = e->length > 0 ? e->length * e->length : 1;
    if (own == 0)
      own = whole * (e->kind == PL_ELEM_tie_rotation || e->kind == PL_ELEM_tie_edge ? lever : 1);
    pl_build_par(b, e->group, e->elem, "stiffness", &(pl_value){.v = many * own});
    if (e->kind != PL_ELEM_arm_rotation) continue;
    double d[3];
    pl_sub3(b->X + 3 * (size_t)e->stencil[1], b->X + 3 * (size_t)e->stencil[0], d);
    double rot = k[e->rot] / 16;
    pl_build_par(b, e->group, e->elem, "turn_stiffness",
                 &(pl_value){.v = many * (rot > 0 ? rot : own * pl_dot3(d, d))});
  }
  return b->failed;
}
