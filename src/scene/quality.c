// Quality of the meshes of shells, planes and solids: what `check` tells, and what is warned of.
#include "build_body.h"

#include "pliant/math.h"

#include <stdio.h>
#include <string.h>

// Below and beyond these results suffer: gmsh's own limits for slivers and folded cells are near.
static const double ANGLE_LEAST = 2, ASPECT_MOST = 50, JACOBIAN_LEAST = 0.05;

// Through the thickness: cells that plain hexahedra need to bend within about 10 %; more of them
// than MANY are not counted. Beyond THIN times its thickness a solid is at the end of its digits.
static const double PLAIN_LEAST = 4, MANY = 8, THIN = 1000;

static void warn_cells(reader *r, const body_slot *b, pl_cell_type t, const pl_quality *q) {
  const char *name = pl_cell_name[t], *kind = b->kind;
  double degrees = q->angle * 180 / PL_PI;
  int solid = pl_cell_dim[t] == 3;
  if (degrees < ANGLE_LEAST)
    warning(r, b->at,
            "optimise the mesh (gmsh: Mesh.Optimize = 1, Mesh.OptimizeNetgen = 1), or mesh anew",
            "%s '%s': %s %d of its mesh has an angle of %.2g degrees%s, where stress is poor", kind,
            b->def->name.s, name, q->angle_cell + 1, degrees, solid ? " between faces" : "");
  else if (q->aspect > ASPECT_MOST)
    warning(r, b->at, "mesh with cells of more equal sides",
            "%s '%s': %s %d of its mesh is %.3g times as long as it is high", kind, b->def->name.s,
            name, q->aspect_cell + 1, q->aspect);
  if (pl_cell_corners[t] != t && q->jacobian < JACOBIAN_LEAST)
    warning(r, b->at,
            "optimise the mesh of second order (gmsh: Mesh.HighOrderOptimize = 2), or mesh finer "
            "where it is curved",
            "%s '%s': %s %d of its mesh is so curved that its Jacobian falls to %.2g of the "
            "largest",
            kind, b->def->name.s, name, q->jacobian_cell + 1, q->jacobian);
}

// what a count of cells through the thickness says
static int layers_text(const pl_quality *q, char *out, size_t size) {
  double n = round(q->layers);
  return snprintf(out, size, "%s%.0f cell%s through the thickness of %.3g m where it is thin",
                  fabs(q->layers - n) > 0.05 ? "about " : "", n, n > 1 ? "s" : "", q->thick);
}

static void warn_thin(reader *r, const body_slot *b, const pl_quality *q) {
  double lo[3], hi[3], size = 0;
  if (!(q->thick > 0 && q->thick < INFINITY)) return;
  pl_mesh_bounds(b->mesh, lo, hi);
  for (int c = 0; c < 3; c++) size = fmax(size, hi[c] - lo[c]);
  if (size > THIN * q->thick)
    warning(r, b->at, "a shell of its middle surface is right, and has fewer unknowns",
            "solid '%s' is %.3g times as long as thick: its answers may be off by some percent",
            b->def->name.s, size / q->thick);
}

void check_quality(reader *r, const body_slot *b) {
  if (r->failed || !b->mesh || b->def->rigid || !(b->def->solid || b->def->shell || b->def->plane))
    return;
  for (pl_cell_type t = 0; t < PL_CELL_COUNT; t++) {
    pl_quality q;
    int want = b->def->solid ? 3 : 2, n = b->mesh->cell[t].n;
    if (pl_cell_dim[t] != want || n == 0) continue;
    if (!worked(r, pl_mesh_quality(b->mesh, t, 0, n, &q))) return;
    warn_cells(r, b, t, &q);
    if (want == 3) warn_thin(r, b, &q);
  }
}

// the cells of a group, by their numbers in it
void describe_quality(const pl_scene *s, pl_text *out) {
  for (int g = 0; g < pl_model_ngroup(s->model); g++) {
    const pl_group_cells *c = &s->cells[g];
    const char *name = pl_model_group_name(s->model, g);
    pl_quality q;
    if (c->type < 0 || !pl_model_group_kind(s->model, g)->stress) continue;
    if (pl_mesh_quality(s->mesh, c->type, c->first, pl_model_group_size(s->model, g), &q) !=
        PL_OK) {
      out->failed = 1;
      return;
    }
    const char *cell = pl_cell_name[c->type];
    pl_text_add(out, "quality    %s: smallest angle %.3g deg (%s %d), largest aspect %.3g (%s %d)",
                name, q.angle * 180 / PL_PI, cell, q.angle_cell - c->first + 1, q.aspect, cell,
                q.aspect_cell - c->first + 1);
    if (q.jacobian < 1 - 1e-9)
      pl_text_add(out, ", smallest Jacobian %.3g (%s %d)", q.jacobian, cell,
                  q.jacobian_cell - c->first + 1);
    // enhanced hexahedra and cells of second order bend well in one layer, rigid bodies not at all
    const char *kind = pl_model_group_kind(s->model, g)->name;
    int plain = strcmp(kind, "hex8") == 0 || strcmp(kind, "hex8_nh") == 0;
    int bends = c->body < 0 || strcmp(s->body[c->body].kind, "rigid") != 0;
    if (bends && q.thick > 0 && q.thick < INFINITY && q.layers < MANY) {
      char has[128];
      layers_text(&q, has, sizeof has);
      pl_text_add(out, ", %s%s", has,
                  plain && q.layers < PLAIN_LEAST - 0.5
                      ? ": too stiff in bending, use formulation: enhanced"
                  : c->type == PL_TET4 ? ": too stiff in bending, use order: 2"
                  : q.layers < 1.5     ? ": enough for bending; refine: 1 for stress over it"
                                       : "");
    }
    pl_text_add(out, "\n");
  }
}
