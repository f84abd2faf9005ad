#ifndef PLIANT_STUDIO_H
#define PLIANT_STUDIO_H

#include "pliant/base.h"
#include "pliant/linkage.h"

PL_DECLS_BEGIN

typedef struct pl_studio_opts {
  const char *folder;  // what pages may read and write; NULL: the working folder
  const char *scene;   // opened at start, below the folder; NULL: none
  const char *results; // a result folder that is shown at start; NULL: none
  const char *bind;    // address; NULL: 127.0.0.1
  int port;            // 0: any that is free
  int threads;         // of jobs; 0: as many as there are processors
} pl_studio_opts;

typedef struct pl_studio pl_studio;
// Begins to answer. Errors: the port is taken, the folder is not there.
pl_status pl_studio_start(pl_env *env, const pl_studio_opts *o, pl_studio **out);
// The address with its token, for a browser on this machine.
const char *pl_studio_address(const pl_studio *s);
// Stops jobs, ends connections, frees everything. NULL is allowed.
void pl_studio_stop(pl_studio *s);

// Does again what a studio.jsonl tells, without a browser, and compares the figures: the first that
// differ are an error.
pl_status pl_studio_replay(pl_env *env, const pl_studio_opts *o, const char *file);

PL_DECLS_END

#endif
