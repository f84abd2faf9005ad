// A heavy plate clamped along a vertical edge, lengths in L: plane stress sigma under a unit
// weight, then the first Gamma* at which bending (D = 1) and sigma balance:
//   int (w_xx + w_yy)^2 - 2 (1 - nu)(w_xx w_yy - w_xy^2) + Gamma* int sigma_ij w_i w_j = 0.
// Ritz with products of piecewise polynomials that are refined to the clamp and to the free edges,
// where the corners are singular. Reflection at the middle line, y = 0, turns sigma into -sigma: it
// couples even with odd deflections only, K_e a + Gamma* G b = 0 and K_o b + Gamma* G' a = 0.
#include "validate_impl.h"

#include <string.h>

static const double NU_MIN = -0.95, NU_MAX = 0.5;
static const double NARROW = 1e-3; // below it, a straight line from the rod's value
static const double WIDEST = 5;
static const double RATIO = 0.25; // of neighbouring elements

enum { DEGREE = 8, LAYERS = 3, NODES_MAX = 24, TERMS = 5, POWER_STEPS = 400 };
_Static_assert(DEGREE >= 3 && DEGREE <= (int)HERMITE_DEGREE_MAX,
               "hermite_create has no such functions");

typedef struct plate {
  pl_env *env;
  pl_arena *mem;
  double nu;
  hermite x, y[2];         // along the length; across half the width, even and odd
  double *sx, *sy, *sxy;   // [x.nq][y.nq] stresses times the weights
  double *half;            // [x.nq][y.n] scratch
  double *f, *g, *tf, *tg; // [x.nq][y.nq] scratch
  pl_csc K[2];             // bending stiffness of even and odd deflections
  pl_factor *factor[2];
} plate;

// ---- meshes -----------------------------------------------------------------------------------

// 0, then elements that grow by 1/RATIO up to 1
static int graded(int layers, double *node) {
  node[0] = 0;
  for (int i = 0; i <= layers; i++) node[i + 1] = pow(RATIO, layers - i);
  return layers + 1;
}

static pl_status make_bases(plate *p, double w) {
  double node[NODES_MAX], across[LAYERS + 2];
  // layers down to a small part of the width, which sets how far the clamp is felt
  int layers = LAYERS + (w < 1 ? (int)ceil(log(w) / log(RATIO)) : 0);
  PL_TRY(hermite_create(p->mem, graded(layers, node), node, DEGREE, &p->x));
  int n = graded(LAYERS, node);
  for (int i = 0; i <= n; i++) across[i] = 0.5 * w * (1 - node[n - i]);
  hermite y;
  PL_TRY(hermite_create(p->mem, n, across, DEGREE, &y));
  for (int odd = 0; odd < 2; odd++) PL_TRY(hermite_parity(p->mem, &y, odd, &p->y[odd]));

  size_t nq = (size_t)p->x.nq * (size_t)y.nq;
  double **scratch[] = {&p->sx, &p->sy, &p->sxy, &p->f, &p->g, &p->tf, &p->tg};
  for (size_t i = 0; i < sizeof scratch / sizeof *scratch; i++)
    if (!(*scratch[i] = pl_arena_alloc(p->mem, nq, sizeof(double)))) return PL_E_NOMEM;
  p->half = pl_arena_alloc(p->mem, (size_t)p->x.nq * (size_t)y.n, sizeof(double));
  return p->half ? PL_OK : PL_E_NOMEM;
}

// ---- matrices of products ---------------------------------------------------------------------

typedef struct triplets {
  int n, cap;
  int *row, *col;
  double *val;
} triplets;

// coef X (x) Y, X and Y integrals of products of derivatives
typedef struct term {
  double coef;
  int xi, xj, yi, yj;
} term;

