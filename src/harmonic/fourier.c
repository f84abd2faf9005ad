#include "harmonic_impl.h"

pl_status fourier_create(pl_env *env, int H, int N, fourier *f) {
  int L = 2 * H + 1, P = 4 * H + 1;
  *f = (fourier){.H = H, .N = N, .L = L};
  f->to_time = pl_alloc(env, (size_t)N * (size_t)L, sizeof(double));
  f->rate = pl_alloc(env, (size_t)N * (size_t)L, sizeof(double));
  f->to_freq = pl_alloc(env, (size_t)N * (size_t)L, sizeof(double));
  f->product = pl_alloc(env, (size_t)N * (size_t)P, sizeof(double));
  if (!f->to_time || !f->rate || !f->to_freq || !f->product) return PL_E_NOMEM;
  for (int i = 0; i < N; i++)
    for (int k = 0; k <= 2 * H; k++) {
      // the angle is reduced exactly, so that the tables are orthogonal to rounding
      double a = 2 * PL_PI * (double)((long)k * i % N) / N, s = sin(a), c = cos(a);
      double w = (k == 0 ? 1.0 : 2.0) / N;
      if (k <= H) {
        if (k > 0) {
          f->to_time[i * L + 2 * k - 1] = s;
          f->rate[i * L + 2 * k - 1] = k * c;
          f->rate[i * L + 2 * k] = -k * s;
          f->to_freq[(2 * k - 1) * N + i] = w * s;
        }
        f->to_time[i * L + 2 * k] = c;
        f->to_freq[2 * k * N + i] = w * c;
      }
      if (k > 0) f->product[(2 * k - 1) * N + i] = w * s;
      f->product[2 * k * N + i] = w * c;
    }
  return PL_OK;
}

void fourier_free(pl_env *env, fourier *f) {
  pl_free(env, f->to_time);
  pl_free(env, f->rate);
  pl_free(env, f->to_freq);
  pl_free(env, f->product);
  *f = (fourier){0};
}

// k(t) = C0 + sum_m S_m sin(m phase) + C_m cos(m phase), m up to 2H. Row k, column l of the
// projected product:
//   cos cos: (C_k+l + C_k-l)/2   cos sin: (S_k+l - S_k-l)/2   sin cos: (S_k+l + S_k-l)/2   sin sin:
//   (C_k-l - C_k+l)/2
// with C_0 counted twice and the mean row halved
void fourier_block(const fourier *f, const double *coef, double *out) {
  int H = f->H, L = f->L;
  for (int k = 0; k <= H; k++) {
    double w = k == 0 ? 0.25 : 0.5;
    for (int l = 0; l <= H; l++) {
      int d = k > l ? k - l : l - k, s = k + l;
      double c1 = s == 0 ? 2 * coef[0] : coef[2 * s], c2 = d == 0 ? 2 * coef[0] : coef[2 * d];
      double s1 = s == 0 ? 0 : coef[2 * s - 1], s2 = d == 0 ? 0 : coef[2 * d - 1];
      if (k < l) s2 = -s2;
      out[2 * k * L + 2 * l] = w * (c1 + c2);
      if (l > 0) out[2 * k * L + 2 * l - 1] = w * (s1 - s2);
      if (k > 0) out[(2 * k - 1) * L + 2 * l] = w * (s1 + s2);
      if (k > 0 && l > 0) out[(2 * k - 1) * L + 2 * l - 1] = w * (c2 - c1);
    }
  }
}
