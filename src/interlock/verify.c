#include "facets.h"
#include "taut_impl.h"

#include <float.h>
#include <string.h>

// States are looked at once more by other means than they were found with: distances by dense
// points of both pieces, closed in on without derivatives, and links by counting where curves cross
// disks.

enum { RING_POINTS = 96, CURVE_POINTS = 192, ACROSS = 3, NARROW = 60 };

// a piece or, of facets, a simplex of it, where it is
typedef struct patch {
  const pl_piece *p;
  const pl_pose *t;
  const simplex *s;
  int n, nu;              // points; parameters
  double spacing, end;    // of points; of the second parameter
  double middle[3], ball; // a ball about it
  double x[CURVE_POINTS * ACROSS][4], u[CURVE_POINTS * ACROSS][2];
} patch;

static void point_of(const patch *q, const double u[2], double x[4]) {
  pl_swept s;
  double local[3] = {0};
  if (q->s) {
    // of a triangle: along its first side, then across to the third corner
    double b = q->nu > 1 ? u[1] : 0, a = q->nu > 0 ? u[0] * (1 - b) : 0,
           weight[3] = {1 - a - b, a, b};
    for (int k = 0; k < q->s->n; k++)
      for (int c = 0; c < 3; c++) local[c] += weight[k] * q->p->facets->x[q->s->v[k]][c];
    x[3] = q->p->radius;
  } else {
    pl_piece_at(q->p, u, &s);
    memcpy(local, s.p, sizeof local);
    x[3] = s.rho;
  }
  for (int c = 0; c < 3; c++) x[c] = q->t->x[c] + pl_dot3(q->t->Q + 3 * c, local);
}

static void add_point(patch *q, double u, double v) {
  q->u[q->n][0] = u;
  q->u[q->n][1] = v;
  point_of(q, q->u[q->n], q->x[q->n]);
  q->n++;
}

static void sample_patch(patch *q) {
  q->n = 0;
  if (q->s) {
    q->nu = q->s->n - 1;
    q->end = 1;
    add_point(q, 0.5, 1.0 / 3);
    q->ball = 0;
    for (int k = 0; k < q->s->n; k++) {
      double x[4], w[3];
      point_of(q, (double[2]){k == 1, k == 2}, x);
      pl_sub3(x, q->x[0], w);
      q->ball = fmax(q->ball, pl_norm3(w));
    }
    q->spacing = 2 * q->ball;
  } else {
    int ring = q->p->kind == PL_PIECE_RING, n = ring ? RING_POINTS : CURVE_POINTS;
    double a = fmin(q->p->radius, q->p->height), b = fmax(q->p->radius, q->p->height), from[3];
    q->nu = pl_piece_nu(q->p);
    q->end = q->nu == 2 ? sqrt(b * b - a * a) / b : 0;
    for (int i = 0; i < n; i++)
      for (int j = -(q->nu == 2); j <= (q->nu == 2); j++)
        add_point(q, 2 * PL_PI * i / n, 0.7 * j * q->end);
    q->spacing = 2 * PL_PI / n * piece_speed(q->p);
    q->ball = piece_radius(q->p, from);
    for (int c = 0; c < 3; c++) q->middle[c] = q->t->x[c] + pl_dot3(q->t->Q + 3 * c, from);
    return;
  }
  memcpy(q->middle, q->x[0], sizeof q->middle);
  q->ball += q->p->radius;
}

// ---- distances ----------------------------------------------------------------------------------

static double gap_of(const double *x, const double *y) {
  double w[3];
  pl_sub3(x, y, w);
  return pl_norm3(w) - x[3] - y[3];
}

static void clamp(const patch *q, double u[2]) {
  if (q->s) u[0] = fmax(0, fmin(1, u[0]));
  u[1] = fmax(q->s ? 0 : -q->end, fmin(q->end, u[1]));
}

// a point and those around it on a grid
typedef struct around {
  int n;
  double u[9][2], x[9][4];
} around;

