// Damped nonlinear modes by the extended periodic motion concept: M x'' + D x' - 2 zeta omega M x'
// + f = 0 has periodic motions when the mass-proportional term gives what is lost on average
// (Krack, Comput. Struct. 154, 2015). Unknowns are the motion, its frequency and xi = 2 zeta omega;
// the size and the phase of the first harmonic, seen by the mass, are held.
#include "curve_impl.h"
#include "floquet_impl.h"

#include <stdio.h>
#include <string.h>

enum { COEF_MAX = 1500 }; // unknowns of the dense system
static const double FIRST = 1e-2, GROW = 1.12, LEAST = 1.001;

typedef struct epmc {
  backbone_base base;
  const pl_backbone_opts *o;
  pl_hb *hb;
  int n;
  double alpha;  // of the model
  double *phi;   // [nfree] M times the linear mode
  double *A, *b; // [n+2][n+2], [n+2]
  double *z, omega, xi;
  double a, by; // modal amplitude, and what it grows by
  double *back; // [n + 2] the last good point, [2] a and by: what a checkpoint holds
  int iterations;
} epmc;

// ---- equations ----------------------------------------------------------------------------------

// y[nfree] = M x of the free unknowns
static void mass_times(const epmc *e, const double *x, double *y) {
  const pl_csc *M = &e->base.p->M;
  const int *index = pl_model_free_index(e->base.m);
  memset(y, 0, (size_t)e->hb->nfree * sizeof *y);
  for (pl_entry at = {.k = -1}; pl_csc_next(M, &at);) {
    int a = index[at.i], b = index[at.j];
    if (a < 0 || b < 0) continue;
    y[a] += M->val[at.k] * x[b];
    if (a != b) y[b] += M->val[at.k] * x[a];
  }
}

// coefficient c of all unknowns, seen by the mass; x, y [nfree] scratch
static void order_mass(const epmc *e, int c, double *x, double *y) {
  int L = e->hb->f.L;
  for (int i = 0; i < e->hb->nfree; i++) x[i] = e->z[i * L + c];
  mass_times(e, x, y);
}

// the column -M x' by xi, and the rows of size and phase
static void fill_bordering(epmc *e, double a, double *x, double *y) {
  int n = e->n, N = n + 2, L = e->hb->f.L, nfree = e->hb->nfree;
  double *by_xi = e->A + (size_t)(n + 1) * (size_t)N, size = 0, phase = 0;
  memset(by_xi, 0, (size_t)N * sizeof *by_xi);
  for (int k = 1; k <= e->hb->f.H; k++) {
    order_mass(e, 2 * k - 1, x, y);
    for (int i = 0; i < nfree; i++) by_xi[i * L + 2 * k] -= k * e->omega * y[i];
    if (k == 1)
      for (int i = 0; i < nfree; i++) {
        size += x[i] * y[i];
        phase += e->phi[i] * x[i];
        e->A[(size_t)(i * L + 1) * (size_t)N + (size_t)n] = 2 * y[i] / a;
        e->A[(size_t)(i * L + 1) * (size_t)N + (size_t)n + 1] = e->phi[i];
      }
    order_mass(e, 2 * k, x, y);
    for (int i = 0; i < nfree; i++) by_xi[i * L + 2 * k - 1] += k * e->omega * y[i];
    if (k == 1)
      for (int i = 0; i < nfree; i++) {
        size += x[i] * y[i];
        e->A[(size_t)(i * L + 2) * (size_t)N + (size_t)n] = 2 * y[i] / a;
      }
  }
  e->b[n] = (size - a * a) / a;
  e->b[n + 1] = phase;
}

static pl_status assemble(epmc *e, double a) {
  int n = e->n, N = n + 2;
  e->base.p->par[PL_PAR_ALPHA] = e->alpha - e->xi;
  PL_TRY(pl_hb_eval(e->hb, e->z, e->omega, PL_HB_RESIDUAL | PL_HB_JACOBIAN | PL_HB_OMEGA));
  memset(e->A, 0, (size_t)N * (size_t)N * sizeof *e->A);
  pl_blocks_dense(&e->hb->J, N, e->A);
  memcpy(e->A + (size_t)n * (size_t)N, pl_hb_domega(e->hb), (size_t)n * sizeof(double));
  memcpy(e->b, pl_hb_residual(e->hb), (size_t)n * sizeof(double));
  double *scratch = pl_alloc(e->base.env, 2 * (size_t)e->hb->nfree, sizeof *scratch);
  if (!scratch) return PL_E_NOMEM;
  fill_bordering(e, a, scratch, scratch + e->hb->nfree);
  pl_free(e->base.env, scratch);
  return PL_OK;
}

