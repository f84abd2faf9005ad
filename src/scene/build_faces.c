// Faces of bodies, for loads: found by their nodes.
#include "build_body.h"
#include "faces.h"

#include "pliant/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- edges ------------------------------------------------------------------------------------

typedef struct edge {
  int lo, hi; // its ends
  face_edge at;
} edge;

static int compare_edges(const void *a, const void *b) {
  const edge *p = a, *q = b;
  if (p->lo != q->lo) return p->lo - q->lo;
  return p->hi != q->hi ? p->hi - q->hi : p->at.from - q->at.from;
}

static int corners(int n) {
  return n % 4 == 0 ? 4 : 3;
}

static edge *sorted_edges(reader *r, const face_list *f, int *n) {
  edge *e = scene_alloc(r, 4 * (size_t)f->n + 1, sizeof *e);
  *n = 0;
  for (int k = 0; e && k < f->n; k++) {
    const face *v = &f->v[k];
    int nc = corners(v->n);
    for (int i = 0; i < nc; i++) {
      int a = v->node[i], b = v->node[(i + 1) % nc], middle = v->n > nc ? v->node[nc + i] : -1;
      e[(*n)++] = (edge){a < b ? a : b, a < b ? b : a, {a, b, middle}};
    }
  }
  if (e) qsort(e, (size_t)*n, sizeof *e, compare_edges);
  return e;
}

static int same_edge(const edge *a, const edge *b) {
  return a->lo == b->lo && a->hi == b->hi;
}

face_edge *face_boundary(reader *r, const face_list *f, int *n) {
  int nedge;
  edge *e = sorted_edges(r, f, &nedge);
  face_edge *list = e ? scene_alloc(r, (size_t)nedge + 1, sizeof *list) : NULL;
  *n = 0;
  for (int a = 0, b; list && a < nedge; a = b) {
    for (b = a + 1; b < nedge && same_edge(&e[a], &e[b]);) b++;
    if (b - a == 1) list[(*n)++] = e[a].at;
  }
  return list;
}

// neighbours run through their edge in opposite directions
static int check_sides(reader *r, const pl_node *at, const char *what, const face_list *f) {
  int n;
  char buf[128];
  edge *e = sorted_edges(r, f, &n);
  for (int k = 0; e && k + 1 < n; k++) {
    if (!same_edge(&e[k], &e[k + 1]) || e[k].at.from != e[k + 1].at.from) continue;
    problem(r, at, "turn the triangles round so that all normals point to one side",
            "%s: normals of faces disagree at an edge from %s", what,
            pl_build_node_text(r->b, e[k].at.from, buf, sizeof buf));
    return 0;
  }
  return e != NULL;
}

// ---- faces ------------------------------------------------------------------------------------

// Pressure pushes on the skin of a solid against its normals, which point outwards: flip turns the
// loop of corners round.
static void add_face(reader *r, face_list *f, const char *chosen, const int *node, int n,
                     int flip) {
  face one = {.n = n};
  int nc = corners(n);
  for (int i = 0; i < n; i++) {
    int from = !flip ? i : i < nc ? nc - 1 - i : nc + (2 * nc - 2 - (i - nc)) % nc;
    one.node[i] = node[from];
    if (!chosen[one.node[i]]) return;
  }
  if (scene_grow(r, &f->v, f->n, &f->cap, sizeof *f->v)) f->v[f->n++] = one;
}

static int add_faces(reader *r, const body_slot *b, const char *chosen, face_list *f) {
  int n, *list;
  if (!worked(r, pl_mesh_faces(b->mesh, &n, &list))) return 0;
  for (int k = 0; k < n; k++) {
    int node[8], nv = list[PL_FACE_ROW * k];
    for (int i = 0; i < nv; i++) node[i] = b->node[list[PL_FACE_ROW * k + 1 + i]];
    add_face(r, f, chosen, node, nv, b->def->solid != NULL);
  }
  pl_free(r->env, list);
  return 1;
}

int chosen_faces(reader *r, const char *chosen, face_list *out) {
  *out = (face_list){0};
  for (int k = 0; k < r->nbody; k++) {
    const body_slot *b = &r->body[k];
    if (b->bad) return 0;
    if ((b->def->solid || b->def->shell) && !add_faces(r, b, chosen, out)) return 0;
  }
  return !r->failed;
}

// ---- integrals ----------------------------------------------------------------------------------

static pl_cell_type face_type(int n) {
  return n == 3 ? PL_TRI3 : n == 4 ? PL_QUAD4 : n == 6 ? PL_TRI6 : PL_QUAD8;
}

