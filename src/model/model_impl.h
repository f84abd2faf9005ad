#ifndef MODEL_IMPL_H
#define MODEL_IMPL_H

#include "pliant/model.h"

#include <stdatomic.h>

// elements evaluated by one thread at a time: at most, and where there are few
enum { BLOCK = 128, BLOCK_MIN = 8 };

typedef struct group {
  const pl_elem_kind *kind;
  char *name;
  int nelem, nent; // nent = nvert + nscal
  int shared, lumped, rigid;
  const void *law;
  int par0, rest0; // first entry in params
  int grow0;       // of its growth there, -1: it does not grow
  int grow_by;     // unknown whose value is the share of it, -1: all of it
  int hist0;       // and in the history of a state
  int *stencil;    // [nelem][nent]
  int *dof;        // [nelem][ndof] unknown numbers, -1: missing
  int *
      twin; // [nelem][ndof] earlier local entry with the same unknown, -1; NULL: no element has one
  size_t slot0;  // of A: [nelem][ndof (ndof + 1)/2]
  size_t mslot0; // of M, when the kind has mass
} group;

typedef struct drive {
  pl_drive_kind kind;
  char *name;
  int nnode, mask, nterm, par0; // par0: amplitude[3] and phase of each term
  int nplace;                   // of node: about whose middle moments are told
  int *node, *harmonic;
  int *carrier; // [nnode - nplace] as in pl_drive_desc
  double axis[3], centre[3];
  int nscal, hist0; // in a state's history: angle, angle at the anchors, scalars there [nscal]
  int *scal;        // [nscal] unknown numbers
  int *edge, *part; // [nscal][2] as in pl_drive_desc: of a rotation, stays for others; of all
  pl_course over;   // n 0: none; owned
  int hold;         // 1: it stays where it begins
  double *begin;    // [nnode][dim], [nscal] as in pl_drive_desc, NULL: where it leads; owned
} drive;

typedef struct load {
  int nnode, harmonic, par0, inertial;
  int *node;
  double *share; // [nnode], NULL: 1
  pl_course over;
} load;

typedef struct block {
  int group, first, n;
} block;

struct pl_model {
  pl_env *env;
  int dim, nnode, nextra, nq, nfree, npar, nrest, nhist;
  int ngroup, ndrive, nload, ndesign;
  int max_harmonic;
  int namplitude;
  group *group;
  drive *drive;
  load *load;
  pl_design_desc *design; // strings and targets are owned
  double *par0, *X0;      // initial values
  char **name;            // [nnode] of nodes, owned; NULL, also as a whole: none
  int *free_index, *free_dof;
  int *keep;         // [nextra] driven and not turning: its anchors stay
  pl_csc A, M;       // patterns: free unknowns, all unknowns
  int *slot, *mslot; // element entries -> A, M
  int *mass_to_free; // [M.nnz] entry of M -> entry of A
  int nblock;
  int few;       // so few elements that threads do not pay for one evaluation
  block *block;  // in colour order: next to each other stand blocks that share no unknown
  int *wait_ptr; // [nblock + 1]
  int *wait;     // last blocks before each one that have an unknown of it
};

// A change of parameters and what it does to driven unknowns. dpar and dX are zero between calls.
typedef struct direction {
  double *dpar, *dX;    // [npar], [nq]
  double *dq, *dv, *da; // [nq] of driven unknowns
  double *acc;          // [nq] acceleration less gravity, so that weights follow the mass
  double *f;            // [nq] scratch
  int smooth;           // pairs are left out
} direction;

struct work_impl {
  double *energy, *power; // [nblock]
  double *slip, *grown;   // [nblock]
  int *bad;               // [nblock] element at fault + 1
  atomic_int *done;       // [nblock] 1: the visit at hand has been there
  double *f, *tmp;        // [nq]
  direction along;        // of a design parameter
  pl_mul *mass;           // products with M
};

static inline const double *group_par(const group *g, const double *par, int e) {
  return par + g->par0 + (g->shared ? 0 : (size_t)e * g->kind->npar);
}

// entry of an element's growth in the parameters, -1: none
static inline int group_grow(const group *g, int e) {
  return g->grow0 < 0 ? -1 : g->grow0 + (g->shared ? 0 : e);
}

// Rayleigh's beta as it counts for a group
static inline double group_beta(const group *g, const double *par) {
  const pl_elem_kind *k = g->kind;
  return k->stretch || k->eval_law || k->outer || g->rigid ? 0 : par[PL_PAR_BETA];
}

// Rest data of an element whose growth follows an unknown of the state: made in own, or rest where
// that is impossible.
const double *grown_rest(const group *g, const pl_params *p, const pl_state *s, int e,
                         const double *rest, double *own);

// dW of such an element by that unknown, exact; rest data are those at the state.
double growth_force(const group *g, const pl_params *p, const pl_state *s, int e, const double *q,
                    const double *par, const double *rest);

