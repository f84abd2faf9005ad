#ifndef LIMIT_PROGRAM_H
#define LIMIT_PROGRAM_H

#include "cone.h"
#include "limit_impl.h"

// The cones of a sheet and of its barriers in the interior-point method, apart from the smooth part
// of the objective: minimise f(x) with c(x) in Q for every cone, s = c(x) slacks, z multipliers.
//   ellipse:   c = ((2 - C11 - C22)/4, -(C11 - C22)/4, -C12/2), C = F'F; F (3x2) as columns f1, f2
//   direction: c = (1 - |y|^2)/2, y = F d / b
//   barrier:   c = (n'y - offset)/edge; with friction c = (n'y - offset + slip, mu u_T)/edge
// docs/theory/limit.md has the equations.

// Cones of triangles, LANES of them side by side: one of each triangle of a group. A triangle with
// fewer than another one of its group has gradients of zero there, and does not count.
typedef struct round_cone {
  lanes g[6]; // gradients
  lanes s[3], z[3], rp[3], lam[3], F[6];
  lanes sa[3], za[3], dF[6]; // predictor: ds, dz, dF
  lanes ds[3], dz[3], rc[3]; // step, and the residual that it takes away
  lanes q[3];                // dz where dx is zero
  lanes k[4], det[3];        // scaling; det of s, z, lam
  lane_mask on;
} round_cone;

typedef struct flat_cone {
  lanes h[3];
  lanes s, z, rp, y[3];
  lanes sa, za, dy[3];
  lanes ds, dz, rc, q;
  lane_mask on;
} flat_cone;

// Barriers without friction use entry 0 of each triple alone.
typedef struct wall_cone {
  double s[3], z[3], rp[3], lam[3];
  double sa[3], za[3], ds[3], dz[3], q[3];
  double end[3];         // multipliers of the stress
  double k[4];           // scaling
  int size;              // 1 or, with friction, 3
  double give;           // compliance of c
  double slip;           // m; offset of friction's cone
  double before, wanted; // m; the offset before, and what it led to
  double m[6];           // (W^2 + give)^-1, symmetric
} wall_cone;

// Lower blocks (3x3) of the matrix over the unknown vertices, column after column; from: triangles
// that add to a block, as 16 t + 4 a + b.
typedef struct blocks {
  int n;
  int *row, *col; // [n] unknown vertices, row >= col
  int *start, *from;
} blocks;

// Those at hand, or at the end of a whole step.
typedef enum multipliers { PRESENT, PREDICTED, STEPPED } multipliers;

typedef struct program {
  pl_env *env;
  pl_sheet *sheet;
  pl_threads *threads; // NULL: too little work to share
  // triangles with limits
  int nt;
  int *t;                    // [nt]
  int *round_ptr, *flat_ptr; // [nt + 1] cones of the sheet
  int ngroup;                // of LANES triangles, the last one filled up
  int *corners;              // [ngroup][3][LANES] vertices
  int *round_at, *flat_at;   // [nround], [nflat] where a cone of the sheet is: LANES k + lane
  int *round_of, *flat_of;   // [ngroup + 1] those of a group in
  round_cone *round;
  flat_cone *flat;
  double *K; // [LANES ngroup][21] of the second and third corner: K11 (6), K12 (9), K22 (6)
  double *r; // [LANES ngroup][6] right side at these corners
  double *P; // [LANES ngroup][6] stress there, sum P g
  // barriers
  int nwall, cap;
  pl_contact_row *wall; // the caller's
  wall_cone *cone;      // [nwall]
  double *Kw, *rw;      // [nwall][6] along y, [nwall][3]
  int *wall_block;      // [nwall][10] block of each pair of its vertices, -1: none
  // unknown vertices
  int nfree;
  int *vert, *place;        // [nfree], [nvert] -1: none
  int *corner_ptr, *corner; // [nfree + 1], as 4 t + a
  int *fixed;               // [nfree]
  double edge, length;      // m; mean edge, size of the sheet
  double scale;             // mean weight
  blocks b;
  int pattern;          // changes with the blocks
  struct partial *part; // [nt] at most: sums of chunks of triangles
  const double *x, *dx; // [nvert][3] of the pass under way
  double sigma_mu, step_length;
  double second; // how much of the second-order terms the corrector takes
  int corrected;
  multipliers bound_by;
  // of the projection alone
  int built; // pattern of H
  pl_csc H;
  pl_factor *factor;
  int *slot;                         // [nblock][9]
  double *mass;                      // [3 nfree] weight over scale
  double *xhat, *now, *step, *trial; // [nvert][3]
  double *end;                       // [nvert][3] of a whole step
  double *best;                      // [nvert][3] state with the smallest certified gap
  double *rhs, *sol;                 // [3 nfree]
} program;

