// Newton's method on the function of Alart and Curnier where W is too large to be formed: its
// linear systems by GMRES, with the blocks of single contacts as preconditioner.
#include "contact_impl.h"

#include <string.h>

enum {
  ROUNDS = 8, // of Newton's method and gradient steps
  STEPS = 30, // of projected gradients between
  CYCLE = 60, // GMRES
  MOST = 600, // its iterations for one step
  POWER = 8   // products that tell the size of W
};
static const double FORCING = 1e-4; // of a linear system: what a step of Newton's leaves
static const double EMIT = 0.05;    // s between calls of progress

typedef struct krylov {
  friction *f;
  double *d, *p0, *y; // [m]
  double *inverse;    // [n][9] of the blocks of dF/dp
  contact_state *at;  // [n]
  double last;        // wall time of progress
} krylov;

// rows of dF v = A v + B W v for one contact, w = W v; as in friction_newton
static void block_product(const friction *f, const contact_state *a, int k, const double *v,
                          const double *w, double *out) {
  double rn = f->rho[2 * k], rt = f->rho[2 * k + 1], keep = a->size > 0 ? a->radius / a->size : 0;
  double along = 0, dyn = v[0] - rn * w[0];
  for (int l = 1; l < f->size; l++) along += a->e[l - 1] * (v[l] - rt * w[l]);
  for (int i = 0; i < f->size; i++) {
    if (a->status == PL_OPEN)
      out[i] = v[i];
    else if (i == 0 || a->status == PL_STICK)
      out[i] = (i == 0 ? rn : rt) * w[i];
    else
      out[i] =
          v[i] - f->mu[k] * a->e[i - 1] * dyn - keep * (v[i] - rt * w[i] - a->e[i - 1] * along);
  }
}

static void jacobian(void *ctx, const double *v, double *out) {
  krylov *s = ctx;
  friction *f = s->f;
  friction_product(f, v, s->y);
  for (int k = 0; k < f->n; k++) {
    int i = k * f->size;
    block_product(f, &s->at[k], k, v + i, s->y + i, out + i);
  }
}

// inverse of a 3x3 matrix by its adjugate; the unit when it is singular
static void invert(const double a[9], double out[9]) {
  double det = 0, most = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int r = (j + 1) % 3, t = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      out[3 * i + j] = a[3 * r + c] * a[3 * t + d] - a[3 * r + d] * a[3 * t + c];
      most = fmax(most, fabs(a[3 * i + j]));
    }
  for (int j = 0; j < 3; j++) det += a[j] * out[3 * j];
  int sound = fabs(det) > 1e-12 * most * most * most;
  for (int i = 0; i < 9; i++) out[i] = sound ? out[i] / det : i % 4 == 0;
}

static void make_blocks(krylov *s) {
  friction *f = s->f;
  for (int k = 0; k < f->n; k++) {
    double W[9], J[9] = {[0] = 1, [4] = 1, [8] = 1}, v[3], w[3], out[3];
    s->at[k] = friction_state(f, k, f->p, f->u);
    friction_block(f, k, W);
    for (int j = 0; j < f->size; j++) {
      for (int i = 0; i < 3; i++) v[i] = i == j, w[i] = W[3 * i + j];
      block_product(f, &s->at[k], k, v, w, out);
      for (int i = 0; i < f->size; i++) J[3 * i + j] = out[i];
    }
    invert(J, s->inverse + 9 * k);
  }
}

static void precondition(void *ctx, const double *x, double *y) {
  krylov *s = ctx;
  int size = s->f->size;
  for (int k = 0; k < s->f->n; k++)
    for (int i = 0; i < size; i++)
      y[k * size + i] = pl_dot(size, s->inverse + 9 * k + 3 * i, x + k * size);
}

static pl_status progress(krylov *s) {
  friction *f = s->f;
  if (f->failed != PL_OK) return f->failed;
  if (!f->env->progress || pl_wall_time() - s->last < EMIT) return PL_OK;
  s->last = pl_wall_time();
  return pl_report_progress(f->env, "friction", -1, NULL);
}

