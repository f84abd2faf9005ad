#include "interlock_impl.h"

#include <string.h>

// Local minima of the distance of two swept pieces: |p(u) - q(v)| - rho(u) - rho(v).

static const double TWO_PI = 2 * PL_PI;
static const double ROUNDING = 1e-9; // smallest pivot over the largest, of a minimum
static const double FLAT = 0.1;      // smallest curvature over the largest
static const double BESIDE = 0.1;    // steps to their sides
static const double NEAR = 0.02;     // gap over radius
enum { VALLEY = 16, POLISH = 30 };
// samples of a piece against a ring and against others, for so many harmonics of a curve
enum { SAMPLES = 32, GRID = 64, WAVES = 8, MOST = 512 };

static void into_world(const pl_pose *t, pl_swept *s) {
  pl_apply3(t->Q, s->p, s->p);
  for (int i = 0; i < 3; i++) s->p[i] += t->x[i];
  for (int k = 0; k < 2; k++) pl_apply3(t->Q, s->d[k], s->d[k]);
  for (int k = 0; k < 3; k++) pl_apply3(t->Q, s->dd[k], s->dd[k]);
}

couple couple_of(const pl_piece *a, const pl_pose *at, const pl_piece *b, const pl_pose *bt,
                 const int on[2]) {
  return (couple){{a, b}, {at, bt}, {piece_nu(a, on[0]), piece_nu(b, on[1])}, {on[0], on[1]}};
}

void couple_view(const couple *c, const double u[4], view *v) {
  for (int k = 0; k < 2; k++) {
    piece_at(c->piece[k], c->on[k], u + 2 * k, &v->s[k]);
    into_world(c->pose[k], &v->s[k]);
  }
  pl_sub3(v->s[0].p, v->s[1].p, v->w);
  v->dist = pl_norm3(v->w);
  for (int i = 0; i < 3; i++) v->n[i] = v->dist > 0 ? v->w[i] / v->dist : 0;
  v->gap = v->dist - v->s[0].rho - v->s[1].rho;
}

int couple_slopes(const couple *c, const view *v, double g[4], double H[4][4]) {
  static const int second[2][2] = {{0, 1}, {1, 2}};
  const double *d[4];
  double along[4], sign[4];
  int k = 0, of[4], which[4];
  for (int body = 0; body < 2; body++)
    for (int i = 0; i < c->nu[body]; i++, k++) {
      of[k] = body;
      which[k] = i;
      d[k] = v->s[body].d[i];
      sign[k] = body ? -1 : 1;
      along[k] = pl_dot3(v->n, d[k]);
      g[k] = sign[k] * along[k] - v->s[body].r[i];
    }
  for (int i = 0; i < k; i++)
    for (int j = i; j < k; j++) {
      double h = sign[i] * sign[j] * (pl_dot3(d[i], d[j]) - along[i] * along[j]) / v->dist;
      if (of[i] == of[j]) {
        const pl_swept *s = &v->s[of[i]];
        int at = second[which[i]][which[j]];
        h += sign[i] * pl_dot3(v->n, s->dd[at]) - s->rr[at];
      }
      H[i][j] = H[j][i] = h;
    }
  return k;
}

static void piece_point(const pl_piece *p, const pl_pose *t, double u, double level, double x[3]) {
  pl_swept s;
  pl_piece_at(p, (double[2]){u, level}, &s);
  for (int i = 0; i < 3; i++) x[i] = t->x[i] + pl_dot3(t->Q + 3 * i, s.p);
}

void couple_places(const couple *c, int at[4]) {
  int k = 0;
  for (int body = 0; body < 2; body++)
    for (int i = 0; i < c->nu[body]; i++) at[k++] = 2 * body + i;
}

// largest parameter within the section of a piece
static double section_end(const pl_piece *p) {
  double a = fmin(p->radius, p->height), b = fmax(p->radius, p->height);
  return sqrt(b * b - a * a) / b;
}

void couple_inside(const couple *c, double u[4]) {
  for (int body = 0; body < 2; body++)
    if (c->piece[body]->kind == PL_PIECE_FACETS) {
      facets_inside(c->piece[body]->facets, c->on[body], u + 2 * body);
    } else if (c->nu[body] == 2) {
      double end = section_end(c->piece[body]);
      u[2 * body + 1] = fmax(-end, fmin(end, u[2 * body + 1]));
    }
}

