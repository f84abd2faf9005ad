// The kind of an edge of NODES vertices: KIND, NAME and TEXT are set.
#include "pressure_boundary.h"
#define BODY "pressure_lid.inc"
#include "kernel.h"
#include "element_impl.h"

#define HELD(name) PAR(name, 0, 0, 1, "", "1: the component of that vertex is held")
static const pl_option par_options[] = {
    PAR("share", 1, -1e6, 1e6, "", "factor on the pressure"),
    PAR("centre_x", 0, -1e12, 1e12, "m", "from where volumes are measured"),
    PAR("centre_y", 0, -1e12, 1e12, "m", "from where volumes are measured"),
    PAR("centre_z", 0, -1e12, 1e12, "m", "from where volumes are measured"),
    PAR("height_x", 0, -1e12, 1e12, "m", "from there to the plane"),
    PAR("height_y", 0, -1e12, 1e12, "m", "from there to the plane"),
    PAR("height_z", 0, -1e12, 1e12, "m", "from there to the plane"),
    HELD("held_0x"),
    HELD("held_0y"),
    HELD("held_0z"),
    HELD("held_1x"),
    HELD("held_1y"),
    HELD("held_1z"),
#if NODES == 3
    HELD("held_2x"),
    HELD("held_2y"),
    HELD("held_2z"),
#endif
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
    .nrest = XDOF,
    .outer = 1,
    .par = par_options,
    .d = {prepare_d, eval_d, NULL, NULL},
    .z = {prepare_z, eval_z, NULL, NULL},
    .sample = sample,
};
