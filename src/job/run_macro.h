#ifndef RUN_MACRO_H
#define RUN_MACRO_H

#include "job_impl.h"

// A patch as a sheet.
typedef struct macro {
  job *j;
  const pl_analysis *a;
  const pl_scene_patch *patch;
  pl_sheet_material m;
  double young; // Pa
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
// Native beside it, where it has run before: figures, words and a table.
pl_status macro_beside(const macro *k, json_t *figures);

#endif
