// Groups of a body's mesh that are made longer or shorter.
#include "build_body.h"

#include <math.h>
#include <string.h>

static void hint_groups(const pl_mesh *m, const char *name, char hint[PL_TEXT]) {
  const char *names[64];
  int n = 0;
  for (int k = 0; k < m->nset && n < COUNT(names); k++) {
    int again = 0;
    for (int i = 0; i < n; i++) again |= strcmp(names[i], m->set[k].name) == 0;
    if (!again) names[n++] = m->set[k].name;
  }
  hint[0] = 0;
  if (n > 0) pl_name_hint(name, n, names, hint, PL_TEXT);
}

// volume of voxels, whose edges are along the axes
static double box_volume(const pl_mesh *m) {
  double sum = 0;
  for (int e = 0; e < m->cell[PL_HEX8].n; e++) {
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 8; i++)
      for (int c = 0; c < 3; c++) {
        double x = m->X[3 * m->cell[PL_HEX8].v[8 * e + i] + c];
        lo[c] = fmin(lo[c], x);
        hi[c] = fmax(hi[c], x);
      }
    sum += (hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2]);
  }
  return sum;
}

// what is told of voxels is told of stretched ones
static int scale_voxels(reader *r, body_slot *b, double factor) {
  pl_voxel_info *to = scene_alloc(r, 1, sizeof *to);
  if (!to) return 0;
  *to = *b->voxels;
  to->volume *= factor;
  to->exact *= factor;
  to->lost *= factor;
  b->voxels = to;
  return 1;
}

int stretch_groups(reader *r, body_slot *b, const geometry_def *g) {
  const stretch_def *d = g->stretch.item;
  double before = b->voxels ? box_volume(b->mesh) : 0;
  for (int k = 0; k < g->stretch.n; k++) {
    char hint[PL_TEXT];
    double length;
    if (!d[k].group.at || !(d[k].factor.v > 0)) return 0;
    if (!worked(r, pl_mesh_stretch(b->mesh, d[k].group.s, d[k].axis.v, d[k].factor.v, d[k].fixed.v,
                                   &length)))
      return 0;
    if (length > 0) continue;
    hint_groups(b->mesh, d[k].group.s, hint);
    if (pl_mesh_find_set(b->mesh, d[k].group.s))
      problem(r, d[k].group.at, "stretch it along another axis",
              "stretch: the group '%.60s' has no length along %c", d[k].group.s,
              "xyz"[d[k].axis.v]);
    else
      problem(r, d[k].group.at, hint, "stretch: the mesh has no group '%.60s'", d[k].group.s);
    return 0;
  }
  if (before > 0 && g->stretch.n > 0) return scale_voxels(r, b, box_volume(b->mesh) / before);
  return 1;
}
