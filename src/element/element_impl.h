#ifndef ELEMENT_IMPL_H
#define ELEMENT_IMPL_H

#include "laws.h"
#include "pliant/element.h"
#include "pliant/math.h"

// parameters of all solids: young, poisson, density
extern const pl_option pl_solid_par[3];
// parameters of triangles in plane stress: young, poisson, density, thickness
extern const pl_option pl_plane_par[4];
// fields of solids and membranes: strain (largest principal Green strain), stress (von Mises)
extern const pl_field_info pl_solid_fields[2];

// parameters of hyperelastic solids and, with the last one, membranes; of orthotropic ones
extern const pl_option pl_hyper_par[HYPER_NPAR + 1];
extern const pl_option pl_ortho_par[ORTHO_NPAR];
extern const pl_option pl_flat_par[FLAT_NPAR];

// The two fields of pl_solid_fields from F[sd][rd] and what a law (LAW_SVK ...) takes: young and
// poisson, parameters of hyperelastic bodies, moduli of orthotropic ones; in plane stress when rd
// is 2. dilation: the tr E that makes the pressure of St. Venant-Kirchhoff bodies, NULL: that of F
// (of the Cauchy stress of others nothing but the pressure depends on it).
void pl_solid_field(int sd, int rd, const double *F, const double *par, int law,
                    const double *dilation, double *value);

// Strain and stress from F[sd][rd] and par, laws and dilation as above (neo-Hookean dilation: J -
// 1). frame[rd][3]: axes of the reference shape that E is in; NULL: x y z. more[6]: see
// pl_elem_kind.stress. 1: outside the domain.
int pl_solid_stress(int sd, int rd, const double *F, const double *frame, const double *par,
                    int law, const double *dilation, const double *more, pl_stress *out);
// F[3][3] of a solid where its nv shape functions have the slopes dN[nv][3] by natural coordinates,
// and det dX/dxi; 1: that is not > 0.
int pl_solid_gradient(int nv, const double *dN, const double *x, const double *X, double *F,
                      double *det);

#define X(name) extern const pl_elem_kind pl_elem_##name;
PL_ELEM_LIST(X)
#undef X

// random vertices near a given shape, and the rest of a sample
void pl_sample_shape(unsigned seed, int nvert, int vdim, const double *shape, double jitter,
                     double *X, double *q, double *v);
// young, poisson and density of a sample
void pl_sample_solid(unsigned seed, double *par);

// parameters of a hyperelastic, of an orthotropic and of a flat orthotropic sample
void pl_sample_hyper(unsigned seed, double *par);
void pl_sample_ortho(unsigned seed, double *par);
void pl_sample_flat(unsigned seed, double *par);

// The positive part of a symmetric A[3][3], in place.
static inline void pl_positive3(double A[9]) {
  double l[3], V[9];
  pl_eig3(A, l, V);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      A[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) A[3 * i + j] += fmax(0, l[k]) * V[3 * i + k] * V[3 * j + k];
    }
}

#endif
