#ifndef PLIANT_TREE_H
#define PLIANT_TREE_H

#include "sweeps.h"

#include <stdatomic.h>

enum {
  TREE_PANEL = 128, // pivots eliminated at once
  TREE_TILE = 256,  // rows and columns that one thread updates, at most
  TREE_RHS = 4,     // right-hand sides that pass through the factor together
  TREE_LARGE = 256, // rows of a front from which on threads work inside it,
  TREE_MANY = 768,  // and from which on they take small parts of it in a solve
  TREE_SMALL = 400, // rows of a front up to which small_front.c eliminates it,
  TREE_BLOCK = 64,  // of which threads take so many at a time
  TREE_LANES = 16,  // numbers that may be read behind the last ones of a front
// entries of a front's part of the factor below which one thread solves with it
#ifdef PL_SHARE_ALL
  TREE_LONG = 2000
#else
  TREE_LONG = 200000
#endif
};

// rows from .. from + n - 1 of a front are the rows to .. to + n - 1 of its parent
typedef struct run {
  int from, to, n;
} run;

// A front's part of P' A P = L S L', S diagonal of +1 and -1: pivots come in panels of TREE_PANEL.
// The square of a panel with positive pivots only holds its triangle T, as of Cholesky; where some
// are negative, these come last and the square holds the inverse of T, which is none then.
typedef struct numbers {
  double *L;         // [m][p] by columns: factor over the rows below, p pivots, m - p = r rows
  double *S;         // [r][r] by columns, lower triangle, for the parent
  double *vec;       // [TREE_RHS][m] of right-hand sides; while factorising, the diagonal as it was
  signed char *sign; // [p] of the pivots
  int p, r;
  int small;        // 1: small_front.c does it
  int first, *row;  // elimination: place of the first pivot, [r] of the rows below
  run *run;         // [nrun]
  int nrun, nchild; // children that add to it
  int entry;        // entries of the matrix in this front: from here to that of the next
} numbers;

typedef struct tree {
  front_tree t;
  int n, nthread, definite;      // definite: a pivot below zero ends it
  pl_threads *threads, *solving; // NULL: too little work to share
  struct steps *steps;           // of the fronts above the tasks; NULL: one thread does them
  sweeps *sweeps;                // of solves by several threads
  numbers *num;                  // [nfront + 1]
  double *store, *updates;
  signed char *signs;
  int *rows;
  run *runs;
  int *perm;         // [n] unknown at each place in the elimination
  int *entry;        // [nnz] entries of the matrix, front after front,
  size_t *offset;    // and their place in L
  double *x;         // [TREE_RHS][n] in elimination order
  int nrhs;          // of the solve at hand
  const double *rhs; // [nrhs][n] as the unknowns are numbered
  double *solution;  // likewise, may be the same
  double *least;     // [nfront] smallest pivot over what its column was, below zero: none
  double *scale;     // [n] of the unknowns in elimination order; NULL for a definite matrix
  double *scratch;   // [nthread][TREE_SCRATCH] where pivots may be negative
  const double *val;
  double flops;
  pl_env *env;     // asked on the way whether to go on
  atomic_int stop; // 1: no
} tree;

enum { TREE_SCRATCH = TREE_PANEL * (TREE_TILE + 66) };

// Makes front f from the matrix and its children and eliminates its pivots; least[f] stays below
// zero where one is not usable, or when it is stopped.
void tree_factor_front(tree *s, int f, int thread);

// Steps of that, which threads can share. A front's rows come in blocks, pivots first:
// returns their number and that of blocks of pivots, or the rows of block i and the first of them.
int front_blocks(const numbers *v, int *pivots);
int front_block(const numbers *v, int i, int *first);
// Columns cleared, entries of the matrix put, columns of all children added to a front's own.
void front_clear(const numbers *v, int first, int last);
void front_put(const tree *s, const numbers *v, int first, int last);
void front_add(const tree *s, int f, int first, int last);
// The pivots of block b (0: one is not usable), the rows of block i divided by them, and what they
// take from the columns of block c in the rows of block i: those of pivots, or S by all pivots.
int front_factor(tree *s, const numbers *v, int b, int thread, double *least);
void front_divide(tree *s, const numbers *v, int b, int i, int thread);
void front_update(const numbers *v, int b, int c, int i);
void front_subtract(const numbers *v, int c, int i);
// Whether the host wants an end: thread 0 asks it, all of them hear the answer.
int tree_stopped(tree *s, int thread);

// All fronts above the tasks, by all threads: steps_create lists their steps, steps_run does them
// and returns whether all pivots were usable.
typedef struct steps steps;
pl_status steps_create(tree *s); // into s->steps
void steps_free(pl_env *env, steps *t);
int steps_run(tree *s);
// Largest sum of squares in a part of a row of L since it was cleared: digits that are lost.
void tree_clear_growth(tree *s);
double tree_growth(const tree *s);
// Solves with the fronts for s->nrhs right-hand sides, TREE_RHS at most.
extern const sweep_fns tree_sweep_fns;

// For nrhs right-hand sides (TREE_RHS at most) that stand ldx apart, matrices by columns ld apart:
// y -= A x and y -= A' x with A[m][n], x = T^-1 x and x = T'^-1 x with the lower triangle T[n][n].
void sweep_subtract(const double *A, int ld, int m, int n, const double *x, double *y, int ldx,
                    int nrhs);
void sweep_dots(const double *A, int ld, int m, int n, const double *x, double *y, int ldx,
                int nrhs);
void sweep_lower(const double *T, int ld, int n, double *x, int ldx, int nrhs);
void sweep_upper(const double *T, int ld, int n, double *x, int ldx, int nrhs);

// Entries of A^-1 between the unknowns index[n], all different: out[n][n].
pl_status tree_inverse(pl_factor *f, int n, const int *index, double *out);

// A front of a definite matrix with few rows. Returns 0 where a pivot is not positive.
int small_eliminate(const numbers *v);
// The same in steps, to the same bits: n pivots from `first` on, nrow rows from `row` on divided by
// them, and columns of S in some rows of it.
int small_pivots(const numbers *v, int first, int n);
void small_rows(const numbers *v, int first, int n, int row, int nrow);
void small_subtract(const numbers *v, int c, int nc, int row, int nrow);

#endif
