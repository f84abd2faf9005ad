// Stencils of shells of second order: triangles with the nodes of those that lead their edges.
#include "mesh_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

static const double OFF = 0.2;     // of an edge, by which the vertex on it may miss the middle
static const double FOLDED = 1e-6; // 1 - cos of the angle between triangles that lie on each other

// edges while stencils are made
typedef struct second {
  const pl_mesh *m;
  const int *clamp, *holder;
  const unsigned *plane;
  int n;       // triangles
  int *corner; // [n][3] their corners, ascending, as places 0..2 in the cell
  int *id;     // [n][3] edges opposite to these corners
  int *order;  // [3 n] sides (triangle and corner), those of an edge together
  int *first;  // [nedge + 1] into order
  int *leader; // [nedge] side that leads
  int *off;    // [nedge][3] vertices of the leader off the edge, or copies of them
  pl_midedge *s;
} second;

static const int *cell_of(const second *w, int tri) {
  return w->m->cell[PL_TRI6].v + 6 * (size_t)tri;
}

static int corner_at(const second *w, int tri, int i) {
  return cell_of(w, tri)[w->corner[3 * tri + i]];
}

// the vertex between corners i and j
static int between(const second *w, int tri, int i, int j) {
  int a = w->corner[3 * tri + i], b = w->corner[3 * tri + j];
  return cell_of(w, tri)[a + b == 1 ? 3 : a + b == 3 ? 4 : 5];
}

// vertices of a side: its ends, ascending, and the one between
static void side_vertices(const second *w, int side, int *v) {
  int tri = side / 3, k = side % 3, a = k == 0 ? 1 : 0, b = k == 2 ? 1 : 2;
  v[0] = corner_at(w, tri, a);
  v[1] = corner_at(w, tri, b);
  v[2] = between(w, tri, a, b);
}

// vertices of its triangle off a side: the corner, and those towards the side's ends
static void off_vertices(const second *w, int side, int *v) {
  int tri = side / 3, k = side % 3, a = k == 0 ? 1 : 0, b = k == 2 ? 1 : 2;
  v[0] = corner_at(w, tri, k);
  v[1] = between(w, tri, a, k);
  v[2] = between(w, tri, b, k);
}

static pl_status find_edges(second *w) {
  const pl_mesh *m = w->m;
  int *key = pl_alloc(m->env, 3 * (size_t)w->n, 2 * sizeof *key);
  if (!key) return PL_E_NOMEM;
  for (int t = 0; t < w->n; t++) {
    int *c = w->corner + 3 * t;
    const int *v = cell_of(w, t);
    for (int i = 0; i < 3; i++) c[i] = i;
    for (int a = 1; a < 3; a++)
      for (int b = a; b > 0 && v[c[b - 1]] > v[c[b]]; b--) {
        int swap = c[b];
        c[b] = c[b - 1];
        c[b - 1] = swap;
      }
  }
  for (int side = 0; side < 3 * w->n; side++) {
    int v[3];
    side_vertices(w, side, v);
    memcpy(key + 2 * (size_t)side, v, 2 * sizeof *key);
  }
  pl_status st = mesh_group(m->env, m->nvert, 2, 3 * w->n, key, w->order, w->id, &w->s->nedge);
  pl_free(m->env, key);
  return st;
}

// unit vector from a side into its triangle, corners only
static void inwards(const second *w, int side, double *out) {
  int v[3], k = corner_at(w, side / 3, side % 3);
  double e[3], p[3];
  side_vertices(w, side, v);
  pl_sub3(w->m->X + 3 * (size_t)v[1], w->m->X + 3 * (size_t)v[0], e);
  pl_sub3(w->m->X + 3 * (size_t)k, w->m->X + 3 * (size_t)v[0], p);
  double along = pl_dot3(p, e) / pl_dot3(e, e);
  for (int i = 0; i < 3; i++) out[i] = p[i] - along * e[i];
  double size = pl_norm3(out);
  for (int i = 0; i < 3 && size > 0; i++) out[i] /= size;
}

// the triangle that leads an edge is the one from which the others are farthest from folded back
static pl_status choose_leader(second *w, int e) {
  double best = -1;
  int n = w->first[e + 1] - w->first[e];
  const int *side = w->order + w->first[e];
  for (int i = 0; i < n && (n > 2 || i == 0); i++) {
    double least = 2, m[3], o[3];
    inwards(w, side[i], m);
    for (int j = 0; j < n; j++) {
      inwards(w, side[j], o);
      if (j != i) least = fmin(least, 1 - pl_dot3(m, o));
    }
    if (least > best) {
      best = least;
      w->leader[e] = side[i];
    }
  }
  if (best > FOLDED) return PL_OK;
  return pl_fail_at(w->m->env, PL_E_INPUT, w->m->source, 0, 0, "remove all but one",
                    "two of triangles %d and %d and others on their edge lie on each other",
                    side[0] / 3 + 1, side[1] / 3 + 1);
}

