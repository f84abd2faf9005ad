#include "taut_impl.h"

#include <string.h>

// Sheets that are flat, and cylinders: where the images of elements are and how they move.

static const double FOLDED = 2.5; // rad
static const double OPEN = 1;     // strain

void goal_stretch(const pl_taut_goal *g, const double *e, double out[3]) {
  for (int c = 0; c < 3; c++) {
    out[c] = g->offset[c];
    for (int k = 0; k < g->n; k++) out[c] += e[k] * g->basis[k][c];
  }
}

void apply_strain(const double S[3], const double x[2], double out[3]) {
  out[0] = S[0] * x[0] + S[2] * x[1];
  out[1] = S[2] * x[0] + S[1] * x[1];
  out[2] = 0;
}

// the largest curvature along a direction that is looked at: neighbours that are linked are not
// turned farther against each other than FOLDED
double fold_curvature(pl_cell *c, const double along[2]) {
  double far = 0, x[2];
  for (int k = 0; k < c->npair; k++) {
    pair_offset(c, &c->pair[k], x);
    if (pair_linked(c, k)) far = fmax(far, fabs(along[0] * x[0] + along[1] * x[1]));
  }
  return FOLDED / (far > c->thin ? far : c->range);
}

// how a vector in the sheet grows in the step
static void stretch_step(const taut *t, const double x[2], double out[3]) {
  double S[3] = {0};
  const double *step = t->step + t->nz - t->nfree;
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < t->g->n; k++) S[c] += step[k] * t->g->basis[k][c];
  apply_strain(S, x, out);
}

// ---- flat ---------------------------------------------------------------------------------------

static int flat_image(const taut *t, const state *s, const pair *p, pl_pose *out) {
  double S[3], move[3];
  *out = s->pose[p->j];
  goal_stretch(t->g, s->e, S);
  apply_strain(S, p->shift, move);
  for (int d = 0; d < 2; d++) out->x[d] += p->shift[d] + move[d];
  return 1;
}

static void flat_shape(const taut *t, const double *e, double stretch[3], double curvature[3]) {
  goal_stretch(t->g, e, stretch);
  memset(curvature, 0, 3 * sizeof *curvature);
}

static void stay_put(const taut *t, state *s) {
  (void)t;
  (void)s;
}

static void flat_transport(const taut *t, const state *s, const pair *p, int which,
                           const double g[6], motion_map *out) {
  (void)s;
  (void)g;
  out->own = out->curved = 0;
  out->sheet = which;
  if (!which) return;
  memset(out->G, 0, sizeof out->G);
  for (int k = 0; k < t->g->n; k++) {
    double by[3];
    apply_strain(t->g->basis[k], p->shift, by);
    for (int d = 0; d < 3; d++) out->G[d][k] = by[d];
  }
}

static double flat_travel(const taut *t, const pair *p) {
  double shift[3];
  stretch_step(t, p->shift, shift);
  return pl_norm3(shift);
}

static pl_pose flat_home(const pl_cell *c, int i) {
  return c->ref[i];
}

// as far as no cell is compressed below CELL_SHRINK along the goal
static double flat_most(const taut *t) {
  double S[3] = {0};
  for (int k = 0; k < t->g->n; k++)
    for (int c = 0; c < 3; c++) S[c] += t->g->goal[k] * t->g->basis[k][c];
  double shrink = hypot((S[0] - S[1]) / 2, S[2]) - (S[0] + S[1]) / 2;
  double buffer = 1 - CELL_SHRINK - 0.01;
  return shrink * OPEN > buffer ? buffer / shrink : OPEN;
}

const placing placing_flat = {flat_home,  flat_most,      flat_shape,  stay_put,
                              flat_image, flat_transport, flat_travel, NULL};

// ---- cylinders ----------------------------------------------------------------------------------

