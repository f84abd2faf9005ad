#include "facets.h"
#include "patch_impl.h"

#include "pliant/mesh.h"

#include <string.h>

// Surfaces of elements, for pictures: tubes of quadrangles about curves, each cut in two triangles.

typedef struct counts {
  int vert, tri;
} counts;

static counts tube_counts(int along, int around) {
  return (counts){along * around, 2 * along * around};
}

static counts piece_counts(const pl_piece *p, int along, int around) {
  if (p->kind != PL_PIECE_FACETS) return tube_counts(along, around);
  const pl_facets *f = p->facets;
  return (counts){2 * f->nedge * around + 6 * f->nface, 2 * f->nedge * around + 2 * f->nface};
}

static void put_tri(int **tri, int a, int b, int c) {
  const int v[3] = {a, b, c};
  memcpy(*tri, v, sizeof v);
  *tri += 3;
}

// quadrangles between n sections of m points; closed: the last one meets the first
static void put_quads(int first, int n, int m, int closed, int **tri) {
  for (int i = 0; i < (closed ? n : n - 1); i++)
    for (int k = 0; k < m; k++) {
      int a = first + i * m, b = first + (i + 1) % n * m, l = (k + 1) % m;
      put_tri(tri, a + k, b + k, b + l);
      put_tri(tri, a + k, b + l, a + l);
    }
}

// a point about x, in the plane of two unit directions
static void put_point(const double *x, const double *e, double a, const double *f, double b,
                      double **out) {
  for (int c = 0; c < 3; c++) (*out)[c] = x[c] + a * e[c] + b * f[c];
  *out += 3;
}

static void put_ring(const pl_piece *p, int along, int around, double **out) {
  for (int i = 0; i < along; i++) {
    double t = 2 * PL_PI * i / along, away[3], x[3];
    for (int c = 0; c < 3; c++) {
      away[c] = cos(t) * p->out[0][c] + sin(t) * p->out[1][c];
      x[c] = p->centre[c] + p->major * away[c];
    }
    for (int k = 0; k < around; k++) {
      double a = 2 * PL_PI * k / around;
      put_point(x, away, p->radius * cos(a), p->axis, p->height * sin(a), out);
    }
  }
}

static void unit(double *v) {
  double l = pl_norm3(v);
  for (int c = 0; c < 3; c++) v[c] /= l;
}

// across a direction, and as near to the last one as can be
static void transport(const double *along, double *e) {
  double on = pl_dot3(along, e);
  for (int c = 0; c < 3; c++) e[c] -= on * along[c];
  unit(e);
}

static void across(const double *along, double *e) {
  int least = 0;
  for (int c = 1; c < 3; c++)
    if (fabs(along[c]) < fabs(along[least])) least = c;
  for (int c = 0; c < 3; c++) e[c] = c == least;
  transport(along, e);
}

// Sections are transported along the curve; what they have turned by at its end is given back
// evenly.
static void put_curve(const pl_piece *p, int along, int around, double **out) {
  double first[3] = {0}, e[3] = {0}, total = 0;
  for (int round = 0; round < 2; round++)
    for (int i = 0; i <= along; i++) {
      pl_swept s;
      double f[3];
      pl_piece_at(p, (double[2]){2 * PL_PI * i / along, 0}, &s);
      unit(s.d[0]);
      if (i == 0) {
        across(s.d[0], e);
        memcpy(first, e, sizeof e);
      } else {
        transport(s.d[0], e);
      }
      pl_cross3(e, s.d[0], f);
      if (round == 0 && i == along) total = atan2(pl_dot3(first, f), pl_dot3(first, e));
      for (int k = 0; round == 1 && i < along && k < around; k++) {
        double a = 2 * PL_PI * k / around + total * i / along;
        put_point(s.p, e, p->radius * cos(a), f, p->radius * sin(a), out);
      }
    }
}

// rods about edges, and both sides of triangles
static void put_facets(const pl_facets *f, double radius, int around, int first, double **out,
                       int **tri) {
  for (int k = 0; k < f->nedge; k++) {
    double t[3], e[3], g[3];
    pl_sub3(f->x[f->edge[k][1]], f->x[f->edge[k][0]], t);
    unit(t);
    across(t, e);
    pl_cross3(e, t, g);
    for (int end = 0; end < 2; end++)
      for (int i = 0; i < around; i++) {
        double a = 2 * PL_PI * i / around;
        put_point(f->x[f->edge[k][end]], e, radius * cos(a), g, radius * sin(a), out);
      }
    put_quads(first, 2, around, 0, tri);
    first += 2 * around;
  }
  for (int k = 0; k < f->nface; k++) {
    const int *v = f->face[k];
    double a[3], b[3], n[3];
    pl_sub3(f->x[v[1]], f->x[v[0]], a);
    pl_sub3(f->x[v[2]], f->x[v[0]], b);
    pl_cross3(a, b, n);
    unit(n);
    for (int side = 1; side >= -1; side -= 2, first += 3) {
      for (int i = 0; i < 3; i++) put_point(f->x[v[i]], n, side * radius, n, 0, out);
      put_tri(tri, first, first + (side > 0 ? 1 : 2), first + (side > 0 ? 2 : 1));
    }
  }
}

pl_status pl_mail_element_mesh(pl_env *env, const pl_mail_element *e, int along, int around,
                               pl_mesh **out) {
  counts sum = {0};
  for (int k = 0; k < e->npiece; k++) {
    counts c = piece_counts(&e->piece[k], along, around);
    sum.vert += c.vert;
    sum.tri += c.tri;
  }
  PL_TRY(pl_mesh_create(env, "element", sum.vert, out));
  pl_status s = pl_mesh_set_cells(*out, PL_TRI3, sum.tri);
  if (s != PL_OK) {
    pl_mesh_free(*out);
    *out = NULL;
    return s;
  }
  double *x = (*out)->X;
  int *tri = (*out)->cell[PL_TRI3].v, first = 0;
  for (int k = 0; k < e->npiece; k++) {
    const pl_piece *p = &e->piece[k];
    if (p->kind == PL_PIECE_FACETS) {
      put_facets(p->facets, p->radius, around, first, &x, &tri);
    } else {
      if (p->kind == PL_PIECE_RING)
        put_ring(p, along, around, &x);
      else
        put_curve(p, along, around, &x);
      put_quads(first, along, around, 1, &tri);
    }
    first += piece_counts(p, along, around).vert;
  }
  return PL_OK;
}
