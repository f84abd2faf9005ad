#include "taut_impl.h"

#include <string.h>

// Unknowns of a cell, and derivatives of gaps by them.

// ---- unknowns -----------------------------------------------------------------------------------

static double *add_tie(taut *t, int pivot) {
  tie *k = &t->tie[t->ntie];
  *k = (tie){pivot, t->tie_row + t->ntie * t->nz};
  t->ntie++;
  return k->row;
}

// Constraints row . step = 0 as ties: by elimination, the largest of a row is its pivot.
static void tie_rows(taut *t, int n, double *row) {
  int nz = t->nz;
  for (int r = 0; r < n; r++) {
    double *own = row + r * nz;
    int pivot = 0;
    // what deforms the sheet stays free
    for (int i = 1; i < nz - t->nfree; i++)
      if (fabs(own[i]) > fabs(own[pivot])) pivot = i;
    double by = own[pivot];
    if (by == 0) continue;
    for (int i = 0; i < nz; i++) own[i] /= by;
    for (int k = 0; k < n; k++) {
      double f = row[k * nz + pivot];
      for (int i = 0; k != r && f != 0 && i < nz; i++) row[k * nz + i] -= f * own[i];
    }
    t->tie[t->ntie++] = (tie){pivot, own};
  }
  for (int k = 0; k < t->ntie; k++) {
    tie *of = &t->tie[k];
    for (int i = 0; i < nz; i++) of->row[i] = i == of->pivot ? 0 : -of->row[i];
  }
}

// Disks neither move nor turn as a whole: the sums of x, of y and of X y - Y x stay. Where their
// mean strain is told, sums of x X', which are n G M, follow it instead of the last.
static void tie_disk(taut *t) {
  const pl_pose *X = t->c->ref;
  int n = t->c->nelem, strained = disk_is_strained(t), rows = strained ? 6 : 3, nz = t->nz;
  double *row = t->tie_row;
  memset(row, 0, (size_t)(TIES * nz) * sizeof *row);
  t->ntie = 0;
  for (int i = 0; i < n; i++)
    for (int d = 0; d < 2; d++) {
      int at = t->at[6 * i + d];
      row[d * nz + at] = 1;
      for (int c = 0; strained && c < 2; c++) row[(2 + 2 * d + c) * nz + at] = X[i].x[c];
      if (!strained) row[2 * nz + at] = d ? X[i].x[0] : -X[i].x[1];
    }
  for (int e = 0; strained && e < t->nfree; e++) {
    const double h = 1e-5;
    double to[PL_TAUT_FREE], G[2][3], by[3], M[3] = {0};
    for (int side = 0; side < 2; side++) {
      memcpy(to, t->now.e, sizeof to);
      to[e] += side ? h : -h;
      disk_gradient(t, to, G[side]);
    }
    for (int c = 0; c < 3; c++) by[c] = (G[1][c] - G[0][c]) / (2 * h);
    for (int i = 0; i < n; i++) {
      M[0] += X[i].x[0] * X[i].x[0];
      M[1] += X[i].x[1] * X[i].x[1];
      M[2] += X[i].x[0] * X[i].x[1];
    }
    double *col = row + nz - t->nfree + e;
    col[2 * nz] = -(by[0] * M[0] + by[2] * M[2]);
    col[3 * nz] = -(by[0] * M[2] + by[2] * M[1]);
    col[4 * nz] = -(by[2] * M[0] + by[1] * M[2]);
    col[5 * nz] = -(by[2] * M[2] + by[1] * M[1]);
  }
  tie_rows(t, rows, row);
}

void refresh_ties(taut *t) {
  if (disk_is_strained(t)) tie_disk(t);
}

// Of cylinders, whose curvature would change with their height, the mean height stays.
static void tie_cylinder(taut *t) {
  double *row = add_tie(t, t->at[2]);
  for (int i = 1; i < t->c->nelem; i++) row[t->at[6 * i + 2]] = -1;
}

void number_unknowns(taut *t) {
  int ne = t->c->nelem, shape = t->g->shape, nz = 0;
  int loose = shape == PL_TAUT_CYLINDER && ne > 1; // the first element's height is free
  t->nstrain = shape == PL_TAUT_PARABOLOID ? 0 : t->g->n;
  t->nfree = t->g->n + (shape == PL_TAUT_CYLINDER);
  for (int k = 0; k < 6 * ne + t->nfree; k++) {
    int motion = k < 6 * ne ? k % 6 : 6;
    int gone = shape == PL_TAUT_PARABOLOID ? motion == 2 : k < (loose ? 2 : 3);
    t->at[k] = gone ? -1 : nz++;
  }
  t->nz = nz;
  if (loose) tie_cylinder(t);
  if (shape == PL_TAUT_PARABOLOID) tie_disk(t);
}

