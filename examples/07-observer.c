// An observer that sees every step and stops the run: a pendulum is let go at the height of its
// pivot, and stopped when it passes its lowest place. The time to it is sqrt(L/g) K(1/sqrt(2)),
// 1.85407468 sqrt(L/g).
#include "pliant/pliant.h"

#include <math.h>
#include <stdio.h>

static const double length = 0.5, g = 9.81; // m, m/s^2

typedef struct seen {
  int steps;
  double x, t, lowest; // where it was, when, and when it passed x = 0
} seen;

// non-zero stops the run
static int observe(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  seen *k = ctx;
  double x = s->q[2];
  (void)c, (void)w;
  if (k->steps++ > 0 && x <= 0) k->lowest = k->t + (s->t - k->t) * k->x / (k->x - x);
  k->x = x;
  k->t = s->t;
  return x <= 0;
}

int main(void) {
  pl_env env;
  pl_env_init(&env);
  pl_builder *b;
  if (pl_builder_create(&env, 2, &b) != PL_OK) return 1;
  // a pivot, and a mass on a link a thousand times as stiff as its weight needs
  int pivot = pl_build_node(b, (double[3]){0}, "pivot");
  int mass = pl_build_node(b, (double[3]){length}, "mass");
  const pl_setting stiff[] = {{"stiffness", {.v = 1e6}}, {"mass", {.v = 0}}, {0}},
                   heavy[] = {{"mass", {.v = 1}}, {0}};
  pl_build_element(b, pl_elem_find("link"), (int[]){pivot, mass}, stiff);
  pl_build_element(b, pl_elem_find("point"), &mass, heavy);
  pl_build_fix(b, 1, &pivot, PL_HOLD_NODES);
  b->gravity[1] = -g;

  pl_built m;
  seen k = {0};
  pl_transient_opts o;
  pl_transient_info info;
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &o);
  o.duration = 10;
  o.step = 1e-4;
  pl_status s = pl_build_all(b, 1, &m);
  if (s == PL_OK)
    s = pl_transient(&o, m.model, m.params, m.state, NULL, m.work, observe, &k, &info);
  printf("ended   %s\n", pl_status_text(s));
  printf("quarter %.6f s (closed form %.6f s)\n", k.lowest, 1.8540746773 * sqrt(length / g));
  pl_built_free(&m);
  return s != PL_CANCELLED;
}

/* TEST
command: 07-observer
quarter: 0.418579 +- 5e-5
*/
