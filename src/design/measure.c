// Measures of a node's motion and what variables do to them: through the motion, and through
// driven components of the node itself.
#include "design_impl.h"

#include <string.h>

// ---- path length ------------------------------------------------------------------------------

typedef struct through_drive {
  pl_design *d;
  int node;
  double by, *gx;
} through_drive;

// what variables do to the path through driven components
static void add_drive(void *ctx, double phase, const double *w) {
  const through_drive *t = ctx;
  pl_clock c = {.t = phase, .omega = 1, .scale = 1};
  double dx[3], dv[3], da[3];
  for (int k = 0; k < t->d->nvar; k++)
    if (pl_directions_drive(t->d->directions, 0, t->d->p, &c, k, t->node, dx, dv, da))
      t->gx[k] += t->by * pl_dot3(w, dv);
}

double objective_path(pl_design *d, const pl_orbit *o, int node, int mask, double by, double *gz,
                      double *gx) {
  through_drive t = {.d = d, .node = node, .by = by, .gx = gx};
  const int *index = pl_model_free_index(d->m);
  int dim = pl_model_dim(d->m), L = 2 * o->nharm + 1, driven = 0;
  for (int c = 0; c < dim; c++) driven |= index[node * dim + c] < 0;
  double value = pl_orbit_path_along(d->m, d->p, o, node, mask ? mask : 7, gz ? d->path : NULL,
                                     gx && driven ? add_drive : NULL, &t);
  for (int c = 0; gz && c < dim; c++) {
    int i = index[node * dim + c];
    for (int a = 0; i >= 0 && a < L; a++) gz[i * L + a] += by * d->path[i * L + a];
  }
  return value;
}

// ---- driven components ------------------------------------------------------------------------

int drive_samples(int H) {
  return 8 * (2 * H + 1) > 128 ? 8 * (2 * H + 1) : 128;
}

double to_freq(int a, int i, int N) {
  int k = (a + 1) / 2;
  double phase = 2 * PL_PI * (double)((long)k * i % N) / N;
  return a == 0 ? 1.0 / N : (a % 2 ? sin(phase) : cos(phase)) * 2 / N;
}

void pull_drive(pl_design *d, int node, int c, int H, const double *g, double *gx) {
  int N = drive_samples(H), L = 2 * H + 1;
  for (int s = 0; s < N; s++) {
    pl_clock clock = {.t = 2 * PL_PI * s / N, .omega = 1, .scale = 1};
    double w = 0, dx[3], dv[3], da[3];
    for (int k = 0; k < L; k++) w += g[k] * to_freq(k, s, N);
    for (int k = 0; k < d->nvar; k++)
      if (pl_directions_drive(d->directions, 0, d->p, &clock, k, node, dx, dv, da))
        gx[k] += w * dx[c];
  }
}

// ---- any measure ------------------------------------------------------------------------------

static void pull_max(pl_design *d, const pl_orbit *o, int node, int axis, double by, double *gx) {
  double phase, most = pl_orbit_extreme(d->m, d->p, o, node, axis, &phase);
  int N = drive_samples(o->nharm);
  by = most < 0 ? -by : by;
  // the deviation at its phase, less the mean
  for (int s = -1; s < N; s++) {
    pl_clock clock = {.t = s < 0 ? phase : 2 * PL_PI * s / N, .omega = 1, .scale = 1};
    double dx[3], dv[3], da[3];
    for (int k = 0; k < d->nvar; k++)
      if (pl_directions_drive(d->directions, 0, d->p, &clock, k, node, dx, dv, da))
        gx[k] += dx[axis] * (s < 0 ? by : -by / N);
  }
}

// derivative by the coefficients of a driven component of a root of a sum of squares
static void pull_squares(pl_design *d, const pl_orbit *o, const pl_measure *what, int axis,
                         double by, double *gx) {
  double z[2 * 64 + 1], g[2 * 64 + 1] = {0};
  int rms = what->kind == PL_MEASURE_RMS, L = 2 * o->nharm + 1;
  int lo = rms ? 1 : 2 * what->harmonic - 1, hi = rms ? L - 1 : 2 * what->harmonic;
  pl_orbit_series(d->m, d->p, o, what->node, axis, z);
  for (int k = lo; k <= hi && k < L; k++) g[k] = (rms ? 0.5 : 1) * by * z[k];
  pull_drive(d, what->node, axis, o->nharm, g, gx);
}

static void pull_measure(pl_design *d, const pl_orbit *o, const pl_measure *what, double value,
                         double by, double *gx) {
  const int *index = pl_model_free_index(d->m);
  int dim = pl_model_dim(d->m), most = -1;
  double far = -1;
  for (int c = 0; c < dim; c++) {
    if (!(what->mask >> c & 1)) continue;
    int driven = index[what->node * dim + c] < 0;
    double x = what->kind == PL_MEASURE_MAX ? pl_orbit_max(d->m, d->p, o, what->node, c, NULL) : 0;
    if (what->kind == PL_MEASURE_MAX && x > far) {
      far = x;
      most = driven ? c : -1;
    }
    if (what->kind != PL_MEASURE_MAX && driven && value > 0)
      pull_squares(d, o, what, c, by / value, gx);
  }
  if (most >= 0) pull_max(d, o, what->node, most, by, gx);
}

double objective_measure(pl_design *d, const pl_orbit *o, const pl_measure *what, double by,
                         double *gz, double *gx) {
  const int *index = pl_model_free_index(d->m);
  int dim = pl_model_dim(d->m), L = 2 * o->nharm + 1;
  if (what->kind == PL_MEASURE_PATH)
    return objective_path(d, o, what->node, what->mask, by, gz, gx);
  double value = pl_orbit_measure(d->m, d->p, o, what, gz ? d->path : NULL);
  for (int c = 0; gz && c < dim; c++) {
    int i = index[what->node * dim + c];
    for (int a = 0; i >= 0 && a < L; a++) gz[i * L + a] += by * d->path[i * L + a];
  }
  if (gx) pull_measure(d, o, what, value, by, gx);
  return value;
}

pl_measure pl_objective_measure(const pl_objective *o) {
  return (pl_measure){.kind = o->measure,
                      .node = o->node[0],
                      .mask = o->mask ? o->mask : 7,
                      .harmonic = o->harmonic};
}
