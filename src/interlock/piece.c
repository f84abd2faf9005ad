#include "interlock_impl.h"

#include <string.h>

// Swept pieces. A section that is an ellipse is the union of the circles about its medial axis: of
// half-axes a < b, spheres of radius a sqrt(1 - t^2) about points at t sqrt(b^2 - a^2) along b.

static double focus(const pl_piece *p) {
  double a = p->radius, b = p->height;
  return p->kind == PL_PIECE_RING ? sqrt(fabs(b * b - a * a)) : 0;
}

int piece_nu(const pl_piece *p, int part) {
  if (p->kind == PL_PIECE_FACETS) return facets_nu(p->facets, part);
  return focus(p) > 0 ? 2 : 1;
}

int pl_piece_nu(const pl_piece *p) {
  return piece_nu(p, 0);
}

pl_piece pl_piece_ring(const double centre[3], const double axis[3], double major, double radius,
                       double height) {
  pl_piece p = {.kind = PL_PIECE_RING, .radius = radius, .height = height, .major = major};
  double length = pl_norm3(axis), pick[3] = {0};
  int least = 0;
  memcpy(p.centre, centre, sizeof p.centre);
  for (int i = 0; i < 3; i++) {
    p.axis[i] = axis[i] / length;
    if (fabs(p.axis[i]) < fabs(p.axis[least])) least = i;
  }
  pick[least] = 1;
  pl_cross3(p.axis, pick, p.out[0]);
  length = pl_norm3(p.out[0]);
  for (int i = 0; i < 3; i++) p.out[0][i] /= length;
  pl_cross3(p.axis, p.out[0], p.out[1]);
  return p;
}

pl_piece pl_piece_link(const double centre[3], const double axis[3], const double along[3],
                       double major, double straight, double radius) {
  pl_piece p = pl_piece_ring(centre, axis, major, radius, radius);
  p.kind = PL_PIECE_LINK;
  p.straight = straight;
  double on = pl_dot3(along, p.axis), side[3];
  for (int i = 0; i < 3; i++) side[i] = along[i] - on * p.axis[i];
  double length = pl_norm3(side);
  for (int i = 0; i < 3; i++) p.out[0][i] = side[i] / length;
  pl_cross3(p.axis, p.out[0], p.out[1]);
  return p;
}

pl_piece pl_piece_facets(const pl_facets *f, double radius) {
  return (pl_piece){.kind = PL_PIECE_FACETS, .radius = radius, .height = radius, .facets = f};
}

static void ring_at(const pl_piece *p, const double u[2], pl_swept *out) {
  const double *e = p->out[0], *f = p->out[1];
  double c = cos(u[0]), s = sin(u[0]), m = focus(p), t = m > 0 ? u[1] : 0;
  int tall = p->height > p->radius; // the medial axis lies along the ring's
  double major = p->major + (tall ? 0 : m * t), thin = fmin(p->radius, p->height);
  for (int i = 0; i < 3; i++) {
    double out_ = c * e[i] + s * f[i], on = c * f[i] - s * e[i];
    out->p[i] = p->centre[i] + major * out_ + (tall ? m * t * p->axis[i] : 0);
    out->d[0][i] = major * on;
    out->dd[0][i] = -major * out_;
    out->d[1][i] = m * (tall ? p->axis[i] : out_);
    out->dd[1][i] = tall ? 0 : m * on;
  }
  double root = sqrt(fmax(1 - t * t, 1e-12));
  out->rho = thin * root;
  out->r[1] = -thin * t / root;
  out->rr[2] = -thin / (root * root * root);
}

static double link_speed(const pl_piece *p) {
  return p->major + p->straight / PL_PI;
}

// cosines and sines of multiples by turning on
static void curve_at(const pl_piece *p, double t, pl_swept *out) {
  double c1 = cos(t), s1 = sin(t), c = 1, s = 0;
  memcpy(out->p, p->centre, sizeof out->p);
  for (int k = 1; k <= p->nharmonic; k++) {
    double next = c * c1 - s * s1;
    s = s * c1 + c * s1;
    c = next;
    const double *a = p->cosine[k - 1], *b = p->sine[k - 1];
    for (int i = 0; i < 3; i++) {
      double x = a[i] * c + b[i] * s;
      out->p[i] += x;
      out->d[0][i] += k * (b[i] * c - a[i] * s);
      out->dd[0][i] -= k * k * x;
    }
  }
  out->rho = p->radius;
}

