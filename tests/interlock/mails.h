#ifndef INTERLOCK_MAILS_H
#define INTERLOCK_MAILS_H

// Materials of the tests, in millimetres.
#include "check.h"
#include "pliant/interlock.h"
#include "pliant/math.h"

#include <stdlib.h>
#include <string.h>

typedef pl_mail_data sample_mail;

static const double X_AXIS[3] = {1, 0, 0}, Z_AXIS[3] = {0, 0, 1};

static inline pl_piece ring(double x, double y, double z, double nx, double ny, double nz, double R,
                            double a, double b) {
  return pl_piece_ring((double[]){x, y, z}, (double[]){nx, ny, nz}, R, a, b);
}

// facets with memory of their own, which is freed with free()
static inline pl_piece facets(int nvert, const double (*x)[3], int nsegment,
                              const int (*segment)[2], int ntriangle, const int (*triangle)[3],
                              double radius, void **buffer) {
  *buffer = malloc(pl_facets_size(nvert, nsegment, ntriangle));
  return pl_piece_facets(pl_facets_init(nvert, x, nsegment, segment, ntriangle, triangle, *buffer),
                         radius);
}

// a closed polygon of n corners on a circle
static inline pl_piece polygon(int n, double R, double radius, void **buffer) {
  double x[128][3] = {{0}};
  int segment[128][2];
  for (int k = 0; k < n; k++) {
    x[k][0] = R * cos(2 * PL_PI * k / n);
    x[k][1] = R * sin(2 * PL_PI * k / n);
    segment[k][0] = k;
    segment[k][1] = (k + 1) % n;
  }
  return facets(n, (const double(*)[3])x, n, (const int(*)[2])segment, 0, NULL, radius, buffer);
}

// a regular polygon with what is inside of it
static inline pl_piece plate(int n, double R, double z, double radius, void **buffer) {
  double x[32][3] = {{0}};
  int triangle[32][3];
  for (int k = 0; k < n; k++) {
    x[k][0] = R * cos(2 * PL_PI * k / n);
    x[k][1] = R * sin(2 * PL_PI * k / n);
    x[k][2] = z;
  }
  for (int k = 0; k < n - 2; k++) {
    triangle[k][0] = 0;
    triangle[k][1] = k + 1;
    triangle[k][2] = k + 2;
  }
  return facets(n, (const double(*)[3])x, 0, NULL, n - 2, (const int(*)[3])triangle, radius,
                buffer);
}

// a torus of n x m points about z
static inline pl_piece torus_mesh(int n, int m, double R, double r, double radius, void **buffer) {
  static double x[1024][3];
  static int triangle[2048][3];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double a = 2 * PL_PI * i / n, b = 2 * PL_PI * j / m, *to = x[i * m + j];
      to[0] = (R + r * cos(b)) * cos(a);
      to[1] = (R + r * cos(b)) * sin(a);
      to[2] = r * sin(b);
      int p = i * m + j, q = (i + 1) % n * m + j, s = (i + 1) % n * m + (j + 1) % m,
          t = i * m + (j + 1) % m;
      memcpy(triangle[2 * p], (int[3]){p, q, s}, sizeof *triangle);
      memcpy(triangle[2 * p + 1], (int[3]){p, s, t}, sizeof *triangle);
    }
  return facets(n * m, (const double(*)[3])x, 0, NULL, 2 * n * m, (const int(*)[3])triangle, radius,
                buffer);
}

static inline pl_pose pose_at(double x, double y, double z, const double *axis, double degrees) {
  pl_pose p = {.x = {x, y, z}};
  pl_rotation3(axis, degrees * PL_PI / 180, p.Q);
  return p;
}

static inline void four_in_one(sample_mail *s) {
  pl_mail_table[PL_MAIL_four_in_one]->make((double[]){4.9, 1.15, 12.2, 6, 35 * PL_PI / 180}, s);
}

// half the heights of the sections of the flat ring and of the arms
static inline void threefold(sample_mail *s, double centre, double arm) {
  pl_mail_table[PL_MAIL_threefold]->make((double[]){4.25, 2.575, 0.95, centre, arm, 11.075}, s);
}

static inline void torus_knot(sample_mail *s, double r) {
  pl_mail_table[PL_MAIL_torus_knot]->make((double[]){5.5, 2.7, r, 38.5 / 3}, s);
}

static inline void japanese(sample_mail *s, double pitch, double R1, double r1, double R2,
                            double r2) {
  pl_mail_table[PL_MAIL_japanese]->make((double[]){R1, r1, R2, r2, pitch}, s);
}

static inline void chain(sample_mail *s, double pitch, double R, double r) {
  pl_mail_table[PL_MAIL_chain]->make((double[]){R, r, pitch, 10 * R}, s);
}

// scale mail, idealised; plate and foot 0: without
static inline void scale_mail(sample_mail *s, double plate_, double foot) {
  const double rot = PL_PI / 180;
  pl_mail_table[PL_MAIL_scale_mail]->make(
      (double[]){4.18, 0.79, 0.79, 3.35, 45 * rot, 90 * rot, 0, 13.02, plate_, 2.992, 0.5, foot},
      s);
}

static inline void scale_rings(sample_mail *s) {
  scale_mail(s, 0, 0);
}

// as fitted to the published mesh
static inline void scale_fit(sample_mail *s, double foot) {
  const double rot = PL_PI / 180;
  pl_mail_table[PL_MAIL_scale_mail]->make((double[]){4.183, 0.843, 0.739, 3.346, 45.5 * rot,
                                                     83.9 * rot, -1.88 * rot, 13.02, 0, 2.992, 0.5,
                                                     foot},
                                          s);
}

static inline pl_taut_goal along(double degrees, double sign) {
  return pl_taut_along(degrees * PL_PI / 180, sign);
}

static inline pl_taut_opts taut_defaults(void) {
  pl_taut_opts o;
  pl_opts_default(pl_taut_option_table, pl_taut_option_count, &o);
  return o;
}

#endif
