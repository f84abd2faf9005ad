// Which cells have stress, which of them share it at a node, and what bends them.
#include "recover_impl.h"

#include "pliant/math.h"

#include <stdlib.h>
#include <string.h>

static const double KINK = 0.86602540378443864676; // cosine of the angle from which sheets part

static int par_index(const pl_elem_kind *k, const char *name) {
  for (int i = 0; i < k->npar; i++)
    if (strcmp(k->par[i].name, name) == 0) return i;
  return -1;
}

// ---- cells --------------------------------------------------------------------------------------

static int has_stress(const pl_model *m, const pl_group_cells *cells, int g) {
  return cells[g].type >= 0 && pl_model_group_kind(m, g)->stress != NULL;
}

// elements may take the corners of their cells in another order
static void match_corners(const pl_model *m, rcell *c) {
  const pl_elem_kind *kind = pl_model_group_kind(m, c->group);
  const int *v =
      pl_model_group_stencil(m, c->group) + (size_t)c->elem * (size_t)(kind->nvert + kind->nscal);
  for (int a = 0; a < 4; a++) {
    c->perm[a] = a;
    for (int b = 0; a < pl_cell_nvert[pl_cell_corners[c->type]] && b < 4; b++)
      if (b <= pl_cell_dim[c->type] && c->v[b] == v[a]) c->perm[a] = b;
  }
}

static pl_status collect_cells(pl_recover *r, const pl_group_cells *cells) {
  recover_impl *k = r->impl;
  int offset[PL_CELL_COUNT], at = 0, n = 0;
  for (int t = 0; t < PL_CELL_COUNT; at += k->mesh->cell[t++].n) offset[t] = at;
  r->ncell = at;
  for (int g = 0; g < pl_model_ngroup(k->m); g++)
    if (has_stress(k->m, cells, g)) n += pl_model_group_size(k->m, g);
  k->cell = pl_alloc(r->env, (size_t)n, sizeof *k->cell);
  char *known = pl_alloc(r->env, (size_t)at, 1);
  r->known = known;
  if (!k->cell || !known) return PL_E_NOMEM;
  for (int g = 0; g < pl_model_ngroup(k->m); g++) {
    if (!has_stress(k->m, cells, g)) continue;
    pl_cell_type t = cells[g].type;
    double points[POINTS][3];
    for (int e = 0; e < pl_model_group_size(k->m, g); e++) {
      int c = cells[g].first + e;
      k->cell[k->n++] = (rcell){.group = g,
                                .elem = e,
                                .type = t,
                                .v = k->mesh->cell[t].v + (size_t)c * (size_t)pl_cell_nvert[t],
                                .index = offset[t] + c,
                                .first = k->nsample,
                                .npoint = recover_points(t, points),
                                .thickness = par_index(pl_model_group_kind(k->m, g), "thickness")};
      k->nsample += k->cell[k->n - 1].npoint;
      match_corners(k->m, &k->cell[k->n - 1]);
      known[offset[t] + c] = 1;
    }
  }
  return PL_OK;
}

static pl_status find_around(pl_recover *r) {
  recover_impl *k = r->impl;
  int nv = k->mesh->nvert, n = 0;
  for (int c = 0; c < k->n; c++) n += pl_cell_nvert[k->cell[c].type];
  k->around_ptr = pl_alloc(r->env, (size_t)nv + 2, sizeof(int));
  k->around = pl_alloc(r->env, (size_t)n, sizeof(int));
  k->slot_of = pl_alloc(r->env, (size_t)n, sizeof(int));
  if (!k->around_ptr || !k->around || !k->slot_of) return PL_E_NOMEM;
  for (int c = 0, at = 0; c < k->n; c++) {
    k->cell[c].slot0 = at;
    for (int a = 0; a < pl_cell_nvert[k->cell[c].type]; a++, at++)
      k->around_ptr[k->cell[c].v[a] + 2]++;
  }
  for (int v = 0; v <= nv; v++) k->around_ptr[v + 1] += k->around_ptr[v];
  for (int c = 0; c < k->n; c++)
    for (int a = 0; a < pl_cell_nvert[k->cell[c].type]; a++)
      k->around[k->around_ptr[k->cell[c].v[a] + 1]++] = c;
  return PL_OK;
}

// ---- parts --------------------------------------------------------------------------------------

// Cells that hang together: each leads to another one of its part, at last to the part's root.
typedef struct forest {
  int *of;
  char *flipped; // [n] 1: the cell is turned against the one that it leads to
} forest;

static int root(const forest *f, int i, int *flipped) {
  *flipped = 0;
  for (; f->of[i] != i; i = f->of[i]) *flipped ^= f->flipped[i];
  return i;
}

