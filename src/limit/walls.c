// Barriers in the interior-point method: their cones, passes over them, and the offsets of
// friction.
#include "program.h"

static void wall_slope(const program *p, int i, const double *dx, double dc[3]) {
  const pl_contact_row *w = &p->wall[i];
  double y[3];
  pl_contact_row_point(w, 3, dx, y);
  dc[0] = pl_dot3(w->frame[0], y) / p->edge;
  dc[1] = w->mu * pl_dot3(w->frame[1], y) / p->edge;
  dc[2] = w->mu * pl_dot3(w->frame[2], y) / p->edge;
}

static void wall_value(const program *p, int i, const double *x, double c[3]) {
  const pl_contact_row *w = &p->wall[i];
  double y[3], u[3];
  pl_contact_row_point(w, 3, x, y);
  pl_sub3(y, w->from, u);
  c[0] = (pl_dot3(w->frame[0], y) - w->offset + p->cone[i].slip) / p->edge;
  c[1] = w->mu * pl_dot3(w->frame[1], u) / p->edge;
  c[2] = w->mu * pl_dot3(w->frame[2], u) / p->edge;
  if (p->cone[i].size == 1) c[1] = c[2] = 0;
}

void program_wall_force(const program *p, int i, const double q[3], double f[3]) {
  const pl_contact_row *w = &p->wall[i];
  for (int c = 0; c < 3; c++)
    f[c] =
        (q[0] * w->frame[0][c] + w->mu * (q[1] * w->frame[1][c] + q[2] * w->frame[2][c])) / p->edge;
}

static void mul_sym(const double m[6], const double v[3], double out[3]) {
  double a = m[0] * v[0] + m[1] * v[1] + m[2] * v[2], b = m[1] * v[0] + m[3] * v[1] + m[4] * v[2];
  double c = m[2] * v[0] + m[4] * v[1] + m[5] * v[2];
  out[0] = a, out[1] = b, out[2] = c;
}

// m = (W^2 + give)^-1
static void wall_scaling(wall_cone *c) {
  memset(c->m, 0, sizeof c->m);
  if (c->size == 1) {
    memcpy(c->k, (double[4]){1, 0, 0, sqrt(c->s[0] / c->z[0])}, sizeof c->k);
    c->lam[0] = sqrt(c->s[0] * c->z[0]);
    c->m[0] = 1 / (c->s[0] / c->z[0] + c->give);
    return;
  }
  double of[3];
  cone_scaling(c->s, c->z, c->k, of);
  cone_scaled(c->k, 1, c->z, c->lam);
  if (c->give <= 0) {
    cone_inverse_matrix(c->k, c->m);
    return;
  }
  // W^2 = eta^2 (2 w w' - J)
  double e = c->k[3] * c->k[3], *w = c->k, g = c->give;
  double a = e * (2 * w[0] * w[0] - 1) + g, b = e * 2 * w[0] * w[1], d = e * 2 * w[0] * w[2];
  double f = e * (2 * w[1] * w[1] + 1) + g, h = e * 2 * w[1] * w[2];
  double k = e * (2 * w[2] * w[2] + 1) + g;
  double A = f * k - h * h, B = d * h - b * k, C = b * h - d * f, det = a * A + b * B + d * C;
  double inv[6] = {A, B, C, a * k - d * d, b * d - a * h, a * f - b * b};
  for (int i = 0; i < 6; i++) c->m[i] = inv[i] / det;
}

static void wall_matrix(const program *p, int i, double *K) {
  const pl_contact_row *w = &p->wall[i];
  const double *m = p->cone[i].m;
  double t[3][3], y[3][3];
  for (int c = 0; c < 3; c++) {
    t[0][c] = w->frame[0][c] / p->edge;
    t[1][c] = w->mu * w->frame[1][c] / p->edge;
    t[2][c] = w->mu * w->frame[2][c] / p->edge;
    y[0][c] = m[0] * t[0][c] + m[1] * t[1][c] + m[2] * t[2][c];
    y[1][c] = m[1] * t[0][c] + m[3] * t[1][c] + m[4] * t[2][c];
    y[2][c] = m[2] * t[0][c] + m[4] * t[1][c] + m[5] * t[2][c];
  }
  for (int a = 0, k = 0; a < 3; a++)
    for (int b = a; b < 3; b++, k++)
      K[k] = y[0][a] * t[0][b] + y[1][a] * t[1][b] + y[2][a] * t[2][b];
}

static double wall_step(const wall_cone *c, const double s[3], const double d[3]) {
  return c->size == 1 ? flat_step(s[0], d[0]) : cone_step(s, cone_det(s), d);
}

