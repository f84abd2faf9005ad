// Free flight as a rigid body: discrete Moser-Veselov (Moser, Veselov 1991) with the preprocessing
// of Hairer and Vilmart (2006), of fourth order, exact in momentum and energy; bodies of finite
// elements become rigid, and rigid ones bodies again, by their momenta.
#include "solve_impl.h"

#include <string.h>

enum { SWEEPS = 100 };            // of the fixed point of one step
static const double ROT = 0.5;    // rad; of one step at most, where the fixed point is fast
static const double SMALL = 1e-9; // of the largest moment of inertia: a body on a line

// ---- rotation -----------------------------------------------------------------------------------

// Inverse moments of the step: its errors are of fourth order. H and C do not change with time.
static void preprocess(const double *J, const double *y, double h, double *inverse) {
  double H = 0, C = 0, P = J[0] * J[1] * J[2], sum = J[0] + J[1] + J[2], all = 0;
  for (int i = 0; i < 3; i++) {
    H += 0.5 * y[i] * y[i] / J[i];
    C += 0.5 * y[i] * y[i];
    all += 1 / J[i];
  }
  double s = -all * H / 3 + sum * C / (6 * P), d = sum * H / (6 * P) - C / (3 * P);
  for (int i = 0; i < 3; i++) inverse[i] = (1 + h * h * s) / J[i] + h * h * d;
}

// c of the Cayley map of one step, by a fixed point that turns of less than one radian have
static void solve_rotation(const double *inverse, const double *y, double h, double *c) {
  double J[3], a[3], k[3];
  for (int i = 0; i < 3; i++) {
    J[i] = 1 / inverse[i];
    c[i] = a[i] = 0.5 * h * y[i] * inverse[i];
  }
  for (int i = 0; i < 3; i++) k[i] = (J[(i + 1) % 3] - J[(i + 2) % 3]) * inverse[i];
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double change = 0, alpha = 1 + pl_dot3(c, c);
    for (int i = 0; i < 3; i++) {
      double now = alpha * a[i] + k[i] * c[(i + 1) % 3] * c[(i + 2) % 3];
      change = fmax(change, fabs(now - c[i]));
      c[i] = now;
    }
    if (change <= DBL_EPSILON * sqrt(alpha - 1)) return;
  }
}

static void step_rotation(pl_flight *k, double h, int order) {
  double inverse[3], c[3], y[3];
  if (order == 4)
    preprocess(k->inertia, k->spin, h, inverse);
  else
    for (int i = 0; i < 3; i++) inverse[i] = 1 / k->inertia[i];
  solve_rotation(inverse, k->spin, h, c);
  double size = sqrt(1 + pl_dot3(c, c)), rho[4] = {1 / size, c[0] / size, c[1] / size, c[2] / size};
  pl_quat_mul(k->rot, rho, k->rot);
  double length = pl_norm(4, k->rot), back[4] = {rho[0], -rho[1], -rho[2], -rho[3]};
  for (int i = 0; i < 4; i++) k->rot[i] /= length;
  pl_quat_rotate(back, k->spin, y);
  memcpy(k->spin, y, sizeof y);
}

// fastest turn that the momentum allows, rad/s
static double fastest(const pl_flight *k) {
  double least = fmin(k->inertia[0], fmin(k->inertia[1], k->inertia[2]));
  return pl_norm3(k->spin) / least;
}

void pl_flight_step_order(pl_flight *k, double h, int order) {
  double parts = fmax(1, ceil(fabs(h) * fastest(k) / ROT));
  for (double i = 0; i < parts; i++) step_rotation(k, h / parts, order);
  for (int c = 0; c < 3; c++) {
    k->centre[c] += h * k->momentum[c] / k->mass + 0.5 * h * h * k->gravity[c];
    k->momentum[c] += h * k->mass * k->gravity[c];
  }
  k->t += h;
}

void pl_flight_step(pl_flight *k, double h) {
  pl_flight_step_order(k, h, 4);
}