static void unite(const forest *f, int a, int b, int flipped) {
  int ta, tb, ra = root(f, a, &ta), rb = root(f, b, &tb);
  if (ra == rb) return;
  // to the smaller number: roots do not depend on the order
  int to = ra < rb ? ra : rb, from = ra < rb ? rb : ra;
  f->of[from] = to;
  f->flipped[from] = (char)(ta ^ tb ^ flipped);
}

// shortens the ways of all, the first ones first: those lead to smaller numbers
static void flatten(const forest *f, int n) {
  for (int i = 0; i < n; i++) {
    int flipped, to = root(f, i, &flipped);
    f->of[i] = to;
    f->flipped[i] = (char)flipped;
  }
}

// the first group of the same body, dimension and parameters
static int same_material(const pl_model *m, const pl_params *p, const pl_group_cells *cells,
                         int g) {
  const pl_elem_kind *k = pl_model_group_kind(m, g);
  for (int h = 0; h < g; h++) {
    const pl_elem_kind *o = pl_model_group_kind(m, h);
    if (!has_stress(m, cells, h) || cells[h].body != cells[g].body || o->npar != k->npar) continue;
    if (pl_cell_dim[cells[h].type] != pl_cell_dim[cells[g].type]) continue;
    if (memcmp(pl_model_group_par(m, p, g, 0), pl_model_group_par(m, p, h, 0),
               (size_t)k->npar * sizeof(double)) == 0)
      return h;
  }
  return g;
}

static void unit_normal(const recover_impl *k, const rcell *c, double *n) {
  const double *X = k->mesh->X;
  double a[3], b[3];
  pl_sub3(X + 3 * c->v[1], X + 3 * c->v[0], a);
  pl_sub3(X + 3 * c->v[2], X + 3 * c->v[0], b);
  pl_cross3(a, b, n);
  double l = pl_norm3(n);
  for (int i = 0; i < 3; i++) n[i] /= l;
}

// the only other cell of the same material on edge a b; -1: none, or several
static int across(const recover_impl *k, const int *material, int c, int a, int b) {
  int found = -1;
  for (int i = k->around_ptr[a]; i < k->around_ptr[a + 1]; i++) {
    int d = k->around[i], has = 0;
    if (d == c || material[k->cell[d].group] != material[k->cell[c].group]) continue;
    for (int v = 0; v < pl_cell_nvert[k->cell[d].type]; v++) has |= k->cell[d].v[v] == b;
    if (has && found >= 0) return -1;
    if (has) found = d;
  }
  return found;
}

// sheets hang together across edges of two cells without a kink; solids of one material do anyway
static void join(const recover_impl *k, const int *material, const forest *f, int *first) {
  for (int c = 0; c < k->n; c++) {
    const rcell *x = &k->cell[c];
    int nc = pl_cell_nvert[pl_cell_corners[x->type]];
    if (pl_cell_dim[x->type] != 2) {
      int *lead = &first[material[x->group]];
      if (*lead < 0) *lead = c;
      f->of[c] = *lead;
      continue;
    }
    for (int e = 0; e < nc; e++) {
      int d = across(k, material, c, x->v[e], x->v[(e + 1) % nc]);
      double n0[3], n1[3];
      if (d < c) continue;
      unit_normal(k, x, n0);
      unit_normal(k, &k->cell[d], n1);
      double dot = pl_dot3(n0, n1);
      if (fabs(dot) > KINK) unite(f, c, d, dot < 0);
    }
    // long ways are walked once
    int flipped, to = root(f, c, &flipped);
    f->of[c] = to;
    f->flipped[c] = (char)flipped;
  }
}

// the top of a part is on the side of the normals of most of its cells
static void collect_sides(const recover_impl *k, const forest *f, int *most) {
  for (int c = 0; c < k->n; c++) most[f->of[c]] += f->flipped[c] ? -1 : 1;
  for (int c = 0; c < k->n; c++) {
    k->cell[c].part = f->of[c];
    k->cell[c].flipped = f->flipped[c] ^ (most[f->of[c]] < 0);
  }
}

