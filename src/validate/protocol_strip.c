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
static void hold(draft *d, const strip_desc *o, int nnode, const int *column, int nscal,
                 const int *scal) {
  int *clamp = draft_keep(d, nnode, sizeof *clamp), *rest = draft_keep(d, nnode, sizeof *rest);
  int nclamp = 0, nrest = 0, flat = o->kind == STRIP_ROD ? o->plane : !o->free_sides;
  if (!clamp || !rest) return;
  for (int i = 0; i < nnode; i++)
    if (column[i] < held_columns(o))
      clamp[nclamp++] = i;
    else if (flat)
      rest[nrest++] = i;
  if (nclamp || nscal) draft_hold(d, nclamp, clamp, 7, nscal, scal);
  if (nrest) draft_hold(d, nrest, rest, 2, 0, NULL);
}

// ---- rods -------------------------------------------------------------------------------------

static pl_status rod(draft *d, const strip_desc *o, strip *s) {
  const dims *u = protocol_dims(o->units);
  int n = o->n, theta = 3 * (n + 1);
  double *X = draft_keep(d, 3 * (n + 1), sizeof *X);
  int *edge = draft_keep(d, 3 * n, sizeof *edge), *bend = draft_keep(d, 5 * n, sizeof *bend);
  int *column = draft_keep(d, n + 1, sizeof *column), *turn = draft_keep(d, n, sizeof *turn);
  if (d->failed) return PL_E_NOMEM;
  memset(X, 0, 3 * (size_t)(n + 1) * sizeof *X);
  for (int i = 0; i <= n; i++) {
    X[3 * i] = u->length * place(o, i);
    column[i] = i;
  }
  for (int i = 0; i < n; i++) {
    memcpy(edge + 3 * i, (const int[]){i, i + 1, theta + i}, 3 * sizeof *edge);
    memcpy(bend + 5 * i, (const int[]){i, i + 1, i + 2, theta + i, theta + i + 1},
           5 * sizeof *bend);
    turn[i] = i;
  }
  const double par[] = {u->young, o->nu, u->density, s->thickness, s->thickness, 0, 0};
  d->d.X = X;
  d->d.nnode = n + 1;
  d->d.nextra = n;
  draft_group(d, "rod_edge", n, edge, COUNT(par), par);
  draft_group(d, "rod_bend", n - 1, bend, COUNT(par), par);
  hold(d, o, n + 1, column, o->plane ? n : 1, turn);
  s->ntip = 1;
  s->tip[0] = n;
  return d->failed ? PL_E_NOMEM : PL_OK;
}

// ---- plates -----------------------------------------------------------------------------------

// edges along both sides: without a xi the normal there is that of the triangle
static int side_edges(const pl_topology *t, const pl_midedge *e, const pl_mesh *m, int *scal) {
  int n = 0;
  for (int k = 0; k < t->nborder; k++) {
    const int *v = t->edge + 2 * t->border[k];
    if (m->X[3 * v[0]] != m->X[3 * v[1]]) scal[n++] = e->edge_xi[t->border[k]];
  }
  return n;
}

// Both nodes of a column move alike, as they do in a cylinder: springs far stiffer than what bends,
// D w/l^3 along and D l/w^3 across. Left to themselves, triangles of a narrow strip fold along
// their diagonals.
static void tie_columns(draft *d, const strip_desc *o, const strip *s) {
  int n = o->n + 1, k = 0, *tie = draft_keep(d, 4 * n, sizeof *tie);
  double *par = draft_keep(d, 8 * n, sizeof *par), w = s->width;
  double sheet = protocol_dims(o->units)->young * s->thickness, h = s->thickness;
  double D = sheet * h * h / (12 * (1 - o->nu * o->nu));
  if (!tie || !par) return;
  memset(par, 0, 8 * (size_t)n * sizeof *par);
  for (int i = held_columns(o); i < n; i++) {
    double l = s->length * (place(o, i) - place(o, i - 1));
    double stiffness = tie_table[o->kind] * D * (w / pow(l, 3) + l / pow(w, 3));
    for (int c = 0; c < 3; c += 2, k++) {
      tie[2 * k] = 3 * i + c;
      tie[2 * k + 1] = 3 * (n + i) + c;
      par[4 * k] = stiffness;
    }
  }
  draft_group(d, "spring1", k, tie, 0, par);
}