// Evenly along it, from where the first half circle begins.
static void link_at(const pl_piece *p, double u, pl_swept *out) {
  double speed = link_speed(p), half = PL_PI * p->major;
  double s = speed * (u - 2 * PL_PI * floor(u / (2 * PL_PI)));
  int second = s > half + p->straight;
  double sign = second ? -1 : 1, on = s - second * (half + p->straight), a = on / p->major;
  double bent = on < half, beyond = fmax(on - half, 0);
  double c = bent ? sin(a) : 0, d = bent ? -cos(a) : 1;
  for (int i = 0; i < 3; i++) {
    double e = sign * p->out[0][i], f = sign * p->out[1][i];
    out->p[i] = p->centre[i] + (p->straight / 2 - beyond + p->major * c) * e + p->major * d * f;
    out->d[0][i] = speed * (-d * e + c * f);
    out->dd[0][i] = bent ? -speed * speed / p->major * (c * e + d * f) : 0;
  }
  out->rho = p->radius;
}

void piece_at(const pl_piece *p, int part, const double u[2], pl_swept *out) {
  memset(out, 0, sizeof *out);
  switch (p->kind) {
  case PL_PIECE_RING:
    ring_at(p, u, out);
    break;
  case PL_PIECE_CURVE:
    curve_at(p, u[0], out);
    break;
  case PL_PIECE_LINK:
    link_at(p, u[0], out);
    break;
  case PL_PIECE_FACETS:
    facets_at(p->facets, part, u, out);
    out->rho = p->radius;
  }
}

void pl_piece_at(const pl_piece *p, const double u[2], pl_swept *out) {
  piece_at(p, 0, u, out);
}

double piece_wire(const pl_piece *p) {
  if (p->kind == PL_PIECE_RING) return fmin(p->radius, p->height);
  if (p->kind != PL_PIECE_FACETS || facets_are_line(p->facets)) return p->radius;
  double body = facets_wire(p->facets);
  return body > 0 ? body + p->radius : 0;
}

double piece_speed(const pl_piece *p) {
  if (p->kind == PL_PIECE_RING) return p->major + fmax(p->radius, p->height);
  if (p->kind == PL_PIECE_LINK) return link_speed(p);
  double speed = 0;
  for (int k = 0; k < p->nharmonic; k++)
    speed += (k + 1) * sqrt(pl_dot3(p->cosine[k], p->cosine[k]) + pl_dot3(p->sine[k], p->sine[k]));
  return speed;
}

// A tube meets itself where its curve is bent to less than its radius, or where two parts that are
// not neighbours come closer than two radii; neighbours are those within half a turn about one.
int piece_cuts_itself(const pl_piece *p) {
  enum { N = 256 };
  pl_swept s[N];
  double arc[N + 1] = {0};
  for (int i = 0; i < N; i++) {
    double cross[3], speed;
    pl_piece_at(p, (double[2]){2 * PL_PI * i / N, 0}, &s[i]);
    speed = pl_norm3(s[i].d[0]);
    pl_cross3(s[i].d[0], s[i].dd[0], cross);
    if (!(pl_norm3(cross) * p->radius < speed * speed * speed)) return 1;
    arc[i + 1] = arc[i] + speed * 2 * PL_PI / N;
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++) {
      double w[3], along = arc[i] - arc[j];
      pl_sub3(s[i].p, s[j].p, w);
      if (fmin(along, arc[N] - along) > 1.02 * PL_PI * p->radius && pl_norm3(w) < 2 * p->radius)
        return 1;
    }
  return 0;
}

double piece_radius(const pl_piece *p, double from[3]) {
  if (p->kind == PL_PIECE_FACETS) return facets_radius(p->facets, from) + p->radius;
  memcpy(from, p->centre, 3 * sizeof *from);
  if (p->kind == PL_PIECE_RING) return p->major + fmax(p->radius, p->height);
  if (p->kind == PL_PIECE_LINK) return p->major + p->straight / 2 + p->radius;
  double range = p->radius;
  for (int k = 0; k < p->nharmonic; k++)
    range += sqrt(pl_dot3(p->cosine[k], p->cosine[k]) + pl_dot3(p->sine[k], p->sine[k]));
  return range;
}

void pl_pose_quaternion(const pl_pose *p, double q[4]) {
  const double *R = p->Q;
  const double trace[4] = {R[0] + R[4] + R[8], R[0] - R[4] - R[8], R[4] - R[0] - R[8],
                           R[8] - R[0] - R[4]};
  const double odd[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]};
  const double even[3] = {R[5] + R[7], R[2] + R[6], R[1] + R[3]}; // yz, xz, xy
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (trace[i] > trace[k]) k = i;
  // the largest of the four is well away from zero
  double big = sqrt(1 + trace[k]) / 2, part = 1 / (4 * big);
  for (int i = 0; i < 3; i++)
    q[1 + i] = part * (k == 0 ? odd[i] : i != k - 1 ? even[3 - i - (k - 1)] : 4 * big * big);
  q[0] = k == 0 ? big : part * odd[k - 1];
}
