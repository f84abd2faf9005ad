#include "harmonic_impl.h"

#include <string.h>

pl_status pl_orbit_create(pl_env *env, const pl_model *m, int nharm, pl_orbit **out) {
  *out = NULL;
  size_t n = (size_t)pl_model_nfree(m) * (2 * (size_t)nharm + 1);
  pl_orbit *o = pl_alloc(env, 1, sizeof *o + n * sizeof(double));
  if (!o) return PL_E_NOMEM;
  *o = (pl_orbit){
      .env = env, .nfree = pl_model_nfree(m), .nharm = nharm, .z = (double *)(void *)(o + 1)};
  *out = o;
  return PL_OK;
}

void pl_orbit_free(pl_orbit *o) {
  if (o) pl_free(o->env, o);
}

pl_status pl_orbit_copy(const pl_orbit *o, int nharm, pl_orbit **out) {
  *out = NULL;
  size_t L = 2 * (size_t)nharm + 1, L0 = 2 * (size_t)o->nharm + 1, n = (size_t)o->nfree;
  pl_orbit *to = pl_alloc(o->env, 1, sizeof *to + n * L * sizeof(double));
  if (!to) return PL_E_NOMEM;
  *to = *o;
  to->nharm = nharm;
  to->z = (double *)(void *)(to + 1);
  for (size_t i = 0; i < n; i++)
    memcpy(to->z + i * L, o->z + i * L0, (L < L0 ? L : L0) * sizeof(double));
  *out = to;
  return PL_OK;
}

void pl_orbit_state(const pl_model *m, const pl_params *p, const pl_orbit *o, double phase,
                    pl_state *s) {
  const int *dof = pl_model_free_dofs(m);
  int L = 2 * o->nharm + 1;
  s->t = o->omega > 0 ? phase / o->omega : 0;
  s->anchoring = PL_ANCHORS_FIXED; // angles are measured from the reference shape's anchors
  pl_clock c = {.t = s->t, .omega = o->omega * (o->sub > 1 ? o->sub : 1), .scale = 1};
  pl_drive(m, p, &c, s);
  for (int i = 0; i < o->nfree; i++) {
    s->q[dof[i]] = o->z[(size_t)i * (size_t)L];
    s->v[dof[i]] = s->a[dof[i]] = 0;
  }
  for (int k = 1; k <= o->nharm; k++) {
    double sn = sin(k * phase), cs = cos(k * phase), w = k * o->omega;
    for (int i = 0; i < o->nfree; i++) {
      const double *z = o->z + (size_t)i * (size_t)L + 2 * k - 1;
      s->q[dof[i]] += z[0] * sn + z[1] * cs;
      s->v[dof[i]] += w * (z[0] * cs - z[1] * sn);
      s->a[dof[i]] -= w * w * (z[0] * sn + z[1] * cs);
    }
  }
}

// ---- sizes and distances ----------------------------------------------------------------------

// coefficient k of free unknown i, zero beyond the motion's harmonics; o NULL: zero
static double coefficient(const pl_orbit *o, int i, int k) {
  return o && k <= 2 * o->nharm ? o->z[(size_t)i * (size_t)(2 * o->nharm + 1) + (size_t)k] : 0;
}

// of a - b, by Parseval's theorem from coefficient `first` on
static double root_mean_square(const pl_model *m, const pl_orbit *a, const pl_orbit *b, int first) {
  int dim = pl_model_dim(m), last = 2 * (b && b->nharm > a->nharm ? b->nharm : a->nharm),
      moving = 0;
  const int *index = pl_model_free_index(m);
  double sum = 0;
  for (int node = 0; node < pl_model_nnode(m); node++) {
    int any = 0;
    for (int c = 0; c < dim; c++) {
      int i = index[node * dim + c];
      if (i < 0) continue;
      any = 1;
      for (int k = first; k <= last; k++) {
        double d = coefficient(a, i, k) - coefficient(b, i, k);
        sum += (k ? 0.5 : 1) * d * d;
      }
    }
    moving += any;
  }
  return moving ? sqrt(sum / moving) : 0;
}

double pl_orbit_distance(const pl_model *m, const pl_orbit *a, const pl_orbit *b) {
  return root_mean_square(m, a, b, 0);
}

double pl_orbit_size(const pl_model *m, const pl_orbit *o) {
  return root_mean_square(m, o, NULL, 1);
}

double pl_orbit_change(const pl_model *m, const pl_orbit *a, const pl_orbit *b) {
  int dim = pl_model_dim(m), last = 2 * (b->nharm > a->nharm ? b->nharm : a->nharm);
  const int *index = pl_model_free_index(m);
  double most = 0, length = 0;
  for (int node = 0; node < pl_model_nnode(m); node++) {
    double sum = 0, speed = 0;
    for (int c = 0; c < dim; c++) {
      int i = index[node * dim + c];
      for (int k = 0; i >= 0 && k <= last; k++) {
        double v = coefficient(b, i, k), d = coefficient(a, i, k) - v;
        int order = (k + 1) / 2;
        sum += (k ? 0.5 : 1) * d * d;
        speed += 0.5 * order * order * v * v;
      }
    }
    most = fmax(most, sqrt(sum));
    length = fmax(length, 2 * PL_PI * sqrt(speed));
  }
  return length > 0 ? most / length : most > 0 ? INFINITY : 0;
}
