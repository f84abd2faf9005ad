#ifndef HARMONIC_IMPL_H
#define HARMONIC_IMPL_H

#include "pliant/harmonic.h"
#include "pliant/math.h"

// Tables for H harmonics and N samples: L = 2H + 1 coefficients.
typedef struct fourier {
  int H, N, L;
  double *to_time; // [N][L] Gamma, eq. 45
  double *rate;    // [N][L] d Gamma / d phase
  double *to_freq; // [L][N] Gamma^-1, eq. 46
  double *product; // [4H+1][N] the same up to order 2H, for tangents
} fourier;

pl_status fourier_create(pl_env *env, int H, int N, fourier *f);
void fourier_free(pl_env *env, fourier *f);
// Fills the L x L block of Gamma^-1 diag(k(t)) Gamma from the 4H+1 coefficients of k;
// out[row][col].
void fourier_block(const fourier *f, const double *coef, double *out);

typedef struct rotator rotator;

struct pl_hb {
  pl_env *env;
  const pl_model *m;
  const pl_params *p;
  pl_work *w;
  fourier f;
  int nfree, n, nq;
  int sub; // periods of the drive in one of the motion
  const int *free_index, *free_dof;
  // drives and loads over one period, as functions of the phase
  double *drive_q, *drive_v;   // [nq][N] of driven unknowns, d/dphase for v; zero elsewhere
  double *drive_v1, *drive_a1; // [nq][L] Fourier coefficients of first and second phase derivative
  double *load;                // [nfree][L], weights included
  double *weight;              // [nq] g
  double *made;                // [nq] reference coordinates when the balance was made
  // matrix
  pl_blocks J;             // [n][n] over P
  pl_csc P;                // pattern of unknown pairs, full storage, no values
  int *slot;               // [nentry] per element: position of the pair in P, -1: none
  size_t *slot0;           // [ngroup + 1]
  int *mirror;             // [P.nnz] position of the pair's transpose
  double *coef;            // [P.nnz][2][4H+1] of K and D of all pairs
  int symmetric;           // K and D are: only pairs below the diagonal are filled
  int rated;               // D is not zero
  double *h, *hw;          // [n]
  double dynamic, statics; // sizes of oscillating and of constant forces
  double *noise;           // [nfree] rounding in h, as of the last Jacobian
  double *inner;           // [nfree][L] inner forces, for their sizes
  double *zfull;           // [nq][L] coefficients of all unknowns (drives excluded)
  double *from, *dz;       // [n] the motion whose stresses are extrapolated, and the way from it
  const double *drive_was; // [nq][N] places of driven unknowns in that motion; NULL: as now
  int mixed;               // tangents take their stiff stresses so
  rotator *rotator;        // NULL: not made yet
  struct pairs *pairs;     // forces with kinks and memory; NULL: none
  double **scratch;        // [nthread]
  unsigned want;
  double omega;
};

// Largest residual over the size of the dynamic forces, rounding included: what is reported.
double hb_residual_size(const pl_hb *hb);

// The next Jacobians take stiff stresses from the motion z by their linear change with dz, not from
// where they are evaluated; NULL: they are exact again.
void hb_mixed(pl_hb *hb, const double *z, const double *dz);

// out[n]: the motion z moved by the step dz so that stiff elements turn instead of stretching; to
// first order z + dz.
pl_status hb_move(pl_hb *hb, const double *z, const double *dz, double *out);
void rotator_free(rotator *t);

// Whether the number of real exponents above zero of the motions near the one at hand is odd (1) or
// even (0): the determinant of J + lambda (...) + lambda^2 M changes its sign at each of them, and
// is positive for a large lambda. -1: J is too large for that, or singular.
pl_status hb_parity(const pl_hb *hb, int *parity);

// pl_bordered_solve to a relative residual of rtol (large systems; small ones are solved to
// rounding). Without a border g is 0 and y NULL.
pl_status bordered_solve_to(pl_bordered *s, double rtol, const double *f, double g, double *x,
                            double *y);
// ---- starts (start.c); orbit->omega says the frequency ----------------------------------------

// The equilibrium under constant loads and drive terms; where there is none, the reference shape,
// and 0 in *balanced (NULL: not wanted).
pl_status start_static(const pl_model *m, const pl_params *p, pl_work *w, pl_state **out,
                       int *balanced);
// Lowest frequency about rest, 0: none, or free or unstable modes.
pl_status start_first_mode(const pl_model *m, const pl_params *p, pl_work *w, const pl_state *rest,
                           double *omega);
// The orbit that stays at a state.
void start_from_state(const pl_hb *hb, const pl_state *s, pl_orbit *o);
// The body at rest carried by the rigid motion that fits the driven nodes best.
pl_status start_rigid(pl_hb *hb, const pl_state *rest, pl_orbit *o);
// The last of so many periods (counted from the first call) by Newmark's method from s.
pl_status start_transient(pl_hb *hb, int periods, pl_state *s, pl_history *history, pl_orbit *o);

// Samples a period unless the user says how many.
static inline int hb_samples(int nharm) {
  return 8 * nharm > 32 ? 8 * nharm : 32;
}

// pl_hb_create for motions that repeat after sub periods of the drive: omega is then the drive's
// base frequency over sub.
pl_status hb_create_sub(const pl_model *m, const pl_params *p, pl_work *w, int nharm, int nsample,
                        int sub, pl_hb **out);

// Newton's method has ended at rounding when its step is this part of the motion and the residual
// this part of the dynamic forces, at most.
#define ROUNDING_STEP  1e-11
#define ROUNDING_ERROR 1e-5

#endif
