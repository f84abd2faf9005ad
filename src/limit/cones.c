// Passes of the interior-point method over the cones of triangles; walls.c has those of barriers.
#include "pliant/limit.h"
#include "pliant/math.h"

#include <math.h>
#include <string.h>

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#pragma GCC optimize("O3", "fp-contract=fast", "no-math-errno")
#endif
// passes over triangles: one copy per instruction set, chosen when the program is loaded
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#define PASS                                                                                       \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"))) static void
#else
#define PASS static void
#endif
#define INLINE static inline __attribute__((always_inline))

#include "program.h"

enum { CHUNK = 64 }; // triangles that one thread takes at a time

#define ROUND_GRAD(p, i) ((p)->sheet->round + 6 * (i))
#define FLAT_GRAD(p, i)  ((p)->sheet->flat + 3 * (i))

// ---- one cone -----------------------------------------------------------------------------------

INLINE void round_value(const double F[6], double c[3]) {
  double a = pl_dot3(F, F), b = pl_dot3(F + 3, F + 3);
  c[0] = (2 - a - b) / 4;
  c[1] = (b - a) / 4;
  c[2] = -pl_dot3(F, F + 3) / 2;
}

// J dF
INLINE void round_slope(const double F[6], const double dF[6], double dc[3]) {
  double a = pl_dot3(F, dF), b = pl_dot3(F + 3, dF + 3);
  dc[0] = -(a + b) / 2;
  dc[1] = (b - a) / 2;
  dc[2] = -(pl_dot3(F + 3, dF) + pl_dot3(F, dF + 3)) / 2;
}

// T += J'q as a stress, two columns
INLINE void round_stress(const double F[6], const double q[3], double T[6]) {
  double a = (q[0] + q[1]) / 2, b = (q[0] - q[1]) / 2, c = q[2] / 2;
  for (int i = 0; i < 3; i++) {
    T[i] -= a * F[i] + c * F[3 + i];
    T[3 + i] -= b * F[3 + i] + c * F[i];
  }
}

// r[2][3] += T g at the second and third corner
INLINE void add_corners(const double *g, const double T[6], double *r) {
  for (int a = 0; a < 2; a++)
    for (int i = 0; i < 3; i++) r[3 * a + i] += g[2 * a + 2] * T[i] + g[2 * a + 3] * T[3 + i];
}

// K += G'(Lam x I + J'W^-2 J) G at the second and third corner
INLINE void round_matrix(const round_cone *c, const double *g, double *K) {
  double m[6], t[2][3][3], y[2][3][3];
  const double *u = c->F, *v = c->F + 3;
  cone_inverse_matrix(&c->k, m);
  for (int a = 0; a < 2; a++) {
    double g1 = g[2 * a + 2] / 2, g2 = g[2 * a + 3] / 2;
    for (int i = 0; i < 3; i++) {
      double t0 = u[i] * g1 + v[i] * g2, t1 = u[i] * g1 - v[i] * g2, t2 = v[i] * g1 + u[i] * g2;
      t[a][0][i] = t0, t[a][1][i] = t1, t[a][2][i] = t2;
      y[a][0][i] = m[0] * t0 + m[1] * t1 + m[2] * t2;
      y[a][1][i] = m[1] * t0 + m[3] * t1 + m[4] * t2;
      y[a][2][i] = m[2] * t0 + m[4] * t1 + m[5] * t2;
    }
  }
  double l1 = (c->z[0] + c->z[1]) / 2, l2 = (c->z[0] - c->z[1]) / 2, l3 = c->z[2] / 2;
  double d11 = l1 * g[2] * g[2] + l2 * g[3] * g[3] + 2 * l3 * g[2] * g[3];
  double d22 = l1 * g[4] * g[4] + l2 * g[5] * g[5] + 2 * l3 * g[4] * g[5];
  double d12 = l1 * g[2] * g[4] + l2 * g[3] * g[5] + l3 * (g[2] * g[5] + g[3] * g[4]);
  for (int i = 0, k = 0; i < 3; i++)
    for (int j = i; j < 3; j++, k++) {
      double e = i == j;
      K[k] += y[0][0][i] * t[0][0][j] + y[0][1][i] * t[0][1][j] + y[0][2][i] * t[0][2][j] + e * d11;
      K[15 + k] +=
          y[1][0][i] * t[1][0][j] + y[1][1][i] * t[1][1][j] + y[1][2][i] * t[1][2][j] + e * d22;
    }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      K[6 + 3 * i + j] += y[0][0][i] * t[1][0][j] + y[0][1][i] * t[1][1][j] +
                          y[0][2][i] * t[1][2][j] + (i == j) * d12;
}

