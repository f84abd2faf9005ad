#include "facets.h"
#include "taut_impl.h"

#include <complex.h>
#include <string.h>

// Symmetries of a material: motions of space that keep the plane of the sheet and map its elements
// onto each other.

static const double SAME = 1e-7; // of lengths, over the lattice's size
enum { CORNERS = 4000 };         // of facets that are compared

typedef struct motion {
  double G[9], t[3]; // x -> G x + t
  double tol;
} motion;

static int near3(const double *a, const double *b, double tol) {
  double w[3];
  pl_sub3(a, b, w);
  return pl_norm3(w) <= tol;
}

// the middle of a piece in its element
static void own_middle(const pl_piece *p, double out[3]) {
  memcpy(out, p->centre, 3 * sizeof *out);
  for (int k = 0; p->kind == PL_PIECE_FACETS && k < p->facets->nvert; k++)
    for (int i = 0; i < 3; i++) out[i] += p->facets->x[k][i] / p->facets->nvert;
}

// where it is in the world
static void middle(const pl_piece *p, const pl_pose *at, double out[3]) {
  double own[3];
  own_middle(p, own);
  pl_apply3(at->Q, own, out);
  for (int i = 0; i < 3; i++) out[i] += at->x[i];
}

// ---- pieces that are equal but for where their middles are --------------------------------------

static int same_rings(const motion *g, const double *R, const double *S, const pl_piece *p,
                      const pl_piece *q) {
  double a[3], b[3], c[3];
  pl_apply3(S, q->axis, b);
  pl_apply3(R, p->axis, a);
  pl_cross3(a, b, c);
  return fabs(p->major - q->major) + fabs(p->radius - q->radius) + fabs(p->height - q->height) <=
             g->tol &&
         pl_norm3(c) * p->major <= g->tol;
}

static int same_links(const motion *g, const double *R, const double *S, const pl_piece *p,
                      const pl_piece *q) {
  double a[3], b[3], c[3];
  pl_apply3(S, q->out[0], b);
  pl_apply3(R, p->out[0], a);
  pl_cross3(a, b, c);
  return same_rings(g, R, S, p, q) && fabs(p->straight - q->straight) <= g->tol &&
         pl_norm3(c) * (p->major + p->straight / 2) <= g->tol;
}

// harmonic k as the complex vector of cos - i sin, turned
static void harmonic(const pl_piece *p, const double *R, int k, double complex out[3]) {
  double c[3], s[3];
  pl_apply3(R, p->cosine[k], c);
  pl_apply3(R, p->sine[k], s);
  for (int i = 0; i < 3; i++) out[i] = c[i] - I * s[i];
}

// p(t) = q(t + shift), or q(shift - t) where it is run through backwards
static int shifted(const motion *g, const double *R, const double *S, const pl_piece *p,
                   const pl_piece *q, int back, double shift) {
  for (int k = 0; k < p->nharmonic; k++) {
    double complex a[3], b[3], rot = cexp(I * ((k + 1) * shift));
    harmonic(p, R, k, a);
    harmonic(q, S, k, b);
    for (int i = 0; i < 3; i++)
      if (cabs(a[i] - (back ? conj(b[i] * rot) : b[i] * rot)) > g->tol) return 0;
  }
  return 1;
}

static int same_curves(const motion *g, const double *R, const double *S, const pl_piece *p,
                       const pl_piece *q) {
  if (p->nharmonic != q->nharmonic || fabs(p->radius - q->radius) > g->tol) return 0;
  for (int k = 0; k < p->nharmonic; k++) {
    double complex a[3], b[3];
    double size = 0;
    harmonic(p, R, k, a);
    harmonic(q, S, k, b);
    for (int i = 0; i < 3; i++) size += cabs(a[i]);
    if (size <= g->tol) continue;
    // the first harmonic tells all shifts that there can be
    for (int back = 0; back < 2; back++) {
      double complex z = 0;
      for (int i = 0; i < 3; i++) z += a[i] * (back ? b[i] : conj(b[i]));
      for (int m = 0; m <= k; m++) {
        double shift = ((back ? -1 : 1) * carg(z) + 2 * PL_PI * m) / (k + 1);
        if (shifted(g, R, S, p, q, back, shift)) return 1;
      }
    }
    return 0;
  }
  return 1;
}

