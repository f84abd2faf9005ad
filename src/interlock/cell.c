#include "taut_impl.h"

#include <float.h>
#include <string.h>

// Periodic cells of a material: their pairs of elements, gaps and links at rest.

static pl_status add_pair(pl_cell *c, int i, int j, int k, int l) {
  PL_TRY(pl_grow(c->env, &c->pair, c->npair, &c->cap_pair, sizeof *c->pair));
  pair *p = &c->pair[c->npair++];
  *p = (pair){.i = i, .j = j, .cell = {k, l}, .linked = -1};
  for (int d = 0; d < 2; d++) p->shift[d] = k * c->lattice[0][d] + l * c->lattice[1][d];
  return PL_OK;
}

// Pairs that may meet until the lattice shrinks to CELL_SHRINK and elements move by their own size,
// one of each two that are the same.
static pl_status find_pairs(pl_cell *c) {
  double far = 4 * c->range / CELL_SHRINK;
  double area = fabs(c->lattice[0][0] * c->lattice[1][1] - c->lattice[0][1] * c->lattice[1][0]);
  int most[2];
  for (int d = 0; d < 2; d++) {
    const double *other = c->lattice[1 - d];
    double high = area / hypot(other[0], other[1]); // of the cell over its other side
    most[d] = (int)ceil((far + c->range) / high) + 1;
  }
  for (int i = 0; i < c->nelem; i++)
    for (int j = i; j < c->nelem; j++)
      for (int k = -most[0]; k <= most[0]; k++)
        for (int l = -most[1]; l <= most[1]; l++) {
          if (i == j && (k < 0 || (k == 0 && l <= 0))) continue;
          double w[2];
          for (int d = 0; d < 2; d++)
            w[d] = c->ref[j].x[d] - c->ref[i].x[d] + k * c->lattice[0][d] + l * c->lattice[1][d];
          if (hypot(w[0], w[1]) < far) PL_TRY(add_pair(c, i, j, k, l));
        }
  return PL_OK;
}

// The smallest radius, the thinnest wire (plates and skins of meshes are none), and a ball about
// the origin of every element.
static void measure(const pl_mail *m, double *thin, double *wire, double *range) {
  *thin = *wire = DBL_MAX;
  *range = 0;
  for (int i = 0; i < m->nkind; i++)
    for (int k = 0; k < m->kind[i].npiece; k++) {
      const pl_piece *p = &m->kind[i].piece[k];
      double from[3], far = piece_radius(p, from), thick = piece_wire(p);
      *thin = fmin(*thin, p->kind == PL_PIECE_RING ? fmin(p->radius, p->height) : p->radius);
      if (thick > 0) *wire = fmin(*wire, thick);
      *range = fmax(*range, far + pl_norm3(from));
    }
  if (*wire == DBL_MAX) *wire = *thin;
}

const char *pl_piece_fault(const pl_piece *p) {
  int round = p->kind == PL_PIECE_RING || p->kind == PL_PIECE_LINK;
  if (p->kind == PL_PIECE_FACETS) return NULL;
  if (round && p->radius >= p->major) return "a ring has no hole";
  if (!(piece_speed(p) > 0)) return "a curve is a point";
  return p->kind == PL_PIECE_CURVE && piece_cuts_itself(p) ? "a curve cuts itself" : NULL;
}

const char *pl_mail_fault(const pl_mail *m) {
  double thin, wire, range, most = 0;
  const double *a = m->lattice[0], *b = m->lattice[1];
  for (int i = 0; i < m->nkind; i++)
    for (int k = 0; k < m->kind[i].npiece; k++) {
      const char *fault = pl_piece_fault(&m->kind[i].piece[k]);
      if (fault) return fault;
    }
  measure(m, &thin, &wire, &range);
  for (int d = 0; d < 2; d++) most = fmax(most, hypot(m->lattice[d][0], m->lattice[d][1]));
  if (!(fabs(a[0] * b[1] - a[1] * b[0]) > 1e-9 * most * most))
    return "its lattice vectors are parallel, or one is zero";
  if (!(fabs(a[0] * b[1] - a[1] * b[0]) > 0.02 * range * most))
    return "the lattice is far too fine for its elements";
  return NULL;
}

static pl_status cell_open(pl_env *env, const pl_mail *m, int nelem, pl_cell **out) {
  *out = NULL;
  pl_cell *c = pl_alloc(env, 1, sizeof *c);
  if (!c) return PL_E_NOMEM;
  *c = (pl_cell){.env = env};
  c->ref = pl_alloc(env, (size_t)nelem, sizeof *c->ref);
  c->elem = pl_alloc(env, (size_t)nelem, sizeof *c->elem);
  c->of = pl_alloc(env, (size_t)nelem, sizeof *c->of);
  if (!c->ref || !c->elem || !c->of) {
    pl_cell_free(c);
    return PL_E_NOMEM;
  }
  measure(m, &c->thin, &c->wire, &c->range);
  *out = c;
  return PL_OK;
}