double pl_flight_energy(const pl_flight *k) {
  double turning = 0;
  for (int i = 0; i < 3; i++) turning += 0.5 * k->spin[i] * k->spin[i] / k->inertia[i];
  return turning + 0.5 * pl_dot3(k->momentum, k->momentum) / k->mass -
         k->mass * pl_dot3(k->gravity, k->centre);
}

// ---- bodies of finite elements ------------------------------------------------------------------

// B = sum over mass of a (x) b, both [nnode][3]
static void moments(const pl_params *p, pl_work *w, int n, const double *a, const double *b,
                    double *mb, double B[9]) {
  pl_mass_mul(p, b, w, mb);
  memset(B, 0, 9 * sizeof *B);
  for (int i = 0; i < n; i++)
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) B[3 * r + c] += a[3 * i + r] * mb[3 * i + c];
}

// in[n]: nodes of the body, which has no mass in common with others; NULL: all
static int is_in(const char *in, int node) {
  return !in || in[node];
}

static void centre_of(const pl_params *p, pl_work *w, int n, const char *in, const double *x,
                      double *one, double *mx, double *mass, double *centre) {
  double sum[3] = {0};
  *mass = 0;
  for (int i = 0; i < 3 * n; i++) one[i] = i % 3 == 0;
  pl_mass_mul(p, one, w, mx);
  for (int i = 0; i < n; i++)
    if (is_in(in, i)) *mass += mx[3 * i];
  pl_mass_mul(p, x, w, mx);
  for (int i = 0; i < 3 * n; i++)
    if (is_in(in, i / 3)) sum[i % 3] += mx[i];
  for (int c = 0; c < 3; c++) centre[c] = sum[c] / *mass;
}

// zero beside the body
static void less_centre(int n, const char *in, const double *x, const double *centre, double *out) {
  for (int i = 0; i < 3 * n; i++) out[i] = is_in(in, i / 3) ? x[i] - centre[i % 3] : 0;
}

// quaternion of a rotation R[3][3], by its largest part
static void quat_of(const double *R, double *q) {
  double t[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8],
                 1 - R[0] - R[4] + R[8]};
  const double all[4][4] = {{t[0], R[7] - R[5], R[2] - R[6], R[3] - R[1]},
                            {R[7] - R[5], t[1], R[1] + R[3], R[2] + R[6]},
                            {R[2] - R[6], R[1] + R[3], t[2], R[5] + R[7]},
                            {R[3] - R[1], R[2] + R[6], R[5] + R[7], t[3]}};
  int most = 0;
  for (int i = 1; i < 4; i++)
    if (t[i] > t[most]) most = i;
  double size = pl_norm(4, all[most]);
  for (int i = 0; i < 4; i++) q[i] = all[most][i] / size;
}

pl_status flight_open(const pl_model *m, const pl_params *p, pl_work *w, const char *in,
                      double *scratch, pl_flight *k) {
  int n = pl_model_nnode(m);
  double *X = scratch, *other = X + 2 * (size_t)p->M.n, S[9], I0[9], trace;
  centre_of(p, w, n, in, p->X, X, other, &k->mass, k->rest);
  if (!(k->mass > 0)) return pl_fail(w->env, PL_E_INPUT, "flight: the body has no mass");
  less_centre(n, in, p->X, k->rest, X);
  moments(p, w, n, X, X, other, S);
  trace = S[0] + S[4] + S[8];
  for (int i = 0; i < 9; i++) I0[i] = (i % 4 == 0) * trace - 0.5 * (S[i] + S[3 * (i % 3) + i / 3]);
  pl_eig3(I0, k->inertia, k->axes);
  if (pl_det3(k->axes) < 0)
    for (int r = 0; r < 3; r++) k->axes[3 * r] = -k->axes[3 * r];
  if (!(k->inertia[0] > SMALL * k->inertia[2])) return PL_DOMAIN;
  for (int c = 0; c < 3; c++) k->gravity[c] = p->par[PL_PAR_GRAVITY + c];
  return PL_OK;
}