// V = 1/3 int y.(y_r x y_s) = sum over triples of nodes a < b < c of share y_a.(y_b x y_c)/6
void face_volumes(int n, face_volume *out) {
  pl_cell_type type = face_type(n);
  double at[PL_CELL_POINT_MAX][3], weight[PL_CELL_POINT_MAX], all[8][8][8] = {{{0}}};
  int np = pl_cell_points(type, at, weight);
  for (int p = 0; p < np; p++) {
    double N[8], d[8][3];
    pl_cell_shape(type, at[p], N, d[0]);
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n; b++)
        for (int c = 0; c < n; c++) all[a][b][c] += 2 * weight[p] * N[a] * d[b][0] * d[c][1];
  }
  out->n = 0;
  for (int a = 0; a < n; a++)
    for (int b = a + 1; b < n; b++)
      for (int c = b + 1; c < n; c++) {
        double share =
            all[a][b][c] + all[b][c][a] + all[c][a][b] - all[b][a][c] - all[a][c][b] - all[c][b][a];
        if (fabs(share) < 1e-12) continue;
        int *tri = out->tri[out->n];
        tri[0] = a;
        tri[1] = b;
        tri[2] = c;
        out->share[out->n++] = share;
      }
}

// normal times area of a unit of natural area, and the place
static double normal_at(const reader *r, const face *f, const double *at, double *N, double *x,
                        double *normal) {
  double d[8][3], D[2][3] = {{0}};
  pl_cell_shape(face_type(f->n), at, N, d[0]);
  memset(x, 0, 3 * sizeof *x);
  for (int a = 0; a < f->n; a++)
    for (int i = 0; i < 3; i++) {
      double X = r->b->X[3 * (size_t)f->node[a] + i];
      x[i] += N[a] * X;
      for (int k = 0; k < 2; k++) D[k][i] += d[a][k] * X;
    }
  pl_cross3(D[0], D[1], normal);
  return pl_norm3(normal);
}

static void measure(const reader *r, face_list *f) {
  for (int k = 0; k < f->n; k++) {
    double at[PL_CELL_POINT_MAX][3], weight[PL_CELL_POINT_MAX], N[8], x[3], normal[3];
    int np = pl_cell_points(face_type(f->v[k].n), at, weight);
    for (int p = 0; p < np; p++) {
      double area = weight[p] * normal_at(r, &f->v[k], at[p], N, x, normal);
      f->area += area;
      for (int c = 0; c < 3; c++) {
        f->vector[c] += weight[p] * normal[c];
        f->centre[c] += area * x[c];
      }
    }
  }
  for (int c = 0; c < 3 && f->area > 0; c++) f->centre[c] /= f->area;
}

double *face_shares(reader *r, const face_list *f, int springs) {
  double *share = scene_alloc(r, (size_t)r->b->nnode + 1, sizeof *share);
  for (int k = 0; share && k < f->n; k++) {
    const face *v = &f->v[k];
    double at[PL_CELL_POINT_MAX][3], weight[PL_CELL_POINT_MAX], N[8], x[3], normal[3];
    double one[8] = {0}, square[8] = {0}, area = 0, sum = 0;
    int np = pl_cell_points(face_type(v->n), at, weight);
    for (int p = 0; p < np; p++) {
      double piece = weight[p] * normal_at(r, v, at[p], N, x, normal);
      area += piece;
      for (int a = 0; a < v->n; a++) {
        one[a] += piece * N[a];
        square[a] += piece * N[a] * N[a];
        sum += piece * N[a] * N[a];
      }
    }
    int squares = springs && v->n > 4;
    for (int a = 0; a < v->n; a++)
      share[v->node[a]] += squares && sum > 0 ? area * square[a] / sum : one[a];
  }
  return share;
}

void face_normals(const reader *r, const face_list *f, double (*normal)[3]) {
  for (int k = 0; k < f->n; k++)
    for (int a = 0; a < f->v[k].n; a++) {
      double at[3], N[8], x[3], n[3];
      pl_cell_vertex(face_type(f->v[k].n), a, at);
      normal_at(r, &f->v[k], at, N, x, n);
      for (int c = 0; c < 3; c++) normal[f->v[k].node[a]][c] += n[c];
    }
}

// ---- selectors ----------------------------------------------------------------------------------

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
  if (r->b->dim != 3) {
    problem(r, at, "put 'force' or 'total' on nodes", "%s: faces need dimension 3", what);
    return 0;
  }
  if (!select_nodes(r, at, "faces", &nodes)) return 0;
  char *chosen = scene_alloc(r, (size_t)r->b->nnode + 1, 1);
  if (!chosen) return 0;
  for (int i = 0; i < nodes.n; i++) chosen[nodes.v[i]] = 1;
  if (!chosen_faces(r, chosen, out)) return 0;
  if (out->n == 0) {
    no_faces(r, at, what);
    return 0;
  }
  measure(r, out);
  if (out->area > 0) return check_sides(r, at, what, out);
  problem(r, at, "check the mesh: its faces have no area", "%s: the faces have no area", what);
  return 0;
}
