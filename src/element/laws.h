#ifndef LAWS_H
#define LAWS_H

#include <complex.h>

// Elastic laws in Green's strain e = 11 22 33 12 23 13, in planes 11 22 12, shears twice: psi, S =
// dpsi/de and C = dS/de (may be NULL). They return 1 where the strain is none of a body, det(1 + 2
// E) <= 0.

// laws of kinds
enum { LAW_SVK, LAW_NEO_HOOKEAN, LAW_HYPER, LAW_ORTHO };

// places of parameters that kernels look at themselves; density is par[2] of every solid
enum {
  HYPER_BULK,
  HYPER_FORM,
  HYPER_DENSITY,
  HYPER_FIRST,
  HYPER_NPAR = HYPER_FIRST + 6,
  HYPER_THICKNESS = HYPER_NPAR
};
enum { ORTHO_ANGLE = 10, ORTHO_AXES, ORTHO_NPAR = ORTHO_AXES + 6 };
enum { FLAT_THICKNESS = 3, FLAT_ANGLE = 6, FLAT_AXES, FLAT_NPAR = FLAT_AXES + 6 };

#define LAWS(real, suffix)                                                                         \
  /* shear modulus at rest of a hyperelastic law */                                                \
  real pl_hyper_shear##suffix(const real *par);                                                    \
  int pl_hyper##suffix(const real *e, const real *par, real *psi, real *S, real *C);               \
  /* in plane stress; the strain across is found, and told where that is wanted; bulk modulus 0:   \
     the volume stays */                                                                           \
  int pl_hyper_plane##suffix(const real *e, const real *par, real *psi, real *S, real *C,          \
                             real *across);                                                        \
  /* C[6][6] of an orthotropic body; its axes are given by the parameters */                       \
  void pl_ortho_moduli##suffix(const real *par, real *C);                                          \
  /* C[3][3] in plane stress, in the frame f[2][3] of a triangle */                                \
  void pl_ortho_plane_moduli##suffix(const real *par, const real *f, real *C);
LAWS(double, _d)
LAWS(double complex, _z)
#undef LAWS

#endif
