// Coulomb's law for many contacts: Gauss-Seidel sweeps with the exact solver of one contact, and
// Newton's method where those are slow.
#include "contact_impl.h"

#include <string.h>

enum { RESTARTS = 20, PROXIMAL = 40 };  // most tries of either
static const double MAYBE_NOISE = 1e-6; // residuals above are not taken for rounding
static const double EMIT = 0.05;        // s between calls of progress

// ---- what is solved -----------------------------------------------------------------------------

// scaled as the problem is
void friction_product(friction *f, const double *p, double *y) {
  for (int i = 0; i < f->m; i++) f->work[i] = p[i] / f->scale[i / f->size];
  pl_status s = f->failed == PL_OK ? f->d->product(f->d->ctx, f->work, y) : f->failed;
  f->info->products++;
  if (s != PL_OK) memset(y, 0, (size_t)f->m * sizeof *y);
  f->failed = s;
  for (int i = 0; i < f->m; i++) y[i] /= f->scale[i / f->size];
}

void friction_velocity(friction *f, const double *p, double *u) {
  if (!f->W) friction_product(f, p, u);
  for (int i = 0; i < f->m; i++)
    u[i] = f->c[i] + (f->W ? pl_dot(f->m, f->W + (size_t)i * f->m, p) : u[i]);
}

// natural map: |p - proj(p - (u + mu |u_T| e_N))|
static double residual(const friction *f, const double *p, const double *u) {
  double sum = 0;
  for (int k = 0; k < f->n; k++) {
    const double *pk = p + k * f->size, *uk = u + k * f->size;
    double z[3] = {pk[0] - uk[0] - f->mu[k] * pl_norm(f->size - 1, uk + 1)};
    for (int i = 1; i < f->size; i++) z[i] = pk[i] - uk[i];
    cone_project(f->size, f->mu[k], z);
    for (int i = 0; i < f->size; i++) sum += (pk[i] - z[i]) * (pk[i] - z[i]);
  }
  return sqrt(sum);
}

// what rounding of u alone does to both residuals
static void noise(const friction *f, double *residual, double *force) {
  double a = 0, b = 0;
  for (int i = 0; i < f->m; i++) {
    double sum = fabs(f->c[i]);
    for (int j = 0; f->W && j < f->m; j++) sum += fabs(f->W[(size_t)i * f->m + j] * f->p[j]);
    // of a product as much as all of it is large
    if (!f->W) sum += pl_max_abs(f->m, f->p) + pl_max_abs(f->m, f->u);
    a += sum * sum;
    sum *= f->rho[2 * (i / f->size) + (i % f->size > 0)];
    b += sum * sum;
  }
  *residual = 4 * DBL_EPSILON * sqrt(a) / f->size_c;
  *force = 4 * DBL_EPSILON * sqrt(b) / (pl_norm(f->m, f->p) + f->size_c);
}

int friction_judge(friction *f, double goal) {
  f->residual = residual(f, f->p, f->u) / f->size_c;
  f->force = friction_function(f, f->p, f->u, f->F) / (pl_norm(f->m, f->p) + f->size_c);
  double worst = fmax(f->residual, f->force);
  if (worst < f->least) {
    f->least = worst;
    memcpy(f->best, f->p, (size_t)f->m * sizeof *f->best);
  }
  if (worst <= goal) return 1;
  if (worst > MAYBE_NOISE) return 0;
  double r, p;
  noise(f, &r, &p);
  return f->residual <= fmax(goal, r) && f->force <= fmax(goal, p);
}

// the same with u from p
static int judge(friction *f, double goal) {
  friction_velocity(f, f->p, f->u);
  return friction_judge(f, goal);
}

// ---- Gauss-Seidel -------------------------------------------------------------------------------

void friction_block(const friction *f, int k, double W[9]) {
  memset(W, 0, 9 * sizeof *W);
  W[4] = W[8] = 1;
  for (int i = 0; i < f->size; i++)
    for (int j = 0; f->W && j < f->size; j++)
      W[3 * i + j] = f->W[(size_t)(k * f->size + i) * f->m + k * f->size + j];
  for (int i = 0; !f->W && i < f->size; i++)
    W[4 * i] = f->d->diagonal[k * f->size + i] / (f->scale[k] * f->scale[k]);
}

