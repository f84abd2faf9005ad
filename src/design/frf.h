#ifndef FRF_H
#define FRF_H

#include "design_impl.h"

// Measured quantities at motions, and the motions of a response that belong to samples.

// A measured quantity as a linear map of its harmonic: Y = g (c_k - i s_k).
typedef struct frf_view {
  const pl_frf *f;
  double size, angle; // of the excitation
} frf_view;
// PL_E_INPUT: there is no excitation to refer to.
pl_status frf_look(pl_env *env, const pl_model *m, const pl_params *p, const pl_frf *f,
                   frf_view *v);
void frf_value(const pl_model *m, const pl_params *p, const pl_orbit *o, const frf_view *v,
               double y[2]);
// gz[n] = d(row . Y)/dz; amplitudes, maxima: row is (1, 0).
void frf_gradient(const pl_model *m, const pl_params *p, const pl_orbit *o, const frf_view *v,
                  const double row[2], double *gz);
// Numbers a sample gives.
int frf_width(const pl_frf *f);

// Motions of a set: for samples in the order of the sweep, chosen on the curve and solved at their
// frequencies by Newton's method.
typedef struct frf_solver {
  pl_env *env;
  const pl_model *m;
  const pl_params *p;
  pl_hb *hb;
  pl_bordered *b;
  double rtol;
  pl_orbit *scratch[2]; // candidates
} frf_solver;
pl_status frf_solver_open(frf_solver *s, pl_env *env, const pl_model *m, const pl_params *p,
                          pl_hb *hb, pl_bordered *b, double rtol);
void frf_solver_close(frf_solver *s);
// each(ctx, i, orbit): the motion of sample i, NULL: there is none; non-zero stops. One call a
// sample.
typedef pl_status (*frf_each)(void *ctx, int i, const pl_orbit *o);
pl_status frf_motions(frf_solver *s, const pl_curve *curve, const frf_view *v, frf_each each,
                      void *ctx);

// Room for n samples; what is known of them summed up.
pl_status frf_match_create(pl_env *env, int n, pl_frf_match **out);
void frf_sum_up(const pl_frf *f, pl_frf_match *out);

#endif
