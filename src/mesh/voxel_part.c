// Voxels in place of a part that is given by its surface or its solids, with its groups.
#include "voxel_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

// part of a voxel's edge within which two distances are the same
static const double TIE = 1e-3;

typedef struct part {
  const pl_mesh *m;
  const pl_voxel_opts *o;
  hull hull;
  voxels grid;
  pl_bvh *tree;        // of the whole surface, once it is wanted
  int nface, *face;    // of the voxels, once they are wanted; rows of PL_FACE_ROW
  double (*centre)[3]; // [nface]
  double *distance;    // [nface] of their centres from the surface
} part;

static void close_part(part *p) {
  pl_env *env = p->m->env;
  pl_bvh_free(p->tree);
  pl_free(env, p->face);
  pl_free(env, p->centre);
  pl_free(env, p->distance);
  hull_free(&p->hull);
  voxels_close(&p->grid);
}

// ---- filling ----------------------------------------------------------------------------------

static void hull_bounds(const hull *s, double *lo, double *hi) {
  for (int d = 0; d < 3; d++) {
    lo[d] = INFINITY;
    hi[d] = -INFINITY;
  }
  for (int i = 0; i < 3 * s->ntri; i++)
    for (int d = 0; d < 3; d++) {
      double x = s->X[3 * (size_t)s->tri[i] + (size_t)d];
      lo[d] = fmin(lo[d], x);
      hi[d] = fmax(hi[d], x);
    }
}

static pl_status fill_part(part *p, pl_voxel_info *info) {
  double lo[3], hi[3], inside = 0;
  int overlaps;
  PL_TRY(hull_create(p->m, NULL, 0, 0, &p->hull));
  hull_bounds(&p->hull, lo, hi);
  if (!p->hull.oriented && p->o->rule == PL_FILL_AUTO)
    pl_report(p->m->env, PL_WARNING, p->m->source, 0, 0, NULL,
              "its triangles are not turned the same way all over: what is inside is found by how "
              "often the surface is crossed");
  double size = p->o->size > 0 ? p->o->size : voxel_choose(p->hull.volume, p->hull.area);
  if (!(size > 0) || !isfinite(size))
    return pl_fail_at(p->m->env, PL_E_INPUT, p->m->source, 0, 0, NULL,
                      "the surface encloses no volume");
  PL_TRY(voxels_open(&p->grid, p->m->env, p->m->source, lo, hi, size));
  PL_TRY(hull_raster(&p->hull, p->o->rule, &p->grid, p->grid.part, &overlaps));
  for (size_t at = 0; at < voxel_count(&p->grid); at++) inside += (double)p->grid.part[at];
  const double *h = p->grid.h;
  int plain = p->hull.oriented && !overlaps && p->o->rule != PL_FILL_EVENODD;
  // what is inside twice counts once: only the lines know it
  info->exact = plain ? p->hull.volume : inside * h[0] * h[1] * h[2];
  return voxels_fill(&p->grid, p->o, p->hull.npiece, info);
}

// ---- groups -----------------------------------------------------------------------------------

// 1: an earlier set has the name; *dim: highest dimension of the cells of that name, 0: vertices
static int seen_before(const pl_mesh *m, int k, int *dim) {
  int seen = 0;
  *dim = 0;
  for (int i = 0; i < m->nset; i++) {
    if (strcmp(m->set[i].name, m->set[k].name) != 0) continue;
    seen |= i < k;
    int d = m->set[i].type < 0 ? 0 : pl_cell_dim[m->set[i].type];
    if (d > *dim) *dim = d;
  }
  return seen;
}

