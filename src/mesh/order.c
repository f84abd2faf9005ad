// Cells of first and second order: mid-side vertices added, dropped, or made corners.
#include "mesh_impl.h"

#include <limits.h>
#include <string.h>

// ---- raising ------------------------------------------------------------------------------------

// edges of the cells that are raised, and behind them those that have a vertex in the middle
typedef struct sides {
  const pl_mesh *m;
  const char *raise; // [PL_CELL_COUNT]
  int n, ngroup;
  int *key;        // [n][2] their ends, ascending
  int *order, *id; // [n]
  int *middle;     // [ngroup] vertex of each: one that is there, or a new one behind these
  int nnew;
} sides;

static int is_second(int t) {
  return pl_cell_corners[t] != (pl_cell_type)t;
}

static double count_sides(const sides *s, int raised) {
  double n = 0;
  for (int t = 0; t < PL_CELL_COUNT; t++)
    if (raised ? s->raise[t] : is_second(t)) n += (double)s->m->cell[t].n * mesh_nedge[t];
  return n;
}

static int *list_sides(const pl_mesh *m, int t, int *key) {
  for (int i = 0; i < m->cell[t].n; i++)
    for (int e = 0; e < mesh_nedge[t]; e++, key += 2) {
      for (int k = 0; k < 2; k++) key[k] = m->cell[t].v[i * pl_cell_nvert[t] + mesh_edge[t][e][k]];
      mesh_sort_row(2, key);
    }
  return key;
}

// Where cells of both orders meet, the vertex of their common edge is the one that is there.
static pl_status find_middles(sides *s) {
  const pl_mesh *m = s->m;
  s->middle = pl_alloc(m->env, (size_t)s->ngroup, sizeof *s->middle);
  if (!s->middle) return PL_E_NOMEM;
  for (int g = 0; g < s->ngroup; g++) s->middle[g] = -1;
  const int *id = s->id + (size_t)count_sides(s, 1);
  for (int t = 0; t < PL_CELL_COUNT; t++)
    for (int i = 0; is_second(t) && i < m->cell[t].n; i++)
      for (int e = 0; e < mesh_nedge[t]; e++, id++)
        s->middle[*id] = m->cell[t].v[i * pl_cell_nvert[t] + pl_cell_nvert[pl_cell_corners[t]] + e];
  for (int g = 0; g < s->ngroup; g++)
    if (s->middle[g] < 0) s->middle[g] = m->nvert + s->nnew++;
  return PL_OK;
}

static pl_status find_sides(sides *s) {
  const pl_mesh *m = s->m;
  double raised = count_sides(s, 1), n = raised + count_sides(s, 0);
  if (raised + m->nvert > MESH_VERT_MAX || n > INT_MAX / 2)
    return pl_fail(m->env, PL_E_INPUT, "%s: too large for mid-side vertices", m->source);
  s->n = (int)n;
  s->key = pl_alloc(m->env, (size_t)s->n, 2 * sizeof *s->key);
  s->order = pl_alloc(m->env, (size_t)s->n, sizeof *s->order);
  s->id = pl_alloc(m->env, (size_t)s->n, sizeof *s->id);
  if (!s->key || !s->order || !s->id) return PL_E_NOMEM;
  int *key = s->key;
  for (int t = 0; t < PL_CELL_COUNT; t++)
    if (s->raise[t]) key = list_sides(m, t, key);
  for (int t = 0; t < PL_CELL_COUNT; t++)
    if (is_second(t)) key = list_sides(m, t, key);
  PL_TRY(mesh_group(m->env, m->nvert, 2, s->n, s->key, s->order, s->id, &s->ngroup));
  return find_middles(s);
}

static int second_order(int type) {
  for (int t = 0; t < PL_CELL_COUNT; t++)
    if (t != type && pl_cell_corners[t] == (pl_cell_type)type) return t;
  return type;
}