int couple_newton(int k, const double g[4], const double H[4][4], double step[4]) {
  double C[16], top = 0;
  for (int i = 0; i < k; i++) {
    step[i] = -g[i];
    top = fmax(top, H[i][i]);
    for (int j = 0; j < k; j++) C[i * k + j] = H[i][j];
  }
  if (!(pl_cholesky(k, C) > ROUNDING * top)) return 0;
  pl_cholesky_solve(k, C, step);
  return 1;
}

double couple_curvatures(int k, const double g[4], const double H[4][4], double step[4],
                         double lowest[4]) {
  double A[16], lambda[4], V[16];
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) A[i * k + j] = H[i][j];
  pl_eig(k, A, lambda, V);
  memset(step, 0, 4 * sizeof *step);
  double top = fmax(fabs(lambda[0]), fabs(lambda[k - 1]));
  for (int e = 0; e < k; e++) {
    double at = pl_dot(k, V + e * k, g) / fmax(fabs(lambda[e]), 1e-10 * top);
    for (int i = 0; i < k; i++) step[i] -= at * V[e * k + i];
  }
  memcpy(lowest, V, (size_t)k * sizeof *lowest);
  return lambda[0] / top;
}

// a shorter step until the gap falls; how far the parameters went
static double go_down(const couple *c, const int at[4], int k, const double step[4], double slope,
                      double u[4], view *v) {
  double trial[4], cut = fmin(1, 0.5 / pl_max_abs(k, step)), before = v->gap, displaced = 0;
  for (int half = 0;; half++, cut /= 2) {
    memcpy(trial, u, sizeof trial);
    for (int i = 0; i < k; i++) trial[at[i]] += cut * step[i];
    couple_inside(c, trial);
    couple_view(c, trial, v);
    if (v->gap <= before + 1e-4 * cut * slope + 1e-15 * v->dist || half == 12) break;
  }
  for (int i = 0; i < 4; i++) displaced = fmax(displaced, fabs(trial[i] - u[i]));
  memcpy(u, trial, sizeof trial);
  return displaced;
}

// Goes down to a stationary point; 1: a minimum, -1: a saddle, whose way down is in `lowest`, 0:
// neither was reached.
static int polish(const couple *c, double u[4], view *v, double lowest[4]) {
  int at[4];
  couple_places(c, at);
  couple_view(c, u, v);
  for (int round = 0; round < POLISH; round++) {
    double g[4], H[4][4], step[4];
    int k = couple_slopes(c, v, g, H);
    int good = couple_newton(k, g, (const double(*)[4])H, step);
    if (!good) couple_curvatures(k, g, (const double(*)[4])H, step, lowest);
    if (pl_max_abs(k, step) < 1e-13) return good ? 1 : -1;
    double displaced = go_down(c, at, k, step, pl_dot(k, g, step), u, v);
    // Newton's steps square what is left
    if (displaced < (good ? 1e-7 : 1e-13)) return good ? 1 : -1;
  }
  return 0;
}

static double wrapped(double a) {
  return fabs(remainder(a, TWO_PI));
}

int put_approach(const couple *c, const double u[4], double gap, int n, pl_approach *approach) {
  for (int i = 0; i < n; i++) {
    if (c->on[0] != approach[i].on[0] || c->on[1] != approach[i].on[1]) continue;
    double far = fmax(wrapped(u[0] - approach[i].u[0]), wrapped(u[2] - approach[i].u[2]));
    for (int body = 0; body < 2; body++)
      if (c->nu[body] == 2) far = fmax(far, fabs(u[2 * body + 1] - approach[i].u[2 * body + 1]));
    if (far < 1e-6) return n;
  }
  int to = n;
  if (n == PL_APPROACH_MAX) {
    for (int i = to = 0; i < n; i++)
      if (approach[i].gap > approach[to].gap) to = i;
    if (gap >= approach[to].gap) return n;
  }
  approach[to] = (pl_approach){.gap = gap, .on = {c->on[0], c->on[1]}};
  memcpy(approach[to].u, u, sizeof approach[to].u);
  return to < n ? n : n + 1;
}

static int has_facets(const couple *c) {
  return c->piece[0]->kind == PL_PIECE_FACETS || c->piece[1]->kind == PL_PIECE_FACETS;
}

