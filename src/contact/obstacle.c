// Signed distances of points to rigid obstacles: closed forms, and meshes.
#include "contact_impl.h"

#include <string.h>

// the last axis: which way out does not matter
static void any_normal(int dim, double *n) {
  for (int i = 0; i < 3; i++) n[i] = i == dim - 1;
}

// n = d/|d|; returns |d|
static double unit(int dim, const double *d, double *n) {
  double size = pl_norm(dim, d);
  memset(n, 0, 3 * sizeof *n);
  for (int i = 0; i < dim && size > 0; i++) n[i] = d[i] / size;
  if (!(size > 0)) any_normal(dim, n);
  return size;
}

static double plane_gap(const pl_obstacle *o, int dim, const double *d, double *n) {
  unit(dim, o->axis, n);
  return pl_dot(dim, d, n);
}

static double sphere_gap(const pl_obstacle *o, int dim, const double *d, double *n) {
  (void)o;
  return unit(dim, d, n);
}

static double capsule_gap(const pl_obstacle *o, int dim, const double *d, double *n) {
  double aa = pl_dot(dim, o->axis, o->axis), s = 0, e[3] = {0};
  if (aa > 0) s = fmin(1, fmax(-1, pl_dot(dim, d, o->axis) / aa));
  for (int i = 0; i < dim; i++) e[i] = d[i] - s * o->axis[i];
  double size = unit(dim, e, n);
  if (size > 0 || !(aa > 0) || dim < 2) return size;
  // on the segment itself: across it
  int least = 0;
  for (int i = 1; i < dim; i++)
    if (fabs(o->axis[i]) < fabs(o->axis[least])) least = i;
  for (int i = 0; i < dim; i++) e[i] = (i == least) - o->axis[i] * o->axis[least] / aa;
  unit(dim, e, n);
  return 0;
}

// from its own axes
static void rotation_matrix(const pl_obstacle *o, double *R) {
  const double none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  memcpy(R, none, sizeof none);
  if (pl_norm(4, o->rotation) > 0) pl_quat_to_mat(o->rotation, R);
}

static double mesh_gap(const pl_obstacle *o, int dim, const double *d, double *n) {
  double R[9], x[3] = {0}, local[3];
  (void)dim;
  rotation_matrix(o, R);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) x[j] += R[3 * i + j] * d[i];
  double gap = obstacle_mesh_gap(o->mesh, x, local);
  for (int i = 0; i < 3; i++) n[i] = pl_dot3(R + 3 * i, local);
  return gap;
}

static double box_gap(const pl_obstacle *o, int dim, const double *d, double *n) {
  double R[9], x[3] = {0}, out[3] = {0}, face = -INFINITY;
  rotation_matrix(o, R);
  int at = 0;
  for (int j = 0; j < dim; j++) {
    for (int i = 0; i < dim; i++) x[j] += R[3 * i + j] * d[i];
    double over = fabs(x[j]) - o->half[j];
    if (over > face) at = j;
    face = fmax(face, over);
    if (over > 0) out[j] = copysign(over, x[j]);
  }
  double local[3] = {0}, gap = face;
  if (face > 0)
    gap = unit(dim, out, local);
  else
    local[at] = copysign(1, x[at]);
  for (int i = 0; i < 3; i++) n[i] = pl_dot3(R + 3 * i, local);
  return gap;
}

// tangents by the axis that is farthest from the normal
static void tangents(int dim, double frame[3][3]) {
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

void pl_obstacle_gap(const pl_obstacle *o, int dim, double t, const double *x, double radius,
                     pl_gap *out) {
  static double (*const kinds[])(const pl_obstacle *, int, const double *, double *) = {
      plane_gap, sphere_gap, box_gap, capsule_gap, mesh_gap};
  double d[3] = {0};
  for (int i = 0; i < dim; i++) d[i] = x[i] - (o->centre[i] + o->velocity[i] * t);
  out->gap = kinds[o->kind](o, dim, d, out->frame[0]) - radius;
  if (o->kind != PL_PLANE) out->gap -= o->radius;
  tangents(dim, out->frame);
}
