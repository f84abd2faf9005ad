// Functions on a line that are smooth to the slope: cubics of value and slope at the nodes, and
// bubbles, Legendre polynomials integrated twice, inside the elements.
#include "validate_impl.h"

#include <string.h>

enum { POINTS_MAX = 16 };

// P_0..P_n, their first and second derivatives at t
static void legendre(int n, double t, double (*P)[3]) {
  memset(P, 0, (size_t)(n + 1) * sizeof *P);
  P[0][0] = 1;
  P[1][0] = t;
  P[1][1] = 1;
  for (int k = 1; k < n; k++) {
    P[k + 1][0] = ((2 * k + 1) * t * P[k][0] - k * P[k - 1][0]) / (k + 1);
    P[k + 1][1] = P[k - 1][1] + (2 * k + 1) * P[k][0];
    P[k + 1][2] = P[k - 1][2] + (2 * k + 1) * P[k][1];
  }
}

// functions of value and slope at both ends of [-1, 1], half the length h, and their derivatives
static void cubics(double t, double h, double (*f)[3]) {
  for (int end = 0; end < 2; end++) {
    double s = end ? 1 : -1, (*v)[3] = f + 2 * end, (*d)[3] = v + 1;
    (*v)[0] = 0.25 * (2 + s * t * (3 - t * t));
    (*v)[1] = 0.75 * s * (1 - t * t);
    (*v)[2] = -1.5 * s * t;
    (*d)[0] = 0.25 * h * (t * t - 1) * (t + s);
    (*d)[1] = 0.25 * h * (3 * t * t + 2 * s * t - 1);
    (*d)[2] = 0.25 * h * (6 * t + 2 * s);
  }
}

// all functions of an element at t: 4 cubics, then degree - 3 bubbles
static void element_at(int degree, double t, double h, double (*f)[3]) {
  double P[HERMITE_DEGREE_MAX + 2][3];
  cubics(t, h, f);
  legendre(degree, t, P);
  for (int k = 2; k <= degree - 2; k++)
    for (int d = 0; d < 3; d++)
      f[k + 2][d] = sqrt(2 * k + 1) / (2 * k + 1) *
                    ((P[k + 2][d] - P[k][d]) / (2 * k + 3) - (P[k][d] - P[k - 2][d]) / (2 * k - 1));
}

pl_status hermite_create(pl_arena *a, int nelem, const double *node, int degree, hermite *out) {
  int nbubble = degree - 3, npoint = degree + 3, nodal = 2 * (nelem + 1);
  double t[POINTS_MAX], w[POINTS_MAX], f[HERMITE_DEGREE_MAX + 1][3];
  *out = (hermite){.n = nodal + nelem * nbubble, .nq = nelem * npoint};
  size_t size = (size_t)out->nq * (size_t)out->n;
  out->x = pl_arena_alloc(a, (size_t)out->nq, sizeof(double));
  out->w = pl_arena_alloc(a, (size_t)out->nq, sizeof(double));
  for (int d = 0; d < 3; d++) out->B[d] = pl_arena_alloc(a, size, sizeof(double));
  if (!out->x || !out->w || !out->B[0] || !out->B[1] || !out->B[2]) return PL_E_NOMEM;
  for (int d = 0; d < 3; d++) memset(out->B[d], 0, size * sizeof(double));

  pl_gauss(npoint, t, w);
  for (int e = 0; e < nelem; e++) {
    double h = 0.5 * (node[e + 1] - node[e]), scale[3] = {1, 1 / h, 1 / (h * h)};
    for (int i = 0; i < npoint; i++) {
      int q = e * npoint + i;
      out->x[q] = node[e] + h * (1 + t[i]);
      out->w[q] = h * w[i];
      element_at(degree, t[i], h, f);
      for (int k = 0; k < 4 + nbubble; k++) {
        int col = k < 4 ? 2 * e + k : nodal + e * nbubble + k - 4;
        for (int d = 0; d < 3; d++) out->B[d][q * out->n + col] = scale[d] * f[k][d];
      }
    }
  }
  return PL_OK;
}

// x = 0 is the middle: even functions have no slope there, odd ones no value. The first function
// left becomes 1 or x on the whole line, so that what costs no bending stands alone.
pl_status hermite_parity(pl_arena *a, const hermite *h, int odd, hermite *out) {
  *out = *h;
  out->n = h->n - 1;
  for (int d = 0; d < 3; d++) {
    out->B[d] = pl_arena_alloc(a, (size_t)h->nq * (size_t)out->n, sizeof(double));
    if (!out->B[d]) return PL_E_NOMEM;
    for (int q = 0; q < h->nq; q++) {
      double *to = out->B[d] + q * out->n;
      const double *from = h->B[d] + q * h->n;
      to[0] = d == 0 ? (odd ? h->x[q] : 1) : d == 1 && odd ? 1 : 0;
      memcpy(to + 1, from + 2, (size_t)(h->n - 2) * sizeof(double));
    }
  }
  return PL_OK;
}

// M [f->n][g->n] = int f^(i) g^(j)
pl_status hermite_product(pl_arena *a, const hermite *f, int i, const hermite *g, int j,
                          double **M) {
  *M = pl_arena_alloc(a, (size_t)f->n * (size_t)g->n, sizeof(double));
  if (!*M) return PL_E_NOMEM;
  memset(*M, 0, (size_t)f->n * (size_t)g->n * sizeof(double));
  for (int q = 0; q < f->nq; q++)
    for (int k = 0; k < f->n; k++) {
      double v = f->w[q] * f->B[i][q * f->n + k];
      if (v != 0) pl_axpy(g->n, v, g->B[j] + q * g->n, *M + k * g->n, *M + k * g->n);
    }
  return PL_OK;
}
