// The kind of an edge of NODES vertices: KIND, NAME and TEXT are set.
#include "pressure_boundary.h"
#define BODY "pressure_edge.inc"
#include "kernel.h"
#include "element_impl.h"

static const pl_option par_options[] = {
    PAR("share", 1, -1e6, 1e6, "", "factor on the pressure"),
    PAR("centre_x", 0, -1e12, 1e12, "m", "from where volumes are measured"),
    PAR("centre_y", 0, -1e12, 1e12, "m", "from where volumes are measured"),
    PAR("centre_z", 0, -1e12, 1e12, "m", "from where volumes are measured"),
};

#include "pressure_sample.h"

const pl_elem_kind KIND = {
    .name = NAME,
    .text = TEXT,
    .nvert = NODES,
    .vdim = 3,
    .nscal = 1,
    .ndof = NDOF,
    .npar = COUNT(par_options),
    .damped = 1,
    .outer = 1,
    .circulatory = 1,
    .par = par_options,
    .d = {prepare_d, eval_d, visc_d, NULL},
    .z = {prepare_z, eval_z, visc_z, NULL},
    .sample = sample,
};
