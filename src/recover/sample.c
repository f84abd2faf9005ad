// Stress of cells at their points, carried to nodes.
#include "recover_impl.h"

#include "pliant/math.h"

#include <string.h>

#define TET_FAR  0.58541019662496845446
#define TET_NEAR 0.13819660112501051518
#define GAUSS2   0.57735026918962576451
#define FOLDED   0.2 // of the mean Jacobian

// ---- points -------------------------------------------------------------------------------------

// of linear simplices the middle, of others those of degree 2
int recover_points(pl_cell_type type, double (*at)[3]) {
  int dim = pl_cell_dim[type],
      simplex = pl_cell_corners[type] == PL_TRI3 || pl_cell_corners[type] == PL_TET4;
  memset(at, 0, POINTS * sizeof *at);
  if (is_linear_simplex(type)) {
    for (int k = 0; k < dim; k++) at[0][k] = 1. / (dim + 1);
    return 1;
  }
  if (simplex) {
    double near = dim == 3 ? TET_NEAR : 1. / 6, far = dim == 3 ? TET_FAR : 2. / 3;
    for (int g = 0; g <= dim; g++)
      for (int k = 0; k < dim; k++) at[g][k] = k + 1 == g ? far : near;
    return dim + 1;
  }
  for (int g = 0; g < 1 << dim; g++) {
    pl_cell_vertex(pl_cell_corners[type], g, at[g]);
    for (int k = 0; k < dim; k++) at[g][k] *= GAUSS2;
  }
  return 1 << dim;
}

// those points are the corners of a smaller cell, whose linear functions these are
static void recover_transfer(pl_cell_type type, const double *at, double *weight) {
  int dim = pl_cell_dim[type];
  pl_cell_type corners = pl_cell_corners[type];
  double scaled[3] = {0};
  if (is_linear_simplex(type)) {
    weight[0] = 1;
    return;
  }
  int simplex = corners == PL_TRI3 || corners == PL_TET4;
  double near = dim == 3 ? TET_NEAR : 1. / 6, far = dim == 3 ? TET_FAR : 2. / 3;
  for (int k = 0; k < dim; k++)
    scaled[k] = simplex ? (at[k] - near) / (far - near) : at[k] / GAUSS2;
  pl_cell_shape(corners, scaled, weight, NULL);
}

// ---- one cell -----------------------------------------------------------------------------------

double recover_thickness(const look *l, const rcell *c) {
  if (c->thickness < 0) return 0;
  return pl_model_group_par(l->r->impl->m, l->p, c->group, c->elem)[c->thickness];
}

// natural coordinates of the element from those of the cell
static void to_element(const rcell *c, const double *at, double *own) {
  int dim = pl_cell_dim[c->type];
  pl_cell_type corners = pl_cell_corners[c->type];
  memcpy(own, at, 3 * sizeof *own);
  if (corners != PL_TRI3 && corners != PL_TET4) return;
  double l[4] = {1};
  for (int k = 0; k < dim; k++) {
    l[k + 1] = at[k];
    l[0] -= at[k];
  }
  for (int k = 0; k < dim; k++) own[k] = l[c->perm[k + 1]];
}

// change of curvature of a sheet's cell at a place of it; an element of several cells has one alone
static void curvature(const look *l, const rcell *c, const pl_state *s, const double *at,
                      double *S) {
  const recover_impl *k = l->r->impl;
  double one[6];
  memset(S, 0, 6 * sizeof *S);
  for (int i = c->bend0; i < c->bend0 + c->nbend; i++) {
    const bend *b = &k->bend[i];
    pl_eval_curvature(k->m, l->p, s, b->group, b->elem, b->side, at, one);
    for (int r = 0; r < 6; r++) S[r] += b->sign * one[r];
  }
}

