#include "scene_impl.h"

#include "build_body.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

#include <string.h>

// Pieces of interlocking elements that are made of facets: plates, capsules, meshes.

enum { CORNERS_MAX = 1024, TRIANGLES_MAX = 20000 };

// corners of a plate or a line; NULL: there is something wrong with them
static double (*read_corners(reader *r, const pl_node *at, int least, int *n))[3] {
  double(*x)[3] = NULL;
  *n = at->kind == NODE_LIST ? at->n : 0;
  if (*n < least || *n > CORNERS_MAX) {
    problem(r, at, "e.g. [[0, 0, 0], [4 mm, 0, 0], [0, 4 mm, 0]]",
            "points: %d to %d points are wanted here", least, CORNERS_MAX);
    return NULL;
  }
  x = scene_alloc(r, (size_t)*n, sizeof *x);
  int k = 0, ok = x != NULL;
  for (const pl_node *d = at->first; d && x; d = d->next, k++) {
    vec v;
    ok &= read_vec(r, d, "points", "m", 3, 3, &v);
    for (int c = 0; c < 3 && ok; c++) {
      if (v.v[c].par >= 0) {
        problem(r, d, NULL, "points cannot depend on a parameter");
        ok = 0;
      }
      x[k][c] = v.v[c].v;
    }
  }
  return ok ? x : NULL;
}

static void make_facets(reader *r, const pl_node *at, const char *what, int closed, int nvert,
                        const double (*x)[3], int nsegment, const int (*segment)[2], int ntriangle,
                        const int (*triangle)[3], double radius, pl_piece *out) {
  void *buffer = scene_alloc(r, pl_facets_size(nvert, nsegment, ntriangle), 1);
  if (!buffer) return;
  const pl_facets *f = pl_facets_init(nvert, x, nsegment, segment, ntriangle, triangle, buffer);
  const char *fault = pl_facets_fault(f, closed);
  if (fault)
    problem(r, at,
            closed         ? "repair the mesh: every edge belongs to two triangles; surfaces that "
                             "overlap are pieces of their own"
            : nsegment > 0 ? "give its corners in the order in which the wire goes, each once"
                           : NULL,
            "%s: %s", what, fault);
  *out = pl_piece_facets(f, radius);
}

// corners turn one way about an axis, and lie in the plane across it
static int is_convex(int n, const double (*x)[3]) {
  double axis[3] = {0}, size = 0;
  for (int k = 0; k < n; k++) {
    double a[3], b[3], c[3];
    pl_sub3(x[k], x[0], a);
    pl_sub3(x[(k + 1) % n], x[0], b);
    pl_cross3(a, b, c);
    for (int i = 0; i < 3; i++) axis[i] += c[i];
    size = fmax(size, pl_norm3(a));
  }
  double length = pl_norm3(axis), rotated = 0;
  if (!(length > 1e-9 * size * size)) return 0;
  for (int k = 0; k < n; k++) {
    double a[3], b[3], c[3], off[3];
    pl_sub3(x[(k + 1) % n], x[k], a);
    pl_sub3(x[(k + 2) % n], x[(k + 1) % n], b);
    pl_cross3(a, b, c);
    pl_sub3(x[k], x[0], off);
    if (fabs(pl_dot3(off, axis)) > 1e-6 * length * size) return 0;
    if (pl_dot3(c, axis) < 1e-9 * length * pl_norm3(a) * pl_norm3(b)) return 0;
    rotated += atan2(pl_dot3(c, axis) / length, pl_dot3(a, b));
  }
  return rotated < 2.5 * PL_PI;
}

void make_plate(reader *r, const plate_def *d, pl_piece *out) {
  int n;
  double(*x)[3] = read_corners(r, d->points, 3, &n);
  int(*triangle)[3] = x ? scene_alloc(r, (size_t)n, sizeof *triangle) : NULL;
  if (!triangle) return;
  if (!is_convex(n, (const double(*)[3])x)) {
    problem(r, d->points, "give corners in order; split other polygons into several plates",
            "plate: its corners must lie in a plane and make a convex polygon");
    return;
  }
  for (int k = 0; k < n - 2; k++) {
    triangle[k][0] = 0;
    triangle[k][1] = k + 1;
    triangle[k][2] = k + 2;
  }
  make_facets(r, d->points, "plate", 0, n, (const double(*)[3])x, 0, NULL, n - 2,
              (const int(*)[3])triangle, d->radius.v, out);
}

void make_capsules(reader *r, const plate_def *d, pl_piece *out) {
  int n, closed = d->closed.v;
  double(*x)[3] = read_corners(r, d->points, closed ? 3 : 1, &n);
  int(*segment)[2] = x ? scene_alloc(r, (size_t)n, sizeof *segment) : NULL;
  if (!segment) return;
  for (int k = 0; k < n; k++) {
    segment[k][0] = k;
    segment[k][1] = (k + 1) % n;
  }
  make_facets(r, d->points, "capsules", 0, n, (const double(*)[3])x, n - !closed,
              (const int(*)[2])segment, 0, NULL, d->radius.v, out);
}

static int read_surface(reader *r, const mesh_piece_def *d, pl_mesh **m) {
  char path[4096];
  double factor = d->mesh_units.at ? 1 : r->scale.base[1], lo[3], hi[3];
  int merged;
  if (d->mesh_units.at && !read_length_unit(r, &d->mesh_units, "mesh_units", &factor)) return 0;
  if (!scene_file(r, d->file, "mesh", path, sizeof path)) return 0;
  if (!worked(r, pl_mesh_read_most(r->env, path, r->limit.nodes, m))) return 0;
  pl_mesh_transform(*m, factor * d->scale.v, NULL, NULL);
  pl_mesh_bounds(*m, lo, hi);
  double size = fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2]));
  return worked(r, pl_mesh_split_quads(*m)) && worked(r, pl_mesh_weld(*m, 1e-6 * size, &merged)) &&
         worked(r, pl_mesh_drop_unused(*m, &merged));
}

void make_mesh_piece(reader *r, const mesh_piece_def *d, pl_piece *out) {
  pl_mesh *m = NULL;
  if (read_surface(r, d, &m)) {
    int n = m->cell[PL_TRI3].n;
    if (n < 1 || n > TRIANGLES_MAX)
      problem(r, d->file, "coarsen the mesh", "mesh: 1 to %d triangles are wanted, got %d",
              TRIANGLES_MAX, n);
    else
      make_facets(r, d->file, "mesh", 1, m->nvert, (const double(*)[3])m->X, 0, NULL, n,
                  (const int(*)[3])m->cell[PL_TRI3].v, d->radius.v, out);
  }
  pl_mesh_free(m);
}
