// Guesses of a periodic motion: static equilibrium, linear response about it, the body following
// its drives as a rigid one, the last period of a transient.
#include "harmonic_impl.h"

#include <string.h>

void start_from_state(const pl_hb *hb, const pl_state *s, pl_orbit *o) {
  size_t L = (size_t)hb->f.L;
  memset(o->z, 0, (size_t)hb->n * sizeof *o->z);
  for (int i = 0; i < hb->nfree; i++) o->z[(size_t)i * L] = s->q[hb->free_dof[i]];
}

// ---- equilibrium ------------------------------------------------------------------------------

pl_status start_static(const pl_model *m, const pl_params *p, pl_work *w, pl_state **out,
                       int *balanced) {
  pl_static_opts so;
  pl_static_info si;
  pl_state *s;
  *out = NULL;
  PL_TRY(pl_state_create(m, p, &s));
  s->anchoring = PL_ANCHORS_FIXED; // periodic motions know one set of anchors
  pl_opts_default(pl_static_option_table, pl_static_option_count, &so);
  so.book = 0; // a place to start from
  pl_status st = pl_static(&so, m, p, s, w, NULL, NULL, &si);
  if (balanced) *balanced = st == PL_OK;
  // without an equilibrium the reference shape must do
  if (st == PL_UNSOLVED || st == PL_SINGULAR || st == PL_DOMAIN) {
    pl_clock c = {.scale = 1};
    memcpy(s->q, p->X, (size_t)s->nq * sizeof *s->q);
    pl_drive(m, p, &c, s);
    st = PL_OK;
  }
  if (st != PL_OK) {
    pl_state_free(m, s);
    return st;
  }
  *out = s;
  return PL_OK;
}

pl_status start_first_mode(const pl_model *m, const pl_params *p, pl_work *w, const pl_state *rest,
                           double *omega) {
  pl_modes_opts mo = {.count = 1};
  pl_modes_info mi;
  *omega = 0;
  double *shape = pl_alloc(w->env, (size_t)pl_model_nq(m), sizeof *shape);
  if (!shape) return PL_E_NOMEM;
  pl_status s = pl_modes(&mo, m, p, rest, w, omega, shape, &mi);
  pl_free(w->env, shape);
  if (s == PL_OK && (mi.nfound < 1 || mi.nrigid > 0 || mi.nunstable > 0)) *omega = 0;
  return s;
}

// ---- rigid motion -----------------------------------------------------------------------------

// the rigid motion that brings driven nodes from their places at rest to those at some instant
typedef struct rigid {
  double from[3], to[3], R[9];
} rigid;

static void node_place(int dim, const double *q, int node, double x[3]) {
  for (int c = 0; c < 3; c++) x[c] = c < dim ? q[node * dim + c] : 0;
}

static int is_driven(const pl_hb *hb, int dim, int node) {
  for (int c = 0; c < dim; c++)
    if (hb->free_index[node * dim + c] >= 0) return 0;
  return 1;
}

// Kabsch: R is the rotation closest to sum (x - mean x) (X - mean X)'; turn: that of a drive
static void fit_rigid(const pl_hb *hb, const pl_state *rest, const pl_state *s,
                      const double *rotation, rigid *g) {
  int dim = pl_model_dim(hb->m), nn = pl_model_nnode(hb->m), count = 0;
  double A[9] = {0}, S[9], X[3], x[3], size = 0;
  *g = (rigid){0};
  memcpy(g->R, rotation, sizeof g->R);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < nn; i++) {
      if (!is_driven(hb, dim, i)) continue;
      node_place(dim, rest->q, i, X);
      node_place(dim, s->q, i, x);
      if (pass == 0) count++;
      for (int c = 0; c < 3; c++) {
        if (pass == 0) {
          g->from[c] += X[c];
          g->to[c] += x[c];
        } else {
          for (int d = 0; d < 3; d++) A[3 * c + d] += (x[c] - g->to[c]) * (X[d] - g->from[d]);
          size += (X[c] - g->from[c]) * (X[c] - g->from[c]);
        }
      }
    }
    if (count == 0) return;
    for (int c = 0; c < 3 && pass == 0; c++) {
      g->from[c] /= count;
      g->to[c] /= count;
    }
  }
  if (dim == 1 || !(size > 0)) return;
  // what the nodes leave open turns with the drive; in the plane nothing turns out of it
  for (int c = 0; c < 9; c++) A[c] += 1e-9 * size * rotation[c];
  if (dim == 2) A[8] += size;
  pl_polar3(A, g->R, S);
}