// one state: out[layer][n]
static int look_at(const look *l, const rcell *c, const pl_state *s, int n, const double (*at)[3],
                   pl_stress *const *out) {
  static const double height[PL_LAYER_COUNT] = {0, -0.5, 0.5};
  const recover_impl *k = l->r->impl;
  double S[PL_CELL_POINT_MAX][6], more[PL_CELL_POINT_MAX][6], own[PL_CELL_POINT_MAX][3];
  double h = recover_thickness(l, c);
  int bent = c->nbend > 0 && h > 0;
  for (int i = 0; i < n; i++) to_element(c, at[i], own[i]);
  for (int i = 0; bent && i < n; i++) {
    // constant over linear triangles
    if (i > 0 && c->type == PL_TRI3)
      memcpy(S[i], S[0], sizeof S[0]);
    else
      curvature(l, c, s, own[i], S[i]);
  }
  for (int layer = 0; layer < l->r->nlayer; layer++) {
    for (int i = 0; bent && i < n; i++)
      for (int r = 0; r < 6; r++) more[i][r] = height[layer] * (c->flipped ? -h : h) * S[i][r];
    if (layer > 0 && !bent) {
      memcpy(out[layer], out[0], (size_t)n * sizeof **out);
      continue;
    }
    if (pl_eval_stress(k->m, l->p, s, c->group, c->elem, n, own[0], bent ? more[0] : NULL,
                       out[layer]) != PL_OK)
      return 1;
  }
  return 0;
}

int recover_look(const look *l, const rcell *c, int n, const double (*at)[3],
                 pl_stress *const *out) {
  int bad = look_at(l, c, l->s, n, at, out);
  if (!bad && l->minus) {
    pl_stress less[PL_LAYER_COUNT][PL_CELL_POINT_MAX];
    pl_stress *const own[PL_LAYER_COUNT] = {less[0], less[1], less[2]};
    bad = look_at(l, c, l->minus, n, at, own);
    for (int layer = 0; !bad && layer < l->r->nlayer; layer++)
      for (int i = 0; i < n; i++) {
        double *x = (double *)&out[layer][i];
        stress_add(&out[layer][i], -1, &less[layer][i]);
        for (int k = 0; k < NCOMP; k++) x[k] *= l->scale;
      }
  }
  for (int layer = 0; bad && layer < l->r->nlayer; layer++)
    memset(out[layer], 0, (size_t)n * sizeof **out);
  return bad;
}

// ---- all cells ----------------------------------------------------------------------------------

static void sample_cell(void *ctx, int i, int thread) {
  const look *l = ctx;
  const recover_impl *k = l->r->impl;
  const rcell *c = &k->cell[i];
  double at[POINTS][3], whole = 0;
  pl_stress *out[PL_LAYER_COUNT];
  (void)thread;
  recover_points(c->type, at);
  for (int layer = 0; layer < l->r->nlayer; layer++) out[layer] = k->sample[layer] + c->first;
  k->domain[i] = (char)recover_look(l, c, c->npoint, (const double(*)[3])at, out);
  ((double *)l->r->thickness)[c->index] = c->nbend > 0 ? recover_thickness(l, c) : 0;
  for (int layer = 0; layer < l->r->nlayer; layer++)
    memset(&l->r->mean[layer][c->index], 0, sizeof(pl_stress));
  for (int g = 0; g < c->npoint; g++) {
    double w = pl_cell_jacobian(c->type, k->mesh->X, c->v, at[g]);
    whole += w;
    for (int layer = 0; layer < l->r->nlayer; layer++)
      stress_add(&l->r->mean[layer][c->index], w, &out[layer][g]);
  }
  for (int layer = 0; layer < l->r->nlayer; layer++)
    stress_add(&l->r->mean[layer][c->index], 1 / whole - 1, &l->r->mean[layer][c->index]);
}

void recover_sample(const look *l, pl_threads *threads) {
  pl_threads_run(threads, l->r->impl->n, sample_cell, (void *)l);
}

// ---- nodes --------------------------------------------------------------------------------------

const pl_stress *recover_stored(void *ctx, const rcell *c, int layer) {
  const pl_recover *r = ctx;
  return r->impl->sample[layer] + c->first;
}

// 1: the cell is so folded at a place that its stress there means nothing
static int folded(const pl_mesh *m, const rcell *c, const double *at) {
  double points[POINTS][3], mean = 0;
  recover_points(c->type, points);
  for (int g = 0; g < c->npoint; g++)
    mean += pl_cell_jacobian(c->type, m->X, c->v, points[g]) / c->npoint;
  return pl_cell_jacobian(c->type, m->X, c->v, at) < FOLDED * mean;
}