// corners from the middle of their facets, turned
static void corners_of(const pl_piece *p, const double *R, double (*out)[3]) {
  double own[3];
  own_middle(p, own);
  for (int k = 0; k < p->facets->nvert; k++) {
    double x[3];
    for (int i = 0; i < 3; i++) x[i] = p->centre[i] + p->facets->x[k][i] - own[i];
    pl_apply3(R, x, out[k]);
  }
}

static int has_edge(const pl_facets *f, int a, int b) {
  for (int k = f->star[a]; k < f->star[a + 1]; k++) {
    const int *e = f->edge[f->vert_edge[k]];
    if (e[0] == b || e[1] == b) return 1;
  }
  return 0;
}

// edges within a plane do not count
static int same_facets(const motion *g, const double *R, const double *S, const pl_piece *p,
                       const pl_piece *q) {
  const pl_facets *f = p->facets, *h = q->facets;
  int to[CORNERS];
  if (f->nvert != h->nvert || f->nedge != h->nedge || f->nface != h->nface || f->nvert > CORNERS ||
      fabs(p->radius - q->radius) > g->tol)
    return 0;
  double x[CORNERS][3], y[CORNERS][3];
  corners_of(p, R, x);
  corners_of(q, S, y);
  for (int k = 0; k < f->nvert; k++) {
    to[k] = -1;
    for (int l = 0; to[k] < 0 && l < h->nvert; l++)
      if (near3(x[k], y[l], g->tol)) to[k] = l;
    if (to[k] < 0) return 0;
  }
  for (int k = 0; k < f->nedge; k++)
    if (!f->flat[f->nvert + k] && !has_edge(h, to[f->edge[k][0]], to[f->edge[k][1]])) return 0;
  return 1;
}

static int same_pieces(const motion *g, const double *R, const double *S, const pl_piece *p,
                       const pl_piece *q) {
  if (p->kind != q->kind) return 0;
  return p->kind == PL_PIECE_RING    ? same_rings(g, R, S, p, q)
         : p->kind == PL_PIECE_CURVE ? same_curves(g, R, S, p, q)
         : p->kind == PL_PIECE_LINK  ? same_links(g, R, S, p, q)
                                     : same_facets(g, R, S, p, q);
}

// ---- elements -----------------------------------------------------------------------------------

// Elements that are mapped onto each other, but for vectors of a lattice; NULL: exactly.
typedef struct crowd {
  int n;
  const pl_mail_element *const *elem; // [n]
  const pl_pose *pose;                // [n]
  const double (*lattice)[2];
} crowd;

// w is a vector of the lattice
static int is_lattice(const crowd *c, const double *w, double tol) {
  if (!c->lattice) return pl_norm3(w) <= tol;
  const double *a = c->lattice[0], *b = c->lattice[1];
  double det = a[0] * b[1] - a[1] * b[0];
  double k = round((w[0] * b[1] - w[1] * b[0]) / det), l = round((a[0] * w[1] - a[1] * w[0]) / det);
  return hypot(w[0] - k * a[0] - l * b[0], w[1] - k * a[1] - l * b[1]) <= tol && fabs(w[2]) <= tol;
}

// Each piece of element i is mapped onto one of element j, all by the same lattice vector.
static int maps_onto(const motion *g, const crowd *c, int i, int j) {
  const pl_mail_element *e = c->elem[i], *f = c->elem[j];
  double R[9], first[3];
  if (e->npiece != f->npiece) return 0;
  pl_mul3(g->G, c->pose[i].Q, R);
  for (int p = 0; p < e->npiece; p++) {
    double x[3], at[3], own[3], w[3];
    int found = 0;
    middle(&e->piece[p], &c->pose[i], own);
    pl_apply3(g->G, own, x);
    for (int d = 0; d < 3; d++) x[d] += g->t[d];
    for (int q = 0; q < f->npiece && !found; q++) {
      middle(&f->piece[q], &c->pose[j], at);
      pl_sub3(x, at, w);
      if (!is_lattice(c, w, g->tol) || (p > 0 && !near3(w, first, g->tol))) continue;
      found = same_pieces(g, R, c->pose[j].Q, &e->piece[p], &f->piece[q]);
    }
    if (!found) return 0;
    if (p == 0) memcpy(first, w, sizeof first);
  }
  return 1;
}

