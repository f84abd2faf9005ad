#include "facets.h"

#include <float.h>
#include <string.h>

// Volumes of elements: tubes by Pappus, facets by Steiner's formula, unions by points of their
// pieces.

enum { ALONG = 256 };

static double curve_length(const pl_piece *p) {
  double sum = 0;
  for (int i = 0; i < ALONG; i++) {
    pl_swept s;
    pl_piece_at(p, (double[2]){2 * PL_PI * i / ALONG, 0}, &s);
    sum += pl_norm3(s.d[0]);
  }
  return sum * 2 * PL_PI / ALONG;
}

static double rotation_at(const double *a, const double *b, const double *c) {
  double x[3], y[3], n[3];
  pl_sub3(b, a, x);
  pl_sub3(c, b, y);
  pl_cross3(x, y, n);
  return atan2(pl_norm3(n), pl_dot3(x, y));
}

// At a corner the mitre of both tubes is a part of a ball instead: 2/3 r^3 (angle - 2
// tan(angle/2)).
static double line_volume(const pl_facets *f, double r) {
  double length = 0, sum = 0;
  int ends = 0;
  for (int e = 0; e < f->nedge; e++) {
    double w[3];
    pl_sub3(f->x[f->edge[e][1]], f->x[f->edge[e][0]], w);
    length += pl_norm3(w);
  }
  for (int v = 0; v < f->nvert; v++) {
    int n = f->star[v + 1] - f->star[v];
    const int *e = f->vert_edge + f->star[v];
    ends += n < 2 ? 2 - n : 0;
    if (n != 2) continue;
    int a = f->edge[e[0]][0] + f->edge[e[0]][1] - v, b = f->edge[e[1]][0] + f->edge[e[1]][1] - v;
    double angle = rotation_at(f->x[a], f->x[v], f->x[b]);
    sum += 2.0 / 3 * r * r * r * (angle - 2 * tan(fmin(angle / 2, 1.5)));
  }
  return PL_PI * r * r * length + 2.0 / 3 * PL_PI * r * r * r * ends + sum;
}

static void normal_of(const pl_facets *f, int face, double n[3]) {
  double a[3], b[3];
  const int *v = f->face[face];
  pl_sub3(f->x[v[1]], f->x[v[0]], a);
  pl_sub3(f->x[v[2]], f->x[v[0]], b);
  pl_cross3(a, b, n);
}

// A body grows by A r + r^2 sum of L angle / 2 + a ball's part; sheets of both sides.
static double surface_volume(const pl_facets *f, double r) {
  double volume = 0, area = 0, edges = 0;
  int open = 0;
  for (int k = 0; k < f->nface; k++) {
    double n[3];
    normal_of(f, k, n);
    area += pl_norm3(n) / 2;
    volume += pl_dot3(n, f->x[f->face[k][0]]) / 6;
  }
  double out = volume < 0 ? -1 : 1;
  for (int e = 0; e < f->nedge; e++) {
    double w[3], n[2][3], c[3], up[3];
    pl_sub3(f->x[f->edge[e][1]], f->x[f->edge[e][0]], w);
    if (f->nedge_face[e] < 2) {
      open = 1;
      edges += PL_PI * pl_norm3(w);
      continue;
    }
    for (int i = 0; i < 2; i++) normal_of(f, f->edge_face[e][i], n[i]);
    pl_cross3(n[0], n[1], c);
    const int *v = f->face[f->edge_face[e][1]];
    int third = v[0] + v[1] + v[2] - f->edge[e][0] - f->edge[e][1];
    pl_sub3(f->x[third], f->x[f->edge[e][0]], up);
    double side = pl_dot3(n[0], up) * out < 0 ? 1 : -1;
    edges += side * atan2(pl_norm3(c), pl_dot3(n[0], n[1])) * pl_norm3(w);
  }
  int euler = f->nvert - f->nedge + f->nface;
  double ball = 4.0 / 3 * PL_PI * r * r * r;
  if (open) return 2 * area * r + r * r * edges / 2 + ball * euler;
  return fabs(volume) + area * r + r * r * edges / 2 + ball * euler / 2;
}

static double piece_volume(const pl_piece *p) {
  if (p->kind == PL_PIECE_RING) return 2 * PL_PI * PL_PI * p->major * p->radius * p->height;
  if (p->kind != PL_PIECE_FACETS) return PL_PI * p->radius * p->radius * curve_length(p);
  return p->facets->nface ? surface_volume(p->facets, p->radius)
                          : line_volume(p->facets, p->radius);
}

static double part_middle(const pl_facets *f, int n, const int *v, double out[3]) {
  double a[3], b[3], across[3];
  for (int c = 0; c < 3; c++) {
    out[c] = 0;
    for (int k = 0; k < n; k++) out[c] += f->x[v[k]][c] / n;
  }
  pl_sub3(f->x[v[1]], f->x[v[0]], a);
  if (n == 2) return pl_norm3(a);
  pl_sub3(f->x[v[2]], f->x[v[0]], b);
  pl_cross3(a, b, across);
  return pl_norm3(across) / 2;
}

