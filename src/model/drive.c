#include "model_impl.h"

#include "pliant/math.h"

#include <complex.h>
#include <string.h>
#include <tgmath.h>

// the ramp of harmonic terms and its two derivatives: 10 x^3 - 15 x^4 + 6 x^5
static void ramp_factor(const pl_clock *c, double r[3]) {
  r[0] = 1;
  r[1] = r[2] = 0;
  if (!(c->ramp > 0) || c->t >= c->ramp) return;
  double x = c->t > 0 ? c->t / c->ramp : 0;
  r[0] = x * x * x * (10 - 15 * x + 6 * x * x);
  r[1] = 30 * x * x * (1 - x) * (1 - x) / c->ramp;
  r[2] = 60 * x * (1 - x) * (1 - 2 * x) / (c->ramp * c->ramp);
}

void constant_factor(const pl_course *over, const pl_clock *c, double y[3]) {
  y[0] = c->scale;
  y[1] = y[2] = 0;
  if (over->n == 0) return;
  y[0] = 0;
  if (c->timed < 0) return;
  double first = over->t[0], last = over->t[over->n - 1];
  pl_course_at(over, c->timed ? c->t : first + c->scale * (last - first), y);
  if (!c->timed) y[1] = y[2] = 0;
}

#define real     double
#define FN(name) name##_d
#include "drive.inc"
#undef real
#undef FN
#define real     double complex
#define FN(name) name##_z
#include "drive.inc"
#undef real
#undef FN

// how much of the way from where a drive begins is gone
static double way(const drive *d, const pl_clock *c) {
  return d->hold ? 0 : c->scale;
}

// n values from where they begin, of the way to x
static void go(const drive *d, const pl_clock *c, int n, const double *begin, double *x, double *v,
               double *a) {
  double w = way(d, c);
  for (int i = 0; i < n; i++) {
    x[i] = begin[i] + w * (x[i] - begin[i]);
    v[i] *= w;
    a[i] *= w;
  }
}

static void go_along(const drive *d, const pl_clock *c, int n, double *dx, double *dv, double *da) {
  static const double zero[3] = {0};
  if (d->begin) go(d, c, n, zero, dx, dv, da);
}

// x, v, a of the prescribed components of node i, at X
static void node_motion(const pl_model *m, const drive *d, const double *par, const double *X,
                        const pl_clock *c, int i, double *x, double *v, double *a) {
  double X3[3] = {0};
  memcpy(X3, X + d->node[i] * m->dim, (size_t)m->dim * sizeof(double));
  motion_d(d, par, X3, c, x, v, a);
  if (d->begin) go(d, c, m->dim, d->begin + i * m->dim, x, v, a);
}

void drive_motion_along(const pl_model *m, const drive *d, const double *par, const double *dpar,
                        const double *X, const double *dX, const pl_clock *c, int i, double *dx,
                        double *dv, double *da) {
  const double h = 1e-100;
  double complex X3[3] = {0}, x[3], v[3], a[3], shifted[4 * PL_TERM_MAX];
  int at = d->node[i] * m->dim;
  for (int k = 0; k < m->dim; k++) X3[k] = X[at + k] + I * h * dX[at + k];
  // a drive's own parameters, moved to the front
  drive local = *d;
  local.par0 = 0;
  for (int k = 0; k < 4 * d->nterm; k++) shifted[k] = par[d->par0 + k] + I * h * dpar[d->par0 + k];
  motion_z(&local, shifted, X3, c, x, v, a);
  for (int k = 0; k < 3; k++) {
    dx[k] = cimag(x[k]) / h;
    dv[k] = cimag(v[k]) / h;
    da[k] = cimag(a[k]) / h;
  }
  go_along(d, c, 3, dx, dv, da);
}

// where a scalar is measured from: its own value there, and the drive's angle
static double scalar_start(const drive *d, const double *X, const pl_state *s, int i,
                           double *from) {
  int rotates = d->edge[2 * i] >= 0 && s && s->anchoring == PL_ANCHORS_CHANGED;
  *from = rotates ? s->hist[d->hist0 + 1] : 0;
  return rotates ? s->hist[d->hist0 + 2 + i] : X[d->scal[i]];
}

static void scalar_motion(const pl_model *m, const drive *d, const double *par, const double *X,
                          const pl_state *s, const pl_clock *c, int i, double *x, double *v,
                          double *a) {
  double Xe[2][3] = {{0}}, from;
  for (int k = 0; k < 2 && d->edge[2 * i] >= 0; k++)
    memcpy(Xe[k], X + d->edge[2 * i + k] * m->dim, (size_t)m->dim * sizeof(double));
  *x = scalar_start(d, X, s, i, &from);
  scalar_d(d, par, (const double(*)[3])Xe, from, c, i, x, v, a);
  if (d->begin) go(d, c, 1, d->begin + d->nnode * m->dim + i, x, v, a);
}

