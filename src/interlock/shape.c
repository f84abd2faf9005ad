#include "interlock_impl.h"

#include <stdlib.h>
#include <string.h>

// Derivatives by shapes. A gap shrinks as fast as both surfaces move towards each other where they
// are nearest; by the envelope theorem a limit changes as its gaps do at fixed poses and strains,
// times their forces.

// ---- surfaces -----------------------------------------------------------------------------------

// how fast the boundary of an ellipse of half-axes a, b moves along its normal (x, y)
static double section_rate(double a, double b, double x, double y, double da, double db) {
  double size = hypot(x, y), h = hypot(a * x, b * y);
  return size > 0 ? (a * x * x * da + b * y * y * db) / (size * h) : 0;
}

static double ring_rate(const pl_piece *p, const pl_piece *d, const pl_swept *s, double u,
                        const double n[3]) {
  double radial[3], arm[3], spin[3], move[3];
  for (int i = 0; i < 3; i++) radial[i] = cos(u) * p->out[0][i] + sin(u) * p->out[1][i];
  // the axis turns
  pl_cross3(p->axis, d->axis, spin);
  pl_sub3(s->p, p->centre, arm);
  pl_cross3(spin, arm, move);
  double out = pl_dot3(radial, n), up = pl_dot3(p->axis, n);
  return pl_dot3(d->centre, n) + pl_dot3(move, n) + d->major * out +
         section_rate(p->radius, p->height, out, up, d->radius, d->height);
}

// half circles go outwards with the sides, and all of it as the axis turns
static double link_rate(const pl_piece *p, const pl_piece *d, const pl_swept *s,
                        const double n[3]) {
  double arm[3], spin[3], move[3], out[3];
  pl_cross3(p->axis, d->axis, spin);
  pl_sub3(s->p, p->centre, arm);
  pl_cross3(spin, arm, move);
  double on = pl_dot3(arm, p->out[0]), side = fmax(-1, fmin(1, 2 * on / fmax(p->straight, 1e-300)));
  for (int i = 0; i < 3; i++) out[i] = (arm[i] - side * p->straight / 2 * p->out[0][i]) / p->major;
  if (fabs(side) < 1) {
    double up = pl_dot3(arm, p->out[1]) > 0 ? 1 : -1;
    for (int i = 0; i < 3; i++) out[i] = up * p->out[1][i];
  }
  return pl_dot3(d->centre, n) + pl_dot3(move, n) + d->major * pl_dot3(out, n) +
         d->straight * side / 2 * pl_dot3(p->out[0], n) + d->radius;
}

static double curve_rate(const pl_piece *p, const pl_piece *d, double t, const double n[3]) {
  double rate = pl_dot3(d->centre, n) + d->radius;
  for (int k = 1; d->cosine && k <= p->nharmonic; k++)
    rate += cos(k * t) * pl_dot3(d->cosine[k - 1], n) + sin(k * t) * pl_dot3(d->sine[k - 1], n);
  return rate;
}

// along the outward normal n of the world
static double surface_rate(const pl_piece *p, int part, const pl_pose *at, const pl_piece *d,
                           const double u[2], const double n[3]) {
  pl_swept s;
  double own[3] = {0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) own[i] += at->Q[3 * j + i] * n[j];
  if (p->kind == PL_PIECE_FACETS)
    return (d->facets ? facets_rate(p->facets, d->facets, part, u, own) : 0) + d->radius;
  pl_piece_at(p, u, &s);
  if (p->kind == PL_PIECE_LINK) return link_rate(p, d, &s, own);
  return p->kind == PL_PIECE_RING ? ring_rate(p, d, &s, u[0], own) : curve_rate(p, d, u[0], own);
}

double pl_piece_gap_rate(const pl_piece *a, const pl_pose *at, const pl_piece *da,
                         const pl_piece *b, const pl_pose *bt, const pl_piece *db,
                         const pl_approach *approach) {
  double g[12], back[3];
  pl_piece_derivatives(a, at, b, bt, approach, g, NULL);
  for (int i = 0; i < 3; i++) back[i] = -g[i];
  return -surface_rate(a, approach->on[0], at, da, approach->u, back) -
         surface_rate(b, approach->on[1], bt, db, approach->u + 2, g);
}

// ---- materials ----------------------------------------------------------------------------------

