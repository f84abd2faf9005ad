#include "build_body.h"

#include <math.h>
#include <stdio.h>

// Does a mesh hang together? Exporters write every triangle by itself, and rounding or noise keeps
// corners that should be one apart.

// parts that share no vertex; returns -1 when memory ends
static int count_pieces(reader *r, const pl_mesh *m) {
  int n = -1, *part = pl_alloc(r->env, (size_t)m->nvert, sizeof *part);
  if (!part || !worked(r, pl_mesh_parts(m, &n, part))) n = -1;
  pl_free(r->env, part);
  return n;
}

static double shortest_edge(const pl_mesh *m) {
  double best = INFINITY;
  for (int t = 0; t < PL_CELL_COUNT; t++)
    for (int e = 0, nv = pl_cell_nvert[t]; e < m->cell[t].n; e++)
      for (int k = 0; k < nv; k++) {
        const int *v = m->cell[t].v + (size_t)e * (size_t)nv;
        const double *a = m->X + 3 * (size_t)v[k], *b = m->X + 3 * (size_t)v[(k + 1) % nv];
        best = fmin(best, hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
      }
  return best;
}

// pieces after merging vertices closer than tol, -1: failed
static int pieces_merged(reader *r, const pl_mesh *m, double tol) {
  pl_mesh *copy = NULL;
  int n = -1;
  if (worked(r, pl_mesh_copy(m, &copy)) && worked(r, pl_mesh_weld(copy, tol, NULL)) &&
      worked(r, pl_mesh_drop_unused(copy, NULL)))
    n = count_pieces(r, copy);
  pl_mesh_free(copy);
  return n;
}

int check_pieces(reader *r, body_slot *b, const pl_node *at) {
  int before = b->npiece = count_pieces(r, b->mesh), best = before;
  if (before < 0) r->failed = PL_E_NOMEM;
  if (before <= 1) return before > 0;
  // the smallest round distance that joins all that any of them joins; no cell may collapse
  double edge = shortest_edge(b->mesh), tol = 0;
  if (!(edge > 0)) return 1;
  for (int e = (int)floor(log10(0.3 * edge)); e > log10(1e-8 * edge); e--) {
    double d = pow(10, e);
    int n = pieces_merged(r, b->mesh, d);
    if (n < 0) return 0;
    if (n >= before || n > best) break;
    best = n;
    tol = d;
  }
  if (tol == 0) return 1;
  char hint[PL_TEXT];
  snprintf(hint, sizeof hint, "'merge: %g mm' in the body makes it %d %s", 1e3 * tol, best,
           pl_plural(best, "piece", "pieces"));
  warning(r, at, hint, "%s '%s': the mesh is in %d pieces that only nearly touch", b->kind,
          b->def->name.s, before);
  return 1;
}
