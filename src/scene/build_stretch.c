// Meshes of bodies in another shape: groups that are made longer or shorter, handles that move.
#include "build_body.h"

#include "pliant/math.h"

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
  double before = b->voxels ? mesh_volume(b->mesh) : 0;
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
  if (before > 0 && g->stretch.n > 0) return scale_voxels(r, b, mesh_volume(b->mesh) / before);
  return 1;
}

static double size_of(const pl_mesh *m) {
  double lo[3], hi[3], d[3];
  pl_mesh_bounds(m, lo, hi);
  pl_sub3(hi, lo, d);
  return pl_norm3(d);
}

static void put_handle(const vec *from, double *to) {
  for (int c = 0; c < from->n; c++) to[c] = from->v[c].v;
}

// one change of shape; 0: it was told what is wrong
static int morph_once(reader *r, body_slot *b, const morph_def *d) {
  const handle_def *h = d->handles.item;
  int n = d->handles.n, displaced = 0;
  double *at = scene_alloc(r, 3 * (size_t)n + 1, sizeof *at);
  double *move = scene_alloc(r, 3 * (size_t)n + 1, sizeof *move);
  if (!at || !move || n == 0) return 0;
  for (int k = 0; k < n; k++) {
    put_handle(&h[k].at, at + 3 * (size_t)k);
    put_handle(&h[k].move, move + 3 * (size_t)k);
  }
  double radius = d->radius.at ? d->radius.v : size_of(b->mesh);
  if (!worked(r, pl_mesh_morph(b->mesh, n, at, move, radius, &displaced))) return 0;
  if (displaced > 0) return 1;
  problem(r, d->handles.at, "places are those of the mesh before scale, rotate and translate",
          "morph: no vertex is within %g m of a handle", radius);
  return 0;
}

int morph_mesh(reader *r, body_slot *b, const geometry_def *g) {
  const morph_def *d = g->morph.item;
  double before = b->voxels && g->morph.n > 0 ? mesh_volume(b->mesh) : 0;
  for (int k = 0; k < g->morph.n; k++)
    if (!morph_once(r, b, &d[k])) return 0;
  return before > 0 ? scale_voxels(r, b, mesh_volume(b->mesh) / before) : 1;
}
