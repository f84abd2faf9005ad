// Pseudo-arclength continuation of h(z, omega) = 0: tangents from the bordered system (19),
// Newton on planes across the curve.
#include "curve_impl.h"

#include <float.h>
#include <string.h>

static const double STRESS_STEP = 1e-3; // shorter steps need no stresses extrapolated
static const double LOOSE_STEP = 1e-3, LOOSE_ERROR = 0.05; // on the way that is close enough

// ---- points -----------------------------------------------------------------------------------

pl_status curve_point_create(const continuation *k, curve_point *s) {
  size_t n = (size_t)k->n, nw = (size_t)k->nprobe;
  *s = (curve_point){.z = pl_alloc(k->env, 2 * n + 2 * nw, sizeof(double))};
  if (!s->z) return PL_E_NOMEM;
  s->tz = s->z + n;
  s->slope = s->tz + n;
  s->path = s->slope + nw;
  return PL_OK;
}

void curve_point_free(const continuation *k, curve_point *s) {
  pl_free(k->env, s->z);
  *s = (curve_point){0};
}

void curve_point_copy(const continuation *k, curve_point *to, const curve_point *from) {
  curve_point keep = *to;
  *to = *from;
  to->z = keep.z;
  to->tz = keep.tz;
  to->slope = keep.slope;
  to->path = keep.path;
  memcpy(to->z, from->z, (2 * (size_t)k->n + 2 * (size_t)k->nprobe) * sizeof(double));
}

pl_orbit curve_point_orbit(const continuation *k, const curve_point *s) {
  return (pl_orbit){
      .env = k->env, .nfree = k->nfree, .nharm = k->H, .sub = k->sub, .omega = s->omega, .z = s->z};
}

void coef_refit(int nfree, int H0, const double *from, int H, double *to) {
  size_t L0 = 2 * (size_t)H0 + 1, L = 2 * (size_t)H + 1;
  memset(to, 0, (size_t)nfree * L * sizeof(double));
  for (size_t i = 0; i < (size_t)nfree; i++)
    memcpy(to + i * L, from + i * L0, (L < L0 ? L : L0) * sizeof(double));
}

static pl_status curve_point_refit(const continuation *k, int H0, curve_point *s) {
  curve_point new;
  PL_TRY(curve_point_create(k, &new));
  coef_refit(k->nfree, H0, s->z, k->H, new.z);
  coef_refit(k->nfree, H0, s->tz, k->H, new.tz);
  memcpy(new.slope, s->slope, 2 * (size_t)k->nprobe * sizeof(double));
  double *old = s->z;
  s->z = new.z;
  s->tz = new.tz;
  s->slope = new.slope;
  s->path = new.path;
  pl_free(k->env, old);
  return PL_OK;
}

// ---- balance and room -------------------------------------------------------------------------

static void close_balance(continuation *k) {
  if (k->b) {
    pl_bordered_info i = pl_bordered_stats(k->b);
    k->factorisations += i.factorisations;
    k->krylov += i.iterations;
  }
  pl_bordered_free(k->b);
  pl_hb_free(k->hb);
  k->b = NULL;
  k->hb = NULL;
  pl_free(k->env, k->dz);
  k->dz = NULL;
}

static pl_status open_balance(continuation *k, int H) {
  PL_TRY(hb_create_sub(k->m, k->p, k->w, H, k->nsample, k->sub, &k->hb));
  PL_TRY(pl_bordered_create(k->hb, &k->b));
  k->H = H;
  k->n = pl_hb_size(k->hb);
  size_t n = (size_t)k->n;
  k->dz = pl_alloc(k->env, 7 * n, sizeof(double));
  if (!k->dz) return PL_E_NOMEM;
  k->row = k->dz + n;
  k->f = k->row + n;
  k->z0 = k->f + n;
  k->bordering = k->z0 + n;
  k->bend = k->bordering + 2 * n;
  k->bend_z = k->bend_o = 0;
  return PL_OK;
}

