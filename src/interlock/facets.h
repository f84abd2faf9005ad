#ifndef FACETS_H
#define FACETS_H

#include "interlock_impl.h"

// A simplex: a triangle, an edge of none or a corner of none, with the parts that no simplex before
// it has.
typedef struct simplex {
  int n, v[3];
  int part[7], npart;     // edges or corners that it is the first to have, and itself
  double middle[3], ball; // a ball about it
} simplex;

struct pl_facets {
  int nvert, nedge, nface, nsimplex;
  double (*x)[3];
  int (*edge)[2], (*face)[3];
  int *star, *vert_edge;     // [nvert + 1] where the edges of a corner begin
  int (*edge_face)[2];       // the first two faces of an edge, -1: none
  int *nedge_face;           // how many there are
  unsigned char *flat;       // corners and edges within a plane, which no nearest point is on
  double centre[3], range;   // a ball about them
  int *parent, *parent_edge; // of a corner in a tree of edges, -1: none
  int *level;                // in it
  int nloop, *loop;          // edges that close ways which no triangles span
  simplex *s;                // [nsimplex] in the order of the tree
  double (*box)[2][3];       // of a heap of halves of s
};

// corners of a part; how many
int facet_corners(const pl_facets *f, int part, int v[3]);
// the part that two corners, or three, are of
int facet_edge(const pl_facets *f, int a, int b);

// Nearest point of a simplex of n corners: its weights.
void nearest_of_simplex(int n, const double (*x)[3], const double p[3], double weight[3]);

enum { FACET_LEAF = 4 }; // simplices of a leaf
// The tree: node 0 has all of s, and the children of a node halves of it.
typedef struct facet_node {
  int at, from, to;
} facet_node;
int facet_is_leaf(const facet_node *n);
void facet_children(const facet_node *n, facet_node out[2]);

// puts a couple on the part of a body with these weights of corners
void facets_stand(couple *c, int body, int n, const int *v, const double *weight, double u[4]);

// Two pieces of facets, the second one as the first sees it.
typedef struct duel {
  const couple *c;
  const pl_facets *f[2];
  double cut, far;       // of surfaces, of facets
  double shift[3], Q[9]; // of the second
  void (*meet)(struct duel *d, const simplex *s, const simplex *t);
  int n;
  pl_approach *approach;
  struct facet_sum *sum;
} duel;
// calls `meet` for all simplices whose boxes are nearer than `cut`
void duel_all(duel *d);
// a point of the second as the first sees it
void duel_seen(const duel *d, const double *x, double out[3]);

#endif