// step of a barrier from dx with q: ds, dz
static void wall_advance(const program *p, int i, const double *dx, int more, double ds[3],
                         double dz[3]) {
  const wall_cone *c = &p->cone[i];
  double dc[3], mc[3];
  wall_slope(p, i, dx, dc);
  if (c->size == 1) dc[1] = dc[2] = 0;
  mul_sym(c->m, dc, mc);
  for (int k = 0; k < 3; k++) {
    dz[k] = c->q[k] - mc[k];
    ds[k] = dc[k] + c->give * dz[k] - (more ? 0 : c->rp[k]);
  }
}

// ---- passes ----------------------------------------------------------------------------------

void walls_begin(program *p, const double *x, double margin, double level, int warm_start) {
  for (int i = 0; i < p->nwall; i++) {
    wall_cone *c = &p->cone[i];
    double value[3];
    wall_value(p, i, x, value);
    if (c->size == 1)
      start_flat(value[0] + c->give * c->z[0], margin, level, warm_start, &c->s[0], &c->z[0]);
    else
      start_cone(value, margin, level, warm_start, c->s, c->z);
  }
}

void worst_wall(program *p, int i, partial *out) {
  double c[3];
  wall_value(p, i, p->x, c);
  out->most = fmax(out->most, cone_norm(c) - c[0]);
}

void scale_wall(program *p, int i, partial *out) {
  wall_cone *c = &p->cone[i];
  double value[3], v[3], q[3];
  wall_value(p, i, p->x, value);
  memcpy(c->end, c->z, sizeof c->z);
  for (int a = 0; a < 3; a++) {
    c->rp[a] = c->s[a] - value[a] - c->give * c->z[a];
    out->rp = fmax(out->rp, fabs(c->rp[a]));
    v[a] = c->rp[a] - c->s[a];
    out->lag += c->z[0] * fabs(c->rp[a]);
    value[a] += c->give * c->z[a];
  }
  out->gap += cone_dot(c->s, c->z);
  out->most = fmax(out->most, cone_norm(value) - value[0]);
  wall_scaling(c);
  out->lost += !isfinite(c->k[3]) || !isfinite(c->m[0]) || !(c->lam[0] > 0);
  wall_matrix(p, i, p->Kw + 6 * i);
  mul_sym(c->m, v, c->q);
  for (int a = 0; a < 3; a++) q[a] = c->z[a] + c->q[a];
  program_wall_force(p, i, q, p->rw + 3 * i);
}

void predict_wall(program *p, int i, partial *out) {
  wall_cone *c = &p->cone[i];
  wall_advance(p, i, p->dx, 0, c->sa, c->za);
  out->step = fmin(out->step, fmin(wall_step(c, c->s, c->sa), wall_step(c, c->z, c->za)));
  for (int a = 0; a < c->size; a++) {
    out->gap += c->s[a] * c->za[a] + c->sa[a] * c->z[a];
    out->rot += c->sa[a] * c->za[a];
  }
}

// m (-s + W t + rp)
static void wall_target(program *p, int i, const double t[3]) {
  wall_cone *c = &p->cone[i];
  double v[3], q[3], wt[3];
  cone_scaled(c->k, 1, t, wt);
  for (int a = 0; a < 3; a++) v[a] = wt[a] + c->rp[a] - c->s[a];
  mul_sym(c->m, v, c->q);
  for (int a = 0; a < 3; a++) q[a] = c->z[a] + c->q[a];
  program_wall_force(p, i, q, p->rw + 3 * i);
}

void correct_wall(program *p, int i, partial *out) {
  wall_cone *c = &p->cone[i];
  double a[3], b[3], t[3], u[3] = {0};
  (void)out;
  if (c->size == 1) {
    u[0] = (p->sigma_mu - c->sa[0] * c->za[0]) / c->lam[0];
  } else {
    cone_scaled(c->k, -1, c->sa, a);
    cone_scaled(c->k, 1, c->za, b);
    cone_product(a, b, t);
    t[0] = p->sigma_mu - t[0], t[1] = -t[1], t[2] = -t[2];
    cone_divide(c->lam, cone_det(c->lam), t, u);
  }
  wall_target(p, i, u);
}

void step_wall(program *p, int i, partial *out) {
  wall_cone *c = &p->cone[i];
  wall_advance(p, i, p->dx, 0, c->ds, c->dz);
  out->step = fmin(out->step, fmin(wall_step(c, c->s, c->ds), wall_step(c, c->z, c->dz)));
}