// cells of a type behind those of its second order that are there already
static pl_status raise_cells(const sides *s, int t, const int *id, pl_mesh *r) {
  const pl_mesh *m = s->m;
  int to = second_order(t), old = m->cell[to].n, n = m->cell[t].n, nv = pl_cell_nvert[t];
  int width = pl_cell_nvert[to];
  if (n > INT_MAX / width - old)
    return pl_fail(m->env, PL_E_INPUT, "%s: too large for mid-side vertices", m->source);
  PL_TRY(pl_mesh_set_cells(r, (pl_cell_type)to, old + n));
  if (old > 0) memcpy(r->cell[to].v, m->cell[to].v, (size_t)old * (size_t)width * sizeof(int));
  for (int i = 0; i < n; i++) {
    int *v = r->cell[to].v + (size_t)(old + i) * (size_t)width;
    memcpy(v, m->cell[t].v + (size_t)i * (size_t)nv, (size_t)nv * sizeof *v);
    for (int e = 0; e < mesh_nedge[t]; e++) v[nv + e] = s->middle[*id++];
  }
  return PL_OK;
}

static pl_status copy_cells(const pl_mesh *m, int t, pl_mesh *r) {
  PL_TRY(pl_mesh_set_cells(r, (pl_cell_type)t, m->cell[t].n));
  if (m->cell[t].n > 0)
    memcpy(r->cell[t].v, m->cell[t].v,
           (size_t)m->cell[t].n * (size_t)pl_cell_nvert[t] * sizeof(int));
  return PL_OK;
}

// sets of cells follow the cells; a mid-side vertex joins a set of vertices that has both its ends
static pl_status raise_set(const sides *s, const pl_set *set, const int *first, char *in, int *list,
                           pl_mesh *r) {
  const pl_mesh *m = s->m;
  if (set->type >= 0 && !s->raise[set->type])
    return pl_mesh_add_set(r, set->name, set->type, set->n, set->index);
  if (set->type >= 0) {
    int to = second_order(set->type);
    for (int i = 0; i < set->n; i++) list[i] = m->cell[to].n + set->index[i];
    return pl_mesh_add_set(r, set->name, to, set->n, list);
  }
  int n = 0;
  for (int i = 0; i < set->n; i++) in[set->index[i]] = 1;
  for (int i = 0; i < set->n; i++) list[n++] = set->index[i];
  for (int g = 0; g < s->ngroup; g++) {
    const int *ends = s->key + 2 * (size_t)first[g];
    if (s->middle[g] >= m->nvert && in[ends[0]] && in[ends[1]]) list[n++] = s->middle[g];
  }
  for (int i = 0; i < set->n; i++) in[set->index[i]] = 0;
  return pl_mesh_add_set(r, set->name, -1, n, list);
}

static pl_status raise_sets(const sides *s, const int *first, pl_mesh *r) {
  const pl_mesh *m = s->m;
  size_t most = (size_t)r->nvert;
  for (int t = 0; t < PL_CELL_COUNT; t++)
    if ((size_t)m->cell[t].n > most) most = (size_t)m->cell[t].n;
  char *in = pl_alloc(m->env, (size_t)m->nvert, 1);
  int *list = pl_alloc(m->env, most, sizeof *list);
  pl_status st = in && list ? PL_OK : PL_E_NOMEM;
  for (int k = 0; k < m->nset && st == PL_OK; k++)
    st = raise_set(s, &m->set[k], first, in, list, r);
  pl_free(m->env, in);
  pl_free(m->env, list);
  return st;
}

static pl_status fill_raised(sides *s, pl_mesh *r) {
  const pl_mesh *m = s->m;
  // a row of each group; order is not needed any more
  int *first = s->order;
  for (int i = 0, g = 0; i < s->n; i++)
    if (s->id[s->order[i]] == g) first[g++] = s->order[i];
  memcpy(r->X, m->X, 3 * (size_t)m->nvert * sizeof *r->X);
  for (int g = 0; g < s->ngroup; g++)
    for (int d = 0; d < 3 && s->middle[g] >= m->nvert; d++) {
      const int *ends = s->key + 2 * (size_t)first[g];
      r->X[3 * (size_t)s->middle[g] + d] =
          0.5 * (m->X[3 * (size_t)ends[0] + d] + m->X[3 * (size_t)ends[1] + d]);
    }
  const int *id = s->id;
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    if (!s->raise[t]) {
      if (r->cell[t].n == 0) PL_TRY(copy_cells(m, t, r));
      continue;
    }
    PL_TRY(raise_cells(s, t, id, r));
    id += (size_t)m->cell[t].n * (size_t)mesh_nedge[t];
  }
  return raise_sets(s, first, r);
}

