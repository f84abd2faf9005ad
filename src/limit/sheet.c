// Sheets: triangles with limits, what they are stretched to.
#include "limit_impl.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 360 }; // looked at between samples

// ---- checks -------------------------------------------------------------------------------------

static pl_status check_limit(pl_env *env, const pl_limit *l, int k) {
  for (int i = 0; i < l->nellipse; i++) {
    const double *B = l->B[i];
    if (!(B[0] > 0 && B[1] > 0 && B[0] * B[1] - B[2] * B[2] > 0) || !isfinite(B[0] * B[1]))
      return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "every direction needs a stretch above zero",
                        "limit %d: ellipse %d (B11 %g, B22 %g, B12 %g) is not positive definite", k,
                        i, B[0], B[1], B[2]);
  }
  for (int i = 0; i < l->ndirection; i++)
    if (!(l->bound[i] > 0) || !isfinite(l->bound[i]) || !isfinite(l->angle[i]))
      return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "a limit of 1 % is a stretch of 1.01",
                        "limit %d: direction %d allows a stretch of %g, which must be above zero",
                        k, i, l->bound[i]);
  return PL_OK;
}

static pl_status check_desc(pl_env *env, const pl_sheet_desc *d) {
  if (d->nvert < 0 || d->ntri < 0 || d->nlimit < 0)
    return pl_fail(env, PL_E_ARG, "sheet: counts must not be negative");
  for (int i = 0; i < d->nvert; i++)
    if (!(d->weight[i] > 0) || !isfinite(d->weight[i]))
      return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "give it a mass, or use plain weights",
                        "sheet: vertex %d has weight %g, which must be above zero", i,
                        d->weight[i]);
  for (int k = 0; k < d->nlimit; k++) PL_TRY(check_limit(env, &d->limit[k], k));
  for (int t = 0; t < d->ntri; t++) {
    const int *v = d->tri + 3 * t;
    for (int a = 0; a < 3; a++)
      if (v[a] < 0 || v[a] >= d->nvert || v[a] == v[(a + 1) % 3])
        return pl_fail(env, PL_E_INPUT, "sheet: triangle %d has corners %d, %d, %d of %d vertices",
                       t, v[0], v[1], v[2], d->nvert);
    if (d->limit_of && (d->limit_of[t] < -1 || d->limit_of[t] >= d->nlimit))
      return pl_fail(env, PL_E_INPUT, "sheet: triangle %d has limit %d of %d", t, d->limit_of[t],
                     d->nlimit);
  }
  return PL_OK;
}

// ---- make ---------------------------------------------------------------------------------------

// gradients of the hat functions from the corners r[3][2]; returns the area, below zero: turned
// over
static double hat_gradients(const double *r, double *g) {
  double ax = r[2] - r[0], ay = r[3] - r[1], bx = r[4] - r[0], by = r[5] - r[1];
  double det = ax * by - ay * bx;
  g[2] = by / det, g[3] = -bx / det;
  g[4] = -ay / det, g[5] = ax / det;
  g[0] = -g[2] - g[4], g[1] = -g[3] - g[5];
  return det / 2;
}

static pl_status make_triangles(pl_sheet *s, const pl_sheet_desc *d) {
  double sum = 0;
  for (int t = 0; t < s->ntri; t++) {
    const double *r = d->rest + 6 * t;
    double longest = 0, area = hat_gradients(r, s->grad + 6 * t);
    for (int a = 0; a < 3; a++) {
      int b = (a + 1) % 3;
      double length = hypot(r[2 * b] - r[2 * a], r[2 * b + 1] - r[2 * a + 1]);
      longest = fmax(longest, length);
      sum += length;
    }
    s->area[t] = fabs(area);
    if (!(s->area[t] > 1e-12 * longest * longest))
      return pl_fail_at(s->env, PL_E_INPUT, NULL, 0, 0, "remove or repair it",
                        "sheet: triangle %d has no area at rest", t);
    s->limit_of[t] = d->limit_of ? d->limit_of[t] : d->nlimit > 0 ? 0 : -1;
  }
  s->edge = s->ntri > 0 ? sum / (3 * s->ntri) : 1;
  return PL_OK;
}