// What a pass over all cones finds.
typedef struct partial {
  double gap;  // sum s.z
  double rot;  // sum of the other parts of s o z: s and z are not in one line
  double lag;  // of barriers, whose offsets move: what their s - c is worth
  double most; // largest violation |c1| - c0
  double rp;   // largest |s - c|
  double step; // longest step
  int lost;    // cones on their boundary to rounding
} partial;

// The program of a sheet, made once.
pl_status program_open(pl_sheet *s, program **out);
// Barriers for the solves that follow; blocks are added where they couple vertices anew, and
// p->pattern counts their patterns.
pl_status program_walls(program *p, int n, pl_contact_row *wall);
int program_ncone(const program *p);

// s and z for a start at x: margin and level as in the notes; warm: z holds multipliers already.
double program_worst(program *p, const double *x); // largest |c1| - c0
void program_begin(program *p, const double *x, double margin, double level, int warm_start);
// Residuals and scaling at x, matrix of every triangle, and P; the predictor's right side in r.
partial program_scale(program *p, const double *x);
// Predictor: ds, dz from dx; step, in rp the curvature of the worst cone over its slack, and in gap
// and turn what a step does to the sum of s.z: its slope and curvature.
partial program_predict(program *p, const double *dx);
// Right side of the corrector with its second-order terms.
void program_correct(program *p, double sigma_mu);
// Step from dx.
partial program_step(program *p, const double *dx);
// Right side of one more correction that takes products s o z at the trial step `reach` back
// towards sigma_mu; the step with it from its ddx; and the move by a along the one or the other.
void program_gondzio(program *p, double sigma_mu, double step_length);
partial program_try(program *p, const double *ddx);
void program_move(program *p, double a, int corrected);

// What these do for barrier i (walls.c).
void walls_begin(program *p, const double *x, double margin, double level, int warm_start);
void worst_wall(program *p, int i, partial *out);
void scale_wall(program *p, int i, partial *out);
void predict_wall(program *p, int i, partial *out);
void correct_wall(program *p, int i, partial *out);
void step_wall(program *p, int i, partial *out);
void gondzio_wall(program *p, int i, partial *out);
void try_wall(program *p, int i, partial *out);
void move_wall(program *p, int i, partial *out);
void support_wall(program *p, int i, partial *out);

// out[3 nfree] += r of all cones; P: the stress instead, of triangles and barriers.
void program_gather(program *p, int stress, double *out);
// The blocks go to val by slot[nblock][9], the index of each of their entries, -1: left out;
// diag[3 nfree] is added to the diagonal. diag NULL: all is added to what is in val.
void program_assemble(program *p, const int *slot, const double *diag, double *val);

// Lower bound of the dual but for its quadratic term: sum <P, F(xhat)> - ||P||_* over triangles and
// the like over barriers, in gap, with the stresses at x in P; the largest violation in most.
// Limits are as much wider as x is beyond them.
partial program_support(program *p, const double *x, multipliers z);
double program_wall_cost(const program *p, const double *x);
// J'q of a barrier: with its z the force in world axes.
void program_wall_force(const program *p, int i, const double q[3], double f[3]);
// Friction: the offset of each cone towards mu |u_T|, which makes contacts that slide stay on their
// plane; returns the largest change that was due, m. *push: what the changes add to the sum of s.z.
double program_slip(program *p, const double *x, double *push);
void program_clear_slip(program *p);
int program_has_friction(const program *p);

// ---- one iteration ------------------------------------------------------------------------------

// The smooth part of what is minimised, as an iteration needs it at its present place x.
typedef struct smooth {
  void *ctx;
  pl_status (*factorise)(void *ctx); // of its matrix and the cones'
  // dx of all vertices from the right side of the cones and, if own is 1, of the smooth part
  pl_status (*direction)(void *ctx, int own, double *dx);
  // NULL, or whether the whole step dx, predicted or corrected, ends where no more is needed
  int (*ends)(void *ctx, multipliers z, const double *dx);
} smooth;

// Predictor, corrector and, if `correct`, one of Gondzio's corrections after program_scale at the
// present place: moves s and z by a along the step and leaves that of x in dx; ddx is scratch of
// the same size n. Products s o z do not fall below least.
pl_status interior_step(program *p, const smooth *f, int correct, double gap, double least, int n,
                        double *dx, double *ddx, double *a);
// Margin and level of a start, larger by a factor for those that must be safe. Offsets of friction
// stay as they are.
void interior_begin(program *p, const double *x, double further, int warm_start);
void interior_keep(const program *p, pl_warm_start *w);   // multipliers to w->dual
void interior_recall(program *p, const pl_warm_start *w); // and back
// Forces and statuses of the barriers, and counts of what is active.
void program_results(program *p, pl_project_info *info);

#endif
