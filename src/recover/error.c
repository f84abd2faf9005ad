// Zienkiewicz and Zhu's estimate: 1/2 int (S* - S):(E* - E) dV, where * are smooth fields from
// values at nodes by patches.
#include "recover_impl.h"

#include "pliant/math.h"

#include <string.h>

typedef struct estimate {
  look l;
  pl_recover *r;
  double *error, *elastic; // [n]
} estimate;

// S:E, shears twice
static double product(const pl_stress *a) {
  double sum = 0;
  for (int k = 0; k < 6; k++) sum += (k < 3 ? 1 : 2) * a->second[k] * a->strain[k];
  return sum;
}

// Points of a cell, and its stress there; -1: outside the domain. Two points a direction are exact
// for products of what a hexahedron of first order has: its samples do.
static int stress_at_points(const estimate *e, const rcell *c, double (*at)[3], double *weight,
                            pl_stress *const *out) {
  if (c->type != PL_HEX8) {
    int n = pl_cell_points(c->type, at, weight);
    return recover_look(&e->l, c, n, (const double(*)[3])at, out) ? -1 : n;
  }
  const recover_impl *k = e->r->impl;
  int n = recover_points(c->type, at);
  for (int g = 0; g < n; g++) weight[g] = 1;
  for (int layer = 0; layer < e->r->nlayer; layer++)
    memcpy(out[layer], k->sample[layer] + c->first, (size_t)n * sizeof **out);
  return k->domain[c - k->cell] ? -1 : n;
}

static void judge_cell(void *ctx, int i, int thread) {
  // Simpson's rule over the thickness, exact for products of linear functions
  static const double share[2][PL_LAYER_COUNT] = {{1, 0, 0}, {4. / 6, 1. / 6, 1. / 6}};
  const estimate *e = ctx;
  const recover_impl *k = e->r->impl;
  const rcell *c = &k->cell[i];
  double at[PL_CELL_POINT_MAX][3], weight[PL_CELL_POINT_MAX], N[PL_CELL_VERT_MAX];
  pl_stress value[PL_LAYER_COUNT][PL_CELL_POINT_MAX];
  pl_stress *const out[PL_LAYER_COUNT] = {value[0], value[1], value[2]};
  int n = stress_at_points(e, c, at, weight, out), thick = c->thickness >= 0;
  (void)thread;
  e->error[i] = e->elastic[i] = 0;
  for (int g = 0; g < n; g++) {
    double w = 0.5 * weight[g] * pl_cell_jacobian(c->type, k->mesh->X, c->v, at[g]);
    if (thick) w *= recover_thickness(&e->l, c);
    pl_cell_shape(c->type, at[g], N, NULL);
    for (int layer = 0; layer < e->r->nlayer; layer++) {
      double s = share[e->r->nlayer > 1][layer];
      e->elastic[i] += s * w * product(&value[layer][g]);
      for (int a = 0; a < pl_cell_nvert[c->type]; a++)
        stress_add(&value[layer][g], -N[a], &k->smooth[layer][k->slot_of[c->slot0 + a]]);
      e->error[i] += s * w * product(&value[layer][g]);
    }
  }
}

static void sum_up(const estimate *e, double *each, pl_error_estimate *out) {
  const recover_impl *k = e->r->impl;
  double most = 0;
  *out = (pl_error_estimate){.group = -1, .elem = -1, .cell = -1};
  for (int c = 0; each && c < e->r->ncell; c++) each[c] = 0;
  for (int i = 0; i < k->n; i++) {
    out->energy += e->error[i];
    out->elastic += e->elastic[i];
    if (each) each[k->cell[i].index] = e->error[i];
    if (e->error[i] <= most) continue;
    most = e->error[i];
    out->group = k->cell[i].group;
    out->elem = k->cell[i].elem;
    out->cell = k->cell[i].index;
  }
  double all = out->energy + out->elastic;
  out->relative = out->energy > 0 && all > 0 ? sqrt(out->energy / all) : 0;
  out->share = out->energy > 0 ? most / out->energy : 0;
}

// states to both sides of s along the mode; strain is quadratic in the unknowns, so that its
// difference is exact for any step: one that keeps displacements small beside the body
static pl_status both_sides(const pl_recover *r, const pl_params *p, const pl_state *s,
                            const double *mode, pl_state **side, double *scale) {
  const recover_impl *k = r->impl;
  double lo[3], hi[3], d[3];
  PL_TRY(pl_state_create(k->m, p, &side[0]));
  PL_TRY(pl_state_create(k->m, p, &side[1]));
  pl_mesh_bounds(k->mesh, lo, hi);
  pl_sub3(hi, lo, d);
  double most = pl_max_abs(pl_model_nnode(k->m) * pl_model_dim(k->m), mode);
  double step = most > 0 ? 1e-5 * pl_norm3(d) / most : 0;
  for (int i = 0; i < 2; i++) {
    pl_state_copy(side[i], s);
    pl_axpy(s->nq, i ? -step : step, mode, s->q, side[i]->q);
  }
  *scale = step > 0 ? 1 / (2 * step) : 0;
  return PL_OK;
}

static pl_status judge(estimate *e, pl_threads *threads, double *each, pl_error_estimate *out) {
  recover_impl *k = e->r->impl;
  for (int layer = 0; layer < e->r->nlayer; layer++) {
    if (!k->smooth[layer])
      k->smooth[layer] = pl_alloc(e->r->env, (size_t)e->r->nslot, sizeof(pl_stress));
    if (!k->smooth[layer]) return PL_E_NOMEM;
  }
  recover_sample(&e->l, threads);
  PL_TRY(recover_smooth(e->r, threads));
  e->error = pl_alloc(e->r->env, 2 * (size_t)k->n, sizeof *e->error);
  if (!e->error) return PL_E_NOMEM;
  e->elastic = e->error + k->n;
  pl_threads_run(threads, k->n, judge_cell, e);
  sum_up(e, each, out);
  pl_free(e->r->env, e->error);
  return PL_OK;
}

pl_status pl_recover_error(pl_recover *r, const pl_params *p, const pl_state *s, const double *mode,
                           pl_threads *threads, double *each, pl_error_estimate *out) {
  estimate e = {.l = {.r = r, .p = p, .s = s, .scale = 1}, .r = r};
  pl_state *side[2] = {NULL, NULL};
  pl_status st = PL_OK;
  if (mode) {
    st = both_sides(r, p, s, mode, side, &e.l.scale);
    e.l.s = side[0];
    e.l.minus = side[1];
  }
  if (st == PL_OK) st = judge(&e, threads, each, out);
  for (int i = 0; i < 2; i++)
    if (side[i]) pl_state_free(r->impl->m, side[i]);
  return st;
}
