#ifndef PROTOCOL_IMPL_H
#define PROTOCOL_IMPL_H

// What protocols share: physical dimensions, and a strip or rod built in at one end.
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

// ---- a model being described ------------------------------------------------------------------

// Lists of a description live in an arena until the model has copied them.
typedef struct draft {
  pl_env *env;
  pl_arena *arena;
  pl_model_desc d;
  pl_group_desc group[3];
  pl_drive_desc drive[4];
  int failed; // memory ended somewhere on the way
} draft;

pl_status draft_open(pl_env *env, draft *d);
void draft_close(draft *d);
void *draft_keep(draft *d, int n, size_t size);
// par[npar], the others by default; npar 0: [nelem][all], of every element.
void draft_group(draft *d, const char *kind, int nelem, const int *stencil, int npar,
                 const double *par);
// Holds components of nodes by mask, and scalar unknowns.
void draft_hold(draft *d, int nnode, const int *node, int mask, int nscal, const int *scal);

// A model that one thread works on.
typedef struct built {
  pl_model *m;
  pl_params *p;
  pl_state *s;
  pl_work *w;
} built;
pl_status built_create(const draft *d, built *b);
void built_free(built *b);

// Triangles of a mesh as a shell: membrane with no bending, by hinges or at mid-edges. Node i of
// the model is vertex i; clamp[nvert] as for pl_midedge_create. The copies of vertices that a wall
// needs follow, and are held.
typedef enum shell_bending { SHELL_FLAT, SHELL_HINGE, SHELL_MIDEDGE } shell_bending;
typedef struct shell {
  double young, nu, density, thickness;
  shell_bending bending;
} shell;
pl_status draft_shell(draft *d, const pl_mesh *m, const shell *s, const int *clamp,
                      const pl_topology *topology, pl_midedge **edges);

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
  built b;
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
void strip_tip(const strip *s, double *reach, double *drop);

#endif