static pl_status plate_on(draft *d, const strip_desc *o, strip *s, const pl_mesh *m) {
  const dims *u = protocol_dims(o->units);
  shell sh = {u->young, o->nu, u->density, s->thickness,
              o->kind == STRIP_MIDEDGE ? SHELL_MIDEDGE : SHELL_HINGE};
  int *clamp = draft_keep(d, m->nvert, sizeof *clamp), nside = 0, *side = NULL;
  int *column = draft_keep(d, m->nvert, sizeof *column);
  if (d->failed) return PL_E_NOMEM;
  for (int i = 0; i < m->nvert; i++) {
    column[i] = i % (o->n + 1);
    clamp[i] = column[i] < held_columns(o) ? 0 : -1;
  }
  pl_topology *t;
  pl_midedge *e = NULL;
  PL_TRY(pl_topology_create(m, &t));
  pl_status st = draft_shell(d, m, &sh, clamp, t, &e);
  if (st == PL_OK && e && !o->free_sides) {
    side = draft_keep(d, t->nborder, sizeof *side);
    if (side) nside = side_edges(t, e, m, side);
  }
  if (st == PL_OK) hold(d, o, m->nvert, column, nside, side);
  if (st == PL_OK && !o->free_sides) tie_columns(d, o, s);
  for (int j = 0; j < 2; j++) s->tip[j] = (o->n + 1) * j + o->n;
  s->ntip = 2;
  pl_midedge_free(e);
  pl_topology_free(t);
  return st == PL_OK && d->failed ? PL_E_NOMEM : st;
}

static pl_status plate(draft *d, const strip_desc *o, strip *s) {
  pl_mesh *m;
  PL_TRY(pl_gen_grid(d->env, o->n, 1, 1, s->width, PL_RIGHT, &m));
  for (int i = 0; i < m->nvert; i++) m->X[3 * i] = s->length * place(o, i % (o->n + 1));
  pl_status st = plate_on(d, o, s, m);
  pl_mesh_free(m);
  return st;
}

// ---- solids -----------------------------------------------------------------------------------

static pl_status solid(draft *d, const strip_desc *o, strip *s) {
  const dims *u = protocol_dims(o->units);
  const int cells[3] = {o->n, 1, LAYERS};
  const double size[3] = {o->n, s->width, s->thickness};
  pl_mesh *m;
  PL_TRY(pl_gen_hex_box(d->env, cells, size, &m));
  int *column = draft_keep(d, m->nvert, sizeof *column);
  double *X = draft_keep(d, 3 * m->nvert, sizeof *X);
  int ntip = 0;
  for (int i = 0; !d->failed && i < m->nvert; i++) {
    column[i] = (int)lround(m->X[3 * i]);
    X[3 * i] = s->length * place(o, column[i]);
    X[3 * i + 1] = m->X[3 * i + 1];
    X[3 * i + 2] = m->X[3 * i + 2] - s->thickness / 2;
    if (column[i] == o->n) s->tip[ntip++] = i;
  }
  if (!d->failed) {
    d->d.X = X;
    d->d.nnode = m->nvert;
    draft_group(d, "hex8", m->cell[PL_HEX8].n, m->cell[PL_HEX8].v, 3,
                (const double[]){u->young, o->nu, u->density});
    hold(d, o, m->nvert, column, 0, NULL);
  }
  s->ntip = ntip;
  pl_mesh_free(m);
  return d->failed ? PL_E_NOMEM : PL_OK;
}

// ---- all of them ------------------------------------------------------------------------------

typedef pl_status (*fill_fn)(draft *d, const strip_desc *o, strip *s);
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
  draft d;
  PL_TRY(draft_open(env, &d));
  d.d.gravity[2] = -s->gravity;
  pl_status st = fill_table[o->kind](&d, o, s);
  if (st == PL_OK) st = built_create(&d, &s->b);
  draft_close(&d);
  return st;
}

void strip_free(strip *s) {
  built_free(&s->b);
}

pl_status strip_hang(strip *s, double gamma) {
  pl_static_opts o;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  o.book = 0; // the master curve tells
  int steps = gamma > 1 ? (int)ceil(log(gamma) / log(GROWTH)) : 0;
  for (int k = steps; k >= 0; k--) {
    s->b.p->par[PL_PAR_GRAVITY + 2] = -s->gravity * gamma * pow(GROWTH, -k);
    PL_TRY(pl_static(&o, s->b.m, s->b.p, s->b.s, s->b.w, NULL, NULL, NULL));
  }
  return PL_OK;
}

void strip_tip(const strip *s, double *reach, double *drop) {
  *reach = *drop = 0;
  for (int i = 0; i < s->ntip; i++) {
    *reach += s->b.s->q[3 * s->tip[i]] / s->ntip;
    *drop -= s->b.s->q[3 * s->tip[i] + 2] / s->ntip;
  }
}
