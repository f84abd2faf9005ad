// LDL by MUMPS (sequential); also Cholesky and LU in builds without GPL code.
#include "sparse_impl.h"

#include <dmumps_c.h>
#include <string.h>

enum { COMM_WORLD = -987654 };                                     // MUMPS's name for it
enum { START = -1, END = -2, ANALYSE = 1, FACTOR = 2, SOLVE = 3 }; // jobs
enum { UNSYMMETRIC = 0, POSITIVE = 1, SYMMETRIC = 2 };

typedef struct mumps {
  DMUMPS_STRUC_C id;
  int started;
  int *irn, *jcn, *order; // [nnz] x2, indices from 1; [n] position in the elimination, or NULL
} mumps;

// MUMPS keeps state in Fortran modules: one call at a time in the whole process
static int call(mumps *m, int job) {
  m->id.job = job;
  pl_solver_lock();
  dmumps_c(&m->id);
  pl_solver_unlock();
  return m->id.infog[0];
}

static pl_status failed(pl_factor *f, int code) {
  mumps *m = f->state;
  if (code == -5 || code == -7 || code == -13 || code == -19)
    return pl_fail(f->env, PL_E_NOMEM, "out of memory in a factorisation of order %d", f->n);
  return pl_fail(f->env, PL_E_INTERNAL, "MUMPS failed with code %d (%d)", code, m->id.infog[1]);
}

// controls and results are numbered from 1 as in its manual
static void set(mumps *m, int k, int value) {
  m->id.icntl[k - 1] = value;
}

static int result(const mumps *m, int k) {
  return m->id.infog[k - 1];
}

static void set_controls(pl_factor *f) {
  mumps *m = f->state;
  for (int k = 1; k <= 3; k++) set(m, k, -1); // silent
  set(m, 4, 0);
  set(m, 6, 0); // no permutation by values: analysis sees the pattern only
  set(m, 7, 1); // the given order
  set(m, 8, f->kind == PL_CHOLESKY ? 1 : 7); // diagonal, or iterated row and column scaling
  set(m, 12, 1);
  set(m, 13, 1); // no parallel root: exact inertia
  set(m, 14, 30);
  set(m, 16, 1);                      // more threads, other bits
  set(m, 24, f->kind != PL_CHOLESKY); // find null pivots, smaller than
  m->id.cntl[2] = PL_SINGULAR_RCOND;
}

static pl_status allocate(pl_factor *f) {
  mumps *m = f->state;
  size_t nnz = (size_t)f->A.nnz;
  m->irn = pl_alloc(f->env, nnz, sizeof *m->irn);
  m->jcn = pl_alloc(f->env, nnz, sizeof *m->jcn);
  if (!m->irn || !m->jcn) return PL_E_NOMEM;
  for (int j = 0; j < f->n; j++)
    for (int k = f->A.ptr[j]; k < f->A.ptr[j + 1]; k++) {
      m->irn[k] = f->A.row[k] + 1;
      m->jcn[k] = j + 1;
    }
  return PL_OK;
}

// The same input must give the same bits, so MUMPS may not choose the order: it might take SCOTCH,
// which draws random numbers from a state of its own. It wants the place of each unknown, from 1.
static pl_status choose_order(pl_factor *f) {
  mumps *m = f->state;
  int *order = pl_alloc(f->env, (size_t)f->n, sizeof *order);
  m->order = pl_alloc(f->env, (size_t)f->n, sizeof *m->order);
  pl_status s = order && m->order ? pl_order_blocks(f->env, &f->A, f->block, order) : PL_E_NOMEM;
  for (int k = 0; s == PL_OK && k < f->n; k++) m->order[order[k]] = k + 1;
  pl_free(f->env, order);
  return s;
}

static pl_status analyse(pl_factor *f) {
  mumps *m = f->state = pl_alloc(f->env, 1, sizeof *m);
  if (!m) return PL_E_NOMEM;
  PL_TRY(allocate(f));
  PL_TRY(choose_order(f));
  m->id.par = 1;
  m->id.comm_fortran = COMM_WORLD;
  m->id.sym = f->kind == PL_LU ? UNSYMMETRIC : f->kind == PL_LDL ? SYMMETRIC : POSITIVE;
  int rc = call(m, START);
  if (rc < 0) return failed(f, rc);
  m->started = 1;
  set_controls(f);
  m->id.n = f->n;
  m->id.nnz = f->A.nnz;
  m->id.irn = m->irn;
  m->id.jcn = m->jcn;
  m->id.perm_in = m->order;
  rc = call(m, ANALYSE);
  return rc < 0 && rc != -6 ? failed(f, rc) : PL_OK;
}

static void release(pl_factor *f) {
  mumps *m = f->state;
  if (!m) return;
  if (m->started) call(m, END);
  pl_free(f->env, m->irn);
  pl_free(f->env, m->jcn);
  pl_free(f->env, m->order);
  pl_free(f->env, m);
}

static pl_status solve_in_place(pl_factor *f, int transposed, int nrhs, double *x) {
  mumps *m = f->state;
  set(m, 9, transposed ? 2 : 1);
  m->id.rhs = x;
  m->id.nrhs = nrhs;
  m->id.lrhs = f->n;
  int rc = call(m, SOLVE);
  return rc < 0 ? failed(f, rc) : PL_OK;
}

// repeats with more memory while the estimate of the analysis proves too small
static int factorise(mumps *m) {
  int rc = 0;
  for (int tries = 0; tries < 8; tries++) {
    rc = call(m, FACTOR);
    if (rc != -8 && rc != -9 && rc != -14 && rc != -15 && rc != -17 && rc != -20) break;
    m->id.icntl[13] *= 2;
  }
  return rc;
}

static void copy_inertia(pl_factor *f) {
  const mumps *m = f->state;
  f->info.nneg = result(m, 12);
  f->info.nzero = result(m, 28);
  f->info.npos = f->n - f->info.nneg - f->info.nzero;
}

static pl_status numeric(pl_factor *f) {
  mumps *m = f->state;
  m->id.a = f->A.val;
  int rc = factorise(m);
  if (rc == -10 || rc == -6 || rc == -40) return PL_SINGULAR;
  if (rc < 0) return failed(f, rc);
  int size = result(m, 29);
  f->info.flops = m->id.rinfog[2];
  f->info.nnz = size < 0 ? -1e6 * size : size;
  if (f->kind == PL_LDL) copy_inertia(f);
  int bad = f->kind == PL_CHOLESKY ? result(m, 12) : result(m, 28); // negative, or null pivots
  return bad > 0 ? PL_SINGULAR : PL_OK;
}

// noise pivots grow with the condition of what was eliminated before: look again, less strictly
static void count_zeros(pl_factor *f) {
  mumps *m = f->state;
  double strict = m->id.cntl[2];
  m->id.cntl[2] = PL_NOISE_PIVOT;
  int rc = factorise(m);
  m->id.cntl[2] = strict;
  if (rc >= 0) copy_inertia(f);
}

static pl_status solve(pl_factor *f, int transposed, int nrhs, const double *b, double *x) {
  if (x != b) memcpy(x, b, (size_t)nrhs * (size_t)f->n * sizeof *x);
  return solve_in_place(f, transposed, nrhs, x);
}

const pl_backend pl_backend_mumps = {
    .name = "mumps",
    .analyse = analyse,
    .free = release,
    .numeric = numeric,
    .count_zeros = count_zeros,
    .solve = solve,
};
