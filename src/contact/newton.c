// Newton's method on the function of Alart and Curnier, whose zeros obey Coulomb's law:
//   y = p - rho u;  F_N = p_N - max(0, y_N),  F_T = p_T - proj(y_T, disc of radius mu max(0, y_N)).
#include "contact_impl.h"

#include <string.h>

// Fortran LAPACK: everything by address
void dgelsy_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b,
             const int *ldb, int *jpvt, const double *rcond, int *rank, double *work,
             const int *lwork, int *info);

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info, size_t);
void dgecon_(const char *norm, const int *n, const double *a, const int *lda, const double *anorm,
             double *rcond, double *work, int *iwork, int *info, size_t);

enum { FULL = 20 };                  // full steps before steps are searched for
static const double RCOND = 1e-13;   // columns of J below are taken as dependent
static const double SOUND = 1e-11;   // condition from which on elimination will do
static const double MORE = 1e-10;    // on the diagonal, about 1, of a J that is singular
static const double MET = 1e-9;      // what may be left of its equations
static const double APART = 1e-6;    // on the diagonal where they contradict each other
static const double SHORTEST = 1e-6; // step of the line search
static const double EMIT = 0.05;     // s between calls of progress

// An unknown of a step: dp of contact k along q, and its equation, along r of
//   own x + r.(W dp) = b
typedef struct unknown {
  int k;
  double q[3], r[3], own, b;
} unknown;

typedef struct newton {
  friction *f;
  int nc;             // unknowns of contacts that are closed
  unknown *x;         // [m] these
  double *J, *b;      // [nc][nc] by columns, [nc]
  double *A, *x0, *r; // [nc][nc], [nc], [nc] for elimination
  int singular;       // the last J was
  double *d;          // [m] the step, and its part that is known before
  double *w;          // [m]
  double *p0, *start; // [m] of a line search, of the method
  int *pivot;         // [2m] and scratch
  double *work;
  int lwork;
} newton;

contact_state friction_state(const friction *f, int k, const double *p, const double *u) {
  const double *pk = p + k * f->size, *uk = u + k * f->size;
  contact_state a = {.yn = pk[0] - f->rho[2 * k] * uk[0]};
  if (a.yn <= 0) return a;
  for (int i = 1; i < f->size; i++) a.e[i - 1] = pk[i] - f->rho[2 * k + 1] * uk[i];
  a.radius = f->mu[k] * a.yn;
  a.size = hypot(a.e[0], a.e[1]);
  a.status = a.size <= a.radius ? PL_STICK : PL_SLIP;
  for (int i = 0; i < 2 && a.size > 0; i++) a.e[i] /= a.size;
  return a;
}

double friction_function(const friction *f, const double *p, const double *u, double *F) {
  for (int k = 0; k < f->n; k++) {
    contact_state a = friction_state(f, k, p, u);
    for (int i = 0; i < f->size; i++) {
      int row = k * f->size + i;
      double rho = f->rho[2 * k + (i > 0)];
      F[row] = a.status == PL_OPEN || (a.status == PL_SLIP && i > 0) ? p[row] : rho * u[row];
      if (a.status == PL_SLIP && i > 0) F[row] -= a.radius * a.e[i - 1];
    }
  }
  return pl_norm(f->m, F);
}

// Unknowns of a contact that is closed. Where it slips, by e: F_N = rho u_N and the equation along
// e give dp_e = mu dp_N + mu F_N - F_e, so that those along the normal and across e are left, the
// latter with
//   F_c + (1 - r/|y_T|) dp_c + r/|y_T| rho (W dp)_c = 0.
static void add_contact(newton *nt, int k, const contact_state *a) {
  const friction *f = nt->f;
  const double *F = f->F + k * f->size;
  double rn = f->rho[2 * k], rt = f->rho[2 * k + 1], keep = a->size > 0 ? a->radius / a->size : 0;
  double *d = nt->d + k * f->size, along = 0;
  int slips = a->status == PL_SLIP;
  unknown *x = &nt->x[nt->nc++];
  *x = (unknown){.k = k, .q = {1}, .r = {rn}, .b = -F[0]};
  memset(d, 0, (size_t)f->size * sizeof *d);
  for (int i = 1; i < f->size; i++) along += a->e[i - 1] * F[i];
  for (int i = 1; i < f->size && slips; i++) {
    x->q[i] = f->mu[k] * a->e[i - 1];
    d[i] = (f->mu[k] * F[0] - along) * a->e[i - 1];
  }
  for (int i = 1; i < f->size && !slips; i++) {
    unknown t = {.k = k, .b = -F[i]};
    t.q[i] = 1;
    t.r[i] = rt;
    nt->x[nt->nc++] = t;
  }
  if (!slips || f->size < 3) return;
  const double across[3] = {0, -a->e[1], a->e[0]};
  x = &nt->x[nt->nc++];
  *x = (unknown){.k = k, .own = 1 - keep, .b = -pl_dot(2, across + 1, F + 1)};
  for (int i = 1; i < 3; i++) {
    x->q[i] = across[i];
    x->r[i] = keep * rt * across[i];
  }
}

