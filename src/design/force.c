// Amplitude of a harmonic of the force with which a support or a drive holds its nodes:
//   F = |F_k| of the sum over its nodes of r = M (a + alpha v - g) + f(q, v) - loads
// along the axes that count. Derivatives by the motion and at a fixed motion are exact: of f, by
// every element; through places, parameters and drives, by the directions of the model.
#include "design_impl.h"

#include <string.h>

// ---- the force over a period ------------------------------------------------------------------

static int axes_of(const pl_objective_at *at) {
  int all = (1 << pl_model_dim(at->m)) - 1;
  return at->o->mask ? at->o->mask & all : all;
}

// of the whole support along all axes; s is at a phase then
static pl_status force_at(const pl_objective_at *at, double phase, pl_state *s, double force[3]) {
  double moment[3];
  pl_orbit_state(at->m, at->p, at->orbit, phase, s);
  pl_clock c = {.t = s->t, .omega = at->orbit->omega, .scale = 1};
  PL_TRY(pl_eval(at->m, at->p, s, &c, PL_WANT_FORCE | PL_DYNAMIC, NULL, at->w));
  pl_drive_reaction(at->m, s, at->w->r, at->o->drive, force, moment);
  return PL_OK;
}

static int samples_of(const pl_objective_at *at) {
  const pl_design *d = at->d;
  return pl_hb_nsample(d->solution[d->obj[at->index].solution].hb);
}

// F[c][2]: sine and cosine of the harmonic along the axes that count; returns its size
static double size_of(double F[3][2]) {
  double sum = 0;
  for (int c = 0; c < 3; c++) sum += F[c][0] * F[c][0] + F[c][1] * F[c][1];
  return sqrt(sum);
}

static pl_status harmonic_of(const pl_objective_at *at, pl_state *s, double F[3][2]) {
  int N = samples_of(at), k = at->o->harmonic;
  double most = 0;
  memset(F, 0, 3 * sizeof *F);
  for (int i = 0; i < N; i++) {
    double force[3];
    PL_TRY(force_at(at, 2 * PL_PI * i / N, s, force));
    for (int c = 0; c < 3; c++)
      for (int part = 0; part < 2 && axes_of(at) >> c & 1; part++)
        F[c][part] += to_freq(2 * k - 1 + part, i, N) * force[c];
    most = fmax(most, pl_norm3(force));
  }
  // nothing but rounding
  if (size_of(F) < 1e-13 * most) memset(F, 0, 3 * sizeof *F);
  return PL_OK;
}

static pl_status eval(const pl_objective_at *at, int i, double *q) {
  double F[3][2];
  pl_state *s;
  (void)i;
  PL_TRY(pl_state_create(at->m, at->p, &s));
  pl_status st = harmonic_of(at, s, F);
  if (st == PL_OK) *q = size_of(F);
  pl_state_free(at->m, s);
  return st;
}

// along one axis with its sign, along several its size
static pl_status trace(const pl_objective_at *at, int n, double *y) {
  pl_state *s;
  int axes = axes_of(at), one = (axes & (axes - 1)) == 0;
  PL_TRY(pl_state_create(at->m, at->p, &s));
  pl_status st = PL_OK;
  for (int i = 0; st == PL_OK && i < n; i++) {
    double force[3], sum = 0, square = 0;
    st = force_at(at, 2 * PL_PI * i / (n - 1), s, force);
    for (int c = 0; c < 3; c++) {
      if (!(axes >> c & 1)) continue;
      sum += force[c];
      square += force[c] * force[c];
    }
    y[i] = one ? sum : sqrt(square);
  }
  pl_state_free(at->m, s);
  return st;
}

// ---- derivatives ------------------------------------------------------------------------------

// y'r at one instant, and its derivatives
typedef struct pull {
  const pl_objective_at *at;
  pl_state *s;
  double *y, *K, *D, *M; // [nq] y; y'dr/dq and y'dr/dv of the elements; M y
} pull;

static int add_element(void *ctx, const pl_element *e, int thread) {
  const pull *t = ctx;
  double q[PL_NDOF_MAX], v[PL_NDOF_MAX], y[PL_NDOF_MAX], f[PL_NDOF_MAX],
      K[PL_NDOF_MAX * PL_NDOF_MAX], D[PL_NDOF_MAX * PL_NDOF_MAX];
  int n = e->ndof, any = 0;
  (void)thread;
  for (int a = 0; a < n; a++) {
    int i = e->dof[a];
    q[a] = i < 0 ? 0 : t->s->q[i];
    v[a] = i < 0 ? 0 : t->s->v[i];
    y[a] = i < 0 ? 0 : t->y[i];
    any |= y[a] != 0;
  }
  if (!any) return 0;
  if (pl_element_eval(e, q, v, f, K, D)) return 1;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n && y[a] != 0; b++) {
      if (e->dof[b] < 0) continue;
      t->K[e->dof[b]] += y[a] * K[a * n + b];
      t->D[e->dof[b]] += y[a] * D[a * n + b];
    }
  return 0;
}

// what every node is weighted with: the derivative of F by r at a phase
static void set_weights(pull *t, double F[3][2], int i, int N, double by) {
  const pl_objective_at *at = t->at;
  const int *node;
  int mask, dim = pl_model_dim(at->m), k = at->o->harmonic;
  int n = pl_model_drive_nodes(at->m, at->o->drive, &node, &mask);
  memset(t->y, 0, (size_t)t->s->nq * sizeof *t->y);
  for (int a = 0; a < n; a++)
    for (int c = 0; c < dim; c++)
      if (mask & axes_of(at) & 1 << c)
        t->y[node[a] * dim + c] +=
            by * (F[c][0] * to_freq(2 * k - 1, i, N) + F[c][1] * to_freq(2 * k, i, N)) / size_of(F);
}

