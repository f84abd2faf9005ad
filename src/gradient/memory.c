// What remembers: anchors of rods and sliders of dry friction. How they move on is no formula that
// the complex step could follow; differences of it along one direction are exact to ten digits.
#include "gradient_impl.h"

#include "pliant/math.h"

#include <float.h>
#include <math.h>
#include <string.h>

// largest changes on either side: places over the model, angles, parameters over their values
static const double STEP = 1e-6, TURN = 1e-5;
static const double LONGER = 8;

static pl_status make_side(pl_gradient *g, int i, int side) {
  struct gradient_impl *k = g->impl;
  pl_params **out = &k->beside[2 * i + side];
  PL_TRY(pl_params_copy(g->env, g->p, out));
  pl_directions_move(k->directions, i, side ? -k->by[i] : k->by[i], *out);
  pl_status s = pl_params_update(g->m, *out);
  return s == PL_DOMAIN ? pl_fail(g->env, PL_E_INPUT, "gradients: an element is degenerate") : s;
}

// by how much a direction is followed for its parameters' sake
static double reach(pl_gradient *g, int i) {
  struct gradient_impl *k = g->impl;
  double size = pl_directions_size(k->directions, i, g->p) * STEP / TURN;
  memset(k->tmp, 0, (size_t)g->nq * sizeof *k->tmp);
  pl_directions_places(k->directions, i, k->tmp);
  size = fmax(size, pl_max_abs(g->nq, k->tmp) / k->extent);
  return size > 0 ? STEP / size : 1;
}

pl_status memory_open(pl_gradient *g) {
  struct gradient_impl *k = g->impl;
  k->beside = pl_alloc(g->env, 2 * (size_t)g->n, sizeof *k->beside);
  k->by = pl_alloc(g->env, (size_t)g->n, sizeof *k->by);
  k->most = pl_alloc(g->env, (size_t)g->n, sizeof *k->most);
  if (!k->beside || !k->by || !k->most) return PL_E_NOMEM;
  for (int side = 0; side < 2; side++) PL_TRY(pl_state_create(g->m, g->p, &k->side[side]));
  for (int i = 0; i < g->n; i++) {
    k->by[i] = k->most[i] = reach(g, i);
    for (int side = 0; side < 2; side++) PL_TRY(make_side(g, i, side));
  }
  return PL_OK;
}

void memory_close(pl_gradient *g) {
  struct gradient_impl *k = g->impl;
  for (int i = 0; k->beside && i < 2 * g->n; i++) pl_params_free(k->beside[i]);
  for (int side = 0; side < 2; side++)
    if (k->side[side]) pl_state_free(g->m, k->side[side]);
  pl_free(g->env, k->beside);
  pl_free(g->env, k->by);
  pl_free(g->env, k->most);
}

void memory_drive(pl_gradient *g, const pl_state *s, const pl_clock *c, int i) {
  struct gradient_impl *k = g->impl;
  const double *dhist = g->hist + (size_t)i * (size_t)g->nhist;
  const int *index = pl_model_free_index(g->m);
  int places = pl_model_nnode(g->m) * pl_model_dim(g->m);
  double by = k->by[i];
  for (int side = 0; side < 2; side++) {
    pl_state *x = k->side[side];
    pl_state_copy(x, s);
    pl_axpy(g->nhist, side ? -by : by, dhist, x->hist, x->hist);
    pl_drive(g->m, k->beside[2 * i + side], c, x);
  }
  const pl_state *a = k->side[0], *b = k->side[1];
  for (int j = places; j < g->nq; j++) {
    if (index[j] >= 0) continue;
    k->eq[j] = (a->q[j] - b->q[j]) / (2 * by) - k->dq[j];
    k->ev[j] = (a->v[j] - b->v[j]) / (2 * by) - k->dv[j];
    k->ea[j] = (a->a[j] - b->a[j]) / (2 * by) - k->da[j];
  }
}

// As far as the parameters and the state may go. Values beside those of the run were made for one
// length of the direction; one that is much shorter would be lost in rounding.
static double choose(pl_gradient *g, int i) {
  struct gradient_impl *k = g->impl;
  size_t at = (size_t)i * (size_t)g->nq;
  int places = pl_model_nnode(g->m) * pl_model_dim(g->m);
  double size = pl_max_abs(places, g->q + at) / k->extent * TURN / STEP;
  size = fmax(size, pl_max_abs(g->nq - places, g->q + at + places));
  size = fmax(size, pl_max_abs(g->nhist, g->hist + (size_t)i * (size_t)g->nhist));
  double want = size * k->most[i] > TURN ? TURN / size : k->most[i];
  return want < k->by[i] || want > LONGER * k->by[i] ? want : k->by[i];
}

static void take_length(pl_gradient *g, int i, double by) {
  struct gradient_impl *k = g->impl;
  if (by == k->by[i]) return;
  for (int side = 0; side < 2; side++) {
    pl_params *p = k->beside[2 * i + side];
    memcpy(p->par, g->p->par, (size_t)p->npar * sizeof *p->par);
    memcpy(p->X, g->p->X, (size_t)p->nref * sizeof *p->X);
    pl_directions_move(k->directions, i, side ? -by : by, p);
    // between values that are sound
    (void)pl_params_update(g->m, p);
  }
  k->by[i] = by;
}

void memory_commit(pl_gradient *g, const pl_state *s, const pl_clock *c, int i) {
  struct gradient_impl *k = g->impl;
  size_t at = (size_t)i * (size_t)g->nq, nhist = (size_t)g->nhist;
  int places = pl_model_nnode(g->m) * pl_model_dim(g->m);
  take_length(g, i, choose(g, i));
  for (int side = 0; side < 2; side++) {
    double by = side ? -k->by[i] : k->by[i];
    const pl_params *p = k->beside[2 * i + side];
    pl_state *x = k->side[side];
    pl_state_copy(x, s);
    pl_axpy(g->nq, by, g->q + at, x->q, x->q);
    pl_axpy(g->nq, by, g->v + at, x->v, x->v);
    pl_axpy(g->nq, by, g->a + at, x->a, x->a);
    pl_axpy(g->nhist, by, g->hist + (size_t)i * nhist, x->hist, x->hist);
    pl_drive(g->m, p, c, x);
    pl_commit(g->m, p, x);
  }
  const pl_state *a = k->side[0], *b = k->side[1];
  double twice = 2 * k->by[i];
  for (int j = places; k->anchors && j < g->nq; j++) {
    g->q[at + (size_t)j] = (a->q[j] - b->q[j]) / twice;
    g->v[at + (size_t)j] = (a->v[j] - b->v[j]) / twice;
    g->a[at + (size_t)j] = (a->a[j] - b->a[j]) / twice;
  }
  for (size_t j = 0; j < nhist; j++)
    g->hist[(size_t)i * nhist + j] = (a->hist[j] - b->hist[j]) / twice;
}