pl_status cont_open(continuation *k, int H) {
  k->nfree = pl_model_nfree(k->m);
  k->sz = k->sw = 1;
  k->limit = INFINITY;
  PL_TRY(open_balance(k, H));
  PL_TRY(curve_point_create(k, &k->first));
  PL_TRY(curve_point_create(k, &k->last));
  PL_TRY(curve_point_create(k, &k->at));
  PL_TRY(curve_point_create(k, &k->mid));
  return curve_point_create(k, &k->next);
}

void cont_close(continuation *k) {
  close_balance(k);
  curve_point_free(k, &k->first);
  curve_point_free(k, &k->last);
  curve_point_free(k, &k->at);
  curve_point_free(k, &k->mid);
  curve_point_free(k, &k->next);
}

pl_status cont_raise(continuation *k, int H) {
  int H0 = k->H;
  close_balance(k);
  PL_TRY(open_balance(k, H));
  PL_TRY(curve_point_refit(k, H0, &k->first));
  PL_TRY(curve_point_refit(k, H0, &k->last));
  PL_TRY(curve_point_refit(k, H0, &k->at));
  PL_TRY(curve_point_refit(k, H0, &k->mid));
  return curve_point_refit(k, H0, &k->next);
}

// ---- metric -----------------------------------------------------------------------------------

double cont_dot(const continuation *k, const double *az, double aw, const double *bz, double bw) {
  return pl_dot(k->n, az, bz) / (k->sz * k->sz) + aw * bw / (k->sw * k->sw);
}

double cont_size(const continuation *k, const double *z) {
  double sum = 0;
  int L = 2 * k->H + 1;
  for (int i = 0; i < k->n; i++) sum += i % L ? z[i] * z[i] : 0;
  return sqrt(sum);
}

static void make_unit(const continuation *k, curve_point *s) {
  double size = sqrt(cont_dot(k, s->tz, s->tw, s->tz, s->tw));
  if (!(size > 0)) return;
  for (int i = 0; i < k->n; i++) s->tz[i] /= size;
  for (int i = 0; i < k->nprobe; i++) s->slope[i] /= size;
  s->tw /= size;
}

void cont_metric(continuation *k, double floor) {
  double size = fmax(cont_size(k, k->at.z), floor);
  k->sz = size > 0 ? CONT_WEIGHT * size : 1;
  make_unit(k, &k->at);
  if (k->have_last) make_unit(k, &k->last);
}

double cont_distance(const continuation *k, const curve_point *a, const curve_point *b) {
  double sum = 0, dw = (a->omega - b->omega) / k->sw;
  for (int i = 0; i < k->n; i++) sum += (a->z[i] - b->z[i]) * (a->z[i] - b->z[i]);
  return sqrt(sum / (k->sz * k->sz) + dw * dw);
}

// ---- Newton -----------------------------------------------------------------------------------

// motions even in time: the equations of the cosines alone, those of the sines hold by symmetry
static void hold_even(pl_hb *hb) {
  int L = hb->f.L, stride;
  double size = pl_blocks_max(&hb->J, hb->w->threads);
  for (pl_entry e = {.k = -1}; pl_csc_next(&hb->P, &e);) {
    double *v = pl_blocks_at(&hb->J, e.j, e.k, &stride);
    for (int b = 0; b < L; b++, v += stride)
      for (int a = 0; a < L; a++)
        if (a % 2 || b % 2) v[a] = e.i == e.j && a == b ? size : 0;
  }
  for (int i = 0; i < hb->n; i++)
    if ((i % L) % 2) hb->h[i] = hb->hw[i] = 0;
}

static pl_status evaluate(continuation *k, const curve_point *s) {
  if (!(s->omega > 0) && !k->by) return PL_UNSOLVED;
  if (k->by) {
    if (!k->hb->mixed) PL_TRY(strength_set(k->by, s->omega));
    PL_TRY(pl_hb_eval(k->hb, s->z, k->fixed, PL_HB_RESIDUAL | PL_HB_JACOBIAN));
    return strength_column(k->by, s->z, k->fixed, k->hb->hw);
  }
  PL_TRY(pl_hb_eval(k->hb, s->z, s->omega, PL_HB_RESIDUAL | PL_HB_JACOBIAN | PL_HB_OMEGA));
  if (k->even) hold_even(k->hb);
  return PL_OK;
}

