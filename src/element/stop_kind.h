#define BODY  "stop.inc"
#define RATE  0
#define NHIST 0
#include "pair_kind.h"

static const pl_option par_options[] = {
    PAR("stiffness", 1, 0, 1e30, "N/m", "stiffness of the closed stop"),
    PAR("gap", 0, -1e9, 1e9, "m", "elongation at which it closes; < 0: pressed at rest"),
    PAR("side", 1, -1, 1, "", "1: closes when the elongation exceeds the gap, -1: below minus it"),
};

static const pl_field_info field_info[] = {
    {"force", "N", "force of the closed stop, >= 0"},
    {"depth", "m", "how far it is closed; < 0: still open"},
};

static void field(const double *q, const double *par, const double *rest, double *value) {
  double d = 0, n[NDOF_d];
  stretch(q, rest, &d, n);
  value[1] = par[2] * d - par[1];
  value[0] = par[0] * fmax(0, value[1]);
}

static void levels(const double *par, double *level) {
  level[0] = par[2] * par[1];
}

// open or closed, and well away from the change
static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  double d = sample_pair(seed, X, q, v);
  par[0] = 3 + 0.1 * (seed % 10);
  par[2] = seed % 3 ? 1 : -1;
  par[1] = par[2] * d + (seed % 2 ? 0.2 : -0.3);
}

#define STOP_KIND                                                                                  \
  PAIR_KIND, .nfield = COUNT(field_info), .field_info = field_info, .field = field, .nlevel = 1,   \
             .levels = levels
