#ifndef PLIANT_RECOVER_H
#define PLIANT_RECOVER_H

// Stress of bodies as engineers read it: tensors at nodes, means over cells, on the middle, the
// bottom and the top of shells, and how far a finer mesh would be away.
//
// Tetrahedra of second order and hexahedra of first: stress at their Gauss points, carried to nodes
// by their linear functions; hexahedra of second order: stress at the nodes themselves. A node has
// the mean of its cells. Linear simplices have one stress each: polynomials through those about a
// node (Zienkiewicz and Zhu 1992) tell more at boundaries than means do. Cells of different
// materials, and sheets that meet in a kink of 30 degrees or more, do not share: a node between
// them has several values.

#include "pliant/build.h"
#include "pliant/linkage.h"

PL_DECLS_BEGIN

enum { PL_LAYER_MIDDLE, PL_LAYER_BOTTOM, PL_LAYER_TOP, PL_LAYER_COUNT };

// Made once for a model; the results of the last call.
typedef struct pl_recover {
  pl_env *env;
  int nlayer;              // 1, or with bent shells PL_LAYER_COUNT; others have the same in all
  int nslot;               // nodes, once for each part that they belong to
  const int *node, *part;  // [nslot]
  const int *body;         // [nslot] of pl_group_cells
  const int *cell;         // [nslot] a cell of the part at the node, in the order of all cells
  pl_stress *at[3];        // [nlayer][nslot]
  int ncell;               // of the mesh
  const char *known;       // [ncell] 1: the cell has stress
  pl_stress *mean[3];      // [nlayer][ncell] over the cell's volume
  const double *thickness; // [ncell] of shells, with the last state; 0: no shell
  struct recover_impl *impl;
} pl_recover;

// mesh: its vertices are the first nodes of the model, cells[ngroup] its groups; both must outlive
// it. A model without continua has nslot 0.
pl_status pl_recover_create(pl_env *env, const pl_model *m, const pl_params *p, const pl_mesh *mesh,
                            const pl_group_cells *cells, pl_recover **out);
void pl_recover_free(pl_recover *r);
// Fills at and mean. PL_DOMAIN: some element is outside its domain, and has zeros. threads may be
// NULL.
pl_status pl_recover_stress(pl_recover *r, const pl_params *p, const pl_state *s,
                            pl_threads *threads);
// The stress of one node alone, out[nlayer]; of several parts that of the largest von Mises stress.
// 0: the node has none.
int pl_recover_node(const pl_recover *r, const pl_params *p, const pl_state *s, int node,
                    pl_stress *out);

// Zienkiewicz and Zhu's estimate of the discretisation error: the energy of the difference between
// stress and a smooth one of polynomials of the elements' order through patches of them.
typedef struct pl_error_estimate {
  double energy;   // J; of the error, 1/2 of its energy norm squared
  double elastic;  // J; of the solution, in the same norm
  double relative; // sqrt(energy/(elastic + energy)); 0 when there is no energy
  int group, elem; // where the error is largest by energy; -1: nowhere
  int cell;        // the same in the order of all cells
  double share;    // of that element in energy
} pl_error_estimate;
// each[ncell] (may be NULL): energy of the error in each cell. mode NULL: of the state; else of the
// linear change along mode[nq] from the state, whose scale does not matter.
pl_status pl_recover_error(pl_recover *r, const pl_params *p, const pl_state *s, const double *mode,
                           pl_threads *threads, double *each, pl_error_estimate *out);

PL_DECLS_END

#endif
