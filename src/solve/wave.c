// Speed of sound in the bodies of a model: how they answer uniform strains of the reference shape.
#include "solve_impl.h"

#include <string.h>

enum { STRAINS = 6 };
static const double SMALL = 1e-6; // strain by which stiffness is differentiated
static const double SOFT = 1e-9;  // of the stiffest strain: less is none

// nodes that share an element belong to one body, by its first node
static void join_group(const pl_model *m, int g, int *up) {
  const pl_elem_kind *kind = pl_model_group_kind(m, g);
  const int *stencil = pl_model_group_stencil(m, g);
  int ns = kind->nvert + kind->nscal, dim = pl_model_dim(m), places = pl_model_nnode(m) * dim;
  if (kind->outer) return;
  for (int e = 0; e < pl_model_group_size(m, g); e++, stencil += ns) {
    int first = -1;
    for (int i = 0; i < ns; i++) {
      int node = stencil[i];
      if (i >= kind->nvert) node = node >= 0 && node < places ? node / dim : -1;
      if (node < 0) continue;
      if (first < 0) first = node;
      pl_unite(up, first, node);
    }
  }
}

static void find_bodies(const pl_model *m, pl_sound *k) {
  for (int i = 0; i < k->nnode; i++) k->body[i] = i;
  for (int g = 0; g < pl_model_ngroup(m); g++) join_group(m, g, k->body);
  for (int i = 0; i < k->nnode; i++) k->body[i] = pl_root(k->body, i);
  // a first node comes before all others of its body
  for (int i = 0; i < k->nnode; i++)
    if (k->body[i] == i) k->body[i] = -1 - k->nbody++;
  for (int i = 0; i < k->nnode; i++)
    k->body[i] = k->body[i] < 0 ? -1 - k->body[i] : k->body[k->body[i]];
}

// bodies without an element that yields
static void find_rigid(const pl_model *m, pl_sound *k) {
  for (int b = 0; b < k->nbody; b++) k->rigid[b] = 1;
  for (int g = 0; g < pl_model_ngroup(m); g++) {
    const pl_elem_kind *kind = pl_model_group_kind(m, g);
    const int *stencil = pl_model_group_stencil(m, g);
    if (kind->outer || kind->nvert < 2 || pl_model_group_rigid(m, g)) continue;
    for (int e = 0; e < pl_model_group_size(m, g); e++, stencil += kind->nvert + kind->nscal)
      if (stencil[0] >= 0) k->rigid[k->body[stencil[0]]] = 0;
  }
}

static int strains(int dim) {
  return dim == 3 ? STRAINS : dim == 2 ? 3 : 1;
}

// displacement u[dim] at x[dim] under one of the strains; shear by the angle
static void displace(int dim, int strain, const double *x, double *u) {
  static const int pair3[3][2] = {{1, 2}, {0, 2}, {0, 1}}, pair2[2] = {0, 1};
  memset(u, 0, (size_t)dim * sizeof *u);
  if (strain < dim) {
    u[strain] = x[strain];
    return;
  }
  const int *a = dim == 3 ? pair3[strain - dim] : pair2;
  u[a[0]] = 0.5 * x[a[1]];
  u[a[1]] = 0.5 * x[a[0]];
}

// adds the forces of a strain, times a factor, along all strains
static pl_status add_forces(const pl_model *m, const pl_params *p, pl_work *w, pl_state *s,
                            int strain, double size, pl_sound *k) {
  static const pl_clock none = {.timed = -1};
  int dim = k->dim, n = strains(dim);
  double u[3];
  for (int i = 0; i < k->nnode; i++) {
    displace(dim, strain, p->X + i * dim, u);
    for (int c = 0; c < dim; c++) s->q[i * dim + c] = p->X[i * dim + c] + size * u[c];
  }
  PL_TRY(pl_eval(m, p, s, &none, PL_WANT_FORCE, NULL, w));
  for (int i = 0; i < k->nnode; i++)
    for (int b = 0; b < n; b++) {
      displace(dim, b, p->X + i * dim, u);
      k->stiffness[(k->body[i] * STRAINS + strain) * STRAINS + b] +=
          pl_dot(dim, u, w->f_inner + i * dim) / (2 * size);
    }
  return PL_OK;
}

// symmetric, and factored in place as [n][n]; what some strain does not stretch has none
static void factor(int dim, double *C) {
  double own[STRAINS * STRAINS], most = 0;
  int n = strains(dim);
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) own[a * n + b] = 0.5 * (C[a * STRAINS + b] + C[b * STRAINS + a]);
  for (int a = 0; a < n; a++) most = fmax(most, own[a * n + a]);
  double least = pl_cholesky(n, own);
  memset(C, 0, STRAINS * STRAINS * sizeof *C);
  if (most > 0 && least > SOFT * most) memcpy(C, own, (size_t)(n * n) * sizeof *C);
}

