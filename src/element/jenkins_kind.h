#define BODY  "jenkins.inc"
#define RATE  0
#define NHIST 1
#include "pair_kind.h"

static const pl_option par_options[] = {
    PAR("stiffness", 1, 1e-30, 1e30, "N/m", "stiffness while it sticks"),
    PAR("limit", 1, 0, 1e30, "N", "force at which it slips"),
};

static const pl_field_info field_info[] = {
    {"force", "N", "friction force"},
    {"slider", "m", "elongation at which the force would be zero: how far it has slipped"},
};

// the slider follows what pulls it beyond the limit
static void commit(double *q, double *v, double *a, const double *par, double *rest,
                   unsigned keep) {
  double d = 0, n[NDOF_d];
  (void)v, (void)a, (void)keep;
  stretch(q, rest, &d, n);
  double e = d - rest[0];
  if (par[0] * fabs(e) > par[1]) rest[0] = d - copysign(par[1] / par[0], e);
}

static void field(const double *q, const double *par, const double *rest, double *value) {
  double d = 0, n[NDOF_d], W, slope;
  stretch(q, rest, &d, n);
  law_d(d, par, rest, &W, &value[0], &slope);
  value[1] = d - value[0] / par[0];
}

// sticking or slipping, and well away from the change
static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  double d = sample_pair(seed, X, q, v);
  par[0] = 3 + 0.1 * (seed % 10);
  par[1] = seed % 2 ? par[0] * (fabs(d) + 0.2) : par[0] * fabs(d) * 0.5;
  if (fabs(d) < 0.05) par[1] = par[0];
}

#define JENKINS_KIND                                                                               \
  PAIR_KIND, .nfield = COUNT(field_info), .field_info = field_info, .field = field,                \
             .commit = commit, .slider = {left_d, left_z}
