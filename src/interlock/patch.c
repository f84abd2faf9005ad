#include "facets.h"
#include "patch_impl.h"

#include <float.h>
#include <string.h>

// Elements of a patch: their sizes and masses, and which of them hang together.

double element_ball(const pl_mail_element *e) {
  double most = 0;
  for (int k = 0; k < e->npiece; k++) {
    double from[3], far = piece_reach(&e->piece[k], from);
    most = fmax(most, far + pl_norm3(from));
  }
  return most;
}

double element_wire(const pl_mail_element *e) {
  double least = DBL_MAX;
  for (int k = 0; k < e->npiece; k++) {
    const pl_piece *p = &e->piece[k];
    least = fmin(least, p->kind == PL_PIECE_RING ? fmin(p->radius, p->height) : p->radius);
  }
  return least;
}

static double part_middle(const pl_facets *f, int n, const int *v, double out[3]) {
  double a[3], b[3], across[3];
  for (int c = 0; c < 3; c++) {
    out[c] = 0;
    for (int k = 0; k < n; k++) out[c] += f->x[v[k]][c] / n;
  }
  pl_sub3(f->x[v[1]], f->x[v[0]], a);
  if (n == 2) return pl_norm3(a);
  pl_sub3(f->x[v[2]], f->x[v[0]], b);
  pl_cross3(a, b, across);
  return pl_norm3(across) / 2;
}

static void add_part(double volume, const double *at, double *all, double sum[3]) {
  *all += volume;
  for (int c = 0; c < 3; c++) sum[c] += volume * at[c];
}

// Rods about edges, rounded rims, both sides of triangles, and what closed ones bound.
static double facets_volume(const pl_facets *f, double radius, double centre[3]) {
  double all = 0, sum[3] = {0}, at[3], rod = PL_PI * radius * radius;
  int closed = facets_wire(f) > 0;
  for (int e = 0; e < f->nedge; e++) {
    double length = part_middle(f, 2, f->edge[e], at);
    if (f->nedge_face[e] < 2) add_part(length * rod / (1 + f->nedge_face[e]), at, &all, sum);
  }
  for (int k = 0; k < f->nface; k++) {
    const double *x[3] = {f->x[f->face[k][0]], f->x[f->face[k][1]], f->x[f->face[k][2]]};
    double n[3], area = part_middle(f, 3, f->face[k], at);
    add_part((closed ? 1 : 2) * radius * area, at, &all, sum);
    if (!closed) continue;
    pl_cross3(x[0], x[1], n);
    for (int c = 0; c < 3; c++) at[c] *= 0.75; // of the tetrahedron from the origin
    add_part(pl_dot3(n, x[2]) / 6, at, &all, sum);
  }
  for (int c = 0; c < 3; c++) centre[c] = all != 0 ? sum[c] / all : f->centre[c];
  return fabs(all);
}

// By Guldin's rule: the area of the section times the way of its centre. A closed tube balances at
// the mean of its centre line.
static double piece_volume(const pl_piece *p, double centre[3]) {
  enum { N = 512 };
  if (p->kind == PL_PIECE_FACETS) return facets_volume(p->facets, p->radius, centre);
  memcpy(centre, p->centre, 3 * sizeof *centre);
  if (p->kind == PL_PIECE_RING) return 2 * PL_PI * p->major * PL_PI * p->radius * p->height;
  double length = 0, sum[3] = {0};
  for (int i = 0; i < N; i++) {
    pl_swept s;
    pl_piece_at(p, (double[2]){2 * PL_PI * i / N, 0}, &s);
    double ds = 2 * PL_PI / N * pl_norm3(s.d[0]);
    length += ds;
    for (int c = 0; c < 3; c++) sum[c] += ds * s.p[c];
  }
  for (int c = 0; c < 3; c++) centre[c] = sum[c] / length;
  return length * PL_PI * p->radius * p->radius;
}

double pl_mail_element_volume(const pl_mail_element *e, double centre[3]) {
  double all = 0, sum[3] = {0};
  for (int k = 0; k < e->npiece; k++) {
    double at[3], volume = piece_volume(&e->piece[k], at);
    all += volume;
    for (int c = 0; c < 3; c++) sum[c] += volume * at[c];
  }
  for (int c = 0; c < 3; c++) centre[c] = sum[c] / all;
  return all;
}

void patch_measure(patch *p) {
  p->thin = DBL_MAX;
  for (int i = 0; i < p->in->n; i++) {
    const pl_mail_element *e = p->in->elem[i];
    int same = i > 0 && e == p->in->elem[i - 1];
    p->radius[i] = same ? p->radius[i - 1] : element_ball(e);
    p->wire[i] = same ? p->wire[i - 1] : element_wire(e);
    p->thin = fmin(p->thin, p->wire[i]);
    p->ball = fmax(p->ball, p->radius[i]);
    if (same) {
      p->mass[i] = p->mass[i - 1];
      memcpy(p->middle[i], p->middle[i - 1], sizeof *p->middle);
    } else {
      p->mass[i] = p->in->density * pl_mail_element_volume(e, p->middle[i]);
    }
    p->unknown[i] = p->in->held[i] ? -1 : p->nfree++;
  }
}

pl_status patch_near(patch *p, const pl_pose *at, double far) {
  return near_find(p->env, p->in->n, at, p->radius, p->in->held, far, &p->near);
}

int group_root(const int *group, int i) {
  while (group[i] != i) i = group[i];
  return i;
}

static int element_links(const patch *p, const pl_pose *at, int i, int j) {
  const pl_mail_element *a = p->in->elem[i], *b = p->in->elem[j];
  int n = 0;
  for (int k = 0; k < a->npiece; k++)
    for (int l = 0; l < b->npiece; l++)
      n += pl_piece_links(&a->piece[k], &at[i], &b->piece[l], &at[j]) != 0;
  return n;
}

int patch_links(const patch *p, const pl_pose *at, int *group) {
  int sum = 0;
  for (int i = 0; group && i < p->in->n; i++) group[i] = i;
  for (int k = 0; k < p->near.n; k++) {
    const int *e = p->near.pair[k];
    double w[3];
    pl_sub3(at[e[0]].x, at[e[1]].x, w);
    if (pl_norm3(w) > p->radius[e[0]] + p->radius[e[1]]) continue;
    int n = element_links(p, at, e[0], e[1]);
    sum += n;
    if (!group || n == 0) continue;
    int a = group_root(group, e[0]), b = group_root(group, e[1]);
    group[a > b ? a : b] = a > b ? b : a;
  }
  return sum;
}
