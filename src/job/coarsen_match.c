// Modes of two meshes of voxels: those of the coarse one are taken at the nodes of the fine one.
#include "coarsen.h"

#include "pliant/limit.h"
#include "pliant/math.h"

#include <math.h>
#include <string.h>

enum { RIGID = 6, NEAR = 2 }; // motions of a free body; voxels that a node may lie outside

// NULL: there is none, or several
static const pl_scene_body *body_of_voxels(const pl_scene *s) {
  const pl_scene_body *found = NULL;
  for (int k = 0; k < s->nbody; k++) {
    if (!s->body[k].voxels) continue;
    if (found) return NULL;
    found = &s->body[k];
  }
  return found;
}

// ---- modes ------------------------------------------------------------------------------------

static void drop_rigid(coarse_modes *m, const pl_modes_info *info, int nq, int want) {
  int rigid = info->nrigid < info->nfound ? info->nrigid : info->nfound;
  m->n = info->nfound - rigid < want ? info->nfound - rigid : want;
  memmove(m->omega, m->omega + rigid, (size_t)m->n * sizeof *m->omega);
  memmove(m->shape, m->shape + (size_t)rigid * (size_t)nq,
          (size_t)m->n * (size_t)nq * sizeof *m->shape);
}

pl_status modes_find(pl_env *env, const pl_scene *s, int n, int threads, coarse_modes *out) {
  int nq = pl_model_nq(s->model), count = n + RIGID;
  pl_state *rest = NULL;
  pl_work *w = NULL;
  pl_modes_info info = {0};
  *out = (coarse_modes){.scene = s, .body = body_of_voxels(s)};
  out->omega = pl_alloc(env, (size_t)count, sizeof *out->omega);
  out->shape = pl_alloc(env, (size_t)count, (size_t)nq * sizeof *out->shape);
  pl_status st = out->omega && out->shape ? PL_OK : PL_E_NOMEM;
  if (st == PL_OK) st = pl_state_create(s->model, s->params, &rest);
  if (st == PL_OK) st = pl_work_create_for(env, s->model, threads, &w);
  if (st == PL_OK)
    st = pl_modes(&(pl_modes_opts){.count = count}, s->model, s->params, rest, w, out->omega,
                  out->shape, &info);
  if (st == PL_OK) drop_rigid(out, &info, nq, n);
  pl_work_free(w);
  pl_state_free(s->model, rest);
  return st;
}

void modes_free(pl_env *env, coarse_modes *m) {
  pl_free(env, m->omega);
  pl_free(env, m->shape);
  *m = (coarse_modes){0};
}

// ---- voxels by their places -------------------------------------------------------------------

// the lattice of a body's voxels: axes along its edges, cells by their places in a box
typedef struct lattice {
  double origin[3], edge[3][3], square[3]; // of the first voxel; edges, and their squares
  int lo[3], n[3];
  int *cell; // [n2][n1][n0] number of the hex of the scene's mesh + 1, 0: none
} lattice;

static void lattice_place(const lattice *g, const double *p, double *x) {
  double d[3];
  pl_sub3(p, g->origin, d);
  for (int a = 0; a < 3; a++) x[a] = pl_dot3(d, g->edge[a]) / g->square[a];
}

static void hex_place(const lattice *g, const pl_mesh *m, int e, int *at) {
  const int *v = m->cell[PL_HEX8].v + 8 * (size_t)e;
  double c[3] = {0}, x[3];
  for (int k = 0; k < 8; k++)
    for (int a = 0; a < 3; a++) c[a] += 0.125 * m->X[3 * (size_t)v[k] + (size_t)a];
  lattice_place(g, c, x);
  for (int a = 0; a < 3; a++) at[a] = pl_floor_int(x[a]);
}

static int *lattice_cell(const lattice *g, const int *at) {
  for (int a = 0; a < 3; a++)
    if (at[a] < g->lo[a] || at[a] >= g->lo[a] + g->n[a]) return NULL;
  return &g->cell[((size_t)(at[2] - g->lo[2]) * (size_t)g->n[1] + (size_t)(at[1] - g->lo[1])) *
                      (size_t)g->n[0] +
                  (size_t)(at[0] - g->lo[0])];
}

