#ifndef TESTS_SAMPLE_MODELS_H
#define TESTS_SAMPLE_MODELS_H

#include "models.h"

// Small models that between them hold every element kind, drive, load and design parameter.

// A plane mechanism whose springs share joints, so that unknowns stand twice in one element.
void sample_mechanism(model_kit *k, pl_env *env);
// A solid block of a kind, driven by rotation, with scalar elements on some of its unknowns.
void sample_block(model_kit *k, pl_env *env, const char *kind);
// A cantilevered sheet of membranes and hinges.
void sample_shell(model_kit *k, pl_env *env);
// The same with mid-edge bending, curved at rest, on a clamp that turns.
void sample_midedge(model_kit *k, pl_env *env);
// Three rods that meet in a junction, one turned at its first edge, one by the junction at its end.
// Scalars: angles of the edges 0..5, junction 6..8, end 9..11.
void sample_rods(model_kit *k, pl_env *env);

#endif
