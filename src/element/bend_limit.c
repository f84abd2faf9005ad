// W = -weight A log(1 - G(k)): the curvature k (xx, yy, xy) of a triangle in the axes of its
// material stays within a star-shaped set, G < 1. k is that of the quadratic surface through the
// triangle and the three around it (Gingold et al. 2004), each raised by its height times 2
// tan(theta/2), so that no fold is flat again; lengths are those at rest: k is an angle per length
// of the sheet at rest. Above zero it is hollow on the side of the normal. Edges of the boundary
// tell nothing.
#define BODY "fold.inc"
#include "kernel.h"
#include "element_impl.h"

enum { WEIGHT, ANGLE };
enum { OWN = 6, EDGES = 3, DOF = 18, AREA = 9 };

static const pl_option bend_limit_par[] = {
    PAR("weight", 1e-6, 0, 1e12, "J/m^2", "of the barrier at the limit, per area"),
    PAR("angle", 0, -1e9, 1e9, "rad", "from the first edge to the first axis of the material"),
};

static const pl_field_info bend_limit_fields[] = {
    {"limit_bend", "", "how far curvature is on its way to the limit, 1: there"},
    {"curvature_xx", "1/m", "curvature along the first axis of the material"},
    {"curvature_yy", "1/m", "along the second"},
    {"curvature_xy", "1/m", "twist"},
    {"bend_unbounded", "", "1: the material folds there, and the limit is none"},
};

static const double SMALL = 1e-3; // of what six points on a conic tell of a curvature

// edge i of the triangle and the vertices opposite to it, as fold.inc wants them
static void fold_vertices(int i, int v[4]) {
  v[0] = (i + 1) % 3;
  v[1] = (i + 2) % 3;
  v[2] = i;
  v[3] = 3 + i;
}

static void gather(const double *x, int i, double out[12]) {
  int v[4];
  fold_vertices(i, v);
  for (int k = 0; k < 4; k++) memcpy(out + 3 * k, x + 3 * v[k], 3 * sizeof *out);
}

// the triangle in its plane, first edge along x, and the vertex across an edge unfolded into it
static int flatten(const double *X, double p[OWN][2]) {
  double e[3], f[3], n[3];
  pl_sub3(X + 3, X, e);
  pl_sub3(X + 6, X, f);
  pl_cross3(e, f, n);
  double l = pl_norm3(e), area = pl_norm3(n);
  if (!(area > 0)) return 1;
  const double own[3][2] = {{0, 0}, {l, 0}, {pl_dot3(e, f) / l, area / l}};
  memcpy(p, own, sizeof own);
  for (int i = 0; i < EDGES; i++) {
    const double *a = own[(i + 1) % 3], *b = own[(i + 2) % 3];
    double across[3], u[3], away[3], d[2] = {b[0] - a[0], b[1] - a[1]};
    pl_sub3(X + 3 * ((i + 2) % 3), X + 3 * ((i + 1) % 3), u);
    pl_sub3(X + 9 + 3 * i, X + 3 * ((i + 1) % 3), across);
    double ll = pl_dot3(u, u), t = pl_dot3(across, u) / ll;
    for (int c = 0; c < 3; c++) away[c] = across[c] - t * u[c];
    double h = pl_norm3(away) / sqrt(ll);
    // to the right of the edge, the triangle is on its left
    p[3 + i][0] = a[0] + t * d[0] + h * d[1];
    p[3 + i][1] = a[1] + t * d[1] - h * d[0];
  }
  return 0;
}

static void squares(const double *p, double out[3]) {
  out[0] = 0.5 * p[0] * p[0];
  out[1] = 0.5 * p[1] * p[1];
  out[2] = sqrt(0.5) * p[0] * p[1];
}

