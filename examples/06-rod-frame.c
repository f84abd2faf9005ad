// A frame of wires built in code: a ring on a stem whose foot is shaken sideways. Its response is
// followed through the first resonance. The linear estimate of the peak is the first frequency of
// vibration.
#include "pliant/pliant.h"

#include <stdio.h>
#include <string.h>

enum { STEM = 8, RING = 16 };

int main(void) {
  pl_env env;
  pl_env_init(&env);
  pl_builder *b = NULL;
  pl_mesh *mesh = NULL;
  pl_status s = pl_mesh_create(&env, "frame", STEM + RING, &mesh);
  if (s == PL_OK) s = pl_mesh_set_cells(mesh, PL_SEG2, STEM + RING);
  if (s == PL_OK) s = pl_builder_create(&env, 3, &b);
  if (s != PL_OK) return 1;
  // vertices 0 .. STEM along the stem, then round the ring, which begins at its end
  for (int i = 0; i < STEM + RING; i++) {
    double a = 2 * PL_PI * (i - STEM) / RING;
    const double x[3] = {i > STEM ? 0.02 * sin(a) : 0, 0,
                         i > STEM ? 0.10 - 0.02 * cos(a) : 0.08 * i / STEM};
    memcpy(mesh->X + 3 * i, x, sizeof x);
    mesh->cell[PL_SEG2].v[2 * i] = i;
    mesh->cell[PL_SEG2].v[2 * i + 1] = i + 1 < STEM + RING ? i + 1 : STEM;
  }
  pl_build_body(b, &(pl_body_desc){.name = "wire",
                                   .kind = PL_BODY_ROD,
                                   .mesh = mesh,
                                   .young = {.v = 70e9},
                                   .poisson = {.v = 0.33},
                                   .density = {.v = 2700},
                                   .section = {.width = {.v = 1e-3}, .height = {.v = 1e-3}}});
  // the foot and its direction: 0.2 mm to and fro along x
  const pl_term shake = {.harmonic = 1, .amplitude = {2e-4}};
  const int foot = 0, top = STEM + RING / 2;
  pl_build_drive(
      b,
      &(pl_drive_desc){
          .name = "shaker", .nnode = 1, .node = &foot, .mask = 7, .nterm = 1, .term = &shake},
      PL_HOLD_CLAMP, NULL);
  b->alpha = 10; // 1/s

  pl_built m;
  pl_curve *curve = NULL;
  double omega = 0, *shape = NULL;
  pl_modes_info modes;
  pl_response_opts o;
  pl_opts_default(pl_response_option_table, pl_response_option_count, &o);
  s = pl_build_all(b, 2, &m);
  if (s == PL_OK) shape = pl_alloc(&env, (size_t)pl_model_nq(m.model), sizeof *shape);
  if (s == PL_OK && !shape) s = PL_E_NOMEM;
  const pl_modes_opts first = {.count = 1};
  if (s == PL_OK) s = pl_modes(&first, m.model, m.params, m.state, m.work, &omega, shape, &modes);
  o.from = 0.7 * omega;
  o.to = 1.2 * omega;
  if (s == PL_OK) s = pl_response(&o, m.model, m.params, m.work, 1, &top, NULL, &curve);
  for (int k = 0; s == PL_OK && k < curve->nspecial; k++)
    if (curve->special[k].kind == PL_PEAK)
      printf("peak    %.4f of the first frequency\n", curve->special[k].omega / omega);
  if (s == PL_OK)
    printf("joints  %d free unknowns, %d points\n", pl_model_nfree(m.model), curve->npoint);
  else
    fprintf(stderr, "%s: %s\n", pl_status_text(s), env.error.text);
  pl_curve_free(curve);
  pl_free(&env, shape);
  pl_built_free(&m);
  pl_mesh_free(mesh);
  return s != PL_OK;
}

/* TEST
command: 06-rod-frame
peak: 1 +- 0.01
*/