void drive_scalar_along(const pl_model *m, const drive *d, const double *par, const double *dpar,
                        const double *X, const double *dX, const pl_state *s, const pl_clock *c,
                        int i, double *dx, double *dv, double *da) {
  const double h = 1e-100;
  double complex Xe[2][3] = {{0}}, x, v, a, shifted[4 * PL_TERM_MAX];
  double from;
  for (int k = 0; k < 2 && d->edge[2 * i] >= 0; k++)
    for (int j = 0; j < m->dim; j++) {
      int at = d->edge[2 * i + k] * m->dim + j;
      Xe[k][j] = X[at] + I * h * dX[at];
    }
  drive local = *d;
  local.par0 = 0;
  for (int k = 0; k < 4 * d->nterm; k++) shifted[k] = par[d->par0 + k] + I * h * dpar[d->par0 + k];
  x = scalar_start(d, X, s, i, &from) + I * h * dX[d->scal[i]];
  scalar_z(&local, shifted, (const double complex(*)[3])Xe, from, c, i, &x, &v, &a);
  *dx = cimag(x) / h;
  *dv = cimag(v) / h;
  *da = cimag(a) / h;
  go_along(d, c, 1, dx, dv, da);
}

double term_factor(int harmonic, double phase, const pl_course *over, const pl_clock *c) {
  double r[3];
  if (harmonic == 0) {
    constant_factor(over, c, r);
    return r[0];
  }
  if (!(c->omega > 0)) return 0;
  ramp_factor(c, r);
  return r[0] * sin(harmonic * c->omega * c->t + phase);
}

void pl_drive(const pl_model *m, const pl_params *p, const pl_clock *c, pl_state *s) {
  for (int k = 0; k < m->ndrive; k++) {
    const drive *d = &m->drive[k];
    for (int i = 0; i < d->nnode; i++) {
      double x[3], v[3], a[3];
      node_motion(m, d, p->par, p->X, c, i, x, v, a);
      for (int j = 0; j < m->dim; j++) {
        if (!(d->mask >> j & 1)) continue;
        int at = d->node[i] * m->dim + j;
        s->q[at] = x[j];
        s->v[at] = v[j];
        s->a[at] = a[j];
      }
    }
    for (int i = 0; i < d->nscal; i++) {
      int at = d->scal[i];
      scalar_motion(m, d, p->par, p->X, s, c, i, &s->q[at], &s->v[at], &s->a[at]);
    }
    if (d->kind == PL_DRIVE_ROTATION && d->nscal) {
      double w, dw;
      terms_d(d, p->par, c, 0, &s->hist[d->hist0], &w, &dw);
    }
  }
}

int pl_drive_node(const pl_model *m, const pl_params *p, const pl_clock *c, int node, double *x,
                  double *v, double *a) {
  int mask = 0;
  for (int k = 0; k < m->ndrive; k++) {
    const drive *d = &m->drive[k];
    for (int i = 0; i < d->nnode; i++) {
      if (d->node[i] != node) continue;
      double x1[3], v1[3], a1[3];
      node_motion(m, d, p->par, p->X, c, i, x1, v1, a1);
      for (int j = 0; j < m->dim; j++) {
        if (!(d->mask >> j & 1)) continue;
        x[j] = x1[j];
        v[j] = v1[j];
        a[j] = a1[j];
        mask |= 1 << j;
      }
      break;
    }
  }
  return mask;
}

void pl_drive_rotation(const pl_model *m, const pl_params *p, const pl_clock *c, double *R) {
  static const double none[3] = {0};
  double angle = 0, w, dw;
  int k = 0;
  while (k < m->ndrive && (m->drive[k].kind != PL_DRIVE_ROTATION || !m->drive[k].nscal)) k++;
  if (k < m->ndrive) terms_d(&m->drive[k], p->par, c, 0, &angle, &w, &dw);
  pl_rotation3(k < m->ndrive ? m->drive[k].axis : none, angle, R);
}

// moment of a modified Rodrigues vector s and the force g on it: ds/dt = B w, moment B' g
static void add_vector_moment(const double s[3], const double g[3], double moment[3]) {
  double t[3], along = pl_dot3(s, g) / 2, straight = (1 - pl_dot3(s, s)) / 4;
  pl_cross3(s, g, t);
  for (int c = 0; c < 3; c++) moment[c] += straight * g[c] + t[c] / 2 + along * s[c];
}

// components 0 to 2 of a vector stand there
static int is_vector(const drive *d, int i) {
  if (i + 3 > d->nscal) return 0;
  for (int c = 0; c < 3; c++)
    if (d->part[2 * (i + c)] > PL_SCALAR_VECTOR || d->part[2 * (i + c) + 1] != c) return 0;
  return 1;
}

// what holds the directions of rods; in: of the nodes that have 1 there, NULL: of all
static void add_scalar_moments(const drive *d, const double *q, const double *r, const char *in,
                               double moment[3]) {
  for (int i = 0; i < d->nscal; i++) {
    const int *part = d->part + 2 * i;
    if (part[0] >= 0) {
      if (in && !(in[part[0]] && in[part[1]])) continue;
      double t[3];
      pl_sub3(q + 3 * part[1], q + 3 * part[0], t);
      pl_axpy(3, r[d->scal[i]] / pl_norm3(t), t, moment, moment);
    } else if (is_vector(d, i) && (!in || in[PL_SCALAR_VECTOR - part[0]])) {
      double s[3], g[3];
      for (int c = 0; c < 3; c++) {
        s[c] = q[d->scal[i + c]];
        g[c] = r[d->scal[i + c]];
      }
      add_vector_moment(s, g, moment);
    }
  }
}

