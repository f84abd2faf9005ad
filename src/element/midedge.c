// W = A h^3/12 N(a^-1 (b - b at rest)), b the second fundamental form of a triangle from normals at
// the middles of its edges; Weischedel 2012, Chen et al. 2018 (their variants sin and tan).
#include "pliant/math.h"

#define BODY "midedge.inc"
#include "kernel.h"

static void sample_law(unsigned seed, pl_rng *r, double *par) {
  (void)seed;
  par[0] = pl_rng_uniform(r, 10, 20);
  par[1] = pl_rng_uniform(r, -0.2, 0.4);
  par[2] = pl_rng_uniform(r, 0.5, 1);
}
#define MIDEDGE_SAMPLE sample_law
#include "midedge_kind.h"

static const pl_option midedge_par[] = {
    PAR("young", 1e9, 0, 1e15, "Pa", "Young's modulus"),
    PAR("poisson", 0.3, -0.999, 0.5, "", "Poisson's ratio"),
    PAR("thickness", 1e-3, 1e-12, 1e6, "m", "thickness, uniform"),
    MIDEDGE_SCALE_ROW,
    MIDEDGE_ROWS,
};

const pl_elem_kind pl_elem_midedge = {
    .name = "midedge",
    .text = "bending of a triangle by normals at its edges, each turned by an unknown of its own",
    MIDEDGE_KIND,
};
