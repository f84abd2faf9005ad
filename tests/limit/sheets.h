#ifndef LIMIT_SHEETS_H
#define LIMIT_SHEETS_H

// Sheets and states to project, and what is checked about them without the library's own measures.
#include "check.h"
#include "pliant/limit.h"
#include "pliant/math.h"

#include <stdlib.h>
#include <string.h>

typedef struct cloth {
  int nvert, ntri, *tri, *fixed, *limit_of;
  double *X, *rest, *weight; // [nvert][3] at rest, [ntri][3][2], [nvert]
  double *xhat, *x;          // [nvert][3]
} cloth;

static inline void cloth_open(cloth *k, int nvert, int ntri) {
  *k = (cloth){.nvert = nvert, .ntri = ntri};
  size_t n = (size_t)nvert, m = (size_t)ntri;
  k->tri = calloc(3 * m, sizeof(int));
  k->limit_of = calloc(m, sizeof(int));
  k->rest = calloc(6 * m, sizeof(double));
  k->fixed = calloc(n, sizeof(int));
  k->weight = calloc(n, sizeof(double));
  k->X = calloc(3 * n, sizeof(double));
  k->xhat = calloc(3 * n, sizeof(double));
  k->x = calloc(3 * n, sizeof(double));
  for (int i = 0; i < nvert; i++) k->weight[i] = 1;
}

static inline void cloth_close(cloth *k) {
  free(k->tri);
  free(k->limit_of);
  free(k->rest);
  free(k->fixed);
  free(k->weight);
  free(k->X);
  free(k->xhat);
  free(k->x);
}

// rest from X, whose first two coordinates are the axes of the material; x and xhat start there
static inline void cloth_rest(cloth *k) {
  for (int i = 0; i < 3 * k->ntri; i++)
    for (int c = 0; c < 2; c++) k->rest[2 * i + c] = k->X[3 * k->tri[i] + c];
  memcpy(k->xhat, k->X, 3 * (size_t)k->nvert * sizeof *k->X);
  memcpy(k->x, k->X, 3 * (size_t)k->nvert * sizeof *k->X);
}

// nx by ny cells of two triangles with alternating diagonals, in the plane z = 0
static inline void cloth_grid(cloth *k, int nx, int ny, double lx, double ly) {
  cloth_open(k, (nx + 1) * (ny + 1), 2 * nx * ny);
  for (int j = 0; j <= ny; j++)
    for (int i = 0; i <= nx; i++) {
      double *X = k->X + 3 * (j * (nx + 1) + i);
      X[0] = lx * i / nx;
      X[1] = ly * j / ny;
    }
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      int a = j * (nx + 1) + i, b = a + 1, d = a + nx + 1, c = d + 1,
          *t = k->tri + 6 * (j * nx + i);
      const int v[2][6] = {{a, b, c, a, c, d}, {a, b, d, b, c, d}};
      memcpy(t, v[(i + j) % 2], sizeof v[0]);
    }
  cloth_rest(k);
}

// masses of a third of the triangles' areas, in kg at 0.1 kg/m^2
static inline void cloth_mass(cloth *k) {
  for (int i = 0; i < k->nvert; i++) k->weight[i] = 0;
  for (int t = 0; t < k->ntri; t++) {
    const double *r = k->rest + 6 * t;
    double area = fabs((r[2] - r[0]) * (r[5] - r[1]) - (r[3] - r[1]) * (r[4] - r[0])) / 2;
    for (int a = 0; a < 3; a++) k->weight[k->tri[3 * t + a]] += 0.1 * area / 3;
  }
}

static inline pl_sheet_desc cloth_desc(const cloth *k, int nlimit, const pl_limit *limit) {
  return (pl_sheet_desc){.nvert = k->nvert,
                         .ntri = k->ntri,
                         .tri = k->tri,
                         .rest = k->rest,
                         .weight = k->weight,
                         .fixed = k->fixed,
                         .nlimit = nlimit,
                         .limit = limit,
                         .limit_of = k->limit_of};
}

