#include "lanczos.h"
#include "lapack.h"

#include <string.h>

// ROWS: that one thread takes in products with the basis
#ifdef PL_SHARE_ALL
enum { BLOCK = 4, CHUNK = 256, ROWS = 32 };
#else
enum { BLOCK = 4, CHUNK = 256, ROWS = 2048 };
#endif

static const double one = 1, zero = 0, minus_one = -1;
static const int step = 1;

static pl_status allocate(pl_lanczos *z) {
  pl_env *env = z->env;
  size_t n = (size_t)z->n, most = (size_t)z->most, cap = (size_t)z->cap;
  z->lwork = 1 + 6 * z->most + 2 * z->most * z->most;
  z->liwork = 3 + 5 * z->most;
  z->V = pl_alloc(env, cap * n, sizeof *z->V);
  z->MV = pl_alloc(env, cap * n, sizeof *z->MV);
  z->H = pl_alloc(env, most * cap, sizeof *z->H);
  z->theta = pl_alloc(env, most, sizeof *z->theta);
  z->residual = pl_alloc(env, most, sizeof *z->residual);
  z->Y = pl_alloc(env, most * most, sizeof *z->Y);
  z->ahead = pl_alloc(env, BLOCK * n, sizeof *z->ahead);
  z->npart = (z->n + ROWS - 1) / ROWS;
  z->part = pl_alloc(env, (size_t)z->npart * cap, sizeof *z->part);
  z->w = pl_alloc(env, n, sizeof *z->w);
  z->Mw = pl_alloc(env, n, sizeof *z->Mw);
  z->h = pl_alloc(env, cap, sizeof *z->h);
  z->chunk = pl_alloc(env, (size_t)pl_threads_size(z->threads) * CHUNK * most, sizeof *z->chunk);
  z->work = pl_alloc(env, (size_t)z->lwork, sizeof *z->work);
  z->iwork = pl_alloc(env, (size_t)z->liwork, sizeof *z->iwork);
  if (z->V) pl_pages_clear(z->threads, z->V, cap * n);
  if (z->MV) pl_pages_clear(z->threads, z->MV, cap * n);
  return z->ahead && z->part && z->V && z->MV && z->H && z->theta && z->residual && z->Y && z->w &&
                 z->Mw && z->h && z->chunk && z->work && z->iwork
             ? PL_OK
             : PL_E_NOMEM;
}

pl_status pl_lanczos_create(pl_env *env, const pl_csc *M, int want, int nthread, pl_lanczos **out) {
  *out = NULL;
  if (want > 10000)
    return pl_fail(env, PL_E_ARG, "%d eigenpairs are too many: ask for fewer", want);
  pl_lanczos *z = pl_alloc(env, 1, sizeof *z);
  if (!z) return PL_E_NOMEM;
  z->env = env;
  z->M = M;
  z->n = M->n;
  z->want = want;
  z->most = want < M->n / 2 - 10 ? 2 * want + 20 : M->n;
  z->cap = z->most < M->n - BLOCK ? z->most + BLOCK : M->n;
  pl_rng_seed(&z->rng, 1);
  pl_status s = PL_OK;
  if (nthread > 1 && z->n > ROWS) s = pl_threads_create(env, nthread, &z->threads);
  if (s == PL_OK) s = pl_mul_create(env, M, &z->mul);
  if (s == PL_OK) s = allocate(z);
  if (s != PL_OK) {
    pl_lanczos_free(z);
    return s;
  }
  *out = z;
  return PL_OK;
}

void pl_lanczos_free(pl_lanczos *z) {
  if (!z) return;
  pl_threads_free(z->threads);
  pl_mul_free(z->mul);
  pl_free(z->env, z->ahead);
  pl_free(z->env, z->part);
  pl_free(z->env, z->V);
  pl_free(z->env, z->MV);
  pl_free(z->env, z->H);
  pl_free(z->env, z->theta);
  pl_free(z->env, z->residual);
  pl_free(z->env, z->Y);
  pl_free(z->env, z->w);
  pl_free(z->env, z->Mw);
  pl_free(z->env, z->h);
  pl_free(z->env, z->chunk);
  pl_free(z->env, z->work);
  pl_free(z->env, z->iwork);
  pl_free(z->env, z);
}

void pl_lanczos_mass(pl_lanczos *z, const double *x, double *y) {
  pl_mul_run(z->mul, z->threads, z->M, 1, x, 0, y);
}

static int rows_of(const pl_lanczos *z, int i) {
  return z->n - i * ROWS < ROWS ? z->n - i * ROWS : ROWS;
}

static void measure_rows(void *ctx, int i, int thread) {
  const pl_lanczos *z = ctx;
  int first = i * ROWS;
  (void)thread;
  z->part[(size_t)i * (size_t)z->cap] = pl_dot(rows_of(z, i), z->w + first, z->Mw + first);
}

