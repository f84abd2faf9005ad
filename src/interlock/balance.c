#include "interlock_impl.h"

#include <string.h>

// Forces of contacts that balance a goal. Those of the repulsion do so as far as its minimum was
// met; these are the nearest f >= 0 to them that leave least of sum f grad gap + goal.

static const double NEAR = 1e-3;  // gap over the lattice's size, of contacts that may push
static const double KEEP = 1e-10; // square of the weight of the forces that there are

// All is divided by the size of the lattice, curvatures are times it.
typedef struct balance {
  double size, unit; // of the lattice; of the goal: 1, or 1 / size of a curvature
  int n, nrow;       // contacts; motions of elements, then what deforms the sheet
  int nfree;         // that are strains, and the curvature of a cylinder
  double *A, *goal;  // [n][nrow] gradients of gaps; [nrow]
  double *G, *h;     // [n][n], [n] normal equations
  double *C, *x;     // [n][n], [n] those of forces that push; what solves them
  double *f;         // [n]
  int *on, *from;    // [n] pushes; contact of the state, -1: the height of a cylinder
} balance;

// gradient of a gap by the motions of all elements and by what deforms the sheet
static void fill_row(const balance *b, const pl_mail *m, const int copies[2], const pl_taut_goal *g,
                     const pl_taut *t, const pl_taut_contact *k, double *row) {
  contact_place p = contact_at(m, copies, t, k);
  double L[2], *first = row + 6 * k->elem[0], *second = row + 6 * k->elem[1];
  double *sheet = row + b->nrow - b->nfree, slope[3];
  for (int i = 0; i < 6; i++) {
    double to = i < 3 ? 1 : b->size;
    first[i] += p.slope[i] / to;
    for (int j = 0; j < 3; j++) second[i] += p.slope[6 + i / 3 * 3 + j] * p.R[3 * j + i % 3] / to;
  }
  contact_shift(m, copies, k, L);
  for (int c = 0; c < 3; c++) slope[c] = pl_dot(6, p.slope + 6, p.by[c]);
  for (int e = 0; e < g->n; e++) {
    const double *B = g->basis[e];
    sheet[e] +=
        (slope[0] * (B[0] * L[0] + B[2] * L[1]) + slope[1] * (B[2] * L[0] + B[1] * L[1])) / b->size;
  }
  if (b->nfree > g->n) sheet[g->n] += slope[2] / (b->size * b->size);
}

// Curvatures are those in the mean height of elements, which stays: its gradient, with a sign. An
// element at (a, z) in the frame of a cylinder is (1 - sqrt((k a)^2 + (1 - k z)^2)) / k high.
static void fill_height(const balance *b, const pl_taut *t, double sign, double *row) {
  double k = t->curvature[0] + t->curvature[1], c = cos(t->angle), s = sin(t->angle);
  int n = (b->nrow - b->nfree) / 6;
  for (int i = 0; i < n; i++) {
    const double *x = t->pose[i].x;
    double a = c * x[0] + s * x[1], up = 1 - k * x[2], far = hypot(k * a, up);
    row[6 * i] = -sign * k * a * c / far / n;
    row[6 * i + 1] = -sign * k * a * s / far / n;
    row[6 * i + 2] = sign * up / far / n;
    row[b->nrow - 1] += sign * (-(1 - far) / (k * k) - (k * a * a - x[2] * up) / (k * far)) /
                        (n * b->size * b->size);
  }
}

static void fill_goal(const balance *b, const pl_taut_goal *g) {
  double *goal = b->goal + b->nrow - b->nfree;
  for (int e = 0; e < g->n; e++) goal[e] = g->goal[e] / b->unit;
  if (b->nfree > g->n) goal[g->n] = g->goal[g->n] / (b->size * b->unit);
}

static void fill(balance *b, const pl_mail *m, const int copies[2], const pl_taut_goal *g,
                 const pl_taut *t) {
  fill_goal(b, g);
  for (int i = 0; i < t->ncontact; i++) {
    if (t->contact[i].at.gap > NEAR * b->size) continue;
    fill_row(b, m, copies, g, t, &t->contact[i], b->A + b->n * b->nrow);
    b->f[b->n] = b->size / b->unit * t->contact[i].force;
    b->from[b->n++] = i;
  }
  for (int side = 0; b->nfree > g->n && side < 2; side++) {
    fill_height(b, t, side ? -1 : 1, b->A + b->n * b->nrow);
    b->from[b->n++] = -1;
  }
  for (int i = 0; i < b->n; i++) {
    const double *a = b->A + i * b->nrow;
    for (int j = 0; j < b->n; j++) b->G[i * b->n + j] = pl_dot(b->nrow, a, b->A + j * b->nrow);
    b->G[i * b->n + i] += KEEP;
    b->h[i] = KEEP * b->f[i] - pl_dot(b->nrow, a, b->goal);
  }
}

