#ifndef STUDIO_MODEL_H
#define STUDIO_MODEL_H

#include "studio_impl.h"

#include "pliant/report.h"
#include "pliant/scene.h"

// A Model that is being made.
typedef struct making {
  studio *s;
  pl_env *env;
  const pl_scene *scene;
  const pl_mesh *mesh;
  char group[32]; // of its arrays
} making;

// model_lines.c: members of it; NULL where memory ends
json_t *model_edges(const making *m);
json_t *model_segments(const making *m);
json_t *model_points(const making *m);
json_t *model_springs(const making *m);
json_t *model_obstacles(const making *m);
// model_solids.c
json_t *model_solids(const making *m);
json_t *model_materials(const making *m);
// model_cloth.c
json_t *model_cloth(const making *m);

#endif
