#include "patch_impl.h"

#include <string.h>

// Patches that are cut out of a material.

static void cell_place(const pl_mail *m, int k, int l, double out[2]) {
  for (int d = 0; d < 2; d++) out[d] = k * m->lattice[0][d] + l * m->lattice[1][d];
}

static int inside_outline(const pl_cut *c, const double *x) {
  int in = 0;
  for (int i = 0, j = c->npoint - 1; i < c->npoint; j = i++) {
    const double *a = c->point[i], *b = c->point[j];
    if ((a[1] > x[1]) != (b[1] > x[1]) &&
        x[0] < a[0] + (x[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]))
      in = !in;
  }
  return in;
}

// on lattices whose vectors are at 60 degrees, or at 120, shells are hexagons
static int shell_of(const pl_mail *m, int k, int l) {
  int third = pl_dot(2, m->lattice[0], m->lattice[1]) > 0 ? k + l : k - l;
  int a = k < 0 ? -k : k, b = l < 0 ? -l : l, c = third < 0 ? -third : third;
  double square = fabs(pl_dot(2, m->lattice[0], m->lattice[1])) /
                  (pl_norm(2, m->lattice[0]) * pl_norm(2, m->lattice[1]));
  int most = a > b ? a : b;
  return square > 0.25 && c > most ? c : most;
}

static int chosen(const pl_mail *m, const pl_cut *c, int k, int l, const double *x) {
  switch (c->kind) {
  case PL_CUT_CELLS:
    return k >= 0 && k < c->cells[0] && l >= 0 && l < c->cells[1];
  case PL_CUT_SHELLS:
    return shell_of(m, k, l) <= c->shells;
  case PL_CUT_DISK:
    return pl_norm(2, x) <= c->size[0] * (1 + 1e-9);
  case PL_CUT_RECTANGLE:
    return fabs(x[0]) <= c->size[0] / 2 * (1 + 1e-9) && fabs(x[1]) <= c->size[1] / 2 * (1 + 1e-9);
  default:
    return inside_outline(c, x);
  }
}

// cells that may have a part in it
static void cell_range(const pl_mail *m, const pl_cut *c, double lo[2], double hi[2]) {
  double far = 0, area = m->lattice[0][0] * m->lattice[1][1] - m->lattice[0][1] * m->lattice[1][0];
  if (c->kind == PL_CUT_DISK) far = c->size[0];
  if (c->kind == PL_CUT_RECTANGLE) far = hypot(c->size[0], c->size[1]) / 2;
  for (int i = 0; c->kind == PL_CUT_OUTLINE && i < c->npoint; i++)
    far = fmax(far, pl_norm(2, c->point[i]));
  double off = 0; // of an element from its cell
  for (int i = 0; i < m->nelem; i++) off = fmax(off, pl_norm(2, m->pose[i].x));
  far += off;
  for (int d = 0; d < 2; d++) {
    hi[d] = ceil(far * pl_norm(2, m->lattice[1 - d]) / fabs(area)) + 1;
    lo[d] = -hi[d];
    if (c->kind == PL_CUT_SHELLS) lo[d] = -(hi[d] = c->shells);
    if (c->kind == PL_CUT_CELLS) {
      lo[d] = 0;
      hi[d] = c->cells[d] - 1;
    }
  }
}

static int participates(const pl_mail *m, const pl_cut *c, int k, int l) {
  double at[2];
  cell_place(m, k, l, at);
  for (int i = 0; i < m->nelem; i++) {
    const double x[2] = {at[0] + m->pose[i].x[0], at[1] + m->pose[i].x[1]};
    if (chosen(m, c, k, l, x)) return 1;
  }
  return 0;
}

// is one of the cells beside it missing?
static int at_rim(const pl_mail *m, const pl_cut *c, int k, int l) {
  double most = 1.01 * fmax(pl_norm(2, m->lattice[0]), pl_norm(2, m->lattice[1]));
  for (int dk = -1; dk <= 1; dk++)
    for (int dl = -1; dl <= 1; dl++) {
      double away[2];
      cell_place(m, dk, dl, away);
      if (pl_norm(2, away) <= most && !participates(m, c, k + dk, l + dl)) return 1;
    }
  return 0;
}

static pl_status add_cell(pl_env *env, const pl_mail *m, const pl_cut *c, int k, int l, int *n,
                          int *cap, pl_cut_element **out) {
  double at[2];
  cell_place(m, k, l, at);
  for (int i = 0; i < m->nelem; i++) {
    pl_pose pose = m->pose[i];
    for (int d = 0; d < 2; d++) pose.x[d] += at[d];
    if (!chosen(m, c, k, l, pose.x)) continue;
    if (*n == PL_PATCH_MAX) return PL_DOMAIN;
    PL_TRY(pl_grow(env, out, *n, cap, sizeof **out));
    (*out)[(*n)++] = (pl_cut_element){i, {k, l}, at_rim(m, c, k, l), pose};
  }
  return PL_OK;
}

static void centre(int n, pl_cut_element *e) {
  double sum[2] = {0};
  for (int i = 0; i < n; i++)
    for (int d = 0; d < 2; d++) sum[d] += e[i].pose.x[d] / n;
  for (int i = 0; i < n; i++)
    for (int d = 0; d < 2; d++) e[i].pose.x[d] -= sum[d];
}

pl_status pl_mail_cut(pl_env *env, const pl_mail *m, const pl_cut *c, int *n,
                      pl_cut_element **out) {
  double lo[2], hi[2];
  int cap = 0;
  *n = 0;
  *out = NULL;
  cell_range(m, c, lo, hi);
  if ((hi[0] - lo[0] + 1) * (hi[1] - lo[1] + 1) > 16.0 * PL_PATCH_MAX) return PL_DOMAIN;
  pl_status s = PL_OK;
  for (int k = (int)lo[0]; s == PL_OK && k <= (int)hi[0]; k++)
    for (int l = (int)lo[1]; s == PL_OK && l <= (int)hi[1]; l++)
      s = add_cell(env, m, c, k, l, n, &cap, out);
  if (s == PL_OK && c->kind == PL_CUT_CELLS) centre(*n, *out);
  if (s == PL_OK) return s;
  pl_free(env, *out);
  *out = NULL;
  return s;
}
