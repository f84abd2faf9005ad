#ifndef MAIL_DESIGN_H
#define MAIL_DESIGN_H

#include "run_limits.h"

enum { GAPS = 24 };                  // smallest ones that are kept open
enum { BENT_UP = SIDES, BENT_DOWN }; // beside LONGEST and SHORTEST

// A limit along a direction that some goal asks for.
typedef struct ray {
  double angle;
  int side;
} ray;

// One residual: a limit of a goal, of one ray or of two: the longest and the shortest, or
// curvatures up and down.
typedef struct residual {
  int goal;
  int ray[2]; // -1: none
} residual;

// A material that is tried.
typedef struct attempt {
  double value[PL_KEY_MAX];
  pl_mail_data *data;
  pl_taut *taut; // [nray]
  int *solved;
  double *limit; // [nwant] limits as goals have them
  double *r;     // [nrow]
  int ngap;
  pl_taut_contact gap[GAPS]; // at rest
  double thin, mass;         // thinnest wire, mass per area
} attempt;

typedef struct mail_design {
  job *j;
  const pl_analysis *a;
  const pl_mail_design_opts *o;
  const pl_scene_mail *start;
  const pl_mail_plan *plan;
  pl_taut_opts taut;
  limits_keeper *keep;
  int nray, nwant, nrow; // rows: limits that are wanted, gaps, the thinnest wire, mass
  ray *ray;
  residual *want; // [nwant]
  pl_taut_goal *goal;
  double thin, gap; // m; thinnest wire of the start; the smallest gap, at least
  double density;   // kg/m^3, of pieces as if they did not overlap
  double weight;    // of the repulsion of gaps, thickness and mass
  double floor[3];  // parts of these that are never gone below
  int links;        // of elements of the start, at least
  attempt now, trial;
  double *rate; // [nray]
  int evaluations, steps, converged;
  double cost[2]; // before and after
} mail_design;

// ---- mail_problem.c -----------------------------------------------------------------------------

pl_status mail_open(mail_design *d);
void mail_close(mail_design *d);
// The material of all its values: limits, gaps, residuals. *cost INFINITY: there is none.
pl_status mail_evaluate(mail_design *d, attempt *t, double *cost);
// The residuals alone, of limits that are known.
double mail_residuals(const mail_design *d, attempt *t);
// J[nvariable][nrow] of residuals at d->now.
pl_status mail_slopes(mail_design *d, double *J);
// A limit of an attempt as a goal has it; PL_STRAIN_MIN is negative, curvatures are positive.
double mail_limit(const attempt *t, const residual *w, int limit);
int mail_is_bent(int limit); // of a limit: it is one of bending
// The goal of a ray, as it is solved.
pl_taut_goal mail_ray(const mail_design *d, double angle, int side);

// ---- mail_design_step.c
// -----------------------------------------------------------------------------

// Overrides of the scene that make the material of these values, as texts in out, each ended by a
// zero byte; one for each variable.
void mail_overrides(const mail_design *d, const double *value, pl_text *out);
// What is said of a step: values, limits that are wanted, how far they are off.
pl_status mail_tell(mail_design *d, int iteration);

// ---- mail_design_page.c -------------------------------------------------------------------------

extern const char *const mail_limit_name[PL_DESIGN_LIMITS]; // as scenes have them
// Characterises both materials anew, and tells of them.
pl_status mail_report(mail_design *d, json_t *figures);

#endif