// one contact after another, u = W p + c kept up to date
static void sweep(friction *f, double relax) {
  for (int k = 0; k < f->n; k++) {
    double W[9], c[3] = {0}, p[3];
    double *pk = f->p + k * f->size, *uk = f->u + k * f->size;
    friction_block(f, k, W);
    for (int i = 0; i < f->size; i++) {
      c[i] = uk[i];
      for (int j = 0; j < f->size; j++) c[i] -= W[3 * i + j] * pk[j];
    }
    pl_friction_one(W, c, f->mu[k], p);
    for (int j = 0; j < f->size; j++) {
      double d = relax * (p[j] - pk[j]);
      if (d == 0) continue;
      const double *row = f->W + (size_t)(k * f->size + j) * f->m;
      for (int i = 0; i < f->m; i++) f->u[i] += d * row[i];
      pk[j] += d;
    }
  }
  f->info->sweeps++;
}

// count sweeps from f->p; *done: the residual is below the goal
static pl_status sweeps(friction *f, int count, double relax, double goal, int *done) {
  double last = pl_wall_time();
  *done = judge(f, goal);
  for (int it = 0; it < count && !*done && f->info->sweeps < f->o->max_sweeps; it++) {
    sweep(f, relax);
    *done = friction_judge(f, goal) && judge(f, goal);
    if (!f->env->progress || pl_wall_time() - last < EMIT) continue;
    last = pl_wall_time();
    PL_TRY(pl_report_progress(f->env, "friction", -1, NULL));
  }
  return PL_OK;
}

// ---- whole --------------------------------------------------------------------------------------

// f->kept: the best point of all starts
static void keep_best(friction *f) {
  if (!(f->least < f->kept_least)) return;
  f->kept_least = f->least;
  memcpy(f->kept, f->best, (size_t)f->m * sizeof *f->kept);
}

// sweeps and Newton in turns, each from the best point; the sweeps grow while nothing comes of it,
// and every other time they go half the way, which ends cycles
static pl_status solve_local(friction *f, int first, int rounds, double goal, int *done) {
  int count = f->o->sweeps;
  f->least = INFINITY;
  PL_TRY(sweeps(f, first, 1, goal, done));
  for (int round = 1; !*done; round++, count *= 2) {
    f->info->attempts++;
    PL_TRY(friction_newton(f, goal));
    memcpy(f->p, f->best, (size_t)f->m * sizeof *f->p);
    *done = judge(f, goal);
    if (*done || round >= rounds || f->info->sweeps >= f->o->max_sweeps) break;
    PL_TRY(sweeps(f, 2 * count, round % 2 ? 0.5 : 1, goal, done));
  }
  keep_best(f);
  return PL_OK;
}

// the problem with W + more in place of W and c - more centre in place of c, in turns
static pl_status solve_near(friction *f, double more, double goal, int *done) {
  double kept = f->kept_least;
  f->kept_least = 0; // what is found here answers another question
  for (int i = 0; i < f->m; i++) {
    double *w = &f->W[(size_t)i * (f->m + 1)];
    f->diag0[i] = *w;
    f->c0[i] = f->c[i];
    *w += more;
    f->c[i] -= more * f->centre[i];
  }
  pl_status s = solve_local(f, f->o->sweeps, 2, goal, done);
  for (int i = 0; i < f->m; i++) {
    f->W[(size_t)i * (f->m + 1)] = f->diag0[i];
    f->c[i] = f->c0[i];
  }
  f->kept_least = kept;
  return s;
}

// Proximal points: each solves u + more (p - p_before) in place of u, which makes a singular W
// definite, and what is added fades away.
static pl_status solve_proximal(friction *f, double goal, int *done) {
  size_t size = (size_t)f->m * sizeof *f->p;
  double more = 0.1;
  memcpy(f->centre, f->kept, size);
  for (int it = 0; it < PROXIMAL && more < 1e3 && !*done; it++) {
    int found;
    if (f->info->sweeps >= f->o->max_sweeps) break;
    memcpy(f->p, f->centre, size);
    PL_TRY(solve_near(f, more, goal, &found));
    memcpy(f->p, f->best, size);
    f->least = INFINITY;
    *done = judge(f, goal);
    keep_best(f);
    if (found) memcpy(f->centre, f->p, size);
    more *= found ? 0.3 : 5;
  }
  return PL_OK;
}

