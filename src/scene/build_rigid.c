// Rigid bodies: solids whose shape is kept by elasticity that nothing in the scene comes near, and
// by dashpots; balls that are round and as heavy as balls, though their meshes have corners.
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

double mesh_volume(const pl_mesh *m) {
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
  r->b->rigid[g] = 1;
  cell_pairs(b, stencil);
  for (int i = 0; i < n; i++) {
    double d[3];
    pl_sub3(r->b->X + 3 * (size_t)stencil[4 * i], r->b->X + 3 * (size_t)stencil[4 * i + 1], d);
    const pl_value c = {.v = time * young * volume / (n * pl_dot3(d, d))}, none = {0};
    pl_build_par(r->b, g, i, "stiffness", &none);
    pl_build_par(r->b, g, i, "damping", &c);
  }
}

// ---- balls --------------------------------------------------------------------------------------

// A sphere as it is made, neither stretched nor refined: its centre is the one vertex of all cells.
typedef struct ball {
  int centre, nskin;
  double radius;
} ball;

static int is_ball(const body_slot *b, const geometry_def *g, ball *k) {
  const pl_mesh *m = b->mesh;
  const pl_cells *c = &m->cell[PL_TET4];
  if (g->mesh->kind == NODE_SCALAR || !node_get(g->mesh, "sphere") || c->n == 0) return 0;
  *k = (ball){.centre = -1};
  for (int i = 0; i < 4; i++) {
    int all = 1;
    for (int e = 0; e < c->n && all; e++) {
      const int *v = c->v + 4 * (size_t)e;
      all = v[0] == c->v[i] || v[1] == c->v[i] || v[2] == c->v[i] || v[3] == c->v[i];
    }
    if (all) k->centre = c->v[i];
  }
  for (int i = 0; k->centre >= 0 && i < m->nvert; i++) {
    double d[3];
    if (i == k->centre) continue;
    pl_sub3(m->X + 3 * (size_t)i, m->X + 3 * (size_t)k->centre, d);
    double far = pl_norm3(d);
    if (k->nskin++ > 0 && fabs(far - k->radius) > 1e-9 * k->radius) return 0;
    k->radius = far;
  }
  return k->nskin > 0;
}

// moment of inertia over mass and R^2 of the cells of a ball
static double mesh_moment(const pl_mesh *m, const ball *k) {
  double sum = 0, all = 0, at[PL_CELL_POINT_MAX][3], weight[PL_CELL_POINT_MAX];
  int n = pl_cell_points(PL_TET4, at, weight);
  for (int i = 0; i < m->cell[PL_TET4].n * n; i++) {
    const int *v = m->cell[PL_TET4].v + 4 * (size_t)(i / n);
    const double *p = at[i % n], part[4] = {1 - p[0] - p[1] - p[2], p[0], p[1], p[2]};
    double w = weight[i % n] * pl_cell_jacobian(PL_TET4, m->X, v, p), x[3] = {0};
    for (int a = 0; a < 4; a++)
      for (int c = 0; c < 3; c++) x[c] += part[a] * (m->X[3 * v[a] + c] - m->X[3 * k->centre + c]);
    sum += 2.0 / 3 * w * pl_dot3(x, x);
    all += w;
  }
  return sum / (all * k->radius * k->radius);
}

// The part of the mass of a ball that its surface bears, so that its moment is that of a ball, 2/5
// m R^2, and not that of a polyhedron within.
static double add_skin(reader *r, const body_slot *b, const ball *k, double mass) {
  double own = mesh_moment(b->mesh, k), part = (0.4 - own) / (2.0 / 3 - own);
  const pl_value each = {.v = part * mass / k->nskin};
  int *stencil, at = 0;
  int g =
      pl_build_group(r->b, b->def->name.s, pl_elem_table[PL_ELEM_point], k->nskin, 0, 0, &stencil);
  if (g < 0) return 0;
  for (int i = 0; i < b->mesh->nvert; i++)
    if (i != k->centre) stencil[at++] = b->node[i];
  for (int i = 0; i < k->nskin; i++) pl_build_par(r->b, g, i, "mass", &each);
  const pl_cells *c = &b->mesh->cell[PL_TET4];
  int *tri = scene_alloc(r, 3 * (size_t)c->n, sizeof *tri);
  for (int e = 0; tri && e < c->n; e++)
    for (int i = 0, n = 0; i < 4; i++)
      if (c->v[4 * e + i] != k->centre) tri[3 * e + n++] = b->node[c->v[4 * e + i]];
  if (tri) pl_build_ball(r->b, b->node[k->centre], k->radius, c->n, tri);
  return part * mass;
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
  ball round;
  if (is_ball(b, g, &round)) {
    double mass = g->density.at ? g->density.v * 4 / 3 * PL_PI * pow(round.radius, 3) : g->weight.v;
    // what the surface does not bear is that of the cells
    density = (mass - add_skin(r, b, &round, mass)) / volume;
  }
  double young = density * SOUND * SOUND;
  for (int k = 0; k < r->def.materials.n; k++) young = fmax(young, TIMES * m[k].young.v);
  pl_body_desc d = {.kind = PL_BODY_SOLID,
                    .law = PL_LAW_STVK,
                    .form = PL_SOLID_PLAIN,
                    .young = {.v = young},
                    .density = {.v = density},
                    .consistent = g->mass.v,
                    .rigid = 1};
  add_body(r, b, &d);
  add_dashpots(r, b, young, density, volume);
}
