#include "descent.h"

#include <string.h>

// The energy of a patch, its slopes and curvatures, and Newton's direction.

static const double BOWED = 1; // shift up to which exact curvatures are tried

double descent_barrier(double gap, double range, double by[2]) {
  double x = gap / range, y = 1 - x, l = log(x);
  by[0] = (2 * y * l - y * y / x) / range;
  by[1] = (-2 * l + 4 * y / x + y * y / (x * x)) / (range * range);
  return -y * y * l;
}

// ---- forces and curvatures ----------------------------------------------------------------------

void descent_pull(const descent *d, int i, double out[3]) {
  for (int c = 0; c < 3; c++)
    out[c] = d->p.mass[i] * d->p.in->gravity[c] + (d->p.in->load ? d->p.in->load[i][c] : 0);
}

static void slope_one(void *ctx, int k, int thread) {
  descent *d = ctx;
  (void)thread;
  hold_slopes(&d->p, d->at, &d->now.item[k], &d->slope[k]);
}

void descent_gravity(descent *d, int i, int bends) {
  int at = 6 * d->p.unknown[i];
  double F[3], arm[3], torque[3], weight[3], H[6][6] = {0}, unit = 1 / d->p.radius[i];
  descent_pull(d, i, F);
  pl_apply3(d->at[i].Q, d->p.middle[i], arm);
  for (int c = 0; c < 3; c++) weight[c] = d->p.mass[i] * d->p.in->gravity[c];
  pl_cross3(arm, weight, torque);
  for (int c = 0; c < 3; c++) {
    d->grad[at + c] -= F[c];
    d->grad[at + 3 + c] -= unit * torque[c];
  }
  if (!bends) return;
  double level = pl_dot3(arm, weight);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      H[3 + a][3 + b] = (a == b) * level - (arm[a] * weight[b] + weight[a] * arm[b]) / 2;
  blocks_add(&d->K, d->p.unknown[i], d->p.unknown[i], unit * unit, &H[0][0], 6);
}

void descent_contact(descent *d, int k, double force, double bend, double rot) {
  const hold *h = &d->now.item[k];
  const slopes *s = &d->slope[k];
  int end[2] = {d->p.unknown[h->i], h->j < 0 ? -1 : d->p.unknown[h->j]};
  double H[12][12];
  for (int a = 0; a < 12; a++)
    for (int b = 0; b < 12; b++) H[a][b] = bend * s->g[a] * s->g[b] - rot * s->H[a][b];
  for (int e = 0; e < 2; e++) {
    if (end[e] < 0) continue;
    for (int a = 0; a < 6; a++) d->grad[6 * end[e] + a] -= force * s->g[6 * e + a];
    for (int f = 0; f < 2; f++) blocks_add(&d->K, end[e], end[f], 1, &H[6 * e][6 * f], 12);
  }
}

void descent_clear(descent *d) {
  memset(d->grad, 0, 6 * (size_t)d->p.nfree * sizeof *d->grad);
  memset(d->K.A.val, 0, ((size_t)d->K.A.nnz + 1) * sizeof *d->K.A.val);
}

double descent_push(const descent *d, const hold *h) {
  double by[2];
  descent_barrier(h->at.gap, d->p.range, by);
  return -d->weight * h->share * by[0];
}

// Elements that push each other would rather turn together: without that, turns that change nothing
// (links about what they hang on) grow to whatever stops them.
static void add_twist(descent *d, const hold *h) {
  if (h->j < 0 || d->twist == 0) return;
  int a = d->p.unknown[h->i], b = d->p.unknown[h->j];
  double c = d->twist * h->force * d->p.thin, H[6][6] = {0};
  double ra = d->p.radius[h->i], rb = d->p.radius[h->j];
  for (int k = 3; k < 6; k++) H[k][k] = c;
  blocks_add(&d->K, a, a, 1 / (ra * ra), &H[0][0], 6);
  blocks_add(&d->K, b, b, 1 / (rb * rb), &H[0][0], 6);
  blocks_add(&d->K, a, b, -1 / (ra * rb), &H[0][0], 6);
  blocks_add(&d->K, b, a, -1 / (ra * rb), &H[0][0], 6);
}

