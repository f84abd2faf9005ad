// Symmetry planes: behind a boundary of a shell in such a plane stands what its other half would
// be, copies of nodes that go straight along the normal and move with the boundary in the plane.
#include "build_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

enum { PLANES = 31 };            // as many bits
static const double FLAT = 1e-6; // of the model, by which nodes may miss a plane

void pl_build_mirror(pl_builder *b, int drive, int n, const int *node, int axis,
                     const void *origin) {
  struct builder_impl *m = b->impl;
  if (m->nplane == PLANES) {
    build_problem(b, origin, "put planes with one normal into one", "more than %d symmetry planes",
                  PLANES);
    return;
  }
  if (n == 0 || !pl_build_grow(b, &m->plane, m->nplane, &m->plane_cap, sizeof *m->plane)) return;
  m->plane[m->nplane++] = (plane_desc){.drive = drive,
                                       .n = n,
                                       .axis = axis,
                                       .node = keep_copy(b, n, sizeof *node, node),
                                       .at = b->X[3 * node[0] + axis],
                                       .origin = origin};
}

int pl_build_mirrors(const pl_builder *b, int drive) {
  for (int k = 0; k < b->impl->nplane; k++)
    if (b->impl->plane[k].drive == drive) return 1;
  return 0;
}

unsigned *mirror_masks(pl_builder *b, const pl_body *body) {
  const struct builder_impl *m = b->impl;
  if (m->nplane == 0) return NULL;
  int nvert = body->desc.mesh->nvert;
  unsigned *all = pl_build_keep(b, (size_t)b->nnode + 1, sizeof *all),
           *mask = pl_build_keep(b, (size_t)nvert + 1, sizeof *mask);
  if (!all || !mask) return NULL;
  for (int k = 0; k < m->nplane; k++)
    for (int i = 0; i < m->plane[k].n; i++) all[m->plane[k].node[i]] |= 1u << k;
  for (int i = 0; i < nvert; i++) mask[i] = all[body->node[i]];
  return mask;
}

int *mirror_axes(pl_builder *b) {
  int *axes = pl_build_keep(b, (size_t)b->nnode + 1, sizeof *axes);
  for (int k = 0; axes && k < b->impl->nplane; k++) {
    const plane_desc *p = &b->impl->plane[k];
    for (int i = 0; i < p->n; i++) axes[p->node[i]] |= 1 << p->axis;
  }
  return axes;
}

static double extent(const pl_builder *b) {
  double most = 0;
  for (int c = 0; c < b->dim; c++) {
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < b->nnode; i++) {
      lo = fmin(lo, b->X[3 * i + c]);
      hi = fmax(hi, b->X[3 * i + c]);
    }
    most = fmax(most, hi - lo);
  }
  return most;
}

// nodes off the plane, and nodes of the model on both sides of it
static void check_plane(pl_builder *b, const plane_desc *p, double size) {
  char buf[128];
  int over = -1, under = -1;
  for (int i = 0; i < p->n; i++) {
    double off = b->X[3 * p->node[i] + p->axis] - p->at;
    if (fabs(off) <= FLAT * size) continue;
    build_problem(b, p->origin, "take nodes in one plane",
                  "symmetry: %s is %.3g m before or behind the others along %c",
                  pl_build_node_text(b, p->node[i], buf, sizeof buf), off, "xyz"[p->axis]);
    return;
  }
  for (int i = 0; i < b->nnode; i++) {
    double off = b->X[3 * i + p->axis] - p->at;
    if (off > FLAT * size) over = i;
    if (off < -FLAT * size) under = i;
  }
  if (over >= 0 && under >= 0)
    build_problem(b, p->origin, "cut the model at the plane, or hold it by 'fix'",
                  "symmetry: the model is on both sides of the plane, %s on one",
                  pl_build_node_text(b, over, buf, sizeof buf));
}

// shells of other kinds have no slope at a boundary
static void check_body(pl_builder *b, const pl_body *body) {
  int bending = body->desc.bending;
  if (!body->midedge && bending != PL_BENDING_HINGE) return;
  if (bending == PL_BENDING_SHELL6 || body->desc.mesh->cell[PL_TRI3].n == 0) return;
  const unsigned *mask = mirror_masks(b, body);
  for (int i = 0; mask && i < body->desc.mesh->nvert; i++) {
    if (!mask[i]) continue;
    int k = 0;
    while (!(mask[i] >> k & 1)) k++;
    build_problem(b, b->impl->plane[k].origin, "bending: shell6, or none",
                  "symmetry: the border of body '%.60s' keeps no direction: it bends by hinges or "
                  "normals at edges of first order",
                  body->desc.name ? body->desc.name : "");
    return;
  }
}

void mirror_check(pl_builder *b) {
  double size = b->impl->nplane > 0 ? extent(b) : 0;
  for (int k = 0; k < b->impl->nplane; k++) check_plane(b, &b->impl->plane[k], size);
  for (int k = 0; k < b->nbody && b->impl->nplane > 0; k++) check_body(b, &b->body[k]);
}

// where a copy stands along the normal: opposite to the corner; of a shell in the plane anywhere
static double beyond(const pl_builder *b, const plane_desc *p, int corner, double part) {
  double off = b->X[3 * corner + p->axis] - p->at;
  return p->at - part * (fabs(off) > 0 ? off : 1e-2 * extent(b));
}

void mirror_copy(pl_builder *b, const pl_body *body, const pl_midedge *p, int k, int copy) {
  struct builder_impl *m = b->impl;
  if (m->nplane == 0) return;
  if (!pl_build_grow(b, &m->copy_axis, copy, &m->axis_cap, sizeof *m->copy_axis) ||
      !pl_build_grow(b, &m->copy_place, copy, &m->place_cap, sizeof *m->copy_place))
    return;
  int plane = p->copy_plane ? p->copy_plane[k] : -1;
  m->copy_axis[copy] = plane < 0 ? -1 : m->plane[plane].axis;
  m->copy_place[copy] =
      plane < 0 ? 0 : beyond(b, &m->plane[plane], body->node[p->copy_at[k]], p->copy_part[k]);
}

// elements take the places in the plane from the nodes that the copies follow
static void make_alias(pl_builder *b) {
  struct builder_impl *m = b->impl;
  int n = b->nnode + b->ncopy;
  m->alias = pl_build_keep(b, (size_t)(n * b->dim) + 1, sizeof *m->alias);
  for (int i = 0; m->alias && i < n * b->dim; i++) {
    int copy = i / b->dim - b->nnode, c = i % b->dim;
    int follows = copy >= 0 && m->copy_axis[copy] >= 0 && m->copy_axis[copy] != c;
    m->alias[i] = follows ? b->copy[copy] * b->dim + c : i;
  }
}

void mirror_hold(pl_builder *b, int n, const int *scal) {
  const struct builder_impl *m = b->impl;
  int count = 0, *node = pl_build_keep(b, (size_t)b->ncopy + 1, sizeof *node),
      *edge = pl_build_keep(b, 2 * (size_t)n + 1, sizeof *edge);
  if (!node || !edge) return;
  for (int i = 0; i < b->ncopy; i++)
    if (m->copy_axis[i] >= 0) node[count++] = b->nnode + i;
  for (int i = 0; i < 2 * n; i++) edge[i] = PL_SCALAR_STAYS;
  make_alias(b);
  const pl_drive_desc d = {.name = "symmetry",
                           .nnode = count,
                           .node = node,
                           .mask = (1 << b->dim) - 1,
                           .nscal = n,
                           .scal = scal,
                           .edge = edge};
  pl_build_drive(b, &d, PL_HOLD_NODES, NULL);
}
