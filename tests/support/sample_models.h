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

#endif
