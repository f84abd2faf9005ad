// Star-shaped sets: within a closed triangulated surface that every ray from the centre meets once.
// In the cone of a face the gauge is linear, l = sum of the coordinates of x along its corners.
// Across edges faces blend, each with the weight of its barycentric coordinates b,
//   g^P = sum w l^P / sum w, w = s(b0) s(b1) s(b2), s from 0 at -BAND to 1 at BAND,
// which is nearer to the larger l, so that it hardly goes beyond ridges. g is twice differentiable,
// homogeneous, and that of the surface at edges and corners and wherever no edge is near. Nothing
// has to be convex.
#include "pliant/math.h"

#include <string.h>

enum { SIDE = 24, CELLS = 6 * SIDE * SIDE, SAMPLES = 8 }; // of a cube's face; of a side of a face
enum { SQUARES = 5, POWER = 1 << SQUARES };
static const double BAND = 0.15;

typedef struct face {
  double row[3][3]; // coordinates along its corners are row x
  double n[3];      // their sum is n x
  int mark[3];      // of its corners
} face;

struct pl_star {
  pl_env *env;
  int nface;
  double centre[3];
  double excess;
  face *face;
  int *first, *list; // [CELLS + 1] faces that matter in directions of a cell of the cube around it
};

// ---- directions ---------------------------------------------------------------------------------

static int clip(double at) {
  int k = (int)(0.5 * (at + 1) * SIDE);
  return k < 0 ? 0 : k >= SIDE ? SIDE - 1 : k;
}

static int cell_of(const double x[3]) {
  int a = 0;
  for (int c = 1; c < 3; c++)
    if (fabs(x[c]) > fabs(x[a])) a = c;
  double u = x[(a + 1) % 3] / fabs(x[a]), v = x[(a + 2) % 3] / fabs(x[a]);
  return ((2 * a + (x[a] < 0)) * SIDE + clip(u)) * SIDE + clip(v);
}

static void unit(double x[3]) {
  double l = pl_norm3(x);
  for (int c = 0; c < 3; c++) x[c] /= l;
}

// the middle of some directions, and the cosine and sine of the angle to the farthest
typedef struct cap {
  double axis[3], cosine, sine;
} cap;

static cap cap_of(int n, double (*x)[3]) {
  cap k = {.cosine = 1};
  for (int i = 0; i < n; i++) {
    unit(x[i]);
    for (int c = 0; c < 3; c++) k.axis[c] += x[i][c];
  }
  unit(k.axis);
  for (int i = 0; i < n; i++) k.cosine = fmin(k.cosine, pl_dot3(k.axis, x[i]));
  k.sine = sqrt(fmax(0, 1 - k.cosine * k.cosine));
  return k;
}

static int caps_meet(const cap *a, const cap *b) {
  if (a->cosine < 0 || b->cosine < 0) return 1;
  return pl_dot3(a->axis, b->axis) >= a->cosine * b->cosine - a->sine * b->sine - 1e-9;
}

static cap cell_cap(int cell) {
  int side = cell / (SIDE * SIDE), a = side / 2, i = cell / SIDE % SIDE, j = cell % SIDE;
  double x[4][3];
  for (int k = 0; k < 4; k++) {
    x[k][a] = side % 2 ? -1 : 1;
    x[k][(a + 1) % 3] = 2.0 * (i + k % 2) / SIDE - 1;
    x[k][(a + 2) % 3] = 2.0 * (j + k / 2) / SIDE - 1;
  }
  return cap_of(4, x);
}

// of a face with its band
static cap face_cap(const double (*p)[3], const int *v, const double *centre) {
  double x[3][3];
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 3; c++) {
      x[k][c] = -centre[c];
      for (int l = 0; l < 3; l++) x[k][c] += (l == k ? 1 + 2 * BAND : -BAND) * p[v[l]][c];
    }
  return cap_of(3, x);
}

// ---- make ---------------------------------------------------------------------------------------

static pl_status list_faces(pl_star *s, const double (*p)[3], const int (*v)[3]) {
  cap *own = pl_alloc(s->env, (size_t)s->nface, sizeof *own);
  if (!own) return PL_E_NOMEM;
  for (int f = 0; f < s->nface; f++) own[f] = face_cap(p, v[f], s->centre);
  for (int pass = 0; pass < 2; pass++) {
    int n = 0;
    for (int k = 0; k < CELLS; k++) {
      cap here = cell_cap(k);
      s->first[k] = n;
      for (int f = 0; f < s->nface; f++)
        if (caps_meet(&here, &own[f])) {
          if (pass == 1) s->list[n] = f;
          n++;
        }
    }
    s->first[CELLS] = n;
    if (pass == 0) s->list = pl_alloc(s->env, (size_t)n + 1, sizeof *s->list);
    if (!s->list) break;
  }
  pl_free(s->env, own);
  return s->list ? PL_OK : PL_E_NOMEM;
}