// every edge has one vertex, near its middle: from a quarter on the patch is singular
static pl_status check_edge(const second *w, int e) {
  int one[3], two[3];
  double edge[3], to[3];
  side_vertices(w, w->order[w->first[e]], one);
  pl_sub3(w->m->X + 3 * (size_t)one[1], w->m->X + 3 * (size_t)one[0], edge);
  pl_sub3(w->m->X + 3 * (size_t)one[2], w->m->X + 3 * (size_t)one[0], to);
  double at = pl_dot3(to, edge) / pl_dot3(edge, edge);
  if (fabs(at - 0.5) > OFF)
    return pl_fail_at(w->m->env, PL_E_INPUT, w->m->source, 0, 0,
                      "mesh it anew (gmsh: Mesh.HighOrderOptimize = 2), or save first order",
                      "vertex %d on the edge of vertices %d and %d is at %.2g of it, far from its "
                      "middle",
                      one[2] + 1, one[0] + 1, one[1] + 1, at);
  for (int i = w->first[e] + 1; i < w->first[e + 1]; i++) {
    side_vertices(w, w->order[i], two);
    if (one[2] != two[2])
      return pl_fail_at(w->m->env, PL_E_INPUT, w->m->source, 0, 0,
                        "save all cells of the surface in one order",
                        "the edge of vertices %d and %d has a vertex on it in triangle %d, and "
                        "another or none in triangle %d",
                        one[0] + 1, one[1] + 1, w->order[w->first[e]] / 3 + 1, w->order[i] / 3 + 1);
  }
  return PL_OK;
}

// clamp of an edge, -1: none
static int side_clamp(const second *w, int side) {
  int v[3];
  if (!w->clamp) return -1;
  side_vertices(w, side, v);
  int c = w->clamp[v[0]];
  return c == w->clamp[v[1]] && c == w->clamp[v[2]] ? c : -1;
}

// the first of the planes in which a boundary lies, -1: none
static int side_plane(const second *w, int e) {
  int v[3];
  if (!w->plane || w->first[e + 1] - w->first[e] != 1 || w->s->edge_clamped[e] >= 0) return -1;
  side_vertices(w, w->leader[e], v);
  unsigned all = w->plane[v[0]] & w->plane[v[1]] & w->plane[v[2]];
  for (int p = 0; all >> p; p++)
    if (all >> p & 1) return p;
  return -1;
}

static int add_copy(pl_midedge *s, int vertex, int at, int plane, double part) {
  s->copy[s->ncopy] = vertex;
  s->copy_at[s->ncopy] = at;
  s->copy_plane[s->ncopy] = plane;
  s->copy_part[s->ncopy] = part;
  return s->nvert + s->ncopy++;
}

// Behind a symmetry plane the boundary goes on straight, along the normal: the copies of the corner
// and of the vertex towards the kernel's first end move like that end, the other like the middle.
static void fill_beyond(second *w, int e, int *off) {
  int side = w->leader[e], flipped = side % 3 == 1, v[3], corner = off[0];
  int plane = w->s->edge_plane[e];
  side_vertices(w, side, v);
  off[0] = add_copy(w->s, v[flipped], corner, plane, 1);
  off[flipped ? 2 : 1] = add_copy(w->s, v[flipped], corner, plane, 0.5);
  off[flipped ? 1 : 2] = add_copy(w->s, v[2], corner, plane, 0.5);
}

// what the triangles on an edge see of its leader; what its clamp does not hold is copied
static void fill_off(second *w, int e) {
  pl_midedge *s = w->s;
  int *off = w->off + 3 * (size_t)e, held = s->edge_clamped[e];
  off_vertices(w, w->leader[e], off);
  if (s->edge_plane[e] >= 0) fill_beyond(w, e, off);
  for (int i = 0; i < 3 && held >= 0; i++) {
    if (w->holder[off[i]] == w->holder[held]) continue;
    off[i] = add_copy(s, off[i], held, -1, 1);
  }
}

static void fill_side(const second *w, int side, int *own, int *xi) {
  int e = w->id[side];
  const int *off = w->off + 3 * (size_t)e;
  // the kernel sees edge 1 from its higher to its lower vertex
  int flipped = side % 3 == 1;
  own[0] = off[0];
  own[1] = off[flipped ? 2 : 1];
  own[2] = off[flipped ? 1 : 2];
  for (int g = 0; g < 2; g++) xi[g] = w->s->edge_xi[e] + g;
}

