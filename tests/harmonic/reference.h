#ifndef TESTS_HARMONIC_REFERENCE_H
#define TESTS_HARMONIC_REFERENCE_H

// An independent harmonic balance for small polynomial systems, dense and plain, to compare with:
//   m x'' + c x' + f(x) = F sin(omega t), all coefficients per unknown, f with its Jacobian.
#include "check.h"
#include "models.h"

#include "pliant/harmonic.h"
#include "pliant/math.h"

#include <string.h>

enum { REF_N = 256, REF_DOF = 10, REF_MAX = 160 }; // samples, unknowns, coefficients and omega

typedef struct reference {
  int n, H; // unknowns, harmonics
  double mass[REF_DOF], damp[REF_DOF][REF_DOF], load[REF_DOF];
  // springs from unknown a to b (-1: ground): k d + k2 d^2 + k3 d^3
  int nspring, a[16], b[16];
  double k[16], k2[16], k3[16];
} reference;

static inline int ref_size(const reference *r) {
  return r->n * (2 * r->H + 1);
}

static inline void ref_solve(int n, double *A, double *x) {
  for (int j = 0; j < n; j++) {
    int p = j;
    for (int i = j; i < n; i++)
      if (fabs(A[i * n + j]) > fabs(A[p * n + j])) p = i;
    for (int c = 0; c < n; c++) {
      double t = A[j * n + c];
      A[j * n + c] = A[p * n + c];
      A[p * n + c] = t;
    }
    double t = x[j];
    x[j] = x[p];
    x[p] = t;
    for (int i = j + 1; i < n; i++) {
      double w = A[i * n + j] / A[j * n + j];
      if (w == 0) continue;
      for (int c = j; c < n; c++) A[i * n + c] -= w * A[j * n + c];
      x[i] -= w * x[j];
    }
  }
  for (int j = n; j-- > 0;) {
    for (int c = j + 1; c < n; c++) x[j] -= A[j * n + c] * x[c];
    x[j] /= A[j * n + j];
  }
}

static inline double ref_basis(int a, double phase) {
  return a == 0 ? 1 : a % 2 ? sin((a + 1) / 2 * phase) : cos(a / 2 * phase);
}

// spring force and stiffness of every unknown at positions x
static inline void ref_force(const reference *r, const double *x, double *f, double K[][REF_DOF]) {
  memset(f, 0, REF_DOF * sizeof *f);
  memset(K, 0, REF_DOF * REF_DOF * sizeof(double));
  for (int s = 0; s < r->nspring; s++) {
    int a = r->a[s], b = r->b[s];
    double d = x[b] - (a < 0 ? 0 : x[a]), e = d * (r->k[s] + d * (r->k2[s] + d * r->k3[s]));
    double t = r->k[s] + d * (2 * r->k2[s] + 3 * d * r->k3[s]);
    f[b] += e;
    K[b][b] += t;
    if (a < 0) continue;
    f[a] -= e;
    K[a][a] += t;
    K[a][b] -= t;
    K[b][a] -= t;
  }
}

// residual, Jacobian J[m][m + 1] with the derivative by omega in the last column
static inline void ref_balance(const reference *r, const double *z, double w, double *h,
                               double *J) {
  int L = 2 * r->H + 1, m = ref_size(r);
  memset(h, 0, (size_t)m * sizeof *h);
  memset(J, 0, (size_t)(m * (m + 1)) * sizeof *J);
  for (int s = 0; s < REF_N; s++) {
    double phase = 2 * PL_PI * s / REF_N, x[REF_DOF], f[REF_DOF], K[REF_DOF][REF_DOF], e[129];
    for (int a = 0; a < L; a++) e[a] = ref_basis(a, phase);
    for (int i = 0; i < r->n; i++) {
      x[i] = 0;
      for (int a = 0; a < L; a++) x[i] += z[i * L + a] * e[a];
    }
    ref_force(r, x, f, K);
    for (int i = 0; i < r->n; i++)
      for (int a = 0; a < L; a++) {
        double t = (a ? 2.0 : 1.0) / REF_N * e[a];
        h[i * L + a] += t * f[i];
        for (int j = 0; j < r->n; j++)
          for (int b = 0; K[i][j] != 0 && b < L; b++)
            J[(i * L + a) * (m + 1) + j * L + b] += t * K[i][j] * e[b];
      }
  }
  for (int i = 0; i < r->n; i++) {
    h[i * L + 1] -= r->load[i];
    for (int k = 1; k <= r->H; k++) {
      int s = i * L + 2 * k - 1, c = s + 1;
      double kw = k * w, ma = r->mass[i];
      h[s] -= ma * kw * kw * z[s];
      h[c] -= ma * kw * kw * z[c];
      J[s * (m + 1) + s] -= ma * kw * kw;
      J[c * (m + 1) + c] -= ma * kw * kw;
      J[s * (m + 1) + m] -= 2 * ma * k * kw * z[s];
      J[c * (m + 1) + m] -= 2 * ma * k * kw * z[c];
      for (int j = 0; j < r->n; j++) {
        int sj = j * L + 2 * k - 1, cj = sj + 1;
        double d = r->damp[i][j];
        h[s] -= d * kw * z[cj];
        h[c] += d * kw * z[sj];
        J[s * (m + 1) + cj] -= d * kw;
        J[c * (m + 1) + sj] += d * kw;
        J[s * (m + 1) + m] -= d * k * z[cj];
        J[c * (m + 1) + m] += d * k * z[sj];
      }
    }
  }
}

