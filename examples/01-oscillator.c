// A driven, damped oscillator built by hand from a model description, stepped in time until it is
// periodic, and compared with the closed form. No scene file: this is how to use pliant as a
// library.
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

static pl_status run(pl_env *env, record *r, pl_transient_info *info) {
  // one node with one unknown; -1 in a stencil is the ground
  const int node = 0, ends[2] = {-1, 0};
  const double X = 0, spring[4] = {k, 0, 0, c}; // stiffness, quadratic, cubic, damping
  const pl_group_desc group[2] = {
      {.name = "spring",
       .kind = pl_elem_find("spring1"),
       .nelem = 1,
       .stencil = ends,
       .shared = 1,
       .par = spring},
      {.name = "mass",
       .kind = pl_elem_find("mass1"),
       .nelem = 1,
       .stencil = &node,
       .shared = 1,
       .par = &m},
  };
  const pl_load_desc load = {
      .name = "push", .nnode = 1, .node = &node, .term = {.harmonic = 1, .amplitude = {force}}};
  const pl_model_desc desc = {
      .dim = 1, .nnode = 1, .X = &X, .ngroup = 2, .group = group, .nload = 1, .load = &load};

  // options begin with their defaults
  pl_transient_opts opts;
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &opts);
  opts.frequency = omega;
  opts.periods = 60;
  opts.steps_per_period = 2000;
  opts.steady = 1e-9; // m

  pl_model *model = NULL;
  pl_params *params = NULL;
  pl_state *state = NULL;
  pl_work *work = NULL;
  pl_status s = pl_model_create(env, &desc, &model);
  if (s == PL_OK) s = pl_params_create(model, &params);
  if (s == PL_OK) s = pl_state_create(model, params, &state);
  if (s == PL_OK) s = pl_work_create(model, 1, &work);
  if (s == PL_OK) s = pl_transient(&opts, model, params, state, NULL, work, observe, r, info);
  pl_work_free(work);
  pl_state_free(model, state);
  pl_params_free(params);
  pl_model_free(model);
  return s;
}

int main(void) {
  pl_env env;
  pl_env_init(&env);
  record r = {0};
  pl_transient_info info = {0};
  pl_status s = run(&env, &r, &info);
  if (s != PL_OK) {
    fprintf(stderr, "%s: %s\n", pl_status_text(s), env.error.text);
    return 1;
  }
  double a = 2 * r.sine / r.n, b = 2 * r.cosine / r.n, lag = c * omega, net = k - m * omega * omega;
  printf("periods     %d (%s)\n", info.nperiod, pl_stop_text(info.reason));
  printf("amplitude   %.8f m\n", hypot(a, b));
  printf("closed form %.8f m\n", force / hypot(net, lag));
  printf("phase       %.6f rad\n", atan2(b, a));
  printf("closed form %.6f rad\n", -atan2(lag, net));
  return 0;
}

/* TEST
command: 01-oscillator
amplitude: 0.27027027 +- 1e-6
phase: -0.330297 +- 1e-5
*/