static pl_status copy_limit(pl_sheet *s, const pl_limit *from, pl_limit *to) {
  size_t n = (size_t)from->nellipse, m = (size_t)from->ndirection;
  double(*B)[3] = pl_alloc(s->env, n, sizeof *B);
  double *angle = pl_alloc(s->env, m, sizeof *angle), *bound = pl_alloc(s->env, m, sizeof *bound);
  size_t l = (size_t)from->curve.n;
  double *at = pl_alloc(s->env, l, sizeof *at), *stretch = pl_alloc(s->env, l, sizeof *stretch);
  *to = (pl_limit){from->nellipse, (const double(*)[3])B,       from->ndirection, angle,
                   bound,          {from->curve.n, at, stretch}};
  if (!B || !angle || !bound || !at || !stretch) return PL_E_NOMEM;
  if (l > 0) memcpy(at, from->curve.angle, l * sizeof *at);
  if (l > 0) memcpy(stretch, from->curve.stretch, l * sizeof *stretch);
  if (n > 0) memcpy(B, from->B, n * sizeof *B);
  if (m > 0) memcpy(angle, from->angle, m * sizeof *angle);
  if (m > 0) memcpy(bound, from->bound, m * sizeof *bound);
  return PL_OK;
}

// C = B^-1/2 of a symmetric 2x2 matrix, as (C11, C22, C12)
static void inverse_root(const double B[3], double C[3]) {
  double det = B[0] * B[1] - B[2] * B[2], root = sqrt(det), scale = sqrt(B[0] + B[1] + 2 * root);
  // B^1/2 = (B + root I) / scale, and its determinant is root
  double r11 = (B[0] + root) / scale, r22 = (B[1] + root) / scale, r12 = B[2] / scale;
  C[0] = r22 / root, C[1] = r11 / root, C[2] = -r12 / root;
}

static void make_cones(pl_sheet *s) {
  int nround = 0, nflat = 0;
  for (int t = 0; t < s->ntri; t++) {
    if (s->limit_of[t] < 0) continue;
    const pl_limit *l = &s->limit[s->limit_of[t]];
    const double *g = s->grad + 6 * t;
    for (int i = 0; i < l->nellipse; i++, nround++) {
      double C[3], *r = s->round + 6 * nround;
      inverse_root(l->B[i], C);
      s->round_tri[nround] = t;
      for (int a = 0; a < 3; a++) {
        r[2 * a] = C[0] * g[2 * a] + C[2] * g[2 * a + 1];
        r[2 * a + 1] = C[2] * g[2 * a] + C[1] * g[2 * a + 1];
      }
    }
    for (int i = 0; i < l->ndirection; i++, nflat++) {
      double c = cos(l->angle[i]) / l->bound[i], e = sin(l->angle[i]) / l->bound[i];
      s->flat_tri[nflat] = t;
      for (int a = 0; a < 3; a++) s->flat[3 * nflat + a] = c * g[2 * a] + e * g[2 * a + 1];
    }
  }
}

static pl_status make(pl_sheet *s, const pl_sheet_desc *d, int nthread) {
  pl_env *env = s->env;
  size_t ntri = (size_t)s->ntri, nvert = (size_t)s->nvert, nround = 0, nflat = 0;
  s->tri = pl_alloc(env, 3 * ntri, sizeof *s->tri);
  s->grad = pl_alloc(env, 6 * ntri, sizeof *s->grad);
  s->area = pl_alloc(env, ntri, sizeof *s->area);
  s->limit_of = pl_alloc(env, ntri, sizeof *s->limit_of);
  s->weight = pl_alloc(env, nvert, sizeof *s->weight);
  s->fixed = pl_alloc(env, nvert, sizeof *s->fixed);
  s->limit = pl_alloc(env, (size_t)s->nlimit, sizeof *s->limit);
  if (!s->tri || !s->grad || !s->area || !s->limit_of || !s->weight || !s->fixed || !s->limit)
    return PL_E_NOMEM;
  if (ntri > 0) memcpy(s->tri, d->tri, 3 * ntri * sizeof *s->tri);
  if (nvert > 0) memcpy(s->weight, d->weight, nvert * sizeof *s->weight);
  for (int i = 0; d->fixed && i < s->nvert; i++) s->fixed[i] = d->fixed[i] & 7;
  for (int k = 0; k < s->nlimit; k++) PL_TRY(copy_limit(s, &d->limit[k], &s->limit[k]));
  PL_TRY(make_triangles(s, d));
  for (int t = 0; t < s->ntri; t++)
    if (s->limit_of[t] >= 0) {
      nround += (size_t)s->limit[s->limit_of[t]].nellipse;
      nflat += (size_t)s->limit[s->limit_of[t]].ndirection;
    }
  if (nround + nflat > 100000000) return pl_fail(env, PL_E_INPUT, "sheet: too many limits");
  s->nround = (int)nround;
  s->nflat = (int)nflat;
  s->round_tri = pl_alloc(env, nround, sizeof *s->round_tri);
  s->round = pl_alloc(env, 6 * nround, sizeof *s->round);
  s->flat_tri = pl_alloc(env, nflat, sizeof *s->flat_tri);
  s->flat = pl_alloc(env, 3 * nflat, sizeof *s->flat);
  if (!s->round_tri || !s->round || !s->flat_tri || !s->flat) return PL_E_NOMEM;
  make_cones(s);
  s->threads = s->shared_threads;
  return s->shared_threads ? PL_OK : pl_threads_create(env, nthread > 1 ? nthread : 1, &s->threads);
}