// open contacts lose their forces
static void choose_unknowns(newton *nt) {
  const friction *f = nt->f;
  nt->nc = 0;
  for (int k = 0; k < f->n; k++) {
    contact_state a = friction_state(f, k, f->p, f->u);
    if (a.status != PL_OPEN) add_contact(nt, k, &a);
    for (int i = k * f->size; a.status == PL_OPEN && i < (k + 1) * f->size; i++)
      nt->d[i] = -f->F[i];
  }
}

// J = own + r'W q and b, with W d of what is known of the step on the right; W is symmetric
static void fill(newton *nt) {
  const friction *f = nt->f;
  int m = f->m, n = f->size;
  double *w = nt->w;
  for (int j = -1; j < nt->nc; j++) {
    const unknown *of = j >= 0 ? &nt->x[j] : NULL;
    memset(w, 0, (size_t)m * sizeof *w);
    for (int i = 0; of && i < n; i++)
      if (of->q[i] != 0) pl_axpy(m, of->q[i], f->W + (size_t)(of->k * n + i) * m, w, w);
    for (int i = 0; !of && i < m; i++)
      if (nt->d[i] != 0) pl_axpy(m, nt->d[i], f->W + (size_t)i * m, w, w);
    for (int r = 0; r < nt->nc; r++) {
      const unknown *x = &nt->x[r];
      double v = 0;
      for (int i = 0; i < n; i++) v += x->r[i] * w[x->k * n + i];
      if (of)
        nt->J[(size_t)j * nt->nc + r] = v + (r == j ? x->own : 0);
      else
        nt->b[r] = x->b - v;
    }
  }
}

// LU of J + more
static int factor(newton *nt, double more) {
  int n = nt->nc, info;
  memcpy(nt->A, nt->J, (size_t)n * (size_t)n * sizeof *nt->A);
  for (int i = 0; i < n; i++) nt->A[(size_t)i * (size_t)(n + 1)] += more;
  dgetrf_(&n, &n, nt->A, &n, nt->pivot, &info);
  return info == 0;
}

static int solve_factor(newton *nt, double *b) {
  int n = nt->nc, one = 1, info;
  dgetrs_("N", &n, &one, nt->A, &n, nt->pivot, b, &n, &info, 1);
  return info == 0 && pl_all_finite(n, b);
}

// b = J^-1 b; 0: J is singular, or nearly so
static int eliminate(newton *nt) {
  int n = nt->nc, info;
  double size = 0, rcond;
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(nt->J[(size_t)j * n + i]);
    size = fmax(size, sum);
  }
  if (!factor(nt, 0)) return 0;
  dgecon_("1", &n, nt->A, &n, &size, &rcond, nt->work, nt->pivot + nt->f->m, &info, 1);
  return info == 0 && rcond > SOUND && solve_factor(nt, nt->b);
}

// b = (J + more)^-1 b, put right in so many rounds by what is left of the equations; 0: that is
// more than `most` of b, which is as it was
static int eliminate_more(newton *nt, double more, int rounds, double most) {
  int n = nt->nc;
  double *x = nt->x0, *r = nt->r, size = pl_norm(n, nt->b);
  if (!factor(nt, more)) return 0;
  memset(x, 0, (size_t)n * sizeof *x);
  memcpy(r, nt->b, (size_t)n * sizeof *r);
  for (int k = 0; k < rounds && pl_norm(n, r) > 1e-3 * most * size; k++) {
    if (!solve_factor(nt, r)) return 0;
    pl_axpy(n, 1, r, x, x);
    memcpy(r, nt->b, (size_t)n * sizeof *r);
    for (int j = 0; j < n; j++) pl_axpy(n, -x[j], nt->J + (size_t)j * n, r, r);
  }
  if (!(pl_norm(n, r) <= most * size)) return 0;
  memcpy(nt->b, x, (size_t)n * sizeof *x);
  return 1;
}

