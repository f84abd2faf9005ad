// Passes of the interior-point method over the cones of triangles, LANES triangles at a time;
// walls.c has those of barriers.
#include "pliant/limit.h"
#include "pliant/math.h"

#include <math.h>
#include <string.h>

// vectors are passed between functions that are inlined alone
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#pragma GCC optimize("O3", "fp-contract=fast")
#endif
// passes over groups of triangles: one copy per instruction set, chosen when the program is loaded
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#define PASS                                                                                       \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"))) static void
#else
#define PASS static void
#endif
#define INLINE static inline __attribute__((always_inline))

#define CONE_LANES
#include "program.h"

enum { CHUNK = 8 }; // groups that one thread takes at a time

#define EACH_ROUND(p, i) for (int k = (p)->round_of[i]; k < (p)->round_of[(i) + 1]; k++)
#define EACH_FLAT(p, i)  for (int k = (p)->flat_of[i]; k < (p)->flat_of[(i) + 1]; k++)

// ---- one cone -----------------------------------------------------------------------------------

INLINE num dot3(const num *a, const num *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// x of the corners, [3][3]
INLINE void load_corners(const program *p, int i, const double *x, num X[9]) {
  const int *v = p->corners + 3 * LANES * i;
  double to[9][LANES];
  for (int a = 0; a < 3; a++)
    for (int l = 0; l < LANES; l++)
      for (int c = 0; c < 3; c++) to[3 * a + c][l] = x[3 * v[LANES * a + l] + c];
  memcpy(X, to, sizeof to);
}

// F[2][3]: columns of the deformation gradient
INLINE void gradient(const num g[6], const num X[9], num F[6]) {
  for (int c = 0; c < 3; c++) {
    F[c] = X[c] * g[0] + X[3 + c] * g[2] + X[6 + c] * g[4];
    F[3 + c] = X[c] * g[1] + X[3 + c] * g[3] + X[6 + c] * g[5];
  }
}

INLINE void round_value(const num F[6], num c[3]) {
  num a = dot3(F, F), b = dot3(F + 3, F + 3);
  c[0] = (2 - a - b) / 4;
  c[1] = (b - a) / 4;
  c[2] = -dot3(F, F + 3) / 2;
}

// J dF
INLINE void round_slope(const num F[6], const num dF[6], num dc[3]) {
  num a = dot3(F, dF), b = dot3(F + 3, dF + 3);
  dc[0] = -(a + b) / 2;
  dc[1] = (b - a) / 2;
  dc[2] = -(dot3(F + 3, dF) + dot3(F, dF + 3)) / 2;
}

// T += J'q as a stress, two columns
INLINE void round_stress(const num F[6], const num q[3], num T[6]) {
  num a = (q[0] + q[1]) / 2, b = (q[0] - q[1]) / 2, c = q[2] / 2;
  for (int i = 0; i < 3; i++) {
    T[i] -= a * F[i] + c * F[3 + i];
    T[3 + i] -= b * F[3 + i] + c * F[i];
  }
}

// r[2][3] += T g at the second and third corner
INLINE void add_corners(const num *g, const num T[6], num r[6]) {
  for (int a = 0; a < 2; a++)
    for (int i = 0; i < 3; i++) r[3 * a + i] += g[2 * a + 2] * T[i] + g[2 * a + 3] * T[3 + i];
}

// K += G'(Lam x I + J'W^-2 J) G at the second and third corner
INLINE void round_matrix(const round_cone *c, num K[21]) {
  num m[6], t[2][3][3], y[2][3][3];
  const num *u = c->F, *v = c->F + 3, *g = c->g;
  cone_inverse_matrix(c->k, m);
  for (int a = 0; a < 2; a++) {
    num g1 = g[2 * a + 2] / 2, g2 = g[2 * a + 3] / 2;
    for (int i = 0; i < 3; i++) {
      num t0 = u[i] * g1 + v[i] * g2, t1 = u[i] * g1 - v[i] * g2, t2 = v[i] * g1 + u[i] * g2;
      t[a][0][i] = t0, t[a][1][i] = t1, t[a][2][i] = t2;
      y[a][0][i] = m[0] * t0 + m[1] * t1 + m[2] * t2;
      y[a][1][i] = m[1] * t0 + m[3] * t1 + m[4] * t2;
      y[a][2][i] = m[2] * t0 + m[4] * t1 + m[5] * t2;
    }
  }
  num l1 = (c->z[0] + c->z[1]) / 2, l2 = (c->z[0] - c->z[1]) / 2, l3 = c->z[2] / 2;
  num d11 = l1 * g[2] * g[2] + l2 * g[3] * g[3] + 2 * l3 * g[2] * g[3];
  num d22 = l1 * g[4] * g[4] + l2 * g[5] * g[5] + 2 * l3 * g[4] * g[5];
  num d12 = l1 * g[2] * g[4] + l2 * g[3] * g[5] + l3 * (g[2] * g[5] + g[3] * g[4]);
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
                          y[0][2][i] * t[1][2][j] + (double)(i == j) * d12;
}

// y = sum h x of a triangle
INLINE void flat_sum(const num h[3], const num X[9], num y[3]) {
  for (int c = 0; c < 3; c++) y[c] = h[0] * X[c] + h[1] * X[3 + c] + h[2] * X[6 + c];
}

INLINE void flat_matrix(const flat_cone *c, num K[21]) {
  static const int sym[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  num m[6], f = c->z / c->s, h11 = c->h[1] * c->h[1], h12 = c->h[1] * c->h[2],
            h22 = c->h[2] * c->h[2];
  for (int i = 0, k = 0; i < 3; i++)
    for (int j = i; j < 3; j++, k++) m[k] = f * c->y[i] * c->y[j] + (double)(i == j) * c->z;
  for (int k = 0; k < 6; k++) {
    K[k] += h11 * m[k];
    K[15 + k] += h22 * m[k];
  }
  for (int k = 0; k < 9; k++) K[6 + k] += h12 * m[sym[k]];
}

// r[2][3] += f y h at the second and third corner
INLINE void add_flat(const num h[3], num f, const num y[3], num r[6]) {
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 3; b++) r[3 * a + b] += h[a + 1] * f * y[b];
}

// n numbers of each triangle of group i to out
INLINE void put(int i, int n, const num *v, double *out) {
  double from[21][LANES];
  memcpy(from, v, (size_t)n * sizeof *v);
  for (int l = 0; l < LANES; l++)
    for (int k = 0; k < n; k++) out[(i * LANES + l) * n + k] = from[k][l];
}

// ---- passes -------------------------------------------------------------------------------------

// the same as a partial, of all lanes
typedef struct sums {
  num gap, rot, most, rp, step;
  lane_mask lost;
} sums;

INLINE num only(lane_mask on, num a) {
  return num_pick(on, a, num_all(0));
}

INLINE void at_most(num *least, lane_mask on, num a) {
  *least = num_min(num_pick(on, a, num_all(INFINITY)), *least);
}

INLINE void at_least(num *most, lane_mask on, num a) {
  *most = num_max(num_pick(on, a, num_all(-INFINITY)), *most);
}

static void part_add(partial *to, const partial *from) {
  to->gap += from->gap;
  to->rot += from->rot;
  to->lag += from->lag;
  to->most = fmax(to->most, from->most);
  to->rp = fmax(to->rp, from->rp);
  to->step = fmin(to->step, from->step);
  to->lost += from->lost;
}

typedef void (*group_fn)(program *p, int i, sums *out);
typedef void (*wall_fn)(program *p, int i, partial *out);

typedef struct pass {
  program *p;
  group_fn group;
} pass;

static const partial EMPTY = {0, 0, 0, -INFINITY, 0, INFINITY, 0};

static void pass_chunk(void *ctx, int k, int thread) {
  const pass *a = ctx;
  program *p = a->p;
  (void)thread;
  sums s = {.most = num_all(-INFINITY), .step = num_all(INFINITY)};
  int first = k * CHUNK, last = first + CHUNK < p->ngroup ? first + CHUNK : p->ngroup;
  for (int i = first; i < last; i++) a->group(p, i, &s);
  p->part[k] = EMPTY;
  for (int l = 0; l < LANES; l++) {
    partial of = {.gap = s.gap[l], .rot = s.rot[l], .most = s.most[l], .rp = s.rp[l]};
    of.step = s.step[l];
    of.lost = s.lost[l] != 0;
    part_add(&p->part[k], &of);
  }
}

// sums in the order of the triangles, so that they do not depend on threads
static partial run(program *p, group_fn group, wall_fn wall) {
  pass a = {p, group};
  partial sum = EMPTY;
  int n = (p->ngroup + CHUNK - 1) / CHUNK;
  pl_threads_run(p->threads, n, pass_chunk, &a);
  for (int k = 0; k < n; k++) part_add(&sum, &p->part[k]);
  for (int i = 0; i < p->nwall; i++) wall(p, i, &sum);
  return sum;
}

// ---- start --------------------------------------------------------------------------------------

PASS worst_group(program *p, int i, sums *out) {
  num X[9];
  load_corners(p, i, p->x, X);
  EACH_ROUND(p, i) {
    const round_cone *c = &p->round[k];
    num F[6], v[3];
    gradient(c->g, X, F);
    round_value(F, v);
    at_least(&out->most, c->on, cone_norm(v) - v[0]);
  }
  EACH_FLAT(p, i) {
    const flat_cone *c = &p->flat[k];
    num y[3];
    flat_sum(c->h, X, y);
    at_least(&out->most, c->on, (dot3(y, y) - 1) / 2);
  }
}

double program_worst(program *p, const double *x) {
  p->x = x;
  return run(p, worst_group, worst_wall).most;
}

void program_begin(program *p, const double *x, double margin, double level, int warm_start) {
  for (int i = 0; i < p->ngroup; i++) {
    num X[9];
    load_corners(p, i, x, X);
    EACH_ROUND(p, i) {
      round_cone *c = &p->round[k];
      num value[3];
      gradient(c->g, X, c->F);
      round_value(c->F, value);
      start_cone(value, margin, level, warm_start, c->s, c->z);
    }
    EACH_FLAT(p, i) {
      flat_cone *c = &p->flat[k];
      flat_sum(c->h, X, c->y);
      start_flat((1 - dot3(c->y, c->y)) / 2, margin, level, warm_start, &c->s, &c->z);
    }
  }
  walls_begin(p, x, margin, level, warm_start);
}

// ---- residuals, scaling, predictor --------------------------------------------------------------

// what a group of triangles adds up
typedef struct element {
  num K[21], r[6], P[6];
} element;

INLINE void scale_round(round_cone *c, const num X[9], element *e, sums *out) {
  num value[3], v[3], S[6] = {0}, T[6] = {0};
  gradient(c->g, X, c->F);
  round_value(c->F, value);
  for (int a = 0; a < 3; a++) {
    c->rp[a] = c->s[a] - value[a];
    at_least(&out->rp, c->on, num_abs(c->rp[a]));
  }
  out->gap += only(c->on, cone_dot(c->s, c->z));
  out->rot += only(c->on, num_abs(c->s[0] * c->z[1] + c->z[0] * c->s[1]));
  out->rot += only(c->on, num_abs(c->s[0] * c->z[2] + c->z[0] * c->s[2]));
  at_least(&out->most, c->on, cone_norm(value) - value[0]);
  cone_scaling(c->s, c->z, c->k, c->det);
  cone_scaled(c->k, 1, c->z, c->lam);
  const num most = num_all(INFINITY);
  out->lost |=
      c->on & ~(is_less(num_all(0), c->det[2]) & is_less(c->k[3], most) & is_less(c->k[0], most));
  round_matrix(c, e->K);
  cone_inverse_square(c->k, c->rp, v);
  round_stress(c->F, v, T);
  add_corners(c->g, T, e->r);
  // P = F Lam = -J'z
  num minus[3] = {-c->z[0], -c->z[1], -c->z[2]};
  round_stress(c->F, minus, S);
  add_corners(c->g, S, e->P);
}

INLINE void scale_flat(flat_cone *c, const num X[9], element *e, sums *out) {
  const num zero = num_all(0);
  flat_sum(c->h, X, c->y);
  num value = (1 - dot3(c->y, c->y)) / 2;
  c->rp = c->s - value;
  at_least(&out->rp, c->on, num_abs(c->rp));
  out->gap += only(c->on, c->s * c->z);
  at_least(&out->most, c->on, -value);
  out->lost |= c->on & ~(is_less(zero, c->s) & is_less(zero, c->z));
  flat_matrix(c, e->K);
  add_flat(c->h, -c->z / c->s * c->rp, c->y, e->r);
  add_flat(c->h, c->z, c->y, e->P);
}

PASS scale_group(program *p, int i, sums *out) {
  element e = {0};
  num X[9];
  load_corners(p, i, p->x, X);
  EACH_ROUND(p, i) scale_round(&p->round[k], X, &e, out);
  EACH_FLAT(p, i) scale_flat(&p->flat[k], X, &e, out);
  put(i, 21, e.K, p->K);
  put(i, 6, e.r, p->r);
  put(i, 6, e.P, p->P);
}

partial program_scale(program *p, const double *x) {
  p->x = x;
  return run(p, scale_group, scale_wall);
}

PASS predict_group(program *p, int i, sums *out) {
  num X[9];
  load_corners(p, i, p->dx, X);
  EACH_ROUND(p, i) {
    round_cone *c = &p->round[k];
    num dc[3], v[3];
    gradient(c->g, X, c->dF);
    round_slope(c->F, c->dF, dc);
    for (int a = 0; a < 3; a++) {
      c->sa[a] = dc[a] - c->rp[a];
      v[a] = -c->sa[a];
    }
    cone_inverse_square(c->k, v, c->za);
    for (int a = 0; a < 3; a++) c->za[a] -= c->z[a];
    at_most(&out->step, c->on, cone_step(c->s, c->det[0], c->sa));
    at_most(&out->step, c->on, cone_step(c->z, c->det[1], c->za));
    num bend = (dot3(c->dF, c->dF) + dot3(c->dF + 3, c->dF + 3)) / 4;
    at_least(&out->rp, c->on, bend / c->s[0]);
    out->gap += only(c->on, cone_dot(c->s, c->za) + cone_dot(c->sa, c->z));
    out->rot += only(c->on, cone_dot(c->sa, c->za));
  }
  EACH_FLAT(p, i) {
    flat_cone *c = &p->flat[k];
    flat_sum(c->h, X, c->dy);
    c->sa = -dot3(c->y, c->dy) - c->rp;
    c->za = -c->z - c->z / c->s * c->sa;
    at_most(&out->step, c->on, flat_step(c->s, c->sa));
    at_most(&out->step, c->on, flat_step(c->z, c->za));
    at_least(&out->rp, c->on, dot3(c->dy, c->dy) / (2 * c->s));
    out->gap += only(c->on, c->s * c->za + c->sa * c->z);
    out->rot += only(c->on, c->sa * c->za);
  }
}

partial program_predict(program *p, const double *dx) {
  p->dx = dx;
  return run(p, predict_group, predict_wall);
}

// ---- corrector ----------------------------------------------------------------------------------

INLINE void correct_round(const program *p, round_cone *c, num r[6]) {
  num a[3], b[3], t[3], u[3], T[6] = {0};
  double f = p->second;
  cone_scaled(c->k, -1, c->sa, a);
  cone_scaled(c->k, 1, c->za, b);
  cone_product(a, b, t);
  t[0] = p->sigma_mu - f * t[0], t[1] *= -f, t[2] *= -f;
  cone_divide(c->lam, c->det[2], t, u);
  cone_scaled(c->k, -1, u, t);
  // curvature of the constraint: c(F + dF) = c + J dF + c2(dF)
  const num *D = c->dF;
  num d11 = dot3(D, D), d22 = dot3(D + 3, D + 3), d12 = dot3(D, D + 3);
  c->rc[0] = c->rp[0] + f * (d11 + d22) / 4;
  c->rc[1] = c->rp[1] + f * (d11 - d22) / 4;
  c->rc[2] = c->rp[2] + f * d12 / 2;
  cone_inverse_square(c->k, c->rc, u);
  for (int e = 0; e < 3; e++) t[e] += u[e];
  round_stress(c->F, t, T);
  // and of the stress: dF dLam
  num z[3] = {f * c->za[0], f * c->za[1], f * c->za[2]};
  round_stress(D, z, T);
  add_corners(c->g, T, r);
  for (int e = 0; e < 3; e++) c->q[e] = t[e] - c->z[e];
}

PASS correct_group(program *p, int i, sums *out) {
  num r[6] = {0};
  double f = p->second;
  (void)out;
  EACH_ROUND(p, i) correct_round(p, &p->round[k], r);
  EACH_FLAT(p, i) {
    flat_cone *c = &p->flat[k];
    c->rc = c->rp + f * dot3(c->dy, c->dy) / 2;
    num q = (p->sigma_mu - f * c->sa * c->za) / c->s + c->z / c->s * c->rc;
    c->q = q - c->z;
    add_flat(c->h, -q, c->y, r);
    add_flat(c->h, -f * c->za, c->dy, r);
  }
  put(i, 6, r, p->r);
}

void program_correct(program *p, double sigma_mu) {
  p->sigma_mu = sigma_mu;
  run(p, correct_group, correct_wall);
}

// J dx of a cone, and W^-2 J dx
INLINE void round_answer(const round_cone *c, const num X[9], num dc[3], num v[3]) {
  num dF[6];
  gradient(c->g, X, dF);
  round_slope(c->F, dF, dc);
  cone_inverse_square(c->k, dc, v);
}

INLINE num flat_answer(const flat_cone *c, const num X[9]) {
  num dy[3];
  flat_sum(c->h, X, dy);
  return -dot3(c->y, dy);
}

PASS step_group(program *p, int i, sums *out) {
  num X[9];
  load_corners(p, i, p->dx, X);
  EACH_ROUND(p, i) {
    round_cone *c = &p->round[k];
    num dc[3], v[3];
    round_answer(c, X, dc, v);
    for (int a = 0; a < 3; a++) {
      c->ds[a] = dc[a] - c->rc[a];
      c->dz[a] = c->q[a] - v[a];
    }
    at_most(&out->step, c->on, cone_step(c->s, c->det[0], c->ds));
    at_most(&out->step, c->on, cone_step(c->z, c->det[1], c->dz));
  }
  EACH_FLAT(p, i) {
    flat_cone *c = &p->flat[k];
    num dc = flat_answer(c, X);
    c->ds = dc - c->rc;
    c->dz = c->q - c->z / c->s * dc;
    at_most(&out->step, c->on, flat_step(c->s, c->ds));
    at_most(&out->step, c->on, flat_step(c->z, c->dz));
  }
}

partial program_step(program *p, const double *dx) {
  p->dx = dx;
  return run(p, step_group, step_wall);
}

// ---- Gondzio's correction -----------------------------------------------------------------------

PASS gondzio_group(program *p, int i, sums *out) {
  num r[6] = {0};
  double a = p->step_length;
  (void)out;
  EACH_ROUND(p, i) {
    round_cone *c = &p->round[k];
    num v[3], t[3], T[6] = {0};
    trial_product(c->k, a, c->s, c->ds, c->z, c->dz, v);
    back_inside(p->sigma_mu, v, t);
    cone_divide(c->lam, c->det[2], t, v);
    cone_scaled(c->k, -1, v, c->q);
    round_stress(c->F, c->q, T);
    add_corners(c->g, T, r);
  }
  EACH_FLAT(p, i) {
    flat_cone *c = &p->flat[k];
    c->q = back_inside_1(p->sigma_mu, (c->s + a * c->ds) * (c->z + a * c->dz)) / c->s;
    add_flat(c->h, -c->q, c->y, r);
  }
  put(i, 6, r, p->r);
}

void program_gondzio(program *p, double sigma_mu, double step_length) {
  p->sigma_mu = sigma_mu;
  p->step_length = step_length;
  run(p, gondzio_group, gondzio_wall);
}

PASS try_group(program *p, int i, sums *out) {
  num X[9];
  load_corners(p, i, p->dx, X);
  EACH_ROUND(p, i) {
    round_cone *c = &p->round[k];
    num dc[3], v[3];
    round_answer(c, X, dc, v);
    for (int a = 0; a < 3; a++) {
      c->sa[a] = c->ds[a] + dc[a];
      c->za[a] = c->dz[a] + c->q[a] - v[a];
    }
    at_most(&out->step, c->on, cone_step(c->s, c->det[0], c->sa));
    at_most(&out->step, c->on, cone_step(c->z, c->det[1], c->za));
  }
  EACH_FLAT(p, i) {
    flat_cone *c = &p->flat[k];
    num dc = flat_answer(c, X);
    c->sa = c->ds + dc;
    c->za = c->dz + c->q - c->z / c->s * dc;
    at_most(&out->step, c->on, flat_step(c->s, c->sa));
    at_most(&out->step, c->on, flat_step(c->z, c->za));
  }
}

partial program_try(program *p, const double *ddx) {
  p->dx = ddx;
  return run(p, try_group, try_wall);
}

// ---- move ---------------------------------------------------------------------------------------

PASS move_group(program *p, int i, sums *out) {
  int corrected = p->corrected;
  (void)out;
  EACH_ROUND(p, i) {
    round_cone *c = &p->round[k];
    move_cone(p->step_length, corrected ? c->sa : c->ds, corrected ? c->za : c->dz, c->s, c->z);
  }
  EACH_FLAT(p, i) {
    flat_cone *c = &p->flat[k];
    const num *ds = corrected ? &c->sa : &c->ds, *dz = corrected ? &c->za : &c->dz;
    c->s += p->step_length * *ds;
    c->z += p->step_length * *dz;
  }
}

void program_move(program *p, double a, int corrected) {
  p->step_length = a;
  p->corrected = corrected;
  run(p, move_group, move_wall);
}

// ---- bound --------------------------------------------------------------------------------------

INLINE void support_round(const program *p, const round_cone *c, const num X[9], const num hat[9],
                          num r[6], sums *out) {
  num F[6], H[6], value[3], z[3], P[6] = {0};
  gradient(c->g, X, F);
  gradient(c->g, hat, H);
  round_value(F, value);
  num beyond = cone_norm(value) - value[0];
  at_least(&out->most, c->on, beyond);
  memcpy(z, c->z, sizeof z);
  const num *dz = p->bound_by == STEPPED ? c->dz : c->za;
  for (int e = 0; p->bound_by != PRESENT && e < 3; e++) z[e] += dz[e];
  cone_clip(z, 0, INFINITY, z);
  for (int e = 0; e < 3; e++) z[e] = -z[e];
  round_stress(F, z, P);
  add_corners(c->g, P, r);
  num n[3] = {P[1] * P[5] - P[2] * P[4], P[2] * P[3] - P[0] * P[5], P[0] * P[4] - P[1] * P[3]};
  num norm = num_sqrt(dot3(P, P) + dot3(P + 3, P + 3) + 2 * num_sqrt(dot3(n, n)));
  out->gap +=
      only(c->on, dot3(P, H) + dot3(P + 3, H + 3) - (1 + num_max(beyond, num_all(0))) * norm);
}

PASS support_group(program *p, int i, sums *out) {
  num X[9], hat[9], r[6] = {0};
  load_corners(p, i, p->x, X);
  load_corners(p, i, p->xhat, hat);
  EACH_ROUND(p, i) support_round(p, &p->round[k], X, hat, r, out);
  EACH_FLAT(p, i) {
    const flat_cone *c = &p->flat[k];
    num y[3], h[3];
    flat_sum(c->h, X, y);
    flat_sum(c->h, hat, h);
    num beyond = (dot3(y, y) - 1) / 2, z = c->z;
    at_least(&out->most, c->on, beyond);
    if (p->bound_by != PRESENT) z += p->bound_by == STEPPED ? c->dz : c->za;
    z = num_max(z, num_all(0));
    add_flat(c->h, z, y, r);
    num length = (1 + num_max(beyond, num_all(0))) * num_sqrt(dot3(y, y));
    out->gap += only(c->on, z * (dot3(y, h) - length));
  }
  put(i, 6, r, p->P);
}

partial program_support(program *p, const double *x, multipliers z) {
  p->x = x;
  p->bound_by = z;
  return run(p, support_group, support_wall);
}
