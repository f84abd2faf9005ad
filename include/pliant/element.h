#ifndef PLIANT_ELEMENT_H
#define PLIANT_ELEMENT_H

#include "pliant/base.h"
#include "pliant/linkage.h"

#ifndef __cplusplus
#include <complex.h>
#endif

PL_DECLS_BEGIN

// what C's <complex.h> calls double complex; C++ calls it an extension
__extension__ typedef double _Complex pl_complex;

// An element kind is a constant table: sizes, parameters, and kernels written once in
// scalar-generic C and built for double and for double complex. What is not in the double kernels
// comes from the complex step and is exact: d(K v)/dq, derivatives by parameters and by reference
// coordinates.

enum {
  PL_NDOF_MAX = 60,   // largest stencil
  PL_NPAR_MAX = 24,   // most parameters of a kind
  PL_NREST_MAX = 240, // most data made by prepare
  PL_NFIELD_MAX = 8,  // most fields of a kind
  PL_LEVEL_MAX = 8    // most levels of a pair
};

// Kernels for one scalar type. They return 0, or 1 when the element is outside its domain
// (inverted, zero length). grad, hess and the like may be NULL: not wanted, not computed. No
// allocation, no state.
#define PL_KERNELS(real)                                                                           \
  struct {                                                                                         \
    /* rest data from reference coordinates X[ndof] */                                             \
    int (*prepare)(const real *X, real *rest);                                                     \
    /* potential: energy, grad[ndof], hess[ndof][ndof], symmetric to the bit */                    \
    int (*eval)(const real *q, const real *par, const real *rest, real *energy, real *grad,        \
                real *hess);                                                                       \
    /* dashpots: force[ndof], damp = dforce/dv, stiff = dforce/dq, both [ndof][ndof]; NULL: none   \
     */                                                                                            \
    int (*visc)(const real *q, const real *v, const real *par, const real *rest, real *force,      \
                real *damp, real *stiff);                                                          \
    /* mass[ndof][ndof], consistent or lumped; NULL: massless */                                   \
    int (*mass)(const real *par, const real *rest, int lumped, real *mass);                        \
    /* d(hess v)/dq [ndof][ndof], symmetric; NULL: by the complex step */                          \
    int (*third)(const real *q, const real *v, const real *par, const real *rest, real *out);      \
  }

// Kinds of your own may leave out the eval for double: it is then that for double complex, which
// takes a few times as long. The others are given for both types or for none.
typedef PL_KERNELS(double) pl_kernels_d;
typedef PL_KERNELS(pl_complex) pl_kernels_z;

// One number of each of PL_LANES elements, which a processor handles at once.
enum { PL_LANES = 8 };
typedef double pl_pack __attribute__((vector_size(PL_LANES * sizeof(double)), aligned(8)));

// Kernels for so many elements of a kind; see above and carry below. 1: some element is outside.
typedef struct pl_kernels_p {
  int (*eval)(const pl_pack *q, const pl_pack *par, const pl_pack *rest, pl_pack *energy,
              pl_pack *grad, pl_pack *hess);
  int (*third)(const pl_pack *q, const pl_pack *v, const pl_pack *par, const pl_pack *rest,
               pl_pack *out);
  void (*mixed)(const pl_pack *q, const pl_pack *q0, const pl_pack *dq, const pl_pack *par,
                const pl_pack *rest, pl_pack *out);
  int (*visc)(const pl_pack *q, const pl_pack *v, const pl_pack *par, const pl_pack *rest,
              pl_pack *force, pl_pack *damp, pl_pack *stiff);
} pl_kernels_p;

// A scalar that an element can tell for plots.
typedef struct pl_field_info {
  const char *name, *unit, *text;
} pl_field_info;

// Strain and stress at a point of a body; components xx yy zz xy yz xz, shears once.
typedef struct pl_stress {
  double strain[6]; // Green's, in the axes of the reference shape
  double second[6]; // second Piola-Kirchhoff's, conjugate to it, Pa
  double stress[6]; // Cauchy's, Pa
  double energy;    // per volume at rest, J/m^3
} pl_stress;

// Elastic dry friction, a spring in series with a slider at w = rest[0], by parameters stiffness k
// and limit F: the place w = d -/+ F/k at which a slip to one side (1 or -1) leaves the slider.
typedef struct pl_slider {
  int (*d)(const double *q, const double *par, const double *rest, int side, double *w);
  int (*z)(const pl_complex *q, const pl_complex *par, const pl_complex *rest, int side,
           pl_complex *w);
} pl_slider;

