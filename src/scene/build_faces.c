// Faces of bodies, for loads: found by their nodes.
#include "build_body.h"
#include "faces.h"

#include "pliant/math.h"

#include <stdlib.h>
#include <string.h>

// ---- edges ------------------------------------------------------------------------------------

typedef struct edge {
  int lo, hi, from; // its ends, and the one it starts at
} edge;

static int compare_edges(const void *a, const void *b) {
  const edge *p = a, *q = b;
  if (p->lo != q->lo) return p->lo - q->lo;
  return p->hi != q->hi ? p->hi - q->hi : p->from - q->from;
}

static edge *sorted_edges(reader *r, const face_list *f, int *n) {
  edge *e = scene_alloc(r, 4 * (size_t)f->n + 1, sizeof *e);
  *n = 0;
  for (int k = 0; e && k < f->n; k++)
    for (int i = 0; i < f->v[k].n; i++) {
      int a = f->v[k].node[i], b = f->v[k].node[(i + 1) % f->v[k].n];
      e[(*n)++] = (edge){a < b ? a : b, a < b ? b : a, a};
    }
  if (e) qsort(e, (size_t)*n, sizeof *e, compare_edges);
  return e;
}

static int same_edge(const edge *a, const edge *b) {
  return a->lo == b->lo && a->hi == b->hi;
}

int *face_border(reader *r, const face_list *f, int *n) {
  int nedge;
  edge *e = sorted_edges(r, f, &nedge);
  int *ends = e ? scene_alloc(r, 2 * (size_t)nedge + 1, sizeof *ends) : NULL;
  *n = 0;
  for (int a = 0, b; ends && a < nedge; a = b) {
    for (b = a + 1; b < nedge && same_edge(&e[a], &e[b]);) b++;
    if (b - a != 1) continue;
    ends[2 * *n] = e[a].from;
    ends[2 * (*n)++ + 1] = e[a].from == e[a].lo ? e[a].hi : e[a].lo;
  }
  return ends;
}

// neighbours run through their edge in opposite directions
static int check_sides(reader *r, const pl_node *at, const char *what, const face_list *f) {
  int n;
  char buf[128];
  edge *e = sorted_edges(r, f, &n);
  for (int k = 0; e && k + 1 < n; k++) {
    if (!same_edge(&e[k], &e[k + 1]) || e[k].from != e[k + 1].from) continue;
    problem(r, at, "turn the triangles round so that all normals point to one side",
            "%s: normals of faces disagree at an edge from %s", what,
            pl_build_node_text(r->b, e[k].from, buf, sizeof buf));
    return 0;
  }
  return e != NULL;
}

// ---- faces ------------------------------------------------------------------------------------

static void add_face(reader *r, face_list *f, const char *chosen, int n, const int *node,
                     int flip) {
  face one = {.n = n};
  for (int i = 0; i < n; i++) {
    if (!chosen[node[i]]) return;
    one.node[flip ? n - 1 - i : i] = node[i];
  }
  if (scene_grow(r, &f->v, f->n, &f->cap, sizeof *f->v)) f->v[f->n++] = one;
}

// the quad that was cut into two triangles, its loop as theirs
static void join_quad(const int *a, const int *b, int *quad) {
  int k = 0;
  while (k < 2 && (a[k] == b[0] || a[k] == b[1] || a[k] == b[2])) k++;
  quad[0] = a[k];
  quad[1] = a[(k + 1) % 3];
  quad[3] = a[(k + 2) % 3];
  for (int i = 0; i < 3; i++)
    if (b[i] != quad[1] && b[i] != quad[3]) quad[2] = b[i];
}

// pressure pushes on the skin of a solid against its normals, which point outwards
static int add_solid(reader *r, const body_slot *b, const char *chosen, face_list *f) {
  int n, *tri, *cell, hexes = 0;
  if (!worked(r, pl_mesh_surface(b->mesh, &n, &tri, &cell))) return 0;
  for (int t = 0; t < PL_HEX8; t++) hexes += b->mesh->cell[t].n;
  for (int k = 0; k < n; k++) {
    int quad[4], node[4], nv = 3;
    memcpy(quad, tri + 3 * k, 3 * sizeof *quad);
    // faces of second order stay cut at the nodes on their edges
    if (cell[k] >= hexes && cell[k] < hexes + b->mesh->cell[PL_HEX8].n && k + 1 < n) {
      join_quad(tri + 3 * k, tri + 3 * (k + 1), quad);
      nv = 4;
      k++;
    }
    for (int i = 0; i < nv; i++) node[i] = b->node[quad[i]];
    add_face(r, f, chosen, nv, node, 1);
  }
  pl_free(r->env, tri);
  pl_free(r->env, cell);
  return 1;
}

