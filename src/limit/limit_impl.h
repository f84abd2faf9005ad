#ifndef LIMIT_IMPL_H
#define LIMIT_IMPL_H

#include "pliant/limit.h"
#include "pliant/math.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))

// ---- forms --------------------------------------------------------------------------------------

// The key by which forms are turned, and the words for it.
#define LIMIT_ANGLE_KEY                                                                            \
  {                                                                                                \
    .name = "angle", .unit = "rad",                                                                \
    .text = "turns the axes of the limit from those of the material, right-handed"                 \
  }
void limit_describe_angle(double angle, pl_text *out);

// ---- sheet --------------------------------------------------------------------------------------

// Cones of a triangle in the order of its limit: ellipses first, then directions. For ellipses the
// gradients are turned into the ellipse's own axes, g <- B^-1/2 g, so that they read
// sigma_max(sum x_k g_k') <= 1; for directions they are h_k = g_k.d / b and read |sum x_k h_k|
// <= 1.
struct pl_sheet {
  pl_env *env;
  pl_threads *shared_threads, *threads; // the caller's, or NULL; that or its own
  int nvert, ntri;
  int *tri;       // [ntri][3]
  double *grad;   // [ntri][3][2] gradients of the hat functions in the axes of the material, 1/m
  double *area;   // [ntri] m^2, at rest
  double *weight; // [nvert]
  int *fixed;     // [nvert] bits of given components
  double edge;    // m; mean length of edges at rest
  int nlimit;
  pl_limit *limit;         // own copies
  int *limit_of;           // [ntri]
  int nround;              // cones of ellipses
  int *round_tri;          // [nround] ascending
  double *round;           // [nround][3][2]
  int nflat;               // cones of directions
  int *flat_tri;           // [nflat] ascending
  double *flat;            // [nflat][3]
  struct path *path;       // distances between fixed vertices, made when first wanted
  struct program *program; // scratch of the interior point, made when first wanted
};

// F[2][3]: columns of the deformation gradient of a triangle from any gradients g[3][2].
static inline __attribute__((always_inline)) void
sheet_gradient(const pl_sheet *s, int t, const double *g, const double *x, double F[6]) {
  const int *v = s->tri + 3 * t;
  for (int c = 0; c < 3; c++) {
    double a = x[3 * v[0] + c], b = x[3 * v[1] + c], d = x[3 * v[2] + c];
    F[c] = a * g[0] + b * g[2] + d * g[4];
    F[3 + c] = a * g[1] + b * g[3] + d * g[5];
  }
}

void path_free(pl_env *env, struct path *p);
void program_free(pl_env *env, struct program *p);

#endif