// The curvature along a gap is that of the repulsion whose force is the multiplier.
static void add_repulsion(descent *d, int k) {
  const hold *h = &d->now.item[k];
  double by[2];
  descent_barrier(h->at.gap, d->p.range, by);
  descent_contact(d, k, descent_push(d, h), h->force * by[1] / -by[0], h->force);
  add_twist(d, h);
}

static pl_status reserve_slopes(descent *d) {
  if (d->now.n <= d->cap_slope) return PL_OK;
  int cap = 2 * d->now.n;
  slopes *more = pl_realloc(d->p.env, d->slope, (size_t)cap, sizeof *more);
  if (!more) return PL_E_NOMEM;
  d->slope = more;
  d->cap_slope = cap;
  return PL_OK;
}

static void gather(descent *d) {
  descent_clear(d);
  for (int i = 0; i < d->p.in->n; i++)
    if (d->p.unknown[i] >= 0) {
      descent_gravity(d, i, 1);
      if (d->aim) descent_inertia(d, i);
    }
  for (int k = 0; k < d->now.n; k++) add_repulsion(d, k);
  for (int k = 0; k < d->nrub; k++) descent_rub(d, &d->rub[k]);
  memcpy(d->undamped, d->K.A.val, ((size_t)d->K.A.nnz + 1) * sizeof *d->undamped);
  d->stiffest = 0;
  for (int k = 0; k < 6 * d->p.nfree; k++)
    d->stiffest = fmax(d->stiffest, fabs(*pl_csc_diagonal(&d->K.A, k)));
}

pl_status descent_assemble(descent *d) {
  PL_TRY(reserve_slopes(d));
  pl_threads_run(d->p.threads, d->now.n, slope_one, d);
  PL_TRY(blocks_fit(&d->p, &d->now, &d->K));
  PL_TRY(damping_assemble(d));
  gather(d);
  return PL_OK;
}

// ---- curvatures that are all positive -----------------------------------------------------------

// A contact's curvature without its negative parts. What is left of the gap's is kept in place of
// it.
static void project_one(void *ctx, int k, int thread) {
  descent *d = ctx;
  const hold *h = &d->now.item[k];
  slopes *s = &d->slope[k];
  double by[2], A[144], lambda[12], V[144];
  int n = h->j < 0 ? 6 : 12;
  (void)thread;
  descent_barrier(h->at.gap, d->p.range, by);
  double bend = h->force * by[1] / -by[0];
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) A[a * n + b] = bend * s->g[a] * s->g[b] - h->force * s->H[a][b];
  pl_eig(n, A, lambda, V);
  for (int e = 0; e < n && lambda[e] < 0; e++)
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n; b++) s->H[a][b] += lambda[e] / h->force * V[e * n + a] * V[e * n + b];
}

// ---- directions ---------------------------------------------------------------------------------

// Newton's step with a shift of curvatures; PL_SINGULAR: they are not all positive.
static pl_status solve_step(descent *d) {
  int n = 6 * d->p.nfree;
  double stiff = d->unit / (d->p.thin * d->p.thin);
  double least = fmax(1e-9 * stiff, 1e-14 * d->stiffest);
  for (int k = 0; k <= d->K.A.nnz; k++)
    d->K.A.val[k] = d->undamped[k] + d->shift * stiff * d->damping[k];
  for (int k = 0; k < n; k++) {
    *pl_csc_diagonal(&d->K.A, k) += least;
    d->step[k] = -d->grad[k];
  }
  d->factors++;
  PL_TRY(pl_factor_numeric(d->K.factor, &d->K.A));
  return pl_factor_solve(d->K.factor, 1, d->step, d->step);
}

// With exact curvatures where a small shift makes them positive, else without their negative parts.
static pl_status find_direction(descent *d) {
  double shift = d->shift;
  pl_status s = PL_SINGULAR;
  for (int tries = 0; s == PL_SINGULAR && d->shift <= fmax(shift, BOWED); tries++) {
    s = solve_step(d);
    if (s == PL_SINGULAR) d->shift *= 3;
    // just positive: some direction would be all of the step
    if (s == PL_OK && tries > 0) {
      d->shift *= 2;
      s = solve_step(d);
    }
  }
  if (s != PL_SINGULAR) return s;
  d->shift = shift;
  pl_threads_run(d->p.threads, d->now.n, project_one, d);
  gather(d);
  for (s = solve_step(d); s == PL_SINGULAR && d->shift < 1e12; s = solve_step(d)) d->shift *= 8;
  return s == PL_SINGULAR ? PL_UNSOLVED : s;
}