static int settle(couple *c, double u[4], view *v, double lowest[4]) {
  return has_facets(c) ? facets_descend(c, u, v, lowest) : polish(c, u, v, lowest);
}

int seek_minima(const couple *where, const double start[4], double cut, int depth, int n,
                pl_approach *approach) {
  double u[4], lowest[4];
  int at[4];
  view v;
  couple c = *where;
  memcpy(u, start, sizeof u);
  int kind = settle(&c, u, &v, lowest);
  // where centre lines meet there is no minimum but a kink
  if (kind > 0 || v.gap < 0) return v.gap < cut ? put_approach(&c, u, v.gap, n, approach) : n;
  if (kind == 0 || depth == 0) return n;
  couple_places(&c, at);
  for (int side = -1; side <= 1; side += 2) {
    double from[4];
    memcpy(from, u, sizeof from);
    for (int i = 0; i < c.nu[0] + c.nu[1]; i++) from[at[i]] += 1e-2 * side * lowest[i];
    couple_inside(&c, from);
    n = seek_minima(&c, from, cut, depth - 1, n, approach);
  }
  return n;
}

// a point of the world as a ring sees it: along its two directions across, and along its axis
static void seen_from(const pl_piece *ring, const pl_pose *t, const double *x, double out[3]) {
  double w[3], local[3];
  pl_sub3(x, t->x, w);
  for (int i = 0; i < 3; i++)
    local[i] = t->Q[i] * w[0] + t->Q[3 + i] * w[1] + t->Q[6 + i] * w[2] - ring->centre[i];
  out[0] = pl_dot3(local, ring->out[0]);
  out[1] = pl_dot3(local, ring->out[1]);
  out[2] = pl_dot3(local, ring->axis);
}

// Samples whose centre lines are farther apart than this are not near a gap below `cut`; sampled:
// which of the two pieces is known at so many points alone.
static double too_far(const couple *c, double cut, int sampled, int count) {
  double far = cut;
  for (int k = 0; k < 2; k++) {
    const pl_piece *p = c->piece[k];
    far += p->kind == PL_PIECE_RING ? fmax(p->radius, p->height) : p->radius;
    if (sampled >> k & 1) far += PL_PI / count * piece_speed(p);
  }
  return far;
}

// Coordinates of points of a piece, evenly along it.
typedef struct samples {
  int n;
  double x[3][MOST];
} samples;

// as many as a curve has waves
static int sample_count(const pl_piece *p, int least) {
  int many = p->kind == PL_PIECE_CURVE ? (p->nharmonic + WAVES - 1) / WAVES : 1;
  if (p->finer > 1) many *= p->finer < MOST ? p->finer : MOST;
  return many < MOST / least ? least * many : MOST;
}

// A harmonic of a ring or a curve in the world, about its middle; 0: the middle.
static void harmonic(const pl_piece *p, const pl_pose *t, double level, int k, double by[2][3]) {
  if (p->kind == PL_PIECE_CURVE) {
    pl_apply3(t->Q, k ? p->cosine[k - 1] : p->centre, by[0]);
    if (k) pl_apply3(t->Q, p->sine[k - 1], by[1]);
    for (int i = 0; k == 0 && i < 3; i++) by[0][i] += t->x[i];
    return;
  }
  double at[3][3];
  for (int i = 0; i < 3; i++) piece_point(p, t, PL_PI / 2 * i, level, at[i]);
  for (int i = 0; i < 3; i++) {
    double middle = (at[0][i] + at[2][i]) / 2;
    by[0][i] = k ? at[0][i] - middle : middle;
    if (k) by[1][i] = at[1][i] - middle;
  }
}

