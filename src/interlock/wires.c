#include "patch_impl.h"

#include <float.h>
#include <string.h>

// One gap for all of two wires, a mean of the gaps g between them that the smallest ones dominate:
//
//   gap = reach (1 + integral of f(g / reach) ds / thickness)^(-1/P),  f(x) = (1 - x)^3 / x^P,
//
// along the one wire, of the distances of its points from the other. It is zero where the wires
// touch and smooth wherever they do not, whereas the smallest gap has kinks where one minimum of
// the distance becomes two, and curvatures without bound beside them, at which Newton's steps go to
// and fro. The gap is concave in g, so that wires that touch in two places push in both.

enum { P = 2 };
static const double POLE = 0.5; // half a panel over the distance to where the gap would vanish
static const double AWAY = 300; // smallest gaps from which on points count for little
// times the third derivative, of a cubic below the parabola through its ends and middle
static const double BELOW = 1.5 * 0.0642;
enum { PANELS = 8, DEEP = 24 }; // panels of a stretch

// Gauss's points and weights: where the gap is smallest, and elsewhere
enum { FINE = 6, COARSE = 3 };
static const double fine[FINE][2] = {
    {-0.9324695142031521, 0.1713244923791704}, {-0.6612093864662645, 0.3607615730481386},
    {-0.2386191860831969, 0.4679139345726910}, {0.2386191860831969, 0.4679139345726910},
    {0.6612093864662645, 0.3607615730481386},  {0.9324695142031521, 0.1713244923791704}};
static const double coarse[COARSE][2] = {
    {-0.7745966692414834, 5.0 / 9}, {0, 8.0 / 9}, {0.7745966692414834, 5.0 / 9}};

// sums over points of the second wire, at r from the origin of its element; a: slopes by the gaps
typedef struct wires {
  double centre[3], axis[3], along[3]; // of the first one, from the origin of the second's element
  double major, half;                  // its radius, half its straight sides
  double from[3], out[2][3];           // of the second one
  double round, side;                  // its radius, half its straight sides
  double thick, range;                 // of both; of the repulsion
  double least, sum;                   // smallest gap; the integral
  int wanted;                          // slopes and curvatures are
  double a[3], T[3];                   // of a n and a r x n
  double W[6][6], Z[3][3];             // of curvatures by motions of the second; of a r n'
} wires;

// a part of the second wire: half circle, straight side, half circle, straight side
typedef struct stretch {
  int which;
  double from, to, speed; // of its parameter, an angle or a length
} stretch;

int wires_know(const pl_piece *p) {
  return p->kind == PL_PIECE_LINK || (p->kind == PL_PIECE_RING && p->height == p->radius);
}

// a point of the wire, from the origin of its element, in axes of the world
static void wire_point(const wires *w, const stretch *part, double s, double r[3]) {
  int bent = part->which % 2 == 0;
  double x = bent ? w->side + w->round * sin(s) : -s, y = bent ? -w->round * cos(s) : w->round;
  if (part->which >= 2) {
    x = -x;
    y = -y;
  }
  for (int k = 0; k < 3; k++) r[k] = w->from[k] + x * w->out[0][k] + y * w->out[1][k];
}

// The distance of a point from the first wire, less both radii, its gradient n and its curvatures.
static double distance(const wires *w, const double *r, double *n, double (*M)[3]) {
  double y[3], e[3], t[3], m[3];
  pl_sub3(r, w->centre, y);
  double z = pl_dot3(y, w->axis), on = pl_dot3(y, w->along);
  double side = fmax(-w->half, fmin(w->half, on));
  int bent = fabs(on) >= w->half;
  if (!bent) side = on;
  for (int c = 0; c < 3; c++) e[c] = y[c] - z * w->axis[c] - side * w->along[c];
  double far = fmax(pl_norm3(e), 1e-300), u = far - w->major, dist = sqrt(u * u + z * z);
  if (!n) return dist - w->thick;
  for (int c = 0; c < 3; c++) {
    e[c] /= far;
    n[c] = (u * e[c] + z * w->axis[c]) / dist;
    m[c] = (u * w->axis[c] - z * e[c]) / dist;
  }
  pl_cross3(w->axis, e, t);
  double rot = bent ? u / (dist * far) : 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) M[i][j] = m[i] * m[j] / dist + rot * t[i] * t[j];
  return dist - w->thick;
}

