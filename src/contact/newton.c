// Newton's method on the function of Alart and Curnier, whose zeros obey Coulomb's law:
//   y = p - rho u;  F_N = p_N - max(0, y_N),  F_T = p_T - proj(y_T, disc of radius mu max(0, y_N)).
#include "contact_impl.h"

#include <string.h>

// Fortran LAPACK: everything by address
void dgelsy_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b,
             const int *ldb, int *jpvt, const double *rcond, int *rank, double *work,
             const int *lwork, int *info);

static const double RCOND = 1e-13;   // columns of J below are taken as dependent
static const double SHORTEST = 1e-6; // step of the line search
static const double TELL = 0.05;     // s between calls of progress

typedef struct newton {
  friction *f;
  double *J, *d; // [m][m] by columns, [m]
  double *p0;    // [m] start of a line search
  int *pivot;    // [m]
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

// rows of dF/dp = A + B W for contact k
static void jacobian_rows(newton *nt, int k) {
  const friction *f = nt->f;
  contact_state a = friction_state(f, k, f->p, f->u);
  int m = f->m, at = k * f->size;
  double rn = f->rho[2 * k], rt = f->rho[2 * k + 1], keep = a.size > 0 ? a.radius / a.size : 0;
  const double *W = f->W + (size_t)at * m;
  for (int i = 0; i < f->size; i++)
    for (int j = 0; j < m; j++) {
      double v = 0, same = j == at + i;
      if (a.status == PL_OPEN)
        v = same;
      else if (i == 0 || a.status == PL_STICK)
        v = (i == 0 ? rn : rt) * W[(size_t)i * m + j];
      else {
        // dp_T - mu e dy_N - r/|y_T| (1 - e e') dy_T
        double dyn = (j == at) - rn * W[j], along = 0;
        for (int l = 1; l < f->size; l++)
          along += a.e[l - 1] * ((j == at + l) - rt * W[(size_t)l * m + j]);
        double dyt = same - rt * W[(size_t)i * m + j];
        v = same - f->mu[k] * a.e[i - 1] * dyn - keep * (dyt - a.e[i - 1] * along);
      }
      nt->J[(size_t)j * m + at + i] = v;
    }
}

// d = -J^+ F: the shortest of all least-squares steps, as J is singular when W is
static int direction(newton *nt) {
  int m = nt->f->m, one = 1, rank, info;
  for (int k = 0; k < nt->f->n; k++) jacobian_rows(nt, k);
  for (int i = 0; i < m; i++) nt->d[i] = -nt->f->F[i];
  memset(nt->pivot, 0, (size_t)m * sizeof *nt->pivot);
  dgelsy_(&m, &m, &one, nt->J, &m, nt->d, &m, nt->pivot, &RCOND, &rank, nt->work, &nt->lwork,
          &info);
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
  nt.lwork = (int)want;
  double *block = pl_alloc(f->env, m * m + 2 * m + (size_t)nt.lwork, sizeof *block);
  nt.pivot = pl_alloc(f->env, m, sizeof *nt.pivot);
  pl_status s = block && nt.pivot ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK) {
    nt.J = block;
    nt.d = nt.J + m * m;
    nt.p0 = nt.d + m;
    nt.work = nt.p0 + m;
    s = iterate(&nt, goal);
  }
  pl_free(f->env, nt.pivot);
  pl_free(f->env, block);
  return s;
}