static pl_status find_parts(pl_recover *r, const pl_params *p, const pl_group_cells *cells) {
  recover_impl *k = r->impl;
  int ng = pl_model_ngroup(k->m);
  int *material = pl_alloc(r->env, 2 * (size_t)ng + 1, sizeof(int));
  int *of = pl_alloc(r->env, 2 * (size_t)k->n + 1, sizeof(int));
  char *flipped = pl_alloc(r->env, (size_t)k->n + 1, 1);
  pl_status s = material && of && flipped ? PL_OK : PL_E_NOMEM;
  const forest f = {of, flipped};
  if (s == PL_OK) {
    int *first = material + ng;
    for (int g = 0; g < ng; g++) {
      material[g] = has_stress(k->m, cells, g) ? same_material(k->m, p, cells, g) : g;
      first[g] = -1;
    }
    for (int c = 0; c < k->n; c++) of[c] = c;
    join(k, material, &f, first);
    flatten(&f, k->n);
    collect_sides(k, &f, of + k->n);
  }
  pl_free(r->env, material);
  pl_free(r->env, flipped);
  pl_free(r->env, of);
  return s;
}

// ---- slots --------------------------------------------------------------------------------------

// slots of one vertex, counted from nslot on; filled: numbers are given out, too
static int vertex_slots(const recover_impl *k, int v, int nslot, int *node, int *part, int *cell,
                        int filled) {
  int n = 0, own[64];
  for (int i = k->around_ptr[v]; i < k->around_ptr[v + 1]; i++) {
    const rcell *c = &k->cell[k->around[i]];
    int at = 0;
    while (at < n && own[at] != c->part) at++;
    if (at == n) {
      if (n == 64)
        at--;
      else
        own[n++] = c->part;
    }
    if (!filled) continue;
    node[nslot + at] = v;
    part[nslot + at] = c->part;
    cell[nslot + at] = k->around[i];
    for (int a = 0; a < pl_cell_nvert[c->type]; a++)
      if (c->v[a] == v) k->slot_of[c->slot0 + a] = nslot + at;
  }
  return n;
}

static pl_status find_slots(pl_recover *r, const pl_group_cells *cells) {
  recover_impl *k = r->impl;
  int nv = k->mesh->nvert, n = 0;
  for (int v = 0; v < nv; v++) n += vertex_slots(k, v, 0, NULL, NULL, NULL, 0);
  int *node = pl_alloc(r->env, (size_t)n, sizeof(int)),
      *part = pl_alloc(r->env, (size_t)n, sizeof(int));
  int *body = pl_alloc(r->env, (size_t)n, sizeof(int)),
      *cell = pl_alloc(r->env, (size_t)n, sizeof(int));
  k->slot_ptr = pl_alloc(r->env, (size_t)nv + 1, sizeof(int));
  r->node = node;
  r->part = part;
  r->body = body;
  r->cell = cell;
  if (!node || !part || !body || !cell || !k->slot_ptr) return PL_E_NOMEM;
  for (int v = 0; v < nv; v++) {
    k->slot_ptr[v] = r->nslot;
    r->nslot += vertex_slots(k, v, r->nslot, node, part, cell, 1);
  }
  k->slot_ptr[nv] = r->nslot;
  for (int i = 0; i < n; i++) {
    const rcell *c = &k->cell[cell[i]];
    body[i] = cells[c->group].body;
    cell[i] = c->index;
  }
  return PL_OK;
}

// ---- bending ------------------------------------------------------------------------------------

// the sheet's cell with these corners; *sign: 1 in the same order, -1 turned round
static int find_triangle(const recover_impl *k, const int *v, double *sign) {
  if (v[0] < 0 || v[0] >= k->mesh->nvert) return -1;
  for (int i = k->around_ptr[v[0]]; i < k->around_ptr[v[0] + 1]; i++) {
    const rcell *c = &k->cell[k->around[i]];
    if (pl_cell_corners[c->type] != PL_TRI3) continue;
    int a = 0;
    while (a < 3 && c->v[a] != v[0]) a++;
    if (a == 3) continue;
    int next = c->v[(a + 1) % 3], last = c->v[(a + 2) % 3];
    *sign = next == v[1] ? 1 : -1;
    if ((next == v[1] && last == v[2]) || (next == v[2] && last == v[1])) return k->around[i];
  }
  return -1;
}

static int by_cell(const void *a, const void *b) {
  const bend *x = a, *y = b;
  if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
  if (x->group != y->group) return x->group < y->group ? -1 : 1;
  return (x->elem > y->elem) - (x->elem < y->elem);
}

