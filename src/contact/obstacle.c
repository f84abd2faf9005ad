// Obstacles: where points stand to them, what is wrong with them, and their lines.
#include "contact_impl.h"

#include <string.h>

#define X(name) &pl_obstacle_##name,
const pl_obstacle_kind *const pl_obstacle_table[PL_OBSTACLE_COUNT] = {PL_OBSTACLE_LIST(X)};
#undef X

// ---- for kinds ----------------------------------------------------------------------------------

double obstacle_unit(int dim, const double *d, double *n) {
  double size = pl_norm(dim, d);
  for (int i = 0; i < dim; i++) n[i] = size > 0 ? d[i] / size : i == dim - 1;
  return size;
}

// by the axis that is farthest from the normal
void pl_contact_tangents(int dim, double frame[3][3]) {
  const double *n = frame[0];
  memset(frame[1], 0, 6 * sizeof(double));
  if (dim == 2) {
    frame[1][0] = -n[1];
    frame[1][1] = n[0];
  }
  if (dim < 3) return;
  int least = fabs(n[0]) <= fabs(n[1]) ? 0 : 1;
  if (fabs(n[2]) < fabs(n[least])) least = 2;
  double e[3] = {0};
  e[least] = 1;
  pl_cross3(n, e, frame[1]);
  double size = pl_norm3(frame[1]);
  for (int i = 0; i < 3; i++) frame[1][i] /= size;
  pl_cross3(n, frame[1], frame[2]);
}

void obstacle_axes(int dim, const double *axis, double frame[3][3]) {
  const double x[3] = {1, 0, 0};
  memset(frame[0], 0, 3 * sizeof(double));
  obstacle_unit(dim, pl_norm(dim, axis) > 0 ? axis : x, frame[0]);
  pl_contact_tangents(dim, frame);
}

void obstacle_across(int dim, const double *axis, double *n) {
  double aa = pl_dot(dim, axis, axis), e[3] = {0};
  int least = 0;
  for (int i = 1; i < dim; i++)
    if (fabs(axis[i]) < fabs(axis[least])) least = i;
  for (int i = 0; i < dim; i++) e[i] = (i == least) - axis[i] * axis[least] / aa;
  obstacle_unit(dim, e, n);
}

void obstacle_between(const double *from, const double *to, pl_obstacle *o) {
  for (int c = 0; c < 3; c++) {
    o->centre[c] = 0.5 * (from[c] + to[c]);
    o->par[c] = 0.5 * (to[c] - from[c]);
  }
}

void obstacle_mantle(const pl_pen *p, double end[2][3], const double *e) {
  for (int sign = -1; sign < 2; sign += 2) {
    double a[3], b[3];
    for (int c = 0; c < 3; c++) {
      a[c] = end[0][c] + sign * e[c];
      b[c] = end[1][c] + sign * e[c];
    }
    pl_pen_edge(p, a, b);
  }
}

void obstacle_random(pl_rng *r, int dim, double *x) {
  for (int i = 0; i < 3; i++) x[i] = i < dim ? pl_rng_uniform(r, -1, 1) : 0;
}

// ---- gaps ---------------------------------------------------------------------------------------

int obstacle_rotation(const pl_obstacle *o, double R[9]) {
  const double none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  memcpy(R, none, sizeof none);
  if (!(pl_norm(4, o->rotation) > 0)) return 0;
  pl_quat_to_mat(o->rotation, R);
  return 1;
}

// The gradient of the distance is Im d(x + i s e)/s along every axis. Where there is none, as on a
// wire itself, any direction will do.
static double distance_lifted(const pl_obstacle *o, int dim, const double *x, double *n) {
  static const double STEP = 1e-40;
  double complex z[3] = {0}, d = 0;
  for (int c = 0; c < dim; c++) z[c] = x[c];
  for (int c = 0; c < dim; c++) {
    z[c] = x[c] + STEP * I;
    d = o->kind->distance_z(o, dim, z);
    z[c] = x[c];
    n[c] = cimag(d) / STEP;
  }
  double size = pl_norm(dim, n);
  if (!(size > 0) || !isfinite(size))
    for (int c = 0; c < dim; c++) n[c] = c == dim - 1;
  else
    for (int c = 0; c < dim; c++) n[c] /= size;
  return creal(d);
}

static double shape_distance(const pl_obstacle *o, int dim, const double *x, double *n) {
  return o->kind->distance ? o->kind->distance(o, dim, x, n) : distance_lifted(o, dim, x, n);
}

