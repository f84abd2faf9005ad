// W = sum_q w_q (h N(E_q) + h^3/12 N(K_q)), N(S) = S:C:S/2, as shell6.c with orthotropic moduli.
#include "pliant/math.h"
#include "shell6_shape.h"

#define ORTHO 1
#define BODY  "shell6.inc"
#define PACKED
#define MIXED
#define ALONG
#include "kernel.h"
#include "law_par.h"

#define SHELL6_SAMPLE pl_sample_flat
#include "shell6_kind.h"

static const pl_option shell6_par[] = {
    FLAT_MODULI,        PAR("density", 1000, 0, 1e7, "kg/m^3", "mass density"),
    FLAT_THICKNESS_ROW, FLAT_REST,
    AXIS_ROWS,          SHELL6_ROWS,
};

const pl_elem_kind pl_elem_shell6_ortho = {
    .name = "shell6_ortho",
    .text = "curved orthotropic shell triangle of six nodes",
    .p = {eval_p, third_p, mixed_p},
    .along = along_p,
    SHELL6_KIND,
};