static pl_status find_faces(part *p, const pl_mesh *out) {
  if (p->tree) return PL_OK;
  pl_env *env = p->m->env;
  PL_TRY(pl_bvh_create(env, p->hull.ntri, p->hull.tri, p->hull.X, &p->tree));
  PL_TRY(pl_mesh_faces(out, &p->nface, &p->face));
  p->centre = pl_alloc(env, (size_t)p->nface, sizeof *p->centre);
  p->distance = pl_alloc(env, (size_t)p->nface, sizeof *p->distance);
  if (!p->centre || !p->distance) return PL_E_NOMEM;
  for (int f = 0; f < p->nface; f++) {
    const int *v = p->face + PL_FACE_ROW * (size_t)f;
    for (int k = 1; k <= 4; k++)
      for (int c = 0; c < 3; c++) p->centre[f][c] += 0.25 * out->X[3 * (size_t)v[k] + (size_t)c];
    p->distance[f] = pl_bvh_nearest(p->tree, p->centre[f]).dist;
  }
  return PL_OK;
}

// vertices of the faces of voxels to which nothing of the surface is nearer than the group
static pl_status face_group(part *p, const char *name, const hull *own, pl_mesh *out) {
  PL_TRY(find_faces(p, out));
  pl_bvh *tree;
  PL_TRY(pl_bvh_create(p->m->env, own->ntri, own->tri, own->X, &tree));
  int *list = pl_alloc(p->m->env, 4 * (size_t)p->nface, sizeof *list), n = 0;
  double tie = TIE * fmin(p->grid.h[0], fmin(p->grid.h[1], p->grid.h[2]));
  for (int f = 0; list && f < p->nface; f++) {
    if (pl_bvh_nearest(tree, p->centre[f]).dist > p->distance[f] + tie) continue;
    for (int k = 1; k <= 4; k++) list[n++] = p->face[PL_FACE_ROW * (size_t)f + (size_t)k];
  }
  pl_status s = list ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK && n > 0) s = pl_mesh_add_set(out, name, -1, n, list);
  if (s == PL_OK && n == 0)
    pl_report(p->m->env, PL_WARNING, p->m->source, 0, 0, "use a smaller size",
              "no face of a voxel is nearest to the group '%s': it is left out", name);
  pl_free(p->m->env, list);
  pl_bvh_free(tree);
  return s;
}

static pl_status solid_group(part *p, const char *name, const hull *own, pl_mesh *out) {
  float *label = pl_alloc(p->m->env, voxel_count(&p->grid), sizeof *label);
  if (!label) return PL_E_NOMEM;
  pl_status s = hull_raster(own, p->o->rule, &p->grid, label, NULL);
  if (s == PL_OK) s = voxels_label(&p->grid, label, name, out);
  pl_free(p->m->env, label);
  return s;
}

static pl_status add_group(part *p, const char *name, int dim, pl_mesh *out) {
  hull own;
  // faces of solids bound nothing by themselves
  pl_status s = hull_create(p->m, name, dim, 1, &own);
  int closed = s == PL_OK && (dim == 3 || !p->hull.solid);
  if (s == PL_DOMAIN || s == PL_OK)
    s = closed ? solid_group(p, name, &own, out) : face_group(p, name, &own, out);
  hull_free(&own);
  return s;
}

static pl_status add_groups(part *p, pl_mesh *out) {
  const pl_mesh *m = p->m;
  for (int k = 0; k < m->nset; k++) {
    int dim;
    if (seen_before(m, k, &dim)) continue;
    if (dim >= 2)
      PL_TRY(add_group(p, m->set[k].name, dim, out));
    else
      pl_report(m->env, PL_WARNING, m->source, 0, 0, "choose nodes by where they lie",
                "the group '%s' has neither solids nor faces: voxels do not have it",
                m->set[k].name);
  }
  return PL_OK;
}

pl_status pl_mesh_voxels(const pl_mesh *m, const pl_voxel_opts *o, pl_voxel_info *info,
                         pl_mesh **out) {
  part p = {.m = m, .o = o};
  pl_voxel_info own = {0};
  *out = NULL;
  p.hull.env = p.grid.env = m->env;
  pl_status s = fill_part(&p, &own);
  if (s == PL_OK) s = voxels_mesh(&p.grid, m, out);
  if (s == PL_OK) s = add_groups(&p, *out);
  close_part(&p);
  if (info) *info = own;
  if (s == PL_OK) return PL_OK;
  pl_mesh_free(*out);
  *out = NULL;
  return s;
}
