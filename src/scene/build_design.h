#ifndef BUILD_DESIGN_H
#define BUILD_DESIGN_H

#include "scene_impl.h"

#include <math.h>

// A statement while it is read.
typedef struct plan {
  int design; // 0: explore
  const char *what;
  const char *given; // what frequencies come with, where there are no operating points
  int harmonics;     // of the motions; 0: chosen later
  pl_design_plan out;
} plan;

// [x, y], xy or x as a mask; 0 when left out
int read_axes(reader *r, const pl_node *at, int *mask);
// objective.c
void read_objectives(reader *r, plan *p, const pl_node *at);
// A kind of objective that a program gives, with its data; 0: reported (build_given.c).
int take_given_objective(reader *r, const txt *name, pl_objective *o);
// Coefficients of a trajectory, a file or points, of an objective whose node is `whole`; its
// harmonics are chosen where they are 0. Returns 0 when it reported a problem.
int read_target(reader *r, const plan *p, const pl_node *at, const pl_node *whole, double omega,
                pl_objective *o, double **coef);

#endif