static void fill_triangle(second *w, int tri) {
  int *v = w->s->vertex + 15 * (size_t)tri, *xi = w->s->xi + 6 * (size_t)tri;
  for (int k = 0; k < 3; k++) {
    v[k] = corner_at(w, tri, k);
    v[3 + k] = between(w, tri, (k + 1) % 3, (k + 2) % 3);
    fill_side(w, 3 * tri + k, v + 6 + 3 * k, xi + 2 * k);
  }
}

static pl_status fill(second *w) {
  pl_midedge *s = w->s;
  size_t nedge = (size_t)s->nedge, most = 0;
  w->first = pl_alloc(s->env, nedge + 1, sizeof *w->first);
  w->leader = pl_alloc(s->env, nedge, sizeof *w->leader);
  w->off = pl_alloc(s->env, nedge, 3 * sizeof *w->off);
  for (int i = 0; i < 3 * w->n; i++) most += w->plane || side_clamp(w, i) >= 0 ? 3 : 0;
  s->vertex = pl_alloc(s->env, (size_t)w->n, 15 * sizeof *s->vertex);
  s->xi = pl_alloc(s->env, (size_t)w->n, 6 * sizeof *s->xi);
  s->edge_xi = pl_alloc(s->env, nedge, sizeof *s->edge_xi);
  s->edge_at = pl_alloc(s->env, nedge, sizeof *s->edge_at);
  s->edge_clamped = pl_alloc(s->env, nedge, sizeof *s->edge_clamped);
  s->copy = pl_alloc(s->env, most, sizeof *s->copy);
  s->copy_at = pl_alloc(s->env, most, sizeof *s->copy_at);
  s->edge_plane = pl_alloc(s->env, nedge, sizeof *s->edge_plane);
  s->copy_plane = pl_alloc(s->env, most, sizeof *s->copy_plane);
  s->copy_part = pl_alloc(s->env, most, sizeof *s->copy_part);
  if (!w->first || !w->leader || !w->off || !s->vertex || !s->xi || !s->edge_xi || !s->edge_at ||
      !s->edge_clamped || !s->copy || !s->copy_at || !s->edge_plane || !s->copy_plane ||
      !s->copy_part)
    return PL_E_NOMEM;
  for (int i = 0; i < 3 * w->n; i++) w->first[w->id[w->order[i]] + 1] = i + 1;
  for (int e = 0; e < s->nedge; e++) {
    int side = w->order[w->first[e]], v[3];
    PL_TRY(check_edge(w, e));
    PL_TRY(choose_leader(w, e));
    side_vertices(w, side, v);
    s->edge_at[e] = v[0];
    s->edge_clamped[e] = side_clamp(w, side) >= 0 ? v[2] : -1;
    s->edge_plane[e] = side_plane(w, e);
    s->edge_xi[e] = s->nxi;
    s->nxi += 2;
    fill_off(w, e);
  }
  for (int t = 0; t < w->n; t++) fill_triangle(w, t);
  return PL_OK;
}

pl_status pl_midedge_create_second(const pl_mesh *m, const int *clamp, const int *holder,
                                   const unsigned *plane, pl_midedge **out) {
  second w = {.m = m,
              .clamp = clamp,
              .holder = holder ? holder : clamp,
              .plane = plane,
              .n = m->cell[PL_TRI6].n};
  size_t n = (size_t)w.n;
  *out = NULL;
  PL_TRY(mesh_check_indices(m));
  w.s = pl_alloc(m->env, 1, sizeof *w.s);
  if (!w.s) return PL_E_NOMEM;
  *w.s = (pl_midedge){.env = m->env, .ntri = w.n, .nvert = m->nvert, .nown = 15, .nscal = 6};
  w.corner = pl_alloc(m->env, n, 3 * sizeof *w.corner);
  w.id = pl_alloc(m->env, n, 3 * sizeof *w.id);
  w.order = pl_alloc(m->env, n, 3 * sizeof *w.order);
  pl_status st = w.corner && w.id && w.order ? find_edges(&w) : PL_E_NOMEM;
  if (st == PL_OK) st = fill(&w);
  pl_free(m->env, w.corner);
  pl_free(m->env, w.id);
  pl_free(m->env, w.order);
  pl_free(m->env, w.first);
  pl_free(m->env, w.leader);
  pl_free(m->env, w.off);
  if (st == PL_OK)
    *out = w.s;
  else
    pl_midedge_free(w.s);
  return st;
}
