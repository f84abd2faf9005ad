// Means over what lies opposite the faces of another side, by cutting faces with each other: the
// weights of master nodes i for slave node j are integrals of psi_j N_i over the faces of j, psi_j
// functions on these that sum up to one, with the integral of N_j and their middle at node j.
// Corners: the dual functions of Wohlmuth (2000); nodes on edges of triangles: those of Crouzeix
// and Raviart. Corners of faces of second order, which bear no part of a constant pressure or a
// negative one, are tied where they are.
#include "faces.h"

#include "pliant/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POLYGON = 24, RULE = 7 };
static const double COVERED = 0.999; // part of a face that must lie opposite

typedef struct sample {
  double w, N[8]; // weight, shape functions of the slave face
  int face;       // of the master
  double M[8];
} sample;

typedef struct entry {
  int slave, master;
  double w;
} entry;

typedef struct means {
  pl_builder *b;
  const tie_faces *own, *to;
  const int *slot; // [nnode] number of a slave node
  int nsample, sample_cap;
  sample *sample;
  int nentry, entry_cap;
  entry *entry;
  double *mass; // [n] sum of the weights of a slave node
  char *bare;   // [n] some face of it is not covered
  int *seen, round, nnear, near_cap, *near;
  double axis[3][3], middle[3]; // of the slave face at hand
} means;

static int corners(const tie_face *f) {
  return f->n % 4 == 0 ? 4 : 3;
}

// ---- polygons in the plane of a face ------------------------------------------------------------

static void flatten(const means *k, const double *x, double *out) {
  double d[3];
  pl_sub3(x, k->middle, d);
  out[0] = pl_dot3(k->axis[0], d);
  out[1] = pl_dot3(k->axis[1], d);
}

static int outline(const means *k, const tie_face *f, double (*p)[2]) {
  int n = corners(f);
  for (int i = 0; i < n; i++) flatten(k, k->b->X + 3 * (size_t)f->node[i], p[i]);
  return n;
}

static double area_of(int n, double (*p)[2]) {
  double sum = 0;
  for (int i = 1; i + 1 < n; i++)
    sum += (p[i][0] - p[0][0]) * (p[i + 1][1] - p[0][1]) -
           (p[i][1] - p[0][1]) * (p[i + 1][0] - p[0][0]);
  return sum / 2;
}

// what of the polygon p lies to the left of the line from a to c
static int clip(int n, double (*p)[2], const double *a, const double *c) {
  double out[POLYGON][2];
  int m = 0;
  for (int i = 0; i < n && m + 2 < POLYGON; i++) {
    const double *u = p[i], *v = p[(i + 1) % n];
    double su = (c[0] - a[0]) * (u[1] - a[1]) - (c[1] - a[1]) * (u[0] - a[0]);
    double sv = (c[0] - a[0]) * (v[1] - a[1]) - (c[1] - a[1]) * (v[0] - a[0]);
    if (su >= 0) memcpy(out[m++], u, sizeof out[0]);
    if (su * sv >= 0) continue;
    double t = su / (su - sv);
    for (int c2 = 0; c2 < 2; c2++) out[m][c2] = u[c2] + t * (v[c2] - u[c2]);
    m++;
  }
  memcpy(p, out, (size_t)m * sizeof *out);
  return m;
}

static int cut(double (*p)[2], int n, double (*q)[2], int m) {
  double rot = area_of(m, q) < 0 ? -1 : 1;
  for (int i = 0; i < m && n > 2; i++) {
    int j = (i + 1) % m;
    n = rot > 0 ? clip(n, p, q[i], q[j]) : clip(n, p, q[j], q[i]);
  }
  return n;
}

// ---- integrals ----------------------------------------------------------------------------------

// seven points of a triangle, exact to degree 5 (Radon)
static const double rule[RULE][3] = {{0.225, 1.0 / 3, 1.0 / 3},
                                     {0.132394152788506, 0.470142064105115, 0.470142064105115},
                                     {0.132394152788506, 0.059715871789770, 0.470142064105115},
                                     {0.132394152788506, 0.470142064105115, 0.059715871789770},
                                     {0.125939180544827, 0.101286507323456, 0.101286507323456},
                                     {0.125939180544827, 0.797426985353087, 0.101286507323456},
                                     {0.125939180544827, 0.101286507323456, 0.797426985353087}};

