// An objective of one's own: the root mean square acceleration of a mass on a spring and a dashpot
// under a force F sin(w t). A design finds the stiffness with which the mass feels 0.6 of it.
#include "pliant/pliant.h"

#include <math.h>
#include <stdio.h>

static const double m = 2, k0 = 40, c = 2, F = 3, w = 6; // kg, N/m, N s/m, N, rad/s

// Q^2 = sum over harmonics of (j w)^4 (s_j^2 + c_j^2) / 2
static pl_status eval(const pl_objective_at *at, int i, double *q) {
  double z[2 * 64 + 1], sum = 0;
  pl_orbit_series(at->m, at->p, at->orbit, at->o->node[i], 0, z);
  for (int a = 1; a <= 2 * at->orbit->nharm; a++)
    sum += pow((a + 1) / 2 * at->orbit->omega, 4) * z[a] * z[a] / 2;
  *q = sqrt(sum);
  return PL_OK;
}

// adds by dQ/dz to gz; the library does the rest by one adjoint solution
static pl_status gradient(const pl_objective_at *at, int i, double q, double by, double *gz,
                          double *gx) {
  double z[2 * 64 + 1], g[2 * 64 + 1] = {0};
  pl_orbit_series(at->m, at->p, at->orbit, at->o->node[i], 0, z);
  for (int a = 1; q > 0 && a <= 2 * at->orbit->nharm; a++)
    g[a] = by * pow((a + 1) / 2 * at->orbit->omega, 4) * z[a] / (2 * q);
  pl_objective_add(at, at->o->node[i], 0, g, gz, gx);
  return PL_OK;
}

static const pl_objective_kind acceleration = {.name = "acceleration",
                                               .quantity = "acceleration",
                                               .unit = "m/s^2",
                                               .form = PL_FORM_RATIO,
                                               .goals = PL_GOALS_TARGET | PL_GOALS_LEAST,
                                               .nodes = PL_NODES_EACH,
                                               .least_squares = 1,
                                               .eval = eval,
                                               .gradient = gradient};

static double closed(double k) {
  return F * w * w / hypot(k - m * w * w, c * w) / sqrt(2);
}

// the mass, with its stiffness as design parameter
static pl_status build(pl_built *out) {
  pl_builder *b;
  PL_TRY(pl_builder_create(NULL, 1, &b));
  int node = pl_build_node(b, (double[3]){0}, "mass");
  int k = pl_build_parameter(b, "k", "N/m", k0, 5, 60);
  const pl_setting spring[] = {
      {"stiffness", {.v = k0, .par = k, .coef = 1}}, {"damping", {.v = c}}, {0}};
  pl_build_element(b, pl_elem_find("spring1"), (int[]){-1, node}, spring); // -1: the ground
  pl_build_element(b, pl_elem_find("mass1"), &node, (pl_setting[]){{"mass", {.v = m}}, {0}});
  pl_build_load(b, &(pl_load_desc){.nnode = 1, .node = &node, .term = {1, {F}, 0}});
  return pl_build_all(b, 1, out);
}

int main(void) {
  pl_built b;
  pl_design *d = NULL;
  pl_design_result *r = NULL;
  pl_optimise_opts o = pl_optimise_defaults();
  o.ftol = 1e-12;
  pl_objective want = {.kind = &acceleration, .weight = 1, .nnode = 1, .node = &(int){0}};
  want.target = 0.6 * closed(k0);
  pl_design_problem p = {.nvariable = 1,
                         .variable = &(pl_variable){.kind = PL_VARIABLE_DESIGN},
                         .npoint = 1,
                         .point = &(pl_operating){.omega = w},
                         .nobjective = 1,
                         .objective = &want};
  double before = 0, after = 0, slope = 0;
  pl_status s = build(&b);
  if (s == PL_OK) s = pl_design_open(&o, b.model, b.params, b.work, &p, &d);
  if (s == PL_OK) s = pl_design_quantity(d, 0, &before, &slope);
  if (s == PL_OK) s = pl_design_run(d, NULL, NULL, NULL, &r);
  if (s == PL_OK) s = pl_design_quantity(d, 0, &after, NULL);
  if (s != PL_OK) return 1;
  printf("before    %.8f m/s^2 (closed form %.8f)\n", before, closed(k0));
  printf("slope     %.6e (closed form %.6e)\n", slope,
         (closed(k0 + 1e-3) - closed(k0 - 1e-3)) / 2e-3);
  printf("stiffness %.6f N/m after %d steps\n", r->after[0], r->nstep - 1);
  printf("ratio     %.8f\n", after / before);
  pl_design_result_free(r);
  pl_design_free(d);
  pl_built_free(&b);
}

/* TEST
command: 11-own-objective
before: 2.2345359 +- 1e-6
slope: 6.122016e-2 +- 1e-7
stiffness: 16.318365 +- 1e-4
ratio: 0.6 +- 1e-6
*/
