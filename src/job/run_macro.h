#ifndef RUN_MACRO_H
#define RUN_MACRO_H

#include "job_impl.h"

// A patch as a sheet.
typedef struct macro {
  job *j;
  const pl_analysis *a;
  const pl_scene_patch *patch;
  pl_sheet_material own;      // of a file
  const pl_sheet_material *m; // that one, or what limits kept
  double young;               // Pa
  pl_patch_sheet sheet;
  pl_star *strain, *bend; // NULL: no limits of curvature
  pl_built built;
  pl_constraints among; // obstacles, of `built`, and the sheet itself
  int repels;           // both take part
  double weight;        // J/kg; of both
  pl_static_info info;
  int iterations;
  double seconds;
  pl_pose *pose; // [p.n] of the elements on it
} macro;

// The box about all origins.
void macro_extent(int n, const pl_pose *pose, double lo[3], double hi[3]);

typedef struct beside {
  double native[3], macro[3]; // m, extents
  double size;                // longest extent at the start
  double silhouette;          // largest distance of outlines along x, y and z, as hulls
  double apart, mean;         // of elements, most and in the mean
} beside;
// Elements elsewhere, in the same numbers, beside the sheet's.
beside macro_compare(const macro *k, const pl_pose *native);
json_t *macro_beside_figures(const beside *b, const char *name);
void macro_beside_table(const macro *k, const beside *b, const char *what); // head of its column
// Native beside it, where it has run before: figures, words and a table.
pl_status macro_beside(const macro *k, json_t *figures);
// Whether elements can be where the sheet is: how near they come, and where they go from there.
pl_status macro_joint(const macro *k, json_t *figures);

#endif
