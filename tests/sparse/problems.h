#ifndef TESTS_SPARSE_PROBLEMS_H
#define TESTS_SPARSE_PROBLEMS_H

// Matrices with known properties for the tests of this folder.
#include "check.h"
#include "pliant/math.h"
#include "pliant/sparse.h"

#include <stdlib.h>
#include <string.h>

// A growing list of triplets; plain malloc, as it stands outside what is tested.
typedef struct trip {
  int n, cap;
  int *row, *col;
  double *val;
} trip;

static inline void trip_add(trip *t, int i, int j, double v) {
  if (t->n == t->cap) {
    t->cap = t->cap ? 2 * t->cap : 64;
    t->row = realloc(t->row, (size_t)t->cap * sizeof *t->row);
    t->col = realloc(t->col, (size_t)t->cap * sizeof *t->col);
    t->val = realloc(t->val, (size_t)t->cap * sizeof *t->val);
  }
  t->row[t->n] = i;
  t->col[t->n] = j;
  t->val[t->n++] = v;
}

// Builds the matrix and empties the list.
static inline pl_status trip_build(pl_env *env, trip *t, int n, int sym, pl_csc *out) {
  pl_status s = pl_csc_from_triplets(env, n, sym, t->n, t->row, t->col, t->val, out);
  free(t->row);
  free(t->col);
  free(t->val);
  *t = (trip){0};
  return s;
}

// A bar between scalar unknowns i and j (j < 0: ground), stored once for a symmetric matrix.
static inline void trip_bar(trip *t, int i, int j, double k) {
  trip_add(t, i, i, k);
  if (j < 0) return;
  trip_add(t, j, j, k);
  trip_add(t, i > j ? i : j, i > j ? j : i, -k);
}

// Grid Laplacian of m[0] x m[1] x m[2] points; walled: zero values beyond the grid (positive
// definite, eigenvalues sum_d 4 sin^2(pi k_d / (2 m_d + 2))), otherwise free (kernel: constants).
static inline pl_status grid_laplacian(pl_env *env, const int *m, int walled, pl_csc *out) {
  trip t = {0};
  for (int x = 0; x < m[0]; x++)
    for (int y = 0; y < m[1]; y++)
      for (int z = 0; z < m[2]; z++) {
        int at[3] = {x, y, z}, step[3] = {m[1] * m[2], m[2], 1};
        int i = x * step[0] + y * step[1] + z;
        trip_add(&t, i, i, 0);
        for (int d = 0; d < 3; d++) {
          if (at[d] + 1 < m[d]) trip_bar(&t, i, i + step[d], 1);
          if (!walled) continue;
          if (at[d] == 0) trip_bar(&t, i, -1, 1);
          if (at[d] + 1 == m[d]) trip_bar(&t, i, -1, 1);
        }
      }
  return trip_build(env, &t, m[0] * m[1] * m[2], 1, out);
}

// A space truss on a jittered grid with all neighbours within one cell joined, three unknowns a
// node. Free: exactly six rigid modes (stiff otherwise); held: the nodes of the first layer are
// tied to the ground by springs.
static inline pl_status truss(pl_env *env, const int *m, int held, double stiffness, pl_csc *out) {
  int nnode = m[0] * m[1] * m[2];
  double *X = malloc((size_t)nnode * 3 * sizeof *X);
  pl_rng r;
  pl_rng_seed(&r, 5);
  for (int i = 0; i < nnode; i++) {
    int at[3] = {i / (m[1] * m[2]), i / m[2] % m[1], i % m[2]};
    for (int d = 0; d < 3; d++) X[3 * i + d] = at[d] + pl_rng_uniform(&r, -0.2, 0.2);
  }
  trip t = {0};
  for (int i = 0; i < nnode; i++) {
    for (int j = 0; j < i; j++) {
      double e[3];
      pl_sub3(X + 3 * i, X + 3 * j, e);
      int di = i / (m[1] * m[2]) - j / (m[1] * m[2]), dj = i / m[2] % m[1] - j / m[2] % m[1],
          dk = i % m[2] - j % m[2];
      if (abs(di) > 1 || abs(dj) > 1 || abs(dk) > 1) continue;
      // k = stiffness/length e e'/length^2 on (i,i), (j,j), and minus that on (i,j)
      double len = pl_norm3(e), k = stiffness / (len * len * len);
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
          if (b <= a) trip_add(&t, 3 * i + a, 3 * i + b, k * e[a] * e[b]);
          if (b <= a) trip_add(&t, 3 * j + a, 3 * j + b, k * e[a] * e[b]);
          trip_add(&t, 3 * i + a, 3 * j + b, -k * e[a] * e[b]);
        }
    }
    if (held && i < m[1] * m[2])
      for (int a = 0; a < 3; a++) trip_add(&t, 3 * i + a, 3 * i + a, stiffness);
  }
  free(X);
  return trip_build(env, &t, 3 * nnode, 1, out);
}