typedef struct pl_elem_kind {
  const char *name; // key in scene files and in messages
  const char *text; // one line for the manual
  int nvert, vdim;  // vertices, and coordinates of each (2 or 3)
  int nscal;        // further scalar unknowns
  int ndof;         // vdim * nvert + nscal; q and X hold the vertices first
  int npar, nrest;
  int nhist;  // first entries of rest that are anchors, which commit moves; 0: none
  int planar; // rigid motions keep the energy only in the xy plane
  int inert;  // scalar unknowns: rigid motions mean nothing
  int damped; // visc depends on q, so that a tangent with it is unsymmetric
  int stiff;  // keeps its shape: large motions turn it and hardly stretch it
  int rigid;  // a penalty stands for a constraint: its first field tells the violation
  // the potential of an outer force, by a scalar unknown that drives it: neither elastic nor damped
  int outer;
  // visc is a force of places without a potential, which statics has too; its stiffness is not
  // symmetric
  int circulatory;
  const pl_option *par; // [npar]
  pl_kernels_d d;
  pl_kernels_z z;
  pl_kernels_p p; // NULL: elements of the kind are evaluated one by one
  int nfield;
  const pl_field_info *field_info; // [nfield]
  // value[nfield] at a state
  void (*field)(const double *q, const double *par, const double *rest, double *value);
  // Smallest volume over that at rest (area in the plane) at the element's points; negative: it is
  // turned inside out, which laws of finite energy allow. NULL: the kind has no inside.
  double (*volume)(const double *q, const double *rest);
  // Added to the Hessian at q, it takes stiff stresses not from q but from q0, with their linear
  // change by dq: out[ndof][ndof], symmetric, of second order in dq where q = q0 + dq + O(dq^2).
  // Newton's method on nearly inextensible bodies needs few steps with such tangents. NULL: nothing
  // in the kind is stiff.
  void (*mixed)(const double *q, const double *q0, const double *dq, const double *par,
                const double *rest, double *out);
  // Moves the anchors, rest[0..nhist-1], to the state q; the state itself and its energy stay what
  // they are. Rates v, a of scalar unknowns become those measured from the new anchors, and scalars
  // q may become others that mean the same. Bit i of keep: scalar i and its anchors are left alone.
  // NULL: the kind has no anchors.
  void (*commit)(double *q, double *v, double *a, const double *par, double *rest, unsigned keep);
  // Scalar unknowns scal[nscal] after the whole element was turned by R[3][3] (NULL: not at all),
  // measured from the anchors of rest data `to` while those in q are measured from `from`. Bit i of
  // known: scal[i] is given. NULL: turns leave scalars alone.
  void (*rotate)(const double *R, const double *q, const double *par, const double *from,
                 const double *to, unsigned known, double *scal);
  // Pairs: forces along one elongation d with kinks, or with memory. Rayleigh's beta leaves them
  // out, and harmonic balance integrates them exactly between the events. d and n = dd/dq [ndof] at
  // q; 1 outside the domain. NULL: no such force.
  int (*stretch)(const double *q, const double *rest, double *d, double *n);
  int on_rate;                                      // the force is one of the rate of d
  int nlevel;                                       // kinks and steep places, at most PL_LEVEL_MAX
  void (*levels)(const double *par, double *level); // [nlevel] of d, or of its rate
  pl_slider slider;                                 // rest[0] is a slider; NULL: no memory
  // A potential that takes a law of the group (pl_model_desc.law) besides parameters: instead of
  // d.eval, and its fields. Such kinds are for statics and steps in time: they have no derivatives
  // by parameters. NULL: none.
  int (*eval_law)(const void *law, const double *q, const double *par, const double *rest,
                  double *energy, double *grad, double *hess);
  // Instead of the Hessian's positive part: one that is nearly as good, found at once. NULL: none.
  void (*convex_law)(const void *law, const double *q, const double *par, const double *rest,
                     double *hess);
  void (*field_law)(const void *law, const double *q, const double *par, const double *rest,
                    double *value);
  // Strain and stress, out[n], at natural coordinates at[n][3]: of simplices the barycentric ones
  // of vertices 1, 2 and 3, of hexahedra -1 .. 1, in VTK's order. X[ndof] is the natural shape, of
  // which rest was made. more[n][6] is strain that is added, as bending does off the middle of a
  // shell; NULL: none. 1: outside the domain. NULL: the kind is no continuum.
  int (*stress)(const double *q, const double *X, const double *par, const double *rest, int n,
                const double *at, const double *more, pl_stress *out);
  // Bending of shells: its share S[6] in the change of curvature (1/m) of triangle `side`, 0 for
  // the vertices 0 1 2, and 1 for 1 0 3, at natural coordinates at[3]; positive where the side of
  // their normal is stretched, axes of the reference shape. nside: how many of the two. NULL: the
  // kind bends no shell.
  int nside;
  void (*curvature)(const double *q, const double *X, const double *par, const double *rest,
                    int side, const double *at, double *S);
  // Rods: force[4] of the section: axial (N), moments of bending towards directors 1 and 2, and of
  // twist (N m); what the kind does not know is 0. NULL: no rod. Parameters begin with the section.
  void (*section)(const double *q, const double *par, const double *rest, double *force);
  // random but sound reference, state, rates and parameters, for checks
  void (*sample)(unsigned seed, double *X, double *q, double *v, double *par);
  // Packs: energy, gradient and out = hess v, in far less time than the Hessian takes; 1: some
  // element is outside. NULL: by the Hessian.
  int (*along)(const pl_pack *q, const pl_pack *v, const pl_pack *par, const pl_pack *rest,
               pl_pack *energy, pl_pack *grad, pl_pack *out);
} pl_elem_kind;

