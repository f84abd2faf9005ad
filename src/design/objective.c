// Objectives that look at motions of nodes: amplitude (eq. 27) and trajectories (eqs. 25, 26).
#include "design_impl.h"

#include <string.h>

#define O(name, key, text) key,
const char *const pl_objective_name[PL_OBJECTIVE_COUNT] = {PL_OBJECTIVE_LIST(O)};
#undef O
#define O(name, key, text) text,
const char *const pl_objective_text[PL_OBJECTIVE_COUNT] = {PL_OBJECTIVE_LIST(O)};
#undef O

enum { PHASES = 128 };
static const double SHARPNESS = 200;

const char *objective_label(const objective *o) {
  return o->o.name ? o->o.name : pl_objective_name[o->o.kind];
}

int node_is_driven(const pl_design *d, int node, int mask) {
  const int *index = pl_model_free_index(d->m);
  int dim = pl_model_dim(d->m);
  for (int c = 0; c < dim; c++)
    if ((mask == 0 || mask >> c & 1) && index[node * dim + c] >= 0) return 0;
  return 1;
}

// ---- amplitude --------------------------------------------------------------------------------

double goal_value(const pl_objective *o, double A, double A0, double *slope) {
  double T = o->goal == PL_GOAL_TARGET ? o->target : A0, f;
  if (o->goal == PL_GOAL_TARGET) {
    f = (A / T - 1) * (A / T - 1);
    *slope = 2 * (A / T - 1) / T;
  } else if (o->goal == PL_GOAL_MOST) {
    f = T * T / (A * A);
    *slope = -2 * f / A;
  } else {
    f = A * A / (T * T);
    *slope = 2 * A / (T * T);
  }
  return f;
}

static pl_status amplitude_value(pl_design *d, objective *o, double by, double *value, double *gz,
                                 double *gx) {
  const pl_orbit *orbit = d->solution[o->solution].orbit;
  *value = 0;
  for (int i = 0; i < o->o.nnode; i++) {
    double A = objective_path(d, orbit, o->o.node[i], o->o.mask, 0, NULL, NULL), slope;
    *value += goal_value(&o->o, A, o->ref[i], &slope) / o->o.nnode;
    if (gz || gx)
      objective_path(d, orbit, o->o.node[i], o->o.mask, by * slope / o->o.nnode, gz, gx);
  }
  return PL_OK;
}

// ---- trajectories -----------------------------------------------------------------------------

// coefficients of one component of a node
static void component(const pl_model *m, const pl_params *p, const pl_orbit *o, int node, int c,
                      double *z) {
  int dim = pl_model_dim(m), i = pl_model_free_index(m)[node * dim + c], L = 2 * o->nharm + 1;
  if (i >= 0) {
    memcpy(z, o->z + (size_t)i * (size_t)L, (size_t)L * sizeof *z);
    return;
  }
  int N = drive_samples(o->nharm);
  memset(z, 0, (size_t)L * sizeof *z);
  for (int s = 0; s < N; s++) {
    pl_clock clock = {.t = 2 * PL_PI * s / N, .omega = 1, .scale = 1};
    double x[3] = {0}, v[3], a[3];
    pl_drive_node(m, p, &clock, node, x, v, a);
    for (int k = 0; k < L; k++) z[k] += to_freq(k, s, N) * x[c];
  }
}

// Distance to the targets shifted by phi: constant - sum_k a_k cos k phi + b_k sin k phi, all over
// the number of nodes.
typedef struct overlap {
  int H;
  double constant, a[65], b[65];
} overlap;