pl_status pl_mesh_raise(const pl_mesh *m, int tets, int hexes, pl_mesh **out) {
  const char raise[PL_CELL_COUNT] = {[PL_SEG2] = 1,
                                     [PL_TRI3] = tets != 0,
                                     [PL_TET4] = tets != 0,
                                     [PL_QUAD4] = hexes != 0,
                                     [PL_HEX8] = hexes != 0};
  sides s = {.m = m, .raise = raise};
  pl_mesh *r = NULL;
  *out = NULL;
  PL_TRY(mesh_check_indices(m));
  pl_status st = find_sides(&s);
  if (st == PL_OK) st = pl_mesh_create(m->env, m->source, m->nvert + s.nnew, &r);
  if (st == PL_OK) st = fill_raised(&s, r);
  pl_free(m->env, s.key);
  pl_free(m->env, s.order);
  pl_free(m->env, s.id);
  pl_free(m->env, s.middle);
  if (st == PL_OK)
    *out = r;
  else
    pl_mesh_free(r);
  return st;
}

// ---- lowering -----------------------------------------------------------------------------------

// children of a cell of second order, by its own vertices, and their type
static const struct {
  int n;
  pl_cell_type type;
  int v[6][3];
} pieces[PL_CELL_COUNT] = {
    [PL_SEG3] = {2, PL_SEG2, {{0, 2}, {2, 1}}},
    [PL_TRI6] = {4, PL_TRI3, {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}}},
    [PL_QUAD8] = {6, PL_TRI3, {{0, 4, 7}, {4, 1, 5}, {5, 2, 6}, {6, 3, 7}, {4, 5, 6}, {4, 6, 7}}},
};

int mesh_face_pieces(int type, const int *v, int *tri) {
  for (int k = 0; k < pieces[type].n; k++)
    for (int c = 0; c < 3; c++) tri[3 * k + c] = v[pieces[type].v[k][c]];
  return pieces[type].n;
}

// the cells that a cell of type t becomes: of which type, and how many
static int becomes(int t, int corners, int *type) {
  if (t == PL_TET10 && !corners) {
    *type = PL_TET4;
    return 8;
  }
  *type = !corners && pieces[t].n ? (int)pieces[t].type : (int)pl_cell_corners[t];
  return !corners && pieces[t].n ? pieces[t].n : 1;
}

static pl_status lower_sets(const pl_mesh *m, int corners, const int *first, pl_mesh *r) {
  for (int k = 0; k < m->nset; k++) {
    const pl_set *set = &m->set[k];
    int type = -1, n = set->type < 0 ? 1 : becomes(set->type, corners, &type);
    int *list = pl_alloc(m->env, (size_t)set->n * (size_t)n, sizeof *list);
    if (!list) return PL_E_NOMEM;
    for (int i = 0; i < set->n * n; i++)
      list[i] = (set->type < 0 ? 0 : first[set->type]) + set->index[i / n] * n + i % n;
    pl_status s = pl_mesh_add_set(r, set->name, type, set->n * n, list);
    pl_free(m->env, list);
    PL_TRY(s);
  }
  return PL_OK;
}