// y = sum h x of a triangle
INLINE void flat_sum(const program *p, int t, const double *h, const double *x, double y[3]) {
  const int *v = p->sheet->tri + 3 * t;
  for (int c = 0; c < 3; c++)
    y[c] = h[0] * x[3 * v[0] + c] + h[1] * x[3 * v[1] + c] + h[2] * x[3 * v[2] + c];
}

INLINE void flat_matrix(const flat_cone *c, const double *h, double *K) {
  double m[6], f = c->z / c->s;
  for (int i = 0, k = 0; i < 3; i++)
    for (int j = i; j < 3; j++, k++) m[k] = f * c->y[i] * c->y[j] + (i == j) * c->z;
  static const int sym[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  for (int k = 0; k < 6; k++) {
    K[k] += h[1] * h[1] * m[k];
    K[15 + k] += h[2] * h[2] * m[k];
  }
  for (int k = 0; k < 9; k++) K[6 + k] += h[1] * h[2] * m[sym[k]];
}

// ---- passes -------------------------------------------------------------------------------------

static void part_add(partial *to, const partial *from) {
  to->gap += from->gap;
  to->turn += from->turn;
  to->lag += from->lag;
  to->most = fmax(to->most, from->most);
  to->rp = fmax(to->rp, from->rp);
  to->step = fmin(to->step, from->step);
  to->lost += from->lost;
}

typedef void (*pass_fn)(program *p, int i, partial *out); // of a triangle

typedef struct pass {
  program *p;
  pass_fn triangle, wall;
} pass;

static const partial EMPTY = {0, 0, 0, -INFINITY, 0, INFINITY, 0};

static void pass_chunk(void *ctx, int k, int thread) {
  const pass *a = ctx;
  program *p = a->p;
  (void)thread;
  partial out = EMPTY;
  int first = k * CHUNK, last = first + CHUNK < p->nt ? first + CHUNK : p->nt;
  for (int i = first; i < last; i++) a->triangle(p, i, &out);
  p->part[k] = out;
}

// sums in the order of the triangles, so that they do not depend on threads
static partial run(program *p, pass_fn triangle, pass_fn wall) {
  pass a = {p, triangle, wall};
  partial sum = EMPTY;
  int n = (p->nt + CHUNK - 1) / CHUNK;
  pl_threads_run(p->threads, n, pass_chunk, &a);
  for (int k = 0; k < n; k++) part_add(&sum, &p->part[k]);
  for (int i = 0; i < p->nwall; i++) wall(p, i, &sum);
  return sum;
}

// ---- start --------------------------------------------------------------------------------------

PASS worst_triangle(program *p, int i, partial *out) {
  for (int k = p->round_ptr[i]; k < p->round_ptr[i + 1]; k++) {
    double F[6], c[3];
    sheet_gradient(p->sheet, p->t[i], ROUND_GRAD(p, k), p->x, F);
    round_value(F, c);
    out->most = fmax(out->most, cone_norm(c) - c[0]);
  }
  for (int k = p->flat_ptr[i]; k < p->flat_ptr[i + 1]; k++) {
    double y[3];
    flat_sum(p, p->t[i], FLAT_GRAD(p, k), p->x, y);
    out->most = fmax(out->most, (pl_dot3(y, y) - 1) / 2);
  }
}

double program_worst(program *p, const double *x) {
  p->x = x;
  return run(p, worst_triangle, worst_wall).most;
}

void program_begin(program *p, const double *x, double margin, double level, int warm) {
  for (int i = 0; i < p->nt; i++) {
    for (int k = p->round_ptr[i]; k < p->round_ptr[i + 1]; k++) {
      round_cone *c = &p->round[k];
      double value[3];
      sheet_gradient(p->sheet, p->t[i], ROUND_GRAD(p, k), x, c->F);
      round_value(c->F, value);
      start_cone(value, margin, level, warm, c->s, c->z);
    }
    for (int k = p->flat_ptr[i]; k < p->flat_ptr[i + 1]; k++) {
      flat_cone *c = &p->flat[k];
      flat_sum(p, p->t[i], FLAT_GRAD(p, k), x, c->y);
      start_flat((1 - pl_dot3(c->y, c->y)) / 2, margin, level, warm, &c->s, &c->z);
    }
  }
  walls_begin(p, x, margin, level, warm);
}

// ---- residuals, scaling, predictor --------------------------------------------------------------

INLINE void scale_round(program *p, int i, int k, double *T, partial *out) {
  round_cone *c = &p->round[k];
  const double *g = ROUND_GRAD(p, k);
  double value[3], v[3], S[6] = {0};
  sheet_gradient(p->sheet, p->t[i], g, p->x, c->F);
  round_value(c->F, value);
  for (int a = 0; a < 3; a++) {
    c->rp[a] = c->s[a] - value[a];
    out->rp = fmax(out->rp, fabs(c->rp[a]));
  }
  out->gap += cone_dot(c->s, c->z);
  out->turn += fabs(c->s[0] * c->z[1] + c->z[0] * c->s[1]);
  out->turn += fabs(c->s[0] * c->z[2] + c->z[0] * c->s[2]);
  out->most = fmax(out->most, cone_norm(value) - value[0]);
  cone_scaling(c->s, c->z, &c->k);
  cone_scaled(&c->k, 1, c->z, c->lam);
  out->lost += !(cone_det(c->lam) > 0) || !isfinite(c->k.eta) || !isfinite(c->k.w[0]);
  round_matrix(c, g, p->K + 21 * i);
  cone_inverse_square(&c->k, c->rp, v);
  memset(T, 0, 6 * sizeof *T);
  round_stress(c->F, v, T);
  add_corners(g, T, p->r + 6 * i);
  // P = F Lam = -J'z
  double minus[3] = {-c->z[0], -c->z[1], -c->z[2]};
  round_stress(c->F, minus, S);
  add_corners(g, S, p->P + 6 * i);
}

INLINE void scale_flat(program *p, int i, int k, partial *out) {
  flat_cone *c = &p->flat[k];
  const double *h = FLAT_GRAD(p, k);
  flat_sum(p, p->t[i], h, p->x, c->y);
  double value = (1 - pl_dot3(c->y, c->y)) / 2;
  c->rp = c->s - value;
  out->rp = fmax(out->rp, fabs(c->rp));
  out->gap += c->s * c->z;
  out->most = fmax(out->most, -value);
  out->lost += !(c->s > 0 && c->z > 0);
  flat_matrix(c, h, p->K + 21 * i);
  double f = -c->z / c->s * c->rp;
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 3; b++) {
      p->r[6 * i + 3 * a + b] += h[a + 1] * f * c->y[b];
      p->P[6 * i + 3 * a + b] += h[a + 1] * c->z * c->y[b];
    }
}