void pl_obstacle_gap(const pl_obstacle *o, int dim, double t, const double *x, double radius,
                     pl_gap *out) {
  double R[9], d[3] = {0}, own[3] = {0}, n[3] = {0}, distance;
  for (int i = 0; i < dim; i++) d[i] = x[i] - (o->centre[i] + o->velocity[i] * t);
  if (obstacle_rotation(o, R)) {
    double local[3] = {0};
    for (int j = 0; j < dim; j++)
      for (int i = 0; i < dim; i++) own[j] += R[3 * i + j] * d[i];
    distance = shape_distance(o, dim, own, local);
    for (int i = 0; i < 3; i++) n[i] = pl_dot3(R + 3 * i, local);
  } else {
    distance = shape_distance(o, dim, d, n);
  }
  out->gap = distance - radius - o->radius;
  memcpy(out->frame, n, sizeof n);
  pl_contact_tangents(dim, out->frame);
}

typedef struct parts {
  const double *R; // NULL: it is not turned
  double away;     // taken from distances
  pl_obstacle_part *each;
  void *ctx;
} parts;

static void describe_part(void *ctx, double distance, const double n[3]) {
  const parts *p = ctx;
  double world[3];
  for (int i = 0; p->R && i < 3; i++) world[i] = pl_dot3(p->R + 3 * i, n);
  p->each(p->ctx, distance - p->away, p->R ? world : n);
}

void pl_obstacle_around(const pl_obstacle *o, double t, const double *x, double radius,
                        double within, pl_obstacle_part *each, void *ctx) {
  pl_gap nearest;
  double R[9], d[3], own[3];
  if (!o->kind->around) {
    pl_obstacle_gap(o, 3, t, x, radius, &nearest);
    if (nearest.gap < within) each(ctx, nearest.gap, nearest.frame[0]);
    return;
  }
  for (int i = 0; i < 3; i++) d[i] = own[i] = x[i] - (o->centre[i] + o->velocity[i] * t);
  int rotated = obstacle_rotation(o, R);
  for (int j = 0; rotated && j < 3; j++) own[j] = R[j] * d[0] + R[3 + j] * d[1] + R[6 + j] * d[2];
  parts p = {rotated ? R : NULL, radius + o->radius, each, ctx};
  o->kind->around(o, own, within + p.away, describe_part, &p);
}

double pl_obstacle_size(const pl_obstacle *o, int dim) {
  double lo[3] = {0}, hi[3] = {0};
  if (o->kind->bounds) o->kind->bounds(o, lo, hi);
  return fmax(fmax(pl_max_abs(dim, o->centre), o->radius),
              fmax(pl_max_abs(dim, lo), pl_max_abs(dim, hi)));
}

// ---- checks -------------------------------------------------------------------------------------

static pl_status check_number(pl_env *env, const char *what, const char *kind, const pl_key *k,
                              double v) {
  if (v > k->lo || (!k->lo_open && v >= k->lo) || !(k->lo < k->hi)) return PL_OK;
  return pl_fail(env, PL_E_INPUT, "%s (%s): %s must be %s %g, got %g%s%s", what, kind, k->name,
                 k->lo_open ? ">" : ">=", k->lo, v, k->unit && k->unit[0] ? " " : "",
                 k->unit ? k->unit : "");
}