#define PL_ELEM_LIST(X)                                                                            \
  X(spring1)                                                                                       \
  X(mass1)                                                                                         \
  X(monomial)                                                                                      \
  X(coupling)                                                                                      \
  X(point)                                                                                         \
  X(link)                                                                                          \
  X(angle)                                                                                         \
  X(spring)                                                                                        \
  X(stop1)                                                                                         \
  X(stop)                                                                                          \
  X(jenkins1)                                                                                      \
  X(jenkins)                                                                                       \
  X(friction1)                                                                                     \
  X(friction)                                                                                      \
  X(piece1)                                                                                        \
  X(piece)                                                                                         \
  X(rate_piece1)                                                                                   \
  X(rate_piece)                                                                                    \
  X(tri2)                                                                                          \
  X(membrane)                                                                                      \
  X(hinge)                                                                                         \
  X(midedge)                                                                                       \
  X(shell6)                                                                                        \
  X(rod_edge)                                                                                      \
  X(rod_bend)                                                                                      \
  X(rod_joint)                                                                                     \
  X(tet4)                                                                                          \
  X(tet4_nh)                                                                                       \
  X(hex8)                                                                                          \
  X(hex8_nh)                                                                                       \
  X(tet10)                                                                                         \
  X(tet10_nh)                                                                                      \
  X(tet10_mean)                                                                                    \
  X(tet10_mean_nh)                                                                                 \
  X(hex8_eas)                                                                                      \
  X(hex8_eas_nh)                                                                                   \
  X(hex20)                                                                                         \
  X(hex20_nh)                                                                                      \
  X(tet4_hyper)                                                                                    \
  X(tet10_hyper)                                                                                   \
  X(tet10_mean_hyper)                                                                              \
  X(hex8_hyper)                                                                                    \
  X(hex8_eas_hyper)                                                                                \
  X(hex20_hyper)                                                                                   \
  X(tri2_hyper)                                                                                    \
  X(membrane_hyper)                                                                                \
  X(tet4_ortho)                                                                                    \
  X(tet10_ortho)                                                                                   \
  X(hex8_ortho)                                                                                    \
  X(hex8_eas_ortho)                                                                                \
  X(hex20_ortho)                                                                                   \
  X(tri2_ortho)                                                                                    \
  X(membrane_ortho)                                                                                \
  X(midedge_ortho)                                                                                 \
  X(shell6_ortho)                                                                                  \
  X(shell6_hyper)                                                                                  \
  X(pressure)                                                                                      \
  X(pressure_edge)                                                                                 \
  X(pressure_lid)                                                                                  \
  X(pressure_edge3)                                                                                \
  X(pressure_lid3)                                                                                 \
  X(couple)                                                                                        \
  X(tension)                                                                                       \
  X(tendon)                                                                                        \
  X(bed)                                                                                           \
  X(tie5)                                                                                          \
  X(tie10)                                                                                         \
  X(tie20)                                                                                         \
  X(tie_rotation)                                                                                  \
  X(tie_edge)                                                                                      \
  X(arm)                                                                                           \
  X(arm_rotation)

