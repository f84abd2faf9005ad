#include "family.h"

#include <string.h>

// Scale mail: six tilted rings about a plate, in a pinwheel, and a foot below them.

enum { RADIUS, WIRE, HEIGHT, CENTRE, TILT, ROT, PHASE, PITCH, PLATE, LEVEL, THICK, FOOT };

static const pl_key keys[] = {
    [RADIUS] = LENGTH("radius", 4.18e-3, "of a ring"),
    [WIRE] = LENGTH("wire", 0.79e-3, "half the width of its section in the plane of the ring"),
    [HEIGHT] = LENGTH("height", 0.79e-3, "half the height of its section along the ring's axis"),
    [CENTRE] = LENGTH("centre", 3.35e-3, "distance of the rings' centres from the middle"),
    [TILT] = ANGLE("tilt", 45, 0, "of the rings' axes from z"),
    [ROT] = ANGLE("turn", 90, 0, "from the way to a ring's centre to where its axis leans"),
    [PHASE] = ANGLE("phase", 0, -90, "of the first ring's centre from x"),
    [PITCH] = LENGTH("pitch", 13.02e-3, "distance of elements"),
    [PLATE] =
        LENGTH_OR_NONE("plate", 6.216e-3, "from the middle to a side of the hexagon; 0: none"),
    [LEVEL] = LENGTH("plate_level", 2.992e-3, "of the plate's middle above the rings' centres"),
    [THICK] = LENGTH("plate_thickness", 0.5e-3, "of the plate"),
    [FOOT] = LENGTH_OR_NONE("foot", 3.55e-3, "radius of the ring at its foot; 0: none"),
};

// The published foot is a cup: its rim, and a wall that narrows upwards, as rings that follow each
// other.
static int add_foot(double radius, pl_piece *out) {
  enum { WALL = 4 };
  const double wire = radius * 0.75 / 3.55, scale = radius / 3.55;
  out[0] = pl_piece_ring((double[]){0, 0, -2.83 * scale}, Z_AXIS, radius, wire, wire);
  for (int k = 0; k < WALL; k++) {
    double s = (k + 0.5) / WALL, z = (-1.93 + 3.7 * s) * scale;
    out[1 + k] =
        pl_piece_ring((double[]){0, 0, z}, Z_AXIS, (4.2 - s) * scale - wire, wire, 1.3 * wire);
  }
  return 1 + WALL;
}

static pl_piece plate(const double *v, void *buffer) {
  double x[6][3], radius = v[THICK] / 2, corner = (v[PLATE] - radius) / cos(PL_PI / 6);
  static const int face[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 5}, {3, 4, 5}};
  for (int k = 0; k < 6; k++) {
    double phi = (60 * k + 30) * PL_PI / 180;
    x[k][0] = corner * cos(phi);
    x[k][1] = corner * sin(phi);
    x[k][2] = v[LEVEL];
  }
  return pl_piece_facets(pl_facets_init(6, (const double(*)[3])x, 0, NULL, 4, face, buffer),
                         radius);
}

static void make(const double *v, pl_mail_data *d) {
  memset(d, 0, sizeof *d);
  PL_ASSERT(sizeof d->buffer >= pl_facets_size(6, 0, 4));
  int n = 0;
  for (int k = 0; k < 6; k++) {
    double phi = v[PHASE] + k * PL_PI / 3, lean = phi + v[ROT], s = sin(v[TILT]);
    d->piece[n++] = pl_piece_ring((double[]){v[CENTRE] * cos(phi), v[CENTRE] * sin(phi), 0},
                                  (double[]){s * cos(lean), s * sin(lean), cos(v[TILT])}, v[RADIUS],
                                  v[WIRE], v[HEIGHT]);
  }
  if (v[PLATE] > v[THICK]) d->piece[n++] = plate(v, d->buffer);
  if (v[FOOT] > 0) n += add_foot(v[FOOT], d->piece + n);
  d->pose[0] = pose_at(0, 0, Z_AXIS, 0);
  set_mail(d, 1, (int[]){n}, 1, (double[]){v[PITCH], 0, v[PITCH] / 2, v[PITCH] * sqrt(0.75)});
}

const pl_mail_family family_scale_mail = {.brief = "scale mail",
                                          .text = "Six tilted rings, each linked with one of a "
                                                  "neighbour, under a hexagonal plate; hexagonal, "
                                                  "and other things upwards than downwards.",
                                          .nkey = COUNT(keys),
                                          .key = keys,
                                          .lattice = 1 << PITCH,
                                          .make = make};
