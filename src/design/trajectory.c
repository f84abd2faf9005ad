// Nodes follow closed curves, at any phase (eqs. 25, 26).
#include "design_impl.h"

#include <string.h>

enum { PHASES = 128 };
static const double SHARPNESS = 200;

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

static double square_of(const pl_objective_at *at) {
  return *(const double *)at->own;
}

static void minimum_of(const pl_objective_at *at, smooth *s) {
  overlap w;
  const pl_objective *o = at->o;
  int N = o->phases ? o->phases : PHASES;
  double square = square_of(at);
  overlap_of(at->m, at->p, at->orbit, o, &w);
  if (at->d->squares)
    least(&w, square, N, s);
  else
    smooth_minimum(&w, square, N, o->sharpness > 0 ? o->sharpness : SHARPNESS, s);
}

// target y shifted to the phase of s: coefficient a
static double shifted(const pl_objective *o, const smooth *s, const double *y, int a) {
  int k = (a + 1) / 2;
  if (k == 0 || k > o->nharm) return k == 0 ? y[0] : 0;
  return a % 2 ? y[2 * k - 1] * s->cosine[k] - y[2 * k] * s->sine[k]
               : y[2 * k - 1] * s->sine[k] + y[2 * k] * s->cosine[k];
}

static pl_status eval(const pl_objective_at *at, int i, double *value) {
  smooth s;
  (void)i;
  minimum_of(at, &s);
  *value = s.value;
  return PL_OK;
}

// derivative by the coefficients z[L] of a component whose target is y
static void pull(const pl_objective_at *at, const smooth *s, int H, const double *z,
                 const double *y, double by, double *g) {
  double c = by / (at->o->nnode * square_of(at));
  g[0] = at->o->means ? 2 * c * (z[0] - y[0]) : 0;
  for (int a = 1; a <= 2 * H; a++) g[a] = c * (z[a] - shifted(at->o, s, y, a));
}

static pl_status gradient(const pl_objective_at *at, int i, double value, double by, double *gz,
                          double *gx) {
  const pl_objective *o = at->o;
  int dim = pl_model_dim(at->m), H = at->orbit->nharm;
  smooth s;
  (void)i;
  (void)value;
  minimum_of(at, &s);
  for (int n = 0; n < o->nnode; n++)
    for (int c = 0; c < dim; c++) {
      double z[2 * 64 + 1], g[2 * 64 + 1];
      component(at->m, at->p, at->orbit, o->node[n], c, z);
      pull(at, &s, H, z, o->coef + (size_t)(n * dim + c) * (size_t)(2 * o->nharm + 1), by, g);
      pl_objective_add(at, o->node[n], c, g, gz, gx);
    }
  return PL_OK;
}

// ---- trajectories as sums of squares ----------------------------------------------------------

static int nresidual(const pl_objective_at *at) {
  const pl_objective *o = at->o;
  return o->sharpness > 0 ? 0 : o->nnode * pl_model_dim(at->m) * (2 * at->d->H + 1);
}

// what coefficient a is multiplied by in the residual
static double row_scale(const pl_objective_at *at, double by, int a) {
  double c = by / (at->o->nnode * square_of(at));
  return a == 0 ? (at->o->means ? sqrt(c) : 0) : sqrt(0.5 * c);
}

static void residual(const pl_objective_at *at, double by, double *r, double *rot) {
  const pl_objective *o = at->o;
  int dim = pl_model_dim(at->m), L = 2 * at->orbit->nharm + 1;
  smooth s;
  minimum_of(at, &s);
  for (int n = 0; n < o->nnode * dim; n++, r += L, rot += L) {
    const double *y = o->coef + (size_t)n * (size_t)(2 * o->nharm + 1);
    component(at->m, at->p, at->orbit, o->node[n / dim], n % dim, r);
    for (int a = 0; a < L; a++) {
      double c = row_scale(at, by, a);
      int k = (a + 1) / 2;
      r[a] = c * (r[a] - shifted(o, &s, y, a));
      rot[a] = k == 0 ? 0 : c * k * (a % 2 ? shifted(o, &s, y, a + 1) : -shifted(o, &s, y, a - 1));
    }
  }
}

