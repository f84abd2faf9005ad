#ifndef PROTOCOL_IMPL_H
#define PROTOCOL_IMPL_H

// What protocols share: physical dimensions, and a strip or rod built in at one end.
#include "pliant/build.h"
#include "pliant/math.h"
#include "pliant/mesh.h"
#include "pliant/model.h"
#include "pliant/solve.h"
#include "pliant/validate.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))

// In the order of their table; each is a constant protocol_NAME in protocol_NAME.c.
#define PROTOCOL_LIST(X)                                                                           \
  X(cantilever)                                                                                    \
  X(bend_twist)                                                                                    \
  X(bend_twist_sides)                                                                              \
  X(bend_twist_labels) X(lateral_buckling) X(stick_slip) X(vibration) X(objectivity) X(locking)

// ---- physical dimensions ----------------------------------------------------------------------

typedef struct dims {
  double length;  // m
  double young;   // Pa
  double density; // kg/m^3
} dims;
const dims *protocol_dims(int units);

// ---- models -----------------------------------------------------------------------------------

// Holds components of nodes by mask, PL_HOLD_CLAMP or not, and scalar unknowns once joined.
void hold_nodes(pl_builder *d, int nnode, const int *node, int mask, int clamp);
void hold_scalars(pl_builder *d, int n, const int *scalar);

// ---- strips -----------------------------------------------------------------------------------

typedef enum strip_kind { STRIP_ROD, STRIP_HINGE, STRIP_MIDEDGE, STRIP_HEX8 } strip_kind;

// A strip along x from a clamp at x = 0, gravity along -z. Plates and solids bend to cylinders:
// nothing moves in y, and normals stay in the xz plane.
typedef struct strip_desc {
  strip_kind kind;
  int n;            // cells along the length
  double grade;     // cells grow from the clamp like sinh of this; 0: all alike
  double thickness; // over the length; diameter of rods
  double nu;
  int units;
  int plane;      // 1: rods too are kept in the xz plane
  int free_sides; // 1: plates and solids may move in y and need not bend to cylinders
} strip_desc;

typedef struct strip {
  pl_env *env;
  pl_built b;
  double length, thickness, width;
  double gravity; // m/s^2 that makes Gamma one: E I/(rho A L^3), or D/(rho h L^3)
  double omega;   // rad/s, sqrt(E I/(rho A L^4))
  int ntip;
  int tip[8]; // nodes whose mean is the tip
} strip;

pl_status strip_create(pl_env *env, const strip_desc *d, strip *s);
void strip_free(strip *s);
// Equilibrium at Gamma, by loads that grow geometrically.
pl_status strip_hang(strip *s, double gamma);
// Place of the tip (m) from the clamp: along x, and down.
void strip_tip(const strip *s, double *range, double *drop);

#endif
