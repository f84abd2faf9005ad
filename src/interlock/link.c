#include "interlock_impl.h"

#include <string.h>

// The linking number of two closed curves by Gauss's integral, exact for the polygons through
// points of both: the sum of the areas that pairs of edges take of the sphere of directions.

enum { EDGES = 64 };

static int loops(const pl_piece *p) {
  return p->kind == PL_PIECE_FACETS ? facets_loops(p->facets) : 1;
}

typedef struct stretch {
  int n;
  double x[EDGES][2][3];
} stretch;

// so many edges of a closed way of a piece as there is room for, from one of them on
static int next_edges(const pl_piece *p, const pl_pose *t, int loop, int from, stretch *out) {
  double local[2][3];
  int facets = p->kind == PL_PIECE_FACETS;
  for (out->n = 0; out->n < EDGES; out->n++) {
    if (facets && !facets_way(p->facets, loop, from + out->n, local)) break;
    if (!facets && from + out->n == EDGES) break;
    for (int i = 0; i < 2; i++) {
      pl_swept s;
      if (!facets) {
        pl_piece_at(p, (double[2]){2 * PL_PI * (from + out->n + i) / EDGES, 0}, &s);
        memcpy(local[i], s.p, sizeof s.p);
      }
      for (int c = 0; c < 3; c++) out->x[out->n][i][c] = t->x[c] + pl_dot3(t->Q + 3 * c, local[i]);
    }
  }
  return out->n;
}

// area of the spherical triangle a b c, with sign (van Oosterom and Strackee)
static double area(const double *a, const double *b, const double *c) {
  double bc[3], la = pl_norm3(a), lb = pl_norm3(b), lc = pl_norm3(c);
  pl_cross3(b, c, bc);
  double over = pl_dot3(a, bc);
  double under = la * lb * lc + pl_dot3(a, b) * lc + pl_dot3(b, c) * la + pl_dot3(c, a) * lb;
  return 2 * atan2(over, under);
}

static double areas(const stretch *a, const stretch *b) {
  double sum = 0;
  for (int i = 0; i < a->n; i++)
    for (int j = 0; j < b->n; j++) {
      const double(*x)[3] = (const double(*)[3])a->x[i], (*y)[3] = (const double(*)[3])b->x[j];
      double d[4][3];
      pl_sub3(y[0], x[0], d[0]);
      pl_sub3(y[0], x[1], d[1]);
      pl_sub3(y[1], x[1], d[2]);
      pl_sub3(y[1], x[0], d[3]);
      sum += area(d[0], d[1], d[2]) + area(d[0], d[2], d[3]);
    }
  return sum;
}

static int linked(const pl_piece *a, const pl_pose *at, int i, const pl_piece *b, const pl_pose *bt,
                  int j) {
  stretch x, y;
  double sum = 0;
  for (int k = 0; next_edges(a, at, i, k, &x) > 0; k += EDGES)
    for (int l = 0; next_edges(b, bt, j, l, &y) > 0; l += EDGES) sum += areas(&x, &y);
  return (int)lrint(sum / (4 * PL_PI));
}

int pl_piece_links(const pl_piece *a, const pl_pose *at, const pl_piece *b, const pl_pose *bt) {
  couple c = couple_of(a, at, b, bt, (const int[2]){0, 0});
  if (couple_ball_gap(&c) > 0) return 0;
  int n = loops(a), m = loops(b), sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      int one = linked(a, at, i, b, bt, j);
      sum += n * m == 1 ? one : one < 0 ? -one : one;
    }
  return sum;
}
