// What all pairs share besides their kernels; the file before it sets AXIAL, RATE, NHIST and BODY.
#include "kernel.h"
#include "element_impl.h"

static int stretch(const double *q, const double *rest, double *d, double *n) {
  return elongate_d(q, rest, d, n, NULL);
}

// the elongation of a sample (of its rate where the law is one of rates)
static double sample_pair(unsigned seed, double *X, double *q, double *v) {
  static const double apart[6] = {0, 0, 0, 1, 0.3, -0.2}, line[2] = {0, 0.5};
  double rest[NHIST + 1], n[NDOF_d], d = 0, rate = 0;
#if AXIAL
  pl_sample_shape(seed, 2, 3, apart, 0.2, X, q, v);
  (void)line;
#else
  pl_sample_shape(seed, 2, 1, line, 0.5, X, q, v);
  (void)apart;
#endif
  prepare_d(X, rest);
  stretch(q, rest, &d, n);
  for (int i = 0; i < NDOF_d; i++) rate += n[i] * v[i];
  return RATE ? rate : d;
}

#if AXIAL
#define PAIR_SHAPE .nvert = 2, .vdim = 3, .ndof = 6
#else
#define PAIR_SHAPE .nscal = 2, .ndof = 2, .inert = 1
#endif
#if RATE
#define PAIR_KERNELS                                                                               \
  .damped = AXIAL, .d = {prepare_d, eval_d, visc_d, NULL}, .z = {prepare_z, eval_z, visc_z, NULL}
#else
#define PAIR_KERNELS .d = {prepare_d, eval_d, NULL, NULL}, .z = {prepare_z, eval_z, NULL, NULL}
#endif
#define PAIR_KIND                                                                                  \
  PAIR_SHAPE, PAIR_KERNELS, .npar = COUNT(par_options), .nrest = NHIST + 1, .nhist = NHIST,        \
                            .par = par_options, .stretch = stretch, .on_rate = RATE,               \
                            .sample = sample