static void add_samples(means *k, const tie_face *f, int master, int n, double (*p)[2]) {
  double N[8], place[3];
  for (int t = 1; t + 1 < n; t++) {
    double tri[3][2];
    memcpy(tri[0], p[0], sizeof tri[0]);
    memcpy(tri[1], p[t], sizeof tri[1]);
    memcpy(tri[2], p[t + 1], sizeof tri[2]);
    double area = fabs(area_of(3, tri));
    for (int q = 0; q < RULE && area > 0; q++) {
      if (!pl_build_grow(k->b, &k->sample, k->nsample, &k->sample_cap, sizeof *k->sample)) return;
      sample *s = &k->sample[k->nsample++];
      double l[3] = {1 - rule[q][1] - rule[q][2], rule[q][1], rule[q][2]}, x[3];
      for (int i = 0; i < 3; i++) {
        x[i] = k->middle[i];
        for (int v = 0; v < 3; v++)
          x[i] += l[v] * (tri[v][0] * k->axis[0][i] + tri[v][1] * k->axis[1][i]);
      }
      *s = (sample){.w = rule[q][0] * area, .face = master};
      face_project(k->b, f, x, N, place);
      memcpy(s->N, N, (size_t)f->n * sizeof *N);
      face_project(k->b, &k->to->v[master], place, N, x);
      memcpy(s->M, N, (size_t)k->to->v[master].n * sizeof *N);
    }
  }
}

static void on_near(void *ctx, int tri) {
  means *k = ctx;
  int face = k->to->owner[tri];
  if (k->seen[face] == k->round) return;
  k->seen[face] = k->round;
  if (pl_build_grow(k->b, &k->near, k->nnear, &k->near_cap, sizeof *k->near))
    k->near[k->nnear++] = face;
}

// axes in the plane of a face; 0: it has no area
static int set_plane(means *k, const tie_face *f) {
  int n = corners(f);
  double d[2][3], N[3];
  memset(k->middle, 0, sizeof k->middle);
  for (int i = 0; i < 3 * n; i++)
    k->middle[i % 3] += k->b->X[3 * (size_t)f->node[i / 3] + i % 3] / n;
  const double *x0 = k->b->X + 3 * (size_t)f->node[0], *x1 = k->b->X + 3 * (size_t)f->node[1];
  const double *x2 = k->b->X + 3 * (size_t)f->node[2], *x3 = k->b->X + 3 * (size_t)f->node[n - 1];
  pl_sub3(x2, x0, d[0]);
  pl_sub3(x3, x1, d[1]);
  pl_cross3(d[0], d[1], N);
  double l = pl_norm3(N), a = pl_norm3(d[0]);
  if (!(l > 0 && a > 0)) return 0;
  for (int i = 0; i < 3; i++) {
    k->axis[0][i] = d[0][i] / a;
    k->axis[2][i] = N[i] / l;
  }
  pl_cross3(k->axis[2], k->axis[0], k->axis[1]);
  return 1;
}

// how much a face of the other side lies across: cosine of the angle between both
static double facing(const means *k, const tie_face *f) {
  means other = *k;
  if (!set_plane(&other, f)) return 0;
  return fabs(pl_dot3(other.axis[2], k->axis[2]));
}

