#include "interlock_impl.h"

// The linking number of two closed curves by Gauss's integral, exact for the polygons through
// points of both: the sum of the areas that pairs of edges take of the sphere of directions.

enum { EDGES = 64 };

static void points(const pl_piece *p, const pl_pose *t, double x[EDGES][3]) {
  for (int i = 0; i < EDGES; i++) {
    pl_swept s;
    pl_piece_at(p, (double[2]){2 * PL_PI * i / EDGES, 0}, &s);
    for (int c = 0; c < 3; c++) x[i][c] = t->x[c] + pl_dot3(t->Q + 3 * c, s.p);
  }
}

// area of the spherical triangle a b c, with sign (van Oosterom and Strackee)
static double area(const double *a, const double *b, const double *c) {
  double bc[3], la = pl_norm3(a), lb = pl_norm3(b), lc = pl_norm3(c);
  pl_cross3(b, c, bc);
  double over = pl_dot3(a, bc);
  double under = la * lb * lc + pl_dot3(a, b) * lc + pl_dot3(b, c) * la + pl_dot3(c, a) * lb;
  return 2 * atan2(over, under);
}

int pl_piece_links(const pl_piece *a, const pl_pose *at, const pl_piece *b, const pl_pose *bt) {
  double x[EDGES][3], y[EDGES][3], sum = 0;
  points(a, at, x);
  points(b, bt, y);
  for (int i = 0; i < EDGES; i++)
    for (int j = 0; j < EDGES; j++) {
      double d[4][3];
      int ni = (i + 1) % EDGES, nj = (j + 1) % EDGES;
      pl_sub3(y[j], x[i], d[0]);
      pl_sub3(y[j], x[ni], d[1]);
      pl_sub3(y[nj], x[ni], d[2]);
      pl_sub3(y[nj], x[i], d[3]);
      sum += area(d[0], d[1], d[2]) + area(d[0], d[2], d[3]);
    }
  return (int)lrint(sum / (4 * PL_PI));
}
