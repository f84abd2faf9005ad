// A sheet from an own array of triangles, built in along one side, under its weight. A beam of the
// same section hangs 171.90 mm down (elastica).
#include "pliant/pliant.h"

#include <stdio.h>

enum { N = 40, NV = 2 * (N + 1), NT = 2 * N }; // squares in a row, vertices, triangles

int main(void) {
  pl_env env;
  pl_env_init(&env);
  pl_mesh *mesh = NULL;
  pl_builder *b = NULL;
  pl_status s = pl_mesh_create(&env, "strip", NV, &mesh);
  if (s == PL_OK) s = pl_mesh_set_cells(mesh, PL_TRI3, NT);
  if (s == PL_OK) s = pl_builder_create(&env, 3, &b);
  if (s != PL_OK) return 1;
  for (int i = 0; i < NV; i++) {
    mesh->X[3 * i] = 0.005 * (i / 2);
    mesh->X[3 * i + 1] = 0.005 * (i % 2);
  }
  for (int t = 0; t < NT; t++) {
    const int odd = t % 2, v[3] = {t, t + 1 + odd, t + 2 - odd};
    for (int k = 0; k < 3; k++) mesh->cell[PL_TRI3].v[3 * t + k] = v[k];
  }
  // rubber, two millimetres thick
  pl_build_body(b, &(pl_body_desc){.name = "strip",
                                   .mesh = mesh,
                                   .young = {.v = 1e7},
                                   .poisson = {.v = 0.4},
                                   .density = {.v = 1100},
                                   .thickness = {.v = 2e-3},
                                   .bending = PL_BENDING_MIDEDGE});
  pl_build_fix(b, 2, (int[]){0, 1}, PL_HOLD_CLAMP);
  b->gravity[2] = -9.81;

  pl_built m;
  pl_static_opts opts;
  pl_static_info info;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &opts);
  s = pl_build_all(b, 2, &m);
  if (s == PL_OK) s = pl_static(&opts, m.model, m.params, m.state, m.work, NULL, NULL, &info);
  if (s == PL_OK)
    printf("tip     %.3f mm\nstable  %d\n", 1e3 * m.state->q[3 * (NV - 1) + 2], info.stable);
  else
    fprintf(stderr, "%s: %s\n", pl_status_text(s), env.error.text);
  pl_built_free(&m);
  pl_mesh_free(mesh);
  return s != PL_OK;
}

/* TEST
command: 05-clamped-sheet
tip: -171.9 +- 0.5
stable: 1
*/