// samples of all that lies opposite a face; returns the part of it that does
static double look_across(means *k, const tie_face *f) {
  double lo[3], hi[3], own[POLYGON][2], slack = face_size(k->b, f) / 4, covered = 0;
  k->nsample = k->nnear = 0;
  k->round++;
  if (!set_plane(k, f)) return 0;
  for (int i = 0; i < 3; i++) {
    lo[i] = INFINITY;
    hi[i] = -INFINITY;
    for (int a = 0; a < f->n; a++) {
      lo[i] = fmin(lo[i], k->b->X[3 * (size_t)f->node[a] + i] - slack);
      hi[i] = fmax(hi[i], k->b->X[3 * (size_t)f->node[a] + i] + slack);
    }
  }
  pl_bvh_overlaps(k->to->tree, lo, hi, on_near, k);
  int n = outline(k, f, own);
  double whole = fabs(area_of(n, own));
  for (int i = 0; i < k->nnear; i++) {
    double p[POLYGON][2], q[POLYGON][2];
    const tie_face *to = &k->to->v[k->near[i]];
    if (facing(k, to) < 0.7) continue;
    memcpy(p, own, sizeof p);
    int m = cut(p, n, q, outline(k, to, q));
    if (m < 3 || fabs(area_of(m, p)) < 1e-12 * whole) continue;
    covered += fabs(area_of(m, p)) / whole;
    add_samples(k, f, k->near[i], m, p);
  }
  return covered;
}

// ---- functions that weigh -----------------------------------------------------------------------

// A[n][n] x = b by elimination with pivots; 0: singular
static int solve_small(int n, double (*A)[4], double *x) {
  for (int c = 0; c < n; c++) {
    int p = c;
    for (int i = c + 1; i < n; i++)
      if (fabs(A[i][c]) > fabs(A[p][c])) p = i;
    if (!(fabs(A[p][c]) > 0)) return 0;
    for (int j = 0; j < n; j++) {
      double t = A[c][j];
      A[c][j] = A[p][j];
      A[p][j] = t;
    }
    double t = x[c];
    x[c] = x[p];
    x[p] = t;
    for (int i = 0; i < n; i++) {
      if (i == c) continue;
      double f = A[i][c] / A[c][c];
      for (int j = c; j < n; j++) A[i][j] -= f * A[c][j];
      x[i] -= f * x[c];
    }
  }
  for (int c = 0; c < n; c++) x[c] /= A[c][c];
  return 1;
}

// dual[a][c]: psi_a = sum_c dual[a][c] N_c has integral of psi_a N_c = 0 but for c = a
static int dual_functions(const means *k, int n, double (*dual)[4]) {
  double M[4][4] = {{0}}, D[4] = {0};
  for (int s = 0; s < k->nsample; s++)
    for (int a = 0; a < n; a++) {
      D[a] += k->sample[s].w * k->sample[s].N[a];
      for (int c = 0; c < n; c++) M[a][c] += k->sample[s].w * k->sample[s].N[a] * k->sample[s].N[c];
    }
  for (int a = 0; a < n; a++) {
    double A[4][4];
    memcpy(A, M, sizeof A);
    for (int c = 0; c < n; c++) dual[a][c] = c == a ? D[a] : 0;
    if (!solve_small(n, A, dual[a])) return 0;
  }
  return 1;
}

// psi of local node a at a sample
static double weigh(const tie_face *f, const sample *s, double (*dual)[4], int a) {
  const double *N = s->N;
  double sum = 0;
  if (f->n <= 4) {
    for (int c = 0; c < f->n; c++) sum += dual[a][c] * N[c];
    return sum;
  }
  if (a < corners(f)) return 0;
  if (f->n == 6) {
    // 1 - 2 l of the corner across, l = N_c + half of the nodes on its edges
    int c = (a - 3 + 2) % 3;
    return 1 - 2 * (N[c] + (N[3 + c] + N[3 + (c + 2) % 3]) / 2);
  }
  // 1/4 + 3/4 of the coordinate towards its edge: sum of N over that edge less those across
  static const int edge[4][3] = {{0, 4, 1}, {1, 5, 2}, {2, 6, 3}, {3, 7, 0}};
  double to = 0;
  for (int i = 0; i < 3; i++) to += N[edge[a - 4][i]] - N[edge[(a - 2) % 4][i]];
  return 0.25 + 0.75 * to;
}

static void add_entry(means *k, int slave, int master, double w) {
  if (w == 0) return;
  if (!pl_build_grow(k->b, &k->entry, k->nentry, &k->entry_cap, sizeof *k->entry)) return;
  k->entry[k->nentry++] = (entry){slave, master, w};
}