void gondzio_wall(program *p, int i, partial *out) {
  wall_cone *c = &p->cone[i];
  double v[3], t[3] = {0}, u[3] = {0}, w[3];
  (void)out;
  if (c->size == 1) {
    double product = (c->s[0] + p->step_length * c->ds[0]) * (c->z[0] + p->step_length * c->dz[0]);
    u[0] = back_inside_1(p->sigma_mu, product) / c->lam[0];
  } else {
    trial_product(c->k, p->step_length, c->s, c->ds, c->z, c->dz, v);
    back_inside(p->sigma_mu, v, t);
    cone_divide(c->lam, cone_det(c->lam), t, u);
  }
  cone_scaled(c->k, 1, u, w);
  mul_sym(c->m, w, c->q);
  program_wall_force(p, i, c->q, p->rw + 3 * i);
}

void try_wall(program *p, int i, partial *out) {
  wall_cone *c = &p->cone[i];
  wall_advance(p, i, p->dx, 1, c->sa, c->za);
  for (int a = 0; a < 3; a++) {
    c->sa[a] += c->ds[a];
    c->za[a] += c->dz[a];
  }
  out->step = fmin(out->step, fmin(wall_step(c, c->s, c->sa), wall_step(c, c->z, c->za)));
}

void move_wall(program *p, int i, partial *out) {
  wall_cone *c = &p->cone[i];
  (void)out;
  move_cone(p->step_length, p->corrected ? c->sa : c->ds, p->corrected ? c->za : c->dz, c->s, c->z);
}

// ---- friction --------------------------------------------------------------------------------

int program_has_friction(const program *p) {
  int any = 0;
  for (int i = 0; i < p->nwall; i++) any |= p->cone[i].size == 3;
  return any;
}

void program_clear_slip(program *p) {
  for (int i = 0; i < p->nwall; i++) p->cone[i].slip = p->cone[i].before = p->cone[i].wanted = 0;
}

// For a contact alone mu |u_T| goes up with the offset at a rate of mu^2 / (1 + mu^2) at most; what
// it did last time tells how far to go.
double program_slip(program *p, const double *x, double *push) {
  double most = 0;
  *push = 0;
  for (int i = 0; i < p->nwall; i++) {
    wall_cone *c = &p->cone[i];
    double value[3];
    if (c->size == 1) continue;
    wall_value(p, i, x, value);
    double want = p->edge * cone_norm(value), mu = p->wall[i].mu, displaced = c->slip - c->before;
    double rate = displaced != 0 ? (want - c->wanted) / displaced : 0;
    rate = fmin(fmax(rate, 0), mu * mu / (1 + mu * mu));
    c->before = c->slip;
    c->wanted = want;
    c->slip = fmax(0, c->slip + (want - c->slip) / (1 - rate));
    most = fmax(most, fabs(want - c->before));
    *push += c->z[0] * fabs(c->slip - c->before) / p->edge;
  }
  return most;
}

// ---- bound -----------------------------------------------------------------------------------

// -z.c(xhat) - give |z|^2 / 2
void support_wall(program *p, int i, partial *out) {
  wall_cone *c = &p->cone[i];
  double at[3], hat[3], *z = c->end;
  memcpy(z, c->z, sizeof c->z);
  for (int a = 0; p->bound_by != PRESENT && a < 3; a++)
    z[a] += p->bound_by == STEPPED ? c->dz[a] : c->za[a];
  cone_clip(z, 0, INFINITY, z);
  wall_value(p, i, p->x, at);
  wall_value(p, i, p->xhat, hat);
  for (int a = 0; a < 3; a++) at[a] += c->give * z[a];
  double beyond = cone_norm(at) - at[0];
  out->most = fmax(out->most, beyond);
  out->gap -= cone_dot(z, hat) + fmax(beyond, 0) * z[0] + c->give * cone_dot(z, z) / 2;
}

// what soft barriers add to the objective at x: the square of how far they yield
double program_wall_cost(const program *p, const double *x) {
  double sum = 0;
  for (int i = 0; i < p->nwall; i++) {
    double c[3], low;
    if (!(p->cone[i].give > 0)) continue;
    wall_value(p, i, x, c);
    // distance to the cone: of the eigenvalues below zero
    double r = cone_norm(c), a = fmin(c[0] - r, 0), b = fmin(c[0] + r, 0);
    low = p->cone[i].size == 1 ? a * a : (a * a + b * b) / 2;
    sum += low / (2 * p->cone[i].give);
  }
  return sum;
}