// Newton at fixed omega (dof < 0), or with |first harmonic of dof| = size and omega unknown; gives
// the derivative of omega by size. Returns the last correction.
static inline double ref_newton(const reference *r, int dof, double size, double *z, double *w,
                                double *slope) {
  static double J[REF_MAX * (REF_MAX + 1)], A[REF_MAX * REF_MAX], h[REF_MAX], x[REF_MAX];
  int m = ref_size(r), n = m + (dof >= 0), L = 2 * r->H + 1, s = dof * L + 1;
  assert_true(n <= REF_MAX);
  double last = 1;
  for (int it = 0; it < 30 && last > 1e-13; it++) {
    for (int pass = 0; pass < 2; pass++) {
      ref_balance(r, z, *w, h, J);
      memset(A, 0, sizeof A);
      for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) A[i * n + j] = J[i * (m + 1) + j];
      double a = dof >= 0 ? hypot(z[s], z[s + 1]) : 1;
      if (dof >= 0) {
        A[m * n + s] = z[s] / a;
        A[m * n + s + 1] = z[s + 1] / a;
      }
      for (int i = 0; i < m; i++) x[i] = pass ? 0 : -h[i];
      if (dof >= 0) x[m] = pass ? 1 : size - a;
      ref_solve(n, A, x);
      if (pass) continue;
      last = 0;
      for (int i = 0; i < m; i++) {
        z[i] += x[i];
        last = fmax(last, fabs(x[i]));
      }
      if (dof >= 0) *w += x[m];
    }
    if (slope && dof >= 0) *slope = x[m];
  }
  return last;
}

// the fold near a motion: omega stationary in the size of the first harmonic of a dof
static inline double ref_fold(const reference *r, int dof, double *z, double w) {
  int L = 2 * r->H + 1;
  double a1 = hypot(z[dof * L + 1], z[dof * L + 2]), a0 = a1 * (1 + 1e-6), s0, s1;
  check_less(ref_newton(r, dof, a0, z, &w, &s0), 1e-10);
  for (int it = 0; it < 40; it++) {
    check_less(ref_newton(r, dof, a1, z, &w, &s1), 1e-10);
    if (fabs(s1) < 1e-11 || s1 == s0) break;
    double a2 = a1 - s1 * (a1 - a0) / (s1 - s0);
    a0 = a1;
    s0 = s1;
    a1 = a2;
  }
  return w;
}

// place or speed of an unknown's series at a phase
static inline double ref_series(int H, const double *z, double phase, int rate) {
  double x = rate ? 0 : z[0];
  for (int k = 1; k <= H; k++) {
    double s = sin(k * phase), c = cos(k * phase);
    x += rate ? k * (z[2 * k - 1] * c - z[2 * k] * s) : z[2 * k - 1] * s + z[2 * k] * c;
  }
  return x;
}

// path length of an unknown: the way between its turning points, whose phases go to rot[64]; dz
// (may be NULL): derivative along it instead, as the phases do not count to first order
static inline double ref_path(const reference *r, int dof, const double *z, const double *dz) {
  int L = 2 * r->H + 1, n = 0;
  double rot[64], sum = 0, h = 2 * PL_PI / 1024;
  z += dof * L;
  for (int s = 0; s < 1024 && n < 63; s++) {
    double lo = s * h, hi = lo + h, v = ref_series(r->H, z, lo, 1);
    if ((v > 0) == (ref_series(r->H, z, hi, 1) > 0)) continue;
    for (int it = 0; it < 60; it++) {
      double mid = (lo + hi) / 2;
      if ((ref_series(r->H, z, mid, 1) > 0) == (v > 0))
        lo = mid;
      else
        hi = mid;
    }
    rot[n++] = lo;
  }
  rot[n] = rot[0];
  for (int i = 0; i < n; i++) {
    double d = ref_series(r->H, z, rot[i + 1], 0) - ref_series(r->H, z, rot[i], 0);
    const double *e = dz ? dz + dof * L : z;
    double x = ref_series(r->H, e, rot[i + 1], 0) - ref_series(r->H, e, rot[i], 0);
    sum += d > 0 ? x : -x;
  }
  return sum;
}