// L' X L, L = [I, -[r]x], and the sums that turns of a motion need
static void add_curvature(wires *w, const double X[3][3], const double *r, const double *n,
                          double a) {
  double L[3][6] = {
      {1, 0, 0, 0, r[2], -r[1]}, {0, 1, 0, -r[2], 0, r[0]}, {0, 0, 1, r[1], -r[0], 0}};
  double XL[3][6];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 6; k++)
      XL[i][k] = X[i][0] * L[0][k] + X[i][1] * L[1][k] + X[i][2] * L[2][k];
  for (int i = 0; i < 6; i++)
    for (int k = i; k < 6; k++)
      w->W[i][k] += L[0][i] * XL[0][k] + L[1][i] * XL[1][k] + L[2][i] * XL[2][k];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) w->Z[i][k] += a * r[i] * n[k];
}

static void add_point(wires *w, const stretch *part, double s, double ds) {
  double r[3], n[3], M[3][3], X[3][3], torque[3];
  wire_point(w, part, s, r);
  double gap = distance(w, r, w->wanted ? n : NULL, M), x = gap / w->range, y = 1 - x;
  w->least = fmin(w->least, gap);
  if (!(x > 0) || x >= 1) return;
  double tail = ds / (w->thick * x * x);
  w->sum += tail * y * y * y;
  if (!w->wanted) return;
  double first = -tail * y * y * (3 + P * y / x) / w->range;
  double second =
      tail * y * (6 + 6 * P * y / x + P * (P + 1) * y * y / (x * x)) / (w->range * w->range);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) X[i][k] = second * n[i] * n[k] + first * M[i][k];
  pl_cross3(r, n, torque);
  for (int c = 0; c < 3; c++) {
    w->a[c] += first * n[c];
    w->T[c] += first * torque[c];
  }
  add_curvature(w, (const double(*)[3])X, r, n, first);
}

static double gap_at(const wires *w, const stretch *part, double s) {
  double r[3];
  wire_point(w, part, s, r);
  return distance(w, r, NULL, NULL);
}

// The smallest value on -1..1 of the parabola through left, gap and right at -1, 0 and 1.
static double parabola_least(double left, double gap, double right) {
  double slope = (right - left) / 2, bent = (left + right) / 2 - gap;
  double least = fmin(gap, fmin(left, right));
  return fabs(slope) < 2 * bent ? fmin(least, gap - slope * slope / (4 * bent)) : least;
}

// Halves until the integrand is as good as a polynomial, with no zero of the gap near: neither of
// the parabola through both ends and the middle, nor by as much as third derivatives, which are at
// most 1.5 times the square of all curvatures, let the gap be below it.
static void add_panel(wires *w, const stretch *part, double middle, double half, double left,
                      double right, int depth) {
  double gap = gap_at(w, part, middle), least = fmin(gap, fmin(left, right));
  double length = half * part->speed;
  if (gap - length > w->range) return;
  w->least = fmin(w->least, least);
  if (!(least > 0)) return;
  double most = (1 / w->round + 1 / (gap + w->thick) + 1 / w->major) * length;
  int smooth = fabs(left + right - 2 * gap) < 2 * POLE * POLE * gap &&
               fabs(right - left) < 4 * POLE * gap &&
               BELOW * most * most * length < POLE * parabola_least(left, gap, right);
  if (depth == DEEP || smooth) {
    int away = least > AWAY * w->least;
    const double(*at)[2] = away ? coarse : fine;
    for (int k = 0; k < (away ? COARSE : FINE); k++)
      add_point(w, part, middle + half * at[k][0], length * at[k][1]);
    return;
  }
  // the smaller gaps first
  int first = left < right ? -1 : 1;
  for (int side = first; side == first || side == -first; side -= 2 * first)
    add_panel(w, part, middle + side * half / 2, half / 2, side < 0 ? left : gap,
              side < 0 ? gap : right, depth + 1);
}

static void wires_place(const pl_piece *const piece[2], const pl_pose *const pose[2], wires *w) {
  pl_apply3(pose[0]->Q, piece[0]->centre, w->centre);
  pl_apply3(pose[0]->Q, piece[0]->axis, w->axis);
  pl_apply3(pose[0]->Q, piece[0]->out[0], w->along);
  pl_apply3(pose[1]->Q, piece[1]->centre, w->from);
  for (int c = 0; c < 3; c++) w->centre[c] += pose[0]->x[c] - pose[1]->x[c];
  for (int k = 0; k < 2; k++) pl_apply3(pose[1]->Q, piece[1]->out[k], w->out[k]);
  w->major = piece[0]->major;
  w->half = piece[0]->straight / 2;
  w->round = piece[1]->major;
  w->side = piece[1]->straight / 2;
  w->thick = piece[0]->radius + piece[1]->radius;
}

