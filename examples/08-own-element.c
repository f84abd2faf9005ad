// An own kind of element in an own program: a mass that a magnet draws, W = -c/(d - q), on a
// spring. Written once for double and for double complex, it serves every analysis; here the
// frequency about the equilibrium, which falls to zero where the magnet snaps the mass up.
#include "pliant/pliant.h"

#include <math.h>
#include <stdio.h>

// energy, force and stiffness at the place q of the only unknown; parameters c and d
#define MAGNET(real, eval)                                                                         \
  static int eval(const real *q, const real *par, const real *rest, real *W, real *f, real *K) {   \
    real gap = par[1] - q[0];                                                                      \
    (void)rest;                                                                                    \
    if (!(creal(gap) > 0)) return 1; /* outside its domain: a shorter step is tried */             \
    if (W) *W = -par[0] / gap;                                                                     \
    if (f) f[0] = -par[0] / (gap * gap);                                                           \
    if (K) K[0] = -2 * par[0] / (gap * gap * gap);                                                 \
    return 0;                                                                                      \
  }
MAGNET(double, magnet_d)
MAGNET(double complex, magnet_z)

static const pl_option par[] = {
    {.name = "c", .type = PL_OPT_REAL, .value = 1e-4, .hi = 1, .unit = "N.m^2", .text = "strength"},
    {.name = "d", .type = PL_OPT_REAL, .value = 0.1, .hi = 1, .unit = "m", .text = "distance"}};
static const pl_elem_kind magnet = {"magnet",   .nscal = 1,         .ndof = 1,         .npar = 2,
                                    .par = par, .d.eval = magnet_d, .z.eval = magnet_z};

int main(void) {
  const double k = 10, c = 0.008, d = 0.2; // N/m, N m^2, m
  double omega;
  pl_builder *b;
  if (pl_builder_create(NULL, 1, &b) != PL_OK) return 1;
  int node = pl_build_node(b, (double[3]){0}, "mass");
  pl_build_element(b, pl_elem_find("spring1"), (int[]){-1, node}, // -1: the ground
                   (pl_setting[]){{"stiffness", {.v = k}}, {0}});
  pl_build_element(b, pl_elem_find("mass1"), &node, NULL);
  pl_build_element(b, &magnet, &node, (pl_setting[]){{"c", {.v = c}}, {"d", {.v = d}}, {0}});

  pl_built m;
  const pl_modes_opts one = {.count = 1};
  pl_status s = pl_build_all(b, 1, &m);
  if (s == PL_OK) s = pl_static(NULL, m.model, m.params, m.state, m.work, NULL, NULL, NULL);
  if (s == PL_OK) s = pl_modes(&one, m.model, m.params, m.state, m.work, &omega, NULL, NULL);
  if (s != PL_OK) return 1;
  printf("drawn     %.6f m\nfrequency %.8f rad/s\n", m.state->q[0], omega);
  printf("closed    %.8f rad/s\n", sqrt(k - 2 * c / pow(d - m.state->q[0], 3)));
  pl_built_free(&m);
}

/* TEST
command: 08-own-element
drawn: 0.0266107 +- 1e-5
frequency: 2.63257 +- 1e-4
*/