pl_status pl_obstacle_check(pl_env *env, const pl_obstacle *o, int dim, const char *what) {
  static const pl_key radius = {.name = "radius", .hi = INFINITY, .unit = "m"};
  const pl_obstacle_kind *kind = o->kind;
  if (!kind || !kind->name || (!kind->distance && !kind->distance_z) || kind->nkey < 0 ||
      kind->nkey > PL_KEY_MAX)
    return pl_fail(env, PL_E_ARG, "%s: its kind has no name, no distance or too many keys", what);
  if (!pl_all_finite(3, o->centre) || !pl_all_finite(4, o->rotation) ||
      !pl_all_finite(3, o->velocity) || !pl_all_finite(PL_SHAPE_PAR_MAX, o->par) ||
      !isfinite(o->radius))
    return pl_fail(env, PL_E_INPUT, "%s (%s): some number is not finite", what, kind->name);
  if (!(o->mu >= 0) || !isfinite(o->mu))
    return pl_fail(env, PL_E_INPUT, "%s (%s): friction coefficient must be >= 0, got %g", what,
                   kind->name, o->mu);
  if (dim < kind->dim)
    return pl_fail(env, PL_E_INPUT, "%s (%s): it needs a model in %d dimensions, this has %d", what,
                   kind->name, kind->dim, dim);
  PL_TRY(check_number(env, what, kind->name, &radius, o->radius));
  for (int i = 0, at = 0; i < kind->nkey; i++) {
    const pl_key *k = &kind->key[i];
    if (k->type == PL_KEY_RADIUS) PL_TRY(check_number(env, what, kind->name, k, o->radius));
    if (kind->make) continue;
    if (k->type == PL_KEY_NUMBER) PL_TRY(check_number(env, what, kind->name, k, o->par[at]));
    at += k->type == PL_KEY_VECTOR ? 3 : k->type < PL_KEY_CENTRE;
  }
  pl_shape_fault fault = {0};
  if (kind->check && kind->check(o, dim, &fault))
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, fault.hint, "%s (%s): %s", what, kind->name,
                      fault.text);
  return PL_OK;
}

// ---- lines --------------------------------------------------------------------------------------

enum { ROUND = 32, PIECES = 16 }; // parts of a circle and of an edge

static void to_world(const pl_pen *p, const double *own, double *x) {
  for (int c = 0; c < 3; c++) x[c] = p->centre[c] + pl_dot3(p->R + 3 * c, own);
}

void pl_pen_line(const pl_pen *p, const double a[3], const double b[3]) {
  double from[3], to[3];
  to_world(p, a, from);
  to_world(p, b, to);
  p->line(p->ctx, from, to);
}

void pl_pen_edge(const pl_pen *p, const double a[3], const double b[3]) {
  double from[3], to[3];
  for (int i = 0; i < PIECES; i++) {
    for (int c = 0; c < 3; c++) {
      from[c] = a[c] + (b[c] - a[c]) * i / PIECES;
      to[c] = a[c] + (b[c] - a[c]) * (i + 1) / PIECES;
    }
    pl_pen_line(p, from, to);
  }
}

void pl_pen_arc(const pl_pen *p, const double m[3], const double u[3], const double v[3],
                double from, double to) {
  double at[2][3];
  int n = (int)fmin(ROUND, fmax(1, rint(ROUND * fabs(to - from) / (2 * PL_PI))));
  for (int i = 0; i <= n; i++) {
    double a = from + (to - from) * i / n;
    for (int c = 0; c < 3; c++) at[i & 1][c] = m[c] + cos(a) * u[c] + sin(a) * v[c];
    if (i > 0) pl_pen_line(p, at[(i + 1) & 1], at[i & 1]);
  }
}

void pl_pen_extent(const pl_pen *p, const double direction[3], double *lo, double *hi) {
  double n[3], d[3];
  for (int c = 0; c < 3; c++) n[c] = pl_dot3(p->R + 3 * c, direction);
  *lo = INFINITY;
  *hi = -INFINITY;
  for (size_t i = 0; i < p->nnear; i++) {
    pl_sub3(p->near + 3 * i, p->centre, d);
    double at = pl_dot3(d, n);
    *lo = fmin(*lo, at);
    *hi = fmax(*hi, at);
  }
}

void pl_obstacle_draw(const pl_obstacle *o, int dim, double t, size_t nnear, const double *near,
                      void (*line)(void *ctx, const double *a, const double *b), void *ctx) {
  pl_pen p = {.dim = dim, .line = line, .ctx = ctx, .nnear = nnear, .near = near};
  for (int c = 0; c < 3; c++) p.centre[c] = o->centre[c] + t * o->velocity[c];
  obstacle_rotation(o, p.R);
  if (o->kind->draw) o->kind->draw(o, &p);
}

void pl_picture_box(size_t n, const double *x, double lo[3], double hi[3]) {
  double size[3];
  for (int c = 0; c < 3; c++) {
    lo[c] = INFINITY;
    hi[c] = -INFINITY;
  }
  for (size_t i = 0; i < 3 * n; i++) {
    lo[i % 3] = fmin(lo[i % 3], x[i]);
    hi[i % 3] = fmax(hi[i % 3], x[i]);
  }
  pl_sub3(hi, lo, size);
  double around = 0.75 * pl_norm3(size);
  for (int c = 0; c < 3; c++) {
    lo[c] -= around;
    hi[c] += around;
  }
}
