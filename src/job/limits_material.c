// What limits of an interlocking material leave for sheets of it.
#include "run_limits.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_ray(pl_boundary *b, int i, const double k[3], double left, int open) {
  b->distance[i] = pl_norm3(k);
  b->left[i] = left;
  b->open[i] = open;
  for (int c = 0; c < 3; c++) b->ray[i][c] = k[c] / b->distance[i];
}

static void put_face(pl_boundary *b, int *n, int u, int v, int w) {
  const int f[3] = {u, v, w};
  memcpy(b->face[(*n)++], f, sizeof f);
}

// Rays up, 0..n-1, and down, n..2n-1, run about the axis (1, 1, 0) by twice their angle: where one
// is hollow up along an angle its neighbour is hollow down along the angle across. The last two are
// the means of all that are up and of all that are down.
static void put_faces(int n, pl_boundary *b) {
  int nface = 0;
  for (int i = 0; i < n; i++) {
    int next = (i + 1) % n, d = n + (i + (n + 1) / 2) % n, e = n + (i + 1 + (n + 1) / 2) % n;
    put_face(b, &nface, 2 * n, next, i);
    put_face(b, &nface, 2 * n + 1, n + i, n + next);
    put_face(b, &nface, i, next, d);
    put_face(b, &nface, next, e, d);
  }
}

pl_status limits_cylinders(pl_env *env, int n, const pl_taut *taut, pl_boundary *out) {
  double mean[SIDES][3] = {{0}}, left[SIDES] = {0};
  int open[SIDES] = {1, 1};
  if (n < 3) return PL_OK;
  PL_TRY(pl_boundary_alloc(env, 2 * n + 2, 4 * n, out));
  for (int i = 0; i < SIDES * n; i++) {
    const pl_taut *t = &taut[i];
    int side = i % SIDES;
    double a = PL_PI * (i / SIDES) / n, c = cos(a), s = sin(a);
    // an angle per length of the sheet at rest; where it folds that is as far as was looked
    double bend = (side ? -1 : 1) * t->value * (t->folds ? 1 : 1 + t->e[0]);
    const double k[3] = {bend * c * c, bend * s * s, bend * c * s};
    put_ray(out, side * n + i / SIDES, k, t->bound, t->folds);
    open[side] &= t->folds;
    for (int d = 0; d < 3; d++) mean[side][d] += k[d] / n;
    left[side] = fmax(left[side], t->bound);
  }
  for (int side = 0; side < SIDES; side++)
    put_ray(out, 2 * n + side, mean[side], left[side], open[side]);
  put_faces(n, out);
  return PL_OK;
}

// limit of cylinders along an angle, up (sign 1) or down
static double cylinder_at(const pl_boundary *c, double angle, int up) {
  int n = (c->n - 2) / 2;
  double at = angle / PL_PI * n, from = floor(at), t = at - from;
  int i = (((int)from) % n + n) % n, next = (i + 1) % n, side = up ? 0 : n;
  return (1 - t) * c->distance[side + i] + t * c->distance[side + next];
}

// that over what the boundary tells of the same single curvature
static double shrink(const pl_boundary *c, const pl_star *whole, double angle, int up) {
  double a = cos(angle), b = sin(angle), sign = up ? 1 : -1;
  const double k[3] = {sign * a * a, sign * b * b, sign * a * b};
  return cylinder_at(c, angle, up) * sqrt(pl_star_gauge(whole, k, NULL, NULL)) / pl_norm3(k);
}

pl_status limits_join(pl_env *env, const pl_boundary *cylinders, pl_boundary *whole) {
  pl_star *star;
  PL_TRY(pl_boundary_star(env, whole, &star));
  for (int i = 0; i < whole->n; i++) {
    const double *r = whole->ray[i];
    double angle = 0.5 * atan2(2 * r[2], r[0] - r[1]), mid = (r[0] + r[1]) / 2;
    double dev = hypot((r[0] - r[1]) / 2, r[2]), k[2] = {mid + dev, mid - dev}, sum = 0, part = 0;
    for (int p = 0; p < 2; p++) {
      sum += k[p] * k[p];
      part += k[p] * k[p] * shrink(cylinders, star, angle + p * PL_PI / 2, k[p] >= 0);
    }
    whole->distance[i] *= part / sum;
  }
  pl_star_free(star);
  return PL_OK;
}

static double mass_per_area(const pl_scene_mail *mail) {
  const pl_mail *m = mail->m;
  double volume = 0;
  for (int e = 0; e < m->nelem; e++) volume += mail->kind_volume[m->kind_of[e]];
  double area = fabs(m->lattice[0][0] * m->lattice[1][1] - m->lattice[0][1] * m->lattice[1][0]);
  return mail->density * volume / area;
}

// how far sheets go beyond the triangles between rays
static pl_status excess(pl_env *env, const pl_boundary *b, double *out) {
  pl_star *star;
  PL_TRY(pl_boundary_star(env, b, &star));
  *out = pl_star_excess(star);
  pl_star_free(star);
  return PL_OK;
}

// limits that are none
static void report_open(job *j, const pl_analysis *a, const char *of, const pl_boundary *b) {
  int open = 0;
  for (int i = 0; i < b->n; i++) open += b->open[i];
  if (open)
    job_note(j,
             "%s: nothing holds the material along %d of the %d rays of %s in %s.material; there "
             "sheets go as far as was looked",
             a->name, open, b->n, of, a->name);
}

static pl_status report(job *j, const pl_analysis *a, const pl_sheet_material *m) {
  double more;
  report_open(j, a, "strain", &m->membrane);
  report_open(j, a, "curvature", &m->bending);
  PL_TRY(excess(j->env, &m->membrane, &more));
  job_say(j,
          "What sheets of the material need is %s.material; its limits there go beyond the "
          "triangles between %d rays by %.2g %% at most.",
          a->name, m->membrane.n, 100 * more);
  if (m->bending.n == 0) {
    job_say(j, "It has no limits of curvature: %s.",
            a->opts.limits_.bending || a->opts.limits_.patch_boundary
                ? "it folds, or some of them were not found"
                : "patch_boundary, or bending, was not asked for");
    return PL_OK;
  }
  PL_TRY(excess(j->env, &m->bending, &more));
  job_say(j, "Its limits of curvature go beyond the triangles between %d rays by %.2g %% at most.",
          m->bending.n, 100 * more);
  return PL_OK;
}

pl_status limits_material(job *j, const pl_analysis *a, pl_sheet_material *m) {
  const pl_scene_mail *mail = &j->scene->mail[a->mail];
  if (m->membrane.n == 0) return PL_OK;
  snprintf(m->name, sizeof m->name, "%s", mail->name);
  m->copies = a->opts.limits_.copies;
  m->thickness = pl_mail_thickness(mail->m);
  m->mass = mass_per_area(mail);
  m->fingerprint = pl_mail_fingerprint(mail->m);
  PL_TRY(report(j, a, m));
  PL_TRY(job_send_material(j, a->name, m));
  return job_sheet_keep(j, (int)(a - j->scene->analysis), m);
}
