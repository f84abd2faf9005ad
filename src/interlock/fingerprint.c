#include "interlock_impl.h"

#include <math.h>

// A number of a material's shape: rounded, so that libraries that differ in last digits agree.

static const double FINE = 1e-6; // of the lattice's first vector

typedef struct digest {
  uint64_t h;
  double length; // that numbers refer to
} digest;

static void add(digest *p, int64_t v) {
  p->h = pl_hash(p->h, &v, sizeof v);
}

static void add_numbers(digest *p, double unit, size_t n, const double *x) {
  for (size_t i = 0; i < n; i++) add(p, llround(x[i] / (FINE * unit)));
}

static void add_piece(digest *p, const pl_piece *a) {
  const double size[] = {a->radius, a->major, a->straight, a->height};
  size_t many = 3 * (size_t)a->nharmonic;
  add(p, a->kind);
  add_numbers(p, p->length, 3, a->centre);
  add_numbers(p, p->length, a->kind == PL_PIECE_FACETS ? 1 : 4, size);
  if (a->kind == PL_PIECE_RING || a->kind == PL_PIECE_LINK) {
    add_numbers(p, 1, 3, a->axis);
    add_numbers(p, 1, 6, a->out[0]);
  }
  if (many) add_numbers(p, p->length, many, a->cosine[0]);
  if (many) add_numbers(p, p->length, many, a->sine[0]);
  if (a->kind != PL_PIECE_FACETS) return;
  int n;
  const double(*x)[3] = pl_facets_corners(a->facets, &n);
  add_numbers(p, p->length, 3 * (size_t)n, x[0]);
}

uint64_t pl_mail_fingerprint(const pl_mail *m) {
  digest p = {0, hypot(m->lattice[0][0], m->lattice[0][1])};
  add_numbers(&p, p.length, 4, m->lattice[0]);
  // lengths in nanometres
  add_numbers(&p, 1e-3, 1, &p.length);
  for (int e = 0; e < m->nelem; e++) {
    add(&p, m->kind_of[e]);
    add_numbers(&p, p.length, 3, m->pose[e].x);
    add_numbers(&p, 1, 9, m->pose[e].Q);
  }
  for (int k = 0; k < m->nkind; k++)
    for (int i = 0; i < m->kind[k].npiece; i++) add_piece(&p, &m->kind[k].piece[i]);
  return p.h ? p.h : 1;
}