// Rings and curves by cosines that are turned on: starts need not be exact.
static void sample_piece(const pl_piece *p, const pl_pose *t, double level, int n, samples *out) {
  double by[2][3], c[MOST], s[MOST];
  out->n = n;
  if (p->kind != PL_PIECE_RING && p->kind != PL_PIECE_CURVE) {
    for (int i = 0; i < n; i++) {
      piece_point(p, t, TWO_PI * i / n, level, by[0]);
      for (int k = 0; k < 3; k++) out->x[k][i] = by[0][k];
    }
    return;
  }
  double dc = cos(TWO_PI / n), ds = sin(TWO_PI / n);
  c[0] = 1;
  s[0] = 0;
  for (int i = 1; i < n; i++) {
    c[i] = c[i - 1] * dc - s[i - 1] * ds;
    s[i] = s[i - 1] * dc + c[i - 1] * ds;
  }
  harmonic(p, t, level, 0, by);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < n; i++) out->x[k][i] = by[0][k];
  for (int h = 1; h <= (p->kind == PL_PIECE_CURVE ? p->nharmonic : 1); h++) {
    harmonic(p, t, level, h, by);
    for (int i = 0, at = 0; i < n; i++, at = (at + h) % n)
      for (int k = 0; k < 3; k++) out->x[k][i] += c[at] * by[0][k] + s[at] * by[1][k];
  }
}

typedef struct ring_scan {
  int n;
  double seen[MOST][3], dist[MOST];
} ring_scan;

// Against a ring one parameter is enough: the other is that of the nearest point. level: where in
// the sections. Returns the smallest distance of the centre lines.
static double sample_ring(const couple *c, int ring, const double level[2], ring_scan *out) {
  double least = HUGE_VAL;
  int other = 1 - ring;
  pl_swept flat;
  pl_piece_at(c->piece[ring], (double[2]){0, level[ring]}, &flat);
  pl_sub3(flat.p, c->piece[ring]->centre, flat.p);
  double major = pl_dot3(flat.p, c->piece[ring]->out[0]),
         high = pl_dot3(flat.p, c->piece[ring]->axis);
  samples at;
  out->n = sample_count(c->piece[other], SAMPLES);
  sample_piece(c->piece[other], c->pose[other], level[other], out->n, &at);
  for (int i = 0; i < out->n; i++) {
    double *seen = out->seen[i], x[3] = {at.x[0][i], at.x[1][i], at.x[2][i]};
    seen_from(c->piece[ring], c->pose[ring], x, seen);
    double across = sqrt(seen[0] * seen[0] + seen[1] * seen[1]) - major, along = seen[2] - high;
    out->dist[i] = sqrt(across * across + along * along);
    least = fmin(least, out->dist[i]);
  }
  return least;
}

static int scan_ring(const couple *c, int ring, const double level[2], double cut, int n,
                     pl_approach *approach) {
  ring_scan s;
  int other = 1 - ring;
  double least = sample_ring(c, ring, level, &s), far = too_far(c, cut, 1 << other, s.n);
  if (least > far) return n;
  for (int i = 0; i < s.n; i++) {
    double here = s.dist[i];
    if (here > far || here > s.dist[(i + 1) % s.n] || here >= s.dist[(i + s.n - 1) % s.n]) continue;
    double u[4];
    u[2 * other] = TWO_PI * i / s.n;
    u[2 * ring] = atan2(s.seen[i][1], s.seen[i][0]);
    u[2 * other + 1] = level[other];
    u[2 * ring + 1] = level[ring];
    n = seek_minima(c, u, cut, 3, n, approach);
  }
  return n;
}

// sections that are no circles are met at their middle and near both ends
static int scan_rings(const couple *c, int ring, double cut, pl_approach *approach) {
  int n = 0, most[2];
  double end[2];
  for (int k = 0; k < 2; k++) {
    most[k] = c->nu[k] == 2;
    end[k] = most[k] ? 0.7 * section_end(c->piece[k]) : 0;
  }
  // where nothing is near the middles of sections nothing is near any part of them
  ring_scan middle;
  if (most[0] + most[1] > 0) {
    double least = sample_ring(c, ring, (double[2]){0, 0}, &middle);
    if (least > too_far(c, cut, 1 << (1 - ring), middle.n)) return 0;
  }
  for (int i = -most[0]; i <= most[0]; i++)
    for (int j = -most[1]; j <= most[1]; j++) {
      // of two such: both in the middle, or both near an end
      if (most[0] && most[1] && (i == 0) != (j == 0)) continue;
      n = scan_ring(c, ring, (double[2]){i * end[0], j * end[1]}, cut, n, approach);
    }
  return n;
}

