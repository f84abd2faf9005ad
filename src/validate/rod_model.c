// A rod of one section in the xz plane: edges, bends between them, a clamp in its first edge.
#include "rod_model.h"

#include <string.h>

// Turn of the tangent at a node: 2 tan(turn/2) is the strain of a bend, so that this curvature
// makes equal turns of what is asked for.
static double bend_curvature(double turn, int n, double edge) {
  // the clamp sits half an edge before the first bend, and n - 1/2 edges before the tip
  return 2 * tan(0.5 * turn / (n - 0.5)) / edge;
}

// nodes of the natural shape; the middle of the first edge is at the origin
static void put_nodes(const rod_desc *o, double edge, double *X) {
  double each = o->turn / (o->n - 0.5), x = 0, z = 0.5 * edge;
  for (int i = 0; i <= o->n; i++) {
    X[3 * i] = x;
    X[3 * i + 1] = 0;
    X[3 * i + 2] = z;
    x += edge * sin(i * each);
    z -= edge * cos(i * each);
  }
}

// angles that put director 1 into the plane, on the side that the rod curls to
static void put_angles(int n, const double *X, double *extra) {
  double last = 0;
  for (int i = 0; i < n; i++) {
    double t[3];
    pl_sub3(X + 3 * (i + 1), X + 3 * i, t);
    double l = pl_norm3(t);
    for (int c = 0; c < 3; c++) t[c] /= l;
    const double m1[3] = {-t[2], 0, t[0]};
    double angle = pl_rod_angle(t, m1);
    extra[i] = i ? last + remainder(angle - last, 2 * PL_PI) : angle;
    last = extra[i];
  }
}

static void put_stencils(int n, int *edge, int *bend) {
  int theta = 3 * (n + 1);
  for (int i = 0; i < n; i++) {
    memcpy(edge + 3 * i, (const int[]){i, i + 1, theta + i}, 3 * sizeof *edge);
    if (i + 1 < n)
      memcpy(bend + 5 * i, (const int[]){i, i + 1, i + 2, theta + i, theta + i + 1},
             5 * sizeof *bend);
  }
}

// the clamp, which may stand lower (a constant term) and sink (a slow sine)
static void hold_clamp(draft *d, const rod_desc *o) {
  const int clamp[2] = {0, 1}, first = 0;
  draft_hold(d, 2, clamp, 7, 1, &first);
  if (!o->lowered) return;
  pl_term *term = draft_keep(d, 2, sizeof *term);
  if (!term) return;
  term[0] = (pl_term){.harmonic = 0};
  term[1] = (pl_term){.harmonic = 1};
  d->drive[0].nterm = 2;
  d->drive[0].term = term;
}

static void hold_others(draft *d, const rod_desc *o) {
  int *node = draft_keep(d, o->n, sizeof *node), n = 0;
  if (!node) return;
  for (int i = 2; i < o->n + !o->pinned; i++) node[n++] = i;
  if (o->planar) draft_hold(d, n, node, 2, 0, NULL);
  if (o->pinned) draft_hold(d, 1, &o->n, 7, 0, NULL);
}

double rod_drag(const rod *r, double drag) {
  return drag * r->force / (r->length * r->omega);
}

static pl_status fill(draft *d, const rod_desc *o, const rod *r, const double *par) {
  int n = o->n;
  double *X = draft_keep(d, 3 * (n + 1), sizeof *X), *extra = draft_keep(d, n, sizeof *extra);
  int *edge = draft_keep(d, 3 * n, sizeof *edge), *bend = draft_keep(d, 5 * n, sizeof *bend);
  if (d->failed) return PL_E_NOMEM;
  put_nodes(o, r->edge, X);
  put_angles(n, X, extra);
  put_stencils(n, edge, bend);
  d->d.X = X;
  d->d.nnode = n + 1;
  d->d.nextra = n;
  d->d.extra = extra;
  draft_group(d, "rod_edge", n, edge, 7, par);
  draft_group(d, "rod_bend", n - 1, bend, 7, par);
  const int drag[2] = {3 * n, -1};
  const double dashpot[4] = {0, 0, 0, rod_drag(r, o->drag)};
  if (o->drag > 0) draft_group(d, "spring1", 1, drag, 4, dashpot);
  hold_clamp(d, o);
  hold_others(d, o);
  return d->failed ? PL_E_NOMEM : PL_OK;
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
  r->turn = o->turn;
  r->length = L;
  r->gravity = u->young * gyration / (u->density * L * L * L);
  r->force = u->young * gyration * area / (L * L);
  r->omega = sqrt(u->young * gyration / u->density) / (L * L);
  const double par[7] = {u->young, o->nu, u->density, thick, broad, 0, o->box};
  draft d;
  PL_TRY(draft_open(env, &d));
  d.d.alpha = o->alpha * r->omega;
  pl_status s = fill(&d, o, r, par);
  if (s == PL_OK) s = built_create(&d, &r->b);
  if (s == PL_OK) {
    r->par_bend = pl_par_group(&d.d, 1, 0);
    r->par_drive = o->lowered ? pl_par_drive(&d.d, 0, 0) : -1;
  }
  draft_close(&d);
  return s;
}

void rod_free(rod *r) {
  built_free(&r->b);
}

void rod_curl(rod *r, double turn) {
  double more = bend_curvature(turn, r->n, r->edge) - bend_curvature(r->turn, r->n, r->edge);
  r->b.p->par[r->par_bend + 7] = more;
}

void rod_weigh(rod *r, double gamma) {
  r->b.p->par[PL_PAR_GRAVITY + 2] = -r->gravity * gamma;
}

void rod_lower(rod *r, double eps) {
  r->b.p->par[r->par_drive + 2] = -eps * r->length;
}

double rod_sink(rod *r, double rate) {
  // the straight part of a sine of many lengths; its four parameters follow the other term's
  const double many = 10;
  r->b.p->par[r->par_drive + 4 + 2] = -many * r->length;
  return rate / many;
}

double rod_depth(const rod *r, const pl_state *s) {
  double most = 0;
  for (int i = 0; i <= r->n; i++) most = fmax(most, fabs(s->q[3 * i + 1]));
  return most / r->length;
}
