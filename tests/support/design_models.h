#ifndef TESTS_DESIGN_MODELS_H
#define TESTS_DESIGN_MODELS_H

#include "models.h"

// Small driven models with design parameters of every kind, for sensitivities and designs. Each
// parameter has sensible bounds; *node is one whose motion is worth watching, *omega (rad/s) a
// frequency at which a nonlinear steady motion exists.

// Three links with springs between them, a hip moved to and fro and a turning anchor: amplitudes
// and phases of drives and of a force, masses, stiffness, rest length, damping of a dashpot,
// attachment points, joints (link lengths), gravity.
void design_mechanism(model_kit *k, pl_env *env, int *node, double *omega);
// A flapping sheet: thickness, Young's modulus, masses at its edge, a corner, the angle.
void design_sheet(model_kit *k, pl_env *env, int *node, double *omega);
// A plane strip on a shaken base: Young's modulus of every element, of a row, density, a corner.
void design_plane(model_kit *k, pl_env *env, int *node, double *omega);
// A block of tetrahedra on a turning face: Young's modulus of layers, Poisson's ratio, density, a
// corner, the angle.
void design_solid(model_kit *k, pl_env *env, int *node, double *omega);
// Rods that fork, of a flat hollow section: one end is an edge that turns, the other a clamp that
// turns. Young's modulus, density, width, height, hollow, natural curvature and twist, places of
// nodes (of held ones too), the angles.
void design_rods(model_kit *k, pl_env *env, int *node, double *omega);
// Mass, spring and dashpot under a force: mass 2 kg, stiffness 50 N/m, damping 0.4 N.s/m, force 3
// N, cubic stiffness (N/m^3), all of them design parameters in this order.
void design_oscillator(model_kit *k, pl_env *env, double cubic);

// A design parameter with bounds and any number of targets.
void kit_parameter(model_kit *k, const char *name, double value, double min, double max, int n,
                   const pl_target *target);

#endif
