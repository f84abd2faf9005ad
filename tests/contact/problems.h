#ifndef CONTACT_PROBLEMS_H
#define CONTACT_PROBLEMS_H

// Random problems of Coulomb friction, and an independent check of their solutions.
#include "check.h"
#include "pliant/contact.h"
#include "pliant/math.h"

#include <stdlib.h>
#include <string.h>

typedef struct problem {
  int n, size, m;
  double *W, *c, *mu, *p, *u;
  pl_contact_status *status;
} problem;

static inline void problem_open(problem *q, int n, int size) {
  size_t m = (size_t)(n * size);
  *q = (problem){.n = n, .size = size, .m = (int)m};
  q->W = calloc(m * m + 1, sizeof(double));
  q->c = calloc(m + 1, sizeof(double));
  q->p = calloc(m + 1, sizeof(double));
  q->u = calloc(m + 1, sizeof(double));
  q->mu = calloc((size_t)n + 1, sizeof(double));
  q->status = calloc((size_t)n + 1, sizeof *q->status);
}

static inline void problem_close(problem *q) {
  free(q->W);
  free(q->c);
  free(q->p);
  free(q->u);
  free(q->mu);
  free(q->status);
}

static inline pl_friction_desc problem_desc(const problem *q) {
  return (pl_friction_desc){.n = q->n, .size = q->size, .W = q->W, .c = q->c, .mu = q->mu};
}

static inline pl_friction_opts friction_defaults(void) {
  pl_friction_opts o;
  pl_opts_default(pl_friction_option_table, pl_friction_option_count, &o);
  return o;
}

// W = G' G/rank-ish with ndof rows of random numbers, c = G' v: singular when m > ndof, and c in
// the range of W, so that a solution exists
static inline void problem_random(problem *q, pl_rng *r, int n, int size, int ndof, double mu) {
  problem_open(q, n, size);
  int m = q->m;
  double *G = calloc((size_t)(ndof * m), sizeof *G), *v = calloc((size_t)ndof, sizeof *v);
  for (int i = 0; i < ndof * m; i++) G[i] = pl_rng_normal(r);
  for (int i = 0; i < ndof; i++) v[i] = pl_rng_normal(r);
  for (int a = 0; a < ndof; a++)
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < m; j++) q->W[i * m + j] += G[a * m + i] * G[a * m + j] / ndof;
      q->c[i] += G[a * m + i] * v[a];
    }
  for (int k = 0; k < n; k++) q->mu[k] = mu >= 0 ? mu : pl_rng_uniform(r, 0, 1.5);
  free(G);
  free(v);
}

// A rigid block of mass 1 and sides 2 a on a plane, n points of its face: W = G' M^-1 G has rank 6,
// c = G' v of a velocity v[6] (linear, angular about the centre).
static inline void problem_block(problem *q, int n, double (*x)[2], const double a[3],
                                 const double v[6], double mu) {
  problem_open(q, n, 3);
  int m = q->m;
  const double inertia[3] = {(a[1] * a[1] + a[2] * a[2]) / 3, (a[0] * a[0] + a[2] * a[2]) / 3,
                             (a[0] * a[0] + a[1] * a[1]) / 3};
  double *G = calloc((size_t)(6 * m), sizeof *G);
  for (int k = 0; k < n; k++) {
    const double arm[3] = {x[k][0], x[k][1], -a[2]};
    static const double dir[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    for (int i = 0; i < 3; i++) {
      double rotation[3];
      pl_cross3(arm, dir[i], rotation);
      for (int l = 0; l < 3; l++) {
        G[l * m + 3 * k + i] = dir[i][l];
        G[(3 + l) * m + 3 * k + i] = rotation[l];
      }
    }
    q->mu[k] = mu;
  }
  for (int l = 0; l < 6; l++)
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < m; j++)
        q->W[i * m + j] += G[l * m + i] * G[l * m + j] / (l < 3 ? 1 : inertia[l - 3]);
      q->c[i] += G[l * m + i] * v[l];
    }
  free(G);
}

// The law itself, contact by contact, not by way of a projection. tol: of u over the largest |c|,
// and of p over the largest |p|.
static inline void check_law(const problem *q, double tol) {
  double cu = pl_max_abs(q->m, q->c), cp = pl_max_abs(q->m, q->p);
  for (int i = 0; i < q->m; i++)
    check_close(q->u[i], q->c[i] + pl_dot(q->m, q->W + i * q->m, q->p), 1e-13 * (cu + cp));
  for (int k = 0; k < q->n; k++) {
    const double *p = q->p + k * q->size, *u = q->u + k * q->size;
    double pt = pl_norm(q->size - 1, p + 1), ut = pl_norm(q->size - 1, u + 1), dot = 0;
    for (int i = 1; i < q->size; i++) dot += p[i] * u[i];
    check_less(-p[0], 1e-15 * cp + 1e-300);
    check_less(-u[0], tol * cu + 1e-300);
    check_less(fmin(p[0] / (cp + 1e-300), u[0] / (cu + 1e-300)), tol);
    check_less(pt, q->mu[k] * p[0] * (1 + 1e-12) + tol * cp + 1e-300);
    // sliding: the largest friction, against the motion: p_T.u_T = -mu p_N |u_T|
    if (ut > 10 * tol * cu)
      check_less(dot + q->mu[k] * p[0] * ut, 20 * tol * cp * fmax(ut, cu) + 1e-300);
  }
}

#endif