// b = J^-1 b. Where J is singular, as it is when W is, a short solution; where it has none, since
// contacts at one place have unlike gaps, a step so far along what is free that one of them opens;
// at last the shortest least-squares step, which takes much longer than all of these.
static int solve_step(newton *nt) {
  int m = nt->f->m, one = 1, rank, info = 0;
  if (!nt->singular && eliminate(nt)) return 1;
  nt->singular = 1;
  if (eliminate_more(nt, MORE, 4, MET) || eliminate_more(nt, APART, 1, 1)) return 1;
  memset(nt->pivot, 0, (size_t)m * sizeof *nt->pivot);
  dgelsy_(&nt->nc, &nt->nc, &one, nt->J, &nt->nc, nt->b, &nt->nc, nt->pivot, &RCOND, &rank,
          nt->work, &nt->lwork, &info);
  return info == 0;
}

// d = -J^-1 F
static int direction(newton *nt) {
  choose_unknowns(nt);
  fill(nt);
  if (nt->nc > 0 && !solve_step(nt)) return 0;
  for (int r = 0; r < nt->nc; r++)
    for (int i = 0; i < nt->f->size; i++)
      nt->d[nt->x[r].k * nt->f->size + i] += nt->b[r] * nt->x[r].q[i];
  return pl_all_finite(nt->f->m, nt->d);
}

double friction_search(friction *f, const double *d, double *p0, double size) {
  memcpy(p0, f->p, (size_t)f->m * sizeof *p0);
  for (double step = 1; step > SHORTEST; step *= 0.5) {
    pl_axpy(f->m, step, d, p0, f->p);
    friction_velocity(f, f->p, f->u);
    double now = friction_function(f, f->p, f->u, f->F);
    if (now <= (1 - 1e-4 * step) * size) return now;
  }
  return -1;
}

// Iterations from f->p. Full steps let |F| grow: what opens, sticks and slips is then settled
// within few of them, where steps that must lessen it become short ones.
static pl_status iterate(newton *nt, int most, int full, double goal, int *done) {
  friction *f = nt->f;
  double last = pl_wall_time();
  *done = 0;
  friction_velocity(f, f->p, f->u);
  double size = friction_function(f, f->p, f->u, f->F);
  for (int it = 0; it < most && size > 0; it++) {
    if (!direction(nt)) return PL_OK;
    f->info->iterations++;
    if (full) {
      pl_axpy(f->m, 1, nt->d, f->p, f->p);
      friction_velocity(f, f->p, f->u);
    } else if ((size = friction_search(f, nt->d, nt->p0, size)) < 0)
      return PL_OK;
    *done = friction_judge(f, goal);
    if (*done) return PL_OK;
    if (!f->env->progress || pl_wall_time() - last < EMIT) continue;
    last = pl_wall_time();
    PL_TRY(pl_report_progress(f->env, "friction", -1, NULL));
  }
  return PL_OK;
}

static pl_status both_ways(newton *nt, double goal) {
  friction *f = nt->f;
  int done, most = f->o->max_iter;
  memcpy(nt->start, f->p, (size_t)f->m * sizeof *f->p);
  PL_TRY(iterate(nt, most < FULL ? most : FULL, 1, goal, &done));
  if (done) return PL_OK;
  memcpy(f->p, nt->start, (size_t)f->m * sizeof *f->p);
  return iterate(nt, most, 0, goal, &done);
}

pl_status friction_newton(friction *f, double goal) {
  size_t m = (size_t)f->m;
  int im = f->m, one = 1, rank, info, none = 0;
  double want, unread = 0; // a question about the size of work: matrices are not looked at
  newton nt = {.f = f, .lwork = -1};
  dgelsy_(&im, &im, &one, &unread, &im, &unread, &im, &none, &RCOND, &rank, &want, &nt.lwork,
          &info);
  nt.lwork = (int)want > 4 * im ? (int)want : 4 * im; // the estimate of the condition wants 4 m
  // of J and A what is read has been written
  double *block = pl_realloc(f->env, NULL, 2 * m * m + 7 * m + (size_t)nt.lwork, sizeof *block);
  nt.pivot = pl_alloc(f->env, 2 * m, sizeof *nt.pivot);
  nt.x = pl_alloc(f->env, m, sizeof *nt.x);
  pl_status s = block && nt.pivot && nt.x ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK) {
    nt.J = block;
    nt.A = nt.J + m * m;
    nt.d = nt.A + m * m;
    nt.b = nt.d + m;
    nt.p0 = nt.b + m;
    nt.start = nt.p0 + m;
    nt.w = nt.start + m;
    nt.x0 = nt.w + m;
    nt.r = nt.x0 + m;
    nt.work = nt.r + m;
    memset(nt.d, 0, (7 * m + (size_t)nt.lwork) * sizeof *nt.d);
    s = both_ways(&nt, goal);
  }
  pl_free(f->env, nt.x);
  pl_free(f->env, nt.pivot);
  pl_free(f->env, block);
  return s;
}