static void overlap_of(const pl_model *m, const pl_params *p, const pl_orbit *o,
                       const pl_objective *t, overlap *w) {
  int dim = pl_model_dim(m), Lt = 2 * t->nharm + 1;
  double z[2 * 64 + 1];
  *w = (overlap){.H = o->nharm < t->nharm ? o->nharm : t->nharm};
  for (int n = 0; n < t->nnode; n++)
    for (int c = 0; c < dim; c++) {
      const double *y = t->coef + (size_t)(n * dim + c) * (size_t)Lt;
      component(m, p, o, t->node[n], c, z);
      if (t->means) w->constant += (z[0] - y[0]) * (z[0] - y[0]);
      for (int k = 1; k <= o->nharm; k++)
        w->constant += 0.5 * (z[2 * k - 1] * z[2 * k - 1] + z[2 * k] * z[2 * k]);
      for (int k = 1; k <= t->nharm; k++)
        w->constant += 0.5 * (y[2 * k - 1] * y[2 * k - 1] + y[2 * k] * y[2 * k]);
      for (int k = 1; k <= w->H; k++) {
        w->a[k] += z[2 * k - 1] * y[2 * k - 1] + z[2 * k] * y[2 * k];
        w->b[k] += z[2 * k] * y[2 * k - 1] - z[2 * k - 1] * y[2 * k];
      }
    }
  w->constant /= t->nnode;
  for (int k = 1; k <= w->H; k++) {
    w->a[k] /= t->nnode;
    w->b[k] /= t->nnode;
  }
}

static double distance_at(const overlap *w, double phi) {
  double sum = w->constant;
  for (int k = 1; k <= w->H; k++) sum -= w->a[k] * cos(k * phi) + w->b[k] * sin(k * phi);
  return fmax(sum, 0);
}

static double target_square(int dim, const pl_objective *t) {
  double sum = 0;
  for (int n = 0; n < t->nnode * dim; n++) {
    const double *y = t->coef + (size_t)n * (size_t)(2 * t->nharm + 1);
    for (int k = 1; k <= 2 * t->nharm; k++) sum += 0.5 * y[k] * y[k];
  }
  return sum / t->nnode;
}

// sums of the smooth minimum's weights with cos k phi and sin k phi
typedef struct smooth {
  double value, cosine[65], sine[65];
} smooth;

static void smooth_minimum(const overlap *w, double square, int N, double alpha, smooth *out) {
  double least = INFINITY, sum = 0, mean = 0;
  memset(out, 0, sizeof *out);
  for (int i = 0; i < N; i++) least = fmin(least, distance_at(w, 2 * PL_PI * i / N) / square);
  for (int i = 0; i < N; i++) {
    double f = distance_at(w, 2 * PL_PI * i / N) / square, e = exp(-alpha * (f - least));
    sum += e;
    mean += f * e;
  }
  out->value = mean / sum;
  for (int i = 0; i < N; i++) {
    double phi = 2 * PL_PI * i / N, f = distance_at(w, phi) / square;
    double weight = exp(-alpha * (f - least)) / sum * (1 - alpha * (f - out->value));
    for (int k = 1; k <= w->H; k++) {
      out->cosine[k] += weight * cos(k * phi);
      out->sine[k] += weight * sin(k * phi);
    }
  }
}

// the phase of the least distance
static double best_phase(const overlap *w, int N) {
  double best = 0, h = 2 * PL_PI / N;
  for (int i = 1; i < N; i++)
    if (distance_at(w, i * h) < distance_at(w, best)) best = i * h;
  // Newton's method, as long as it stays with that sample and gets nearer
  for (int it = 0; it < 20; it++) {
    double slope = 0, bend = 0;
    for (int k = 1; k <= w->H; k++) {
      double c = cos(k * best), s = sin(k * best);
      slope += k * (w->a[k] * s - w->b[k] * c);
      bend += k * k * (w->a[k] * c + w->b[k] * s);
    }
    double step = bend > 0 ? -slope / bend : 0;
    if (fabs(step) > h || distance_at(w, best + step) > distance_at(w, best)) break;
    best += step;
    if (fabs(step) < 1e-15) break;
  }
  return best;
}

// the distance at the best phase itself
static void least(const overlap *w, double square, int N, smooth *out) {
  double phi = best_phase(w, N);
  out->value = distance_at(w, phi) / square;
  for (int k = 1; k <= w->H; k++) {
    out->cosine[k] = cos(k * phi);
    out->sine[k] = sin(k * phi);
  }
}

static void minimum_of(const pl_design *d, const objective *o, const pl_orbit *orbit, smooth *s) {
  overlap w;
  int N = o->o.phases ? o->o.phases : PHASES;
  overlap_of(d->m, d->p, orbit, &o->o, &w);
  if (d->squares)
    least(&w, o->square, N, s);
  else
    smooth_minimum(&w, o->square, N, o->o.sharpness > 0 ? o->o.sharpness : SHARPNESS, s);
}

