#ifndef RUN_LIMITS_H
#define RUN_LIMITS_H

#include "checkpoint.h"

enum { LONGEST, SHORTEST, SIDES };

// ---- limits_keep.c ------------------------------------------------------------------------------

// Goals of an analysis in the order that they are asked for, with their results: an analysis that
// is resumed asks for the same ones again.
typedef struct kept_goal kept_goal;
// What states look like by other means: how many were looked at, and of these no limits.
typedef struct limits_seen {
  int n, rejected;
  pl_mail_verdict all;
} limits_seen;
typedef struct limits_keeper {
  job *j;
  const pl_analysis *a;
  int copies;
  int n, cap, at; // goals; the next one that is asked for
  kept_goal *done;
  limits_seen seen; // since it was told last
  int rejected;     // that were told
} limits_keeper;
// copies: of the material's cell along each lattice vector
pl_status keeper_open(job *j, const pl_analysis *a, int copies, limits_keeper *k);
// Solves goals with the options of the analysis, on disks with so many elements across, 0: in
// periodic cells. PL_CANCELLED: those that were solved by then have solved 1.
pl_status keeper_solve(limits_keeper *k, const pl_taut_opts *o, int across, int n,
                       const pl_taut_goal *goal, pl_taut *taut, int *solved);
// The same of another material than that of the analysis, in periodic cells.
pl_status keeper_solve_of(limits_keeper *k, const pl_mail *m, const pl_taut_opts *o, int n,
                          const pl_taut_goal *goal, pl_taut *taut, int *solved);
// cancelled: what was solved is written. Returns the status given unless that fails.
pl_status keeper_close(limits_keeper *k, pl_status status);

// Limits of one material in many directions.
typedef struct survey {
  job *j;
  limits_keeper *keep;
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

// Goals of one shape, with the options of `limits`, on disks with so many elements across, 0: in
// periodic cells. Results that follow by symmetry have no
// contacts and poses of their own. *distinct grows by the count of those that were solved.
// PL_CANCELLED: some are not.
pl_status limits_solve(limits_keeper *k, const pl_taut_opts *o, int across, int ngoal,
                       const pl_taut_goal *goal, pl_taut *taut, int *solved, int *distinct);

// ---- limits_sweep.c -----------------------------------------------------------------------------

// Strains along each angle and across it, without shear: a table.
pl_status limits_sweep(limits_keeper *k, const pl_taut_opts *o, json_t *figures, int *unsolved);

// ---- limits_boundary.c --------------------------------------------------------------------------

// Green's strain (xx, yy, xy) of a stretch U = I + S: (U^2 - I) / 2.
void limits_green(const double S[3], double E[3]);
// Rays in all directions of strain, or of the curvature of a disk with so many elements across;
// counts what was not solved. known: feasible states, which tell whether rays end too soon; of
// strains the longest and the shortest by turns. out: the boundary where all of it was found.
pl_status limits_boundary(limits_keeper *k, const pl_taut_opts *o, int across, int nknown,
                          const pl_taut *known, json_t *figures, int *unsolved, pl_boundary *out);

// ---- limits_bend.c ------------------------------------------------------------------------------

enum { PATCH = 5 }; // elements across a disk where none are told
// out: the boundary of curvatures that sheets take.
pl_status limits_bend(limits_keeper *k, const pl_taut_opts *o, json_t *figures, int *unsolved,
                      pl_boundary *out);

// ---- limits_refine.c ----------------------------------------------------------------------------

// The longest limits with finer and finer facets, and without: a table, figures, words.
pl_status limits_refine(const survey *k, const pl_taut_opts *o, json_t *figures);

// ---- limits_joint.c -----------------------------------------------------------------------------

// How much of the limits of strain and of curvature a disk reaches at once: a table, figures,
// words.
pl_status limits_joint(limits_keeper *k, const pl_taut_opts *o, json_t *figures, int *unsolved);

// ---- limits_states.c ----------------------------------------------------------------------------

// States and their contacts, where they are wanted (`states`): tables NAME KIND-states.csv and
// NAME KIND-contacts.csv; row i of a table of limits has states i * sides + side.
pl_status limits_states(job *j, const pl_analysis *a, const char *kind, int sides, int n,
                        const pl_taut *taut, const int *solved);
// A picture of one, of several cells.
pl_status limits_picture(job *j, const pl_analysis *a, const char *kind, const pl_taut *t,
                         const char *caption);

// ---- limits_material.c --------------------------------------------------------------------------

// The boundary of curvatures (xx, yy, xy; 1/m) that cylinders tell, taut[2 n] up and down along n
// angles over half a turn: flat between single curvatures, as if those along two directions shared
// one limit.
pl_status limits_cylinders(pl_env *env, int n, const pl_taut *taut, pl_boundary *out);
// A patch of few elements, bent more in its middle than further out, goes beyond what is bent
// everywhere: each ray of its boundary is scaled by the ratio of cylinders to patches along its
// principal curvatures, in the mean weighted by their squares. cylinders: of limits_cylinders.
pl_status limits_join(pl_env *env, const pl_boundary *cylinders, pl_boundary *whole);
// Tells what sheets of the material need and keeps it for macro; no membrane: there is nothing.
pl_status limits_material(job *j, const pl_analysis *a, pl_sheet_material *m);

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
// The same of curvatures up and down along n directions: a table.
pl_status limits_bend_gradients(job *j, const pl_analysis *a, int n, const pl_taut_goal *goal,
                                pl_taut *taut, const int *solved);

// ---- limits_verify.c ----------------------------------------------------------------------------

// Looks at states once more, with so many elements across a disk, 0: of periodic cells. Those in
// which elements overlap or links are others than at rest are freed: they count as not found.
pl_status limits_check(limits_keeper *k, int across, int n, pl_taut *taut, int *solved);
// Tells what was seen since this was told last: the smallest gap, links that changed and how many
// states were left out; figures are called verified_gap, links_changed and rejected, after what
// they are of.
void limits_verified(limits_keeper *k, const char *of, json_t *figures);

#endif