static pl_status measure(const pl_model *m, const pl_params *p, pl_work *w, pl_state *s,
                         pl_sound *k) {
  int nq = pl_model_nq(m), dim = k->dim;
  for (int a = 0; a < strains(dim); a++)
    for (int side = -1; side <= 1; side += 2) {
      pl_status st = add_forces(m, p, w, s, a, side * SMALL, k);
      // no place for such strains: nothing is known
      if (st == PL_DOMAIN) memset(k->stiffness, 0, (size_t)k->nbody * 36 * sizeof *k->stiffness);
      if (st != PL_OK) return st == PL_DOMAIN ? PL_OK : st;
    }
  for (int b = 0; b < k->nbody; b++) factor(dim, k->stiffness + b * STRAINS * STRAINS);
  memset(s->v, 0, (size_t)nq * sizeof *s->v);
  for (int i = 0; i < k->nnode; i++) s->v[i * dim] = 1;
  pl_mass_mul(p, s->v, w, s->a);
  for (int i = 0; i < k->nnode; i++) k->mass[k->body[i]] += s->a[i * dim];
  return PL_OK;
}

pl_status pl_sound_create(const pl_model *m, const pl_params *p, pl_work *w, pl_sound **out) {
  pl_env *env = w->env;
  pl_sound *k = pl_alloc(env, 1, sizeof *k);
  *out = NULL;
  if (!k) return PL_E_NOMEM;
  *k = (pl_sound){.env = env, .dim = pl_model_dim(m), .nnode = pl_model_nnode(m)};
  pl_state *s = NULL;
  k->body = pl_alloc(env, (size_t)k->nnode, sizeof *k->body);
  pl_status st = k->body ? pl_state_create(m, p, &s) : PL_E_NOMEM;
  if (st == PL_OK) {
    find_bodies(m, k);
    k->rigid = pl_alloc(env, (size_t)k->nbody, sizeof *k->rigid);
    k->mass = pl_alloc(env, (size_t)k->nbody, sizeof *k->mass);
    k->stiffness = pl_alloc(env, (size_t)k->nbody, STRAINS * STRAINS * sizeof *k->stiffness);
    st = k->rigid && k->mass && k->stiffness ? measure(m, p, w, s, k) : PL_E_NOMEM;
    if (st == PL_OK) find_rigid(m, k);
  }
  pl_state_free(m, s);
  if (st != PL_OK) pl_sound_free(k);
  if (st == PL_OK) *out = k;
  return st;
}

void pl_sound_free(pl_sound *k) {
  if (!k) return;
  pl_free(k->env, k->body);
  pl_free(k->env, k->rigid);
  pl_free(k->env, k->mass);
  pl_free(k->env, k->stiffness);
  pl_free(k->env, k);
}

double pl_sound_speed(const pl_sound *k, int body, const double *n) {
  const double *C = k->stiffness + body * STRAINS * STRAINS;
  if (!(C[0] > 0) || !(k->mass[body] > 0)) return 0;
  // stress along n, and the strain that it makes along n: 1/(E V)
  double stress[STRAINS] = {n[0] * n[0]}, strain[STRAINS];
  if (k->dim == 2) {
    stress[1] = n[1] * n[1];
    stress[2] = n[0] * n[1];
  } else if (k->dim == 3) {
    for (int c = 1; c < 3; c++) stress[c] = n[c] * n[c];
    stress[3] = n[1] * n[2];
    stress[4] = n[0] * n[2];
    stress[5] = n[0] * n[1];
  }
  memcpy(strain, stress, sizeof strain);
  pl_cholesky_solve(strains(k->dim), C, strain);
  return 1 / sqrt(pl_dot(strains(k->dim), stress, strain) * k->mass[body]);
}

double pl_sound_time(const pl_sound *k, int body, const double *q, const double *n) {
  double lo = INFINITY, hi = -INFINITY, speed = pl_sound_speed(k, body, n);
  if (!(speed > 0)) return 0;
  for (int i = 0; i < k->nnode; i++) {
    if (k->body[i] != body) continue;
    double at = pl_dot(k->dim, n, q + i * k->dim);
    lo = fmin(lo, at);
    hi = fmax(hi, at);
  }
  return (hi - lo) / speed;
}

void pl_sound_mean(const pl_sound *k, int body, const double *mv, double *out) {
  memset(out, 0, (size_t)k->dim * sizeof *out);
  for (int i = 0; i < k->nnode; i++)
    for (int c = 0; c < k->dim && k->body[i] == body; c++) out[c] += mv[i * k->dim + c];
  for (int c = 0; c < k->dim && k->mass[body] > 0; c++) out[c] /= k->mass[body];
}
