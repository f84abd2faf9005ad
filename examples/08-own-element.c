// An own kind of element in an own program: a mass that a magnet draws, W = -c/(d - q), on a
// spring. Written once for double and for double complex, it serves every analysis; here the
// frequency about the equilibrium, which falls to zero where the magnet snaps the mass up.
#include "pliant/pliant.h"

#include <math.h>
#include <stdio.h>

// energy, force and stiffness at elongation q of the only unknown; parameters c and d
#define MAGNET(real, eval, prepare)                                                                \
  static int prepare(const real *X, real *rest) {                                                  \
    rest[0] = X[0];                                                                                \
    return 0;                                                                                      \
  }                                                                                                \
  static int eval(const real *q, const real *par, const real *rest, real *W, real *f, real *K) {   \
    real gap = par[1] - (q[0] - rest[0]);                                                          \
    if (!(creal(gap) > 0)) return 1; /* outside its domain: a shorter step is tried */             \
    if (W) *W = -par[0] / gap;                                                                     \
    if (f) f[0] = -par[0] / (gap * gap);                                                           \
    if (K) K[0] = -2 * par[0] / (gap * gap * gap);                                                 \
    return 0;                                                                                      \
  }
MAGNET(double, magnet_d, rest_d)
MAGNET(double complex, magnet_z, rest_z)

static const pl_option par[] = {
    {.name = "c", .type = PL_OPT_REAL, .value = 1e-4, .hi = 1, .unit = "N.m^2", .text = "strength"},
    {.name = "d", .type = PL_OPT_REAL, .value = 0.1, .hi = 1, .unit = "m", .text = "distance"}};
static const pl_elem_kind magnet = {.name = "magnet",
                                    .text = "a magnet that draws a scalar unknown",
                                    .nscal = 1,
                                    .ndof = 1,
                                    .npar = 2,
                                    .nrest = 1,
                                    .inert = 1,
                                    .par = par,
                                    .d = {.prepare = rest_d, .eval = magnet_d},
                                    .z = {.prepare = rest_z, .eval = magnet_z}};

int main(void) {
  pl_env env;
  pl_env_init(&env);
  pl_builder *b;
  if (pl_builder_create(&env, 1, &b) != PL_OK) return 1;
  const double k = 10, c = 0.008, d = 0.2; // N/m, N m^2, m
  const pl_setting spring[] = {{"stiffness", {.v = k}}, {0}},
                   draws[] = {{"c", {.v = c}}, {"d", {.v = d}}, {0}};
  int node = pl_build_node(b, (double[3]){0}, "mass");
  pl_build_element(b, pl_elem_find("spring1"), (int[]){-1, node}, spring); // -1: the ground
  pl_build_element(b, pl_elem_find("mass1"), &node, NULL);
  pl_build_element(b, &magnet, &node, draws);

  pl_built m;
  pl_static_opts o;
  pl_static_info info;
  pl_modes_info modes;
  double omega, shape;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  pl_status s = pl_build_all(b, 1, &m);
  if (s == PL_OK) s = pl_static(&o, m.model, m.params, m.state, m.work, NULL, NULL, &info);
  if (s == PL_OK)
    s = pl_modes(&(pl_modes_opts){.count = 1}, m.model, m.params, m.state, m.work, &omega, &shape,
                 &modes);
  if (s == PL_OK) {
    double q = m.state->q[0], gap = d - q;
    printf("drawn     %.6f m, forces %.2e N apart\n", q, fabs(k * q - c / (gap * gap)));
    printf("frequency %.8f rad/s\n", omega);
    printf("closed    %.8f rad/s\n", sqrt(k - 2 * c / (gap * gap * gap)));
  } else {
    fprintf(stderr, "%s: %s\n", pl_status_text(s), env.error.text);
  }
  pl_built_free(&m);
  return s != PL_OK;
}

/* TEST
command: 08-own-element
drawn: 0.0266107 +- 1e-5
frequency: 2.63257 +- 1e-4
*/