// corners: cells keep their corners alone
static pl_status lower(const pl_mesh *m, int corners, pl_mesh *r) {
  int first[PL_CELL_COUNT] = {0}, count[PL_CELL_COUNT] = {0}, type;
  memcpy(r->X, m->X, 3 * (size_t)m->nvert * sizeof *r->X);
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    int n = becomes(t, corners, &type);
    first[t] = count[type];
    if (m->cell[t].n > (INT_MAX / 8 - count[type]) / n)
      return pl_fail(m->env, PL_E_INPUT, "%s: too many cells", m->source);
    count[type] += n * m->cell[t].n;
  }
  for (int t = 0; t < PL_CELL_COUNT; t++) PL_TRY(pl_mesh_set_cells(r, (pl_cell_type)t, count[t]));
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    int n = becomes(t, corners, &type), nv = pl_cell_nvert[type];
    int *to = r->cell[type].v ? r->cell[type].v + (size_t)first[t] * (size_t)nv : NULL;
    for (int i = 0; i < m->cell[t].n; i++, to += n * nv) {
      const int *v = m->cell[t].v + (size_t)i * (size_t)pl_cell_nvert[t];
      if (n == 8) mesh_split_tet(m->X, v, v + 4, to);
      for (int k = 0; k < n && n < 8; k++)
        for (int c = 0; c < nv; c++) to[k * nv + c] = v[n == 1 ? c : pieces[t].v[k][c]];
    }
  }
  return lower_sets(m, corners, first, r);
}

pl_status pl_mesh_lower(const pl_mesh *m, int corners, pl_mesh **out) {
  pl_mesh *r = NULL;
  *out = NULL;
  PL_TRY(mesh_check_indices(m));
  PL_TRY(pl_mesh_create(m->env, m->source, m->nvert, &r));
  pl_status s = lower(m, corners, r);
  if (s == PL_OK && corners) s = pl_mesh_drop_unused(r, NULL);
  if (s == PL_OK)
    *out = r;
  else
    pl_mesh_free(r);
  return s;
}

// ---- refining -----------------------------------------------------------------------------------

// where node a of a quadratic tetrahedron stands, in barycentric coordinates
static void node_place(int a, double *l) {
  memset(l, 0, 4 * sizeof *l);
  if (a < 4) l[a] = 1;
  for (int k = 0; k < 2 && a >= 4; k++) l[mesh_edge[PL_TET10][a - 4][k]] = 0.5;
}

static void shape(const double *X, const int *v, const double *l, double *x) {
  for (int d = 0; d < 3; d++) {
    x[d] = 0;
    for (int a = 0; a < 4; a++) x[d] += l[a] * (2 * l[a] - 1) * X[3 * (size_t)v[a] + d];
    for (int e = 0; e < 6; e++) {
      const int *ends = mesh_edge[PL_TET10][e];
      x[d] += 4 * l[ends[0]] * l[ends[1]] * X[3 * (size_t)v[4 + e] + d];
    }
  }
}

// puts the vertices on the edges of the 8 children onto the curved parent
static void place_children(const pl_mesh *m, int parent, pl_mesh *r) {
  const int *v = m->cell[PL_TET10].v + 10 * (size_t)parent;
  for (int k = 0; k < 8; k++) {
    const int *u = r->cell[PL_TET10].v + 10 * (8 * (size_t)parent + (size_t)k);
    double at[4][4];
    for (int c = 0; c < 4; c++) {
      int a = 0;
      while (v[a] != u[c]) a++;
      node_place(a, at[c]);
    }
    for (int e = 0; e < 6; e++) {
      double l[4];
      const int *ends = mesh_edge[PL_TET10][e];
      for (int c = 0; c < 4; c++) l[c] = 0.5 * (at[ends[0]][c] + at[ends[1]][c]);
      shape(m->X, v, l, r->X + 3 * (size_t)u[4 + e]);
    }
  }
}

pl_status mesh_refine_curved(const pl_mesh *m, pl_mesh **out) {
  static const pl_cell_type others[] = {PL_QUAD4, PL_TET4, PL_HEX8, PL_QUAD8, PL_HEX20};
  pl_mesh *fine = NULL;
  *out = NULL;
  for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
    if (m->cell[others[k]].n > 0)
      return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0,
                        "make a finer mesh where it comes from",
                        "of cells of second order, only tetrahedra by themselves can be refined");
  PL_TRY(pl_mesh_lower(m, 0, &fine));
  pl_status s = pl_mesh_raise(fine, 1, 0, out);
  pl_mesh_free(fine);
  for (int i = 0; s == PL_OK && i < m->cell[PL_TET10].n; i++) place_children(m, i, *out);
  return s;
}
