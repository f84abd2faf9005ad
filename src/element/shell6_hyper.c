// W = sum_q w_q (h psi(E_q) + h^3/12 N(K_q)), as shell6.c with a hyperelastic membrane in plane
// stress, which bends with its moduli at rest.
#include "pliant/math.h"
#include "shell6_shape.h"

#define HYPER 1
#define BODY  "shell6.inc"
#define PACKED
#define NO_THIRD
#define MIXED
#include "kernel.h"
#include "law_par.h"

#define SHELL6_SAMPLE pl_sample_hyper
#include "shell6_kind.h"

static const pl_option shell6_par[] = {
    HYPER_ROWS,
    FLAT_THICKNESS_ROW,
    SHELL6_ROWS,
};

const pl_elem_kind pl_elem_shell6_hyper = {
    .name = "shell6_hyper",
    .text = "curved hyperelastic shell triangle of six nodes",
    .p = {eval_p, NULL, mixed_p},
    SHELL6_KIND,
};