// row[3]: height of the vertex across edge i over the plane through the triangle, by (kxx, kyy,
// sqrt2 kxy), over its distance from the edge
static void height_row(double p[OWN][2], int i, double row[3]) {
  const double *o = p[3 + i], *a = p[0], *b = p[1], *c = p[2];
  double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]), l[3], s[3];
  for (int k = 0; k < 3; k++) {
    const double *u = p[(k + 1) % 3], *v = p[(k + 2) % 3];
    l[k] = ((u[0] - o[0]) * (v[1] - o[1]) - (u[1] - o[1]) * (v[0] - o[0])) / area;
  }
  squares(o, row);
  for (int k = 0; k < 3; k++) {
    squares(p[k], s);
    for (int c2 = 0; c2 < 3; c2++) row[c2] -= l[k] * s[c2];
  }
  const double *u = p[(i + 1) % 3], *v = p[(i + 2) % 3];
  double h = -l[i] * area / hypot(v[0] - u[0], v[1] - u[1]);
  for (int k = 0; k < 3; k++) row[k] /= h;
}

// rest: curvature (kxx, kyy, kxy) in the frame of the first edge by 2 tan(theta/2) of each edge
// [3][3], the least one where edges are missing; area
static int prepare(const double *X, double *rest) {
  double p[OWN][2], M[9] = {0}, U[9], s[3], V[9];
  memset(rest, 0, (AREA + 1) * sizeof *rest);
  if (flatten(X, p)) return 1;
  rest[AREA] = 0.5 * p[1][0] * p[2][1];
  for (int i = 0; i < EDGES; i++)
    if (memcmp(X + 3 * i, X + 9 + 3 * i, 3 * sizeof *X) != 0) height_row(p, i, M + 3 * i);
  pl_svd3(M, U, s, V);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < EDGES; i++)
      for (int c = 0; c < 3 && fabs(s[c]) > SMALL * s[0]; c++)
        rest[3 * k + i] -= V[3 * k + c] * U[3 * i + c] / s[c] * (k == 2 ? sqrt(0.5) : 1);
  return 0;
}

// the same in the axes of the material
static void rot(const double *rest, double angle, double C[3][3]) {
  double c = cos(angle), s = sin(angle);
  for (int i = 0; i < EDGES; i++) {
    double xx = rest[i], yy = rest[3 + i], xy = rest[6 + i];
    C[0][i] = c * c * xx + 2 * c * s * xy + s * s * yy;
    C[1][i] = s * s * xx - 2 * c * s * xy + c * c * yy;
    C[2][i] = c * s * (yy - xx) + (c * c - s * s) * xy;
  }
}

// edges that tell something: 2 tan(theta/2) and its derivatives by theta
typedef struct hinges {
  int on[EDGES];
  fold_d f[EDGES];
  double z[EDGES], d[EDGES], dd[EDGES];
  double C[3][3], k[3];
} hinges;

static int look(const double *q, const double *par, const double *rest, hinges *h) {
  memset(h->k, 0, sizeof h->k);
  rot(rest, par[ANGLE], h->C);
  for (int i = 0; i < EDGES; i++) {
    double x[12];
    h->on[i] = rest[i] != 0 || rest[3 + i] != 0 || rest[6 + i] != 0;
    if (!h->on[i]) continue;
    gather(q, i, x);
    if (unfold_d(x, &h->f[i])) return 1;
    double t = tan(h->f[i].theta / 2);
    h->z[i] = 2 * t;
    h->d[i] = 1 + t * t;
    h->dd[i] = t * (1 + t * t);
    for (int c = 0; c < 3; c++) h->k[c] += h->C[c][i] * h->z[i];
  }
  return 0;
}

// adds a block of an edge to the whole
static void scatter(int i, const double *from, double *hess) {
  int v[4];
  fold_vertices(i, v);
  for (int a = 0; a < 12; a++)
    for (int b = 0; b < 12; b++)
      hess[DOF * (3 * v[a / 3] + a % 3) + 3 * v[b / 3] + b % 3] += from[12 * a + b];
}