static void add_part(double part, const double *at, double *all, double sum[3]) {
  *all += part;
  for (int c = 0; c < 3; c++) sum[c] += part * at[c];
}

// Where thickened facets balance: rods about edges, rounded rims, both sides of triangles, and what
// closed ones bound.
static void facets_middle(const pl_facets *f, double radius, double centre[3]) {
  double all = 0, sum[3] = {0}, at[3], rod = PL_PI * radius * radius;
  int closed = facets_wire(f) > 0;
  for (int e = 0; e < f->nedge; e++) {
    double length = part_middle(f, 2, f->edge[e], at);
    if (f->nedge_face[e] < 2) add_part(length * rod / (1 + f->nedge_face[e]), at, &all, sum);
  }
  for (int k = 0; k < f->nface; k++) {
    const double *x[3] = {f->x[f->face[k][0]], f->x[f->face[k][1]], f->x[f->face[k][2]]};
    double n[3], area = part_middle(f, 3, f->face[k], at);
    add_part((closed ? 1 : 2) * radius * area, at, &all, sum);
    if (!closed) continue;
    pl_cross3(x[0], x[1], n);
    for (int c = 0; c < 3; c++) at[c] *= 0.75; // of the tetrahedron from the origin
    add_part(pl_dot3(n, x[2]) / 6, at, &all, sum);
  }
  for (int c = 0; c < 3; c++) centre[c] = all != 0 ? sum[c] / all : f->centre[c];
}

// a closed tube balances at the mean of its centre line
static void piece_middle(const pl_piece *p, double centre[3]) {
  double length = 0, sum[3] = {0};
  memcpy(centre, p->centre, 3 * sizeof *centre);
  if (p->kind == PL_PIECE_FACETS) facets_middle(p->facets, p->radius, centre);
  if (p->kind != PL_PIECE_CURVE) return;
  for (int i = 0; i < ALONG; i++) {
    pl_swept s;
    pl_piece_at(p, (double[2]){2 * PL_PI * i / ALONG, 0}, &s);
    add_part(pl_norm3(s.d[0]), s.p, &length, sum);
  }
  for (int c = 0; c < 3; c++) centre[c] = sum[c] / length;
}

// ---- unions -------------------------------------------------------------------------------------

enum { POINTS = 4096, SIMPLICES = 256 };

typedef struct sample {
  double x[3], weight;
  int pieces; // that it is in
} sample;

// a point of a tube: along it, and within its section
static void tube_sample(const pl_piece *p, double u, double part, double angle, sample *out) {
  pl_swept s;
  pl_piece_at(p, (double[2]){u, 0}, &s);
  double t[3], side[3], other[3], speed = pl_norm3(s.d[0]), along;
  for (int c = 0; c < 3; c++) t[c] = s.d[0][c] / speed;
  along = pl_dot3(s.dd[0], t);
  // towards the middle of the curve, or anywhere across where it is straight
  for (int c = 0; c < 3; c++) side[c] = s.dd[0][c] - along * t[c];
  double bend = pl_norm3(side);
  if (!(bend > 1e-9 * speed))
    pl_cross3(t, fabs(t[0]) < 0.9 ? (double[]){1, 0, 0} : (double[]){0, 1, 0}, side);
  double length = pl_norm3(side);
  for (int c = 0; c < 3; c++) side[c] /= length;
  pl_cross3(t, side, other);
  double high = p->kind == PL_PIECE_RING ? p->height : p->radius,
         in = p->radius * part * cos(angle);
  for (int c = 0; c < 3; c++)
    out->x[c] = s.p[c] + in * side[c] + high * part * sin(angle) * other[c];
  out->weight = part * speed * (1 - in * bend / (speed * speed));
}

static int tube_samples(const pl_piece *p, sample *out) {
  enum { U = 128, PART = 4, ANGLE = 8 };
  int n = 0;
  for (int i = 0; i < U; i++)
    for (int j = 0; j < PART; j++)
      for (int k = 0; k < ANGLE; k++)
        tube_sample(p, 2 * PL_PI * i / U, (j + 0.5) / PART, 2 * PL_PI * (k + 0.5) / ANGLE,
                    &out[n++]);
  return n;
}

static double nearest_simplex(const pl_facets *f, const double *p) {
  double least = DBL_MAX;
  for (int k = 0; k < f->nsimplex; k++) {
    double x[3][3], w[3], off[3] = {p[0], p[1], p[2]};
    for (int i = 0; i < f->s[k].n; i++) memcpy(x[i], f->x[f->s[k].v[i]], sizeof x[i]);
    nearest_of_simplex(f->s[k].n, (const double(*)[3])x, p, w);
    for (int i = 0; i < f->s[k].n; i++)
      for (int c = 0; c < 3; c++) off[c] -= w[i] * x[i][c];
    least = fmin(least, pl_dot3(off, off));
  }
  return sqrt(least);
}