static pl_status find_bends(pl_recover *r) {
  recover_impl *k = r->impl;
  static const int corner[2][3] = {{0, 1, 2}, {1, 0, 3}};
  int n = 0;
  for (int g = 0; g < pl_model_ngroup(k->m); g++) {
    const pl_elem_kind *kind = pl_model_group_kind(k->m, g);
    if (kind->curvature) n += kind->nside * pl_model_group_size(k->m, g);
  }
  k->bend = pl_alloc(r->env, (size_t)n, sizeof *k->bend);
  if (!k->bend) return PL_E_NOMEM;
  for (int g = 0; g < pl_model_ngroup(k->m); g++) {
    const pl_elem_kind *kind = pl_model_group_kind(k->m, g);
    const int *stencil = pl_model_group_stencil(k->m, g);
    if (!kind->curvature) continue;
    for (int e = 0; e < pl_model_group_size(k->m, g); e++)
      for (int side = 0; side < kind->nside; side++) {
        const int *at = stencil + (size_t)e * (size_t)(kind->nvert + kind->nscal);
        int v[3] = {at[corner[side][0]], at[corner[side][1]], at[corner[side][2]]};
        bend b = {.group = g, .elem = e, .side = side};
        b.cell = find_triangle(k, v, &b.sign);
        if (b.cell >= 0) k->bend[k->nbend++] = b;
      }
  }
  qsort(k->bend, (size_t)k->nbend, sizeof *k->bend, by_cell);
  for (int i = 0; i < k->nbend; i++) {
    rcell *c = &k->cell[k->bend[i].cell];
    if (c->nbend++ == 0) c->bend0 = i;
  }
  return PL_OK;
}

// ---- create and free ----------------------------------------------------------------------------

static pl_status reserve(pl_recover *r) {
  recover_impl *k = r->impl;
  r->nlayer = 1;
  for (int c = 0; c < k->n; c++)
    if (k->cell[c].nbend > 0 && k->cell[c].thickness >= 0) r->nlayer = PL_LAYER_COUNT;
  k->place = pl_alloc(r->env, (size_t)k->nsample, sizeof *k->place);
  k->domain = pl_alloc(r->env, (size_t)k->n, 1);
  r->thickness = pl_alloc(r->env, (size_t)r->ncell, sizeof(double));
  if (!k->place || !k->domain || !r->thickness) return PL_E_NOMEM;
  for (int l = 0; l < r->nlayer; l++) {
    k->sample[l] = pl_alloc(r->env, (size_t)k->nsample, sizeof(pl_stress));
    r->at[l] = pl_alloc(r->env, (size_t)r->nslot, sizeof(pl_stress));
    r->mean[l] = pl_alloc(r->env, (size_t)r->ncell, sizeof(pl_stress));
    if (!k->sample[l] || !r->at[l] || !r->mean[l]) return PL_E_NOMEM;
  }
  for (int c = 0; c < k->n; c++) {
    const rcell *x = &k->cell[c];
    double at[POINTS][3], N[PL_CELL_VERT_MAX];
    recover_points(x->type, at);
    for (int g = 0; g < x->npoint; g++) {
      pl_cell_shape(x->type, at[g], N, NULL);
      for (int a = 0; a < pl_cell_nvert[x->type]; a++)
        for (int i = 0; i < 3; i++)
          k->place[x->first + g][i] += N[a] * k->mesh->X[3 * (size_t)x->v[a] + i];
    }
  }
  return PL_OK;
}

pl_status pl_recover_create(pl_env *env, const pl_model *m, const pl_params *p, const pl_mesh *mesh,
                            const pl_group_cells *cells, pl_recover **out) {
  *out = NULL;
  pl_recover *r = pl_alloc(env, 1, sizeof *r);
  recover_impl *k = pl_alloc(env, 1, sizeof *k);
  if (!r || !k) {
    pl_free(env, r);
    pl_free(env, k);
    return PL_E_NOMEM;
  }
  r->env = env;
  r->impl = k;
  k->m = m;
  k->mesh = mesh;
  pl_status s = collect_cells(r, cells);
  if (s == PL_OK) s = find_around(r);
  if (s == PL_OK) s = find_parts(r, p, cells);
  if (s == PL_OK) s = find_slots(r, cells);
  if (s == PL_OK) s = find_bends(r);
  if (s == PL_OK) s = reserve(r);
  if (s != PL_OK) {
    pl_recover_free(r);
    return s;
  }
  *out = r;
  return PL_OK;
}

void pl_recover_free(pl_recover *r) {
  if (!r) return;
  recover_impl *k = r->impl;
  void *own[] = {
      (void *)r->node,      (void *)r->part, (void *)r->body, (void *)r->cell, (void *)r->known,
      (void *)r->thickness, k->cell,         k->around,       k->around_ptr,   k->slot_of,
      k->slot_ptr,          k->bend,         k->place,        k->domain};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) pl_free(r->env, own[i]);
  for (int l = 0; l < PL_LAYER_COUNT; l++) {
    pl_free(r->env, k->sample[l]);
    pl_free(r->env, k->smooth[l]);
    pl_free(r->env, r->at[l]);
    pl_free(r->env, r->mean[l]);
  }
  pl_free(r->env, k);
  pl_free(r->env, r);
}