static void look_around(const patch *q, const double u[2], const double step[2], around *out) {
  int wide = q->nu > 0, deep = q->nu > 1;
  out->n = 0;
  for (int j = -deep; j <= deep; j++)
    for (int i = -wide; i <= wide; i++) {
      double *at = out->u[out->n];
      at[0] = u[0] + i * step[0];
      at[1] = u[1] + j * step[1];
      clamp(q, at);
      point_of(q, at, out->x[out->n++]);
    }
}

// The lowest of all neighbours on a grid of both, which is made finer where none is lower.
static double close_in(const patch *a, const patch *b, const double *ua, const double *ub) {
  const patch *of[2] = {a, b};
  double u[2][2] = {{ua[0], ua[1]}, {ub[0], ub[1]}}, step[2][2], best = DBL_MAX;
  for (int k = 0; k < 2; k++) {
    const patch *q = of[k];
    int n = q->p->kind == PL_PIECE_RING ? RING_POINTS : CURVE_POINTS;
    step[k][0] = q->nu < 1 ? 0 : q->s ? 0.5 : 2 * PL_PI / n;
    step[k][1] = q->nu < 2 ? 0 : q->s ? 0.5 : 0.5 * q->end;
  }
  for (int round = 0; round < NARROW; round++) {
    around near[2];
    double before = best;
    int low[2] = {0, 0};
    for (int k = 0; k < 2; k++) look_around(of[k], u[k], step[k], &near[k]);
    for (int i = 0; i < near[0].n; i++)
      for (int j = 0; j < near[1].n; j++) {
        double gap = gap_of(near[0].x[i], near[1].x[j]);
        if (gap >= best) continue;
        best = gap;
        low[0] = i;
        low[1] = j;
      }
    for (int k = 0; best < before && k < 2; k++) memcpy(u[k], near[k].u[low[k]], sizeof u[k]);
    if (round > 0 && best == before)
      for (int k = 0; k < 4; k++) step[k / 2][k % 2] /= 3;
  }
  return best;
}

// For each point of a the nearest one of b, of those that a ball about b does not keep away.
static void nearest_points(const patch *a, const patch *b, double least, double *near, int *at) {
  double slack = (a->spacing + b->spacing) / 2, w[3];
  for (int i = 0; i < a->n; i++) {
    at[i] = 0;
    pl_sub3(a->x[i], b->middle, w);
    near[i] = pl_norm3(w) - a->x[i][3] - b->ball;
    if (near[i] - slack > least) continue;
    near[i] = DBL_MAX;
    for (int j = 0; j < b->n; j++) {
      double gap = gap_of(a->x[i], b->x[j]);
      if (gap >= near[i]) continue;
      near[i] = gap;
      at[i] = j;
    }
  }
}

// points of a that are nearer to b than those beside them are
static double patch_gap(const patch *a, const patch *b, double least) {
  double near[CURVE_POINTS * ACROSS], w[3];
  int at[CURVE_POINTS * ACROSS], rows = a->nu == 2 && !a->s ? ACROSS : 1, n = a->n / rows;
  pl_sub3(a->middle, b->middle, w);
  if (pl_norm3(w) - a->ball - b->ball > least) return least;
  nearest_points(a, b, least, near, at);
  double slack = (a->spacing + b->spacing) / 2;
  for (int i = 0; i < n; i++)
    for (int r = 0; r < rows; r++) {
      int k = i * rows + r, next = (i + 1) % n * rows + r, last = (i + n - 1) % n * rows + r;
      if (near[k] > near[next] || near[k] > near[last] || near[k] - slack > least) continue;
      least = fmin(least, close_in(a, b, a->u[k], b->u[at[k]]));
    }
  return least;
}

static int patches(const pl_piece *p) {
  return p->kind == PL_PIECE_FACETS ? p->facets->nsimplex : 1;
}

static void set_patch(const pl_piece *p, const pl_pose *t, int k, patch *out) {
  out->p = p;
  out->t = t;
  out->s = p->kind == PL_PIECE_FACETS ? &p->facets->s[k] : NULL;
  sample_patch(out);
}

static int far_apart(const pl_piece *a, const pl_pose *at, const pl_piece *b, const pl_pose *bt,
                     double cut) {
  couple c = couple_of(a, at, b, bt, (const int[2]){0, 0});
  return couple_ball_gap(&c) > cut;
}