// Elements stand where the lattice has them, rolled up; their poses are seen from there. One that
// is u along the angle and v along the axis from another is turned by phi = k u about the axis,
// which is 1 / k above, and moved by v. In the frame (along, axis, up): x = (sin phi / k, v, (1 -
// cos phi) / k) + R(phi) p.
typedef struct roll {
  double along[3], axis[3];
  double k, u, v, phi;
  double R[9], rot[3];     // rotation of the image, and its axis
  double du[PL_TAUT_FREE]; // of u and v by strains
  double dv[PL_TAUT_FREE];
} roll;

// a place (x, y) of the flat sheet away
static roll roll_to(double angle, double k, const double x[2]) {
  double c = cos(angle), n = sin(angle);
  roll r = {.along = {c, n, 0}, .axis = {-n, c, 0}, .rot = {n, -c, 0}, .k = k};
  r.u = c * x[0] + n * x[1];
  r.v = c * x[1] - n * x[0];
  r.phi = r.k * r.u;
  pl_rotation3(r.rot, r.phi, r.R);
  return r;
}

// the second element from the first, where the sheet is flat
static void stretched_offset(const taut *t, const state *s, const pair *p, double from[2],
                             double x[3]) {
  double S[3];
  pair_offset(t->c, p, from);
  goal_stretch(t->g, s->e, S);
  apply_strain(S, from, x);
  for (int d = 0; d < 2; d++) x[d] += from[d];
}

static roll roll_of(const taut *t, const state *s, const pair *p) {
  double x[3], from[2];
  stretched_offset(t, s, p, from, x);
  roll r = roll_to(t->g->angle, s->e[t->g->n] * t->unit, x);
  for (int i = 0; i < t->g->n; i++) {
    apply_strain(t->g->basis[i], from, x);
    r.du[i] = pl_dot3(r.along, x);
    r.dv[i] = pl_dot3(r.axis, x);
  }
  return r;
}

// sin(x) / x and (1 - cos x) / x with two derivatives each
static void rounding(double x, double S[3], double C[3]) {
  double s = sin(x), c = cos(x);
  if (fabs(x) < 0.05) {
    double x2 = x * x;
    S[0] = 1 - x2 / 6 * (1 - x2 / 20 * (1 - x2 / 42));
    S[1] = -x / 3 * (1 - x2 / 10 * (1 - x2 / 28 * (1 - x2 / 54)));
    S[2] = -1.0 / 3 + x2 / 10 * (1 - x2 * 5 / 84 * (1 - x2 * 7 / 270));
    C[0] = x / 2 * (1 - x2 / 12 * (1 - x2 / 30 * (1 - x2 / 56)));
    C[1] = 0.5 - x2 / 8 * (1 - x2 / 18 * (1 - x2 / 40));
    C[2] = -x / 4 * (1 - x2 / 9 * (1 - x2 * 3 / 80));
    return;
  }
  S[0] = s / x;
  S[1] = (c - S[0]) / x;
  S[2] = (-s - 2 * S[1]) / x;
  C[0] = (1 - c) / x;
  C[1] = (s - C[0]) / x;
  C[2] = (c - 2 * C[1]) / x;
}

static void add_scaled(double f, const double *x, double *to) {
  for (int d = 0; d < 3; d++) to[d] += f * x[d];
}

static const double UP[3] = {0, 0, 1};

static void roll_pose(const roll *r, const pl_pose *from, pl_pose *out) {
  double S[3], C[3];
  rounding(r->phi, S, C);
  for (int d = 0; d < 3; d++) out->x[d] = pl_dot3(r->R + 3 * d, from->x);
  add_scaled(r->u * S[0], r->along, out->x);
  add_scaled(r->v, r->axis, out->x);
  add_scaled(r->u * C[0], UP, out->x);
  pl_mul3(r->R, from->Q, out->Q);
}