// squares of the distances of a point of the first piece from all of the second
static void fill_row(const samples of[2], int i, double *row) {
  const double x = of[0].x[0][i], y = of[0].x[1][i], z = of[0].x[2][i];
  for (int j = 0; j < of[1].n; j++) {
    double dx = x - of[1].x[0][j], dy = y - of[1].x[1][j], dz = z - of[1].x[2][j];
    row[j] = dx * dx + dy * dy + dz * dz;
  }
}

// an entry of the middle one of three rows is no larger than those around it
static int is_lowest(double *const row[3], int n, int j) {
  int before = j > 0 ? j - 1 : n - 1, after = j < n - 1 ? j + 1 : 0;
  double here = row[1][j];
  for (int r = 0; r < 3; r++)
    if (row[r][before] < here || row[r][j] < here || row[r][after] < here) return 0;
  return 1;
}

static int scan_grid(const couple *c, double cut, pl_approach *approach) {
  double buffer[3][MOST], *row[3] = {buffer[0], buffer[1], buffer[2]};
  samples of[2];
  int n = 0, count[2];
  for (int body = 0; body < 2; body++) {
    count[body] = sample_count(c->piece[body], GRID);
    sample_piece(c->piece[body], c->pose[body], 0, count[body], &of[body]);
  }
  double far = too_far(c, cut, 3, count[0] < count[1] ? count[0] : count[1]);
  fill_row(of, count[0] - 1, row[0]);
  fill_row(of, 0, row[1]);
  for (int i = 0; i < count[0]; i++) {
    fill_row(of, (i + 1) % count[0], row[2]);
    for (int j = 0; j < count[1]; j++)
      if (row[1][j] < far * far && is_lowest(row, count[1], j))
        n = seek_minima(c, (double[4]){TWO_PI * i / count[0], 0, TWO_PI * j / count[1], 0}, cut, 3,
                        n, approach);
    double *first = row[0];
    row[0] = row[1];
    row[1] = row[2];
    row[2] = first;
  }
  return n;
}

double couple_ball_gap(const couple *c) {
  double x[2][3], range = 0;
  for (int k = 0; k < 2; k++) {
    double from[3];
    range += piece_radius(c->piece[k], from);
    pl_apply3(c->pose[k]->Q, from, x[k]);
    for (int i = 0; i < 3; i++) x[k][i] += c->pose[k]->x[i];
  }
  pl_sub3(x[0], x[1], x[0]);
  return pl_norm3(x[0]) - range;
}

static couple couple_on(const couple *c, const pl_approach *t) {
  return couple_of(c->piece[0], c->pose[0], c->piece[1], c->pose[1], t->on);
}

// distance of the centre lines from a point of the other piece to the ring, and where that is
// nearest
static double ring_distance(const couple *c, int ring, double u[4]) {
  int other = 1 - ring;
  const pl_piece *p = c->piece[ring];
  double x[3], seen[3];
  pl_swept flat;
  piece_point(c->piece[other], c->pose[other], u[2 * other], u[2 * other + 1], x);
  seen_from(p, c->pose[ring], x, seen);
  u[2 * ring] = atan2(seen[1], seen[0]);
  pl_piece_at(p, (double[2]){0, u[2 * ring + 1]}, &flat);
  pl_sub3(flat.p, p->centre, flat.p);
  return hypot(hypot(seen[0], seen[1]) - pl_dot3(flat.p, p->out[0]),
               seen[2] - pl_dot3(flat.p, p->axis));
}

// Where wires lie along each other one valley may hold several minima, whose ridges are lower than
// what samples see: goes along it both ways, and down again beyond every ridge.
static int seek_along(const couple *c, int ring, const double start[4], double cut, int n,
                      pl_approach *approach) {
  for (int side = -1; side <= 1; side += 2) {
    double u[4], before;
    int rises = 0;
    memcpy(u, start, sizeof u);
    before = ring_distance(c, ring, u);
    for (int k = 0; k < VALLEY; k++) {
      u[2 * (1 - ring)] += side * BESIDE / 2;
      double here = ring_distance(c, ring, u);
      if (rises && here < before) n = seek_minima(c, u, cut, 1, n, approach);
      rises = here > before;
      before = here;
    }
  }
  return n;
}

static int is_near(const view *v) {
  return v->gap < NEAR * fmin(v->s[0].rho, v->s[1].rho);
}

