#include "descent.h"

#include <string.h>

// Damping of Newton's steps: resistance to the relative motion of elements in contact. To move and
// turn together costs nothing, however far, as when a sheet swings down; an element that would go
// too far against its neighbours is damped more than the others, so that it alone waits.

// By the unknowns of both: relative displacement seen from their mean rotation, relative rotation.
static void relative_motion(const descent *d, int i, int j, double J[6][12]) {
  const double ball[2] = {d->p.radius[i], d->p.radius[j]};
  double arm[3], mean = (ball[0] + ball[1]) / 2;
  pl_sub3(d->at[i].x, d->at[j].x, arm);
  const double cross[3][3] = {{0, -arm[2], arm[1]}, {arm[2], 0, -arm[0]}, {-arm[1], arm[0], 0}};
  memset(J, 0, 6 * sizeof *J);
  for (int e = 0; e < 2; e++)
    for (int r = 0; r < 3; r++) {
      J[r][6 * e + r] = e ? -1 : 1;
      for (int c = 0; c < 3; c++) J[r][6 * e + 3 + c] = cross[r][c] / (2 * ball[e]);
      J[3 + r][6 * e + 3 + r] = (e ? -mean : mean) / ball[e];
    }
}

static void add_pair(descent *d, int i, int j) {
  int end[2] = {d->p.unknown[i], d->p.unknown[j]};
  double J[6][12], H[12][12] = {{0}}, c = fmax(d->damp[i], d->damp[j]);
  relative_motion(d, i, j, J);
  for (int r = 0; r < 6; r++)
    for (int a = 0; a < 12; a++)
      for (int b = 0; b < 12; b++) H[a][b] += J[r][a] * J[r][b];
  for (int e = 0; e < 2; e++)
    for (int f = 0; f < 2; f++) blocks_add(&d->K, end[e], end[f], c, &H[6 * e][6 * f], 12);
}

static pl_status reserve(descent *d) {
  int n = d->K.A.nnz + 1;
  if (n <= d->cap_value) return PL_OK;
  double **all[] = {&d->damping, &d->undamped};
  for (int k = 0; k < 2; k++) {
    double *more = pl_realloc(d->p.env, *all[k], (size_t)n, sizeof *more);
    if (!more) return PL_E_NOMEM;
    *all[k] = more;
  }
  d->cap_value = n;
  return PL_OK;
}

// Elements that touch each other and none that is held: contacts of links that hang loosely may be
// out of reach for a while, and a patch that falls on an obstacle would tip about its first place
// there.
static void find_floating(descent *d) {
  int n = d->p.in->n, *group = d->group, *stays = d->group + n;
  for (int i = 0; i < n; i++) {
    group[i] = i;
    stays[i] = 0;
  }
  for (int k = 0; k < d->now.n; k++) {
    const hold *h = &d->now.item[k];
    if (h->j >= 0) group[group_root(group, h->i)] = group_root(group, h->j);
  }
  for (int i = 0; i < n; i++) stays[group_root(group, i)] |= d->p.in->held[i];
}

pl_status damping_assemble(descent *d) {
  size_t bytes = ((size_t)d->K.A.nnz + 1) * sizeof *d->damping;
  PL_TRY(reserve(d));
  memset(d->K.A.val, 0, bytes);
  for (int k = 0; k < d->now.n; k++) {
    const hold *h = &d->now.item[k];
    int first = k == 0 || h->i != h[-1].i || h->j != h[-1].j;
    if (h->j >= 0 && first) add_pair(d, h->i, h->j);
  }
  // what floats is damped against the ground
  find_floating(d);
  for (int i = 0; i < d->p.in->n; i++) {
    int at = 6 * d->p.unknown[i];
    if (at < 0 || d->group[d->p.in->n + group_root(d->group, i)]) continue;
    for (int c = 0; c < 6; c++) *pl_csc_diagonal(&d->K.A, at + c) += d->damp[i];
  }
  memcpy(d->damping, d->K.A.val, bytes);
  return PL_OK;
}
