// Stencils of mid-edge shells: triangles with their neighbours, a number for every edge, and copies
// of vertices that clamps carry along.
#include "mesh_impl.h"

#include <string.h>

void pl_midedge_free(pl_midedge *s) {
  if (!s) return;
  pl_free(s->env, s->vertex);
  pl_free(s->env, s->xi);
  pl_free(s->env, s->edge_xi);
  pl_free(s->env, s->edge_at);
  pl_free(s->env, s->edge_clamped);
  pl_free(s->env, s->edge_plane);
  pl_free(s->env, s->copy_plane);
  pl_free(s->env, s->copy_part);
  pl_free(s->env, s->copy);
  pl_free(s->env, s->copy_at);
  pl_free(s->env, s);
}

static int edge_clamp(const pl_topology *t, const int *clamp, int e) {
  if (!clamp) return -1;
  int a = clamp[t->edge[2 * e]], b = clamp[t->edge[2 * e + 1]];
  return a == b ? a : -1;
}

// the vertex of the triangle across edge e, -1: none
static int vertex_across(const pl_mesh *m, const pl_topology *t, int tri, int e) {
  int other = t->edge_tri[2 * e] == tri ? t->edge_tri[2 * e + 1] : t->edge_tri[2 * e];
  if (other < 0) return -1;
  int k = 0;
  while (t->tri_edge[3 * other + k] != e) k++;
  return m->cell[PL_TRI3].v[3 * other + k];
}

static void fill_triangle(const pl_mesh *m, const pl_topology *t, const int *clamp, int tri,
                          pl_midedge *s) {
  const int *corner = m->cell[PL_TRI3].v + 3 * tri, *edge = t->tri_edge + 3 * tri;
  int *v = s->vertex + 6 * (size_t)tri, order[3] = {0, 1, 2};

  // lowest vertex first: the kernel knows the directions of the edges by this order
  for (int a = 1; a < 3; a++)
    for (int b = a; b > 0 && corner[order[b - 1]] > corner[order[b]]; b--) {
      int swap = order[b];
      order[b] = order[b - 1];
      order[b - 1] = swap;
    }
  for (int i = 0; i < 3; i++) {
    int e = edge[order[i]], own = corner[order[i]], c = edge_clamp(t, clamp, e);
    int across = c < 0 ? vertex_across(m, t, tri, e) : -1;
    v[i] = own;
    v[3 + i] = across < 0 ? own : across;
    if (c >= 0 && clamp[own] != c) {
      s->copy[s->ncopy] = own;
      s->copy_at[s->ncopy] = t->edge[2 * e];
      v[3 + i] = m->nvert + s->ncopy++;
    }
    s->xi[3 * (size_t)tri + (size_t)i] = s->edge_xi[e];
  }
}

static pl_status build(const pl_mesh *m, const pl_topology *t, const int *clamp, pl_midedge *s) {
  size_t ntri = (size_t)s->ntri, most = 0;
  for (int e = 0; e < t->nedge; e++) most += edge_clamp(t, clamp, e) >= 0 ? 2 : 0;
  s->vertex = pl_alloc(s->env, ntri, 6 * sizeof *s->vertex);
  s->xi = pl_alloc(s->env, ntri, 3 * sizeof *s->xi);
  s->nedge = t->nedge;
  s->edge_xi = pl_alloc(s->env, (size_t)t->nedge, sizeof *s->edge_xi);
  s->edge_at = pl_alloc(s->env, (size_t)t->nedge, sizeof *s->edge_at);
  s->edge_clamped = pl_alloc(s->env, (size_t)t->nedge, sizeof *s->edge_clamped);
  s->copy = pl_alloc(s->env, most, sizeof *s->copy);
  s->copy_at = pl_alloc(s->env, most, sizeof *s->copy_at);
  int ok =
      s->vertex && s->xi && s->edge_xi && s->edge_at && s->edge_clamped && s->copy && s->copy_at;
  for (int e = 0; ok && e < t->nedge; e++) {
    int held = edge_clamp(t, clamp, e) >= 0;
    s->edge_at[e] = t->edge[2 * e];
    s->edge_clamped[e] = held ? t->edge[2 * e] : -1;
    s->edge_xi[e] = held ? -1 : s->nxi++;
  }
  for (int k = 0; ok && k < s->ntri; k++) fill_triangle(m, t, clamp, k, s);
  return ok ? PL_OK : PL_E_NOMEM;
}

pl_status pl_midedge_create(const pl_mesh *m, const pl_topology *t, const int *clamp,
                            pl_midedge **out) {
  *out = NULL;
  pl_midedge *s = pl_alloc(m->env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  *s = (pl_midedge){
      .env = m->env, .ntri = m->cell[PL_TRI3].n, .nvert = m->nvert, .nown = 6, .nscal = 3};
  pl_status status = build(m, t, clamp, s);
  if (status != PL_OK) {
    pl_midedge_free(s);
    return status;
  }
  *out = s;
  return PL_OK;
}

void pl_midedge_stencil(const pl_midedge *s, const int *node, int first, int *stencil) {
  size_t nown = (size_t)s->nown, nscal = (size_t)s->nscal;
  for (size_t k = 0; k < (size_t)s->ntri; k++) {
    int *to = stencil + (nown + nscal) * k;
    for (size_t i = 0; i < nown; i++) {
      int v = s->vertex[nown * k + i];
      to[i] = node ? node[v] : v;
    }
    for (size_t i = 0; i < nscal; i++) {
      int xi = s->xi[nscal * k + i];
      to[nown + i] = xi < 0 ? -1 : first + xi;
    }
  }
}
