// Faces of bodies: shape functions, nearest places.
#include "faces.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

enum { NEWTON = 20 };

// ---- lists --------------------------------------------------------------------------------------

static pl_status add_body(pl_builder *b, const pl_body *p, const char *chosen, tie_faces *f) {
  int n, *row;
  PL_TRY(pl_mesh_faces(p->desc.mesh, &n, &row));
  for (int k = 0; k < n && !b->failed; k++) {
    tie_face one = {.n = row[PL_FACE_ROW * k]};
    int all = 1;
    for (int i = 0; i < one.n; i++) {
      one.node[i] = p->node[row[PL_FACE_ROW * k + 1 + i]];
      all &= chosen[one.node[i]];
    }
    if (all && pl_build_grow(b, &f->v, f->n, &f->cap, sizeof *f->v)) f->v[f->n++] = one;
  }
  pl_free(b->env, row);
  return b->failed;
}

pl_status faces_find(pl_builder *b, const char *chosen, tie_faces *f) {
  for (int k = 0; k < b->nbody; k++) {
    pl_body_kind kind = b->body[k].desc.kind;
    if (kind != PL_BODY_SHELL && kind != PL_BODY_SOLID) continue;
    PL_TRY(add_body(b, &b->body[k], chosen, f));
  }
  return PL_OK;
}

static int corners(const tie_face *f) {
  return f->n % 4 == 0 ? 4 : 3;
}

pl_status faces_tree(pl_builder *b, tie_faces *f) {
  int n = 0;
  f->tri = pl_build_keep(b, 6 * (size_t)f->n + 1, sizeof *f->tri);
  f->owner = pl_build_keep(b, 2 * (size_t)f->n + 1, sizeof *f->owner);
  if (!f->tri || !f->owner) return PL_E_NOMEM;
  for (int k = 0; k < f->n; k++)
    for (int t = 0; t < corners(&f->v[k]) - 2; t++, n++) {
      const int *v = f->v[k].node, tri[3] = {v[0], v[t + 1], v[t + 2]};
      memcpy(f->tri + 3 * (size_t)n, tri, sizeof tri);
      f->owner[n] = k;
    }
  return pl_bvh_create(b->env, n, f->tri, b->X, &f->tree);
}

void faces_close(tie_faces *f) {
  pl_bvh_free(f->tree);
  f->tree = NULL;
}

double face_size(const pl_builder *b, const tie_face *f) {
  double longest = 0;
  int n = corners(f);
  for (int k = 0; k < n; k++) {
    double d[3];
    pl_sub3(b->X + 3 * (size_t)f->node[(k + 1) % n], b->X + 3 * (size_t)f->node[k], d);
    longest = fmax(longest, pl_norm3(d));
  }
  return longest;
}

// ---- shape functions ----------------------------------------------------------------------------

static void triangle(int n, double r, double s, double *N, double (*d)[2]) {
  const double l[3] = {1 - r - s, r, s};
  static const double slope[3][2] = {{-1, -1}, {1, 0}, {0, 1}};
  for (int a = 0; a < 3; a++) {
    int c = (a + 1) % 3;
    N[a] = n == 3 ? l[a] : l[a] * (2 * l[a] - 1);
    if (n == 6) N[3 + a] = 4 * l[a] * l[c];
    for (int k = 0; k < 2; k++) {
      d[a][k] = (n == 3 ? 1 : 4 * l[a] - 1) * slope[a][k];
      if (n == 6) d[3 + a][k] = 4 * (l[a] * slope[c][k] + l[c] * slope[a][k]);
    }
  }
}

