#ifndef HYPER_FIT_H
#define HYPER_FIT_H

// Constants of hyperelastic laws from tests of what does not change its volume.

typedef enum hyper_kind { HYPER_UNIAXIAL, HYPER_BIAXIAL, HYPER_PLANAR, HYPER_KINDS } hyper_kind;
enum { HYPER_MASK_MOONEY = 3, HYPER_MASK_YEOH = 37, HYPER_MASK_ALL = 63 };

typedef struct hyper_test {
  hyper_kind kind;
  int n;
  const double *stretch, *stress; // [n] along the first direction; force over area at rest, Pa
} hyper_test;

typedef struct hyper_fit {
  double c[6]; // c10 c01 c20 c11 c02 c30, or mu alpha of Ogden's terms
  double rms;  // of stress less that of the law, Pa
  double most; // largest stress of the tests, Pa
} hyper_fit;

// Nominal stress of a test at a stretch. ogden: constants are mu alpha, with 2 mu/alpha^2.
double hyper_stress(int ogden, const double c[6], hyper_kind kind, double stretch);
// Least squares of stresses. mask: bit k of constants that a polynomial has. Returns 0 when the
// tests do not determine them.
int hyper_fit_polynomial(int mask, int ntest, const hyper_test *test, hyper_fit *out);
// The same for one to three terms of Ogden, all of positive mu.
int hyper_fit_ogden(int terms, int ntest, const hyper_test *test, hyper_fit *out);
// Drucker's stability: 1 where stresses rise with strains in tension and compression along one
// direction, two directions, and one with the other held; else 0 and a stretch and kind of test at
// which they fall, the first from 1 on within lo..hi.
int hyper_stable(int ogden, const double c[6], double lo, double hi, double *stretch,
                 hyper_kind *kind);

#endif
