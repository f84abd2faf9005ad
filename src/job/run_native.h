#ifndef RUN_NATIVE_H
#define RUN_NATIVE_H

// Patches of linked elements: what their rest and their motion share.
#include "checkpoint.h"
#include "elements.h"

typedef struct native {
  job *j;
  const pl_analysis *a;
  const pl_scene_patch *patch;
  pl_patch p;
  pl_rest rest;
  const pl_pose *pose; // [p.n] that is shown
  pl_status solved;
} native;

// The analysis with a duration.
pl_status native_motion(native *k, json_t *figures);

// All that a patch is, as one number; what is told where a checkpoint is of another one.
uint64_t hash_patch(const pl_patch *p);
pl_status native_refuse(const checkpoint *c);

// What is shown of it.
elements native_elements(const native *k, char caption[PL_TEXT]);
pl_status native_poses(const native *k, const char *suffix);
void native_extent(const native *k, double lo[3], double hi[3]); // the box about all origins
// Tells what elements look like by other means. PL_UNSOLVED: they overlap, or links are others than
// at the start; who: in messages.
pl_status native_verdict(const job *j, const pl_analysis *a, const char *who,
                         const pl_mail_verdict *v, json_t *figures);

#endif
