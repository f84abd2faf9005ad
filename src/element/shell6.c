// W = sum_q w_q (h N(E_q) + h^3/12 N(K_q)) of a curved triangle of six nodes: bending by normals at
// its edges, two points each (Hellan, Herrmann, Johnson; Neunteufel and Schoeberl 2019), strain of
// the membrane by its values along edges, without locking (Regge; Neunteufel and Schoeberl 2021).
#include "pliant/math.h"
#include "shell6_shape.h"

#define BODY "shell6.inc"
#define PACKED
#define MIXED
#define ALONG
#include "kernel.h"
#include "law_par.h"

#define SHELL6_SAMPLE pl_sample_solid
#include "shell6_kind.h"

static const pl_option shell6_par[] = {
    PAR("young", 1e9, 0, 1e15, "Pa", "Young's modulus"),
    PAR("poisson", 0.3, -0.999, 0.5, "", "Poisson's ratio"),
    PAR("density", 1000, 0, 1e7, "kg/m^3", "mass density"),
    PAR("thickness", 1e-3, 1e-12, 1e6, "m", "thickness, uniform"),
    SHELL6_ROWS,
};

const pl_elem_kind pl_elem_shell6 = {
    .name = "shell6",
    .text = "curved shell triangle of six nodes: membrane, and bending by normals at its edges",
    .p = {eval_p, third_p, mixed_p},
    .along = along_p,
    SHELL6_KIND,
};