// adds a block of sums of products: rows of parity r, columns of parity c, whose unknowns start at
// row and col; the first `skip` functions along x are left out. Only the lower triangle is kept.
static pl_status add_block(plate *p, int skip, int nterm, const term *t, int r, int c, int row,
                           int col, triplets *out) {
  double *X[TERMS], *Y[TERMS];
  for (int k = 0; k < nterm; k++) {
    PL_TRY(hermite_product(p->mem, &p->x, t[k].xi, &p->x, t[k].xj, &X[k]));
    PL_TRY(hermite_product(p->mem, &p->y[r], t[k].yi, &p->y[c], t[k].yj, &Y[k]));
  }
  int nx = p->x.n, nr = p->y[r].n, nc = p->y[c].n;
  for (int a = skip; a < nx; a++)
    for (int b = skip; b < nx; b++) {
      double x[TERMS], size = 0;
      for (int k = 0; k < nterm; k++) size += fabs(x[k] = t[k].coef * X[k][a * nx + b]);
      if (size == 0) continue;
      for (int i = 0; i < nr; i++)
        for (int j = 0; j < nc; j++) {
          int I = row + (a - skip) * nr + i, J = col + (b - skip) * nc + j;
          if (J > I) continue;
          double sum = 0;
          for (int k = 0; k < nterm; k++) sum += x[k] * Y[k][i * nc + j];
          if (out->n == out->cap)
            return pl_fail(p->env, PL_E_INTERNAL, "lateral buckling: more than %d entries",
                           out->cap);
          out->row[out->n] = I;
          out->col[out->n] = J;
          out->val[out->n++] = sum;
        }
    }
  return PL_OK;
}

// room for all pairs of functions along x that meet, with all functions across
static pl_status make_triplets(plate *p, triplets *t) {
  int nx = p->x.n, ny = p->y[0].n, npair = nx * (2 * DEGREE + 2);
  t->cap = 3 * npair * ny * ny;
  t->row = pl_arena_alloc(p->mem, (size_t)t->cap, sizeof(int));
  t->col = pl_arena_alloc(p->mem, (size_t)t->cap, sizeof(int));
  t->val = pl_arena_alloc(p->mem, (size_t)t->cap, sizeof(double));
  return t->row && t->col && t->val ? PL_OK : PL_E_NOMEM;
}

// F [x.nq][y.nq] = Bx u By', u [x.n - skip][y.n]
static void field(plate *p, int skip, int odd, int i, int j, const double *u, double *F) {
  const hermite *x = &p->x, *y = &p->y[odd];
  memset(p->half, 0, (size_t)(x->nq * y->n) * sizeof(double));
  for (int q = 0; q < x->nq; q++)
    for (int a = skip; a < x->n; a++) {
      double v = x->B[i][q * x->n + a];
      if (v != 0) pl_axpy(y->n, v, u + (a - skip) * y->n, p->half + q * y->n, p->half + q * y->n);
    }
  for (int q = 0; q < x->nq; q++)
    for (int r = 0; r < y->nq; r++)
      F[q * y->nq + r] = pl_dot(y->n, p->half + q * y->n, y->B[j] + r * y->n);
}

// u += Bx' F By
static void test(plate *p, int skip, int odd, int i, int j, const double *F, double *u) {
  const hermite *x = &p->x, *y = &p->y[odd];
  memset(p->half, 0, (size_t)(x->nq * y->n) * sizeof(double));
  for (int q = 0; q < x->nq; q++)
    for (int r = 0; r < y->nq; r++)
      pl_axpy(y->n, F[q * y->nq + r], y->B[j] + r * y->n, p->half + q * y->n, p->half + q * y->n);
  for (int q = 0; q < x->nq; q++)
    for (int a = skip; a < x->n; a++) {
      double v = x->B[i][q * x->n + a], *to = u + (a - skip) * y->n;
      if (v != 0) pl_axpy(y->n, v, p->half + q * y->n, to, to);
    }
}

// ---- stress -----------------------------------------------------------------------------------

// in-plane stiffness with E = 1: u along x is odd in y, v along y even; both vanish at x = 0
static pl_status membrane(plate *p, triplets *t) {
  double c = 1 / (1 - p->nu * p->nu), G = 0.5 / (1 + p->nu), cn = c * p->nu;
  int nu = (p->x.n - 1) * p->y[1].n;
  PL_TRY(add_block(p, 1, 2, (term[]){{c, 1, 1, 0, 0}, {G, 0, 0, 1, 1}}, 1, 1, 0, 0, t));
  PL_TRY(add_block(p, 1, 2, (term[]){{cn, 0, 1, 1, 0}, {G, 1, 0, 0, 1}}, 0, 1, nu, 0, t));
  return add_block(p, 1, 2, (term[]){{c, 0, 0, 1, 1}, {G, 1, 1, 0, 0}}, 0, 0, nu, nu, t);
}

