// W = -weight A log(1 - G(E)): Green's strain E of a triangle in the axes of its material stays
// within a star-shaped set, G < 1; the weight goes to zero along a path.
#include "element_impl.h"

#include <string.h>

enum { WEIGHT, ANGLE };
static const pl_option strain_limit_par[] = {
    {.name = "weight",
     .value = 1e-6,
     .hi = 1e12,
     .unit = "J/m^2",
     .text = "of the barrier at the limit, per area"},
    {.name = "angle",
     .lo = -1e9,
     .hi = 1e9,
     .unit = "rad",
     .text = "from the first edge to the first axis of the material"},
};

static const pl_field_info strain_limit_fields[] = {
    {"limit", "", "how far Green's strain is on its way to the limit, 1: there"},
    {"limit_unbounded", "", "1: nothing holds the material there, whose limit is none"},
};

// rest: gradients of the hat functions in the frame of the first edge [3][2], area
static int prepare(const double *X, double *rest) {
  double e1[3], e2[3], n[3];
  pl_sub3(X + 3, X, e1);
  pl_sub3(X + 6, X, e2);
  pl_cross3(e1, e2, n);
  double l = pl_norm3(e1), two_area = pl_norm3(n), t = pl_dot3(e1, e2) / l;
  if (!(two_area > 0)) return 1;
  const double g[6] = {-1 / l, (t - l) / two_area, 1 / l, -t / two_area, 0, l / two_area};
  memcpy(rest, g, sizeof g);
  rest[6] = 0.5 * two_area;
  return 0;
}

// gradients in the axes of the material, and the strain there (xx, yy, xy)
static void strain(const double *q, const double *par, const double *rest, double g[3][2],
                   double F[2][3], double E[3]) {
  double c = cos(par[ANGLE]), s = sin(par[ANGLE]);
  memset(F, 0, 6 * sizeof(double));
  for (int a = 0; a < 3; a++) {
    g[a][0] = c * rest[2 * a] + s * rest[2 * a + 1];
    g[a][1] = c * rest[2 * a + 1] - s * rest[2 * a];
    for (int i = 0; i < 3; i++) {
      F[0][i] += q[3 * a + i] * g[a][0];
      F[1][i] += q[3 * a + i] * g[a][1];
    }
  }
  E[0] = (pl_dot3(F[0], F[0]) - 1) / 2;
  E[1] = (pl_dot3(F[1], F[1]) - 1) / 2;
  E[2] = pl_dot3(F[0], F[1]) / 2;
}

// forces by strain, and how they change with it: c dG / slack and c (ddG + dG dG' / slack) / slack
typedef struct barrier {
  double s[3], B[9];
} barrier;

static int look(const void *law, const double E[3], double c, double *energy, barrier *b) {
  double dG[3], G = pl_star_gauge(law, E, dG, b->B), slack = 1 - G;
  if (!(slack > 0)) return 1;
  if (energy) *energy = -c * log1p(-G);
  for (int e = 0; e < 3; e++) {
    b->s[e] = c * dG[e] / slack;
    for (int f = 0; f < 3; f++)
      b->B[3 * e + f] = c * (b->B[3 * e + f] + dG[e] * dG[f] / slack) / slack;
  }
  return 0;
}

// of the strain by places
static void slopes(double g[3][2], double F[2][3], double dE[3][9]) {
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 3; i++) {
      dE[0][3 * a + i] = g[a][0] * F[0][i];
      dE[1][3 * a + i] = g[a][1] * F[1][i];
      dE[2][3 * a + i] = (g[a][0] * F[1][i] + g[a][1] * F[0][i]) / 2;
    }
}

static void fill_hessian(const barrier *b, double g[3][2], double dE[3][9], double *hess) {
  double r[3][9];
  for (int e = 0; e < 3; e++)
    for (int k = 0; k < 9; k++) {
      r[e][k] = 0;
      for (int f = 0; f < 3; f++) r[e][k] += b->B[3 * e + f] * dE[f][k];
    }
  for (int k = 0; k < 9; k++)
    for (int l = k; l < 9; l++) {
      double *ga = g[k / 3], *gb = g[l / 3];
      double bend = b->s[0] * ga[0] * gb[0] + b->s[1] * ga[1] * gb[1] +
                    b->s[2] * (ga[0] * gb[1] + ga[1] * gb[0]) / 2;
      double h = dE[0][k] * r[0][l] + dE[1][k] * r[1][l] + dE[2][k] * r[2][l];
      hess[9 * k + l] = hess[9 * l + k] = h + (k % 3 == l % 3 ? bend : 0);
    }
}

static int eval_law(const void *law, const double *q, const double *par, const double *rest,
                    double *energy, double *grad, double *hess) {
  double g[3][2], F[2][3], E[3], dE[3][9];
  barrier b;
  strain(q, par, rest, g, F, E);
  if (look(law, E, par[WEIGHT] * rest[6], energy, &b)) return 1;
  if (!grad && !hess) return 0;
  slopes(g, F, dE);
  for (int k = 0; grad && k < 9; k++)
    grad[k] = b.s[0] * dE[0][k] + b.s[1] * dE[1][k] + b.s[2] * dE[2][k];
  if (hess) fill_hessian(&b, g, dE, hess);
  return 0;
}

// positive parts of what strains do, and of tension
static void convex_law(const void *law, const double *q, const double *par, const double *rest,
                       double *hess) {
  double g[3][2], F[2][3], E[3], dE[3][9];
  barrier b;
  strain(q, par, rest, g, F, E);
  if (look(law, E, par[WEIGHT] * rest[6], NULL, &b)) return;
  double S[9] = {b.s[0], b.s[2] / 2, 0, b.s[2] / 2, b.s[1], 0, 0, 0, 0};
  pl_positive3(S);
  pl_positive3(b.B);
  b.s[0] = S[0], b.s[1] = S[4], b.s[2] = 2 * S[1];
  slopes(g, F, dE);
  fill_hessian(&b, g, dE, hess);
}

static void field_law(const void *law, const double *q, const double *par, const double *rest,
                      double *value) {
  double g[3][2], F[2][3], E[3];
  strain(q, par, rest, g, F, E);
  value[0] = sqrt(pl_star_gauge(law, E, NULL, NULL));
  value[1] = pl_star_marked(law, E);
}

const pl_elem_kind pl_elem_strain_limit = {
    .name = "strain_limit",
    .text = "keeps Green's strain of a membrane triangle within a star-shaped set",
    .nvert = 3,
    .vdim = 3,
    .ndof = 9,
    .npar = 2,
    .nrest = 7,
    .par = strain_limit_par,
    .d = {.prepare = prepare},
    .eval_law = eval_law,
    .convex_law = convex_law,
    .nfield = 2,
    .field_info = strain_limit_fields,
    .field_law = field_law,
};