static int maps_all(const motion *g, const crowd *c) {
  for (int i = 0; i < c->n; i++) {
    int found = 0;
    for (int j = 0; j < c->n && !found; j++) found = maps_onto(g, c, i, j);
    if (!found) return 0;
  }
  return 1;
}

// Some translation, of disks one along z, makes it a symmetry: the first piece goes where some
// piece is. over: -1: turned over.
static int is_symmetry(const crowd *c, const double O[4], int over, double tol) {
  double x[3], at[3], displaced[3];
  motion g = {.G = {O[0], O[1], 0, O[2], O[3], 0, 0, 0, over}, .tol = tol};
  middle(&c->elem[0]->piece[0], &c->pose[0], x);
  pl_apply3(g.G, x, displaced);
  for (int j = 0; j < c->n; j++)
    for (int q = 0; q < c->elem[j]->npiece; q++) {
      middle(&c->elem[j]->piece[q], &c->pose[j], at);
      pl_sub3(at, displaced, g.t);
      if (!c->lattice) {
        if (hypot(g.t[0], g.t[1]) > tol) continue;
        g.t[0] = g.t[1] = 0;
      }
      if (maps_all(&g, c)) return 1;
    }
  return 0;
}

// ---- the plane ----------------------------------------------------------------------------------

// the two shortest vectors of the lattice
static void reduce(const pl_mail *m, double a[2], double b[2]) {
  memcpy(a, m->lattice[0], 2 * sizeof *a);
  memcpy(b, m->lattice[1], 2 * sizeof *b);
  for (int step = 0; step < 100; step++) {
    if (hypot(b[0], b[1]) < hypot(a[0], a[1]))
      for (int i = 0; i < 2; i++) {
        double swap = a[i];
        a[i] = b[i];
        b[i] = swap;
      }
    double k = round((a[0] * b[0] + a[1] * b[1]) / (a[0] * a[0] + a[1] * a[1]));
    if (k == 0) return;
    for (int i = 0; i < 2; i++) b[i] -= k * a[i];
  }
}

// an orthogonal matrix that takes a and b to u and v, where there is one
static int rotation_to(const double *a, const double *b, const double *u, const double *v,
                       double O[4]) {
  double det = a[0] * b[1] - a[1] * b[0];
  for (int i = 0; i < 2; i++) {
    O[2 * i] = (u[i] * b[1] - v[i] * a[1]) / det;
    O[2 * i + 1] = (v[i] * a[0] - u[i] * b[0]) / det;
  }
  return fabs(O[0] * O[0] + O[2] * O[2] - 1) < SAME && fabs(O[1] * O[1] + O[3] * O[3] - 1) < SAME &&
         fabs(O[0] * O[1] + O[2] * O[3]) < SAME;
}

// Symmetries of a lattice take its shortest vectors to others of the eight about a point: those of
// some elements.
static int find_symmetries(const pl_mail *m, const crowd *c, pl_mail_symmetry *out) {
  double a[2], b[2], u[9][2];
  int n = 0;
  reduce(m, a, b);
  for (int k = 0; k < 9; k++)
    for (int i = 0; i < 2; i++) u[k][i] = (k / 3 - 1) * a[i] + (k % 3 - 1) * b[i];
  out[n++] = (pl_mail_symmetry){{1, 0, 0, 1}, 1};
  for (int k = 0; k < 81; k++)
    for (int over = 1; over >= -1; over -= 2) {
      int one = k / 9, two = k % 9, same = one == 7 && two == 5;
      pl_mail_symmetry s = {.over = over};
      if (one == 4 || two == 4 || (same && over > 0) || n == PL_MAIL_SYMMETRIES) continue;
      if (!rotation_to(a, b, u[one], u[two], s.O)) continue;
      if (is_symmetry(c, s.O, over, SAME * hypot(b[0], b[1]))) out[n++] = s;
    }
  return n;
}

// the crowd of a periodic cell, or of a disk
static crowd crowd_of(const pl_cell *c) {
  return (crowd){c->nelem, c->elem, c->ref, c->disk > 0 ? NULL : c->lattice};
}

pl_status pl_mail_symmetries(pl_env *env, const pl_mail *m, int across,
                             pl_mail_symmetry out[PL_MAIL_SYMMETRIES], int *n) {
  pl_cell *cell;
  *n = 0;
  PL_TRY(across ? pl_cell_create_disk(env, m, across, &cell) : pl_cell_create(env, m, 1, 1, &cell));
  crowd c = crowd_of(cell);
  *n = find_symmetries(m, &c, out);
  pl_cell_free(cell);
  return PL_OK;
}