// Minima beside flat ones, which samples are too coarse to tell from them.
static int seek_beside(const couple *all, int ring, double cut, int n, pl_approach *approach) {
  int found = n, at[4];
  for (int i = 0; i < found; i++) {
    view v;
    double g[4], H[4][4], step[4], lowest[4];
    couple part = couple_on(all, &approach[i]), *c = &part;
    couple_places(c, at);
    couple_view(c, approach[i].u, &v);
    int k = c->nu[0] + c->nu[1];
    if (v.gap <= 0 || k == 0) continue;
    couple_slopes(c, &v, g, H);
    if (couple_curvatures(k, g, (const double(*)[4])H, step, lowest) > FLAT) continue;
    for (int side = -2; side <= 2; side++) {
      double from[4];
      memcpy(from, approach[i].u, sizeof from);
      for (int j = 0; j < k; j++) from[at[j]] += BESIDE * side * lowest[j];
      couple_inside(c, from);
      if (side != 0) n = seek_minima(c, from, cut, 1, n, approach);
    }
    if (ring >= 0 && is_near(&v)) n = seek_along(c, ring, approach[i].u, cut, n, approach);
  }
  return n;
}

// Places on both sides of flat minima, where the gap is twice as large.
static int add_sides(const couple *all, double cut, int n, pl_approach *approach) {
  int found = n, at[4];
  for (int i = 0; i < found; i++) {
    view v, beside;
    double g[4], H[4][4], step[4], lowest[4];
    couple part = couple_on(all, &approach[i]), *c = &part;
    couple_places(c, at);
    couple_view(c, approach[i].u, &v);
    if (c->nu[0] + c->nu[1] == 0 || v.gap <= 0 || !is_near(&v)) continue;
    int k = couple_slopes(c, &v, g, H);
    if (couple_curvatures(k, g, (const double(*)[4])H, step, lowest) > FLAT) continue;
    for (int side = -1; side <= 1 && n < PL_APPROACH_MAX; side += 2) {
      pl_approach t = {.still = 1, .on = {c->on[0], c->on[1]}};
      for (double far = 0.5; far > 1e-6; far /= 1.5) {
        memcpy(t.u, approach[i].u, sizeof t.u);
        for (int j = 0; j < k; j++) t.u[at[j]] += side * far * lowest[j];
        couple_inside(c, t.u);
        couple_view(c, t.u, &beside);
        if (beside.gap < 2 * v.gap) break;
      }
      t.gap = beside.gap;
      if (t.gap < cut) approach[n++] = t;
    }
  }
  return n;
}

int pl_piece_gaps(const pl_piece *a, const pl_pose *at, const pl_piece *b, const pl_pose *bt,
                  double cut, pl_approach approach[PL_APPROACH_MAX]) {
  couple c = couple_of(a, at, b, bt, (const int[2]){0, 0});
  if (couple_ball_gap(&c) > cut) return 0;
  int ring = b->kind == PL_PIECE_RING ? 1 : a->kind == PL_PIECE_RING ? 0 : -1;
  int n = has_facets(&c) ? facets_gaps(&c, cut, approach)
          : ring < 0     ? scan_grid(&c, cut, approach)
                         : scan_rings(&c, ring, cut, approach);
  // between facets, parts that lean a little are kept instead
  if (a->kind != PL_PIECE_FACETS || b->kind != PL_PIECE_FACETS) {
    n = seek_beside(&c, has_facets(&c) ? -1 : ring, cut, n, approach);
    n = add_sides(&c, cut, n, approach);
  }
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && approach[j].gap < approach[j - 1].gap; j--) {
      pl_approach swap = approach[j];
      approach[j] = approach[j - 1];
      approach[j - 1] = swap;
    }
  return n;
}

int pl_piece_follow(const pl_piece *a, const pl_pose *at, const pl_piece *b, const pl_pose *bt,
                    pl_approach *approach) {
  couple c = couple_of(a, at, b, bt, approach->on);
  view v;
  double lowest[4];
  if (approach->still)
    couple_view(&c, approach->u, &v);
  else if (settle(&c, approach->u, &v, lowest) <= 0)
    return 0;
  approach->gap = v.gap;
  memcpy(approach->on, c.on, sizeof approach->on);
  return 1;
}