// what a cell has at its vertex a, added to out[nlayer]: products of second order know their stress
// there, others carry it from their points
static void add_vertex(const look *l, const rcell *c, int a, sample_fn sample, void *ctx,
                       pl_stress *out) {
  double at[1][3], weight[POINTS];
  pl_cell_vertex(c->type, a, at[0]);
  if ((c->type == PL_HEX20 || c->type == PL_QUAD8) && !folded(l->r->impl->mesh, c, at[0])) {
    pl_stress own[PL_LAYER_COUNT];
    pl_stress *const to[PL_LAYER_COUNT] = {&own[0], &own[1], &own[2]};
    recover_look(l, c, 1, (const double(*)[3])at, to);
    for (int layer = 0; layer < l->r->nlayer; layer++) stress_add(&out[layer], 1, &own[layer]);
    return;
  }
  recover_transfer(c->type, at[0], weight);
  for (int layer = 0; layer < l->r->nlayer; layer++) {
    const pl_stress *s = sample(ctx, c, layer);
    for (int g = 0; g < c->npoint; g++) stress_add(&out[layer], weight[g], &s[g]);
  }
}

// the mean of what cells of the slot's part have there: out[nlayer]
static void node_mean(const look *l, int slot, sample_fn sample, void *ctx, pl_stress *out) {
  const pl_recover *r = l->r;
  const recover_impl *k = r->impl;
  int v = r->node[slot], n = 0;
  memset(out, 0, (size_t)r->nlayer * sizeof *out);
  for (int i = k->around_ptr[v]; i < k->around_ptr[v + 1]; i++) {
    const rcell *c = &k->cell[k->around[i]];
    int a = 0;
    if (c->part != r->part[slot]) continue;
    while (c->v[a] != v) a++;
    add_vertex(l, c, a, sample, ctx, out);
    n++;
  }
  for (int layer = 0; layer < r->nlayer; layer++) stress_add(&out[layer], 1. / n - 1, &out[layer]);
}

// does a cell of the slot's part tell one stress alone?
static int has_one(const pl_recover *r, int slot) {
  const recover_impl *k = r->impl;
  int v = r->node[slot], one = 0;
  for (int i = k->around_ptr[v]; i < k->around_ptr[v + 1]; i++) {
    const rcell *c = &k->cell[k->around[i]];
    one |= c->part == r->part[slot] && is_linear_simplex(c->type);
  }
  return one;
}

static void slot_value(const look *l, int slot, sample_fn sample, void *ctx, pl_stress *out) {
  if (has_one(l->r, slot))
    recover_patch(l->r, slot, sample, ctx, out);
  else
    node_mean(l, slot, sample, ctx, out);
}

static void fill_slot(void *ctx, int slot, int thread) {
  const look *l = ctx;
  const pl_recover *r = l->r;
  pl_stress out[PL_LAYER_COUNT];
  (void)thread;
  slot_value(l, slot, recover_stored, (void *)r, out);
  for (int layer = 0; layer < r->nlayer; layer++) r->at[layer][slot] = out[layer];
}

pl_status pl_recover_stress(pl_recover *r, const pl_params *p, const pl_state *s,
                            pl_threads *threads) {
  const look l = {.r = r, .p = p, .s = s};
  int bad = 0;
  recover_sample(&l, threads);
  pl_threads_run(threads, r->nslot, fill_slot, (void *)&l);
  for (int c = 0; c < r->impl->n; c++) bad |= r->impl->domain[c];
  return bad ? PL_DOMAIN : PL_OK;
}

// ---- one node -----------------------------------------------------------------------------------

typedef struct single {
  look l;
  const rcell *last; // whose samples are here
  pl_stress sample[PL_LAYER_COUNT][POINTS];
} single;

static const pl_stress *evaluated(void *ctx, const rcell *c, int layer) {
  single *k = ctx;
  if (k->last != c) {
    double at[POINTS][3];
    pl_stress *const out[PL_LAYER_COUNT] = {k->sample[0], k->sample[1], k->sample[2]};
    recover_points(c->type, at);
    recover_look(&k->l, c, c->npoint, (const double(*)[3])at, out);
    k->last = c;
  }
  return k->sample[layer];
}

static double most_von_mises(int n, const pl_stress *s) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, pl_von_mises(s[i].stress));
  return most;
}

int pl_recover_node(const pl_recover *r, const pl_params *p, const pl_state *s, int node,
                    pl_stress *out) {
  single k = {.l = {.r = r, .p = p, .s = s}};
  pl_stress one[PL_LAYER_COUNT];
  double most = -1;
  if (node < 0 || node >= r->impl->mesh->nvert) return 0;
  for (int slot = r->impl->slot_ptr[node]; slot < r->impl->slot_ptr[node + 1]; slot++) {
    slot_value(&k.l, slot, evaluated, &k, one);
    double size = most_von_mises(r->nlayer, one);
    if (size > most) {
      most = size;
      memcpy(out, one, (size_t)r->nlayer * sizeof *out);
    }
  }
  return most >= 0;
}