// target y shifted to the phase of s: coefficient a
static double shifted(const objective *o, const smooth *s, const double *y, int a) {
  int k = (a + 1) / 2;
  if (k == 0 || k > o->o.nharm) return k == 0 ? y[0] : 0;
  return a % 2 ? y[2 * k - 1] * s->cosine[k] - y[2 * k] * s->sine[k]
               : y[2 * k - 1] * s->sine[k] + y[2 * k] * s->cosine[k];
}

// derivative by the coefficients z[L] of a component whose target is y
static void pull(const objective *o, const smooth *s, int H, const double *z, const double *y,
                 double by, double *g) {
  double c = by / (o->o.nnode * o->square);
  g[0] = o->o.means ? 2 * c * (z[0] - y[0]) : 0;
  for (int a = 1; a <= 2 * H; a++) g[a] = c * (z[a] - shifted(o, s, y, a));
}

static pl_status trajectory_value(pl_design *d, objective *o, double by, double *value, double *gz,
                                  double *gx) {
  const pl_orbit *orbit = d->solution[o->solution].orbit;
  const int *index = pl_model_free_index(d->m);
  int dim = pl_model_dim(d->m), H = orbit->nharm, L = 2 * H + 1;
  smooth s;
  minimum_of(d, o, orbit, &s);
  *value = s.value;
  for (int n = 0; (gz || gx) && n < o->o.nnode; n++)
    for (int c = 0; c < dim; c++) {
      double z[2 * 64 + 1], g[2 * 64 + 1];
      int i = index[o->o.node[n] * dim + c];
      component(d->m, d->p, orbit, o->o.node[n], c, z);
      pull(o, &s, H, z, o->o.coef + (size_t)(n * dim + c) * (size_t)(2 * o->o.nharm + 1), by, g);
      if (i < 0 && gx) pull_drive(d, o->o.node[n], c, H, g, gx);
      for (int a = 0; gz && i >= 0 && a < L; a++) gz[i * L + a] += g[a];
    }
  return PL_OK;
}

// ---- trajectories as sums of squares ----------------------------------------------------------

// what coefficient a is multiplied by in the residual
static double row_scale(const objective *o, double by, int a) {
  double c = by / (o->o.nnode * o->square);
  return a == 0 ? (o->o.means ? sqrt(c) : 0) : sqrt(0.5 * c);
}

void trajectory_residual(pl_design *d, const objective *o, double by, double *r, double *turn) {
  const pl_orbit *orbit = d->solution[o->solution].orbit;
  int dim = pl_model_dim(d->m), L = 2 * orbit->nharm + 1;
  smooth s;
  minimum_of(d, o, orbit, &s);
  for (int n = 0; n < o->o.nnode * dim; n++, r += L, turn += L) {
    const double *y = o->o.coef + (size_t)n * (size_t)(2 * o->o.nharm + 1);
    component(d->m, d->p, orbit, o->o.node[n / dim], n % dim, r);
    for (int a = 0; a < L; a++) {
      double c = row_scale(o, by, a);
      int k = (a + 1) / 2;
      r[a] = c * (r[a] - shifted(o, &s, y, a));
      turn[a] = k == 0 ? 0 : c * k * (a % 2 ? shifted(o, &s, y, a + 1) : -shifted(o, &s, y, a - 1));
    }
  }
}

void trajectory_column(pl_design *d, const objective *o, double by, const double *dz, int stride,
                       double *J) {
  const int *index = pl_model_free_index(d->m);
  int dim = pl_model_dim(d->m), L = 2 * d->H + 1;
  for (int n = 0; n < o->o.nnode * dim; n++)
    for (int a = 0; a < L; a++, J += stride) {
      int i = index[o->o.node[n / dim] * dim + n % dim];
      if (i >= 0) *J = row_scale(o, by, a) * dz[i * L + a];
    }
}