// the motion of modal amplitude a, from what is at hand
static pl_status correct(epmc *e, double a) {
  int n = e->n;
  for (int it = 0; it <= e->o->max_iter; it++) {
    PL_TRY(assemble(e, a));
    double held = fmax(fabs(e->b[n]), fabs(e->b[n + 1])) / a;
    if (pl_hb_error(e->hb) <= e->o->rtol && held <= 1e-10) return PL_OK;
    PL_TRY(dense_solve(e->base.env, n + 2, e->A, 1, e->b));
    if (!pl_all_finite(n + 2, e->b)) return PL_UNSOLVED;
    pl_axpy(n, -1, e->b, e->z, e->z);
    e->omega -= e->b[n];
    e->xi -= e->b[n + 1];
    if (!(e->omega > 0)) return PL_UNSOLVED;
    e->iterations++;
  }
  return PL_UNSOLVED;
}

// ---- start --------------------------------------------------------------------------------------

static pl_status allocate(epmc *e) {
  e->alpha = e->base.p->par[PL_PAR_ALPHA];
  size_t n, nfree = (size_t)pl_model_nfree(e->base.m);
  if (nfree * (size_t)(2 * e->o->harmonics + 1) > COEF_MAX)
    return pl_fail_at(e->base.env, PL_E_INPUT, NULL, 0, 0, "take fewer harmonics, or damped: no",
                      "backbone: damped motions are for at most %d coefficients, this one has %zu",
                      COEF_MAX, nfree * (size_t)(2 * e->o->harmonics + 1));
  PL_TRY(pl_hb_create(e->base.m, e->base.p, e->base.w, e->o->harmonics, e->o->samples, &e->hb));
  e->n = e->hb->n;
  n = (size_t)e->n + 2;
  e->A = pl_alloc(e->base.env, n * n, sizeof(double));
  e->b = pl_alloc(e->base.env, n, sizeof(double));
  e->z = pl_alloc(e->base.env, n, sizeof(double));
  e->back = pl_alloc(e->base.env, n + 2, sizeof(double));
  e->phi = pl_alloc(e->base.env, nfree, sizeof(double));
  return e->A && e->b && e->z && e->back && e->phi ? PL_OK : PL_E_NOMEM;
}

// the equilibrium with a times the mode as its first cosine
static void small_motion(epmc *e, double a) {
  const int *dof = pl_model_free_dofs(e->base.m);
  int L = e->hb->f.L;
  for (int i = 0; i < e->hb->nfree; i++) {
    e->b[i] = e->base.shape[dof[i]];
    e->z[i * L] = e->base.s->q[dof[i]];
    e->z[i * L + 2] = a * e->base.shape[dof[i]];
  }
  mass_times(e, e->b, e->phi);
  e->omega = e->base.omega0;
}

// ---- curve --------------------------------------------------------------------------------------

static pl_orbit orbit_of(const epmc *e) {
  return (pl_orbit){.env = e->base.env,
                    .nfree = e->hb->nfree,
                    .nharm = e->hb->f.H,
                    .sub = 1,
                    .omega = e->omega,
                    .z = e->z};
}

static pl_status energy_of(epmc *e, double *energy) {
  pl_orbit o = orbit_of(e);
  return backbone_energy(&e->base, &o, energy);
}

// where the motion is on its way to the nearest end; 1: there
static pl_status progress_of(epmc *e, double *part) {
  double energy, to = e->o->to > 0 ? e->o->to : 2 * e->base.omega0;
  double from = e->o->from > 0 ? e->o->from : 0.5 * e->base.omega0;
  PL_TRY(energy_of(e, &energy));
  *part = fmax(e->omega / to, from / e->omega);
  pl_orbit o = orbit_of(e);
  if (e->o->amplitude > 0) *part = fmax(*part, backbone_amplitude(&e->base, &o) / e->o->amplitude);
  if (e->o->energy > 0) *part = fmax(*part, sqrt(fmax(0, energy) / e->o->energy));
  return PL_OK;
}

static void keep(epmc *e) {
  memcpy(e->back, e->z, (size_t)e->n * sizeof(double));
  e->back[e->n] = e->omega;
  e->back[e->n + 1] = e->xi;
  e->back[e->n + 2] = e->a;
  e->back[e->n + 3] = e->by;
}

static void restore(epmc *e) {
  memcpy(e->z, e->back, (size_t)e->n * sizeof(double));
  e->omega = e->back[e->n];
  e->xi = e->back[e->n + 1];
}

// those who look on see the points so far
static pl_status look(epmc *e, const pl_backbone_plan *plan, pl_curve *c, int last) {
  const pl_trail t = {.c = c, .own = e->back, .nown = (size_t)e->n + 4};
  keep(e);
  c->iterations = c->factorisations = e->iterations;
  return backbone_look(plan, &t, last);
}

// where another one was
static pl_status go_on(epmc *e, const pl_backbone_plan *plan, pl_curve *c) {
  small_motion(e, 0); // the phase is that of the mode
  PL_TRY(trail_unpack_own(plan->nfrom, plan->from, e->base.m, (size_t)e->n + 4, e->back, c));
  restore(e);
  e->a = e->back[e->n + 2];
  e->by = e->back[e->n + 3];
  e->iterations = c->iterations;
  return PL_OK;
}