static void residual_column(const pl_objective_at *at, double by, const double *dz, int stride,
                            double *J) {
  const int *index = pl_model_free_index(at->m);
  int dim = pl_model_dim(at->m), L = 2 * at->d->H + 1;
  for (int n = 0; n < at->o->nnode * dim; n++)
    for (int a = 0; a < L; a++, J += stride) {
      int i = index[at->o->node[n / dim] * dim + n % dim];
      if (i >= 0) *J = row_scale(at, by, a) * dz[i * L + a];
    }
}

static int residual_row(const pl_objective_at *at, double by, int row, double *gz, double *gx) {
  const int *index = pl_model_free_index(at->m);
  int dim = pl_model_dim(at->m), L = 2 * at->d->H + 1, n = row / L, a = row % L;
  int node = at->o->node[n / dim], i = index[node * dim + n % dim];
  double c = row_scale(at, by, a), g[2 * 64 + 1] = {0};
  if (i >= 0) {
    gz[i * L + a] = c;
    return 1;
  }
  g[a] = c;
  pull_drive(at->d, node, n % dim, at->d->H, g, gx);
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

// ---- the kind ---------------------------------------------------------------------------------

static pl_status check(const pl_objective_at *at) {
  const pl_objective *o = at->o;
  pl_design *d = at->d;
  const char *name = objective_label(o);
  if (o->nharm < 1 || o->nharm > 64 || !o->coef)
    return pl_fail(d->env, PL_E_INPUT, "design: objective '%s': the target needs 1 to 64 harmonics",
                   name);
  if (d->o.harmonics > 0 && o->nharm > d->o.harmonics)
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "use more harmonics, or a smoother target",
                      "design: objective '%s': the target has %d harmonics, the motions %d", name,
                      o->nharm, d->o.harmonics);
  if (!(target_square(pl_model_dim(d->m), o) > 0))
    return pl_fail(d->env, PL_E_INPUT, "design: objective '%s': nothing moves in the target", name);
  return PL_OK;
}

static pl_status harmonics(const pl_objective_at *at, int *H) {
  *H = at->o->nharm;
  return PL_OK;
}

static pl_status begin(const pl_objective_at *at, void **own) {
  double *square = *own = pl_alloc(at->d->env, 1, sizeof *square);
  if (!square) return PL_E_NOMEM;
  *square = target_square(pl_model_dim(at->m), at->o);
  return PL_OK;
}

static void end(const pl_objective_at *at) {
  pl_free(at->d->env, at->own);
}

static const pl_option keys[] = {
    KEY_ROW_C(resample, 0, "auto|time|arc",
              "points are at their times (evenly spaced without them), or run through at constant "
              "speed; auto: time when there are times"),
    KEY_ROW_C(means, 1, "no|yes", "the place of the curve counts, not its shape alone"),
    KEY_ROW_X(int, nharm, "harmonics", 0, 0, 64, "",
              "harmonics of the target; 0: the analysis's, or what the points tell up to 8"),
    KEY_ROW_X(int, phases, "phases", 0, 0, 4096, "", "phase offsets that are tried; 0: 128"),
    KEY_ROW_X(double, sharpness, "sharpness", 0, 0, 1e9, "",
              "of the smooth minimum over phases; 0: the best phase where all objectives are "
              "targets, else 200")};

const pl_objective_kind pl_objective_trajectory = {
    .name = "trajectory",
    .text = "nodes follow closed curves, at any phase",
    .value = "file | {points: [[x, y], ...]} | list of these",
    .about = "closed curve that a node follows: CSV with columns x y (z), with units as in x_mm, "
             "and perhaps t_s; or points; a list holds one for each of nodes",
    .keys = "node nodes at",
    .nkey = COUNT(keys),
    .key = keys,
    .form = PL_FORM_OWN,
    .nodes = PL_NODES_ALL,
    .curves = 1,
    .eval = eval,
    .gradient = gradient,
    .check = check,
    .harmonics = harmonics,
    .begin = begin,
    .end = end,
    .nresidual = nresidual,
    .residual = residual,
    .residual_column = residual_column,
    .residual_row = residual_row,
};
