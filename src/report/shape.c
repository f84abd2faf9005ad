#include "report_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- faces ------------------------------------------------------------------------------------

// neighbours of each corner along the edges of quads and hexes, as bits
static const unsigned quad_next[4] = {0x0a, 0x05, 0x0a, 0x05};
static const unsigned hex_next[8] = {0x1a, 0x25, 0x4a, 0x85, 0xa1, 0x52, 0xa4, 0x58};

// type of the cell with this number counted over all cells; *index is its number in its type
static int cell_type(const pl_mesh *m, int number, int *index) {
  int type = 0;
  while (type < PL_CELL_COUNT - 1 && number >= m->cell[type].n) number -= m->cell[type++].n;
  *index = number;
  return type;
}

// 1 when the edge a-b only cuts a face of its quad or hex in two
static int is_diagonal(const pl_mesh *m, int owner, int a, int b) {
  int index, type = cell_type(m, owner, &index);
  if (type != PL_QUAD4 && type != PL_HEX8) return 0;
  int n = pl_cell_nvert[type], at[2] = {-1, -1};
  const int *v = m->cell[type].v + (size_t)n * (size_t)index;
  for (int k = 0; k < n; k++) {
    if (v[k] == a) at[0] = k;
    if (v[k] == b) at[1] = k;
  }
  if (at[0] < 0 || at[1] < 0) return 0;
  return !((type == PL_QUAD4 ? quad_next : hex_next)[at[0]] >> at[1] & 1u);
}

// joins two triangles of one owner over their common diagonal
static int join(const pl_mesh *m, const int *t, const int *u, int owner, rp_face *f) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = t[(i + 1) % 3], b = t[(i + 2) % 3];
      // the second triangle runs along the common edge the other way
      if (u[(j + 1) % 3] != b || u[(j + 2) % 3] != a || !is_diagonal(m, owner, a, b)) continue;
      *f = (rp_face){.v = {t[i], a, u[j], b}, .n = 4};
      return 1;
    }
  return 0;
}

static pl_status collect_faces(rp_shape *s, const pl_mesh *m) {
  int ntri = 0, *tri = NULL, *cell = NULL;
  PL_TRY(pl_mesh_surface(m, &ntri, &tri, &cell));
  s->face = pl_alloc(s->env, (size_t)ntri, sizeof *s->face);
  for (int i = 0; s->face && i < ntri;) {
    rp_face *f = &s->face[s->nface++];
    const int *t = tri + 3 * (size_t)i;
    int joined = i + 1 < ntri && cell[i] == cell[i + 1] && join(m, t, t + 3, cell[i], f);
    if (!joined) *f = (rp_face){.v = {t[0], t[1], t[2]}, .n = 3};
    int index, type = cell_type(m, cell[i], &index);
    f->solid = pl_cell_dim[type] == 3;
    f->tri = type == PL_TRI3 ? index : -1;
    i += joined ? 2 : 1;
  }
  pl_free(m->env, tri);
  pl_free(m->env, cell);
  return s->face ? PL_OK : PL_E_NOMEM;
}

static pl_status collect_segments(rp_shape *s, const pl_mesh *m) {
  s->nseg = m->cell[PL_SEG2].n;
  s->seg = pl_alloc(s->env, (size_t)s->nseg, sizeof *s->seg);
  if (!s->seg) return PL_E_NOMEM;
  for (int k = 0; k < 2 * s->nseg; k++) s->seg[k / 2][k % 2] = m->cell[PL_SEG2].v[k];
  return PL_OK;
}

// vertices that no cell uses: point masses and the like
static pl_status collect_lone(rp_shape *s, const pl_mesh *m) {
  char *used = pl_alloc(s->env, (size_t)m->nvert, 1);
  s->lone = pl_alloc(s->env, (size_t)m->nvert, sizeof *s->lone);
  if (used && s->lone) {
    for (int type = 0; type < PL_CELL_COUNT; type++)
      for (int k = 0; k < m->cell[type].n * pl_cell_nvert[type]; k++) used[m->cell[type].v[k]] = 1;
    for (int v = 0; v < m->nvert && s->nlone < RP_FACES; v++)
      if (!used[v]) s->lone[s->nlone++] = v;
  }
  pl_status status = used && s->lone ? PL_OK : PL_E_NOMEM;
  pl_free(s->env, used);
  return status;
}

// ---- thinning ---------------------------------------------------------------------------------

typedef struct keyed {
  long key;
  int vertex;
} keyed;

