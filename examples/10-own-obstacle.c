// An own kind of obstacle in an own program: a hoop, which is a torus. A bead slides on its inner
// side, without friction, from rest to the lowest place; its speed and the force there have closed
// forms. In axes of its own the hoop lies about z; the obstacle's rotation stands it up.
#include "pliant/pliant.h"

#include <math.h>
#include <stdio.h>

// par[0]: radius of the ring; the obstacle's own radius, that of its wire, is taken off by pliant
static double hoop_distance(const pl_obstacle *o, int dim, const double *x, double *n) {
  double rho = hypot(x[0], x[1]), over = rho - o->par[0], size = hypot(over, x[2]);
  (void)dim;
  // the gradient; on the ring itself and on the axis any direction will do
  n[0] = size > 0 && rho > 0 ? over / size * x[0] / rho : 0;
  n[1] = size > 0 && rho > 0 ? over / size * x[1] / rho : 0;
  n[2] = size > 0 && rho > 0 ? x[2] / size : 1;
  return size;
}

static const pl_key keys[] = {
    {.name = "ring", .hi = 1e9, .lo_open = 1, .unit = "m", .text = "radius of the ring"}};
static const pl_obstacle_kind hoop = {
    .name = "hoop", .dim = 3, .nkey = 1, .key = keys, .distance = hoop_distance};

// stops where the bead has reached the lowest place
static int at_bottom(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  (void)ctx, (void)c, (void)w;
  return s->q[0] <= 0;
}

int main(void) {
  const double ring = 1.02, wire = 0.02, g = 9.81, start = 1; // m, m, m/s^2, rad
  const double length = ring - wire, x[3] = {length * sin(start), 0, -length * cos(start)};
  pl_builder *b;
  if (pl_builder_create(NULL, 3, &b) != PL_OK) return 1;
  int bead = pl_build_node(b, x, "bead");
  pl_build_element(b, pl_elem_find("point"), &bead, (pl_setting[]){{"mass", {.v = 1}}, {0}});
  b->gravity[2] = -g;
  pl_obstacle o = {.kind = &hoop, .par = {ring}, .radius = wire};
  pl_quat_from_axis((double[3]){1, 0, 0}, acos(-1) / 2, o.rotation);
  pl_build_obstacle(b, "hoop", &o);
  pl_build_contact(b, 1, &bead, 0, -1, NULL);
  pl_built m;
  if (pl_build_all(b, 1, &m) != PL_OK) return 1;

  pl_contact *contact = m.constraints.contact;
  pl_transient_opts opts = pl_transient_defaults();
  double force[3];
  opts.duration = 5;
  opts.step = 1e-4;
  pl_transient_contact(&opts, m.model, m.params, contact, m.state, NULL, m.work, at_bottom, NULL,
                       NULL);
  pl_contact_force(contact, 0, force);
  double speed = sqrt(2 * g * length * (1 - cos(start)));
  printf("speed  %.5f m/s, closed form %.5f\n", -m.state->v[0], speed);
  printf("force  %.5f N, closed form %.5f\n", force[2], g * (3 - 2 * cos(start)));
  printf("height %.8f m\n", m.state->q[2]);
  pl_built_free(&m);
}

/* TEST
command: 10-own-obstacle
speed: 3.00321 +- 1e-3
force: 18.82927 +- 1e-2
height: -1 +- 1e-6
*/