// adds what holds the nodes of a drive, its moment about `middle`; in: of the nodes that have 1
// there, NULL: of all. Returns whether there are any.
static int add_reaction(const pl_model *m, const drive *d, const pl_state *s, const double *r,
                        const char *in, const double middle[3], double force[3], double moment[3]) {
  int any = 0;
  for (int i = 0; i < d->nnode; i++) {
    double f[3] = {0}, arm[3] = {0}, t[3];
    int at_place = i < d->nplace || !d->carrier;
    if (in && !in[at_place ? d->node[i] : d->carrier[i - d->nplace]]) continue;
    any = 1;
    for (int c = 0; c < m->dim; c++) {
      int at = d->node[i] * m->dim + c;
      arm[c] = s->q[at] - middle[c];
      if (d->mask >> c & 1) f[c] = r[at];
    }
    pl_cross3(arm, f, t);
    for (int c = 0; c < 3; c++) {
      force[c] += f[c];
      moment[c] += t[c];
    }
  }
  add_scalar_moments(d, s->q, r, in, moment);
  return any;
}

void pl_drive_reaction(const pl_model *m, const pl_state *s, const double *r, int k,
                       double force[3], double moment[3]) {
  const drive *d = &m->drive[k];
  double middle[3] = {0};
  for (int c = 0; c < 3; c++) force[c] = moment[c] = 0;
  for (int i = 0; i < d->nplace; i++)
    for (int c = 0; c < m->dim; c++) middle[c] += s->q[d->node[i] * m->dim + c] / d->nplace;
  add_reaction(m, d, s, r, NULL, middle, force, moment);
}

int pl_held_reaction(const pl_model *m, const pl_state *s, const double *r, const char *in,
                     double force[3], double moment[3]) {
  double middle[3] = {0};
  int n = 0, any = 0;
  for (int c = 0; c < 3; c++) force[c] = moment[c] = 0;
  for (int i = 0; i < m->nnode; i++) {
    if (!in[i]) continue;
    for (int c = 0; c < m->dim; c++) middle[c] += s->q[i * m->dim + c];
    n++;
  }
  for (int c = 0; n > 0 && c < m->dim; c++) middle[c] /= n;
  for (int k = 0; k < m->ndrive; k++)
    any |= add_reaction(m, &m->drive[k], s, r, in, middle, force, moment);
  return any;
}

void pl_params_scale_harmonic(const pl_model *m, pl_params *p, double factor) {
  for (int k = 0; k < m->ndrive; k++)
    for (int t = 0; t < m->drive[k].nterm; t++)
      for (int i = 0; i < 3 && m->drive[k].harmonic[t] > 0; i++)
        p->par[m->drive[k].par0 + 4 * t + i] *= factor;
  for (int k = 0; k < m->nload; k++)
    for (int i = 0; i < 3 && m->load[k].harmonic > 0; i++) p->par[m->load[k].par0 + i] *= factor;
}

void frame_acceleration(const pl_model *m, const double *par, const pl_params *p, const pl_clock *c,
                        double a[3]) {
  a[0] = a[1] = a[2] = 0;
  for (int k = 0; k < m->nload; k++) {
    const load *l = &m->load[k];
    if (!l->inertial) continue;
    double factor = term_factor(l->harmonic, p->par[l->par0 + 3], &l->over, c);
    for (int j = 0; j < m->dim; j++) a[j] += factor * par[l->par0 + j];
  }
}

void add_frame_force(const pl_model *m, const pl_params *p, double by, const double a[3],
                     double *out) {
  int nn = m->nnode * m->dim;
  if (a[0] == 0 && a[1] == 0 && a[2] == 0) return;
  for (pl_entry e = {.k = -1}; pl_csc_next(&p->M, &e);) {
    if (e.j < nn) out[e.i] += by * p->M.val[e.k] * a[e.j % m->dim];
    if (e.i < nn && e.i != e.j) out[e.j] += by * p->M.val[e.k] * a[e.i % m->dim];
  }
}

void pl_load(const pl_model *m, const pl_params *p, const pl_clock *c, double *f) {
  memset(f, 0, (size_t)m->nq * sizeof(double));
  for (int k = 0; k < m->nload; k++) {
    const load *l = &m->load[k];
    double factor = term_factor(l->harmonic, p->par[l->par0 + 3], &l->over, c);
    for (int i = 0; i < l->nnode; i++)
      for (int j = 0; j < m->dim; j++)
        f[l->node[i] * m->dim + j] += (l->share ? l->share[i] : 1) * factor * p->par[l->par0 + j];
  }
  double a[3];
  frame_acceleration(m, p->par, p, c, a);
  add_frame_force(m, p, -1, a, f);
}
