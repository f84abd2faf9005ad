// Sheets whose strain and curvature stay within star-shaped sets: barriers for every triangle.
#include "build_impl.h"

#include "pliant/math.h"

// weights, and where the axes of the material are
static int fill_limits(pl_builder *b, int body, int group, const pl_star *set, double weight) {
  const pl_body *p = &b->body[body];
  const pl_cells *t = &p->desc.mesh->cell[PL_TRI3];
  static const double x[3] = {1, 0, 0};
  const double *warp = pl_norm3(p->desc.warp) > 0 ? p->desc.warp : x;
  double *rest = pl_build_keep(b, 6 * (size_t)t->n + 1, sizeof *rest);
  if (!rest) return -1;
  b->law[group] = set;
  b->cells[group].type = PL_TRI3;
  pl_sheet_flatten(t->n, t->v, p->desc.mesh->X, warp, rest);
  for (int e = 0; e < t->n; e++) {
    // the first edge as the axes of the material see it
    const pl_value angle = {.v = -atan2(rest[6 * e + 3], rest[6 * e + 2])};
    pl_build_par(b, group, e, "weight", &(pl_value){.v = weight});
    pl_build_par(b, group, e, "angle", &angle);
  }
  return b->failed ? -1 : group;
}

int pl_build_strain_limit(pl_builder *b, int body, const pl_star *set, double weight) {
  const pl_cells *t = &b->body[body].desc.mesh->cell[PL_TRI3];
  int group = body_group_of(b, body, " limits", &pl_elem_strain_limit, t->n, t->v, 0, 0);
  return group < 0 ? -1 : fill_limits(b, body, group, set, weight);
}

// triangles, and the vertices across their edges: their own where there is none
static void fill_neighbours(const pl_topology *top, const pl_cells *t, int *out) {
  for (int e = 0; e < t->n; e++)
    for (int i = 0; i < 3; i++) {
      const int *edge = top->edge_tri + 2 * top->tri_edge[3 * e + i];
      int other = edge[0] == e ? edge[1] : edge[0], over = t->v[3 * e + i];
      for (int k = 0; other >= 0 && k < 3; k++)
        if (top->tri_edge[3 * other + k] == top->tri_edge[3 * e + i]) over = t->v[3 * other + k];
      out[6 * e + i] = t->v[3 * e + i];
      out[6 * e + 3 + i] = over;
    }
}

int pl_build_bend_limit(pl_builder *b, int body, const pl_star *set, double weight) {
  const pl_mesh *m = b->body[body].desc.mesh;
  const pl_cells *t = &m->cell[PL_TRI3];
  pl_topology *top;
  int *vertex = pl_build_keep(b, 6 * (size_t)t->n + 1, sizeof *vertex);
  if (!vertex) return -1;
  pl_status s = pl_topology_create(m, &top);
  if (s != PL_OK) {
    b->failed = s;
    return -1;
  }
  fill_neighbours(top, t, vertex);
  pl_topology_free(top);
  int group = body_group_of(b, body, " bending limits", &pl_elem_bend_limit, t->n, vertex, 0, 0);
  return group < 0 ? -1 : fill_limits(b, body, group, set, weight);
}