// through the coefficients of free unknowns: q, v and a are theirs
static void add_motion(const pull *t, double phase, double alpha, double *gz) {
  const pl_objective_at *at = t->at;
  const int *dof = pl_model_free_dofs(at->m);
  int H = at->orbit->nharm, L = 2 * H + 1;
  for (int j = 0; j < at->orbit->nfree; j++) {
    int i = dof[j];
    double K = t->K[i], D = t->D[i] + alpha * t->M[i], M = t->M[i];
    if (K == 0 && D == 0 && M == 0) continue;
    gz[j * L] += K;
    for (int k = 1; k <= H; k++) {
      double w = k * at->orbit->omega, sn = sin(k * phase), cs = cos(k * phase);
      gz[j * L + 2 * k - 1] += (K - w * w * M) * sn + w * D * cs;
      gz[j * L + 2 * k] += (K - w * w * M) * cs - w * D * sn;
    }
  }
}

static pl_status add_instant(pull *t, double phase, double *gz, double *gx) {
  const pl_objective_at *at = t->at;
  pl_state *s = t->s;
  size_t nq = (size_t)s->nq;
  double alpha = at->p->par[PL_PAR_ALPHA], omega = at->orbit->omega;
  pl_orbit_state(at->m, at->p, at->orbit, phase, s);
  pl_clock c = {.t = s->t, .omega = omega, .scale = 1};
  memset(t->K, 0, 2 * nq * sizeof *t->K);
  PL_TRY(pl_model_each_element(at->m, at->p, at->w, add_element, t));
  pl_csc_mul(&at->p->M, 1, t->y, 0, t->M);
  add_motion(t, phase, alpha, gz);
  // v and a of all unknowns are in proportion to the frequency and its square
  double by =
      pl_dot(s->nq, t->D, s->v) + alpha * pl_dot(s->nq, t->M, s->v) + 2 * pl_dot(s->nq, t->M, s->a);
  pl_objective_add_omega(at, by / omega, gx);
  return pl_directions_dot(at->d->directions, 0, at->p, s, &c, t->y, gx);
}

static pl_status gradient(const pl_objective_at *at, int i, double q, double by, double *gz,
                          double *gx) {
  pull t = {.at = at};
  double F[3][2];
  int N = samples_of(at);
  (void)i;
  if (!(q > 0)) return PL_OK;
  PL_TRY(pl_state_create(at->m, at->p, &t.s));
  size_t nq = (size_t)t.s->nq;
  t.y = pl_alloc(at->d->env, 4 * nq, sizeof *t.y);
  pl_status st = t.y ? harmonic_of(at, t.s, F) : PL_E_NOMEM;
  t.K = t.y ? t.y + nq : NULL;
  t.D = t.y ? t.K + nq : NULL;
  t.M = t.y ? t.D + nq : NULL;
  for (int k = 0; st == PL_OK && k < N; k++) {
    set_weights(&t, F, k, N, by);
    st = add_instant(&t, 2 * PL_PI * k / N, gz, gx);
  }
  pl_free(at->d->env, t.y);
  pl_state_free(at->m, t.s);
  return st;
}

// ---- the kind ---------------------------------------------------------------------------------

// stops and dry friction jump, and depend on what was before: they must not hold on to it
static int acts_on_pairs(const pl_objective_at *at) {
  const int *node, *stencil;
  int mask, n = pl_model_drive_nodes(at->m, at->o->drive, &node, &mask);
  int dim = pl_model_dim(at->m);
  for (int g = 0; g < pl_model_ngroup(at->m); g++) {
    const pl_elem_kind *kind = pl_model_group_kind(at->m, g);
    if (!kind->stretch) continue;
    stencil = pl_model_group_dofs(at->m, g);
    for (int e = 0; e < pl_model_group_size(at->m, g) * kind->ndof; e++)
      for (int i = 0; i < n; i++)
        if (stencil[e] >= 0 && stencil[e] / dim == node[i]) return 1;
  }
  return 0;
}

static pl_status check(const pl_objective_at *at) {
  const pl_objective *o = at->o;
  pl_env *env = at->d->env;
  int most = at->d->o.harmonics > 0 ? at->d->o.harmonics : 64;
  if (o->harmonic < 1 || o->harmonic > most)
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "use more harmonics",
                      "design: objective '%s': the motions have no harmonic %d", objective_label(o),
                      o->harmonic);
  if (!acts_on_pairs(at)) return PL_OK;
  return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0,
                    "put them on a node of its own that a stiff spring holds",
                    "design: objective '%s': stops or dry friction act on the nodes of '%s'",
                    objective_label(o), pl_model_drive_name(at->m, o->drive));
}

static pl_status harmonics(const pl_objective_at *at, int *H) {
  *H = at->o->harmonic;
  return PL_OK;
}

static const pl_option keys[] = {KEY_HARMONIC};

const pl_objective_kind pl_objective_force = {
    .name = "force",
    .text = "force of a support or drive: to a target, largest, smallest",
    .value = "max|min|force",
    .about = "amplitude of a harmonic of the force with which a support or drive holds its nodes",
    .keys = "of axes at",
    .nkey = COUNT(keys),
    .key = keys,
    .quantity = "force",
    .unit = "N",
    .form = PL_FORM_RATIO,
    .goals = PL_GOALS_TARGET | PL_GOALS_MOST | PL_GOALS_LEAST,
    .drive = 1,
    .least_squares = 1,
    .eval = eval,
    .gradient = gradient,
    .check = check,
    .harmonics = harmonics,
    .trace = trace,
};
