#include "facets.h"
#include "patch_impl.h"

#include <float.h>
#include <string.h>

// One gap for all of two pieces of facets, as wires.c has one for all of two wires: of the gaps g
// of all their corners and triangles, edges and edges that are within reach,
//
//   gap = reach (1 + sum of m f(g / reach))^(-1/2),  f(x) = (1 - x)^3 / x^2.
//
// Each of these distances goes on smoothly as its nearest points cross from one part to the next,
// whereas local minima come and go. Nearest points of edges that become parallel run along them:
// such count for nothing, m = 0, as then their ends do.

static const double SLANT = 0.01; // square of the sine between edges from which on they count whole
static const double ALIKE = 1e-10; // the same up to which they are parallel

typedef struct facet_sum {
  double range, thick;  // of the repulsion; both radii
  double least, sum;    // smallest gap
  double(*g), (*H)[12]; // of the sum, by both motions; NULL: not wanted
} facet_sum;

// ---- nearest points -----------------------------------------------------------------------------

typedef struct meeting {
  int n[2], v[2][3];
  double x[2][3][3], weight[2][3]; // corners as the first sees them
} meeting;

static void fetch(const duel *d, int body, int part, meeting *m) {
  m->n[body] = facet_corners(d->f[body], part, m->v[body]);
  memset(m->weight[body], 0, sizeof m->weight[body]);
  for (int i = 0; i < m->n[body]; i++) {
    const double *from = d->f[body]->x[m->v[body][i]];
    if (body)
      duel_seen(d, from, m->x[1][i]);
    else
      memcpy(m->x[0][i], from, sizeof m->x[0][i]);
  }
}

static double within(double t) {
  return fmin(fmax(t, 0), 1);
}

// nearest points of two edges, at parts of them
static void nearest_of_edges(meeting *m) {
  double a[3], b[3], w[3], s = 0;
  pl_sub3(m->x[0][1], m->x[0][0], a);
  pl_sub3(m->x[1][1], m->x[1][0], b);
  pl_sub3(m->x[0][0], m->x[1][0], w);
  double aa = pl_dot3(a, a), ab = pl_dot3(a, b), bb = pl_dot3(b, b);
  double aw = pl_dot3(a, w), bw = pl_dot3(b, w), det = aa * bb - ab * ab;
  if (det > ALIKE * aa * bb) s = within((ab * bw - aw * bb) / det);
  double t = (ab * s + bw) / bb;
  if (t < 0 || t > 1) {
    t = within(t);
    s = within((ab * t - aw) / aa);
  }
  m->weight[0][0] = 1 - s;
  m->weight[0][1] = s;
  m->weight[1][0] = 1 - t;
  m->weight[1][1] = t;
}

static double distance(const meeting *m) {
  double w[3] = {0};
  for (int body = 0; body < 2; body++)
    for (int i = 0; i < m->n[body]; i++)
      for (int c = 0; c < 3; c++) w[c] += (body ? -1 : 1) * m->weight[body][i] * m->x[body][i][c];
  return pl_norm3(w);
}

// ---- edges that are parallel --------------------------------------------------------------------

typedef struct slant { // by the square of the sine: value, derivatives
  double m, first, second;
  double c, a[3], b[3], cross[3]; // cosine of both edges, in axes of the world
} slant;

static slant slant_of(const duel *d, const int part[2]) {
  slant s = {.m = 1};
  double *dir[2] = {s.a, s.b};
  for (int body = 0; body < 2; body++) {
    const int *e = d->f[body]->edge[part[body] - d->f[body]->nvert];
    double w[3];
    pl_sub3(d->f[body]->x[e[1]], d->f[body]->x[e[0]], w);
    double size = pl_norm3(w);
    for (int i = 0; i < 3; i++) dir[body][i] = pl_dot3(d->c->pose[body]->Q + 3 * i, w) / size;
  }
  s.c = pl_dot3(s.a, s.b);
  pl_cross3(s.a, s.b, s.cross);
  double x = pl_dot3(s.cross, s.cross) / SLANT;
  if (x >= 1) return s;
  s.m = x < ALIKE / SLANT ? 0 : (2 - x) * x;
  s.first = (2 - 2 * x) / SLANT;
  s.second = -2 / (SLANT * SLANT);
  return s;
}

// Adds f m by both turns, and what it shares with the slope g' of f.
static void add_slant(const slant *s, double f, const double slope[12], double *g,
                      double (*H)[12]) {
  double ds[12] = {0};
  for (int i = 0; i < 3; i++) {
    ds[3 + i] = -2 * s->c * s->cross[i];
    ds[9 + i] = 2 * s->c * s->cross[i];
  }
  for (int i = 0; i < 12; i++) {
    g[i] += f * s->first * ds[i];
    for (int k = 0; k < 12; k++)
      H[i][k] += s->first * (ds[i] * slope[k] + slope[i] * ds[k]) + f * s->second * ds[i] * ds[k];
  }
  double by = -2 * s->c * f * s->first, twice = -2 * f * s->first;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      double own = (s->a[i] * s->b[k] + s->b[i] * s->a[k]) / 2 - (i == k) * s->c;
      double mixed = (i == k) * s->c - s->b[i] * s->a[k];
      double square = twice * s->cross[i] * s->cross[k];
      H[3 + i][3 + k] += by * own + square;
      H[9 + i][9 + k] += by * own + square;
      H[3 + i][9 + k] += by * mixed - square;
      H[9 + k][3 + i] += by * mixed - square;
    }
}