// The same from other forces: with strong friction some starts lead nowhere. First pressed so hard
// that everything sticks, then drawn at random, small and large.
static pl_status solve_restarts(friction *f, double goal, int *done) {
  pl_rng r;
  pl_rng_seed(&r, 1);
  double usual = pl_norm(f->m, f->kept) / sqrt(f->n);
  for (int it = 0; it < RESTARTS && !*done && f->info->sweeps < f->o->max_sweeps; it++) {
    f->info->restarts++;
    double size = usual * pow(10, pl_rng_uniform(&r, -1, 2));
    for (int i = 0; i < f->m; i++)
      f->p[i] = it > 0 ? size * pl_rng_normal(&r) : i % f->size == 0 ? 100 * usual : 0;
    for (int k = 0; k < f->n; k++) cone_project(f->size, f->mu[k], f->p + k * f->size);
    // Newton first, as sweeps would lead to the same place again
    PL_TRY(solve_local(f, 0, 3, goal, done));
  }
  return PL_OK;
}

static pl_status solve(friction *f, double goal) {
  int done = 0, method = f->o->method;
  if (!f->W) {
    PL_TRY(friction_krylov(f, goal, &done));
    keep_best(f);
    return PL_OK;
  }
  if (method == PL_FRICTION_NEWTON) return solve_local(f, 0, 1, goal, &done);
  if (method == PL_FRICTION_HYBRID) {
    PL_TRY(solve_local(f, f->o->sweeps, 5, goal, &done));
    if (!done) PL_TRY(solve_proximal(f, goal, &done));
    if (!done) PL_TRY(solve_restarts(f, goal, &done));
    memcpy(f->p, f->kept, (size_t)f->m * sizeof *f->p);
  }
  // whatever is left of the sweeps
  if (!done) PL_TRY(sweeps(f, f->o->max_sweeps, 1, goal, &done));
  keep_best(f);
  return PL_OK;
}

// rho = 1/W_NN, 1/largest eigenvalue of W_TT
static void choose_rho(friction *f) {
  for (int k = 0; k < f->n; k++) {
    double B[9], t = 0;
    friction_block(f, k, B);
    if (f->size == 2) t = B[4];
    if (f->size == 3) t = 0.5 * (B[4] + B[8]) + hypot(0.5 * (B[4] - B[8]), B[5]);
    f->rho[2 * k] = B[0] > 1e-12 ? 1 / B[0] : 1;
    f->rho[2 * k + 1] = t > 1e-12 ? 1 / t : 1;
  }
}

static pl_status open_scaled(friction *f, const pl_friction_desc *d, const double *p) {
  size_t m = (size_t)f->m, all = 0, n = (size_t)f->n, rest = 10 * m + 3 * n;
  if (d->W && pl_mul_size(m, m, &all)) all = SIZE_MAX / 16;
  // W is written below
  double *block = pl_realloc(f->env, NULL, all + rest, sizeof *block);
  if (!block) return PL_E_NOMEM;
  memset(block + all, 0, rest * sizeof *block);
  f->block = block;
  f->W = d->W ? block : NULL;
  f->c = block + all;
  f->p = f->c + m;
  f->u = f->p + m;
  f->best = f->u + m;
  f->kept = f->best + m;
  f->centre = f->kept + m;
  f->diag0 = f->centre + m;
  f->c0 = f->diag0 + m;
  f->F = f->c0 + m;
  f->work = f->F + m;
  f->scale = f->work + m;
  f->rho = f->scale + n;

  double most = 0;
  for (int k = 0; k < f->n; k++) {
    double trace = 0;
    for (int i = k * f->size; i < (k + 1) * f->size; i++)
      trace += d->W ? d->W[(size_t)i * (m + 1)] : d->diagonal[i];
    f->scale[k] = trace / f->size;
    most = fmax(most, f->scale[k]);
  }
  // what nothing can move is left as it is
  for (int k = 0; k < f->n; k++) {
    if (!(f->scale[k] > 1e-30 * most)) f->scale[k] = most > 0 ? most : 1;
    f->scale[k] = sqrt(f->scale[k]);
  }
  for (size_t i = 0; i < m; i++) {
    double si = f->scale[i / (size_t)f->size];
    for (size_t j = 0; d->W && j < m; j++)
      f->W[i * m + j] = d->W[i * m + j] / (si * f->scale[j / (size_t)f->size]);
    f->c[i] = d->c[i] / si;
    f->p[i] = f->best[i] = f->kept[i] = p[i] * si;
  }
  f->size_c = pl_norm(f->m, f->c);
  choose_rho(f);
  return PL_OK;
}

// the projected point obeys the cone to the last bit; taken when it is as good
static void polish(friction *f, double goal) {
  for (int k = 0; k < f->n; k++) {
    double *pk = f->p + k * f->size;
    const double *uk = f->u + k * f->size;
    double slide = f->mu[k] * pl_norm(f->size - 1, uk + 1);
    for (int i = 0; i < f->size; i++) pk[i] -= uk[i] + (i == 0 ? slide : 0);
    cone_project(f->size, f->mu[k], pk);
  }
  if (judge(f, goal)) return;
  memcpy(f->p, f->best, (size_t)f->m * sizeof *f->p);
  judge(f, goal);
}