// W by the heights z: p and H its derivatives
static void spread_all(const hinges *h, const double p[3], double H[3][3], double *grad,
                       double *hess) {
  double g[EDGES][DOF] = {{0}};
  if (grad) memset(grad, 0, DOF * sizeof *grad);
  if (hess) memset(hess, 0, DOF * DOF * sizeof *hess);
  for (int i = 0; i < EDGES; i++) {
    double s[12], B[144] = {0};
    int v[4];
    if (!h->on[i]) continue;
    fold_vertices(i, v);
    slope_d(&h->f[i], s);
    for (int a = 0; a < 12; a++) g[i][3 * v[a / 3] + a % 3] = h->d[i] * s[a];
    for (int a = 0; grad && a < DOF; a++) grad[a] += p[i] * g[i][a];
    if (!hess) continue;
    for (int a = 0; a < 12; a++)
      for (int b = a; b < 12; b++) B[12 * a + b] = p[i] * h->dd[i] * s[a] * s[b];
    curve_d(&h->f[i], p[i] * h->d[i], B);
    for (int a = 0; a < 12; a++)
      for (int b = 0; b < a; b++) B[12 * a + b] = B[12 * b + a];
    scatter(i, B, hess);
  }
  for (int i = 0; hess && i < EDGES; i++)
    for (int j = 0; j < EDGES; j++)
      for (int a = 0; a < DOF; a++)
        for (int b = 0; b < DOF; b++) hess[DOF * a + b] += H[i][j] * g[i][a] * g[j][b];
  for (int a = 0; hess && a < DOF; a++)
    for (int b = 0; b < a; b++) hess[DOF * a + b] = hess[DOF * b + a];
}

// W by the heights z: p and H its derivatives; 1: beyond
static int barrier(const void *law, const hinges *h, double c, double *energy, double p[3],
                   double H[3][3], int convex) {
  double dG[3], B[9];
  double G = pl_star_gauge(law, h->k, dG, B), slack = 1 - G;
  if (!(slack > 0)) return 1;
  if (energy) *energy = -c * log1p(-G);
  for (int e = 0; e < 3; e++) {
    for (int f = 0; f < 3; f++) B[3 * e + f] = c * (B[3 * e + f] + dG[e] * dG[f] / slack) / slack;
  }
  if (convex) pl_positive3(B);
  for (int i = 0; i < EDGES; i++)
    for (int e = 0; e < 3; e++) {
      p[i] += convex ? 0 : c * dG[e] / slack * h->C[e][i];
      for (int j = 0; j < EDGES; j++)
        for (int f = 0; f < 3; f++) H[i][j] += B[3 * e + f] * h->C[e][i] * h->C[f][j];
    }
  return 0;
}

static int eval_law(const void *law, const double *q, const double *par, const double *rest,
                    double *energy, double *grad, double *hess) {
  hinges h;
  double p[3] = {0}, H[3][3] = {{0}};
  if (look(q, par, rest, &h)) return 1;
  if (barrier(law, &h, par[WEIGHT] * rest[AREA], energy, p, H, 0)) return 1;
  if (grad || hess) spread_all(&h, p, H, grad, hess);
  return 0;
}

// without second derivatives of the heights
static void convex_law(const void *law, const double *q, const double *par, const double *rest,
                       double *hess) {
  hinges h;
  double p[3] = {0}, H[3][3] = {{0}};
  if (look(q, par, rest, &h) || barrier(law, &h, par[WEIGHT] * rest[AREA], NULL, p, H, 1)) return;
  spread_all(&h, p, H, NULL, hess);
}

static void field_law(const void *law, const double *q, const double *par, const double *rest,
                      double *value) {
  hinges h;
  if (look(q, par, rest, &h)) {
    for (int k = 0; k < COUNT(bend_limit_fields); k++) value[k] = NAN;
    return;
  }
  value[0] = sqrt(pl_star_gauge(law, h.k, NULL, NULL));
  memcpy(value + 1, h.k, sizeof h.k);
  value[4] = pl_star_marked(law, h.k);
}

const pl_elem_kind pl_elem_bend_limit = {
    .name = "bend_limit",
    .text = "keeps the curvature of a triangle and those around it within a star-shaped set",
    .nvert = OWN,
    .vdim = 3,
    .ndof = DOF,
    .npar = COUNT(bend_limit_par),
    .nrest = AREA + 1,
    .par = bend_limit_par,
    .d = {.prepare = prepare},
    .eval_law = eval_law,
    .convex_law = convex_law,
    .nfield = COUNT(bend_limit_fields),
    .field_info = bend_limit_fields,
    .field_law = field_law,
};