static pl_status add_point(epmc *e, pl_curve *c) {
  PL_TRY(pl_grow(c->env, &c->point, c->npoint, &c->cap, sizeof *c->point));
  pl_curve_point p = {.stable = -1, .change = -1, .subharmonic = 1};
  pl_orbit o = orbit_of(e);
  PL_TRY(energy_of(e, &p.energy));
  PL_TRY(pl_orbit_copy(&o, o.nharm, &p.orbit));
  p.residual = hb_residual_size(e->hb);
  p.damping = e->xi / (2 * e->omega);
  c->point[c->npoint++] = p;
  return PL_OK;
}

// the motion of size b from that of size a: the first harmonics grow with it
static pl_status grow(epmc *e, double a, double b) {
  int L = e->hb->f.L;
  for (int i = 0; i < e->n; i++)
    if (i % L) e->z[i] *= b / a;
  pl_status st = correct(e, b);
  return st == PL_DOMAIN || st == PL_SINGULAR ? PL_UNSOLVED : st;
}

// cuts the step from size a (before the end) to b (beyond it) where the end is
static pl_status land(epmc *e, double a, double b) {
  for (int it = 0; it < 60 && b - a > 1e-13 * b; it++) {
    double mid = 0.5 * (a + b), part;
    restore(e);
    PL_TRY(grow(e, a, mid));
    PL_TRY(progress_of(e, &part));
    if (part >= 1)
      b = mid;
    else {
      a = mid;
      keep(e);
    }
  }
  return PL_OK;
}

static pl_status follow(epmc *e, const pl_backbone_plan *plan, pl_curve *c) {
  double part = 0;
  int seen = 0; // points that those who look on know
  while (part < 1) {
    char text[96];
    snprintf(text, sizeof text, "%.6g rad/s, damping ratio %.4g, point %d", e->omega,
             e->xi / (2 * e->omega), c->npoint);
    c->reason = PL_STOP_CANCELLED;
    pl_status st = pl_report_progress(e->base.env, "backbone", -1, text);
    int last = st != PL_OK || c->npoint >= e->o->points;
    if (c->npoint > seen || last) PL_TRY(look(e, plan, c, last));
    seen = c->npoint;
    PL_TRY(st);
    c->reason = PL_STOP_POINTS;
    if (c->npoint >= e->o->points) return PL_UNSOLVED;
    c->reason = PL_STOP_STEP;
    keep(e);
    st = grow(e, e->a, e->by * e->a);
    if (st == PL_UNSOLVED && e->by > LEAST) {
      restore(e);
      e->by = sqrt(e->by);
      continue;
    }
    PL_TRY(st);
    PL_TRY(progress_of(e, &part));
    if (part > 1) PL_TRY(land(e, e->a, e->by * e->a));
    e->a *= e->by;
    e->by = fmin(GROW, e->by * e->by);
    PL_TRY(add_point(e, c));
  }
  c->reason = PL_STOP_END;
  return PL_OK;
}

// modal amplitude of the first motion: a small part of the last one, were the model linear
static double first_size(const epmc *e) {
  double a = INFINITY, most = 0;
  int dim = pl_model_dim(e->base.m);
  for (int i = 0; i < e->base.nprobe; i++)
    for (int k = 0; k < dim; k++)
      most = fmax(most, fabs(e->base.shape[e->base.probe[i] * dim + k]));
  if (e->o->amplitude > 0 && most > 0) a = e->o->amplitude / most;
  if (e->o->energy > 0) a = fmin(a, sqrt(2 * e->o->energy) / e->base.omega0);
  return FIRST * a;
}

static pl_status first_point(epmc *e, pl_curve *c) {
  e->a = first_size(e);
  e->by = GROW;
  if (!isfinite(e->a))
    return pl_fail_at(e->base.env, PL_E_INPUT, NULL, 0, 0, "watch a node that moves in it",
                      "backbone: no watched node moves in mode %d", e->o->mode);
  small_motion(e, e->a);
  PL_TRY(correct(e, e->a));
  return add_point(e, c);
}

pl_status backbone_damped(const pl_backbone_opts *o, const pl_model *m, const pl_params *p,
                          pl_work *w, const pl_backbone_plan *plan, pl_curve *c) {
  const backbone_base base = {
      .env = w->env, .m = m, .w = w, .nprobe = plan->nprobe, .probe = plan->probe};
  epmc e = {.base = base, .o = o};
  if (!(o->amplitude > 0) && !(o->energy > 0))
    return pl_fail_at(w->env, PL_E_INPUT, NULL, 0, 0, "e.g. amplitude: 1 mm",
                      "backbone: damped motions need an amplitude or an energy to end at");
  pl_status st = backbone_params(&e.base, p, 1);
  if (st == PL_OK) st = allocate(&e);
  if (st == PL_OK) st = backbone_mode(&e.base, o->mode);
  if (st == PL_OK) st = plan->from ? go_on(&e, plan, c) : first_point(&e, c);
  if (st == PL_OK) st = follow(&e, plan, c);
  c->iterations = c->factorisations = e.iterations;
  pl_hb_free(e.hb);
  backbone_close(&e.base);
  void *all[] = {e.phi, e.A, e.b, e.z, e.back};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(w->env, all[i]);
  return st;
}
