#ifndef TESTS_SUPPORT_BOX_MATERIAL_H
#define TESTS_SUPPORT_BOX_MATERIAL_H

#include "check.h"
#include "pliant/interlock.h"
#include "pliant/math.h"

#include <string.h>

// Half the sides of a box of strains (xx, yy, xy).
static const double box_half[3] = {0.1, 0.07, 0.03};

// a box in strain space, by its corners and the middles of its faces
static inline void make_box(pl_env *env, pl_sheet_material *m) {
  static const int side[6][4] = {{0, 2, 6, 4}, {1, 5, 7, 3}, {0, 4, 5, 1},
                                 {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 6, 7, 5}};
  // copies are the fourth line
  *m = (pl_sheet_material){.name = "box", .copies = 2, .thickness = 1.0 / 300, .mass = 1.5};
  check_ok(env, pl_boundary_alloc(env, 14, 24, &m->membrane));
  pl_boundary *b = &m->membrane;
  for (int i = 0; i < 14; i++) {
    double p[3] = {0};
    for (int c = 0; c < 3; c++)
      if (i < 8) p[c] = (i >> c & 1 ? 1 : -1) * box_half[c];
    if (i >= 8) p[(i - 8) / 2] = (i % 2 ? 1 : -1) * box_half[(i - 8) / 2];
    b->distance[i] = pl_norm3(p);
    b->left[i] = 1e-7 * i;
    for (int c = 0; c < 3; c++) b->ray[i][c] = p[c] / b->distance[i];
  }
  for (int f = 0; f < 24; f++) {
    b->face[f][0] = 8 + f / 4;
    b->face[f][2] = side[f / 4][f % 4];
    b->face[f][1] = side[f / 4][(f + 1) % 4];
  }
}

// Half the diagonals of an octahedron of curvatures (xx, yy, xy; 1/m), up and down.
static const double bend_up[3] = {10, 10, 5}, bend_down[3] = {20, 20, 5};

static inline void add_bending(pl_env *env, pl_sheet_material *m) {
  static const int f[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                              {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  pl_boundary *b = &m->bending;
  check_ok(env, pl_boundary_alloc(env, 6, 8, b));
  for (int i = 0; i < 6; i++) {
    b->ray[i][i / 2] = i % 2 ? -1 : 1;
    b->distance[i] = (i % 2 ? bend_down : bend_up)[i / 2];
  }
  memcpy(b->face, f, sizeof f);
}

#endif
