// A frame of wires built in code: a ring on a stem whose foot is shaken sideways by 0.2 mm. Its
// nonlinear response is followed through the first resonance; linear modes about rest have their
// first frequency at 183.0 rad/s.
#include "pliant/pliant.h"

#include <stdio.h>

enum { STEM = 8, RING = 16, N = STEM + RING };

int main(void) {
  double X[N][3] = {0};
  int seg[N][2];
  // vertices 0 .. STEM along the stem, then round the ring, which begins at its end
  for (int i = 0; i < N; i++) {
    double a = 2 * PL_PI * (i - STEM) / RING;
    X[i][0] = i > STEM ? 0.02 * sin(a) : 0;
    X[i][2] = i > STEM ? 0.10 - 0.02 * cos(a) : 0.08 * i / STEM;
    for (int k = 0; k < 2; k++) seg[i][k] = i + k < N ? i + k : STEM;
  }
  pl_builder *b;
  if (pl_builder_create(NULL, 3, &b) != PL_OK) return 1;
  pl_body_desc wire = {.kind = PL_BODY_ROD, .young.v = 70e9, .poisson.v = 0.33, .density.v = 2700};
  wire.mesh = pl_build_mesh(b, "wire", N, X[0], PL_SEG2, N, seg[0]);
  wire.section = (pl_section){.width.v = 1e-3, .height.v = 1e-3};
  pl_build_body(b, &wire);
  pl_build_shake(b, 1, (int[]){0}, (double[]){2e-4, 0, 0}, PL_HOLD_CLAMP);
  b->alpha = 10; // damping, 1/s

  pl_built m;
  pl_curve *curve = NULL;
  const pl_response_opts o = pl_response_between(130, 220); // rad/s
  if (pl_build_all(b, 2, &m) != PL_OK) return 1;
  pl_status s = pl_response(&o, m.model, m.params, m.work, 1, (int[]){STEM}, NULL, &curve);
  if (s == PL_OK) printf("peak %.3f rad/s\n", pl_curve_peak(curve));
  pl_curve_free(curve);
  pl_built_free(&m);
  return s != PL_OK;
}

/* TEST
command: 06-rod-frame
peak: 183 +- 2
*/