#define X(name) PL_ELEM_##name,
enum { PL_ELEM_LIST(X) PL_ELEM_COUNT };
#undef X
extern const pl_elem_kind *const pl_elem_table[PL_ELEM_COUNT];

// Kinds with a law, which are in no table.
//   strain_limit  Green's strain of a membrane triangle stays in a star-shaped set, a pl_star
//   bend_limit    the same for the curvature of a triangle and those around it
extern const pl_elem_kind pl_elem_strain_limit;
extern const pl_elem_kind pl_elem_bend_limit;

// The kind of that name, or NULL.
const pl_elem_kind *pl_elem_find(const char *name);

// The potential as kernels give it; 1 outside the domain.
int pl_elem_eval(const pl_elem_kind *kind, const double *q, const double *par, const double *rest,
                 double *energy, double *grad, double *hess);

// d(K v)/dq [ndof][ndof] at q, exact; symmetric. Returns PL_DOMAIN outside the domain.
pl_status pl_elem_third(const pl_elem_kind *kind, const double *q, const double *v,
                        const double *par, const double *rest, double *out);

// What a direction does to an element: derivatives of the element's force along (dq, dv, da, dpar,
// dX), where force = mass (a + alpha v) + grad + beta hess v + visc. Any direction may be NULL
// (zero).
typedef struct pl_elem_motion {
  const double *q, *v, *a; // [ndof]; v and a NULL: zero
  const double *par;       // [npar]
  const double *X;         // [ndof]
  const double *hist;      // [nhist] anchors, fixed; NULL: those of X
  double alpha, beta;      // Rayleigh damping
  double grow;             // factor on lengths of the natural shape, whose mass stays; 0: none
  int lumped;
} pl_elem_motion;
typedef struct pl_elem_direction {
  const double *dq, *dv, *da, *dpar, *dX;
  double dalpha, dbeta, dgrow;
} pl_elem_direction;
// The force itself [ndof], in double.
pl_status pl_elem_force(const pl_elem_kind *kind, const pl_elem_motion *m, double *force);
// dforce[ndof] along one direction, exact (complex step).
pl_status pl_elem_force_along(const pl_elem_kind *kind, const pl_elem_motion *m,
                              const pl_elem_direction *d, double *dforce);

// Change of the place where a slip to one side leaves a slider, along a direction (q, par and X
// count), exact.
pl_status pl_elem_slide_along(const pl_elem_kind *kind, const pl_elem_motion *m,
                              const pl_elem_direction *d, int side, double *dw);

// ---- rods ---------------------------------------------------------------------------------------

// Every edge of a rod has an angle theta, by which its material directors m1 and m2 = t x m1 are
// turned about its direction t away from reference directors. At rest, where theta is the reference
// value of that unknown, those are the ones of this rule: d1 = z x t over its length, so that d2 is
// upright and d1 level; along z within 8 degrees: d1 = y x t. t and d1[3] are unit vectors.
void pl_rod_director(const double *t, double *d1);
// The angle theta for which m1 is the given direction, its part along t taken off; -pi..pi.
double pl_rod_angle(const double *t, const double *m1);
// m1[3] of one edge transported to the next by the smallest rotation from t0 to t1: no twist
// between.
void pl_rod_transport(const double *t0, const double *t1, const double *m1, double *out);
// Stress in a section of parameters par under force[4] as pl_elem_kind.section tells it: the
// largest of the normal stresses by size, with its sign, and of the shear by twist (Saint-Venant;
// of rectangular tubes the mean in their thinner wall, by Bredt), Pa.
void pl_rod_stress(const double *par, const double *force, double *normal, double *shear);

// ---- invariants ---------------------------------------------------------------------------------

// Of a symmetric tensor t[6], xx yy zz xy yz xz: von Mises equivalent; principal values, largest
// first.
double pl_von_mises(const double *t);
void pl_principal(const double *t, double value[3]);

PL_DECLS_END

#endif