// dA/domega at a solution
static inline double ref_path_slope(const reference *r, int dof, const double *z, double w) {
  static double J[REF_MAX * (REF_MAX + 1)], A[REF_MAX * REF_MAX], h[REF_MAX];
  int m = ref_size(r);
  double x[REF_MAX] = {0};
  ref_balance(r, z, w, h, J);
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < m; j++) A[i * m + j] = J[i * (m + 1) + j];
    x[i] = -J[i * (m + 1) + m];
  }
  ref_solve(m, A, x);
  return ref_path(r, dof, z, x);
}

// the frequency near w at which the path length is stationary; z and *path follow
static inline double ref_peak(const reference *r, int dof, double *z, double w, double *path) {
  double w0 = w * (1 - 1e-7), w1 = w;
  check_less(ref_newton(r, -1, 0, z, &w0, NULL), 1e-10);
  double s0 = ref_path_slope(r, dof, z, w0);
  for (int it = 0; it < 20; it++) {
    check_less(ref_newton(r, -1, 0, z, &w1, NULL), 1e-10);
    double s1 = ref_path_slope(r, dof, z, w1);
    if (s1 == s0 || fabs(w1 - w0) < 1e-13 * w) break;
    double w2 = w1 - s1 * (w1 - w0) / (s1 - s0);
    w0 = w1;
    s0 = s1;
    w1 = w2;
  }
  *path = ref_path(r, dof, z, NULL);
  return w1;
}

// the same system as a model: one-component nodes, all at zero
static inline void ref_model(const reference *r, pl_env *env, model_kit *kit, kit_model *b) {
  static double X[REF_DOF], par[16][4];
  static int stencil[16][2], mass_at[REF_DOF], loaded[REF_DOF];
  kit_init(kit, env, 1);
  kit->d.nnode = r->n;
  kit->d.X = X;
  for (int s = 0; s < r->nspring; s++) {
    stencil[s][0] = r->a[s];
    stencil[s][1] = r->b[s];
    par[s][0] = r->k[s];
    par[s][1] = r->k2[s];
    par[s][2] = r->k3[s];
    // dashpots sit in the springs: the damping matrix must be made of them
    par[s][3] = r->a[s] >= 0 ? -r->damp[r->a[s]][r->b[s]] : r->damp[r->b[s]][r->b[s]];
    for (int t = 0; r->a[s] < 0 && t < r->n; t++)
      if (t != r->b[s]) par[s][3] += r->damp[r->b[s]][t];
  }
  for (int i = 0; i < r->n; i++) mass_at[i] = i;
  kit_group(kit, "springs", "spring1", r->nspring, stencil[0], 0, par[0]);
  kit_group(kit, "masses", "mass1", r->n, mass_at, 0, r->mass);
  for (int i = 0; i < r->n; i++) {
    loaded[i] = i;
    if (r->load[i] != 0)
      kit->load[kit->d.nload++] = (pl_load_desc){
          .nnode = 1, .node = &loaded[i], .term = {.harmonic = 1, .amplitude = {r->load[i]}}};
  }
  kit_build(kit, 1, b);
}

static inline void ref_spring(reference *r, int a, int b, double k, double k2, double k3,
                              double c) {
  int s = r->nspring++;
  r->a[s] = a;
  r->b[s] = b;
  r->k[s] = k;
  r->k2[s] = k2;
  r->k3[s] = k3;
  r->damp[b][b] += c;
  if (a < 0) return;
  r->damp[a][a] += c;
  r->damp[a][b] -= c;
  r->damp[b][a] -= c;
}

static inline void ref_oscillator(reference *r, double k, double k2, double k3, double c, double F,
                                  int H) {
  *r = (reference){.n = 1, .H = H, .mass = {1}, .load = {F}};
  ref_spring(r, -1, 0, k, k2, k3, c);
}

static inline pl_response_opts ref_opts(double from, double to, int H) {
  pl_response_opts o;
  pl_opts_default(pl_response_option_table, pl_response_option_count, &o);
  o.from = from;
  o.to = to;
  o.harmonics = H;
  return o;
}

// specials of a kind, in order along the curve
static inline int count_special(const pl_curve *c, pl_special_kind kind, const pl_special **out,
                                int most) {
  int n = 0;
  for (int i = 0; i < c->nspecial; i++) {
    if (c->special[i].kind != kind) continue;
    if (n < most) out[n] = &c->special[i];
    n++;
  }
  return n;
}

#endif