// corners as columns of a matrix; the solid angle of the face, above zero when it looks outwards
static double corners(const double (*p)[3], const int *v, const double *centre, double M[9]) {
  double l[3], x[3][3], dot = 0;
  for (int k = 0; k < 3; k++) {
    pl_sub3(p[v[k]], centre, x[k]);
    l[k] = pl_norm3(x[k]);
    for (int c = 0; c < 3; c++) M[3 * c + k] = x[k][c];
  }
  for (int k = 0; k < 3; k++) dot += pl_dot3(x[k], x[(k + 1) % 3]) * l[(k + 2) % 3];
  return 2 * atan2(pl_det3(M), l[0] * l[1] * l[2] + dot);
}

static pl_status make_faces(pl_star *s, int n, const double (*p)[3], const int (*v)[3]) {
  double whole = 0;
  for (int f = 0; f < s->nface; f++) {
    double M[9];
    for (int k = 0; k < 3; k++)
      if (v[f][k] < 0 || v[f][k] >= n)
        return pl_fail(s->env, PL_E_INPUT, "triangle %d has corner %d of %d", f, v[f][k], n);
    double angle = corners(p, v[f], s->centre, M);
    if (!(angle > 1e-9) || !isfinite(angle))
      return pl_fail(s->env, PL_E_INPUT,
                     "triangle %d does not look away from the centre: rays meet the surface more "
                     "than once",
                     f);
    whole += angle;
    pl_inv3(M, &s->face[f].row[0][0]);
    for (int k = 0; k < 3; k++)
      for (int c = 0; c < 3; c++) s->face[f].n[c] += s->face[f].row[k][c];
  }
  if (fabs(whole / (4 * PL_PI) - 1) < 1e-6) return PL_OK;
  return pl_fail(s->env, PL_E_INPUT, "the surface is not closed: it covers %.6g of all directions",
                 whole / (4 * PL_PI));
}

static void measure_excess(pl_star *s, const double (*p)[3], const int (*v)[3]) {
  double least = 1;
  for (int f = 0; f < s->nface; f++)
    for (int i = 0; i <= SAMPLES; i++)
      for (int j = 0; i + j <= SAMPLES; j++) {
        double x[3], a = (double)i / SAMPLES, b = (double)j / SAMPLES;
        for (int c = 0; c < 3; c++)
          x[c] = a * p[v[f][0]][c] + b * p[v[f][1]][c] + (1 - a - b) * p[v[f][2]][c];
        least = fmin(least, pl_star_gauge(s, x, NULL, NULL));
      }
  s->excess = 1 / sqrt(least) - 1;
}