static void quad(int n, double r, double s, double *N, double (*d)[2]) {
  static const double at[8][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1},
                                  {0, -1},  {1, 0},  {0, 1}, {-1, 0}};
  for (int a = 0; a < 4; a++) {
    double p = at[a][0], q = at[a][1], more = n == 4 ? 1 : p * r + q * s - 1;
    double f = (1 + p * r) * (1 + q * s) / 4;
    N[a] = f * more;
    d[a][0] = p * (1 + q * s) / 4 * more + (n == 4 ? 0 : f * p);
    d[a][1] = q * (1 + p * r) / 4 * more + (n == 4 ? 0 : f * q);
  }
  for (int a = 4; a < n; a++) {
    double p = at[a][0], q = at[a][1];
    N[a] = (p == 0 ? 1 - r * r : 1 + p * r) * (q == 0 ? 1 - s * s : 1 + q * s) / 2;
    d[a][0] = (p == 0 ? -2 * r : p) * (q == 0 ? 1 - s * s : 1 + q * s) / 2;
    d[a][1] = (p == 0 ? 1 - r * r : 1 + p * r) * (q == 0 ? -2 * s : q) / 2;
  }
}

// x - X(r, s), and the derivatives of X
static void place_at(const pl_builder *b, const tie_face *f, const double rs[2], const double *x,
                     double *N, double (*J)[3], double *off) {
  double d[8][2];
  (corners(f) == 3 ? triangle : quad)(f->n, rs[0], rs[1], N, d);
  memcpy(off, x, 3 * sizeof *off);
  memset(J, 0, 6 * sizeof(double));
  for (int a = 0; a < f->n; a++)
    for (int i = 0; i < 3; i++) {
      double X = b->X[3 * (size_t)f->node[a] + i];
      off[i] -= N[a] * X;
      for (int k = 0; k < 2; k++) J[k][i] += d[a][k] * X;
    }
}

// onto the face, or its boundary
static void clip_to_face(int nc, double *rs) {
  if (nc == 4) {
    for (int k = 0; k < 2; k++) rs[k] = fmax(-1, fmin(1, rs[k]));
    return;
  }
  double over = rs[0] + rs[1] - 1;
  for (int k = 0; k < 2 && over > 0; k++) rs[k] -= over / 2;
  for (int k = 0; k < 2; k++) {
    if (rs[k] >= 0) continue;
    rs[1 - k] = fmax(0, fmin(1, rs[1 - k] + (over > 0 ? rs[k] : 0)));
    rs[k] = 0;
  }
}

double face_project(const pl_builder *b, const tie_face *f, const double *x, double *N,
                    double *place) {
  int nc = corners(f);
  double rs[2] = {nc == 3 ? 1.0 / 3 : 0, nc == 3 ? 1.0 / 3 : 0}, J[2][3], off[3];
  for (int it = 0; it < NEWTON; it++) {
    place_at(b, f, rs, x, N, J, off);
    double a = pl_dot3(J[0], J[0]), c = pl_dot3(J[0], J[1]), e = pl_dot3(J[1], J[1]);
    double g = pl_dot3(J[0], off), h = pl_dot3(J[1], off), det = a * e - c * c;
    if (!(det > 0)) break;
    double move[2] = {(e * g - c * h) / det, (a * h - c * g) / det}, was[2] = {rs[0], rs[1]};
    for (int k = 0; k < 2; k++) rs[k] += move[k];
    clip_to_face(nc, rs);
    if (fabs(rs[0] - was[0]) + fabs(rs[1] - was[1]) < 1e-14) break;
  }
  place_at(b, f, rs, x, N, J, off);
  for (int i = 0; i < 3; i++) place[i] = x[i] - off[i];
  return pl_norm3(off);
}

void faces_nearest(const pl_builder *b, const tie_faces *f, const double *x, tie_place *out) {
  pl_hit hit = pl_bvh_nearest(f->tree, x);
  double N[8], place[3];
  *out = (tie_place){.face = f->owner[hit.tri]};
  const tie_face *v = &f->v[out->face];
  out->far = face_project(b, v, x, N, place);
  for (int a = 0; a < v->n; a++) {
    out->node[a] = v->node[a];
    out->w[a] = N[a];
  }
  out->n = v->n;
}
