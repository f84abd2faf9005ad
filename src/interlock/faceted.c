#include "interlock_impl.h"

#include <string.h>

// Rings and curves as the triangles of a coarse mesh, whose corners lie on their surface. Triangles
// are thickened by a skin, so that corners lie deeper by as much: edges along the curve, and the
// flats between its corners, are where they would be without it.

static const double SKIN = 0.25; // over the wire

static size_t padded(size_t bytes) {
  return (bytes + 15) / 16 * 16;
}

static int is_faceted(const pl_piece *p) {
  return p->kind != PL_PIECE_FACETS;
}

static int piece_count(const pl_mail *m) {
  int n = 0;
  for (int k = 0; k < m->nkind; k++) n += m->kind[k].npiece;
  return n;
}

size_t pl_mail_faceted_size(const pl_mail *m, const pl_facet_plan *f) {
  int corners = f->segments * f->points;
  size_t buffer = padded(sizeof(pl_mail)) + padded((size_t)m->nkind * sizeof(pl_mail_element)) +
                  padded((size_t)piece_count(m) * sizeof(pl_piece));
  for (int k = 0; k < m->nkind; k++)
    for (int i = 0; i < m->kind[k].npiece; i++)
      if (is_faceted(&m->kind[k].piece[i]))
        buffer += padded(pl_facets_size(corners, 0, 2 * corners));
  return buffer;
}

// ---- corners ------------------------------------------------------------------------------------

static void put_corner(const double *x, double a, const double *e, double b, const double *f,
                       double *out) {
  for (int c = 0; c < 3; c++) out[c] = x[c] + a * e[c] + b * f[c];
}

static void ring_corners(const pl_piece *p, const pl_facet_plan *f, double rot, double skin,
                         double (*x)[3]) {
  double wide = p->radius - skin / cos(PL_PI / f->segments), high = p->height - skin;
  for (int i = 0; i < f->segments; i++) {
    double t = 2 * PL_PI * (i + rot) / f->segments, away[3], on[3];
    for (int c = 0; c < 3; c++) {
      away[c] = cos(t) * p->out[0][c] + sin(t) * p->out[1][c];
      on[c] = p->centre[c] + p->major * away[c];
    }
    for (int k = 0; k < f->points; k++) {
      double a = 2 * PL_PI * k / f->points;
      put_corner(on, wide * cos(a), away, high * sin(a), p->axis, x[i * f->points + k]);
    }
  }
}

static void unit(double *v) {
  double l = pl_norm3(v);
  for (int c = 0; c < 3; c++) v[c] /= l;
}

// a section of a curve: where it is, along it, and half the angle that the polygon turns by there
typedef struct station {
  double x[3], along[3], half;
} station;

static station station_of(const pl_piece *p, const pl_facet_plan *f, double place) {
  station s;
  pl_swept at[3];
  double in[3], out[3], cross[3];
  for (int k = 0; k < 3; k++)
    pl_piece_at(p, (double[2]){2 * PL_PI * (place + k - 1) / f->segments, 0}, &at[k]);
  memcpy(s.x, at[1].p, sizeof s.x);
  pl_sub3(at[1].p, at[0].p, in);
  pl_sub3(at[2].p, at[1].p, out);
  unit(in);
  unit(out);
  for (int c = 0; c < 3; c++) s.along[c] = in[c] + out[c];
  unit(s.along);
  pl_cross3(in, out, cross);
  s.half = atan2(pl_norm3(cross), pl_dot3(in, out)) / 2;
  return s;
}

// across a direction, as near to the last one as can be
static void transport(const double *along, double *e) {
  double on = pl_dot3(along, e);
  for (int c = 0; c < 3; c++) e[c] -= on * along[c];
  unit(e);
}

