// An observer that sees every step and stops the run: a pendulum is let go at the height of its
// pivot, and stopped when it passes its lowest place. The time to it is sqrt(L/g) K(1/sqrt(2)),
// 1.85407468 sqrt(L/g).
#include "pliant/pliant.h"

#include <math.h>
#include <stdio.h>

// non-zero stops the run
static int observe(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  double *lowest = ctx;
  (void)c, (void)w;
  *lowest = s->t - s->q[2] / s->v[2]; // the time at x = 0, by the place and speed at hand
  return s->q[2] <= 0;
}

int main(void) {
  const double length = 0.5, g = 9.81; // m, m/s^2
  double lowest = 0;
  pl_builder *b;
  if (pl_builder_create(NULL, 2, &b) != PL_OK) return 1;
  // a pivot, and a mass on a link a thousand times as stiff as its weight needs
  int node[2] = {pl_build_node(b, (double[3]){0}, "pivot"),
                 pl_build_node(b, (double[3]){length}, "mass")};
  const pl_setting stiff[] = {{"stiffness", {.v = 1e6}}, {"mass", {.v = 0}}, {0}};
  pl_build_element(b, pl_elem_find("link"), node, stiff);
  pl_build_element(b, pl_elem_find("point"), node + 1, (pl_setting[]){{"mass", {.v = 1}}, {0}});
  pl_build_fix(b, 1, node, PL_HOLD_NODES);
  b->gravity[1] = -g;

  pl_built m;
  const pl_transient_opts o = pl_transient_for(10, 1e-4); // s, at most
  if (pl_build_all(b, 1, &m) != PL_OK) return 1;
  pl_built_transient(&m, &o, observe, &lowest);
  printf("quarter %.6f s (closed form %.6f s)\n", lowest, 1.8540746773 * sqrt(length / g));
  pl_built_free(&m);
}

/* TEST
command: 07-observer
quarter: 0.418579 +- 5e-5
*/