// own[nhex]: hexes of the body
static pl_status lattice_open(pl_env *env, const pl_mesh *m, const char *own, lattice *g) {
  static const int along[3] = {1, 3, 4};
  int first = 0, nhex = m->cell[PL_HEX8].n, hi[3] = {0}, at[3];
  *g = (lattice){.cell = NULL};
  while (first < nhex && !own[first]) first++;
  if (first == nhex) return pl_fail(env, PL_E_INTERNAL, "coarsen: the body has no voxels");
  const int *v = m->cell[PL_HEX8].v + 8 * (size_t)first;
  memcpy(g->origin, m->X + 3 * (size_t)v[0], sizeof g->origin);
  for (int a = 0; a < 3; a++) {
    pl_sub3(m->X + 3 * (size_t)v[along[a]], g->origin, g->edge[a]);
    g->square[a] = pl_dot3(g->edge[a], g->edge[a]);
  }
  for (int e = first; e < nhex; e++) {
    if (!own[e]) continue;
    hex_place(g, m, e, at);
    for (int a = 0; a < 3; a++) {
      if (at[a] < g->lo[a]) g->lo[a] = at[a];
      if (at[a] > hi[a]) hi[a] = at[a];
    }
  }
  for (int a = 0; a < 3; a++) g->n[a] = hi[a] - g->lo[a] + 1;
  g->cell = pl_alloc(env, (size_t)g->n[0] * (size_t)g->n[1], (size_t)g->n[2] * sizeof *g->cell);
  if (!g->cell) return PL_E_NOMEM;
  for (int e = first; e < nhex; e++) {
    if (!own[e]) continue;
    hex_place(g, m, e, at);
    *lattice_cell(g, at) = e + 1;
  }
  return PL_OK;
}

// the voxel at p or the nearest one to it, with the natural coordinates of p in it; -1: none is
// near
static int lattice_find(const lattice *g, const double *p, double *natural) {
  double x[3], least = INFINITY;
  int base[3], found = -1, place[3] = {0};
  lattice_place(g, p, x);
  for (int a = 0; a < 3; a++) base[a] = pl_floor_int(x[a]);
  for (int c = 0; c < (2 * NEAR + 1) * (2 * NEAR + 1) * (2 * NEAR + 1); c++) {
    int w = 2 * NEAR + 1,
        at[3] = {base[0] + c % w - NEAR, base[1] + c / w % w - NEAR, base[2] + c / (w * w) - NEAR};
    const int *cell = lattice_cell(g, at);
    if (!cell || !*cell) continue;
    double far = 0;
    for (int a = 0; a < 3; a++) {
      double off = fmax(0, fmax(at[a] - x[a], x[a] - at[a] - 1));
      far += off * off * g->square[a];
    }
    if (!(far < least)) continue;
    least = far;
    found = *cell - 1;
    memcpy(place, at, sizeof place);
  }
  for (int a = 0; a < 3; a++) natural[a] = 2 * (x[a] - place[a]) - 1;
  return found;
}

// ---- matching ---------------------------------------------------------------------------------

typedef struct matching {
  pl_env *env;
  const coarse_modes *fine, *coarse;
  double *mass;  // [nnode of the fine]
  double *other; // [coarse->n][nnode of the body][3] coarse shapes at its nodes
} matching;

static pl_status mark_hexes(pl_env *env, const pl_scene *s, const pl_scene_body *b, char **own) {
  const pl_cells *c = &s->mesh->cell[PL_HEX8];
  char *in = pl_alloc(env, (size_t)s->mesh->nvert, 1);
  *own = pl_alloc(env, (size_t)c->n, 1);
  for (int i = 0; in && *own && i < b->n; i++) in[b->node[i]] = 1;
  for (int e = 0; in && *own && e < c->n; e++) {
    (*own)[e] = 1;
    for (int k = 0; k < 8; k++) (*own)[e] &= in[c->v[8 * (size_t)e + (size_t)k]];
  }
  pl_status s_ = in && *own ? PL_OK : PL_E_NOMEM;
  pl_free(env, in);
  return s_;
}