pl_status pl_sheet_create(pl_env *env, const pl_sheet_desc *d, int nthread, pl_sheet **out) {
  *out = NULL;
  PL_TRY(check_desc(env, d));
  pl_sheet *s = pl_alloc(env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  s->env = env;
  s->shared_threads = d->threads;
  s->nvert = d->nvert;
  s->ntri = d->ntri;
  s->nlimit = d->nlimit;
  pl_status status = make(s, d, nthread);
  if (status != PL_OK) {
    pl_sheet_free(s);
    return status;
  }
  *out = s;
  return PL_OK;
}

void pl_sheet_free(pl_sheet *s) {
  if (!s) return;
  pl_env *env = s->env;
  for (int k = 0; s->limit && k < s->nlimit; k++) {
    pl_free(env, (void *)s->limit[k].B);
    pl_free(env, (void *)s->limit[k].angle);
    pl_free(env, (void *)s->limit[k].bound);
    pl_free(env, (void *)s->limit[k].curve.angle);
    pl_free(env, (void *)s->limit[k].curve.stretch);
  }
  path_free(env, s->path);
  program_free(env, s->program);
  if (!s->shared_threads) pl_threads_free(s->threads);
  pl_free(env, s->tri);
  pl_free(env, s->grad);
  pl_free(env, s->area);
  pl_free(env, s->limit_of);
  pl_free(env, s->weight);
  pl_free(env, s->fixed);
  pl_free(env, s->limit);
  pl_free(env, s->round_tri);
  pl_free(env, s->round);
  pl_free(env, s->flat_tri);
  pl_free(env, s->flat);
  pl_free(env, s);
}

int pl_sheet_nvert(const pl_sheet *s) {
  return s->nvert;
}

int pl_sheet_ntri(const pl_sheet *s) {
  return s->ntri;
}

void pl_sheet_flatten(int ntri, const int *tri, const double *X, const double warp[3],
                      double *rest) {
  for (int t = 0; t < ntri; t++) {
    const double *a = X + 3 * tri[3 * t];
    double e1[3], e2[3], n[3], u[3], w[3], *r = rest + 6 * t;
    pl_sub3(X + 3 * tri[3 * t + 1], a, e1);
    pl_sub3(X + 3 * tri[3 * t + 2], a, e2);
    pl_cross3(e1, e2, n);
    double area = pl_norm3(n), along = area > 0 ? pl_dot3(warp, n) / area : 0;
    for (int c = 0; c < 3; c++) u[c] = warp[c] - (area > 0 ? along * n[c] / area : 0);
    // a triangle that stands across the warp
    if (!(pl_norm3(u) > 1e-6 * pl_norm3(warp))) memcpy(u, e1, sizeof u);
    double length = pl_norm3(u);
    for (int c = 0; c < 3; c++) u[c] = length > 0 ? u[c] / length : 0;
    pl_cross3(n, u, w);
    for (int c = 0; c < 3; c++) w[c] = area > 0 ? w[c] / area : 0;
    r[0] = r[1] = 0;
    r[2] = pl_dot3(e1, u), r[3] = pl_dot3(e1, w);
    r[4] = pl_dot3(e2, u), r[5] = pl_dot3(e2, w);
  }
}

// ---- stretch ------------------------------------------------------------------------------------

static double sheet_sigma(const double F[6]) {
  double a = pl_dot3(F, F), b = pl_dot3(F + 3, F + 3), c = pl_dot3(F, F + 3);
  return sqrt((a + b) / 2 + hypot((a - b) / 2, c));
}

static double flat_length(const pl_sheet *s, int k, const double *x) {
  const int *v = s->tri + 3 * s->flat_tri[k];
  const double *h = s->flat + 3 * k;
  double y[3];
  for (int c = 0; c < 3; c++)
    y[c] = x[3 * v[0] + c] * h[0] + x[3 * v[1] + c] * h[1] + x[3 * v[2] + c] * h[2];
  return pl_norm3(y);
}

double pl_sheet_violation(const pl_sheet *s, const double *x, int *worst) {
  double most = s->nround + s->nflat > 0 ? 0 : 1, F[6];
  int at = -1;
  for (int k = 0; k < s->nround; k++) {
    sheet_gradient(s, s->round_tri[k], s->round + 6 * k, x, F);
    double sigma = sheet_sigma(F);
    // NaN counts as the worst
    if (!isnan(most) && !(sigma <= most)) most = sigma, at = s->round_tri[k];
  }
  for (int k = 0; k < s->nflat; k++) {
    double length = flat_length(s, k, x);
    if (!isnan(most) && !(length <= most)) most = length, at = s->flat_tri[k];
  }
  if (worst) *worst = at;
  return most - 1;
}

void pl_sheet_ratio(const pl_sheet *s, const double *x, double *ratio) {
  double F[6];
  memset(ratio, 0, (size_t)s->ntri * sizeof *ratio);
  for (int k = 0; k < s->nround; k++) {
    double *r = &ratio[s->round_tri[k]];
    sheet_gradient(s, s->round_tri[k], s->round + 6 * k, x, F);
    *r = fmax(*r, sheet_sigma(F));
  }
  for (int k = 0; k < s->nflat; k++) {
    double *r = &ratio[s->flat_tri[k]];
    *r = fmax(*r, flat_length(s, k, x));
  }
}

void pl_sheet_stretch(const pl_sheet *s, const double *x, double *stretch) {
  for (int t = 0; t < s->ntri; t++) {
    double F[6], *out = stretch + 3 * t;
    sheet_gradient(s, t, s->grad + 6 * t, x, F);
    double a = pl_dot3(F, F), b = pl_dot3(F + 3, F + 3), c = pl_dot3(F, F + 3);
    double mean = (a + b) / 2, radius = hypot((a - b) / 2, c), n[3];
    out[0] = sqrt(mean + radius);
    // the product of both is |f1 x f2|, exact where the difference cancels
    pl_cross3(F, F + 3, n);
    out[1] = out[0] > 0 ? pl_norm3(n) / out[0] : 0;
    out[2] = atan2(c, (a - b) / 2) / 2;
  }
}

double pl_sheet_between(const pl_sheet *s, const double *x) {
  double most = -1, bound[DIRECTIONS], cosine[DIRECTIONS], sine[DIRECTIONS];
  for (int i = 0; i < DIRECTIONS; i++) {
    cosine[i] = cos(PL_PI * i / DIRECTIONS);
    sine[i] = sin(PL_PI * i / DIRECTIONS);
  }
  for (int k = 0; k < s->nlimit; k++) {
    const pl_limit *l = &s->limit[k];
    if (l->nellipse > 0 || l->ndirection == 0) continue;
    pl_polar curve = l->curve.n > 0 ? l->curve : (pl_polar){l->ndirection, l->angle, l->bound};
    for (int i = 0; i < DIRECTIONS; i++) {
      double b = pl_polar_at(&curve, PL_PI * i / DIRECTIONS);
      bound[i] = 1 / (b * b);
    }
    for (int t = 0; t < s->ntri; t++) {
      if (s->limit_of[t] != k) continue;
      double F[6];
      sheet_gradient(s, t, s->grad + 6 * t, x, F);
      double a = pl_dot3(F, F), b = pl_dot3(F + 3, F + 3), c = pl_dot3(F, F + 3);
      for (int i = 0; i < DIRECTIONS; i++) {
        double square =
            a * cosine[i] * cosine[i] + b * sine[i] * sine[i] + 2 * c * cosine[i] * sine[i];
        most = fmax(most, square * bound[i] - 1);
      }
    }
  }
  return most > -1 ? sqrt(1 + most) - 1 : -1;
}