int trajectory_row(pl_design *d, const objective *o, double by, int row, double *gz, double *gx) {
  const int *index = pl_model_free_index(d->m);
  int dim = pl_model_dim(d->m), L = 2 * d->H + 1, n = row / L, a = row % L;
  int node = o->o.node[n / dim], i = index[node * dim + n % dim];
  double c = row_scale(o, by, a), g[2 * 64 + 1] = {0};
  if (i >= 0) {
    if (gz) gz[i * L + a] = c;
    return 1;
  }
  g[a] = c;
  pull_drive(d, node, n % dim, d->H, g, gx);
  return 0;
}

// ---- error for reports ------------------------------------------------------------------------

static double target_length(int dim, const pl_objective *t) {
  enum { N = 1024 };
  double sum = 0;
  for (int n = 0; n < t->nnode; n++)
    for (int i = 0; i < N; i++) {
      double speed = 0, phase = 2 * PL_PI * i / N;
      for (int c = 0; c < dim; c++) {
        const double *y = t->coef + (size_t)(n * dim + c) * (size_t)(2 * t->nharm + 1);
        double v = 0;
        for (int k = 1; k <= t->nharm; k++)
          v += k * (y[2 * k - 1] * cos(k * phase) - y[2 * k] * sin(k * phase));
        speed += v * v;
      }
      sum += sqrt(speed) * 2 * PL_PI / N;
    }
  return sum / t->nnode;
}

double pl_trajectory_error(const pl_model *m, const pl_params *p, const pl_orbit *o,
                           const pl_objective *trajectory, double *phase) {
  enum { N = 2048 };
  overlap w;
  overlap_of(m, p, o, trajectory, &w);
  double best = best_phase(&w, N);
  if (phase) *phase = -best;
  double length = target_length(pl_model_dim(m), trajectory);
  return length > 0 ? sqrt(distance_at(&w, best)) / length : INFINITY;
}

// ---- all --------------------------------------------------------------------------------------

pl_status objective_value(pl_design *d, objective *o, double by, double *value, double *gz,
                          double *gx) {
  switch (o->o.kind) {
  case PL_OBJECTIVE_AMPLITUDE:
    return amplitude_value(d, o, by, value, gz, gx);
  case PL_OBJECTIVE_TRAJECTORY:
    return trajectory_value(d, o, by, value, gz, gx);
  case PL_OBJECTIVE_PEAK:
  case PL_OBJECTIVE_FOLD: {
    solution *s = &d->solution[o->solution];
    double off = s->orbit->omega / o->o.target - 1;
    *value = off * off;
    return gx ? track_gradient(d, s, 2 * by * off / o->o.target, gx) : PL_OK;
  }
  case PL_OBJECTIVE_HEIGHT:
    return height_value(d, o, by, value, gx);
  default:
    return penalty_value(d, o, by, value, gz, gx);
  }
}

pl_status objective_begin(pl_design *d, objective *o) {
  if (o->o.kind == PL_OBJECTIVE_TRAJECTORY) o->square = target_square(pl_model_dim(d->m), &o->o);
  if (o->o.kind == PL_OBJECTIVE_SMOOTH) return penalty_pairs(d, o);
  if (o->o.kind == PL_OBJECTIVE_MASS || o->o.kind == PL_OBJECTIVE_STRAIN) {
    PL_TRY(penalty_measure(d, o, &o->ref[0]));
    if (!(o->ref[0] > 0))
      return pl_fail(d->env, PL_E_INPUT, "design: objective '%s': there is no %s at the start",
                     objective_label(o), pl_objective_name[o->o.kind]);
  }
  if (o->o.kind == PL_OBJECTIVE_HEIGHT) return height_measure(d, o, &o->ref[0]);
  if (o->o.kind != PL_OBJECTIVE_AMPLITUDE) return PL_OK;
  for (int i = 0; i < o->o.nnode; i++) {
    o->ref[i] =
        objective_path(d, d->solution[o->solution].orbit, o->o.node[i], o->o.mask, 0, NULL, NULL);
    if (!(o->ref[i] > 0))
      return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0,
                        "break the symmetry, or choose another node or axis",
                        "design: objective '%s': node %d does not move at the start",
                        objective_label(o), o->o.node[i]);
  }
  return PL_OK;
}