static void classify(const friction *f, double still, pl_contact_status *status) {
  for (int k = 0; k < f->n; k++) {
    const double *pk = f->p + k * f->size, *uk = f->u + k * f->size;
    double y[2] = {0};
    for (int i = 1; i < f->size; i++) y[i - 1] = pk[i] - uk[i];
    status[k] = pk[0] - uk[0] <= 0 || pk[0] <= 0        ? PL_OPEN
                : hypot(y[0], y[1]) <= f->mu[k] * pk[0] ? PL_STICK
                : pl_norm(f->size - 1, uk + 1) <= still ? PL_STICK
                                                        : PL_SLIP;
  }
}

static pl_status check_desc(pl_env *env, const pl_friction_desc *d, const double *p) {
  if (d->n < 0 || d->size < 1 || d->size > 3 || d->n > 1000000 / d->size)
    return pl_fail(env, PL_E_ARG, "friction: %d contacts of size %d", d->n, d->size);
  int m = d->n * d->size;
  for (int k = 0; k < d->n; k++)
    if (!(d->mu[k] >= 0) || !isfinite(d->mu[k]))
      return pl_fail(env, PL_E_INPUT, "friction: coefficient of contact %d must be >= 0, got %g", k,
                     d->mu[k]);
  for (int i = 0; i < m; i++) {
    int row = d->W ? pl_all_finite(m, d->W + (size_t)i * m) : d->diagonal[i] > 0;
    if (!row || !isfinite(d->c[i]) || !isfinite(p[i]))
      return pl_fail(env, PL_E_ARG, "friction: row %d of the problem is not a number", i);
  }
  return PL_OK;
}

// the result in the caller's units
static void unscale(const friction *f, const pl_friction_desc *d, double *p, double *u,
                    pl_contact_status *status) {
  for (int i = 0; i < f->m; i++) p[i] = f->p[i] / f->scale[i / f->size];
  for (int i = 0; u && i < f->m; i++)
    u[i] =
        d->W ? d->c[i] + pl_dot(f->m, d->W + (size_t)i * f->m, p) : f->u[i] * f->scale[i / f->size];
  if (status) classify(f, f->o->tolerance * f->size_c, status);
}

pl_status pl_friction(pl_env *env, const pl_friction_opts *o, const pl_friction_desc *d, double *p,
                      double *u, pl_contact_status *status, pl_friction_info *info) {
  pl_friction_info own;
  if (!info) info = &own;
  *info = (pl_friction_info){.reason = PL_FRICTION_CONVERGED};
  PL_TRY(pl_opts_check(env, pl_friction_option_table, pl_friction_option_count, o));
  PL_TRY(check_desc(env, d, p));
  friction f = {.env = env,
                .o = o,
                .info = info,
                .d = d,
                .n = d->n,
                .size = d->size,
                .m = d->n * d->size,
                .mu = d->mu,
                .least = INFINITY,
                .kept_least = INFINITY};
  PL_TRY(open_scaled(&f, d, p));
  pl_status s = PL_OK;
  if (!(f.size_c > 0)) {
    // nothing moves: no forces
    memset(f.p, 0, (size_t)f.m * sizeof *f.p);
    memset(f.u, 0, (size_t)f.m * sizeof *f.u);
  } else {
    s = solve(&f, o->tolerance);
    keep_best(&f);
    memcpy(f.p, f.kept, (size_t)f.m * sizeof *f.p);
    f.least = INFINITY;
    judge(&f, o->tolerance);
    polish(&f, o->tolerance);
    int done = judge(&f, o->tolerance);
    info->residual = f.residual;
    info->force = f.force;
    info->reason = s == PL_CANCELLED                           ? PL_FRICTION_CANCELLED
                   : fmax(f.residual, f.force) <= o->tolerance ? PL_FRICTION_CONVERGED
                   : done                                      ? PL_FRICTION_ROUNDING
                   : o->method == PL_FRICTION_NEWTON           ? PL_FRICTION_STALLED
                                                               : PL_FRICTION_MAX_ITER;
    if (s == PL_OK && info->reason > PL_FRICTION_ROUNDING) s = PL_UNSOLVED;
  }
  if (s >= 0 && f.failed != PL_OK) s = f.failed;
  if (s >= 0) unscale(&f, d, p, u, status);
  pl_free(env, f.block);
  return s;
}
