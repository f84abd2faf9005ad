// Half space: n'x <= 0, n the unit normal.
#include "contact_impl.h"

enum { GRID = 6, HATCH = 24 }; // lines that show it

static const pl_key keys[] = {
    {.name = "through",
     .type = PL_KEY_CENTRE,
     .unit = "m",
     .text = "any of its points, the origin when left out"},
    {.name = "normal",
     .type = PL_KEY_VECTOR,
     .need = 1,
     .unit = "",
     .text = "out of it, to the free side; of any length"},
};

static int check(const pl_obstacle *o, int dim, pl_shape_fault *fault) {
  *fault = (pl_shape_fault){"normal", "normal must not be zero",
                            "it points out of the obstacle, e.g. upwards for a floor"};
  return !(pl_norm(dim, o->par) > 0);
}

static double distance(const pl_obstacle *o, int dim, const double *x, double *n) {
  obstacle_unit(dim, o->par, n);
  return pl_dot(dim, x, n);
}

static void draw_hatches(const pl_pen *p, double frame[3][3], double lo, double hi) {
  double from[3], to[3], in[3], step = (hi - lo) / HATCH;
  for (int i = 0; i < HATCH; i++) {
    for (int c = 0; c < 3; c++) {
      from[c] = (lo + i * step) * frame[1][c];
      to[c] = from[c] + step * frame[1][c];
      in[c] = from[c] - 0.5 * step * (frame[1][c] + frame[0][c]);
    }
    pl_pen_line(p, from, to);
    pl_pen_line(p, from, in);
  }
}

// a grid on what lies behind the model; in two dimensions a line with hatches
static void draw(const pl_obstacle *o, pl_pen *p) {
  double frame[3][3] = {{0}}, lo[2], hi[2], a[3], b[3];
  obstacle_unit(p->dim, o->par, frame[0]);
  pl_contact_tangents(p->dim, frame);
  for (int k = 0; k < 2; k++) pl_pen_extent(p, frame[k + 1], &lo[k], &hi[k]);
  double margin = 0.1 * fmax(hi[0] - lo[0], hi[1] - lo[1]);
  if (!isfinite(margin)) return;
  if (p->dim < 3) {
    draw_hatches(p, frame, lo[0] - margin, hi[0] + margin);
    return;
  }
  for (int k = 0; k < 2; k++)
    for (int i = 0; i <= GRID; i++) {
      double s = lo[k] - margin + (hi[k] - lo[k] + 2 * margin) * i / GRID;
      for (int c = 0; c < 3; c++) {
        a[c] = s * frame[k + 1][c] + (lo[1 - k] - margin) * frame[2 - k][c];
        b[c] = s * frame[k + 1][c] + (hi[1 - k] + margin) * frame[2 - k][c];
      }
      pl_pen_line(p, a, b);
    }
}

static pl_status sample(pl_env *env, unsigned seed, int dim, pl_obstacle *o) {
  pl_rng r;
  (void)env;
  pl_rng_seed(&r, seed);
  obstacle_random(&r, dim, o->par);
  return PL_OK;
}

const pl_obstacle_kind pl_obstacle_plane = {
    .name = "plane",
    .brief = "half space",
    .text = "All that lies behind a plane; in two dimensions behind a line.",
    .dim = 1,
    .nkey = COUNT(keys),
    .key = keys,
    .check = check,
    .distance = distance,
    .draw = draw,
    .sample = sample,
};
