#include "scene_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

// Closed ways through several plates and polylines of an element, as about the hole of a frame of
// plates: they are linked with other elements though none of the pieces is. Parts, polygons and
// edges of polylines, are convex, so that ways within them are straight; where two overlap a way
// leads from the one to the other. The ways are one more piece of the element, which lies inside of
// the others.

static const double FUSED = 0.1; // overlap over both thicknesses, of parts that are one
enum { PARTS_MAX = 2048, ROUNDS = 200 };

typedef struct part { // a convex polygon, or an edge
  int piece, n;
  const double (*x)[3];
  double radius;
  int nlink; // parts that it is fused with
} part;

typedef struct fused { // places of two parts that are nearest to each other
  int part[2];
  double x[2][3], radius;
} fused;

typedef struct skeleton {
  reader *r;
  int npart, nfused, npoint, nsegment;
  part *part;     // [PARTS_MAX]
  fused *fused;   // [2 PARTS_MAX]
  double (*x)[3]; // [4 PARTS_MAX] two of each place
  int (*segment)[2];
} skeleton;

// ---- parts --------------------------------------------------------------------------------------

static void nearest_on_edge(const double a[3], const double b[3], const double p[3],
                            double out[3]) {
  double along[3], to[3];
  pl_sub3(b, a, along);
  pl_sub3(p, a, to);
  double size = pl_dot3(along, along);
  double t = size > 0 ? fmax(0, fmin(1, pl_dot3(to, along) / size)) : 0;
  for (int c = 0; c < 3; c++) out[c] = a[c] + t * along[c];
}

static double distance(const double a[3], const double b[3]) {
  double d[3];
  pl_sub3(a, b, d);
  return pl_norm3(d);
}

// 1: the place below p on the polygon's plane lies in it
static int falls_within(const part *q, const double p[3], double out[3]) {
  double axis[3] = {0}, to[3];
  for (int k = 1; k + 1 < q->n; k++) {
    double a[3], b[3], c[3];
    pl_sub3(q->x[k], q->x[0], a);
    pl_sub3(q->x[k + 1], q->x[0], b);
    pl_cross3(a, b, c);
    for (int i = 0; i < 3; i++) axis[i] += c[i];
  }
  double size = pl_norm3(axis);
  pl_sub3(p, q->x[0], to);
  double high = pl_dot3(to, axis) / size;
  for (int c = 0; c < 3; c++) out[c] = p[c] - high * axis[c] / size;
  for (int k = 0; k < q->n; k++) {
    double side[3], off[3], across[3];
    pl_sub3(q->x[(k + 1) % q->n], q->x[k], side);
    pl_sub3(out, q->x[k], off);
    pl_cross3(axis, side, across);
    if (pl_dot3(across, off) < 0) return 0;
  }
  return 1;
}

static void nearest_on_part(const part *q, const double p[3], double out[3]) {
  double best = INFINITY;
  if (q->n > 2 && falls_within(q, p, out)) return;
  for (int k = 0; k < (q->n > 2 ? q->n : 1); k++) {
    double at[3];
    nearest_on_edge(q->x[k], q->x[(k + 1) % q->n], p, at);
    if (distance(at, p) >= best) continue;
    best = distance(at, p);
    memcpy(out, at, sizeof at);
  }
}

// a ball about its first corner
static double range(const part *q) {
  double most = 0;
  for (int k = 1; k < q->n; k++) most = fmax(most, distance(q->x[k], q->x[0]));
  return most + q->radius;
}

// Convex sets: nearest to each other in turns. 0: they are not fused.
static int fuse(const part *a, const part *b, fused *out) {
  if (distance(a->x[0], b->x[0]) > range(a) + range(b)) return 0;
  double *p = out->x[0], *q = out->x[1], far = INFINITY;
  for (int c = 0; c < 3; c++) p[c] = (a->x[0][c] + a->x[a->n / 2][c]) / 2;
  for (int k = 0; k < ROUNDS; k++) {
    nearest_on_part(b, p, q);
    nearest_on_part(a, q, p);
    double now = distance(p, q);
    if (far - now < 1e-9 * (a->radius + b->radius)) break;
    far = now;
  }
  out->radius = (a->radius + b->radius - distance(p, q)) / 2;
  return out->radius > FUSED * fmin(a->radius, b->radius);
}

static void add_part(skeleton *s, const pl_piece *p, int piece, int n, const double (*x)[3]) {
  if (s->npart == PARTS_MAX) return;
  s->part[s->npart++] = (part){.piece = piece, .n = n, .x = x, .radius = p->radius};
}

