#ifndef PLIANT_VALIDATE_IMPL_H
#define PLIANT_VALIDATE_IMPL_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/sparse.h"
#include "pliant/validate.h"

// ---- initial value problems -------------------------------------------------------------------

enum { ODE_MAX = 12 };

// y' = f(t, y) by extrapolated midpoint steps of order 10, forwards in t.
typedef struct ode {
  int n, lead; // unknowns, at most ODE_MAX; the first `lead` of them decide the step
  void (*f)(const void *ctx, double t, const double *y, double *dy);
  const void *ctx;
  double tol;     // error of a step over the size of the lead
  double h, hmax; // next step to try, longest one
} ode;

// One accepted step towards end; *t lands on end exactly. PL_DOMAIN: no step is short enough.
pl_status ode_step(ode *o, double end, double *t, double *y);
// From t to end.
pl_status ode_run(ode *o, double end, double *t, double *y);

// ---- roots ------------------------------------------------------------------------------------

typedef pl_status (*root_fn)(void *ctx, double x, double *f);

// A root of f between a and b, where f has the values fa and fb of different sign, to tol in x.
pl_status root_between(root_fn f, void *ctx, double a, double fa, double b, double fb, double tol,
                       double *x);

// ---- elliptic integrals -----------------------------------------------------------------------

// F(phi, k), and D(phi, k) = int_0^phi sin^2 / sqrt(1 - k^2 sin^2) = (F - E) / k^2, by Carlson's
// forms; s = sin phi in [0, 1], k in [0, 1).
void elliptic(double s, double k, double *F, double *D);

// ---- bend-twist -------------------------------------------------------------------------------

// The planar equilibrium of a rod of phi radians (lengths in radii of its natural circle) hanging
// with weight g = Gamma / phi^3 a length, and its stability out of the plane.
typedef struct curl {
  double nu, phi, g;
  double log_k;  // logarithm of the curvature at the clamp
  double tip;    // angle of the tip's tangent to the vertical (rad)
  int nneg;      // negative eigenvalues of the second variation
  double margin; // angle in (-inf, pi/2), positive: stable, zero on the frontier; continuous
} curl;

// Fills log_k and tip from phi and g. guess: a log_k of a state nearby, or NaN.
pl_status curl_solve(pl_env *env, double guess, curl *c);
// Fills nneg and margin of the second variation less shift times the square of the rotation.
pl_status curl_stability(pl_env *env, double shift, curl *c);

// ---- functions on a line ----------------------------------------------------------------------

enum { HERMITE_DEGREE_MAX = 12 };

// Piecewise polynomials with continuous slope at the points of a quadrature; in an arena.
typedef struct hermite {
  int n, nq;     // functions (value and slope at each node, then bubbles), points
  double *x, *w; // [nq] points and weights
  double *B[3];  // [nq][n] values, first and second derivatives
} hermite;

pl_status hermite_create(pl_arena *a, int nelem, const double *node, int degree, hermite *out);
pl_status hermite_parity(pl_arena *a, const hermite *h, int odd, hermite *out);
pl_status hermite_product(pl_arena *a, const hermite *f, int i, const hermite *g, int j,
                          double **M);

#endif