double pl_element_gap(const pl_mail_element *a, const pl_pose *at, const pl_mail_element *b,
                      const pl_pose *bt, double cut) {
  patch x, y;
  for (int i = 0; i < a->npiece; i++)
    for (int j = 0; j < b->npiece; j++) {
      if (far_apart(&a->piece[i], at, &b->piece[j], bt, cut)) continue;
      for (int k = 0; k < patches(&a->piece[i]); k++) {
        set_patch(&a->piece[i], at, k, &x);
        for (int l = 0; l < patches(&b->piece[j]); l++) {
          set_patch(&b->piece[j], bt, l, &y);
          cut = patch_gap(&x, &y, cut);
        }
      }
    }
  return cut;
}

// ---- links --------------------------------------------------------------------------------------

// how often a closed curve goes through the disk of a ring, with sign
static int crossings(const pl_piece *ring, const pl_pose *t, const pl_piece *p, const pl_pose *s) {
  enum { N = 128 };
  double axis[3], middle[3], before[3] = {0}, height = 0;
  int n = 0;
  for (int c = 0; c < 3; c++) {
    axis[c] = pl_dot3(t->Q + 3 * c, ring->axis);
    middle[c] = t->x[c] + pl_dot3(t->Q + 3 * c, ring->centre);
  }
  for (int k = 0; k <= N; k++) {
    pl_swept at;
    double x[3], cut[3];
    pl_piece_at(p, (double[2]){2 * PL_PI * (k % N) / N, 0}, &at);
    for (int c = 0; c < 3; c++) x[c] = s->x[c] + pl_dot3(s->Q + 3 * c, at.p) - middle[c];
    double now = pl_dot3(x, axis);
    if (k > 0 && (now > 0) != (height > 0)) {
      double part = height / (height - now);
      for (int c = 0; c < 3; c++) cut[c] = before[c] + part * (x[c] - before[c]);
      if (pl_norm3(cut) < ring->major) n += now > 0 ? 1 : -1;
    }
    height = now;
    memcpy(before, x, sizeof x);
  }
  return n;
}

static int count_links(const pl_piece *a, const pl_pose *at, const pl_piece *b, const pl_pose *bt) {
  if (far_apart(a, at, b, bt, 0)) return 0;
  if (a->kind == PL_PIECE_RING && b->kind != PL_PIECE_FACETS) return crossings(a, at, b, bt);
  if (b->kind == PL_PIECE_RING && a->kind != PL_PIECE_FACETS) return crossings(b, bt, a, at);
  return pl_piece_links(a, at, b, bt);
}

int pl_element_links(const pl_mail_element *a, const pl_pose *at, const pl_mail_element *b,
                     const pl_pose *bt) {
  int sum = 0;
  for (int i = 0; i < a->npiece; i++)
    for (int j = 0; j < b->npiece; j++) {
      int one = count_links(&a->piece[i], at, &b->piece[j], bt);
      sum += one < 0 ? -one : one;
    }
  return sum;
}

// ---- states of cells ----------------------------------------------------------------------------

typedef struct ground {
  const pl_mail *m;
  const int *copies; // NULL: a disk
  const pl_taut *t;
  const pl_cell *disk;
  int nelem;
  double range;
} ground;

static const pl_mail_element *element_at(const ground *g, int e) {
  return g->disk ? g->disk->elem[e] : &g->m->kind[g->m->kind_of[e % g->m->nelem]];
}

// an element of a cell of copies, or of a disk: at rest, or in the state
static pl_pose pose_in(const ground *g, int e, const int cell[2], int rest) {
  pl_pose p;
  if (g->disk) return rest ? g->disk->ref[e] : g->t->pose[e];
  if (rest) return rest_image(g->m, g->copies, e, cell);
  pl_taut_image(g->m, g->copies, g->t, e, cell, &p);
  return p;
}

