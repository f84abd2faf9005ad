#ifndef RUN_LIMITS_H
#define RUN_LIMITS_H

#include "job_impl.h"

enum { LONGEST, SHORTEST, SIDES };

// Limits of one material in many directions.
typedef struct survey {
  job *j;
  const pl_analysis *a;
  const pl_mail *m;
  int n, nall;  // directions over half a turn, all of the same distance; and measured ones besides
  int nfailed;  // goals that were not solved
  int distinct; // those that were looked at; the others follow by symmetry
  int nsymmetry;
  double *angle; // [nall] rad
  pl_taut_goal *goal;
  pl_taut *taut; // [SIDES nall] longest and shortest of each direction
  int *solved;
} survey;

// ---- run_limits.c -------------------------------------------------------------------------------

const pl_taut *survey_result(const survey *k, int direction, int side);
// A strain as pl_measured_limits has it.
double survey_value(const survey *k, int direction, int what);

// ---- limits_solve.c -----------------------------------------------------------------------------

// Goals in the plane, with the options of `limits`. Results that follow by symmetry have no
// contacts and poses of their own. *distinct grows by the count of those that were solved.
pl_status limits_solve(job *j, const pl_analysis *a, const pl_taut_opts *o, int ngoal,
                       const pl_taut_goal *goal, pl_taut *taut, int *solved, int *distinct);

// ---- limits_sweep.c -----------------------------------------------------------------------------

// Strains along each angle and across it, without shear: a table.
pl_status limits_sweep(job *j, const pl_analysis *a, const pl_taut_opts *o, json_t *figures,
                       int *unsolved);

// ---- limits_boundary.c --------------------------------------------------------------------------

// Green's strain (xx, yy, xy) of a stretch U = I + S: (U^2 - I) / 2.
void limits_green(const double S[3], double E[3]);

// ---- limits_measured.c --------------------------------------------------------------------------

// Measured directions that the others leave out, angle[]: room for all of them; returns their
// count.
int measured_angles(const pl_analysis *a, int n, double *angle);
// Measured values over a whole turn, one series each; what: strains or plays. Free with
// measured_series_free.
pl_status measured_series(const survey *k, int nwhat, const int *what, int *n,
                          pl_polar_series **out);
void measured_series_free(pl_env *env, int n, pl_polar_series *s);
// Differences: a table, figures, words.
pl_status measured_differences(const survey *k, json_t *figures);

// ---- limits_gradients.c -------------------------------------------------------------------------

// Derivatives of all limits by the keys of the material's family: a table, figures, words. Forces
// of contacts are balanced.
pl_status limits_gradients(survey *k, json_t *figures);

// ---- limits_verify.c ----------------------------------------------------------------------------

// Looks at flat states once more and tells the smallest gap and the links that changed; figures are
// called verified_gap and links_changed, after what they are of.
pl_status limits_verify(job *j, const pl_analysis *a, const char *of, int n, const pl_taut *taut,
                        const int *solved, json_t *figures);

#endif