static int by_key(const void *a, const void *b) {
  const keyed *p = a, *q = b;
  if (p->key != q->key) return p->key < q->key ? -1 : 1;
  return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

// the first vertex of every cell of an n^3 grid over the box stands for the others in it
static void represent(const pl_mesh *m, int n, keyed *order, int *stand) {
  double lo[3], hi[3], size = 0;
  pl_mesh_bounds(m, lo, hi);
  for (int k = 0; k < 3; k++) size = fmax(size, hi[k] - lo[k]);
  for (int v = 0; v < m->nvert; v++) {
    long key = 0;
    for (int k = 0; k < 3; k++) {
      double at = size > 0 ? (m->X[3 * (size_t)v + k] - lo[k]) / size * n : 0;
      key = key * (n + 1) + (long)fmin(fmax(at, 0), n);
    }
    order[v] = (keyed){.key = key, .vertex = v};
  }
  qsort(order, (size_t)m->nvert, sizeof *order, by_key);
  for (int i = 0, first = 0; i < m->nvert; i++) {
    if (order[i].key != order[first].key) first = i;
    stand[order[i].vertex] = order[first].vertex;
  }
}

// a face with merged corners loses them; *out is what remains
static int remaining(const rp_face *f, const int *stand, rp_face *out) {
  *out = (rp_face){.solid = f->solid, .tri = f->tri};
  for (int k = 0; k < f->n; k++) {
    int v = stand[f->v[k]], known = 0;
    for (int j = 0; j < out->n; j++) known |= out->v[j] == v;
    if (!known) out->v[out->n++] = v;
  }
  return out->n >= 3;
}

static int count_remaining(const rp_shape *s, const int *stand) {
  int n = 0;
  rp_face out;
  for (int f = 0; f < s->nface; f++) n += remaining(&s->face[f], stand, &out);
  for (int i = 0; i < s->nseg; i++) n += stand[s->seg[i][0]] != stand[s->seg[i][1]];
  return n;
}

static pl_status thin(rp_shape *s, const pl_mesh *m, int most) {
  if (s->nface + s->nseg <= most) return PL_OK;
  keyed *order = pl_alloc(s->env, (size_t)m->nvert, sizeof *order);
  int *stand = pl_alloc(s->env, (size_t)m->nvert, sizeof *stand);
  if (order && stand) {
    int n = 400;
    do {
      n = n * 4 / 5;
      represent(m, n, order, stand);
    } while (n > 4 && count_remaining(s, stand) > most);
    int nface = 0, nseg = 0;
    for (int f = 0; f < s->nface; f++) {
      rp_face out;
      if (remaining(&s->face[f], stand, &out)) s->face[nface++] = out;
    }
    for (int i = 0; i < s->nseg; i++) {
      int a = stand[s->seg[i][0]], b = stand[s->seg[i][1]];
      s->seg[nseg][0] = a;
      s->seg[nseg][1] = b;
      nseg += a != b;
    }
    s->nface = nface;
    s->nseg = nseg;
  }
  pl_status status = order && stand ? PL_OK : PL_E_NOMEM;
  pl_free(s->env, order);
  pl_free(s->env, stand);
  return status;
}

// ---- edges ------------------------------------------------------------------------------------

typedef struct side {
  int lo, hi, face;
  int up; // the face runs from lo to hi
} side;

static int by_ends(const void *a, const void *b) {
  const side *p = a, *q = b;
  if (p->lo != q->lo) return p->lo < q->lo ? -1 : 1;
  if (p->hi != q->hi) return p->hi < q->hi ? -1 : 1;
  return (p->face > q->face) - (p->face < q->face);
}

static pl_status make_edges(rp_shape *s) {
  int n = 0;
  side *sides = pl_alloc(s->env, (size_t)s->nface, 4 * sizeof *sides);
  s->edge = pl_alloc(s->env, (size_t)s->nface, 4 * sizeof *s->edge);
  if (!sides || !s->edge) {
    pl_free(s->env, sides);
    return PL_E_NOMEM;
  }
  for (int f = 0; f < s->nface; f++)
    for (int k = 0; k < s->face[f].n; k++) {
      int a = s->face[f].v[k], b = s->face[f].v[(k + 1) % s->face[f].n];
      sides[n++] = (side){a < b ? a : b, a < b ? b : a, f, a < b};
    }
  qsort(sides, (size_t)n, sizeof *sides, by_ends);
  for (int i = 0; i < n; i++) {
    const side *d = &sides[i];
    int known = i > 0 && d[-1].lo == d->lo && d[-1].hi == d->hi;
    if (!known)
      s->edge[s->nedge++] = (rp_edge){.v = {d->lo, d->hi}, .face = {d->face, -1}, .nface = 1};
    else {
      rp_edge *e = &s->edge[s->nedge - 1];
      if (e->nface++ == 1) {
        e->face[1] = d->face;
        e->flipped = d[-1].up == d->up;
      }
    }
  }
  pl_free(s->env, sides);
  return PL_OK;
}

// ---- all --------------------------------------------------------------------------------------

pl_status rp_shape_create(pl_env *env, const pl_mesh *m, int most, rp_shape *out) {
  *out = (rp_shape){.env = env, .nvert = m->nvert};
  pl_status s = collect_faces(out, m);
  if (s == PL_OK) s = collect_segments(out, m);
  if (s == PL_OK) s = collect_lone(out, m);
  if (s == PL_OK) s = thin(out, m, most);
  if (s == PL_OK) s = make_edges(out);
  if (s != PL_OK) rp_shape_free(out);
  return s;
}

void rp_shape_free(rp_shape *s) {
  pl_free(s->env, s->face);
  pl_free(s->env, s->seg);
  pl_free(s->env, s->lone);
  pl_free(s->env, s->edge);
  *s = (rp_shape){.env = s->env};
}
