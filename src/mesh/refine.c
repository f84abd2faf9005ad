#include "mesh_impl.h"

#include "pliant/math.h"

#include <limits.h>
#include <string.h>

// new vertices: the old ones, one per edge, one per quad (own or face of a hex), one per hex
typedef struct plan {
  const pl_mesh *m;
  int ntuple[2], ngroup[2]; // edges, quads: over all cells, and different ones
  int *key[2];              // [ntuple][2 or 4] their vertices, ascending
  int *order[2], *id[2];    // [ntuple]
  int first_edge, first_quad, first_hex, nvert;
} plan;

static const int nchild[PL_CELL_COUNT] = {2, 4, 4, 8, 8, 1, 1, 1, 1, 1}; // none of second order

static void edge_keys(const pl_mesh *m, int *key) {
  for (int t = 0; t < PL_CELL_COUNT; t++)
    for (int i = 0; i < m->cell[t].n; i++)
      for (int e = 0; e < mesh_nedge[t]; e++, key += 2) {
        for (int k = 0; k < 2; k++)
          key[k] = m->cell[t].v[i * pl_cell_nvert[t] + mesh_edge[t][e][k]];
        mesh_sort_row(2, key);
      }
}

static void quad_keys(const pl_mesh *m, int *key) {
  for (int i = 0; i < m->cell[PL_QUAD4].n; i++, key += 4) {
    memcpy(key, m->cell[PL_QUAD4].v + 4 * i, 4 * sizeof *key);
    mesh_sort_row(4, key);
  }
  for (int i = 0; i < m->cell[PL_HEX8].n; i++)
    for (int f = 0; f < 6; f++, key += 4) {
      for (int k = 0; k < 4; k++) key[k] = m->cell[PL_HEX8].v[8 * i + mesh_hex_face[f][k]];
      mesh_sort_row(4, key);
    }
}

static pl_status make_plan(plan *p) {
  const pl_mesh *m = p->m;
  double n[2] = {0, m->cell[PL_QUAD4].n + 6.0 * m->cell[PL_HEX8].n};
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    n[0] += (double)m->cell[t].n * mesh_nedge[t];
    if (m->cell[t].n > INT_MAX / (nchild[t] * pl_cell_nvert[t])) n[0] = INFINITY;
  }
  if (n[0] > MESH_VERT_MAX || n[1] > MESH_VERT_MAX)
    return pl_fail(m->env, PL_E_INPUT, "%s: too large to refine", m->source);
  for (int w = 0; w < 2; w++) {
    size_t count = (size_t)n[w], width = w ? 4 : 2;
    p->ntuple[w] = (int)n[w];
    p->key[w] = pl_alloc(m->env, count, width * sizeof(int));
    p->order[w] = pl_alloc(m->env, count, sizeof(int));
    p->id[w] = pl_alloc(m->env, count, sizeof(int));
    if (!p->key[w] || !p->order[w] || !p->id[w]) return PL_E_NOMEM;
    if (w == 0)
      edge_keys(m, p->key[0]);
    else
      quad_keys(m, p->key[1]);
    PL_TRY(mesh_group(m->env, m->nvert, (int)width, p->ntuple[w], p->key[w], p->order[w], p->id[w],
                      &p->ngroup[w]));
  }
  double total = (double)m->nvert + p->ngroup[0] + p->ngroup[1] + m->cell[PL_HEX8].n;
  if (total > MESH_VERT_MAX)
    return pl_fail(m->env, PL_E_INPUT, "%s: too large to refine", m->source);
  p->first_edge = m->nvert;
  p->first_quad = p->first_edge + p->ngroup[0];
  p->first_hex = p->first_quad + p->ngroup[1];
  p->nvert = (int)total;
  return PL_OK;
}

// vertices that new vertex i stands in the middle of; returns their count
static int parents(const plan *p, const int *first[2], int i, const int **v) {
  if (i < p->first_quad) {
    *v = p->key[0] + 2 * (size_t)first[0][i - p->first_edge];
    return 2;
  }
  if (i < p->first_hex) {
    *v = p->key[1] + 4 * (size_t)first[1][i - p->first_quad];
    return 4;
  }
  *v = p->m->cell[PL_HEX8].v + 8 * (size_t)(i - p->first_hex);
  return 8;
}

