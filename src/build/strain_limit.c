// Sheets whose strain stays within a star-shaped set: a barrier for every triangle.
#include "build_impl.h"

#include "pliant/math.h"

int pl_build_strain_limit(pl_builder *b, int body, const pl_star *set, double weight) {
  const pl_body *p = &b->body[body];
  const pl_cells *t = &p->desc.mesh->cell[PL_TRI3];
  static const double x[3] = {1, 0, 0};
  const double *warp = pl_norm3(p->desc.warp) > 0 ? p->desc.warp : x;
  double *rest = pl_build_keep(b, 6 * (size_t)t->n + 1, sizeof *rest);
  if (!rest) return -1;
  int group = body_group_of(b, body, " limits", &pl_elem_strain_limit, t->n, t->v, 0, 0);
  if (group < 0) return -1;
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
