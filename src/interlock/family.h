#ifndef FAMILY_H
#define FAMILY_H

#include "interlock_impl.h"

// What families of materials share.

#define LENGTH(name_, value_, text_)                                                               \
  {                                                                                                \
    .name = name_, .type = PL_KEY_NUMBER, .value = value_, .lo = 0, .hi = 1e3, .lo_open = 1,       \
    .unit = "m", .text = text_                                                                     \
  }
// 0: there is none
#define LENGTH_OR_NONE(name_, value_, text_)                                                       \
  {                                                                                                \
    .name = name_, .type = PL_KEY_NUMBER, .value = value_, .lo = 0, .hi = 1e3, .unit = "m",        \
    .text = text_                                                                                  \
  }
// default and least in degrees
#define ANGLE(name_, value_, least_, text_)                                                        \
  {                                                                                                \
    .name = name_, .type = PL_KEY_NUMBER, .value = (value_)*PL_PI / 180,                           \
    .lo = (least_)*PL_PI / 180, .hi = PL_PI / 2, .unit = "rad", .text = text_                      \
  }
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static const double X_AXIS[3] = {1, 0, 0}, Y_AXIS[3] = {0, 1, 0}, Z_AXIS[3] = {0, 0, 1};
static const double ORIGIN[3] = {0, 0, 0};

pl_pose pose_at(double x, double y, const double axis[3], double angle);
// kinds with so many pieces each, which follow each other; then the lattice
void set_mail(pl_mail_data *d, int nkind, const int *npiece, int nelem, const double L[4]);

extern const pl_mail_family family_scale_mail;

#endif
