#ifndef PLIANT_FRONTS_H
#define PLIANT_FRONTS_H

#include "sparse_impl.h"

// Elimination tree of a matrix with symmetric pattern, in groups of unknowns. Groups are named by
// their place in the elimination. A front eliminates groups first .. first + npiv - 1 and changes
// the later groups row[nrow] on its way; all of these belong to its parent.
typedef struct front {
  int first, npiv, nrow;
  int p, r; // unknowns in the npiv and in the nrow groups
  const int *row;
  int parent;      // -1: none
  int child, next; // list of children in ascending order, -1: end
  int task;        // subtree that one thread does, -1: done when all of them are
  double flops;    // of an LU of this front
  size_t at;       // of the [r][r] entries for its parent in the storage that these share
} front;

typedef struct front_tree {
  int n; // groups
  int *order, *place;
  int nfront;
  front *front; // children before parents
  int *rows;
  int ntask;
  int *task_ptr, *task_front; // [ntask + 2] fronts of each task; the last ones belong to none,
  int nlevel, *level_ptr;     // [nlevel + 1] in task_front: they come by height above the tasks
  size_t buffer;              // entries of shared storage
} front_tree;

// G: pattern of the groups in full storage, symmetric, with its diagonal. order: see
// pl_order_blocks; it is copied. size: unknowns in each group of G. The storage suffices when tasks
// run first, in any order, and then one level after another.
pl_status front_tree_create(pl_env *env, const pl_csc *G, const int *order, const int *size,
                            front_tree *out);
// The same tree in terms of the count[g] members of each group g, which G numbers one after
// another.
pl_status front_tree_split(pl_env *env, front_tree *t, const int *count);
void front_tree_free(pl_env *env, front_tree *t);

#endif