PASS scale_triangle(program *p, int i, partial *out) {
  double T[6];
  memset(p->K + 21 * i, 0, 21 * sizeof *p->K);
  memset(p->r + 6 * i, 0, 6 * sizeof *p->r);
  memset(p->P + 6 * i, 0, 6 * sizeof *p->P);
  for (int k = p->round_ptr[i]; k < p->round_ptr[i + 1]; k++) scale_round(p, i, k, T, out);
  for (int k = p->flat_ptr[i]; k < p->flat_ptr[i + 1]; k++) scale_flat(p, i, k, out);
}

partial program_scale(program *p, const double *x) {
  p->x = x;
  return run(p, scale_triangle, scale_wall);
}

PASS predict_triangle(program *p, int i, partial *out) {
  for (int k = p->round_ptr[i]; k < p->round_ptr[i + 1]; k++) {
    round_cone *c = &p->round[k];
    double dc[3], v[3];
    sheet_gradient(p->sheet, p->t[i], ROUND_GRAD(p, k), p->dx, c->dF);
    round_slope(c->F, c->dF, dc);
    for (int a = 0; a < 3; a++) {
      c->sa[a] = dc[a] - c->rp[a];
      v[a] = -c->sa[a];
    }
    cone_inverse_square(&c->k, v, c->za);
    for (int a = 0; a < 3; a++) c->za[a] -= c->z[a];
    out->step = fmin(out->step, fmin(cone_step(c->s, c->sa), cone_step(c->z, c->za)));
    double bend = (pl_dot3(c->dF, c->dF) + pl_dot3(c->dF + 3, c->dF + 3)) / 4;
    out->rp = fmax(out->rp, bend / c->s[0]);
  }
  for (int k = p->flat_ptr[i]; k < p->flat_ptr[i + 1]; k++) {
    flat_cone *c = &p->flat[k];
    flat_sum(p, p->t[i], FLAT_GRAD(p, k), p->dx, c->dy);
    c->sa = -pl_dot3(c->y, c->dy) - c->rp;
    c->za = -c->z - c->z / c->s * c->sa;
    out->step = fmin(out->step, fmin(flat_step(c->s, c->sa), flat_step(c->z, c->za)));
    out->rp = fmax(out->rp, pl_dot3(c->dy, c->dy) / (2 * c->s));
  }
}