// the angle that triangles take of the sphere about a point is all of it, or none
static int is_enclosed(const pl_facets *f, const double *p) {
  double sum = 0;
  for (int k = 0; k < f->nface; k++) {
    double a[3][3], l[3], c[3];
    for (int i = 0; i < 3; i++) {
      pl_sub3(f->x[f->face[k][i]], p, a[i]);
      l[i] = pl_norm3(a[i]);
    }
    pl_cross3(a[1], a[2], c);
    sum += 2 * atan2(pl_dot3(a[0], c), l[0] * l[1] * l[2] + pl_dot3(a[0], a[1]) * l[2] +
                                           pl_dot3(a[1], a[2]) * l[0] + pl_dot3(a[2], a[0]) * l[1]);
  }
  return fabs(sum) > 2 * PL_PI;
}

static int in_facets(const pl_piece *p, const double *x) {
  return nearest_simplex(p->facets, x) < p->radius || is_enclosed(p->facets, x);
}

static int facet_samples(const pl_piece *p, sample *out) {
  enum { N = 16 };
  const double(*box)[3] = (const double(*)[3])p->facets->box[0];
  int n = 0;
  for (int i = 0; i < N * N * N; i++) {
    const int at[3] = {i % N, i / N % N, i / N / N};
    sample s = {.weight = 1};
    for (int c = 0; c < 3; c++) {
      double lo = box[0][c] - p->radius, hi = box[1][c] + p->radius;
      s.x[c] = lo + (hi - lo) * (at[c] + 0.5) / N;
    }
    if (in_facets(p, s.x)) out[n++] = s;
  }
  return n;
}

static int in_ring(const pl_piece *p, const double *x) {
  double w[3];
  pl_sub3(x, p->centre, w);
  double high = pl_dot3(w, p->axis), out = sqrt(fmax(0, pl_dot3(w, w) - high * high)) - p->major;
  double a = out / p->radius, b = high / p->height;
  return a * a + b * b < 1;
}

static int in_curve(const pl_piece *p, const double (*line)[3], const double *x) {
  for (int k = 0; k < ALONG; k++) {
    const double *a = line[k], *b = line[(k + 1) % ALONG];
    double w[3], d[3];
    pl_sub3(b, a, d);
    pl_sub3(x, a, w);
    double s = fmax(0, fmin(1, pl_dot3(w, d) / pl_dot3(d, d)));
    for (int c = 0; c < 3; c++) w[c] -= s * d[c];
    if (pl_dot3(w, w) < p->radius * p->radius) return 1;
  }
  return 0;
}

static void count_in(const pl_piece *p, int n, sample *s) {
  double line[ALONG][3];
  int curved = p->kind == PL_PIECE_CURVE || p->kind == PL_PIECE_LINK;
  for (int i = 0; curved && i < ALONG; i++) {
    pl_swept at;
    pl_piece_at(p, (double[2]){2 * PL_PI * i / ALONG, 0}, &at);
    memcpy(line[i], at.p, sizeof at.p);
  }
  for (int i = 0; i < n; i++)
    s[i].pieces += p->kind == PL_PIECE_RING ? in_ring(p, s[i].x)
                   : curved                 ? in_curve(p, (const double(*)[3])line, s[i].x)
                                            : in_facets(p, s[i].x);
}

// Every point counts for as much as the pieces that it is in leave to each of them.
static double own_part(const pl_mail_element *e, int k, sample *s, double centre[3]) {
  const pl_piece *p = &e->piece[k];
  double all = 0, own = 0, sum[3] = {0};
  int n = p->kind == PL_PIECE_FACETS ? facet_samples(p, s) : tube_samples(p, s);
  for (int i = 0; i < n; i++) s[i].pieces = 1;
  for (int l = 0; l < e->npiece; l++)
    if (l != k) count_in(&e->piece[l], n, s);
  for (int i = 0; i < n; i++) {
    all += s[i].weight;
    add_part(s[i].weight / s[i].pieces, s[i].x, &own, sum);
  }
  piece_middle(p, centre);
  for (int c = 0; c < 3 && own > 0; c++) centre[c] = sum[c] / own;
  return all > 0 ? own / all : 1;
}

pl_status pl_mail_volume(pl_env *env, const pl_mail_element *e, double *volume, double centre[3],
                         int *upper) {
  double all = 0, sum[3] = {0};
  *upper = 0;
  for (int k = 0; k < e->npiece; k++) {
    const pl_piece *p = &e->piece[k];
    *upper |= e->npiece > 1 && p->kind == PL_PIECE_FACETS && p->facets->nsimplex > SIMPLICES;
  }
  sample *s = pl_alloc(env, POINTS, sizeof *s);
  if (!s) return PL_E_NOMEM;
  for (int k = 0; k < e->npiece; k++) {
    double part = 1, at[3];
    if (e->npiece == 1 || *upper)
      piece_middle(&e->piece[k], at);
    else
      part = own_part(e, k, s, at);
    add_part(part * piece_volume(&e->piece[k]), at, &all, sum);
  }
  pl_free(env, s);
  *volume = all;
  for (int c = 0; c < 3; c++) centre[c] = sum[c] / all;
  return PL_OK;
}
