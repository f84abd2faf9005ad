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

static const double RCOND = 1e-13;   // columns of J below are taken as dependent
static const double SOUND = 1e-11;   // condition from which on elimination will do
static const double SHORTEST = 1e-6; // step of the line search
static const double TELL = 0.05;     // s between calls of progress

typedef struct newton {
  friction *f;
  int nc;        // unknowns of contacts that are closed
  int *row, *at; // [m] these, and where each unknown is among them, -1: open
  double *J, *b; // [nc][nc] by columns, [nc]
  double *d;     // [m]
  double *p0;    // [m] start of a line search
  int *pivot;    // [2m] and scratch
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

// rows of dF/dp = A + B W for contact k, which is closed: columns of open ones, whose step is
// known, go to the right-hand side
static void jacobian_rows(newton *nt, int k) {
  const friction *f = nt->f;
  contact_state a = friction_state(f, k, f->p, f->u);
  int m = f->m, at = k * f->size;
  double rn = f->rho[2 * k], rt = f->rho[2 * k + 1], keep = a.size > 0 ? a.radius / a.size : 0;
  const double *W = f->W + (size_t)at * m;
  for (int i = 0; i < f->size; i++) {
    int row = nt->at[at + i];
    nt->b[row] = -f->F[at + i];
    for (int j = 0; j < m; j++) {
      double v, same = j == at + i;
      if (i == 0 || a.status == PL_STICK)
        v = (i == 0 ? rn : rt) * W[(size_t)i * m + j];
      else {
        // dp_T - mu e dy_N - r/|y_T| (1 - e e') dy_T
        double dyn = (j == at) - rn * W[j], along = 0;
        for (int l = 1; l < f->size; l++)
          along += a.e[l - 1] * ((j == at + l) - rt * W[(size_t)l * m + j]);
        double dyt = same - rt * W[(size_t)i * m + j];
        v = same - f->mu[k] * a.e[i - 1] * dyn - keep * (dyt - a.e[i - 1] * along);
      }
      if (nt->at[j] >= 0)
        nt->J[(size_t)nt->at[j] * nt->nc + row] = v;
      else
        nt->b[row] -= v * nt->d[j];
    }
  }
}

static void fill(newton *nt) {
  for (int k = 0; k < nt->f->n; k++)
    if (nt->at[k * nt->f->size] >= 0) jacobian_rows(nt, k);
}

// open contacts lose their forces, the others are unknowns of a step
static void choose_closed(newton *nt) {
  const friction *f = nt->f;
  nt->nc = 0;
  for (int i = 0; i < f->m; i++) {
    int k = i / f->size, open = f->p[k * f->size] - f->rho[2 * k] * f->u[k * f->size] <= 0;
    nt->at[i] = open ? -1 : nt->nc;
    if (!open) nt->row[nt->nc++] = i;
    nt->d[i] = -f->F[i];
  }
}

// b = J^-1 b; 0: J is singular, or nearly so
static int eliminate(newton *nt) {
  int n = nt->nc, one = 1, info;
  double size = 0, rcond;
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(nt->J[(size_t)j * n + i]);
    size = fmax(size, sum);
  }
  dgetrf_(&n, &n, nt->J, &n, nt->pivot, &info);
  if (info != 0) return 0;
  dgecon_("1", &n, nt->J, &n, &size, &rcond, nt->work, nt->pivot + nt->f->m, &info, 1);
  if (info != 0 || !(rcond > SOUND)) return 0;
  dgetrs_("N", &n, &one, nt->J, &n, nt->pivot, nt->b, &n, &info, 1);
  return info == 0;
}

// d = -J^-1 F, and where J is singular, as it is when W is, the shortest of all least-squares steps
static int direction(newton *nt) {
  int m = nt->f->m, one = 1, rank, info = 0;
  choose_closed(nt);
  fill(nt);
  if (nt->nc > 0 && !eliminate(nt)) {
    fill(nt);
    memset(nt->pivot, 0, (size_t)m * sizeof *nt->pivot);
    dgelsy_(&nt->nc, &nt->nc, &one, nt->J, &nt->nc, nt->b, &nt->nc, nt->pivot, &RCOND, &rank,
            nt->work, &nt->lwork, &info);
  }
  for (int i = 0; i < nt->nc; i++) nt->d[nt->row[i]] = nt->b[i];
  return info == 0 && pl_all_finite(m, nt->d);
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

static pl_status iterate(newton *nt, double goal) {
  friction *f = nt->f;
  double last = pl_wall_time();
  friction_velocity(f, f->p, f->u);
  double size = friction_function(f, f->p, f->u, f->F);
  for (int it = 0; it < f->o->max_iter && size > 0; it++) {
    if (!direction(nt)) return PL_OK;
    f->info->iterations++;
    size = friction_search(f, nt->d, nt->p0, size);
    if (size < 0) return PL_OK;
    if (friction_judge(f, goal)) return PL_OK;
    if (!f->env->progress || pl_wall_time() - last < TELL) continue;
    last = pl_wall_time();
    PL_TRY(pl_report_progress(f->env, "friction", -1, NULL));
  }
  return PL_OK;
}

pl_status friction_newton(friction *f, double goal) {
  size_t m = (size_t)f->m;
  int im = f->m, one = 1, rank, info, none = 0;
  double want, unread = 0; // a question about the size of work: matrices are not looked at
  newton nt = {.f = f, .lwork = -1};
  dgelsy_(&im, &im, &one, &unread, &im, &unread, &im, &none, &RCOND, &rank, &want, &nt.lwork,
          &info);
  nt.lwork = (int)want > 4 * im ? (int)want : 4 * im; // the estimate of the condition wants 4 m
  double *block = pl_alloc(f->env, m * m + 3 * m + (size_t)nt.lwork, sizeof *block);
  nt.pivot = pl_alloc(f->env, 4 * m, sizeof *nt.pivot);
  pl_status s = block && nt.pivot ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK) {
    nt.J = block;
    nt.row = nt.pivot + 2 * m;
    nt.at = nt.row + m;
    nt.d = nt.J + m * m;
    nt.b = nt.d + m;
    nt.p0 = nt.b + m;
    nt.work = nt.p0 + m;
    s = iterate(&nt, goal);
  }
  pl_free(f->env, nt.pivot);
  pl_free(f->env, block);
  return s;
}
