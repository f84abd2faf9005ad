#include "descent.h"

// Inertia and friction of a step in time. With Q(w) = exp(w) Q, tr(Q(w) A') is known to second
// order by B = Q A': w . axial(B), w' (sym(B) - tr(B)) w / 2.

// how far the centre of mass is from its aim
static void off_aim(const descent *d, const pl_pose *at, int i, double arm[3], double out[3]) {
  pl_apply3(at->Q, d->p.middle[i], arm);
  for (int c = 0; c < 3; c++) out[c] = at->x[c] + arm[c] - d->aim[i].aim[c];
}

void descent_inertia(descent *d, int i) {
  const body_aim *a = &d->aim[i];
  const double *Q = d->at[i].Q;
  int at = 6 * d->p.unknown[i];
  double arm[3], off[3], torque[3], B[9], H[6][6] = {0}, unit = 1 / d->p.radius[i];
  off_aim(d, &d->at[i], i, arm, off);
  pl_cross3(arm, off, torque);
  for (int r = 0; r < 3; r++)
    for (int s = 0; s < 3; s++) B[3 * r + s] = pl_dot3(Q + 3 * r, a->A + 3 * s);
  double axial[3] = {B[7] - B[5], B[2] - B[6], B[3] - B[1]}, trace = B[0] + B[4] + B[8];
  for (int c = 0; c < 3; c++) {
    d->grad[at + c] += a->stiff * off[c];
    d->grad[at + 3 + c] += unit * (a->stiff * torque[c] + axial[c]);
    H[c][c] = a->stiff;
  }
  // translation against the turn of the arm, then the turn alone
  const double cross[3][3] = {{0, arm[2], -arm[1]}, {-arm[2], 0, arm[0]}, {arm[1], -arm[0], 0}};
  double level = pl_dot3(arm, off), square = pl_dot3(arm, arm);
  for (int r = 0; r < 3; r++)
    for (int s = 0; s < 3; s++) {
      H[r][3 + s] = H[3 + s][r] = unit * a->stiff * cross[r][s];
      double own = (r == s) * square - arm[r] * arm[s];
      double bent = (arm[r] * off[s] + off[r] * arm[s]) / 2 - (r == s) * level;
      double spin = (r == s) * trace - (B[3 * r + s] + B[3 * s + r]) / 2;
      H[3 + r][3 + s] = unit * unit * (a->stiff * (own + bent) + spin);
    }
  blocks_add(&d->K, d->p.unknown[i], d->p.unknown[i], 1, &H[0][0], 6);
}

static double inertia(const descent *d, const pl_pose *at, int i) {
  const body_aim *a = &d->aim[i];
  double arm[3], off[3], sum = 0;
  off_aim(d, at, i, arm, off);
  for (int k = 0; k < 9; k++) sum -= at->Q[k] * a->A[k];
  return sum + a->stiff / 2 * pl_dot3(off, off);
}

double descent_inertia_change(const descent *d, int i) {
  return inertia(d, &d->trial[i], i) - inertia(d, &d->at[i], i);
}

// ---- friction -----------------------------------------------------------------------------------

// slip of the contact across its normal; arms in the world
static void slip_of(const descent *d, const pl_pose *at, const rub *f, double arm[2][3],
                    double u[2]) {
  double w[3] = {0};
  const int end[2] = {f->i, f->j};
  for (int e = 0; e < 2; e++) {
    if (end[e] < 0) continue;
    pl_apply3(at[end[e]].Q, f->arm[e], arm[e]);
    for (int c = 0; c < 3; c++)
      w[c] += (e ? -1 : 1) * (at[end[e]].x[c] + arm[e][c] - f->from[e][c]);
  }
  (void)d;
  for (int t = 0; t < 2; t++) u[t] = pl_dot3(f->T[t], w);
}

// |u| beyond `slip`, below it a cubic with the same slope; its derivatives by |u|
static double rub_law(double y, double slip, double by[2]) {
  double x = y / slip;
  by[0] = x < 1 ? x * (2 - x) : 1;
  by[1] = x < 1 ? 2 * (1 - x) / slip : 0;
  return x < 1 ? slip * (x * x * (1 - x / 3) + 1.0 / 3) : y;
}

void descent_rub(descent *d, const rub *f) {
  double arm[2][3], u[2], by[2], M[3][3], G[3], J[2][3][6];
  int end[2] = {d->p.unknown[f->i], f->j < 0 ? -1 : d->p.unknown[f->j]};
  slip_of(d, d->at, f, arm, u);
  double y = pl_norm(2, u);
  rub_law(y, d->slip, by);
  // by[0] / y as y goes to zero
  double over = y > 1e-12 * d->slip ? by[0] / y : 2 / d->slip;
  double n[2] = {y > 0 ? u[0] / y : 0, y > 0 ? u[1] / y : 0};
  for (int c = 0; c < 3; c++) {
    G[c] = f->limit * over * (u[0] * f->T[0][c] + u[1] * f->T[1][c]);
    for (int b = 0; b < 3; b++) {
      double along =
          (n[0] * f->T[0][c] + n[1] * f->T[1][c]) * (n[0] * f->T[0][b] + n[1] * f->T[1][b]);
      double all = f->T[0][c] * f->T[0][b] + f->T[1][c] * f->T[1][b];
      M[c][b] = f->limit * (over * (all - along) + by[1] * along);
    }
  }
  for (int e = 0; e < 2; e++) {
    if (end[e] < 0) continue;
    double unit = 1 / d->p.radius[e ? f->j : f->i], sign = e ? -1 : 1;
    const double *a = arm[e];
    const double cross[3][3] = {{0, a[2], -a[1]}, {-a[2], 0, a[0]}, {a[1], -a[0], 0}};
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) {
        J[e][r][c] = sign * (r == c);
        J[e][r][3 + c] = sign * unit * cross[r][c];
      }
    for (int c = 0; c < 6; c++)
      for (int r = 0; r < 3; r++) d->grad[6 * end[e] + c] += J[e][r][c] * G[r];
  }
  for (int e = 0; e < 2; e++)
    for (int g = 0; g < 2; g++) {
      double H[6][6] = {0};
      if (end[e] < 0 || end[g] < 0) continue;
      for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++)
          for (int a = 0; a < 6; a++)
            for (int b = 0; b < 6; b++) H[a][b] += J[e][r][a] * M[r][s] * J[g][s][b];
      blocks_add(&d->K, end[e], end[g], 1, &H[0][0], 6);
    }
}

double descent_rub_change(const descent *d, const rub *f) {
  double arm[2][3], u[2], by[2], sum = 0;
  slip_of(d, d->trial, f, arm, u);
  sum += rub_law(pl_norm(2, u), d->slip, by);
  slip_of(d, d->at, f, arm, u);
  return f->limit * (sum - rub_law(pl_norm(2, u), d->slip, by));
}

double descent_rub_work(const descent *d, const rub *f) {
  double arm[2][3], u[2], by[2];
  slip_of(d, d->at, f, arm, u);
  rub_law(pl_norm(2, u), d->slip, by);
  return f->limit * by[0] * pl_norm(2, u);
}
