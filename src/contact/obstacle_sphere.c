// Ball: a point, rounded.
#include "contact_impl.h"

static const pl_key keys[] = {
    {.name = "centre", .type = PL_KEY_CENTRE, .need = 1, .unit = "m", .text = "its centre"},
    {.name = "radius",
     .type = PL_KEY_RADIUS,
     .need = 1,
     .hi = 1e9,
     .lo_open = 1,
     .unit = "m",
     .text = "its radius"},
};

static double distance(const pl_obstacle *o, int dim, const double *x, double *n) {
  (void)o;
  return obstacle_unit(dim, x, n);
}

static void skeleton(const pl_obstacle *o, int dim, pl_skeleton *s) {
  const double end[2][3] = {{0, 0, dim < 3 ? -1 : 0}, {0, 0, 1}};
  (void)o;
  int a = pl_skeleton_place(s, end[0]);
  if (dim < 3)
    pl_skeleton_bar(s, a, pl_skeleton_place(s, end[1]), 0);
  else
    pl_skeleton_ball(s, a, 0);
}

static void bounds(const pl_obstacle *o, double lo[3], double hi[3]) {
  for (int c = 0; c < 3; c++) {
    lo[c] = -o->radius;
    hi[c] = o->radius;
  }
}

static void draw(const pl_obstacle *o, pl_pen *p) {
  const double r = o->radius, m[3] = {0}, e[3][3] = {{r, 0, 0}, {0, r, 0}, {0, 0, r}};
  for (int k = 0; k < (p->dim == 2 ? 1 : 3); k++)
    pl_pen_arc(p, m, e[k], e[(k + 1) % 3], 0, 2 * PL_PI);
}

static pl_status sample(pl_env *env, unsigned seed, int dim, pl_obstacle *o) {
  (void)env, (void)dim;
  o->radius = 0.3 + 0.1 * (seed % 5);
  return PL_OK;
}

const pl_obstacle_kind pl_obstacle_sphere = {
    .name = "sphere",
    .brief = "ball",
    .text = "A ball; in two dimensions a disc.",
    .dim = 1,
    .nkey = COUNT(keys),
    .key = keys,
    .distance = distance,
    .skeleton = skeleton,
    .bounds = bounds,
    .draw = draw,
    .sample = sample,
};
