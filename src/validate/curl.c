// A naturally circular rod hanging from a clamp, lengths in radii: theta'' = G sin theta with
// G = g (phi - s), theta(0) = 0, theta'(phi) = 1, theta from the vertical (Romero et al. 2021,
// eq. 6 with gravity downwards). Rotations (a, b) about tangent and normal leave the plane and cost
//   1/2 int C (a' - K b)^2 + (b' + K a)^2 + (K - 1)(a' b - a b' - K (a^2 + b^2))
//           + G (b^2 cos theta + a b sin theta),   K = theta', C = 1/(1 + nu), a(0) = b(0) = 0.
// K never changes sign, since (K^2/2 + G cos theta - G) grows towards the tip; so shapes are shot
// from the clamp, where K(0) in (0, 1] is the one unknown and growth goes with the integration.
#include "validate_impl.h"

enum { THETA, CURVATURE, FRAME, NY = FRAME + 8 }; // two columns of (a, b, p_a, p_b)

static const double TOL = 1e-13;

typedef struct curl_ctx {
  const curl *c;
  double C, shift;
} curl_ctx;

static void planar(const void *ctx, double s, const double *y, double *dy) {
  const curl *c = ctx;
  dy[THETA] = y[CURVATURE];
  dy[CURVATURE] = c->g * (c->phi - s) * sin(y[THETA]);
}

// curvature at the tip, less the natural one, for a curvature exp(x) at the clamp
static pl_status tip_excess(void *ctx, double x, double *f) {
  curl *c = ctx;
  double y[2] = {0, exp(x)}, s = 0, rate = sqrt(1 + c->g * c->phi);
  ode o = {.n = 2, .lead = 2, .f = planar, .ctx = c, .tol = TOL, .h = 0.5 / rate, .hmax = 2 / rate};
  PL_TRY(ode_run(&o, c->phi, &s, y));
  c->tip = y[THETA];
  c->log_k = x;
  *f = y[CURVATURE] - 1;
  return PL_OK;
}

// bounds of the logarithm of the clamp's curvature: K grows towards the tip, at most by the
// exponential of int sqrt(G), times a little
static pl_status bracket(curl *c, double guess, double x[2], double f[2]) {
  x[1] = 0;
  x[0] = -2 * sqrt(c->g * c->phi) * c->phi / 3 - 3;
  if (isfinite(guess)) {
    x[1] = fmin(0, guess + 0.05);
    x[0] = guess - 0.05;
  }
  PL_TRY(tip_excess(c, x[1], &f[1]));
  if (f[1] < 0 && x[1] < 0) {
    x[1] = 0;
    PL_TRY(tip_excess(c, 0, &f[1]));
  }
  PL_TRY(tip_excess(c, x[0], &f[0]));
  for (int i = 0; f[0] >= 0 && i < 200; i++) {
    x[1] = x[0];
    f[1] = f[0];
    x[0] -= isfinite(guess) ? 0.2 + 0.5 * i : 5;
    PL_TRY(tip_excess(c, x[0], &f[0]));
  }
  return PL_OK;
}

pl_status curl_solve(pl_env *env, double guess, curl *c) {
  double x[2], f[2], root;
  // without weight the rod keeps its circle
  if (c->g == 0) {
    c->log_k = 0;
    c->tip = c->phi;
    return PL_OK;
  }
  pl_status s = bracket(c, guess, x, f);
  if (s == PL_OK && f[1] <= 0) {
    root = x[1]; // a circle to rounding
  } else if (s == PL_OK) {
    s = root_between(tip_excess, c, x[0], f[0], x[1], f[1], 1e-14, &root);
  }
  if (s == PL_OK) s = tip_excess(c, root, f);
  if (s == PL_OK) return PL_OK;
  return pl_fail(env, PL_E_INTERNAL, "bend-twist: no planar shape at %g turns, X = %g",
                 c->phi / (2 * PL_PI), cbrt(c->g));
}