static pl_status check_nodes(pl_design *d, const objective *o) {
  int kind = (int)o->o.kind,
      many = kind == PL_OBJECTIVE_AMPLITUDE || kind == PL_OBJECTIVE_TRAJECTORY;
  if (!many && kind != PL_OBJECTIVE_PEAK && kind != PL_OBJECTIVE_HEIGHT) return PL_OK;
  if (o->o.nnode < 1 || (!many && o->o.nnode != 1))
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "name the node that shall move",
                      "design: objective '%s' needs %s", objective_label(o),
                      many ? "one node or more" : "one node");
  for (int i = 0; i < o->o.nnode; i++) {
    int node = o->o.node[i];
    if (node < 0 || node >= pl_model_nnode(d->m))
      return pl_fail(d->env, PL_E_ARG, "design: objective '%s': there is no node %d",
                     objective_label(o), node);
    if (node_is_driven(d, node, many && kind == PL_OBJECTIVE_TRAJECTORY ? 0 : o->o.mask))
      return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "choose a node that is free to move",
                        "design: objective '%s': node %d is fixed or driven%s, no design moves it",
                        objective_label(o), node, o->o.mask ? " along these axes" : "");
  }
  return PL_OK;
}

static pl_status check_target(pl_design *d, const objective *o) {
  int kind = (int)o->o.kind;
  const char *name = objective_label(o);
  int wants = kind == PL_OBJECTIVE_PEAK || kind == PL_OBJECTIVE_FOLD ||
              kind == PL_OBJECTIVE_STABILITY ||
              (o->o.goal == PL_GOAL_TARGET &&
               (kind == PL_OBJECTIVE_AMPLITUDE || kind == PL_OBJECTIVE_HEIGHT ||
                kind == PL_OBJECTIVE_MASS || kind == PL_OBJECTIVE_STRAIN));
  if (wants && !(o->o.target > 0 && isfinite(o->o.target)))
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "give a target above 0",
                      "design: objective '%s' has the target %g", name, o->o.target);
  if (o->o.goal == PL_GOAL_MOST && kind != PL_OBJECTIVE_AMPLITUDE && kind != PL_OBJECTIVE_HEIGHT)
    return pl_fail(d->env, PL_E_INPUT, "design: objective '%s' cannot be made as large as possible",
                   name);
  int window =
      kind == PL_OBJECTIVE_PEAK || kind == PL_OBJECTIVE_FOLD || kind == PL_OBJECTIVE_HEIGHT;
  if (window && o->o.measure == PL_MEASURE_HARMONIC && (o->o.harmonic < 1 || o->o.harmonic > 64))
    return pl_fail(d->env, PL_E_INPUT, "design: objective '%s': there is no harmonic %d", name,
                   o->o.harmonic);
  if (window && !(o->o.from > 0 && o->o.to > 0 && o->o.from != o->o.to))
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "give frequencies from and to above 0",
                      "design: objective '%s' has no window to look in", name);
  if (kind != PL_OBJECTIVE_TRAJECTORY) return PL_OK;
  if (o->o.nharm < 1 || o->o.nharm > 64 || !o->o.coef)
    return pl_fail(d->env, PL_E_INPUT, "design: objective '%s': the target needs 1 to 64 harmonics",
                   name);
  if (d->o.harmonics > 0 && o->o.nharm > d->o.harmonics)
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "use more harmonics, or a smoother target",
                      "design: objective '%s': the target has %d harmonics, the motions %d", name,
                      o->o.nharm, d->o.harmonics);
  if (!(target_square(pl_model_dim(d->m), &o->o) > 0))
    return pl_fail(d->env, PL_E_INPUT, "design: objective '%s': nothing moves in the target", name);
  return PL_OK;
}

pl_status objective_check(pl_design *d, const objective *o) {
  const char *name = objective_label(o);
  if (!(o->o.weight > 0) || !isfinite(o->o.weight))
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "leave it out instead",
                      "design: objective '%s': weight must be > 0, got %g", name, o->o.weight);
  if (o->o.point < 0 || o->o.point >= d->npoint)
    return pl_fail(d->env, PL_E_ARG, "design: objective '%s': there is no operating point %d", name,
                   o->o.point);
  PL_TRY(check_nodes(d, o));
  return check_target(d, o);
}
