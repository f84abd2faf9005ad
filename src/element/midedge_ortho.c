// W = A h^3/12 S:C:S/2, as midedge.c with orthotropic moduli.
#include "pliant/math.h"

#define ORTHO 1
#include "element_impl.h"
#include "law_par.h"

#define BODY "midedge.inc"
#include "kernel.h"

static void sample_law(unsigned seed, pl_rng *r, double *par) {
  pl_sample_flat(seed, par);
  par[FLAT_THICKNESS] = pl_rng_uniform(r, 0.5, 1);
}
#define MIDEDGE_SAMPLE sample_law
#include "midedge_kind.h"

static const pl_option midedge_par[] = {
    FLAT_MODULI, MIDEDGE_SCALE_ROW, FLAT_THICKNESS_ROW, FLAT_REST, AXIS_ROWS, MIDEDGE_ROWS,
};

const pl_elem_kind pl_elem_midedge_ortho = {
    .name = "midedge_ortho",
    .text = "bending of an orthotropic triangle by normals at its edges",
    MIDEDGE_KIND,
};