// border of the balance at hand: the column by omega / sw, the row across (cz, cw)
static pl_status set_bordered(continuation *k, const double *cz, double cw) {
  const double *hw = pl_hb_domega(k->hb);
  double *b = k->f;
  for (int i = 0; i < k->n; i++) {
    b[i] = hw[i] * k->sw;
    k->row[i] = cz ? cz[i] / (k->sz * k->sz) : 0;
  }
  return pl_bordered_set(k->b, b, k->row, cz ? cw / k->sw : 1);
}

// a step as exact as the next iterate can use
static pl_status newton_step(continuation *k, curve_point *s, const double *cz, double cw, double g,
                             int fine, double *step) {
  double du, e = s->error, least = fine ? 1e-14 : 0.1 * k->rtol;
  double left = fmax(least, fmin(1e-7, 0.1 * e * e)), eta = e > 0 ? left / e : 1e-3;
  PL_TRY(set_bordered(k, cz, cw));
  for (int i = 0; i < k->n; i++) k->f[i] = -pl_hb_residual(k->hb)[i];
  eta = fmax(1e-13, fmin(1e-3, eta));
  PL_TRY(bordered_solve_to(k->b, eta, k->f, -g, k->dz, &du));
  memcpy(k->f, s->z, (size_t)k->n * sizeof(double));
  s->omega += du * k->sw;
  if (k->by) PL_TRY(strength_set(k->by, s->omega));
  PL_TRY(hb_move(k->hb, k->f, k->dz, s->z));
  *step = fmax(pl_norm(k->n, k->dz) / k->sz, fabs(du));
  // near the end tangents are exact, for what is made of them afterwards
  if (*step > STRESS_STEP)
    hb_mixed(k->hb, k->f, k->dz);
  else
    hb_mixed(k->hb, NULL, NULL);
  return PL_OK;
}

// distance from the start of Newton's method
static void measure_move(continuation *k, const curve_point *s, double omega0) {
  double sum = 0, dw = (s->omega - omega0) / k->sw;
  for (int i = 0; i < k->n; i++) sum += (s->z[i] - k->z0[i]) * (s->z[i] - k->z0[i]);
  k->displaced = sqrt(sum / (k->sz * k->sz) + dw * dw);
}

static pl_status newton(continuation *k, curve_point *s, const double *cz, double cw, int fine) {
  double first = 0, before = INFINITY, omega0 = s->omega, step = INFINITY;
  for (int it = 0;; it++) {
    PL_TRY(evaluate(k, s));
    double e = s->error = pl_hb_error(k->hb);
    s->residual = hb_residual_size(k->hb);
    s->change = -1;
    s->iterations = it;
    measure_move(k, s, omega0);
    if (!isfinite(e) || k->displaced > k->limit) return PL_UNSOLVED;
    // fine: on until rounding stops the fall
    if (e <= k->rtol && (!fine || e < 1e-14 || e > 0.25 * before || it == k->max_iter)) break;
    if (step <= ROUNDING_STEP && e <= ROUNDING_ERROR) break;
    if (k->loose && step <= LOOSE_STEP && e <= LOOSE_ERROR) break;
    if (it == 0) first = e;
    if (it == k->max_iter || e > 1e6 * fmax(first, k->rtol)) return PL_UNSOLVED;
    before = e;
    double g = 0;
    if (cz) {
      g = (cw / k->sw) * (s->omega - omega0) / k->sw;
      for (int i = 0; i < k->n; i++) g += cz[i] * (s->z[i] - k->z0[i]) / (k->sz * k->sz);
    }
    PL_TRY(newton_step(k, s, cz, cw, g, fine, &step));
    k->iterations++;
  }
  return PL_OK;
}

pl_status cont_correct(continuation *k, curve_point *s, const double *cz, double cw, int fine) {
  double omega0 = s->omega;
  memcpy(k->z0, s->z, (size_t)k->n * sizeof(double));
  pl_status st = newton(k, s, cz, cw, fine);
  hb_mixed(k->hb, NULL, NULL);
  if (st == PL_OK) return PL_OK;
  memcpy(s->z, k->z0, (size_t)k->n * sizeof(double));
  s->omega = omega0;
  return st;
}

