// A driven, damped oscillator, built in code and stepped in time until it is periodic, compared
// with the closed form. No scene file: this is how to use pliant as a library.
#include "pliant/pliant.h"

#include <math.h>
#include <stdio.h>

static const double m = 2, k = 8, c = 0.8, force = 1, omega = 1.5; // kg, N/m, N.s/m, N, rad/s

// what the observer gathers: sums over the last period, for the first Fourier coefficient
typedef struct record {
  double from; // s, begin of the period under way
  double sine, cosine;
  int n;
} record;

// called after every step; non-zero would stop the run
static int observe(void *ctx, const pl_state *s, const pl_clock *clock, const pl_work *w) {
  (void)clock;
  (void)w;
  record *r = ctx;
  double period = 2 * PL_PI / omega;
  if (s->t > r->from + period * (1 + 1e-9)) *r = (record){.from = r->from + period};
  r->sine += s->q[0] * sin(omega * s->t);
  r->cosine += s->q[0] * cos(omega * s->t);
  r->n++;
  return 0;
}

int main(void) {
  pl_builder *b;
  if (pl_builder_create(NULL, 1, &b) != PL_OK) return 1;
  int node = pl_build_node(b, (double[3]){0}, "mass");
  const pl_setting spring[] = {{"stiffness", {.v = k}}, {"damping", {.v = c}}, {0}};
  pl_build_element(b, pl_elem_find("spring1"), (int[]){-1, node}, spring); // -1: the ground
  pl_build_element(b, pl_elem_find("mass1"), &node, (pl_setting[]){{"mass", {.v = m}}, {0}});
  pl_build_load(b, &(pl_load_desc){.nnode = 1, .node = &node, .term = {1, {force}, 0}});

  // options begin with their defaults
  pl_transient_opts opts = pl_transient_defaults();
  opts.frequency = omega;
  opts.periods = 60;
  opts.steps_per_period = 2000;
  opts.steady = 1e-9; // m

  pl_built built;
  record r = {0};
  pl_transient_info info;
  pl_status s = pl_build_all(b, 1, &built);
  if (s == PL_OK)
    s = pl_transient(&opts, built.model, built.params, built.state, NULL, built.work, observe, &r,
                     &info);
  if (s != PL_OK) {
    fprintf(stderr, "%s: %s\n", pl_status_text(s), pl_built_error(&built));
    pl_built_free(&built);
    return 1;
  }
  double sine = 2 * r.sine / r.n, cosine = 2 * r.cosine / r.n;
  double lag = c * omega, net = k - m * omega * omega;
  printf("periods     %d (%s)\n", info.nperiod, pl_stop_text(info.reason));
  printf("amplitude   %.8f m\n", hypot(sine, cosine));
  printf("closed form %.8f m\n", force / hypot(net, lag));
  printf("phase       %.6f rad\n", atan2(cosine, sine));
  printf("closed form %.6f rad\n", -atan2(lag, net));
  pl_built_free(&built);
  return 0;
}

/* TEST
command: 01-oscillator
amplitude: 0.27027027 +- 1e-6
phase: -0.330297 +- 1e-5
*/
