// Meshes of voxels in place of a part that is given by its surface or its solids.
#include "build_body.h"

#include <math.h>
#include <stdio.h>

// metres of a length in the file
static int read_file_unit(reader *r, const geometry_def *g, double *factor) {
  *factor = r->scale.base[1];
  return !g->mesh_units.at || read_length_unit(r, &g->mesh_units, "mesh_units", factor);
}

// the part in metres, before scale
static int read_part_mesh(reader *r, const geometry_def *g, const voxels_def *d, pl_mesh **out) {
  char path[4096];
  double factor;
  if (!read_file_unit(r, g, &factor)) return 0;
  if (!scene_file(r, d->file.at, "voxels: file", path, sizeof path)) return 0;
  if (!worked(r, pl_mesh_read(r->env, path, out))) return 0;
  if (factor != 1) pl_mesh_transform(*out, factor, NULL, NULL);
  if (!g->merge.at) return 1;
  return worked(r, pl_mesh_weld(*out, g->merge.v / g->scale.v, NULL));
}

// keys of drawings; 0: one was given
static int is_undrawn(reader *r, const voxels_def *d) {
  const num *drawn = d->thickness.at ? &d->thickness : d->width.at ? &d->width : &d->threshold;
  if (!drawn->at) return 1;
  problem_key(r, drawn->at, "leave it out", "voxels: '%s' is for drawings (svg png)",
              d->thickness.at ? "thickness"
              : d->width.at   ? "width"
                              : "threshold");
  return 0;
}

static int surface_voxels(reader *r, body_slot *b, const geometry_def *g, const voxels_def *d,
                          const pl_voxel_opts *o, pl_voxel_info *info) {
  pl_mesh *part = NULL;
  if (!is_undrawn(r, d)) return 0;
  int ok = read_part_mesh(r, g, d, &part) && worked(r, pl_mesh_voxels(part, o, info, &b->mesh));
  pl_mesh_free(part);
  return ok;
}

static int drawn_voxels(reader *r, body_slot *b, const geometry_def *g, const voxels_def *d,
                        const pl_voxel_opts *o, pl_voxel_info *info) {
  char path[4096];
  pl_drawing *drawing = NULL;
  double width = d->width.at ? d->width.v / g->scale.v : 0;
  if (!d->thickness.at) {
    problem(r, d->file.at, "e.g. thickness: 6 mm", "voxels: a drawing needs the key 'thickness'");
    return 0;
  }
  if (g->mesh_units.at) {
    problem(r, g->mesh_units.at, "e.g. width: 60 mm in voxels",
            "mesh_units: a drawing has units of its own; give the width of what is drawn");
    return 0;
  }
  if (!scene_file(r, d->file.at, "voxels: file", path, sizeof path)) return 0;
  int ok =
      worked(r, pl_drawing_read(r->env, path, d->threshold.v, &drawing)) &&
      worked(r, pl_drawing_voxels(drawing, d->thickness.v / g->scale.v, width, o, info, &b->mesh));
  pl_drawing_free(drawing);
  return ok;
}

static int label_voxels(reader *r, body_slot *b, const geometry_def *g, const voxels_def *d,
                        const pl_voxel_opts *o, pl_voxel_info *info) {
  char path[4096];
  double factor;
  pl_labels *labels = NULL;
  const pl_node *surface = g->merge.at ? g->merge.at : d->rule.at;
  if (!is_undrawn(r, d) || !read_file_unit(r, g, &factor)) return 0;
  if (surface) {
    problem_key(r, surface, "leave it out", "'%s' is for surfaces, a .vti has cells",
                g->merge.at ? "merge" : "rule");
    return 0;
  }
  if (!scene_file(r, d->file.at, "voxels: file", path, sizeof path)) return 0;
  int ok = worked(r, pl_labels_read(r->env, path, &labels)) &&
           worked(r, pl_labels_voxels(labels, factor, o, info, &b->mesh));
  pl_labels_free(labels);
  return ok;
}

// what was found, in the size that the body will have
static int keep_info(reader *r, body_slot *b, const pl_voxel_info *from, double scale) {
  pl_voxel_info *to = scene_alloc(r, 1, sizeof *to);
  if (!to) return 0;
  *to = *from;
  for (int c = 0; c < 3; c++) to->edge[c] *= scale;
  to->volume *= scale * scale * scale;
  to->exact *= scale * scale * scale;
  to->lost *= scale * scale * scale;
  b->voxels = to;
  return 1;
}

// part of the volume from which on a difference is warned of
static const double VOLUME_OFF = 0.1;

static void check_volume(reader *r, const geometry_def *g, const pl_voxel_info *info) {
  double off = info->volume / info->exact - 1;
  char hint[PL_TEXT];
  if (fabs(off) < VOLUME_OFF) return;
  snprintf(hint, sizeof hint, "use a size below %.3g mm", 1e3 * info->edge[0] * g->scale.v);
  warning(r, g->mesh, hint, "the voxels have %.3g %% %s volume and mass than the part",
          100 * fabs(off), off > 0 ? "more" : "less");
}

int make_voxels(reader *r, body_slot *b, const geometry_def *g, const voxels_def *d) {
  pl_voxel_info info;
  const pl_voxel_opts o = {.size = d->size.at ? d->size.v / g->scale.v : 0,
                           .fraction = d->fraction.v,
                           .rule = (pl_fill_rule)d->rule.v,
                           .allow_thin = d->thin.v,
                           .most = r->limit.nodes};
  if (!d->file.at) return 0;
  int ok = (pl_is_drawing(d->file.s)  ? drawn_voxels
            : pl_is_labels(d->file.s) ? label_voxels
                                      : surface_voxels)(r, b, g, d, &o, &info) &&
           keep_info(r, b, &info, g->scale.v) && check_count(r, g->mesh, b->mesh->nvert);
  if (ok) check_volume(r, g, &info);
  return ok;
}

void describe_voxels(const pl_scene_body *b, pl_text *out) {
  const pl_voxel_info *v = b->voxels;
  if (!v) return;
  pl_text_add(out, "voxels     %s: %d of %.4g x %.4g x %.4g mm in a box of %d x %d x %d\n", b->name,
              v->nvoxel, 1e3 * v->edge[0], 1e3 * v->edge[1], 1e3 * v->edge[2], v->grid[0],
              v->grid[1], v->grid[2]);
  pl_text_add(out, "           volume %.6g mm^3, of the part %.6g mm^3 (%+.2f %%)", 1e9 * v->volume,
              1e9 * v->exact, 100 * (v->volume / v->exact - 1));
  if (b->density > 0)
    pl_text_add(out, "; mass %.6g g, of the part %.6g g", 1e3 * b->density * v->volume,
                1e3 * b->density * v->exact);
  pl_text_add(out, "\n");
  if (v->njoined > 0)
    pl_text_add(out, "           %d %s filled where others met in an edge or a corner alone\n",
                v->njoined, pl_plural(v->njoined, "was", "were"));
  if (v->lost > 0)
    pl_text_add(out, "           %.4g mm^3 of the part are thinner than a voxel and left out\n",
                1e9 * v->lost);
}
