#include "facets.h"
#include "patch_impl.h"

#include <string.h>

// Second moments of elements about their centre of mass. Sections of tubes count in full: of mass
// a length, its mean lies kappa a^2 / 4 away from the middle of curvature, and its squares are
// a^2 / 4 and b^2 / 4. Thin plates and wires of facets count as what they are drawn along, closed
// meshes as what they bound.

enum { ALONG = 256 };

typedef struct moments {
  double all, first[3], second[9];
} moments;

static void add_outer(moments *m, double w, const double *a, const double *b) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) m->second[3 * i + k] += w * (a[i] * b[k] + b[i] * a[k]) / 2;
}

static void add_section(moments *m, const pl_piece *p, double u) {
  pl_swept s;
  pl_piece_at(p, (double[2]){u, 0}, &s);
  double t[3], side[3], other[3], speed = pl_norm3(s.d[0]);
  for (int c = 0; c < 3; c++) t[c] = s.d[0][c] / speed;
  double along = pl_dot3(s.dd[0], t);
  for (int c = 0; c < 3; c++) side[c] = s.dd[0][c] - along * t[c];
  double bend = pl_norm3(side), kappa = bend / (speed * speed);
  if (!(bend > 1e-9 * speed))
    pl_cross3(t, fabs(t[0]) < 0.9 ? (double[]){1, 0, 0} : (double[]){0, 1, 0}, side);
  double length = pl_norm3(side);
  for (int c = 0; c < 3; c++) side[c] /= length;
  pl_cross3(t, side, other);
  double a = p->radius, b = p->kind == PL_PIECE_RING ? p->height : p->radius;
  double w = PL_PI * a * b * speed, out = -kappa * a * a / 4;
  m->all += w;
  for (int c = 0; c < 3; c++) m->first[c] += w * (s.p[c] + out * side[c]);
  add_outer(m, w, s.p, s.p);
  add_outer(m, 2 * w * out, s.p, side);
  add_outer(m, w * a * a / 4, side, side);
  add_outer(m, w * b * b / 4, other, other);
}

// a simplex of so much mass: (sum x x' + sum x sum x') / (n (n + 1))
static void add_simplex(moments *m, double w, int n, const double (*x)[3]) {
  double sum[3] = {0}, part = w / (n * (n + 1));
  for (int k = 0; k < n; k++) {
    for (int c = 0; c < 3; c++) sum[c] += x[k][c];
    add_outer(m, part, x[k], x[k]);
  }
  add_outer(m, part, sum, sum);
  m->all += w;
  for (int c = 0; c < 3; c++) m->first[c] += w * sum[c] / n;
}

static void add_facets(moments *m, const pl_piece *p) {
  const pl_facets *f = p->facets;
  int closed = facets_wire(f) > 0;
  for (int k = 0; k < f->nsimplex; k++) {
    double x[4][3] = {{0}}, a[3], b[3], across[3];
    int n = f->s[k].n;
    for (int i = 0; i < n; i++) memcpy(x[i], f->x[f->s[k].v[i]], sizeof x[i]);
    if (n < 2) continue;
    pl_sub3(x[1], x[0], a);
    pl_sub3(x[2], x[0], b);
    pl_cross3(a, b, across);
    if (n == 2)
      add_simplex(m, PL_PI * p->radius * p->radius * pl_norm3(a), 2, (const double(*)[3])x);
    else if (!closed)
      add_simplex(m, p->radius * pl_norm3(across), 3, (const double(*)[3])x);
  }
  for (int k = 0; closed && k < f->nface; k++) {
    double x[4][3] = {{0}}, n[3];
    for (int i = 0; i < 3; i++) memcpy(x[i], f->x[f->face[k][i]], sizeof x[i]);
    pl_cross3(x[0], x[1], n);
    add_simplex(m, pl_dot3(n, x[2]) / 6, 4, (const double(*)[3])x);
  }
}

void element_moment(const pl_mail_element *e, double S[9]) {
  moments m = {0};
  for (int k = 0; k < e->npiece; k++) {
    const pl_piece *p = &e->piece[k];
    for (int i = 0; p->kind != PL_PIECE_FACETS && i < ALONG; i++)
      add_section(&m, p, 2 * PL_PI * i / ALONG);
    if (p->kind != PL_PIECE_FACETS) continue;
    // sums of tubes are per step of the parameter
    moments own = {0};
    add_facets(&own, p);
    double scale = ALONG / (2 * PL_PI);
    m.all += scale * own.all;
    for (int c = 0; c < 3; c++) m.first[c] += scale * (own.first[c] + own.all * p->centre[c]);
    add_outer(&own, 2, p->centre, own.first);
    add_outer(&own, own.all, p->centre, p->centre);
    for (int c = 0; c < 9; c++) m.second[c] += scale * own.second[c];
  }
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      S[3 * i + k] = m.second[3 * i + k] / m.all - m.first[i] * m.first[k] / (m.all * m.all);
}