static pl_status cell_end(pl_cell *c, pl_status s, pl_cell **out) {
  if (s == PL_OK) return PL_OK;
  pl_cell_free(c);
  *out = NULL;
  return s;
}

// an element of the material, in one of its cells
static void add_element(pl_cell *c, const pl_mail *m, int i, int k, int l) {
  c->elem[c->nelem] = &m->kind[m->kind_of[i]];
  c->of[c->nelem] = i;
  pl_pose *p = &c->ref[c->nelem++];
  *p = m->pose[i];
  for (int d = 0; d < 2; d++) p->x[d] += k * m->lattice[0][d] + l * m->lattice[1][d];
}

pl_status pl_cell_create(pl_env *env, const pl_mail *m, int copies0, int copies1, pl_cell **out) {
  const int copies[2] = {copies0, copies1};
  PL_TRY(cell_open(env, m, m->nelem * copies0 * copies1, out));
  for (int k = 0; k < copies0; k++)
    for (int l = 0; l < copies1; l++)
      for (int i = 0; i < m->nelem; i++) add_element(*out, m, i, k, l);
  for (int k = 0; k < 2; k++)
    for (int d = 0; d < 2; d++) (*out)->lattice[k][d] = copies[k] * m->lattice[k][d];
  return cell_end(*out, find_pairs(*out), out);
}

// Elements within a distance of a place; counts them, or adds them to the cell.
static int gather_disk(const pl_mail *m, const double middle[2], double far, pl_cell *c) {
  int n = 0, most[2];
  const double(*L)[2] = m->lattice;
  double area = fabs(L[0][0] * L[1][1] - L[0][1] * L[1][0]);
  for (int d = 0; d < 2; d++)
    most[d] = (int)ceil(far * hypot(L[1 - d][0], L[1 - d][1]) / area) + m->nelem + 2;
  for (int k = -most[0]; k <= most[0]; k++)
    for (int l = -most[1]; l <= most[1]; l++)
      for (int i = 0; i < m->nelem; i++) {
        double w[2];
        for (int d = 0; d < 2; d++) w[d] = m->pose[i].x[d] - middle[d] + k * L[0][d] + l * L[1][d];
        if (hypot(w[0], w[1]) > far) continue;
        if (c) add_element(c, m, i, k, l);
        n++;
      }
  return n;
}

// two shortest vectors of the lattice, at most a right angle apart
static void shortest(const double L[2][2], double out[2][2]) {
  double a[2] = {L[0][0], L[0][1]}, b[2] = {L[1][0], L[1][1]};
  for (;;) {
    double f = round((a[0] * b[0] + a[1] * b[1]) / (a[0] * a[0] + a[1] * a[1]));
    for (int d = 0; d < 2; d++) b[d] -= f * a[d];
    if (hypot(b[0], b[1]) >= hypot(a[0], a[1])) break;
    for (int d = 0; d < 2; d++) {
      double swap = a[d];
      a[d] = b[d];
      b[d] = swap;
    }
  }
  double sign = a[0] * b[0] + a[1] * b[1] < 0 ? -1 : 1;
  for (int d = 0; d < 2; d++) {
    out[0][d] = a[d];
    out[1][d] = sign * b[d];
  }
}

// the place that is farthest from the lattice: equally far from three of its points
static void deepest(const double S[2][2], double out[2]) {
  double a = S[0][0] * S[0][0] + S[0][1] * S[0][1], b = S[1][0] * S[1][0] + S[1][1] * S[1][1];
  double twice = 2 * (S[0][0] * S[1][1] - S[0][1] * S[1][0]);
  out[0] = (S[1][1] * a - S[0][1] * b) / twice;
  out[1] = (S[0][0] * b - S[1][0] * a) / twice;
}

// about the mean of its places
static void centre_disk(pl_cell *c) {
  double mean[2] = {0};
  c->disk = c->thin;
  for (int i = 0; i < c->nelem; i++)
    for (int d = 0; d < 2; d++) mean[d] += c->ref[i].x[d] / c->nelem;
  for (int i = 0; i < c->nelem; i++) {
    for (int d = 0; d < 2; d++) c->ref[i].x[d] -= mean[d];
    c->disk = fmax(c->disk, hypot(c->ref[i].x[0], c->ref[i].x[1]));
  }
}