static inline pl_sheet *cloth_sheet(pl_env *env, const cloth *k, int nlimit,
                                    const pl_limit *limit) {
  pl_sheet_desc d = cloth_desc(k, nlimit, limit);
  pl_sheet *s;
  check_ok(env, pl_sheet_create(env, &d, 1, &s));
  return s;
}

// F[3][2] of triangle t by solving F E = e for the edges
static inline void cloth_gradient(const cloth *k, int t, const double *x, double F[6]) {
  const double *r = k->rest + 6 * t;
  const int *v = k->tri + 3 * t;
  double a = r[2] - r[0], b = r[4] - r[0], c = r[3] - r[1], d = r[5] - r[1], det = a * d - b * c;
  for (int i = 0; i < 3; i++) {
    double p = x[3 * v[1] + i] - x[3 * v[0] + i], q = x[3 * v[2] + i] - x[3 * v[0] + i];
    F[2 * i] = (p * d - q * c) / det;
    F[2 * i + 1] = (q * a - p * b) / det;
  }
}

static inline double stretch_along(const double F[6], double angle) {
  double c = cos(angle), s = sin(angle), sum = 0;
  for (int i = 0; i < 3; i++) {
    double y = F[2 * i] * c + F[2 * i + 1] * s;
    sum += y * y;
  }
  return sqrt(sum);
}

// the largest stretch over limit less one: ellipses in 360 directions, samples in their own
static inline double cloth_violation(const cloth *k, const pl_limit *limit, const double *x) {
  double most = 0;
  for (int t = 0; t < k->ntri; t++) {
    double F[6];
    if (k->limit_of[t] < 0) continue;
    const pl_limit *l = &limit[k->limit_of[t]];
    cloth_gradient(k, t, x, F);
    for (int i = 0; i < 360 && l->nellipse > 0; i++) {
      double a = PL_PI * i / 360, c = cos(a), s = sin(a), y = stretch_along(F, a);
      for (int e = 0; e < l->nellipse; e++) {
        const double *B = l->B[e];
        most = fmax(most, y / sqrt(B[0] * c * c + B[1] * s * s + 2 * B[2] * c * s));
      }
    }
    for (int i = 0; i < l->ndirection; i++)
      most = fmax(most, stretch_along(F, l->angle[i]) / l->bound[i]);
  }
  return most - 1;
}

// sqrt(sum w |x - y|^2)
static inline double cloth_distance(const cloth *k, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < 3 * k->nvert; i++) sum += k->weight[i / 3] * (x[i] - y[i]) * (x[i] - y[i]);
  return sqrt(sum);
}

// xhat: a smooth map with singular values up to `stretch` at random, and noise on top of it
static inline void cloth_overstretch(cloth *k, pl_rng *r, double stretch, double noise) {
  double A[9], wave[3][3], lx = 0;
  for (int i = 0; i < 9; i++) A[i] = pl_rng_normal(r);
  double U[9], s[3], V[9];
  pl_svd3(A, U, s, V);
  double size[3] = {stretch, pl_rng_uniform(r, 0.2, stretch), pl_rng_uniform(r, 0.2, 1)};
  for (int i = 0; i < 9; i++) {
    A[i] = 0;
    for (int c = 0; c < 3; c++) A[i] += U[3 * (i / 3) + c] * size[c] * V[3 * (i % 3) + c];
    wave[i / 3][i % 3] = pl_rng_normal(r);
  }
  for (int i = 0; i < k->nvert; i++) lx = fmax(lx, k->X[3 * i]);
  for (int i = 0; i < k->nvert; i++) {
    const double *X = k->X + 3 * i;
    for (int c = 0; c < 3; c++)
      k->xhat[3 * i + c] = pl_dot3(A + 3 * c, X) +
                           0.1 * lx * sin(6 / lx * (wave[c][0] * X[0] + wave[c][1] * X[1])) +
                           noise * pl_rng_normal(r);
  }
}

static inline pl_project_opts project_defaults(void) {
  pl_project_opts o;
  pl_opts_default(pl_project_option_table, pl_project_option_count, &o);
  return o;
}

#endif