// Mw = M w and the length of w; lengths that are only rounding count as zero
static double measure(pl_lanczos *z) {
  double s = 0;
  pl_lanczos_mass(z, z->w, z->Mw);
  pl_threads_run(z->threads, z->npart, measure_rows, z);
  for (int i = 0; i < z->npart; i++) s += z->part[(size_t)i * (size_t)z->cap];
  return s > 0 ? sqrt(s) : 0;
}

static void multiply_rows(void *ctx, int i, int thread) {
  const pl_lanczos *z = ctx;
  int rows = rows_of(z, i), k = z->filled, first = i * ROWS;
  (void)thread;
  dgemv_("T", &rows, &k, &one, z->MV + first, &z->n, z->w + first, &step, &zero,
         z->part + (size_t)i * (size_t)z->cap, &step, 1);
}

static void subtract_rows(void *ctx, int i, int thread) {
  const pl_lanczos *z = ctx;
  int rows = rows_of(z, i), k = z->filled, first = i * ROWS;
  (void)thread;
  dgemv_("N", &rows, &k, &minus_one, z->V + first, &z->n, z->h, &step, &one, z->w + first, &step,
         1);
}

// takes the part in the span of the basis out of w, adding the coefficients to h (may be NULL)
static void project_out(pl_lanczos *z, double *h) {
  int k = z->filled;
  if (k == 0) return;
  pl_threads_run(z->threads, z->npart, multiply_rows, z);
  memcpy(z->h, z->part, (size_t)k * sizeof *z->h);
  for (int c = 1; c < z->npart; c++)
    for (int i = 0; i < k; i++) z->h[i] += z->part[(size_t)c * (size_t)z->cap + (size_t)i];
  pl_threads_run(z->threads, z->npart, subtract_rows, z);
  for (int i = 0; h && i < k; i++) h[i] += z->h[i];
}

static void append_rows(void *ctx, int i, int thread) {
  const pl_lanczos *z = ctx;
  size_t at = (size_t)z->filled * (size_t)z->n;
  (void)thread;
  for (int k = i * ROWS; k < i * ROWS + rows_of(z, i); k++) {
    z->V[at + (size_t)k] = z->w[k] / z->len;
    z->MV[at + (size_t)k] = z->Mw[k] / z->len;
  }
}

// w / len becomes the last waiting vector; Mw fits w
static void append(pl_lanczos *z, double len) {
  z->len = len;
  pl_threads_run(z->threads, z->npart, append_rows, z);
  z->filled++;
}

static double mass_of(const pl_csc *M, int i) {
  int k = pl_csc_find(M, i, i);
  return k < 0 ? 0 : M->val[k];
}

pl_status pl_lanczos_add_random(pl_lanczos *z) {
  z->exhausted = z->filled < z->cap || z->cap == z->n; // unless one is found below
  if (z->filled == z->cap) return PL_OK;
  // light unknowns count as much as heavy ones, massless ones not at all
  for (int i = 0; i < z->n; i++) {
    double m = mass_of(z->M, i), r = pl_rng_uniform(&z->rng, -1, 1);
    if (m < 0)
      return pl_fail(z->env, PL_E_ARG,
                     "the mass matrix has a negative diagonal entry, %g in row %d", m, i);
    z->w[i] = m > 0 ? r / sqrt(m) : 0;
  }
  double before = measure(z), len = before;
  for (int pass = 0; pass < 3; pass++) {
    project_out(z, NULL);
    len = measure(z);
    if (!(len > 1e-6 * before)) return PL_OK; // nothing but rounding left
  }
  append(z, len);
  z->exhausted = 0;
  return PL_OK;
}

void pl_lanczos_reset(pl_lanczos *z, int keep) {
  if (keep > 0) pl_lanczos_restart(z, keep);
  z->done = 0;
  z->filled = keep;
  z->exhausted = 0;
}

// OP times the next vector into w; those that wait with it are done at the same time
static pl_status apply(pl_lanczos *z) {
  size_t n = (size_t)z->n;
  if (z->nahead == 0) {
    int count = z->filled - z->done, left = z->most - z->done;
    count = count < BLOCK ? count : BLOCK;
    count = count < left ? count : left;
    PL_TRY(pl_factor_solve(z->A, count, z->MV + (size_t)z->done * n,
                           z->ahead + (size_t)(BLOCK - count) * n));
    z->nahead = count;
    z->applied += count;
  }
  memcpy(z->w, z->ahead + (size_t)(BLOCK - z->nahead) * n, n * sizeof *z->w);
  z->nahead--;
  return PL_OK;
}

// column done of H and, unless it vanishes, one more waiting vector
static pl_status expand(pl_lanczos *z) {
  double *h = z->H + (size_t)z->done * (size_t)z->cap;
  memset(h, 0, (size_t)z->cap * sizeof *h);
  PL_TRY(apply(z));
  project_out(z, h);
  project_out(z, h);
  double size = pl_norm(z->filled, h), len = measure(z);
  if (len < 1e-8 * size) {
    project_out(z, h);
    len = measure(z);
  }
  if (len > 1e-13 * size && z->filled < z->cap) {
    h[z->filled] = len;
    append(z, len);
  }
  z->done++;
  return PL_OK;
}

