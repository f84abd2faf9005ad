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

// Disks neither move nor turn as a whole: the sums of x, of y and of X y - Y x stay.
static void tie_disk(taut *t) {
  const pl_pose *X = t->c->ref;
  int last = 0;
  for (int d = 0; d < 2; d++) {
    double *row = add_tie(t, t->at[d]);
    for (int i = 1; i < t->c->nelem; i++) row[t->at[6 * i + d]] = -1;
  }
  for (int i = 1; i < t->c->nelem; i++)
    if (fabs(X[i].x[0] - X[0].x[0]) > fabs(X[last].x[0] - X[0].x[0])) last = i;
  if (last == 0) return;
  double by = X[last].x[0] - X[0].x[0], *row = add_tie(t, t->at[6 * last + 1]);
  for (int i = 1; i < t->c->nelem; i++) {
    row[t->at[6 * i]] = (X[i].x[1] - X[0].x[1]) / by;
    if (i != last) row[t->at[6 * i + 1]] = -(X[i].x[0] - X[0].x[0]) / by;
  }
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
  double bend = c->disk > 0 ? c->disk * c->disk / 2 : size * (size / 2 + c->reach);
  for (int k = 0; k < 6 * c->nelem; k++)
    if (t->at[k] >= 0) t->scale[t->at[k]] = k % 6 < 3 ? 1 : c->reach;
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
}

double step_of(const taut *t, int elem, int k) {
  int at = t->at[6 * elem + k];
  return at < 0 ? 0 : t->step[at];
}

// ---- gaps ---------------------------------------------------------------------------------------

// W T for T = [I or A, G], the world's motions by the unknowns
static void carry_columns(int nfree, const carried c[2], double W[][12], int rows,
                          double out[][STENCIL]) {
  for (int r = 0; r < rows; r++) {
    for (int j = 0; j < nfree; j++) out[r][12 + j] = 0;
    for (int body = 0; body < 2; body++) {
      const carried *b = &c[body];
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
static void add_curved(int nfree, const carried *c, int body, double H[STENCIL][STENCIL]) {
  for (int i = 0; i < 6 + nfree; i++)
    for (int j = 0; j < 6 + nfree; j++)
      H[i < 6 ? 6 * body + i : 6 + i][j < 6 ? 6 * body + j : 6 + j] += c->K[i][j];
}

void gap_slopes(const taut *t, const state *s, const contact *k, int to[STENCIL], double g[STENCIL],
                double H[STENCIL][STENCIL]) {
  const pair *p = &t->c->pair[k->pair];
  pl_pose b;
  carried c[2];
  double world[1][12], W[12][12], half[12][STENCIL], flip[STENCIL][12];
  int n = 12 + t->nfree;
  t->place->image(t, s, p, &b);
  pl_piece_derivatives(contact_piece(t->c, k, 0), &s->pose[p->i], contact_piece(t->c, k, 1), &b,
                       &k->at, world[0], H ? W : NULL);
  for (int body = 0; body < 2; body++) {
    t->place->carry(t, s, p, body, world[0] + 6 * body, &c[body]);
    for (int i = 0; i < 6; i++) to[6 * body + i] = t->at[6 * (body ? p->j : p->i) + i];
  }
  for (int i = 0; i < t->nfree; i++) to[12 + i] = t->nz - t->nfree + i;
  carry_columns(t->nfree, c, world, 1, (double(*)[STENCIL])g);
  if (!H) return;
  carry_columns(t->nfree, c, W, 12, half);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 12; j++) flip[i][j] = half[j][i];
  carry_columns(t->nfree, c, flip, n, H);
  for (int body = 0; body < 2; body++)
    if (c[body].curved) add_curved(t->nfree, &c[body], body, H);
}