static void place_vertices(const plan *p, const int *first[2], double *X) {
  memcpy(X, p->m->X, (size_t)p->m->nvert * 3 * sizeof *X);
  for (int i = p->m->nvert; i < p->nvert; i++) {
    const int *v;
    int n = parents(p, first, i, &v);
    for (int d = 0; d < 3; d++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += p->m->X[3 * v[k] + d];
      X[3 * i + d] = sum / n;
    }
  }
}

// ---- children ---------------------------------------------------------------------------------

// the three inner diagonals of a tet's octahedron as edge numbers, then the ring round each
static const int diagonal[3][6] = {{0, 5, 2, 3, 4, 1}, {1, 3, 0, 4, 5, 2}, {2, 4, 0, 1, 5, 3}};

static int shortest_diagonal(const double *X, const int *mid) {
  int best = 0;
  double least = INFINITY;
  for (int k = 0; k < 3; k++) {
    double d[3];
    pl_sub3(X + 3 * mid[diagonal[k][0]], X + 3 * mid[diagonal[k][1]], d);

    // equal lengths up to rounding keep the first, so that like cells are cut alike
    if (pl_norm3(d) < least * (1 - 1e-9)) {
      least = pl_norm3(d);
      best = k;
    }
  }
  return best;
}

void mesh_split_tet(const double *X, const int *v, const int *mid, int *out) {
  static const int between[4][4] = {{-1, 0, 2, 3}, {0, -1, 1, 4}, {2, 1, -1, 5}, {3, 4, 5, -1}};
  for (int c = 0; c < 4; c++)
    for (int k = 0; k < 4; k++) *out++ = c == k ? v[c] : mid[between[c][k]];
  const int *d = diagonal[shortest_diagonal(X, mid)];
  for (int k = 0; k < 4; k++) {
    *out++ = mid[d[0]];
    *out++ = mid[d[2 + k]];
    *out++ = mid[d[2 + (k + 1) % 4]];
    *out++ = mid[d[1]];
  }
}

static void split_triangle(const int *v, const int *mid, int *out) {
  for (int c = 0; c < 3; c++) {
    *out++ = v[c];
    *out++ = mid[c];
    *out++ = mid[(c + 2) % 3];
  }
  for (int c = 0; c < 3; c++) *out++ = mid[c];
}

static void split_quad(const int *v, const int *mid, int centre, int *out) {
  for (int c = 0; c < 4; c++) {
    *out++ = v[c];
    *out++ = mid[c];
    *out++ = centre;
    *out++ = mid[(c + 3) % 4];
  }
}