static void wires_open(const pl_piece *const piece[2], const pl_pose *const pose[2], double range,
                       int wanted, wires *w) {
  memset(w, 0, sizeof *w);
  wires_place(piece, pose, w);
  w->range = range;
  w->least = DBL_MAX;
  w->wanted = wanted;
  const stretch part[4] = {{0, 0, PL_PI, w->round},
                           {1, -w->side, w->side, 1},
                           {2, 0, PL_PI, w->round},
                           {3, -w->side, w->side, 1}};
  double ends[4 * PANELS][2];
  int first = 0, n = 4 * PANELS;
  for (int k = 0; k < n; k++) {
    const stretch *p = &part[k / PANELS];
    double step = (p->to - p->from) / PANELS;
    for (int e = 0; e < 2; e++)
      ends[k][e] = step > 0 ? gap_at(w, p, p->from + step * (k % PANELS + e)) : DBL_MAX;
    if (fmin(ends[k][0], ends[k][1]) < fmin(ends[first][0], ends[first][1])) first = k;
  }
  // from the smallest one on, both ways
  for (int i = 0; i < n; i++) {
    int k = (first + n + (i % 2 ? -1 - i / 2 : i / 2)) % n;
    const stretch *p = &part[k / PANELS];
    double half = (p->to - p->from) / PANELS / 2;
    if (half > 0)
      add_panel(w, p, p->from + half * (2 * (k % PANELS) + 1), half, ends[k][0], ends[k][1], 0);
  }
}

double wires_gap(const pl_piece *const piece[2], const pl_pose *const pose[2], double range,
                 double *least) {
  wires w;
  wires_open(piece, pose, range, 0, &w);
  *least = w.least;
  return w.least > 0 ? range * pow(1 + w.sum, -1.0 / P) : w.least;
}

// ---- derivatives --------------------------------------------------------------------------------

// Curvatures by both motions: T' W T of the relative motion, T = [-I, [h], I, 0; 0, -I, 0, I] with
// h from the origin of the first element to that of the second, and as the axes turn.
static void both_motions(const wires *w, const double h[3], double H[12][12]) {
  double T[6][12] = {{0}}, WT[6][12] = {{0}};
  const double cross[3][3] = {{0, -h[2], h[1]}, {h[2], 0, -h[0]}, {-h[1], h[0], 0}};
  for (int i = 0; i < 3; i++) {
    T[i][i] = T[3 + i][3 + i] = -1;
    T[i][6 + i] = T[3 + i][9 + i] = 1;
    for (int k = 0; k < 3; k++) T[i][3 + k] = cross[i][k];
  }
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 12; k++)
      for (int l = 0; l < 6; l++) WT[i][k] += (i <= l ? w->W[i][l] : w->W[l][i]) * T[l][k];
  for (int i = 0; i < 12; i++)
    for (int k = 0; k < 12; k++) {
      H[i][k] = 0;
      for (int l = 0; l < 6; l++) H[i][k] += T[l][i] * WT[l][k];
    }
  double trace = w->Z[0][0] + w->Z[1][1] + w->Z[2][2], along = pl_dot3(h, w->a);
  const double N[3][3] = {{0, -w->a[2], w->a[1]}, {w->a[2], 0, -w->a[0]}, {-w->a[1], w->a[0], 0}};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      double own = (w->Z[i][k] + w->Z[k][i]) / 2 - (i == k) * trace;
      H[9 + i][9 + k] += own;
      H[3 + i][3 + k] += own + (h[i] * w->a[k] + w->a[i] * h[k]) / 2 - (i == k) * along;
      double mixed = -(w->Z[i][k] - (i == k) * trace);
      H[3 + i][9 + k] += mixed;
      H[9 + k][3 + i] += mixed;
      H[3 + i][6 + k] += N[i][k];
      H[6 + k][3 + i] += N[i][k];
      H[3 + i][k] -= N[i][k];
      H[k][3 + i] -= N[i][k];
    }
}

void wires_derivatives(const pl_piece *const piece[2], const pl_pose *const pose[2], double range,
                       double g[12], double H[12][12]) {
  wires w;
  double h[3], rot[3];
  wires_open(piece, pose, range, 1, &w);
  pl_sub3(pose[1]->x, pose[0]->x, h);
  pl_cross3(h, w.a, rot);
  for (int c = 0; c < 3; c++) {
    g[c] = -w.a[c];
    g[3 + c] = -w.T[c] - rot[c];
    g[6 + c] = w.a[c];
    g[9 + c] = w.T[c];
  }
  both_motions(&w, h, H);
  double by = -range / P * pow(1 + w.sum, -1.0 / P - 1), again = by * (-1.0 / P - 1) / (1 + w.sum);
  for (int i = 0; i < 12; i++)
    for (int k = 0; k < 12; k++) H[i][k] = by * H[i][k] + again * g[i] * g[k];
  for (int i = 0; i < 12; i++) g[i] *= by;
}