static pl_status solve_membrane(plate *p, const pl_csc *K, double *d) {
  pl_factor *factor;
  PL_TRY(pl_factor_create(p->env, PL_CHOLESKY, K, 1, 0, &factor));
  pl_status s = pl_factor_numeric(factor, K);
  if (s == PL_OK) s = pl_factor_solve(factor, 1, d, d);
  pl_factor_free(factor);
  return s;
}

static pl_status find_stress(plate *p) {
  triplets t = {0};
  pl_arena_mark mark = pl_arena_save(p->mem);
  PL_TRY(make_triplets(p, &t));
  PL_TRY(membrane(p, &t));
  int nu = (p->x.n - 1) * p->y[1].n, n = nu + (p->x.n - 1) * p->y[0].n, nq = p->x.nq * p->y[0].nq;
  double *d = pl_arena_alloc(p->mem, (size_t)n, sizeof(double));
  if (!d) return PL_E_NOMEM;
  for (int q = 0; q < nq; q++) p->f[q] = p->x.w[q / p->y[0].nq] * p->y[0].w[q % p->y[0].nq];
  memset(d, 0, (size_t)n * sizeof(double));
  test(p, 1, 0, 0, 0, p->f, d + nu);
  pl_csc K;
  PL_TRY(pl_csc_from_triplets(p->env, n, 1, t.n, t.row, t.col, t.val, &K));
  pl_status s = solve_membrane(p, &K, d);
  pl_csc_free(p->env, &K);
  PL_TRY(s);

  double c = 1 / (1 - p->nu * p->nu), G = 0.5 / (1 + p->nu);
  field(p, 1, 1, 1, 0, d, p->tf);      // u_x
  field(p, 1, 0, 0, 1, d + nu, p->tg); // v_y
  field(p, 1, 1, 0, 1, d, p->sx);      // u_y
  field(p, 1, 0, 1, 0, d + nu, p->sy); // v_x
  for (int q = 0; q < nq; q++) {
    p->sxy[q] = p->f[q] * G * (p->sx[q] + p->sy[q]);
    p->sx[q] = p->f[q] * c * (p->tf[q] + p->nu * p->tg[q]);
    p->sy[q] = p->f[q] * c * (p->tg[q] + p->nu * p->tf[q]);
  }
  pl_arena_release(p->mem, mark);
  return PL_OK;
}

// ---- buckling ---------------------------------------------------------------------------------

static pl_status make_bending(plate *p, int odd) {
  triplets t = {0};
  pl_arena_mark mark = pl_arena_save(p->mem);
  PL_TRY(make_triplets(p, &t));
  const term bending[] = {{1, 2, 2, 0, 0},
                          {1, 0, 0, 2, 2},
                          {p->nu, 2, 0, 0, 2},
                          {p->nu, 0, 2, 2, 0},
                          {2 * (1 - p->nu), 1, 1, 1, 1}};
  PL_TRY(add_block(p, 2, 5, bending, odd, odd, 0, 0, &t));
  int n = (p->x.n - 2) * p->y[odd].n;
  PL_TRY(pl_csc_from_triplets(p->env, n, 1, t.n, t.row, t.col, t.val, &p->K[odd]));
  pl_arena_release(p->mem, mark);
  PL_TRY(pl_factor_create(p->env, PL_CHOLESKY, &p->K[odd], 1, 0, &p->factor[odd]));
  return pl_factor_numeric(p->factor[odd], &p->K[odd]);
}

// y = G x: what deflections x of one parity do to those of the other
static void couple(plate *p, int from, const double *x, double *y) {
  int nq = p->x.nq * p->y[0].nq, to = !from;
  field(p, 2, from, 1, 0, x, p->f);
  field(p, 2, from, 0, 1, x, p->g);
  for (int q = 0; q < nq; q++) {
    p->tf[q] = p->sx[q] * p->f[q] + p->sxy[q] * p->g[q];
    p->tg[q] = p->sxy[q] * p->f[q] + p->sy[q] * p->g[q];
  }
  memset(y, 0, (size_t)p->K[to].n * sizeof(double));
  test(p, 2, to, 1, 0, p->tf, y);
  test(p, 2, to, 0, 1, p->tg, y);
}

