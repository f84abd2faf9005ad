#ifndef PLIANT_STUDY_H
#define PLIANT_STUDY_H

#include "pliant/job.h"
#include "pliant/linkage.h"

PL_DECLS_BEGIN

// ---- samples of the unit cube -------------------------------------------------------------------

// Points u[n][dim] of [0, 1), the same on every machine; each a function of its arguments.

enum { PL_SOBOL_MOST = 64 }; // dimensions of Sobol points

// Independent uniform numbers, none of them 0.
void pl_sample_random(int n, int dim, unsigned long long seed, double *u);
// A Latin hypercube: in every dimension one point within each of n equal parts, anywhere in it.
pl_status pl_sample_latin(pl_env *env, int n, int dim, unsigned long long seed, double *u);
// The first n points of Sobol's sequence with the direction numbers of Joe and Kuo, in the order of
// the Gray code. seed 0: as they are, the first one being 0; else all are shifted, digit by digit,
// by random numbers, and none is 0. PL_E_ARG: dim is not 1 .. PL_SOBOL_MOST.
pl_status pl_sample_sobol(pl_env *env, int n, int dim, unsigned long long seed, double *u);

// ---- distributions ------------------------------------------------------------------------------

typedef enum pl_distribution_kind {
  PL_NORMAL,     // mean, standard deviation
  PL_LOGNORMAL,  // mean and standard deviation of the value itself
  PL_UNIFORM,    // from, to
  PL_LOGUNIFORM, // from, to; uniform is the logarithm
  PL_TRIANGULAR, // from, most likely, to
  PL_DISTRIBUTIONS
} pl_distribution_kind;

typedef struct pl_distribution {
  pl_distribution_kind kind;
  double a, b, c; // as above
} pl_distribution;
// The value that the quantity stays below with probability p, 0 < p < 1.
double pl_distribution_quantile(const pl_distribution *d, double p);
double pl_normal_quantile(double p); // of mean 0 and standard deviation 1

// ---- estimates ----------------------------------------------------------------------------------

typedef struct pl_moments {
  int n;
  double mean, mean_error; // standard errors, of independent values
  double sd, sd_error;
} pl_moments;
// NaN where n is too small.
pl_moments pl_estimate_moments(int n, const double *x);

typedef struct pl_quantile {
  double value, lo, hi; // with the ends of its 95 % confidence interval; NaN: beyond all values
} pl_quantile;
// Of values in ascending order, between which it is linear; the interval has such values as ends.
pl_quantile pl_estimate_quantile(int n, const double *sorted, double p);

// The part of a variance that is due to an input: alone, and with all that it does together with
// others; each with a 95 % confidence interval.
typedef struct pl_sobol_index {
  double first, first_lo, first_hi;
  double total, total_lo, total_hi;
} pl_sobol_index;
// From values at points a[n] and b[n] and, for each of dim inputs, at the points of a with that
// input taken from b: ab[dim][n]. First-order indices by Saltelli's estimator (2010), total ones by
// Jansen's; intervals from `resamples` bootstrap samples of the rows.
pl_status pl_estimate_sobol(pl_env *env, int n, int dim, const double *a, const double *b,
                            const double *ab, int resamples, unsigned long long seed,
                            pl_sobol_index *out);

// ---- many runs of a scene -----------------------------------------------------------------------

typedef enum pl_study_design {
  PL_STUDY_FACTORIAL, // all combinations, the last input changing fastest
  PL_STUDY_LATIN,
  PL_STUDY_SOBOL,
  PL_STUDY_RANDOM
} pl_study_design;

typedef struct pl_study_opts {
  // NAME=VALUES each: NAME is a parameter of the scene or a path as overrides have it; VALUES are a
  // list, a range LO..HI[:N][,log], or with `uncertain` a distribution KIND:NUMBERS.
  int ninput;
  const char *const *input;
  int uncertain;          // inputs are random: statistics are made of the figures
  pl_study_design design; // uncertain: not factorial
  int indices;            // uncertain: Sobol indices, at cases * (ninput + 2) runs
  int cases;              // 0: as the values give them; uncertain: 128
  unsigned long long seed;
  int jobs;     // processes; 0: as many as there are processors
  int threads;  // of each case; 0: one
  double limit; // s that a case may take; 0: any
  int nset;
  const char *const *set; // overrides of all cases
  const char *root;       // as pl_scene_limits
  const char *only;       // as pl_job_opts
  int nfigure;
  const char *const *figure; // for the table and the report; none: all numbers
  int ncurve;
  const char *const *curve; // tables that are kept and drawn over all cases
  const char *folder;
  const char *table; // a copy of the table goes there; NULL: none
  int resume, keep;  // keep: cases have result folders
  void *ctx;
  void (*summary)(void *ctx, const char *json); // what NAME.json holds; NULL: nobody looks on
} pl_study_opts;

typedef struct pl_study_result {
  int ncase, ndone, nfailed; // failed ones are among those done
  int nearlier;              // those that an earlier study left
  int cancelled, jobs;
  double seconds, cpu_seconds; // cpu: of all processes
  char report[PL_TEXT], table[PL_TEXT];
} pl_study_result;

// Runs a scene with many values, in processes of their own that take case after case: one that ends
// badly ends no other. What a case gives is what pl_job_run gives for the same overrides and
// threads. A case that is done is kept in the folder at once. The scene is what messages and names
// of parameters are looked up in; its file is read again. Begin it while there is one thread only:
// processes are made by fork. PL_UNSOLVED: some cases failed, everything is written;
// PL_CANCELLED: what was done is. PL_E_ARG: opts are not understood.
pl_status pl_study_run(pl_env *env, const pl_scene *scene, const pl_study_opts *opts,
                       pl_study_result *result);

PL_DECLS_END

#endif