void flight_catch(const pl_params *p, pl_work *w, int n, const char *in, const pl_state *s,
                  double *scratch, pl_flight *k) {
  double *X = scratch, *x = X + p->M.n, *other = x + p->M.n, B[9], U[9], sv[3], V[9], R[9], Rb[9];
  double pi[3] = {0}, mass;
  centre_of(p, w, n, in, s->q, x, other, &mass, k->centre);
  less_centre(n, in, p->X, k->rest, X);
  less_centre(n, in, s->q, k->centre, x);
  moments(p, w, n, x, X, other, B);
  pl_svd3(B, U, sv, V);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) R[3 * r + c] = pl_dot3(U + 3 * r, V + 3 * c);
  pl_mul3(R, k->axes, Rb);
  quat_of(Rb, k->rot);
  pl_mass_mul(p, s->v, w, other);
  memset(k->momentum, 0, sizeof k->momentum);
  for (int i = 0; i < n; i++) {
    double l[3];
    if (!is_in(in, i)) continue;
    pl_cross3(x + 3 * i, other + 3 * i, l);
    for (int c = 0; c < 3; c++) {
      pi[c] += l[c];
      k->momentum[c] += other[3 * i + c];
    }
  }
  double back[4] = {k->rot[0], -k->rot[1], -k->rot[2], -k->rot[3]};
  pl_quat_rotate(back, pi, k->spin);
  k->t = s->t;
}

pl_status flight_check(const pl_model *m, pl_env *env) {
  if (pl_model_dim(m) != 3 || pl_model_nq(m) != 3 * pl_model_nnode(m))
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "use solids in three dimensions",
                      "flight: the model has unknowns besides the places of its nodes");
  if (pl_model_nfree(m) != pl_model_nq(m))
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "release what holds or drives it",
                      "flight: nodes of the body are held");
  return PL_OK;
}

double flight_motion(const pl_flight *k) {
  return pl_flight_energy(k) + k->mass * pl_dot3(k->gravity, k->centre);
}

pl_flight_loss flight_loss(const pl_flight *k, const pl_work *w) {
  double motion = flight_motion(k);
  return (pl_flight_loss){
      .elastic = w->elastic, .vibration = w->kinetic - motion, .motion = motion};
}

pl_status pl_flight_begin_part(const pl_model *m, const pl_params *p, const pl_state *s, pl_work *w,
                               const char *in, pl_flight *k) {
  int n = pl_model_nnode(m);
  *k = (pl_flight){0};
  double *scratch = pl_alloc(w->env, 3 * (size_t)pl_model_nq(m), sizeof *scratch);
  if (!scratch) return PL_E_NOMEM;
  pl_status st = flight_open(m, p, w, in, scratch, k);
  if (st == PL_OK) flight_catch(p, w, n, in, s, scratch, k);
  pl_free(w->env, scratch);
  return st;
}

pl_status pl_flight_begin(const pl_model *m, const pl_params *p, const pl_state *s, pl_work *w,
                          pl_flight *k, pl_flight_loss *lost) {
  const pl_clock now = {.t = s->t, .scale = 1, .timed = 1};
  *k = (pl_flight){0};
  PL_TRY(flight_check(m, w->env));
  PL_TRY(pl_flight_begin_part(m, p, s, w, NULL, k));
  if (!lost) return PL_OK;
  PL_TRY(pl_eval(m, p, s, &now, PL_WANT_ENERGY | PL_DYNAMIC, NULL, w));
  *lost = flight_loss(k, w);
  return PL_OK;
}

void pl_flight_rotation(const pl_flight *k, double *R) {
  double Rb[9];
  pl_quat_to_mat(k->rot, Rb);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) R[3 * r + c] = pl_dot3(Rb + 3 * r, k->axes + 3 * c);
}

void pl_flight_omega(const pl_flight *k, double *omega) {
  double turning[3];
  for (int i = 0; i < 3; i++) turning[i] = k->spin[i] / k->inertia[i];
  pl_quat_rotate(k->rot, turning, omega);
}

