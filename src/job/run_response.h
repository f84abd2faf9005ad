#ifndef RUN_RESPONSE_H
#define RUN_RESPONSE_H

#include "run_linear.h"

// What is written of a curve: responses and backbones.
typedef struct curve_out {
  job *j;
  const pl_analysis *a;
  int energy;                // backbones have a column of it
  int harmonics;             // columns of so many harmonics
  int log;                   // axes of plots: 1 x, 2 y, 3 both
  const pl_measure *measure; // [nprobe] responses: what peaks are of; NULL: path length
  char quantity[48];         // in words, "path length a period"
  pl_table *table;
  const pl_curve *seen; // the curve of which rows stand in the file, and how many
  int rows;
} curve_out;

// What is told and drawn of a probed place.
pl_measure curve_measure(const curve_out *c, int probe);
// How many special points of every kind there are, in words: "2 peaks, 1 fold". watch: those in its
// figure alone, without numbers; -1: all.
const char *special_words(const pl_curve *c, int probe, char buf[PL_TEXT]);

// Files of an analysis with its kind's name are called plainly: special.csv, harmonics.csv.
const char *curve_file(const pl_analysis *a, const char *what, char buf[PL_TEXT]);

// ---- tables: response_table.c -------------------------------------------------------------------

// Makes c->table with the rows of the curve; those that it has already stay.
pl_status curve_table(curve_out *c, const pl_curve *curve);
// Appends the points that the file does not have, or writes it anew when others went before.
pl_status curve_append(curve_out *c, const pl_curve *curve);
// Motions of the points from `first` on.
void curve_motions(const curve_out *c, const pl_curve *curve, int first);
pl_status curve_special(curve_out *c, const pl_curve *curve);
// Coefficients of points, and of special points.
pl_status curve_harmonics(curve_out *c, const pl_curve *curve);

// ---- sensitivities: response_slopes.c -----------------------------------------------------------

// File, figures and table of derivatives of peaks and folds, where the analysis asks for them.
pl_status curve_slopes(curve_out *c, const pl_curve *curve, json_t *figures);

// ---- plots: response_plot.c ---------------------------------------------------------------------

// What was asked for of every probed place over frequency; linear may be NULL.
pl_status curve_plots(curve_out *c, const pl_curve *curve, const pl_table *linear);

#endif