pl_status cont_tangent(continuation *k, curve_point *s, const double *cz, double cw) {
  double du;
  PL_TRY(set_bordered(k, cz, cw));
  memset(k->f, 0, (size_t)k->n * sizeof(double));
  PL_TRY(pl_bordered_solve(k->b, k->f, 1, s->tz, &du));
  s->tw = du * k->sw;
  if (!pl_all_finite(k->n, s->tz)) return PL_SINGULAR;
  make_unit(k, s);
  s->parity = -1;
  return k->stability ? hb_parity(k->hb, &s->parity) : PL_OK;
}

pl_status cont_floquet(continuation *k, const pl_orbit *o, pl_floquet *f) {
  return pl_orbit_floquet(k->m, k->p, k->w, o, PL_FLOQUET_AUTO, f);
}

static void scale_to(int n, double size, double *x) {
  double now = pl_norm(n, x);
  for (int i = 0; now > 0 && i < n; i++) x[i] *= size / now;
}

pl_status cont_bordering(continuation *k, const curve_point *s) {
  pl_rng r;
  double y, *b = k->bordering, *c = b + k->n;
  pl_rng_seed(&r, 11);
  for (int i = 0; i < 2 * k->n; i++) b[i] = pl_rng_normal(&r);
  PL_TRY(evaluate(k, s));
  // inverse iteration: the null vectors of J from either side, or what is closest to them
  for (int it = 0; it < 3; it++) {
    double size = pl_blocks_max(&k->hb->J, k->hb->w->threads);
    scale_to(k->n, size, b);
    scale_to(k->n, 1, c);
    PL_TRY(pl_bordered_set(k->b, b, c, 0));
    memset(k->f, 0, (size_t)k->n * sizeof(double));
    PL_TRY(pl_bordered_solve(k->b, k->f, 1, k->row, &y));
    PL_TRY(pl_bordered_solve_transposed(k->b, k->f, 1, b, &y));
    memcpy(c, k->row, (size_t)k->n * sizeof(double));
  }
  scale_to(k->n, pl_blocks_max(&k->hb->J, k->hb->w->threads), b);
  scale_to(k->n, 1, c);
  return PL_OK;
}

// y of [J b; c' 0] (x, y) = (0, 1): det J over that of the bordered matrix, and x the null vector
// where it vanishes
pl_status cont_singular(continuation *k, const curve_point *s, double *null, double *value) {
  PL_TRY(evaluate(k, s));
  PL_TRY(pl_bordered_set(k->b, k->bordering, k->bordering + k->n, 0));
  memset(k->f, 0, (size_t)k->n * sizeof(double));
  return pl_bordered_solve(k->b, k->f, 1, null, value);
}

pl_status cont_measure(continuation *k, curve_point *s, int stability) {
  pl_orbit o = curve_point_orbit(k, s);
  for (int i = 0; i < k->nprobe; i++) {
    s->path[i] = pl_orbit_measure(k->m, k->p, &o, &k->probe[i], k->f);
    s->slope[i] = pl_dot(k->n, k->f, s->tz);
  }
  s->floquet.n = 0;
  pl_status st = stability ? cont_floquet(k, &o, &s->floquet) : PL_OK;
  // a point without multipliers is still a point
  if (st > 0 && st != PL_CANCELLED) s->floquet.n = 0;
  return st < 0 || st == PL_CANCELLED ? st : PL_OK;
}

// ---- between points ---------------------------------------------------------------------------

// direction of the chord into ez and its length; NULL when there is none
static double *chord(const continuation *k, const curve_point *a, const curve_point *b, double *ew,
                     double *d) {
  double *ez = pl_alloc(k->env, (size_t)k->n, sizeof(double));
  *d = cont_distance(k, a, b);
  if (!ez) return NULL;
  double by = *d > 0 ? 1 / *d : 0;
  *ew = (b->omega - a->omega) * by;
  for (int i = 0; i < k->n; i++) ez[i] = (b->z[i] - a->z[i]) * by;
  return ez;
}

