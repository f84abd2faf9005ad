// A strip or rod built in at one end and bent in one plane, by every model.
#include "protocol_impl.h"

#include <string.h>

static const double GROWTH = 3; // of the load from one equilibrium to the next
static const double tie_table[] = {[STRIP_HINGE] = 300, [STRIP_MIDEDGE] = 100}; // of the cells
// Widths of graded strips over the mean length of their cells; others have square cells. Narrower
// with finer cells, so that their shape stays: in tall ones normals on the diagonals part from
// those of the triangles. But no narrower than this over the length: the softest bending of still
// narrower ones is lost in the rounding of their stretching.
static const double NARROWEST = 1e-3;
static const double width_table[] = {
    [STRIP_ROD] = 0, [STRIP_HINGE] = 2.4, [STRIP_MIDEDGE] = 0.24, [STRIP_HEX8] = 2.4};
enum { LAYERS = 2 }; // cells through the thickness of a solid

// Places of n + 1 nodes on the length, finer towards the clamp. The turn of a rod or of hinges sits
// in nodes, so that their clamp lies in the middle of the first cell; the sinh is odd.
static double place(const strip_desc *d, int i) {
  int nodal = d->kind == STRIP_ROD || d->kind == STRIP_HINGE;
  double at = nodal ? (i - 0.5) / (d->n - 0.5) : (double)i / d->n;
  double s = d->grade > 0 ? sinh(d->grade * at) / sinh(d->grade) : at;
  return i == d->n ? 1 : s;
}

static int held_columns(const strip_desc *d) {
  return d->kind == STRIP_ROD || d->kind == STRIP_HINGE ? 2 : 1;
}

// nodes of a clamp by all components, the others in y where nothing may move
static void hold(pl_builder *d, const strip_desc *o, int nnode, const int *column) {
  int *clamp = pl_build_keep(d, (size_t)nnode, sizeof *clamp), nclamp = 0, nrest = 0;
  int *rest = pl_build_keep(d, (size_t)nnode, sizeof *rest);
  int flat = o->kind == STRIP_ROD ? o->plane : !o->free_sides;
  if (!clamp || !rest) return;
  for (int i = 0; i < nnode; i++)
    if (column[i] < held_columns(o))
      clamp[nclamp++] = i;
    else if (flat)
      rest[nrest++] = i;
  hold_nodes(d, nclamp, clamp, 7, o->kind == STRIP_MIDEDGE ? PL_HOLD_CLAMP : PL_HOLD_NODES);
  hold_nodes(d, nrest, rest, 2, PL_HOLD_NODES);
}

// ---- rods -------------------------------------------------------------------------------------

// in its plane no section turns; the first one is held with the clamp
static pl_status hold_twist(pl_builder *d, int n) {
  int *scalar = pl_build_keep(d, (size_t)n, sizeof *scalar);
  if (!scalar) return PL_E_NOMEM;
  PL_TRY(pl_build_join(d));
  for (int i = 1; i < n; i++) scalar[i - 1] = i;
  hold_scalars(d, n - 1, scalar);
  return PL_OK;
}

static pl_status rod(pl_builder *d, const strip_desc *o, strip *s, pl_mesh **mesh) {
  const dims *u = protocol_dims(o->units);
  int n = o->n, *column = pl_build_keep(d, (size_t)n + 1, sizeof *column);
  if (!column) return PL_E_NOMEM;
  PL_TRY(pl_gen_chain(d->env, n, (double[3]){0}, (double[3]){u->length}, mesh));
  for (int i = 0; i <= n; i++) {
    (*mesh)->X[3 * i] = u->length * place(o, i);
    column[i] = i;
  }
  const pl_value size = {.v = s->thickness};
  pl_build_body(d, &(pl_body_desc){.name = "rod",
                                   .kind = PL_BODY_ROD,
                                   .mesh = *mesh,
                                   .young = {.v = u->young},
                                   .poisson = {.v = o->nu},
                                   .density = {.v = u->density},
                                   .consistent = 1,
                                   .section = {.width = size, .height = size}});
  hold(d, o, n + 1, column);
  s->ntip = 1;
  s->tip[0] = n;
  return o->plane ? hold_twist(d, n) : PL_OK;
}

// ---- plates -----------------------------------------------------------------------------------

// edges along both sides: without a xi the normal there is that of the triangle
static pl_status hold_sides(pl_builder *d, const pl_mesh *m) {
  pl_topology *t;
  PL_TRY(pl_build_join(d));
  PL_TRY(pl_topology_create(m, &t));
  int n = 0, *scalar = pl_build_keep(d, (size_t)t->nboundary, sizeof *scalar);
  for (int k = 0; scalar && k < t->nboundary; k++) {
    const int *v = t->edge + 2 * t->boundary[k];
    if (m->X[3 * v[0]] != m->X[3 * v[1]]) scalar[n++] = d->body[0].edge_xi[t->boundary[k]];
  }
  hold_scalars(d, n, scalar);
  pl_topology_free(t);
  return d->failed;
}

// Both nodes of a column move alike, as they do in a cylinder: springs far stiffer than what bends,
// D w/l^3 along and D l/w^3 across. Left to themselves, triangles of a narrow strip fold along
// their diagonals.
static void tie_columns(pl_builder *d, const strip_desc *o, const strip *s) {
  int first = held_columns(o), n = o->n + 1, k = 0, *tie;
  double sheet = protocol_dims(o->units)->young * s->thickness, h = s->thickness, w = s->width;
  double D = sheet * h * h / (12 * (1 - o->nu * o->nu));
  int group = pl_build_group(d, "ties", pl_elem_find("spring1"), 2 * (n - first), 0, 0, &tie);
  for (int i = first; group >= 0 && i < n; i++) {
    double l = s->length * (place(o, i) - place(o, i - 1));
    double stiffness = tie_table[o->kind] * D * (w / pow(l, 3) + l / pow(w, 3));
    for (int c = 0; c < 3; c += 2, k++) {
      tie[2 * k] = 3 * i + c;
      tie[2 * k + 1] = 3 * (n + i) + c;
      pl_build_par(d, group, k, "stiffness", &(pl_value){.v = stiffness});
    }
  }
}

