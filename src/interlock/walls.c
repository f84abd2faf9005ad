#include "taut_impl.h"

#include <float.h>

// What is looked at no farther: a largest goal or curvature, and sheets that have shrunk along some
// direction so far that elements might meet which are not looked at. Both repel, like gaps.

// -(1 - x)^2 log x with x = gap / reach, and its derivatives by the gap
double repulsion(double gap, double range, double d[2]) {
  double x = gap / range, y = 1 - x, l = log(x);
  d[0] = (2 * y * l - y * y / x) / range;
  d[1] = (-2 * l + 4 * y / x + y * y / (x * x)) / (range * range);
  return -y * y * l;
}

static const double NEAR = 0.2;   // of the largest that is looked at
static const double MARGIN = 0.1; // strain, from where the sheet repels

// the goal, or the curvature; derivatives are by it
static double far_wall(const taut *t, const double *e, double d[2]) {
  double x = pl_dot(t->nfree, t->wall, e), gap = t->most - fabs(x);
  d[0] = d[1] = 0;
  if (gap > NEAR * t->most) return 0;
  if (gap <= 0) return DBL_MAX;
  double value = repulsion(gap, NEAR * t->most, d);
  d[0] *= x > 0 ? -1 : 1;
  return value;
}

double least_stretch(const taut *t) {
  // arcs up to half a turn are longer than their chords by half of pi at most
  return CELL_SHRINK * (t->g->shape == PL_TAUT_CYLINDER ? PL_PI / 2 : 1);
}

// Both principal stretches over the least that is looked at, multiplied with each other: the
// determinant of I + S - least I. Derivatives are by it, which is *margin.
static double shrink_wall(const taut *t, const double *e, double *margin, double d[2]) {
  double S[3], least = least_stretch(t), wide = MARGIN * (1 - least);
  d[0] = d[1] = 0;
  if (t->c->disk > 0) return 0;
  goal_stretch(t->g, e, S);
  double a = 1 + S[0] - least, b = 1 + S[1] - least;
  *margin = a * b - S[2] * S[2];
  if (!(*margin > 0) || !(a + b > 0)) return DBL_MAX;
  return *margin < wide ? repulsion(*margin, wide, d) : 0;
}

// of the margin by strains
static void margin_slopes(const taut *t, const double *e, double g[3], double H[3][3]) {
  double S[3], least = least_stretch(t);
  goal_stretch(t->g, e, S);
  for (int k = 0; k < t->g->n; k++) {
    const double *B = t->g->basis[k];
    g[k] = (1 + S[1] - least) * B[0] + (1 + S[0] - least) * B[1] - 2 * S[2] * B[2];
    for (int l = 0; l < t->g->n; l++) {
      const double *C = t->g->basis[l];
      H[k][l] = B[0] * C[1] + B[1] * C[0] - 2 * B[2] * C[2];
    }
  }
}

double walls_value(const taut *t, const double *e) {
  double d[2], margin, far = far_wall(t, e, d), shrunk = shrink_wall(t, e, &margin, d);
  return far == DBL_MAX || shrunk == DBL_MAX ? DBL_MAX : far + shrunk;
}

void walls_add(taut *t, const double *e, double weight) {
  int nz = t->nz, first = nz - t->nfree;
  double d[2], margin, g[3], H[3][3];
  if (far_wall(t, e, d) != 0)
    for (int k = 0; k < t->nfree; k++) {
      t->grad[first + k] += weight * d[0] * t->wall[k];
      for (int l = 0; l < t->nfree; l++)
        t->H[(first + k) * nz + first + l] += weight * d[1] * t->wall[k] * t->wall[l];
    }
  if (shrink_wall(t, e, &margin, d) == 0) return;
  margin_slopes(t, e, g, H);
  for (int k = 0; k < t->g->n; k++) {
    t->grad[first + k] += weight * d[0] * g[k];
    for (int l = 0; l < t->g->n; l++)
      t->H[(first + k) * nz + first + l] += weight * (d[1] * g[k] * g[l] + d[0] * H[k][l]);
  }
}

int walls_hold(const taut *t, double weight, double least) {
  double d[2], margin, g[3], H[3][3], most = 0;
  far_wall(t, t->now.e, d);
  if (fabs(weight * d[0]) > least) return PL_TAUT_OPEN;
  if (shrink_wall(t, t->now.e, &margin, d) == 0) return 0;
  margin_slopes(t, t->now.e, g, H);
  for (int k = 0; k < t->g->n; k++) most = fmax(most, fabs(weight * d[0] * g[k]));
  return most > least ? PL_TAUT_SHRUNK : 0;
}
