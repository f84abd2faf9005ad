#ifndef BENCH_H
#define BENCH_H

// What the benches share: a host, an end for what fails, bodies held at one side.
#include "blas_environment.h"
#include "pliant/pliant.h"

#include <stdio.h>
#include <stdlib.h>

static pl_env env;

static inline void must(pl_status s) {
  if (s == PL_OK) return;
  fprintf(stderr, "bench: %s: %s\n", pl_status_text(s), env.error.text);
  exit(1);
}

// A body with a consistent mass, the only one of its builder.
static inline pl_builder *one_body(const pl_body_desc *d) {
  pl_builder *b;
  pl_body_desc body = *d;
  body.name = "body";
  body.consistent = 1;
  must(pl_builder_create(&env, 3, &b));
  pl_build_body(b, &body);
  return b;
}

// Holds or drives its left side; d: NULL, it is held.
static inline void hold_left(pl_builder *b, const pl_drive_desc *d) {
  const pl_set *left = pl_mesh_find_set(b->body[0].desc.mesh, "left");
  pl_drive_desc drive = d ? *d : (pl_drive_desc){0};
  drive.nnode = left->n;
  drive.node = left->index;
  drive.mask = 7;
  pl_build_drive(b, &drive, PL_HOLD_NODES, NULL);
}

#endif