partial program_predict(program *p, const double *dx) {
  p->dx = dx;
  return run(p, predict_triangle, predict_wall);
}

PASS after_triangle(program *p, int i, partial *out) {
  for (int k = p->round_ptr[i]; k < p->round_ptr[i + 1]; k++) {
    const round_cone *c = &p->round[k];
    out->gap += dot_after(3, p->step_length, c->s, c->sa, c->z, c->za);
  }
  for (int k = p->flat_ptr[i]; k < p->flat_ptr[i + 1]; k++) {
    const flat_cone *c = &p->flat[k];
    out->gap += dot_after(1, p->step_length, &c->s, &c->sa, &c->z, &c->za);
  }
}

double program_gap_after(program *p, double a) {
  p->step_length = a;
  return run(p, after_triangle, after_wall).gap;
}

// ---- corrector ----------------------------------------------------------------------------------

INLINE void correct_round(program *p, int i, int k) {
  round_cone *c = &p->round[k];
  double a[3], b[3], t[3], u[3], T[6] = {0}, f = p->second;
  cone_scaled(&c->k, -1, c->sa, a);
  cone_scaled(&c->k, 1, c->za, b);
  cone_product(a, b, t);
  t[0] = p->sigma_mu - f * t[0], t[1] *= -f, t[2] *= -f;
  cone_divide(c->lam, t, u);
  cone_scaled(&c->k, -1, u, t);
  // curvature of the constraint: c(F + dF) = c + J dF + c2(dF)
  const double *D = c->dF;
  double d11 = pl_dot3(D, D), d22 = pl_dot3(D + 3, D + 3), d12 = pl_dot3(D, D + 3);
  c->rc[0] = c->rp[0] + f * (d11 + d22) / 4;
  c->rc[1] = c->rp[1] + f * (d11 - d22) / 4;
  c->rc[2] = c->rp[2] + f * d12 / 2;
  cone_inverse_square(&c->k, c->rc, u);
  for (int e = 0; e < 3; e++) t[e] += u[e];
  round_stress(c->F, t, T);
  // and of the stress: dF dLam
  double z[3] = {f * c->za[0], f * c->za[1], f * c->za[2]};
  round_stress(D, z, T);
  add_corners(ROUND_GRAD(p, k), T, p->r + 6 * i);
  for (int e = 0; e < 3; e++) c->q[e] = t[e] - c->z[e];
}

PASS correct_triangle(program *p, int i, partial *out) {
  double f = p->second;
  (void)out;
  memset(p->r + 6 * i, 0, 6 * sizeof *p->r);
  for (int k = p->round_ptr[i]; k < p->round_ptr[i + 1]; k++) correct_round(p, i, k);
  for (int k = p->flat_ptr[i]; k < p->flat_ptr[i + 1]; k++) {
    flat_cone *c = &p->flat[k];
    const double *h = FLAT_GRAD(p, k);
    c->rc = c->rp + f * pl_dot3(c->dy, c->dy) / 2;
    double q = (p->sigma_mu - f * c->sa * c->za) / c->s + c->z / c->s * c->rc;
    c->q = q - c->z;
    for (int a = 0; a < 2; a++)
      for (int b = 0; b < 3; b++)
        p->r[6 * i + 3 * a + b] -= h[a + 1] * (q * c->y[b] + f * c->za * c->dy[b]);
  }
}

void program_correct(program *p, double sigma_mu) {
  p->sigma_mu = sigma_mu;
  run(p, correct_triangle, correct_wall);
}

// J dx of a cone, and W^-2 J dx
INLINE void round_answer(const program *p, int i, int k, double dc[3], double v[3]) {
  const round_cone *c = &p->round[k];
  double dF[6];
  sheet_gradient(p->sheet, p->t[i], ROUND_GRAD(p, k), p->dx, dF);
  round_slope(c->F, dF, dc);
  cone_inverse_square(&c->k, dc, v);
}

INLINE double flat_answer(const program *p, int i, int k) {
  double dy[3];
  flat_sum(p, p->t[i], FLAT_GRAD(p, k), p->dx, dy);
  return -pl_dot3(p->flat[k].y, dy);
}

