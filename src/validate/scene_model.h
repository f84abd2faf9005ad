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
  SCENE_SHELL_IRREGULAR,
  SCENE_TET, // solids of one layer, of the kinds that a scene takes by itself
  SCENE_HEX
} scene_kind;

// Evaluate functions of models whose kind is one of the above.
// Cantilever: rods, and strips and bars a tenth as wide as long.
pl_status scene_sag(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value);
// Locking: the same at Gamma = 1 over that of the elastica, by thickness.
pl_status scene_thin(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value);
// Vibration: the first three modes that swing across the strip, among all that it has.
pl_status scene_ring(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value);
// Lateral buckling: the load at which the static analysis finds that stability changes.
pl_status scene_buckle(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value);
// Bend-twist: weights between which the equilibria found are no longer planar.
pl_status scene_curl(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value);
// Stick-slip: the load step at which the tip begins to slip.
pl_status scene_press(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value);

#endif
