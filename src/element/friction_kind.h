#define BODY  "friction.inc"
#define RATE  1
#define NHIST 0
#include "pair_kind.h"

static const pl_option par_options[] = {
    PAR("limit", 1, 0, 1e30, "N", "force of full sliding"),
    PAR("velocity", 1e-3, 1e-30, 1e30, "m/s", "rate at which tanh(1) = 76 % of the limit is felt"),
};

// beyond the last one tanh is one to rounding
static void levels(const double *par, double *level) {
  static const double at[4] = {1, 3, 8, 18};
  for (int i = 0; i < 4; i++) {
    level[i] = at[i] * par[1];
    level[4 + i] = -at[i] * par[1];
  }
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  sample_pair(seed, X, q, v);
  par[0] = 3 + 0.1 * (seed % 10);
  par[1] = 0.5 + 0.1 * (seed % 7);
}

#define FRICTION_KIND PAIR_KIND, .nlevel = 8, .levels = levels
