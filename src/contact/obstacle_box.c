// Block: |x_i| <= half_i, rounded outwards.
#include "contact_impl.h"

static const pl_key keys[] = {
    {.name = "centre", .type = PL_KEY_CENTRE, .need = 1, .unit = "m", .text = "its centre"},
    {.name = "size", .type = PL_KEY_VECTOR, .need = 1, .unit = "m", .text = "its sides"},
    {.name = "rotate", .type = PL_KEY_ROTATION, .text = "turn about its centre"},
    {.name = "round",
     .type = PL_KEY_RADIUS,
     .hi = 1e9,
     .unit = "m",
     .text = "how far it is rounded outwards"},
};

static pl_status make(pl_env *env, const pl_shape_source *in, pl_obstacle *o) {
  (void)env;
  for (int c = 0; c < 3; c++) o->par[c] = 0.5 * in->value[c];
  return PL_OK;
}

static int check(const pl_obstacle *o, int dim, pl_shape_fault *fault) {
  *fault = (pl_shape_fault){"size", "size: all sides of a box must be above zero", NULL};
  for (int i = 0; i < dim; i++)
    if (!(o->par[i] > 0)) return 1;
  return 0;
}

static double distance(const pl_obstacle *o, int dim, const double *x, double *n) {
  double out[3] = {0}, face = -INFINITY;
  int at = 0;
  for (int j = 0; j < dim; j++) {
    double over = fabs(x[j]) - o->par[j];
    if (over > face) at = j;
    face = fmax(face, over);
    if (over > 0) out[j] = copysign(over, x[j]);
  }
  if (face > 0) return obstacle_unit(dim, out, n);
  for (int j = 0; j < dim; j++) n[j] = j == at ? copysign(1, x[at]) : 0;
  return face;
}

static void skeleton(const pl_obstacle *o, int dim, pl_skeleton *s) {
  static const int face[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                 {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (int k = 0; k < 8; k++) {
    double x[3];
    for (int c = 0; c < 3; c++) x[c] = (k >> c & 1 ? 1 : -1) * (c < dim ? o->par[c] : 1);
    pl_skeleton_place(s, x);
  }
  for (int k = 0; k < 6; k++) pl_skeleton_face(s, 4, face[k]);
}

static void bounds(const pl_obstacle *o, double lo[3], double hi[3]) {
  for (int c = 0; c < 3; c++) {
    hi[c] = o->par[c] + o->radius;
    lo[c] = -hi[c];
  }
}

static void draw(const pl_obstacle *o, pl_pen *p) {
  double corner[8][3] = {{0}};
  for (int k = 0; k < 8; k++)
    for (int c = 0; c < p->dim; c++) corner[k][c] = (k >> c & 1 ? 1 : -1) * (o->par[c] + o->radius);
  for (int k = 0; k < 1 << p->dim; k++)
    for (int j = 0; j < p->dim; j++)
      if (!(k >> j & 1)) pl_pen_edge(p, corner[k], corner[k | 1 << j]);
}

static pl_status sample(pl_env *env, unsigned seed, int dim, pl_obstacle *o) {
  pl_rng r;
  (void)env;
  pl_rng_seed(&r, seed);
  for (int c = 0; c < dim; c++) o->par[c] = pl_rng_uniform(&r, 0.2, 0.6);
  o->radius = 0.05 * (seed % 3);
  return PL_OK;
}

const pl_obstacle_kind pl_obstacle_box = {
    .name = "box",
    .brief = "block",
    .text = "A block; in two dimensions a rectangle.",
    .dim = 1,
    .nkey = COUNT(keys),
    .key = keys,
    .make = make,
    .check = check,
    .distance = distance,
    .skeleton = skeleton,
    .bounds = bounds,
    .draw = draw,
    .sample = sample,
};