// Of arcs the chords count, 2 / k sin(k u / 2) >= u (2 / pi) up to half a turn, beyond which pairs
// do not count; and both are seen from where the sheet has them.
static double cylinder_apart(const taut *t, const state *s, const pair *p) {
  double x[3], from[2];
  stretched_offset(t, s, p, from, x);
  double c = cos(t->g->angle), n = sin(t->g->angle);
  double chord = 2 / PL_PI * (c * x[0] + n * x[1]), along = c * x[1] - n * x[0];
  return hypot(chord, along) - pl_norm3(s->pose[p->i].x) - pl_norm3(s->pose[p->j].x);
}

// Half a turn of the sheet is free of overlaps, wherever it begins. What is farther apart is on the
// other side of the cylinder or, as turns of a spiral, where other parts of the sheet are.
static int is_half_turn(const roll *r) {
  return fabs(r->phi) < PL_PI;
}

int rolled_counts(double angle, double k, const double x[2]) {
  roll r = roll_to(angle, k, x);
  return is_half_turn(&r);
}

// A pair that counts does so until a step has taken it farther than half a turn without an overlap.
static int cylinder_image(const taut *t, const state *s, const pair *p, pl_pose *out) {
  roll r = roll_of(t, s, p);
  roll_pose(&r, &s->pose[p->j], out);
  if (is_half_turn(&r)) return 1;
  if (s != &t->trial) return 0;
  r = roll_of(t, &t->now, p);
  return is_half_turn(&r);
}

// First and second derivatives of u sinc(k u) or the like by u and k; f: the function with
// derivatives, d: that of u f(k u) by u, of which the derivative by phi is dd
static void arc_slopes(double u, double k, const double f[3], double d, double dd, double by[2],
                       double by2[3]) {
  by[0] = d;
  by[1] = u * u * f[1];
  by2[0] = k * dd;
  by2[1] = u * dd;
  by2[2] = u * u * u * f[2];
}

// by u and k: first derivatives of where the image is and second ones (uu, uk, kk)
static void roll_slopes(const roll *r, const double *p, double by[2][3], double by2[3][3]) {
  double S[3], C[3], s[2], s2[3], c[2], c2[3], Rp[3], one[3], two[3];
  rounding(r->phi, S, C);
  arc_slopes(r->u, r->k, S, cos(r->phi), -sin(r->phi), s, s2);
  arc_slopes(r->u, r->k, C, sin(r->phi), cos(r->phi), c, c2);
  for (int d = 0; d < 3; d++) Rp[d] = pl_dot3(r->R + 3 * d, p);
  pl_cross3(r->rot, Rp, one); // by phi
  pl_cross3(r->rot, one, two);
  const double phi[2] = {r->k, r->u}, phi2[3] = {r->k * r->k, r->k * r->u, r->u * r->u};
  for (int d = 0; d < 3; d++) {
    for (int i = 0; i < 2; i++) by[i][d] = s[i] * r->along[d] + c[i] * UP[d] + phi[i] * one[d];
    for (int i = 0; i < 3; i++)
      by2[i][d] = s2[i] * r->along[d] + c2[i] * UP[d] + phi2[i] * two[d] + (i == 1) * one[d];
  }
}

void rolled_image(double angle, double k, const double x[2], const pl_pose *from, pl_pose *out,
                  double R[9], double by[3][6]) {
  roll r = roll_to(angle, k, x);
  double slope[2][3], unused[3][3];
  roll_pose(&r, from, out);
  roll_slopes(&r, from->x, slope, unused);
  memcpy(R, r.R, sizeof r.R);
  for (int d = 0; d < 3; d++) {
    for (int c = 0; c < 2; c++) {
      by[c][d] = slope[0][d] * r.along[c] + r.axis[d] * r.axis[c];
      by[c][3 + d] = r.rot[d] * r.k * r.along[c];
    }
    by[2][d] = slope[1][d];
    by[2][3 + d] = r.rot[d] * r.u;
  }
}