// shapes of the coarse mesh at the nodes of the fine body; beyond its voxels they go on linearly
static pl_status transfer_shapes(matching *k) {
  const pl_scene *cs = k->coarse->scene, *fs = k->fine->scene;
  const pl_scene_body *b = k->fine->body;
  int nq = pl_model_nq(cs->model);
  char *own = NULL;
  lattice g = {.cell = NULL};
  pl_status st = mark_hexes(k->env, cs, k->coarse->body, &own);
  if (st == PL_OK) st = lattice_open(k->env, cs->mesh, own, &g);
  for (int i = 0; st == PL_OK && i < b->n; i++) {
    double at[3], N[8];
    int e = lattice_find(&g, fs->mesh->X + 3 * (size_t)b->node[i], at);
    if (e < 0) continue;
    pl_cell_shape(PL_HEX8, at, N, NULL);
    const int *v = cs->mesh->cell[PL_HEX8].v + 8 * (size_t)e;
    for (int l = 0; l < k->coarse->n; l++)
      for (int c = 0; c < 24; c++)
        k->other[3 * ((size_t)l * (size_t)b->n + (size_t)i) + (size_t)(c % 3)] +=
            N[c / 3] *
            k->coarse->shape[(size_t)l * (size_t)nq + 3 * (size_t)v[c / 3] + (size_t)(c % 3)];
  }
  pl_free(k->env, g.cell);
  pl_free(k->env, own);
  return st;
}

// products of a fine and a coarse shape, weighted by masses: with itself, with the other, ...
static void products(const matching *k, int mode, int other, double *ff, double *fc, double *cc) {
  const pl_scene_body *b = k->fine->body;
  int nq = pl_model_nq(k->fine->scene->model);
  *ff = *fc = *cc = 0;
  for (int i = 0; i < b->n; i++) {
    const double *f = k->fine->shape + (size_t)mode * (size_t)nq + 3 * (size_t)b->node[i];
    const double *c = k->other + 3 * ((size_t)other * (size_t)b->n + (size_t)i);
    double m = k->mass[b->node[i]];
    *ff += m * pl_dot3(f, f);
    *fc += m * pl_dot3(f, c);
    *cc += m * pl_dot3(c, c);
  }
}

static double distance(const matching *k, int mode, int other, double factor) {
  const pl_scene_body *b = k->fine->body;
  int nq = pl_model_nq(k->fine->scene->model);
  double most = 0, size = 0;
  for (int i = 0; i < b->n; i++) {
    const double *f = k->fine->shape + (size_t)mode * (size_t)nq + 3 * (size_t)b->node[i];
    const double *c = k->other + 3 * ((size_t)other * (size_t)b->n + (size_t)i);
    double d[3];
    for (int a = 0; a < 3; a++) d[a] = f[a] - factor * c[a];
    most = fmax(most, pl_norm3(d));
    size = fmax(size, pl_norm3(f));
  }
  return size > 0 ? most / size : 0;
}

static void match_mode(const matching *k, int mode, mode_match *out) {
  double factor = 0;
  *out = (mode_match){.mode = -1};
  for (int l = 0; l < k->coarse->n; l++) {
    double ff, fc, cc;
    products(k, mode, l, &ff, &fc, &cc);
    double mac = ff > 0 && cc > 0 ? fc * fc / (ff * cc) : 0;
    if (!(mac > out->mac)) continue;
    out->mac = mac;
    out->mode = l;
    factor = fc / cc;
  }
  out->distance = out->mode >= 0 ? distance(k, mode, out->mode, factor) : 1;
}

pl_status modes_match(pl_env *env, const coarse_modes *fine, const coarse_modes *coarse, int n,
                      mode_match *match) {
  matching k = {.env = env, .fine = fine, .coarse = coarse};
  const pl_scene *fs = fine->scene;
  k.mass = pl_alloc(env, (size_t)pl_model_nnode(fs->model), sizeof *k.mass);
  k.other = pl_alloc(env, (size_t)coarse->n * (size_t)fine->body->n, 3 * sizeof *k.other);
  pl_status st = k.mass && k.other ? PL_OK : PL_E_NOMEM;
  if (st == PL_OK) {
    pl_node_masses(fs->model, fs->params, k.mass);
    st = transfer_shapes(&k);
  }
  for (int i = 0; st == PL_OK && i < n; i++) match_mode(&k, i, &match[i]);
  pl_free(env, k.mass);
  pl_free(env, k.other);
  return st;
}
