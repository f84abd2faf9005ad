#ifndef RECOVER_IMPL_H
#define RECOVER_IMPL_H

#include "pliant/recover.h"

enum {
  POINTS = 8,        // sampling points of a cell, at most
  NCOMP = 19,        // numbers of a pl_stress
  PATCH_CELLS = 400, // cells of a patch, at most
  TERMS = 27         // of a polynomial
};

// what an element adds to the curvature of a cell
typedef struct bend {
  int cell, group, elem, side;
  double sign; // -1: its normal is against that of the cell
} bend;

typedef struct rcell {
  int group, elem;
  pl_cell_type type;
  const int *v;      // [nvert of the type]
  int part, index;   // index: among all cells of the mesh
  int flipped;       // 1: its top is the bottom of its part
  int first, npoint; // samples
  int slot0;         // of its vertices, in slot_of
  int bend0, nbend;
  int thickness; // parameter of its kind; -1: none
  int perm[4];   // of a simplex: the cell's corner that is the element's a-th
} rcell;

typedef struct recover_impl {
  const pl_model *m;
  const pl_mesh *mesh;
  int n, nsample;
  rcell *cell;              // [n]
  int *around, *around_ptr; // cells of each vertex
  int *slot_of;             // slots of the cells' vertices
  int *slot_ptr;            // [nvert + 1] slots of each vertex
  int nbend;
  bend *bend;
  double (*place)[3];   // [nsample] at rest
  pl_stress *sample[3]; // [nlayer][nsample]
  pl_stress *smooth[3]; // [nlayer][nslot] by patches; NULL: not wanted yet
  char *domain;         // [n] 1: outside the domain
} recover_impl;

// a state, or the change from minus to s, times scale
typedef struct look {
  const pl_recover *r;
  const pl_params *p;
  const pl_state *s, *minus;
  double scale;
} look;

// Where the stress of a cell is taken: at[POINTS][3]; returns their number. weight[npoint] of the
// functions that carry it to another place.
int recover_points(pl_cell_type type, double (*at)[3]);
// Stress of a cell at n places in every layer: out[layer][n]. 1: outside the domain, zeros.
int recover_look(const look *l, const rcell *c, int n, const double (*at)[3],
                 pl_stress *const *out);
// Its thickness; 0: none.
double recover_thickness(const look *l, const rcell *c);
// All samples of the cells.
void recover_sample(const look *l, pl_threads *threads);
// Value of a slot by a patch about its vertex, or the mean of those of the ends of its edge;
// sample(ctx, cell, layer) gives those of a cell.
typedef const pl_stress *(*sample_fn)(void *ctx, const rcell *c, int layer);
void recover_patch(const pl_recover *r, int slot, sample_fn sample, void *ctx, pl_stress *out);
// The same of all slots from the stored samples, into smooth; corners are fitted once.
pl_status recover_smooth(pl_recover *r, pl_threads *threads);
const pl_stress *recover_stored(void *ctx, const rcell *c, int layer);

// a += f b
static inline void stress_add(pl_stress *a, double f, const pl_stress *b) {
  double *x = (double *)a;
  const double *y = (const double *)b;
  for (int k = 0; k < NCOMP; k++) x[k] += f * y[k];
}

static inline int is_linear_simplex(pl_cell_type t) {
  return t == PL_TRI3 || t == PL_TET4;
}

#endif
