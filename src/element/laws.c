// Hyperelastic laws psi = W(C J^-2/3) + K/2 (J - 1)^2, as polynomials of the isochoric invariants
// (Mooney, Rivlin; Yeoh 1993) or powers of the isochoric stretches (Ogden 1972), and moduli of
// orthotropic bodies.
#include "pliant/math.h"

#define BODY "laws.inc"
#include "laws.h"

#include "kernel.h"