// ---- goals --------------------------------------------------------------------------------------

// O S O' of a symmetric S (xx, yy, xy)
static void rotate_strain(const double O[4], const double S[3], double out[3]) {
  double x = O[0], y = O[1], z = O[2], w = O[3];
  out[0] = x * x * S[0] + y * y * S[1] + 2 * x * y * S[2];
  out[1] = z * z * S[0] + w * w * S[1] + 2 * z * w * S[2];
  out[2] = x * z * S[0] + y * w * S[1] + (x * w + y * z) * S[2];
}

// B turned is B' or -B'; 0: neither
static int sign_of(const pl_mail_symmetry *s, double side, const double B[3], const double to[3]) {
  double S[3], back[3];
  rotate_strain(s->O, B, S);
  for (int c = 0; c < 3; c++) {
    S[c] *= side;
    back[c] = -S[c];
  }
  return near3(S, to, 1e-9) ? 1 : near3(back, to, 1e-9) ? -1 : 0;
}

// 1: the second goal is the first one, turned, with unknowns of these signs
static int is_image(const pl_taut_goal *g, const pl_mail_symmetry *s, const pl_taut_goal *h,
                    int sign[PL_TAUT_FREE]) {
  // what is turned over is curved the other way
  double side = g->shape == PL_TAUT_PARABOLOID ? s->over : 1;
  int n = g->n + (g->shape == PL_TAUT_CYLINDER);
  if (g->shape != h->shape || g->n != h->n || g->starts != h->starts) return 0;
  // one of disks strains with the curvature
  if (pl_norm3(g->strain) > 0 || pl_norm3(h->strain) > 0) return 0;
  if (sign_of(s, side, g->offset, h->offset) != 1) return 0;
  for (int k = 0; k < n; k++) {
    sign[k] = k < g->n ? sign_of(s, side, g->basis[k], h->basis[k]) : s->over;
    if (sign[k] == 0 || sign[k] * g->goal[k] != h->goal[k]) return 0;
  }
  return 1;
}

// the first goal that one is an image of, by the first symmetry that makes it so
static void find_image(int nsym, const pl_mail_symmetry *sym, const pl_taut_goal *goal, int i,
                       pl_mail_image *image) {
  for (int j = 0; j < i; j++) {
    if (image[j].from != j) continue;
    for (int k = 0; k < nsym; k++) {
      pl_mail_image one = {.from = j, .by = sym[k]};
      if (!is_image(&goal[j], &sym[k], &goal[i], one.sign)) continue;
      image[i] = one;
      return;
    }
  }
  image[i] = (pl_mail_image){i, sym[0], {1, 1, 1, 1}};
}

pl_status pl_mail_orbits(pl_env *env, const pl_mail *m, int across, int ngoal,
                         const pl_taut_goal *goal, pl_mail_image *image) {
  pl_mail_symmetry sym[PL_MAIL_SYMMETRIES];
  int nsym;
  PL_TRY(pl_mail_symmetries(env, m, across, sym, &nsym));
  for (int i = 0; i < ngoal; i++) find_image(nsym, sym, goal, i, image);
  return PL_OK;
}

// by a symmetry or, back: by its inverse
static void rotate_numbers(const pl_mail_image *by, int back, pl_taut *t) {
  const double *O = by->by.O;
  const double rot[4] = {O[0], back ? O[2] : O[1], back ? O[1] : O[2], O[3]};
  double S[3];
  for (int k = 0; k < PL_TAUT_FREE; k++) t->e[k] *= by->sign[k];
  rotate_strain(rot, t->stretch, S);
  memcpy(t->stretch, S, sizeof S);
  rotate_strain(rot, t->curvature, S);
  for (int c = 0; c < 3; c++) t->curvature[c] = by->by.over * S[c];
}

void pl_mail_use_image(const pl_taut *from, const pl_mail_image *image, const pl_taut_goal *g,
                       const pl_mail_image *to_image, pl_taut *to) {
  *to = *from;
  to->contact = NULL;
  to->pose = NULL;
  to->iterations = to->evaluations = 0;
  rotate_numbers(image, 1, to);
  rotate_numbers(to_image, 0, to);
  to->angle = g->angle;
}