static const pl_piece *contact_part(const pl_mail *m, const pl_taut_contact *k, int side) {
  return &m->kind[m->kind_of[k->of[side]]].piece[k->piece[side]];
}

void contact_shift(const pl_mail *m, const int copies[2], const pl_taut_contact *k, double L[2]) {
  for (int i = 0; i < 2; i++)
    L[i] = k->cell[0] * copies[0] * m->lattice[0][i] + k->cell[1] * copies[1] * m->lattice[1][i];
}

// a vector of the lattice in the stretched sheet
static void stretched(const double S[3], const double L[2], double out[2]) {
  out[0] = (1 + S[0]) * L[0] + S[2] * L[1];
  out[1] = S[2] * L[0] + (1 + S[1]) * L[1];
}

// where an element is, a vector of the lattice away
static void place_element(const pl_taut *t, int elem, const double L[2], contact_place *out) {
  static const double still[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const pl_pose *from = &t->pose[elem];
  double x[2];
  stretched(t->stretch, L, x);
  if (t->shape == PL_TAUT_CYLINDER) {
    rolled_image(t->angle, t->curvature[0] + t->curvature[1], x, from, &out->second, out->R,
                 out->by);
    return;
  }
  out->second = *from;
  memcpy(out->R, still, sizeof still);
  memset(out->by, 0, sizeof out->by);
  for (int c = 0; c < 2; c++) {
    out->second.x[c] += x[c];
    out->by[c][c] = 1;
  }
}

pl_pose rest_image(const pl_mail *m, const int copies[2], int elem, const int cell[2]) {
  int copy = elem / m->nelem;
  double k = cell[0] * copies[0] + copy / copies[1], l = cell[1] * copies[1] + copy % copies[1];
  pl_pose p = m->pose[elem % m->nelem];
  for (int d = 0; d < 2; d++) p.x[d] += k * m->lattice[0][d] + l * m->lattice[1][d];
  return p;
}

int taut_counts(const pl_taut *t, const double x[2]) {
  double to[2];
  stretched(t->stretch, x, to);
  return t->shape != PL_TAUT_CYLINDER ||
         rolled_counts(t->angle, t->curvature[0] + t->curvature[1], to);
}

int pl_taut_image(const pl_mail *m, const int copies[2], const pl_taut *t, int elem,
                  const int cell[2], pl_pose *out) {
  const pl_taut_contact k = {.cell = {cell[0], cell[1]}};
  contact_place p;
  double L[2], from[3];
  contact_shift(m, copies, &k, L);
  place_element(t, elem, L, &p);
  *out = p.second;
  if (t->shape != PL_TAUT_CYLINDER) return 1;
  const pl_pose at = rest_image(m, copies, elem, cell);
  pl_sub3(at.x, m->pose[0].x, from);
  return taut_counts(t, from);
}

contact_place contact_at(const pl_mail *m, const int copies[2], const pl_taut *t,
                         const pl_taut_contact *k) {
  contact_place p;
  double L[2];
  contact_shift(m, copies, k, L);
  place_element(t, k->elem[1], L, &p);
  pl_piece_derivatives(contact_part(m, k, 0), &t->pose[k->elem[0]], contact_part(m, k, 1),
                       &p.second, &k->at, p.slope, NULL);
  return p;
}

void pl_taut_contact_at(const pl_mail *m, const int copies[2], const pl_taut *t,
                        const pl_taut_contact *k, double point[3], double normal[3]) {
  contact_place p = contact_at(m, copies, t, k);
  double ends[2][3];
  pl_approach_points(contact_part(m, k, 0), &t->pose[k->elem[0]], contact_part(m, k, 1), &p.second,
                     &k->at, ends);
  double size = pl_norm3(p.slope), away = 0;
  for (int side = 0; side < 2; side++) {
    pl_swept at;
    piece_at(contact_part(m, k, side), k->at.on[side], k->at.u + 2 * side, &at);
    away += (side ? 1 : -1) * at.rho / 2;
  }
  for (int c = 0; c < 3; c++) {
    normal[c] = p.slope[c] / size;
    point[c] = (ends[0][c] + ends[1][c]) / 2 + away * normal[c];
  }
}

double pl_taut_rate(const pl_mail *m, const int copies[2], const pl_taut *t, const pl_mail *rate) {
  double sum = 0;
  for (int i = 0; i < t->ncontact; i++) {
    const pl_taut_contact *k = &t->contact[i];
    if (k->force == 0) continue;
    contact_place p = contact_at(m, copies, t, k);
    double L[2], x[2];
    sum += k->force * pl_piece_gap_rate(contact_part(m, k, 0), &t->pose[k->elem[0]],
                                        contact_part(rate, k, 0), contact_part(m, k, 1), &p.second,
                                        contact_part(rate, k, 1), &k->at);
    // the second element follows its stretched lattice vectors
    contact_shift(rate, copies, k, L);
    stretched(t->stretch, L, x);
    for (int c = 0; c < 2; c++) sum += k->force * x[c] * pl_dot(6, p.slope + 6, p.by[c]);
  }
  return sum;
}

// ---- at rest ------------------------------------------------------------------------------------

static double element_radius(const pl_mail_element *e) {
  double most = 0;
  for (int k = 0; k < e->npiece; k++) {
    double from[3], range = piece_radius(&e->piece[k], from);
    most = fmax(most, range + pl_norm3(from));
  }
  return most;
}

// one more among the smallest
static int insert_gap(int n, int most, pl_taut_contact *list, const pl_taut_contact *k) {
  int at = n < most ? n : most - 1;
  if (n == most && list[at].at.gap <= k->at.gap) return n;
  for (; at > 0 && list[at - 1].at.gap > k->at.gap; at--) list[at] = list[at - 1];
  list[at] = *k;
  return n < most ? n + 1 : n;
}

static int pair_gaps(const pl_mail *m, const pl_taut_contact *pair, double cut, int n, int most,
                     pl_taut_contact *out) {
  static const int one[2] = {1, 1};
  const pl_mail_element *first = &m->kind[m->kind_of[pair->elem[0]]],
                        *second = &m->kind[m->kind_of[pair->elem[1]]];
  const pl_pose *a = &m->pose[pair->elem[0]];
  const pl_taut rest = {.pose = (pl_pose *)m->pose};
  contact_place place;
  double w[3], L[2];
  contact_shift(m, one, pair, L);
  place_element(&rest, pair->elem[1], L, &place);
  const pl_pose *b = &place.second;
  pl_sub3(a->x, b->x, w);
  if (pl_norm3(w) > element_radius(first) + element_radius(second) + cut) return n;
  for (int p = 0; p < first->npiece; p++)
    for (int q = 0; q < second->npiece; q++) {
      pl_approach approach[PL_APPROACH_MAX];
      int found = pl_piece_gaps(&first->piece[p], a, &second->piece[q], b, cut, approach);
      for (int i = 0; i < found; i++) {
        pl_taut_contact k = *pair;
        if (approach[i].still) continue;
        k.piece[0] = p;
        k.piece[1] = q;
        k.at = approach[i];
        n = insert_gap(n, most, out, &k);
      }
    }
  return n;
}

int pl_mail_gaps(const pl_mail *m, double cut, int most, pl_taut_contact *out) {
  const double *a = m->lattice[0], *b = m->lattice[1];
  double far = cut, area = fabs(a[0] * b[1] - a[1] * b[0]);
  int n = 0, cells[2];
  for (int i = 0; i < m->nelem; i++)
    far = fmax(far, cut + 2 * element_radius(&m->kind[m->kind_of[i]]) +
                        2 * hypot(m->pose[i].x[0], m->pose[i].x[1]));
  for (int d = 0; d < 2; d++) {
    const double *other = m->lattice[1 - d];
    cells[d] = (int)ceil(far * hypot(other[0], other[1]) / area);
  }
  for (int i = 0; i < m->nelem; i++)
    for (int j = i; j < m->nelem; j++)
      for (int k = -cells[0]; k <= cells[0]; k++)
        for (int l = -cells[1]; l <= cells[1]; l++)
          if (i != j || k > 0 || (k == 0 && l > 0))
            n = pair_gaps(m, &(pl_taut_contact){.elem = {i, j}, .cell = {k, l}, .of = {i, j}}, cut,
                          n, most, out);
  return n;
}

// dQ Q' as a vector
static void rotation_rate(const double *Q, const double *dQ, double w[3]) {
  static const int row[3] = {2, 0, 1}, col[3] = {1, 2, 0};
  for (int i = 0; i < 3; i++) w[i] = pl_dot3(dQ + 3 * row[i], Q + 3 * col[i]);
}

double pl_mail_gap_rate(const pl_mail *m, const pl_taut_contact *k, const pl_mail *rate) {
  static const int one[2] = {1, 1};
  pl_taut_contact held = *k;
  const pl_taut rest = {.pose = (pl_pose *)m->pose, .ncontact = 1, .contact = &held};
  double w[3], sum;
  held.force = 1;
  sum = pl_taut_rate(m, one, &rest, rate);
  contact_place p = contact_at(m, one, &rest, k);
  const double *by = p.slope;
  for (int side = 0; side < 2; side++) {
    const pl_pose *d = &rate->pose[k->elem[side]];
    rotation_rate(m->pose[k->elem[side]].Q, d->Q, w);
    sum += pl_dot3(by + 6 * side, d->x) + pl_dot3(by + 6 * side + 3, w);
  }
  return sum;
}

// ---- families -----------------------------------------------------------------------------------

static void add_numbers(int n, double w, const double *from, double *to) {
  for (int i = 0; i < n; i++) to[i] += w * from[i];
}

void pl_mail_make(const pl_mail_family *f, const double *value, pl_mail_data *out) {
  if (f->make_of)
    f->make_of(f->of, value, out);
  else
    f->make(value, out);
}

// facets that a material has in its own room; others do not change
static int has_own_facets(const pl_mail_data *d, const pl_piece *p) {
  const double *at = (const double *)p->facets;
  return at >= d->buffer && at < d->buffer + sizeof d->buffer / sizeof *d->buffer;
}

// all numbers of a material, times a weight
static void add_material(const pl_mail_data *from, double w, pl_mail_data *to) {
  for (int k = 0; k < PL_MAIL_PIECES; k++) {
    const pl_piece *p = &from->piece[k];
    pl_piece *q = &to->piece[k];
    add_numbers(3, w, p->centre, q->centre);
    add_numbers(3, w, p->axis, q->axis);
    add_numbers(1, w, &p->major, &q->major);
    add_numbers(1, w, &p->radius, &q->radius);
    add_numbers(1, w, &p->height, &q->height);
    add_numbers(1, w, &p->straight, &q->straight);
    if (q->facets) facets_add(p->facets, w, q->facets);
  }
  for (int k = 0; k < PL_MAIL_ELEMENTS; k++) {
    add_numbers(3, w, from->pose[k].x, to->pose[k].x);
    add_numbers(9, w, from->pose[k].Q, to->pose[k].Q);
  }
  add_numbers(3 * PL_MAIL_HARMONICS, w, from->cosine[0], to->cosine[0]);
  add_numbers(3 * PL_MAIL_HARMONICS, w, from->sine[0], to->sine[0]);
  add_numbers(4, w, from->m.lattice[0], to->m.lattice[0]);
}

// the same elements without any numbers
static void clear_material(const double *value, const pl_mail_family *f, pl_mail_data *out) {
  pl_mail_make(f, value, out);
  memset(out->cosine, 0, sizeof out->cosine);
  memset(out->sine, 0, sizeof out->sine);
  memset(out->pose, 0, sizeof out->pose);
  memset(out->m.lattice, 0, sizeof out->m.lattice);
  for (int k = 0; k < PL_MAIL_PIECES; k++) {
    pl_piece *p = &out->piece[k];
    if (!has_own_facets(out, p)) p->facets = NULL;
    *p = (pl_piece){.kind = p->kind,
                    .nharmonic = p->nharmonic,
                    .cosine = p->cosine,
                    .sine = p->sine,
                    .facets = p->facets};
    if (p->facets) facets_add(p->facets, -1, p->facets);
  }
}

// Differences of the sixth order: families are rational and trigonometric in their parameters, so
// that a step of a thousandth leaves an error of about 1e-12.
void pl_mail_rate(const pl_mail_family *f, const double *value, int key, pl_mail_data *out) {
  static const double weight[3] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  double v[PL_KEY_MAX], h = 1e-3 * (value[key] != 0 ? fabs(value[key]) : 1);
  pl_mail_data at;
  memcpy(v, value, (size_t)f->nkey * sizeof *v);
  clear_material(value, f, out);
  for (int k = -3; k <= 3; k++) {
    if (k == 0) continue;
    v[key] = value[key] + k * h;
    pl_mail_make(f, v, &at);
    add_material(&at, (k > 0 ? 1 : -1) * weight[abs(k) - 1] / h, out);
  }
}
