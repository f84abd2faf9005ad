#ifndef LAYERS_IMPL_H
#define LAYERS_IMPL_H

// What the files of layers share: nearest points of vertices, edges and triangles, and searches.
#include "contact_impl.h"

#include "pliant/mesh.h"

// what two nearest points lie on
typedef enum near_kind { VERTICES, VERTEX_EDGE, VERTEX_FACE, EDGES } near_kind;

// the two nearest points: vert and weight as in pl_layer_pair, in the order of the kind
typedef struct near {
  near_kind kind;
  int vert[4];
  double weight[4];
  double y[3], square; // square of |y|
  double keep;         // m; what |y| should be at least
  int rod;
} near;

// a pair in the list of one of its vertices
typedef struct pair_link {
  int pair, next; // next: -1: none
  double weight;  // of the vertex
} pair_link;

struct pl_layers {
  pl_env *env;
  int nvert, ntri, nedge, nrod;
  int solid;          // 1: all triangles are surfaces of solids, seen from outside anticlockwise
  double half, mu;    // half of the thickness of sheets
  double thin, thick; // the least and the greatest of all halves and radii
  double inset;       // m; surfaces of solids are looked at so far inside of where they are
  double *X, *x;      // [nvert][3] at rest, and now
  int *tri;           // [ntri][3] as given
  int *face;          // [ntri][3] the same with ascending vertices
  int *edge;          // [nedge][3] ends, ascending, and the last once more: triangles to the tree
  int *first;         // [nvert + 1] into around
  int *around;        // triangles of each vertex
  int *part;          // [nvert] connected sheet or rod
  double *about;      // [nvert] half thickness or radius there, 0: no part of it
  double *radius;     // [nedge] the same of edges
  double *segment;    // [nedge] radius of the rod whose segment it is, 0: of none
  int *begin, *next;  // [nvert + 1], [2 nrod] vertices along rods from each vertex
  double *arc;        // [nvert] way along rods from the edge `self`, INFINITY: far
  int *visited, nvisited; // [nvert] those that are not far
  pl_bvh *faces, *edges;
  int n, cap;
  pl_layer_pair *pair;
  int nlink, caplink;
  pair_link *link;
  int *head; // [nvert] link of the last pair of each, -1: none
  // of a search
  int listing;          // 1: pairs are listed, 0: only the least distance is wanted
  int self;             // vertex or edge whose partners are looked for
  double times, margin; // pairs are looked for that are closer than times their keep + margin
  double size, least;
  double *to;      // [nvert][3] where a straight way ends
  int crossing[2]; // vertices of the edge and the triangle that cross
  double time;     // part of it that is free
  pl_status failed;
};

static inline const double *layers_at(const double *x, int v) {
  return x + 3 * (size_t)v;
}
static inline int layers_has(const int *f, int v) {
  return f[0] == v || f[1] == v || f[2] == v;
}
// Nearest points of a vertex and a triangle, and of two edges, of vertices in ascending order, the
// edge with the lower first vertex first.
near layers_vertex_face(const double *x, int v, const int *f);
near layers_edge_edge(const double *x, const int *e, const int *f);
// Calls each for what stands within a bound of the box of a[3] and b[3].
void layers_look(pl_layers *l, const double *a, const double *b, double bound, const pl_bvh *tree,
                 void (*each)(void *, int));
// Places y[nvert][3] at which surfaces that are at x are looked at.
void layers_inset(const pl_layers *l, const double *x, double *y);
// Makes of a pair of inset surfaces the same one of those at x.
void layers_outset(const pl_layers *l, const double *x, pl_layer_pair *p);
// pl_layers_find, of inset surfaces too.
pl_status layers_find(pl_layers *l, const double *x, double margin);
// Places of a search, pairs of which are closer than times their keep and a margin.
pl_status layers_begin(pl_layers *l, const double *x, double margin);

#endif