// x: solution of those that push
static void solve_on(balance *b) {
  int n = 0, row = 0;
  for (int i = 0; i < b->n; i++) n += b->on[i];
  for (int i = 0; i < b->n; i++) {
    if (!b->on[i]) continue;
    int col = 0;
    for (int j = 0; j < b->n; j++)
      if (b->on[j]) b->C[row * n + col++] = b->G[i * b->n + j];
    b->x[row++] = b->h[i];
  }
  pl_cholesky(n, b->C);
  pl_cholesky_solve(n, b->C, b->x);
  for (int i = b->n - 1; i >= 0; i--) b->x[i] = b->on[i] ? b->x[--row] : 0;
}

// as far towards x as all forces stay positive; those that end are let go. 1: x was reached
static int go_towards(balance *b) {
  double part = 1;
  int whole = 1;
  for (int i = 0; i < b->n; i++)
    if (b->on[i] && b->x[i] <= 0) part = fmin(part, b->f[i] / (b->f[i] - b->x[i]));
  for (int i = 0; i < b->n; i++) {
    if (!b->on[i]) continue;
    int ends = b->x[i] <= 0 && b->f[i] / (b->f[i] - b->x[i]) <= part;
    b->f[i] += part * (b->x[i] - b->f[i]);
    if (!ends) continue;
    b->on[i] = whole = 0;
    b->f[i] = 0;
  }
  return whole;
}

// the one that gains most by pushing; -1: none does
static int find_missing(const balance *b) {
  int best = -1;
  double most = 1e-12;
  for (int i = 0; i < b->n; i++) {
    double gain = b->h[i] - pl_dot(b->n, b->G + i * b->n, b->f);
    if (b->on[i] || gain <= most) continue;
    most = gain;
    best = i;
  }
  return best;
}

// the active-set method of Lawson and Hanson, from all that push
static void solve(balance *b) {
  for (int i = 0; i < b->n; i++) b->on[i] = b->f[i] > 0;
  for (int step = 0; step < 3 * b->n; step++) {
    do solve_on(b);
    while (!go_towards(b));
    int more = find_missing(b);
    if (more < 0) break;
    b->on[more] = 1;
  }
}

static double residual(const balance *b) {
  double sum = 0;
  for (int r = 0; r < b->nrow; r++) {
    double v = b->goal[r];
    for (int i = 0; i < b->n; i++) v += b->f[i] * b->A[i * b->nrow + r];
    sum += v * v;
  }
  return sqrt(sum);
}

static pl_status balance_open(pl_env *env, balance *b, int ncontact, int nelem, int nfree) {
  size_t n = (size_t)ncontact + 2, rows = (size_t)(6 * nelem + nfree);
  b->nrow = (int)rows;
  b->nfree = nfree;
  b->A = pl_alloc(env, n * rows + rows + 2 * n * n + 3 * n, sizeof *b->A);
  b->on = pl_alloc(env, 2 * n, sizeof *b->on);
  if (!b->A || !b->on) return PL_E_NOMEM;
  b->goal = b->A + n * rows;
  b->G = b->goal + rows;
  b->C = b->G + n * n;
  b->h = b->C + n * n;
  b->x = b->h + n;
  b->f = b->x + n;
  b->from = b->on + n;
  return PL_OK;
}

pl_status pl_taut_balance(pl_env *env, const pl_mail *m, const int copies[2], const pl_taut_goal *g,
                          pl_taut *t, double *left) {
  int bent = g->shape == PL_TAUT_CYLINDER, strains = 0;
  balance b = {.unit = 1};
  b.size = hypot(m->lattice[0][0] + m->lattice[1][0], m->lattice[0][1] + m->lattice[1][1]);
  for (int e = 0; e < g->n; e++) strains |= g->goal[e] != 0;
  if (bent && !strains) b.unit = 1 / b.size;
  pl_status s =
      balance_open(env, &b, t->ncontact, m->nelem * copies[0] * copies[1], g->n + (bent ? 1 : 0));
  if (s == PL_OK) {
    fill(&b, m, copies, g, t);
    solve(&b);
    *left = residual(&b);
    for (int i = 0; i < t->ncontact; i++) t->contact[i].force = 0;
    for (int i = 0; i < b.n; i++)
      if (b.from[i] >= 0) t->contact[b.from[i]].force = b.f[i] * b.unit / b.size;
  }
  pl_free(env, b.A);
  pl_free(env, b.on);
  return s;
}