// triangles, of second order cut at the nodes on their edges
static int add_shell(reader *r, const body_slot *b, const char *chosen, face_list *f) {
  int n, *tri;
  if (!worked(r, pl_mesh_surface(b->mesh, &n, &tri, NULL))) return 0;
  for (int k = 0; k < n; k++) {
    int node[3];
    for (int i = 0; i < 3; i++) node[i] = b->node[tri[3 * k + i]];
    add_face(r, f, chosen, 3, node, 0);
  }
  pl_free(r->env, tri);
  return 1;
}

int face_triangles(const face *f, int tri[4][3], double *share) {
  static const int cut[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}};
  int n = f->n == 3 ? 1 : 4;
  *share = f->n == 3 ? 1 : 0.5;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 3; i++) tri[k][i] = f->node[cut[k][i]];
  return n;
}

static double triangle_vector(const reader *r, const int *tri, double *vector) {
  double a[3], b[3];
  pl_sub3(r->b->X + 3 * (size_t)tri[1], r->b->X + 3 * (size_t)tri[0], a);
  pl_sub3(r->b->X + 3 * (size_t)tri[2], r->b->X + 3 * (size_t)tri[0], b);
  pl_cross3(a, b, vector);
  for (int c = 0; c < 3; c++) vector[c] /= 2;
  return pl_norm3(vector);
}

static void measure(reader *r, face_list *f) {
  for (int k = 0; k < f->n; k++) {
    int tri[4][3];
    double share, vector[3];
    int n = face_triangles(&f->v[k], tri, &share);
    for (int t = 0; t < n; t++) {
      double area = share * triangle_vector(r, tri[t], vector);
      f->area += area;
      for (int c = 0; c < 3; c++) {
        f->vector[c] += share * vector[c];
        for (int i = 0; i < 3; i++) f->centre[c] += area / 3 * r->b->X[3 * (size_t)tri[t][i] + c];
      }
    }
  }
  for (int c = 0; c < 3 && f->area > 0; c++) f->centre[c] /= f->area;
}

double *face_shares(reader *r, const face_list *f) {
  double *share = scene_alloc(r, (size_t)r->b->nnode + 1, sizeof *share);
  for (int k = 0; share && k < f->n; k++) {
    int tri[4][3];
    double part, vector[3];
    int n = face_triangles(&f->v[k], tri, &part);
    for (int t = 0; t < n; t++) {
      double area = part * triangle_vector(r, tri[t], vector);
      for (int i = 0; i < 3; i++) share[tri[t][i]] += area / 3;
    }
  }
  return share;
}

// what is wrong when there are none
static void no_faces(reader *r, const pl_node *at, const char *what) {
  int some = 0;
  for (int k = 0; k < r->nbody; k++) some |= r->body[k].def->shell || r->body[k].def->solid;
  if (some)
    problem(r, at,
            "a face is chosen when all its nodes are: name the body, or a group or set of a "
            "whole surface",
            "%s: no face of a shell or solid has all its nodes in the selection", what);
  else
    problem(r, at, "shells and solids have faces; put 'force' or 'total' on nodes of others",
            "%s: there is no body with faces", what);
}

int select_faces(reader *r, const pl_node *at, const char *what, face_list *out) {
  node_list nodes;
  *out = (face_list){0};
  if (r->b->dim != 3) {
    problem(r, at, "put 'force' or 'total' on nodes", "%s: faces need dimension 3", what);
    return 0;
  }
  if (!select_nodes(r, at, "faces", &nodes)) return 0;
  char *chosen = scene_alloc(r, (size_t)r->b->nnode + 1, 1);
  if (!chosen) return 0;
  for (int i = 0; i < nodes.n; i++) chosen[nodes.v[i]] = 1;
  for (int k = 0; k < r->nbody; k++) {
    const body_slot *b = &r->body[k];
    if (b->bad) return 0;
    if (b->def->solid && !add_solid(r, b, chosen, out)) return 0;
    if (b->def->shell && !add_shell(r, b, chosen, out)) return 0;
  }
  if (r->failed) return 0;
  if (out->n == 0) {
    no_faces(r, at, what);
    return 0;
  }
  measure(r, out);
  if (out->area > 0) return check_sides(r, at, what, out);
  problem(r, at, "check the mesh: its faces have no area", "%s: the faces have no area", what);
  return 0;
}