// eigenpairs of the projected matrix, largest first, and the residuals of the Ritz pairs
static pl_status ritz(pl_lanczos *z) {
  int j = z->done, info = 0;
  if (j == 0) return PL_OK;
  double *T = z->Y; // [j][j]
  for (int a = 0; a < j; a++)
    for (int b = 0; b < j; b++) {
      double ab = z->H[(size_t)a * (size_t)z->cap + (size_t)b];
      double ba = z->H[(size_t)b * (size_t)z->cap + (size_t)a];
      T[(size_t)a * (size_t)j + (size_t)b] = -0.5 * (ab + ba); // ascending of -T: descending of T
    }
  dsyevd_("V", "L", &j, T, &j, z->theta, z->work, &z->lwork, z->iwork, &z->liwork, &info, 1, 1);
  if (info != 0) return pl_fail(z->env, PL_E_INTERNAL, "LAPACK dsyevd failed with code %d", info);
  for (int k = 0; k < j; k++) {
    const double *y = z->Y + (size_t)k * (size_t)j;
    z->theta[k] = -z->theta[k];
    double sum = 0;
    for (int r = j; r < z->filled; r++) {
      double d = 0;
      for (int c = 0; c < j; c++) d += z->H[(size_t)c * (size_t)z->cap + (size_t)r] * y[c];
      sum += d * d;
    }
    z->residual[k] = sqrt(sum);
  }
  return PL_OK;
}

pl_status pl_lanczos_run(pl_lanczos *z) {
  z->nahead = 0;
  while (z->filled < BLOCK && !z->exhausted && z->done == 0) PL_TRY(pl_lanczos_add_random(z));
  // a vector that finds no room would be missing from the residuals: stop before
  while (z->done < z->most && (z->filled < z->cap || z->cap == z->n)) {
    PL_TRY(pl_report_progress(z->env, "modes", -1, NULL));
    if (z->done == z->filled) {
      PL_TRY(pl_lanczos_add_random(z));
      if (z->exhausted) break;
    }
    PL_TRY(expand(z));
  }
  if (z->filled == z->done && z->filled == z->n) z->exhausted = 1;
  return ritz(z);
}

// B[:, 0..done-1] Y
typedef struct combination {
  pl_lanczos *z;
  const double *B;
  int count;
  double *out;
} combination;

static void combine_rows(void *ctx, int i, int thread) {
  const combination *a = ctx;
  const pl_lanczos *z = a->z;
  int n = z->n, j = z->done, first = i * CHUNK, rows = n - first < CHUNK ? n - first : CHUNK;
  int ld = CHUNK;
  double *chunk = z->chunk + (size_t)thread * CHUNK * (size_t)z->most;
  dgemm_("N", "N", &rows, &a->count, &j, &one, a->B + first, &n, z->Y, &j, &zero, chunk, &ld, 1, 1);
  for (int k = 0; k < a->count; k++)
    memcpy(a->out + (size_t)k * (size_t)n + first, chunk + (size_t)k * CHUNK,
           (size_t)rows * sizeof *chunk);
}

// out[:, 0..count-1] = B[:, 0..done-1] Y, rows in chunks; out may be B
static void combine(pl_lanczos *z, const double *B, int count, double *out) {
  combination a = {z, B, count, out};
  pl_threads_run(z->threads, (z->n + CHUNK - 1) / CHUNK, combine_rows, &a);
}

void pl_lanczos_vectors(pl_lanczos *z, int count, double *x) {
  combine(z, z->V, count, x);
}

void pl_lanczos_restart(pl_lanczos *z, int keep) {
  int j = z->done, waiting = z->filled - j;
  size_t n = (size_t)z->n, cap = (size_t)z->cap;
  combine(z, z->V, keep, z->V);
  combine(z, z->MV, keep, z->MV);
  memmove(z->V + (size_t)keep * n, z->V + (size_t)j * n, (size_t)waiting * n * sizeof *z->V);
  memmove(z->MV + (size_t)keep * n, z->MV + (size_t)j * n, (size_t)waiting * n * sizeof *z->MV);

  // H becomes diag(theta) over the coupling to the waiting vectors; Y serves as its scratch
  for (int k = 0; k < keep; k++) {
    double *y = z->Y + (size_t)k * (size_t)j;
    for (int r = 0; r < waiting; r++) {
      double d = 0;
      for (int c = 0; c < j; c++) d += z->H[(size_t)c * cap + (size_t)(j + r)] * y[c];
      z->h[r] = d;
    }
    memcpy(y, z->h, (size_t)waiting * sizeof *y);
  }
  for (int k = 0; k < keep; k++) {
    double *h = z->H + (size_t)k * cap;
    memset(h, 0, cap * sizeof *h);
    h[k] = z->theta[k];
    memcpy(h + keep, z->Y + (size_t)k * (size_t)j, (size_t)waiting * sizeof *h);
  }
  z->done = keep;
  z->filled = keep + waiting;
}