pl_status descent_direction(descent *d) {
  PL_TRY(descent_assemble(d));
  PL_TRY(find_direction(d));
  d->left = -pl_dot(6 * d->p.nfree, d->grad, d->step);
  return PL_OK;
}

pl_status descent_damp(descent *d) {
  PL_TRY(damping_assemble(d));
  pl_status s = solve_step(d);
  for (; s == PL_SINGULAR && d->shift < 1e12; s = solve_step(d)) d->shift *= 8;
  if (s != PL_OK) return s == PL_SINGULAR ? PL_UNSOLVED : s;
  d->left = -pl_dot(6 * d->p.nfree, d->grad, d->step);
  return PL_OK;
}

double descent_imbalance(const descent *d) {
  double most = 0;
  for (int k = 0; k < d->p.nfree; k++) most = fmax(most, pl_norm(6, d->grad + 6 * k));
  return most;
}

// ---- start and end ------------------------------------------------------------------------------

static pl_status check_start(const descent *d) {
  for (int k = 0; k < d->now.n; k++) {
    const hold *h = &d->now.item[k];
    if (h->at.gap > 0) continue;
    if (h->j < 0)
      return pl_fail(d->p.env, PL_E_INPUT,
                     "element %d lies %.3g m deep in obstacle %d at the start", h->i + 1,
                     -h->at.gap, -h->j);
    return pl_fail(d->p.env, PL_E_INPUT, "elements %d and %d overlap by %.3g m at the start",
                   h->i + 1, h->j + 1, -h->at.gap);
  }
  return PL_OK;
}

pl_status descent_restart(descent *d) {
  for (int i = 0; i < d->p.in->n; i++) d->damp[i] = 1;
  d->next.n = 0;
  PL_TRY(patch_near(&d->p, d->at, d->p.range));
  return patch_contacts(&d->p, d->at, &d->next, &d->now, &d->gap);
}

pl_status descent_open(descent *d, pl_env *env, const pl_patch *in, double barrier, int whole,
                       pl_threads *threads) {
  *d = (descent){0};
  PL_TRY(patch_open(env, in, barrier, threads, &d->p));
  size_t n = (size_t)in->n, nz = 6 * (size_t)d->p.nfree;
  d->at = pl_alloc(env, n, sizeof *d->at);
  d->trial = pl_alloc(env, n, sizeof *d->trial);
  d->grad = pl_alloc(env, nz, sizeof *d->grad);
  d->step = pl_alloc(env, nz, sizeof *d->step);
  d->damp = pl_alloc(env, n, sizeof *d->damp);
  d->group = pl_alloc(env, 2 * n, sizeof *d->group);
  d->limit = pl_alloc(env, n, sizeof *d->limit);
  d->fix = pl_alloc(env, nz, sizeof *d->fix);
  d->fixed = pl_alloc(env, n, sizeof *d->fixed);
  if (!d->at || !d->trial || !d->grad || !d->step || !d->damp || !d->group || !d->limit ||
      !d->fix || !d->fixed)
    return PL_E_NOMEM;
  memcpy(d->at, in->pose, n * sizeof *d->at);
  memcpy(d->trial, in->pose, n * sizeof *d->trial);
  for (int i = 0; i < in->n; i++) {
    double F[3];
    descent_pull(d, i, F);
    if (d->p.unknown[i] >= 0) d->force += pl_norm3(F) / d->p.nfree;
  }
  if (!(d->force > 0))
    return pl_fail(env, PL_E_INPUT, "nothing pulls at the patch: give gravity or loads");
  d->unit = d->force * d->p.thin;
  // what lies deep in each other is seen by local minima alone
  PL_TRY(descent_restart(d));
  PL_TRY(check_start(d));
  d->p.whole = whole && (d->p.wires || d->p.facets);
  return d->p.whole ? descent_restart(d) : PL_OK;
}

void descent_close(descent *d) {
  pl_env *env = d->p.env;
  void *all[] = {d->at,    d->trial, d->now.item, d->next.item, d->displaced.item,
                 d->slope, d->grad,  d->step,     d->undamped,  d->damping,
                 d->damp,  d->group, d->limit,    d->fix,       d->fixed};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) pl_free(env, all[k]);
  blocks_free(env, &d->K);
  patch_close(&d->p);
}
