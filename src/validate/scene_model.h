#ifndef SCENE_MODEL_H
#define SCENE_MODEL_H

// Protocols as a user meets them: a scene text through the reader, meshes of real widths with cells
// all alike, nothing tied, default settings but for those in the text.
#include "protocol_impl.h"

typedef enum scene_kind {
  SCENE_ROD,
  SCENE_MIDEDGE,
  SCENE_MIDEDGE_IRREGULAR,
  SCENE_HINGE,
  SCENE_HINGE_IRREGULAR,
  SCENE_SHELL, // what a scene takes by itself
  SCENE_SHELL_IRREGULAR
} scene_kind;

// Evaluate functions of models whose kind is one of the above.
// Cantilever: rods, and strips a tenth as wide as long.
pl_status scene_sag(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value);
// Lateral buckling: the load at which the static analysis finds that stability changes.
pl_status scene_buckle(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value);
// Bend-twist: weights between which the equilibria found are no longer planar.
pl_status scene_curl(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value);
// Stick-slip: the load step at which the tip begins to slip.
pl_status scene_press(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value);

#endif
