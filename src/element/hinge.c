// W = c (theta - theta_rest)^2 over an inner edge; Grinspun et al. 2003, with the factor that is
// right for cylinder bending of a plate.
#define BODY "hinge.inc"
#define PACKED
#include "kernel.h"
#include "element_impl.h"

static const pl_option hinge_par[] = {
    PAR("young", 1e9, 0, 1e15, "Pa", "Young's modulus"),
    PAR("poisson", 0.3, -0.999, 0.5, "", "Poisson's ratio, in E h^3/(12 (1 - nu^2)) only"),
    PAR("thickness", 1e-3, 1e-12, 1e6, "m", "thickness, uniform"),
    PAR("scale", 1, 0, 1e12, "", "factor on the bending stiffness"),
};

static const pl_field_info hinge_fields[] = {
    {"angle", "rad", "dihedral angle less that at rest"},
};

static void field(const double *q, const double *par, const double *rest, double *value) {
  (void)par;
  fold_d f;
  value[0] = unfold_d(q, &f) ? PL_PI : f.theta - rest[0];
}

// the fold over the two areas, (theta - theta_rest) |e|/(A0 + A1) m m', m across the edge
static void curvature(const double *q, const double *X, const double *par, const double *rest,
                      int side, const double *at, double *S) {
  fold_d f, f0;
  (void)par, (void)at;
  memset(S, 0, 6 * sizeof *S);
  if (unfold_d(q, &f) || unfold_d(X, &f0)) return;
  const double *m = f0.w[side].m;
  double k = (f.theta - rest[0]) * rest[1] / f0.l / pl_dot3(m, m);
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
  for (int r = 0; r < 6; r++) S[r] = k * m[pair[r][0]] * m[pair[r][1]];
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[12] = {0, 0, 0, 1, 0, 0.1, 0.4, 0.9, 0.3, 0.6, -0.8, 0.2};
  pl_rng r;
  pl_sample_shape(seed, 4, 3, shape, 0.15, X, q, v);
  pl_rng_seed(&r, seed + 2000);
  par[0] = pl_rng_uniform(&r, 10, 20);
  par[1] = pl_rng_uniform(&r, -0.2, 0.4);
  par[2] = pl_rng_uniform(&r, 0.5, 1);
  par[3] = pl_rng_uniform(&r, 0.5, 2);
}

const pl_elem_kind pl_elem_hinge = {
    .name = "hinge",
    .text = "bending of two triangles about their edge; acts as a plate of Poisson's ratio -1/3",
    .nvert = 4,
    .vdim = 3,
    .ndof = 12,
    .npar = COUNT(hinge_par),
    .nrest = 2,
    .par = hinge_par,
    .d = {prepare_d, eval_d, NULL, NULL, third_d},
    .z = {prepare_z, eval_z, NULL, NULL},
    .p = {eval_p, third_p, NULL},
    .nfield = COUNT(hinge_fields),
    .field_info = hinge_fields,
    .field = field,
    .nside = 2,
    .curvature = curvature,
    .sample = sample,
};
