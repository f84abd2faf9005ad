// W = A h psi(F) in the plane, St. Venant-Kirchhoff in plane stress; harmonic-balance paper, App.
// E.
#define SD   2
#define BODY "triangle.inc"
#define PACKED
#define CARRY
#include "kernel.h"
#include "triangle_kind.h"

static double volume(const double *q, const double *rest) {
  double x[6], F[4];
  transpose_d(3, 2, q, x);
  gradient_d(3, 2, 2, x, rest, F);
  return F[0] * F[3] - F[1] * F[2];
}

const pl_elem_kind pl_elem_tri2 = {
    .name = "tri2",
    .text = "constant-strain triangle in the plane, plane stress, St. Venant-Kirchhoff",
    TRIANGLE_KIND,
    .volume = volume,
    .p = {eval_p, third_p, mixed_p},
};