// edges of polylines as parts of two corners; the last one may lead back to the first corner
static void add_parts(skeleton *s, const piece_def *d, const pl_piece *p, int piece) {
  int n;
  if (!d->plate && !d->capsules) return;
  const double(*x)[3] = pl_facets_corners(p->facets, &n);
  if (d->plate) {
    add_part(s, p, piece, n, x);
    return;
  }
  for (int k = 0; k + 1 < n; k++) add_part(s, p, piece, 2, x + k);
  double(*last)[3] = d->capsules->closed.v ? scene_alloc(s->r, 2, sizeof *last) : NULL;
  if (!last) return;
  memcpy(last[0], x[n - 1], sizeof *last);
  memcpy(last[1], x[0], sizeof *last);
  add_part(s, p, piece, 2, (const double(*)[3])last);
}

// ---- ways ---------------------------------------------------------------------------------------

static void find_fused(skeleton *s) {
  for (int i = 0; i < s->npart; i++)
    for (int j = 0; j < i; j++) {
      fused f = {.part = {i, j}};
      if (s->nfused == 2 * PARTS_MAX || !fuse(&s->part[i], &s->part[j], &f)) continue;
      s->fused[s->nfused++] = f;
      s->part[i].nlink++;
      s->part[j].nlink++;
    }
}

// parts at the end of no way but one are on no closed one
static void drop_ends(skeleton *s) {
  for (int k = 0; k < s->nfused;) {
    fused *f = &s->fused[k];
    part *a = &s->part[f->part[0]], *b = &s->part[f->part[1]];
    if (a->nlink > 1 && b->nlink > 1) {
      k++;
      continue;
    }
    a->nlink--;
    b->nlink--;
    *f = s->fused[--s->nfused];
    k = 0;
  }
}

// closed ways lead through several pieces, or are those of one polyline
static int leads_through_several(const skeleton *s) {
  for (int k = 0; k < s->nfused; k++)
    if (s->part[s->fused[k].part[0]].piece != s->part[s->fused[k].part[1]].piece) return 1;
  return 0;
}

// the number of a point, known ones again
static int point(skeleton *s, const double x[3], double radius) {
  for (int k = 0; k < s->npoint; k++)
    if (distance(s->x[k], x) < 1e-6 * radius) return k;
  memcpy(s->x[s->npoint], x, sizeof *s->x);
  return s->npoint++;
}

static void join(skeleton *s, int a, int b) {
  if (a == b) return;
  s->segment[s->nsegment][0] = a;
  s->segment[s->nsegment++][1] = b;
}

// from part to part, and within each from place to place
static double draw_ways(skeleton *s) {
  double radius = INFINITY;
  for (int i = 0; i < s->npart; i++) {
    int last = -1;
    double own = s->part[i].radius;
    if (s->part[i].nlink > 0) radius = fmin(radius, own);
    for (int k = 0; k < s->nfused; k++)
      for (int e = 0; e < 2; e++) {
        const fused *f = &s->fused[k];
        if (f->part[e] != i) continue;
        int at = point(s, f->x[e], own);
        if (last >= 0) join(s, last, at);
        if (e == 0) join(s, at, point(s, f->x[1], own));
        radius = fmin(radius, f->radius);
        last = at;
      }
  }
  return radius;
}

int add_skeleton(reader *r, int n, const piece_def *d, pl_piece *piece) {
  skeleton s = {.r = r};
  int several = 0;
  for (int k = 0; k < n; k++) several += d[k].plate || d[k].capsules;
  if (several < 2) return n;
  s.part = scene_alloc(r, PARTS_MAX, sizeof *s.part);
  s.fused = scene_alloc(r, 2 * PARTS_MAX, sizeof *s.fused);
  s.x = scene_alloc(r, 4 * PARTS_MAX, sizeof *s.x);
  s.segment = scene_alloc(r, 8 * PARTS_MAX, sizeof *s.segment);
  if (!s.part || !s.fused || !s.x || !s.segment) return n;
  for (int k = 0; k < n; k++) add_parts(&s, &d[k], &piece[k], k);
  find_fused(&s);
  drop_ends(&s);
  if (!leads_through_several(&s)) return n;
  double radius = draw_ways(&s);
  void *buffer = scene_alloc(r, pl_facets_size(s.npoint, s.nsegment, 0), 1);
  if (!buffer) return n;
  const pl_facets *f = pl_facets_init(s.npoint, (const double(*)[3])s.x, s.nsegment,
                                      (const int(*)[2])s.segment, 0, NULL, buffer);
  piece[n] = pl_piece_facets(f, radius);
  return n + 1;
}