// scal[nq]: the scalar unknowns after the turn
static void follow_rigid(const pl_hb *hb, const pl_state *rest, const rigid *g, const double *scal,
                         double *x) {
  int dim = pl_model_dim(hb->m), nn = pl_model_nnode(hb->m) * dim;
  for (int i = 0; i < hb->nfree; i++) {
    int dof = hb->free_dof[i], c = dof % dim;
    double X[3], at;
    x[i] = scal[dof];
    if (dof >= nn) continue;
    node_place(dim, rest->q, dof / dim, X);
    at = g->to[c];
    for (int d = 0; d < 3; d++) at += g->R[3 * c + d] * (X[d] - g->from[d]);
    x[i] = at;
  }
}

// coefficients of samples x[N][nfree]
static void from_samples(int N, const double *x, pl_orbit *o) {
  size_t L = 2 * (size_t)o->nharm + 1, n = (size_t)o->nfree;
  memset(o->z, 0, n * L * sizeof *o->z);
  for (int i = 0; i < N; i++)
    for (int k = 0; k <= o->nharm; k++) {
      double a = 2 * PL_PI * (double)((long)k * i % N) / N, w = (k == 0 ? 1.0 : 2.0) / N;
      double s = w * sin(a), c = w * cos(a);
      for (size_t j = 0; j < n; j++) {
        double v = x[(size_t)i * n + j];
        if (k > 0) o->z[j * L + 2 * (size_t)k - 1] += s * v;
        o->z[j * L + 2 * (size_t)k] += c * v;
      }
    }
}

pl_status start_rigid(pl_hb *hb, const pl_state *rest, pl_orbit *o) {
  int N = hb->f.N;
  pl_state *s = NULL;
  double *x = pl_alloc(hb->env, (size_t)N * (size_t)hb->nfree, sizeof *x);
  double *scal = pl_alloc(hb->env, (size_t)hb->nq, sizeof *scal);
  pl_status st = x && scal ? pl_state_create(hb->m, hb->p, &s) : PL_E_NOMEM;
  for (int i = 0; st == PL_OK && i < N; i++) {
    pl_clock c = {.t = 2 * PL_PI * i / N, .omega = 1, .scale = 1};
    rigid g;
    double rotation[9];
    pl_drive(hb->m, hb->p, &c, s);
    pl_drive_rotation(hb->m, hb->p, &c, rotation);
    fit_rigid(hb, rest, s, rotation, &g);
    st = pl_rotate_scalars(hb->m, hb->p, g.R, rest->q, scal);
    if (st == PL_OK) follow_rigid(hb, rest, &g, scal, x + (size_t)i * (size_t)hb->nfree);
  }
  if (st == PL_OK) from_samples(N, x, o);
  if (s) pl_state_free(hb->m, s);
  pl_free(hb->env, scal);
  pl_free(hb->env, x);
  return st;
}

// ---- transient --------------------------------------------------------------------------------

typedef struct recorder {
  const pl_hb *hb;
  int N;
  double omega, *x; // [N][nfree] last period
} recorder;

static int record(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  (void)w;
  recorder *r = ctx;
  long i = lround(c->t * r->omega / (2 * PL_PI) * r->N) % r->N;
  for (int j = 0; j < r->hb->nfree; j++)
    r->x[(size_t)i * (size_t)r->hb->nfree + (size_t)j] = s->q[r->hb->free_dof[j]];
  return 0;
}

pl_status start_transient(pl_hb *hb, int periods, pl_state *s, pl_history *history, pl_orbit *o) {
  int N = 4 * hb->f.H > 128 ? 4 * hb->f.H : 128;
  pl_transient_opts to;
  pl_transient_info ti;
  recorder r = {.hb = hb, .N = N, .omega = o->omega};
  r.x = pl_alloc(hb->env, (size_t)N * (size_t)hb->nfree, sizeof *r.x);
  if (!r.x) return PL_E_NOMEM;
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &to);
  to.frequency = o->omega;
  to.steps_per_period = N;
  to.periods = periods;
  to.ramp = 4 * 2 * PL_PI / o->omega;
  to.rtol = 1e-6;
  pl_status st = pl_transient(&to, hb->m, hb->p, s, history, hb->w, record, &r, &ti);
  if (st == PL_OK) from_samples(N, r.x, o);
  pl_free(hb->env, r.x);
  return st;
}