static void linear(const void *ctx, double s, const double *y, double *dy) {
  const curl_ctx *x = ctx;
  double K = y[CURVATURE], M = K - 1, G = x->c->g * (x->c->phi - s), C = x->C;
  double gs = 0.5 * G * sin(y[THETA]), gc = G * cos(y[THETA]);
  dy[THETA] = K;
  dy[CURVATURE] = 2 * gs;
  for (int i = 0; i < 2; i++) {
    const double *z = y + FRAME + 4 * i;
    double *dz = dy + FRAME + 4 * i;
    // momenta p_a = C (a' - K b) + M b / 2, p_b = b' + K a - M a / 2
    double twist = (z[2] - 0.5 * M * z[1]) / C, bend = z[3] + 0.5 * M * z[0];
    dz[0] = twist + K * z[1];
    dz[1] = bend - K * z[0];
    dz[2] = K * bend - 0.5 * M * dz[1] - M * K * z[0] + gs * z[1] - x->shift * z[0];
    dz[3] =
        -C * K * twist + 0.5 * M * dz[0] - M * K * z[1] + gc * z[1] + gs * z[0] - x->shift * z[1];
  }
}

// argument of det(P + i kappa Y)
static double frame_angle(const double *z, const double *w, double kappa) {
  double re = z[2] * w[3] - z[3] * w[2] - kappa * kappa * (z[0] * w[1] - z[1] * w[0]);
  double im = kappa * (z[2] * w[1] + z[0] * w[3] - z[3] * w[0] - z[1] * w[2]);
  return atan2(im, re);
}

// columns made orthogonal and of unit size, their orientation kept
static void condition(double *z, double *w, double kappa) {
  double weight[4] = {kappa, kappa, 1, 1}, zz = 0, zw = 0, ww = 0;
  for (int i = 0; i < 4; i++) zz += weight[i] * z[i] * weight[i] * z[i];
  for (int i = 0; i < 4; i++) zw += weight[i] * z[i] * weight[i] * w[i];
  for (int i = 0; i < 4; i++) w[i] -= zw / zz * z[i];
  for (int i = 0; i < 4; i++) ww += weight[i] * w[i] * weight[i] * w[i];
  for (int i = 0; i < 4; i++) {
    z[i] /= sqrt(zz);
    w[i] /= sqrt(ww);
  }
}

// Angles phi_k with P = cos phi, kappa Y = sin phi start at 0 and pass multiples of pi upwards
// only, at conjugate points; at the free tip cot phi < 0 is one more negative direction: nneg
// counts the phi_k / pi rounded. total: their sum, followed without jumps.
static void count(const double *z, const double *w, double kappa, double total, curl *c) {
  double det = z[0] * w[1] - z[1] * w[0];
  if (det == 0) det = 1e-300;
  // S = P Y^-1, symmetric
  double S00 = (z[2] * w[1] - w[2] * z[1]) / det, S11 = (w[3] * z[0] - z[3] * w[0]) / det;
  double S01 = 0.5 * ((w[2] * z[0] - z[2] * w[0]) + (z[3] * w[1] - w[3] * z[1])) / det;
  double mean = 0.5 * (S00 + S11), radius = hypot(0.5 * (S00 - S11), S01);
  double lo = atan2(kappa, mean + radius), hi = atan2(kappa, mean - radius);
  int n = (int)lround((total - lo - hi) / PL_PI);
  // angles differ by less than pi: the one behind makes the next turn
  double a = n % 2 ? hi : lo, b = n % 2 ? lo + PL_PI : hi;
  a += n / 2 * PL_PI;
  b += n / 2 * PL_PI;
  c->nneg = (int)floor(a / PL_PI + 0.5) + (int)floor(b / PL_PI + 0.5);
  c->margin = 0.5 * PL_PI - fmax(a, b);
}

pl_status curl_stability(pl_env *env, double shift, curl *c) {
  double kappa = sqrt(1 + c->g * c->phi + fabs(shift)), s = 0, total = 0;
  double y[NY] = {0, exp(c->log_k), [FRAME + 2] = 1, [FRAME + 7] = 1};
  double *z = y + FRAME, *w = z + 4, angle = 0;
  curl_ctx ctx = {c, 1 / (1 + c->nu), shift};
  ode o = {.n = NY, .lead = 2, .f = linear, .ctx = &ctx, .tol = TOL};
  o.h = o.hmax = 0.4 / kappa;
  while (s < c->phi) {
    if (ode_step(&o, c->phi, &s, y) != PL_OK)
      return pl_fail(env, PL_E_INTERNAL, "bend-twist: integration failed at %g turns, X = %g",
                     c->phi / (2 * PL_PI), cbrt(c->g));
    double next = frame_angle(z, w, kappa);
    total += remainder(next - angle, 2 * PL_PI);
    angle = next;
    condition(z, w, kappa);
  }
  count(z, w, kappa, total, c);
  return PL_OK;
}