void scale_unknowns(taut *t) {
  const pl_cell *c = t->c;
  double size = hypot(c->lattice[0][0] + c->lattice[1][0], c->lattice[0][1] + c->lattice[1][1]);
  double bend = c->disk > 0 ? c->disk * c->disk / 2 : size * (size / 2 + c->range);
  for (int k = 0; k < 6 * c->nelem; k++)
    if (t->at[k] >= 0) t->scale[t->at[k]] = k % 6 < 3 ? 1 : c->range;
  for (int k = 0; k < t->nfree; k++)
    t->scale[t->nz - t->nfree + k] = k < t->nstrain ? size : t->unit * bend;
}

void apply_ties(taut *t) {
  int n = t->nz;
  for (int k = 0; k < t->ntie; k++) {
    const double *row = t->tie[k].row;
    int p = t->tie[k].pivot;
    double keep = fabs(t->H[p * n + p]);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) t->H[i * n + j] += row[j] * t->H[i * n + p];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) t->H[i * n + j] += row[i] * t->H[p * n + j];
    for (int j = 0; j < n; j++) {
      t->grad[j] += row[j] * t->grad[p];
      t->H[p * n + j] = t->H[j * n + p] = 0;
    }
    t->grad[p] = 0;
    t->H[p * n + p] = keep > 0 ? keep : 1;
  }
}

void step_ties(taut *t) {
  for (int k = t->ntie - 1; k >= 0; k--)
    t->step[t->tie[k].pivot] = pl_dot(t->nz, t->tie[k].row, t->step);
  if (disk_is_strained(t)) t->bow = disk_bow(t);
}

double step_of(const taut *t, int elem, int k) {
  int at = t->at[6 * elem + k];
  return at < 0 ? 0 : t->step[at];
}

// ---- gaps ---------------------------------------------------------------------------------------

// W T for T = [I or A, G], the world's motions by the unknowns
static void transport_columns(int nfree, const motion_map c[2], double W[][12], int rows,
                              double out[][STENCIL]) {
  for (int r = 0; r < rows; r++) {
    for (int j = 0; j < nfree; j++) out[r][12 + j] = 0;
    for (int body = 0; body < 2; body++) {
      const motion_map *b = &c[body];
      const double *w = W[r] + 6 * body;
      double *to = out[r] + 6 * body;
      for (int j = 0; j < 6; j++) {
        to[j] = b->own ? 0 : w[j];
        for (int k = 0; b->own && k < 6; k++) to[j] += w[k] * b->A[k][j];
      }
      for (int j = 0; b->sheet && j < nfree; j++)
        for (int k = 0; k < 6; k++) out[r][12 + j] += w[k] * b->G[k][j];
    }
  }
}

// K of a body, in the places of its own motions and of the sheet's
static void add_curved(int nfree, const motion_map *c, int body, double H[STENCIL][STENCIL]) {
  for (int i = 0; i < 6 + nfree; i++)
    for (int j = 0; j < 6 + nfree; j++)
      H[i < 6 ? 6 * body + i : 6 + i][j < 6 ? 6 * body + j : 6 + j] += c->K[i][j];
}

void gap_slopes(const taut *t, const state *s, const contact *k, int to[STENCIL], double g[STENCIL],
                double H[STENCIL][STENCIL]) {
  const pair *p = &t->c->pair[k->pair];
  pl_pose b;
  motion_map c[2];
  double world[1][12], W[12][12], half[12][STENCIL], flip[STENCIL][12];
  int n = 12 + t->nfree;
  t->place->image(t, s, p, &b);
  pl_piece_derivatives(contact_piece(t->c, k, 0), &s->pose[p->i], contact_piece(t->c, k, 1), &b,
                       &k->at, world[0], H ? W : NULL);
  for (int body = 0; body < 2; body++) {
    t->place->transport(t, s, p, body, world[0] + 6 * body, &c[body]);
    for (int i = 0; i < 6; i++) to[6 * body + i] = t->at[6 * (body ? p->j : p->i) + i];
  }
  for (int i = 0; i < t->nfree; i++) to[12 + i] = t->nz - t->nfree + i;
  transport_columns(t->nfree, c, world, 1, (double(*)[STENCIL])g);
  if (!H) return;
  transport_columns(t->nfree, c, W, 12, half);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 12; j++) flip[i][j] = half[j][i];
  transport_columns(t->nfree, c, flip, n, H);
  for (int body = 0; body < 2; body++)
    if (c[body].curved) add_curved(t->nfree, &c[body], body, H);
}