static pl_status plate(pl_builder *d, const strip_desc *o, strip *s, pl_mesh **mesh) {
  const dims *u = protocol_dims(o->units);
  int midedge = o->kind == STRIP_MIDEDGE;
  PL_TRY(pl_gen_grid(d->env, o->n, 1, 1, s->width, PL_RIGHT, mesh));
  pl_mesh *m = *mesh;
  int *column = pl_build_keep(d, (size_t)m->nvert, sizeof *column);
  if (!column) return PL_E_NOMEM;
  for (int i = 0; i < m->nvert; i++) {
    column[i] = i % (o->n + 1);
    m->X[3 * i] = s->length * place(o, column[i]);
  }
  pl_build_body(d, &(pl_body_desc){.name = "plate",
                                   .mesh = m,
                                   .young = {.v = u->young},
                                   .poisson = {.v = o->nu},
                                   .density = {.v = u->density},
                                   .consistent = 1,
                                   .thickness = {.v = s->thickness},
                                   .bending = midedge ? PL_BENDING_MIDEDGE : PL_BENDING_HINGE});
  hold(d, o, m->nvert, column);
  if (!o->free_sides) tie_columns(d, o, s);
  for (int j = 0; j < 2; j++) s->tip[j] = (o->n + 1) * j + o->n;
  s->ntip = 2;
  return midedge && !o->free_sides ? hold_sides(d, m) : PL_OK;
}

// ---- solids -----------------------------------------------------------------------------------

static pl_status solid(pl_builder *d, const strip_desc *o, strip *s, pl_mesh **mesh) {
  const dims *u = protocol_dims(o->units);
  const int cells[3] = {o->n, 1, LAYERS};
  const double size[3] = {o->n, s->width, s->thickness};
  PL_TRY(pl_gen_hex_box(d->env, cells, size, mesh));
  pl_mesh *m = *mesh;
  int *column = pl_build_keep(d, (size_t)m->nvert, sizeof *column);
  if (!column) return PL_E_NOMEM;
  for (int i = 0; i < m->nvert; i++) {
    column[i] = (int)lround(m->X[3 * i]);
    m->X[3 * i] = s->length * place(o, column[i]);
    m->X[3 * i + 2] -= s->thickness / 2;
    if (column[i] == o->n) s->tip[s->ntip++] = i;
  }
  pl_build_body(d, &(pl_body_desc){.name = "solid",
                                   .kind = PL_BODY_SOLID,
                                   .mesh = m,
                                   .young = {.v = u->young},
                                   .poisson = {.v = o->nu},
                                   .density = {.v = u->density},
                                   .consistent = 1});
  hold(d, o, m->nvert, column);
  return PL_OK;
}

// ---- all of them ------------------------------------------------------------------------------

typedef pl_status (*fill_fn)(pl_builder *d, const strip_desc *o, strip *s, pl_mesh **mesh);
static const fill_fn fill_table[] = {
    [STRIP_ROD] = rod, [STRIP_HINGE] = plate, [STRIP_MIDEDGE] = plate, [STRIP_HEX8] = solid};

pl_status strip_create(pl_env *env, const strip_desc *o, strip *s) {
  const dims *u = protocol_dims(o->units);
  memset(s, 0, sizeof *s);
  s->env = env;
  s->length = u->length;
  s->thickness = o->thickness * u->length;
  s->width = u->length * (o->grade > 0 ? fmax(width_table[o->kind] / o->n, NARROWEST) : 1.0 / o->n);
  // E I/A of a round section, E/(1 - nu^2) h^2/12 of a plate
  double h = s->thickness, L = s->length, nu = o->nu;
  double bend =
      o->kind == STRIP_ROD ? u->young * h * h / 16 : u->young * h * h / 12 / (1 - nu * nu);
  s->gravity = bend / (u->density * L * L * L);
  s->omega = sqrt(bend / u->density) / (L * L);
  pl_builder *d;
  pl_mesh *mesh = NULL;
  PL_TRY(pl_builder_create(env, 3, &d));
  d->gravity[2] = -s->gravity;
  pl_status st = fill_table[o->kind](d, o, s, &mesh);
  if (st == PL_OK)
    st = pl_build_all(d, 1, &s->b);
  else
    pl_builder_free(d);
  pl_mesh_free(mesh);
  return st;
}

void strip_free(strip *s) {
  pl_built_free(&s->b);
}

pl_status strip_hang(strip *s, double gamma) {
  pl_static_opts o;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  o.book = 0; // the master curve tells
  int steps = gamma > 1 ? (int)ceil(log(gamma) / log(GROWTH)) : 0;
  for (int k = steps; k >= 0; k--) {
    s->b.params->par[PL_PAR_GRAVITY + 2] = -s->gravity * gamma * pow(GROWTH, -k);
    PL_TRY(pl_static(&o, s->b.model, s->b.params, s->b.state, s->b.work, NULL, NULL, NULL));
  }
  return PL_OK;
}

void strip_tip(const strip *s, double *range, double *drop) {
  *range = *drop = 0;
  for (int i = 0; i < s->ntip; i++) {
    *range += s->b.state->q[3 * s->tip[i]] / s->ntip;
    *drop -= s->b.state->q[3 * s->tip[i] + 2] / s->ntip;
  }
}