// Rest data of an element at a state, whose anchors may have moved: in params or put together in
// own.
static inline const double *group_rest(const group *g, const pl_params *p, const pl_state *s, int e,
                                       double *own) {
  int n = g->kind->nrest, nh = g->kind->nhist;
  const double *rest = p->rest + g->rest0 + (size_t)e * (size_t)n;
  if (g->grow_by >= 0) rest = grown_rest(g, p, s, e, rest, own);
  if (nh == 0 || (s->anchoring != PL_ANCHORS_CHANGED && !g->kind->slider.d)) return rest;
  const double *hist = s->hist + g->hist0 + (size_t)e * (size_t)nh;
  for (int i = 0; i < nh; i++) own[i] = hist[i];
  for (int i = nh; i < n; i++) own[i] = rest[i];
  return own;
}

// The potential of an element, by the law of its group where the kind takes one.
static inline int group_eval(const group *g, const double *q, const double *par, const double *rest,
                             double *energy, double *grad, double *hess) {
  const pl_elem_kind *k = g->kind;
  // springs take nanoseconds: no call more than needed
  return k->eval_law ? k->eval_law(g->law, q, par, rest, energy, grad, hess)
         : k->d.eval ? k->d.eval(q, par, rest, energy, grad, hess)
                     : pl_elem_eval(k, q, par, rest, energy, grad, hess);
}

static inline void gather(int n, const int *dof, const double *from, double *to) {
  for (int i = 0; i < n; i++) to[i] = dof[i] < 0 ? 0 : from[dof[i]];
}

// PL_DOMAIN, with the element in w, when a block of the last visit has one at fault.
pl_status model_fault(const pl_model *m, pl_work *w);

// H[n][n] without its negative eigenvalues.
void convex_part(int n, double *H);

// Cuts groups into blocks and orders them by colour.
pl_status model_colour(pl_model *m);

// Calls fn for all blocks, several of them at the same time, but those that share an unknown one
// after another in their order: sums have the same bits for any number of threads. threads may be
// NULL. waits: fn itself calls model_wait before it writes anything of unknowns.
void model_each_block(const pl_model *m, pl_work *w, pl_threads *threads, int waits,
                      void (*fn)(void *ctx, int b, int thread), void *ctx);
// Comes back when the blocks before b that share an unknown with it are done.
void model_wait(const pl_model *m, const pl_work *w, int b);

// ---- directions: design.c, directions.c ---------------------------------------------------------

pl_status direction_create(pl_env *env, const pl_model *m, direction *d);
void direction_free(pl_env *env, direction *d);
// Adds `by` times what the targets do to dpar and dX, or clears those entries.
void direction_add(direction *d, int n, const pl_target *target, double by);
void direction_clear(direction *d, int n, const pl_target *target);
// Fills acc from a state; dq, dv, da from dpar and dX.
void direction_begin(const pl_model *m, const pl_params *p, const pl_state *s, const pl_clock *c,
                     direction *d);
void direction_drive(const pl_model *m, const pl_params *p, const pl_state *s, const pl_clock *c,
                     direction *d);
// Change df[ndof] of an element's force.
pl_status direction_element(const pl_params *p, const pl_state *s, const group *g, int e,
                            const direction *d, double *df);
// Change dW of an element's potential by dq, dX and dpar of the direction and dhist[nhist] of its
// history. 1: outside the domain.
int change_energy(const pl_params *p, const pl_state *s, const group *g, int e, const direction *d,
                  const double *dhist, double *dW);
// Change of the place where a slip to a side leaves a slider.
pl_status direction_slider(const pl_params *p, const pl_state *s, const group *g, int e,
                           const direction *d, int side, double *dw);
// Adds -df/dp of nodal loads and -M dg/dp of gravity.
void direction_loads(const pl_model *m, const pl_params *p, const pl_clock *c, direction *d,
                     double *out);
// dr of all forces: out[nq]; dq, dv, da are filled on the way.
pl_status direction_force(const pl_model *m, const pl_params *p, const pl_state *s,
                          const pl_clock *c, direction *d, double *out);

// Derivatives along dpar, dX of x, v, a of a drive's node: its prescribed components, at X.
void drive_motion_along(const pl_model *m, const drive *d, const double *par, const double *dpar,
                        const double *X, const double *dX, const pl_clock *c, int i, double *dx,
                        double *dv, double *da);
// The same for its scalar i; s NULL: measured from the reference shape's anchors.
void drive_scalar_along(const pl_model *m, const drive *d, const double *par, const double *dpar,
                        const double *X, const double *dX, const pl_state *s, const pl_clock *c,
                        int i, double *dx, double *dv, double *da);
// amplitude sin(k omega t + phase) rules of pl_clock for one term of a load
double term_factor(int harmonic, double phase, const pl_course *over, const pl_clock *c);
// The factor of constant terms with its rates.
void constant_factor(const pl_course *over, const pl_clock *c, double y[3]);
// Acceleration of the frame by all inertial loads, with their amplitudes from par: a[3].
void frame_acceleration(const pl_model *m, const double *par, const pl_params *p, const pl_clock *c,
                        double a[3]);
// out[nq] += by M a over all nodes, a[3] the same for all
void add_frame_force(const pl_model *m, const pl_params *p, double by, const double a[3],
                     double *out);

#endif