// A random sparse matrix: about fill entries a row besides the diagonal; diag is added to it.
static inline pl_status random_sparse(pl_env *env, pl_rng *r, int n, int sym, int fill, double diag,
                                      pl_csc *out) {
  trip t = {0};
  for (int i = 0; i < n; i++) {
    trip_add(&t, i, i, diag + pl_rng_uniform(r, -1, 1));
    for (int k = 0; k < fill; k++) {
      int j = (int)pl_rng_uniform(r, 0, n);
      if (j != i) trip_add(&t, i, j, pl_rng_uniform(r, -1, 1));
    }
  }
  return trip_build(env, &t, n, sym, out);
}

// The matrix as a dense array by columns; the caller frees it.
static inline double *dense_of(const pl_csc *A) {
  size_t n = (size_t)A->n;
  double *D = calloc(n * n + 1, sizeof *D);
  for (int j = 0; j < A->n; j++)
    for (int k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
      size_t i = (size_t)A->row[k];
      D[(size_t)j * n + i] = A->val[k];
      if (A->sym) D[i * n + (size_t)j] = A->val[k];
    }
  return D;
}

static inline double *random_vector(pl_rng *r, int n) {
  double *v = malloc(((size_t)n + 1) * sizeof *v);
  for (int i = 0; i < n; i++) v[i] = pl_rng_uniform(r, -1, 1);
  return v;
}

static inline int count_down(void *ctx, const pl_progress *p) {
  (void)p;
  return --*(int *)ctx < 0;
}

static inline pl_status numeric(pl_factor *f, const pl_csc *A, const pl_blocks *B) {
  return B ? pl_factor_numeric_blocks(f, B) : pl_factor_numeric(f, A);
}

// A long factorisation asks on its way whether to go on, at its beginning and near its end. Of A,
// or of B unless that is NULL.
static inline void check_stops(pl_env *env, pl_factor_kind kind, const pl_csc *A, int block,
                               const pl_blocks *B) {
  enum { MOST = 1000000 };
  for (int nthread = 1; nthread <= 2; nthread++) {
    pl_factor *f;
    int left = MOST;
    check_ok(env, B ? pl_factor_create_blocks(env, B, nthread, &f)
                    : pl_factor_create(env, kind, A, block, nthread, &f));
    env->progress_ctx = &left;
    env->progress = count_down;
    check_ok(env, numeric(f, A, B));
    assert_true(pl_factor_stats(f).flops > 1e9);
    int asked = MOST - left;
    // with more threads, and one becomes more under the thread sanitizer, only those parts are
    // counted that the caller's own one does
    int alone = nthread == 1 && !getenv("PLIANT_TEST_THREADS");
    if (alone) assert_true(asked > 50);
    for (int late = 0; late <= alone; late++) {
      left = late ? asked - 2 : 0;
      check_status(env, numeric(f, A, B), PL_CANCELLED);
    }
    env->progress = NULL;
    check_ok(env, numeric(f, A, B));
    pl_factor_free(f);
  }
}

#endif