static pl_status newton(krylov *s, double goal, int *done) {
  friction *f = s->f;
  f->info->attempts++;
  friction_velocity(f, f->p, f->u);
  *done = friction_judge(f, goal);
  double size = friction_function(f, f->p, f->u, f->F);
  for (int it = 0; !*done && it < f->o->max_iter && size > 0; it++) {
    pl_krylov_info info;
    make_blocks(s);
    for (int i = 0; i < f->m; i++) s->y[i] = -f->F[i];
    memcpy(s->p0, s->y, (size_t)f->m * sizeof *s->p0);
    memset(s->d, 0, (size_t)f->m * sizeof *s->d);
    pl_status status = pl_gmres(f->env, f->m, CYCLE, jacobian, s, precondition, s, s->p0, s->d,
                                FORCING, MOST, &info);
    // a system that is nearly singular leaves a step that may do all the same
    if (status != PL_OK && status != PL_UNSOLVED) return status;
    PL_TRY(progress(s));
    f->info->iterations++;
    size = friction_search(f, s->d, s->p0, size);
    if (size < 0) return PL_OK;
    *done = friction_judge(f, goal);
    PL_TRY(progress(s));
  }
  return PL_OK;
}

// the largest eigenvalue of W, or a little less
static double size_of(krylov *s) {
  friction *f = s->f;
  pl_rng r;
  double size = 1;
  pl_rng_seed(&r, 1);
  for (int i = 0; i < f->m; i++) s->d[i] = pl_rng_normal(&r);
  for (int it = 0; it < POWER; it++) {
    double norm = pl_norm(f->m, s->d);
    for (int i = 0; i < f->m; i++) s->d[i] /= norm > 0 ? norm : 1;
    friction_product(f, s->d, s->y);
    memcpy(s->d, s->y, (size_t)f->m * sizeof *s->d);
    size = pl_norm(f->m, s->d);
  }
  return size > 0 ? size : 1;
}

// p = proj(p - (u + mu |u_T| e_N) / size): slow and sure, where Newton's method is neither near
static pl_status gradients(krylov *s, double size, double goal, int *done) {
  friction *f = s->f;
  for (int it = 0; !*done && it < STEPS; it++) {
    for (int k = 0; k < f->n; k++) {
      double *pk = f->p + k * f->size;
      const double *uk = f->u + k * f->size;
      double slide = f->mu[k] * pl_norm(f->size - 1, uk + 1);
      for (int i = 0; i < f->size; i++) pk[i] -= (uk[i] + (i == 0 ? slide : 0)) / size;
      cone_project(f->size, f->mu[k], pk);
    }
    friction_velocity(f, f->p, f->u);
    f->info->sweeps++;
    *done = friction_judge(f, goal);
    PL_TRY(progress(s));
  }
  return PL_OK;
}

static pl_status alternate(krylov *s, double goal, int *done) {
  friction *f = s->f;
  double size = 0;
  PL_TRY(newton(s, goal, done));
  for (int round = 1; !*done && round < ROUNDS; round++) {
    memcpy(f->p, f->best, (size_t)f->m * sizeof *f->p);
    friction_velocity(f, f->p, f->u);
    if (!(size > 0)) size = 1.5 * size_of(s);
    PL_TRY(gradients(s, size, goal, done));
    if (!*done) PL_TRY(newton(s, goal, done));
  }
  return PL_OK;
}

pl_status friction_krylov(friction *f, double goal, int *done) {
  size_t m = (size_t)f->m, n = (size_t)f->n;
  krylov s = {.f = f, .last = pl_wall_time()};
  double *block = pl_alloc(f->env, 3 * m + 9 * n, sizeof *block);
  s.at = pl_alloc(f->env, n, sizeof *s.at);
  pl_status status = block && s.at ? PL_OK : PL_E_NOMEM;
  if (status == PL_OK) {
    s.d = block;
    s.p0 = s.d + m;
    s.y = s.p0 + m;
    s.inverse = s.y + m;
    status = alternate(&s, goal, done);
  }
  pl_free(f->env, block);
  pl_free(f->env, s.at);
  return status;
}
