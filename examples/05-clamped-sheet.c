// A sheet from an own array of triangles, built in along one side, under its weight. A beam of the
// same section hangs 171.90 mm down (elastica).
#include "pliant/pliant.h"

#include <stdio.h>

enum { N = 40, NV = 2 * (N + 1), NT = 2 * N }; // squares in a row, vertices, triangles

int main(void) {
  double X[NV][3];
  int tri[NT][3];
  for (int i = 0; i < NV; i++)
    for (int c = 0; c < 3; c++) X[i][c] = c == 0 ? 0.005 * (i / 2) : c == 1 ? 0.005 * (i % 2) : 0;
  for (int t = 0; t < NT; t++)
    for (int k = 0; k < 3; k++) tri[t][k] = t + (t % 2 && k > 0 ? 3 - k : k);

  pl_builder *b;
  if (pl_builder_create(NULL, 3, &b) != PL_OK) return 1;
  // rubber, two millimetres thick
  pl_body_desc strip = {.young.v = 1e7, .poisson.v = 0.4, .density.v = 1100, .thickness.v = 2e-3};
  strip.mesh = pl_build_mesh(b, "strip", NV, X[0], PL_TRI3, NT, tri[0]);
  strip.bending = PL_BENDING_MIDEDGE;
  pl_build_body(b, &strip);
  pl_build_fix(b, 2, (int[]){0, 1}, PL_HOLD_CLAMP);
  b->gravity[2] = -9.81;

  pl_built m;
  pl_status s = pl_build_all(b, 2, &m);
  if (s == PL_OK) s = pl_built_static(&m, NULL);
  if (s == PL_OK) printf("tip     %.3f mm\n", 1e3 * m.state->q[3 * (NV - 1) + 2]);
  if (s != PL_OK) fprintf(stderr, "%s: %s\n", pl_status_text(s), pl_built_error(&m));
  pl_built_free(&m);
  return s != PL_OK;
}

/* TEST
command: 05-clamped-sheet
tip: -171.9 +- 0.5
*/