// K by what deforms the sheet: curvature is the last
static void transport_curved(const taut *t, const roll *r, const double by2[3][3],
                             const double g[6], motion_map *out) {
  int n = t->g->n;
  double uu = pl_dot3(g, by2[0]), uk = (pl_dot3(g, by2[1]) + pl_dot3(g + 3, r->rot)) * t->unit,
         kk = pl_dot3(g, by2[2]) * t->unit * t->unit;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) out->K[6 + i][6 + j] = uu * (r->du[i] * r->du[j]);
    out->K[6 + i][6 + n] = out->K[6 + n][6 + i] = uk * r->du[i];
  }
  out->K[6 + n][6 + n] = kk;
}

static void cylinder_transport(const taut *t, const state *s, const pair *p, int which,
                               const double g[6], motion_map *out) {
  out->own = out->sheet = out->curved = which;
  if (!which) return;
  roll r = roll_of(t, s, p);
  int n = t->g->n;
  double by[2][3], by2[3][3];
  roll_slopes(&r, s->pose[p->j].x, by, by2);
  memset(out->A, 0, sizeof out->A);
  memset(out->K, 0, sizeof out->K);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out->A[i][j] = out->A[3 + i][3 + j] = r.R[3 * i + j];
  double phi[PL_TAUT_FREE];
  for (int k = 0; k < n; k++) phi[k] = r.k * r.du[k];
  phi[n] = r.u * t->unit;
  for (int d = 0; d < 3; d++) {
    for (int k = 0; k < n; k++) out->G[d][k] = by[0][d] * r.du[k] + r.axis[d] * r.dv[k];
    out->G[d][n] = by[1][d] * t->unit;
    for (int k = 0; k <= n; k++) out->G[3 + d][k] = r.rot[d] * phi[k];
  }
  transport_curved(t, &r, (const double(*)[3])by2, g, out);
  // own motions are turned by phi; rotations about two axes follow each other
  for (int c = 0; c < 3; c++) {
    double column[3] = {r.R[c], r.R[3 + c], r.R[6 + c]}, rotated[3];
    pl_cross3(r.rot, column, rotated);
    double move = pl_dot3(g, rotated), spin = pl_dot3(g + 3, rotated) / 2;
    for (int k = 0; k <= n; k++) {
      out->K[c][6 + k] = out->K[6 + k][c] = move * phi[k];
      out->K[3 + c][6 + k] = out->K[6 + k][3 + c] = spin * phi[k];
    }
  }
}

// the end of an arc of length u moves by at most u^2 / 2 for a unit of curvature
static double cylinder_travel(const taut *t, const pair *p) {
  double shift[3], from[2], x[3], dk = fabs(t->step[t->nz - 1]) * t->unit;
  stretched_offset(t, &t->now, p, from, x);
  stretch_step(t, from, shift);
  double grow = pl_norm3(shift);
  double u = fabs(cos(t->g->angle) * x[0] + sin(t->g->angle) * x[1]) + grow;
  double phi = dk * u + fabs(t->now.e[t->g->n] * t->unit) * grow;
  return grow + dk * u * u / 2 + phi * (pl_norm3(t->now.pose[p->j].x) + t->c->range);
}

static pl_pose cylinder_home(const pl_cell *c, int i) {
  pl_pose p = c->ref[i];
  p.x[0] = p.x[1] = 0;
  return p;
}

static double cylinder_most(const taut *t) {
  return fold_curvature(t->c, (double[]){cos(t->g->angle), sin(t->g->angle)}) / t->unit;
}

static void cylinder_shape(const taut *t, const double *e, double stretch[3], double curvature[3]) {
  double c = cos(t->g->angle), s = sin(t->g->angle), k = e[t->g->n] * t->unit;
  const double all[3] = {k * c * c, k * s * s, k * c * s};
  goal_stretch(t->g, e, stretch);
  memcpy(curvature, all, sizeof all);
}

const placing placing_cylinder = {cylinder_home,   cylinder_most,  cylinder_shape,
                                  stay_put,        cylinder_image, cylinder_transport,
                                  cylinder_travel, cylinder_apart};