double approach_roundness(const pl_piece *a, const pl_pose *at, const pl_piece *b,
                          const pl_pose *bt, const pl_approach *approach) {
  couple c = couple_of(a, at, b, bt, approach->on);
  view v;
  double g[4], H[4][4], step[4], lowest[4];
  couple_view(&c, approach->u, &v);
  int k = couple_slopes(&c, &v, g, H);
  return k ? fmax(couple_curvatures(k, g, (const double(*)[4])H, step, lowest), 0) : 1;
}

void pl_approach_points(const pl_piece *a, const pl_pose *at, const pl_piece *b, const pl_pose *bt,
                        const pl_approach *approach, double p[2][3]) {
  couple c = couple_of(a, at, b, bt, approach->on);
  view v;
  couple_view(&c, approach->u, &v);
  for (int k = 0; k < 2; k++) memcpy(p[k], v.s[k].p, sizeof p[k]);
}

// ---- derivatives by motions -------------------------------------------------------------------

// S(r) = (r n' + n r') / 2 - (n.r) I: how a rotation of r changes n.r to second order
static void add_rotation(const double *r, const double *n, double sign, int at, double H[12][12]) {
  double rn = pl_dot3(r, n);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      H[at + i][at + j] += sign * ((r[i] * n[j] + n[i] * r[j]) / 2 - (i == j ? rn : 0));
}

// J' x for J = [I, -[ra], -I, [rb]]: x by motions
static void motions(const double *ra, const double *rb, const double *x, double out[12]) {
  pl_cross3(ra, x, out + 3);
  pl_cross3(rb, x, out + 9);
  for (int i = 0; i < 3; i++) {
    out[i] = x[i];
    out[6 + i] = -x[i];
    out[9 + i] = -out[9 + i];
  }
}

// solves with the positive definite H[k][k]
static void solve_small(int k, const double H[4][4], int m, double x[][4]) {
  double C[16];
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) C[i * k + j] = H[i][j];
  pl_cholesky(k, C);
  for (int i = 0; i < m; i++) pl_cholesky_solve(k, C, x[i]);
}

void pl_piece_derivatives(const pl_piece *a, const pl_pose *at, const pl_piece *b,
                          const pl_pose *bt, const pl_approach *approach, double grad[12],
                          double H[12][12]) {
  couple c = couple_of(a, at, b, bt, approach->on);
  view v;
  double ra[3], rb[3], g[4], C[4][4];
  couple_view(&c, approach->u, &v);
  pl_sub3(v.s[0].p, at->x, ra);
  pl_sub3(v.s[1].p, bt->x, rb);
  motions(ra, rb, v.n, grad);
  if (!H) return;
  // J' (I - n n') J / d
  for (int i = 0; i < 3; i++) {
    double e[3] = {0}, row[12];
    for (int j = 0; j < 3; j++) e[j] = (i == j) - v.n[i] * v.n[j];
    motions(ra, rb, e, row);
    double unit[3] = {i == 0, i == 1, i == 2}, col[12];
    motions(ra, rb, unit, col);
    for (int p = 0; p < 12; p++)
      for (int q = 0; q < 12; q++) H[p][q] = (i ? H[p][q] : 0) + col[p] * row[q] / v.dist;
  }
  add_rotation(ra, v.n, 1, 3, H);
  add_rotation(rb, v.n, -1, 9, H);
  if (approach->still || c.nu[0] + c.nu[1] == 0) return;
  // the points slide
  int k = couple_slopes(&c, &v, g, C), n = 0;
  double D[12][4], S[12][4];
  for (int body = 0; body < 2; body++)
    for (int i = 0; i < c.nu[body]; i++, n++) {
      const double *d = v.s[body].d[i];
      double across[3], by[12], spin[3], sign = body ? -1 : 1, on = pl_dot3(d, v.n);
      for (int j = 0; j < 3; j++) across[j] = sign * (d[j] - on * v.n[j]) / v.dist;
      motions(ra, rb, across, by);
      pl_cross3(d, v.n, spin);
      for (int j = 0; j < 3; j++) by[(body ? 9 : 3) + j] += sign * spin[j];
      for (int p = 0; p < 12; p++) D[p][n] = S[p][n] = by[p];
    }
  solve_small(k, (const double(*)[4])C, 12, S);
  for (int p = 0; p < 12; p++)
    for (int q = 0; q < 12; q++)
      for (int i = 0; i < k; i++) H[p][q] -= D[p][i] * S[q][i];
}
