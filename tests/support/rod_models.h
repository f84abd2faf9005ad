#ifndef TESTS_ROD_MODELS_H
#define TESTS_ROD_MODELS_H

#include "models.h"

enum { ROD_DRIVES = 16 };

// Rods of one section, node by node; what is made lives as long as the kit.
typedef struct rod_kit {
  pl_env *env;
  double section[7]; // young, poisson, density, width, height, hollow, shape
  double natural[4]; // curvature1, curvature2, twist, straight
  int nnode, nextra, nedge, nbend, njoint, ndrive, nload;
  int capnode, capextra, capedge, capbend, capjoint, capreversed;
  double *X, *extra;
  int *edge, *bend, *joint; // stencils with scalars as 0..nextra-1
  int *reversed;            // [njoint]
  pl_drive_desc drive[ROD_DRIVES];
  pl_load_desc load[ROD_DRIVES];
  double gravity[3], alpha, beta;
  int lumped;
  double *joint_par;
  void *owned[4 * ROD_DRIVES];
  int nowned;
} rod_kit;

void rods_init(rod_kit *k, pl_env *env, const double section[7]);
void rods_free(rod_kit *k);
int rods_node(rod_kit *k, double x, double y, double z);
// Edges node[0] node[1], node[1] node[2], ... and the bends between them, directors without twist
// from m1[3] of the first edge on (NULL: the rule's). Returns the first edge; its angle is scalar
// k->edge[3 * edge + 2].
int rods_chain(rod_kit *k, int n, const int *node, const double *m1);
// The same in a ring of n edges; the last bend takes what twist is left.
int rods_ring(rod_kit *k, int n, const int *node, const double *m1);
// A straight rod of n edges from a to b; nodes follow each other. Returns the first node.
int rods_line(rod_kit *k, int n, const double a[3], const double b[3]);
// A junction at a node, to which all edges that are there are joined; returns its first scalar.
int rods_junction(rod_kit *k, int node);
// Fixed nodes and scalars.
pl_drive_desc *rods_fix(rod_kit *k, int n, const int *node, int nscal, const int *scal);
// Clamps an end: its node and its junction.
pl_drive_desc *rods_clamp(rod_kit *k, int node);
void rods_push(rod_kit *k, int node, double fx, double fy, double fz);
void rods_build(rod_kit *k, int nthread, kit_model *out);

#endif