// those that the solver keeps apart
static int counts(const ground *g, int i, int j, const int cell[2]) {
  static const int home[2] = {0, 0};
  double x[3];
  if (g->disk) return 1;
  const pl_pose a = pose_in(g, i, home, 1), b = pose_in(g, j, cell, 1);
  pl_sub3(b.x, a.x, x);
  return taut_counts(g->t, x);
}

static int is_near(const ground *g, const pl_pose *a, const pl_pose *b) {
  double w[3];
  pl_sub3(a->x, b->x, w);
  return pl_norm3(w) < 2 * g->range;
}

static void verify_pair(const ground *g, int i, int j, const int cell[2], pl_mail_verdict *out) {
  static const int home[2] = {0, 0};
  const pl_mail_element *a = element_at(g, i), *b = element_at(g, j);
  int links[2] = {0, 0};
  if (!counts(g, i, j, cell)) return;
  for (int rest = 0; rest < 2; rest++) {
    const pl_pose at = pose_in(g, i, home, rest), bt = pose_in(g, j, cell, rest);
    if (!is_near(g, &at, &bt)) continue;
    links[rest] = pl_element_links(a, &at, b, &bt);
    if (!rest) out->gap = pl_element_gap(a, &at, b, &bt, out->gap);
  }
  out->links_changed += links[0] != links[1];
}

static double material_radius(const pl_mail *m) {
  double most = 0;
  for (int i = 0; i < m->nkind; i++)
    for (int k = 0; k < m->kind[i].npiece; k++) {
      double from[3], far = piece_radius(&m->kind[i].piece[k], from);
      most = fmax(most, far + pl_norm3(from));
    }
  return most;
}

// How far elements that may meet are from each other at rest: balls about them do, no element has
// moved farther than its own size, arcs are longer than chords by half of pi at most, and all of it
// may be shrunk.
static double rest_extent(const ground *g) {
  const double *S = g->t->stretch;
  double shrunk = 1 + (S[0] + S[1]) / 2 - hypot((S[0] - S[1]) / 2, S[2]), wide = 0, w[3];
  for (int i = 0; i < g->m->nelem; i++)
    for (int j = 0; j < i; j++) {
      pl_sub3(g->m->pose[i].x, g->m->pose[j].x, w);
      wide = fmax(wide, hypot(w[0], w[1]));
    }
  return wide + 4 * g->range * (g->t->shape == PL_TAUT_CYLINDER ? PL_PI / 2 : 1) / shrunk;
}

void pl_mail_verify(const pl_mail *m, const int copies[2], const pl_taut *t, pl_mail_verdict *out) {
  ground g = {.m = m,
              .copies = copies,
              .t = t,
              .nelem = m->nelem * copies[0] * copies[1],
              .range = material_radius(m)};
  const double(*L)[2] = m->lattice;
  int most[2];
  double area = fabs(L[0][0] * L[1][1] - L[0][1] * L[1][0]), far = rest_extent(&g);
  *out = (pl_mail_verdict){.gap = g.range};
  for (int d = 0; d < 2; d++) {
    double high = area * copies[d] / hypot(L[1 - d][0], L[1 - d][1]);
    most[d] = (int)ceil(far / high) + 1;
  }
  for (int i = 0; i < g.nelem; i++)
    for (int j = i; j < g.nelem; j++)
      for (int k = -most[0]; k <= most[0]; k++)
        for (int l = -most[1]; l <= most[1]; l++)
          if (i != j || k > 0 || (k == 0 && l > 0))
            verify_pair(&g, i, j, (const int[2]){k, l}, out);
}

pl_status pl_mail_verify_disk(pl_env *env, const pl_mail *m, int across, const pl_taut *t,
                              pl_mail_verdict *out) {
  pl_cell *disk;
  PL_TRY(pl_cell_create_disk(env, m, across, &disk));
  ground g = {.m = m, .t = t, .disk = disk, .nelem = disk->nelem, .range = material_radius(m)};
  *out = (pl_mail_verdict){.gap = g.range};
  for (int i = 0; i < g.nelem; i++)
    for (int j = i + 1; j < g.nelem; j++) verify_pair(&g, i, j, (const int[2]){0, 0}, out);
  pl_cell_free(disk);
  return PL_OK;
}
