// Edges of obstacles through triangles of bodies at the start, where no node is inside.
#include "contact_impl.h"

typedef struct look {
  const pl_skeleton *s;
  double x[3][3], n[3]; // corners and normal of a triangle in the axes of the obstacle
  double least, depth;
} look;

// of p in the plane of the triangle, how far it is from its boundary, inside of it; below 0:
// outside
static double inside_by(const look *k, const double *p) {
  double least = INFINITY;
  for (int a = 0; a < 3; a++) {
    double e[3], d[3], m[3];
    pl_sub3(k->x[(a + 1) % 3], k->x[a], e);
    pl_sub3(p, k->x[a], d);
    pl_cross3(e, d, m);
    least = fmin(least, pl_dot3(m, k->n) / pl_norm3(e));
  }
  return least;
}

// Edges that end at the triangle or pass its boundary touch it.
static void meet(void *ctx, int i) {
  look *k = ctx;
  const skeleton_edge *b = &k->s->edge[i];
  double h[2], d[3], p[3];
  if (!b->sharp) return;
  for (int j = 0; j < 2; j++) {
    pl_sub3(k->s->x[b->v[j]], k->x[0], d);
    h[j] = pl_dot3(k->n, d);
  }
  double depth = fmin(fabs(h[0]), fabs(h[1]));
  if (h[0] * h[1] >= 0 || depth <= k->least || depth <= k->depth) return;
  double u = h[0] / (h[0] - h[1]);
  for (int c = 0; c < 3; c++) p[c] = (1 - u) * k->s->x[b->v[0]][c] + u * k->s->x[b->v[1]][c];
  if (inside_by(k, p) > k->least) k->depth = depth;
}

static int set_triangle(look *k, const pl_obstacle *o, const double *R, const int *tri,
                        const double *q) {
  double e[3], g[3], d[3];
  for (int a = 0; a < 3; a++) {
    pl_sub3(q + 3 * tri[a], o->centre, d);
    for (int j = 0; j < 3; j++) k->x[a][j] = R[j] * d[0] + R[3 + j] * d[1] + R[6 + j] * d[2];
  }
  pl_sub3(k->x[1], k->x[0], e);
  pl_sub3(k->x[2], k->x[0], g);
  pl_cross3(e, g, k->n);
  double size = pl_norm3(k->n);
  for (int c = 0; c < 3 && size > 0; c++) k->n[c] /= size;
  return size > 0;
}

static void search(look *k) {
  double lo[3], hi[3];
  for (int c = 0; c < 3; c++) {
    lo[c] = fmin(k->x[0][c], fmin(k->x[1][c], k->x[2][c]));
    hi[c] = fmax(k->x[0][c], fmax(k->x[1][c], k->x[2][c]));
  }
  pl_bvh_overlaps(k->s->edges, lo, hi, meet, k);
}

pl_status pl_contact_pierced(pl_env *env, const pl_contact_desc *d, const double *q, double least,
                             double *depth, int *tri, int *obstacle) {
  *depth = 0;
  for (int o = 0; o < d->nobstacle; o++) {
    pl_skeleton *s;
    double R[9];
    PL_TRY(skeleton_create(env, &d->obstacle[o], 3, &s));
    obstacle_rotation(&d->obstacle[o], R);
    for (int t = 0; s && s->edges && t < d->ntri; t++) {
      look k = {.s = s, .least = least, .depth = *depth};
      if (!set_triangle(&k, &d->obstacle[o], R, d->tri + 3 * t, q)) continue;
      search(&k);
      if (k.depth <= *depth) continue;
      *depth = k.depth;
      *tri = t;
      *obstacle = o;
    }
    skeleton_free(s);
  }
  return PL_OK;
}