// ---- sums ---------------------------------------------------------------------------------------

static void add_slopes(duel *d, const int part[2], const meeting *m, double gap, const slant *s) {
  facet_sum *sum = d->sum;
  couple c = couple_of(d->c->piece[0], d->c->pose[0], d->c->piece[1], d->c->pose[1], part);
  pl_approach t = {.gap = gap};
  double g[12], H[12][12], slope[12];
  for (int body = 0; body < 2; body++)
    facets_stand(&c, body, m->n[body], m->v[body], m->weight[body], t.u);
  memcpy(t.on, c.on, sizeof t.on);
  pl_piece_derivatives(c.piece[0], c.pose[0], c.piece[1], c.pose[1], &t, g, H);
  double x = gap / sum->range, y = 1 - x, f = y * y * y / (x * x);
  double first = -y * y / (x * x) * (3 + 2 * y / x) / sum->range;
  double second = y / (x * x) * (6 + 12 * y / x + 6 * y * y / (x * x)) / (sum->range * sum->range);
  for (int i = 0; i < 12; i++) {
    slope[i] = first * g[i];
    sum->g[i] += s->m * slope[i];
    for (int k = 0; k < 12; k++) sum->H[i][k] += s->m * (second * g[i] * g[k] + first * H[i][k]);
  }
  if (s->m < 1) add_slant(s, f, slope, sum->g, sum->H);
}

static void add_parts(duel *d, int first, int second, int edges) {
  const int part[2] = {first, second};
  facet_sum *sum = d->sum;
  meeting m;
  for (int body = 0; body < 2; body++) fetch(d, body, part[body], &m);
  if (edges)
    nearest_of_edges(&m);
  else
    for (int body = 0; body < 2; body++)
      nearest_of_simplex(m.n[body], (const double(*)[3])m.x[body], m.x[1 - body][0],
                         m.weight[body]);
  double gap = distance(&m) - sum->thick;
  sum->least = fmin(sum->least, gap);
  if (!(gap > 0) || gap >= sum->range) return;
  slant s = edges ? slant_of(d, part) : (slant){.m = 1};
  if (s.m == 0) return;
  double x = gap / sum->range, y = 1 - x;
  sum->sum += s.m * y * y * y / (x * x);
  if (sum->g) add_slopes(d, part, &m, gap, &s);
}

// a triangle, or an edge of none
static int is_top(const pl_facets *f, int part) {
  int e = part - f->nvert;
  return e >= f->nedge || (e >= 0 && f->nedge_face[e] == 0);
}

static void add_simplices(duel *d, const simplex *s, const simplex *t) {
  double b[3], w[3], far = d->far + s->ball + t->ball;
  duel_seen(d, t->middle, b);
  pl_sub3(s->middle, b, w);
  if (pl_dot3(w, w) > far * far) return;
  for (int i = 0; i < s->npart; i++)
    for (int k = 0; k < t->npart; k++) {
      int p = s->part[i], q = t->part[k];
      int np = facets_nu(d->f[0], p), nq = facets_nu(d->f[1], q);
      if ((np == 0 && is_top(d->f[1], q)) || (nq == 0 && is_top(d->f[0], p)))
        add_parts(d, p, q, 0);
      else if (np == 1 && nq == 1)
        add_parts(d, p, q, 1);
    }
}

int facets_know(const pl_piece *p) {
  return p->kind == PL_PIECE_FACETS;
}

static void add_all(const pl_piece *const piece[2], const pl_pose *const pose[2], facet_sum *sum) {
  const int none[2] = {0};
  couple c = couple_of(piece[0], pose[0], piece[1], pose[1], none);
  duel d = {.c = &c, .cut = sum->range, .meet = add_simplices, .sum = sum};
  sum->least = DBL_MAX;
  sum->thick = piece[0]->radius + piece[1]->radius;
  duel_all(&d);
}

double facets_gap(const pl_piece *const piece[2], const pl_pose *const pose[2], double range,
                  double *least) {
  facet_sum sum = {.range = range};
  add_all(piece, pose, &sum);
  *least = sum.least;
  return sum.least > 0 ? range / sqrt(1 + sum.sum) : sum.least;
}

void facets_derivatives(const pl_piece *const piece[2], const pl_pose *const pose[2], double range,
                        double g[12], double H[12][12]) {
  facet_sum sum = {.range = range, .g = g, .H = H};
  memset(g, 0, 12 * sizeof *g);
  memset(H, 0, 12 * sizeof *H);
  add_all(piece, pose, &sum);
  double by = -range / 2 * pow(1 + sum.sum, -1.5), again = -1.5 * by / (1 + sum.sum);
  for (int i = 0; i < 12; i++)
    for (int k = 0; k < 12; k++) H[i][k] = by * H[i][k] + again * g[i] * g[k];
  for (int i = 0; i < 12; i++) g[i] *= by;
}
