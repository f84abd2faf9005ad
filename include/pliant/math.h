#ifndef PLIANT_MATH_H
#define PLIANT_MATH_H

#include "pliant/base.h"
#include "pliant/linkage.h"

#include <math.h>

PL_DECLS_BEGIN

#define PL_PI 3.14159265358979323846

// ---- vectors of three -------------------------------------------------------------------------

// inlined always: functions built for several processors would call a copy built for none of them
#define PL_INLINE static inline __attribute__((always_inline))

PL_INLINE double pl_dot3(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
PL_INLINE void pl_cross3(const double *a, const double *b, double *c) {
  double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2],
         z = a[0] * b[1] - a[1] * b[0];
  c[0] = x;
  c[1] = y;
  c[2] = z;
}
PL_INLINE void pl_sub3(const double *a, const double *b, double *c) {
  c[0] = a[0] - b[0];
  c[1] = a[1] - b[1];
  c[2] = a[2] - b[2];
}
PL_INLINE double pl_norm3(const double *a) {
  return sqrt(pl_dot3(a, a));
}
// y = A x, 3x3 by rows; y may be x
PL_INLINE void pl_apply3(const double *A, const double *x, double *y) {
  double a = pl_dot3(A, x), b = pl_dot3(A + 3, x), c = pl_dot3(A + 6, x);
  y[0] = a;
  y[1] = b;
  y[2] = c;
}

// ---- vectors of n -----------------------------------------------------------------------------

double pl_dot(int n, const double *x, const double *y);
double pl_norm(int n, const double *x);
double pl_max_abs(int n, const double *x);
void pl_axpy(int n, double a, const double *x, const double *y, double *z); // z = y + a x
int pl_all_finite(int n, const double *x);

// ---- small matrices, row-major ----------------------------------------------------------------

double pl_det3(const double *A);
void pl_mul3(const double *A, const double *B, double *C); // C = A B, 3x3; C is neither A nor B
void pl_inv3(const double *A, double *B);                  // undefined for singular A
void pl_rotation3(const double *axis, double angle, double *R); // axis need not be unit; 0: R = I
// A = U diag(s) V': U, V rotations (det +1), s sorted by size; s[2] carries the sign of det A.
void pl_svd3(const double *A, double *U, double *s, double *V);
// 3x2 A = U diag(s) V': U [3][2] orthonormal columns, s[0] >= s[1] >= 0, V 2x2 orthogonal.
void pl_svd32(const double *A, double *U, double *s, double *V);
// A = R S: R the closest rotation; S symmetric.
void pl_polar3(const double *A, double *R, double *S);
// Symmetric 3x3: eigenvalues ascending, eigenvectors in the columns of V.
void pl_eig3(const double *A, double *lambda, double *V);

// ---- small dense systems and statistics -------------------------------------------------------

// Cholesky factor of A[n][n] in place (lower triangle); returns the smallest pivot, <= 0: none.
double pl_cholesky(int n, double *A);
// x[n] = A^-1 x with the factor.
void pl_cholesky_solve(int n, const double *C, double *x);
// Eigenvalues, ascending, and eigenvectors (rows of V[n][n]) of a symmetric A[n][n], which is lost.
void pl_eig(int n, double *A, double *lambda, double *V);
// The value that Student's t with so many degrees of freedom (> 0) stays below with probability p,
// 0 < p < 1.
double pl_student(double p, double freedom);

// ---- star-shaped sets ---------------------------------------------------------------------------

// All within a closed surface of triangles v[nface][3] with corners p[n][3], outwards by the right
// hand, that every ray from the centre meets once. PL_E_INPUT: it is not such a surface, and where.
typedef struct pl_star pl_star;
pl_status pl_star_create(pl_env *env, int n, const double (*p)[3], int nface, const int (*v)[3],
                         const double centre[3], pl_star **out);
void pl_star_free(pl_star *s);
// The square of how far x is from the centre over how far the set goes in its direction: below 1
// inside, homogeneous of degree 2 about the centre. Twice differentiable but for the centre itself:
// triangles blend near their edges. grad[3] and hess[3][3] may be NULL.
double pl_star_gauge(const pl_star *s, const double x[3], double *grad, double *hess);
// What that lets go beyond the triangles at most, as a part of the distance from the centre.
double pl_star_excess(const pl_star *s);
// Marks corners, mark[n], of the triangles v[nface][3] that the set was made of; is the corner that
// weighs most in the direction of x marked?
void pl_star_mark(pl_star *s, const int (*v)[3], const int *mark);
int pl_star_marked(const pl_star *s, const double x[3]);

// ---- quaternions (w, x, y, z) -----------------------------------------------------------------

// An axis need not be unit, and a quaternion is normalised where it rotates.
void pl_quat_from_axis(const double *axis, double angle, double *q);
void pl_quat_mul(const double *a, const double *b, double *c);
void pl_quat_rotate(const double *q, const double *v, double *w);
void pl_quat_to_mat(const double *q, double *R);

// ---- sets that grow together --------------------------------------------------------------------

// up[i] = i at first: each is a set of its own. The root of a set is its smallest member.
int pl_root(int *up, int i);
void pl_unite(int *up, int a, int b);

// ---- random, the same everywhere --------------------------------------------------------------

typedef struct pl_rng {
  unsigned long long s[2];
} pl_rng;
void pl_rng_seed(pl_rng *r, unsigned long long seed);
double pl_rng_uniform(pl_rng *r, double lo, double hi);
double pl_rng_normal(pl_rng *r);

// ---- quadrature -------------------------------------------------------------------------------

// Gauss-Legendre on [-1, 1], x[n] and w[n]; without points (n < 1) nothing is written.
void pl_gauss(int n, double *x, double *w);

PL_DECLS_END

#endif
