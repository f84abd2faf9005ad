// Faces and edges of bodies that obstacles touch: those whose nodes obstacles all act on, or
// are held.
#include "build_impl.h"

#include <stdlib.h>
#include <string.h>

typedef struct list {
  int *v, n, cap; // nodes
} list;

// mask[nnode]: 1: an obstacle acts on the node, or it is held
static int all_in(const char *mask, int n, const int *v) {
  for (int i = 0; i < n; i++)
    if (!mask[v[i]]) return 0;
  return 1;
}

static pl_status add(pl_builder *b, list *l, const char *mask, int n, const int *v) {
  for (int i = 0; i < n && all_in(mask, n, v); i++) {
    PL_TRY(pl_grow(b->env, &l->v, l->n, &l->cap, sizeof *l->v));
    l->v[l->n++] = v[i];
  }
  return PL_OK;
}

// the triangles of bodies of one kind
static pl_status add_triangles(pl_builder *b, list *l, const char *mask, pl_body_kind kind) {
  list all = {0};
  pl_status s = PL_OK;
  for (int k = 0; s == PL_OK && k < b->nbody; k++)
    if (b->body[k].desc.kind == kind) s = build_triangles(b, &b->body[k], &all.v, &all.n, &all.cap);
  for (int i = 0; s == PL_OK && i < all.n; i += 3) s = add(b, l, mask, 3, all.v + i);
  pl_free(b->env, all.v);
  return s;
}

static pl_status add_segments(pl_builder *b, list *l, const char *mask) {
  for (int k = 0; k < b->nbody; k++) {
    const pl_body *p = &b->body[k];
    const pl_cells *c = &p->desc.mesh->cell[PL_SEG2];
    if (p->desc.kind != PL_BODY_ROD && p->desc.kind != PL_BODY_CHAIN) continue;
    for (int e = 0; e < c->n; e++) {
      int v[2] = {p->node[c->v[2 * e]], p->node[c->v[2 * e + 1]]};
      PL_TRY(add(b, l, mask, 2, v));
    }
  }
  return PL_OK;
}

static int compare_edges(const void *a, const void *b) {
  const int *p = a, *q = b;
  return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

// edges of triangles in a plane that have one of them alone
static pl_status add_boundaries(pl_builder *b, list *l, const char *mask) {
  list tri = {0};
  pl_status s = add_triangles(b, &tri, mask, PL_BODY_PLANE);
  int(*edge)[2] = s == PL_OK ? pl_alloc(b->env, (size_t)tri.n + 1, sizeof *edge) : NULL;
  if (s == PL_OK && !edge) s = PL_E_NOMEM;
  for (int i = 0; s == PL_OK && i < tri.n; i++) {
    int p = tri.v[i], q = tri.v[i % 3 < 2 ? i + 1 : i - 2];
    edge[i][0] = p < q ? p : q;
    edge[i][1] = p < q ? q : p;
  }
  if (s == PL_OK) qsort(edge, (size_t)tri.n, sizeof *edge, compare_edges);
  for (int i = 0, k; s == PL_OK && i < tri.n; i = k) {
    for (k = i + 1; k < tri.n && compare_edges(edge[i], edge[k]) == 0;) k++;
    if (k == i + 1) s = add(b, l, mask, 2, edge[i]);
  }
  pl_free(b->env, edge);
  pl_free(b->env, tri.v);
  return s;
}

static const int *keep(pl_builder *b, list *l) {
  int *v = pl_build_keep(b, (size_t)l->n + 1, sizeof *v);
  if (v && l->n > 0) memcpy(v, l->v, (size_t)l->n * sizeof *v);
  pl_free(b->env, l->v);
  return v;
}

void fill_surfaces(pl_builder *b, const int *held) {
  pl_contact_desc *d = &b->contact;
  list tri = {0}, segment = {0};
  char *mask = pl_build_keep(b, (size_t)(b->nnode + b->ncopy) + 1, 1);
  if (!mask || !held) return;
  for (int i = 0; i < b->nnode; i++) mask[i] = held[i] == (1 << b->dim) - 1;
  for (int i = 0; i < d->nnode; i++) mask[d->node[i]] = 1;
  pl_status s = PL_OK;
  if (b->dim == 3) s = add_triangles(b, &tri, mask, PL_BODY_SOLID);
  d->nsolid = tri.n / 3;
  if (b->dim == 3 && s == PL_OK) s = add_triangles(b, &tri, mask, PL_BODY_SHELL);
  if (b->dim == 2) s = add_boundaries(b, &segment, mask);
  if (s == PL_OK) s = add_segments(b, &segment, mask);
  d->ntri = tri.n / 3;
  d->nsegment = segment.n / 2;
  d->tri = keep(b, &tri);
  d->segment = keep(b, &segment);
  if (s != PL_OK) b->failed = s;
}