PASS step_triangle(program *p, int i, partial *out) {
  for (int k = p->round_ptr[i]; k < p->round_ptr[i + 1]; k++) {
    round_cone *c = &p->round[k];
    double dc[3], v[3];
    round_answer(p, i, k, dc, v);
    for (int a = 0; a < 3; a++) {
      c->ds[a] = dc[a] - c->rc[a];
      c->dz[a] = c->q[a] - v[a];
    }
    out->step = fmin(out->step, fmin(cone_step(c->s, c->ds), cone_step(c->z, c->dz)));
  }
  for (int k = p->flat_ptr[i]; k < p->flat_ptr[i + 1]; k++) {
    flat_cone *c = &p->flat[k];
    double dc = flat_answer(p, i, k);
    c->ds = dc - c->rc;
    c->dz = c->q - c->z / c->s * dc;
    out->step = fmin(out->step, fmin(flat_step(c->s, c->ds), flat_step(c->z, c->dz)));
  }
}

partial program_step(program *p, const double *dx) {
  p->dx = dx;
  return run(p, step_triangle, step_wall);
}

// ---- Gondzio's correction -----------------------------------------------------------------------

PASS gondzio_triangle(program *p, int i, partial *out) {
  (void)out;
  memset(p->r + 6 * i, 0, 6 * sizeof *p->r);
  for (int k = p->round_ptr[i]; k < p->round_ptr[i + 1]; k++) {
    round_cone *c = &p->round[k];
    double v[3], t[3], T[6] = {0};
    trial_product(&c->k, p->step_length, c->s, c->ds, c->z, c->dz, v);
    back_inside(p->sigma_mu, v, t);
    cone_divide(c->lam, t, v);
    cone_scaled(&c->k, -1, v, c->q);
    round_stress(c->F, c->q, T);
    add_corners(ROUND_GRAD(p, k), T, p->r + 6 * i);
  }
  for (int k = p->flat_ptr[i]; k < p->flat_ptr[i + 1]; k++) {
    flat_cone *c = &p->flat[k];
    const double *h = FLAT_GRAD(p, k);
    c->q = back_inside_1(p->sigma_mu,
                         (c->s + p->step_length * c->ds) * (c->z + p->step_length * c->dz)) /
           c->s;
    for (int a = 0; a < 2; a++)
      for (int b = 0; b < 3; b++) p->r[6 * i + 3 * a + b] -= h[a + 1] * c->q * c->y[b];
  }
}

void program_gondzio(program *p, double sigma_mu, double step_length) {
  p->sigma_mu = sigma_mu;
  p->step_length = step_length;
  run(p, gondzio_triangle, gondzio_wall);
}

PASS try_triangle(program *p, int i, partial *out) {
  for (int k = p->round_ptr[i]; k < p->round_ptr[i + 1]; k++) {
    round_cone *c = &p->round[k];
    double dc[3], v[3];
    round_answer(p, i, k, dc, v);
    for (int a = 0; a < 3; a++) {
      c->sa[a] = c->ds[a] + dc[a];
      c->za[a] = c->dz[a] + c->q[a] - v[a];
    }
    out->step = fmin(out->step, fmin(cone_step(c->s, c->sa), cone_step(c->z, c->za)));
  }
  for (int k = p->flat_ptr[i]; k < p->flat_ptr[i + 1]; k++) {
    flat_cone *c = &p->flat[k];
    double dc = flat_answer(p, i, k);
    c->sa = c->ds + dc;
    c->za = c->dz + c->q - c->z / c->s * dc;
    out->step = fmin(out->step, fmin(flat_step(c->s, c->sa), flat_step(c->z, c->za)));
  }
}

partial program_try(program *p, const double *ddx) {
  p->dx = ddx;
  return run(p, try_triangle, try_wall);
}

// ---- move ---------------------------------------------------------------------------------------

PASS move_triangle(program *p, int i, partial *out) {
  int corrected = p->corrected;
  (void)out;
  for (int k = p->round_ptr[i]; k < p->round_ptr[i + 1]; k++) {
    round_cone *c = &p->round[k];
    move_cone(p->step_length, corrected ? c->sa : c->ds, corrected ? c->za : c->dz, c->s, c->z);
  }
  for (int k = p->flat_ptr[i]; k < p->flat_ptr[i + 1]; k++) {
    flat_cone *c = &p->flat[k];
    c->s += p->step_length * (corrected ? c->sa : c->ds);
    c->z += p->step_length * (corrected ? c->za : c->dz);
  }
}

void program_move(program *p, double a, int corrected) {
  p->step_length = a;
  p->corrected = corrected;
  run(p, move_triangle, move_wall);
}