// Sections are transported along the curve; what they have turned by at its end is given back
// evenly.
static void curve_corners(const pl_piece *p, const pl_facet_plan *f, double rot, double skin,
                          double (*x)[3]) {
  double first[3] = {0}, e[3] = {0}, total = 0;
  for (int round = 0; round < 2; round++)
    for (int i = 0; i <= f->segments; i++) {
      station s = station_of(p, f, i + rot);
      double g[3], deep = p->radius - skin / cos(s.half);
      if (i == 0) {
        int least = 0;
        for (int c = 1; c < 3; c++)
          if (fabs(s.along[c]) < fabs(s.along[least])) least = c;
        for (int c = 0; c < 3; c++) e[c] = c == least;
      }
      transport(s.along, e);
      if (i == 0) memcpy(first, e, sizeof e);
      pl_cross3(e, s.along, g);
      if (round == 0 && i == f->segments) total = atan2(pl_dot3(first, g), pl_dot3(first, e));
      for (int k = 0; round == 1 && i < f->segments && k < f->points; k++) {
        double a = 2 * PL_PI * k / f->points + total * i / f->segments;
        put_corner(s.x, deep * cos(a), e, deep * sin(a), g, x[i * f->points + k]);
      }
    }
}

static void put_triangles(const pl_facet_plan *f, int (*tri)[3]) {
  int n = f->segments, m = f->points;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) {
      int a = i * m + k, b = (i + 1) % n * m + k, c = (i + 1) % n * m + (k + 1) % m,
          d = i * m + (k + 1) % m;
      const int two[2][3] = {{a, b, c}, {a, c, d}};
      memcpy(tri[2 * (i * m + k)], two, sizeof two);
    }
}

// ---- materials ----------------------------------------------------------------------------------

static pl_piece facet_piece(const pl_piece *p, const pl_facet_plan *f, double rot, double (*x)[3],
                            int (*tri)[3], char **buffer) {
  int corners = f->segments * f->points;
  double skin = SKIN * piece_wire(p);
  if (p->kind == PL_PIECE_RING)
    ring_corners(p, f, rot, skin, x);
  else
    curve_corners(p, f, rot, skin, x);
  put_triangles(f, tri);
  const pl_facets *made = pl_facets_init(corners, (const double(*)[3])x, 0, NULL, 2 * corners,
                                         (const int(*)[3])tri, *buffer);
  *buffer += padded(pl_facets_size(corners, 0, 2 * corners));
  return pl_piece_facets(made, skin);
}

static double rotation_of(const pl_facet_plan *f, int piece) {
  return f->nrot == 0 ? 0 : f->rot[piece < f->nrot ? piece : f->nrot - 1];
}

pl_status pl_mail_faceted(pl_env *env, const pl_mail *m, const pl_facet_plan *f, void *buffer,
                          const pl_mail **out) {
  size_t corners = (size_t)(f->segments * f->points);
  double(*x)[3] = pl_alloc(env, corners, sizeof *x);
  int(*tri)[3] = pl_alloc(env, 2 * corners, sizeof *tri);
  if (x && tri) {
    char *at = buffer;
    pl_mail *to = (pl_mail *)(void *)at;
    at += padded(sizeof *to);
    pl_mail_element *kind = (pl_mail_element *)(void *)at;
    at += padded((size_t)m->nkind * sizeof *kind);
    pl_piece *piece = (pl_piece *)(void *)at;
    at += padded((size_t)piece_count(m) * sizeof *piece);
    *to = *m;
    to->kind = kind;
    for (int k = 0; k < m->nkind; k++) {
      kind[k] = (pl_mail_element){m->kind[k].npiece, piece};
      for (int i = 0; i < m->kind[k].npiece; i++) {
        const pl_piece *p = &m->kind[k].piece[i];
        *piece++ = is_faceted(p) ? facet_piece(p, f, rotation_of(f, i), x, tri, &at) : *p;
      }
    }
    *out = to;
  }
  pl_status s = x && tri ? PL_OK : PL_E_NOMEM;
  pl_free(env, x);
  pl_free(env, tri);
  return s;
}