// the largest 1/Gamma^2 of K_o^-1 G' K_e^-1 G by the power method, from a twist that grows with x
static pl_status power(plate *p, double *gamma) {
  int ne = p->K[0].n, no = p->K[1].n;
  double *r = pl_arena_alloc(p->mem, (size_t)(2 * ne + 2 * no), sizeof(double)), *a = r + ne,
         *b = a + ne, *Kb = b + no, last = 0;
  if (!r) return PL_E_NOMEM;
  memset(b, 0, (size_t)no * sizeof(double));
  for (int k = 2; k < p->x.n; k++) b[(k - 2) * p->y[1].n] = k < 2 * DEGREE && k % 2 == 0;
  for (int it = 0; it < POWER_STEPS; it++) {
    PL_TRY(pl_report_progress(p->env, "lateral buckling", -1, NULL));
    pl_csc_mul(&p->K[1], 1, b, 0, Kb);
    double size = sqrt(pl_dot(no, b, Kb));
    for (int i = 0; i < no; i++) b[i] /= size;
    couple(p, 1, b, r);
    PL_TRY(pl_factor_solve(p->factor[0], 1, r, a));
    double now = sqrt(pl_dot(ne, r, a)); // Rayleigh's quotient
    *gamma = 1 / now;
    if (fabs(now - last) <= 1e-10 * now) return PL_OK;
    last = now;
    couple(p, 0, a, b);
    PL_TRY(pl_factor_solve(p->factor[1], 1, b, b));
  }
  return PL_UNSOLVED;
}

static pl_status buckle(plate *p, double w, double *gamma) {
  PL_TRY(make_bases(p, w));
  PL_TRY(find_stress(p));
  for (int odd = 0; odd < 2; odd++) {
    PL_TRY(pl_report_progress(p->env, "lateral buckling", -1, NULL));
    PL_TRY(make_bending(p, odd));
  }
  return power(p, gamma);
}

static pl_status wide(pl_env *env, double nu, double w, double *gamma) {
  plate p = {.env = env, .nu = nu};
  PL_TRY(pl_arena_create(env, 1 << 20, &p.mem));
  pl_status s = buckle(&p, w, gamma);
  for (int odd = 0; odd < 2; odd++) {
    pl_factor_free(p.factor[odd]);
    pl_csc_free(env, &p.K[odd]);
  }
  pl_arena_free(p.mem);
  if (s != PL_SINGULAR && s != PL_UNSOLVED) return s;
  return pl_fail(env, PL_E_INTERNAL, "lateral buckling: no threshold found at w/L = %g, nu = %g", w,
                 nu);
}

pl_status pl_master_lateral(pl_env *env, double nu, double w_over_l, double *gamma_c) {
  if (!(nu >= NU_MIN && nu <= NU_MAX))
    return pl_fail(env, PL_E_ARG, "lateral buckling: Poisson's ratio must lie in %g to %g, got %g",
                   NU_MIN, NU_MAX, nu);
  if (!(w_over_l >= 0 && w_over_l <= WIDEST))
    return pl_fail(env, PL_E_ARG, "lateral buckling: w/L must lie in 0 to %g, got %g", WIDEST,
                   w_over_l);
  // a strip as a rod: 6 j sqrt(EI GJ) with EI = D (1 - nu^2) w, GJ = 2 D (1 - nu) w and j the first
  // zero of J_-1/6
  double rod = 6 * 2.14229388689722 * (1 - nu) * sqrt(2 * (1 + nu));
  *gamma_c = rod;
  if (w_over_l == 0) return PL_OK;
  if (w_over_l >= NARROW) return wide(env, nu, w_over_l, gamma_c);
  double narrow;
  PL_TRY(wide(env, nu, NARROW, &narrow));
  *gamma_c = rod + (narrow - rod) * w_over_l / NARROW;
  return PL_OK;
}
