// Objectivity: a sagging strip is turned and carried away as one; its energy stays, its forces turn
// with it. The larger of both changes, over the energy and over the largest force.
#include "protocol_impl.h"

#include <string.h>

static const double GAMMA = 30, THICK = 0.01;

// Nodes of s to R x + c, with c some lengths away.
static pl_status move_rigidly(strip *s, const double *R) {
  pl_built *b = &s->b;
  const double c[3] = {3 * s->length, -2 * s->length, s->length};
  double *q = pl_alloc(s->env, (size_t)b->state->nq, sizeof *q);
  if (!q) return PL_E_NOMEM;
  pl_status st = pl_state_unwound(b->model, b->params, b->state, q);
  if (st == PL_OK) {
    // from here on scalar unknowns are measured from the reference shape
    b->state->anchoring = PL_ANCHORS_FIXED;
    memcpy(b->state->q, q, (size_t)b->state->nq * sizeof *q);
    st = pl_rotate_scalars(b->model, b->params, R, q, b->state->q);
  }
  for (int i = 0; st == PL_OK && i < pl_model_nnode(b->model); i++)
    for (int k = 0; k < 3; k++) b->state->q[3 * i + k] = c[k] + pl_dot3(R + 3 * k, q + 3 * i);
  pl_free(s->env, q);
  return st;
}

// inner forces of nodes and the elastic energy; the weight does not turn
static pl_status measure(strip *s, double *f, double *energy) {
  pl_built *b = &s->b;
  const pl_clock clock = {.scale = 0};
  PL_TRY(pl_eval(b->model, b->params, b->state, &clock, PL_WANT_ENERGY | PL_WANT_FORCE, NULL,
                 b->work));
  memcpy(f, b->work->f_inner, 3 * (size_t)pl_model_nnode(b->model) * sizeof *f);
  *energy = b->work->elastic;
  return PL_OK;
}

static pl_status compare(strip *s, double angle, double *f, double *value) {
  static const double axis[3] = {1, -2, 0.5};
  int n = pl_model_nnode(s->b.model);
  double R[9], before, after, most = 0, worst = 0, *g = f + 3 * n;
  pl_rotation3(axis, angle, R);
  PL_TRY(measure(s, f, &before));
  PL_TRY(move_rigidly(s, R));
  PL_TRY(measure(s, g, &after));
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) {
      most = fmax(most, fabs(f[3 * i + k]));
      worst = fmax(worst, fabs(g[3 * i + k] - pl_dot3(R + 3 * k, f + 3 * i)));
    }
  *value = fmax(fabs(after - before) / before, worst / most);
  return PL_OK;
}

static pl_status rot(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  strip s;
  PL_TRY(strip_create(env,
                      &(strip_desc){.kind = (strip_kind)m->kind,
                                    .n = t->resolution,
                                    .thickness = THICK,
                                    .nu = t->nu,
                                    .units = t->units,
                                    .free_sides = 1},
                      &s));
  double *f = pl_alloc(env, 6 * (size_t)pl_model_nnode(s.b.model), sizeof *f);
  pl_status st = f ? strip_hang(&s, GAMMA) : PL_E_NOMEM;
  if (st == PL_OK) st = compare(&s, t->x * PL_PI / 180, f, value);
  pl_free(env, f);
  strip_free(&s);
  return st;
}

static pl_status master(pl_env *env, double nu, double x, double *value) {
  (void)env, (void)nu, (void)x;
  *value = 0;
  return PL_OK;
}

static const double points[] = {1, 10, 45, 90, 137, 180, 250, 359};
static const double quick[] = {10, 180};

static const pl_protocol_model models[] = {
    {"rod", "discrete elastic rod", 32, 16, 4, 500, PL_EXPECT_OK, rot, .kind = STRIP_ROD},
    {"midedge", "membrane with bending at mid-edges", 32, 16, 4, 500, PL_EXPECT_OK, rot,
     .kind = STRIP_MIDEDGE},
    {"hinge", "membrane with hinges", 32, 16, 4, 500, PL_EXPECT_OK, rot, .kind = STRIP_HINGE},
    {"hex8", "trilinear solid", 32, 16, 4, 500, PL_EXPECT_OK, rot, .kind = STRIP_HEX8,
     .nu_most = 0.4999},
};

const pl_protocol protocol_objectivity = {
    .name = "objectivity",
    .text = "a strip that sags is turned and carried away; energy and forces stay but for rounding",
    .nvalue = 1,
    .column = {"angle_deg", "change", "master"},
    .xlabel = "angle (deg)",
    .ylabel = "relative change of energy and forces",
    .nu = 0.3,
    .lo = 0,
    .hi = 360,
    .judged = {0, 360},
    .bar = 1e-9,
    .absolute = 1,
    .logy = 1,
    .npoint = COUNT(points),
    .point = points,
    .nquick = COUNT(quick),
    .quick = quick,
    .ncurve = 0,
    .master = master,
    .nmodel = COUNT(models),
    .model = models,
};