// corners, edges, faces and centre of a hex as a 3 x 3 x 3 lattice, number a + 3 b + 9 c
static void split_hex(const int *v, const int *mid, const int *face, int centre, int *out) {
  static const int at[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                               {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  static const int middle[6] = {12, 14, 10, 16, 4, 22}; // the faces of mesh_hex_face
  int node[27], lattice[8];
  for (int k = 0; k < 8; k++) {
    lattice[k] = 2 * (at[k][0] + 3 * at[k][1] + 9 * at[k][2]);
    node[lattice[k]] = v[k];
  }
  for (int e = 0; e < 12; e++)
    node[(lattice[mesh_edge[PL_HEX8][e][0]] + lattice[mesh_edge[PL_HEX8][e][1]]) / 2] = mid[e];
  for (int f = 0; f < 6; f++) node[middle[f]] = face[f];
  node[13] = centre;
  for (int c = 0; c < 8; c++)
    for (int k = 0; k < 8; k++) *out++ = node[(lattice[c] + lattice[k]) / 2];
}

static void split_cells(const plan *p, pl_mesh *r, int t) {
  const int *edge = p->id[0], *quad = p->id[1];
  for (int s = 0; s < t; s++) edge += (size_t)p->m->cell[s].n * (size_t)mesh_nedge[s];
  if (t == PL_HEX8) quad += p->m->cell[PL_QUAD4].n;
  int nv = pl_cell_nvert[t];
  for (int i = 0; i < p->m->cell[t].n; i++) {
    const int *v = p->m->cell[t].v + nv * i;
    int *out = r->cell[t].v + nchild[t] * nv * i, mid[12], face[6];
    for (int e = 0; e < mesh_nedge[t]; e++) mid[e] = p->first_edge + *edge++;
    for (int f = 0; f < (t == PL_QUAD4 ? 1 : t == PL_HEX8 ? 6 : 0); f++)
      face[f] = p->first_quad + *quad++;
    if (t == PL_SEG2)
      memcpy(out, (int[]){v[0], mid[0], mid[0], v[1]}, 4 * sizeof *out);
    else if (t == PL_TRI3)
      split_triangle(v, mid, out);
    else if (t == PL_QUAD4)
      split_quad(v, mid, face[0], out);
    else if (t == PL_TET4)
      mesh_split_tet(r->X, v, mid, out);
    else
      split_hex(v, mid, face, p->first_hex + i, out);
  }
}

// ---- sets -------------------------------------------------------------------------------------

// a new vertex joins a set when all its parents are in it; list [nvert], in [nvert] zeroed
static int grow_set(const plan *p, const int *first[2], const pl_set *s, char *in, int *list) {
  int n = 0;
  for (int i = 0; i < s->n; i++) in[s->index[i]] = 1;
  for (int i = 0; i < p->nvert; i++) {
    int all = 1;
    if (i < p->m->nvert) {
      all = in[i];
    } else {
      const int *v;
      int np = parents(p, first, i, &v);
      for (int k = 0; k < np && all; k++) all = in[v[k]];
    }
    if (all) list[n++] = i;
  }
  for (int i = 0; i < s->n; i++) in[s->index[i]] = 0;
  return n;
}

static pl_status vertex_sets(const plan *p, const int *first[2], pl_mesh *r) {
  char *in = pl_alloc(r->env, (size_t)p->m->nvert, 1);
  int *list = pl_alloc(r->env, (size_t)p->nvert, sizeof *list);
  pl_status s = in && list ? PL_OK : PL_E_NOMEM;
  for (int k = 0; k < p->m->nset && s == PL_OK; k++) {
    const pl_set *set = &p->m->set[k];
    if (set->type >= 0) continue;
    int n = grow_set(p, first, set, in, list);
    s = pl_mesh_add_set(r, set->name, -1, n, list);
  }
  pl_free(r->env, in);
  pl_free(r->env, list);
  return s;
}

static pl_status cell_sets(const pl_mesh *m, pl_mesh *r) {
  for (int k = 0; k < m->nset; k++) {
    const pl_set *set = &m->set[k];
    if (set->type < 0) continue;
    int c = nchild[set->type];
    int *list = pl_alloc(r->env, (size_t)set->n * (size_t)c, sizeof *list);
    if (!list) return PL_E_NOMEM;
    for (int i = 0; i < set->n * c; i++) list[i] = set->index[i / c] * c + i % c;
    pl_status s = pl_mesh_add_set(r, set->name, set->type, set->n * c, list);
    pl_free(r->env, list);
    PL_TRY(s);
  }
  return PL_OK;
}

// ---- the whole --------------------------------------------------------------------------------

static pl_status fill(const plan *p, const int *first[2], pl_mesh *r) {
  place_vertices(p, first, r->X);
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    PL_TRY(pl_mesh_set_cells(r, (pl_cell_type)t, p->m->cell[t].n * nchild[t]));
    split_cells(p, r, t);
  }
  PL_TRY(vertex_sets(p, first, r));
  return cell_sets(p->m, r);
}

static pl_status refine(plan *p, pl_mesh *r) {
  // a row of each group, to find the parents of a new vertex
  int *first[2];
  for (int w = 0; w < 2; w++) {
    first[w] = p->order[w];
    for (int i = 0, g = 0; i < p->ntuple[w]; i++)
      if (p->id[w][p->order[w][i]] == g) first[w][g++] = p->order[w][i];
  }
  return fill(p, (const int *[2]){first[0], first[1]}, r);
}

pl_status pl_mesh_refine(const pl_mesh *m, pl_mesh **out) {
  *out = NULL;
  PL_TRY(mesh_check_indices(m));
  for (int t = PL_SEG3; t < PL_CELL_COUNT; t++)
    if (m->cell[t].n > 0) return mesh_refine_curved(m, out);
  plan p = {.m = m};
  pl_mesh *r = NULL;
  pl_status s = make_plan(&p);
  if (s == PL_OK) s = pl_mesh_create(m->env, m->source, p.nvert, &r);
  if (s == PL_OK) s = refine(&p, r);
  for (int w = 0; w < 2; w++) {
    pl_free(m->env, p.key[w]);
    pl_free(m->env, p.order[w]);
    pl_free(m->env, p.id[w]);
  }
  if (s == PL_OK)
    *out = r;
  else
    pl_mesh_free(r);
  return s;
}
