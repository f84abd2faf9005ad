// A rod of one section in the xz plane: edges, bends between them, a clamp in its first edge.
#include "rod_model.h"

#include <string.h>

// Turn of the tangent at a node: 2 tan(turn/2) is the strain of a bend, so that this curvature
// makes equal turns of what is asked for.
static double bend_curvature(double rot, int n, double edge) {
  // the clamp sits half an edge before the first bend, and n - 1/2 edges before the tip
  return 2 * tan(0.5 * rot / (n - 0.5)) / edge;
}

// nodes of the natural shape; the middle of the first edge is at the origin
static void put_nodes(const rod_desc *o, double edge, double *X) {
  double each = o->rot / (o->n - 0.5), x = 0, z = 0.5 * edge;
  for (int i = 0; i <= o->n; i++) {
    X[3 * i] = x;
    X[3 * i + 1] = 0;
    X[3 * i + 2] = z;
    x += edge * sin(i * each);
    z -= edge * cos(i * each);
  }
}

// the clamp, which may stand lower (a constant term) and sink (a slow sine)
static void hold_clamp(pl_builder *d, const rod_desc *o) {
  const pl_term term[2] = {{.harmonic = 0}, {.harmonic = 1}};
  const pl_drive_desc hold = {.name = "clamp",
                              .nnode = 2,
                              .node = (const int[]){0, 1},
                              .mask = 7,
                              .nterm = o->lowered ? 2 : 0,
                              .term = term};
  pl_build_drive(d, &hold, PL_HOLD_NODES, NULL);
}

static void hold_others(pl_builder *d, const rod_desc *o) {
  int *node = pl_build_keep(d, (size_t)o->n + 1, sizeof *node), n = 0;
  if (!node) return;
  for (int i = 2; i < o->n + !o->pinned; i++) node[n++] = i;
  if (o->planar) hold_nodes(d, n, node, 2, PL_HOLD_NODES);
  if (o->pinned) hold_nodes(d, 1, &o->n, 7, PL_HOLD_NODES);
}

double rod_drag(const rod *r, double drag) {
  return drag * r->force / (r->length * r->omega);
}

static pl_status fill(pl_builder *d, const rod_desc *o, const rod *r, pl_mesh *mesh) {
  // director 1 lies in the plane, on the side that the rod curls to
  static const double across[3] = {0, -1, 0};
  const dims *u = protocol_dims(o->units);
  put_nodes(o, r->edge, mesh->X);
  pl_build_body(d, &(pl_body_desc){.name = "rod",
                                   .kind = PL_BODY_ROD,
                                   .mesh = mesh,
                                   .young = {.v = u->young},
                                   .poisson = {.v = o->nu},
                                   .density = {.v = u->density},
                                   .consistent = 1,
                                   .section = {.rectangle = o->box,
                                               .width = {.v = o->thick * r->length},
                                               .height = {.v = o->broad * r->length}},
                                   .up = across});
  if (o->drag > 0) {
    int *end, group = pl_build_group(d, "drag", pl_elem_find("spring1"), 1, 0, 0, &end);
    if (group < 0) return PL_E_NOMEM;
    end[0] = 3 * o->n;
    end[1] = -1;
    pl_build_par(d, group, 0, "stiffness", &(pl_value){.v = 0});
    pl_build_par(d, group, 0, "damping", &(pl_value){.v = rod_drag(r, o->drag)});
  }
  hold_clamp(d, o);
  hold_others(d, o);
  if (o->grip > 0 && !o->pinned) {
    pl_build_obstacle(d, "plane",
                      &(pl_obstacle){.kind = &pl_obstacle_plane,
                                     .centre = {0, 0, -r->length},
                                     .par = {0, 0, 1},
                                     .mu = o->grip});
    pl_build_contact(d, 1, &o->n, 0, -1, NULL);
  }
  return pl_build_join(d);
}

// the group of its bends, which the builder makes last
static int bends(const pl_builder *d) {
  return d->ngroup - 1;
}

pl_status rod_create(pl_env *env, const rod_desc *o, rod *r) {
  const dims *u = protocol_dims(o->units);
  double L = u->length, thick = o->thick * L, broad = o->broad * L, edge = L / (o->n - 0.5);
  // I/A of a round or rectangular section
  double gyration = thick * thick / (o->box ? 12 : 16);
  double area = (o->box ? 1 : 0.25 * PL_PI) * thick * broad;
  memset(r, 0, sizeof *r);
  r->env = env;
  r->n = o->n;
  r->edge = edge;
  r->rot = o->rot;
  r->length = L;
  r->gravity = u->young * gyration / (u->density * L * L * L);
  r->force = u->young * gyration * area / (L * L);
  r->omega = sqrt(u->young * gyration / u->density) / (L * L);
  pl_builder *d;
  pl_mesh *mesh = NULL;
  PL_TRY(pl_builder_create(env, 3, &d));
  d->alpha = o->alpha * r->omega;
  pl_status s = pl_gen_chain(env, o->n, (double[3]){0}, (double[3]){L}, &mesh);
  if (s == PL_OK) s = fill(d, o, r, mesh);
  if (s == PL_OK) {
    r->par_bend = pl_build_index(d, PL_AT_GROUP, bends(d), 0, 0);
    r->par_drive = o->lowered ? pl_build_index(d, PL_AT_DRIVE, 0, 0, 0) : -1;
    s = pl_build_all(d, 1, &r->b);
  } else {
    pl_builder_free(d);
  }
  pl_mesh_free(mesh);
  return s;
}

void rod_free(rod *r) {
  pl_built_free(&r->b);
}

void rod_curl(rod *r, double rot) {
  double more = bend_curvature(rot, r->n, r->edge) - bend_curvature(r->rot, r->n, r->edge);
  r->b.params->par[r->par_bend + 7] = more;
}

void rod_weigh(rod *r, double gamma) {
  r->b.params->par[PL_PAR_GRAVITY + 2] = -r->gravity * gamma;
}

void rod_lower(rod *r, double eps) {
  r->b.params->par[r->par_drive + 2] = -eps * r->length;
}

double rod_sink(rod *r, double rate) {
  // the straight part of a sine of many lengths; its four parameters follow the other term's
  const double many = 10;
  r->b.params->par[r->par_drive + 4 + 2] = -many * r->length;
  return rate / many;
}

double rod_depth(const rod *r, const pl_state *s) {
  double most = 0;
  for (int i = 0; i <= r->n; i++) most = fmax(most, fabs(s->q[3 * i + 1]));
  return most / r->length;
}
