// Rigid bodies: solids whose shape is kept by elasticity that nothing in the scene comes near, and
// by dashpots.
#include "build_body.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

// Damping by stiffness would be that of its turning: K(q) of a stressed body resists rotations.
// Sound goes through the body as fast as through steel, and it is so many times as stiff as the
// stiffest material. More would leave less of the digits of forces.
static const double SOUND = 5000, TIMES = 10;

// cells that need not bend, with the mass of their shape
geometry_def *rigid_solid(geometry_def *rigid) {
  enum { CONSISTENT = 1 };
  rigid->order.v = 1;
  rigid->mass.v = CONSISTENT;
  return rigid;
}

// of the time that sound takes through the body: that in which its vibration dies
static const double QUIET = 10;

static double mesh_volume(const pl_mesh *m) {
  double sum = 0, at[PL_CELL_POINT_MAX][3], weight[PL_CELL_POINT_MAX];
  for (pl_cell_type t = 0; t < PL_CELL_COUNT; t++) {
    int n = pl_cell_dim[t] == 3 && m->cell[t].n > 0 ? pl_cell_points(t, at, weight) : 0;
    for (int k = 0; k < m->cell[t].n * n; k++) {
      const int *v = m->cell[t].v + (size_t)(k / n) * (size_t)pl_cell_nvert[t];
      sum += weight[k % n] * pl_cell_jacobian(t, m->X, v, at[k % n]);
    }
  }
  return sum;
}

// pairs of vertices of all cells; NULL: they are counted
static int cell_pairs(const body_slot *b, int *stencil) {
  int n = 0;
  for (pl_cell_type t = 0; t < PL_CELL_COUNT; t++)
    for (int e = 0, nv = pl_cell_nvert[t]; pl_cell_dim[t] == 3 && e < b->mesh->cell[t].n; e++)
      for (int i = 0; i < nv; i++)
        for (int k = 0; k < i; k++, n++) {
          const int *v = b->mesh->cell[t].v + (size_t)e * (size_t)nv;
          int from = b->node[v[i]], to = b->node[v[k]];
          const int link[4] = {from, to, to, from};
          if (stencil) memcpy(stencil + 4 * (size_t)n, link, sizeof link);
        }
  return n;
}

// Dashpots along lines within cells: they know no rigid motion, and have no moment.
static void add_dashpots(reader *r, const body_slot *b, double young, double density,
                         double volume) {
  double lo[3], hi[3], size = 0;
  pl_mesh_bounds(b->mesh, lo, hi);
  for (int c = 0; c < 3; c++) size = fmax(size, hi[c] - lo[c]);
  double time = QUIET * size / sqrt(young / density);
  int *stencil, n = cell_pairs(b, NULL);
  int g = pl_build_group(r->b, b->def->name.s, pl_elem_table[PL_ELEM_spring], n, 0, 0, &stencil);
  if (g < 0) return;
  r->b->undamped[g] = 1;
  cell_pairs(b, stencil);
  for (int i = 0; i < n; i++) {
    double d[3];
    pl_sub3(r->b->X + 3 * (size_t)stencil[4 * i], r->b->X + 3 * (size_t)stencil[4 * i + 1], d);
    const pl_value c = {.v = time * young * volume / (n * pl_dot3(d, d))}, none = {0};
    pl_build_par(r->b, g, i, "stiffness", &none);
    pl_build_par(r->b, g, i, "damping", &c);
  }
}

void build_rigid(reader *r, body_slot *b) {
  const geometry_def *g = b->def->rigid;
  const material_def *m = r->def.materials.item;
  if ((g->density.at != NULL) + (g->weight.at != NULL) != 1) {
    problem(r, node_get(b->at, "rigid"), "e.g. density: 7850 kg/m^3",
            "rigid body '%s' needs exactly one of 'density' and 'mass'", b->def->name.s);
    return;
  }
  double volume = mesh_volume(b->mesh);
  double density = g->density.at ? g->density.v : g->weight.v / volume;
  double young = density * SOUND * SOUND;
  for (int k = 0; k < r->def.materials.n; k++) young = fmax(young, TIMES * m[k].young.v);
  pl_body_desc d = {.kind = PL_BODY_SOLID,
                    .law = PL_LAW_STVK,
                    .form = PL_SOLID_PLAIN,
                    .young = {.v = young},
                    .density = {.v = density},
                    .consistent = g->mass.v,
                    .undamped = 1};
  add_body(r, b, &d);
  add_dashpots(r, b, young, density, volume);
}
