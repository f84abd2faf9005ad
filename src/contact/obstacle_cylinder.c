// Cylinder: |s| <= h along its axis, rho <= R across it, rounded outwards. par: from its centre to
// one end, and R.
#include "contact_impl.h"

static const pl_key keys[] = {
    {.name = "from", .type = PL_KEY_VECTOR, .need = 1, .unit = "m", .text = "middle of one end"},
    {.name = "to", .type = PL_KEY_VECTOR, .need = 1, .unit = "m", .text = "middle of the other"},
    {.name = "radius", .need = 1, .hi = 1e9, .lo_open = 1, .unit = "m", .text = "its radius"},
    {.name = "round",
     .type = PL_KEY_RADIUS,
     .hi = 1e9,
     .unit = "m",
     .text = "how far it is rounded outwards: its edges get this radius"},
};

static pl_status make(pl_env *env, const pl_shape_source *in, pl_obstacle *o) {
  (void)env;
  obstacle_between(in->value, in->value + 3, o);
  o->par[3] = in->value[6];
  return PL_OK;
}

static int check(const pl_obstacle *o, int dim, pl_shape_fault *fault) {
  *fault = (pl_shape_fault){"to", "from and to must be different places",
                            "for a disc, give its "
                            "thickness"};
  if (!(pl_norm(dim, o->par) > 0)) return 1;
  *fault = (pl_shape_fault){"radius", "radius must be > 0", NULL};
  return !(o->par[3] > 0);
}

static double distance(const pl_obstacle *o, int dim, const double *x, double *n) {
  double a[3] = {0}, e[3] = {0}, across[3] = {0}, h = obstacle_unit(dim, o->par, a);
  double s = pl_dot(dim, x, a), end = copysign(1, s), over = fabs(s) - h;
  for (int i = 0; i < dim; i++) e[i] = x[i] - s * a[i];
  double rho = obstacle_unit(dim, e, across), wide = rho - o->par[3];
  if (dim == 1) wide = -INFINITY;
  // on the axis any direction across it will do
  if (dim > 1 && !(rho > 0)) obstacle_across(dim, a, across);
  double size = over > 0 && wide > 0 ? hypot(over, wide) : fmax(over, wide);
  double along = over > 0 && wide > 0 ? over / size : over >= wide;
  double out = over > 0 && wide > 0 ? wide / size : over < wide;
  for (int i = 0; i < dim; i++) n[i] = along * end * a[i] + out * across[i];
  return size;
}

// The mantle is a bar, the rims are polygons.
static void skeleton(const pl_obstacle *o, int dim, pl_skeleton *s) {
  enum { RIM = 96 };
  double f[3][3], x[3];
  int end[2], rim[2][RIM];
  if (dim < 3) return;
  obstacle_axes(3, o->par, f);
  for (int k = 0; k < 2; k++) {
    for (int c = 0; c < 3; c++) x[c] = k ? o->par[c] : -o->par[c];
    end[k] = pl_skeleton_place(s, x);
    for (int i = 0; i < RIM; i++) {
      double a = 2 * PL_PI * i / RIM, at[3];
      for (int c = 0; c < 3; c++) at[c] = x[c] + o->par[3] * (cos(a) * f[1][c] + sin(a) * f[2][c]);
      rim[k][i] = pl_skeleton_place(s, at);
    }
  }
  pl_skeleton_bar(s, end[0], end[1], o->par[3]);
  for (int i = 0; i < RIM; i++) {
    int j = (i + 1) % RIM;
    pl_skeleton_side(s, rim[1][i], rim[1][j], end[1]);
    pl_skeleton_side(s, rim[1][j], rim[1][i], rim[0][i]);
    pl_skeleton_side(s, rim[0][j], rim[0][i], end[0]);
    pl_skeleton_side(s, rim[0][i], rim[0][j], rim[1][j]);
  }
}

static void bounds(const pl_obstacle *o, double lo[3], double hi[3]) {
  double a[3];
  obstacle_unit(3, o->par, a);
  for (int c = 0; c < 3; c++) {
    hi[c] = fabs(o->par[c]) + o->par[3] * sqrt(fmax(0, 1 - a[c] * a[c])) + o->radius;
    lo[c] = -hi[c];
  }
}

// rings where mantle and ends begin, and lines along the mantle; in the plane its outline
static void draw(const pl_obstacle *o, pl_pen *p) {
  double f[3][3], e[2][3], end[2][3], face[2][3], u[2][3];
  obstacle_axes(p->dim, o->par, f);
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 2; k++) {
      e[k][c] = (o->par[3] + o->radius) * f[k + 1][c];
      u[k][c] = o->par[3] * f[k + 1][c];
      end[k][c] = (k ? 1 : -1) * o->par[c];
      face[k][c] = end[k][c] + (k ? 1 : -1) * o->radius * f[0][c];
    }
  for (int k = 0; k < p->dim - 1; k++) obstacle_mantle(p, end, e[k]);
  for (int k = 0; k < 2 && p->dim == 3; k++) {
    pl_pen_arc(p, end[k], e[0], e[1], 0, 2 * PL_PI);
    if (o->radius > 0) pl_pen_arc(p, face[k], u[0], u[1], 0, 2 * PL_PI);
  }
  for (int k = 0; k < 2 && p->dim == 2; k++) {
    double a[3], b[3];
    for (int c = 0; c < 3; c++) {
      a[c] = face[k][c] - u[0][c];
      b[c] = face[k][c] + u[0][c];
    }
    pl_pen_edge(p, a, b);
  }
}

static pl_status sample(pl_env *env, unsigned seed, int dim, pl_obstacle *o) {
  pl_rng r;
  (void)env;
  pl_rng_seed(&r, seed);
  obstacle_random(&r, dim, o->par);
  o->par[3] = 0.2 + 0.1 * (seed % 5);
  o->radius = 0.05 * (seed % 3);
  return PL_OK;
}

const pl_obstacle_kind pl_obstacle_cylinder = {
    .name = "cylinder",
    .brief = "round bar with flat ends",
    .text = "A round bar with flat ends; in two dimensions a strip of twice its radius.",
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
