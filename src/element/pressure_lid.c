// W = -p (V - V at rest) at the border of a surface of `pressure` triangles: pieces of the planes
// that close it, and what supports feel there.
#define BODY "pressure_lid.inc"
#include "kernel.h"
#include "element_impl.h"

static const pl_option par_info[] = {
    PAR("share", 1, -1e6, 1e6, "", "factor on the pressure"),
    PAR("centre_x", 0, -1e12, 1e12, "m", "from where volumes are measured"),
    PAR("centre_y", 0, -1e12, 1e12, "m", "from where volumes are measured"),
    PAR("centre_z", 0, -1e12, 1e12, "m", "from where volumes are measured"),
    PAR("height_x", 0, -1e12, 1e12, "m", "from there to the plane"),
    PAR("height_y", 0, -1e12, 1e12, "m", "from there to the plane"),
    PAR("height_z", 0, -1e12, 1e12, "m", "from there to the plane"),
    PAR("held_0x", 0, 0, 1, "", "1: the component of the first end is held"),
    PAR("held_0y", 0, 0, 1, "", "1: the component of the first end is held"),
    PAR("held_0z", 0, 0, 1, "", "1: the component of the first end is held"),
    PAR("held_1x", 0, 0, 1, "", "1: the component of the second end is held"),
    PAR("held_1y", 0, 0, 1, "", "1: the component of the second end is held"),
    PAR("held_1z", 0, 0, 1, "", "1: the component of the second end is held"),
};

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[6] = {0, 0, 0.3, 1, 0.2, 0.1};
  pl_sample_shape(seed, 2, 3, shape, 0.15, X, q, v);
  X[6] = 0;
  q[6] = 1.5 + 0.1 * (seed % 7);
  v[6] = 0.3;
  for (int i = 0; i < 13; i++) par[i] = 0.5 + 0.1 * ((seed + 3 * (unsigned)i) % 10);
}

const pl_elem_kind pl_elem_pressure_lid = {
    .name = "pressure_lid",
    .text = "pressure on a surface at an edge that supports hold, or let slide in a plane",
    .nvert = 2,
    .vdim = 3,
    .nscal = 1,
    .ndof = 7,
    .npar = COUNT(par_info),
    .nrest = 6,
    .outer = 1,
    .par = par_info,
    .d = {prepare_d, eval_d, NULL, NULL},
    .z = {prepare_z, eval_z, NULL, NULL},
    .sample = sample,
};