pl_status pl_star_create(pl_env *env, int n, const double (*p)[3], int nface, const int (*v)[3],
                         const double centre[3], pl_star **out) {
  *out = NULL;
  pl_star *s = pl_alloc(env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  s->env = env;
  s->nface = nface;
  memcpy(s->centre, centre, sizeof s->centre);
  s->face = pl_alloc(env, (size_t)nface, sizeof *s->face);
  s->first = pl_alloc(env, CELLS + 1, sizeof *s->first);
  pl_status status = s->face && s->first ? make_faces(s, n, p, v) : PL_E_NOMEM;
  if (status == PL_OK) status = list_faces(s, p, v);
  if (status != PL_OK) {
    pl_star_free(s);
    return status;
  }
  measure_excess(s, p, v);
  *out = s;
  return PL_OK;
}

void pl_star_free(pl_star *s) {
  if (!s) return;
  pl_free(s->env, s->face);
  pl_free(s->env, s->first);
  pl_free(s->env, s->list);
  pl_free(s->env, s);
}

double pl_star_excess(const pl_star *s) {
  return s->excess;
}

// ---- marks --------------------------------------------------------------------------------------

void pl_star_mark(pl_star *s, const int (*v)[3], const int *mark) {
  for (int f = 0; f < s->nface; f++)
    for (int k = 0; k < 3; k++) s->face[f].mark[k] = mark[v[f][k]];
}

int pl_star_marked(const pl_star *s, const double x[3]) {
  double y[3], best = 0;
  int marked = 0;
  pl_sub3(x, s->centre, y);
  if (!(pl_dot3(y, y) > 0)) return 0;
  int cell = cell_of(y);
  // the face whose cone it is in has no coordinate below zero
  for (int i = s->first[cell]; i < s->first[cell + 1]; i++) {
    const face *f = &s->face[s->list[i]];
    double b[3], l = pl_dot3(f->n, y);
    int most = 0;
    for (int k = 0; k < 3; k++) b[k] = pl_dot3(f->row[k], y) / l;
    if (!(l > 0) || !(fmin(b[0], fmin(b[1], b[2])) >= -1e-12)) continue;
    for (int k = 1; k < 3; k++)
      if (b[k] > b[most]) most = k;
    if (b[most] > best) marked = f->mark[most];
    best = fmax(best, b[most]);
  }
  return marked;
}

// ---- gauge --------------------------------------------------------------------------------------

// s(b) with derivatives: 6 u^5 - 15 u^4 + 10 u^3
static void rise(double b, double s[3]) {
  double u = (b / BAND + 1) / 2, c = 0.5 / BAND;
  if (u >= 1) {
    s[0] = 1, s[1] = s[2] = 0;
    return;
  }
  s[0] = u * u * u * (10 + u * (6 * u - 15));
  s[1] = c * 30 * u * u * (1 - u) * (1 - u);
  s[2] = c * c * 60 * u * (1 - u) * (1 - 2 * u);
}

// sums over faces of a quantity and its derivatives
typedef struct sum {
  double v, d[3], dd[3][3];
} sum;

// w of a face at x, where it has one: 0 there is none
static int weight(const face *f, const double x[3], double *l, sum *w) {
  double b[3], db[3][3], s[3][3];
  *l = pl_dot3(f->n, x);
  if (!(*l > 0)) return 0;
  for (int k = 0; k < 3; k++) {
    b[k] = pl_dot3(f->row[k], x) / *l;
    if (!(b[k] > -BAND)) return 0;
  }
  for (int k = 0; k < 3; k++) {
    rise(b[k], s[k]);
    for (int c = 0; c < 3; c++) db[k][c] = (f->row[k][c] - b[k] * f->n[c]) / *l;
  }
  *w = (sum){.v = s[0][0] * s[1][0] * s[2][0]};
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double slope = s[k][1] * s[i][0] * s[j][0], bend = s[k][2] * s[i][0] * s[j][0];
    double both = s[k][0] * s[i][1] * s[j][1];
    if (slope == 0 && bend == 0 && both == 0) continue;
    for (int a = 0; a < 3; a++) {
      w->d[a] += slope * db[k][a];
      // d2b = -(db n' + n db') / l
      for (int c = 0; c < 3; c++)
        w->dd[a][c] += bend * db[k][a] * db[k][c] -
                       slope * (db[k][a] * f->n[c] + f->n[a] * db[k][c]) / *l +
                       both * (db[i][a] * db[j][c] + db[j][a] * db[i][c]);
    }
  }
  return 1;
}

// sums over the faces at x: of weights, and of weights times (l over the first one's)^P
static double add_faces(const pl_star *s, const double x[3], sum *N, sum *D) {
  int cell = cell_of(x);
  double scale = 0, l;
  sum w;
  for (int i = s->first[cell]; i < s->first[cell + 1]; i++) {
    const face *f = &s->face[s->list[i]];
    if (!weight(f, x, &l, &w)) continue;
    if (scale == 0) scale = l;
    double v = l / scale;
    for (int k = 0; k < SQUARES; k++) v *= v;
    double d = POWER * v / l, dd = (POWER - 1) * d / l;
    N->v += w.v * v;
    D->v += w.v;
    for (int a = 0; a < 3; a++) {
      N->d[a] += w.d[a] * v + w.v * d * f->n[a];
      D->d[a] += w.d[a];
      for (int c = 0; c < 3; c++) {
        N->dd[a][c] += w.dd[a][c] * v + d * (w.d[a] * f->n[c] + f->n[a] * w.d[c]) +
                       w.v * dd * f->n[a] * f->n[c];
        D->dd[a][c] += w.dd[a][c];
      }
    }
  }
  return scale;
}

double pl_star_gauge(const pl_star *s, const double at[3], double *grad, double *hess) {
  static const double any[3] = {1, 0, 0};
  const double e = 2.0 / POWER;
  double y[3];
  sum N = {0}, D = {0};
  pl_sub3(at, s->centre, y);
  // in the centre all directions have the same value; of second derivatives one is as good
  int still = pl_dot3(y, y) == 0;
  double scale = add_faces(s, still ? any : y, &N, &D);
  // G = scale^2 r^e, r = N / D; NaN is beyond all
  double r = N.v / D.v, G = scale * scale * pow(r, e), dr[3];
  for (int a = 0; a < 3; a++) dr[a] = (N.d[a] - r * D.d[a]) / D.v;
  for (int a = 0; grad && a < 3; a++) grad[a] = still ? 0 : e * G / r * dr[a];
  for (int a = 0; hess && a < 3; a++)
    for (int c = 0; c < 3; c++) {
      double bend = (N.dd[a][c] - r * D.dd[a][c] - dr[a] * D.d[c] - D.d[a] * dr[c]) / D.v;
      hess[3 * a + c] = e * G / r * (bend + (e - 1) * dr[a] * dr[c] / r);
    }
  return still ? 0 : G;
}