pl_status pl_cell_create_disk(pl_env *env, const pl_mail *m, int across, pl_cell **out) {
  double S[2][2], middle[2], from[2] = {0};
  shortest(m->lattice, S);
  if (across % 2 == 0) deepest((const double(*)[2])S, from);
  int shells = across / 2;
  double far = 1.001 * shells * hypot(S[0][0], S[0][1]);
  for (int d = 0; d < 2; d++) middle[d] = m->pose[0].x[d] + from[d];
  PL_TRY(cell_open(env, m, gather_disk(m, middle, far, NULL), out));
  gather_disk(m, middle, far, *out);
  centre_disk(*out);
  pl_status s = PL_OK;
  for (int i = 0; s == PL_OK && i < (*out)->nelem; i++)
    for (int j = i + 1; s == PL_OK && j < (*out)->nelem; j++) s = add_pair(*out, i, j, 0, 0);
  return cell_end(*out, s, out);
}

void pl_cell_free(pl_cell *c) {
  if (!c) return;
  pl_env *env = c->env;
  pl_free(env, c->ref);
  pl_free(env, c->elem);
  pl_free(env, c->of);
  pl_free(env, c->pair);
  pl_free(env, c);
}

void pair_offset(const pl_cell *c, const pair *p, double out[2]) {
  for (int d = 0; d < 2; d++) out[d] = c->ref[p->j].x[d] + p->shift[d] - c->ref[p->i].x[d];
}

double pl_mail_thinnest(const pl_mail *m) {
  double least = DBL_MAX;
  for (int i = 0; i < m->nkind; i++)
    for (int k = 0; k < m->kind[i].npiece; k++) {
      const pl_piece *p = &m->kind[i].piece[k];
      double wire = piece_wire(p);
      least = fmin(least, wire > 0 ? wire : p->radius);
    }
  return least;
}

// how often, all pieces together; with sign where it is one pair of them
static int links_of(const pl_cell *c, const pair *p) {
  const pl_mail_element *first = c->elem[p->i], *second = c->elem[p->j];
  pl_pose b = c->ref[p->j];
  double w[3];
  for (int d = 0; d < 2; d++) b.x[d] += p->shift[d];
  pl_sub3(b.x, c->ref[p->i].x, w);
  if (pl_norm3(w) > 2 * c->range) return 0;
  int sum = 0, size = 0, n = 0;
  for (int k = 0; k < first->npiece; k++)
    for (int l = 0; l < second->npiece; l++) {
      int one = pl_piece_links(&first->piece[k], &c->ref[p->i], &second->piece[l], &b);
      sum += one;
      size += one < 0 ? -one : one;
      n += one != 0;
    }
  return n > 1 ? size : sum;
}

int pair_linked(pl_cell *c, int k) {
  pair *p = &c->pair[k];
  if (p->linked < 0) p->linked = links_of(c, p) != 0;
  return p->linked;
}

int pl_cell_links(pl_cell *c, int elem) {
  int n = 0;
  for (int k = 0; k < c->npair; k++) {
    int ends = (c->pair[k].i == elem) + (c->pair[k].j == elem);
    if (ends && pair_linked(c, k)) n += ends;
  }
  return n;
}

int pl_cell_link_list(const pl_cell *c, int most, pl_mail_link *out) {
  int n = 0;
  for (int k = 0; k < c->npair; k++) {
    const pair *p = &c->pair[k];
    int number = links_of(c, p);
    if (!number) continue;
    if (n < most) out[n] = (pl_mail_link){{p->i, p->j}, {p->cell[0], p->cell[1]}, number};
    n++;
  }
  return n;
}

// within a wire's radius first, where elements of many facets are told apart quickly
double pl_cell_gap(pl_cell *c, pl_taut_contact *where) {
  for (double cut = c->wire; cut < 1e6 * c->wire; cut *= 8) {
    double gap = cell_gap_within(c, cut, where);
    if (gap < DBL_MAX) return gap;
  }
  return cell_gap_within(c, 1e9, where);
}

double cell_gap_within(pl_cell *c, double cut, pl_taut_contact *where) {
  pl_taut out = {0};
  const pl_taut_goal still = {0};
  taut t = {.c = c,
            .g = &still,
            .place = &placing_flat,
            .range = cut,
            .out = &out,
            .now = {.pose = c->ref}};
  int least = 0;
  double gap = DBL_MAX;
  if (find_contacts(&t, &t.now) >= 0)
    for (int i = 0; i < t.ncontact; i++)
      if (t.contact[i].at.gap < gap) gap = t.contact[least = i].at.gap;
  if (where && t.ncontact > 0) {
    const contact *k = &t.contact[least];
    const pair *p = &c->pair[k->pair];
    *where = (pl_taut_contact){{p->i, p->j},
                               {p->cell[0], p->cell[1]},
                               {k->piece[0], k->piece[1]},
                               k->at,
                               0,
                               {c->of[p->i], c->of[p->j]}};
  }
  pl_free(c->env, t.contact);
  pl_free(c->env, t.last);
  return gap;
}
