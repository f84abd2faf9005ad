// An own kind of element in an own program: a mass on a spring that a magnet at d = 0.2 m draws,
// W = -c/(d - q), spring and mass 1 N/m and 1 kg. Written with complex numbers, it serves every
// analysis; here the frequency about the equilibrium, which falls to zero where the magnet snaps
// the mass up.
#include "pliant/pliant.h"

#include <stdio.h>

// energy, force and stiffness at the place q of the only unknown; parameter c
static int magnet_eval(const pl_complex *q, const pl_complex *par, const pl_complex *rest,
                       pl_complex *W, pl_complex *f, pl_complex *K) {
  pl_complex c = par[0], gap = 0.2 - q[0];
  (void)rest;
  if (!(creal(gap) > 0)) return 1; // outside its domain: a shorter step is tried
  if (W) *W = -c / gap;
  if (f) f[0] = -c / (gap * gap);
  if (K) K[0] = -2 * c / (gap * gap * gap);
  return 0;
}

static const pl_option strength = {"c", .value = 1e-4, .hi = 1, .unit = "N.m^2"};
static const pl_elem_kind magnet = {"magnet",  .nscal = 1,       .ndof = 1,
                                    .npar = 1, .par = &strength, .z.eval = magnet_eval};

int main(void) {
  double omega, c = 8e-4; // N m^2
  pl_builder *b;
  if (pl_builder_create(NULL, 1, &b) != PL_OK) return 1;
  int node = pl_build_node(b, (double[3]){0}, "mass");
  pl_build_element(b, pl_elem_find("spring1"), (int[]){-1, node}, NULL); // -1: the ground
  pl_build_element(b, pl_elem_find("mass1"), &node, NULL);
  pl_build_element(b, &magnet, &node, (pl_setting[]){{"c", {.v = c}}, {0}});

  pl_built m;
  if (pl_build_all(b, 1, &m) != PL_OK || pl_built_static(&m, NULL) != PL_OK) return 1;
  if (pl_built_modes(&m, 1, &omega, NULL) != PL_OK) return 1;
  printf("drawn     %.6f m\nfrequency %.8f rad/s, closed form %.8f\n", m.state->q[0], omega,
         sqrt(1 - 2 * c / pow(0.2 - m.state->q[0], 3)));
  pl_built_free(&m);
}

/* TEST
command: 08-own-element
drawn: 0.0266107 +- 1e-5
frequency: 0.832491 +- 3e-5
*/
