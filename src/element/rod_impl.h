#ifndef ROD_IMPL_H
#define ROD_IMPL_H

// What the kinds of rods share beside their kernels: parameters of the section, anchors.
#include "element_impl.h"

// rows of a parameter table that are whole numbers
#define WHOLE(name_, value_, hi_, text_)                                                           \
  {                                                                                                \
    .name = name_, .type = PL_OPT_INT, .value = value_, .lo = 0, .hi = hi_, .unit = "",            \
    .text = text_, .choices = NULL                                                                 \
  }

// the first parameters of every kind of rod, see section.inc
#define SECTION_PAR                                                                                \
  PAR("young", 1e9, 0, 1e15, "Pa", "Young's modulus"),                                             \
      PAR("poisson", 0.3, -0.999, 0.5, "", "Poisson's ratio, in G = E/(2 (1 + nu)) only"),         \
      PAR("density", 1000, 0, 1e9, "kg/m^3", "density"),                                           \
      PAR("width", 1e-3, 1e-12, 1e6, "m", "outer size along director 1"),                          \
      PAR("height", 1e-3, 1e-12, 1e6, "m", "outer size along director 2"),                         \
      PAR("hollow", 0, 0, 0.99, "", "inner over outer size, 0: solid"),                            \
      WHOLE("shape", 0, 1, "0: round or elliptic, 1: rectangular")
enum { NSECTION = 7 };

// Directors of an edge e whose anchor is anchor[6]: direction t and transported director u. The
// same bits for every element that has the edge. 1: not defined.
int rod_transport(const double *e, const double *anchor, double *t, double *u);
// Puts the anchor there.
void rod_move_anchor(const double *e, double *anchor);
// theta of an edge after its frame was turned by R (NULL: not), from one anchor to another, as near
// to theta as can be.
double rod_rotated(const double *R, const double *e, double theta, const double *from,
                   const double *to);
// parameters of a section for checks
void rod_sample_section(unsigned seed, double *par);
// a scalar unknown for checks
void rod_sample_angle(pl_rng *r, int i, double *X, double *q, double *v);

#endif