// corners of a face with eight nodes bear a twelfth of it each, negative: their neighbours on the
// edges bear that too
static void add_corners(means *k, const tie_face *f, const tie_place *place, double area) {
  for (int a = 4; a < f->n && f->n == 8; a++)
    for (int e = 0; e < 2; e++) {
      const tie_place *at = &place[k->slot[f->node[(a - 4 + e) % 4]]];
      int slave = k->slot[f->node[a]];
      for (int i = 0; i < at->n; i++) add_entry(k, slave, at->node[i], area / 24 * at->w[i]);
      k->mass[slave] += area / 24;
    }
}

static void add_face(means *k, const tie_face *f, const tie_place *place) {
  double dual[4][4] = {{0}}, area = 0;
  double part = look_across(k, f);
  int ok = part > COVERED && part < 2 - COVERED && (f->n > 4 || dual_functions(k, f->n, dual));
  for (int a = 0; a < f->n && !ok; a++) k->bare[k->slot[f->node[a]]] = 1;
  if (!ok) return;
  for (int s = 0; s < k->nsample && !k->b->failed; s++) {
    const sample *p = &k->sample[s];
    const tie_face *to = &k->to->v[p->face];
    area += p->w;
    for (int a = f->n > 4 ? corners(f) : 0; a < f->n; a++) {
      double psi = p->w * weigh(f, p, dual, a);
      int slave = k->slot[f->node[a]];
      k->mass[slave] += psi;
      for (int i = 0; i < to->n; i++) add_entry(k, slave, to->node[i], psi * p->M[i]);
    }
  }
  add_corners(k, f, place, area);
}

// ---- all together -------------------------------------------------------------------------------

static int compare_entries(const void *a, const void *b) {
  const entry *p = a, *q = b;
  return p->slave != q->slave ? p->slave - q->slave : p->master - q->master;
}

// entries a..b-1 of one slave node become its place, unless there are too many
static int keep_place(means *k, int a, int b, tie_place *place) {
  int slave = k->entry[a].slave;
  tie_place made = place[slave];
  made.n = 0;
  if (k->bare[slave] || !(k->mass[slave] > 0)) return 0;
  for (int i = a, j; i < b; i = j) {
    double sum = 0;
    for (j = i; j < b && k->entry[j].master == k->entry[i].master; j++) sum += k->entry[j].w;
    if (fabs(sum) < 1e-10 * k->mass[slave]) continue;
    if (made.n == TIE_MASTERS) return 0;
    made.node[made.n] = k->entry[i].master;
    made.w[made.n++] = sum / k->mass[slave];
  }
  double all = 0;
  for (int i = 0; i < made.n; i++) all += made.w[i];
  for (int i = 0; i < made.n; i++) made.w[i] /= all;
  made.area = k->mass[slave];
  place[slave] = made;
  return 1;
}

pl_status faces_means(pl_builder *b, const tie_faces *own, const tie_faces *f, int n,
                      const int *node, tie_place *place, int *nmean) {
  int *slot = pl_build_keep(b, (size_t)b->nnode + 1, sizeof *slot);
  means k = {.b = b,
             .own = own,
             .to = f,
             .slot = slot,
             .mass = pl_build_keep(b, (size_t)n + 1, sizeof *k.mass),
             .bare = pl_build_keep(b, (size_t)n + 1, 1),
             .seen = pl_build_keep(b, (size_t)f->n + 1, sizeof *k.seen)};
  *nmean = 0;
  if (b->failed) return b->failed;
  for (int i = 0; i < n; i++) slot[node[i]] = i;
  for (int i = 0; i < own->n && !b->failed; i++) add_face(&k, &own->v[i], place);
  if (b->failed) return b->failed;
  if (k.nentry > 0) qsort(k.entry, (size_t)k.nentry, sizeof *k.entry, compare_entries);
  for (int a = 0, e; a < k.nentry; a = e) {
    for (e = a + 1; e < k.nentry && k.entry[e].slave == k.entry[a].slave;) e++;
    *nmean += keep_place(&k, a, e, place);
  }
  return PL_OK;
}
