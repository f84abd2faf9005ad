// An objective of one's own: the root mean square acceleration of a mass on a spring and a dashpot
// under a force F sin(w t). A design finds the stiffness with which the mass feels what is wanted.
#include "pliant/pliant.h"

#include <stdio.h>

static const double m = 2, c = 2, F = 3, w = 6, want = 1.34; // kg, N s/m, N, rad/s, m/s^2

// Q^2 = sum over harmonics of (j w)^4 (s_j^2 + c_j^2) / 2
static pl_complex rms(const pl_node_motion *x) {
  pl_complex sum = 0;
  for (int a = 1; a <= 2 * x->nharm; a++)
    sum += cpow((a + 1) / 2 * x->omega, 4) * x->z[a] * x->z[a] / 2;
  return csqrt(sum);
}

static const pl_objective_kind kind = {"acceleration", .unit = "m/s^2", .motion = rms};

int main(void) {
  pl_builder *b;
  pl_built built;
  pl_design_result *r;
  if (pl_builder_create(NULL, 1, &b) != PL_OK) return 1;
  int node = pl_build_node(b, (double[3]){0}, "mass");
  // its value and bounds
  const pl_value k = {.v = 40, .par = pl_build_parameter(b, "k", "N/m", 40, 5, 60), .coef = 1};
  const pl_setting spring[] = {{"stiffness", k}, {"damping", {.v = c}}, {0}};
  pl_build_element(b, pl_elem_find("spring1"), (int[]){-1, node}, spring); // -1: the ground
  pl_build_element(b, pl_elem_find("mass1"), &node, (pl_setting[]){{"mass", {.v = m}}, {0}});
  pl_build_load(b, &(pl_load_desc){.nnode = 1, .node = &node, .term = {1, {F}, 0}});
  if (pl_build_all(b, 1, &built) != PL_OK) return 1;

  pl_objective goal = {.kind = &kind, .weight = 1, .nnode = 1, .node = &node, .target = want};
  pl_design_problem p = {
      .npoint = 1, .point = &(pl_operating){.omega = w}, .nobjective = 1, .objective = &goal};
  if (pl_design_solve(NULL, built.model, built.params, built.work, &p, &r) != PL_OK) return 1;
  // closed form: m w^2 - sqrt((F w^2 / want)^2 / 2 - (c w)^2)
  printf("stiffness %.6f N/m\n", r->after[0]);
  pl_design_result_free(r);
  pl_built_free(&built);
}

/* TEST
command: 11-own-objective
stiffness: 16.286991 +- 1e-4
*/
