// Capsule: a segment, rounded. par: from its centre to one end.
#include "contact_impl.h"

#include <string.h>

static const pl_key keys[] = {
    {.name = "from", .type = PL_KEY_VECTOR, .need = 1, .unit = "m", .text = "one end of its axis"},
    {.name = "to", .type = PL_KEY_VECTOR, .need = 1, .unit = "m", .text = "the other end"},
    {.name = "radius",
     .type = PL_KEY_RADIUS,
     .need = 1,
     .hi = 1e9,
     .lo_open = 1,
     .unit = "m",
     .text = "its radius"},
};

static pl_status make(pl_env *env, const pl_shape_source *in, pl_obstacle *o) {
  (void)env;
  obstacle_between(in->value, in->value + 3, o);
  return PL_OK;
}

static double distance(const pl_obstacle *o, int dim, const double *x, double *n) {
  const double *axis = o->par;
  double aa = pl_dot(dim, axis, axis), s = 0, e[3] = {0};
  if (dim == 1) {
    n[0] = copysign(1, x[0]);
    return fabs(x[0]) - fabs(axis[0]);
  }
  if (aa > 0) s = fmin(1, fmax(-1, pl_dot(dim, x, axis) / aa));
  for (int i = 0; i < dim; i++) e[i] = x[i] - s * axis[i];
  double size = obstacle_unit(dim, e, n);
  if (size > 0 || !(aa > 0)) return size;
  // on the segment itself: across it
  obstacle_across(dim, axis, n);
  return 0;
}

static void skeleton(const pl_obstacle *o, int dim, pl_skeleton *s) {
  int end[2];
  for (int k = 0; k < 2; k++) {
    double x[3] = {0}, up[3];
    for (int c = 0; c < dim; c++) x[c] = k ? o->par[c] : -o->par[c];
    if (dim < 3) x[2] = -1;
    end[k] = pl_skeleton_place(s, x);
    memcpy(up, (double[3]){x[0], x[1], 1}, sizeof up);
    if (dim < 3)
      pl_skeleton_bar(s, end[k], pl_skeleton_place(s, up), 0);
    else
      pl_skeleton_ball(s, end[k], 0);
  }
  if (dim == 3) pl_skeleton_bar(s, end[0], end[1], 0);
}

static void bounds(const pl_obstacle *o, double lo[3], double hi[3]) {
  for (int c = 0; c < 3; c++) {
    hi[c] = fabs(o->par[c]) + o->radius;
    lo[c] = -hi[c];
  }
}

static void draw(const pl_obstacle *o, pl_pen *p) {
  double f[3][3] = {{0}}, e[2][3], end[2][3], along[3];
  obstacle_axes(p->dim, o->par, f);
  for (int c = 0; c < 3; c++) {
    for (int k = 0; k < 2; k++) e[k][c] = o->radius * f[k + 1][c];
    end[0][c] = -o->par[c];
    end[1][c] = o->par[c];
    along[c] = o->radius * f[0][c];
  }
  for (int k = 0; k < p->dim - 1; k++) {
    obstacle_mantle(p, end, e[k]);
    pl_pen_arc(p, end[0], along, e[k], PL_PI / 2, 3 * PL_PI / 2);
    pl_pen_arc(p, end[1], along, e[k], -PL_PI / 2, PL_PI / 2);
  }
  for (int k = 0; p->dim == 3 && k < 2; k++) pl_pen_arc(p, end[k], e[0], e[1], 0, 2 * PL_PI);
}

static pl_status sample(pl_env *env, unsigned seed, int dim, pl_obstacle *o) {
  pl_rng r;
  (void)env;
  pl_rng_seed(&r, seed);
  obstacle_random(&r, dim, o->par);
  o->radius = 0.1 + 0.1 * (seed % 4);
  return PL_OK;
}

const pl_obstacle_kind pl_obstacle_capsule = {
    .name = "capsule",
    .brief = "round bar",
    .text = "A round bar with round ends.",
    .dim = 1,
    .nkey = COUNT(keys),
    .key = keys,
    .make = make,
    .distance = distance,
    .skeleton = skeleton,
    .bounds = bounds,
    .draw = draw,
    .sample = sample,
};