static void put_state(const pl_model *m, const pl_params *p, const pl_flight *k, const char *in,
                      pl_state *s) {
  double R[9], omega[3];
  pl_flight_rotation(k, R);
  pl_flight_omega(k, omega);
  for (int i = 0; i < pl_model_nnode(m); i++) {
    double X[3], r[3], v[3];
    if (!is_in(in, i)) continue;
    pl_sub3(p->X + 3 * i, k->rest, X);
    for (int c = 0; c < 3; c++) r[c] = pl_dot3(R + 3 * c, X);
    pl_cross3(omega, r, v);
    for (int c = 0; c < 3; c++) {
      s->q[3 * i + c] = k->centre[c] + r[c];
      s->v[3 * i + c] = k->momentum[c] / k->mass + v[c];
      s->a[3 * i + c] = 0;
    }
  }
  s->t = k->t;
}

void pl_flight_state(const pl_model *m, const pl_params *p, const pl_flight *k, pl_state *s) {
  put_state(m, p, k, NULL, s);
}

// ---- the way to the next obstacle ---------------------------------------------------------------

// faces and edges on the way of one step
static pl_status surfaces_meet(const pl_model *m, const pl_params *p, const pl_flight *before,
                               const pl_flight *k, pl_contact *c, const char *in, pl_state *s,
                               double *q0, int *meets) {
  const pl_contact_feature *approach;
  int n;
  put_state(m, p, before, in, s);
  memcpy(q0, s->q, (size_t)s->nq * sizeof *q0);
  put_state(m, p, k, in, s);
  PL_TRY(pl_contact_features(c, k->t, s->q, before->t, q0, 0, &n, &approach));
  for (int i = 0; i < n && !*meets; i++) *meets = is_in(in, approach[i].row.vert[0]);
  return PL_OK;
}

pl_status flight_meets(const pl_model *m, const pl_params *p, const pl_flight *before,
                       const pl_flight *k, pl_contact *c, const char *in, pl_state *s, double *q0,
                       int *meets) {
  pl_gap g;
  put_state(m, p, k, in, s);
  *meets = 0;
  for (int i = 0; i < c->npair && !*meets; i++) {
    const pl_contact_pair *a = &c->pair[i];
    if (!is_in(in, a->node)) continue;
    pl_obstacle_gap(&c->obstacle[a->obstacle], 3, s->t, s->q + 3 * a->node, a->radius, &g);
    *meets = g.gap <= 0;
  }
  if (*meets || !c->surface) return PL_OK;
  return surfaces_meet(m, p, before, k, c, in, s, q0, meets);
}

// the way as far as nothing is met
static pl_status fly(const pl_model *m, const pl_params *p, pl_contact *c, pl_work *w,
                     const char *in, pl_flight *k, double h, double until, pl_state *s, double *q0,
                     int *meets) {
  ticker tick = {w->env, "flight", 0};
  while (k->t < until) {
    pl_flight next = *k;
    pl_flight_step(&next, fmin(h, until - k->t));
    if (c) PL_TRY(flight_meets(m, p, k, &next, c, in, s, q0, meets));
    if (*meets) break;
    *k = next;
    if (ticker_due(&tick)) PL_TRY(ticker_progress(&tick, -1, "rigid flight"));
  }
  put_state(m, p, k, in, s);
  return PL_OK;
}

pl_status pl_flight_to_contact(const pl_model *m, const pl_params *p, pl_contact *c, pl_work *w,
                               const char *in, pl_flight *k, double h, double until, pl_state *s,
                               int *meets) {
  *meets = 0;
  double *q0 = pl_alloc(w->env, (size_t)s->nq, sizeof *q0);
  if (!q0) return PL_E_NOMEM;
  pl_status st = fly(m, p, c, w, in, k, h, until, s, q0, meets);
  pl_free(w->env, q0);
  return st;
}
