// An own kind of obstacle in an own program: a hoop, which is a torus about y. A bead slides on its
// inner side, without friction, from rest to the lowest place; the time to it, its speed and the
// force there have closed forms.
#include "pliant/pliant.h"

#include <stdio.h>

// par[0]: radius of the ring; the obstacle's own radius, that of its wire, is taken off by pliant
static pl_complex hoop_distance(const pl_obstacle *o, int dim, const pl_complex *x) {
  pl_complex over = csqrt(x[0] * x[0] + x[2] * x[2]) - o->par[0];
  (void)dim;
  return csqrt(over * over + x[1] * x[1]);
}

static const pl_obstacle_kind hoop = {.name = "hoop", .dim = 3, .distance_z = hoop_distance};

int main(void) {
  const double g = 9.81, K = 1.6749939161; // m/s^2, elliptic integral K(sin(1/2))
  double force[3];
  pl_builder *b;
  if (pl_builder_create(NULL, 3, &b) != PL_OK) return 1;
  int bead = pl_build_node(b, (double[]){sin(1), 0, -cos(1)}, "bead");
  pl_build_element(b, pl_elem_find("point"), &bead, (pl_setting[]){{"mass", {.v = 1}}, {0}});
  pl_build_obstacle(b, NULL, &(pl_obstacle){.kind = &hoop, .par = {1.02}, .radius = 0.02});
  pl_build_contact(b, 1, &bead, 0, -1, NULL);
  b->gravity[2] = -g;

  pl_built m;
  const pl_transient_opts o = pl_transient_for(K / sqrt(g), 1e-4);
  if (pl_build_all(b, 1, &m) != PL_OK) return 1;
  if (pl_built_transient(&m, &o, NULL, NULL) != PL_OK) return 1;
  pl_contact_force(m.constraints.contact, 0, force);
  printf("place  %.6f m\n", m.state->q[0]);
  printf("speed  %.5f m/s, closed form %.5f\n", -m.state->v[0], sqrt(2 * g * (1 - cos(1))));
  printf("force  %.5f N, closed form %.5f\n", force[2], g * (3 - 2 * cos(1)));
  pl_built_free(&m);
}

/* TEST
command: 10-own-obstacle
place: 0 +- 1e-3
speed: 3.00321 +- 1e-3
force: 18.82927 +- 1e-2
*/
