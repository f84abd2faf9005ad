#ifndef FIT_IMPL_H
#define FIT_IMPL_H

#include "harmonic_impl.h"

// One data set x(t_i), made ready for comparison. With the Fourier basis B at the sample times and
// B = Q R, the misfit of a simulated motion z is |R z - Q'x|^2, plus a part that no motion of so
// many harmonics can change. The basis begins with the constant: without the first row of R, means
// are free.
typedef struct fit_set {
  const pl_fit_data *d;
  int H, L;
  int first;       // row of R at which the comparison begins
  double *R;       // [L][L] upper triangle
  double *y;       // [nchannel][L] Q'x
  double outside;  // m^2, what the harmonics cannot tell
  double motion;   // m^2, about the means
  double *z;       // [nchannel][L] simulated, in the time of the drives
  double phase;    // of the simulated motion at the data's time zero
  double *shifted; // [nchannel][L] scratch
} fit_set;

// Checks the data; PL_E_INPUT when they cannot serve.
pl_status fit_set_create(pl_env *env, const pl_model *m, const pl_fit_data *d, int H, int means,
                         fit_set *s);
void fit_set_free(pl_env *env, fit_set *s);
// Entries of a residual.
int fit_set_rows(const fit_set *s);
// r = R shift(z) - Q'x for the simulated motion at its phase; returns |r|^2.
double fit_residual(fit_set *s, double *r);
// out = R shift(dz) for a change dz[nchannel][L] of the simulated motion.
void fit_change(fit_set *s, const double *dz, double *out);
// The derivative of the residual by the phase.
void fit_phase_change(fit_set *s, double *out);
// Sets the phase to the best of all.
void fit_best_phase(fit_set *s, double *r, double *dr);
// Simulated coefficients in the data's time, with the means that fit best when they are free.
// Returns the largest distance of those from simulated means.
double fit_shown(const fit_set *s, double *out);

#endif
