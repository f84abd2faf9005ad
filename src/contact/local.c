// One contact with Coulomb's law: take-off, stick, or the root of a secular equation for slip.
#include "contact_impl.h"

enum { ROOT_STEPS = 200 }; // Newton needs under ten; bisection down to the last bit fits as well

// slip in the eigenvectors of S = W_TT - W_TN W_NT/W_NN, with p_N eliminated
typedef struct slip {
  double lambda[2], b[2], w[2]; // eigenvalues, right-hand side, W_NT
  double cn, wnn, mu;
  double a[2], pn; // p_T and p_N at the last s
} slip;

// psi(s) = mu p_N/|p_T| - 1 with p_T = -(S + s)^-1 b: nearly linear, < 0 at 0 unless sticking
static double secular(slip *l, double s, double *slope) {
  double aa = 0, wa = 0, da = 0, wd = 0;
  for (int i = 0; i < 2; i++) {
    double den = l->lambda[i] + s;
    l->a[i] = l->b[i] != 0 ? -l->b[i] / den : 0;
    double d = l->b[i] != 0 ? -l->a[i] / den : 0;
    aa += l->a[i] * l->a[i];
    wa += l->w[i] * l->a[i];
    da += l->a[i] * d;
    wd += l->w[i] * d;
  }
  double size = sqrt(aa);
  l->pn = -(l->cn + wa) / l->wnn;
  *slope = l->mu * (-wd / l->wnn - l->pn * da / aa) / size;
  return l->mu * l->pn / size - 1;
}

// root of psi between 0 and a bound where it is positive
static void find_root(slip *l) {
  double b = hypot(l->b[0], l->b[1]), w = hypot(l->w[0], l->w[1]), slope;
  // |p_T| <= |b|/s gives p_N >= (-c_N - |W_NT||b|/s)/W_NN
  double lo = 0, hi = 2 * b * (l->wnn + l->mu * w) / (l->mu * -l->cn), s = hi;
  for (int k = 0; k < ROOT_STEPS; k++) {
    double psi = secular(l, s, &slope);
    if (psi == 0) return;
    if (psi < 0)
      lo = s;
    else
      hi = s;
    double next = s - psi / slope;
    if (!(next > lo && next < hi)) next = lo + (hi - lo) / 2;
    if (fabs(next - s) <= DBL_EPSILON * s || next == lo || next == hi) break;
    s = next;
  }
}

// eigenvalues and the first eigenvector of a symmetric 2x2
static void eig2(double a, double b, double d, double lambda[2], double e[2]) {
  double half = 0.5 * (a - d), r = hypot(half, b), mean = 0.5 * (a + d);
  lambda[0] = mean + r;
  // the product of both is the determinant; S is semidefinite but for rounding
  lambda[1] = lambda[0] > 0 ? fmax(0, (a * d - b * b) / lambda[0]) : 0;
  lambda[0] = fmax(0, lambda[0]);
  e[0] = 1;
  e[1] = 0;
  if (!(r > 0)) return;
  double x = half >= 0 ? half + r : b, y = half >= 0 ? b : r - half, n = hypot(x, y);
  e[0] = x / n;
  e[1] = y / n;
}

pl_contact_status pl_friction_one(const double W[9], const double c[3], double mu, double p[3]) {
  p[0] = p[1] = p[2] = 0;
  if (c[0] >= 0 || !(W[0] > 0)) return PL_OPEN;
  slip l = {.cn = c[0], .wnn = W[0], .mu = mu};
  double e[2], t[2];
  eig2(W[4] - W[1] * W[1] / W[0], W[5] - W[1] * W[2] / W[0], W[8] - W[2] * W[2] / W[0], l.lambda,
       e);
  for (int i = 0; i < 2; i++) t[i] = c[1 + i] - W[1 + i] * c[0] / W[0];
  l.b[0] = e[0] * t[0] + e[1] * t[1];
  l.b[1] = e[0] * t[1] - e[1] * t[0];
  l.w[0] = e[0] * W[1] + e[1] * W[2];
  l.w[1] = e[0] * W[2] - e[1] * W[1];

  // stick: p = -W^-1 c inside the cone
  pl_contact_status status = PL_STICK;
  for (int i = 0; i < 2; i++) l.a[i] = l.b[i] != 0 ? -l.b[i] / l.lambda[i] : 0;
  l.pn = -(l.cn + l.w[0] * l.a[0] + l.w[1] * l.a[1]) / l.wnn;
  if (!(hypot(l.a[0], l.a[1]) <= mu * l.pn)) {
    status = PL_SLIP;
    if (mu > 0)
      find_root(&l);
    else
      l.a[0] = l.a[1] = 0, l.pn = -c[0] / W[0];
  }
  p[0] = l.pn;
  p[1] = e[0] * l.a[0] - e[1] * l.a[1];
  p[2] = e[1] * l.a[0] + e[0] * l.a[1];
  // to the last bit inside the cone
  double size = hypot(p[1], p[2]), most = mu * p[0];
  if (size > most && size > 0) {
    p[1] *= most / size;
    p[2] *= most / size;
  }
  return status;
}

void cone_project(int size, double mu, double *z) {
  double t = size > 2 ? hypot(z[1], z[2]) : size > 1 ? fabs(z[1]) : 0;
  if (z[0] >= 0 && t <= mu * z[0]) return;
  // inside the polar cone the tip is the closest point, elsewhere the mantle
  double a = (z[0] + mu * t) / (1 + mu * mu), k = t > 0 ? mu * a / t : 0;
  if (!(a > 0)) a = k = 0;
  z[0] = a;
  for (int i = 1; i < size; i++) z[i] *= k;
}
