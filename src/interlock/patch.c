#include "facets.h"
#include "patch_impl.h"

#include <float.h>
#include <string.h>

// Elements of a patch: their sizes and masses, and which of them hang together.

double element_ball(const pl_mail_element *e) {
  double most = 0;
  for (int k = 0; k < e->npiece; k++) {
    double from[3], far = piece_radius(&e->piece[k], from);
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

// What the repulsion may fill: the skin of a mesh is thinner than what it encloses.
static double element_body(const pl_mail_element *e) {
  double least = DBL_MAX;
  for (int k = 0; k < e->npiece; k++)
    least = fmin(least, fmax(e->piece[k].kind == PL_PIECE_RING ? 0 : e->piece[k].radius,
                             piece_wire(&e->piece[k]) / (facets_know(&e->piece[k]) ? 2 : 1)));
  return least;
}

pl_status patch_measure(patch *p) {
  p->thin = p->body = DBL_MAX;
  p->wires = p->facets = 1;
  int surfaces = 0;
  for (int i = 0; i < p->in->n; i++) {
    const pl_mail_element *e = p->in->elem[i];
    int same = i > 0 && e == p->in->elem[i - 1];
    p->radius[i] = same ? p->radius[i - 1] : element_ball(e);
    p->wire[i] = same ? p->wire[i - 1] : element_wire(e);
    p->thin = fmin(p->thin, p->wire[i]);
    if (!same) p->body = fmin(p->body, element_body(e));
    p->ball = fmax(p->ball, p->radius[i]);
    for (int k = 0; k < e->npiece && !same; k++) {
      p->wires &= wires_know(&e->piece[k]);
      p->facets &= facets_know(&e->piece[k]);
      surfaces |= facets_know(&e->piece[k]) && !facets_are_line(e->piece[k].facets);
    }
    if (same) {
      p->mass[i] = p->mass[i - 1];
      memcpy(p->middle[i], p->middle[i - 1], sizeof *p->middle);
    } else {
      int upper;
      PL_TRY(pl_mail_volume(p->env, e, &p->mass[i], p->middle[i], &upper));
      p->mass[i] *= p->in->density;
    }
    p->unknown[i] = p->in->held[i] ? -1 : p->nfree++;
  }
  // polylines alone come to rest better by their single minima
  p->facets &= surfaces;
  return PL_OK;
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

pl_status patch_links(const patch *p, const pl_pose *at, int *group, int *sum) {
  enum { ASKED = 64 }; // of the pairs: they take some hundred microseconds each
  *sum = 0;
  for (int i = 0; group && i < p->in->n; i++) group[i] = i;
  for (int k = 0; k < p->near.n; k++) {
    const int *e = p->near.pair[k];
    double w[3];
    if (k % ASKED == 0) PL_TRY(pl_report_progress(p->env, NULL, -1, NULL));
    pl_sub3(at[e[0]].x, at[e[1]].x, w);
    if (pl_norm3(w) > p->radius[e[0]] + p->radius[e[1]]) continue;
    int n = element_links(p, at, e[0], e[1]);
    *sum += n;
    if (!group || n == 0) continue;
    int a = group_root(group, e[0]), b = group_root(group, e[1]);
    group[a > b ? a : b] = a > b ? b : a;
  }
  return PL_OK;
}