// weights of the cubic through both ends with their tangents, on planes across the chord:
// dx/dsigma = t d / <e, t>, e the chord's direction
static void hermite(const continuation *k, const curve_point *a, const curve_point *b,
                    const double *ez, double ew, double d, double s, double h[3]) {
  double ca = cont_dot(k, ez, ew, a->tz, a->tw), cb = cont_dot(k, ez, ew, b->tz, b->tw);
  h[0] = s;
  h[1] = h[2] = 0;
  if (!(ca > 0.1 && cb > 0.1)) return;
  h[0] = s * s * (3 - 2 * s);
  h[1] = s * (1 - s) * (1 - s) * d / ca;
  h[2] = s * s * (s - 1) * d / cb;
}

static void interpolate(const continuation *k, const curve_point *a, const curve_point *b,
                        const double h[3], curve_point *out) {
  for (int i = 0; i < k->n; i++)
    out->z[i] = a->z[i] + h[0] * (b->z[i] - a->z[i]) + h[1] * a->tz[i] + h[2] * b->tz[i];
  out->omega = a->omega + h[0] * (b->omega - a->omega) + h[1] * a->tw + h[2] * b->tw;
}

pl_status cont_between(continuation *k, const curve_point *a, const curve_point *b, double sigma,
                       int fine, curve_point *out) {
  double ew, d, h[3], *ez = chord(k, a, b, &ew, &d);
  if (!ez) return PL_E_NOMEM;
  hermite(k, a, b, ez, ew, d, sigma, h);
  interpolate(k, a, b, h, out);
  k->limit = d;
  pl_status st = d > 0 ? cont_correct(k, out, ez, ew, fine) : PL_UNSOLVED;
  k->limit = INFINITY;
  if (st == PL_OK) st = cont_tangent(k, out, ez, ew);
  pl_free(k->env, ez);
  return st;
}

pl_status cont_at_omega(continuation *k, const curve_point *a, const curve_point *b, double omega,
                        curve_point *out) {
  double ew, d, h[3], lo = 0, hi = 1, *ez = chord(k, a, b, &ew, &d);
  if (!ez) return PL_E_NOMEM;
  for (int it = 0; it < 60; it++) {
    double s = (lo + hi) / 2;
    hermite(k, a, b, ez, ew, d, s, h);
    double w = a->omega + h[0] * (b->omega - a->omega) + h[1] * a->tw + h[2] * b->tw;
    *((w < omega) == (a->omega < b->omega) ? &lo : &hi) = s;
  }
  interpolate(k, a, b, h, out);
  out->omega = omega;
  k->limit = d;
  pl_status st = cont_correct(k, out, NULL, 0, 1);
  k->limit = INFINITY;
  if (st == PL_OK) st = cont_tangent(k, out, ez, ew);
  pl_free(k->env, ez);
  return st;
}

int cont_passes(const continuation *k, const curve_point *s) {
  const curve_point *a = &k->at, *b = &k->next;
  double d2 = 0, along = 0, gap = 0, iw = 1 / (k->sw * k->sw), iz = 1 / (k->sz * k->sz);
  for (int i = 0; i < k->n; i++) {
    double e = b->z[i] - a->z[i], g = s->z[i] - a->z[i];
    d2 += e * e * iz;
    along += e * g * iz;
    gap += g * g * iz;
  }
  double e = b->omega - a->omega, g = s->omega - a->omega;
  d2 += e * e * iw;
  along += e * g * iw;
  gap += g * g * iw;
  // on the segment, as near as a curve that turns little stays to its chord
  return along > 0 && along <= d2 && gap - along * along / d2 < 0.01 * d2;
}

int cont_closes(const continuation *k) {
  const curve_point *f = &k->first, *b = &k->next;
  double same = cont_dot(k, f->tz, f->tw, b->tz, b->tw);
  double size = cont_dot(k, f->tz, f->tw, f->tz, f->tw);
  return same > 0.8 * sqrt(size) && cont_passes(k, f);
}
